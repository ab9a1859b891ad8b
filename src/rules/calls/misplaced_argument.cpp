#include "rules/calls/misplaced_argument.h"

#include <fmt/format.h>

#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "rules/syntax/expressions.h"

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

std::string advice_for(const Misplaced& misplaced, const Signature& signature, const Call& call) {
  constexpr std::string_view kGeneral = "Give each parameter its own argument.";
  std::size_t first = 0;
  while (first < call.arguments.size() && call.arguments[first] != misplaced.argument) ++first;
  std::unordered_set<std::string_view> given;
  for (std::size_t i = 0; i < first; ++i) {
    if (const AcceptedParameter* parameter = parameter_at(signature, call, i)) given.insert(parameter->name);
  }
  for (const Keyword* keyword : call.keywords) given.insert(keyword->name.text);
  std::vector<std::string> named;
  for (std::size_t i = first; i < call.arguments.size(); ++i) {
    const std::string_view name = name_of(call.arguments[i]);
    const AcceptedParameter* parameter = signature.find(name);
    using Kind = Parameter::Kind;
    const bool by_name = parameter != nullptr &&
                         (parameter->kind == Kind::kPositionalOrKeyword || parameter->kind == Kind::kKeywordOnly);
    if (!by_name || !given.insert(name).second) return std::string(kGeneral);
    named.push_back(fmt::format("{}={}", name, name));
  }
  std::vector<std::string> missing;
  for (const AcceptedParameter& parameter : signature.parameters) {
    const bool is_needed = !parameter.has_default && parameter.kind != Parameter::Kind::kVarArgs &&
                           parameter.kind != Parameter::Kind::kVarKeywords;
    if (is_needed && !given.contains(parameter.name)) missing.push_back(fmt::format("`{}`", parameter.name));
  }
  const std::string by_name =
      fmt::format("Pass {} by name: `{}`", named.size() == 1 ? "it" : "them", join(named, ", "));
  if (missing.empty() || has_spread_keywords(call)) return by_name + ".";
  return fmt::format("{}; and give {} {} value{}.", by_name, join(missing, ", "), missing.size() == 1 ? "its" : "their",
                     missing.size() == 1 ? "" : "s");
}

}  // namespace lockstep::rules
