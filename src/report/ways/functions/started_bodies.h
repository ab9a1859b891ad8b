// Calls that do not run what they call there and then: a coroutine that is given to the event loop as a task, an async
// generator whose body runs when somebody iterates over it.
#pragma once

#include <cstdint>

#include "program/program.h"

namespace lockstep::report {

enum class BodyStart : std::uint8_t {
  kAtCall,        ///< Where it is called, or awaited there; also where that is not known.
  kAsTask,        ///< `create_task(f())`, `ensure_future(f())`, `gather(f(), g())`, `run_coroutine_threadsafe(f(), l)`.
  kWhenIterated,  ///< An async generator that is not iterated over there.
};

/// When the body of `callee`, which `call` in `caller` calls, starts. Only of an `async def`.
BodyStart body_start(const program::Program& program, program::FunctionId caller, const python::Node* call,
                     program::FunctionId callee);

}  // namespace lockstep::report
