// Any bytes whatever must parse, quickly, into a tree that keeps its invariants.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "python/dump.h"
#include "python/parser.h"
#include "python/tree_invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = lockstep::python::parse(std::string(reinterpret_cast<const char*>(data), size));
  const std::string wrong = lockstep::python::broken_invariant(*file);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  std::string dump;
  lockstep::python::dump_tree(*file, dump);
  return 0;
}
