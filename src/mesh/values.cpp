#include "mesh/values.h"

#include <fmt/format.h>

namespace lockstep::mesh {

namespace {

/// None takes the other's form; a number or truth value makes an unknown one a scalar.
Form join_forms(const Value& a, const Value& b) {
  if (a.form == b.form) return a.form;
  if (a.constant == ConstantTag::kNone) return b.form;
  if (b.constant == ConstantTag::kNone) return a.form;
  const auto is_number = [](const Value& value) { return value.constant != ConstantTag::kUnknown; };
  if ((is_number(a) && b.form == Form::kUnknown) || (is_number(b) && a.form == Form::kUnknown)) return Form::kScalar;
  return Form::kUnknown;
}

}  // namespace

Value join_values(const Value& a, const Value& b) {
  Value result = a;
  result.value.join(b.value);
  result.extent.join(b.extent);
  result.presence.join(b.presence);
  result.order.join(b.order);
  result.form = join_forms(a, b);
  result.is_direct = a.is_direct && b.is_direct;
  result.is_grown = a.is_grown || b.is_grown;
  if (a.group != b.group) result.group = 0;
  if (a.kind != b.kind) result.kind = a.kind == ValueKind::kPlain ? b.kind : a.kind;
  if (a.constant != b.constant || a.number != b.number || a.text != b.text) result.constant = ConstantTag::kUnknown;
  if (a.length != b.length) result.length = -1;
  if (a.elements != b.elements) result.elements = 0;
  result.is_rank = a.is_rank && b.is_rank;
  return result;
}

GroupId Groups::intern(GroupInfo info) {
  const auto [place, is_new] = by_identity_.try_emplace(info.identity, static_cast<GroupId>(rows_.size()));
  if (is_new) rows_.push_back(std::move(info));
  return place->second;
}

GroupId Groups::world() {
  return intern(
      {.kind = Group::Kind::kWorld, .span = kEveryRank, .identity = "world", .text = "all ranks", .parameter = {}});
}

GroupId Groups::known(NamedDimensions dimensions, std::string_view source_name) {
  if (dimensions.bits == kEveryRank) return world();
  const std::string name(source_name);
  const std::string what =
      dimensions.subset_only ? fmt::format("`{}`", name) : dimensions_.describe_group(dimensions.bits);
  return intern({.kind = Group::Kind::kKnown,
                 .span = dimensions.bits,
                 .identity = fmt::format("{}{}", dimensions.bits, dimensions.subset_only ? "/" + name : ""),
                 .text = what,
                 .parameter = {},
                 .subset_only = dimensions.subset_only});
}

GroupId Groups::symbol(int symbol_bit, std::string_view name, bool is_parameter) {
  return intern({.kind = is_parameter ? Group::Kind::kParameter : Group::Kind::kUnknown,
                 .span = Bits{1} << symbol_bit,
                 .identity = fmt::format("symbol {} {}", symbol_bit, name),
                 .text = fmt::format("`{}`", name),
                 .parameter = is_parameter ? std::string(name) : std::string{}});
}

GroupId Groups::fresh(Bits span, int symbol_bit, std::string_view text) {
  return intern({.kind = span == kEveryRank ? Group::Kind::kKnown : Group::Kind::kUnknown,
                 .span = span != 0 ? span : Bits{1} << symbol_bit,
                 .identity = fmt::format("fresh {} {}", symbol_bit, text),
                 .text = fmt::format("`{}`", text),
                 .parameter = {},
                 .fresh = true});
}

GroupId Groups::either(GroupId group, std::string_view text) {
  GroupInfo info = rows_[group];
  info.identity = fmt::format("either {} / {}", info.identity, text);
  info.text = fmt::format("`{}`", text);
  info.either = true;
  return intern(std::move(info));
}

GroupId Groups::by_default(GroupId group, std::string_view parameter) {
  GroupInfo info = rows_[group];
  if (info.kind != Group::Kind::kWorld && info.kind != Group::Kind::kKnown) return group;
  info.identity = fmt::format("{} by default of {}", info.identity, parameter);
  info.parameter = std::string(parameter);
  return intern(std::move(info));
}

GroupId Groups::unknown(std::string_view text) {
  return intern({.kind = Group::Kind::kUnknown,
                 .span = 0,
                 .identity = fmt::format("? {}", text),
                 .text = fmt::format("`{}`", text),
                 .parameter = {}});
}

}  // namespace lockstep::mesh
