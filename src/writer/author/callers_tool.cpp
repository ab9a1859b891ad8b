#include "writer/author/callers_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "writer/pack/call_arguments.h"
#include "writer/pack/callers.h"
#include "writer/pack/when_text.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;

constexpr std::size_t kMostSites = 30;

std::string site_text(const Program& program, const program::CallSite& site) {
  const program::Module& module = program.module_of(site.caller);
  const SourceText& source = module.facts->source();
  return fmt::format("{}:{} in {}: {}{}", module.path, source.line_of(site.node->span.begin) + 1,
                     program.functions()[site.caller].qualified_name, report::one_line(source, *site.node, 120),
                     when_text(program, site.caller, site.node->span));
}

std::string given_text(Gives gives, const std::string& value, const std::string& parameter) {
  switch (gives) {
    case Gives::kNothing:
      return fmt::format("  [leaves {} out]", parameter);
    case Gives::kValue:
      return value.empty() ? fmt::format("  [gives {}]", parameter) : fmt::format("  [gives {}={}]", parameter, value);
    case Gives::kUnknown:
      break;
  }
  return fmt::format("  [not known whether it gives {}]", parameter);
}

}  // namespace

std::string callers_text(const Program& program, FunctionId function, const std::string& parameter) {
  const python::FunctionDef* def = program.functions()[function].def();
  if (!parameter.empty() && (def == nullptr || rules::parameter_named(def, parameter) == nullptr))
    return fmt::format("{} has no parameter {}", program.functions()[function].qualified_name, parameter);
  std::vector<std::pair<Gives, std::string>> lines;
  for (const program::CallId call : calls_of(program, function)) {
    const program::CallSite& site = program.calls()[call];
    if (parameter.empty()) {
      lines.emplace_back(Gives::kNothing, site_text(program, site) + left_out_text(program, site, function));
    } else {
      const auto [gives, value] = given_to_parameter(program, site, function, parameter);
      lines.emplace_back(gives, site_text(program, site) + given_text(gives, value, parameter));
    }
  }
  if (lines.empty()) return "no call of it was found";
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> shown;
  for (auto& [gives, line] : lines) {
    if (shown.size() < kMostSites) shown.push_back(std::move(line));
  }
  const std::string more = lines.size() > shown.size()
                               ? fmt::format("\n(the first {} of {})", shown.size(), count_of(lines.size(), "call"))
                               : std::string();
  return join(shown, "\n") + more;
}

}  // namespace lockstep::writer
