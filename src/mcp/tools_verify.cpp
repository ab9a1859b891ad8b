// verify_references: what in a text is not true of the code.
#include <fmt/format.h>

#include "base/hash.h"
#include "base/strings.h"
#include "mcp/tools.h"
#include "writer/verification_text.h"

namespace lockstep::mcp {

Result<Answer> verify_references(const ToolContext& context) {
  const bool is_of_change = context.arguments.has("change");
  const Result<const writer::CitedSides*> sides =
      is_of_change ? context.workspace.cited(context.arguments.text("change"), context.progress)
                   : context.workspace.cited(context.progress);
  if (!sides) return tl::unexpected<Error>(sides.error());
  const writer::Verification verification = writer::verify_document(context.arguments.text("text"), **sides);
  (*sides)->forget_files();
  Answer answer;
  for (const writer::CitationProblem& problem : verification.problems)
    answer.items.push_back(fmt::format("line {}", writer::problem_text(problem)));
  answer.head = writer::verification_summary(verification);
  // A cursor is good while the text has the same problems: the code may change elsewhere.
  answer.version = fmt::format("{:016x}", hash64(fmt::format("{}", fmt::join(answer.items, "\n"))));
  return answer;
}

}  // namespace lockstep::mcp
