#include "report/documents/runs/class_makers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

namespace {

/// Functions that surely call it, each once, in tests or outside.
std::vector<program::FunctionId> sure_callers(const program::Program& program, program::FunctionId function,
                                              bool in_tests) {
  std::vector<program::FunctionId> out;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    const bool is_test = program::is_test_path(program.module_of(site.caller).path);
    const bool is_wanted = in_tests ? is_test && program.functions()[site.caller].name.starts_with("test") : !is_test;
    if (is_wanted && site.caller != function && program::surely_enters(site, function) &&
        std::find(out.begin(), out.end(), site.caller) == out.end())
      out.push_back(site.caller);
  }
  return out;
}

/// The first few with their places, and how many more.
std::string names_of(const program::Program& program, const std::vector<program::FunctionId>& functions) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> names;
  for (const program::FunctionId function : functions) {
    if (names.size() == kMost && functions.size() > kMost + 1) break;
    names.push_back(fmt::format("{} ({})", code(short_name(program, function)), place_of(program, function)));
  }
  if (names.size() < functions.size()) names.push_back(fmt::format("{} more", functions.size() - names.size()));
  return join_words(names);
}

/// `ModelRegistry.register_model` of the one call in the function that is given the class by its name and enters
/// nothing of the repository; empty where there is none, or several.
std::string registry_of(const program::Program& program, program::FunctionId maker, std::string_view name) {
  constexpr std::string_view kAsking[] = {"getattr", "isinstance", "issubclass", "print",
                                          "repr",    "str",        "super",      "type"};
  std::vector<const python::Call*> found;
  python::walk_of<python::Call>(*program.functions()[maker].node, python::Nested::kSkip, [&](const python::Call* call) {
    const auto is_it = [&](const python::Expr* one) { return rules::name_of(one) == name; };
    const bool is_given = std::any_of(call->arguments.begin(), call->arguments.end(), is_it) ||
                          std::any_of(call->keywords.begin(), call->keywords.end(),
                                      [&](const python::Keyword* one) { return is_it(one->value); });
    const program::CallId id = program.call_of(call);
    const bool is_known =
        id.valid() && std::any_of(program.calls()[id].targets.begin(), program.calls()[id].targets.end(),
                                  [](const auto& target) { return target.function.valid(); });
    const bool asks =
        std::find(std::begin(kAsking), std::end(kAsking), rules::name_of(call->callee)) != std::end(kAsking);
    if (is_given && !is_known && !asks && !rules::is_log_call(call) && !dotted_text(call->callee).empty())
      found.push_back(call);
  });
  return found.size() == 1 ? dotted_text(found.front()->callee) : std::string();
}

}  // namespace

program::FunctionId class_maker(const program::Program& program, program::FunctionId method) {
  if (!method.valid()) return {};
  program::ClassId cls = program.functions()[method].owner;
  while (cls.valid() && !program.classes()[cls].enclosing.valid()) cls = program.classes()[cls].owner;
  const program::FunctionId maker = cls.valid() ? program.classes()[cls].enclosing : program::FunctionId();
  return maker.valid() && !program::is_test_path(program.module_of(maker).path) ? maker : program::FunctionId();
}

std::string maker_callers_text(const program::Program& program, program::FunctionId method, bool is_caller) {
  const program::FunctionId maker = class_maker(program, method);
  if (!maker.valid()) return {};
  const std::vector<program::FunctionId> callers = sure_callers(program, maker, false);
  if (callers.empty()) return {};
  program::ClassId cls = program.functions()[method].owner;
  while (cls.valid() && !program.classes()[cls].enclosing.valid()) cls = program.classes()[cls].owner;
  const std::string registry = registry_of(program, maker, program.classes()[cls].name);
  return fmt::format("{} is defined in {} ({}), {}which {} {}", is_caller ? "the class of that method" : "its class",
                     code(short_name(program, maker)), place_of(program, maker),
                     registry.empty() ? "" : fmt::format("which hands it to {} and ", code(registry)),
                     names_of(program, callers), callers.size() == 1 ? "calls" : "call");
}

std::string maker_tests_text(const program::Program& program, program::FunctionId method) {
  const program::FunctionId maker = class_maker(program, method);
  if (!maker.valid()) return {};
  const std::vector<program::FunctionId> tests = sure_callers(program, maker, true);
  if (tests.empty()) return {};
  return fmt::format("the class is defined in {}, which {} {}; what is done there with the class was not followed",
                     code(short_name(program, maker)), names_of(program, tests), tests.size() == 1 ? "calls" : "call");
}

}  // namespace lockstep::report
