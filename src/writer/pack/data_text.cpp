#include "writer/pack/data_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "render/text_safety.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kShownEncoded = 16;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_encoded(char c) {
  return is_lower(c) || is_upper(c) || is_digit(c) || c == '+' || c == '/' || c == '=' || c == '_' || c == '-';
}

// Encoded bytes change between cases and digits at six of ten characters (26, 26 and 10 of 64), CamelCase at three; a
// hash has 64 hexadecimal digits, and two may stand together.
bool reads_as_encoded(std::string_view run) {
  if (run.size() < kLongestEncoded) return false;
  const auto kind = [](char c) { return is_lower(c) ? 0 : is_upper(c) ? 1 : is_digit(c) ? 2 : 3; };
  const bool is_hex = std::all_of(
      run.begin(), run.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
  if (is_hex) return run.size() > 128;
  std::size_t changes = 0, marks = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (i > 0 && kind(run[i]) != kind(run[i - 1])) ++changes;
    marks += kind(run[i]) == 3 ? 1 : 0;
  }
  return changes * 20 > run.size() * 9 && marks * 8 <= run.size();  // not snake_case, paths, rulers of dashes
}

std::string without_encoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_encoded(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const std::string_view run = text.substr(at, end - at);
    at = end;
    if (!reads_as_encoded(run)) {
      out += run;
    } else {
      out += fmt::format("{}\u2026\u27e8{} encoded characters\u27e9", run.substr(0, kShownEncoded), run.size());
    }
  }
  return out;
}

// Characters that print nothing and that render/text_safety.h leaves alone because they have uses in running text.
std::string without_fillers(std::string_view text) {
  struct Range {
    std::string_view first, last, name;
  };
  // UTF-8 compares as code points do.
  static constexpr Range kRanges[] = {
      {"\xcd\x8f", "\xcd\x8f", "U+034F"},
      {"\xe1\x85\x9f", "\xe1\x85\xa0", "U+115F"},
      {"\xe1\x9e\xb4", "\xe1\x9e\xb5", "U+17B4"},
      {"\xe1\xa0\x8b", "\xe1\xa0\x8f", "U+180B"},
      {"\xe3\x85\xa4", "\xe3\x85\xa4", "U+3164"},
      {"\xef\xbe\xa0", "\xef\xbe\xa0", "U+FFA0"},
      {"\xf3\xa0\x82\x80", "\xf3\xa0\x87\xaf", "U+E0100"},  // variation selectors 17 to 256, and what is not assigned
  };
  if (std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    const std::string_view sequence = text.substr(at, length);
    at += sequence.size();
    const auto* const range = std::find_if(std::begin(kRanges), std::end(kRanges), [&](const Range& one) {
      return one.first.size() == sequence.size() && one.first <= sequence && sequence <= one.last;
    });
    if (range == std::end(kRanges)) {
      out += sequence;
    } else {
      out += fmt::format("\u27e8{}\u27e9", range->name);
    }
  }
  return out;
}

void clean(report::Inline& runs) {
  for (report::Run& run : runs) {
    // Its kind is kept: a path stays a path, and a link goes where its author of Lockstep sent it.
    if (run.style != report::Style::kPlace) run.text = data_text(run.text);
  }
}

void clean(std::vector<report::Block>& blocks, int depth);

struct Harmless {
  int depth;
  void operator()(report::Heading& block) const { clean(block.text); }
  void operator()(report::Paragraph& block) const { clean(block.text); }
  void operator()(report::List& block) const {
    for (report::ListItem& item : block.items) {
      clean(item.text);
      clean(item.children, depth + 1);
    }
  }
  void operator()(report::Table& block) const {
    for (report::Inline& cell : block.header) clean(cell);
    for (auto& row : block.rows) {
      for (report::Inline& cell : row) clean(cell);
    }
  }
  void operator()(report::CodeBlock& block) const {
    for (std::string& line : block.lines) line = data_text(line);
  }
  void operator()(report::DiagramBlock&) const {}
  void operator()(report::Quote& block) const { clean(block.blocks, depth + 1); }
  void operator()(report::Details& block) const {
    clean(block.summary);
    clean(block.blocks, depth + 1);
  }
  void operator()(report::Divider&) const {}
};

// Lockstep's own documents nest a few levels.
void clean(std::vector<report::Block>& blocks, int depth) {
  if (depth > 20) return;
  for (report::Block& block : blocks) std::visit(Harmless{depth}, block.value);
}

}  // namespace

std::string data_text(std::string_view untrusted) {
  return without_encoded(without_fillers(render::visible_text(untrusted, true)));
}

void make_harmless(report::Document& document) {
  clean(document.title);
  clean(document.blocks, 0);
}

}  // namespace lockstep::writer
