#include "report/ways/namesakes.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "mesh/models.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "rules/signatures.h"

namespace lockstep::report {

using program::FunctionId;

namespace {

bool is_library_name(std::string_view name) {
  return known_method(name) != nullptr ||
         mesh::find_collective(std::string("torch.distributed.") + std::string(name)) != nullptr;
}

/// Whether Python could bind the arguments to the method's parameters behind `self`.
bool fits(const program::Program& program, FunctionId method, const program::CallSite& site) {
  const auto signature = rules::Signatures(program).of_function(method, 1);
  const auto* call = python::as<python::Call>(site.node);
  return call == nullptr || !signature || !rules::bind_arguments(*signature, *call).has_value();
}

}  // namespace

std::map<std::uint32_t, std::vector<program::CallId>> calls_of_namesakes(const program::Program& program,
                                                                         const std::vector<bool>& is_test) {
  constexpr std::size_t kFewMethods = 4;
  constexpr std::size_t kFewCalls = 12;
  std::map<std::string_view, std::vector<FunctionId>> methods;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::Function& function = program.functions()[FunctionId(i)];
    const bool counts = function.owner.valid() && !function.name.starts_with("__") && !is_test[function.module.index()];
    if (counts && !is_library_name(function.name)) methods[function.name].emplace_back(i);
  }
  std::map<std::string_view, std::vector<program::CallId>> calls;
  for (std::size_t i = 0; i < program.calls().size(); ++i) {
    const program::CallSite& site = program.calls()[program::CallId(i)];
    const auto* call = python::as<python::Call>(site.node);
    if (!site.targets.empty() || call == nullptr || !python::is<python::Attribute>(call->callee) ||
        is_test[program.functions()[site.caller].module.index()])
      continue;
    const std::string_view name = callee_name(*call);
    if (methods.contains(name)) calls[name].emplace_back(i);
  }
  std::map<std::uint32_t, std::vector<program::CallId>> out;
  for (const auto& [name, sites] : calls) {
    const std::vector<FunctionId>& named = methods[name];
    if (named.size() > kFewMethods || sites.size() > kFewCalls) continue;
    for (const FunctionId method : named) {
      std::vector<program::CallId> fitting;
      std::copy_if(sites.begin(), sites.end(), std::back_inserter(fitting),
                   [&](program::CallId id) { return fits(program, method, program.calls()[id]); });
      if (!fitting.empty()) out[method.value] = std::move(fitting);
    }
  }
  return out;
}

}  // namespace lockstep::report
