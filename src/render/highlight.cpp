#include "render/highlight.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "render/html_text.h"

namespace lockstep::render {
namespace {

constexpr std::string_view kKeywords[] = {
    "False",  "None",     "True",   "and", "as",    "assert", "async",  "await",    "break", "case",
    "class",  "continue", "def",    "del", "elif",  "else",   "except", "finally",  "for",   "from",
    "global", "if",       "import", "in",  "is",    "lambda", "match",  "nonlocal", "not",   "or",
    "pass",   "raise",    "return", "try", "while", "with",   "yield",
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80u) != 0;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  explicit Lexer(std::string_view language) : is_python_(language == "python") {}

  std::string line(std::string_view text) {
    out_.clear();
    std::size_t at = 0;
    if (!open_.empty()) at = rest_of_string(text, 0, 0);
    while (at < text.size()) at = token(text, at);
    return out_;
  }

 private:
  void span(std::string_view style, std::string_view text) {
    if (!text.empty()) out_ += fmt::format("<span class=\"{}\">{}</span>", style, html_escaped(text, true));
  }

  /// Up to the end of the open string or of the line.
  std::size_t rest_of_string(std::string_view text, std::size_t start, std::size_t from) {
    for (std::size_t i = from; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text.substr(i).starts_with(open_)) {
        span("s", text.substr(start, i + open_.size() - start));
        i += open_.size();
        open_.clear();
        return i;
      }
    }
    span("s", text.substr(start));
    // Only a triple quote goes on in the next line.
    if (open_.size() == 1) open_.clear();
    return text.size();
  }

  std::size_t token(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '#') {
      span("c", text.substr(at));
      return text.size();
    }
    if (c == '"' || c == '\'') {
      const bool triple = is_python_ && text.substr(at).starts_with(std::string(3, c));
      open_ = std::string(triple ? 3 : 1, c);
      return rest_of_string(text, at, at + open_.size());
    }
    if (is_letter(c)) return word(text, at);
    if (is_digit(c)) {
      std::size_t end = at;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.')) ++end;
      is_python_ ? span("n", text.substr(at, end - at)) : plain(text.substr(at, end - at));
      return end;
    }
    if (c == '@' && is_python_ && text.find_first_not_of(" \t") == at) {
      std::size_t end = at + 1;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.')) ++end;
      span("d", text.substr(at, end - at));
      return end;
    }
    plain(text.substr(at, 1));
    return at + 1;
  }

  std::size_t word(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    const std::string_view name = text.substr(at, end - at);
    const bool prefix = name.size() <= 2 && end < text.size() && (text[end] == '"' || text[end] == '\'');
    const bool keyword = std::binary_search(std::begin(kKeywords), std::end(kKeywords), name);
    if (is_python_ && prefix) {
      span("s", name);
    } else if (is_python_ && keyword) {
      span("k", name);
    } else if (is_python_ && end < text.size() && text[end] == '(') {
      span("f", name);
    } else {
      plain(name);
    }
    return end;
  }

  void plain(std::string_view text) { out_ += html_escaped(text, true); }

  bool is_python_;
  std::string open_;  ///< The quote that ends the string the line began in; empty outside.
  std::string out_;
};

}  // namespace

std::vector<std::string> highlighted(const std::vector<std::string>& lines, std::string_view language) {
  Lexer lexer(language);
  std::vector<std::string> out;
  for (const std::string& line : lines) out.push_back(lexer.line(line));
  return out;
}

}  // namespace lockstep::render
