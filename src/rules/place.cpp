#include "rules/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "change/node_hash.h"

namespace lockstep::rules {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

bool is_utf8_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

}  // namespace

std::string node_key(const python::FileFacts& facts, const python::Node& node) {
  return fmt::format("{:x}", change::NodeHasher(facts.source()).hash(&node));
}

Finding finding_at(const program::Program& program, std::string_view rule, program::ModuleId module, Span span) {
  const program::Module& file = program.modules()[module];
  const SourceText& source = file.facts->source();
  Finding finding;
  finding.rule = rule;
  finding.path = file.path;
  finding.span = span;
  finding.start_line = source.line_of(span.begin);
  finding.end_line = source.line_of(span.end > span.begin ? span.end - 1 : span.begin);
  const program::FunctionId function = program.function_at(module, span.begin);
  if (function.valid() && program.functions()[function].kind != program::FunctionKind::kModuleBody) {
    finding.symbol = program.functions()[function].qualified_name;
  }
  return finding;
}

bool rests_on(const change::Change& change, const Finding& finding) {
  const auto is_touched = [&](std::string_view path, std::uint32_t line) {
    const change::EntityChange* entity = change.entity_at_after(path, line);
    return entity != nullptr && !entity->is_cosmetic();
  };
  return is_touched(finding.path, finding.start_line) ||
         std::any_of(finding.evidence.begin(), finding.evidence.end(),
                     [&](const Evidence& step) { return is_touched(step.path, step.line); });
}

bool is_written(const RuleContext& context, const Finding& finding) {
  const program::ModuleId module = context.program.find_path(finding.path);
  if (!module.valid()) return false;
  const SourceText& source = context.program.modules()[module].facts->source();
  const bool is_empty = finding.span.end <= finding.span.begin;
  const std::uint32_t last = source.line_of(is_empty ? finding.span.begin : finding.span.end - 1);
  for (std::uint32_t line = finding.start_line; line <= last; ++line) {
    if (context.change->touches_after(finding.path, line)) return true;
  }
  return false;
}

Evidence evidence_at(const program::Program& program, program::ModuleId module, Span span, std::string message) {
  const program::Module& file = program.modules()[module];
  return {file.path, file.facts->source().line_of(span.begin), std::move(message)};
}

std::string quote(const python::FileFacts& facts, Span span, std::size_t limit) {
  std::string text;
  for (const char c : facts.source().slice(span)) {
    if (!is_blank(c)) {
      text.push_back(c == '`' ? '\'' : c);
    } else if (!text.empty() && text.back() != ' ' && text.back() != '(' && text.back() != '[') {
      text.push_back(' ');
    }
    if (text.size() > limit + 4) break;
  }
  if (text.size() <= limit) return text;
  std::size_t end = limit;
  while (end > 0 && is_utf8_continuation(text[end])) --end;
  return text.substr(0, end) + "…";
}

std::string squeezed(const python::FileFacts& facts, Span span) {
  std::string text;
  for (const char c : facts.source().slice(span)) {
    if (!is_blank(c)) text.push_back(c);
  }
  return text;
}

std::string short_name(const program::Program& program, program::FunctionId function) {
  const program::Function& row = program.functions()[function];
  if (row.kind == program::FunctionKind::kModuleBody) return program.module_of(function).name;
  if (!row.owner.valid()) return std::string(row.name);
  return std::string(program.classes()[row.owner].name) + "." + std::string(row.name);
}

bool is_wanted(const RuleContext& context, std::string_view path) {
  return context.paths.empty() ||
         std::any_of(context.paths.begin(), context.paths.end(), [&](const std::string& wanted) {
           const std::string_view folder =
               std::string_view(wanted).ends_with('/') ? std::string_view(wanted).substr(0, wanted.size() - 1) : wanted;
           return folder.empty() || folder == "." || path == folder ||
                  (path.starts_with(folder) && path[folder.size()] == '/');
         });
}

ChangedModules::ChangedModules(const program::Program& program, const program::Program& other) {
  for (const program::Module& module : program.modules()) {
    const program::ModuleId counterpart = other.find_path(module.path);
    changed_.push_back(!counterpart.valid() || other.modules()[counterpart].facts != module.facts);
  }
}

}  // namespace lockstep::rules
