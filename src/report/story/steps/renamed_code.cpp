#include "report/story/steps/renamed_code.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace lockstep::report {

namespace {

bool is_keyword(std::string_view word) {
  static constexpr std::string_view kKeywords[] = {
      "False", "None",  "True",     "and",    "as",     "assert", "async", "await", "break", "case",
      "class", "def",   "continue", "del",    "elif",   "else",   "for",   "from",  "if",    "except",
      "in",    "is",    "finally",  "global", "import", "lambda", "match", "not",   "or",    "nonlocal",
      "pass",  "raise", "return",   "try",    "while",  "with",   "yield"};
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<signed char>(c) < 0;
}

/// Whether the tokens at `i` are a string with its prefix: `f"…"`.
bool is_prefix(const std::vector<std::string_view>& tokens, std::size_t i) {
  if (i + 1 >= tokens.size() || tokens[i].size() > 2 || (tokens[i + 1].front() != '"' && tokens[i + 1].front() != '\''))
    return false;
  return tokens[i].data() + tokens[i].size() == tokens[i + 1].data();
}

bool closes(std::string_view token) { return token == ")" || token == "]" || token == "}"; }

std::string_view root_of(std::string_view chain) { return chain.substr(0, chain.find('.')); }
/// ".b.c" of "a.b.c".
std::string_view tail_of(std::string_view chain) { return chain.substr(root_of(chain).size()); }

/// Whether `words` go on with `wanted` from `at` on.
bool goes_on_with(const CodeWords& words, std::size_t at, const CodeWords& wanted) {
  return wanted.size() <= words.size() - at &&
         std::equal(wanted.begin(), wanted.end(), words.begin() + static_cast<std::ptrdiff_t>(at));
}

}  // namespace

std::vector<std::string_view> tokens_of(std::string_view text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<signed char>(c) < 0;
  };
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text[i] == '#') {
      while (end < text.size() && text[end] != '\n') ++end;
    } else if (text[i] == '"' || text[i] == '\'') {
      while (end < text.size() && text[end] != text[i]) end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
    } else if (is_word(text[i])) {
      while (end < text.size() && is_word(text[end])) ++end;
    }
    const bool counts = text[i] != '#' && text[i] != ' ' && text[i] != '\n' && text[i] != '\t' && text[i] != '\r';
    if (counts) out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

CodeWords code_words(std::string_view text) {
  const std::vector<std::string_view> tokens = tokens_of(text);
  CodeWords out;
  std::vector<bool> is_tuple;  // Of the open brackets: the next comma would make one of what stands in them.
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    const bool is_last = i + 1 == tokens.size();
    const std::size_t depth = is_tuple.size();
    if (token == "," && depth > 0) {
      if (!is_last && closes(tokens[i + 1]) && !is_tuple.back()) continue;
      is_tuple.back() = false;
    }
    if (token == "(" || token == "[" || token == "{") {
      const bool follows = !out.empty() && (out.back().is_name || closes(out.back().text) ||
                                            (is_word_start(out.back().text.front()) && !is_keyword(out.back().text)));
      is_tuple.push_back(token == "(" && !follows);
    }
    if (closes(token) && depth > 0) is_tuple.pop_back();
    CodeWord word{std::string(token), false};
    if (token.front() == '\'' && token.size() >= 2) word.text.front() = word.text.back() = '"';
    const bool is_member = i > 0 && tokens[i - 1] == ".";
    if (is_word_start(token.front()) && !is_keyword(token) && !is_prefix(tokens, i) && !is_member) {
      const bool is_label = depth > 0 && !is_last && tokens[i + 1] == "=" &&
                            (i + 2 == tokens.size() || tokens[i + 2] != "=") && i > 0 &&
                            (tokens[i - 1] == "(" || tokens[i - 1] == ",");
      word.is_name = !is_label;
      while (!is_label && i + 2 < tokens.size() && tokens[i + 1] == "." && is_word_start(tokens[i + 2].front())) {
        word.text += "." + std::string(tokens[i + 2]);
        i += 2;
      }
    }
    out.push_back(std::move(word));
  }
  return out;
}

std::optional<Likeness> same_but_names(const CodeWords& here, const CodeWords& there, const Renaming& names) {
  Likeness out;
  std::size_t at = 0;
  for (const CodeWord& word : there) {
    if (at >= here.size()) return std::nullopt;
    const std::string_view root = root_of(word.text);
    const std::string_view tail = tail_of(word.text);
    if (!word.is_name || !names.there->contains(root)) {
      // A name of the module there is no local here.
      const bool is_other = word.is_name && names.here->contains(root_of(here[at].text));
      if (here[at] != word || is_other) return std::nullopt;
      out.telling += word.is_name || std::isalnum(static_cast<unsigned char>(word.text.front())) != 0 ||
                             word.text.front() == '"' || word.text.front() == '_'
                         ? (is_keyword(word.text) ? 0u : 1u)
                         : 0u;
      ++out.words;
      ++at;
      continue;
    }
    const auto given = names.given.find(root);
    if (given != names.given.end()) {
      std::size_t taken = 0;
      for (const CodeWords& option : given->second) {
        if (option.size() == 1 && option.front().is_name) {
          if (here[at].is_name && here[at].text == option.front().text + std::string(tail)) taken = 1;
        } else if (tail.empty() && goes_on_with(here, at, option)) {
          taken = option.size();
        }
        if (taken > 0) break;
      }
      if (taken == 0) return std::nullopt;
      out.words += taken;
      out.telling += !tail.empty() || taken > 1 || here[at].text == word.text ? 1 : 0;
      at += taken;
      continue;
    }
    const std::string& text = here[at].text;
    if (!here[at].is_name || text.size() <= tail.size() || !text.ends_with(tail)) return std::nullopt;
    const std::string origin = text.substr(0, text.size() - tail.size());
    if (origin != root && (names.is_complete || !names.here->contains(root_of(origin)))) return std::nullopt;
    // What both have is itself in both: swapped names are no new ones.
    if (origin != root && (names.here->contains(root) || names.there->contains(origin))) return std::nullopt;
    const auto [known, is_new] = out.renamed.try_emplace(std::string(root), origin);
    if (!is_new && known->second != origin) return std::nullopt;
    out.telling += !tail.empty() || origin == root ? 1 : 0;
    ++out.words;
    ++at;
  }
  if (at != here.size()) return std::nullopt;
  return out;
}

}  // namespace lockstep::report
