#include "rules/names/compiled_endings.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/strings.h"

namespace lockstep::rules {

bool is_compiled_ending(std::string_view ending) {
  static constexpr std::string_view kEndings[] = {"c",    "cc",   "cpp",   "cu",  "cxx", "f90", "i",  "f",  "in",
                                                  "tmpl", "mojo", "proto", "pyd", "pyi", "pyx", "rs", "so", "swig"};
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

bool is_compiled_file(std::string_view file) {
  const std::vector<std::string_view> parts = split(file, '.');
  return std::any_of(parts.begin() + 1, parts.end(), is_compiled_ending);
}

}  // namespace lockstep::rules
