// What a function surely leaves behind: `def change(self, f): self.f = f` has its caller find f in the attribute, on
// every way by which it returns. And reads of attributes right after calls, which may then see that alone. Wherever
// code may run that is not seen to run (properties, operators, iteration, imports), what was sure is sure no more.
#include <algorithm>
#include <utility>

#include "program/flow/lowering.h"

namespace lockstep::program::flow {
namespace {

/// Ways by which a function returns, up to which they are followed.
constexpr std::size_t kMaxExits = 4;

}  // namespace

/// Something ran that may store anywhere.
void Lowering::doubt() {
  frame_->last_op = kNone;
  if (!std::exchange(frame_->has_sure_places, false)) return;
  for (Place& place : frame_->places) place.is_sure = false;
}

/// The same, except for what is known of attribute `key` (0: of any) of the object in `base`: the code that may run is
/// a property of that object's class, and readers look whether it has one.
void Lowering::doubt_others(Slot base, std::uint32_t key) {
  for (Place& place : frame_->places) {
    if (place.base != base || place.is_item || (key != 0 && place.key != key)) place.is_sure = false;
  }
}

/// Like place_base, for a variable of the code around this function that nobody else assigns.
Slot Lowering::outer_base(const python::Expr* expression, Slot slot) const {
  const auto* name = python::as<python::Name>(expression);
  const NameId known = name == nullptr || frame_->is_module ? kNone : name_ids_.find(code_.names, name->id);
  if (known == kNone || slot == 0 || slot >= code_.functions[frame_->function].first_slot) return 0;
  for (const Frame* at = frame_; at->parent != nullptr; at = at->parent) {
    const auto& variables = at->parent->variables;
    for (const LexicalScope* scope = at->parent_scope; scope != nullptr; scope = scope->parent) {
      if (scope->kind == python::ScopeKind::kClass) continue;
      const VariableId variable = find(*scope, known);
      if (variable != kNoVariable) return variables[variable].cell == slot && !variables[variable].is_shared ? slot : 0;
    }
  }
  return 0;
}

/// True if the last call is given what `object` holds.
bool Lowering::last_call_takes(Slot object) const {
  const Op& op = code_.ops[frame_->last_op];
  if (op.code == OpCode::kMethodCall && op.a == object) return true;
  const auto first = code_.arguments.begin() + op.first_argument;
  return std::any_of(first, first + op.argument_count, [&](const Argument& a) { return a.slot == object; });
}

/// The call after which `object.name` is read now, where nothing else has run since and the call may have changed it;
/// kNone where there is none. `base` is the place_base of `object`.
std::uint32_t Lowering::call_before(const python::Expr* object, Slot base, NameId name) const {
  const std::uint32_t last = frame_->last_op;
  const FunctionCode& function = code_.functions[frame_->function];
  const bool is_own = base >= function.first_slot + (frame_->is_module ? code_.exports.size() : 0);
  if (last == kNone || base == 0 || !is_own || frame_->cells.contains(base)) return kNone;
  if (frame_->read_base != 0 && (frame_->read_base != base || frame_->read_name != name)) return kNone;
  const Variable* variable = variable_of(object);
  if (variable == nullptr || variable->bound_at >= frame_->last_op_moment) return kNone;
  return variable->cell != 0 || last_call_takes(base) ? last : kNone;
}

const Variable* Lowering::variable_of(const python::Expr* expression) const {
  const auto* name = python::as<python::Name>(expression);
  const NameId known = name == nullptr ? kNone : name_ids_.find(code_.names, name->id);
  if (known == kNone) return nullptr;
  for (const LexicalScope* scope = frame_->scope; scope != nullptr; scope = scope->parent) {
    if (const VariableId variable = find(*scope, known); variable != kNoVariable) return &frame_->variables[variable];
  }
  return nullptr;
}

/// Op `read` reads an attribute of `object` after op `call`.
void Lowering::read_after(std::uint32_t call, const python::Expr* object, std::uint32_t read) {
  code_.reads_after_calls.push_back({read, call, variable_of(object)->cell});
  if (frame_->last_op != call) return;
  frame_->read_base = code_.ops[read].a;
  frame_->read_name = code_.ops[read].name;
}

/// kParameter + the parameter that `slot` holds as it was passed; kNone for other slots.
std::uint32_t Lowering::parameter_of(Slot slot) const {
  const auto& versions = frame_->parameter_versions;
  const auto found = std::find(versions.begin(), versions.end(), slot);
  if (slot == 0 || found == versions.end()) return kNone;
  return SureStore::kParameter + static_cast<std::uint32_t>(found - versions.begin());
}

/// The function returns here.
void Lowering::leave_function() {
  if (frame_->is_module || frame_->has_unknown_exit) return;
  Exit exit{static_cast<std::uint32_t>(code_.sure_stores.size()), 0, kNone};
  if (frame_->read_base == 0) exit.last_call = frame_->last_op;
  for (const Place& place : frame_->places) {
    if (!place.is_written || !place.is_sure || place.is_item || place.base == 0) continue;
    const bool is_outer = place.base < code_.functions[frame_->function].first_slot;
    const std::uint32_t object = is_outer ? place.base : parameter_of(place.base);
    if (object == kNone) continue;
    const std::uint32_t parameter = parameter_of(place.value);
    code_.sure_stores.push_back({object, place.key - 1, parameter != kNone ? parameter : place.value});
    ++exit.store_count;
  }
  const bool says_nothing = exit.store_count == 0 && exit.last_call == kNone;
  frame_->has_unknown_exit = says_nothing || frame_->unwinding > 0 || frame_->exits.size() >= kMaxExits;
  frame_->exits.push_back(exit);
}

/// Calling a generator function or coroutine runs nothing yet; constructors work on objects that nobody has read.
void Lowering::close_exits(FunctionCode& function) {
  const Function& of = function_of(function);
  const bool runs_later = frame_->yielded != 0 || (of.def() != nullptr && of.def()->is_async);
  if (frame_->has_unknown_exit || runs_later || of.name == "__init__") return;
  function.first_exit = static_cast<std::uint32_t>(code_.exits.size());
  function.exit_count = static_cast<std::uint32_t>(frame_->exits.size());
  code_.exits.insert(code_.exits.end(), frame_->exits.begin(), frame_->exits.end());
}

}  // namespace lockstep::program::flow
