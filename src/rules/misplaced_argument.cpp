#include "rules/misplaced_argument.h"

#include "rules/expressions.h"

namespace lockstep::rules {

using namespace python;

namespace {

/// What goes to `namesake` bears the name of `taken_by`: the two are exchanged.
bool is_exchanged(const Signature& signature, const Call& call, const AcceptedParameter& namesake,
                  const AcceptedParameter& taken_by) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* name = as<Name>(call.arguments[i]);
    if (name != nullptr && parameter_at(signature, call, i) == &namesake) return name->id == taken_by.name;
  }
  return false;
}

/// Nothing of the call goes to `parameter`, or what goes there bears yet another parameter's name.
bool is_free(const Signature& signature, const Call& call, const AcceptedParameter& parameter) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (is<Starred>(call.arguments[i])) return false;
    if (parameter_at(signature, call, i) != &parameter) continue;
    const auto* name = as<Name>(call.arguments[i]);
    return name != nullptr && name->id != parameter.name && signature.find(name->id) != nullptr;
  }
  // `**options` cannot hold what a position has; but it may well hold what is left.
  return keyword_value(call, parameter.name) == nullptr && !has_spread_keywords(call);
}

}  // namespace

std::optional<Misplaced> misplaced_argument(const Signature& signature, const Call& call) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto* name = as<Name>(call.arguments[i]);
    const AcceptedParameter* taken_by = parameter_at(signature, call, i);
    if (name == nullptr || taken_by == nullptr || name->id.size() < 3 || taken_by->name == name->id) continue;
    const AcceptedParameter* namesake = signature.find(name->id);
    // `out` names what an operation gave as often as the buffer that one writes into.
    // Where the value meant for the parameter stands elsewhere in the call, the swap looks deliberate.
    if (namesake == nullptr || name->id == "out" || !is_free(signature, call, *namesake) ||
        keyword_value(call, taken_by->name) != nullptr)
      continue;
    if (!is_exchanged(signature, call, *namesake, *taken_by)) return Misplaced{name, taken_by};
  }
  return std::nullopt;
}

}  // namespace lockstep::rules
