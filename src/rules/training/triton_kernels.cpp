#include "rules/training/triton_kernels.h"

#include <algorithm>
#include <string_view>

#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::FunctionId;
using program::Program;
using program::Reference;

namespace {

/// A module that is not the repository's: its dotted name, and the name that people give it.
struct Outside {
  std::string_view module;
  std::string_view usual;
};
constexpr Outside kTriton{"triton", "triton"};
constexpr Outside kLanguage{"triton.language", "tl"};

/// "x" where the expression is `x` of that module; empty for others.
std::string member_of(const Outside& outside, const Program& program, FunctionId context, const Expr& expression) {
  const auto* attribute = as<Attribute>(&expression);
  const Reference to = program.resolve(context, expression);
  if (to.kind != Reference::Kind::kExternal) {
    const bool is_usual = attribute != nullptr && name_of(attribute->value) == outside.usual;
    return is_usual ? std::string(attribute->name.text) : std::string();
  }
  const std::size_t dot = to.name.rfind('.');
  if (dot == std::string::npos) return {};
  // Under its own name, or through a package that hands the module on: `from kernels.compat import tl`.
  const std::string_view owner = std::string_view(to.name).substr(0, dot);
  const std::size_t last = owner.rfind('.');
  const bool is_handed_on = last != std::string_view::npos && owner.substr(last + 1) == outside.usual;
  return owner == outside.module || is_handed_on ? to.name.substr(dot + 1) : std::string();
}

}  // namespace

bool is_triton_kernel(const Program& program, FunctionId function) {
  const program::Function& row = program.functions()[function];
  const FunctionDef* def = row.def();
  if (def == nullptr) return false;
  const FunctionId outer = row.enclosing.valid() ? row.enclosing : program.modules()[row.module].body;
  return std::any_of(def->decorators.begin(), def->decorators.end(), [&](const Expr* each) {
    const auto* call = as<Call>(each);
    return member_of(kTriton, program, outer, call == nullptr ? *each : *call->callee) == "jit";
  });
}

std::string triton_language_name(const Program& program, FunctionId kernel, const Expr& expression) {
  return member_of(kLanguage, program, kernel, expression);
}

}  // namespace lockstep::rules
