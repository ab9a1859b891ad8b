#include "mcp/word_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "report/source/code.h"

namespace lockstep::mcp {

namespace {

using program::Function;
using program::FunctionId;
using program::Program;

constexpr float kNameWeight = 4, kOwnerWeight = 2, kPathWeight = 1, kDocWeight = 1;
constexpr double kTestShare = 1.0 / 3;
constexpr std::size_t kMostDocBytes = 300;
// Words of a task that say what to do, not where; sorted, as words_in gives them ("this" without its s).
constexpr std::array<std::string_view, 72> kStopWords = {
    "a",      "about", "add",   "all",    "an",   "and",     "any",   "are",       "as",      "at",   "be",   "because",
    "but",    "by",    "can",   "change", "code", "context", "do",    "doe",       "explain", "find", "fix",  "for",
    "from",   "get",   "has",   "have",   "how",  "i",       "if",    "implement", "in",      "into", "is",   "it",
    "make",   "me",    "must",  "need",   "new",  "not",     "of",    "on",        "or",      "our",  "self", "set",
    "should", "show",  "so",    "some",   "that", "the",     "their", "them",      "there",   "thi",  "to",   "us",
    "use",    "used",  "using", "want",   "we",   "what",    "when",  "where",     "which",   "why",  "will", "with"};

bool is_stop_word(std::string_view word) {
  return std::binary_search(kStopWords.begin(), kStopWords.end(), word) || word.size() < 2;
}

enum class Kind { kOther, kLower, kUpper, kDigit };
Kind kind_of(char c) {
  if (c >= 'a' && c <= 'z') return Kind::kLower;
  if (c >= 'A' && c <= 'Z') return Kind::kUpper;
  if (c >= '0' && c <= '9') return Kind::kDigit;
  return static_cast<unsigned char>(c) >= 0x80 ? Kind::kLower : Kind::kOther;
}

// "MoELayer" is cut before "Layer": an upper-case letter that a lower-case one follows begins a word.
bool begins_word(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const Kind before = kind_of(text[at - 1]), here = kind_of(text[at]);
  if (before == Kind::kOther) return true;
  if (here != Kind::kUpper) return false;
  return before == Kind::kLower || (at + 1 < text.size() && kind_of(text[at + 1]) == Kind::kLower && before != here) ||
         (before == Kind::kUpper && at + 1 < text.size() && kind_of(text[at + 1]) == Kind::kLower);
}

void add_words(std::map<std::string, float>& found, std::string_view text, float weight) {
  for (std::string& word : words_in(text)) {
    float& slot = found[std::move(word)];
    slot = std::max(slot, weight);
  }
}

}  // namespace

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    if (kind_of(text[i]) == Kind::kOther) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && kind_of(text[end]) != Kind::kOther && !begins_word(text, end)) ++end;
    std::string word = to_lower(text.substr(i, end - i));
    if (word.size() > 3 && word.ends_with('s') && !word.ends_with("ss")) word.pop_back();
    words.push_back(std::move(word));
    i = end;
  }
  return words;
}

WordIndex::WordIndex(const Program& program) : program_(program) {
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(i);
    const Function& function = program.functions()[id];
    if (function.kind == program::FunctionKind::kLambda) continue;
    const program::Module& module = program.modules()[function.module];
    std::map<std::string, float> found;
    add_words(found, module.path, kPathWeight);
    if (function.kind == program::FunctionKind::kFunction) {
      add_words(found, report::docstring_text(function.node).substr(0, kMostDocBytes), kDocWeight);
      if (function.qualified_name.size() > module.name.size())
        add_words(found, std::string_view(function.qualified_name).substr(module.name.size()), kOwnerWeight);
      add_words(found, function.name, kNameWeight);
    }
    for (auto& [word, weight] : found) {
      if (!is_stop_word(word)) postings_[word].push_back({id, weight});
    }
  }
}

std::vector<WordIndex::Match> WordIndex::find(std::string_view task, std::size_t limit) const {
  const std::vector<std::string> all = words_in(task);
  const std::set<std::string> words(all.begin(), all.end());
  std::vector<std::pair<double, std::string_view>> rarity;  // of words that occur
  std::unordered_map<FunctionId, double> scores;
  const double count = static_cast<double>(program_.functions().size() + 1);
  for (const std::string& word : words) {
    const auto found = postings_.find(word);
    if (found == postings_.end()) continue;
    const double idf = std::log(count / static_cast<double>(found->second.size()));
    rarity.emplace_back(-idf, word);
    for (const Posting& posting : found->second) scores[posting.function] += idf * posting.weight;
  }
  std::sort(rarity.begin(), rarity.end());
  std::vector<Match> matches;
  matches.reserve(scores.size());
  for (const auto& [function, score] : scores) {
    const bool is_test = program::is_test_path(program_.module_of(function).path);
    matches.push_back({function, is_test ? score * kTestShare : score, {}});
  }
  const std::size_t kept = std::min(limit, matches.size());
  std::partial_sort(matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(kept), matches.end(),
                    [&](const Match& a, const Match& b) {
                      if (a.score != b.score) return a.score > b.score;
                      return a.function < b.function;
                    });
  matches.resize(kept);
  for (Match& match : matches) {
    for (const auto& [idf, word] : rarity) {
      const std::vector<Posting>& postings = postings_.find(word)->second;
      const auto at = std::lower_bound(postings.begin(), postings.end(), match.function,
                                       [](const Posting& posting, FunctionId id) { return posting.function < id; });
      if (at != postings.end() && at->function == match.function) match.words.emplace_back(word);
    }
  }
  return matches;
}

}  // namespace lockstep::mcp
