#include "report/story/wording/predicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "report/source/replaced_parts.h"
#include "report/story/wording/words.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// The function of the repository that the call surely enters and that the old version does not have; none for others.
FunctionId new_callee(const DocumentInputs& inputs, const Call& call) {
  const program::CallId id = inputs.after->call_of(&call);
  if (!id.valid() || inputs.after->calls()[id].targets.size() != 1) return {};
  const program::CallTarget& target = inputs.after->calls()[id].targets.front();
  const bool is_new = target.certainty == program::Certainty::kExact && target.function.valid() &&
                      !inputs.before->find_function(inputs.after->functions()[target.function].qualified_name).valid();
  return is_new ? target.function : FunctionId();
}

/// Texts for names of a function: what a call gives its parameters.
using Arguments = std::map<std::string_view, std::string>;

/// An expression on one line, with other texts for some of the names that it reads.
std::string with_arguments(const SourceText& source, const Expr& value, const Arguments& arguments) {
  std::vector<std::pair<Span, std::string>> parts;
  walk_of<Name>(value, Nested::kEnter, [&](const Name* name) {
    const auto known = arguments.find(name->id);
    if (known != arguments.end()) parts.emplace_back(name->span, known->second);
  });
  if (parts.empty()) return one_line_whole(source, value);
  std::string out;
  for (const char c : with_replaced(source, value.span, std::move(parts))) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank) {
      // As one_line_whole() does: no blank before what closes.
      if ((c == ')' || c == ']') && out.ends_with(' ')) out.pop_back();
      if ((c == ')' || c == ']') && out.ends_with(',') && is<Call>(&value)) out.pop_back();
      out += c;
    } else if (!out.empty() && out.back() != ' ' && out.back() != '(' && out.back() != '[') {
      out += ' ';
    }
  }
  return out;
}

/// What the function gives, in the words of a call where `arguments` has what that gives it; empty where that takes
/// more to say.
std::string given_by_function(const DocumentInputs& inputs, FunctionId function, const Arguments& arguments = {}) {
  constexpr std::size_t kLongest = 100;  // Bytes.
  const FunctionDef* def = inputs.after->functions()[function].def();
  if (def == nullptr || def->is_async) return {};
  const SourceText& source = source_of(*inputs.after, function);
  std::string otherwise;
  for (const Stmt* statement : def->body) {
    const auto* text = as<ExprStmt>(statement);
    if (text != nullptr && is<Constant>(text->value)) continue;
    if (const auto* returned = as<Return>(statement)) {
      const std::string given =
          returned->value == nullptr ? std::string() : with_arguments(source, *returned->value, arguments);
      if (given.empty() || given.size() > kLongest) return {};
      return otherwise.empty() ? code(given) : fmt::format("{}, else {}", otherwise, code(given));
    }
    const auto* branch = as<If>(statement);
    const auto* early = branch == nullptr || branch->body.size() != 1 || !branch->orelse.empty()
                            ? nullptr
                            : as<Return>(branch->body.front());
    if (early == nullptr || !otherwise.empty() || !is<Constant>(early->value)) return {};
    if (std::any_of(arguments.begin(), arguments.end(),
                    [&](const auto& one) { return rules::mentions_name(*branch->condition, one.first); }))
      return {};
    otherwise =
        fmt::format("{} where {}", code(one_line(source, *early->value)), condition_words(*branch->condition, source));
  }
  return {};
}

/// What a function gives in the words of a call of it. Empty where what the call gives it does not show.
std::string in_words_of_call(const DocumentInputs& inputs, FunctionId function, const Call& call,
                             const SourceText& source) {
  const FunctionDef& def = *inputs.after->functions()[function].def();
  const program::CallId id = inputs.after->call_of(&call);
  Arguments arguments;
  for (const Parameter* parameter : def.parameters->all) {
    const std::string_view name = parameter->name.text;
    if (name == "self" || name == "cls" || !rules::mentions_name(def, name)) continue;
    if (!id.valid()) return {};
    const rules::Given value = given_by(*inputs.after, inputs.after->calls()[id], function, name);
    if (value.how != rules::Given::How::kValue || value.value == nullptr) {
      if (value.how == rules::Given::How::kUnknown) return {};
      continue;
    }
    std::string text = one_line_whole(source, *value.value);
    if (text != name) arguments.emplace(name, std::move(text));
  }
  return given_by_function(inputs, function, arguments);
}

}  // namespace

LocalValue predicate_asked_at(const DocumentInputs& inputs, const Actor& actor, std::size_t index) {
  constexpr std::size_t kLongestCall = 60;
  const Step& step = actor.steps.after[index];
  const Expr* condition = step.kind == StepKind::kIf      ? as<If>(step.node)->condition
                          : step.kind == StepKind::kWhile ? as<While>(step.node)->condition
                                                          : nullptr;
  LocalValue out;
  if (condition == nullptr) return out;
  std::size_t calls = 0;
  const auto look = [&](const Call* call) {
    const FunctionId function = new_callee(inputs, *call);
    if (!function.valid() || ++calls > 1) return;
    const std::string given = in_words_of_call(inputs, function, *call, *actor.steps.after_source);
    const std::string text = one_line_whole(*actor.steps.after_source, *call);
    if (given.empty() || text.size() > kLongestCall) return;
    out = {text, fmt::format("{} being {}", code(text), given), {}};
  };
  if (const auto* whole = as<Call>(condition)) look(whole);
  walk_of<Call>(*condition, Nested::kSkip, look);
  return calls == 1 ? out : LocalValue();
}

namespace {

/// What all functions give that the call may enter, each new and the same or another one: "`a`", "`a` or `b`"; empty
/// where one is old or takes more to say.
std::string given_by_targets(const DocumentInputs& inputs, const Story& story, const program::CallSite& site) {
  constexpr std::size_t kMostTargets = 2;
  if (site.targets.empty() || site.targets.size() > kMostTargets) return {};
  std::vector<std::string> all;
  for (const program::CallTarget& target : site.targets) {
    if (!target.function.valid() || target.kind == program::CallKind::kCallback) return {};
    const program::Function& function = inputs.after->functions()[target.function];
    if (inputs.before->find_function(function.qualified_name).valid()) return {};
    for (const std::size_t central : story.central) {
      const auto& side = story.actors[central].change->after;
      if (side && side->function == target.function) return {};
    }
    std::string given = given_by_function(inputs, target.function);
    if (given.empty()) return {};
    if (std::find(all.begin(), all.end(), given) == all.end()) all.push_back(std::move(given));
  }
  return join_words(all, "or");
}

}  // namespace

std::vector<std::string> given_by_new_callees(const DocumentInputs& inputs, const Story& story, const Actor& actor,
                                              const std::string& told, std::size_t most) {
  constexpr std::size_t kLongestCall = 60;
  std::vector<std::string> out;
  const auto& side = actor.change->after;
  if (!side || !side->function.valid()) return out;
  const auto is_of_change = [&](Span place) {
    return std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
      return step.span.contains(place) && (actor.is_added() || step.status != StepStatus::kKept);
    });
  };
  for (const program::CallId id : inputs.after->functions()[side->function].calls) {
    const program::CallSite& site = inputs.after->calls()[id];
    if (out.size() == most) break;
    const bool asks = is<Call>(site.node) || is<Attribute>(site.node);
    if (!asks || !is_of_change(site.node->span)) continue;
    const std::string text = one_line_whole(*actor.steps.after_source, *site.node);
    if (text.size() > kLongestCall || contains(told, code(text))) continue;
    const std::string given = given_by_targets(inputs, story, site);
    if (given.empty()) continue;
    std::string words = fmt::format("{} gives {}.", code(text), given);
    if (std::find(out.begin(), out.end(), words) == out.end()) out.push_back(std::move(words));
  }
  return out;
}

namespace {

/// Whether an expression is a question by its form: a comparison, or what `and`, `or` and `not` make of others.
bool is_question(const Expr* given) {
  const auto* opposite = as<UnaryOp>(given);
  const auto* call = as<Call>(given);
  return is<Compare>(given) || is<BoolOp>(given) || (opposite != nullptr && opposite->op == UnaryOperator::kNot) ||
         (call != nullptr && (callee_name(*call) == "any" || callee_name(*call) == "all"));
}

/// Whether the name of a function says that it answers a question.
bool is_named_as_question(std::string_view name) {
  static constexpr std::string_view kStarts[] = {"is_",    "has_",  "should_", "can_",
                                                 "needs_", "uses_", "use_",    "enable_"};
  while (name.starts_with('_')) name.remove_prefix(1);
  return name.ends_with("_enabled") || std::any_of(std::begin(kStarts), std::end(kStarts),
                                                   [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

bool answers(const FunctionDef& def) {
  const bool is_named = is_named_as_question(def.name.text);
  bool asks = false;
  bool is_all = true;
  walk_of<Return>(def, Nested::kSkip, [&](const Return* result) {
    const bool is_constant = is<Constant>(result->value);
    // What only hands an attribute of the same name out says nothing.
    const bool is_own = rules::self_attribute(result->value).ends_with(def.name.text);
    const bool is_one = result->value != nullptr && !is_constant && !is_own && (is_named || is_question(result->value));
    asks = asks || is_one;
    is_all = is_all && (is_one || is_constant);
  });
  return asks && is_all;
}

namespace {

/// The one function of the repository that the call or the attribute surely enters, that was there before the change
/// and stays as it was; none for others.
FunctionId unchanged_target(const DocumentInputs& inputs, const Node& asked) {
  const program::CallId id = inputs.after->call_of(&asked);
  if (!id.valid() || inputs.after->calls()[id].targets.size() != 1) return {};
  const program::CallTarget& target = inputs.after->calls()[id].targets.front();
  if (!target.function.valid() || target.certainty != program::Certainty::kExact ||
      target.kind == program::CallKind::kCallback || target.kind == program::CallKind::kConstructor)
    return {};
  const program::Function& function = inputs.after->functions()[target.function];
  const FunctionId before = inputs.before->find_function(function.qualified_name);
  const bool is_kept = before.valid() && function.def() != nullptr &&
                       inputs.before->functions()[before].def() != nullptr &&
                       one_line_whole(source_of(*inputs.before, before), *inputs.before->functions()[before].node) ==
                           one_line_whole(source_of(*inputs.after, target.function), *function.node);
  return is_kept ? target.function : FunctionId();
}

/// What `self` and the parameters of `callee` are called where `asked` stands, by their names in it: chains of names,
/// their items and constants; what is written otherwise is left out.
std::map<std::string_view, std::string> names_there(const DocumentInputs& inputs, const SourceText& source,
                                                    const Node& asked, FunctionId callee) {
  const program::Program& program = *inputs.after;
  const program::Function& function = program.functions()[callee];
  std::map<std::string_view, std::string> out;
  const auto add = [&](std::string_view name, std::string text) {
    if (!contains(text, " ") && !contains(text, "(")) out.emplace(name, std::move(text));
  };
  const auto* call = as<Call>(&asked);
  const auto* member = as<Attribute>(call == nullptr ? &asked : call->callee);
  bool is_first = function.owner.valid() && member != nullptr;
  for (const Parameter* parameter : function.def()->parameters->all) {
    const std::string_view name = parameter->name.text;
    if (std::exchange(is_first, false)) {
      if (name == "self") add(name, one_line_whole(source, *member->value));
      continue;
    }
    if (call == nullptr) continue;
    const rules::Given given = given_by(program, program.calls()[program.call_of(call)], callee, name);
    if (given.value != nullptr) add(name, one_line_whole(source, *given.value));
    if (given.how == rules::Given::How::kNothing && is<Constant>(parameter->default_value))
      add(name, one_line_whole(source_of(program, callee), *parameter->default_value));
  }
  return out;
}

/// What a function gives that is one `return`, in the names of the place that asks for it; empty where it is more, and
/// where a name is none there.
std::string given_there(const DocumentInputs& inputs, const SourceText& source, const Node& asked, FunctionId callee) {
  const FunctionDef& def = *inputs.after->functions()[callee].def();
  const auto* result = def.body.empty() ? nullptr : as<Return>(def.body.back());
  const bool has_docstring = def.body.size() == 2 && is<ExprStmt>(def.body.front());
  if (result == nullptr || result->value == nullptr || (def.body.size() != 1 && !has_docstring)) return {};
  const std::map<std::string_view, std::string> names = names_there(inputs, source, asked, callee);
  const SourceText& own = source_of(*inputs.after, callee);
  std::string out;
  std::uint32_t from = result->value->span.begin;
  bool is_known = true;
  walk_of<Name>(*result->value, Nested::kEnter, [&](const Name* name) {
    if (rules::parameter_named(&def, name->id) == nullptr) return;
    const auto there = names.find(name->id);
    // One of a comprehension is another one.
    is_known = is_known && there != names.end() && name->context == ExprContext::kLoad;
    if (!is_known) return;
    out += std::string(own.slice({from, name->span.begin})) + there->second;
    from = name->span.end;
  });
  out += own.slice({from, result->value->span.end});
  return is_known && !contains(out, "\n") ? out : std::string();
}

}  // namespace

std::vector<std::string> given_by_asked_predicates(const DocumentInputs& inputs, const Actor& actor,
                                                   const std::string& told, std::size_t most) {
  constexpr std::size_t kLongestCall = 60;
  std::vector<std::string> out;
  if (actor.steps.after_source == nullptr) return out;
  const auto look = [&](const Node* node) {
    if (out.size() == most || (!is<Call>(node) && !is<Attribute>(node))) return;
    const std::string text = one_line_whole(*actor.steps.after_source, *node);
    const bool is_broken = contains(text, " .");  // Over several lines.
    if (is_broken || text.size() > kLongestCall || contains(told, fmt::format("{} gives", code(text)))) return;
    const FunctionId target = unchanged_target(inputs, *node);
    if (!target.valid() || !answers(*inputs.after->functions()[target].def())) return;
    const std::string given = given_by_function(inputs, target);
    if (given.empty()) return;
    const std::string there = given_there(inputs, *actor.steps.after_source, *node, target);
    std::string words = fmt::format("{} gives {} ({}).", code(text), there.empty() ? given : code(there),
                                    place_of(*inputs.after, target));
    if (std::find(out.begin(), out.end(), words) == out.end()) out.push_back(std::move(words));
  };
  const auto look_through = [&](const Expr& condition) {
    look(&condition);
    walk(condition, Nested::kSkip, look);
  };
  const std::vector<Step>& steps = actor.steps.after;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_new = (actor.is_added() || steps[i].status != StepStatus::kKept) && !steps[i].is_moved;
    const auto* branch = steps[i].kind == StepKind::kIf ? as<If>(steps[i].node) : nullptr;
    const bool is_around = branch != nullptr && has_change_inside(steps, i);
    if (branch != nullptr && (is_new || is_around)) look_through(*branch->condition);
    if (branch != nullptr || !is_new || steps[i].kind != StepKind::kPlain || is<FunctionDef>(steps[i].node)) continue;
    if (const auto* claim = as<Assert>(steps[i].node)) look_through(*claim->test);
    walk_of<IfExp>(*steps[i].node, Nested::kSkip, [&](const IfExp* choice) { look_through(*choice->condition); });
  }
  return out;
}

}  // namespace lockstep::report
