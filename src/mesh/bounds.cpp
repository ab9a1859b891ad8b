#include "mesh/bounds.h"

#include <algorithm>

#include "mesh/groundwork.h"
#include "mesh/mesh.h"
#include "mesh/models.h"
#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;

namespace {

/// Expressions looked at for one answer. The answers that people are told need a few dozen.
constexpr int kMostExpressions = 400;
constexpr std::size_t kMostTargets = 3;

/// External functions whose answer all ranks share.
bool is_same_everywhere(std::string_view name) {
  constexpr std::string_view kNames[] = {"torch.distributed.is_initialized", "torch.distributed.is_available",
                                         "torch.cuda.is_available"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Builtins whose result depends on their arguments alone, where these are plain values.
bool is_pure_builtin(std::string_view name) {
  constexpr std::string_view kNames[] = {"bool", "int", "min", "max", "abs"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool is_none(const Expr& expression) {
  const auto* constant = as<Constant>(&expression);
  return constant != nullptr && constant->constant_kind == ConstantKind::kNone;
}

/// The group that a collective or `get_rank` is given; null where it is given none.
const Expr* group_given(const Call& call) {
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text == "group") return keyword->value;
  }
  return call.arguments.empty() ? nullptr : call.arguments.front();
}

bool is_decorated(const FunctionDef& def, std::string_view with) {
  return std::any_of(def.decorators.begin(), def.decorators.end(), [&](const Expr* decorator) {
    const auto* name = as<Name>(decorator);
    return name != nullptr && name->id == with;
  });
}

}  // namespace

std::optional<Bits> Bounds::group_given_to(program::FunctionId function, const Call& call) {
  left_ = kMostExpressions;
  nested_ = 0;
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text == "group") return group(*keyword->value, {function, nullptr, nullptr, 0, 0});
  }
  return std::nullopt;
}

KnownBound Bounds::of(program::FunctionId function, const Expr& expression) {
  left_ = kMostExpressions;
  nested_ = 0;
  return evaluate(expression, {function, nullptr, nullptr, 0, 0});
}

KnownBound Bounds::evaluate(const Expr& expression, const Frame& frame) {
  if (--left_ < 0 || nested_ >= kMostNested) return std::nullopt;
  ++nested_;
  const auto both = [&](const Expr& a, const Expr& b) -> KnownBound {
    KnownBound left = evaluate(a, frame);
    const KnownBound right = left ? evaluate(b, frame) : std::nullopt;
    if (!right) return std::nullopt;
    left->join(*right);
    return left;
  };
  KnownBound result;
  switch (expression.kind) {
    case NodeKind::kConstant:
      result = Bound{};
      break;
    case NodeKind::kName:
      result = name(as<Name>(&expression)->id, frame);
      break;
    case NodeKind::kAttribute:
      result = attribute(*as<Attribute>(&expression), frame);
      break;
    case NodeKind::kCall:
      result = call(*as<Call>(&expression), frame);
      break;
    case NodeKind::kCompare:
      result = compare(*as<Compare>(&expression), frame);
      break;
    case NodeKind::kBoolOp:
      result = all_of(as<BoolOp>(&expression)->values, frame);
      break;
    case NodeKind::kUnaryOp:
      result = evaluate(*as<UnaryOp>(&expression)->operand, frame);
      break;
    case NodeKind::kBinOp:
      result = both(*as<BinOp>(&expression)->left, *as<BinOp>(&expression)->right);
      break;
    case NodeKind::kIfExp: {
      const auto& choice = *as<IfExp>(&expression);
      result = both(*choice.body, *choice.orelse);
      const KnownBound condition = result ? evaluate(*choice.condition, frame) : std::nullopt;
      if (condition) result->join(*condition);
      if (!condition) result = std::nullopt;
      break;
    }
    default:
      break;
  }
  --nested_;
  return result;
}

KnownBound Bounds::all_of(Seq<Expr> expressions, const Frame& frame) {
  Bound joined;
  for (const Expr* one : expressions) {
    const KnownBound known = evaluate(*one, frame);
    if (!known) return std::nullopt;
    joined.join(*known);
  }
  return joined;
}

KnownBound Bounds::compare(const Compare& compare, const Frame& frame) {
  // A group over whole dimensions is there on all ranks, or on none.
  const bool asks_identity = compare.ops.size() == 1 && is_none(*compare.comparators[0]);
  if (asks_identity && group(*compare.left, frame)) return Bound{};
  KnownBound joined = evaluate(*compare.left, frame);
  const KnownBound rest = joined ? all_of(compare.comparators, frame) : std::nullopt;
  if (!rest) return std::nullopt;
  joined->join(*rest);
  return joined;
}

KnownBound Bounds::call(const Call& call, const Frame& frame) {
  const std::string_view called = called_name(call);
  if (const auto* callee = as<Attribute>(call.callee)) {
    const bool asks_rank = called == "rank" || called == "get_local_rank";
    const auto own = asks_rank || called == "size" ? group(*callee->value, frame) : std::nullopt;
    if (own && call.arguments.empty() && call.keywords.empty()) return Bound{asks_rank ? *own : 0};
  }
  const std::optional<Bits> rank = dimensions_.rank_named(called);
  if (rank && is_named(*rank)) return Bound{*rank};
  const program::CallId id = program_.call_of(&call);
  if (DimensionTable::is_size_name(called)) {
    const Expr* given = group_given(call);
    return given == nullptr || group(*given, frame) ? KnownBound(Bound{}) : std::nullopt;
  }
  if (id.valid() && !program_.calls()[id].targets.empty()) return targets(program_.calls()[id], &call, frame);
  if (is<Name>(call.callee) && is_pure_builtin(called) && call.keywords.empty()) return all_of(call.arguments, frame);
  return named_call(call, frame);
}

/// Of a function defined elsewhere all that is known is its name, and what it is given.
KnownBound Bounds::named_call(const Call& call, const Frame& frame) {
  const KnownBound known = by_name(called_name(call), true);
  const auto is_known = [&](const Expr* given) { return group(*given, frame) || evaluate(*given, frame); };
  const bool are_known =
      std::all_of(call.arguments.begin(), call.arguments.end(), is_known) &&
      std::all_of(call.keywords.begin(), call.keywords.end(), [&](const Keyword* one) { return is_known(one->value); });
  return are_known ? known : std::nullopt;
}

KnownBound Bounds::external_call(const Call& call, std::string_view name, const Frame& frame) {
  if (is_same_everywhere(name)) return Bound{};
  const SourceKind kind = find_source(name);
  const Expr* given = group_given(call);
  const std::optional<Bits> own = given == nullptr || is_none(*given) ? std::nullopt : group(*given, frame);
  if (kind == SourceKind::kRank) return own ? KnownBound(Bound{*own}) : KnownBound(Bound{kEveryRank});
  if (kind == SourceKind::kWorldSize) return own || given == nullptr ? KnownBound(Bound{}) : std::nullopt;
  return named_call(call, frame);
}

KnownBound Bounds::targets(const program::CallSite& site, const Call* call, const Frame& frame) {
  if (frame.depth >= kMostFollowed || site.targets.size() > kMostTargets) return std::nullopt;
  Bound joined;
  for (const program::CallTarget& target : site.targets) {
    KnownBound one;
    if (!target.function.valid()) {
      one = call != nullptr ? external_call(*call, target.external, frame) : std::nullopt;
    } else if (runs_now(target, program_) && target.kind != program::CallKind::kConstructor) {
      const program::Function& row = program_.functions()[target.function];
      const bool is_method = row.owner.valid() && row.def() != nullptr && !is_decorated(*row.def(), "staticmethod");
      one = body(target.function, {target.function, call, &frame, is_method ? 1u : 0u, frame.depth + 1});
    }
    if (!one) return std::nullopt;
    joined.join(*one);
  }
  return joined;
}

/// Of a short function without loops: whatever it returns, and whatever decides what it does.
KnownBound Bounds::body(program::FunctionId function, const Frame& frame) {
  const program::Function& row = program_.functions()[function];
  if (const auto* lambda = as<Lambda>(row.node)) return evaluate(*lambda->body, frame);
  const FunctionDef* def = row.def();
  if (def == nullptr || def->is_async) return std::nullopt;
  const bool is_plain = std::all_of(def->decorators.begin(), def->decorators.end(), [](const Expr* decorator) {
    const auto* name = as<Name>(decorator);
    return name != nullptr && (name->id == "property" || name->id == "staticmethod" || name->id == "classmethod");
  });
  if (!is_plain) return std::nullopt;
  KnownBound joined = Bound{};
  bool returns = false;
  const auto add = [&](const Expr* expression) {
    const KnownBound one = joined && expression != nullptr ? evaluate(*expression, frame) : joined;
    if (one && joined) joined->join(*one);
    if (!one) joined = std::nullopt;
  };
  walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
    switch (statement->kind) {
      case NodeKind::kIf:
        return add(as<If>(statement)->condition);
      case NodeKind::kReturn:
        returns = true;
        return add(as<Return>(statement)->value);
      case NodeKind::kFor:
      case NodeKind::kWhile:
      case NodeKind::kTry:
      case NodeKind::kMatch:
      case NodeKind::kWith:
      case NodeKind::kErrorStmt:
        joined = std::nullopt;
        return;
      default:
        return;
    }
  });
  walk_expressions(*def, Nested::kSkip, [&](const Expr* expression) {
    if (is<Yield>(expression) || is<YieldFrom>(expression)) joined = std::nullopt;
  });
  return returns ? joined : std::nullopt;
}

}  // namespace lockstep::mesh
