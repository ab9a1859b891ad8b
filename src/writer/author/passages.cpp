#include "writer/author/passages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "render/markdown.h"
#include "report/language/language.h"
#include "rules/rule.h"
#include "writer/pack/data_text.h"

namespace lockstep::writer {

namespace {

using report::Block;
using report::Inline;
using report::text_of;

constexpr std::size_t kMostShown = 260;  // bytes of one passage

bool names_a_rule(const Inline& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const report::Run& run) {
    return run.style == report::Style::kCode && rules::find_rule(run.text) != nullptr;
  });
}

std::string text_of(const std::vector<Inline>& cells) {
  std::string text;
  for (const Inline& cell : cells) text += (text.empty() ? "" : " | ") + text_of(cell);
  return text;
}

bool names_a_rule(const std::vector<Inline>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const Inline& cell) { return names_a_rule(cell); });
}

std::string text_of(const report::DiagramBlock& diagram) {
  report::Document alone;
  alone.blocks.push_back({diagram});
  const std::string source = render::render_markdown(alone);
  return "diagram: " + replace_all(replace_all(source, "```mermaid", ""), "```", "");
}

std::string text_of(const report::Table& table) {
  std::string text = "table: " + text_of(table.header);
  if (!table.rows.empty())
    text += fmt::format("; {}, the first: {}", count_of(table.rows.size(), "row"), text_of(table.rows.front()));
  return text;
}

void add_offered(const std::vector<Block>& blocks, std::vector<Block>& offered) {
  for (const Block& block : blocks) {
    const bool is_offered =
        std::holds_alternative<report::Table>(block.value) || std::holds_alternative<report::DiagramBlock>(block.value);
    if (is_offered && offered.size() < kMostPassages) offered.push_back(block);
    if (const auto* fold = std::get_if<report::Details>(&block.value)) add_offered(fold->blocks, offered);
  }
}

void add_remains(const std::vector<Block>& blocks, Remains& remains) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    if (const auto* paragraph = std::get_if<report::Paragraph>(&block.value)) {
      if (names_a_rule(paragraph->text)) remains.findings.push_back(block);
    } else if (const auto* list = std::get_if<report::List>(&block.value)) {
      report::List kept = *list;
      std::erase_if(kept.items, [](const report::ListItem& item) { return !names_a_rule(item.text); });
      if (!kept.items.empty()) remains.findings.push_back({std::move(kept)});
    } else if (const auto* table = std::get_if<report::Table>(&block.value)) {
      report::Table kept = *table;
      std::erase_if(kept.rows, [](const std::vector<Inline>& row) { return !names_a_rule(row); });
      if (!kept.rows.empty()) remains.findings.push_back({std::move(kept)});
    } else if (const auto* fold = std::get_if<report::Details>(&block.value)) {
      add_remains(fold->blocks, remains);
    } else if (std::holds_alternative<report::Quote>(block.value)) {
      if (i > 0 && std::holds_alternative<report::Paragraph>(blocks[i - 1].value))
        remains.quotes.push_back(blocks[i - 1]);
      remains.quotes.push_back(block);
    }
  }
}

bool is_empty(const Block& block) {
  const auto* paragraph = std::get_if<report::Paragraph>(&block.value);
  return paragraph != nullptr && paragraph->text.empty();
}

bool is_numbered(const report::Heading& heading) {
  const std::string title = text_of(heading.text);
  return !title.empty() && title.front() >= '0' && title.front() <= '9';
}

void close_gaps_in(std::vector<Block>& blocks, std::string_view language) {
  for (Block& block : blocks) {
    auto* fold = std::get_if<report::Details>(&block.value);
    if (fold == nullptr) continue;
    close_gaps_in(fold->blocks, language);
    if (fold->blocks.empty()) block.value = report::Paragraph{};
  }
  std::erase_if(blocks, is_empty);
  for (std::size_t i = blocks.size(); i-- > 0;) {
    const auto* heading = std::get_if<report::Heading>(&blocks[i].value);
    if (heading == nullptr) continue;
    const auto* next = i + 1 < blocks.size() ? std::get_if<report::Heading>(&blocks[i + 1].value) : nullptr;
    const bool is_bare = i + 1 == blocks.size() || (next != nullptr && next->level <= heading->level);
    if (!is_bare) continue;
    if (is_numbered(*heading)) {
      blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                    Block{report::Paragraph{report::in_language(
                        report::prose("N/A - what there is to say of it stands in the text."), language)}});
    } else {
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace

std::vector<Block> offered_passages(const std::vector<Block>& own) {
  std::vector<Block> offered;
  add_offered(own, offered);
  return offered;
}

std::string numbered_passages(const std::vector<Block>& offered) {
  report::CodeBlock listed;
  listed.language = "text";
  for (std::size_t i = 0; i < offered.size(); ++i) {
    const auto* table = std::get_if<report::Table>(&offered[i].value);
    const std::string text =
        table != nullptr ? text_of(*table) : text_of(std::get<report::DiagramBlock>(offered[i].value));
    std::string line = data_text(std::string(trim(replace_all(text, "\n", " "))));
    while (contains(line, "  ")) line = replace_all(line, "  ", " ");
    if (line.size() > kMostShown) line = std::string(cut_at_character(line, kMostShown)) + "\u2026";
    listed.lines.push_back(fmt::format("[{}] {}", i + 1, line));
  }
  if (listed.lines.empty()) return {};
  report::Document document;
  document.code_block(std::move(listed));
  return render::render_markdown(document);
}

Remains remains_of(const std::vector<Block>& own) {
  Remains remains;
  add_remains(own, remains);
  return remains;
}

void close_gaps(report::Document& document, std::string_view language) { close_gaps_in(document.blocks, language); }

std::set<std::size_t> numbers_in(std::string_view text) {
  std::set<std::size_t> numbers;
  std::size_t last = 0;
  bool is_range = false;
  for (std::size_t at = 0; at < text.size() && numbers.size() < kMostPassages;) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc{}) {
      if (text[at] == '-' && last != 0) {
        is_range = true;
      } else if (text[at] != ' ' && text[at] != '[' && text[at] != ']') {
        is_range = false;
      }
      ++at;
      continue;
    }
    if (is_range && number > last && number <= kMostPassages) {
      for (std::size_t i = last + 1; i < number; ++i) numbers.insert(i);
    }
    if (number > 0 && number <= kMostPassages) numbers.insert(number);
    last = number;
    is_range = false;
    at = static_cast<std::size_t>(end - text.data());
  }
  return numbers;
}

}  // namespace lockstep::writer
