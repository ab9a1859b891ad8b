#include "report/graph/graph.h"

#include <algorithm>
#include <tuple>

#include "base/worker_pool.h"
#include "report/graph/graph_facts.h"
#include "report/graph/graph_rank.h"

namespace lockstep::report {

namespace {

using program::CallSite;
using program::CallTarget;
using program::Function;
using program::FunctionId;
using program::Program;

/// One target of one call site.
struct Hit {
  std::string_view name;
  std::uint32_t to;
  std::uint32_t line;
  program::Certainty certainty;
  program::CallKind kind;
  bool in_loop;
};

/// Fills one file of a model; files are independent of each other, so each runs on any thread.
class FileMaker {
 public:
  FileMaker(GraphModel& model, GraphFile& file, const std::vector<bool>& entries)
      : model_(model),
        file_(file),
        entries_(entries),
        program_(*model.program),
        module_(program_.modules()[file.module]),
        source_(module_.facts->source()),
        loops_(*module_.facts),
        places_(program_) {}

  void make() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edge_ranges;  // by node: begin, end in file_.edges
    std::uint32_t at = file_.first_node;
    const auto add = [&](FunctionId id) {
      GraphNode& node = model_.nodes[at++];
      fill(node, id);
      const auto begin = static_cast<std::uint32_t>(file_.edges.size());
      add_edges(node);
      edge_ranges.emplace_back(begin, static_cast<std::uint32_t>(file_.edges.size()));
    };
    if (module_.body.valid()) add(module_.body);
    for (const FunctionId id : module_.functions) add(id);
    // Both pools are complete: spans into them stay valid from here on.
    for (std::size_t i = 0; i < file_.edges.size(); ++i) {
      file_.edges[i].lines =
          std::span<const std::uint32_t>(file_.lines).subspan(line_ranges_[i].first, line_ranges_[i].second);
    }
    for (std::size_t i = 0; i < edge_ranges.size(); ++i) {
      model_.nodes[file_.first_node + i].calls =
          std::span<const GraphEdge>(file_.edges)
              .subspan(edge_ranges[i].first, edge_ranges[i].second - edge_ranges[i].first);
    }
  }

 private:
  void fill(GraphNode& node, FunctionId id) {
    const Function& function = program_.functions()[id];
    node.function = id;
    node.file = static_cast<std::uint32_t>(&file_ - model_.files.data());
    node.qualified_name = function.qualified_name;
    node.local_name = node.qualified_name;
    if (node.local_name.size() > module_.name.size() + 1) node.local_name.remove_prefix(module_.name.size() + 1);
    node.is_module_body = function.kind == program::FunctionKind::kModuleBody;
    node.is_lambda = function.kind == program::FunctionKind::kLambda;
    node.is_entry = entries_[id.index()];
    node.is_test = is_test_function(program_, function, file_.is_test);
    node.is_constructor = function.name == "__init__" || function.name == "__new__";
    node.is_dunder = function.name.size() > 4 && function.name.starts_with("__") && function.name.ends_with("__");
    if (function.node != nullptr) {
      node.first_line = source_.line_of(function.node->span.begin);
      node.last_line = source_.line_of(function.node->span.end > 0 ? function.node->span.end - 1 : 0);
    }
    node.config_reads =
        model_.groundwork != nullptr ? model_.groundwork->config_reads[id.index()] : config_reads(program_, function);
  }

  void add_edges(GraphNode& node) {
    const Function& function = program_.functions()[node.function];
    hits_.clear();
    for (const program::CallId call : function.calls) {
      const CallSite& site = program_.calls()[call];
      const std::uint32_t line = source_.line_of(site.node->span.begin);
      const bool in_loop = loops_.holds(function.node->span, site.node->span.begin);
      for (const CallTarget& target : site.targets) {
        const bool is_internal = target.function.valid();
        const std::string_view name =
            is_internal ? std::string_view(program_.functions()[target.function].qualified_name) : target.external;
        const std::uint32_t to = is_internal ? model_.node_of[target.function.index()] : GraphEdge::kExternal;
        hits_.push_back({name, to, line, target.certainty, target.kind, in_loop});
      }
      GraphHostSync sync;
      if (host_sync_of(site, places_, sync)) {
        sync.line = line;
        node.host_syncs.push_back(sync);
      }
    }
    group_hits();
  }

  // Several sites of one callee become one edge, at the place of the first.
  void group_hits() {
    std::stable_sort(hits_.begin(), hits_.end(), [](const Hit& a, const Hit& b) {
      return std::tie(a.to, a.name, a.line) < std::tie(b.to, b.name, b.line);
    });
    const std::size_t first_edge = file_.edges.size();
    for (std::size_t i = 0; i < hits_.size();) {
      GraphEdge edge;
      edge.to = hits_[i].to;
      edge.name = hits_[i].name;
      edge.certainty = hits_[i].certainty;
      edge.kind = hits_[i].kind;
      const auto begin = static_cast<std::uint32_t>(file_.lines.size());
      for (const Hit first = hits_[i]; i < hits_.size() && hits_[i].to == first.to && hits_[i].name == first.name;
           ++i) {
        edge.certainty = std::min(edge.certainty, hits_[i].certainty);
        edge.in_loop = edge.in_loop || hits_[i].in_loop;
        file_.lines.push_back(hits_[i].line);
      }
      file_.edges.push_back(edge);
      line_ranges_.emplace_back(begin, static_cast<std::uint32_t>(file_.lines.size()) - begin);
    }
    sort_edges(first_edge);
  }

  void sort_edges(std::size_t first_edge) {
    const std::size_t count = file_.edges.size() - first_edge;
    order_.resize(count);
    for (std::size_t i = 0; i < count; ++i) order_[i] = {file_.edges[first_edge + i], line_ranges_[first_edge + i]};
    std::sort(order_.begin(), order_.end(), [&](const auto& a, const auto& b) {
      const std::uint32_t line_a = file_.lines[a.second.first];
      const std::uint32_t line_b = file_.lines[b.second.first];
      return std::tie(line_a, a.first.name, a.first.to) < std::tie(line_b, b.first.name, b.first.to);
    });
    for (std::size_t i = 0; i < count; ++i) {
      file_.edges[first_edge + i] = order_[i].first;
      line_ranges_[first_edge + i] = order_[i].second;
    }
  }

  GraphModel& model_;
  GraphFile& file_;
  const std::vector<bool>& entries_;
  const Program& program_;
  const program::Module& module_;
  const SourceText& source_;
  const LoopSpans loops_;
  const rules::ValuePlaces places_;
  std::vector<Hit> hits_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> line_ranges_;  // by edge: begin, count in file_.lines
  std::vector<std::pair<GraphEdge, std::pair<std::uint32_t, std::uint32_t>>> order_;
};

void lay_out(GraphModel& model, const GraphOptions& options) {
  const Program& program = *model.program;
  model.node_of.assign(program.functions().size(), GraphEdge::kExternal);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[program::ModuleId(i)];
    GraphFile file;
    file.module = program::ModuleId(i);
    file.first_node = next;
    file.is_test = program::is_test_path(module.path);
    file.is_shown = is_below(module.path, options.paths);
    if (module.body.valid()) model.node_of[module.body.index()] = next++;
    for (const FunctionId id : module.functions) model.node_of[id.index()] = next++;
    file.node_count = next - file.first_node;
    model.files.push_back(std::move(file));
  }
  model.nodes.resize(next);
}

void add_collectives(const Program& program, const mesh::MeshAnalysis& mesh, GraphNode& node) {
  using Kind = mesh::Group::Kind;
  for (const mesh::CollectiveSite& site : mesh.collectives_of(node.function)) {
    const bool is_known = site.group.kind == Kind::kKnown || site.group.kind == Kind::kWorld;
    const SourceText& source = program.module_of(node.function).facts->source();
    node.collectives.push_back({site.operation, is_known ? mesh.describe(site.group.span) : site.group.text,
                                source.line_of(site.call->span.begin)});
  }
}

void count_shown(GraphModel& model) {
  for (const GraphFile& file : model.files) {
    if (!file.is_shown) continue;
    ++model.shown_files;
    model.shown_nodes += file.node_count;
    for (const GraphNode& node : model.nodes_of(file)) {
      const Function& function = model.program->functions()[node.function];
      if (function.owner.valid() || function.enclosing.valid()) ++model.contains_edges;
      for (const GraphEdge& edge : node.calls) {
        if (edge.is_internal() && model.is_shown(model.nodes[edge.to])) ++model.call_edges;
      }
    }
  }
}

}  // namespace

bool is_below(std::string_view path, std::span<const std::string> paths) {
  if (paths.empty()) return true;
  return std::any_of(paths.begin(), paths.end(), [&](std::string_view prefix) {
    while (prefix.ends_with('/')) prefix.remove_suffix(1);
    return prefix == "." || path == prefix ||
           (path.starts_with(prefix) && path.size() > prefix.size() && path[prefix.size()] == '/');
  });
}

GraphGroundwork lay_graph_groundwork(const Program& program) {
  GraphGroundwork ground;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const Function& function = program.functions()[FunctionId(i)];
    ground.config_reads.push_back(config_reads(program, function));
    ground.parameters.push_back(parameters_of(program, function));
  }
  return ground;
}

GraphModel begin_graph(const Program& program, std::span<const program::Reached> step_path,
                       const GraphOptions& options) {
  GraphModel model;
  model.program = &program;
  model.groundwork = options.groundwork;
  lay_out(model, options);
  std::vector<bool> entries(program.functions().size(), false);
  for (const program::Entry& entry : program::entry_points(program)) {
    if (entry.kind == program::EntryKind::kScript) entries[entry.function.index()] = true;
  }
  parallel_for(model.files.size(), options.jobs,
               [&](std::size_t i) { FileMaker(model, model.files[i], entries).make(); });
  for (const FunctionId function : options.focus) model.focus.push_back(model.node_of[function.index()]);
  std::sort(model.focus.begin(), model.focus.end());
  model.focus.erase(std::unique(model.focus.begin(), model.focus.end()), model.focus.end());
  count_shown(model);
  rank_graph(model, step_path);
  return model;
}

void complete_graph(GraphModel& model, const mesh::MeshAnalysis& mesh) {
  for (GraphNode& node : model.nodes) add_collectives(*model.program, mesh, node);
  set_importance(model);
}

GraphModel make_graph(const Program& program, const mesh::MeshAnalysis& mesh,
                      std::span<const program::Reached> step_path, const GraphOptions& options) {
  GraphModel model = begin_graph(program, step_path, options);
  complete_graph(model, mesh);
  return model;
}

}  // namespace lockstep::report
