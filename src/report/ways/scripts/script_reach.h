// A script -> what its runs can get to, by the call graph: functions, and the classes that they make. A method is
// reached where an object of its class or of an heir is made on the way; where none is known to be made anywhere,
// objects come from outside and every call counts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "report/ways/objects/class_mentions.h"

namespace lockstep::report {

/// Which calls make objects of which classes; the same for all scripts.
class MadeClasses {
 public:
  explicit MadeClasses(const program::Program& program);
  /// Classes that a call may make, of those that the code outside tests is known to make.
  [[nodiscard]] std::span<const program::ClassId> made_by(program::CallId call) const;
  /// Calls outside tests that may make the class itself.
  [[nodiscard]] const std::vector<program::CallId>& makers_of(program::ClassId cls) const {
    return makers_[cls.index()];
  }
  /// Whether the call makes objects of what it is given, not of a class that it names.
  [[nodiscard]] bool is_given(program::CallId call) const { return given_.contains(call.value); }
  /// False where no object of the class or of an heir is known to be made: they come from outside.
  [[nodiscard]] bool is_known(program::ClassId cls) const { return is_known_[cls.index()]; }

 private:
  void note(const program::Program& program, program::CallId call);

  std::unordered_map<std::uint32_t, std::vector<program::ClassId>> made_;  ///< By call.
  std::unordered_set<std::uint32_t> given_;
  std::vector<std::vector<program::CallId>> makers_;  ///< By class.
  std::vector<bool> is_known_;                        ///< By class.
};

class ClassGuards;

class ScriptReach {
 public:
  using LeavesOut = std::function<bool(program::CallId, program::FunctionId)>;
  /// `loaded`: by module, how far away it is imported; -1: not at all (ImportClosure). With `mentions` only classes
  /// count as made of what a call is given that code on the way mentions. Calls that
  /// `leaves_out` says of, by what they enter, are not followed.
  ScriptReach(const program::Program& program, const MadeClasses& made, const ClassGuards& guards,
              const std::vector<int>& loaded, ClassMentions* mentions = nullptr, LeavesOut leaves_out = {});
  [[nodiscard]] const std::vector<program::FunctionId>& order() const { return order_; }
  [[nodiscard]] bool reaches(program::FunctionId function) const { return reached_[function.index()]; }

 private:
  void reach(program::FunctionId function, program::CallId entering);
  void look_at(program::CallId call, program::CallId entering);
  void enter(program::CallId call, const program::CallTarget& target);
  /// Whether the call is made only where something is of a class that no code which the script loads makes.
  [[nodiscard]] bool is_for_others(program::CallId call) const;
  void make(program::ClassId cls);
  void bring(std::string_view name);
  [[nodiscard]] bool waits_for_mention(program::CallId call, program::ClassId cls) const;

  struct Visit {
    program::FunctionId function;
    program::CallId entering;  ///< None: the calls that do not depend on it.
  };
  const program::Program& program_;
  const MadeClasses& made_;
  const ClassGuards& guards_;
  const std::vector<int>& loaded_;
  std::vector<bool> reached_;               ///< By function.
  std::vector<bool> is_made_;               ///< By class: it or an heir is made.
  std::vector<program::FunctionId> order_;  ///< Of what is reached.
  std::vector<Visit> pending_;
  std::unordered_set<std::uint64_t> entered_;  ///< Function and call that enters it.
  ClassMentions* mentions_;
  const LeavesOut leaves_out_;
  std::unordered_set<std::string_view> brought_;  ///< Names that the code mentions.
  /// By class: calls of its methods that wait for an object.
  std::unordered_map<std::uint32_t, std::vector<std::pair<program::CallId, program::FunctionId>>> waiting_;
};

}  // namespace lockstep::report
