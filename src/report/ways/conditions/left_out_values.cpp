#include "report/ways/conditions/left_out_values.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/given_arguments.h"
#include "report/ways/conditions/required_settings.h"
#include "report/ways/objects/ill_fitting_calls.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::FunctionId;
using program::Program;

namespace {

bool is_off(const Required& one) { return (one.states & states::kTrue) == 0; }

/// What gives the local a value in the function: assignments of one name; false where anything else does, too.
bool assignments_of(const FunctionDef& function, std::string_view local, std::vector<const Assign*>& out) {
  walk_of<Assign>(function, Nested::kSkip, [&](const Assign* assign) {
    if (assign->targets.size() == 1 && rules::name_of(assign->targets[0]) == local) out.push_back(assign);
  });
  return !out.empty() && rules::bindings_of(function, local, Nested::kEnter) == out.size();
}

class Asked {
 public:
  Asked(const Program& program, FunctionId function, const FunctionDef& def)
      : program_(program), function_(function), def_(def), required_(program) {}

  /// The parameters that a place asks to be None or false.
  [[nodiscard]] std::set<std::string_view> at(Span place, int depth = 0) const {
    constexpr int kMostDepth = 2;
    std::set<std::string_view> out;
    for (const Required& one : required_.common_at(function_, {place})) {
      if (!is<Name>(one.read)) continue;
      if (rules::parameter_named(&def_, one.name) != nullptr) {
        if (is_off(one)) out.insert(one.name);
        continue;
      }
      // `derived = False … derived = True`: it is set where the second one stands.
      std::vector<const Assign*> assigns;
      if (depth == kMostDepth || (one.states & ~states::kTrue) != 0 || !assignments_of(def_, one.name, assigns))
        continue;
      std::set<std::string_view> of_all;
      bool is_first = true;
      for (const Assign* assign : assigns) {
        if (rules::is_false(assign->value) || rules::is_none(assign->value)) continue;
        std::set<std::string_view> own = at(assign->span, depth + 1);
        if (!is_first) std::erase_if(of_all, [&](std::string_view name) { return !own.contains(name); });
        if (is_first) of_all = std::move(own);
        is_first = false;
      }
      out.merge(of_all);
    }
    return out;
  }

  /// Whether a place outside of `around` that also asks for the parameter gives it a value: then what it is at other
  /// places is not what callers gave.
  [[nodiscard]] bool is_set_elsewhere(std::string_view parameter) const {
    bool found = false;
    walk_of<Name>(def_, Nested::kEnter, [&](const Name* name) {
      found = found ||
              (name->id == parameter && name->context != ExprContext::kLoad && !at(name->span).contains(parameter));
    });
    return found;
  }

 private:
  const Program& program_;
  const FunctionId function_;
  const FunctionDef& def_;
  const RequiredSettings required_;
};

/// The search backwards.
class Search {
 public:
  explicit Search(const Program& program) : program_(program), ill_fitting_(program) {}

  LeavingCalls run(FunctionId function, std::string_view parameter) {
    constexpr std::size_t kMostNeeds = 200;
    need(function, parameter);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (i == kMostNeeds) break;
      const auto [callee, name] = open_[i];
      for (const CallId id : program_.callers_of(callee)) {
        const program::CallSite& site = program_.calls()[id];
        // What Python refuses leaves nothing out.
        if (program::is_test_path(program_.module_of(site.caller).path) || is_refused(id, site, callee)) continue;
        sort(id, site, callee, name);
      }
    }
    return std::move(out_);
  }

 private:
  void need(FunctionId function, std::string_view name) {
    if (known_.insert({function.value, std::string(name)}).second) open_.emplace_back(function, std::string(name));
  }

  void sort(CallId id, const program::CallSite& site, FunctionId callee, const std::string& name) {
    const rules::Given given = given_to(site, callee, name);
    switch (given.how) {
      case rules::Given::How::kUnknown:
        // `**kwargs` of the caller hands on what its own callers give by this name.
        if (hands_keywords_on(site))
          need(site.caller, name);
        else
          out_.unshown.insert({id.value, callee.value});
        break;
      case rules::Given::How::kNothing: {
        const FunctionDef* def = program_.functions()[callee].def();
        const Parameter* taken_by = def == nullptr ? nullptr : rules::parameter_named(def, name);
        if (taken_by != nullptr && rules::is_none(taken_by->default_value)) leave(id, callee);
        break;
      }
      case rules::Given::How::kValue:
        if (rules::is_none(given.value)) {
          leave(id, callee);
        } else if (const std::string_view own = own_parameter(site.caller, given.value); !own.empty()) {
          need(site.caller, own);
        } else {
          out_.giving.insert({id.value, callee.value});
        }
        break;
    }
  }

  /// Whether Python refuses the call there, and no wrapper between takes what is too much of it for itself.
  [[nodiscard]] bool is_refused(CallId id, const program::CallSite& site, FunctionId callee) {
    const auto* call = as<Call>(site.node);
    if (call == nullptr || !ill_fitting_.contains(id, callee)) return false;
    const rules::Signatures signatures(program_);
    std::optional<rules::Mismatch> mismatch;
    for (const program::CallTarget& one : site.targets) {
      const auto signature = one.function == callee ? signatures.of_target(site, one) : std::nullopt;
      if (signature) mismatch = rules::bind_arguments(*signature, *call);
    }
    return std::none_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
      const std::optional<rules::Signature> signature = signatures.of_target(site, one);
      return signature && signature->takes_any_keyword() && mismatch &&
             std::all_of(mismatch->names.begin(), mismatch->names.end(),
                         [&](std::string_view name) { return signature->find(name) != nullptr; });
    });
  }

  /// Whether the call passes on what its function got as `**kwargs`.
  [[nodiscard]] bool hands_keywords_on(const program::CallSite& site) const {
    const auto* call = as<Call>(site.node);
    const FunctionDef* def = program_.functions()[site.caller].def();
    if (call == nullptr || def == nullptr) return false;
    return std::any_of(call->keywords.begin(), call->keywords.end(), [&](const Keyword* one) {
      const Parameter* own = one->name.text.empty() ? rules::parameter_named(def, rules::name_of(one->value)) : nullptr;
      return own != nullptr && own->parameter_kind == Parameter::Kind::kVarKeywords;
    });
  }

  /// What the call gives; the forward of a module gets what the module is called with.
  [[nodiscard]] rules::Given given_to(const program::CallSite& site, FunctionId callee, const std::string& name) const {
    const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                     [&](const program::CallTarget& one) { return one.function == callee; });
    const auto* call = as<Call>(site.node);
    const FunctionDef* def = program_.functions()[callee].def();
    if (call != nullptr && def != nullptr && rules::parameter_named(def, name) == nullptr) {
      const Expr* value = rules::keyword_value(*call, name);
      return value == nullptr ? rules::Given() : rules::Given{rules::Given::How::kValue, value};
    }
    if (call == nullptr || target == site.targets.end() || target->kind != program::CallKind::kModuleCall)
      return given_by(program_, site, callee, name);
    const std::optional<rules::Signature> signature = rules::Signatures(program_).of_target(site, *target);
    return signature ? rules::given_to(*signature, *call, name) : rules::Given();
  }

  void leave(CallId id, FunctionId callee) {
    out_.leaving_into.insert({id.value, callee.value});
    if (std::find(out_.leaving.begin(), out_.leaving.end(), id) == out_.leaving.end()) out_.leaving.push_back(id);
  }

  /// The parameter of the caller that the value is, as it was given; empty for others.
  [[nodiscard]] std::string_view own_parameter(FunctionId caller, const Expr* value) const {
    const FunctionDef* def = program_.functions()[caller].def();
    const std::string_view name = rules::name_of(value);
    return def != nullptr && rules::parameter_named(def, name) != nullptr && !rules::binds_name(*def, name)
               ? name
               : std::string_view();
  }

  const Program& program_;
  IllFittingCalls ill_fitting_;
  std::set<std::pair<std::uint32_t, std::string>> known_;
  std::vector<std::pair<FunctionId, std::string>> open_;
  LeavingCalls out_;
};

}  // namespace

std::string_view parameter_left_out_for(const Program& program, FunctionId function, const std::vector<Span>& places) {
  const FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
  if (def == nullptr || places.empty()) return {};
  const Asked asked(program, function, *def);
  std::set<std::string_view> common = asked.at(places.front());
  for (std::size_t i = 1; i < places.size() && !common.empty(); ++i) {
    const std::set<std::string_view> own = asked.at(places[i]);
    std::erase_if(common, [&](std::string_view name) { return !own.contains(name); });
  }
  std::erase_if(common, [&](std::string_view name) { return asked.is_set_elsewhere(name); });
  return common.size() == 1 ? *common.begin() : std::string_view();
}

LeavingCalls calls_leaving_out(const Program& program, FunctionId function, std::string_view parameter) {
  return Search(program).run(function, parameter);
}

}  // namespace lockstep::report
