#include "report/story/steps/matches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/replaced_parts.h"
#include "report/source/without_space.h"
#include "report/story/calls/calls.h"
#include "report/story/steps/definition_names.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<signed char>(c) < 0;
}

/// Every identifier of a text.
void add_words_of(std::string_view text, std::unordered_set<std::string_view>& out) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word_char(text[end])) ++end;
    if (end > i) out.insert(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
}

using Pair = std::pair<std::string, std::string>;

/// "x" of `self.x = …`; empty for others.
std::string attribute_set_by(const Step& step) {
  const auto* assign = python::as<python::Assign>(step.node);
  const auto* annotated = python::as<python::AnnAssign>(step.node);
  const python::Expr* target = assign != nullptr && assign->targets.size() == 1 ? assign->targets.front()
                               : annotated != nullptr                           ? annotated->target
                                                                                : nullptr;
  const std::string text = dotted_text(target);
  return text.starts_with("self.") && text.find('.', 5) == std::string::npos ? text.substr(5) : std::string();
}

/// "x" of `x = …`; empty for others.
std::string local_set_by(const Step& step) {
  const auto* assign = python::as<python::Assign>(step.node);
  const auto* target =
      assign == nullptr || assign->targets.size() != 1 ? nullptr : python::as<python::Name>(assign->targets.front());
  return target == nullptr ? std::string() : std::string(target->id);
}

/// Whether a side of the function uses the name for a variable.
bool uses_name(const std::optional<change::EntitySide>& side, std::string_view name) {
  bool found = false;
  if (side && side->node != nullptr) {
    python::walk_of<python::Name>(*side->node, python::Nested::kEnter,
                                  [&](const python::Name* one) { found = found || one->id == name; });
  }
  return found;
}

/// The texts of the files of all functions that have changed steps, on both sides.
struct Texts {
  std::unordered_set<std::string_view> before;
  std::unordered_set<std::string_view> after;
};
Texts texts_of(const std::vector<Actor>& actors) {
  std::set<const SourceText*> before;
  std::set<const SourceText*> after;
  for (const Actor& actor : actors) {
    if (actor.steps.before_source == nullptr || actor.steps.after_source == nullptr) continue;
    before.insert(actor.steps.before_source);
    after.insert(actor.steps.after_source);
  }
  Texts out;
  for (const SourceText* source : before) add_words_of(source->bytes(), out.before);
  for (const SourceText* source : after) add_words_of(source->bytes(), out.after);
  return out;
}

/// The text that a check gives its exception: of an assertion, or of a branch that does nothing but raise; empty where
/// it is too short to know it by.
std::string message_of_check(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  constexpr std::size_t kTelling = 16;
  const python::Expr* message = nullptr;
  if (const auto* check = python::as<python::Assert>(steps[index].node)) {
    message = check->message;
  } else if (steps[index].kind == StepKind::kIf && only_refuses(steps, index)) {
    const auto* raise = python::as<python::Raise>(steps[index + 1].node);
    const auto* call = raise == nullptr ? nullptr : python::as<python::Call>(raise->exception);
    message = call == nullptr || call->arguments.empty() ? nullptr : call->arguments.front();
  }
  if (message == nullptr) return {};
  // Letters alone: quotes, joints and line breaks differ from place to place.
  std::string text;
  for (const char c : source.slice(message->span)) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) text += c;
  }
  return text.size() < kTelling ? std::string() : text;
}

/// Whether many functions may have the step without having taken it over: the head of a branch, a name for a value that
/// stands elsewhere (`stream = self.context.stream`).
bool is_common(const Step& step) {
  if (step.kind != StepKind::kPlain) return true;
  const python::Expr* target = nullptr;
  const python::Expr* value = assigned_value(step.node, target);
  while (const auto* attribute = python::as<python::Attribute>(value)) value = attribute->value;
  return python::is<python::Name>(target) && (python::is<python::Name>(value) || python::is<python::Constant>(value));
}

/// Of what a function hands over: heads of branches from which nothing else goes there, and all to a function that
/// takes nothing else, stay untold.
void drop_common_words(Actor& actor) {
  std::vector<Step>& steps = actor.steps.before;
  std::set<const change::EntityChange*> telling;
  for (const Step& step : steps) {
    if (step.elsewhere != nullptr && !is_common(step)) telling.insert(step.elsewhere);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].elsewhere == nullptr) continue;
    bool stays = telling.contains(steps[i].elsewhere);
    if (stays && steps[i].kind != StepKind::kPlain) {
      const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end = steps.begin() + static_cast<std::ptrdiff_t>(end_of(steps, i));
      stays = std::any_of(begin + 1, end, [&](const Step& inner) { return inner.elsewhere == begin->elsewhere; });
    }
    if (!stays) steps[i].elsewhere = nullptr;
  }
}

}  // namespace

void match_hand_overs(std::vector<Actor>& actors) {
  constexpr std::size_t kFewSteps = 3;
  std::map<std::uint64_t, std::set<const Actor*>> gained;
  for (const Actor& actor : actors) {
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kAdded && !step.is_moved && actor.role != Role::kTest)
        gained[step.fingerprint].insert(&actor);
    }
  }
  std::map<const change::EntityChange*, std::map<const change::EntityChange*, std::size_t>> taken;
  for (Actor& actor : actors) {
    if (actor.is_removed()) continue;
    std::map<const Actor*, std::size_t> receivers;
    const auto gainers = [&](const Step& step) -> const std::set<const Actor*>* {
      if (step.status != StepStatus::kRemoved || step.is_moved) return nullptr;
      const auto found = gained.find(step.fingerprint);
      return found == gained.end() ? nullptr : &found->second;
    };
    for (Step& step : actor.steps.before) {
      const auto* found = gainers(step);
      if (found == nullptr || found->size() != 1 || *found->begin() == &actor) continue;
      step.elsewhere = (*found->begin())->change;
      ++receivers[*found->begin()];
    }
    // What several gain went where most of the rest went.
    const auto main = std::max_element(receivers.begin(), receivers.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    for (Step& step : actor.steps.before) {
      const auto* found = main == receivers.end() || main->second < kFewSteps ? nullptr : gainers(step);
      if (found != nullptr && step.elsewhere == nullptr && found->contains(main->first))
        step.elsewhere = main->first->change;
    }
    drop_common_words(actor);
    for (const Step& step : actor.steps.before) {
      if (step.elsewhere != nullptr && step.elsewhere != actor.change) ++taken[step.elsewhere][actor.change];
    }
  }
  for (Actor& actor : actors) {
    const auto from = taken.find(actor.change);
    if (from == taken.end() || !actor.is_added() || actor.role == Role::kTest) continue;
    const auto most = std::max_element(from->second.begin(), from->second.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most->second <= kFewSteps || most->second * 4 < actor.steps.after.size() * 3) continue;
    actor.extracted_from = most->first;
    actor.extracted = std::min(most->second, actor.steps.after.size());
  }
}

void match_checks(std::vector<Actor>& actors) {
  std::map<std::string, std::set<const Actor*>> gained;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kTest) continue;
    for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
      if (actor.steps.after[i].status != StepStatus::kAdded) continue;
      const std::string message = message_of_check(actor.steps.after, i, *actor.steps.after_source);
      if (!message.empty()) gained[message].insert(&actor);
    }
  }
  for (Actor& actor : actors) {
    if (actor.is_removed() || gained.empty()) continue;
    for (std::size_t i = 0; i < actor.steps.before.size(); ++i) {
      const Step& step = actor.steps.before[i];
      if (step.status != StepStatus::kRemoved || step.is_moved || step.elsewhere != nullptr) continue;
      const auto found = gained.find(message_of_check(actor.steps.before, i, *actor.steps.before_source));
      if (found == gained.end() || found->second.size() != 1) continue;
      for (std::size_t j = i; j < end_of(actor.steps.before, i); ++j)
        actor.steps.before[j].elsewhere = (*found->second.begin())->change;
    }
  }
}

namespace {

/// Whether step `index` is a branch that does nothing but leave the function.
bool is_way_out(const std::vector<Step>& steps, std::size_t index) {
  if (steps[index].kind != StepKind::kIf || steps[index].is_elif || end_of(steps, index) != index + 2) return false;
  const std::size_t next = index + 2;
  const bool has_else = next < steps.size() && steps[next].depth == steps[index].depth &&
                        (steps[next].kind == StepKind::kElse || steps[next].is_elif);
  return !has_else &&
         (python::is<python::Return>(steps[index + 1].node) || python::is<python::Raise>(steps[index + 1].node));
}

/// `a`, `b` of `a or b`: each by itself is enough for the way out.
std::set<std::string> reasons_of(const python::Expr& condition, const SourceText& source) {
  const auto* choice = python::as<python::BoolOp>(&condition);
  if (choice == nullptr || choice->op != python::BoolOperator::kOr) return {one_line_whole(source, condition)};
  std::set<std::string> out;
  for (const python::Expr* one : choice->values) out.insert(one_line_whole(source, *one));
  return out;
}

/// Whether a new way out with this condition, alone or among others, stands before the call, so that nothing gets to
/// the call around it.
const Step* asks_anew_before(const Actor& caller, Span call, const std::set<std::string>& reasons) {
  const std::vector<Step>& steps = caller.steps.after;
  std::size_t made_at = steps.size();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].span.contains(call)) made_at = i;
  }
  if (made_at == steps.size()) return nullptr;
  for (std::size_t i = 0; i < made_at; ++i) {
    const Step& step = steps[i];
    if (step.status != StepStatus::kAdded || step.is_moved || !is_way_out(steps, i)) continue;
    const std::set<std::string> asked =
        reasons_of(*python::as<python::If>(step.node)->condition, *caller.steps.after_source);
    if (!std::includes(asked.begin(), asked.end(), reasons.begin(), reasons.end())) continue;
    // The call stands in the block of the way out, or in one within it.
    const auto stays_within = [&](const Step& next) { return next.depth >= step.depth; };
    if (std::all_of(steps.begin() + static_cast<std::ptrdiff_t>(i),
                    steps.begin() + static_cast<std::ptrdiff_t>(made_at) + 1, stays_within))
      return &step;
  }
  return nullptr;
}

/// Whether what the callee asked in `condition` is what its caller asks in the same words: of the same object, of
/// parameters that are handed on under their names, of names of one module.
bool means_the_same(const program::Program& after, const program::CallSite& site, const Step& asked,
                    program::FunctionId function, const python::Expr& condition) {
  const program::Function& callee = after.functions()[function];
  const auto* call = python::as<python::Call>(site.node);
  const python::FunctionDef* caller = after.functions()[site.caller].def();
  if (call == nullptr || callee.def() == nullptr || caller == nullptr) return false;
  const auto& all = callee.def()->parameters->all;
  bool is_same = true;
  python::walk_of<python::Name>(condition, python::Nested::kEnter, [&](const python::Name* name) {
    const auto parameter =
        std::find_if(all.begin(), all.end(), [&](const auto* one) { return one->name.text == name->id; });
    if (parameter == all.end()) {
      is_same = is_same && !rules::binds_name(*callee.def(), name->id) && !rules::binds_name(*caller, name->id) &&
                rules::parameter_named(caller, name->id) == nullptr &&
                callee.module == after.functions()[site.caller].module;
      return;
    }
    is_same = is_same && passes_name(*call, callee, static_cast<std::size_t>(parameter - all.begin()));
    // Nor may it be another by then.
    python::walk_of<python::Name>(*caller, python::Nested::kSkip, [&](const python::Name* stored) {
      const bool is_between = asked.span.begin <= stored->span.begin && stored->span.begin < call->span.begin;
      if (stored->id == name->id && stored->context == python::ExprContext::kStore && is_between) is_same = false;
    });
  });
  return is_same;
}

using ByFunction = std::map<program::FunctionId, const Actor*>;

/// Calls of the function, and those that methods of its bases make of one of this name through `self`.
std::vector<program::CallId> calls_of(const program::Program& after, program::FunctionId function) {
  const auto own = after.callers_of(function);
  std::vector<program::CallId> out(own.begin(), own.end());
  const program::Function& called = after.functions()[function];
  if (!called.owner.valid()) return out;
  for (const program::ClassId base : after.classes()[called.owner].linearized) {
    for (const program::FunctionId one : after.classes()[base].methods) {
      for (const program::CallId id : after.functions()[one].calls) {
        const auto* call = python::as<python::Call>(after.calls()[id].node);
        const auto* method = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
        if (method != nullptr && rules::name_of(method->value) == "self" && method->name.text == called.name &&
            std::find(out.begin(), out.end(), id) == out.end())
          out.push_back(id);
      }
    }
  }
  return out;
}

/// `super().name(…)` in a method of this name, of what all objects of the class ask of themselves.
bool is_handed_up(const program::Program& after, const program::CallSite& call, const program::Function& function,
                  const python::Expr& condition) {
  const auto* made = python::as<python::Call>(call.node);
  if (made == nullptr || !rules::is_method_of_super(made->callee) ||
      after.functions()[call.caller].name != function.name)
    return false;
  bool only_self = true;
  python::walk_of<python::Name>(condition, python::Nested::kEnter,
                                [&](const python::Name* name) { only_self = only_self && name->id == "self"; });
  return only_self;
}

/// The first of the functions that call this one where every call of it outside tests is made behind the question; null
/// where one is not, or where there is none.
const Actor* asker(const program::Program& after, const ByFunction& by_function, program::FunctionId function,
                   const std::set<std::string>& reasons, const python::Expr& condition, int depth = 0) {
  constexpr int kMostOverrides = 4;
  const Actor* first = nullptr;
  for (const program::CallId id : calls_of(after, function)) {
    const program::CallSite& call = after.calls()[id];
    if (program::is_test_path(after.module_of(call.caller).path)) continue;
    const program::Function& callee = after.functions()[function];
    if (call.caller == function || call.node == nullptr) return nullptr;
    const auto caller = by_function.find(call.caller);
    const Step* asked =
        caller == by_function.end() ? nullptr : asks_anew_before(*caller->second, call.node->span, reasons);
    const Actor* found = asked != nullptr && means_the_same(after, call, *asked, function, condition) ? caller->second
                         : depth < kMostOverrides && is_handed_up(after, call, callee, condition)
                             ? asker(after, by_function, call.caller, reasons, condition, depth + 1)
                             : nullptr;
    if (found == nullptr) return nullptr;
    if (first == nullptr) first = found;
  }
  return first;
}

}  // namespace

void match_guards(const program::Program& after, std::vector<Actor>& actors) {
  ByFunction by_function;
  for (const Actor& actor : actors) {
    if (actor.role != Role::kTest && actor.is_function() && actor.change->after &&
        actor.change->after->function.valid())
      by_function[actor.change->after->function] = &actor;
  }
  for (Actor& actor : actors) {
    if (actor.role == Role::kTest || !actor.is_function() || !actor.change->after ||
        !actor.change->after->function.valid())
      continue;
    std::vector<Step>& steps = actor.steps.before;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].status != StepStatus::kRemoved || steps[i].is_moved || !is_way_out(steps, i)) continue;
      const program::FunctionId function = actor.change->after->function;
      const python::Expr& condition = *python::as<python::If>(steps[i].node)->condition;
      const Actor* found =
          asker(after, by_function, function, reasons_of(condition, *actor.steps.before_source), condition);
      if (found != nullptr) {
        steps[i].elsewhere = steps[i + 1].elsewhere = found->change;
      } else if (python::is<python::Return>(steps[i + 1].node) && steps[i].elsewhere != nullptr &&
                 calls(after, *steps[i].elsewhere, function)) {
        // The caller has the same lines now, but gets here without asking.
        steps[i].elsewhere = steps[i + 1].elsewhere = nullptr;
      }
    }
  }
}

void match_taken_over(std::vector<Actor>& actors) {
  std::map<std::uint64_t, std::set<const Actor*>> gone;
  for (const Actor& actor : actors) {
    if (!actor.is_removed() || actor.role == Role::kTest) continue;
    for (const Step& step : actor.steps.before) gone[step.fingerprint].insert(&actor);
  }
  if (gone.empty()) return;
  for (Actor& actor : actors) {
    for (Step& step : actor.steps.after) {
      if (step.status != StepStatus::kAdded || step.is_moved || !tells_itself(step)) continue;
      const auto found = gone.find(step.fingerprint);
      if (found != gone.end() && found->second.size() == 1) step.taken_from = (*found->second.begin())->change;
    }
  }
}

void match_moved_checks(std::vector<Actor>& actors) {
  std::map<std::string, std::set<const Actor*>> gone;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kTest) continue;
    for (std::size_t i = 0; i < actor.steps.before.size(); ++i) {
      const Step& step = actor.steps.before[i];
      if (step.status != StepStatus::kRemoved || step.is_moved) continue;
      const std::string message = message_of_check(actor.steps.before, i, *actor.steps.before_source);
      if (!message.empty()) gone[message].insert(&actor);
    }
  }
  if (gone.empty()) return;
  for (Actor& actor : actors) {
    for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
      const Step& step = actor.steps.after[i];
      if (step.status != StepStatus::kAdded || step.is_moved || step.taken_from != nullptr) continue;
      const auto found = gone.find(message_of_check(actor.steps.after, i, *actor.steps.after_source));
      if (found == gone.end() || found->second.size() != 1 || *found->second.begin() == &actor) continue;
      for (std::size_t j = i; j < end_of(actor.steps.after, i); ++j)
        actor.steps.after[j].taken_from = (*found->second.begin())->change;
    }
  }
}

/// Of the backward pass of a function of autograd: `return grad, None` that became `return grad, None, None` gives
/// another input none, which follows from the inputs of the forward pass. What it returns is what it returned.
static void settle_missing_gradients(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  for (Actor& actor : actors) {
    const auto& side = actor.change->after;
    if (!side || !side->function.valid() || inputs.after->functions()[side->function].name != "backward") continue;
    const program::ClassId owner = inputs.after->functions()[side->function].owner;
    if (!owner.valid() || !inputs.after->derives_from(owner, "torch.autograd.Function")) continue;
    const auto gradients = [](const Step& step, const SourceText& source) {
      std::vector<std::string> out;
      const auto* result = python::as<python::Return>(step.node);
      const auto* several = result == nullptr ? nullptr : python::as<python::Tuple>(result->value);
      if (several == nullptr) return out;
      for (const python::Expr* one : several->elements) {
        if (!rules::is_none(one)) out.push_back(one_line_whole(source, *one));
      }
      return out;
    };
    for (Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
      Step& old = actor.steps.before[step.partner];
      const std::vector<std::string> now = gradients(step, *actor.steps.after_source);
      if (!now.empty() && now == gradients(old, *actor.steps.before_source))
        step.status = old.status = StepStatus::kKept;
    }
  }
}

/// Steps in which nothing differs but names of definitions that the change calls otherwise.
static void mark_definition_names(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  const DefinitionNames names(inputs);
  if (names.empty()) return;
  for (Actor& actor : actors) {
    for (Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone) continue;
      Step& old = actor.steps.before[step.partner];
      if (step.kind != old.kind) continue;
      step.renames =
          names.between(actor.steps.before_source->slice(old.span), actor.steps.after_source->slice(step.span));
      old.renames = step.renames;
    }
  }
}

/// `self.old = x` that goes where `self.new = x` comes elsewhere in the function: one thing under another name.
static void add_moved_definitions(const Actor& actor, std::set<Pair>& defined) {
  if (actor.steps.before_source == nullptr || actor.steps.after_source == nullptr) return;
  for (const Step& gone : actor.steps.before) {
    const std::string was = gone.status == StepStatus::kRemoved ? attribute_set_by(gone) : std::string();
    const python::Expr* value = was.empty() ? nullptr : value_of_step(gone);
    if (value == nullptr || python::is<python::Constant>(value)) continue;
    const std::string text = without_layout(*actor.steps.before_source, value->span);
    for (const Step& step : actor.steps.after) {
      const std::string is = step.status == StepStatus::kAdded ? attribute_set_by(step) : std::string();
      if (!is.empty() && is != was && value_of_step(step) != nullptr &&
          without_layout(*actor.steps.after_source, value_of_step(step)->span) == text)
        defined.emplace(was, is);
    }
  }
}

void mark_renames(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr std::size_t kFewSteps = 2;
  settle_missing_gradients(inputs, actors);
  mark_definition_names(inputs, actors);
  std::map<Pair, std::size_t> counts;
  std::set<Pair> defined;                         // `self.old = x` became `self.new = x`: one thing under another name.
  std::map<const Actor*, std::set<Pair>> locals;  // The same of `old = x` and `new = x` of one function.
  std::map<std::pair<Actor*, std::size_t>, std::vector<Pair>> found;
  for (Actor& actor : actors) {
    for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
      const Step& step = actor.steps.after[i];
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || !step.renames.empty()) continue;
      std::vector<Pair> pairs =
          renamed_words(actor.steps.before[step.partner], *actor.steps.before_source, step, *actor.steps.after_source);
      if (pairs.empty()) continue;
      for (const Pair& pair : pairs) ++counts[pair];
      const Step& old = actor.steps.before[step.partner];
      defined.emplace(attribute_set_by(old), attribute_set_by(step));
      locals[&actor].emplace(local_set_by(old), local_set_by(step));
      found[{&actor, i}] = std::move(pairs);
    }
  }
  if (found.empty()) return;
  for (const Actor& actor : actors) add_moved_definitions(actor, defined);
  const Texts texts = texts_of(actors);
  std::map<std::pair<const Actor*, Pair>, bool> known;
  const auto is_local_rename = [&](const Actor* actor, const Pair& pair) {
    if (!locals[actor].contains(pair)) return false;
    const auto [at, is_new] = known.try_emplace({actor, pair}, false);
    // What another step, which is gone, set anew held something else in the end.
    const auto sets_it_anew = [&](const Step& step) {
      return step.status == StepStatus::kRemoved && local_set_by(step) == pair.first;
    };
    if (is_new)
      at->second = !uses_name(actor->change->after, pair.first) && !uses_name(actor->change->before, pair.second) &&
                   std::none_of(actor->steps.before.begin(), actor->steps.before.end(), sets_it_anew);
    return at->second;
  };
  // One name in the place of two that are gone is another thing.
  const auto joins_names = [&](const Pair& pair) {
    return std::any_of(counts.begin(), counts.end(), [&](const auto& other) {
      return other.first.second == pair.second && other.first.first != pair.first &&
             !texts.after.contains(other.first.first);
    });
  };
  const auto is_rename = [&](const Actor* actor, const Pair& pair) {
    if (counts[pair] >= kFewSteps && is_local_rename(actor, pair)) return true;
    return !joins_names(pair) && defined.contains(pair) && counts[pair] >= kFewSteps &&
           !texts.after.contains(pair.first) && !texts.before.contains(pair.second);
  };
  for (auto& [place, pairs] : found) {
    Actor& actor = *place.first;
    const auto holds = [&is_rename, &actor](const Pair& pair) { return is_rename(&actor, pair); };
    if (!std::all_of(pairs.begin(), pairs.end(), holds)) continue;
    Step& step = actor.steps.after[place.second];
    actor.steps.before[step.partner].renames = pairs;
    step.renames = std::move(pairs);
  }
}

namespace {

using Values = std::map<std::string_view, const python::Expr*>;

/// Locals that a function binds once, by `name = value`, where nothing that the value reads is bound anew in it.
Values single_values(const program::Program& program, const change::EntitySide& side) {
  Values out;
  const program::ModuleId module = program.find_path(side.path);
  if (!module.valid() || side.node == nullptr) return out;
  const python::FileFacts& facts = *program.modules()[module].facts;
  const auto scope = facts.scope_of_node.find(side.node);
  if (scope == facts.scope_of_node.end()) return out;
  const auto& bindings = facts.scopes[scope->second].bindings;
  std::map<std::string_view, std::size_t> counts;
  for (const python::Binding& one : bindings) ++counts[one.name];
  std::set<std::string> stored;
  python::walk_of<python::Attribute>(*side.node, python::Nested::kEnter, [&](const python::Attribute* one) {
    if (one->context == python::ExprContext::kStore) stored.insert(dotted_text(one));
  });
  for (const python::Binding& one : bindings) {
    const auto* assign = one.kind == python::BindingKind::kAssign && counts[one.name] == 1
                             ? python::as<python::Assign>(one.owner)
                             : nullptr;
    if (assign == nullptr || assign->targets.size() != 1 || assign->targets.front() != one.node) continue;
    bool is_fixed = true;
    const auto look = [&](const python::Node* node) {
      if (const auto* name = python::as<python::Name>(node)) is_fixed = is_fixed && counts[name->id] <= 1;
      if (const auto* member = python::as<python::Attribute>(node))
        is_fixed = is_fixed && !stored.contains(dotted_text(member));
    };
    look(assign->value);
    python::walk(*assign->value, python::Nested::kEnter, look);
    if (is_fixed) out[one.name] = assign->value;
  }
  return out;
}

/// The step's text with the values of such locals in place of their names; `used` gets them.
std::string with_values(const Step& step, const SourceText& source, const Values& values, std::vector<Pair>& used) {
  std::vector<std::pair<Span, std::string>> parts;
  python::walk_of<python::Name>(*step.node, python::Nested::kEnter, [&](const python::Name* name) {
    const auto found = values.find(name->id);
    if (!step.span.contains(name->span) || name->context != python::ExprContext::kLoad || found == values.end() ||
        found->second->span.end > step.span.begin)
      return;
    const python::Expr* value = found->second;
    const std::string text(source.slice(value->span));
    const bool is_whole = python::is<python::Name>(value) || python::is<python::Attribute>(value) ||
                          python::is<python::Call>(value) || python::is<python::Subscript>(value) ||
                          python::is<python::Constant>(value);
    parts.emplace_back(name->span, is_whole ? text : "(" + text + ")");
    used.emplace_back(one_line_whole(source, *value), std::string(name->id));
  });
  return without_space(with_replaced(source, step.span, std::move(parts)));
}

}  // namespace

void mark_hoisted(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  for (Actor& actor : actors) {
    if (actor.steps.before_source == nullptr || actor.steps.after_source == nullptr) continue;
    std::optional<Values> old_values;
    std::optional<Values> new_values;
    for (Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || !step.renames.empty()) continue;
      Step& old = actor.steps.before[step.partner];
      if (step.node == nullptr || old.node == nullptr || step.kind != old.kind) continue;
      if (!old_values) {
        old_values = single_values(*inputs.before, *actor.change->before);
        new_values = single_values(*inputs.after, *actor.change->after);
      }
      std::vector<Pair> used;
      std::vector<Pair> dropped;
      const std::string was = without_space(actor.steps.before_source->slice(old.span));
      const std::string now = without_space(actor.steps.after_source->slice(step.span));
      if (with_values(step, *actor.steps.after_source, *new_values, used) != was) used.clear();
      if (used.empty() && with_values(old, *actor.steps.before_source, *old_values, dropped) != now) dropped.clear();
      if (used.empty() && dropped.empty()) continue;
      step.renames = used.empty() ? dropped : used;
      old.renames = step.renames;
    }
  }
}

std::string rename_words(const Actor& actor) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names, own_names, kept_in, kept;
  std::set<Pair> told;
  for (const Step& step : actor.steps.after) {
    for (const Pair& pair : step.renames) {
      // See cached_attributes.h.
      if (pair.second.starts_with("self.")) {
        if (std::find(kept_in.begin(), kept_in.end(), code(pair.second)) != kept_in.end()) continue;
        kept_in.push_back(code(pair.second));
        kept.push_back(code(pair.first));
        continue;
      }
      // A value that has a name now is the same value.
      if (!std::all_of(pair.first.begin(), pair.first.end(), is_word_char)) continue;
      if (told.insert(pair).second && names.size() < kMost)
        names.push_back(fmt::format("{} of {}", code(pair.second), code(pair.first)));
      if (names.size() > own_names.size())
        own_names.push_back(fmt::format("{} to {}", code(pair.first), code(pair.second)));
    }
  }
  if (names.empty() && !kept.empty() && kept.size() <= kMost)
    return fmt::format("reads {} where it read {}", join_words(kept_in), join_words(kept));
  if (names.empty()) return {};
  // What it sets itself under another name follows nothing.
  const bool is_own = std::all_of(told.begin(), told.end(), [&](const Pair& pair) {
    return std::any_of(actor.steps.after.begin(), actor.steps.after.end(),
                       [&](const Step& step) { return local_set_by(step) == pair.second; });
  });
  if (is_own) return "renames " + join_words(own_names);
  return fmt::format("follows the new {} {}", told.size() == 1 ? "name" : "names", join_words(names));
}

}  // namespace lockstep::report
