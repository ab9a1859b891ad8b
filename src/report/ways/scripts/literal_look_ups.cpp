#include "report/ways/scripts/literal_look_ups.h"

#include <set>
#include <string_view>

#include "change/names.h"
#include "python/tree_walk.h"
#include "report/ways/scripts/experiments.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

bool is_of_another_experiment(const program::Program& program, program::ModuleId script,
                              program::FunctionId looked_up) {
  const std::string_view own = experiment_of(program.modules()[script].path);
  return !own.empty() && own != experiment_of(program.module_of(looked_up).path);
}

bool looks_up_another(const program::Program& program, program::ModuleId script, program::FunctionId looked_up) {
  std::set<std::string_view> texts;
  python::walk_of<python::Constant>(program.modules()[script].facts->tree(), python::Nested::kEnter,
                                    [&](const python::Constant* one) {
                                      if (const std::string_view text = rules::text_of(one); text.size() > 3)
                                        texts.insert(text);
                                    });
  const program::Function& wanted = program.functions()[looked_up];
  if (texts.empty() || texts.contains(wanted.name)) return false;
  const auto last_of = [&](program::ModuleId module) { return change::last_part(program.modules()[module].name); };
  for (const program::Function& one : program.functions()) {
    if (one.kind == program::FunctionKind::kFunction && !one.owner.valid() && !one.enclosing.valid() &&
        texts.contains(one.name) && one.module != script && last_of(one.module) == last_of(wanted.module))
      return true;
  }
  return false;
}

}  // namespace lockstep::report
