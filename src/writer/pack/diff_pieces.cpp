// The diff: each line with its number (of the side on which it stands), in stretches that fit a part of a pack. Nothing
// is left out silently; of tests that come, only where that is asked for.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "program/queries.h"
#include "render/graph_text.h"
#include "render/markdown.h"
#include "report/documents/file_parts.h"
#include "report/source/code.h"
#include "writer/pack/data_text.h"
#include "writer/pack/pieces.h"

namespace lockstep::writer {

namespace {

using change::FileSummary;
using repo::DiffLine;
using repo::LineKind;

// A line of a generated file can be longer than a budget.
constexpr std::size_t kMostLineBytes = 4'000;
std::string shown_line(std::string_view text) {
  if (text.size() <= kMostLineBytes) return data_text(text);
  const std::string_view shown = cut_at_character(text, kMostLineBytes);
  return fmt::format("{} \u2026\u27e8{} more bytes\u27e9", data_text(shown), text.size() - shown.size());
}

std::string diff_line(const DiffLine& line) {
  const char mark = line.kind == LineKind::context ? ' ' : line.kind == LineKind::added ? '+' : '-';
  const std::uint32_t number = line.kind == LineKind::removed ? line.old_line : line.new_line;
  return fmt::format("{}{:>5}| {}", mark, number + 1, shown_line(line.text));
}

// Below a hunk's head a reader wants to know what it stands in.
std::string hunk_head(const report::DocumentInputs& inputs, const repo::FileChange& file, const repo::Hunk& hunk) {
  std::string head =
      fmt::format("@@ -{},{} +{},{} @@", hunk.old_start + 1, hunk.old_count, hunk.new_start + 1, hunk.new_count);
  const program::ModuleId module = inputs.after->find_path(file.new_path);
  if (!module.valid() || hunk.new_count == 0) return head;
  const SourceText& source = inputs.after->modules()[module].facts->source();
  // Of the first line that differs, not of the context above it.
  std::uint32_t line = hunk.new_start;
  for (const DiffLine& one : hunk.lines) {
    if (one.kind == LineKind::context) continue;
    line = one.new_line;
    break;
  }
  const program::FunctionId function = inputs.after->function_at(module, source.line_start(line));
  if (function.valid() && inputs.after->functions()[function].kind == program::FunctionKind::kFunction)
    head += fmt::format(" {}", report::short_name(*inputs.after, function));
  return head;
}

std::string file_note(const FileSummary& summary) {
  const repo::FileChange& file = *summary.file;
  std::string note(report::kind_word(file));
  if (file.kind == repo::ChangeKind::renamed) note += fmt::format(" from {}", report::place(file.old_path));
  note += fmt::format(", +{} \u2212{}", summary.lines_added, summary.lines_removed);
  if (file.binary) note += ", binary: no lines to show";
  if (!file.lines_known) note += "; its lines could not be read";
  if (file.lines.empty() && !file.binary && file.lines_known) note += ": no line differs";
  return note;
}

/// Files with what carries the change first, by the weight of it.
std::vector<const FileSummary*> files_by_weight(const report::DocumentInputs& inputs, const report::Story& story) {
  std::map<std::string_view, double> weights;
  for (const report::Actor& actor : story.actors) {
    if (actor.role != report::Role::kCentral && actor.role != report::Role::kSupporting) continue;
    double& weight = weights[actor.change->latest().path];
    weight = std::max(weight, actor.weight);
  }
  std::vector<const FileSummary*> files = report::files_in_order(inputs);
  const auto weight_of = [&](const FileSummary* file) {
    const auto found = weights.find(file->file->path());
    return found == weights.end() ? 0 : found->second;
  };
  std::stable_sort(files.begin(), files.end(),
                   [&](const FileSummary* a, const FileSummary* b) { return weight_of(a) > weight_of(b); });
  return files;
}

/// Fills pieces of one file line by line.
class FilePieces {
 public:
  FilePieces(const FileSummary& summary, std::size_t most_tokens, std::vector<DiffPiece>& out)
      : summary_(summary), most_(most_tokens), out_(out) {}

  void add(std::string line) {
    const std::size_t cost = render::estimate_tokens(line) + 1;
    if (tokens_ + cost > most_ && !lines_.empty()) flush();
    tokens_ += cost;
    lines_.push_back(std::move(line));
  }

  void flush() {
    report::Document document;
    document.heading(4, fmt::format("{} ({}{})", report::place(summary_.file->path()), file_note(summary_),
                                    flushed_ > 0 ? ", continued" : ""));
    if (!lines_.empty()) {
      report::CodeBlock block;
      block.language = "diff";
      block.lines = std::move(lines_);
      document.code_block(std::move(block));
    }
    DiffPiece piece;
    piece.path = summary_.file->path();
    piece.text = render::render_markdown(document);
    piece.tokens = render::estimate_tokens(piece.text);
    out_.push_back(std::move(piece));
    lines_.clear();
    tokens_ = 0;
    ++flushed_;
  }

  [[nodiscard]] bool is_untouched() const { return flushed_ == 0 && lines_.empty(); }
  [[nodiscard]] bool has_lines() const { return !lines_.empty(); }

 private:
  const FileSummary& summary_;
  std::size_t most_;
  std::vector<DiffPiece>& out_;
  std::vector<std::string> lines_;
  std::size_t tokens_ = 0;
  std::size_t flushed_ = 0;
};

constexpr std::size_t kShortTest = 40;     // lines that come to a file
constexpr std::size_t kFewestLeftOut = 4;  // lines; to leave out fewer saves little

bool is_long_test(const FileSummary& summary) {
  const std::string_view path = summary.file->path();
  return program::is_test_path(path) && path.ends_with(".py") && summary.lines_added > kShortTest;
}

/// Whether a line of a test says what it is called, what it is for, what it runs with or what must come out.
bool is_telling(std::string_view line) {
  const std::string_view text = trim(line);
  constexpr std::string_view kStarts[] = {"def ",   "async def ", "class ", "@",
                                          "assert", "with ",      "\"\"\"", "self.assert"};
  constexpr std::string_view kHeld[] = {"raises(", "assert_", "allclose", "parametrize", "skip", "\"\"\"", "patch"};
  return std::any_of(std::begin(kStarts), std::end(kStarts), [&](auto start) { return text.starts_with(start); }) ||
         std::any_of(std::begin(kHeld), std::end(kHeld), [&](auto held) { return contains(text, held); });
}

/// Behind the lines from `first` on that come and tell little; `first` itself where its line does not.
std::size_t end_of_untold(const std::vector<DiffLine>& lines, std::size_t first) {
  std::size_t end = first;
  while (end < lines.size() && lines[end].kind == LineKind::added && !is_telling(lines[end].text)) ++end;
  return end;
}

}  // namespace

std::vector<DiffPiece> diff_pieces(const PackInputs& inputs, const report::Story& story, std::size_t most_tokens,
                                   TestLines tests) {
  std::vector<DiffPiece> pieces;
  for (const FileSummary* summary : files_by_weight(inputs.document, story)) {
    FilePieces file(*summary, most_tokens, pieces);
    const bool is_shortened = tests == TestLines::kTelling && is_long_test(*summary);
    for (const repo::Hunk& hunk : summary->file->lines.hunks()) {
      file.add(hunk_head(inputs.document, *summary->file, hunk));
      for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
        const std::size_t end = is_shortened ? end_of_untold(hunk.lines, i) : i;
        if (end < i + kFewestLeftOut) {
          file.add(diff_line(hunk.lines[i]));
          continue;
        }
        file.add(fmt::format("+     | \u2026 {} that come left out", count_of(end - i, "line")));
        i = end - 1;
      }
    }
    if (file.has_lines() || file.is_untouched()) file.flush();
  }
  return pieces;
}

std::vector<std::string> numbered_source(const SourceText& source, std::uint32_t first, std::uint32_t last) {
  std::vector<std::string> lines;
  for (std::uint32_t line = first; line <= last && line < source.line_count(); ++line)
    lines.push_back(fmt::format("{:>5}| {}", line + 1, shown_line(source.line(line))));
  return lines;
}

void complete(Piece& piece) {
  make_harmless(piece.content);
  piece.text = render::render_markdown(piece.content);
  piece.tokens = render::estimate_tokens(piece.text);
}

}  // namespace lockstep::writer
