// send-before-receive: every rank sends to its peer before it receives from it: `send(x, 1 - rank); recv(y, 1 - rank)`.
// A send that NCCL cannot buffer waits for its receive, which nobody has come to (measured: an error after both waited
// for each other).
//
// Left out: asynchronous and batched transfers, sends under a condition that divides the ranks (`rank % 2 == 0`, a
// branch of two), peers that do not depend on the own rank.

#include <fmt/format.h>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/communication/group_queries.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/training/value_places.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "send-before-receive";

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), places_(program), queries_(program, function) {}

  void run() { block(body_of_function(), true); }

 private:
  [[nodiscard]] Seq<Stmt> body_of_function() const {
    const FunctionDef* def = row_.def();
    return def == nullptr ? Seq<Stmt>{} : def->body;
  }

  /// The own rank, by the names that it goes by, or what a local variable was given.
  [[nodiscard]] bool mentions_rank(const Node& node) const {
    bool found = false;
    walk(node, Nested::kEnter, [&](const Node* each) {
      if (const auto* attribute = as<Attribute>(each)) found = found || attribute->name.text.ends_with("rank");
      const auto* name = as<Name>(each);
      if (name == nullptr) return;
      const auto* given = as<Call>(queries_.only_value(*name));
      found = found || name->id == "rank" || name->id.ends_with("_rank") ||
              (given != nullptr && last_part_of(given->callee).ends_with("rank"));
    });
    return found;
  }

  /// A condition that holds for ranks on both sides of a transfer: no rank in it, or `rank < n`.
  [[nodiscard]] bool keeps_ranks_together(const If& branch) const {
    if (!branch.orelse.empty()) return false;
    if (!mentions_rank(*branch.condition)) return true;
    const auto* compare = as<Compare>(branch.condition);
    return compare != nullptr && compare->ops.size() == 1 &&
           (compare->ops[0] == CompareOperator::kLt || compare->ops[0] == CompareOperator::kLtE) &&
           !is<Constant>(compare->left) && !is<BinOp>(compare->left);
  }

  void block(Seq<Stmt> statements, bool is_together) {
    const Call* send = nullptr;
    for (const Stmt* statement : statements) {
      const auto* alone = as<ExprStmt>(statement);
      const auto* call = alone == nullptr ? nullptr : as<Call>(alone->value);
      const std::string_view callee = call == nullptr ? std::string_view() : places_.external_callee(*call);
      if (callee == "torch.distributed.send" && is_together && send == nullptr) send = call;
      if (callee == "torch.distributed.recv") {
        if (send != nullptr && have_one_peer(*send, *call)) report(*send, *call);
        return;
      }
      if (const auto* branch = as<If>(statement)) block(branch->body, is_together && keeps_ranks_together(*branch));
      if (const auto* loop = as<For>(statement)) block(loop->body, is_together);
      if (const auto* with = as<With>(statement)) block(with->body, is_together);
    }
  }

  static const Expr* peer_of(const Call& call, std::string_view keyword) {
    if (const Expr* named = keyword_value(call, keyword)) return named;
    return call.arguments.size() > 1 ? call.arguments[1] : nullptr;
  }

  /// Both name one peer, which each rank works out from its own.
  [[nodiscard]] bool have_one_peer(const Call& send, const Call& receive) const {
    const Expr* to = peer_of(send, "dst");
    const Expr* from = peer_of(receive, "src");
    if (to == nullptr || from == nullptr) return false;
    const FileFacts& facts = *program_.modules()[row_.module].facts;
    if (squeezed(facts, to->span) != squeezed(facts, from->span)) return false;
    const auto* computed = as<BinOp>(to);
    return computed != nullptr && mentions_rank(*computed);
  }

  void report(const Call& send, const Call& receive) {
    Hit hit = make_hit(
        program_, kRule, row_.module, send.span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kDistributed,
         "Every rank sends before it receives: both peers wait for the other to receive",
         "A `send` that NCCL cannot buffer ends when its `recv` runs. Measured: both ranks wait until the watchdog "
         "ends them.",
         "Let one of the two receive first, or give both transfers to `batch_isend_irecv`."});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, receive.span, "the receive that comes after"));
    hits_.push_back(std::move(hit));
  }

  const ValuePlaces places_;
  const GroupQueries queries_;
};

void scan(const Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  if (!contains(program.modules()[module].facts->source().bytes(), "recv")) return;
  for (const FunctionId function : program.modules()[module].functions) FunctionScan(program, function, hits).run();
}

}  // namespace

void run_send_before_receive(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
