#include "rules/syntax/path_facts.h"

#include <algorithm>
#include <optional>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/place.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;

namespace {

// Bounds that keep one step cheap; beyond them knowledge is dropped, which only makes the analysis say less.
constexpr std::size_t kMaxClauses = 24;
constexpr std::size_t kMaxClauseSize = 6;
constexpr std::size_t kMaxPairs = 12;
constexpr int kMaxConditionParts = 64;

std::vector<std::string_view> names_in(const Expr& expression) {
  std::vector<std::string_view> names;
  const auto take = [&](const Node* node) {
    if (const auto* name = as<Name>(node)) names.push_back(name->id);
  };
  take(&expression);
  walk(expression, Nested::kEnter, take);
  return names;
}

bool is_none(const Expr& expression) {
  const auto* constant = as<Constant>(&expression);
  return constant != nullptr && constant->constant_kind == ConstantKind::kNone;
}

/// A constant, or a dotted name in capitals (an enumeration's member): two that differ are different values.
bool is_distinct_value(const Expr& expression) {
  if (is<Constant>(&expression)) return true;
  const auto* attribute = as<Attribute>(&expression);
  return attribute != nullptr && is<Name>(attribute->value) && !attribute->name.text.empty() &&
         attribute->name.text[0] >= 'A' && attribute->name.text[0] <= 'Z' && as<Name>(attribute->value)->id != "self";
}

/// Whether a constant is true; nullopt where the expression is no constant.
std::optional<bool> constant_truth(const Expr& expression) {
  const auto* constant = as<Constant>(&expression);
  if (constant == nullptr) return std::nullopt;
  switch (constant->constant_kind) {
    case ConstantKind::kNone:
    case ConstantKind::kFalse:
      return false;
    case ConstantKind::kTrue:
    case ConstantKind::kEllipsis:
      return true;
    case ConstantKind::kInt:
      return constant->text != "0";
    case ConstantKind::kStr:
    case ConstantKind::kBytes:
      return !constant->text.empty();
    default:
      return std::nullopt;
  }
}

bool is_never_none(const Expr& value) {
  return is<List>(&value) || is<Dict>(&value) || is<Set>(&value) || is<Tuple>(&value) || is<ListComp>(&value) ||
         is<DictComp>(&value) || is<SetComp>(&value) || is<JoinedStr>(&value) || is<Lambda>(&value) ||
         is<Compare>(&value) || is<BinOp>(&value);
}

/// A new exception, or text that has words of its own: never false.
bool is_surely_true(const Expr& value) {
  if (const auto* text = as<JoinedStr>(&value)) {
    return std::any_of(text->values.begin(), text->values.end(), [](const Expr* part) { return is<Constant>(part); });
  }
  const auto* call = as<Call>(&value);
  if (call == nullptr) return false;
  const std::string_view callee = last_part_of(call->callee);
  return callee.ends_with("Error") || callee.ends_with("Exception") || callee == "format_exc" || callee == "exc_info";
}

/// How much a literal that assume() derived from one condition says: x == "a" implies x, which implies x is not None.
int strength(const Atoms& atoms, Literal literal) {
  switch (atoms.kind(literal.atom)) {
    case Atoms::Kind::kEqualsConstant:
      return literal.holds ? 4 : 2;
    case Atoms::Kind::kIsNone:
      return literal.holds ? 3 : 0;
    case Atoms::Kind::kOther:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

std::uint32_t Atoms::intern(Kind kind, const std::string& subject, const std::string& text,
                            const std::vector<std::string_view>& names) {
  const auto [at, is_new] = by_text_.try_emplace(text, static_cast<std::uint32_t>(rows_.size()));
  if (is_new) rows_.push_back({kind, subject, text, names});
  return at->second;
}

bool Atoms::reads(std::uint32_t atom, std::string_view name) const {
  const auto& names = rows_[atom].names;
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool Atoms::mentions(std::uint32_t atom, std::string_view text) const {
  return rows_[atom].text.find(text) != std::string::npos;
}

bool PathFacts::known(Literal literal) const { return std::binary_search(literals_.begin(), literals_.end(), literal); }

bool PathFacts::add(const Atoms& atoms, Literal literal) {
  std::vector<Literal> pending{literal};
  while (!pending.empty()) {
    const Literal next = pending.back();
    pending.pop_back();
    if (known({next.atom, !next.holds})) return false;
    if (known(next)) continue;
    // Two different constants cannot both be equal to the same value.
    if (next.holds && atoms.kind(next.atom) == Atoms::Kind::kEqualsConstant) {
      for (const Literal& other : literals_) {
        if (other.holds && other.atom != next.atom && atoms.kind(other.atom) == Atoms::Kind::kEqualsConstant &&
            atoms.subject(other.atom) == atoms.subject(next.atom)) {
          return false;
        }
      }
    }
    literals_.insert(std::upper_bound(literals_.begin(), literals_.end(), next), next);
    for (std::size_t i = 0; i < clauses_.size();) {
      Clause& clause = clauses_[i];
      if (std::find(clause.begin(), clause.end(), next) != clause.end()) {
        clauses_.erase(clauses_.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      std::erase(clause, Literal{next.atom, !next.holds});
      if (clause.empty()) return false;
      if (clause.size() == 1) pending.push_back(clause[0]);
      ++i;
    }
  }
  return true;
}

bool PathFacts::add_clause(const Atoms& atoms, Clause clause) {
  std::sort(clause.begin(), clause.end());
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  for (const Literal& literal : clause) {
    if (known(literal)) return true;
  }
  std::erase_if(clause, [&](const Literal& literal) { return known({literal.atom, !literal.holds}); });
  if (clause.empty()) return false;
  if (clause.size() == 1) return add(atoms, clause[0]);
  if (clause.size() <= kMaxClauseSize && clauses_.size() < kMaxClauses) clauses_.push_back(std::move(clause));
  return true;
}

bool PathFacts::assume(Atoms& atoms, const Expr& condition, bool outcome) {
  Budget budget{kMaxConditionParts};
  return assume_within(atoms, condition, outcome, budget);
}

bool PathFacts::assume_compare(Atoms& atoms, const Compare& compare, bool outcome) {
  std::string left = squeezed(atoms.facts(), compare.left->span);
  std::string right = squeezed(atoms.facts(), compare.comparators[0]->span);
  CompareOperator op = compare.ops[0];
  const auto names = names_in(compare);
  if (const auto test = none_test(compare)) {
    outcome = outcome == test->is_none;
    const std::uint32_t atom = atoms.intern(Atoms::Kind::kIsNone, left, left + " is None", names);
    if (!add(atoms, {atom, outcome})) return false;
    return !outcome || add(atoms, {atoms.intern(Atoms::Kind::kTruth, left, left, names), false});
  }
  // Six comparisons are three: the others are their opposites.
  switch (op) {
    case CompareOperator::kNotEq:
      op = CompareOperator::kEq, outcome = !outcome;
      break;
    case CompareOperator::kIsNot:
      op = CompareOperator::kIs, outcome = !outcome;
      break;
    case CompareOperator::kNotIn:
      op = CompareOperator::kIn, outcome = !outcome;
      break;
    case CompareOperator::kGt:
      op = CompareOperator::kLt, std::swap(left, right);
      break;
    case CompareOperator::kLtE:
      op = CompareOperator::kLt, std::swap(left, right), outcome = !outcome;
      break;
    case CompareOperator::kGtE:
      op = CompareOperator::kLt, outcome = !outcome;
      break;
    default:
      break;
  }
  if (op == CompareOperator::kEq && is_distinct_value(*compare.comparators[0])) {
    const std::uint32_t atom = atoms.intern(Atoms::Kind::kEqualsConstant, left, left + "==" + right, names);
    if (!add(atoms, {atom, outcome})) return false;
    if (!outcome) return true;
    if (!add(atoms, {atoms.intern(Atoms::Kind::kIsNone, left, left + " is None", names), false})) return false;
    const auto truth = constant_truth(*compare.comparators[0]);
    return !truth || add(atoms, {atoms.intern(Atoms::Kind::kTruth, left, left, names), *truth});
  }
  if (op == CompareOperator::kIn && outcome) {
    // x in ("a", "b") is x == "a" or x == "b".
    const auto* list = as<List>(compare.comparators[0]);
    const auto* tuple = as<Tuple>(compare.comparators[0]);
    Clause clause;
    for (const Expr* element : list != nullptr ? list->elements : tuple != nullptr ? tuple->elements : Seq<Expr>{}) {
      const std::string text = left + "==" + squeezed(atoms.facts(), element->span);
      clause.push_back({atoms.intern(Atoms::Kind::kEqualsConstant, left, text, names), true});
    }
    if (!clause.empty() && !add_clause(atoms, clause)) return false;
  } else if (op == CompareOperator::kIn) {
    const auto* list = as<List>(compare.comparators[0]);
    const auto* tuple = as<Tuple>(compare.comparators[0]);
    for (const Expr* element : list != nullptr ? list->elements : tuple != nullptr ? tuple->elements : Seq<Expr>{}) {
      const std::string text = left + "==" + squeezed(atoms.facts(), element->span);
      if (!add(atoms, {atoms.intern(Atoms::Kind::kEqualsConstant, left, text, names), false})) return false;
    }
  }
  const std::string_view sign = op == CompareOperator::kEq   ? "=="
                                : op == CompareOperator::kIs ? " is "
                                : op == CompareOperator::kIn ? " in "
                                                             : "<";
  const std::uint32_t atom = atoms.intern(Atoms::Kind::kOther, "", left + std::string(sign) + right, names);
  if (!add(atoms, {atom, outcome})) return false;
  // 0 < x says that x is true (and `not x` that it is not above 0).
  if (op == CompareOperator::kLt && outcome && left == "0") {
    return add(atoms, {atoms.intern(Atoms::Kind::kTruth, right, right, names), true});
  }
  return true;
}

bool PathFacts::assume_parts(Atoms& atoms, const BoolOp& parts, bool outcome, Budget& budget) {
  const bool all_known = (parts.op == BoolOperator::kAnd) == outcome;
  if (all_known) {
    for (const Expr* part : parts.values) {
      if (!assume_within(atoms, *part, outcome, budget)) return false;
    }
    return true;
  }
  // One of the parts came out this way: a clause, where every part is a plain condition.
  Clause clause;
  for (const Expr* part : parts.values) {
    if (is<BoolOp>(part)) return true;
    PathFacts alone;
    if (!alone.assume_within(atoms, *part, outcome, budget)) continue;
    if (alone.literals_.empty()) return true;
    // The strongest literal says it all for a plain condition: the others follow from it.
    clause.push_back(*std::max_element(alone.literals_.begin(), alone.literals_.end(),
                                       [&](Literal a, Literal b) { return strength(atoms, a) < strength(atoms, b); }));
  }
  return clause.empty() || add_clause(atoms, std::move(clause));
}

bool PathFacts::assume_within(Atoms& atoms, const Expr& condition, bool outcome, Budget& budget) {
  if (--budget.left < 0) return true;
  if (const auto* negation = as<UnaryOp>(&condition); negation != nullptr && negation->op == UnaryOperator::kNot) {
    return assume_within(atoms, *negation->operand, !outcome, budget);
  }
  if (const auto truth = constant_truth(condition)) return *truth == outcome;
  if (const auto* named = as<NamedExpr>(&condition)) return assume_within(atoms, *named->target, outcome, budget);
  const auto names = names_in(condition);
  const std::string text = squeezed(atoms.facts(), condition.span);
  if (const auto* parts = as<BoolOp>(&condition)) {
    const std::uint32_t whole = atoms.intern(Atoms::Kind::kOther, "", "(" + text + ")", names);
    return add(atoms, {whole, outcome}) && assume_parts(atoms, *parts, outcome, budget);
  }
  if (const auto* compare = as<Compare>(&condition); compare != nullptr && compare->ops.size() == 1) {
    return assume_compare(atoms, *compare, outcome);
  }
  if (!add(atoms, {atoms.intern(Atoms::Kind::kTruth, text, text, names), outcome})) return false;
  if (outcome && !add(atoms, {atoms.intern(Atoms::Kind::kIsNone, text, text + " is None", names), false})) return false;
  if (const auto* call = as<Call>(&condition); call != nullptr && outcome && !call->arguments.empty()) {
    const auto* callee = as<Name>(call->callee);
    if (callee != nullptr && (callee->id == "isinstance" || callee->id == "len" || callee->id == "callable")) {
      const std::string subject = squeezed(atoms.facts(), call->arguments[0]->span);
      if (!add(atoms, {atoms.intern(Atoms::Kind::kIsNone, subject, subject + " is None", names), false})) return false;
    }
  }
  if (const auto* name = as<Name>(&condition)) {
    for (const Alias& alias : std::vector<Alias>(aliases_)) {
      if (alias.name == name->id) return assume_within(atoms, *alias.value, outcome, budget);
    }
  }
  return true;
}

void PathFacts::assign(Atoms& atoms, std::string_view name, const Expr* value) {
  const auto stale = [&](const Literal& literal) { return atoms.reads(literal.atom, name); };
  std::erase_if(literals_, stale);
  std::erase_if(clauses_, [&](const Clause& clause) { return std::any_of(clause.begin(), clause.end(), stale); });
  std::erase_if(aliases_, [&](const Alias& alias) {
    if (alias.name == name) return true;
    const auto names = names_in(*alias.value);
    return std::find(names.begin(), names.end(), name) != names.end();
  });
  if (value == nullptr) return;
  const auto own = names_in(*value);
  if (std::find(own.begin(), own.end(), name) != own.end()) return;
  const std::string subject(name);
  const std::vector<std::string_view> names{name};
  if (is_none(*value)) {
    (void)add(atoms, {atoms.intern(Atoms::Kind::kIsNone, subject, subject + " is None", names), true});
  } else if (is<Constant>(value) || is_never_none(*value)) {
    (void)add(atoms, {atoms.intern(Atoms::Kind::kIsNone, subject, subject + " is None", names), false});
  } else if (const auto* other = as<Name>(value)) {
    copy(atoms, name, other->id);
  }
  if (is_surely_true(*value)) assign_exception(atoms, name);
  if (const auto truth = constant_truth(*value)) {
    (void)add(atoms, {atoms.intern(Atoms::Kind::kTruth, subject, subject, names), *truth});
    if (!is_none(*value)) {
      const std::string text = subject + "==" + squeezed(atoms.facts(), value->span);
      (void)add(atoms, {atoms.intern(Atoms::Kind::kEqualsConstant, subject, text, names), true});
    }
  } else if (is<Compare>(value) || is<BoolOp>(value) || is<UnaryOp>(value) || is<Name>(value) || is<Attribute>(value) ||
             is<Call>(value)) {
    aliases_.push_back({name, value});
  }
}

void PathFacts::assign_exception(Atoms& atoms, std::string_view name) {
  learn(atoms, name, Atoms::Kind::kIsNone, false);
  learn(atoms, name, Atoms::Kind::kTruth, true);
}

void PathFacts::learn(Atoms& atoms, std::string_view name, Atoms::Kind kind, bool holds) {
  const std::string subject(name);
  const std::string text = kind == Atoms::Kind::kIsNone ? subject + " is None" : subject;
  (void)add(atoms, {atoms.intern(kind, subject, text, {name}), holds});
}

/// `name = from`: what is known of the one is known of the other.
void PathFacts::copy(Atoms& atoms, std::string_view name, std::string_view from) {
  for (const Literal& literal : std::vector<Literal>(literals_)) {
    const Atoms::Kind kind = atoms.kind(literal.atom);
    if (atoms.subject(literal.atom) != from) continue;
    if (kind == Atoms::Kind::kIsNone || kind == Atoms::Kind::kTruth) {
      learn(atoms, name, kind, literal.holds);
    } else if (kind == Atoms::Kind::kEqualsConstant) {
      const std::string text = std::string(name) + atoms.text(literal.atom).substr(from.size());
      (void)add(atoms, {atoms.intern(kind, std::string(name), text, {name}), literal.holds});
    }
  }
}

bool PathFacts::decides(Atoms& atoms, const Expr& condition) const {
  PathFacts yes = *this, no = *this;
  return !yes.assume(atoms, condition, true) || !no.assume(atoms, condition, false);
}

void PathFacts::assign_place(const Atoms& atoms, std::string_view text) {
  const auto stale = [&](const Literal& literal) { return atoms.mentions(literal.atom, text); };
  std::erase_if(literals_, stale);
  std::erase_if(clauses_, [&](const Clause& clause) { return std::any_of(clause.begin(), clause.end(), stale); });
}

void PathFacts::merge(const PathFacts& other) {
  std::vector<Literal> both, only_here, only_there;
  std::set_intersection(literals_.begin(), literals_.end(), other.literals_.begin(), other.literals_.end(),
                        std::back_inserter(both));
  std::set_difference(literals_.begin(), literals_.end(), both.begin(), both.end(), std::back_inserter(only_here));
  std::set_difference(other.literals_.begin(), other.literals_.end(), both.begin(), both.end(),
                      std::back_inserter(only_there));
  const auto implied = [](const PathFacts& facts, const Clause& clause) {
    return std::find(facts.clauses_.begin(), facts.clauses_.end(), clause) != facts.clauses_.end() ||
           std::any_of(clause.begin(), clause.end(), [&](const Literal& literal) { return facts.known(literal); });
  };
  std::vector<Clause> clauses;
  for (const Clause& clause : clauses_) {
    if (implied(other, clause)) clauses.push_back(clause);
  }
  for (const Clause& clause : other.clauses_) {
    const bool is_new = std::find(clauses.begin(), clauses.end(), clause) == clauses.end();
    if (is_new && implied(*this, clause)) clauses.push_back(clause);
  }
  // Either what only this path knows holds, or what only the other knows.
  std::size_t pairs = 0;
  for (const Literal& a : only_here) {
    for (const Literal& b : only_there) {
      if (a.atom == b.atom || pairs == kMaxPairs || clauses.size() >= kMaxClauses) continue;
      Clause clause{std::min(a, b), std::max(a, b)};
      if (std::find(clauses.begin(), clauses.end(), clause) == clauses.end()) clauses.push_back(std::move(clause));
      ++pairs;
    }
  }
  std::erase_if(aliases_, [&](const Alias& alias) {
    return std::find(other.aliases_.begin(), other.aliases_.end(), alias) == other.aliases_.end();
  });
  literals_ = std::move(both);
  clauses_ = std::move(clauses);
}

}  // namespace lockstep::rules
