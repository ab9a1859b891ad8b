// missing-attribute: `self.name` where no class above or below, and no statement anywhere in the repository, ever gives
// an object an attribute of that name, while the function has a local variable or parameter called `name`.
//
// Left out: classes with bases outside the repository other than torch.nn.Module and object, `__getattr__`, names that
// appear as a text (setattr, register_buffer).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "python/tree_walk.h"
#include "rules/declared_options.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/names.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "missing-attribute";
// External classes whose attributes are none of the names that code gives to its variables.
constexpr auto kKnownBases =
    std::to_array<std::string_view>({"torch.nn.Module", "torch.nn.modules.module.Module", "object", "abc.ABC",
                                     "torch.autograd.Function", "typing.Generic", "typing.Protocol", "Exception"});

/// `class X(Base)` where Base is a variable: its attributes are not seen.
bool has_unseen_base(const Program& program, const program::Class& cls) {
  return std::any_of(cls.node->bases.begin(), cls.node->bases.end(), [&](const Expr* base) {
    const Expr* named = base;
    if (const auto* subscript = as<Subscript>(base)) named = subscript->value;
    const auto kind = program.resolve(program.modules()[cls.module].body, *named).kind;
    const auto* builtin = as<Name>(named);
    const bool known = builtin != nullptr && (builtin->id == "object" || builtin->id.ends_with("Exception") ||
                                              builtin->id.ends_with("Error"));
    return !known && kind != program::Reference::Kind::kClass && kind != program::Reference::Kind::kExternal;
  });
}

/// `assign_all(self, name=name)`: a helper sets what it is given by keyword.
bool is_handed_with_self(const program::Class& cls, std::string_view name) {
  bool found = false;
  walk_of<Call>(*cls.node, Nested::kEnter, [&](const Call* call) {
    const bool with_self = std::any_of(call->arguments.begin(), call->arguments.end(), [](const Expr* argument) {
      const auto* self = as<Name>(argument);
      return self != nullptr && self->id == "self";
    });
    for (const Keyword* keyword : call->keywords) {
      found = found || (with_self && (keyword->name.text == name || keyword->name.text.empty()));
    }
  });
  return found;
}

bool has_known_bases(const Program& program, const program::Class& cls) {
  for (const ClassId above : cls.linearized) {
    if (has_unseen_base(program, program.classes()[above])) return false;
  }
  for (const std::string& base : cls.external_ancestors) {
    if (std::find(kKnownBases.begin(), kKnownBases.end(), base) == kKnownBases.end()) return false;
  }
  for (const ClassId above : cls.linearized) {
    for (const FunctionId method : program.classes()[above].methods) {
      const std::string_view name = program.functions()[method].name;
      if (name == "__getattr__" || name == "__getattribute__") return false;
    }
  }
  return true;
}

/// True if some class of the repository has a method, field or nested class of this name.
bool is_member_somewhere(const Program& program, std::string_view name) {
  for (const program::Class& cls : program.classes()) {
    for (const program::Field& field : cls.fields) {
      if (field.name == name) return true;
    }
    for (const FunctionId method : cls.methods) {
      if (program.functions()[method].name == name) return true;
    }
    if (cls.name == name) return true;
  }
  return false;
}

class FunctionScan {
 public:
  FunctionScan(const Program& program, const ScopeNames& names, const UsedNames& used, FunctionId function,
               std::vector<Hit>& hits)
      : program_(program), names_(names), used_(used), row_(program.functions()[function]), hits_(hits) {}

  void run() {
    const FileFacts& facts = *program_.modules()[row_.module].facts;
    const auto scope = facts.scope_of_node.find(row_.node);
    if (scope == facts.scope_of_node.end() || !has_known_bases(program_, program_.classes()[row_.owner])) return;
    walk_of<Attribute>(*row_.node, Nested::kSkip, [&](const Attribute* attribute) {
      const std::string_view name = self_attribute(attribute);
      if (name.empty() || attribute->context != ExprContext::kLoad || name.starts_with("__")) return;
      if (names_.bindings(scope->second, name).empty() || used_.writes_attribute(name) || used_.has_text(name)) return;
      if (is_member_somewhere(program_, name)) return;
      if (is_handed_with_self(program_.classes()[row_.owner], name)) return;
      hits_.push_back(make_hit(program_, kRule, row_.module, attribute->span,
                               {Severity::kP0, FindingCertainty::kLikely, Category::kCorrectness,
                                fmt::format("Nothing ever sets `self.{0}`; `{0}` is a variable of this function", name),
                                "Reading the attribute raises AttributeError.", fmt::format("Write `{}`.", name)}));
    });
  }

 private:
  const Program& program_;
  const ScopeNames& names_;
  const UsedNames& used_;
  const program::Function& row_;
  std::vector<Hit>& hits_;
};

/// Most files read no attribute under the name of a local; only then are the names of all files needed.
bool has_candidate(const Program& program, const ScopeNames& names, FunctionId function) {
  const program::Function& row = program.functions()[function];
  const FileFacts& facts = *program.modules()[row.module].facts;
  const auto scope = facts.scope_of_node.find(row.node);
  if (!row.owner.valid() || row.def() == nullptr || scope == facts.scope_of_node.end()) return false;
  bool found = false;
  walk_of<Attribute>(*row.node, Nested::kSkip, [&](const Attribute* attribute) {
    const std::string_view name = self_attribute(attribute);
    found = found || (!name.empty() && attribute->context == ExprContext::kLoad &&
                      !names.bindings(scope->second, name).empty() && program.find_field(row.owner, name) == nullptr &&
                      !program.find_method(row.owner, name).valid());
  });
  return found;
}

}  // namespace

void run_missing_attribute(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const Program*, UsedNames> used;
  run_on_modules(
      context, Scope::kSources,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        const program::Module& row = program.modules()[module];
        const ScopeNames names(*row.facts);
        for (const FunctionId function : row.functions) {
          if (!has_candidate(program, names, function)) continue;
          const UsedNames& known = used.try_emplace(&program, program).first->second;
          FunctionScan(program, names, known, function, hits).run();
        }
      },
      findings);
}

}  // namespace lockstep::rules
