#include "change/arms.h"

namespace lockstep::change {

using namespace python;  // NOLINT: this file is about python's nodes.

namespace {

Span from_to(const Node& first, const Node& last) { return {first.span.begin, last.span.end}; }

/// An arm without a header starts at the end of what stands before it; its first statement is the nearest known place.
void add_bare(std::vector<Arm>& arms, std::string_view keyword, Seq<Stmt> block) {
  if (block.empty()) return;
  arms.push_back({keyword, {}, Span{block[0]->span.begin, block[0]->span.begin}, false, block});
}

void add_if(std::vector<Arm>& arms, const If& first) {
  const If* at = &first;
  std::string_view keyword = "if";
  while (true) {
    arms.push_back({keyword, {at->condition}, at->condition->span, false, at->body});
    // `else:` with one `if` inside is the same tree as `elif`, but the inner `if` then starts with its own keyword.
    const If* next = at->orelse.size() == 1 ? as<If>(at->orelse[0]) : nullptr;
    if (next == nullptr) break;
    at = next;
    keyword = "elif";
  }
  add_bare(arms, "else", at->orelse);
}

void add_try(std::vector<Arm>& arms, const Try& statement) {
  arms.push_back({"try", {}, Span{statement.span.begin, statement.span.begin}, false, statement.body});
  for (const ExceptHandler* handler : statement.handlers) {
    Arm arm{"except", {}, Span{handler->span.begin, handler->span.begin}, false, handler->body};
    if (handler->type != nullptr) {
      arm.header.push_back(handler->type);
      arm.header_span = handler->type->span;
    }
    arms.push_back(arm);
  }
  add_bare(arms, "else", statement.orelse);
  add_bare(arms, "finally", statement.finally_body);
}

void add_match(std::vector<Arm>& arms, const Match& statement) {
  arms.push_back({"match", {statement.subject}, statement.subject->span, false, {}});
  for (const MatchCase* one : statement.cases) {
    Arm arm{"case", {one->pattern}, one->pattern->span, false, one->body};
    if (one->guard != nullptr) {
      arm.header.push_back(one->guard);
      arm.header_span = from_to(*one->pattern, *one->guard);
    }
    arms.push_back(arm);
  }
}

}  // namespace

bool is_compound(const Stmt& statement) {
  switch (statement.kind) {
    case NodeKind::kIf:
    case NodeKind::kFor:
    case NodeKind::kWhile:
    case NodeKind::kWith:
    case NodeKind::kTry:
    case NodeKind::kMatch:
      return true;
    default:
      return false;
  }
}

std::vector<Arm> arms_of(const Stmt& statement) {
  std::vector<Arm> arms;
  if (const auto* branch = as<If>(&statement)) {
    add_if(arms, *branch);
  } else if (const auto* each = as<For>(&statement)) {
    arms.push_back(
        {"for", {each->target, each->iterable}, from_to(*each->target, *each->iterable), each->is_async, each->body});
    add_bare(arms, "else", each->orelse);
  } else if (const auto* loop = as<While>(&statement)) {
    arms.push_back({"while", {loop->condition}, loop->condition->span, false, loop->body});
    add_bare(arms, "else", loop->orelse);
  } else if (const auto* with = as<With>(&statement)) {
    Arm arm{"with", {}, Span{with->span.begin, with->span.begin}, with->is_async, with->body};
    if (!with->items.empty()) arm.header_span = from_to(*with->items.front(), *with->items.back());
    for (const WithItem* item : with->items) arm.header.push_back(item);
    arms.push_back(arm);
  } else if (const auto* attempt = as<Try>(&statement)) {
    add_try(arms, *attempt);
  } else if (const auto* match = as<Match>(&statement)) {
    add_match(arms, *match);
  }
  return arms;
}

}  // namespace lockstep::change
