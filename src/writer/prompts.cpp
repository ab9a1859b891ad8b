#include "writer/prompts.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/check.h"
#include "base/strings.h"

namespace lockstep::writer {

namespace {

constexpr std::array<std::string_view, 28> kNames = {
    "system",        "tools",      "language",      "document",   "explain-what",    "explain-where", "explain-walk",
    "explain-risks", "dive-tldr",  "dive-picture",  "dive-scope", "dive-background", "dive-approach", "dive-points",
    "dive-entry",    "dive-chain", "dive-data",     "dive-walk",  "dive-relations",  "dive-risks",    "dive-index",
    "dive-pointers", "review",     "review-refute", "repair",     "unseen",          "proofread",     "continue"};
constexpr std::string_view kVersion = "version: ";

}  // namespace

std::span<const std::string_view> prompt_names() { return kNames; }

Prompt find_prompt(std::string_view name) {
  const std::string_view whole = prompt_text(name);
  const std::size_t end = whole.find('\n');
  CHECK(whole.starts_with(kVersion) && end != std::string_view::npos);
  Prompt prompt{name, 0, trim(whole.substr(end))};
  std::from_chars(whole.data() + kVersion.size(), whole.data() + end, prompt.version);
  CHECK(prompt.version > 0);
  return prompt;
}

std::string filled_prompt(std::string_view name, const std::vector<std::pair<std::string_view, std::string>>& holes) {
  // Hole by hole from the left, so that what fills one is never taken for another.
  const std::string_view text = find_prompt(name).text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("{{", at);
    const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open);
    out += text.substr(at, close == std::string_view::npos ? text.size() : open - at);
    if (close == std::string_view::npos) break;
    const std::string_view hole = text.substr(open + 2, close - open - 2);
    bool is_filled = false;
    for (const auto& [key, value] : holes) {
      if (key != hole) continue;
      out += value;
      is_filled = true;
    }
    CHECK(is_filled);
    at = close + 2;
  }
  return out;
}

std::string prompt_id(std::string_view name) { return fmt::format("{} v{}", name, find_prompt(name).version); }

std::string prompt_list() {
  std::string text;
  for (const std::string_view name : kNames) {
    const Prompt prompt = find_prompt(name);
    const std::string_view line = prompt.text.substr(0, prompt.text.find('\n'));
    const std::size_t stop = line.find(". ");
    text += fmt::format("{:<16} v{}  {}\n", name, prompt.version, line.substr(0, stop == line.npos ? stop : stop + 1));
  }
  return text;
}

}  // namespace lockstep::writer
