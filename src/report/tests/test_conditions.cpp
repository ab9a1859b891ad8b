#include "report/tests/test_conditions.h"

#include <algorithm>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/tests/test_givings.h"
#include "rules/expressions.h"

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

}  // namespace

/// What is read where `part` is a setting, or an attribute of an object whose classes are known and declare it.
TestConditions::Read TestConditions::read_of(FunctionId function, const Expr& part) const {
  const auto [holder, name] = attribute_of(part);
  if (holder == nullptr || name.empty()) return {};
  if (!config_attribute(part).empty()) return {name, {}};
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
  return is_declared ? Read{name, std::move(classes)} : Read{};
}

const std::vector<TestConditions::Asked>& TestConditions::asked_at(CallId call) const {
  const auto [place, is_new] = asked_.try_emplace(call.value);
  if (!is_new) return place->second;
  const program::CallSite& site = program_.calls()[call];
  const program::Function& caller = program_.functions()[site.caller];
  if (caller.def() == nullptr || site.node == nullptr || is_test_[caller.module.index()]) return place->second;
  for (const Guard& guard : guards_of(*caller.def(), site.node->span)) {
    if (guard.condition == nullptr) continue;
    bool reads = false;
    const auto visit = [&](const auto& self, const Node& at) -> void {
      const Expr* part = as<Attribute>(&at);
      if (part == nullptr) part = as<Call>(&at);
      reads = reads || (part != nullptr && !read_of(site.caller, *part).name.empty());
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
           return std::any_of(classes.begin(), classes.end(), [&](ClassId cls) {
             const auto& line = program_.classes()[each].linearized;
             const auto& other = program_.classes()[cls].linearized;
             return std::find(line.begin(), line.end(), cls) != line.end() ||
                    std::find(other.begin(), other.end(), each) != other.end();
           });
         });
}

/// The one value that the test's own code gives what is read: the test, its fixtures and helpers, and what stands
/// outside functions in their files.
TestConditions::Given TestConditions::given(FunctionId test, const Read& read) const {
  const std::vector<FunctionId>& code = stand_ins_.code_of(test);
  std::vector<ModuleId> modules;
  for (const FunctionId one : code) {
    const ModuleId module = program_.functions()[one].module;
    if (std::find(modules.begin(), modules.end(), module) == modules.end()) modules.push_back(module);
  }
  Given all;
  for (const ModuleId id : modules) {
    const program::Module& module = program_.modules()[id];
    const std::string_view bytes = module.facts->source().bytes();
    std::size_t looked = 0;
    for (std::size_t at = find_name(bytes, read.name); at != std::string_view::npos;
         at = find_name(bytes, read.name, at + 1)) {
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
      // A parameter: what the runner or a caller gives.
      if (!around.empty() && is<Parameter>(around.back())) return {};
      const Giving giving = giving_at(around, begin, true);
      if (!giving.gives) continue;
      bool is_known = read.classes.empty();
      if (!read.classes.empty() && giving.object != nullptr && !is_of(function, *giving.object, read.classes, is_known))
        continue;
      const Value value = value_of(giving.value);
      if (value.kind == Value::Kind::kUnknown) return {};
      if (all.value.kind != Value::Kind::kUnknown && !is_same_value(all.value, value)) return {};
      all.value = value;
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
    const std::string_view bytes = module.facts->source().bytes();
    std::size_t looked = 0;
    for (std::size_t at = find_name(bytes, name); at != std::string_view::npos && looked < kMostLooked;
         at = find_name(bytes, name, at + 1), ++looked) {
      const auto begin = static_cast<std::uint32_t>(at);
      const Giving giving = giving_at(chain_to(module.facts->tree(), {begin, begin + 1}), begin, false);
      if (!giving.gives) continue;
      const FunctionId function = program_.function_at(ModuleId(i), begin);
      if (!function.valid() || (giving.value != nullptr && hands_on(*giving.value, name, false))) continue;
      place->second.push_back({function, giving.value});
    }
  }
  return place->second;
}

/// Whether the test reaches code that gives the name another value. What a constructor gives it, the test has replaced.
bool TestConditions::may_be_given_another(FunctionId test, std::string_view name, const Value& value) const {
  constexpr std::size_t kMostVisited = 4'000;
  std::vector<FunctionId> pending;
  std::unordered_set<std::uint32_t> seen;
  for (const Store& store : stores_of(name)) {
    const program::Function& function = program_.functions()[store.function];
    if (function.name == "__init__" || function.name == "__new__" || is_same_value(value_of(store.value), value))
      continue;
    if (seen.insert(store.function.value).second) pending.push_back(store.function);
  }
  const std::vector<FunctionId>& code = stand_ins_.code_of(test);
  for (std::size_t next = 0; next < pending.size(); ++next) {
    if (next >= kMostVisited || std::find(code.begin(), code.end(), pending[next]) != code.end()) return true;
    for (const CallId call : program_.callers_of(pending[next])) {
      const FunctionId caller = program_.calls()[call].caller;
      if (seen.insert(caller.value).second) pending.push_back(caller);
    }
  }
  return false;
}

bool TestConditions::closes(FunctionId test, CallId call, const std::unordered_set<std::uint32_t>& leading) const {
  for (const Asked& asked : asked_at(call)) {
    std::vector<std::pair<std::string_view, Given>> used;
    const auto value_at = [&](const Expr& part) -> Value {
      const Read read = read_of(asked.function, part);
      if (read.name.empty()) return {};
      Given one = given(test, read);
      const Value value = one.value;
      if (value.kind != Value::Kind::kUnknown) used.emplace_back(read.name, std::move(one));
      return value;
    };
    const std::optional<bool> holds = holds_with(*asked.condition, value_at);
    if (!holds || *holds != asked.negated) continue;
    const bool is_known = std::all_of(used.begin(), used.end(), [&](const auto& one) {
      return !may_be_given_another(test, one.first, one.second.value) &&
             stand_ins_.calls_outside(test, one.second.places, leading) == TestStandIns::Outside::kNo;
    });
    if (is_known) return true;
  }
  return false;
}

}  // namespace lockstep::report
