// A sequence of a trace -> for one variation, the events that matter to it: those on groups whose members may differ in
// the condition. What divergence.h compares.
#pragma once

#include <optional>
#include <vector>

#include "mesh/interpreter.h"
#include "mesh/trace.h"

namespace lockstep::mesh {

/// Trace nodes looked at for one comparison; beyond, the comparison is given up and nothing is reported.
inline constexpr int kMaxVisited = 4000;

/// One piece of a flattened sequence: an event, or a bracket of a choice or loop that is the same on all ranks.
struct Atom {
  std::uint64_t key = 0;
  const TraceEvent* event = nullptr;  ///< Null for brackets.
  std::vector<program::CallId> path;
  bool conditional_below = false;  ///< Under a condition or loop of a callee.
  bool exact = true;               ///< Every call on the path has this one target.
  bool leaves = false;             ///< In a branch that leaves the function after it.
  bool awaits = false;             ///< In `while True`, which it begins: waits for what another rank sends.
  Bits bits = 0;                   ///< Along which the condition varies, as far as its function knows them.
};
using Atoms = std::vector<Atom>;

/// A sequence being walked and where in it, with what follows around it.
struct Frame {
  enum class Kind : std::uint8_t { kBody, kLoop, kTry };
  const Sequence* sequence = nullptr;
  std::size_t next = 0;
  const Frame* outer = nullptr;
  Kind kind = Kind::kBody;
  const TraceNode* owner = nullptr;  ///< The choice, loop or try that the sequence is a part of.
  std::size_t part = 0;              ///< Which part.
};

/// Whether the members of a group may differ in a condition.
enum class Relevance : std::uint8_t { kNone, kDoubtful, kSure };

Relevance relevance(const GroupInfo& group, Bits bits);

/// How a sequence surely ends; none where it may go on.
std::optional<ExitKind> exit_of(const Sequence& sequence);

/// One comparison of ranks that differ in `bits`: flattens its ways through the code, under the same assumptions.
class Comparison {
 public:
  Comparison(const Interpreter& interpreter, Bits bits) : in_(interpreter), bits_(bits) {}

  void flatten(const Sequence& sequence, Atoms& out);
  void flatten_one(const TraceNode& node, Atoms& out);
  void assume(Assumption assumption) { assumptions_.push_back(assumption); }
  /// Conditions that all ranks agree on and that hold where `frame` stands.
  void assume_around(const Frame& frame, const TraceNode& choice);
  [[nodiscard]] bool gave_up() const { return visited_ > kMaxVisited; }

 private:
  void flatten_node(const TraceNode& node, Atoms& out);
  void flatten_kind(const TraceNode& node, Atoms& out);
  void flatten_call(const TraceNode& node, Atoms& out);
  /// Symbols of a class's groups mean the same in all its methods.
  bool same_class(const TraceNode& node, const FunctionResult& callee) const;

  void flatten_choice(const TraceNode& node, Atoms& out);

  std::optional<bool> decided(const ConditionPart& part) const;

  /// What the assumptions say about a condition.
  std::optional<bool> decided(const TraceNode& node) const;

  /// The branches between brackets; without brackets where all branches say the same.
  void flatten_bracket(const TraceNode& node, Atoms& out);

  /// `while True:`
  static bool is_endless(const TraceNode& node);

  /// A loop that begins by taking what a root sends serves that root, wherever its other half stands.
  static void mark_awaiting(Atoms& atoms);

  const Interpreter& in_;
  Bits bits_;
  Bits passed_ = kEveryRank;  ///< What of the variation means the same in the function being walked.
  int leaves_ = 0;
  std::vector<Assumption> assumptions_;
  std::vector<program::CallId> path_;
  int conditional_ = 0;
  bool exact_ = true;
  int visited_ = 0;
  int depth_ = 0;
};

}  // namespace lockstep::mesh
