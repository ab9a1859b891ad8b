#include "rules/communication/group_queries.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using mesh::Bits;

namespace {

constexpr Bits kContextParallel = Bits{1} << 3;  // "cp" in mesh::DimensionTable.

/// Words of groups that hold only a part of the ranks along their dimensions.
bool is_partial(std::string_view name) {
  constexpr std::array<std::string_view, 8> kWords = {"partial", "intra", "inter",     "hierarchical",
                                                      "virtual", "node",  "embedding", "local"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return contains(name, word); });
}

std::optional<bool> constant_flag(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  if (constant == nullptr) return std::nullopt;
  if (constant->constant_kind == ConstantKind::kTrue) return true;
  if (constant->constant_kind == ConstantKind::kFalse) return false;
  return std::nullopt;
}

std::optional<Bits> known(Bits bits) {
  if (bits == 0 || (bits & mesh::kNamedBits) == mesh::kNamedBits) return std::nullopt;
  return bits;
}

}  // namespace

const Expr* GroupQueries::only_value(const Expr& name) const {
  const std::string_view wanted = name_of(&name);
  if (wanted.empty()) return nullptr;
  const Expr* value = nullptr;
  int count = 0;
  walk(*program_.functions()[function_].node, Nested::kSkip, [&](const Node* node) {
    const auto* assign = as<Assign>(node);
    if (assign != nullptr && assign->targets.size() == 1 && name_of(assign->targets[0]) == wanted)
      value = assign->value;
    const auto* stored = as<Name>(node);
    if (stored != nullptr && stored->id == wanted && stored->context == ExprContext::kStore) ++count;
  });
  return count == 1 ? value : nullptr;
}

std::optional<Bits> GroupQueries::named_by_call(std::string_view name, const Call& call) const {
  if (is_partial(name)) return std::nullopt;
  std::string words(name);
  for (const std::string_view suffix : {"_world_size", "_size", "_rank", "_group"}) {
    if (words.ends_with(suffix)) {
      words.resize(words.size() - suffix.size());
      break;
    }
  }
  Bits bits = table_.dimensions_in(words).bits;
  if (const Expr* flag = keyword_value(call, "with_context_parallel")) {
    const auto value = constant_flag(flag);
    if (!value) return std::nullopt;
    if (*value) bits |= kContextParallel;
  } else if (!call.arguments.empty()) {
    return std::nullopt;
  }
  if (keyword_value(call, "partial_data_parallel") != nullptr) return std::nullopt;
  return known(bits);
}

std::optional<Bits> GroupQueries::group(const Expr& expression) const {
  if (const auto* call = as<Call>(&expression)) {
    const std::string_view name = last_part_of(call->callee);
    if (!name.ends_with("_group")) return std::nullopt;
    return named_by_call(name, *call);
  }
  if (const auto* attribute = as<Attribute>(&expression)) {
    const std::string_view name = attribute->name.text;
    if (is_partial(name)) return std::nullopt;
    if (const auto named = table_.group_named(name)) return named->subset_only ? std::nullopt : known(named->bits);
    if (mesh::DimensionTable::is_group_holder(last_part_of(attribute->value)))
      return known(table_.dimensions_in(name).bits);
    return std::nullopt;
  }
  if (const Expr* value = only_value(expression)) return is<Name>(value) ? std::nullopt : group(*value);
  const std::string_view name = name_of(&expression);
  if (name.empty() || is_partial(name)) return std::nullopt;
  const auto named = table_.group_named(name);
  return named && !named->subset_only ? known(named->bits) : std::nullopt;
}

std::optional<GroupQuery> GroupQueries::of(const Expr& expression) const {
  if (const Expr* value = only_value(expression)) return is<Name>(value) ? std::nullopt : of(*value);
  const auto* call = as<Call>(&expression);
  if (call == nullptr) return std::nullopt;
  const std::string_view name = last_part_of(call->callee);
  const bool is_rank = name == "get_rank" || name == "get_pg_rank" || name == "get_group_rank";
  const bool is_size = name == "get_world_size" || name == "get_pg_size";
  const auto* method = as<Attribute>(call->callee);
  std::optional<Bits> bits;
  if (is_rank || is_size) {
    const Expr* given = call->arguments.size() == 1 ? call->arguments[0] : keyword_value(*call, "group");
    if (given != nullptr) bits = group(*given);
  } else if (method != nullptr && call->arguments.empty() && (name == "rank" || name == "size")) {
    bits = group(*method->value);
  } else if (name.starts_with("get_") && (name.ends_with("_rank") || name.ends_with("world_size"))) {
    // get_…_src_rank(), get_…_last_rank(): global ranks of others.
    constexpr std::array<std::string_view, 6> kOthers = {"src", "global", "_first_", "_last_", "_next_", "_prev_"};
    if (std::none_of(kOthers.begin(), kOthers.end(), [&](std::string_view word) { return contains(name, word); }))
      bits = named_by_call(name, *call);
  }
  if (!bits) return std::nullopt;
  const bool asks_rank = is_rank || name == "rank" || name.ends_with("_rank");
  return GroupQuery{asks_rank ? GroupQuery::Kind::kRank : GroupQuery::Kind::kSize, *bits};
}

}  // namespace lockstep::rules
