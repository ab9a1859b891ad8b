#include "report/documents/runs/ways.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/documents/compatibility/removed.h"
#include "report/documents/runs/class_makers.h"
#include "report/documents/runs/kept_in_lists.h"
#include "report/documents/runs/left_out.h"
#include "report/documents/runs/origins.h"
#include "report/documents/runs/receiver_choices.h"
#include "report/documents/runs/requests.h"
#include "report/source/variable_readers.h"
#include "report/ways/conditions/condition_kinds.h"
#include "report/ways/functions/chosen_values.h"
#include "report/ways/functions/decorator_wrappers.h"
#include "report/ways/functions/handed_functions.h"
#include "report/ways/functions/outside_callers.h"
#include "report/ways/functions/outside_uses.h"
#include "report/ways/functions/started_bodies.h"
#include "report/ways/objects/joined_targets.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

namespace {

std::string frame_name(const program::Program& program, program::FunctionId function) {
  const auto& f = program.functions()[function];
  if (f.kind == program::FunctionKind::kModuleBody) return place(program.module_of(function).path);
  if (f.kind == program::FunctionKind::kLambda) return fmt::format("a lambda ({})", place_of(program, function));
  return fmt::format("{} ({})", code(short_name(program, function)), place_of(program, function));
}

/// " → ", with what the frame before does where it calls the next one only later, or has it called.
std::string arrow_after(const program::Program& program, const PathFrame& frame, program::FunctionId next) {
  if (enters_backward(program, frame, next)) return " \u2192 in the backward pass, by autograd, ";
  switch (frame.handing) {
    case Handing::kRegisters:
      return " \u2192 registers ";
    case Handing::kHandsOn:
      return " \u2192 hands on ";
    case Handing::kLooksUp:
      return " \u2192 looks up ";
    case Handing::kNone:
      break;
  }
  switch (body_start(program, frame.function, frame.call, next)) {
    case BodyStart::kAsTask:
      return " \u2192 as a task, ";
    case BodyStart::kWhenIterated:
      return " \u2192 when it is iterated over, ";
    case BodyStart::kAtCall:
      break;
  }
  return " \u2192 ";
}

}  // namespace

bool enters_backward(const program::Program& program, const PathFrame& frame, program::FunctionId callee) {
  const program::CallId call = frame.call == nullptr ? program::CallId() : program.call_of(frame.call);
  if (!call.valid() || program.functions()[callee].name != "backward") return false;
  const auto& targets = program.calls()[call].targets;
  return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
    return target.function == callee && target.kind == program::CallKind::kAutograd;
  });
}

namespace {

bool leads_to(const program::CallSite& site, program::FunctionId callee) {
  return std::any_of(site.targets.begin(), site.targets.end(),
                     [&](const program::CallTarget& target) { return target.function == callee; });
}

}  // namespace

std::vector<const python::Node*> calls_on(const program::Program& program, const PathFrame& frame,
                                          program::FunctionId callee) {
  std::vector<const python::Node*> out;
  if (frame.call != nullptr) out.push_back(frame.call);
  for (const program::CallId id : program.functions()[frame.function].calls) {
    const program::CallSite& site = program.calls()[id];
    if (site.node != frame.call && leads_to(site, callee)) out.push_back(site.node);
  }
  return out;
}

namespace {

bool is_same(const Guard& guard, const Guard& other) {
  // Of `a and b and f()` each value is a guard of one statement.
  return other.statement == guard.statement && other.condition == guard.condition && other.negated == guard.negated;
}

bool holds_one(const std::vector<Guard>& guards, const Guard& guard) {
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& other) { return is_same(guard, other); });
}

/// Those of the guards under which every call that leads from the frame to `callee` stands.
std::vector<Guard> shared_by_all(const program::Program& program, const PathFrame& frame, program::FunctionId callee,
                                 std::vector<Guard> guards) {
  if (guards.empty()) return guards;
  const python::Node* body = program.functions()[frame.function].node;
  for (const program::CallId id : program.functions()[frame.function].calls) {
    const program::CallSite& site = program.calls()[id];
    if (!leads_to(site, callee) || body == nullptr || site.node == frame.call) continue;
    std::vector<Guard> own = guards_of(*body, site.node->span);
    const std::vector<Guard> of_receiver = guards_of_receiver(program, site, callee);
    own.insert(own.end(), of_receiver.begin(), of_receiver.end());
    std::erase_if(guards, [&](const Guard& guard) { return !holds_one(own, guard); });
  }
  return guards;
}

}  // namespace

std::vector<Guard> guards_of_all(const program::Program& program, const PathFrame& frame, program::FunctionId callee) {
  std::vector<Guard> sure = frame.guards;
  std::erase_if(sure, [&](const Guard& guard) { return holds_one(frame.two_sided, guard); });
  return shared_by_all(program, frame, callee, std::move(sure));
}

std::vector<Guard> two_sided_of_all(const program::Program& program, const PathFrame& frame,
                                    program::FunctionId callee) {
  return shared_by_all(program, frame, callee, frame.two_sided);
}

namespace {

/// A frame that hands a function on, or is handed on: who calls that one is told in any case.
bool is_handed_on(std::span<const PathFrame> frames, std::size_t i) {
  return frames[i].handing != Handing::kNone || (i > 0 && frames[i - 1].handing != Handing::kNone);
}

/// The frames with arrows between them; those that `is_folded` says of are counted, as calls.
template <typename Folded>
std::string way_text(const program::Program& program, std::span<const PathFrame> frames, const Folded& is_folded) {
  std::string out;
  std::size_t folded = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (is_folded(i) && !is_handed_on(frames, i)) {
      ++folded;
      continue;
    }
    if (folded > 0) out += fmt::format(" \u2192 \u2026 {} \u2026", count_of(folded, "call"));
    folded = 0;
    if (i > 0) out += arrow_after(program, frames[i - 1], frames[i].function);
    out += frame_name(program, frames[i].function);
  }
  return out;
}

}  // namespace

bool is_only_counted(const std::vector<PathFrame>& frames, std::size_t frame) {
  constexpr std::size_t kMost = 7;
  return frames.size() > kMost && frame >= 2 && frame + (kMost - 3) < frames.size() && !is_handed_on(frames, frame);
}

std::string path_text(const DocumentInputs& inputs, const EntryPath& path) {
  if (path.frames.size() < 2) return {};
  return way_text(*inputs.after, path.frames, [&](std::size_t i) { return is_only_counted(path.frames, i); });
}

namespace {

/// Conditions that have words, of one call of a way.
struct Asked {
  std::size_t frame = 0;
  std::vector<Guard> guards;
  ConditionKind kind = ConditionKind::kLocal;  ///< The weightiest of them.
};

/// What decides on a way, in its order.
class Deciding {
 public:
  Deciding(const program::Program& program, const EntryPath& path) : program_(program), path_(path) {
    for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
      if (path.frames[i].call != nullptr) add(i);
    }
    drop_locals();
  }

  [[nodiscard]] const std::vector<Asked>& asked() const { return asked_; }
  /// Other conditions, which are not worth telling.
  [[nodiscard]] bool are_left_out() const { return left_out_; }

 private:
  void add(std::size_t frame) {
    const PathFrame& at = path_.frames[frame];
    const SourceText& source = source_of(program_, at.function);
    Asked asked{frame, guards_of_all(program_, at, path_.frames[frame + 1].function), ConditionKind::kLocal};
    std::erase_if(asked.guards, [&](const Guard& guard) { return guards_words({guard}, source, 1).empty(); });
    // What kind of thing a helper was given, its callers decide.
    left_out_ =
        std::erase_if(asked.guards,
                      [](const Guard& guard) { return rules::calls_name(*guard.condition, "isinstance"); }) > 0 ||
        left_out_;
    // Farther away only what somebody has to set, and what chooses the function that is called: other conditions are
    // those of any such run.
    if (frame + 4 <= path_.frames.size()) {
      const auto is_any = [&](const Guard& guard) {
        return guard.condition != at.chosen_by &&
               std::find(at.asked.begin(), at.asked.end(), guard.condition) == at.asked.end();
      };
      left_out_ = std::erase_if(asked.guards, is_any) > 0 || left_out_;
    }
    if (!asked.guards.empty()) asked_.push_back(std::move(asked));
  }

  [[nodiscard]] ConditionKind kind_of(const Asked& asked, const Guard& guard) const {
    return kind_of_condition(program_, path_.frames[asked.frame].function, *guard.condition);
  }

  /// Beside what somebody can set, locals say little.
  void drop_locals() {
    for (Asked& asked : asked_) {
      for (const Guard& guard : asked.guards) asked.kind = std::min(asked.kind, kind_of(asked, guard));
    }
    if (std::none_of(asked_.begin(), asked_.end(),
                     [](const Asked& asked) { return asked.kind == ConditionKind::kSetting; }))
      return;
    for (Asked& asked : asked_) {
      const auto is_local = [&](const Guard& guard) {
        return guard.condition != path_.frames[asked.frame].chosen_by && kind_of(asked, guard) == ConditionKind::kLocal;
      };
      left_out_ = std::erase_if(asked.guards, is_local) > 0 || left_out_;
    }
    std::erase_if(asked_, [](const Asked& asked) { return asked.guards.empty(); });
  }

  const program::Program& program_;
  const EntryPath& path_;
  std::vector<Asked> asked_;
  bool left_out_ = false;
};

/// Marked place of some conditions of a function, from the first to the last.
std::string place_of_guards(const program::Program& program, program::FunctionId function,
                            const std::vector<Guard>& guards) {
  const SourceText& source = source_of(program, function);
  std::uint32_t first = source.line_of(guards.front().condition->span.begin);
  std::uint32_t last = first;
  for (const Guard& guard : guards) {
    const std::uint32_t line = source.line_of(guard.condition->span.begin);
    first = std::min(first, line);
    last = std::max(last, line);
  }
  const std::string& path = program.module_of(function).path;
  return first == last ? place(path, first) : place(path, first, last);
}

/// "This way is taken when …", with what somebody can set first; empty where nothing decides.
std::string taken_when(const DocumentInputs& inputs, const EntryPath& path) {
  constexpr std::size_t kMostParts = 4;
  constexpr std::size_t kMostOfCall = 3;
  const program::Program& program = *inputs.after;
  const Deciding deciding(program, path);
  bool left_out = deciding.are_left_out();
  std::vector<Asked> asked = deciding.asked();
  // What closes the way unless somebody sets something comes before what is so in most runs.
  const auto is_open = [&](const Asked& one) {
    const std::vector<const python::Expr*>& closed = path.frames[one.frame].asked;
    return std::none_of(one.guards.begin(), one.guards.end(), [&](const Guard& guard) {
      return std::find(closed.begin(), closed.end(), guard.condition) != closed.end();
    });
  };
  std::stable_sort(asked.begin(), asked.end(), [&](const Asked& a, const Asked& b) {
    return std::pair(is_open(a), a.kind) < std::pair(is_open(b), b.kind);
  });
  left_out = left_out || asked.size() > kMostParts;
  if (asked.size() > kMostParts) asked.resize(kMostParts);
  std::vector<std::string> all;
  for (const Asked& one : asked) {
    const program::FunctionId function = path.frames[one.frame].function;
    const std::vector<Guard> told = weightiest(program, function, one.guards, kMostOfCall);
    left_out = left_out || told.size() < one.guards.size();
    all.push_back(fmt::format("{} ({})", guards_words(told, source_of(program, function), kMostOfCall),
                              place_of_guards(program, function, told)));
  }
  if (all.empty()) return {};
  return fmt::format("This way is taken when {}{}.", join(all, ", and when "),
                     left_out ? ", among other conditions" : "");
}

/// That it does not show whether the way gives the changed lines what they ask for; empty where it does.
std::string unshown_words(const DocumentInputs& inputs, const EntryPath& path) {
  if (path.unshown.empty()) return {};
  std::vector<std::string> names;
  for (const std::string& name : path.unshown) names.push_back(code(name));
  const bool is_one = names.size() == 1;
  std::string out = fmt::format("The changed lines ask for {}: whether a call on this way gives {}, was not found out",
                                join_words(names), is_one ? "it" : "them");
  if (path.kind != program::EntryKind::kScript || path.frames.empty()) return out + ".";
  const program::Module& script = inputs.after->module_of(path.frames.front().function);
  const std::string_view bytes = script.facts->source().bytes();
  const bool is_named = std::any_of(path.unshown.begin(), path.unshown.end(), [&](const std::string& name) {
    return find_name(bytes, name) != std::string_view::npos;
  });
  return out + (is_named ? "." : fmt::format("; {} does not name {}.", place(script.path), is_one ? "it" : "them"));
}

/// The early returns behind which all steps stand that change, and the branches around them; empty where there are
/// none.
std::string exits_words(const DocumentInputs& inputs, const EntryPath& path) {
  constexpr std::size_t kMost = 3;
  if (path.exits.empty() || path.frames.empty()) return {};
  const bool is_before = path.exits_before.valid();
  const program::Program& program = is_before ? *inputs.before : *inputs.after;
  const program::FunctionId function = is_before ? path.exits_before : path.frames.back().function;
  const std::string words = guards_words(path.exits, source_of(program, function), kMost);
  if (words.empty()) return {};
  // A condition that asks for one thing more is asked in any case.
  const bool is_operand = std::any_of(path.exits.begin(), path.exits.end(),
                                      [](const Guard& guard) { return python::is<python::BoolOp>(guard.statement); });
  return fmt::format("{} in {} {} only when {}.", is_operand ? "What changes" : "The steps that change",
                     code(program.functions()[function].name), is_operand ? "counts" : "run", words);
}

/// For which requests a web server calls a function that the way registers; empty where it registers none for some.
std::string requests_words(const program::Program& program, const EntryPath& path) {
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    const program::FunctionId next = path.frames[i + 1].function;
    std::string words = registered_request_text(program, path.frames[i], next, code(short_name(program, next)));
    if (!words.empty()) return words;
  }
  return {};
}

/// The parameter without which nothing makes the object that the way goes through.
std::string ungiven_words(const program::Program& program, const EntryPath& path) {
  const UngivenParameter& ungiven = path.ungiven;
  if (!ungiven.function.valid()) return {};
  return fmt::format("{} is chosen only with {} of {} ({}), and no call outside tests was found that gives it.",
                     code(program.classes()[ungiven.cls].name), code(ungiven.name),
                     code(short_name(program, ungiven.function)), place_of(program, ungiven.function));
}

}  // namespace

std::string path_conditions(const DocumentInputs& inputs, const EntryPath& path) {
  std::string out;
  for (const std::string& words :
       {requests_words(*inputs.after, path), taken_when(inputs, path), receiver_choice_text(*inputs.after, path),
        receiver_holding_text(*inputs.after, path), receiver_made_text(*inputs.after, path),
        kept_in_list_text(*inputs.after, path), look_up_text(*inputs.after, path), exits_words(inputs, path),
        ungiven_words(*inputs.after, path), left_out_text(*inputs.after, path), unshown_words(inputs, path)}) {
    if (!words.empty()) out += (out.empty() ? "" : " ") + words;
  }
  return out;
}

std::string path_defaults(const DocumentInputs& inputs, const EntryPath& path) {
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    const PathFrame& frame = path.frames[i];
    if (frame.off_by_default == nullptr || frame.call == nullptr) continue;
    const SourceText& source = source_of(*inputs.after, frame.function);
    std::vector<Guard> guards = guards_of_all(*inputs.after, frame, path.frames[i + 1].function);
    std::erase_if(guards, [&](const Guard& guard) { return guard.condition != frame.off_by_default; });
    const std::string words = guards_words(guards, source, 1);
    if (words.empty()) continue;
    return fmt::format("This way is off by default: it is taken only when {} ({}).", words,
                       place_of_guards(*inputs.after, frame.function, guards));
  }
  return {};
}

namespace {

/// Whether a function is `outer` or is defined inside it.
bool is_inside(const program::Program& program, program::FunctionId function, program::FunctionId outer) {
  for (; function.valid(); function = program.functions()[function].enclosing) {
    if (function == outer) return true;
  }
  return false;
}

}  // namespace

std::string removed_text(const DocumentInputs& inputs, const change::EntityChange& entity) {
  if (!entity.before || !entity.before->function.valid()) return "It had no code of its own.";
  const program::Function& gone = inputs.before->functions()[entity.before->function];
  if (gone.enclosing.valid())
    return fmt::format("It was defined inside {}.", code(short_name(*inputs.before, gone.enclosing)));
  std::size_t callers = 0;
  std::size_t tests = 0;
  bool calls_itself = false;
  std::size_t from_gone = 0;
  std::vector<std::string> gone_callers;
  bool only_handed = true;
  for (const program::CallId call : inputs.before->callers_of(entity.before->function)) {
    const program::FunctionId caller = inputs.before->calls()[call].caller;
    only_handed = only_handed && handing_of(inputs.before->calls()[call], entity.before->function) != Handing::kNone;
    if (is_inside(*inputs.before, caller, entity.before->function)) {
      calls_itself = true;
    } else if (program::is_test_path(inputs.before->module_of(caller).path)) {
      ++tests;
    } else if (inputs.before->functions()[caller].kind != program::FunctionKind::kModuleBody &&
               !inputs.after->find_function(inputs.before->functions()[caller].qualified_name).valid()) {
      ++from_gone;
      const std::string name = code(short_name(*inputs.before, caller));
      if (std::find(gone_callers.begin(), gone_callers.end(), name) == gone_callers.end()) gone_callers.push_back(name);
    } else {
      ++callers;
    }
  }
  constexpr std::size_t kMostNamed = 3;
  if (callers + tests == 0 && !gone_callers.empty() && gone_callers.size() <= kMostNamed)
    return fmt::format("Before the change it was called by {} alone, {} gone, too.", join_words(gone_callers),
                       gone_callers.size() == 1 ? "which is" : "which are");
  callers += from_gone;
  if (callers + tests == 0 && calls_itself)
    return "Before the change no call in the repository led to it but its own, by the call graph.";
  if (callers + tests == 0) return "Before the change no call in the repository led to it, by the call graph.";
  if (callers == 0) return fmt::format("Before the change only tests called it ({}).", count_of(tests, "call site"));
  return fmt::format("Before the change it was {} at {} outside tests.", only_handed ? "handed on" : "called",
                     count_of(callers, "place"));
}

namespace {

/// Where the code of a module outside tests calls the function itself, as the module is imported; empty for nowhere.
std::string called_at_import(const program::Program& program, program::FunctionId function) {
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    const program::Module& module = program.module_of(site.caller);
    const bool is_module_code = program.functions()[site.caller].kind == program::FunctionKind::kModuleBody;
    if (is_module_code && !program::is_test_path(module.path))
      return place(module.path, module.facts->source().line_of(site.node->span.begin));
  }
  return {};
}

/// The words before a path: from what kind of entry it comes, and how sure it is.
std::string way_in(const DocumentInputs& inputs, const EntryPath& path, const std::string& name, bool is_certain,
                   bool is_public_name) {
  if (path.is_definition) {
    const std::string maker = code(short_name(*inputs.after, path.frames[path.frames.size() - 2].function));
    return fmt::format(
        "{} is defined in {} and handed on; who calls it later, the call graph does not say. A run reaches the "
        "definition: ",
        name, maker);
  }
  const auto hands_on = [](Handing how) { return [how](const PathFrame& frame) { return frame.handing == how; }; };
  if (std::any_of(path.frames.begin(), path.frames.end(), hands_on(Handing::kLooksUp)))
    return fmt::format("Runs can reach {} through a function that is looked up by its name: ", name);
  if (!path.missing_import.empty())
    return fmt::format(
        "By the call graph only a script leads to {} that cannot start, as it imports {}, which is not there: ", name,
        code(path.missing_import));
  const bool registers = std::any_of(path.frames.begin(), path.frames.end(), hands_on(Handing::kRegisters));
  const bool hands = std::any_of(path.frames.begin(), path.frames.end(), hands_on(Handing::kHandsOn));
  if (path.by_name.empty() && path.kind == program::EntryKind::kScript && !path.is_helper && (registers || hands))
    return fmt::format("Runs can reach {} through a function that is {}: ", name,
                       registers ? "registered to be called later" : "handed on to be called elsewhere");
  if (path.by_name.empty() && !path.handed_on_in.empty()) {
    std::vector<std::string> names;
    for (const std::string& each : path.handed_on_in) names.push_back(code(each));
    return fmt::format("Runs may reach {} through a function that {} defines and hands on, to a hook say: ", name,
                       join_words(names));
  }
  if (!path.by_name.empty()) {
    std::vector<std::string> names;
    for (const std::string& each : path.by_name) names.push_back(code(each));
    return fmt::format("Runs may reach {}, taking calls of {} on values of unknown class to enter it: ", name,
                       join_words(names));
  }
  switch (path.kind) {
    case program::EntryKind::kScript:
      if (path.is_helper) return fmt::format("By the call graph only examples and tools lead to {}: ", name);
      return fmt::format("{} reach {}: ", is_certain ? "Runs" : "Runs can", name);
    case program::EntryKind::kPublicApi:
      if (is_public_name)
        return fmt::format(
            "The call graph finds no script that leads to {}, which is public itself; another public function leads "
            "there: ",
            name);
      // What a function defines inside is nobody's to call from outside.
      if (inputs.after->functions()[path.frames.front().function].enclosing.valid())
        return fmt::format("The call graph finds no script that leads to {}; an inner function leads there: ", name);
      return fmt::format("The call graph finds no script that leads to {}; a public way in is: ", name);
    case program::EntryKind::kTest:
      break;
  }
  if (const std::string importing = called_at_import(*inputs.after, path.frames.back().function); !importing.empty())
    return fmt::format("{} is called as the module of {} is imported; else by the call graph only tests lead to it: ",
                       name, importing);
  if (use_outside_tests(*inputs.after, path.frames.back().function))
    return fmt::format("No script is found that leads to {}; a test does: ", name);
  return fmt::format("By the call graph only tests lead to {}: ", name);
}

/// Up to three functions that read the variable, with their places, and how many more; "" for what is no variable.
std::string known_readers(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  if (actor.change->kind != change::EntityKind::kVariable || !actor.change->after) return {};
  const program::ModuleId module = inputs.after->find_path(actor.change->after->path);
  if (!module.valid()) return {};
  const std::string& qualified = actor.change->after->qualified_name;
  const std::vector<program::FunctionId> readers =
      readers_of_variable(*inputs.after, module, std::string_view(qualified).substr(qualified.rfind('.') + 1));
  std::vector<std::string> names;
  for (const program::FunctionId reader : readers) {
    if (names.size() == kMost) break;
    const program::Module& home = inputs.after->module_of(reader);
    names.push_back(home.body == reader ? code(home.path)
                                        : fmt::format("{} ({})", code(short_name(*inputs.after, reader)),
                                                      place_of(*inputs.after, reader)));
  }
  if (readers.size() > kMost) return join(names, ", ") + fmt::format(" and {} more", readers.size() - kMost);
  return join_words(names);
}

/// The calls of a function; where a wrapper that a decorator puts around it makes one, those of the wrapper that name
/// it.
std::vector<program::CallId> calls_that_name(const program::Program& program, program::FunctionId function) {
  const DecoratorWrappers decorators(program);
  std::vector<program::CallId> out;
  for (const program::CallId call : program.callers_of(function)) {
    if (!decorators.is_decorated_by(function, program.calls()[call].caller)) {
      out.push_back(call);
      continue;
    }
    for (const program::CallId outer : program.callers_of(program.calls()[call].caller)) {
      if (decorators.is_named(outer, function)) out.push_back(outer);
    }
  }
  return out;
}

/// Up to three functions outside tests that call it, with their places.
/// "`f` is registered in `a.py` (`a.py:9`): …" of what others call through what they were given; empty for others.
std::string registered_words(const DocumentInputs& inputs, const Actor& actor, const std::string& name) {
  if (!actor.change->after || !actor.change->after->function.valid()) return {};
  const program::FunctionId function = actor.change->after->function;
  for (const program::CallId id : calls_that_name(*inputs.after, function)) {
    const program::CallSite& site = inputs.after->calls()[id];
    const std::string& path = inputs.after->module_of(site.caller).path;
    if (handing_of(site, function) != Handing::kRegisters || program::is_test_path(path)) continue;
    return fmt::format("{} is registered ({}), to be called later; who calls it then, the call graph does not say.",
                       name, place(path, source_of(*inputs.after, site.caller).line_of(site.node->span.begin)));
  }
  return {};
}

std::string known_callers(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  if (!actor.change->after || !actor.change->after->function.valid()) return {};
  for (const program::CallId call : calls_that_name(*inputs.after, actor.change->after->function)) {
    const program::FunctionId caller = inputs.after->calls()[call].caller;
    if (handing_of(inputs.after->calls()[call], actor.change->after->function) != Handing::kNone) continue;
    if (program::is_test_path(inputs.after->module_of(caller).path)) continue;
    std::string text = fmt::format("{} ({})", code(short_name(*inputs.after, caller)), place_of(*inputs.after, caller));
    const python::Node* body = inputs.after->functions()[caller].node;
    const std::string when = body == nullptr ? std::string()
                                             : guards_words(guards_of(*body, inputs.after->calls()[call].node->span),
                                                            source_of(*inputs.after, caller), 2);
    if (!when.empty()) text += fmt::format(" where {}", when);
    if (names.size() < kMost && std::find(names.begin(), names.end(), text) == names.end())
      names.push_back(std::move(text));
  }
  return join_words(names);
}

/// The one function outside tests that known_callers tells; none where there are more.
program::FunctionId only_caller(const DocumentInputs& inputs, const Actor& actor) {
  program::FunctionId found;
  if (!actor.change->after || !actor.change->after->function.valid()) return found;
  for (const program::CallId call : calls_that_name(*inputs.after, actor.change->after->function)) {
    const program::FunctionId caller = inputs.after->calls()[call].caller;
    if (handing_of(inputs.after->calls()[call], actor.change->after->function) != Handing::kNone) continue;
    if (program::is_test_path(inputs.after->module_of(caller).path) || caller == found) continue;
    if (found.valid()) return {};
    found = caller;
  }
  return found;
}

/// Of a method whose class derives from a library's: that the library may call it, and where the class is made, unless
/// its origin is told; empty for others.
std::string library_text(const DocumentInputs& inputs, const Actor& actor, const std::string& name, bool has_origin) {
  const program::Program& program = *inputs.after;
  const program::FunctionId method = actor.change->after ? actor.change->after->function : program::FunctionId();
  const program::ClassId cls = method.valid() ? program.functions()[method].owner : program::ClassId();
  if (!cls.valid()) return {};
  const std::string base = library_base(program, method);
  if (base.empty()) return {};
  std::string text = fmt::format(
      "The call graph finds no call of {}; its class derives from {}, and that library may call it.", name, code(base));
  const program::FunctionId constructor = program.find_method(cls, "__init__");
  if (!constructor.valid() || has_origin) return text;
  for (const program::CallId call : program.callers_of(constructor)) {
    const program::CallSite& site = program.calls()[call];
    const program::Module& module = program.module_of(site.caller);
    if (program::is_test_path(module.path)) continue;
    const std::uint32_t line = module.facts->source().line_of(site.node->span.begin);
    return fmt::format("{} Objects of the class are made in {} ({}).", text, code(short_name(program, site.caller)),
                       place(module.path, line));
  }
  return text;
}

/// Of a class that no call makes by its name: where it is handed on; empty where it is not.
std::string handed_on_text(const program::Program& program, program::ClassId cls, const std::string& name) {
  const std::vector<std::string> places = handed_on_places(program, cls, 2);
  if (places.empty()) return {};
  return fmt::format(
      "The call graph finds no call that leads to {}; its class is handed on at {}, and what takes it from there may "
      "make its objects.",
      name, join_words(places));
}

/// "`f` is handed on by `g` (place); who calls it then, the call graph does not say." Empty for what nobody names so.
std::string handed_function_text(const program::Program& program, program::FunctionId function,
                                 const std::string& name) {
  constexpr std::size_t kMost = 3;
  if (!function.valid()) return {};
  std::vector<std::string> names;
  const std::vector<HandedFunction> all = handed_on_at(program, function);
  for (const HandedFunction& one : all) {
    if (names.size() == kMost) break;
    const std::string& path = program.module_of(one.by).path;
    const bool is_module = program.functions()[one.by].kind == program::FunctionKind::kModuleBody;
    names.push_back(is_module ? fmt::format("{}", place(path, one.line))
                              : fmt::format("{} ({})", code(short_name(program, one.by)), place(path, one.line)));
  }
  if (names.empty()) return {};
  return fmt::format("{} is handed on or kept as a value in {}; who calls it then, the call graph does not say.", name,
                     join_words(names));
}

}  // namespace

std::vector<std::size_t> namesakes_of(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  std::vector<std::size_t> out;
  const change::EntityChange& entity = *story.actor(index).change;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const change::EntityChange& other = *story.actor(i).change;
    if (i != index && other.latest().path != entity.latest().path &&
        short_name(inputs, other) == short_name(inputs, entity))
      out.push_back(i);
  }
  return out;
}

namespace {

/// Its name; with its file where another central entity has the same one.
std::string telling_name(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  const change::EntityChange& entity = *story.actor(index).change;
  const std::string name = code(short_name(inputs, entity));
  return namesakes_of(inputs, story, index).empty() ? name : fmt::format("{} of {}", name, code(entity.latest().path));
}

/// " On one it is called by `step` (`engine.py:40`).": the first callers outside tests; empty where there are none.
std::string callers_on_unmade(const program::Program& program, program::FunctionId function) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> callers;
  if (!function.valid()) return {};
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    if (callers.size() == kMost || program::is_test_path(program.module_of(site.caller).path)) continue;
    const SourceText& source = source_of(program, site.caller);
    callers.push_back(fmt::format("{} ({})", code(short_name(program, site.caller)),
                                  place(program.module_of(site.caller).path, source.line_of(site.node->span.begin))));
  }
  return callers.empty() ? std::string() : fmt::format(" On one it is called by {}.", join_words(callers));
}

/// The class; of one without a base, a mixin, those that take it in: "`Engine`, which takes in `HandoffMixin`".
std::string unmade_words(const program::Program& program, program::ClassId cls) {
  constexpr std::size_t kMost = 2;
  std::string name = code(program.classes()[cls].name);
  if (program.classes()[cls].linearized.size() > 1) return name;
  std::vector<std::string> heirs;
  for (const program::ClassId heir : program::with_descendants(program, cls)) {
    if (heir != cls && !program::is_test_path(program.module_of(heir).path))
      heirs.push_back(code(program.classes()[heir].name));
  }
  if (heirs.empty() || heirs.size() > kMost) return name;
  return fmt::format("{}, which {} in {}", join_words(heirs, "or"), heirs.size() == 1 ? "takes" : "take", name);
}

/// "`handle` (`server.py:40`), to which that way leads": a function on the way told that surely calls the one of the
/// actor; empty for none.
std::string caller_on_way(const DocumentInputs& inputs, const Actor& actor, const EntryPath& way) {
  const program::Program& program = *inputs.after;
  const program::FunctionId function = callable_of(program, *actor.change);
  if (!function.valid() || way.frames.size() < 2) return {};
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    const bool is_sure = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
      return one.function == function && one.certainty == program::Certainty::kExact;
    });
    const bool is_on_way = std::any_of(way.frames.begin(), way.frames.end(),
                                       [&](const PathFrame& frame) { return frame.function == site.caller; });
    if (!is_sure || !is_on_way || site.caller == function) continue;
    const SourceText& source = source_of(program, site.caller);
    const bool is_end = way.frames.back().function == site.caller;
    return fmt::format("{} ({}), {}", code(short_name(program, site.caller)),
                       place(program.module_of(site.caller).path, source.line_of(site.node->span.begin)),
                       is_end ? "to which that way leads" : "which stands on that way");
  }
  return {};
}

/// ", and only where …": a condition that all changed steps of the module's own code stand under; empty for none.
std::string shared_condition(const Actor& actor) {
  std::optional<std::vector<Guard>> shared;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || python::is<python::Import>(step.node) ||
        python::is<python::ImportFrom>(step.node))
      continue;
    std::vector<Guard> own = guards_of(*actor.change->after->node, step.span);
    if (const auto* branch = python::as<python::If>(step.node); branch != nullptr && step.kind == StepKind::kIf)
      own.push_back({branch, branch->condition, false});
    if (!shared) {
      shared = std::move(own);
      continue;
    }
    std::erase_if(*shared, [&](const Guard& one) {
      return std::none_of(own.begin(), own.end(), [&](const Guard& other) {
        return one.condition == other.condition && one.negated == other.negated;
      });
    });
  }
  if (!shared || shared->empty()) return {};
  const std::string words = guards_words(*shared, *actor.steps.after_source, 2);
  return words.empty() ? std::string() : fmt::format(", and only when {}", words);
}

}  // namespace

std::string reach_text(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  const EntryPath& path = story.entries[index];
  const std::string name = telling_name(inputs, story, index);
  if (story.actor(index).change->is_cosmetic())
    return fmt::format("N/A - only comments, documentation or layout of {} change: what runs is the same.", name);
  if (path.unmade.valid())
    return fmt::format("No way leads to {}: no Python code outside tests makes an object of {}.{}", name,
                       unmade_words(*inputs.after, path.unmade),
                       callers_on_unmade(*inputs.after, callable_of(*inputs.after, *story.actor(index).change)));
  if (path.frames.size() < 2) {
    if (story.actor(index).is_module_code)
      return fmt::format("{} runs what changes whenever it is loaded, or as a script where that is asked for{}.", name,
                         shared_condition(story.actor(index)));
    if (!story.actor(index).change->after)
      return fmt::format("{} is gone. {}", name, removed_text(inputs, *story.actor(index).change));
    const program::FunctionId made = callable_of(*inputs.after, *story.actor(index).change);
    const bool is_constructor = made.valid() && inputs.after->functions()[made].name == "__init__";
    if (is_constructor) {
      if (std::string handed = handed_on_text(*inputs.after, inputs.after->functions()[made].owner, name);
          !handed.empty())
        return handed;
    }
    if (story.actor(index).change->kind == change::EntityKind::kClass && made.valid())
      return fmt::format(
          "The call graph finds no call that makes a {}: it is made from outside, through a table or a configuration, "
          "or "
          "not at all.",
          name);
    if (!story.actor(index).is_function()) {
      if (std::string readers = known_readers(inputs, story.actor(index)); !readers.empty())
        return fmt::format("{} is no function; it is read in {}.", name, readers);
      return fmt::format("{} is no function, so the call graph has no way to it.", name);
    }
    if (const std::string maker = maker_callers_text(*inputs.after, only_caller(inputs, story.actor(index)), true);
        !maker.empty())
      return fmt::format("{} is called by {}; {}.", name, known_callers(inputs, story.actor(index)), maker);
    if (std::string callers = known_callers(inputs, story.actor(index)); !callers.empty())
      return fmt::format("{} is called by {}; from where a run gets there, the call graph does not say.", name,
                         callers);
    if (std::string registered = registered_words(inputs, story.actor(index), name); !registered.empty())
      return registered;
    if (std::string served = request_text(*inputs.after, made, name); !served.empty()) return served;
    const bool has_origin = index < story.origins.size() && story.origins[index].cls.valid();
    if (std::string library = library_text(inputs, story.actor(index), name, has_origin); !library.empty())
      return library;
    if (std::string handed = handed_function_text(*inputs.after, made, name); !handed.empty()) return handed;
    if (const std::string maker = maker_callers_text(*inputs.after, made); !maker.empty())
      return fmt::format("The call graph finds no call that leads to {}; {}.", name, maker);
    return fmt::format(
        "The call graph finds no call that leads to {}: it is called from outside, on a value of unknown class, "
        "through "
        "a table or a library, or not at all.",
        name);
  }
  bool certain = true;
  for (std::size_t i = 0; i < path.frames.size(); ++i) {
    const PathFrame& frame = path.frames[i];
    certain =
        certain && frame.off_by_default == nullptr && (frame.is_certain || joins_behind(*inputs.after, path.frames, i));
  }
  // `__post_init__` and its like are nobody's to call by their names, and a function inside one nobody can.
  const change::EntitySide& side = story.actor(index).change->latest();
  const bool is_hidden = change::last_part(side.qualified_name).starts_with("__") ||
                         (side.function.valid() && story.actor(index).change->after &&
                          inputs.after->functions()[side.function].enclosing.valid());
  std::string out = way_in(inputs, path, name, certain, !is_hidden && is_public(*story.actor(index).change));
  out += path_text(inputs, path) + ".";
  if (path.kind != program::EntryKind::kScript) {
    const program::FunctionId last = path.frames.back().function;
    const std::string base = library_base(*inputs.after, last);
    const std::string use =
        path.kind == program::EntryKind::kTest && !path.is_definition && called_at_import(*inputs.after, last).empty()
            ? use_outside_tests(*inputs.after, last).value_or("")
            : std::string();
    if (!use.empty()) out += " " + use;
    if (!base.empty()) out += fmt::format(" Its class derives from {}, and that library may call it, too.", code(base));
  }
  if (path.other_entries > 0 && !path.are_all_counted) {
    out += path.other_entries == 1 ? " At least one other script can lead there, too."
                                   : " Other scripts can lead there, too.";
  } else if (path.other_entries > 0 && path.others_may) {
    out += fmt::format(" {} can lead there.", capitalised(count_of(path.other_entries, "more script")));
  } else if (path.other_entries > 0) {
    out += fmt::format(" {} more {} there.", path.other_entries,
                       path.other_entries == 1 ? "script leads" : "scripts lead");
  }
  return out;
}

bool has_script(const Story& story, std::size_t index) {
  return story.entries[index].frames.size() > 1 && story.entries[index].kind == program::EntryKind::kScript;
}

std::size_t first_with_script(const Story& story, std::size_t lead) {
  if (has_script(story, lead)) return lead;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    if (has_script(story, i)) return i;
  }
  return lead;
}

std::string reach_from(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t told) {
  const EntryPath& path = story.entries[index];
  const EntryPath& other = story.entries[told];
  std::size_t same = 0;
  while (same < path.frames.size() && same < other.frames.size() &&
         path.frames[same].function == other.frames[same].function)
    ++same;
  if (path.frames.size() < 2 || same < 2 || path.kind != other.kind) {
    const std::string caller = has_script(story, index) ? "" : caller_on_way(inputs, story.actor(index), other);
    return caller.empty()
               ? reach_text(inputs, story, index)
               : fmt::format("{} is {} by {}.", telling_name(inputs, story, index),
                             story.actor(index).change->kind == change::EntityKind::kClass ? "made" : "called", caller);
  }
  const std::string name = telling_name(inputs, story, index);
  const std::string fork = code(short_name(*inputs.after, path.frames[same - 1].function));
  if (same == path.frames.size()) return fmt::format("{} stands on that way.", name);
  EntryPath rest = path;
  rest.frames.erase(rest.frames.begin(), rest.frames.begin() + static_cast<std::ptrdiff_t>(same));
  const auto is_folded = [&](std::size_t i) { return rest.frames.size() > 5 && i >= 1 && i + 3 < rest.frames.size(); };
  return fmt::format("{}: the same way to {}, then{}{}.", name, fork,
                     arrow_after(*inputs.after, path.frames[same - 1], path.frames[same].function),
                     way_text(*inputs.after, rest.frames, is_folded));
}

}  // namespace lockstep::report
