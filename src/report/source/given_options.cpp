#include "report/source/given_options.h"

#include <cctype>
#include <vector>

#include "base/strings.h"

namespace lockstep::report {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// The words of a line up to a comment or a command that follows; quotation marks, commas and brackets go.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && is_blank(line[at])) ++at;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    std::string_view word = line.substr(begin, at - begin);
    if (word.starts_with("#")) break;
    const auto is_mark = [](char c) {
      return c == '"' || c == '\'' || c == ',' || c == '(' || c == ')' || c == '[' || c == ']';
    };
    while (!word.empty() && is_mark(word.front())) word.remove_prefix(1);
    while (!word.empty() && is_mark(word.back())) word.remove_suffix(1);
    if (!word.empty()) out.push_back(word);
    if (word == "&&" || word == ";" || word == "|") break;
  }
  return out;
}

Value value_of_word(std::string_view word) {
  if (word.empty() || word.find_first_of("$`{}*<>\\") != std::string_view::npos) return {};
  bool is_number = true;
  std::size_t digits = 0;
  bool is_nonzero = false;
  for (const char c : word) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    digits += is_digit ? 1 : 0;
    is_nonzero = is_nonzero || (is_digit && c != '0');
    is_number = is_number && (is_digit || c == '.' || c == '-');
  }
  if (is_number && digits > 0) return {Value::Kind::kNumber, is_nonzero, std::string(word)};
  const std::string lower = to_lower(word);
  if (lower == "true" || lower == "false")
    return {Value::Kind::kBool, lower == "true", lower == "true" ? "True" : "False"};
  if (lower == "none" || lower == "null") return {};
  return {Value::Kind::kText, true, std::string(word)};
}

/// "--x" of a word such as `--x`, `--x=1`, `"--x":`; empty for others.
std::string_view option_of(std::string_view word) {
  if (!word.starts_with("--") || word.size() < 4) return {};
  std::size_t end = 2;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  while (end < word.size() && is_part(word[end])) ++end;
  return end > 3 ? word.substr(0, end) : std::string_view();
}

}  // namespace

std::map<std::string, GivenOption, std::less<>> given_options(std::string_view text) {
  std::map<std::string, GivenOption, std::less<>> out;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> words = words_of(line);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view option = option_of(words[i]);
      if (option.empty()) continue;
      std::vector<std::string_view> values;
      std::string_view rest = words[i].substr(option.size());
      while (!rest.empty() &&
             (rest.front() == '=' || rest.front() == ':' || rest.front() == '"' || rest.front() == '\''))
        rest.remove_prefix(1);
      if (!rest.empty()) values.push_back(rest);
      for (std::size_t next = i + 1; next < words.size() && option_of(words[next]).empty(); ++next) {
        if (words[next] != "\\") values.push_back(words[next]);
      }
      GivenOption given;
      if (values.size() == 1) given.value = value_of_word(values.front());
      given.is_bare = values.empty() || (given.value.kind == Value::Kind::kBool && given.value.truth);
      const auto [known, is_first] = out.try_emplace(std::string(option), given);
      // Two runs in one file, or two cases of one.
      if (!is_first && (known->second.is_bare != given.is_bare || known->second.value.text != given.value.text))
        known->second = {};
    }
  }
  return out;
}

}  // namespace lockstep::report
