#include "report/source/held_settings.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/defaults.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

std::string_view attribute_of_self(const Node& node) {
  if (const Call* asked = attribute_asked_for(node))
    return rules::name_of(asked->arguments[0]) == "self" ? rules::text_of(asked->arguments[1]) : std::string_view();
  const auto* attribute = as<Attribute>(&node);
  return attribute == nullptr ? std::string_view() : rules::self_attribute(attribute);
}

std::size_t times_set(const program::Class& cls, std::string_view name) {
  std::size_t count = 0;
  walk_of<Attribute>(*cls.node, Nested::kEnter, [&](const Attribute* one) {
    if (one->context != ExprContext::kLoad && rules::self_attribute(one) == name) ++count;
  });
  return count;
}

ClassId declaring_class(const Program& program, ClassId cls, std::string_view field) {
  for (const ClassId one : program.classes()[cls].linearized) {
    const auto& fields = program.classes()[one].fields;
    if (std::any_of(fields.begin(), fields.end(),
                    [&](const program::Field& each) { return each.in_class_body && each.name == field; }))
      return one;
  }
  return {};
}

namespace {

/// The class that a parameter is annotated with; none where it is not.
ClassId annotated_class(const Program& program, FunctionId function, std::string_view parameter) {
  const FunctionDef* def = function.valid() ? program.functions()[function].def() : nullptr;
  const Parameter* config = def == nullptr ? nullptr : rules::parameter_named(def, parameter);
  if (config == nullptr || config->annotation == nullptr) return {};
  // A class inside the one whose method it is.
  const ClassId owner = program.functions()[function].owner;
  const std::string_view nested = rules::name_of(config->annotation);
  if (!nested.empty() && owner.valid()) {
    for (const ClassId one : program.module_of(owner).classes) {
      if (program.classes()[one].owner == owner && program.classes()[one].name == nested) return one;
    }
  }
  return program.resolve(function, *config->annotation).cls;
}

/// The class of what a class keeps in the attribute, where one statement of its constructor sets it to a parameter that
/// says so: `self.ddp_config = ddp_config`; none for others.
ClassId kept_class(const Program& program, ClassId owner, std::string_view attribute) {
  for (const ClassId one : program.classes()[owner].linearized) {
    const std::size_t times = times_set(program.classes()[one], attribute);
    const FunctionId maker = times == 1 ? program.find_method(one, "__init__") : FunctionId();
    if (times == 0) continue;
    if (!maker.valid() || program.functions()[maker].owner != one) return {};
    std::string_view given;
    walk_of<Assign>(*program.functions()[maker].node, Nested::kSkip, [&](const Assign* assign) {
      const auto* target = assign->targets.size() == 1 ? as<Attribute>(assign->targets.front()) : nullptr;
      if (target != nullptr && rules::self_attribute(target) == attribute) given = rules::name_of(assign->value);
    });
    return given.empty() ? ClassId() : annotated_class(program, maker, given);
  }
  return {};
}

}  // namespace

ClassId class_declaring(const Program& program, FunctionId function, const Expr& read, std::string_view name) {
  const auto* attribute = as<Attribute>(&read);
  if (attribute == nullptr || !function.valid()) return {};
  const auto* held = as<Attribute>(attribute->value);
  const std::string_view of_self = held == nullptr ? std::string_view() : rules::self_attribute(held);
  const ClassId owner = program.functions()[function].owner;
  ClassId cls;
  if (of_self.empty()) {
    cls = annotated_class(program, function, rules::name_of(attribute->value));
  } else if (owner.valid()) {
    cls = kept_class(program, owner, of_self);
  }
  return cls.valid() ? declaring_class(program, cls, name) : ClassId();
}

namespace {

/// The class among those that the annotation names, or above them, that declares the field in its body.
ClassId declared_through(const Program& program, ClassId annotated, const Expr& annotation, std::string_view field) {
  const program::Module& module = program.modules()[program.classes()[annotated].module];
  ClassId out;
  const auto look = [&](const Expr* part) {
    if (out.valid() || (!is<Name>(part) && !is<Attribute>(part))) return;
    const ClassId cls = program.resolve(module.body, *part).cls;
    if (cls.valid()) out = declaring_class(program, cls, field);
  };
  look(&annotation);
  walk_expressions(annotation, Nested::kEnter, look);
  return out;
}

}  // namespace

HeldSetting setting_of_part(const Program& program, const Node& node) {
  const auto* read = as<Attribute>(&node);
  const auto* part = read == nullptr ? nullptr : as<Attribute>(read->value);
  const std::string_view part_name = part == nullptr ? std::string_view() : config_attribute(*part);
  if (part_name.empty()) return {};
  HeldSetting out;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const ClassId holder(i);
    if (!Defaults::declares(program.classes()[holder])) continue;
    for (const program::Field& field : program.classes()[holder].fields) {
      if (!field.in_class_body || field.name != part_name || field.annotation == nullptr) continue;
      const ClassId declaring = declared_through(program, holder, *field.annotation, read->name.text);
      if (!declaring.valid()) continue;
      out.declared_by = out.name.empty() || out.declared_by == declaring ? declaring : ClassId();
      out.name = read->name.text;
    }
  }
  return out;
}

namespace {

/// Whether the class that assigns an attribute, those above it and those below it set it in one place only.
bool is_set_once(const Program& program, ClassId assigning, std::string_view name) {
  if (times_set(program.classes()[assigning], name) != 1) return false;
  std::set<ClassId> related;
  for (const ClassId one : program::with_descendants(program, assigning)) {
    if (program::is_test_path(program.modules()[program.classes()[one].module].path)) continue;
    const auto& above = program.classes()[one].linearized;
    related.insert(above.begin(), above.end());
  }
  related.erase(assigning);
  return std::none_of(related.begin(), related.end(), [&](ClassId id) {
    const program::Class& one = program.classes()[id];
    const std::string_view text = program.modules()[one.module].facts->source().slice(one.node->span);
    return contains(text, name) && times_set(one, name) > 0;
  });
}

HeldSetting held_in(const Program& program, const program::Field& field) {
  if (field.default_value == nullptr || field.in_class_body || !field.assigned_in.valid()) return {};
  HeldSetting out;
  out.name = config_attribute(*field.default_value);
  if (out.name.empty()) return {};
  const program::Function& assigning = program.functions()[field.assigned_in];
  out.declared_by = class_declaring(program, field.assigned_in, *field.default_value, out.name);
  out.stays =
      assigning.name == "__init__" && assigning.owner.valid() && is_set_once(program, assigning.owner, field.name);
  return out;
}

}  // namespace

HeldSetting setting_held_by(const Program& program, ClassId cls, const Node& node) {
  const std::string_view name = cls.valid() ? attribute_of_self(node) : std::string_view();
  if (name.empty()) return {};
  const program::Field* field = program.find_field(cls, name);
  if (field != nullptr && (field->default_value != nullptr || field->assigned_in.valid()))
    return held_in(program, *field);
  // Only declared, or not even that.
  HeldSetting held;
  std::vector<ClassId> below(program.subclasses_of(cls).begin(), program.subclasses_of(cls).end());
  for (std::size_t i = 0; i < below.size(); ++i) {
    const program::Class& heir = program.classes()[below[i]];
    if (std::find(below.begin(), below.begin() + static_cast<std::ptrdiff_t>(i), below[i]) !=
            below.begin() + static_cast<std::ptrdiff_t>(i) ||
        program::is_test_path(program.modules()[heir.module].path))
      continue;
    const auto own = std::find_if(heir.fields.begin(), heir.fields.end(), [&](const program::Field& one) {
      return one.name == name && one.default_value != nullptr;
    });
    if (own == heir.fields.end()) {
      const auto next = program.subclasses_of(below[i]);
      below.insert(below.end(), next.begin(), next.end());
      continue;
    }
    const HeldSetting one = held_in(program, *own);
    if (one.name.empty() || (!held.name.empty() && one.name != held.name)) return {};
    const bool is_first = held.name.empty();
    held.declared_by = is_first || held.declared_by == one.declared_by ? one.declared_by : ClassId();
    held.stays = one.stays && (is_first || held.stays);
    held.name = one.name;
  }
  return held;
}

}  // namespace lockstep::report
