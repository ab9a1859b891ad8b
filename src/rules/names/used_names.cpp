#include "rules/names/used_names.h"

#include "python/tree_walk.h"

namespace lockstep::rules {

using namespace python;

UsedNames::UsedNames(const program::Program& program) : program_(program), files_(program.modules().size()) {}

bool UsedNames::has(Names OfFile::*kind, std::string_view name) const {
  std::size_t index = 0;
  for (const program::Module& module : program_.modules()) {
    const std::size_t at = index++;
    if (module.facts->has_name(name) && (of(module, at).*kind).contains(name)) return true;
  }
  return false;
}

const UsedNames::OfFile& UsedNames::of(const program::Module& module, std::size_t index) const {
  if (files_[index] != nullptr) return *files_[index];
  files_[index] = std::make_unique<OfFile>();
  OfFile& out = *files_[index];
  walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
    if (const auto* attribute = as<Attribute>(node)) {
      (attribute->context == ExprContext::kLoad ? out.read : out.written).insert(attribute->name.text);
    } else if (const auto* text = as<Constant>(node)) {
      if (text->constant_kind == ConstantKind::kStr && text->text.size() < 80) out.texts.insert(text->text);
    } else if (const auto* keyword = as<Keyword>(node)) {
      out.keywords.insert(keyword->name.text);
    } else if (const auto* parameter = as<Parameter>(node)) {
      out.parameters.insert(parameter->name.text);
    }
  });
  return out;
}

}  // namespace lockstep::rules
