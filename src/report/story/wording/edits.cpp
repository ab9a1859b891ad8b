#include "report/story/wording/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/checks/catches.h"
#include "report/story/steps/conditional_values.h"
#include "report/story/wording/argument_edits.h"
#include "report/story/wording/collection_edits.h"
#include "report/story/wording/differing_calls.h"
#include "report/story/wording/differing_text.h"
#include "report/story/wording/entry_edits.h"
#include "report/story/wording/operand_edits.h"
#include "report/story/wording/reworded_errors.h"

namespace lockstep::report {

using namespace python;

std::string short_code(std::string_view text, std::size_t limit) {
  const SourceText source{std::string(text)};
  return code(one_line(source, {0, static_cast<std::uint32_t>(text.size())}, limit));
}

namespace {

bool is_awaited(const Step& step) {
  const Expr* value = value_of_step(step);
  return value != nullptr && is<Await>(value);
}

/// The calls that make the one context manager in which two `with` statements differ; none for others.
std::pair<const Call*, const Call*> differing_contexts(const Step& before, const SourceText& before_source,
                                                       const Step& after, const SourceText& after_source) {
  const auto* was = before.kind == StepKind::kWith ? as<With>(before.node) : nullptr;
  const auto* now = after.kind == StepKind::kWith ? as<With>(after.node) : nullptr;
  if (was == nullptr || now == nullptr || was->items.size() != now->items.size()) return {};
  std::pair<const Call*, const Call*> found;
  for (std::size_t i = 0; i < was->items.size(); ++i) {
    const Expr* old_context = was->items[i]->context;
    const Expr* new_context = now->items[i]->context;
    if (one_line_whole(before_source, *old_context) == one_line_whole(after_source, *new_context)) continue;
    if (found.first != nullptr) return {};
    found = {as<Call>(old_context), as<Call>(new_context)};
    if (found.first == nullptr || found.second == nullptr) return {};
  }
  return found;
}

/// "adds `or x` to", "drops `and y` from": of two values that differ in operands of one `and` or `or` alone, the first
/// one kept; empty for others. An operand of the value is named: "adds `or x` to `a or b` in".
std::string operand_words(const Expr& before, const SourceText& before_source, const Expr& after,
                          const SourceText& after_source) {
  constexpr std::size_t kMostOperands = 2;
  const auto* old_all = as<BoolOp>(&before);
  const auto* new_all = as<BoolOp>(&after);
  if (old_all == nullptr && new_all == nullptr) return {};
  const BoolOp& either = new_all != nullptr ? *new_all : *old_all;
  // `a` that becomes `a or b` is an `or` of one operand.
  const auto operands = [&](const Expr& expression) {
    const auto* all = as<BoolOp>(&expression);
    if (all == nullptr || all->op != either.op) return std::vector<const Expr*>{&expression};
    return std::vector<const Expr*>(all->values.begin(), all->values.end());
  };
  const auto missing_in = [&](const Expr& from, const SourceText& source, const Expr& in, const SourceText& in_source) {
    std::set<std::string> known;
    for (const Expr* other : operands(in)) known.insert(one_line_whole(in_source, *other));
    std::vector<const Expr*> out;
    for (const Expr* each : operands(from)) {
      if (!known.contains(one_line_whole(source, *each))) out.push_back(each);
    }
    return out;
  };
  const std::vector<const Expr*> added = missing_in(after, after_source, before, before_source);
  const std::vector<const Expr*> removed = missing_in(before, before_source, after, after_source);
  const auto texts_of = [&](const Expr& expression, const SourceText& source) {
    std::vector<std::string> texts;
    for (const Expr* each : operands(expression)) texts.push_back(one_line_whole(source, *each));
    return texts;
  };
  if (added.size() == 1 && removed.size() == 1 && operands(after).size() > 1) {
    std::vector<std::string> was = texts_of(before, before_source);
    std::replace(was.begin(), was.end(), one_line_whole(before_source, *removed.front()),
                 one_line_whole(after_source, *added.front()));
    if (was != texts_of(after, after_source)) return {};
    const std::string inner = operand_words(*removed.front(), before_source, *added.front(), after_source);
    return inner.empty() ? inner : fmt::format("{} {} in", inner, code(one_line(before_source, *removed.front(), 60)));
  }
  const bool grows = removed.empty() && !added.empty();
  const std::vector<const Expr*>& changed = grows ? added : removed;
  if (changed.empty() || changed.size() > kMostOperands || (!grows && !added.empty())) return {};
  // `x or y` is not `y or x`: the first operand stays the first, and a new `or` comes last.
  const std::vector<std::string> fewer = grows ? texts_of(before, before_source) : texts_of(after, after_source);
  std::vector<std::string> more = grows ? texts_of(after, after_source) : texts_of(before, before_source);
  const bool are_last = std::equal(fewer.begin(), fewer.end(), more.begin(),
                                   more.begin() + static_cast<std::ptrdiff_t>(std::min(fewer.size(), more.size())));
  if (more.front() != fewer.front() || (grows && either.op == BoolOperator::kOr && !are_last)) return {};
  std::erase_if(more,
                [&](const std::string& one) { return std::find(fewer.begin(), fewer.end(), one) == fewer.end(); });
  if (more != fewer) return {};
  std::vector<std::string> texts;
  for (const Expr* each : changed) {
    texts.push_back(code(fmt::format("{} {}", either.op == BoolOperator::kAnd ? "and" : "or",
                                     one_line(grows ? after_source : before_source, *each, 90))));
  }
  return grows ? fmt::format("adds {} to", join_words(texts)) : fmt::format("drops {} from", join_words(texts));
}

/// "also imports `f` from `m`", where two imports of names from one module differ in what they bring in alone.
std::string import_words(const Node* before, const Node* after) {
  const auto* old_import = as<ImportFrom>(before);
  const auto* new_import = as<ImportFrom>(after);
  if (old_import == nullptr || new_import == nullptr || old_import->level != new_import->level ||
      old_import->module.text != new_import->module.text)
    return {};
  const auto missing_in = [](const ImportFrom& from, const ImportFrom& in) {
    std::vector<std::string> out;
    for (const Alias* each : from.names) {
      const bool is_known = std::any_of(in.names.begin(), in.names.end(), [&](const Alias* other) {
        return other->name.text == each->name.text && other->as_name.text == each->as_name.text;
      });
      if (!is_known) out.push_back(code(each->name.text));
    }
    return out;
  };
  const std::vector<std::string> added = missing_in(*new_import, *old_import);
  const std::vector<std::string> removed = missing_in(*old_import, *new_import);
  const std::string module = code(std::string(new_import->level, '.') + std::string(new_import->module.text));
  if (!added.empty() && removed.empty()) return fmt::format("also imports {} from {}", join_words(added), module);
  if (added.empty() && !removed.empty())
    return fmt::format("no longer imports {} from {}", join_words(removed), module);
  return {};
}

}  // namespace

std::string growth_words(const Step& before, const WordsContext& before_context, const Step& after,
                         const WordsContext& after_context) {
  const Expr* old_target = nullptr;
  const Expr* new_target = nullptr;
  const Expr* old_value = assigned_value(before.node, old_target);
  const Expr* new_value = assigned_value(after.node, new_target);
  if (old_value == nullptr || new_value == nullptr) return {};
  const std::string target = one_line(*after_context.source, *new_target, 40);
  if (one_line(*before_context.source, *old_target, 40) != target) return {};
  const std::string operands = operand_words(*old_value, *before_context.source, *new_value, *after_context.source);
  return operands.empty() ? std::string() : fmt::format("{} the value of {}", operands, code(target));
}

namespace {

/// "declares `x` as `New` instead of `Old`" where nothing else differs; empty for others.
std::string annotation_words(const Step& before, const WordsContext& before_context, const Step& after,
                             const WordsContext& after_context) {
  const auto* was = as<AnnAssign>(before.node);
  const auto* is = as<AnnAssign>(after.node);
  if (was == nullptr || is == nullptr) return {};
  const auto [old_type, new_type] =
      where_they_differ(*before_context.source, was->annotation->span, *after_context.source, is->annotation->span, 60);
  return old_type == new_type
             ? std::string()
             : fmt::format("declares {} as {} instead of {}", code(one_line(*after_context.source, *is->target, 40)),
                           code(new_type), code(old_type));
}

/// `f` of `x if c else f()` where `f()`, of a function of the repository, stood: it is called in one of the cases now.
std::string call_left_out(const Expr& before, const WordsContext& before_context, const Expr& after) {
  const auto* call = as<Call>(&before);
  const auto* choice = as<IfExp>(&after);
  if (call == nullptr || choice == nullptr || before_context.program == nullptr ||
      callees_of(*before_context.program, call).empty())
    return {};
  const std::string name = dotted_text(call->callee);
  std::size_t arms = 0;
  for (const Expr* arm : {choice->body, choice->orelse}) {
    bool calls = false;
    const auto look = [&](const Call* one) { calls = calls || dotted_text(one->callee) == name; };
    if (const auto* whole = as<Call>(arm)) look(whole);
    walk_of<Call>(*arm, Nested::kEnter, look);
    arms += calls ? 1 : 0;
  }
  return arms == 1 ? name : std::string();
}

/// "`New(…)` instead of `Old(…)`, without `a` and with `b`" of two calls of different functions by keywords, of which
/// some stay; empty for others, and where all keywords do.
std::string other_callee_words(const Expr& was, const SourceText& before, const Expr& is, const SourceText& after) {
  constexpr std::size_t kMost = 4;
  const auto* old_call = as<Call>(&was);
  const auto* new_call = as<Call>(&is);
  if (old_call == nullptr || new_call == nullptr || !old_call->arguments.empty() || !new_call->arguments.empty())
    return {};
  const std::string old_callee = one_line(before, *old_call->callee, 40);
  const std::string new_callee = one_line(after, *new_call->callee, 40);
  if (old_callee == new_callee) return {};
  const auto names_of = [](const Call& call) {
    std::vector<std::string> out;
    for (const Keyword* keyword : call.keywords) out.emplace_back(keyword->name.text);
    return out;
  };
  const auto rest = [](const std::vector<std::string>& all, const std::vector<std::string>& others) {
    std::vector<std::string> out;
    for (const std::string& one : all) {
      if (std::find(others.begin(), others.end(), one) == others.end()) out.push_back(code(one));
    }
    return out;
  };
  const std::vector<std::string> old_names = names_of(*old_call);
  const std::vector<std::string> new_names = names_of(*new_call);
  // `**options` may bring any of them.
  const auto is_unpacked = [](const std::string& one) { return one.empty(); };
  if (std::any_of(old_names.begin(), old_names.end(), is_unpacked) ||
      std::any_of(new_names.begin(), new_names.end(), is_unpacked))
    return {};
  const std::vector<std::string> gone = rest(old_names, new_names);
  const std::vector<std::string> fresh = rest(new_names, old_names);
  if (gone.size() == old_names.size() || gone.size() + fresh.size() == 0 || gone.size() + fresh.size() > kMost)
    return {};
  std::string out = fmt::format("{} instead of {}", code(new_callee + "(\u2026)"), code(old_callee + "(\u2026)"));
  if (!gone.empty()) out += fmt::format(", without {}", join_words(gone));
  if (!fresh.empty()) out += fmt::format("{} with {}", gone.empty() ? "," : " and", join_words(fresh));
  return out;
}

/// ", the default of `Parts.router`" where a call of what a field holds takes the place of a call of the field's
/// default; empty for others.
std::string default_callee_words(const Expr& was, const Expr& is, const WordsContext& context) {
  const auto* old_call = as<Call>(&was);
  const auto* new_call = as<Call>(&is);
  const auto* member = new_call == nullptr ? nullptr : as<Attribute>(new_call->callee);
  if (old_call == nullptr || member == nullptr || !context.function.valid()) return {};
  const std::string old_callee = dotted_text(old_call->callee);
  for (const program::ClassId cls : context.program->instance_classes(context.function, *member->value)) {
    const program::Field* field = context.program->find_field(cls, member->name.text);
    const bool is_default = field != nullptr && !old_callee.empty() && dotted_text(field->default_value) == old_callee;
    if (is_default)
      return fmt::format(", the default of {}",
                         code(fmt::format("{}.{}", context.program->classes()[cls].name, member->name.text)));
  }
  return {};
}

/// " (“Pads the values.”, around `core`)" where a call of a new function takes the place of a call that this function
/// makes itself; empty for others, and where it has no documentation.
std::string wrapping_words(const Expr& was, const WordsContext& before, const Expr& is, const WordsContext& after) {
  constexpr std::size_t kMostBytes = 160;
  const auto* old_call = as<Call>(&was);
  const auto* new_call = as<Call>(&is);
  const program::CallId id = new_call == nullptr ? program::CallId() : after.program->call_of(new_call);
  if (old_call == nullptr || !id.valid()) return {};
  const std::string_view old_name = callee_name(*old_call);
  for (const program::CallTarget& target : after.program->calls()[id].targets) {
    if (!target.function.valid() || old_name.empty()) continue;
    const program::Function& function = after.program->functions()[target.function];
    if (before.program->find_function(function.qualified_name).valid() || function.def() == nullptr) continue;
    bool calls_it = false;
    walk_of<Call>(*function.node, Nested::kSkip,
                  [&](const Call* call) { calls_it = calls_it || callee_name(*call) == old_name; });
    const std::string purpose = calls_it ? docstring_sentence(function.node, kMostBytes) : std::string();
    if (!purpose.empty()) return fmt::format(" (\u201c{}\u201d, around {})", from_backquotes(purpose), code(old_name));
  }
  return {};
}

}  // namespace

std::string_view only_loses_name(const Step& before, const SourceText& before_source, const Step& after,
                                 const SourceText& after_source) {
  const auto* assign = before.kind == StepKind::kPlain ? as<Assign>(before.node) : nullptr;
  const auto* returned = as<Return>(after.node);
  if (assign == nullptr || assign->targets.size() != 1 || returned == nullptr || returned->value == nullptr) return {};
  const auto* name = as<Name>(assign->targets.front());
  const bool is_same = one_line_whole(before_source, *assign->value) == one_line_whole(after_source, *returned->value);
  return name != nullptr && is_same ? name->id : std::string_view();
}

namespace {

/// "catches `E`, too", "no longer catches `E`" where a handler lists other types than before; empty for other steps.
std::string caught_words(const Step& before, const SourceText& before_source, const Step& after,
                         const SourceText& after_source) {
  const auto* was = as<ExceptHandler>(before.node);
  const auto* now = as<ExceptHandler>(after.node);
  if (was == nullptr || now == nullptr || was->type == nullptr || now->type == nullptr) return {};
  const std::vector<std::string> old_types = caught_types(*was, before_source);
  const std::vector<std::string> new_types = caught_types(*now, after_source);
  const auto without = [](const std::vector<std::string>& some, const std::vector<std::string>& others) {
    std::vector<std::string> out;
    for (const std::string& one : some) {
      if (std::find(others.begin(), others.end(), one) == others.end()) out.push_back(code(one));
    }
    return out;
  };
  const std::vector<std::string> gained = without(new_types, old_types);
  const std::vector<std::string> lost = without(old_types, new_types);
  // Where nothing stays, the one set stands in place of the other.
  if (gained.empty() == lost.empty()) return {};
  return lost.empty() ? fmt::format("catches {}, too", join_words(gained))
                      : fmt::format("no longer catches {}", join_words(lost));
}

}  // namespace

std::string edit_words(const Step& before, const WordsContext& before_context, const Step& after,
                       const WordsContext& after_context, const AskedWith& asked) {
  const Call* old_call = call_of_step(before);
  const Call* new_call = call_of_step(after);
  if (old_call == nullptr && new_call == nullptr && before.kind == StepKind::kPlain) {
    const Expr* target = nullptr;
    const Expr* old_value = assigned_value(before.node, target);
    std::tie(old_call, new_call) =
        differing_calls(old_value, *before_context.source, assigned_value(after.node, target), *after_context.source);
  }
  if (const auto [was, now] = differing_contexts(before, *before_context.source, after, *after_context.source);
      was != nullptr) {
    if (std::string words = argument_words(*was, before_context, *now, after_context); !words.empty()) return words;
  }
  if (old_call != nullptr && new_call != nullptr && is_awaited(before) == is_awaited(after)) {
    if (only_locals_differ(*old_call, before_context, *new_call, after_context)) return {};
    const Expr* old_target = nullptr;
    const Expr* new_target = nullptr;
    (void)assigned_value(before.node, old_target);
    (void)assigned_value(after.node, new_target);
    const bool same_target = (old_target == nullptr) == (new_target == nullptr) &&
                             (old_target == nullptr || one_line(*before_context.source, *old_target) ==
                                                           one_line(*after_context.source, *new_target));
    std::string words =
        same_target ? argument_words(*old_call, before_context, *new_call, after_context) : std::string();
    if (!words.empty()) return words;
  }
  std::string imports = import_words(before.node, after.node);
  if (!imports.empty()) return imports;
  if (after.kind == StepKind::kIf) return branch_edit_words(before, before_context, after, after_context, asked);
  if (after.kind == StepKind::kFor) {
    if (std::string elements = collection_words(collection_edit(*as<For>(before.node)->iterable, *before_context.source,
                                                                *as<For>(after.node)->iterable, *after_context.source),
                                                "what it loops over");
        !elements.empty())
      return elements;
    const auto [old_text, new_text] = where_they_differ(*before_context.source, as<For>(before.node)->iterable->span,
                                                        *after_context.source, as<For>(after.node)->iterable->span, 70);
    if (new_text == old_text) {
      const auto* old_loop = as<For>(before.node);
      const auto* new_loop = as<For>(after.node);
      return fmt::format("loops with {} instead of {}",
                         code(one_line(*after_context.source, new_loop->target->span, 90)),
                         code(one_line(*before_context.source, old_loop->target->span, 90)));
    }
    return fmt::format("loops over {} instead of {}", code(new_text), code(old_text));
  }
  const Expr* old_target = nullptr;
  const Expr* new_target = nullptr;
  const Expr* old_value = assigned_value(before.node, old_target);
  const Expr* new_value = assigned_value(after.node, new_target);
  if (before.kind == StepKind::kPlain && old_value != nullptr && new_value != nullptr &&
      one_line(*before_context.source, *old_target) == one_line(*after_context.source, *new_target)) {
    if (one_line_whole(*before_context.source, *old_value) == one_line_whole(*after_context.source, *new_value))
      return annotation_words(before, before_context, after, after_context);
    std::string grown = growth_words(before, before_context, after, after_context);
    if (!grown.empty()) return grown;
    if (const std::string values =
            values_under_conditions(*old_value, *before_context.source, *new_value, *after_context.source);
        !values.empty()) {
      const std::string target = code(one_line(*after_context.source, *new_target, 40));
      const std::string left_out = call_left_out(*old_value, before_context, *new_value);
      if (!left_out.empty())
        return fmt::format("sets {} to {}, without a call of {}; otherwise as before", target, values, code(left_out));
      return fmt::format("sets {} to {}; otherwise as before", target, values);
    }
    if (const std::string words =
            value_without_condition(*old_value, *before_context.source, *new_value, *after_context.source);
        !words.empty())
      return fmt::format("sets {} to {}", code(one_line(*after_context.source, *new_target, 40)), words);
    if (std::string elements =
            collection_words(collection_edit(*old_value, *before_context.source, *new_value, *after_context.source),
                             code(one_line(*after_context.source, *new_target, 40)));
        !elements.empty())
      return elements;
    if (std::string entries = entry_words(*old_value, *before_context.source, *new_value, *after_context.source,
                                          one_line(*after_context.source, *new_target, 40));
        !entries.empty())
      return entries;
    if (const std::string made =
            other_callee_words(*old_value, *before_context.source, *new_value, *after_context.source);
        !made.empty())
      return fmt::format("sets {} to {}", code(one_line(*after_context.source, *new_target, 40)), made);
    const auto [old_text, new_text] =
        where_they_differ(*before_context.source, old_value->span, *after_context.source, new_value->span, 70);
    return fmt::format("sets {} to {}{} instead of {}{}", code(one_line(*after_context.source, *new_target, 40)),
                       code(new_text), wrapping_words(*old_value, before_context, *new_value, after_context),
                       code(old_text), default_callee_words(*old_value, *new_value, after_context));
  }
  // One value under more names or fewer: what `a = f(x)` and `a, b = f(x)` share is told once.
  if (before.kind == StepKind::kPlain && old_value != nullptr && new_value != nullptr &&
      one_line_whole(*before_context.source, *old_value) == one_line_whole(*after_context.source, *new_value)) {
    const bool is_plain =
        is<Attribute>(new_target) || is<Subscript>(new_target) || (is<Name>(new_target) && !is<Call>(new_value));
    if (is<Name>(new_target) && is<Name>(old_target))
      return fmt::format("gives {} the name {} instead of {}", code(one_line(*after_context.source, *new_value, 60)),
                         code(one_line(*after_context.source, *new_target, 60)),
                         code(one_line(*before_context.source, *old_target, 60)));
    if (is_plain && !is<Tuple>(old_target))
      return fmt::format("sets {} in place of {} to {}", code(one_line(*after_context.source, *new_target, 60)),
                         code(one_line(*before_context.source, *old_target, 60)),
                         code(one_line(*after_context.source, *new_value, 60)));
    return fmt::format("takes {} from {} instead of {}", code(one_line(*after_context.source, *new_target, 60)),
                       code(one_line(*after_context.source, *new_value, 60)),
                       code(one_line(*before_context.source, *old_target, 60)));
  }
  const auto* old_definition = as<FunctionDef>(before.node);
  const auto* new_definition = as<FunctionDef>(after.node);
  if (old_definition != nullptr && new_definition != nullptr && old_definition->name.text == new_definition->name.text)
    return fmt::format("changes the inner function {}", code(new_definition->name.text));
  // `y = f(x)` where `f(x)` stood.
  if (const auto* alone = as<ExprStmt>(before.node);
      alone != nullptr && after.kind == StepKind::kPlain && new_value != nullptr && new_target != nullptr &&
      one_line_whole(*before_context.source, *alone->value) == one_line_whole(*after_context.source, *new_value))
    return fmt::format("keeps in {} what {} gives, which was dropped",
                       code(one_line(*after_context.source, *new_target, 60)),
                       code(one_line(*after_context.source, *new_value, 60)));
  if (!only_loses_name(before, *before_context.source, after, *after_context.source).empty())
    return fmt::format("returns {} without a name for it",
                       code(one_line(*after_context.source, *as<Return>(after.node)->value, 60)));
  // `return f(x)` where `f(x)` stood: what it gives was dropped.
  const auto* dropped = as<ExprStmt>(before.node);
  const auto* returned = as<Return>(after.node);
  if (dropped != nullptr && returned != nullptr && returned->value != nullptr &&
      one_line_whole(*before_context.source, *dropped->value) ==
          one_line_whole(*after_context.source, *returned->value))
    return fmt::format("returns {} instead of dropping its result",
                       code(one_line(*after_context.source, *returned->value, 60)));
  if (std::string words = assertion_words(before, before_context, after, after_context); !words.empty()) return words;
  if (const auto* result = as<Return>(before.node);
      result != nullptr && returned != nullptr && result->value != nullptr && returned->value != nullptr) {
    std::string lists = nested_lists_words(*result->value, *before_context.source, *returned->value,
                                           *after_context.source, "what it returns");
    if (!lists.empty()) return lists;
  }
  if (std::string operands =
          returned_operand_words(*before.node, *before_context.source, *after.node, *after_context.source);
      !operands.empty())
    return operands;
  // What is left out of a long value must not be what differs.
  const auto* was_added = as<AugAssign>(before.node);
  const auto* is_added = as<AugAssign>(after.node);
  if (was_added != nullptr && is_added != nullptr && was_added->op == is_added->op &&
      is_added->op == BinaryOperator::kAdd &&
      one_line(*before_context.source, *was_added->target) == one_line(*after_context.source, *is_added->target)) {
    const auto [was, is] = where_they_differ(*before_context.source, was_added->value->span, *after_context.source,
                                             is_added->value->span, 90);
    return fmt::format("adds {} to {} instead of {}", code(is),
                       code(one_line(*after_context.source, *is_added->target, 40)), code(was));
  }
  if (std::string words = caught_words(before, *before_context.source, after, *after_context.source); !words.empty())
    return words;
  // Only what people read differs.
  if (const std::string error = reworded_error(before, *before_context.source, after, *after_context.source);
      !error.empty())
    return fmt::format("gives its {} another message", code(error));
  const std::string now = step_words(after, after_context);
  if (now.empty()) return {};
  if (is<Return>(before.node) && is<Return>(after.node) && contains(now, "\u2026")) {
    // What is left out of a long value must not be what differs.
    const auto [was, is] =
        where_they_differ(*before_context.source, before.span, *after_context.source, after.span, 70);
    constexpr std::string_view kReturn = "return ";
    if (was.starts_with(kReturn) && is.starts_with(kReturn))
      return fmt::format("returns {} in place of {}", code(is.substr(kReturn.size())),
                         code(was.substr(kReturn.size())));
    return fmt::format("has {} in place of {} in what it returns", code(is), code(was));
  }
  return fmt::format(
      "{}{} in place of {}", now, contains(now, ", which ") ? "," : "",
      code(where_they_differ(*before_context.source, before.span, *after_context.source, after.span, 70).first));
}

}  // namespace lockstep::report
