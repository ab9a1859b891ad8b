#include "report/ways/conditions/contradictions.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Names that configurations of different parts have alike.
bool is_common_name(std::string_view name) {
  constexpr std::string_view kCommon[] = {"backend", "format", "kind", "mode", "name", "type"};
  return std::find(std::begin(kCommon), std::end(kCommon), name) != std::end(kCommon);
}

}  // namespace

std::optional<Contradiction> Contradictions::find(const std::vector<Leg>& legs, const std::vector<Required>& by_changes,
                                                  const Holds& holds) {
  struct Asked {
    std::uint8_t states = 0;
    std::size_t by = 0;
  };
  std::map<std::string_view, Asked> asked;
  for (std::size_t i = 0; i <= legs.size(); ++i) {
    if (i < legs.size() && !legs[i].call.valid()) continue;
    std::vector<Required> own = i < legs.size() ? required_.of(legs[i].call, legs[i].to) : by_changes;
    if (i < legs.size()) {
      const auto here = [&](const Expr& condition) { return holds(i, condition); };
      const std::vector<Required> left = required_.left_by(legs[i].call, here);
      own.insert(own.end(), left.begin(), left.end());
    }
    for (const Required& one : own) {
      if (is<Name>(one.read) || !counts(one.name)) continue;
      const auto [at, is_new] = asked.try_emplace(one.name, Asked{one.states, i});
      if (is_new) continue;
      const auto both = static_cast<std::uint8_t>(at->second.states & one.states);
      if (both == at->second.states) continue;
      if (both == 0 && at->second.by < i && !is_set_between(legs, at->second.by, one.name))
        return Contradiction{at->second.by, i};
      at->second = {both == 0 ? one.states : both, i};
    }
  }
  return std::nullopt;
}

std::optional<Contradiction> Contradictions::find_constants(
    const std::vector<Leg>& legs, const std::vector<std::vector<AskedConstants>>& by_changes) {
  std::vector<std::pair<const AskedConstants*, std::size_t>> asked;
  const auto against = [&](const AskedConstants& one) -> std::optional<std::size_t> {
    for (const auto& [other, by] : asked) {
      if (exclude_each_other(*other, one) && !is_set_between(legs, by, one.name)) return by;
    }
    return std::nullopt;
  };
  for (std::size_t i = 0; i < legs.size(); ++i) {
    if (!legs[i].call.valid()) continue;
    for (const AskedConstants& one : constants_.of(legs[i].call, legs[i].to)) {
      if (is_common_name(one.name) || !counts(one.name)) continue;
      if (const auto by = against(one)) return Contradiction{*by, i};
      asked.emplace_back(&one, i);
    }
  }
  std::optional<std::size_t> latest;
  for (const std::vector<AskedConstants>& place : by_changes) {
    std::optional<std::size_t> closed_by;
    for (const AskedConstants& one : place) {
      if (!closed_by && !is_common_name(one.name) && counts(one.name)) closed_by = against(one);
    }
    if (!closed_by) return std::nullopt;
    latest = std::max(latest.value_or(0), *closed_by);
  }
  return latest ? std::optional(Contradiction{*latest, legs.size()}) : std::nullopt;
}

/// Whether two conditions that ask for the setting are known well enough to ask the same one.
bool Contradictions::counts(std::string_view name) {
  if (!only_declared_once_) return true;
  const auto [known, is_new] = declared_once_.try_emplace(name, false);
  if (!is_new) return known->second;
  program::ClassId owner;
  bool is_one = true;
  for (std::size_t i = 0; i < program_.classes().size() && is_one; ++i) {
    const program::ClassId id(i);
    const program::Class& cls = program_.classes()[id];
    const bool has_it = std::any_of(cls.fields.begin(), cls.fields.end(), [&](const program::Field& field) {
      return field.in_class_body && field.name == name;
    });
    if (!has_it || program::is_test_path(program_.modules()[cls.module].path)) continue;
    // An heir may declare it again with another default.
    const auto& line = cls.linearized;
    const bool is_heir = owner.valid() && std::find(line.begin(), line.end(), owner) != line.end();
    is_one = Defaults::declares(cls) && (!owner.valid() || is_heir);
    if (!is_heir) owner = id;
  }
  known->second = is_one && owner.valid();
  return known->second;
}

/// Whether a function of the way from that leg on may set the setting.
bool Contradictions::is_set_between(const std::vector<Leg>& legs, std::size_t first, std::string_view name) const {
  const auto begin = legs.begin() + static_cast<std::ptrdiff_t>(first);
  return std::any_of(begin, legs.end(), [&](const Leg& leg) { return may_set(leg.from, name); }) ||
         may_set(legs.back().to, name);
}

/// Whether the function gives a setting of that name a value, or makes something with one.
bool Contradictions::may_set(program::FunctionId function, std::string_view name) const {
  const Node* body = program_.functions()[function].node;
  if (body == nullptr) return false;
  bool found = false;
  const auto look = [&](const auto& self, const Node& node) -> void {
    if (const auto* attribute = as<Attribute>(&node)) {
      found = found || (attribute->name.text == name && attribute->context != ExprContext::kLoad);
    } else if (const auto* call = as<Call>(&node)) {
      found = found || (callee_name(*call) == "setattr" && call->arguments.size() == 3 &&
                        rules::text_of(call->arguments[1]) == name);
      for (const Keyword* keyword : call->keywords) found = found || keyword->name.text == name;
    }
    for_each_child(node, [&](const Node* child) {
      if (!found) self(self, *child);
    });
  };
  look(look, *body);
  return found;
}

}  // namespace lockstep::report
