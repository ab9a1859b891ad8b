// The parts of a condition that all have to hold, and which values two versions of a check let through.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "python/tree.h"
#include "report/source/code.h"

namespace lockstep::report {

/// What all has to hold for the condition to hold (negated: not to hold), one by one: `not (a or b)` asks that neither
/// does.
void add_operands(const python::Expr& condition, bool negated, std::vector<Guard>& out);
std::string operand_text(const Guard& operand, const SourceText& source);
/// The operands of `and` in a condition, as texts.
std::set<std::string> operand_texts(const python::Expr& condition, const SourceText& source);

/// A check of which only the values differ that it lets through, or refuses, of one thing: those that are new on
/// either side. Nothing where more differs.
struct OtherValues {
  std::string of;                     ///< Source text.
  std::vector<std::string> accepted;  ///< Source texts of constants that it refused before.
  std::vector<std::string> refused;   ///< That it let through before.
  std::string where;                  ///< What else has to hold; may be empty.
};

/// `was` of the source `before` against `is` of the source `after`.
std::optional<OtherValues> other_values(const python::Expr& was, const SourceText& before, const python::Expr& is,
                                        const SourceText& after);

}  // namespace lockstep::report
