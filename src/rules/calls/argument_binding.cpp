#include <fmt/format.h>

#include <algorithm>

#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using Kind = Parameter::Kind;

namespace {

bool takes_position(const AcceptedParameter& parameter) {
  return parameter.kind == Kind::kPositionalOnly || parameter.kind == Kind::kPositionalOrKeyword;
}

std::string quoted_list(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  }
  return text;
}

}  // namespace

bool Signature::takes_any_keyword() const {
  return std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.kind == Kind::kVarKeywords; });
}

bool Signature::takes_any_position() const {
  return std::any_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.kind == Kind::kVarArgs; });
}

const AcceptedParameter* Signature::find(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const AcceptedParameter& parameter) {
    return parameter.name == name && parameter.kind != Kind::kVarArgs && parameter.kind != Kind::kVarKeywords;
  });
  return found == parameters.end() ? nullptr : &*found;
}

std::optional<Mismatch> bind_arguments(const Signature& signature, const Call& call,
                                       const std::set<std::string_view>* spread) {
  const bool starred = has_spread_arguments(call);
  const bool double_starred = has_spread_keywords(call);
  // Positions before the first `*args` are certain; how many it stands for is not.
  std::size_t positions = 0;
  while (positions < call.arguments.size() && !is<Starred>(call.arguments[positions])) ++positions;
  std::size_t given = 0;
  for (const Expr* argument : call.arguments) given += is<Starred>(argument) ? 0 : 1;
  std::vector<const AcceptedParameter*> by_position;
  for (const AcceptedParameter& parameter : signature.parameters) {
    if (takes_position(parameter)) by_position.push_back(&parameter);
  }
  if (given > by_position.size() && !signature.takes_any_position()) {
    return Mismatch{Mismatch::Kind::kTooMany, {}, given, by_position.size()};
  }
  for (const Keyword* keyword : call.keywords) {
    const std::string_view name = keyword->name.text;
    if (name.empty()) continue;
    const AcceptedParameter* parameter = signature.find(name);
    if (parameter == nullptr || parameter->kind == Kind::kPositionalOnly) {
      if (signature.takes_any_keyword()) continue;
      const auto kind = parameter == nullptr ? Mismatch::Kind::kUnknownKeyword : Mismatch::Kind::kPositionalOnly;
      return Mismatch{kind, {name}, 0, 0};
    }
    const auto at = std::find(by_position.begin(), by_position.end(), parameter);
    if (at != by_position.end() && static_cast<std::size_t>(at - by_position.begin()) < positions) {
      return Mismatch{Mismatch::Kind::kDuplicate, {name}, 0, 0};
    }
  }
  Mismatch missing{Mismatch::Kind::kMissing, {}, 0, 0};
  for (const AcceptedParameter& parameter : signature.parameters) {
    if (parameter.has_default || parameter.kind == Kind::kVarArgs || parameter.kind == Kind::kVarKeywords) continue;
    const auto at = std::find(by_position.begin(), by_position.end(), &parameter);
    const bool by_place = at != by_position.end() && static_cast<std::size_t>(at - by_position.begin()) < positions;
    const bool by_name = std::any_of(call.keywords.begin(), call.keywords.end(),
                                     [&](const Keyword* keyword) { return keyword->name.text == parameter.name; });
    const bool may_be_spread = double_starred && (spread == nullptr || spread->contains(parameter.name));
    const bool maybe =
        (starred && takes_position(parameter)) || (may_be_spread && parameter.kind != Kind::kPositionalOnly);
    if (!by_place && !by_name && !maybe) missing.names.push_back(parameter.name);
  }
  if (missing.names.empty()) return std::nullopt;
  return missing;
}

const AcceptedParameter* parameter_at(const Signature& signature, const Call& call, std::size_t index) {
  std::size_t position = 0;
  for (std::size_t i = 0; i <= index && i < call.arguments.size(); ++i) {
    if (is<Starred>(call.arguments[i])) return nullptr;
  }
  for (const AcceptedParameter& parameter : signature.parameters) {
    if (!takes_position(parameter)) continue;
    if (position++ == index) return &parameter;
  }
  return nullptr;
}

Given given_to(const Signature& signature, const Call& call, std::string_view name) {
  const AcceptedParameter* parameter = signature.find(name);
  if (parameter == nullptr) return {};
  if (const Expr* value = keyword_value(call, name)) return {Given::How::kValue, value};
  if (takes_position(*parameter)) {
    std::size_t position = 0;
    for (const AcceptedParameter* each = signature.parameters.data(); each != parameter; ++each)
      position += takes_position(*each) ? 1 : 0;
    for (std::size_t i = 0; i < call.arguments.size() && i <= position; ++i) {
      if (is<Starred>(call.arguments[i])) return {};
      if (i == position) return {Given::How::kValue, call.arguments[i]};
    }
  }
  const bool may_be_named = parameter->kind != Kind::kPositionalOnly && has_spread_keywords(call);
  return {may_be_named ? Given::How::kUnknown : Given::How::kNothing, nullptr};
}

std::string describe(const Mismatch& mismatch) {
  switch (mismatch.kind) {
    case Mismatch::Kind::kMissing:
      return fmt::format("missing {}", quoted_list(mismatch.names));
    case Mismatch::Kind::kTooMany:
      return fmt::format("{} positional argument{} given, {} accepted", mismatch.given, mismatch.given == 1 ? "" : "s",
                         mismatch.accepted);
    case Mismatch::Kind::kUnknownKeyword:
      return fmt::format("no parameter {}", quoted_list(mismatch.names));
    case Mismatch::Kind::kDuplicate:
      return fmt::format("{} is given twice", quoted_list(mismatch.names));
    default:
      return fmt::format("{} cannot be given by name", quoted_list(mismatch.names));
  }
}

}  // namespace lockstep::rules
