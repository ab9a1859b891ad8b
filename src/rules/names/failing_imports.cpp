#include "rules/names/failing_imports.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "rules/calls/receivers.h"

namespace lockstep::rules {

using program::ModuleId;
using python::ImportedName;

bool looks_like_symbol(std::string_view name) {
  return !name.starts_with('_') && name != "version" && !name.ends_with("_pb2") && !name.ends_with("_pb2_grpc") &&
         !contains(name, "cpp") && !contains(name, "cuda") && !name.ends_with("_ext") && !name.ends_with("_C");
}

std::optional<LackedName> lacked_name(const program::Program& program, const ModuleNames& names, ModuleId id,
                                      const ImportedName& import) {
  if (import.name.empty() || import.name == "*" || import.in_try || import.in_type_checking) return std::nullopt;
  const ModuleId target = names.imported_module(id, import.level, import.module);
  if (!target.valid() || target == id) return std::nullopt;
  if (import.level == 0 && !may_import(program, id, target)) return std::nullopt;
  const ModuleNames::Answer answer = names.has(target, import.name);
  if (answer != ModuleNames::Answer::kNo && answer != ModuleNames::Answer::kOnlyTypeChecking) return std::nullopt;
  if (program.modules()[target].is_package && !looks_like_symbol(import.name)) return std::nullopt;
  return LackedName{target, answer};
}

bool always_runs(const program::Program& program, ModuleId id, const ImportedName& import) {
  const auto& body = program.modules()[id].facts->tree().body;
  return !import.in_try && !import.in_type_checking &&
         std::any_of(body.begin(), body.end(),
                     [&](const python::Stmt* statement) { return statement == import.statement; });
}

}  // namespace lockstep::rules
