// Pitfalls that the history shows: files that change together, files that are fixed again and again.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/strings.h"
#include "playbook/draft.h"
#include "program/queries.h"

namespace lockstep::playbook {

namespace {

/// Larger commits sweep over the code: what they touch has nothing to do with each other.
constexpr std::size_t kSweep = 25;
constexpr std::size_t kLeastTogether = 5;

bool is_source(const DraftInputs& inputs, std::string_view path) {
  return path.ends_with(".py") && inputs.ground.paths.has_file(path);
}

// A source and its own test change together by custom.
bool is_guessable(std::string_view a, std::string_view b) {
  const auto stem = [](std::string_view path) {
    std::string_view name = name_of(path);
    name = name.substr(0, name.rfind('.'));
    if (name.starts_with("test_")) name.remove_prefix(5);
    return std::string(name);
  };
  return stem(a) == stem(b) || (program::is_test_path(a) && program::is_test_path(b));
}

struct Together {
  std::string a, b;  // whoever changes `a` changes `b`
  std::size_t both = 0, of = 0;
};

std::vector<Together> changed_together(const DraftInputs& inputs, const std::map<std::string, std::size_t>& alone) {
  std::map<std::pair<std::string, std::string>, std::size_t> pairs;
  for (const repo::CommitPaths& commit : inputs.commits) {
    if (commit.paths.size() > kSweep) continue;
    std::vector<std::string> paths;
    for (const std::string& path : commit.paths) {
      if (is_source(inputs, path)) paths.push_back(path);
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      for (std::size_t k = i + 1; k < paths.size(); ++k) ++pairs[{paths[i], paths[k]}];
    }
  }
  std::vector<Together> found;
  for (const auto& [pair, both] : pairs) {
    if (both < kLeastTogether || is_guessable(pair.first, pair.second)) continue;
    const std::size_t first = alone.find(pair.first)->second, second = alone.find(pair.second)->second;
    // Whoever changes the rarer one.
    const bool swap = second < first;
    Together one{swap ? pair.second : pair.first, swap ? pair.first : pair.second, both, std::min(first, second)};
    if (10 * one.both >= 6 * one.of) found.push_back(std::move(one));
  }
  std::stable_sort(found.begin(), found.end(), [](const Together& x, const Together& y) { return x.both > y.both; });
  return found;
}

bool is_fix(std::string_view subject) {
  const std::string lower = to_lower(subject);
  return lower.starts_with("fix") || contains(lower, " fix") || contains(lower, "bug") || contains(lower, "[fix") ||
         contains(lower, "revert") || contains(lower, "hotfix");
}

}  // namespace

DraftSection draft_history(const DraftInputs& inputs) {
  DraftSection section{fmt::format("Seen in the last {}", count_of(inputs.commits.size(), "commit")), {}};
  std::map<std::string, std::size_t> alone, fixes;
  for (const repo::CommitPaths& commit : inputs.commits) {
    if (commit.paths.size() > kSweep) continue;
    for (const std::string& path : commit.paths) {
      if (!is_source(inputs, path)) continue;
      ++alone[path];
      if (is_fix(commit.info.subject) && !program::is_test_path(path)) ++fixes[path];
    }
  }
  std::vector<Together> together = changed_together(inputs, alone);
  if (together.size() > 2) together.resize(2);
  if (!together.empty()) {
    DraftLine line{"Changed together", {}, 66, {}};
    std::vector<std::string> parts;
    for (const Together& one : together) {
      parts.push_back(fmt::format("`{}` with `{}` ({} of the {} to the first)", one.a, one.b, one.both,
                                  count_of(one.of, "commit")));
      line.sources.push_back({one.a, 0});
    }
    line.text = fmt::format("{}.", join(parts, "; "));
    section.lines.push_back(std::move(line));
  }
  std::vector<std::pair<std::string, std::size_t>> ranked(fixes.begin(), fixes.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::erase_if(ranked, [](const auto& one) { return one.second < 3; });
  if (ranked.size() > 4) ranked.resize(4);
  if (!ranked.empty()) {
    DraftLine line{"Fixed most often", {}, 63, {}};
    std::vector<std::string> parts;
    for (const auto& [path, count] : ranked) {
      parts.push_back(fmt::format("`{}` ({}×)", path, count));
      line.sources.push_back({path, 0});
    }
    line.text = fmt::format("{}.", join(parts, ", "));
    section.lines.push_back(std::move(line));
  }
  return section;
}

}  // namespace lockstep::playbook
