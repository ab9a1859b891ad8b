#include "report/author/named_commits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

namespace {

/// "`1a2b3c4d5e` “Title” (2026-01-28)"
std::string shown(const repo::NamedCommit& one) {
  constexpr std::size_t kIdLength = 10;
  constexpr std::size_t kDateLength = 10;
  return fmt::format("{} \u201c{}\u201d ({})", code(one.info.id.substr(0, kIdLength)), own_words(one.info.subject),
                     one.info.date.substr(0, kDateLength));
}

/// ", line for line", or where it is otherwise.
std::string how_far(const repo::NamedCommit& one) {
  constexpr std::size_t kMost = 3;
  if (one.differing.empty()) return ", line for line";
  std::vector<std::string> names;
  for (const std::string& path : one.differing) {
    if (names.size() < kMost || one.differing.size() == kMost + 1) names.push_back(code(path));
  }
  if (names.size() < one.differing.size())
    names.push_back(fmt::format("{} more files", one.differing.size() - names.size()));
  return fmt::format("; lines differ in {}", join_words(names));
}

}  // namespace

std::vector<std::string> named_commit_sentences(const std::vector<repo::NamedCommit>& named) {
  std::vector<std::string> out;
  for (const repo::NamedCommit& one : named) {
    const std::string_view does =
        one.relation == repo::NamedCommit::Relation::kOpposite ? "takes back" : "brings again";
    if (one.is_through_last)
      out.push_back(fmt::format("That one names {}, which the change {}{}.", shown(one), does, how_far(one)));
    else if (one.relation == repo::NamedCommit::Relation::kOther)
      out.push_back(fmt::format(
          "The message names {}; fewer than half of the lines of that commit come or go again here.", shown(one)));
    else
      out.push_back(fmt::format("The change {} {}{}.", does, shown(one), how_far(one)));
  }
  return out;
}

bool begins_why(const Block& block) {
  const auto* heading = std::get_if<Heading>(&block.value);
  if (heading == nullptr) return false;
  const std::string text = text_of(heading->text);
  return text == "Why" || text == "3.1 Problem Background";
}

void tell_named_commits(const std::vector<repo::NamedCommit>& named, Document& document) {
  if (named.empty()) return;
  const auto at = std::find_if(document.blocks.begin(), document.blocks.end(), begins_why);
  if (at == document.blocks.end()) return;
  Document told;
  told.paragraph(join(named_commit_sentences(named), " "));
  document.blocks.insert(at + 1, std::move(told.blocks.front()));
}

}  // namespace lockstep::report
