#include "writer/author/passages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "base/strings.h"
#include "render/markdown.h"
#include "report/language.h"
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

std::string text_of(const report::CodeBlock& code) {
  std::string text = "code";
  if (!code.path.empty()) text += " of " + code.path;
  if (code.first_line && code.last_line) text += fmt::format(":{}-{}", *code.first_line + 1, *code.last_line + 1);
  return text;
}

std::string text_of(const report::DiagramBlock& diagram) {
  report::Document alone;
  alone.blocks.push_back({diagram});
  const std::string source = render::render_markdown(alone);
  return "diagram: " + replace_all(replace_all(source, "```mermaid", ""), "```", "");
}

/// Visits every passage in order; `visit` says whether it stays. Blocks of which nothing is left become empty
/// paragraphs.
class Walk {
 public:
  using Visit = std::function<bool(const std::string& text)>;
  explicit Walk(Visit visit) : visit_(std::move(visit)) {}

  void run(std::vector<Block>& blocks, const std::vector<bool>* is_left) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (is_left != nullptr && i < is_left->size() && (*is_left)[i]) continue;
      if (!stays(blocks[i])) blocks[i].value = report::Paragraph{};
    }
  }

 private:
  bool stays(Block& block) {
    if (auto* paragraph = std::get_if<report::Paragraph>(&block.value))
      return paragraph->text.empty() || names_a_rule(paragraph->text) || visit_(text_of(paragraph->text));
    if (auto* list = std::get_if<report::List>(&block.value)) {
      std::erase_if(list->items, [&](const report::ListItem& item) {
        return !names_a_rule(item.text) && !visit_(text_of(item.text));
      });
      return !list->items.empty();
    }
    if (auto* table = std::get_if<report::Table>(&block.value)) {
      std::erase_if(table->rows,
                    [&](const std::vector<Inline>& row) { return !names_a_rule(row) && !visit_(text_of(row)); });
      return !table->rows.empty();
    }
    if (const auto* code = std::get_if<report::CodeBlock>(&block.value)) return visit_(text_of(*code));
    if (const auto* diagram = std::get_if<report::DiagramBlock>(&block.value)) return visit_(text_of(*diagram));
    if (auto* fold = std::get_if<report::Details>(&block.value)) {
      run(fold->blocks, nullptr);
      std::erase_if(fold->blocks, is_empty);
      return std::any_of(fold->blocks.begin(), fold->blocks.end(),
                         [](const Block& inner) { return !std::holds_alternative<report::Heading>(inner.value); });
    }
    return true;  // headings, quotes of the author's words, dividers
  }

 public:
  static bool is_empty(const Block& block) {
    const auto* paragraph = std::get_if<report::Paragraph>(&block.value);
    return paragraph != nullptr && paragraph->text.empty();
  }

 private:
  Visit visit_;
};

}  // namespace

std::string numbered_passages(const report::Document& own, const std::vector<bool>& is_left) {
  report::Document copy = own;
  report::CodeBlock listed;
  listed.language = "text";
  std::size_t number = 0;
  Walk([&](const std::string& text) {
    if (++number <= kMostPassages) {
      std::string line = data_text(std::string(trim(replace_all(text, "\n", " "))));
      if (line.size() > kMostShown) line = std::string(cut_at_character(line, kMostShown)) + "\u2026";
      listed.lines.push_back(fmt::format("[{}] {}", number, line));
    }
    return true;
  }).run(copy.blocks, &is_left);
  if (listed.lines.empty()) return {};
  report::Document document;
  document.code_block(std::move(listed));
  return render::render_markdown(document);
}

namespace {

bool is_numbered(const report::Heading& heading) {
  const std::string title = text_of(heading.text);
  return !title.empty() && title.front() >= '0' && title.front() <= '9';
}

/// Takes from `numbers` those of sections that would be empty.
void spare_sections(const report::Document& own, const std::vector<bool>& is_left, const std::vector<bool>& is_told,
                    std::set<std::size_t>& numbers) {
  std::size_t number = 0;
  std::vector<std::size_t> section;  // passages below the last heading
  bool is_needed = false;
  const auto close = [&] {
    const bool goes_whole = !section.empty() && std::all_of(section.begin(), section.end(),
                                                            [&](std::size_t one) { return numbers.contains(one); });
    if (is_needed && goes_whole) {
      for (const std::size_t one : section) numbers.erase(one);
    }
    section.clear();
  };
  for (std::size_t i = 0; i < own.blocks.size(); ++i) {
    if (const auto* heading = std::get_if<report::Heading>(&own.blocks[i].value)) {
      close();
      is_needed = is_numbered(*heading) && !(i < is_told.size() && is_told[i]);
    }
    if (i < is_left.size() && is_left[i]) continue;
    std::vector<Block> alone = {own.blocks[i]};
    Walk([&](const std::string&) {
      section.push_back(++number);
      return false;
    }).run(alone, nullptr);
    const bool is_heading = std::holds_alternative<report::Heading>(own.blocks[i].value);
    if (!is_heading && !Walk::is_empty(alone.front())) is_needed = false;  // what no number takes out
  }
  close();
}

}  // namespace

std::size_t leave_out(report::Document& own, const std::vector<bool>& is_left, const std::vector<bool>& is_told,
                      std::set<std::size_t> numbers) {
  spare_sections(own, is_left, is_told, numbers);
  std::size_t number = 0;
  std::size_t gone = 0;
  Walk([&](const std::string&) {
    const bool goes = numbers.contains(++number);
    gone += goes ? 1 : 0;
    return !goes;
  }).run(own.blocks, &is_left);
  return gone;
}

namespace {

void close_gaps_in(std::vector<Block>& blocks, std::string_view language) {
  for (Block& block : blocks) {
    auto* fold = std::get_if<report::Details>(&block.value);
    if (fold == nullptr) continue;
    close_gaps_in(fold->blocks, language);
    if (fold->blocks.empty()) block.value = report::Paragraph{};
  }
  std::erase_if(blocks, Walk::is_empty);
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
