#include "report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/strings.h"

namespace lockstep::report {

namespace {

using program::CallId;
using program::CallSite;
using program::CallTarget;
using program::Function;
using program::FunctionId;
using program::Program;

std::uint32_t call_line(const Program& program, CallId call) {
  const CallSite& site = program.calls()[call];
  return program.module_of(site.caller).facts->source().line_of(site.node->span.begin);
}

std::uint32_t first_line(const Program& program, FunctionId id) {
  const Function& function = program.functions()[id];
  return function.node == nullptr ? 0 : program.module_of(id).facts->source().line_of(function.node->span.begin);
}

bool ends_with_name(std::string_view qualified, std::string_view wanted) {
  if (!qualified.ends_with(wanted)) return false;
  return qualified.size() == wanted.size() || qualified[qualified.size() - wanted.size() - 1] == '.';
}

/// The method that a call of an instance, else of the class, runs.
FunctionId method_of_class(const Program& program, program::ClassId cls) {
  for (const std::string_view name : {"forward", "__call__", "__init__"}) {
    const FunctionId method = program.find_method(cls, name);
    if (method.valid()) return method;
  }
  return {};
}

std::vector<FunctionId> candidates(const Program& program, std::string_view name) {
  std::vector<FunctionId> found;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    if (ends_with_name(program.functions()[FunctionId(i)].qualified_name, name)) found.emplace_back(i);
  }
  if (!found.empty()) return found;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::ClassId cls(i);
    if (!ends_with_name(program.classes()[cls].qualified_name, name)) continue;
    const FunctionId method = method_of_class(program, cls);
    if (method.valid()) found.push_back(method);
  }
  return found;
}

std::string nearest_names(const Program& program, std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const Function& function : program.functions()) {
    const std::size_t distance = edit_distance(last, function.name, 3);
    if (distance <= 3) near.emplace_back(distance, function.qualified_name);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < near.size() && i < 4; ++i) names.push_back(near[i].second);
  return names.empty() ? std::string("`lockstep graph` lists the functions") : fmt::format("did you mean {}?", fmt::join(names, ", "));
}

struct Neighbour {
  CallId call;
  FunctionId function;
  program::Certainty certainty;
};

std::vector<Neighbour> callers(const Program& program, FunctionId function) {
  std::vector<Neighbour> found;
  std::unordered_set<FunctionId> seen;
  for (const CallId call : program.callers_of(function)) {
    const FunctionId caller = program.calls()[call].caller;
    if (!seen.insert(caller).second) continue;
    program::Certainty certainty = program::Certainty::kByName;
    for (const CallTarget& target : program.calls()[call].targets) {
      if (target.function == function) certainty = target.certainty;
    }
    found.push_back({call, caller, certainty});
  }
  return found;
}

std::vector<Neighbour> callees(const Program& program, FunctionId function) {
  std::vector<Neighbour> found;
  std::unordered_set<FunctionId> seen;
  for (const CallId call : program.functions()[function].calls) {
    for (const CallTarget& target : program.calls()[call].targets) {
      if (target.function.valid() && seen.insert(target.function).second) found.push_back({call, target.function, target.certainty});
    }
  }
  return found;
}

// Depth-first tree of neighbours; a function's own neighbours are listed once. Levels are filled breadth first within
// the budget of lines so that direct neighbours are never crowded out by distant ones.
template <class Neighbours>
std::vector<TraceLine> tree_of(const Program& program, FunctionId root, Neighbours neighbours, std::size_t& left_out) {
  struct Item {
    Neighbour neighbour;
    int depth;
    bool shown_before;
    std::vector<std::size_t> children;
  };
  std::vector<Item> items;
  std::vector<std::size_t> roots;
  std::unordered_set<FunctionId> expanded = {root};
  std::vector<std::pair<std::size_t, FunctionId>> level = {{SIZE_MAX, root}};
  left_out = 0;
  for (int depth = 1; depth <= kTraceDepth && !level.empty(); ++depth) {
    std::vector<std::pair<std::size_t, FunctionId>> next;
    for (const auto& [parent, function] : level) {
      for (const Neighbour& neighbour : neighbours(program, function)) {
        if (items.size() >= kTraceLines) {
          ++left_out;
          continue;
        }
        const bool before = !expanded.insert(neighbour.function).second;
        const std::size_t at = items.size();
        items.push_back({neighbour, depth, before, {}});
        (parent == SIZE_MAX ? roots : items[parent].children).push_back(at);
        if (!before) next.emplace_back(at, neighbour.function);
      }
    }
    level = std::move(next);
  }
  std::vector<TraceLine> lines;
  std::vector<std::size_t> stack(roots.rbegin(), roots.rend());
  while (!stack.empty()) {
    const Item& item = items[stack.back()];
    stack.pop_back();
    lines.push_back({item.depth, item.neighbour.call, item.neighbour.function, item.neighbour.certainty, item.shown_before});
    stack.insert(stack.end(), item.children.rbegin(), item.children.rend());
  }
  return lines;
}


CodeBlock tree_block(const Program& program, const std::vector<TraceLine>& lines, std::string_view arrow) {
  CodeBlock block;
  block.language = "text";
  for (const TraceLine& line : lines) {
    const CallSite& site = program.calls()[line.call];
    const std::string certainty = line.certainty == program::Certainty::kExact ? "" : line.certainty == program::Certainty::kPossible ? " (possible)" : " (by name)";
    block.lines.push_back(fmt::format("{:{}}{} {}  {}:{}{}{}", "", (line.depth - 1) * 2, arrow, program.functions()[line.function].qualified_name,
                                      program.module_of(site.caller).path, call_line(program, line.call) + 1, certainty, line.shown_before ? " …" : ""));
  }
  return block;
}

void write_tree(Document& document, const Program& program, std::string_view heading, const std::vector<TraceLine>& lines,
                std::size_t left_out, std::string_view arrow, std::string_view nothing) {
  document.heading(2, heading);
  if (lines.empty()) {
    document.paragraph(nothing);
    return;
  }
  document.code_block(tree_block(program, lines, arrow));
  if (left_out > 0) document.paragraph(fmt::format("{} more at these depths left out.", left_out));
}

void write_paths(Document& document, const Program& program, const Trace& trace) {
  document.heading(2, fmt::format("Paths to {}", code(program.functions()[*trace.to].qualified_name)));
  if (trace.paths.empty()) document.paragraph("None: no call path leads there.");
  for (const program::CallPath& path : trace.paths) {
    std::vector<std::string> steps;
    for (const program::PathStep& step : path) {
      const CallSite& site = program.calls()[step.call];
      steps.push_back(fmt::format("{} calls {} at {}", code(program.functions()[site.caller].qualified_name),
                                  code(program.functions()[step.callee].qualified_name),
                                  place(program.module_of(site.caller).path, call_line(program, step.call))));
    }
    document.numbered(steps);
  }
}

}  // namespace

Result<FunctionId> find_symbol(const Program& program, std::string_view name) {
  const FunctionId exact = program.find_function(name);
  if (exact.valid()) return exact;
  if (const program::ClassId cls = program.find_class(name); cls.valid()) {
    const FunctionId method = method_of_class(program, cls);
    if (method.valid()) return method;
  }
  const std::vector<FunctionId> found = candidates(program, name);
  if (found.size() == 1) return found.front();
  if (found.empty()) return fail(fmt::format("there is no function or class '{}' in this tree", name), nearest_names(program, name));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < found.size() && i < 8; ++i) names.push_back(program.functions()[found[i]].qualified_name);
  return fail(fmt::format("'{}' may mean {} functions", name, found.size()),
              fmt::format("name one of them: {}{}", fmt::join(names, ", "), found.size() > 8 ? ", …" : ""));
}

Trace make_trace(const Program& program, FunctionId symbol, std::optional<FunctionId> to) {
  Trace trace;
  trace.symbol = symbol;
  trace.to = to;
  if (to) {
    trace.paths = program::call_paths(program, symbol, *to, kTracePaths);
  } else {
    trace.callers = tree_of(program, symbol, callers, trace.callers_left_out);
    trace.callees = tree_of(program, symbol, callees, trace.callees_left_out);
  }
  return trace;
}

Document write_trace(const Program& program, const mesh::MeshAnalysis& mesh, const Trace& trace, bool collectives_only) {
  Document document;
  document.title = prose(fmt::format("Trace of {}", code(program.functions()[trace.symbol].qualified_name)));
  document.paragraph(fmt::format("Defined at {}.", place(program.module_of(trace.symbol).path, first_line(program, trace.symbol))));
  if (trace.to) {
    write_paths(document, program, trace);
    return document;
  }
  if (!collectives_only) {
    write_tree(document, program, "Callers", trace.callers, trace.callers_left_out, "←", "Nothing in this tree calls it.");
    write_tree(document, program, "Callees", trace.callees, trace.callees_left_out, "→", "It calls nothing of this tree.");
  }
  document.heading(2, "Collective trace");
  const std::string text = mesh.trace_text(trace.symbol);
  if (trim(text).empty()) {
    document.paragraph("It issues no collective, directly or through what it calls.");
  } else {
    CodeBlock block;
    block.language = "text";
    for (const std::string_view line : split_lines(text)) block.lines.emplace_back(line);
    document.code_block(std::move(block));
  }
  return document;
}

}  // namespace lockstep::report
