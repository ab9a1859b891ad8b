#include "report/documents/areas.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "change/summary.h"
#include "report/documents/file_parts.h"
#include "report/story/wording/changes.h"
#include "report/story/wording/status.h"

namespace lockstep::report {

using change::FileCategory;
using change::FileSummary;

namespace {

constexpr std::size_t kManyFiles = 15;
constexpr std::size_t kMostAreas = 9;

struct Area {
  std::string folder;
  std::vector<const FileSummary*> files;
  std::vector<const Actor*> actors;  ///< By weight.
  double weight = 0;
  bool is_test = true;
  std::size_t lines_added = 0;
  std::size_t lines_removed = 0;
};

/// The first `depth` folders of a path, with a slash at the end; empty for files at the root.
std::string folder_of(std::string_view path, std::size_t depth) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < depth; ++i) {
    const std::size_t slash = path.find('/', end);
    if (slash == std::string_view::npos) break;
    end = slash + 1;
  }
  return std::string(path.substr(0, end));
}

/// The deepest cut of the paths that gives few enough folders.
std::size_t depth_of(const DocumentInputs& inputs) {
  for (std::size_t depth = 8; depth > 1; --depth) {
    std::map<std::string, int> folders;
    for (const FileSummary& file : inputs.change->files) ++folders[folder_of(file.file->path(), depth)];
    if (folders.size() <= kMostAreas) return depth;
  }
  return 1;
}

/// The folder of each file at the deepest cut, and below that: what holds more than half of the lines of code is cut
/// further, as long as there are few enough folders.
class Cut {
 public:
  explicit Cut(const DocumentInputs& inputs) : depth_(depth_of(inputs)) {
    for (;;) {
      std::map<std::string, std::size_t> lines;
      std::set<std::string> all;
      std::size_t sum = 0;
      for (const FileSummary& file : inputs.change->files) {
        const std::string folder = of(file.file->path());
        all.insert(folder);
        if (file.category == FileCategory::kTest || !file.is_python) continue;
        lines[folder] += file.lines_added + file.lines_removed;
        sum += file.lines_added + file.lines_removed;
      }
      const auto most = std::max_element(lines.begin(), lines.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most == lines.end() || 2 * most->second <= sum) return;
      std::set<std::string> parts;
      for (const FileSummary& file : inputs.change->files) {
        if (of(file.file->path()) == most->first) parts.insert(folder_of(file.file->path(), levels(most->first) + 1));
      }
      if (parts.size() < 2 || all.size() + parts.size() - 1 > kMostAreas + kMoreAreas) return;
      cut_.insert(most->first);
    }
  }

  [[nodiscard]] std::string of(std::string_view path) const {
    std::string out = folder_of(path, depth_);
    while (cut_.contains(out)) {
      std::string deeper = folder_of(path, levels(out) + 1);
      if (deeper == out) break;
      out = std::move(deeper);
    }
    return out;
  }

 private:
  static constexpr std::size_t kMoreAreas = 3;

  static std::size_t levels(const std::string& folder) {
    return static_cast<std::size_t>(std::count(folder.begin(), folder.end(), '/'));
  }

  std::size_t depth_;
  std::set<std::string> cut_;
};

std::vector<Area> areas_of(const DocumentInputs& inputs, const Story& story) {
  const Cut cut(inputs);
  std::map<std::string, Area> by_folder;
  for (const FileSummary* file : files_in_order(inputs)) {
    Area& area = by_folder[cut.of(file->file->path())];
    area.files.push_back(file);
    area.lines_added += file->lines_added;
    area.lines_removed += file->lines_removed;
    area.is_test = area.is_test && file->category == FileCategory::kTest;
  }
  for (const Actor& actor : story.actors) {
    if (actor.is_bare_module() || actor.role == Role::kCosmetic) continue;
    const auto at = by_folder.find(cut.of(actor.change->latest().path));
    if (at == by_folder.end()) continue;
    at->second.actors.push_back(&actor);
    if (actor.role != Role::kTest) at->second.weight += actor.weight;
  }
  std::vector<Area> out;
  for (auto& [folder, area] : by_folder) {
    area.folder = folder;
    out.push_back(std::move(area));
  }
  std::stable_sort(out.begin(), out.end(), [](const Area& a, const Area& b) {
    return std::make_tuple(a.is_test, -a.weight, b.lines_added + b.lines_removed) <
           std::make_tuple(b.is_test, -b.weight, a.lines_added + a.lines_removed);
  });
  return out;
}

/// Whether items that were told before have one of the definition.
bool is_told(const DocumentInputs& inputs, const Actor& actor, const std::vector<std::string>& told) {
  const std::string head = code(short_name(inputs, *actor.change)) + " (";
  return std::any_of(told.begin(), told.end(), [&](const std::string& item) { return contains(item, head); });
}

/// What the heaviest definitions of the area do, each in the words of one line, below the area's own; then names.
/// `told`: items of which no definition is told again.
std::string with_actors(const DocumentInputs& inputs, const Area& area, std::string head, std::size_t most_told,
                        const std::vector<std::string>& told) {
  constexpr std::size_t kMostNames = 3;
  constexpr std::size_t kLongest = 400;  // Bytes of marked text.
  std::vector<std::string> lines;
  std::vector<std::string> names;
  std::size_t rest = 0;
  for (const Actor* actor : area.actors) {
    if (is_told(inputs, *actor, told)) continue;
    std::string words = lines.size() < most_told ? actor_words(inputs, *actor, 1) : std::string();
    const bool says_more = contains(words, "): ") && (lines.empty() || words.size() <= kLongest);
    if (says_more) {
      if (lines.empty()) words += followed_words(*actor, 1);
      lines.push_back(std::move(words));
    } else if (names.size() < kMostNames) {
      names.push_back(
          fmt::format("{} ({})", code(short_name(inputs, *actor->change)), status_with_origin(inputs, *actor->change)));
    } else {
      ++rest;
    }
  }
  if (rest > 0) names.push_back(count_of(rest, "more definition"));
  if (lines.empty())
    return head + (names.empty() ? std::string("what is told above.") : fmt::format("{}.", join_words(names)));
  if (lines.size() == 1) {
    head += lines.front();
    return names.empty() ? head : fmt::format("{} Also {}.", head, join_words(names));
  }
  head.pop_back();  // The blank behind the colon.
  for (const std::string& line : lines) head = with_below(std::move(head), line);
  return names.empty() ? head : with_below(std::move(head), fmt::format("Also {}.", join_words(names)));
}

}  // namespace

std::vector<AlikeFiles> alike(const std::vector<const FileSummary*>& files) {
  std::vector<AlikeFiles> out;
  std::map<std::pair<int, std::string>, std::size_t> known;
  for (const FileSummary* file : files) {
    // Python files are told by their definitions, but for those in which only imports differ.
    const auto key = std::make_pair(static_cast<int>(file->file->kind), file->summary);
    const bool tells_all = !file->is_python || change::tells_only_imports(*file);
    const auto at = tells_all ? known.find(key) : known.end();
    if (at == known.end()) {
      if (tells_all) known[key] = out.size();
      out.push_back({{file}, file->lines_added, file->lines_removed});
      continue;
    }
    AlikeFiles& group = out[at->second];
    group.files.push_back(file);
    group.lines_added += file->lines_added;
    group.lines_removed += file->lines_removed;
  }
  return out;
}

std::string alike_names(const AlikeFiles& group, std::size_t most) {
  std::vector<std::string> names;
  const std::size_t shown = group.files.size() <= most + 1 ? group.files.size() : most;
  for (std::size_t i = 0; i < shown; ++i) names.push_back(place(group.files[i]->file->path()));
  if (group.files.size() > shown) names.push_back(count_of(group.files.size() - shown, "more file"));
  return join_words(names);
}

std::vector<AlikeFiles> largest_first(std::vector<AlikeFiles> groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const AlikeFiles& a, const AlikeFiles& b) { return a.files.size() > b.files.size(); });
  return groups;
}

std::vector<std::string> alike_items(const std::vector<const FileSummary*>& files, std::size_t most) {
  std::vector<std::string> items;
  std::size_t left = files.size();
  for (const AlikeFiles& group : largest_first(alike(files))) {
    if (items.size() == most) {
      items.push_back(fmt::format("and {}.", count_of(left, "more file")));
      break;
    }
    left -= group.files.size();
    const FileSummary& first = *group.files.front();
    // Files of Python code are what a reader looks for, each of them.
    constexpr std::size_t kMostSources = 9;
    items.push_back(fmt::format("{} ({}, +{} \u2212{}): {}", alike_names(group, first.is_python ? kMostSources : 3),
                                kind_word(*first.file), group.lines_added, group.lines_removed,
                                as_sentence(from_backquotes(first.summary))));
  }
  return items;
}

bool is_told_in_parts(const DocumentInputs& inputs) { return inputs.change->files.size() > kManyFiles; }

std::vector<std::string> part_items(const DocumentInputs& inputs, const Story& story, std::size_t most,
                                    std::size_t in_short, const std::vector<std::string>& told) {
  std::vector<std::string> items;
  const std::vector<Area> areas = areas_of(inputs, story);
  if (areas.size() == 1 && areas.front().actors.empty()) return alike_items(areas.front().files, most);
  for (std::size_t i = 0; i < areas.size(); ++i) {
    const Area& area = areas[i];
    if (items.size() == most) {
      items.push_back(fmt::format("{}.", capitalised(count_of(areas.size() - i, "more part"))));
      break;
    }
    const std::string name = area.folder.empty() ? std::string("The root folder") : code(area.folder);
    std::string head = fmt::format("{} ({}, +{} \u2212{}): ", name, count_of(area.files.size(), "file"),
                                   area.lines_added, area.lines_removed);
    // The weightiest part has the most to tell, and tests are told at the end.
    constexpr std::size_t kMostOfOthers = 2;
    if (!area.actors.empty()) {
      const std::size_t most_lines = std::max<std::size_t>(in_short, 1);
      const std::size_t lines = area.is_test ? 1 : items.empty() ? most_lines : std::min(kMostOfOthers, most_lines);
      items.push_back(with_actors(inputs, area, std::move(head), lines, told));
    } else {
      std::vector<std::pair<std::string, std::size_t>> found;  // What is said, of how many files.
      bool are_all = true;
      for (const AlikeFiles& group : largest_first(alike(area.files))) {
        const std::string& summary = group.files.front()->summary;
        const auto known =
            std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.first == summary; });
        if (known != found.end()) {
          known->second += group.files.size();
        } else if (found.size() < 2) {
          found.emplace_back(summary, group.files.size());
        } else {
          are_all = false;
        }
      }
      std::vector<std::string> said;
      for (const auto& [summary, count] : found)
        said.push_back(from_backquotes(summary) + (count > 1 ? fmt::format(" (in {} files)", count) : ""));
      if (!are_all) said.push_back("and other changes");
      items.push_back(head + as_sentence(capitalised(join(said, "; "))));
    }
  }
  return items;
}

}  // namespace lockstep::report
