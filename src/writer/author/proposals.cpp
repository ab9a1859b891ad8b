#include "writer/author/proposals.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace lockstep::writer {

namespace {

using nlohmann::json;

constexpr std::size_t kMostTextBytes = 4'000, kMostShortBytes = 1'200, kMostCodeBytes = 8'000;
constexpr std::size_t kMostProposals = 12, kMostBrief = 6;
constexpr std::size_t kMostQuestions = 5, kMostLookedInto = 5;
constexpr std::size_t kMostAlso = 6;
constexpr std::size_t kMostReplacements = 4;
constexpr std::size_t kMostJsonBytes = 200'000;
constexpr std::uint32_t kNear = 4;  // lines by which a model may be off

// The outermost object of an answer that may have words or a fence around it.
json object_in(std::string_view text) {
  const std::size_t open = text.find('{'), close = text.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      close - open > kMostJsonBytes)
    return {};
  json parsed = json::parse(text.substr(open, close + 1 - open), nullptr, /*allow_exceptions=*/false);
  return parsed.is_object() ? parsed : json{};
}

std::string text_of(const json& object, const char* key, std::size_t most = kMostTextBytes) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  const std::string text = found->get<std::string>();
  return text.size() <= most ? text : std::string();
}

std::uint32_t number_of(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(found->get<std::uint64_t>(), 100'000'000));
}

const json* list_of(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && found->is_array() ? &*found : nullptr;
}

std::optional<rules::Severity> severity_of(const json& object) {
  const std::string severity = text_of(object, "severity");
  if (severity == "P2") return rules::Severity::kP2;
  if (severity == "P3") return rules::Severity::kP3;
  if (severity == "P0") return rules::Severity::kP0;
  if (severity == "P1") return rules::Severity::kP1;
  return std::nullopt;
}

void add_judgement(const json& one, std::vector<Judgement>& judgements) {
  const std::string verdict = text_of(one, "verdict");
  Judgement judgement{number_of(one, "finding"), verdict == "demote", text_of(one, "reason")};
  if (judgement.finding > 0 && (verdict == "keep" || verdict == "demote")) judgements.push_back(std::move(judgement));
}

NamedLine line_of(const json& object) {
  return {text_of(object, "path"), number_of(object, "line"), std::string(trim(text_of(object, "quote")))};
}

Replacement replacement_of(const json& object) {
  return {number_of(object, "first"), number_of(object, "last"), text_of(object, "code", kMostCodeBytes)};
}

// One object, or several in a list: the first that holds the proposal's line is its own. A list that is too long is no
// fix, nor is a part of it.
void add_replacements(const json& one, Proposal& proposal) {
  const auto found = one.find("replacement");
  if (found == one.end()) return;
  if (found->is_object()) proposal.replacement = replacement_of(*found);
  const json* list = list_of(one, "replacement");
  if (list == nullptr || list->size() > kMostReplacements) return;
  for (const json& each : *list) {
    if (!each.is_object()) continue;
    Replacement replacement = replacement_of(each);
    std::string path = text_of(each, "path");
    if (path.empty()) path = proposal.at.path;
    const bool is_own = proposal.replacement.code.empty() && path == proposal.at.path &&
                        replacement.first <= proposal.at.line + kNear && proposal.at.line <= replacement.last + kNear;
    if (is_own)
      proposal.replacement = std::move(replacement);
    else
      proposal.more_replacements.emplace_back(std::move(path), std::move(replacement));
  }
  // Without a place of its own the first one is.
  if (proposal.replacement.code.empty()) proposal.more_replacements.clear();
}

void add_proposal(const json& one, std::vector<Proposal>& proposals) {
  if (proposals.size() == kMostProposals) return;
  Proposal proposal;
  proposal.severity = severity_of(one).value_or(rules::Severity::kP1);
  proposal.at = line_of(one);
  if (const auto cause = one.find("cause"); cause != one.end() && cause->is_object()) proposal.cause = line_of(*cause);
  if (const json* also = list_of(one, "also")) {
    for (std::size_t i = 0; i < also->size() && i < kMostAlso; ++i) {
      if ((*also)[i].is_object()) proposal.also.push_back(line_of((*also)[i]));
    }
  }
  proposal.title = text_of(one, "title");
  proposal.problem = text_of(one, "problem");
  proposal.fix = text_of(one, "fix");
  proposal.comment = text_of(one, "comment");
  add_replacements(one, proposal);
  if (const auto code = one.find("addition"); code != one.end() && code->is_object())
    proposal.addition = {text_of(*code, "path"), number_of(*code, "after"), text_of(*code, "code", kMostCodeBytes)};
  if (!proposal.title.empty() && !proposal.problem.empty()) proposals.push_back(std::move(proposal));
}

// A suggestion that is told in one line, whatever weight it has been given.
void add_brief(const json& one, std::vector<Proposal>& proposals) {
  Proposal proposal;
  proposal.at = line_of(one);
  proposal.title = text_of(one, "title", kMostShortBytes);
  proposal.is_brief = true;
  const auto count = std::count_if(proposals.begin(), proposals.end(), [](const Proposal& p) { return p.is_brief; });
  if (!proposal.title.empty() && static_cast<std::size_t>(count) < kMostBrief) proposals.push_back(std::move(proposal));
}

template <class Add>
void for_each_object(const json* list, Add&& add) {
  if (list == nullptr) return;
  for (const json& one : *list) {
    if (one.is_object()) add(one);
  }
}

std::vector<std::string> texts_in(const json* list, std::size_t most) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; list != nullptr && i < list->size() && i < most; ++i) {
    // A sentence cut in the middle may say the opposite: what is too long is left out.
    if ((*list)[i].is_string() && (*list)[i].get_ref<const std::string&>().size() <= kMostShortBytes)
      texts.push_back((*list)[i].get<std::string>());
  }
  return texts;
}

}  // namespace

std::optional<Opinion> parse_opinion(std::string_view text) {
  const json object = object_in(text);
  const json* judgements = list_of(object, "judgements");
  const json* proposals = list_of(object, "proposals");
  Opinion opinion;
  if (object.is_object()) opinion.summary = text_of(object, "summary");
  if (judgements == nullptr && proposals == nullptr && opinion.summary.empty()) return std::nullopt;
  for_each_object(judgements, [&](const json& one) { add_judgement(one, opinion.judgements); });
  for_each_object(proposals, [&](const json& one) { add_proposal(one, opinion.proposals); });
  for_each_object(list_of(object, "in_short"), [&](const json& one) { add_brief(one, opinion.proposals); });
  opinion.questions = texts_in(list_of(object, "questions"), kMostQuestions);
  opinion.looked_into = texts_in(list_of(object, "looked_into"), kMostLookedInto);
  return opinion;
}

std::optional<std::vector<Refutation>> parse_refutations(std::string_view text, std::size_t claims) {
  const json object = object_in(text);
  const json* list = list_of(object, "verdicts");
  if (list == nullptr) return std::nullopt;
  std::vector<Refutation> refutations(claims);
  for_each_object(list, [&](const json& one) {
    const std::uint32_t claim = number_of(one, "claim");
    const std::string verdict = text_of(one, "verdict");
    if (claim == 0 || claim > claims) return;
    refutations[claim - 1] = {verdict == "stands"    ? Verdict::kStands
                              : verdict == "refuted" ? Verdict::kRefuted
                                                     : Verdict::kUnsure,
                              text_of(one, "reason"), severity_of(one), text_of(one, "fix") == "fails",
                              text_of(one, "code", kMostCodeBytes)};
  });
  return refutations;
}

std::optional<std::uint32_t> place_of(const NamedLine& named, const CitedSides& sides) {
  if (named.line == 0 || named.quote.size() < 3) return std::nullopt;
  const CitedFile* file = sides.file(CitedSide::kAfter, named.path);
  if (file == nullptr) return std::nullopt;
  const std::size_t line = named.line - 1;
  const std::size_t first = line > kNear ? line - kNear : 0;
  const auto found = file->find(named.quote, first, std::min(file->lines().size(), line + kNear + 1));
  return found ? std::optional(static_cast<std::uint32_t>(*found)) : std::nullopt;
}

bool is_touched(const std::string& path, std::uint32_t line, const report::DocumentInputs& inputs) {
  const repo::FileChange* change = inputs.change->diff->find_after(path);
  return change != nullptr && (change->lines.in_hunk(line) || inputs.change->entity_at_after(path, line) != nullptr);
}

std::optional<std::uint32_t> place_of_proposal(const Proposal& proposal, const report::DocumentInputs& inputs,
                                               const CitedSides& sides) {
  const auto at = place_of(proposal.at, sides);
  if (!at || is_touched(proposal.at.path, *at, inputs)) return at;
  const auto cause = place_of(proposal.cause, sides);
  return cause && is_touched(proposal.cause.path, *cause, inputs) ? at : std::nullopt;
}

}  // namespace lockstep::writer
