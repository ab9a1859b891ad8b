// The graph for programs: everything as JSON, and the form that call-graph generators share. Written straight as text,
// since a tree of values for a large repository takes longer to build than the whole analysis.
#include <algorithm>
#include <map>
#include <vector>

#include "program/unresolved.h"
#include "render/graph.h"
#include "render/graph_text.h"
#include "render/json_text.h"
#include "report/graph/graph_facts.h"

namespace lockstep::render {

namespace {

using report::GraphEdge;
using report::GraphFile;
using report::GraphModel;
using report::GraphNode;

/// Appends values of one JSON document: keeps the commas.
class JsonWriter {
 public:
  void open(char bracket) {
    separate();
    out_ += bracket;
    fresh_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    fresh_ = false;
  }
  JsonWriter& key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    fresh_ = true;
    return *this;
  }
  void text(std::string_view value) {
    separate();
    append_json_string(out_, value);
  }
  void number(std::uint64_t value) {
    separate();
    append_number(out_, value);
  }
  void raw(std::string_view value) {
    separate();
    out_ += value;
  }
  void line_break() { out_ += '\n'; }
  std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }
  std::string out_;
  bool fresh_ = true;
};

std::string_view boolean(bool value) { return value ? "true" : "false"; }

void write_calls(JsonWriter& json, const GraphNode& node) {
  json.key("calls").open('[');
  for (const GraphEdge& edge : node.calls) {
    json.open('{');
    json.key("to").text(edge.name);
    json.key("internal").raw(boolean(edge.is_internal()));
    json.key("certainty").text(certainty_text(edge.certainty));
    json.key("kind").text(kind_text(edge.kind));
    if (edge.in_loop) json.key("in_loop").raw("true");
    json.key("lines").open('[');
    for (const std::uint32_t line : edge.lines) json.number(line + 1);
    json.close(']');
    json.close('}');
  }
  json.close(']');
}

void write_marks(JsonWriter& json, const GraphNode& node) {
  json.key("collectives").open('[');
  for (const auto& collective : node.collectives) {
    json.open('{');
    json.key("operation").text(collective.operation);
    json.key("group").text(collective.group);
    json.key("line").number(collective.line + 1);
    json.close('}');
  }
  json.close(']');
  json.key("host_syncs").open('[');
  for (const auto& sync : node.host_syncs) {
    json.open('{');
    json.key("call").text(sync.name);
    json.key("line").number(sync.line + 1);
    json.key("sure").raw(boolean(sync.is_sure));
    json.close('}');
  }
  json.close(']');
  json.key("config_reads").open('[');
  for (const std::string_view field : node.config_reads) json.text(field);
  json.close(']');
}

/// Written calls of which no target is known. A class without a constructor of its own is known: nothing runs.
void write_unresolved(JsonWriter& json, const GraphModel& model, const GraphNode& node) {
  const program::Program& program = *model.program;
  const SourceText& source = program.module_of(node.function).facts->source();
  json.key("unresolved").open('[');
  for (const program::CallId id : program.functions()[node.function].calls) {
    const program::CallSite& site = program.calls()[id];
    if (!site.targets.empty() || site.unresolved_because == program::kNoConstructor) continue;
    json.open('{');
    json.key("line").number(source.line_of(site.node->span.begin) + 1);
    json.key("because").text(site.unresolved_because);
    json.close('}');
  }
  json.close(']');
}

/// How many call sites were resolved to what, and why the others were not.
void write_totals(JsonWriter& json, const GraphModel& model) {
  std::size_t sites = 0;
  std::size_t internal = 0;
  std::size_t without_code = 0;
  std::map<std::string_view, std::size_t> reasons;
  const program::Program& program = *model.program;
  for (const program::CallSite& site : program.calls()) {
    if (!model.is_shown(model.nodes[model.node_of[site.caller.index()]])) continue;
    ++sites;
    const bool is_internal = std::any_of(site.targets.begin(), site.targets.end(),
                                         [](const program::CallTarget& target) { return target.function.valid(); });
    internal += is_internal ? 1 : 0;
    if (!site.targets.empty()) continue;
    if (site.unresolved_because == program::kNoConstructor) {
      ++without_code;
    } else {
      ++reasons[site.unresolved_because];
    }
  }
  std::size_t unresolved = 0;
  for (const auto& [reason, count] : reasons) unresolved += count;
  json.key("call_sites").open('{');
  json.key("all").number(sites);
  json.key("into_the_repository").number(internal);
  json.key("outside_only").number(sites - internal - without_code - unresolved);
  json.key("nothing_to_run").number(without_code);
  json.key("unresolved").number(unresolved);
  json.key("unresolved_because").open('{');
  for (const auto& [reason, count] : reasons) json.key(reason).number(count);
  json.close('}');
  json.close('}');
}

void write_node(JsonWriter& json, const GraphModel& model, const GraphNode& node) {
  json.line_break();
  json.open('{');
  json.key("name").text(node.qualified_name);
  json.key("parameters").text(report::parameters_of(*model.program, model.program->functions()[node.function]));
  json.key("start_line").number(node.first_line + 1);
  json.key("end_line").number(node.last_line + 1);
  json.key("entry").raw(boolean(node.is_entry));
  json.key("test").raw(boolean(node.is_test));
  json.key("hot").raw(boolean(node.is_hot));
  json.key("step_distance");
  if (node.step_distance < 0) {
    json.raw("null");
  } else {
    json.number(static_cast<std::uint64_t>(node.step_distance));
  }
  json.key("callers").number(node.fan_in);
  write_marks(json, node);
  write_calls(json, node);
  write_unresolved(json, model, node);
  json.close('}');
}

std::string function_name(const program::Program& program, program::FunctionId id) {
  const program::Function& function = program.functions()[id];
  return function.kind == program::FunctionKind::kModuleBody ? program.modules()[function.module].name
                                                             : function.qualified_name;
}

/// Who makes a call in that form: the class whose body runs it, else the function.
class Callers {
 public:
  Callers(const program::Program& program, const program::Module& module) : program_(program) {
    for (const program::ClassId id : module.classes) {
      const program::Class& cls = program.classes()[id];
      if (!cls.node->body.empty()) bodies_.push_back({first_byte(*cls.node), cls.node->span.end, id});
    }
  }

  [[nodiscard]] std::string name_of(program::FunctionId caller, const python::Node& call) const {
    const program::Function& function = program_.functions()[caller];
    const Body* innermost = nullptr;
    for (const Body& body : bodies_) {
      const bool holds_call = body.begin <= call.span.begin && call.span.end <= body.end;
      const bool holds_function = function.kind != program::FunctionKind::kModuleBody &&
                                  body.begin <= function.node->span.begin && function.node->span.end <= body.end;
      if (holds_call && !holds_function) innermost = &body;  // classes come in the order of the source
    }
    return innermost == nullptr ? function_name(program_, caller) : program_.classes()[innermost->cls].qualified_name;
  }

 private:
  struct Body {
    std::uint32_t begin;
    std::uint32_t end;
    program::ClassId cls;
  };

  /// Where the body starts, with the decorators of its first statement; bases and keywords lie before it.
  static std::uint32_t first_byte(const python::ClassDef& node) {
    std::uint32_t begin = node.name.span.end;
    for (const python::Expr* base : node.bases) begin = std::max(begin, base->span.end);
    for (const python::Keyword* keyword : node.keywords) begin = std::max(begin, keyword->span.end);
    return begin;
  }

  const program::Program& program_;
  std::vector<Body> bodies_;
};

std::string external_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
      {"builtins.str.", "<**PyStr**>."},     {"builtins.dict.", "<**PyDict**>."}, {"builtins.list.", "<**PyList**>."},
      {"builtins.tuple.", "<**PyTuple**>."}, {"builtins.set.", "<**PySet**>."},   {"builtins.", "<builtin>."}};
  for (const auto& [from, to] : kRenamed) {
    if (name.starts_with(from)) return std::string(to) + std::string(name.substr(from.size()));
  }
  return std::string(name);
}

}  // namespace

std::string render_graph_json(const GraphModel& model) {
  JsonWriter json;
  json.open('{');
  json.key("nodes").number(model.shown_nodes);
  json.key("call_edges").number(model.call_edges);
  json.key("contains_edges").number(model.contains_edges);
  write_totals(json, model);
  json.key("files").open('[');
  for (const GraphFile& file : model.files) {
    if (!file.is_shown) continue;
    const program::Module& module = model.program->modules()[file.module];
    json.line_break();
    json.open('{');
    json.key("path").text(module.path);
    json.key("module").text(module.name);
    json.key("test").raw(boolean(file.is_test));
    json.key("functions").open('[');
    for (const GraphNode& node : model.nodes_of(file)) write_node(json, model, node);
    json.close(']');
    json.close('}');
  }
  json.close(']');
  json.close('}');
  json.line_break();
  return json.take();
}

std::string render_graph_callgraph(const program::Program& program, std::span<const std::string> paths) {
  std::map<std::string, std::vector<std::string>> graph;
  for (const program::Module& module : program.modules()) {
    if (!report::is_below(module.path, paths)) continue;
    const Callers callers(program, module);
    const auto add = [&](program::FunctionId id) {
      graph[function_name(program, id)];
      for (const program::CallId call : program.functions()[id].calls) {
        const program::CallSite& site = program.calls()[call];
        if (site.targets.empty()) continue;
        auto& callees = graph[callers.name_of(id, *site.node)];
        for (const program::CallTarget& target : site.targets) {
          callees.push_back(target.function.valid() ? function_name(program, target.function)
                                                    : external_name(target.external));
        }
      }
    };
    add(module.body);
    for (const program::FunctionId id : module.functions) add(id);
  }
  JsonWriter json;
  json.open('{');
  for (auto& [caller, callees] : graph) {
    std::sort(callees.begin(), callees.end());
    callees.erase(std::unique(callees.begin(), callees.end()), callees.end());
    json.line_break();
    json.key(caller).open('[');
    for (const std::string& callee : callees) json.text(callee);
    json.close(']');
  }
  json.line_break();
  json.close('}');
  json.line_break();
  return json.take();
}

}  // namespace lockstep::render
