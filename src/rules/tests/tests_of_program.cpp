#include "rules/tests/tests_of_program.h"

#include <algorithm>

#include "program/module_names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/names/mentions.h"

namespace lockstep::rules {

using namespace python;
using program::FunctionId;
using program::Program;

Tests::Tests(const Program& program, const repo::Snapshot* files) : program_(program), files_(files) {
  std::vector<FunctionId> sources;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[program::ModuleId(i)];
    if (!program::is_test_path(module.path)) continue;
    paths_.push_back(module.path);
    sources.push_back(module.body);
    sources.insert(sources.end(), module.functions.begin(), module.functions.end());
    for_each_mention(module.facts->tree(), [&](std::string_view name) { mentioned_.insert(name); });
    note_imports(module);
  }
  // What a test names it may well call, in ways that the call graph does not show.
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    if (is_named(program.functions()[FunctionId(i)])) sources.push_back(FunctionId(i));
  }
  for (const auto& reached : program::reachable_from(program, sources, program.functions().size())) {
    reached_.insert(reached.function);
  }
}

bool Tests::is_named(const program::Function& row) const {
  if (row.kind != program::FunctionKind::kFunction) return false;
  if (!row.owner.valid()) return mentioned_.contains(row.name);
  const bool is_entry =
      row.name.starts_with("__") || row.name == "forward" || row.name == "step" || row.name == "backward";
  if (is_entry) return mentioned_.contains(program_.classes()[row.owner].name);
  return mentioned_.contains(row.name);
}

void Tests::note_imports(const program::Module& module) {
  for (const ImportedName& import : module.facts->imports) {
    const program::ModuleId from = program_.find_module(program::absolute_name(module, import.level, import.module));
    if (from.valid()) imported_.insert(from);
  }
}

bool Tests::run_indirectly(FunctionId function) const {
  const program::Function& row = program_.functions()[function];
  std::string_view wanted = row.name;
  if (row.owner.valid()) {
    if (program_.classes()[row.owner].external_bases.empty() || row.name.starts_with("_")) return false;
    wanted = program_.classes()[row.owner].name;
  }
  const program::Module& module = program_.modules()[row.module];
  bool is_loaded = false;
  bool found = false;
  const auto look = [&](const Node* node) {
    if (const auto* name = as<Name>(node); name != nullptr && name->id == wanted) found = true;
  };
  for (const FunctionId other : module.functions) {
    const FunctionDef* def = program_.functions()[other].def();
    if (other == function || !reached_.contains(other) || def == nullptr) continue;
    is_loaded = true;
    walk(*def, Nested::kEnter, look);
  }
  if (!is_loaded || found) return found;
  for (const FunctionId other : module.functions) {
    const FunctionDef* def = program_.functions()[other].def();
    if (def == nullptr) continue;
    for (const Expr* decorator : def->decorators) walk(*decorator, Nested::kEnter, look);
  }
  return found;
}

bool Tests::may_be_entered_from_outside(FunctionId function) const {
  constexpr std::size_t kMostCallers = 200;
  const auto is_open = [&](FunctionId id) {
    const program::Function& row = program_.functions()[id];
    if (!row.owner.valid() || (row.name.starts_with("_") && !row.name.starts_with("__"))) return false;
    if (!program_.callers_of(id).empty()) return false;
    return mentioned_.contains(program_.classes()[row.owner].name) || imported_.contains(row.module);
  };
  const auto above = program::reaching(program_, function, kMostCallers);
  // Another package knows the new function itself only by what a base of its class promises.
  const program::ClassId owner = program_.functions()[function].owner;
  const bool may_be_known = owner.valid() && !program_.classes()[owner].external_ancestors.empty();
  return above.size() >= kMostCallers || (may_be_known && is_open(function)) ||
         std::any_of(above.begin(), above.end(),
                     [&](const program::Reached& each) { return each.function != function && is_open(each.function); });
}

}  // namespace lockstep::rules
