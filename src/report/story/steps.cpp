#include "report/story/steps.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <unordered_map>

#include "base/find_text.h"
#include "base/hash.h"
#include "base/strings.h"
#include "change/node_hash.h"
#include "python/facts.h"
#include "python/main_check.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/expressions.h"
#include "rules/flow.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Tokens without layout: a formatter's work gives the same text.
std::string squeezed(const SourceText& source, Span span) {
  std::string out;
  for (const char c : one_line_whole(source, span)) {
    if (c != ' ') out += c;
  }
  return replace_all(out, ",)", ")");
}

class Flattener {
 public:
  /// `is_module`: leaves out what is an entity of its own (definitions, variables) and imports.
  explicit Flattener(const SourceText& source, bool is_module = false) : source_(source), is_module_(is_module) {}

  std::vector<Step> run(Seq<Stmt> body) {
    const Constant* docstring = docstring_of(body);
    block(docstring == nullptr ? body : body.subspan(1), 0, Step::kNone);
    if (is_module_) drop_empty_heads();
    return std::move(steps_);
  }

 private:
  std::size_t add(StepKind kind, const Node* node, Span span, int depth, std::size_t parent) {
    Step step;
    step.kind = kind;
    step.node = node;
    step.depth = depth;
    step.parent = parent;
    step.span = span;
    step.first_line = source_.line_of(span.begin);
    step.last_line = source_.line_of(span.end > span.begin ? span.end - 1 : span.begin);
    step.fingerprint = fingerprint(kind, *node, span);
    steps_.push_back(step);
    return steps_.size() - 1;
  }

  /// Statements and headers that CPython would read alike, parentheses and quotes aside, are alike; definitions by
  /// their text.
  [[nodiscard]] std::uint64_t fingerprint(StepKind kind, const Node& node, Span span) const {
    if (kind == StepKind::kIf) {
      return condition_fingerprint(*as<If>(&node), source_.slice(node.span).starts_with("elif"));
    }
    const bool is_simple = kind == StepKind::kPlain && !is<FunctionDef>(&node) && !is<ClassDef>(&node);
    const change::NodeHasher hasher(source_);
    std::uint64_t hash = static_cast<std::uint64_t>(kind);
    // What an assertion says where it fails is no part of what it asks.
    if (const auto* check = as<Assert>(&node)) return change::mix(hash, hasher.hash(check->test));
    if (is_simple) return change::mix(hasher.hash(&node), hash);
    if (kind == StepKind::kWhile) return change::mix(hash, hasher.hash(as<While>(&node)->condition));
    if (kind == StepKind::kMatch) return change::mix(hash, hasher.hash(as<Match>(&node)->subject));
    if (kind == StepKind::kFor && !as<For>(&node)->is_async) {
      hash = change::mix(hash, hasher.hash(as<For>(&node)->target));
      return change::mix(hash, hasher.hash(as<For>(&node)->iterable));
    }
    return hash64(squeezed(source_, span), static_cast<std::uint64_t>(kind));
  }

  /// `elif` is asked where others failed.
  [[nodiscard]] std::uint64_t condition_fingerprint(const If& branch, bool is_elif) const {
    const std::uint64_t hash = change::mix(static_cast<std::uint64_t>(StepKind::kIf), is_elif ? 1 : 0);
    return change::mix(hash, change::NodeHasher(source_).hash(branch.condition));
  }

  /// Whether a statement is a choice without `else:` none of whose branches goes on behind it: what follows runs where
  /// all its conditions failed, as an `elif` would.
  static bool leaves_where_it_holds(const Stmt& statement) {
    const auto* branch = as<If>(&statement);
    if (branch == nullptr || branch->body.empty() || !rules::ends_block(*branch->body.back())) return false;
    if (branch->orelse.empty()) return true;
    return branch->orelse.size() == 1 && leaves_where_it_holds(*branch->orelse.front());
  }

  /// From `begin` to before the first statement of `body`, without the comments between.
  Span header(std::uint32_t begin, std::uint32_t content_end, Seq<Stmt> body) {
    const std::uint32_t limit = body.empty() ? content_end : body.front()->span.begin;
    const std::size_t colon = source_.bytes().find(':', content_end);
    if (colon != std::string_view::npos && colon < limit) return {begin, static_cast<std::uint32_t>(colon) + 1};
    return {begin, std::max(begin, content_end)};
  }

  /// The line of `else:` / `finally:` before `body`, found backwards from its first statement.
  Span keyword_before(std::string_view keyword, std::uint32_t from, Seq<Stmt> body) {
    const std::uint32_t end = body.front()->span.begin;
    const std::string_view gap = source_.bytes().substr(from, end - from);
    const std::size_t at = gap.rfind(keyword);
    if (at == std::string_view::npos) return {end, end};
    return {from + static_cast<std::uint32_t>(at), from + static_cast<std::uint32_t>(at + keyword.size()) + 1};
  }

  void block(Seq<Stmt> body, int depth, std::size_t parent) {
    const Stmt* previous = nullptr;
    for (const Stmt* statement : body) {
      const std::size_t at = steps_.size();
      one(*statement, depth, parent, false);
      const auto* branch = previous != nullptr && leaves_where_it_holds(*previous) ? as<If>(statement) : nullptr;
      if (branch != nullptr && at < steps_.size()) steps_[at].as_elif = condition_fingerprint(*branch, true);
      previous = statement;
    }
  }

  void else_block(Seq<Stmt> body, const Node& owner, std::uint32_t from, int depth, std::size_t parent) {
    if (body.empty()) return;
    const std::size_t at = add(StepKind::kElse, &owner, keyword_before("else", from, body), depth, parent);
    block(body, depth + 1, at);
  }

  /// As in change/entities.cpp: what the block of a script (`if __name__ == "__main__":`) or a loop sets is no variable
  /// of the module.
  [[nodiscard]] bool is_told_elsewhere(const Stmt& statement, std::size_t parent) const {
    if (is<FunctionDef>(&statement) || is<ClassDef>(&statement) || is<Import>(&statement) ||
        is<ImportFrom>(&statement) || is<Pass>(&statement))
      return true;
    const auto* lone = as<ExprStmt>(&statement);
    if (lone != nullptr && is<Constant>(lone->value)) return true;
    const Expr* target = nullptr;
    if (const auto* annotated = as<AnnAssign>(&statement)) target = annotated->target;
    if (const auto* assign = as<Assign>(&statement)) target = assign->targets.front();
    if (target == nullptr || !is<Name>(target)) return false;
    for (std::size_t at = parent; at != Step::kNone; at = steps_[at].parent) {
      if (steps_[at].kind == StepKind::kFor || steps_[at].kind == StepKind::kWhile) return false;
      const auto* branch = as<If>(steps_[at].node);
      if (branch != nullptr && is_main_check(*branch->condition)) return false;
    }
    return true;
  }

  /// Branches in which nothing is left are no steps.
  void drop_empty_heads() {
    std::vector<bool> keeps(steps_.size());
    for (std::size_t i = steps_.size(); i-- > 0;) {
      keeps[i] = keeps[i] || steps_[i].kind == StepKind::kPlain;
      if (!keeps[i]) continue;
      if (steps_[i].parent != Step::kNone) keeps[steps_[i].parent] = true;
      // What an `else:` is about stands before it.
      for (std::size_t at = i;
           at-- > 0 && (steps_[i].kind == StepKind::kElse || steps_[i].is_elif || steps_[i].kind == StepKind::kExcept ||
                        steps_[i].kind == StepKind::kFinally);) {
        if (steps_[at].depth != steps_[i].depth || steps_[at].parent != steps_[i].parent) continue;
        keeps[at] = true;
        break;
      }
    }
    std::vector<std::size_t> moved(steps_.size(), Step::kNone);
    std::vector<Step> kept;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!keeps[i]) continue;
      moved[i] = kept.size();
      kept.push_back(std::move(steps_[i]));
      if (kept.back().parent != Step::kNone) kept.back().parent = moved[kept.back().parent];
    }
    steps_ = std::move(kept);
  }

  void one(const Stmt& statement, int depth, std::size_t parent, bool is_elif) {
    if (steps_.size() >= kMaxSteps || (is_module_ && is_told_elsewhere(statement, parent))) return;
    const std::uint32_t begin = statement.span.begin;
    if (const auto* branch = as<If>(&statement)) {
      const std::size_t at =
          add(StepKind::kIf, branch, header(begin, branch->condition->span.end, branch->body), depth, parent);
      steps_[at].is_elif = is_elif;
      block(branch->body, depth + 1, at);
      const auto* next = branch->orelse.size() == 1 ? as<If>(branch->orelse.front()) : nullptr;
      if (next != nullptr && source_.slice(next->span).starts_with("elif")) {
        one(*next, depth, parent, true);
      } else {
        else_block(branch->orelse, *branch, branch->body.empty() ? begin : branch->body.back()->span.end, depth,
                   parent);
      }
    } else if (const auto* each = as<For>(&statement)) {
      const std::size_t at =
          add(StepKind::kFor, each, header(begin, each->iterable->span.end, each->body), depth, parent);
      block(each->body, depth + 1, at);
      else_block(each->orelse, *each, each->body.empty() ? begin : each->body.back()->span.end, depth, parent);
    } else if (const auto* loop = as<While>(&statement)) {
      const std::size_t at =
          add(StepKind::kWhile, loop, header(begin, loop->condition->span.end, loop->body), depth, parent);
      block(loop->body, depth + 1, at);
      else_block(loop->orelse, *loop, loop->body.empty() ? begin : loop->body.back()->span.end, depth, parent);
    } else if (const auto* with = as<With>(&statement)) {
      const std::uint32_t end = with->items.empty() ? begin : with->items.back()->span.end;
      const std::size_t at = add(StepKind::kWith, with, header(begin, end, with->body), depth, parent);
      block(with->body, depth + 1, at);
    } else if (const auto* attempt = as<Try>(&statement)) {
      try_statement(*attempt, depth, parent);
    } else if (const auto* match = as<Match>(&statement)) {
      const std::size_t at = add(StepKind::kMatch, match, header(begin, match->subject->span.end, {}), depth, parent);
      for (const MatchCase* one_case : match->cases) {
        const std::uint32_t end = one_case->guard != nullptr ? one_case->guard->span.end : one_case->pattern->span.end;
        const std::size_t inner =
            add(StepKind::kCase, one_case, header(one_case->span.begin, end, one_case->body), depth + 1, at);
        block(one_case->body, depth + 2, inner);
      }
    } else {
      add(StepKind::kPlain, &statement, statement.span, depth, parent);
    }
  }

  void try_statement(const Try& attempt, int depth, std::size_t parent) {
    const std::uint32_t begin = attempt.span.begin;
    const std::size_t at = add(StepKind::kTry, &attempt, {begin, begin + 4}, depth, parent);
    block(attempt.body, depth + 1, at);
    std::uint32_t last = attempt.body.empty() ? begin : attempt.body.back()->span.end;
    for (const ExceptHandler* handler : attempt.handlers) {
      const std::uint32_t end = handler->name.text.empty()
                                    ? (handler->type != nullptr ? handler->type->span.end : handler->span.begin + 6)
                                    : handler->name.span.end;
      const std::size_t inner =
          add(StepKind::kExcept, handler, header(handler->span.begin, end, handler->body), depth, parent);
      block(handler->body, depth + 1, inner);
      last = handler->span.end;
    }
    else_block(attempt.orelse, attempt, last, depth, parent);
    if (!attempt.orelse.empty()) last = attempt.orelse.back()->span.end;
    if (!attempt.finally_body.empty()) {
      const std::size_t inner =
          add(StepKind::kFinally, &attempt, keyword_before("finally", last, attempt.finally_body), depth, parent);
      block(attempt.finally_body, depth + 1, inner);
    }
  }

  const SourceText& source_;
  bool is_module_;
  std::vector<Step> steps_;
};

void pair_up(std::vector<Step>& before, std::size_t b, std::vector<Step>& after, std::size_t a, StepStatus status) {
  before[b].status = after[a].status = status;
  before[b].partner = a;
  after[a].partner = b;
}

/// Whether two steps are one: of the same words, or an `elif` and an `if` that is asked in the same cases.
bool is_same(const Step& before, const Step& after) {
  if (before.fingerprint == after.fingerprint) return true;
  return (before.is_elif && after.as_elif == before.fingerprint) ||
         (after.is_elif && before.as_elif == after.fingerprint);
}

/// Heads of branches, loops and definitions that stand once among the steps.
std::vector<bool> single_heads(const std::vector<Step>& steps) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const Step& step : steps) ++counts[step.fingerprint];
  std::vector<bool> out;
  for (const Step& step : steps) {
    const bool is_head = step.kind == StepKind::kIf || step.kind == StepKind::kFor || step.kind == StepKind::kWhile ||
                         is<FunctionDef>(step.node);
    out.push_back(is_head && counts[step.fingerprint] == 1);
  }
  return out;
}

/// Common subsequence of before[b0, b1) and after[a0, a1) of the greatest weight, what both ends share cut off first.
/// Heads that stand once on both sides weigh most: a new branch that does much of what the next one does is not that
/// one. kMaxSteps on both sides make a table of 32 MB at most.
void align(std::vector<Step>& before, std::vector<Step>& after) {
  std::size_t b0 = 0;
  std::size_t a0 = 0;
  std::size_t b1 = before.size();
  std::size_t a1 = after.size();
  const auto same = [&](std::size_t b, std::size_t a) { return is_same(before[b], after[a]); };
  while (b0 < b1 && a0 < a1 && same(b0, a0)) pair_up(before, b0++, after, a0++, StepStatus::kKept);
  while (b1 > b0 && a1 > a0 && same(b1 - 1, a1 - 1)) pair_up(before, --b1, after, --a1, StepStatus::kKept);
  const std::vector<bool> heads_before = single_heads(before);
  const std::vector<bool> heads_after = single_heads(after);
  constexpr std::uint16_t kWeightOfHead = 12;
  const auto with = [&](std::size_t b, std::size_t a, std::uint16_t rest) {
    return static_cast<std::uint16_t>(rest + (heads_before[b] && heads_after[a] ? kWeightOfHead : 1));
  };
  const std::size_t width = a1 - a0 + 1;
  std::vector<std::uint16_t> table((b1 - b0 + 1) * width, 0);
  for (std::size_t b = b1; b-- > b0;) {
    for (std::size_t a = a1; a-- > a0;) {
      std::uint16_t& cell = table[(b - b0) * width + (a - a0)];
      const std::uint16_t down = table[(b + 1 - b0) * width + (a - a0)];
      const std::uint16_t right = table[(b - b0) * width + (a + 1 - a0)];
      cell = std::max(down, right);
      if (same(b, a)) cell = std::max(cell, with(b, a, table[(b + 1 - b0) * width + (a + 1 - a0)]));
    }
  }
  std::size_t b = b0;
  std::size_t a = a0;
  while (b < b1 && a < a1) {
    const std::uint16_t here = table[(b - b0) * width + (a - a0)];
    if (same(b, a) && here == with(b, a, table[(b + 1 - b0) * width + (a + 1 - a0)])) {
      pair_up(before, b++, after, a++, StepStatus::kKept);
    } else if (table[(b + 1 - b0) * width + (a - a0)] >= table[(b - b0) * width + (a + 1 - a0)]) {
      before[b++].status = StepStatus::kRemoved;
    } else {
      after[a++].status = StepStatus::kAdded;
    }
  }
  for (; b < b1; ++b) before[b].status = StepStatus::kRemoved;
  for (; a < a1; ++a) after[a].status = StepStatus::kAdded;
}

/// What a statement is about: the assigned target, the callee, the returned thing, the raised class.
std::string subject_of(const Step& step, const SourceText& source) {
  if (step.kind != StepKind::kPlain) return {};
  if (const auto* assign = as<Assign>(step.node)) return "=" + squeezed(source, assign->targets.front()->span);
  if (const auto* annotated = as<AnnAssign>(step.node)) return "=" + squeezed(source, annotated->target->span);
  if (const auto* added = as<AugAssign>(step.node)) return "=" + squeezed(source, added->target->span);
  if (is<Return>(step.node)) return "return";
  if (is<Raise>(step.node)) return "raise";
  if (const auto* definition = as<FunctionDef>(step.node)) return "def" + std::string(definition->name.text);
  if (const auto* definition = as<ClassDef>(step.node)) return "class" + std::string(definition->name.text);
  if (const auto* expression = as<ExprStmt>(step.node)) {
    const auto* awaited = as<Await>(expression->value);
    const auto* call = as<Call>(awaited != nullptr ? awaited->value : expression->value);
    if (call != nullptr) return "(" + squeezed(source, call->callee->span);
  }
  return {};
}

/// Share of common bigrams, 0 to 1: cheap and blind to order, enough to tell an edit from another statement.
double similarity(const std::string& a, const std::string& b) {
  if (a.size() < 2 || b.size() < 2 || a.size() > 4000 || b.size() > 4000) return a == b ? 1.0 : 0.0;
  std::vector<std::uint16_t> left;
  std::vector<std::uint16_t> right;
  const auto bigrams = [](const std::string& text, std::vector<std::uint16_t>& out) {
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      out.push_back(static_cast<std::uint16_t>(static_cast<unsigned char>(text[i]) << 8 |
                                               static_cast<unsigned char>(text[i + 1])));
    }
    std::sort(out.begin(), out.end());
  };
  bigrams(a, left);
  bigrams(b, right);
  std::vector<std::uint16_t> both;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
  return 2.0 * static_cast<double>(both.size()) / static_cast<double>(left.size() + right.size());
}

const Expr* value_of(const Step& step) {
  if (const auto* assign = as<Assign>(step.node)) return assign->value;
  if (const auto* annotated = as<AnnAssign>(step.node)) return annotated->value;
  if (const auto* added = as<AugAssign>(step.node)) return added->value;
  return nullptr;
}

/// Identifiers, numbers and strings whole, everything else by character; white space and comments left out.
std::vector<std::string_view> tokens_of(std::string_view text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<signed char>(c) < 0;
  };
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text[i] == '#') {
      while (end < text.size() && text[end] != '\n') ++end;
    } else if (text[i] == '"' || text[i] == '\'') {
      while (end < text.size() && text[end] != text[i]) end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (is_word(text[i])) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    const bool counts = text[i] != '#' && text[i] != ' ' && text[i] != '\n' && text[i] != '\t' && text[i] != '\r';
    if (counts) out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

bool is_name(std::string_view token) {
  return !token.empty() && (std::isalpha(static_cast<unsigned char>(token.front())) != 0 || token.front() == '_');
}

/// What the steps of one status of a function are about: a call or a variable that the other side still, or already,
/// has is no edit of another one.
using Subjects = std::set<std::string>;

Subjects subjects_of(const std::vector<Step>& steps, const SourceText& source, StepStatus status) {
  Subjects out;
  for (const Step& step : steps) {
    std::string subject = step.status == status ? subject_of(step, source) : std::string();
    if (subject.starts_with('=') || subject.starts_with('(')) out.insert(std::move(subject));
  }
  return out;
}

/// Whether two statements set different things to one constant: `self.total += 1` is an edit of `self.count += 1` only
/// where the files know each name on one side alone.
bool are_two_constants(const Step& b, const SourceText& before_source, const Step& a, const SourceText& after_source) {
  const Expr* was = value_of(b);
  const Expr* is_now = value_of(a);
  if (was == nullptr || is_now == nullptr || !is<Constant>(was) || !is<Constant>(is_now)) return false;
  const auto renamed = renamed_words(b, before_source, a, after_source);
  return std::any_of(renamed.begin(), renamed.end(), [&](const auto& pair) {
    return find_name(after_source.bytes(), pair.first) != std::string_view::npos ||
           find_name(before_source.bytes(), pair.second) != std::string_view::npos;
  });
}

bool is_edit(const Step& b, const SourceText& before_source, const Subjects& gone, const Step& a,
             const SourceText& after_source, const Subjects& come) {
  if (b.kind != a.kind || b.is_elif != a.is_elif) return false;
  const std::string before = squeezed(before_source, b.span);
  const std::string after = squeezed(after_source, a.span);
  const std::string subject = subject_of(b, before_source);
  const std::string now = subject_of(a, after_source);
  if (!subject.empty() && subject == now) return true;
  // Each has its own counterpart.
  if (come.contains(subject) || gone.contains(now)) return false;
  if (are_two_constants(b, before_source, a, after_source)) return false;
  if (!renamed_words(b, before_source, a, after_source).empty()) return true;
  // Another variable that is set to another value is another statement, however alike the names are.
  const Expr* old_value = value_of(b);
  const Expr* new_value = value_of(a);
  if (subject.starts_with("=") && now.starts_with("=") && old_value != nullptr && new_value != nullptr &&
      similarity(squeezed(before_source, old_value->span), squeezed(after_source, new_value->span)) < 0.75)
    return false;
  return similarity(before, after) >= 0.6;
}

/// Whether one call stands where another one stood: neither has its counterpart elsewhere.
bool is_other_call(const Step& b, const SourceText& before_source, const Subjects& gone, const Step& a,
                   const SourceText& after_source, const Subjects& come) {
  const std::string was = subject_of(b, before_source);
  const std::string now = subject_of(a, after_source);
  return was.starts_with('(') && now.starts_with('(') && b.depth == a.depth && !come.contains(was) &&
         !gone.contains(now);
}

/// Whether both are the head of one loop (`while`, or `for` with one target) or branch, the body of which begins with
/// what is kept: a loop over something else is that loop, and a branch that asks something else that branch, however
/// little the two heads have in common.
bool is_head_of_kept(const std::vector<Step>& before, const SourceText& before_source, std::size_t b,
                     const std::vector<Step>& after, const SourceText& after_source, std::size_t a) {
  if (before[b].kind != after[a].kind || b + 1 >= before.size() || a + 1 >= after.size()) return false;
  const Step& old_first = before[b + 1];
  const Step& new_first = after[a + 1];
  if (old_first.status != StepStatus::kKept || old_first.partner != a + 1 || old_first.depth != before[b].depth + 1 ||
      new_first.depth != after[a].depth + 1)
    return false;
  if (before[b].kind == StepKind::kWhile) return true;
  if (before[b].kind == StepKind::kIf) return before[b].is_elif == after[a].is_elif && tells_itself(old_first);
  const auto* was = as<For>(before[b].node);
  const auto* is_now = as<For>(after[a].node);
  return before[b].kind == StepKind::kFor && was != nullptr && is_now != nullptr &&
         squeezed(before_source, was->target->span) == squeezed(after_source, is_now->target->span);
}

/// Between two kept steps, a removed and an added step that are about the same thing are one changed step.
void match_edits(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                 const SourceText& after_source) {
  const Subjects gone = subjects_of(before, before_source, StepStatus::kRemoved);
  const Subjects come = subjects_of(after, after_source, StepStatus::kAdded);
  std::size_t b = 0;
  std::size_t a = 0;
  while (b < before.size() || a < after.size()) {
    if (b < before.size() && before[b].status == StepStatus::kKept && a < after.size() &&
        after[a].status == StepStatus::kKept) {
      ++b;
      ++a;
      continue;
    }
    const std::size_t b0 = b;
    const std::size_t a0 = a;
    while (b < before.size() && before[b].status == StepStatus::kRemoved) ++b;
    while (a < after.size() && after[a].status == StepStatus::kAdded) ++a;
    if (b == b0 && a == a0) break;  // Cannot happen: kept steps come in pairs, in order.
    if ((b - b0) * (a - a0) > 40'000) continue;
    if (b - b0 == 1 && a - a0 == 1 && is_other_call(before[b0], before_source, gone, after[a0], after_source, come)) {
      pair_up(before, b0, after, a0, StepStatus::kChanged);
      continue;
    }
    std::size_t next = a0;
    for (std::size_t i = b0; i < b; ++i) {
      for (std::size_t j = next; j < a; ++j) {
        if (!is_edit(before[i], before_source, gone, after[j], after_source, come) &&
            !is_head_of_kept(before, before_source, i, after, after_source, j))
          continue;
        pair_up(before, i, after, j, StepStatus::kChanged);
        next = j + 1;
        break;
      }
    }
  }
}

/// Steps of [from + 1, its end) with this status that nothing has been found for, as copies; `places` says where they
/// stand.
std::vector<Step> unmatched_inside(const std::vector<Step>& steps, std::size_t from, StepStatus status,
                                   std::vector<std::size_t>& places) {
  std::vector<Step> out;
  for (std::size_t i = from + 1; i < end_of(steps, from); ++i) {
    if (steps[i].status != status || steps[i].is_moved) continue;
    out.push_back(steps[i]);
    places.push_back(i);
  }
  return out;
}

/// What stands in a branch or loop that moves moves with it, ways out, too; what is similar there is changed.
void move_along(std::vector<Step>& before, const SourceText& before_source, std::size_t from, std::vector<Step>& after,
                const SourceText& after_source, std::size_t to) {
  std::vector<std::size_t> old_places;
  std::vector<std::size_t> new_places;
  std::vector<Step> was = unmatched_inside(before, from, StepStatus::kRemoved, old_places);
  std::vector<Step> now = unmatched_inside(after, to, StepStatus::kAdded, new_places);
  align(was, now);
  match_edits(was, before_source, now, after_source);
  for (std::size_t i = 0; i < was.size(); ++i) {
    if (was[i].partner == Step::kNone) continue;
    Step& old_step = before[old_places[i]];
    Step& new_step = after[new_places[was[i].partner]];
    if (was[i].status == StepStatus::kChanged) old_step.status = new_step.status = StepStatus::kChanged;
    old_step.is_moved = new_step.is_moved = true;
    old_step.partner = new_places[was[i].partner];
    new_step.partner = old_places[i];
  }
}

/// A removed step and an added one of the same words are one step that stands elsewhere now. Of several alike none is
/// told apart.
void match_moves(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                 const SourceText& after_source) {
  const auto index = [](const std::vector<Step>& steps, StepStatus status) {
    std::map<std::uint64_t, std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].status == status && tells_itself(steps[i])) out[steps[i].fingerprint].push_back(i);
    }
    return out;
  };
  const auto added = index(after, StepStatus::kAdded);
  for (const auto& [fingerprint, places] : index(before, StepStatus::kRemoved)) {
    const auto match = added.find(fingerprint);
    if (places.size() != 1 || match == added.end() || match->second.size() != 1) continue;
    Step& from = before[places.front()];
    from.is_moved = after[match->second.front()].is_moved = true;
    from.partner = match->second.front();
    after[match->second.front()].partner = places.front();
    move_along(before, before_source, places.front(), after, after_source, match->second.front());
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> renamed_words(const Step& before, const SourceText& before_source,
                                                               const Step& after, const SourceText& after_source) {
  const std::vector<std::string_view> old_tokens = tokens_of(before_source.slice(before.span));
  const std::vector<std::string_view> new_tokens = tokens_of(after_source.slice(after.span));
  if (before.kind != after.kind || old_tokens.size() != new_tokens.size()) return {};
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < old_tokens.size(); ++i) {
    if (old_tokens[i] == new_tokens[i]) continue;
    if (!is_name(old_tokens[i]) || !is_name(new_tokens[i])) return {};
    std::pair<std::string, std::string> pair{old_tokens[i], new_tokens[i]};
    if (std::find(out.begin(), out.end(), pair) == out.end()) out.push_back(std::move(pair));
  }
  // Two short statements of the same form are no edit of one another.
  return out.size() * 4 <= old_tokens.size() ? out : std::vector<std::pair<std::string, std::string>>{};
}

std::vector<Step> steps_of(Seq<Stmt> body, const SourceText& source) { return Flattener(source).run(body); }

void compare_steps(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                   const SourceText& after_source) {
  align(before, after);
  match_edits(before, before_source, after, after_source);
  match_moves(before, before_source, after, after_source);
}

bool tells_itself(const Step& step) {
  const Node* node = step.node;
  const bool is_way_out =
      is<Return>(node) || is<Continue>(node) || is<Break>(node) || is<Pass>(node) || is<Raise>(node);
  return step.kind == StepKind::kIf || (step.kind == StepKind::kPlain && !is_way_out);
}

bool is_moved_whole(const std::vector<Step>& steps, std::size_t index) {
  for (std::size_t i = index; i < end_of(steps, index); ++i) {
    if (!steps[i].is_moved || steps[i].status == StepStatus::kChanged) return false;
  }
  return true;
}

std::size_t StepComparison::changed_after() const {
  return static_cast<std::size_t>(
      std::count_if(after.begin(), after.end(), [](const Step& s) { return s.status != StepStatus::kKept; }));
}

std::size_t StepComparison::removed_before() const {
  return static_cast<std::size_t>(
      std::count_if(before.begin(), before.end(), [](const Step& s) { return s.status == StepStatus::kRemoved; }));
}

StepComparison compare_functions(const Node* before, const SourceText* before_source, const Node* after,
                                 const SourceText* after_source) {
  StepComparison out;
  out.before_source = before_source;
  out.after_source = after_source;
  const auto steps = [](const Node& node, const SourceText& source) {
    return Flattener(source, is<Module>(&node)).run(body_of(&node));
  };
  if (before != nullptr) out.before = steps(*before, *before_source);
  if (after != nullptr) out.after = steps(*after, *after_source);
  if (before == nullptr) {
    for (Step& step : out.after) step.status = StepStatus::kAdded;
  } else if (after == nullptr) {
    for (Step& step : out.before) step.status = StepStatus::kRemoved;
  } else {
    compare_steps(out.before, *before_source, out.after, *after_source);
  }
  return out;
}

namespace {

/// Of what went from a branch that moved: behind what stood before it there; `otherwise` where nothing around it moved.
std::size_t point_inside_moved(const StepComparison& steps, std::size_t index, std::size_t otherwise) {
  std::size_t around = steps.before[index].parent;
  while (around != Step::kNone && !steps.before[around].is_moved) around = steps.before[around].parent;
  if (around == Step::kNone) return otherwise;
  std::size_t at = index;
  while (at > around && !steps.before[at].is_moved) --at;
  return steps.before[at].partner + 1;
}

}  // namespace

std::vector<std::size_t> removal_points(const StepComparison& steps) {
  std::vector<std::size_t> points(steps.before.size(), Step::kNone);
  std::size_t next = 0;
  for (std::size_t i = 0; i < steps.before.size(); ++i) {
    const Step& step = steps.before[i];
    if (step.status == StepStatus::kRemoved) {
      points[i] = step.is_moved ? next : point_inside_moved(steps, i, next);
    } else if (step.partner != Step::kNone && !step.is_moved) {
      next = step.partner + 1;
    }
  }
  return points;
}

std::size_t end_of(const std::vector<Step>& steps, std::size_t index) {
  std::size_t end = index + 1;
  while (end < steps.size() && steps[end].depth > steps[index].depth) ++end;
  return end;
}

bool are_alternatives(const std::vector<Step>& steps, std::size_t one, std::size_t other) {
  const auto blocks = [&](std::size_t at) {
    std::vector<std::size_t> out;
    for (std::size_t up = steps[at].parent; up != Step::kNone; up = steps[up].parent) out.insert(out.begin(), up);
    return out;
  };
  const std::vector<std::size_t> first = blocks(std::min(one, other));
  const std::vector<std::size_t> second = blocks(std::max(one, other));
  std::size_t same = 0;
  while (same < first.size() && same < second.size() && first[same] == second[same]) ++same;
  if (same == first.size() || same == second.size()) return false;
  if (steps[first[same]].kind == StepKind::kCase) return steps[second[same]].kind == StepKind::kCase;
  if (steps[first[same]].kind != StepKind::kIf) return false;
  for (std::size_t i = end_of(steps, first[same]); i <= second[same] && i < steps.size(); i = end_of(steps, i)) {
    const bool goes_on = steps[i].kind == StepKind::kElse || (steps[i].kind == StepKind::kIf && steps[i].is_elif);
    if (!goes_on) return false;
    if (i == second[same]) return true;
  }
  return false;
}

bool only_refuses(const std::vector<Step>& steps, std::size_t index) {
  const Step& step = steps[index];
  const auto refuses = [](const Step& one) { return is<Raise>(one.node) || is<Assert>(one.node); };
  if (step.kind == StepKind::kPlain) return refuses(step);
  if (step.kind != StepKind::kIf) return false;
  const std::size_t end = end_of(steps, index);
  return end > index + 1 && refuses(steps[end - 1]) && end - index <= 3;
}

bool only_logs(const std::vector<Step>& steps, std::size_t index) {
  bool logs = false;
  for (std::size_t i = index; i < end_of(steps, index); ++i) {
    if (steps[i].kind != StepKind::kPlain) continue;
    const auto* statement = as<ExprStmt>(steps[i].node);
    if (statement == nullptr || !rules::is_log_call(statement->value)) return false;
    logs = true;
  }
  return logs;
}

bool has_change_inside(const std::vector<Step>& steps, std::size_t index) {
  for (std::size_t i = index; i < end_of(steps, index); ++i) {
    if (steps[i].status == StepStatus::kAdded || steps[i].status == StepStatus::kChanged) return true;
  }
  return false;
}

}  // namespace lockstep::report
