#include "report/documents/settings/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

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

/// Whether a condition around the read asks for the variable: `if "X" in os.environ: …`.
bool is_asked_before(const Node& function, const Read& read) {
  const std::vector<Guard> guards = guards_of(function, read.node->span);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    bool found = false;
    if (guard.condition != nullptr) {
      walk_of<Constant>(*guard.condition, Nested::kEnter,
                        [&](const Constant* one) { found = found || one->text == read.name; });
    }
    return found;
  });
}

/// Whether code of the old version outside tests names the variable.
bool was_named(const program::Program& before, std::string_view name) {
  return std::any_of(before.modules().begin(), before.modules().end(), [&](const program::Module& module) {
    return !program::is_test_path(module.path) && module.facts->has_name(name);
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
  std::size_t told = 0;
  std::size_t more = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.steps.after_source == nullptr || !actor.change->after) continue;
    const SourceText& source = *actor.steps.after_source;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept) continue;
      for_each_read(*step.node, [&](const Read& one) {
        if (!step.span.contains(one.node->span) || !known.emplace(one.name).second) return;
        if (told == kMost) {
          ++more;
          return;
        }
        ++told;
        const bool is_asked = one.is_required && is_asked_before(*actor.change->after->node, one);
        const std::string unset =
            is_asked ? std::string(", where it is set")
            : one.is_required
                ? std::string(", which has to be set")
                : fmt::format(", which gives {} where it is not set",
                              code(one.otherwise == nullptr ? "None" : one_line(source, *one.otherwise, 40)));
        risks.push_back(
            {RiskKind::kCompatibility,
             fmt::format("{} reads the environment variable {} now ({}){}.", code(short_name(inputs, *actor.change)),
                         code(one.name), place(actor.change->after->path, source.line_of(one.node->span.begin)), unset),
             was_named(*inputs.before, one.name) ? "Other code named it before: what it is set to decides there, too"
                                                 : "No parser lists it: what it is set to decides there now",
             false});
      });
    }
  }
  if (more == 0) return;
  risks.push_back(
      {RiskKind::kCompatibility,
       fmt::format("{} read anew.", count_of(more, "more environment variable is", "more environment variables are")),
       "No parser lists them: what they are set to decides there now", false});
}

}  // namespace lockstep::report
