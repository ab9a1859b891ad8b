#include "writer/author/author.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/strings.h"
#include "render/graph_text.h"
#include "report/language.h"
#include "writer/author/passages.h"
#include "writer/author/plan.h"
#include "writer/author/section_writer.h"
#include "writer/pack/data_text.h"
#include "writer/prompts.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

using report::Block;
using report::Document;

constexpr std::string_view kCutMark = "cut";
constexpr std::size_t kMostCentral = 8;
constexpr std::size_t kPackTokens = 10'000;  // beside the diff
constexpr std::size_t kMostToolCalls = 24, kMostToolTokens = 24'000;
constexpr double kLeastScore = 0.2;                          // helpers and far callers: a model can ask for them
constexpr std::size_t kMostShown = 8, kMostShownLines = 40;  // excerpts that the model places

template <class Kind>
bool is(const Block& block) {
  return std::holds_alternative<Kind>(block.value);
}

// Below what Lockstep says of the same: before what is folded away.
std::vector<Block> appended(std::vector<Block> own, std::vector<Block> prose, std::string_view language) {
  auto end = own.end();
  while (end != own.begin() && (is<report::Details>(*(end - 1)) || is<report::Divider>(*(end - 1)))) --end;
  report::Paragraph label{report::in_language(report::prose(report::strong("Further, by the model")), language)};
  prose.insert(prose.begin(), Block{std::move(label)});
  own.insert(end, std::make_move_iterator(prose.begin()), std::make_move_iterator(prose.end()));
  return own;
}

// Before the first heading below; what follows it is folded away.
std::vector<Block> before_below(std::vector<Block> own, std::vector<Block> prose, bool folds,
                                std::string_view language) {
  const auto below =
      std::find_if(own.begin(), own.end(), [](const Block& block) { return is<report::Heading>(block); });
  const bool has_sections = below != own.end();
  std::vector<Block> out;
  if (!folds || has_sections) std::move(own.begin(), below, std::back_inserter(out));
  std::move(prose.begin(), prose.end(), std::back_inserter(out));
  const auto rest = folds && !has_sections ? own.begin() : below;
  if (!folds) {
    std::move(rest, own.end(), std::back_inserter(out));
  } else if (rest != own.end()) {
    report::Details details;
    details.summary = report::in_language(
        report::prose(has_sections ? "Function by function: what goes in and out, the changed code, the flow of control"
                                   : "What the code alone says of it"),
        language);
    std::move(rest, own.end(), std::back_inserter(details.blocks));
    out.push_back({std::move(details)});
  }
  return out;
}

// The section's blocks with the model's among them.
std::vector<Block> placed(std::vector<Block> own, std::vector<Block> prose, Placing placing,
                          std::string_view language) {
  if (placing == Placing::kBeforeAll) {
    std::move(own.begin(), own.end(), std::back_inserter(prose));
    return prose;
  }
  if (placing == Placing::kAfterAll) return appended(std::move(own), std::move(prose), language);
  if (placing != Placing::kInsteadOfText)
    return before_below(std::move(own), std::move(prose), placing == Placing::kBeforeFolded, language);
  std::vector<Block> out = std::move(prose);
  for (Block& block : own) {
    if (!is<report::Paragraph>(block) && !is<report::List>(block)) out.push_back(std::move(block));
  }
  return out;
}

using Kinds = std::vector<PieceKind>;
const Kinds kFacts = {PieceKind::kWhy,     PieceKind::kRuns,        PieceKind::kSettings,
                      PieceKind::kState,   PieceKind::kTests,       PieceKind::kFindings,
                      PieceKind::kCallers, PieceKind::kCollectives, PieceKind::kHistory};

/// Blocks that are no passages for the model to judge: what its prose replaces, and the line about the commit.
std::vector<bool> left_to_themselves(const Document& own, const std::vector<PlannedPart>& plan) {
  std::vector<bool> is_left(own.blocks.size(), false);
  for (std::size_t i = 0; i < own.blocks.size() && !is<report::Heading>(own.blocks[i]); ++i) is_left[i] = true;
  for (const PlannedPart& part : plan) {
    if (part.placing != Placing::kInsteadOfText) continue;
    for (std::size_t i = part.spot.heading; i < part.spot.end; ++i)
      is_left[i] = is<report::Paragraph>(own.blocks[i]) || is<report::List>(own.blocks[i]);
  }
  return is_left;
}

SectionTask task_of(Purpose purpose, const std::vector<PlannedPart>& plan, const SectionPacks& packs,
                    std::string passages) {
  SectionTask task;
  task.name = purpose == Purpose::kDive ? "the deep dive" : "the explanation";
  task.prompt = "document";
  std::string parts;
  for (const PlannedPart& part : plan) {
    parts += fmt::format("{}{}", parts.empty() ? "" : "\n\n",
                         filled_prompt(part.prompt, {{"words", std::to_string(part.words)}}));
    task.parts.push_back(part.prompt);
    task.words += part.words;
  }
  task.holes = {{"kind", purpose == Purpose::kDive ? "a deep dive" : "an explanation"}, {"parts", parts}};
  task.recipe.facts = kFacts;
  task.recipe.least_score = kLeastScore;
  task.tokens = packs.tokens_for(kPackTokens) + render::estimate_tokens(passages);
  task.recipe.own_title = "Lockstep's own passages around your text";
  task.recipe.own_text = std::move(passages);
  task.most_tool_calls = kMostToolCalls;
  task.most_tool_tokens = kMostToolTokens;
  return task;
}

/// What the model wrote of each part, checked; nothing where Lockstep's own text must stand (the tally says why).
class Parts {
 public:
  Parts(const AuthorInputs& inputs, const std::vector<PlannedPart>& plan, Tally& tally)
      : inputs_(inputs), plan_(plan), tally_(tally) {}

  std::vector<std::vector<Block>> read(const Reply& reply, SectionWriter& writer) {
    std::vector<std::vector<Block>> all(plan_.size());
    if (!reply.has_text()) {
      for (const PlannedPart& part : plan_) tally_.kept.emplace_back(part.name, reply.why_not);
      return all;
    }
    std::vector<std::string_view> marks;
    for (const PlannedPart& part : plan_) marks.push_back(part.mark);
    const std::vector<std::string> parts = split_parts(reply.text, marks);
    std::vector<NamedText> texts;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      const bool has_nothing = trim(parts[i]).starts_with(kNothingToAdd);
      texts.push_back({plan_[i].name, read_model_text(has_nothing ? std::string_view() : parts[i]), false});
      if (has_nothing) said_nothing_.insert(i);
    }
    Material material;
    material.add(reply.material);
    writer.check(texts, material);
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      all[i] = blocks_of(texts[i].text, std::min(plan_[i].spot.level + 1, 6),
                         [this](std::string_view place) { return lines_at(place); });
      if (!all[i].empty()) {
        tally_.written.push_back(plan_[i].name);
      } else if (!said_nothing_.contains(i)) {
        tally_.kept.emplace_back(plan_[i].name, trim(parts[i]).empty() ? "the model wrote nothing of it"
                                                                       : "nothing of what the model wrote holds");
      }
    }
    if (reply.is_cut && !tally_.written.empty()) tally_.cut.push_back(tally_.written.back());
    return all;
  }

 private:
  // "path:12-30"
  std::optional<Block> lines_at(std::string_view text) {
    const auto place = place_of_text(text);
    const CitedFile* file = place ? inputs_.sides.file(CitedSide::kAfter, place->path) : nullptr;
    if (file == nullptr || place->first == 0 || place->first > file->lines().size() || shown_.size() == kMostShown) {
      ++tally_.removed;
      return std::nullopt;
    }
    if (!shown_.insert(std::string(text)).second) return std::nullopt;
    report::CodeBlock block;
    block.language = place->path.ends_with(".py") ? "python" : "text";
    block.path = place->path;
    block.first_line = place->first - 1;
    const std::size_t last = std::min({static_cast<std::size_t>(std::max(place->last, place->first)),
                                       file->lines().size(), place->first - 1 + kMostShownLines});
    block.last_line = static_cast<std::uint32_t>(last - 1);
    for (std::size_t line = place->first - 1; line < last; ++line)
      block.lines.push_back(data_text(file->lines()[line]));
    return Block{std::move(block)};
  }

  const AuthorInputs& inputs_;
  const std::vector<PlannedPart>& plan_;
  Tally& tally_;
  std::set<std::size_t> said_nothing_;
  std::set<std::string> shown_;
};

}  // namespace

Document author_document(Purpose purpose, Document own, const AuthorInputs& inputs) {
  const report::DocumentInputs& document = inputs.pack.document;
  report::StoryOptions options;
  options.most_central = kMostCentral;
  options.lead_first = true;
  const report::Story story = report::find_story(document, options);
  const SectionPacks packs(inputs.pack, story, purpose);
  const ClaimChecker checker(document, inputs.sides);
  Conversation conversation(inputs.model, inputs.tools);
  Tally tally;
  SectionWriter writer(packs, checker, conversation, inputs.language, tally);
  const std::vector<PlannedPart> plan = plan_parts(purpose, own);
  const std::vector<bool> is_left = left_to_themselves(own, plan);
  const Reply reply = conversation.ask(writer.question(task_of(purpose, plan, packs, numbered_passages(own, is_left))));
  std::vector<std::vector<Block>> prose = Parts(inputs, plan, tally).read(reply, writer);

  if (!tally.written.empty()) {
    std::vector<bool> is_told(own.blocks.size(), false);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      for (std::size_t at = plan[i].spot.heading; !prose[i].empty() && at < plan[i].spot.end; ++at) is_told[at] = true;
    }
    tally.left_out = leave_out(own, is_left, is_told, numbers_in(split_parts(reply.text, {kCutMark}).front()));
  }

  Document result;
  result.title = own.title;
  std::size_t next = 0;  // block of `own`
  const auto copy_to = [&](std::size_t end) {
    for (; next < end; ++next) result.blocks.push_back(std::move(own.blocks[next]));
  };
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Spot& spot = plan[i].spot;
    if (prose[i].empty()) continue;
    copy_to(spot.heading + 1);
    std::vector<Block> below(std::make_move_iterator(own.blocks.begin() + static_cast<std::ptrdiff_t>(next)),
                             std::make_move_iterator(own.blocks.begin() + static_cast<std::ptrdiff_t>(spot.end)));
    next = spot.end;
    for (Block& block : placed(std::move(below), std::move(prose[i]), plan[i].placing, inputs.language))
      result.blocks.push_back(std::move(block));
  }
  copy_to(own.blocks.size());
  close_gaps(result, inputs.language);
  tally.questions = conversation.questions();
  tally.tool_calls = conversation.tool_calls();
  const auto first_heading = std::find_if(result.blocks.begin(), result.blocks.end(),
                                          [](const Block& block) { return is<report::Heading>(block); });
  report::Paragraph note{report::in_language(report::prose(tally_note(tally, inputs.model_name)), inputs.language)};
  result.blocks.insert(first_heading, Block{std::move(note)});
  result.append(report::in_language(tally_section(tally, inputs.model_name), inputs.language));
  if (inputs.why_nothing != nullptr && tally.written.empty() && !tally.kept.empty())
    *inputs.why_nothing = tally.kept.front().second;
  return result;
}

}  // namespace lockstep::writer
