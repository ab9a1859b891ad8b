#include "rules/calls/receivers.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::CallSite;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using program::Reference;

/// A call of a class of the repository makes one of it; what else there is, nobody knows.
ReceiverKind made_by(const Program& program, FunctionId function, const Expr* value) {
  const auto* call = as<Call>(value);
  if (call == nullptr) return ReceiverKind::kUnknown;
  if (program.resolve(function, *call->callee).kind == Reference::Kind::kClass) return ReceiverKind::kSure;
  const program::CallId id = program.call_of(call);
  if (!id.valid()) return ReceiverKind::kUnknown;
  const auto& targets = program.calls()[id].targets;
  const bool inside = !targets.empty() && std::all_of(targets.begin(), targets.end(), [](const auto& target) {
    return target.function.valid() && target.certainty != program::Certainty::kByName;
  });
  return inside ? ReceiverKind::kLikely : ReceiverKind::kUnknown;
}

/// `self.name = …` in the class and what it is derived from.
ReceiverKind attribute_of_self(const Program& program, ClassId cls, std::string_view name) {
  ReceiverKind worst = ReceiverKind::kSure;
  bool found = false;
  for (const ClassId each : program.classes()[cls].linearized) {
    for (const FunctionId method : program.classes()[each].methods) {
      const FunctionDef* def = program.functions()[method].def();
      if (def == nullptr) continue;
      walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* assign) {
        for (const Expr* target : assign->targets) {
          const auto* attribute = as<Attribute>(target);
          const auto* base = attribute == nullptr ? nullptr : as<Name>(attribute->value);
          if (base == nullptr || base->id != "self" || attribute->name.text != name) continue;
          const auto* none = as<Constant>(assign->value);
          if (none != nullptr && none->constant_kind == ConstantKind::kNone) continue;
          found = true;
          worst = std::max(worst, made_by(program, method, assign->value));
        }
      });
    }
  }
  return found ? worst : ReceiverKind::kUnknown;
}

/// A name of the function: every assignment to it, or the annotation of the parameter.
ReceiverKind local_name(const Program& program, FunctionId function, std::string_view name) {
  const FunctionDef* def = program.functions()[function].def();
  if (def == nullptr) return ReceiverKind::kLikely;
  ReceiverKind worst = ReceiverKind::kSure;
  bool found = false;
  for (const Parameter* parameter : def->parameters->all) {
    if (parameter->name.text != name) continue;
    found = true;
    worst = ReceiverKind::kLikely;
  }
  walk(*def, Nested::kSkip, [&](const Node* node) {
    const auto* assign = as<Assign>(node);
    if (assign == nullptr) return;
    for (const Expr* target : assign->targets) {
      const auto* stored = as<Name>(target);
      if (stored == nullptr || stored->id != name) continue;
      found = true;
      worst = std::max(worst, std::min(made_by(program, function, assign->value), ReceiverKind::kLikely));
      if (made_by(program, function, assign->value) == ReceiverKind::kUnknown) worst = ReceiverKind::kUnknown;
    }
  });
  return found ? worst : ReceiverKind::kLikely;
}

ReceiverKind object_of(const Program& program, const CallSite& site, const Expr& object) {
  const Reference named = program.resolve(site.caller, object);
  if (named.kind == Reference::Kind::kModule || named.kind == Reference::Kind::kClass ||
      named.kind == Reference::Kind::kFunction)
    return ReceiverKind::kSure;
  if (const auto* name = as<Name>(&object)) {
    if (name->id == "self" || name->id == "cls") return ReceiverKind::kSure;
    return local_name(program, site.caller, name->id);
  }
  if (const auto* attribute = as<Attribute>(&object)) {
    const auto* base = as<Name>(attribute->value);
    FunctionId method = site.caller;
    while (method.valid() && !program.functions()[method].owner.valid()) method = program.functions()[method].enclosing;
    if (base == nullptr || base->id != "self" || !method.valid()) return ReceiverKind::kLikely;
    return attribute_of_self(program, program.functions()[method].owner, attribute->name.text);
  }
  if (const auto* call = as<Call>(&object)) {
    return last_part_of(call) == "super" ? ReceiverKind::kSure : made_by(program, site.caller, call);
  }
  return ReceiverKind::kLikely;
}

}  // namespace

ReceiverKind receiver_of(const Program& program, const CallSite& site, const Call& call) {
  const Reference named = program.resolve(site.caller, *call.callee);
  if (named.kind == Reference::Kind::kClass || named.kind == Reference::Kind::kFunction) return ReceiverKind::kSure;
  const bool is_module_call = std::any_of(site.targets.begin(), site.targets.end(), [](const auto& target) {
    return target.kind == program::CallKind::kModuleCall;
  });
  if (is_module_call) return object_of(program, site, *call.callee);
  const auto* attribute = as<Attribute>(call.callee);
  return attribute != nullptr ? object_of(program, site, *attribute->value) : ReceiverKind::kLikely;
}

bool may_import(const Program& program, ModuleId from, ModuleId to) {
  const program::Module& target = program.modules()[to];
  std::string_view path = target.path;
  // The path without as many parts as the name has: where the name begins.
  auto parts = static_cast<std::size_t>(std::count(target.name.begin(), target.name.end(), '.')) + 1;
  if (target.is_package && path.find('/') != std::string_view::npos) ++parts;
  for (; parts > 0; --parts) {
    const auto slash = path.rfind('/');
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
  }
  if (path.empty() || program.modules()[from].path.starts_with(std::string(path) + "/")) return true;
  const std::string_view last = split(path, '/').back();
  return last == "src" || last == "lib" || last == "python";
}

}  // namespace lockstep::rules
