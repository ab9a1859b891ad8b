#include "report/source/variable_readers.h"

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"

namespace lockstep::report {
namespace {

using program::FunctionId;
using program::ModuleId;
using program::Program;

/// The other names that a module imports `name` by.
std::vector<std::string_view> aliases_of(const program::Module& module, std::string_view name) {
  std::vector<std::string_view> aliases;
  for (const python::ImportedName& imported : module.facts->imports) {
    if (imported.name == name && imported.bound_as != name) aliases.push_back(imported.bound_as);
  }
  return aliases;
}

/// `name`, one of its `aliases` or `x.name`, read.
bool is_read(const python::Node* node, std::string_view name, const std::vector<std::string_view>& aliases) {
  if (const auto* bare = python::as<python::Name>(node)) {
    return bare->context == python::ExprContext::kLoad &&
           (bare->id == name || std::find(aliases.begin(), aliases.end(), bare->id) != aliases.end());
  }
  const auto* member = python::as<python::Attribute>(node);
  return member != nullptr && member->name.text == name && member->context == python::ExprContext::kLoad;
}

}  // namespace

std::vector<FunctionId> readers_of_variable(const Program& program, ModuleId module, std::string_view name) {
  std::vector<FunctionId> readers;
  std::vector<FunctionId> tests;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& row = program.modules()[ModuleId(i)];
    if (!contains(row.facts->source().bytes(), name)) continue;
    std::vector<FunctionId>& found = program::is_test_path(row.path) ? tests : readers;
    const std::vector<std::string_view> aliases = aliases_of(row, name);
    python::walk(row.facts->tree(), python::Nested::kEnter, [&](const python::Node* node) {
      if (!is_read(node, name, aliases)) return;
      const FunctionId function = program.function_at(ModuleId(i), node->span.begin);
      if (std::find(found.begin(), found.end(), function) != found.end()) return;
      const program::Reference to = program.resolve(function, *static_cast<const python::Expr*>(node));
      if (to.kind == program::Reference::Kind::kVariable && to.module == module && to.name == name)
        found.push_back(function);
    });
  }
  return readers.empty() ? tests : readers;
}

}  // namespace lockstep::report
