// loss-divided-twice: a loss is divided by the number of micro-batches, of accumulation steps, or by the size of a
// group, and on the same path again by the same: in one function, or in a function and in the one that calls it for the
// loss.
//
// Left out: divisors of different names, losses whose names do not say so, and calls with several targets.

#include <fmt/format.h>

#include <optional>

#include "base/strings.h"
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

constexpr std::string_view kRule = "loss-divided-twice";

bool is_loss(std::string_view name) { return contains(name, "loss"); }

/// "num_microbatches", "grad_accum_steps": what a loss is divided by once.
bool is_count(std::string_view name) {
  return contains(name, "microbatch") || contains(name, "micro_batch") || contains(name, "accum");
}

/// One division of a variable: `loss = loss / n`, `loss /= n`.
struct Division {
  std::string_view name;
  const Expr* divisor = nullptr;
};

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), queries_(program, function) {}

  void run() {
    for (const Seq<Stmt> block : blocks_of(*row_.node)) {
      for (std::size_t i = 0; i < block.size(); ++i) {
        if (const auto first = division_in(*block[i])) {
          follow(block.subspan(i + 1), first->name, divisor_text(*first->divisor), *block[i], row_.module,
                 "divided the first time here");
        } else {
          after_call(block, i);
        }
      }
    }
  }

 private:
  bool divides_once(const Expr& divisor) const {
    if (is_count(last_part_of(&divisor))) return true;
    const auto query = queries_.of(divisor);
    return query && query->kind == GroupQuery::Kind::kSize;
  }

  std::string divisor_text(const Expr& divisor) const { return squeezed(facts_, divisor.span); }

  std::optional<Division> division_in(const Stmt& statement) const {
    if (const auto* in_place = as<AugAssign>(&statement)) {
      const std::string_view name = name_of(in_place->target);
      if (in_place->op == BinaryOperator::kDiv && is_loss(name) && divides_once(*in_place->value))
        return Division{name, in_place->value};
    }
    const auto* assign = as<Assign>(&statement);
    const auto* quotient = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<BinOp>(assign->value);
    if (quotient == nullptr || quotient->op != BinaryOperator::kDiv || !divides_once(*quotient->right))
      return std::nullopt;
    const std::string_view name = name_of(assign->targets[0]);
    return is_loss(name) && name_of(quotient->left) == name ? std::optional(Division{name, quotient->right})
                                                            : std::nullopt;
  }

  /// Looks for the second division in what follows; stops where the name gets another value.
  void follow(Seq<Stmt> rest, std::string_view name, const std::string& divisor, const Node& first, ModuleId module,
              std::string_view words) {
    for (const Stmt* statement : rest) {
      const Stmt* second = same_division(*statement, name, divisor);
      for (const Seq<Stmt> inner : inner_blocks(*statement)) {
        for (const Stmt* each : inner) second = second != nullptr ? second : same_division(*each, name, divisor);
      }
      if (second != nullptr) return report(*second, name, divisor, first, module, words);
      if (gives_value(*statement, name)) return;
    }
  }

  static std::vector<Seq<Stmt>> inner_blocks(const Stmt& statement) {
    std::vector<Seq<Stmt>> blocks;
    if (is<If>(&statement) || is<With>(&statement))
      for_each_block(statement, [&](Seq<Stmt> block) { blocks.push_back(block); });
    return blocks;
  }

  const Stmt* same_division(const Stmt& statement, std::string_view name, const std::string& divisor) const {
    const auto found = division_in(statement);
    if (!found || found->name != name) return nullptr;
    return divisor_text(*found->divisor) == divisor || last_part_of(found->divisor) == divisor ? &statement : nullptr;
  }

  static bool gives_value(const Stmt& statement, std::string_view name) {
    bool found = false;
    walk_of<Name>(statement, Nested::kSkip, [&](const Name* each) {
      found = found || (each->id == name && each->context == ExprContext::kStore);
    });
    return found;
  }

  /// `loss = f(…)` where everything that f returns is divided already.
  void after_call(Seq<Stmt> block, std::size_t at) {
    const auto* assign = as<Assign>(block[at]);
    const auto* call = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Call>(assign->value);
    const std::string_view name = call == nullptr ? std::string_view() : name_of(assign->targets[0]);
    if (!is_loss(name)) return;
    const program::CallId id = program_.call_of(call);
    if (!id.valid() || program_.calls()[id].targets.size() != 1) return;
    const FunctionId target = program_.calls()[id].targets[0].function;
    if (!target.valid() || program_.functions()[target].def() == nullptr) return;
    const Return* returned = only_return(*program_.functions()[target].def());
    const auto* quotient = returned == nullptr ? nullptr : as<BinOp>(returned->value);
    if (quotient == nullptr || quotient->op != BinaryOperator::kDiv || !is_count(last_part_of(quotient->right))) return;
    follow(block.subspan(at + 1), name, std::string(last_part_of(quotient->right)), *returned,
           program_.functions()[target].module, "what the call returns is divided here");
  }

  static const Return* only_return(const FunctionDef& def) {
    const Return* only = nullptr;
    int count = 0;
    walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
      if (const auto* each = as<Return>(statement)) {
        only = each;
        ++count;
      }
    });
    return count == 1 ? only : nullptr;
  }

  void report(const Stmt& second, std::string_view name, const std::string& divisor, const Node& first, ModuleId module,
              std::string_view words) {
    Hit hit =
        make_hit(program_, kRule, row_.module, second.span,
                 {Severity::kP2, FindingCertainty::kLikely, Category::kNumerics,
                  fmt::format("`{}` is divided by `{}` for the second time", name, divisor),
                  "The gradients come out smaller by that factor, and so does every update that is not scale-free.",
                  "Divide once, where the loss of a micro-batch is made."});
    hit.finding.evidence.push_back(evidence_at(program_, module, first.span, std::string(words)));
    hits_.push_back(std::move(hit));
  }

  const GroupQueries queries_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  if (program.modules()[module].facts->source().bytes().find("loss") == std::string_view::npos) return;
  for (const FunctionId function : program.modules()[module].functions) {
    if (program.functions()[function].def() != nullptr) FunctionScan(program, function, hits).run();
  }
}

}  // namespace

void run_loss_divided_twice(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
