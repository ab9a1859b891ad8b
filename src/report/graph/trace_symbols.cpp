// Names that people type -> functions of the program.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "base/nearest.h"
#include "base/strings.h"
#include "report/graph/trace.h"
#include "report/source/code.h"

namespace lockstep::report {

namespace {

using program::ClassId;
using program::Function;
using program::FunctionId;
using program::Program;

constexpr std::size_t kMostNamed = 8;

bool ends_with_name(std::string_view qualified, std::string_view wanted) {
  if (wanted.empty() || !qualified.ends_with(wanted)) return false;
  return qualified.size() == wanted.size() || qualified[qualified.size() - wanted.size() - 1] == '.';
}

/// The method that a call of an instance, else of the class, runs.
FunctionId method_of_class(const Program& program, ClassId cls) {
  for (const std::string_view name : {"forward", "__call__", "__init__"}) {
    const FunctionId method = program.find_method(cls, name);
    if (method.valid()) return method;
  }
  return {};
}

std::vector<ClassId> classes_named(const Program& program, std::string_view name) {
  const ClassId exact = program.find_class(name);
  if (exact.valid()) return {exact};
  std::vector<ClassId> found;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    if (ends_with_name(program.classes()[ClassId(i)].qualified_name, name)) found.emplace_back(i);
  }
  return found;
}

/// `Class.method` where the class inherits the method: what it runs.
std::vector<FunctionId> inherited(const Program& program, std::string_view name) {
  std::vector<FunctionId> found;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return found;
  for (const ClassId cls : classes_named(program, name.substr(0, dot))) {
    const FunctionId method = program.find_method(cls, name.substr(dot + 1));
    if (method.valid() && std::find(found.begin(), found.end(), method) == found.end()) found.push_back(method);
  }
  return found;
}

std::vector<FunctionId> functions_named(const Program& program, std::string_view name) {
  const FunctionId exact = program.find_function(name);
  if (exact.valid()) return {exact};
  std::vector<FunctionId> found;
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    if (ends_with_name(program.functions()[FunctionId(i)].qualified_name, name)) found.emplace_back(i);
  }
  if (found.empty()) return inherited(program, name);
  return found;
}

program::ModuleId module_named(const Program& program, std::string_view name) {
  const program::ModuleId by_name = program.find_module(name);
  return by_name.valid() ? by_name : program.find_path(name);
}

/// Leaves the ones outside the tests, if that leaves any.
template <class IdType>
void prefer_outside_tests(const Program& program, std::vector<IdType>& ids) {
  const auto of_tests = [&](IdType id) { return program::is_test_path(program.module_of(id).path); };
  if (ids.size() > 1 && !std::all_of(ids.begin(), ids.end(), of_tests)) std::erase_if(ids, of_tests);
}

/// "c", "b", "a" of "a.b.c".
std::vector<std::string_view> parts_backwards(std::string_view dotted) {
  std::vector<std::string_view> parts = split(dotted, '.');
  std::reverse(parts.begin(), parts.end());
  return parts;
}

/// How far a qualified name is from what was typed: the last part weighs most, the parts before it decide among those
/// that are alike in it. None where the last part is another name.
std::optional<std::size_t> distance_to(const std::vector<std::string_view>& wanted, std::string_view qualified) {
  constexpr std::size_t kFar = 8;  // Of a part before the last: another name.
  const std::vector<std::string_view> parts = parts_backwards(qualified);
  const std::size_t limit = std::min<std::size_t>(3, typing_limit(wanted[0]));
  const std::size_t last = typing_distance(wanted[0], parts[0], limit);
  if (last > limit) return std::nullopt;
  std::size_t distance = last * (kFar + 2);
  for (std::size_t i = 1; i < wanted.size(); ++i)
    distance += i < parts.size() ? typing_distance(wanted[i], parts[i], kFar) : kFar + 1;
  return distance;
}

Error no_symbol(const Program& program, std::string_view name) {
  constexpr std::size_t kMostOffered = 4;
  const std::vector<std::string_view> wanted = parts_backwards(name);
  std::vector<std::tuple<std::size_t, bool, std::string_view>> near;
  const auto consider = [&](std::string_view qualified, bool is_test) {
    if (const auto distance = distance_to(wanted, qualified)) near.emplace_back(*distance, is_test, qualified);
  };
  for (const Function& function : program.functions())
    consider(function.qualified_name, program::is_test_path(program.modules()[function.module].path));
  for (const program::Class& cls : program.classes())
    consider(cls.qualified_name, program::is_test_path(program.modules()[cls.module].path));
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::vector<std::string> names;
  for (const auto& [distance, is_test, qualified] : near) {
    // Where the first is what was typed but for a letter or two, another class of the same method is not meant.
    const bool is_far = !names.empty() && distance > std::get<0>(near.front()) + 1 && wanted.size() > 1;
    if (names.size() < kMostOffered && !is_far) names.emplace_back(plain(qualified));
  }
  return {fmt::format("there is no function or class '{}' in this tree", plain(name)),
          did_you_mean_or(names, "`lockstep graph` lists the functions")};
}

template <class IdType>
Error several(const Program& program, std::string_view name, const std::vector<IdType>& found, std::string_view what) {
  std::string places;
  for (std::size_t i = 0; i < found.size() && i < kMostNamed; ++i) {
    std::string_view qualified;
    if constexpr (std::is_same_v<IdType, FunctionId>) {
      qualified = program.functions()[found[i]].qualified_name;
    } else {
      qualified = program.classes()[found[i]].qualified_name;
    }
    places += fmt::format("\n  {}  ({})", plain(qualified), unmarked(place_of(program, found[i])));
  }
  if (found.size() > kMostNamed) places += fmt::format("\n  and {} more", found.size() - kMostNamed);
  return {fmt::format("'{}' may mean {} {}", plain(name), found.size(), what), "give more of one's name:" + places};
}

}  // namespace

Result<FunctionId> find_symbol(const Program& program, std::string_view name) {
  if (const program::ModuleId module = module_named(program, name); module.valid())
    return program.modules()[module].body;
  std::vector<FunctionId> functions = functions_named(program, name);
  std::vector<ClassId> classes = classes_named(program, name);
  prefer_outside_tests(program, functions);
  prefer_outside_tests(program, classes);
  if (functions.size() == 1) return functions.front();
  if (functions.size() > 1) return tl::unexpected<Error>(several(program, name, functions, "functions"));
  if (classes.size() > 1) return tl::unexpected<Error>(several(program, name, classes, "classes"));
  if (classes.empty()) return tl::unexpected<Error>(no_symbol(program, name));
  const FunctionId method = method_of_class(program, classes.front());
  if (method.valid()) return method;
  return fail(fmt::format("class '{}' has no `forward`, `__call__` or `__init__` of its own or inherited in this tree",
                          plain(name)),
              "name one of its methods, as in Class.method");
}

Result<std::vector<FunctionId>> find_focus(const Program& program, std::string_view name) {
  if (const program::ModuleId id = module_named(program, name); id.valid()) {
    const program::Module& module = program.modules()[id];
    std::vector<FunctionId> all = module.functions;
    if (module.body.valid()) all.push_back(module.body);
    return all;
  }
  std::vector<ClassId> classes = classes_named(program, name);
  prefer_outside_tests(program, classes);
  if (classes.size() == 1 && !program.classes()[classes.front()].methods.empty())
    return program.classes()[classes.front()].methods;
  const Result<FunctionId> one = find_symbol(program, name);
  if (!one) return tl::unexpected<Error>(one.error());
  return std::vector<FunctionId>{*one};
}

Result<TraceTarget> find_target(const Program& program, std::string_view name) {
  TraceTarget target;
  target.name = name;
  target.functions = functions_named(program, name);
  prefer_outside_tests(program, target.functions);
  if (target.functions.empty()) {
    std::vector<ClassId> classes = classes_named(program, name);
    prefer_outside_tests(program, classes);
    for (const ClassId cls : classes) {
      const auto& methods = program.classes()[cls].methods;
      target.functions.insert(target.functions.end(), methods.begin(), methods.end());
    }
  }
  std::sort(target.functions.begin(), target.functions.end());
  if (program.find_function(name).valid()) return target;
  std::set<std::string> external;
  for (const program::CallSite& site : program.calls()) {
    for (const program::CallTarget& called : site.targets) {
      if (!called.function.valid() && ends_with_name(called.external, name)) external.emplace(called.external);
    }
  }
  target.external.assign(external.begin(), external.end());
  if (target.external.empty() && target.functions.empty()) return tl::unexpected<Error>(no_symbol(program, name));
  return target;
}

}  // namespace lockstep::report
