#include "report/story/calls/field_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/calls/returns_before.h"
#include "report/story/settings/deciding.h"
#include "report/story/story.h"
#include "report/story/wording/words.h"
#include "report/ways/scripts/script_places.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostReads = 200;
constexpr std::size_t kWidth = 90;  // of code in a sentence

/// The class without a constructor of its own that the call makes an object of, and that declares the field.
ClassId class_with_field(const Program& program, const Call& call, std::string_view field) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid()) return {};
  const program::Reference made = program.resolve(program.calls()[id].caller, *call.callee);
  if (made.kind != program::Reference::Kind::kClass || program.find_method(made.cls, "__init__").valid()) return {};
  const auto& fields = program.classes()[made.cls].fields;
  const bool declares = std::any_of(fields.begin(), fields.end(),
                                    [&](const program::Field& one) { return one.in_class_body && one.name == field; });
  return declares ? made.cls : ClassId();
}

/// Whether another class has an attribute of that name: `x.field` may be that one.
bool is_of_others(const Program& program, ClassId own, std::string_view field) {
  const auto& classes = program.classes();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const ClassId id(i);
    if (id == own || program::is_test_path(program.module_of(id).path)) continue;
    const auto& fields = classes[id].fields;
    const bool has =
        std::any_of(fields.begin(), fields.end(), [&](const program::Field& one) { return one.name == field; });
    if (has || program.find_method(id, field).valid()) return true;
  }
  return false;
}

/// A place that reads the field to call what it holds, or to decide by it.
struct Reading {
  bool calls = false;
  bool is_aside = false;  ///< In tools, examples, experiments.
  std::string where;      ///< "in `f` (`a.py:3`)", with the conditions of a call.
  std::string decides;    ///< "`raise …` runs only if `…`"; empty for calls.
};

/// Nothing for a place that does neither.
std::optional<Reading> reading_at(const Program& program, FunctionId function, const Attribute& read) {
  const SourceText& source = source_of(program, function);
  const Node& body = *program.functions()[function].node;
  const std::string& path = program.module_of(function).path;
  Reading out;
  out.is_aside = program::is_helper_path(path) || !aside_folder(path).empty();
  out.where =
      fmt::format("in {} ({})", code(short_name(program, function)), place(path, source.line_of(read.span.begin)));
  std::vector<const Node*> parents = chain_to(body, read.span);
  while (!parents.empty() && parents.back() == &read) parents.pop_back();
  const auto* call = parents.empty() ? nullptr : as<Call>(parents.back());
  out.calls = call != nullptr && call->callee == &read;
  if (out.calls) {
    const std::string guards = guards_words(guards_of(body, read.span), source, 2);
    if (!guards.empty()) out.where += " where " + guards;
    return out;
  }
  const ValueUse use = use_of(read, parents);
  const auto* branch = use.kind == ValueUse::Kind::kBranch ? as<If>(use.statement) : nullptr;
  const BranchEffect effect = branch == nullptr ? BranchEffect() : effect_of(branch->body);
  if (effect.first == nullptr) return std::nullopt;
  // What the branch does is to call it: that is told.
  if (contains(source.slice(effect.first->span), fmt::format(".{}(", read.name.text))) return std::nullopt;
  Span shown = effect.first->span;
  bool is_first = true;
  for_each_block(*effect.first, [&](Seq<Stmt> block) {
    if (is_first) shown.end = block.front()->span.begin;
    is_first = false;
  });
  const std::string passed = passed_returns_words(body, branch->span, source);
  out.decides = fmt::format("{} runs only if {}", code(one_line(source, shown, kWidth)),
                            passed.empty() ? code(one_line(source, *branch->condition, kWidth))
                                           : passed + " and " + condition_words(*branch->condition, source));
  return out;
}

}  // namespace

FollowedArgument read_as_field(const DocumentInputs& inputs, const ChangedArgument& argument) {
  constexpr int kTold = 2;
  constexpr std::size_t kMost = 2;
  const Program& program = *inputs.after;
  if (argument.after == nullptr) return {};
  const ClassId cls = class_with_field(program, *argument.after, argument.name);
  if (!cls.valid() || is_of_others(program, cls, argument.name)) return {};
  std::vector<Reading> readings;
  std::size_t reads = 0;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path) || !module.facts->has_name(argument.name)) continue;
    walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* one) {
      if (one->name.text != argument.name || one->context != ExprContext::kLoad || ++reads > kMostReads) return;
      if (auto reading = reading_at(program, program.function_at(id, one->span.begin), *one))
        readings.push_back(std::move(*reading));
    });
  }
  std::stable_partition(readings.begin(), readings.end(), [](const Reading& one) { return !one.is_aside; });
  // Where it is called and where it is asked for are two halves of one answer.
  const std::string name = code(argument.name);
  std::vector<std::string> called;
  std::string decides;
  for (const Reading& one : readings) {
    if (one.calls && called.size() < kMost) called.push_back(one.where);
    if (!one.calls && decides.empty()) decides = fmt::format("{} decides {}: {}.", name, one.where, one.decides);
  }
  FollowedArgument out;
  if (called.empty() && decides.empty()) return out;
  out.rank = kTold;
  if (!called.empty()) out.sentence = fmt::format("{} is called {}.", name, join(called, "; "));
  if (!decides.empty()) out.sentence += (out.sentence.empty() ? "" : " ") + decides;
  return out;
}

}  // namespace lockstep::report
