#include "report/story_quotes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/strings.h"
#include "python/facts.h"
#include "report/document.h"
#include "report/document_files.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostWordsEach = 70;

/// A line of a comment or docstring, without its marks.
struct TextLine {
  std::uint32_t line;
  std::string_view text;
};

struct Sentence {
  std::string text;
  std::uint32_t first_line = 0;
  std::size_t paragraph = 0;
  bool is_new = false;
};

/// Letters and digits alone: what a new layout or new marks leave as they were.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool keeps =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || static_cast<signed char>(c) < 0;
    if (keeps) out += c;
  }
  return out;
}

bool starts_item(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("\u2022")) return true;
  const std::size_t digits = line.find_first_not_of("0123456789");
  return digits != std::string_view::npos && digits > 0 && digits + 1 < line.size() &&
         (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ';
}

/// "Args:" and its like, after which a docstring tells of parameters and results.
bool names_section(std::string_view line) {
  static constexpr std::string_view kSections[] = {
      "args:",       "arguments:", "attributes:", "example:", "examples:", "keyword args:",
      "parameters:", "raises:",    "references:", "returns:", "return:",   "yields:"};
  const std::string lower = to_lower(line);
  return line.starts_with(":param") ||
         std::any_of(std::begin(kSections), std::end(kSections), [&](std::string_view name) { return lower == name; });
}

/// A full stop that ends a sentence, not an abbreviation.
bool ends_sentence(std::string_view text, std::size_t at) {
  const bool stop = text[at] == '.' || text[at] == '!' || text[at] == '?';
  if (!stop || (at + 1 < text.size() && text[at + 1] != ' ')) return false;
  if (at + 1 == text.size()) return true;
  const std::string_view head = text.substr(0, at + 1);
  return !head.ends_with("e.g.") && !head.ends_with("i.e.") && !head.ends_with("etc.") && !head.ends_with("vs.");
}

/// Sentences of lines: blank lines and list items part paragraphs; "Args:" and its like end the text.
class Splitter {
 public:
  Splitter(const change::Change& change, const std::string& path, std::string old_text)
      : change_(change), path_(path), old_text_(std::move(old_text)) {}

  std::vector<Sentence> run(const std::vector<TextLine>& lines, bool is_docstring) {
    for (const TextLine& one : lines) {
      const std::string_view text = trim(one.text);
      if (is_docstring && names_section(text)) break;
      if (text.empty() || text.find_first_not_of("-=~*#") == std::string_view::npos) {
        flush();
        ++paragraph_;
        continue;
      }
      std::string_view rest = text;
      if (starts_item(text)) {
        flush();
        ++paragraph_;
        rest = trim(text.substr(text.find(' ')));
      }
      add(one.line, rest);
    }
    flush();
    return std::move(out_);
  }

 private:
  void add(std::uint32_t line, std::string_view text) {
    const bool added = change_.touches_after(path_, line);
    std::size_t from = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (!ends_sentence(text, i)) continue;
      take(line, text.substr(from, i + 1 - from), added);
      flush();
      from = i + 1;
    }
    take(line, text.substr(from), added);
  }

  void take(std::uint32_t line, std::string_view part, bool added) {
    part = trim(part);
    if (part.empty()) return;
    if (now_.text.empty()) now_.first_line = line;
    now_.text.append(now_.text.empty() ? "" : " ").append(part);
    now_.is_new = now_.is_new || added;
  }

  void flush() {
    if (!now_.text.empty()) {
      now_.paragraph = paragraph_;
      now_.is_new = now_.is_new && !contains(old_text_, squeezed(now_.text));
      now_.text = replace_all(now_.text, "``", "`");
      out_.push_back(std::move(now_));
    }
    now_ = Sentence{};
  }

  const change::Change& change_;
  const std::string& path_;
  std::string old_text_;
  Sentence now_;
  std::size_t paragraph_ = 0;
  std::vector<Sentence> out_;
};

/// "This holds because …" says little without the sentence before it.
bool leans_on_previous(std::string_view sentence) {
  for (const std::string_view start : {"This ", "It ", "They ", "That ", "These ", "Those ", "So ", "Otherwise"}) {
    if (sentence.starts_with(start)) return true;
  }
  return sentence.size() < 60;
}

/// "Step 2: check the keys" numbers the code.
bool numbers_steps(std::string_view sentence) {
  const std::string lower = to_lower(sentence.substr(0, 12));
  for (const std::string_view word : {"step ", "phase ", "stage ", "case "}) {
    if (lower.starts_with(word) && lower.size() > word.size() && lower[word.size()] >= '0' && lower[word.size()] <= '9')
      return true;
  }
  return false;
}

struct Quotation {
  std::string text;
  std::uint32_t first_line = 0;
  bool is_cut = false;
};

/// Which new sentences are quoted.
enum class Wanted : std::uint8_t { kReasons, kAll };

/// Whether a sentence says something that a reader of the code does not see: no heading, no note to come back to.
bool tells(std::string_view sentence) {
  constexpr std::size_t kFewWords = 6;
  const std::string lower = to_lower(sentence);
  return words_in(sentence) >= kFewWords && !contains(lower, "todo") && !contains(lower, "fixme") &&
         !contains(lower, "pylint") && !contains(lower, "type: ignore") && !contains(lower, "noqa");
}

/// The new sentences that give reasons, each with the one that it leans on; "…" where some between are left out.
Quotation quotation_of(const std::vector<Sentence>& sentences, bool skips_first, Wanted what = Wanted::kReasons) {
  std::set<std::size_t> wanted;
  std::size_t words = 0;
  Quotation out;
  for (std::size_t i = skips_first ? 1 : 0; i < sentences.size(); ++i) {
    const Sentence& one = sentences[i];
    if (!one.is_new || numbers_steps(one.text)) continue;
    if (what == Wanted::kReasons ? !explains_why(one.text) : !tells(one.text)) continue;
    const bool leans = i > (skips_first ? 1u : 0u) && leans_on_previous(one.text) && sentences[i - 1].is_new &&
                       sentences[i - 1].paragraph == one.paragraph && !wanted.contains(i - 1);
    const std::size_t more = words_in(one.text) + (leans ? words_in(sentences[i - 1].text) : 0);
    if (words > 0 && words + more > kMostWordsEach) {
      out.is_cut = true;
      break;
    }
    if (leans) wanted.insert(i - 1);
    wanted.insert(i);
    words += more;
  }
  std::size_t last = SIZE_MAX;
  for (const std::size_t i : wanted) {
    if (out.text.empty()) out.first_line = sentences[i].first_line;
    if (!out.text.empty()) out.text += last + 1 == i ? " " : " \u2026 ";
    out.text += sentences[i].text;
    last = i;
  }
  return out;
}

void add_quotation(std::vector<Saying>& out, std::string source, Quotation quotation) {
  if (quotation.text.empty() || is_licence_text(quotation.text)) return;
  Saying saying;
  saying.source = std::move(source);
  saying.is_cut = quotation.is_cut;
  for (std::string& text : condensed({std::move(quotation.text)}, kMostWordsEach + 30, saying.is_cut))
    saying.paragraphs.push_back(own_words(text));
  const auto says = [&](const Saying& other) { return other.paragraphs == saying.paragraphs; };
  if (std::none_of(out.begin(), out.end(), says)) out.push_back(std::move(saying));
}

/// Lines of a definition's or module's docstring, without its quotes.
std::vector<TextLine> docstring_lines(const python::Node* definition, const SourceText& source) {
  std::vector<TextLine> out;
  const python::Constant* docstring = python::docstring_of(body_of(definition));
  if (docstring == nullptr) return out;
  const std::uint32_t last = source.line_of(docstring->span.end - 1);
  for (std::uint32_t line = source.line_of(docstring->span.begin); line <= last; ++line) {
    std::string_view text = trim(source.line(line));
    const std::size_t open = text.find_first_of("\"'");
    if (out.empty() && open != std::string_view::npos && open <= 2) text.remove_prefix(open);
    if (out.empty()) text.remove_prefix(std::min(text.find_first_not_of("\"'"), text.size()));
    if (line == last) text = text.substr(0, text.find_last_not_of("\"' ") + 1);
    out.push_back({line, text});
  }
  return out;
}

/// What the old version of an entity says anywhere in it.
std::string old_text_of(const DocumentInputs& inputs, const change::EntityChange& entity) {
  if (!entity.before || entity.before->node == nullptr) return {};
  const program::ModuleId module = inputs.before->find_path(entity.before->path);
  if (!module.valid()) return {};
  const SourceText& source = inputs.before->modules()[module].facts->source();
  std::string out;
  for (std::uint32_t line = entity.before->first_line; line <= entity.before->last_line; ++line) {
    // A comment may stand above the definition, or beside code.
    out += squeezed(source.line(line));
  }
  return out;
}

void add_docstring(const DocumentInputs& inputs, const change::EntityChange& entity, std::string source,
                   bool skips_first, std::vector<Saying>& out) {
  const program::ModuleId module = inputs.after->find_path(entity.after->path);
  if (!module.valid()) return;
  const SourceText& text = inputs.after->modules()[module].facts->source();
  Splitter splitter(*inputs.change, entity.after->path, old_text_of(inputs, entity));
  add_quotation(out, std::move(source),
                quotation_of(splitter.run(docstring_lines(entity.after->node, text), true), skips_first));
}

/// New files in which central entities stand.
void add_module_docstrings(const DocumentInputs& inputs, const Story& story, std::vector<Saying>& out) {
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (entity.kind != change::EntityKind::kModule || entity.status != change::Status::kAdded ||
        program::is_test_path(entity.latest().path))
      continue;
    const bool tells = std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& other) {
      return (other.role == Role::kCentral || other.role == Role::kSupporting) && other.change->after &&
             other.change->after->path == entity.latest().path;
    });
    if (tells)
      add_docstring(inputs, entity, fmt::format("the docstring of {}", place(entity.latest().path)), false, out);
  }
}

void add_docstrings(const DocumentInputs& inputs, const Story& story, std::vector<Saying>& out) {
  for (std::size_t c = 0; c < story.central.size(); ++c) {
    const change::EntityChange& entity = *story.actor(c).change;
    const bool documented = entity.kind == change::EntityKind::kClass || story.actor(c).is_function();
    if (!documented || !entity.after) continue;
    // The first sentence of a new docstring is quoted where the entity is named.
    add_docstring(inputs, entity,
                  fmt::format("the docstring of {} ({})", code(short_name(inputs, entity)), place_of(inputs, entity)),
                  entity.status == change::Status::kAdded, out);
  }
}

/// The comment block that ends in the line before `line`.
std::vector<TextLine> comment_lines_above(const SourceText& source, std::uint32_t line) {
  constexpr std::size_t kMostLines = 20;
  std::vector<TextLine> out;
  while (line > 0 && out.size() < kMostLines) {
    std::string_view text = trim(source.line(--line));
    if (!text.starts_with("#")) break;
    text.remove_prefix(std::min(text.find_first_not_of('#'), text.size()));
    out.push_back({line, text});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

/// Comment blocks above changed steps, where the change wrote them: of the central entities, then of others.
void add_comments(const DocumentInputs& inputs, const Story& story, std::size_t most, Wanted what,
                  std::vector<Saying>& out) {
  std::vector<const Actor*> actors;
  for (std::size_t c = 0; c < story.central.size(); ++c) actors.push_back(&story.actor(c));
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kSupporting) actors.push_back(&actor);
  }
  for (const Actor* one : actors) {
    const Actor& actor = *one;
    if (out.size() >= most) return;
    if (actor.steps.after_source == nullptr || !actor.change->after) continue;
    const std::string& path = actor.change->after->path;
    const std::string old_text = old_text_of(inputs, *actor.change);
    for (const Step& step : actor.steps.after) {
      // What stands above an import says why it is imported here.
      if (python::is<python::Import>(step.node) || python::is<python::ImportFrom>(step.node)) continue;
      const std::vector<TextLine> lines = comment_lines_above(*actor.steps.after_source, step.first_line);
      if (lines.empty()) continue;
      Splitter splitter(*inputs.change, path, old_text);
      Quotation quotation = quotation_of(splitter.run(lines, false), false, what);
      const std::string where = place(path, quotation.first_line);
      const std::size_t before = out.size();
      add_quotation(out, where, std::move(quotation));
      if (out.size() > before) out.back().is_of_step = true;
    }
  }
}

/// What new and changed tests say that they check: their docstrings, else the comment that they open with.
void add_tests(const DocumentInputs& inputs, const Story& story, std::size_t most, std::vector<Saying>& out) {
  for (const Actor& actor : story.actors) {
    if (out.size() >= most) return;
    const change::EntityChange& entity = *actor.change;
    if (actor.role != Role::kTest || !actor.is_function() || !entity.after) continue;
    const std::string name = short_name(inputs, entity);
    const program::ModuleId module = inputs.after->find_path(entity.after->path);
    const auto* def = python::as<python::FunctionDef>(entity.after->node);
    if (!module.valid() || def == nullptr || def->body.empty() || !std::string_view(def->name.text).starts_with("test"))
      continue;
    const SourceText& source = inputs.after->modules()[module].facts->source();
    std::vector<TextLine> lines = docstring_lines(def, source);
    const bool is_docstring = !lines.empty();
    if (!is_docstring) lines = comment_lines_above(source, source.line_of(def->body.front()->span.begin));
    Splitter splitter(*inputs.change, entity.after->path, old_text_of(inputs, entity));
    add_quotation(out, fmt::format("the test {} ({})", code(name), place_of(inputs, entity)),
                  quotation_of(splitter.run(lines, is_docstring), false, Wanted::kAll));
  }
}

}  // namespace

namespace {

/// Whether one of the words stands in the text, at the start of a word: "change" and "trace" give no reasons.
bool says_one_of(std::string_view lower, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    for (std::size_t at = lower.find(word); at != std::string_view::npos; at = lower.find(word, at + 1)) {
      if (at == 0 || lower[at - 1] < 'a' || lower[at - 1] > 'z' || word.front() == ',') return true;
    }
    return false;
  });
}

}  // namespace

std::size_t words_in(std::string_view text) {
  std::size_t count = 0;
  bool inside = false;
  for (const char c : text) {
    if (c != ' ' && !inside) ++count;
    inside = c != ' ';
  }
  return count;
}

std::vector<std::string> condensed(std::vector<std::string> paragraphs, std::size_t most_words, bool& is_cut) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < paragraphs.size(); ++i) {
    const std::size_t own = words_in(paragraphs[i]);
    if (words + own > most_words && i > 0) {
      is_cut = true;
      paragraphs.resize(i);
      break;
    }
    if (own > most_words) {
      std::size_t at = 0;
      for (std::size_t n = 0; n < most_words && at != std::string::npos; ++n) at = paragraphs[i].find(' ', at + 1);
      if (at != std::string::npos) paragraphs[i] = paragraphs[i].substr(0, at) + " \u2026";
      is_cut = true;
    }
    words += own;
  }
  return paragraphs;
}

bool explains_why(std::string_view text) {
  static constexpr std::string_view kWords[] = {
      "because",          "since ",        "so that",     "otherwise",   "to avoid",     "avoids ",
      "avoiding ",        "to prevent",    "prevents ",   "in order to", "to ensure",    "ensures ",
      "due to",           "workaround",    "work around", "would ",      "deadlock",     "hang",
      "race condition",   "cannot",        "can't",       "can cause",   "causes ",      "leads to",
      "leading to",       "rather than",   "exists to",   "eliminate",   "expensive",    "dominant",
      "known limitation", ", so ",         " so we ",     "mismatch",    "must not",     "does not support",
      "doesn't support",  "not supported", "to keep ",    "to allow ",   "incompatible", "wrong ",
      "corrupt",          "silently",
  };
  std::string lower = to_lower(text);
  // A point in time is no reason.
  for (const std::string_view when : {"since the last", "since the previous", "since v", "since version"})
    lower = replace_all(lower, when, "");
  return words_in(text) >= 5 && says_one_of(lower, kWords);
}

bool gives_reason(std::string_view text) {
  static constexpr std::string_view kMoreWords[] = {
      "avoid",   "must ",    "ensure",    "race",  "needed",   "need to", "instead of", "only when", "do not", "don't",
      "doesn't", "does not", "important", "note:", "required", "unless",  "overlap",    "safe",      "but ",
  };
  return explains_why(text) || (words_in(text) >= 5 && says_one_of(to_lower(text), kMoreWords));
}

std::vector<Saying> reasons_in_sources(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::vector<Saying> out;
  add_module_docstrings(inputs, story, out);
  if (out.size() > 2) out.resize(2);
  add_docstrings(inputs, story, out);
  if (out.size() > most - 1) out.resize(most - 1);  // Comments stand nearest to what changes.
  add_comments(inputs, story, most, Wanted::kReasons, out);
  if (out.size() > most) out.resize(most);
  return out;
}

std::vector<Saying> remarks_in_sources(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  constexpr std::size_t kMostComments = 2;
  std::vector<Saying> out;
  add_comments(inputs, story, std::min(most, kMostComments), Wanted::kAll, out);
  if (out.size() > kMostComments) out.resize(kMostComments);
  if (out.size() < most) add_tests(inputs, story, most, out);
  return out;
}

}  // namespace lockstep::report
