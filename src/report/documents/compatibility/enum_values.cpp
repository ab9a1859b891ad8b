#include "report/documents/compatibility/enum_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::Program;

namespace {

using Values = std::vector<std::pair<std::string_view, std::string>>;  ///< By member, in the order of the source.

/// Whether its members get what is assigned to them, and `auto()` counts.
bool is_plain_enum(const program::Class& cls) {
  const auto& above = cls.external_ancestors;
  return std::any_of(above.begin(), above.end(),
                     [](const std::string& one) { return one == "enum.Enum" || one == "enum.IntEnum"; });
}

std::optional<long> whole_number(const Expr& value, const SourceText& source) {
  const std::string text = replace_all(std::string(trim(source.slice(value.span))), "_", "");
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The value of each member; none where one is not a number, a text or `auto()`, or the class has a say in it.
std::optional<Values> values_of(const Program& program, ClassId id) {
  const program::Class& cls = program.classes()[id];
  const SourceText& source = program.module_of(id).facts->source();
  if (!is_plain_enum(cls) || cls.linearized.size() != 1) return std::nullopt;
  Values out;
  long last = 0;
  bool is_counted = true;  // Not behind a text.
  bool falls = false;      // Newer versions of Python count on from the greatest.
  for (const Stmt* statement : cls.node->body) {
    if (const auto* method = as<FunctionDef>(statement)) {
      const std::string_view name = method->name.text;
      if (name == "_generate_next_value_" || name == "__new__" || name == "__init__") return std::nullopt;
      continue;
    }
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr) {
      if (is<ExprStmt>(statement) || is<Pass>(statement)) continue;
      return std::nullopt;
    }
    if (assign->targets.size() != 1 || !is<Name>(assign->targets.front())) return std::nullopt;
    const std::string_view name = as<Name>(assign->targets.front())->id;
    if (name.starts_with("_")) return std::nullopt;
    const auto* call = as<Call>(assign->value);
    const auto* text = as<Constant>(assign->value);
    if (call != nullptr && callee_name(*call) == "auto" && call->arguments.empty() && call->keywords.empty()) {
      if (!is_counted || falls) return std::nullopt;
      out.emplace_back(name, std::to_string(++last));
    } else if (text != nullptr && text->constant_kind == ConstantKind::kStr) {
      is_counted = false;
      out.emplace_back(name, fmt::format("\"{}\"", text->text));
    } else if (const std::optional<long> number = whole_number(*assign->value, source)) {
      falls = falls || (!out.empty() && *number < last);
      last = *number;
      is_counted = true;
      out.emplace_back(name, std::to_string(*number));
    } else {
      return std::nullopt;
    }
  }
  return out;
}

/// The members' values on the after side, and the classes that have them.
struct Now {
  std::map<std::string_view, std::string> values;
  std::vector<ClassId> classes;
};

/// Of the class of that name; else of the enumerations of the same file that together have each of its members once.
std::optional<Now> values_now(const DocumentInputs& inputs, ClassId was, const Values& before) {
  const Program& program = *inputs.after;
  const program::Class& old = inputs.before->classes()[was];
  Now now;
  const ClassId same = program.find_class(old.qualified_name);
  const program::ModuleId module = program.find_path(inputs.before->module_of(was).path);
  if (!module.valid()) return std::nullopt;
  const std::vector<ClassId> candidates =
      same.valid() && is_plain_enum(program.classes()[same]) ? std::vector{same} : program.modules()[module].classes;
  for (const ClassId cls : candidates) {
    if (!is_plain_enum(program.classes()[cls])) continue;
    // One that stood there beside it does not take its place.
    const bool is_other = cls != same && inputs.before->find_class(program.classes()[cls].qualified_name).valid();
    const std::optional<Values> values = is_other ? std::nullopt : values_of(program, cls);
    if (!values) {
      if (is_other) continue;
      return std::nullopt;
    }
    bool takes = false;
    for (const auto& [name, value] : *values) {
      const bool is_member =
          std::any_of(before.begin(), before.end(), [&](const auto& member) { return member.first == name; });
      if (!is_member) continue;
      takes = true;
      if (!now.values.emplace(name, value).second) return std::nullopt;
    }
    if (takes) now.classes.push_back(cls);
  }
  const bool has_all =
      std::all_of(before.begin(), before.end(), [&](const auto& member) { return now.values.contains(member.first); });
  if (now.classes.empty() || (now.classes.front() != same && !has_all)) return std::nullopt;
  return now;
}

/// Where code outside tests works with values.
struct Uses {
  std::string reads;  ///< Marked place of the first `C.A.value`, or of `int(C.A)`; empty for none.
  std::string makes;  ///< The same of the first `C(x)`.
};

/// Uses by one of these names, in files that have it from the module.
Uses uses_of(const Program& program, const std::set<std::string_view>& names, program::ModuleId home) {
  Uses uses;
  for (const program::Module& module : program.modules()) {
    const auto is_named = [&](std::string_view name) { return module.facts->has_name(name); };
    if (program::is_test_path(module.path) || std::none_of(names.begin(), names.end(), is_named)) continue;
    const auto stands_for_one = [&](const Expr* expression) {
      const std::string_view name = rules::last_part_of(expression);
      if (!names.contains(name)) return false;
      const program::Reference is = program.resolve(module.body, *expression);
      if (is.kind == program::Reference::Kind::kClass) return program.classes()[is.cls].module == home;
      return is.kind == program::Reference::Kind::kVariable && is.module == home;
    };
    const auto is_member = [&](const Expr* expression) {
      const auto* member = as<Attribute>(expression);
      return member != nullptr && stands_for_one(member->value);
    };
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto here = [&] { return place(module.path, module.facts->source().line_of(node->span.begin)); };
      const auto* call = as<Call>(node);
      const auto* attribute = as<Attribute>(node);
      if (attribute != nullptr && attribute->name.text == "value" && is_member(attribute->value) && uses.reads.empty())
        uses.reads = here();
      if (call == nullptr || call->arguments.size() != 1) return;
      if (rules::name_of(call->callee) == "int" && is_member(call->arguments.front()) && uses.reads.empty())
        uses.reads = here();
      if (stands_for_one(call->callee) && uses.makes.empty()) uses.makes = here();
    });
  }
  return uses;
}

}  // namespace

void add_enum_values(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  constexpr std::size_t kMostNamed = 3;
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId module = inputs.before->find_path(file.file->old_path);
    if (!file.is_python || !module.valid() || file.file->old_path != file.file->new_path ||
        program::is_test_path(file.file->old_path))
      continue;
    for (const ClassId cls : inputs.before->modules()[module].classes) {
      const std::optional<Values> before = values_of(*inputs.before, cls);
      const std::optional<Now> now = before ? values_now(inputs, cls, *before) : std::nullopt;
      if (!now) continue;
      std::vector<std::string> changed;
      for (const auto& [name, was] : *before) {
        const auto is = now->values.find(name);
        if (is != now->values.end() && is->second != was)
          changed.push_back(fmt::format("{} ({}, formerly {})", code(std::string(name)), code(is->second), code(was)));
      }
      if (changed.empty()) continue;
      std::set<std::string_view> names{inputs.before->classes()[cls].name};
      const Uses old_uses = uses_of(*inputs.before, names, module);
      for (const ClassId one : now->classes) names.insert(inputs.after->classes()[one].name);
      const Uses uses = uses_of(*inputs.after, names, inputs.after->find_path(file.file->new_path));
      if ((old_uses.reads.empty() && old_uses.makes.empty()) || (uses.reads.empty() && uses.makes.empty())) continue;
      const std::size_t all = changed.size();
      if (all > kMostNamed + 1) changed.resize(kMostNamed);
      if (all > changed.size()) changed.push_back(fmt::format("{} more", all - changed.size()));
      std::vector<std::string> how;
      if (!uses.reads.empty()) how.push_back("reads the values (" + uses.reads + ")");
      if (!uses.makes.empty()) how.push_back("makes members from values (" + uses.makes + ")");
      risks.push_back(
          {RiskKind::kCompatibility,
           fmt::format("{} of {} {}: {}.", all == 1 ? "A member" : "Members", code(inputs.before->classes()[cls].name),
                       all == 1 ? "has another value" : "have other values", join_words(changed)),
           fmt::format("Code {}: where a value is sent or stored, the other side of the change takes it for "
                       "another member or for none",
                       join_words(how)),
           false});
    }
  }
}

}  // namespace lockstep::report
