// result-kind-not-asked: a change asks at two places or more whether what it gets by calling an attribute is of one
// kind (`isinstance(y, tuple)`), while others that call the same attribute take what they get.
//
// Left out: names of fewer than six letters, tests and their helpers, functions that ask themselves or only hand the
// result on, constructors, and attributes that more than six functions take without asking: another thing has that
// name.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "result-kind-not-asked";
constexpr std::size_t kShortestName = 6;  // `call`, `get`: too many have these names.
constexpr std::size_t kFewestPlaces = 2;
constexpr std::size_t kMostOthers = 6;

/// The attribute that is called: "norm" of `self.norm(x)` and of `apply_module(self.norm)(x)`; empty for others.
std::string_view called_attribute(const Expr* value) {
  const auto* call = as<Call>(value);
  if (call == nullptr) return {};
  if (const auto* member = as<Attribute>(call->callee)) return member->name.text;
  const auto* wrapped = as<Call>(call->callee);
  const auto* given =
      wrapped == nullptr || wrapped->arguments.size() != 1 ? nullptr : as<Attribute>(wrapped->arguments.front());
  return given == nullptr ? std::string_view() : given->name.text;
}

/// The last value that a name gets before a place.
const Expr* value_before(const FunctionDef& def, std::string_view name, std::uint32_t before) {
  const Expr* value = nullptr;
  std::uint32_t at = 0;
  walk_of<Assign>(def, Nested::kSkip, [&](const Assign* assign) {
    const bool is_it = assign->targets.size() == 1 && name_of(assign->targets.front()) == name;
    if (!is_it || assign->span.end > before || (value != nullptr && assign->span.begin < at)) return;
    value = assign->value;
    at = assign->span.begin;
  });
  return value;
}

/// `if isinstance(y, Kind):` where `y` is what calling an attribute gave.
struct Ask {
  const If* branch = nullptr;
  std::string_view attribute;
  std::string kind;
};

std::vector<Ask> asks_of(const FunctionDef& def, const FileFacts& facts) {
  constexpr std::size_t kLongestKind = 200;
  std::vector<Ask> out;
  walk_of<If>(def, Nested::kSkip, [&](const If* branch) {
    const auto* call = as<Call>(branch->condition);
    if (call == nullptr || name_of(call->callee) != "isinstance" || call->arguments.size() != 2) return;
    const std::string_view name = name_of(call->arguments[0]);
    if (name.empty()) return;
    const std::string_view attribute = called_attribute(value_before(def, name, branch->span.begin));
    if (attribute.size() >= kShortestName)
      out.push_back({branch, attribute, quote(facts, call->arguments[1]->span, kLongestKind)});
  });
  return out;
}

/// An attribute and the kind of its results that the change asks for: where.
struct Asked {
  std::string kind;
  std::vector<std::pair<ModuleId, const If*>> places;
};

/// By attribute. What a function asked before in as many places is not new.
std::map<std::string, Asked> newly_asked(const RuleContext& context) {
  std::map<std::string, Asked> out;
  for (const EntityChange& entity : context.change->entities) {
    if (!entity.before || !entity.after || !entity.before->function.valid() || !entity.after->function.valid() ||
        program::is_test_path(entity.after->path))
      continue;
    const FunctionDef* def = context.program.functions()[entity.after->function].def();
    const FunctionDef* was = context.before->functions()[entity.before->function].def();
    if (def == nullptr || was == nullptr) continue;
    const program::Module& module = context.program.module_of(entity.after->function);
    const std::vector<Ask> now = asks_of(*def, *module.facts);
    if (now.empty()) continue;
    const std::vector<Ask> then = asks_of(*was, *context.before->module_of(entity.before->function).facts);
    for (const Ask& ask : now) {
      const bool is_old =
          std::any_of(then.begin(), then.end(), [&](const Ask& old) { return old.attribute == ask.attribute; });
      const std::uint32_t line = module.facts->source().line_of(ask.branch->span.begin);
      if (is_old || !context.change->touches_after(entity.after->path, line)) continue;
      Asked& asked = out[std::string(ask.attribute)];
      if (asked.kind.empty()) asked.kind = ask.kind;
      if (asked.kind == ask.kind)
        asked.places.emplace_back(context.program.functions()[entity.after->function].module, ask.branch);
    }
  }
  return out;
}

/// The first call of the attribute whose result the function takes as it is; null where there is none.
const Call* taken_unasked(const FunctionDef& def, std::string_view attribute, const FileFacts& facts) {
  const std::vector<Ask> asks = asks_of(def, facts);
  if (std::any_of(asks.begin(), asks.end(), [&](const Ask& ask) { return ask.attribute == attribute; })) return nullptr;
  std::set<const Expr*> handed_on;  // What only gives the result on leaves it to others to ask.
  std::set<std::string_view> returned;
  walk_of<Return>(def, Nested::kSkip, [&](const Return* result) {
    handed_on.insert(result->value);
    if (const std::string_view name = name_of(result->value); !name.empty()) returned.insert(name);
  });
  walk_of<Assign>(def, Nested::kSkip, [&](const Assign* assign) {
    if (assign->targets.size() == 1 && returned.contains(name_of(assign->targets.front())))
      handed_on.insert(assign->value);
  });
  const Call* first = nullptr;
  walk_of<Call>(def, Nested::kSkip, [&](const Call* call) {
    if (first == nullptr && called_attribute(call) == attribute && !handed_on.contains(call)) first = call;
  });
  return first;
}

/// A function that takes the result as it comes, and where.
struct Unasking {
  std::string name;
  Evidence at;
};

std::vector<Unasking> unasking(const Program& program, std::string_view attribute) {
  std::vector<Unasking> out;
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path) || program::is_helper_path(module.path) ||
        !module.facts->has_name(attribute))
      continue;
    for (const FunctionId id : module.functions) {
      const FunctionDef* def = program.functions()[id].def();
      // A constructor makes what has the name.
      if (def == nullptr || def->name.text == "__init__" || def->name.text == "__new__" ||
          !contains(module.facts->source().slice(def->span), attribute))
        continue;
      if (const Call* call = taken_unasked(*def, attribute, *module.facts))
        out.push_back({fmt::format("`{}`", short_name(program, id)),
                       evidence_at(program, program.functions()[id].module, call->span,
                                   fmt::format("`{}` takes it as it comes", short_name(program, id)))});
    }
  }
  return out;
}

}  // namespace

void run_result_kind_not_asked(const RuleContext& context, std::vector<Finding>& findings) {
  const Program& program = context.program;
  const std::map<std::string, Asked> all_asked = newly_asked(context);
  std::map<std::string, std::size_t> places;  // By the kind: one of them may be meant for one thing alone.
  for (const auto& [attribute, asked] : all_asked) places[asked.kind] += asked.places.size();
  for (const auto& [attribute, asked] : all_asked) {
    if (places[asked.kind] < kFewestPlaces) continue;
    std::vector<Unasking> others = unasking(program, attribute);
    if (others.empty() || others.size() > kMostOthers) continue;
    const auto& [module, branch] = asked.places.front();
    Finding finding = finding_at(program, kRule, module, branch->condition->span);
    finding.severity = Severity::kP2;
    finding.certainty = FindingCertainty::kQuestion;
    finding.category = Category::kCorrectness;
    finding.message =
        fmt::format("Can {} ({}:{}{}) get a `{}` of `{}`, too, and take it unasked?", others.front().name,
                    others.front().at.path, others.front().at.line + 1,
                    others.size() == 1 ? "" : fmt::format(", and {} more", others.size() - 1), asked.kind, attribute);
    finding.why = fmt::format("The change asks here whether what `{}` gives is one.", attribute);
    finding.fix = "Ask there, too, or say why it cannot come to that.";
    for (Unasking& one : others) finding.evidence.push_back(std::move(one.at));
    findings.push_back(std::move(finding));
  }
}

}  // namespace lockstep::rules
