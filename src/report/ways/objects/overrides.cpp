#include "report/ways/objects/overrides.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/calls/promises.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// Whether the class is one below `base`.
bool derives(const Program& program, ClassId cls, ClassId base) {
  const auto& line = program.classes()[cls].linearized;
  return cls != base && std::find(line.begin(), line.end(), base) != line.end();
}

/// `name` of `self.name(…)`; empty for other calls.
std::string_view called_on_self(const program::CallSite& site) {
  const auto* call = as<Call>(site.node);
  return call == nullptr ? std::string_view() : rules::self_attribute(call->callee);
}

/// `self.name(…)`, or `f(…)` of a wrapper: what other expressions hold is mostly not made of the base.
bool is_on_self_or_given(const program::CallSite& site) {
  const auto* call = as<Call>(site.node);
  return call != nullptr && (is<Name>(call->callee) || !rules::self_attribute(call->callee).empty());
}

std::uint64_t key_of(CallId call, FunctionId callee) { return std::uint64_t{call.value} << 32 | callee.value; }

}  // namespace

bool Overrides::is_special_case(CallId call, FunctionId callee) const {
  const program::CallSite& site = program_.calls()[call];
  const ClassId owner = program_.functions()[callee].owner;
  if (site.targets.size() < 2 || !owner.valid() || !is_on_self_or_given(site)) return false;
  const auto [place, is_new] = special_.try_emplace(key_of(call, callee), false);
  if (is_new) {
    place->second = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& other) {
      if (!other.function.valid() || other.certainty == program::Certainty::kByName) return false;
      const program::Function& base = program_.functions()[other.function];
      return base.owner.valid() && base.name == program_.functions()[callee].name &&
             derives(program_, owner, base.owner) && runs_as_defined(other.function);
    });
  }
  return place->second;
}

/// Whether the method does something, and on objects of some class that is made, if it is known which are.
bool Overrides::runs_as_defined(FunctionId method) const {
  const auto [place, is_new] = as_defined_.try_emplace(method.value, false);
  if (!is_new) return place->second;
  if (rules::is_without_body(program_, method)) return false;
  const program::Function& function = program_.functions()[method];
  if (!made_.is_known(function.owner)) return place->second = true;
  const std::vector<ClassId> kinds = program::with_descendants(program_, function.owner);
  return place->second = std::any_of(kinds.begin(), kinds.end(), [&](ClassId cls) {
           return !made_.makers_of(cls).empty() && program_.find_method(cls, function.name) == method;
         });
}

bool Overrides::is_never_held(CallId call, FunctionId callee) const {
  const program::CallSite& site = program_.calls()[call];
  if (called_on_self(site).empty()) return false;
  const auto [place, is_new] = never_.try_emplace({site.caller.value, callee.value, called_on_self(site)}, false);
  if (is_new) place->second = is_overridden_where_kept(site, callee);
  return place->second;
}

bool Overrides::is_overridden_where_kept(const program::CallSite& site, FunctionId callee) const {
  const program::Function& caller = program_.functions()[site.caller];
  const std::string_view name = called_on_self(site);
  if (!caller.owner.valid() || program_.find_method(caller.owner, name).valid()) return false;
  // What a base keeps, all its heirs hold; what others store into objects, any.
  const auto& line = program_.classes()[caller.owner].linearized;
  if (std::any_of(line.begin(), line.end(), [&](ClassId base) { return may_keep(base, name, callee); }) ||
      is_kept_from_outside(name))
    return false;
  bool is_kept = false;
  for (const ClassId heir : program::with_descendants(program_, caller.owner)) {
    if (heir == caller.owner || !may_keep(heir, name, callee)) continue;
    is_kept = true;
    for (const ClassId each : program::with_descendants(program_, heir)) {
      if (runs_on_objects_of(each, site.caller)) return false;
    }
  }
  return is_kept;
}

/// Whether the method runs on objects of the class: it is theirs, or theirs hands on to a base's.
bool Overrides::runs_on_objects_of(ClassId cls, FunctionId method) const {
  const auto [place, is_new] = runs_on_.try_emplace(std::uint64_t{cls.value} << 32 | method.value, true);
  if (!is_new) return place->second;
  const std::string_view name = program_.functions()[method].name;
  const FunctionId own = program_.find_method(cls, name);
  if (own == method || !own.valid()) return true;
  bool hands_up = false;
  for (const FunctionId each : program_.classes()[program_.functions()[own].owner].methods) {
    walk_of<Call>(*program_.functions()[each].node, Nested::kEnter, [&](const Call* inner) {
      const auto* attribute = as<Attribute>(inner->callee);
      hands_up = hands_up || (attribute != nullptr && attribute->name.text == name);
    });
  }
  return place->second = hands_up;
}

bool Overrides::may_keep(ClassId cls, std::string_view name, FunctionId callee) const {
  const Kept& kept = kept_in(cls, name);
  return kept.is_unknown || kept.functions.contains(callee.value);
}

/// What the methods of the class itself store in `self.name`; what they make of what is there already is what was
/// there.
const Overrides::Kept& Overrides::kept_in(ClassId cls, std::string_view name) const {
  const auto [place, is_new] = kept_.try_emplace({cls.value, name});
  Kept& kept = place->second;
  if (!is_new) return kept;
  for (const FunctionId method : program_.classes()[cls].methods) {
    walk_statements(*program_.functions()[method].node, Nested::kEnter, [&](const Stmt* statement) {
      const Expr* value = nullptr;
      if (const auto* assign = as<Assign>(statement)) {
        const bool stores = std::any_of(assign->targets.begin(), assign->targets.end(),
                                        [&](const Expr* target) { return rules::self_attribute(target) == name; });
        if (stores) value = assign->value;
      } else if (const auto* declared = as<AnnAssign>(statement)) {
        if (rules::self_attribute(declared->target) == name) value = declared->value;
      }
      if (value == nullptr || kept.is_unknown || rules::mentions_attribute(*value, name)) return;
      const program::Reference held = program_.resolve(method, *value);
      if (held.kind == program::Reference::Kind::kFunction) {
        kept.functions.insert(held.function.value);
      } else {
        kept.is_unknown = true;
      }
    });
  }
  return kept;
}

/// Whether code outside tests stores an attribute of this name into other objects than `self`, or by computed names.
bool Overrides::is_kept_from_outside(std::string_view name) const {
  const auto [place, is_new] = from_outside_.try_emplace(name, false);
  if (!is_new) return place->second;
  bool found = false;
  for (std::size_t i = 0; i < program_.modules().size() && !found; ++i) {
    const program::Module& module = program_.modules()[program::ModuleId(i)];
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* attribute) {
      found = found || (attribute->name.text == name && attribute->context != ExprContext::kLoad &&
                        rules::self_attribute(attribute).empty());
    });
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
      found = found || (callee_name(*call) == "setattr" && call->arguments.size() == 3 &&
                        rules::text_of(call->arguments[1]) == name);
    });
  }
  return from_outside_[name] = found;
}

}  // namespace lockstep::report
