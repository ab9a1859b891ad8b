#include "program/flow/variables.h"

#include <algorithm>

namespace lockstep::program::flow {

Branch Variables::take_back(std::size_t mark, bool is_dead) {
  Branch branch;
  branch.is_dead = is_dead;
  for (std::size_t i = mark; i < log_.size(); ++i) branch.changes.emplace_back(log_[i].first, 0);
  std::sort(branch.changes.begin(), branch.changes.end());
  branch.changes.erase(std::unique(branch.changes.begin(), branch.changes.end()), branch.changes.end());
  for (auto& [variable, version] : branch.changes) version = all_[variable].current;
  while (log_.size() > mark) {
    all_[log_.back().first].current = log_.back().second;
    log_.pop_back();
  }
  return branch;
}

std::vector<std::pair<VariableId, Slot>> Variables::versions_since(std::size_t mark) const {
  std::vector<std::pair<VariableId, Slot>> versions(log_.begin() + static_cast<std::ptrdiff_t>(mark), log_.end());
  for (std::size_t i = mark; i < log_.size(); ++i) {
    versions.emplace_back(log_[i].first, all_[log_[i].first].current);
  }
  std::sort(versions.begin(), versions.end());
  versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
  return versions;
}

}  // namespace lockstep::program::flow
