#include "report/story/classes/protocols.h"

#include <algorithm>
#include <string>

#include "python/tree.h"

namespace lockstep::report {

using namespace python;

namespace {

bool derives_from_protocol(const program::Class& cls) {
  return std::any_of(cls.external_bases.begin(), cls.external_bases.end(), [](const std::string& base) {
    return base == "typing.Protocol" || base == "typing_extensions.Protocol";
  });
}

/// `...`, `pass` and docstrings.
bool does_nothing(const FunctionDef& function) {
  return std::all_of(function.body.begin(), function.body.end(), [](const Stmt* statement) {
    const auto* expression = as<ExprStmt>(statement);
    return is<Pass>(statement) || (expression != nullptr && is<Constant>(expression->value));
  });
}

}  // namespace

bool is_of_protocol(const program::Program& program, const change::EntitySide& side) {
  if (side.function.valid()) {
    const program::Function& function = program.functions()[side.function];
    return function.owner.valid() && function.def() != nullptr && does_nothing(*function.def()) &&
           derives_from_protocol(program.classes()[function.owner]);
  }
  return side.cls.valid() && is<ClassDef>(side.node) && derives_from_protocol(program.classes()[side.cls]);
}

}  // namespace lockstep::report
