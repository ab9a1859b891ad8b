#include "report/documents/runs/origins.h"

#include <fmt/format.h>

#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/documents/runs/ways.h"
#include "report/story/settings/flag_declarations.h"
#include "report/ways/functions/outside_callers.h"
#include "report/ways/functions/table_look_ups.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

namespace {

std::string place_of_call(const program::Program& program, program::FunctionId caller, const python::Node& call) {
  return place(program.module_of(caller).path, source_of(program, caller).line_of(call.span.begin));
}

/// Where the repository calls what the objects inherit from a library.
std::string inherited_text(const program::Program& program, const ObjectOrigin& origin) {
  std::vector<std::string> calls;
  for (const program::CallId id : origin.inherited) {
    const program::CallSite& site = program.calls()[id];
    const auto* method = python::as<python::Attribute>(static_cast<const python::Call*>(site.node)->callee);
    calls.push_back(fmt::format("{} in {} ({})", code(method->name.text), code(short_name(program, site.caller)),
                                place_of_call(program, site.caller, *site.node)));
  }
  if (calls.empty()) return {};
  return fmt::format(" The repository calls what such an object inherits from {}: {}.",
                     code(library_base(program, origin.method)), join_words(calls));
}

/// Who else makes such objects: "They are made, too, in `build` (`b.py:3`)." Empty where nobody outside tests does.
std::string other_makers_text(const program::Program& program, program::FunctionId constructor,
                              const python::Node& told) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> makers;
  for (const program::CallId id : program.callers_of(constructor)) {
    const program::CallSite& site = program.calls()[id];
    const bool makes = site.node != nullptr && site.node != &told && program::surely_enters(site, constructor) &&
                       site.targets.front().kind == program::CallKind::kConstructor;
    if (!makes || program::is_test_path(program.module_of(site.caller).path)) continue;
    const std::string where = place_of_call(program, site.caller, *site.node);
    const bool is_module = program.functions()[site.caller].kind == program::FunctionKind::kModuleBody;
    makers.push_back(is_module ? where : fmt::format("{} ({})", code(short_name(program, site.caller)), where));
  }
  if (makers.empty()) return {};
  const std::size_t all = makers.size();
  if (all > kMost) makers.resize(kMost - 1);
  if (all > kMost) makers.push_back(fmt::format("{} more", all - makers.size()));
  return fmt::format(" They are made, too, in {}.", join_words(makers));
}

/// " The new branch of `run` (`a.py:3`) is taken with these alone." where one asks `isinstance(x, C)` and nothing else;
/// empty where none does.
std::string branch_text(const DocumentInputs& inputs, const Story& story, program::ClassId cls) {
  for (const Actor& actor : story.actors) {
    const auto& after = actor.change->after;
    if (actor.role == Role::kTest || !actor.is_function() || !after || !after->function.valid()) continue;
    for (const Step& step : actor.steps.after) {
      const auto* branch = step.kind == StepKind::kIf ? python::as<python::If>(step.node) : nullptr;
      const auto* call = branch == nullptr ? nullptr : python::as<python::Call>(branch->condition);
      const bool is_new = step.status == StepStatus::kAdded && !step.is_moved;
      if (!is_new || call == nullptr || rules::name_of(call->callee) != "isinstance" || call->arguments.size() != 2 ||
          inputs.after->resolve(after->function, *call->arguments[1]).cls != cls)
        continue;
      return fmt::format(" The new branch of {} ({}) is taken with such objects alone.",
                         code(short_name(inputs, *actor.change)), place(after->path, step.first_line));
    }
  }
  return {};
}

}  // namespace

std::string origin_text(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  if (index >= story.origins.size() || !story.origins[index].cls.valid()) return {};
  const ObjectOrigin& origin = story.origins[index];
  const program::Program& program = *inputs.after;
  EntryPath to_maker = origin.way;
  const bool has_constructor = program.functions()[to_maker.frames.back().function].owner == origin.made &&
                               to_maker.frames.back().call == nullptr;
  if (has_constructor) to_maker.frames.pop_back();
  const PathFrame& maker = to_maker.frames.back();
  if (maker.call == nullptr) return {};
  std::string out = fmt::format("Objects of {} are made ", code(short_name(program, origin.cls)));
  if (origin.made != origin.cls)
    out = fmt::format("Objects of {}, which inherits it, are made ", code(short_name(program, origin.made)));
  const std::string way = path_text(inputs, to_maker);
  out += fmt::format("at {}{}", place_of_call(program, maker.function, *maker.call),
                     way.empty() ? std::string(".") : fmt::format(", on this way: {}.", way));
  const std::string conditions = path_conditions(inputs, origin.way);
  if (!conditions.empty()) out += " " + conditions;
  if (has_constructor) out += other_makers_text(program, origin.way.frames.back().function, *maker.call);
  return out + branch_text(inputs, story, origin.cls) + inherited_text(program, origin);
}

std::string look_up_text(const program::Program& program, const EntryPath& path) {
  constexpr std::size_t kNear = 4;
  for (std::size_t i = path.frames.size(); i-- > 0 && i + kNear > path.frames.size();) {
    const auto found = table_look_up(program, path.frames, i);
    if (!found) continue;
    const program::FunctionId entered = path.frames[i + 1].function;
    const program::ClassId cls = program.functions()[entered].owner;
    const std::string name = code(cls.valid() ? short_name(program, cls) : short_name(program, entered));
    std::string out = fmt::format("{} holds {} under {} ({}); {} takes what stands under {} ({})", found->table, name,
                                  found->key, found->key_place, code(short_name(program, path.frames[i].function)),
                                  found->asked, found->asked_place);
    if (found->given.empty() || found->given == found->asked) return out + ".";
    Flag setting;
    setting.name = found->setting;
    FlagDeclarations(program).declare(setting);
    return fmt::format("{}, which is set from {} ({}{}).", out, found->given,
                       setting.argument.empty() ? "" : fmt::format("argument {}, ", code(setting.argument)),
                       found->given_place);
  }
  return {};
}

}  // namespace lockstep::report
