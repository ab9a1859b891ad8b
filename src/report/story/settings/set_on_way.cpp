#include "report/story/settings/set_on_way.h"

#include <fmt/format.h>

#include <algorithm>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/givings.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// Whether an object is known to be of a class that is neither above nor below the one that declares the setting.
bool is_of_another(const Program& program, FunctionId function, const Expr& object, const Flag& flag) {
  const program::ClassId owner = program.find_class(flag.owner);
  const auto is_among = [&](program::ClassId cls, program::ClassId other) {
    const auto& order = program.classes()[cls].linearized;
    return std::find(order.begin(), order.end(), other) != order.end();
  };
  const auto held = program.instance_classes(function, object);
  return !owner.valid() || std::any_of(held.begin(), held.end(), [&](program::ClassId cls) {
    return !is_among(cls, owner) && !is_among(owner, cls);
  });
}

}  // namespace

std::string set_on_way(const Program& program, const EntryPath& path, const Flag& flag) {
  constexpr std::size_t kWidth = 90;
  if (flag.owner.empty() || (flag.default_value != "None" && flag.default_value != "False")) return {};
  std::string out;
  for (const PathFrame& frame : path.frames) {
    if (frame.call == nullptr) continue;
    const FunctionDef* def = program.functions()[frame.function].def();
    if (def == nullptr) continue;
    const program::Module& module = program.module_of(frame.function);
    if (!module.facts->has_name(flag.name)) continue;
    const SourceText& source = module.facts->source();
    walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
      const auto* target = assign->targets.size() == 1 ? as<Attribute>(assign->targets[0]) : nullptr;
      const bool is_it = target != nullptr && target->name.text == flag.name && !config_attribute(*target).empty();
      if (!is_it || assign->span.end > frame.call->span.begin) return;
      if (value_of(assign->value).kind != Value::Kind::kUnknown || hands_on(*assign->value, flag.name, false)) return;
      // What it stands under, the way stands under, too.
      const std::vector<Guard> guards = guards_of(*def, assign->span);
      const auto holds = [&](const Guard& one) {
        return std::any_of(frame.guards.begin(), frame.guards.end(), [&](const Guard& each) {
          return each.statement == one.statement && each.condition == one.condition && each.negated == one.negated;
        });
      };
      if (!std::all_of(guards.begin(), guards.end(), holds)) return;
      if (is_of_another(program, frame.function, *target->value, flag)) return;
      out = fmt::format("On the way told here, {} ({}) sets it to {} before", code(short_name(program, frame.function)),
                        place(module.path, source.line_of(assign->span.begin)),
                        code(one_line(source, *assign->value, kWidth)));
    });
  }
  return out;
}

}  // namespace lockstep::report
