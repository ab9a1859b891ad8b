#include "rules/syntax/rare_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/place.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;

namespace {

// Words in a condition that say that its body does not run in every step.
constexpr auto kRareConditionWords = std::to_array<std::string_view>(
    {"log",          "logging",  "logger",    "interval", "freq",          "every",  "verbose",   "debug",
     "profile",      "profiler", "profiling", "dump",     "print",         "sanity", "once",      "initialized",
     "timing",       "timers",   "nan",       "inf",      "inspect",       "save",   "compiling", "capturing",
     "isEnabledFor", "eval",     "inference", "validate", "deterministic", "warn",   "warned",    "trace"});

bool is_rare_word(std::string_view word) {
  return std::find(kRareConditionWords.begin(), kRareConditionWords.end(), word) != kRareConditionWords.end();
}

}  // namespace

bool is_rare_condition(const Expr& condition) {
  bool rare = false;
  const auto check = [&](const Node* node) {
    const auto* modulo = as<BinOp>(node);
    rare = rare || (modulo != nullptr && modulo->op == BinaryOperator::kMod);
    const auto* name = as<Name>(node);
    const auto* attribute = as<Attribute>(node);
    const std::string_view text = name != nullptr ? name->id : attribute != nullptr ? attribute->name.text : "";
    for (const std::string_view word : split(text, '_')) rare = rare || is_rare_word(word);
    const auto* constant = as<Constant>(node);  // The name of an environment variable.
    const bool is_text = constant != nullptr && constant->constant_kind == ConstantKind::kStr;
    for (const std::string_view word : split(is_text ? constant->text : "", '_'))
      rare = rare || is_rare_word(to_lower(word));
  };
  check(&condition);
  walk(condition, Nested::kEnter, check);
  return rare;
}

bool leaves_unless_rare(const If& statement) {
  if (!statement.orelse.empty() || statement.body.empty()) return false;
  const Stmt* last = statement.body.back();
  if (!is<Return>(last) && !is<Continue>(last)) return false;
  const auto* negation = as<UnaryOp>(statement.condition);
  const auto* compare = as<Compare>(statement.condition);
  const bool is_negative = (negation != nullptr && negation->op == UnaryOperator::kNot) ||
                           (compare != nullptr && compare->ops.size() == 1 &&
                            (compare->ops[0] == CompareOperator::kNotEq || is_none(compare->comparators[0])));
  return is_negative && is_rare_condition(*statement.condition);
}

namespace {

/// What is tested for None, or for being there: `x` of `x is None`, `not x`, and of the first part of an `or`.
const Expr* tested_subject(const Expr& condition) {
  if (const auto* parts = as<BoolOp>(&condition); parts != nullptr && parts->op == BoolOperator::kOr)
    return tested_subject(*parts->values.front());
  const auto* compare = as<Compare>(&condition);
  if (compare != nullptr && compare->ops.size() == 1 && compare->ops[0] == CompareOperator::kIs) return compare->left;
  const auto* negation = as<UnaryOp>(&condition);
  return negation != nullptr && negation->op == UnaryOperator::kNot ? negation->operand : nullptr;
}

/// Whether the function itself makes the local `name` anew each time it runs: by anything but an attribute, which
/// stays. A parameter is its caller's.
bool is_made_here(const Node* function, std::string_view name) {
  bool is_made = function == nullptr;
  const auto look = [&](const Expr& target, const Expr* value) {
    if (name_of(&target) == name && (value == nullptr || !is<Attribute>(value))) is_made = true;
  };
  if (function == nullptr) return is_made;
  walk(*function, Nested::kSkip, [&](const Node* node) {
    if (const auto* assign = as<Assign>(node)) {
      for (const Expr* target : assign->targets) look(*target, assign->value);
    }
    if (const auto* declared = as<AnnAssign>(node)) look(*declared->target, declared->value);
    if (const auto* named = as<NamedExpr>(node)) look(*named->target, named->value);
    if (const auto* loop = as<For>(node)) look(*loop->target, nullptr);
  });
  return is_made;
}

/// `if key not in table:` whose body gives the table that key, where the table outlives the call.
bool is_first_of_key(const If& statement, const FileFacts& facts, const Node* function) {
  const auto* compare = as<Compare>(statement.condition);
  if (compare == nullptr || compare->ops.size() != 1 || compare->ops[0] != CompareOperator::kNotIn) return false;
  const Expr* table = compare->comparators[0];
  if (const auto* call = as<Call>(table);
      call != nullptr && last_part_of(call) == "keys" && is<Attribute>(call->callee))
    table = as<Attribute>(call->callee)->value;
  if (!is<Attribute>(table) && (!is<Name>(table) || is_made_here(function, name_of(table)))) return false;
  const std::string wanted = fmt::format("{}[{}]", squeezed(facts, table->span), squeezed(facts, compare->left->span));
  return std::any_of(statement.body.begin(), statement.body.end(), [&](const Stmt* inner) {
    const auto* assign = as<Assign>(inner);
    return assign != nullptr && std::any_of(assign->targets.begin(), assign->targets.end(), [&](const Expr* target) {
             return squeezed(facts, target->span) == wanted;
           });
  });
}

}  // namespace

bool is_first_time(const If& statement, const FileFacts& facts, const Node* function) {
  const Expr* subject = tested_subject(*statement.condition);
  if (subject == nullptr) return is_first_of_key(statement, facts, function);
  if (const auto* call = as<Call>(subject); call != nullptr && last_part_of(call) == "hasattr") return true;
  const std::string wanted = squeezed(facts, subject->span);
  bool keeps = false;
  for (const Stmt* inner : statement.body) {
    const auto* assign = as<Assign>(inner);
    for (const Expr* target : assign != nullptr ? assign->targets : Seq<Expr>{}) {
      // A local is forgotten at the end; what is stored from it in an object or a table stays.
      const bool stays = is<Attribute>(target) || is<Subscript>(target);
      keeps = keeps || (stays && (squeezed(facts, target->span) == wanted ||
                                  (is<Name>(subject) && name_of(assign->value) == name_of(subject))));
    }
  }
  return keeps;
}

std::unordered_set<const Node*> rare_calls(const Node& function) {
  std::unordered_set<const Node*> calls;
  const auto take = [&](const Node& part) {
    if (is<Call>(&part)) calls.insert(&part);
    walk_of<Call>(part, Nested::kSkip, [&](const Call* call) { calls.insert(call); });
  };
  walk(function, Nested::kSkip, [&](const Node* node) {
    const auto* choice = as<IfExp>(node);
    if (choice != nullptr && is_rare_condition(*choice->condition)) take(*choice->body);
  });
  for (const Seq<Stmt> block : blocks_of(function)) {
    bool is_rare = false;
    for (const Stmt* statement : block) {
      const auto* branch = as<If>(statement);
      if (is_rare) take(*statement);
      if (branch == nullptr) continue;
      if (is_rare_condition(*branch->condition)) {
        for (const Stmt* inner : branch->body) take(*inner);
      }
      is_rare = is_rare || leaves_unless_rare(*branch);
    }
  }
  return calls;
}

}  // namespace lockstep::rules
