#include "report/story/classes/successors.h"

#include <map>
#include <set>
#include <string>

#include "python/tree_walk.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;
using program::Program;

namespace {

/// Names that the calls of a step name, the last part of each.
std::set<std::string_view> called_in(const Step& step) {
  std::set<std::string_view> out;
  const auto look = [&](const Node* node) {
    const auto* call = as<Call>(node);
    if (call != nullptr && step.span.contains(call->span)) out.insert(callee_name(*call));
  };
  look(step.node);
  walk(*step.node, Nested::kSkip, look);
  out.erase(std::string_view());
  return out;
}

std::string_view parent_of(std::string_view qualified) { return qualified.substr(0, qualified.rfind('.')); }
std::string_view last_of(std::string_view qualified) { return qualified.substr(qualified.rfind('.') + 1); }

/// The one value of `found`; null where there is none or several.
template <class Value>
Value only(const std::set<Value>& found) {
  return found.size() == 1 ? *found.begin() : Value();
}

}  // namespace

void mark_successors(std::vector<Actor>& actors) {
  std::map<std::string_view, std::set<Actor*>> added;
  std::map<std::string_view, std::set<Actor*>> removed;
  for (Actor& actor : actors) {
    if (!actor.is_function() || actor.role == Role::kTest) continue;
    const std::string_view name = last_of(actor.change->latest().qualified_name);
    if (actor.is_added()) added[name].insert(&actor);
    if (actor.is_removed()) removed[name].insert(&actor);
  }
  if (added.empty() || removed.empty()) return;
  std::map<Actor*, std::set<Actor*>> successors;
  std::map<Actor*, std::set<Actor*>> predecessors;
  for (const Actor& actor : actors) {
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || step.kind == StepKind::kElse) continue;
      const std::set<std::string_view> was = called_in(actor.steps.before[step.partner]);
      const std::set<std::string_view> now = called_in(step);
      for (const std::string_view old_name : was) {
        const auto gone = removed.find(old_name);
        if (gone == removed.end() || now.contains(old_name)) continue;
        for (const std::string_view new_name : now) {
          const auto come = added.find(new_name);
          if (come == added.end() || was.contains(new_name)) continue;
          Actor* const from = only(gone->second);
          Actor* const to = only(come->second);
          if (from == nullptr || to == nullptr ||
              parent_of(from->change->before->qualified_name) != parent_of(to->change->after->qualified_name))
            continue;
          successors[from].insert(to);
          predecessors[to].insert(from);
        }
      }
    }
  }
  for (const auto& [to, all] : predecessors) {
    Actor* const from = only(all);
    if (from != nullptr && only(successors[from]) == to) to->successor_of = from->change;
  }
}

namespace {

bool is_definition(const program::Reference& to, const change::EntitySide& side) {
  return to.kind == program::Reference::Kind::kClass      ? to.cls == side.cls
         : to.kind == program::Reference::Kind::kFunction ? to.function == side.function
                                                          : false;
}

/// "other.package.name" of a definition of its module's top level that one side alone has: what modules that hold or
/// import it there import under its name on the other side.
std::string imported_elsewhere(const Program& own, const Program& other, const change::EntitySide& side) {
  const std::string_view name = last_of(side.qualified_name);
  const auto import_in = [&](const program::Module& module) -> const ImportedName* {
    for (const ImportedName& one : module.facts->imports) {
      if (one.name == name && one.bound_as == name) return &one;
    }
    return nullptr;
  };
  for (const program::Module& there : other.modules()) {
    const ImportedName* imported = import_in(there);
    if (imported == nullptr || imported->level != 0 || imported->module.empty()) continue;
    const program::ModuleId here = own.find_path(there.path);
    if (!here.valid()) continue;
    const ImportedName* from_home = import_in(own.modules()[here]);
    if (from_home != nullptr && from_home->module == imported->module && from_home->level == imported->level) continue;
    std::string found = std::string(imported->module) + "." + std::string(name);
    if (found == side.qualified_name) continue;  // The same place, written in full.
    const bool is_home = there.path == side.path && from_home == nullptr;
    if (is_home || (from_home != nullptr && is_definition(own.resolve(here, name), side))) return found;
  }
  return {};
}

bool is_at_top_level(const change::EntityChange& entity) {
  return entity.kind != change::EntityKind::kMethod && entity.kind != change::EntityKind::kField &&
         entity.kind != change::EntityKind::kModule;
}

}  // namespace

std::string imported_instead(const DocumentInputs& inputs, const change::EntityChange& removed) {
  if (removed.status != change::Status::kRemoved || !is_at_top_level(removed)) return {};
  return imported_elsewhere(*inputs.before, *inputs.after, *removed.before);
}

std::string imported_before(const DocumentInputs& inputs, const change::EntityChange& added) {
  if (added.status != change::Status::kAdded || !is_at_top_level(added)) return {};
  return imported_elsewhere(*inputs.after, *inputs.before, *added.after);
}

std::size_t only_removed(const DocumentInputs& inputs, const std::vector<Actor>& actors) {
  constexpr std::size_t kMostNames = 40;  // Each is sought in all files.
  std::set<std::string_view> names;
  std::size_t count = 0;
  for (const Actor& actor : actors) {
    const change::EntityChange& entity = *actor.change;
    const bool only_loses_imports =
        actor.is_bare_module() &&
        std::all_of(entity.differences.begin(), entity.differences.end(), [](const auto& one) {
          return one.kind == change::DifferenceKind::kImportRemoved || change::is_cosmetic(one.kind);
        });
    if (entity.is_cosmetic() || (only_loses_imports && !actor.is_added())) continue;
    if (!actor.is_removed() || actor.role == Role::kTest) return 0;
    names.insert(last_of(entity.before->qualified_name));
    ++count;
  }
  if (names.empty() || names.size() > kMostNames) return 0;
  for (const program::Module& module : inputs.after->modules()) {
    for (const std::string_view name : names) {
      if (module.facts->has_name(name)) return 0;
    }
  }
  return count;
}

}  // namespace lockstep::report
