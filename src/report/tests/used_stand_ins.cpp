#include "report/tests/used_stand_ins.h"

#include <algorithm>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

/// `MockOptimizer`, `_FakeGroup`: what a class is called that stands in for another.
bool is_named_stand_in(std::string_view name) {
  while (name.starts_with("_")) name.remove_prefix(1);
  static constexpr std::string_view kWords[] = {"Mock", "Fake", "Stub"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    const bool ends = name.size() == word.size() ||
                      (name.size() > word.size() && name[word.size()] >= 'A' && name[word.size()] <= 'Z');
    return name.starts_with(word) && ends;
  });
}

/// What stands under the name that is replaced, in the module itself or imported there.
program::Reference replaced_by(const program::Program& program, const Replacement& one) {
  return one.cls.valid() || !one.module.valid() ? program::Reference() : program.resolve(one.module, one.name);
}

/// Whether a function, a method or a class has the name that is replaced: no variable that is set.
bool is_of_code(const program::Program& program, const Replacement& one) {
  if (one.cls.valid()) return program.find_method(one.cls, one.name).valid();
  const program::Reference::Kind kind = replaced_by(program, one).kind;
  return kind == program::Reference::Kind::kFunction || kind == program::Reference::Kind::kClass;
}

/// Whether the change brings or edits what is replaced: the class, or its methods, or the function.
bool is_changed(const program::Program& program, const Story& story, const Replacement& one) {
  const program::Reference is = replaced_by(program, one);
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& actor) {
    if (!actor.change->after || actor.role == Role::kCosmetic) return false;
    const FunctionId function = actor.change->after->function;
    if (one.cls.valid()) return function.valid() && function == program.find_method(one.cls, one.name);
    if (is.kind == program::Reference::Kind::kFunction) return function.valid() && function == is.function;
    return is.kind == program::Reference::Kind::kClass &&
           (actor.change->after->node == program.classes()[is.cls].node ||
            (function.valid() && program.functions()[function].owner == is.cls));
  });
}

/// What the test puts in place of other code: marked names, each once; of what changes first.
std::vector<std::string> stand_ins_of(const program::Program& program, const TestStandIns& stand_ins,
                                      const Story& story, FunctionId test) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view name) {
    std::string text = code(std::string(name));
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  };
  for (const Replacement& one : stand_ins.of_test(test)) {
    if (one.is_sure && is_of_code(program, one) && is_changed(program, story, one)) add(one.name);
  }
  for (const FunctionId function : stand_ins.code_of(test)) {
    const Node* node = program.functions()[function].node;
    if (node == nullptr) continue;
    walk_of<Call>(*node, Nested::kEnter, [&](const Call* call) {
      const std::string_view name = rules::last_part_of(call->callee);
      // It says nothing of what it stands for.
      if (is_named_stand_in(name) && name != "Mock") add(name);
    });
  }
  for (const Replacement& one : stand_ins.of_test(test)) {
    if (one.is_sure && is_of_code(program, one)) add(one.name);
  }
  return out;
}

}  // namespace

void find_stand_ins(const program::Program& program, const TestStandIns& stand_ins, Story& story) {
  for (const auto& tests : story.tests) {
    const auto own = std::find_if(tests.begin(), tests.end(), [](const TestReach& reach) {
      return reach.link == TestLink::kCalls && reach.is_changed;
    });
    if (own != tests.end() && !story.stand_ins.contains(own->test))
      story.stand_ins.emplace(own->test, stand_ins_of(program, stand_ins, story, own->test));
  }
}

}  // namespace lockstep::report
