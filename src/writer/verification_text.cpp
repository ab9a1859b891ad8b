#include "writer/verification_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "render/text_safety.h"

namespace lockstep::writer {

std::string problem_text(const CitationProblem& problem) {
  return fmt::format("{}: {}: '{}': {}{}{}", problem.line + 1, problem.kind,
                     render::visible_text(trim(problem.text), false), render::visible_text(problem.reason, false),
                     problem.nearest.empty() ? "" : "; nearest: ", render::visible_text(problem.nearest, false));
}

std::string verification_summary(const Verification& verification) {
  std::string out = verification.problems.size() == kMostProblems ? "There may be more than are told. " : "";
  const std::size_t count = verification.problems.size();
  return out + fmt::format("{} in {}, {} and {}.",
                           count == 0 ? "Nothing false" : count_of(count, "thing is false", "things are false"),
                           count_of(verification.places, "place"), count_of(verification.names, "name"),
                           count_of(verification.lines, "quoted line"));
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
  const Json json = {
      {"lockstep", LOCKSTEP_VERSION},
      {"document", name},
      {"held", {{"places", verification.places}, {"names", verification.names}, {"lines", verification.lines}}},
      {"problems", std::move(problems)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::writer
