#include "report/author/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include "base/strings.h"
#include "report/author/absent_names.h"
#include "report/author/configuration_heads.h"
#include "report/author/former_limits.h"
#include "report/author/past_faults.h"
#include "report/author/purpose.h"
#include "report/author/quotation.h"
#include "report/author/quotes.h"
#include "report/author/reason_words.h"
#include "report/author/standing_reasons.h"
#include "report/author/template.h"
#include "report/author/title.h"
#include "report/document.h"
#include "report/documents/files.h"
#include "report/source/alternative_sections.h"
#include "report/source/sentence_ends.h"
#include "report/source/source_sentences.h"
#include "report/story/steps/mended_imports.h"

namespace lockstep::report {

namespace {

/// Without <!-- … -->, also over lines; an unclosed one takes the rest.
std::string without_html_comments(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find("<!--");
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find("-->", open);
    if (close == std::string_view::npos) break;
    text.remove_prefix(close + 3);
  }
  return out;
}

/// Without `<img …>`, also over lines: a picture says nothing in a text.
std::string without_images(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find("<img ");
    const std::size_t close = open == std::string_view::npos ? open : text.find('>', open);
    out += text.substr(0, close == std::string_view::npos ? close : open);
    if (close == std::string_view::npos) break;
    text.remove_prefix(close + 1);
  }
  return out;
}

bool is_trailer(std::string_view line) {
  static constexpr std::string_view kKeys[] = {
      "signed-off-by:",
      "co-authored-by:",
      "reviewed-by:",
      "acked-by:",
      "tested-by:",
      "approved-by:",
      "change-id:",
      "cc:",
      "merged-by:",
      "commit-queue:",
      "reviewed-on:",
      "made-with:",
      "made with ",
      "generated with ",
      "\xf0\x9f\xa4\x96 generated",
      "(cherry picked from",
      "see merge request",
      "ghstack-source-id:",
      "differential revision:",
      "pull-request-resolved:",
      "pull request resolved:",
      "stack from",
      "assisted-by:",
      "generated-by:",
      "claude-session:",
  };
  const std::string lower = to_lower(trim(line));
  return std::any_of(std::begin(kKeys), std::end(kKeys), [&](std::string_view key) { return lower.starts_with(key); });
}

/// Headings of templates whose sections tell the contributor what to do, not the reader what was done.
bool is_boilerplate_heading(std::string_view heading) {
  static constexpr std::string_view kWords[] = {
      "contribution process",
      "pre-check",
      "checklist",
      "code review",
      "merging your pr",
      "feature branch",
      "type of change",
      "before your pr",
      "before submitting",
      "reviewer",
      "who can review",
      "github actions",
      "release note",
      "core 0.",
      "issue tracking",
      "for mcore",
      "for mlm",
      "pull request process",
      "step ",
      "how to contribute",
      "collection:",
      "usage",
      "additional information",
      "additional context",
      "human review",
  };
  const std::string lower = to_lower(heading);
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return contains(lower, word); });
}

/// Headings of what was run, or came out, which is no reason: "Test plan", "Example output", "How was this tested?".
bool is_testing_heading(std::string_view heading) {
  static constexpr std::string_view kStarts[] = {"testing",
                                                 "tests",
                                                 "test plan",
                                                 "test results",
                                                 "how has this been tested",
                                                 "how was this tested",
                                                 "how to test",
                                                 "example output",
                                                 "sample output",
                                                 "screenshot",
                                                 "screenshots"};
  const std::string lower = to_lower(heading);
  const bool is_whole = lower == "test" || lower == "validation" || lower == "verification";
  return is_whole || std::any_of(std::begin(kStarts), std::end(kStarts), [&](std::string_view start) {
           return lower.starts_with(start) &&
                  (lower.size() == start.size() || std::isalpha(static_cast<unsigned char>(lower[start.size()])) == 0);
         });
}

/// Who, or what, wrote the change says nothing of it; nor does the heading that announces it.
bool is_disclosure(std::string_view paragraph) {
  const std::string lower = to_lower(paragraph.substr(0, 80));
  return lower.starts_with("ai tools were used") || lower.starts_with("ai tools used") ||
         lower.starts_with("ai tools helped") || lower.starts_with("ai tools assisted") ||
         lower.starts_with("i have carefully read");
}

/// "## x" and "<summary>x</summary>": what a section is called; empty for other lines.
std::string_view heading_of(std::string_view line) {
  constexpr std::string_view kOpening = "<summary>";
  if (line.starts_with(kOpening)) return trim(line.substr(kOpening.size(), line.find("</") - kOpening.size()));
  if (!line.starts_with("#")) return {};
  const std::size_t text_at = line.find_first_not_of('#');
  return text_at != std::string_view::npos && line[text_at] == ' ' ? trim(line.substr(text_at)) : std::string_view();
}

/// "Test Plan:", "Details:": a line of few words that announces what stands below it.
bool is_label(std::string_view line) {
  constexpr std::size_t kMostWords = 3;
  return line.size() > 1 && line.ends_with(':') && std::isupper(static_cast<unsigned char>(line.front())) != 0 &&
         words_in(line) <= kMostWords;
}

/// "Fixes #123": counts in whatever section it stands.
bool names_an_issue(std::string_view line) {
  const std::string lower = to_lower(line);
  const std::size_t end = lower.find_first_of(" :");
  const std::string_view verb = std::string_view(lower).substr(0, end);
  static constexpr std::string_view kVerbs[] = {"fix",    "fixes",   "fixed",    "close",   "closes",
                                                "closed", "resolve", "resolves", "resolved"};
  return end != std::string::npos && std::find(std::begin(kVerbs), std::end(kVerbs), verb) != std::end(kVerbs) &&
         lower.find('#', end) != std::string::npos && words_in(line) <= 6;
}

/// A few words right before a table that are no sentence, no item and no issue: its caption.
bool is_caption(std::string_view paragraph) {
  constexpr std::size_t kMostWords = 4;
  return words_in(paragraph) <= kMostWords && !paragraph.ends_with('.') && !paragraph.starts_with("\u2022") &&
         !names_an_issue(paragraph);
}

/// Sentences that templates leave behind outside such sections.
bool is_boilerplate_line(std::string_view line) {
  static constexpr std::string_view kStarts[] = {
      "[!",
      ":warning:",
      "please ",
      "if you have questions",
      "the following process is enforced",
      "add a one line overview",
      "thank you for",
      "before your pr is",
      "for major changes",
      "describe your changes",
      "what does this pr do",
      "linked issue",
      "if this pr",
      "this pr was ",
      "(oldest at bottom",
      "stack from ",
      "stacked prs",
      "in collaboration with ",
      "credit to ",
      "credits to ",
      "thanks to @",
      "---",
      "***",
      "___",
  };
  std::string lower = to_lower(trim(line));
  while (!lower.empty() &&
         (lower.front() == '>' || lower.front() == '*' || lower.front() == '_' || lower.front() == ' '))
    lower.erase(0, 1);
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return lower.starts_with(start); });
}

bool is_checkbox(std::string_view line) {
  return line.starts_with("- [ ]") || line.starts_with("- [x]") || line.starts_with("- [X]") ||
         line.starts_with("* [ ]") || line.starts_with("* [x]");
}

/// A squash merge lists its commits; these say nothing of the change.
bool is_noise_item(std::string_view item) {
  static constexpr std::string_view kStarts[] = {
      "merge ",     "fix lint", "lint",  "format",  "fix format",        "typo",      "update",
      "address ",   "review",   "wip",   "cleanup", "clean up",          "fix test",  "fix ut",
      "fix ci",     "fix typo", "nit",   "rebase",  "remove unused",     "revert \"", "copyright",
      "autoformat", "isort",    "black", "minor",   "apply suggestions",
  };
  const std::string lower = to_lower(trim(item));
  if (std::count(lower.begin(), lower.end(), ' ') < 2) return true;
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return lower.starts_with(start); });
}

/// Whether a sentence tells plainly how behaviour differs from what it was.
bool tells_behaviour(std::string_view sentence) {
  static constexpr std::pair<std::string_view, int> kWords[] = {{"behavior", 1},  {"behaviour", 1}, {"previously", 2},
                                                                {"no longer", 1}, {"used to ", 1},  {"breaking", 2}};
  constexpr int kPlainly = 2;
  const std::string lower = to_lower(sentence);
  if (contains(lower, "no behavior") || contains(lower, "no behaviour") || contains(lower, "identical")) return false;
  int sum = 0;
  for (const auto& [word, weight] : kWords) sum += contains(lower, word) ? weight : 0;
  return sum >= kPlainly;
}

/// The sentences of a paragraph that do, those that follow at once and begin with "It" too; "…" for what stands
/// between.
std::string behaviour_in(std::string_view paragraph) {
  std::string out;
  bool goes_on = false;
  bool is_cut = false;
  std::string_view previous;  // Not taken.
  std::size_t skipped = 0;
  for (std::size_t at = 0; at < paragraph.size();) {
    const std::size_t end = sentence_end(paragraph, at);
    const std::string_view sentence = trim(paragraph.substr(at, end - at));
    const bool tells = tells_behaviour(sentence) || (goes_on && sentence.starts_with("It "));
    if (tells) {
      const bool leans = !previous.empty() && leans_on_previous(sentence);
      if (leans ? skipped > 1 : is_cut) out += "\u2026 ";
      if (leans) out.append(previous).append(" ");
      out.append(sentence).append(" ");
    }
    previous = tells ? std::string_view() : sentence;
    skipped = tells ? 0 : skipped + 1;
    is_cut = !tells;
    goes_on = tells;
    at = end;
  }
  return std::string(trim(out));
}

/// Of more than fits: the first paragraph, then what says how behaviour differs, then the rest, as far as they fit; in
/// the order of the text.
std::vector<std::string> most_telling(const std::vector<std::string>& paragraphs, std::size_t most_words) {
  std::size_t all = 0;
  for (const std::string& one : paragraphs) all += words_in(one);
  const bool any = paragraphs.size() > 1 && std::any_of(paragraphs.begin() + 1, paragraphs.end(),
                                                        [](const auto& one) { return !behaviour_in(one).empty(); });
  if (all <= most_words || !any) return paragraphs;
  std::vector<std::string> chosen(paragraphs.size());
  std::size_t words = words_in(paragraphs.front());
  chosen.front() = paragraphs.front();
  if (words > most_words) return paragraphs;
  const auto take = [&](std::size_t i, std::string text) {
    const std::size_t own = words_in(text);
    if (text.empty() || !chosen[i].empty() || words + own > most_words) return;
    words += own;
    chosen[i] = std::move(text);
  };
  for (std::size_t i = 1; i < paragraphs.size(); ++i) take(i, behaviour_in(paragraphs[i]));
  for (std::size_t i = 1; i < paragraphs.size(); ++i) take(i, paragraphs[i]);
  std::erase(chosen, std::string());
  return chosen;
}

void add_saying(std::vector<Saying>& sayings, std::string source, const std::vector<std::string>& paragraphs,
                std::size_t most_words) {
  Saying saying;
  saying.source = std::move(source);
  std::vector<std::string> telling = most_telling(paragraphs, most_words);
  // What announces something that is not quoted says nothing.
  while (telling.size() > 1 && telling.back().ends_with(":")) telling.pop_back();
  saying.is_cut = telling != paragraphs;
  for (std::string& text : condensed(std::move(telling), most_words, saying.is_cut))
    saying.paragraphs.push_back(own_words(text));
  if (!saying.paragraphs.empty()) sayings.push_back(std::move(saying));
}

/// Comments among the lines that the change adds to files that are not Python.
void add_plain_comments(const DocumentInputs& inputs, std::vector<Saying>& out) {
  for (const change::FileSummary& file : inputs.change->files) {
    const bool has_hash_comments =
        file.category == change::FileCategory::kCi || file.category == change::FileCategory::kBuild ||
        file.category == change::FileCategory::kScript || file.category == change::FileCategory::kConfig;
    if (file.is_python || !has_hash_comments) continue;
    for (const repo::Hunk& hunk : file.file->lines.hunks()) {
      std::string text;
      std::uint32_t first = 0;
      const auto flush = [&] {
        if (gives_reason(text) && !is_licence_text(text) && out.size() < 3) {
          bool is_cut = false;
          out.push_back({place(file.file->path(), first), condensed({text}, 60, is_cut), is_cut});
          for (std::string& paragraph : out.back().paragraphs) paragraph = own_words(paragraph);
        }
        text.clear();
      };
      for (const repo::DiffLine& line : hunk.lines) {
        const std::string_view shown = trim(line.text);
        if (line.kind != repo::LineKind::added || !shown.starts_with("# ")) {
          flush();
          continue;
        }
        if (text.empty()) first = line.new_line;
        text.append(text.empty() ? "" : " ").append(trim(shown.substr(1)));
      }
      flush();
    }
  }
}

void add_changelog(const DocumentInputs& inputs, std::vector<Saying>& sayings) {
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string lower = to_lower(file.file->path());
    if (!contains(lower, "changelog") && !contains(lower, "release_notes") && !contains(lower, "release-notes"))
      continue;
    std::vector<std::string> added;
    for (const repo::Hunk& hunk : file.file->lines.hunks()) {
      for (const repo::DiffLine& line : hunk.lines) {
        const std::string_view text = trim(line.text);
        if (line.kind == repo::LineKind::added && words_in(text) > 2 && !text.starts_with("#"))
          added.emplace_back(without_markup(text));
      }
    }
    if (!added.empty() && added.size() <= 12) add_saying(sayings, place(file.file->path()), added, 60);
  }
}

/// The first saying, and of the others, in their order, those that fit.
void fit(std::vector<Saying>& sayings, std::size_t most_words) {
  std::size_t words = 0;
  bool is_first = true;
  std::erase_if(sayings, [&](const Saying& saying) {
    std::size_t own = 0;
    for (const std::string& paragraph : saying.paragraphs) own += words_in(paragraph);
    const bool fits = std::exchange(is_first, false) || words + own <= most_words;
    if (fits) words += own;
    return !fits;
  });
}

/// Telling words of the title in a comment from which on it is near to what the change is for.
constexpr std::size_t kFewestOfTitle = 2;

/// Of sayings that give reasons as plainly as the first one that has clearly more of the title's words leads, or all of
/// them: it stands nearest to what the change is for. So does a comment beside a step that has telling words of the
/// title before others that have clearly fewer.
void put_nearest_to_title_first(std::string_view title, const std::set<std::string>& title_words,
                                std::vector<Saying>& sayings) {
  constexpr std::size_t kClearly = 2;  // Words more.
  if (sayings.size() < 2) return;
  const auto count = [&](const Saying& one) { return words_of_title_in(title, one.paragraphs.front()); };
  const bool is_plain = says_why_plainly(sayings.front().paragraphs.front());
  const auto telling = [&](const Saying& one) { return count_held(title_words, one.paragraphs.front()); };
  if (sayings.front().is_of_step) {
    const auto nearest = std::max_element(sayings.begin(), sayings.end(), [&](const Saying& a, const Saying& b) {
      return (a.is_of_step ? telling(a) : 0) < (b.is_of_step ? telling(b) : 0);
    });
    if (telling(*nearest) >= telling(sayings.front()) + kFewestOfTitle) {
      std::rotate(sayings.begin(), nearest, nearest + 1);
      return;
    }
  }
  auto best = sayings.begin();
  for (auto each = sayings.begin() + 1; each != sayings.end(); ++each) {
    if ((!is_plain || says_why_plainly(each->paragraphs.front())) && count(*each) > count(*best)) best = each;
  }
  const std::size_t all = words_of_title_in(title.substr(0, title.rfind("(#")), title);
  const bool has_all = all > 1 && count(*best) == all && count(sayings.front()) < all;
  if (has_all || count(*best) >= count(sayings.front()) + kClearly) std::rotate(sayings.begin(), best, best + 1);
}

/// Whether a test says plainly what was wrong, or why.
bool explains_fault(std::string_view text) { return says_why_plainly(text) || says_what_may_go_wrong(text); }

/// Where the title speaks of a fault, comments above new code that say what may go wrong there come first, those that
/// have most of the title's words before others; those that have none of them stay where they are.
void put_faults_first(std::string_view title, std::vector<Saying>& sayings) {
  if (!speaks_of_fault(title)) return;
  const auto count = [&](const Saying& one) { return words_of_title_in(title, one.paragraphs.front()); };
  const auto rest = std::stable_partition(sayings.begin(), sayings.end(), [&](const Saying& one) {
    return one.is_of_fault && count(one) >= kFewestOfTitle;
  });
  std::stable_sort(sayings.begin(), rest, [&](const Saying& a, const Saying& b) { return count(a) > count(b); });
}

/// "Fix x (#123)" -> "Fix x" and "#123".
void split_title(std::string_view text, OwnWords& words) {
  std::string title(trim(text));
  if (const std::string number(number_in(title)); !number.empty() && title.ends_with("(" + number + ")")) {
    if (words.number.empty()) words.number = number;
    title = std::string(trim(std::string_view(title).substr(0, title.rfind("(#"))));
  }
  words.title = own_words(title);
}

}  // namespace

std::vector<std::string> without_boilerplate(std::string_view body, std::string_view template_letters) {
  std::vector<std::string> paragraphs;
  std::string paragraph;
  std::string heading;
  bool skipping = false;
  bool in_code = false;
  bool in_item = false;
  bool in_row = false;  // Of a table, wrapped.
  char marker = 0;      // Of the item.
  const auto flush = [&] {
    const std::string text = std::string(trim(paragraph));
    if (!text.empty() && !stands_in_template(template_letters, text) && !is_disclosure(text)) {
      if (!heading.empty())
        paragraphs.push_back(heading + ": " + text);
      else
        paragraphs.push_back(text);
      heading.clear();
    }
    paragraph.clear();
    in_item = false;
  };
  const std::string cleaned = without_images(without_html_comments(body));
  bool in_tests = false;             // The section tells what was run.
  bool below_label = false;          // The same, and no mark but "Tests:" says so.
  std::vector<bool> tested_around;   // Of each `<details>` that is open: whether what stands around it does.
  AlternativeSections alternatives;  // What was not done is no reason.
  for (const std::string_view raw : split_lines(cleaned)) {
    std::string_view line = trim(raw);
    if (line.starts_with("```") || line.starts_with("~~~")) {
      in_code = !in_code;
      flush();
      // What the words before it announce is not quoted.
      if (in_code && !paragraphs.empty() && paragraphs.back().ends_with(":")) paragraphs.back() += " \u2026";
      continue;
    }
    if (in_code) continue;
    if (alternatives.read(raw) != AlternativeSections::Part::kNone) {
      flush();
      continue;
    }
    if (line.starts_with("|")) {
      flush();
      while (!skipping && !paragraphs.empty() && is_caption(paragraphs.back())) paragraphs.pop_back();
    }
    if (line.starts_with("|") || in_row) {
      in_row = !line.empty() && !line.ends_with("|");
      continue;
    }
    if (line.empty()) {
      flush();
      continue;
    }
    if (skipping && names_an_issue(line)) {
      paragraphs.push_back(without_markup(line));
      continue;
    }
    const std::string_view title = heading_of(line);
    if (line.starts_with("<details")) tested_around.push_back(in_tests);
    if (line.starts_with("</details>")) {
      flush();
      skipping = in_tests = !tested_around.empty() && tested_around.back();
      if (!tested_around.empty()) tested_around.pop_back();
      heading.clear();
    }
    if (!title.empty()) {
      flush();
      heading = without_markup(title);
      // What is folded away in a section on what was run belongs to it.
      const bool is_part = line.starts_with("<") && !tested_around.empty() && tested_around.back();
      in_tests = is_part || is_testing_heading(heading);
      below_label = false;
      skipping = in_tests || is_boilerplate_heading(heading);
      // A heading that only asks what a description is for adds nothing to the answer.
      const std::string lower = to_lower(heading);
      if (lower.starts_with("what") || lower.starts_with("summary") || lower.starts_with("description") ||
          lower.starts_with("overview") || lower.starts_with("ai assistance"))
        heading.clear();
      while (!heading.empty() && (heading.back() == ':' || heading.back() == '?')) heading.pop_back();
      continue;
    }
    // "Test Plan:" alone on its line is a heading without marks, which the next such line ends.
    if (paragraph.empty() && is_label(line)) {
      const bool is_of_tests = is_testing_heading(line.substr(0, line.size() - 1));
      if (is_of_tests || below_label) skipping = in_tests = below_label = is_of_tests;
    }
    if (skipping || is_trailer(line) || is_checkbox(line) || is_boilerplate_line(line) || line.starts_with("<") ||
        line.starts_with("!["))
      continue;
    while (line.starts_with(">")) line = trim(line.substr(1));
    if (line.empty()) {
      flush();
      continue;
    }
    // "dp_shard" and, on the next line, "* cp": a sentence that was wrapped at an operator.
    const bool goes_on = in_item
                             ? line.front() != marker
                             : !paragraph.empty() && std::ispunct(static_cast<unsigned char>(paragraph.back())) == 0;
    const bool is_wrapped = goes_on && line.size() > 2 && std::islower(static_cast<unsigned char>(line[2])) != 0;
    const bool item = (line.starts_with("- ") || line.starts_with("* ")) && line.size() > 2 && !is_wrapped;
    if (item) {
      flush();
      const std::string text = without_markup(trim(line.substr(2)));
      paragraph = line.starts_with("* ") && is_noise_item(text) ? "" : "\u2022 " + text;
      in_item = true;
      marker = line.front();
      continue;
    }
    if (in_item && paragraph.empty()) continue;  // goes on with a dropped item
    paragraph += (paragraph.empty() ? "" : " ") + without_markup(line);
  }
  flush();
  return paragraphs;
}

std::string reason_in(std::string_view text) {
  std::string first;
  std::string previous;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = sentence_end(text, at);
    const std::string sentence(trim(text.substr(at, end - at)));
    if (first.empty()) first = sentence;
    // "We need to adjust indices." says little without the sentence before it.
    const bool wants_previous = !previous.empty() && (sentence.size() < 60 || leans_on_previous(sentence));
    if (gives_reason(sentence)) return wants_previous ? previous + " " + sentence : sentence;
    previous = sentence;
    at = end;
  }
  return first;
}

static OwnWords gather_words(const DocumentInputs& inputs, const Story& story, std::size_t most_words) {
  OwnWords words;
  const std::string templates = letters_of_templates(inputs);
  words.number = inputs.number;
  split_title(inputs.title, words);
  add_saying(words.sayings, inputs.is_pull_request ? "the pull request\u2019s description" : "the commit message",
             without_boilerplate(inputs.body, templates), most_words);
  if (words.sayings.empty()) {
    std::vector<std::string> messages;
    for (const repo::CommitInfo& commit : inputs.commits) {
      if (inputs.commits.size() > 1) messages.push_back("\u2022 " + commit.subject);
      for (std::string& paragraph : without_boilerplate(commit.body, templates))
        messages.push_back(std::move(paragraph));
    }
    add_saying(words.sayings, inputs.commits.size() > 1 ? "the commit messages" : "the commit message", messages,
               most_words);
  }
  constexpr std::size_t kMostAbsent = 3;
  words.absent = absent_names(inputs, words.sayings, kMostAbsent);
  for (const ReplacedImport& one : replaced_imports(inputs)) {
    if (one.failed) words.failures.push_back(failed_import_words(inputs, one));
  }
  add_changelog(inputs, words.sayings);
  words.comments = reasons_in_sources(inputs, story, 4);
  if (story.central.empty()) add_plain_comments(inputs, words.comments);
  const std::set<std::string> title_words = telling_title_words(inputs, story);
  put_nearest_to_title_first(inputs.title, title_words, words.comments);
  put_faults_first(inputs.title, words.comments);
  fit(words.comments, most_words);
  words.written_before = reasons_of_bases(inputs, story);
  words.purposes = purposes_in_words(inputs, story);
  constexpr std::size_t kMostRemarks = 3;
  const auto are_of_steps = [&] {
    return std::all_of(words.comments.begin(), words.comments.end(), [](const Saying& one) { return one.is_of_step; });
  };
  if (words.sayings.empty() && are_of_steps()) {
    std::vector<Saying> demands = demands_in_docstrings(inputs, story, 2);
    words.comments.insert(words.comments.begin(), std::make_move_iterator(demands.begin()),
                          std::make_move_iterator(demands.end()));
  }
  const bool only_steps = are_of_steps();
  if (!words.sayings.empty()) return words;
  for (Saying& one : reasons_in_configuration_heads(inputs))
    words.comments.insert(words.comments.begin(), std::move(one));
  if (!only_steps) {
    // What a regression test says it guards against stands beside what the code says itself.
    // Where there was a fault, a test that says plainly what it was comes first.
    for (Saying& one : reasons_in_tests(inputs, story)) {
      const bool leads = speaks_of_fault(inputs.title) && explains_fault(one.paragraphs.front());
      words.comments.insert(leads ? words.comments.begin() : words.comments.end(), std::move(one));
    }
    put_faults_first(inputs.title, words.comments);
    fit(words.comments, most_words);
    return words;
  }
  words.remarks = reasons_in_tests(inputs, story);
  const bool tests_say = !words.remarks.empty();
  // What is said of single steps stands beside what tests say of the whole.
  if (!words.comments.empty()) {
    if (!tests_say) words.remarks = remarks_in_tests(inputs, story, 1);
    if (words.remarks.empty()) return words;
    // What says plainly why a step changes stands nearer to the change than what a test says of the whole.
    std::vector<Saying> comments = std::exchange(words.comments, {});
    const bool is_reason = tests_say || gives_reason(words.remarks.front().paragraphs.front());
    const auto rest = std::stable_partition(comments.begin(), comments.end(), [&](const Saying& one) {
      const std::string& text = one.paragraphs.front();
      return one.is_of_fault || says_why_plainly(text) || (one.is_of_lead && explains_why(text)) ||
             count_held(title_words, text) >= kFewestOfTitle ||
             (!is_reason && words_of_title_in(inputs.title, text) > 1);
    });
    words.remarks.insert(words.remarks.begin(), std::make_move_iterator(comments.begin()),
                         std::make_move_iterator(rest));
    words.remarks.insert(words.remarks.end(), std::make_move_iterator(rest), std::make_move_iterator(comments.end()));
    fit(words.remarks, most_words);
    return words;
  }
  for (Saying& one : remarks_in_sources(inputs, story, kMostRemarks - words.remarks.size()))
    words.remarks.push_back(std::move(one));
  // One comment rarely says what it is for; what a new test guards against does.
  if (!tests_say && words.remarks.size() < 2) {
    for (Saying& one : remarks_in_tests(inputs, story, kMostRemarks - words.remarks.size()))
      words.remarks.push_back(std::move(one));
  }
  fit(words.remarks, most_words);
  return words;
}

namespace {

/// What was wrong before is the reason for a mend: it comes before what else is quoted, which stays as far as it fits.
void put_past_faults_first(std::vector<Saying> faults, std::size_t most_words, OwnWords& words) {
  if (faults.empty()) return;
  std::vector<Saying>& rest = words.comments.empty() ? words.remarks : words.comments;
  // A test that is quoted already says its own.
  std::erase_if(rest, [&](const Saying& one) {
    return std::any_of(faults.begin(), faults.end(), [&](const Saying& fault) {
      return contains(one.paragraphs.front(), fault.paragraphs.front()) ||
             contains(fault.paragraphs.front(), one.paragraphs.front());
    });
  });
  faults.insert(faults.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  rest.clear();
  words.comments = std::move(faults);
  fit(words.comments, most_words);
}

}  // namespace

OwnWords own_words_of(const DocumentInputs& inputs, const Story& story, std::size_t most_words) {
  OwnWords words = gather_words(inputs, story, most_words);
  if (words.sayings.empty()) {
    std::vector<Saying> faults = past_faults_in_tests(inputs, story, 2);
    for (Saying& one : former_limits(inputs, story, 1)) faults.push_back(std::move(one));
    put_past_faults_first(std::move(faults), most_words, words);
  }
  if (!words.says_why() && words.failures.empty() && words.written_before.empty())
    words.written_before = reasons_above_changes(inputs, story);
  return words;
}

}  // namespace lockstep::report
