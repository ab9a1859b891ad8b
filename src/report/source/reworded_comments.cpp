#include "report/source/reworded_comments.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/strings.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view sentence) {
  Words out;
  for (std::string_view word : split(sentence, ' ')) {
    const auto is_mark = [](char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; };
    while (!word.empty() && is_mark(word.back())) word.remove_suffix(1);
    while (!word.empty() && is_mark(word.front())) word.remove_prefix(1);
    if (!word.empty()) out.push_back(to_lower(word));
  }
  return out;
}

/// Whether the word may turn a sentence round.
bool turns(std::string_view word) {
  static constexpr std::string_view kTurning[] = {"not",     "no",     "never",  "only",    "without", "cannot",
                                                  "can't",   "none",   "unless", "before",  "after",   "always",
                                                  "instead", "longer", "must",   "doesn't", "don't",   "isn't"};
  return std::find(std::begin(kTurning), std::end(kTurning), word) != std::end(kTurning);
}

/// The words of each that a longest common subsequence leaves out.
std::pair<Words, Words> left_out(const Words& a, const Words& b) {
  std::vector<std::size_t> best((a.size() + 1) * (b.size() + 1), 0);
  const auto cell = [&](std::size_t i, std::size_t k) -> std::size_t& { return best[i * (b.size() + 1) + k]; };
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t k = b.size(); k-- > 0;)
      cell(i, k) = a[i] == b[k] ? cell(i + 1, k + 1) + 1 : std::max(cell(i + 1, k), cell(i, k + 1));
  }
  std::pair<Words, Words> out;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() || k < b.size()) {
    if (i < a.size() && k < b.size() && a[i] == b[k]) {
      ++i;
      ++k;
    } else if (k == b.size() || (i < a.size() && cell(i + 1, k) >= cell(i, k + 1))) {
      out.first.push_back(a[i++]);
    } else {
      out.second.push_back(b[k++]);
    }
  }
  return out;
}

}  // namespace

RemovedComments::RemovedComments(const change::Change& change, std::string_view path) {
  constexpr std::size_t kMost = 400;
  for (const change::FileSummary& file : change.files) {
    if (file.file->path() != path) continue;
    std::string block;
    const auto flush = [&] {
      for (const std::string_view one : sentences_in(block)) {
        if (sentences_.size() < kMost) sentences_.push_back(words_of(one));
      }
      block.clear();
    };
    for (const repo::Hunk& hunk : file.file->lines.hunks()) {
      for (const repo::DiffLine& line : hunk.lines) {
        if (line.kind == repo::LineKind::added) continue;  // The old lines stand below one another.
        std::string_view text = trim(line.text);
        if (line.kind != repo::LineKind::removed || !text.starts_with("#")) {
          flush();
          continue;
        }
        text.remove_prefix(std::min(text.find_first_not_of("# "), text.size()));
        block.append(block.empty() ? "" : " ").append(text);
      }
      flush();
    }
  }
}

bool RemovedComments::say_nearly(std::string_view sentence) const {
  constexpr std::size_t kFewest = 6;  // Words that stay.
  constexpr std::size_t kMost = 3;    // Words of either that do not.
  const Words now = words_of(sentence);
  return std::any_of(sentences_.begin(), sentences_.end(), [&](const Words& was) {
    if (was.size() < kFewest || now.size() < kFewest || was.size() > now.size() + kMost ||
        now.size() > was.size() + kMost)
      return false;
    const auto [gone, come] = left_out(was, now);
    // A quarter of what is said is said otherwise: that may be another thing.
    return gone.size() <= kMost && come.size() <= kMost && was.size() - gone.size() >= kFewest &&
           come.size() * 4 <= now.size() && std::none_of(gone.begin(), gone.end(), turns) &&
           std::none_of(come.begin(), come.end(), turns);
  });
}

}  // namespace lockstep::report
