#include "report/story/calls/given.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/settings/deciding.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

bool is_name(const Expr* expression, std::string_view name) { return rules::name_of(expression) == name; }

/// Whether the function may return in the statement.
bool may_return(const Stmt& statement) {
  bool found = false;
  walk(statement, Nested::kSkip, [&](const Node* node) { found = found || is<Return>(node); });
  return found;
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
      if (first != nullptr && (is<Raise>(first) || is<Return>(first))) return first;
      const auto* set = as<Assign>(first);
      // A text alone is what is told to people.
      if (set != nullptr && !is<JoinedStr>(set->value) && rules::text_of(set->value).empty()) return first;
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

std::string given_note(const DocumentInputs& inputs, const ChangedArgument& argument) {
  if (argument.was != nullptr || argument.now == nullptr || rules::is_none(argument.now)) return {};
  const Decision found = decision_below(*inputs.before, *argument.before, argument.name);
  if (found.statement == nullptr) return {};
  const SourceText& source = source_of(*inputs.before, found.function);
  const program::CallId id = inputs.after->call_of(argument.after);
  if (!id.valid()) return {};
  const SourceText& new_source = source_of(*inputs.after, inputs.after->calls()[id].caller);
  const std::string callee = one_line(new_source, *argument.after->callee, 50);
  const std::string reader = short_name(*inputs.before, found.function);
  const bool is_callee = change::last_part(callee) == change::last_part(reader);
  return fmt::format("Before, {} was not given {}; where that is {}, {} runs {} ({}).", code(callee),
                     code(argument.name), code("None"),
                     is_callee ? "it" : code(reader) + ", which can get it from there,",
                     code(one_line(source, found.statement->span, 90)),
                     place_now(inputs, inputs.before->module_of(found.function).path, source, found.statement->span));
}

}  // namespace lockstep::report
