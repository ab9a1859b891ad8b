// Names of files that Python can import and that are no Python.
#pragma once

#include <string_view>

namespace lockstep::rules {

/// Whether files with the ending, without its dot, are loaded or built as modules: "pyx", "so", "cu". A file may have
/// several, in any order: `fused.pyx.in` is one of Cython, too.
bool is_compiled_ending(std::string_view ending);

/// Whether a file name has such an ending: "fused.cu", "fused.pyx.in".
bool is_compiled_file(std::string_view file);

}  // namespace lockstep::rules
