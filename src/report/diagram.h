// Diagrams as graphs, free of any drawing language; render/mermaid.h turns them into text. Labels are plain untrusted
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::report {

/// What the change did to the thing drawn.
enum class Mark : std::uint8_t { kNone, kNew, kModified, kRemoved };

enum class NodeShape : std::uint8_t { kBox, kRounded, kDecision, kData, kCommunication, kStore };

struct FlowNode {
  std::string label;  ///< "\n" breaks lines.
  NodeShape shape = NodeShape::kBox;
  Mark mark = Mark::kNone;
  std::size_t group = SIZE_MAX;  ///< Index into Flowchart::groups; SIZE_MAX: outside.
};
enum class EdgeStyle : std::uint8_t { kSolid, kDotted, kThick };
struct FlowEdge {
  std::size_t from = 0;  ///< Indices into Flowchart::nodes.
  std::size_t to = 0;
  std::string label;
  EdgeStyle style = EdgeStyle::kSolid;
};
struct FlowGroup {
  std::string title;
};
struct Flowchart {
  bool left_to_right = false;
  std::vector<FlowGroup> groups;
  std::vector<FlowNode> nodes;
  std::vector<FlowEdge> edges;
};

struct Participant {
  std::string label;
  Mark mark = Mark::kNone;
};
/// One event of a sequence diagram, top to bottom. Blocks (`kOptional`, `kAlternative`, `kLoop`) run to their `kEnd`.
struct SequenceEvent {
  enum class Kind : std::uint8_t { kCall, kReturn, kAsync, kNote, kOptional, kAlternative, kElse, kLoop, kEnd };
  Kind kind = Kind::kCall;
  std::size_t from = 0;  ///< Indices into Sequence::participants. Notes stand over `from` (to `to`).
  std::size_t to = 0;
  std::string text;
};
struct Sequence {
  std::vector<Participant> participants;
  std::vector<SequenceEvent> events;
  std::size_t way = 0;            ///< How many of the first events lead to the changed code.
  bool starts_at_script = false;  ///< The way starts where a run does, not at a test or another caller.
};

struct ClassMember {
  std::string text;  ///< "forward(x)", "weight: Tensor".
  bool is_method = false;
  bool is_private = false;
  Mark mark = Mark::kNone;
};
struct ClassBox {
  std::string name;
  Mark mark = Mark::kNone;
  std::string stereotype;  ///< Instead of a mark: "functions", "external"; may be empty.
  std::vector<ClassMember> members;
};
struct ClassRelation {
  enum class Kind : std::uint8_t { kExtends, kComposes, kUses, kDepends };
  Kind kind = Kind::kUses;
  std::size_t from = 0;  ///< kExtends: the derived class; kComposes: the whole; kUses, kDepends: the user.
  std::size_t to = 0;
  std::string label;
};
struct ClassDiagram {
  std::vector<ClassBox> classes;
  std::vector<ClassRelation> relations;
};

using Diagram = std::variant<Flowchart, Sequence, ClassDiagram>;

}  // namespace lockstep::report
