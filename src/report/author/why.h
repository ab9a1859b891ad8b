// The change's own words: title, body and messages without template boilerplate, lines it adds to a changelog, comments
// it adds that give reasons. Everything is quoted and attributed; nothing is inferred.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// One saying of the author.
struct Saying {
  std::string source;  ///< "the pull request's description", "the commit message", marked place of a comment, ….
  std::vector<std::string> paragraphs;  ///< Marked text; a list item starts with "• ".
  bool is_cut = false;                  ///< More was said than is quoted.
  bool is_of_step = false;              ///< A comment beside one step: a reason for that step.
  bool is_of_lead = false;              ///< Of a step of the function that carries the change.
  bool is_of_fault = false;             ///< A comment right above new code that says what may go wrong.
  bool is_gone = false;                 ///< A comment that the change takes out.
};

struct OwnWords {
  std::string title;                   ///< Marked text without the trailing "(#123)"; empty where there is none.
  std::string number;                  ///< "#123", from the title or the inputs; may be empty.
  std::vector<Saying> sayings;         ///< Body first, then messages, changelog.
  std::vector<Saying> comments;        ///< Reasons given in comments and docstrings that the change adds.
  std::vector<Saying> written_before;  ///< Older than the change: of new bases; else from above what changes.
  std::vector<Saying> purposes;        ///< What documentation and new modules of the change say that it brings.
  std::vector<Saying> remarks;         ///< What its comments and tests say beside, where nothing gives a reason.
  /// Marked sentences: what the code shows that failed before, imports of what was not there.
  std::vector<std::string> failures;
  /// Names of code in `sayings` that no file has: they were written for another state of the change.
  std::vector<std::string> absent;
  /// True if anything beyond the title was said about reasons.
  [[nodiscard]] bool says_why() const { return !sayings.empty() || !comments.empty(); }
};

OwnWords own_words_of(const DocumentInputs& inputs, const Story& story, std::size_t most_words);

/// The sentence of `text` that gives a reason, else its first.
std::string reason_in(std::string_view text);

/// A pull request's or commit's body without comments, checklists, empty headings, trailers and contribution
/// boilerplate: its paragraphs as plain text ("• " starts a list item). `template_letters`: letters_of_templates().
std::vector<std::string> without_boilerplate(std::string_view body, std::string_view template_letters = {});

}  // namespace lockstep::report
