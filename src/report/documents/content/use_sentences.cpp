#include "report/documents/content/use_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "report/document.h"
#include "report/documents/content/same_code.h"
#include "report/documents/correctness/unread_attributes.h"
#include "report/documents/correctness/unread_variables.h"
#include "report/source/code.h"

namespace lockstep::report {

using change::EntityChange;
using change::EntityKind;

namespace {

std::string where_called(const DocumentInputs& inputs, const LastCall& one) {
  return code(short_name(*inputs.before, one.caller));
}

}  // namespace

std::vector<std::string> use_sentences(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> out;
  std::vector<std::string> names;
  std::set<std::string> seen;
  std::size_t all_new = 0;
  for (const Actor& actor : story.actors) {
    const EntityChange& entity = *actor.change;
    const bool counts = actor.is_added() && actor.role != Role::kTest &&
                        (entity.kind == EntityKind::kFunction || entity.kind == EntityKind::kClass);
    const std::string name = short_name(inputs, entity);
    if (!counts || contains(name, ".")) continue;
    // What both branches of a `try` or an `if` define is one to the reader.
    if (!seen.insert(name).second) continue;
    ++all_new;
    if (actor.is_unnamed) names.push_back(code(name));
  }
  if (!names.empty()) {
    const std::size_t count = names.size();
    const std::string_view own = count == 1 ? "" : ", other than their own,";
    if (names.size() > kMost) names.resize(kMost - 1);
    const std::string list =
        count > kMost ? fmt::format("{} and {} more", join(names, ", "), count - names.size()) : join_words(names);
    const std::string of_many =
        count == all_new ? fmt::format("any of the {}", all_new) : fmt::format("{} of the {}", count, all_new);
    out.push_back(count > kMost
                      ? fmt::format("No Python code outside tests{} uses {} new functions and classes yet: {}.", own,
                                    of_many, list)
                      : fmt::format("No Python code outside tests{} uses the new {} yet.", own, list));
  }
  std::vector<std::string> left;
  for (const LastCall& one : story.last_calls) {
    if (left.size() < kMost) left.push_back(code(short_name(*inputs.after, one.callee)));
  }
  if (!left.empty()) {
    if (story.last_calls.size() > kMost) left.push_back(fmt::format("{} more", story.last_calls.size() - kMost));
    out.push_back(fmt::format("The change takes out the last {} of {}: no Python code outside tests uses {} any more.",
                              left.size() == 1 ? "call" : "calls", join_words(left), left.size() == 1 ? "it" : "them"));
  }
  for (std::string& unread : unread_variables(inputs, story)) out.push_back(std::move(unread));
  for (std::string& unread : unread_attributes(inputs, story)) out.push_back(std::move(unread));
  for (std::string& copies : same_code_sentences(inputs, story)) out.push_back(std::move(copies));
  return out;
}

std::string use_of_actor(const DocumentInputs& inputs, const Story& story, const Actor& actor) {
  const std::string name = code(short_name(inputs, *actor.change));
  if (actor.is_unnamed) return fmt::format("No way leads to {} yet: no Python code outside tests uses it.", name);
  if (!actor.loses_last_call) return {};
  const auto found = std::find_if(story.last_calls.begin(), story.last_calls.end(), [&](const LastCall& one) {
    return actor.change->after && one.callee == actor.change->after->function;
  });
  if (found == story.last_calls.end()) return {};
  return fmt::format("No way leads to {} any more: the change takes out its last call, in {}.", name,
                     where_called(inputs, *found));
}

}  // namespace lockstep::report
