#include "rules/syntax/call_arguments.h"

#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;

const Expr* argument_of(const Call& call, std::size_t position, std::string_view keyword) {
  if (const Expr* value = keyword_value(call, keyword)) return value;
  return position < call.arguments.size() && !has_spread_arguments(call) ? call.arguments[position] : nullptr;
}

}  // namespace lockstep::rules
