#include "writer/author/author.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/markdown.h"
#include "report/language.h"
#include "writer/author/plan.h"
#include "writer/pack/data_text.h"

namespace lockstep::writer {

namespace {

using report::Block;
using report::Document;

constexpr std::size_t kMostCentral = 8;

template <class Kind>
bool is(const Block& block) {
  return std::holds_alternative<Kind>(block.value);
}

// Its code is left out where the pack brings the diff of the same function.
std::string own_text(const Document& own, const Spot& spot, bool with_code) {
  Document part;
  part.blocks.assign(own.blocks.begin() + static_cast<std::ptrdiff_t>(spot.heading) + 1,
                     own.blocks.begin() + static_cast<std::ptrdiff_t>(spot.end));
  std::erase_if(part.blocks, [&](const Block& block) {
    return is<report::DiagramBlock>(block) || (!with_code && is<report::CodeBlock>(block));
  });
  make_harmless(part);
  return part.blocks.empty() ? std::string() : render::render_markdown(part);
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

// The section's blocks with the model's among them.
std::vector<Block> placed(std::vector<Block> own, std::vector<Block> prose, Placing placing,
                          std::string_view language) {
  if (placing == Placing::kAfterAll) return appended(std::move(own), std::move(prose), language);
  std::vector<Block> out;
  const auto add_prose = [&] {
    for (Block& block : prose) out.push_back(std::move(block));
    prose.clear();
  };
  if (placing == Placing::kInsteadOfText) add_prose();
  const auto first_code = std::find_if(own.begin(), own.end(), [](const Block& block) {
    return is<report::CodeBlock>(block) || is<report::DiagramBlock>(block) || is<report::Table>(block);
  });
  for (auto block = own.begin(); block != own.end(); ++block) {
    if (block == first_code) add_prose();
    const bool is_contract = placing == Placing::kBesideCode && block < first_code && is<report::List>(*block);
    const bool is_text = is<report::Paragraph>(*block) || is<report::List>(*block);
    if (!is_text || is_contract) out.push_back(std::move(*block));
  }
  add_prose();
  return out;
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
  SectionWriter writer(packs, checker, conversation, inputs.language, tally);

  Document result;
  result.title = own.title;
  std::size_t next = 0;  // block of `own`
  const auto copy_to = [&](std::size_t end) {
    for (; next < end; ++next) result.blocks.push_back(std::move(own.blocks[next]));
  };
  for (PlannedSection& section : plan_sections(purpose, own, document, story)) {
    section.task.recipe.own_text = own_text(own, section.spot, section.task.recipe.entity == nullptr);
    auto prose = writer.write(section.task);
    if (!prose || prose->empty()) continue;
    copy_to(section.spot.heading + 1);
    std::vector<Block> below(
        std::make_move_iterator(own.blocks.begin() + static_cast<std::ptrdiff_t>(next)),
        std::make_move_iterator(own.blocks.begin() + static_cast<std::ptrdiff_t>(section.spot.end)));
    next = section.spot.end;
    for (Block& block : placed(std::move(below), std::move(*prose), section.placing, inputs.language))
      result.blocks.push_back(std::move(block));
  }
  copy_to(own.blocks.size());
  tally.questions = conversation.questions();
  tally.tool_calls = conversation.tool_calls();
  const auto first_heading = std::find_if(result.blocks.begin(), result.blocks.end(),
                                          [](const Block& block) { return is<report::Heading>(block); });
  report::Paragraph note{report::in_language(report::prose(tally_note(tally, inputs.model_name)), inputs.language)};
  result.blocks.insert(first_heading, Block{std::move(note)});
  result.append(report::in_language(tally_section(tally, inputs.model_name), inputs.language));
  return result;
}

}  // namespace lockstep::writer
