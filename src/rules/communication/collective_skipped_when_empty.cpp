// collective-skipped-when-empty: a collective under `if len(parts) > 0`, where the list is filled from what this rank's
// parameters happen to hold (a shard that is not None, elements that are there). A rank with an empty list does not
// take part, and the others wait for it.
//
// Left out: lists whose contents do not depend on a shard, a None test or a number of elements; an `else` with a
// collective of its own.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mesh/models.h"
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

constexpr std::string_view kRule = "collective-skipped-when-empty";

/// The list that a condition asks about: `if parts`, `if len(parts) > 0`, `if len(parts)`.
std::string_view asked_list(const Expr& condition) {
  if (const std::string_view name = name_of(&condition); !name.empty()) return name;
  const Expr* counted = &condition;
  if (const auto* compare = as<Compare>(&condition)) {
    if (compare->ops.size() != 1 || !is<Constant>(compare->comparators[0])) return {};
    if (compare->ops[0] != CompareOperator::kGt && compare->ops[0] != CompareOperator::kNotEq) return {};
    counted = compare->left;
  }
  const auto* call = as<Call>(counted);
  if (call == nullptr || name_of(call->callee) != "len" || call->arguments.size() != 1) return {};
  return name_of(call->arguments[0]);
}

/// True if a condition asks what this rank holds: a shard, elements, something that is not None.
bool asks_for_shard(const Expr& condition, const FileFacts& facts) {
  const std::string_view text = facts.source().slice(condition.span);
  return text.find("shard") != std::string_view::npos || text.find("numel()") != std::string_view::npos;
}

/// `param.is_sharded`: how the parameter is laid out, which all ranks that hold it agree on.
bool asks_how_made(const Expr& condition) {
  const Expr* last = &condition;
  if (const auto* parts = as<BoolOp>(last)) last = parts->values.back();
  const auto* attribute = as<Attribute>(last);
  return attribute != nullptr && attribute->name.text.starts_with("is_");
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const program::Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits) {}

  void run() {
    fill(row_.def()->body, nullptr);
    if (filled_.empty()) return;
    walk_statements(*row_.node, Nested::kSkip, [&](const Stmt* statement) {
      if (const auto* branch = as<If>(statement)) check(*branch);
    });
  }

 private:
  /// Lists that are appended to under a condition about this rank's shard.
  void fill(Seq<Stmt> block, const Expr* shard_condition) {
    for (const Stmt* statement : block) {
      const auto* expression = as<ExprStmt>(statement);
      const auto* call = expression == nullptr ? nullptr : as<Call>(expression->value);
      const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
      if (method != nullptr && method->name.text == "append" && shard_condition != nullptr) {
        if (const std::string_view list = name_of(method->value); !list.empty()) filled_.emplace(list, shard_condition);
      }
      if (is<FunctionDef>(statement) || is<ClassDef>(statement)) continue;
      const auto* branch = as<If>(statement);
      if (branch != nullptr) {
        fill(branch->body, asks_for_shard(*branch->condition, facts_) ? branch->condition : shard_condition);
        fill(branch->orelse, shard_condition);
      } else {
        for_each_block(*statement, [&](Seq<Stmt> inner) { fill(inner, shard_condition); });
      }
    }
  }

  void check(const If& branch) {
    const auto list = filled_.find(asked_list(*branch.condition));
    if (list == filled_.end()) return;
    const Call* collective = first_collective(branch.body);
    if (collective == nullptr || first_collective(branch.orelse) != nullptr) return;
    if (asks_how_made(*list->second)) return;
    Hit hit = make_hit(
        program_, kRule, row_.module, collective->span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kDistributed,
         fmt::format("A rank whose `{}` is empty does not take part in this `{}`", list->first,
                     last_part_of(collective->callee)),
         fmt::format("The list holds what this rank owns (`{}`), and ranks of one group can own different amounts. "
                     "Measured with NCCL: the ranks that issue the collective wait for ever.",
                     quote(facts_, list->second->span)),
         "Issue the collective on every rank, with a zero where the list is empty."});
    hit.finding.evidence.push_back(
        evidence_at(program_, row_.module, list->second->span, "decides what is in the list"));
    hit.finding.evidence.push_back(
        evidence_at(program_, row_.module, branch.condition->span, "decides who takes part"));
    hits_.push_back(std::move(hit));
  }

  const Call* first_collective(Seq<Stmt> block) const {
    const Call* found = nullptr;
    for (const Stmt* statement : block) {
      walk_of<Call>(*statement, Nested::kSkip, [&](const Call* call) {
        if (found == nullptr && is_collective_call(*call)) found = call;
      });
    }
    return found;
  }

  [[nodiscard]] bool is_collective_call(const Call& call) const {
    const program::CallId id = program_.call_of(&call);
    if (!id.valid()) return false;
    const auto& targets = program_.calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(), [](const program::CallTarget& target) {
      const mesh::CollectiveModel* model = target.external.empty() ? nullptr : mesh::find_collective(target.external);
      return model != nullptr && !model->is_point_to_point;
    });
  }

  std::map<std::string_view, const Expr*> filled_;
};

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const std::string_view text = program.modules()[module].facts->source().bytes();
  if (text.find("shard") == std::string_view::npos && text.find("numel()") == std::string_view::npos) return;
  for (const FunctionId function : program.modules()[module].functions) {
    if (program.functions()[function].def() != nullptr) FunctionScan(program, function, hits).run();
  }
}

}  // namespace

void run_collective_skipped_when_empty(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
