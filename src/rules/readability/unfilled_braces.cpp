#include "rules/readability/unfilled_braces.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "python/characters.h"
#include "python/lexer.h"
#include "python/tree_walk.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/readability/loggers.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;

/// Braces around more than so many bytes hold no name.
constexpr std::size_t kLongestPlaceholder = 200;

/// A logger by its name: enough where nothing is said of how it formats.
bool is_called_logger(const Expr& expression) {
  const std::string_view name = name_of(&expression);
  if (name == "logger" || name == "logging" || name == "log" || name == "_logger" || name == "LOGGER") return true;
  return self_attribute(&expression) == "logger";
}

/// The variable that an expression in braces starts with (`name`, `name.x`, `name[0]`, `name:.2f`), or joins
/// (`', '.join(name)`); empty for anything else.
std::string_view variable_of(std::string_view expression) {
  std::size_t from = 0;
  if (const std::size_t join = expression.find(".join("); join != std::string_view::npos) from = join + 6;
  std::size_t end = from;
  while (end < expression.size() && is_name_byte(expression[end])) ++end;
  const std::string_view name = expression.substr(from, end - from);
  if (name.empty() || is_digit(name[0])) return {};
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
  const bool is_joined = is_name_byte(before) || std::string_view("$\\/-.").find(before) != std::string_view::npos;
  const bool goes_on = !rest.empty() && (is_name_byte(rest[0]) || rest[0] == '/' ||
                                         (rest[0] == '.' && rest.size() > 1 && is_name_byte(rest[1])));
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
  if (method == nullptr || !is_called_logger(*method->value)) return nullptr;
  return place_of_text(*method) == 0 ? call->arguments[0] : nullptr;
}

/// Braces that are not filled in.
struct Placeholder {
  std::string text;                 ///< What stands in them, a variable first; empty where there are none.
  std::vector<std::string> others;  ///< Plain names in other braces of the same part.
};

/// The plain names in the braces of a text.
std::vector<std::string> names_in_braces(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    std::size_t end = open + 1;
    while (end < text.size() && is_name_byte(text[end])) ++end;
    if (end > open + 1 && end < text.size() && text[end] == '}' && !is_digit(text[open + 1]))
      names.emplace_back(text.substr(open + 1, end - open - 1));
  }
  return names;
}

/// What is not filled in, in a part without `f` of the text `message`. Of a text without any part with `f`, all parts
/// are asked.
Placeholder unfilled_part(const FileFacts& facts, const Expr& message) {
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
      if (!variable_of(placeholder).empty()) return {std::string(placeholder), names_in_braces(part)};
    }
  }
  return {};
}

/// The texts that a message is put together from: `f"rank {rank}" + " has no {key}"`. Nothing where another value is
/// one of them.
std::vector<const Expr*> parts_of(const Expr& message) {
  std::vector<const Expr*> parts;
  std::vector<const Expr*> open{&message};
  while (!open.empty()) {
    const Expr* each = open.back();
    open.pop_back();
    const auto* sum = as<BinOp>(each);
    if (sum != nullptr && sum->op == BinaryOperator::kAdd) {
      open.push_back(sum->right);
      open.push_back(sum->left);
    } else {
      parts.push_back(each);
    }
  }
  return parts;
}

/// What one function says, and whether it fills texts in by itself.
class FunctionScan : FunctionView {
 public:
  FunctionScan(const program::Program& program, std::string_view rule, const ScopeNames& names,
               program::FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), rule_(rule), names_(names) {}

  /// `raise ValueError("{name} is wrong")` where the function has a variable `name`.
  void run() {
    const auto scope = facts_.scope_of_node.find(row_.node);
    if (scope == facts_.scope_of_node.end()) return;
    walk(*row_.node, Nested::kSkip, [&](const Node* node) {
      const Expr* message = message_of(*node);
      if (message == nullptr) return;
      messages_.push_back(message->span);
      if (!contains(facts_.source().bytes().substr(message->span.begin, message->span.size()), "{")) return;
      const auto parts = parts_of(*message);
      const bool has_filled =
          std::any_of(parts.begin(), parts.end(), [](const Expr* part) { return is<JoinedStr>(part); });
      for (const Expr* part : parts) {
        if (is<JoinedStr>(part) || !text_of(part).empty()) note(scope->second, *part, has_filled);
      }
    });
    if (found_.empty() || fills_in(scope->second)) return;
    collect_meant();
    for (const Unfilled& each : found_) {
      if (!meant_.contains(each.placeholder)) report(each);
    }
  }

 private:
  struct Unfilled {
    const Expr* text = nullptr;
    std::string placeholder;
    bool is_part = false;  ///< Another part of the message has an `f`.
  };

  void note(ScopeId scope, const Expr& text, bool is_part) {
    Placeholder placeholder = unfilled_part(facts_, text);
    const auto is_bound = [&](std::string_view name) { return names_.find(scope, name).valid(); };
    const std::string_view name = variable_of(placeholder.text);
    if (name.empty() || names_.bindings(scope, name).empty()) return;
    // Braces with a name that nothing binds show what to write; so do those beside them.
    if (!std::all_of(placeholder.others.begin(), placeholder.others.end(), is_bound)) return;
    found_.push_back({&text, std::move(placeholder.text), is_part});
  }

  /// The function fills texts with braces in, or looks into one: a message may show what a template needs.
  [[nodiscard]] bool fills_in(ScopeId scope) const {
    const auto is_template = [](const Binding& binding) {
      const std::string name = to_lower(binding.name);
      return contains(name, "template") || contains(name, "pattern") || contains(name, "format");
    };
    const auto& bindings = facts_.scopes[scope].bindings;
    if (std::any_of(bindings.begin(), bindings.end(), is_template)) return true;
    bool found = false;
    walk(*row_.node, Nested::kEnter, [&](const Node* node) {
      if (const auto* text = as<Constant>(node); text != nullptr && text->constant_kind == ConstantKind::kStr)
        found = found || text->text == "{" || text->text == "}";
      const auto* name = as<Name>(node);
      const auto* attribute = as<Attribute>(node);
      const std::string_view used = name != nullptr ? name->id : attribute != nullptr ? attribute->name.text : "";
      found = found || used == "format" || used == "format_map" || used == "Formatter";
    });
    return found;
  }

  /// What stands in braces in texts that are no messages, and in comments: there they mean themselves.
  void collect_meant() {
    const auto collect = [&](std::string_view text) {
      for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
        const std::string_view rest = text.substr(open + 1, kLongestPlaceholder);
        if (const std::size_t close = rest.find('}'); close != std::string_view::npos)
          meant_.emplace(rest.substr(0, close));
      }
    };
    std::sort(messages_.begin(), messages_.end(), [](Span a, Span b) { return a.begin < b.begin; });
    walk_of<Constant>(*row_.node, Nested::kEnter, [&](const Constant* text) {
      const auto behind = std::upper_bound(messages_.begin(), messages_.end(), text->span.begin,
                                           [](std::uint32_t at, Span message) { return at < message.begin; });
      const bool is_message = behind != messages_.begin() && std::prev(behind)->contains(text->span.begin);
      if (!is_message) collect(text->text);
    });
    const auto& comments = facts_.file->comments;
    auto comment = std::lower_bound(comments.begin(), comments.end(), row_.node->span.begin,
                                    [](const Comment& each, std::uint32_t at) { return each.span.begin < at; });
    for (; comment != comments.end() && row_.node->span.contains(comment->span.begin); ++comment)
      collect(facts_.source().bytes().substr(comment->span.begin, comment->span.size()));
  }

  void report(const Unfilled& each) {
    const std::string_view name = variable_of(each.placeholder);
    hits_.push_back(make_hit(
        program_, rule_, row_.module, each.text->span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
         each.is_part ? fmt::format("`{{{}}}` in this message is not filled in: this part of the text has no `f`",
                                    each.placeholder)
                      : fmt::format("`{{{}}}` in this message is not filled in: the text is no f-string", name),
         "Whoever reads the message sees the braces, not the value.",
         each.is_part ? "Put an `f` before the quotes of that part too." : "Put an `f` before the opening quote."}));
  }

  const std::string_view rule_;
  const ScopeNames& names_;
  std::vector<Span> messages_;
  std::vector<Unfilled> found_;
  std::unordered_set<std::string> meant_;
};

}  // namespace

void find_unfilled_braces(const program::Program& program, std::string_view rule, const ScopeNames& names,
                          program::FunctionId function, std::vector<Hit>& hits) {
  FunctionScan(program, rule, names, function, hits).run();
}

}  // namespace lockstep::rules
