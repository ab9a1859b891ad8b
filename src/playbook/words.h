// All words of a snapshot's code, configuration and documents, to tell a name that exists somewhere from one that does
// not: whoever wants to say "there is no such name" asks here last. `--foo-bar` and "foo-bar" count as foo_bar too.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "repo/snapshot.h"

namespace lockstep::playbook {

class Words {
 public:
  Words() = default;
  /// Reads every text file but `left_out` (the playbooks themselves) and change logs, on `jobs` threads.
  Words(const repo::Snapshot& snapshot, const std::set<std::string, std::less<>>& left_out, std::size_t jobs);

  /// Whether the identifier stands anywhere; '-' counts as '_'.
  [[nodiscard]] bool has(std::string_view word) const;
  /// Whether any word starts with `prefix`, which ends in '_' ("moe_router_").
  [[nodiscard]] bool has_prefix(std::string_view prefix) const;
  [[nodiscard]] std::size_t bytes_read() const { return bytes_read_; }

 private:
  std::unordered_set<std::uint64_t> hashes_;
  std::unordered_set<std::uint64_t> prefixes_;  // of each word, up to and with each '_'
  std::size_t bytes_read_ = 0;
};

}  // namespace lockstep::playbook
