#include "report/ways/objects/factory_choices.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::ClassId;
using program::FunctionId;

namespace {

constexpr std::size_t kWhole = SIZE_MAX;  ///< In place of the number of an element.
constexpr int kMostDepth = 16;
constexpr int kMostSteps = 80;  ///< Values looked at for one call.
constexpr std::size_t kMostReceivers = 8;

bool yields(const FunctionDef& def) {
  bool found = false;
  walk(def, Nested::kSkip, [&](const Node* node) {
    found = found || is<Yield>(node) || is<YieldFrom>(node);
    return true;
  });
  return found;
}

/// `if not ok: raise …`: what comes after it chooses nothing.
bool only_refuses(const Guard& guard, Span place) {
  const auto* branch = as<If>(guard.statement);
  return branch != nullptr && !branch->span.contains(place) && !branch->body.empty() && is<Raise>(branch->body.back());
}

}  // namespace

/// What is looked for, and where the walk stands.
struct FactoryChoices::Search {
  std::vector<MadeReceiver> found;
  int depth = 0;
  int steps = 0;
  const Expr* returned = nullptr;  ///< The value of the last `return` that was come to.
  std::vector<UnmetGuard> guards;
  /// Names that were looked at: function, name, element and how many conditions it was under.
  std::set<std::tuple<std::uint32_t, std::string_view, std::size_t, std::size_t>> seen;
};

/// Whether runs that set nothing go on to the place.
bool FactoryChoices::is_met(FunctionId function, const Guard& guard, Span place) {
  const std::optional<bool> holds = holds_by_default_(function, *guard.condition);
  if (holds) return *holds != guard.negated;
  // Behind `if special: return …` stands what is done otherwise.
  return guard.negated && !guard.statement->span.contains(place);
}

void FactoryChoices::add_under(FunctionId function, const Node& place, const Expr& value, std::size_t element,
                               Search& search) {
  const Node* body = program_.functions()[function].node;
  const std::size_t before = search.guards.size();
  for (const Guard& guard : body == nullptr ? std::vector<Guard>() : guards_of(*body, place.span)) {
    const bool is_open = guard.condition == nullptr
                             ? !is<For>(guard.statement)
                             : only_refuses(guard, place.span) || is_met(function, guard, place.span);
    if (!is_open) search.guards.push_back({function, guard});
  }
  add(function, value, element, search);
  search.guards.resize(before);
}

void FactoryChoices::add(FunctionId function, const Expr& value, std::size_t element, Search& search) {
  if (rules::is_none(&value)) return;
  if (search.depth >= kMostDepth || ++search.steps > kMostSteps || search.found.size() >= kMostReceivers)
    return add_unknown(function, value, search);
  ++search.depth;
  const auto* tuple = as<Tuple>(&value);
  const auto* name = as<Name>(&value);
  const CallId call = is<Call>(&value) ? program_.call_of(&value) : CallId();
  const auto* targets = call.valid() ? &program_.calls()[call].targets : nullptr;
  const bool is_one = targets != nullptr && targets->size() == 1 && targets->front().function.valid();
  if (tuple != nullptr && element < tuple->elements.size()) {
    add(function, *tuple->elements[element], kWhole, search);
  } else if (name != nullptr) {
    add_name(function, *name, element, search);
  } else if (is_one && targets->front().kind == program::CallKind::kDirect) {
    if (!add_returned(targets->front().function, element, search)) add_unknown(function, value, search);
  } else if (element == kWhole) {
    add_unknown(function, value, search);
    MadeReceiver& one = search.found.back();
    const auto* made = as<Call>(&value);
    const program::Reference cls = made == nullptr ? program::Reference() : program_.resolve(function, *made->callee);
    if (cls.cls.valid()) {
      one.classes = {cls.cls};
    } else {
      one.classes = program_.instance_classes(function, value);
    }
  } else {
    add_unknown(function, value, search);
  }
  --search.depth;
}

void FactoryChoices::add_unknown(FunctionId function, const Expr& value, Search& search) {
  search.found.push_back({function, &value, search.guards, {}, search.returned == &value});
}

void FactoryChoices::add_name(FunctionId function, const Name& name, std::size_t element, Search& search) {
  if (!search.seen.insert({function.value, name.id, element, search.guards.size()}).second) return;
  const FunctionDef* def = program_.functions()[function].def();
  const std::size_t bound = def == nullptr ? 0 : rules::bindings_of(*def, name.id, Nested::kEnter);
  const bool is_parameter = rules::parameter_named(def, name.id) != nullptr;
  if (is_parameter && bound == 0 && element == kWhole) return add_arguments(function, name, search);
  std::vector<std::tuple<const Assign*, std::size_t>> given;
  if (def != nullptr && !is_parameter) {
    walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
      const auto* assign = as<Assign>(statement);
      if (assign == nullptr || assign->targets.size() != 1) return;
      const auto* tuple = as<Tuple>(assign->targets[0]);
      if (rules::name_of(assign->targets[0]) == name.id) given.emplace_back(assign, element);
      for (std::size_t i = 0; tuple != nullptr && element == kWhole && i < tuple->elements.size(); ++i) {
        if (rules::name_of(tuple->elements[i]) == name.id) given.emplace_back(assign, i);
      }
    });
  }
  if (given.empty() || given.size() != bound) return add_unknown(function, name, search);
  for (const auto& [assign, part] : given) add_under(function, *assign, *assign->value, part, search);
}

/// What the calls outside tests give a parameter; under which conditions they are made says nothing of the object.
void FactoryChoices::add_arguments(FunctionId function, const Name& parameter, Search& search) {
  constexpr std::size_t kMostCalls = 6;
  const rules::Signatures signatures(program_);
  std::vector<std::pair<FunctionId, const Expr*>> all;
  for (const CallId id : program_.callers_of(function)) {
    const program::CallSite& site = program_.calls()[id];
    if (program::is_test_path(program_.module_of(site.caller).path)) continue;
    const auto* call = as<Call>(site.node);
    const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                     [&](const program::CallTarget& one) { return one.function == function; });
    const auto signature = call == nullptr || target == site.targets.end() || all.size() == kMostCalls
                               ? std::nullopt
                               : signatures.of_target(site, *target);
    const rules::Given given = signature ? rules::given_to(*signature, *call, parameter.id) : rules::Given();
    if (given.how != rules::Given::How::kValue) return add_unknown(function, parameter, search);
    all.emplace_back(site.caller, given.value);
  }
  if (all.empty()) return add_unknown(function, parameter, search);
  for (const auto& [caller, value] : all) add(caller, *value, kWhole, search);
}

bool FactoryChoices::add_returned(FunctionId function, std::size_t element, Search& search) {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr || def->is_async || yields(*def)) return false;
  bool returns = false;
  walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
    const auto* back = as<Return>(statement);
    if (back == nullptr || back->value == nullptr) return;
    returns = true;
    search.returned = back->value;
    add_under(function, *back, *back->value, element, search);
  });
  return returns;
}

/// Conditions that everything stands under choose between nothing.
void FactoryChoices::drop_shared(std::vector<MadeReceiver>& receivers) {
  const auto stands_under = [](const MadeReceiver& receiver, const Guard& guard) {
    return std::any_of(receiver.guards.begin(), receiver.guards.end(), [&](const UnmetGuard& one) {
      return one.guard.statement == guard.statement && one.guard.condition == guard.condition &&
             one.guard.negated == guard.negated;
    });
  };
  std::vector<UnmetGuard> shared = receivers.empty() ? std::vector<UnmetGuard>() : receivers.front().guards;
  std::erase_if(shared, [&](const UnmetGuard& guard) {
    return !std::all_of(receivers.begin(), receivers.end(),
                        [&](const MadeReceiver& one) { return stands_under(one, guard.guard); });
  });
  const MadeReceiver all{{}, nullptr, shared, {}, false};
  for (MadeReceiver& one : receivers)
    std::erase_if(one.guards, [&](const UnmetGuard& guard) { return stands_under(all, guard.guard); });
}

const std::vector<MadeReceiver>& FactoryChoices::receivers_of(CallId call) {
  const auto [known, is_new] = known_.try_emplace(call.value);
  if (!is_new) return known->second;
  const program::CallSite& site = program_.calls()[call];
  const auto* node = as<Call>(site.node);
  const auto* method = node == nullptr ? nullptr : as<Attribute>(node->callee);
  if (method == nullptr || !is<Name>(method->value) || rules::name_of(method->value) == "self") return known->second;
  Search search;
  add(site.caller, *method->value, kWhole, search);
  drop_shared(search.found);
  return known_[call.value] = std::move(search.found);
}

std::optional<FactoryException> FactoryChoices::exception_of(CallId call, FunctionId callee) {
  const program::CallSite& site = program_.calls()[call];
  if (site.targets.size() < 2 || !program_.functions()[callee].owner.valid()) return std::nullopt;
  FactoryException out;
  bool several = false;
  for (const MadeReceiver& one : receivers_of(call)) {
    const bool may_be = one.classes.empty() || std::any_of(one.classes.begin(), one.classes.end(), [&](ClassId cls) {
                          return program_.find_method(cls, program_.functions()[callee].name) == callee;
                        });
    if (may_be && one.guards.empty()) return std::nullopt;
    if (may_be) {
      several = several || (out.exception.value != nullptr && out.exception.value != one.value);
      out.exception = one;
    } else if (one.guards.empty() && one.classes.size() == 1) {
      out.is_all = out.is_all && (!out.otherwise.valid() || out.otherwise == one.classes.front());
      out.otherwise = one.classes.front();
    } else {
      out.is_all = false;
    }
  }
  if (!out.otherwise.valid()) return std::nullopt;
  if (several) out.exception = {};
  return out;
}

}  // namespace lockstep::report
