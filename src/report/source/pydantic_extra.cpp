#include "report/source/pydantic_extra.h"

#include <algorithm>
#include <array>
#include <optional>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::string_view kBaseModel = "pydantic.BaseModel";
constexpr std::string_view kDefault = "ignore";
/// Classes from outside that change nothing of what a constructor takes.
constexpr auto kPlainBases =
    std::to_array<std::string_view>({kBaseModel, "abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol"});

/// What one class says: empty for nothing; nullopt where that is not known.
using Said = std::optional<std::string>;

Said said_by(const Expr& extra) {
  const std::string_view text = rules::text_of(&extra);
  return text.empty() ? Said() : Said(text);
}

/// Of `model_config = ConfigDict(extra=…)` or a dict.
Said said_by_config(const Expr& config) {
  Said out = std::string();
  const auto note = [&](std::string_view key, const Expr& value) {
    if (key == "extra") out = said_by(value);
    if (key.empty() || key == "alias_generator" || key.starts_with("validate_by")) out = std::nullopt;
    return out.has_value();
  };
  if (const auto* call = as<Call>(&config); call != nullptr && rules::last_part_of(call->callee) == "ConfigDict") {
    if (!call->arguments.empty()) return std::nullopt;
    for (const Keyword* keyword : call->keywords) {
      if (!note(keyword->name.text, *keyword->value)) return std::nullopt;
    }
    return out;
  }
  const auto* dict = as<Dict>(&config);
  if (dict == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < dict->keys.size(); ++i) {
    if (!note(rules::text_of(dict->keys[i]), *dict->values[i])) return std::nullopt;
  }
  return out;
}

/// A validator of the whole model that sees what the constructor was given.
bool sees_arguments_first(const Expr& decorator) {
  const auto* call = as<Call>(&decorator);
  const std::string_view name = rules::last_part_of(call == nullptr ? &decorator : call->callee);
  if (name == "root_validator") return true;
  return name == "model_validator" &&
         (call == nullptr || rules::text_of(rules::keyword_value(*call, "mode")) != "after");
}

Said own_extra(const program::Program& program, const program::Class& cls) {
  if (cls.node == nullptr || !cls.node->decorators.empty()) return std::nullopt;
  Said out = std::string();
  for (const Keyword* keyword : cls.node->keywords) {
    if (keyword->name.text != "extra") return std::nullopt;
    out = said_by(*keyword->value);
  }
  int configs = 0;
  walk(*cls.node, Nested::kSkip, [&](const Node* node) {
    const auto* name = as<Name>(node);
    configs += name != nullptr && name->id == "model_config" ? 1 : 0;
    if (const auto* inner = as<ClassDef>(node); inner != nullptr && inner->name.text == "Config") out = std::nullopt;
  });
  for (const program::FunctionId method : cls.methods) {
    const FunctionDef* def = program.functions()[method].def();
    const bool is_first = def != nullptr && std::any_of(def->decorators.begin(), def->decorators.end(),
                                                        [](const Expr* one) { return sees_arguments_first(*one); });
    if (is_first) out = std::nullopt;
  }
  if (!out || configs == 0) return out;
  const auto config = std::find_if(cls.fields.begin(), cls.fields.end(),
                                   [](const program::Field& field) { return field.name == "model_config"; });
  const bool is_known = configs == 1 && config != cls.fields.end() && config->default_value != nullptr;
  const Said said = is_known ? said_by_config(*config->default_value) : Said();
  return out->empty() ? said : said && !said->empty() ? Said() : out;
}

/// Whether all that the class derives from is known, and nothing of it has a constructor of its own.
bool is_plain_model(const program::Program& program, program::ClassId cls) {
  const program::Class& row = program.classes()[cls];
  for (const std::string_view name : {"__init__", "__new__", "__init_subclass__", "__pydantic_init_subclass__",
                                      "__get_pydantic_core_schema__", "model_post_init"}) {
    if (program.find_method(cls, name).valid()) return false;
  }
  const auto is_plain = [](const std::string& base) {
    return std::find(kPlainBases.begin(), kPlainBases.end(), base) != kPlainBases.end();
  };
  return std::all_of(row.external_ancestors.begin(), row.external_ancestors.end(), is_plain) &&
         std::all_of(row.linearized.begin(), row.linearized.end(), [&](program::ClassId one) {
           const program::Class& base = program.classes()[one];
           // Of several bases that are configured the last one counts.
           return base.node != nullptr && base.node->bases.size() == base.bases.size() + base.external_bases.size() &&
                  base.bases.size() <= 1;
         });
}

}  // namespace

std::string pydantic_extra(const program::Program& program, program::ClassId cls) {
  if (!cls.valid() || !program.derives_from(cls, kBaseModel) || !is_plain_model(program, cls)) return {};
  std::string extra;
  for (const program::ClassId one : program.classes()[cls].linearized) {
    const Said said = own_extra(program, program.classes()[one]);
    if (!said) return {};
    if (extra.empty()) extra = *said;
  }
  return extra.empty() ? std::string(kDefault) : extra;
}

bool is_pydantic_field(const program::Class& cls, std::string_view name) {
  const auto field =
      std::find_if(cls.fields.begin(), cls.fields.end(), [&](const program::Field& one) { return one.name == name; });
  if (field == cls.fields.end() || !field->in_class_body || field->annotation == nullptr || name.starts_with("_"))
    return false;
  const auto says_other = [](const Expr* expression) {
    bool found = false;
    const auto look = [&](const Node* node) {
      const auto* bare = as<Name>(node);
      const auto* attribute = as<Attribute>(node);
      const auto* keyword = as<Keyword>(node);
      found = found || (bare != nullptr && (bare->id == "ClassVar" || bare->id == "PrivateAttr")) ||
              (attribute != nullptr && (attribute->name.text == "ClassVar" || attribute->name.text == "PrivateAttr")) ||
              (keyword != nullptr &&
               (keyword->name.text.empty() || keyword->name.text.find("alias") != std::string_view::npos ||
                keyword->name.text == "init"));
    };
    if (expression == nullptr) return found;
    look(expression);
    walk(*expression, Nested::kEnter, look);
    return found;
  };
  // A text may be an annotation that stands in quotes.
  return rules::text_of(field->annotation).empty() && !says_other(field->annotation) &&
         !says_other(field->default_value);
}

}  // namespace lockstep::report
