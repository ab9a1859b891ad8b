// Where functions have their settings from: whether `args` is the repository's own command line, with all its names in
// the source. Linked program in, answers out.
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "rules/settings/parser_sources.h"
#include "rules/syntax/reach_memory.h"

namespace lockstep::rules {

class ArgsSources {
 public:
  explicit ArgsSources(const program::Program& program) : program_(program), parsers_(program) {}

  /// True if the function takes its settings, as `args`, from the repository's command line: `args = get_args()`, and
  /// nothing else gives that name a value or attributes that the source does not name.
  [[nodiscard]] bool gets_args(program::FunctionId id);
  /// Of a function that gets_args: it hands `args` to something that is not known, which may give it attributes.
  [[nodiscard]] bool hands_args_away(program::FunctionId id);

 private:
  /// A function and the name that the settings have in it.
  using Holder = std::pair<program::FunctionId, std::string_view>;
  /// What one function does with its settings.
  struct Use {
    bool fills = false;       ///< Gives them attributes that the source does not name.
    bool hands_away = false;  ///< To something unknown.
    std::vector<Holder> handed_to;
  };
  const Use& use_by(const Holder& holder);
  void note_call(const python::Call& call, const Holder& holder, Use& use) const;
  bool reaches(const Holder& first, bool Use::*what, ReachMemory<Holder>& memory);

  const program::Program& program_;
  ParserSources parsers_;
  std::map<Holder, Use> uses_;
  ReachMemory<Holder> filled_;
  ReachMemory<Holder> handed_away_;
};

}  // namespace lockstep::rules
