#include "report/story/calls/value_flow.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/file_name.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "report/source/held_settings.h"
#include "report/source/words.h"
#include "report/story/wording/words.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostVisits = 160;
constexpr int kMostHops = 6;
constexpr std::size_t kMostTargets = 12;  ///< More functions that a call may enter say nothing of one of them.

/// Calls `visit(node, parents)` for what stands below, the innermost parent last; not for what stands in definitions
/// inside.
template <typename Visit>
void walk_with_parents(const Node& node, std::vector<const Node*>& parents, const Visit& visit) {
  visit(node, parents);
  if (!parents.empty() && (is<FunctionDef>(&node) || is<Lambda>(&node) || is<ClassDef>(&node))) return;
  parents.push_back(&node);
  for_each_child(node, [&](const Node* child) { walk_with_parents(*child, parents, visit); });
  parents.pop_back();
}

/// `super().f`, `Base.f(self, …)`, `self.f`: of the same object.
bool is_of_self(const Call& call) {
  const auto* method = as<Attribute>(call.callee);
  if (method == nullptr) return false;
  const bool passes_self = !call.arguments.empty() && rules::name_of(call.arguments.front()) == "self";
  return rules::name_of(method->value) == "self" || passes_self || rules::is_method_of_super(method);
}

bool is_for_people(std::string_view function) {
  return function == "__repr__" || function == "__str__" || function == "extra_repr";
}

/// What a name says: what it names is written somewhere, whatever is put together with it.
bool is_label(std::string_view name) {
  constexpr std::string_view kLabels[] = {"desc", "description", "label",  "message", "msg",
                                          "name", "prefix",      "suffix", "tag",     "title"};
  return std::find(std::begin(kLabels), std::end(kLabels), name) != std::end(kLabels) || name.ends_with("_name") ||
         name.ends_with("_prefix");
}

/// Whether the function's class or file by its name measures and logs: that follows what is done.
bool only_measures(const Program& program, FunctionId function) {
  constexpr std::string_view kTelling[] = {"log",      "logger", "logging", "metric", "metrics", "profile",
                                           "profiler", "stats",  "timer",   "timers", "wandb",   "tensorboard"};
  const auto tells = [&](std::string_view name) {
    const std::set<std::string> words = name_words(name);
    return std::any_of(std::begin(kTelling), std::end(kTelling),
                       [&](std::string_view one) { return words.contains(std::string(one)); });
  };
  const ClassId owner = program.functions()[function].owner;
  return (owner.valid() && tells(program.classes()[owner].name)) || tells(file_name(program.module_of(function).path));
}

class Search {
 public:
  explicit Search(const Program& program) : program_(program), signatures_(program) {}

  FollowedValue run(const Call& call, std::string_view keyword) {
    const CallId id = program_.call_of(&call);
    if (!id.valid()) return {};
    ValueVisit caller;
    caller.function = program_.calls()[id].caller;
    caller.object = program_.functions()[caller.function].owner;
    caller.is_certain = true;
    enter_by_name(caller, ValueVisit::kNone, call, keyword);
    for (std::size_t i = 0; i < out_.visits.size(); ++i) look_at(i);
    const auto order = [&](const ValueDecision& one) {
      return std::tuple(-one.rank, out_.visits[one.visit].hops, one.visit, one.use.statement->span.begin);
    };
    std::sort(out_.decisions.begin(), out_.decisions.end(),
              [&](const ValueDecision& a, const ValueDecision& b) { return order(a) < order(b); });
    return std::move(out_);
  }

 private:
  void add(ValueVisit visit) {
    if (out_.visits.size() >= kMostVisits || visit.hops > kMostHops) return;
    const auto key = std::tuple(visit.function.value, visit.name, visit.attribute, visit.keyword, visit.object.value);
    if (seen_.insert(key).second) out_.visits.push_back(std::move(visit));
  }

  [[nodiscard]] const FunctionDef* def_of(const ValueVisit& visit) const {
    return program_.functions()[visit.function].def();
  }

  // Into calls.

  /// The functions of the repository that a call made on a visit may enter.
  [[nodiscard]] std::vector<FunctionId> entered(const ValueVisit& from, const Call& call) const {
    const CallId id = program_.call_of(&call);
    std::vector<FunctionId> out = callees_of(program_, &call);
    std::erase_if(out, [&](FunctionId one) {
      return program::is_test_path(program_.module_of(one).path) ||
             (from.entering.valid() && !program_.can_follow(from.entering, id, one));
    });
    return out;
  }

  /// Whether the call enters the only function of `all` for sure.
  [[nodiscard]] bool is_only(const std::vector<FunctionId>& all, const Call& call) const {
    const auto& targets = program_.calls()[program_.call_of(&call)].targets;
    return all.size() == 1 && std::all_of(targets.begin(), targets.end(),
                                          [](const program::CallTarget& one) { return one.function.valid(); });
  }

  void enter_by_name(const ValueVisit& from, std::size_t parent, const Call& call, std::string_view keyword) {
    std::vector<ValueVisit> found;
    const std::vector<FunctionId> all = entered(from, call);
    for (const FunctionId callee : all) {
      const FunctionDef* def = program_.functions()[callee].def();
      if (def == nullptr) continue;
      ValueVisit visit = visit_of(from, parent, call, callee, is_only(all, call));
      const Parameter* parameter = rules::parameter_named(def, keyword);
      if (parameter != nullptr && parameter->parameter_kind != Parameter::Kind::kVarArgs &&
          parameter->parameter_kind != Parameter::Kind::kVarKeywords) {
        visit.name = parameter->name.text;
      } else {
        for (const Parameter* each : def->parameters->all) {
          if (each->parameter_kind == Parameter::Kind::kVarKeywords) visit.name = each->name.text;
        }
        if (visit.name.empty()) continue;
        visit.keyword = keyword;
        visit.is_told = false;
      }
      found.push_back(std::move(visit));
    }
    if (found.size() > kMostTargets) return;
    for (ValueVisit& visit : found) add(std::move(visit));
  }

  void enter_by_place(const ValueVisit& from, std::size_t parent, const Call& call, const Expr& argument) {
    const CallId id = program_.call_of(&call);
    if (!id.valid()) return;
    const program::CallSite& site = program_.calls()[id];
    const auto place = std::find(call.arguments.begin(), call.arguments.end(), &argument);
    const std::vector<FunctionId> all = entered(from, call);
    if (place == call.arguments.end() || all.size() > kMostTargets) return;
    for (const FunctionId callee : all) {
      if (!gets_as_written(program_, site, callee)) continue;
      const auto signature = signatures_.of_function(callee, unwritten_parameters(program_, site, callee));
      const rules::AcceptedParameter* parameter =
          signature ? rules::parameter_at(*signature, call, static_cast<std::size_t>(place - call.arguments.begin()))
                    : nullptr;
      if (parameter == nullptr) continue;
      ValueVisit visit = visit_of(from, parent, call, callee, is_only(all, call));
      visit.name = parameter->name;
      add(std::move(visit));
    }
  }

  [[nodiscard]] ValueVisit visit_of(const ValueVisit& from, std::size_t parent, const Call& call, FunctionId callee,
                                    bool is_only) const {
    ValueVisit visit;
    const CallId id = program_.call_of(&call);
    visit.function = callee;
    visit.parent = parent;
    visit.entering = id;
    visit.hops = from.hops + 1;
    visit.is_filled = from.is_filled;
    visit.is_certain = is_only && from.is_certain;
    const program::Function& function = program_.functions()[callee];
    visit.object = function.owner;
    if (from.object.valid() && function.owner.valid() && is_of_self(call)) {
      const auto& line = program_.classes()[from.object].linearized;
      if (std::find(line.begin(), line.end(), function.owner) != line.end()) visit.object = from.object;
      visit.is_told = function.name != "__init__" || visit.object != from.object;
    } else if (const ClassId made = program_.resolve(program_.calls()[id].caller, *call.callee).cls;
               made.valid() && function.name == "__init__" && program_.find_method(made, "__init__") == callee) {
      visit.object = made;
    }
    visit.known = known_in(from, call, *function.def());
    visit.given = given_in(from, call);
    return visit;
  }

  /// The constants that the call gives by name.
  [[nodiscard]] std::map<std::string_view, Value> known_in(const ValueVisit& from, const Call& call,
                                                           const FunctionDef& callee) const {
    std::map<std::string_view, Value> out;
    const auto add_value = [&](std::string_view name, const Expr* expression) {
      Value value = value_of(expression);
      if (const auto held = from.known.find(rules::name_of(expression)); held != from.known.end()) value = held->second;
      if (value.kind != Value::Kind::kUnknown) out.emplace(name, std::move(value));
    };
    for (const Keyword* keyword : call.keywords) add_value(keyword->name.text, keyword->value);
    // What `**kwargs` hands on is known by the same names.
    if (rules::has_spread_keywords(call)) {
      for (const auto& [name, value] : from.known) {
        if (rules::parameter_named(def_of(from), name) == nullptr) out.emplace(name, value);
      }
    }
    std::erase_if(out, [&](const auto& one) {
      const Parameter* parameter = rules::parameter_named(&callee, one.first);
      return parameter != nullptr && rules::binds_name(callee, one.first);
    });
    return out;
  }

  /// What the call gives by name, but for what may have been left out itself.
  [[nodiscard]] std::set<std::string_view> given_in(const ValueVisit& from, const Call& call) const {
    std::set<std::string_view> out;
    if (rules::has_spread_keywords(call)) out = from.given;
    for (const Keyword* keyword : call.keywords) {
      const std::string_view held = rules::name_of(keyword->value);
      const Parameter* parameter = held.empty() ? nullptr : rules::parameter_named(def_of(from), held);
      const bool may_be_none =
          is<Constant>(keyword->value) ||
          (parameter != nullptr && rules::is_none(parameter->default_value) && !from.given.contains(held));
      if (!may_be_none && !keyword->name.text.empty()) out.insert(keyword->name.text);
    }
    return out;
  }

  // In functions.

  void look_at(std::size_t index) {
    const ValueVisit visit = out_.visits[index];
    const FunctionDef* def = def_of(visit);
    if (def == nullptr || is_for_people(program_.functions()[visit.function].name)) return;
    if (!visit.keyword.empty()) return look_at_forwarding(index, visit, *def);
    const std::uint32_t end = visit.attribute.empty() ? first_binding(*def, visit.name, true) : UINT32_MAX;
    const std::uint32_t filled = visit.attribute.empty() ? first_binding(*def, visit.name) : UINT32_MAX;
    if (end == 0) return;
    std::vector<const Node*> parents;
    walk_with_parents(*def, parents, [&](const Node& node, const std::vector<const Node*>& above) {
      if (above.empty() || !reads(visit, node) || node.span.begin >= end_of_statement(above, end)) return;
      const ValueUse use = use_of(static_cast<const Expr&>(node), above);
      follow(index, use, node.span.begin >= end_of_statement(above, filled));
    });
  }

  /// The statement that gives the name another value may read the one that it had.
  static std::uint32_t end_of_statement(const std::vector<const Node*>& above, std::uint32_t begin) {
    for (const Node* node : above) {
      if (is_statement(node) && node->span.begin == begin) return node->span.end;
    }
    return begin;
  }

  static bool reads(const ValueVisit& visit, const Node& node) {
    if (visit.attribute.empty()) {
      const auto* name = as<Name>(&node);
      return name != nullptr && name->id == visit.name && name->context == ExprContext::kLoad;
    }
    const auto* attribute = as<Attribute>(&node);
    return attribute != nullptr && attribute->context == ExprContext::kLoad &&
           (visit.is_of_any ? attribute->name.text : rules::self_attribute(attribute)) == visit.attribute;
  }

  /// `f(**kwargs)`: the value goes on by its name, unless the function looks for that name itself.
  void look_at_forwarding(std::size_t index, const ValueVisit& visit, const FunctionDef& def) {
    bool is_asked = false;
    walk_of<Constant>(def, Nested::kEnter, [&](const Constant* one) {
      is_asked = is_asked || (one->constant_kind == ConstantKind::kStr && one->text == visit.keyword);
    });
    if (is_asked || rules::bindings_of(def, visit.name, Nested::kSkip) > 0) return;
    walk_of<Call>(def, Nested::kSkip, [&](const Call* call) {
      const bool hands_on = std::any_of(call->keywords.begin(), call->keywords.end(), [&](const Keyword* one) {
        return one->name.text.empty() && rules::name_of(one->value) == visit.name;
      });
      if (hands_on) enter_by_name(visit, index, *call, visit.keyword);
    });
  }

  void follow(std::size_t index, const ValueUse& use, bool is_filled) {
    ValueVisit visit = out_.visits[index];
    visit.is_filled = visit.is_filled || is_filled;
    switch (use.kind) {
      case ValueUse::Kind::kNothing:
        return;
      case ValueUse::Kind::kHandsOn: {
        if (is_ruled_out(visit, use.call->span)) return;
        for (const Keyword* keyword : use.call->keywords) {
          if (keyword->value == use.argument && !keyword->name.text.empty())
            return enter_by_name(visit, index, *use.call, keyword->name.text);
        }
        return enter_by_place(visit, index, *use.call, *use.argument);
      }
      case ValueUse::Kind::kKeeps:
        return keep(index, visit, use);
      default:
        return decide(index, visit, use);
    }
  }

  void keep(std::size_t index, const ValueVisit& visit, const ValueUse& use) {
    if (const std::string_view attribute = rules::self_attribute(use.target); !attribute.empty())
      return keep_in_self(index, visit, attribute);
    if (const auto* kept = as<Attribute>(use.target); kept != nullptr && is<Name>(kept->value))
      return keep_in_object(index, visit, *kept);
    const std::string_view alias = rules::name_of(use.target);
    if (alias.empty() || rules::bindings_of(*def_of(visit), alias, Nested::kSkip) != 1 ||
        rules::parameter_named(def_of(visit), alias) != nullptr)
      return;
    ValueVisit next = visit;
    next.parent = index;
    next.name = alias;
    next.attribute = {};
    next.is_told = false;
    // The binding itself is the first.
    add_alias(std::move(next), use);
  }

  void add_alias(ValueVisit visit, const ValueUse& use) {
    const FunctionDef* def = def_of(visit);
    std::vector<const Node*> parents;
    const std::size_t at = out_.visits.size();
    add(visit);
    if (out_.visits.size() == at) return;
    walk_with_parents(*def, parents, [&](const Node& node, const std::vector<const Node*>& above) {
      if (!above.empty() && reads(visit, node) && node.span.begin > use.statement->span.end)
        follow(at, use_of(static_cast<const Expr&>(node), above), false);
    });
  }

  /// `entry.x = value`, where nothing else outside tests gives an attribute of that name a value: who reads one gets
  /// it.
  void keep_in_object(std::size_t index, const ValueVisit& visit, const Attribute& kept) {
    constexpr std::size_t kMostLooked = 40;
    const std::string_view name = kept.name.text;
    std::set<FunctionId> readers;
    std::size_t looked = 0;
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::Module& module = program_.modules()[program::ModuleId(i)];
      if (program::is_test_path(module.path)) continue;
      for (std::size_t at = module.facts->find_name(name); at != std::string_view::npos;
           at = module.facts->find_name(name, at + 1)) {
        if (++looked > kMostLooked) return;
        const auto begin = static_cast<std::uint32_t>(at);
        const std::vector<const Node*> around = chain_to(module.facts->tree(), {begin, begin + 1});
        const auto* attribute = around.empty() ? nullptr : as<Attribute>(around.back());
        const auto* keyword = around.empty() ? nullptr : as<Keyword>(around.back());
        const FunctionId function = program_.function_at(program::ModuleId(i), begin);
        if (keyword != nullptr && keyword->name.text == name && around.size() > 1) {
          const auto* made = as<Call>(around[around.size() - 2]);
          const bool may_set =
              made != nullptr && function.valid() && program_.resolve(function, *made->callee).cls.valid();
          if (may_set) return;
        }
        if (attribute == nullptr || attribute->name.span.begin != begin || attribute == &kept) continue;
        if (attribute->context != ExprContext::kLoad) return;
        if (function.valid() && program_.functions()[function].def() != nullptr) readers.insert(function);
      }
    }
    for (const FunctionId reader : readers) {
      ValueVisit next = visit;
      next.function = reader;
      next.object = program_.functions()[reader].owner;
      next.name = {};
      next.attribute = name;
      next.is_of_any = true;
      next.parent = index;
      next.is_told = false;
      next.entering = CallId();
      next.known.clear(), next.given.clear();
      add(std::move(next));
    }
  }

  /// All methods that an object of the class has may read it.
  void keep_in_self(std::size_t index, const ValueVisit& visit, std::string_view attribute) {
    if (!visit.object.valid() || program_.functions()[visit.function].name != "__init__") return;
    std::size_t stores = 0;
    for (const ClassId cls : program_.classes()[visit.object].linearized)
      stores += times_set(program_.classes()[cls], attribute);
    if (stores != 1) return;
    const auto add_method = [&](FunctionId method, ClassId object) {
      const program::Function& function = program_.functions()[method];
      if (function.def() == nullptr) return;
      const std::string_view text = source_of(program_, method).slice(function.node->span);
      if (find_name(text, attribute) == std::string_view::npos) return;
      ValueVisit next = visit;
      next.function = method;
      next.name = {};
      next.attribute = attribute;
      next.object = object;
      next.parent = index;
      next.is_told = false;
      if (method != visit.function) next.entering = CallId();
      if (method != visit.function) next.known.clear(), next.given.clear();
      add(std::move(next));
    };
    for (const ClassId cls : program_.classes()[visit.object].linearized) {
      for (const FunctionId method : program_.classes()[cls].methods) {
        const bool is_own = program_.find_method(visit.object, program_.functions()[method].name) == method;
        if (is_own || method == visit.function) add_method(method, visit.object);
      }
    }
    // Of a class below it that has no constructor of its own, objects are made in the same way.
    const FunctionId init = program_.find_method(visit.object, "__init__");
    for (const ClassId heir : program::with_descendants(program_, visit.object)) {
      if (heir == visit.object || program_.find_method(heir, "__init__") != init ||
          program::is_test_path(program_.module_of(heir).path) || times_set(program_.classes()[heir], attribute) > 0)
        continue;
      for (const FunctionId method : program_.classes()[heir].methods) add_method(method, heir);
    }
  }

  // Decisions.

  [[nodiscard]] Value value_at(const ValueVisit& visit, const Expr& part) const {
    const auto known = visit.known.find(rules::name_of(&part));
    return known != visit.known.end() && known->first != visit.name ? known->second : value_of(&part);
  }

  [[nodiscard]] std::optional<bool> holds(const ValueVisit& visit, const Expr& condition) const {
    return holds_with(condition, [&](const Expr& part) { return value_at(visit, part); });
  }

  /// Whether what else the calls on the way give rules out that a run comes to the place.
  [[nodiscard]] bool is_ruled_out(const ValueVisit& visit, Span place) const {
    const std::vector<Guard> guards = guards_of(*def_of(visit), place);
    return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      if (guard.condition == nullptr) return false;
      const auto test = rules::none_test(*guard.condition);
      if (test && test->is_none != guard.negated && visit.given.contains(rules::name_of(test->subject)) &&
          rules::name_of(test->subject) != visit.name)
        return true;
      const auto known = holds(visit, *guard.condition);
      return known && *known == guard.negated;
    });
  }

  /// Or answers by itself what is asked there.
  [[nodiscard]] bool is_settled(const ValueVisit& visit, const ValueUse& use) const {
    if (use.kind != ValueUse::Kind::kArithmetic && holds(visit, *use.expression)) return true;
    return is_ruled_out(visit, use.statement->span);
  }

  /// Whether the side of the branch that is told calls torch.distributed: that is no mere measuring.
  [[nodiscard]] bool communicates(const ValueDecision& decision) const {
    const auto* branch = as<If>(decision.use.statement);
    if (branch == nullptr) return false;
    bool found = false;
    for (const Stmt* statement : decision.is_otherwise ? branch->orelse : branch->body) {
      walk_of<Call>(*statement, Nested::kSkip, [&](const Call* call) {
        found = found || external_callee(program_, call).starts_with("torch.distributed.");
      });
    }
    return found;
  }

  void decide(std::size_t index, const ValueVisit& visit, const ValueUse& use) {
    const bool is_named = is_label(visit.attribute.empty() ? visit.name : visit.attribute);
    if ((is_named && use.kind == ValueUse::Kind::kArithmetic) || is_settled(visit, use)) return;
    ValueDecision decision;
    decision.visit = index;
    decision.use = use;
    decision.is_filled = visit.is_filled;
    switch (use.kind) {
      case ValueUse::Kind::kBranch: {
        const auto* branch = as<If>(use.statement);
        decision.effect = effect_of(branch != nullptr ? branch->body : static_cast<const While*>(use.statement)->body);
        if (branch != nullptr) {
          const BranchEffect otherwise = effect_of(branch->orelse);
          decision.is_otherwise = otherwise.rank > decision.effect.rank;
          if (decision.is_otherwise) decision.effect = otherwise;
        }
        decision.rank = decision.effect.rank;
        break;
      }
      case ValueUse::Kind::kCheck:
        decision.rank = 1;
        break;
      case ValueUse::Kind::kChoice:
        decision.rank = 2;
        break;
      default:
        decision.rank = 3;
        break;
    }
    decision.communicates = communicates(decision);
    if (only_measures(program_, visit.function) && !decision.communicates) decision.rank = std::min(decision.rank, 1);
    const bool is_known = std::any_of(out_.decisions.begin(), out_.decisions.end(),
                                      [&](const ValueDecision& one) { return one.use.statement == use.statement; });
    if (decision.rank > 0 && !is_known) out_.decisions.push_back(decision);
  }

  const Program& program_;
  const rules::Signatures signatures_;
  FollowedValue out_;
  std::set<std::tuple<std::uint32_t, std::string_view, std::string_view, std::string_view, std::uint32_t>> seen_;
};

}  // namespace

FollowedValue follow_argument(const Program& program, const Call& call, std::string_view keyword) {
  return Search(program).run(call, keyword);
}

}  // namespace lockstep::report
