#include "report/story/steps/steps.h"

#include <algorithm>

#include "base/hash.h"
#include "base/strings.h"
#include "change/node_hash.h"
#include "python/facts.h"
#include "python/main_check.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/flow.h"

namespace lockstep::report {

using namespace python;

std::string without_layout(const SourceText& source, Span span) {
  std::string out;
  for (const char c : one_line_whole(source, span)) {
    if (c != ' ') out += c;
  }
  return replace_all(out, ",)", ")");
}

const Expr* assigned_value(const Node* node, const Expr*& target) {
  if (const auto* assign = as<Assign>(node)) {
    target = assign->targets.front();
    return assign->value;
  }
  if (const auto* assign = as<AnnAssign>(node)) {
    target = assign->target;
    return assign->value;
  }
  return nullptr;
}

const Expr* value_of_step(const Step& step) {
  if (step.kind != StepKind::kPlain) return nullptr;
  const Expr* target = nullptr;
  if (const Expr* value = assigned_value(step.node, target)) return value;
  if (const auto* added = as<AugAssign>(step.node)) return added->value;
  if (const auto* back = as<Return>(step.node)) return back->value;
  const auto* dropped = as<ExprStmt>(step.node);
  return dropped == nullptr ? nullptr : dropped->value;
}

const Call* call_of_step(const Step& step) {
  const Expr* value = is<AugAssign>(step.node) ? nullptr : value_of_step(step);
  if (value == nullptr) return nullptr;
  const auto* awaited = as<Await>(value);
  return as<Call>(awaited != nullptr ? awaited->value : value);
}

namespace {

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
    const change::NodeHasher hasher = without_casts();
    std::uint64_t hash = static_cast<std::uint64_t>(kind);
    // What an assertion says where it fails is no part of what it asks.
    if (const auto* check = as<Assert>(&node)) return change::mix(hash, hasher.hash(check->test));
    if (is_simple) return change::mix(hasher.hash(&node), hash);
    if (kind == StepKind::kWhile) return change::mix(hash, hasher.hash(as<While>(&node)->condition));
    if (kind == StepKind::kMatch) return change::mix(hash, hasher.hash(as<Match>(&node)->subject));
    // The name of what is caught is a local.
    if (const auto* handler = as<ExceptHandler>(&node); handler != nullptr && handler->type != nullptr)
      return change::mix(hash, hasher.hash(handler->type));
    if (kind == StepKind::kFor && !as<For>(&node)->is_async) {
      hash = change::mix(hash, hasher.hash(as<For>(&node)->target));
      return change::mix(hash, hasher.hash(as<For>(&node)->iterable));
    }
    return hash64(without_layout(source_, span), static_cast<std::uint64_t>(kind));
  }

  /// What only tells a type checker something is no part of what a step does.
  [[nodiscard]] change::NodeHasher without_casts() const {
    change::LeaveOut leave_out;
    leave_out.casts = true;
    return change::NodeHasher(source_, leave_out);
  }

  /// `elif` is asked where others failed.
  [[nodiscard]] std::uint64_t condition_fingerprint(const If& branch, bool is_elif) const {
    const std::uint64_t hash = change::mix(static_cast<std::uint64_t>(StepKind::kIf), is_elif ? 1 : 0);
    return change::mix(hash, without_casts().hash(branch.condition));
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
    const auto is_name = [](const Expr* target) { return is<Name>(target); };
    const auto* annotated = as<AnnAssign>(&statement);
    const auto* assign = as<Assign>(&statement);
    const bool is_variable = annotated != nullptr ? is_name(annotated->target)
                                                  : assign != nullptr && std::all_of(assign->targets.begin(),
                                                                                     assign->targets.end(), is_name);
    if (!is_variable) return false;
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
      if (is_elif) steps_[at].as_if = condition_fingerprint(*branch, false);
      block(branch->body, depth + 1, at);
      const auto* next = branch->orelse.size() == 1 ? as<If>(branch->orelse.front()) : nullptr;
      if (next != nullptr && source_.slice(next->span).starts_with("elif")) {
        one(*next, depth, parent, true);
      } else {
        const std::size_t otherwise = steps_.size();
        else_block(branch->orelse, *branch, branch->body.empty() ? begin : branch->body.back()->span.end, depth,
                   parent);
        if (otherwise < steps_.size()) steps_[otherwise].is_after_elif = is_elif;
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

}  // namespace

std::vector<Step> steps_of(Seq<Stmt> body, const SourceText& source) { return Flattener(source).run(body); }

std::vector<Step> steps_of(const Node& definition, const SourceText& source) {
  return Flattener(source, is<Module>(&definition)).run(body_of(&definition));
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
    if (steps[i].kind != StepKind::kPlain || is<Import>(steps[i].node) || is<ImportFrom>(steps[i].node)) continue;
    const auto* statement = as<ExprStmt>(steps[i].node);
    if (statement == nullptr || !rules::is_log_call(statement->value)) return false;
    logs = true;
  }
  return logs;
}

bool only_checks(const std::vector<Step>& steps, std::size_t index,
                 const std::function<bool(const Attribute&)>& is_setting) {
  bool acts = false;
  for (std::size_t i = index + 1; i < end_of(steps, index); ++i) {
    if (steps[i].kind == StepKind::kIf) continue;
    const auto* statement = as<ExprStmt>(steps[i].node);
    const auto* assign = as<Assign>(steps[i].node);
    const auto* target = assign == nullptr ? nullptr : as<Attribute>(assign->targets.front());
    const bool switches = target != nullptr && is<Constant>(assign->value) && is_setting(*target);
    if (!is<Raise>(steps[i].node) && !is<Assert>(steps[i].node) && !switches &&
        (statement == nullptr || !rules::is_log_call(statement->value)))
      return false;
    acts = true;
  }
  return acts;
}

bool has_change_inside(const std::vector<Step>& steps, std::size_t index) {
  for (std::size_t i = index; i < end_of(steps, index); ++i) {
    if (steps[i].status == StepStatus::kAdded || steps[i].status == StepStatus::kChanged) return true;
  }
  return false;
}

}  // namespace lockstep::report
