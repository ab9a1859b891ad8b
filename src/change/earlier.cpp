#include "change/earlier.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::change {

using program::FunctionId;

EarlierFunctions::EarlierFunctions(const Change& change) : change_(change) {
  for (const EntityChange& entity : change.entities) {
    if (!entity.after) continue;
    if (entity.after->function.valid())
      changed_[entity.after->function] = entity.before ? entity.before->function : FunctionId();
    if (entity.before && entity.before->qualified_name != entity.after->qualified_name)
      renamed_[entity.after->qualified_name] = entity.before->qualified_name;
  }
}

FunctionId EarlierFunctions::of(FunctionId function) const {
  if (const auto known = changed_.find(function); known != changed_.end()) return known->second;
  const std::string& name = change_.after->functions()[function].qualified_name;
  // What holds it may have had another name: the innermost one says so.
  for (std::size_t end = name.rfind('.'); end != std::string::npos && end > 0; end = name.rfind('.', end - 1)) {
    const auto outer = renamed_.find(std::string_view(name).substr(0, end));
    if (outer != renamed_.end()) return change_.before->find_function(outer->second + name.substr(end));
  }
  return change_.before->find_function(name);
}

repo::Snapshot files_before(const repo::Snapshot& after, const Change& change) {
  std::vector<repo::FileEntry> files = after.files();
  std::set<std::string_view> added;
  for (const repo::FileChange& file : change.diff->files) {
    if (file.old_path == file.new_path) continue;
    if (!file.new_path.empty()) added.insert(file.new_path);
  }
  std::erase_if(files, [&](const repo::FileEntry& one) { return added.contains(one.path); });
  for (const repo::FileChange& file : change.diff->files) {
    if (file.old_path != file.new_path && !file.old_path.empty())
      files.push_back({file.old_path, {}, 0, file.file_kind, file.old_mode});
  }
  return repo::Snapshot(std::move(files), nullptr);
}

}  // namespace lockstep::change
