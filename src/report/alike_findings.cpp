#include "report/alike_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include "base/strings.h"

namespace lockstep::report {

namespace {

/// A text cut at its back-quotes: words at even places, code at odd ones.
std::vector<std::string_view> pieces_of(std::string_view text) { return split(text, '`'); }

/// The place of the only piece in which the messages differ, where that is code; 0 for others.
std::size_t only_other_code(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  if (a.size() != b.size()) return 0;
  std::size_t other = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (other != 0 || i % 2 == 0) return 0;
    other = i;
  }
  return other;
}

/// Whether the fixes are the same but for that name: one that differs in more is told by itself.
bool is_same_fix(const rules::Finding& a, const rules::Finding& b, std::string_view name, std::string_view other) {
  return replace_all(a.fix, fmt::format("`{}`", name), "`") == replace_all(b.fix, fmt::format("`{}`", other), "`");
}

auto place_and_kind(const rules::Finding& one) {
  return std::tie(one.rule, one.path, one.start_line, one.end_line, one.side, one.symbol, one.severity, one.certainty,
                  one.why);
}

/// Names for which the message of one finding holds, too, and where in it the name stands.
struct Group {
  std::size_t first = 0;  ///< Which finding.
  std::size_t piece = 0;  ///< 0: not known yet.
  std::vector<std::string> names;
};

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  return out;
}

}  // namespace

void join_alike(std::vector<rules::Finding>& findings) {
  std::vector<Group> groups;
  std::vector<bool> is_joined(findings.size(), false);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const rules::Finding& one = findings[i];
    const std::vector<std::string_view> pieces = pieces_of(one.message);
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      const rules::Finding& first = findings[known.first];
      if (one.suggestion || first.suggestion || place_and_kind(first) != place_and_kind(one)) return false;
      const std::vector<std::string_view> others = pieces_of(first.message);
      const std::size_t piece = only_other_code(others, pieces);
      return piece != 0 && (known.piece == 0 || known.piece == piece) &&
             is_same_fix(first, one, others[piece], pieces[piece]);
    });
    if (group == groups.end()) {
      groups.push_back({i, 0, {}});
      continue;
    }
    const std::vector<std::string_view> others = pieces_of(findings[group->first].message);
    group->piece = only_other_code(others, pieces);
    group->names.emplace_back(pieces[group->piece]);
    std::vector<rules::Evidence>& steps = findings[group->first].evidence;
    for (const rules::Evidence& step : one.evidence) {
      const bool is_known = std::any_of(steps.begin(), steps.end(), [&](const rules::Evidence& known) {
        return known.path == step.path && known.line == step.line && known.message == step.message;
      });
      if (!is_known) steps.push_back(step);
    }
    is_joined[i] = true;
  }
  for (const Group& group : groups) {
    if (group.names.empty()) continue;
    rules::Finding& first = findings[group.first];
    first.message += fmt::format("; the same holds for {}", listed(group.names));
  }
  std::size_t at = 0;
  std::erase_if(findings, [&](const rules::Finding&) { return is_joined[at++]; });
}

}  // namespace lockstep::report
