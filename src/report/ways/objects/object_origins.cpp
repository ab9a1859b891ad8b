#include "report/ways/objects/object_origins.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "report/source/code.h"
#include "report/ways/functions/outside_callers.h"
#include "report/ways/objects/chosen_classes.h"

namespace lockstep::report {

using program::CallId;
using program::ClassId;
using program::EntryKind;
using program::FunctionId;
using program::Program;

namespace {

bool is_constructor(const Program& program, FunctionId function) {
  const std::string_view name = program.functions()[function].name;
  return program.functions()[function].owner.valid() &&
         (name == "__init__" || name == "__new__" || name == "__post_init__");
}

/// Methods by which what a library makes is set to work.
bool sets_to_work(std::string_view name) {
  return name == "backward" || name == "fit" || name == "forward" || name == "run" || name == "start" || name == "step";
}

/// A way that a script is known to take.
bool is_sure_way(const EntryPath& path) {
  return path.kind == EntryKind::kScript && path.frames.size() > 1 && path.by_name.empty() &&
         path.handed_on_in.empty() && path.missing_import.empty() && !path.is_definition;
}

}  // namespace

ObjectOrigins::ObjectOrigins(const Program& program, const MadeClasses& made, Find find,
                             const std::vector<program::Reached>* step_path)
    : program_(program), made_(made), find_(std::move(find)) {
  if (step_path == nullptr) return;
  for (const program::Reached& one : *step_path) in_step_.try_emplace(one.function.value, one.distance);
}

/// The method through which the way comes in from outside; none where that is no method.
FunctionId ObjectOrigins::outermost_method(const EntryPath& path, FunctionId target) const {
  FunctionId method = target;
  for (const PathFrame& frame : path.frames) {
    if (program::is_test_path(program_.module_of(frame.function).path)) continue;
    method = frame.function;
    break;
  }
  while (method.valid() && !program_.functions()[method].owner.valid()) method = program_.functions()[method].enclosing;
  const bool runs = method.valid() && runs_on_object(program_, method) && !is_constructor(program_, method);
  return runs ? method : FunctionId();
}

/// The way to where objects are made through the constructor, which stands at its end.
EntryPath ObjectOrigins::way_to_constructor(FunctionId constructor) const {
  EntryPath way = find_(constructor);
  if (!is_sure_way(way)) return {};
  // A constructor below it runs on the object that is made before.
  while (way.frames.size() > 2 && is_constructor(program_, way.frames[way.frames.size() - 2].function) &&
         program_.derives_from(program_.functions()[way.frames[way.frames.size() - 2].function].owner,
                               program_.classes()[program_.functions()[constructor].owner].qualified_name))
    way.frames.pop_back();
  return way;
}

/// The way to a function that makes objects of the class by its name, which stands at its end.
EntryPath ObjectOrigins::way_to_maker(ClassId cls) const {
  constexpr std::size_t kMostMakers = 3;
  std::vector<FunctionId> looked;
  EntryPath helper;
  for (const CallId call : made_.makers_of(cls)) {
    const program::CallSite& site = program_.calls()[call];
    // What is made of what a call is given depends on the way.
    if (made_.is_given(call) || looked.size() == kMostMakers ||
        std::find(looked.begin(), looked.end(), site.caller) != looked.end())
      continue;
    looked.push_back(site.caller);
    EntryPath way = find_(site.caller);
    if (!is_sure_way(way)) continue;
    way.frames.back().call = site.node;
    if (const python::Node* body = program_.functions()[site.caller].node)
      way.frames.back().guards = guards_of(*body, site.node->span);
    if (!way.is_helper) return way;
    if (helper.frames.empty()) helper = std::move(way);
  }
  return helper;
}

/// Calls outside the class of what it inherits from a library: of what sets it to work, else of anything. The nearest
/// to a training step are told.
void ObjectOrigins::add_inherited(ObjectOrigin& origin) const {
  constexpr std::size_t kMost = 2;
  constexpr int kFar = 1'000'000;
  if (library_base(program_, origin.method).empty()) return;
  std::vector<std::tuple<bool, int, std::uint32_t, std::string_view>> found;
  for (std::size_t i = 0; i < program_.calls().size(); ++i) {
    const program::CallSite& site = program_.calls()[CallId(i)];
    const std::string_view name = inherited_by_call(site, origin);
    if (name.empty() || program::is_test_path(program_.module_of(site.caller).path)) continue;
    const auto step = in_step_.find(site.caller.value);
    found.emplace_back(!sets_to_work(name), step == in_step_.end() ? kFar : step->second, CallId(i).value, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string_view> names;
  for (const auto& [is_other, distance, call, name] : found) {
    if (is_other != std::get<0>(found.front()) || origin.inherited.size() == kMost) break;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    origin.inherited.push_back(CallId(std::size_t{call}));
  }
}

/// The name of what a call outside the class takes from a library, on an object that may be the one in question; empty
/// for others.
std::string_view ObjectOrigins::inherited_by_call(const program::CallSite& site, const ObjectOrigin& origin) const {
  const auto* call = python::as<python::Call>(site.node);
  const auto* method = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
  if (method == nullptr) return {};
  const std::string_view name = method->name.text;
  const auto& above = program_.classes()[origin.made].external_ancestors;
  const bool is_library = std::any_of(site.targets.begin(), site.targets.end(), [&](const auto& target) {
    return target.external.size() > name.size() + 1 && target.external.ends_with(name) &&
           std::find(above.begin(), above.end(), target.external.substr(0, target.external.size() - name.size() - 1)) !=
               above.end();
  });
  if (!is_library) return {};
  const ClassId caller = program_.functions()[site.caller].owner;
  if (caller.valid() && program_.derives_from(caller, program_.classes()[origin.cls].qualified_name)) return {};
  const std::vector<ClassId> held = program_.instance_classes(site.caller, *method->value);
  return std::find(held.begin(), held.end(), origin.made) != held.end() ? name : std::string_view();
}

ObjectOrigin ObjectOrigins::of(const EntryPath& path, FunctionId target) const {
  constexpr std::size_t kMostClasses = 6;
  if (path.kind == EntryKind::kScript && path.frames.size() > 1) return {};
  const FunctionId method = outermost_method(path, target);
  if (!method.valid()) return {};
  const ClassId cls = program_.functions()[method].owner;
  const std::string_view name = program_.functions()[method].name;
  std::size_t looked = 0;
  for (const ClassId each : program::with_descendants(program_, cls)) {
    if (program::is_test_path(program_.module_of(each).path) || program_.find_method(each, name) != method) continue;
    if (++looked > kMostClasses) break;
    if (made_.makers_of(each).empty()) continue;
    const FunctionId constructor = program_.find_method(each, "__init__");
    const bool is_own = constructor.valid() && program_.functions()[constructor].owner == each;
    ObjectOrigin out{cls, each, method, is_own ? way_to_constructor(constructor) : way_to_maker(each), {}};
    if (out.way.frames.empty()) continue;
    if (is_own) {
      out.made = program_.functions()[out.way.frames.back().function].owner;
      if (program_.find_method(out.made, name) != method) continue;
    }
    add_inherited(out);
    return out;
  }
  return {};
}

}  // namespace lockstep::report
