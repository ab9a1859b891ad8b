#include "rules/declared_options.h"

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/expressions.h"

namespace lockstep::rules {

using namespace python;
using program::ClassId;
using program::ModuleId;

DeclaredOptions::DeclaredOptions(const program::Program& program) {
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[ModuleId(i)];
    if (program::is_test_path(module.path)) continue;
    if (!contains(module.facts->source().bytes(), "add_argument")) continue;
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) { add_flag(ModuleId(i), *call); });
  }
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::Class& cls = program.classes()[ClassId(i)];
    if (!cls.is_dataclass || program::is_test_path(program.modules()[cls.module].path)) continue;
    for (const program::Field& field : cls.fields) {
      if (field.in_class_body && field.annotation != nullptr) fields_[field.name].push_back({ClassId(i), &field});
    }
  }
}

void DeclaredOptions::add_flag(ModuleId module, const Call& call) {
  const auto* method = as<Attribute>(call.callee);
  if (method == nullptr || method->name.text != "add_argument") return;
  const std::string destination = argparse_destination(call);
  if (destination.empty()) return;
  const std::string_view many = text_of(keyword_value(call, "nargs"));
  flags_[destination].push_back({&call, module, keyword_value(call, "default"), text_of(keyword_value(call, "action")),
                                 many == "+" || many == "*"});
}

const std::vector<Flag>* DeclaredOptions::flag(std::string_view name) const {
  const auto found = flags_.find(name);
  return found == flags_.end() ? nullptr : &found->second;
}

const std::vector<ConfigField>* DeclaredOptions::field(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? nullptr : &found->second;
}

namespace {

/// `vars(args)`, `args.__dict__`, `args._get_kwargs()`: all settings with their names.
bool is_table(const Node* node) {
  if (const auto* attribute = as<Attribute>(node))
    return attribute->name.text == "__dict__" || attribute->name.text == "_get_kwargs";
  const auto* call = as<Call>(node);
  return call != nullptr && name_of(call->callee) == "vars" && call->arguments.size() == 1;
}

}  // namespace

ForwardedFlags::ForwardedFlags(const program::Program& program) {
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[ModuleId(i)];
    const std::string_view source = module.facts->source().bytes();
    if (!contains(source, "vars(") && !contains(source, "__dict__") && !contains(source, "_get_kwargs")) continue;
    look_at(ModuleId(i), *program.functions()[module.body].node);
    for (const program::FunctionId function : module.functions)
      look_at(ModuleId(i), *program.functions()[function].node);
  }
}

/// Texts that end as a prefix does, in a function that goes through all settings: which of them it compares the names
/// with is not followed.
void ForwardedFlags::look_at(ModuleId module, const Node& function) {
  bool has_table = false;
  std::vector<std::string> prefixes;
  walk(function, Nested::kSkip, [&](const Node* node) {
    has_table = has_table || is_table(node);
    if (const auto* keyword = as<Keyword>(node);
        keyword != nullptr && keyword->name.text.empty() && is_table(keyword->value))
      spread_in_.insert(module);
    const auto* text = as<Constant>(node);
    if (text == nullptr || text->constant_kind != ConstantKind::kStr || text->text.size() < 3) return;
    if (text->text.ends_with('_') || text->text.ends_with('-')) prefixes.push_back(replace_all(text->text, "-", "_"));
  });
  if (has_table) prefixes_.insert(prefixes_.end(), prefixes.begin(), prefixes.end());
}

bool ForwardedFlags::forwards(ModuleId module, std::string_view destination) const {
  return spread_in_.contains(module) || std::any_of(prefixes_.begin(), prefixes_.end(), [&](const std::string& prefix) {
           return destination.starts_with(prefix);
         });
}

UsedNames::UsedNames(const program::Program& program) {
  for (const program::Module& module : program.modules()) {
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node)) {
        (attribute->context == ExprContext::kLoad ? read_ : written_).insert(attribute->name.text);
      } else if (const auto* text = as<Constant>(node)) {
        if (text->constant_kind == ConstantKind::kStr && text->text.size() < 80) texts_.insert(text->text);
      } else if (const auto* keyword = as<Keyword>(node)) {
        keywords_.insert(keyword->name.text);
      } else if (const auto* parameter = as<Parameter>(node)) {
        parameters_.insert(parameter->name.text);
      }
    });
  }
}

}  // namespace lockstep::rules
