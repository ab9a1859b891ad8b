// Collectives and process groups: which group a call uses, what the call does to its buffers, arguments that must agree
// between the ranks (root, shape, reduce operation), and methods of groups, meshes and containers.
#include <fmt/format.h>

#include <algorithm>

#include "mesh/interpreter.h"
#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;

namespace {

/// `list(range(world_size))`, `range(n)`: every rank, as far as can be told.
bool lists_every_rank(const Expr& expression, const Interpreter& interpreter, program::ModuleId module) {
  const std::string_view text = interpreter.text_of(module, expression);
  const bool is_range = text.starts_with("range(") || text.starts_with("list(range(");
  if (!is_range || text.find(',') != std::string_view::npos) return false;
  return text.find("world") != std::string_view::npos || text.find("(W)") != std::string_view::npos ||
         text.find("WORLD") != std::string_view::npos;
}

/// Methods of tensors whose result has an extent of its own.
bool reduces(std::string_view name) {
  constexpr std::string_view kReductions[] = {"item", "sum", "mean", "max", "min", "any", "all", "norm", "index"};
  return std::find(std::begin(kReductions), std::end(kReductions), name) != std::end(kReductions);
}

}  // namespace

FunctionRun::Ref FunctionRun::group_value(GroupId group) {
  Value value;
  value.group = group;
  value.kind = ValueKind::kGroup;
  return add(value);
}

FunctionRun::Ref FunctionRun::mesh_value(Bits bits) {
  Value value;
  value.group = in_.groups.known({bits, false}, "mesh");
  value.kind = ValueKind::kMesh;
  return add(value);
}

GroupId FunctionRun::local_symbol(std::string_view name, bool is_parameter) {
  // One name is one group in both branches of a condition.
  const auto known = std::find_if(symbols_.begin(), symbols_.end(), [&](const auto& row) { return row.first == name; });
  if (known != symbols_.end()) return known->second;
  const GroupId group = next_symbol_ >= kFirstAttributeSymbol ? in_.groups.unknown(name)
                                                              : in_.groups.symbol(next_symbol_++, name, is_parameter);
  symbols_.emplace_back(name, group);
  return group;
}

/// Dimensions that a string, or a tuple of strings, names: the index of `mesh["tp"]`.
std::optional<Bits> FunctionRun::mesh_dimensions_in(const Expr& expression) {
  if (const auto* constant = as<Constant>(&expression);
      constant != nullptr && constant->constant_kind == ConstantKind::kStr) {
    const Bits bits = in_.dimensions.mesh_dimension(constant->text);
    return bits == 0 ? std::nullopt : std::optional<Bits>(bits);
  }
  Seq<Expr> elements;
  if (const auto* tuple = as<Tuple>(&expression)) elements = tuple->elements;
  if (const auto* list = as<List>(&expression)) elements = list->elements;
  Bits bits = 0;
  for (const Expr* element : elements) {
    const auto one = mesh_dimensions_in(*element);
    if (!one) return std::nullopt;
    bits |= *one;
  }
  return bits == 0 ? std::nullopt : std::optional<Bits>(bits);
}

/// Dimensions of `dims.get_mesh("tp")`, `dims.get_optional_mesh(["dp", "cp"])`.
std::optional<Bits> FunctionRun::mesh_asked_for(const Call& call) {
  const auto* callee = as<Attribute>(call.callee);
  if (callee == nullptr || (callee->name.text != "get_mesh" && callee->name.text != "get_optional_mesh"))
    return std::nullopt;
  const Expr* names = argument_expression(call, 0, "mesh_dim");
  return names == nullptr ? std::nullopt : mesh_dimensions_in(*names);
}

/// The group that an argument is: what it is known to hold, else what its text says, else a group of its own.
GroupId FunctionRun::group_of(Ref value, const Expr& expression) {
  if (at(value).group != 0) return at(value).group;
  const std::string_view path = path_of(expression);
  if (path.empty()) return in_.groups.unknown(text(expression));
  // One path is one group throughout the function: it keeps its symbol.
  Value symbol = at(value);
  symbol.value = {};
  symbol.kind = ValueKind::kGroup;
  symbol.group = local_symbol(path, false);
  assign_path(path, add(symbol));
  return symbol.group;
}

GroupId FunctionRun::group_argument(const Call& call, const CollectiveModel& model, const CallArguments& arguments) {
  if (const auto* method = model.is_of_object ? as<Attribute>(call.callee) : nullptr)
    return in_.groups.unknown(fmt::format("{}.group", text(*method->value)));
  for (const std::string_view keyword : {"group", "process_group", "pg"}) {
    const Ref value = argument(call, arguments, keyword == "group" ? model.group : -1, keyword);
    if (value == kUnset) continue;
    if (at(value).constant == ConstantTag::kNone) return in_.groups.world();
    const Expr* expression = argument_expression(call, keyword == "group" ? model.group : -1, keyword);
    return expression == nullptr ? in_.groups.unknown("…") : group_of(value, *expression);
  }
  return arguments.has_star ? in_.groups.unknown("…") : in_.groups.world();
}

FunctionRun::Ref FunctionRun::make_group(const Call& call, const CallArguments& arguments) {
  const Expr* ranks = argument_expression(call, 0, "ranks");
  const auto* none = as<Constant>(ranks);
  const bool everyone = ranks == nullptr || (none != nullptr && none->constant_kind == ConstantKind::kNone) ||
                        lists_every_rank(*ranks, in_, module_);
  static_cast<void>(arguments);
  if (next_symbol_ >= kFirstAttributeSymbol) return group_value(in_.groups.unknown(text(call)));
  const std::string name = fmt::format("group of line {}", in_.line_of(module_, call.span.begin) + 1);
  return group_value(in_.groups.fresh(everyone ? kEveryRank : 0, next_symbol_++, name));
}

/// The ranks of `new_group(ranks, use_local_synchronization=…)`: its members alone need to call it
/// (torch.distributed.new_group). Where a variable decides, it may be so. Null for other calls.
const Expr* FunctionRun::new_members(const Call& call) {
  const Expr* local = argument_expression(call, -1, "use_local_synchronization");
  const auto* constant = as<Constant>(local);
  const bool is_local = local != nullptr && (constant == nullptr || constant->constant_kind == ConstantKind::kTrue);
  return is_local ? argument_expression(call, 0, "ranks") : nullptr;
}

FunctionRun::Ref FunctionRun::call_collective(const Call& call, const CollectiveModel& model,
                                              const CallArguments& arguments) {
  TraceNode node;
  node.kind = TraceKind::kEvent;
  node.place = &call;
  node.event = {function_, &call, &model, 0, model.always_async, {}};
  if (const Ref moved = argument(call, arguments, model.buffer, "tensor"); moved != kUnset)
    node.event.extent = at(moved).extent;
  const Expr* members = model.creates_group ? new_members(call) : nullptr;
  node.event.group = !model.creates_group ? group_argument(call, model, arguments)
                     : members != nullptr ? in_.groups.unknown(text(*members))
                                          : in_.groups.world();
  const Ref async_op = argument(call, arguments, model.async_op, "async_op");
  if (async_op != kUnset && at(async_op).constant == ConstantTag::kTrue) node.event.is_async = true;
  const TraceEvent event = node.event;
  trace_->push_back(std::move(node));
  check_arguments(call, model, arguments, event);
  if (model.operation == "init_device_mesh") {
    const Expr* names = argument_expression(call, 2, "mesh_dim_names");
    const auto bits = names == nullptr ? std::nullopt : mesh_dimensions_in(*names);
    return mesh_value(bits.value_or(kEveryRank));
  }
  if (model.creates_group) return make_group(call, arguments);
  const GroupInfo& group = in_.groups[event.group];
  // Of a group that is not known nothing worse is assumed than that it is the right one.
  const bool known = group.kind == Group::Kind::kWorld || group.kind == Group::Kind::kKnown;
  const Bits span = known ? group.span | kSomeRanks : kEveryRank;
  const Expr* buffer = argument_expression(call, model.buffer, {});
  if (buffer == nullptr && model.buffer >= 0) {
    for (const std::string_view keyword :
         {"tensor", "output", "output_tensor", "tensor_list", "object_list", "input"}) {
      if (buffer == nullptr) buffer = argument_expression(call, -1, keyword);
    }
  }
  switch (model.effect) {
    case CollectiveEffect::kBuffer:
      if (buffer != nullptr) clean(*buffer, span);
      return kDull;
    case CollectiveEffect::kReturned: {
      Value result = at(argument(call, arguments, model.buffer, "tensor"));
      result.value.remove(span);
      return add(result);
    }
    default:
      return kDull;
  }
}

/// After a collective `buffer` is the same along `bits`.
void FunctionRun::clean(const Expr& buffer, Bits bits) {
  const Expr* root = &buffer;
  while (true) {
    if (const auto* subscript = as<Subscript>(root)) {
      root = subscript->value;
    } else if (const auto* attribute = as<Attribute>(root); attribute != nullptr && attribute->name.text == "data") {
      root = attribute->value;
    } else {
      break;
    }
  }
  if (const auto* list = as<List>(root)) {
    for (const Expr* element : list->elements) clean(*element, bits);
    return;
  }
  const std::string_view path = path_of(*root);
  if (path.empty()) return;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].first != path) continue;
    if (result_.cleaned.size() <= i) result_.cleaned.resize(parameters_.size(), 0);
    result_.cleaned[i] |= bits;
  }
  Value cleaned = at(evaluate(*root));
  cleaned.value.remove(bits);
  cleaned.extent.remove(is<Subscript>(&buffer) ? 0 : bits);
  cleaned.order.remove(bits);
  cleaned.presence.remove(bits);
  cleaned.elements = 0;
  cleaned.is_rank = false;
  assign_path(path, add(cleaned));
}

void FunctionRun::report_argument(Divergence::Kind kind, const Node& place, const Variation& variation,
                                  const TraceEvent& event) {
  const Bits span = in_.groups[event.group].span;
  const GroupInfo& group = in_.groups[event.group];
  const bool known = group.kind == Group::Kind::kWorld || group.kind == Group::Kind::kKnown;
  const bool same_symbol = !known && variation.sure != kEveryRank;
  const bool sure = (variation.sure & span & ~kSomeRanks) != 0;
  if (!known && !(sure && same_symbol)) return;
  if (!sure && kind == Divergence::Kind::kShape) return;
  const Bits bits = (sure ? variation.sure : variation.maybe) & span;
  if (bits == 0 || bits == kSomeRanks) return;
  RawDivergence found;
  found.kind = kind;
  found.function = function_;
  found.place = &place;
  found.bits = bits;
  found.source = sure ? variation.sure_source : variation.maybe_source;
  found.event = event;
  found.proven = sure;
  if (!sure) found.doubt = in_.sources.doubt_of(found.source);
  found.outcome = kind == Divergence::Kind::kShape ? "hang" : "wrong values";
  in_.report(std::move(found));
}

void FunctionRun::check_arguments(const Call& call, const CollectiveModel& model, const CallArguments& arguments,
                                  const TraceEvent& event) {
  if (model.is_point_to_point || model.creates_group) return;
  if (model.root >= 0) {
    for (const std::string_view keyword : {"src", "dst"}) {
      const Ref root = argument(call, arguments, model.root, keyword);
      const Expr* expression = argument_expression(call, model.root, keyword);
      // Inside a branch, that of the leader say, a rank may well name itself.
      if (root == kUnset || expression == nullptr || !at(root).is_rank || branch_depth_ > 0) continue;
      report_argument(Divergence::Kind::kRoot, *expression, at(root).value, event);
      break;
    }
  }
  if (const Expr* op = argument_expression(call, -1, "op"); op != nullptr) {
    report_argument(Divergence::Kind::kOperation, *op, at(argument(call, arguments, -1, "op")).value, event);
  }
  if (model.shapes_must_match) {
    for (const int position : {model.buffer, model.input}) {
      if (position < 0) continue;
      const Expr* tensor = argument_expression(call, position, {});
      if (tensor != nullptr)
        report_argument(Divergence::Kind::kShape, *tensor, at(argument(call, arguments, position, {})).extent, event);
    }
  }
  if (model.operation == "all_to_all_single") {
    // What one side sends is what the other receives: splits that vary on one side only cannot match.
    const Expr* output = argument_expression(call, 2, "output_split_sizes");
    const Expr* input = argument_expression(call, 3, "input_split_sizes");
    if (output == nullptr || input == nullptr) return;
    const auto literal = [](const Expr* expression) { return is<List>(expression); };
    const Ref out = argument(call, arguments, 2, "output_split_sizes");
    const Ref in = argument(call, arguments, 3, "input_split_sizes");
    if (literal(output) && at(out).value.empty())
      report_argument(Divergence::Kind::kShape, *input, at(in).value, event);
    if (literal(input) && at(in).value.empty())
      report_argument(Divergence::Kind::kShape, *output, at(out).value, event);
  }
}

FunctionRun::Ref FunctionRun::call_group_method(const Call& call, std::string_view name, const Value& receiver,
                                                const CallArguments& arguments) {
  const auto rank_of = [&](Bits bits) {
    return varying(Variation::surely(bits, source(call, fmt::format("`{}` is a rank", text(call)))), true);
  };
  const Expr* first = argument_expression(call, 0, "mesh_dim");
  const auto named = first == nullptr ? std::nullopt : mesh_dimensions_in(*first);
  static_cast<void>(arguments);
  if (receiver.kind == ValueKind::kMesh) {
    const Bits own = named.value_or(in_.groups[receiver.group].span);
    if (name == "get_group") return group_value(in_.groups.known({own, false}, "mesh"));
    if (name == "get_local_rank") return rank_of(own);
    if (name == "get_rank" || name == "get_coordinate") return rank_of(kEveryRank);
    // `mesh["batch", "cp"]._flatten("loss")` is as wide as what it flattens, whatever it is called.
    if (name == "_flatten") return mesh_value(in_.groups[receiver.group].span);
    if (name == "_unflatten") return mesh_value(own);
    return kDull;
  }
  if (name == "rank") {
    const Bits span = in_.groups[receiver.group].span;
    return span == 0 ? kDull : rank_of(span);
  }
  return kDull;
}

FunctionRun::Ref FunctionRun::call_method(const Call& call, const Attribute& callee, const CallArguments& arguments) {
  const std::string_view name = callee.name.text;
  const Ref receiver_ref = evaluate(*callee.value);
  const Value receiver = at(receiver_ref);
  if (receiver.group != 0) return call_group_method(call, name, receiver, arguments);
  const std::string_view base = path_of(*callee.value);
  const std::string_view last = base.substr(base.rfind('.') == std::string_view::npos ? 0 : base.rfind('.') + 1);
  const Expr* first_expression = argument_expression(call, 0, "mesh_dim");
  if (!last.empty() && in_.name_facts(last).is_mesh) {
    // tp_mesh.get_group(), mesh.get_local_rank("tp")
    const auto named = first_expression == nullptr ? std::nullopt : mesh_dimensions_in(*first_expression);
    const Bits own = named.value_or(in_.dimensions.dimensions_in(last).bits);
    if (own != 0) {
      Value mesh;
      mesh.kind = ValueKind::kMesh;
      mesh.group = in_.groups.known({own, false}, last);
      return call_group_method(call, name, mesh, arguments);
    }
  }
  if (const auto bits = mesh_asked_for(call)) return mesh_value(*bits);
  if (name == "parameters" || name == "named_parameters" || name == "modules" || name == "named_modules") {
    Value parts;
    parts.kind = ValueKind::kModelParts;
    return add(parts);
  }
  const Ref first = argument(call, arguments, 0, {});
  Value result;
  switch (find_method_model(name)) {
    case MethodKind::kPropagate:
      result = receiver;
      result.constant = ConstantTag::kUnknown;
      result.elements = 0;
      if (name == "values" || name == "keys" || name == "items") return add(result);
      result.kind = ValueKind::kPlain;
      result.is_rank = receiver.is_rank && (name == "item" || name == "int");
      result.is_direct = false;
      if (name == "item" && receiver.form == Form::kTensor) result.form = Form::kScalar;
      if (reduces(name)) result.extent = {};
      if (receiver.form == Form::kContainer || receiver.form == Form::kUnknown) result.value = {};
      return add(result);
    case MethodKind::kExtent:
      if (receiver.extent.empty()) return kDull;
      result.form = Form::kScalar;
      result.value = receiver.extent;
      return add(result);
    case MethodKind::kGrow: {
      if (base.empty()) return kDull;
      Value grown = receiver;
      grown.length = -1;
      grown.elements = 0;
      grown.constant = ConstantTag::kUnknown;
      if (first != kUnset) grown.value.join(at(first).value);
      if (name == "extend" || name == "update") {
        grown.extent.join(at(first).extent);
        if (first != kUnset && receiver.kind != ValueKind::kUnordered)
          grown.order.join(iteration_order(first, *call.arguments[0]));
      }
      grown.is_grown = true;
      assign_path(base, add(grown));
      return kDull;
    }
    case MethodKind::kSetValue:
    case MethodKind::kClear: {
      if (base.empty()) return receiver_ref;
      Value changed = receiver;
      changed.value = first == kUnset ? Variation{} : at(first).value;
      assign_path(base, add(changed));
      return add(changed);
    }
    case MethodKind::kQueueState: {
      constexpr std::string_view kQueueWord = "queue";
      if (last.find(kQueueWord) == std::string_view::npos && last != "q") return kDull;
      return varying(
          Variation::possibly(kEveryRank, source(call, fmt::format("`{}` asks a queue of this process", text(call)), 0,
                                                 "whether the queues of all ranks hold the same", true)));
    }
    case MethodKind::kListing: {
      if (name == "glob" && last.find("path") == std::string_view::npos && last.find("dir") == std::string_view::npos)
        return kDull;
      result.order =
          Variation::possibly(kEveryRank, source(call, fmt::format("`{}` lists files in no certain order", name), 0,
                                                 "whether all ranks see the same files in the same order", true));
      return add(result);
    }
    case MethodKind::kFileSystem:
      return varying(Variation::possibly(
          kEveryRank, source(call, "the local file system is asked", 0, "whether all ranks see the same files", true)));
    default:
      break;
  }
  return named_call(call, name, arguments);
}

}  // namespace lockstep::mesh
