#include "report/story/settings/deciding.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using Kind = ValueUse::Kind;

namespace {

bool is_text(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  return is<JoinedStr>(expression) || (constant != nullptr && constant->constant_kind == ConstantKind::kStr);
}

/// `f(x) if x is not None else None`: where there is nothing, nothing is given on.
bool passes_none_on(const IfExp& choice) {
  const auto test = rules::none_test(*choice.condition);
  return test && rules::is_none(test->is_none ? choice.body : choice.orelse);
}

/// What a call gives back says of its argument only what it is.
bool asks_only(std::string_view callee) {
  constexpr std::string_view kAsking[] = {"bool", "callable", "hasattr", "isinstance", "issubclass", "len"};
  return std::find(std::begin(kAsking), std::end(kAsking), callee) != std::end(kAsking);
}

bool is_reckoning(std::string_view callee) {
  constexpr std::string_view kReckoning[] = {"abs", "ceil", "float", "floor", "int",
                                             "max", "min",  "range", "round", "sqrt"};
  return std::find(std::begin(kReckoning), std::end(kReckoning), callee) != std::end(kReckoning);
}

/// Goes up from a read to its statement.
class Climb {
 public:
  explicit Climb(const Expr& read) : below_(&read) { use_.expression = &read; }

  /// False once all is known.
  bool step(const Node& parent) {
    const bool goes_on = is_statement(&parent) ? end(static_cast<const Stmt&>(parent)) : within(parent);
    below_ = &parent;
    return goes_on;
  }

  ValueUse result;

 private:
  bool nothing() { return false; }

  bool found(Kind kind) {
    use_.kind = kind;
    result = use_;
    return false;
  }

  /// The value is asked, or reckoned with: what that gives is looked at from here on.
  bool becomes(Kind kind, const Node& parent) {
    if (made_ == Kind::kNothing) made_ = kind;
    is_itself_ = false;
    use_.expression = static_cast<const Expr*>(&parent);
    return true;
  }

  bool within(const Node& parent) {
    switch (parent.kind) {
      case NodeKind::kUnaryOp:
        return becomes(
            static_cast<const UnaryOp&>(parent).op == UnaryOperator::kNot ? Kind::kChoice : Kind::kArithmetic, parent);
      case NodeKind::kCompare:
      case NodeKind::kBoolOp:
        return becomes(Kind::kChoice, parent);
      case NodeKind::kIfExp: {
        const auto& choice = static_cast<const IfExp&>(parent);
        if (choice.condition == below_ && !passes_none_on(choice)) return becomes(Kind::kChoice, parent);
        if (choice.condition == below_) made_ = Kind::kNothing;
        is_itself_ = false;
        return true;
      }
      case NodeKind::kBinOp: {
        const auto& op = static_cast<const BinOp&>(parent);
        return is_text(op.left) || is_text(op.right) ? nothing() : becomes(Kind::kArithmetic, parent);
      }
      case NodeKind::kSubscript:
        return static_cast<const Subscript&>(parent).index == below_ ? becomes(Kind::kArithmetic, parent) : nothing();
      case NodeKind::kSlice:
      case NodeKind::kKeyword:
        return true;
      case NodeKind::kCall:
        return at_call(static_cast<const Call&>(parent));
      case NodeKind::kComprehension: {
        const auto& each = static_cast<const Comprehension&>(parent);
        const bool asks = std::find(each.conditions.begin(), each.conditions.end(), below_) != each.conditions.end();
        return asks && made_ != Kind::kNothing;
      }
      case NodeKind::kListComp:
      case NodeKind::kGeneratorExp:
      case NodeKind::kSetComp:
      case NodeKind::kDictComp:
        return made_ != Kind::kNothing;
      case NodeKind::kTuple:
      case NodeKind::kList:
        is_itself_ = false;
        return made_ != Kind::kNothing;
      default:
        return nothing();
    }
  }

  bool at_call(const Call& call) {
    if (call.callee == below_ || rules::is_log_call(&call)) return nothing();
    const std::string_view name = callee_name(call);
    if (asks_only(name)) return becomes(Kind::kChoice, call);
    if (is<Name>(call.callee) && is_reckoning(name)) return becomes(Kind::kArithmetic, call);
    if (is_itself_) {
      use_.call = &call;
      const auto* keyword = as<Keyword>(below_);
      use_.argument = keyword != nullptr ? keyword->value : static_cast<const Expr*>(below_);
      return found(Kind::kHandsOn);
    }
    if (made_ == Kind::kNothing) return nothing();
    // What it made is given to a call: that is as far as it can be told.
    is_given_ = true;
    return true;
  }

  bool end(const Stmt& statement) {
    use_.statement = &statement;
    switch (statement.kind) {
      case NodeKind::kIf:
        return static_cast<const If&>(statement).condition == below_ && !is_given_ ? condition() : nothing();
      case NodeKind::kWhile:
        return static_cast<const While&>(statement).condition == below_ && !is_given_ ? condition() : nothing();
      case NodeKind::kAssert: {
        const auto& check = static_cast<const Assert&>(statement);
        return check.test == below_ ? found(Kind::kCheck) : nothing();
      }
      case NodeKind::kAssign: {
        const auto& assign = static_cast<const Assign&>(statement);
        return assign.value == below_ ? kept(assign.targets.size() == 1 ? assign.targets.front() : nullptr) : nothing();
      }
      case NodeKind::kAnnAssign: {
        const auto& assign = static_cast<const AnnAssign&>(statement);
        return assign.value == below_ ? kept(assign.target) : nothing();
      }
      case NodeKind::kAugAssign:
        return static_cast<const AugAssign&>(statement).value == below_ ? found(Kind::kArithmetic) : nothing();
      case NodeKind::kReturn:
      case NodeKind::kExprStmt:
      case NodeKind::kFor:
        return made_ == Kind::kNothing ? nothing() : found(made_);
      default:
        return nothing();
    }
  }

  bool condition() {
    use_.expression = static_cast<const Expr*>(below_);
    return found(Kind::kBranch);
  }

  bool kept(const Expr* target) {
    if (made_ != Kind::kNothing) return found(made_);
    use_.target = target;
    return is_itself_ && target != nullptr ? found(Kind::kKeeps) : nothing();
  }

  ValueUse use_;
  const Node* below_;
  bool is_itself_ = true;
  bool is_given_ = false;
  Kind made_ = Kind::kNothing;
};

}  // namespace

ValueUse use_of(const Expr& read, const std::vector<const Node*>& parents) {
  Climb climb(read);
  for (auto parent = parents.rbegin(); parent != parents.rend() && climb.step(**parent);) ++parent;
  return climb.result;
}

int asks_for_none(const Expr& condition, std::string_view name) {
  if (rules::name_of(&condition) == name) return -1;
  if (const auto* unary = as<UnaryOp>(&condition))
    return unary->op == UnaryOperator::kNot ? -asks_for_none(*unary->operand, name) : 0;
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->comparators.size() != 1 || !rules::is_none(compare->comparators.front()) ||
      rules::name_of(compare->left) != name)
    return 0;
  if (compare->ops.front() == CompareOperator::kIs) return 1;
  return compare->ops.front() == CompareOperator::kIsNot ? -1 : 0;
}

std::uint32_t first_binding(const FunctionDef& def, std::string_view name, bool keeps_given) {
  std::uint32_t first = UINT32_MAX;
  std::size_t filled = 0;  // Places that bind it only where it is None.
  walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
    walk(*statement, Nested::kSkip, [&](const Node* node) {
      // Statements inside come for themselves.
      if (is_statement(node)) return false;
      const auto* stored = as<Name>(node);
      if (stored == nullptr || stored->id != name || stored->context != ExprContext::kStore) return true;
      const std::vector<Guard> guards = keeps_given ? guards_of(def, stored->span) : std::vector<Guard>();
      const bool fills = std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
        const auto test = guard.condition == nullptr ? std::nullopt : rules::none_test(*guard.condition);
        return test && test->is_none != guard.negated && rules::name_of(test->subject) == name;
      });
      if (fills) {
        ++filled;
      } else {
        first = std::min(first, statement->span.begin);
      }
      return true;
    });
  });
  // What other ways of binding it do is not worked out.
  return first == UINT32_MAX && filled == 0 && rules::binds_name(def, name) ? 0 : first;
}

namespace {

bool counts(const Stmt& statement) {
  if (is<Pass>(&statement) || is<Import>(&statement) || is<ImportFrom>(&statement) || is<Global>(&statement) ||
      is<Nonlocal>(&statement) || is<FunctionDef>(&statement) || is<ClassDef>(&statement))
    return false;
  const auto* only = as<ExprStmt>(&statement);
  return only == nullptr || (!is<Constant>(only->value) && !rules::is_log_call(only->value));
}

bool has_blocks(const Stmt& statement) {
  bool found = false;
  for_each_block(statement, [&](Seq<Stmt>) { found = true; });
  return found;
}

/// A text that is put together, or of several words: no choice of one of several.
bool names_or_says(const Expr* value) {
  return is<JoinedStr>(value) || rules::text_of(value).find(' ') != std::string_view::npos;
}

int rank_of_statement(const Stmt& statement) {
  if (is<Raise>(&statement) || is<Assert>(&statement)) return 1;
  if (is<AugAssign>(&statement)) return 3;
  const auto* assign = as<Assign>(&statement);
  if (assign != nullptr && names_or_says(assign->value)) return 1;
  bool reckons = false;
  if (assign != nullptr) {
    walk_of<BinOp>(*assign, Nested::kSkip,
                   [&](const BinOp* op) { reckons = reckons || (!is_text(op->left) && !is_text(op->right)); });
  }
  return reckons ? 3 : 2;
}

}  // namespace

BranchEffect effect_of(Seq<Stmt> branch) {
  BranchEffect out;
  std::size_t simple = 0;
  int rank_of_first = 0;  // 0 of a block: what stands in it may hang on more than what leads to the branch.
  const Stmt* block = nullptr;
  const auto add = [&](const Stmt& statement) {
    if (has_blocks(statement) || !counts(statement)) return 0;
    const int rank = rank_of_statement(statement);
    out.rank = std::max(out.rank, rank);
    ++simple;
    return rank;
  };
  for (const Stmt* statement : branch) {
    if (is<FunctionDef>(statement) || is<ClassDef>(statement)) continue;
    const int rank = add(*statement);
    if (rank > rank_of_first) out.first = statement, rank_of_first = rank;
    int rank_inside = 0;
    walk_statements(*statement, Nested::kSkip,
                    [&](const Stmt* inner) { rank_inside = std::max(rank_inside, add(*inner)); });
    if (rank_inside > 0 && block == nullptr) block = statement;
  }
  if (out.first == nullptr) out.first = block;
  out.others = simple - (rank_of_first > 0 ? 1 : 0);
  return out;
}

Span header_of(const Stmt& statement) {
  Span out = statement.span;
  bool is_first = true;
  for_each_block(statement, [&](Seq<Stmt> block) {
    if (is_first) out.end = block.front()->span.begin;
    is_first = false;
  });
  return out;
}

}  // namespace lockstep::report
