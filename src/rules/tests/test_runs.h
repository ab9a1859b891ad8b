// What tests and workflows start by its place: a module as a script (`python -m package.tool`, `torchrun tools/x.py`,
// runpy), a console script, a function or class that a configuration names by its dotted path. Linked program and the
// files of the same side in, sets of functions out.
//
// What a command says is read in tests, in files of a workflow (folders of CI, Makefile, justfile, tox.ini, noxfile.py,
// tasks.py) and in the shell scripts that these name.
//
// Left out: commands that are put together from parts of names, scripts that run only what others ship, and files of
// scripts and settings of more than 64 KiB: those hold data.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "repo/snapshot.h"

namespace lockstep::rules {

class TestRuns {
 public:
  /// `files`: of the program's side; null where only its Python files are at hand.
  TestRuns(const program::Program& program, const repo::Snapshot* files);

  /// True if the function runs where tests start its module, or what is named of it.
  [[nodiscard]] bool start(program::FunctionId function) const;
  /// True if a call path leads here from something that they start.
  [[nodiscard]] bool lead_to(program::FunctionId function) const { return reached_.contains(function); }

 private:
  void index_modules();
  void read_console_scripts(const repo::Snapshot& files);
  void read_files(const repo::Snapshot& files);
  void read(std::string_view text);
  void note(std::string_view word);
  [[nodiscard]] bool may_name_code(std::string_view word) const;
  void note_path(std::string_view path);
  void note_dotted(std::string_view dotted);
  void note_doctests();
  void start_module(program::ModuleId module);
  void start_function(program::FunctionId function);

  const program::Program& program_;
  std::unordered_map<std::string_view, std::vector<program::ModuleId>> by_end_;  // "b/c.py" and "c.py" for "a/b/c.py".
  std::map<std::string, std::string, std::less<>> console_scripts_;              // Name -> "package.module.function".
  std::unordered_map<std::string_view, std::vector<std::size_t>> shells_;  // File name -> its index in the snapshot.
  std::vector<std::size_t> to_read_;
  std::unordered_set<std::size_t> read_;
  std::unordered_set<std::string_view> mains_;  // Packages with a `__main__`.
  std::unordered_set<std::string_view> roots_;  // With which the dotted names of modules begin.
  std::unordered_set<std::string> words_;       // That were looked at.
  bool runs_doctests_ = false;
  std::vector<program::FunctionId> started_;
  std::unordered_set<program::ModuleId> modules_;  // Of which something is started.
  std::unordered_set<program::FunctionId> reached_;
};

}  // namespace lockstep::rules
