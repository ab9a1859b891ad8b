#include "report/review/review.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "base/strings.h"
#include "report/file_name.h"
#include "rules/rule.h"

namespace lockstep::report {

namespace {

using rules::Finding;
using rules::FindingCertainty;
using rules::Severity;

std::string place_of(const Finding& finding) { return place(finding.path, finding.start_line); }

// Sentences of findings come without a full stop at the end of `message`; other fields end as written.
std::string sentence(std::string_view text) {
  std::string result(trim(text));
  if (!result.empty() && std::string_view(".?!;,:").find(result.back()) == std::string_view::npos) result += '.';
  return result;
}

constexpr std::size_t kMostCommentBytes = 480;

/// As many whole sentences from the beginning as `limit` bytes hold, at least one; a full stop within back-quotes ends
/// none.
std::string first_sentences(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = std::string::npos;
  bool in_code = false;
  for (std::size_t i = 0; i + 1 < text.size() && (i < limit || end == std::string::npos); ++i) {
    in_code = in_code != (text[i] == '`');
    if (!in_code && text[i] == '.' && text[i + 1] == ' ') end = i + 1;
  }
  return end == std::string::npos ? text : text.substr(0, end);
}

/// "a.py:12", "a.py:12-14".
bool is_place(std::string_view span) {
  const std::size_t colon = span.rfind(':');
  return colon != std::string_view::npos && colon > 0 && colon + 1 < span.size() &&
         span.find_first_not_of("0123456789-", colon + 1) == std::string_view::npos;
}

/// A model's words, which name each place of the file in full, below a line that says the path: "`:12-14`"; behind a
/// place of another file, which a reader would take it for, "`a.py:12-14`".
std::string without_own_path(const std::string& text, const Finding& finding) {
  if (finding.rule != kModelRule) return text;
  const std::string own = finding.path + ":";
  const std::vector<std::string_view> parts = split(text, '`');
  std::string out;
  bool is_behind_other = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_code = i % 2 == 1 && i + 1 < parts.size();
    const bool is_own = is_code && parts[i].starts_with(own) && is_place(parts[i]);
    if (i > 0) out += '`';
    if (is_own && is_behind_other) out += file_name(finding.path);
    out += is_own ? parts[i].substr(finding.path.size()) : parts[i];
    if (is_code && is_place(parts[i])) is_behind_other = !is_own;
  }
  return out;
}

List list_of(const std::vector<std::string>& points) {
  List list;
  for (const std::string& point : points) list.items.push_back({prose(from_backquotes(point)), {}, std::nullopt});
  return list;
}

Block labelled(std::string_view label, std::string_view text) {
  const Points points = points_of(text);
  ListItem item{prose(fmt::format("{}: {}", strong(label), from_backquotes(points.first))), {}, std::nullopt};
  if (!points.more.empty()) item.children.push_back({list_of(points.more)});
  List list;
  list.items.push_back(std::move(item));
  return {std::move(list)};
}

/// More lines than these a reader unfolds.
constexpr std::size_t kMostOpenLines = 15;

Block proposed_block(const ProposedCode& proposed) {
  CodeBlock block;
  block.language = "python";
  const std::string where = proposed.replaced > 0 ? "in place of " + place(proposed.path, proposed.line,
                                                                           proposed.line + proposed.replaced - 1)
                            : proposed.line == 0  ? "at the head of " + code(proposed.path)
                                                  : "behind " + place(proposed.path, proposed.line - 1);
  const std::string caption = fmt::format("Proposed, {}; nobody ran it", where);
  for (const std::string_view line : split_lines(proposed.code)) block.lines.emplace_back(line);
  if (block.lines.size() <= kMostOpenLines) {
    block.caption = caption + ":";
    return {std::move(block)};
  }
  Details folded{prose(fmt::format("{} ({})", caption, count_of(block.lines.size(), "line"))), {}};
  folded.blocks.push_back({std::move(block)});
  return {std::move(folded)};
}

// "- **Seen at**: …" the evidence as a nested list, in the order in which a reader should follow it.
Block evidence_list(const Finding& finding) {
  ListItem steps{prose(strong("Evidence") + ":"), {}, std::nullopt};
  List inner;
  inner.ordered = true;
  for (const rules::Evidence& step : finding.evidence) {
    inner.items.push_back(
        {prose(fmt::format("{}: {}", place(step.path, step.line), from_backquotes(step.message))), {}, std::nullopt});
  }
  steps.children.push_back({std::move(inner)});
  List list;
  list.items.push_back(std::move(steps));
  return {std::move(list)};
}

CodeBlock suggestion_block(const Finding& finding) {
  CodeBlock block;
  block.language = "suggestion";
  for (const std::string_view line : split_lines(*finding.suggestion)) block.lines.emplace_back(line);
  return block;
}

std::string places_of(const std::vector<const ReportedFinding*>& more) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> places;
  for (const ReportedFinding* other : more) {
    if (places.size() == kMost) break;
    places.push_back(place_of(other->finding));
  }
  std::string text = fmt::format("{}", fmt::join(places, ", "));
  if (more.size() > kMost) text += fmt::format(" and {} more", more.size() - kMost);
  return text;
}

/// Whether a point says that a model proposed it, or the review does so once, of all that name no rule.
enum class Origin : std::uint8_t { kNamed, kSaidOnce };

// " (rule)": which rule found it; of what a model proposed, that.
std::string origin_of(const Finding& finding, Origin origin = Origin::kNamed) {
  if (origin == Origin::kSaidOnce && finding.rule == kModelRule) return {};
  return fmt::format(" ({})", finding.rule == kModelRule ? std::string("model") : code(finding.rule));
}

/// Where the code of a proposal stands: " Code: section 6.", of one that only adds a test " A test: section 6."; empty:
/// it has none.
std::string code_pointer(const ReportedFinding& proposal) {
  if (!proposal.finding.suggestion && proposal.proposed.empty()) return {};
  const auto is_test = [](const ProposedCode& code) { return code.replaced == 0 && program::is_test_path(code.path); };
  const bool is_only_a_test =
      !proposal.finding.suggestion && std::all_of(proposal.proposed.begin(), proposal.proposed.end(), is_test);
  return is_only_a_test ? " A test: section 6." : " Code: section 6.";
}

ListItem issue_item(const Issue& issue, bool suggestion_only, Origin origin = Origin::kNamed) {
  const Finding& finding = issue.first->finding;
  ListItem item;
  item.text = prose(fmt::format("{} {} - {}{}", strong(fmt::format("[{}]", severity_name(finding.severity))),
                                place_of(finding), from_backquotes(finding.message), origin_of(finding, origin)));
  const bool is_of_a_rule = rules::find_rule(finding.rule) != nullptr;
  const bool is_proposal = !issue.first->comment.empty();
  const auto add_places = [&] {
    if (issue.more.empty()) return;
    List list;
    list.items.push_back({prose(fmt::format("{}: {}", strong("Also at"), places_of(issue.more))), {}, std::nullopt});
    item.children.push_back({std::move(list)});
  };
  if (!issue.first->doubt.empty()) {
    // What speaks for it and what against it would contradict each other.
    item.children.push_back(labelled("Weighs less", sentence(issue.first->doubt)));
    add_places();
    return item;
  }
  if (suggestion_only && !is_proposal) {
    item.children.push_back(labelled("Suggestion", sentence(finding.fix) + " " + sentence(finding.why)));
  } else {
    const auto shown = [&](const std::string& text) { return without_own_path(sentence(text), finding); };
    item.children.push_back(labelled("Problem", shown(finding.why)));
    item.children.push_back(labelled(suggestion_only ? "Suggestion" : "Fix",
                                     shown(finding.fix) + (is_proposal ? code_pointer(*issue.first) : "")));
  }
  if (is_of_a_rule && finding.certainty == FindingCertainty::kLikely && finding.severity <= Severity::kP1) {
    item.children.push_back(labelled(
        "Certainty", finding.evidence.empty() ? "likely, not proven." : "likely, not proven: judge the steps below."));
  }
  if (!finding.evidence.empty()) item.children.push_back(evidence_list(finding));
  add_places();
  return item;
}

void add_issue_section(Document& document, std::string_view heading, const std::vector<Issue>& issues, Severity first,
                       Severity last, std::string_view nothing) {
  document.heading(3, heading);
  List list;
  for (const Issue& issue : issues) {
    const Severity severity = issue.first->finding.severity;
    if (is_question(issue) || severity < first || severity > last) continue;
    list.items.push_back(issue_item(issue, first >= Severity::kP2, Origin::kSaidOnce));
  }
  if (list.items.empty()) {
    document.paragraph(nothing);
  } else {
    document.blocks.push_back({std::move(list)});
  }
}

constexpr std::size_t kMostInShort = 6;

/// Takes from `issues` those that are not told in full -> the suggestions among them that nobody doubts: no issues of
/// their own, and no comments.
std::vector<Issue> take_in_short(std::vector<Issue>& issues) {
  std::vector<Issue> full, told, brief;
  for (Issue& issue : issues) {
    const bool has_room = !issue.first->is_brief && full.size() < kMostIssues;
    if (has_room) {
      full.push_back(std::move(issue));
    } else if (issue.first->finding.severity == Severity::kP2 && !is_question(issue) && issue.first->doubt.empty()) {
      (issue.first->is_brief ? brief : told).push_back(std::move(issue));
    }
  }
  issues = std::move(full);
  // Those that would have been issues come first.
  std::move(brief.begin(), brief.end(), std::back_inserter(told));
  if (told.size() > kMostInShort) told.erase(told.begin() + kMostInShort, told.end());
  return told;
}

void add_in_short(Document& document, const std::vector<Issue>& told) {
  if (told.empty()) return;
  std::vector<std::string> items;
  for (const Issue& issue : told) {
    const Finding& finding = issue.first->finding;
    items.push_back(fmt::format("{} - {}{}{}", place_of(finding), from_backquotes(finding.message),
                                issue.more.empty() ? "" : fmt::format(", also at {}", places_of(issue.more)),
                                origin_of(finding, Origin::kSaidOnce)));
  }
  document.paragraph(strong("Less weighty than those told in full:")).bullets(items);
}

void add_questions(Document& document, const std::vector<Issue>& issues, const std::vector<std::string>& open) {
  document.heading(3, "5. Questions for Author");
  List list;
  for (const Issue& issue : issues) {
    if (!is_question(issue)) continue;
    const Finding& finding = issue.first->finding;
    ListItem item;
    item.text = prose(fmt::format("{} - {} {}", place_of(finding), from_backquotes(sentence(finding.message)),
                                  from_backquotes(sentence(finding.why))));
    list.items.push_back(std::move(item));
  }
  for (const std::string& question : open) list.items.push_back({prose(question), {}, std::nullopt});
  if (list.items.empty()) {
    document.paragraph(
        "None: no rule has a question about these lines. The rules look at calls, branches, collectives, settings and "
        "tests; whether the change does what it is meant to do is for a person to judge.");
  } else {
    document.blocks.push_back({std::move(list)});
  }
}

/// File and line of the comment on a finding: its own, or, where no hunk holds it, that from which it follows.
std::pair<std::string_view, std::uint32_t> comment_place(const ReportedFinding& reported) {
  if (!reported.in_diff && reported.anchor) return {reported.anchor->path, reported.anchor->line};
  return {reported.finding.path, reported.finding.start_line};
}

void add_comments(Document& document, const std::vector<Issue>& issues) {
  document.heading(3, "6. GitHub Review Comments");
  std::map<std::string_view, std::vector<const Issue*>> by_file;
  // What is doubted asks nothing of the author.
  for (const Issue& issue : issues) {
    if (issue.first->doubt.empty()) by_file[comment_place(*issue.first).first].push_back(&issue);
  }
  if (by_file.empty()) document.paragraph("None.");
  for (auto& [path, in_file] : by_file) {
    std::stable_sort(in_file.begin(), in_file.end(), [](const Issue* a, const Issue* b) {
      return comment_place(*a->first).second < comment_place(*b->first).second;
    });
    document.heading(4, code(path));
    for (const Issue* issue : in_file) {
      const Finding& finding = issue->first->finding;
      const bool is_elsewhere = !issue->first->in_diff && issue->first->anchor.has_value();
      std::string where = is_elsewhere ? fmt::format("Line {}", issue->first->anchor->line + 1)
                          : finding.start_line == finding.end_line
                              ? fmt::format("Line {}", finding.start_line + 1)
                              : fmt::format("Lines {}-{}", finding.start_line + 1, finding.end_line + 1);
      if (finding.side == rules::Side::kBefore && !is_elsewhere) where += " of the old version";
      document.paragraph(strong(where + ":") + (is_elsewhere || issue->first->in_diff
                                                    ? ""
                                                    : " (outside the diff: for the body of the review)"));
      const std::string origin = is_elsewhere ? because_of_line(finding) + " " : std::string();
      if (!issue->first->comment.empty()) {
        Document comment;
        comment.paragraph(fmt::format("{}{} {}{}", origin, issue_mark(*issue),
                                      from_backquotes(without_own_path(sentence(issue->first->comment), finding)),
                                      origin_of(finding, Origin::kSaidOnce)));
        if (finding.suggestion) comment.code_block(suggestion_block(finding));
        for (const ProposedCode& proposed : issue->first->proposed) comment.blocks.push_back(proposed_block(proposed));
        document.blocks.emplace_back().value = Quote{std::move(comment.blocks)};
        continue;
      }
      // What it means stands in full above: here as much of it as a comment needs.
      ReportedFinding brief = *issue->first;
      brief.finding.why = first_sentences(brief.finding.why, kMostCommentBytes);
      Document comment;
      if (is_elsewhere) comment.paragraph(because_of_line(finding));
      comment.append(write_comment({&brief, issue->more}));
      document.blocks.emplace_back().value = Quote{std::move(comment.blocks)};
    }
  }
}

}  // namespace

Points points_of(std::string_view text) {
  Points points;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with("- ")) {
      points.more.push_back(sentence(line.substr(2)));
    } else if (!trim(line).empty()) {
      std::string& before = points.more.empty() ? points.first : points.more.back();
      before += (before.empty() ? "" : " ") + std::string(trim(line));
    }
  }
  if (!points.first.empty()) points.first = sentence(points.first);
  return points;
}

std::string because_of_line(const Finding& finding) {
  return fmt::format("At {}{}, because of this line:", place(finding.path, finding.start_line, finding.end_line),
                     finding.side == rules::Side::kBefore ? " of the old version" : "");
}

bool is_question(const Issue& issue) { return issue.first->finding.certainty == FindingCertainty::kQuestion; }

std::string issue_mark(const Issue& issue) {
  return strong(is_question(issue) ? "[Question]" : fmt::format("[{}]", severity_name(issue.first->finding.severity)));
}

namespace {

/// What of the change no rule can have seen; empty where all of it was read.
std::string unread_text(const Compared* compared) {
  constexpr std::size_t kMostNamed = 4;
  if (compared == nullptr || compared->unread.empty()) return {};
  std::vector<std::string> places;
  for (const Coverage::Problem& problem : compared->unread) {
    if (places.size() < kMostNamed)
      places.push_back(fmt::format("{} ({})", place(problem.path, static_cast<std::uint32_t>(problem.line)),
                                   plain(problem.message)));
  }
  const std::size_t more = compared->unread.size() - places.size();
  if (more > 0) places.push_back(count_of(more, "more file", "more files"));
  return fmt::format(" {} of what the change touches: {}.", strong("Not read in full"), join_words(places));
}

/// The verdict where no rule found anything.
std::string nothing_found(const Report& report, const Compared* compared) {
  if (compared != nullptr && compared->files == 0)
    return strong("Nothing was compared:") + " no file differs between the two sides.";
  if (compared != nullptr && compared->python_files == 0)
    return strong("No Python file differs:") + " the rules had nothing to read.";
  if (compared == nullptr && report.coverage.files_read == 0)
    return strong("Nothing was checked:") + " there is no Python file here.";
  return strong("No rule found anything") +
         " to raise; whether the change does what it should is for a person to judge.";
}

}  // namespace

std::string write_verdict(const Report& report, const std::vector<Issue>& issues, const Compared* compared) {
  std::size_t counts[4] = {};
  std::size_t questions = 0;
  for (const Issue& issue : issues) {
    if (is_question(issue)) {
      ++questions;
    } else {
      ++counts[static_cast<std::size_t>(issue.first->finding.severity)];
    }
  }
  if (counts[0] + counts[1] + counts[2] + counts[3] + questions == 0)
    return nothing_found(report, compared) + unread_text(compared);
  std::vector<std::string> parts;
  constexpr std::string_view kNames[] = {"critical (P0)", "important (P1)", "suggested (P2)", "nitpick (P3)"};
  for (std::size_t i = 0; i < 4; ++i) {
    if (counts[i] > 0) parts.push_back(fmt::format("{} {}", counts[i], kNames[i]));
  }
  if (questions > 0) parts.push_back(count_of(questions, "question"));
  const std::string_view advice = counts[0] > 0   ? " Do not merge before the critical ones are settled."
                                  : counts[1] > 0 ? " Settle the important ones before merging."
                                                  : " None of it blocks a merge.";
  return strong(join(parts, ", ") + ".") + std::string(advice) + unread_text(compared);
}

std::vector<Issue> group_issues(const Report& report) {
  std::vector<Issue> issues;
  using Key = std::tuple<std::string_view, Severity, FindingCertainty, std::string, std::string, std::string>;
  std::map<Key, std::size_t> index;
  for (const ReportedFinding& reported : report.findings) {
    const Finding& f = reported.finding;
    const auto [at, is_new] =
        index.emplace(Key(f.rule, f.severity, f.certainty, f.message, f.fix, reported.doubt), issues.size());
    if (is_new) {
      issues.push_back({&reported, {}});
    } else {
      issues[at->second].more.push_back(&reported);
    }
  }
  return issues;
}

Document write_comment(const Issue& issue) {
  const Finding& finding = issue.first->finding;
  Document comment;
  comment.paragraph(
      fmt::format("{} {}{}", issue_mark(issue), from_backquotes(sentence(finding.message)), origin_of(finding)));
  const Points why = points_of(finding.why), fix = points_of(finding.fix);
  if (!why.first.empty()) comment.paragraph(from_backquotes(why.first));
  if (!why.more.empty()) comment.blocks.push_back({list_of(why.more)});
  if (!finding.evidence.empty()) {
    std::vector<std::string> steps;
    for (const rules::Evidence& step : finding.evidence) {
      steps.push_back(fmt::format("{}: {}", place(step.path, step.line), from_backquotes(step.message)));
    }
    comment.numbered(steps);
  }
  if (!issue.first->doubt.empty())
    comment.paragraph(fmt::format("{}: {}", strong("Weighs less"), from_backquotes(sentence(issue.first->doubt))));
  if (!finding.fix.empty()) comment.paragraph(fmt::format("{}: {}", strong("Fix"), from_backquotes(fix.first)));
  if (!fix.more.empty()) comment.blocks.push_back({list_of(fix.more)});
  if (finding.suggestion && issue.first->in_diff && finding.side == rules::Side::kAfter)
    comment.code_block(suggestion_block(finding));
  for (const ProposedCode& proposed : issue.first->proposed) comment.blocks.push_back(proposed_block(proposed));
  if (!issue.more.empty()) comment.paragraph(fmt::format("Also at {}.", places_of(issue.more)));
  return comment;
}

Document write_review(const Report& report, Summary summary) {
  std::vector<Issue> issues = group_issues(report);
  const bool has_serious = std::any_of(issues.begin(), issues.end(), [](const Issue& issue) {
    return issue.first->finding.severity <= Severity::kP1 && !is_question(issue);
  });
  std::size_t hidden_nitpicks = 0;
  if (has_serious) {
    hidden_nitpicks =
        std::erase_if(issues, [](const Issue& issue) { return issue.first->finding.severity == Severity::kP3; });
  }
  std::string overall = write_verdict(report, issues, summary.compared ? &*summary.compared : nullptr);
  if (issues.empty() && !summary.questions.empty()) overall += " Section 5 asks what the code leaves open.";
  const std::size_t all = issues.size();
  const std::vector<Issue> brief = take_in_short(issues);

  Document document;
  document.title = summary.document.title;
  const auto is_of_a_model = [](const Issue& issue) { return issue.first->finding.rule == kModelRule; };
  const bool are_all = std::all_of(issues.begin(), issues.end(), is_of_a_model) &&
                       std::all_of(brief.begin(), brief.end(), is_of_a_model);
  if (std::any_of(issues.begin(), issues.end(), is_of_a_model) ||
      std::any_of(brief.begin(), brief.end(), is_of_a_model))
    overall += fmt::format(" {} a model's; a second reading tried to refute each.",
                           are_all ? "All points are" : "Points without a rule's name are");
  document.paragraph(overall);
  if (all > issues.size()) {
    const std::string more =
        brief.empty() ? std::string() : fmt::format(", and {} more in a line each (section 3)", brief.size());
    document.paragraph(
        fmt::format("The {} of {} that matter most{}; {} lists all.", issues.size(), all, more, code("--format json")));
  }
  document.heading(3, "1. PR Summary");
  document.append(std::move(summary.document));
  add_issue_section(document, "2. Critical Issues [P0/P1]", issues, Severity::kP0, Severity::kP1, "None found.");
  add_issue_section(document, "3. Suggestions [P2]", issues, Severity::kP2, Severity::kP2,
                    all > issues.size() ? "None among the weightiest." : "None.");
  add_in_short(document, brief);
  if (has_serious) {
    document.heading(3, "4. Nitpicks [P3]");
    document.paragraph(hidden_nitpicks > 0
                           ? fmt::format("Skipped while there are P0/P1 issues ({} held back).", hidden_nitpicks)
                           : std::string("Skipped while there are P0/P1 issues."));
  } else {
    add_issue_section(document, "4. Nitpicks [P3]", issues, Severity::kP3, Severity::kP3, "None.");
  }
  add_questions(document, issues, summary.questions);
  add_comments(document, issues);
  const Coverage& coverage = report.coverage;
  // Of what was read whole there is nothing to say.
  if (coverage.problems.empty() && report.suppressed == 0) return document;
  document.blocks.push_back({Divider{}});
  std::string footer =
      fmt::format("Read {} with {} lines", count_of(coverage.files_read, "Python file"), coverage.lines_read);
  if (!coverage.problems.empty())
    footer += fmt::format("; {} could not be read in full", count_of(coverage.problems.size(), "place"));
  if (report.suppressed > 0) footer += fmt::format("; {} allowed by comments", count_of(report.suppressed, "finding"));
  document.paragraph(footer + ".");
  return document;
}

Document write_check(const Report& report) {
  Document document;
  document.title = prose("Check");
  const std::vector<Issue> issues = group_issues(report);
  std::size_t counts[4] = {};
  for (const ReportedFinding& reported : report.findings) ++counts[static_cast<std::size_t>(reported.finding.severity)];
  document.table({"P0", "P1", "P2", "P3", "files", "lines"},
                 {{fmt::format("{}", counts[0]), fmt::format("{}", counts[1]), fmt::format("{}", counts[2]),
                   fmt::format("{}", counts[3]), fmt::format("{}", report.coverage.files_read),
                   fmt::format("{}", report.coverage.lines_read)}});
  List list;
  for (const Issue& issue : issues)
    list.items.push_back(issue_item(issue, issue.first->finding.severity >= Severity::kP2));
  if (list.items.empty()) {
    document.paragraph("Nothing found.");
  } else {
    document.blocks.push_back({std::move(list)});
  }
  if (!report.coverage.problems.empty()) {
    document.heading(2, "Not read in full");
    std::vector<std::string> items;
    for (const Coverage::Problem& problem : report.coverage.problems) {
      items.push_back(fmt::format("{}: {}", place(problem.path, static_cast<std::uint32_t>(problem.line)),
                                  from_backquotes(problem.message)));
    }
    document.bullets(items);
  }
  return document;
}

}  // namespace lockstep::report
