#include "report/documents/compatibility/call_sites.h"

#include <algorithm>

#include "program/queries.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallSite;
using program::FunctionId;
using program::Program;

namespace {

/// `fn(*args, **kwargs)`: what a wrapper does with the function that it was given, under a name of its own.
bool passes_all_on(const CallSite& site, std::string_view name) {
  const auto* call = as<Call>(site.node);
  return call != nullptr && is<Name>(call->callee) && callee_name(*call) != name &&
         rules::has_spread_arguments(*call) && rules::has_spread_keywords(*call);
}

/// The decoration itself: what stands at the `def`.
bool decorates(const Program& program, const CallSite& site, FunctionId function) {
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr) return false;
  return site.node == def || std::any_of(def->decorators.begin(), def->decorators.end(), [&](const Expr* decorator) {
           return decorator->span.contains(site.node->span);
         });
}

/// A call by this name that surely enters another function of that name.
bool enters_another(const Program& program, const CallSite& site, FunctionId function) {
  const std::string_view name = program.functions()[function].name;
  bool found = false;
  for (const program::CallTarget& target : site.targets) {
    if (target.function == function || target.certainty != program::Certainty::kExact) return false;
    found = found || !target.function.valid() || program.functions()[target.function].name == name;
  }
  return found;
}

}  // namespace

CallSites call_sites_of(const Program& program, FunctionId function) {
  CallSites out;
  const program::Function& called = program.functions()[function];
  const bool is_decorated = called.def() != nullptr && !called.def()->decorators.empty();
  const auto is_in_test = [&](const CallSite& site) {
    return program::is_test_path(program.module_of(site.caller).path);
  };
  for (const program::CallId id : program.callers_of(function)) {
    const CallSite& site = program.calls()[id];
    if (is_decorated && (passes_all_on(site, called.name) || decorates(program, site, function))) {
      out.by_name = true;
    } else if (!is_in_test(site)) {
      out.sites.push_back(&site);
    }
  }
  if (!out.by_name) return out;
  out.sites.clear();
  // The forward of an autograd function runs where its class is applied.
  const bool is_autograd = called.name == "forward" && called.owner.valid() &&
                           (program.derives_from(called.owner, "torch.autograd.Function") ||
                            program.derives_from(called.owner, "torch.autograd.function.Function"));
  if (is_autograd) {
    out.by_name = false;
    for (const CallSite& site : program.calls()) {
      const auto* call = as<Call>(site.node);
      const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
      if (method != nullptr && method->name.text == "apply" && !is_in_test(site) &&
          program.resolve(site.caller, *method->value).cls == called.owner)
        out.sites.push_back(&site);
    }
    return out;
  }
  for (const CallSite& site : program.calls()) {
    const auto* call = as<Call>(site.node);
    if (call != nullptr && callee_name(*call) == called.name && !is_in_test(site) &&
        !enters_another(program, site, function))
      out.sites.push_back(&site);
  }
  return out;
}

}  // namespace lockstep::report
