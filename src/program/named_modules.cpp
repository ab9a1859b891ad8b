#include "program/named_modules.h"

#include <algorithm>

#include "python/tree_walk.h"

namespace lockstep::program {

using namespace python;

namespace {

std::string_view name_of(const Expr* expression) {
  const auto* name = as<Name>(expression);
  return name == nullptr ? std::string_view() : name->id;
}

std::string_view text_of(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  return constant != nullptr && constant->constant_kind == ConstantKind::kStr ? constant->text : std::string_view();
}

/// "f" of `f(…)` and of `a.f(…)`.
std::string_view called_name(const Call& call) {
  const auto* member = as<Attribute>(call.callee);
  return member != nullptr ? member->name.text : name_of(call.callee);
}

/// The texts around the values of an f-string; empty for others, and where it holds no value.
NameForm texts_of(const Expr* name) {
  const auto* joined = as<JoinedStr>(name);
  if (joined == nullptr) return {};
  NameForm out(1);
  for (const Expr* part : joined->values) {
    if (is<FormattedValue>(part))
      out.emplace_back();
    else
      out.back() += text_of(part);
  }
  return out.size() > 1 ? out : NameForm();
}

/// The f-strings that a local of the function may hold: by assignments, and by loops over a tuple or list of them.
void add_held(const Node& function, std::string_view local, std::vector<NameForm>& out) {
  const auto add = [&](const Expr* value) {
    if (NameForm texts = texts_of(value); !texts.empty()) out.push_back(std::move(texts));
  };
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    if (assign->targets.size() == 1 && name_of(assign->targets.front()) == local) add(assign->value);
  });
  walk_of<For>(function, Nested::kSkip, [&](const For* loop) {
    if (name_of(loop->target) != local) return;
    if (const auto* tuple = as<Tuple>(loop->iterable))
      std::for_each(tuple->elements.begin(), tuple->elements.end(), add);
    if (const auto* list = as<List>(loop->iterable)) std::for_each(list->elements.begin(), list->elements.end(), add);
  });
}

/// Whether the form says enough of a name: its last part, or all parts but that.
bool says_enough(const NameForm& form) {
  const std::string& tail = form.back();
  if (tail.size() > 1 && tail.find('.') != std::string::npos && !tail.ends_with('.')) return true;
  return form.size() == 2 && tail.empty() && form.front().size() > 1 && form.front().ends_with('.');
}

}  // namespace

std::vector<NameForm> forms_of_import(const Node& function, const Call& import) {
  const Expr* name = import.arguments.empty() ? nullptr : import.arguments.front();
  for (const Keyword* keyword : import.keywords) {
    if (name == nullptr && keyword->name.text == "name") name = keyword->value;
  }
  std::vector<NameForm> out;
  if (NameForm texts = texts_of(name); !texts.empty()) out.push_back(std::move(texts));
  if (is<Name>(name)) add_held(function, name_of(name), out);
  std::erase_if(out, [](const NameForm& form) { return !says_enough(form); });
  return out;
}

std::vector<NameForm> forms_of_member(const Node& function, const Call& look_up) {
  constexpr std::size_t kEnough = 4;  // letters, of a name
  std::vector<NameForm> out;
  if (!looks_up_by_name(look_up)) return out;
  const Expr* name = look_up.arguments[1];
  if (NameForm texts = texts_of(name); !texts.empty()) out.push_back(std::move(texts));
  if (is<Name>(name)) add_held(function, name_of(name), out);
  std::erase_if(out, [](const NameForm& form) {
    return std::none_of(form.begin(), form.end(), [](const std::string& text) { return text.size() >= kEnough; });
  });
  return out;
}

bool has_form(std::string_view module, const NameForm& form) {
  if (!module.starts_with(form.front()) || !module.ends_with(form.back()) ||
      module.size() <= form.front().size() + form.back().size())
    return false;
  std::size_t at = form.front().size();
  const std::size_t end = module.size() - form.back().size();
  for (std::size_t i = 1; i + 1 < form.size(); ++i) {
    const std::size_t found = module.substr(0, end).find(form[i], at + 1);
    if (found == std::string_view::npos) return false;
    at = found + form[i].size();
  }
  return at < end && (!form.back().empty() || module.substr(at).find('.') == std::string_view::npos);
}

std::vector<std::string_view> locals_that_hold(const Node& function, const Expr& value) {
  std::vector<std::string_view> out;
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    if (assign->value == &value && assign->targets.size() == 1 && is<Name>(assign->targets.front()))
      out.push_back(name_of(assign->targets.front()));
  });
  return out;
}

bool looks_up_by_name(const Call& call) {
  return name_of(call.callee) == "getattr" && call.arguments.size() > 1 && text_of(call.arguments[1]).empty();
}

std::vector<NameForm> forms_of_look_up(const Node& function, const Call& look_up) {
  std::vector<NameForm> out;
  if (!looks_up_by_name(look_up)) return out;
  const std::string_view module = name_of(look_up.arguments.front());
  walk_of<Call>(function, Nested::kSkip, [&](const Call* call) {
    if (called_name(*call) != "import_module") return;
    const std::vector<std::string_view> locals = locals_that_hold(function, *call);
    const bool is_it = call == look_up.arguments.front() ||
                       (!module.empty() && std::find(locals.begin(), locals.end(), module) != locals.end());
    if (!is_it) return;
    for (NameForm& form : forms_of_import(function, *call)) out.push_back(std::move(form));
  });
  return out;
}

}  // namespace lockstep::program
