// Where the architecture is made to be extended: specs, registries, abstract classes with several implementations.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "playbook/draft.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/promises.h"

namespace lockstep::playbook {

namespace {

bool has_abstract_method(const program::Program& program, const program::Class& cls) {
  for (const program::FunctionId method : cls.methods) {
    const python::FunctionDef* def = program.functions()[method].def();
    if (def == nullptr) continue;
    if (rules::is_abstract(*def)) return true;
    const SourceText& source = program.modules()[cls.module].facts->source();
    for (const python::Stmt* statement : def->body) {
      const auto* raise = python::as<python::Raise>(statement);
      if (raise != nullptr && contains(source.slice(raise->span), "NotImplementedError")) return true;
    }
  }
  return false;
}

struct Extensible {
  program::ClassId cls;
  std::vector<std::string> below;  // subclasses that the code itself has
  std::size_t use = 0;             // how much it matters: imports, size, recent commits, the step
};

std::vector<std::string> own_subclasses(const DraftInputs& inputs, program::ClassId top, std::size_t& use) {
  const program::Program& program = inputs.ground.program;
  std::vector<std::string> names;
  std::set<program::ClassId> seen{top};
  std::vector<program::ClassId> open{top};
  while (!open.empty()) {
    const program::ClassId next = open.back();
    open.pop_back();
    for (const program::ClassId sub : program.subclasses_of(next)) {
      if (!seen.insert(sub).second) continue;
      open.push_back(sub);
      const program::Class& cls = program.classes()[sub];
      const std::string name(cls.name);
      use += inputs.importers_of(cls.qualified_name);
      if (is_own_code(inputs, program.modules()[cls.module].path) &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  return names;
}

// Abstract classes with several implementations: strategies that a new one joins.
void draft_bases(const DraftInputs& inputs, DraftSection& section) {
  const program::Program& program = inputs.ground.program;
  // What runs in every step of training is what this kind of code is about.
  constexpr std::size_t kStepWorth = 40;
  std::set<program::ClassId> stepping;
  for (const program::Reached& reached : program::step_path(program, {}))
    stepping.insert(program.functions()[reached.function].owner);
  const auto on_step = [&](program::ClassId cls) {
    const auto below = program.subclasses_of(cls);
    return stepping.contains(cls) ||
           std::any_of(below.begin(), below.end(), [&](program::ClassId sub) { return stepping.contains(sub); });
  };
  std::vector<Extensible> found;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::ClassId id(i);
    const program::Class& cls = program.classes()[id];
    if (!is_own_code(inputs, program.modules()[cls.module].path) || cls.enclosing.valid() || cls.owner.valid())
      continue;
    if (program.subclasses_of(id).size() < 2 || !has_abstract_method(program, cls)) continue;
    std::size_t use = 0;
    std::vector<std::string> below = own_subclasses(inputs, id, use);
    if (below.size() >= 2) {
      use += inputs.importers_of(cls.qualified_name) + 4 * below.size() +
             3 * inputs.commits_on(program.modules()[cls.module].path) + (on_step(id) ? kStepWorth : 0);
      found.push_back({id, std::move(below), use});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Extensible& a, const Extensible& b) { return a.use > b.use; });
  constexpr int kMostBases = 5;
  std::set<std::string> files;  // one of each: those beside it are found with it
  int worth = 76;
  for (const Extensible& one : found) {
    const Place place = place_of(program, one.cls);
    if (worth <= 76 - 3 * kMostBases || !files.insert(place.path).second) continue;
    section.lines.push_back(
        {fmt::format("Base `{}`", program.classes()[one.cls].name),
         fmt::format("`{}:{}`; below it {}.", place.path, place.line + 1, quoted_list(one.below, 3, true)),
         worth,
         {place}});
    worth -= 3;
  }
}

struct Registry {
  std::string name;
  Place place;
  std::size_t entries = 0;
};

/// Dictionaries of a module that its code looks names up in: `TABLE[name]`, `TABLE.get(name)`.
std::set<std::string_view> looked_up_in(const program::Module& module) {
  std::set<std::string_view> tables;
  python::walk(module.facts->tree(), python::Nested::kEnter, [&](const python::Node* node) {
    const python::Expr* table = nullptr;
    if (const auto* subscript = python::as<python::Subscript>(node);
        subscript != nullptr && subscript->context == python::ExprContext::kLoad)
      table = subscript->value;
    if (const auto* call = python::as<python::Call>(node)) {
      const auto* attribute = python::as<python::Attribute>(call->callee);
      if (attribute != nullptr && attribute->name.text == "get") table = attribute->value;
    }
    if (const auto* name = python::as<python::Name>(table)) tables.insert(name->id);
  });
  return tables;
}

// A table is a registry where code asks it for a name.
bool is_looked_up(const program::Program& program, std::string_view name) {
  const std::string subscript = fmt::format("{}[", name), get = fmt::format("{}.get(", name);
  return std::any_of(program.modules().begin(), program.modules().end(), [&](const program::Module& module) {
    const std::string_view text = module.facts->source().bytes();
    return contains(text, subscript) || contains(text, get);
  });
}

// Tables from names to classes or functions, at module level.
void find_tables(const DraftInputs& inputs, std::vector<Registry>& registries) {
  const program::Program& program = inputs.ground.program;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (!is_own_code(inputs, module.path)) continue;
    for (const python::Stmt* statement : module.facts->tree().body) {
      const python::Expr* target = nullptr;
      const python::Expr* value = nullptr;
      if (const auto* assign = python::as<python::Assign>(statement);
          assign != nullptr && assign->targets.size() == 1) {
        target = assign->targets[0];
        value = assign->value;
      } else if (const auto* annotated = python::as<python::AnnAssign>(statement)) {
        target = annotated->target;
        value = annotated->value;
      }
      const auto* name = python::as<python::Name>(target);
      const auto* table = python::as<python::Dict>(value);
      if (name == nullptr || table == nullptr || table->values.size() < 3) continue;
      const auto defined = std::count_if(table->values.begin(), table->values.end(), [&](const python::Expr* one) {
        const program::Reference reference = program.resolve(module.body, *one);
        return reference.kind == program::Reference::Kind::kClass ||
               reference.kind == program::Reference::Kind::kFunction;
      });
      if (static_cast<std::size_t>(defined) < 3 || !is_looked_up(program, name->id)) continue;
      registries.push_back({std::string(name->id), place_of(module, statement->span), table->values.size()});
    }
  }
}

// `TABLE[name] = thing`, `TABLE[thing.__name__] = thing`; what is kept by another of its properties is a cache.
bool is_name_of_thing(const python::Expr* index) {
  const auto* attribute = python::as<python::Attribute>(index);
  return python::as<python::Name>(index) != nullptr ||
         (attribute != nullptr && (attribute->name.text == "__name__" || attribute->name.text == "__qualname__"));
}

// Whether a function puts something into a table of its module that the module looks names up in.
bool stores_in_module(const program::Module& module, const program::Function& function) {
  std::set<std::string_view> globals;
  const std::set<std::string_view> tables = looked_up_in(module);
  for (const python::Binding& binding : module.facts->scopes[python::ScopeId(0)].bindings) {
    if (tables.contains(binding.name)) globals.insert(binding.name);
  }
  const auto is_global = [&](const python::Expr* expression) {
    const auto* name = python::as<python::Name>(expression);
    return name != nullptr && globals.contains(name->id);
  };
  bool stores = false;
  python::walk(*function.node, python::Nested::kEnter, [&](const python::Node* node) {
    if (const auto* subscript = python::as<python::Subscript>(node))
      stores |= subscript->context == python::ExprContext::kStore && is_global(subscript->value) &&
                is_name_of_thing(subscript->index);
    if (const auto* call = python::as<python::Call>(node)) {
      const auto* attribute = python::as<python::Attribute>(call->callee);
      static const std::set<std::string_view> kAdding = {"update", "setdefault", "register"};
      stores |= attribute != nullptr && kAdding.contains(attribute->name.text) && is_global(attribute->value);
    }
  });
  return stores;
}

// register_x(…): functions that the code calls to be known.
void find_registrars(const DraftInputs& inputs, std::vector<Registry>& registries) {
  const program::Program& program = inputs.ground.program;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::FunctionId id(i);
    const program::Function& function = program.functions()[id];
    if (!function.name.starts_with("register_") || function.owner.valid() || function.enclosing.valid() ||
        !is_own_code(inputs, program.module_of(id).path))
      continue;
    const std::size_t calls = program.callers_of(id).size();
    if (calls >= 2 && stores_in_module(program.module_of(id), function))
      registries.push_back({std::string(function.name), place_of(program, id), calls});
  }
}

void draft_registries(const DraftInputs& inputs, DraftSection& section) {
  std::vector<Registry> registries;
  find_tables(inputs, registries);
  find_registrars(inputs, registries);
  std::stable_sort(registries.begin(), registries.end(),
                   [](const Registry& a, const Registry& b) { return a.entries > b.entries; });
  if (registries.empty()) return;
  if (registries.size() > 5) registries.resize(5);
  DraftLine line{"Registries", {}, 72, {}};
  std::vector<std::string> parts;
  for (const Registry& one : registries) {
    parts.push_back(named_place(one.name, one.place));
    line.sources.push_back(one.place);
  }
  line.text = fmt::format("{}.", join(parts, ", "));
  section.lines.push_back(std::move(line));
}

// Functions that return a …Spec: how a model is put together.
void draft_specs(const DraftInputs& inputs, DraftSection& section) {
  const program::Program& program = inputs.ground.program;
  std::map<std::string, std::vector<program::FunctionId>> by_spec;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const program::FunctionId id(i);
    const program::Function& function = program.functions()[id];
    const python::FunctionDef* def = function.def();
    if (def == nullptr || def->returns == nullptr || function.owner.valid() || function.enclosing.valid() ||
        function.name.starts_with('_') || !is_own_code(inputs, program.module_of(id).path))
      continue;
    const std::string_view type = program.module_of(id).facts->source().slice(def->returns->span);
    if (type.ends_with("Spec") && type.size() > 4 && inputs.ground.names.defines(type))
      by_spec[std::string(type)].push_back(id);
  }
  std::string best;
  for (const auto& [type, functions] : by_spec) {
    if (best.empty() || functions.size() > by_spec[best].size()) best = type;
  }
  if (best.empty() || by_spec[best].size() < 3) return;
  const Place type_place = inputs.ground.names.places_of(best).front();
  DraftLine line{"Specs",
                 fmt::format("{} functions return a {}, such as ", by_spec[best].size(), named_place(best, type_place)),
                 70,
                 {type_place}};
  std::vector<std::string> parts;
  std::vector<program::FunctionId> functions = by_spec[best];
  std::stable_sort(functions.begin(), functions.end(), [&](program::FunctionId a, program::FunctionId b) {
    return program.callers_of(a).size() > program.callers_of(b).size();
  });
  for (const program::FunctionId id : functions) {
    if (parts.size() >= 2) break;
    parts.push_back(named_place(program.functions()[id].name, place_of(program, id)));
    line.sources.push_back(place_of(program, id));
  }
  line.text += join(parts, ", ") + ".";
  section.lines.push_back(std::move(line));
}

}  // namespace

DraftSection draft_plumbing(const DraftInputs& inputs) {
  DraftSection section{"Where new things go", {}};
  draft_options(inputs, section);
  draft_specs(inputs, section);
  draft_registries(inputs, section);
  draft_bases(inputs, section);
  return section;
}

}  // namespace lockstep::playbook
