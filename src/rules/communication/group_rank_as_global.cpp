// group-rank-as-global: the root of a collective, or the peer of a send or receive, is a rank within a group, where
// torch.distributed takes a global one (`src`, `dst`, `peer`; `group_src`, `group_dst` and `group_peer` take the
// other): `broadcast(x, src=0, group=tp_group)`, `send(x, dst=pp_rank + 1)`. Sources: the documentation of torch 2.11,
// and its `get_group_rank`, which raises for a global rank outside of the group.
//
// Left out: groups whose names, or dimensions of a device mesh, tell no dimension (they may hold every rank), and ranks
// that come from other functions.

#include <fmt/format.h>

#include <optional>

#include "mesh/models.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/communication/group_queries.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/call_arguments.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "group-rank-as-global";
constexpr int kMostSteps = 8;

/// Where a call takes a global rank; null where it takes none.
struct Place {
  const Expr* rank = nullptr;
  std::string_view keyword;
  bool is_transfer = false;
};

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), queries_(program, function) {}

  void run() {
    for (const program::CallId id : row_.calls) {
      const program::CallSite& site = program_.calls()[id];
      const auto* call = as<Call>(site.node);
      if (call == nullptr || site.targets.size() != 1 || !site.targets[0].external.starts_with("torch.distributed."))
        continue;
      check(*call, site.targets[0].external);
    }
  }

 private:
  static Place place_of(const Call& call, const mesh::CollectiveModel* model, std::string_view name) {
    if (name == "P2POp") return {argument_of(call, 2, "peer"), "peer", true};
    if (model == nullptr) return {};
    const std::string_view operation = model->operation;
    if (operation == "send" || operation == "isend") return {argument_of(call, 1, "dst"), "dst", true};
    if (operation == "recv" || operation == "irecv") return {argument_of(call, 1, "src"), "src", true};
    if (model->root < 0) return {};
    const bool has_source = operation.starts_with("broadcast") || operation.starts_with("scatter");
    const std::string_view keyword = has_source ? "src" : "dst";
    return {argument_of(call, static_cast<std::size_t>(model->root), keyword), keyword, false};
  }

  void check(const Call& call, std::string_view external) {
    const std::string_view name = external.substr(external.rfind('.') + 1);
    const mesh::CollectiveModel* model = mesh::find_collective(external);
    // Functional collectives (torch.distributed.nn, _functional_collectives) have conventions of their own.
    if (external != "torch.distributed." + std::string(name) && !external.starts_with("torch.distributed.distributed_"))
      return;
    const Place place = place_of(call, model, name);
    if (place.rank == nullptr) return;
    const int group_at = name == "P2POp" ? 3 : model->group;
    const Expr* group = group_at < 0 ? nullptr : argument_of(call, static_cast<std::size_t>(group_at), "group");
    std::optional<mesh::Bits> spans;
    if (group != nullptr) spans = queries_.group(*group);
    int steps = 0;
    const mesh::Bits along = place.is_transfer ? group_rank_in(*place.rank, steps) : 0;
    if (along != 0) return report(call, place, queries_.describe(along), group);
    if (place.is_transfer || !is_number(*place.rank)) return;
    if (spans && !only_one_group(*spans)) report(call, place, queries_.describe(*spans), group);
    const std::string_view dimension = group == nullptr ? std::string_view() : mesh_dimension(*group);
    if (!spans && !dimension.empty()) report(call, place, std::string(dimension), group);
  }

  /// "tp" of `mesh["tp"].get_group()` and `mesh.get_group("tp")`, themselves or held by a local variable.
  std::string_view mesh_dimension(const Expr& group) const {
    const Expr* value = queries_.only_value(group);
    const auto* call = as<Call>(value == nullptr ? &group : value);
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    if (method == nullptr || method->name.text != "get_group") return {};
    const auto* part = as<Subscript>(method->value);
    const Expr& mesh = part == nullptr ? *method->value : *part->value;
    if (!mesh::DimensionTable::is_mesh_name(last_part_of(&mesh))) return {};
    if (part != nullptr) return call->arguments.empty() ? text_of(part->index) : std::string_view();
    return call->arguments.empty() ? text_of(keyword_value(*call, "mesh_dim")) : text_of(call->arguments[0]);
  }

  /// True if this function, or one around it, asks for a rank along other dimensions (`if dp_rank == 0`): perhaps the
  /// group of rank 0 alone gets here.
  bool only_one_group(mesh::Bits spans) const {
    bool found = false;
    for (FunctionId at = function_; at.valid(); at = program_.functions()[at].enclosing) {
      const GroupQueries queries(program_, at);
      walk_of<Compare>(*program_.functions()[at].node, Nested::kEnter, [&](const Compare* compare) {
        if (found || compare->ops.size() != 1 || compare->ops[0] != CompareOperator::kEq) return;
        const auto query = queries.of(*compare->left);
        const auto named = table_.rank_named(last_part_of(compare->left));
        const mesh::Bits along = query ? query->dimensions : named.value_or(mesh::kEveryRank);
        found = along != mesh::kEveryRank && (along & spans) == 0;
      });
    }
    return found;
  }

  static bool is_number(const Expr& expression) {
    const auto* constant = as<Constant>(&expression);
    return constant != nullptr && constant->constant_kind == ConstantKind::kInt;
  }

  /// Dimensions of the rank in a group that arithmetic starts from: `(rank + 1) % size`. None where anything else
  /// (a table of ranks, a call, an offset that is not a number or a size) takes part.
  mesh::Bits group_rank_in(const Expr& expression, int& steps) const {
    if (++steps > kMostSteps) return 0;
    if (const auto query = queries_.of(expression))
      return query->kind == GroupQuery::Kind::kRank ? query->dimensions : 0;
    if (const Expr* value = queries_.only_value(expression)) return group_rank_in(*value, steps);
    const auto* operation = as<BinOp>(&expression);
    if (operation == nullptr) return 0;
    if (operation->op != BinaryOperator::kAdd && operation->op != BinaryOperator::kSub &&
        operation->op != BinaryOperator::kMod)
      return 0;
    if (!is_number(*operation->right) && !is_size(*operation->right)) return 0;
    return group_rank_in(*operation->left, steps);
  }

  bool is_size(const Expr& expression) const {
    const auto query = queries_.of(expression);
    return query && query->kind == GroupQuery::Kind::kSize;
  }

  void report(const Call& call, const Place& place, const std::string& along, const Expr* group) {
    const FileFacts& facts = *program_.modules()[row_.module].facts;
    const std::string rank = quote(facts, place.rank->span, 40);
    const std::string asked = group == nullptr ? "the group" : fmt::format("`{}`", quote(facts, group->span, 40));
    hits_.push_back(make_hit(
        program_, kRule, row_.module, call.span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kDistributed,
         fmt::format("`{}={}` is a rank within a group over {}, but torch takes a global rank here", place.keyword,
                     rank, along),
         place.is_transfer
             ? "Only the group that starts at rank 0 with neighbours next to each other meets the peer that is meant: "
               "elsewhere two ranks wait for others than each other."
             : fmt::format("Only one of the groups along {} holds that global rank: torch raises on the members of "
                           "all others (or hangs, where a few of them got further).",
                           along),
         group == nullptr || call.keywords.empty() || !place.is_transfer
             ? fmt::format("Write `group_{0}={1}`, or `{0}=torch.distributed.get_global_rank(group, {1})` with {2}.",
                           place.keyword, rank, asked)
             : fmt::format("Pass `torch.distributed.get_global_rank({}, {})`.", quote(facts, group->span, 40), rank)}));
  }

  const GroupQueries queries_;
  const mesh::DimensionTable table_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const std::string_view text = program.modules()[module].facts->source().bytes();
  if (text.find("distributed") == std::string_view::npos) return;
  for (const FunctionId function : program.modules()[module].functions) FunctionScan(program, function, hits).run();
}

}  // namespace

void run_group_rank_as_global(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
