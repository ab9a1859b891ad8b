#include "rules/names/compiled_endings.h"

#include <algorithm>
#include <iterator>

namespace lockstep::rules {

bool is_compiled_ending(std::string_view ending) {
  static constexpr std::string_view kEndings[] = {"c",    "cc",   "cpp",   "cu",  "cxx", "f90", "i",  "f",  "in",
                                                  "tmpl", "mojo", "proto", "pyd", "pyi", "pyx", "rs", "so", "swig"};
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

}  // namespace lockstep::rules
