// callers, callees, call_paths, collective_trace.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"
#include "mcp/entity.h"
#include "mcp/tools.h"
#include "program/queries.h"
#include "render/graph_text.h"
#include "render/markdown.h"
#include "report/graph/trace.h"
#include "report/source/code.h"

namespace lockstep::mcp {

namespace {

using program::CallId;
using program::CallSite;
using program::CallTarget;
using program::FunctionId;
using program::Program;

constexpr std::size_t kMostSites = 2000;
constexpr std::size_t kMostGuards = 3;
constexpr std::size_t kMostBelow = 12;

const CallTarget* target_of(const CallSite& site, FunctionId function) {
  for (const CallTarget& target : site.targets) {
    if (target.function == function) return &target;
  }
  return nullptr;
}

std::string certainty_note(const CallTarget& target) {
  std::string note;
  if (target.certainty != program::Certainty::kExact)
    note += fmt::format(" [{}]", render::certainty_text(target.certainty));
  if (target.kind != program::CallKind::kDirect) note += fmt::format(" [{}]", render::kind_text(target.kind));
  return note;
}

std::string site_source(const Program& program, CallId call) {
  const CallSite& site = program.calls()[call];
  return render::safe_line(report::one_line(program.module_of(site.caller).facts->source(), *site.node, 90));
}

struct Listing {
  const Program& program;
  std::vector<std::string> items;
  std::size_t left_out = 0;

  bool add(int depth, std::string text) {
    if (items.size() >= kMostSites) {
      ++left_out;
      return false;
    }
    items.push_back(std::string(static_cast<std::size_t>(depth - 1) * 2, ' ') + std::move(text));
    return true;
  }
};

struct Pending {
  FunctionId function;
  int depth;
};

// Depth first with an explicit stack; each function's own sites stand once.
void add_callers(Listing& listing, FunctionId root, int most_depth, bool with_tests) {
  const Program& program = listing.program;
  std::unordered_set<FunctionId> expanded = {root};
  const auto sites_of = [&](FunctionId function) {
    std::vector<CallId> sites(program.callers_of(function).begin(), program.callers_of(function).end());
    const auto of_tests = [&](CallId call) {
      return program::is_test_path(program.module_of(program.calls()[call].caller).path);
    };
    if (!with_tests) std::erase_if(sites, of_tests);
    std::stable_partition(sites.begin(), sites.end(), [&](CallId call) { return !of_tests(call); });
    return sites;
  };
  struct Step {
    CallId call;
    FunctionId callee;
    int depth;
  };
  std::vector<Step> stack;
  const auto push = [&](FunctionId function, int depth) {
    const std::vector<CallId> sites = sites_of(function);
    for (auto site = sites.rbegin(); site != sites.rend(); ++site) stack.push_back({*site, function, depth});
  };
  push(root, 1);
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    const CallSite& site = program.calls()[step.call];
    const CallTarget* target = target_of(site, step.callee);
    if (target == nullptr) continue;
    const bool is_new = step.depth < most_depth && expanded.insert(site.caller).second;
    const std::string_view seen = !is_new && step.depth < most_depth ? " [callers shown once]" : "";
    listing.add(step.depth, fmt::format("{}  {}: {}{}{}", program.functions()[site.caller].qualified_name,
                                        call_place(program, step.call), site_source(program, step.call),
                                        certainty_note(*target), seen));
    if (is_new) push(site.caller, step.depth + 1);
  }
}

std::string collective_note(const mesh::MeshAnalysis& mesh, FunctionId caller, const python::Node* call) {
  for (const mesh::CollectiveSite& site : mesh.collectives_of(caller)) {
    if (site.call != call) continue;
    const std::string group = site.group.text.empty() ? "" : " on " + render::safe_line(site.group.text, 80);
    return fmt::format(" [{} {}{}{}]", site.is_point_to_point ? "point-to-point" : "collective", site.operation, group,
                       site.is_async ? ", async" : "");
  }
  return {};
}

std::string callee_text(const Program& program, const mesh::MeshAnalysis& mesh, FunctionId caller, CallId call,
                        const CallTarget& target) {
  const std::string line = call_place(program, call).substr(program.module_of(caller).path.size());
  const std::string marks = certainty_note(target) + collective_note(mesh, caller, program.calls()[call].node);
  if (!target.function.valid())
    return fmt::format("{} {}  (external){}", line, render::safe_line(target.external, 120), marks);
  return fmt::format("{} {}  {}{}", line, program.functions()[target.function].qualified_name,
                     place_text(program, target.function), marks);
}

void add_callees(Listing& listing, const mesh::MeshAnalysis& mesh, FunctionId root, int most_depth,
                 bool with_external) {
  const Program& program = listing.program;
  std::unordered_set<FunctionId> expanded = {root};
  struct Step {
    FunctionId caller;
    CallId call;
    std::size_t target;  // kUnresolved: none.
    int depth;
  };
  constexpr std::size_t kUnresolved = SIZE_MAX;
  std::vector<Step> stack;
  const auto push = [&](FunctionId function, int depth) {
    std::vector<Step> steps;
    for (const CallId call : program.functions()[function].calls) {
      const CallSite& site = program.calls()[call];
      for (std::size_t i = 0; i < site.targets.size(); ++i) steps.push_back({function, call, i, depth});
      if (site.targets.empty() && with_external) steps.push_back({function, call, kUnresolved, depth});
    }
    stack.insert(stack.end(), steps.rbegin(), steps.rend());
  };
  push(root, 1);
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    const CallSite& site = program.calls()[step.call];
    if (step.target == kUnresolved) {
      const std::string line = call_place(program, step.call).substr(program.module_of(step.caller).path.size());
      listing.add(step.depth, fmt::format("{} {}  (unresolved: {})", line, site_source(program, step.call),
                                          render::safe_line(site.unresolved_because, 100)));
      continue;
    }
    const CallTarget& target = site.targets[step.target];
    if (!target.function.valid() && !with_external) continue;
    const bool is_new = target.function.valid() && step.depth < most_depth && expanded.insert(target.function).second;
    listing.add(step.depth, callee_text(program, mesh, step.caller, step.call, target));
    if (is_new) push(target.function, step.depth + 1);
  }
}

std::string guards_text(const Program& program, CallId call) {
  const CallSite& site = program.calls()[call];
  const program::Function& caller = program.functions()[site.caller];
  if (caller.node == nullptr) return {};
  std::vector<report::Guard> guards = report::guards_of(*caller.node, site.node->span);
  std::erase_if(guards, [](const report::Guard& guard) { return guard.condition == nullptr; });
  const std::size_t first = guards.size() > kMostGuards ? guards.size() - kMostGuards : 0;
  const SourceText& source = program.module_of(site.caller).facts->source();
  std::vector<std::string> words;
  for (std::size_t i = first; i < guards.size(); ++i) {
    words.push_back(fmt::format("{}({})", guards[i].negated ? "not " : "",
                                render::safe_line(report::one_line(source, *guards[i].condition, 70))));
  }
  if (words.empty()) return {};
  return fmt::format("  if {}", fmt::join(words, " and "));
}

std::string step_text(const Program& program, CallId call, FunctionId callee, std::string_view external) {
  const CallSite& site = program.calls()[call];
  std::string marks;
  if (const CallTarget* target = callee.valid() ? target_of(site, callee) : nullptr; target != nullptr)
    marks = certainty_note(*target);
  return fmt::format("  {} → {}  {}{}{}", report::short_name(program, site.caller),
                     callee.valid() ? report::short_name(program, callee) : render::safe_line(external, 100),
                     call_place(program, call), marks, guards_text(program, call));
}

std::string path_item(const Program& program, const report::TracePath& path, std::size_t number) {
  const std::size_t count = path.path.size() + (path.external_call.valid() ? 1 : 0);
  std::string text = fmt::format("{}. {}", number, count_of(count, "call"));
  for (const program::PathStep& step : path.path)
    text += fmt::format("\n{}", step_text(program, step.call, step.callee, {}));
  if (path.external_call.valid())
    text += fmt::format("\n{}", step_text(program, path.external_call, {}, path.external));
  return text;
}

// The next call on a shortest way to what `distance` counts from: the first of its calls that leads nearer, a sure one
// before others.
std::optional<program::PathStep> nearer(const Program& program, FunctionId from,
                                        const std::unordered_map<FunctionId, int>& distance) {
  std::optional<program::PathStep> next;
  const int wanted = distance.at(from) - 1;
  for (const CallId call : program.functions()[from].calls) {
    for (const CallTarget& target : program.calls()[call].targets) {
      const auto known = target.function.valid() ? distance.find(target.function) : distance.end();
      if (known == distance.end() || known->second != wanted) continue;
      if (target.certainty == program::Certainty::kExact) return program::PathStep{call, target.function};
      if (!next) next = program::PathStep{call, target.function};
    }
  }
  return next;
}

// All scripts, then all tests that reach it, the nearest first, each with a shortest way.
Answer ways_to(const Program& program, FunctionId to) {
  std::unordered_map<FunctionId, program::EntryKind> entries;
  for (const program::Entry& entry : program::entry_points(program)) {
    if (entry.kind != program::EntryKind::kPublicApi) entries.emplace(entry.function, entry.kind);
  }
  const std::vector<program::Reached> near = program::reaching(program, to, program.functions().size());
  std::unordered_map<FunctionId, int> distance;
  for (const program::Reached& reached : near) distance.emplace(reached.function, reached.distance);
  distance.emplace(to, 0);
  Answer answer;
  std::map<program::EntryKind, std::size_t> counts;
  for (const program::EntryKind kind : {program::EntryKind::kScript, program::EntryKind::kTest}) {
    for (const program::Reached& reached : near) {
      const auto entry = entries.find(reached.function);
      if (entry == entries.end() || entry->second != kind) continue;
      ++counts[kind];
      std::string text = fmt::format("{} {}", kind == program::EntryKind::kScript ? "script" : "test",
                                     program.functions()[reached.function].qualified_name);
      for (FunctionId at = reached.function; at != to;) {
        const auto step = nearer(program, at, distance);
        if (!step) break;
        text += fmt::format("\n{}", step_text(program, step->call, step->callee, {}));
        at = step->callee;
      }
      answer.items.push_back(std::move(text));
    }
  }
  answer.head = fmt::format("{} and {} reach {} ({})", count_of(counts[program::EntryKind::kScript], "script"),
                            count_of(counts[program::EntryKind::kTest], "test"), program.functions()[to].qualified_name,
                            place_text(program, to));
  return answer;
}

void add_trace(const mesh::MeshAnalysis& mesh, FunctionId function, Answer& answer) {
  const std::string text = mesh.trace_text(function);
  for (const std::string_view line : split_lines(text)) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    answer.items.push_back(std::string(indent, ' ') + render::safe_line(line.substr(indent), 300));
  }
}

// What it calls and what that calls, as far as collectives are there: nearest first, the first kMostBelow.
std::vector<FunctionId> communicating_below(const Program& program, const mesh::MeshAnalysis& mesh, FunctionId root) {
  std::vector<FunctionId> found = {root};
  std::unordered_set<FunctionId> seen = {root};
  for (std::size_t i = 0; i < found.size() && found.size() <= kMostBelow; ++i) {
    for (const CallId call : program.functions()[found[i]].calls) {
      for (const CallTarget& target : program.calls()[call].targets) {
        const bool leads_on = target.function.valid() && target.certainty != program::Certainty::kByName &&
                              mesh.may_communicate(target.function) && !trim(mesh.trace_text(target.function)).empty();
        if (leads_on && found.size() <= kMostBelow && seen.insert(target.function).second)
          found.push_back(target.function);
      }
    }
  }
  found.erase(found.begin());
  return found;
}

void add_divergences(const Program& program, const mesh::MeshAnalysis& mesh, FunctionId function, Answer& answer) {
  for (const mesh::Divergence& divergence : mesh.divergences()) {
    if (divergence.function != function && divergence.collective.function != function) continue;
    const program::Module& module = program.module_of(divergence.function);
    const std::uint32_t line = module.facts->source().line_of(divergence.place->span.begin);
    std::string text = fmt::format(
        "diverges: {} on {} hangs on something that varies along {}, {}:{} ({})", divergence.collective.operation,
        render::safe_line(divergence.collective.group.text, 80), mesh.describe(divergence.varies), module.path,
        line + 1,
        divergence.proven ? "proven" : fmt::format("not proven: {}", render::safe_line(divergence.missing_step, 120)));
    for (const mesh::Step& step : divergence.steps) {
      text += fmt::format("\n  {}:{} {}", program.modules()[step.module].path, step.line + 1,
                          render::safe_line(step.message, 200));
    }
    answer.items.push_back(std::move(text));
  }
}

}  // namespace

Result<Answer> list_callers(const ToolContext& context) {
  const Result<const driver::Tree*> tree = context.workspace.linked(context.progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const Program& program = (*tree)->program;
  const Result<FunctionId> function = find_called(program, context.arguments.text("symbol"));
  if (!function) return tl::unexpected<Error>(function.error());
  Listing listing{program, {}, 0};
  add_callers(listing, *function, static_cast<int>(context.arguments.number("depth", 1)),
              context.arguments.flag("tests", true));
  Answer answer;
  answer.version = context.workspace.version();
  std::set<FunctionId> callers;
  for (const CallId call : program.callers_of(*function)) callers.insert(program.calls()[call].caller);
  answer.head = fmt::format("{} is called at {} in {}  ({})", program.functions()[*function].qualified_name,
                            count_of(program.callers_of(*function).size(), "place"),
                            count_of(callers.size(), "function"), place_text(program, *function));
  answer.items = std::move(listing.items);
  if (listing.left_out > 0) answer.tail = fmt::format("{} more call sites left out.", listing.left_out);
  return answer;
}

Result<Answer> list_callees(const ToolContext& context) {
  const Result<const driver::Tree*> tree = context.workspace.analysed(context.progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const Program& program = (*tree)->program;
  const Result<FunctionId> function = find_called(program, context.arguments.text("symbol"));
  if (!function) return tl::unexpected<Error>(function.error());
  Listing listing{program, {}, 0};
  add_callees(listing, (*tree)->mesh, *function, static_cast<int>(context.arguments.number("depth", 1)),
              context.arguments.flag("external", true));
  Answer answer;
  answer.version = context.workspace.version();
  answer.head = fmt::format("{} calls, by line of {}", program.functions()[*function].qualified_name,
                            place_text(program, *function));
  if (listing.items.empty())
    answer.head = fmt::format("{} calls nothing  ({})", program.functions()[*function].qualified_name,
                              place_text(program, *function));
  answer.items = std::move(listing.items);
  if (listing.left_out > 0) answer.tail = fmt::format("{} more calls left out.", listing.left_out);
  return answer;
}

Result<Answer> list_call_paths(const ToolContext& context) {
  const Result<const driver::Tree*> tree = context.workspace.linked(context.progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const Program& program = (*tree)->program;
  const std::string to = context.arguments.text("to");
  if (!context.arguments.has("from")) {
    const Result<FunctionId> target = find_called(program, to);
    if (!target) return tl::unexpected<Error>(target.error());
    Answer answer = ways_to(program, *target);
    answer.version = context.workspace.version();
    return answer;
  }
  const Result<FunctionId> from = find_called(program, context.arguments.text("from"));
  if (!from) return tl::unexpected<Error>(from.error());
  Result<report::TraceTarget> target = fail("");
  if (const Result<Entity> entity = find_entity(program, to); entity && entity->kind == EntityKind::kFunction) {
    target = report::TraceTarget{to, {entity->function}, {}};
  } else {
    target = report::find_target(program, to);
  }
  if (!target) return tl::unexpected<Error>(target.error());
  const report::Trace trace = report::make_trace(program, *from, std::move(*target));
  Answer answer;
  answer.version = context.workspace.version();
  answer.head = fmt::format("{} from {} to {}", count_of(trace.paths.size(), "call path"),
                            program.functions()[*from].qualified_name, render::safe_line(to, 100));
  for (std::size_t i = 0; i < trace.paths.size(); ++i)
    answer.items.push_back(path_item(program, trace.paths[i], i + 1));
  if (trace.paths_left_out > 0) {
    answer.tail = fmt::format("{}{} left out.", trace.may_be_more ? "At least " : "",
                              count_of(trace.paths_left_out, "longer path"));
  }
  return answer;
}

Result<Answer> collective_trace(const ToolContext& context) {
  const Result<const driver::Tree*> tree = context.workspace.analysed(context.progress);
  if (!tree) return tl::unexpected<Error>(tree.error());
  const Program& program = (*tree)->program;
  const mesh::MeshAnalysis& mesh = (*tree)->mesh;
  const Result<FunctionId> function = find_called(program, context.arguments.text("symbol"));
  if (!function) return tl::unexpected<Error>(function.error());
  Answer answer;
  answer.version = context.workspace.version();
  const std::string name =
      fmt::format("{} ({})", program.functions()[*function].qualified_name, place_text(program, *function));
  if (trim(mesh.trace_text(*function)).empty()) {
    answer.head = mesh.may_communicate(*function)
                      ? fmt::format("{} may issue collectives, but none whose place and order are known", name)
                      : fmt::format("The call graph finds no collective in {} or in what it calls", name);
  } else {
    answer.head = fmt::format("Collectives of {}", name);
    add_trace(mesh, *function, answer);
    for (const FunctionId callee : communicating_below(program, mesh, *function)) {
      answer.items.push_back(
          fmt::format("Below it, {} ({}):", program.functions()[callee].qualified_name, place_text(program, callee)));
      add_trace(mesh, callee, answer);
    }
  }
  add_divergences(program, mesh, *function, answer);
  return answer;
}

}  // namespace lockstep::mcp
