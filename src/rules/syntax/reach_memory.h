// A search over a graph that many ask about the same nodes: whether one that does something can be reached. Each node
// is looked at once, whatever the answers are. Knows no rule.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace lockstep::rules {

template <class Node>
class ReachMemory {
 public:
  /// True if `first`, or a node to which steps lead from there, does it. `look(node, next)` tells whether a node does,
  /// and adds to `next` those to which it leads.
  template <class Look>
  bool reaches(const Node& first, Look&& look) {
    if (const auto known = known_.find(first); known != known_.end()) return known->second;
    std::map<Node, std::vector<Node>> came_from;
    std::vector<Node> found{first};
    std::vector<Node> does;
    known_.emplace(first, false);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Node node = found[i];
      std::vector<Node> next;
      if (look(node, next)) does.push_back(node);
      for (const Node& each : next) {
        const auto [known, is_new] = known_.try_emplace(each, false);
        if (is_new) found.push_back(each);
        if (known->second) does.push_back(node);
        came_from[each].push_back(node);
      }
    }
    // Back along the steps from those that do.
    while (!does.empty()) {
      const Node node = does.back();
      does.pop_back();
      if (std::exchange(known_[node], true)) continue;
      if (const auto before = came_from.find(node); before != came_from.end())
        does.insert(does.end(), before->second.begin(), before->second.end());
    }
    return known_[first];
  }

 private:
  std::map<Node, bool> known_;
};

}  // namespace lockstep::rules
