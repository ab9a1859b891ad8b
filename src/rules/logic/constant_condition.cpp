// constant-condition: a condition with a part that is always true by its form: a non-empty tuple (a trailing comma), a
// string in the place of a comparison (`kind == "a" or "b"`), an f-string. And a comparison with None of a property or
// function of the repository that gives True or False on every path (`if self.is_ready is not None`).
//
// Left out: conditions that are meant to be constant (`while True`, `if 0`), names; properties and methods that a class
// on the way, a subclass or an assignment from outside may replace, functions under names that are bound twice.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/names/mentions.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/word_tables.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "constant-condition";

/// A display or text that is true whatever its elements are.
bool is_always_true(const Expr& part) {
  if (const auto* tuple = as<Tuple>(&part)) return !tuple->elements.empty();
  if (const auto* text = as<Constant>(&part)) return text->constant_kind == ConstantKind::kStr && !text->text.empty();
  return is<JoinedStr>(&part);
}

/// The part of a condition that is always true, inside `and`, `or` and `not`; null where there is none.
const Expr* constant_part(const Expr& condition, bool is_top) {
  if (const auto* parts = as<BoolOp>(&condition)) {
    for (const Expr* part : parts->values) {
      if (const Expr* found = constant_part(*part, false)) return found;
    }
    return nullptr;
  }
  if (const auto* negation = as<UnaryOp>(&condition); negation != nullptr && negation->op == UnaryOperator::kNot) {
    return constant_part(*negation->operand, false);
  }
  if (is_top && is<Constant>(&condition)) return nullptr;
  return is_always_true(condition) ? &condition : nullptr;
}

/// The value of the expression is True or False whatever the names in it hold.
bool is_sure_bool(const Expr& value) {
  constexpr auto kAsk =
      std::to_array<std::string_view>({"isinstance", "issubclass", "hasattr", "callable", "bool", "any", "all"});
  if (const auto* compare = as<Compare>(&value)) {
    // Other comparisons may be those of arrays.
    return std::all_of(compare->ops.begin(), compare->ops.end(), [](CompareOperator op) {
      return op == CompareOperator::kIs || op == CompareOperator::kIsNot || op == CompareOperator::kIn ||
             op == CompareOperator::kNotIn;
    });
  }
  if (const auto* parts = as<BoolOp>(&value))
    return std::all_of(parts->values.begin(), parts->values.end(),
                       [](const Expr* each) { return is_sure_bool(*each); });
  if (const auto* negation = as<UnaryOp>(&value)) return negation->op == UnaryOperator::kNot;
  if (const auto* call = as<Call>(&value)) {
    const std::string_view name = name_of(call->callee);
    return std::find(kAsk.begin(), kAsk.end(), name) != kAsk.end();
  }
  return is_true(&value) || is_false(&value);
}

/// What was found out of one program: each question is answered once.
struct Memory {
  std::unordered_map<const FunctionDef*, bool> gives_bool;
  std::unordered_map<const FileFacts*, std::unordered_map<std::string_view, std::size_t>> times_bound;
  std::unordered_map<std::string, program::FunctionId> properties;  ///< By class, name and how it is used.
  std::unordered_map<std::string_view, bool> set_somewhere;         ///< Names that were looked for in the files.
  std::optional<std::unordered_set<std::string_view>> all_set;      ///< Found when many names are asked for.
};

/// Declared `-> bool`, and every path returns a sure True or False.
bool finds_only_bool(const FunctionDef& def) {
  if (def.is_async || name_of(def.returns) != "bool" || def.body.empty() || !is<Return>(def.body.back())) return false;
  bool sure = true;
  walk(def, Nested::kSkip, [&](const Node* node) {
    if (const auto* back = as<Return>(node)) sure = sure && back->value != nullptr && is_sure_bool(*back->value);
    if (is<Yield>(node) || is<YieldFrom>(node)) sure = false;
  });
  return sure;
}

bool gives_bool(const FunctionDef& def, Memory& memory) {
  const auto [known, is_new] = memory.gives_bool.try_emplace(&def, false);
  if (is_new) known->second = finds_only_bool(def);
  return known->second;
}

/// Calls `visit` for the names that the file sets as attributes, or names in a text.
template <class Visit>
void for_each_set_name(const FileFacts& facts, Visit&& visit) {
  walk(facts.tree(), Nested::kEnter, [&](const Node* node) {
    const auto* attribute = as<Attribute>(node);
    if (attribute != nullptr && attribute->context != ExprContext::kLoad) visit(attribute->name.text);
    const auto* text = as<Constant>(node);
    if (text != nullptr && text->constant_kind == ConstantKind::kStr) for_each_name_in_text(text->text, visit);
  });
}

/// No file gives something an attribute of this name from outside (`Class.name = …`, `module.name = …`), or names it in
/// a text, as setattr and mock.patch do. The first names are looked for in the files that hold them; where there are
/// many, one reading of all files is less work.
bool is_set_nowhere(const program::Program& program, std::string_view name, Memory& memory) {
  constexpr std::size_t kMostNamesByText = 6;
  if (!memory.all_set && memory.set_somewhere.size() < kMostNamesByText) {
    const auto [known, is_new] = memory.set_somewhere.try_emplace(name, false);
    if (!is_new) return !known->second;
    for (const program::Module& module : program.modules()) {
      if (known->second || find_name(module.facts->source().bytes(), name) == std::string_view::npos) continue;
      for_each_set_name(*module.facts, [&](std::string_view each) { known->second = known->second || each == name; });
    }
    return !known->second;
  }
  if (!memory.all_set) {
    memory.all_set.emplace();
    for (const program::Module& module : program.modules())
      for_each_set_name(*module.facts, [&](std::string_view each) { memory.all_set->insert(each); });
  }
  return !memory.all_set->contains(name);
}

/// How often any scope of the file binds the name.
std::size_t times_bound(const FileFacts& facts, std::string_view name, Memory& memory) {
  const auto [known, is_new] = memory.times_bound.try_emplace(&facts);
  if (is_new) {
    for (const python::Scope& scope : facts.scopes) {
      for (const Binding& binding : scope.bindings) ++known->second[binding.name];
    }
  }
  const auto times = known->second.find(name);
  return times == known->second.end() ? 0 : times->second;
}

/// The function of a module that a call by a plain name surely enters: its file and the caller's bind the name once.
program::FunctionId sure_callee(const program::Program& program, program::FunctionId caller, const Call& call,
                                Memory& memory) {
  const std::string_view name = name_of(call.callee);
  if (name.empty()) return {};
  const program::Reference callee = program.resolve(caller, *call.callee);
  if (callee.kind != program::Reference::Kind::kFunction) return {};
  const program::Function& row = program.functions()[callee.function];
  if (row.owner.valid() || row.enclosing.valid() || row.def() == nullptr || !row.def()->decorators.empty()) return {};
  if (times_bound(*program.module_of(callee.function).facts, row.name, memory) != 1) return {};
  return times_bound(*program.module_of(caller).facts, name, memory) == 1 ? callee.function : program::FunctionId();
}

/// A base that no import, class or module of the source accounts for: `make_base()`, a variable.
bool has_unknown_base(const program::Program& program, const program::Class& cls) {
  const program::FunctionId around = cls.enclosing.valid() ? cls.enclosing : program.modules()[cls.module].body;
  return std::any_of(cls.node->bases.begin(), cls.node->bases.end(), [&](const Expr* base) {
    const auto kind = program.resolve(around, *base).kind;
    return kind != program::Reference::Kind::kClass && kind != program::Reference::Kind::kExternal;
  });
}

/// What objects of the class find under the name is a method of the repository that gives True or False: no class from
/// outside or unknown may come before it, no class body on the way binds the name to anything else. `as_property`: it
/// is read, not called.
bool finds_bool(const program::Program& program, program::ClassId cls, std::string_view name, bool as_property,
                Memory& memory) {
  constexpr auto kPlain = std::to_array<std::string_view>(
      {"object", "abc.ABC", "torch.nn.Module", "torch.nn.modules.module.Module", "typing.Generic", "typing.Protocol"});
  for (const program::ClassId each : program.classes()[cls].linearized) {
    const program::Class& row = program.classes()[each];
    const auto scope = program.module_of(each).facts->scope_of_node.find(row.node);
    if (scope == program.module_of(each).facts->scope_of_node.end() || !row.node->decorators.empty()) return false;
    if (program.find_method(each, "__getattribute__").valid()) return false;
    const auto& bindings = program.module_of(each).facts->scopes[scope->second].bindings;
    const auto is_it = [&](const Binding& binding) { return binding.name == name; };
    const auto times = std::count_if(bindings.begin(), bindings.end(), is_it);
    const bool is_plain = std::all_of(row.external_bases.begin(), row.external_bases.end(),
                                      [&](const std::string& base) { return has(kPlain, base); });
    if (times == 0 && is_plain && row.node->keywords.empty() && !has_unknown_base(program, row)) continue;
    if (times != 1) return false;
    const auto* def = as<FunctionDef>(std::find_if(bindings.begin(), bindings.end(), is_it)->node);
    if (def == nullptr || !gives_bool(*def, memory)) return false;
    return as_property ? def->decorators.size() == 1 && name_of(def->decorators[0]) == "property"
                       : def->decorators.empty();
  }
  return false;
}

/// The property that `self.name` in `function` reads, or the function that a call enters, if they give True or False:
/// they and all that may stand in for them.
program::FunctionId bool_source(const program::Program& program, program::FunctionId function, const Expr& value,
                                Memory& memory) {
  const auto* call = as<Call>(&value);
  if (call != nullptr && is<Name>(call->callee)) {
    const program::FunctionId callee = sure_callee(program, function, *call, memory);
    if (!callee.valid() || !gives_bool(*program.functions()[callee].def(), memory)) return {};
    return is_set_nowhere(program, program.functions()[callee].name, memory) ? callee : program::FunctionId();
  }
  const std::string_view name = self_attribute(call != nullptr ? call->callee : &value);
  const program::ClassId owner = program.functions()[function].owner;
  if (name.empty() || !owner.valid()) return {};
  const program::FunctionId source = program.find_method(owner, name);
  if (!source.valid()) return {};
  const auto [known, is_new] =
      memory.properties.try_emplace(fmt::format("{} {} {}", owner.index(), name, call == nullptr));
  if (!is_new) return known->second;
  const auto classes = program::with_descendants(program, owner);
  const bool sure = std::all_of(classes.begin(), classes.end(), [&](program::ClassId each) {
    return finds_bool(program, each, name, call == nullptr, memory);
  });
  if (sure && is_set_nowhere(program, name, memory)) known->second = source;
  return known->second;
}

/// `self.is_ready is not None`, anywhere: properties and functions that give True or False are never None.
void compare_with_none(const program::Program& program, program::ModuleId module, const Compare& compare,
                       Memory& memory, std::vector<Hit>& hits) {
  const auto test = none_test(compare);
  if (!test) return;
  const program::FunctionId function = program.function_at(module, compare.span.begin);
  const program::FunctionId source = bool_source(program, function, *test->subject, memory);
  if (!source.valid()) return;
  const FileFacts& facts = *program.modules()[module].facts;
  const std::string subject = quote(facts, test->subject->span);
  // A class outside of the repository may derive from this one.
  const bool is_sure = !program.functions()[source].owner.valid();
  Hit hit = make_hit(
      program, kRule, module, compare.span,
      {Severity::kP1, is_sure ? FindingCertainty::kProven : FindingCertainty::kLikely, Category::kCorrectness,
       fmt::format("`{}` is True or False, never None: this is always {}", subject, test->is_none ? "false" : "true"),
       "The test does not ask what the value says.",
       fmt::format("Test `{}{}`.", test->is_none ? "not " : "", subject)});
  const program::Function& row = program.functions()[source];
  hit.finding.evidence.push_back(evidence_at(program, row.module, row.def()->name.span, "it returns True or False"));
  hits.push_back(std::move(hit));
}

void scan(const program::Program& program, program::ModuleId module, Memory& memory, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  const auto check = [&](const Expr& condition, std::string_view keyword) {
    const Expr* part = constant_part(condition, true);
    if (part == nullptr) return;
    Finding finding = finding_at(program, kRule, module, part->span);
    finding.severity = Severity::kP1;
    finding.certainty = FindingCertainty::kProven;
    finding.category = Category::kCorrectness;
    const bool tuple = is<Tuple>(part);
    finding.message =
        fmt::format("`{}` in the condition of this `{}` is always true", quote(facts, part->span), keyword);
    finding.why = tuple ? "A tuple with an element is true whatever the element is, so this part checks nothing."
                        : "A text that is not empty is true, so this part checks nothing.";
    finding.fix = tuple ? "Remove the comma that makes it a tuple."
                        : "Compare the value with it: `x == \"a\" or x == \"b\"`, or `x in (\"a\", \"b\")`.";
    hits.push_back(hit_of(program, module, std::move(finding)));
  };
  walk(facts.tree(), Nested::kEnter, [&](const Node* node) {
    if (const auto* branch = as<If>(node)) check(*branch->condition, "if");
    if (const auto* loop = as<While>(node)) check(*loop->condition, "while");
    if (const auto* assertion = as<Assert>(node)) check(*assertion->test, "assert");
    if (const auto* choice = as<IfExp>(node)) check(*choice->condition, "if");
    if (const auto* compare = as<Compare>(node)) compare_with_none(program, module, *compare, memory, hits);
  });
}

}  // namespace

void run_constant_condition(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const program::Program*, Memory> memories;
  run_on_modules(
      context, Scope::kSourcesAndTests,
      [&](const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
        scan(program, module, memories[&program], hits);
      },
      findings);
}

}  // namespace lockstep::rules
