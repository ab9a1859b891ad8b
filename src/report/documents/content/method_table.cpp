#include "report/documents/content/method_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/classes/implementations.h"

namespace lockstep::report {

using program::FunctionId;
using program::Program;

namespace {

constexpr std::string_view kNothing = "\u2014";

/// The method's only statement; empty where it has more, or a long one.
std::string only_statement(const Actor& method) {
  constexpr std::size_t kMost = 60;
  const std::vector<Step>& steps = method.steps.after;
  if (steps.size() != 1 || steps.front().kind != StepKind::kPlain || method.steps.after_source == nullptr) return {};
  const std::string text(method.steps.after_source->slice(steps.front().span));
  return text.size() <= kMost && !contains(text, "\n") ? code(text) : std::string();
}

/// "calls `f`, `self.g`": what the method calls of what the change brings, and of its own class.
std::string calls_words(const DocumentInputs& inputs, const Actor& method) {
  constexpr std::size_t kMost = 4;
  const Program& program = *inputs.after;
  const program::Function& own = program.functions()[method.change->after->function];
  std::vector<std::string> names;
  for (const program::CallId call : own.calls) {
    const auto& targets = program.calls()[call].targets;
    if (targets.size() != 1 || !targets.front().function.valid()) continue;
    const program::Function& callee = program.functions()[targets.front().function];
    const bool is_own = callee.owner.valid() && callee.owner == own.owner;
    if (callee.name.starts_with("<") || (!is_own && inputs.before->find_function(callee.qualified_name).valid()))
      continue;
    const bool makes = callee.name == "__init__" && callee.owner.valid();
    const std::string_view plain =
        makes ? change::last_part(program.classes()[callee.owner].qualified_name) : callee.name;
    std::string name = code(fmt::format("{}{}", is_own ? "self." : "", plain));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  if (names.empty()) return {};
  if (names.size() > kMost) {
    const std::size_t left = names.size() - kMost + 1;
    names.resize(kMost - 1);
    names.push_back(fmt::format("{} more", left));
  }
  return "calls " + join_words(names);
}

/// "sets `self.a` and `self.b`, returns `x`": where it calls nothing that is told.
std::string effect_words(const Actor& method) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kLong = 50;
  std::vector<std::string> attributes;
  std::string returned;
  for (const Step& step : method.steps.after) {
    if (step.kind != StepKind::kPlain) continue;
    if (const auto* result = python::as<python::Return>(step.node); result != nullptr && result->value != nullptr)
      returned = one_line(*method.steps.after_source, *result->value, kLong);
    const auto* assign = python::as<python::Assign>(step.node);
    if (assign == nullptr) continue;
    for (const python::Expr* target : assign->targets) {
      const auto* tuple = python::as<python::Tuple>(target);
      for (const python::Expr* one : tuple == nullptr ? python::Seq<python::Expr>(&target, 1) : tuple->elements) {
        const std::string name = dotted_text(one);
        const bool is_known = std::find(attributes.begin(), attributes.end(), code(name)) != attributes.end();
        if (name.starts_with("self.") && !is_known) attributes.push_back(code(name));
      }
    }
  }
  std::vector<std::string> parts;
  if (attributes.size() > kMost) {
    const std::size_t left = attributes.size() - kMost + 1;
    attributes.resize(kMost - 1);
    attributes.push_back(fmt::format("{} more", left));
  }
  if (!attributes.empty()) parts.push_back("sets " + join_words(attributes));
  if (!returned.empty() && !contains(returned, "\u2026")) parts.push_back("returns " + code(returned));
  return join(parts, ", ");
}

/// What the method says of itself, else what it calls, else what it sets and returns; empty where neither says
/// anything.
std::string purpose_of(const DocumentInputs& inputs, const Actor& method) {
  if (const std::string said = docstring_sentence(method.change->after->node, 110); !said.empty())
    return fmt::format("\u201c{}\u201d", from_backquotes(said));
  if (std::string calls = calls_words(inputs, method); !calls.empty()) return calls;
  if (std::string statement = only_statement(method); !statement.empty()) return statement;
  return method.steps.after_source == nullptr ? std::string() : effect_words(method);
}

std::string callers_words(const Program& program, const std::vector<FunctionId>& callers) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> names;
  for (const FunctionId caller : callers) {
    if (names.size() == kMost && callers.size() > kMost + 1) {
      names.push_back(fmt::format("{} more", callers.size() - kMost));
      break;
    }
    names.push_back(code(short_name(program, caller)));
  }
  return join_words(names);
}

/// Who calls the method, new code too.
std::vector<FunctionId> callers_outside_tests(const Program& program, const Actor& method) {
  std::set<std::uint32_t> found;
  const FunctionId function = method.change->after->function;
  for (const program::CallId call : program.callers_of(function)) {
    const FunctionId caller = program.calls()[call].caller;
    if (caller != function && !program::is_test_path(program.module_of(caller).path)) found.insert(caller.value);
  }
  std::vector<FunctionId> out;
  for (const std::uint32_t one : found) out.emplace_back(one);
  return out;
}

bool is_called(const Program& program, const Actor& method) {
  const FunctionId function = method.change->after->function;
  const auto& calls = program.callers_of(function);
  return std::any_of(calls.begin(), calls.end(),
                     [&](program::CallId call) { return program.calls()[call].caller != function; });
}

/// The first function outside tests, in the files of the change, that names the method on some object and does not call
/// it: `Thread(target=self.storage.remove)`. Invalid for none.
FunctionId handed_on_by(const DocumentInputs& inputs, std::string_view name) {
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId module = inputs.after->find_path(file.file->new_path);
    if (!module.valid() || program::is_test_path(file.file->new_path)) continue;
    const python::Node& tree = inputs.after->modules()[module].facts->tree();
    if (!inputs.after->modules()[module].facts->has_name(name)) continue;
    std::set<const python::Node*> called;
    python::walk_of<python::Call>(tree, python::Nested::kEnter,
                                  [&](const python::Call* call) { called.insert(call->callee); });
    FunctionId found;
    python::walk_of<python::Attribute>(tree, python::Nested::kEnter, [&](const python::Attribute* member) {
      if (found.valid() || member->name.text != name || called.contains(member) ||
          member->context != python::ExprContext::kLoad)
        return;
      found = inputs.after->function_at(module, member->span.begin);
    });
    if (found.valid()) return found;
  }
  return {};
}

}  // namespace

MethodTable method_table(const DocumentInputs& inputs, const Story& story, const Actor& cls, std::size_t most) {
  MethodTable table;
  const std::vector<EnteredMethod> entered = entered_methods(inputs, story.actors, cls);
  std::vector<const Actor*> methods = methods_of(story, *cls.change);
  const auto entry = [&](const Actor* method) {
    return std::find_if(entered.begin(), entered.end(),
                        [&](const EnteredMethod& one) { return one.actor->change == method->change; });
  };
  std::stable_sort(methods.begin(), methods.end(), [&](const Actor* a, const Actor* b) { return entry(a) < entry(b); });
  table.header = {"Method", "Line", "What it is for"};
  if (!entered.empty()) table.header.emplace_back("Called by");
  for (const Actor* method : methods) {
    const std::string purpose = purpose_of(inputs, *method);
    const auto found = entry(method);
    const bool says_nothing = purpose.empty() && found == entered.end();
    if (table.rows.size() == most || (says_nothing && methods.size() > most)) {
      ++table.left;
      continue;
    }
    std::vector<std::string> row = {
        code(method->change->after->qualified_name.substr(cls.change->after->qualified_name.size() + 1)),
        std::to_string(line_of(inputs, *method->change) + 1), purpose.empty() ? std::string(kNothing) : purpose};
    if (!entered.empty()) {
      const std::vector<FunctionId> callers = callers_outside_tests(*inputs.after, *method);
      const FunctionId handing = callers.empty()
                                     ? handed_on_by(inputs, change::last_part(method->change->after->qualified_name))
                                     : FunctionId();
      row.push_back(!callers.empty()  ? callers_words(*inputs.after, callers)
                    : handing.valid() ? fmt::format("handed on by {}", code(short_name(*inputs.after, handing)))
                    : is_called(*inputs.after, *method) ? std::string("tests alone")
                                                        : std::string(kNothing));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace lockstep::report
