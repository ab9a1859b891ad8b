// The graph as one page that opens from disk. The page's own script draws it from embedded JSON, in which nothing of
// the repository can end the element or run: every `<` is escaped, the script only ever sets text, and the page's
// policy allows no script or style but ours, by their hashes, and no network.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>

#include "render/graph.h"
#include "render/graph_text.h"
#include "render/html_parts.h"
#include "render/html_text.h"
#include "render/json_text.h"
#include "report/graph/graph_facts.h"
#include "report/source/code.h"

namespace lockstep::render {

namespace {

using report::GraphEdge;
using report::GraphFile;
using report::GraphModel;
using report::GraphNode;

constexpr std::array<std::string_view, 4> kScripts = {"graph_data.js", "graph_drawing.js", "graph_page.js",
                                                      "graph_main.js"};

/// The data of the page; graph_data.js says what each array holds.
class PageData {
 public:
  explicit PageData(const GraphModel& model) : model_(model), place_(model.nodes.size(), GraphEdge::kExternal) {
    for (const GraphFile& file : model.files) {
      if (!file.is_shown) continue;
      for (std::uint32_t i = 0; i < file.node_count; ++i) place_[file.first_node + i] = shown_++;
    }
  }

  std::string write(std::string_view title) {
    out_ = "{\"title\":";
    text(title);
    out_ += fmt::format(",\"counts\":{{\"files\":{},\"functions\":{},\"edges\":{}}}", model_.shown_files,
                        model_.shown_nodes, model_.call_edges);
    files();
    each_node("nodes", [&](const GraphNode& node) { write_node(node); });
    each_node("calls", [&](const GraphNode& node) { write_calls(node); });
    sparse(
        "collectives", [](const GraphNode& node) { return !node.collectives.empty(); },
        [&](const GraphNode& node) { write_collectives(node); });
    sparse(
        "syncs", [](const GraphNode& node) { return !node.host_syncs.empty(); },
        [&](const GraphNode& node) { write_syncs(node); });
    sparse(
        "config", [](const GraphNode& node) { return !node.config_reads.empty(); },
        [&](const GraphNode& node) { write_config(node); });
    out_ += ",\n\"external\":[";
    for (std::size_t i = 0; i < external_names_.size(); ++i) {
      if (i > 0) out_ += ',';
      text(external_names_[i]);
    }
    return std::move(out_) + "]}";
  }

 private:
  void text(std::string_view value) { append_json_string(out_, value, /*in_html=*/true); }
  void visible(std::string_view value, std::size_t limit) { text(safe_line(value, limit)); }

  void files() {
    out_ += ",\n\"files\":[";
    bool first = true;
    for (const GraphFile& file : model_.files) {
      if (!file.is_shown) continue;
      const program::Module& module = model_.program->modules()[file.module];
      out_ += first ? "{\"path\":" : ",{\"path\":";
      first = false;
      visible(module.path, 1000);
      out_ += ",\"module\":";
      visible(module.name, 1000);
      out_ += fmt::format(",\"first\":{},\"count\":{}}}", place_[file.first_node], file.node_count);
    }
    out_ += ']';
  }

  template <class Visit>
  void each_shown(Visit visit) {
    for (const GraphFile& file : model_.files) {
      if (!file.is_shown) continue;
      for (const GraphNode& node : model_.nodes_of(file)) visit(node);
    }
  }

  template <class Write>
  void each_node(std::string_view key, Write write) {
    out_ += fmt::format(",\n\"{}\":[", key);
    bool first = true;
    each_shown([&](const GraphNode& node) {
      if (!first) out_ += ",\n";
      first = false;
      write(node);
    });
    out_ += ']';
  }

  template <class Has, class Write>
  void sparse(std::string_view key, Has has, Write write) {
    out_ += fmt::format(",\n\"{}\":{{", key);
    bool first = true;
    std::uint32_t at = 0;
    each_shown([&](const GraphNode& node) {
      if (has(node)) {
        out_ += fmt::format("{}\"{}\":[", first ? "" : ",\n", at);
        first = false;
        write(node);
        out_ += ']';
      }
      ++at;
    });
    out_ += '}';
  }

  void write_node(const GraphNode& node) {
    const program::Function& function = model_.program->functions()[node.function];
    out_ += '[';
    visible(node.is_module_body ? std::string_view("<module>") : node.local_name, 400);
    out_ += ',';
    visible(report::parameters_of(*model_.program, function), 600);
    out_ += ',';
    visible(function.def() == nullptr ? std::string() : report::docstring_sentence(function.node, 160), 200);
    const unsigned flags = (node.is_entry ? 1u : 0u) | (node.is_test ? 2u : 0u) | (node.is_hot ? 4u : 0u) |
                           (node.is_module_body ? 8u : 0u) | (node.is_lambda ? 16u : 0u);
    out_ += fmt::format(",{},{},{},{},{}]", node.first_line + 1, node.last_line + 1, flags, node.step_distance,
                        std::lround(node.importance * 10));
  }

  void number(std::int64_t value) {
    if (out_.back() != '[') out_ += ',';
    if (value < 0) out_ += '-';
    append_number(out_, static_cast<std::uint64_t>(value < 0 ? -value : value));
  }

  void write_calls(const GraphNode& node) {
    out_ += '[';
    for (const GraphEdge& edge : node.calls) {
      const bool is_inside = edge.is_internal() && place_[edge.to] != GraphEdge::kExternal;
      number(is_inside ? static_cast<std::int64_t>(place_[edge.to])
                       : -1 - static_cast<std::int64_t>(external(edge.name)));
      number(static_cast<std::int64_t>(static_cast<unsigned>(edge.certainty) | static_cast<unsigned>(edge.kind) << 2 |
                                       (edge.in_loop ? 32u : 0u) | edge.lines.size() << 6));
      for (const std::uint32_t line : edge.lines) number(line + 1);
    }
    out_ += ']';
  }

  std::size_t external(std::string_view name) {
    const auto [at, is_new] = external_.emplace(name, external_names_.size());
    if (is_new) external_names_.push_back(safe_line(name));
    return at->second;
  }

  void write_collectives(const GraphNode& node) {
    for (std::size_t i = 0; i < node.collectives.size(); ++i) {
      out_ += i > 0 ? ",[" : "[";
      text(node.collectives[i].operation);
      out_ += ',';
      visible(node.collectives[i].group, 120);
      out_ += fmt::format(",{}]", node.collectives[i].line + 1);
    }
  }

  void write_syncs(const GraphNode& node) {
    for (std::size_t i = 0; i < node.host_syncs.size(); ++i) {
      out_ += i > 0 ? ",[" : "[";
      text(node.host_syncs[i].name);
      out_ += fmt::format(",{},{}]", node.host_syncs[i].line + 1, node.host_syncs[i].is_sure ? 1 : 0);
    }
  }

  void write_config(const GraphNode& node) {
    for (std::size_t i = 0; i < node.config_reads.size(); ++i) {
      if (i > 0) out_ += ',';
      visible(node.config_reads[i], 200);
    }
  }

  const GraphModel& model_;
  std::vector<std::uint32_t> place_;  // by node: its number on the page
  std::uint32_t shown_ = 0;
  std::unordered_map<std::string_view, std::size_t> external_;
  std::vector<std::string> external_names_;
  std::string out_;
};

}  // namespace

std::string render_graph_html(const GraphModel& model, std::string_view title) {
  std::string scripts;
  std::string hashes;
  for (const std::string_view script : kScripts) {
    scripts += fmt::format("<script>{}</script>\n", html_part(script));
    hashes += (hashes.empty() ? "" : " ") + policy_hash(script);
  }
  // The template is read once from left to right: what is put in is never looked at again.
  std::string_view page = html_part("graph.html");
  std::string out;
  while (true) {
    const std::size_t at = page.find('@');
    out += page.substr(0, at);
    if (at == std::string_view::npos) break;
    const std::size_t end = page.find('@', at + 1);
    const std::string_view name = page.substr(at + 1, end - at - 1);
    if (name == "TITLE") out += html_escaped(safe_line(title));
    if (name == "STYLE") out += html_part("graph.css");
    if (name == "STYLE_HASH") out += policy_hash("graph.css");
    if (name == "SCRIPT_HASHES") out += hashes;
    if (name == "SCRIPTS") out += scripts;
    if (name == "DATA") out += PageData(model).write(title);
    page.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace lockstep::render
