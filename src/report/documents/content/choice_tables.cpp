#include "report/documents/content/choice_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/document.h"
#include "report/story/wording/choice_words.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostRows = 9;
constexpr std::size_t kFewest = 3;

/// What an alternative comes to, and what it insists on.
std::string cell_of(const Alternative& one, const SourceText& source, bool whole) {
  std::string out = capitalised(act_words(one.act, source, whole));
  for (const Stmt* statement : one.body) {
    const auto* check = as<Assert>(statement);
    if (check != nullptr) out += fmt::format("; insists that {}", condition_words(*check->test, source));
  }
  return one.does_more ? out + "; and more" : out;
}

/// Whether two alternatives would be told alike though they differ: their arguments tell them apart.
bool needs_arguments(const ChoiceChain& chain, const SourceText& source) {
  std::vector<std::string> told;
  for (const Alternative& one : chain.after) {
    const std::string words = act_words(one.act, source);
    if (one.act.call() != nullptr && std::find(told.begin(), told.end(), words) != told.end()) return true;
    told.push_back(words);
  }
  return false;
}

/// Rows of alternatives that stay, three or more in a row, become one where there are too many.
void fold_rows(std::vector<std::vector<std::string>>& rows, const std::vector<bool>& is_new) {
  if (rows.size() <= kMostRows) return;
  std::vector<std::vector<std::string>> out;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i;
    while (end < rows.size() && !is_new[end]) ++end;
    // The neighbours of a new one, and the last of all, are what it is seen against.
    const std::size_t first = i + (i > 0 ? 1 : 0);
    const std::size_t last = end > 0 ? end - 1 : 0;
    if (end >= i + 3 && last > first + 1) {
      if (first > i) out.push_back(rows[i]);
      out.push_back({fmt::format("\u2026 ({} more)", last - first), "\u2026", "as before"});
      out.push_back(rows[last]);
    } else {
      out.insert(out.end(), rows.begin() + static_cast<std::ptrdiff_t>(i),
                 rows.begin() + static_cast<std::ptrdiff_t>(end));
    }
    if (end < rows.size()) out.push_back(rows[end]);
    i = end + 1;
  }
  rows = std::move(out);
}

std::optional<ChoiceTable> table_of(const Actor& actor, const ChoiceChain& chain) {
  const SourceText& source = *actor.steps.after_source;
  const SourceText& before_source = *actor.steps.before_source;
  const auto are_told = std::count_if(chain.after.begin(), chain.after.end(), [](const Alternative& one) {
    return one.condition != nullptr || one.act.kind != ActKind::kNothing;
  });
  const std::size_t head = step_of(actor.steps.after, chain.head());
  if (static_cast<std::size_t>(are_told) < kFewest || head == Step::kNone) return std::nullopt;
  const bool whole = needs_arguments(chain, source);
  ChoiceTable out;
  const std::string where = where_words(*actor.change->after->node, actor.steps.after[head], source);
  const std::string at = place(actor.change->after->path, actor.steps.after[head].first_line);
  out.caption =
      where.empty()
          ? fmt::format("The first alternative of which the condition holds is taken ({}):", at)
          : fmt::format("Where {}, the first alternative of which the condition holds is taken ({}):", where, at);
  out.header = {"Condition, in the order asked", "Before", "After"};
  std::vector<bool> is_new;
  for (const Alternative& one : chain.after) {
    const bool is_own = ChoiceChain::is_new(one);
    std::string asked = one.condition == nullptr ? "otherwise" : condition_words(*one.condition, source);
    std::string was = is_own ? std::string("not asked") : cell_of(chain.before[one.partner], before_source, whole);
    std::string is = cell_of(one, source, whole);
    if (one.stays) is = "as before";
    if (!is_own && !one.stays && is == was) is = "the same, other steps beside it differ";
    if (is_own) is += " (" + strong("new") + ")";
    out.rows.push_back({std::move(asked), std::move(was), std::move(is)});
    is_new.push_back(is_own);
  }
  fold_rows(out.rows, is_new);
  return out;
}

}  // namespace

std::vector<ChoiceTable> choice_tables(const Actor& actor, std::size_t most) {
  std::vector<ChoiceTable> out;
  if (!actor.is_function() || actor.steps.after_source == nullptr) return out;
  const ToldChoices choices(actor);
  for (const ChoiceChain& chain : choices.chains()) {
    if (out.size() == most) break;
    if (std::optional<ChoiceTable> table = table_of(actor, chain)) out.push_back(*std::move(table));
  }
  return out;
}

void add_choice_tables(Document& document, const Actor& actor, std::size_t most) {
  for (const ChoiceTable& one : choice_tables(actor, most)) document.paragraph(one.caption).table(one.header, one.rows);
}

}  // namespace lockstep::report
