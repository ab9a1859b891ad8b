#include "report/documents/runs/switches.h"

#include <fmt/format.h>

#include <vector>

#include "base/strings.h"
#include "report/document.h"
#include "report/ways/conditions/changed_switches.h"

namespace lockstep::report {

namespace {

/// "`MegatronLocal.launch` (`a.py:110`) or …": what turns an attribute on.
std::string switched_by(const program::Program& program, const Switched& one) {
  std::vector<std::string> all;
  for (const SwitchedOn& on : one.on)
    all.push_back(fmt::format("{} ({})", code(short_name(program, on.function)),
                              place_of(program, program.functions()[on.function].module, on.place)));
  return join_words(all, "or");
}

}  // namespace

std::string switches_text(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMost = 3;
  const program::Program& program = *inputs.after;
  const program::FunctionId function = callable_of(program, *actor.change);
  if (!function.valid() || actor.steps.after_source == nullptr) return {};
  Touched touched = touched_by(actor);
  const SwitchedAttributes attributes(program);
  find_switches(inputs, attributes, function, actor, touched);
  const SourceText& source = source_of(program, function);
  std::vector<std::string> all;
  for (const Switched& one : touched.switches) {
    if (all.size() < kMost)
      all.push_back(fmt::format("{} is {} until {} sets it.", code(one_line_whole(source, *one.read)),
                                code(one.initial.text), switched_by(program, one)));
  }
  for (const Switched& one : touched.branch_switches) {
    if (all.size() < kMost)
      all.push_back(fmt::format("{}, which a new branch in {} asks for, is {} until {} sets it.",
                                code(one_line_whole(source, *one.read)), code(program.functions()[function].name),
                                code(one.initial.text), switched_by(program, one)));
  }
  return join(all, " ");
}

}  // namespace lockstep::report
