// The chains of a function that get a new alternative, before and after, as a diagram (drawings.h).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/document.h"
#include "report/documents/drawings/drawings.h"
#include "report/story/wording/choice_words.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostNodes = 15;
constexpr std::size_t kMostChains = 2;

/// From the alternative `first` of the after side on, without those before it, which all stay.
struct Drawn {
  const ChoiceChain* chain;
  std::size_t first = 0;

  [[nodiscard]] std::size_t first_before() const {
    for (std::size_t i = first; i < chain->after.size(); ++i) {
      if (!ChoiceChain::is_new(chain->after[i])) return chain->after[i].partner;
    }
    return chain->before.size();
  }
  [[nodiscard]] std::size_t nodes() const {
    return 2 + (chain->after.size() - first) + (chain->before.size() - first_before());
  }
};

std::size_t first_new(const ChoiceChain& chain) {
  std::size_t at = 0;
  while (!ChoiceChain::is_new(chain.after[at])) ++at;
  return at;
}

/// Whether most of what changes in the function is told by its chains.
bool carry_most(const Actor& actor, const ToldChoices& choices) {
  std::size_t all = 0;
  std::size_t told = 0;
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    const Step& step = actor.steps.after[i];
    if (step.status == StepStatus::kKept || step.kind == StepKind::kElse) continue;
    ++all;
    told += choices.tells_after(i) ? 1 : 0;
  }
  return 2 * told >= all && told > 0;
}

}  // namespace

std::optional<Flowchart> choice_diagram(const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.is_function() || actor.steps.after_source == nullptr) return std::nullopt;
  const ToldChoices choices(actor);
  if (choices.chains().empty() || !carry_most(actor, choices)) return std::nullopt;
  std::vector<Drawn> drawn;
  for (const ChoiceChain& chain : choices.chains()) {
    if (drawn.size() < kMostChains) drawn.push_back({&chain, 0});
  }
  const auto count = [&] {
    std::size_t sum = 0;
    for (const Drawn& one : drawn) sum += one.nodes();
    return sum;
  };
  if (count() > kMostNodes) {
    for (Drawn& one : drawn) one.first = first_new(*one.chain);
  }
  if (count() > kMostNodes) drawn.resize(1);
  if (count() > kMostNodes) return std::nullopt;
  Flowchart chart;
  chart.left_to_right = true;
  chart.groups = {{"Before"}, {"After"}};
  const std::string name = short_name(inputs, *actor.change);
  const std::vector<Step>& steps = actor.steps.after;
  for (const Drawn& one : drawn) {
    const Alternative& start = one.chain->after[one.first];
    const std::size_t at = start.branch == nullptr ? Step::kNone : step_of(steps, start.branch);
    const std::string where = at == Step::kNone ? std::string() : unmarked(join_words(choices.where(at)));
    const std::string label = where.empty() ? name : fmt::format("{}\nwhere {}", name, where);
    const auto draw = [&](const std::vector<Alternative>& all, std::size_t first, const SourceText& source,
                          std::size_t group) {
      chart.nodes.push_back({label, NodeShape::kBox, group == 0 ? Mark::kNone : Mark::kModified, group});
      const std::size_t root = chart.nodes.size() - 1;
      std::size_t number = 0;
      for (std::size_t i = first; i < all.size(); ++i) {
        const bool is_new = group == 1 && ChoiceChain::is_new(all[i]);
        chart.nodes.push_back(
            {unmarked(act_words(all[i].act, source)), NodeShape::kRounded, is_new ? Mark::kNew : Mark::kNone, group});
        const std::string asked = all[i].condition == nullptr ? std::string("otherwise")
                                                              : unmarked(condition_words(*all[i].condition, source));
        chart.edges.push_back(
            {root, chart.nodes.size() - 1, fmt::format("{}. {}", ++number, asked), EdgeStyle::kSolid});
      }
    };
    draw(one.chain->before, one.first_before(), *actor.steps.before_source, 0);
    draw(one.chain->after, one.first, *actor.steps.after_source, 1);
  }
  return chart;
}

}  // namespace lockstep::report
