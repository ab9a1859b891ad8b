#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/strings.h"
#include "python/main_check.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/blocks_around.h"
#include "report/story/wording/containers.h"
#include "report/story/wording/told_guards.h"
#include "report/story/wording/words.h"
#include "report/ways/conditions/condition_kinds.h"

namespace lockstep::report {

using namespace python;

std::string as_clause(std::string sentence) {
  while (sentence.ends_with('.')) sentence.pop_back();
  if (!sentence.empty() && sentence.front() >= 'A' && sentence.front() <= 'Z')
    sentence.front() = static_cast<char>(sentence.front() - 'A' + 'a');
  return sentence;
}

namespace {

constexpr int kMostDepth = 6;

std::string words(const Expr& condition, const SourceText& source, bool negated, int depth);

std::string quoted(const Expr& expression, const SourceText& source, std::size_t limit = 60) {
  return code(one_line(source, expression, limit));
}

std::string compare_words(const Compare& compare, const SourceText& source, bool negated) {
  const std::string whole = quoted(compare, source, 80);
  if (compare.ops.size() != 1) return negated ? whole + " does not hold" : whole;
  // "x or 0 is more than 0" reads as another question.
  const auto binds_loosely = [](const Expr* one) { return is<BoolOp>(one) || is<IfExp>(one); };
  if (binds_loosely(compare.left) || binds_loosely(compare.comparators.front()))
    return whole + (negated ? " does not hold" : " holds");
  // Of `(x := f()) != 1` what is asked about is the value, and what follows calls it by the name.
  const auto* named = as<NamedExpr>(compare.left);
  const std::string left = named == nullptr ? quoted(*compare.left, source)
                                            : fmt::format("{} (set to {})", quoted(*named->target, source),
                                                          quoted(*named->value, source, 80));
  const std::string right = quoted(*compare.comparators.front(), source);
  const auto is_or_not = [&](bool is) { return fmt::format("{} is {}{}", left, is ? "" : "not ", right); };
  // "is not" of two variables would read as another object.
  const auto is_constant = [](const Expr* one) {
    if (const auto* sign = as<UnaryOp>(one)) one = sign->operand;
    const auto* member = as<Attribute>(one);
    // `Mode.LEGACY` is one of few.
    const bool is_choice = member != nullptr && std::none_of(member->name.text.begin(), member->name.text.end(),
                                                             [](char c) { return c >= 'a' && c <= 'z'; });
    return is<Constant>(one) || is<JoinedStr>(one) || is_choice;
  };
  const bool of_variables = !is_constant(compare.comparators.front()) && !is_constant(compare.left);
  const auto equals_or_not = [&](bool equal) {
    return of_variables ? fmt::format("{} {} {}", left, equal ? "equals" : "differs from", right) : is_or_not(equal);
  };
  switch (compare.ops.front()) {
    case CompareOperator::kIs:
      return is_or_not(!negated);
    case CompareOperator::kEq:
      return equals_or_not(!negated);
    case CompareOperator::kIsNot:
      return is_or_not(negated);
    case CompareOperator::kNotEq:
      return equals_or_not(negated);
    case CompareOperator::kIn:
      return fmt::format("{} is {}in {}", left, negated ? "not " : "", right);
    case CompareOperator::kNotIn:
      return fmt::format("{} is {}in {}", left, negated ? "" : "not ", right);
    case CompareOperator::kLt:
      return fmt::format("{} is {} {}", left, negated ? "at least" : "less than", right);
    case CompareOperator::kLtE:
      return fmt::format("{} is {} {}", left, negated ? "more than" : "at most", right);
    case CompareOperator::kGt:
      return fmt::format("{} is {} {}", left, negated ? "at most" : "more than", right);
    case CompareOperator::kGtE:
      return fmt::format("{} is {} {}", left, negated ? "less than" : "at least", right);
  }
  return whole;
}

/// `any(c for a in b)`: "`c` for some `a` of `b`".
std::string quantified(const Call& call, std::string_view name, const SourceText& source, bool negated, int depth) {
  const Node* argument = call.arguments.front();
  const Expr* element = nullptr;
  Seq<Comprehension> generators;
  if (const auto* generator = as<GeneratorExp>(argument)) {
    element = generator->element;
    generators = generator->generators;
  } else if (const auto* list = as<ListComp>(argument)) {
    element = list->element;
    generators = list->generators;
  }
  if (element == nullptr || generators.size() != 1 || !generators.front()->conditions.empty()) return {};
  const std::string target = quoted(*generators.front()->target, source, 30);
  const std::string from = quoted(*generators.front()->iterable, source, 50);
  const bool any = name == "any";
  const std::string inner = words(*element, source, !any && negated, depth + 1);
  if (any && negated) return fmt::format("{} for no {} of {}", inner, target, from);
  return fmt::format("{} for {} {} of {}", inner, any || negated ? "some" : "every", target, from);
}

std::string call_condition(const Call& call, const SourceText& source, bool negated, int depth) {
  const std::string_view name = callee_name(call);
  const bool plain_name = is<Name>(call.callee);
  const auto argument = [&](std::size_t i) { return quoted(*call.arguments[i], source); };
  if (plain_name && (name == "any" || name == "all") && call.arguments.size() == 1) {
    std::string told = quantified(call, name, source, negated, depth);
    if (!told.empty()) return told;
  }
  if (plain_name && name == "hasattr" && call.arguments.size() == 2) {
    const auto* attribute = as<Constant>(call.arguments[1]);
    const std::string what =
        attribute != nullptr && attribute->constant_kind == ConstantKind::kStr ? code(attribute->text) : argument(1);
    return fmt::format("{} has {}{}", argument(0), negated ? "no " : "", what);
  }
  if (plain_name && name == "isinstance" && call.arguments.size() == 2) {
    return fmt::format("{} is {}an instance of {}", argument(0), negated ? "not " : "", argument(1));
  }
  if (plain_name && name == "len" && call.arguments.size() == 1) {
    return fmt::format("{} is {}empty", argument(0), negated ? "" : "not ");
  }
  if (plain_name && name == "callable" && call.arguments.size() == 1) {
    return fmt::format("{} {} be called", argument(0), negated ? "cannot" : "can");
  }
  if (plain_name && name == "getattr" && call.arguments.size() == 3) {
    const auto* attribute = as<Constant>(call.arguments[1]);
    if (attribute != nullptr && attribute->constant_kind == ConstantKind::kStr) {
      // Where the attribute is missing the default decides.
      const auto* missing = as<Constant>(call.arguments[2]);
      const bool is_plain = missing != nullptr && (missing->constant_kind == ConstantKind::kTrue ||
                                                   missing->constant_kind == ConstantKind::kFalse ||
                                                   missing->constant_kind == ConstantKind::kNone);
      if (!is_plain) return fmt::format("{} is {}", quoted(call, source, 80), negated ? "false" : "true");
      const bool passes = missing->constant_kind == ConstantKind::kTrue;
      const std::string what = fmt::format("{} of {}", code(attribute->text), argument(0));
      if (passes) return fmt::format("{} is {}", what, negated ? "there and false" : "true or missing");
      const bool fails = missing->constant_kind == ConstantKind::kFalse;
      if (fails && negated) return what + " is false or missing";
      return fmt::format("{} is {}set", what, negated ? "not " : "");
    }
  }
  return fmt::format("{} is {}", quoted(call, source, 80), negated ? "false" : "true");
}

std::string bool_words(const BoolOp& op, const SourceText& source, bool negated, int depth) {
  // De Morgan: "not (a and b)" reads "not a or not b".
  const bool conjunction = (op.op == BoolOperator::kAnd) != negated;
  if (op.values.size() > 4 || depth > 2) {
    const std::string text = quoted(op, source, 110);
    return negated ? text + " does not hold" : text + " holds";
  }
  std::vector<std::string> parts;
  for (const Expr* value : op.values) {
    std::string part = words(*value, source, negated, depth + 1);
    const Expr* inner = value;
    while (const auto* unary = as<UnaryOp>(inner)) inner = unary->operand;
    if (is<BoolOp>(inner)) part = fmt::format("({})", part);
    parts.push_back(std::move(part));
  }
  return join_words(parts, conjunction ? "and" : "or");
}

bool reads_as_flag(std::string_view name) {
  for (const std::string_view prefix : {"use_", "is_", "has_", "enable", "disable", "should_", "needs_", "do_", "no_",
                                        "allow", "apply_", "training", "force", "require"}) {
    if (name.starts_with(prefix)) return true;
  }
  return name.ends_with("_enabled") || name.ends_with("_fusion") || name.ends_with("_only");
}

std::string words(const Expr& condition, const SourceText& source, bool negated, int depth) {
  if (depth > kMostDepth) return quoted(condition, source, 80) + (negated ? " does not hold" : " holds");
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot) {
    return words(*unary->operand, source, !negated, depth + 1);
  }
  if (const auto* op = as<BoolOp>(&condition)) return bool_words(*op, source, negated, depth);
  if (is_main_check(condition)) return negated ? "the file is imported" : "the file runs as a script";
  if (const auto* compare = as<Compare>(&condition)) return compare_words(*compare, source, negated);
  if (const auto* call = as<Call>(&condition)) return call_condition(*call, source, negated, depth);
  if (const auto* constant = as<Constant>(&condition)) {
    if (constant->constant_kind == ConstantKind::kTrue) return negated ? "never" : "always";
    if (constant->constant_kind == ConstantKind::kFalse) return negated ? "always" : "never";
  }
  if (is<Name>(&condition) || is<Attribute>(&condition)) {
    const std::string text = dotted_text(&condition);
    const std::size_t dot = text.rfind('.');
    const std::string_view last =
        dot == std::string::npos ? std::string_view(text) : std::string_view(text).substr(dot + 1);
    const std::string shown = quoted(condition, source);
    if (reads_as_flag(last)) return fmt::format("{} is {}", shown, negated ? "false" : "true");
    return fmt::format("{} is {}set", shown, negated ? "not " : "");
  }
  return fmt::format("{} is {}", quoted(condition, source, 80), negated ? "false" : "true");
}

}  // namespace

std::string condition_words(const Expr& condition, const SourceText& source, bool negated) {
  constexpr std::size_t kShort = 150, kLong = 240, kMostCode = 130;
  std::string told = words(condition, source, negated, 0);
  // Told in full, a long condition is harder to read than the code; but what is cut out of the code is not told.
  const std::size_t size = unmarked(told).size();
  if (size <= kShort || (size <= kLong && one_line(source, condition, kLong).size() > kMostCode)) return told;
  return fmt::format("{} {}", code(one_line(source, condition, kMostCode)), negated ? "does not hold" : "holds");
}

namespace {

/// One question and the answer it has.
struct Literal {
  const Expr* question = nullptr;
  bool negated = false;
};
/// What holds at a place: at least one of `any`. Of a guard that nothing makes simpler `whole` is the guard, told as
/// the code asks it.
struct Requirement {
  std::vector<Literal> any;
  const Guard* whole = nullptr;
  bool is_last_of_chain = false;  ///< Of `whole`: the branches before it in its if/elif chain are not taken.
};

/// Without the `not` around it.
Literal literal_of(const Expr* question, bool negated) {
  const auto* unary = as<UnaryOp>(question);
  if (unary != nullptr && unary->op == UnaryOperator::kNot) return literal_of(unary->operand, !negated);
  return {question, negated};
}

/// The parts of `condition`, as far as all of them must have the same answer (`all`: each part alone is required, else
/// one of them is).
void parts_of(const Expr* condition, bool negated, bool all, std::vector<Literal>& out) {
  const Literal one = literal_of(condition, negated);
  const auto* op = as<BoolOp>(one.question);
  const bool is_all = op != nullptr && (op->op == BoolOperator::kAnd) != one.negated;
  if (op == nullptr || is_all != all) {
    out.push_back(one);
    return;
  }
  for (const Expr* value : op->values) parts_of(value, one.negated, all, out);
}

std::vector<Requirement> requirements_of(const Expr* condition, bool negated) {
  std::vector<Literal> each;
  parts_of(condition, negated, true, each);
  std::vector<Requirement> out;
  for (const Literal& one : each) {
    out.emplace_back();
    parts_of(one.question, one.negated, false, out.back().any);
  }
  return out;
}

/// Takes out of `all` what the parts that must hold alone (of `all` and of `known`) decide: `not (a and b)` beside `a`
/// is `not b`, beside `not a` it says nothing. Returns whether it took something.
bool decide_by_single_ones(std::vector<Requirement>& all, const std::vector<Requirement>& known,
                           const SourceText& source) {
  const auto text = [&](const Literal& one) { return one_line_whole(source, one.question->span); };
  bool took = false;
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    std::vector<std::pair<std::string, bool>> single;
    const auto note = [&](const std::vector<Requirement>& some) {
      for (const Requirement& one : some) {
        if (one.any.size() == 1) single.emplace_back(text(one.any.front()), one.any.front().negated);
      }
    };
    note(all);
    note(known);
    const auto is_single = [&](const Literal& one, bool negated) {
      return std::find(single.begin(), single.end(), std::pair(text(one), negated)) != single.end();
    };
    for (std::size_t i = 0; i < all.size() && !goes_on; ++i) {
      std::vector<Literal>& any = all[i].any;
      if (any.size() < 2) continue;
      if (std::any_of(any.begin(), any.end(), [&](const Literal& one) { return is_single(one, one.negated); })) {
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        goes_on = true;
      } else {
        goes_on = std::erase_if(any, [&](const Literal& one) { return is_single(one, !one.negated); }) > 0;
      }
      took = took || goes_on;
    }
  }
  return took && std::none_of(all.begin(), all.end(), [](const Requirement& one) { return one.any.empty(); });
}

/// Whether `inner` is the `elif` of `outer`: nothing runs between the two questions.
bool is_elif_of(const Guard& inner, const Node* outer) {
  const auto* branch = as<If>(outer);
  return branch != nullptr && branch->orelse.size() == 1 && branch->orelse[0] == inner.statement;
}

/// Whether what a chain of branches requires beside its last question is more than a reader takes in.
bool is_long_beside(const std::vector<Requirement>& chain, const Guard& last, const SourceText& source) {
  constexpr std::size_t kLong = 70;
  std::size_t bytes = 0;
  for (const Requirement& one : chain) {
    for (const Literal& each : one.any) {
      if (!last.condition->span.contains(each.question->span))
        bytes += unmarked(condition_words(*each.question, source, each.negated)).size();
    }
  }
  return bytes > kLong;
}

/// What `guards` (outermost first) require, simpler where the questions of one if/elif chain decide each other. `step`
/// is the branch that asks next, or null: what it asks holds when it is taken.
std::vector<Requirement> requirements(const std::vector<Guard>& guards, const If* step, const SourceText& source) {
  std::vector<Requirement> out;
  for (std::size_t i = 0; i < guards.size();) {
    std::size_t end = i + 1;
    while (end < guards.size() && guards[end - 1].negated && is_elif_of(guards[end], guards[end - 1].statement)) ++end;
    const bool asks_next = step != nullptr && end == guards.size() && guards[end - 1].negated &&
                           is_elif_of({.statement = step}, guards[end - 1].statement);
    std::vector<Requirement> chain;
    const bool are_questions =
        std::all_of(guards.begin() + static_cast<std::ptrdiff_t>(i), guards.begin() + static_cast<std::ptrdiff_t>(end),
                    [](const Guard& guard) { return guard.condition != nullptr && is<If>(guard.statement); });
    for (std::size_t at = i; are_questions && at < end; ++at) {
      for (Requirement& one : requirements_of(guards[at].condition, guards[at].negated))
        chain.push_back(std::move(one));
    }
    const std::vector<Requirement> known =
        asks_next ? requirements_of(step->condition, false) : std::vector<Requirement>();
    const bool is_simpler = are_questions && (end - i > 1 || asks_next) && decide_by_single_ones(chain, known, source);
    const Guard& last = guards[end - 1];
    if (are_questions && end - i > 1 && !last.negated && is_long_beside(chain, last, source)) {
      out.push_back({.any = {}, .whole = &last, .is_last_of_chain = true});
    } else if (is_simpler) {
      for (Requirement& one : chain) out.push_back(std::move(one));
    } else {
      for (std::size_t at = i; at < end; ++at)
        out.push_back({.any = {}, .whole = &guards[at], .is_last_of_chain = false});
    }
    i = end;
  }
  return out;
}

/// The innermost `limit`, the outer first; bracketed where they hold an "or".
std::vector<std::string> requirement_parts(const std::vector<Requirement>& all, const SourceText& source,
                                           std::size_t limit, bool tells_script) {
  std::vector<std::string> parts;
  std::vector<bool> either;
  for (auto one = all.rbegin(); one != all.rend() && parts.size() < limit; ++one) {
    if (const Guard* guard = one->whole; guard != nullptr) {
      if (guard->condition == nullptr || is<While>(guard->statement)) continue;
      if (!tells_script && !guard->negated && is_main_check(*guard->condition)) continue;
      std::string text = condition_words(*guard->condition, source, guard->negated);
      if (text == "always") continue;
      const auto* both = as<BoolOp>(guard->condition);
      const bool is_either = both != nullptr && (both->op == BoolOperator::kOr) != guard->negated;
      if (one->is_last_of_chain)
        text =
            fmt::format("{}{}{} and no branch before that is taken", is_either ? "(" : "", text, is_either ? ")" : "");
      either.push_back(is_either && !one->is_last_of_chain);
      parts.push_back(std::move(text));
      continue;
    }
    std::vector<std::string> any;
    for (const Literal& each : one->any) any.push_back(condition_words(*each.question, source, each.negated));
    parts.push_back(join_words(any, "or"));
    either.push_back(any.size() > 1);
  }
  for (std::size_t i = 0; i < parts.size() && parts.size() > 1; ++i) {
    if (either[i]) parts[i] = fmt::format("({})", parts[i]);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

/// Of an early exit under `a and b`, before a step under `a`: `b`; null for others.
const Expr* rest_of_exit(const Guard& exit, const Step& step, const SourceText& source) {
  const auto* both = as<BoolOp>(exit.condition);
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  if (both == nullptr || branch == nullptr || !exit.negated || both->op != BoolOperator::kAnd ||
      both->values.size() != 2)
    return nullptr;
  const std::string asked = one_line_whole(source, *branch->condition);
  if (one_line_whole(source, *both->values.front()) == asked) return both->values.back();
  return one_line_whole(source, *both->values.back()) == asked ? both->values.front() : nullptr;
}

/// Whether something that the exit asks is set between it and the place.
bool may_have_changed(const Node& function, const Guard& exit, Span place) {
  std::vector<std::string> asked;
  const auto note = [&](const Expr* one) {
    if (std::string name = dotted_text(one); !name.empty()) asked.push_back(std::move(name));
  };
  note(exit.condition);
  walk_expressions(*exit.condition, Nested::kEnter, note);
  bool found = false;
  walk(function, Nested::kSkip, [&](const Node* node) {
    if (node->span.begin < exit.statement->span.end || node->span.end > place.begin) return;
    const auto* name = as<Name>(node);
    const auto* member = as<Attribute>(node);
    const bool is_set = (name != nullptr && name->context == ExprContext::kStore) ||
                        (member != nullptr && member->context == ExprContext::kStore);
    found = found || (is_set && std::find(asked.begin(), asked.end(), dotted_text(static_cast<const Expr*>(node))) !=
                                    asked.end());
  });
  return found;
}

/// Whether the statement of the guard, a branch that leaves before the place is met, stands in a block below the top
/// level of the function that holds the place, too.
bool is_exit_of_inner_block(const Node& function, const Guard& guard, Span place) {
  if (guard.condition == nullptr || !is<If>(guard.statement)) return false;
  bool found = false;
  walk_of<If>(function, Nested::kSkip, [&](const If* outer) {
    for (const Seq<Stmt> block : {outer->body, outer->orelse}) {
      const auto stands_there = [&](const Stmt* one) { return one == guard.statement; };
      const auto holds_place = [&](const Stmt* one) { return one->span.contains(place); };
      found = found || (std::any_of(block.begin(), block.end(), stands_there) &&
                        std::any_of(block.begin(), block.end(), holds_place));
    }
  });
  return found;
}

/// With which constants or members (`Headers.CONNECT`) one value is compared: `x == A`, `x is A`, `x in (A, B)`;
/// `is_not`: that it is none of these.
struct Compared {
  std::string subject;
  std::set<std::string> values;
  bool is_not = false;
};

std::optional<Compared> compared_values(const Expr& condition, bool negated, const SourceText& source) {
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1) return std::nullopt;
  const Expr* right = compare->comparators.front();
  const auto names_value = [](const Expr* one) { return is<Constant>(one) || is<Attribute>(one); };
  Compared out{one_line_whole(source, *compare->left), {}, negated};
  const CompareOperator op = compare->ops.front();
  if (op == CompareOperator::kIn || op == CompareOperator::kNotIn) {
    const auto* tuple = as<Tuple>(right);
    const auto* list = as<python::List>(right);
    const auto* set = as<Set>(right);
    if (tuple == nullptr && list == nullptr && set == nullptr) return std::nullopt;
    for (const Expr* one : tuple != nullptr ? tuple->elements : list != nullptr ? list->elements : set->elements) {
      if (!names_value(one)) return std::nullopt;
      out.values.insert(one_line_whole(source, *one));
    }
    out.is_not = negated != (op == CompareOperator::kNotIn);
    return out;
  }
  const bool is_equal = op == CompareOperator::kEq || op == CompareOperator::kIs;
  if ((!is_equal && op != CompareOperator::kNotEq && op != CompareOperator::kIsNot) || !names_value(right))
    return std::nullopt;
  out.values.insert(one_line_whole(source, *right));
  out.is_not = negated == is_equal;
  return out;
}

/// Drops of `x is not A`, `x is B` what the second says already, as the branches of a long `elif` do; `branch`: the
/// step itself, whose condition is told with it.
void drop_excluded(std::vector<Guard>& guards, const If* branch, const SourceText& source) {
  std::vector<Compared> are;
  const auto note = [&](const Expr& condition, bool negated) {
    std::optional<Compared> one = compared_values(condition, negated, source);
    if (one && !one->is_not) are.push_back(*std::move(one));
  };
  for (const Guard& guard : guards) {
    if (guard.condition != nullptr) note(*guard.condition, guard.negated);
  }
  if (branch != nullptr) note(*branch->condition, false);
  std::erase_if(guards, [&](const Guard& guard) {
    const auto one =
        guard.condition == nullptr ? std::nullopt : compared_values(*guard.condition, guard.negated, source);
    return one && one->is_not && std::any_of(are.begin(), are.end(), [&](const Compared& is) {
             return is.subject == one->subject &&
                    std::none_of(is.values.begin(), is.values.end(),
                                 [&](const auto& each) { return one->values.contains(each); });
           });
  });
}

}  // namespace

/// The guards with those of `a and b` as guards of their own, each once; as they were where none stands twice.
static std::vector<Guard> each_once(const std::vector<Guard>& guards, const SourceText& source) {
  std::vector<Guard> out;
  std::set<std::pair<std::string, bool>> known;
  const std::vector<Guard> parts = taken_apart(guards);
  for (const Guard& guard : parts) {
    if (guard.condition == nullptr || known.emplace(one_line_whole(source, *guard.condition), guard.negated).second)
      out.push_back(guard);
  }
  return out.size() < parts.size() ? out : guards;
}

std::vector<Guard> told_guards(const std::vector<Guard>& guards, const SourceText& source) {
  std::vector<Guard> told = each_once(guards, source);
  drop_excluded(told, nullptr, source);
  return told;
}

std::string guards_words(const std::vector<Guard>& guards, const SourceText& source, std::size_t limit) {
  std::vector<Guard> told = told_guards(guards, source);
  // What was one of them may be several now.
  if (told.size() > guards.size()) limit += told.size() - guards.size();
  return join_words(requirement_parts(requirements(told, nullptr, source), source, limit, false));
}

/// More conditions than a reader takes in before what they are conditions of: the outer ones go.
static void cut_outer(std::vector<std::string>& parts) {
  constexpr std::size_t kLongest = 230;  // Bytes.
  std::size_t size = 0;
  for (const std::string& part : parts) size += part.size();
  std::size_t gone = 0;
  for (; gone + 1 < parts.size() && size > kLongest; ++gone) size -= parts[gone].size();
  if (gone == 0) return;
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(gone));
  parts.emplace_back("more holds");
}

std::vector<std::string> where_parts(const Node& function, const Step& step, const SourceText& source,
                                     std::size_t limit) {
  std::vector<Guard> guards;
  for (const Guard& guard : guards_of(function, step.span)) {
    const bool holds_step = guard.statement->span.contains(step.span);
    // In a block inside, what an earlier branch of it leaves for is not met behind it: of the whole function that would
    // be said of nearly every step.
    if (!holds_step && is_exit_of_inner_block(function, guard, step.span)) {
      if (!may_have_changed(function, guard, step.span)) guards.push_back(guard);
      continue;
    }
    // `if a and b: return` before `if a:` leaves that one only where `b` does not hold.
    if (const Expr* rest = holds_step ? nullptr : rest_of_exit(guard, step, source); rest != nullptr) {
      if (!may_have_changed(function, guard, step.span)) guards.push_back({guard.statement, rest, guard.negated});
      continue;
    }
    if (!holds_step || (guard.statement == step.node && step.kind != StepKind::kElse) || is<IfExp>(guard.statement))
      continue;
    guards.push_back(guard);
    if (guard.statement == step.node) guards.back().negated = true;
  }
  const If* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  drop_excluded(guards, branch, source);
  // What is asked twice, as `not a` and behind `if a: return`, is told once.
  std::vector<std::string> parts = catches_around(function, step.node, step.span, source);
  std::set<std::string> said;
  for (std::string& part : cases_around(function, step.node, step.span, source, said)) parts.push_back(std::move(part));
  for (std::string& part : requirement_parts(requirements(guards, branch, source), source, limit, true)) {
    part = told_as_containers(std::move(part), function);
    if (said.contains(part)) continue;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  }
  cut_outer(parts);
  return parts;
}

std::string where_words(const Node& function, const Step& step, const SourceText& source, std::size_t limit) {
  return join_words(where_parts(function, step, source, limit));
}

}  // namespace lockstep::report
