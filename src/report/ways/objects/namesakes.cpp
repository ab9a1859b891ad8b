#include "report/ways/objects/namesakes.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "mesh/models.h"
#include "program/queries.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"

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

/// How many imports lead from the file of a call to the class of the method.
int imports_to(const program::Program& program, ImportClosure& closure, const program::CallSite& site,
               FunctionId method) {
  return closure.from(program.functions()[site.caller].module)[program.functions()[method].module.index()];
}

/// Whether the file of the call defines or imports an unrelated class with a method of that name, and not this one's.
bool knows_another(const program::Program& program, ImportClosure& closure, const program::CallSite& site,
                   FunctionId method, const std::vector<FunctionId>& named) {
  const auto is_known = [&](FunctionId one) {
    const int imports = imports_to(program, closure, site, one);
    return imports == 0 || imports == 1;
  };
  const program::ClassId own = program.functions()[method].owner;
  return !is_known(method) && std::any_of(named.begin(), named.end(), [&](FunctionId other) {
    const program::ClassId cls = program.functions()[other].owner;
    return other != method && is_known(other) && !program::are_kin(program, cls, own);
  });
}

}  // namespace

std::map<std::uint32_t, std::vector<program::CallId>> calls_of_namesakes(const program::Program& program,
                                                                         const std::vector<bool>& is_test,
                                                                         ImportClosure& closure) {
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
      std::copy_if(sites.begin(), sites.end(), std::back_inserter(fitting), [&](program::CallId id) {
        const program::CallSite& site = program.calls()[id];
        return fits(program, method, site) && !knows_another(program, closure, site, method, named);
      });
      if (!fitting.empty()) out[method.value] = std::move(fitting);
    }
  }
  return out;
}

}  // namespace lockstep::report
