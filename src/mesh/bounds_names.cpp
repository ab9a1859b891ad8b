// What a name, an attribute or a group stands for, as far as bounds.h follows them.
#include <algorithm>

#include "base/find_text.h"
#include "mesh/bounds.h"
#include "mesh/groundwork.h"
#include "mesh/outside_stores.h"
#include "program/queries.h"
#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;

namespace {

bool has_word(const std::vector<std::string>& words, std::string_view wanted) {
  return std::find(words.begin(), words.end(), wanted) != words.end();
}

/// "has_last_stage", "pp_has_first_stage", "is_last_stage": whether this rank has that stage of the pipeline. Of a
/// virtual stage, of which a rank has several, a name says nothing.
bool asks_for_stage(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  const bool is_end = has_word(words, "first") || has_word(words, "last");
  const bool is_virtual = has_word(words, "virtual") || has_word(words, "vp") || has_word(words, "vpp");
  return is_end && !is_virtual && has_word(words, "stage") && (has_word(words, "is") || has_word(words, "has"));
}

/// Whether a place is reached or not by branches alone, those that `conditions` then holds; `root` is its function.
bool is_under_branches(const Node& root, Span place, std::vector<const Expr*>& conditions) {
  bool is_simple = true;
  walk_statements(root, Nested::kSkip, [&](const Stmt* statement) {
    if (!statement->span.contains(place)) return false;
    if (const auto* branch = as<If>(statement)) conditions.push_back(branch->condition);
    is_simple =
        is_simple && !is<For>(statement) && !is<While>(statement) && !is<Try>(statement) && !is<Match>(statement);
    return true;
  });
  return is_simple;
}

}  // namespace

KnownBound Bounds::by_name(std::string_view name, bool is_called) const {
  if (!is_called && DimensionTable::is_size_name(name)) return Bound{};
  const std::optional<Bits> role = dimensions_.role_named(name);
  if (role && *role != kEveryRank) return Bound{*role, !is_called};
  if (asks_for_stage(name)) return Bound{dimensions_.dimensions_in("pp").bits, true};
  return std::nullopt;
}

Bounds::Bindings Bounds::bindings_of(std::string_view id, const Frame& frame) const {
  Bindings out;
  const program::Function& row = program_.functions()[frame.function];
  const FileFacts& facts = *program_.modules()[row.module].facts;
  const auto scope = facts.scope_of_node.find(row.node);
  if (scope == facts.scope_of_node.end()) return out;
  const Scope& names = facts.scopes[scope->second];
  for (const auto* declared : {&names.global_names, &names.nonlocal_names}) {
    if (std::find(declared->begin(), declared->end(), id) != declared->end()) out.is_bound = out.is_open = true;
  }
  for (const Binding& binding : names.bindings) {
    if (binding.name != id) continue;
    out.is_bound = true;
    const auto* assign = as<Assign>(binding.owner);
    const auto* annotated = as<AnnAssign>(binding.owner);
    if (binding.kind == BindingKind::kParameter) {
      out.parameter = as<Parameter>(binding.node);
    } else if (assign != nullptr &&
               std::find(assign->targets.begin(), assign->targets.end(), binding.node) != assign->targets.end()) {
      out.values.emplace_back(assign, assign->value);
    } else if (annotated != nullptr && annotated->target == binding.node && annotated->value != nullptr) {
      out.values.emplace_back(annotated, annotated->value);
    } else {
      out.is_open = true;
    }
    out.is_loop = out.is_loop || binding.kind == BindingKind::kFor || binding.kind == BindingKind::kWith;
  }
  return out;
}

KnownBound Bounds::name(std::string_view id, const Frame& frame) {
  const Bindings bindings = bindings_of(id, frame);
  const program::Function& row = program_.functions()[frame.function];
  if (!bindings.is_bound && row.enclosing.valid())
    return name(id, {row.enclosing, nullptr, nullptr, 0, frame.depth + 1});
  if (!bindings.is_bound || bindings.is_loop) return std::nullopt;
  const KnownBound known = bindings.is_open ? std::nullopt : assigned(bindings, frame);
  return known ? known : by_name(id, false);
}

KnownBound Bounds::assigned(const Bindings& bindings, const Frame& frame) {
  Bound joined;
  if (bindings.parameter != nullptr) {
    const Expr* given = argument(frame, *bindings.parameter);
    if (given == nullptr) return std::nullopt;
    // Defaults are plain values in all that is followed here.
    const bool is_default = given == bindings.parameter->default_value;
    const KnownBound one =
        is_default ? (is<Constant>(given) ? KnownBound(Bound{}) : std::nullopt) : evaluate(*given, *frame.caller);
    if (!one) return std::nullopt;
    joined.join(*one);
  }
  const bool is_only_one = bindings.values.size() == 1 && bindings.parameter == nullptr;
  for (const auto& [statement, value] : bindings.values) {
    const KnownBound one = evaluate(*value, frame);
    if (!one) return std::nullopt;
    joined.join(*one);
    if (is_only_one) break;
    // Of several values that branches choose from, the branches decide.
    std::vector<const Expr*> conditions;
    if (!is_under_branches(*program_.functions()[frame.function].node, statement->span, conditions))
      return std::nullopt;
    for (const Expr* condition : conditions) {
      const KnownBound decides = evaluate(*condition, frame);
      if (!decides) return std::nullopt;
      joined.join(*decides);
    }
  }
  return joined;
}

/// What the call gives a parameter, or its default; null where that is not known.
const Expr* Bounds::argument(const Frame& frame, const Parameter& parameter) const {
  if (frame.call == nullptr) return nullptr;
  const auto* def = program_.functions()[frame.function].def();
  const Call& call = *frame.call;
  if (def == nullptr || parameter.parameter_kind == Parameter::Kind::kVarArgs ||
      parameter.parameter_kind == Parameter::Kind::kVarKeywords)
    return nullptr;
  for (const Keyword* keyword : call.keywords) {
    if (keyword->name.text.empty()) return nullptr;
    if (keyword->name.text == parameter.name.text) return keyword->value;
  }
  const auto& all = def->parameters->all;
  const std::size_t at = static_cast<std::size_t>(std::find(all.begin(), all.end(), &parameter) - all.begin());
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (is<Starred>(call.arguments[i])) return nullptr;
    if (i + frame.first == at && parameter.parameter_kind != Parameter::Kind::kKeywordOnly) return call.arguments[i];
  }
  return parameter.default_value;
}

program::ClassId Bounds::class_of(const Frame& frame) const {
  program::FunctionId at = frame.function;
  while (at.valid() && !program_.functions()[at].owner.valid()) at = program_.functions()[at].enclosing;
  return at.valid() ? program_.functions()[at].owner : program::ClassId();
}

bool Bounds::is_self(const Expr& expression, const Frame& frame) const {
  const auto* name = as<Name>(&expression);
  return name != nullptr && name->id == "self" && class_of(frame).valid();
}

KnownBound Bounds::attribute(const Attribute& attribute, const Frame& frame) {
  const std::string_view name = attribute.name.text;
  KnownBound known;
  if (const program::CallId property = program_.call_of(&attribute); property.valid()) {
    const program::CallSite& site = program_.calls()[property];
    if (!site.targets.empty()) known = targets(site, nullptr, frame);
    if (known) return known;
  } else if (is_self(*attribute.value, frame)) {
    known = field(name, frame);
  }
  return known ? known : by_name(name, false);
}

namespace {

/// `self.name = value` of one method, each; `is_open`: it sets the field in another way, too.
struct Stores {
  std::vector<std::pair<const Node*, const Expr*>> values;
  bool is_open = false;
};

Stores stores_of(const FunctionDef& method, std::string_view name) {
  const auto is_field = [&](const Node* node) {
    const auto* attribute = as<Attribute>(node);
    const auto* base = attribute != nullptr ? as<Name>(attribute->value) : nullptr;
    return base != nullptr && base->id == "self" && attribute->name.text == name;
  };
  Stores out;
  std::size_t all = 0;
  walk_of<Attribute>(method, Nested::kEnter, [&](const Attribute* one) {
    if (one->context != ExprContext::kLoad && is_field(one)) ++all;
  });
  if (all == 0) return out;
  walk_statements(method, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    const auto* annotated = as<AnnAssign>(statement);
    if (assign != nullptr && assign->targets.size() == 1 && is_field(assign->targets[0]))
      out.values.emplace_back(assign, assign->value);
    if (annotated != nullptr && annotated->value != nullptr && is_field(annotated->target))
      out.values.emplace_back(annotated, annotated->value);
  });
  out.is_open = out.values.size() != all;
  return out;
}

}  // namespace

/// `self.name`, where one method of the class, its bases and the classes below it sets it, and nothing else does.
KnownBound Bounds::field(std::string_view name, const Frame& frame) {
  if (frame.depth >= kMostFollowed) return std::nullopt;
  const program::ClassId owner = class_of(frame);
  std::vector<program::ClassId> classes = program::with_descendants(program_, owner);
  const auto& bases = program_.classes()[owner].linearized;
  classes.insert(classes.end(), bases.begin() + 1, bases.end());
  program::FunctionId setter;
  Bindings bindings;
  for (const program::ClassId cls : classes) {
    const program::Class& row = program_.classes()[cls];
    // A value in the class, or an argument of the constructor that a dataclass has.
    const bool is_declared = std::any_of(row.fields.begin(), row.fields.end(), [&](const program::Field& one) {
      return one.name == name && one.in_class_body && (row.is_dataclass || one.default_value != nullptr);
    });
    if (is_declared) return std::nullopt;
    for (const program::FunctionId method : row.methods) {
      const FunctionDef* def = program_.functions()[method].def();
      Stores stores = def != nullptr ? stores_of(*def, name) : Stores{};
      if (stores.values.empty() && !stores.is_open) continue;
      if (setter.valid() || stores.is_open) return std::nullopt;
      setter = method;
      bindings.values = std::move(stores.values);
    }
  }
  if (!setter.valid() || is_set_from_outside(program_, name)) return std::nullopt;
  return assigned(bindings, {setter, nullptr, nullptr, 0, frame.depth + 1});
}

std::optional<Bits> Bounds::group_by_name(std::string_view name) const {
  const std::optional<NamedDimensions> named = dimensions_.group_named(name);
  // Of a group of some ranks alone, others are no part of it.
  if (!named || named->subset_only || !is_named(named->bits)) return std::nullopt;
  return named->bits;
}

/// The field of an object whose fields are groups: `pg_collection.tp`.
std::optional<Bits> Bounds::held_group(const Expr& holder, std::string_view field) const {
  const auto* name = as<Name>(&holder);
  const auto* member = as<Attribute>(&holder);
  const std::string_view last = name != nullptr ? name->id : member != nullptr ? member->name.text : "";
  const NamedDimensions named = dimensions_.dimensions_in(field);
  const bool is_held = DimensionTable::is_group_holder(last) && !named.subset_only && is_named(named.bits);
  return is_held ? std::optional<Bits>(named.bits) : std::nullopt;
}

std::optional<Bits> Bounds::group(const Expr& expression, const Frame& frame) {
  if (--left_ < 0 || frame.depth > kMostFollowed || nested_ >= kMostNested) return std::nullopt;
  ++nested_;
  const std::optional<Bits> known = group_of(expression, frame);
  --nested_;
  return known;
}

/// One of two groups, whichever it is.
std::optional<Bits> Bounds::either_group(const Expr& one, const Expr& other, const Frame& frame) {
  const std::optional<Bits> a = group(one, frame);
  const std::optional<Bits> b = a ? group(other, frame) : std::nullopt;
  return b ? std::optional<Bits>(*a | *b) : std::nullopt;
}

std::optional<Bits> Bounds::group_of(const Expr& expression, const Frame& frame) {
  if (const auto* choice = as<IfExp>(&expression)) return either_group(*choice->body, *choice->orelse, frame);
  if (const auto* first = as<BoolOp>(&expression))
    return first->values.size() == 2 ? either_group(*first->values[0], *first->values[1], frame) : std::nullopt;
  if (const auto* name = as<Name>(&expression)) {
    if (const auto known = group_by_name(name->id)) return known;
    const Bindings bindings = bindings_of(name->id, frame);
    if (bindings.is_open) return std::nullopt;
    if (bindings.parameter != nullptr && bindings.values.empty()) {
      const Expr* given = argument(frame, *bindings.parameter);
      return given != nullptr && given != bindings.parameter->default_value ? group(*given, *frame.caller)
                                                                            : std::nullopt;
    }
    const bool is_one = bindings.parameter == nullptr && bindings.values.size() == 1;
    return is_one ? group(*bindings.values.front().second,
                          {frame.function, frame.call, frame.caller, frame.first, frame.depth + 1})
                  : std::nullopt;
  }
  if (const auto* attribute = as<Attribute>(&expression)) {
    if (const auto known = group_by_name(attribute->name.text)) return known;
    return held_group(*attribute->value, attribute->name.text);
  }
  const auto* call = as<Call>(&expression);
  if (call == nullptr) return mesh(expression);
  const std::string_view called = called_name(*call);
  if (const auto known = group_by_name(called)) return known;
  if (called == "getattr" && call->arguments.size() >= 2) {
    const auto* field = as<Constant>(call->arguments[1]);
    return field != nullptr && field->constant_kind == ConstantKind::kStr ? held_group(*call->arguments[0], field->text)
                                                                          : std::nullopt;
  }
  const auto* callee = as<Attribute>(call->callee);
  if (callee == nullptr || called != "get_group") return std::nullopt;
  if (call->arguments.empty() && call->keywords.empty()) return mesh(*callee->value);
  const auto* one = call->arguments.size() == 1 ? as<Constant>(call->arguments.front()) : nullptr;
  return one != nullptr && one->constant_kind == ConstantKind::kStr ? dimension(one->text) : std::nullopt;
}

/// Dimensions of a device mesh: `mesh["tp"]`, `tp_mesh`.
std::optional<Bits> Bounds::mesh(const Expr& expression) {
  if (const auto* part = as<Subscript>(&expression)) {
    const auto* one = as<Constant>(part->index);
    return one != nullptr && one->constant_kind == ConstantKind::kStr ? dimension(one->text) : std::nullopt;
  }
  const auto* name = as<Name>(&expression);
  const auto* member = as<Attribute>(&expression);
  const std::string_view last = name != nullptr ? name->id : member != nullptr ? member->name.text : "";
  if (!DimensionTable::is_mesh_name(last)) return std::nullopt;
  const Bits bits = dimensions_.dimensions_in(last).bits;
  return is_named(bits) ? std::optional<Bits>(bits) : std::nullopt;
}

std::optional<Bits> Bounds::dimension(std::string_view name) const {
  const Bits bits = dimensions_.dimensions_in(name).bits;
  return is_named(bits) ? std::optional<Bits>(bits) : std::nullopt;
}

}  // namespace lockstep::mesh
