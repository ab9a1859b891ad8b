#include "writer/author/rejected_call_fact.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/program.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/place.h"

namespace lockstep::writer {

namespace {

using program::CallSite;
using program::FunctionId;
using program::Program;

/// The function whose name stands on the line, in its `def`.
FunctionId defined_at(const Program& program, const LineOfFile& place) {
  const program::ModuleId module = program.find_path(place.first);
  if (!module.valid()) return {};
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(i);
    const program::Function& row = program.functions()[id];
    if (row.module == module && row.def() != nullptr &&
        report::source_of(program, id).line_of(row.def()->name.span.begin) == place.second)
      return id;
  }
  return {};
}

/// Whether the change touches one of the lines of the call.
bool touches(const report::DocumentInputs& inputs, std::string_view path, const SourceText& source, Span call) {
  for (std::uint32_t line = source.line_of(call.begin); line <= source.line_of(call.end); ++line) {
    if (inputs.change->touches_after(path, line)) return true;
  }
  return false;
}

/// Whether the call graph lets the call enter the function, by more than its name.
bool may_enter(const CallSite& site, FunctionId function) {
  return std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
    return target.function == function && target.certainty != program::Certainty::kByName;
  });
}

}  // namespace

std::optional<rules::Evidence> rejected_call(const report::DocumentInputs& inputs,
                                             const std::vector<LineOfFile>& lines) {
  const Program& program = *inputs.after;
  const rules::Signatures signatures(program);
  std::vector<std::pair<FunctionId, LineOfFile>> definitions;
  for (const LineOfFile& line : lines) {
    const FunctionId defined = defined_at(program, line);
    if (defined.valid() && signatures.is_transparent(defined)) definitions.emplace_back(defined, line);
  }
  if (definitions.empty()) return std::nullopt;
  for (const CallSite& site : program.calls()) {
    const auto* call = python::as<python::Call>(site.node);
    if (call == nullptr) continue;
    const std::string_view path = program.module_of(site.caller).path;
    const std::uint32_t at = report::source_of(program, site.caller).line_of(call->span.begin);
    const bool is_named = std::any_of(lines.begin(), lines.end(),
                                      [&](const LineOfFile& line) { return line.first == path && line.second == at; });
    if (program::is_test_path(path) && !is_named) continue;
    if (!touches(inputs, path, report::source_of(program, site.caller), call->span)) continue;
    for (const auto& [function, line] : definitions) {
      const bool may_be = is_named && program.functions()[function].name == rules::last_part_of(call->callee);
      if (!may_be && !may_enter(site, function)) continue;
      program::CallTarget target;
      target.function = function;
      target.kind = program::CallKind::kDirect;
      // As the call graph has it: a module's call enters its `forward`.
      for (const program::CallTarget& known : site.targets) {
        if (known.function == function && !may_be) target = known;
      }
      const auto signature = signatures.of_target(site, target);
      const auto mismatch = signature ? rules::bind_arguments(*signature, *call) : std::nullopt;
      if (!mismatch) continue;
      const python::FileFacts& facts = *program.module_of(site.caller).facts;
      return rules::Evidence{line.first, line.second,
                             fmt::format("`{}` at `{}:{}` does not fit `{}`: {}", rules::quote(facts, call->span), path,
                                         at + 1, rules::short_name(program, function), rules::describe(*mismatch))};
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::writer
