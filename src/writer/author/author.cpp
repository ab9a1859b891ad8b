#include "writer/author/author.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "base/strings.h"
#include "render/graph_text.h"
#include "report/language/language.h"
#include "writer/author/passages.h"
#include "writer/author/plan.h"
#include "writer/author/pointer_places.h"
#include "writer/author/section_writer.h"
#include "writer/author/short_places.h"
#include "writer/author/told_rows.h"
#include "writer/pack/callers_piece.h"
#include "writer/prompts.h"

namespace lockstep::writer {

namespace {

using report::Block;
using report::Document;

constexpr std::size_t kMostCentral = 8;
constexpr std::size_t kPackTokens = 16'000;  // beside the diff
constexpr std::size_t kRounds = 2;
constexpr std::size_t kMostToolCalls = 64, kMostToolTokens = 44'000;
constexpr double kLeastScore = 0.02;  // far callers: a model can ask for them
// What a model may have placed in one document.
constexpr std::size_t kMostExcerpts = 16, kMostDrawings = 12, kMostKept = 6;
constexpr std::size_t kMostFurtherRows = 3;
constexpr std::string_view kPointers = "pointers";  // the part that lists related code

template <class Kind>
bool is(const Block& block) {
  return std::holds_alternative<Kind>(block.value);
}

template <class Kind>
bool has(const std::vector<Block>& blocks) {
  return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) { return is<Kind>(block); });
}

void append(std::vector<Block>& blocks, std::vector<Block> more) {
  std::move(more.begin(), more.end(), std::back_inserter(blocks));
}

// "Function by function", folded away: a walk that shows no code leaves it to Lockstep.
Block folded(std::vector<Block> own, std::string_view language) {
  report::Details details;
  details.summary = report::in_language(
      report::prose("Function by function: what goes in and out, the changed code, the flow of control"), language);
  details.blocks = std::move(own);
  return {std::move(details)};
}

// A section that the model wrote. Lockstep tells nothing twice: of its own stay the author's words, what a rule found,
// and the code or diagram that a reader must find there and the model did not place.
std::vector<Block> section_of(const PlannedPart& part, std::vector<Block> own, std::vector<Block> prose,
                              bool has_diagram, std::string_view language) {
  const bool lacks_code = part.needs_code && !has<report::CodeBlock>(prose) && has<report::CodeBlock>(own);
  const bool folds = lacks_code && part.mark == "walk";
  Remains remains = folds ? Remains() : remains_of(own);
  std::vector<Block> out = std::move(remains.quotes);
  const auto diagram =
      std::find_if(own.begin(), own.end(), [](const Block& one) { return is<report::DiagramBlock>(one); });
  if (part.needs_diagram && !has_diagram && diagram != own.end()) {
    prose.push_back(std::move(*diagram));
    own.erase(diagram);
  } else if (part.needs_diagram && !has_diagram && part.prompt.starts_with("dive") && !own.empty() &&
             is<report::Paragraph>(own.front())) {
    prose.push_back(own.front());  // "N/A" and the reason
  }
  append(out, std::move(prose));
  for (Block& block : own) {
    if (lacks_code && !folds && is<report::CodeBlock>(block)) out.push_back(std::move(block));
  }
  append(out, std::move(remains.findings));
  if (folds) out.push_back(folded(std::move(own), language));
  return out;
}

using Kinds = std::vector<PieceKind>;
// Callers stand early: a section on where it runs that misses one is wrong, and the first that do not fit are left out.
const Kinds kFacts = {PieceKind::kWhy,      PieceKind::kFollowed,    PieceKind::kRuns,    PieceKind::kCallers,
                      PieceKind::kSettings, PieceKind::kNames,       PieceKind::kState,   PieceKind::kTests,
                      PieceKind::kFindings, PieceKind::kCollectives, PieceKind::kVersions};

// What a part is told: how long it may be, and of a table which rows it has.
std::string prompt_of(const PlannedPart& part, const Document& own) {
  std::vector<std::pair<std::string_view, std::string>> holes = {{"words", std::to_string(part.words)}};
  if (part.told_column) {
    holes.emplace_back("rows",
                       row_names(std::span(own.blocks).subspan(part.spot.heading, part.spot.end - part.spot.heading),
                                 *part.told_column));
  }
  return filled_prompt(part.prompt, holes);
}

SectionTask task_of(Purpose purpose, const std::vector<PlannedPart>& plan, const SectionPacks& packs,
                    const Document& own, std::string passages) {
  SectionTask task;
  task.name = purpose == Purpose::kDive ? "the deep dive" : "the explanation";
  task.prompt = "document";
  std::string parts;
  for (const PlannedPart& part : plan) {
    parts += fmt::format("{}{}", parts.empty() ? "" : "\n\n", prompt_of(part, own));
    task.parts.push_back(part.prompt);
    task.words += part.words;
  }
  const bool is_dive = purpose == Purpose::kDive;
  task.holes = {{"kind", is_dive ? "a deep dive" : "an explanation"},
                {"kept", is_dive ? " the tables of files and functions" : " and a line on the commit"},
                {"parts", parts}};
  task.recipe.facts = kFacts;
  if (is_dive) task.recipe.facts.push_back(PieceKind::kHistory);
  task.recipe.facts.push_back(PieceKind::kFurtherCallers);
  task.recipe.least_score = kLeastScore;
  task.tokens = packs.tokens_for(kPackTokens) + render::estimate_tokens(passages);
  task.recipe.own_title = "Tables and diagrams that Lockstep has";
  task.recipe.own_text = std::move(passages);
  task.most_tool_calls = kMostToolCalls;
  task.most_tool_rounds = kRounds;
  task.most_tool_tokens = kMostToolTokens;
  return task;
}

/// What the model wrote of each part, checked; nothing where Lockstep's own text must stand (the tally says why).
class Parts {
 public:
  Parts(const CitedSides& sides, const Placements& placements, const std::vector<PlannedPart>& plan,
        const std::vector<Block>& offered, const program::Program& after, std::string_view language, Tally& tally)
      : sides_(sides),
        placements_(placements),
        plan_(plan),
        offered_(offered),
        after_(after),
        language_(language),
        tally_(tally) {}

  /// What it said of the rows of a part's table.
  [[nodiscard]] const std::vector<ToldRow>& told(std::size_t part) const { return told_[part]; }

  std::vector<std::vector<Block>> read(const Reply& reply, SectionWriter& writer) {
    std::vector<std::vector<Block>> all(plan_.size());
    told_.resize(plan_.size());
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
    ShortPlaces short_places(sides_);
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      for (Passage& passage : texts[i].text.passages) {
        if (plan_[i].mark == kPointers && passage.is_item && !passage.sentences.empty())
          passage.sentences.front() = with_definition_line(passage.sentences.front(), after_);
      }
    }
    for (NamedText& text : texts) {
      for (Passage& passage : text.text.passages) {
        for (std::string& sentence : passage.sentences) sentence = short_places(sentence);
      }
    }
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      if (plan_[i].told_column) {
        told_[i] = take_told_rows(texts[i].text);
        if (!told_[i].empty()) tally_.written.push_back(plan_[i].name);
        continue;
      }
      if (plan_[i].is_table) all[i] = rows_of(texts[i].text);
      for (Block& block : blocks_of(texts[i].text, std::min(plan_[i].spot.level + 1, 6),
                                    [this](const Passage& request) { return placed(request); }))
        all[i].push_back(std::move(block));
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
  std::vector<Block> placed(const Passage& passage) {
    std::string_view request = passage.request;
    if (request.starts_with(kKeep)) return kept(request.substr(kKeep.size()));
    const bool is_excerpt = request.starts_with("@code") || request.starts_with("@change");
    std::size_t& left = is_excerpt ? excerpts_left_ : drawings_left_;
    if (left == 0 || !placed_.insert(passage.request).second) {
      ++tally_.removed;
      return {};
    }
    --left;
    return placements_.fill(passage).blocks;
  }

  std::vector<Block> kept(std::string_view numbers) {
    std::vector<Block> blocks;
    for (const std::size_t number : numbers_in(numbers)) {
      if (number > offered_.size() || kept_.size() == kMostKept || !kept_.insert(number).second) {
        ++tally_.removed;
        continue;
      }
      blocks.push_back(offered_[number - 1]);
    }
    return blocks;
  }

  // "**Correctness** What happens. Status: not tested." -> a row; takes the items out of the text.
  [[nodiscard]] std::vector<Block> rows_of(ModelText& text) const {
    report::Table table;
    for (const std::string_view name : {"Risk Category", "Specific Concern", "Mitigation/Status"})
      table.header.push_back(report::in_language(report::prose(name), language_));
    for (Passage& passage : text.passages) {
      if (!passage.is_item) continue;
      std::string category = report::strong("Edge Cases"), concern, status;
      bool is_status = false;
      for (std::string& sentence : passage.sentences) {
        std::string_view words = sentence;
        if (concern.empty() && words.starts_with("**")) {
          const std::size_t end = words.find("**", 2);
          if (end != std::string_view::npos && end < kLongestCategory) {
            category = report::strong(report::plain(trim(replace_all(words.substr(2, end - 2), ":", ""))));
            words.remove_prefix(end + 2);
            words = without_lead(words);
          }
        }
        is_status = is_status || words.starts_with(kStatus);
        if (words.starts_with(kStatus)) words = trim(words.substr(kStatus.size()));
        std::string& cell = is_status ? status : concern;
        if (!words.empty()) cell += (cell.empty() ? "" : " ") + marked_text(words);
      }
      if (!concern.empty())
        table.rows.push_back(
            {report::prose(category), report::prose(concern), report::prose(status.empty() ? "-" : status)});
    }
    std::erase_if(text.passages, [](const Passage& passage) { return passage.is_item; });
    return table.rows.empty() ? std::vector<Block>() : std::vector{Block{std::move(table)}};
  }

  static constexpr std::string_view kStatus = "Status:";
  static constexpr std::size_t kLongestCategory = 40;
  const CitedSides& sides_;
  const Placements& placements_;
  const std::vector<PlannedPart>& plan_;
  const std::vector<Block>& offered_;
  const program::Program& after_;
  std::string_view language_;
  Tally& tally_;
  std::vector<std::vector<ToldRow>> told_;
  std::set<std::size_t> said_nothing_;
  std::set<std::string> placed_;
  std::set<std::size_t> kept_;
  std::size_t excerpts_left_ = kMostExcerpts, drawings_left_ = kMostDrawings;
};

// Puts what the model said of files and functions into Lockstep's tables of them.
void tell(Document& own, const PlannedPart& part, const std::vector<ToldRow>& told, const program::Program& after) {
  if (!part.told_column || told.empty()) return;
  const auto blocks_of_spot = [&](const Spot& spot) {
    return std::span(own.blocks).subspan(spot.heading, spot.end - spot.heading);
  };
  tell_rows(blocks_of_spot(part.spot), *part.told_column, told);
  if (part.mark == "index") {
    add_functions(blocks_of_spot(part.spot), told, after, kMostFurtherRows);
  }
}

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
  const Placements placements(document, inputs.sides, story);
  SectionWriter writer(packs, checker, placements, conversation, inputs.language, tally);
  if (inputs.proofreads) writer.proofreads(document);
  const std::vector<PlannedPart> plan = plan_parts(purpose, own);
  std::vector<Block> written;  // what stands in sections that are the model's to write
  for (const PlannedPart& part : plan) {
    if (part.told_column) continue;
    written.insert(written.end(), own.blocks.begin() + static_cast<std::ptrdiff_t>(part.spot.heading + 1),
                   own.blocks.begin() + static_cast<std::ptrdiff_t>(part.spot.end));
  }
  std::vector<Block> offered = offered_passages(written);
  // Complete, and as long as a list of calls has to be.
  if (purpose == Purpose::kDive) append(offered, callers_tables(document, story, inputs.language));
  const Reply reply = conversation.ask(writer.question(task_of(purpose, plan, packs, own, numbered_passages(offered))));
  Parts parts(inputs.sides, placements, plan, offered, *document.after, inputs.language, tally);
  std::vector<std::vector<Block>> prose = parts.read(reply, writer);
  for (std::size_t i = 0; i < plan.size(); ++i) tell(own, plan[i], parts.told(i), *document.after);
  const bool has_diagram = std::any_of(prose.begin(), prose.end(), has<report::DiagramBlock>);

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
    // An explanation needs a picture somewhere, a deep dive in each section that is one.
    const bool has_own = purpose == Purpose::kDive ? has<report::DiagramBlock>(prose[i]) : has_diagram;
    append(result.blocks, section_of(plan[i], std::move(below), std::move(prose[i]), has_own, inputs.language));
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
