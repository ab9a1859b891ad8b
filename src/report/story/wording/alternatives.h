// A condition that is one of several alternatives, before and after -> those that came and those that went.
#pragma once

#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

/// The operands that `or` joins, of two conditions that share at least one; none on both sides for others.
struct Alternatives {
  std::vector<const python::Expr*> gone;
  std::vector<const python::Expr*> added;

  /// Where some came, or some went, and nothing else differs.
  [[nodiscard]] bool only_came() const { return gone.empty() && !added.empty(); }
  [[nodiscard]] bool only_went() const { return added.empty() && !gone.empty(); }
};

Alternatives compare_alternatives(const python::Expr& before, const SourceText& before_source,
                                  const python::Expr& after, const SourceText& after_source);

/// "`a` is set or `b` is more than `1`".
std::string any_of_words(const std::vector<const python::Expr*>& conditions, const SourceText& source);

}  // namespace lockstep::report
