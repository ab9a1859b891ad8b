#include "report/documents/runs/receiver_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/words.h"
#include "report/ways/conditions/call_guards.h"
#include "report/ways/conditions/condition_kinds.h"
#include "report/ways/functions/chosen_values.h"
#include "report/ways/objects/factory_choices.h"
#include "report/ways/objects/held_objects.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

namespace {

/// The only other function that the call may enter; none where there are more.
program::FunctionId only_other(const program::CallSite& site, program::FunctionId entered) {
  program::FunctionId other;
  for (const program::CallTarget& target : site.targets) {
    if (!target.function.valid() || target.function == entered || target.function == other) continue;
    if (other.valid()) return {};
    other = target.function;
  }
  return other;
}

bool leads_to(const program::Program& program, program::FunctionId from, program::FunctionId to) {
  constexpr std::size_t kMostReached = 400;
  const std::vector<program::FunctionId> sources = {from};
  const auto reached = program::reachable_from(program, sources, kMostReached);
  return std::any_of(reached.begin(), reached.end(), [&](const program::Reached& one) { return one.function == to; });
}

}  // namespace

std::string receiver_choice_text(const program::Program& program, const EntryPath& path) {
  constexpr std::size_t kMost = 2;
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    const PathFrame& frame = path.frames[i];
    const program::FunctionId entered = path.frames[i + 1].function;
    const program::CallId call = frame.call == nullptr ? program::CallId() : program.call_of(frame.call);
    if (!call.valid()) continue;
    const program::CallSite& site = program.calls()[call];
    // Conditions of the choice that the way has are told with it.
    std::vector<Guard> guards = guards_of_receiver(program, site, entered);
    const auto is_told = [&](const Guard& guard) {
      return std::any_of(frame.guards.begin(), frame.guards.end(),
                         [&](const Guard& own) { return own.condition == guard.condition; });
    };
    if (guards.empty() || std::any_of(guards.begin(), guards.end(), is_told)) continue;
    // The choice may be made in another function of the same module.
    const program::ModuleId module = program.functions()[frame.function].module;
    const bool is_setting = std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      const program::FunctionId choosing = program.function_at(module, guard.condition->span.begin);
      return choosing.valid() && kind_of_condition(program, choosing, *guard.condition) == ConditionKind::kSetting;
    });
    const program::FunctionId other = only_other(site, entered);
    if (!is_setting || !program.functions()[entered].owner.valid()) continue;
    // What the arms before it do not hold for follows from what its own asks for.
    if (const auto own = std::find_if(guards.begin(), guards.end(), [](const Guard& one) { return !one.negated; });
        own != guards.end())
      std::erase_if(guards, [](const Guard& one) { return one.negated; });
    const SourceText& source = source_of(program, frame.function);
    const std::string words = guards_words(guards, source, kMost);
    if (words.empty()) continue;
    const std::string place =
        report::place(program.module_of(frame.function).path, source.line_of(guards.front().condition->span.begin));
    const std::string told =
        fmt::format("{} makes that call on {} only when {} ({})", code(short_name(program, frame.function)),
                    code(program.classes()[program.functions()[entered].owner].name), words, place);
    if (!other.valid() || !leads_to(program, other, entered)) return told + ".";
    return fmt::format("{}; otherwise {} is called, which leads there, too.", told, code(short_name(program, other)));
  }
  return {};
}

std::string receiver_holding_text(const program::Program& program, const EntryPath& path) {
  for (std::size_t i = path.frames.size(); i-- > 1;) {
    const PathFrame& frame = path.frames[i - 1];
    const program::FunctionId entered = path.frames[i].function;
    const program::CallId call = frame.call == nullptr ? program::CallId() : program.call_of(frame.call);
    if (!call.valid()) continue;
    const std::vector<Holding> held = holdings_of_receiver(program, program.calls()[call], entered);
    if (held.size() != 1) continue;
    const Holding& one = held.front();
    const program::ClassId cls = program.functions()[entered].owner;
    if (path.chosen && path.chosen->cls == cls) return {};
    const SourceText& source = source_of(program, one.function);
    const std::string words = guards_words(one.guards, source, 2);
    if (words.empty()) continue;
    const auto* method = python::as<python::Attribute>(python::as<python::Call>(frame.call)->callee);
    return fmt::format(
        "{} makes that call on an object of {} only once {} gave {} one, when {} ({}).",
        code(short_name(program, frame.function)), code(program.classes()[cls].name),
        code(short_name(program, one.function)), code(dotted_text(method->value)), words,
        place(program.module_of(one.function).path, source.line_of(one.guards.front().condition->span.begin)));
  }
  return {};
}

std::string receiver_made_text(const program::Program& program, const EntryPath& path) {
  std::optional<MadeClasses> classes;
  std::optional<CallGuards> by_default;
  FactoryChoices factories(program, [&](program::FunctionId function, const python::Expr& condition) {
    if (!classes) classes.emplace(program);
    if (!by_default) by_default.emplace(program, *classes);
    return by_default->holds_by_default(function, condition);
  });
  for (std::size_t at = 0; at + 1 < path.frames.size(); ++at) {
    const PathFrame& frame = path.frames[at];
    const program::CallId call = frame.call == nullptr ? program::CallId() : program.call_of(frame.call);
    const auto exception = call.valid() ? factories.exception_of(call, path.frames[at + 1].function) : std::nullopt;
    if (!exception || !exception->exception.is_returned) continue;
    const MadeReceiver& made = exception->exception;
    std::vector<Guard> guards;
    for (const UnmetGuard& guard : made.guards) {
      if (guard.function == made.function && guard.guard.condition != nullptr) guards.push_back(guard.guard);
    }
    // Conditions of the choice that the way has are told with it.
    const bool is_told = std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      return std::any_of(frame.guards.begin(), frame.guards.end(),
                         [&](const Guard& own) { return own.condition == guard.condition; });
    });
    if (guards.empty() || is_told) continue;
    const SourceText& source = source_of(program, made.function);
    const std::string words = guards_words(guards, source, 2);
    if (words.empty()) continue;
    const std::string otherwise = exception->is_all ? fmt::format("; otherwise it is one of {}",
                                                                  code(program.classes()[exception->otherwise].name))
                                                    : std::string();
    return fmt::format(
        "{} makes that call on an object of {} only where {} returns {}, when {} ({}){}.",
        code(short_name(program, frame.function)),
        code(program.classes()[program.functions()[path.frames[at + 1].function].owner].name),
        code(short_name(program, made.function)), code(one_line(source, *made.value, 50)), words,
        place(program.module_of(made.function).path, source.line_of(guards.front().condition->span.begin)), otherwise);
  }
  return {};
}

}  // namespace lockstep::report
