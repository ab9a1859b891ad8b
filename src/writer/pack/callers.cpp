#include "writer/pack/callers.h"

#include <algorithm>
#include <string_view>

#include "program/queries.h"

namespace lockstep::writer {

namespace {

std::size_t shared_folders(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) count += a[i] == '/' ? 1 : 0;
  return count;
}

}  // namespace

std::vector<program::CallId> calls_of(const program::Program& program, program::FunctionId function) {
  struct Ranked {
    bool is_test;
    std::size_t shared;
    program::CallId call;
  };
  const std::string_view home = program.module_of(function).path;
  std::vector<Ranked> ranked;
  for (const program::CallId call : program.callers_of(function)) {
    const std::string_view path = program.module_of(program.calls()[call].caller).path;
    ranked.push_back({program::is_test_path(path), shared_folders(path, home), call});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.is_test != b.is_test ? b.is_test : a.shared > b.shared;
  });
  std::vector<program::CallId> calls;
  calls.reserve(ranked.size());
  for (const Ranked& one : ranked) calls.push_back(one.call);
  return calls;
}

}  // namespace lockstep::writer
