#include "report/documents/tests/stand_in_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/tests/test_runner.h"
#include "report/tests/test_stand_ins.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// `MockOptimizer`, `_FakeGroup`, `MagicMock`: what a class is called that stands in for another.
bool is_named_stand_in(std::string_view name) {
  while (name.starts_with("_")) name.remove_prefix(1);
  static constexpr std::string_view kWords[] = {"Mock", "MagicMock", "Fake", "Stub", "Dummy"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    const bool ends = name.size() == word.size() ||
                      (name.size() > word.size() && name[word.size()] >= 'A' && name[word.size()] <= 'Z');
    return name.starts_with(word) && ends;
  });
}

/// Whether a function, a method or a class has the name that is replaced: no variable that is set.
bool is_of_code(const program::Program& program, const Replacement& one) {
  if (one.cls.valid()) return program.find_method(one.cls, one.name).valid();
  const auto& functions = program.functions();
  const auto& classes = program.classes();
  return one.module.valid() &&
         (std::any_of(functions.begin(), functions.end(),
                      [&](const program::Function& function) {
                        return function.module == one.module && !function.owner.valid() && function.name == one.name;
                      }) ||
          std::any_of(classes.begin(), classes.end(),
                      [&](const program::Class& cls) { return cls.module == one.module && cls.name == one.name; }));
}

/// What the test puts in place of other code: marked names, each once.
std::vector<std::string> stand_ins_of(const DocumentInputs& inputs, const TestStandIns& stand_ins, FunctionId test) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view name) {
    std::string text = code(std::string(name));
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  };
  for (const FunctionId function : stand_ins.code_of(test)) {
    const Node* node = inputs.after->functions()[function].node;
    if (node == nullptr) continue;
    walk_of<Call>(*node, Nested::kEnter, [&](const Call* call) {
      if (const std::string_view name = rules::last_part_of(call->callee); is_named_stand_in(name)) add(name);
    });
  }
  for (const Replacement& one : stand_ins.of_test(test)) {
    if (one.is_sure && is_of_code(*inputs.after, one)) add(one.name);
  }
  return out;
}

}  // namespace

std::vector<std::string> stand_in_items(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  constexpr std::size_t kMostNames = 4;
  const program::Program& program = *inputs.after;
  std::vector<bool> is_test;
  for (const program::Module& module : program.modules()) is_test.push_back(program::is_test_path(module.path));
  const TestRunner runner(program);
  const TestStandIns stand_ins(program, runner, is_test);
  std::vector<FunctionId> asked;
  std::vector<std::string> out;
  for (const auto& tests : story.tests) {
    if (tests.empty() || tests.front().link != TestLink::kCalls || out.size() == most) continue;
    const FunctionId test = tests.front().test;
    if (std::find(asked.begin(), asked.end(), test) != asked.end()) continue;
    asked.push_back(test);
    std::vector<std::string> names = stand_ins_of(inputs, stand_ins, test);
    if (names.empty()) continue;
    const std::size_t all = names.size();
    if (all > kMostNames + 1) names.resize(kMostNames);
    if (names.size() < all) names.push_back(fmt::format("{} more", all - names.size()));
    out.push_back(fmt::format("{} ({}) puts stand-ins in place of other code: {}.",
                              code(program.functions()[test].name), place_of(program, test), join_words(names)));
  }
  return out;
}

}  // namespace lockstep::report
