#include "writer/verification_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "render/text_safety.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostBlocksTold = 8;

}  // namespace

std::string problem_text(const CitationProblem& problem) {
  return fmt::format("{}: {}: '{}': {}{}{}", problem.line + 1, problem.kind,
                     render::visible_text(trim(problem.text), false), render::visible_text(problem.reason, false),
                     problem.nearest.empty() ? "" : "; nearest: ", render::visible_text(problem.nearest, false));
}

std::string verification_summary(const Verification& verification) {
  std::string out = verification.problems.size() == kMostProblems ? "There may be more than are told. " : "";
  const std::size_t count = verification.problems.size();
  out += fmt::format(
      "{}. Held: {}, {}, {} and {} (who calls what, defaults, counts). What sentences say beyond these, and "
      "the arrows of diagrams, was not held.",
      count == 0 ? "Nothing false" : count_of(count, "thing is false", "things are false"),
      count_of(verification.places, "place"), count_of(verification.names, "name"),
      count_of(verification.lines, "quoted line"), count_of(verification.relations, "relation"));
  if (verification.not_held.empty()) return out;
  std::size_t unknown = 0;
  std::vector<std::string> lines;
  for (const UnheldBlock& block : verification.not_held) {
    unknown += block.unknown;
    if (lines.size() < kMostBlocksTold) lines.push_back(fmt::format("{}", block.line + 1));
  }
  const std::size_t more = verification.not_held.size() - lines.size();
  return out + fmt::format(
                   " Not held: {} of code without a place, found neither in the change nor in the files named "
                   "(block{} at line {}{}).",
                   count_of(unknown, "line"), verification.not_held.size() == 1 ? "" : "s", fmt::join(lines, ", "),
                   more == 0 ? "" : fmt::format(" and {} more", more));
}

std::string verification_text(const Verification& verification, std::string_view name) {
  std::string out;
  for (const CitationProblem& problem : verification.problems)
    out += fmt::format("{}:{}\n", render::visible_text(name, false), problem_text(problem));
  return out + verification_summary(verification) + "\n";
}

std::string verification_json(const Verification& verification, std::string_view name) {
  using Json = nlohmann::ordered_json;
  Json problems = Json::array();
  for (const CitationProblem& problem : verification.problems) {
    problems.push_back({{"line", problem.line + 1},
                        {"kind", problem.kind},
                        {"text", problem.text},
                        {"reason", problem.reason},
                        {"nearest", problem.nearest.empty() ? Json(nullptr) : Json(problem.nearest)}});
  }
  Json not_held = Json::array();
  for (const UnheldBlock& block : verification.not_held)
    not_held.push_back({{"line", block.line + 1}, {"lines", block.unknown}});
  const Json json = {{"lockstep", LOCKSTEP_VERSION},
                     {"document", name},
                     {"held",
                      {{"places", verification.places},
                       {"names", verification.names},
                       {"lines", verification.lines},
                       {"relations", verification.relations}}},
                     {"not_held", std::move(not_held)},
                     {"problems", std::move(problems)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::writer
