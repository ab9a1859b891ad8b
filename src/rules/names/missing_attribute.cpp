// missing-attribute: reads of attributes that objects of the class cannot have:
// - `self.name` where no class above or below, and no statement anywhere in the repository, ever gives an object an
//   attribute of that name, while the function has a local variable or parameter called `name`;
// - `self.name` where the classes around have `name_` or `_name`, or a long name one letter off, and no `name`;
// - `Class.name` where neither the class nor any class above it has one;
// - `OBJECT.name` of an object that a module makes once, where its class has none;
// - `self.name` in `__init__` before the only statement that sets it.
//
// Left out: classes with bases outside the repository other than torch.nn.Module and object, `__getattr__`, names that
// appear as a text (setattr, register_buffer).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "python/tree_walk.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/names/attributes_of_class.h"
#include "rules/names/module_objects.h"
#include "rules/names/names.h"
#include "rules/names/used_names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

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

/// What the rule asks of a whole program, found out when first asked.
class Known {
 public:
  explicit Known(const Program& program) : program_(program) {}

  const UsedNames& used() {
    if (!used_) used_.emplace(program_);
    return *used_;
  }
  const AttributesSetFromOutside& outside() {
    if (!outside_) outside_.emplace(program_);
    return *outside_;
  }
  /// As class_of_module_object.
  ClassId class_of_object(ModuleId reader, std::string_view name) {
    const auto [place, is_new] = objects_.try_emplace({reader, name});
    if (is_new) place->second = class_of_module_object(program_, used(), reader, name);
    return place->second;
  }
  const ClassFamily& family(ClassId cls) { return families_.try_emplace(cls, program_, cls).first->second; }

 private:
  const Program& program_;
  std::optional<UsedNames> used_;
  std::optional<AttributesSetFromOutside> outside_;
  std::map<ClassId, ClassFamily> families_;
  std::map<std::pair<ModuleId, std::string_view>, ClassId> objects_;
};

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, const ScopeNames& names, Known& known, FunctionId function,
               std::vector<Hit>& hits)
      : FunctionView(program, function, hits), names_(names), known_(known) {}

  void run() {
    const auto scope = facts_.scope_of_node.find(row_.node);
    if (!row_.owner.valid() || row_.def() == nullptr || scope == facts_.scope_of_node.end()) return;
    const program::Class& cls = program_.classes()[row_.owner];
    walk_of<Attribute>(*row_.node, Nested::kSkip, [&](const Attribute* attribute) {
      const std::string_view name = self_attribute(attribute);
      if (name.empty() || attribute->context != ExprContext::kLoad || name.starts_with("__")) return;
      if (names_.bindings(scope->second, name).empty() || program_.find_field(row_.owner, name) != nullptr) return;
      if (program_.find_method(row_.owner, name).valid() || !has_known_bases(program_, cls)) return;
      if (is_handed_with_self(cls, name) || is_member_somewhere(program_, name)) return;
      if (known_.used().writes_attribute(name) || known_.used().has_text(name)) return;
      hits_.push_back(make_hit(program_, kRule, row_.module, attribute->span,
                               {Severity::kP0, FindingCertainty::kLikely, Category::kCorrectness,
                                fmt::format("Nothing ever sets `self.{0}`; `{0}` is a variable of this function", name),
                                "Reading the attribute raises AttributeError.", fmt::format("Write `{}`.", name)}));
    });
  }

 private:
  const ScopeNames& names_;
  Known& known_;
};

/// Every class of the family derives from nothing whose attributes are not seen.
bool is_all_seen(const Program& program, const ClassFamily& family) {
  return std::all_of(family.members().begin(), family.members().end(),
                     [&](ClassId cls) { return has_known_bases(program, program.classes()[cls]); }) &&
         !family.sets_by_other_means();
}

/// One loop holds both places: a later round may read what an earlier one set.
bool share_loop(const Node& function, Span a, Span b) {
  bool found = false;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    const bool is_loop = is<For>(statement) || is<While>(statement);
    found = found || (is_loop && statement->span.contains(a) && statement->span.contains(b));
  });
  return found;
}

/// `self.name` where the family of classes has only `name_` or the like.
class NearNames {
 public:
  NearNames(const Program& program, Known& known, FunctionId function, std::vector<Hit>& hits)
      : program_(program), known_(known), row_(program.functions()[function]), hits_(hits) {}

  void run() {
    const FunctionDef* def = row_.def();
    if (def == nullptr || !row_.owner.valid() || def->parameters->all.empty()) return;
    if (def->parameters->all[0]->name.text != "self") return;
    walk_of<Attribute>(*row_.node, Nested::kSkip, [&](const Attribute* attribute) {
      const std::string_view name = self_attribute(attribute);
      if (name.empty() || attribute->context != ExprContext::kLoad || name.starts_with("__")) return;
      if (program_.find_field(row_.owner, name) != nullptr || program_.find_method(row_.owner, name).valid()) return;
      check(*attribute, name);
    });
  }

 private:
  void check(const Attribute& attribute, std::string_view name) {
    const ClassFamily& family = known_.family(row_.owner);
    if (family.has(name) || is_member_of_nn_module(name)) return;
    const std::string_view near = family.near_name(name);
    if (near.empty() || !is_all_seen(program_, family)) return;
    const program::Class& cls = program_.classes()[row_.owner];
    if (is_handed_with_self(cls, name) || is_in_try(*row_.node, attribute.span)) return;
    if (known_.outside().asks_by_text(name) || known_.outside().may_set(cls, name)) return;
    hits_.push_back(make_hit(program_, kRule, row_.module, attribute.span,
                             {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                              fmt::format("Nothing sets `self.{}`; the class has `{}`", name, near),
                              "Reading the attribute raises AttributeError.",
                              near == row_.name ? fmt::format("Set `self.{}` in `__init__`.", name)
                                                : fmt::format("Write `self.{}`.", near)}));
  }

  const Program& program_;
  Known& known_;
  const program::Function& row_;
  std::vector<Hit>& hits_;
};

/// One statement at module level defines the class, and nothing in the reading module binds its name again: no fallback
/// for an import.
bool is_only_definition(const Program& program, const program::Class& cls, ModuleId reader) {
  const auto bindings_in = [&](const FileFacts& facts) {
    std::size_t count = 0;
    for (const python::Scope& scope : facts.scopes) {
      count += static_cast<std::size_t>(std::count_if(scope.bindings.begin(), scope.bindings.end(),
                                                      [&](const Binding& each) { return each.name == cls.name; }));
    }
    return count;
  };
  const FileFacts& home = *program.modules()[cls.module].facts;
  const auto& body = home.tree().body;
  const bool is_top = std::any_of(body.begin(), body.end(), [&](const Stmt* each) { return each == cls.node; });
  return is_top && bindings_in(home) == 1 && bindings_in(*program.modules()[reader].facts) == 1;
}

/// `Class.name` where no class above has the name.
void check_class_attribute(const Program& program, Known& known, ModuleId module, const Attribute& attribute,
                           FunctionId function, const program::Reference& named, std::vector<Hit>& hits) {
  const std::string_view name = attribute.name.text;
  const program::Class& cls = program.classes()[named.cls];
  if (!cls.external_ancestors.empty()) return;
  if (program.find_field(named.cls, name) != nullptr || program.find_method(named.cls, name).valid()) return;
  if (!is_only_definition(program, cls, module)) return;
  const ClassFamily& family = known.family(named.cls);
  // A function of the reading module with that name: the class was written by mistake.
  const ScopeNames names(*program.modules()[module].facts);
  const bool has_function = !names.bindings(ScopeId(0), name).empty();
  if (family.has(name) || (!has_function && !is_all_seen(program, family))) return;
  constexpr std::string_view kOfTypes[] = {"mro", "cls", "name", "value"};
  if (std::find(std::begin(kOfTypes), std::end(kOfTypes), name) != std::end(kOfTypes)) return;
  if (known.used().writes_attribute(name) || known.used().has_text(name)) return;
  if (program.function_of(program.functions()[function].node).valid() &&
      is_in_try(*program.functions()[function].node, attribute.span)) {
    return;
  }
  Hit hit = make_hit(
      program, kRule, module, attribute.span,
      {Severity::kP0, FindingCertainty::kLikely, Category::kCorrectness,
       fmt::format("`{}` has no attribute `{}`: neither the class nor any class above it defines one", cls.name, name),
       "Reading the attribute raises AttributeError.", "Correct the name, or define it in the class."});
  hit.finding.evidence.push_back(evidence_at(program, cls.module, cls.node->name.span, "the class"));
  hits.push_back(std::move(hit));
}

/// `OBJECT.name`, the object made once at the top of a module, where no class of its family has the name.
void check_object_attribute(const Program& program, Known& known, ModuleId module, const Attribute& attribute,
                            FunctionId function, std::vector<Hit>& hits) {
  const std::string_view name = attribute.name.text;
  const ClassId made = known.class_of_object(module, as<Name>(attribute.value)->id);
  if (!made.valid()) return;
  const program::Class& cls = program.classes()[made];
  if (program.find_field(made, name) != nullptr || program.find_method(made, name).valid()) return;
  const ClassFamily& family = known.family(made);
  if (family.has(name) || is_member_of_nn_module(name) || !is_all_seen(program, family)) return;
  if (known.outside().may_set(cls, name) || known.used().has_text(name)) return;
  if (function.valid() && is_in_try(*program.functions()[function].node, attribute.span)) return;
  Hit hit = make_hit(
      program, kRule, module, attribute.span,
      {Severity::kP0, FindingCertainty::kLikely, Category::kCorrectness,
       fmt::format("`{}` is a `{}`, which has no attribute `{}`", as<Name>(attribute.value)->id, cls.name, name),
       "Reading the attribute raises AttributeError.", "Correct the name, or define it in the class."});
  hit.finding.evidence.push_back(evidence_at(program, cls.module, cls.node->name.span, "the class"));
  hits.push_back(std::move(hit));
}

/// `X.name`, whatever X is.
void check_named(const Program& program, Known& known, ModuleId module, const Attribute& attribute,
                 std::vector<Hit>& hits) {
  if (attribute.context != ExprContext::kLoad || attribute.name.text.starts_with("__") || !is<Name>(attribute.value))
    return;
  const FunctionId function = program.function_at(module, attribute.span.begin);
  const program::Reference named = program.resolve(function, *attribute.value);
  if (named.kind == program::Reference::Kind::kClass) {
    check_class_attribute(program, known, module, attribute, function, named, hits);
  } else if (named.kind == program::Reference::Kind::kVariable) {
    check_object_attribute(program, known, module, attribute, function, hits);
  }
}

/// `self.name` in `__init__` above the only statement that sets it.
void check_order(const Program& program, Known& known, FunctionId init, std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[init];
  if (row.name != "__init__" || !row.owner.valid() || row.def() == nullptr) return;
  const program::Class& cls = program.classes()[row.owner];
  std::map<std::string_view, std::uint32_t> set_at;  // Name -> where `__init__` sets it first.
  std::map<std::string_view, const Attribute*> read_at;
  walk_of<Attribute>(*row.node, Nested::kSkip, [&](const Attribute* attribute) {
    const std::string_view name = self_attribute(attribute);
    if (name.empty()) return;
    if (attribute->context == ExprContext::kStore) {
      const auto [at, added] = set_at.emplace(name, attribute->span.begin);
      if (!added) at->second = std::min(at->second, attribute->span.begin);
    } else if (attribute->context == ExprContext::kLoad) {
      const auto [at, added] = read_at.emplace(name, attribute);
      if (!added && attribute->span.begin < at->second->span.begin) at->second = attribute;
    }
  });
  for (const auto& [name, read] : read_at) {
    const auto set = set_at.find(name);
    if (set == set_at.end() || set->second <= read->span.end || is_member_of_nn_module(name)) continue;
    const auto& facts = *program.modules()[row.module].facts;
    if (facts.source().line_of(set->second) == facts.source().line_of(read->span.begin)) continue;
    if (calls_name(*row.node, "hasattr") || calls_name(*row.node, "getattr")) continue;
    const ClassFamily& family = known.family(row.owner);
    if (!is_all_seen(program, family) || family.sets_outside(init, name)) continue;
    if (share_loop(*row.node, read->span, {set->second, set->second}) || is_in_try(*row.node, read->span)) continue;
    if (is_handed_with_self(cls, name)) continue;
    Hit hit = make_hit(program, kRule, row.module, read->span,
                       {Severity::kP0, FindingCertainty::kLikely, Category::kCorrectness,
                        fmt::format("`self.{}` is read before `__init__` sets it", name),
                        "Reading the attribute raises AttributeError: nothing else sets it before.",
                        "Set it first, or read the value that it is set from."});
    hit.finding.evidence.push_back(evidence_at(program, row.module, {set->second, set->second}, "set here, later"));
    hits.push_back(std::move(hit));
  }
}

}  // namespace

void run_missing_attribute(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const Program*, Known> all;
  run_on_modules(
      context, Scope::kSources,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        const program::Module& row = program.modules()[module];
        const ScopeNames names(*row.facts);
        Known& known = all.try_emplace(&program, program).first->second;
        for (const FunctionId function : row.functions) {
          FunctionScan(program, names, known, function, hits).run();
          NearNames(program, known, function, hits).run();
          check_order(program, known, function, hits);
        }
        walk_of<Attribute>(row.facts->tree(), Nested::kEnter,
                           [&](const Attribute* attribute) { check_named(program, known, module, *attribute, hits); });
      },
      findings);
}

}  // namespace lockstep::rules
