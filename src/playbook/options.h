// The command-line flags that a repository's scripts take: `add_argument("--x", …)` and `@click.option("--x")` calls,
// and which of them reach one script through its imports.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/tools.h"
#include "program/program.h"

namespace lockstep::playbook {

struct Flag {
  std::string text;          ///< As written: "--num-layers".
  std::string default_text;  ///< Source text of its default; empty where none is given.
  Place place;

  /// "num_layers".
  [[nodiscard]] std::string name() const;
};

/// All flags, in the order of path and line.
std::vector<Flag> flags_of(const program::Program& program);

/// What one script takes.
struct ScriptFlags {
  std::set<std::string> flags;  ///< As written, with aliases.
  std::set<std::string> names;  ///< Of flags and of dataclass fields in reach, '-' as '_'.
  bool closed = false;          ///< Nothing but these: one plain parser, no computed flags, unknown ones refused.
  /// A parser that refuses unknown flags is reached, but some flags may be computed from names in the code: a flag is
  /// refused where its name stands in no file that the script imports (see ScriptOptions::stands_in_reach).
  bool refuses = false;
  Place parser;                          ///< Where the parser is made, the script's own first.
  std::vector<program::ModuleId> reach;  ///< The script and what it imports, directly or not.
};

class ScriptOptions {
 public:
  explicit ScriptOptions(const program::Program& program);
  [[nodiscard]] ScriptFlags of(program::ModuleId script) const;
  /// Whether the name ("num_layers", also with '-') stands anywhere in the files of a script's reach.
  [[nodiscard]] bool stands_in_reach(const ScriptFlags& script, std::string_view name) const;
  /// Whether any script's flag has this name.
  [[nodiscard]] bool knows(std::string_view name) const;
  /// How many flags start with these words ("moe_").
  [[nodiscard]] std::size_t family_size(std::string_view prefix) const;
  /// The flag spelled most like this one; empty where none is near.
  [[nodiscard]] static std::string nearest(std::string_view flag, const std::set<std::string>& flags);
  [[nodiscard]] const std::set<std::string>& all() const { return all_; }

 private:
  struct ModuleFlags {
    std::vector<Flag> flags;
    bool has_parser = false;  // makes an ArgumentParser
    std::uint32_t parser_line = 0;
    bool open = false;                 // takes flags that nobody sees
    bool computed = false;             // makes flags of names that the code holds
    std::set<std::string> lenient_if;  // parameters that, when set, let unknown flags pass
  };
  void read_module(const program::Module& module);
  [[nodiscard]] bool parses(const program::Module& script) const;
  const program::Program* program_;
  std::map<std::string, ModuleFlags, std::less<>> by_module_;  // by path
  std::set<std::string> all_;
  std::set<std::string, std::less<>> names_;
  std::set<program::FunctionId> parsing_;  // functions from which a call of parse_args is reached
};

}  // namespace lockstep::playbook
