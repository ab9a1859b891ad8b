#include "report/story/wording/containers.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_among(std::string_view name, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// A display, a comprehension, or a call of what makes a container.
bool makes_container(const Expr* value) {
  if (is<python::List>(value) || is<Dict>(value) || is<python::Set>(value) || is<ListComp>(value) ||
      is<SetComp>(value) || is<DictComp>(value))
    return true;
  const auto* call = as<Call>(value);
  return call != nullptr && is<Name>(call->callee) &&
         is_among(callee_name(*call), {"list", "dict", "set", "sorted", "defaultdict", "OrderedDict", "deque"});
}

/// `list`, `List[int]`, `dict[str, int]`; not `Optional[…]`, which may be None as well.
bool names_container(const Expr* annotation) {
  if (const auto* of = as<Subscript>(annotation)) annotation = of->value;
  return is_among(rules::last_part_of(annotation),
                  {"list", "dict", "set", "List", "Dict", "Set", "DefaultDict", "OrderedDict", "Deque"});
}

/// By name: whether all that gives it a value gives it a container.
std::map<std::string_view, bool> containers_of(const FunctionDef& def) {
  std::map<std::string_view, bool> out;
  std::map<std::string_view, std::size_t> stores;
  std::map<std::string_view, std::size_t> told;
  for (const Parameter* parameter : def.parameters->all) {
    ++stores[parameter->name.text];
    const bool may_be_none = rules::is_none(parameter->default_value);
    if (parameter->parameter_kind != Parameter::Kind::kVarArgs &&
        parameter->parameter_kind != Parameter::Kind::kVarKeywords && !may_be_none &&
        names_container(parameter->annotation))
      ++told[parameter->name.text];
  }
  walk_of<Name>(def, Nested::kEnter, [&](const Name* name) {
    if (name->context != ExprContext::kLoad) ++stores[name->id];
  });
  const auto note = [&](const Expr* target, bool is_container) {
    const std::string_view name = rules::name_of(target);
    if (!name.empty() && is_container) ++told[name];
  };
  walk_of<Assign>(def, Nested::kEnter, [&](const Assign* assign) {
    for (const Expr* target : assign->targets) note(target, makes_container(assign->value));
  });
  walk_of<AnnAssign>(def, Nested::kEnter, [&](const AnnAssign* assign) {
    note(assign->target, names_container(assign->annotation) || makes_container(assign->value));
  });
  // `found += […]` leaves it what it is.
  walk_of<AugAssign>(def, Nested::kEnter, [&](const AugAssign* assign) { note(assign->target, true); });
  for (const auto& [name, count] : stores) {
    const auto found = told.find(name);
    if (found != told.end() && found->second == count) out.emplace(name, true);
  }
  return out;
}

}  // namespace

std::string told_as_containers(std::string words, const Node& function) {
  const auto* def = as<FunctionDef>(&function);
  if (def == nullptr || (!contains(words, " is set") && !contains(words, " is not set"))) return words;
  for (const auto& [name, unused] : containers_of(*def)) {
    words = replace_all(words, code(name) + " is not set", code(name) + " is empty");
    words = replace_all(words, code(name) + " is set", code(name) + " is not empty");
  }
  return words;
}

std::string condition_words_in(const Expr& condition, const Node& function, const SourceText& source, bool negated) {
  return told_as_containers(condition_words(condition, source, negated), function);
}

}  // namespace lockstep::report
