// Where a constructor keeps an object of another class. Linked program in, answers out.
//
// Left out: objects that it hands to others, which may drop them, and names that it gives more than one value.
#pragma once

#include <string_view>

#include "program/program.h"

namespace lockstep::rules {

/// Where an object stands after the constructor has run.
struct Keeping {
  bool is_kept = false;        ///< False where that is not known: of one that is used once, or handed to others.
  std::string_view attribute;  ///< "x" of `self.x`; empty for a class, which is always there.
};

/// Where what `object`, an expression of the body of `constructor`, stands for is kept: in an attribute of `self` that
/// it is part of or is stored in, by itself, in a container or under a local name first.
Keeping keeping_of(const program::Program& program, program::FunctionId constructor, const python::Expr& object);

/// "x" of `self.x`, `self.x.y.z`; empty for anything else.
std::string_view first_attribute(const python::Expr* expression);

}  // namespace lockstep::rules
