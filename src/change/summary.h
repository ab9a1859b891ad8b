// One changed file → what it is, and a clause that says what changed in it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "change/change.h"

namespace lockstep::change {

/// By path and name alone; the table is in file_category.cpp.
FileCategory file_category(std::string_view path);

/// `name` in back-quotes, safe to print: no control characters, no back-quotes, at most 100 bytes.
std::string quoted_name(std::string_view name);
/// "`a`, `b`, `c` and 4 more"; `names` are quoted already.
std::string list_names(const std::vector<std::string>& names, std::size_t at_most = 3);
/// "3 lines added, 1 removed"; empty where no line differs.
std::string line_counts(const repo::FileChange& file);
/// What is true of any file: "new file", "deleted", "renamed from `x`", "mode 100644 → 100755". Empty where only its
/// bytes differ.
std::string file_status(const repo::FileChange& file);

/// A Python file and the changed entities that concern it.
struct PythonFile {
  const repo::FileChange* file = nullptr;
  std::string_view before_module, after_module;  ///< Dotted names; empty on a side without the file.
  std::vector<const EntityChange*> here;         ///< Entities that stand in it (a deleted file's: that stood).
  std::vector<const EntityChange*> away;         ///< Entities that moved from it to another file.
  /// Functions whose new assertions stood in functions that go; null where that was not looked for.
  const std::set<const EntityChange*>* moved_asserts = nullptr;
};
std::string summarize_python(const PythonFile& file);
/// Whether all that differs in a Python file is from where it takes the same names, and the summary says all of it:
/// "imports `x` from `a.new` instead of `a.old`". Lines that only move or lay out imports count for nothing.
bool tells_only_imports(const FileSummary& file);
/// Of any other file: by its category, from its lines and (where `contents` has them) its bytes.
std::string summarize_other(const repo::FileChange& file, FileCategory category, const Contents& contents);

}  // namespace lockstep::change
