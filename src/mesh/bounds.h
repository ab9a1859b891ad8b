// How far an expression may differ between ranks, at most: along no other dimensions than these. The interpreter works
// out what surely differs and takes what it does not know for the same on all ranks; here what is not known makes the
// whole answer unknown. Asked for single conditions on demand, so nothing is kept of functions.
//
// Left out: loops, containers, fields of other objects than `self`, and whatever a caller may pass.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "mesh/dimensions.h"
#include "program/program.h"

namespace lockstep::mesh {

/// May differ along `bits` and along nothing else; no bits: the same on all ranks.
struct Bound {
  Bits bits = 0;
  bool is_by_name = false;  ///< A name alone says so.
  void join(const Bound& other) {
    bits |= other.bits;
    is_by_name = is_by_name || other.is_by_name;
  }
};
using KnownBound = std::optional<Bound>;

class Bounds {
 public:
  explicit Bounds(const program::Program& program) : program_(program) {}

  /// `expression` must stand in `function`.
  KnownBound of(program::FunctionId function, const python::Expr& expression);
  /// Dimensions beyond which the group that a collective of `function` is given surely does not span.
  std::optional<Bits> group_given_to(program::FunctionId function, const python::Call& call);
  [[nodiscard]] DimensionTable& dimensions() { return dimensions_; }

 private:
  /// Calls and definitions followed from the expression that is asked for.
  static constexpr int kMostFollowed = 6;
  /// Expressions nested in each other: bounds the stack, and ends what goes round in circles.
  static constexpr int kMostNested = 60;

  /// Whether the bits are those of dimensions that have a name.
  static bool is_named(Bits bits) { return bits != 0 && (bits & ~kNamedBits) == 0 && bits != kNamedBits; }

  /// A function as one call enters it; without a call, nothing is known of what it is given.
  struct Frame {
    program::FunctionId function;
    const python::Call* call = nullptr;
    const Frame* caller = nullptr;
    std::size_t first = 0;  ///< The parameter that the first argument is.
    int depth = 0;          ///< Calls and definitions followed to come here.
  };
  /// What a name is bound to in its function.
  struct Bindings {
    const python::Parameter* parameter = nullptr;
    std::vector<std::pair<const python::Node*, const python::Expr*>> values;  ///< Statements and what they assign.
    bool is_open = false;  ///< Something else binds it, too: a loop, an import, a part of a tuple.
    bool is_loop = false;  ///< By a loop: the name is that of one of many.
    bool is_bound = false;
  };

  KnownBound evaluate(const python::Expr& expression, const Frame& frame);
  KnownBound all_of(python::Seq<python::Expr> expressions, const Frame& frame);
  KnownBound compare(const python::Compare& compare, const Frame& frame);
  KnownBound name(std::string_view id, const Frame& frame);
  KnownBound assigned(const Bindings& bindings, const Frame& frame);
  KnownBound attribute(const python::Attribute& attribute, const Frame& frame);
  KnownBound field(std::string_view name, const Frame& frame);
  KnownBound call(const python::Call& call, const Frame& frame);
  KnownBound named_call(const python::Call& call, const Frame& frame);
  KnownBound external_call(const python::Call& call, std::string_view name, const Frame& frame);
  KnownBound targets(const program::CallSite& site, const python::Call* call, const Frame& frame);
  KnownBound body(program::FunctionId function, const Frame& frame);
  KnownBound by_name(std::string_view name, bool is_called) const;
  /// Dimensions of the group (or mesh) that an expression surely is; of all of them, where it is one of several.
  std::optional<Bits> group(const python::Expr& expression, const Frame& frame);
  std::optional<Bits> group_of(const python::Expr& expression, const Frame& frame);
  std::optional<Bits> either_group(const python::Expr& one, const python::Expr& other, const Frame& frame);
  [[nodiscard]] std::optional<Bits> held_group(const python::Expr& holder, std::string_view field) const;
  std::optional<Bits> mesh(const python::Expr& expression);
  [[nodiscard]] std::optional<Bits> dimension(std::string_view name) const;
  std::optional<Bits> group_by_name(std::string_view name) const;

  const python::Expr* argument(const Frame& frame, const python::Parameter& parameter) const;
  Bindings bindings_of(std::string_view id, const Frame& frame) const;
  [[nodiscard]] program::ClassId class_of(const Frame& frame) const;
  [[nodiscard]] bool is_self(const python::Expr& expression, const Frame& frame) const;

  const program::Program& program_;
  DimensionTable dimensions_;
  int left_ = 0;  ///< Expressions that may still be looked at.
  int nested_ = 0;
};

}  // namespace lockstep::mesh
