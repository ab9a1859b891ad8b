#include "change/renamed_defaults.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "change/names.h"

namespace lockstep::change {

namespace {

using Names = std::map<std::string_view, std::string_view>;  // Old last name -> new one.

std::unordered_map<std::string_view, std::size_t> classes_by_name(const program::Program& program) {
  std::unordered_map<std::string_view, std::size_t> counts;
  for (const program::Class& cls : program.classes()) ++counts[cls.name];
  return counts;
}

Names renamed_classes(const program::Program& before, const program::Program& after,
                      const std::vector<EntityChange>& entities) {
  Names names;
  for (const EntityChange& entity : entities) {
    if (entity.kind != EntityKind::kClass || !entity.before || !entity.after) continue;
    const std::string_view old_name = last_part(entity.before->qualified_name);
    const std::string_view new_name = last_part(entity.after->qualified_name);
    if (old_name != new_name) names.emplace(old_name, new_name);
  }
  if (names.empty()) return names;
  const auto old_counts = classes_by_name(before);
  const auto new_counts = classes_by_name(after);
  const auto is_alone = [](const auto& counts, std::string_view name) {
    const auto found = counts.find(name);
    return found != counts.end() && found->second == 1;
  };
  std::erase_if(names,
                [&](const auto& one) { return !is_alone(old_counts, one.first) || !is_alone(new_counts, one.second); });
  return names;
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// The text with the new names of what it names, but for its strings.
std::string with_new_names(std::string_view text, const Names& names) {
  std::string out;
  char quote = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, std::max<std::size_t>(end - at, 1));
    const auto found = quote == 0 ? names.find(word) : names.end();
    out += found == names.end() ? word : found->second;
    if (word.front() == '"' || word.front() == '\'')
      quote = quote == 0 ? word.front() : quote == word.front() ? '\0' : quote;
    at += word.size();
  }
  return out;
}

}  // namespace

void mark_renamed_defaults(const program::Program& before, const program::Program& after,
                           std::vector<EntityChange>& entities) {
  const Names names = renamed_classes(before, after, entities);
  if (names.empty()) return;
  for (EntityChange& entity : entities) {
    bool any = false;
    for (Difference& one : entity.differences) {
      // Of texts that were cut nobody knows how they end.
      const bool is_whole = !is_cut(one.before) && !is_cut(one.after);
      if (one.kind != DifferenceKind::kDefaultChanged || !is_whole || with_new_names(one.before, names) != one.after)
        continue;
      one.kind = DifferenceKind::kDefaultRenamed;
      any = true;
    }
    if (any) std::ranges::stable_sort(entity.differences, {}, &Difference::kind);
  }
}

}  // namespace lockstep::change
