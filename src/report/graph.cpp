#include "report/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "python/tree_walk.h"

namespace lockstep::report {

namespace {

using program::CallSite;
using program::CallTarget;
using program::Certainty;
using program::Function;
using program::FunctionId;
using program::Program;
using python::Node;
using python::NodeKind;

bool is_below(std::string_view path, std::span<const std::string> paths) {
  if (paths.empty()) return true;
  return std::any_of(paths.begin(), paths.end(), [&](std::string_view prefix) {
    while (prefix.ends_with('/')) prefix.remove_suffix(1);
    return prefix == "." || path == prefix || (path.starts_with(prefix) && path.size() > prefix.size() && path[prefix.size()] == '/');
  });
}

std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\\';
    if (!blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ' && result.back() != '(' && result.back() != '[') {
      result += ' ';
    }
  }
  return result;
}

std::string parameter_text(const SourceText& source, const python::Parameter& parameter) {
  using Kind = python::Parameter::Kind;
  std::string text;
  if (parameter.parameter_kind == Kind::kVarArgs) text = "*";
  if (parameter.parameter_kind == Kind::kVarKeywords) text = "**";
  text += parameter.name.text;
  if (parameter.annotation != nullptr) text += ": " + one_line(source.slice(parameter.annotation->span));
  if (parameter.default_value != nullptr) {
    text += parameter.annotation != nullptr ? " = " : "=";
    text += one_line(source.slice(parameter.default_value->span));
  }
  return text;
}

std::string parameters_text(const SourceText& source, const python::Parameters& parameters) {
  using Kind = python::Parameter::Kind;
  std::vector<std::string> parts;
  bool saw_star = false;
  for (std::size_t i = 0; i < parameters.all.size(); ++i) {
    const python::Parameter& parameter = *parameters.all[i];
    if (parameter.parameter_kind == Kind::kVarArgs) saw_star = true;
    if (parameter.parameter_kind == Kind::kKeywordOnly && !saw_star) {
      parts.emplace_back("*");
      saw_star = true;
    }
    parts.push_back(parameter_text(source, parameter));
    const bool last_positional_only =
        parameter.parameter_kind == Kind::kPositionalOnly &&
        (i + 1 == parameters.all.size() || parameters.all[i + 1]->parameter_kind != Kind::kPositionalOnly);
    if (last_positional_only) parts.emplace_back("/");
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What one function's own body says without its callees.
struct BodyFacts {
  std::unordered_set<const Node*> calls_in_loops;
  std::vector<std::string_view> config_reads;
};

bool is_config(const python::Expr* expression) {
  const auto is_config_name = [](std::string_view name) { return name == "config" || name == "cfg" || name == "args"; };
  if (const auto* name = python::as<python::Name>(expression)) return is_config_name(name->id);
  const auto* attribute = python::as<python::Attribute>(expression);
  return attribute != nullptr && is_config_name(attribute->name.text) && python::is<python::Name>(attribute->value);
}

void visit_body(const Node& node, bool in_loop, BodyFacts& facts) {
  if (node.kind == NodeKind::kCall && in_loop) facts.calls_in_loops.insert(&node);
  if (const auto* attribute = python::as<python::Attribute>(&node)) {
    if (attribute->context == python::ExprContext::kLoad && is_config(attribute->value)) facts.config_reads.push_back(attribute->name.text);
  }
  const bool is_loop = node.kind == NodeKind::kFor || node.kind == NodeKind::kWhile || node.kind == NodeKind::kListComp ||
                       node.kind == NodeKind::kSetComp || node.kind == NodeKind::kDictComp || node.kind == NodeKind::kGeneratorExp;
  python::for_each_child(node, [&](const Node* child) {
    // Nested definitions are functions of their own.
    if (child->kind == NodeKind::kFunctionDef || child->kind == NodeKind::kLambda || child->kind == NodeKind::kClassDef) return;
    visit_body(*child, in_loop || is_loop, facts);
  });
}

/// Builds the model; a class only to share the tables between its steps.
class GraphMaker {
 public:
  GraphMaker(const Program& program, const mesh::MeshAnalysis& mesh, std::span<const program::Reached> step_path)
      : program_(program), mesh_(mesh) {
    for (const program::Reached& reached : step_path) step_distance_.emplace(reached.function, reached.distance);
    for (const program::Entry& entry : program::entry_points(program)) {
      if (entry.kind == program::EntryKind::kScript) entries_.insert(entry.function);
    }
    model_.program = &program;
  }

  GraphModel make(std::span<const std::string> paths) {
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::ModuleId id(i);
      if (is_below(program_.modules()[id].path, paths)) add_file(id);
    }
    for (GraphNode& node : model_.nodes) add_calls(node);
    count_loops_and_rank();
    return std::move(model_);
  }

 private:
  void add_file(program::ModuleId id) {
    const program::Module& module = program_.modules()[id];
    GraphFile file;
    file.module = id;
    file.is_test = program::is_test_path(module.path);
    add_node(module.body, file);
    for (const FunctionId function : module.functions) add_node(function, file);
    model_.files.push_back(std::move(file));
  }

  void add_node(FunctionId id, GraphFile& file) {
    if (!id.valid()) return;
    const Function& function = program_.functions()[id];
    const SourceText& source = program_.modules()[function.module].facts->source();
    GraphNode node;
    node.function = id;
    node.qualified_name = function.qualified_name;
    node.is_module_body = function.kind == program::FunctionKind::kModuleBody;
    node.is_lambda = function.kind == program::FunctionKind::kLambda;
    node.is_entry = entries_.contains(id);
    node.is_test = file.is_test && function.name.starts_with("test");
    node.is_constructor = function.name == "__init__" || function.name == "__new__";
    node.is_dunder = function.name.starts_with("__") && function.name.ends_with("__") && function.name.size() > 4;
    if (function.node != nullptr) {
      node.first_line = source.line_of(function.node->span.begin);
      node.last_line = source.line_of(function.node->span.end > 0 ? function.node->span.end - 1 : 0);
    }
    if (const auto* def = function.def()) node.parameters = parameters_text(source, *def->parameters);
    if (const auto* lambda = python::as<python::Lambda>(function.node)) node.parameters = parameters_text(source, *lambda->parameters);
    if (const auto step = step_distance_.find(id); step != step_distance_.end()) node.step_distance = step->second;
    if (function.owner.valid() || function.enclosing.valid()) ++model_.contains_edges;
    index_.emplace(id, model_.nodes.size());
    file.nodes.push_back(model_.nodes.size());
    model_.nodes.push_back(std::move(node));
  }

  void add_calls(GraphNode& node) {
    const Function& function = program_.functions()[node.function];
    const SourceText& source = program_.modules()[function.module].facts->source();
    BodyFacts body;
    if (function.node != nullptr) visit_body(*function.node, false, body);
    std::sort(body.config_reads.begin(), body.config_reads.end());
    body.config_reads.erase(std::unique(body.config_reads.begin(), body.config_reads.end()), body.config_reads.end());
    node.config_reads = std::move(body.config_reads);

    std::map<std::string_view, std::size_t> by_name;
    for (const program::CallId call : function.calls) {
      const CallSite& site = program_.calls()[call];
      const std::uint32_t line = source.line_of(site.node->span.begin);
      for (const CallTarget& target : site.targets) {
        add_edge(node, by_name, target, line);
        if (body.calls_in_loops.contains(site.node) && target.function.valid()) ++loop_calls_[target.function];
      }
    }
    std::stable_sort(node.calls.begin(), node.calls.end(), [](const GraphEdge& a, const GraphEdge& b) {
      return std::tie(a.lines.front(), a.name) < std::tie(b.lines.front(), b.name);
    });
    for (const mesh::CollectiveSite& site : mesh_.collectives_of(node.function)) {
      const std::string group = site.group.kind == mesh::Group::Kind::kKnown || site.group.kind == mesh::Group::Kind::kWorld
                                    ? mesh_.describe(site.group.span)
                                    : site.group.text;
      node.collectives.push_back({site.operation, group, source.line_of(site.call->span.begin)});
    }
  }

  void add_edge(GraphNode& node, std::map<std::string_view, std::size_t>& by_name, const CallTarget& target, std::uint32_t line) {
    const std::string_view name = target.function.valid() ? std::string_view(program_.functions()[target.function].qualified_name) : target.external;
    const auto [at, is_new] = by_name.emplace(name, node.calls.size());
    if (is_new) {
      GraphEdge edge;
      if (target.function.valid()) {
        const auto to = index_.find(target.function);
        if (to != index_.end()) {
          edge.to = to->second;
          ++model_.call_edges;
        }
      }
      edge.name = name;
      edge.certainty = target.certainty;
      edge.kind = target.kind;
      node.calls.push_back(std::move(edge));
    }
    GraphEdge& edge = node.calls[at->second];
    edge.certainty = std::min(edge.certainty, target.certainty);
    if (edge.lines.empty() || edge.lines.back() != line) edge.lines.push_back(line);
  }

  [[nodiscard]] std::size_t distinct_callers(FunctionId function) const {
    std::unordered_set<FunctionId> callers;
    for (const program::CallId call : program_.callers_of(function)) callers.insert(program_.calls()[call].caller);
    return callers.size();
  }

  // What a reader needs first: what every step runs, what communicates, what many call, where runs start. Distances and
  // counts weigh by their logarithm, since the tenth caller tells less than the second; tests come last.
  void count_loops_and_rank() {
    for (GraphNode& node : model_.nodes) {
      node.fan_in = distinct_callers(node.function);
      node.calls_in_loops = loop_calls_.contains(node.function) ? loop_calls_.at(node.function) : 0;
      node.importance = std::log2(1.0 + static_cast<double>(node.fan_in)) + 0.5 * std::log2(1.0 + static_cast<double>(node.calls.size()));
      if (node.step_distance >= 0) node.importance += 6.0 / (1.0 + 0.5 * node.step_distance);
      if (!node.collectives.empty()) node.importance += 2.0;
      if (node.is_entry) node.importance += 4.0;
      if (node.is_module_body || node.is_lambda) node.importance -= 2.0;
      if (program::is_test_path(program_.module_of(node.function).path)) node.importance -= 8.0;
    }
  }

  const Program& program_;
  const mesh::MeshAnalysis& mesh_;
  std::unordered_map<FunctionId, int> step_distance_;
  std::unordered_set<FunctionId> entries_;
  std::unordered_map<FunctionId, std::size_t> index_;
  std::unordered_map<FunctionId, std::size_t> loop_calls_;
  GraphModel model_;
};

}  // namespace

GraphModel make_graph(const Program& program, const mesh::MeshAnalysis& mesh, std::span<const program::Reached> step_path,
                      std::span<const std::string> paths) {
  return GraphMaker(program, mesh, step_path).make(paths);
}

}  // namespace lockstep::report
