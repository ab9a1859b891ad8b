// One variable of one function, followed along all paths: the engine behind flow.h, and private to it.
#pragma once

#include <vector>

#include "rules/syntax/flow.h"

namespace lockstep::rules {

/// Appends the unbound uses of variable `name` of `scope`. `bindings` and `loads` are all of its own, in source order.
void follow_variable(const python::FileFacts& facts, python::ScopeId scope, std::string_view name,
                     const std::vector<const python::Binding*>& bindings, const std::vector<const python::Name*>& loads,
                     const NeverReturns& never_returns, const MayRaise& may_raise, std::vector<UnboundUse>& uses);

}  // namespace lockstep::rules
