#include "mcp/entity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "program/queries.h"
#include "render/graph_text.h"
#include "report/graph/trace.h"

namespace lockstep::mcp {

namespace {

using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

bool ends_with_name(std::string_view qualified, std::string_view wanted) {
  if (wanted.empty() || !qualified.ends_with(wanted)) return false;
  return qualified.size() == wanted.size() || qualified[qualified.size() - wanted.size() - 1] == '.';
}

// "path.py:120" or "path.py:120-140" → the place.
std::optional<std::pair<ModuleId, std::uint32_t>> place_in(const Program& program, std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == name.size()) return std::nullopt;
  std::uint32_t line = 0;
  const auto [end, error] = std::from_chars(name.data() + colon + 1, name.data() + name.size(), line);
  if (error != std::errc{} || line == 0 || (end != name.data() + name.size() && *end != '-')) return std::nullopt;
  const ModuleId module = program.find_path(name.substr(0, colon));
  if (!module.valid()) return std::nullopt;
  return std::pair{module, line - 1};
}

Entity entity_at(const Program& program, ModuleId module, std::uint32_t line) {
  Entity best = entity_of(program, module);
  Lines best_lines = lines_of(program, best);
  const auto consider = [&](const Entity& entity) {
    const Lines lines = lines_of(program, entity);
    if (line < lines.first || line > lines.last) return;
    if (lines.last - lines.first > best_lines.last - best_lines.first) return;
    best = entity;
    best_lines = lines;
  };
  for (const ClassId cls : program.modules()[module].classes) consider(entity_of(program, cls));
  for (const FunctionId function : program.modules()[module].functions) {
    if (program.functions()[function].kind == program::FunctionKind::kFunction) consider(entity_of(program, function));
  }
  return best;
}

std::vector<ClassId> classes_named(const Program& program, std::string_view name) {
  const ClassId exact = program.find_class(name);
  if (exact.valid()) return {exact};
  std::vector<ClassId> found;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    if (ends_with_name(program.classes()[ClassId(i)].qualified_name, name)) found.emplace_back(i);
  }
  const auto of_tests = [&](ClassId id) { return program::is_test_path(program.module_of(id).path); };
  if (found.size() > 1 && !std::all_of(found.begin(), found.end(), of_tests)) std::erase_if(found, of_tests);
  return found;
}

const python::Node* node_of(const Program& program, const Entity& entity) {
  if (entity.kind == EntityKind::kClass) return program.classes()[entity.cls].node;
  if (entity.kind == EntityKind::kFunction) return program.functions()[entity.function].node;
  return nullptr;
}

// Decorators stand before the span of what they decorate.
std::uint32_t begin_of(const python::Node& node) {
  std::uint32_t begin = node.span.begin;
  if (const auto* def = python::as<python::FunctionDef>(&node)) {
    for (const python::Expr* decorator : def->decorators) begin = std::min(begin, decorator->span.begin);
  } else if (const auto* cls = python::as<python::ClassDef>(&node)) {
    for (const python::Expr* decorator : cls->decorators) begin = std::min(begin, decorator->span.begin);
  }
  return begin;
}

}  // namespace

Result<Entity> find_entity(const Program& program, std::string_view name) {
  if (const auto place = place_in(program, name)) return entity_at(program, place->first, place->second);
  ModuleId module = program.find_module(name);
  if (!module.valid()) module = program.find_path(name);
  if (module.valid()) return entity_of(program, module);
  if (!program.find_function(name).valid()) {
    const std::vector<ClassId> classes = classes_named(program, name);
    if (classes.size() == 1) return entity_of(program, classes.front());
  }
  const Result<FunctionId> function = report::find_symbol(program, name);
  if (!function) {
    Error error = function.error();
    if (error.next_step.starts_with('`')) error.next_step = "`find_symbol` searches names";
    return tl::unexpected<Error>(std::move(error));
  }
  return entity_of(program, *function);
}

Result<FunctionId> find_called(const Program& program, std::string_view name) {
  const Result<Entity> entity = find_entity(program, name);
  if (!entity) return tl::unexpected<Error>(entity.error());
  if (entity->kind == EntityKind::kFunction) return entity->function;
  if (entity->kind == EntityKind::kModule) return program.modules()[entity->module].body;
  return report::find_symbol(program, program.classes()[entity->cls].qualified_name);
}

std::string_view kind_name(const Program& program, const Entity& entity) {
  if (entity.kind == EntityKind::kModule) return "module";
  if (entity.kind == EntityKind::kClass) return "class";
  const program::Function& function = program.functions()[entity.function];
  if (function.kind == program::FunctionKind::kLambda) return "lambda";
  if (function.kind == program::FunctionKind::kModuleBody) return "module";
  return function.owner.valid() ? "method" : "function";
}

std::string_view name_of(const Program& program, const Entity& entity) {
  if (entity.kind == EntityKind::kModule) return program.modules()[entity.module].name;
  if (entity.kind == EntityKind::kClass) return program.classes()[entity.cls].qualified_name;
  return program.functions()[entity.function].qualified_name;
}

Lines lines_of(const Program& program, const Entity& entity) {
  const SourceText& source = program.modules()[entity.module].facts->source();
  const python::Node* node = node_of(program, entity);
  if (node == nullptr || node->kind == python::NodeKind::kModule) {
    const auto count = static_cast<std::uint32_t>(source.line_count());
    // The line after the last "\n" is none.
    const bool has_empty_end = count > 1 && source.line(count - 1).empty();
    return {0, count - (has_empty_end ? 2 : 1)};
  }
  const std::uint32_t end = node->span.end > node->span.begin ? node->span.end - 1 : node->span.end;
  return {source.line_of(begin_of(*node)), source.line_of(end)};
}

Entity entity_of(const Program& program, FunctionId function) {
  return {EntityKind::kFunction, program.functions()[function].module, {}, function};
}
Entity entity_of(const Program& program, ClassId cls) {
  return {EntityKind::kClass, program.classes()[cls].module, cls, {}};
}
Entity entity_of(const Program&, ModuleId module) { return {EntityKind::kModule, module, {}, {}}; }

std::string place_text(const Program& program, const Entity& entity) {
  const Lines lines = lines_of(program, entity);
  const std::string& path = program.modules()[entity.module].path;
  if (lines.first == lines.last) return fmt::format("{}:{}", path, lines.first + 1);
  return fmt::format("{}:{}-{}", path, lines.first + 1, lines.last + 1);
}

std::string place_text(const Program& program, FunctionId function) {
  return place_text(program, entity_of(program, function));
}

std::string call_place(const Program& program, program::CallId call) {
  const program::CallSite& site = program.calls()[call];
  const program::Module& module = program.module_of(site.caller);
  return fmt::format("{}:{}", module.path, module.facts->source().line_of(site.node->span.begin) + 1);
}

std::string source_line(const SourceText& source, std::uint32_t line, std::size_t most_bytes) {
  const std::string_view text = source.line(line);
  std::size_t indent = 0;
  std::string blanks;
  for (; indent < text.size() && indent < 200 && (text[indent] == ' ' || text[indent] == '\t'); ++indent)
    blanks += text[indent] == '\t' ? "    " : " ";
  return blanks + render::safe_line(text.substr(indent), most_bytes);
}

std::vector<std::string> numbered_lines(const SourceText& source, std::uint32_t first, std::uint32_t last) {
  std::vector<std::string> lines;
  for (std::uint32_t line = first; line <= last && line < source.line_count(); ++line)
    lines.push_back(fmt::format("{:>5}| {}", line + 1, source_line(source, line)));
  return lines;
}

}  // namespace lockstep::mcp
