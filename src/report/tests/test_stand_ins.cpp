#include "report/tests/test_stand_ins.h"

#include <algorithm>

#include "report/source/code.h"

namespace lockstep::report {

using program::FunctionId;

std::vector<FunctionId> TestStandIns::helpers_at(program::CallId call) const {
  std::vector<FunctionId> out;
  for (const program::CallTarget& to : program_.calls()[call].targets) {
    if (to.function.valid() && to.certainty == program::Certainty::kExact &&
        is_test_[program_.functions()[to.function].module.index()])
      out.push_back(to.function);
  }
  return out;
}

const std::vector<FunctionId>& TestStandIns::code_of(FunctionId test) const {
  constexpr std::size_t kMostFunctions = 40;
  const auto [place, is_new] = code_of_.try_emplace(test.value);
  std::vector<FunctionId>& code = place->second;
  if (!is_new) return code;
  code.push_back(test);
  const auto add = [&](FunctionId one) {
    if (code.size() < kMostFunctions && std::find(code.begin(), code.end(), one) == code.end()) code.push_back(one);
  };
  for (std::size_t next = 0; next < code.size(); ++next) {
    const FunctionId at = code[next];
    for (const FunctionId one : runner_.called_for(at)) add(one);
    for (const program::CallId call : program_.functions()[at].calls) {
      for (const FunctionId one : helpers_at(call)) add(one);
    }
  }
  return code;
}

const std::vector<Replacement>& TestStandIns::of_test(FunctionId test) const {
  const auto [place, is_new] = of_test_.try_emplace(test.value);
  if (!is_new) return place->second;
  for (const FunctionId one : code_of(test)) {
    const std::vector<Replacement>& own = replacements_.of(one);
    place->second.insert(place->second.end(), own.begin(), own.end());
  }
  return place->second;
}

bool TestStandIns::is_replaced(const std::vector<Replacement>& replaced, program::CallId call, FunctionId callee,
                               bool surely) const {
  return std::any_of(replaced.begin(), replaced.end(), [&](const Replacement& one) {
    const Replaced effect = replacements_.effect(one, call, callee);
    return effect == Replaced::kSurely || (surely && effect == Replaced::kMaybe);
  });
}

TestStandIns::Outside TestStandIns::calls_outside(FunctionId test, const std::vector<Replacement>& own,
                                                  const std::unordered_set<std::uint32_t>& leading) const {
  constexpr std::size_t kMostFixtures = 40;
  std::vector<FunctionId> fixtures = runner_.called_for(test);
  for (std::size_t next = 0; next < fixtures.size() && next < kMostFixtures; ++next) {
    for (const FunctionId one : runner_.called_for(fixtures[next])) {
      if (std::find(fixtures.begin(), fixtures.end(), one) == fixtures.end()) fixtures.push_back(one);
    }
  }
  Search search{own, leading};
  const bool is_held =
      std::any_of(fixtures.begin(), fixtures.end(), [&](FunctionId one) { return leaves_one(one, search); });
  if (!is_held && escapes(test, search)) return Outside::kYes;
  const bool is_early =
      std::any_of(fixtures.begin(), fixtures.end(), [&](FunctionId one) { return escapes(one, search); });
  return !is_early ? Outside::kNo : is_held ? Outside::kMaybe : Outside::kYes;
}

bool TestStandIns::leaves_one(FunctionId function, Search& search) const {
  const auto [place, is_new] = search.leaving.try_emplace(function.value, false);
  if (!is_new) return place->second;
  bool leaves = std::any_of(search.own.begin(), search.own.end(),
                            [&](const Replacement& one) { return one.by == function && one.is_lasting; });
  for (const program::CallId call : program_.functions()[function].calls) {
    for (const FunctionId helper : helpers_at(call)) leaves = leaves || leaves_one(helper, search);
  }
  return search.leaving[function.value] = leaves;
}

bool TestStandIns::escapes(FunctionId function, Search& search) const {
  if (!search.entered.insert(function.value).second) return false;
  const program::Function& self = program_.functions()[function];
  const auto* def = self.def();
  if (def == nullptr) return false;
  std::vector<Span> held;
  for (const Replacement& one : search.own) {
    if (one.by == function) held.push_back(one.scope);
  }
  for (const program::CallId id : self.calls) {
    const Span at = program_.calls()[id].node->span;
    for (const FunctionId helper : helpers_at(id)) {
      if (helper == function || !leaves_one(helper, search)) continue;
      // `with stubbed():` ends it with the block.
      Span scope{at.begin, def->span.end};
      for (const python::Node* around : chain_to(*def, at)) {
        const auto* with = python::as<python::With>(around);
        const bool is_item =
            with != nullptr && std::any_of(with->items.begin(), with->items.end(),
                                           [&](const auto* item) { return item->context->span.contains(at); });
        if (is_item) scope.end = with->span.end;
      }
      held.push_back(scope);
    }
  }
  for (const program::CallId id : self.calls) {
    const program::CallSite& site = program_.calls()[id];
    const bool is_held = std::any_of(held.begin(), held.end(), [&](Span scope) {
      return scope.begin <= site.node->span.begin && site.node->span.begin < scope.end;
    });
    if (is_held) continue;
    for (const program::CallTarget& to : site.targets) {
      if (!to.function.valid() || !search.leading.contains(to.function.value)) continue;
      if (!is_test_[program_.functions()[to.function].module.index()] || escapes(to.function, search)) return true;
    }
  }
  return false;
}

}  // namespace lockstep::report
