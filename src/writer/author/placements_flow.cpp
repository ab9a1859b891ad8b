// "@flow path:12 -> :15 -> g; :15 -> other.py:7" -> a flowchart of statements and functions, as the code has them. An
// arrow is drawn only where the code leads that way: a call, the order within one function, a name that one statement
// sets and the other reads. It says which. Boxes hold the code and its place, or words of the model's.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "report/document.h"
#include "report/file_name.h"
#include "report/story/wording/words.h"
#include "writer/author/flow_leads.h"
#include "writer/author/placements.h"
#include "writer/author/placements_parts.h"
#include "writer/sentence_parts.h"

namespace lockstep::writer {

namespace {

using internal::drawing_fault;
using internal::DrawnPlace;
using internal::DrawnSide;
using program::FunctionId;
using report::FlowNode;
using report::NodeShape;
using report::StepKind;

constexpr std::size_t kMostNodes = 15, kMostEdges = 24, kMostQuestion = 240;
constexpr std::size_t kMostWordBytes = 90;

/// A node of the drawing and what it stands for.
struct Stop : internal::FlowStop {
  std::size_t node = 0;
  const DrawnSide* side = nullptr;
  bool has_words = false;  ///< Its box says the model's words instead of its code.
};

class FlowDrawing {
 public:
  FlowDrawing(const report::DocumentInputs& inputs, const report::Story& story, const std::vector<std::string>& words)
      : words_(words), story_(story), after_(internal::after_side(inputs)), before_(internal::before_side(inputs)) {}

  void run(std::string_view request) {
    const DrawnSide* side = &after_;
    bool has_sides = false;
    for (std::string_view item : internal::split_at(request, ";")) {
      if (internal::take_word(item, "before")) {
        side = &before_;
        has_sides = true;
      } else if (internal::take_word(item, "after")) {
        side = &after_;
        has_sides = true;
      }
      chain(item, *side);
    }
    add_bypasses();
    if (!has_sides) return;
    chart_.groups = {{"Before"}, {"After"}};
    for (const Stop& stop : stops_) chart_.nodes[stop.node].group = stop.side->is_before ? 0 : 1;
  }

  Filled take() {
    simplify_labels();
    drop_unconnected();
    Filled filled;
    filled.faults = std::move(faults_);
    if (!chart_.edges.empty()) filled.blocks.push_back({report::DiagramBlock{std::move(chart_), {}}});
    if (filled.blocks.empty() && filled.faults.empty())
      filled.faults.push_back(drawing_fault("@flow", "a drawing needs at least one arrow"));
    return filled;
  }

 private:
  void chain(std::string_view item, const DrawnSide& side) {
    std::optional<std::size_t> last;
    for (const std::string_view text : internal::split_at(item, "->")) {
      if (faults_.size() >= internal::kMostDrawingFaults) return;
      const std::optional<std::size_t> next = stop(text, side);
      if (last && next && *last != *next) edge(stops_[*last], stops_[*next], side);
      last = next;
    }
  }

  [[nodiscard]] const Stop* stop_of(std::size_t node) const {
    const auto found = std::find_if(stops_.begin(), stops_.end(), [&](const Stop& stop) { return stop.node == node; });
    return found == stops_.end() ? nullptr : &*found;
  }

  // Where arrows lead through a branch only, the way past it: what stands behind it runs in any case. An arrow from the
  // condition itself that says neither "yes" nor "no" is that. Where the next box stands under a condition of its own,
  // the way past leads to one behind it.
  void add_bypasses() {
    const std::vector<report::FlowEdge> drawn = chart_.edges;
    for (const report::FlowEdge& in : drawn) {
      for (const report::FlowEdge& out : drawn) {
        constexpr std::size_t kMostBoxes = 3;
        std::size_t node = out.to;
        for (std::size_t box = 0; box < kMostBoxes; ++box) {
          if (add_bypass(in, out, node)) break;
          const auto next =
              std::find_if(drawn.begin(), drawn.end(), [&](const report::FlowEdge& one) { return one.from == node; });
          if (next == drawn.end()) break;
          node = next->to;
        }
      }
    }
  }

  // Of `in`, into a branch, and `out`, out of it, the arrow past it to `node`. False where there is none.
  bool add_bypass(const report::FlowEdge& in, const report::FlowEdge& out, std::size_t node) {
    const Stop *from = stop_of(in.from), *inside = stop_of(in.to), *last = stop_of(out.from), *to = stop_of(node);
    if (from == nullptr || inside == nullptr || last == nullptr || to == nullptr || from == to ||
        from->side != to->side || from->side != inside->side || from->side != last->side)
      return false;
    const auto known = std::find_if(chart_.edges.begin(), chart_.edges.end(), [&](const report::FlowEdge& one) {
      return one.from == from->node && one.to == to->node;
    });
    if (known != chart_.edges.end() && !known->label.empty()) return true;
    const std::optional<std::string> label = internal::flow_bypass({*from, *inside, *last, *to}, *from->side);
    if (!label) return false;
    if (known != chart_.edges.end()) {
      known->label = *label;
    } else if (chart_.edges.size() < kMostEdges) {
      chart_.edges.push_back({from->node, to->node, *label, report::EdgeStyle::kSolid});
    }
    return true;
  }

  // A box of words needs no place: the text around it has the places that matter. Of a condition the question alone.
  // What happens does not call what happens next.
  void simplify_labels() {
    const auto has_words = [&](std::size_t node) {
      return std::any_of(stops_.begin(), stops_.end(),
                         [&](const Stop& stop) { return stop.node == node && stop.has_words; });
    };
    for (report::FlowEdge& edge : chart_.edges) {
      if ((edge.label == internal::kCallsLabel || edge.label == internal::kReturnsLabel) && has_words(edge.from) &&
          has_words(edge.to))
        edge.label.clear();
    }
    const Stop* last = nullptr;
    for (const Stop& stop : stops_) {
      report::FlowNode& node = chart_.nodes[stop.node];
      if (stop.has_words) {
        node.label.resize(std::min(node.label.find('\n'), node.label.size()));
        node.label += whose(stop, last, node.label);
      }
      last = &stop;
      if (node.shape != NodeShape::kDecision) continue;
      for (const std::string_view start : {"if ", "elif "}) {
        const std::size_t end = node.label.find(":\n");
        if (!node.label.starts_with(start)) continue;
        if (end == std::string::npos) {
          simplify_cut(stop, node);
          break;
        }
        node.label =
            fmt::format("{}?{}", node.label.substr(start.size(), end - start.size()), node.label.substr(end + 1));
        break;
      }
    }
  }

  // "in Buffer.fill" below the words of a box: whose step that is, said where it becomes another's.
  [[nodiscard]] std::string whose(const Stop& stop, const Stop* last, const std::string& words) const {
    const bool is_same = last != nullptr && last->side == stop.side && last->place.function == stop.place.function;
    if (is_same || !stop.place.function.valid()) return {};
    const program::Function& function = stop.side->program->functions()[stop.place.function];
    if (function.def() == nullptr) return fmt::format("\nin {}", report::file_name(stop.place.path));
    if (find_name(words, function.name) != std::string_view::npos) return {};
    // What came here from another file keeps its lines, which have no mark.
    const bool is_new = chart_.nodes[stop.node].mark == report::Mark::kNone && !stop.side->is_before &&
                        internal::mark_of(story_, *stop.side, stop.place.function) == report::Mark::kNew;
    return fmt::format("\n{}{}{}", stop.place.is_function ? "" : "in ",
                       report::short_name(*stop.side->program, stop.place.function), is_new ? ", new here" : "");
  }

  // A condition that is too long for its box is said in words, which are shorter than its code.
  static void simplify_cut(const Stop& stop, report::FlowNode& node) {
    const auto* branch = python::as<python::If>(stop.place.step.node);
    if (branch == nullptr) return;
    const std::string words = report::unmarked(
        report::condition_words(*branch->condition, report::source_of(*stop.side->program, stop.place.function)));
    if (words.size() > kMostQuestion) return;
    node.label = fmt::format("{}?{}", replace_all(replace_all(words, ", ", ",\n"), " and ", "\nand "),
                             node.label.substr(std::min(node.label.rfind('\n'), node.label.size())));
  }

  // `path:12 "1"`: a stop and the words of its box.
  std::optional<std::size_t> stop(std::string_view text, const DrawnSide& side) {
    const std::string words = take_words(text);
    const std::optional<std::size_t> found = stop_at(text, side);
    // Of a condition the code stays: "yes" and "no" are of that, and words may ask the opposite. A `for` asks nothing.
    const bool is_asking = found && chart_.nodes[stops_[*found].node].shape == NodeShape::kDecision &&
                           !python::is<python::For>(stops_[*found].place.step.node);
    if (found && !words.empty() && !is_asking && !stops_[*found].has_words) {
      std::string& label = chart_.nodes[stops_[*found].node].label;
      label = words + label.substr(std::min(label.rfind('\n'), label.size()));
      stops_[*found].has_words = true;
    }
    return found;
  }

  std::string take_words(std::string_view& text) const {
    const std::size_t open = text.find('"');
    if (open == std::string_view::npos) return {};
    const std::string_view number = text.substr(open + 1, text.find('"', open + 1) - open - 1);
    text = trim(text.substr(0, open));
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (error != std::errc{} || end != number.data() + number.size() || index == 0 || index > words_.size()) return {};
    std::string words = replace_all(words_[index - 1], "`", "");
    // The mark comes from the change.
    for (const std::string_view mark : {"NEW: ", "MODIFIED: ", "REMOVED: "}) {
      if (words.starts_with(mark)) words.erase(0, mark.size());
    }
    return words.size() <= kMostWordBytes ? words : std::string();
  }

  std::optional<std::size_t> stop_at(std::string_view text, const DrawnSide& side) {
    const std::string name = internal::plain_name(text);
    std::optional<DrawnPlace> place;
    if (const auto named = internal::place_in(name)) {
      if (!named->first.empty()) path_ = named->first;
      place = internal::drawn_place(side, path_, named->second);
      if (!place) {
        faults_.push_back(drawing_fault(std::string(text), "no statement stands on that line"));
        return std::nullopt;
      }
    } else {
      const std::vector<FunctionId> functions = internal::functions_named(*side.program, name);
      const std::size_t sure = function_count(side, functions, name);
      if (functions.empty() || sure != 1) {
        faults_.push_back(drawing_fault(std::string(text), functions.empty()
                                                               ? "there is no such function"
                                                               : "several functions are called so: name its class"));
        return std::nullopt;
      }
      place.emplace();
      place->function = functions.front();
      place->path = side.program->module_of(functions.front()).path;
      place->line = report::line_of(*side.program, functions.front());
      place->is_function = true;
    }
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      const DrawnPlace& known = stops_[i].place;
      if (stops_[i].side == &side && known.path == place->path && known.line == place->line &&
          known.is_function == place->is_function)
        return i;
    }
    if (stops_.size() == kMostNodes) {
      if (!is_full_) faults_.push_back(drawing_fault("@flow", fmt::format("more than {} nodes", kMostNodes)));
      is_full_ = true;
      return std::nullopt;
    }
    return add(std::move(*place), side);
  }

  // How many functions outside the tests a name means; a class stands for its constructor.
  static std::size_t function_count(const DrawnSide& side, const std::vector<FunctionId>& functions,
                                    std::string_view name) {
    std::size_t count = 0;
    for (const FunctionId one : functions) {
      if (!internal::ends_with_name(side.program->functions()[one].qualified_name, name)) return 1;
      if (!program::is_test_path(side.program->module_of(one).path)) ++count;
    }
    return count == 0 ? functions.size() : count;
  }

  std::size_t add(DrawnPlace place, const DrawnSide& side) {
    Stop stop;
    stop.side = &side;
    stop.node = chart_.nodes.size();
    FlowNode node;
    const std::string where =
        fmt::format("{}:{}{}", report::file_name(place.path), place.line + 1, side.is_before ? " (old)" : "");
    if (place.is_function) {
      node.label = fmt::format("{}\n{}", report::short_name(*side.program, place.function), where);
      node.shape = NodeShape::kRounded;
    } else {
      node.label = fmt::format("{}\n{}", place.text, where);
      if (place.step.node != nullptr) {
        node.shape = shape_of(place, side);
      }
      stop.names = internal::names_of(place);
      internal::add_names_given(*side.program, place, stop.names);
    }
    node.mark = internal::mark_of(story_, side, place);
    chart_.nodes.push_back(std::move(node));
    stop.place = std::move(place);
    stops_.push_back(std::move(stop));
    return stops_.size() - 1;
  }

  NodeShape shape_of(const DrawnPlace& place, const DrawnSide& side) const {
    const StepKind kind = place.step.kind;
    if (kind == StepKind::kIf || kind == StepKind::kFor || kind == StepKind::kWhile) return NodeShape::kDecision;
    if (side.mesh != nullptr) {
      for (const mesh::CollectiveSite& site : side.mesh->collectives_of(place.function)) {
        if (site.call != nullptr && place.step.span.contains(site.call->span)) return NodeShape::kCommunication;
      }
    }
    return internal::leaves(place) ? NodeShape::kRounded : NodeShape::kBox;
  }

  void edge(const Stop& from, const Stop& to, const DrawnSide& side) {
    const bool is_known = std::any_of(chart_.edges.begin(), chart_.edges.end(), [&](const report::FlowEdge& one) {
      return one.from == from.node && one.to == to.node;
    });
    if (is_known || chart_.edges.size() == kMostEdges) return;
    std::string why;
    if (std::optional<std::string> label = internal::flow_lead(from, to, side, why)) {
      chart_.edges.push_back({from.node, to.node, std::move(*label), report::EdgeStyle::kSolid});
      return;
    }
    faults_.push_back(drawing_fault(fmt::format("{} -> {}", label_of(from), label_of(to)), std::move(why)));
  }

  [[nodiscard]] std::string label_of(const Stop& stop) const {
    return replace_all(chart_.nodes[stop.node].label, "\n", " ");
  }

  /// Nodes that no arrow touches tell nothing.
  void drop_unconnected() {
    std::vector<bool> is_used(chart_.nodes.size(), false);
    for (const report::FlowEdge& edge : chart_.edges) is_used[edge.from] = is_used[edge.to] = true;
    std::vector<std::size_t> place(chart_.nodes.size());
    std::vector<FlowNode> kept;
    for (std::size_t i = 0; i < chart_.nodes.size(); ++i) {
      place[i] = kept.size();
      if (is_used[i]) kept.push_back(std::move(chart_.nodes[i]));
    }
    chart_.nodes = std::move(kept);
    for (report::FlowEdge& edge : chart_.edges) {
      edge.from = place[edge.from];
      edge.to = place[edge.to];
    }
    // One side alone needs no box around it.
    for (std::size_t group = 0; group < chart_.groups.size(); ++group) {
      const bool has_any = std::any_of(chart_.nodes.begin(), chart_.nodes.end(),
                                       [&](const FlowNode& node) { return node.group == group; });
      if (has_any) continue;
      const std::string only = group == 0 ? "" : chart_.groups[0].title;
      if (group == 1) {
        chart_.groups = {{only}};
      } else {
        chart_.groups.clear();
        for (FlowNode& node : chart_.nodes) node.group = SIZE_MAX;
      }
      break;
    }
  }

  const std::vector<std::string>& words_;
  const report::Story& story_;
  DrawnSide after_, before_;
  report::Flowchart chart_;
  std::vector<Stop> stops_;
  std::vector<Fault> faults_;
  std::string path_;
  bool is_full_ = false;
};

}  // namespace

Filled draw_flow(const report::DocumentInputs& inputs, const report::Story& story, std::string_view request,
                 const std::vector<std::string>& words) {
  FlowDrawing drawing(inputs, story, words);
  drawing.run(request);
  return drawing.take();
}

}  // namespace lockstep::writer
