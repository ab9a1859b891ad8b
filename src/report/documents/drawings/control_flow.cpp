// The control flow of one function as a diagram (drawings.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/drawings/drawings.h"
#include "report/documents/drawings/drawn_conditions.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/story/steps/freed.h"
#include "report/story/wording/contract.h"
#include "report/story/wording/edits.h"
#include "rules/syntax/flow.h"
#include "text/shorten.h"

namespace lockstep::report {

using namespace python;

StepStatus drawn_status(const Step& step) {
  return step.is_moved && step.status == StepStatus::kAdded ? StepStatus::kChanged : step.status;
}

Mark mark_of(StepStatus status) {
  switch (status) {
    case StepStatus::kAdded:
      return Mark::kNew;
    case StepStatus::kChanged:
      return Mark::kModified;
    case StepStatus::kRemoved:
      return Mark::kRemoved;
    case StepStatus::kKept:
      break;
  }
  return Mark::kNone;
}

namespace {

constexpr std::size_t kMostNodes = 11;  ///< Where branches stop being drawn; what follows them still is.

/// Where control stands: nodes whose next step is not drawn yet, with the label of the edge that leads on.
struct Exit {
  std::size_t node;
  std::string label;
};

/// Where a run may leave a stretch of steps that is drawn as one.
struct WaysOut {
  bool returns = false;
  bool goes_on = false;  ///< With the next round of a loop around the stretch.
  bool breaks = false;   ///< Out of that loop.

  void operator|=(const WaysOut& other) {
    returns = returns || other.returns;
    goes_on = goes_on || other.goes_on;
    breaks = breaks || other.breaks;
  }
  /// ", may return here"; empty where there are none.
  [[nodiscard]] std::string words() const {
    std::vector<std::string> parts;
    if (returns) parts.emplace_back("return");
    if (goes_on) parts.emplace_back("go on with the next round");
    if (breaks) parts.emplace_back("leave the loop");
    return parts.empty() ? std::string() : fmt::format(", may {} here", join_words(parts, "or"));
  }
};

class ControlFlow {
 public:
  /// `folds_checks`: branches that only raise are lines of the boxes around them (`note_checks`).
  ControlFlow(const DocumentInputs& inputs, const Actor& actor, WordsContext context, bool folds_checks)
      : steps_(actor.steps.after), context_(context), whole_is_new_(actor.is_added()) {
    mark_freed(inputs, actor);
    note_set_names();
    if (folds_checks) note_checks();
  }

  /// Whether `run` had to tell branches as text, for want of room.
  [[nodiscard]] bool ran_out_of_room() const { return ran_out_of_room_; }

  std::optional<Flowchart> run(const std::string& name) {
    const std::size_t start = node(name, NodeShape::kRounded, whole_is_new_ ? Mark::kNew : Mark::kNone);
    std::vector<Exit> exits = block(0, steps_.size(), {{start, ""}});
    if (!exits.empty()) join(node("end", NodeShape::kRounded, Mark::kNone), exits);
    const bool shows_change = whole_is_new_ || std::any_of(chart_.nodes.begin(), chart_.nodes.end(),
                                                           [](const FlowNode& n) { return n.mark != Mark::kNone; });
    if (chart_.nodes.size() < 4 || !shows_change) return std::nullopt;
    return std::move(chart_);
  }

 private:
  std::size_t node(std::string label, NodeShape shape, Mark mark) {
    chart_.nodes.push_back({std::move(label), shape, mark, SIZE_MAX});
    return chart_.nodes.size() - 1;
  }

  void join(std::size_t to, const std::vector<Exit>& exits) {
    for (const Exit& exit : exits) chart_.edges.push_back({exit.node, to, exit.label, EdgeStyle::kSolid});
  }

  /// What only moved, and what stays but stands under fewer conditions than before, changes, too.
  void mark_freed(const DocumentInputs& inputs, const Actor& actor) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      steps_[i].status = drawn_status(steps_[i]);
      const bool goes_along = steps_[i].parent != Step::kNone && freed_.contains(steps_[i].parent);
      if (goes_along || gone_conditions(inputs, actor, i).empty()) continue;
      steps_[i].status = StepStatus::kChanged;
      freed_.insert(i);
    }
  }

  /// Names that new and changed steps set.
  void note_set_names() {
    for (const Step& step : steps_) {
      const Expr* target = nullptr;
      if (step.status == StepStatus::kKept || assigned_value(step.node, target) == nullptr) continue;
      if (const auto* name = as<Name>(target)) set_names_.insert(name->id);
    }
  }

  /// Checks that do nothing but raise, where there are several: each is a line in the box of the steps around it, so
  /// that the branches that do something have room.
  void note_checks() {
    for (std::size_t i = 0; i + 1 < steps_.size(); ++i) {
      const std::size_t end = end_of(steps_, i);
      const bool is_alone = steps_[i].kind == StepKind::kIf && !steps_[i].is_elif &&
                            (end >= steps_.size() || !belongs(end, i)) && (end == i + 2 || end == i + 3);
      if (!is_alone || !is<Raise>(steps_[end - 1].node) || steps_[i + 1].kind != StepKind::kPlain) continue;
      const auto is_new = [&](std::size_t at) { return whole_is_new_ || steps_[at].status == StepStatus::kAdded; };
      if (is_new(i) && is_new(i + 1) && is_new(end - 1)) checks_.insert(i);
    }
    if (checks_.size() < 2) checks_.clear();
  }

  /// "raise ValueError if size is less than 0".
  [[nodiscard]] std::string check_words(std::size_t i) const {
    constexpr std::size_t kLongest = 70;
    const auto* raised = as<Raise>(steps_[end_of(steps_, i) - 1].node);
    const Expr* error = raised->exception;
    if (const auto* call = as<Call>(error)) error = call->callee;
    std::string out = error == nullptr ? std::string("raise") : "raise " + one_line(*context_.source, *error, 30);
    return shortened(out + " if " + question_of(i), kLongest);
  }

  [[nodiscard]] std::string question_of(std::size_t i) const {
    const auto* statement = as<If>(steps_[i].node);
    std::string question = with_backquotes(condition_words(*statement->condition, *context_.source));
    question = without_set_values(std::move(question));
    question.erase(std::remove(question.begin(), question.end(), '`'), question.end());
    return question;
  }

  /// Whether an unchanged step calls something with what changed steps set.
  [[nodiscard]] bool uses_what_changed(const Step& step) const {
    if (step.kind != StepKind::kPlain && step.kind != StepKind::kWith) return false;
    bool uses = false;
    const auto look = [&](const Call* call) {
      if (!step.span.contains(call->span)) return;
      walk_of<Name>(*call, Nested::kSkip, [&](const Name* name) { uses = uses || set_names_.contains(name->id); });
    };
    walk_of<Call>(*step.node, Nested::kSkip, look);
    return uses;
  }

  Mark own_mark(const Step& step) const { return whole_is_new_ ? Mark::kNone : mark_of(step.status); }

  [[nodiscard]] bool room() {
    const bool has_room = chart_.nodes.size() < kMostNodes;
    ran_out_of_room_ = ran_out_of_room_ || !has_room;
    return has_room;
  }

  /// A branch is drawn as one when something in it changed, or when all is new.
  [[nodiscard]] bool is_drawn(std::size_t i) const {
    if (checks_.contains(i)) return false;
    if (whole_is_new_) return steps_[i].depth <= 2;
    return has_change_inside(steps_, i) || else_changes(i);
  }

  [[nodiscard]] bool else_changes(std::size_t i) const {
    for (std::size_t next = end_of(steps_, i); next < steps_.size() && belongs(next, i); next = end_of(steps_, next)) {
      if (has_change_inside(steps_, next)) return true;
    }
    return false;
  }

  /// Whether step `next` continues the if of step `i` (elif, else), or the try (except, else, finally).
  [[nodiscard]] bool belongs(std::size_t next, std::size_t i) const {
    if (steps_[next].depth != steps_[i].depth || steps_[next].parent != steps_[i].parent) return false;
    if (steps_[next].kind == StepKind::kIf) return steps_[next].is_elif;
    return steps_[next].kind == StepKind::kElse || steps_[next].kind == StepKind::kExcept ||
           steps_[next].kind == StepKind::kFinally;
  }

  std::vector<Exit> block(std::size_t first, std::size_t last, std::vector<Exit> exits) {
    for (std::size_t i = first; i < last;) {
      if (exits.empty()) break;  // what follows a return is not reached
      const Step& step = steps_[i];
      std::size_t end = end_of(steps_, i);
      if (step.kind == StepKind::kIf && is_drawn(i) && room()) {
        exits = branch(i, last, exits, end);
      } else if ((step.kind == StepKind::kFor || step.kind == StepKind::kWhile) && is_drawn(i) && room()) {
        exits = loop(i, exits, end);
      } else if (step.kind == StepKind::kTry && is_drawn(i)) {
        exits = attempt(i, last, exits, end);
      } else if ((step.kind == StepKind::kWith || step.kind == StepKind::kFinally) && is_drawn(i)) {
        exits = block(i + 1, end, exits);
      } else {
        exits = run_of_steps(i, last, exits, end);
      }
      i = end;
    }
    return exits;
  }

  std::vector<Exit> branch(std::size_t i, std::size_t last, std::vector<Exit> exits, std::size_t& end) {
    const std::size_t decision = node(question_of(i) + "?", NodeShape::kDecision, own_mark(steps_[i]));
    join(decision, exits);
    std::vector<Exit> out = block(i + 1, end, {{decision, "yes"}});
    if (end < last && belongs(end, i) && steps_[end].kind == StepKind::kElse) {
      const std::size_t else_end = end_of(steps_, end);
      for (Exit& exit : block(end + 1, else_end, {{decision, "no"}})) out.push_back(std::move(exit));
      end = else_end;
    } else if (end < last && belongs(end, i) && steps_[end].kind == StepKind::kIf) {
      std::size_t elif_end = end_of(steps_, end);
      std::vector<Exit> no = {{decision, "no"}};
      if (room()) {
        no = branch(end, last, no, elif_end);
      } else {
        // The rest of the chain and no more: what stands behind it is where all branches come together.
        while (elif_end < last && belongs(elif_end, i)) elif_end = end_of(steps_, elif_end);
        no = block(end, elif_end, no);
      }
      for (Exit& exit : no) out.push_back(std::move(exit));
      end = elif_end;
    } else {
      out.push_back({decision, "no"});
    }
    return out;
  }

  /// A `try` with what belongs to it: a run comes to a handler from what the `try` holds, to the `else` behind it, and
  /// to the `finally` behind all of them.
  std::vector<Exit> attempt(std::size_t i, std::size_t last, const std::vector<Exit>& exits, std::size_t& end) {
    const std::size_t first = chart_.nodes.size();
    std::vector<Exit> out = block(i + 1, end, exits);
    const bool is_one = chart_.nodes.size() == first + 1;
    std::vector<Exit> handled;
    while (end < last && belongs(end, i) && steps_[end].kind != StepKind::kIf) {
      const std::size_t part_end = end_of(steps_, end);
      if (steps_[end].kind == StepKind::kExcept) {
        const auto* handler = as<ExceptHandler>(steps_[end].node);
        const std::string error = handler == nullptr || handler->type == nullptr
                                      ? std::string("any error")
                                      : one_line(*context_.source, *handler->type, 40);
        const std::string label = is_one ? "on " + error : fmt::format("on {}, here or below", error);
        for (Exit& exit : block(end + 1, part_end, {{first, label}})) handled.push_back(std::move(exit));
      } else if (steps_[end].kind == StepKind::kElse) {
        out = block(end + 1, part_end, std::move(out));
      } else {
        out.insert(out.end(), handled.begin(), handled.end());
        handled.clear();
        out = block(end + 1, part_end, std::move(out));
      }
      end = part_end;
    }
    out.insert(out.end(), handled.begin(), handled.end());
    return out;
  }

  std::vector<Exit> loop(std::size_t i, std::vector<Exit> exits, std::size_t end) {
    std::string label;
    if (const auto* each = as<For>(steps_[i].node)) {
      label = fmt::format("for each {} of {}", one_line(*context_.source, *each->target, 25),
                          one_line(*context_.source, *each->iterable, 40));
    } else {
      label = "while " + one_line(*context_.source, *as<While>(steps_[i].node)->condition, 50);
    }
    const std::size_t head = node(label, NodeShape::kDecision, own_mark(steps_[i]));
    join(head, exits);
    loops_.push_back({head, {}});
    for (const Exit& exit : block(i + 1, end, {{head, "next"}})) {
      if (exit.node != head) chart_.edges.push_back({exit.node, head, exit.label, EdgeStyle::kSolid});
    }
    std::vector<Exit> out = {{head, "done"}};
    for (const Exit& exit : loops_.back().breaks) out.push_back(exit);
    loops_.pop_back();
    return out;
  }

  static bool is_call(const Step& step) {
    const auto* statement = as<ExprStmt>(step.node);
    return step.kind == StepKind::kPlain && statement != nullptr && is<Call>(statement->value);
  }

  /// Simple and undrawn steps up to the next drawn one, in one node a status; ends at returns and raises.
  std::vector<Exit> run_of_steps(std::size_t i, std::size_t last, std::vector<Exit> exits, std::size_t& end) {
    const StepStatus status = whole_is_new_ ? StepStatus::kKept : steps_[i].status;
    std::vector<std::string> lines;
    std::size_t unchanged = 0;
    std::size_t unchanged_at = 0;  // Before which line the first of them stands.
    std::size_t unchanged_step = i;
    std::size_t hidden = 0;
    constexpr std::size_t kMostChecks = 2;
    std::size_t checks = 0;
    std::size_t told = 0;  // Steps of the stretch with a line of their own, checks left out.
    constexpr std::size_t kMostUses = 2;
    std::size_t uses = 0;
    bool is_mixed = false;  // Holds changed steps beside those of `status`.
    WaysOut ways_out;       // Of branches that are not drawn.
    bool leaves = false;
    bool communicates = false;
    std::size_t at = i;
    std::size_t last_step = i;
    while (at < last && !leaves) {
      const Step& step = steps_[at];
      if (at != i && step.kind != StepKind::kPlain && is_drawn(at) && room()) break;
      if (at != i && !whole_is_new_ && step.status != status && room()) break;
      leaves = step.kind == StepKind::kPlain && rules::ends_block(*static_cast<const Stmt*>(step.node));
      const std::string what = collective_in(step);
      communicates = communicates || !what.empty();
      const bool kept = !whole_is_new_ && step.status == StepStatus::kKept;
      const WaysOut own_ways = ways_out_of(at);
      const bool changes_inside = kept && step.kind != StepKind::kPlain && is_drawn(at);
      if (!what.empty()) {
        lines.push_back(what);
      } else if (changes_inside) {
        lines.push_back(label_of(at) + " [MODIFIED inside]" + own_ways.words());
        is_mixed = true;
      } else if (kept && !leaves && uses < kMostUses && uses_what_changed(step)) {
        lines.push_back(label_of(at) + (status == StepStatus::kKept ? "" : " [unchanged]") + own_ways.words());
        ++uses;
      } else if (checks_.contains(at)) {
        if (++checks <= kMostChecks) lines.push_back(check_words(at));
      } else if (kept && !leaves) {
        if (unchanged++ == 0) {
          unchanged_at = lines.size();
          unchanged_step = at;
        }
        ways_out |= own_ways;
      } else if (told < 3 || leaves || step.status != status) {
        // Where there is no room for a node of its own, what is new is named so.
        const bool is_marked = !whole_is_new_ && step.status != status;
        const std::string_view mark = freed_.contains(at)                 ? " [under fewer conditions]"
                                      : !is_marked                        ? ""
                                      : kept                              ? " [unchanged]"
                                      : step.status == StepStatus::kAdded ? " [NEW]"
                                                                          : " [MODIFIED]";
        is_mixed = is_mixed || is_marked;
        ++told;
        lines.push_back(label_of(at) + std::string(mark) + own_ways.words());
      } else {
        ++hidden;
      }
      last_step = at;
      at = end_of(steps_, at);
    }
    end = at;
    const bool is_between = unchanged == 1 && lines.empty() && hidden == 0 && i > 0 && at < last && !exits.empty() &&
                            !stretch_.contains(exits.front().node) && is_call(steps_[i]);
    // One call between changed steps runs under what they set: it is shown.
    if (is_between) {
      lines.push_back(label_of(i));
      unchanged = 0;
    }
    // One step is told in no more room than that there is one.
    const bool is_one = unchanged == 1 && !lines.empty() && !whole_is_new_;
    const std::string unchanged_line = is_one          ? label_of(unchanged_step) + ways_out.words()
                                       : unchanged > 0 ? unchanged_words(unchanged, ways_out)
                                                       : std::string();
    if (unchanged > 0)
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(std::min(unchanged_at, lines.size())), unchanged_line);
    if (checks > kMostChecks)
      lines.push_back(fmt::format("\u2026 ({})", lockstep::count_of(checks - kMostChecks, "more check")));
    if (hidden > 0) lines.push_back(fmt::format("\u2026 ({})", lockstep::count_of(hidden, "more step")));
    std::string label;
    for (const std::string& line : lines) label += (label.empty() ? "" : "\n") + line;
    // Unchanged steps right after unchanged ones are one stretch.
    if (unchanged > 0 && lines.size() == 1 && exits.size() == 1 && exits.front().label.empty() &&
        stretch_.contains(exits.front().node) && !leaves) {
      const std::size_t before = exits.front().node;
      Stretch& stretch = stretch_[before];
      stretch.steps += unchanged;
      stretch.ways_out |= ways_out;
      chart_.nodes[before].label = unchanged_words(stretch.steps, stretch.ways_out);
      return {{before, ""}};
    }
    const std::size_t here = node(label,
                                  communicates ? NodeShape::kCommunication
                                  : leaves     ? NodeShape::kRounded
                                               : NodeShape::kBox,
                                  status == StepStatus::kKept && is_mixed ? Mark::kModified : mark_of(status));
    join(here, exits);
    if (leaves) {
      leave(here, steps_[last_step]);
      return {};
    }
    if (unchanged > 0 && lines.size() == 1) stretch_[here] = {unchanged, ways_out};
    return {{here, ""}};
  }

  /// Draws where `continue` and `break` go; other ways out leave the function.
  void leave(std::size_t from, const Step& step) {
    if (loops_.empty()) return;
    if (is<Continue>(step.node)) chart_.edges.push_back({from, loops_.back().head, "", EdgeStyle::kSolid});
    if (is<Break>(step.node)) loops_.back().breaks.push_back({from, ""});
  }

  /// Of the branch or loop at `index`: what follows it is then not always run.
  [[nodiscard]] WaysOut ways_out_of(std::size_t index) const {
    WaysOut out;
    if (steps_[index].kind == StepKind::kPlain) return out;
    for (std::size_t i = index + 1; i < end_of(steps_, index); ++i) {
      const Node* node = steps_[i].node;
      out.returns = out.returns || is<Return>(node);
      if (!is<Continue>(node) && !is<Break>(node)) continue;
      bool is_inner = false;  // Of a loop within.
      for (std::size_t at = steps_[i].parent; at != Step::kNone && at >= index; at = steps_[at].parent)
        is_inner = is_inner || steps_[at].kind == StepKind::kFor || steps_[at].kind == StepKind::kWhile;
      out.goes_on = out.goes_on || (is<Continue>(node) && !is_inner);
      out.breaks = out.breaks || (is<Break>(node) && !is_inner);
    }
    return out;
  }

  static std::string unchanged_words(std::size_t count, const WaysOut& ways_out) {
    return fmt::format("\u2026 ({} unchanged{})", lockstep::count_of(count, "step"), ways_out.words());
  }

  std::string label_of(std::size_t at) const {
    const Step& step = steps_[at];
    std::string text = one_line(*context_.source, step.span, 56);
    if (const auto* nested = as<FunctionDef>(step.node); nested != nullptr && step.kind == StepKind::kPlain)
      return fmt::format("def {}(\u2026)", nested->name.text);
    if (step.kind != StepKind::kPlain) text += " \u2026";
    return text;
  }

  std::string collective_in(const Step& step) const {
    if (context_.mesh == nullptr || step.kind != StepKind::kPlain) return {};
    for (const mesh::CollectiveSite& site : context_.mesh->collectives_of(context_.function)) {
      if (site.call != nullptr && step.span.contains(site.call->span))
        return unmarked(collective_words(site, *context_.mesh));
    }
    return {};
  }

  std::vector<Step> steps_;
  WordsContext context_;
  bool whole_is_new_;
  bool ran_out_of_room_ = false;
  Flowchart chart_;
  std::set<std::size_t> freed_;           ///< Steps that stand under fewer conditions than before.
  std::set<std::size_t> checks_;          ///< Branches that only raise, told as a line (`note_checks`).
  std::set<std::string_view> set_names_;  ///< By new and changed steps.
  struct Loop {
    std::size_t head;
    std::vector<Exit> breaks;
  };
  std::vector<Loop> loops_;  ///< Around what is drawn, the innermost last.
  struct Stretch {
    std::size_t steps = 0;
    WaysOut ways_out;
  };
  std::map<std::size_t, Stretch> stretch_;  ///< Nodes that stand for unchanged steps alone.
};

}  // namespace

std::optional<Flowchart> control_flow_diagram(const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.is_function() || actor.steps.after_source == nullptr || actor.steps.after.empty()) return std::nullopt;
  const bool branches = std::any_of(actor.steps.after.begin(), actor.steps.after.end(),
                                    [](const Step& s) { return s.kind != StepKind::kPlain; });
  if (!branches) return std::nullopt;
  const std::string name = short_name(inputs, *actor.change);
  ControlFlow whole(inputs, actor, context_after(inputs, actor), false);
  std::optional<Flowchart> chart = whole.run(name);
  if (!whole.ran_out_of_room()) return chart;
  return ControlFlow(inputs, actor, context_after(inputs, actor), true).run(name);
}

}  // namespace lockstep::report
