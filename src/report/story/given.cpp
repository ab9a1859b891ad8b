#include "report/story/given.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

bool is_name(const Expr* expression, std::string_view name) { return rules::name_of(expression) == name; }

/// Whether the condition holds where `name` is None: 1 for `x is None` and `not x`, -1 for `x is not None` and `x`, 0
/// for others.
int asks_for_none(const Expr& condition, std::string_view name) {
  if (is_name(&condition, name)) return -1;
  if (const auto* unary = as<UnaryOp>(&condition))
    return unary->op == UnaryOperator::kNot ? -asks_for_none(*unary->operand, name) : 0;
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->comparators.size() != 1 || !rules::is_none(compare->comparators.front()) ||
      !is_name(compare->left, name))
    return 0;
  if (compare->ops.front() == CompareOperator::kIs) return 1;
  return compare->ops.front() == CompareOperator::kIsNot ? -1 : 0;
}

/// Whether the function may return in the statement.
bool may_return(const Stmt& statement) {
  bool found = false;
  walk(statement, Nested::kSkip, [&](const Node* node) { found = found || is<Return>(node); });
  return found;
}

/// Where a statement binds the name first; UINT32_MAX where none does.
std::uint32_t first_binding(const FunctionDef& def, std::string_view name) {
  std::uint32_t first = UINT32_MAX;
  walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
    if (statement->span.begin >= first) return;
    walk(*statement, Nested::kSkip, [&](const Node* node) {
      const auto* stored = as<Name>(node);
      if (stored != nullptr && stored->id == name && stored->context == ExprContext::kStore)
        first = std::min(first, statement->span.begin);
    });
  });
  // What other ways of binding it do is not worked out.
  return first == UINT32_MAX && rules::binds_name(def, name) ? 0 : first;
}

/// The statement that decides what is done where the parameter is None: it runs whenever the function does.
const Stmt* decided_by(const FunctionDef& def, std::string_view name) {
  const std::uint32_t bound = first_binding(def, name);
  for (const Stmt* statement : def.body) {
    if (statement->span.begin > bound) return nullptr;
    if (const auto* branch = as<If>(statement); branch != nullptr && !branch->body.empty()) {
      const int asks = asks_for_none(*branch->condition, name);
      const Stmt* first = asks > 0                              ? branch->body.front()
                          : asks < 0 && !branch->orelse.empty() ? branch->orelse.front()
                                                                : nullptr;
      if (first != nullptr && (is<Assign>(first) || is<Raise>(first) || is<Return>(first))) return first;
      // Asked without an answer of its own: what follows is not worked out.
      if (asks != 0) return nullptr;
    }
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr && assign->targets.size() == 1) {
      const auto* either = as<BoolOp>(assign->value);
      const auto* choice = as<IfExp>(assign->value);
      const bool decides =
          (either != nullptr && either->op == BoolOperator::kOr && is_name(either->values.front(), name)) ||
          (choice != nullptr && asks_for_none(*choice->condition, name) != 0);
      if (decides) return statement;
    }
    if (may_return(*statement)) return nullptr;
  }
  return nullptr;
}

/// Whether the function hands the name on at `call` as it was given, also where that is None.
bool hands_on(const FunctionDef& def, const Call& call, std::string_view name) {
  if (first_binding(def, name) <= call.span.begin) return false;
  const std::vector<Guard> guards = guards_of(def, call.span);
  return std::none_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    return guard.condition != nullptr && rules::mentions_name(*guard.condition, name);
  });
}

struct Decision {
  FunctionId function;
  const Stmt* statement = nullptr;
};

/// The first function, by calls from `call`, that decides on the parameter where nobody gives it.
Decision decision_below(const Program& program, const Call& call, std::string_view keyword) {
  constexpr std::size_t kMostLooked = 60;
  std::vector<std::pair<FunctionId, std::string_view>> pending;
  std::set<std::pair<std::uint32_t, std::string_view>> seen;
  const auto add = [&](const Call& through, std::string_view name) {
    for (const FunctionId callee : callees_of(program, &through)) {
      if (seen.insert({callee.value, name}).second) pending.emplace_back(callee, name);
    }
  };
  add(call, keyword);
  const std::size_t entered = pending.size();
  for (std::size_t next = 0; next < pending.size() && next < kMostLooked; ++next) {
    const auto [function, name] = pending[next];
    const FunctionDef* def = program.functions()[function].def();
    const Parameter* parameter = rules::parameter_named(def, name);
    // What the call enters has None for it where it is left out; what it is handed on to need have no default.
    if (parameter == nullptr || (next < entered && !rules::is_none(parameter->default_value))) continue;
    if (const Stmt* statement = decided_by(*def, name)) return {function, statement};
    walk(*def, Nested::kSkip, [&](const Node* node) {
      const auto* inner = as<Call>(node);
      if (inner == nullptr) return;
      for (const Keyword* given : inner->keywords) {
        if (!given->name.text.empty() && is_name(given->value, name) && hands_on(*def, *inner, name))
          add(*inner, given->name.text);
      }
    });
  }
  return {};
}

std::vector<const Call*> calls_within(const Step& step) {
  std::vector<const Call*> out;
  walk(*step.node, Nested::kSkip, [&](const Node* node) {
    const auto* call = as<Call>(node);
    if (call != nullptr && step.span.contains(call->span)) out.push_back(call);
  });
  return out;
}

/// Where a statement of the old version stands now; where it no longer stands once, its old place, called so.
std::string place_now(const DocumentInputs& inputs, const std::string& path, const SourceText& old_source,
                      Span statement) {
  const std::string_view text = old_source.slice(statement);
  const program::ModuleId now = inputs.after->find_path(path);
  if (now.valid()) {
    const SourceText& source = inputs.after->modules()[now].facts->source();
    const std::size_t at = find_text(source.bytes(), text);
    if (at != std::string_view::npos && find_text(source.bytes(), text, at + 1) == std::string_view::npos)
      return place(path, source.line_of(static_cast<std::uint32_t>(at)));
  }
  return place(path, old_source.line_of(statement.begin)) + " of the old version";
}

}  // namespace

std::vector<std::string> given_notes(const DocumentInputs& inputs, const Actor& actor, std::size_t most) {
  std::vector<std::string> notes;
  if (inputs.before == nullptr || actor.steps.before_source == nullptr || actor.steps.after_source == nullptr ||
      most == 0)
    return notes;
  const SourceText& old_source = *actor.steps.before_source;
  const SourceText& new_source = *actor.steps.after_source;
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
    const std::vector<const Call*> old_calls = calls_within(actor.steps.before[step.partner]);
    for (const Call* call : calls_within(step)) {
      const std::string_view callee = new_source.slice(call->callee->span);
      const Call* was = nullptr;
      std::size_t same = 0;
      for (const Call* each : old_calls) {
        if (old_source.slice(each->callee->span) == callee) was = each, ++same;
      }
      // With `**` or more by position, what was given cannot be read off.
      if (same != 1 || was->arguments.size() != call->arguments.size()) continue;
      const auto gives = [&](std::string_view name) {
        return std::any_of(was->keywords.begin(), was->keywords.end(),
                           [&](const Keyword* one) { return one->name.text.empty() || one->name.text == name; });
      };
      for (const Keyword* keyword : call->keywords) {
        if (keyword->name.text.empty() || gives(keyword->name.text) || rules::is_none(keyword->value)) continue;
        const Decision found = decision_below(*inputs.before, *was, keyword->name.text);
        if (found.statement == nullptr) continue;
        const SourceText& source = source_of(*inputs.before, found.function);
        std::string note = fmt::format(
            "Before, {} was not given {}; where that is {}, {}, which can get it from there, runs {} ({}).",
            code(one_line(new_source, *call->callee, 50)), code(keyword->name.text), code("None"),
            code(short_name(*inputs.before, found.function)), code(one_line(source, found.statement->span, 90)),
            place_now(inputs, inputs.before->module_of(found.function).path, source, found.statement->span));
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
        if (notes.size() >= most) return notes;
      }
    }
  }
  return notes;
}

}  // namespace lockstep::report
