// A condition of which some parts are known -> what is left of it, in words.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "python/tree.h"
#include "report/source/defaults.h"
#include "text/source.h"

namespace lockstep::report {

/// What is left of a condition.
struct Remainder {
  std::optional<bool> known;  ///< It holds, or does not, whatever else is so.
  std::string words;          ///< "`a` is set and `b` is not set", where that is open.
  bool joins_any = false;     ///< `words` joins several by "or".
  bool is_reduced = false;    ///< A known part of it is gone.
  bool asks_known = false;    ///< `words` ask for something that is known, in a way of which nothing is worked out.
};

/// `value_at` says of parts what they are (unknown where it does not know), `stands_for` of a name of a local the
/// expression that it stands for (null for others).
Remainder remainder_of(const python::Expr& condition, bool negated, const SourceText& source,
                       const std::function<Value(const python::Expr&)>& value_at,
                       const std::function<const python::Expr*(std::string_view)>& stands_for);

}  // namespace lockstep::report
