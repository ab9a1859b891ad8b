#include "report/story/steps/nesting.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "change/names.h"
#include "report/document.h"

namespace lockstep::report {

std::string nesting_words(const change::EntityChange& entity) {
  const bool is_function = entity.kind == change::EntityKind::kFunction || entity.kind == change::EntityKind::kMethod;
  if (!is_function || !entity.before || !entity.after || entity.moved) return {};
  const std::string& was = entity.before->qualified_name;
  const std::string& is = entity.after->qualified_name;
  const auto depth = [](const std::string& name) { return std::count(name.begin(), name.end(), '.'); };
  if (depth(was) == depth(is) || change::last_part(was) != change::last_part(is)) return {};
  const std::string& nested = depth(was) > depth(is) ? was : is;
  const std::string_view holder = change::last_part(std::string_view(nested).substr(0, nested.rfind('.')));
  return fmt::format("moved {} {}", depth(was) > depth(is) ? "out of" : "into", code(holder));
}

}  // namespace lockstep::report
