#include "report/documents/settings/kept_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ModuleId;

namespace {

constexpr std::size_t kMostPlaces = 3;  ///< What more declare is no one thing.

/// What a name gets where nothing gives it a value.
struct AlteredDefault {
  std::string_view name;
  std::string was;      ///< Without layout, in the version before.
  std::string shown;    ///< The same, as it is written.
  std::string now;      ///< As it is written.
  std::string_view of;  ///< The path of the file.
};

const Expr* default_of(const Node* node, std::string_view name) {
  if (const auto* function = as<FunctionDef>(node)) {
    const Parameter* parameter = rules::parameter_named(function, name);
    return parameter == nullptr ? nullptr : parameter->default_value;
  }
  const auto* field = as<AnnAssign>(node);
  return field == nullptr ? nullptr : field->value;
}

std::vector<AlteredDefault> altered_defaults(const DocumentInputs& inputs, const Story& story) {
  std::vector<AlteredDefault> out;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (actor.role == Role::kTest || !entity.before || !entity.after) continue;
    std::vector<std::string_view> names;
    if (entity.kind == change::EntityKind::kField) names.push_back(change::last_part(entity.after->qualified_name));
    for (const change::Difference& one : entity.differences) {
      if (one.kind == change::DifferenceKind::kDefaultChanged) names.push_back(one.name);
    }
    const ModuleId before = inputs.before->find_path(entity.before->path);
    const ModuleId after = inputs.after->find_path(entity.after->path);
    if (!before.valid() || !after.valid()) continue;
    const SourceText& before_source = inputs.before->modules()[before].facts->source();
    const SourceText& after_source = inputs.after->modules()[after].facts->source();
    for (const std::string_view name : names) {
      const Expr* was = default_of(entity.before->node, name);
      const Expr* now = default_of(entity.after->node, name);
      if (was == nullptr || now == nullptr || rules::is_none(was) || !contains(name, "_")) continue;
      // What takes values of another kind now is another parameter.
      if (value_of(was).kind != value_of(now).kind) continue;
      std::string text = without_layout(before_source, was->span);
      if (text == without_layout(after_source, now->span)) continue;
      out.push_back({name, std::move(text), one_line(before_source, *was, 60), one_line(after_source, *now, 60),
                     entity.after->path});
    }
  }
  return out;
}

/// Where parameters and fields of the name still have the default, on lines that the change leaves alone.
std::vector<std::string> places_of(const DocumentInputs& inputs, const AlteredDefault& altered) {
  std::vector<std::string> out;
  const auto add = [&](const program::Module& module, const std::string& of, const Node& at) {
    const std::uint32_t line = module.facts->source().line_of(at.span.begin);
    if (!inputs.change->touches_after(module.path, line))
      out.push_back(fmt::format("{} ({})", code(of), place(module.path, line)));
  };
  for (std::size_t i = 0; i < inputs.after->modules().size() && out.size() <= kMostPlaces; ++i) {
    const program::Module& module = inputs.after->modules()[ModuleId(i)];
    const bool is_aside = program::is_helper_path(module.path) && !program::is_helper_path(altered.of);
    if (program::is_test_path(module.path) || is_aside || !module.facts->has_name(altered.name)) continue;
    const SourceText& source = module.facts->source();
    const auto is_kept = [&](const Expr* value) {
      return value != nullptr && without_layout(source, value->span) == altered.was;
    };
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto* function = as<FunctionDef>(node);
      const Parameter* parameter = function == nullptr ? nullptr : rules::parameter_named(function, altered.name);
      if (parameter != nullptr && is_kept(parameter->default_value)) {
        const program::FunctionId id = inputs.after->function_at(ModuleId(i), function->name.span.end + 1);
        add(module, id.valid() ? short_name(*inputs.after, id) : std::string(function->name.text), *parameter);
      }
      const auto* cls = as<ClassDef>(node);
      if (cls == nullptr) return;
      for (const Stmt* statement : cls->body) {
        const auto* field = as<AnnAssign>(statement);
        if (field != nullptr && rules::name_of(field->target) == altered.name && is_kept(field->value))
          add(module, fmt::format("{}.{}", cls->name.text, altered.name), *field);
      }
    });
  }
  return out;
}

}  // namespace

void add_kept_defaults(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostQuestions = 2;
  std::set<std::string> told;
  for (const AlteredDefault& altered : altered_defaults(inputs, story)) {
    if (told.size() == kMostQuestions) return;
    const std::vector<std::string> places = places_of(inputs, altered);
    if (places.empty() || places.size() > kMostPlaces) continue;
    const bool is_one = places.size() == 1;
    std::string concern = fmt::format("{} has the default {} now; {} {} to {}.", code(altered.name), code(altered.now),
                                      join_words(places), is_one ? "keeps" : "keep", code(altered.shown));
    if (!told.insert(concern).second) continue;
    const std::string asked = is_one ? "Is it meant to differ?" : "Are they meant to differ?";
    risks.push_back({RiskKind::kCompatibility, concern, asked, false, concern + " " + asked});
  }
}

}  // namespace lockstep::report
