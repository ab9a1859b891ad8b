#include "report/documents/tests/calls_on_import.h"

#include <fmt/format.h>

#include <string_view>

#include "base/paths.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

std::string called_on_import(const program::Program& program, program::FunctionId function) {
  if (!function.valid()) return {};
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& call = program.calls()[id];
    const program::Function& caller = program.functions()[call.caller];
    const std::string& path = program.modules()[caller.module].path;
    const std::string_view name = name_of(path);
    if (caller.kind != program::FunctionKind::kModuleBody || !program::is_test_path(path) ||
        (name != "__init__.py" && name != "conftest.py") || !program::surely_enters(call, function) ||
        !guards_of(*caller.node, call.node->span).empty())
      continue;
    return fmt::format("Called at {}, which every test below {} imports.",
                       place(path, source_of(program, call.caller).line_of(call.node->span.begin)),
                       code(folder_of(path)));
  }
  return {};
}

}  // namespace lockstep::report
