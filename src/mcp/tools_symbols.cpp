// overview, find_symbol, read_entity.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/strings.h"
#include "mcp/entity.h"
#include "mcp/tools.h"
#include "program/queries.h"
#include "render/graph_overview.h"
#include "render/graph_text.h"
#include "report/graph/graph_facts.h"
#include "report/source/code.h"

namespace lockstep::mcp {

namespace {

using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::size_t kOverviewTokens = 1500;
constexpr std::size_t kMostFound = 400;
constexpr std::size_t kMostProblems = 20;

std::string callers_text(const Program& program, FunctionId function) {
  const std::size_t count = program.callers_of(function).size();
  return count == 0 ? std::string("no known callers") : count_of(count, "call site");
}

std::string purpose_text(std::string_view sentence) {
  return sentence.empty() ? std::string() : fmt::format(": \"{}\"", sentence);
}

std::string entity_line(const Program& program, const Entity& entity) {
  std::string text =
      fmt::format("{} {}  {}", kind_name(program, entity), name_of(program, entity), place_text(program, entity));
  if (entity.kind == EntityKind::kFunction) text += "  " + callers_text(program, entity.function);
  return text;
}

std::string file_line(const program::Module& module) {
  return fmt::format("{}  {} lines, {}, {}{}", module.path, module.facts->source().line_count(),
                     count_of(module.classes.size(), "class", "classes"), count_of(module.functions.size(), "function"),
                     purpose_text(render::file_purpose(module, 120)));
}

// Classes with their methods, and functions, as they stand in the file.
std::vector<std::string> outline_of(const Program& program, ModuleId id) {
  const program::Module& module = program.modules()[id];
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::string>> lines;
  for (const ClassId cls : module.classes) {
    const Entity entity = entity_of(program, cls);
    const Lines at = lines_of(program, entity);
    lines.emplace_back(
        at.first, 0,
        fmt::format("class {}  {}-{}{}", report::short_name(program, cls), at.first + 1, at.last + 1,
                    purpose_text(render::safe_line(report::docstring_sentence(program.classes()[cls].node), 160))));
  }
  for (const FunctionId function : module.functions) {
    if (program.functions()[function].kind != program::FunctionKind::kFunction) continue;
    const Lines at = lines_of(program, entity_of(program, function));
    const bool is_method = program.functions()[function].owner.valid();
    lines.emplace_back(
        at.first, 1,
        fmt::format("{}def {}({})  {}-{}", is_method ? "  " : "", report::short_name(program, function),
                    render::safe_line(report::parameters_of(program, program.functions()[function]), 160), at.first + 1,
                    at.last + 1));
  }
  std::sort(lines.begin(), lines.end());
  std::vector<std::string> texts;
  for (auto& [line, rank, text] : lines) texts.push_back(std::move(text));
  return texts;
}

Result<Answer> overview_of_path(const driver::Tree& tree, const std::string& path) {
  const Program& program = tree.program;
  Answer answer;
  if (const ModuleId module = program.find_path(path); module.valid()) {
    answer.head = file_line(program.modules()[module]);
    answer.items = outline_of(program, module);
    return answer;
  }
  std::string prefix = path;
  while (prefix.ends_with('/')) prefix.pop_back();
  prefix = prefix == "." || prefix.empty() ? std::string() : prefix + "/";
  for (const program::Module& module : program.modules()) {
    if (module.path.starts_with(prefix)) answer.items.push_back(file_line(module));
  }
  if (answer.items.empty()) {
    return fail(fmt::format("no Python file stands at or below '{}'", render::safe_line(path, 200)),
                "give a path from the repository's root; `overview` without a path lists the packages");
  }
  answer.head = fmt::format("{} below {}", count_of(answer.items.size(), "Python file"),
                            prefix.empty() ? "the root" : render::safe_line(path, 200));
  return answer;
}

// Lower is nearer: the whole name, its end, its last part, a part, another spelling. -1: does not match.
int closeness(std::string_view qualified, std::string_view last, const std::string& query, const std::string& folded) {
  if (qualified == query) return 0;
  if (qualified.ends_with(query) && qualified[qualified.size() - query.size() - 1] == '.') return 1;
  const std::string lower_last = to_lower(last);
  if (lower_last == folded) return 2;
  if (lower_last.starts_with(folded)) return 3;
  if (contains(lower_last, folded)) return 4;
  if (query.find('.') != std::string::npos && contains(to_lower(qualified), folded)) return 5;
  return -1;
}

struct Found {
  int closeness;
  bool is_test;
  std::string_view name;
  Entity entity;
};

class Search {
 public:
  Search(const Program& program, std::string query)
      : program_(program), query_(std::move(query)), folded_(to_lower(query_)) {}

  std::vector<Found> run(const std::string& kind) {
    collect(kind, [&](std::string_view qualified, std::string_view last) {
      return closeness(qualified, last, query_, folded_);
    });
    if (found_.empty()) {
      const std::size_t dot = folded_.rfind('.');
      const std::string last_part = dot == std::string::npos ? folded_ : folded_.substr(dot + 1);
      const std::size_t limit = std::max<std::size_t>(1, last_part.size() / 4);
      collect(kind, [&](std::string_view, std::string_view last) {
        const std::size_t distance = edit_distance(to_lower(last), last_part, limit);
        return distance <= limit ? 10 + static_cast<int>(distance) : -1;
      });
    }
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.closeness, a.is_test, a.name) < std::tie(b.closeness, b.is_test, b.name);
    });
    return std::move(found_);
  }

 private:
  template <class Measure>
  void collect(const std::string& kind, Measure measure) {
    const auto add = [&](const Entity& entity, std::string_view qualified, std::string_view last) {
      const int near = measure(qualified, last);
      if (near < 0) return;
      found_.push_back({near, program::is_test_path(program_.modules()[entity.module].path), qualified, entity});
    };
    if (kind.empty() || kind == "function") {
      for (std::size_t i = 0; i < program_.functions().size(); ++i) {
        const program::Function& function = program_.functions()[FunctionId(i)];
        if (function.kind == program::FunctionKind::kFunction)
          add(entity_of(program_, FunctionId(i)), function.qualified_name, function.name);
      }
    }
    if (kind.empty() || kind == "class") {
      for (std::size_t i = 0; i < program_.classes().size(); ++i) {
        const program::Class& cls = program_.classes()[ClassId(i)];
        add(entity_of(program_, ClassId(i)), cls.qualified_name, cls.name);
      }
    }
    if (kind.empty() || kind == "module") {
      for (std::size_t i = 0; i < program_.modules().size(); ++i) {
        const std::string_view name = program_.modules()[ModuleId(i)].name;
        const std::size_t dot = name.rfind('.');
        add(entity_of(program_, ModuleId(i)), name, dot == std::string_view::npos ? name : name.substr(dot + 1));
      }
    }
  }

  const Program& program_;
  std::string query_;
  std::string folded_;
  std::vector<Found> found_;
};

void add_class_head(const Program& program, ClassId id, Answer& answer) {
  const program::Class& cls = program.classes()[id];
  std::vector<std::string> bases, below, fields;
  for (const ClassId base : cls.bases) bases.push_back(program.classes()[base].qualified_name);
  for (const std::string& base : cls.external_bases) bases.push_back(render::safe_line(base, 100));
  for (const ClassId sub : program.subclasses_of(id)) below.push_back(program.classes()[sub].qualified_name);
  for (const program::Field& field : cls.fields) fields.emplace_back(field.name);
  const auto list = [&](std::string_view label, std::vector<std::string>& names, std::size_t most) {
    if (names.empty()) return;
    const std::size_t more = names.size() > most ? names.size() - most : 0;
    if (more > 0) names.resize(most);
    answer.head +=
        fmt::format("\n{}: {}{}", label, fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  };
  list("bases", bases, 12);
  list("subclasses", below, 12);
  list("fields", fields, 40);
  for (const FunctionId method : cls.methods) {
    const Lines at = lines_of(program, entity_of(program, method));
    const program::Function& function = program.functions()[method];
    answer.items.push_back(fmt::format("def {}({})  {}-{}", function.name,
                                       render::safe_line(report::parameters_of(program, function), 160), at.first + 1,
                                       at.last + 1));
  }
}

}  // namespace

Result<Answer> overview(const ToolContext& context) {
  if (context.arguments.has("path")) {
    const Result<const driver::Tree*> tree = context.workspace.linked(context.progress);
    if (!tree) return tl::unexpected<Error>(tree.error());
    Result<Answer> answer = overview_of_path(**tree, context.arguments.text("path"));
    if (answer) answer->version = context.workspace.version();
    return answer;
  }
  const Result<const report::GraphModel*> graph = context.workspace.graph(context.progress);
  if (!graph) return tl::unexpected<Error>(graph.error());
  const Result<const driver::Tree*> tree = context.workspace.analysed(context.progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  Answer answer;
  answer.version = context.workspace.version();
  answer.head = fmt::format("Repository {}", render::safe_line(context.workspace.title(), 100));
  const std::vector<std::string>& dimensions = (*tree)->mesh.dimensions();
  if (!dimensions.empty()) answer.items.push_back(fmt::format("Mesh dimensions: {}", fmt::join(dimensions, " ")));
  const std::string text = render::overview_text(**graph, kOverviewTokens);
  for (const std::string_view line : split_lines(text)) answer.items.emplace_back(line);
  const auto& problems = (*tree)->coverage.problems;
  if (!problems.empty()) answer.items.push_back(fmt::format("\nNot fully understood ({}):", problems.size()));
  for (std::size_t i = 0; i < problems.size() && i < kMostProblems; ++i) {
    answer.items.push_back(
        fmt::format("- {}:{} {}", problems[i].path, problems[i].line + 1, render::safe_line(problems[i].message, 160)));
  }
  return answer;
}

Result<Answer> find_symbols(const ToolContext& context) {
  const Result<const driver::Tree*> tree = context.workspace.linked(context.progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const Program& program = (*tree)->program;
  const std::string query(trim(context.arguments.text("query")));
  if (query.empty()) return fail("'query' is empty", "give a name or a part of one");
  std::vector<Found> found;
  if (query.find(':') != std::string::npos || query.find('/') != std::string::npos) {
    const Result<Entity> entity = find_entity(program, query);
    if (entity) found.push_back({0, false, name_of(program, *entity), *entity});
  }
  if (found.empty()) found = Search(program, query).run(context.arguments.text("kind"));
  Answer answer;
  answer.version = context.workspace.version();
  const std::size_t count = found.size();
  if (found.size() > kMostFound) found.resize(kMostFound);
  for (const Found& each : found) answer.items.push_back(entity_line(program, each.entity));
  const bool is_guess = !found.empty() && found.front().closeness >= 10;
  if (count == 0) {
    answer.head = fmt::format("Nothing is called '{}' or similar", render::safe_line(query, 100));
  } else {
    answer.head = fmt::format("{} for '{}'{}", count_of(count, "match", "matches"), render::safe_line(query, 100),
                              is_guess ? " (none of this spelling; similar ones)" : "");
  }
  if (count > kMostFound) answer.tail = fmt::format("The first {} are listed: give more of the name.", kMostFound);
  return answer;
}

Result<Answer> read_entity(const ToolContext& context) {
  const Result<const driver::Tree*> tree = context.workspace.linked(context.progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const Program& program = (*tree)->program;
  const Result<Entity> entity = find_entity(program, context.arguments.text("symbol"));
  if (!entity) return tl::unexpected<Error>(entity.error());
  Answer answer;
  answer.version = context.workspace.version();
  answer.head =
      fmt::format("{} {}  {}", kind_name(program, *entity), name_of(program, *entity), place_text(program, *entity));
  const Lines lines = lines_of(program, *entity);
  if (entity->kind == EntityKind::kFunction) {
    answer.head += "  " + callers_text(program, entity->function);
  } else if (entity->kind == EntityKind::kClass) {
    add_class_head(program, entity->cls, answer);
  } else {
    answer.items = outline_of(program, entity->module);
  }
  const SourceText& source = program.modules()[entity->module].facts->source();
  for (std::string& line : numbered_lines(source, lines.first, lines.last)) answer.items.push_back(std::move(line));
  return answer;
}

}  // namespace lockstep::mcp
