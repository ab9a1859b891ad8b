#include "writer/author/change_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/graph/trace.h"
#include "report/source/code.h"
#include "writer/author/callers_tool.h"
#include "writer/author/history_tool.h"
#include "writer/author/text_search.h"
#include "writer/pack/data_text.h"
#include "writer/pack/pieces.h"
#include "writer/pack/when_text.h"

namespace lockstep::writer {

namespace {

using nlohmann::json;
using program::FunctionId;
using program::Program;

constexpr const char* kLineHistory = "line_history";
constexpr std::size_t kMostItems = 30;
constexpr std::uint32_t kMostLines = 300;
constexpr std::size_t kMostArgumentBytes = 2'000;

using Fields = std::vector<std::pair<std::string, std::string>>;
std::string schema(const Fields& fields, const Fields& optional = {}) {
  json properties = json::object();
  json required = json::array();
  for (const auto& [name, what] : optional)
    properties[name] = {{"type", name == "whole_word" || name == "only_set" ? "boolean" : "string"},
                        {"description", what}};
  for (const auto& [name, what] : fields) {
    const bool is_number = name == "first" || name == "last";
    properties[name] = {{"type", is_number ? "integer" : "string"}, {"description", what}};
    required.push_back(name);
  }
  return json{{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}}
      .dump();
}

constexpr const char* kSymbol = "Qualified name, or an unambiguous end of one (Class.method)";

std::string place_of(const Program& program, FunctionId id) {
  const program::Function& function = program.functions()[id];
  const SourceText& source = report::source_of(program, id);
  return fmt::format("{}:{}", program.module_of(id).path, source.line_of(function.node->span.begin) + 1);
}

std::string lines_text(const SourceText& source, std::uint32_t first, std::uint32_t last) {
  const std::uint32_t end = std::min(last, first + kMostLines - 1);
  std::string text = join(numbered_source(source, first, end), "\n");
  if (end < last && end + 1 < source.line_count())
    text += fmt::format("\n({} more lines; read_lines gives them)", last - end);
  return text;
}

std::string find_symbols(const Program& program, const std::string& query) {
  std::vector<std::string> exact, near;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(i);
    const program::Function& function = program.functions()[id];
    if (function.kind != program::FunctionKind::kFunction) continue;
    const bool ends = function.qualified_name.ends_with(query);
    if (!ends && !contains(function.qualified_name, query)) continue;
    auto& list = ends ? exact : near;
    if (list.size() < kMostItems) list.push_back(fmt::format("{}  {}", function.qualified_name, place_of(program, id)));
  }
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::ClassId id(i);
    const program::Class& cls = program.classes()[id];
    if (!contains(cls.qualified_name, query)) continue;
    const SourceText& source = program.module_of(id).facts->source();
    auto& list = cls.qualified_name.ends_with(query) ? exact : near;
    if (list.size() < kMostItems)
      list.push_back(fmt::format("class {}  {}:{}", cls.qualified_name, program.module_of(id).path,
                                 source.line_of(cls.node->span.begin) + 1));
  }
  exact.insert(exact.end(), near.begin(), near.end());
  if (exact.size() > kMostItems) exact.resize(kMostItems);
  return exact.empty() ? "nothing has this in its name" : join(exact, "\n");
}

/// Methods below it that stand in its place, and the one above it that it stands for: "\noverridden by …"; else empty.
std::string overrides_text(const Program& program, FunctionId id) {
  const program::Function& function = program.functions()[id];
  if (!function.owner.valid() || function.name == "__init__") return {};
  constexpr std::size_t kMost = 5;
  std::vector<std::string> below;
  const std::vector<FunctionId> overrides = program.overrides_of(id);
  for (const FunctionId one : overrides) {
    if (below.size() < kMost)
      below.push_back(fmt::format("{} {}", report::short_name(program, one), place_of(program, one)));
  }
  if (overrides.size() > kMost) below.push_back(fmt::format("{} more", overrides.size() - kMost));
  std::string out = below.empty() ? std::string() : fmt::format("\noverridden by {}", join(below, ", "));
  const auto& line = program.classes()[function.owner].linearized;
  for (std::size_t i = 1; i < line.size(); ++i) {
    for (const FunctionId method : program.classes()[line[i]].methods) {
      if (program.functions()[method].name != function.name) continue;
      return out + fmt::format("\noverrides {} {}", report::short_name(program, method), place_of(program, method));
    }
  }
  return out;
}

std::string read_entity(const Program& program, FunctionId id) {
  const program::Function& function = program.functions()[id];
  const SourceText& source = report::source_of(program, id);
  const std::uint32_t end = function.node->span.end;
  return fmt::format(
      "{}  {}{}\n{}", function.qualified_name, place_of(program, id), overrides_text(program, id),
      lines_text(source, source.line_of(function.node->span.begin), source.line_of(end > 0 ? end - 1 : 0)));
}

std::string callees_text(const Program& program, FunctionId id) {
  std::vector<std::string> lines;
  std::set<std::string> seen;
  const SourceText& source = report::source_of(program, id);
  for (const program::CallId call : program.functions()[id].calls) {
    const program::CallSite& site = program.calls()[call];
    for (const program::CallTarget& target : site.targets) {
      const std::string name = target.function.valid()
                                   ? fmt::format("{}  {}", program.functions()[target.function].qualified_name,
                                                 place_of(program, target.function))
                                   : std::string(target.external);
      if (lines.size() < kMostItems && seen.insert(name).second)
        lines.push_back(fmt::format("line {}: {}{}", source.line_of(site.node->span.begin) + 1, name,
                                    when_text(program, id, site.node->span)));
    }
  }
  return lines.empty() ? "it calls nothing that is known" : join(lines, "\n");
}

std::string find_files(const report::DocumentInputs& inputs, const std::string& part) {
  if (inputs.after_files == nullptr) return "the list of files is not known";
  std::vector<std::string> paths;
  for (const repo::FileEntry& entry : inputs.after_files->files()) {
    if (!contains(entry.path, part)) continue;
    if (paths.size() == kMostItems) return join(paths, "\n") + "\n(and more)";
    paths.push_back(entry.path);
  }
  return paths.empty() ? "no path holds this" : join(paths, "\n");
}

std::string read_lines(const report::DocumentInputs& inputs, const json& arguments) {
  const std::string path = arguments["path"];
  const auto number = [&](const char* key) {
    return arguments[key].is_number_integer() ? arguments[key].get<std::int64_t>() : std::int64_t{0};
  };
  const std::int64_t first = number("first"), last = number("last");
  if (first < 1 || last < first) return "lines count from 1, the first before the last";
  const program::ModuleId module = inputs.after->find_path(path);
  if (module.valid()) {
    const SourceText& source = inputs.after->modules()[module].facts->source();
    const auto count = static_cast<std::int64_t>(source.line_count());
    if (first > count) return fmt::format("the file has {}", count_of(static_cast<std::size_t>(count), "line"));
    return lines_text(source, static_cast<std::uint32_t>(first - 1),
                      static_cast<std::uint32_t>(std::min(last, count) - 1));
  }
  // Only paths of the snapshot can be found in it: nothing outside the repository has one.
  if (inputs.after_files == nullptr || !inputs.after_files->find(path)) return "the repository has no such file";
  const Result<std::string> bytes = inputs.after_files->read(path);
  if (!bytes || repo::is_binary(*bytes)) return "this is no text file";
  const SourceText source{std::string(*bytes)};
  if (first > static_cast<std::int64_t>(source.line_count()))
    return fmt::format("the file has {}", count_of(source.line_count(), "line"));
  return lines_text(
      source, static_cast<std::uint32_t>(first - 1),
      static_cast<std::uint32_t>(std::min<std::int64_t>(last, static_cast<std::int64_t>(source.line_count())) - 1));
}

std::string cut(std::string text) {
  if (text.size() <= kMostToolBytes) return text;
  std::size_t end = text.rfind('\n', kMostToolBytes);
  if (end == std::string::npos || end < kMostToolBytes / 2) end = kMostToolBytes;
  text.resize(cut_at_character(text, end).size());
  return text + "\n(cut here)";
}

bool has_text(const json& arguments, const char* key) {
  const auto found = arguments.find(key);
  return found != arguments.end() && found->is_string() &&
         found->get_ref<const std::string&>().size() <= kMostArgumentBytes && !trim(found->get<std::string>()).empty();
}

// A name that several functions have means the one in a changed file, where there is one.
Result<FunctionId> find_function(const report::DocumentInputs& inputs, const std::string& symbol) {
  const Program& program = *inputs.after;
  Result<FunctionId> found = report::find_symbol(program, symbol);
  if (found) return found;
  const std::string end = "." + symbol;
  FunctionId meant;
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId module = program.find_path(file.file->new_path);
    if (!module.valid()) continue;
    for (std::size_t i = 0; i < program.functions().size(); ++i) {
      const program::Function& function = program.functions()[FunctionId(i)];
      if (function.module != module || !function.qualified_name.ends_with(end)) continue;
      if (meant.valid()) return found;
      meant = FunctionId(i);
    }
  }
  return meant.valid() ? Result<FunctionId>(meant) : found;
}

// Of an autograd function that is asked for by its class, the half that `forward` does not show; else empty.
std::string read_backward(const Program& program, FunctionId forward, const std::string& symbol) {
  const program::Function& function = program.functions()[forward];
  if (!function.owner.valid() || function.name != "forward" || symbol.ends_with("forward")) return {};
  const FunctionId backward = program.find_method(function.owner, "backward");
  return backward.valid() ? "\n\n" + read_entity(program, backward) : std::string();
}

// The source of the first few functions outside tests that the name may mean: cheaper than to ask again.
std::string read_several(const Program& program, const std::string& symbol) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < program.functions().size() && texts.size() < kMost; ++i) {
    const FunctionId id(i);
    const program::Function& function = program.functions()[id];
    const bool is_meant = function.name == symbol || function.qualified_name.ends_with("." + symbol);
    if (is_meant && function.def() != nullptr && !program::is_test_path(program.module_of(id).path))
      texts.push_back(read_entity(program, id));
  }
  return texts.empty() ? std::string() : "several have this name:\n\n" + join(texts, "\n\n");
}

// Models write numbers and truth values as text, too.
std::uint32_t number_in(const json& arguments, const char* key) {
  const auto found = arguments.find(key);
  if (found == arguments.end()) return 0;
  if (found->is_number_integer())
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, UINT32_MAX));
  std::uint32_t number = 0;
  if (found->is_string()) {
    const std::string& text = found->get_ref<const std::string&>();
    std::from_chars(text.data(), text.data() + text.size(), number);
  }
  return number;
}

bool is_true(const json& arguments, const char* key) {
  const auto found = arguments.find(key);
  if (found == arguments.end()) return false;
  return found->is_boolean() ? found->get<bool>() : found->is_string() && found->get<std::string>() == "true";
}

std::string text_in(const json& arguments, const char* key) {
  return has_text(arguments, key) ? arguments[key].get<std::string>() : std::string();
}

SoughtText sought_in(const json& arguments) {
  return {arguments["text"],
          text_in(arguments, "path"),
          is_true(arguments, "whole_word"),
          std::min(number_in(arguments, "around"), kMostAroundSought),
          is_true(arguments, "only_set"),
          number_in(arguments, "most")};
}

std::string answer(const report::DocumentInputs& inputs, const repo::LineEdits& edits,
                   std::optional<OtherTexts>& others, const std::string& tool, const json& arguments) {
  const Program& program = *inputs.after;
  if (tool == kLineHistory) {
    const auto is_number = [&](const char* key) {
      return arguments.contains(key) && arguments[key].is_number_integer();
    };
    return has_text(arguments, "path") && is_number("first") && is_number("last")
               ? history_text(inputs, edits, arguments["path"], arguments["first"], arguments["last"])
               : "line_history needs path, first and last";
  }
  if (tool == "read_lines") {
    const bool is_complete = has_text(arguments, "path") && arguments.contains("first") && arguments.contains("last");
    return is_complete ? read_lines(inputs, arguments) : "read_lines needs path, first and last";
  }
  if (tool == "search_text") {
    if (!has_text(arguments, "text")) return "search_text needs text";
    if (!others) others = inputs.after_files == nullptr ? OtherTexts() : other_texts(*inputs.after_files);
    return search_text(inputs, *others, sought_in(arguments));
  }
  if (tool == "find_files")
    return has_text(arguments, "part") ? find_files(inputs, arguments["part"]) : "find_files needs part";
  if (tool == "find_symbol")
    return has_text(arguments, "query") ? find_symbols(program, arguments["query"]) : "find_symbol needs query";
  if (!has_text(arguments, "symbol")) return fmt::format("{} needs symbol", tool);
  const std::string symbol = arguments["symbol"];
  const Result<FunctionId> function = find_function(inputs, symbol);
  if (!function && tool == "read_entity") {
    if (std::string several = read_several(program, symbol); !several.empty()) return several;
  }
  if (!function) return fmt::format("{}; {}", function.error().message, function.error().next_step);
  if (tool == "read_entity") return read_entity(program, *function) + read_backward(program, *function, symbol);
  if (tool == "callers") return callers_text(program, *function, text_in(arguments, "parameter"));
  if (tool == "callees") return callees_text(program, *function);
  const std::string trace = inputs.after_mesh == nullptr ? std::string() : inputs.after_mesh->trace_text(*function);
  return trim(trace).empty() ? "it issues no collective that is known" : trace;
}

}  // namespace

ChangeTools::ChangeTools(const report::DocumentInputs& inputs, repo::LineEdits edits)
    : inputs_(inputs), edits_(std::move(edits)) {
  definitions_ = {
      {"find_symbol", "Functions and classes with this in their qualified names, with places.",
       schema({{"query", "Name or part of one"}})},
      {"read_entity", "The numbered source of a function, or of a class's forward or __init__.",
       schema({{"symbol", kSymbol}})},
      {"read_lines", "Numbered lines of a file of the repository.",
       schema({{"path", "From the repository's root"}, {"first", "From 1"}, {"last", "Inclusive"}})},
      {"find_files", "Files by their paths, not by what they hold: all with this text in the path.",
       schema({{"part", "Part of a path"}})},
      {"search_text",
       "Lines of the repository's code, configurations, lock files, scripts and pages that hold a text, with places, "
       "functions and conditions around them, tests last; 30 of them and how many there are, or with lines around "
       "each 10.",
       schema(
           {{"text", fmt::format("Exactly as in the code, at least {} characters", kShortestSought)}},
           {{"path", "Only files with this in their path, a folder or an ending say; !tests/ leaves such out"},
            {"whole_word", "Not as part of a longer name (InferenceParams in CommonInferenceParams)"},
            {"only_set", "Only where the name gets a value: x = …, f(x=…), defaults, x: … and --x in configurations"},
            {"most", "Places to show, where fewer do"},
            {"around", fmt::format("Lines to show before and after each, at most {}; of a statement that begins "
                                   "there, all its lines",
                                   kMostAroundSought)}})},
      {"callers",
       "Call sites that may enter a function, sure ones first and tests last, with the conditions around them and the "
       "parameters that each leaves out.",
       schema({{"symbol", kSymbol}},
              {{"parameter", "Tell of this parameter what each call gives it; those that leave it out come first"}})},
      {"callees", "What a function calls, in the order of its lines.", schema({{"symbol", kSymbol}})},
      {"collective_trace", "The collectives that a function issues, with groups and conditions.",
       schema({{"symbol", kSymbol}})},
  };
  if (!edits_) return;
  definitions_.push_back(
      {kLineHistory,
       "The commits that wrote these lines before the change, newest first, and what each of them "
       "replaced there: since when something is so, and what it was.",
       schema({{"path", "From the repository's root"},
               {"first", "From 1, as they stand after the change; of removed lines as the diff numbers them"},
               {"last", "Inclusive"}})});
}

std::string ChangeTools::call(const ToolCall& call) const {
  const bool is_known = std::any_of(definitions_.begin(), definitions_.end(),
                                    [&](const ToolDefinition& tool) { return tool.name == call.name; });
  if (!is_known) return "there is no such tool";
  const json arguments = json::parse(call.arguments_json, nullptr, /*allow_exceptions=*/false);
  if (!arguments.is_object()) return "the arguments are not a JSON object";
  return cut(data_text(answer(inputs_, edits_, others_, call.name, arguments)));
}

}  // namespace lockstep::writer
