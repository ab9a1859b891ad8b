#include "report/documents/compatibility/removed_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/attribute_stores.h"
#include "report/source/class_members.h"
#include "report/source/code.h"
#include "rules/names/attributes_of_class.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::Program;

namespace {

struct Gone {
  ClassId cls;  ///< On the after side.
  std::string_view name;
};

/// The class that a method of the change is of, on the after side; none where it is gone.
ClassId class_now(const DocumentInputs& inputs, const change::EntityChange& method) {
  if (method.after && method.after->function.valid()) return class_of_self(*inputs.after, method.after->function);
  const ClassId was = class_of_self(*inputs.before, method.before->function);
  return was.valid() ? inputs.after->find_class(inputs.before->classes()[was].qualified_name) : ClassId();
}

/// Whether the class writes the name as a text, or sets attributes by names that it works out.
bool may_name_it(const Program& program, ClassId cls, std::string_view name) {
  bool found = false;
  walk(*program.classes()[cls].node, Nested::kEnter, [&](const Node* node) {
    found = found || (is_expression(node) && rules::text_of(static_cast<const Expr*>(node)) == name);
    const auto* member = as<Attribute>(node);
    found = found || (member != nullptr && member->name.text == "__dict__");
    const auto* call = as<Call>(node);
    const bool sets = call != nullptr && call->arguments.size() > 1 && rules::name_of(call->callee) == "setattr";
    found = found || (sets && rules::text_of(call->arguments[1]).empty());
  });
  return found;
}

/// Whether a class outside the repository from which `cls` derives may bring the name.
bool may_come_from_library(const Program& program, ClassId cls, std::string_view name) {
  static constexpr std::string_view kBare[] = {"ABC", "abc.ABC", "object", "typing.Generic", "Generic"};
  const auto& ancestors = program.classes()[cls].external_ancestors;
  return std::any_of(ancestors.begin(), ancestors.end(), [&](const std::string& one) {
    if (one == "torch.nn.Module") return rules::is_member_of_nn_module(name);
    return std::find(std::begin(kBare), std::end(kBare), one) == std::end(kBare);
  });
}

/// Whether anything may still give objects of the class, of a class above it or below it, the attribute.
bool may_have(const Program& program, ClassId cls, std::string_view name) {
  if (may_come_from_library(program, cls, name) || program.find_method(cls, "__getattr__").valid() ||
      program.find_method(cls, "__getattribute__").valid())
    return true;
  std::set<ClassId> family(program.classes()[cls].linearized.begin(), program.classes()[cls].linearized.end());
  for (const ClassId below : program::with_descendants(program, cls)) family.insert(below);
  for (const ClassId one : family) {
    if (has_own_member(program, one, name) || may_name_it(program, one, name)) return true;
  }
  for (const AttributeStore& store : stores_of(program, name)) {
    if (store.is_off_self) {
      if (program::are_kin(program, cls, store.cls)) return true;
      continue;
    }
    const std::vector<ClassId> classes = program.instance_classes(store.function, *store.object);
    const bool is_of_others = !classes.empty() && std::none_of(classes.begin(), classes.end(), [&](ClassId each) {
      return program::are_kin(program, cls, each);
    });
    if (!is_of_others) return true;
  }
  return false;
}

/// The public attributes of `self` that steps of changed and removed methods set, which nothing sets now.
std::vector<Gone> gone_attributes(const DocumentInputs& inputs, const Story& story) {
  std::vector<Gone> out;
  std::set<std::pair<ClassId, std::string_view>> known;
  for (const Actor& actor : story.actors) {
    const auto& entity = *actor.change;
    if (actor.role == Role::kTest || !actor.is_function() || !entity.before || !entity.before->function.valid())
      continue;
    const ClassId was = class_of_self(*inputs.before, entity.before->function);
    const ClassId cls = was.valid() ? class_now(inputs, entity) : ClassId();
    if (!cls.valid() || !is_public_class(*inputs.before, was) ||
        program::is_helper_path(inputs.before->module_of(was).path))
      continue;
    for (const Step& step : actor.steps.before) {
      if (step.status == StepStatus::kKept || step.node == nullptr) continue;
      walk_of<Attribute>(*step.node, Nested::kSkip, [&](const Attribute* one) {
        if (one->context != ExprContext::kStore || rules::name_of(one->value) != "self" ||
            !step.span.contains(one->span) || one->name.text.starts_with("_") ||
            !known.insert({cls, one->name.text}).second)
          return;
        const program::Field* field = inputs.before->find_field(was, one->name.text);
        // What a class declares in its body is an entity of its own.
        if (field == nullptr || field->in_class_body || inputs.before->find_method(was, one->name.text).valid()) return;
        if (!may_have(*inputs.after, cls, one->name.text)) out.push_back({cls, one->name.text});
      });
    }
  }
  return out;
}

/// Whether some class or function of the after side has this name for something of its own.
bool is_shared(const Program& program, std::string_view name) {
  const auto is_named = [&](const auto& one) { return one.name == name; };
  return std::any_of(program.functions().begin(), program.functions().end(), is_named) ||
         std::any_of(program.classes().begin(), program.classes().end(), [&](const program::Class& cls) {
           return std::any_of(cls.fields.begin(), cls.fields.end(), is_named);
         });
}

/// Places outside tests that read the attribute: off an object of a class that is kin, or off one of unknown class
/// where nothing else has the name.
std::vector<std::string> readers_of(const Program& program, const Gone& gone) {
  constexpr std::size_t kMost = 3;
  const bool may_be_others = is_shared(program, gone.name);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < program.modules().size() && out.size() < kMost; ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path) || !module.facts->has_name(gone.name)) continue;
    walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* one) {
      if (one->context != ExprContext::kLoad || one->name.text != gone.name || out.size() == kMost) return;
      const program::FunctionId holder = program.function_at(id, one->span.begin);
      const program::FunctionId reader = holder.valid() ? holder : module.body;
      const ClassId own = rules::name_of(one->value) == "self" ? class_of_self(program, reader) : ClassId();
      std::vector<ClassId> classes =
          own.valid() ? std::vector<ClassId>{own} : program.instance_classes(reader, *one->value);
      const bool is_it = std::any_of(classes.begin(), classes.end(),
                                     [&](ClassId each) { return program::are_kin(program, gone.cls, each); });
      if (!is_it && (!classes.empty() || may_be_others)) return;
      std::string where = place(module.path, module.facts->source().line_of(one->name.span.begin));
      if (out.empty() || out.back() != where) out.push_back(std::move(where));
    });
  }
  return out;
}

}  // namespace

void add_removed_attributes(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 4;
  const std::vector<Gone> gone = gone_attributes(inputs, story);
  if (gone.empty()) return;
  std::vector<std::string> names;
  std::vector<std::string> read;
  for (const Gone& one : gone) {
    if (names.size() == kMost && gone.size() > kMost + 1) {
      names.push_back(fmt::format("{} more", gone.size() - kMost));
      break;
    }
    names.push_back(code(fmt::format("{}.{}", short_name(*inputs.after, one.cls), one.name)));
    if (const std::vector<std::string> places = readers_of(*inputs.after, one); !places.empty())
      read.push_back(fmt::format("{} at {}", code(one.name), join_words(places)));
  }
  const bool is_one = gone.size() == 1;
  std::string status =
      fmt::format("Code outside the repository that reads {} off such an object breaks", is_one ? "it" : "them");
  if (!read.empty()) status += fmt::format(". Code inside still reads {}", join_words(read));
  risks.push_back(
      {RiskKind::kCompatibility,
       fmt::format("Nothing sets the public {} {} any more.", is_one ? "attribute" : "attributes", join_words(names)),
       std::move(status), false});
}

}  // namespace lockstep::report
