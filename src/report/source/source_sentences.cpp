#include "report/source/source_sentences.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/facts.h"
#include "report/source/alternative_sections.h"
#include "report/source/code.h"
#include "report/source/reworded_comments.h"
#include "report/source/sentence_ends.h"

namespace lockstep::report {

namespace {

/// "Args:" and its like, after which a docstring tells of parameters and results.
bool names_section(std::string_view line) {
  static constexpr std::string_view kSections[] = {
      "args:",       "arguments:", "attributes:", "example:", "examples:", "keyword args:",
      "parameters:", "raises:",    "references:", "returns:", "return:",   "yields:"};
  const std::string lower = to_lower(line);
  return line.starts_with(":param") ||
         std::any_of(std::begin(kSections), std::end(kSections), [&](std::string_view name) { return lower == name; });
}

bool is_ruler(std::string_view line) { return line.find_first_not_of("-=~*#") == std::string_view::npos; }

constexpr std::string_view kLeftOut = " \u2026";

/// A row of columns that blanks set apart, or a drawing: "bf16  --->  bf16    <- else".
bool is_tabular(std::string_view line) {
  constexpr std::string_view kGap = "   ";
  return contains(line, kGap);
}

/// A line of three and more of one mark: what underlines a heading.
bool underlines(std::string_view line) {
  return line.size() >= 3 && contains("-=~^*", line.substr(0, 1)) &&
         line.find_first_not_of(line.front()) == std::string_view::npos;
}

/// "**blockwise**: …" as "blockwise: …"; `**kwargs` stays.
std::string without_strong(std::string_view text) {
  static constexpr std::string_view kMark = "**";
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find(kMark);
    const std::size_t close = open == std::string_view::npos ? open : text.find(kMark, open + 2);
    const std::string_view inside =
        close == std::string_view::npos ? std::string_view() : text.substr(open + 2, close - open - 2);
    const bool is_strong = !inside.empty() && inside.front() != ' ' && inside.back() != ' ' &&
                           inside.find_first_of("()=,`") == std::string_view::npos;
    const std::size_t end = is_strong ? close + 2 : open == std::string_view::npos ? text.size() : open + 2;
    out += text.substr(0, is_strong ? open : end);
    if (is_strong) out += inside;
    text.remove_prefix(end);
  }
  return out;
}

/// Whether `old_text`, squeezed, says what `sentence` says about other names: a comment that follows a new name. Names
/// are words with an underscore within; what is left must be a whole sentence, not two words.
bool holds_with_other_names(std::string_view old_text, std::string_view sentence) {
  constexpr std::size_t kFewLetters = 40;
  constexpr std::size_t kLongestName = 60;
  std::vector<std::string> parts(1);
  std::size_t letters = 0;
  for (const std::string_view word : split(sentence, ' ')) {
    if (word.find('_', 1) != std::string_view::npos) {
      parts.emplace_back();
      continue;
    }
    const std::string text = squeezed(word);
    letters += text.size();
    parts.back() += text;
  }
  if (parts.size() == 1 || letters < kFewLetters) return false;
  std::erase(parts, std::string());
  for (std::size_t from = find_text(old_text, parts.front()); from != std::string_view::npos;) {
    std::size_t at = from + parts.front().size();
    const bool holds = std::all_of(parts.begin() + 1, parts.end(), [&](const std::string& part) {
      const std::string_view rest = old_text.substr(at, kLongestName + part.size());
      const std::size_t found = find_text(rest, part);
      at += found == std::string_view::npos ? 0 : found + part.size();
      return found != std::string_view::npos;
    });
    if (holds) return true;
    const std::size_t next = find_text(old_text.substr(from + 1), parts.front());
    from = next == std::string_view::npos ? next : from + 1 + next;
  }
  return false;
}

class Splitter {
 public:
  Splitter(const change::Change& change, const std::string& path, std::string_view old_text, std::string_view more)
      : change_(change), path_(path), old_text_(old_text), more_(more) {}

  std::vector<SourceSentence> run(const std::vector<TextLine>& lines, TextKind kind) {
    bool in_code = false;
    kind_ = kind;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view text = trim(lines[i].text);
      if (kind == TextKind::kDocstring && names_section(text)) break;
      if (text.starts_with("```") || text.starts_with("~~~")) {
        in_code = !in_code;
        part();
        continue;
      }
      if (in_code) continue;
      if (is_tabular(text)) {
        part();
        if (!out_.empty() && !out_.back().text.ends_with(kLeftOut)) out_.back().text += kLeftOut;
        continue;
      }
      if (text.empty() || is_ruler(text)) {
        part();
        continue;
      }
      const std::string_view next = i + 1 < lines.size() ? trim(lines[i + 1].text) : std::string_view();
      const bool is_first = i == 0 || trim(lines[i - 1].text).empty() || is_ruler(trim(lines[i - 1].text));
      if (kind == TextKind::kDocument && text.starts_with("#")) {
        head(text.substr(std::min(text.find_first_not_of("# "), text.size())));
        continue;
      }
      if (kind != TextKind::kComment && is_first && underlines(next)) {
        head(text);
        continue;
      }
      if (kind == TextKind::kDocument && (text.starts_with("|") || text.starts_with(">") || text.starts_with("<") ||
                                          text.starts_with("![") || text.starts_with(".. "))) {
        part();
        continue;
      }
      std::string_view rest = text;
      if (const std::size_t mark = mark_of_item(text); mark > 0 && !goes_on(lines, i)) {
        part();
        now_item_ = true;
        mark_ = text.front() >= '0' && text.front() <= '9' ? std::string(text.substr(0, mark - 1)) : "\u2022";
        rest = trim(text.substr(mark));
      }
      add(lines[i].line, rest);
    }
    flush();
    return std::move(out_);
  }

 private:
  /// Whether a line that looks like an item goes on with the sentence before it: "a per-sequence count; \n * bsz".
  [[nodiscard]] bool goes_on(const std::vector<TextLine>& lines, std::size_t index) const {
    const std::string_view previous = index == 0 ? std::string_view() : trim(lines[index - 1].text);
    if (previous.empty() || now_item_ || is_ruler(previous) || mark_of_item(previous) > 0) return false;
    const char last = previous.back();
    return last == ',' || last == ';' || last == '(' || last == '=';
  }

  /// Whether the sentence, of which lines are added, was said before.
  [[nodiscard]] bool is_old(std::string_view sentence) const {
    const std::string text = squeezed(sentence);
    return find_text(old_text_, text) != std::string_view::npos || find_text(more_, text) != std::string_view::npos ||
           (kind_ == TextKind::kComment && (holds_with_other_names(old_text_, sentence) || is_reworded(sentence)));
  }

  /// Whether a comment that the change takes out of the file says nearly the same.
  [[nodiscard]] bool is_reworded(std::string_view sentence) const {
    if (!removed_) removed_.emplace(change_, path_);
    return removed_->say_nearly(sentence);
  }

  void part() {
    flush();
    ++paragraph_;
    now_item_ = false;
    mark_.clear();
  }

  void head(std::string_view text) {
    part();
    heading_ = std::string(text);
    ++section_;
  }

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
    // `--capture-range=` at the end of a line goes on in the next one.
    const bool goes_on = now_.text.ends_with('=') && !now_.text.ends_with(" =") && !now_.text.ends_with("==");
    now_.text.append(now_.text.empty() || goes_on ? "" : " ").append(part);
    now_.is_new = now_.is_new || added;
  }

  void flush() {
    if (!now_.text.empty()) {
      now_.mark = std::exchange(mark_, {});
      now_.paragraph = paragraph_;
      now_.heading = heading_;
      now_.section = section_;
      now_.is_item = now_item_;
      now_.is_new = now_.is_new && !is_old(now_.text);
      now_.text = replace_all(now_.text, "``", "`");
      if (kind_ == TextKind::kDocument) now_.text = without_markup(now_.text);
      if (kind_ == TextKind::kDocstring) now_.text = without_strong(now_.text);
      out_.push_back(std::move(now_));
    }
    now_ = SourceSentence{};
  }

  const change::Change& change_;
  const std::string& path_;
  std::string_view old_text_;
  std::string_view more_;
  mutable std::optional<RemovedComments> removed_;  ///< Once they are asked for.
  std::string heading_;
  SourceSentence now_;
  std::size_t paragraph_ = 0;
  std::size_t section_ = 0;
  bool now_item_ = false;
  std::string mark_;  ///< Of the item that begins.
  TextKind kind_ = TextKind::kComment;
  std::vector<SourceSentence> out_;
};

/// Empties the lines that tell what was not done.
std::vector<TextLine> without_alternatives(std::vector<TextLine> lines) {
  AlternativeSections sections;
  for (TextLine& one : lines) {
    const bool is_aside = sections.read(one.text) != AlternativeSections::Part::kNone;
    one.text = is_aside ? std::string_view() : trim(one.text);
  }
  return lines;
}

/// Adds the kept comment lines below a block that breaks off within a sentence, up to the line that ends it.
void finish_sentence(std::vector<TextLine>& block, const SourceText& source, const std::set<std::uint32_t>& comments) {
  constexpr std::size_t kMostLines = 8;
  for (std::size_t added = 0; added < kMostLines; ++added) {
    const std::string_view last = trim(block.back().text);
    const std::uint32_t next = block.back().line + 1;
    if (last.empty() || std::string_view(".!?:").find(last.back()) != std::string_view::npos) return;
    if (!comments.contains(next)) return;
    std::string_view text = trim(source.line(next));
    if (!text.starts_with("#")) return;
    text.remove_prefix(std::min(text.find_first_not_of('#'), text.size()));
    block.push_back({next, text});
  }
}

}  // namespace

std::size_t mark_of_item(std::string_view line) {
  static constexpr std::string_view kDot = "\u2022";
  if (line.starts_with("- ") || line.starts_with("* ")) return 2;
  if (line.starts_with(kDot)) return kDot.size();
  const std::size_t digits = line.find_first_not_of("0123456789");
  const bool is_number = digits != std::string_view::npos && digits > 0 && digits + 1 < line.size() &&
                         (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ';
  return is_number ? digits + 2 : 0;
}

std::string without_markup(std::string_view text) {
  std::string out;
  bool in_code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    in_code = in_code != (text[i] == '`');
    // `hooks[name](batch)` is a call, no link.
    const bool after_name = i > 0 && is_name_char(text[i - 1]);
    if (!in_code && text[i] == '[' && !after_name) {
      constexpr std::size_t kLongest = 2'000;  // Of a label, and of an address.
      const std::size_t close = text.substr(0, std::min(text.size(), i + kLongest)).find_first_of("[]", i + 1);
      const bool is_link = close != std::string_view::npos && text.substr(close).starts_with("](");
      const std::size_t end =
          is_link ? text.substr(0, std::min(text.size(), close + kLongest)).find(')', close) : std::string_view::npos;
      if (end != std::string_view::npos) {
        out += text.substr(i + 1, close - i - 1);
        i = end;
        continue;
      }
    }
    const bool is_power = after_name && i + 2 < text.size() && is_name_char(text[i + 2]);
    if (!in_code && text.substr(i).starts_with("**") && !is_power)
      ++i;
    else if (is_power && text.substr(i).starts_with("**"))
      out += text.substr(i++, 2);
    else
      out += text[i];
  }
  return out;
}

std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool keeps =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || static_cast<signed char>(c) < 0;
    if (keeps) out += c;
  }
  return out;
}

std::string removed_text(const change::Change& change) {
  std::string out;
  for (const change::FileSummary& file : change.files) {
    if (!file.is_python && !is_prose_file(file)) continue;
    for (const repo::Hunk& hunk : file.file->lines.hunks()) {
      for (const repo::DiffLine& line : hunk.lines) {
        if (line.kind == repo::LineKind::removed) out += squeezed(line.text);
      }
    }
  }
  return out;
}

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

std::vector<SourceSentence> sentences_of(const change::Change& change, const std::string& path,
                                         std::string_view old_text, const std::vector<TextLine>& lines, TextKind kind,
                                         std::string_view more) {
  return Splitter(change, path, old_text, more).run(without_alternatives(lines), kind);
}

std::vector<std::string_view> sentences_in(std::string_view text) {
  std::vector<std::string_view> out;
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && !ends_sentence(text, i)) continue;
    if (const std::string_view one = trim(text.substr(from, i + 1 - from)); !one.empty()) out.push_back(one);
    from = i + 1;
  }
  return out;
}

namespace {

/// The lines of the docstring with their indentation.
std::vector<TextLine> raw_docstring_lines(const python::Node* definition, const SourceText& source) {
  std::vector<TextLine> out;
  const python::Constant* docstring = python::docstring_of(body_of(definition));
  if (docstring == nullptr) return out;
  std::string_view text = source.slice(docstring->span);
  text.remove_prefix(std::min(text.find_first_of("\"'"), text.size()));  // The letters of `r"…"`.
  const std::size_t quotes = text.starts_with("\"\"\"") || text.starts_with("'''") ? 3 : 1;
  if (text.size() < 2 * quotes) return out;
  text = text.substr(quotes, text.size() - 2 * quotes);
  std::uint32_t line = source.line_of(docstring->span.begin);
  for (const std::string_view one : split(text, '\n')) out.push_back({line++, one});
  return out;
}

}  // namespace

std::vector<TextLine> alternatives_among(std::vector<TextLine> lines) {
  AlternativeSections sections;
  for (TextLine& one : lines) {
    const std::string_view behind = behind_label(one.text);
    const bool is_text = sections.read(one.text) == AlternativeSections::Part::kText;
    one.text = !is_text ? std::string_view() : behind.empty() ? trim(one.text) : behind;
  }
  const auto has_text = [](const TextLine& one) { return !one.text.empty(); };
  if (std::none_of(lines.begin(), lines.end(), has_text)) lines.clear();
  return lines;
}

std::vector<TextLine> docstring_lines(const python::Node* definition, const SourceText& source) {
  return without_alternatives(raw_docstring_lines(definition, source));
}

std::vector<TextLine> alternatives_in_docstring(const python::Node* definition, const SourceText& source) {
  return alternatives_among(raw_docstring_lines(definition, source));
}

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

std::vector<std::vector<TextLine>> comments_within(const python::ParsedFile& file, std::uint32_t first,
                                                   std::uint32_t last) {
  std::vector<std::vector<TextLine>> out;
  const auto& comments = file.comments;
  const std::uint32_t begin = file.source.line_start(first);
  const auto from = std::lower_bound(comments.begin(), comments.end(), begin,
                                     [](const python::Comment& one, std::uint32_t at) { return one.span.begin < at; });
  bool was_alone = false;
  std::size_t column = 0;
  for (auto comment = from; comment != comments.end(); ++comment) {
    const std::uint32_t line = file.source.line_of(comment->span.begin);
    if (line > last) break;
    std::string_view text = file.source.slice(comment->span);
    text.remove_prefix(std::min(text.find_first_not_of('#'), text.size()));
    // One behind code stands for itself; those on lines of their own go on below one another.
    const std::string_view before =
        file.source.line(line).substr(0, comment->span.begin - file.source.line_start(line));
    const bool is_alone = trim(before).empty();
    const bool goes_on =
        !out.empty() && out.back().back().line + 1 == line && is_alone && was_alone && column == before.size();
    if (!goes_on) out.emplace_back();
    was_alone = is_alone;
    column = before.size();
    out.back().push_back({line, trim(text)});
  }
  return out;
}

std::vector<std::vector<TextLine>> added_comment_blocks(const change::FileSummary& file,
                                                        const python::ParsedFile& after) {
  std::vector<std::vector<TextLine>> out;
  std::set<std::uint32_t> comment_lines;
  for (const python::Comment& comment : after.comments) comment_lines.insert(after.source.line_of(comment.span.begin));
  for (const std::vector<TextLine>& run : added_runs(file)) {
    bool goes_on = false;
    for (const TextLine& one : run) {
      std::string_view text = trim(one.text);
      if (!text.starts_with("#") || !comment_lines.contains(one.line)) {
        goes_on = false;
        continue;
      }
      text.remove_prefix(std::min(text.find_first_not_of('#'), text.size()));
      if (!goes_on) out.emplace_back();
      out.back().push_back({one.line, text});
      goes_on = true;
    }
  }
  for (std::vector<TextLine>& block : out) finish_sentence(block, after.source, comment_lines);
  return out;
}

bool is_prose_file(const change::FileSummary& file) {
  const std::string lower = to_lower(file.file->path());
  return lower.ends_with(".md") || lower.ends_with(".rst") || lower.ends_with(".markdown");
}

std::vector<std::vector<TextLine>> added_runs(const change::FileSummary& file) {
  std::vector<std::vector<TextLine>> out;
  for (const repo::Hunk& hunk : file.file->lines.hunks()) {
    bool goes_on = false;
    for (const repo::DiffLine& line : hunk.lines) {
      if (line.kind == repo::LineKind::context) goes_on = false;
      if (line.kind != repo::LineKind::added) continue;
      if (!goes_on) out.emplace_back();
      out.back().push_back({line.new_line, line.text});
      goes_on = true;
    }
  }
  return out;
}

}  // namespace lockstep::report
