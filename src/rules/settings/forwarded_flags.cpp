#include "rules/settings/forwarded_flags.h"

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/names/computed_attributes.h"

namespace lockstep::rules {

using namespace python;
using program::ModuleId;

namespace {

/// `vars(args)`, `args.__dict__`, `args._get_kwargs()`: all settings with their names.
bool is_table(const Node* node) {
  const auto* attribute = as<Attribute>(node);
  if (attribute != nullptr && attribute->name.text == "_get_kwargs") return true;
  return is_expression(node) && owner_of_table(static_cast<const Expr*>(node)) != nullptr;
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

}  // namespace lockstep::rules
