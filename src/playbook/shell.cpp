#include "playbook/shell.h"

#include <utility>

#include "base/strings.h"

namespace lockstep::playbook {

namespace {

/// A character with its line; a continued line leaves a blank.
struct Char {
  char c;
  std::uint32_t line;
};

std::vector<Char> characters(const std::vector<CodeLine>& lines) {
  std::vector<Char> result;
  bool continued = false;
  for (const CodeLine& line : lines) {
    std::string_view text = line.text;
    if (!continued) {
      text = trim(text);
      if (text.starts_with("$ ")) text.remove_prefix(2);
    }
    continued = text.ends_with('\\');
    if (continued) text.remove_suffix(1);
    for (const char c : text) result.push_back({c, line.line});
    result.push_back({continued ? ' ' : '\n', line.line});
  }
  return result;
}

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  for (const char c : word.substr(0, equals)) {
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return word.front() < '0' || word.front() > '9';
}

class Parser {
 public:
  explicit Parser(const std::vector<CodeLine>& lines) : text_(characters(lines)) {}

  std::vector<Command> run() {
    while (at_ < text_.size()) step();
    finish_command();
    return std::move(commands_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead].c : '\n'; }

  void step() {
    const char c = text_[at_].c;
    if (c == ' ' || c == '\t') {
      finish_word();
      ++at_;
    } else if (c == '#' && !in_word_) {
      while (at_ < text_.size() && text_[at_].c != '\n') ++at_;
    } else if (c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')') {
      if (c == '&' && to_output_) {  // 2>&1
        ++at_;
        return;
      }
      finish_command();
      ++at_;
    } else if (c == '>' && !is_placeholder()) {
      // A file descriptor's number before it is no word.
      if (in_word_ && word_.text.size() == 1 && word_.text[0] >= '0' && word_.text[0] <= '9') drop_word();
      finish_word();
      while (peek(0) == '>') ++at_;
      to_output_ = true;
    } else {
      take(c);
    }
  }

  // `<name>` inside one word: what the reader fills in.
  [[nodiscard]] bool is_placeholder() const { return in_word_ && open_angle_; }

  void take(char c) {
    if (!in_word_) {
      word_ = {{}, text_[at_].line, false, false};
      in_word_ = true;
    }
    if (c == '\'' || c == '"') {
      take_quoted(c);
      return;
    }
    if (c == '$' && peek(1) == '(') return take_substitution();
    if (c == '<') open_angle_ = true;
    if (c == '>') open_angle_ = false;
    if (c == '\\' && peek(1) != '\n') {
      ++at_;
      word_.text += peek(0);
      ++at_;
      return;
    }
    if (c == '$' || c == '`' || c == '*' || c == '?' || c == '{' || c == '<' || c == '[') word_.expands = true;
    word_.text += c;
    ++at_;
  }

  void take_quoted(char quote) {
    word_.quoted = true;
    ++at_;
    while (at_ < text_.size() && text_[at_].c != quote) {
      const char c = text_[at_].c;
      if (quote == '"' && (c == '$' || c == '`')) word_.expands = true;
      word_.text += c;
      ++at_;
    }
    ++at_;
  }

  void take_substitution() {
    int depth = 0;
    word_.expands = true;
    while (at_ < text_.size()) {
      const char c = text_[at_].c;
      if (c == '(') ++depth;
      if (c == ')' && --depth == 0) break;
      word_.text += c;
      ++at_;
    }
    ++at_;
  }

  void drop_word() {
    word_ = {};
    in_word_ = open_angle_ = false;
  }

  void finish_word() {
    if (!in_word_) return;
    if (to_output_) {
      command_.outputs.push_back(std::move(word_));
      to_output_ = false;
    } else if (command_.words.empty() && is_assignment(word_.text)) {
      command_.assignments.push_back(word_.text.substr(0, word_.text.find('=')));
    } else {
      command_.words.push_back(std::move(word_));
    }
    drop_word();
  }

  void finish_command() {
    finish_word();
    to_output_ = false;
    if (!command_.words.empty() || !command_.assignments.empty()) commands_.push_back(std::move(command_));
    command_ = {};
  }

  std::vector<Char> text_;
  std::size_t at_ = 0;
  Word word_;
  bool in_word_ = false, open_angle_ = false, to_output_ = false;
  Command command_;
  std::vector<Command> commands_;
};

}  // namespace

std::vector<Command> parse_shell(const std::vector<CodeLine>& lines) { return Parser(lines).run(); }

}  // namespace lockstep::playbook
