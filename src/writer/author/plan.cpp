#include "writer/author/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace lockstep::writer {

namespace {

// "3.1" of "3.1 Problem Background", "4" of "4. Risks".
std::string number_of(std::string_view title) {
  std::string number(title.substr(0, title.find_first_not_of("0123456789.")));
  while (number.ends_with('.')) number.pop_back();
  return number;
}

struct Template {
  std::string_view mark, prompt;
  std::size_t words;
  bool needs_code = false, needs_diagram = false, is_table = false;
  std::optional<std::size_t> told_column = std::nullopt;
};

std::optional<Template> explain_template(const Spot& spot) {
  if (spot.level != 2) return std::nullopt;
  if (spot.number == "1") return Template{"what", "explain-what", 200};
  if (spot.number == "2") return Template{"where", "explain-where", 90};
  if (spot.number == "3") return Template{"walk", "explain-walk", 500, true, true};
  if (spot.number == "4") return Template{"risks", "explain-risks", 330};
  return std::nullopt;
}

std::optional<Template> dive_template(const Spot& spot) {
  if (spot.number == "1") return Template{"tldr", "dive-tldr", 120};
  if (spot.number == "2.1") return Template{"picture", "dive-picture", 70, false, true};
  if (spot.number == "2.2") return Template{"scope", "dive-scope", 70, false, false, false, 1};
  if (spot.number == "3.1") return Template{"background", "dive-background", 160};
  if (spot.number == "3.2") return Template{"approach", "dive-approach", 170};
  if (spot.number == "3.3") return Template{"points", "dive-points", 150};
  if (spot.number == "4.1") return Template{"entry", "dive-entry", 130, true};
  if (spot.number == "4.2") return Template{"chain", "dive-chain", 50, false, true};
  if (spot.number == "4.3") return Template{"data", "dive-data", 100, false, true};
  if (spot.number == "4.4") return Template{"walk", "dive-walk", 400, true};
  if (spot.number == "5") return Template{"relations", "dive-relations", 50, false, true};
  if (spot.number == "7.2") return Template{"index", "dive-index", 110, false, false, false, 0};
  if (spot.number == "7.3") return Template{"pointers", "dive-pointers", 70};
  if (spot.number == "6") return Template{"risks", "dive-risks", 300, false, false, true};
  return std::nullopt;
}

bool is_table(const report::Block& block) { return std::holds_alternative<report::Table>(block.value); }

}  // namespace

std::vector<Spot> spots_of(const report::Document& document) {
  std::vector<Spot> spots;
  std::string part;
  std::size_t places[8] = {};
  for (std::size_t i = 0; i < document.blocks.size(); ++i) {
    const auto* heading = std::get_if<report::Heading>(&document.blocks[i].value);
    if (heading == nullptr) continue;
    if (!spots.empty()) spots.back().end = i;
    Spot spot;
    spot.heading = i;
    spot.end = document.blocks.size();
    spot.level = std::clamp(heading->level, 1, 7);
    spot.title = report::text_of(heading->text);
    spot.number = number_of(spot.title);
    if (spot.level <= 2) {
      part = spot.number;
      std::fill(std::begin(places), std::end(places), std::size_t{0});
    }
    spot.part = part;
    spot.place = ++places[spot.level];
    spots.push_back(std::move(spot));
  }
  return spots;
}

std::vector<PlannedPart> plan_parts(Purpose purpose, const report::Document& own) {
  std::vector<PlannedPart> plan;
  const std::vector<Spot> spots = spots_of(own);
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const std::optional<Template> found =
        purpose == Purpose::kDive ? dive_template(spots[i]) : explain_template(spots[i]);
    if (!found) continue;
    PlannedPart part{
        found->mark,     found->prompt,     {}, spots[i], found->words, found->needs_code, found->needs_diagram,
        found->is_table, found->told_column};
    for (std::size_t below = i + 1; below < spots.size() && spots[below].level > spots[i].level; ++below)
      part.spot.end = spots[below].end;
    const bool has_rows = std::any_of(own.blocks.begin() + static_cast<std::ptrdiff_t>(part.spot.heading),
                                      own.blocks.begin() + static_cast<std::ptrdiff_t>(part.spot.end),
                                      [](const report::Block& block) { return is_table(block); });
    if (part.told_column && !has_rows) continue;
    part.name = fmt::format("\u201c{}\u201d", report::plain(spots[i].title));
    plan.push_back(std::move(part));
  }
  return plan;
}

std::vector<std::string> split_parts(std::string_view answer, const std::vector<std::string_view>& marks) {
  constexpr std::string_view kMark = "=== ";
  std::vector<std::string> parts(marks.size());
  std::string* part = nullptr;
  for (const std::string_view line : split_lines(answer)) {
    if (line.starts_with(kMark)) {
      const std::string_view mark = trim(line.substr(kMark.size()));
      const auto found = std::find(marks.begin(), marks.end(), mark);
      part = found == marks.end() ? nullptr : &parts[static_cast<std::size_t>(found - marks.begin())];
    } else if (part != nullptr) {
      *part += line;
      *part += '\n';
    }
  }
  return parts;
}

}  // namespace lockstep::writer
