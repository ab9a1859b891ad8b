// Diagrams between functions and classes (drawings.h).
#include "report/documents/drawings/drawings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/drawings/drawn_arguments.h"
#include "report/documents/drawings/drawn_calls.h"
#include "report/documents/drawings/drawn_names.h"
#include "report/documents/file_parts.h"
#include "report/file_name.h"
#include "report/source/apis.h"
#include "report/source/host_values.h"
#include "report/story/steps/passed_over.h"
#include "report/story/wording/contract.h"
#include "report/story/wording/differing_text.h"
#include "report/story/wording/edits.h"
#include "report/ways/functions/started_bodies.h"

namespace lockstep::report {

using change::EntityChange;
using change::Status;
using program::FunctionId;
using program::Program;

namespace {

class Architecture {
 public:
  Architecture(const DocumentInputs& inputs, const Story& story)
      : inputs_(inputs), story_(story), calls_(inputs, story) {
    chart_.left_to_right = true;
    chart_.groups = {{"Before"}, {"After"}};
  }

  std::optional<Flowchart> run() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < story_.central.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return story_.central[a] < story_.central[b]; });
    if (order.size() > 4) order.resize(4);
    for (const std::size_t i : order) add(i);
    add_calls_between();
    for (const Place& one : places_) {
      if (one.before && one.after) add_gone_calls(*one.actor, *one.before, kMostInGroup[0]);
    }
    add_handed_calls();
    // Statements where the definitions leave room.
    for (const Place& one : without_calls_) add_statements(*one.actor, one.before, one.after);
    if (chart_.nodes.size() < 2) return std::nullopt;
    for (std::size_t side = 0; side < 2; ++side) {
      const bool any = std::any_of(chart_.nodes.begin(), chart_.nodes.end(),
                                   [&](const FlowNode& node) { return node.group == side; });
      const bool stays = std::any_of(chart_.nodes.begin(), chart_.nodes.end(), [&](const FlowNode& node) {
        return node.group != side && node.mark == Mark::kNone;
      });
      if (!any)
        node(side,
             side == 0 ? "nothing of what is NEW"
             : stays   ? "what is REMOVED is gone"
                       : "all of this is gone",
             Mark::kNone);
    }
    return std::move(chart_);
  }

 private:
  static constexpr std::size_t kMostInGroup[2] = {7, 8};

  /// Where a changed function stands on both sides.
  struct Place {
    const Actor* actor;
    std::optional<std::size_t> before;
    std::optional<std::size_t> after;
  };

  /// `function`: what the label names on that side; of two of one label the second is told with its file.
  std::size_t node(std::size_t side, const std::string& label, Mark mark, FunctionId function = {}) {
    const Program& program = side == 0 ? *inputs_.before : *inputs_.after;
    const std::string key = function.valid() ? program.functions()[function].qualified_name : label;
    const auto [at, is_new] = index_.emplace(std::make_pair(side, key), chart_.nodes.size());
    if (is_new) {
      const bool is_taken =
          function.valid() && std::any_of(chart_.nodes.begin(), chart_.nodes.end(),
                                          [&](const FlowNode& one) { return one.group == side && one.label == label; });
      chart_.nodes.push_back(
          {is_taken ? fmt::format("{} of {}", label, file_name(program.module_of(function).path)) : label,
           NodeShape::kBox, mark, side});
      ++in_group_[side];
    } else if (mark != Mark::kNone) {
      chart_.nodes[at->second].mark = mark;
    }
    return at->second;
  }

  [[nodiscard]] bool room(std::size_t side) const { return in_group_[side] < kMostInGroup[side]; }

  void edge(std::size_t from, std::size_t to, const std::string& label = {}) {
    if (from == to) return;
    const bool known = std::any_of(chart_.edges.begin(), chart_.edges.end(),
                                   [&](const FlowEdge& one) { return one.from == from && one.to == to; });
    if (!known) chart_.edges.push_back({from, to, label, EdgeStyle::kSolid});
  }

  void add(std::size_t index) {
    const Actor& actor = story_.actor(index);
    const EntityChange& entity = *actor.change;
    const std::string name = drawn_name(short_name(inputs_, entity));
    std::optional<std::size_t> before;
    std::optional<std::size_t> after;
    // On both sides or on none: what stands on one alone reads as removed or new.
    if ((entity.before && !room(0)) || (entity.after && !room(1))) return;
    if (entity.before)
      before = node(0, old_name(entity), entity.status == Status::kRemoved ? Mark::kRemoved : Mark::kNone,
                    entity.before->function);
    if (entity.after) after = node(1, name, mark_of(entity), entity.after->function);
    if (!actor.is_function()) {
      add_bases(entity, before, after);
      return;
    }
    places_.push_back({&actor, before, after});
    add_caller(index, before, after);
    if (before) add_gone_calls(actor, *before, 3);
    std::size_t told = 0;
    for (const DrawnCall& one : after ? calls_.come(entity) : std::vector<DrawnCall>()) {
      if (!room(1) || told == 3) break;
      edge(*after, node(1, one.label, mark_of_function(one.function), one.function), entity.before ? "new call" : "");
      ++told;
    }
    if (told == 0 && chart_.edges.size() < 6 + handed_.size()) without_calls_.push_back({&actor, before, after});
  }

  /// Draws calls that the function does not make itself any more, at most `most`.
  void add_gone_calls(const Actor& actor, std::size_t before, std::size_t most) {
    for (const GoneCall& gone : calls_.gone(*actor.change)) {
      if (!room(0) || most-- == 0) break;
      // What is no longer called may well exist on.
      const Mark mark = gone.is_removed ? Mark::kRemoved : Mark::kNone;
      edge(before, node(0, gone.call.label, mark, gone.call.function), calls_.arrow_label(gone, *actor.change));
      if (gone.helper.valid()) handed_.push_back(gone);
    }
  }

  /// Where a helper that is drawn makes a call now that is drawn on the side before.
  void add_handed_calls() {
    for (const GoneCall& gone : handed_) {
      const auto helper = index_.find({1, inputs_.after->functions()[gone.helper].qualified_name});
      if (helper == index_.end() || !room(1)) continue;
      const FunctionId callee = gone.there.function;
      edge(helper->second, node(1, gone.there.label, mark_of_function(callee), callee));
    }
  }

  /// Whether the function calls the other one, and surely enters it.
  static bool calls(const Program& program, FunctionId caller, FunctionId callee, bool is_sure) {
    const auto& sites = program.callers_of(callee);
    return std::any_of(sites.begin(), sites.end(), [&](program::CallId id) {
      const program::CallSite& site = program.calls()[id];
      return site.caller == caller &&
             (!is_sure || (program::surely_enters(site, callee) && handing_of(site, callee) == Handing::kNone));
    });
  }

  /// The calls from one drawn function to another that the change leaves or brings: without them it would stand alone.
  void add_calls_between() {
    for (const Place& from : places_) {
      for (const Place& to : places_) {
        const EntityChange& caller = *from.actor->change;
        const EntityChange& callee = *to.actor->change;
        if (&caller == &callee) continue;
        const bool is_before = caller.before && callee.before && caller.before->function.valid() &&
                               callee.before->function.valid() && from.before && to.before;
        const bool is_after = caller.after && callee.after && caller.after->function.valid() &&
                              callee.after->function.valid() && from.after && to.after;
        const auto had = [&](bool is_sure) {
          return is_before && calls(*inputs_.before, caller.before->function, callee.before->function, is_sure);
        };
        const auto has = [&](bool is_sure) {
          return is_after && calls(*inputs_.after, caller.after->function, callee.after->function, is_sure);
        };
        const bool is_both = caller.before && caller.after;
        // What only may have been called before is not called anew, and what still may be is not gone.
        if (had(true)) edge(*from.before, *to.before, has(false) || !is_both ? "calls" : "removed call");
        if (has(true)) edge(*from.after, *to.after, had(false) || !is_both ? "calls" : "new call");
      }
    }
  }

  std::string old_name(const EntityChange& entity) const {
    if (entity.before->function.valid()) return drawn_name(short_name(*inputs_.before, entity.before->function));
    return std::string(change::last_part(entity.before->qualified_name));
  }

  [[nodiscard]] bool is_gone(const std::string& label) const {
    return std::any_of(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
      return actor.is_removed() && drawn_name(short_name(inputs_, *actor.change)) == label;
    });
  }

  /// What the change did to the function, on the side after it.
  [[nodiscard]] Mark mark_of_function(FunctionId function) const {
    const auto found = std::find_if(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
      return function.valid() && !actor.is_removed() && actor.role != Role::kCosmetic && actor.change->after &&
             actor.change->after->function == function;
    });
    return found == story_.actors.end() ? Mark::kNone : mark_of(*found->change);
  }

  /// What the change did to the function of this name, on the side after it.
  [[nodiscard]] Mark mark_of_label(const std::string& label) const {
    const auto found = std::find_if(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
      return !actor.is_removed() && actor.role != Role::kCosmetic &&
             drawn_name(short_name(inputs_, *actor.change)) == label;
    });
    return found == story_.actors.end() ? Mark::kNone : mark_of(*found->change);
  }

  /// Bases that a class gains and loses.
  void add_bases(const EntityChange& entity, std::optional<std::size_t> before, std::optional<std::size_t> after) {
    for (const change::Difference& d : entity.differences) {
      const bool added = d.kind == change::DifferenceKind::kBaseAdded;
      if (!added && d.kind != change::DifferenceKind::kBaseRemoved) continue;
      const std::string base = added ? d.after : d.before;
      if (base.empty() || !room(added ? 1 : 0)) continue;
      if (added && after) edge(*after, node(1, base, mark_of_label(base)), "extends");
      if (!added && before) edge(*before, node(0, base, is_gone(base) ? Mark::kRemoved : Mark::kNone), "extends");
    }
  }

  static constexpr std::string_view kStartsTask = "starts as a task";
  static constexpr std::string_view kMakesGenerator = "makes the generator";

  /// "calls", or when the body of what the call calls starts.
  static std::string_view call_verb(const Program& program, FunctionId caller, const python::Node* call,
                                    const std::optional<change::EntitySide>& callee) {
    if (!callee) return "calls";
    switch (body_start(program, caller, call, callee->function)) {
      case BodyStart::kAsTask:
        return kStartsTask;
      case BodyStart::kWhenIterated:
        return kMakesGenerator;
      case BodyStart::kAtCall:
        break;
    }
    return "calls";
  }

  void add_caller(std::size_t index, std::optional<std::size_t> before, std::optional<std::size_t> after) {
    const auto& frames = story_.entries[index].frames;
    if (frames.size() < 2) return;
    const FunctionId calling = frames[frames.size() - 2].function;
    const std::string caller = drawn_name(short_name(*inputs_.after, calling));
    const bool defines = story_.entries[index].is_definition || frames[frames.size() - 2].call == nullptr;
    const Handing handing = frames[frames.size() - 2].handing;
    const std::string_view verb =
        defines                          ? "defines"
        : handing == Handing::kRegisters ? "registers"
        : handing == Handing::kHandsOn   ? "hands on"
        : handing == Handing::kLooksUp
            ? "looks up"
            : call_verb(*inputs_.after, calling, frames[frames.size() - 2].call, story_.actor(index).change->after);
    // Where only one side has room the caller would read as new or gone.
    const bool has_both = !before || room(0);
    const FunctionId old = inputs_.before->find_function(inputs_.after->functions()[calling].qualified_name);
    const auto& side = story_.actor(index).change->before;
    const auto called_before = [&] {
      if (!side || !side->function.valid()) return true;  // What is new was called by nothing.
      const auto& callers = inputs_.before->callers_of(side->function);
      return std::any_of(callers.begin(), callers.end(),
                         [&](program::CallId call) { return inputs_.before->calls()[call].caller == old; });
    };
    const bool is_call = verb == "calls" || verb == kStartsTask || verb == kMakesGenerator;
    const bool is_new_call = is_call && old.valid() && is_edited(old) && !called_before();
    if (after && room(1) && has_both)
      edge(node(1, caller, mark_of_function(calling), calling), *after,
           !is_new_call      ? std::string(verb)
           : verb == "calls" ? "new call"
                             : fmt::format("{} now", verb));
    if (!before || !old.valid() || !room(0) || !side || !side->function.valid()) return;
    for (const program::CallId call : inputs_.before->callers_of(side->function)) {
      if (inputs_.before->calls()[call].caller == old) {
        const Handing how = handing_of(inputs_.before->calls()[call], side->function);
        const std::string_view how_called =
            how == Handing::kNone        ? call_verb(*inputs_.before, old, inputs_.before->calls()[call].node, side)
            : how == Handing::kRegisters ? "registers"
                                         : "hands on";
        edge(node(0, caller, Mark::kNone, old), *before, std::string(how_called));
        return;
      }
    }
    // A caller that the change leaves alone did it before, too.
    if (!is_edited(old)) edge(node(0, caller, Mark::kNone, old), *before, std::string(verb));
  }

  /// Whether the change edits the function of the side before it.
  [[nodiscard]] bool is_edited(FunctionId old) const {
    return std::any_of(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
      return actor.change->before && actor.change->before->function == old;
    });
  }

  /// `x = None`, `x = {}`: says nothing before the steps that use it.
  static bool is_mere_start(const Step& step) {
    const auto* assign = python::as<python::Assign>(step.node);
    if (step.status != StepStatus::kAdded || assign == nullptr) return false;
    const auto* table = python::as<python::Dict>(assign->value);
    const auto* list = python::as<python::List>(assign->value);
    return python::is<python::Constant>(assign->value) || (table != nullptr && table->values.empty()) ||
           (list != nullptr && list->elements.empty());
  }

  /// Nodes of steps, by the steps' indices.
  using Drawn = std::map<std::size_t, std::size_t>;

  /// Hangs the node of a step below the innermost drawn branch or loop around it, else below its function.
  void below(const std::vector<Step>& steps, std::size_t index, std::size_t function, const Drawn& drawn) {
    for (std::size_t at = steps[index].parent; at != Step::kNone; at = steps[at].parent) {
      const auto found = drawn.find(at);
      if (found == drawn.end()) continue;
      // An `else:` belongs to the branch before it and is not drawn.
      edge(found->second, drawn.at(index), steps[at].kind == StepKind::kIf ? "then" : "");
      return;
    }
    edge(function, drawn.at(index));
  }

  /// Whether the step only gives a local something that no code of the repository makes: no part of an architecture.
  static bool is_mere_local(const Program& program, const Step& step) {
    const python::Expr* target = nullptr;
    const python::Expr* value = step.kind == StepKind::kPlain ? assigned_value(step.node, target) : nullptr;
    if (value == nullptr || !python::is<python::Name>(target)) return false;
    bool enters = false;
    const auto look = [&](const python::Node* node) {
      for (const FunctionId callee : callees_of(program, node))
        enters = enters || !program.functions()[callee].enclosing.valid();  // Not a helper of its own.
    };
    look(value);
    python::walk(*value, python::Nested::kEnter, look);
    return !enters;
  }

  /// New conditions under which a run leaves before a call that it came to then, too; false where there are none.
  bool add_passed_over(const Actor& actor, std::optional<std::size_t> before, std::optional<std::size_t> after) {
    if (!before || !after || actor.is_added()) return false;
    constexpr std::size_t kMost = 2;
    const WordsContext context = context_after(inputs_, actor);
    const auto [passed, exits] = first_passed_over(actor.steps, context_before(inputs_, actor), context, kMost);
    if (passed == nullptr || !room(0) || in_group_[1] + exits.size() >= kMostInGroup[1]) return false;
    const std::string call = one_line(*context.source, *passed, 60);
    edge(*before, node(0, call, Mark::kNone));
    std::size_t last = *after;
    for (const std::size_t i : exits) {
      const std::size_t exit =
          node(1, one_line(*context.source, actor.steps.after[i].span, 80) + " return", Mark::kNew);
      edge(last, exit, last == *after ? "" : "else");
      last = exit;
    }
    edge(last, node(1, call, Mark::kNone), "else");
    return true;
  }

  static constexpr std::size_t kCallLines = 2;

  /// What stands before the arguments of the call that the step makes, what it gives its result to only where that is
  /// short; empty for other steps.
  static std::string lead_of(const Step& step, const SourceText& source) {
    constexpr std::size_t kMost = 60;
    const python::Call* call = step.kind == StepKind::kPlain ? call_of_step(step) : nullptr;
    if (call == nullptr) return {};
    std::string lead = one_line_whole(source, Span{step.span.begin, call->callee->span.end});
    return lead.size() <= kMost ? lead : one_line(source, call->callee->span, kMost);
  }

  /// Of a changed call one of whose labels leaves out an argument that differs: both with these arguments.
  static void show_arguments(const Actor& actor, std::size_t index, std::string& old_label, std::string& label) {
    const Step& step = actor.steps.after[index];
    const std::string old_lead = lead_of(actor.steps.before[step.partner], *actor.steps.before_source);
    const std::string lead = lead_of(step, *actor.steps.after_source);
    if (told_old_call(actor, step.partner, old_label, old_lead, kCallLines).empty() &&
        told_call(actor, index, label, lead, kCallLines).empty())
      return;
    const std::string cut = "\u2026";
    const std::string was = told_old_call(actor, step.partner, cut, old_lead, kCallLines);
    const std::string is = told_call(actor, index, cut, lead, kCallLines);
    if (was == is) return;
    old_label = was.empty() ? old_lead + "(" + cut + ")" : was;
    label = is.empty() ? lead + "(" + cut + ")" : is;
  }

  /// Statements that differ, where no call does.
  void add_statements(const Actor& actor, std::optional<std::size_t> before, std::optional<std::size_t> after) {
    if (add_passed_over(actor, before, after)) return;
    std::size_t told = 0;
    std::vector<std::size_t> changed;
    for (const StepStatus status : {StepStatus::kChanged, StepStatus::kAdded}) {
      for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
        if (actor.steps.after[i].status == status) changed.push_back(i);
      }
    }
    std::stable_partition(changed.begin(), changed.end(), [&](std::size_t i) {
      const Step& step = actor.steps.after[i];
      return step.status == StepStatus::kChanged || !is_mere_local(*inputs_.after, step);
    });
    Drawn drawn_before;
    Drawn drawn_after;
    for (const std::size_t index : changed) {
      const Step& step = actor.steps.after[index];
      if (told == 3 || !after || !room(1)) break;
      if (actor.is_added() || step.kind == StepKind::kElse || step.is_moved || is_mere_start(step)) continue;
      std::string label = one_line(*actor.steps.after_source, step.span, 60);
      if (step.status == StepStatus::kAdded) {
        const std::string lead = lead_of(step, *actor.steps.after_source);
        if (std::string call = told_call(actor, index, label, lead, kCallLines); !call.empty()) label = std::move(call);
      }
      if (step.status == StepStatus::kChanged && step.partner != Step::kNone) {
        // Cut where both would read alike, the labels show what differs.
        auto [old_label, new_label] =
            where_they_differ(*actor.steps.before_source, actor.steps.before[step.partner].span,
                              *actor.steps.after_source, step.span, 60);
        // A few letters of the end of a text say nothing: then it is shown from its start.
        constexpr std::size_t kFewLetters = 24;
        std::string old_start = one_line(*actor.steps.before_source, actor.steps.before[step.partner].span, 60);
        if (std::min(old_label.size(), new_label.size()) < kFewLetters && old_label.starts_with("\u2026") &&
            old_start != label) {
          old_label = std::move(old_start);
        } else {
          label = new_label;
        }
        show_arguments(actor, index, old_label, label);
        if (before && room(0)) {
          drawn_before[step.partner] = node(0, old_label, Mark::kNone);
          below(actor.steps.before, step.partner, *before, drawn_before);
        }
      }
      drawn_after[index] = node(1, label, step.status == StepStatus::kAdded ? Mark::kNew : Mark::kModified);
      below(actor.steps.after, index, *after, drawn_after);
      ++told;
    }
    told = 0;
    for (std::size_t index = 0; index < actor.steps.before.size(); ++index) {
      const Step& step = actor.steps.before[index];
      if (told == 2 || !before || !room(0)) break;
      if (step.status != StepStatus::kRemoved || actor.is_removed() || step.kind == StepKind::kElse || step.is_moved ||
          step.elsewhere != nullptr || is_mere_local(*inputs_.before, step))
        continue;
      drawn_before[index] = node(0, one_line(*actor.steps.before_source, step.span, 60), Mark::kRemoved);
      below(actor.steps.before, index, *before, drawn_before);
      ++told;
    }
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  CallChanges calls_;
  Flowchart chart_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> index_;
  std::size_t in_group_[2] = {};
  std::vector<Place> places_;  ///< Functions that carry the change.
  std::vector<Place> without_calls_;
  std::vector<GoneCall> handed_;  ///< Drawn calls that helpers make now.
};

}  // namespace

Mark mark_of(const EntityChange& entity) {
  // What only went to another file is what it was.
  if (entity.status == Status::kModified && entity.moved && !entity.renamed && entity.differences.empty())
    return Mark::kNone;
  switch (entity.status) {
    case Status::kAdded:
      return Mark::kNew;
    case Status::kRemoved:
      return Mark::kRemoved;
    case Status::kModified:
      break;
  }
  return Mark::kModified;
}

std::optional<Flowchart> architecture_diagram(const DocumentInputs& inputs, const Story& story) {
  return Architecture(inputs, story).run();
}

Flowchart files_diagram(const DocumentInputs& inputs) {
  Flowchart chart;
  chart.left_to_right = true;
  chart.groups = {{"Before"}, {"After"}};
  const std::vector<const change::FileSummary*> files = files_in_order(inputs);
  const std::size_t shown = std::min<std::size_t>(files.size(), 6);
  for (std::size_t i = 0; i < shown; ++i) {
    const repo::FileChange& file = *files[i]->file;
    std::optional<std::size_t> before;
    if (file.kind != repo::ChangeKind::added) {
      chart.nodes.push_back({file.old_path.empty() ? file.new_path : file.old_path, NodeShape::kBox,
                             file.kind == repo::ChangeKind::deleted ? Mark::kRemoved : Mark::kNone, 0});
      before = chart.nodes.size() - 1;
    }
    if (file.kind == repo::ChangeKind::deleted) continue;
    chart.nodes.push_back(
        {file.new_path, NodeShape::kBox, file.kind == repo::ChangeKind::added ? Mark::kNew : Mark::kModified, 1});
    if (before)
      chart.edges.push_back({*before, chart.nodes.size() - 1,
                             fmt::format("+{} -{}", files[i]->lines_added, files[i]->lines_removed),
                             EdgeStyle::kSolid});
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const bool any =
        std::any_of(chart.nodes.begin(), chart.nodes.end(), [&](const FlowNode& node) { return node.group == side; });
    if (!any) chart.nodes.push_back({side == 0 ? "no such file" : "files removed", NodeShape::kBox, Mark::kNone, side});
  }
  if (files.size() > shown)
    chart.nodes.push_back({fmt::format("and {}", lockstep::count_of(files.size() - shown, "more file")),
                           NodeShape::kBox, Mark::kModified, 1});
  return chart;
}

}  // namespace lockstep::report
