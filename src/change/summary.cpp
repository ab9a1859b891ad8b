#include "change/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace lockstep::change {

std::string quoted_name(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      text.push_back(' ');
    } else {
      text.push_back(c == '`' ? '\'' : c);
    }
  }
  if (text.size() > kLongest) {
    text.resize(cut_at_character(text, kLongest).size());
    text += "…";
  }
  return "`" + text + "`";
}

std::string list_names(const std::vector<std::string>& names, std::size_t at_most) {
  // "and 1 more" is longer than most names.
  const std::size_t shown = names.size() <= at_most + 1 ? names.size() : at_most;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    if (i > 0) text += last ? " and " : ", ";
    text += names[i];
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string line_counts(const repo::FileChange& file) {
  const std::size_t added = file.lines.added_lines().size(), removed = file.lines.removed_lines().size();
  if (added == 0 && removed == 0) return {};
  if (removed == 0) return count_of(added, "line") + " added";
  if (added == 0) return count_of(removed, "line") + " removed";
  return fmt::format("{} added, {} removed", count_of(added, "line"), removed);
}

std::string file_status(const repo::FileChange& file) {
  std::string text;
  switch (file.kind) {
    case repo::ChangeKind::added:
      return "new file";
    case repo::ChangeKind::deleted:
      return "deleted";
    case repo::ChangeKind::renamed:
      text = "renamed from " + quoted_name(file.old_path);
      break;
    case repo::ChangeKind::modified:
    case repo::ChangeKind::mode_changed:
      break;
  }
  if (file.old_mode != file.new_mode && file.old_mode != 0 && file.new_mode != 0) {
    if (!text.empty()) text += "; ";
    text += fmt::format("mode {:06o} → {:06o}", file.old_mode, file.new_mode);
  }
  return text;
}

}  // namespace lockstep::change
