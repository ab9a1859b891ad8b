#include "program/program.h"

#include <algorithm>

#include "program/index.h"
#include "program/queries.h"
#include "program/resolve.h"

namespace lockstep::program {
namespace {

template <class IdType, class Map>
IdType find_in(const Map& map, std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? IdType{} : found->second;
}

template <class IdType>
IdType find_in(const NodeMap& map, const python::Node* node) {
  const std::uint32_t value = map.at(node);
  return value == NodeMap::kNone ? IdType{} : IdType(value);
}

}  // namespace

ModuleId Program::find_module(std::string_view dotted_name) const {
  return find_in<ModuleId>(index_->module_by_name, dotted_name);
}
ModuleId Program::find_path(std::string_view path) const { return find_in<ModuleId>(index_->module_by_path, path); }
FunctionId Program::find_function(std::string_view qualified_name) const {
  return find_in<FunctionId>(index_->function_by_name, qualified_name);
}
ClassId Program::find_class(std::string_view qualified_name) const {
  return find_in<ClassId>(index_->class_by_name, qualified_name);
}
FunctionId Program::function_of(const python::Node* node) const {
  return find_in<FunctionId>(index_->functions_of_nodes, node);
}
ClassId Program::class_of(const python::Node* node) const { return find_in<ClassId>(index_->classes_of_nodes, node); }
CallId Program::call_of(const python::Node* node) const { return find_in<CallId>(index_->calls_of_nodes, node); }

FunctionId Program::function_at(ModuleId module, std::uint32_t offset) const {
  const Module& in = modules_[module];
  FunctionId innermost = in.body;
  // Functions stand in the order of the source: the last one that starts before the offset and holds it is innermost.
  for (const FunctionId id : in.functions) {
    const Function& function = functions_[id];
    if (function.node->span.begin > offset) break;
    if (function.kind == FunctionKind::kFunction && function.node->span.contains(offset)) innermost = id;
  }
  return innermost;
}

std::span<const CallId> Program::callers_of(FunctionId function) const {
  if (index_->caller_starts.empty()) return {};
  const std::uint32_t begin = index_->caller_starts[function.index()];
  const std::uint32_t end = index_->caller_starts[function.index() + 1];
  return {index_->callers.data() + begin, end - begin};
}

FunctionId Program::find_method(ClassId cls, std::string_view name) const {
  for (const ClassId each : classes_[cls].linearized) {
    const auto& methods = classes_[each].methods;
    // Of several definitions (overloads, property setters) the last is what the class holds.
    for (auto method = methods.rbegin(); method != methods.rend(); ++method) {
      if (functions_[*method].name == name) return *method;
    }
  }
  return {};
}

const Field* Program::find_field(ClassId cls, std::string_view name) const {
  for (const ClassId each : classes_[cls].linearized) {
    for (const Field& field : classes_[each].fields) {
      if (field.name == name) return &field;
    }
  }
  return nullptr;
}

bool Program::derives_from(ClassId cls, std::string_view ancestor) const {
  for (const ClassId each : classes_[cls].linearized) {
    if (classes_[each].qualified_name == ancestor) return true;
  }
  const auto& external = classes_[cls].external_ancestors;
  return std::binary_search(external.begin(), external.end(), ancestor);
}

std::vector<FunctionId> Program::overrides_of(FunctionId method) const {
  std::vector<FunctionId> found;
  const Function& base = functions_[method];
  if (!base.owner.valid()) return found;
  for (const ClassId cls : with_descendants(*this, base.owner)) {
    if (cls == base.owner) continue;
    for (const FunctionId each : classes_[cls].methods) {
      if (functions_[each].name == base.name) found.push_back(each);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool Program::can_follow(CallId entering, CallId call, FunctionId target) const {
  if (!depends_on_caller(call)) return true;
  const auto& choices = index_->caller_choices;
  const Index::CallerChoice first{entering, call, FunctionId(std::size_t{0})};
  auto at = std::lower_bound(choices.begin(), choices.end(), first);
  const bool is_known = at != choices.end() && at->entering == entering && at->call == call;
  for (; at != choices.end() && at->entering == entering && at->call == call; ++at) {
    if (at->target == target) return true;
  }
  return !is_known;
}

bool Program::depends_on_caller(CallId call) const { return index_->depends_on_caller[call.index()]; }

std::span<const ClassId> Program::subclasses_of(ClassId cls) const { return index_->subclasses[cls.index()]; }

Reference Program::resolve(FunctionId context, const python::Expr& expression) const {
  const Function& function = functions_[context];
  const auto& scopes = modules_[function.module].facts->scope_of_node;
  const auto scope = scopes.find(function.node);
  const python::ScopeId id = scope == scopes.end() ? python::ScopeId(0) : scope->second;
  return Resolver(*this, *index_).resolve(function.module, id, expression);
}

Reference Program::resolve(ModuleId context, std::string_view dotted_text) const {
  return Resolver(*this, *index_).resolve(context, dotted_text);
}

std::vector<ClassId> Program::instance_classes(FunctionId /*context*/, const python::Expr& expression) const {
  const std::uint32_t list = index_->instance_lists.at(&expression);
  if (list == NodeMap::kNone) return {};
  const auto begin = index_->instances.begin() + index_->instance_starts[list];
  return {begin, index_->instances.begin() + index_->instance_starts[list + 1]};
}

}  // namespace lockstep::program
