// What the interpreter knows of a value: along which dimensions its contents, its extent (length, shape) and its order
// vary between ranks, where that comes from, which process group or mesh it is, and constants that decide branches.
//
// Everything not known is "the same on all ranks": unknown variation never makes a finding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/dimensions.h"
#include "mesh/mesh.h"

namespace lockstep::mesh {

/// Index into Sources; 0 is "none".
using SourceId = std::uint32_t;

/// Where variation comes from or passes through: the links of the chain that a finding tells.
struct Source {
  program::ModuleId module;
  std::uint32_t offset = 0;  ///< Byte in the module; turned into a line only when told.
  std::string message;
  SourceId parent = 0;      ///< What it was before.
  std::string doubt;        ///< Why it is not sure; empty where it is.
  bool stays_here = false;  ///< Says something where it is read only: not followed out of the function.
};

/// Along which dimensions something may differ between ranks. `sure`: by a rank or group query. `maybe`: by something
/// that need not differ (files, time, names alone).
struct Variation {
  Bits sure = 0;
  Bits maybe = 0;
  SourceId sure_source = 0;
  SourceId maybe_source = 0;

  [[nodiscard]] bool empty() const { return (sure | maybe) == 0; }
  [[nodiscard]] Bits any() const { return sure | maybe; }
  void join(const Variation& other) {
    if (other.sure & ~sure) {
      if (sure == 0) sure_source = other.sure_source;
      sure |= other.sure;
    }
    if (other.maybe & ~maybe) {
      if (maybe == 0) maybe_source = other.maybe_source;
      maybe |= other.maybe;
    }
  }
  void remove(Bits bits) {
    sure &= ~bits;
    maybe &= ~bits;
  }
  /// What is left where all that is known is that some ranks differ from some.
  [[nodiscard]] Variation somewhere() const {
    return {sure != 0 ? kSomeRanks : 0, maybe != 0 ? kSomeRanks : 0, sure_source, maybe_source};
  }
  static Variation surely(Bits bits, SourceId source) { return {bits, 0, source, 0}; }
  static Variation possibly(Bits bits, SourceId source) { return {0, bits, 0, source}; }
};

/// Index into Groups; 0 is "no group".
using GroupId = std::uint32_t;

struct GroupInfo {
  Group::Kind kind = Group::Kind::kUnknown;
  Bits span = 0;         ///< kEveryRank for the world; one symbol bit where only the symbol is known; 0: unknown.
  std::string identity;  ///< Two groups with one identity are the same object.
  std::string text;      ///< For people.
  std::string parameter;
  bool subset_only = false;  ///< Holds only some ranks along its dimensions.
  bool either = false;       ///< What spans these ranks is one of several that it may be (`a or b`).
  bool fresh = false;        ///< Made by new_group: its own communicator whatever it spans.
};

enum class ConstantTag : std::uint8_t { kUnknown, kNone, kTrue, kFalse, kInt, kText };

enum class ValueKind : std::uint8_t {
  kPlain,
  kGroup,
  kMesh,
  kUnordered /* a set */,
  kModelParts /* parameters(), modules() */,
  kHandleless,
};

/// What a value is, as far as its making tells. Only of scalars and tensors do the contents decide a condition.
enum class Form : std::uint8_t { kUnknown, kScalar, kTensor, kContainer };

struct Value {
  Variation value;     ///< The contents.
  Variation extent;    ///< Length or shape.
  Variation presence;  ///< Whether it is None.
  Variation order;     ///< The order in which it is iterated.
  GroupId group = 0;
  ValueKind kind = ValueKind::kPlain;
  Form form = Form::kUnknown;
  ConstantTag constant = ConstantTag::kUnknown;
  bool is_rank = false;        ///< A rank itself, not something computed from one.
  bool is_grown = false;       ///< A container that took up something where it stands.
  bool is_direct = false;      ///< A rank compared with something, or a role: no computation in between.
  std::int32_t length = -1;    ///< Known number of elements of a literal.
  std::int64_t number = 0;     ///< For kInt.
  std::string_view text;       ///< For kText.
  std::uint32_t elements = 0;  ///< Index into the interpreter's tuples; 0: not known one by one.

  [[nodiscard]] bool varies() const { return !value.empty() || !extent.empty() || !presence.empty() || !order.empty(); }
  /// Nothing is known of it.
  [[nodiscard]] bool dull() const {
    return !varies() && group == 0 && kind == ValueKind::kPlain && constant == ConstantTag::kUnknown && elements == 0 &&
           length < 0 && form != Form::kTensor;
  }
};

/// Joins what two paths bring. Constants and groups stay only where both agree.
Value join_values(const Value& a, const Value& b);

/// Process groups met in one run, each kept once.
class Groups {
 public:
  explicit Groups(const DimensionTable& dimensions) : dimensions_(dimensions), rows_(1) {}
  GroupId world();
  GroupId known(NamedDimensions dimensions, std::string_view source_name);
  /// A group known only as `parameter` of the function (or another local symbol), with the bit that stands for it.
  GroupId symbol(int symbol_bit, std::string_view name, bool is_parameter);
  GroupId fresh(Bits span, int symbol_bit, std::string_view text);
  GroupId unknown(std::string_view text);
  /// `group`, or one of others: `text` gives all of them.
  GroupId either(GroupId group, std::string_view text);
  /// The group where nobody passes another one as the parameter.
  GroupId by_default(GroupId group, std::string_view parameter);
  [[nodiscard]] const GroupInfo& operator[](GroupId id) const { return rows_[id]; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  GroupId intern(GroupInfo info);
  const DimensionTable& dimensions_;
  std::vector<GroupInfo> rows_;
  std::unordered_map<std::string, GroupId> by_identity_;
};

/// All links of chains met in one run.
class Sources {
 public:
  Sources() : rows_(1) {}
  SourceId add(Source source) {
    rows_.push_back(std::move(source));
    return static_cast<SourceId>(rows_.size() - 1);
  }
  [[nodiscard]] const Source& operator[](SourceId id) const { return rows_[id]; }
  /// The first doubt on the way to the source; never empty for what is not sure.
  [[nodiscard]] std::string doubt_of(SourceId id) const {
    for (; id != 0; id = rows_[id].parent) {
      if (!rows_[id].doubt.empty()) return rows_[id].doubt;
    }
    return "whether it really differs";
  }

 private:
  std::vector<Source> rows_;
};

}  // namespace lockstep::mesh
