#include "report/source/only_names.h"

namespace lockstep::report {

using program::CallId;
using program::FunctionId;

FunctionId only_method_named(const program::Program& program, std::string_view name) {
  FunctionId out;
  if (name.empty() || name.starts_with("__")) return out;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(static_cast<std::uint32_t>(i));
    if (program.functions()[id].name != name) continue;
    if (out.valid() || !program.functions()[id].owner.valid()) return {};
    out = id;
  }
  return out;
}

std::vector<CallId> calls_by_only_name(const program::Program& program, FunctionId method) {
  std::vector<CallId> out;
  const std::string_view name = program.functions()[method].name;
  if (only_method_named(program, name) != method) return out;
  for (std::size_t i = 0; i < program.calls().size(); ++i) {
    const CallId id(static_cast<std::uint32_t>(i));
    const program::CallSite& site = program.calls()[id];
    const auto* call = python::as<python::Call>(site.node);
    const auto* callee = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
    if (callee != nullptr && callee->name.text == name && site.targets.empty()) out.push_back(id);
  }
  return out;
}

}  // namespace lockstep::report
