#include "report/source/pydantic_extra.h"

#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// What the class itself says; empty for nothing.
std::string own_extra(const program::Class& cls) {
  if (cls.node == nullptr) return {};
  for (const Keyword* keyword : cls.node->keywords) {
    if (keyword->name.text == "extra") return std::string(rules::text_of(keyword->value));
  }
  for (const program::Field& field : cls.fields) {
    const auto* call = field.name == "model_config" ? as<Call>(field.default_value) : nullptr;
    const Expr* extra = call == nullptr ? nullptr : rules::keyword_value(*call, "extra");
    if (extra != nullptr) return std::string(rules::text_of(extra));
    const auto* dict = field.name == "model_config" ? as<Dict>(field.default_value) : nullptr;
    for (std::size_t i = 0; dict != nullptr && i < dict->keys.size() && i < dict->values.size(); ++i) {
      if (rules::text_of(dict->keys[i]) == "extra") return std::string(rules::text_of(dict->values[i]));
    }
  }
  return {};
}

}  // namespace

std::string pydantic_extra(const program::Program& program, program::ClassId cls) {
  if (!cls.valid() || !program.derives_from(cls, "pydantic.BaseModel")) return {};
  for (const program::ClassId one : program.classes()[cls].linearized) {
    if (std::string extra = own_extra(program.classes()[one]); !extra.empty()) return extra;
  }
  return "ignore";
}

}  // namespace lockstep::report
