#include "report/source/words.h"

#include <cctype>

namespace lockstep::report {

std::set<std::string> name_words(std::string_view text, std::size_t shortest) {
  std::set<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (word.size() >= shortest) words.insert(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (std::isalnum(c) == 0) {
      flush();
      continue;
    }
    const auto lower_at = [&](std::size_t at) {
      return at < text.size() && std::islower(static_cast<unsigned char>(text[at])) != 0;
    };
    // "CudaRNGStates": a capital after a small letter, or before one, starts a word.
    if (std::isupper(c) != 0 && i > 0 && (lower_at(i - 1) || lower_at(i + 1))) flush();
    word += static_cast<char>(std::tolower(c));
  }
  flush();
  return words;
}

std::set<std::string> split_words(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const auto c = static_cast<unsigned char>(i < text.size() ? text[i] : ' ');
    if (std::isalnum(c) != 0) {
      word += static_cast<char>(std::tolower(c));
      continue;
    }
    if (word.size() >= 2) words.insert(word);
    word.clear();
  }
  return words;
}

}  // namespace lockstep::report
