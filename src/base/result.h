// Result: what an edge of the program (disk, git, network, command line) gives: a value, or an error that names the
// thing that is wrong and the next step.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace lockstep {

/// Why something could not be done. `message` names the thing; `next_step` says what the user can do (may be empty).
struct Error {
  std::string message;
  std::string next_step;
};

template <class T>
using Result = tl::expected<T, Error>;

/// `return fail("no revision 'x' in this repository", "run `git fetch` first");`
inline tl::unexpected<Error> fail(std::string message, std::string next_step = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(next_step)});
}

}  // namespace lockstep
