#include "rules/settings/declared_options.h"

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

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

}  // namespace lockstep::rules
