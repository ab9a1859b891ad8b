#include "report/story/calls/calls.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

using namespace python;

bool calls(const program::Program& after, const change::EntityChange& caller, program::FunctionId callee) {
  if (!caller.after || !caller.after->function.valid() || !callee.valid()) return false;
  const auto all = after.callers_of(callee);
  return std::any_of(all.begin(), all.end(),
                     [&](program::CallId id) { return after.calls()[id].caller == caller.after->function; });
}

const Call* first_call_in(const Node& node, Span span) {
  const Call* first = nullptr;
  walk_of<Call>(node, Nested::kSkip, [&](const Call* call) {
    if (span.contains(call->span) && (first == nullptr || call->span.begin < first->span.begin)) first = call;
  });
  return first;
}

bool passes_name(const Call& call, const program::Function& callee, std::size_t index) {
  const auto& all = callee.def()->parameters->all;
  const std::string_view name = all[index]->name.text;
  const bool is_method = callee.owner.valid();
  if (is_method && index == 0) {
    // The same object: `self.f()`, `super().f()`.
    const auto* method = as<Attribute>(call.callee);
    return method != nullptr && (rules::name_of(method->value) == name || rules::is_method_of_super(method));
  }
  if (rules::has_spread_arguments(call) || rules::has_spread_keywords(call)) return false;
  if (const Expr* given = rules::keyword_value(call, name)) return rules::name_of(given) == name;
  const std::size_t at = index - (is_method ? 1 : 0);
  return at < call.arguments.size() && rules::name_of(call.arguments[at]) == name;
}

bool passes_all_names(const Call& call, const program::Function& callee) {
  if (callee.def() == nullptr) return false;
  const auto& all = callee.def()->parameters->all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto reads = [&](const Stmt* one) { return rules::mentions_name(*one, all[i]->name.text); };
    const auto& body = callee.def()->body;
    if (std::any_of(body.begin(), body.end(), reads) && !passes_name(call, callee, i)) return false;
  }
  return true;
}

}  // namespace lockstep::report
