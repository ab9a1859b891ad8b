#include "rules/tests/test_home.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/paths.h"
#include "base/strings.h"

namespace lockstep::rules {
namespace {

std::string_view stem_of(std::string_view path) {
  path = lockstep::name_of(path);
  return path.substr(0, path.rfind('.'));
}

/// How many components of the module's folder occur in the folder of tests, in the same order.
std::size_t shared_parts(std::string_view folder, std::string_view tests) {
  const auto wanted = split(folder, '/');
  const auto there = split(tests, '/');
  std::size_t shared = 0;
  std::size_t next = 0;
  for (const std::string_view part : wanted) {
    const auto found = std::find(there.begin() + static_cast<std::ptrdiff_t>(next), there.end(), part);
    if (found == there.end()) continue;
    next = static_cast<std::size_t>(found - there.begin()) + 1;
    ++shared;
  }
  return shared;
}

/// The folder of tests itself where it ends in what it shares with the module's folder. Else it is about something
/// beside the module: what both share, and from there on as the module's folder goes on.
std::string beside(std::string_view folder, std::string_view tests) {
  const auto wanted = split(folder, '/');
  const auto there = split(tests, '/');
  std::size_t next_wanted = 0, next_there = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto found = std::find(there.begin() + static_cast<std::ptrdiff_t>(next_there), there.end(), wanted[i]);
    if (found == there.end()) continue;
    next_there = static_cast<std::size_t>(found - there.begin()) + 1;
    next_wanted = i + 1;
  }
  if (next_there == 0 || next_there == there.size() || next_wanted == wanted.size()) return std::string(tests);
  std::vector<std::string_view> parts(there.begin(), there.begin() + static_cast<std::ptrdiff_t>(next_there));
  parts.insert(parts.end(), wanted.begin() + static_cast<std::ptrdiff_t>(next_wanted), wanted.end());
  return fmt::format("{}", fmt::join(parts, "/"));
}

}  // namespace

std::pair<std::string, bool> home_of_tests(const std::vector<std::string>& tests, const program::Module& module) {
  const std::string_view folder = folder_of(module.path);
  const std::string_view stem = module.is_package ? lockstep::name_of(folder) : stem_of(module.path);
  const std::string wanted = fmt::format("test_{}", stem);
  std::string best;
  std::size_t best_score = 0;
  std::map<std::string, std::size_t> folders;  // Test files directly in it.
  for (const std::string& path : tests) {
    if (!stem_of(path).starts_with("test_")) continue;
    ++folders[std::string(folder_of(path))];
    const bool named = stem_of(path) == wanted || stem_of(path) == wanted + "s";
    if (!named) continue;
    const std::size_t score = 1 + shared_parts(folder, folder_of(path));
    if (score > best_score) best = path, best_score = score;
  }
  if (!best.empty() && (best_score > 1 || folders.size() == 1)) return {best, true};
  std::string mirror;
  std::pair<std::size_t, std::size_t> rank{0, 0};
  for (const auto& [candidate, count] : folders) {
    const std::size_t shared = shared_parts(folder, candidate);
    // Among folders that mirror as much of it, the one that adds least of its own, then the one with most tests. Where
    // nothing is in common that is the shallowest: the deepest would be arbitrary.
    const std::size_t extra = std::min<std::size_t>(split(candidate, '/').size() - shared, 99);
    const std::pair<std::size_t, std::size_t> here{shared, (100 - extra) * 1000 + std::min<std::size_t>(count, 999)};
    if (mirror.empty() || here > rank) mirror = candidate, rank = here;
  }
  if (mirror.empty()) mirror = "tests";
  std::string home = beside(folder, mirror);
  // Beside sources no tests stand where none do yet: most of the others stand together somewhere.
  const auto parts = split(home, '/');
  const bool is_for_tests = folders.contains(home) || std::any_of(parts.begin(), parts.end(), [](std::string_view one) {
                              return one.starts_with("test") || one.ends_with("_test") || one.ends_with("_tests");
                            });
  if (!is_for_tests) {
    home = std::max_element(folders.begin(), folders.end(), [](const auto& a, const auto& b) {
             return a.second < b.second;
           })->first;
  }
  return {fmt::format("{}/{}.py", home, wanted), false};
}

}  // namespace lockstep::rules
