// counter-not-reset: a loop fills a list and counts its size in a variable; where the count passes a limit it hands the
// list on and starts an empty one, but the count goes on from where it was: every later round hands on a list of one.
//
// Left out: counts that anything else sets, limits that move along, blocks that leave the loop.

#include <fmt/format.h>

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "counter-not-reset";

/// `count += …` or `count = count + …`: the name; empty for anything else.
std::string_view added_to(const Stmt& statement) {
  if (const auto* augmented = as<AugAssign>(&statement))
    return augmented->op == BinaryOperator::kAdd ? name_of(augmented->target) : std::string_view();
  const auto* assign = as<Assign>(&statement);
  const auto* sum = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<BinOp>(assign->value);
  if (sum == nullptr || sum->op != BinaryOperator::kAdd) return {};
  const std::string_view name = name_of(assign->targets[0]);
  return name == name_of(sum->left) || name == name_of(sum->right) ? name : std::string_view();
}

bool is_empty_list(const Expr* value) {
  const auto* list = as<List>(value);
  const auto* call = as<Call>(value);
  return (list != nullptr && list->elements.empty()) ||
         (call != nullptr && name_of(call->callee) == "list" && call->arguments.empty());
}

/// The list that the statement makes empty: `items = []`, `items.clear()`.
std::string_view emptied(const Stmt& statement) {
  if (const auto* assign = as<Assign>(&statement))
    return assign->targets.size() == 1 && is_empty_list(assign->value) ? name_of(assign->targets[0])
                                                                       : std::string_view();
  const auto* alone = as<ExprStmt>(&statement);
  const auto* call = alone == nullptr ? nullptr : as<Call>(alone->value);
  const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
  return method != nullptr && method->name.text == "clear" ? name_of(method->value) : std::string_view();
}

bool appends(const Stmt& statement, std::string_view list) {
  const auto* alone = as<ExprStmt>(&statement);
  const auto* call = alone == nullptr ? nullptr : as<Call>(alone->value);
  const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
  return method != nullptr && method->name.text == "append" && name_of(method->value) == list;
}

/// How often the name is stored to below `node`.
std::size_t stores(const Node& node, std::string_view name) {
  std::size_t count = 0;
  walk_of<Name>(node, Nested::kEnter,
                [&](const Name* each) { count += each->id == name && each->context != ExprContext::kLoad ? 1 : 0; });
  return count;
}

/// The name that a test `count > limit` or `limit < count` compares, with the limit.
struct Test {
  std::string_view count;
  const Expr* limit = nullptr;
};

Test test_of(const Expr& condition) {
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1) return {};
  const Expr* left = compare->left;
  const Expr* right = compare->comparators[0];
  const CompareOperator op = compare->ops[0];
  if (op == CompareOperator::kGt || op == CompareOperator::kGtE) return {name_of(left), right};
  if (op == CompareOperator::kLt || op == CompareOperator::kLtE) return {name_of(right), left};
  return {};
}

class LoopScan {
 public:
  LoopScan(const Program& program, ModuleId module, const Node& loop, Seq<Stmt> body, std::vector<Hit>& hits)
      : program_(program), module_(module), loop_(loop), body_(body), hits_(hits) {}

  void run() {
    for (const Stmt* statement : body_) {
      const auto* branch = as<If>(statement);
      if (branch == nullptr || branch->body.empty() || ends_block(*branch->body.back())) continue;
      const Test test = test_of(*branch->condition);
      if (test.count.empty() || !is_counted(test.count) || limit_moves(*branch, *test.limit)) continue;
      for (const Stmt* inner : branch->body) {
        const std::string_view list = emptied(*inner);
        if (list.empty() || list == test.count || !is_filled(list)) continue;
        report(*branch, *inner, list, test.count);
        break;
      }
    }
  }

 private:
  /// The loop's own statements add to the name, and nothing else in the loop sets it.
  [[nodiscard]] bool is_counted(std::string_view name) const {
    const auto adds =
        std::count_if(body_.begin(), body_.end(), [&](const Stmt* statement) { return added_to(*statement) == name; });
    return adds > 0 && static_cast<std::size_t>(adds) == stores(loop_, name);
  }

  [[nodiscard]] bool is_filled(std::string_view list) const {
    return std::any_of(body_.begin(), body_.end(), [&](const Stmt* each) { return appends(*each, list); });
  }

  /// The block sets something that the limit is made of.
  static bool limit_moves(const If& branch, const Expr& limit) {
    bool moves = is<Call>(&limit);
    const auto look = [&](std::string_view name) {
      for (const Stmt* statement : branch.body) moves = moves || stores(*statement, name) > 0;
    };
    look(name_of(&limit));
    walk_of<Name>(limit, Nested::kSkip, [&](const Name* name) { look(name->id); });
    return moves;
  }

  void report(const If& branch, const Stmt& emptying, std::string_view list, std::string_view count) {
    Hit hit = make_hit(
        program_, kRule, module_, branch.condition->span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("`{}` is emptied here, but `{}` goes on counting from where it was", list, count),
         "From the first time on, every round passes the limit: what was meant to go in buckets goes one by one.",
         fmt::format("Set `{} = 0` together with `{} = []`.", count, list)});
    hit.finding.evidence.push_back(evidence_at(program_, module_, emptying.span, "emptied here"));
    hits_.push_back(std::move(hit));
  }

  const Program& program_;
  const ModuleId module_;
  const Node& loop_;
  const Seq<Stmt> body_;
  std::vector<Hit>& hits_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  walk_statements(program.modules()[module].facts->tree(), Nested::kEnter, [&](const Stmt* statement) {
    if (const auto* loop = as<For>(statement)) LoopScan(program, module, *loop, loop->body, hits).run();
    if (const auto* loop = as<While>(statement)) LoopScan(program, module, *loop, loop->body, hits).run();
  });
}

}  // namespace

void run_counter_not_reset(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
