#include "report/source/check_messages.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

const Expr* message_of(const Node* node) {
  if (const auto* check = as<Assert>(node)) return check->message;
  const auto* raise = as<Raise>(node);
  const auto* call = raise == nullptr ? nullptr : as<Call>(raise->exception);
  return call == nullptr || call->arguments.empty() ? nullptr : call->arguments.front();
}

bool says_a_sentence(const Node* node, const SourceText& source) {
  constexpr std::ptrdiff_t kFewestSpaces = 4;
  const Expr* message = message_of(node);
  if (message == nullptr || (!is<JoinedStr>(message) && rules::text_of(message).empty())) return false;
  const std::string text = one_line_whole(source, *message);
  // Texts of which some are formatted and some are not would read as one or the other.
  const auto has_seam = [&](std::string_view seam) { return text.find(seam) != std::string::npos; };
  const bool starts_formatted = !text.empty() && (text.front() == 'f' || text.front() == 'F');
  if (starts_formatted ? has_seam("\" \"") || has_seam("' '") : has_seam("\" f\"") || has_seam("' f'")) return false;
  return std::count(text.begin(), text.end(), ' ') >= kFewestSpaces;
}

}  // namespace lockstep::report
