#include "report/tests/stand_in_selves.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_set>

#include "base/find_text.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "report/tests/reached_code.h"
#include "report/tests/receivers.h"
#include "rules/syntax/expressions.h"

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

/// `a` of `self.a.b.f(…)` and of `self.a(…)`.
std::string_view first_attribute(const Expr& callee, std::string_view self) {
  const auto* attribute = as<Attribute>(&callee);
  while (attribute != nullptr && rules::name_of(attribute->value) != self) attribute = as<Attribute>(attribute->value);
  return attribute == nullptr ? std::string_view() : attribute->name.text;
}

bool has_in_chain(const Expr& target, std::string_view name) {
  for (const auto* at = as<Attribute>(&target); at != nullptr; at = as<Attribute>(at->value)) {
    if (at->name.text == name) return true;
  }
  return false;
}

/// Objects that one function of the tests makes.
class Makers {
 public:
  explicit Makers(const FunctionDef* def) : def_(def) {}

  /// The call that makes the stand-in which `object` is; null where it is none.
  const Call* maker_of(const Expr* object) const {
    object = without_cast(object);
    if (const std::string_view name = rules::name_of(object); !name.empty() && def_ != nullptr)
      object = without_cast(only_value_of(*def_, name));
    const auto* call = as<Call>(object);
    return call != nullptr && makes_stand_in(*call) ? call : nullptr;
  }

  /// Whether the object is a constant, or a stand-in that holds nothing else.
  bool is_harmless(const Expr* object, int depth = 0) const {
    constexpr int kDeepest = 6;
    if (is<Constant>(object)) return true;
    const Call* maker = depth > kDeepest ? nullptr : maker_of(object);
    if (maker == nullptr || !holds_nothing(*maker, depth + 1)) return false;
    const std::string_view name = rules::name_of(without_cast(object));
    return name.empty() || !is_filled(name, depth + 1);
  }

  /// Whether what the call makes has nothing else under that name.
  bool is_empty(const Call& maker, std::string_view name) const {
    if (rules::has_spread_keywords(maker) || rules::keyword_value(maker, "wraps") != nullptr) return false;
    const Expr* value = name.empty() ? nullptr : rules::keyword_value(maker, name);
    return value == nullptr || is_harmless(value);
  }

  /// Whether nothing but constants and such stand-ins is given to what the call makes.
  bool holds_nothing(const Call& maker, int depth = 0) const {
    static constexpr std::string_view kWords[] = {"autospec", "name", "spec", "spec_set", "unsafe"};
    if (callee_name(maker) == "SimpleNamespace" && !maker.arguments.empty()) return false;
    return std::all_of(maker.keywords.begin(), maker.keywords.end(), [&](const Keyword* one) {
      return std::find(std::begin(kWords), std::end(kWords), one->name.text) != std::end(kWords) ||
             (!one->name.text.empty() && one->name.text != "wraps" && is_harmless(one->value, depth + 1));
    });
  }

  /// Whether the code stores anything in a place that `is_one` holds for, but what `may` be put there.
  bool stores(const std::function<bool(const Expr&)>& is_one,
              const std::function<bool(const Expr& target, const Expr& value)>& may) const {
    std::unordered_set<const Node*> known;
    bool found = false;
    const auto put = [&](const Expr& target, const Expr* value) {
      if (!known.insert(&target).second || value == nullptr || !is_one(target)) return;
      found = found || !may(target, *value);
    };
    walk(*def_, Nested::kEnter, [&](const Node* node) {
      if (const auto* assign = as<Assign>(node)) {
        for (const Expr* target : assign->targets) {
          if (is<Attribute>(target) || is<Name>(target)) put(*target, assign->value);
        }
      }
      if (const auto* declared = as<AnnAssign>(node)) put(*declared->target, declared->value);
      const auto* attribute = as<Attribute>(node);
      const auto* name = as<Name>(node);
      const bool is_store = (attribute != nullptr && attribute->context == ExprContext::kStore) ||
                            (name != nullptr && name->context == ExprContext::kStore);
      found = found || (is_store && !known.contains(node) && is_one(*static_cast<const Expr*>(node)));
    });
    return found;
  }

 private:
  /// Whether something is put on the object in the variable: `saver.save = Saver().save`, `setattr(saver, …)`.
  bool is_filled(std::string_view name, int depth) const {
    bool found = stores([&](const Expr& to) { return is<Attribute>(&to) && rules::root_name(&to) == name; },
                        [&](const Expr&, const Expr& value) { return is_harmless(&value, depth); });
    walk_of<Call>(*def_, Nested::kEnter, [&](const Call* call) {
      found = found || (rules::name_of(call->callee) == "setattr" && !call->arguments.empty() &&
                        rules::name_of(call->arguments[0]) == name);
    });
    return found;
  }

  const FunctionDef* def_;
};

}  // namespace

bool is_stand_in(const program::Program& program, program::ModuleId id, std::uint32_t at, const Expr& receiver) {
  std::string path = dotted_text(&receiver);
  if (path.empty()) return false;
  const std::string_view bytes = program.modules()[id].facts->source().bytes();
  std::size_t end = at;
  while (end < bytes.size() && is_name_char(bytes[end])) ++end;
  path += "." + std::string(bytes.substr(at, end - at));
  const auto leads_there = [&](const Expr& target) {
    const std::string name = dotted_text(&target);
    return !name.empty() && (path == name || path.starts_with(name + "."));
  };
  for (FunctionId holder = program.function_at(id, at); holder.valid();
       holder = program.functions()[holder].enclosing) {
    const FunctionDef* def = program.functions()[holder].def();
    if (def == nullptr) continue;
    bool found = false;
    walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
      const auto* made = as<Call>(assign->value);
      found = found || (made != nullptr && makes_stand_in(*made) &&
                        std::any_of(assign->targets.begin(), assign->targets.end(),
                                    [&](const Expr* target) { return leads_there(*target); }));
    });
    if (!found) continue;
    const Makers makers(def);
    return !makers.stores(leads_there, [&](const Expr& target, const Expr& value) {
      const auto* made = as<Call>(&value);
      if (made == nullptr || !makes_stand_in(*made)) return is<Constant>(&value);
      const std::string_view rest = std::string_view(path).substr(dotted_text(&target).size());
      return makers.is_empty(*made, rest.empty() ? rest : rest.substr(1, rest.find('.', 1) - 1));
    });
  }
  return false;
}

bool StandInSelves::is_empty(FunctionId test, FunctionId function, const Call& maker, std::string_view name) const {
  if (!Makers(program_.functions()[function].def()).is_empty(maker, name)) return false;
  // What is put there later.
  for (const FunctionId one : stand_ins_.code_of(test)) {
    const FunctionDef* def = program_.functions()[one].def();
    if (def == nullptr) return false;
    bool is_named = false;
    walk_of<Constant>(*def, Nested::kEnter, [&](const Constant* text) {
      is_named = is_named || (text->constant_kind == ConstantKind::kStr && text->text == name);
    });
    const Makers own(def);
    const auto is_harmless = [&](const Expr&, const Expr& value) { return own.is_harmless(&value); };
    if (is_named || own.stores([&](const Expr& to) { return has_in_chain(to, name); }, is_harmless)) return false;
  }
  return true;
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
      const Call* maker = Makers(program_.functions()[one].def()).maker_of(call->arguments[0]);
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
