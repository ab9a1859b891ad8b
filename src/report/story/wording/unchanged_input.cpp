#include "report/story/wording/unchanged_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/local_values.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the call can neither change what it is given nor do anything that is seen later.
bool only_asks(const Call& call) {
  constexpr std::string_view kFunctions[] = {"isinstance", "len", "hasattr", "getattr", "bool", "int", "max", "min"};
  constexpr std::string_view kMethods[] = {"size", "dim", "numel", "is_contiguous", "get"};
  const auto is_among = [](std::string_view name, const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  if (const auto* name = as<Name>(call.callee)) return is_among(name->id, kFunctions);
  const auto* method = as<Attribute>(call.callee);
  return method != nullptr && is_among(method->name.text, kMethods);
}

/// Whether nothing in `node` does more than read: no call but of these, no value kept by `:=`.
bool only_reads(const Node& node) {
  bool out = true;
  const auto look = [&](const Node* one) {
    const auto* call = as<Call>(one);
    if ((call != nullptr && !only_asks(*call)) || is<NamedExpr>(one) || is<Yield>(one) || is<YieldFrom>(one) ||
        is<Await>(one))
      out = false;
  };
  look(&node);
  walk(node, Nested::kEnter, look);
  return out;
}

/// The local that the statement sets, where it only reads otherwise; empty for all others.
std::string_view local_set_by(const Stmt& statement) {
  const auto* assign = as<Assign>(&statement);
  if (assign == nullptr || assign->targets.size() != 1 || !only_reads(*assign->value)) return {};
  return rules::name_of(assign->targets.front());
}

bool is_docstring(const Stmt& statement) {
  const auto* expression = as<ExprStmt>(&statement);
  return expression != nullptr && is<Constant>(expression->value);
}

bool is_set_in(const If& branch, std::string_view name) {
  bool out = false;
  for (const Stmt* statement : branch.body) {
    walk_of<Name>(*statement, Nested::kSkip,
                  [&](const Name* one) { out = out || (one->id == name && one->context == ExprContext::kStore); });
  }
  return out;
}

/// What the function returns at its end: the elements of a tuple, else the one value.
std::vector<const Expr*> returned(const Return& end) {
  if (end.value == nullptr) return {};
  const auto* tuple = as<Tuple>(end.value);
  if (tuple == nullptr) return {end.value};
  return {tuple->elements.begin(), tuple->elements.end()};
}

/// Each part of `a and b` in words.
std::string words_of_parts(const Expr& condition, const SourceText& source) {
  const auto* both = as<BoolOp>(&condition);
  if (both == nullptr || both->op != BoolOperator::kAnd) return condition_words(condition, source);
  std::vector<std::string> parts;
  for (const Expr* one : both->values) {
    const std::string words = condition_words(*one, source);
    parts.push_back(is<BoolOp>(one) ? fmt::format("({})", words) : words);
  }
  return join_words(parts);
}

/// The condition in words; what a local stands for in its place, where that is not too long.
std::string words_of_condition(const FunctionDef& function, const Expr& condition, const SourceText& source) {
  constexpr std::size_t kLongest = 400;
  const std::string_view local = rules::name_of(&condition);
  const Expr* value = local.empty() ? nullptr : only_value_of(function, local);
  const auto is_whole = [](const std::string& words) {
    return !words.empty() && words.size() <= kLongest && words.find("\u2026") == std::string::npos;
  };
  if (value != nullptr) {
    std::string whole = words_of_parts(*value, source);
    if (is_whole(whole)) return whole;
  }
  std::string out = words_of_parts(condition, source);
  return is_whole(out) ? out : std::string();
}

}  // namespace

std::string unchanged_input_words(const WordsContext& context) {
  const FunctionDef* function =
      context.function.valid() ? context.program->functions()[context.function].def() : nullptr;
  if (function == nullptr || function->is_async) return {};
  const If* branch = nullptr;
  const Return* end = nullptr;
  std::vector<std::string_view> set;
  for (const Stmt* statement : function->body) {
    if (end != nullptr) return {};
    if (is_docstring(*statement)) continue;
    if (const auto* one = as<If>(statement)) {
      if (branch != nullptr || !one->orelse.empty() || !only_reads(*one->condition)) return {};
      branch = one;
    } else if (const auto* last = as<Return>(statement)) {
      end = last;
    } else {
      const std::string_view local = local_set_by(*statement);
      if (local.empty()) return {};
      set.push_back(local);
    }
  }
  if (branch == nullptr || end == nullptr || end->value == nullptr || !only_reads(*end->value)) return {};
  std::vector<std::string> kept;
  const std::vector<const Expr*> values = returned(*end);
  for (const Expr* value : values) {
    const std::string_view name = rules::name_of(value);
    const auto is_it = [&](const Parameter* one) { return one->name.text == name; };
    const bool is_given = !name.empty() && function->parameters != nullptr &&
                          std::any_of(function->parameters->all.begin(), function->parameters->all.end(), is_it);
    if (is_given && std::find(set.begin(), set.end(), name) == set.end() && is_set_in(*branch, name))
      kept.push_back(code(name));
  }
  const std::string condition =
      kept.empty() ? std::string() : words_of_condition(*function, *branch->condition, *context.source);
  if (condition.empty()) return {};
  const std::string_view state = kept.size() == 1 ? "as it was given" : "as they were given";
  return kept.size() == values.size() ? fmt::format(" It returns {} {} unless {}.", join_words(kept), state, condition)
                                      : fmt::format(" Of what it returns, {} {} {} unless {}.", join_words(kept),
                                                    kept.size() == 1 ? "is" : "are", state, condition);
}

}  // namespace lockstep::report
