#include "report/story/classes/overridden.h"

#include <fmt/format.h>

#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

program::FunctionId inherited_before(const DocumentInputs& inputs, const change::EntityChange& entity) {
  if (entity.status != change::Status::kAdded || !entity.after || !entity.after->function.valid()) return {};
  const program::Function& method = inputs.after->functions()[entity.after->function];
  if (!method.owner.valid() || method.enclosing.valid()) return {};
  const program::ClassId cls = inputs.before->find_class(inputs.after->classes()[method.owner].qualified_name);
  return cls.valid() ? inputs.before->find_method(cls, method.name) : program::FunctionId();
}

std::string inherited_words(const DocumentInputs& inputs, const change::EntityChange& entity) {
  const program::FunctionId old = inherited_before(inputs, entity);
  if (!old.valid()) return {};
  const std::string& name = inputs.before->functions()[old].qualified_name;
  const program::FunctionId still = inputs.after->find_function(name);
  const program::Program& program = still.valid() ? *inputs.after : *inputs.before;
  const program::FunctionId function = still.valid() ? still : old;
  return fmt::format(", in place of the inherited {} ({})", code(short_name(program, function)),
                     place_of(program, program.functions()[function].module, program.functions()[function].node->span));
}

}  // namespace lockstep::report
