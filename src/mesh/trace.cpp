#include "mesh/trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/strings.h"
#include "mesh/transfers.h"

namespace lockstep::mesh {
namespace {

constexpr std::size_t kMaxConditionChars = 90;
constexpr std::size_t kMaxEventsTold = 3;  // of one callee
constexpr std::size_t kMaxEventsRead = 200;

class Writer {
 public:
  Writer(const program::Program& program, const DimensionTable& dimensions, const Groups& groups,
         const FunctionResult& result, std::size_t limit)
      : program_(program), dimensions_(dimensions), groups_(groups), result_(result), limit_(limit) {}

  std::string write() {
    sequence(result_.trace, 0);
    if (lines_ > limit_) out_ += "…\n";
    return std::move(out_);
  }

 private:
  void line(int indent, const python::Node* place, std::string text) {
    if (++lines_ > limit_) return;
    const auto& module = program_.module_of(result_.function);
    const std::string number =
        place == nullptr ? "" : fmt::format("  [line {}]", module.facts->source().line_of(place->span.begin) + 1);
    out_ += std::string(static_cast<std::size_t>(indent) * 2, ' ') + text + number + "\n";
  }

  std::string source(const python::Node& node) const {
    std::string text(program_.module_of(result_.function).facts->source().slice(node.span));
    for (char& c : text) {
      if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    }
    if (text.size() > kMaxConditionChars) text = std::string(cut_at_character(text, kMaxConditionChars)) + "…";
    return text;
  }

  std::string along(const Variation& variation) const {
    if (variation.empty()) return {};
    const std::string what = dimensions_.describe(variation.any());
    return fmt::format("  (differs along {}{})", what, variation.sure == 0 ? ", perhaps" : "");
  }

  /// "call f", or "call one of f, g": alternatives, of which one runs.
  std::string call_text(const TraceNode& node) const {
    std::vector<std::string> names;
    for (const FunctionResult* callee : node.callees) {
      std::string name = program_.functions()[callee->function].qualified_name + events_of(*callee);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    return fmt::format("call {}{}", names.size() > 1 ? "one of " : "", fmt::join(names, ", "));
  }

  /// A condition of a loop runs before the first round and after each: its calls are told once.
  static bool repeats(const TraceNode& node, const TraceNode& last) {
    return node.kind == TraceKind::kCall && last.kind == TraceKind::kCall && node.place == last.place;
  }

  // "  (all_reduce on data-parallel group (dp))": the collectives of a callee itself, as this call's arguments make
  // them; empty where it knows no more of its groups than the callee alone.
  std::string events_of(const FunctionResult& callee) const {
    if (callee.is_root) return {};
    std::vector<std::string> events;
    std::size_t left = kMaxEventsRead;
    collect(callee.trace, events, left);
    if (events.empty()) return {};
    const std::size_t more = events.size() > kMaxEventsTold ? events.size() - kMaxEventsTold : 0;
    events.resize(events.size() - more);
    return fmt::format("  ({}{})", fmt::join(events, ", "), more > 0 ? ", …" : "");
  }

  void collect(const Sequence& nodes, std::vector<std::string>& events, std::size_t& left) const {
    for (const TraceNode& node : nodes) {
      if (left == 0) return;
      --left;
      if (node.kind == TraceKind::kEvent) {
        const GroupInfo& group = groups_[node.event.group];
        if (group.kind != Group::Kind::kKnown && group.kind != Group::Kind::kWorld) continue;
        std::string text = fmt::format("{}{}", node.event.model->operation, group_words(node.event));
        if (std::find(events.begin(), events.end(), text) == events.end()) events.push_back(std::move(text));
      }
      for (const Sequence& branch : node.branches) collect(branch, events, left);
    }
  }

  /// Between two peers the default group says nothing of who takes part.
  std::string group_words(const TraceEvent& event) const {
    const GroupInfo& group = groups_[event.group];
    const bool is_told = !event.model->is_point_to_point || group.kind != Group::Kind::kWorld;
    return is_told ? " on " + group.text : std::string();
  }

  std::string_view handle_words(const TraceEvent& event) {
    if (!event.is_async) return {};
    const auto& source_text = program_.module_of(event.function).facts->source();
    const auto [waits, is_new] =
        waits_.try_emplace(event.function, *program_.functions()[event.function].node, source_text);
    return waits->second.waits_for(*event.call) ? ", asynchronous" : ", not waited for here";
  }

  void sequence(const Sequence& nodes, int indent) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i == 0 || !repeats(nodes[i], nodes[i - 1])) one(nodes[i], indent);
    }
  }

  void one(const TraceNode& node, int indent) {
    switch (node.kind) {
      case TraceKind::kEvent:
        line(indent, node.place,
             fmt::format("{}{}{}", node.event.model->operation, group_words(node.event), handle_words(node.event)));
        break;
      case TraceKind::kCall:
        line(indent, node.place, call_text(node));
        break;
      case TraceKind::kChoice:
        line(indent, node.place, fmt::format("if {}{}", source(*node.place), along(node.varies)));
        sequence(node.branches[0], indent + 1);
        if (!node.branches[1].empty()) {
          line(indent, nullptr, "else");
          sequence(node.branches[1], indent + 1);
        }
        break;
      case TraceKind::kLoop:
        line(indent, node.place,
             fmt::format("for each of {}{}{}", source(*node.place), along(node.varies),
                         node.order.empty() ? "" : "  (in an order of its own on each rank)"));
        sequence(node.branches[0], indent + 1);
        break;
      case TraceKind::kTry: {
        constexpr const char* kNames[] = {"try", "else", "finally"};
        for (std::size_t i = 0; i < node.branches.size(); ++i) {
          if (node.branches[i].empty()) continue;
          line(indent, node.place, i < 3 ? kNames[i] : "except");
          sequence(node.branches[i], indent + 1);
        }
        break;
      }
      case TraceKind::kExit: {
        constexpr const char* kNames[] = {"return", "raise", "break", "continue", "leave the process"};
        line(indent, node.place, kNames[static_cast<int>(node.exit)]);
        break;
      }
    }
  }

  const program::Program& program_;
  const DimensionTable& dimensions_;
  const Groups& groups_;
  const FunctionResult& result_;
  std::size_t limit_;
  std::unordered_map<program::FunctionId, Waits> waits_;
  std::size_t lines_ = 0;
  std::string out_;
};

}  // namespace

std::string trace_to_text(const program::Program& program, const DimensionTable& dimensions, const Groups& groups,
                          const FunctionResult& result, std::size_t limit) {
  return Writer(program, dimensions, groups, result, limit).write();
}

}  // namespace lockstep::mesh
