#include "report/documents/correctness/unread_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ModuleId;
using program::Program;

namespace {

constexpr std::size_t kMost = 3;

/// The statement at the top level of the module that sets the variable first; null for names that it does not set.
const Stmt* setting_of(const program::Module& module, std::string_view name) {
  for (const Stmt* statement : module.facts->tree().body) {
    const Expr* target = nullptr;
    if (assigned_value(statement, target) != nullptr && rules::name_of(target) == name && is<Name>(target))
      return statement;
  }
  return nullptr;
}

/// How the code of a module speaks of a name.
struct Mentions {
  bool is_set = false;   ///< As a variable of its own.
  bool is_read = false;  ///< As a variable.
  bool is_member = false;
  bool is_text = false;  ///< In a string.
};

Mentions mentions_of(const program::Module& module, std::string_view name) {
  Mentions out;
  walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
    const auto* bare = as<Name>(node);
    const auto* member = as<Attribute>(node);
    const auto* text = as<Constant>(node);
    if (bare != nullptr && bare->id == name) (bare->context == ExprContext::kStore ? out.is_set : out.is_read) = true;
    out.is_member = out.is_member || (member != nullptr && member->name.text == name);
    out.is_text =
        out.is_text || (text != nullptr && text->constant_kind == ConstantKind::kStr && contains(text->text, name));
  });
  return out;
}

/// Whether the module has a variable of that name which can be no other module's.
bool has_its_own(const program::Module& module, std::string_view name) {
  const auto& imports = module.facts->imports;
  const bool may_come_in = std::any_of(imports.begin(), imports.end(), [&](const ImportedName& one) {
    return one.name == name || one.bound_as == name || one.name == "*";
  });
  const Mentions mentions = may_come_in ? Mentions() : mentions_of(module, name);
  return mentions.is_set && !mentions.is_member && !mentions.is_text;
}

/// Whether nothing but statements that set it, and `global`, names the variable, anywhere; variables of other modules
/// may have its name.
bool is_unread(const Program& program, ModuleId home, std::string_view name) {
  const Mentions own = mentions_of(program.modules()[home], name);
  if (own.is_read || own.is_member || own.is_text) return false;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[ModuleId(i)];
    if (ModuleId(i) != home && module.facts->has_name(name) && !has_its_own(module, name)) return false;
  }
  return true;
}

/// The import at the top level of the module that binds the name and that nothing in it reads; null for others, for
/// packages, whose imports are for others, for imports in a `try` or for types alone, and where another module takes it
/// from here.
const ImportedName* unused_import(const Program& program, ModuleId home, std::string_view name) {
  const program::Module& module = program.modules()[home];
  if (module.path.ends_with("__init__.py")) return nullptr;
  const ImportedName* found = nullptr;
  for (const ImportedName& one : module.facts->imports) {
    if (one.bound_as != name) continue;
    if (found != nullptr || one.scope.value != 0 || one.in_try || one.in_type_checking) return nullptr;
    found = &one;
  }
  if (found == nullptr) return nullptr;
  const Mentions own = mentions_of(module, name);
  if (own.is_read || own.is_set || own.is_text) return nullptr;
  const std::string_view line = module.facts->source().line(module.facts->source().line_of(found->span.begin));
  if (contains(line, "noqa")) return nullptr;
  const std::string_view last = change::last_part(module.name);
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    for (const ImportedName& one : program.modules()[ModuleId(i)].facts->imports) {
      const bool is_from_here = one.module.ends_with(last) && (one.name == name || one.name == "*");
      if (is_from_here && ModuleId(i) != home) return nullptr;
    }
  }
  return found;
}

bool is_counted(std::string_view name) { return name.size() > 2 && !name.starts_with("__"); }

/// Names that steps which go or change read.
std::set<std::string_view> names_let_go(const Actor& actor) {
  std::set<std::string_view> out;
  for (const Step& step : actor.steps.before) {
    if (step.status == StepStatus::kKept) continue;
    walk_of<Name>(*step.node, Nested::kEnter, [&](const Name* name) {
      if (step.span.contains(name->span) && name->context == ExprContext::kLoad && is_counted(name->id))
        out.insert(name->id);
    });
  }
  return out;
}

}  // namespace

std::vector<std::string> unread_variables(const DocumentInputs& inputs, const Story& story) {
  std::vector<std::string> fresh;
  std::vector<std::string> left;
  std::vector<std::string> imports;
  std::set<std::pair<std::uint32_t, std::string_view>> seen;
  std::set<std::pair<std::uint32_t, std::string_view>> seen_imports;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (actor.role == Role::kTest || !entity.after) continue;
    const ModuleId module = inputs.after->find_path(entity.after->path);
    if (!module.valid()) continue;
    if (entity.kind == change::EntityKind::kVariable && actor.is_added()) {
      const std::string_view name = change::last_part(entity.after->qualified_name);
      if (is_counted(name) && seen.insert({module.value, name}).second && is_unread(*inputs.after, module, name))
        fresh.push_back(code(name));
    }
    if (!actor.is_function() || actor.is_added() || !entity.before) continue;
    for (const std::string_view name : names_let_go(actor)) {
      const ImportedName* import =
          seen_imports.insert({module.value, name}).second ? unused_import(*inputs.after, module, name) : nullptr;
      if (import != nullptr && imports.size() < kMost)
        imports.push_back(fmt::format(
            "{} ({})", code(name),
            place(entity.after->path, inputs.after->modules()[module].facts->source().line_of(import->span.begin))));
      const Stmt* setting = setting_of(inputs.after->modules()[module], name);
      if (setting == nullptr || left.size() == kMost || !seen.insert({module.value, name}).second ||
          !is_unread(*inputs.after, module, name))
        continue;
      left.push_back(fmt::format(
          "{} ({})", code(name),
          place(entity.after->path, inputs.after->modules()[module].facts->source().line_of(setting->span.begin))));
    }
  }
  std::vector<std::string> out;
  if (fresh.size() > kMost) fresh.resize(kMost);
  if (!fresh.empty())
    out.push_back(fmt::format("No Python code of the repository reads the new {}.", join_words(fresh, "or")));
  if (!left.empty())
    out.push_back(fmt::format("No Python code of the repository reads {} any more; what sets {} stays.",
                              join_words(left, "or"), left.size() == 1 ? "it" : "them"));
  if (!imports.empty())
    out.push_back(fmt::format("What is imported as {} is used there no longer.", join_words(imports)));
  return out;
}

}  // namespace lockstep::report
