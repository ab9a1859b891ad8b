#include "playbook/paths.h"

#include <algorithm>

#include "base/strings.h"

namespace lockstep::playbook {

namespace {

constexpr int kMaxLinks = 16;

// "a/{b,c}.py" → "a/b.py", "a/c.py"; at most 32, braces do not nest.
std::vector<std::string> expand_braces(std::string_view glob) {
  std::vector<std::string> done, open{std::string(glob)};
  while (!open.empty() && done.size() + open.size() <= 32) {
    const std::string text = std::move(open.back());
    open.pop_back();
    const std::size_t start = text.find('{'), end = text.find('}', start == std::string::npos ? 0 : start);
    if (start == std::string::npos || end == std::string::npos) {
      done.push_back(text);
      continue;
    }
    for (const std::string_view choice : split(std::string_view(text).substr(start + 1, end - start - 1), ',')) {
      open.push_back(text.substr(0, start) + std::string(choice) + text.substr(end + 1));
    }
  }
  return done;
}

}  // namespace

Paths::Paths(const repo::Snapshot& snapshot) {
  for (const repo::FileEntry& entry : snapshot.files()) {
    if (entry.kind == repo::FileKind::symlink) {
      const Result<std::string> target = snapshot.read(entry.path);
      if (target) links_[entry.path] = repo::escape_path(*target);
    }
    if (entry.kind == repo::FileKind::submodule) {
      folders_.insert(entry.path);
    } else {
      files_.insert(entry.path);
    }
    by_name_[std::string(name_of(entry.path))].push_back(entry.path);
    for (std::string_view folder = folder_of(entry.path); !folder.empty(); folder = folder_of(folder)) {
      if (!folders_.emplace(folder).second) break;
      by_name_[std::string(name_of(folder))].push_back(std::string(folder) + "/");
    }
  }
}

std::optional<std::string> Paths::resolve(std::string_view path) const {
  std::optional<std::string> current = join_path("", path);
  for (int hops = 0; current && hops < kMaxLinks; ++hops) {
    // The first component that is a link is replaced; then all is looked at anew.
    std::size_t end = 0;
    bool replaced = false;
    while (!replaced && end != std::string::npos && !current->empty()) {
      end = current->find('/', end + 1);
      const std::string prefix = current->substr(0, end);
      const auto link = links_.find(prefix);
      if (link == links_.end()) continue;
      const std::string rest = end == std::string::npos ? std::string() : current->substr(end);
      if (link->second.starts_with('/')) return std::nullopt;
      current = join_path(folder_of(prefix), link->second + rest);
      replaced = true;
    }
    if (!replaced) return current;
  }
  return std::nullopt;
}

bool Paths::has(std::string_view path) const {
  if (has_file(path) && !links_.contains(path)) return true;
  if (has_folder(path)) return true;
  const std::optional<std::string> real = resolve(path);
  return real && (real->empty() || (has_file(*real) && !links_.contains(*real)) || has_folder(*real));
}

std::vector<std::string> Paths::ending_in(std::string_view tail) const {
  const bool folder = tail.ends_with('/');
  const std::string_view bare = folder ? tail.substr(0, tail.size() - 1) : tail;
  std::vector<std::string> result;
  const auto named = by_name_.find(name_of(bare));
  if (named == by_name_.end()) return result;
  for (const std::string& path : named->second) {
    const bool is_folder = path.ends_with('/');
    const std::string_view plain = is_folder ? std::string_view(path).substr(0, path.size() - 1) : path;
    if (folder && !is_folder) continue;
    const bool ends = plain == bare || (plain.ends_with(bare) && plain[plain.size() - bare.size() - 1] == '/');
    if (ends) result.push_back(path);
  }
  std::sort(result.begin(), result.end());
  return result;
}

bool Paths::matches(std::string_view glob) const {
  for (const std::string& one : expand_braces(glob)) {
    const std::string_view bare = one.ends_with('/') ? std::string_view(one).substr(0, one.size() - 1) : one;
    const auto hit = [&](const std::string& path) { return glob_match(bare, path); };
    if (std::any_of(files_.begin(), files_.end(), hit) || std::any_of(folders_.begin(), folders_.end(), hit)) {
      return true;
    }
  }
  return false;
}

std::string Paths::nearest(std::string_view path) const {
  const std::string_view bare = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
  const std::string_view name = name_of(bare), folder = folder_of(bare);
  // The same name elsewhere: only where that is one place.
  if (const auto same = by_name_.find(name); same != by_name_.end() && same->second.size() == 1) {
    return same->second.front();
  }
  // A name spelled nearly so in the same folder.
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 4) + 1;
  const std::string prefix = folder.empty() ? std::string() : std::string(folder) + "/";
  for (auto file = files_.lower_bound(prefix); file != files_.end() && file->starts_with(prefix); ++file) {
    if (folder_of(*file) != folder) continue;
    const std::size_t distance = edit_distance(name, name_of(*file), best_distance - 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = *file;
    }
  }
  return best;
}

}  // namespace lockstep::playbook
