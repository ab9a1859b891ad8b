#include "report/story/calls/use.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/computed_imports.h"
#include "report/source/registration.h"
#include "rules/names/mentions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::EntityChange;
using change::EntityKind;
using program::FunctionId;
using program::ModuleId;
using program::Program;

namespace {

/// Python, torch and libraries call these by themselves.
bool is_called_by_itself(std::string_view name) {
  return name.starts_with("__") || name == "main" || name == "forward" || name == "backward";
}

/// A new function or class of module level whose every use names it.
bool is_known_by_name(const Program& program, const Registration& registration, const EntityChange& entity) {
  if (entity.status != change::Status::kAdded || !entity.after || entity.after->node == nullptr) return false;
  if (entity.kind != EntityKind::kFunction && entity.kind != EntityKind::kClass) return false;
  const ModuleId module = program.find_path(entity.after->path);
  if (!module.valid() || program::is_test_path(entity.after->path)) return false;
  const std::string_view name = change::last_part(entity.after->qualified_name);
  const std::string& prefix = program.modules()[module].name;
  const bool is_outer = entity.after->qualified_name.size() == prefix.size() + 1 + name.size();
  if (!is_outer || is_called_by_itself(name)) return false;
  if (registration.is_handed_on(module, *entity.after->node)) return false;
  return entity.kind == EntityKind::kFunction ||
         (entity.after->cls.valid() && !registration.is_collected(entity.after->cls));
}

/// A function that can be called with nothing: where modules are loaded by names that are worked out, a command line
/// may name it (`--config NAME`).
bool takes_nothing(const EntityChange& entity) {
  const auto* def = as<FunctionDef>(entity.after->node);
  return def != nullptr && std::all_of(def->parameters->all.begin(), def->parameters->all.end(),
                                       [](const Parameter* one) { return one->default_value != nullptr; });
}

/// Whether code outside tests loads modules by names that are worked out.
bool loads_by_computed_names(const Program& program) {
  const std::vector<bool> modules = modules_with_computed_imports(program);
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (modules[i] && !program::is_test_path(program.modules()[ModuleId(i)].path)) return true;
  }
  return false;
}

using Visit = std::function<void(std::string_view name, Span span)>;

void mention_all(const Node& node, const Visit& visit) {
  const auto look = [&](const Node* each) {
    if (const auto* name = as<Name>(each)) visit(name->id, name->span);
    if (const auto* attribute = as<Attribute>(each)) visit(attribute->name.text, attribute->span);
    if (const auto* alias = as<Alias>(each)) visit(change::last_part(alias->name.text), alias->span);
    if (const auto* text = as<Constant>(each); text != nullptr && text->constant_kind == ConstantKind::kStr)
      rules::for_each_name_in_text(text->text, [&](std::string_view name) { visit(name, text->span); });
  };
  look(&node);
  walk(node, Nested::kEnter, look);
}

/// What a module names, but what it only imports or lists for others to import.
void mentions_of(Seq<Stmt> statements, const Visit& visit) {
  for (const Stmt* statement : statements) {
    if (is<Import>(statement) || is<ImportFrom>(statement)) continue;
    const auto* assign = as<Assign>(statement);
    const auto* grown = as<AugAssign>(statement);
    const Expr* target = assign != nullptr ? assign->targets.front() : grown != nullptr ? grown->target : nullptr;
    if (target != nullptr && rules::name_of(target) == "__all__") continue;
    if (const auto* branch = as<If>(statement)) mention_all(*branch->condition, visit);
    if (const auto* with = as<With>(statement)) {
      for (const WithItem* item : with->items) mention_all(*item, visit);
    }
    if (const auto* attempt = as<Try>(statement)) {
      for (const ExceptHandler* handler : attempt->handlers) {
        if (handler->type != nullptr) mention_all(*handler->type, visit);
      }
    }
    if (is<If>(statement) || is<Try>(statement) || is<With>(statement)) {
      for_each_block(*statement, [&](Seq<Stmt> block) { mentions_of(block, visit); });
      continue;
    }
    mention_all(*statement, visit);
  }
}

bool holds(const program::Module& module, const std::string& path, Span outer, Span inner) {
  return module.path == path && outer.contains(inner);
}

/// A function that code of the change called before and that nothing seems to call now.
struct Left {
  FunctionId callee;  // Of the after side.
  FunctionId caller;  // Of the before side.
  bool is_named = false;
};

std::vector<Left> left_functions(const DocumentInputs& inputs) {
  constexpr std::size_t kMost = 200;
  const Program& before = *inputs.before;
  const Program& after = *inputs.after;
  const auto is_called = [](const Program& program, FunctionId function) {
    const auto callers = program.callers_of(function);
    return std::any_of(callers.begin(), callers.end(), [&](program::CallId call) {
      const FunctionId caller = program.calls()[call].caller;
      return caller != function && !program::is_test_path(program.module_of(caller).path);
    });
  };
  std::vector<Left> out;
  std::set<std::uint32_t> seen;
  for (const EntityChange& entity : inputs.change->entities) {
    if (!entity.before || !entity.before->function.valid() || program::is_test_path(entity.before->path)) continue;
    for (const program::CallId call : before.functions()[entity.before->function].calls) {
      for (const program::CallTarget& target : before.calls()[call].targets) {
        if (!target.function.valid() || target.certainty != program::Certainty::kExact ||
            target.kind == program::CallKind::kImplicit || target.function == entity.before->function ||
            !seen.insert(target.function.value).second || out.size() == kMost)
          continue;
        const program::Function& row = before.functions()[target.function];
        const FunctionId now = after.find_function(row.qualified_name);
        if (!now.valid() || row.def() == nullptr || is_called_by_itself(row.name) || row.enclosing.valid()) continue;
        const program::Function& kept = after.functions()[now];
        if (kept.def() == nullptr || !kept.def()->decorators.empty() || is_called(after, now) ||
            program::is_test_path(after.module_of(now).path))
          continue;
        // What a base from outside promises, a library may call.
        if (kept.owner.valid() && !kept.name.starts_with("_") &&
            !after.classes()[kept.owner].external_ancestors.empty())
          continue;
        out.push_back({now, entity.before->function});
      }
    }
  }
  return out;
}

struct UseOfChange {
  /// New functions and classes of module level that no code outside tests names, but the others of them.
  std::set<const EntityChange*> unnamed;
  std::vector<LastCall> last_calls;
};

UseOfChange use_of_change(const DocumentInputs& inputs) {
  const Program& after = *inputs.after;
  struct Candidate {
    const EntityChange* entity;
    std::set<std::string_view> names;  // Of other candidates, within its own code.
  };
  std::vector<Candidate> fresh;
  std::map<std::string_view, std::vector<std::size_t>> by_name;
  std::optional<bool> by_names;
  const Registration registration(after);
  for (const EntityChange& entity : inputs.change->entities) {
    if (!is_known_by_name(after, registration, entity)) continue;
    if (takes_nothing(entity) && !by_names) by_names = loads_by_computed_names(after);
    if (takes_nothing(entity) && *by_names) continue;
    by_name[change::last_part(entity.after->qualified_name)].push_back(fresh.size());
    fresh.push_back({&entity, {}});
  }
  std::vector<Left> left = left_functions(inputs);
  UseOfChange out;
  if (fresh.empty() && left.empty()) return out;
  std::multimap<std::string_view, std::size_t> left_by_name;
  for (std::size_t i = 0; i < left.size(); ++i) left_by_name.emplace(after.functions()[left[i].callee].name, i);
  std::set<std::string_view> used;
  for (const program::Module& module : after.modules()) {
    if (program::is_test_path(module.path)) continue;
    const std::string_view bytes = module.facts->source().bytes();
    const auto is_in = [&](const auto& each) { return find_text(bytes, each.first) != std::string_view::npos; };
    if (std::none_of(by_name.begin(), by_name.end(), is_in) &&
        std::none_of(left_by_name.begin(), left_by_name.end(), is_in))
      continue;
    mentions_of(module.facts->tree().body, [&](std::string_view name, Span span) {
      if (by_name.contains(name)) {
        const auto holder = std::find_if(fresh.begin(), fresh.end(), [&](const Candidate& one) {
          return holds(module, one.entity->after->path, one.entity->after->node->span, span);
        });
        if (holder == fresh.end()) {
          used.insert(name);
        } else if (change::last_part(holder->entity->after->qualified_name) != name) {
          holder->names.insert(by_name.find(name)->first);
        }
      }
      const auto [first, last] = left_by_name.equal_range(name);
      for (auto each = first; each != last; ++each) {
        Left& one = left[each->second];
        const bool is_own =
            holds(module, after.module_of(one.callee).path, after.functions()[one.callee].node->span, span);
        one.is_named = one.is_named || !is_own;
      }
    });
  }
  std::vector<std::string_view> open(used.begin(), used.end());
  while (!open.empty()) {
    const auto found = by_name.find(open.back());
    open.pop_back();
    if (found == by_name.end()) continue;
    for (const std::size_t i : found->second) {
      for (const std::string_view name : fresh[i].names) {
        if (used.insert(name).second) open.push_back(name);
      }
    }
  }
  for (const Candidate& one : fresh) {
    if (!used.contains(change::last_part(one.entity->after->qualified_name))) out.unnamed.insert(one.entity);
  }
  for (const Left& one : left) {
    if (!one.is_named) out.last_calls.push_back({one.callee, one.caller});
  }
  return out;
}

}  // namespace

void find_use(const DocumentInputs& inputs, Story& story) {
  UseOfChange use = use_of_change(inputs);
  std::set<std::string> unnamed;
  for (const EntityChange* entity : use.unnamed) unnamed.insert(entity->after->qualified_name);
  for (Actor& actor : story.actors) {
    const EntityChange& entity = *actor.change;
    if (!entity.after) continue;
    const std::string& name = entity.after->qualified_name;
    // What a class or a function holds goes with it.
    for (std::size_t end = name.size(); end != std::string::npos && !actor.is_unnamed && actor.is_added();
         end = end == 0 ? std::string::npos : name.rfind('.', end - 1))
      actor.is_unnamed = unnamed.contains(name.substr(0, end));
    // What nobody uses yet, no run comes to: that modules run in a step says nothing of it.
    if (actor.is_unnamed) actor.on_step_path = actor.on_build_path = actor.on_set_up_path = false;
    actor.loses_last_call = entity.after->function.valid() &&
                            std::any_of(use.last_calls.begin(), use.last_calls.end(),
                                        [&](const LastCall& one) { return one.callee == entity.after->function; });
  }
  story.last_calls = std::move(use.last_calls);
}

}  // namespace lockstep::report
