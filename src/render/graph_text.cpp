#include "render/graph_text.h"

#include <algorithm>

#include "base/strings.h"
#include "base/worker_pool.h"
#include "render/text_safety.h"
#include "text/source.h"

namespace lockstep::render {

namespace {

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// How many of their last parts two dotted names share.
std::size_t shared_parts(std::string_view a, std::string_view b) {
  std::size_t parts = 0;
  while (!a.empty() && !b.empty() && last_part(a) == last_part(b)) {
    ++parts;
    a.remove_suffix(std::min(a.size(), last_part(a).size() + 1));
    b.remove_suffix(std::min(b.size(), last_part(b).size() + 1));
  }
  return parts;
}

/// The end of a dotted name, of so many parts; the whole name if it has no more.
std::string_view last_parts(std::string_view name, std::size_t parts) {
  std::size_t begin = name.size();
  for (; parts > 0 && begin != std::string_view::npos && begin > 0; --parts) begin = name.rfind('.', begin - 1);
  return begin == std::string_view::npos || begin == 0 ? name : name.substr(begin + 1);
}

/// The last eight characters as a number that compares as they do from the end.
std::uint64_t last_characters(std::string_view name) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    key = key << 8 | (i < name.size() ? static_cast<unsigned char>(name[name.size() - 1 - i]) : 0u);
  }
  return key;
}

}  // namespace

ShortNames::ShortNames(const report::GraphModel& model, std::size_t jobs) : names_(model.nodes.size()) {
  // Sorted from the end, the name that shares most of its end with another stands next to it.
  struct FromEnd {
    std::uint64_t last;  // eight characters, the last first
    std::uint32_t node;
  };
  std::vector<FromEnd> order(names_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = {last_characters(model.nodes[i].qualified_name), i};
  const auto name = [&](const FromEnd& each) { return model.nodes[each.node].qualified_name; };
  std::sort(order.begin(), order.end(), [&](const FromEnd& a, const FromEnd& b) {
    if (a.last != b.last) return a.last < b.last;
    const std::string_view left = name(a);
    const std::string_view right = name(b);
    return std::lexicographical_compare(left.rbegin(), left.rend(), right.rbegin(), right.rend());
  });
  constexpr std::size_t kAtOnce = 1024;
  parallel_for((order.size() + kAtOnce - 1) / kAtOnce, jobs, [&](std::size_t chunk) {
    for (std::size_t i = chunk * kAtOnce; i < std::min(order.size(), (chunk + 1) * kAtOnce); ++i) {
      std::size_t parts = 2;
      if (i > 0) parts = std::max(parts, shared_parts(name(order[i]), name(order[i - 1])) + 1);
      if (i + 1 < order.size()) parts = std::max(parts, shared_parts(name(order[i]), name(order[i + 1])) + 1);
      names_[order[i].node] = last_parts(name(order[i]), parts);
    }
  });
}

std::string safe_line(std::string_view untrusted, std::size_t limit) {
  std::string text = is_plain(untrusted) ? std::string(untrusted) : visible_text(untrusted, false);
  if (text.size() <= limit) return text;
  text.resize(cut_at_character(text, limit).size());
  return text + "…";
}

std::size_t estimate_tokens(std::string_view text) {
  // Tokenizers cut at changes between letters, digits, marks and blanks; a word of code is one token for about every
  // five letters, digits go by threes, a run of marks by twos.
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto kind = [&](std::size_t at) {
      const auto c = static_cast<unsigned char>(text[at]);
      if (c >= 0x80) return 4;
      if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') return 1;
      if (c >= '0' && c <= '9') return 2;
      return c == ' ' || c == '\n' ? 0 : 3;
    };
    const int first = kind(i);
    std::size_t end = i + 1;
    while (end < text.size() && kind(end) == first) ++end;
    const std::size_t size = end - i;
    if (first == 1) tokens += (size + 5) / 6;
    if (first == 2) tokens += (size + 2) / 3;
    if (first == 3) tokens += (size + 1) / 2;
    if (first == 4) tokens += (size + 2) / 3;
    if (first == 0 && text[i] == '\n') ++tokens;
    i = end;
  }
  return tokens;
}

std::string_view certainty_text(program::Certainty certainty) {
  constexpr std::string_view kNames[] = {"exact", "possible", "by-name"};
  return kNames[static_cast<std::size_t>(certainty)];
}

std::string_view kind_text(program::CallKind kind) {
  constexpr std::string_view kNames[] = {"direct", "constructor", "module-call", "autograd", "implicit", "callback"};
  return kNames[static_cast<std::size_t>(kind)];
}

const std::string& path_of(const report::GraphModel& model, const report::GraphNode& node) {
  return model.program->modules()[model.files[node.file].module].path;
}

const std::string& module_of(const report::GraphModel& model, const report::GraphNode& node) {
  return model.program->modules()[model.files[node.file].module].name;
}

}  // namespace lockstep::render
