// Expressions: what a value is and along which dimensions it varies, from what it is computed from.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "mesh/interpreter.h"
#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;

FunctionRun::Ref FunctionRun::varying(Variation variation, bool is_rank) {
  Value value;
  value.value = variation;
  value.is_rank = is_rank;
  value.form = Form::kScalar;
  return add(value);
}

SourceId FunctionRun::source(const Node& place, std::string message, SourceId parent, std::string doubt,
                             bool stays_here) {
  return in_.sources.add({module_, place.span.begin, std::move(message), parent, std::move(doubt), stays_here});
}

Value FunctionRun::leaving(Value value) const {
  for (Variation* variation : {&value.value, &value.extent, &value.presence, &value.order}) {
    if (variation->maybe != 0 && in_.sources[variation->maybe_source].stays_here) variation->maybe = 0;
  }
  return value;
}

int FunctionRun::slot(std::string_view name) {
  if (slots_.size() >= kMaxNames) {
    const auto known = slots_.find(name);
    return known == slots_.end() ? kNoSlot : known->second;
  }
  const auto [place, is_new] = slots_.try_emplace(name, static_cast<int>(slots_.size()));
  if (is_new || static_cast<std::size_t>(place->second) >= env_.size()) env_.resize(slots_.size(), kUnset);
  return place->second;
}

void FunctionRun::store(int slot, Ref value) {
  if (slot == kNoSlot) return;
  if (static_cast<std::size_t>(slot) >= env_.size()) env_.resize(slots_.size(), kUnset);
  env_[slot] = value == kUnset ? kDull : value;
}

const Value* FunctionRun::local(std::string_view name) const {
  const auto found = slots_.find(name);
  if (found == slots_.end() || static_cast<std::size_t>(found->second) >= env_.size()) return nullptr;
  const Ref ref = env_[found->second];
  return ref == kUnset ? nullptr : &pool_[ref];
}

/// Text of a name or a chain of attributes on a name; empty for anything else.
std::string_view FunctionRun::path_of(const Expr& expression) const {
  if (const auto* name = as<Name>(&expression)) return name->id;
  const Expr* base = &expression;
  while (const auto* attribute = as<Attribute>(base)) base = attribute->value;
  return is<Name>(base) ? text(expression) : std::string_view{};
}

bool FunctionRun::is_self(const Expr& expression) const {
  const auto* name = as<Name>(&expression);
  return name != nullptr && !self_name_.empty() && name->id == self_name_;
}

Variation FunctionRun::truth_variation(Ref value) const {
  const Value& row = at(value);
  Variation varies = row.presence;
  if (row.form != Form::kScalar) varies.join(row.extent);
  if (row.form == Form::kScalar || row.form == Form::kTensor) varies.join(row.value);
  return varies;
}

std::optional<bool> FunctionRun::truth(Ref ref) const {
  const Value& value = at(ref);
  switch (value.constant) {
    case ConstantTag::kNone:
    case ConstantTag::kFalse:
      return false;
    case ConstantTag::kTrue:
      return true;
    case ConstantTag::kInt:
      return value.number != 0;
    default:
      return std::nullopt;
  }
}

FunctionRun::Ref FunctionRun::evaluate(const Expr& expression) {
  if (in_.depth_ > Interpreter::kMaxDepth) return kDull;
  ++in_.depth_;
  Ref result = kDull;
  switch (expression.kind) {
    case NodeKind::kName:
      result = evaluate_name(as<Name>(&expression)->id);
      break;
    case NodeKind::kConstant:
      result = evaluate_constant(*as<Constant>(&expression));
      break;
    case NodeKind::kAttribute:
      result = evaluate_attribute(*as<Attribute>(&expression));
      break;
    case NodeKind::kSubscript:
      result = evaluate_subscript(*as<Subscript>(&expression));
      break;
    case NodeKind::kCall:
      result = evaluate_call(*as<Call>(&expression));
      break;
    case NodeKind::kBoolOp:
      result = evaluate_bool(*as<BoolOp>(&expression));
      break;
    case NodeKind::kCompare:
      result = evaluate_compare(*as<Compare>(&expression));
      break;
    case NodeKind::kIfExp:
      result = evaluate_choice(*as<IfExp>(&expression));
      break;
    case NodeKind::kBinOp: {
      const auto& node = *as<BinOp>(&expression);
      const Ref left = evaluate(*node.left);
      result = evaluate_binary(node.op, left, evaluate(*node.right));
      break;
    }
    case NodeKind::kUnaryOp: {
      const auto& node = *as<UnaryOp>(&expression);
      const Ref operand = evaluate(*node.operand);
      Value value;
      value.value = truth_variation(operand);
      value.form = Form::kScalar;
      value.is_direct = at(operand).is_direct;
      if (node.op == UnaryOperator::kNot) {
        if (const auto known = truth(operand)) value.constant = *known ? ConstantTag::kFalse : ConstantTag::kTrue;
      } else if (node.op == UnaryOperator::kMinus && at(operand).constant == ConstantTag::kInt) {
        value.constant = ConstantTag::kInt;
        value.number = -at(operand).number;
      }
      result = add(value);
      break;
    }
    case NodeKind::kNamedExpr: {
      const auto& node = *as<NamedExpr>(&expression);
      result = evaluate(*node.value);
      assign(*node.target, result, node.value);
      break;
    }
    case NodeKind::kList:
      result = evaluate_sequence(as<List>(&expression)->elements, ValueKind::kPlain);
      break;
    case NodeKind::kTuple:
      result = evaluate_sequence(as<Tuple>(&expression)->elements, ValueKind::kPlain);
      break;
    case NodeKind::kSet:
      result = evaluate_sequence(as<Set>(&expression)->elements, ValueKind::kUnordered);
      break;
    case NodeKind::kDict: {
      const auto& node = *as<Dict>(&expression);
      result = evaluate_sequence(node.values, ValueKind::kPlain);
      break;
    }
    case NodeKind::kListComp: {
      const auto& node = *as<ListComp>(&expression);
      result = evaluate_comprehension(*node.element, nullptr, node.generators, false);
      break;
    }
    case NodeKind::kGeneratorExp: {
      const auto& node = *as<GeneratorExp>(&expression);
      result = evaluate_comprehension(*node.element, nullptr, node.generators, false);
      break;
    }
    case NodeKind::kSetComp: {
      const auto& node = *as<SetComp>(&expression);
      result = evaluate_comprehension(*node.element, nullptr, node.generators, true);
      break;
    }
    case NodeKind::kDictComp: {
      const auto& node = *as<DictComp>(&expression);
      result = evaluate_comprehension(*node.key, node.value, node.generators, false);
      break;
    }
    case NodeKind::kStarred:
      result = evaluate(*as<Starred>(&expression)->value);
      break;
    case NodeKind::kAwait:
      result = evaluate(*as<Await>(&expression)->value);
      break;
    case NodeKind::kYield:
      evaluate_maybe(as<Yield>(&expression)->value);
      break;
    case NodeKind::kYieldFrom:
      evaluate(*as<YieldFrom>(&expression)->value);
      break;
    case NodeKind::kJoinedStr: {
      Value value;
      value.form = Form::kScalar;
      for (const Expr* part : as<JoinedStr>(&expression)->values) {
        if (const auto* field = as<FormattedValue>(part)) value.value.join(at(evaluate(*field->value)).value);
      }
      result = value.value.empty() ? kDull : add(value);
      break;
    }
    default:
      break;
  }
  --in_.depth_;
  return result == kUnset ? kDull : result;
}

FunctionRun::Ref FunctionRun::evaluate_constant(const Constant& constant) {
  Value value;
  value.form = constant.constant_kind == ConstantKind::kNone ? Form::kUnknown : Form::kScalar;
  switch (constant.constant_kind) {
    case ConstantKind::kNone:
      value.constant = ConstantTag::kNone;
      break;
    case ConstantKind::kTrue:
      value.constant = ConstantTag::kTrue;
      break;
    case ConstantKind::kFalse:
      value.constant = ConstantTag::kFalse;
      break;
    case ConstantKind::kInt: {
      const auto parsed =
          std::from_chars(constant.text.data(), constant.text.data() + constant.text.size(), value.number);
      if (parsed.ptr == constant.text.data() + constant.text.size()) value.constant = ConstantTag::kInt;
      break;
    }
    default:
      break;
  }
  return add(value);
}

FunctionRun::Ref FunctionRun::evaluate_name(std::string_view name) {
  const int place = slot(name);
  if (place == kNoSlot) return kDull;
  if (static_cast<std::size_t>(place) < env_.size() && env_[place] != kUnset) return env_[place];
  if (row_.kind == program::FunctionKind::kModuleBody) return kDull;
  const Value free = in_.free_variable(function_, name);
  Ref result = kDull;
  if (!free.dull()) {
    result = add(free);
  } else if (const NameFacts& facts = in_.name_facts(name); facts.group) {
    result = group_value(in_.groups.known(*facts.group, name));
  }
  store(place, result);  // a global is looked up once
  return result;
}

/// What a name alone says: a group, a rank, a role. `is_call`: it is the name of a function that is called.
FunctionRun::Ref FunctionRun::named_value(std::string_view name, const Node& place, bool is_call) {
  const NameFacts& facts = in_.name_facts(name);
  if (facts.group) return group_value(in_.groups.known(*facts.group, name));
  const std::optional<Bits> bits = facts.rank ? facts.rank : facts.role;
  if (bits) {
    const bool certain = is_call && !facts.names_rank_plainly;
    const std::string what = facts.rank ? "this process's rank" : "a role that only some ranks have";
    const SourceId from = source(place, fmt::format("`{}` is {}", name, what), 0,
                                 certain ? "" : fmt::format("that `{}` is {} is read off its name", name, what));
    const Ref result =
        varying(certain ? Variation::surely(*bits, from) : Variation::possibly(*bits, from), facts.rank.has_value());
    pool_[result].is_direct = facts.role.has_value();
    return result;
  }
  return kDull;
}

FunctionRun::Ref FunctionRun::evaluate_attribute(const Attribute& attribute) {
  const std::string_view name = attribute.name.text;
  if (const std::string_view path = path_of(attribute); !path.empty()) {
    const auto found = slots_.find(path);
    if (found != slots_.end() && static_cast<std::size_t>(found->second) < env_.size() &&
        env_[found->second] != kUnset) {
      return env_[found->second];
    }
    if (path.ends_with("group.WORLD") || path.ends_with("GroupMember.WORLD")) return group_value(in_.groups.world());
    if (path.ends_with("GroupMember.NON_GROUP_MEMBER")) return kDull;
  }
  const NameFacts& facts = in_.name_facts(name);
  if (facts.is_size) return kDull;
  if (facts.group) return group_value(in_.groups.known(*facts.group, name));
  if (is_self(*attribute.value) && self_class_.valid()) {
    const Value known = in_.attribute(self_class_, name);
    if (!known.dull()) return add(known);
    return named_value(name, attribute, false);
  }
  // pg_collection.tp, self.groups.dp_cp
  const Expr& base = *attribute.value;
  const std::string_view base_name = is<Name>(&base)        ? as<Name>(&base)->id
                                     : is<Attribute>(&base) ? as<Attribute>(&base)->name.text
                                                            : std::string_view{};
  if (!base_name.empty() && in_.name_facts(base_name).is_group_holder) {
    const NamedDimensions named = in_.dimensions.dimensions_in(name);
    if (named.bits != 0) return group_value(in_.groups.known(named, name));
  }
  const Ref receiver = evaluate(base);
  const Value& value = at(receiver);
  if (name == "shape" || name == "size") {
    if (value.extent.empty()) return kDull;
    Value extent;
    extent.value = value.extent;
    extent.form = Form::kScalar;
    return add(extent);
  }
  if (value.kind == ValueKind::kModelParts) {
    Value part = value;
    if (facts.is_shard) part.value.join(shard_variation(name, attribute));
    part.form = Form::kScalar;
    return add(part);
  }
  if (name == "data" || name == "T" || name == "grad") return receiver;
  return named_value(name, attribute, false);
}

FunctionRun::Ref FunctionRun::evaluate_subscript(const Subscript& subscript) {
  const std::string_view base_path = path_of(*subscript.value);
  if (base_path == "os.environ" || base_path == "environ") {
    const auto* key = as<Constant>(subscript.index);
    const std::string lowered = key == nullptr ? "" : std::string(key->text);
    if (lowered == "RANK" || lowered == "LOCAL_RANK" || lowered == "SLURM_PROCID" || lowered == "SLURM_LOCALID") {
      return varying(
          Variation::surely(kEveryRank, source(subscript, fmt::format("`{}` is this process's rank", lowered))), true);
    }
    return kDull;
  }
  const Ref base = evaluate(*subscript.value);
  const auto* held = as<Attribute>(subscript.value);
  if (at(base).kind == ValueKind::kMesh || (held != nullptr && in_.name_facts(held->name.text).is_mesh) ||
      (!base_path.empty() && in_.name_facts(base_path.substr(base_path.rfind('.') + 1)).is_mesh)) {
    if (const auto bits = mesh_dimensions_in(*subscript.index)) return mesh_value(*bits);
  }
  Value result;
  if (const auto* slice = as<Slice>(subscript.index)) {
    result = at(base);
    result.constant = ConstantTag::kUnknown;
    result.elements = 0;
    result.length = -1;
    Variation lower = slice->lower == nullptr ? Variation{} : at(evaluate(*slice->lower)).value;
    Variation upper = slice->upper == nullptr ? Variation{} : at(evaluate(*slice->upper)).value;
    if (slice->step != nullptr) evaluate(*slice->step);
    result.value.join(lower);
    result.value.join(upper);
    // x[a:b] with both ends moving is usually a block of one size; x[:n] is not.
    if (slice->lower == nullptr) result.extent.join(upper);
    return add(result);
  }
  const Ref index = evaluate(*subscript.index);
  const Value& container = at(base);
  if (container.elements != 0 && at(index).constant == ConstantTag::kInt) {
    const auto& elements = in_.elements(container.elements);
    std::int64_t number = at(index).number;
    if (number < 0) number += static_cast<std::int64_t>(elements.size());
    if (number >= 0 && static_cast<std::size_t>(number) < elements.size()) return add(elements[number]);
  }
  if (container.group != 0) return base;  // a list of groups
  if (container.kind == ValueKind::kModelParts) return base;
  if (container.form == Form::kTensor) {
    result.value = container.value;
    result.form = Form::kTensor;
  }
  if (at(index).form == Form::kScalar) result.value.join(at(index).value);
  if (result.value.empty()) return kDull;
  return add(result);
}

/// Which shards of the parameters and the optimizer's state a rank owns differs along the data-parallel dimensions.
Variation FunctionRun::shard_variation(std::string_view name, const Node& place) {
  const SourceId from = source(place, fmt::format("`{}`: which shards a rank owns differs along dp and cp", name), 0,
                               "that the ranks own different numbers of shards");
  return Variation::possibly(in_.dimensions.dimensions_in("dp_cp").bits, from);
}

FunctionRun::Ref FunctionRun::evaluate_binary(BinaryOperator op, Ref left, Ref right) {
  const Value& a = at(left);
  const Value& b = at(right);
  if (left == kDull && right == kDull) return kDull;
  Value result;
  const auto either = [&](Form form) { return a.form == form || b.form == form; };
  result.form = either(Form::kTensor)      ? Form::kTensor
                : either(Form::kContainer) ? Form::kContainer
                : either(Form::kScalar)    ? Form::kScalar
                                           : Form::kUnknown;
  result.value = a.value;
  result.value.join(b.value);
  result.extent = a.extent;
  result.extent.join(b.extent);
  result.order = a.order;
  result.order.join(b.order);
  if (a.kind == ValueKind::kUnordered || b.kind == ValueKind::kUnordered) result.kind = ValueKind::kUnordered;
  const bool cuts = op == BinaryOperator::kMod || op == BinaryOperator::kFloorDiv;
  const bool both = a.value.any() != 0 && b.value.any() != 0;
  const bool cancels = both && (op == BinaryOperator::kSub || op == BinaryOperator::kAdd) && (a.is_rank || b.is_rank);
  if ((cuts && a.is_rank) || cancels) result.value = result.value.somewhere();
  if (op == BinaryOperator::kMult && a.length == 1) result.length = -1;
  if (op == BinaryOperator::kMult && a.length >= 0) result.extent.join(b.value);  // [0] * n
  return add(result);
}

FunctionRun::Ref FunctionRun::evaluate_sequence(Seq<Expr> elements, ValueKind kind) {
  constexpr std::size_t kMaxElements = 8;
  Value result;
  result.kind = kind;
  result.form = Form::kContainer;
  result.length = static_cast<std::int32_t>(elements.size());
  std::vector<Value> known;
  bool interesting = false;
  bool all_numbers = true;
  bool all_texts = true;
  for (const Expr* element : elements) {
    if (element == nullptr) continue;
    const Ref ref = evaluate(*element);
    const auto* constant = as<Constant>(element);
    all_numbers = all_numbers && constant != nullptr && constant->constant_kind == ConstantKind::kInt;
    all_texts = all_texts && constant != nullptr && constant->constant_kind == ConstantKind::kStr;
    result.value.join(at(ref).value);
    if (is<Starred>(element)) {
      result.extent.join(at(ref).extent);
      result.length = -1;
    }
    interesting = interesting || at(ref).varies() || at(ref).group != 0;
    if (known.size() < kMaxElements) known.push_back(at(ref));
    if (at(ref).group != 0 && result.group == 0 && kind == ValueKind::kPlain) result.group = at(ref).group;
  }
  if (interesting && elements.size() <= kMaxElements && result.length >= 0)
    result.elements = in_.add_elements(std::move(known));
  if (result.elements != 0 || elements.size() != 1) result.group = 0;
  if (kind == ValueKind::kUnordered && (elements.size() < 2 || all_numbers)) result.kind = ValueKind::kPlain;
  if (result.kind == ValueKind::kUnordered && all_texts) result.order = unordered(*elements[0], true);
  return add(result);
}

/// Variation of the order in which a set is iterated. Hashes of strings differ from process to process, those of
/// objects follow their addresses; numbers come out alike.
Variation FunctionRun::unordered(const Node& place, bool of_texts) {
  const SourceId from =
      source(place, "the order in which a set is iterated differs between processes", 0,
             of_texts ? ""
                      : "what the set holds: strings and objects come out in another order on every rank, "
                        "small integers do not");
  return of_texts ? Variation::surely(kEveryRank, from) : Variation::possibly(kEveryRank, from);
}

Variation FunctionRun::iteration_order(Ref iterable, const Expr& expression) {
  const Value& value = at(iterable);
  if (value.kind != ValueKind::kUnordered || !value.order.empty()) return value.order;
  const std::string_view path = path_of(expression);
  const std::string_view name = path.substr(path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.') + 1);
  return DimensionTable::is_number_name(name) ? Variation{} : unordered(expression, false);
}

FunctionRun::Ref FunctionRun::evaluate_comprehension(const Expr& element, const Expr* second,
                                                     Seq<Comprehension> generators, bool is_set) {
  std::vector<std::pair<int, Ref>> hidden;
  Value result;
  Variation filter;
  for (const Comprehension* generator : generators) {
    const Ref iterable = evaluate(*generator->iterable);
    result.extent.join(at(iterable).extent);
    result.order.join(iteration_order(iterable, *generator->iterable));
    walk_of<Name>(*generator, Nested::kSkip, [&](const Name* name) {
      if (name->context == ExprContext::kStore) {
        const int place = slot(name->id);
        if (place != kNoSlot) hidden.emplace_back(place, env_[place]);
      }
    });
    assign(*generator->target, element_of(iterable), nullptr);
    for (const Expr* condition : generator->conditions) filter.join(truth_variation(evaluate(*condition)));
  }
  result.extent.join(filter);
  Sequence trace = traced([&] {
    result.value.join(at(evaluate(element)).value);
    if (second != nullptr) result.value.join(at(evaluate(*second)).value);
  });
  if (!trace.empty() && !generators.empty()) {
    TraceNode node;
    node.kind = TraceKind::kLoop;
    node.place = generators[0]->iterable;
    node.varies = result.extent;
    node.order = result.order;
    node.branches.push_back(std::move(trace));
    node.branches.emplace_back();
    trace_->push_back(std::move(node));
  }
  for (auto it = hidden.rbegin(); it != hidden.rend(); ++it) store(it->first, it->second);
  result.form = Form::kContainer;
  if (is_set) {
    result.kind = ValueKind::kUnordered;
    result.order = {};
  }
  return add(result);
}

FunctionRun::Ref FunctionRun::element_of(Ref iterable) {
  const Value& container = at(iterable);
  if (container.dull()) return kDull;
  Value element;
  if (container.form == Form::kTensor) {
    element.value = container.value;
    element.form = Form::kTensor;
  }
  element.group = container.group;
  if (container.group != 0) element.kind = ValueKind::kGroup;
  if (container.kind == ValueKind::kModelParts) element.kind = ValueKind::kModelParts;
  return add(element);
}

}  // namespace lockstep::mesh
