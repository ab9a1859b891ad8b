#include "writer/author/told_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "report/story/wording/words.h"
#include "writer/author/placements_parts.h"
#include "writer/pack/data_text.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

template <class Kind>
Kind* first_of(std::span<report::Block> own) {
  for (report::Block& block : own) {
    if (auto* found = std::get_if<Kind>(&block.value)) return found;
  }
  return nullptr;
}

// Whether one of the two is the end of the other, in whole names: `forward` and `Router.forward`, a file and its path.
bool means(std::string_view listed, std::string_view name) {
  const std::string_view shorter = listed.size() < name.size() ? listed : name;
  const std::string_view longer = listed.size() < name.size() ? name : listed;
  if (shorter.empty() || !longer.ends_with(shorter)) return false;
  const std::size_t rest = longer.size() - shorter.size();
  return rest == 0 || longer[rest - 1] == '.' || longer[rest - 1] == '/';
}

// Names in the cell: "`a.py` and `b.py`" are two.
std::vector<std::string> names_in(const report::Inline& cell) {
  std::vector<std::string> names;
  for (const report::Run& run : cell) {
    if (run.style == report::Style::kCode || run.style == report::Style::kPlace)
      names.push_back(internal::plain_name(run.text));
  }
  return names;
}

bool lists(const report::Inline& cell, std::string_view name) {
  const std::vector<std::string> names = names_in(cell);
  return std::any_of(names.begin(), names.end(), [&](const std::string& one) { return means(one, name); });
}

std::vector<std::size_t> rows_named(const report::Table& table, std::size_t column, std::string_view name) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (column < table.rows[i].size() && lists(table.rows[i][column], name)) rows.push_back(i);
  }
  return rows;
}

}  // namespace

std::vector<ToldRow> take_told_rows(ModelText& text) {
  std::vector<ToldRow> rows;
  for (Passage& passage : text.passages) {
    if (!passage.is_item) continue;
    ToldRow row;
    for (const std::string& sentence : passage.sentences) {
      std::string_view words = sentence;
      if (row.name.empty()) {
        if (words.starts_with("**")) words.remove_prefix(2);
        const std::size_t close = words.starts_with('`') ? words.find('`', 1) : std::string_view::npos;
        if (close == std::string_view::npos) break;
        row.name = internal::plain_name(words.substr(1, close - 1));
        words.remove_prefix(close + 1);
        if (words.starts_with("**")) words.remove_prefix(2);
        words = without_lead(words);
      }
      if (!words.empty()) row.words += (row.words.empty() ? "" : " ") + marked_text(words);
    }
    row.words = report::capitalised(std::move(row.words));
    if (!row.name.empty() && !row.words.empty()) rows.push_back(std::move(row));
  }
  std::erase_if(text.passages, [](const Passage& passage) { return passage.is_item; });
  return rows;
}

std::string row_names(std::span<const report::Block> own, std::size_t column) {
  std::vector<std::string> names;
  for (const report::Block& block : own) {
    const auto* table = std::get_if<report::Table>(&block.value);
    if (table == nullptr) continue;
    for (const std::vector<report::Inline>& row : table->rows) {
      if (column >= row.size()) continue;
      for (const std::string& name : names_in(row[column])) names.push_back(fmt::format("`{}`", data_text(name)));
    }
    break;
  }
  return join(names, ", ");
}

void tell_rows(std::span<report::Block> own, std::size_t column, const std::vector<ToldRow>& told) {
  auto* table = first_of<report::Table>(own);
  if (table == nullptr) return;
  for (const ToldRow& row : told) {
    const std::vector<std::size_t> rows = rows_named(*table, column, row.name);
    if (rows.size() == 1 && !table->rows[rows.front()].empty())
      table->rows[rows.front()].back() = report::prose(row.words);
  }
}

void add_functions(std::span<report::Block> own, const std::vector<ToldRow>& told, const program::Program& program,
                   std::size_t most) {
  auto* table = first_of<report::Table>(own);
  if (table == nullptr) return;
  for (const ToldRow& row : told) {
    if (most == 0) return;
    if (!rows_named(*table, 0, row.name).empty()) continue;
    std::optional<program::FunctionId> found;
    bool is_clear = true;
    for (const program::FunctionId function : internal::functions_named(program, row.name)) {
      if (program::is_test_path(program.module_of(function).path) ||
          !internal::ends_with_name(program.functions()[function].qualified_name, row.name))
        continue;
      is_clear = is_clear && !found;
      found = function;
    }
    if (!found || !is_clear) continue;
    table->rows.push_back(
        {report::prose(report::code(report::short_name(program, *found) + "()")),
         report::prose(report::place(program.module_of(*found).path, report::line_of(program, *found))),
         report::prose(row.words)});
    --most;
  }
}

}  // namespace lockstep::writer
