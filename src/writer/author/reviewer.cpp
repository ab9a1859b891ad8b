#include "writer/author/reviewer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/hash.h"
#include "base/strings.h"
#include "render/markdown.h"
#include "report/review.h"
#include "writer/author/proposals.h"
#include "writer/author/section_writer.h"

namespace lockstep::writer {

namespace {

using report::Block;
using report::Document;
using report::ReportedFinding;
using rules::FindingCertainty;
using rules::Severity;

constexpr std::size_t kMostCentral = 8;
constexpr std::size_t kMostJudged = 20;
constexpr std::size_t kPackTokens = 9'000, kRefuteTokens = 6'000;
constexpr std::size_t kProposalTools = 6, kRefuteTools = 6;
constexpr std::size_t kMostAsked = 6;

/// What became of the proposals.
struct Outcome {
  std::size_t proposed = 0, misplaced = 0, known = 0, false_words = 0, refuted = 0, unsure = 0, kept = 0;
};

std::string one_line(const ModelText& text) {
  std::string line;
  for (const Passage& passage : text.passages) {
    for (const std::string& sentence : passage.sentences) {
      if (!sentence.empty()) line += (line.empty() ? "" : " ") + sentence;
    }
  }
  return line;
}

// The items of the lists, as plain text.
std::vector<std::string> lines_of(const Document& document) {
  std::vector<std::string> lines;
  for (const Block& block : document.blocks) {
    const auto* list = std::get_if<report::List>(&block.value);
    if (list == nullptr) continue;
    for (const report::ListItem& item : list->items) {
      std::string line;
      for (const report::Run& run : item.text) line += run.text;
      lines.push_back(std::move(line));
    }
  }
  return lines;
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
        conversation_(inputs.model, inputs.tools),
        writer_(packs_, checker_, conversation_, inputs.language, tally_) {}

  ModelReview run(report::Summary summary) {
    add_summary(summary.document);
    judge();
    propose();
    std::stable_sort(
        report_.findings.begin(), report_.findings.end(),
        [](const ReportedFinding& a, const ReportedFinding& b) { return a.finding.severity < b.finding.severity; });
    tally_.questions = conversation_.questions();
    tally_.tool_calls = conversation_.tool_calls();
    ModelReview review{std::move(report_), std::move(summary), tally_section(tally_, inputs_.model_name),
                       std::move(part_)};
    review.part.name = inputs_.model_name;
    review.part.checks = lines_of(review.closing);
    return review;
  }

 private:
  static report::Story find(const report::DocumentInputs& inputs) {
    report::StoryOptions options;
    options.most_central = kMostCentral;
    options.lead_first = true;
    return report::find_story(inputs, options);
  }

  SectionTask task_of(std::string name, std::string prompt, std::size_t tokens, std::size_t words) const {
    SectionTask task;
    task.name = std::move(name);
    task.prompt = std::move(prompt);
    task.tokens = tokens;
    task.words = words;
    return task;
  }

  void add_summary(Document& summary) {
    SectionTask task = task_of("\u201cSummary\u201d", "review-summary", 6'000, 200);
    task.holes = {{"words", "200"}};
    task.recipe.facts = {PieceKind::kWhy, PieceKind::kWhat, PieceKind::kRuns, PieceKind::kSettings};
    task.most_tool_calls = 2;
    auto prose = writer_.write(task);
    if (!prose) return;
    Document alone;
    alone.blocks = *prose;
    part_.summary = render::render_markdown(alone);
    summary.blocks.insert(summary.blocks.begin(), std::make_move_iterator(prose->begin()),
                          std::make_move_iterator(prose->end()));
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

  // The words that hold, on one line.
  std::string checked(const std::string& text, const Material& material, const std::string& section) {
    return one_line(writer_.checked(read_model_text(text), material, section, {}));
  }

  void judge() {
    if (report_.findings.empty()) return;
    SectionTask task = task_of("\u201cJudgement of the findings\u201d", "review-judge", kPackTokens, 500);
    task.recipe.own_text = numbered_findings();
    task.recipe.facts = {PieceKind::kRuns, PieceKind::kCollectives};
    const Reply reply = conversation_.ask(writer_.question(task));
    const auto judgements = reply.has_text() ? parse_judgements(reply.text) : std::nullopt;
    if (!judgements) {
      tally_.kept.emplace_back(task.name, reply.has_text() ? "the answer was not of the asked form" : reply.why_not);
      return;
    }
    Material material;
    material.add(reply.material);
    std::size_t kept = 0, demoted = 0, doubted = 0;
    for (const Judgement& judgement : *judgements) {
      if (judgement.finding > std::min(report_.findings.size(), kMostJudged)) continue;
      if (!judgement.demotes) {
        ++kept;
        continue;
      }
      const std::string reason = checked(judgement.reason, material, task.name);
      if (reason.empty()) continue;  // a demotion without a reason that holds is none
      ReportedFinding& reported = report_.findings[judgement.finding - 1];
      rules::Finding& finding = reported.finding;
      part_.notes[reported.fingerprint] = {finding.certainty == FindingCertainty::kProven ? "doubted" : "demoted",
                                           reason};
      (finding.certainty == FindingCertainty::kProven ? doubted : demoted) += 1;
      demote(finding, reason);
    }
    tally_.remarks.push_back(fmt::format(
        "{} of {} the model kept {} and demoted {}; {} that are proven keep their weight against its doubt.",
        report::strong("Judged:"), count_of(report_.findings.size(), "finding"), kept, demoted, doubted));
  }

  void demote(rules::Finding& finding, const std::string& reason) const {
    std::string note;
    if (finding.certainty == FindingCertainty::kProven) {
      note = fmt::format("The model \u201c{}\u201d doubts it: {} Lockstep proved it, so its weight stays.",
                         inputs_.model_name, reason);
    } else {
      note = fmt::format("Demoted from {} by the model \u201c{}\u201d: {}", report::severity_name(finding.severity),
                         inputs_.model_name, reason);
      if (finding.severity < Severity::kP3)
        finding.severity = static_cast<Severity>(static_cast<std::uint8_t>(finding.severity) + 1);
    }
    if (!finding.why.empty() && finding.why.back() != '.') finding.why += '.';
    finding.why += (finding.why.empty() ? "" : " ") + note;
  }

  void propose() {
    SectionTask task = task_of("\u201cProposals\u201d", "review-propose", kPackTokens, 700);
    task.holes = {{"most", std::to_string(kMostAsked)}};
    task.recipe.own_text = numbered_findings();
    task.recipe.facts = {PieceKind::kWhy, PieceKind::kRuns, PieceKind::kSettings, PieceKind::kCallers,
                         PieceKind::kTests};
    task.most_tool_calls = kProposalTools;
    const Reply reply = conversation_.ask(writer_.question(task));
    const auto proposals = reply.has_text() ? parse_proposals(reply.text) : std::nullopt;
    if (!proposals) {
      tally_.kept.emplace_back(task.name, reply.has_text() ? "the answer was not of the asked form" : reply.why_not);
      return;
    }
    Material material;
    material.add(reply.material);
    Outcome outcome;
    outcome.proposed = proposals->size();
    for (const Proposal& proposal : *proposals) consider(proposal, material, outcome);
    tally_.remarks.push_back(fmt::format(
        "{} {}; {} kept. Dropped: {} whose place or quoted line does not exist in what the change touches, {} that "
        "are reported already, {} whose words did not hold, {} refuted, {} that the second reading left open.",
        report::strong("Proposed by the model:"), count_of(outcome.proposed, "problem"), outcome.kept,
        outcome.misplaced, outcome.known, outcome.false_words, outcome.refuted, outcome.unsure));
  }

  [[nodiscard]] bool is_known(const std::string& path, std::uint32_t line) const {
    return std::any_of(report_.findings.begin(), report_.findings.end(), [&](const ReportedFinding& reported) {
      const rules::Finding& finding = reported.finding;
      // Rules and models may point a line apart; two proposals of one answer are two unless they share the line.
      const std::uint32_t near = finding.rule == render::kModelRule ? 0 : 1;
      return finding.path == path && line + near >= finding.start_line && line <= finding.end_line + near;
    });
  }

  void consider(const Proposal& proposal, const Material& material, Outcome& outcome) {
    const auto line = place_of_proposal(proposal, document_, inputs_.sides);
    if (!line) {
      ++outcome.misplaced;
      return;
    }
    if (is_known(proposal.path, *line)) {
      ++outcome.known;
      return;
    }
    const std::string section = "\u201cProposals\u201d";
    const std::string title = checked(proposal.title, material, section);
    const std::string problem = title.empty() ? std::string() : checked(proposal.problem, material, section);
    if (problem.empty()) {
      ++outcome.false_words;
      return;
    }
    const std::string fix = checked(proposal.fix, material, section);
    const Refutation refutation = refute(proposal, *line, title, problem);
    if (refutation.verdict != Verdict::kStands) {
      ++(refutation.verdict == Verdict::kRefuted ? outcome.refuted : outcome.unsure);
      return;
    }
    ++outcome.kept;
    add(proposal, *line, title, problem, fix, refutation.reason);
  }

  Refutation refute(const Proposal& proposal, std::uint32_t line, const std::string& title,
                    const std::string& problem) {
    SectionTask task = task_of("\u201cRefutation\u201d", "review-refute", kRefuteTokens, 200);
    task.recipe.entity = document_.change->entity_at_after(proposal.path, line);
    task.recipe.facts = {PieceKind::kCallers, PieceKind::kSettings};
    task.recipe.own_text = fmt::format("The claim, at {}:{}: {} {}\n", proposal.path, line + 1, title, problem);
    task.recipe.places = title + " " + problem;
    task.most_tool_calls = kRefuteTools;
    const Reply reply = conversation_.ask(writer_.question(task));
    const auto parsed = reply.has_text() ? parse_refutation(reply.text) : std::nullopt;
    if (!parsed) return {};
    Material material;
    material.add(reply.material);
    return {parsed->verdict, checked(parsed->reason, material, task.name)};
  }

  void add(const Proposal& proposal, std::uint32_t line, const std::string& title, const std::string& problem,
           const std::string& fix, const std::string& reason) {
    ReportedFinding reported;
    rules::Finding& finding = reported.finding;
    finding.rule = render::kModelRule;
    finding.severity = proposal.severity;
    finding.certainty = FindingCertainty::kLikely;
    finding.path = proposal.path;
    finding.start_line = finding.end_line = line;
    if (const change::EntityChange* entity = document_.change->entity_at_after(proposal.path, line))
      finding.symbol = entity->latest().qualified_name;
    finding.message = title.ends_with('.') ? title.substr(0, title.size() - 1) : title;
    finding.why =
        fmt::format("{} Proposed by the model \u201c{}\u201d, not by a rule; asked to refute it, it could not{}{}",
                    problem, inputs_.model_name, reason.empty() ? "." : ": ", reason);
    finding.fix = fix;
    const repo::FileChange* file = document_.change->diff->find_after(proposal.path);
    reported.in_diff = file != nullptr && file->lines.in_hunk(line);
    // As of our own findings: what stands on the line, not its number, nor the model's words.
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}", render::kModelRule, proposal.path, finding.symbol, trim(proposal.quote));
    reported.fingerprint = hash128_hex(fmt::format("{}\n{}", key, occurrences_[key]++));
    part_.notes[reported.fingerprint] = {"proposed", reason};
    report_.findings.push_back(std::move(reported));
  }

  const AuthorInputs& inputs_;
  const report::DocumentInputs& document_;
  report::Report report_;
  Tally tally_;
  report::Story story_;
  SectionPacks packs_;
  ClaimChecker checker_;
  Conversation conversation_;
  SectionWriter writer_;
  render::ModelPart part_;
  std::map<std::string, std::size_t> occurrences_;  // of proposals on lines that read the same
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
