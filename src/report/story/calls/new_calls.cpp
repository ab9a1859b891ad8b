#include "report/story/calls/new_calls.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "change/names.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Takes out a call of a method of this name, or of one that waits as it does (`x.item()`, `x.tolist()`).
bool take_alike(GoneCalls& gone, const MadeCall& wanted) {
  if (!is<Attribute>(wanted.call->callee)) return false;
  const auto name_of = [](std::string_view callee) {
    const std::string_view name = change::last_part(callee.substr(0, callee.find('/')));
    return name == "tolist" ? std::string_view("item") : name;
  };
  for (auto& [callee, repeats] : gone) {
    const bool is_one_unknown = contains(callee, "/") || contains(wanted.callee, "/");
    const auto plain = [](std::string_view key) { return change::last_part(key.substr(0, key.find('/'))); };
    const bool is_of_one_name = plain(callee) == plain(wanted.callee);
    if ((!is_one_unknown && is_of_one_name) || name_of(callee) != name_of(wanted.callee)) continue;
    // All values at once in place of one in each round are another wait.
    if (!is_of_one_name && !repeats.contains(wanted.repeats)) continue;
    if (take_call(gone, {wanted.call, callee, wanted.repeats})) return true;
  }
  return false;
}

/// The step that makes the call; null where it is not found.
const Step* step_of(const std::vector<Step>& steps, const Call& call) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const Step& one) { return one.span.contains(call.span); });
  return found == steps.end() ? nullptr : &*found;
}

/// Whether the old version made one of the same name in the call's step, or in the branch that the step stands in.
bool stands_for(const MadeCall& now, const std::vector<MadeCall>& gone, const Actor& actor) {
  const Step* step = step_of(actor.steps.after, *now.call);
  if (step == nullptr) return false;
  const std::size_t around = step->parent == Step::kNone ? Step::kNone : actor.steps.after[step->parent].partner;
  return std::any_of(gone.begin(), gone.end(), [&](const MadeCall& one) {
    const Step* was = one.callee == now.callee ? step_of(actor.steps.before, *one.call) : nullptr;
    if (was == nullptr) return false;
    const bool is_its_step = step->partner != Step::kNone && was == &actor.steps.before[step->partner];
    return is_its_step || (around != Step::kNone && was->parent == around);
  });
}

}  // namespace

NewCalls::NewCalls(const DocumentInputs& inputs, const Story& story) {
  for (const Actor& actor : story.actors) {
    One& one = all_[&actor];
    std::set<std::string> gone_texts;
    const std::vector<MadeCall> gone = changed_calls(*inputs.before, actor.steps.before, actor.steps.after);
    for (const MadeCall& each : gone) {
      one.gone[each.callee].insert(each.repeats);
      gone_texts.insert(without_layout(*actor.steps.before_source, each.call->span));
    }
    std::vector<MadeCall> now = changed_calls(*inputs.after, actor.steps.after, actor.steps.before);
    // Of two `x.item()` the one that reads as the old one did is that one; else the one in the step that took its
    // place.
    const auto others = std::stable_partition(now.begin(), now.end(), [&](const MadeCall& each) {
      return gone_texts.contains(without_layout(*actor.steps.after_source, each.call->span));
    });
    std::stable_partition(others, now.end(), [&](const MadeCall& each) { return stands_for(each, gone, actor); });
    for (const MadeCall& each : now) {
      if (!take_call(one.gone, each)) one.fresh.push_back(each);
    }
    // Of one side it may be known what is called, of the other not.
    std::erase_if(one.fresh, [&](const MadeCall& each) { return take_alike(one.gone, each); });
  }
}

std::set<const Call*> NewCalls::of(const Actor& actor, const std::function<bool(const Actor&)>& counts) {
  std::set<const python::Call*> out;
  for (const MadeCall& each : all_[&actor].fresh) {
    const bool is_moved = std::any_of(all_.begin(), all_.end(), [&](auto& other) {
      return other.first != &actor && counts(*other.first) &&
             (take_call(other.second.gone, each) || take_alike(other.second.gone, each));
    });
    if (!is_moved) out.insert(each.call);
  }
  return out;
}

}  // namespace lockstep::report
