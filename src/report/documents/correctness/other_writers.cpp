#include "report/documents/correctness/other_writers.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/story.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostPlaces = 3;
constexpr std::size_t kMostQuestions = 2;

/// `param.flag` of `param.flag = value`, where the object is a variable other than `self`; null for others.
const Attribute* foreign_target(const Node* statement) {
  const Expr* target = nullptr;
  if (assigned_value(statement, target) == nullptr) return nullptr;
  const auto* attribute = as<Attribute>(target);
  const auto* object = attribute == nullptr ? nullptr : as<Name>(attribute->value);
  return object == nullptr || object->id == "self" || object->id == "cls" ? nullptr : attribute;
}

/// The constant that the statement sets an attribute of that name to, as it is written; empty for others.
std::string constant_set(const Node* statement, std::string_view name, const SourceText& source) {
  const Attribute* attribute = foreign_target(statement);
  const Expr* target = nullptr;
  const Expr* value = assigned_value(statement, target);
  return attribute != nullptr && attribute->name.text == name && is<Constant>(value) ? one_line_whole(source, *value)
                                                                                     : std::string();
}

/// Places outside tests and outside the changed lines that set the attribute to the constant.
std::vector<std::string> places_that_set(const DocumentInputs& inputs, std::string_view name,
                                         const std::string& constant) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < inputs.after->modules().size(); ++i) {
    const program::Module& module = inputs.after->modules()[program::ModuleId(i)];
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    const SourceText& source = module.facts->source();
    walk_of<Assign>(module.facts->tree(), Nested::kEnter, [&](const Assign* one) {
      const std::uint32_t line = source.line_of(one->span.begin);
      if (constant_set(one, name, source) == constant && !inputs.change->touches_after(module.path, line))
        out.push_back(place(module.path, line));
    });
  }
  return out;
}

}  // namespace

void add_other_writers(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  std::set<std::string> told;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed()) continue;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.kind != StepKind::kPlain || step.partner == Step::kNone) continue;
      const Attribute* now = foreign_target(step.node);
      if (now == nullptr || told.size() == kMostQuestions) continue;
      const std::string name(now->name.text);
      const Node* before = actor.steps.before[step.partner].node;
      const std::string was = constant_set(before, name, *actor.steps.before_source);
      if (was.empty() || was == "None" || was == constant_set(step.node, name, *actor.steps.after_source)) continue;
      std::vector<std::string> places = places_that_set(inputs, name, was);
      if (places.empty() || places.size() > kMostPlaces || !told.insert(name).second) continue;
      risks.push_back({RiskKind::kCorrectness,
                       fmt::format("{} is still set to {} at {}, as {} set it before the change.", code(name),
                                   code(was), join_words(places), code(short_name(inputs, *actor.change))),
                       "Is it right there?", false});
    }
  }
}

}  // namespace lockstep::report
