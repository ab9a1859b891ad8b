#include "program/flow/lower.h"

#include <algorithm>

#include "program/definitions.h"
#include "program/flow/lowering.h"
#include "python/tree_walk.h"

namespace lockstep::program::flow {
namespace {

using python::ScopeId;
using python::ScopeKind;

/// Functions with more ops than this are not told apart by caller: copying them would cost more than it tells.
/// Measured on Megatron-LM, where build_module has 69 ops and decorators have 20 to 120.
constexpr std::uint32_t kMaxClosureOps = 160;
constexpr std::uint32_t kMaxPassingOps = 80;
constexpr std::uint32_t kMaxMethodOps = 40;
constexpr std::uint32_t kMaxTestedOps = 60;

MethodKind method_kind(const Function& function) {
  const python::FunctionDef* def = function.def();
  if (!function.owner.valid() || def == nullptr) return MethodKind::kPlain;
  if (has_decorator(def->decorators, "staticmethod")) return MethodKind::kStatic;
  const bool is_class_method = has_decorator(def->decorators, "classmethod") || function.name == "__new__" ||
                               function.name == "__init_subclass__" || function.name == "__class_getitem__";
  return is_class_method ? MethodKind::kClass : MethodKind::kInstance;
}

}  // namespace

ModuleCode lower(const Program& program, ModuleId module) {
  ModuleCode code;
  Lowering(program, module, code).run();
  return code;
}

void Lowering::run() {
  nothing_ = new_slot();
  lower_module();
}

NameId Lowering::name_id(std::string_view text) {
  const std::uint32_t hash = NameIndex::hash_of(text);
  if (const NameId known = name_ids_.find(code_.names, text, hash); known != kNone) return known;
  code_.names.push_back(text);
  code_.name_hashes.push_back(hash);
  const auto id = static_cast<NameId>(code_.names.size() - 1);
  name_ids_.add(id, hash);
  return id;
}

std::uint32_t Lowering::new_object(ContainerKind kind) {
  code_.objects.push_back(kind);
  return static_cast<std::uint32_t>(code_.objects.size() - 1);
}

Op& Lowering::emit(OpCode op, const python::Node* node) {
  code_.nodes.push_back(node);
  Op& added = code_.ops.emplace_back();
  added.code = op;
  return added;
}

Slot Lowering::emit_value(OpCode op, const python::Node* node, std::uint32_t a, NameId name) {
  const Slot dst = new_slot();
  Op& added = emit(op, node);
  added.dst = dst;
  added.a = a;
  added.name = name;
  return dst;
}

void Lowering::copy(Slot from, Slot to, const python::Node* node) {
  if (from == 0 || from == nothing_ || to == 0 || from == to) return;
  Op& op = emit(OpCode::kCopy, node);
  op.dst = to;
  op.a = from;
}

void Lowering::set_arguments(Op& op, std::span<const Argument> arguments) {
  op.first_argument = static_cast<std::uint32_t>(code_.arguments.size());
  op.argument_count = static_cast<std::uint16_t>(std::min<std::size_t>(arguments.size(), 0xffff));
  code_.arguments.insert(code_.arguments.end(), arguments.begin(), arguments.begin() + op.argument_count);
}

LexicalScope* Lowering::open_scope(ScopeKind kind, ScopeId id, LexicalScope* parent) {
  LexicalScope& scope = frame_->scopes.emplace_back();
  scope.kind = kind;
  scope.id = id;
  scope.parent = parent;
  const python::Scope& facts = facts_.scopes[id];
  for (const std::string_view name : facts.global_names) scope.globals.push_back(name_id(name));
  for (const std::string_view name : facts.nonlocal_names) scope.nonlocals.push_back(name_id(name));
  for (const python::Binding& binding : facts.bindings) scope.variables.emplace_back(name_id(binding.name), 0);
  const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  std::sort(scope.variables.begin(), scope.variables.end(), by_name);
  scope.variables.erase(std::unique(scope.variables.begin(), scope.variables.end(), same_name), scope.variables.end());
  for (auto& [name, variable] : scope.variables) variable = frame_->variables.add();
  for (const python::Binding& binding : facts.bindings) {
    scope.bindings.emplace_back(binding.name_span.begin, find(scope, name_id(binding.name)));
  }
  std::sort(scope.bindings.begin(), scope.bindings.end());
  return &scope;
}

VariableId Lowering::find(const LexicalScope& scope, NameId name) {
  const auto before = [](const auto& entry, NameId wanted) { return entry.first < wanted; };
  const auto found = std::lower_bound(scope.variables.begin(), scope.variables.end(), name, before);
  return found != scope.variables.end() && found->first == name ? found->second : kNoVariable;
}

Slot Lowering::export_of(NameId name) const {
  const auto before = [](const auto& entry, NameId wanted) { return entry.first < wanted; };
  const auto found = std::lower_bound(code_.exports.begin(), code_.exports.end(), name, before);
  return found != code_.exports.end() && found->first == name ? found->second : 0;
}

void Lowering::lower_module() {
  Frame frame;
  frame.is_module = true;
  frame_ = &frame;
  FunctionCode& function = code_.functions.emplace_back();
  function.id = FunctionId(0);
  function.first_slot = code_.slot_count;
  frame.scope = module_scope_ = open_scope(ScopeKind::kModule, ScopeId(0), nullptr);
  for (const auto& [name, variable] : module_scope_->variables) {
    const Slot slot = new_slot();
    code_.exports.emplace_back(name, slot);
    frame.variables[variable].cell = slot;
  }
  for (const python::Scope& scope : facts_.scopes) {
    for (const std::string_view name : scope.global_names) {
      const VariableId variable = find(*module_scope_, name_id(name));
      if (variable != kNoVariable) frame.variables[variable].is_shared = true;
    }
  }
  function.result = new_slot();
  frame.result = function.result;
  block(facts_.tree().body);
  for (const auto& [name, variable] : module_scope_->variables) {
    copy(frame.variables[variable].current, frame.variables[variable].cell, &facts_.tree());
  }
  close_function(frame);
}

void Lowering::close_function(Frame& frame) {
  const bool makes_closures = !frame.pending.empty();
  lower_pending(frame);
  FunctionCode& function = code_.functions[frame.function];
  function.end_op = static_cast<std::uint32_t>(code_.ops.size());
  function.end_slot = code_.slot_count;
  function.end_object = static_cast<std::uint32_t>(code_.objects.size());
  function.yielded = frame.yielded;
  close_exits(function);
  function.guards = std::move(frame.guards);
  const bool is_method = function.method == MethodKind::kInstance;
  const bool makes_wrapper = is_method && makes_closures && frame.wraps_parameter;
  const std::uint32_t limit = is_method && !makes_wrapper ? kMaxMethodOps
                              : makes_closures            ? kMaxClosureOps
                                                          : kMaxPassingOps;
  const bool is_small = function.end_op - function.first_op <= limit;
  const bool has_parameters = function.parameter_names.size() > (is_method ? 1 : 0);
  const bool is_tiny = function.end_op - function.first_op <= kMaxTestedOps;
  const bool is_worth_it = makes_closures || frame.per_caller || (frame.returns_by_test && is_tiny);
  function.per_caller = !frame.is_module && is_small && has_parameters && is_worth_it;
}

void Lowering::lower_pending(Frame& frame) {
  const std::vector<PendingFunction> pending = std::move(frame.pending);
  for (const PendingFunction& each : pending) {
    lower_function(frame, each);
    frame_ = &frame;
  }
}

void Lowering::lower_function(Frame& parent, PendingFunction pending) {
  Frame frame;
  frame.parent = &parent;
  frame.parent_scope = pending.scope;
  frame.function = code_.functions.size();
  frame_ = &frame;
  const ClassId outer_class = class_;
  class_ = ClassId{};
  const Function& function = program_.functions()[pending.id];
  {
    FunctionCode& code = code_.functions.emplace_back();
    code.id = relative(pending.id);
    code.parameters = pending.parameters;
    code.method = method_kind(function);
    begin_function(frame, code, pending);
  }
  if (const python::FunctionDef* def = function.def()) {
    block(def->body);
    if (!frame.is_dead) leave_function();
    if (def->returns != nullptr && frame.yielded == 0) {
      const ScopeId scope = facts_.scopes[facts_.scope_of_node.at(def)].parent;
      code_.seeds.push_back({frame.result, scope, def->returns, static_cast<std::uint32_t>(frame.function), false});
    }
  } else if (const auto* as_lambda = python::as<python::Lambda>(function.node)) {
    copy(expression(as_lambda->body), frame.result, as_lambda->body);
    frame.per_caller = frame.per_caller || is_parameter(as_lambda->body);
  }
  close_function(frame);
  class_ = outer_class;
}

void Lowering::begin_function(Frame& frame, FunctionCode& function, const PendingFunction& pending) {
  const Function& of = program_.functions()[pending.id];
  function.first_slot = code_.slot_count;
  function.first_op = static_cast<std::uint32_t>(code_.ops.size());
  function.first_object = static_cast<std::uint32_t>(code_.objects.size());
  const ScopeKind kind = of.kind == FunctionKind::kLambda ? ScopeKind::kLambda : ScopeKind::kFunction;
  frame.scope = open_scope(kind, facts_.scope_of_node.at(of.node), nullptr);
  Slot rest = 0;
  Slot keywords = 0;
  if (pending.parameters != nullptr) {
    for (const python::Parameter* parameter : pending.parameters->all) {
      const NameId name = name_id(parameter->name.text);
      function.parameter_names.push_back(name);
      const Slot slot = new_slot();
      const VariableId variable = find(*frame.scope, name);
      if (variable != kNoVariable) frame.variables.set(variable, slot);
      frame.parameter_versions.push_back(slot);
      using Kind = python::Parameter::Kind;
      const bool is_rest = parameter->parameter_kind == Kind::kVarArgs;
      const bool is_keywords = parameter->parameter_kind == Kind::kVarKeywords;
      if (is_rest) rest = slot;
      if (is_keywords) keywords = slot;
    }
  }
  frame.parameter_names = function.parameter_names;
  function.result = new_slot();
  frame.result = function.result;
  const auto make = [&](Slot slot, ContainerKind container) {
    const std::uint32_t object = new_object(container);
    Op& op = emit(OpCode::kMake, of.node);
    op.dst = slot;
    op.a = object;
    return object;
  };
  if (rest != 0) function.rest_object = make(rest, ContainerKind::kRest);
  if (keywords != 0) function.keywords_object = make(keywords, ContainerKind::kKeywords);
  seed_parameters(frame, function, of.node);
  for (const auto& [parameter, value] : pending.defaults) {
    function.defaults.emplace_back(static_cast<std::uint32_t>(parameter), value);
  }
}

/// What is passed to an annotated parameter is believed to fit the annotation; the body reads what does.
void Lowering::seed_parameters(Frame& frame, const FunctionCode& function, const python::Node* node) {
  if (function.parameters == nullptr) return;
  const ScopeId scope = facts_.scopes[frame.scope->id].parent;
  for (std::size_t i = 0; i < function.parameters->all.size(); ++i) {
    const python::Parameter& parameter = *function.parameters->all[i];
    using Kind = python::Parameter::Kind;
    const bool is_rest = parameter.parameter_kind == Kind::kVarArgs || parameter.parameter_kind == Kind::kVarKeywords;
    if (parameter.annotation == nullptr || is_rest) continue;
    const Slot fitting = emit_value(OpCode::kDeclared, node, function.first_slot + static_cast<Slot>(i));
    code_.ops.back().b = static_cast<std::uint32_t>(code_.seeds.size());
    code_.seeds.push_back({fitting, scope, parameter.annotation, static_cast<std::uint32_t>(frame.function), true});
    const VariableId variable = find(*frame.scope, function.parameter_names[i]);
    if (variable != kNoVariable) frame.variables.set(variable, fitting);
    frame.parameter_versions[i] = fitting;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

Slot Lowering::load_name(std::string_view text, const python::Node* node) {
  const NameId name = name_id(text);
  for (LexicalScope* scope = frame_->scope; scope != nullptr; scope = scope->parent) {
    if (scope->kind == ScopeKind::kClass && scope != frame_->scope) continue;
    const auto declared = [name](const std::vector<NameId>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (declared(scope->globals)) return module_name(name, node);
    if (declared(scope->nonlocals)) break;
    const VariableId variable = find(*scope, name);
    if (variable == kNoVariable) continue;
    const Variable& found = frame_->variables[variable];
    if (found.is_shared && found.cell != 0) return found.cell;
    if (found.current != 0) return found.current;
    const bool falls_through = scope->kind == ScopeKind::kClass || scope->kind == ScopeKind::kModule;
    if (!falls_through) return 0;
  }
  if (const Slot outer = load_outer(*frame_, name); outer != 0) return outer;
  if (text == "__class__") {
    if (const ClassId owner = owner_of_method(); owner.valid()) {
      const Slot dst = emit_value(OpCode::kClass, node);
      code_.ops.back().a = relative(owner);
      return dst;
    }
  }
  return module_name(name, node);
}

Slot Lowering::load_outer(const Frame& frame, NameId name) {
  for (const Frame* at = &frame; at->parent != nullptr; at = at->parent) {
    for (const LexicalScope* scope = at->parent_scope; scope != nullptr; scope = scope->parent) {
      if (scope->kind == ScopeKind::kClass || scope->kind == ScopeKind::kModule) continue;
      const VariableId variable = find(*scope, name);
      if (variable != kNoVariable) return at->parent->variables[variable].cell;
    }
  }
  return 0;
}

Slot Lowering::module_name(NameId name, const python::Node* node) {
  // Module code that reads a name which it has not bound yet means a builtin.
  if (!frame_->is_module) {
    if (const Slot slot = export_of(name); slot != 0) return slot;
  }
  const auto [found, is_new] = globals_.try_emplace(name, 0);
  if (is_new) {
    const Slot slot = emit_value(OpCode::kGlobal, node, 0, name);
    found->second = slot;
    return slot;
  }
  return found->second;
}

void Lowering::store_name(std::string_view text, Slot value, const python::Node* node) {
  store_in(frame_->scope, name_id(text), value, node);
}

void Lowering::store_in(LexicalScope* scope, NameId name, Slot value, const python::Node* node) {
  if (std::find(scope->globals.begin(), scope->globals.end(), name) != scope->globals.end()) {
    return copy(value, export_of(name), node);
  }
  if (std::find(scope->nonlocals.begin(), scope->nonlocals.end(), name) != scope->nonlocals.end()) {
    return copy(value, load_outer(*frame_, name), node);
  }
  const VariableId variable = find(*scope, name);
  if (variable != kNoVariable) set_variable(scope, variable, value, node);
}

void Lowering::set_variable(LexicalScope* scope, VariableId variable, Slot value, const python::Node* node) {
  const Variable before = frame_->variables[variable];
  const bool is_module_variable = scope->kind == ScopeKind::kModule;
  // Other functions see what a module variable holds at the module's end, and what it held during a call.
  if (is_module_variable && before.current != 0 && before.bound_at < frame_->last_call) {
    copy(before.current, before.cell, node);
  }
  if (before.annotation != nullptr) {
    if (value == 0) value = new_slot();
    code_.seeds.push_back(
        {value, frame_->scope->id, before.annotation, static_cast<std::uint32_t>(frame_->function), false});
  }
  frame_->variables.set(variable, value == 0 ? nothing_ : value);
  if (before.cell != 0 && (!is_module_variable || before.is_shared)) copy(value, before.cell, node);
}

/// Makes what `nested` reads of this function's variables readable from it: from now on they have a cell.
void Lowering::capture(const python::Node& nested, const python::Node* node) {
  const auto each = [&](std::string_view text, bool is_nonlocal) {
    const NameId known = name_ids_.find(code_.names, text);
    if (known == kNone) return;
    for (LexicalScope* scope = frame_->scope; scope != nullptr; scope = scope->parent) {
      if (scope->kind == ScopeKind::kClass || scope->kind == ScopeKind::kModule) continue;
      const VariableId id = find(*scope, known);
      if (id == kNoVariable) continue;
      Variable& variable = frame_->variables[id];
      if (variable.cell == 0) frame_->cells.insert(variable.cell = new_slot());
      variable.is_shared = variable.is_shared || is_nonlocal;
      copy(frame_->variables[id].current, frame_->variables[id].cell, node);
      return;
    }
  };
  std::vector<std::string_view> seen;
  const auto visit = [&](const python::Node* at) {
    if (const auto* name = python::as<python::Name>(at)) seen.push_back(name->id);
    if (const auto* names = python::as<python::Nonlocal>(at)) {
      for (const python::Identifier& each_name : names->names) each(each_name.text, true);
    }
  };
  visit(&nested);
  python::walk(nested, python::Nested::kEnter, visit);
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const std::string_view text : seen) each(text, false);
}

// ---------------------------------------------------------------------------------------------------------------------
// Control flow

/// Goes on with what holds after any of `branches`, all of them taken back to the same state.
void Lowering::merge(std::vector<Branch> branches, const python::Node* node) {
  const bool all_dead = std::all_of(branches.begin(), branches.end(), [](const Branch& b) { return b.is_dead; });
  frame_->is_dead = all_dead;
  forget_places();
  std::vector<VariableId> changed;
  for (const Branch& each : branches) {
    for (const auto& [variable, version] : each.changes) changed.push_back(variable);
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const VariableId variable : changed) {
    std::vector<Slot> versions;
    for (const Branch& each : branches) {
      if (each.is_dead && !all_dead) continue;
      const auto before = [](const auto& entry, VariableId wanted) { return entry.first < wanted; };
      const auto found = std::lower_bound(each.changes.begin(), each.changes.end(), variable, before);
      const bool changes = found != each.changes.end() && found->first == variable;
      const Slot version = changes ? found->second : frame_->variables[variable].current;
      if (version != 0) versions.push_back(version);
    }
    frame_->variables.set(variable, either(versions, node));
  }
}

std::vector<VariableId> Lowering::assigned_in(Span span) const {
  std::vector<VariableId> found;
  const LexicalScope* scope = frame_->scope;
  while (scope->kind == ScopeKind::kComprehension && scope->parent != nullptr) scope = scope->parent;
  const auto& bindings = scope->bindings;
  auto at = std::lower_bound(bindings.begin(), bindings.end(), std::pair(span.begin, VariableId{0}));
  for (; at != bindings.end() && at->first < span.end; ++at) {
    if (at->second != kNoVariable) found.push_back(at->second);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace lockstep::program::flow
