#include "report/ways/objects/held_objects.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/local_values.h"
#include "report/story/steps/steps.h"
#include "report/ways/conditions/condition_kinds.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// The places that give an attribute such an object; nothing where one of them is not known.
using Holdings = std::optional<std::vector<Holding>>;

class Attributes {
 public:
  Attributes(const Program& program, ClassId owner, FunctionId callee)
      : program_(program), owner_(owner), callee_(callee) {}

  Holdings of(std::string_view attribute) {
    constexpr std::size_t kMostAttributes = 4;
    if (!asked_.insert(attribute).second) return std::vector<Holding>();
    if (asked_.size() > kMostAttributes) return {};
    std::vector<Holding> out;
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::ModuleId id(i);
      if (!program::is_test_path(program_.modules()[id].path) && !add_from(id, attribute, out)) return {};
    }
    return out;
  }

 private:
  enum class Gives : std::uint8_t { kOther, kObject, kUnknown };

  /// Whether one object may be of both classes.
  [[nodiscard]] bool may_be_one(ClassId other) const {
    const auto below = program::with_descendants(program_, owner_);
    return std::any_of(below.begin(), below.end(), [&](ClassId one) {
      const auto& line = program_.classes()[one].linearized;
      return std::find(line.begin(), line.end(), other) != line.end();
    });
  }

  /// What a value gives that names a class: `C` of `C(…)`, `A if condition else B`, a local that holds one of these.
  [[nodiscard]] Gives makes(FunctionId function, const Expr& cls, int depth) const {
    if (const auto* either = as<IfExp>(&cls)) {
      const Gives a = makes(function, *either->body, depth);
      const Gives b = makes(function, *either->orelse, depth);
      if (a == Gives::kUnknown || b == Gives::kUnknown) return Gives::kUnknown;
      return a == Gives::kObject ? a : b;
    }
    const program::Reference found = program_.resolve(function, cls);
    if (found.kind == program::Reference::Kind::kClass) {
      const FunctionId method = program_.find_method(found.cls, program_.functions()[callee_].name);
      return method == callee_ ? Gives::kObject : Gives::kOther;
    }
    const FunctionDef* def = program_.functions()[function].def();
    const auto* name = as<Name>(&cls);
    const Expr* value = name == nullptr || def == nullptr || depth == 0 ? nullptr : only_value_of(*def, name->id);
    return value == nullptr ? Gives::kUnknown : makes(function, *value, depth - 1);
  }

  /// Adds what one assignment gives the attribute. False where that is not known.
  bool add(FunctionId function, const Expr& value, const std::vector<Guard>& guards, std::vector<Holding>& out) {
    if (rules::is_none(&value)) return true;
    if (const std::string_view other = rules::self_attribute(&value); !other.empty()) {
      const Holdings found = of(other);
      if (!found) return false;
      if (found->empty()) return true;
      if (guards.empty()) {
        out.insert(out.end(), found->begin(), found->end());
      } else {
        out.push_back({function, guards});
      }
      return true;
    }
    const auto* made = as<Call>(&value);
    if (made == nullptr) return false;
    const Gives gives = makes(function, *made->callee, 1);
    if (gives == Gives::kObject) out.push_back({function, guards});
    return gives != Gives::kUnknown;
  }

  bool add_from(program::ModuleId id, std::string_view attribute, std::vector<Holding>& out) {
    const FileFacts& facts = *program_.modules()[id].facts;
    for (std::size_t at = facts.find_name(attribute); at != std::string_view::npos;
         at = facts.find_name(attribute, at + 1)) {
      const auto begin = static_cast<std::uint32_t>(at);
      const Attribute* stored = nullptr;
      const Node* statement = nullptr;
      for (const Node* node : chain_to(facts.tree(), {begin, begin + 1})) {
        const auto* one = as<Attribute>(node);
        if (one != nullptr && one->name.text == attribute && one->context != ExprContext::kLoad) stored = one;
        if (is<Assign>(node) || is<AnnAssign>(node)) statement = node;
      }
      if (stored == nullptr || statement == nullptr || stored->context == ExprContext::kDel) continue;
      const FunctionId function = program_.function_at(id, begin);
      const bool is_own = function.valid() && rules::self_attribute(stored) == attribute;
      const ClassId owner = is_own ? owner_around(function) : ClassId();
      if (is_own && owner.valid() && !may_be_one(owner)) continue;
      const FunctionDef* def = function.valid() ? program_.functions()[function].def() : nullptr;
      const Expr* target = nullptr;
      const Expr* value = assigned_value(statement, target);
      // `self.x: T` alone gives nothing.
      if (const auto* declared = as<AnnAssign>(statement); declared != nullptr && declared->value == nullptr) continue;
      if (!is_own || !owner.valid() || def == nullptr || value == nullptr || target != stored) return false;
      std::vector<Guard> guards = guards_of(*def, statement->span);
      std::erase_if(guards, [](const Guard& guard) { return guard.condition == nullptr; });
      if (!add(function, *value, guards, out)) return false;
    }
    return true;
  }

  [[nodiscard]] ClassId owner_around(FunctionId function) const {
    while (function.valid() && !program_.functions()[function].owner.valid())
      function = program_.functions()[function].enclosing;
    return function.valid() ? program_.functions()[function].owner : ClassId();
  }

  const Program& program_;
  const ClassId owner_;
  const FunctionId callee_;
  std::set<std::string_view> asked_;
};

/// `x` of `self.x.f(…)`; empty for others.
std::string_view attribute_of_receiver(const program::CallSite& site) {
  const auto* call = as<Call>(site.node);
  const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
  return method == nullptr ? std::string_view() : rules::self_attribute(method->value);
}

}  // namespace

std::vector<Holding> holdings_of_receiver(const Program& program, const program::CallSite& site, FunctionId callee) {
  const std::string_view attribute = attribute_of_receiver(site);
  const ClassId owner = program.functions()[site.caller].owner;
  if (attribute.empty() || !owner.valid() || !program.functions()[callee].owner.valid()) return {};
  Holdings found = Attributes(program, owner, callee).of(attribute);
  if (!found) return {};
  // Whether the object has the attribute that is handed on says nothing of runs.
  for (Holding& one : *found) {
    std::erase_if(one.guards, [](const Guard& guard) {
      const auto* call = as<Call>(guard.condition);
      return call != nullptr && rules::name_of(call->callee) == "hasattr";
    });
    if (one.guards.empty()) return {};
  }
  return std::move(*found);
}

bool is_held_only_in_inference(const Program& program, FunctionId method) {
  constexpr std::size_t kMostCalls = 8;
  if (!method.valid() || !program.functions()[method].owner.valid()) return false;
  std::size_t calls = 0;
  for (const program::CallId id : program.callers_of(method)) {
    const program::CallSite& site = program.calls()[id];
    if (program::is_test_path(program.module_of(site.caller).path)) continue;
    if (++calls > kMostCalls) return false;
    const std::vector<Holding> held = holdings_of_receiver(program, site, method);
    const bool is_for_it = !held.empty() && std::all_of(held.begin(), held.end(), [](const Holding& one) {
      return ask_for_inference(one.guards);
    });
    if (!is_for_it) return false;
  }
  return calls > 0;
}

}  // namespace lockstep::report
