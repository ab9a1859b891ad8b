#include "report/source/computed_imports.h"

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `import_module(name)` of anything but a plain text.
bool imports_by_name(const Call& call) {
  if (callee_name(call) != "import_module") return false;
  const Expr* name = call.arguments.empty() ? rules::keyword_value(call, "name") : call.arguments.front();
  return name == nullptr || rules::text_of(name).empty();
}

bool is_look_up(const program::CallTarget& target) {
  static constexpr std::string_view kLookUps[] = {"hydra.utils.call",
                                                  "hydra.utils.get_class",
                                                  "hydra.utils.get_method",
                                                  "hydra.utils.get_object",
                                                  "hydra.utils.instantiate",
                                                  "pkgutil.resolve_name",
                                                  "pydoc.locate"};
  return std::find(std::begin(kLookUps), std::end(kLookUps), target.external) != std::end(kLookUps);
}

/// `getattr(module, name)` with a name that is worked out, in the function.
bool reads_by_name(const program::Function& function) {
  bool found = false;
  if (function.node == nullptr) return false;
  walk_of<Call>(*function.node, Nested::kEnter, [&](const Call* call) {
    found = found || (rules::name_of(call->callee) == "getattr" && call->arguments.size() > 1 &&
                      rules::text_of(call->arguments[1]).empty());
  });
  return found;
}

}  // namespace

std::vector<bool> modules_with_computed_imports(const program::Program& program) {
  std::vector<bool> out(program.modules().size());
  for (const program::CallSite& site : program.calls()) {
    const auto* call = as<Call>(site.node);
    if (call != nullptr && imports_by_name(*call)) out[program.functions()[site.caller].module.index()] = true;
  }
  return out;
}

LookUp look_up_by_name(const program::Program& program) {
  LookUp out = LookUp::kNone;
  for (const program::CallSite& site : program.calls()) {
    const auto* call = as<Call>(site.node);
    if (call == nullptr || program::is_test_path(program.module_of(site.caller).path)) continue;
    if (std::any_of(site.targets.begin(), site.targets.end(), is_look_up)) return LookUp::kLibrary;
    if (imports_by_name(*call) && reads_by_name(program.functions()[site.caller])) out = LookUp::kOwn;
  }
  return out;
}

}  // namespace lockstep::report
