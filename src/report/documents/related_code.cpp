#include "report/documents/related_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/documents/parts.h"
#include "report/source/import_closure.h"
#include "report/source/local_values.h"
#include "report/ways/conditions/class_guards.h"
#include "report/ways/functions/started_bodies.h"
#include "report/ways/scripts/script_reach.h"

namespace lockstep::report {

namespace {

using program::FunctionId;

/// The items, each function once, as far as there is room.
class Pointers {
 public:
  explicit Pointers(const DiveInputs& dive) : dive_(dive), program_(*dive.inputs.after) {
    for (const Actor& actor : dive.story.actors) {
      if (actor.change->after && actor.change->after->function.valid())
        changed_.insert(actor.change->after->function.value);
    }
  }

  /// Whether it is listed now.
  bool add(FunctionId function, const std::string& why) {
    const program::Function& one = program_.functions()[function];
    if (changed_.contains(function.value) || one.kind != program::FunctionKind::kFunction) return false;
    return add_item(one.qualified_name, place_of(program_, function), short_name(program_, function), one.node, why);
  }

  bool add_class(program::ClassId cls, const std::string& why) {
    const program::Class& one = program_.classes()[cls];
    const program::Module& module = program_.module_of(cls);
    const std::uint32_t line = module.facts->source().line_of(one.node->name.span.begin);
    // New ones are told above.
    const bool is_changed = std::any_of(dive_.story.actors.begin(), dive_.story.actors.end(), [&](const Actor& actor) {
      return actor.change->after && actor.change->after->node == one.node && actor.is_added();
    });
    return !is_changed && add_item(one.qualified_name, place(module.path, line), std::string(one.name), one.node, why);
  }

  [[nodiscard]] bool is_changed(FunctionId function) const { return changed_.contains(function.value); }

  [[nodiscard]] bool is_empty() const { return items_.empty(); }

  std::vector<std::string> take() { return std::move(items_); }

 private:
  bool add_item(const std::string& key, const std::string& where, const std::string& name, const python::Node* node,
                const std::string& why) {
    if (items_.size() >= dive_.detail.pointers || !seen_.insert(key).second) return false;
    const std::string purpose = docstring_sentence(node, 90);
    items_.push_back(fmt::format("{} {} - {}{}", where, code(name), why,
                                 purpose.empty() ? "" : fmt::format(": \u201c{}\u201d", from_backquotes(purpose))));
    return true;
  }

  const DiveInputs& dive_;
  const program::Program& program_;
  std::set<std::uint32_t> changed_;
  std::set<std::string> seen_;
  std::vector<std::string> items_;
};

/// The function at module or class level that holds it, or itself.
FunctionId outermost(const program::Program& program, FunctionId function) {
  while (program.functions()[function].enclosing.valid()) function = program.functions()[function].enclosing;
  return function;
}

/// The class of a method that carries the change, or a class that does, and those below it that have the method from
/// it.
std::vector<program::ClassId> classes_with(const program::Program& program, const change::EntityChange& entity) {
  const FunctionId method = entity.after->function;
  const program::ClassId cls =
      method.valid() ? program.functions()[method].owner : program.class_of(entity.after->node);
  std::vector<program::ClassId> out;
  if (!cls.valid()) return out;
  for (const program::ClassId one : program::with_descendants(program, cls)) {
    if (!method.valid() || program.find_method(one, program.functions()[method].name) == method) out.push_back(one);
  }
  return out;
}

/// Functions of tests that make an object of one of the classes, by path and line, with the class.
std::vector<std::pair<FunctionId, program::ClassId>> makers_in_tests(const program::Program& program,
                                                                     const std::vector<program::ClassId>& classes) {
  std::vector<std::pair<FunctionId, program::ClassId>> out;
  for (const program::Module& module : program.modules()) {
    const auto is_named = [&](program::ClassId cls) { return module.facts->has_name(program.classes()[cls].name); };
    if (!program::is_test_path(module.path) || std::none_of(classes.begin(), classes.end(), is_named)) continue;
    for (const FunctionId function : module.functions) {
      for (const program::CallId id : program.functions()[function].calls) {
        const auto* call = python::as<python::Call>(program.calls()[id].node);
        if (call == nullptr) continue;
        const program::Reference made = program.resolve(function, *call->callee);
        if (made.kind == program::Reference::Kind::kClass &&
            std::find(classes.begin(), classes.end(), made.cls) != classes.end())
          out.emplace_back(outermost(program, function), made.cls);
      }
    }
  }
  return out;
}

/// Whether the code of a script gets to functions that a call in it may enter. Only asked where a call may enter
/// several, and only then worked out.
class ScriptCode {
 public:
  explicit ScriptCode(const program::Program& program) : program_(program) {}

  /// True for callers that are no script's own code: who runs them decides.
  bool may_enter(program::FunctionId caller, program::FunctionId target) {
    const program::ModuleId module = program_.functions()[caller].module;
    if (!is_script(module)) return true;
    if (!made_) made_.emplace(program_);
    if (!guards_) guards_.emplace(program_, *made_);
    if (!closure_) closure_.emplace(program_);
    std::unique_ptr<ScriptReach>& reach = reaches_[module.value];
    if (reach == nullptr) reach = std::make_unique<ScriptReach>(program_, *made_, *guards_, closure_->from(module));
    return reach->reaches(target);
  }

 private:
  bool is_script(program::ModuleId module) {
    if (!scripts_) {
      scripts_.emplace();
      for (const program::Entry& entry : program::entry_points(program_)) {
        if (entry.kind == program::EntryKind::kScript)
          scripts_->insert(program_.functions()[entry.function].module.value);
      }
    }
    return scripts_->contains(module.value);
  }

  const program::Program& program_;
  std::optional<std::set<std::uint32_t>> scripts_;
  std::optional<MadeClasses> made_;
  std::optional<ClassGuards> guards_;
  std::optional<ImportClosure> closure_;
  std::map<std::uint32_t, std::unique_ptr<ScriptReach>> reaches_;
};

/// Whether the class of a value is plain where it stands: `self` of a method, what a class is called for, a parameter
/// with its annotation, or a local that is only ever set to such a call.
bool is_of_plain_class(const program::Program& program, program::FunctionId function, const python::Expr& value) {
  const auto* def = program.functions()[function].def();
  const auto makes = [&](const python::Expr* one) {
    const auto* call = one == nullptr ? nullptr : python::as<python::Call>(one);
    return call != nullptr && program.resolve(function, *call->callee).kind == program::Reference::Kind::kClass;
  };
  if (makes(&value)) return true;
  const auto* name = python::as<python::Name>(&value);
  if (name == nullptr || def == nullptr) return false;
  for (const python::Parameter* parameter : def->parameters->all) {
    if (parameter->name.text != name->id) continue;
    const bool is_self = program.functions()[function].owner.valid() && parameter == def->parameters->all.front();
    return is_self || (parameter->annotation != nullptr &&
                       program.resolve(function, *parameter->annotation).kind == program::Reference::Kind::kClass);
  }
  return makes(only_value_of(*def, name->id));
}

/// Whether `call` enters the method only for what it does with a value (`str(x)`, `len(x)`, `x + y`, `x[i]`), and what
/// classes that value may be of is open.
bool is_operation_on_open_value(const program::Program& program, program::CallId call, program::FunctionId method) {
  static constexpr std::string_view kNamed[] = {"__init__",   "__new__",   "__call__", "__enter__",
                                                "__aenter__", "__aexit__", "__exit__"};
  const program::CallSite& site = program.calls()[call];
  const std::string_view name = program.functions()[method].name;
  const bool is_operation = program.functions()[method].owner.valid() && name.starts_with("__") &&
                            name.ends_with("__") &&
                            std::find(std::begin(kNamed), std::end(kNamed), name) == std::end(kNamed);
  if (!is_operation || site.node == nullptr) return false;
  // `super().__setattr__(…)`, `C.__str__(x)`: by its name.
  const auto* direct = python::as<python::Call>(site.node);
  if (direct != nullptr && callee_name(*direct) == name) return false;
  bool is_plain = false;
  python::for_each_child(*site.node, [&](const python::Node* child) {
    const auto* expression = python::is_expression(child) ? static_cast<const python::Expr*>(child) : nullptr;
    is_plain = is_plain || (expression != nullptr && is_of_plain_class(program, site.caller, *expression));
  });
  return !is_plain;
}

}  // namespace

std::vector<std::string> related_pointers(const DiveInputs& dive) {
  ScriptCode scripts(*dive.inputs.after);
  Pointers pointers(dive);
  const auto& program = *dive.inputs.after;
  for (std::size_t i = 0; i < dive.story.central.size(); ++i) {
    const Actor& actor = dive.story.actor(i);
    if (!actor.change->after || !actor.change->after->function.valid() || !actor.is_function()) continue;
    const program::FunctionId function = actor.change->after->function;
    const std::string name = code(short_name(dive.inputs, *actor.change));
    std::size_t told = 0;
    for (const program::CallId call : program.callers_of(function)) {
      const program::FunctionId caller = program.calls()[call].caller;
      if (told == 2 || program::is_test_path(program.module_of(caller).path)) continue;
      const program::CallSite& site = program.calls()[call];
      const bool is_sure = std::any_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& one) {
        return one.function == function && one.certainty == program::Certainty::kExact;
      });
      // Which of several functions a script's own code enters, what it loads and makes decides.
      if (!is_sure && !scripts.may_enter(caller, function)) continue;
      const Handing how = handing_of(site, function);
      const BodyStart start = body_start(program, caller, site.node, function);
      const std::string_view verb = how == Handing::kRegisters          ? "registers "
                                    : how == Handing::kHandsOn          ? "hands on "
                                    : start == BodyStart::kAsTask       ? "starts, as a task, "
                                    : start == BodyStart::kWhenIterated ? "makes the async generator "
                                    : is_sure                           ? "calls "
                                                                        : "may call ";
      pointers.add(caller, std::string(verb) + name);
      ++told;
    }
    told = 0;
    for (const program::CallId call : program.functions()[function].calls) {
      // What stands in for attributes that nothing else gives is entered by any of them.
      const auto stands_in = [&](const program::CallTarget& one) {
        return one.function.valid() && program.functions()[one.function].name.starts_with("__getattr");
      };
      const std::vector<program::FunctionId> callees = callees_of(program, program.calls()[call].node);
      for (const program::CallTarget& target : program.calls()[call].targets) {
        // What much else calls, too, says nothing of this function.
        constexpr std::size_t kMuchUsed = 15;
        if (!target.function.valid() || told == 2 || stands_in(target) ||
            program.callers_of(target.function).size() > kMuchUsed ||
            program.functions()[target.function].name == "__post_init__" ||
            target.certainty != program::Certainty::kExact ||
            is_operation_on_open_value(program, call, target.function) ||
            std::find(callees.begin(), callees.end(), target.function) == callees.end())
          continue;
        pointers.add(target.function, "called by " + name);
        ++told;
      }
    }
    for (const program::FunctionId override_function : program.overrides_of(function))
      pointers.add(override_function, "overrides " + name);
    for (const TestReach& reach : dive.story.tests[i]) {
      if (reach.link == TestLink::kPossibly || reach.distance > 2 || told > 3) break;
      if (reach.link == TestLink::kNames) continue;  // leads nowhere that is known
      pointers.add(reach.test, "a test that leads to " + name);
      ++told;
    }
  }
  return pointers.take();
}

std::vector<std::string> looser_pointers(const DiveInputs& dive) {
  constexpr std::size_t kMostOfKind = 3;
  constexpr std::size_t kMostTests = 6;
  Pointers pointers(dive);
  const program::Program& program = *dive.inputs.after;
  std::size_t tests = 0;
  for (std::size_t i = 0; i < dive.story.central.size(); ++i) {
    const Actor& actor = dive.story.actor(i);
    if (!actor.change->after) continue;
    const std::string name = code(short_name(dive.inputs, *actor.change));
    const std::vector<program::ClassId> classes = classes_with(program, *actor.change);
    std::size_t told = 0;
    for (std::size_t k = 1; k < classes.size() && told < kMostOfKind; ++k) {
      if (program::is_test_path(program.module_of(classes[k]).path)) continue;
      told += pointers.add_class(classes[k], (actor.is_function() ? "inherits " : "derives from ") + name) ? 1 : 0;
    }
    told = tests;
    for (const auto& [test, cls] : makers_in_tests(program, classes)) {
      if (tests == std::min(told + kMostOfKind, kMostTests)) break;
      tests += pointers.add(test, fmt::format("makes objects of {}", code(std::string(program.classes()[cls].name)))) ? 1 : 0;
    }
    if (!actor.is_function()) continue;
    for (const TestReach& reach : dive.story.tests[i]) {
      if (tests == std::min(told + kMostOfKind, kMostTests)) break;
      if (reach.link == TestLink::kNames) continue;
      const std::string_view leads =
          reach.link == TestLink::kCalls ? "a test that leads to " : "a test that may lead to ";
      tests += pointers.add(reach.test, std::string(leads) + name) ? 1 : 0;
    }
  }
  if (!pointers.is_empty()) return pointers.take();
  std::set<program::ModuleId> modules;
  std::size_t told = 0;
  for (std::size_t i = 0; i < dive.story.central.size(); ++i) {
    const Actor& actor = dive.story.actor(i);
    if (!actor.change->after) continue;
    const program::ModuleId module = program.find_path(actor.change->after->path);
    if (!module.valid() || !modules.insert(module).second) continue;
    for (const FunctionId function : program.modules()[module].functions) {
      if (pointers.is_changed(function) || program.functions()[function].enclosing.valid()) continue;
      for (const program::CallId id : program.callers_of(function)) {
        const FunctionId caller = outermost(program, program.calls()[id].caller);
        if (told == kMostOfKind || program.functions()[caller].module == module ||
            !program::surely_enters(program.calls()[id], function))
          continue;
        told += pointers.add(caller, fmt::format("calls {}, of a changed file", code(short_name(program, function))))
                    ? 1
                    : 0;
      }
    }
  }
  return pointers.take();
}

}  // namespace lockstep::report
