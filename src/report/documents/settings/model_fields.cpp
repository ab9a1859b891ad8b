#include "report/documents/settings/model_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/compatibility/removed.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;

namespace {

using Names = std::vector<std::string>;

bool is_model(const program::Program& program, ClassId id) {
  const program::Class& cls = program.classes()[id];
  return !cls.is_dataclass && !cls.enclosing.valid() &&
         (program.derives_from(id, "pydantic.BaseModel") || program.derives_from(id, "pydantic.main.BaseModel"));
}

/// Whether a constructor of its own, or a validator that runs before the fields are looked at, may give what is
/// missing.
bool may_fill_in(const program::Program& program, ClassId id) {
  return std::any_of(
      program.classes()[id].linearized.begin(), program.classes()[id].linearized.end(), [&](ClassId base) {
        const program::Class& cls = program.classes()[base];
        return std::any_of(cls.methods.begin(), cls.methods.end(), [&](program::FunctionId method) {
          const FunctionDef* def = program.functions()[method].def();
          return program.functions()[method].name == "__init__" || program.functions()[method].name == "__new__" ||
                 (def != nullptr && std::any_of(def->decorators.begin(), def->decorators.end(), [](const Expr* one) {
                    const std::string_view name = rules::last_part_of(one);
                    return name == "model_validator" || name == "root_validator";
                  }));
        });
      });
}

/// Whether pydantic takes the field for optional in one of its versions, or for no field.
bool may_be_left_out(const Expr& annotation, const SourceText& source) {
  constexpr std::string_view kWords[] = {"Optional", "None", "Any", "ClassVar", "Annotated", "InitVar", "Field"};
  const std::string_view text = source.slice(annotation.span);
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// A field that the change adds, without a default, to a model that was there before.
bool is_demanded(const DocumentInputs& inputs, const Actor& actor) {
  const change::EntityChange& entity = *actor.change;
  if (entity.kind != change::EntityKind::kField || !actor.is_added() || actor.role == Role::kTest ||
      !is_public(entity) || !entity.after->cls.valid())
    return false;
  const auto* declared = as<AnnAssign>(entity.after->node);
  const program::Program& program = *inputs.after;
  const ClassId cls = entity.after->cls;
  if (declared == nullptr || declared->value != nullptr || !is_model(program, cls) || may_fill_in(program, cls) ||
      may_be_left_out(*declared->annotation, program.module_of(cls).facts->source()))
    return false;
  const ClassId was = inputs.before->find_class(program.classes()[cls].qualified_name);
  return was.valid() && is_model(*inputs.before, was) &&
         inputs.before->find_field(was, change::last_part(entity.after->qualified_name)) == nullptr;
}

/// Places outside tests that make an object by the name of the class.
struct Makers {
  std::size_t all = 0;
  std::vector<std::string> lacking;  ///< Those that surely leave one of the fields out.
  bool is_known = true;              ///< False where one hands on `**options`.
};

void add_makers(const program::Program& program, ClassId id, const Names& fields, Makers& makers) {
  const program::Class& cls = program.classes()[id];
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId module_id(i);
    const program::Module& module = program.modules()[module_id];
    if (program::is_test_path(module.path) || !module.facts->has_name(cls.name)) continue;
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
      if (rules::last_part_of(call->callee) != cls.name) return;
      const program::FunctionId maker = program.function_at(module_id, call->span.begin);
      const program::Reference made = program.resolve(maker.valid() ? maker : module.body, *call->callee);
      if (made.kind != program::Reference::Kind::kClass || made.cls != id) return;
      ++makers.all;
      if (rules::has_spread_keywords(*call)) {
        makers.is_known = false;
      } else if (!std::all_of(fields.begin(), fields.end(), [&](const std::string& field) {
                   return rules::keyword_value(*call, field) != nullptr;
                 })) {
        makers.lacking.push_back(place_of(program, module_id, call->span));
      }
    });
  }
}

std::string makers_words(const Makers& makers) {
  constexpr std::size_t kMostNamed = 3;
  if (!makers.lacking.empty()) {
    std::vector<std::string> named = makers.lacking;
    if (named.size() > kMostNamed + 1) named.resize(kMostNamed);
    if (named.size() < makers.lacking.size())
      named.push_back(fmt::format("{} more places", makers.lacking.size() - named.size()));
    return fmt::format("{} still {} that", join_words(named), makers.lacking.size() == 1 ? "does" : "do");
  }
  if (makers.all == 0 || !makers.is_known) return "Whoever makes one has to give it";
  return makers.all == 1 ? std::string("The one place outside tests that makes one by its name gives it")
                         : fmt::format("All {} places outside tests that make one by its name give it", makers.all);
}

}  // namespace

void add_model_fields(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  constexpr std::size_t kMostFields = 5;
  std::vector<std::pair<ClassId, Names>> grown;
  for (const change::EntityChange& entity : inputs.change->entities) {
    const auto actor =
        std::find_if(story.actors.begin(), story.actors.end(), [&](const Actor& one) { return one.change == &entity; });
    if (actor == story.actors.end() || !is_demanded(inputs, *actor)) continue;
    const ClassId cls = entity.after->cls;
    auto known = std::find_if(grown.begin(), grown.end(), [&](const auto& one) { return one.first == cls; });
    if (known == grown.end()) known = grown.insert(known, {cls, {}});
    known->second.emplace_back(change::last_part(entity.after->qualified_name));
  }
  std::vector<std::pair<Names, std::vector<ClassId>>> alike;
  for (const auto& [cls, names] : grown) {
    auto known = std::find_if(alike.begin(), alike.end(), [&](const auto& one) { return one.first == names; });
    if (known == alike.end()) known = alike.insert(known, {names, {}});
    known->second.push_back(cls);
  }
  if (alike.size() > kMost) alike.resize(kMost);
  for (const auto& [fields, classes] : alike) {
    Makers makers;
    std::vector<std::string> models;
    for (const ClassId cls : classes) {
      add_makers(*inputs.after, cls, fields, makers);
      models.push_back(code(short_name(*inputs.after, cls)));
    }
    if (models.size() > kMost) {
      models.resize(kMost);
      models.push_back(fmt::format("{} more", classes.size() - kMost));
    }
    std::vector<std::string> shown;
    for (const std::string& field : fields) shown.push_back(code(field));
    if (shown.size() > kMostFields) shown.resize(kMostFields - 1);
    if (shown.size() < fields.size()) shown.push_back(fmt::format("{} more", fields.size() - shown.size()));
    const bool is_one = classes.size() == 1;
    risks.push_back(
        {RiskKind::kCompatibility,
         fmt::format("The pydantic {} {} {} the new {} without a default: to make one without, or to read "
                     "one from data that lacks it, fails validation.",
                     is_one ? "model" : "models", join_words(models), is_one ? "takes" : "take", join_words(shown)),
         makers_words(makers), false});
  }
}

}  // namespace lockstep::report
