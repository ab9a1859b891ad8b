#include "report/documents/content/same_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/strings.h"
#include "report/document.h"
#include "report/story/wording/changes.h"

namespace lockstep::report {

namespace {

constexpr std::string_view kWhere = " where ";
constexpr std::size_t kAllClauses = 1'000;
constexpr std::size_t kMostNamed = 8;

/// The source of the only step that comes, or that changes, on both sides; empty where more does, or where it is short.
std::string only_statement(const Actor& actor) {
  constexpr std::size_t kShortest = 24;  // Bytes.
  if (actor.change->status != change::Status::kModified || !actor.is_function() ||
      actor.steps.after_source == nullptr || actor.steps.before_source == nullptr)
    return {};
  const auto is_kept = [](const Step& step) { return step.status == StepStatus::kKept; };
  const Step* only = nullptr;
  for (const Step& step : actor.steps.after) {
    if (is_kept(step)) continue;
    if (only != nullptr || step.kind != StepKind::kPlain || step.is_moved) return {};
    only = &step;
  }
  if (only == nullptr) return {};
  const bool is_all = std::all_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& step) {
    return is_kept(step) || (only->status == StepStatus::kChanged && &step == &actor.steps.before[only->partner]);
  });
  const std::string is = without_layout(*actor.steps.after_source, only->span);
  if (!is_all || is.size() < kShortest) return {};
  if (only->status != StepStatus::kChanged) return is;
  return without_layout(*actor.steps.before_source, actor.steps.before[only->partner].span) + "\n" + is;
}

/// What the words of an actor say of its statement: behind its name and place.
std::string said_of(const std::string& words) {
  const std::size_t end = words.find("): ");
  return end == std::string::npos ? std::string() : words.substr(end);
}

}  // namespace

SameStatement same_statement(const DocumentInputs& inputs, const std::vector<const Actor*>& actors) {
  constexpr std::size_t kFewest = 3;
  std::map<std::string, std::vector<const Actor*>> alike;
  for (const Actor* actor : actors) {
    if (const std::string statement = only_statement(*actor); !statement.empty()) alike[statement].push_back(actor);
  }
  SameStatement out;
  for (auto& [statement, those] : alike) {
    if (those.size() > out.actors.size()) out.actors = those;
  }
  if (out.actors.size() < kFewest) return {};
  const std::string words = actor_words(inputs, *out.actors.front(), kAllClauses);
  const std::string said = said_of(words);
  const std::string without_where = said.substr(0, said.find(kWhere));
  if (said.empty() || contains(said, "; ")) return {};
  std::vector<std::string> same;
  std::vector<std::string> otherwise;
  std::erase_if(out.actors, [&](const Actor* actor) {
    if (actor == out.actors.front()) return false;
    const std::string other = said_of(actor_words(inputs, *actor, kAllClauses));
    const bool is_same = other == said;
    const bool is_asked_otherwise = contains(said, kWhere) && contains(other, kWhere) &&
                                    other.substr(0, other.find(kWhere)) == without_where && !contains(other, "; ");
    if (!is_same && !is_asked_otherwise) return true;
    (is_same ? same : otherwise)
        .push_back(fmt::format("{} ({})", code(short_name(inputs, *actor->change)), place_of(inputs, *actor->change)));
    return false;
  });
  if (out.actors.size() < kFewest) return {};
  const auto named = [](const std::vector<std::string>& names) {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNamed));
    std::vector<std::string> shown(names.begin(), end);
    if (names.size() > kMostNamed) shown.push_back(fmt::format("{} more", names.size() - kMostNamed));
    return join_words(shown);
  };
  out.text = words;
  if (!same.empty()) out.text += fmt::format(" The same in {}.", named(same));
  if (!otherwise.empty())
    out.text += fmt::format(" The same statement under other conditions in {}.", named(otherwise));
  return out;
}

}  // namespace lockstep::report
