#include "writer/author/second_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/hash.h"
#include "base/strings.h"
#include "report/review/review.h"
#include "writer/author/blocking_fact.h"
#include "writer/author/short_places.h"
#include "writer/pack/data_text.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

using report::ReportedFinding;
using rules::FindingCertainty;
using rules::Severity;

constexpr std::size_t kRefuteTokens = 12'000;
constexpr double kLeastScore = 0.2;  // of code around the claims: a model can ask for the rest
constexpr std::size_t kRefuteTools = 10, kRefuteToolTokens = 10'000;
constexpr std::string_view kShortened = " (A sentence of it named what the code does not have, and was taken out.)";

/// What became of the proposals.
struct Outcome {
  std::size_t proposed = 0, misplaced = 0, known = 0, false_words = 0, refuted = 0, unsure = 0, unread = 0, kept = 0;
  std::size_t brief_left_out = 0;               // suggestions of one line that the second reading did not confirm
  std::size_t with_code = 0, code_refused = 0;  // code in place of lines, and code to add
};

class ProposalReader {
 public:
  explicit ProposalReader(const SecondReading& reading)
      : inputs_(reading.inputs),
        document_(reading.inputs.pack.document),
        story_(reading.story),
        conversation_(reading.conversation),
        writer_(reading.writer),
        report_(reading.report),
        tally_(reading.tally),
        part_(reading.part) {}

  // Takes out of what was found right what a second reading refutes.
  void run(Opinion& opinion, const Material& material, report::Summary& summary) {
    Outcome outcome;
    outcome.proposed = opinion.proposals.size();
    std::vector<Candidate> candidates;
    for (const Proposal& proposal : opinion.proposals) {
      const auto line = place_of_proposal(proposal, document_, inputs_.sides);
      const bool is_twin = line && std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
                             return other.proposal->at.path == proposal.at.path && other.line == *line &&
                                    other.proposal->title == proposal.title;
                           });
      if (!line) {
        ++outcome.misplaced;
      } else if (const ReportedFinding* known = known_at(proposal.at.path, *line);
                 is_twin || (known != nullptr && known->finding.severity <= proposal.severity)) {
        ++outcome.known;
      } else if (proposal.title.empty() || (proposal.problem.empty() && !proposal.is_brief)) {
        ++outcome.false_words;
      } else {
        Candidate& candidate = candidates.emplace_back();
        candidate.proposal = &proposal;
        candidate.line = *line;
        candidate.also = further_places(proposal, *line);
        if (!proposal.replacement.code.empty()) check_replacements(candidate);
        if (!proposal.addition.code.empty()) {
          Result<std::string> code = checked_addition(proposal.addition, inputs_.sides);
          if (code)
            candidate.added = *std::move(code);
          else
            candidate.not_added = code.error().message;
        }
      }
    }
    std::vector<std::string> facts = opinion.looked_into;
    facts.insert(facts.end(), opinion.absences.begin(), opinion.absences.end());
    const bool is_read = !candidates.empty() || !opinion.absences.empty();
    const std::vector<Refutation> refutations =
        is_read ? refute(candidates, facts, material) : std::vector<Refutation>(facts.size());
    const auto of_facts = refutations.begin() + static_cast<std::ptrdiff_t>(candidates.size());
    const auto of_absences = of_facts + static_cast<std::ptrdiff_t>(opinion.looked_into.size());
    drop_refuted(opinion.looked_into, {of_facts, of_absences}, candidates, summary);
    std::vector<std::string> absences;
    for (std::size_t i = 0; i < opinion.absences.size(); ++i) {
      // One place refutes it: what nobody looked for again is not said.
      if (of_absences[static_cast<std::ptrdiff_t>(i)].verdict == Verdict::kStands)
        absences.push_back(std::move(opinion.absences[i]));
    }
    opinion.absences = std::move(absences);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Refutation& refutation = refutations[i];
      amend(candidates[i], refutation);
      if (!candidates[i].proposal->addition.code.empty())
        ++(candidates[i].added ? outcome.with_code : outcome.code_refused);
      if (!candidates[i].proposal->replacement.code.empty())
        ++(candidates[i].code ? outcome.with_code : outcome.code_refused);
      if (refutation.verdict == Verdict::kStands) {
        ++outcome.kept;
        add(candidates[i], refutation);
      } else if (candidates[i].proposal->is_brief) {
        ++outcome.brief_left_out;
      } else if (refutation.verdict == Verdict::kRefuted) {
        ++outcome.refuted;
      } else if (refutation.verdict == Verdict::kUnsure && !refutation.reason.empty()) {
        ++outcome.unsure;
        ask_author(candidates[i], refutation, summary);
      } else {
        ++outcome.unread;
      }
    }
    if (outcome.unread > 0)
      summary.document.paragraph(fmt::format(
          "{} {} that the model proposed {} left out: a second reading, which tries to refute them, gave no "
          "verdict on {}. Run it again.",
          report::strong("Incomplete:"), count_of(outcome.unread, "problem"), outcome.unread == 1 ? "is" : "are",
          outcome.unread == 1 ? "it" : "them"));
    tally_.remarks.push_back(
        fmt::format("{} {}; {} kept, marked {}. Dropped: {} whose place or quoted line does not exist or has nothing "
                    "to do with what "
                    "the change touches, {} that are reported already, {} whose words did not hold, {} refuted, {} "
                    "without a verdict that holds. {} that the second reading left open are questions.",
                    report::strong("Proposed by the model:"), count_of(outcome.proposed, "problem"), outcome.kept,
                    "\u201cmodel\u201d", outcome.misplaced, outcome.known, outcome.false_words, outcome.refuted,
                    outcome.unread, outcome.unsure));
    if (outcome.brief_left_out > 0)
      tally_.remarks.push_back(fmt::format("{} {} of one line that the second reading did not confirm.",
                                           report::strong("Left out:"),
                                           count_of(outcome.brief_left_out, "suggestion")));
    if (outcome.with_code + outcome.code_refused > 0)
      tally_.remarks.push_back(
          fmt::format("{} {} of code by the model: the file parses with it and every name in it is bound, but nobody "
                      "ran it; {} did "
                      "not hold.",
                      report::strong("Code:"), count_of(outcome.with_code, "piece"), outcome.code_refused));
  }

 private:
  /// A proposal that is worth a second reading.
  struct Candidate {
    const Proposal* proposal = nullptr;
    std::uint32_t line = 0;
    std::optional<std::string> code;                               ///< In place of the lines of its replacement.
    std::vector<std::string> more_code;                            ///< Of those elsewhere, in their order.
    std::string not_replaced;                                      ///< Why that does not hold.
    std::optional<std::string> added;                              ///< Of its addition.
    std::string not_added;                                         ///< Why that does not hold.
    std::vector<std::pair<const NamedLine*, std::uint32_t>> also;  ///< Further places that exist.
  };

  // All of the code in place of lines, or none of it: half a fix is none.
  void check_replacements(Candidate& candidate) const {
    const Proposal& proposal = *candidate.proposal;
    std::string all = proposal.replacement.code;
    for (const auto& [path, replacement] : proposal.more_replacements) all += "\n" + replacement.code;
    Result<std::string> own =
        checked_replacement(proposal.replacement, proposal.at.path, candidate.line, all, inputs_.sides);
    if (!own) {
      candidate.not_replaced = own.error().message;
      return;
    }
    std::vector<std::string> more;
    for (const auto& [path, replacement] : proposal.more_replacements) {
      Result<std::string> code =
          replacement.first == 0 ? fail("its lines are missing")
                                 : checked_replacement(replacement, path, replacement.first - 1, all, inputs_.sides);
      if (!code) {
        candidate.not_replaced = fmt::format("of {}: {}", path, code.error().message);
        return;
      }
      more.push_back(*std::move(code));
    }
    candidate.code = *std::move(own);
    candidate.more_code = std::move(more);
  }

  // The second reader's code instead of what is to be added or, where nothing is, replaced, where it holds. What it
  // says fails goes without that.
  void amend(Candidate& candidate, const Refutation& refutation) const {
    const Proposal& proposal = *candidate.proposal;
    if (refutation.fails_as_fix) {
      candidate.added.reset();
      candidate.code.reset();
      candidate.more_code.clear();
    }
    if (refutation.code.empty()) return;
    if (!proposal.addition.code.empty()) {
      Addition addition = proposal.addition;
      addition.code = refutation.code;
      if (Result<std::string> code = checked_addition(addition, inputs_.sides)) candidate.added = *std::move(code);
    } else if (!proposal.replacement.code.empty() && proposal.more_replacements.empty()) {
      Replacement replacement = proposal.replacement;
      replacement.code = refutation.code;
      if (Result<std::string> code =
              checked_replacement(replacement, proposal.at.path, candidate.line, {}, inputs_.sides))
        candidate.code = *std::move(code);
    }
  }

  // What a second reading says against it is a question, unless a proposal has told of that line already.
  static void drop_refuted(std::vector<std::string>& facts, const std::vector<Refutation>& refutations,
                           const std::vector<Candidate>& candidates, report::Summary& summary) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (refutations[i].verdict != Verdict::kRefuted) {
        kept.push_back(std::move(facts[i]));
      } else if (!refutations[i].reason.empty() && !tells_of(candidates, refutations[i].reason)) {
        summary.questions.push_back(
            fmt::format("{} Is that case excluded somewhere?", marked_text(refutations[i].reason)));
      }
    }
    facts = std::move(kept);
  }

  // Whether one of them stands at a place that the text names, or names it itself.
  static bool tells_of(const std::vector<Candidate>& candidates, std::string_view text) {
    const std::vector<CitedPlace> places = places_in(replace_all(text, "`", ""));
    return std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
      const Proposal& proposal = *candidate.proposal;
      return std::any_of(places.begin(), places.end(), [&](const CitedPlace& place) {
        const bool is_at = place.path == proposal.at.path && place.first <= candidate.line + 1 &&
                           candidate.line + 1 <= std::max(place.first, place.last);
        return is_at || contains(proposal.problem, fmt::format("`{}:{}", place.path, place.first));
      });
    });
  }

  // What a second reader could neither follow to its effect nor refute, and why.
  static void ask_author(const Candidate& candidate, const Refutation& refutation, report::Summary& summary) {
    const Proposal& proposal = *candidate.proposal;
    const std::string title = proposal.title.ends_with('.') ? proposal.title : proposal.title + ".";
    summary.questions.push_back(fmt::format("{} - Can this happen? {} What the code leaves open: {}",
                                            report::place(proposal.at.path, candidate.line), marked_text(title),
                                            marked_text(refutation.reason)));
  }

  [[nodiscard]] std::vector<std::pair<const NamedLine*, std::uint32_t>> further_places(const Proposal& proposal,
                                                                                       std::uint32_t line) const {
    std::vector<std::pair<const NamedLine*, std::uint32_t>> places;
    std::set<std::pair<std::string_view, std::uint32_t>> known = {{proposal.at.path, line}};
    for (const NamedLine& named : proposal.also) {
      const auto at = place_of(named, inputs_.sides);
      if (at && known.emplace(named.path, *at).second) places.emplace_back(&named, *at);
    }
    return places;
  }

  // What a rule found there; null for nothing. Rules and models may point a line apart.
  [[nodiscard]] const ReportedFinding* known_at(const std::string& path, std::uint32_t line) const {
    const auto found =
        std::find_if(report_.findings.begin(), report_.findings.end(), [&](const ReportedFinding& reported) {
          const rules::Finding& finding = reported.finding;
          return finding.rule != report::kModelRule && finding.path == path && line + 1 >= finding.start_line &&
                 line <= finding.end_line + 1;
        });
    return found == report_.findings.end() ? nullptr : &*found;
  }

  // A problem that weighs more than what a rule found on its line has that finding in it: the two are one. False where
  // it came to weigh no more than that: then the finding says enough.
  bool take_in_known(ReportedFinding& reported) {
    const ReportedFinding* known = known_at(reported.finding.path, reported.finding.start_line);
    if (known == nullptr) return true;
    if (known->finding.severity <= reported.finding.severity) return false;
    reported.finding.evidence.push_back(evidence_of(known->finding));
    report_.findings.erase(report_.findings.begin() + (known - report_.findings.data()));
    return true;
  }

  static rules::Evidence evidence_of(const rules::Finding& finding) {
    return {finding.path, finding.start_line,
            fmt::format("a rule of Lockstep's, `{}`: {}", finding.rule, finding.message)};
  }

  // As the model wrote it.
  static std::string code_of(const Replacement& replacement) {
    const std::string text = data_text(replacement.code);
    return text.ends_with('\n') ? text : text + "\n";
  }

  // Beside which fixes have to hold.
  [[nodiscard]] std::string rules_found() const {
    constexpr std::size_t kMost = 8;
    std::string text;
    for (std::size_t i = 0; i < report_.findings.size() && i < kMost; ++i) {
      const rules::Finding& finding = report_.findings[i].finding;
      text += fmt::format("- {}:{}: {}. {}\n", finding.path, finding.start_line + 1, finding.message, finding.fix);
    }
    return text.empty()
               ? text
               : "\nWhat Lockstep's rules found and ask for (not to be judged; a fix must hold beside it):\n" + text;
  }

  // One verdict for each candidate, then for each thing found right and each sentence of all there are; all open where
  // there is no answer.
  std::vector<Refutation> refute(const std::vector<Candidate>& candidates, const std::vector<std::string>& facts,
                                 const Material& material) {
    std::vector<Refutation> none(candidates.size() + facts.size());
    SectionTask task;
    task.name = "\u201cRefutation\u201d";
    task.prompt = "review-refute";
    task.recipe.own_title = "The claims";
    task.recipe.is_own_needed = true;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto& [proposal, line, code, more_code, not_replaced, added, not_added, also] = candidates[i];
      std::string places = fmt::format("{}:{}", proposal->at.path, line + 1);
      for (const auto& [named, at] : also) places += fmt::format(", {}:{}", named->path, at + 1);
      task.recipe.own_text +=
          fmt::format("{}. The claim, [{}] at {}: {} {}{}\n", i + 1, report::severity_name(proposal->severity), places,
                      proposal->title, proposal->problem, proposal->is_shortened ? kShortened : "");
      if (!proposal->fix.empty()) task.recipe.own_text += fmt::format("What it asks for: {}\n", proposal->fix);
      if (code || !not_replaced.empty()) {
        const std::string refused = code ? "" : fmt::format(", which does not hold ({})", not_replaced);
        task.recipe.own_text +=
            fmt::format("Its fix, in place of lines {}-{}{}:\n\n```python\n{}```\n\n", proposal->replacement.first,
                        proposal->replacement.last, refused, code ? *code : code_of(proposal->replacement));
        for (std::size_t k = 0; k < proposal->more_replacements.size(); ++k) {
          const auto& [path, replacement] = proposal->more_replacements[k];
          task.recipe.own_text +=
              fmt::format("and in place of {}:{}-{}:\n\n```python\n{}```\n\n", path, replacement.first,
                          replacement.last, code ? more_code[k] : code_of(replacement));
        }
      }
      if (added)
        task.recipe.own_text += fmt::format("What it adds to {} behind line {}:\n\n```python\n{}```\n\n",
                                            proposal->addition.path, proposal->addition.after, *added);
      if (!not_added.empty())
        task.recipe.own_text += fmt::format(
            "What it would add to {} behind line {}, but it does not hold ({}):\n\n```python\n{}\n```\n\n",
            proposal->addition.path, proposal->addition.after, not_added, data_text(proposal->addition.code));
    }
    for (std::size_t i = 0; i < facts.size(); ++i)
      task.recipe.own_text +=
          fmt::format("{}. The claim that this is right: {}\n", candidates.size() + i + 1, facts[i]);
    task.recipe.own_text += rules_found();
    task.recipe.places = task.recipe.own_text;
    task.recipe.facts = {PieceKind::kSettings, PieceKind::kCallers, PieceKind::kFurtherCallers};
    task.recipe.with_diff = false;
    task.recipe.least_score = kLeastScore;
    task.tokens = kRefuteTokens;
    task.words = 120 * none.size();
    task.most_tool_calls = kRefuteTools;
    task.most_tool_tokens = kRefuteToolTokens;
    const Reply reply = conversation_.ask(writer_.question(task));
    auto refutations = reply.has_text() ? parse_refutations(reply.text, none.size()) : std::nullopt;
    if (!refutations) {
      tally_.kept.emplace_back(task.name, reply.has_text() ? "the answer was not of the asked form" : reply.why_not);
      return none;
    }
    Material all = material;
    all.add(reply.material);
    std::vector<NamedText> texts;
    for (const Refutation& refutation : *refutations)
      texts.push_back({task.name, read_model_text(refutation.reason), false});
    writer_.check(texts, all);
    for (std::size_t i = 0; i < texts.size(); ++i) (*refutations)[i].reason = one_line(texts[i].text);
    return std::move(*refutations);
  }

  void add(const Candidate& candidate, const Refutation& refutation) {
    const Proposal& proposal = *candidate.proposal;
    add_at(proposal.at, candidate.line, candidate, refutation);
    for (const auto& [named, line] : candidate.also) add_at(*named, line, candidate, refutation);
  }

  /// The line of the change that it follows from, if a forge takes a comment there.
  [[nodiscard]] std::optional<rules::Evidence> cause_in_diff(const Proposal& proposal) const {
    const auto line = line_of_cause(proposal);
    const repo::FileChange* file = line ? document_.change->diff->find_after(proposal.cause.path) : nullptr;
    if (file == nullptr || !file->lines.in_hunk(*line)) return std::nullopt;
    return rules::Evidence{proposal.cause.path, *line, {}};
  }

  [[nodiscard]] std::optional<std::uint32_t> line_of_cause(const Proposal& proposal) const {
    return proposal.cause.path.empty() ? std::nullopt : place_of(proposal.cause, inputs_.sides);
  }

  /// All lines that it names, from 0: its own, further ones, and its cause.
  [[nodiscard]] std::vector<LineOfFile> lines_of(const Candidate& candidate) const {
    std::vector<LineOfFile> lines = {{candidate.proposal->at.path, candidate.line}};
    for (const auto& [named, line] : candidate.also) lines.emplace_back(named->path, line);
    if (const auto line = line_of_cause(*candidate.proposal)) lines.emplace_back(candidate.proposal->cause.path, *line);
    return lines;
  }

  void add_at(const NamedLine& named, std::uint32_t line, const Candidate& candidate, const Refutation& refutation) {
    const Proposal& proposal = *candidate.proposal;
    ReportedFinding reported;
    rules::Finding& finding = reported.finding;
    finding.rule = report::kModelRule;
    finding.severity = std::max(proposal.severity, refutation.severity.value_or(proposal.severity));
    if (finding.severity == Severity::kP0) {
      // P0 takes a fact; a model's word is none.
      std::optional<rules::Evidence> fact = blocking_fact(document_, story_, lines_of(candidate));
      const bool is_found_by_rule = !fact && known_at(named.path, line) != nullptr;
      if (!fact && !is_found_by_rule) finding.severity = Severity::kP1;
      if (fact) finding.evidence.push_back(*std::move(fact));
    }
    finding.certainty = FindingCertainty::kLikely;
    finding.path = named.path;
    finding.start_line = finding.end_line = line;
    if (const change::EntityChange* entity = document_.change->entity_at_after(named.path, line))
      finding.symbol = entity->latest().qualified_name;
    const std::string& title = proposal.title;
    finding.message = title.ends_with('.') ? title.substr(0, title.size() - 1) : title;
    ShortPlaces short_places(inputs_.sides, named.path);
    const bool has_code = candidate.code || candidate.added;
    const auto shown = [&](const std::string& text) {
      return short_places(has_code ? text : without_pointers_to_code(text));
    };
    finding.why = shown(proposal.problem);
    finding.fix = shown(proposal.fix);
    reported.is_brief = proposal.is_brief;
    reported.comment = proposal.is_brief ? std::string()
                       : proposal.comment.empty()
                           ? fmt::format("{}. {}", finding.message, report::points_of(finding.fix).first)
                           : shown(proposal.comment);
    const repo::FileChange* file = document_.change->diff->find_after(named.path);
    const std::uint32_t first = proposal.replacement.first - 1, last = proposal.replacement.last - 1;
    // A comment stands within the diff: code that goes beyond it is no suggestion that a forge takes.
    if (candidate.code) {
      if (&named == &proposal.at && file != nullptr && file->lines.in_hunk(first) && file->lines.in_hunk(last)) {
        finding.start_line = first;
        finding.end_line = last;
        finding.suggestion = candidate.code;
      } else {
        reported.proposed.push_back({proposal.at.path, first, last - first + 1, *candidate.code});
      }
      for (std::size_t k = 0; k < candidate.more_code.size(); ++k) {
        const auto& [path, replacement] = proposal.more_replacements[k];
        reported.proposed.push_back(
            {path, replacement.first - 1, replacement.last - replacement.first + 1, candidate.more_code[k]});
      }
    }
    if (candidate.added)
      reported.proposed.push_back({proposal.addition.path, proposal.addition.after, 0, *candidate.added});
    reported.in_diff = file != nullptr && file->lines.in_hunk(finding.start_line);
    if (!reported.in_diff) reported.anchor = cause_in_diff(proposal);
    // As of our own findings: what stands on the line, not its number, nor the model's words.
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}", report::kModelRule, named.path, finding.symbol, trim(named.quote));
    reported.fingerprint = hash128_hex(fmt::format("{}\n{}", key, occurrences_[key]++));
    if (!take_in_known(reported)) return;
    part_.notes[reported.fingerprint] = {"proposed", refutation.reason};
    report_.findings.push_back(std::move(reported));
  }

  const AuthorInputs& inputs_;
  const report::DocumentInputs& document_;
  const report::Story& story_;
  Conversation& conversation_;
  SectionWriter& writer_;
  report::Report& report_;
  Tally& tally_;
  render::ModelPart& part_;
  std::map<std::string, std::size_t> occurrences_;  // of proposals on lines that read the same
};

}  // namespace

void read_again(SecondReading reading, Opinion& opinion, const Material& material, report::Summary& summary) {
  ProposalReader(reading).run(opinion, material, summary);
}

}  // namespace lockstep::writer
