#include "rules/calls/promises.h"

#include <algorithm>

#include "base/strings.h"
#include "python/facts.h"
#include "rules/calls/signatures.h"

namespace lockstep::rules {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// The first statement behind the docstring; null where there is none.
const Stmt* first_statement(const FunctionDef& def) {
  const std::size_t first = docstring_of(def.body) == nullptr ? 0 : 1;
  return first < def.body.size() ? def.body[first] : nullptr;
}

}  // namespace

bool is_abstract(const FunctionDef& function) {
  return std::any_of(function.decorators.begin(), function.decorators.end(), [](const Expr* one) {
    const std::string_view name = last_part_of(one);
    return name == "abstractmethod" || name == "abstractproperty" || name == "abstractclassmethod" ||
           name == "abstractstaticmethod";
  });
}

bool is_only_promised(const Program& program, FunctionId method) {
  const FunctionDef* def = program.functions()[method].def();
  return def != nullptr && (is_abstract(*def) || is<Raise>(first_statement(*def)));
}

bool is_without_body(const Program& program, FunctionId method) {
  const FunctionDef* def = program.functions()[method].def();
  if (def == nullptr || is_only_promised(program, method)) return true;
  const Stmt* first = first_statement(*def);
  const auto* only = as<ExprStmt>(first);
  return first == nullptr || is<Pass>(first) || (only != nullptr && is<Constant>(only->value));
}

}  // namespace lockstep::rules
