// Line-level diffs: libgit2's xdiff, read into hunks.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "repo/diff.h"
#include "repo/git_handles.h"

namespace lockstep::repo {
namespace {

constexpr std::uint32_t kNoEnd = 0xffffffffu;

bool contains_line(const std::vector<std::uint32_t>& lines, std::uint32_t first, std::uint32_t last) {
  const auto at = std::lower_bound(lines.begin(), lines.end(), first);
  return at != lines.end() && *at <= last;
}

// Header numbers count from 1, but for a count of 0, where they name the line before.
std::uint32_t start_of(int line, int count) { return static_cast<std::uint32_t>(count == 0 ? line : line - 1); }

Hunk read_hunk(git_patch* patch, std::size_t index) {
  const git_diff_hunk* header = nullptr;
  std::size_t line_count = 0;
  CHECK(git_patch_get_hunk(&header, &line_count, patch, index) == 0);
  Hunk hunk{start_of(header->old_start, header->old_lines),
            static_cast<std::uint32_t>(header->old_lines),
            start_of(header->new_start, header->new_lines),
            static_cast<std::uint32_t>(header->new_lines),
            {}};
  std::uint32_t old_line = hunk.old_start, new_line = hunk.new_start;
  hunk.lines.reserve(line_count);
  for (std::size_t i = 0; i < line_count; ++i) {
    const git_diff_line* line = nullptr;
    CHECK(git_patch_get_line_in_hunk(&line, patch, index, i) == 0);
    LineKind kind = LineKind::context;
    if (line->origin == GIT_DIFF_LINE_ADDITION) kind = LineKind::added;
    if (line->origin == GIT_DIFF_LINE_DELETION) kind = LineKind::removed;
    if (kind == LineKind::context && line->origin != GIT_DIFF_LINE_CONTEXT) continue;  // "\ No newline at end of file".
    std::string_view text(line->content, line->content_len);
    const bool ends_with_newline = text.ends_with('\n');
    if (ends_with_newline) text.remove_suffix(1);
    hunk.lines.push_back({kind, old_line, new_line, ends_with_newline, std::string(text)});
    if (kind != LineKind::added) ++old_line;
    if (kind != LineKind::removed) ++new_line;
  }
  return hunk;
}

}  // namespace

LineDiff::LineDiff(std::vector<Hunk> hunks) : hunks_(std::move(hunks)) {
  EqualRun run{0, 0, 0};
  const auto end_run = [&](std::uint32_t old_line, std::uint32_t new_line) {
    run.length = old_line - run.old_begin;
    CHECK(run.length == new_line - run.new_begin);
    if (run.length > 0) equal_.push_back(run);
  };
  for (const Hunk& hunk : hunks_) {
    for (const DiffLine& line : hunk.lines) {
      if (line.kind == LineKind::context) continue;
      end_run(line.old_line, line.new_line);
      run = {line.old_line, line.new_line, 0};
      if (line.kind == LineKind::added) {
        added_.push_back(line.new_line);
        ++run.new_begin;
      } else {
        removed_.push_back(line.old_line);
        ++run.old_begin;
      }
    }
  }
  run.length = kNoEnd - std::max(run.old_begin, run.new_begin);
  equal_.push_back(run);
}

bool LineDiff::is_added_line(std::uint32_t new_line) const { return contains_line(added_, new_line, new_line); }
bool LineDiff::is_removed_line(std::uint32_t old_line) const { return contains_line(removed_, old_line, old_line); }
bool LineDiff::has_added_in(std::uint32_t first, std::uint32_t last) const {
  return contains_line(added_, first, last);
}
bool LineDiff::has_removed_in(std::uint32_t first, std::uint32_t last) const {
  return contains_line(removed_, first, last);
}

bool LineDiff::in_hunk(std::uint32_t new_line) const {
  const auto after = std::upper_bound(hunks_.begin(), hunks_.end(), new_line,
                                      [](std::uint32_t line, const Hunk& hunk) { return line < hunk.new_start; });
  return after != hunks_.begin() && new_line - std::prev(after)->new_start < std::prev(after)->new_count;
}

bool LineDiff::in_hunk_before(std::uint32_t old_line) const {
  const auto after = std::upper_bound(hunks_.begin(), hunks_.end(), old_line,
                                      [](std::uint32_t line, const Hunk& hunk) { return line < hunk.old_start; });
  return after != hunks_.begin() && old_line - std::prev(after)->old_start < std::prev(after)->old_count;
}

std::optional<std::uint32_t> LineDiff::map_old_to_new(std::uint32_t old_line) const {
  const auto after = std::upper_bound(equal_.begin(), equal_.end(), old_line,
                                      [](std::uint32_t line, const EqualRun& run) { return line < run.old_begin; });
  if (after == equal_.begin()) return std::nullopt;
  const EqualRun& run = *std::prev(after);
  if (old_line - run.old_begin >= run.length) return std::nullopt;
  return run.new_begin + (old_line - run.old_begin);
}

std::optional<std::uint32_t> LineDiff::map_new_to_old(std::uint32_t new_line) const {
  const auto after = std::upper_bound(equal_.begin(), equal_.end(), new_line,
                                      [](std::uint32_t line, const EqualRun& run) { return line < run.new_begin; });
  if (after == equal_.begin()) return std::nullopt;
  const EqualRun& run = *std::prev(after);
  if (new_line - run.new_begin >= run.length) return std::nullopt;
  return run.old_begin + (new_line - run.new_begin);
}

LineDiff diff_lines(std::string_view before, std::string_view after, std::uint32_t context_lines) {
  if (before == after) return LineDiff();
  ensure_libgit2();
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.context_lines = context_lines;
  // As `git diff` does by default. What is binary is decided by is_binary: libgit2's own test differs from Git's.
  options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
  const auto patch = git_make<GitPatchHandle>([&](git_patch** out) {
    return git_patch_from_buffers(out, before.data(), before.size(), "a", after.data(), after.size(), "a", &options);
  });
  CHECK(patch != nullptr);
  std::vector<Hunk> hunks;
  const std::size_t count = git_patch_num_hunks(patch.get());
  hunks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) hunks.push_back(read_hunk(patch.get(), i));
  return LineDiff(std::move(hunks));
}

bool is_binary(std::string_view bytes) { return bytes.substr(0, 8000).find('\0') != std::string_view::npos; }

}  // namespace lockstep::repo
