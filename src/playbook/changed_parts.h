// What holding playbooks and holding documentation against a change share: the words of lines, pages cut to some of
// their lines, and what of the findings is new. Private to this room.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/changed.h"

namespace lockstep::playbook {

using TextSet = std::set<std::string, std::less<>>;

bool in_word(char c);

// Words of three characters and more: shorter ones name nothing. Into any set of texts.
template <class Words>
void add_words(std::string_view text, Words& words) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end - at >= 3) words.emplace(text.substr(at, end - at));
    at = end + 1;
  }
}

/// The text of a file; empty where there is none, or it is binary.
std::string read(const repo::Snapshot& snapshot, const std::string& path);

/// Which pages are held, and how it is told.
enum class Family : std::uint8_t { kPlaybooks, kDocumentation };

/// Leaves of a page only what stands on the lines that are `kept`.
void keep_lines(Page& page, const std::vector<bool>& kept);

/// The text of a finding's line, without blanks around it.
std::string line_of(const rules::Finding& finding, const Playbooks& playbooks);

Ground ground_of(const repo::Snapshot& snapshot, const program::Program& program, const Playbooks& playbooks,
                 std::size_t jobs);

/// Claims of `part` of the playbooks `all` that do not hold.
std::vector<rules::Finding> claims_found(const Ground& ground, const Playbooks& all, const Playbooks& part);

/// Of `findings` on the side after, those that were not so before, as they are reported; `before` gives the pages of
/// that side and is called where there are findings.
std::vector<rules::Finding> newly_false(const ChangedInputs& inputs, std::vector<rules::Finding> findings,
                                        const Ground& ground, const Playbooks& after, Family family,
                                        const std::function<Playbooks()>& before);

}  // namespace lockstep::playbook
