#include "report/ways/conditions/required_settings.h"

#include <algorithm>
#include <iterator>

#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/ways/conditions/returned_condition.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr int kMostDepth = 3;  // Of functions that conditions call.

}  // namespace

const std::vector<Required>& RequiredSettings::of(program::CallId call, program::FunctionId callee) {
  const auto [known, is_new] = known_.try_emplace(std::uint64_t{call.value} << 32 | callee.value);
  std::vector<Required>& out = known->second;
  const program::CallSite& site = program_.calls()[call];
  if (!is_new || site.node == nullptr) return out;
  out = at(site.caller, site.node->span);
  std::vector<Required> of_stores;
  const std::vector<StoredCallables::Store> stores = stored_.of(site, callee);
  for (std::size_t i = 0; i < stores.size(); ++i) {
    const std::vector<Required> own = at(stores[i].function, stores[i].place);
    of_stores = i == 0 ? own : common_of(of_stores, own);
  }
  // Names of the functions that store it say nothing here.
  std::copy_if(of_stores.begin(), of_stores.end(), std::back_inserter(out),
               [](const Required& one) { return !is<Name>(one.read); });
  return out;
}

std::vector<Required> RequiredSettings::at(program::FunctionId function, Span place) const {
  std::vector<Required> out;
  const Node* body = program_.functions()[function].node;
  if (body == nullptr) return out;
  for (const Guard& guard : guards_of(*body, place)) {
    if (guard.condition != nullptr && !is<While>(guard.statement)) add(*guard.condition, !guard.negated, 0, out);
  }
  return out;
}

std::vector<Required> RequiredSettings::common_at(program::FunctionId function, const std::vector<Span>& places) const {
  std::vector<Required> out;
  for (std::size_t i = 0; i < places.size() && (i == 0 || !out.empty()); ++i) {
    std::vector<Required> own = at(function, places[i]);
    out = i == 0 ? std::move(own) : common_of(out, own);
  }
  return out;
}

std::vector<Required> common_of(const std::vector<Required>& some, const std::vector<Required>& others) {
  std::vector<Required> out;
  for (const Required& one : some) {
    const auto same = std::find_if(others.begin(), others.end(), [&](const Required& other) {
      return other.name == one.name && is<Name>(other.read) == is<Name>(one.read);
    });
    if (same == others.end()) continue;
    out.push_back(one);
    out.back().states |= same->states;
  }
  return out;
}

std::vector<Required> RequiredSettings::left_by(program::CallId call, const Holds& holds) const {
  std::vector<Required> out;
  const program::CallSite& site = program_.calls()[call];
  const Node* body = site.node == nullptr ? nullptr : program_.functions()[site.caller].node;
  if (body == nullptr) return out;
  for (const Guard& guard : guards_of(*body, site.node->span)) {
    if (guard.condition != nullptr && !is<While>(guard.statement))
      add_left(*guard.condition, !guard.negated, holds, out);
  }
  return out;
}

void RequiredSettings::add_left(const Expr& condition, bool wanted, const Holds& holds,
                                std::vector<Required>& out) const {
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot) {
    add_left(*unary->operand, !wanted, holds, out);
    return;
  }
  const auto* parts = as<BoolOp>(&condition);
  if (parts == nullptr) return;
  if ((parts->op == BoolOperator::kAnd) == wanted) {
    for (const Expr* part : parts->values) add_left(*part, wanted, holds, out);
    return;
  }
  const Expr* open = nullptr;
  for (const Expr* part : parts->values) {
    const std::optional<bool> known = holds(*part);
    if (known == wanted || (!known && open != nullptr)) return;  // One of them is enough.
    if (!known) open = part;
  }
  if (open == nullptr) return;
  add(*open, wanted, 0, out);
  add_left(*open, wanted, holds, out);
}

/// Adds what has to hold for the condition to be what is wanted.
void RequiredSettings::add(const Expr& condition, bool wanted, int depth, std::vector<Required>& out) const {
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot) {
    add(*unary->operand, !wanted, depth, out);
    return;
  }
  if (const auto* parts = as<BoolOp>(&condition)) {
    if ((parts->op == BoolOperator::kAnd) != wanted) return;  // One of them is enough.
    for (const Expr* part : parts->values) add(*part, wanted, depth, out);
    return;
  }
  Required one{&condition, {}, wanted ? states::kTrue : static_cast<std::uint8_t>(states::kNone | states::kFalse)};
  if (const auto test = rules::none_test(condition)) {
    one.read = test->subject;
    one.states = test->is_none == wanted ? states::kNone : static_cast<std::uint8_t>(states::kFalse | states::kTrue);
  }
  one.name = config_attribute(*one.read);
  // Names of another function are not those of this one.
  if (one.name.empty() && depth == 0) one.name = rules::name_of(one.read);
  if (!one.name.empty()) {
    out.push_back(one);
  } else if (const auto* call = as<Call>(&condition); call != nullptr && depth < kMostDepth) {
    if (const Expr* returned = returned_condition(program_, *call)) add(*returned, wanted, depth + 1, out);
  }
}

}  // namespace lockstep::report
