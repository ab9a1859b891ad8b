#include "report/tests/expected_errors.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "base/remembered.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/tests/test_runner.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostLeading = 5'000;

/// The call `pytest.raises(E)`, `self.assertRaisesRegex(E, …)`; null for other context managers.
const Call* raises_call(const WithItem& item) {
  const auto* call = as<Call>(item.context);
  if (call == nullptr || call->arguments.empty()) return nullptr;
  const auto* method = as<Attribute>(call->callee);
  return expects_error(method != nullptr ? method->name.text : rules::name_of(call->callee)) ? call : nullptr;
}

/// Where a test expects an error: the statements, and what they are to raise.
struct Block {
  Span span;
  const Expr* error;
};

std::vector<Block> blocks_of(const FunctionDef& test) {
  std::vector<Block> out;
  walk_of<With>(test, Nested::kSkip, [&](const With* with) {
    for (const WithItem* item : with->items) {
      const Call* call = raises_call(*item);
      if (call != nullptr && !with->body.empty())
        out.push_back({{with->body.front()->span.begin, with->body.back()->span.end}, call->arguments.front()});
    }
  });
  return out;
}

/// "`ValueError`", "`A` or `B`"; empty where it is a variable.
std::string name_of_error(const Expr& error) {
  std::vector<std::string> names;
  const auto add = [&](const Expr* one) {
    const auto* attribute = as<Attribute>(one);
    const std::string_view name = attribute != nullptr ? attribute->name.text : rules::name_of(one);
    if (name.empty() || std::isupper(static_cast<unsigned char>(name.front())) == 0) return false;
    names.push_back(code(name));
    return true;
  };
  const auto* several = as<Tuple>(&error);
  if (several == nullptr) return add(&error) ? join_words(names, "or") : std::string();
  return std::all_of(several->elements.begin(), several->elements.end(), add) ? join_words(names, "or") : std::string();
}

bool may_enter(const program::CallSite& site, const std::unordered_set<std::uint32_t>& leading) {
  return std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
    return target.function.valid() && leading.contains(target.function.value);
  });
}

/// The errors that `test` expects of all its calls that may enter one of `leading`; none where one stands elsewhere.
std::vector<const Expr*> errors_of(const Program& program, FunctionId test,
                                   const std::unordered_set<std::uint32_t>& leading) {
  std::vector<const Expr*> errors;
  const FunctionDef* def = program.functions()[test].def();
  if (def == nullptr) return errors;
  const std::vector<Block> blocks = blocks_of(*def);
  if (blocks.empty()) return errors;
  for (const program::CallId id : program.functions()[test].calls) {
    const program::CallSite& site = program.calls()[id];
    if (!may_enter(site, leading)) continue;
    const auto around = std::find_if(blocks.begin(), blocks.end(),
                                     [&](const Block& block) { return block.span.contains(site.node->span); });
    if (around == blocks.end()) return {};
    errors.push_back(around->error);
  }
  return errors;
}

/// What a function hands to a runner may run elsewhere than its own calls.
bool nested_may_enter(const Program& program, FunctionId test, const std::unordered_set<std::uint32_t>& leading) {
  const auto& functions = program.module_of(test).functions;
  return std::any_of(functions.begin(), functions.end(), [&](FunctionId one) {
    return program.functions()[one].enclosing == test && leading.contains(one.value);
  });
}

std::unordered_set<std::uint32_t> leading_to(const Program& program, FunctionId target) {
  std::unordered_set<std::uint32_t> leading{target.value};
  for (const program::Reached& reached : program::reaching(program, target, kMostLeading))
    leading.insert(reached.function.value);
  if (leading.size() >= kMostLeading) leading.clear();
  return leading;
}

std::vector<const Expr*> expected_of(const Program& program, const TestRunner& runner, FunctionId test,
                                     const std::unordered_set<std::uint32_t>& leading) {
  std::vector<const Expr*> errors = errors_of(program, test, leading);
  if (errors.empty() || nested_may_enter(program, test, leading)) return {};
  const std::vector<FunctionId>& called = runner.called_for(test);
  if (std::any_of(called.begin(), called.end(), [&](FunctionId one) { return leading.contains(one.value); })) return {};
  return errors;
}

/// Whether its own lines stop: `raise`, or `assert`.
bool stops(const Program& program, FunctionId function) {
  const program::Function& one = program.functions()[function];
  bool found = false;
  walk(*one.node, Nested::kEnter,
       [&](const Node* node) { found = found || node->kind == NodeKind::kRaise || node->kind == NodeKind::kAssert; });
  return found;
}

/// What expected_error has answered, by test and target.
struct ExpectedErrors {
  explicit ExpectedErrors(const Program&) {}
  Remembered<std::uint64_t, std::string> answers;
};

}  // namespace

bool expects_error(std::string_view callee) {
  static constexpr std::string_view kNames[] = {"raises", "assertRaises", "assertRaisesRegex", "assert_raises",
                                                "RaisesExc"};
  return std::find(std::begin(kNames), std::end(kNames), callee) != std::end(kNames);
}

std::string expected_error(const Program& program, FunctionId test, FunctionId target) {
  if (!test.valid() || !target.valid()) return {};
  const FunctionDef* def = program.functions()[test].def();
  if (def == nullptr || blocks_of(*def).empty()) return {};
  const std::uint64_t key = std::uint64_t{test.value} << 32 | target.value;
  return program.derived<ExpectedErrors>().answers.of(key, [&]() -> std::string {
    std::vector<std::string> names;
    for (const Expr* error : expected_of(program, program.derived<TestRunner>(), test, leading_to(program, target))) {
      std::string name = name_of_error(*error);
      if (name.empty()) return "an error";
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    return join_words(names, "or");
  });
}

void put_refused_last(const Program& program, const TestRunner& runner, FunctionId target,
                      std::vector<TestReach>& tests) {
  const auto expects = [&](const TestReach& reach) {
    const FunctionDef* def = program.functions()[reach.test].def();
    return def != nullptr && !blocks_of(*def).empty();
  };
  // Of what refuses itself they are the tests.
  if (tests.size() < 2 || stops(program, target) || std::none_of(tests.begin(), tests.end(), expects)) return;
  const std::unordered_set<std::uint32_t> leading = leading_to(program, target);
  std::vector<std::pair<TestReach, bool>> all;
  for (const TestReach& reach : tests)
    all.emplace_back(reach, !expected_of(program, runner, reach.test, leading).empty());
  const TestLink surest = tests.front().link;
  const bool others_are_left =
      std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.first.link == surest && !one.second; });
  if (others_are_left) std::erase_if(all, [](const auto& one) { return one.second && one.first.distance > 1; });
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::make_pair(a.first.link, a.second) < std::make_pair(b.first.link, b.second);
  });
  tests.clear();
  for (const auto& [reach, unused] : all) tests.push_back(reach);
}

}  // namespace lockstep::report
