#include "report/story/steps/step_edits.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/words.h"
#include "report/story/steps/step_alignment.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"

namespace lockstep::report {

using namespace python;

namespace {

/// What a statement is about: the assigned target, the callee, the returned thing, the raised class.
std::string subject_of(const Step& step, const SourceText& source) {
  if (step.kind != StepKind::kPlain) return {};
  if (const auto* assign = as<Assign>(step.node)) return "=" + without_layout(source, assign->targets.front()->span);
  if (const auto* annotated = as<AnnAssign>(step.node)) return "=" + without_layout(source, annotated->target->span);
  if (const auto* added = as<AugAssign>(step.node)) return "=" + without_layout(source, added->target->span);
  if (is<Return>(step.node)) return "return";
  if (is<Raise>(step.node)) return "raise";
  if (const auto* definition = as<FunctionDef>(step.node)) return "def" + std::string(definition->name.text);
  if (const auto* definition = as<ClassDef>(step.node)) return "class" + std::string(definition->name.text);
  if (const auto* expression = as<ExprStmt>(step.node)) {
    const auto* awaited = as<Await>(expression->value);
    const auto* call = as<Call>(awaited != nullptr ? awaited->value : expression->value);
    // Each option of a command line is a thing of its own.
    const bool is_option = call != nullptr && callee_name(*call) == "add_argument" && !call->arguments.empty();
    if (is_option)
      return "(" + without_layout(source, call->callee->span) + without_layout(source, call->arguments.front()->span);
    if (call != nullptr) return "(" + without_layout(source, call->callee->span);
  }
  return {};
}

/// Share of common bigrams, 0 to 1: cheap and blind to order, enough to tell an edit from another statement.
double similarity(const std::string& a, const std::string& b) {
  if (a.size() < 2 || b.size() < 2 || a.size() > 4000 || b.size() > 4000) return a == b ? 1.0 : 0.0;
  std::vector<std::uint16_t> left;
  std::vector<std::uint16_t> right;
  const auto bigrams = [](const std::string& text, std::vector<std::uint16_t>& out) {
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      out.push_back(static_cast<std::uint16_t>(static_cast<unsigned char>(text[i]) << 8 |
                                               static_cast<unsigned char>(text[i + 1])));
    }
    std::sort(out.begin(), out.end());
  };
  bigrams(a, left);
  bigrams(b, right);
  std::vector<std::uint16_t> both;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
  return 2.0 * static_cast<double>(both.size()) / static_cast<double>(left.size() + right.size());
}

/// What the steps of one status of a function are about: a call or a variable that the other side still, or already,
/// has is no edit of another one.
using Subjects = std::set<std::string>;

Subjects subjects_of(const std::vector<Step>& steps, const SourceText& source, StepStatus status) {
  Subjects out;
  for (const Step& step : steps) {
    std::string subject = step.status == status ? subject_of(step, source) : std::string();
    if (subject.starts_with('=') || subject.starts_with('(')) out.insert(std::move(subject));
  }
  return out;
}

/// Whether two statements set different things to one constant: `self.total += 1` is an edit of `self.count += 1` only
/// where the files know each name on one side alone.
bool are_two_constants(const Step& b, const SourceText& before_source, const Step& a, const SourceText& after_source) {
  const Expr* was = value_of_step(b);
  const Expr* is_now = value_of_step(a);
  if (was == nullptr || is_now == nullptr || !is<Constant>(was) || !is<Constant>(is_now)) return false;
  const auto renamed = renamed_words(b, before_source, a, after_source);
  return std::any_of(renamed.begin(), renamed.end(), [&](const auto& pair) {
    return find_name(after_source.bytes(), pair.first) != std::string_view::npos ||
           find_name(before_source.bytes(), pair.second) != std::string_view::npos;
  });
}

/// Whether one statement calls something and the other sets something that have no name in common: `f(x)` is an edit of
/// `y = f(x)` and of `x.y = 1` where it is `setattr(x, "y", 1)`, not of `y = x`.
bool are_call_and_other_variable(const std::string& subject, const std::string& text, const std::string& other_subject,
                                 const std::string& other_text) {
  if (subject.starts_with("=") && other_subject.starts_with("("))
    return are_call_and_other_variable(other_subject, other_text, subject, text);
  if (!subject.starts_with("(") || !other_subject.starts_with("=")) return false;
  const auto last = [](const std::string& name) { return name.substr(name.find_last_of(".(=") + 1); };
  const std::string called = last(subject);
  const std::string set = last(other_subject);
  return (called.empty() || find_name(other_text, called) == std::string_view::npos) &&
         (set.empty() || find_name(text, set) == std::string_view::npos);
}

/// Whether one statement writes elements of what the other changes in place by a method (`x[i] -= 1` and
/// `x.scatter_add_(0, i, one)`; torch ends the names of such methods with "_"): the same store, done otherwise.
bool write_one_store(const Step& b, const SourceText& before_source, const Step& a, const SourceText& after_source) {
  const auto written = [](const Step& step, const SourceText& source) -> std::string {
    const Expr* target = nullptr;
    if (const auto* assign = as<Assign>(step.node)) target = assign->targets.front();
    if (const auto* added = as<AugAssign>(step.node)) target = added->target;
    const auto* element = target == nullptr ? nullptr : as<Subscript>(target);
    return element == nullptr ? std::string() : without_layout(source, element->value->span);
  };
  const auto changed_in_place = [](const Step& step, const SourceText& source) -> std::string {
    const auto* statement = as<ExprStmt>(step.node);
    const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
    const auto* member = call == nullptr ? nullptr : as<Attribute>(call->callee);
    if (member == nullptr || !rules::works_in_place(member->name.text)) return {};
    const auto* element = as<Subscript>(member->value);
    return without_layout(source, element == nullptr ? member->value->span : element->value->span);
  };
  const auto are_one = [&](const Step& store, const SourceText& store_source, const Step& call,
                           const SourceText& call_source) {
    const std::string base = written(store, store_source);
    return !base.empty() && base == changed_in_place(call, call_source);
  };
  return are_one(b, before_source, a, after_source) || are_one(a, after_source, b, before_source);
}

/// Whether two statements set locals of different names to what is read of different attributes: `a = x.first` is no
/// edit of `b = x.second`.
bool read_other_attributes(const Step& b, const Step& a) {
  const auto local_of = [](const Step& step) {
    const auto* assign = as<Assign>(step.node);
    const auto* name = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Name>(assign->targets.front());
    return name == nullptr ? std::string_view() : std::string_view(name->id);
  };
  const auto attributes_of = [](const Step& step) {
    std::set<std::string_view> out;
    const Expr& value = *as<Assign>(step.node)->value;
    const auto take = [&](const Expr* one) {
      if (const auto* attribute = as<Attribute>(one)) out.insert(attribute->name.text);
    };
    take(&value);
    walk_expressions(value, Nested::kSkip, take);
    return out;
  };
  if (local_of(b).empty() || local_of(a).empty() || local_of(b) == local_of(a)) return false;
  const std::set<std::string_view> was = attributes_of(b);
  const std::set<std::string_view> is_now = attributes_of(a);
  return !was.empty() && !is_now.empty() &&
         std::none_of(was.begin(), was.end(), [&](std::string_view one) { return is_now.contains(one); });
}

/// Whether two `with` that name different things by texts: a span of a trace, a timer. What stands inside says whether
/// they are one.
bool name_other_texts(const Step& b, const Step& a) {
  if (b.kind != StepKind::kWith || a.kind != StepKind::kWith) return false;
  const auto texts_of = [](const Step& step) {
    std::set<std::string_view> out;
    for (const WithItem* item : as<With>(step.node)->items) {
      walk_expressions(*item->context, Nested::kSkip, [&](const Expr* each) {
        if (const std::string_view text = rules::text_of(each); !text.empty()) out.insert(text);
      });
    }
    return out;
  };
  const auto was = texts_of(b);
  const auto is_now = texts_of(a);
  return !was.empty() && !is_now.empty() &&
         std::none_of(was.begin(), was.end(), [&](std::string_view text) { return is_now.contains(text); });
}

/// Whether two steps tell people something else: of calls of a logger the words say which is which.
bool log_other_texts(const Step& b, const std::string& before, const Step& a, const std::string& after) {
  const auto is_log = [](const Step& step) {
    const Call* call = call_of_step(step);
    return call != nullptr && is<ExprStmt>(step.node) && (rules::is_log_call(call) || callee_name(*call) == "print");
  };
  constexpr double kLeast = 0.45;
  return is_log(b) && is_log(a) && similarity(before, after) < kLeast;
}

bool is_edit(const Step& b, const SourceText& before_source, const Subjects& gone, const Step& a,
             const SourceText& after_source, const Subjects& come) {
  if (b.kind != a.kind || b.is_elif != a.is_elif || is<Assert>(b.node) != is<Assert>(a.node)) return false;
  const std::string before = without_layout(before_source, b.span);
  const std::string after = without_layout(after_source, a.span);
  const std::string subject = subject_of(b, before_source);
  const std::string now = subject_of(a, after_source);
  if (log_other_texts(b, before, a, after)) return false;
  if (!subject.empty() && subject == now) return true;
  // Each has its own counterpart.
  if (come.contains(subject) || gone.contains(now)) return false;
  if (write_one_store(b, before_source, a, after_source)) return true;
  if (are_two_constants(b, before_source, a, after_source) ||
      are_call_and_other_variable(subject, before, now, after) || name_other_texts(b, a))
    return false;
  if (!renamed_words(b, before_source, a, after_source).empty()) return true;
  if (read_other_attributes(b, a)) return false;
  // Another variable that is set to another value is another statement, however alike the names are.
  const Expr* old_value = value_of_step(b);
  const Expr* new_value = value_of_step(a);
  if (subject.starts_with("=") && now.starts_with("=") && old_value != nullptr && new_value != nullptr &&
      similarity(without_layout(before_source, old_value->span), without_layout(after_source, new_value->span)) < 0.75)
    return false;
  return similarity(before, after) >= 0.6;
}

/// Whether most words of the shorter of two names are in the other: `reset` and `reset_all`.
bool are_named_alike(std::string_view a, std::string_view b) {
  const std::set<std::string> some = name_words(a);
  const std::set<std::string> others = name_words(b);
  const auto shared = static_cast<std::size_t>(
      std::count_if(some.begin(), some.end(), [&](const std::string& word) { return others.contains(word); }));
  return 2 * shared > std::min(some.size(), others.size());
}

/// Whether two calls are given something alike, are called on one object, or are named alike.
bool have_something_in_common(const Step& b, const SourceText& before_source, const Step& a,
                              const SourceText& after_source) {
  const Call* was = call_of_step(b);
  const Call* now = call_of_step(a);
  if (was == nullptr || now == nullptr) return false;
  if (are_named_alike(callee_name(*was), callee_name(*now))) return true;
  const auto given = [](const Call& call, const SourceText& source) {
    std::set<std::string> out;
    for (const Expr* argument : call.arguments) out.insert(without_layout(source, argument->span));
    for (const Keyword* keyword : call.keywords) out.insert(without_layout(source, keyword->value->span));
    if (const auto* method = as<Attribute>(call.callee)) out.insert(without_layout(source, method->value->span));
    return out;
  };
  const std::set<std::string> before = given(*was, before_source);
  const std::set<std::string> after = given(*now, after_source);
  // Neither is given anything: nothing tells them apart but their names.
  if (before.empty() && after.empty()) return true;
  return std::any_of(before.begin(), before.end(), [&](const std::string& one) { return after.contains(one); });
}

/// Whether one call stands where another one stood: neither has its counterpart elsewhere.
bool is_other_call(const Step& b, const SourceText& before_source, const Subjects& gone, const Step& a,
                   const SourceText& after_source, const Subjects& come) {
  const std::string was = subject_of(b, before_source);
  const std::string now = subject_of(a, after_source);
  return was.starts_with('(') && now.starts_with('(') && b.depth == a.depth && !come.contains(was) &&
         !gone.contains(now) && have_something_in_common(b, before_source, a, after_source);
}

/// The first step inside `head` but for checks of that status, which do nothing but refuse; end_of where there is none.
std::size_t first_inside(const std::vector<Step>& steps, std::size_t head, StepStatus status) {
  const std::size_t end = end_of(steps, head);
  std::size_t i = head + 1;
  while (i < end && steps[i].status == status && steps[i].kind == StepKind::kIf && only_refuses(steps, i))
    i = end_of(steps, i);
  return i;
}

/// The operands of a condition joined by `and` or `or`, without layout; the condition alone for others.
std::set<std::string> operands_of(const Expr& condition, const SourceText& source) {
  const auto* all = as<BoolOp>(&condition);
  if (all == nullptr) return {without_layout(source, condition.span)};
  std::set<std::string> out;
  for (const Expr* one : all->values) out.insert(without_layout(source, one->span));
  return out;
}

/// Whether one of the two branches asks all that the other one asks, and more.
bool extends_question(const Step& b, const SourceText& before_source, const Step& a, const SourceText& after_source) {
  const auto* was = as<If>(b.node);
  const auto* now = as<If>(a.node);
  if (was == nullptr || now == nullptr) return false;
  const std::set<std::string> asked = operands_of(*was->condition, before_source);
  const std::set<std::string> asks = operands_of(*now->condition, after_source);
  return std::includes(asked.begin(), asked.end(), asks.begin(), asks.end()) ||
         std::includes(asks.begin(), asks.end(), asked.begin(), asked.end());
}

/// Whether both are the head of one loop (`while`, or `for` with one target) or branch, the body of which begins with
/// what is kept: a loop over something else is that loop, and a branch that asks something else that branch, however
/// little the two heads have in common, where what is kept is more than a bare `return`. Checks that go or come before
/// it leave the branch what it is.
bool is_head_of_kept(const std::vector<Step>& before, const SourceText& before_source, std::size_t b,
                     const std::vector<Step>& after, const SourceText& after_source, std::size_t a) {
  if (before[b].kind != after[a].kind) return false;
  const bool is_branch = before[b].kind == StepKind::kIf;
  const std::size_t old_at = is_branch ? first_inside(before, b, StepStatus::kRemoved) : b + 1;
  const std::size_t new_at = is_branch ? first_inside(after, a, StepStatus::kAdded) : a + 1;
  if (old_at >= before.size() || new_at >= after.size()) return false;
  const Step& old_first = before[old_at];
  const Step& new_first = after[new_at];
  if (old_first.status != StepStatus::kKept || old_first.partner != new_at || old_first.depth != before[b].depth + 1 ||
      new_first.depth != after[a].depth + 1)
    return false;
  if (before[b].kind == StepKind::kWhile) return true;
  if (before[b].kind == StepKind::kWith) return tells_itself(old_first);
  if (before[b].kind == StepKind::kIf)
    return before[b].is_elif == after[a].is_elif &&
           (tells_itself(old_first) || extends_question(before[b], before_source, after[a], after_source));
  const auto* was = as<For>(before[b].node);
  const auto* is_now = as<For>(after[a].node);
  return before[b].kind == StepKind::kFor && was != nullptr && is_now != nullptr &&
         without_layout(before_source, was->target->span) == without_layout(after_source, is_now->target->span);
}

/// Whether two `raise` stand alone in branches of which the one goes and the other comes: each goes with its own.
bool are_of_other_checks(const std::vector<Step>& before, std::size_t b, const std::vector<Step>& after,
                         std::size_t a) {
  if (!is<Raise>(before[b].node) || !is<Raise>(after[a].node)) return false;
  const std::size_t was = before[b].parent;
  const std::size_t now = after[a].parent;
  return was != Step::kNone && now != Step::kNone && before[was].kind == StepKind::kIf &&
         after[now].kind == StepKind::kIf && before[was].status == StepStatus::kRemoved &&
         after[now].status == StepStatus::kAdded;
}

/// `True`, `None`, `0`, `"a"`.
bool is_plain_constant(const Expr* value) { return value != nullptr && is<Constant>(value); }

/// Whether `b` is the one return of the old version, which worked out a value, and `a` returns a constant among other
/// new returns: what was returned always is no longer returned, and none of the new ones stands for it.
bool are_of_other_cases(const std::vector<Step>& before, std::size_t b, const std::vector<Step>& after, std::size_t a) {
  const auto* was = as<Return>(before[b].node);
  const auto* now = as<Return>(after[a].node);
  if (was == nullptr || now == nullptr || was->value == nullptr || before[b].parent != Step::kNone) return false;
  if (is_plain_constant(was->value) || is<Name>(was->value) || !is_plain_constant(now->value)) return false;
  const auto returns = [](const std::vector<Step>& steps, StepStatus kept) {
    return std::count_if(steps.begin(), steps.end(),
                         [&](const Step& step) { return is<Return>(step.node) && step.status != kept; });
  };
  const auto all = std::count_if(before.begin(), before.end(), [](const Step& step) { return is<Return>(step.node); });
  return all == 1 && returns(after, StepStatus::kKept) > 1;
}

/// Whether `b` is one of several places that set what `a`, which chooses itself, sets at another depth: the whole
/// choice between them became one statement, none of them alone.
bool is_one_side_of_choice(const std::vector<Step>& before, std::size_t b, const SourceText& before_source,
                           const Step& a) {
  const std::string subject = subject_of(before[b], before_source);
  if (before[b].depth <= a.depth || !subject.starts_with('=') || !is<IfExp>(value_of_step(a))) return false;
  std::size_t sides = 0;
  for (const Step& step : before)
    sides += step.status == StepStatus::kRemoved && step.depth == before[b].depth &&
             subject_of(step, before_source) == subject;
  return sides > 1;
}

/// Steps [from, to) of one side of a difference.
struct Block {
  const std::vector<Step>& steps;
  const SourceText& source;
  std::size_t from, to;
};

/// Of assignments that set different names: whether one of the two is more like another step of the other side's block.
/// `self.shape = config.shape` is no edit of `dtype = config.dtype` where `shape = config.shape` stands there, too.
bool is_liker_another(const Block& gone, std::size_t b, const Block& come, std::size_t a) {
  const std::string was = subject_of(gone.steps[b], gone.source);
  const std::string now = subject_of(come.steps[a], come.source);
  if (!was.starts_with('=') || !now.starts_with('=') || was == now) return false;
  const auto text = [](const Block& block, std::size_t index) {
    return without_layout(block.source, block.steps[index].span);
  };
  const auto any_liker = [&](const Block& block, std::size_t but, const std::string& other, double likeness) {
    for (std::size_t i = block.from; i < block.to; ++i) {
      const bool is_assignment = subject_of(block.steps[i], block.source).starts_with('=');
      if (i != but && is_assignment && similarity(text(block, i), other) > likeness) return true;
    }
    return false;
  };
  const std::string old_text = text(gone, b), new_text = text(come, a);
  const double likeness = similarity(old_text, new_text);
  return any_liker(come, a, old_text, likeness) || any_liker(gone, b, new_text, likeness);
}

/// The value, without layout, that a step gives to a plain variable, where it is more than a name or a constant; empty
/// for other steps.
std::string told_value(const Step& step, const SourceText& source) {
  constexpr std::size_t kFewest = 12;
  const Expr* target = nullptr;
  const Expr* value = step.kind == StepKind::kPlain ? assigned_value(step.node, target) : nullptr;
  if (value == nullptr || !is<Name>(target) || is<Constant>(value) || is<Name>(value)) return {};
  std::string text = without_layout(source, value->span);
  return text.size() < kFewest ? std::string() : text;
}

/// The one step of [from, to) that is of this status and gives this value; kNone where none does, or several.
std::size_t only_with_value(const std::vector<Step>& steps, const SourceText& source, StepStatus status,
                            const std::string& value) {
  std::size_t found = Step::kNone;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].status != status || told_value(steps[i], source) != value) continue;
    if (found != Step::kNone) return Step::kNone;
    found = i;
  }
  return found;
}

/// A value that lives on under a name that another value had: `a = f(x)`, `b = g(x)` became `b = f(x)`. That is no edit
/// of `b = g(x)`. What the two names stand for is taken out of `gone` and `come`.
void match_names_taken_over(std::vector<Step>& before, const SourceText& before_source, Subjects& gone,
                            std::vector<Step>& after, const SourceText& after_source, Subjects& come) {
  for (std::size_t b = 0; b < before.size(); ++b) {
    const std::string was = subject_of(before[b], before_source);
    const std::string value =
        before[b].status == StepStatus::kRemoved ? told_value(before[b], before_source) : std::string();
    if (value.empty() || only_with_value(before, before_source, StepStatus::kRemoved, value) != b) continue;
    const std::size_t a = only_with_value(after, after_source, StepStatus::kAdded, value);
    if (a == Step::kNone) continue;
    const std::string now = subject_of(after[a], after_source);
    const bool is_still_set = std::any_of(after.begin(), after.end(),
                                          [&](const Step& step) { return subject_of(step, after_source) == was; });
    if (was == now || is_still_set || !gone.contains(now) || before[b].depth != after[a].depth) continue;
    // What stays keeps its order.
    const bool is_crossed = std::any_of(before.begin(), before.end(), [&](const Step& step) {
      const auto at = static_cast<std::size_t>(&step - before.data());
      return step.partner != Step::kNone && (at < b) != (step.partner < a);
    });
    if (is_crossed) continue;
    pair_up(before, b, after, a, StepStatus::kChanged);
    gone.erase(was);
    come.erase(now);
  }
}

}  // namespace

void match_edits(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                 const SourceText& after_source) {
  Subjects gone = subjects_of(before, before_source, StepStatus::kRemoved);
  Subjects come = subjects_of(after, after_source, StepStatus::kAdded);
  match_names_taken_over(before, before_source, gone, after, after_source, come);
  std::size_t b = 0;
  std::size_t a = 0;
  while (b < before.size() || a < after.size()) {
    if (b < before.size() && a < after.size() &&
        ((before[b].status == StepStatus::kKept && after[a].status == StepStatus::kKept) ||
         (before[b].status == StepStatus::kChanged && before[b].partner == a))) {
      ++b;
      ++a;
      continue;
    }
    const std::size_t b0 = b;
    const std::size_t a0 = a;
    while (b < before.size() && before[b].status == StepStatus::kRemoved) ++b;
    while (a < after.size() && after[a].status == StepStatus::kAdded) ++a;
    if (b == b0 && a == a0) break;  // Cannot happen: kept steps come in pairs, in order.
    if ((b - b0) * (a - a0) > 40'000) continue;
    if (b - b0 == 1 && a - a0 == 1 && is_other_call(before[b0], before_source, gone, after[a0], after_source, come)) {
      pair_up(before, b0, after, a0, StepStatus::kChanged);
      continue;
    }
    std::size_t next = a0;
    for (std::size_t i = b0; i < b; ++i) {
      for (std::size_t j = next; j < a; ++j) {
        if ((!is_edit(before[i], before_source, gone, after[j], after_source, come) ||
             are_of_other_checks(before, i, after, j) || are_of_other_cases(before, i, after, j) ||
             is_one_side_of_choice(before, i, before_source, after[j]) ||
             is_liker_another({before, before_source, b0, b}, i, {after, after_source, a0, a}, j)) &&
            !is_head_of_kept(before, before_source, i, after, after_source, j))
          continue;
        pair_up(before, i, after, j, StepStatus::kChanged);
        next = j + 1;
        break;
      }
    }
  }
}

}  // namespace lockstep::report
