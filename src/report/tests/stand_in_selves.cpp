#include "report/tests/stand_in_selves.h"

#include <algorithm>
#include <map>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/tests/reached_code.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::FunctionId;

namespace {

bool makes_stand_in(const Call& call) {
  static constexpr std::string_view kMakers[] = {
      "AsyncMock", "MagicMock", "Mock", "NonCallableMagicMock", "NonCallableMock", "PropertyMock", "SimpleNamespace"};
  return std::find(std::begin(kMakers), std::end(kMakers), callee_name(call)) != std::end(kMakers);
}

/// `x` of `cast(T, x)`.
const Expr* without_cast(const Expr* expression) {
  const auto* call = as<Call>(expression);
  return call != nullptr && callee_name(*call) == "cast" && call->arguments.size() == 2 ? call->arguments[1]
                                                                                        : expression;
}

/// The first parameter of a method that is called on an object.
std::string_view self_of(const program::Function& function) {
  const FunctionDef* def = function.def();
  if (def == nullptr || !function.owner.valid() || def->parameters->all.empty()) return {};
  for (const Expr* decorator : def->decorators) {
    const std::string_view name = rules::name_of(decorator);
    if (name == "staticmethod" || name == "classmethod") return {};
  }
  return def->parameters->all.front()->name.text;
}

/// `a` of `self.a.b.f(…)` and of `self.a(…)`.
std::string_view first_attribute(const Expr& callee, std::string_view self) {
  const auto* attribute = as<Attribute>(&callee);
  while (attribute != nullptr && rules::name_of(attribute->value) != self) attribute = as<Attribute>(attribute->value);
  return attribute == nullptr ? std::string_view() : attribute->name.text;
}

}  // namespace

bool is_stand_in(const program::Program& program, program::ModuleId id, std::uint32_t at, const Expr& receiver) {
  const std::string path = dotted_text(&receiver);
  if (path.empty()) return false;
  FunctionId holder = program.function_at(id, at);
  bool found = false;
  for (; holder.valid() && !found; holder = program.functions()[holder].enclosing) {
    const Node* node = program.functions()[holder].node;
    if (node == nullptr) continue;
    walk_statements(*node, Nested::kSkip, [&](const Stmt* statement) {
      const auto* assign = as<Assign>(statement);
      const auto* made = assign == nullptr ? nullptr : as<Call>(assign->value);
      if (made == nullptr || found || !makes_stand_in(*made)) return;
      for (const Expr* target : assign->targets) {
        const std::string name = dotted_text(target);
        found = found || (!name.empty() && (path == name || path.starts_with(name + ".")));
      }
    });
  }
  return found;
}

const Call* StandInSelves::maker_of(FunctionId function, const Expr* object) const {
  object = without_cast(object);
  if (const auto* call = as<Call>(object)) return makes_stand_in(*call) ? call : nullptr;
  const std::string_view name = rules::name_of(object);
  const FunctionDef* def = program_.functions()[function].def();
  if (name.empty() || def == nullptr) return nullptr;
  std::size_t bindings = 0;
  const Call* maker = nullptr;
  walk(*def, Nested::kEnter, [&](const Node* node) {
    const auto* bound = as<Name>(node);
    if (bound != nullptr && bound->id == name && bound->context != ExprContext::kLoad) ++bindings;
    if (const auto* parameter = as<Parameter>(node); parameter != nullptr && parameter->name.text == name) ++bindings;
    const auto* assign = as<Assign>(node);
    if (assign == nullptr || assign->targets.size() != 1 || rules::name_of(assign->targets.front()) != name) return;
    const auto* call = as<Call>(without_cast(assign->value));
    maker = call != nullptr && makes_stand_in(*call) ? call : nullptr;
  });
  return bindings == 1 ? maker : nullptr;
}

bool StandInSelves::is_empty(FunctionId test, FunctionId function, const Call& maker, std::string_view name) const {
  const auto is_harmless = [&](const Expr* value) {
    const auto* call = as<Call>(value);
    if (call != nullptr && rules::keyword_value(*call, "wraps") != nullptr) return false;
    return is<Constant>(value) || maker_of(function, value) != nullptr;
  };
  if (rules::has_spread_keywords(maker) || rules::keyword_value(maker, "wraps") != nullptr) return false;
  const Expr* value = rules::keyword_value(maker, name);
  if (value != nullptr && !is_harmless(value)) return false;
  // What is put there later.
  bool is_set = false;
  for (const FunctionId one : stand_ins_.code_of(test)) {
    const FunctionDef* def = program_.functions()[one].def();
    if (def == nullptr) return false;
    walk(*def, Nested::kEnter, [&](const Node* node) {
      if (const auto* assign = as<Assign>(node); assign != nullptr && !is_harmless(assign->value)) {
        is_set = is_set || std::any_of(assign->targets.begin(), assign->targets.end(), [&](const Expr* target) {
                   const auto* attribute = as<Attribute>(target);
                   return attribute != nullptr && attribute->name.text == name;
                 });
      }
      const auto* text = as<Constant>(node);
      is_set = is_set || (text != nullptr && text->constant_kind == ConstantKind::kStr && text->text == name);
    });
  }
  return !is_set;
}

std::vector<CallId> StandInSelves::find_calls(FunctionId test) const {
  const std::vector<FunctionId>& code = stand_ins_.code_of(test);
  const auto runs = [&](FunctionId one) { return std::find(code.begin(), code.end(), one) != code.end(); };
  struct Made {
    FunctionId function;
    const Call* maker = nullptr;
  };
  std::map<std::uint32_t, std::vector<Made>> methods;  // With the stand-ins that they are given.
  for (const FunctionId one : code) {
    for (const CallId id : program_.functions()[one].calls) {
      const program::CallSite& site = program_.calls()[id];
      const auto* call = as<Call>(site.node);
      const auto* attribute = call == nullptr ? nullptr : as<Attribute>(call->callee);
      if (attribute == nullptr || call->arguments.empty() || is<Starred>(call->arguments[0])) continue;
      const Call* maker = maker_of(one, call->arguments[0]);
      if (maker == nullptr || program_.resolve(one, *attribute->value).kind != program::Reference::Kind::kClass)
        continue;
      for (const program::CallTarget& to : site.targets) {
        if (to.function.valid() && !self_of(program_.functions()[to.function]).empty() &&
            program_.functions()[to.function].name == attribute->name.text)
          methods[to.function.value].push_back({one, maker});
      }
    }
  }
  std::vector<CallId> out;
  for (const auto& [value, made] : methods) {
    const FunctionId method(value);
    std::size_t own = 0;
    std::vector<FunctionId> others;
    for (const CallId id : program_.callers_of(method)) {
      const FunctionId caller = program_.calls()[id].caller;
      if (runs(caller)) ++own;
      // The method itself, of a stand-in, calls nothing of the repository.
      if (!runs(caller) && caller != method && !is_test_[program_.functions()[caller].module.index()])
        others.push_back(caller);
    }
    if (own != made.size() || reaches_any(program_, code, others)) continue;
    const std::string_view self = self_of(program_.functions()[method]);
    for (const CallId id : program_.functions()[method].calls) {
      const auto* call = as<Call>(program_.calls()[id].node);
      const std::string_view name = call == nullptr ? std::string_view() : first_attribute(*call->callee, self);
      if (!name.empty() && std::all_of(made.begin(), made.end(),
                                       [&](const Made& one) { return is_empty(test, one.function, *one.maker, name); }))
        out.push_back(id);
    }
  }
  return out;
}

const std::vector<CallId>& StandInSelves::calls_of(FunctionId test) const {
  const auto [place, is_new] = known_.try_emplace(test.value);
  if (is_new) place->second = find_calls(test);
  return place->second;
}

}  // namespace lockstep::report
