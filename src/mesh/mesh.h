// The mesh analysis (docs/mesh.md): which values vary between ranks, which ranks a process group spans, which
// collectives each function issues under which conditions. Linked program in, immutable analysis out.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mesh/groundwork.h"
#include "program/program.h"

namespace lockstep::mesh {

/// A set of mesh dimensions (at most 32 in one repository; names in MeshAnalysis::dimensions). `kAll` is every rank.
struct DimensionSet {
  std::uint32_t bits = 0;
  static constexpr std::uint32_t kAllBits = 0xffffffffu;
  static constexpr DimensionSet all() { return {kAllBits}; }
  static constexpr DimensionSet none() { return {0}; }
  [[nodiscard]] bool empty() const { return bits == 0; }
  [[nodiscard]] bool is_all() const { return bits == kAllBits; }
  [[nodiscard]] bool intersects(DimensionSet other) const { return (bits & other.bits) != 0; }
  friend DimensionSet operator|(DimensionSet a, DimensionSet b) { return {a.bits | b.bits}; }
  friend DimensionSet operator&(DimensionSet a, DimensionSet b) { return {a.bits & b.bits}; }
  friend bool operator==(DimensionSet, DimensionSet) = default;
};

/// What is known of a process-group expression.
struct Group {
  enum class Kind : std::uint8_t { kUnknown, kWorld, kKnown, kParameter };
  Kind kind = Kind::kUnknown;
  DimensionSet span;      ///< For kWorld: all. For kKnown: the dimensions it spans.
  std::string text;       ///< As people name it: "tensor-parallel group (tp)", or the source text.
  std::string parameter;  ///< For kParameter: what it is; else a parameter that may give another group, or empty.
};

/// One call of a collective (or point-to-point operation) of torch.distributed or a modelled library, in one function.
struct CollectiveSite {
  program::FunctionId function;
  const python::Node* call = nullptr;
  std::string_view operation;  ///< "all_reduce", "broadcast", "barrier", "send", … (static storage).
  Group group;                 ///< Of a point-to-point operation that names none: kUnknown without text.
  bool is_async = false;       ///< Asynchronous, and the function that issues it does not itself wait for it.
  bool is_point_to_point = false;
  bool creates_group = false;  ///< Makes process groups (new_group, init_device_mesh, …): no data is exchanged.
};

/// A step of the explanation of a finding. Lines from 0.
struct Step {
  program::ModuleId module;
  std::uint32_t line = 0;
  std::string message;
};

/// Collectives issued, or not, depending on something that varies between the ranks of their group.
struct Divergence {
  enum class Kind : std::uint8_t {
    kCondition,      ///< Issued in one branch only, or different sequences in the branches.
    kLoop,           ///< In a loop whose trip count varies.
    kEarlyExit,      ///< After a return / continue / break / raise that only some ranks take.
    kOrder,          ///< Iteration order differs between ranks (set, listdir, …).
    kException,      ///< An exception path skips it.
    kRoot,           ///< The root of a broadcast varies.
    kShape,          ///< The tensor's shape varies.
    kGroupCreation,  ///< new_group not reached by every rank.
    kOperation,      ///< dtype or reduce op differs.
  };
  Kind kind = Kind::kCondition;
  program::FunctionId function;         ///< Where the varying condition stands.
  const python::Node* place = nullptr;  ///< The condition, loop, or argument that varies.
  DimensionSet varies;                  ///< Along which dimensions it varies.
  CollectiveSite collective;            ///< The collective that some ranks miss (in `function` or below it).
  std::vector<program::CallId> path;    ///< Calls from `function` to the collective's function; empty when in itself.
  bool proven = false;       ///< Every step is resolved: source a rank or group query, group and collective known.
  std::string missing_step;  ///< Where not proven: what is not known.
  bool environment = false;  ///< It hangs on files, time, chance, queues or memory, which may well be the same.
  std::string outcome;       ///< What was measured to happen: "hang", "wrong values".
  std::vector<Step> steps;   ///< Source of the variation -> condition -> calls -> collective.
};

/// An async handle that is never waited for, or whose buffer is touched before the wait.
struct UnwaitedHandle {
  program::FunctionId function;
  CollectiveSite collective;
  const python::Node* touched_at = nullptr;  ///< Where the buffer is read or written before a wait; null: never waited.
  std::string buffer;                        ///< Source text of the buffer; may be empty.
  bool handle_dropped = false;               ///< The result of the call is not even kept.
};

class MeshAnalysis {
 public:
  /// Names of the dimensions; bit i of a DimensionSet is dimensions()[i].
  [[nodiscard]] const std::vector<std::string>& dimensions() const { return dimensions_; }
  /// "tp", "dp and cp", "every rank".
  [[nodiscard]] std::string describe(DimensionSet set) const;
  /// Collectives issued directly in `function`, in source order.
  [[nodiscard]] std::span<const CollectiveSite> collectives_of(program::FunctionId function) const;
  /// Collectives issued in what a call enters, and in what that calls, with their groups as the arguments on the way
  /// make them, as far as the trace of the calling function goes; one twice where its group differs. Empty for calls of
  /// functions that MeshOptions::told does not name.
  [[nodiscard]] std::span<const CollectiveSite> issued_through(program::CallId call) const;
  /// Whether `issued_through` has all that the call comes to with these arguments, but for a backward pass later.
  [[nodiscard]] bool knows_all_of(program::CallId call) const;
  /// True if `function` or anything it surely or possibly calls issues a collective.
  [[nodiscard]] bool may_communicate(program::FunctionId function) const;
  /// The collective trace for people: one event a line, indented under conditions and loops.
  [[nodiscard]] std::string trace_text(program::FunctionId function) const;
  /// Calls that the trace of `function` holds, sorted. Others may communicate too: the trace holds what is issued
  /// whichever of several functions runs.
  [[nodiscard]] std::span<const program::CallId> calls_in_trace(program::FunctionId function) const;
  [[nodiscard]] const std::vector<Divergence>& divergences() const { return divergences_; }  ///< By path, line.
  [[nodiscard]] const std::vector<UnwaitedHandle>& unwaited() const { return unwaited_; }    ///< By path, line.

 private:
  friend class MeshBuilder;
  std::vector<std::string> dimensions_;
  std::unordered_map<program::FunctionId, std::vector<CollectiveSite>> collectives_;
  std::vector<bool> communicates_;
  struct Trace {
    std::string text;
    std::vector<program::CallId> calls;
  };
  std::unordered_map<program::FunctionId, Trace> traces_;
  struct Issued {
    std::vector<CollectiveSite> sites;
    bool is_all = false;
  };
  std::unordered_map<program::CallId, Issued> issued_through_;
  std::vector<Divergence> divergences_;
  std::vector<UnwaitedHandle> unwaited_;
};

/// True if the target runs at the call itself: not what is registered there, or runs in the backward pass.
bool runs_now(const program::CallTarget& target, const program::Program& program);

/// How much of the analysis is made.
enum class MeshExtent : std::uint8_t {
  kEverything,
  kSites,  ///< Collectives where they stand, with their groups; no traces of what calls them, no findings.
};

struct MeshOptions {
  MeshExtent extent = MeshExtent::kEverything;
  /// Extra getters: qualified name -> dimensions its group spans (from the user's configuration).
  std::vector<std::pair<std::string, std::vector<std::string>>> group_getters;
  std::size_t jobs = 1;
  const Groundwork* groundwork = nullptr;  ///< Of the same program, if it was laid already.
  /// Where given: only these functions and what they call, and no findings, which hang on callers too.
  const std::vector<program::FunctionId>* roots = nullptr;
  /// Where given: functions of whose calls it is kept what they come to (`issued_through`).
  const std::vector<program::FunctionId>* told = nullptr;
};

MeshAnalysis analyse_mesh(const program::Program& program, const MeshOptions& options);

/// The analysis of a program for whoever asks first; made once. From any thread.
class MeshOnDemand {
 public:
  /// `program` must outlive it, and what `options` points to.
  MeshOnDemand(const program::Program& program, MeshOptions options)
      : program_(program), options_(std::move(options)) {}
  [[nodiscard]] const MeshAnalysis& get() const {
    std::call_once(once_, [this] { analysis_ = analyse_mesh(program_, options_); });
    return analysis_;
  }

 private:
  const program::Program& program_;
  MeshOptions options_;
  mutable std::once_flag once_;
  mutable MeshAnalysis analysis_;
};

}  // namespace lockstep::mesh
