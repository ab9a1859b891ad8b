// One variable through the expressions of a function, in the order in which they are evaluated: what reads it, what
// gives it or other names a value, what a condition says of the path. Private to variable_flow.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rules/syntax/flow_state.h"

namespace lockstep::rules {

class ExpressionFlow {
 protected:
  /// As follow_variable().
  ExpressionFlow(const python::FileFacts& facts, python::ScopeId scope, std::string_view name,
                 const std::vector<const python::Binding*>& bindings, const std::vector<const python::Name*>& loads,
                 std::vector<UnboundUse>& uses);

  /// Whether something in the span gives the variable a value.
  [[nodiscard]] bool binds(Span span) const;

  /// A read, or a `del`: without a value it fails.
  void use(const python::Node& at, State& state);
  void evaluate(const python::Node* node, State& state);
  void assign(const python::Expr& target, const python::Expr* value, State& state);
  void assign_name(std::string_view name, State& state);
  /// Another name gets a value; null for one that is not known.
  void assign_other(std::string_view name, const python::Expr* value, State& state);

  /// From here on the condition came out this way.
  void assume(State& state, const python::Expr& condition, bool outcome);
  template <class Action>
  void guarded_by(Span guard, Action&& action) {
    guards_.push_back(guard);
    action();
    guards_.pop_back();
  }

  /// What a handler leaves behind, by which code after it may know that it ran.
  void leave_traces(python::Seq<python::Stmt> handler, State& state) const;
  [[nodiscard]] bool reads_trace(const Path& path, const python::Expr& expression) const;
  /// Below, `condition` came out one way: notes it where it may know of the handler and we do not know what it says.
  bool doubt(State& state, const python::Expr& condition);
  static int doubts_of(const State& state) { return state.unbound ? state.unbound->doubts : 0; }
  static void restore_doubts(State& state, int doubts) {
    if (state.unbound) state.unbound->doubts = doubts;
  }

  const python::FileFacts& facts_;
  const python::ScopeId scope_;
  const std::string_view name_;
  Atoms atoms_;
  std::vector<Span> guards_;     ///< Branches around the current place, outermost first.
  std::size_t guard_floor_ = 0;  ///< How many of them stand around the loop at hand.

 private:
  [[nodiscard]] bool mentions(Span span) const;
  void read(const python::Name& name, State& state);
  void judge(const python::Node& at, const State& state);
  void short_circuit(const python::BoolOp& parts, State& state);
  void conditional(const python::IfExp& choice, State& state);
  void comprehension(const python::Node& node, State& state);

  std::vector<UnboundUse>& uses_;
  std::vector<std::uint32_t> bound_at_, loads_, mentioned_at_;  ///< Sorted positions.
};

}  // namespace lockstep::rules
