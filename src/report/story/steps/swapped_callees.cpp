#include "report/story/steps/swapped_callees.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/story.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

namespace {

using program::ClassId;
using program::FunctionId;
using program::Program;
using program::Reference;

constexpr int kReckons = 3;                // FollowedArgument::rank: what a run does differs
constexpr std::size_t kMostSwaps = 2;      // of one function
constexpr std::size_t kMostMethods = 2;    // of one class
constexpr std::size_t kMostDiffering = 4;  // steps of one side: of more, two pieces of code have little in common
constexpr std::size_t kMostTold = 2;
constexpr std::size_t kMostWhere = 80;  // bytes of a condition

/// What a changed step called and calls.
struct Swap {
  const Step* step = nullptr;  ///< Of the side after the change.
  Reference before, after;     ///< Functions or classes of both sides.
};

Reference callee_of(const Program& program, FunctionId function, const Step& step) {
  const auto* call = python::as<python::Call>(value_of_step(step));
  return call == nullptr ? Reference() : program.resolve(function, *call->callee);
}

std::vector<Swap> swaps_of(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<Swap> swaps;
  for (const Step& step : actor.steps.after) {
    if (step.status != StepStatus::kChanged || step.kind != StepKind::kPlain || step.partner == Step::kNone ||
        step.swaps_call || !step.renames.empty())
      continue;
    Swap swap{&step, callee_of(*inputs.before, actor.change->before->function, actor.steps.before[step.partner]),
              callee_of(*inputs.after, actor.change->after->function, step)};
    if (swap.before.kind == swap.after.kind) swaps.push_back(swap);
  }
  return swaps;
}

std::string returned_text(const Step& step, const SourceText& source) {
  const auto* result = python::as<python::Return>(step.node);
  return result == nullptr || result->value == nullptr ? std::string() : one_line_whole(source, *result->value);
}

/// Whether the steps give a variable the value.
bool binds(const std::vector<Step>& steps, const SourceText& source, std::string_view name, std::string_view value) {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const python::Expr* target = nullptr;
    const python::Expr* bound = assigned_value(step.node, target);
    return bound != nullptr && python::is<python::Name>(target) && one_line_whole(source, *target) == name &&
           one_line_whole(source, *bound) == value;
  });
}

/// Whether it returns what the other side returns, and only one of the two keeps it in a variable: `x = value` and
/// `return x` for `return value`.
bool keeps_result(const Step& step, const std::vector<Step>& steps, const SourceText& source,
                  const std::vector<Step>& other, const SourceText& other_source) {
  const std::string text = returned_text(step, source);
  return !text.empty() && std::any_of(other.begin(), other.end(), [&](const Step& one) {
    const std::string there = returned_text(one, other_source);
    return !there.empty() && (binds(steps, source, text, there) || binds(other, other_source, there, text));
  });
}

/// The words of steps of one side that the other lacks; nullopt where there are too many.
std::optional<std::vector<std::string>> lacking(const std::vector<Step>& steps, const std::vector<Step>& other,
                                                const WordsContext& context, const python::Node& function,
                                                const SourceText& other_source) {
  std::vector<std::string> words;
  std::size_t differing = 0;
  for (const Step& step : steps) {
    if (step.status == StepStatus::kKept || step.is_moved) continue;
    if (++differing > kMostDiffering) return std::nullopt;
    if (step.kind != StepKind::kPlain) continue;
    const python::Expr* target = nullptr;
    const bool is_local = assigned_value(step.node, target) != nullptr && python::is<python::Name>(target);
    if (is_local || keeps_result(step, steps, *context.source, other, other_source)) continue;
    std::string text = step_words(step, context);
    if (text.empty()) continue;
    const std::string where = where_words(function, step, *context.source, 1);
    if (!where.empty() && unmarked(where).size() <= kMostWhere) text += " where " + where;
    words.push_back(std::move(text));
  }
  if (words.size() > kMostTold) words.resize(kMostTold);
  return words;
}

std::string named(const Program& program, FunctionId function) {
  return fmt::format("{} ({})", code(short_name(program, function)), place_of(program, function));
}

/// `caller`: "which `f` (`a.py:3`) calls now", or "called now".
std::string difference_words(const DocumentInputs& inputs, FunctionId old_one, FunctionId new_one,
                             const std::string& caller) {
  const Program& program = *inputs.after;
  const python::FunctionDef* a = program.functions()[old_one].def();
  const python::FunctionDef* b = program.functions()[new_one].def();
  if (a == nullptr || b == nullptr) return {};
  const SourceText& a_source = source_of(program, old_one);
  const SourceText& b_source = source_of(program, new_one);
  const StepComparison steps = compare_functions(a, &a_source, b, &b_source);
  const bool is_alike = std::any_of(steps.after.begin(), steps.after.end(), [](const Step& step) {
    return step.status == StepStatus::kKept && step.kind != StepKind::kElse;
  });
  if (!is_alike) return {};
  const WordsContext a_context{&program, inputs.after_mesh, old_one, &a_source, true};
  const WordsContext b_context{&program, inputs.after_mesh, new_one, &b_source, true};
  const auto gone = lacking(steps.before, steps.after, a_context, *a, b_source);
  const auto come = lacking(steps.after, steps.before, b_context, *b, a_source);
  if (!gone || !come || (gone->empty() && come->empty())) return {};
  const std::string old_name = named(program, old_one), new_name = named(program, new_one);
  if (come->empty()) return fmt::format("{} {}; {}, {}, does not.", old_name, join(*gone, " and "), new_name, caller);
  if (gone->empty()) return fmt::format("{}, {}, {}; {} does not.", new_name, caller, join(*come, " and "), old_name);
  return fmt::format("{}, {}, {}; {} {}.", new_name, caller, join(*come, " and "), old_name, join(*gone, " and "));
}

/// Where a method is called on `target` ("self.pool", "pool"): in functions of the same module.
FunctionId caller_on(const Program& program, FunctionId maker, std::string_view target, std::string_view method) {
  const program::ModuleId module = program.functions()[maker].module;
  const bool is_attribute = contains(target, ".");
  for (const FunctionId function : program.modules()[module].functions) {
    if (!is_attribute && function != maker) continue;
    const SourceText& source = source_of(program, function);
    for (const program::CallId id : program.functions()[function].calls) {
      const auto* call = python::as<python::Call>(program.calls()[id].node);
      const auto* callee = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
      if (callee != nullptr && callee->name.text == method && one_line_whole(source, *callee->value) == target)
        return function;
    }
  }
  return FunctionId();
}

std::vector<std::string> class_words(const DocumentInputs& inputs, const Swap& swap, FunctionId maker,
                                     ClassId old_class) {
  const Program& program = *inputs.after;
  const python::Expr* target = nullptr;
  if (assigned_value(swap.step->node, target) == nullptr) return {};
  const std::string name = one_line_whole(source_of(program, maker), *target);
  std::set<std::string> methods;
  for (const ClassId cls : {old_class, swap.after.cls}) {
    for (const FunctionId method : program.classes()[cls].methods) methods.emplace(program.functions()[method].name);
  }
  std::vector<std::string> sentences;
  for (const std::string& method : methods) {
    if (method.starts_with("__") || sentences.size() == kMostMethods) continue;
    const FunctionId old_one = program.find_method(old_class, method);
    const FunctionId new_one = program.find_method(swap.after.cls, method);
    if (!old_one.valid() || !new_one.valid() || old_one == new_one) continue;
    const FunctionId caller = caller_on(program, maker, name, method);
    if (!caller.valid()) continue;
    std::string words = difference_words(inputs, old_one, new_one,
                                         fmt::format("which {} calls now", code(short_name(program, caller))));
    if (!words.empty()) sentences.push_back(std::move(words));
  }
  return sentences;
}

}  // namespace

std::vector<FollowedArgument> followed_callees(const DocumentInputs& inputs, const Actor& actor) {
  std::vector<FollowedArgument> out;
  if (!actor.change->before || !actor.change->after) return out;
  const Program& program = *inputs.after;
  const FunctionId maker = actor.change->after->function;
  for (const Swap& swap : swaps_of(inputs, actor)) {
    if (out.size() == kMostSwaps) break;
    std::vector<std::string> sentences;
    if (swap.after.kind == Reference::Kind::kFunction) {
      const FunctionId old_one = program.find_function(inputs.before->functions()[swap.before.function].qualified_name);
      const FunctionId known = inputs.before->find_function(program.functions()[swap.after.function].qualified_name);
      if (!old_one.valid() || !known.valid() || old_one == swap.after.function) continue;
      sentences.push_back(difference_words(inputs, old_one, swap.after.function, "called now"));
    } else if (swap.after.kind == Reference::Kind::kClass) {
      const ClassId old_class = program.find_class(inputs.before->classes()[swap.before.cls].qualified_name);
      const ClassId known = inputs.before->find_class(program.classes()[swap.after.cls].qualified_name);
      if (!old_class.valid() || !known.valid() || old_class == swap.after.cls) continue;
      sentences = class_words(inputs, swap, maker, old_class);
    }
    for (std::string& sentence : sentences) {
      if (!sentence.empty()) out.push_back({kReckons, std::move(sentence), {}});
    }
  }
  return out;
}

}  // namespace lockstep::report
