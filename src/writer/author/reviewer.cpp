#include "writer/author/reviewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/strings.h"
#include "render/markdown.h"
#include "report/review/review.h"
#include "writer/author/passages.h"
#include "writer/author/proposals.h"
#include "writer/author/second_reading.h"
#include "writer/author/section_writer.h"
#include "writer/author/short_places.h"
#include "writer/author/words_of_all.h"

namespace lockstep::writer {

namespace {

using report::Block;
using report::Document;
using report::ReportedFinding;
using rules::FindingCertainty;
using rules::Severity;

constexpr std::size_t kMostCentral = 8;
constexpr std::size_t kMostJudged = 20;
constexpr std::size_t kPackTokens = 10'000;
constexpr double kLeastScore = 0.2;  // of code around the change: a model can ask for the rest
constexpr std::size_t kReviewTools = 36, kReviewToolTokens = 36'000;
constexpr std::size_t kMostAsked = 10, kMostInShort = 6, kSummaryWords = 220;
constexpr std::size_t kMostPlaced = 3;  // drawings and excerpts in the summary

const std::string kProposals = "\u201cProposals\u201d";

// The same with the points that it lists on lines of their own (report::points_of reads them).
std::string with_points(const ModelText& text) {
  std::string lines;
  for (const Passage& passage : text.passages) {
    const std::string line = one_line(ModelText{{passage}, 0});
    if (line.empty()) continue;
    if (!lines.empty()) lines += passage.is_item ? "\n" : " ";
    lines += (passage.is_item ? "- " : "") + line;
  }
  return lines;
}

// Whether a sentence of it was dropped.
bool lacks_sentence(const ModelText& text) {
  return std::any_of(text.passages.begin(), text.passages.end(), [](const Passage& passage) {
    return std::any_of(passage.sentences.begin(), passage.sentences.end(),
                       [](const std::string& sentence) { return sentence.empty(); });
  });
}

// Paragraphs and items of lists, as plain text.
void add_lines(const std::vector<Block>& blocks, std::vector<std::string>& lines) {
  for (const Block& block : blocks) {
    if (const auto* paragraph = std::get_if<report::Paragraph>(&block.value))
      lines.push_back(report::text_of(paragraph->text));
    if (const auto* more = std::get_if<report::Details>(&block.value)) add_lines(more->blocks, lines);
    if (const auto* list = std::get_if<report::List>(&block.value)) {
      for (const report::ListItem& item : list->items) lines.push_back(report::text_of(item.text));
    }
  }
}

class Reviewer {
 public:
  Reviewer(const report::Report& report, const AuthorInputs& inputs)
      : inputs_(inputs),
        document_(inputs.pack.document),
        report_(report),
        story_(find(document_)),
        packs_(inputs.pack, story_, Purpose::kReview),
        checker_(document_, inputs.sides),
        placements_(document_, inputs.sides, story_),
        conversation_(inputs.model, inputs.tools),
        writer_(packs_, checker_, placements_, conversation_, inputs.language, tally_) {}

  ModelReview run(report::Summary summary) {
    write(summary);
    // Behind what is wrong with the code what is only wrong with its words.
    const auto rank = [](const ReportedFinding& reported) {
      const bool is_of_words = reported.finding.rule != report::kModelRule && reported.doubt.empty() &&
                               reported.finding.category >= rules::Category::kReadability;
      return std::make_pair(reported.finding.severity, is_of_words);
    };
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [&](const ReportedFinding& a, const ReportedFinding& b) { return rank(a) < rank(b); });
    tally_.questions = conversation_.questions();
    tally_.tool_calls = conversation_.tool_calls();
    ModelReview review{std::move(report_), std::move(summary), tally_section(tally_, inputs_.model_name),
                       std::move(part_)};
    review.part.name = inputs_.model_name;
    add_lines(review.closing.blocks, review.part.checks);
    return review;
  }

 private:
  static report::Story find(const report::DocumentInputs& inputs) {
    report::StoryOptions options;
    options.most_central = kMostCentral;
    options.lead_first = true;
    return report::find_story(inputs, options);
  }

  // One question for all that is to be said, another one to refute what it proposes.
  void write(report::Summary& summary) {
    SectionTask task;
    task.name = "\u201cReview\u201d";
    task.prompt = "review";
    task.holes = {{"most", std::to_string(kMostAsked)},
                  {"short", std::to_string(kMostInShort)},
                  {"words", std::to_string(kSummaryWords)}};
    task.recipe.own_text = numbered_findings() + own_questions(summary);
    task.recipe.is_own_needed = true;
    task.recipe.facts = {PieceKind::kWhy,      PieceKind::kFollowed, PieceKind::kRuns,
                         PieceKind::kCallers,  PieceKind::kSettings, PieceKind::kNames,
                         PieceKind::kState,    PieceKind::kTests,    PieceKind::kCollectives,
                         PieceKind::kVersions, PieceKind::kHistory,  PieceKind::kFurtherCallers};
    task.recipe.least_score = kLeastScore;
    task.tokens = packs_.tokens_for(kPackTokens);
    task.words = 3'000;
    task.most_tool_calls = kReviewTools;
    task.most_tool_tokens = kReviewToolTokens;
    const Reply reply = conversation_.ask(writer_.question(task));
    std::optional<Opinion> opinion = reply.has_text() ? parse_opinion(reply.text) : std::nullopt;
    if (!opinion) {
      const std::string why = reply.has_text() ? "the answer was not of the asked form" : reply.why_not;
      tally_.kept.emplace_back(task.name, why);
      if (inputs_.why_nothing != nullptr) *inputs_.why_nothing = why;
      return;
    }
    Material material;
    material.add(reply.material);
    std::vector<NamedText> texts = texts_of(*opinion);
    writer_.check(texts, material);
    take(*opinion, texts);
    // It has seen them, and asks what it could not answer.
    summary.questions.clear();
    for (const std::string& question : opinion->questions) {
      if (!question.empty()) summary.questions.push_back(marked_text(question));
    }
    std::erase(opinion->looked_into, std::string());
    judge(opinion->judgements);
    opinion->absences = absences_in(texts.front().text);
    const std::vector<std::string> said = opinion->absences;
    report::Summary further;  // What the second reading has to say beside the findings.
    read_again({inputs_, story_, conversation_, writer_, report_, tally_, part_}, *opinion, material, further);
    for (const std::string& sentence : said) {
      if (std::find(opinion->absences.begin(), opinion->absences.end(), sentence) == opinion->absences.end())
        take_out(sentence, texts.front().text);
    }
    add_summary(summary, texts.front().text);
    summary.document.append(std::move(further.document));
    std::move(further.questions.begin(), further.questions.end(), std::back_inserter(summary.questions));
    add_looked_into(summary, opinion->looked_into);
  }

  // What it says is nowhere, or of all there are: the easiest thing to be wrong about, since one place refutes it.
  [[nodiscard]] static std::vector<std::string> absences_in(const ModelText& text) {
    std::vector<std::string> found;
    for (const Passage& passage : text.passages) {
      for (const std::string& sentence : passage.sentences) {
        if (!words_of_all(sentence).empty()) found.push_back(sentence);
      }
    }
    return found;
  }

  static void take_out(const std::string& gone, ModelText& text) {
    for (Passage& passage : text.passages) {
      for (std::string& sentence : passage.sentences) {
        if (sentence == gone) sentence.clear();
      }
    }
  }

  // All that a reader will see of it, so that what does not hold goes back in one request.
  [[nodiscard]] static std::vector<NamedText> texts_of(const Opinion& opinion) {
    std::vector<NamedText> texts;
    texts.push_back({"\u201cSummary\u201d", read_model_text(opinion.summary), false});
    for (const std::string& question : opinion.questions)
      texts.push_back({"\u201cQuestions\u201d", read_model_text(question), false});
    for (const std::string& fact : opinion.looked_into)
      texts.push_back({"\u201cFound right\u201d", read_model_text(fact), false});
    for (const Judgement& judgement : opinion.judgements)
      texts.push_back({"\u201cJudgement of the findings\u201d", read_model_text(judgement.reason), false});
    for (const Proposal& proposal : opinion.proposals) {
      texts.push_back({kProposals, read_model_text(proposal.title), false});
      texts.push_back({kProposals, read_model_text(proposal.problem), false});
      texts.push_back({kProposals, read_model_text(proposal.fix), true});
      texts.push_back({kProposals, read_model_text(proposal.comment), true});
    }
    return texts;
  }

  // The same order back.
  static void take(Opinion& opinion, const std::vector<NamedText>& texts) {
    std::size_t next = 1;
    for (std::string& question : opinion.questions) question = one_line(texts[next++].text);
    for (std::string& fact : opinion.looked_into) fact = one_line(texts[next++].text);
    for (Judgement& judgement : opinion.judgements) judgement.reason = one_line(texts[next++].text);
    for (Proposal& proposal : opinion.proposals) {
      proposal.title = one_line(texts[next++].text);
      proposal.is_shortened = lacks_sentence(texts[next].text);
      proposal.problem = with_points(texts[next++].text);
      proposal.fix = with_points(texts[next++].text);
      proposal.comment = one_line(texts[next++].text);
    }
  }

  void add_summary(report::Summary& summary, const ModelText& text) {
    Document alone;
    std::size_t left = kMostPlaced;
    alone.blocks = blocks_of(text, 0, [&](const Passage& passage) {
      if (left == 0) return std::vector<Block>();
      --left;
      return placements_.fill(passage).blocks;
    });
    if (alone.blocks.empty()) return;
    tally_.written.emplace_back("\u201cSummary\u201d");
    part_.summary = render::render_markdown(alone);
    auto& blocks = summary.document.blocks;
    // Its prose says what changes and how it works; files, steps and settings that Lockstep reads off the code would
    // say it again. How much changes and the author's words stay.
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(summary.how_begin),
                 blocks.begin() + static_cast<std::ptrdiff_t>(summary.how_end));
    summary.how_begin = summary.how_end = 0;
    if (!blocks.empty()) alone.blocks.push_back(blocks.front());
    std::vector<Block> quotes = remains_of(blocks).quotes;
    quotes.resize(std::min<std::size_t>(quotes.size(), 2));  // the author's words, with whose they are
    for (Block& quote : quotes) alone.blocks.push_back(std::move(quote));
    blocks = std::move(alone.blocks);
  }

  void add_looked_into(report::Summary& summary, const std::vector<std::string>& facts) {
    std::vector<std::string> items;
    ShortPlaces short_places(inputs_.sides);
    for (const std::string& fact : facts) {
      items.push_back(marked_text(short_places(fact)));
      part_.looked_into.push_back(fact);
    }
    if (items.empty()) return;
    summary.document.paragraph(report::strong("Followed and found right:"));
    summary.document.bullets(items);
  }

  [[nodiscard]] std::string numbered_findings() const {
    std::string text;
    for (std::size_t i = 0; i < report_.findings.size() && i < kMostJudged; ++i) {
      const rules::Finding& finding = report_.findings[i].finding;
      text += fmt::format("{}. [{}] {} at {}:{}: {}.", i + 1, report::severity_name(finding.severity), finding.rule,
                          finding.path, finding.start_line + 1, finding.message);
      if (!finding.why.empty()) text += " " + finding.why;
      text += '\n';
    }
    return text;
  }

  [[nodiscard]] static std::string own_questions(const report::Summary& summary) {
    std::string text;
    for (const std::string& question : summary.questions) text += fmt::format("- {}\n", report::unmarked(question));
    return text.empty() ? text
                        : "\nLockstep would ask the author (ask again what the code does not answer and what matters, "
                          "in your words):\n" +
                              text;
  }

  void judge(const std::vector<Judgement>& judgements) {
    if (judgements.empty() || report_.findings.empty()) return;
    std::size_t kept = 0, demoted = 0, doubted = 0;
    std::set<std::size_t> judged;  // The first verdict of each counts.
    for (const Judgement& judgement : judgements) {
      if (judgement.finding > std::min(report_.findings.size(), kMostJudged)) continue;
      if (!judged.insert(judgement.finding).second) continue;
      if (!judgement.demotes) {
        ++kept;
        continue;
      }
      const std::string& reason = judgement.reason;
      if (reason.empty()) continue;  // a demotion without a reason that holds is none
      ReportedFinding& reported = report_.findings[judgement.finding - 1];
      rules::Finding& finding = reported.finding;
      part_.notes[reported.fingerprint] = {finding.certainty == FindingCertainty::kProven ? "doubted" : "demoted",
                                           reason};
      (finding.certainty == FindingCertainty::kProven ? doubted : demoted) += 1;
      demote(reported, reason);
    }
    tally_.remarks.push_back(fmt::format(
        "{} of {} the model kept {} and demoted {}; {} that are proven keep their weight against its doubt.",
        report::strong("Judged:"), count_of(report_.findings.size(), "finding"), kept, demoted, doubted));
  }

  void demote(ReportedFinding& reported, const std::string& reason) const {
    rules::Finding& finding = reported.finding;
    if (finding.certainty != FindingCertainty::kProven && finding.severity < Severity::kP3) {
      reported.doubt = fmt::format("Demoted from {} by the model \u201c{}\u201d: {}",
                                   report::severity_name(finding.severity), inputs_.model_name, reason);
      finding.severity = static_cast<Severity>(static_cast<std::uint8_t>(finding.severity) + 1);
      return;
    }
    if (!finding.why.empty() && finding.why.back() != '.') finding.why += '.';
    finding.why += fmt::format(
        "{}The model \u201c{}\u201d doubts it: {} {}", finding.why.empty() ? "" : " ", inputs_.model_name, reason,
        finding.certainty == FindingCertainty::kProven ? "Lockstep proved it, so its weight stays."
                                                       : "It has the least weight already.");
  }

  const AuthorInputs& inputs_;
  const report::DocumentInputs& document_;
  report::Report report_;
  Tally tally_;
  report::Story story_;
  SectionPacks packs_;
  ClaimChecker checker_;
  Placements placements_;
  Conversation conversation_;
  SectionWriter writer_;
  render::ModelPart part_;
};

}  // namespace

ModelReview review_with_model(const report::Report& report, report::Summary summary, const AuthorInputs& inputs) {
  return Reviewer(report, inputs).run(std::move(summary));
}

Document review_document(ModelReview review) {
  Document document = report::write_review(review.report, std::move(review.summary));
  document.append(std::move(review.closing));
  return document;
}

}  // namespace lockstep::writer
