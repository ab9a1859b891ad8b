#include "report/documents/class_makers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"

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

}  // namespace

program::FunctionId class_maker(const program::Program& program, program::FunctionId method) {
  if (!method.valid()) return {};
  program::ClassId cls = program.functions()[method].owner;
  while (cls.valid() && !program.classes()[cls].enclosing.valid()) cls = program.classes()[cls].owner;
  const program::FunctionId maker = cls.valid() ? program.classes()[cls].enclosing : program::FunctionId();
  return maker.valid() && !program::is_test_path(program.module_of(maker).path) ? maker : program::FunctionId();
}

std::string maker_callers_text(const program::Program& program, program::FunctionId method) {
  const program::FunctionId maker = class_maker(program, method);
  if (!maker.valid()) return {};
  const std::vector<program::FunctionId> callers = sure_callers(program, maker, false);
  if (callers.empty()) return {};
  return fmt::format("its class is defined in {} ({}), which {} {}", code(short_name(program, maker)),
                     place_of(program, maker), names_of(program, callers), callers.size() == 1 ? "calls" : "call");
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
