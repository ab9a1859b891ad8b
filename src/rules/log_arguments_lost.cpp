// log-arguments-lost: `logger.warning("{} is gone", name)`: logging formats with %, so a text without a placeholder
// cannot take the arguments. The record is not written; an error is printed to stderr in its place. And a message with
// `{name}` of a variable at hand, whose quotes lack the `f`: in a log call, a raise, an assertion or a print. Of a text
// in parts (`f"rank {rank}: " "no {key}"`) each part needs its own `f`.
//
// Left out: texts that are not written in the call, and `%` in them that is no placeholder; texts in parts without any
// `f`.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/names.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "log-arguments-lost";
// Methods of logging.Logger that take a text and its arguments first.
constexpr auto kMethods =
    std::to_array<std::string_view>({"debug", "info", "warning", "error", "exception", "critical"});

bool is_logger(const Expr& expression) {
  const std::string_view name = name_of(&expression);
  if (name == "logger" || name == "logging" || name == "log" || name == "_logger" || name == "LOGGER") return true;
  return self_attribute(&expression) == "logger";
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// What stands between the first braces of the text; empty where a brace is doubled or none is closed.
std::string_view first_placeholder(std::string_view text) {
  const std::size_t open = text.find('{');
  const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
  if (close == std::string_view::npos || text.find("{{") != std::string_view::npos) return {};
  return text.substr(open + 1, close - open - 1);
}

/// The variable that an expression in braces starts with (`name`, `name.x`, `name[0]`, `name:.2f`), or joins
/// (`', '.join(name)`); empty for anything else.
std::string_view variable_of(std::string_view expression) {
  std::size_t from = 0;
  if (const std::size_t join = expression.find(".join("); join != std::string_view::npos) from = join + 6;
  std::size_t end = from;
  while (end < expression.size() && is_word(expression[end])) ++end;
  const std::string_view name = expression.substr(from, end - from);
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return {};
  constexpr std::string_view kAfterName = ".[:!=)";
  return end == expression.size() || kAfterName.find(expression[end]) != std::string_view::npos ? name
                                                                                                : std::string_view();
}

/// The text that a statement or call gives people to read; null where it gives none, or something fills it in later.
const Expr* message_of(const Node& node) {
  if (const auto* assertion = as<Assert>(&node)) return assertion->message;
  const auto* raised = as<Raise>(&node);
  const auto* call = raised != nullptr ? as<Call>(raised->exception) : as<Call>(&node);
  if (call == nullptr || call->arguments.size() != 1 || !call->keywords.empty()) return nullptr;
  if (raised != nullptr || name_of(call->callee) == "print") return call->arguments[0];
  const auto* method = as<Attribute>(call->callee);
  if (method == nullptr || !is_logger(*method->value)) return nullptr;
  const bool logs = std::find(kMethods.begin(), kMethods.end(), method->name.text) != kMethods.end();
  return logs ? call->arguments[0] : nullptr;
}

/// Where the quotes of the text that starts at `at` (on its first quote) end: behind the last one. A backslash keeps a
/// quote from ending it in raw texts too.
std::size_t end_of_text(std::string_view source, std::size_t at) {
  const std::string_view one = source.substr(at, 1);
  const std::string three = std::string(3, one[0]);
  const std::string_view quotes = source.substr(at, 3) == three ? source.substr(at, 3) : one;
  for (at += quotes.size(); at < source.size(); ++at) {
    if (source[at] == '\\') {
      ++at;
    } else if (source.substr(at, quotes.size()) == quotes) {
      return at + quotes.size();
    }
  }
  return source.size();
}

/// What stands in braces, a variable first, in a part without `f` of a text that has parts with it; empty where there
/// is none, or the source is anything but such parts.
std::string_view unfilled_part(std::string_view source) {
  constexpr std::string_view kBetween = " \t\r\n\\";
  for (std::size_t at = 0; at < source.size();) {
    if (kBetween.find(source[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    if (source[at] == '#') {
      at = std::min(source.find('\n', at), source.size());
      continue;
    }
    const std::size_t quote = source.find_first_of("'\"", at);
    if (quote == std::string_view::npos || quote - at > 2) return {};
    const std::string_view prefix = source.substr(at, quote - at);
    const bool is_filled = prefix.find_first_of("fF") != std::string_view::npos;
    const std::size_t end = end_of_text(source, quote);
    const std::string_view part = source.substr(quote, end - quote);
    // Quotes in the braces of an f-string may end it early for who only counts quotes: nothing after it is sure.
    if (is_filled && std::count(part.begin(), part.end(), '{') != std::count(part.begin(), part.end(), '}')) return {};
    const std::string_view placeholder = is_filled ? std::string_view() : first_placeholder(part);
    if (!variable_of(placeholder).empty()) return placeholder;
    at = end;
  }
  return {};
}

/// `raise ValueError("{name} is wrong")` where the function has a variable `name`.
void find_unfilled(const program::Program& program, const ScopeNames& names, program::FunctionId function,
                   std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  const FileFacts& facts = *program.modules()[row.module].facts;
  const auto scope = facts.scope_of_node.find(row.node);
  if (scope == facts.scope_of_node.end()) return;
  walk(*row.node, Nested::kSkip, [&](const Node* node) {
    const Expr* message = message_of(*node);
    if (message == nullptr) return;
    const bool is_part = is<JoinedStr>(message);
    const std::string_view placeholder =
        is_part ? unfilled_part(facts.source().bytes().substr(message->span.begin, message->span.size()))
                : first_placeholder(text_of(message));
    const std::string_view name = variable_of(placeholder);
    if (name.empty() || names.bindings(scope->second, name).empty()) return;
    hits.push_back(make_hit(
        program, kRule, row.module, message->span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
         is_part
             ? fmt::format("`{{{}}}` in this message is not filled in: this part of the text has no `f`", placeholder)
             : fmt::format("`{{{}}}` in this message is not filled in: the text is no f-string", name),
         "Whoever reads the message sees the braces, not the value.",
         is_part ? "Put an `f` before the quotes of that part too." : "Put an `f` before the opening quote."}));
  });
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const ScopeNames names(*program.modules()[module].facts);
  for (const program::FunctionId function : program.modules()[module].functions)
    find_unfilled(program, names, function, hits);
  const FileFacts& facts = *program.modules()[module].facts;
  walk_of<Call>(facts.tree(), Nested::kEnter, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    if (method == nullptr || call->arguments.size() < 2 || !is_logger(*method->value)) return;
    if (std::find(kMethods.begin(), kMethods.end(), method->name.text) == kMethods.end()) return;
    const std::string_view text = text_of(call->arguments[0]);
    if (text.empty() || text.find('%') != std::string_view::npos || has_spread_arguments(*call)) return;
    hits.push_back(make_hit(program, kRule, module, call->span,
                            {Severity::kP2, FindingCertainty::kProven, Category::kCorrectness,
                             "The text of this log call has no `%` placeholder for its arguments",
                             "logging formats with `%`: the record is lost, and an error is printed in its place.",
                             "Write `%s` where a value belongs."}));
  });
}

}  // namespace

void run_log_arguments_lost(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
