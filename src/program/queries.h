// Questions about the call graph of a frozen Program: who reaches what, and how.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "program/program.h"

namespace lockstep::program {

/// `cls` and all classes below it, each once; itself first, then the nearest.
std::vector<ClassId> with_descendants(const Program& program, ClassId cls);

/// Whether one of two classes derives from the other, or they are one; false where either is none.
bool are_kin(const Program& program, ClassId a, ClassId b);

/// A step of a call path: `call` is made in its caller and enters `callee`.
struct PathStep {
  CallId call;
  FunctionId callee;
};
using CallPath = std::vector<PathStep>;

/// Functions from which `target` can be reached, with the distance in calls; breadth first, at most `limit`.
struct Reached {
  FunctionId function;
  int distance;
};
std::vector<Reached> reaching(const Program& program, FunctionId target, std::size_t limit);
/// Functions reachable from `sources` (themselves included at distance 0), breadth first; not by way of what
/// `leaves_out` says of, where given.
std::vector<Reached> reachable_from(const Program& program, std::span<const FunctionId> sources, std::size_t limit,
                                    const std::function<bool(FunctionId)>& leaves_out = {});

/// Up to `count` call paths from `from` to `to`, shortest first, without cycles; ties by path and line.
std::vector<CallPath> call_paths(const Program& program, FunctionId from, FunctionId to, std::size_t count);
/// Shortest call path from any of `sources` to `to`; empty where there is none (or `to` is a source itself).
CallPath shortest_path(const Program& program, std::span<const FunctionId> sources, FunctionId to);

/// Where runs start: `if __name__ == "__main__":` scripts' module bodies and what they call first, console entry
/// points, functions of tests (`test_*`). Sorted by qualified name.
enum class EntryKind { kScript, kTest, kPublicApi };
struct Entry {
  FunctionId function;
  EntryKind kind;
};
std::vector<Entry> entry_points(const Program& program);
/// Whether the call enters the function and can enter nothing else.
bool surely_enters(const CallSite& site, FunctionId function);
/// Whether a Python file of the program has the name; see FileFacts::has_name().
bool has_name(const Program& program, std::string_view name);
/// True for modules of tests: `tests/` on the path, `test_*.py`, `*_test.py`, conftest.
bool is_test_path(std::string_view path);
/// True below folders of tools, examples, benchmarks and their like, wherever on the path: `devtools/` is none.
bool is_helper_path(std::string_view path);

/// Functions that run every training step: `train_step`-like functions, `forward` of modules, `backward`,
/// `forward_step`, optimizer `step`, and what they reach. `roots` overrides the table of hot entry points (glob
/// patterns on qualified names) when not empty.
std::vector<Reached> step_path(const Program& program, std::span<const std::string> roots);

}  // namespace lockstep::program
