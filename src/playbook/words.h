// All words of a snapshot's code, configuration and documents, to tell a name that exists somewhere from one that does
// not: whoever wants to say "there is no such name" asks here last. `--foo-bar` and "foo-bar" count as foo_bar too.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "repo/snapshot.h"

namespace lockstep::playbook {

class Words {
 public:
  /// Of every text file but `left_out` (the playbooks themselves) and change logs. They are read when the first
  /// question comes, on `jobs` threads: most changes raise none. `snapshot` must outlive it.
  /// `program` is the snapshot's: its modules are not read again.
  Words(const repo::Snapshot& snapshot, const program::Program& program, std::set<std::string, std::less<>> left_out,
        std::size_t jobs);
  /// The words of a snapshot of which `newer` is the next one: what that one lacks can stand only in the files that
  /// `differ` (paths of this snapshot), so that the others need not be read. `newer` must outlive it.
  void follow(const Words& newer, const std::set<std::string, std::less<>>& differ);
  Words(Words&&) noexcept;
  Words& operator=(Words&&) noexcept;
  ~Words();

  /// Whether the identifier stands anywhere; '-' counts as '_'.
  [[nodiscard]] bool has(std::string_view word) const;
  /// Whether any word starts with `prefix`, which ends in '_' ("moe_router_").
  [[nodiscard]] bool has_prefix(std::string_view prefix) const;

 private:
  struct Index;
  template <typename Question>
  [[nodiscard]] bool ask(const Question& question) const;
  std::unique_ptr<Index> index_;    // of all files
  std::unique_ptr<Index> differs_;  // of those that `newer_` lacks or has otherwise; null: there is no newer one
  const Words* newer_ = nullptr;
};

}  // namespace lockstep::playbook
