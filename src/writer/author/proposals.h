// JSON that a model answered -> judgements and proposals, as far as they are well formed; and proposals held against
// the code. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/inputs.h"
#include "report/report.h"
#include "writer/author/proposed_code.h"
#include "writer/cited_sides.h"

namespace lockstep::writer {

struct Judgement {
  std::size_t finding = 0;  ///< From 1.
  bool demotes = false;
  std::string reason;
};

/// A line as a model names it.
struct NamedLine {
  std::string path;
  std::uint32_t line = 0;  ///< From 1, as written.
  std::string quote;
};

struct Proposal {
  rules::Severity severity = rules::Severity::kP2;
  NamedLine at;
  NamedLine cause;              ///< The line of the change that it follows from; may be empty where `at` is one itself.
  std::vector<NamedLine> also;  ///< Where the same problem stands again.
  std::string title, problem, fix;
  bool is_brief = false;      ///< A suggestion of one line: a title alone.
  bool is_shortened = false;  ///< A sentence of the problem did not hold and was taken out.
  std::string comment;        ///< The same in short, for a comment on the line; may be empty.
  Replacement replacement;    ///< Without code where it proposes none.
  /// What the same fix replaces elsewhere, with the files; part of it only as a whole.
  std::vector<std::pair<std::string, Replacement>> more_replacements;
  Addition addition;  ///< Likewise; the test that would show the problem, for the most part.
};

enum class Verdict : std::uint8_t { kRefuted, kStands, kUnsure };
struct Refutation {
  Verdict verdict = Verdict::kUnsure;
  std::string reason;
  std::optional<rules::Severity> severity;  ///< What the second reader thinks that it deserves.
  bool fails_as_fix = false;                ///< Of the code that it proposes.
  std::string code;  ///< What its addition, or where it has none its one replacement, should be instead; may be empty.
};

/// All that a model says of a review.
struct Opinion {
  std::string summary;
  std::vector<Judgement> judgements;
  std::vector<Proposal> proposals;
  std::vector<std::string> questions;
  std::vector<std::string> looked_into;  ///< What it followed and found right.
  /// Sentences of the summary that say something of all there are: no test, no caller, the only. Taken from it.
  std::vector<std::string> absences;
};

/// What is not of the asked form is left out; nullopt: no JSON of the asked form at all.
std::optional<Opinion> parse_opinion(std::string_view text);
/// By claim, the first being 1; a claim without a verdict is left open. nullopt: no JSON of the asked form at all.
std::optional<std::vector<Refutation>> parse_refutations(std::string_view text, std::size_t claims);

/// Where the quote stands on the after side, from 0; nullopt: nowhere near its line.
std::optional<std::uint32_t> place_of(const NamedLine& named, const CitedSides& sides);
/// Whether the change touches that line of the after side, or what holds it.
bool is_touched(const std::string& path, std::uint32_t line, const report::DocumentInputs& inputs);
/// Where a proposal stands, from 0; nullopt: where it does not exist, or where the change touches neither it nor what
/// it names as its cause.
std::optional<std::uint32_t> place_of_proposal(const Proposal& proposal, const report::DocumentInputs& inputs,
                                               const CitedSides& sides);

}  // namespace lockstep::writer
