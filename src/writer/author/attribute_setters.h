// Where attributes of a name are set in code outside tests, and of which classes the objects are, as far as is known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::writer {

/// One assignment to an attribute. A name in a docstring or a text is none.
struct Setter {
  program::FunctionId function;           ///< That holds it, the module's body at worst.
  std::uint32_t line = 0;                 ///< From 0.
  std::string_view code;                  ///< The line, without white space around it.
  std::vector<program::ClassId> classes;  ///< Of the object; empty where not known.
};

class AttributeSetters {
 public:
  explicit AttributeSetters(const program::Program& program) : program_(program) {}

  /// All of the name, in the order of the source; of examples and tools none.
  [[nodiscard]] std::vector<Setter> of(std::string_view name) const;
  /// The classes of what an expression in a function holds; empty where not known.
  [[nodiscard]] std::vector<program::ClassId> classes_of(program::FunctionId function,
                                                         const python::Expr& object) const;
  /// Whether the object that is set can be one of `owners`; true where either is not known.
  [[nodiscard]] bool may_be_of(const Setter& setter, const std::vector<program::ClassId>& owners) const;

 private:
  const program::Program& program_;
};

}  // namespace lockstep::writer
