#include "report/ways/conditions/passed_values.h"

#include <algorithm>
#include <optional>
#include <string>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

bool is_keywords_of(const FunctionDef& def, const Expr* expression) {
  const auto* name = as<Name>(expression);
  const Parameter* parameter = name == nullptr ? nullptr : rules::parameter_named(&def, name->id);
  return parameter != nullptr && parameter->parameter_kind == Parameter::Kind::kVarKeywords;
}

/// The search: functions with the names under which the value comes to them.
class Search {
 public:
  Search(const Program& program, const PathConstants& constants, const Refuses& refuses)
      : program_(program), constants_(constants), refuses_(refuses) {}

  /// `root`: what the value is for in the end.
  void need(FunctionId function, std::string_view name, const Needed& root) {
    constexpr std::size_t kMostNeeds = 600;
    if (open_.size() < kMostNeeds && needs_.insert({function.value, std::string(name)}).second)
      open_.push_back({function, std::string(name), root, {}});
  }

  void run() {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const Open one = open_[i];
      root_ = one.root;
      for (const program::CallId call : program_.callers_of(one.function)) {
        const FunctionId function = one.function;
        if (passes(program_.calls()[call], function, one.name)) passing_.insert({call.value, function.value});
      }
    }
  }

  [[nodiscard]] CallsInto others() const {
    CallsInto out;
    for (const Open& one : open_) {
      const auto& callers = program_.callers_of(one.function);
      // Who makes whatever it is told to (`build(spec, **options)`) is called for other things, too.
      if (one.handed_on) {
        const bool any_passes = std::any_of(callers.begin(), callers.end(), [&](program::CallId call) {
          return passing_.contains({call.value, one.function.value});
        });
        if (!any_passes) out.insert(*one.handed_on);
        continue;
      }
      for (const program::CallId call : callers) {
        if (!passing_.contains({call.value, one.function.value})) out.insert({call.value, one.function.value});
      }
    }
    return out;
  }

 private:
  bool passes(const program::CallSite& site, FunctionId callee, const std::string& name) {
    const auto* call = as<Call>(site.node);
    const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                     [&](const program::CallTarget& one) { return one.function == callee; });
    if (call == nullptr || target == site.targets.end() || target->kind == program::CallKind::kCallback) return false;
    for (const Keyword* keyword : call->keywords) {
      if (keyword->name.text == name) return comes_from(site.caller, callee, name, *keyword->value);
    }
    const auto signature = constants_.signature_of(site, *target);
    if (!signature) return false;
    for (std::size_t i = 0; i < call->arguments.size(); ++i) {
      const rules::AcceptedParameter* taken_by = rules::parameter_at(*signature, *call, i);
      if (taken_by == nullptr) break;
      if (taken_by->name == name) return comes_from(site.caller, callee, name, *call->arguments[i]);
    }
    // `**kwargs` of the caller hands on what its own callers pass by this name.
    const FunctionDef* def = program_.functions()[site.caller].def();
    if (def == nullptr || rules::parameter_named(def, name) != nullptr) return false;
    const bool hands_on = std::any_of(call->keywords.begin(), call->keywords.end(), [&](const Keyword* keyword) {
      return keyword->name.text.empty() && is_keywords_of(*def, keyword->value);
    });
    if (!hands_on) return false;
    const std::size_t known = open_.size();
    need(site.caller, name, root_);
    const program::CallId id = program_.call_of(site.node);
    if (open_.size() > known && site.targets.size() > 1 && id.valid())
      open_.back().handed_on = CallInto(id.value, callee.value);
    return true;
  }

  /// Whether a value that the caller passes is one; parameters of the caller are to be asked for in turn.
  bool comes_from(FunctionId caller, FunctionId callee, std::string_view parameter, const Expr& value) {
    if (is_default(callee, parameter, value)) return false;
    if (const Value passed = value_of(&value); passed.kind != Value::Kind::kUnknown && refuses_(root_, passed))
      return false;
    const auto* name = as<Name>(&value);
    if (name == nullptr) return true;
    // What a local is made of; a parameter that is made anew of itself and of others.
    for (FunctionId at = caller; at.valid(); at = program_.functions()[at].enclosing) {
      const FunctionDef* def = program_.functions()[at].def();
      if (def == nullptr) break;
      bool is_bound = rules::parameter_named(def, name->id) != nullptr;
      if (is_bound) need(at, name->id, root_);
      walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
        const auto* target = assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
        if (target == nullptr || target->id != name->id) return;
        is_bound = true;
        if (as<Call>(assign->value) == nullptr && as<Name>(assign->value) == nullptr) return;
        walk_of<Name>(*assign->value, Nested::kSkip, [&](const Name* part) {
          if (part->id != "self" && rules::parameter_named(def, part->id) != nullptr) need(at, part->id, root_);
        });
      });
      if (is_bound) break;
    }
    return true;
  }

  [[nodiscard]] bool is_default(FunctionId callee, std::string_view parameter, const Expr& value) const {
    const FunctionDef* def = program_.functions()[callee].def();
    const Parameter* taken_by = def == nullptr ? nullptr : rules::parameter_named(def, parameter);
    const Value passed = value_of(&value);
    if (passed.kind == Value::Kind::kUnknown) return false;
    const Value left_out =
        taken_by == nullptr || taken_by->default_value == nullptr ? Value() : value_of(taken_by->default_value);
    // What has no default here has one where it comes from, mostly `None`.
    if (left_out.kind == Value::Kind::kUnknown) return passed.kind == Value::Kind::kNone;
    return is_same_value(left_out, passed);
  }

  struct Open {
    FunctionId function;
    std::string name;
    Needed root;
    std::optional<CallInto> handed_on;  ///< By its `**options`, through a call that enters others, too.
  };

  const Program& program_;
  const PathConstants& constants_;
  const Refuses& refuses_;
  std::set<std::pair<std::uint32_t, std::string>> needs_;
  std::vector<Open> open_;
  Needed root_;  ///< Of the one that is looked at.
  CallsInto passing_;
};

}  // namespace

std::vector<std::string_view> parameters_asked_at(const FunctionDef& function, Span place) {
  std::vector<std::string_view> out;
  const auto add = [&](const Node& node) {
    walk_of<Name>(node, Nested::kEnter, [&](const Name* name) {
      const Parameter* parameter = rules::parameter_named(&function, name->id);
      if (parameter != nullptr && parameter->default_value != nullptr &&
          std::find(out.begin(), out.end(), name->id) == out.end())
        out.push_back(name->id);
    });
  };
  for (const Guard& guard : guards_of(function, place)) {
    if (guard.condition != nullptr) add(*guard.condition);
  }
  // `context = either(context, old_context)`: one of them will do.
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    const auto* target = assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
    if (target != nullptr && std::find(out.begin(), out.end(), target->id) != out.end()) add(*assign->value);
  });
  return out;
}

CallsInto calls_without(const Program& program, const PathConstants& constants, const std::set<Needed>& needed,
                        const Refuses& refuses) {
  Search search(program, constants, refuses);
  for (const Needed& need : needed) search.need(need.function, need.parameter, need);
  search.run();
  return search.others();
}

}  // namespace lockstep::report
