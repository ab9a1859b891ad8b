// The sequence diagram: who calls whom on the way to the changed code, and what happens in it (drawings.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/drawings/drawings.h"
#include "report/documents/drawings/drawn_arguments.h"
#include "report/documents/drawings/drawn_conditions.h"
#include "report/documents/runs/ways.h"
#include "report/file_name.h"
#include "report/source/apis.h"
#include "report/source/bound_arguments.h"
#include "report/source/code.h"
#include "report/source/host_values.h"
#include "report/story/steps/kept_alternatives.h"
#include "report/story/wording/changes.h"
#include "report/story/wording/contract.h"
#include "report/story/wording/told_guards.h"
#include "report/ways/conditions/condition_kinds.h"
#include "report/ways/functions/started_bodies.h"

namespace lockstep::report {

using change::EntityKind;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::string_view kCaller = "caller";  // of which nothing is known

class Calls {
 public:
  Calls(const DocumentInputs& inputs, const Story& story) : inputs_(inputs), story_(story) {}

  std::optional<Sequence> run(std::size_t index) {
    const Actor& actor = story_.actor(index);
    const auto& frames = story_.entries[index].frames;
    if (!actor.is_function() || !actor.change->after || actor.steps.after_source == nullptr) return std::nullopt;
    const FunctionId target = actor.change->after->function;
    std::size_t opened = 0;
    sequence_.starts_at_script = frames.size() >= 2 && story_.entries[index].kind == program::EntryKind::kScript;
    if (frames.size() >= 2) {
      opened = chain(frames);
    } else {
      const std::size_t self = participant(*inputs_.after, target);
      const std::size_t caller = external(std::string(kCaller));
      event(SequenceEvent::Kind::kCall, caller, self, called(target));
      last_caller_ = caller;
    }
    sequence_.way = sequence_.events.size();
    const bool is_used = frames.size() < 2 || uses_result(frames[frames.size() - 2], target);
    if (frames.size() >= 2) bound_ = given_by_last(frames[frames.size() - 2], target);
    inside(actor, target, 0, {last_caller_, is_used});
    const Contract contract = contract_of(context_after(inputs_, actor));
    if (is_used && !contract.returns.empty() && contract.returns.back() != "None" && ends_in_its_only_return(actor)) {
      const std::string& given = contract.returns.back();
      event(SequenceEvent::Kind::kReturn, participant(*inputs_.after, target), last_caller_,
            is_drawn_call(given) ? "return" : given);
    }
    for (; opened > 0; --opened) event(SequenceEvent::Kind::kEnd, 0, 0, "");
    if (sequence_.events.empty()) return std::nullopt;
    return std::move(sequence_);
  }

 private:
  /// Of several ways out the last is not the one that a run takes.
  static bool ends_in_its_only_return(const Actor& actor) {
    const std::vector<Step>& steps = actor.steps.after;
    const auto returns = std::count_if(steps.begin(), steps.end(),
                                       [](const Step& step) { return python::is<python::Return>(step.node); });
    return returns == 1 && steps.back().depth == steps.front().depth && python::is<python::Return>(steps.back().node);
  }

  /// Whether the frame's function takes the result of its call where it calls `callee`; true where that is not known.
  [[nodiscard]] bool uses_result(const PathFrame& frame, FunctionId callee) const {
    const python::Node* function = inputs_.after->functions()[frame.function].node;
    if (frame.call == nullptr || function == nullptr || frame.handing != Handing::kNone) return true;
    if (body_start(*inputs_.after, frame.function, frame.call, callee) != BodyStart::kAtCall) return false;
    return !is_dropped(*function, *frame.call);
  }

  /// Whether a call is a statement by itself.
  static bool is_dropped(const python::Node& around, const python::Node& call) {
    bool found = false;
    const auto look = [&](const python::Node* node) {
      const python::Expr* value = thrown_away_by(*node);
      found = found || (value != nullptr && value->span == call.span);
    };
    look(&around);
    python::walk(around, python::Nested::kEnter, look);
    return found;
  }

  static constexpr std::size_t kMostParticipants = 10;
  static constexpr std::size_t kMostEvents = 24;
  static constexpr const char* kOtherRanks = "other ranks of the group";

  /// The class or file that a function belongs to.
  std::size_t participant(const Program& program, FunctionId function) {
    const auto& f = program.functions()[function];
    ClassId owner = f.owner;
    for (FunctionId outer = f.enclosing; !owner.valid() && outer.valid(); outer = program.functions()[outer].enclosing)
      owner = program.functions()[outer].owner;
    const std::string& path = program.module_of(function).path;
    const std::string file = file_name(path);
    if (owner.valid()) {
      const std::string name = short_name(program, owner);
      return labelled(program.classes()[owner].qualified_name, name, fmt::format("{} of {}", name, file),
                      mark_of_class(owner));
    }
    const std::size_t slash =
        path.size() > file.size() ? path.rfind('/', path.size() - file.size() - 2) : std::string::npos;
    return labelled(path, file, path.substr(slash == std::string::npos ? 0 : slash + 1), mark_of_file(path));
  }

  [[nodiscard]] Mark mark_of_class(ClassId cls) const {
    for (const Actor& actor : story_.actors) {
      if (actor.role != Role::kTest && actor.change->kind == EntityKind::kClass && actor.change->after &&
          actor.change->after->cls == cls && !actor.change->is_cosmetic())
        return mark_of(*actor.change);
    }
    return holds_changed([&](const program::Function& f, const std::string&) { return f.owner == cls; })
               ? Mark::kModified
               : Mark::kNone;
  }

  [[nodiscard]] Mark mark_of_file(const std::string& path) const {
    if (!holds_changed(
            [&](const program::Function& f, const std::string& own) { return !f.owner.valid() && own == path; }))
      return Mark::kNone;
    const repo::FileChange* file = inputs_.change->diff->find_after(path);
    return file != nullptr && file->kind == repo::ChangeKind::added ? Mark::kNew : Mark::kModified;
  }

  /// Whether a function that does something else now is one that `is_there(function, path)` holds for.
  template <class IsThere>
  [[nodiscard]] bool holds_changed(const IsThere& is_there) const {
    return std::any_of(story_.actors.begin(), story_.actors.end(), [&](const Actor& actor) {
      const auto& after = actor.change->after;
      return actor.role != Role::kTest && actor.role != Role::kCosmetic && !actor.change->is_cosmetic() && after &&
             after->function.valid() && !actor.is_module_code &&
             is_there(inputs_.after->functions()[after->function], inputs_.after->module_of(after->function).path);
    });
  }

  /// `key`: what it is, whatever its label; `longer`: the label of the second of two that have the same one.
  std::size_t labelled(const std::string& key, const std::string& label, const std::string& longer, Mark mark) {
    const auto [at, is_new] = index_.emplace(key, sequence_.participants.size());
    if (!is_new) return at->second;
    const bool is_taken = std::any_of(sequence_.participants.begin(), sequence_.participants.end(),
                                      [&](const auto& one) { return one.label == label; });
    sequence_.participants.push_back({is_taken ? longer : label, mark});
    return at->second;
  }
  std::size_t external(const std::string& label) { return labelled(label, label, label, Mark::kNone); }

  [[nodiscard]] std::string name_of(FunctionId function) const {
    const auto& f = inputs_.after->functions()[function];
    if (f.kind == program::FunctionKind::kLambda) return "a lambda";
    return f.kind == program::FunctionKind::kModuleBody ? "run" : std::string(f.name);
  }

  /// "f(…)", "f()" of what takes nothing.
  [[nodiscard]] std::string called(FunctionId function) const {
    const auto& f = inputs_.after->functions()[function];
    const auto* def = f.def();
    // A static method has no object of its own.
    const bool has_own = f.owner.valid() && def != nullptr &&
                         std::none_of(def->decorators.begin(), def->decorators.end(),
                                      [](const python::Expr* one) { return rules::name_of(one) == "staticmethod"; });
    const std::size_t own = has_own ? 1 : 0;
    return name_of(function) + (def != nullptr && def->parameters->all.size() <= own ? "()" : "(\u2026)");
  }

  /// The same of a call in a changed function, with the arguments that the change is about.
  [[nodiscard]] std::string called(FunctionId caller, const python::Node* call, FunctionId function) const {
    return with_changed_arguments(caller, call, called(function), name_of(function));
  }

  /// A call as it is written, short; what the change is about in it is shown.
  [[nodiscard]] std::string written(const WordsContext& context, const python::Node* node) const {
    constexpr std::size_t kMost = 60;
    const auto* call = python::as<python::Call>(node);
    std::string text = one_line(*context.source, node->span, kMost);
    return call == nullptr ? text
                           : with_changed_arguments(context.function, node, std::move(text),
                                                    one_line(*context.source, *call->callee, kMost));
  }

  /// `shown`, or, where it leaves out what the change is about, the call with that.
  [[nodiscard]] std::string with_changed_arguments(FunctionId caller, const python::Node* call, std::string shown,
                                                   const std::string& lead) const {
    const Actor* actor = changed(caller);
    const std::size_t at = actor == nullptr ? Step::kNone : step_with_call(*actor, call);
    std::string told = at == Step::kNone ? std::string() : told_call(*actor, at, shown, lead, 1);
    return told.empty() ? shown : told;
  }

  void event(SequenceEvent::Kind kind, std::size_t from, std::size_t to, std::string text) {
    sequence_.events.push_back({kind, from, to, std::move(text)});
  }

  /// A call, or what it is that does not run the body there.
  void call_event(BodyStart start, std::size_t from, std::size_t to, const std::string& name, std::string text) {
    const bool is_task = start == BodyStart::kAsTask;
    event(is_task ? SequenceEvent::Kind::kAsync : SequenceEvent::Kind::kCall, from, to,
          is_task ? "starts task " + std::move(text) : std::move(text));
    if (start == BodyStart::kWhenIterated)
      event(SequenceEvent::Kind::kNote, to, to, fmt::format("{} runs when it is iterated over", name));
  }

  /// The way from the entry; what its text only counts is a note. Returns how many blocks stay open.
  std::size_t chain(const std::vector<PathFrame>& frames) {
    std::size_t opened = 0;
    std::size_t first = 0;  // Of the calls that are only counted, with the one before.
    bool is_asked = false;  // Each of them may stand in branches.
    for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
      if (is_only_counted(frames, i + 1)) {
        if (first == 0) first = i + 1;
        is_asked = is_asked || !conditions_of(frames[i], frames[i + 1].function).empty();
        continue;
      }
      if (first != 0) {
        const std::size_t over = participant(*inputs_.after, frames[first].function);
        event(SequenceEvent::Kind::kNote, over, over,
              fmt::format("\u2026 {}{}: {} to {}", lockstep::count_of(i + 1 - first, "call"),
                          is_asked ? ", some only under conditions" : "", name_of(frames[first].function),
                          name_of(frames[i].function)));
        first = 0;
        is_asked = false;
      }
      const std::size_t from = participant(*inputs_.after, frames[i].function);
      const std::size_t to = participant(*inputs_.after, frames[i + 1].function);
      const std::string condition = conditions_label(frames[i], frames[i + 1].function);
      if (!condition.empty()) {
        event(SequenceEvent::Kind::kOptional, from, to, condition);
        ++opened;
      }
      const std::string name = name_of(frames[i + 1].function);
      if (frames[i].handing == Handing::kLooksUp)
        event(SequenceEvent::Kind::kNote, from, from, fmt::format("looks up {} by its name", name));
      const bool is_backward = enters_backward(*inputs_.after, frames[i], frames[i + 1].function);
      if (frames[i].call != nullptr && !is_backward &&
          (frames[i].handing == Handing::kNone || frames[i].handing == Handing::kLooksUp)) {
        call_event(body_start(*inputs_.after, frames[i].function, frames[i].call, frames[i + 1].function), from, to,
                   name, called(frames[i].function, frames[i].call, frames[i + 1].function));
        last_caller_ = from;
        continue;
      }
      // Who calls it is not this one.
      const std::string_view verb = is_backward                                ? "registers"
                                    : frames[i].call == nullptr                ? "defines"
                                    : frames[i].handing == Handing::kRegisters ? "registers"
                                                                               : "hands on";
      event(SequenceEvent::Kind::kNote, from, from, fmt::format("{} {} for later", verb, name));
      for (; opened > 0; --opened) event(SequenceEvent::Kind::kEnd, 0, 0, "");
      last_caller_ = external(is_backward ? "autograd" : "whoever calls it later");
      event(SequenceEvent::Kind::kCall, last_caller_, to, called(frames[i + 1].function));
    }
    return opened;
  }

  /// Whether the text is a call that the drawing shows already.
  [[nodiscard]] bool is_drawn_call(const std::string& text) const {
    const std::size_t open = text.find('(');
    if (open == std::string::npos || open == 0 || !text.ends_with(")") || !is_name_char(text.front())) return false;
    const std::string start = text.substr(0, open + 1);
    return std::any_of(sequence_.events.begin(), sequence_.events.end(), [&](const SequenceEvent& one) {
      return (one.kind == SequenceEvent::Kind::kCall || one.kind == SequenceEvent::Kind::kAsync) &&
             one.text.starts_with(start);
    });
  }

  /// What the last call of the way gives the function where the way ends; nothing where its caller calls it twice.
  [[nodiscard]] BoundArguments given_by_last(const PathFrame& frame, FunctionId target) const {
    const program::CallSite* only = nullptr;
    for (const program::CallId id : inputs_.after->callers_of(target)) {
      const program::CallSite& site = inputs_.after->calls()[id];
      if (site.caller != frame.function) continue;
      if (only != nullptr) return {};
      only = &site;
    }
    return only == nullptr || frame.handing != Handing::kNone ? BoundArguments()
                                                              : bound_by(*inputs_.after, *only, target, {});
  }

  /// The conditions of all calls by which the frame's function gets to `callee`.
  [[nodiscard]] std::vector<Guard> conditions_of(const PathFrame& frame, FunctionId callee) const {
    std::vector<Guard> guards = frame.call == nullptr ? frame.guards : guards_of_all(*inputs_.after, frame, callee);
    std::erase_if(guards, [&](const Guard& guard) { return words_of(frame, {guard}).empty(); });
    const std::vector<Guard> told = told_guards(guards, source_of(*inputs_.after, frame.function));
    // What is told in other parts is counted as it stands.
    return told.size() < guards.size() ? told : guards;
  }
  [[nodiscard]] std::string words_of(const PathFrame& frame, const std::vector<Guard>& guards) const {
    return unmarked(guards_words(guards, source_of(*inputs_.after, frame.function), guards.size()));
  }

  /// What does not fit into a label is easier to read where it stands; but what somebody can set is told.
  [[nodiscard]] std::string conditions_label(const PathFrame& frame, FunctionId callee) const {
    constexpr std::size_t kMost = 2;
    constexpr std::size_t kMostOfLabel = 90;
    const Program& program = *inputs_.after;
    const std::vector<Guard> guards = conditions_of(frame, callee);
    const std::vector<Guard> told = weightiest(program, frame.function, guards, kMost);
    const std::string_view more = told.size() < guards.size() ? ", and more" : "";
    if (std::string words = words_of(frame, told); words.size() + more.size() <= kMostOfLabel)
      return words.empty() ? words : words.append(more);
    std::vector<Guard> settings = taken_apart(guards);
    std::erase_if(settings, [&](const Guard& guard) {
      return kind_of_condition(program, frame.function, *guard.condition) != ConditionKind::kSetting;
    });
    for (std::size_t count = std::min(kMost, settings.size()); count > 0; --count) {
      std::string words = words_of(frame, weightiest(program, frame.function, settings, count)) + ", and more";
      if (words.size() <= kMostOfLabel) return words;
    }
    // A condition that is cut may say the opposite; its parts that fit are told whole.
    std::vector<Guard> parts = taken_apart({told.back()});
    if (guards.size() > 1) parts.insert(parts.begin(), told.back());
    for (const Guard& part : parts) {
      std::string words = words_of(frame, {part}) + ", and more";
      if (parts.size() > 1 && words.size() <= kMostOfLabel) return words;
    }
    const std::string line =
        fmt::format("line {} of {}", source_of(program, frame.function).line_of(told.back().condition->span.begin) + 1,
                    file_name(program.module_of(frame.function).path));
    return told.back().negated ? fmt::format("the condition in {} does not hold", line)
                               : fmt::format("under the condition in {}", line);
  }

  /// Who called a function, and whether it takes what comes back.
  struct Caller {
    std::size_t participant = 0;
    bool takes_result = true;
  };

  /// What a function that `caller` calls does that involves others, as its changed steps say.
  void inside(const Actor& actor, FunctionId function, int depth, Caller caller) {
    const std::size_t self = participant(*inputs_.after, function);
    told_.insert(function.value);  // What calls itself is not drawn within itself.
    WordsContext context = context_after(inputs_, actor);
    const std::vector<Step>& steps = actor.steps.after;
    std::vector<Open> open;
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].status == StepStatus::kKept) continue;
      if (draw_kept_side(steps, i, self, open)) continue;
      std::vector<Choice> choices;
      for (const StepCall& one : calls_in(steps[i])) {
        if (!is_told(context, one.call) || is_as_before(actor, steps[i], *one.call)) continue;
        // A branch that the call in the drawing closes by what it passes.
        if (!bound_.empty() && is_ruled_out(*inputs_.after, function, one.call->span, bound_)) continue;
        const std::string partner = partner_of(context, one.call, depth);
        if (partner.empty()) continue;
        if (sequence_.events.size() >= kMostEvents || !can_add(partner)) {
          ++left_out;
          continue;
        }
        open_blocks(steps, i, self, context, open);
        choose(one, self, context, choices);
        tell(context, one.call, partner, {self, !is_dropped(*steps[i].node, *one.call)}, depth);
      }
      choose({}, self, context, choices);
      // A way out of a branch: what follows is not run after it.
      const auto* way_out = python::as<python::Return>(steps[i].node);
      const bool stands_open =
          way_out != nullptr && !open.empty() && !open.back().is_rest && open.back().step == steps[i].parent;
      if (stands_open)
        event(SequenceEvent::Kind::kReturn, self, caller.participant, returned_text(way_out->value, context, caller));
    }
    while (!open.empty()) close(open, self);
    if (left_out > 0)
      event(SequenceEvent::Kind::kNote, self, self,
            fmt::format("\u2026 {} in {}, not drawn", lockstep::count_of(left_out, "more call"), name_of(function)));
  }

  [[nodiscard]] std::string returned_text(const python::Expr* value, const WordsContext& context,
                                          const Caller& caller) const {
    if (value == nullptr || !caller.takes_result) return "return";
    std::string text = one_line(*context.source, *value, 50);
    return is_drawn_call(text) ? std::string("return") : text;
  }

  /// Whether the old version of a changed statement holds the call, too, word for word.
  static bool is_as_before(const Actor& actor, const Step& step, const python::Node& call) {
    if (step.partner == Step::kNone || step.partner >= actor.steps.before.size()) return false;
    const Step& was = actor.steps.before[step.partner];
    const std::string text = one_line_whole(*actor.steps.after_source, call.span);
    bool found = false;
    python::walk_of<python::Call>(*was.node, python::Nested::kEnter, [&](const python::Call* one) {
      found = found || (was.span.contains(one->span) && one_line_whole(*actor.steps.before_source, one->span) == text);
    });
    return found;
  }

  /// A side of `a if c else b`, or the values of `a and b`, that a call stands behind; and a call of a step with them.
  struct Choice {
    const python::Expr* expression = nullptr;
    std::size_t part = 0;   ///< Of a choice 0 for its body, 1 for its other side; else how many values before.
    std::size_t event = 0;  ///< That opened its block.
  };
  struct StepCall {
    const python::Node* call = nullptr;
    std::vector<Choice> choices;  ///< Outermost first.
  };

  /// In the order in which Python evaluates them.
  std::vector<StepCall> calls_in(const Step& step) const {
    std::vector<StepCall> out;
    std::vector<Choice> around;
    const auto visit = [&](const auto& walk, const python::Node& node) -> void {
      if (python::is<python::Lambda>(&node) || python::is<python::FunctionDef>(&node) ||
          python::is<python::ClassDef>(&node))
        return;
      if (!step.span.contains(node.span) && node.span.begin >= step.span.end) return;
      const auto part_of = [&](const python::Expr* choice, std::size_t part, const python::Expr& value) {
        around.push_back({choice, part, 0});
        walk(walk, value);
        around.pop_back();
      };
      if (const auto* either = python::as<python::IfExp>(&node)) {
        walk(walk, *either->condition);
        part_of(either, 0, *either->body);
        part_of(either, 1, *either->orelse);
        return;
      }
      // What follows in `a and b` and `a or b` is only asked where the ones before leave it open.
      if (const auto* all = python::as<python::BoolOp>(&node)) {
        walk(walk, *all->values.front());
        for (std::size_t i = 1; i < all->values.size(); ++i) part_of(all, i, *all->values[i]);
        return;
      }
      python::for_each_child(node, [&](const python::Node* child) { walk(walk, *child); });
      if (python::is<python::Call>(&node) && step.span.contains(node.span)) out.push_back({&node, around});
    };
    visit(visit, *step.node);
    return out;
  }

  /// Closes the blocks of conditional expressions that the call does not stand in, and opens those of its own.
  void choose(const StepCall& call, std::size_t self, const WordsContext& context, std::vector<Choice>& open) {
    const auto is_open = [&](std::size_t i) {
      return i < open.size() && i < call.choices.size() && open[i].expression == call.choices[i].expression;
    };
    std::size_t same = 0;
    while (is_open(same) && open[same].part == call.choices[same].part) ++same;
    const bool is_other_side = is_open(same) && python::is<python::IfExp>(open[same].expression);
    for (; open.size() > same + (is_other_side ? 1 : 0); open.pop_back())
      event(SequenceEvent::Kind::kEnd, self, self, "");
    if (is_other_side) {
      sequence_.events[open[same].event].kind = SequenceEvent::Kind::kAlternative;
      event(SequenceEvent::Kind::kElse, self, self, "otherwise");
      open[same].part = call.choices[same].part;
    }
    for (std::size_t i = open.size(); i < call.choices.size(); ++i) {
      const Choice& choice = call.choices[i];
      std::string words;
      if (const auto* either = python::as<python::IfExp>(choice.expression)) {
        words = condition_words(*either->condition, *context.source, choice.part != 0);
      } else if (const auto* all = python::as<python::BoolOp>(choice.expression)) {
        std::vector<std::string> before;
        for (std::size_t value = 0; value < choice.part; ++value)
          before.push_back(condition_words(*all->values[value], *context.source, all->op == python::BoolOperator::kOr));
        words = join_words(before);
      }
      open.push_back({choice.expression, choice.part, sequence_.events.size()});
      event(SequenceEvent::Kind::kOptional, self, self, "when " + without_set_values(unmarked(words)));
    }
  }

  /// `print_rank_0(…)`, `log_single_rank(…)`: what a run tells people is no step of it.
  static bool only_logs(std::string_view name) {
    for (const std::string_view start : {"print_rank", "print_with_rank", "print_datetime", "log_single_rank",
                                         "log_rank", "log_on_each", "warn_rank", "warn_single_rank"}) {
      if (name.starts_with(start)) return true;
    }
    return false;
  }

  /// `get_pg_size(…)`, `is_first_stage(…)`: by its name it does nothing but tell the caller something.
  [[nodiscard]] bool only_asks(FunctionId function) const {
    std::string_view name = inputs_.after->functions()[function].name;
    while (name.starts_with('_')) name.remove_prefix(1);
    static constexpr std::string_view kTold[] = {"args",   "backend", "config", "device", "dim",    "group",
                                                 "groups", "name",    "rank",   "ranks",  "size",   "state",
                                                 "stream", "submesh", "timer",  "timers", "version"};
    const std::string_view last = name.substr(name.rfind('_') + 1);
    const bool gets =
        name.starts_with("get_") && std::find(std::begin(kTold), std::end(kTold), last) != std::end(kTold);
    const bool asks = gets || name.starts_with("is_") || name.starts_with("has_");
    return asks && changed(function) == nullptr &&
           (inputs_.after_mesh == nullptr || !inputs_.after_mesh->may_communicate(function));
  }

  bool is_told(const WordsContext& context, const python::Node* call) const {
    if (only_logs(callee_name(*python::as<python::Call>(call)))) return false;
    if (collective_at(context, call) != nullptr) return true;
    if (const std::vector<FunctionId> callees = callees_of(*inputs_.after, call); !callees.empty())
      return std::any_of(callees.begin(), callees.end(), [&](FunctionId one) { return !only_asks(one); });
    const std::string_view external = external_callee(*inputs_.after, call);
    const KnownApi* known = function_of_library(*inputs_.after, *python::as<python::Call>(call), external);
    if (known == nullptr && external.empty()) known = method_of_value(*inputs_.after, *python::as<python::Call>(call));
    if (external.ends_with(".current_stream") || external.ends_with(".default_stream")) return false;
    return known != nullptr && (known->kind == ApiKind::kHostSync || known->kind == ApiKind::kStream ||
                                known->kind == ApiKind::kCommunication);
  }

  /// A step whose block is open, and the event that opened it.
  struct Open {
    std::size_t step;
    std::size_t event;
    bool is_rest = false;    ///< What follows the step, an `if` that leaves, where it does not hold.
    bool is_joined = false;  ///< Told by the event of the next one.
  };
  struct Wanted {
    std::size_t step;
    bool is_rest = false;
  };

  /// Whether a branch without another side always leaves its block, other than by an exception.
  static bool leaves(const Step& step) {
    const auto* branch = step.kind == StepKind::kIf ? python::as<python::If>(step.node) : nullptr;
    if (branch == nullptr || step.is_elif || !branch->orelse.empty()) return false;
    const BlockEnd end = end_of_block(branch->body);
    return end.leaves && end.goes_on;
  }

  struct BlockEnd {
    bool leaves = false;   ///< On every way through it.
    bool goes_on = false;  ///< On one of them other than by an exception.
  };
  static BlockEnd end_of_block(python::Seq<python::Stmt> body) {
    if (body.empty()) return {};
    const python::Stmt* last = body.back();
    if (python::is<python::Raise>(last)) return {true, false};
    if (python::is<python::Return>(last) || python::is<python::Continue>(last) || python::is<python::Break>(last))
      return {true, true};
    const auto both = [](BlockEnd a, BlockEnd b) { return BlockEnd{a.leaves && b.leaves, a.goes_on || b.goes_on}; };
    if (const auto* branch = python::as<python::If>(last))
      return both(end_of_block(branch->body), end_of_block(branch->orelse));
    if (const auto* with = python::as<python::With>(last)) return end_of_block(with->body);
    if (const auto* attempt = python::as<python::Try>(last)) {
      if (const BlockEnd end = end_of_block(attempt->finally_body); end.leaves) return end;
      BlockEnd end = end_of_block(attempt->body);
      if (!end.leaves && !attempt->orelse.empty()) end = end_of_block(attempt->orelse);
      for (const python::ExceptHandler* handler : attempt->handlers) end = both(end, end_of_block(handler->body));
      return end;
    }
    return {};
  }

  /// The last step before `at` in the same block that may leave it; none where there is none.
  static std::size_t exit_before(const std::vector<Step>& steps, std::size_t at) {
    for (std::size_t i = at; i > 0; --i) {
      if (steps[i - 1].depth < steps[at].depth) break;
      if (steps[i - 1].parent == steps[at].parent && leaves(steps[i - 1])) return i - 1;
    }
    return Step::kNone;
  }

  /// "when `a` is not set and …": that none of these steps left their block.
  static std::string rest_words(const std::vector<Step>& steps, const std::vector<std::size_t>& exits,
                                const WordsContext& context) {
    std::vector<Guard> guards;
    guards.reserve(exits.size());
    for (const std::size_t i : exits)
      guards.push_back({steps[i].node, python::as<python::If>(steps[i].node)->condition, true});
    return "when " + unmarked(guards_words(guards, *context.source, guards.size()));
  }

  /// Draws the new `else:` of a branch that is open as its other side, where what was there before is called; false for
  /// other steps.
  bool draw_kept_side(const std::vector<Step>& steps, std::size_t index, std::size_t self, std::vector<Open>& open) {
    if (steps[index].kind != StepKind::kElse) return false;
    const auto branch = std::find_if(open.begin(), open.end(), [&](const Open& one) {
      return !one.is_rest && !one.is_joined && is_other_side(steps, one.step, index);
    });
    if (branch == open.end()) return false;
    const python::Call* kept = nullptr;
    for (std::size_t i = branch->step + 1; i < index && kept == nullptr; ++i) kept = kept_alternative(steps, i);
    const std::string callee = kept == nullptr ? std::string() : dotted_text(kept->callee);
    if (callee.empty()) return false;
    while (open.back().step != branch->step) close(open, self);
    sequence_.events[open.back().event].kind = SequenceEvent::Kind::kAlternative;
    event(SequenceEvent::Kind::kElse, self, self, "otherwise");
    event(SequenceEvent::Kind::kNote, self, self, callee + "(\u2026), as before");
    open.back().step = index;
    return true;
  }

  /// Closes the innermost block.
  void close(std::vector<Open>& open, std::size_t self) {
    if (!open.back().is_joined) event(SequenceEvent::Kind::kEnd, self, self, "");
    open.pop_back();
  }

  /// Whether `next` is the `else:` or `elif` of the branch `from`, or another case of its match, or one after it.
  static bool is_other_side(const std::vector<Step>& steps, std::size_t from, std::size_t next) {
    if (next <= from || steps[next].depth != steps[from].depth || steps[next].parent != steps[from].parent)
      return false;
    if (steps[from].kind == StepKind::kCase) return steps[next].kind == StepKind::kCase;
    if (steps[from].kind != StepKind::kIf) return false;
    for (std::size_t i = end_of(steps, from); i <= next; i = end_of(steps, i)) {
      const bool goes_on = steps[i].kind == StepKind::kElse || (steps[i].kind == StepKind::kIf && steps[i].is_elif);
      if (!goes_on) return false;
      if (i == next) return true;
    }
    return false;
  }

  /// Closes blocks that the step has left and opens those it stands in.
  void open_blocks(const std::vector<Step>& steps, std::size_t at, std::size_t self, const WordsContext& context,
                   std::vector<Open>& open) {
    std::vector<Wanted> wanted;
    for (std::size_t here = at; here != Step::kNone; here = steps[here].parent) {
      const StepKind kind = steps[here].kind;
      if (here != at && (kind == StepKind::kIf || kind == StepKind::kElse || kind == StepKind::kCase ||
                         kind == StepKind::kFor || kind == StepKind::kWhile || kind == StepKind::kExcept))
        wanted.insert(wanted.begin(), {here});
      for (std::size_t exit = exit_before(steps, here); exit != Step::kNone; exit = exit_before(steps, exit))
        wanted.insert(wanted.begin(), {exit, true});
    }
    // Cut off, both sides of an inner branch would read as one after the other.
    constexpr std::size_t kMostDepth = 8;
    if (wanted.size() > kMostDepth) wanted.resize(kMostDepth);
    std::size_t common = 0;
    while (common < open.size() && common < wanted.size() && open[common].step == wanted[common].step &&
           open[common].is_rest == wanted[common].is_rest)
      ++common;
    // From a branch straight into its other side: one block of two parts.
    const bool may_turn = common < open.size() && common < wanted.size() && !open[common].is_rest;
    const bool is_after = may_turn && wanted[common].is_rest && open[common].step == wanted[common].step;
    if (is_after ||
        (may_turn && !wanted[common].is_rest && is_other_side(steps, open[common].step, wanted[common].step))) {
      while (open.size() > common + 1) close(open, self);
      sequence_.events[open[common].event].kind = SequenceEvent::Kind::kAlternative;
      event(SequenceEvent::Kind::kElse, self, self,
            is_after ? std::string("otherwise") : unmarked(step_words(steps[wanted[common].step], context)));
      open[common].step = wanted[common].step;
      open[common].is_rest = is_after;
      ++common;
    }
    while (open.size() > common) close(open, self);
    // What was told with a block that is closed now is open no more.
    for (; !open.empty() && open.back().is_joined; --common) open.pop_back();
    for (std::size_t i = common; i < wanted.size(); ++i) {
      const Step& header = steps[wanted[i].step];
      if (wanted[i].is_rest) {
        std::vector<std::size_t> exits = {wanted[i].step};
        for (; i + 1 < wanted.size() && wanted[i + 1].is_rest; exits.push_back(wanted[++i].step))
          open.push_back({wanted[i].step, sequence_.events.size(), true, true});
        event(SequenceEvent::Kind::kOptional, self, self, rest_words(steps, exits, context));
        open.push_back({wanted[i].step, sequence_.events.size() - 1, true});
        continue;
      }
      const bool loop = header.kind == StepKind::kFor || header.kind == StepKind::kWhile;
      std::string words = unmarked(step_words(header, context));
      const auto* branch = python::as<python::If>(header.node);
      if (header.kind == StepKind::kElse && branch != nullptr)
        words = "when " + unmarked(condition_words(*branch->condition, *context.source, true));
      event(loop ? SequenceEvent::Kind::kLoop : SequenceEvent::Kind::kOptional, self, self,
            without_set_values(std::move(words)));
      open.push_back({wanted[i].step, sequence_.events.size() - 1});
    }
  }

  /// Whom the call involves; empty for calls that are not told.
  std::string partner_of(const WordsContext& context, const python::Node* node, int depth) const {
    if (collective_at(context, node) != nullptr) return kOtherRanks;
    const std::vector<FunctionId> callees = callees_of(*inputs_.after, node);
    if (const std::string receiver = one_of_several(callees, node); !receiver.empty())
      return depth > 0 ? std::string() : receiver;
    if (!callees.empty()) {
      // Below the changed function only the change itself is told.
      return depth > 0 && changed(callees.front()) == nullptr ? std::string() : participant_label(callees.front());
    }
    const std::string_view external_name = external_callee(*inputs_.after, node);
    const std::size_t dot = external_name.rfind('.');
    return dot == std::string_view::npos ? "CUDA" : std::string(external_name.substr(0, dot));
  }

  void tell(const WordsContext& context, const python::Node* node, const std::string& partner, Caller caller,
            int depth) {
    const std::size_t self = caller.participant;
    if (const mesh::CollectiveSite* site = collective_at(context, node)) {
      event(site->is_async ? SequenceEvent::Kind::kAsync : SequenceEvent::Kind::kCall, self, external(partner),
            unmarked(collective_words(*site, *context.mesh)));
      return;
    }
    const std::vector<FunctionId> callees = callees_of(*inputs_.after, node);
    if (!one_of_several(callees, node).empty()) {
      event(SequenceEvent::Kind::kCall, self, external(partner), written(context, node));
      return;
    }
    if (!callees.empty()) {
      const FunctionId callee = callees.front();
      const std::size_t to = participant(*inputs_.after, callee);
      const BodyStart start = body_start(*inputs_.after, context.function, node, callee);
      call_event(start, self, to, name_of(callee), written(context, node));
      // What starts later gives its caller nothing there.
      if (start != BodyStart::kAtCall) caller = {to, false};
      const auto entity = changed(callee);
      if (entity != nullptr && depth < 2 && told_.insert(callee.value).second) {
        const program::CallId id = inputs_.after->call_of(node);
        BoundArguments given;
        if (id.valid() && callees.size() == 1)
          given = bound_by(*inputs_.after, inputs_.after->calls()[id], callee, bound_);
        std::swap(bound_, given);
        inside(*entity, callee, depth + 1, caller);
        std::swap(bound_, given);
      }
      return;
    }
    event(SequenceEvent::Kind::kCall, self, external(partner), written(context, node));
  }

  /// "checkpoint_engine" of a method call that can enter several classes: which one it is the code does not say; where
  /// the receiver has no name, "Timer or NoTimer". Empty for others.
  std::string one_of_several(const std::vector<FunctionId>& callees, const python::Node* node) const {
    const auto* call = python::as<python::Call>(node);
    const auto* member = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
    if (member == nullptr || callees.size() < 2) return {};
    const auto owner = [&](FunctionId function) { return inputs_.after->functions()[function].owner; };
    const bool is_one = std::all_of(callees.begin(), callees.end(),
                                    [&](FunctionId one) { return owner(one) == owner(callees.front()); });
    if (is_one) return {};
    // `self.layer(x)` calls what `self` holds.
    const std::string receiver = dotted_text(member->value);
    if (!receiver.empty()) return receiver == "self" ? std::string(member->name.text) : receiver;
    constexpr std::size_t kMostOwners = 3;
    std::set<std::string> owners;
    for (const FunctionId callee : callees) owners.insert(participant_label(callee));
    return owners.size() > kMostOwners ? std::string(member->name.text)
                                       : join(std::vector<std::string>(owners.begin(), owners.end()), " or ");
  }

  std::string participant_label(FunctionId function) const {
    const auto& f = inputs_.after->functions()[function];
    return f.owner.valid() ? std::string(inputs_.after->classes()[f.owner].name)
                           : file_name(inputs_.after->module_of(function).path);
  }

  [[nodiscard]] bool can_add(const std::string& label) const {
    return index_.contains(label) || sequence_.participants.size() < kMostParticipants;
  }

  const Actor* changed(FunctionId function) const {
    for (const Actor& actor : story_.actors) {
      if (actor.is_function() && actor.change->after && actor.change->after->function == function &&
          actor.steps.after_source != nullptr && actor.role != Role::kTest)
        return &actor;
    }
    return nullptr;
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  Sequence sequence_;
  std::map<std::string, std::size_t> index_;
  std::set<std::uint32_t> told_;
  BoundArguments bound_;  ///< What the call that is drawn gives the function that is being drawn.
  std::size_t last_caller_ = 0;
};

}  // namespace

std::optional<Sequence> sequence_diagram(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  return Calls(inputs, story).run(index);
}

namespace {

bool is_of_unknown_caller(const Sequence& sequence) {
  return std::any_of(sequence.participants.begin(), sequence.participants.end(),
                     [](const Participant& one) { return one.label == kCaller; });
}

}  // namespace

std::optional<Sequence> best_sequence(const DocumentInputs& inputs, const Story& story) {
  std::optional<Sequence> best;
  if (story.central.empty()) return best;
  const std::size_t lead = story.lead();
  best = sequence_diagram(inputs, story, lead);
  // What runs in each step tells more than how objects are made for it.
  const auto runs_in_step = [&](std::size_t index) {
    return story.actor(index).on_step_path && story.entries[index].kind != program::EntryKind::kTest;
  };
  bool is_of_step = runs_in_step(lead);
  constexpr std::size_t kEnough = 5;  // events
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const bool other_is_of_step = runs_in_step(i);
    const bool is_enough = best && best->events.size() >= kEnough && (is_of_step || !other_is_of_step);
    if (i == lead || is_enough || (is_of_step && !other_is_of_step)) continue;
    auto other = sequence_diagram(inputs, story, i);
    if (!other || (best && is_of_step == other_is_of_step && other->events.size() <= best->events.size()) ||
        (best && other->events.size() < kEnough && other->events.size() <= best->events.size()))
      continue;
    best = std::move(other);
    is_of_step = other_is_of_step;
  }
  if (best && best->events.size() == 1 && is_of_unknown_caller(*best)) best.reset();
  return best;
}

}  // namespace lockstep::report
