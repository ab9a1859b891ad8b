// softmax-all-masked: scores set to minus infinity where a mask hides them, and a softmax over them. A row that the
// mask hides whole becomes NaN, forward and backward.
//
// Left out: functions that treat NaN, fill again afterwards, or make a mask that leaves something in each row (causal
// ones, and those of a topk).

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/signatures.h"

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
    {"nan_to_num", "isnan", "triu", "tril", "causal", "topk", "isinf", "isfinite", "any", "all"});

/// Scores in which a mask hides some.
struct Masked {
  std::string_view name;  ///< Of the variable that holds them; empty where they go straight on.
  const Node* place = nullptr;
};

class FunctionScan {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : program_(program),
        row_(program.functions()[function]),
        facts_(*program.modules()[row_.module].facts),
        hits_(hits) {}

  void run() {
    if (is_treated()) return;
    collect();
    walk_of<Call>(*row_.node, Nested::kSkip, [&](const Call* call) {
      if (last_part_of(call->callee) != "softmax") return;
      const auto* callee = as<Attribute>(call->callee);
      const std::string_view owner = callee == nullptr ? std::string_view() : name_of(callee->value);
      const bool is_function = callee == nullptr || owner == "F" || owner == "torch" || owner == "functional" ||
                               last_part_of(callee->value) == "functional";
      const Expr* scores = !is_function               ? callee->value
                           : !call->arguments.empty() ? call->arguments.front()
                                                      : keyword_value(*call, "input");
      if (scores == nullptr) return;
      if (const auto* inner = as<Call>(scores); inner != nullptr && hides(*inner)) return report(*call, *inner);
      // The last one that stands before it.
      const Masked* last = nullptr;
      for (const Masked& each : masked_) {
        if (each.name == name_of(scores) && each.place->span.end <= call->span.begin) last = &each;
      }
      if (last != nullptr && !name_of(scores).empty() && !is_filled_after(call->span.begin))
        report(*call, *last->place);
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
    walk_of<Attribute>(*row_.node, Nested::kEnter, [&](const Attribute* each) { note(each->name.text); });
    walk_of<Name>(*row_.node, Nested::kEnter, [&](const Name* each) { note(each->id); });
    return found;
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

  void collect() {
    walk_of<Assign>(*row_.node, Nested::kSkip, [&](const Assign* assign) {
      const Expr* target = assign->targets[0];
      const auto* call = as<Call>(assign->value);
      if (call != nullptr && hides(*call)) masked_.push_back({name_of(target), assign});
      const auto* part = as<Subscript>(target);
      const bool is_by_mask = part != nullptr && (is<Name>(part->index) || is<UnaryOp>(part->index));
      if (is_by_mask && is_minus_infinity(assign->value)) masked_.push_back({name_of(part->value), assign});
    });
    walk_of<ExprStmt>(*row_.node, Nested::kSkip, [&](const ExprStmt* statement) {
      const auto* call = as<Call>(statement->value);
      const auto* callee = call == nullptr ? nullptr : as<Attribute>(call->callee);
      if (callee != nullptr && callee->name.text == "masked_fill_" && hides(*call))
        masked_.push_back({name_of(callee->value), statement});
    });
  }

  /// The weights get zeros again where all was hidden.
  [[nodiscard]] bool is_filled_after(std::uint32_t offset) const {
    bool found = false;
    walk_of<Call>(*row_.node, Nested::kSkip, [&](const Call* call) {
      const std::string_view name = last_part_of(call->callee);
      found = found || (call->span.end > offset && !hides(*call) &&
                        (name == "masked_fill" || name == "masked_fill_" || name == "where"));
    });
    return found;
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

  const Program& program_;
  const program::Function& row_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
  std::vector<Masked> masked_;  ///< In the order of the source, by kind of statement.
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
