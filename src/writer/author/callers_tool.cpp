#include "writer/author/callers_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "rules/signatures.h"
#include "writer/author/tool_text.h"
#include "writer/pack/callers.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;
using Kind = python::Parameter::Kind;

constexpr std::size_t kMostSites = 30;
constexpr std::size_t kMostLeftOut = 8;  // parameters of one call
constexpr std::size_t kMostValue = 60;

std::string site_text(const Program& program, const program::CallSite& site) {
  const program::Module& module = program.module_of(site.caller);
  const SourceText& source = module.facts->source();
  return fmt::format("{}:{} in {}: {}{}", module.path, source.line_of(site.node->span.begin) + 1,
                     program.functions()[site.caller].qualified_name, report::one_line(source, *site.node, 120),
                     when_text(program, site.caller, site.node->span));
}

/// What the call may give; nullopt where that cannot be told, or something else hands its arguments on.
std::optional<rules::Signature> accepted_by(const Program& program, const program::CallSite& site,
                                            FunctionId function) {
  const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == function; });
  if (target == site.targets.end() || !python::is<python::Call>(site.node)) return std::nullopt;
  if (target->kind != program::CallKind::kModuleCall && !report::gets_as_written(program, site, function))
    return std::nullopt;
  return rules::Signatures(program).of_target(site, *target);
}

// "  [leaves out a, b]"; where more than a few, their number. Empty where nothing is known.
std::string left_out_text(const Program& program, const program::CallSite& site, FunctionId function) {
  const auto signature = accepted_by(program, site, function);
  if (!signature) return {};
  const auto& call = *python::as<python::Call>(site.node);
  std::vector<std::string> names;
  std::size_t unknown = 0, all = 0;
  for (const rules::AcceptedParameter& one : signature->parameters) {
    if (!one.has_default || one.kind == Kind::kVarArgs || one.kind == Kind::kVarKeywords) continue;
    ++all;
    const auto how = rules::given_to(*signature, call, one.name).how;
    if (how == rules::Given::How::kNothing) names.emplace_back(one.name);
    unknown += how == rules::Given::How::kUnknown ? 1 : 0;
  }
  if (names.empty()) return all > 0 && unknown == 0 ? "  [gives all parameters]" : "";
  const std::size_t count = names.size();
  if (count > kMostLeftOut) names.resize(kMostLeftOut);
  return fmt::format("  [leaves out {}{}]", join(names, ", "),
                     count > names.size() ? fmt::format(" and {} more", count - names.size()) : "");
}

enum class Gives : std::uint8_t { kNothing, kUnknown, kValue };

std::pair<Gives, std::string> given_text(const Program& program, const program::CallSite& site, FunctionId function,
                                         const std::string& parameter) {
  const auto signature = accepted_by(program, site, function);
  const rules::Given given =
      signature ? rules::given_to(*signature, *python::as<python::Call>(site.node), parameter) : rules::Given();
  switch (given.how) {
    case rules::Given::How::kNothing:
      return {Gives::kNothing, fmt::format("  [leaves {} out]", parameter)};
    case rules::Given::How::kValue: {
      const SourceText& source = program.module_of(site.caller).facts->source();
      return {Gives::kValue, given.value == nullptr ? fmt::format("  [gives {}]", parameter)
                                                    : fmt::format("  [gives {}={}]", parameter,
                                                                  report::one_line(source, *given.value, kMostValue))};
    }
    case rules::Given::How::kUnknown:
      break;
  }
  return {Gives::kUnknown, fmt::format("  [not known whether it gives {}]", parameter)};
}

bool takes(const Program& program, FunctionId function, const std::string& parameter) {
  const python::FunctionDef* def = program.functions()[function].def();
  return def != nullptr && std::any_of(def->parameters->all.begin(), def->parameters->all.end(),
                                       [&](const python::Parameter* one) { return one->name.text == parameter; });
}

}  // namespace

std::string callers_text(const Program& program, FunctionId function, const std::string& parameter) {
  if (!parameter.empty() && !takes(program, function, parameter))
    return fmt::format("{} has no parameter {}", program.functions()[function].qualified_name, parameter);
  std::vector<std::pair<Gives, std::string>> lines;
  for (const program::CallId call : calls_of(program, function)) {
    const program::CallSite& site = program.calls()[call];
    if (parameter.empty()) {
      lines.emplace_back(Gives::kNothing, site_text(program, site) + left_out_text(program, site, function));
    } else {
      auto [gives, words] = given_text(program, site, function, parameter);
      lines.emplace_back(gives, site_text(program, site) + words);
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
