#include "report/tests/named_settings.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/find_text.h"
#include "program/queries.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"
#include "text/name_index.h"

namespace lockstep::report {

using namespace python;
using program::ModuleId;

namespace {

bool has_long_option(const Call& add_argument) {
  const auto is_long = [](const Expr* argument) {
    const auto* text = as<Constant>(argument);
    return text != nullptr && text->constant_kind == ConstantKind::kStr && text->text.starts_with("--");
  };
  return std::any_of(add_argument.arguments.begin(), add_argument.arguments.end(), is_long) ||
         rules::keyword_value(add_argument, "dest") != nullptr;
}

}  // namespace

NamedSettings::NamedSettings(const program::Program& program) {
  find_names(program);
  find_modules(program);
}

const NamedSettings::Setting* NamedSettings::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() || !found->second.is_one ? nullptr : &found->second;
}

void NamedSettings::find_names(const program::Program& program) {
  const auto take = [&](const std::string& name, Value value) {
    Setting& named = by_name_[name];
    named.is_one =
        named.is_one && value.kind != Value::Kind::kUnknown && (!named.initial || is_same_value(*named.initial, value));
    named.initial = std::move(value);
  };
  for (const program::Class& cls : program.classes()) {
    if (program::is_test_path(program.modules()[cls.module].path)) continue;
    for (const program::Field& field : cls.fields) {
      if (field.in_class_body) take(std::string(field.name), value_of(field.default_value));
    }
  }
  for (const program::CallSite& site : program.calls()) {
    const auto* call = as<Call>(site.node);
    // What only a short option gives is looked for by no name: one letter is no word of its own.
    if (call != nullptr && callee_name(*call) == "add_argument" && has_long_option(*call))
      take(rules::argparse_destination(*call), argument_default(*call));
  }
}

/// One look at all names of all sources, whatever is asked for later.
void NamedSettings::find_modules(const program::Program& program) {
  std::unordered_map<std::string_view, Setting*> wanted;
  for (auto& [name, named] : by_name_) {
    if (!name.empty() && named.is_one) wanted.emplace(name, &named);
  }
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const python::FileFacts& facts = *program.modules()[ModuleId(i)].facts;
    const std::string_view bytes = facts.source().bytes();
    const auto take = [&](std::string_view word) {
      const auto found = wanted.find(word);
      if (found == wanted.end()) return;
      std::vector<ModuleId>& modules = found->second->modules;
      if (modules.empty() || modules.back() != ModuleId(i)) modules.emplace_back(i);
    };
    facts.names().for_each(bytes, take);
    // "--some-name" gives `some_name`.
    std::string option;
    for (std::size_t at = find_text(bytes, "--"); at != std::string_view::npos; at = find_text(bytes, "--", at + 1)) {
      std::size_t end = at + 2;
      while (end < bytes.size() && is_name_char(bytes[end])) ++end;
      if (end == at + 2 || end == bytes.size() || bytes[end] != '-') continue;
      option.assign(bytes.substr(at + 2, end - at - 2));
      while (end + 1 < bytes.size() && bytes[end] == '-' && is_name_char(bytes[end + 1])) {
        option += '_';
        for (++end; end < bytes.size() && is_name_char(bytes[end]); ++end) option += bytes[end];
      }
      take(option);
    }
  }
}

}  // namespace lockstep::report
