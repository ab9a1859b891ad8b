#include "report/documents/content/asked_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The names that the expression asks variables for: `hasattr(x, "name")`; of `self` they are known.
void add_asked(const Expr& condition, std::vector<std::string_view>& out) {
  const auto look = [&](const Expr* part) {
    const auto* call = as<Call>(part);
    const bool asks = call != nullptr && rules::name_of(call->callee) == "hasattr" && call->arguments.size() == 2 &&
                      is<Name>(call->arguments[0]) && rules::name_of(call->arguments[0]) != "self";
    const std::string_view name = asks ? rules::text_of(call->arguments[1]) : std::string_view();
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  look(&condition);
  walk_expressions(condition, Nested::kSkip, look);
}

/// "`A` (`a.py:3`)" of the classes outside tests that define the method.
std::vector<std::string> classes_defining(const program::Program& program, std::string_view method) {
  std::vector<std::string> out;
  for (const program::Class& cls : program.classes()) {
    for (const program::FunctionId one : cls.methods) {
      const program::Function& function = program.functions()[one];
      if (function.name == method && !program::is_test_path(program.module_of(one).path))
        out.push_back(fmt::format("{} ({})", code(cls.name), place_of(program, one)));
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> asked_method_sentences(const DocumentInputs& inputs, const Actor& actor, std::size_t most) {
  constexpr std::size_t kMostClasses = 6;
  std::vector<std::string_view> asked;
  for (const Step& step : actor.steps.after) {
    const auto* branch = step.status == StepStatus::kAdded && !step.is_moved ? as<If>(step.node) : nullptr;
    if (branch != nullptr && step.kind == StepKind::kIf) add_asked(*branch->condition, asked);
  }
  std::vector<std::string> out;
  for (const std::string_view name : asked) {
    const std::vector<std::string> classes = classes_defining(*inputs.after, name);
    if (classes.empty() || classes.size() > kMostClasses || out.size() == most) continue;
    out.push_back(fmt::format("{}, which it asks for, is a method of {}.", code(name), join_words(classes)));
  }
  return out;
}

}  // namespace lockstep::report
