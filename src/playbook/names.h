// What a repository's Python code defines, asked by the names people write: "pkg.mod.function", "module.function",
// "Class.field", a bare name. Answers "unknown" wherever code could make a name that nobody sees.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/tools.h"
#include "program/program.h"

namespace lockstep::playbook {

enum class Answer : std::uint8_t { kExists, kMissing, kUnknown };

struct DottedAnswer {
  Answer answer = Answer::kUnknown;
  std::string found;    ///< The part that exists: "megatron.core.utils", "TransformerConfig".
  std::string missing;  ///< The first part that does not.
  bool exact = false;   ///< The existing part was named in full (a module by its whole name, a plain class).
};

/// A default as the code declares it.
struct Default {
  std::string text;   ///< Source text of the value.
  std::string owner;  ///< "TransformerConfig.moe_router_topk", "--moe-router-topk".
  Place place;
};

class Names {
 public:
  explicit Names(const program::Program& program);

  /// Whether `name` is a top-level package or module of this repository.
  [[nodiscard]] bool is_own_root(std::string_view name) const { return roots_.contains(name); }
  [[nodiscard]] DottedAnswer look_up(std::string_view dotted) const;
  /// Definitions with this short name (functions, methods, classes, fields), at most a few, in the order of path.
  [[nodiscard]] std::vector<Place> places_of(std::string_view name) const;
  [[nodiscard]] bool defines(std::string_view name) const { return by_name_.contains(name); }
  /// How many different names start with `prefix` ("moe_").
  [[nodiscard]] std::size_t family_size(std::string_view prefix) const;
  /// The definition spelled most like `name`; empty where none is near.
  [[nodiscard]] std::string nearest(std::string_view name) const;
  /// Where `name` is a test function, class or file of the tests below `folders` (all when empty), as a substring, the
  /// way `pytest -k` looks.
  [[nodiscard]] bool has_test_like(std::string_view part, const std::vector<std::string>& folders) const;
  /// Declared defaults of dataclass fields and of add_argument calls with this name ('-' counts as '_').
  [[nodiscard]] std::vector<Default> defaults_of(std::string_view name) const;
  [[nodiscard]] const program::Program& program() const { return *program_; }

 private:
  [[nodiscard]] DottedAnswer look_in_module(program::ModuleId module, const std::vector<std::string_view>& parts,
                                            std::size_t next) const;
  [[nodiscard]] DottedAnswer look_in_class(program::ClassId cls, const std::vector<std::string_view>& parts,
                                           std::size_t next) const;

  const program::Program* program_;
  std::map<std::string, bool, std::less<>> roots_;
  std::map<std::string, std::vector<Place>, std::less<>> by_name_;
  std::map<std::string, std::vector<program::ClassId>, std::less<>> classes_;
  std::map<std::string, std::vector<program::ModuleId>, std::less<>> modules_;  // by last component
  std::map<std::string, std::vector<Default>, std::less<>> defaults_;
};

}  // namespace lockstep::playbook
