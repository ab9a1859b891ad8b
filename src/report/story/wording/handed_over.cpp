#include "report/story/wording/handed_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/story/calls/calls.h"
#include "report/story/steps/removed_steps.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/edits.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kFew = 3;
constexpr std::size_t kFewestBranches = 2;  ///< Of one choice: one alone is an extraction like others.

bool is_handed_over(const Actor& actor, const Step& step) {
  // Within one function a check has another form now, which is told with its new one.
  return step.elsewhere != nullptr && step.elsewhere != actor.change;
}

/// Whether the function that has the step now calls this one, and is not called by it.
bool calls_this(const DocumentInputs& inputs, const Actor& actor, const Step& step) {
  const change::EntityChange& other = *step.elsewhere;
  return actor.change->after && other.after && calls(*inputs.after, other, actor.change->after->function) &&
         !calls(*inputs.after, *actor.change, other.after->function);
}

/// Whether a step says enough to be told as moved by itself: a branch with all in it, or a statement that calls
/// something.
bool says_enough(const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.before;
  const Step& step = steps[index];
  if (!step.is_led_there || !tells_itself(step) || only_logs(steps, index)) return false;
  if (step.kind == StepKind::kIf) return is_elsewhere(steps, index);
  return call_of_step(step) != nullptr;
}

}  // namespace

std::string condition_there(const DocumentInputs& inputs, const Actor& actor, const Step& step) {
  constexpr std::size_t kMostConditions = 2;
  const change::EntityChange& there = *step.elsewhere;
  if (there.status != change::Status::kAdded || !there.after || !there.after->function.valid() || step.differs_there ||
      !is<FunctionDef>(there.after->node))
    return {};
  const SourceText& source = source_of(*inputs.after, there.after->function);
  const std::vector<Step> steps = steps_of(*there.after->node, source);
  const auto is_it = [&](const Step& one) { return one.fingerprint == step.fingerprint; };
  const auto found = std::find_if(steps.begin(), steps.end(), is_it);
  if (found == steps.end() || std::count_if(steps.begin(), steps.end(), is_it) > 1) return {};
  std::set<std::string> asked_here;
  for (const Step& one : actor.steps.before) {
    if (const auto* branch = one.kind == StepKind::kIf ? as<If>(one.node) : nullptr)
      asked_here.insert(one_line_whole(*actor.steps.before_source, *branch->condition));
  }
  std::vector<Guard> guards = guards_of(*there.after->node, found->span);
  // What is asked of each item of a loop there may have been asked in other words here.
  const bool is_in_loop = std::any_of(guards.begin(), guards.end(), [](const Guard& guard) {
    return is<For>(guard.statement) || is<While>(guard.statement);
  });
  if (is_in_loop) return {};
  std::erase_if(guards, [&](const Guard& guard) {
    return guard.condition == nullptr || !is<If>(guard.statement) ||
           asked_here.contains(one_line_whole(source, *guard.condition));
  });
  if (guards.empty() || guards.size() > kMostConditions) return {};
  // What stood under as many conditions may have been asked the same in other words.
  std::vector<Guard> own = guards_of(*actor.change->before->node, step.span);
  std::erase_if(own, [](const Guard& guard) { return guard.condition == nullptr || !is<If>(guard.statement); });
  if (own.size() >= guards.size()) return {};
  return guards_words(guards, source, kMostConditions);
}

namespace {

/// ", which does so only when `a` is set"; empty where nothing more is asked there.
std::string asked_there(const DocumentInputs& inputs, const Actor& actor, const Step& step) {
  const std::string words = condition_there(inputs, actor, step);
  return words.empty() ? words : fmt::format(", which does so only when {}", words);
}

/// "`f(x)`" and " to `g`, which calls this one", of what moves.
std::pair<std::string, std::string> moved_words(const DocumentInputs& inputs, const Actor& actor, std::size_t index) {
  const Step& step = actor.steps.before[index];
  std::string what = fmt::format("{}{}", step.kind == StepKind::kIf ? "the branch " : "",
                                 code(one_line(*actor.steps.before_source, step.span, 70)));
  std::string where = fmt::format(" to {}", code(short_name(inputs, *step.elsewhere)));
  if (step.differs_there) return {std::move(what), where + ", with changes"};
  if (const std::string asked = asked_there(inputs, actor, step); !asked.empty())
    return {std::move(what), where + asked};
  return {std::move(what), calls_this(inputs, actor, step) ? where + ", which calls this one" : where};
}

/// Whether a function has a step to the letter, under whatever conditions.
class LettersThere {
 public:
  explicit LettersThere(const DocumentInputs& inputs) : inputs_(inputs) {}

  bool has(const change::EntityChange& there, const Step& step) {
    const auto [known, is_new] = fingerprints_.try_emplace(&there);
    if (is_new && there.after && there.after->function.valid() && is<FunctionDef>(there.after->node)) {
      const SourceText& source = source_of(*inputs_.after, there.after->function);
      for (const Step& one : steps_of(*there.after->node, source)) known->second.insert(one.fingerprint);
    }
    return known->second.contains(step.fingerprint);
  }

 private:
  const DocumentInputs& inputs_;
  std::map<const change::EntityChange*, std::set<std::uint64_t>> fingerprints_;
};

std::string words_of(const DocumentInputs& inputs, const Actor& actor, const std::vector<std::size_t>& steps) {
  LettersThere letters(inputs);
  std::size_t count = 0;
  std::size_t changed = 0;
  std::vector<std::string> names;
  std::string check;
  bool check_differs = false;
  std::string question;
  std::vector<std::string> moved;  // What goes to the place of the first.
  std::string moved_to;
  std::set<std::string> asked;  // The same of all steps that call something, or nothing is said.
  for (const std::size_t i : steps) {
    const Step& step = actor.steps.before[i];
    if (!is_handed_over(actor, step)) continue;
    ++count;
    changed += step.differs_there && !letters.has(*step.elsewhere, step) ? 1 : 0;
    std::string name = code(short_name(inputs, *step.elsewhere));
    if (check.empty() &&
        (is<Assert>(step.node) || (step.kind == StepKind::kIf && only_refuses(actor.steps.before, i)))) {
      check = code(one_line(*actor.steps.before_source, step.span, 70));
      check_differs = step.differs_there;
    }
    if (question.empty() && step.kind == StepKind::kIf && end_of(actor.steps.before, i) == i + 2 &&
        is_elsewhere(actor.steps.before, i) && is<Return>(actor.steps.before[i + 1].node))
      question = condition_words(*as<If>(step.node)->condition, *actor.steps.before_source);
    if (says_enough(actor, i)) {
      auto [what, where] = moved_words(inputs, actor, i);
      if (moved.empty()) moved_to = where;
      // The same from two branches.
      const bool is_told = std::find(moved.begin(), moved.end(), what) != moved.end();
      if (where == moved_to && !is_told) moved.push_back(std::move(what));
    }
    if (call_of_step(step) != nullptr) asked.insert(asked_there(inputs, actor, step));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  if (count < kFew && !check.empty())
    return fmt::format("leaves the check {} to {}{}", check, join_words(names), check_differs ? ", with changes" : "");
  if (count < kFew && !question.empty())
    return fmt::format("leaves it to {} to ask whether {}", join_words(names), question);
  if (count < kFew) return moved.empty() ? std::string() : fmt::format("moves {}{}", join_words(moved), moved_to);
  if (names.size() > kFew + 1) {
    const std::size_t more = names.size() - kFew;
    names.resize(kFew);
    names.push_back(fmt::format("{} more", more));
  }
  std::string out = fmt::format("moves {} to {}", count_of(count, "step"), join_words(names));
  if (changed > 0) out += fmt::format(", {} of them changed", changed == count ? "all" : std::to_string(changed));
  if (changed == 0 && names.size() == 1 && asked.size() == 1) out += *asked.begin();
  return out;
}

}  // namespace

namespace {

/// The heads of branches of one choice that went each to a new function of its own, with all or most of what they held;
/// of several choices those of the one with the most.
std::vector<std::size_t> moved_branches(const Actor& actor, const std::vector<std::size_t>& among) {
  const std::vector<Step>& steps = actor.steps.before;
  const auto is_head = [&](const Step& step) {
    const bool is_outer = step.parent == Step::kNone || steps[step.parent].status != StepStatus::kRemoved;
    return step.kind == StepKind::kIf && is_outer && is_handed_over(actor, step) && step.is_led_there &&
           step.elsewhere->status == change::Status::kAdded;
  };
  std::map<std::size_t, std::vector<std::size_t>> by_parent;
  for (const std::size_t i : among) {
    const auto is_other = [&](const Step& other) {
      return &other != &steps[i] && is_head(other) && other.parent == steps[i].parent &&
             other.elsewhere == steps[i].elsewhere;
    };
    if (is_head(steps[i]) && std::none_of(steps.begin(), steps.end(), is_other))
      by_parent[steps[i].parent].push_back(i);
  }
  std::vector<std::size_t> most;
  for (auto& [parent, heads] : by_parent) {
    const bool is_choice = std::any_of(heads.begin(), heads.end(), [&](std::size_t i) { return steps[i].is_elif; });
    if (is_choice && heads.size() > most.size()) most = heads;
  }
  return most;
}

}  // namespace

std::string moved_branches_words(const DocumentInputs& inputs, const Actor& actor,
                                 const std::vector<std::size_t>& steps) {
  const std::vector<std::size_t> heads = moved_branches(actor, steps);
  if (heads.size() < kFewestBranches) return {};
  std::vector<std::string> told;
  bool differ = false;
  for (const std::size_t i : heads) {
    const Step& step = actor.steps.before[i];
    differ = differ || step.differs_there;
    if (told.size() == kFew) continue;
    told.push_back(fmt::format("where {} to {}",
                               condition_words(*as<If>(step.node)->condition, *actor.steps.before_source),
                               code(short_name(inputs, *step.elsewhere))));
  }
  const std::size_t more = heads.size() - told.size();
  return fmt::format("moves {} to functions of their own: {}{}{}", count_of(heads.size(), "branch", "branches"),
                     join(told, ", "), more > 0 ? fmt::format(", and {} more", more) : "",
                     differ ? "; not all is as it was" : "");
}

namespace {

std::vector<std::size_t> all_of(const Actor& actor) {
  std::vector<std::size_t> all(actor.steps.before.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

}  // namespace

std::string moved_branches_words(const DocumentInputs& inputs, const Actor& actor) {
  return moved_branches_words(inputs, actor, all_of(actor));
}

std::vector<std::size_t> moved_branches(const Actor& actor) {
  std::vector<std::size_t> heads = moved_branches(actor, all_of(actor));
  if (heads.size() < kFewestBranches) heads.clear();
  return heads;
}

bool is_question_of_moved(const Actor& actor, const std::vector<std::size_t>& heads, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.before;
  bool is_asked = false;
  for (std::size_t up = index; up != Step::kNone; up = steps[up].parent) {
    if (std::find(heads.begin(), heads.end(), up) != heads.end()) return is_asked;
    is_asked = is_asked || steps[up].kind == StepKind::kIf || steps[up].kind == StepKind::kElse;
  }
  return false;
}

std::vector<std::string> hand_over_words(const DocumentInputs& inputs, const Actor& actor,
                                         const std::vector<std::size_t>& steps) {
  std::set<std::size_t> told;
  for (const std::size_t head : moved_branches(actor)) {
    for (std::size_t i = head; i < end_of(actor.steps.before, head); ++i) {
      if (actor.steps.before[i].elsewhere == actor.steps.before[head].elsewhere) told.insert(i);
    }
  }
  std::vector<std::size_t> down;
  std::vector<std::size_t> up;
  for (const std::size_t i : steps) {
    const Step& step = actor.steps.before[i];
    if (is_handed_over(actor, step) && !told.contains(i)) (calls_this(inputs, actor, step) ? up : down).push_back(i);
  }
  std::vector<std::string> out;
  for (const auto* part : {&down, &up}) {
    if (std::string words = words_of(inputs, actor, *part); !words.empty()) out.push_back(std::move(words));
  }
  return out;
}

std::vector<std::string> hand_over_words(const DocumentInputs& inputs, const Actor& actor) {
  return hand_over_words(inputs, actor, all_of(actor));
}

bool hands_over_most(const Actor& actor) {
  std::size_t gone = 0;
  std::size_t handed = 0;
  std::set<std::string> receivers;
  for (const Step& step : actor.steps.before) {
    if (step.status != StepStatus::kRemoved || step.is_moved) continue;
    ++gone;
    if (!is_handed_over(actor, step)) continue;
    ++handed;
    const std::string& name = step.elsewhere->latest().qualified_name;
    receivers.insert(name.substr(name.rfind('.') + 1));
  }
  if (handed < kFew || handed * 3 < gone * 2) return false;
  std::size_t come = 0;
  std::size_t calling = 0;
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kAdded || step.is_moved) continue;
    ++come;
    const std::string_view text = actor.steps.after_source->slice(step.span);
    calling += std::any_of(receivers.begin(), receivers.end(),
                           [&](const std::string& name) { return find_name(text, name) != std::string_view::npos; })
                   ? 1
                   : 0;
  }
  return calling * 2 > come || come == 0;
}

std::string taken_over_words(const DocumentInputs& inputs, const Actor& actor) {
  std::map<std::string, std::size_t> counts;
  for (const Step& step : actor.steps.after) {
    if (step.taken_from != nullptr) ++counts[code(short_name(inputs, *step.taken_from))];
  }
  std::vector<std::string> told;
  for (const auto& [name, count] : counts) {
    if (count >= kFew) told.push_back(fmt::format("{} of {}", count_of(count, "step"), name));
  }
  return told.empty() ? std::string() : fmt::format("takes over {}", join_words(told));
}

std::string returned_words(const Step& step, const WordsContext& context) {
  const std::string& name = step.returned_by->latest().qualified_name;
  const Expr* target = nullptr;
  if (assigned_value(step.node, target) == nullptr || target == nullptr) return {};
  return fmt::format("sets {} to what {}{} returns, which has the code that stood here",
                     code(one_line(*context.source, *target, 60)),
                     step.returned_by->status == change::Status::kAdded ? "the new " : "",
                     code(name.substr(name.rfind('.') + 1) + "()"));
}

}  // namespace lockstep::report
