#include "writer/author/attribute_setters.h"

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "program/shared_objects.h"
#include "python/tree_walk.h"

namespace lockstep::writer {

using program::ClassId;
using program::FunctionId;

std::vector<ClassId> AttributeSetters::classes_of(FunctionId function, const python::Expr& object) const {
  const auto* name = python::as<python::Name>(&object);
  if (name == nullptr || name->id != "self") return program_.instance_classes(function, object);
  // A function within a method speaks of the method's object.
  while (function.valid() && !program_.functions()[function].owner.valid())
    function = program_.functions()[function].enclosing;
  return function.valid() ? std::vector<ClassId>{program_.functions()[function].owner} : std::vector<ClassId>();
}

std::vector<Setter> AttributeSetters::of(std::string_view name) const {
  std::vector<Setter> setters;
  for (std::size_t i = 0; i < program_.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program_.modules()[id];
    if (program::is_test_path(module.path) || program::is_helper_path(module.path) || !module.facts->has_name(name))
      continue;
    const SourceText& source = module.facts->source();
    python::walk_of<python::Attribute>(
        module.facts->tree(), python::Nested::kEnter, [&](const python::Attribute* attribute) {
          if (attribute->name.text != name || attribute->context != python::ExprContext::kStore) return;
          const FunctionId function = program_.function_at(id, attribute->span.begin);
          const std::uint32_t line = source.line_of(attribute->span.begin);
          setters.push_back({function, line, trim(source.line(line)), classes_of(function, *attribute->value)});
        });
  }
  return setters;
}

bool AttributeSetters::may_be_of(const Setter& setter, const std::vector<ClassId>& owners) const {
  return setter.classes.empty() || owners.empty() ||
         std::any_of(setter.classes.begin(), setter.classes.end(), [&](ClassId a) {
           return std::any_of(owners.begin(), owners.end(),
                              [&](ClassId b) { return program::may_share_objects(program_, a, b); });
         });
}

}  // namespace lockstep::writer
