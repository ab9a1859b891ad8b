#include "report/documents/excerpts/excerpt_pieces.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "report/documents/excerpts/excerpt_lines.h"

namespace lockstep::report {

using change::EntitySide;
using repo::DiffLine;
using repo::LineKind;

namespace {

/// Lines of a source, both included.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  [[nodiscard]] bool holds(std::uint32_t line) const { return line >= first && line <= last; }
};

std::string text_of(const SourceText& source, Range range) {
  std::string out;
  for (std::uint32_t line = range.first; line <= range.last; ++line) {
    out += source.line(line);
    out += '\n';
  }
  return out;
}

/// The same with the indent of the first line put in place of its own.
std::string indented_text_of(const SourceText& source, Range range, std::size_t indent) {
  const std::size_t own = indent_of(source.line(range.first));
  std::string out;
  for (std::uint32_t line = range.first; line <= range.last; ++line) {
    const std::string_view text = source.line(line);
    const std::size_t deep = indent_of(text);
    if (deep != SIZE_MAX) {
      out += std::string(deep >= own ? deep - own + indent : deep, ' ');
      out += text.substr(deep);
    }
    out += '\n';
  }
  return out;
}

/// A branch that moved and was edited: its lines on both sides, the comment above with them.
struct MovedBranch {
  Range before;
  Range after;
};

class Finder {
 public:
  explicit Finder(const Actor& actor)
      : steps_(actor.steps), before_(*actor.change->before), after_(*actor.change->after) {}

  std::vector<Piece> run() {
    const repo::LineDiff own = repo::diff_lines(text_of(*steps_.before_source, range_of(before_)),
                                                text_of(*steps_.after_source, range_of(after_)));
    for (const repo::Hunk& hunk : own.hunks()) {
      for (const DiffLine& line : hunk.lines) lines_.push_back(numbered(line, range_of(before_), range_of(after_)));
    }
    find_moved();
    for (const repo::Hunk& hunk : own.hunks()) add_hunk(hunk);
    for (const MovedBranch& branch : moved_) add_branch(branch);
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return a.lines.front().new_line < b.lines.front().new_line;
    });
    return std::move(pieces_);
  }

 private:
  static Range range_of(const EntitySide& side) { return {side.first_line, side.last_line}; }

  static DiffLine numbered(DiffLine line, Range before, Range after) {
    line.old_line += before.first;
    line.new_line += after.first;
    return line;
  }

  /// Whether the lines show all of the range as removed (of the old side) or added; blank lines aside.
  [[nodiscard]] bool is_all(LineKind kind, Range range) const {
    const SourceText& source = kind == LineKind::removed ? *steps_.before_source : *steps_.after_source;
    for (std::uint32_t line = range.first; line <= range.last; ++line) {
      if (trim(source.line(line)).empty()) continue;
      const auto found = std::find_if(lines_.begin(), lines_.end(), [&](const DiffLine& one) {
        return one.kind == kind && (kind == LineKind::removed ? one.old_line : one.new_line) == line;
      });
      if (found == lines_.end()) return false;
    }
    return true;
  }

  /// From the comment above to the last line of what stands inside.
  static Range whole(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
    Range out{steps[index].first_line, steps[index].last_line};
    for (std::size_t i = index; i < end_of(steps, index); ++i) out.last = std::max(out.last, steps[i].last_line);
    while (out.first > 0 && trim(source.line(out.first - 1)).starts_with("#")) --out.first;
    return out;
  }

  [[nodiscard]] bool is_same(const MovedBranch& branch) const {
    return indented_text_of(*steps_.before_source, branch.before, 0) ==
           indented_text_of(*steps_.after_source, branch.after, 0);
  }

  void find_moved() {
    constexpr std::uint32_t kFewLines = 3;
    for (std::size_t i = 0; i < steps_.before.size(); ++i) {
      const Step& step = steps_.before[i];
      // Kept steps count, too: which of two neighbours moved is a matter of taste, and the lines decide.
      const bool is_branch = step.kind == StepKind::kIf && !step.is_elif && step.partner != Step::kNone;
      if (!is_branch || steps_.after[step.partner].is_elif) continue;
      const MovedBranch branch{whole(steps_.before, i, *steps_.before_source),
                               whole(steps_.after, step.partner, *steps_.after_source)};
      if (branch.before.last - branch.before.first < kFewLines || !is_all(LineKind::removed, branch.before) ||
          !is_all(LineKind::added, branch.after) || is_same(branch))
        continue;
      moved_.push_back(branch);
      i = end_of(steps_.before, i) - 1;
    }
  }

  [[nodiscard]] bool is_told_as_moved(const DiffLine& line) const {
    return std::any_of(moved_.begin(), moved_.end(), [&](const MovedBranch& branch) {
      return line.kind == LineKind::removed ? branch.before.holds(line.old_line)
                                            : line.kind == LineKind::added && branch.after.holds(line.new_line);
    });
  }

  static void add_gap(std::vector<DiffLine>& lines, const DiffLine& next) {
    const std::size_t indent = indent_of(next.text);
    DiffLine gap = next;
    gap.kind = LineKind::context;
    gap.text = std::string(indent == SIZE_MAX ? 0 : indent, ' ') + "\u2026";
    lines.push_back(std::move(gap));
  }

  void add_hunk(const repo::Hunk& hunk) {
    Piece piece;
    bool is_gap = false;
    for (const DiffLine& line : hunk.lines) {
      DiffLine one = numbered(line, range_of(before_), range_of(after_));
      if (is_told_as_moved(one)) {
        // What a branch leaves behind is no gap of the new version.
        is_gap = is_gap || one.kind == LineKind::added;
        continue;
      }
      if (is_gap && !piece.lines.empty()) add_gap(piece.lines, one);
      is_gap = false;
      piece.lines.push_back(std::move(one));
    }
    const bool changes = std::any_of(piece.lines.begin(), piece.lines.end(), [](const DiffLine& line) {
      return line.kind != LineKind::context && !trim(line.text).empty();
    });
    if (changes) pieces_.push_back(std::move(piece));
  }

  void add_branch(const MovedBranch& branch) {
    const std::size_t indent = indent_of(steps_.after_source->line(branch.after.first));
    const std::string now = text_of(*steps_.after_source, branch.after);
    const repo::LineDiff own = repo::diff_lines(indented_text_of(*steps_.before_source, branch.before, indent), now, 1);
    Piece piece;
    piece.moved_from = branch.before.first;
    for (const repo::Hunk& hunk : own.hunks()) {
      for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
        DiffLine line = numbered(hunk.lines[i], branch.before, branch.after);
        if (i == 0 && !piece.lines.empty()) add_gap(piece.lines, line);
        piece.lines.push_back(std::move(line));
      }
    }
    if (!piece.lines.empty()) pieces_.push_back(std::move(piece));
  }

  const StepComparison& steps_;
  const EntitySide& before_;
  const EntitySide& after_;
  std::vector<DiffLine> lines_;
  std::vector<MovedBranch> moved_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> pieces_of(const Actor& actor) { return Finder(actor).run(); }

}  // namespace lockstep::report
