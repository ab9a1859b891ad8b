// Facts of all files -> the linked, frozen Program.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "program/call_model.h"
#include "program/program.h"

namespace lockstep::program {

/// One Python file to link.
struct SourceFile {
  std::string path;  ///< In the repository, with '/'.
  std::shared_ptr<const python::FileFacts> facts;
};

/// A symbolic link: what lies below `target` (or is the file `target`) can be imported by the link's path as well.
struct SymbolicLink {
  std::string path;    ///< In the repository, with '/'.
  std::string target;  ///< The same, resolved: no "..".
};

struct LinkOptions {
  std::size_t jobs = 1;
  bool guess_by_name = false;          ///< Also record Certainty::kByName targets.
  std::vector<CallModel> models = {};  ///< The user's additions to the table of models.
  std::vector<SymbolicLink> links = {};
  /// Whether to find out what tests call as well; else no call site stands in modules of tests that only tests import.
  bool with_calls_of_tests = true;
  /// Run on a thread of its own, with two jobs or more, as soon as all is known but calls and what instances variables
  /// hold; what it is given moves when `link` returns. May be empty.
  std::function<void(const Program&)> beside_calls = {};
};

/// Links `files` (any order; duplicates by path are our own bug). Module names follow the packages on the paths:
/// folders with `__init__.py` and namespace packages, counted from the repository's root, `src/`, or the folder of a
/// script. The result does not depend on the order of `files` or on `jobs`.
Program link(std::vector<SourceFile> files, const LinkOptions& options);

/// What one program is linked from.
struct LinkInput {
  std::vector<SourceFile> files;
  LinkOptions options;
};

/// Links two programs that have most files in common, the two sides of a change, each on a thread of its own where
/// there are two `jobs` (those of the inputs stand for what each may use besides). The results are those of `link`.
std::pair<Program, Program> link_sides(LinkInput first, LinkInput second, std::size_t jobs);

}  // namespace lockstep::program
