// What the tests of a program reach: by calls, by the names that they mention, by what they start. Linked program in,
// answers out; knows no rule.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "repo/snapshot.h"
#include "rules/tests/name_reach.h"
#include "rules/tests/test_runs.h"

namespace lockstep::rules {

/// What the tests of the program reach by calls, and the names that they mention.
class Tests {
 public:
  /// `files`: of the program's side; may be null.
  Tests(const program::Program& program, const repo::Snapshot* files);

  [[nodiscard]] bool exist() const { return !paths_.empty(); }

  [[nodiscard]] bool cover(program::FunctionId function) const { return reached_.contains(function); }
  /// Run without a call of the repository: a function that code which tests reach hands on (a hook) or that decorates
  /// something in a module that they load; a method that a class from outside calls on an object made there.
  [[nodiscard]] bool run_indirectly(program::FunctionId function) const;
  /// Some chain of names leads here from a test: a table of functions, a registry, a hook, a class that is handed on;
  /// or a call of another package may.
  [[nodiscard]] bool may_reach(program::FunctionId function) const {
    if (!by_name_) by_name_.emplace(program_);
    return by_name_->reaches(function) || may_be_entered_from_outside(function) || runs().lead_to(function);
  }
  /// A test or a workflow starts the module of the function, or names it by its dotted path, and it runs then.
  [[nodiscard]] bool start(program::FunctionId function) const { return runs().start(function); }
  /// True for a public function of a module that no test names: tests get to it, if at all, through its callers.
  [[nodiscard]] bool pass_over(program::FunctionId function) const {
    const program::Function& row = program_.functions()[function];
    return row.kind == program::FunctionKind::kFunction && !row.owner.valid() && !row.enclosing.valid() &&
           !row.name.starts_with("_") && !mentioned_.contains(row.name);
  }

  /// Their paths, sorted.
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

 private:
  /// Named by a test; or of a class that one names, and run by whoever uses its instances.
  [[nodiscard]] bool is_named(const program::Function& row) const;
  void note_imports(const program::Module& module);
  /// A way up from the function ends in a public method that no call of the repository enters, of a class that a test
  /// names or whose module one imports: a test may hand its instances to another package, which calls the method.
  [[nodiscard]] bool may_be_entered_from_outside(program::FunctionId function) const;

  [[nodiscard]] const TestRuns& runs() const {
    if (!runs_) runs_.emplace(program_, files_);
    return *runs_;
  }

  const program::Program& program_;
  const repo::Snapshot* files_;
  std::vector<std::string> paths_;                  // Sorted.
  std::unordered_set<program::ModuleId> imported_;  // By tests.
  std::unordered_set<program::FunctionId> reached_;
  std::unordered_set<std::string_view> mentioned_;
  // Made when they are asked for.
  mutable std::optional<NameReach> by_name_;
  mutable std::optional<TestRuns> runs_;
};

}  // namespace lockstep::rules
