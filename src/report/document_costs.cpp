#include "report/document_costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story_apis.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Work that the change adds to functions of the training step: collectives one by one, waits and allocations in one
/// row.
class StepCosts {
 public:
  StepCosts(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks)
      : inputs_(inputs), risks_(risks) {
    any_on_path_ = std::any_of(story.actors.begin(), story.actors.end(), [](const Actor& actor) {
      return actor.is_function() && actor.role != Role::kTest && actor.on_step_path;
    });
    // What the change takes out of one function and puts into another is moved, not new.
    for (const Actor& actor : story.actors) {
      for (const Step& step : actor.steps.before) {
        if (step.status != StepStatus::kKept && (actor.on_step_path || !any_on_path_))
          removed_text_ += one_line(*actor.steps.before_source, step.span, 4000) + "\n";
      }
    }
  }

  /// `runs_in_step`: by the call graph; else it is registered, to be called by somebody else.
  void add(const Actor& actor, bool runs_in_step) {
    if (runs_in_step && on_path_.empty()) on_path_ = code(short_name(inputs_, *actor.change));
    place_ = runs_in_step ? "on the training step path" : "where the call graph sees no training step";
    const WordsContext context = context_after(inputs_, actor);
    old_text_ = removed_text_;
    for (const Step& step : actor.steps.before)
      old_text_ += one_line(*actor.steps.before_source, step.span, 4000) + "\n";
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kKept) visit(*step.node, step, actor, context);
    }
  }

  [[nodiscard]] bool any_on_path() const { return any_on_path_; }

  void finish(bool touches_code) {
    const auto row = [&](const std::vector<std::string>& items, std::string_view what, std::string_view status) {
      if (items.empty()) return;
      std::vector<std::string> shown(
          items.begin(), items.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(items.size(), 3)));
      std::string text = join_words(shown);
      if (items.size() > 3) text += fmt::format(" and {} more", items.size() - 3);
      risks_.push_back(
          {RiskKind::kPerformance,
           fmt::format("{} {}: {}.", what, on_path_.empty() ? place_ : "in functions of the training step", text),
           std::string(status), false});
    };
    row(syncs_, "New waits of the host", "Needs profiling");
    row(allocations_, "New allocations", "Their size decides; needs profiling if large");
    if (told_ + syncs_.size() + allocations_.size() > 0 || !touches_code) return;
    if (!on_path_.empty()) {
      risks_.push_back({RiskKind::kPerformance, fmt::format("{} lies on the way of a training step.", on_path_),
                        "No new collective, host wait or allocation was found in its changed lines", false});
    } else {
      risks_.push_back({RiskKind::kPerformance, "Does it cost time or memory where it matters?",
                        "The call graph leads from no training step to what changed, and no new collective, host wait "
                        "or allocation was found in it",
                        false});
    }
  }

 private:
  void visit(const Node& node, const Step& step, const Actor& actor, const WordsContext& context) {
    if (node.span.begin >= step.span.end || is<FunctionDef>(&node)) return;
    if (const auto* call = as<Call>(&node); call != nullptr && step.span.contains(node.span))
      look(*call, step, actor, context);
    for_each_child(node, [&](const Node* child) { visit(*child, step, actor, context); });
  }

  void look(const Call& call, const Step& step, const Actor& actor, const WordsContext& context) {
    const std::string where = place(actor.change->after->path, context.source->line_of(call.span.begin));
    if (const mesh::CollectiveSite* site = collective_at(context, &call)) {
      if (told_++ >= 3) return;
      risks_.push_back({RiskKind::kPerformance,
                        fmt::format("{} issues {} {} ({}).", code(short_name(inputs_, *actor.change)),
                                    collective_words(*site, *inputs_.after_mesh), place_, where),
                        step.status == StepStatus::kAdded ? "New communication: needs profiling" : "Changed", false});
      return;
    }
    const KnownApi* known = known_api(external_callee(*inputs_.after, &call));
    if (known == nullptr && is<Attribute>(call.callee) && callees_of(*inputs_.after, &call).empty())
      known = known_method(callee_name(call));
    // What the old version did as well is not new, wherever in the function it stands now.
    if (known == nullptr || contains(old_text_, std::string(callee_name(call)) + "(")) return;
    const std::string text = fmt::format("{} ({})", code(one_line(*context.source, call, 50)), where);
    if (known->kind == ApiKind::kHostSync) syncs_.push_back(text);
    if (known->kind == ApiKind::kAllocation) allocations_.push_back(text);
  }

  const DocumentInputs& inputs_;
  std::vector<Risk>& risks_;
  std::string removed_text_;  ///< Steps that the change takes out of functions on the step path.
  std::string old_text_;
  std::vector<std::string> syncs_;
  std::vector<std::string> allocations_;
  std::size_t told_ = 0;
  bool any_on_path_ = false;
  std::string_view place_;
  std::string on_path_;  ///< Marked name of the first function that runs in the step.
};

}  // namespace

void add_costs(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  StepCosts costs(inputs, story, risks);
  bool touches_code = false;
  for (const Actor& actor : story.actors) {
    if (!actor.is_function() || actor.role == Role::kTest) continue;
    touches_code = true;
    if (actor.on_step_path && actor.steps.after_source != nullptr) costs.add(actor, true);
  }
  // Hooks, patches and what is called on values of unknown class run somewhere: what they cost is told, not how often.
  for (const Actor& actor : story.actors) {
    const bool counts = actor.is_function() && actor.role != Role::kTest && actor.change->after;
    if (counts && !costs.any_on_path() && actor.steps.after_source != nullptr) costs.add(actor, false);
  }
  costs.finish(touches_code);
}

}  // namespace lockstep::report
