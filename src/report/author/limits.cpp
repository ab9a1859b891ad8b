#include "report/author/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/strings.h"
#include "report/author/quotation.h"
#include "report/author/template.h"
#include "report/document.h"
#include "report/documents/files.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostWordsEach = 45;
constexpr std::size_t kFewestWords = 5;

/// Whether a text, without marks, is one of the labels that authors give to limits and costs: "Cost", "Not covered".
bool is_label_of_limit(std::string_view text) {
  static constexpr std::string_view kLabels[] = {
      "cost",        "costs",         "trade-off",       "trade-offs",  "tradeoff",         "tradeoffs",
      "limit",       "limits",        "limitation",      "limitations", "known limitation", "known limitations",
      "caveat",      "caveats",       "downside",        "downsides",   "drawback",         "drawbacks",
      "not covered", "not supported", "not handled yet", "known issue", "known issues"};
  if (text.empty() || std::isupper(static_cast<unsigned char>(text.front())) == 0) return false;
  const std::string lower = to_lower(text);
  return std::find(std::begin(kLabels), std::end(kLabels), lower) != std::end(kLabels);
}

/// Whether a heading promises limits: "Limitations", "Known issues", "Scope and limitations".
bool heads_limits(std::string_view heading) {
  static constexpr std::string_view kWords[] = {"limitation", "known issue", "known problem", "caveat",
                                                "mvp scope",  "restriction", "trade-off",     "tradeoff",
                                                "non-goal",   "out of scope"};
  constexpr std::size_t kMostWords = 6;
  const std::string lower = to_lower(heading);
  if (is_label_of_limit(heading)) return true;
  return words_in(heading) <= kMostWords && std::any_of(std::begin(kWords), std::end(kWords),
                                                        [&](std::string_view word) { return contains(lower, word); });
}

/// Whether a sentence names a limit or a trade-off: "at the cost of", "trades … for", "known issue", "not supported".
bool names_limit(std::string_view sentence) {
  static constexpr std::string_view kWords[] = {
      "trade-off",       "tradeoff",    "at the cost of",   "at the expense of", "limitation",     "not supported",
      "not yet support", "known issue", "does not support", "do not support",    "doesn't support"};
  // What another sentence named.
  static constexpr std::string_view kNamed[] = {"that tradeoff",  "that trade-off",  "this tradeoff",
                                                "this trade-off", "these tradeoffs", "these trade-offs"};
  // What tells of a limit that goes, and code that was commented out.
  static constexpr std::string_view kGone[] = {"no longer", "remov",       "lifts ",     "not at the", "previously",
                                               "used to ",  "until now",   "now ",       "were not",   "was not",
                                               "fixes ",    "without any", "before this"};
  static constexpr std::string_view kCode[] = {"raise ", " = ", "(\"", "('", "(f\"", "(f'"};
  const std::string lower = to_lower(sentence);
  const auto has = [&](std::string_view word) { return contains(lower, word); };
  if (std::any_of(std::begin(kGone), std::end(kGone), has) || std::any_of(std::begin(kCode), std::end(kCode), has))
    return false;
  if (std::any_of(std::begin(kNamed), std::end(kNamed), has)) return false;
  const std::size_t trades = lower.find("trades ");
  if (trades != std::string::npos && lower.find(" for ", trades) != std::string::npos) return true;
  // "… differs from the other in two ways", not a comparison of values.
  if (has("differs from") && (has(" ways") || has(" in that "))) return true;
  static constexpr std::string_view kLess[] = {"avoid", "reduc", "without", "remov", "eliminat", "hid", "lower", "no "};
  // "replaces the collective with extra reads".
  const std::size_t replaces = std::min(lower.find("replaces "), lower.find("exchanges "));
  if (replaces != std::string::npos && (has(" extra ") || has(" additional ")) &&
      lower.find(" with ", replaces) != std::string::npos)
    return true;
  if (has("overhead") && std::none_of(std::begin(kLess), std::end(kLess), has)) return true;
  return std::any_of(std::begin(kWords), std::end(kWords), has);
}

/// "TODO: use buckets again once the sort is stable": what the author knows to be missing.
bool defers(std::string_view sentence) {
  static constexpr std::string_view kMarks[] = {"todo", "fixme", "xxx", "hack"};
  const std::string lower = to_lower(sentence);
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](std::string_view mark) {
    // "TODO(name): …"; "hacking" and "TodoList" are words of their own.
    return lower.starts_with(mark) && lower.size() > mark.size() &&
           std::isalnum(static_cast<unsigned char>(lower[mark.size()])) == 0;
  });
}

/// "Limitations: only one node." and "MVP scope: this does not yet …" name themselves.
bool starts_with_limit(std::string_view sentence) {
  constexpr std::size_t kLongestHead = 40;
  const std::size_t colon = sentence.find(':');
  return colon != std::string_view::npos && colon < kLongestHead && heads_limits(sentence.substr(0, colon));
}

/// Whether a paragraph or an item, of which this is the first sentence, begins with such a label: "Cost: …",
/// "**Caveat.** …", "Not covered — capture: …"; not "Cost of a step: …".
bool begins_with_label(std::string_view sentence) {
  std::string_view text = sentence;
  while (text.starts_with('*') || text.starts_with('_')) text.remove_prefix(1);
  std::size_t end = text.size();
  for (const std::string_view mark : {":", ".", "*", "_", " \u2014 ", " \u2013 ", " - ", " -- ", " ("})
    end = std::min(end, text.find(mark));
  return is_label_of_limit(text.substr(0, end));
}

/// Of a comment: "it is not behavior-preserving for …", "which fails the check when a rank has nothing to send", "exact
/// counts would require a reduction". Not what the code beside it keeps from happening.
bool names_failure(std::string_view sentence) {
  static constexpr std::string_view kAverted[] = {"otherwise", "without ", "previously", "used to ", "instead",
                                                  "avoid",     "prevent",  "fix",        "unless",   "so we "};
  const std::string lower = to_lower(sentence);
  const auto has = [&](std::string_view word) { return contains(lower, word); };
  if (std::any_of(std::begin(kAverted), std::end(kAverted), has)) return false;
  if (has("would require ") || has("would need ")) return true;
  if (has("would ")) return false;
  if (has("not ") && has("-preserving")) return true;
  return has("fails ") && (has(" when ") || has(" if "));
}

bool is_wanted(const SourceSentence& one) {
  return one.is_new && words_in(one.text) >= kFewestWords && !contains(one.text, "://") && !is_licence_text(one.text);
}

/// Sayings by how they name limits: under a heading, or by their own words.
class Limits {
 public:
  void add(const std::string& path, std::string_view name, const std::vector<SourceSentence>& sentences,
           TextKind kind = TextKind::kDocument) {
    add_headed(path, name, sentences);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const SourceSentence& one = sentences[i];
      const bool opens = i == 0 || sentences[i - 1].paragraph != one.paragraph;
      if (opens && one.is_new && !heads_limits(one.heading) && begins_with_label(one.text)) {
        i = put_labelled(path, name, sentences, i);
        continue;
      }
      if (!is_wanted(one) || heads_limits(one.heading)) continue;
      if (starts_with_limit(one.text))
        put(headed_, path, name, one.first_line, one.text);
      else if (defers(one.text) || names_limit(one.text) || (kind == TextKind::kComment && names_failure(one.text)))
        put_named(path, name, sentences, i);
    }
  }

  std::vector<Saying> run(std::size_t most) {
    for (Saying& saying : named_) add_once(headed_, std::move(saying));
    if (headed_.size() > most) headed_.resize(most);
    return std::move(headed_);
  }

 private:
  /// The first two sentences of each section, as far as they are few words.
  void add_headed(const std::string& path, std::string_view name, const std::vector<SourceSentence>& sentences) {
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const SourceSentence& one = sentences[i];
      const bool opens = i == 0 || sentences[i - 1].section != one.section;
      if (!opens || !heads_limits(one.heading) || !is_wanted(one)) continue;
      std::string text = one.text;
      if (i + 1 < sentences.size() && sentences[i + 1].section == one.section && is_wanted(sentences[i + 1]) &&
          words_in(text) + words_in(sentences[i + 1].text) <= kMostWordsEach)
        text += " " + sentences[i + 1].text;
      put(headed_, path, name, one.first_line, text);
    }
  }

  /// What stands behind a label: the sentence that it opens, and those of the same paragraph that follow and fit; of a
  /// list below it the first item. Gives the last sentence that was taken.
  std::size_t put_labelled(const std::string& path, std::string_view name, const std::vector<SourceSentence>& sentences,
                           std::size_t i) {
    constexpr std::size_t kMostWordsOfLabel = 3;
    std::string text = sentences[i].text;
    std::size_t last = i;
    const bool is_bare = words_in(text) <= kMostWordsOfLabel;
    for (std::size_t next = i + 1; next < sentences.size() && sentences[next].is_new; ++next) {
      const bool is_part = sentences[next].paragraph == sentences[i].paragraph ||
                           (is_bare && next == i + 1 && sentences[next].heading == sentences[i].heading);
      if (!is_part || words_in(text) + words_in(sentences[next].text) > kMostWordsEach) break;
      text += " " + sentences[next].text;
      last = next;
    }
    const bool goes_on = is_bare && last + 1 < sentences.size() && sentences[last].is_item && !sentences[i].is_item &&
                         sentences[last + 1].is_item;
    if (goes_on) text += " \u2026";
    if (words_in(text) >= kFewestWords && !is_licence_text(text))
      put(headed_, path, name, sentences[i].first_line, text);
    return last;
  }

  /// What ends in a colon says nothing without the list below it, of which the first item stands for the rest.
  void put_named(const std::string& path, std::string_view name, const std::vector<SourceSentence>& sentences,
                 std::size_t i) {
    std::string text = sentences[i].text;
    if (text.ends_with(':')) {
      if (i + 1 == sentences.size() || !is_wanted(sentences[i + 1])) return;
      text += " " + sentences[i + 1].text;
      if (i + 2 < sentences.size() && sentences[i + 2].is_item) text += " \u2026";
    }
    put(named_, path, name, sentences[i].first_line, text);
  }

  static void add_once(std::vector<Saying>& out, Saying saying) {
    const auto says = [&](const Saying& other) { return other.paragraphs == saying.paragraphs; };
    if (std::none_of(out.begin(), out.end(), says)) out.push_back(std::move(saying));
  }

  static void put(std::vector<Saying>& out, const std::string& path, std::string_view name, std::uint32_t line,
                  const std::string& text) {
    Saying saying;
    saying.source = path.empty() ? std::string(name) : place(path, line);
    for (const std::string& one : condensed({text}, kMostWordsEach, saying.is_cut))
      saying.paragraphs.push_back(own_words(one));
    add_once(out, std::move(saying));
  }

  std::vector<Saying> headed_;
  std::vector<Saying> named_;
};

/// Sentences of a message's paragraphs, as of a text that is new throughout.
std::vector<SourceSentence> sentences_of_message(const std::vector<std::string>& paragraphs) {
  std::vector<SourceSentence> out;
  for (std::size_t index = 0; index < paragraphs.size(); ++index) {
    const std::string& paragraph = paragraphs[index];
    // A heading and its first item stand in one paragraph.
    const std::string plain = replace_all(paragraph, "\u2022 ", "");
    for (const std::string_view text : sentences_in(plain)) {
      SourceSentence one;
      one.text = std::string(text);
      one.is_new = true;
      one.is_item = plain.size() < paragraph.size();
      one.paragraph = index;
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace

std::vector<Saying> limits_in_words(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  Limits limits;
  const std::string templates = letters_of_templates(inputs);
  const bool has_body = !inputs.body.empty();
  if (has_body)
    limits.add({}, inputs.is_pull_request ? "the pull request\u2019s description" : "the commit message",
               sentences_of_message(without_boilerplate(inputs.body, templates)));
  for (const repo::CommitInfo& commit : inputs.commits) {
    if (has_body) break;
    limits.add({}, inputs.commits.size() > 1 ? "the commit messages" : "the commit message",
               sentences_of_message(without_boilerplate(commit.body, templates)));
  }
  const std::string removed = removed_text(*inputs.change);
  const auto add_docstring = [&](const change::EntityChange& entity) {
    const program::ModuleId module = entity.after ? inputs.after->find_path(entity.after->path) : program::ModuleId();
    if (!module.valid() || program::is_test_path(entity.after->path)) return;
    const SourceText& source = inputs.after->modules()[module].facts->source();
    limits.add(entity.after->path, {},
               sentences_of(*inputs.change, entity.after->path, old_text_of(inputs, entity),
                            docstring_lines(entity.after->node, source), TextKind::kDocstring, removed));
  };
  constexpr std::size_t kMostLooked = 400;
  std::size_t looked = 0;
  for (const Actor& actor : story.actors) {
    const change::EntityKind kind = actor.change->kind;
    const bool documented =
        kind == change::EntityKind::kModule || kind == change::EntityKind::kClass || actor.is_function();
    if (!documented || actor.role == Role::kTest || actor.role == Role::kCosmetic) continue;
    // What an exception says is what it is raised for, not what the change leaves undone.
    const std::string& name = actor.change->latest().qualified_name;
    if (kind == change::EntityKind::kClass &&
        (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning")))
      continue;
    if (++looked > kMostLooked) break;
    add_docstring(*actor.change);
  }
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->path();
    if (is_prose_file(file)) {
      for (const std::vector<TextLine>& run : added_runs(file))
        limits.add(path, {}, sentences_of(*inputs.change, path, removed, run, TextKind::kDocument));
    }
    const program::ModuleId module = inputs.after->find_path(path);
    if (!file.is_python || !module.valid()) continue;
    // Where a test says that something fails, that is what it tests; what it leaves for later is a limit.
    const TextKind kind = program::is_test_path(path) && !story.only_tests ? TextKind::kDocument : TextKind::kComment;
    for (const std::vector<TextLine>& block : added_comment_blocks(file, *inputs.after->modules()[module].facts->file))
      limits.add(path, {}, sentences_of(*inputs.change, path, removed, block, TextKind::kComment), kind);
  }
  return limits.run(most);
}

}  // namespace lockstep::report
