// Code or words on one line -> the same within a width, for labels and quotes. What is said least of goes first: the
// arguments of calls within calls, then the last arguments, then the end of the line. Names stay whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep {

/// At most `limit` characters (code points), with "…" for what is left out: "f(g(…), a)", "f(a, …)", "a and …".
/// Brackets and quotes that it leaves open are closed. A name is cut only where it is longer than `limit` itself.
std::string shortened(std::string_view text, std::size_t limit);

}  // namespace lockstep
