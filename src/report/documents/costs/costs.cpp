#include "report/documents/costs/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/correctness/exiting_blocks.h"
#include "report/documents/costs/compared_collectives.h"
#include "report/documents/costs/entered_costs.h"
#include "report/documents/costs/moved_communication.h"
#include "report/documents/costs/reached_collectives.h"
#include "report/documents/costs/replaced_transfers.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/source/communicating_words.h"
#include "report/source/standard_modules.h"
#include "report/source/tested_tensors.h"
#include "report/source/torch_use.h"
#include "report/story/calls/loop_calls.h"
#include "report/story/calls/made_calls.h"
#include "report/story/calls/new_calls.h"
#include "report/story/communication/allocating_calls.h"
#include "report/story/communication/blocking_copies.h"
#include "report/story/steps/edit_kinds.h"
#include "report/story/steps/kept_alternatives.h"
#include "report/story/wording/handed_over.h"
#include "report/ways/conditions/condition_kinds.h"
#include "report/ways/conditions/filled_once.h"
#include "report/ways/scripts/inference_targets.h"
#include "report/ways/scripts/training_loop.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/rare_paths.h"

namespace lockstep::report {

using namespace python;

namespace {

/// What the change does not merely reword: comments and tests cost a run nothing.
bool does_something(const Actor& actor) { return actor.role != Role::kTest && actor.role != Role::kCosmetic; }

/// Work that the change adds to functions of the training step: collectives one by one, waits and allocations in one
/// row.
class StepCosts {
 public:
  StepCosts(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks)
      : inputs_(inputs), story_(story), risks_(risks), new_calls_(inputs, story), entered_costs_(inputs, story) {
    any_on_path_ = std::any_of(story.actors.begin(), story.actors.end(), [](const Actor& actor) {
      return actor.is_function() && does_something(actor) && actor.on_step_path;
    });
  }

  /// `runs_in_step`: by the call graph; else it is registered, to be called by somebody else.
  void add(const Actor& actor, bool runs_in_step) {
    is_cut_ = is_cut_ || actor.steps.after.size() >= kMaxSteps;
    note_place(actor, runs_in_step);
    note_communication(actor, runs_in_step);
    note_words(actor);
    note_hooks(actor);
    add_new_calls(actor);
    note_loops(actor);
    note_rarer(actor);
    decides_by_argument_ =
        decides_by_argument_ || std::any_of(actor.followed.begin(), actor.followed.end(),
                                            [](const FollowedArgument& one) { return one.communicates; });
    for (const MadeCall& one : gone_waits(inputs_, actor))
      gone_.push_back(fmt::format("{} (in {})", code(one_line(*actor.steps.before_source, *one.call, 50)),
                                  code(short_name(inputs_, *actor.change))));
    note_freed(actor);
    for (const MadeCall& one : waits_gone_from_loops(inputs_, actor)) {
      std::string text = code(one_line(*actor.steps.before_source, *one.call, 50));
      if (std::find(looped_.begin(), looped_.end(), text) == looped_.end()) looped_.push_back(std::move(text));
    }
  }

  /// Keeps the allocations that a function no longer makes, of each function once what it says.
  void note_freed(const Actor& actor) {
    std::vector<std::string> calls;
    for (const MadeCall& one : gone_allocations(inputs_, actor)) {
      std::string text = code(one_line(*actor.steps.before_source, *one.call, 50));
      if (std::find(calls.begin(), calls.end(), text) == calls.end()) calls.push_back(std::move(text));
    }
    if (calls.empty()) return;
    constexpr std::size_t kMostCalls = 2;
    const std::size_t all = calls.size();
    if (all > kMostCalls) calls.resize(kMostCalls);
    freed_.push_back(fmt::format("{}{} (in {})", join_words(calls),
                                 all > kMostCalls ? fmt::format(" and {} more", all - kMostCalls) : "",
                                 code(short_name(inputs_, *actor.change))));
  }

  [[nodiscard]] bool any_on_path() const { return any_on_path_; }
  /// From here on functions are added that no training step was found to come to, where those of a step had nothing.
  void go_outside() { only_outside_ = true; }
  /// Whether something that was added is to be told.
  [[nodiscard]] bool tells_anything() const {
    return told_ + replacing_.size() + syncs_.size() + allocations_.size() + orders_.size() + gone_.size() +
               freed_.size() + rarer_.size() + entered_.size() + communicating_.size() + moving_.size() >
           0;
  }

  void finish(bool touches_code) {
    tell_replacing();
    tell_entered();
    constexpr std::size_t kMostNames = 3;
    if (told_ == 0 && !communicating_.empty()) {
      const bool is_one = communicating_.size() == 1;
      if (communicating_.size() > kMostNames) communicating_.resize(kMostNames);
      risks_.push_back({RiskKind::kPerformance,
                        fmt::format("{}, on the training step path, can come to collectives now, through what {}; "
                                    "before, no way to one was found.",
                                    join_words(communicating_), is_one ? "it calls" : "they call"),
                        only_takes_over_ ? std::string(kMoves) : "New communication: needs profiling", false});
      ++told_;
    }
    if (told_ == 0 && !moving_.empty()) {
      const Moving& one = moving_.front();
      risks_.push_back({RiskKind::kPerformance,
                        fmt::format("{}, {}, comes to call {}, which was there before and can come to collectives.",
                                    one.caller, one.place, one.callee),
                        on_path_.empty() ? std::string(kUnknown)
                        : one.is_more    ? std::string("It may communicate or wait where it did not: needs profiling")
                                         : std::string(kMoves),
                        false});
      ++told_;
    }
    const bool is_outside = on_path_.empty() || only_outside_;
    const auto row = [&](const std::vector<std::string>& items, std::string_view what, std::string_view status,
                         std::string_view where) {
      if (items.empty()) return;
      std::vector<std::string> shown(
          items.begin(), items.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(items.size(), 3)));
      std::string text = join_words(shown);
      if (items.size() > 3) text += fmt::format(" and {} more", items.size() - 3);
      risks_.push_back({RiskKind::kPerformance,
                        is_outside ? fmt::format("{}{}: {}.", what, where, text)
                                   : fmt::format("{} in functions of the training step: {}.", what, text),
                        std::string(status), false});
    };
    if (looped_.size() > 3) looped_.resize(3);
    if (looped_.empty()) {
      row(syncs_, "New waits of the host",
          is_row_once_ ? kOnce
          : is_outside ? kUnknown
                       : "Needs profiling",
          row_place_);
    } else {
      row(syncs_,
          fmt::format("Waits of the host in place of {}, which waited in each round of a loop,", join_words(looped_)),
          "Fewer, but where the loop has hardly a round", row_place_);
    }
    row(allocations_, "New allocations",
        is_row_once_ ? "Made once for each object that is built; their size decides"
        : is_outside ? "Their size decides, and how often they are made"
                     : "Their size decides; needs profiling if large",
        row_place_);
    row(orders_, "Streams that wait now", "What is queued behind one waits for the other stream; the host goes on", "");
    if (!rarer_.empty())
      risks_.push_back({RiskKind::kPerformance,
                        fmt::format("Waits of the host that come only under a condition now: {}.", join_words(rarer_)),
                        "Nothing to do: it waited in any case before", false});
    if (syncs_.empty())
      row(gone_, "Waits of the host that are gone", "Nothing to do: the host runs on where it waited for the GPU", "");
    row(freed_, "Allocations that are gone", "Nothing to do: nothing is allocated there any more", "");
    if (told_ + syncs_.size() + allocations_.size() + orders_.size() + gone_.size() + freed_.size() + rarer_.size() >
            0 ||
        !touches_code || is_cut_)
      return;
    if (on_path_.empty() && !hooking_.empty()) {
      risks_.push_back(
          {RiskKind::kPerformance,
           fmt::format("{} registers a hook: autograd, or the module, runs it each time that it gets there, "
                       "in a training step, too.",
                       hooking_),
           "What the hook does counts in each step", false});
      return;
    }
    if (!on_path_.empty()) {
      risks_.push_back({RiskKind::kPerformance,
                        filled_.empty() ? fmt::format("{} lies on the way of a training step.", on_path_)
                                        : fmt::format("{} lies on the way of a training step, on the way told here "
                                                      "only while {} is {}, which it then sets.",
                                                      on_path_, code("self." + filled_), code("None")),
                        told_as_known(),
                        false,
                        {},
                        true});
    } else if (!built_.empty()) {
      risks_.push_back(
          {RiskKind::kPerformance,
           is_surely_built_
               ? fmt::format("The call graph finds no way from a training step to {} but through constructors, where "
                             "objects are built.",
                             built_)
               : fmt::format("The call graph finds no way from a training step to {} but through constructors and "
                             "functions that, by their names, build or set something up.",
                             built_),
           told_as_known(),
           false,
           {},
           true});
    } else {
      risks_.push_back({RiskKind::kPerformance,
                        "Does it communicate, wait or allocate where it did not?",
                        told_as_known(),
                        false,
                        {},
                        true});
    }
  }

 private:
  static constexpr std::string_view kUnknown = "How often it runs, the call graph does not say";
  static constexpr std::string_view kMoves = "Where it communicates or waits may move: needs profiling";
  static constexpr std::string_view kOtherwiseIssued = "Issued before, too: what it is given or when it comes changes";
  static constexpr std::string_view kOnce = "Runs once for each object that is built";

  /// Keeps a function of the step that comes to collectives now, and did not before.
  void note_communication(const Actor& actor, bool runs_in_step) {
    const change::EntityChange& entity = *actor.change;
    if (!runs_in_step || !entity.before || !entity.after || !entity.before->function.valid() ||
        !entity.after->function.valid() || inputs_.before_mesh == nullptr || inputs_.after_mesh == nullptr)
      return;
    if (inputs_.after_mesh->may_communicate(entity.after->function) &&
        !inputs_.before_mesh->may_communicate(entity.before->function)) {
      communicating_.push_back(code(short_name(inputs_, entity)));
      only_takes_over_ = only_takes_over_ && takes_communication_over(inputs_, story_, entity.after->function);
    }
  }

  /// Whether all that changes in the function stands under conditions that only inference meets.
  [[nodiscard]] bool changes_only_inference(const Actor& actor) const {
    if (actor.is_added() || !actor.change->after || !actor.change->after->function.valid()) return false;
    std::vector<Span> places;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kKept) places.push_back(step.span);
    }
    return !places.empty() && runs_only_in_inference(*inputs_.after, actor.change->after->function, places);
  }

  /// What the sentence at the end says of where the functions run: of the first that there is.
  void note_place(const Actor& actor, bool runs_in_step) {
    if (runs_in_step && on_path_.empty() && !changes_only_inference(actor)) {
      on_path_ = code(short_name(inputs_, *actor.change));
      for (std::size_t i = 0; i < story_.entries.size(); ++i) {
        if (&story_.actor(i) == &actor) filled_ = filled_once(*inputs_.after, story_.entries[i]);
      }
    }
    if ((actor.on_build_path || actor.on_set_up_path) && built_.empty()) {
      built_ = code(short_name(inputs_, *actor.change));
      is_surely_built_ = actor.on_build_path;
    }
    is_once_ = !runs_in_step && (actor.on_build_path || is_made_with_object(actor));
    place_ = runs_in_step           ? "on the training step path"
             : actor.on_build_path  ? "where objects are built"
             : actor.on_set_up_path ? "where, by the names on the way, something is built or set up"
             : is_in_loop(actor)    ? "in the training loop, outside its step"
                                    : "where the call graph sees no training step";
  }

  /// Whether the way to the function that is told goes through a call of the loop in which steps run, and no step.
  [[nodiscard]] bool is_in_loop(const Actor& actor) {
    if (inputs_.step_path == nullptr) return false;
    if (!loop_) loop_.emplace(*inputs_.after, inputs_.step_path);
    const auto is_in = [&](const PathFrame& frame) {
      const program::CallId call = frame.call == nullptr ? program::CallId() : inputs_.after->call_of(frame.call);
      return call.valid() && loop_->holds(call);
    };
    for (std::size_t i = 0; i < story_.entries.size(); ++i) {
      const EntryPath& path = story_.entries[i];
      if (&story_.actor(i) != &actor || path.kind != program::EntryKind::kScript) continue;
      const bool runs_step = std::any_of(path.frames.begin(), path.frames.end(), [&](const PathFrame& frame) {
        return std::any_of(inputs_.step_path->begin(), inputs_.step_path->end(), [&](const program::Reached& one) {
          return one.distance == 0 && one.function == frame.function;
        });
      });
      return !runs_step && std::any_of(path.frames.begin(), path.frames.end(), is_in);
    }
    return false;
  }

  /// Changed lines that register a hook that forward or backward passes run: not those of checkpoints.
  void note_hooks(const Actor& actor) {
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || !hooking_.empty()) continue;
      walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
        const std::string_view name = callee_name(*call);
        const bool is_of_step = name == "register_hook" ||
                                (name.starts_with("register_") && name.ends_with("_hook") &&
                                 (contains(name, "forward") || contains(name, "backward") || contains(name, "grad")));
        const bool is_event = !call->arguments.empty() && !rules::text_of(call->arguments[0]).empty();
        if (registered_as_often(actor, name)) return;
        if (step.span.contains(call->span) && is_of_step && !is_event && !is_own_method(name))
          hooking_ = code(short_name(inputs_, *actor.change));
      });
    }
  }

  /// Whether the old version called what is called so as often: such a hook is no news.
  static bool registered_as_often(const Actor& actor, std::string_view name) {
    const auto count = [&](const std::optional<change::EntitySide>& side) {
      std::size_t calls = 0;
      if (!side || side->node == nullptr) return calls;
      walk_of<Call>(*side->node, Nested::kEnter,
                    [&](const Call* call) { calls += callee_name(*call) == name ? 1 : 0; });
      return calls;
    };
    return count(actor.change->before) >= count(actor.change->after);
  }

  /// Whether a class of the repository has a method of that name: on an unknown object it may be that one.
  [[nodiscard]] bool is_own_method(std::string_view name) const {
    const auto& functions = inputs_.after->functions();
    return std::any_of(functions.begin(), functions.end(),
                       [&](const program::Function& one) { return one.owner.valid() && one.name == name; });
  }

  void add_new_calls(const Actor& actor) {
    const WordsContext context = context_after(inputs_, actor);
    // What a test did is new where no test does it.
    fresh_ = new_calls_.of(actor, [&](const Actor& other) {
      return other.role != Role::kTest && (other.on_step_path || !actor.on_step_path || !any_on_path_);
    });
    for (const Step& step : actor.steps.after) {
      visit(*step.node, step, actor, context);
      note_decided(step, actor, context);
      note_tested(step, actor, context);
    }
    for (const Call* call : copies_made_blocking(actor)) {
      note_row_place();
      syncs_.push_back(fmt::format("{} ({}), which was {} before and waits where it copies to or from the host",
                                   code(one_line(*context.source, *call, 60)),
                                   place(actor.change->after->path, context.source->line_of(call->span.begin)),
                                   code("non_blocking=True")));
    }
  }

  /// What was looked for and not found, and how far.
  [[nodiscard]] std::string told_as_known() const {
    std::string recognized = recognized_words();
    return recognized.starts_with("N/A") ? recognized : recognized + followed_words();
  }

  /// Whether what changed lines call communicates as before, or otherwise, no one can tell from them.
  [[nodiscard]] std::string recognized_words() const {
    if (!decided_wait_.empty())
      return fmt::format(
          "A condition among the changed lines decides over {}{}; no new collective, wait for the GPU or allocation "
          "was recognized in them",
          decided_wait_, decided_collective_.empty() ? "" : ", and over " + decided_collective_);
    if (decides_by_argument_)
      return "An argument among the changed lines decides over a collective, as told above; no new wait for the GPU or "
             "allocation was recognized in them";
    if (!communicates_.empty())
      return fmt::format("What the changed lines call {}; no new wait for the GPU or allocation was recognized in them",
                         communicated_before_ ? fmt::format("could come to {} before, too", communicates_)
                                              : fmt::format("can come to {}", communicates_));
    if (!decides_communication_.empty())
      return fmt::format(
          "Among the changed lines a condition of {} decides over {}; no new wait for the GPU or allocation was "
          "recognized in them",
          decides_communication_, decided_collective_);
    if (!spoken_.empty())
      return spoken_ + "; no new collective, wait for the GPU or allocation was recognized in the changed lines";
    if (!may_use_torch(inputs_)) return "N/A - the code that changes loads no PyTorch";
    return "No new collective, wait for the GPU or allocation was recognized in the changed lines";
  }

  /// Keeps what of a changed function speaks of communication.
  void note_words(const Actor& actor) {
    if (!spoken_.empty() || !actor.change->after || !does_something(actor)) return;
    const program::FunctionId function = actor.change->after->function;
    const CommunicatingWords words = communicating_words(
        *inputs_.after, function, [&](const python::Call& call) { return stands_in_change(actor, call.span); });
    // Of what is known to come to collectives its words say nothing more.
    if (words.documented.valid() && inputs_.after_mesh != nullptr &&
        inputs_.after_mesh->may_communicate(words.documented))
      return;
    if (words.call != nullptr)
      spoken_ = fmt::format("{} in {} ({}) can move a DTensor between ranks",
                            code(one_line(source_of(*inputs_.after, function), *words.call, 60)),
                            code(short_name(inputs_, *actor.change)),
                            place_of(*inputs_.after, inputs_.after->functions()[function].module, words.call->span));
    else if (words.documented.valid())
      spoken_ = fmt::format("The docstring of {} ({}), to which calls lead from {}, speaks of communication",
                            code(short_name(*inputs_.after, words.documented)),
                            place_of(*inputs_.after, words.documented), code(short_name(inputs_, *actor.change)));
  }

  /// What the sentence that nothing was found says of the functions that new calls enter.
  [[nodiscard]] std::string followed_words() const {
    std::string out;
    if (entered_costs_.followed() > 0)
      out = fmt::format(
          ", nor in {} that their new calls surely enter",
          entered_costs_.followed() == 1 ? "the function" : fmt::format("the {} functions", entered_costs_.followed()));
    if (!entered_costs_.not_followed().empty()) out += "; " + entered_costs_.not_followed();
    if (unread_.empty()) return out;
    std::vector<std::string> packages;
    for (const std::string& one : unread_) packages.push_back(code(one));
    return out + fmt::format("; code of {}, which they call, is not read", join_words(packages));
  }

  /// Keeps the package that a new call enters, where that is neither of the repository nor known here.
  void note_unread(const Call& call) {
    constexpr std::size_t kMost = 2;
    const std::string_view callee = external_callee(*inputs_.after, &call);
    const std::string_view package = callee.substr(0, callee.find('.'));
    if (package.empty() || package == callee || unread_.size() == kMost || known_work(*inputs_.after, call) != nullptr)
      return;
    // Of the standard library and of torch what communicates, waits and allocates is known.
    static constexpr std::string_view kRead[] = {"builtins", "np", "numpy", "torch"};
    const bool is_known =
        std::find(std::begin(kRead), std::end(kRead), package) != std::end(kRead) || is_standard_module(package);
    if (!is_known) unread_.insert(std::string(package));
  }

  /// Whether the old version of the changed function may have called the other one, or surely called what may.
  [[nodiscard]] bool came_to_before(const Actor& actor, program::FunctionId callee) const {
    if (!actor.change->before || !actor.change->before->function.valid()) return false;
    const program::Program& before = *inputs_.before;
    const std::string_view name = inputs_.after->functions()[callee].qualified_name;
    const auto calls = [&](program::FunctionId from, const auto& deeper) {
      const auto& all = before.functions()[from].calls;
      return std::any_of(all.begin(), all.end(), [&](program::CallId id) {
        const auto& targets = before.calls()[id].targets;
        const bool is_it = std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
          return target.function.valid() && before.functions()[target.function].qualified_name == name;
        });
        return is_it || (targets.size() == 1 && targets.front().function.valid() && deeper(targets.front().function));
      });
    };
    return calls(actor.change->before->function, [&](program::FunctionId entered) {
      return calls(entered, [](program::FunctionId) { return false; });
    });
  }

  /// Keeps what the functions that a new call enters do, each thing once, wherever it is called from.
  void keep_entered(const Call& call, const Actor& actor) {
    for (EnteredWork& work : entered_costs_.of(call, actor.on_step_path)) {
      if (came_to_before(actor, work.in)) continue;
      if (entered_places_.insert(work.where).second) entered_.push_back({std::move(work), &actor, place_, is_once_});
    }
  }

  /// What a change takes out of a loop, or puts into one.
  void note_loops(const Actor& actor) {
    const std::string caller = code(short_name(inputs_, *actor.change));
    for (const LoopCall& one : loop_calls(inputs_, actor)) {
      if (told_ >= 3) return;
      ++told_;
      risks_.push_back({RiskKind::kPerformance,
                        one.leaves
                            ? fmt::format("{}, {}, calls {} in no loop any more.", caller, place_, one.name)
                            : fmt::format("{}, {}, calls {} in a loop now{}.", caller, place_, one.name, one.loop),
                        one.leaves ? "Nothing to do: it communicates, or waits, fewer times"
                                   : "It communicates, or waits, more often: needs profiling",
                        false});
    }
  }

  /// Whether the call is made where nothing is trained.
  [[nodiscard]] bool is_for_inference(const Call& call, const Actor& actor) const {
    return actor.on_step_path && ask_for_inference(guards_of(*actor.change->after->node, call.span));
  }

  /// Whether the call surely enters what can come to collectives.
  [[nodiscard]] bool can_communicate(const Call& call) const {
    const program::CallId id = inputs_.after->call_of(&call);
    if (!id.valid() || inputs_.after_mesh == nullptr) return false;
    if (inputs_.after_mesh->knows_all_of(id) && inputs_.after_mesh->issued_through(id).empty()) return false;
    const auto& targets = inputs_.after->calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
      return target.function.valid() && target.certainty == program::Certainty::kExact &&
             inputs_.after_mesh->may_communicate(target.function);
    });
  }

  /// "`all_reduce` in `reduce_norm` (`norms.py:12`)", which the call can come to; empty where none is known.
  [[nodiscard]] std::string reached_words(const Call& call) const {
    const auto found = collective_reached(*inputs_.after, *inputs_.after_mesh, inputs_.after->call_of(&call));
    if (!found) return {};
    return fmt::format("{} in {} ({})", code(found->operation), code(short_name(*inputs_.after, found->function)),
                       place_of(*inputs_.after, inputs_.after->functions()[found->function].module, found->node->span));
  }

  /// "`all_reduce` (`norms.py:12`)" of a collective; of a call that surely enters what can come to one, that one; empty
  /// for others.
  [[nodiscard]] std::string collective_words_of(const Call& call, const WordsContext& context) const {
    if (const mesh::CollectiveSite* site = collective_at(context, &call))
      return fmt::format("{} ({})", code(site->operation),
                         place_of(*inputs_.after, inputs_.after->functions()[context.function].module, call.span));
    const std::string reached = can_communicate(call) ? reached_words(call) : std::string();
    return reached.empty() ? reached : "a call that can come to " + reached;
  }

  /// Keeps waits that moved to a function which asks something first.
  void note_rarer(const Actor& actor) {
    for (const Step& step : actor.steps.before) {
      const Call* call = step.status == StepStatus::kRemoved ? call_of_step(step) : nullptr;
      if (call == nullptr || step.elsewhere == nullptr || step.elsewhere == actor.change) continue;
      const KnownApi* known = known_work(*inputs_.before, *call);
      if (known == nullptr || known->kind != ApiKind::kHostSync) continue;
      const std::string asked = condition_there(inputs_, actor, step);
      if (asked.empty()) continue;
      rarer_.push_back(fmt::format("{} (now in {}, when {})", code(one_line(*actor.steps.before_source, *call, 60)),
                                   code(short_name(inputs_, *step.elsewhere)), asked));
    }
  }

  /// Notes a new or changed condition over calls that communicate: that the changed lines do none would read as a
  /// contradiction of what is told of the condition.
  void note_decided(const Step& step, const Actor& actor, const WordsContext& context) {
    const bool decides = step.kind == StepKind::kIf || step.kind == StepKind::kWhile;
    if (!decides || step.status == StepStatus::kKept || step.taken_from != nullptr) return;
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      if (step.span.contains(call->span)) return;
      if (decided_collective_.empty()) decided_collective_ = collective_words_of(*call, context);
      if (decides_communication_.empty() && !decided_collective_.empty())
        decides_communication_ = code(short_name(inputs_, *actor.change));
      const KnownApi* known = known_work(*inputs_.after, *call);
      if (decided_wait_.empty() && known != nullptr && known->kind == ApiKind::kHostSync)
        decided_wait_ =
            fmt::format("{} ({}), which waits for the GPU", code(one_line(*context.source, *call, 50)),
                        place_of(*inputs_.after, inputs_.after->functions()[context.function].module, call->span));
    });
  }

  /// Keeps a new call that surely enters a function of the old version that can come to collectives.
  void note_moving(const Call& call, const Actor& actor) {
    if (!moving_.empty()) return;  // One is told.
    const program::CallId id = inputs_.after->call_of(&call);
    if (!id.valid() || inputs_.after_mesh == nullptr) return;
    const program::CallSite& site = inputs_.after->calls()[id];
    const program::FunctionId callee = site.targets.empty() ? program::FunctionId() : site.targets.front().function;
    if (!callee.valid() || !program::surely_enters(site, callee) || came_to_before(actor, callee) ||
        entered_costs_.is_of_replaced(callee))
      return;
    // What only generates is no work of a step.
    if (ask_for_inference(guards_of(*inputs_.after->functions()[site.caller].node, call.span))) return;
    // Elsewhere only what communicates itself says enough.
    if (!actor.on_step_path && inputs_.after_mesh->collectives_of(callee).empty()) return;
    if (inputs_.after_mesh->may_communicate(callee) &&
        inputs_.before->find_function(inputs_.after->functions()[callee].qualified_name).valid())
      moving_.push_back({code(short_name(inputs_, *actor.change)), code(short_name(*inputs_.after, callee)), place_,
                         communicates_more(inputs_, story_) && !leaves_to_others(inputs_, story_, callee)});
  }

  /// What stands below new calls comes after what the changed lines do themselves.
  void tell_entered() {
    for (const Entered& each : entered_) {
      const EnteredWork& work = each.work;
      place_ = each.place;
      is_once_ = each.is_once;
      const std::string caller = code(short_name(inputs_, *each.actor->change));
      const std::string name = code(short_name(*inputs_.after, work.in));
      const std::string condition = work.is_conditional ? ", under conditions" : "";
      if (work.kind == EnteredWork::Kind::kCollective) {
        if (told_++ >= 3) continue;
        risks_.push_back({RiskKind::kPerformance,
                          fmt::format("{} comes to call {}, which issues {} {} ({}{}).", caller, name, work.words,
                                      place_, work.where, condition),
                          fresh_communication(each.is_once), false});
        continue;
      }
      note_row_place();
      (work.kind == EnteredWork::Kind::kHostSync ? syncs_ : allocations_)
          .push_back(
              fmt::format("{} ({}, in {}, which {} comes to call{})", work.words, work.where, name, caller, condition));
    }
  }

  void note_row_place() {
    const std::string here = fmt::format(" {}", place_);
    is_row_once_ = is_once_ && (is_row_once_ || (syncs_.empty() && allocations_.empty()));
    row_place_ = syncs_.empty() && allocations_.empty() ? here : row_place_ == here ? here : std::string();
  }

  /// Whether the function is a constructor or what runs at the end of one.
  static bool is_made_with_object(const Actor& actor) {
    const std::string_view name = change::last_part(actor.change->latest().qualified_name);
    return actor.change->kind == change::EntityKind::kMethod &&
           (name == "__init__" || name == "__post_init__" || name == "__new__");
  }

  static std::string fresh_communication(bool is_once) {
    return is_once ? "New communication, once for each object that is built" : "New communication: needs profiling";
  }

  void visit(const Node& node, const Step& step, const Actor& actor, const WordsContext& context) {
    if (node.span.begin >= step.span.end || is<FunctionDef>(&node)) return;
    if (const auto* call = as<Call>(&node); call != nullptr && step.span.contains(node.span)) {
      look(*call, step, actor, context);
      // That the changed lines communicate not at all would read as a contradiction.
      const bool is_fresh = fresh_.contains(call);
      if (step.status != StepStatus::kKept && (communicates_.empty() || (is_fresh && communicated_before_)) &&
          can_communicate(*call) && !is_for_inference(*call, actor)) {
        communicates_ = reached_words(*call);
        communicated_before_ = !is_fresh;
      }
      if (fresh_.contains(call)) {
        note_unread(*call);
        keep_entered(*call, actor);
        note_moving(*call, actor);
      }
    }
    for_each_child(node, [&](const Node* child) { visit(*child, step, actor, context); });
  }

  void look(const Call& call, const Step& step, const Actor& actor, const WordsContext& context) {
    const std::string where = place(actor.change->after->path, context.source->line_of(call.span.begin));
    if (const mesh::CollectiveSite* site = collective_at(context, &call)) {
      if (step.status == StepStatus::kKept) return;
      // What other functions hand over to a new one is issued as before.
      if (!actor.change->before && !fresh_.contains(&call)) return;
      const std::string words = collective_words(*site, *inputs_.after_mesh);
      if (step.status == StepStatus::kChanged && may_be_same_group(inputs_, *site, step, actor)) return;
      if (note_replacing(words, step, actor)) return;
      if (told_++ >= 3) return;
      if (const std::string replaced = transfers_of_callers(inputs_, story_, actor, *site); !replaced.empty()) {
        risks_.push_back({RiskKind::kPerformance,
                          fmt::format("{} issues {}, in place of {} ({}).", code(short_name(inputs_, *actor.change)),
                                      words, replaced, where),
                          "The same is exchanged, in another way: needs profiling", false});
        return;
      }
      risks_.push_back({RiskKind::kPerformance,
                        fmt::format("{} issues {} {} ({}{}).", code(short_name(inputs_, *actor.change)), words, place_,
                                    where, first_only(call, actor)),
                        step.status != StepStatus::kAdded            ? changed_words(inputs_, *site, step, actor)
                        : was_issued_as_often(inputs_, *site, actor) ? std::string(kOtherwiseIssued)
                        : ends_process(*actor.change->after->node, call.span)
                            ? std::string("New communication, right before the process ends")
                            : fresh_communication(is_once_),
                        false});
      return;
    }
    const KnownApi* known = known_work(*inputs_.after, call);
    if (fresh_.contains(&call)) note_order(call, actor, where);
    if (copies_rearranged(call) && fresh_.contains(&call)) {
      note_row_place();
      allocations_.push_back(fmt::format("{} ({}, a copy)", code(one_line(*context.source, call, 50)), where));
      return;
    }
    // What a run ends with costs it nothing any more.
    if (known == nullptr || (known->kind == ApiKind::kHostSync && is<Raise>(step.node))) return;
    // What the old version did as often is not new, wherever in the function it stands now.
    if (!fresh_.contains(&call) || (known->kind == ApiKind::kHostSync && was_compared(call, actor))) return;
    const std::string text =
        fmt::format("{} ({}{})", code(one_line(*context.source, call, 50)), where, first_only(call, actor));
    const bool allocates = known->kind == ApiKind::kAllocation && !makes_one_element(call) && !is_empty_shape(call) &&
                           !allocated_before(step, actor) && !stood_before(call, *context.source) &&
                           !keeps_results(*inputs_.after, actor.change->after->function);
    if (known->kind == ApiKind::kHostSync || allocates) {
      // What a loop of a constructor does, it does more than once.
      const bool was_once = is_once_;
      is_once_ = is_once_ && !stands_in_loop(call, actor);
      note_row_place();
      is_once_ = was_once;
    }
    if (known->kind == ApiKind::kHostSync) syncs_.push_back(text);
    if (allocates) allocations_.push_back(text);
  }

  static bool stands_in_loop(const Call& call, const Actor& actor) {
    const std::vector<const Node*> around = chain_to(*actor.change->after->node, call.span);
    return std::any_of(around.begin(), around.end(), [](const Node* node) { return is<For>(node) || is<While>(node); });
  }

  /// Keeps new calls of tensors whose truth is asked.
  void note_tested(const Step& step, const Actor& actor, const WordsContext& context) {
    if (step.status == StepStatus::kKept) return;
    for (const Call* call : tensors_tested(*context.program, context.function, *step.node)) {
      const KnownApi* known = known_work(*context.program, *call);
      const bool is_told = known != nullptr && known->kind == ApiKind::kHostSync;
      if (is_told || !fresh_.contains(call) || !step.span.contains(call->span)) continue;
      note_row_place();
      syncs_.push_back(fmt::format("{} ({}, where its truth is asked)", code(one_line(*context.source, *call, 50)),
                                   place(actor.change->after->path, context.source->line_of(call->span.begin))));
    }
  }

  /// Whether the old version compared what `x.item()` gets in a condition that is gone: to take the branch, the host
  /// waited for it there.
  static bool was_compared(const Call& call, const Actor& actor) {
    const auto* member = as<Attribute>(call.callee);
    if (member == nullptr || member->name.text != "item") return false;
    const std::string value = one_line_whole(*actor.steps.after_source, *member->value);
    const auto is_value = [&](const Expr* one) { return one_line_whole(*actor.steps.before_source, *one) == value; };
    return std::any_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& step) {
      const auto* branch = step.status == StepStatus::kKept ? nullptr : as<If>(step.node);
      bool found = false;
      if (branch == nullptr) return found;
      const auto look = [&](const Compare& one) {
        found = found || is_value(one.left) || std::any_of(one.comparators.begin(), one.comparators.end(), is_value);
      };
      if (const auto* whole = as<Compare>(branch->condition)) look(*whole);
      walk_of<Compare>(*branch->condition, Nested::kSkip, [&](const Compare* one) { look(*one); });
      return found;
    });
  }

  /// Keeps a new collective that takes the place of what is called still where its branch is not taken; false for
  /// others.
  bool note_replacing(const std::string& words, const Step& step, const Actor& actor) {
    const auto& after = actor.steps.after;
    const Call* kept = kept_alternative(after, static_cast<std::size_t>(&step - after.data()));
    const std::string callee = kept == nullptr ? std::string() : dotted_text(kept->callee);
    if (callee.empty()) return false;
    Replacing& one = replacing_[{words, callee}];
    one.places.push_back(place(actor.change->after->path, actor.steps.after_source->line_of(step.span.begin)));
    one.condition = condition_words(*as<If>(after[step.parent].node)->condition, *actor.steps.after_source, false);
    return true;
  }

  /// One sentence for each collective and what it takes the place of, wherever it does.
  void tell_replacing() {
    constexpr std::size_t kMostPlaces = 3;
    for (auto& [which, one] : replacing_) {
      ++told_;
      const std::size_t all = one.places.size();
      if (all > kMostPlaces) one.places.resize(kMostPlaces);
      std::string where = join_words(one.places);
      if (all > kMostPlaces) where += fmt::format(" and {} more", all - kMostPlaces);
      risks_.push_back({RiskKind::kPerformance,
                        fmt::format("{} takes the place of {} when {} ({}).", capitalised(which.first),
                                    code(which.second + "(\u2026)"), one.condition, where),
                        "One call for another: no communication is added", false});
    }
  }

  /// Keeps a new `stream.wait_stream(other)` or `stream.wait_event(event)`.
  void note_order(const Call& call, const Actor& actor, const std::string& where) {
    const std::string_view name = callee_name(call);
    if (!is<Attribute>(call.callee) || (name != "wait_stream" && name != "wait_event") || is_own_method(name)) return;
    orders_.push_back(fmt::format("{} ({})", code(one_line(*actor.steps.after_source, call, 60)), where));
  }

  /// Whether the old version of a changed step allocates as often, by other calls.
  [[nodiscard]] bool allocated_before(const Step& step, const Actor& actor) const {
    return step.kind == StepKind::kPlain && step.status == StepStatus::kChanged && step.partner != Step::kNone &&
           allocations_of(*inputs_.before, actor.steps.before[step.partner]) >= allocations_of(*inputs_.after, step);
  }

  /// Whether the call stood, to the letter, in a function of the change before: it moved.
  [[nodiscard]] bool stood_before(const Call& call, const SourceText& source) {
    if (!old_calls_) {
      old_calls_.emplace();
      for (const Actor& actor : story_.actors) {
        if (actor.role == Role::kTest || actor.steps.before_source == nullptr) continue;
        for (const Step& step : actor.steps.before) {
          if (step.status == StepStatus::kKept) continue;
          walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* one) {
            if (step.span.contains(one->span))
              old_calls_->insert(without_layout(*actor.steps.before_source, one->span));
          });
        }
      }
    }
    return old_calls_->contains(without_layout(source, call.span));
  }

  /// ", only where it is not kept yet" of a call under `if self.cache is None:` and its like; else empty.
  [[nodiscard]] std::string_view first_only(const Call& call, const Actor& actor) const {
    const program::FunctionId function = actor.change->after->function;
    if (!function.valid()) return {};
    const Node& node = *inputs_.after->functions()[function].node;
    const FileFacts& facts = *inputs_.after->module_of(function).facts;
    const std::vector<Guard> guards = guards_of(node, call.span);
    const bool is_first = std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      const auto* branch = as<If>(guard.statement);
      return branch != nullptr && !guard.negated && rules::is_first_time(*branch, facts, &node);
    });
    return is_first ? ", only where it is not kept yet" : std::string_view();
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  std::vector<Risk>& risks_;
  NewCalls new_calls_;
  EnteredCosts entered_costs_;
  std::set<const Call*> fresh_;  ///< Of the function that is looked at.
  std::vector<std::string> syncs_;
  std::vector<std::string> allocations_;
  std::optional<std::set<std::string>> old_calls_;  ///< Texts of the calls in what goes or changes.
  std::vector<std::string> orders_;                 ///< Waits of streams for others.
  std::vector<std::string> gone_;                   ///< Waits of the old version.
  std::vector<std::string> freed_;                  ///< Allocations of the old version.
  std::vector<std::string> looped_;                 ///< Those in loops, where the new ones stand in fewer.
  std::vector<std::string> rarer_;                  ///< Those that are made still, in fewer cases.
  /// Work below a new call of a changed function.
  struct Entered {
    EnteredWork work;
    const Actor* actor = nullptr;
    std::string_view place;
    bool is_once = false;
  };
  std::vector<Entered> entered_;
  std::vector<std::string> communicating_;  ///< Marked names of functions of the step that come to collectives anew.
  bool only_takes_over_ = true;             ///< All that these come to others came to, and do so no longer, or rarer.
  /// A new call of what communicated before: marked names, and where it is made.
  struct Moving {
    std::string caller, callee;
    std::string_view place;
    bool is_more = false;  ///< All in all, functions of the change make more calls that communicate.
  };
  std::vector<Moving> moving_;  ///< At most one.
  /// New collectives in the place of what is still called otherwise.
  struct Replacing {
    std::vector<std::string> places;
    std::string condition;
  };
  std::map<std::pair<std::string, std::string>, Replacing> replacing_;  ///< By the words of both.
  std::set<std::string> unread_;          ///< Packages that new calls enter and nobody here has read.
  std::set<std::string> entered_places_;  ///< Of work below new calls that is told.
  std::size_t told_ = 0;
  bool is_cut_ = false;  ///< Of some function, not all steps were looked at.
  bool any_on_path_ = false;
  bool only_outside_ = false;          ///< All that is told so far is of functions that no step was found to come to.
  bool communicated_before_ = false;   ///< By a call that was there: what it gives changes.
  std::string communicates_;           ///< The collective that changed lines can come to through what they call.
  std::string spoken_;                 ///< What of a changed function may communicate in ways that are not known.
  bool decides_by_argument_ = false;   ///< What changed lines give otherwise decides over a collective.
  std::string decides_communication_;  ///< The function in which a changed condition stands over a collective.
  std::string decided_collective_;     ///< Which that is.
  std::string decided_wait_;           ///< A wait for the GPU that such a condition stands over, and where.
  std::string_view place_;
  std::optional<TrainingLoop> loop_;  ///< Made when first asked for.
  bool is_once_ = false;          ///< The function that is looked at runs where objects are built, and not in a step.
  bool is_row_once_ = false;      ///< So do all waits and allocations so far.
  std::string row_place_;         ///< Where all waits and allocations so far stand; empty where they differ.
  std::string built_;             ///< Marked name of the first function that only constructors and the like lead to.
  bool is_surely_built_ = false;  ///< Only constructors lead to it.
  std::string hooking_;           ///< Marked name of the first function whose changed lines register a hook.
  std::string on_path_;           ///< Marked name of the first function that runs in the step.
  std::string filled_;            ///< The attribute that has to be `None` on the way to it; empty for none.
};

}  // namespace

void add_costs(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  StepCosts costs(inputs, story, risks);
  bool touches_code = false;
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || !does_something(actor)) continue;
    touches_code = true;
    if (actor.on_step_path && actor.steps.after_source != nullptr) costs.add(actor, true);
  }
  // Hooks, patches and what is called on values of unknown class run somewhere: what they cost is told, not how often.
  for (const Actor& actor : story.actors) {
    const bool counts = actor.is_function() && does_something(actor) && actor.change->after;
    if (counts && !costs.any_on_path() && actor.steps.after_source != nullptr) costs.add(actor, false);
  }
  // Nothing on the way of a step: what other changed functions cost is told before that.
  if (costs.any_on_path() && !costs.tells_anything()) {
    costs.go_outside();
    for (const Actor& actor : story.actors) {
      const bool counts = actor.is_function() && does_something(actor) && actor.change->after && !actor.on_step_path;
      if (counts && actor.steps.after_source != nullptr) costs.add(actor, false);
    }
  }
  costs.finish(touches_code);
}

}  // namespace lockstep::report
