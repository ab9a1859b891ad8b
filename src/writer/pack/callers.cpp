#include "writer/pack/callers.h"

#include <algorithm>
#include <string_view>

#include "program/queries.h"
#include "report/source/only_names.h"

namespace lockstep::writer {

namespace {

std::size_t shared_folders(std::string_view a, std::string_view b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) count += a[i] == '/' ? 1 : 0;
  return count;
}

}  // namespace

bool names_parameters(const program::Program& program, const program::CallSite& site, program::FunctionId function) {
  constexpr std::size_t kTelling = 2;
  const auto* call = python::as<python::Call>(site.node);
  const python::FunctionDef* def = program.functions()[function].def();
  if (call == nullptr || def == nullptr) return false;
  const auto takes = [&](std::string_view name) {
    return std::any_of(def->parameters->all.begin(), def->parameters->all.end(),
                       [&](const python::Parameter* one) { return one->name.text == name; });
  };
  std::size_t given = 0;
  for (const python::Keyword* keyword : call->keywords) {
    if (keyword->name.text.empty()) continue;
    if (!takes(keyword->name.text)) return false;
    ++given;
  }
  return given >= kTelling;
}

std::vector<program::CallId> calls_of(const program::Program& program, program::FunctionId function) {
  struct Ranked {
    bool is_test, is_sure, fits;
    std::size_t shared;
    program::CallId call;
  };
  const std::string_view home = program.module_of(function).path;
  std::vector<Ranked> ranked;
  const auto& known = program.callers_of(function);
  std::vector<program::CallId> all(known.begin(), known.end());
  for (const program::CallId call : report::calls_by_only_name(program, function)) all.push_back(call);
  for (const program::CallId call : all) {
    const program::CallSite& site = program.calls()[call];
    const std::string_view path = program.module_of(site.caller).path;
    const bool is_sure = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
      return target.function == function && target.certainty == program::Certainty::kExact;
    });
    const bool fits = names_parameters(program, site, function);
    ranked.push_back({program::is_test_path(path), is_sure, fits, shared_folders(path, home), call});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    if (a.is_test != b.is_test) return b.is_test;
    if (a.is_sure != b.is_sure) return a.is_sure;
    return a.fits != b.fits ? a.fits : a.shared > b.shared;
  });
  std::vector<program::CallId> calls;
  calls.reserve(ranked.size());
  for (const Ranked& one : ranked) calls.push_back(one.call);
  return calls;
}

}  // namespace lockstep::writer
