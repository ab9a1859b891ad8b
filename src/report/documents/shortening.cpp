#include "report/documents/shortening.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace lockstep::report {

namespace {

template <typename T>
T* as_block(Block& block) {
  return std::get_if<T>(&block.value);
}

/// [from, to) of the blocks below the last heading of this text, the heading with them; empty where there is none.
struct Section {
  std::size_t from = 0, to = 0;
};

Section section_of(const Document& document, std::string_view heading) {
  Section found;
  int level = 0;
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const auto* one = std::get_if<Heading>(&document.blocks[i].value);
    if (one == nullptr) continue;
    if (found.to == 0 && level > 0 && one->level <= level) found.to = i;
    if (text_of(one->text) == heading) {
      found = {i, 0};
      level = one->level;
    }
  }
  if (level == 0) return {};
  if (found.to == 0) found.to = document.blocks.size();
  return found;
}

/// Words of the author.
bool is_quoted(const Inline& text) { return text_of(text).find("\u201c") != std::string::npos; }

/// Takes the last item that quotes nothing out of the last list of the section; with its only item the list goes, and a
/// section that holds nothing else.
bool take_item(Document& document, std::string_view heading) {
  const Section section = section_of(document, heading);
  for (std::size_t i = section.to; i-- > section.from;) {
    auto* list = as_block<List>(document.blocks[i]);
    if (list == nullptr) continue;
    const auto last = std::find_if(list->items.rbegin(), list->items.rend(),
                                   [](const ListItem& one) { return !is_quoted(one.text); });
    if (last == list->items.rend()) continue;
    list->items.erase(std::next(last).base());
    if (!list->items.empty()) return true;
    const bool is_all = section.to - section.from == 2;
    const auto begin = document.blocks.begin() + static_cast<std::ptrdiff_t>(is_all ? section.from : i);
    document.blocks.erase(begin, document.blocks.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return true;
  }
  return false;
}

/// The same of the list below the last paragraph that says "Variables:", which goes with it.
bool take_variables(Document& document) {
  for (std::size_t i = document.blocks.size(); i-- > 1;) {
    auto* list = as_block<List>(document.blocks[i]);
    const auto* head = as_block<Paragraph>(document.blocks[i - 1]);
    if (list == nullptr || head == nullptr || text_of(head->text) != "Variables:") continue;
    if (!list->items.empty()) list->items.pop_back();
    if (list->items.empty())
      document.blocks.erase(document.blocks.begin() + static_cast<std::ptrdiff_t>(i) - 1,
                            document.blocks.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return true;
  }
  return false;
}

bool take_row(Document& document) {
  constexpr std::size_t kFewest = 5;
  const Section section = section_of(document, "Before and after");
  for (std::size_t i = section.from; i < section.to; ++i) {
    auto* table = as_block<Table>(document.blocks[i]);
    if (table == nullptr || table->rows.size() <= kFewest) continue;
    table->rows.pop_back();
    return true;
  }
  return false;
}

}  // namespace

std::size_t drawings_in(const Document& document) {
  return static_cast<std::size_t>(std::count_if(document.blocks.begin(), document.blocks.end(), [](const Block& block) {
    return std::holds_alternative<DiagramBlock>(block.value);
  }));
}

Document shortened(Document document, std::size_t most_words) {
  while (word_count(document, true) > most_words) {
    const bool is_shorter = take_item(document, "Concepts behind it") || take_variables(document) ||
                            take_item(document, "Pitfalls and possible improvements") || take_row(document);
    if (!is_shorter) break;
  }
  return document;
}

}  // namespace lockstep::report
