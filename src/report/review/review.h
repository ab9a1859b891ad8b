// Report + change -> the review as a document: summary, critical issues, suggestions, nitpicks (only where nothing
// worse was found), questions, and comments ready to post, grouped by file. At most kMostIssues issues are told, and a
// few suggestions beside them in a line each, without comments; findings of one rule with one cause are one issue.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "change/change.h"
#include "report/document.h"
#include "report/report.h"
#include "report/review/summary.h"

namespace lockstep::report {

/// "Limit to 5-10 most important issues" for any change.
inline constexpr std::size_t kMostIssues = 10;

/// Findings of one rule that say the same thing of several places, the first of them told in full.
struct Issue {
  const ReportedFinding* first = nullptr;
  std::vector<const ReportedFinding*> more;
};

/// Words of a finding (`why`, `fix`): what they say, and the points that they list, each on a line of its own behind
/// "- ". Sentences end with a full stop.
struct Points {
  std::string first;
  std::vector<std::string> more;
};
Points points_of(std::string_view text);

/// Asks its author instead of saying that something is wrong.
bool is_question(const Issue& issue);
/// "**[P1]**", or of a question "**[Question]**": marked text.
std::string issue_mark(const Issue& issue);

/// "At `a.py:3`, because of this line:", before a comment that stands at the line from which the finding follows.
std::string because_of_line(const rules::Finding& finding);

/// Issues of a report in its order, grouped; not cut.
std::vector<Issue> group_issues(const Report& report);

/// How many issues of which weight, what that means for merging, and what of the change was not read: marked text.
/// `compared` is null for a check.
std::string write_verdict(const Report& report, const std::vector<Issue>& issues, const Compared* compared);

/// The review. `summary` is section 1, which knows the change's words and its story; its questions follow those of the
/// rules.
Document write_review(const Report& report, Summary summary);

/// The findings of a whole tree (check): a table of counts, then the issues of P0 to P3 under their files.
Document write_check(const Report& report);

/// The text of one review comment, as on a forge: problem, why, fix, and the replacement where there is one.
Document write_comment(const Issue& issue);

}  // namespace lockstep::report
