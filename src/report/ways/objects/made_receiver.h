// What a function made that a method is called on later: see factory_choices.h.
#pragma once

#include <vector>

#include "program/program.h"
#include "report/source/code.h"

namespace lockstep::report {

/// A condition that runs which set nothing need not meet. Without one: a loop.
struct UnmetGuard {
  program::FunctionId function;
  Guard guard;
};

/// One value that the receiver of a call may be, and what it stands under on the way to the call.
struct MadeReceiver {
  program::FunctionId function;           ///< Whose code brings it.
  const python::Expr* value = nullptr;    ///< `ChainedOptimizer(parts)`, `parts[0]`.
  std::vector<UnmetGuard> guards;         ///< Not those that all that the receiver may be stands under.
  std::vector<program::ClassId> classes;  ///< It is an object of one of them; empty where that is not known.
  bool is_returned = false;               ///< By the function, as it is.
};

/// That a call enters a method only where its receiver was made under conditions.
struct FactoryException {
  MadeReceiver exception;      ///< Without a value where several bring such objects.
  program::ClassId otherwise;  ///< Of the object of other runs.
  bool is_all = true;          ///< No third one is made under conditions of its own.
};

}  // namespace lockstep::report
