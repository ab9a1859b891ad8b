// Texts that stand alone as statements: docstrings of functions, classes and modules, and others that only say
// something. A name in one of them is neither read nor set there.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::report {

/// Their spans, in the order of the source.
std::vector<Span> standing_texts(const python::Module& tree);

/// Finds them once for each module that is asked for.
class StandingTexts {
 public:
  explicit StandingTexts(const program::Program& program) : program_(program) {}
  /// Whether the byte of the module's source is part of one.
  [[nodiscard]] bool holds(program::ModuleId module, std::uint32_t offset) const;

 private:
  const program::Program& program_;
  mutable std::map<program::ModuleId, std::vector<Span>> spans_;  ///< In the order of the source.
};

}  // namespace lockstep::report
