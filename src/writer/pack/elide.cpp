#include "writer/pack/elide.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "render/graph_text.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostHead = 24;
constexpr std::size_t kTail = 2;
constexpr std::size_t kGapTokens = 9;
constexpr std::size_t kMostAround = 12;  // lines before and after one that matters
constexpr std::size_t kSmallGap = 4;     // lines; what says that they are left out is as long

std::string_view source_of(std::string_view numbered) {
  const std::size_t bar = numbered.find('|');
  return trim(bar == std::string_view::npos ? numbered : numbered.substr(bar + 1));
}

// Of the line's text, in characters; none of an empty line.
std::size_t indent_of(std::string_view numbered) {
  const std::size_t bar = numbered.find('|');
  return numbered.find_first_not_of(' ', bar == std::string_view::npos ? 0 : bar + 1);
}

// The lines that open the blocks around a line, the innermost first.
std::vector<std::size_t> blocks_around(const std::vector<std::string>& lines, std::size_t line) {
  std::vector<std::size_t> heads;
  std::size_t indent = line < lines.size() ? indent_of(lines[line]) : 0;
  for (std::size_t i = std::min(line, lines.size()); i-- > 0;) {
    const std::size_t at = indent_of(lines[i]);
    if (at >= indent) continue;  // An empty line is at npos.
    heads.push_back(i);
    indent = at;
  }
  return heads;
}

// The lines of decorators and signature: up to the first that ends with a colon, as `def f(x):` does.
std::size_t head_of(const std::vector<std::string>& lines) {
  const std::size_t most = std::min(lines.size(), kMostHead);
  for (std::size_t i = 0; i < most; ++i) {
    if (source_of(lines[i]).ends_with(':')) return i + 1;
  }
  return std::min<std::size_t>(most, 1);
}

class Chosen {
 public:
  Chosen(const std::vector<std::string>& lines, std::size_t tokens) : lines_(lines), left_(tokens) {
    shown_.resize(lines.size());
  }
  /// Each new line may open one more gap; false where it does not fit.
  bool add(std::size_t index) {
    if (index >= lines_.size() || shown_[index]) return true;
    const bool joins = (index > 0 && shown_[index - 1]) || (index + 1 < lines_.size() && shown_[index + 1]);
    const std::size_t cost = render::estimate_tokens(lines_[index]) + 1 + (joins ? 0 : kGapTokens);
    if (cost > left_) return false;
    left_ -= cost;
    shown_[index] = true;
    return true;
  }
  void close_small_gaps() {
    for (std::size_t i = 0; i < shown_.size();) {
      std::size_t end = i;
      while (end < shown_.size() && !shown_[end]) ++end;
      if (i > 0 && end < shown_.size() && end - i <= kSmallGap) {
        left_ += kGapTokens;  // That is no longer said.
        for (std::size_t line = i; line < end; ++line) add(line);
      }
      i = std::max(end, i + 1);
    }
  }
  [[nodiscard]] std::vector<std::string> text() {
    close_small_gaps();
    std::vector<std::string> out;
    std::size_t gap = 0;
    const auto close_gap = [&] {
      if (gap > 0) out.push_back(fmt::format("     | \u2026 {} left out", count_of(gap, "line")));
      gap = 0;
    };
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!shown_[i]) {
        ++gap;
        continue;
      }
      close_gap();
      out.push_back(lines_[i]);
    }
    close_gap();
    return out;
  }

 private:
  const std::vector<std::string>& lines_;
  std::size_t left_;
  std::vector<bool> shown_;
};

}  // namespace

std::vector<std::string> elided(const std::vector<std::string>& lines, const std::vector<std::size_t>& needed,
                                std::size_t tokens) {
  std::size_t all = 0;
  for (const std::string& line : lines) all += render::estimate_tokens(line) + 1;
  if (all <= tokens) return lines;
  Chosen chosen(lines, tokens > kGapTokens ? tokens - kGapTokens : 0);
  const std::size_t head = head_of(lines);
  for (std::size_t i = 0; i < head; ++i) {
    if (!chosen.add(i)) return {};
  }
  for (std::size_t i = 0; i < kTail && i < lines.size(); ++i) chosen.add(lines.size() - 1 - i);
  for (const std::size_t line : needed) {
    if (!chosen.add(line)) return chosen.text();
    if (line > 0) chosen.add(line - 1);
    chosen.add(line + 1);
    for (const std::size_t block : blocks_around(lines, line)) chosen.add(block);
  }
  for (std::size_t away = 2; away <= kMostAround; ++away) {
    for (const std::size_t line : needed) {
      if ((line >= away && !chosen.add(line - away)) || !chosen.add(line + away)) return chosen.text();
    }
  }
  for (std::size_t i = head; i < lines.size(); ++i) {
    const std::string_view source = source_of(lines[i]);
    if (contains(source, "(") && !source.starts_with('#') && !chosen.add(i)) break;
  }
  return chosen.text();
}

}  // namespace lockstep::writer
