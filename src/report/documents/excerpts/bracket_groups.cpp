#include "report/documents/excerpts/bracket_groups.h"

#include <algorithm>

#include "base/strings.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kSign = 2;

bool is_triple(std::string_view line, std::size_t at, char quote) {
  return at + 2 < line.size() && line[at] == quote && line[at + 1] == quote && line[at + 2] == quote;
}

}  // namespace

void BracketReader::reset() {
  depth_ = 0;
  quote_ = 0;
}

/// Of the string that starts at `at`, or, where one is open, of that; the end of the line where it goes on.
std::size_t BracketReader::end_of_string(std::string_view line, std::size_t at) {
  if (quote_ == 0 && !is_triple(line, at, line[at])) {
    const char quote = line[at];
    for (++at; at < line.size() && line[at] != quote; ++at) at += line[at] == '\\' ? 1 : 0;
    return std::min(at + 1, line.size());
  }
  if (quote_ == 0) {
    quote_ = line[at];
    at += 3;
  }
  for (; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (is_triple(line, at, quote_)) {
      quote_ = 0;
      return at + 3;
    }
  }
  return line.size();
}

int BracketReader::read(std::string_view line) {
  std::size_t at = quote_ != 0 ? end_of_string(line, 0) : 0;
  while (at < line.size() && line[at] != '#') {
    const char c = line[at];
    if (c == '"' || c == '\'') {
      at = end_of_string(line, at);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if (c == ')' || c == ']' || c == '}') depth_ = std::max(depth_ - 1, 0);
    ++at;
  }
  return depth_;
}

std::vector<BracketGroup> bracket_groups(const std::vector<std::string_view>& lines, char without) {
  std::vector<BracketGroup> out;
  BracketReader reader;
  bool is_open = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() < kSign || lines[i].front() == without) continue;
    const std::string_view text = lines[i].substr(kSign);
    if (trim(text).starts_with("\u2026")) {
      reader.reset();
      is_open = false;
      continue;
    }
    const bool opens = reader.read(text) > 0;
    if (opens && !is_open) out.push_back({i, i});
    if (opens || is_open) out.back().last = i;
    is_open = opens;
  }
  return out;
}

}  // namespace lockstep::report
