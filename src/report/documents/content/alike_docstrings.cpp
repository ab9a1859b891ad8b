#include "report/documents/content/alike_docstrings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/wording/changes.h"

namespace lockstep::report {

namespace {

constexpr std::size_t kFewestFunctions = 3;
constexpr std::size_t kFewestWords = 4;  // That they end in.
constexpr std::size_t kMostWidth = 160;  // Bytes of a docstring's first sentence.

struct Described {
  const Actor* actor = nullptr;
  std::string sentence;
};

using Group = std::vector<Described>;

/// The last `count` words of the sentence; empty where it has fewer.
std::string_view tail_of(const Described& one, std::size_t count) {
  const std::string_view sentence = one.sentence;
  std::size_t begin = sentence.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (begin == 0 || begin == std::string_view::npos) return {};
    const std::size_t space = begin < 2 ? std::string_view::npos : sentence.rfind(' ', begin - 2);
    begin = space == std::string_view::npos ? 0 : space + 1;
  }
  return sentence.substr(begin);
}

/// The words that all of them end in.
std::string_view shared_tail(const Group& group) {
  std::string_view out = tail_of(group.front(), kFewestWords);
  for (std::size_t count = kFewestWords + 1;; ++count) {
    const std::string_view tail = tail_of(group.front(), count);
    if (tail.empty() ||
        !std::all_of(group.begin(), group.end(), [&](const Described& one) { return tail_of(one, count) == tail; }))
      return out;
    out = tail;
  }
}

/// Whether all that is told of the function is its docstring's first sentence.
bool says_nothing_else(const DocumentInputs& inputs, const Actor& actor, const std::string& sentence) {
  constexpr std::size_t kAllClauses = 1'000;
  return actor.followed.empty() &&
         actor_words(inputs, actor, kAllClauses).ends_with(fmt::format("): \u201c{}\u201d", from_backquotes(sentence)));
}

std::string words_of(const DocumentInputs& inputs, const Group& group) {
  const change::EntityChange& first = *group.front().actor->change;
  const bool is_method = first.kind == change::EntityKind::kMethod;
  const std::string_view tail = shared_tail(group);
  const bool is_whole =
      std::all_of(group.begin(), group.end(), [&](const Described& one) { return one.sentence == tail; });
  std::vector<std::string> names;
  for (const Described& one : group) {
    const std::string_view own = trim(std::string_view(one.sentence).substr(0, one.sentence.size() - tail.size()));
    const std::string name = code(change::last_part(one.actor->change->after->qualified_name));
    names.push_back(own.empty() ? name : fmt::format("{} (\u201c{} \u2026\u201d)", name, from_backquotes(own)));
  }
  const std::string short_first = short_name(inputs, first);
  const std::string holder =
      is_method ? fmt::format("{} ({})", code(short_first.substr(0, short_first.rfind('.'))), place_of(inputs, first))
                : place(first.after->path);
  return fmt::format("{} new {} of {}, each \u201c{}{}\u201d: {}.", group.size(), is_method ? "methods" : "functions",
                     holder, is_whole ? "" : "\u2026 ", from_backquotes(tail), join_words(names));
}

}  // namespace

std::vector<AlikeDocstrings> alike_docstrings(const DocumentInputs& inputs, const std::vector<const Actor*>& actors) {
  std::map<std::pair<std::string, std::string>, Group> groups;  // By holder and last words.
  for (const Actor* actor : actors) {
    if (!actor->is_added() || !actor->is_function() || actor->is_unnamed || !actor->change->after) continue;
    Described one{actor, docstring_sentence(actor->change->after->node, kMostWidth)};
    std::string tail(tail_of(one, kFewestWords));
    if (tail.empty() || contains(one.sentence, "\u2026")) continue;
    const std::string& name = actor->change->after->qualified_name;
    groups[{name.substr(0, name.rfind('.')), std::move(tail)}].push_back(std::move(one));
  }
  std::vector<AlikeDocstrings> out;
  for (auto& [key, group] : groups) {
    if (group.size() < kFewestFunctions) continue;
    std::erase_if(group, [&](const Described& one) { return !says_nothing_else(inputs, *one.actor, one.sentence); });
    if (group.size() < kFewestFunctions) continue;
    AlikeDocstrings told{words_of(inputs, group), {}};
    for (const Described& one : group) told.actors.push_back(one.actor);
    out.push_back(std::move(told));
  }
  return out;
}

}  // namespace lockstep::report
