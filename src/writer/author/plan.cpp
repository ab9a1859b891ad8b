#include "writer/author/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace lockstep::writer {

namespace {

std::string plain_text(const report::Inline& runs) {
  std::string text;
  for (const report::Run& run : runs) text += run.text;
  return text;
}

// "3.1" of "3.1 Problem Background", "4" of "4. Risks".
std::string number_of(std::string_view title) {
  std::string number(title.substr(0, title.find_first_not_of("0123456789.")));
  while (number.ends_with('.')) number.pop_back();
  return number;
}

using Kinds = std::vector<PieceKind>;
const Kinds kWhatFacts = {PieceKind::kWhy, PieceKind::kWhat, PieceKind::kRuns, PieceKind::kSettings};
const Kinds kRiskFacts = {PieceKind::kFindings, PieceKind::kTests,   PieceKind::kRuns,
                          PieceKind::kSettings, PieceKind::kCallers, PieceKind::kCollectives};
const Kinds kEntityFacts = {PieceKind::kCollectives};

struct Template {
  std::string_view prompt;
  Placing placing;
  const Kinds& facts;
  std::size_t tokens;
  std::size_t words;
};

const change::EntityChange* entity_named(const report::DocumentInputs& inputs, const report::Story& story,
                                         std::string_view name) {
  for (const report::Actor& actor : story.actors) {
    if (!name.empty() && report::short_name(inputs, *actor.change) == name) return actor.change;
  }
  return nullptr;
}

std::optional<Template> explain_template(const Spot& spot) {
  if (spot.part == "1" && spot.level == 3 && spot.place == 2)
    return Template{"explain-what", Placing::kInsteadOfText, kWhatFacts, 7'000, 260};
  if (spot.part == "3" && spot.level == 3 && !spot.code.empty())
    return Template{"explain-entity", Placing::kBesideCode, kEntityFacts, 6'000, 220};
  if (spot.number == "4" && spot.level == 2)
    return Template{"explain-risks", Placing::kAfterAll, kRiskFacts, 7'000, 260};
  return std::nullopt;
}

std::optional<Template> dive_template(const Spot& spot) {
  if (spot.number == "1") return Template{"dive-tldr", Placing::kInsteadOfText, kWhatFacts, 5'000, 120};
  if (spot.number == "3.1") return Template{"dive-background", Placing::kInsteadOfText, kWhatFacts, 6'000, 260};
  if (spot.number == "3.2") return Template{"dive-approach", Placing::kInsteadOfText, kWhatFacts, 7'000, 350};
  if (spot.part == "4" && spot.level == 4 && !spot.code.empty())
    return Template{"dive-entity", Placing::kBesideCode, kEntityFacts, 6'000, 350};
  if (spot.number == "6") return Template{"dive-risks", Placing::kAfterAll, kRiskFacts, 7'000, 350};
  return std::nullopt;
}

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
    spot.title = plain_text(heading->text);
    spot.number = number_of(spot.title);
    for (const report::Run& run : heading->text) {
      if (spot.code.empty() && run.style == report::Style::kCode) spot.code = run.text;
    }
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

std::vector<PlannedSection> plan_sections(Purpose purpose, const report::Document& own,
                                          const report::DocumentInputs& inputs, const report::Story& story) {
  std::vector<PlannedSection> plan;
  for (const Spot& spot : spots_of(own)) {
    const std::optional<Template> found = purpose == Purpose::kDive ? dive_template(spot) : explain_template(spot);
    if (!found) continue;
    PlannedSection section{spot, found->placing, {}};
    section.task.name =
        fmt::format("\u201c{}\u201d", spot.code.empty() ? report::plain(spot.title) : report::code(spot.code));
    section.task.prompt = std::string(found->prompt);
    section.task.holes = {{"words", std::to_string(found->words)}};
    section.task.recipe.facts = found->facts;
    section.task.tokens = found->tokens;
    section.task.words = found->words;
    if (found->placing == Placing::kBesideCode) {
      section.task.recipe.entity = entity_named(inputs, story, spot.code);
      if (section.task.recipe.entity == nullptr) continue;
      section.task.holes.emplace_back("name", fmt::format("`{}`", spot.code));
    }
    plan.push_back(std::move(section));
  }
  return plan;
}

}  // namespace lockstep::writer
