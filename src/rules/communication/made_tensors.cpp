#include "rules/communication/made_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "rules/place.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr auto kBySize = std::to_array<std::string_view>({"empty", "ones", "rand", "randn", "zeros"});
/// Other names of types.
constexpr auto kAliases = std::to_array<std::pair<std::string_view, std::string_view>>({{"double", "float64"},
                                                                                        {"float", "float32"},
                                                                                        {"half", "float16"},
                                                                                        {"int", "int32"},
                                                                                        {"long", "int64"},
                                                                                        {"short", "int16"}});

/// A type of elements.
struct ElementType {
  std::string_view name;
  int width;  ///< In bytes.
  bool has_fractions;
};
constexpr auto kTypes = std::to_array<ElementType>({{"bool", 1, false},
                                                    {"uint8", 1, false},
                                                    {"int8", 1, false},
                                                    {"int16", 2, false},
                                                    {"uint16", 2, false},
                                                    {"int32", 4, false},
                                                    {"uint32", 4, false},
                                                    {"int64", 8, false},
                                                    {"uint64", 8, false},
                                                    {"float16", 2, true},
                                                    {"bfloat16", 2, true},
                                                    {"float32", 4, true},
                                                    {"float64", 8, true}});

const ElementType* type_named(std::string_view name) {
  for (const auto& [alias, type] : kAliases) {
    if (alias == name) name = type;
  }
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& type) { return type.name == name; });
  return found == kTypes.end() ? nullptr : found;
}

/// "zeros" of `torch.zeros`, however it was imported; empty for anything else.
std::string_view torch_name(const program::Reference& reference) {
  constexpr std::string_view kTorch = "torch.";
  const bool is_torch = reference.kind == program::Reference::Kind::kExternal && reference.name.starts_with(kTorch);
  return is_torch ? std::string_view(reference.name).substr(kTorch.size()) : std::string_view();
}

std::optional<std::uint64_t> number_of(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  if (constant == nullptr || constant->constant_kind != ConstantKind::kInt) return std::nullopt;
  std::uint64_t number = 0;
  const std::string_view text = constant->text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Surely one number, and no list of them.
bool is_number(const Expr& value) {
  if (const auto* sign = as<UnaryOp>(&value)) return is_number(*sign->operand);
  const auto* call = as<Call>(&value);
  const std::string_view callee = call == nullptr ? std::string_view() : name_of(call->callee);
  return is<Constant>(&value) || is<Compare>(&value) || callee == "int" || callee == "float" || callee == "bool" ||
         callee == "len";
}

/// `torch.tensor(5)`, `torch.tensor([a, b])`, `torch.tensor([0] * 4)`.
bool add_values(const Expr& values, MadeTensor& made) {
  if (const auto* product = as<BinOp>(&values); product != nullptr && product->op == BinaryOperator::kMult) {
    const auto times = number_of(product->right);
    if (!times || !is<List>(product->left)) return false;
    made.number *= *times;
    return add_values(*product->left, made);
  }
  const auto* list = as<List>(&values);
  if (list == nullptr) return number_of(&values).has_value();
  made.number *= list->elements.size();
  const auto is_spread = [](const Expr* element) { return is<Starred>(element); };
  if (std::any_of(list->elements.begin(), list->elements.end(), is_spread)) return false;
  // Where one of them is a number, the others are: a list of lists and numbers is refused.
  made.may_be_more = std::none_of(list->elements.begin(), list->elements.end(),
                                  [](const Expr* element) { return is_number(*element); });
  return true;
}

class Reader {
 public:
  Reader(const Program& program, FunctionId function)
      : program_(program), function_(function), facts_(*program.module_of(function).facts) {}

  [[nodiscard]] std::optional<MadeTensor> read(const Expr& expression) const {
    const auto* call = as<Call>(&expression);
    if (call == nullptr || has_spread_arguments(*call) || has_spread_keywords(*call)) return std::nullopt;
    const program::Reference callee = program_.resolve(function_, *call->callee);
    if (const std::string_view name = torch_name(callee); !name.empty()) return made_by(*call, name);
    const auto* method = as<Attribute>(call->callee);
    if (method == nullptr) return std::nullopt;
    std::optional<MadeTensor> made = read(*method->value);
    if (!made) return std::nullopt;
    const std::string_view name = method->name.text;
    if (name == "cuda" || name == "contiguous" || name == "cpu") return made;
    if (name == "to") {
      made->type = {};
      return made;
    }
    const ElementType* type = type_named(name);
    if (type == nullptr) return std::nullopt;
    made->type = type->name;
    return made;
  }

 private:
  [[nodiscard]] std::optional<MadeTensor> made_by(const Call& call, std::string_view name) const {
    MadeTensor made;
    if (const Expr* given = keyword_value(call, "dtype")) {
      const ElementType* type = type_named(torch_name(program_.resolve(function_, *given)));
      if (type != nullptr) made.type = type->name;
    }
    if (call.arguments.empty() || keyword_value(call, "out") != nullptr) return std::nullopt;
    bool is_known = false;
    if (name == "tensor") {
      is_known = add_values(*call.arguments[0], made);
    } else if (std::find(kBySize.begin(), kBySize.end(), name) != kBySize.end()) {
      is_known = call.arguments.size() == 1 ? add_size(*call.arguments[0], made) : add_dimensions(call.arguments, made);
    } else if (name == "full") {
      is_known = add_list(*call.arguments[0], made);
    }
    if (!is_known) return std::nullopt;
    std::sort(made.dimensions.begin(), made.dimensions.end());
    return made;
  }

  /// The one argument of `torch.empty`: a name may be a number or all of a shape.
  bool add_size(const Expr& size, MadeTensor& made) const {
    if (const auto number = number_of(&size)) {
      made.number *= *number;
      return true;
    }
    return add_list(size, made);
  }

  bool add_list(const Expr& size, MadeTensor& made) const {
    if (const auto* list = as<List>(&size)) return add_dimensions(list->elements, made);
    const auto* tuple = as<Tuple>(&size);
    return tuple != nullptr && add_dimensions(tuple->elements, made);
  }

  bool add_dimensions(Seq<Expr> dimensions, MadeTensor& made) const {
    for (const Expr* dimension : dimensions) {
      if (is<Starred>(dimension)) return false;
      if (const auto number = number_of(dimension)) {
        made.number *= *number;
      } else {
        made.dimensions.push_back(squeezed(facts_, dimension->span));
      }
    }
    return true;
  }

  const Program& program_;
  const FunctionId function_;
  const FileFacts& facts_;
};

std::string elements(const MadeTensor& made) {
  return fmt::format("{} element{}{}", made.number, made.number == 1 ? "" : "s",
                     made.dimensions.empty() ? "" : " times the rest");
}

/// Whether tensors with the same written dimensions may have the same number of elements.
bool may_fit(const MadeTensor& one, const MadeTensor& other) {
  const auto is_multiple = [](const MadeTensor& a, const MadeTensor& b) {
    return a.may_be_more && a.number != 0 && b.number % a.number == 0;
  };
  return one.number == other.number || (one.may_be_more && other.may_be_more) || is_multiple(one, other) ||
         is_multiple(other, one);
}

std::optional<Unlike> differing_dimension(const MadeTensor& one, const MadeTensor& other) {
  const MadeTensor& more = one.dimensions.size() > other.dimensions.size() ? one : other;
  const MadeTensor& less = &more == &one ? other : one;
  const auto& all = more.dimensions;
  const auto& some = less.dimensions;
  if (!std::includes(all.begin(), all.end(), some.begin(), some.end())) return std::nullopt;
  std::vector<std::string> rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(rest));
  const std::string with = fmt::format("the dimension `{}`", rest.front()), without = "no such dimension";
  return &more == &one ? Unlike{false, with, without} : Unlike{false, without, with};
}

std::optional<Unlike> differing_type(const MadeTensor& one, const MadeTensor& other) {
  const ElementType *a = type_named(one.type), *b = type_named(other.type);
  if (a == nullptr || b == nullptr || a == b) return std::nullopt;
  if (a->width == b->width && !a->has_fractions && !b->has_fractions) return std::nullopt;
  return Unlike{true, fmt::format("the type `torch.{}`", a->name), fmt::format("`torch.{}`", b->name)};
}

}  // namespace

std::optional<MadeTensor> made_tensor(const Program& program, FunctionId function, const Expr& expression) {
  return Reader(program, function).read(expression);
}

std::optional<Unlike> difference(const MadeTensor& one, const MadeTensor& other) {
  if (one.dimensions == other.dimensions) {
    if (!may_fit(one, other)) return Unlike{true, elements(one), elements(other)};
  } else if (one.number == other.number && !one.may_be_more && !other.may_be_more) {
    if (auto unlike = differing_dimension(one, other)) return unlike;
  }
  return differing_type(one, other);
}

}  // namespace lockstep::rules
