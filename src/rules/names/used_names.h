// Which names a program uses as attributes, texts, keywords and parameters. Linked program in, answers out: only the
// files are read in whose text a name that is asked for stands.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

/// The names that any file of a program reads or writes as an attribute, names as a string, or passes as a keyword. A
/// string that is put together of several (`"na" "me"`) is none. One thread at a time.
class UsedNames {
 public:
  /// `program` must outlive it.
  explicit UsedNames(const program::Program& program);
  [[nodiscard]] bool reads_attribute(std::string_view name) const { return has(&OfFile::read, name); }
  [[nodiscard]] bool writes_attribute(std::string_view name) const { return has(&OfFile::written, name); }
  [[nodiscard]] bool has_text(std::string_view name) const { return has(&OfFile::texts, name); }
  [[nodiscard]] bool has_keyword(std::string_view name) const { return has(&OfFile::keywords, name); }
  [[nodiscard]] bool has_parameter(std::string_view name) const { return has(&OfFile::parameters, name); }

 private:
  using Names = std::unordered_set<std::string_view>;
  struct OfFile {
    Names read, written, texts, keywords, parameters;
  };
  [[nodiscard]] bool has(Names OfFile::*kind, std::string_view name) const;
  [[nodiscard]] const OfFile& of(const program::Module& module, std::size_t index) const;

  const program::Program& program_;
  mutable std::vector<std::unique_ptr<OfFile>> files_;  ///< By module; null until read.
};

}  // namespace lockstep::rules
