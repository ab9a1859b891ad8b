#include "report/source/code.h"

#include "report/source/source_sentences.h"

#include <algorithm>
#include <cctype>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/facts.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/sentence_ends.h"
#include "rules/calls/signatures.h"
#include "text/shorten.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// Lines of a docstring without their common indent.
std::vector<std::string_view> trimmed_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (const std::string_view line : split_lines(text)) lines.push_back(trim(line));
  return lines;
}

std::size_t indent_of(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos ? line.size() : at;
}

}  // namespace

std::string without_prose(std::string_view code) {
  std::string out;
  for (std::size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (c == '#') {
      at = std::min(code.find('\n', at), code.size());
      continue;
    }
    if (c != '"' && c != '\'') {
      out += c;
      ++at;
      continue;
    }
    const bool is_triple = code.substr(at).starts_with(std::string(3, c));
    const std::string_view quote = code.substr(at, is_triple ? 3 : 1);
    std::size_t end = at + quote.size();
    while (end < code.size() && !code.substr(end).starts_with(quote)) end += code[end] == '\\' ? 2 : 1;
    end = std::min(end + quote.size(), code.size());
    const std::string_view literal = code.substr(at, end - at);
    const bool is_prose = std::any_of(literal.begin(), literal.end(), is_blank);
    out += is_prose ? std::string(quote) + std::string(quote) : std::string(literal);
    at = end;
  }
  return out;
}

namespace {

/// Whether `text`, which ends before a closing bracket, holds the one element of a tuple, with its comma: without that
/// it would be none.
bool ends_lone_tuple(std::string_view text) {
  std::size_t depth = 0;
  std::size_t commas = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    const char c = text[i];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == ',' && depth == 0) ++commas;
    if (c != '(' && c != '[' && c != '{') continue;
    if (depth > 0) {
      --depth;
      continue;
    }
    const char last = i == 0 ? ' ' : text[i - 1];
    return commas == 1 && c == '(' && !is_name_char(last) && last != ')' && last != ']';
  }
  return false;
}

}  // namespace

std::string one_line_whole(const SourceText& source, Span span) {
  std::string out;
  const std::string_view text = source.slice(span);
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && c == '#') {
      while (i < text.size() && text[i] != '\n' && text[i] != '\r') ++i;
      constexpr std::string_view kNoBlankBehind = " ([{";
      if (!out.empty() && kNoBlankBehind.find(out.back()) == std::string_view::npos) out += ' ';
      continue;
    }
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == c && text[i - 1] != '\\') {
      quote = 0;
    }
    if (quote == 0 && c == '\\' && i + 1 < text.size() && (text[i + 1] == '\n' || text[i + 1] == '\r')) continue;
    if (!is_blank(c)) {
      const bool closes = (c == ')' || c == ']' || c == '}') && !out.empty() && out.back() == ' ' && quote == 0;
      if (closes) {
        out.pop_back();
        if (!out.empty() && out.back() == ',' && (c != ')' || !ends_lone_tuple(out))) out.pop_back();
      }
      out += c;
    } else if (!out.empty() && out.back() != ' ' &&
               !((out.back() == '(' || out.back() == '[' || out.back() == '{') && quote == 0)) {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string one_line_whole(const SourceText& source, const Node& node) { return one_line_whole(source, node.span); }

std::string one_line(const SourceText& source, Span span, std::size_t limit) {
  return lockstep::shortened(one_line_whole(source, span), limit);
}

namespace {

/// Of a call that is given a `lambda`: its text with "\u2026" for what the lambda takes, since what it does counts.
std::string with_short_lambda(std::string text, const SourceText& source, const Call& call) {
  const auto shorten = [&](const Expr* value) {
    const auto* lambda = as<Lambda>(value);
    if (lambda == nullptr) return;
    const std::string whole = one_line_whole(source, lambda->span);
    const std::size_t at = text.find(whole);
    std::string shorter = "lambda \u2026: " + one_line_whole(source, lambda->body->span);
    if (at != std::string::npos && shorter.size() < whole.size()) text.replace(at, whole.size(), shorter);
  };
  for (const Expr* argument : call.arguments) shorten(argument);
  for (const Keyword* keyword : call.keywords) shorten(keyword->value);
  return text;
}

}  // namespace

std::string one_line(const SourceText& source, const Node& node, std::size_t limit) {
  std::string text = one_line_whole(source, node.span);
  if (text.size() <= limit) return text;
  const Node* inner = &node;
  if (const auto* statement = as<ExprStmt>(inner)) inner = statement->value;
  if (const auto* call = as<Call>(inner)) text = with_short_lambda(std::move(text), source, *call);
  return lockstep::shortened(text, limit);
}

std::string_view callee_name(const Call& call) {
  if (const auto* attribute = as<Attribute>(call.callee)) return attribute->name.text;
  if (const auto* name = as<Name>(call.callee)) return name->id;
  return {};
}

const Expr* thrown_away_by(const Node& statement) {
  const auto* lone = as<ExprStmt>(&statement);
  if (lone == nullptr) return nullptr;
  const auto* awaited = as<Await>(lone->value);
  return awaited != nullptr ? awaited->value : lone->value;
}

namespace {

/// Whether no sentence ends with the last word of the text.
bool wants_more(std::string_view text) {
  constexpr std::string_view kWords[] = {"a",   "an",   "and",  "as",   "at",   "between", "by",
                                         "for", "from", "in",   "into", "is",   "of",      "on",
                                         "or",  "over", "than", "the",  "this", "to",      "with"};
  const std::string_view last = text.substr(text.rfind(' ') + 1);
  return std::find(std::begin(kWords), std::end(kWords), last) != std::end(kWords);
}

/// Whether the first word is a name from code, `FusedForward` or `Fused_forward`: it stands in the middle of sentences.
bool begins_with_name(std::string_view line) {
  const std::string_view word = line.substr(0, line.find(' '));
  for (std::size_t i = 1; i < word.size(); ++i) {
    const bool is_hump = std::isupper(static_cast<unsigned char>(word[i])) != 0 &&
                         std::islower(static_cast<unsigned char>(word[i - 1])) != 0;
    if (word[i] == '_' || is_hump) return true;
  }
  return false;
}

}  // namespace

std::string first_sentence(std::string_view docstring, std::size_t limit) {
  std::string text;
  for (const std::string_view line : trimmed_lines(docstring)) {
    if (line.empty()) {
      if (!text.empty()) break;
      continue;
    }
    if (line.find_first_not_of("-=~") == std::string_view::npos) continue;
    // A short line before one that starts with a capital ends a sentence, with or without a full stop.
    constexpr std::size_t kShortLine = 60;
    const bool ends = !text.empty() && text.size() < kShortLine && line.front() >= 'A' && line.front() <= 'Z' &&
                      std::count(text.begin(), text.end(), ' ') >= 2 &&
                      std::isalpha(static_cast<unsigned char>(text.back())) != 0 && !wants_more(text) &&
                      !begins_with_name(line);
    if (ends) break;
    if (!text.empty()) text += ' ';
    text += line;
  }
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const std::string_view head = std::string_view(text).substr(0, i + 1);
    // "comprised of: 1. the …" goes on.
    const std::size_t word = head.substr(0, i).find_last_not_of("0123456789");
    const bool is_number = text[i] == '.' && word != std::string_view::npos && word + 1 < i &&
                           (head[word] == ' ' || head[word] == '(') && head.substr(0, word).ends_with(':');
    if (!is_number && ends_sentence(text, i)) {
      text.resize(i + 1);
      break;
    }
  }
  if (text.size() > limit) {
    const std::size_t cut = text.rfind(' ', limit);
    text = text.substr(0, cut == std::string::npos ? limit : cut) + "\u2026";
  }
  return std::string(trim(replace_all(text, "``", "`")));
}

std::string_view docstring_text(const Node* definition) {
  const Constant* constant = docstring_of(body_of(definition));
  return constant == nullptr ? std::string_view() : constant->text;
}

/// "See `TokenDispatcher.dispatch`.", "Forward pass.": points elsewhere, or says what the name says.
static bool tells_nothing(std::string_view sentence) {
  static constexpr std::string_view kPointers[] = {"see ", "refer to ", "inherited from ", "overrides ", "same as "};
  static constexpr std::string_view kNames[] = {"forward",     "forward pass",  "forward function", "forward method",
                                                "backward",    "backward pass", "constructor",      "class constructor",
                                                "initializer", "init function", "main function",    "main",
                                                "docstring",   "todo"};
  std::string lower = to_lower(trim(sentence));
  while (!lower.empty() && (lower.back() == '.' || lower.back() == '!')) lower.pop_back();
  constexpr std::ptrdiff_t kMostSpaces = 5;  // "See the base class for details": more says something of its own.
  const bool is_short = std::count(lower.begin(), lower.end(), ' ') <= kMostSpaces;
  const auto begins = [&](std::string_view pointer) { return lower.starts_with(pointer); };
  return (is_short && std::any_of(std::begin(kPointers), std::end(kPointers), begins)) ||
         std::find(std::begin(kNames), std::end(kNames), lower) != std::end(kNames);
}

std::string docstring_sentence(const Node* definition, std::size_t limit) {
  const std::string_view text = trim(docstring_text(definition));
  // One that starts with its parameters has no sentence on the whole.
  for (const std::string_view section : {"Args:", "Arguments:", "Parameters", "Returns:", ":param"}) {
    if (text.starts_with(section)) return {};
  }
  std::string sentence = first_sentence(text, limit);
  return tells_nothing(sentence) ? std::string() : sentence;
}

namespace {

/// The prose of a docstring from its beginning up to the first section, list or example, on one line.
struct Prose {
  std::string text;
  bool leads_to_list = false;  ///< A list follows it without an empty line.
};

Prose prose_of(std::string_view docstring, bool first_paragraph_only) {
  Prose out;
  for (const std::string_view line : trimmed_lines(docstring)) {
    const bool is_list = line.starts_with("- ") || line.starts_with("* ") || line.starts_with(">>>") ||
                         line.starts_with("..") || line.starts_with(":");
    out.leads_to_list = is_list;
    if (is_list || (line.ends_with(":") && line.find_first_of(". ") == std::string_view::npos)) break;
    if (line.empty() ? first_paragraph_only && !out.text.empty()
                     : line.find_first_not_of("-=~") == std::string_view::npos)
      break;
    if (!line.empty()) out.text.append(out.text.empty() ? "" : " ").append(line);
  }
  out.text = replace_all(out.text, "``", "`");
  return out;
}

}  // namespace

std::string docstring_opening(const Node* definition, std::size_t most_words) {
  std::string out = docstring_sentence(definition, 200);
  if (out.empty() || out.ends_with("\u2026")) return out;
  const Prose prose = prose_of(docstring_text(definition), false);
  if (!prose.text.starts_with(out)) return out;
  const auto words_in = [](std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
  };
  std::size_t words = words_in(out);
  for (const std::string_view one : sentences_in(std::string_view(prose.text).substr(out.size()))) {
    // A sentence that leads to a list says nothing without it.
    if (!one.ends_with('.')) break;
    words += words_in(one);
    if (words > most_words) return out + " \u2026";
    out.append(" ").append(one);
  }
  return out;
}

/// Whether a sentence says what goes wrong, or what has to hold.
static bool cautions(std::string_view sentence) {
  static constexpr std::string_view kWords[] = {"only safe", "unsafe",   "not safe",  "must ",     "do not ",
                                                "never ",    "no check", "not check", "unchecked", "at your own risk"};
  constexpr std::size_t kLongest = 240;  // bytes
  const std::string lower = to_lower(sentence);
  return sentence.ends_with('.') && sentence.size() <= kLongest &&
         std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::string first_sentences(std::string_view docstring) {
  constexpr std::size_t kMost = 420;  // bytes
  constexpr std::size_t kMostFirst = 300;
  std::string out = first_sentence(docstring, kMostFirst);
  if (!out.ends_with('.')) return out;
  const Prose prose = prose_of(docstring, true);
  if (!prose.text.starts_with(out)) return out;
  const std::vector<std::string_view> more = sentences_in(std::string_view(prose.text).substr(out.size()));
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (!more[i].ends_with('.') && prose.leads_to_list) return out;
    if (more[i].ends_with('.') && out.size() + more[i].size() <= kMost) {
      out.append(" ").append(more[i]);
      continue;
    }
    // What is left out may be what keeps people out of trouble.
    const auto rest = std::find_if(more.begin() + static_cast<std::ptrdiff_t>(i), more.end(), cautions);
    if (rest == more.end()) return out + " \u2026";
    const auto at = static_cast<std::size_t>(rest - more.begin());
    out.append(at == i ? " " : " \u2026 ").append(*rest);
    return at + 1 == more.size() ? out : out + " \u2026";
  }
  return out;
}

std::string docstring_parameter(std::string_view docstring, std::string_view name, bool whole) {
  const std::vector<std::string_view> lines = split_lines(docstring);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = trim(lines[i]);
    if (line.starts_with(":param ")) line.remove_prefix(7);
    if (line.starts_with("- ")) line.remove_prefix(2);
    if (!line.starts_with(name)) continue;
    std::string_view rest = line.substr(name.size());
    if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    if (rest.starts_with("(")) {
      const std::size_t close = rest.find(')');
      rest = close == std::string_view::npos ? std::string_view() : rest.substr(close + 1);
    }
    if (!rest.starts_with(":")) continue;
    std::string text(trim(rest.substr(1)));
    for (std::size_t next = i + 1; next < lines.size(); ++next) {
      const bool is_blank = trim(lines[next]).empty();
      if (is_blank ? !whole : indent_of(lines[next]) <= indent_of(lines[i])) break;
      if (!is_blank) text.append(" ").append(trim(lines[next]));
    }
    return whole ? first_sentences(text) : first_sentence(text, 160);
  }
  return {};
}

std::string docstring_returns(std::string_view docstring) {
  const std::vector<std::string_view> lines = split_lines(docstring);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = trim(lines[i]);
    if (!line.starts_with("Returns:") && !line.starts_with(":return:") && !line.starts_with(":returns:")) continue;
    std::string text(trim(line.substr(line.find(':', 1) + 1)));
    for (std::size_t next = i + 1; next < lines.size() && text.size() < 300; ++next) {
      if (trim(lines[next]).empty()) break;
      text.append(text.empty() ? "" : " ").append(trim(lines[next]));
    }
    return first_sentence(text, 160);
  }
  return {};
}

std::string trailing_comment(const SourceText& source, std::uint32_t line) {
  const std::string_view text = source.line(line);
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && c == '#') return std::string(trim(text.substr(i + 1)));
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == c && text[i - 1] != '\\') {
      quote = 0;
    }
  }
  return {};
}

std::string comment_above(const SourceText& source, std::uint32_t line) {
  std::vector<std::string> parts;
  while (line > 0 && parts.size() < 12) {
    const std::string_view text = trim(source.line(--line));
    if (!text.starts_with("#")) break;
    parts.emplace_back(trim(text.substr(
        text.find_first_not_of('#') == std::string_view::npos ? text.size() : text.find_first_not_of('#'))));
  }
  std::reverse(parts.begin(), parts.end());
  return std::string(trim(join(parts, " ")));
}

std::string shape_in(std::string_view comment) {
  for (std::size_t i = 0; i < comment.size(); ++i) {
    if (comment[i] != '[' && comment[i] != '(') continue;
    if (i > 0 && is_name_char(comment[i - 1])) continue;
    const std::size_t close = comment.find(comment[i] == '[' ? ']' : ')', i);
    if (close == std::string_view::npos || close - i > 60) continue;
    const std::string_view inside = comment.substr(i + 1, close - i - 1);
    const std::vector<std::string_view> axes = split(inside, ',');
    const bool plausible =
        axes.size() >= 2 && axes.size() <= 6 && std::all_of(axes.begin(), axes.end(), [](std::string_view axis) {
          axis = trim(axis);
          // A list of classes or examples in brackets is no shape.
          const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
          const bool is_class = axis.size() > 3 && axis.front() >= 'A' && axis.front() <= 'Z' &&
                                std::any_of(axis.begin(), axis.end(), is_lower);
          return !axis.empty() && axis.size() <= 24 && !is_class && !axis.starts_with("etc") &&
                 axis.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789*/+-. ") ==
                     std::string_view::npos &&
                 std::count(axis.begin(), axis.end(), ' ') <= 2;
        });
    if (plausible)
      return "[" + one_line(SourceText(std::string(inside)), {0, static_cast<std::uint32_t>(inside.size())}) + "]";
  }
  return {};
}

std::string shape_of(std::string_view target, std::string_view comment) {
  const std::size_t arrow = comment.rfind("->");
  if (arrow != std::string_view::npos) {
    // Only words that belong to the arrow: "[a, b] -> [c, d]", with a remark at most.
    const std::string behind = shape_in(comment.substr(arrow));
    return shape_in(comment.substr(0, arrow)).empty() ? std::string() : behind;
  }
  const std::string shape = shape_in(comment);
  if (shape.empty()) return {};
  const std::size_t open = comment.find_first_of("[(");
  const std::string_view before = trim(comment.substr(0, open));
  constexpr std::ptrdiff_t kMostBlanks = 2;  // "three words there", no more.
  const std::size_t close = comment.find_first_of("])", open);
  const std::string_view behind = trim(comment.substr(std::min(close + 1, comment.size())));
  const auto blanks = [](std::string_view text) { return std::count(text.begin(), text.end(), ' '); };
  if (comment[open] == '[' && blanks(before) + blanks(behind) <= kMostBlanks) return shape;
  const std::size_t dot = target.rfind('.');
  const std::string_view own = dot == std::string_view::npos ? target : target.substr(dot + 1);
  const std::string_view named = before.substr(0, before.find_last_not_of(": =") + 1);
  for (const std::string_view end : {std::string_view(), std::string_view(" has shape"), std::string_view(" shape"),
                                     std::string_view(" of shape"), std::string_view(" is")}) {
    if (named.size() >= end.size() + own.size() && named.ends_with(end) &&
        named.substr(0, named.size() - end.size()).ends_with(own))
      return shape;
  }
  return {};
}

bool is_kernel(const FunctionDef& function) {
  return std::any_of(function.decorators.begin(), function.decorators.end(), [](const Expr* decorator) {
    const auto* call = as<Call>(decorator);
    const std::string name = dotted_text(call == nullptr ? decorator : call->callee);
    return name == "triton.jit";
  });
}

Seq<Stmt> body_of(const Node* definition) {
  if (const auto* function = as<FunctionDef>(definition)) return function->body;
  if (const auto* cls = as<ClassDef>(definition)) return cls->body;
  if (const auto* module = as<python::Module>(definition)) return module->body;
  return {};
}

namespace {
std::string below_module(std::string_view qualified, std::string_view module) {
  if (qualified.size() > module.size() + 1 && qualified.starts_with(module) && qualified[module.size()] == '.') {
    return std::string(qualified.substr(module.size() + 1));
  }
  return std::string(qualified);
}
}  // namespace

std::string short_name(const Program& program, FunctionId function) {
  const auto& f = program.functions()[function];
  if (f.kind == program::FunctionKind::kModuleBody) return program.module_of(function).path;
  return below_module(f.qualified_name, program.module_of(function).name);
}

std::string short_name(const Program& program, ClassId cls) {
  return below_module(program.classes()[cls].qualified_name, program.module_of(cls).name);
}

std::uint32_t line_of(const Program& program, FunctionId function) {
  const auto& f = program.functions()[function];
  if (f.kind == program::FunctionKind::kModuleBody || f.node == nullptr) return 0;
  return source_of(program, function).line_of(f.node->span.begin);
}

std::string place_of(const Program& program, FunctionId function) {
  const auto& f = program.functions()[function];
  if (f.kind == program::FunctionKind::kModuleBody) return place(program.module_of(function).path);
  return place(program.module_of(function).path, line_of(program, function));
}

std::string place_of(const Program& program, ClassId cls) {
  const auto& module = program.module_of(cls);
  return place(module.path, module.facts->source().line_of(program.classes()[cls].node->span.begin));
}

std::string place_of(const Program& program, ModuleId module, Span span) {
  const auto& m = program.modules()[module];
  return place(m.path, m.facts->source().line_of(span.begin));
}

const SourceText& source_of(const Program& program, FunctionId function) {
  return program.module_of(function).facts->source();
}

std::string join_words(const std::vector<std::string>& words, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " " + std::string(last) + " " : ", ";
    out += words[i];
  }
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string as_sentence(std::string text) {
  text = std::string(trim(text));
  std::string shown = unmarked(text);
  if (shown.ends_with("\u201d")) shown.resize(shown.size() - 3);  // the stop may stand inside the quotation
  if (!shown.empty() && std::string_view(".?!:").find(shown.back()) == std::string_view::npos) text += '.';
  return text;
}

bool is_property(const python::Node* definition) {
  const auto* def = python::as<python::FunctionDef>(definition);
  return def != nullptr && std::any_of(def->decorators.begin(), def->decorators.end(), [](const python::Expr* one) {
           const std::string_view name = rules::last_part_of(one);
           return name == "property" || name == "cached_property";
         });
}

}  // namespace lockstep::report
