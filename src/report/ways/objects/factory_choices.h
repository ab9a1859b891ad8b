// Calls of a method on an object that another function made: of which class it is where nobody sets anything, if the
// maker returns one of several.
//   def make_optimizer(config, parts):
//       if config.use_fsdp: return parts[0]
//       return ChainedOptimizer(parts)
//   def train(optimizer): optimizer.step()          # on a ChainedOptimizer, unless `use_fsdp` is set
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/ways/objects/made_receiver.h"

namespace lockstep::report {

class FactoryChoices {
 public:
  /// Whether a condition in a function holds where nobody sets anything; none where that does not decide it.
  using Holds = std::function<std::optional<bool>(program::FunctionId, const python::Expr&)>;
  FactoryChoices(const program::Program& program, Holds holds_by_default)
      : program_(program), holds_by_default_(std::move(holds_by_default)) {}

  /// Of a call `x.f(…)` that enters `callee`: whether `x` is of its class only under conditions, and what brings `x`
  /// where none of them holds is of another class. Nothing where it is not, or where that is not known.
  std::optional<FactoryException> exception_of(program::CallId call, program::FunctionId callee);

 private:
  struct Search;
  const std::vector<MadeReceiver>& receivers_of(program::CallId call);
  static void drop_shared(std::vector<MadeReceiver>& receivers);
  void add(program::FunctionId function, const python::Expr& value, std::size_t element, Search& search);
  void add_name(program::FunctionId function, const python::Name& name, std::size_t element, Search& search);
  void add_arguments(program::FunctionId function, const python::Name& parameter, Search& search);
  static void add_unknown(program::FunctionId function, const python::Expr& value, Search& search);
  bool add_returned(program::FunctionId function, std::size_t element, Search& search);
  void add_under(program::FunctionId function, const python::Node& place, const python::Expr& value,
                 std::size_t element, Search& search);
  [[nodiscard]] bool is_met(program::FunctionId function, const Guard& guard, Span place);

  const program::Program& program_;
  const Holds holds_by_default_;
  std::unordered_map<std::uint32_t, std::vector<MadeReceiver>> known_;  ///< By call.
};

}  // namespace lockstep::report
