// log-arguments-lost: `logger.warning("{} is gone", name)`: logging formats with %, so a text without a placeholder
// cannot take the arguments. The record is not written; an error is printed to stderr in its place. And a message with
// `{name}` of a variable at hand, whose quotes lack the `f`: in a log call, a raise, an assertion or a print. Of a text
// in parts (`f"rank {rank}: " "no {key}"`) each part needs its own `f`.
//
// Left out: texts that are not written in the call, and `%` in them that is no placeholder; braces that are meant as
// they stand: in raw texts, in quotes, in words and paths, in functions that fill texts in by `format` or name the same
// braces in another text or a comment.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "base/strings.h"
#include "python/lexer.h"
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
  if (end == expression.size()) return name;
  // `{rank: 0}` is no format specification.
  if (expression[end] == ':' && (end + 1 == expression.size() || expression[end + 1] == ' ')) return {};
  return kAfterName.find(expression[end]) != std::string_view::npos ? name : std::string_view();
}

/// What stands in the first braces of a text; empty where a brace is doubled or none is closed, or where they are meant
/// as they stand: part of a word or path (`model-{i}.pt`, `/ckpt/{step}/`), in quotes, after `$` or a backslash.
std::string_view first_placeholder(std::string_view text) {
  const std::size_t open = text.find('{');
  const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
  if (close == std::string_view::npos || text.find("{{") != std::string_view::npos) return {};
  constexpr std::string_view kQuotes = "'\"`";
  const char before = open == 0 ? ' ' : text[open - 1];
  const std::string_view rest = text.substr(close + 1);
  const bool is_quoted = !rest.empty() && kQuotes.find(before) != std::string_view::npos &&
                         kQuotes.find(rest[0]) != std::string_view::npos;
  const bool is_joined = is_word(before) || std::string_view("$\\/-.").find(before) != std::string_view::npos;
  const bool goes_on =
      !rest.empty() && (is_word(rest[0]) || rest[0] == '/' || (rest[0] == '.' && rest.size() > 1 && is_word(rest[1])));
  return is_quoted || is_joined || goes_on ? std::string_view() : text.substr(open + 1, close - open - 1);
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

/// What stands in braces, a variable first, in a part without `f` of the text `message`; empty where there is none. Of
/// a text without any part with `f`, all parts are asked.
std::string unfilled_part(const FileFacts& facts, const Expr& message) {
  // In brackets, so that its lines are one; without what its fields hold, so that each part is text alone.
  const Span span = message.span;
  std::string source = fmt::format("({})", facts.source().bytes().substr(span.begin, span.size()));
  if (const auto* joined = as<JoinedStr>(&message)) {
    for (const Expr* value : joined->values) {
      if (is<FormattedValue>(value) && span.contains(value->span))
        source.replace(value->span.begin - span.begin + 1, value->span.size(), std::string(value->span.size(), 'x'));
    }
  }
  std::vector<Comment> comments;
  std::vector<Problem> problems;
  Lexer lexer(source, comments, problems);
  for (Token token = lexer.next(); token.kind > TokenKind::kNewline; token = lexer.next()) {
    if (token.kind == TokenKind::kFStringStart) {
      FStringText text = lexer.fstring_text(token, false);
      while (text.stop == FStringStop::kEscapedBrace) text = lexer.fstring_text(token, false);
      if (text.stop != FStringStop::kQuote) return {};
    } else if (token.kind == TokenKind::kString && !token.has(token_flags::kRaw)) {
      const std::size_t quotes = token.has(token_flags::kTriple) ? 3 : 1;
      const std::size_t begin = token.begin + token.prefix_size + quotes;
      const std::string_view part = std::string_view(source).substr(begin, token.end - quotes - begin);
      const std::string_view placeholder = first_placeholder(part);
      if (!variable_of(placeholder).empty()) return std::string(placeholder);
    }
  }
  return {};
}

/// What one function says, and whether it fills texts in by itself.
class FunctionScan {
 public:
  FunctionScan(const program::Program& program, const ScopeNames& names, program::FunctionId function,
               std::vector<Hit>& hits)
      : program_(program),
        names_(names),
        row_(program.functions()[function]),
        facts_(*program.modules()[row_.module].facts),
        hits_(hits) {}

  /// `raise ValueError("{name} is wrong")` where the function has a variable `name`.
  void run() {
    const auto scope = facts_.scope_of_node.find(row_.node);
    if (scope == facts_.scope_of_node.end()) return;
    walk(*row_.node, Nested::kSkip, [&](const Node* node) {
      const Expr* message = message_of(*node);
      if (message == nullptr || (!is<JoinedStr>(message) && text_of(message).empty())) return;
      messages_.push_back(message->span);
      if (!contains(facts_.source().bytes().substr(message->span.begin, message->span.size()), "{")) return;
      const std::string placeholder = unfilled_part(facts_, *message);
      const std::string_view name = variable_of(placeholder);
      if (!name.empty() && !names_.bindings(scope->second, name).empty()) found_.push_back({message, placeholder});
    });
    if (found_.empty() || fills_in()) return;
    for (const Unfilled& each : found_) {
      if (!is_written_elsewhere(each.placeholder)) report(*each.message, each.placeholder);
    }
  }

 private:
  struct Unfilled {
    const Expr* message = nullptr;
    std::string placeholder;
  };

  /// The function calls `format`: a text with braces may be a template, and a message may show one.
  [[nodiscard]] bool fills_in() const {
    return calls_name(*row_.node, "format") || calls_name(*row_.node, "format_map");
  }

  /// The braces stand in a text that is no message, or in a comment: they mean themselves.
  [[nodiscard]] bool is_written_elsewhere(const std::string& placeholder) const {
    const std::string whole = "{" + placeholder + "}";
    bool found = false;
    walk_of<Constant>(*row_.node, Nested::kEnter, [&](const Constant* text) {
      const bool is_message = std::any_of(messages_.begin(), messages_.end(),
                                          [&](Span message) { return message.contains(text->span.begin); });
      found = found || (!is_message && contains(text->text, whole));
    });
    const auto& comments = facts_.file->comments;
    return found || std::any_of(comments.begin(), comments.end(), [&](const Comment& comment) {
             return row_.node->span.contains(comment.span.begin) &&
                    contains(facts_.source().bytes().substr(comment.span.begin, comment.span.size()), whole);
           });
  }

  void report(const Expr& message, const std::string& placeholder) {
    const bool is_part = is<JoinedStr>(&message);
    const std::string_view name = variable_of(placeholder);
    hits_.push_back(make_hit(
        program_, kRule, row_.module, message.span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
         is_part
             ? fmt::format("`{{{}}}` in this message is not filled in: this part of the text has no `f`", placeholder)
             : fmt::format("`{{{}}}` in this message is not filled in: the text is no f-string", name),
         "Whoever reads the message sees the braces, not the value.",
         is_part ? "Put an `f` before the quotes of that part too." : "Put an `f` before the opening quote."}));
  }

  const program::Program& program_;
  const ScopeNames& names_;
  const program::Function& row_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
  std::vector<Span> messages_;
  std::vector<Unfilled> found_;
};

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const ScopeNames names(*program.modules()[module].facts);
  for (const program::FunctionId function : program.modules()[module].functions)
    FunctionScan(program, names, function, hits).run();
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
