// Attributes of objects that a condition asks for, and that are off until one function or another turns them on.
//   self.ledger_on = False                 # in Engine.reset, which Engine.__init__ calls
//   if self.ledger_on: self.keep(request)  # in Engine.finish
//   engine.ledger_on = True                # in Trainer.launch: without it nothing is kept
// Only where all that gives the attribute a value outside tests is known, and no setting or parameter decides it: that
// is what settings_behind.h tells.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/source/code.h"
#include "report/source/defaults.h"

namespace lockstep::report {

/// What turns such an attribute on.
struct SwitchedOn {
  program::FunctionId function;
  Span place;            ///< The attribute that it stores to.
  bool is_self = false;  ///< Of its own object.
};

/// A part of a condition that holds only once an attribute was turned on.
struct Switched {
  const python::Attribute* read = nullptr;

  const python::Expr* part = nullptr;  ///< `self.x`, `self.x is not None`, `self.mode == "fast"`.
  Value initial;
  std::vector<SwitchedOn> on;  ///< At least one.
};

/// Not for several threads at once: it keeps what it found out.
class SwitchedAttributes {
 public:
  /// The program must outlive it.
  explicit SwitchedAttributes(const program::Program& program) : program_(program) {}

  /// All such parts of the condition (negated: its opposite) that have to hold for it to hold in `function`.
  [[nodiscard]] std::vector<Switched> asked_by(program::FunctionId function, const python::Expr& condition,
                                               bool negated) const;
  /// The same of all of these guards.
  [[nodiscard]] std::vector<Switched> asked_by(program::FunctionId function, const std::vector<Guard>& guards) const;

 private:
  /// What gives an attribute a value: an expression, null for one that is not known.
  struct Store {
    program::FunctionId function;
    const python::Expr* value = nullptr;
    Span place;
    bool is_self = false;
    bool is_first = false;  ///< Where the object is made.
  };
  /// All stores of an attribute of objects of one class; none where others may store it, too.
  using Stores = std::optional<std::vector<Store>>;
  [[nodiscard]] const Stores& stores_of(program::ClassId cls, std::string_view name) const;
  [[nodiscard]] Stores find_stores(program::ClassId cls, std::string_view name) const;
  /// Of one place of the name; false where it may give the attribute something that is not known.
  bool add_store(program::ModuleId module, std::uint32_t at, program::ClassId cls, std::string_view name,
                 std::vector<Store>& out) const;
  [[nodiscard]] std::optional<Switched> switched(program::FunctionId function, const python::Expr& part,
                                                 bool wanted) const;
  [[nodiscard]] bool is_related(program::ClassId one, program::ClassId other) const;
  [[nodiscard]] bool is_only_of(program::ClassId cls, std::string_view name) const;
  [[nodiscard]] bool runs_where_made(program::FunctionId function, program::ClassId cls) const;
  [[nodiscard]] bool stores_by_computed_names(program::ClassId cls) const;
  /// Objects to which attributes are stored by computed names, and the functions that do.
  using Computed = std::vector<std::pair<program::FunctionId, const python::Expr*>>;
  [[nodiscard]] const Computed& computed() const;

  const program::Program& program_;
  mutable std::map<std::pair<std::uint32_t, std::string_view>, Stores> stores_;  ///< By class and name.
  mutable std::map<std::uint32_t, bool> stores_computed_;                        ///< By class.
  mutable std::optional<Computed> computed_;                                     ///< Found when first asked for.
};

}  // namespace lockstep::report
