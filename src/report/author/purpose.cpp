#include "report/author/purpose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "report/author/quotation.h"
#include "report/author/reason_words.h"
#include "report/document.h"
#include "report/documents/files.h"
#include "report/source/source_sentences.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kMostWords = 60;   ///< Of one quotation.
constexpr std::size_t kFewestWords = 6;  ///< Of a sentence that says something.

/// In lower case, with `_` for `-`: `--use-nccl-ub` and `use_nccl_ub` are one setting.
std::string as_name(std::string_view text) {
  std::string out = to_lower(text);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

bool is_word_at(std::string_view text, std::size_t at, std::size_t size) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto is_part = [&](std::size_t i) { return is_letter(text[i]) || text[i] == '_'; };
  // The dashes before an argument are none of its name.
  std::size_t from = at;
  while (from > 0 && text[from - 1] == '_') --from;
  return (from == 0 || !is_letter(text[from - 1])) && (at + size == text.size() || !is_part(at + size));
}

bool names(std::string_view text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (is_word_at(text, at, name.size())) return true;
  }
  return false;
}

/// What a document must name to speak of this change.
struct Subjects {
  std::vector<std::string> settings;  ///< New ones, as as_name() has them.
  std::vector<std::string> names;     ///< Of new and central definitions outside tests.

  [[nodiscard]] std::size_t in(const std::string& text) const {
    const auto count = [&](const std::vector<std::string>& of) {
      return static_cast<std::size_t>(std::count_if(
          of.begin(), of.end(), [&](const std::string& one) { return lockstep::report::names(text, one); }));
    };
    return 2 * count(settings) + count(names);
  }
};

Subjects subjects_of(const Story& story) {
  constexpr std::size_t kMost = 60;
  Subjects out;
  for (const Flag& flag : story.flags) {
    const std::string name =
        as_name(std::string_view(flag.name).substr(std::min(flag.name.find_first_not_of('-'), flag.name.size())));
    if (flag.is_new && change::stands_out(name)) out.settings.push_back(name);
  }
  for (const Actor& actor : story.actors) {
    const bool counts = actor.role == Role::kCentral || (actor.role == Role::kSupporting && actor.is_added());
    const std::string_view name = change::last_part(actor.change->latest().qualified_name);
    if (counts && out.names.size() < kMost && change::stands_out(name)) out.names.push_back(as_name(name));
  }
  return out;
}

/// Whether a sentence ends as one; a line of a command that stands outside its fences does not.
bool is_prose(std::string_view sentence) {
  return (sentence.ends_with('.') || sentence.ends_with('!')) && !contains(sentence, " \\ ");
}

/// A new section, or the head of a new document.
struct Section {
  const std::string* path = nullptr;
  std::vector<SourceSentence> sentences;
  std::size_t subjects = 0;
};

/// The new, whole sentences at the start of a text: of one paragraph, as far as they fit.
/// `must_open`: the first paragraph or none.
Saying opening(const std::vector<SourceSentence>& sentences, bool must_open, bool& is_found, std::uint32_t& line) {
  Saying out;
  std::string text;
  std::size_t paragraph = SIZE_MAX;
  for (const SourceSentence& one : sentences) {
    const bool goes_on = paragraph == one.paragraph;
    if (paragraph != SIZE_MAX && !goes_on) break;
    const bool says = one.is_new && !one.is_item && is_prose(one.text) && !is_licence_text(one.text);
    const bool opens = says && words_in(one.text) >= kFewestWords && !leans_on_previous(one.text);
    if (!goes_on && !opens && must_open) break;
    if (!goes_on && !opens) continue;
    if (!says || (goes_on && words_in(text) + words_in(one.text) > kMostWords)) {
      out.is_cut = true;
      break;
    }
    if (!goes_on) line = one.first_line;
    paragraph = one.paragraph;
    text.append(text.empty() ? "" : " ").append(one.text);
  }
  is_found = !text.empty();
  for (const std::string& one : condensed({text}, kMostWords + kMostWords / 2, out.is_cut))
    out.paragraphs.push_back(own_words(one));
  return out;
}

/// "(`docs/a.md:12`, “2.7 Pools”)".
std::string where_of(const std::string& path, std::uint32_t line, const std::string& heading) {
  return heading.empty() ? place(path, line) : fmt::format("{}, \u201c{}\u201d", place(path, line), own_words(heading));
}

void add_documentation(const DocumentInputs& inputs, const Subjects& subjects, std::string_view removed,
                       std::vector<Saying>& out) {
  std::vector<Section> sections;
  std::vector<std::pair<const std::string*, SourceSentence>> sentences;  // That name a new setting.
  for (const change::FileSummary& file : inputs.change->files) {
    const std::string& path = file.file->path();
    const std::string name = to_lower(path);
    if (!is_prose_file(file) || program::is_test_path(path) || contains(name, "changelog") || contains(name, "release"))
      continue;
    for (const std::vector<TextLine>& run : added_runs(file)) {
      std::string whole;
      for (const TextLine& line : run) whole.append(line.text).append("\n");
      if (subjects.in(as_name(whole)) == 0) continue;
      std::map<std::size_t, Section> parts;
      for (SourceSentence& one : sentences_of(*inputs.change, path, removed, run, TextKind::kDocument)) {
        const std::string text = as_name(one.text);
        const bool tells_setting = one.is_new && words_in(one.text) >= kFewestWords &&
                                   std::any_of(subjects.settings.begin(), subjects.settings.end(),
                                               [&](const std::string& setting) { return names(text, setting); });
        if (tells_setting) sentences.emplace_back(&path, one);
        // Before the first heading of the run a section goes on that was there before.
        if (one.section == 0 && file.file->kind != repo::ChangeKind::added) continue;
        Section& part = parts[one.section];
        part.path = &path;
        if (part.sentences.empty()) part.subjects = subjects.in(as_name(one.heading));
        part.subjects += subjects.in(text);
        part.sentences.push_back(std::move(one));
      }
      for (auto& [number, part] : parts) sections.push_back(std::move(part));
    }
  }
  std::stable_sort(sections.begin(), sections.end(),
                   [](const Section& a, const Section& b) { return a.subjects > b.subjects; });
  for (const Section& section : sections) {
    if (section.subjects == 0) break;
    bool is_found = false;
    std::uint32_t line = 0;
    Saying saying = opening(section.sentences, false, is_found, line);
    if (!is_found) continue;
    saying.source = fmt::format("The documentation that it adds ({})",
                                where_of(*section.path, line, section.sentences.front().heading));
    out.push_back(std::move(saying));
    return;
  }
  for (const auto& [path, sentence] : sentences) {
    if (leans_on_previous(sentence.text) || !is_prose(sentence.text)) continue;
    Saying saying;
    saying.source = fmt::format("The documentation that it adds ({})", place(*path, sentence.first_line));
    for (const std::string& one : condensed({sentence.text}, kMostWords, saying.is_cut))
      saying.paragraphs.push_back(own_words(one));
    out.push_back(std::move(saying));
    return;
  }
}

/// New modules in which central entities stand, or those that support them.
void add_modules(const DocumentInputs& inputs, const Story& story, std::string_view removed, std::vector<Saying>& out) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  std::vector<std::string_view> seen;
  for (const Actor& actor : story.actors) {
    const auto& after = actor.change->after;
    if ((actor.role != Role::kCentral && actor.role != Role::kSupporting) || !after || told == kMost) continue;
    if (std::find(seen.begin(), seen.end(), after->path) != seen.end()) continue;
    seen.push_back(after->path);
    const auto file = std::find_if(inputs.change->files.begin(), inputs.change->files.end(),
                                   [&](const change::FileSummary& one) { return one.file->path() == after->path; });
    const program::ModuleId module = inputs.after->find_path(after->path);
    if (file == inputs.change->files.end() || file->file->kind != repo::ChangeKind::added || !module.valid()) continue;
    const python::FileFacts& facts = *inputs.after->modules()[module].facts;
    bool is_found = false;
    std::uint32_t line = 0;
    Saying saying = opening(sentences_of(*inputs.change, after->path, removed,
                                         docstring_lines(&facts.tree(), facts.source()), TextKind::kDocstring),
                            true, is_found, line);
    if (!is_found) continue;
    saying.source = fmt::format("The new module {}", place(after->path));
    out.push_back(std::move(saying));
    ++told;
  }
}

/// The new paragraph of the docstring of a class that was there which speaks most of what the change adds.
void add_class_paragraph(const DocumentInputs& inputs, const Story& story, const Subjects& subjects,
                         std::string_view removed, std::vector<Saying>& out) {
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    const bool counts = entity.kind == change::EntityKind::kClass && entity.before && entity.after &&
                        actor.role != Role::kTest && entity.status != change::Status::kAdded;
    const program::ModuleId module = counts ? inputs.after->find_path(entity.after->path) : program::ModuleId();
    if (!module.valid() || program::is_test_path(entity.after->path)) continue;
    const SourceText& source = inputs.after->modules()[module].facts->source();
    std::map<std::size_t, std::vector<SourceSentence>> paragraphs;
    for (SourceSentence& one :
         sentences_of(*inputs.change, entity.after->path, old_text_of(inputs, entity),
                      docstring_lines(entity.after->node, source), TextKind::kDocstring, removed)) {
      paragraphs[one.paragraph].push_back(std::move(one));
    }
    const std::vector<SourceSentence>* best = nullptr;
    std::size_t most = 0;
    for (const auto& [number, sentences] : paragraphs) {
      std::size_t named = 0;
      for (const SourceSentence& one : sentences) named += one.is_new ? subjects.in(as_name(one.text)) : 0;
      if (named > most) best = &sentences;
      most = std::max(most, named);
    }
    if (best == nullptr) continue;
    bool is_found = false;
    std::uint32_t line = 0;
    Saying saying = opening(*best, true, is_found, line);
    if (!is_found) continue;
    saying.source =
        fmt::format("The docstring of {} ({})", code(short_name(inputs, entity)), place(entity.after->path, line));
    out.push_back(std::move(saying));
    return;
  }
}

}  // namespace

std::vector<Saying> purposes_in_words(const DocumentInputs& inputs, const Story& story) {
  std::vector<Saying> out;
  const std::string removed = removed_text(*inputs.change);
  const Subjects subjects = subjects_of(story);
  add_documentation(inputs, subjects, removed, out);
  add_modules(inputs, story, removed, out);
  if (out.empty()) add_class_paragraph(inputs, story, subjects, removed, out);
  return out;
}

}  // namespace lockstep::report
