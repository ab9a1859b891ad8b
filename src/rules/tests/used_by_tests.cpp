#include "rules/tests/used_by_tests.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "program/module_names.h"
#include "program/queries.h"
#include "python/main_check.h"

namespace lockstep::rules {

using namespace python;
using program::ModuleId;
using program::Program;

namespace {

bool imports(const program::Module& importer, const std::string& name) {
  return std::any_of(importer.facts->imports.begin(), importer.facts->imports.end(), [&](const ImportedName& import) {
    const std::string from = program::absolute_name(importer, import.level, import.module);
    return from == name || (!import.name.empty() && from + "." + std::string(import.name) == name);
  });
}

}  // namespace

bool is_used_by_tests_alone(const Program& after, const Program& before, ModuleId module) {
  const program::Module& own = after.modules()[module];
  if (own.is_package || before.find_path(own.path).valid() || before.find_module(own.name).valid() ||
      has_main_check(own.facts->tree().body))
    return false;
  const std::string_view name = std::string_view(own.name).substr(own.name.rfind('.') + 1);
  bool in_tests = false;
  for (std::size_t i = 0; i < after.modules().size(); ++i) {
    const program::Module& other = after.modules()[ModuleId(i)];
    if (ModuleId(i) == module || other.facts->find_name(name) == std::string_view::npos) continue;
    if (!program::is_test_path(other.path)) return false;
    in_tests = in_tests || imports(other, own.name);
  }
  return in_tests;
}

}  // namespace lockstep::rules
