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
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/file_name.h"
#include "report/story/words.h"
#include "rules/flow.h"
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

constexpr std::size_t kMostNodes = 15, kMostEdges = 24, kMostCondition = 110, kMostQuestion = 240;
constexpr std::size_t kMostWordBytes = 90;
constexpr std::string_view kCalls = "calls", kReturns = "returns";
constexpr std::size_t kShortestName = 3;  // that tells two functions to mean the same

/// Names that a statement gives a value (attributes, items, variables, keywords of calls), and those that it uses.
struct Names {
  std::set<std::string, std::less<>> set;    ///< Attributes, keys, keywords: known outside the function.
  std::set<std::string, std::less<>> local;  ///< Variables that it assigns.
  std::set<std::string, std::less<>> used;
};

// "--some-name" is `some_name` to whoever reads it.
std::string as_name(std::string_view text) {
  while (text.starts_with('-')) text.remove_prefix(1);
  return replace_all(text, "-", "_");
}

void add_target(const python::Expr* target, Names& names) {
  if (const auto* attribute = python::as<python::Attribute>(target)) {
    names.set.emplace(attribute->name.text);
  } else if (const auto* name = python::as<python::Name>(target)) {
    names.local.emplace(name->id);
  } else if (const auto* item = python::as<python::Subscript>(target)) {
    if (const auto* key = python::as<python::Constant>(item->index);
        key != nullptr && key->constant_kind == python::ConstantKind::kStr)
      names.set.emplace(key->text);
    add_target(item->value, names);
  } else if (const auto* tuple = python::as<python::Tuple>(target)) {
    for (const python::Expr* element : tuple->elements) add_target(element, names);
  } else if (const auto* starred = python::as<python::Starred>(target)) {
    add_target(starred->value, names);
  }
}

void add_names(const python::Node& node, Span within, Names& names) {
  if (node.span.begin >= within.end) return;
  if (const auto* attribute = python::as<python::Attribute>(&node)) names.used.emplace(attribute->name.text);
  if (const auto* name = python::as<python::Name>(&node)) names.used.emplace(name->id);
  if (const auto* text = python::as<python::Constant>(&node);
      text != nullptr && text->constant_kind == python::ConstantKind::kStr && text->text.size() < 80)
    names.used.insert(as_name(text->text));
  if (const auto* call = python::as<python::Call>(&node)) {
    for (const python::Keyword* keyword : call->keywords) names.set.emplace(keyword->name.text);
    const std::string_view callee = report::callee_name(*call);
    if (callee == "add_argument" || callee == "setattr" || callee == "register_buffer") {
      for (const python::Expr* argument : call->arguments) {
        if (const auto* text = python::as<python::Constant>(argument);
            text != nullptr && text->constant_kind == python::ConstantKind::kStr)
          names.set.insert(as_name(text->text));
      }
    }
    // `self.x.append(…)`, `total.add_(…)`
    const auto* method = python::as<python::Attribute>(call->callee);
    const bool is_in_place = (callee.ends_with('_') && !callee.ends_with("__")) || callee == "append" ||
                             callee == "extend" || callee == "update" || callee == "add";
    if (method != nullptr && is_in_place) add_target(method->value, names);
  }
  if (const auto* assign = python::as<python::Assign>(&node)) {
    for (const python::Expr* target : assign->targets) add_target(target, names);
  } else if (const auto* one = python::as<python::AnnAssign>(&node)) {
    add_target(one->target, names);
  } else if (const auto* more = python::as<python::AugAssign>(&node)) {
    add_target(more->target, names);
  } else if (const auto* each = python::as<python::For>(&node)) {
    add_target(each->target, names);
  }
  python::for_each_child(node, [&](const python::Node* child) { add_names(*child, within, names); });
}

/// A node of the drawing and what it stands for.
struct Stop {
  DrawnPlace place;
  Names names;
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

  // A box of words needs no place: the text around it has the places that matter. Of a condition the question alone.
  // What happens does not call what happens next.
  void simplify_labels() {
    const auto has_words = [&](std::size_t node) {
      return std::any_of(stops_.begin(), stops_.end(),
                         [&](const Stop& stop) { return stop.node == node && stop.has_words; });
    };
    for (report::FlowEdge& edge : chart_.edges) {
      if ((edge.label == kCalls || edge.label == kReturns) && has_words(edge.from) && has_words(edge.to))
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
    // Of a condition the code stays: "yes" and "no" are of that, and words may ask the opposite.
    const bool is_asking = found && chart_.nodes[stops_[*found].node].shape == NodeShape::kDecision;
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
    const std::string words = replace_all(words_[index - 1], "`", "");
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
        add_names(*place.step.node, place.step.span, stop.names);
        node.shape = shape_of(place, side);
      } else {
        add_declaration(place, stop.names);
      }
    }
    node.mark = internal::mark_of(story_, side, place);
    chart_.nodes.push_back(std::move(node));
    stop.place = std::move(place);
    stops_.push_back(std::move(stop));
    return stops_.size() - 1;
  }

  // A field of a class, a variable of a module, an option: its line says what it declares.
  static void add_declaration(const DrawnPlace& place, Names& names) {
    bool is_first = true;
    for_each_word(place.text, [&](std::string_view word, std::size_t at) {
      const std::string_view rest = trim(std::string_view(place.text).substr(at + word.size()));
      const bool is_declared = is_first && at == 0 && (rest.starts_with(':') || rest.starts_with('='));
      (is_declared ? names.set : names.used).emplace(word);
      is_first = false;
    });
    if (const std::size_t dashes = place.text.find("--"); dashes != std::string::npos) {
      const std::size_t end = place.text.find_first_of("'\" ,)", dashes);
      names.set.insert(as_name(std::string_view(place.text).substr(dashes, end - dashes)));
    }
  }

  NodeShape shape_of(const DrawnPlace& place, const DrawnSide& side) const {
    const StepKind kind = place.step.kind;
    if (kind == StepKind::kIf || kind == StepKind::kFor || kind == StepKind::kWhile) return NodeShape::kDecision;
    if (side.mesh != nullptr) {
      for (const mesh::CollectiveSite& site : side.mesh->collectives_of(place.function)) {
        if (site.call != nullptr && place.step.span.contains(site.call->span)) return NodeShape::kCommunication;
      }
    }
    return leaves(place) ? NodeShape::kRounded : NodeShape::kBox;
  }

  static bool leaves(const DrawnPlace& place) {
    return place.step.node != nullptr && place.step.kind == StepKind::kPlain &&
           rules::ends_block(*static_cast<const python::Stmt*>(place.step.node));
  }

  void edge(const Stop& from, const Stop& to, const DrawnSide& side) {
    const bool is_known = std::any_of(chart_.edges.begin(), chart_.edges.end(), [&](const report::FlowEdge& one) {
      return one.from == from.node && one.to == to.node;
    });
    if (is_known || chart_.edges.size() == kMostEdges) return;
    std::string why;
    if (std::optional<std::string> label = lead(from, to, side, why)) {
      chart_.edges.push_back({from.node, to.node, std::move(*label), report::EdgeStyle::kSolid});
      return;
    }
    faults_.push_back(drawing_fault(fmt::format("{} -> {}", label_of(from), label_of(to)), std::move(why)));
  }

  [[nodiscard]] std::string label_of(const Stop& stop) const {
    return replace_all(chart_.nodes[stop.node].label, "\n", " ");
  }

  /// What leads from one to the other; nullopt: nothing that is known.
  static std::optional<std::string> lead(const Stop& from, const Stop& to, const DrawnSide& side, std::string& why) {
    const DrawnPlace& a = from.place;
    const DrawnPlace& b = to.place;
    if (calls(a, b.function, side)) return std::string(kCalls);
    // What a function returns to the statement that calls it.
    if (a.function.valid() && !b.is_function && calls(b, a.function, side)) return std::string(kReturns);
    const bool is_same = a.function.valid() && a.function == b.function;
    if (is_same && a.is_function) return "";
    if (is_same && !b.is_function) return within(from, to, side, why);
    if (std::string name = shared_name(from.names.set, to.names.used); name.size() >= kShortestName) return name;
    // A variable that a nested function reads.
    if (b.function.valid() && a.function.valid() && side.program->functions()[b.function].enclosing == a.function) {
      if (std::string name = shared_name(from.names.local, to.names.used); !name.empty()) return name;
    }
    why =
        "nothing in the code leads there: no call, no order within one function, no name that one sets and the other "
        "reads; name what stands between, or leave it out";
    return std::nullopt;
  }

  static bool calls(const DrawnPlace& from, FunctionId to, const DrawnSide& side) {
    if (!from.function.valid() || !to.valid()) return false;
    const program::Program& program = *side.program;
    for (const program::CallId id : program.functions()[from.function].calls) {
      const program::CallSite& site = program.calls()[id];
      if (!from.is_function && !from.step.span.contains(site.node->span)) continue;
      const bool enters = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
        if (target.function == to) return true;
        if (!target.function.valid() || !program.functions()[target.function].owner.valid()) return false;
        const std::vector<FunctionId> overrides = program.overrides_of(target.function);
        return std::find(overrides.begin(), overrides.end(), to) != overrides.end();
      });
      if (enters) return true;
    }
    return false;
  }

  /// Of two statements of one function.
  static std::optional<std::string> within(const Stop& from, const Stop& to, const DrawnSide& side, std::string& why) {
    const program::Function& function = side.program->functions()[from.place.function];
    const SourceText& source = report::source_of(*side.program, from.place.function);
    const std::vector<report::Step> steps = report::steps_of(report::body_of(function.node), source);
    const auto index_of = [&](const DrawnPlace& place) {
      return static_cast<std::size_t>(
          std::find_if(steps.begin(), steps.end(),
                       [&](const report::Step& one) { return one.span == place.step.span; }) -
          steps.begin());
    };
    const std::size_t a = index_of(from.place), b = index_of(to.place);
    if (a >= steps.size() || b >= steps.size()) {
      why = "no statement of a function's body stands there";
      return std::nullopt;
    }
    if (b < a) {
      for (std::size_t up = steps[b].parent; up != report::Step::kNone; up = steps[up].parent) {
        const bool is_loop = steps[up].kind == StepKind::kFor || steps[up].kind == StepKind::kWhile;
        if (is_loop && a < report::end_of(steps, up)) return "next";
      }
      if ((steps[b].kind == StepKind::kFor || steps[b].kind == StepKind::kWhile) && a < report::end_of(steps, b))
        return "next";
      why = "it stands before the other, and no loop holds both";
      return std::nullopt;
    }
    if (report::are_alternatives(steps, a, b)) {
      why = "a run that takes the one branch does not take the other";
      return std::nullopt;
    }
    if (leaves(from.place)) {
      why = "a run leaves there";
      return std::nullopt;
    }
    if (leaves_between(steps, a, b)) {
      why = "a run leaves at the end of the block that holds the one, and does not come to the other";
      return std::nullopt;
    }
    const StepKind kind = steps[a].kind;
    const bool is_inside = b < report::end_of(steps, a);
    if (is_in_earlier_branch(steps, a, b)) {
      why =
          "a run that takes the one branch does not come to the other; name the condition or what stands in the branch";
      return std::nullopt;
    }
    if (kind == StepKind::kIf) return is_inside ? "yes" : is_other_side(steps, a, b) ? "no" : "";
    if (kind == StepKind::kFor || kind == StepKind::kWhile) return is_inside ? "next" : "done";
    std::string label = shared_name(from.names.local, to.names.used);
    if (label.empty()) label = shared_name(from.names.set, to.names.used);
    if (const std::string condition = condition_between(steps, a, b, source); !condition.empty())
      label += (label.empty() ? "" : ", ") + condition;
    return label;
  }

  /// Whether a block that holds `a` and not `b` ends in a statement that leaves the function.
  static bool leaves_between(const std::vector<report::Step>& steps, std::size_t a, std::size_t b) {
    for (std::size_t up = steps[a].parent; up != report::Step::kNone && b >= report::end_of(steps, up);
         up = steps[up].parent) {
      std::size_t last = up;
      for (std::size_t i = up + 1; i < report::end_of(steps, up); ++i) {
        if (steps[i].parent == up) last = i;
      }
      // An `else` comes with its whole `if`.
      const auto* statement = last != up ? static_cast<const python::Stmt*>(steps[last].node) : nullptr;
      if (statement != nullptr && leaves_function(*statement)) return true;
    }
    return false;
  }

  static bool leaves_function(const python::Stmt& statement) {
    if (python::is<python::Return>(&statement) || python::is<python::Raise>(&statement)) return true;
    const auto* branch = python::as<python::If>(&statement);
    return branch != nullptr && !branch->body.empty() && !branch->orelse.empty() &&
           leaves_function(*branch->body.back()) && leaves_function(*branch->orelse.back());
  }

  /// Whether `b` is the `else:` or `elif` of a branch that holds `a`.
  static bool is_in_earlier_branch(const std::vector<report::Step>& steps, std::size_t a, std::size_t b) {
    const bool goes_on = steps[b].kind == StepKind::kElse || (steps[b].kind == StepKind::kIf && steps[b].is_elif) ||
                         steps[b].kind == StepKind::kExcept || steps[b].kind == StepKind::kCase;
    for (std::size_t up = steps[a].parent; goes_on && up != report::Step::kNone; up = steps[up].parent) {
      if (steps[up].depth == steps[b].depth && steps[up].parent == steps[b].parent) return true;
    }
    return false;
  }

  /// Whether a run comes to `b` only where the condition `a` does not hold: it stands in an `else` or `elif` of it, or
  /// behind a branch that leaves.
  static bool is_other_side(const std::vector<report::Step>& steps, std::size_t a, std::size_t b) {
    const std::size_t end = report::end_of(steps, a);
    for (std::size_t i = end; i < steps.size(); i = report::end_of(steps, i)) {
      const bool goes_on = steps[i].depth == steps[a].depth && steps[i].parent == steps[a].parent &&
                           (steps[i].kind == StepKind::kElse || (steps[i].kind == StepKind::kIf && steps[i].is_elif));
      if (!goes_on) break;
      if (b >= i && b < report::end_of(steps, i)) return true;
    }
    std::size_t last = a;
    for (std::size_t i = a + 1; i < end; ++i) {
      if (steps[i].parent == a) last = i;
    }
    return last != a && steps[last].kind == StepKind::kPlain &&
           rules::ends_block(*static_cast<const python::Stmt*>(steps[last].node));
  }

  /// Last names of what is called, or handed over to be called.
  static std::set<std::string_view> named_functions(const python::Node& node) {
    constexpr std::size_t kShortest = 6;  // `cat`, `len` and `sum` stand everywhere
    std::set<std::string_view> names;
    const auto add = [&](const python::Expr* one) {
      const auto* name = python::as<python::Name>(one);
      const auto* attribute = python::as<python::Attribute>(one);
      const std::string_view text = name != nullptr        ? name->id
                                    : attribute != nullptr ? attribute->name.text
                                                           : std::string_view();
      if (text.size() >= kShortest) names.insert(text);
    };
    const auto visit = [&](const python::Call* call) {
      add(call->callee);
      for (const python::Expr* argument : call->arguments) {
        if (python::is<python::Name>(argument)) add(argument);
      }
    };
    python::walk_of<python::Call>(node, python::Nested::kEnter, visit);
    return names;
  }

  static std::set<std::string_view> called_names(python::Seq<python::Stmt> block) {
    std::set<std::string_view> names;
    for (const python::Stmt* statement : block) {
      python::walk_of<python::Call>(*statement, python::Nested::kEnter, [&](const python::Call* call) {
        const std::string_view name = report::callee_name(*call);
        if (!name.empty()) names.insert(name);
      });
    }
    return names;
  }

  /// Whether the other side of the branch calls what the step calls or hands over, too: then the condition chooses how,
  /// not whether.
  static bool runs_on_both_sides(const python::If& branch, bool is_else, const python::Node& step) {
    const std::set<std::string_view> other = called_names(is_else ? branch.body : branch.orelse);
    const std::set<std::string_view> own = named_functions(step);
    return std::any_of(own.begin(), own.end(), [&](std::string_view name) { return other.contains(name); });
  }

  /// "when x is set": the innermost branch that holds the second and not the first.
  static std::string condition_between(const std::vector<report::Step>& steps, std::size_t a, std::size_t b,
                                       const SourceText& source) {
    for (std::size_t up = steps[b].parent; up != report::Step::kNone; up = steps[up].parent) {
      if (a > up && a < report::end_of(steps, up)) return {};
      const auto* branch = python::as<python::If>(steps[up].node);
      if (branch == nullptr || (steps[up].kind != StepKind::kIf && steps[up].kind != StepKind::kElse)) continue;
      if (runs_on_both_sides(*branch, steps[up].kind == StepKind::kElse, *steps[b].node)) continue;
      std::string words =
          report::unmarked(report::condition_words(*branch->condition, source, steps[up].kind == StepKind::kElse));
      // A condition cut in the middle says less than that there is one.
      return words.size() > kMostCondition ? std::string("under a condition") : "when " + words;
    }
    return {};
  }

  /// The names that one sets and the other uses, the first three; what many statements have in common says nothing.
  static std::string shared_name(const std::set<std::string, std::less<>>& set,
                                 const std::set<std::string, std::less<>>& used) {
    static constexpr std::string_view kCommon[] = {"self",  "cls",   "args",   "config", "kwargs", "name",
                                                   "dtype", "group", "device", "dim",    "shape"};
    constexpr std::size_t kMostShared = 3;
    std::vector<std::string> shared;
    for (const std::string& name : set) {
      if (used.contains(name) && std::find(std::begin(kCommon), std::end(kCommon), name) == std::end(kCommon))
        shared.push_back(name);
    }
    // The longest says most.
    std::stable_sort(shared.begin(), shared.end(),
                     [](const std::string& x, const std::string& y) { return x.size() > y.size(); });
    const bool is_cut = shared.size() > kMostShared;
    if (is_cut) shared.resize(kMostShared);
    return join(shared, ", ") + (is_cut ? ", \u2026" : "");
  }

  void connect(const Stop& from, const Stop& to, const std::string& label) {
    const bool is_known = std::any_of(chart_.edges.begin(), chart_.edges.end(), [&](const report::FlowEdge& one) {
      return one.from == from.node && one.to == to.node;
    });
    if (!is_known && chart_.edges.size() < kMostEdges)
      chart_.edges.push_back({from.node, to.node, label, report::EdgeStyle::kSolid});
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
