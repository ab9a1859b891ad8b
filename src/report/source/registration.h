// Who gets hold of a function or class when it is defined: a decorator that keeps it or hands it on, a base class that
// learns of its heirs. Of everything else uses tell by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

#include "program/program.h"

namespace lockstep::report {

class Registration {
 public:
  explicit Registration(const program::Program& program) : program_(program) {}

  /// Whether a decorator of the function or class, which stands in `module`, may hand it to others. Of decorators of
  /// the repository their code tells, of others their names.
  [[nodiscard]] bool is_handed_on(program::ModuleId module, const python::Node& definition) const;
  /// Whether the class or one above it has an `__init_subclass__`.
  [[nodiscard]] bool is_collected(program::ClassId cls) const;

 private:
  [[nodiscard]] bool is_kept(program::ModuleId module, const python::Expr& decorator) const;
  [[nodiscard]] bool keeps(program::FunctionId function, const python::FunctionDef& def, std::size_t index,
                           int depth) const;
  [[nodiscard]] bool keeps_what_it_gets(program::FunctionId decorator, bool is_called) const;
  [[nodiscard]] bool is_only_read(program::FunctionId function, const python::Name& use, const python::Node& parent,
                                  int depth) const;

  const program::Program& program_;
  mutable std::unordered_map<std::uint64_t, bool>
      known_;  ///< By decorator of the repository, and whether it is called.
  /// By function, parameter and how deep it is asked.
  mutable std::map<std::tuple<const python::FunctionDef*, std::size_t, int>, bool> keeping_;
};

}  // namespace lockstep::report
