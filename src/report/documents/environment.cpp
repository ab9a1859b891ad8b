#include "report/documents/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A read of an environment variable by a name that stands in the code.
struct Read {
  std::string_view name;
  const Node* node = nullptr;
  const Expr* otherwise = nullptr;  ///< What is given where it is not set; null for `None` and an error.
  bool is_required = false;         ///< `os.environ["X"]`: an error where it is not set.
};

bool is_environment(const Expr* expression) {
  const std::string text = dotted_text(expression);
  return text == "os.environ" || text == "environ";
}

void for_each_read(const Node& code, const std::function<void(const Read&)>& visit) {
  const auto look = [&](const Node* node) {
    if (const auto* call = as<Call>(node); call != nullptr && !call->arguments.empty()) {
      const auto* member = as<Attribute>(call->callee);
      const bool is_get = member != nullptr && member->name.text == "get" && is_environment(member->value);
      const std::string callee = dotted_text(call->callee);
      const std::string_view name = rules::text_of(call->arguments[0]);
      if ((is_get || callee == "os.getenv" || callee == "getenv") && !name.empty())
        visit({name, call, call->arguments.size() > 1 ? call->arguments[1] : nullptr, false});
    }
    const auto* element = as<Subscript>(node);
    if (element != nullptr && element->context == ExprContext::kLoad && is_environment(element->value)) {
      if (const std::string_view name = rules::text_of(element->index); !name.empty())
        visit({name, element, nullptr, true});
    }
  };
  look(&code);
  walk(code, Nested::kEnter, look);
}

/// Whether code of the old version outside tests names the variable.
bool was_named(const program::Program& before, std::string_view name) {
  return std::any_of(before.modules().begin(), before.modules().end(), [&](const program::Module& module) {
    return !program::is_test_path(module.path) &&
           find_text(module.facts->source().bytes(), name) != std::string_view::npos;
  });
}

}  // namespace

void add_environment(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  std::set<std::string, std::less<>> known;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest) continue;
    for (const Step& step : actor.steps.before)
      for_each_read(*step.node, [&](const Read& one) { known.emplace(one.name); });
  }
  std::vector<std::string> told;
  std::size_t more = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.steps.after_source == nullptr || !actor.change->after) continue;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept) continue;
      for_each_read(*step.node, [&](const Read& one) {
        if (!step.span.contains(one.node->span) || !known.emplace(one.name).second) return;
        if (told.size() == kMost) {
          ++more;
          return;
        }
        const SourceText& source = *actor.steps.after_source;
        const std::string unset = one.is_required ? std::string("required")
                                  : one.otherwise == nullptr
                                      ? code("None") + " where it is not set"
                                      : code(one_line(source, *one.otherwise, 40)) + " where it is not set";
        told.push_back(fmt::format("{} ({}, in {}, {}{})", code(one.name), unset,
                                   code(short_name(inputs, *actor.change)),
                                   place(actor.change->after->path, source.line_of(one.node->span.begin)),
                                   was_named(*inputs.before, one.name) ? "; other code named it before" : ""));
      });
    }
  }
  if (told.empty()) return;
  if (more > 0) told.push_back(fmt::format("{} more", more));
  risks.push_back({RiskKind::kCompatibility,
                   fmt::format("Environment variables that are read anew: {}.", join_words(told)),
                   "No parser lists them: what they are set to decides there now", false});
}

}  // namespace lockstep::report
