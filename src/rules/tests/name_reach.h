// What the tests of a program may get to when every name counts as a use: tables of functions, registries, lazy
// loaders, hooks and classes that a configuration names are ways that a call graph does not show. A program in, a set
// of functions out that holds more than what is run, seldom less: what is not in it, no test gets to.
//
// Left out: names that are put together at run time, and entry points that other packages call.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

class NameReach {
 public:
  /// Starts at the modules of tests (program::is_test_path). Linear in the size of the program.
  explicit NameReach(const program::Program& program);

  [[nodiscard]] bool reaches(program::FunctionId function) const { return entered_.contains(function); }

 private:
  void index();
  void load(program::ModuleId module);
  void load_imports(program::ModuleId module);
  void load_statement(const python::Stmt& statement);
  void enter(program::FunctionId function);
  void use_class(program::ClassId cls);
  void enter_methods(const program::Class& cls);
  void mention(std::string_view name);
  void mention_all(const python::Node& node);
  void process(std::string_view name);

  const program::Program& program_;
  std::unordered_map<std::string_view, std::vector<program::FunctionId>> functions_;
  std::unordered_map<std::string_view, std::vector<program::ClassId>> classes_;
  std::unordered_set<std::string_view> mentioned_;
  std::vector<std::string_view> fresh_;  // Mentioned, not processed yet.
  std::vector<program::ModuleId> to_load_;
  std::unordered_set<program::ModuleId> loaded_;
  std::unordered_set<program::ClassId> used_;
  std::unordered_set<program::FunctionId> entered_;
};

}  // namespace lockstep::rules
