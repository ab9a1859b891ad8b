#include "report/story/steps/moves/dispatched_branches.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/queries.h"
#include "report/source/code.h"
#include "report/story/calls/calls.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

constexpr std::size_t kFewTaken = 3;  ///< Steps: too few to say that a function is made of them.

}  // namespace

DispatchedBranches::DispatchedBranches(const DocumentInputs& inputs, const Holders& holders, LosingFunction& from,
                                       ComparisonBudget& budget)
    : inputs_(inputs), holders_(holders), from_(from), budget_(budget) {
  find();
}

/// Locals of the version before that an attribute of the same name and start keeps now, set by another method of the
/// class (`seen = set()` here, `self.seen = set()` there), with that method.
std::map<std::string, const change::EntityChange*> DispatchedBranches::kept_locals() const {
  std::map<std::string, const change::EntityChange*> out;
  const program::ClassId owner = inputs_.after->functions()[from_.actor->change->after->function].owner;
  if (!owner.valid()) return out;
  const LocalNames now = locals_of(from_.actor->change->after->node);
  for (const Step& step : from_.actor->steps.before) {
    const auto* local = step.status == StepStatus::kRemoved ? as<Name>(target_of(step)) : nullptr;
    if (local == nullptr || value_of_step(step) == nullptr || now.contains(local->id)) continue;
    const CodeWords value = words_of(*from_.actor->steps.before_source, value_of_step(step)->span);
    for (const auto& [function, holder] : holders_.all()) {
      if (inputs_.after->functions()[function].owner != owner || holder.actor == from_.actor) continue;
      for (const std::size_t i : holder.added) {
        const Step& there = holder.actor->steps.after[i];
        const Expr* target = target_of(there);
        if (target != nullptr && value_of_step(there) != nullptr &&
            dotted_text(target) == fmt::format("self.{}", local->id) &&
            words_of(*holder.actor->steps.after_source, value_of_step(there)->span) == value) {
          out.emplace(local->id, holder.actor->change);
        }
      }
    }
  }
  return out;
}

void DispatchedBranches::find() {
  std::map<std::size_t, std::vector<const Connection*>> by_site;
  for (const Connection& one : from_.connections) {
    if (one.call != nullptr && one.site != Step::kNone && one.holder->actor->is_added())
      by_site[one.site].push_back(&one);
  }
  const std::vector<Step>& before = from_.actor->steps.before;
  std::vector<Span> branches;  // Of steps: from the head to behind the last.
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool is_outer = before[i].parent == Step::kNone || before[before[i].parent].status == StepStatus::kKept;
    if (before[i].kind == StepKind::kIf && before[i].status == StepStatus::kRemoved && !before[i].is_moved && is_outer)
      branches.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end_of(before, i))});
  }
  const auto is_several = [](const auto& one) { return one.second.size() > 1; };
  if (branches.size() < 2 || std::none_of(by_site.begin(), by_site.end(), is_several)) return;
  // What was a local of the one function is shared by several now.
  const std::map<std::string, const change::EntityChange*> kept = kept_locals();
  const std::vector<CodeWords> words = from_.words;
  for (CodeWords& own : from_.words) {
    for (CodeWord& word : own) {
      if (word.is_name && kept.contains(word.text.substr(0, word.text.find('.')))) word.text = "self." + word.text;
    }
  }
  for (const auto& [site, ways] : by_site) {
    if (ways.size() < 2) continue;
    std::vector<DispatchedBranch> found = pair_branches(branches, ways);
    dispatched_.insert(dispatched_.end(), found.begin(), found.end());
  }
  if (dispatched_.empty()) from_.words = words;
  for (Step& step : from_.actor->steps.before) {
    const auto* local = step.status == StepStatus::kRemoved ? as<Name>(target_of(step)) : nullptr;
    const auto keeper = local == nullptr || dispatched_.empty() ? kept.end() : kept.find(std::string(local->id));
    if (keeper == kept.end() || step.elsewhere != nullptr) continue;
    step.elsewhere = keeper->second;
    step.differs_there = true;
  }
  for (const DispatchedBranch& one : dispatched_) {
    // What was found by its words alone may have come from another branch, and ways out say nothing.
    for (std::size_t i = one.head + 1; i < one.end; ++i) {
      Step& step = from_.actor->steps.before[i];
      if (step.elsewhere != nullptr && step.elsewhere != from_.actor->change &&
          (step.elsewhere != one.holder->actor->change || !tells_itself(step)))
        step.elsewhere = nullptr;
    }
  }
}

/// Each branch with the function that is most like it, of those that no other branch is more like: a function that is
/// registered under what the branch asks for is.
std::vector<DispatchedBranch> DispatchedBranches::pair_branches(const std::vector<Span>& branches,
                                                                const std::vector<const Connection*>& ways) {
  struct Candidate {
    double alike = 0;
    DispatchedBranch pair;
  };
  std::vector<Candidate> candidates;
  for (const Span& branch : branches) {
    for (const Connection* way : ways) {
      std::vector<std::size_t> open;
      std::size_t here = 0;
      for (std::size_t i = branch.begin + 1; i < branch.end; ++i) {
        here += from_.words[i].size();
        const Step& step = from_.actor->steps.before[i];
        if (step.status == StepStatus::kRemoved && !step.is_moved && !is<Return>(step.node)) open.push_back(i);
      }
      if (!budget_.take(open.size() * way->holder->added.size(), false)) continue;
      Renaming names = renaming_of(from_, *way);
      find_names(from_, *way, open, {}, names);
      const std::vector<MovedPair> pairs = align(from_, *way, open, names, {});
      std::size_t common = 0;
      bool tells = false;
      for (const MovedPair& pair : pairs) {
        common += from_.words[pair.here].size();
        tells = tells || pair.is_telling;
      }
      std::size_t there = 0;
      for (const CodeWords& words : way->holder->words) there += words.size();
      const bool is_keyed = is_registered_for(*way->holder, from_, branch.begin);
      if (common == 0 || (!tells && !is_keyed)) continue;
      candidates.push_back({2.0 * static_cast<double>(common) / static_cast<double>(here + there) + (is_keyed ? 2 : 0),
                            {branch.begin, branch.end, way->holder, is_keyed}});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.alike > b.alike; });
  std::vector<DispatchedBranch> out;
  for (const Candidate& one : candidates) {
    const auto is_taken = [&](const DispatchedBranch& other) {
      return other.head == one.pair.head || other.holder == one.pair.holder;
    };
    if (std::none_of(out.begin(), out.end(), is_taken)) out.push_back(one.pair);
  }
  // One alone may be chance.
  return out.size() < 2 ? std::vector<DispatchedBranch>() : out;
}

const DispatchedBranch* DispatchedBranches::of(const Holder* holder) const {
  const auto found = std::find_if(dispatched_.begin(), dispatched_.end(),
                                  [&](const DispatchedBranch& one) { return one.holder == holder; });
  return found == dispatched_.end() ? nullptr : &*found;
}

void DispatchedBranches::note_taken(const Holder* holder, std::size_t there) {
  for (DispatchedBranch& branch : dispatched_) {
    if (branch.holder == holder) branch.taken.push_back(there);
  }
}

/// Steps of the branch that stood in another branch, too, and went from there to a new function: where the function
/// of this one calls that, they went there from both.
void DispatchedBranches::move_repeated(const DispatchedBranch& branch) {
  std::vector<Step>& before = from_.actor->steps.before;
  const FunctionId function = branch.holder->actor->change->after->function;
  for (std::size_t i = branch.head + 1; i < branch.end; ++i) {
    if (before[i].status != StepStatus::kRemoved || before[i].is_moved || before[i].elsewhere != nullptr) continue;
    const auto twin = std::find_if(before.begin(), before.end(), [&](const Step& other) {
      return other.fingerprint == before[i].fingerprint && other.kind == before[i].kind && other.elsewhere != nullptr &&
             other.elsewhere->status == change::Status::kAdded &&
             calls(*inputs_.after, *branch.holder->actor->change, other.elsewhere->after->function);
    });
    if (twin == before.end() || twin->elsewhere->after->function == function) continue;
    before[i].elsewhere = twin->elsewhere;
    before[i].is_led_there = true;
    before[i].differs_there = twin->differs_there;
  }
}

void DispatchedBranches::move_heads(std::vector<Actor>& actors) {
  std::vector<Step>& before = from_.actor->steps.before;
  for (const DispatchedBranch& one : dispatched_) {
    move_repeated(one);
    std::size_t all = 0;
    std::size_t went = 0;
    bool differs = !one.is_keyed;
    for (std::size_t i = one.head + 1; i < one.end; ++i) {
      const bool is_there = before[i].elsewhere == one.holder->actor->change;
      differs = differs || before[i].elsewhere == nullptr || before[i].differs_there;
      if (!tells_itself(before[i])) continue;
      ++all;
      went += is_there ? 1 : 0;
    }
    if (went == 0 || (!one.is_keyed && went * 2 < all)) continue;
    before[one.head].elsewhere = one.holder->actor->change;
    before[one.head].is_led_there = true;
    before[one.head].differs_there = differs;
    for (Actor& actor : actors) {
      if (actor.change != one.holder->actor->change) continue;
      for (const std::size_t there : one.taken) actor.steps.after[there].taken_from = from_.actor->change;
      if (one.taken.size() <= kFewTaken || one.taken.size() * 4 < actor.steps.after.size() * 3) continue;
      actor.extracted_from = from_.actor->change;
      actor.extracted = one.taken.size();
    }
  }
}

}  // namespace lockstep::report
