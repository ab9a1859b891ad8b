// Whether words are of a message that the code holds: an error, a log line, a help. Strings that stand side by side are
// one; where an f-string has a value in it, anything may stand.
#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "writer/cited_sides.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostValue = 60;  // bytes in the place of a value
constexpr std::size_t kLeastFixed = 8;
constexpr char kAnything = '\x01';  // in the place of "{value}"

bool is_name(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Runs of white space made one blank, those at the ends too.
std::string evenly_spaced(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space) out += c;
    if (is_space && (out.empty() || out.back() != ' ')) out += ' ';
  }
  return out;
}

// "ValueError: no size", "ValueError(f"no size")" -> "no size", with values taken out.
std::string message_of(std::string_view quoted) {
  std::size_t end = 0;
  while (end < quoted.size() && (is_name(quoted[end]) || quoted[end] == '.')) ++end;
  const std::string_view kind = quoted.substr(0, end);
  if (kind.ends_with("Error") || kind.ends_with("Warning") || kind.ends_with("Exception")) {
    std::string_view rest = quoted.substr(end);
    if (rest.starts_with(':')) quoted = trim(rest.substr(1));
    if (rest.starts_with('(') && rest.ends_with(')')) quoted = trim(rest.substr(1, rest.size() - 2));
  }
  if (quoted.starts_with("f\"") || quoted.starts_with("f'")) quoted.remove_prefix(1);
  if (quoted.size() > 2 && (quoted.front() == '"' || quoted.front() == '\'') && quoted.back() == quoted.front())
    quoted = quoted.substr(1, quoted.size() - 2);
  std::string out;
  for (std::size_t at = 0; at < quoted.size(); ++at) {
    const std::size_t close = quoted[at] == '{' ? quoted.find('}', at) : std::string_view::npos;
    out += close == std::string_view::npos ? quoted[at] : kAnything;
    if (close != std::string_view::npos) at = close;
  }
  return evenly_spaced(trim(out));
}

std::string_view longest_word(std::string_view text) {
  std::string_view longest;
  for_each_word(text, [&](std::string_view word, std::size_t) {
    if (word.size() > longest.size()) longest = word;
  });
  return longest;
}

/// The fixed parts of a string, in their order; between two of them, and before and behind an empty one, stands a
/// value.
using Parts = std::vector<std::string>;

class Match {
 public:
  Match(const Parts& parts, std::string_view words)
      : parts_(parts), words_(words), least_(std::max(kLeastFixed, words.size() / 2)) {}

  [[nodiscard]] bool found() const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::string& part = parts_[i];
      for (std::size_t at = 0; at < part.size(); ++at) {
        const bool begins = at == 0 || !is_name(part[at - 1]) || !is_name(part[at]);
        if (part[at] == words_.front() && begins && goes_on(words_, i, at, 0)) return true;
      }
      // The words may begin with a value.
      for (std::size_t skipped = 1; i > 0 && skipped <= std::min(kMostValue, words_.size()); ++skipped) {
        if (goes_on(words_.substr(skipped), i, 0, 0)) return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] bool goes_on(std::string_view words, std::size_t part, std::size_t at, std::size_t fixed) const {
    const std::string& text = parts_[part];
    for (; !words.empty() && at < text.size(); ++at, ++fixed, words.remove_prefix(1)) {
      if (words.front() != text[at]) return false;
    }
    const bool is_whole =
        at == 0 || at >= text.size() || !is_name(text[at]) || !is_name(text[at - 1]);  // the last word
    if (words.empty()) return fixed >= least_ && is_whole;
    if (part + 1 == parts_.size()) return false;
    for (std::size_t skipped = 0; skipped <= std::min(kMostValue, words.size()); ++skipped) {
      if (goes_on(words.substr(skipped), part + 1, 0, fixed)) return true;
    }
    return false;
  }

  const Parts& parts_;
  std::string_view words_;
  std::size_t least_;
};

Parts parts_of(const python::Node& node) {
  Parts parts;
  if (const auto* constant = python::as<python::Constant>(&node)) {
    if (constant->constant_kind == python::ConstantKind::kStr) parts.push_back(evenly_spaced(constant->text));
  } else if (const auto* joined = python::as<python::JoinedStr>(&node)) {
    parts.emplace_back();
    for (const python::Expr* value : joined->values) {
      const auto* fixed = python::as<python::Constant>(value);
      if (fixed == nullptr)
        parts.emplace_back();
      else
        parts.back() += evenly_spaced(fixed->text);
    }
  }
  return parts;
}

}  // namespace

bool CitedSides::is_message(std::string_view quoted) const {
  const std::string words = message_of(quoted);
  const std::string_view word = longest_word(words);
  if (words.size() < kLeastFixed || word.size() < 3 || words.find(' ') == std::string::npos) return false;
  const auto stands_in = [&](const program::Program& program, const program::Module& module) {
    if (!contains(module.facts->source().bytes(), word)) return false;
    bool found = false;
    python::walk(*program.functions()[module.body].node, python::Nested::kEnter, [&](const python::Node* node) {
      if (found) return;
      const Parts parts = parts_of(*node);
      found = !parts.empty() && Match(parts, words).found();
    });
    return found;
  };
  return std::any_of(programs_.begin(), programs_.end(), [&](const program::Program* program) {
    return std::any_of(program->modules().begin(), program->modules().end(),
                       [&](const program::Module& module) { return stands_in(*program, module); });
  });
}

}  // namespace lockstep::writer
