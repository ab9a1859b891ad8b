#include "report/tests/class_names.h"

#include <algorithm>

#include "program/queries.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::ModuleId;

namespace {

bool is_annotation(const std::vector<const Node*>& around, const Expr& name) {
  return std::any_of(around.begin(), around.end(), [&](const Node* node) {
    const auto* parameter = as<Parameter>(node);
    const auto* function = as<FunctionDef>(node);
    const Expr* annotation = parameter != nullptr  ? parameter->annotation
                             : function != nullptr ? function->returns
                                                   : nullptr;
    return annotation != nullptr && annotation->span.contains(name.span);
  });
}

}  // namespace

std::vector<FunctionId> test_functions_naming(const program::Program& program, program::ClassId cls) {
  const std::string_view wanted = program.classes()[cls].name;
  std::vector<FunctionId> out;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (!program::is_test_path(module.path)) continue;
    for (std::size_t at = module.facts->find_name(wanted); at != std::string_view::npos;
         at = module.facts->find_name(wanted, at + wanted.size())) {
      const auto begin = static_cast<std::uint32_t>(at);
      const FunctionId function = program.function_at(id, begin);
      if (!function.valid() || std::find(out.begin(), out.end(), function) != out.end()) continue;
      const std::vector<const Node*> around = chain_to(module.facts->tree(), {begin, begin + 1});
      const Node* inner = around.empty() ? nullptr : around.back();
      if (inner == nullptr || (!is<Name>(inner) && !is<Attribute>(inner))) continue;
      const auto& named = static_cast<const Expr&>(*inner);
      const program::Reference to = program.resolve(function, named);
      if (to.kind == program::Reference::Kind::kClass && to.cls == cls && !is_annotation(around, named))
        out.push_back(function);
    }
  }
  return out;
}

}  // namespace lockstep::report
