// All words of a snapshot's code, configuration and documents, to tell a name that exists somewhere from one that does
// not: whoever wants to say "there is no such name" asks here last. `--foo-bar` and "foo-bar" count as foo_bar too.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "repo/snapshot.h"

namespace lockstep::playbook {

class Words {
 public:
  /// Of every text file but `left_out` (the playbooks themselves) and change logs. They are read when the first
  /// question comes, on `jobs` threads: most changes raise none. `snapshot` must outlive it.
  Words(const repo::Snapshot& snapshot, std::set<std::string, std::less<>> left_out, std::size_t jobs);
  Words(Words&&) noexcept;
  Words& operator=(Words&&) noexcept;
  ~Words();

  /// Whether the identifier stands anywhere; '-' counts as '_'.
  [[nodiscard]] bool has(std::string_view word) const;
  /// Whether any word starts with `prefix`, which ends in '_' ("moe_router_").
  [[nodiscard]] bool has_prefix(std::string_view prefix) const;

 private:
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace lockstep::playbook
