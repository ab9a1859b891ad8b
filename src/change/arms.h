// A compound statement → its arms: each keyword with its header and its block, so that the two sides of an edited
// `if` chain, loop, `try` or `match` can be laid side by side.
#pragma once

#include <string_view>
#include <vector>

#include "python/tree.h"

namespace lockstep::change {

struct Arm {
  std::string_view
      keyword;  ///< "if", "elif", "else", "for", "while", "with", "try", "except", "finally", "match", "case".
  std::vector<const python::Node*> header;  ///< Condition, target and iterable, items, …; empty for else, try, finally.
  Span header_span;  ///< What to quote: the header's text; for bare arms the whole arm's first byte.
  bool is_async = false;
  python::Seq<python::Stmt> block;
};

/// Arms of an If (with its elif chain), For, While, With, Try or Match, in the order of the source; empty for others.
std::vector<Arm> arms_of(const python::Stmt& statement);
/// True for the statements that have arms.
bool is_compound(const python::Stmt& statement);

}  // namespace lockstep::change
