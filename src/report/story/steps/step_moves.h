// Which removed and which added step of a function are one step that stands elsewhere now.
#pragma once

#include <cstddef>
#include <vector>

#include "report/story/steps/steps.h"

namespace lockstep::report {

/// What stands in a branch or loop that moves moves with it, ways out, too; what is similar there is changed.
/// `from` and `to` are the heads of that branch or loop.
void move_along(std::vector<Step>& before, const SourceText& before_source, std::size_t from, std::vector<Step>& after,
                const SourceText& after_source, std::size_t to);

/// A removed step and an added one of the same words are one step that stands elsewhere now, as are definitions of one
/// inner function. Of several alike none is told apart.
void match_moves(std::vector<Step>& before, const SourceText& before_source, std::vector<Step>& after,
                 const SourceText& after_source);

}  // namespace lockstep::report
