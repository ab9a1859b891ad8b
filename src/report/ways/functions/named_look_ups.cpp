#include "report/ways/functions/named_look_ups.h"

#include <algorithm>
#include <string_view>

#include "program/named_modules.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// The call of what `getattr(module, name)` gives, where the name is computed and the module is one of the locals.
const Call* call_of_member(const Node& function, const std::vector<std::string_view>& modules) {
  std::vector<const Call*> members;
  walk_of<Call>(function, Nested::kSkip, [&](const Call* call) {
    if (program::looks_up_by_name(*call) &&
        std::find(modules.begin(), modules.end(), rules::name_of(call->arguments.front())) != modules.end())
      members.push_back(call);
  });
  const Call* out = nullptr;
  for (const Call* member : members) {
    const std::vector<std::string_view> held = program::locals_that_hold(function, *member);
    walk_of<Call>(function, Nested::kSkip, [&](const Call* call) {
      if (out == nullptr &&
          (call->callee == member ||
           (is<Name>(call->callee) && std::find(held.begin(), held.end(), rules::name_of(call->callee)) != held.end())))
        out = call;
    });
  }
  return out;
}

}  // namespace

std::optional<NamedLookUps::LookUp> NamedLookUps::of(FunctionId function) {
  if (!function.valid()) return {};
  const program::Function& asked = program_.functions()[function];
  if (asked.def() == nullptr || asked.owner.valid() || asked.enclosing.valid() || asked.name.starts_with("_"))
    return {};
  const std::string& module = program_.modules()[asked.module].name;
  for (const Form& form : forms()) {
    if (form.by.function != function && program::has_form(module, form.texts)) return form.by;
  }
  return {};
}

bool NamedLookUps::is_look_up(FunctionId by, const Node* call, FunctionId function) {
  const std::string& module = program_.modules()[program_.functions()[function].module].name;
  return std::any_of(forms().begin(), forms().end(), [&](const Form& form) {
    return form.by.function == by && form.by.call == call && program::has_form(module, form.texts);
  });
}

const std::vector<NamedLookUps::Form>& NamedLookUps::forms() {
  if (forms_) return *forms_;
  forms_.emplace();
  for (const program::CallSite& site : program_.calls()) {
    const auto* call = as<Call>(site.node);
    if (call == nullptr || callee_name(*call) != "import_module" ||
        program::is_test_path(program_.module_of(site.caller).path))
      continue;
    const Node* body = program_.functions()[site.caller].node;
    if (body == nullptr) continue;
    std::vector<program::NameForm> names = program::forms_of_import(*body, *call);
    if (names.empty()) continue;
    const Call* made = call_of_member(*body, program::locals_that_hold(*body, *call));
    if (made == nullptr) continue;
    for (program::NameForm& texts : names) forms_->push_back({{site.caller, made}, std::move(texts)});
  }
  return *forms_;
}

}  // namespace lockstep::report
