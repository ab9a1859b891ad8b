#include "mesh/agreement.h"

#include <algorithm>

#include "mesh/bounds.h"

namespace lockstep::mesh {

using namespace python;

namespace {

/// Whether ranks that differ along `varies` alone are never in one group over `span`. Dimensions are not independent of
/// each other just because their names differ: those of the experts cut the same ranks as those of the dense layers in
/// another way, "dp" often is what is left, context parallelism included, and sequences and weights are spread over
/// ranks that other dimensions name, too. Only the pipeline is apart from all others.
class Apartness {
 public:
  explicit Apartness(const DimensionTable& dimensions)
      : pp_(dimensions.dimensions_in("pp").bits),
        dp_(dimensions.dimensions_in("dp").bits),
        cp_(dimensions.dimensions_in("cp").bits),
        dense_(dimensions.dimensions_in("tp").bits | dp_ | cp_),
        expert_(dimensions.dimensions_in("ep").bits | dimensions.dimensions_in("etp").bits |
                dimensions.dimensions_in("edp").bits),
        others_(dimensions.dimensions_in("sp").bits | dimensions.dimensions_in("gtp").bits) {}

  [[nodiscard]] bool are_apart(Bits varies, Bits span) const {
    varies = widened(varies);
    span = widened(span);
    if ((varies & span) != 0 || ((varies | span) & ~(pp_ | dense_ | expert_ | others_)) != 0) return false;
    varies &= ~pp_;
    span &= ~pp_;
    const Bits both = varies | span;
    return varies == 0 || span == 0 || (both & ~dense_) == 0 || (both & ~expert_) == 0;
  }

 private:
  [[nodiscard]] Bits widened(Bits bits) const { return (bits & dp_) != 0 ? bits | cp_ : bits; }

  Bits pp_;
  Bits dp_;
  Bits cp_;
  Bits dense_;
  Bits expert_;
  Bits others_;
};

class Reader {
 public:
  Reader(Bounds& bounds, program::FunctionId function, Bits span)
      : bounds_(bounds), function_(function), span_(span), apart_(bounds.dimensions()) {}

  /// False where the group's ranks may differ in a part that is known.
  bool read(std::size_t index, const Expr& condition, bool is_whole) {
    const KnownBound known = bounds_.of(function_, condition);
    if (known && known->bits == 0) return true;
    if (known) {
      if (!apart_.are_apart(known->bits, span_)) return false;
      out.conditions.push_back({index, &condition, is_whole, names_of(known->bits), known->is_by_name});
      return true;
    }
    out.is_complete = false;
    if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot)
      return read(index, *unary->operand, false);
    const auto* both = as<BoolOp>(&condition);
    return both == nullptr || std::all_of(both->values.begin(), both->values.end(),
                                          [&](const Expr* part) { return read(index, *part, false); });
  }

  Agreement out;

 private:
  [[nodiscard]] std::vector<std::string> names_of(Bits bits) const {
    std::vector<std::string> names;
    const std::vector<std::string>& all = bounds_.dimensions().names();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((bits >> i) & 1) names.push_back(all[i]);
    }
    return names;
  }

  Bounds& bounds_;
  program::FunctionId function_;
  Bits span_;
  Apartness apart_;
};

/// What the group of a site spans at most.
Bits span_of(const CollectiveSite& site, const MeshAnalysis& mesh, Bounds& bounds) {
  const auto* call = as<Call>(site.call);
  if (site.group.kind == Group::Kind::kUnknown && call != nullptr)
    return bounds.group_given_to(site.function, *call).value_or(0);
  Bits span = 0;
  if (site.group.kind != Group::Kind::kKnown || site.group.span.is_all()) return span;
  for (std::size_t i = 0; i < mesh.dimensions().size(); ++i) {
    if ((site.group.span.bits >> i) & 1) span |= bounds.dimensions().named(mesh.dimensions()[i]);
  }
  return span;
}

}  // namespace

Agreement agreement_on(const program::Program& program, const MeshAnalysis& mesh, const CollectiveSite& site,
                       program::FunctionId function, std::span<const Expr* const> conditions) {
  const auto& found = mesh.divergences();
  if (std::any_of(found.begin(), found.end(), [&](const Divergence& one) { return one.collective.call == site.call; }))
    return {};
  Bounds bounds(program);
  const Bits span = span_of(site, mesh, bounds);
  if (span == 0) return {};
  Reader reader(bounds, function, span);
  reader.out.is_complete = true;
  reader.out.is_span_told = site.group.kind == Group::Kind::kKnown;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (!reader.read(i, *conditions[i], true)) return {};
  }
  return std::move(reader.out);
}

}  // namespace lockstep::mesh
