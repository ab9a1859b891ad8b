#include "report/tests/test_conditions.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/find_text.h"
#include "python/tree_walk.h"
#include "report/source/held_settings.h"
#include "report/tests/reached_code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;

namespace {

/// A file that names it more often may be anything.
constexpr std::size_t kMostLooked = 1000;

/// `x` of `x.name` and of `getattr(x, "name", …)`, with the name.
std::pair<const Expr*, std::string_view> attribute_of(const Expr& expression) {
  if (const auto* attribute = as<Attribute>(&expression)) return {attribute->value, attribute->name.text};
  const auto* call = as<Call>(&expression);
  const auto* callee = call == nullptr ? nullptr : as<Name>(call->callee);
  if (callee == nullptr || callee->id != "getattr" || call->arguments.size() < 2) return {nullptr, {}};
  return {call->arguments[0], rules::text_of(call->arguments[1])};
}

/// Whether it stands in a decorator of the function.
bool is_in_decorator_of(const FunctionDef& def, std::uint32_t at) {
  return std::any_of(def.decorators.begin(), def.decorators.end(),
                     [&](const Expr* one) { return one->span.contains(at); });
}

/// Whether a condition can be told by constants: `x`, `x == "a"`, `not …`, and what is joined of them.
bool asks_name(const Expr& condition, const FunctionDef& def) {
  bool found = false;
  const auto visit = [&](const auto& self, const Expr& at) -> void {
    if (const auto* name = as<Name>(&at)) {
      found = found || rules::parameter_named(&def, name->id) != nullptr;
    } else if (const auto* unary = as<UnaryOp>(&at)) {
      if (unary->op == UnaryOperator::kNot) self(self, *unary->operand);
    } else if (const auto* both = as<BoolOp>(&at)) {
      for (const Expr* value : both->values) self(self, *value);
    } else if (const auto* compare = as<Compare>(&at); compare != nullptr && is<Name>(compare->left)) {
      self(self, *compare->left);
    }
  };
  visit(visit, condition);
  return found;
}

}  // namespace

/// What is read where `part` is a setting, or an attribute of an object whose classes are known and declare it.
TestConditions::Read TestConditions::read_of(FunctionId function, const Expr& part) const {
  const auto [holder, name] = attribute_of(part);
  if (holder == nullptr || name.empty()) return {};
  if (!config_attribute(part).empty()) return {name, {}, class_declaring(program_, function, part, name)};
  const ClassId owner = program_.functions()[function].owner;
  std::vector<ClassId> classes;
  if (rules::name_of(holder) == "self" && owner.valid()) {
    classes = {owner};
  } else if (is<Name>(holder)) {
    classes = program_.instance_classes(function, *holder);
  }
  const bool is_declared =
      !classes.empty() && std::all_of(classes.begin(), classes.end(), [&, read = name](ClassId cls) {
        return program_.find_field(cls, read) != nullptr;
      });
  return is_declared ? Read{name, std::move(classes), {}} : Read{};
}

const std::vector<TestConditions::Asked>& TestConditions::asked_at(CallId call) const {
  const auto [place, is_new] = asked_.try_emplace(call.value);
  if (!is_new) return place->second;
  const program::CallSite& site = program_.calls()[call];
  const program::Function& caller = program_.functions()[site.caller];
  if (caller.def() == nullptr || site.node == nullptr || is_test_[caller.module.index()]) return place->second;
  for (const Guard& guard : guards_of(*caller.def(), site.node->span)) {
    if (guard.condition == nullptr) continue;
    bool reads = asks_name(*guard.condition, *caller.def());
    const auto visit = [&](const auto& self, const Node& at) -> void {
      const Expr* part = as<Attribute>(&at);
      if (part == nullptr) part = as<Call>(&at);
      reads = reads || (part != nullptr && (!read_of(site.caller, *part).name.empty() ||
                                            (caller.owner.valid() && !attribute_of_self(*part).empty())));
      for_each_child(at, [&](const Node* child) { self(self, *child); });
    };
    visit(visit, *guard.condition);
    if (reads) place->second.push_back({guard.condition, guard.negated, site.caller});
  }
  return place->second;
}

/// Whether the object may be of one of the classes, or of one above or below; `is_known`: whether it is known to be.
bool TestConditions::is_of(FunctionId function, const Expr& object, const std::vector<ClassId>& classes,
                           bool& is_known) const {
  const std::vector<ClassId> own = program_.instance_classes(function, object);
  is_known = !own.empty();
  return own.empty() || std::any_of(own.begin(), own.end(), [&](ClassId each) {
           return std::any_of(classes.begin(), classes.end(), [&](ClassId cls) { return is_related(each, cls); });
         });
}

bool TestConditions::is_related(ClassId one, ClassId other) const {
  const auto& line = program_.classes()[one].linearized;
  const auto& others = program_.classes()[other].linearized;
  return std::find(line.begin(), line.end(), other) != line.end() ||
         std::find(others.begin(), others.end(), one) != others.end();
}

/// A constant, or what the runner gives a parameter of the test.
std::vector<Value> TestConditions::values_given(FunctionId test, FunctionId holder, const Expr* value) const {
  if (Value one = value_of(value); one.kind != Value::Kind::kUnknown) return {std::move(one)};
  const std::string_view name = rules::name_of(value);
  if (holder != test || name.empty() || rules::binds_name(*program_.functions()[test].def(), name)) return {};
  return parametrized_values(program_, test, name);
}

/// The values that the test's own code gives what is read: the test, its fixtures and helpers, and what stands
/// outside functions in their files.
TestConditions::Given TestConditions::given(FunctionId test, const Read& read) const {
  const std::vector<FunctionId>& code = stand_ins_.code_of(test);
  std::vector<ModuleId> modules;
  for (const FunctionId one : code) {
    const ModuleId module = program_.functions()[one].module;
    if (std::find(modules.begin(), modules.end(), module) == modules.end()) modules.push_back(module);
  }
  Given all;
  all.name = read.name;
  all.declared_by = read.declared_by;
  all.is_of_place = true;
  for (const ModuleId id : modules) {
    const program::Module& module = program_.modules()[id];
    const python::FileFacts& facts = *module.facts;
    std::size_t looked = 0;
    for (std::size_t at = facts.find_name(read.name); at != std::string_view::npos;
         at = facts.find_name(read.name, at + 1)) {
      if (++looked > kMostLooked) return {};
      const auto begin = static_cast<std::uint32_t>(at);
      const FunctionId function = program_.function_at(id, begin);
      FunctionId holder = function;
      while (holder.valid() && program_.functions()[holder].kind == program::FunctionKind::kFunction &&
             std::find(code.begin(), code.end(), holder) == code.end())
        holder = program_.functions()[holder].enclosing;
      // In a function that the test does not call.
      if (function.valid() && !holder.valid()) continue;
      const std::vector<const Node*> around = chain_to(module.facts->tree(), {begin, begin + 1});
      // What the runner gives the test counts where the test hands it on.
      const bool is_parametrized = holder == test && !parametrized_values(program_, test, read.name).empty();
      if (!around.empty() && is<Parameter>(around.back())) {
        if (is_parametrized) continue;
        return {};
      }
      const FunctionDef* own = program_.functions()[test].def();
      if (is_in_decorator_of(*own, begin) && !parametrized_values(program_, test, read.name).empty()) continue;
      const Giving giving = giving_at(around, begin, true);
      if (!giving.gives) continue;
      bool is_known = read.classes.empty();
      if (!read.classes.empty() && giving.object != nullptr && !is_of(function, *giving.object, read.classes, is_known))
        continue;
      std::vector<Value> values = values_given(test, holder, giving.value);
      if (values.empty()) return {};
      if (!all.values.empty() && !std::equal(values.begin(), values.end(), all.values.begin(), all.values.end(),
                                             [](const Value& a, const Value& b) { return is_same_value(a, b); }))
        return {};
      all.values = std::move(values);
      const FunctionDef* def = holder.valid() ? program_.functions()[holder].def() : nullptr;
      const bool is_always = def != nullptr && std::none_of(around.begin(), around.end(), [&](const Node* node) {
                               // What stands in a function of its own runs when that is called.
                               if ((is<FunctionDef>(node) || is<Lambda>(node)) && node != def)
                                 return def->span.contains(node->span);
                               const bool is_branch = is<If>(node) || is<For>(node) || is<While>(node) ||
                                                      is<ExceptHandler>(node) || is<MatchCase>(node) || is<IfExp>(node);
                               return is_branch && def->span.contains(node->span);
                             });
      if (is_known && is_always)
        all.places.push_back({read.name, {}, {}, true, holder, {begin, def->span.end}, true, {begin, begin}});
    }
  }
  return all.places.empty() ? Given() : all;
}

const std::vector<TestConditions::Store>& TestConditions::stores_of(std::string_view name) const {
  const auto [place, is_new] = stores_.try_emplace(name);
  if (!is_new) return place->second;
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    if (is_test_[i]) continue;
    const program::Module& module = program_.modules()[ModuleId(i)];
    const python::FileFacts& facts = *module.facts;
    std::size_t looked = 0;
    for (std::size_t at = facts.find_name(name); at != std::string_view::npos && looked < kMostLooked;
         at = facts.find_name(name, at + 1), ++looked) {
      const auto begin = static_cast<std::uint32_t>(at);
      const Giving giving = giving_at(chain_to(module.facts->tree(), {begin, begin + 1}), begin, false);
      if (!giving.gives) continue;
      const FunctionId function = program_.function_at(ModuleId(i), begin);
      if (!function.valid()) continue;
      place->second.push_back({function, giving, giving.value != nullptr && hands_on(*giving.value, name, false)});
    }
  }
  return place->second;
}

/// Functions outside tests that make an object of the class, or of one below it, of a dictionary: `Config(**given)`.
const std::vector<FunctionId>& TestConditions::spreading_into(ClassId cls) const {
  const auto [place, is_new] = spreading_.try_emplace(cls.value);
  std::vector<FunctionId>& out = place->second;
  if (!is_new) return out;
  for (const program::CallSite& site : program_.calls()) {
    const auto* call = as<Call>(site.node);
    if (call == nullptr || !rules::has_spread_keywords(*call) ||
        is_test_[program_.functions()[site.caller].module.index()])
      continue;
    const program::Reference to = program_.resolve(site.caller, *call->callee);
    if (to.kind == program::Reference::Kind::kClass && is_related(to.cls, cls)) out.push_back(site.caller);
  }
  return out;
}

bool TestConditions::may_be_of(const Store& store, ClassId cls) const {
  if (store.giving.object != nullptr) {
    const ClassId owner = program_.functions()[store.function].owner;
    if (owner.valid() && rules::name_of(store.giving.object) == "self") return is_related(owner, cls);
    bool is_known = false;
    return is_of(store.function, *store.giving.object, {cls}, is_known);
  }
  if (store.giving.call == nullptr) return false;
  const program::Reference to = program_.resolve(store.function, *store.giving.call->callee);
  if (to.kind == program::Reference::Kind::kClass) return is_related(to.cls, cls);
  // A function that makes one names its class.
  const FunctionDef* def =
      to.kind == program::Reference::Kind::kFunction ? program_.functions()[to.function].def() : nullptr;
  if (def == nullptr) return true;
  const std::string_view text = program_.module_of(to.function).facts->source().slice(def->span);
  return find_name(text, program_.classes()[cls].name) != std::string_view::npos;
}

/// Whether the test reaches code that gives the name another value; what only the call `without` leads to comes after
/// the condition on it.
bool TestConditions::may_be_given_another(FunctionId test, std::string_view name, const std::vector<Value>& values,
                                          ClassId declared_by, Constructors constructors, CallId without) const {
  const std::vector<FunctionId>& code = stand_ins_.code_of(test);
  const bool takes_dicts = declared_by.valid() && reaches_any(program_, code, spreading_into(declared_by));
  std::vector<FunctionId> handing;
  std::vector<FunctionId> all;
  std::vector<FunctionId> own;  // Those that may give it to an object of the class that declares it.
  for (const Store& store : stores_of(name)) {
    // What is parsed of a command line gets into a configuration as a dictionary does, or attribute by attribute.
    const std::string_view object = store.giving.object == nullptr ? "" : rules::name_of(store.giving.object);
    const bool is_in_dict = object == "args" || (store.giving.object == nullptr && store.giving.call == nullptr);
    const bool is_own = !declared_by.valid() || (is_in_dict ? takes_dicts : may_be_of(store, declared_by));
    if (store.hands_on) {
      const bool is_taken = declared_by.valid() && is_own && store.giving.call != nullptr;
      if (is_taken && is<Attribute>(store.giving.value)) handing.push_back(store.function);
      continue;
    }
    const program::Function& function = program_.functions()[store.function];
    const Value value = value_of(store.giving.value);
    const bool is_one =
        std::any_of(values.begin(), values.end(), [&](const Value& each) { return is_same_value(each, value); });
    const bool is_constructor = function.name == "__init__" || function.name == "__new__";
    const bool is_left_out =
        constructors == Constructors::kLeaveOut || (constructors == Constructors::kLeaveOutOwn && object == "self");
    if (is_one || (is_constructor && is_left_out)) continue;
    all.push_back(store.function);
    if (is_own) own.push_back(store.function);
  }
  // Where something takes it over from an object of another class, that is what others give that one.
  const bool takes_over = !handing.empty() && reaches_any(program_, code, handing);
  return reaches_any(program_, code, takes_over ? all : own, without);
}

TestConditions::Given TestConditions::find_given(FunctionId test, const Asked& asked, const Expr& part) const {
  if (const Read read = read_of(asked.function, part); !read.name.empty()) {
    Given one = given(test, read);
    if (!one.values.empty()) return one;
  }
  if (!attribute_of_self(part).empty()) {
    TestObjects::Held held = objects_.held(test, asked.function, part);
    if (held.value.kind != Value::Kind::kUnknown)
      return {{std::move(held.value)},
              {},
              held.setting,
              held.declared_by,
              attribute_of_self(part),
              program_.functions()[asked.function].owner,
              false};
  }
  const FunctionDef* def = program_.functions()[asked.function].def();
  const std::string_view name = rules::name_of(&part);
  if (name.empty() || name == "self" || rules::parameter_named(def, name) == nullptr) return {};
  return {parameters_.given(test, asked.function, name), {}, {}, {}, {}, {}, false};
}

bool TestConditions::is_closed(FunctionId test, const Asked& asked, CallId call,
                               const std::unordered_set<std::uint32_t>& leading) const {
  constexpr std::size_t kMostRuns = 24;
  // First what is asked for, then what comes of it with each of the values.
  std::map<const Expr*, Given> known;
  std::vector<const Given*> several;
  holds_with(*asked.condition, [&](const Expr& part) -> Value {
    Given one = find_given(test, asked, part);
    if (!one.values.empty()) {
      const Given& kept = known.emplace(&part, std::move(one)).first->second;
      if (kept.values.size() > 1 && std::find(several.begin(), several.end(), &kept) == several.end())
        several.push_back(&kept);
    }
    return {};
  });
  std::size_t runs = known.empty() ? 0 : 1;
  for (const Given* one : several) runs = std::min(runs * one->values.size(), kMostRuns + 1);
  if (runs == 0 || runs > kMostRuns) return false;
  std::unordered_set<const Given*> used;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::optional<bool> holds = holds_with(*asked.condition, [&](const Expr& part) -> Value {
      const auto found = known.find(&part);
      if (found == known.end()) return {};
      used.insert(&found->second);
      std::size_t left = run;
      for (const Given* one : several) {
        if (one == &found->second) return one->values[left % one->values.size()];
        left /= one->values.size();
      }
      return found->second.values.front();
    });
    if (!holds || *holds != asked.negated) return false;
  }
  return std::all_of(used.begin(), used.end(), [&](const Given* one) {
    if (one->name.empty()) return true;
    // What a constructor gives it, the test has replaced, where it puts the value there itself.
    const Constructors constructors = one->is_of_place ? Constructors::kLeaveOut : Constructors::kCount;
    if (!one->attribute.empty() &&
        may_be_given_another(test, one->attribute, one->values, one->owner, Constructors::kLeaveOutOwn, call))
      return false;
    return !may_be_given_another(test, one->name, one->values, one->declared_by, constructors, call) &&
           (!one->is_of_place || stand_ins_.calls_outside(test, one->places, leading) == TestStandIns::Outside::kNo);
  });
}

bool TestConditions::closes(FunctionId test, CallId call, const std::unordered_set<std::uint32_t>& leading) const {
  const std::vector<Asked>& all = asked_at(call);
  return std::any_of(all.begin(), all.end(), [&](const Asked& asked) { return is_closed(test, asked, call, leading); });
}

bool TestConditions::closes_guard(FunctionId test, FunctionId function, const Guard& guard,
                                  const std::unordered_set<std::uint32_t>& leading) const {
  return guard.condition != nullptr && is_closed(test, {guard.condition, guard.negated, function}, CallId(), leading);
}

bool TestConditions::may_close_by_name(FunctionId test, CallId call) const {
  const program::CallSite& site = program_.calls()[call];
  const FunctionDef* def = program_.functions()[site.caller].def();
  const FunctionDef* own = program_.functions()[test].def();
  if (def == nullptr || own == nullptr || own->decorators.empty() ||
      is_test_[program_.functions()[site.caller].module.index()])
    return false;
  for (const Guard& guard : guards_of(*def, site.node->span)) {
    const auto* compare = as<Compare>(guard.condition);
    const std::string_view name = compare == nullptr ? std::string_view() : rules::name_of(compare->left);
    if (name.empty() || rules::parameter_named(own, name) == nullptr) continue;
    const std::vector<Value> values = parametrized_values(program_, test, name);
    const bool closes = !values.empty() && std::all_of(values.begin(), values.end(), [&](const Value& value) {
      const auto holds =
          holds_with(*compare, [&](const Expr& part) { return &part == compare->left ? value : Value(); });
      return holds && *holds == guard.negated;
    });
    if (closes) return true;
  }
  return false;
}

}  // namespace lockstep::report
