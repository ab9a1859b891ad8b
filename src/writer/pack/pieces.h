// A change with all that is known of it -> pieces of a context pack: what Lockstep knows as sentences, and the code
// around the change whole entities at a time, each piece with its tokens and how useful it is. pack.h chooses among
// them; so does the author (writer/author), who gives each section of a document a small pack of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "playbook/files.h"
#include "repo/line_history.h"
#include "report/document.h"
#include "report/inputs.h"
#include "report/story/story.h"
#include "writer/pack/names.h"

namespace lockstep::writer {

/// What the reader of a pack is to write.
enum class Purpose : std::uint8_t { kExplain, kDive, kReview };

struct PackInputs {
  const report::DocumentInputs& document;
  std::vector<repo::FileHistory> history;          ///< May be empty.
  const playbook::Playbooks* playbooks = nullptr;  ///< Of the before side; may be null.
  repo::LineEdits line_edits = {};                 ///< Of the before side; may be empty.
};

enum class PieceKind : std::uint8_t {
  kWhy,
  kWhat,
  kFollowed,
  kRuns,
  kSettings,
  kCallers,
  kFurtherCallers,  ///< Of what supports the change, or is called from its own lines alone: the diff shows those.
  kState,
  kNames,
  kVersions,
  kBreaks,
  kTests,
  kFindings,
  kCollectives,
  kDemands,
  kHistory,
  kFiles,
  kCode,
};

struct Piece {
  PieceKind kind = PieceKind::kCode;
  std::string name;          ///< Marked text, for the list of what was left out: "`pkg.f(x)` `path:3`: calls `g`".
  report::Document content;  ///< Harmless already (data_text.h).
  std::string text;          ///< As Markdown.
  std::size_t tokens = 0;
  double score = 0;                 ///< Only comparable among code.
  std::vector<std::string> paths;   ///< Changed files that it is about; empty: the whole change.
  std::string wider;                ///< The same with more of the function, for where there is room; may be empty.
  bool is_changed = false;          ///< Of a function: the change edits it.
  bool leans_on_diff = false;       ///< It leaves out lines that the diff shows.
  std::vector<std::size_t> needed;  ///< Of a function: which lines of its code block matter most.
};

/// A function that does not fit, so much of it as does (elide.h); nullopt for pieces that are no code, and where less
/// than a few lines would be left.
std::optional<Piece> shortened(const Piece& piece, std::size_t tokens);

/// Renders and counts; `content` becomes harmless.
void complete(Piece& piece);

/// Sentences, in the order of PieceKind; what is not there is said to be not there.
std::vector<Piece> fact_pieces(const PackInputs& inputs, const report::Story& story, const Leads& leads,
                               Purpose purpose);
/// Code around the change, the most useful first.
std::vector<Piece> code_pieces(const PackInputs& inputs, const report::Story& story, const Leads& leads,
                               Purpose purpose);

/// One stretch of the diff of one file, at most as long as asked for.
struct DiffPiece {
  std::string path;
  std::string text;  ///< Markdown: a heading and a fenced block.
  std::size_t tokens = 0;
};
/// Of the lines that a change adds to tests: all of them, or those that say what a test is called, is for, and asserts.
enum class TestLines : std::uint8_t { kWhole, kTelling };
/// The whole diff, the files that carry the change first; no piece has more than about `most_tokens` tokens. What is
/// left out of tests is counted where it stood.
std::vector<DiffPiece> diff_pieces(const PackInputs& inputs, const report::Story& story, std::size_t most_tokens,
                                   TestLines tests = TestLines::kWhole);

/// Source lines with their numbers, from 1: "   12| text".
std::vector<std::string> numbered_source(const SourceText& source, std::uint32_t first, std::uint32_t last);

}  // namespace lockstep::writer
