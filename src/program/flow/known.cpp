// What a place that was just written holds: `d["a"] = f; d["a"]()` calls f alone, whatever else was stored there
// before. Followed along straight code, for places named from a local variable, until something runs that may write
// elsewhere.
#include <algorithm>

#include "program/flow/lowering.h"

namespace lockstep::program::flow {
namespace {

/// Places followed at a time; on more, the oldest is forgotten.
constexpr std::size_t kMaxPlaces = 16;

bool is_literal_key(const python::Expr* key) {
  const auto* constant = python::as<python::Constant>(key);
  return constant != nullptr && (constant->constant_kind == python::ConstantKind::kStr ||
                                 constant->constant_kind == python::ConstantKind::kInt);
}

}  // namespace

/// The slot under which places below `expression`, which evaluates to `slot`, are known; 0 if it is not sure that the
/// same slot means the same object.
Slot Lowering::place_base(const python::Expr* expression, Slot slot) const {
  if (slot == 0) return 0;
  if (const auto* name = python::as<python::Name>(expression)) {
    const NameId known = name_ids_.find(code_.names, name->id);
    if (known == kNone) return 0;
    for (const LexicalScope* scope = frame_->scope; scope != nullptr; scope = scope->parent) {
      const VariableId variable = find(*scope, known);
      if (variable == kNone) continue;
      const Variable& found = frame_->variables[variable];
      return found.current == slot && !found.is_shared ? slot : 0;
    }
    return 0;
  }
  for (const Place& place : frame_->places) {
    if (place.value == slot || place.read_as == slot) return place.value;
  }
  return 0;
}

/// What the place holds if that is known, else 0. `read_as` is where the read of it goes.
Slot Lowering::known_value(Slot base, bool is_item, std::uint32_t key, Slot read_as) {
  if (base == 0 || key == 0) return 0;
  for (Place& place : frame_->places) {
    if (place.base != base || place.is_item != is_item || place.key != key) continue;
    place.read_as = read_as;
    return place.is_written ? place.value : 0;
  }
  remember({base, is_item, key, read_as, read_as, false, false});
  return 0;
}

void Lowering::remember(const Place& place) {
  auto& places = frame_->places;
  frame_->has_sure_places = frame_->has_sure_places || place.is_sure;
  if (places.size() >= kMaxPlaces) places.erase(places.begin());
  places.push_back(place);
}

/// A store: forgets the places that may be the same one, remembers this one.
void Lowering::write_place(Slot base, bool is_item, std::uint32_t key, Slot value) {
  auto& places = frame_->places;
  const auto may_be_same = [&](const Place& each) { return each.is_item == is_item && (key == 0 || each.key == key); };
  places.erase(std::remove_if(places.begin(), places.end(), may_be_same), places.end());
  if (base != 0 && key != 0 && value != 0) remember({base, is_item, key, value, value, true, true});
}

/// After both branches of an `if`: what both have written is written, though maybe not the same.
void Lowering::keep_places(const std::vector<Place>& left, const std::vector<Place>& right, const python::Node* node) {
  for (const Place& place : left) {
    const auto other = std::find_if(right.begin(), right.end(), [&](const Place& each) {
      return each.base == place.base && each.is_item == place.is_item && each.key == place.key && each.is_written;
    });
    if (!place.is_written || other == right.end()) continue;
    const Slot values[] = {place.value, other->value};
    const Slot value = either(values, node);
    remember({place.base, place.is_item, place.key, value, value, true, place.is_sure && other->is_sure});
  }
}

/// Identity of a literal key: its slot, which equal literals share; 0 for other keys.
std::uint32_t Lowering::place_key(const python::Expr* key, Slot slot) { return is_literal_key(key) ? slot : 0; }

/// `d.update({"a": f})`: what follows reads f at d["a"].
void Lowering::write_update(const python::Call& node, Slot object) {
  const auto& attribute = static_cast<const python::Attribute&>(*node.callee);
  const auto* entries = node.arguments.size() == 1 ? python::as<python::Dict>(node.arguments[0]) : nullptr;
  const Slot base = place_base(attribute.value, object);
  if (attribute.name.text != "update" || entries == nullptr || base == 0) return;
  for (std::size_t i = 0; i < entries->values.size(); ++i) {
    const Slot key = is_literal_key(entries->keys[i]) ? expression(entries->keys[i]) : 0;
    const auto* name = python::as<python::Name>(entries->values[i]);
    if (key != 0 && name != nullptr) write_place(base, true, key, load_name(name->id, name));
  }
}

}  // namespace lockstep::program::flow
