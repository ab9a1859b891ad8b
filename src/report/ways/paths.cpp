// How real runs reach the central entities: the likeliest way from a script, else from the outermost public function,
// else from a test.
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>

#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/story/story.h"
#include "report/ways/conditions/changed_switches.h"
#include "report/ways/conditions/early_exits.h"
#include "report/ways/conditions/other_sides.h"
#include "report/ways/conditions/ungiven_parameters.h"
#include "report/ways/functions/named_look_ups.h"
#include "report/ways/functions/table_look_ups.h"
#include "report/ways/objects/chosen_classes.h"
#include "report/ways/objects/object_origins.h"
#include "report/ways/objects/unmade_classes.h"
#include "report/ways/path_finder.h"
#include "report/ways/scripts/literal_look_ups.h"
#include "report/ways/scripts/request_handlers.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using program::EntryKind;
using program::FunctionId;
using program::Program;

namespace {

/// What makes objects of this class alone: a constructor that it inherits makes those of others, too.
FunctionId own_constructor(const Program& program, program::ClassId cls) {
  const FunctionId init = program.find_method(cls, "__init__");
  return init.valid() && program.functions()[init].owner == cls ? init : FunctionId();
}

/// The class whose objects the entity is of, or is; none for others.
program::ClassId class_of(const Program& program, const change::EntityChange& entity, FunctionId target) {
  if (entity.kind == change::EntityKind::kClass && entity.after) return entity.after->cls;
  return target.valid() && runs_on_object(program, target) ? program.functions()[target].owner : program::ClassId();
}

/// The class whose objects the end of the way runs on: an heir of the target's, where a method of its own leads to the
/// target.
program::ClassId class_on_way(const Program& program, const EntryPath& path, program::ClassId cls) {
  program::ClassId out = cls;
  for (auto frame = path.frames.rbegin(); frame != path.frames.rend(); ++frame) {
    const program::ClassId owner = program.functions()[frame->function].owner;
    if (!owner.valid() || !program::are_kin(program, owner, cls)) break;
    const auto& line = program.classes()[owner].linearized;
    if (std::find(line.begin(), line.end(), out) != line.end()) out = owner;
  }
  return out;
}

/// Whether a new call of that name stands where the very code of its callee stood.
bool only_replaces(const Actor& actor, std::string_view callee) {
  bool went_there = false;
  for (const Step& step : actor.steps.before) {
    if (step.status != StepStatus::kRemoved || step.is_moved) continue;
    if (step.elsewhere == nullptr || step.differs_there ||
        change::last_part(step.elsewhere->latest().qualified_name) != callee)
      return false;
    went_there = true;
  }
  return went_there;
}

/// The calls in lines that the change brings or edits, outside tests, and those of objects that are made there.
std::unordered_set<const python::Node*> changed_calls(const Story& story) {
  std::unordered_set<const python::Node*> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.is_added()) continue;
    std::set<std::string> made;
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.is_moved || step.node == nullptr) continue;
      python::walk_of<python::Call>(*step.node, python::Nested::kEnter, [&](const python::Call* call) {
        if (step.span.contains(call->span) && !only_replaces(actor, callee_name(*call))) out.insert(call);
      });
      const python::Expr* target = nullptr;
      const python::Expr* value = step.kind == StepKind::kPlain ? assigned_value(step.node, target) : nullptr;
      if (python::is<python::Call>(value) && target != nullptr) made.insert(dotted_text(target));
    }
    made.erase("");
    for (const Step& step : actor.steps.after) {
      if (made.empty() || step.node == nullptr || step.kind != StepKind::kPlain) continue;
      python::walk_of<python::Call>(*step.node, python::Nested::kEnter, [&](const python::Call* call) {
        const auto* method = python::as<python::Attribute>(call->callee);
        if (method != nullptr && made.contains(dotted_text(method->value))) out.insert(call);
      });
    }
  }
  return out;
}

/// Where a way to the target begins that no script leads to: at its first function, or the target itself.
FunctionId outermost_of(const EntryPath& path, FunctionId target) {
  return path.kind == EntryKind::kPublicApi && !path.frames.empty() ? path.frames.front().function : target;
}

/// Puts a way from a script to a function that brings another in before the way from that one on: to the target.
void put_before(const Program& program, EntryPath way, const python::Call& call, Handing handing, FunctionId target,
                EntryPath& path) {
  PathFrame& last = way.frames.back();
  last.call = &call;
  last.is_certain = false;
  last.handing = handing;
  if (const python::Node* body = program.functions()[last.function].node; body != nullptr)
    last.guards = guards_of(*body, call.span);
  if (path.kind == EntryKind::kPublicApi && !path.frames.empty()) {
    way.frames.insert(way.frames.end(), path.frames.begin(), path.frames.end());
  } else {
    way.frames.push_back({target, nullptr, {}, true});
  }
  path = std::move(way);
}

/// Puts the way to what looks a function up by its name before a way on which nothing is known to call that one.
void add_look_up(const Program& program, PathFinder& finder, NamedLookUps& look_ups, FunctionId target,
                 EntryPath& path) {
  if (path.kind == EntryKind::kScript && !path.frames.empty()) return;
  const auto found = look_ups.of(outermost_of(path, target));
  if (!found) return;
  EntryPath way = finder.find_look_up(found->function, target);
  if (way.kind != EntryKind::kScript || way.frames.empty()) return;
  put_before(program, std::move(way), *found->call, Handing::kLooksUp, target, path);
}

/// Parameters of the target that all changed places in it ask for.
std::vector<std::string_view> parameters_asked(const DocumentInputs& inputs, FunctionId target,
                                               const Touched& touched) {
  EntryPath path;
  find_exits(inputs, target, touched, path);
  std::vector<std::string_view> out;
  if (path.exits_before.valid()) return out;
  const python::FunctionDef* def = inputs.after->functions()[target].def();
  for (const Guard& guard : path.exits) {
    python::walk_of<python::Name>(*guard.condition, python::Nested::kSkip, [&](const python::Name* name) {
      if (def != nullptr && rules::parameter_named(def, name->id) != nullptr) out.push_back(name->id);
    });
    const std::string_view whole = rules::name_of(guard.condition);
    if (def != nullptr && !whole.empty() && rules::parameter_named(def, whole) != nullptr) out.push_back(whole);
  }
  return out;
}

/// Puts the way to what takes a function out of a table, and hands it on, before a way on which nothing calls that one.
void add_taking(const DocumentInputs& inputs, PathFinder& finder, FunctionId target, const Touched& touched,
                EntryPath& path) {
  if (path.kind != EntryKind::kTest && !path.frames.empty()) return;
  const auto found = taken_from_table(*inputs.after, target, parameters_asked(inputs, target, touched));
  if (!found) return;
  // A way on which no run makes that call is none.
  Touched taking;
  taking.after.push_back(found->call->span);
  EntryPath way = finder.find(found->function, taking);
  if (way.kind != EntryKind::kScript || way.frames.empty()) return;
  put_before(*inputs.after, std::move(way), *found->call, Handing::kHandsOn, target, path);
}

/// Takes a way to the target on which what changes in it does not run, where all of that asks for a new parameter and
/// there is no other way; gives what it asks for, which is told with the way.
std::vector<Guard> add_way_beside(const DocumentInputs& inputs, PathFinder& finder, FunctionId target,
                                  const Touched& touched, EntryPath& path) {
  if (path.frames.size() >= 2) return {};
  std::vector<Guard> asked = asked_of_new_parameters(inputs, target, touched);
  if (asked.empty()) return {};
  EntryPath way = finder.find(target);
  if (way.kind != EntryKind::kScript || way.frames.size() < 2) return {};
  path = std::move(way);
  return asked;
}

/// Notes where a function that is defined on the way is registered with a web server by its decorator.
void note_registrations(const Program& program, RequestHandlers& handlers, EntryPath& path) {
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    PathFrame& frame = path.frames[i];
    if (frame.call != nullptr || frame.handing != Handing::kNone) continue;
    const auto found = handlers.of(path.frames[i + 1].function);
    if (!found || found->function != frame.function) continue;
    frame.call = found->call;
    frame.handing = Handing::kRegisters;
    if (const python::Node* body = program.functions()[frame.function].node; body != nullptr)
      frame.guards = guards_of(*body, found->call->span);
    std::erase(path.handed_on_in, short_name(program, frame.function));
  }
}

/// Puts the way to what registers a function with a web server before a way on which nothing calls that one.
void add_registration(const Program& program, PathFinder& finder, RequestHandlers& handlers, FunctionId target,
                      EntryPath& path) {
  if (path.kind == EntryKind::kScript && !path.frames.empty()) return note_registrations(program, handlers, path);
  const auto found = handlers.of(outermost_of(path, target));
  if (!found) return;
  EntryPath way = finder.find(found->function);
  if (way.kind != EntryKind::kScript || way.frames.empty()) return;
  put_before(program, std::move(way), *found->call, Handing::kRegisters, target, path);
}

/// Notes where a way goes on in a function that was looked up by its name, and lets it come from a script that is kin
/// to that one.
void note_look_ups(const Program& program, PathFinder& finder, NamedLookUps& look_ups, EntryPath& path) {
  // Where only a test leads there, the ways of scripts were found wanting.
  if (path.kind == EntryKind::kTest) return;
  for (std::size_t i = 0; i + 1 < path.frames.size(); ++i) {
    PathFrame& frame = path.frames[i];
    const FunctionId looked_up = path.frames[i + 1].function;
    if (frame.call == nullptr || frame.handing != Handing::kNone ||
        !look_ups.is_look_up(frame.function, frame.call, looked_up))
      continue;
    frame.handing = Handing::kLooksUp;
    frame.is_certain = false;
    EntryPath way = finder.find_look_up(frame.function, looked_up);
    if (way.kind != EntryKind::kScript || way.frames.empty()) {
      // Its own script may only look up others.
      const program::ModuleId script = program.functions()[path.frames.front().function].module;
      if (looks_up_another(program, script, looked_up)) path = EntryPath();
      return;
    }
    PathFrame looking = frame;
    path.frames.erase(path.frames.begin(), path.frames.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    way.frames.back() = std::move(looking);
    way.frames.insert(way.frames.end(), path.frames.begin(), path.frames.end());
    path.frames = std::move(way.frames);
    return;
  }
}

}  // namespace

FunctionId callable_of(const Program& program, const change::EntityChange& entity) {
  if (!entity.after) return {};
  switch (entity.kind) {
    case change::EntityKind::kClass:
      return entity.after->cls.valid() ? own_constructor(program, entity.after->cls) : FunctionId();
    case change::EntityKind::kFunction:
    case change::EntityKind::kMethod:
      return entity.after->function;
    default:
      return {};
  }
}

void find_paths(const DocumentInputs& inputs, Story& story) {
  PathFinder finder(inputs, *inputs.after, changed_calls(story));
  UngivenParameters ungiven(*inputs.after);
  const UnmadeClasses unmade(*inputs.after);
  NamedLookUps look_ups(*inputs.after);
  RequestHandlers handlers(*inputs.after);
  ChosenClasses& chosen = finder.chosen();
  const OtherSides other_sides(*inputs.after);
  const SwitchedAttributes switched(*inputs.after);
  const ObjectOrigins origins(
      *inputs.after, finder.made(), [&](FunctionId function) { return finder.find(function); }, inputs.step_path);
  for (const std::size_t index : story.central) {
    const FunctionId target = callable_of(*inputs.after, *story.actors[index].change);
    const Actor& actor = story.actors[index];
    Touched touched = touched_by(actor);
    find_switches(inputs, switched, target, actor, touched);
    const program::ClassId never_made = unmade.of(target);
    story.entries.push_back(target.valid() && !never_made.valid() ? finder.find(target, touched) : EntryPath());
    EntryPath& path = story.entries.back();
    if (never_made.valid()) {
      path.unmade = never_made;
      story.origins.emplace_back();
      continue;
    }
    std::vector<Guard> asked;
    if (target.valid()) asked = add_way_beside(inputs, finder, target, touched, path);
    if (target.valid()) add_look_up(*inputs.after, finder, look_ups, target, path);
    note_look_ups(*inputs.after, finder, look_ups, path);
    if (target.valid()) add_registration(*inputs.after, finder, handlers, target, path);
    if (target.valid()) add_taking(inputs, finder, target, touched, path);
    other_sides.mark(path);
    const program::ClassId cls = class_of(*inputs.after, *actor.change, target);
    if (cls.valid()) path.chosen = chosen.of(class_on_way(*inputs.after, path, cls));
    if (path.frames.size() >= 2) {
      const program::ClassId owner = inputs.after->functions()[target].owner;
      if (owner.valid() && path.kind != EntryKind::kTest) path.ungiven = ungiven.of(owner);
      if (!path.chosen && path.kind != EntryKind::kTest) path.chosen = chosen.on_way(path.frames);
      if (path.ungiven.function.valid()) path.chosen.reset();
      find_exits(inputs, target, touched, path);
      if (!asked.empty()) path.exits = std::move(asked);
    }
    story.origins.push_back(target.valid() ? origins.of(path, target) : ObjectOrigin());
    // A function that is handed on where it is defined: a run gets at least to its definition.
    const FunctionId enclosing = target.valid() ? inputs.after->functions()[target].enclosing : FunctionId();
    if (path.frames.size() >= 2 || !enclosing.valid()) continue;
    path = finder.find(enclosing);
    path.is_definition = path.frames.size() >= 2;
    if (path.is_definition) path.frames.push_back({target, nullptr, {}, true});
  }
}

}  // namespace lockstep::report
