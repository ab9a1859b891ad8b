// Where code gives a name a value: settings and attributes of objects, by whatever statement or call.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "python/tree.h"

namespace lockstep::report {

/// Whether the name at a place stands where it gets a value, and which; null value: one that is not known.
struct Giving {
  bool gives = false;
  const python::Expr* value = nullptr;
  const python::Expr* object = nullptr;  ///< Of `object.name = …` and `setattr(object, "name", …)`; null for others.
  const python::Call* call = nullptr;    ///< Of `f(name=…)`; null for others.
};

/// `around`: what holds the name at `at` (chain_to). In a test a text may be the name of what the test is run with.
Giving giving_at(const std::vector<const python::Node*>& around, std::uint32_t at, bool is_test);

/// `args.name`, `name`: a value that is handed through, and as it was.
bool hands_on(const python::Expr& value, std::string_view setting, bool is_test);

}  // namespace lockstep::report
