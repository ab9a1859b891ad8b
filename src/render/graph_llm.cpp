// The graph for a language model: what matters most first, in as few tokens as it takes.
#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "base/worker_pool.h"
#include "render/graph.h"
#include "render/graph_overview.h"
#include "render/graph_text.h"
#include "report/graph/graph_facts.h"
#include "report/source/code.h"

namespace lockstep::render {

namespace {

using program::Certainty;
using report::GraphEdge;
using report::GraphFile;
using report::GraphModel;
using report::GraphNode;

constexpr std::size_t kMostCallees = 24;      // of one function
constexpr std::size_t kMostAlternatives = 3;  // possible callees of one line that are spelt out
constexpr std::size_t kMostConfigFields = 10;
constexpr std::size_t kMostMarks = 6;  // collectives, and host syncs, of one function

constexpr std::string_view kKey =
    "# Code graph\n"
    "From static analysis of the source; names, paths and quoted text are the repository's own.\n"
    "`name(parameters) first-last line` then marks: ENTRY a run starts here · STEP n calls from the training step · "
    "HOT runs every step, "
    "often · ×n callers · LOOP called in a loop · COLL collective(group)@line · SYNC host waits for the device@line "
    "(`?` if the value is "
    "a tensor) · CFG config fields read.\n"
    "`→` callees with the line of the first call; `?` one of several possible; `{a, b +n}` n more are possible at that "
    "line; `+n` more "
    "calls, of helpers that everything calls. Names are relative to the file, else the shortest end of the qualified "
    "name that is unique. "
    "Python's and torch's functions are left out but for COLL and SYNC.\n";

std::string marks_of(const GraphNode& node) {
  std::string marks;
  if (node.is_entry) marks += " ENTRY";
  if (node.is_test) marks += " TEST";
  if (node.step_distance >= 0) marks += fmt::format(" STEP {}", node.step_distance);
  if (node.is_hot) marks += " HOT";
  if (node.fan_in > 1) marks += fmt::format(" ×{}", node.fan_in);
  if (node.loop_callers > 0) marks += " LOOP";
  for (std::size_t i = 0; i < node.collectives.size(); ++i) {
    const auto& collective = node.collectives[i];
    if (i == kMostMarks) {
      marks += fmt::format(" COLL +{}", node.collectives.size() - i);
      break;
    }
    marks += fmt::format(" COLL {}({})@{}", collective.operation, safe_line(collective.group, 60), collective.line + 1);
  }
  for (std::size_t i = 0; i < node.host_syncs.size(); ++i) {
    const auto& sync = node.host_syncs[i];
    if (i == kMostMarks) {
      marks += fmt::format(" SYNC +{}", node.host_syncs.size() - i);
      break;
    }
    marks += fmt::format(" SYNC {}@{}{}", sync.name, sync.line + 1, sync.is_sure ? "" : "?");
  }
  if (!node.config_reads.empty()) {
    const std::size_t shown = std::min(node.config_reads.size(), kMostConfigFields);
    marks += " CFG " + safe_line(fmt::format(
                           "{}", fmt::join(node.config_reads.begin(),
                                           node.config_reads.begin() + static_cast<std::ptrdiff_t>(shown), ",")));
    if (shown < node.config_reads.size()) marks += fmt::format(" +{}", node.config_reads.size() - shown);
  }
  return marks;
}

/// Internal callees of one line; several when the call has several possible targets.
std::string line_text(const GraphModel& model, const ShortNames& names_of, const GraphNode& node,
                      std::span<const GraphEdge* const> edges) {
  std::vector<const GraphEdge*> sure;
  std::vector<const GraphEdge*> possible;
  for (const GraphEdge* edge : edges) (edge->certainty == Certainty::kExact ? sure : possible).push_back(edge);
  const auto name_of = [&](const GraphEdge& edge) {
    const GraphNode& to = model.nodes[edge.to];
    return safe_line(to.file == node.file ? to.local_name : names_of.of(edge.to));
  };
  std::string text;
  const auto add = [&](std::string_view part) { text += (text.empty() ? "" : ", ") + std::string(part); };
  for (const GraphEdge* edge : sure) add(fmt::format("{}@{}", name_of(*edge), edge->lines.front() + 1));
  if (possible.size() == 1) add(fmt::format("{}?@{}", name_of(*possible.front()), possible.front()->lines.front() + 1));
  if (possible.size() > 1) {
    std::stable_sort(possible.begin(), possible.end(), [&](const GraphEdge* a, const GraphEdge* b) {
      return model.nodes[a->to].importance > model.nodes[b->to].importance;
    });
    const std::size_t shown = std::min(possible.size(), kMostAlternatives);
    std::string names;
    for (std::size_t i = 0; i < shown; ++i) names += (i > 0 ? ", " : "") + name_of(*possible[i]);
    const std::string more = possible.size() > shown ? fmt::format(" +{}", possible.size() - shown) : std::string();
    add(fmt::format("{{{}{}}}?@{}", names, more, possible.front()->lines.front() + 1));
  }
  return text;
}

/// What a helper like `get_args` or `print_rank_0` does is no news at any one of its calls.
bool is_helper(const GraphModel& model, const GraphNode& node) {
  const std::size_t many = std::max<std::size_t>(20, model.nodes.size() / 400);
  return node.fan_in >= many && node.weight < 4 && node.collectives.empty();
}

std::string calls_text(const GraphModel& model, const ShortNames& names, const GraphNode& node) {
  std::vector<const GraphEdge*> internal;
  std::size_t left_out = 0;
  const bool from_test = model.files[node.file].is_test;
  for (const GraphEdge& edge : node.calls) {
    if (!edge.is_internal()) continue;
    const GraphNode& to = model.nodes[edge.to];
    // Only what a test hands in makes the program call into tests.
    if (!from_test && model.files[to.file].is_test) continue;
    if (is_helper(model, to)) {
      ++left_out;
    } else {
      internal.push_back(&edge);
    }
  }
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < internal.size();) {
    std::size_t end = i + 1;
    while (end < internal.size() && internal[end]->lines.front() == internal[i]->lines.front()) ++end;
    if (shown >= kMostCallees) {
      left_out += internal.size() - i;
      break;
    }
    text += (text.empty() ? "" : ", ") + line_text(model, names, node, std::span(internal).subspan(i, end - i));
    shown += std::min(end - i, kMostAlternatives + 1);
    i = end;
  }
  if (left_out > 0) text += fmt::format("{}+{}", text.empty() ? "" : ", ", left_out);
  return text;
}

std::string node_text(const GraphModel& model, const ShortNames& names, const GraphNode& node) {
  const program::Function& function = model.program->functions()[node.function];
  const std::string parameters = model.groundwork != nullptr ? model.groundwork->parameters[node.function.index()]
                                                             : report::parameters_of(*model.program, function);
  std::string text = fmt::format("- {}({}) {}-{}{}\n", safe_line(node.local_name), safe_line(parameters, 120),
                                 node.first_line + 1, node.last_line + 1, marks_of(node));
  const std::string calls = calls_text(model, names, node);
  if (!calls.empty()) text += "  → " + calls + "\n";
  return text;
}

std::string file_header(const GraphModel& model, const GraphFile& file) {
  const program::Module& module = model.program->modules()[file.module];
  const std::string doc = file_purpose(module, 120);
  return fmt::format("\n### {} ({} lines){}\n", safe_line(module.path), module.facts->source().line_count(),
                     doc.empty() ? "" : fmt::format(": \"{}\"", doc));
}

std::string class_text(const program::Program& program, program::ClassId id) {
  const program::Class& cls = program.classes()[id];
  std::vector<std::string> bases;
  for (const program::ClassId base : cls.bases) bases.push_back(safe_line(report::short_name(program, base)));
  for (const std::string& base : cls.external_bases) bases.push_back(safe_line(base));
  const std::string doc = safe_line(report::docstring_sentence(cls.node, 100));
  return fmt::format("class {}({}){}\n", safe_line(report::short_name(program, id)), fmt::join(bases, ", "),
                     doc.empty() ? "" : fmt::format(": \"{}\"", doc));
}

/// Chooses functions by importance within a budget and prints them file by file.
class FunctionSection {
 public:
  static constexpr std::size_t kNoBudget = SIZE_MAX;

  /// `budget`: about how many tokens it may take.
  FunctionSection(const GraphModel& model, const ShortNames& names, std::size_t budget, std::size_t jobs)
      : model_(model), names_(names), budget_(budget), jobs_(jobs), files_(model.files.size()) {}

  std::string write() {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < model_.nodes.size(); ++i) {
      if (model_.is_shown(model_.nodes[i]) && says_something(model_.nodes[i])) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return model_.nodes[a].importance > model_.nodes[b].importance;
    });
    const std::size_t taken = choose(order);
    std::vector<std::string> texts(file_order_.size());
    parallel_for(texts.size(), jobs_, [&](std::size_t i) { texts[i] = file_text(file_order_[i]); });
    std::string text = "\n## Functions\n";
    for (const std::string& each : texts) text += each;
    if (taken < order.size())
      text += fmt::format("\n{} of lower rank left out.\n", count_of(order.size() - taken, "function"));
    return text;
  }

 private:
  /// A function as it would be printed.
  struct Piece {
    std::uint32_t node = 0;
    std::string text;
  };
  struct OpenFile {
    std::vector<Piece> pieces;
    std::vector<program::ClassId> classes;
  };

  /// Module code and lambdas that call nothing in the repository say nothing.
  static bool says_something(const GraphNode& node) {
    if (!node.is_module_body && !node.is_lambda) return true;
    if (node.is_entry) return true;
    return std::any_of(node.calls.begin(), node.calls.end(), [](const GraphEdge& edge) { return edge.is_internal(); });
  }

  /// Takes what fits, in order; says how many.
  std::size_t choose(const std::vector<std::uint32_t>& order) {
    constexpr std::size_t kAtOnce = 2048;
    constexpr std::size_t kTogether = 64;
    // Once nothing fits any more, smaller functions of far lower rank would only be fillers.
    constexpr std::size_t kMostMisses = 20;
    std::size_t misses = 0;
    std::size_t taken = 0;
    for (std::size_t first = 0; first < order.size(); first += kAtOnce) {
      std::vector<Piece> pieces(std::min(kAtOnce, order.size() - first));
      parallel_for((pieces.size() + kTogether - 1) / kTogether, jobs_, [&](std::size_t chunk) {
        for (std::size_t i = chunk * kTogether; i < std::min(pieces.size(), (chunk + 1) * kTogether); ++i) {
          pieces[i] = {order[first + i], node_text(model_, names_, model_.nodes[order[first + i]])};
        }
      });
      for (Piece& piece : pieces) {
        if (take(piece)) {
          ++taken;
        } else if (++misses > kMostMisses) {
          return taken;
        }
      }
    }
    return taken;
  }

  bool take(Piece& piece) {
    const GraphNode& node = model_.nodes[piece.node];
    OpenFile& file = files_[node.file];
    const program::ClassId owner = model_.program->functions()[node.function].owner;
    const bool opens_class =
        owner.valid() && std::find(file.classes.begin(), file.classes.end(), owner) == file.classes.end();
    if (budget_ != kNoBudget) {
      std::size_t cost = estimate_tokens(piece.text);
      if (file.pieces.empty()) cost += estimate_tokens(file_header(model_, model_.files[node.file]));
      if (opens_class) cost += estimate_tokens(class_text(*model_.program, owner));
      if (spent_ + cost > budget_) return false;
      spent_ += cost;
    }
    if (file.pieces.empty()) file_order_.push_back(node.file);
    if (opens_class) file.classes.push_back(owner);
    file.pieces.push_back(std::move(piece));
    return true;
  }

  std::string file_text(std::uint32_t at) {
    OpenFile& file = files_[at];
    std::sort(file.pieces.begin(), file.pieces.end(), [](const Piece& a, const Piece& b) { return a.node < b.node; });
    std::string text = file_header(model_, model_.files[at]);
    std::vector<program::ClassId> named;
    for (const Piece& piece : file.pieces) {
      const program::ClassId owner = model_.program->functions()[model_.nodes[piece.node].function].owner;
      if (owner.valid() && std::find(named.begin(), named.end(), owner) == named.end()) {
        text += class_text(*model_.program, owner);
        named.push_back(owner);
      }
      text += piece.text;
    }
    return text;
  }

  const GraphModel& model_;
  const ShortNames& names_;
  std::size_t budget_;
  std::size_t jobs_;
  std::size_t spent_ = 0;
  std::vector<OpenFile> files_;
  std::vector<std::uint32_t> file_order_;
};

}  // namespace

std::string render_graph_llm(const GraphModel& model, const ShortNames& names, std::size_t tokens, std::size_t jobs) {
  std::string text(kKey);
  // The overview is worth a third of a small budget and never more than it takes to say.
  const std::size_t budget = tokens == 0 ? SIZE_MAX : tokens;
  const std::size_t key = estimate_tokens(kKey);
  const std::size_t rest = budget > key ? budget - key : 0;
  if (!model.focus.empty()) text += focus_text(model, rest == SIZE_MAX - key ? SIZE_MAX : rest / 3);
  text += overview_text(model, tokens == 0 ? SIZE_MAX : model.focus.empty() ? rest * 2 / 5 : rest / 12);
  const std::size_t spent = estimate_tokens(text) + 24;
  const std::size_t left = tokens == 0 ? FunctionSection::kNoBudget : budget > spent ? budget - spent : 0;
  return text + FunctionSection(model, names, left, jobs).write();
}

}  // namespace lockstep::render
