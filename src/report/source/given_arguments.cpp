#include "report/source/given_arguments.h"

#include <algorithm>

#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallKind;
using program::CallSite;
using program::CallTarget;
using program::FunctionId;
using program::Program;

namespace {

const CallTarget* target_of(const CallSite& site, FunctionId callee) {
  const auto found = std::find_if(site.targets.begin(), site.targets.end(),
                                  [&](const CallTarget& one) { return one.function == callee; });
  return found == site.targets.end() ? nullptr : &*found;
}

/// `Layer.forward(…)`, `cls.forward(…)`.
bool is_on_class(const Program& program, const CallSite& site) {
  const auto* call = as<Call>(site.node);
  const auto* attribute = call == nullptr ? nullptr : as<Attribute>(call->callee);
  if (attribute == nullptr) return false;
  return rules::name_of(attribute->value) == "cls" ||
         program.resolve(site.caller, *attribute->value).kind == program::Reference::Kind::kClass;
}

}  // namespace

std::size_t unwritten_parameters(const Program& program, const CallSite& site, FunctionId callee) {
  const program::Function& function = program.functions()[callee];
  const rules::Signatures signatures(program);
  if (!function.owner.valid() || signatures.has_decorator(callee, "staticmethod")) return 0;
  const CallTarget* target = target_of(site, callee);
  const bool is_direct = target != nullptr && target->kind == CallKind::kDirect;
  const bool takes_class = signatures.has_decorator(callee, "classmethod");
  return is_direct && !takes_class && is_on_class(program, site) ? 0 : 1;
}

bool gets_as_written(const Program& program, const CallSite& site, FunctionId callee) {
  const CallTarget* target = target_of(site, callee);
  const auto* call = as<Call>(site.node);
  if (call == nullptr || target == nullptr) return false;
  if (target->kind == CallKind::kConstructor) return true;
  // By another name it may be a partial, which gives arguments of its own.
  const std::string_view called = rules::last_part_of(call);
  const std::string_view name = program.functions()[callee].name;
  return target->kind == CallKind::kDirect && (called == name || name.starts_with("__"));
}

rules::Given given_by(const Program& program, const CallSite& site, FunctionId callee, std::string_view parameter) {
  if (!gets_as_written(program, site, callee)) return {};
  const auto signature = rules::Signatures(program).of_function(callee, unwritten_parameters(program, site, callee));
  return signature ? rules::given_to(*signature, *as<Call>(site.node), parameter) : rules::Given();
}

}  // namespace lockstep::report
