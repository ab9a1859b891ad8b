// Scripts -> what their runs can get to (ScriptReach), found once for each.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/source/import_closure.h"
#include "report/ways/conditions/call_guards.h"
#include "report/ways/conditions/class_guards.h"
#include "report/ways/conditions/path_constants.h"
#include "report/ways/objects/class_mentions.h"
#include "report/ways/scripts/script_reach.h"

namespace lockstep::report {

class ScriptReaches {
 public:
  /// `is_test` and `aside` by module: whether it is of tests, its folder for things beside training. All must outlive
  /// it.
  ScriptReaches(const program::Program& program, const MadeClasses& made, ImportClosure& closure, CallGuards& guards,
                const PathConstants& constants, const std::vector<bool>& is_test,
                const std::vector<std::string_view>& aside)
      : program_(program),
        made_(made),
        class_guards_(program, made),
        closure_(closure),
        guards_(guards),
        constants_(constants),
        is_test_(is_test),
        aside_(aside) {}

  const ScriptReach& of(program::FunctionId script);
  /// The same where a class counts as made of what a call is given only if the script's code mentions it, without what
  /// is done beside training or only where somebody sets it: that makes everything. Null for scripts of such things,
  /// and for those that take what a setting names.
  const ScriptReach* mentioning(program::FunctionId script);

 private:
  bool takes_unasked(program::CallId id, const std::vector<std::string>& settings);
  bool takes_what_a_setting_names(const ScriptReach& script);
  [[nodiscard]] bool makes_up_for_nothing(program::CallId id, const std::vector<int>& loaded) const;
  [[nodiscard]] bool is_always_given(program::FunctionId function, std::string_view parameter,
                                     const std::vector<int>& loaded) const;

  const program::Program& program_;
  const MadeClasses& made_;
  const ClassGuards class_guards_;
  ImportClosure& closure_;
  CallGuards& guards_;
  const PathConstants& constants_;
  const std::vector<bool>& is_test_;
  const std::vector<std::string_view>& aside_;
  std::map<std::uint32_t, std::unique_ptr<ScriptReach>> reaches_;  ///< By script.
  std::unique_ptr<ClassMentions> mentions_;                        ///< Found when first asked for.
  std::map<std::uint32_t, std::unique_ptr<ScriptReach>> mentioning_reaches_;
  std::map<std::uint32_t, bool> is_named_by_setting_;  ///< By script.
};

}  // namespace lockstep::report
