// received-shape-differs: before a broadcast one branch on the rank makes the tensor that is sent and the other one the
// tensor that takes it (`flags = torch.tensor([a, b, c])`, else `flags = torch.zeros(2)`), and they have not the same
// number of elements, or not the same type. A question where they differ by a dimension that may be 1.
//
// Left out: tensors that a branch gets from elsewhere, sizes and types that are not written at the call that makes the
// tensor, what a branch assigns in two ways or changes in size, branches that are not on a rank of the broadcast's
// group, and broadcasts under a further condition on ranks.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/communication/group_queries.h"
#include "rules/communication/made_tensors.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/names/bindings.h"
#include "rules/rule_functions.h"
#include "rules/syntax/call_arguments.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/two_places.h"

namespace lockstep::rules {
namespace {

using namespace python;
using mesh::Bits;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "received-shape-differs";

/// What a broadcast is given.
struct Broadcast {
  const Expr* tensor = nullptr;
  const Expr* source = nullptr;
  const Expr* group = nullptr;  ///< Null for all ranks.
};

std::optional<Broadcast> broadcast_of(const Call& call) {
  if (has_spread_arguments(call) || has_spread_keywords(call)) return std::nullopt;
  Broadcast out{argument_of(call, 0, "tensor"), argument_of(call, 1, "src"), argument_of(call, 2, "group")};
  if (is_none(out.group)) out.group = nullptr;
  return out;
}

/// Whether a condition may have to do with ranks, by a word of its names.
bool mentions_rank(const Expr& condition) {
  bool found = false;
  const auto look = [&](const Node* node) {
    std::string_view name;
    if (const auto* bare = as<Name>(node)) name = bare->id;
    if (const auto* attribute = as<Attribute>(node)) name = attribute->name.text;
    for (const std::string& word : mesh::words_of(name)) {
      found = found || word.starts_with("rank") || word == "src" || word == "source" || word == "stage" ||
              word == "coordinator" || word == "master" || word == "main";
    }
  };
  look(&condition);
  walk(condition, Nested::kSkip, look);
  return found;
}

/// Which ranks of a broadcast's group go which way at a condition.
class RankConditions {
 public:
  RankConditions(const Program& program, FunctionId function)
      : node_(*program.functions()[function].node),
        facts_(*program.module_of(function).facts),
        queries_(program, function) {}

  /// Whether the condition surely parts the ranks of the group: a comparison of the own rank, or a role.
  [[nodiscard]] bool parts_group(const Expr& condition, const Broadcast& what) const {
    if (const auto* all = as<BoolOp>(&condition)) {
      return std::any_of(all->values.begin(), all->values.end(),
                         [&](const Expr* one) { return parts_group(*one, what); });
    }
    if (const auto* inverse = as<UnaryOp>(&condition); inverse != nullptr && inverse->op == UnaryOperator::kNot)
      return parts_group(*inverse->operand, what) || is_own_rank(*inverse->operand, what);
    const auto* compare = as<Compare>(&condition);
    if (compare == nullptr) return is_within(table_.role_named(asked_name(condition)), what);
    if (compare->ops.size() != 1 ||
        (compare->ops[0] != CompareOperator::kEq && compare->ops[0] != CompareOperator::kNotEq))
      return false;
    const Expr& left = *compare->left;
    const Expr& right = *compare->comparators[0];
    return (is_own_rank(left, what) && is_some_rank(right, what)) ||
           (is_own_rank(right, what) && is_some_rank(left, what)) || asks_for_source(left, right, what);
  }

 private:
  /// "is_last_stage" of `is_last_stage`, `self.is_last_stage`, `is_last_stage()`.
  static std::string_view asked_name(const Expr& asked) {
    const auto* call = as<Call>(&asked);
    return last_part_of(call == nullptr ? &asked : call->callee);
  }

  /// What a rank is compared with: no -1, which stands for runs on one device, no None, and no rank of its own.
  [[nodiscard]] bool is_some_rank(const Expr& number, const Broadcast& what) const {
    const auto* constant = as<Constant>(&number);
    if (constant != nullptr) return constant->constant_kind == ConstantKind::kInt;
    return !is<UnaryOp>(&number) && !is_own_rank(number, what);
  }

  /// Whether ranks that differ along these dimensions are together in the group.
  [[nodiscard]] bool is_within(std::optional<Bits> varies, const Broadcast& what) const {
    if (!varies || *varies == 0) return false;
    if (what.group == nullptr) return true;
    const std::optional<Bits> group = queries_.group(*what.group);
    return group && (*group & *varies) != 0;
  }

  /// Whether the expression is this process's rank, and ranks of the group have not all the same.
  [[nodiscard]] bool is_own_rank(const Expr& expression, const Broadcast& what) const {
    if (const Expr* value = queries_.only_value(expression)) return !is<Name>(value) && is_own_rank(*value, what);
    if (is<Name>(&expression) && binds_name(node_, name_of(&expression))) return false;
    const auto* call = as<Call>(&expression);
    if (call == nullptr) return is_within(table_.rank_named(asked_name(expression)), what);
    if (const auto query = queries_.of(expression))
      return query->kind == GroupQuery::Kind::kRank && is_within(query->dimensions, what);
    const std::string_view name = asked_name(expression);
    const auto* method = as<Attribute>(call->callee);
    const bool asks_group = name == "rank" && method != nullptr;
    if (name != "get_rank" && !asks_group) return false;
    const Expr* of = asks_group ? method->value : argument_of(*call, 0, "group");
    if (of == nullptr) return is_within(mesh::kEveryRank, what);
    return what.group != nullptr && is_written_alike(*of, *what.group);
  }

  /// `rank == src` where `src` is what the broadcast names.
  [[nodiscard]] bool asks_for_source(const Expr& one, const Expr& other, const Broadcast& what) const {
    if (what.source == nullptr || is<Constant>(what.source)) return false;
    const bool is_one = is_written_alike(one, *what.source);
    if (!is_one && !is_written_alike(other, *what.source)) return false;
    const Expr& rank = is_one ? other : one;
    const auto* call = as<Call>(&rank);
    if (call != nullptr) return asked_name(rank) == "get_rank";
    const std::optional<Bits> varies = table_.rank_named(asked_name(rank));
    const std::optional<Bits> group = what.group == nullptr ? std::nullopt : queries_.group(*what.group);
    return varies && (!group || (*group & *varies) != 0);
  }

  [[nodiscard]] bool is_written_alike(const Expr& one, const Expr& other) const {
    return squeezed(facts_, one.span) == squeezed(facts_, other.span);
  }

  const Node& node_;
  const FileFacts& facts_;
  const GroupQueries queries_;
  const mesh::DimensionTable table_;
};

/// What a tensor is made by, and where.
struct Source {
  MadeTensor made;
  Span span;
};

/// The names and attributes that statements store.
std::set<std::string_view> stored_in(Seq<Stmt> block) {
  std::set<std::string_view> stored;
  const auto look = [&](const Node* node) {
    const auto* name = as<Name>(node);
    const auto* attribute = as<Attribute>(node);
    if (name != nullptr && name->context == ExprContext::kStore) stored.insert(name->id);
    if (attribute != nullptr && attribute->context == ExprContext::kStore) stored.insert(attribute->name.text);
  };
  for (const Stmt* statement : block) walk(*statement, Nested::kSkip, look);
  return stored;
}

bool mentions_any(const Expr& expression, const std::set<std::string_view>& names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return mentions_name(expression, name) || mentions_attribute(expression, name);
  });
}

/// Whether the statement may give the tensor of this name another size in place: `x.resize_(n)`, `x.data = y`.
bool may_resize(const Stmt& statement, std::string_view name) {
  bool found = false;
  walk_of<Attribute>(statement, Nested::kSkip, [&](const Attribute* attribute) {
    const std::string_view what = attribute->name.text;
    found = found || (name_of(attribute->value) == name &&
                      (attribute->context == ExprContext::kStore || what.starts_with("resize") || what == "set_"));
  });
  return found;
}

bool may_leave(Seq<Stmt> block) {
  bool found = false;
  for (const Stmt* statement : block) {
    found = found || leaves(*statement);
    walk_statements(*statement, Nested::kSkip, [&](const Stmt* one) { found = found || leaves(*one); });
  }
  return found;
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits) {}

  void run() {
    for (const program::CallId id : row_.calls) {
      const program::CallSite& site = program_.calls()[id];
      const auto* call = as<Call>(site.node);
      if (call == nullptr || site.targets.size() != 1 || site.targets[0].external != "torch.distributed.broadcast")
        continue;
      const std::optional<Broadcast> what = broadcast_of(*call);
      if (what && !name_of(what->tensor).empty()) check(*call, *what);
    }
  }

 private:
  /// The statements that run before the call, those of the inmost block first, each block backwards.
  [[nodiscard]] std::vector<const Stmt*> before(const Call& call) const {
    std::vector<const Stmt*> statements;
    const Node* around = row_.node;
    while (around != nullptr) {
      const Node* next = nullptr;
      for_each_block(*around, [&](Seq<Stmt> block) {
        const auto holder =
            std::find_if(block.begin(), block.end(), [&](const Stmt* one) { return one->span.contains(call.span); });
        if (holder == block.end()) return;
        next = *holder;
        statements.insert(statements.begin(), std::make_reverse_iterator(holder),
                          std::make_reverse_iterator(block.begin()));
      });
      around = next;
    }
    return statements;
  }

  /// What the block surely gives the name, where all values that it gives it are made alike and of nothing that the
  /// branch stores; nullopt where that is not so.
  [[nodiscard]] std::optional<Source> made_in(Seq<Stmt> block, std::string_view name,
                                              const std::set<std::string_view>& stored) const {
    std::optional<Source> source;
    bool is_known = true, is_sure = false;
    std::size_t all = 0, made_alike = 0;
    const auto look = [&](const Node* node) {
      const auto* assign = as<Assign>(node);
      if (assign == nullptr || assign->targets.size() != 1 || name_of(assign->targets[0]) != name) return;
      ++made_alike;
      const std::optional<MadeTensor> made = made_tensor(program_, function_, *assign->value);
      is_known = is_known && made && (!source || source->made == *made) && !mentions_any(*assign->value, stored);
      if (made && !source) source = Source{*made, assign->span};
      is_sure = is_sure || std::find(block.begin(), block.end(), assign) != block.end();
    };
    for (const Stmt* statement : block) {
      all += bindings_of(*statement, name, Nested::kSkip);
      look(statement);
      walk(*statement, Nested::kSkip, look);
    }
    return is_known && is_sure && all == made_alike ? source : std::nullopt;
  }

  /// Whether all ranks that come to the branch come to the call.
  [[nodiscard]] bool all_come_from(const If& branch, const Call& call) const {
    if (may_leave(branch.body) || may_leave(branch.orelse)) return false;
    const std::vector<Guard> guards = guards_beyond(*row_.node, call.span, branch.span);
    return std::none_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      return guard.condition != nullptr && mentions_rank(*guard.condition);
    });
  }

  void check(const Call& call, const Broadcast& what) {
    const std::string_view name = name_of(what.tensor);
    const std::vector<const Stmt*> statements = before(call);
    const auto stores_it = [&](const Stmt* one) { return bindings_of(*one, name, Nested::kSkip) > 0; };
    const auto last = std::find_if(statements.begin(), statements.end(), stores_it);
    const auto* branch = last == statements.end() ? nullptr : as<If>(*last);
    if (branch == nullptr || !RankConditions(program_, function_).parts_group(*branch->condition, what) ||
        !all_come_from(*branch, call))
      return;
    const auto earlier = branch->orelse.empty() ? std::find_if(last + 1, statements.end(), stores_it) : last;
    if (earlier == statements.end()) return;
    const std::vector<const Stmt*> since(statements.begin(), earlier + 1);
    if (std::any_of(since.begin(), since.end(), [&](const Stmt* each) { return may_resize(*each, name); })) return;
    const std::set<std::string_view> stored = stored_in(Seq<Stmt>(since));
    const std::optional<Source> one = made_in(branch->body, name, stored),
                                other = others(*branch, **earlier, name, stored);
    if (!one || !other) return;
    if (const std::optional<Unlike> unlike = difference(one->made, other->made))
      report(call, name, *one, *other, *unlike);
  }

  /// What the ranks have that do not enter the body of the branch.
  [[nodiscard]] std::optional<Source> others(const If& branch, const Stmt& earlier, std::string_view name,
                                             const std::set<std::string_view>& stored) const {
    if (!branch.orelse.empty()) {
      if (is<If>(branch.orelse.front())) return std::nullopt;  // an `elif`: more ways than two
      return made_in(branch.orelse, name, stored);
    }
    const Stmt* const whole[] = {&earlier};
    return is<Assign>(&earlier) ? made_in(Seq<Stmt>(whole), name, stored) : std::nullopt;
  }

  void report(const Call& call, std::string_view name, const Source& one, const Source& other, const Unlike& unlike) {
    Hit hit = make_hit(
        program_, kRule, row_.module, call.span,
        {unlike.is_certain ? Severity::kP1 : Severity::kP2,
         unlike.is_certain ? FindingCertainty::kLikely : FindingCertainty::kQuestion, Category::kDistributed,
         fmt::format("`{}` has {} on the ranks of one branch and {} on the others, and is broadcast between them", name,
                     unlike.one, unlike.other),
         "A broadcast takes one size and one type on all ranks. Otherwise they wait for each other, or read what "
         "nobody sent.",
         fmt::format("Make `{}` with the same size and `dtype` in both.", name)});
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, one.span, "one branch makes it here"));
    hit.finding.evidence.push_back(evidence_at(program_, row_.module, other.span, "the others have this"));
    hit.key += fmt::format(" {} {} {}", name, unlike.one, unlike.other);
    hits_.push_back(std::move(hit));
  }
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  if (!row.facts->has_name("broadcast")) return;
  for (const FunctionId function : row.functions) {
    if (program.functions()[function].def() != nullptr) FunctionScan(program, function, hits).run();
  }
}

}  // namespace

void run_received_shape_differs(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
