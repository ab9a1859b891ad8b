#include "report/documents/settings/never_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "base/find_text.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/configuration_files.h"
#include "report/source/defaults.h"
#include "report/source/local_values.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// A read of a setting that may not be there.
struct GuardedRead {
  FunctionId function;         ///< In which it stands.
  const Call* call = nullptr;  ///< `getattr(args, "x", False)`.
  std::string_view name;
};

/// `getattr(args, "x", False)`, `bool(…)` of one; none for others.
const Call* read_with_false_default(const Expr* value) {
  const auto* call = as<Call>(value);
  if (call != nullptr && rules::name_of(call->callee) == "bool" && call->arguments.size() == 1)
    call = as<Call>(call->arguments.front());
  const bool is_read = call != nullptr && rules::name_of(call->callee) == "getattr" && call->arguments.size() == 3 &&
                       !rules::text_of(call->arguments[1]).empty();
  if (!is_read) return nullptr;
  const Value otherwise = value_of(call->arguments[2]);
  return otherwise.kind != Value::Kind::kUnknown && !otherwise.truth ? call : nullptr;
}

/// What the part of a condition reads so, itself or by a local of the function or of those around it.
GuardedRead read_behind(const Program& program, FunctionId function, const Expr& part) {
  if (const Call* call = read_with_false_default(&part)) return {function, call, rules::text_of(call->arguments[1])};
  const auto* name = as<Name>(&part);
  if (name == nullptr) return {};
  for (FunctionId at = function; at.valid(); at = program.functions()[at].enclosing) {
    const FunctionDef* def = program.functions()[at].def();
    const Expr* value = def == nullptr ? nullptr : only_value_of(*def, name->id);
    if (value == nullptr) continue;
    const Call* call = read_with_false_default(value);
    return call == nullptr ? GuardedRead() : GuardedRead{at, call, rules::text_of(call->arguments[1])};
  }
  return {};
}

/// The parts that all have to hold.
void for_each_part(const Expr& condition, const auto& visit) {
  const auto* both = as<BoolOp>(&condition);
  if (both == nullptr || both->op != BoolOperator::kAnd) return visit(condition);
  for (const Expr* one : both->values) for_each_part(*one, visit);
}

/// Whether Python code outside tests names it at most once, and no configuration or script does.
bool is_named_once(const DocumentInputs& inputs, std::string_view name) {
  std::size_t count = 0;
  for (const program::Module& module : inputs.after->modules()) {
    if (program::is_test_path(module.path)) continue;
    for (std::size_t at = module.facts->find_name(name); at != std::string_view::npos;
         at = module.facts->find_name(name, at + 1)) {
      if (++count > 1) return false;
    }
  }
  std::string option(name);
  std::replace(option.begin(), option.end(), '_', '-');
  const std::vector<ConfigurationFile> files = configuration_files(inputs.after_files, FilesOf::kOthers);
  return std::none_of(files.begin(), files.end(), [&](const ConfigurationFile& file) {
    return find_name(file.text, name) != std::string_view::npos ||
           find_text(file.text, option) != std::string_view::npos;
  });
}

}  // namespace

void add_never_set(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  std::map<std::string_view, std::pair<GuardedRead, const Actor*>> found;
  for (const Actor& actor : story.actors) {
    const auto& now = actor.change->after;
    if (actor.role == Role::kTest || !actor.is_function() || !now || !now->function.valid() || now->node == nullptr)
      continue;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.is_moved || step.kind != StepKind::kPlain) continue;
      for (const Guard& guard : guards_of(*now->node, step.span)) {
        if (guard.condition == nullptr || guard.negated) continue;
        for_each_part(*guard.condition, [&](const Expr& part) {
          const GuardedRead read = read_behind(*inputs.after, now->function, part);
          if (read.call != nullptr) found.try_emplace(read.name, read, &actor);
        });
      }
    }
  }
  for (const auto& [name, read] : found) {
    if (!is_named_once(inputs, name)) continue;
    const auto& [where, actor] = read;
    const SourceText& source = source_of(*inputs.after, where.function);
    risks.push_back(
        {RiskKind::kCorrectness,
         fmt::format("Part of what changes in {} runs only where {} is set (read by {}, {}), and no other Python code "
                     "outside tests, configuration or script of the repository names it.",
                     code(short_name(inputs, *actor->change)), code(name), code(one_line(source, *where.call, 70)),
                     place_of(*inputs.after, inputs.after->functions()[where.function].module, where.call->span)),
         "Who sets it?", false});
  }
}

}  // namespace lockstep::report
