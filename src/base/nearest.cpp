#include "base/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace lockstep {

namespace {

char folded(char letter) {
  if (letter == '-') return '_';
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool starts_alike(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) { return folded(a) == folded(b); });
}

bool holds(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return folded(a) == folded(b); }) != text.end();
}

/// The mistakes, or what stands for them where `candidate` begins with `wanted` or holds it; above the limit for none.
std::size_t distance_of(std::string_view wanted, std::string_view candidate) {
  constexpr std::size_t kShortest = 3;  // Of what is found in other names.
  const std::size_t limit = typing_limit(wanted);
  const std::size_t distance = typing_distance(wanted, candidate, limit);
  if (distance <= 1 || wanted.size() < kShortest) return distance;
  if (starts_alike(candidate, wanted)) return 1;
  if (wanted.size() > kShortest && holds(candidate, wanted)) return std::min(distance, limit);
  return distance;
}

/// The last part of a path and what stands before it.
std::pair<std::string_view, std::string_view> split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {{}, path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

std::size_t typing_limit(std::string_view wanted) {
  constexpr std::size_t kLong = 5;
  return std::max<std::size_t>(wanted.size() >= kLong ? 2 : 1, wanted.size() / 3);
}

std::size_t typing_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > limit) return limit + 1;
  std::vector<std::size_t> older(a.size() + 1), last(a.size() + 1), row(a.size() + 1);
  for (std::size_t i = 0; i <= a.size(); ++i) last[i] = i;
  for (std::size_t j = 1; j <= b.size(); ++j) {
    std::size_t best = row[0] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      const bool is_same = folded(a[i - 1]) == folded(b[j - 1]);
      row[i] = std::min({last[i] + 1, row[i - 1] + 1, last[i - 1] + (is_same ? 0 : 1)});
      const bool is_exchange =
          i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]);
      if (is_exchange) row[i] = std::min(row[i], older[i - 2] + 1);
      best = std::min(best, row[i]);
    }
    if (best > limit) return limit + 1;
    std::swap(older, last);
    std::swap(last, row);
  }
  return last[a.size()];
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string_view> candidates,
                                       std::size_t most) {
  const std::size_t limit = typing_limit(wanted);
  std::set<std::pair<std::size_t, std::string_view>> near;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = distance_of(wanted, candidate);
    if (distance <= limit) near.emplace(distance, candidate);
  }
  std::vector<std::string> out;
  for (const auto& [distance, name] : near) {
    // Beside one with fewer mistakes the others are not meant.
    if (out.size() < most && distance <= near.begin()->first + 1) out.emplace_back(name);
  }
  return out;
}

std::vector<std::string> nearest_paths(std::string_view wanted, std::span<const std::string_view> paths,
                                       std::size_t most) {
  constexpr std::size_t kFarFolders = 30;  // Edits beyond which folders tell nothing.
  while (wanted.ends_with('/')) wanted.remove_suffix(1);
  const auto [wanted_folder, wanted_name] = split_path(wanted);
  if (wanted_name.empty()) return {};
  const std::size_t limit = typing_limit(wanted_name);
  std::set<std::tuple<std::size_t, std::size_t, std::string_view>> near;
  const auto offer = [&](std::string_view path) {
    const auto [folder, name] = split_path(path);
    const std::size_t distance = distance_of(wanted_name, name);
    if (distance <= limit) near.emplace(distance, typing_distance(wanted_folder, folder, kFarFolders), path);
  };
  std::set<std::string_view> folders;
  for (const std::string_view path : paths) {
    offer(path);
    for (std::string_view folder = split_path(path).first; !folder.empty(); folder = split_path(folder).first) {
      if (!folders.insert(folder).second) break;
      offer(folder);
    }
  }
  std::vector<std::string> out;
  for (const auto& [distance, far, path] : near) {
    if (out.size() < most && distance <= std::get<0>(*near.begin()) + 1) out.emplace_back(path);
  }
  return out;
}

std::string did_you_mean(std::span<const std::string> names) {
  if (names.empty()) return {};
  std::string listed;
  for (std::size_t i = 0; i < names.size(); ++i)
    listed += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  return fmt::format("did you mean {}?", listed);
}

std::string did_you_mean_or(std::span<const std::string> names, std::string_view otherwise) {
  return names.empty() ? std::string(otherwise) : did_you_mean(names);
}

}  // namespace lockstep
