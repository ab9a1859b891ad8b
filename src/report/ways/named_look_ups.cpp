#include "report/ways/named_look_ups.h"

#include <algorithm>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// The texts around the values of an f-string; empty for others, and where it holds no value.
std::vector<std::string> texts_of(const Expr* name) {
  const auto* joined = as<JoinedStr>(name);
  if (joined == nullptr) return {};
  std::vector<std::string> out(1);
  for (const Expr* part : joined->values) {
    if (is<FormattedValue>(part))
      out.emplace_back();
    else
      out.back() += rules::text_of(part);
  }
  return out.size() > 1 ? out : std::vector<std::string>();
}

/// The f-strings that a local of the function may hold: by assignments, and by loops over a tuple or list of them.
void add_held(const Node& function, std::string_view local, std::vector<std::vector<std::string>>& out) {
  const auto add = [&](const Expr* value) {
    if (std::vector<std::string> texts = texts_of(value); !texts.empty()) out.push_back(std::move(texts));
  };
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    if (assign->targets.size() == 1 && rules::name_of(assign->targets.front()) == local) add(assign->value);
  });
  walk_of<For>(function, Nested::kSkip, [&](const For* loop) {
    if (rules::name_of(loop->target) != local) return;
    if (const auto* tuple = as<Tuple>(loop->iterable))
      std::for_each(tuple->elements.begin(), tuple->elements.end(), add);
    if (const auto* list = as<List>(loop->iterable)) std::for_each(list->elements.begin(), list->elements.end(), add);
  });
}

/// The locals to which the function gives the value.
std::vector<std::string_view> locals_of(const Node& function, const Expr& value) {
  std::vector<std::string_view> out;
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    if (assign->value == &value && assign->targets.size() == 1 && is<Name>(assign->targets.front()))
      out.push_back(rules::name_of(assign->targets.front()));
  });
  return out;
}

/// The call of what `getattr(module, name)` gives, where the name is computed and the module is one of the locals.
const Call* call_of_member(const Node& function, const std::vector<std::string_view>& modules) {
  std::vector<const Call*> members;
  walk_of<Call>(function, Nested::kSkip, [&](const Call* call) {
    if (rules::name_of(call->callee) == "getattr" && call->arguments.size() > 1 &&
        rules::text_of(call->arguments[1]).empty() &&
        std::find(modules.begin(), modules.end(), rules::name_of(call->arguments.front())) != modules.end())
      members.push_back(call);
  });
  const Call* out = nullptr;
  for (const Call* member : members) {
    const std::vector<std::string_view> held = locals_of(function, *member);
    walk_of<Call>(function, Nested::kSkip, [&](const Call* call) {
      if (out == nullptr &&
          (call->callee == member ||
           (is<Name>(call->callee) && std::find(held.begin(), held.end(), rules::name_of(call->callee)) != held.end())))
        out = call;
    });
  }
  return out;
}

/// Whether a module's name has the form: what is computed is not empty, and of one part where nothing follows it.
bool has_form(std::string_view name, const std::vector<std::string>& texts) {
  if (!name.starts_with(texts.front()) || !name.ends_with(texts.back()) ||
      name.size() <= texts.front().size() + texts.back().size())
    return false;
  std::size_t at = texts.front().size();
  const std::size_t end = name.size() - texts.back().size();
  for (std::size_t i = 1; i + 1 < texts.size(); ++i) {
    const std::size_t found = name.substr(0, end).find(texts[i], at + 1);
    if (found == std::string_view::npos) return false;
    at = found + texts[i].size();
  }
  return at < end && (!texts.back().empty() || name.substr(at).find('.') == std::string_view::npos);
}

/// Whether the form says enough of a name: its last part, or all parts but that.
bool says_enough(const std::vector<std::string>& texts) {
  const std::string& tail = texts.back();
  if (tail.size() > 1 && tail.find('.') != std::string::npos && !tail.ends_with('.')) return true;
  return texts.size() == 2 && tail.empty() && texts.front().size() > 1 && texts.front().ends_with('.');
}

}  // namespace

std::optional<NamedLookUps::LookUp> NamedLookUps::of(FunctionId function) {
  if (!function.valid()) return {};
  const program::Function& asked = program_.functions()[function];
  if (asked.def() == nullptr || asked.owner.valid() || asked.enclosing.valid() || asked.name.starts_with("_"))
    return {};
  const std::string& module = program_.modules()[asked.module].name;
  for (const Form& form : forms()) {
    if (form.by.function != function && has_form(module, form.texts)) return form.by;
  }
  return {};
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
    const Expr* name = call->arguments.empty() ? rules::keyword_value(*call, "name") : call->arguments.front();
    if (body == nullptr || name == nullptr) continue;
    std::vector<std::vector<std::string>> names;
    if (std::vector<std::string> texts = texts_of(name); !texts.empty()) names.push_back(std::move(texts));
    if (is<Name>(name)) add_held(*body, rules::name_of(name), names);
    std::erase_if(names, [](const std::vector<std::string>& texts) { return !says_enough(texts); });
    if (names.empty()) continue;
    const Call* made = call_of_member(*body, locals_of(*body, *call));
    if (made == nullptr) continue;
    for (std::vector<std::string>& texts : names) forms_->push_back({{site.caller, made}, std::move(texts)});
  }
  return *forms_;
}

}  // namespace lockstep::report
