#include "rules/used_names.h"

#include "python/tree_walk.h"

namespace lockstep::rules {

using namespace python;

UsedNames::UsedNames(const program::Program& program) {
  for (const program::Module& module : program.modules()) {
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node)) {
        (attribute->context == ExprContext::kLoad ? read_ : written_).insert(attribute->name.text);
      } else if (const auto* text = as<Constant>(node)) {
        if (text->constant_kind == ConstantKind::kStr && text->text.size() < 80) texts_.insert(text->text);
      } else if (const auto* keyword = as<Keyword>(node)) {
        keywords_.insert(keyword->name.text);
      } else if (const auto* parameter = as<Parameter>(node)) {
        parameters_.insert(parameter->name.text);
      }
    });
  }
}

}  // namespace lockstep::rules
