#include "writer/pack/call_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "rules/calls/signatures.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;
using Kind = python::Parameter::Kind;

constexpr std::size_t kMostLeftOut = 8;  // parameters of one call
constexpr std::size_t kMostValue = 60;

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

}  // namespace

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

std::pair<Gives, std::string> given_to_parameter(const Program& program, const program::CallSite& site,
                                                 FunctionId function, std::string_view parameter) {
  const auto signature = accepted_by(program, site, function);
  const rules::Given given =
      signature ? rules::given_to(*signature, *python::as<python::Call>(site.node), parameter) : rules::Given();
  switch (given.how) {
    case rules::Given::How::kNothing:
      return {Gives::kNothing, {}};
    case rules::Given::How::kValue:
      return {Gives::kValue, given.value == nullptr ? std::string()
                                                    : report::one_line(program.module_of(site.caller).facts->source(),
                                                                       *given.value, kMostValue)};
    case rules::Given::How::kUnknown:
      break;
  }
  return {Gives::kUnknown, {}};
}

}  // namespace lockstep::writer
