#include "report/source/module_constants.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/strings.h"
#include "python/tree_walk.h"

namespace lockstep::report {

using namespace python;
using program::Reference;

namespace {

bool is_positive_number(const Expr& value, const SourceText& source) {
  const auto* constant = as<Constant>(&value);
  if (constant == nullptr) return false;
  const std::string text = replace_all(std::string(source.slice(constant->span)), "_", "");
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == 0 && number > 0;
}

struct ConstantValue {
  const Expr* value = nullptr;  ///< Null: the name stands for none.
  const FileFacts* facts = nullptr;
};

/// What the module gives the name, where it does so once and no function declares it `global`.
ConstantValue value_of(const program::Program& program, program::FunctionId function, const Expr& name) {
  if (!function.valid() || !is<Name>(&name)) return {};
  const Reference named = program.resolve(function, name);
  if (named.kind != Reference::Kind::kVariable || !named.module.valid()) return {};
  const FileFacts& facts = *program.modules()[named.module].facts;
  std::size_t bindings = 0;
  const Expr* value = nullptr;
  walk(facts.tree(), Nested::kSkip, [&](const Node* node) {
    const auto* bound = as<Name>(node);
    if (bound != nullptr && bound->id == named.name && bound->context != ExprContext::kLoad) ++bindings;
    const auto* assign = as<Assign>(node);
    const auto* target = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Name>(assign->targets.front());
    if (target != nullptr && target->id == named.name) value = assign->value;
  });
  bool is_shared = false;
  walk_of<Global>(facts.tree(), Nested::kEnter, [&](const Global* global) {
    is_shared = is_shared || std::any_of(global->names.begin(), global->names.end(),
                                         [&](const auto& one) { return one.text == named.name; });
  });
  return bindings == 1 && !is_shared ? ConstantValue{value, &facts} : ConstantValue{};
}

}  // namespace

bool is_positive_constant(const program::Program& program, program::FunctionId function, const Expr& name) {
  const ConstantValue constant = value_of(program, function, name);
  return constant.value != nullptr && is_positive_number(*constant.value, constant.facts->source());
}

std::optional<std::string_view> text_of_constant(const program::Program& program, program::FunctionId function,
                                                 const Expr& name) {
  const auto* text = as<Constant>(value_of(program, function, name).value);
  if (text == nullptr || text->constant_kind != ConstantKind::kStr) return std::nullopt;
  return text->text;
}

bool is_positive_number_of(const program::Program& program, program::FunctionId function, const Expr& value) {
  if (!function.valid()) return false;
  return is_positive_number(value, program.module_of(function).facts->source()) ||
         is_positive_constant(program, function, value);
}

bool is_made_of_constants(const program::Program& program, program::FunctionId function, const Expr& value) {
  if (is<Constant>(&value)) return true;
  if (is<Name>(&value)) return is_positive_constant(program, function, value);
  const auto* sum = as<BinOp>(&value);
  return sum != nullptr && is_made_of_constants(program, function, *sum->left) &&
         is_made_of_constants(program, function, *sum->right);
}

}  // namespace lockstep::report
