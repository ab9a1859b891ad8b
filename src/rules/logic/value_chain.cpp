#include "rules/logic/value_chain.h"

#include <algorithm>
#include <unordered_map>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {

using namespace python;

namespace {

/// What one branch asks for.
struct Asked {
  const Expr* subject = nullptr;
  std::set<std::string_view> values;  ///< None where it asks something else.
  std::string_view enumeration;
};

/// "a" of `"a"`, "A" of `Kind.A`, with "Kind"; false for anything else.
bool add_value(const Expr* value, Asked& asked) {
  const auto* member = as<Attribute>(value);
  const std::string_view text = member != nullptr ? member->name.text : text_of(value);
  const std::string_view of = member != nullptr ? last_part_of(member->value) : std::string_view();
  if (text.empty() || (!asked.values.empty() && asked.enumeration != of)) return false;
  asked.values.insert(text);
  asked.enumeration = of;
  return true;
}

/// The texts, or members of an enumeration, that a condition compares something with.
Asked asked_values(const Expr& condition) {
  Asked out;
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1) return out;
  out.subject = compare->left;
  const Expr* right = compare->comparators.front();
  Seq<Expr> elements;
  if (const auto* tuple = as<Tuple>(right)) elements = tuple->elements;
  if (const auto* list = as<List>(right)) elements = list->elements;
  if (const auto* set = as<Set>(right)) elements = set->elements;
  const CompareOperator op = compare->ops.front();
  bool are_values = op == CompareOperator::kIn && elements.size() > 0;
  if (are_values) {
    for (const Expr* one : elements) are_values = are_values && add_value(one, out);
  } else if (op == CompareOperator::kEq || (op == CompareOperator::kIs && is<Attribute>(right))) {
    are_values = add_value(right, out);
  }
  if (!are_values) out.values.clear();
  return out;
}

/// All texts of a `Literal[…]`; empty where the annotation is none, or holds something else, too.
std::set<std::string_view> literal_values(const Expr* annotation) {
  const auto* subscript = as<Subscript>(annotation);
  if (subscript == nullptr || last_part_of(subscript->value) != "Literal") return {};
  std::set<std::string_view> out;
  const auto* tuple = as<Tuple>(subscript->index);
  if (tuple == nullptr && !text_of(subscript->index).empty()) out.insert(text_of(subscript->index));
  for (const Expr* one : tuple == nullptr ? Seq<Expr>() : tuple->elements) {
    if (text_of(one).empty()) return {};
    out.insert(text_of(one));
  }
  return out;
}

}  // namespace

ValueChain chain_ending_in(const FileFacts& facts, const If& last) {
  std::unordered_map<const If*, const If*> outer;  // By `elif`: the branch before it.
  walk_of<If>(facts.tree(), Nested::kEnter, [&](const If* branch) {
    const auto* next = branch->orelse.size() == 1 ? as<If>(branch->orelse.front()) : nullptr;
    if (next != nullptr) outer.emplace(next, branch);
  });
  const SourceText& source = facts.source();
  ValueChain chain;
  for (const If* at = &last; at != nullptr;) {
    Asked asked = asked_values(*at->condition);
    if (asked.values.empty()) return {};
    const std::string text(source.slice(asked.subject->span));
    if (!chain.subject.empty() && (chain.subject != text || chain.enumeration != asked.enumeration)) return {};
    chain.subject = text;
    chain.enumeration = asked.enumeration;
    const auto* attribute = as<Attribute>(asked.subject);
    chain.name = attribute != nullptr ? attribute->name.text : name_of(asked.subject);
    chain.values.merge(asked.values);
    const auto before = outer.find(at);
    at = before == outer.end() ? nullptr : before->second;
  }
  return chain;
}

namespace {

bool are_asked(const std::set<std::string_view>& declared, const ValueChain& chain) {
  return !declared.empty() && std::all_of(declared.begin(), declared.end(),
                                          [&](std::string_view one) { return chain.values.contains(one); });
}

bool are_all_members(const program::Program& program, const ValueChain& chain) {
  bool is_declared = false;
  for (std::size_t i = 0; i < program.classes().size(); ++i) {
    const program::ClassId id(i);
    const program::Class& cls = program.classes()[id];
    if (cls.name != chain.enumeration) continue;
    std::set<std::string_view> members;
    for (const program::Field& field : cls.fields) {
      const bool is_member = field.in_class_body && field.default_value != nullptr && field.annotation == nullptr;
      if (is_member && !field.name.starts_with("_")) members.insert(field.name);
    }
    const auto& above = cls.external_ancestors;
    const bool is_enumeration =
        std::any_of(above.begin(), above.end(), [](const std::string& one) { return one.starts_with("enum."); });
    if (!is_enumeration || !are_asked(members, chain)) return false;
    is_declared = true;
  }
  return is_declared;
}

/// Of one `add_argument`.
bool leaves_no_other(const Call& call, const ValueChain& chain) {
  const Expr* choices = keyword_value(call, "choices");
  Seq<Expr> elements;
  if (const auto* list = as<List>(choices)) elements = list->elements;
  if (const auto* tuple = as<Tuple>(choices)) elements = tuple->elements;
  std::set<std::string_view> values;
  for (const Expr* one : elements) {
    if (text_of(one).empty()) return false;
    values.insert(text_of(one));
  }
  const bool is_given =
      is_true(keyword_value(call, "required")) || chain.values.contains(text_of(keyword_value(call, "default")));
  return is_given && are_asked(values, chain);
}

bool are_all_choices(const program::Program& program, const ValueChain& chain) {
  bool is_declared = false;
  bool leaves_other = false;
  for (const program::Module& module : program.modules()) {
    if (program::is_test_path(module.path) || !module.facts->has_name("add_argument")) continue;
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr || method->name.text != "add_argument" || argparse_destination(*call) != chain.name) return;
      is_declared = true;
      leaves_other = leaves_other || !leaves_no_other(*call, chain);
    });
  }
  return is_declared && !leaves_other;
}

}  // namespace

bool are_all_declared(const program::Program& program, const ValueChain& chain) {
  if (!chain.enumeration.empty()) return are_all_members(program, chain);
  bool is_declared = false;
  for (const program::Class& cls : program.classes()) {
    if (program::is_test_path(program.modules()[cls.module].path)) continue;
    for (const program::Field& field : cls.fields) {
      if (field.name != chain.name || !field.in_class_body || field.annotation == nullptr) continue;
      if (!are_asked(literal_values(field.annotation), chain)) return false;
      is_declared = true;
    }
  }
  return is_declared || are_all_choices(program, chain);
}

bool are_all_of_parameter(const FunctionDef* function, const ValueChain& chain) {
  const Parameter* parameter = chain.enumeration.empty() ? parameter_named(function, chain.subject) : nullptr;
  return parameter != nullptr && are_asked(literal_values(parameter->annotation), chain);
}

}  // namespace lockstep::rules
