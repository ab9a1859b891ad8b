#include "rules/calls/mismatch_at_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/strings.h"

namespace lockstep::rules {

namespace {

constexpr std::string_view kAtCall = "This call does not fit ";
constexpr std::size_t kMostCalls = 8;

/// Where the definition says what the calls do not meet: the parameter that they leave out, else its first line.
Span place_in(const program::Program& program, program::ModuleId module, std::uint32_t line, std::string_view message) {
  const SourceText& source = program.modules()[module].facts->source();
  for (const program::FunctionId function : program.modules()[module].functions) {
    const python::FunctionDef* def = program.functions()[function].def();
    if (def == nullptr || source.line_of(def->name.span.begin) != line) continue;
    for (const python::Parameter* parameter : def->parameters->all) {
      if (contains(message, fmt::format("missing `{}`", parameter->name.text))) return parameter->name.span;
    }
    return def->name.span;
  }
  for (const program::ClassId id : program.modules()[module].classes) {
    const program::Class& cls = program.classes()[id];
    if (source.line_of(cls.node->name.span.begin) != line) continue;
    for (const program::Field& field : cls.fields) {
      if (contains(message, fmt::format("missing `{}`", field.name))) return field.node->span;
    }
  }
  const std::uint32_t begin = source.line_start(line);
  return {begin, begin + static_cast<std::uint32_t>(source.line(line).size())};
}

Finding at_definition(const std::vector<const Finding*>& calls, const program::Program& program) {
  const Finding& first = *calls.front();
  const Evidence& definition = first.evidence.front();
  const program::ModuleId module = program.find_path(definition.path);
  Finding finding = finding_at(program, first.rule, module, place_in(program, module, definition.line, first.message));
  finding.severity = first.severity;
  finding.certainty = first.certainty;
  for (const Finding* call : calls) finding.severity = std::min(finding.severity, call->severity);
  finding.category = first.category;
  finding.end_line = finding.start_line;
  const std::string rest = first.message.substr(kAtCall.size());
  finding.message = calls.size() == 1 ? fmt::format("A call in `{}` does not fit {}", first.path, rest)
                                      : fmt::format("{} calls elsewhere do not fit {}", calls.size(), rest);
  finding.why = calls.size() == 1 ? "It raises TypeError whenever it runs." : "They raise TypeError whenever they run.";
  const std::string_view calls_word = calls.size() == 1 ? "the call" : "the calls";
  finding.fix = contains(rest, ": missing ")        ? fmt::format("Change {} too, or give it a default.", calls_word)
                : contains(rest, ": no parameter ") ? fmt::format("Change {} too, or go on taking it.", calls_word)
                                                    : fmt::format("Change {} too.", calls_word);
  for (std::size_t i = 0; i < calls.size() && i < kMostCalls; ++i)
    finding.evidence.push_back({calls[i]->path, calls[i]->start_line, "called here"});
  return finding;
}

}  // namespace

std::vector<Finding> told_at_definitions(std::vector<Finding> findings, const program::Program& program,
                                         const IsSubject& is_subject_call, const IsSubject& is_subject_definition,
                                         std::size_t fewest) {
  using Key = std::tuple<std::string, std::uint32_t, std::string>;
  std::map<Key, std::vector<const Finding*>> elsewhere;
  const auto key_of = [](const Finding& finding) {
    return Key{finding.evidence.front().path, finding.evidence.front().line, finding.message};
  };
  const auto is_elsewhere = [&](const Finding& finding) {
    return finding.message.starts_with(kAtCall) && !finding.evidence.empty() &&
           !is_subject_call(finding.path, finding.start_line) &&
           is_subject_definition(finding.evidence.front().path, finding.evidence.front().line);
  };
  for (const Finding& finding : findings) {
    if (is_elsewhere(finding)) elsewhere[key_of(finding)].push_back(&finding);
  }
  std::erase_if(elsewhere, [&](const auto& row) { return row.second.size() < fewest; });
  if (elsewhere.empty()) return findings;
  std::vector<Finding> told;
  for (const auto& [key, calls] : elsewhere) told.push_back(at_definition(calls, program));
  for (Finding& finding : findings) {
    if (!is_elsewhere(finding) || !elsewhere.contains(key_of(finding))) told.push_back(std::move(finding));
  }
  return told;
}

}  // namespace lockstep::rules
