#include "writer/author/rejected_call_fact.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/program.h"
#include "report/source/code.h"
#include "rules/place.h"
#include "rules/signatures.h"

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
    if (std::none_of(lines.begin(), lines.end(), [&](const LineOfFile& line) { return line.first == path; })) continue;
    const std::uint32_t at = report::source_of(program, site.caller).line_of(call->span.begin);
    const auto is_there = [&](const LineOfFile& line) { return line.first == path && line.second == at; };
    if (std::none_of(lines.begin(), lines.end(), is_there) || !inputs.change->touches_after(path, at)) continue;
    for (const auto& [function, line] : definitions) {
      if (program.functions()[function].name != rules::last_part_of(call->callee)) continue;
      program::CallTarget target;
      target.function = function;
      target.kind = program::CallKind::kDirect;
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
