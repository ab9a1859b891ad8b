// A method that no script is found to lead to -> from where runs make the objects that it runs on, and where the
// repository calls what these inherit from a library, which may call the method in turn.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "program/queries.h"
#include "report/story/story.h"
#include "report/ways/scripts/script_reach.h"

namespace lockstep::report {

class ObjectOrigins {
 public:
  using Find = std::function<EntryPath(program::FunctionId)>;
  /// `find` gives the likeliest way to a function; `step_path` what a training step calls, null where that is not
  /// known.
  ObjectOrigins(const program::Program& program, const MadeClasses& made, Find find,
                const std::vector<program::Reached>* step_path);

  /// Of the outermost method outside tests on `path`, the way that was found to `target`. No class where a script leads
  /// there, where it runs on no object, or where no script is known to make any.
  [[nodiscard]] ObjectOrigin of(const EntryPath& path, program::FunctionId target) const;

 private:
  [[nodiscard]] program::FunctionId outermost_method(const EntryPath& path, program::FunctionId target) const;
  [[nodiscard]] EntryPath way_to_constructor(program::FunctionId constructor) const;
  [[nodiscard]] EntryPath way_to_maker(program::ClassId cls) const;
  void add_inherited(ObjectOrigin& origin) const;
  [[nodiscard]] std::string_view inherited_by_call(const program::CallSite& site, const ObjectOrigin& origin) const;

  const program::Program& program_;
  const MadeClasses& made_;
  const Find find_;
  std::unordered_map<std::uint32_t, int> in_step_;  ///< By function: how far from a step.
};

}  // namespace lockstep::report
