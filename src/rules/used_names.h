// Which names a program uses as attributes, texts, keywords and parameters. Linked program in, sets of names out.
#pragma once

#include <string_view>
#include <unordered_set>

#include "program/program.h"

namespace lockstep::rules {

/// The names that any file of a program reads or writes as an attribute, names as a string, or passes as a keyword.
class UsedNames {
 public:
  explicit UsedNames(const program::Program& program);
  [[nodiscard]] bool reads_attribute(std::string_view name) const { return has(read_, name); }
  [[nodiscard]] bool writes_attribute(std::string_view name) const { return has(written_, name); }
  [[nodiscard]] bool has_text(std::string_view name) const { return has(texts_, name); }
  [[nodiscard]] bool has_keyword(std::string_view name) const { return has(keywords_, name); }
  [[nodiscard]] bool has_parameter(std::string_view name) const { return has(parameters_, name); }

 private:
  using Names = std::unordered_set<std::string_view>;
  static bool has(const Names& names, std::string_view name) { return names.contains(name); }
  Names read_, written_, texts_, keywords_, parameters_;
};

}  // namespace lockstep::rules
