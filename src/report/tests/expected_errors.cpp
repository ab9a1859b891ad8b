#include "report/tests/expected_errors.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/signatures.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr int kMostDistance = 4;
constexpr std::size_t kMostSeen = 2'000;

/// Whether calls surely lead from the function to another one, by `deeper` calls at most.
bool leads(const Program& program, FunctionId from, FunctionId target, int deeper,
           std::unordered_set<std::uint64_t>& seen) {
  if (from == target) return true;
  const std::uint64_t key =
      static_cast<std::uint64_t>(from.value) * (kMostDistance + 1) + static_cast<unsigned>(deeper);
  if (deeper == 0 || seen.size() == kMostSeen || !seen.insert(key).second) return false;
  const auto& calls = program.functions()[from].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    const auto& targets = program.calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& one) {
      return one.function.valid() && one.certainty == program::Certainty::kExact &&
             leads(program, one.function, target, deeper - 1, seen);
    });
  });
}

/// What a `with` around the call expects to be raised; null where none does.
const Expr* expected_around(const Node& test, Span call) {
  for (const Node* node : chain_to(test, call)) {
    const auto* with = as<With>(node);
    if (with == nullptr) continue;
    for (const WithItem* item : with->items) {
      const auto* asking = as<Call>(item->context);
      const std::string_view name = asking == nullptr ? std::string_view() : callee_name(*asking);
      if ((name == "raises" || name == "assertRaises" || name == "assertRaisesRegex") && !asking->arguments.empty() &&
          !item->span.contains(call))
        return asking->arguments.front();
    }
  }
  return nullptr;
}

/// The last name of an error, "ValueError" of `ValueError("…")` and `errors.ValueError`.
std::string_view error_name(const Expr* error) {
  const auto* call = as<Call>(error);
  return error == nullptr ? std::string_view() : rules::last_part_of(call == nullptr ? error : call->callee);
}

/// Whether a statement of the function raises one of the errors that the text names.
bool raises_itself(const Program& program, FunctionId function, std::string_view expected) {
  const Node* node = program.functions()[function].node;
  if (node == nullptr) return false;
  bool found = false;
  walk(*node, Nested::kEnter, [&](const Node* one) {
    const auto* raise = as<Raise>(one);
    const std::string_view name = raise != nullptr  ? error_name(raise->exception)
                                  : is<Assert>(one) ? std::string_view("AssertionError")
                                                    : std::string_view();
    found = found || (!name.empty() && (expected.find(name) != std::string_view::npos || expected == "Exception")) ||
            (raise != nullptr && name.empty());
  });
  return found;
}

}  // namespace

std::string expected_error(const Program& program, FunctionId test, FunctionId target, int distance) {
  const program::Function& row = program.functions()[test];
  if (row.node == nullptr || distance <= 0 || distance > kMostDistance) return {};
  std::string out;
  std::unordered_set<std::uint64_t> seen;
  for (const program::CallId id : row.calls) {
    const program::CallSite& site = program.calls()[id];
    if (site.node == nullptr) continue;
    const bool is_on_way = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
      if (!one.function.valid()) return false;
      seen.clear();
      return leads(program, one.function, target, distance - 1, seen);
    });
    if (!is_on_way) continue;
    const Expr* error = expected_around(*row.node, site.node->span);
    if (error == nullptr) return {};
    constexpr std::size_t kLongest = 60;
    if (out.empty()) out = one_line(source_of(program, test), *error, kLongest);
  }
  return out;
}

void leave_out_expecting(const Program& program, FunctionId target, std::vector<TestReach>& tests) {
  constexpr std::size_t kMostTests = 60;
  std::vector<TestReach> left;
  std::size_t looked = 0;
  for (const TestReach& reach : tests) {
    const bool is_asked = reach.link == TestLink::kCalls && looked++ < kMostTests;
    const std::string error = is_asked ? expected_error(program, reach.test, target, reach.distance) : std::string();
    if (error.empty() || raises_itself(program, target, error)) left.push_back(reach);
  }
  const bool any_sure =
      std::any_of(left.begin(), left.end(), [](const TestReach& reach) { return reach.link == TestLink::kCalls; });
  if (any_sure) tests = std::move(left);
}

}  // namespace lockstep::report
