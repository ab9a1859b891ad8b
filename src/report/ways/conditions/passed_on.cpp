#include "report/ways/conditions/passed_on.h"

#include <algorithm>
#include <iterator>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Builtins that read a mapping.
bool only_reads(const Call& call) {
  constexpr std::string_view kReaders[] = {"bool",  "dict", "enumerate", "iter",   "len", "list",
                                           "print", "repr", "set",       "sorted", "str", "tuple"};
  const auto* name = as<Name>(call.callee);
  return name != nullptr && std::find(std::begin(kReaders), std::end(kReaders), name->id) != std::end(kReaders);
}

}  // namespace

bool is_only_passed_on(const FunctionDef& def, std::string_view id, bool is_sequence,
                       std::vector<std::string_view>& set, std::size_t bindings) {
  std::size_t uses = 0;
  std::size_t harmless = 0;
  const auto is_it = [&](const Expr* expression) { return rules::name_of(expression) == id; };
  const auto count = [&](const Node& node, bool leaves) {
    if (const auto* name = as<Name>(&node)) return uses += name->id == id ? 1 : 0, void();
    if (const auto* starred = as<Starred>(&node)) return harmless += is_it(starred->value) ? 1 : 0, void();
    if (const auto* keyword = as<Keyword>(&node)) return harmless += is_it(keyword->value) ? 1 : 0, void();
    if (const auto* compare = as<Compare>(&node)) {
      harmless += !compare->comparators.empty() && is_it(compare->comparators.back()) ? 1 : 0;
    } else if (const auto* subscript = as<Subscript>(&node); subscript != nullptr && is_it(subscript->value)) {
      const auto* key = as<Constant>(subscript->index);
      const bool is_key = key != nullptr && key->constant_kind == ConstantKind::kStr;
      if (subscript->context == ExprContext::kStore && is_key) set.push_back(key->text);
      harmless += subscript->context == ExprContext::kLoad || (subscript->context == ExprContext::kStore && is_key);
    } else if (const auto* attribute = as<Attribute>(&node); attribute != nullptr && is_it(attribute->value)) {
      constexpr std::string_view kReads[] = {"get", "copy", "items", "keys", "values", "pop"};
      harmless += std::find(std::begin(kReads), std::end(kReads), attribute->name.text) != std::end(kReads) ? 1 : 0;
    } else if (const auto* call = as<Call>(&node)) {
      // A tuple stays what it is; a mapping that is handed over whole may be filled there, which matters to what comes
      // after it: nothing does behind a `return`.
      if (is_sequence || leaves || only_reads(*call))
        harmless += static_cast<std::size_t>(std::count_if(call->arguments.begin(), call->arguments.end(), is_it));
      const auto* method = as<Attribute>(call->callee);
      if (method != nullptr && method->name.text == "pop" && is_it(method->value)) {
        const auto* key = call->arguments.empty() ? nullptr : as<Constant>(call->arguments[0]);
        if (key == nullptr || key->constant_kind != ConstantKind::kStr) return uses += 1, void();  // Any of them.
        set.push_back(key->text);
      }
    } else if (const auto* assign = as<Assign>(&node)) {
      // `inputs = converted(inputs, …)`: as many, of another kind.
      const auto* made = as<Call>(assign->value);
      harmless += is_sequence && made != nullptr && assign->targets.size() == 1 && is_it(assign->targets[0]) &&
                  !made->arguments.empty() && is_it(made->arguments[0]);
    }
  };
  const auto look_at = [&](const auto& walk, const Node& node, bool leaves) -> void {
    count(node, leaves);
    const bool is_return = leaves || is<Return>(&node);
    for_each_child(node, [&](const Node* child) { walk(walk, *child, is_return); });
  };
  for (const Stmt* statement : def.body) look_at(look_at, *statement, false);
  return uses == harmless + bindings;
}

}  // namespace lockstep::report
