#include "report/documents/compatibility/checkpoint_risks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/risks.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Functions that write or read what a checkpoint holds, by the names that torch and Megatron-LM give them.
bool is_checkpoint_function(std::string_view name) {
  static constexpr std::string_view kNames[] = {"__getstate__",        "__setstate__",    "_load_from_state_dict",
                                                "_save_to_state_dict", "load_state_dict", "sharded_state_dict",
                                                "state_dict"};
  const bool reads_or_writes = contains(name, "save") || contains(name, "load");
  return (contains(name, "checkpoint") && reads_or_writes) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Such a function, or one that such a function defines for itself.
bool serves_checkpoints(std::string_view qualified_name) {
  const std::vector<std::string_view> parts = split(qualified_name, '.');
  return std::any_of(parts.begin(), parts.end(), is_checkpoint_function);
}

/// Whether changed steps name entries or states, as far as their text shows: a function that saves a checkpoint does
/// much beside what is written.
bool touches_entries(const Actor& actor) {
  static constexpr std::string_view kMarks[] = {"state_dict", "[\"", "['", "{\"", "{'"};
  const auto touches = [](const std::vector<Step>& steps, const SourceText* source) {
    return source != nullptr && std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
             if (step.status == StepStatus::kKept || step.is_moved) return false;
             const std::string_view text = source->slice(step.span);
             return std::any_of(std::begin(kMarks), std::end(kMarks),
                                [&](std::string_view mark) { return contains(text, mark); });
           });
  };
  return touches(actor.steps.after, actor.steps.after_source) || touches(actor.steps.before, actor.steps.before_source);
}

/// Whether any step that comes, goes or changes is more than a check or a message.
bool does_more_than_refuse(const Actor& actor) {
  const auto counts = [](const std::vector<Step>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      const bool is_check = python::is<python::Assert>(step.node) || python::is<python::Raise>(step.node) ||
                            only_logs(steps, i) || (step.kind == StepKind::kIf && only_refuses(steps, i));
      if (step.status != StepStatus::kKept && !is_check) return true;
    }
    return false;
  };
  return counts(actor.steps.after) || counts(actor.steps.before);
}

/// Whether the function's own module registers it as a hook on states: `register_state_dict_post_hook(self._split)`.
bool is_state_hook(const DocumentInputs& inputs, const Actor& actor) {
  const program::ModuleId module =
      actor.change->after ? inputs.after->find_path(actor.change->after->path) : program::ModuleId();
  if (!module.valid()) return false;
  const std::string_view name = change::last_part(actor.change->latest().qualified_name);
  bool found = false;
  python::walk_of<python::Call>(inputs.after->modules()[module].facts->tree(), python::Nested::kEnter,
                                [&](const python::Call* call) {
                                  const std::string_view callee = callee_name(*call);
                                  if (found || !contains(callee, "state_dict") || !callee.ends_with("hook")) return;
                                  for (const python::Expr* argument : call->arguments)
                                    found = found || change::last_part(dotted_text(argument)) == name;
                                });
  return found;
}

/// Whether changed code works on a `state_dict` that the function is given: a hook that splits or renames its entries.
bool edits_given_state(const Actor& actor) {
  const auto* def = actor.change->after ? python::as<python::FunctionDef>(actor.change->after->node) : nullptr;
  if (def == nullptr || actor.steps.after_source == nullptr) return false;
  constexpr std::string_view kName = "state_dict";
  return rules::parameter_named(def, kName) != nullptr &&
         std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
           return step.status != StepStatus::kKept &&
                  find_name(actor.steps.after_source->slice(step.span), kName) != std::string_view::npos;
         });
}

/// The function outside tests that writes or reads a checkpoint and calls this one, where the name of this one says
/// that it deals with state; none otherwise.
program::FunctionId checkpoint_caller(const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.change->after || !actor.change->after->function.valid()) return {};
  const program::FunctionId function = actor.change->after->function;
  const std::string_view name = inputs.after->functions()[function].name;
  if (!contains(name, "state") && !contains(name, "checkpoint")) return {};
  for (const program::CallId call : inputs.after->callers_of(function)) {
    const program::FunctionId caller = inputs.after->calls()[call].caller;
    if (is_checkpoint_function(inputs.after->functions()[caller].name) &&
        !program::is_test_path(inputs.after->module_of(caller).path))
      return caller;
  }
  return {};
}

/// `self.register_buffer("x", t, persistent=False)`: no part of checkpoints (torch.nn.Module.register_buffer).
bool registers_passing_buffer(const Step& step) {
  const auto* statement = python::as<python::ExprStmt>(step.node);
  const auto* call = statement == nullptr ? nullptr : python::as<python::Call>(statement->value);
  if (call == nullptr || callee_name(*call) != "register_buffer") return false;
  constexpr std::size_t kPlace = 2;
  const python::Expr* named = rules::keyword_value(*call, "persistent");
  return rules::is_false(call->arguments.size() > kPlace ? call->arguments[kPlace] : named);
}

/// The name under which a step registers state of a module: of `self.register_buffer("x", t)` and `self.x =
/// Parameter(t)`; empty for others.
std::string registered_name(const Step& step) {
  const auto* statement = python::as<python::ExprStmt>(step.node);
  const auto* call = statement == nullptr ? nullptr : python::as<python::Call>(statement->value);
  if (call != nullptr && !call->arguments.empty() && callee_name(*call).starts_with("register_"))
    return std::string(rules::text_of(call->arguments.front()));
  const python::Expr* target = nullptr;
  const auto* attribute =
      assigned_value(step.node, target) == nullptr ? nullptr : python::as<python::Attribute>(target);
  return attribute == nullptr ? std::string() : std::string(attribute->name.text);
}

/// Whether the function registered, or set, state of that name before the change.
bool was_registered(const Actor& actor, const Step& step) {
  const std::string name = registered_name(step);
  return !name.empty() && std::any_of(actor.steps.before.begin(), actor.steps.before.end(),
                                      [&](const Step& was) { return registered_name(was) == name; });
}

bool is_text(const python::Expr* node, std::string_view text = {}) {
  const auto* constant = python::as<python::Constant>(node);
  return constant != nullptr && constant->constant_kind == python::ConstantKind::kStr &&
         (text.empty() || constant->text == text);
}

/// Whether changed code of a function that serves checkpoints pairs the name of the state that the step registers with
/// another one, as in `{"conv_weight": "conv.weight"}`: it may give it the key that was there.
bool is_mapped(const Story& story, const Step& step) {
  const std::string name = registered_name(step);
  if (name.empty()) return false;
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& actor) {
    if (actor.role == Role::kTest || !actor.is_function() || !serves_checkpoints(actor.change->latest().qualified_name))
      return false;
    return std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& one) {
      bool found = false;
      if (one.status == StepStatus::kKept || one.node == nullptr) return found;
      python::walk_of<python::Dict>(*one.node, python::Nested::kEnter, [&](const python::Dict* dict) {
        for (std::size_t i = 0; i < dict->keys.size() && i < dict->values.size(); ++i) {
          if (dict->keys[i] != nullptr && is_text(dict->keys[i]) && is_text(dict->values[i]))
            found = found || is_text(dict->keys[i], name) || is_text(dict->values[i], name);
        }
      });
      return found;
    });
  });
}

}  // namespace

void add_checkpoint(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  std::vector<std::string> names;
  std::vector<std::string> state;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.role == Role::kCosmetic || !actor.is_function()) continue;
    const std::string& qualified = actor.change->latest().qualified_name;
    // What only moves, or is a method of a class with another name, writes and reads what it did.
    const auto& differences = actor.change->differences;
    const bool is_as_before = std::all_of(differences.begin(), differences.end(),
                                          [](const change::Difference& one) { return change::is_cosmetic(one.kind); });
    if (!actor.is_added() && !actor.is_removed() && !is_as_before) {
      const program::FunctionId caller = checkpoint_caller(inputs, actor);
      const bool is_by_name = contains(change::last_part(qualified), "checkpoint");
      if (is_by_name && !touches_entries(actor)) continue;
      if (serves_checkpoints(qualified) || edits_given_state(actor) || is_state_hook(inputs, actor)) {
        names.push_back(code(short_name(inputs, *actor.change)));
      } else if (caller.valid() && does_more_than_refuse(actor)) {
        names.push_back(fmt::format("{} (called by {})", code(short_name(inputs, *actor.change)),
                                    code(short_name(*inputs.after, caller))));
      }
    }
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.kind != StepKind::kPlain || actor.steps.after_source == nullptr)
        continue;
      const std::string text = one_line(*actor.steps.after_source, step.span, 200);
      if (registers_passing_buffer(step) || was_registered(actor, step) || is_mapped(story, step)) continue;
      if (contains(text, "register_buffer(") || contains(text, "nn.Parameter(") || contains(text, "Parameter(torch."))
        state.push_back(code(one_line(*actor.steps.after_source, step.span, 60)));
    }
  }
  if (!names.empty()) {
    const std::size_t all = names.size();
    if (all > 4) names.resize(4);
    const std::string asked =
        fmt::format("{}{} changed: do checkpoints written before still load, and the other way round?",
                    join_words(names), all > 4 ? " and others" : "");
    risks.push_back({RiskKind::kCompatibility, asked,
                     "Open: to be read from the keys, shapes and values that both versions write", false, asked});
  }
  if (!state.empty()) {
    if (state.size() > 3) state.resize(3);
    risks.push_back({RiskKind::kCompatibility, fmt::format("New module state: {}.", join_words(state)),
                     state.size() == 1 ? "Its key is missing from checkpoints written before"
                                       : "Their keys are missing from checkpoints written before",
                     false});
  }
}

}  // namespace lockstep::report
