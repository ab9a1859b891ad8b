#include "report/story/wording/condition_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/steps/turned_branches.h"
#include "report/story/steps/turned_guards.h"
#include "report/story/wording/alternatives.h"
#include "report/story/wording/differing_text.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The operands of a condition joined by `and`, as texts; the condition alone for others.
std::vector<std::pair<std::string, const Expr*>> conjuncts_of(const Expr& condition, const SourceText& source) {
  std::vector<std::pair<std::string, const Expr*>> operands;
  const auto add = [&](const Expr& one) { operands.emplace_back(one_line_whole(source, one.span), &one); };
  const auto* all = as<BoolOp>(&condition);
  if (all == nullptr || all->op != BoolOperator::kAnd) {
    add(condition);
  } else {
    for (const Expr* one : all->values) add(*one);
  }
  return operands;
}

/// The operands of either condition, in words, that the other one does not have.
struct Operands {
  std::vector<std::string> gone, added;
  bool is_merged = false;  ///< What one asked alone another one asks with it.
};

Operands operands_beyond(const Expr& before, const SourceText& before_source, const Expr& after,
                         const SourceText& after_source, const AskedWith& asked) {
  const auto old_operands = conjuncts_of(before, before_source);
  const auto new_operands = conjuncts_of(after, after_source);
  Operands out;
  const auto beyond = [&](const auto& operands, const auto& others, const std::vector<std::string>& with,
                          const SourceText& source) {
    std::vector<std::string> words;
    for (const auto& [text, operand] : operands) {
      const bool is_shared =
          std::any_of(others.begin(), others.end(), [&own = text](const auto& other) { return other.first == own; });
      const bool is_with = !is_shared && std::find(with.begin(), with.end(), text) != with.end();
      out.is_merged = out.is_merged || is_with;
      if (!is_shared && !is_with) words.push_back(condition_words(*operand, source));
    }
    return words;
  };
  out.gone = beyond(old_operands, new_operands, asked.after, before_source);
  out.added = beyond(new_operands, old_operands, asked.before, after_source);
  return out;
}

/// Of a branch that is taken under one condition more or fewer than before; empty for others, nullopt where it only
/// asks in one place what two asked.
std::optional<std::string> more_operands_words(const Expr& before, const SourceText& before_source, const Expr& after,
                                               const SourceText& after_source, const AskedWith& asked) {
  const std::size_t were = conjuncts_of(before, before_source).size();
  const std::size_t are = conjuncts_of(after, after_source).size();
  const auto [gone, added, is_merged] = operands_beyond(before, before_source, after, after_source, asked);
  if (is_merged && gone.empty() && added.empty()) return std::nullopt;
  if (gone.empty() && !added.empty() && are > were) {
    return fmt::format("requires also that {} for the branch on {}", join_words(added),
                       code(one_line(before_source, before.span, 90)));
  }
  if (added.empty() && !gone.empty() && were > are) {
    return fmt::format("no longer requires that {} for the branch on {}", join_words(gone),
                       code(one_line(after_source, after.span, 90)));
  }
  return std::string();
}

/// "raises `ValueError` on `a` only where `b`, too": the same of a branch that does nothing but raise; empty for
/// others.
std::string refusal_words(const Step& before, const WordsContext& before_context, const Step& after,
                          const WordsContext& after_context, const AskedWith& asked) {
  const auto* was = as<If>(before.node);
  const auto* is = as<If>(after.node);
  const auto* raise = is->body.size() == 1 && is->orelse.empty() ? as<Raise>(is->body.front()) : nullptr;
  if (raise == nullptr || raise->exception == nullptr || was->body.size() != 1 ||
      as<Raise>(was->body.front()) == nullptr)
    return {};
  const auto [gone, added, is_merged] =
      operands_beyond(*was->condition, *before_context.source, *is->condition, *after_context.source, asked);
  if (is_merged || gone.empty() == added.empty()) return {};
  const auto* made = as<Call>(raise->exception);
  const std::string what =
      code(one_line(*after_context.source, made != nullptr ? *made->callee : *raise->exception, 40));
  return added.empty()
             ? fmt::format("raises {} on {} whether or not {}", what,
                           code(one_line(*after_context.source, is->condition->span, 90)), join_words(gone, "or"))
             : fmt::format("raises {} on {} only where {}, too", what,
                           code(one_line(*before_context.source, was->condition->span, 90)), join_words(added));
}

/// ", which calls `f`": the first thing that a branch does, where that is a call; empty for others.
std::string done_there(const If& branch, const SourceText& source) {
  constexpr std::size_t kLongest = 40;
  for (const Stmt* statement : branch.body) {
    const auto* dropped = as<ExprStmt>(statement);
    const auto* assign = as<Assign>(statement);
    const Expr* value = dropped != nullptr ? dropped->value : assign != nullptr ? assign->value : nullptr;
    if (const auto* awaited = as<Await>(value)) value = awaited->value;
    const auto* call = as<Call>(value);
    // What a branch says beside what it does is no news; of one that does nothing else it is all.
    if (call == nullptr || (rules::is_log_call(call) && branch.body.size() > 1)) return {};
    const std::string callee = one_line_whole(source, *call->callee);
    return callee.size() > kLongest ? std::string() : fmt::format(", which calls {}", code(callee));
  }
  return {};
}

/// What taking a branch does, as before: its one statement in words, "takes the branch that returns `x`"; where that is
/// not so simple, "takes the branch".
std::string branch_words(const If& before, const WordsContext& before_context, const If& branch,
                         const WordsContext& context) {
  constexpr std::size_t kMostText = 90;
  const auto is_way_out = [](const Stmt* one) {
    return is<Return>(one) || is<Raise>(one) || is<Continue>(one) || is<Break>(one);
  };
  const auto telling = [&](const If& one) { return is_way_out(one.body.back()) ? one.body.back() : one.body.front(); };
  const Stmt* told = telling(branch);
  const auto* was_raised = as<Raise>(telling(before));
  const auto* raised = as<Raise>(told);
  const auto class_of = [](const Raise& one) {
    const auto* made = as<Call>(one.exception);
    return made == nullptr ? std::string() : dotted_text(made->callee);
  };
  if (was_raised != nullptr && raised != nullptr && branch.body.size() == 1 && !class_of(*raised).empty() &&
      class_of(*was_raised) == class_of(*raised))
    return fmt::format("raises {}", code(class_of(*raised)));
  // Where it is not so simple: the first code of the repository that it calls; else what it sets last on an object, or
  // the first method of such that it calls.
  const auto by_call = [&]() -> std::string {
    std::string name;
    // What is called in any case says more than what stands under a further condition.
    for (const bool is_conditional : {false, true}) {
      for (const Stmt* one : branch.body) {
        if (is<If>(one) != is_conditional) continue;
        walk_of<Call>(*one, Nested::kSkip, [&](const Call* call) {
          if (name.empty() && !rules::is_log_call(call) && !callees_of(*context.program, call).empty())
            name = dotted_text(call->callee);
        });
      }
    }
    const Assign* set = nullptr;
    std::string method;
    for (const Stmt* one : branch.body) {
      if (!name.empty()) break;
      walk_statements(*one, Nested::kSkip, [&](const Stmt* inner) {
        const auto* assign = as<Assign>(inner);
        if (assign != nullptr && is<Attribute>(assign->targets.front())) set = assign;
      });
      walk_of<Call>(*one, Nested::kSkip, [&](const Call* call) {
        const std::string callee = dotted_text(call->callee);
        if (method.empty() && callee.starts_with("self.")) method = callee;
      });
    }
    if (set != nullptr)
      return fmt::format("takes the branch that sets {} to {}",
                         code(one_line(*context.source, *set->targets.front(), 40)),
                         code(one_line(*context.source, *set->value, 40)));
    if (name.empty()) name = method;
    return name.empty() ? "takes the branch" : fmt::format("takes the branch that calls {}", code(name));
  };
  if (one_line_whole(*before_context.source, *telling(before)) != one_line_whole(*context.source, *told))
    return by_call();
  Step step;
  step.kind = StepKind::kPlain;
  step.node = told;
  step.span = told->span;
  WordsContext brief = context;
  brief.is_brief = true;
  const bool is_plain = is_way_out(told) || is<Assign>(told) || is<AugAssign>(told) || is<ExprStmt>(told);
  const std::string words = is_plain ? step_words(step, brief) : std::string();
  if (words.empty() || words.size() > kMostText) return by_call();
  return branch.body.size() == 1 ? words : "takes the branch that " + words;
}

/// What a condition asks about, whole, without what it asks of it.
void add_asked_about(const Expr& condition, const SourceText& source, std::vector<std::string>& out) {
  if (const auto* all = as<BoolOp>(&condition)) {
    for (const Expr* one : all->values) add_asked_about(*one, source, out);
  } else if (const auto* other = as<UnaryOp>(&condition); other != nullptr && other->op == UnaryOperator::kNot) {
    add_asked_about(*other->operand, source, out);
  } else if (const auto* compare = as<Compare>(&condition)) {
    out.push_back(one_line_whole(source, *compare->left));
    for (const Expr* one : compare->comparators) out.push_back(one_line_whole(source, *one));
  } else {
    out.push_back(one_line_whole(source, condition));
  }
}

/// "asks whether … where it asked for the opposite", "returns `x` when …, formerly when …": of a branch that asks
/// something else. Words cut what they quote, so the whole texts decide.
std::string other_condition_words(const If& before, const WordsContext& before_context, const If& after,
                                  const WordsContext& after_context) {
  const SourceText& before_source = *before_context.source;
  const SourceText& after_source = *after_context.source;
  const Expr& was = *before.condition;
  const Expr& is = *after.condition;
  std::vector<std::string> asked;
  std::vector<std::string> asks;
  add_asked_about(was, before_source, asked);
  add_asked_about(is, after_source, asks);
  std::string old_words = condition_words(was, before_source);
  std::string new_words = condition_words(is, after_source);
  const bool is_opposite = old_words == condition_words(is, after_source, true);
  // What the branch does may have been turned round with it.
  if (turns_guard(before, before_source, after, after_source)) {
    std::string out = fmt::format("{} when {}, formerly when {}",
                                  branch_words(before, before_context, after, after_context), new_words, old_words);
    if (const std::vector<std::string> behind = collectives_behind(before, before_context); !behind.empty())
      out += fmt::format(" (so that {} behind it {} issued only when {})", join_words(behind),
                         behind.size() == 1 ? "was" : "were", new_words);
    return out;
  }
  if (is_opposite && asked == asks) return fmt::format("asks whether {} where it asked for the opposite", new_words);
  if (is_opposite || old_words == new_words) {
    const auto [old_text, new_text] = where_they_differ(before_source, was.span, after_source, is.span, 70);
    old_words = code(old_text) + " holds";
    new_words = code(new_text) + " holds";
  }
  const std::string branch = branch_words(before, before_context, after, after_context);
  if (arms_change_places(before, before_context, after, after_context))
    return fmt::format("{} when {}, formerly when {}", branch, new_words, condition_words(was, before_source, true));
  const Alternatives alternatives = compare_alternatives(was, before_source, is, after_source);
  if (alternatives.only_came())
    return fmt::format("{} also when {}", branch, any_of_words(alternatives.added, after_source));
  if (alternatives.only_went())
    return fmt::format("{} when {}, no longer when only {}", branch, new_words,
                       any_of_words(alternatives.gone, before_source));
  return fmt::format("{} when {}, formerly when {}", branch, new_words, old_words);
}

/// Of a branch that asks for more itself, and left one that asked for something which it does not: what it asks for
/// alone would tell half of it. Empty for others.
std::string left_branch_words(const Step& before, const WordsContext& before_context, const Step& after,
                              const WordsContext& after_context, const AskedWith& asked) {
  const auto* was = as<If>(before.node);
  const auto* is = as<If>(after.node);
  if (was == nullptr || is == nullptr) return {};
  std::vector<std::string> now = asked.after;
  for (const auto& [text, operand] : conjuncts_of(*is->condition, *after_context.source)) now.push_back(text);
  std::string left;
  for (const std::string& one : asked.before) {
    if (left.empty() && std::find(now.begin(), now.end(), one) == now.end()) left = one;
  }
  std::vector<std::string> old = asked.before;
  for (const auto& [text, operand] : conjuncts_of(*was->condition, *before_context.source)) old.push_back(text);
  const bool asks_more = std::any_of(
      now.begin(), now.end(), [&](const auto& one) { return std::find(old.begin(), old.end(), one) == old.end(); });
  if (left.empty() || !asks_more) return {};
  return fmt::format("{} when {}, formerly when {}, inside the branch on {}",
                     branch_words(*was, before_context, *is, after_context),
                     condition_words(*is->condition, *after_context.source),
                     condition_words(*was->condition, *before_context.source), code(left));
}

}  // namespace

std::string branch_edit_words(const Step& before, const WordsContext& before_context, const Step& after,
                              const WordsContext& after_context, const AskedWith& asked) {
  if (std::string left = left_branch_words(before, before_context, after, after_context, asked); !left.empty())
    return left;
  std::optional<std::string> more = more_operands_words(*as<If>(before.node)->condition, *before_context.source,
                                                        *as<If>(after.node)->condition, *after_context.source, asked);
  if (!more) return {};
  if (const std::string refused = refusal_words(before, before_context, after, after_context, asked);
      !more->empty() && !refused.empty())
    return refused;
  if (!more->empty()) return *more + done_there(*as<If>(after.node), *after_context.source);
  return other_condition_words(*as<If>(before.node), before_context, *as<If>(after.node), after_context);
}

std::string assertion_words(const Step& before, const WordsContext& before_context, const Step& after,
                            const WordsContext& after_context) {
  constexpr std::size_t kLongest = 90;
  const auto* was = as<Assert>(before.node);
  const auto* is = as<Assert>(after.node);
  if (was == nullptr || is == nullptr) return {};
  const SourceText& old_source = *before_context.source;
  const SourceText& new_source = *after_context.source;
  if (one_line_whole(old_source, *was->test) == one_line_whole(new_source, *is->test)) return {};
  const std::string old_words = condition_words(*was->test, old_source);
  const std::string new_words = condition_words(*is->test, new_source);
  const Alternatives alternatives = compare_alternatives(*was->test, old_source, *is->test, new_source);
  if (alternatives.only_came())
    return fmt::format("also accepts that {}, where it insisted that {}", any_of_words(alternatives.added, new_source),
                       old_words);
  // What is cut may be what differs.
  const auto is_cut = [](const std::string& words) { return contains(words, "\u2026"); };
  if (!is_cut(old_words) && !is_cut(new_words) && old_words != new_words)
    return fmt::format("{}, formerly that {}", step_words(after, after_context), old_words);
  const auto [old_text, new_text] =
      where_they_differ(old_source, was->test->span, new_source, is->test->span, kLongest);
  return fmt::format("insists that {} holds, formerly that {} holds", code(new_text), code(old_text));
}

}  // namespace lockstep::report
