#include "report/ways/functions/handed_values.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

constexpr int kMostDepth = 3;             // Of functions that hand on what they were given.
constexpr std::size_t kMostPlaces = 400;  // At which a method is looked for as a value.
constexpr std::size_t kMostRead =
    4'000'000;  // Bytes of functions for one question: a use may lead to their uses again.

/// Whether something of this name, of which only the name is known, may keep what it is given: all that is not known to
/// call it or to ask for it at once.
bool may_keep(std::string_view name) {
  constexpr std::string_view kUsers[] = {
      "apply",    "callable",   "checkpoint", "checkpoint_sequential",
      "cond",     "filter",     "getattr",    "hasattr",
      "id",       "isinstance", "len",        "map",
      "max",      "min",        "print",      "reduce",
      "repr",     "sort",       "sorted",     "str",
      "tree_map", "type",
  };
  return std::find(std::begin(kUsers), std::end(kUsers), name) == std::end(kUsers);
}

/// `functools.partial(function, …)` of the value.
bool makes_partial(const Node& value, const Call& call) {
  return callee_name(call) == "partial" && !call.arguments.empty() && call.arguments[0] == &value;
}

/// Calls `visit(node, parents)` for the nodes below, the innermost parent last; not for what stands in functions
/// inside.
template <typename Visit>
void walk_with_parents(const Node& node, std::vector<const Node*>& parents, const Visit& visit) {
  visit(node, parents);
  if (!parents.empty() && (is<FunctionDef>(&node) || is<Lambda>(&node) || is<ClassDef>(&node))) return;
  parents.push_back(&node);
  for_each_child(node, [&](const Node* child) { walk_with_parents(*child, parents, visit); });
  parents.pop_back();
}

}  // namespace

const std::vector<FunctionId>* HandedValues::handed_by(FunctionId callee) {
  const auto [place, is_new] = known_.try_emplace(callee.value);
  read_ = 0;
  if (is_new) place->second = program_.functions()[callee].enclosing.valid() ? of_nested(callee) : of_method(callee);
  return place->second ? &*place->second : nullptr;
}

HandedValues::Handing HandedValues::of_nested(FunctionId callee) const {
  const program::Function& function = program_.functions()[callee];
  const FunctionDef* def = function.def();
  if (!function.enclosing.valid() || def == nullptr || !def->decorators.empty()) return std::nullopt;
  if (!stays(function.enclosing, function.name, 0, 0)) return std::nullopt;
  return std::vector{function.enclosing};
}

HandedValues::Handing HandedValues::of_method(FunctionId callee) const {
  const program::Function& method = program_.functions()[callee];
  const std::string member = "." + std::string(method.name);
  std::set<FunctionId> holders;
  std::size_t places = 0;
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program_.modules()[id];
    if (!module.facts->has_name(method.name) || program::is_test_path(module.path)) continue;
    const std::string_view text = module.facts->source().bytes();
    for (std::size_t at = find_text(text, member); at != std::string_view::npos; at = find_text(text, member, at + 1)) {
      const std::size_t next = text.find_first_not_of(" \t", at + member.size());
      const char after = next == std::string_view::npos ? '\n' : text[next];
      const bool goes_on = is_name_char(after) && next == at + member.size();
      if (after == '(' || goes_on) continue;
      if (++places > kMostPlaces) return std::nullopt;
      holders.insert(program_.function_at(id, static_cast<std::uint32_t>(at)));
    }
  }
  std::vector<FunctionId> handing;
  bool is_kept = false;
  for (const FunctionId holder : holders) {
    const Node* body = holder.valid() ? program_.functions()[holder].node : nullptr;
    if (body == nullptr) continue;
    Parents parents;
    walk_with_parents(*body, parents, [&](const Node& node, const Parents& above) {
      const auto* value = as<Attribute>(&node);
      if (value == nullptr || value->name.text != method.name || value->context != ExprContext::kLoad) return;
      const auto* called = as<Call>(above.back());
      if (called != nullptr && called->callee == value) return;
      const std::vector<program::ClassId> classes = program_.instance_classes(holder, *value->value);
      const bool is_it = program_.resolve(holder, *value).function == callee ||
                         std::any_of(classes.begin(), classes.end(), [&](program::ClassId cls) {
                           return program_.find_method(cls, method.name) == callee;
                         });
      if (!is_it) return;
      is_kept = is_kept || !is_used_up(node, above, holder, 0);
      handing.push_back(holder);
    });
  }
  if (is_kept || handing.empty()) return std::nullopt;
  return handing;
}

/// Whether the local or parameter `id` of the function is, from byte `from` on, only called, asked for and handed to
/// what does no more.
bool HandedValues::stays(FunctionId function, std::string_view id, int depth, std::uint32_t from) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr || depth > kMostDepth) return false;
  read_ += def->span.end - def->span.begin;
  if (read_ > kMostRead) return false;
  bool stays = true;
  Parents parents;
  walk_with_parents(*def, parents, [&](const Node& node, const Parents& above) {
    const auto* name = as<Name>(&node);
    if (name != nullptr && name->id == id && name->context == ExprContext::kLoad && name->span.begin >= from)
      stays = stays && is_used_up(node, above, function, depth);
    const auto* inner = as<FunctionDef>(&node);
    const bool is_scope = !above.empty() && (inner != nullptr || is<Lambda>(&node) || is<ClassDef>(&node));
    if (!is_scope || (inner != nullptr && inner->name.text == id) || !rules::mentions_name(node, id)) return;
    // What a function inside holds may outlive this one, unless that is only called here.
    stays = stays && inner != nullptr && this->stays(program_.function_of(inner), id, depth + 1, 0) &&
            this->stays(function, inner->name.text, depth + 1, 0);
  });
  return stays;
}

/// Whether nothing is left of the value behind the expression in which it stands.
bool HandedValues::is_used_up(const Node& node, const Parents& parents, FunctionId function, int depth) const {
  const Node* parent = parents.back();
  if (const auto* call = as<Call>(parent); call != nullptr && call->callee != &node && makes_partial(node, *call)) {
    // What calls the partial calls the function: where that is used up, nothing is left of it.
    const Parents above(parents.begin(), parents.end() - 1);
    return !above.empty() && is_used_up(*call, above, function, depth);
  }
  if (const auto* call = as<Call>(parent)) return call->callee == &node || is_taken(node, *call, depth);
  if (is<Keyword>(parent) && parents.size() > 1) {
    const auto* call = as<Call>(parents[parents.size() - 2]);
    return call != nullptr && is_taken(node, *call, depth);
  }
  if (const auto* assign = as<Assign>(parent)) {
    const std::string_view alias = assign->targets.size() == 1 ? rules::name_of(assign->targets[0]) : "";
    if (alias.empty() || assign->value != &node) return false;
    const bool is_repeated = std::any_of(parents.begin(), parents.end(),
                                         [](const Node* above) { return is<For>(above) || is<While>(above); });
    return stays(function, alias, depth + 1, is_repeated ? 0 : assign->span.end);
  }
  const auto* branch = as<If>(parent);
  return is<Compare>(parent) || (branch != nullptr && branch->condition == &node);
}

/// Whether what the call enters does not keep the value.
bool HandedValues::is_taken(const Node& value, const Call& call, int depth) const {
  const program::CallId id = program_.call_of(&call);
  if (!id.valid() || program_.calls()[id].targets.empty()) return !may_keep(callee_name(call));
  const program::CallSite& site = program_.calls()[id];
  // What a library calls back stands beside it.
  const bool is_outside = std::any_of(site.targets.begin(), site.targets.end(),
                                      [](const program::CallTarget& target) { return !target.function.valid(); });
  if (is_outside) return !may_keep(callee_name(call));
  return std::all_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
    if (target.kind == program::CallKind::kCallback || target.kind == program::CallKind::kAutograd) return true;
    if (target.kind == program::CallKind::kConstructor) return false;
    const auto signature = signatures_.of_target(site, target);
    if (!signature) return false;
    for (const rules::AcceptedParameter& parameter : signature->parameters) {
      if (rules::given_to(*signature, call, parameter.name).value == &value)
        return stays(target.function, parameter.name, depth + 1, 0);
    }
    return false;
  });
}

}  // namespace lockstep::report
