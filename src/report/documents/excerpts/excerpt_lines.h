// The lines of an excerpt, made to fit: what says least about new code goes first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::report {

/// Columns before the first character that is no blank; SIZE_MAX for a blank line.
std::size_t indent_of(std::string_view line);

/// Takes off the indent that all non-blank lines share, after the first `prefix` characters.
void dedent(std::vector<std::string>& lines, std::size_t prefix);

/// Whether that many lines are shown whole where `most` are wanted: a few more are no reason to cut.
bool fits_whole(const std::vector<std::string>& lines, std::size_t most);

/// Puts "# … (3 more lines)" in the place of `count` lines from `first` on.
void fold_lines(std::vector<std::string>& lines, std::size_t first, std::size_t count);

/// Long runs of one kind lose their middle: what comes after the first lines of a table or call mostly repeats them.
/// The cut stands between whole statements, or whole elements of what the first lines open, and not right behind a
/// header, where there are such places.
std::vector<std::string> without_repetition(std::vector<std::string> lines, std::size_t most,
                                            std::string_view ellipsis);

/// The lines of one statement, at most about `most`: of more, those that end with a whole argument, "# ... (3 more
/// lines)" and the last one, which closes what the first opens.
std::vector<std::string> fit_statement(std::vector<std::string> lines, std::size_t most);

/// Long comments lose all but their first lines, and those of which the words are `quoted` (only letters and digits),
/// for the reader looks for them.
void shorten_comments(std::vector<std::string>& lines, std::string_view quoted = {});

/// A line of a difference that may have to make room.
struct DifferenceLine {
  std::string text;           ///< With its sign: "+ ", "- ", "  ".
  bool is_frame = false;      ///< The definition or branch around; it stays.
  bool is_docstring = false;  ///< Part of one.
  bool starts_step = false;   ///< A statement begins here; the others go on with one.
  bool is_header = false;     ///< Of a branch or loop.
  int depth = 0;              ///< Of that statement.
  bool tells = false;         ///< That statement calls what the change brings or alters.
  bool is_quoted = false;     ///< Of a new comment that is quoted as a reason; see mark_quoted().
};

/// Marks the lines of new comments that are `quoted`: only letters and digits.
void mark_quoted(std::vector<DifferenceLine>& lines, std::string_view quoted);

/// The lines cut to about `most`, what is left out counted in its place. First what stands around goes, then comments
/// that stand there, what stays, new comments but for what is quoted of them, messages, then long runs of what the
/// change removes, the rest of what it removes, then the ends of
/// long statements, then what stands deepest; calls of what the change brings stay longest. `keeps_beginnings`: what a
/// new block begins with stays below the line that opens it, though that takes a few lines more.
std::vector<std::string> fit_difference(const std::vector<DifferenceLine>& lines, std::size_t most,
                                        bool keeps_beginnings = true);

}  // namespace lockstep::report
