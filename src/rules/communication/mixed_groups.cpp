// mixed-groups: the rank in one process group is used together with the size of another (`parts[rank::world_size]`), or
// a sum over one group is divided by the size of another, or a scale factor of one group is handed over with another
// one.
//
// Left out: groups that names do not tell, sizes that are multiplied, and ratios of two sizes.

#include <fmt/format.h>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/communication/group_queries.h"
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
using Kind = GroupQuery::Kind;

constexpr std::string_view kRule = "mixed-groups";

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), queries_(program, function) {}

  void run() {
    walk(*row_.node, Nested::kSkip, [&](const Node* node) {
      if (const auto* slice = as<Slice>(node)) strided(*slice);
      if (const auto* product = as<BinOp>(node)) partition(*product);
      if (const auto* call = as<Call>(node)) scaled(*call);
    });
    for (const Seq<Stmt> block : blocks_of(*row_.node)) averaged(block);
  }

 private:
  void report(Span span, std::string message, std::string why, std::string fix) {
    hits_.push_back(make_hit(program_, kRule, row_.module, span,
                             {Severity::kP1, FindingCertainty::kLikely, Category::kDistributed, std::move(message),
                              std::move(why), std::move(fix)}));
  }

  void rank_with_size(const Expr& rank, const Expr& size, Span span) {
    const auto of_rank = queries_.of(rank);
    const auto of_size = queries_.of(size);
    if (!of_rank || !of_size || of_rank->kind != Kind::kRank || of_size->kind != Kind::kSize) return;
    if (of_rank->dimensions == of_size->dimensions) return;
    report(span,
           fmt::format("`{}` is the rank along {}, but `{}` is the size along {}", quote(facts_, rank.span, 40),
                       queries_.describe(of_rank->dimensions), quote(facts_, size.span, 40),
                       queries_.describe(of_size->dimensions)),
           "The parts that the ranks take overlap, leave gaps, or lie outside.", "Ask the same group for both.");
  }

  /// `parts[rank::size]`.
  void strided(const Slice& slice) {
    if (slice.lower != nullptr && slice.step != nullptr) rank_with_size(*slice.lower, *slice.step, slice.span);
  }

  /// `rank * (total // size)`, `total // size * rank`.
  void partition(const BinOp& product) {
    if (product.op != BinaryOperator::kMult) return;
    for (const auto& [one, other] : {std::pair{product.left, product.right}, std::pair{product.right, product.left}}) {
      const auto* part = as<BinOp>(other);
      if (part != nullptr && (part->op == BinaryOperator::kFloorDiv || part->op == BinaryOperator::kDiv))
        rank_with_size(*one, *part->right, product.span);
    }
  }

  /// The size by which an expression divides: `1.0 / size`, `x / size`.
  std::optional<mesh::Bits> divisor(const Expr& expression) const {
    const auto* quotient = as<BinOp>(&expression);
    if (quotient == nullptr || quotient->op != BinaryOperator::kDiv || queries_.of(*quotient->left))
      return std::nullopt;
    const auto size = queries_.of(*quotient->right);
    return size && size->kind == Kind::kSize ? std::optional(size->dimensions) : std::nullopt;
  }

  /// A call that takes a group, and a factor that divides by the size of another one.
  void scaled(const Call& call) {
    const Expr* group = nullptr;
    const Expr* factor = nullptr;
    std::vector<const Expr*> values(call.arguments.begin(), call.arguments.end());
    for (const Keyword* keyword : call.keywords) values.push_back(keyword->value);
    for (const Expr* value : values) {
      if (queries_.group(*value)) {
        if (group != nullptr) return;
        group = value;
      } else if (!factor_dimensions(*value).empty()) {
        factor = value;
      }
    }
    if (group == nullptr || factor == nullptr) return;
    const mesh::Bits spans = *queries_.group(*group);
    for (const auto& [dimensions, place] : factor_dimensions(*factor)) {
      if ((dimensions & spans) != dimensions || dimensions == spans) continue;
      report(
          place->span,
          fmt::format("This divides by the size along {}, but the group that it goes with spans {}",
                      queries_.describe(dimensions), queries_.describe(spans)),
          fmt::format("`{}` takes the factor together with `{}`: sums over that group are too large by the size of the "
                      "rest.",
                      quote(facts_, call.callee->span), quote(facts_, group->span)),
          fmt::format("Divide by the size of `{}`.", quote(facts_, group->span)));
    }
  }

  /// Divisors of all values that a local factor can have, with where they stand.
  std::vector<std::pair<mesh::Bits, const Expr*>> factor_dimensions(const Expr& factor) const {
    const std::string_view name = name_of(&factor);
    std::vector<std::pair<mesh::Bits, const Expr*>> found;
    if (name.find("scal") == std::string_view::npos && name.find("factor") == std::string_view::npos) return found;
    walk_of<Assign>(*row_.node, Nested::kSkip, [&](const Assign* assign) {
      if (assign->targets.size() != 1 || name_of(assign->targets[0]) != name) return;
      if (const auto dimensions = divisor(*assign->value)) found.emplace_back(*dimensions, assign->value);
    });
    return found;
  }

  /// `all_reduce(x, group=g)`, then `x /= size` or `x = x / size` with the size of another group.
  void averaged(Seq<Stmt> block) {
    for (std::size_t i = 0; i + 1 < block.size(); ++i) {
      const auto* statement = as<ExprStmt>(block[i]);
      const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
      if (call == nullptr || last_part_of(call->callee) != "all_reduce" || call->arguments.empty()) continue;
      if (const Expr* op = keyword_value(*call, "op"); op != nullptr && last_part_of(op) != "SUM") continue;
      const Expr* group = keyword_value(*call, "group");
      const auto spans = group == nullptr ? std::nullopt : queries_.group(*group);
      if (!spans) continue;
      const auto divided = division_of(*block[i + 1], squeezed(facts_, call->arguments[0]->span));
      if (!divided || divided->first == *spans) continue;
      report(divided->second,
             fmt::format("The sum is over {}, but it is divided by the size along {}", queries_.describe(*spans),
                         queries_.describe(divided->first)),
             "The result is no average of either group.",
             fmt::format("Divide by the size of `{}`, or use `ReduceOp.AVG`.", quote(facts_, group->span)));
    }
  }

  std::optional<std::pair<mesh::Bits, Span>> division_of(const Stmt& statement, const std::string& tensor) const {
    if (const auto* in_place = as<AugAssign>(&statement)) {
      const auto size = queries_.of(*in_place->value);
      if (in_place->op == BinaryOperator::kDiv && squeezed(facts_, in_place->target->span) == tensor && size &&
          size->kind == Kind::kSize)
        return std::pair{size->dimensions, in_place->span};
    }
    const auto* assign = as<Assign>(&statement);
    const auto* quotient = assign == nullptr ? nullptr : as<BinOp>(assign->value);
    if (quotient == nullptr || squeezed(facts_, quotient->left->span) != tensor) return std::nullopt;
    const auto size = divisor(*quotient);
    return size ? std::optional(std::pair{*size, assign->span}) : std::nullopt;
  }

  const GroupQueries queries_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const std::string_view text = program.modules()[module].facts->source().bytes();
  if (text.find("rank") == std::string_view::npos && text.find("group") == std::string_view::npos) return;
  for (const FunctionId function : program.modules()[module].functions) FunctionScan(program, function, hits).run();
}

}  // namespace

void run_mixed_groups(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
