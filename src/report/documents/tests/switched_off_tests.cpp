#include "report/documents/tests/switched_off_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/configuration_files.h"
#include "report/source/defaults.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A setting under which changed steps of a function run.
struct Gate {
  std::string name;
  bool runs_when_set = true;  ///< Else they run where it is not set.
  const Actor* actor = nullptr;
};

/// The settings that must be set, or must not, for the condition to hold; alternatives ask for none of them.
void add_gates(const Expr& condition, bool holds, const Actor& actor, std::vector<Gate>& out) {
  if (const auto* both = as<BoolOp>(&condition)) {
    if (both->op != (holds ? BoolOperator::kAnd : BoolOperator::kOr)) return;
    for (const Expr* one : both->values) add_gates(*one, holds, actor, out);
    return;
  }
  if (const auto* turned = as<UnaryOp>(&condition)) {
    if (turned->op == UnaryOperator::kNot) add_gates(*turned->operand, !holds, actor, out);
    return;
  }
  const std::string_view name = config_attribute(condition);
  const bool is_known =
      std::any_of(out.begin(), out.end(), [&](const Gate& one) { return one.name == name && one.actor == &actor; });
  if (!name.empty() && !is_known) out.push_back({std::string(name), holds, &actor});
}

std::vector<Gate> gates_of(const Story& story) {
  std::vector<Gate> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.role == Role::kCosmetic || !actor.is_function() || !actor.change->after ||
        program::is_test_path(actor.change->latest().path))
      continue;
    const auto& steps = actor.steps.after;
    const auto is_changed = [&](Span at) {
      return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
        return step.status != StepStatus::kKept && !step.is_moved && step.span.begin == at.begin;
      });
    };
    for (const Step& step : steps) {
      if (step.status == StepStatus::kKept || step.is_moved) continue;
      for (const Guard& guard : guards_of(*actor.change->after->node, step.span)) {
        if (guard.condition != nullptr && is_changed(guard.statement->span))
          add_gates(*guard.condition, !guard.negated, actor, out);
      }
    }
  }
  return out;
}

/// What a place of tests that has the name of a setting does with it.
enum class Setting : std::uint8_t { kNothing, kOff, kOther };

/// `runs_when_set`: with `True` the code runs, with `False` and `None` it does not; else the other way round.
Setting given_by(const Expr* value, bool runs_when_set) {
  if (value == nullptr) return Setting::kOther;
  const Value known = value_of(value);
  const bool is_off = known.kind == Value::Kind::kNone || (known.kind == Value::Kind::kBool && !known.truth);
  const bool is_on = known.kind == Value::Kind::kBool && known.truth;
  return (runs_when_set ? is_off : is_on) ? Setting::kOff : Setting::kOther;
}

/// Of the name at `at`: what sets it, or may set it. A function of the name, comments, longer texts and what only reads
/// the setting do nothing.
Setting setting_at(const program::Module& module, std::string_view name, std::uint32_t at, bool runs_when_set) {
  for (const Comment& comment : module.facts->file->comments) {
    if (comment.span.contains(at)) return Setting::kNothing;
  }
  const std::vector<const Node*> around = chain_to(module.facts->tree(), {at, at + 1});
  if (around.empty()) return Setting::kNothing;
  const Node* inner = around.back();
  const Node* outer = around.size() < 2 ? nullptr : around[around.size() - 2];
  if (const auto* attribute = as<Attribute>(inner)) {
    const auto* assign = as<Assign>(outer);
    if (assign != nullptr && assign->value != attribute) return given_by(assign->value, runs_when_set);
    return is<AnnAssign>(outer) || is<AugAssign>(outer) ? Setting::kOther : Setting::kNothing;
  }
  if (const auto* keyword = as<Keyword>(inner)) return given_by(keyword->value, runs_when_set);
  if (const auto* text = as<Constant>(inner)) {
    if (text->text != name) return Setting::kNothing;
    const auto* call = as<Call>(outer);
    if (call == nullptr || call->arguments.size() < 2 || call->arguments[1] != inner) return Setting::kOther;
    const std::string_view callee = callee_name(*call);
    if (callee == "getattr" || callee == "hasattr") return Setting::kNothing;
    return callee == "setattr" && call->arguments.size() == 3 ? given_by(call->arguments[2], runs_when_set)
                                                              : Setting::kOther;
  }
  if (const auto* parameter = as<Parameter>(inner)) return given_by(parameter->default_value, runs_when_set);
  // A field of a class of tests.
  const auto* annotated = as<AnnAssign>(outer);
  if (annotated != nullptr && annotated->target == inner) return given_by(annotated->value, runs_when_set);
  return Setting::kNothing;
}

/// What the tests of the program do with the setting.
struct InTests {
  std::size_t edited_off = 0;  ///< Edited test functions in which the change sets it to be off.
  bool may_be_otherwise = false;
};

InTests in_tests(const DocumentInputs& inputs, const Gate& gate) {
  InTests out;
  const program::Program& program = *inputs.after;
  const std::string option = "--" + replace_all(gate.name, "_", "-");
  std::set<std::uint32_t> edited;
  for (std::size_t i = 0; i < program.modules().size() && !out.may_be_otherwise; ++i) {
    const program::Module& module = program.modules()[program::ModuleId(i)];
    if (!program::is_test_path(module.path)) continue;
    const SourceText& source = module.facts->source();
    out.may_be_otherwise = is_quoted_in(source.bytes(), option) || is_quoted_in(source.bytes(), "--" + gate.name);
    for (std::size_t at = module.facts->find_name(gate.name); at != std::string_view::npos;
         at = module.facts->find_name(gate.name, at + 1)) {
      const auto place = static_cast<std::uint32_t>(at);
      const Setting setting = setting_at(module, gate.name, place, gate.runs_when_set);
      out.may_be_otherwise = out.may_be_otherwise || setting == Setting::kOther;
      if (setting != Setting::kOff || !inputs.change->touches_after(module.path, source.line_of(place))) continue;
      const change::EntityChange* entity = inputs.change->entity_at_after(module.path, source.line_of(place));
      const program::FunctionId function = program.function_at(program::ModuleId(i), place);
      if (entity != nullptr && entity->before && function.valid()) edited.insert(function.value);
    }
  }
  out.edited_off = edited.size();
  if (out.edited_off == 0 || out.may_be_otherwise) return out;
  for (const ConfigurationFile& file : configuration_files(inputs.after_files, FilesOf::kTests)) {
    out.may_be_otherwise = out.may_be_otherwise || contains(file.text, option) ||
                           find_name(file.text, gate.name) != std::string_view::npos;
  }
  return out;
}

}  // namespace

void add_switched_off_tests(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  if (story.only_tests) return;
  std::set<std::string> told;
  for (const Gate& gate : gates_of(story)) {
    if (told.size() == kMost) return;
    if (told.contains(gate.name)) continue;
    const InTests tests = in_tests(inputs, gate);
    if (tests.edited_off == 0 || tests.may_be_otherwise) continue;
    told.insert(gate.name);
    const std::string function = code(short_name(inputs, *gate.actor->change));
    risks.push_back(
        {RiskKind::kTests,
         fmt::format("Which test runs what {} {} in {}?", code(gate.name),
                     gate.runs_when_set ? "switches on" : "switches off", function),
         fmt::format("Open: {} that the change edits {} it to {}, and none was found that sets it otherwise",
                     tests.edited_off == 1 ? "the test code" : "the tests", tests.edited_off == 1 ? "sets" : "set",
                     code(gate.runs_when_set ? "False" : "True")),
         false});
  }
}

}  // namespace lockstep::report
