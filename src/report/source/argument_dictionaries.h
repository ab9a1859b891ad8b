// Dictionaries of arguments (`f(**kwargs)`) that a function fills: what they may hold under a key.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "python/tree.h"

namespace lockstep::report {

/// What `{"key": value}` and `dict(key=value)` hold under the key; nullopt where that does not show, null for nothing.
std::optional<const python::Expr*> held_under(const python::Expr& expression, std::string_view key);

/// What a function's own code puts into a dictionary under one key.
struct KeyWrites {
  std::vector<const python::Expr*> values;  ///< One of them, where nothing else is said.
  bool is_bound = false;                    ///< The code gives the name a value, rather than filling what it was given.
  bool may_lack = false;                    ///< It is bound to one without the key, or the key is taken out.
  bool has_others = false;                  ///< Something may be put there that does not show.
};

/// What the function puts into the dictionary `name` under the key. Reads of it say nothing; what may change it in
/// another way (`kwargs[key] = …`, `fill(kwargs)`, `others = kwargs`) may put anything there.
KeyWrites writes_under(const python::FunctionDef& function, std::string_view name, std::string_view key);

}  // namespace lockstep::report
