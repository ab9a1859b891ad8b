#include "report/source/field_loops.h"

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/held_settings.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;
using program::Reference;

namespace {

bool lists_fields(std::string_view external) {
  return external == "dataclasses.fields" || external == "dataclasses.asdict" || external == "dataclasses.astuple";
}

ClassId class_of(const Program& program, FunctionId function, const Expr& expression) {
  if (!is<Name>(&expression) && !is<Attribute>(&expression)) return {};
  const Reference to = program.resolve(function, expression);
  return to.kind == Reference::Kind::kClass ? to.cls : ClassId();
}

/// What a call is given, by the code around it: a class or an object of one. `is_own`: the class around it, or what
/// derives from that.
struct Given {
  ClassId cls;
  bool is_own = false;
};

Given given_to(const Program& program, FunctionId function, const Expr& argument) {
  if (const ClassId named = class_of(program, function, argument); named.valid()) return {named};
  const auto* name = as<Name>(&argument);
  const auto* def = as<FunctionDef>(program.functions()[function].node);
  if (name == nullptr || def == nullptr) return {};
  const auto& parameters = def->parameters->all;
  const ClassId owner = program.functions()[function].owner;
  if (owner.valid() && !parameters.empty() && parameters.front()->name.text == name->id &&
      (name->id == "self" || name->id == "cls"))
    return {owner, true};
  for (const Parameter* parameter : parameters) {
    if (parameter->name.text == name->id && parameter->annotation != nullptr)
      return {class_of(program, function, *parameter->annotation)};
  }
  return {};
}

/// The name of the attribute of `self` that the statement around the call sets; empty where it sets none.
std::string_view kept_in(const Program& program, FunctionId function, const Call& call) {
  std::string_view out;
  const auto* def = program.functions()[function].def();
  if (def == nullptr || !program.functions()[function].owner.valid()) return out;
  walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
    if (!assign->value->span.contains(call.span) || assign->targets.size() != 1) return;
    if (const std::string_view name = attribute_of_self(*assign->targets.front()); !name.empty()) out = name;
  });
  return out;
}

/// Methods of the class, in its own body, that read `self.<name>`; not `except`.
std::vector<FunctionId> readers_of(const Program& program, FunctionId except, std::string_view name) {
  std::vector<FunctionId> out;
  for (const FunctionId method : program.classes()[program.functions()[except].owner].methods) {
    const FunctionDef* def = program.functions()[method].def();
    if (method == except || def == nullptr) continue;
    bool reads = false;
    walk_of<Attribute>(*def, Nested::kEnter, [&](const Attribute* attribute) {
      reads = reads || (attribute->context == ExprContext::kLoad && attribute_of_self(*attribute) == name);
    });
    if (reads) out.push_back(method);
  }
  return out;
}

}  // namespace

std::vector<std::vector<FieldLoop>> field_loops(const Program& program, std::span<const ClassId> classes) {
  std::vector<std::vector<FieldLoop>> out(classes.size());
  const auto name_of = [&](ClassId cls) { return std::string_view(program.classes()[cls].qualified_name); };
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    const SourceText& source = module.facts->source();
    if (!module.facts->has_name("dataclasses") || program::is_test_path(module.path)) continue;
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
      if (call->arguments.empty()) return;
      const FunctionId function = program.function_at(id, call->span.begin);
      const Reference callee = program.resolve(function, *call->callee);
      if (callee.kind != Reference::Kind::kExternal || !lists_fields(callee.name)) return;
      const Given given = given_to(program, function, *call->arguments.front());
      FieldLoop loop{function, source.line_of(call->span.begin), {}, {}};
      if (given.cls.valid()) loop.kept_in = kept_in(program, function, *call);
      if (!loop.kept_in.empty()) loop.readers = readers_of(program, function, loop.kept_in);
      for (std::size_t one = 0; given.cls.valid() && one < classes.size(); ++one) {
        if (program.derives_from(given.cls, name_of(classes[one])) ||
            (given.is_own && program.derives_from(classes[one], name_of(given.cls))))
          out[one].push_back(loop);
      }
    });
  }
  return out;
}

}  // namespace lockstep::report
