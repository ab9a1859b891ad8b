// softmax-all-masked: scores set to minus infinity where a mask hides them, and a softmax over them. A row that the
// mask hides whole becomes NaN, forward and backward.
//
// Left out: functions that treat NaN, fill again afterwards, count what is hidden, or make a mask that leaves something
// in each row (causal ones, those of positions and windows, of a sort, topk or the largest value, a diagonal, places
// that are let through again, the padding of a vocabulary); scores that get another value, or other values
// in places, between the mask and the softmax.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "softmax-all-masked";
constexpr auto kMinusInfinity =
    std::to_array<std::string_view>({"float('-inf')", "float(\"-inf\")", "-float('inf')", "-float(\"inf\")",
                                     "-math.inf", "-torch.inf", "-np.inf", "-numpy.inf", "-inf"});
// What says that somebody thought of it, or that each row keeps something.
constexpr auto kTreated = std::to_array<std::string_view>(
    {"nan_to_num", "isnan",    "triu",   "tril",  "causal",  "topk",     "isinf",  "isfinite", "any",
     "all",        "sort",     "cumsum", "cumul", "nucleus", "top_p",    "arange", "eye",      "sink",
     "window",     "position", "diag",   "amax",  "min_p",   "kthvalue", "vocab"});

/// Scores in which a mask hides some.
struct Masked {
  const Node* place = nullptr;
  std::uint32_t until = 0;   ///< The end of the function, or of the innermost block around that is left at its end.
  std::vector<Span> not_in;  ///< The other branches of the conditions around.
};

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits) {}

  void run() {
    if (is_treated()) return;
    const auto scope = facts_.scope_of_node.find(row_.node);
    if (row_.def() == nullptr || scope == facts_.scope_of_node.end()) return;
    collect(row_.def()->body, {.place = nullptr, .until = row_.node->span.end, .not_in = {}});
    for (const Binding& binding : facts_.scopes[scope->second].bindings)
      changes_[binding.name].push_back(binding.name_span.begin);
    for (auto& [name, places] : changes_) std::sort(places.begin(), places.end());
    for (auto& [name, places] : masked_) {
      std::sort(places.begin(), places.end(),
                [](const Masked& a, const Masked& b) { return a.place->span.begin < b.place->span.begin; });
    }
    walk_of<Call>(*row_.node, Nested::kSkip, [&](const Call* call) {
      if (is_fill(*call)) last_fill_ = std::max(last_fill_, call->span.end);
    });
    walk_of<Call>(*row_.node, Nested::kSkip, [&](const Call* call) {
      if (last_part_of(call->callee) != "softmax" || last_fill_ > call->span.begin) return;
      const auto* callee = as<Attribute>(call->callee);
      const std::string_view owner = callee == nullptr ? std::string_view() : name_of(callee->value);
      const bool is_function = callee == nullptr || owner == "F" || owner == "torch" || owner == "functional" ||
                               last_part_of(callee->value) == "functional";
      const Expr* scores = !is_function               ? callee->value
                           : !call->arguments.empty() ? call->arguments.front()
                                                      : keyword_value(*call, "input");
      if (scores == nullptr) return;
      if (const auto* inner = as<Call>(scores); inner != nullptr && hides(*inner)) return report(*call, *inner);
      if (const Node* place = masked_before(name_of(scores), call->span)) report(*call, *place);
    });
  }

 private:
  [[nodiscard]] bool is_treated() const {
    bool found = false;
    const auto note = [&](std::string_view name) {
      found = found || std::any_of(kTreated.begin(), kTreated.end(), [&](std::string_view each) {
                return each.size() > 3 ? contains(to_lower(name), each) : name == each;
              });
    };
    note(row_.name);
    if (row_.owner.valid()) note(program_.classes()[row_.owner].name);
    walk(*row_.node, Nested::kEnter, [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node)) note(attribute->name.text);
      if (const auto* name = as<Name>(node)) note(name->id);
      if (const auto* compare = as<Compare>(node)) found = found || compares_places(*compare) || counts(*compare);
      if (const auto* call = as<Call>(node)) found = found || lets_through(*call);
      if (const auto* assign = as<Assign>(node))
        found = found || (is<Subscript>(assign->targets[0]) && is_false(assign->value));
    });
    return found;
  }

  /// `mask.scatter(1, own, False)`, as `mask[own] = False`: each row keeps something.
  static bool lets_through(const Call& call) {
    const std::string_view name = last_part_of(call.callee);
    return (name.starts_with("scatter") || name.starts_with("index_fill")) && !call.arguments.empty() &&
           (is_false(call.arguments.back()) || is_false(keyword_value(call, "value")));
  }

  /// `mask.sum(-1) < mask.size(-1)`: rows that are hidden whole are looked for.
  static bool counts(const Compare& compare) {
    const auto is_sum = [](const Expr* side) { return is<Call>(side) && last_part_of(side) == "sum"; };
    return is_sum(compare.left) || std::any_of(compare.comparators.begin(), compare.comparators.end(), is_sum);
  }

  [[nodiscard]] bool is_minus_infinity(const Expr* value) const {
    if (value == nullptr) return false;
    const std::string text = squeezed(facts_, value->span);
    return std::find(kMinusInfinity.begin(), kMinusInfinity.end(), text) != kMinusInfinity.end();
  }

  /// `x.masked_fill(mask, -inf)`, `torch.where(mask, x, -inf)`.
  [[nodiscard]] bool hides(const Call& call) const {
    const std::string_view name = last_part_of(call.callee);
    if (name != "masked_fill" && name != "masked_fill_" && name != "where") return false;
    return std::any_of(call.arguments.begin(), call.arguments.end(),
                       [&](const Expr* argument) { return is_minus_infinity(argument); }) ||
           is_minus_infinity(keyword_value(call, "value"));
  }

  /// `q_at[:, None] >= k_at[None, :]`: a mask of positions or lengths, which whoever wrote it knows.
  static bool compares_places(const Compare& compare) {
    const auto is_spread = [](const Expr* side) {
      const auto* part = as<Subscript>(side);
      const auto* index = part == nullptr ? nullptr : as<Tuple>(part->index);
      return index != nullptr && std::any_of(index->elements.begin(), index->elements.end(), is_none);
    };
    return is_spread(compare.left) || std::any_of(compare.comparators.begin(), compare.comparators.end(), is_spread);
  }

  /// Notes what masks scores in the block; `around`: what holds of all statements in it.
  void collect(Seq<Stmt> block, Masked around) {
    if (block.empty()) return;
    if (leaves(*block.back())) around.until = std::min(around.until, block.back()->span.end);
    for (const Stmt* statement : block) {
      if (is<FunctionDef>(statement) || is<ClassDef>(statement)) continue;
      note(*statement, around);
      const auto* branch = as<If>(statement);
      if (branch == nullptr || branch->orelse.empty()) {
        for_each_block(*statement, [&](Seq<Stmt> inner) { collect(inner, around); });
        continue;
      }
      collect(branch->orelse, around);
      Masked inside = around;
      inside.not_in.push_back({branch->orelse.front()->span.begin, branch->orelse.back()->span.end});
      collect(branch->body, std::move(inside));
    }
  }

  void note(const Stmt& statement, const Masked& around) {
    const auto add = [&](std::string_view name) {
      if (name.empty()) return;
      masked_[name].push_back(around);
      masked_[name].back().place = &statement;
    };
    if (const auto* assign = as<Assign>(&statement)) {
      const Expr* target = assign->targets[0];
      const auto* call = as<Call>(assign->value);
      if (call != nullptr && hides(*call)) add(name_of(target));
      const auto* part = as<Subscript>(target);
      if (part == nullptr) return;
      const bool is_by_mask = is<Name>(part->index) || is<UnaryOp>(part->index);
      if (is_by_mask && is_minus_infinity(assign->value)) return add(name_of(part->value));
      changes_[name_of(part->value)].push_back(statement.span.begin);
    } else if (const auto* alone = as<ExprStmt>(&statement)) {
      const auto* call = as<Call>(alone->value);
      const auto* callee = call == nullptr ? nullptr : as<Attribute>(call->callee);
      if (callee == nullptr || !callee->name.text.ends_with('_')) return;
      if (callee->name.text == "masked_fill_" && hides(*call)) return add(name_of(callee->value));
      changes_[name_of(callee->value)].push_back(statement.span.begin);  // In place: `scores.clamp_(…)`.
    }
  }

  /// The last statement that masks the scores before `use`, if it surely may run before it and nothing changes them in
  /// between; else null.
  [[nodiscard]] const Node* masked_before(std::string_view name, Span use) const {
    const auto found = masked_.find(name);
    if (name.empty() || found == masked_.end()) return nullptr;
    // Simple statements, sorted: those that end before the use come first.
    const auto& all = found->second;
    const auto after = std::partition_point(all.begin(), all.end(),
                                            [&](const Masked& each) { return each.place->span.end <= use.begin; });
    if (after == all.begin()) return nullptr;
    const Masked* last = &*std::prev(after);
    if (use.begin >= last->until) return nullptr;
    if (std::any_of(last->not_in.begin(), last->not_in.end(), [&](Span other) { return other.contains(use.begin); }))
      return nullptr;
    const auto changes = changes_.find(name);
    if (changes == changes_.end()) return last->place;
    const auto next = std::lower_bound(changes->second.begin(), changes->second.end(), last->place->span.end);
    return next == changes->second.end() || *next >= use.begin ? last->place : nullptr;
  }

  /// Weights get zeros again where all was hidden.
  [[nodiscard]] bool is_fill(const Call& call) const {
    const std::string_view name = last_part_of(call.callee);
    return (name == "masked_fill" || name == "masked_fill_" || name == "where") && !hides(call);
  }

  void report(const Call& call, const Node& place) {
    Hit hit = make_hit(program_, kRule, row_.module, call.span,
                       {Severity::kP2, FindingCertainty::kQuestion, Category::kNumerics,
                        "Can the mask hide a whole row of this softmax?",
                        "A row of nothing but minus infinity gives NaN, and so do the gradients of all that was used "
                        "to compute it: padding and packed sequences make such rows.",
                        "Mask with a large finite value, or set the weights of such rows to zero afterwards; else say "
                        "what each row keeps."});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, place.span, "minus infinity comes in here"));
    hits_.push_back(std::move(hit));
  }

  std::unordered_map<std::string_view, std::vector<Masked>> masked_;          ///< By the variable that holds them.
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> changes_;  ///< Other places that set a variable.
  std::uint32_t last_fill_ = 0;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const std::string_view text = program.modules()[module].facts->source().bytes();
  if (!contains(text, "softmax") || !contains(text, "inf")) return;
  for (const FunctionId function : program.modules()[module].functions) FunctionScan(program, function, hits).run();
}

}  // namespace

void run_softmax_all_masked(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_changed_lines(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
