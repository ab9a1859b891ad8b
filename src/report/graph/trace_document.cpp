// A trace as a document.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "report/graph/graph_facts.h"
#include "report/graph/trace.h"
#include "report/source/code.h"

namespace lockstep::report {

namespace {

using program::CallId;
using program::CallSite;
using program::Function;
using program::FunctionId;
using program::Program;

constexpr std::size_t kMostGuards = 3;
constexpr std::size_t kMostPlaces = 3;
constexpr std::size_t kMostUnfollowed = 12;

std::uint32_t call_line(const Program& program, CallId call) {
  const CallSite& site = program.calls()[call];
  return program.module_of(site.caller).facts->source().line_of(site.node->span.begin);
}

std::string call_place(const Program& program, CallId call) {
  return place(program.module_of(program.calls()[call].caller).path, call_line(program, call));
}

std::string name_of(const Program& program, FunctionId id) { return code(program.functions()[id].qualified_name); }

/// ", only if `a` and not `b`": the conditions around a call, the innermost ones.
std::string guards_text(const Program& program, CallId call) {
  const CallSite& site = program.calls()[call];
  const Function& caller = program.functions()[site.caller];
  if (caller.node == nullptr) return {};
  const SourceText& source = program.module_of(site.caller).facts->source();
  std::vector<std::string> words;
  std::vector<Guard> guards = guards_of(*caller.node, site.node->span);
  std::erase_if(guards, [](const Guard& guard) { return guard.condition == nullptr; });
  const std::size_t first = guards.size() > kMostGuards ? guards.size() - kMostGuards : 0;
  for (std::size_t i = first; i < guards.size(); ++i) {
    bool negated = guards[i].negated;
    const python::Expr* condition = guards[i].condition;
    for (const auto* unary = python::as<python::UnaryOp>(condition);
         unary != nullptr && unary->op == python::UnaryOperator::kNot; unary = python::as<python::UnaryOp>(condition)) {
      negated = !negated;
      condition = unary->operand;
    }
    words.push_back(fmt::format("{}{}", negated ? "not " : "", code(one_line(source, *condition, 60))));
  }
  if (words.empty()) return {};
  return fmt::format(", only if {}{}", first > 0 ? "… and " : "", join_words(words));
}

std::string_view certainty_note(program::Certainty certainty) {
  if (certainty == program::Certainty::kPossible) return "  (possible)";
  return certainty == program::Certainty::kByName ? "  (by name)" : "";
}

program::Certainty certainty_of(const Program& program, CallId call, FunctionId callee) {
  for (const program::CallTarget& target : program.calls()[call].targets) {
    if (target.function == callee) return target.certainty;
  }
  return program::Certainty::kByName;
}

CodeBlock tree_block(const Program& program, const TraceTree& tree, std::string_view arrow) {
  CodeBlock block;
  block.language = "text";
  for (const TraceLine& line : tree.lines) {
    const CallSite& site = program.calls()[line.call];
    std::string text = fmt::format("{:{}}{} {}  {}:{}", "", (line.depth - 1) * 2, arrow,
                                   program.functions()[line.function].qualified_name,
                                   program.module_of(site.caller).path, call_line(program, line.call) + 1);
    if (line.more_sites > 0) text += fmt::format(" (+{})", line.more_sites);
    text += certainty_note(line.certainty);
    if (line.closes_cycle) {
      text += "  (cycle)";
    } else if (line.shown_before) {
      text += "  (shown elsewhere)";
    }
    block.lines.push_back(std::move(text));
  }
  return block;
}

void write_tree(Document& document, const Program& program, std::string_view heading, const TraceTree& tree,
                std::string_view arrow, std::string_view nothing) {
  document.heading(2, heading);
  if (tree.lines.empty()) {
    document.paragraph(nothing);
    return;
  }
  document.code_block(tree_block(program, tree, arrow));
  if (tree.left_out > 0)
    document.paragraph(fmt::format("{} more that they call or are called by left out.", tree.left_out));
}

std::string step_text(const Program& program, CallId call, FunctionId callee, std::string_view external) {
  const FunctionId caller = program.calls()[call].caller;
  const bool is_possible = callee.valid() && certainty_of(program, call, callee) != program::Certainty::kExact;
  return fmt::format("{} calls {}{} at {}{}", name_of(program, caller),
                     callee.valid() ? name_of(program, callee) : code(external), is_possible ? " (one of several)" : "",
                     call_place(program, call), guards_text(program, call));
}

std::vector<std::string> steps_of(const Program& program, const program::CallPath& path) {
  std::vector<std::string> steps;
  for (const program::PathStep& step : path) steps.push_back(step_text(program, step.call, step.callee, {}));
  return steps;
}

/// Calls by the symbol's name that may run it.
void add_namesakes(Document& document, const Program& program, const Trace& trace) {
  if (trace.unresolved_namesakes.empty()) return;
  std::vector<std::string> places;
  for (const CallId call : trace.unresolved_namesakes) {
    if (places.size() < kMostPlaces) places.push_back(call_place(program, call));
  }
  const std::size_t all = trace.unresolved_namesakes.size();
  document.paragraph(fmt::format("{} to something called {} {} no known target and may run it: {}{}.",
                                 count_of(all, "call"), code(program.functions()[trace.symbol].name),
                                 all == 1 ? "has" : "have", join_words(places),
                                 all > places.size() ? fmt::format(" and {} more", all - places.size()) : ""));
}

void write_ways(Document& document, const Program& program, const Trace& trace) {
  document.heading(2, "Where runs reach it from");
  if (trace.ways.empty()) {
    document.paragraph("No script and no test of this tree reaches it by the calls whose targets are known.");
    add_namesakes(document, program, trace);
    return;
  }
  document.paragraph(fmt::format("{} and {} of this tree reach it; the nearest:", count_of(trace.scripts, "script"),
                                 count_of(trace.tests, "test")));
  std::vector<std::string> items;
  for (const TraceWay& way : trace.ways) {
    std::string text = fmt::format(
        "{} {}: ", way.kind == program::EntryKind::kScript ? "script" : "test",
        place(program.module_of(way.entry).path, way.path.empty() ? 0 : call_line(program, way.path.front().call)));
    for (const program::PathStep& step : way.path) {
      text += fmt::format("{} → ", code(short_name(program, program.calls()[step.call].caller)));
    }
    items.push_back(text + code(short_name(program, trace.symbol)));
  }
  document.bullets(items);
  const TraceWay& first = trace.ways.front();
  if (first.path.size() < 2) return;
  document.paragraph("The first, step by step:");
  document.numbered(steps_of(program, first.path));
}

void write_paths(Document& document, const Program& program, const Trace& trace) {
  const TraceTarget& to = *trace.to;
  document.heading(2, fmt::format("Paths to {}", code(to.name)));
  std::vector<std::string> meanings;
  for (const FunctionId function : to.functions) meanings.push_back(name_of(program, function));
  for (const std::string& external : to.external) meanings.push_back(code(external));
  if (meanings.size() > 8) {
    const std::size_t more = meanings.size() - 8;
    meanings.resize(8);
    meanings.push_back(fmt::format("{} more", more));
  }
  if (meanings.size() > 1 || !to.external.empty())
    document.paragraph(fmt::format("It may mean {}.", join_words(meanings)));
  if (trace.paths.empty()) {
    document.paragraph(
        trace.unresolved == 0
            ? std::string("None: no call path leads there.")
            : fmt::format("None found. {} in what {} reaches {} no known target; a path may lead through {}.",
                          count_of(trace.unresolved, "call"), name_of(program, trace.symbol),
                          trace.unresolved == 1 ? "has" : "have", trace.unresolved == 1 ? "it" : "them"));
    return;
  }
  for (const TracePath& path : trace.paths) {
    std::vector<std::string> steps = steps_of(program, path.path);
    if (path.external_call.valid()) steps.push_back(step_text(program, path.external_call, {}, path.external));
    document.paragraph(fmt::format("{}:", count_of(steps.size(), "call")));
    document.numbered(steps);
  }
  if (trace.paths_left_out > 0) {
    document.paragraph(fmt::format("{}{} left out.", trace.may_be_more ? "At least " : "",
                                   count_of(trace.paths_left_out, "longer path")));
  }
}

void write_definition(Document& document, const Program& program, FunctionId symbol) {
  const Function& function = program.functions()[symbol];
  document.title = prose(fmt::format("Trace of {}", code(function.qualified_name)));
  std::string text = fmt::format("Defined at {}", place_of(program, symbol));
  if (function.def() != nullptr)
    text += fmt::format(" as {}", code(fmt::format("{}({})", function.name, parameters_of(program, function))));
  text += ".";
  const std::string doc = docstring_sentence(function.node);
  if (!doc.empty()) text += fmt::format(" Its docstring says: \"{}\"", plain(doc));
  document.paragraph(text);
}

/// Calls of `symbol` that its trace leaves out though one of their targets may issue collectives: the trace holds only
/// what is issued whichever of several functions runs.
std::vector<std::string> unfollowed_calls(const Program& program, const mesh::MeshAnalysis& mesh, FunctionId symbol) {
  const std::span<const CallId> followed = mesh.calls_in_trace(symbol);
  std::vector<std::string> items;
  for (const CallId id : program.functions()[symbol].calls) {
    const CallSite& site = program.calls()[id];
    std::vector<std::string> targets;
    for (const program::CallTarget& target : site.targets) {
      if (mesh::runs_now(target, program) && mesh.may_communicate(target.function))
        targets.push_back(name_of(program, target.function));
    }
    if (targets.empty() || std::binary_search(followed.begin(), followed.end(), id)) continue;
    const std::size_t all = targets.size();
    if (all > kMostPlaces) targets.resize(kMostPlaces);
    items.push_back(fmt::format("{}: {}{}{}{}", call_place(program, id), all > 1 ? "one of " : "", join_words(targets),
                                all > targets.size() ? fmt::format(" and {} more", all - targets.size()) : "",
                                guards_text(program, id)));
  }
  return items;
}

void write_collectives(Document& document, const Program& program, const mesh::MeshAnalysis& mesh, FunctionId symbol) {
  document.heading(2, "Collective trace");
  const std::string text = mesh.trace_text(symbol);
  std::vector<std::string> unfollowed = unfollowed_calls(program, mesh, symbol);
  const auto add_unfollowed = [&](std::string_view intro) {
    if (unfollowed.empty()) return;
    document.paragraph(intro);
    const std::size_t all = unfollowed.size();
    if (all > kMostUnfollowed) unfollowed.resize(kMostUnfollowed);
    if (all > unfollowed.size()) unfollowed.push_back(fmt::format("and {} more calls", all - unfollowed.size()));
    document.bullets(unfollowed);
  };
  if (trim(text).empty()) {
    if (unfollowed.empty()) {
      document.paragraph(mesh.may_communicate(symbol)
                             ? "It issues collectives, but none whose place and order are known."
                             : "The call graph finds no collective in it or in what it calls.");
    }
    add_unfollowed("No collective is issued whichever way it runs. These calls may issue some:");
    return;
  }
  CodeBlock block;
  block.language = "text";
  for (const std::string_view line : split_lines(text)) block.lines.emplace_back(line);
  document.code_block(std::move(block));
  add_unfollowed(
      "Not in it, because what runs there is one of several functions or depends on what is passed; these calls "
      "may issue collectives too:");
}

}  // namespace

Document write_trace(const Program& program, const mesh::MeshAnalysis& mesh, const Trace& trace,
                     bool collectives_only) {
  Document document;
  write_definition(document, program, trace.symbol);
  if (trace.to) {
    write_paths(document, program, trace);
    return document;
  }
  if (!collectives_only) {
    write_ways(document, program, trace);
    write_tree(document, program, "Callers", trace.callers, "←", "No call whose target is known calls it.");
    write_tree(document, program, "Callees", trace.callees, "→", "It calls nothing of this tree.");
  }
  write_collectives(document, program, mesh, trace.symbol);
  return document;
}

}  // namespace lockstep::report
