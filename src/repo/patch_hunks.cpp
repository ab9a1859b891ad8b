// Applying one file's hunks to its text.
//
// A hunk goes where its header says, moved by as much as the hunks before it moved; failing that, to the nearest place
// where all its old lines stand, the later one of two that are equally near (as `git apply`). As Git asks, a hunk at
// line 1 must stand at the start of the file, and one without context after its changes at the end; not so where the
// whole diff was made without context (-U0). Where only the line ends differ ("\r\n" in one of patch and file), lines
// match and added lines take the file's line end.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "base/strings.h"
#include "repo/message.h"
#include "repo/patch.h"
#include "repo/patch_lines.h"

namespace lockstep::repo {
namespace {

// Line comparisons spent on looking for displaced hunks, per file; a patch made to cost more than this is refused.
constexpr std::size_t kSearchBudget = 50'000'000;

struct FileLine {
  std::string_view text;  // Without "\n".
  bool ends_with_newline = true;
};

std::vector<FileLine> lines_of(std::string_view text) {
  std::vector<FileLine> lines;
  lines.reserve(text.size() / 32 + 1);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t newline = text.find('\n', start);
    const bool ends = newline != std::string_view::npos;
    lines.push_back({text.substr(start, (ends ? newline : text.size()) - start), ends});
    start = ends ? newline + 1 : text.size();
  }
  return lines;
}

// For a message: on one line, short, printable.
std::string shown(std::string_view text) {
  constexpr std::size_t kMaxShown = 80;
  text = PatchLines::without_cr(text);
  const std::string whole = escape_path(text.substr(0, kMaxShown));
  return text.size() > kMaxShown ? whole + "…" : whole;
}

class HunkApplier {
 public:
  HunkApplier(std::string_view before, const FilePatch& file) : file_(file), before_(before), lines_(lines_of(before)) {
    for (const PatchHunk& hunk : file.hunks) {
      for (const PatchLine& line : hunk.lines) has_context_ = has_context_ || line.kind == LineKind::context;
    }
  }

  Result<std::string> run() {
    after_.reserve(before_.size() + before_.size() / 8);
    for (std::size_t number = 0; number < file_.hunks.size(); ++number) {
      const PatchHunk& hunk = file_.hunks[number];
      load(hunk);
      const std::optional<std::size_t> place = find_place(hunk);
      if (!place) return refuse(number);
      copy_until(*place);
      write(hunk, *place);
      offset_ = static_cast<std::ptrdiff_t>(*place) - static_cast<std::ptrdiff_t>(hunk.old_start);
    }
    copy_until(lines_.size());
    return std::move(after_);
  }

 private:
  // The hunk's old lines and what its context says about where it may stand.
  void load(const PatchHunk& hunk) {
    old_.clear();
    std::size_t trailing = 0;
    for (const PatchLine& line : hunk.lines) {
      if (line.kind != LineKind::added) old_.push_back(&line);
      trailing = line.kind == LineKind::context ? trailing + 1 : 0;
    }
    // A lone insertion "@@ -0,0 …" without context fills an empty file.
    const bool fills = file_.hunks.size() == 1 && hunk.old_start == 0 && hunk.old_count == 0;
    at_start_ = has_context_ && hunk.old_start == 0;
    at_end_ = trailing == 0 && (has_context_ || fills);
    movable_ = has_context_ || !old_.empty();
  }

  [[nodiscard]] std::optional<std::size_t> find_place(const PatchHunk& hunk) {
    const auto wanted = static_cast<std::ptrdiff_t>(hunk.old_start) + offset_;
    for (const bool any_line_end : {false, true}) {
      any_line_end_ = any_line_end;
      if (wanted >= 0 && matches(static_cast<std::size_t>(wanted))) return static_cast<std::size_t>(wanted);
      if (!movable_) continue;
      if (const std::optional<std::size_t> place = search(wanted)) return place;
    }
    return std::nullopt;
  }

  // Outwards from `wanted`, the later place first.
  [[nodiscard]] std::optional<std::size_t> search(std::ptrdiff_t wanted) {
    if (old_.size() > lines_.size()) return std::nullopt;
    const auto first = static_cast<std::ptrdiff_t>(next_);
    const auto last = static_cast<std::ptrdiff_t>(lines_.size() - old_.size());
    if (first > last) return std::nullopt;
    const std::ptrdiff_t start = std::clamp(wanted, first, last);
    std::ptrdiff_t up = start, down = start - 1;
    while (up <= last || down >= first) {
      // Of the two candidates the nearer one to `wanted`; clamping made them unequally far.
      const bool take_up = down < first || (up <= last && up - wanted <= wanted - down);
      const std::ptrdiff_t candidate = take_up ? up++ : down--;
      if (matches(static_cast<std::size_t>(candidate))) return static_cast<std::size_t>(candidate);
      if (spent_ > kSearchBudget) return std::nullopt;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool matches(std::size_t place) {
    ++spent_;
    if (place < next_ || place > lines_.size() || old_.size() > lines_.size() - place) return false;
    if (at_start_ && place != 0) return false;
    if (at_end_ && place + old_.size() != lines_.size()) return false;
    for (std::size_t i = 0; i < old_.size(); ++i) {
      ++spent_;
      if (!same_line(*old_[i], lines_[place + i])) return false;
    }
    return true;
  }

  [[nodiscard]] bool same_line(const PatchLine& expected, const FileLine& found) const {
    if (expected.ends_with_newline != found.ends_with_newline) return false;
    if (expected.text == found.text) return true;
    return any_line_end_ && PatchLines::without_cr(expected.text) == PatchLines::without_cr(found.text);
  }

  void append(const FileLine& line) {
    after_ += line.text;
    if (line.ends_with_newline) after_ += '\n';
  }

  void copy_until(std::size_t end) {
    for (; next_ < end; ++next_) append(lines_[next_]);
  }

  void write(const PatchHunk& hunk, std::size_t place) {
    // Which line end the file has here; only asked where the patch's own did not match.
    const bool crlf =
        any_line_end_ && !lines_.empty() && lines_[std::min(place, lines_.size() - 1)].text.ends_with('\r');
    for (const PatchLine& line : hunk.lines) {
      if (line.kind == LineKind::context) {
        append(lines_[next_++]);
      } else if (line.kind == LineKind::removed) {
        ++next_;
      } else {
        append_added(line, crlf);
      }
    }
  }

  void append_added(const PatchLine& line, bool crlf) {
    // Text after a last line that had no newline starts on a line of its own only if the patch says so; Git's diffs
    // always remove and add such a line.
    after_ += any_line_end_ ? PatchLines::without_cr(line.text) : line.text;
    if (any_line_end_ && crlf && line.ends_with_newline) after_ += '\r';
    if (line.ends_with_newline) after_ += '\n';
  }

  [[nodiscard]] tl::unexpected<Error> refuse(std::size_t number) {
    const PatchHunk& hunk = file_.hunks[number];
    const std::string& path = file_.new_path.empty() ? file_.old_path : file_.new_path;
    const std::string where =
        fmt::format("{}: hunk {} of {} ({}) does not apply", path, number + 1, file_.hunks.size(), shown(hunk.header));
    const std::string next_step = "name the revision that the patch was made from: `--base REV`";
    if (spent_ > kSearchBudget) {
      return fail(fmt::format("{}: looking for its place takes too long, its lines are far too repetitive", where),
                  next_step);
    }
    if (is_applied(hunk)) return fail(fmt::format("{}: its new lines are there already", where), next_step);
    return fail(fmt::format("{}: {}", where, mismatch_at(hunk)), next_step);
  }

  // The first line that differs at the place that the header names.
  [[nodiscard]] std::string mismatch_at(const PatchHunk& hunk) const {
    const std::ptrdiff_t wanted = static_cast<std::ptrdiff_t>(hunk.old_start) + offset_;
    const auto place = static_cast<std::size_t>(std::max<std::ptrdiff_t>(wanted, 0));
    for (std::size_t i = 0; i < old_.size(); ++i) {
      const char* kind = old_[i]->kind == LineKind::context ? "context" : "removed";
      if (place + i >= lines_.size()) {
        return fmt::format("{} line {} expected \"{}\", found the end of the file ({})", kind, place + i + 1,
                           shown(old_[i]->text), count_of(lines_.size(), "line"));
      }
      const FileLine& found = lines_[place + i];
      if (same_line(*old_[i], found)) continue;
      if (PatchLines::without_cr(old_[i]->text) == PatchLines::without_cr(found.text)) {
        return fmt::format("{} line {} (\"{}\") differs in whether the file ends with a newline there", kind,
                           place + i + 1, shown(found.text));
      }
      return fmt::format("{} line {} expected \"{}\", found \"{}\"", kind, place + i + 1, shown(old_[i]->text),
                         shown(found.text));
    }
    if (place < next_) return fmt::format("it overlaps the hunk before it, which ends at line {}", next_);
    if (at_end_) return fmt::format("it must end the file, which goes on after line {}", place + old_.size());
    return fmt::format("it must start the file, but stands at line {}", place + 1);
  }

  [[nodiscard]] bool is_applied(const PatchHunk& hunk) const {
    std::size_t at = hunk.new_start;
    bool has_new = false;
    for (const PatchLine& line : hunk.lines) {
      if (line.kind == LineKind::removed) continue;
      has_new = has_new || line.kind == LineKind::added;
      if (at >= lines_.size() || !same_line(line, lines_[at++])) return false;
    }
    return has_new;
  }

  const FilePatch& file_;
  std::string_view before_;
  std::vector<FileLine> lines_;
  std::string after_;
  std::size_t next_ = 0;       // First line not copied or consumed yet.
  std::ptrdiff_t offset_ = 0;  // By how much the last hunk moved from its header's place.
  bool has_context_ = false;   // Of any hunk: a diff without context (-U0) says nothing by lacking it.
  std::vector<const PatchLine*> old_;
  bool at_start_ = false, at_end_ = false, movable_ = true, any_line_end_ = false;
  std::size_t spent_ = 0;
};

}  // namespace

Result<std::string> apply_hunks(std::string_view before, const FilePatch& file) {
  return HunkApplier(before, file).run();
}

}  // namespace lockstep::repo
