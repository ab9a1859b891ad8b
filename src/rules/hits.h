// Findings with what identifies them on both sides of a change, and which of them a change introduces. Used by the
// rules that look at both sides; knows no rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/finding.h"
#include "rules/place.h"
#include "rules/syntax/statement_index.h"

namespace lockstep::rules {

/// A place whose statement (of one with a body only its head, of a parameter only this) identifies a hit too: layout,
/// quotes and comments do not count. The statement is looked up where two sides are compared, and nowhere else.
struct StatementPlace {
  const python::FileFacts* facts = nullptr;  ///< Null: no statement belongs to the key.
  std::uint32_t at = 0;
};

/// The place of `span.begin`.
StatementPlace statement_of(const program::Program& program, program::ModuleId module, Span span);

/// A finding and what identifies it across the two sides of a change (never a path or a line number): a key, and the
/// statement of a place.
struct Hit {
  std::string key;
  Finding finding;
  StatementPlace place{};
};

/// The keys of statements. What is found out of a file is kept, so that many hits of one file, or of one long
/// statement, cost little more than one.
class StatementKeys {
 public:
  [[nodiscard]] const std::string& of(StatementPlace place);

 private:
  struct File {
    StatementIndex statements;
    std::unordered_map<const python::Node*, std::string> keys{};
    std::unordered_map<std::uint32_t, std::string> lines{};  ///< Of places in no statement, by line.
  };
  std::unordered_map<const python::FileFacts*, File> files_;
};

/// How many hits of one side excuse those of the other, by key and by the name of the entity that holds them.
class Excuses {
 public:
  void add(const std::string& key, std::string_view symbol);
  /// Takes one with this key in this entity, or in any; false where none is left.
  bool take(const std::string& key, std::string_view symbol);
  bool take(const std::string& key);

 private:
  struct Left {
    std::size_t all = 0;
    std::unordered_map<std::string_view, std::size_t> by_symbol;
  };
  std::unordered_map<std::string, Left> left_;
};

/// The whole keys of hits: any type with `key`, `finding` and `place`.
template <class AnyHit>
std::vector<std::string> whole_keys(const std::vector<AnyHit>& hits, StatementKeys& statements) {
  std::vector<std::string> keys;
  keys.reserve(hits.size());
  for (const AnyHit& hit : hits)
    keys.push_back(hit.place.facts == nullptr ? hit.key : hit.key + "\n" + statements.of(hit.place));
  return keys;
}

/// The hits of `after` that have no counterpart with the same key in `before`. Each counterpart excuses one, first of
/// all the one in the entity of the same name.
template <class AnyHit>
std::vector<AnyHit> introduced_hits(std::vector<AnyHit> after, const std::vector<AnyHit>& before) {
  StatementKeys statements;
  Excuses excuses;
  const std::vector<std::string> keys_before = whole_keys(before, statements);
  for (std::size_t i = 0; i < before.size(); ++i) excuses.add(keys_before[i], before[i].finding.symbol);
  const std::vector<std::string> keys = whole_keys(after, statements);
  std::vector<bool> is_excused(after.size());
  for (std::size_t i = 0; i < after.size(); ++i) is_excused[i] = excuses.take(keys[i], after[i].finding.symbol);
  for (std::size_t i = 0; i < after.size(); ++i) is_excused[i] = is_excused[i] || excuses.take(keys[i]);
  std::vector<AnyHit> left;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!is_excused[i]) left.push_back(std::move(after[i]));
  }
  return left;
}

/// The same, of the findings alone.
std::vector<Finding> introduced(std::vector<Hit> after, const std::vector<Hit>& before);

}  // namespace lockstep::rules
