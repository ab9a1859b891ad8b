// How surely the source shows what a call calls: what an object is that a method is called on, and whether a file can
// import a module at all. Value flow finds likely targets; a finding that says "this raises" needs more than that.
//
// Left out: what `__getattr__`, setattr and the caller's `sys.path` may add.
#pragma once

#include "program/program.h"

namespace lockstep::rules {

enum class ReceiverKind {
  kSure,     ///< A module, a class, self or super, an object made by a constructor in plain sight.
  kLikely,   ///< By annotation, or by what functions return.
  kUnknown,  ///< Something else may stand there: what another library made, what a container held.
};

/// What the object is that `call` (made in `site`) reaches its target through.
ReceiverKind receiver_of(const program::Program& program, const program::CallSite& site, const python::Call& call);

/// True if `from` can import `to` by an absolute name: the folder where the name of `to` begins is above `from`, or is
/// a root of sources (`src`, `lib`, `python`). Several scripts of one repository may have helpers of one name.
bool may_import(const program::Program& program, program::ModuleId from, program::ModuleId to);

}  // namespace lockstep::rules
