// A revision, files and lines of them -> which commits last wrote these lines and what stood there before, and which
// changed the files last.
// Follows the first-parent line of the history, through renames of the file, and below a merge the parent that has the
// lines as the merge has them: a merge wrote only what none of its parents has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "repo/repository.h"

namespace lockstep::repo {

inline constexpr std::size_t kMostNewest = 3;
/// Commits walked: on Megatron-LM (4,700 commits) 600 reach back half a year and cost 60 ms for eight files.
inline constexpr std::size_t kMostWalked = 600;
/// Where somebody asks for the history itself, and waits for a language model anyway.
inline constexpr std::size_t kMostWalkedWhenAsked = 10'000;

struct TouchedLines {
  std::string path;                  ///< Escaped, as snapshots have it.
  std::vector<std::uint32_t> lines;  ///< Of the revision's text, from 0, sorted.
};

/// A commit and how many of the lines in question it wrote.
struct LineOrigin {
  CommitInfo commit;
  std::uint32_t lines = 0;
};

struct FileHistory {
  std::string path;
  std::vector<CommitInfo> newest;  ///< That changed the file, newest first, at most kMostNewest.
  std::vector<LineOrigin> wrote;   ///< Newest first.
  std::uint32_t older = 0;         ///< Lines that were there before the walk's end.
};

/// One for each of `files`, in their order; empty where the history cannot be read or the file is not there.
std::vector<FileHistory> line_histories(const Repository& repository, std::string_view revision,
                                        const std::vector<TouchedLines>& files);
/// One stretch of lines that a commit replaced, whole: without the ends of lines.
struct EditedPlace {
  std::vector<std::string> added, removed;
  std::uint32_t wrote = 0;        ///< How many of the lines in question stand in it.
  std::uint32_t first_asked = 0;  ///< The first of them, as an index of `added`.
};
/// What a commit made of some lines of a file.
struct LineEdit {
  CommitInfo commit;
  std::string renamed_from;  ///< Escaped: where the commit took the file from; empty for most.
  bool is_new_file = false;  ///< The commit added the file: nothing stood there.
  std::uint32_t wrote = 0;   ///< How many of the lines in question.
  /// The lines that it wrote there and those that it replaced, without their ends; of each the first twelve.
  std::vector<std::string> added, removed;
  std::vector<EditedPlace> places;           ///< The same whole, those with most of the lines in question first.
  std::string before;                        ///< The whole file before the commit; empty where it was new.
  std::vector<std::uint32_t> removed_lines;  ///< All that it replaced there, by their lines in `before`, from 0.
};
/// For each of `lines`, in their order: the commits that wrote them, newest first, at most `most`: the one that wrote
/// them as they are, the one that wrote what that one replaced, and so on. Empty where the history cannot be read or
/// the file is not there. One walk for all, of `walked` commits at most.
std::vector<std::vector<LineEdit>> line_edits(const Repository& repository, std::string_view revision,
                                              const std::vector<TouchedLines>& lines, std::size_t most,
                                              std::size_t walked = kMostWalked);

/// The same of one revision, for whoever need not know the repository; empty where there is no history.
using LineEdits =
    std::function<std::vector<std::vector<LineEdit>>(const std::vector<TouchedLines>& lines, std::size_t most)>;

/// `repository` is kept by value.
LineEdits line_edits_of(const Repository& repository, std::string revision, std::size_t walked = kMostWalked);

}  // namespace lockstep::repo
