#include "rules/value_chain.h"

#include <algorithm>
#include <unordered_map>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/signatures.h"

namespace lockstep::rules {

using namespace python;

namespace {

/// The texts that a condition compares `subject` with; none where it does not.
std::set<std::string_view> asked_values(const Expr& condition, const Expr*& subject) {
  std::set<std::string_view> out;
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || compare->ops.size() != 1) return out;
  subject = compare->left;
  const Expr* right = compare->comparators.front();
  Seq<Expr> elements;
  if (const auto* tuple = as<Tuple>(right)) elements = tuple->elements;
  if (const auto* list = as<List>(right)) elements = list->elements;
  if (const auto* set = as<Set>(right)) elements = set->elements;
  const bool is_in = compare->ops.front() == CompareOperator::kIn && elements.size() > 0;
  if (!is_in && (compare->ops.front() != CompareOperator::kEq || text_of(right).empty())) return out;
  if (!is_in) out.insert(text_of(right));
  for (const Expr* one : is_in ? elements : Seq<Expr>()) {
    if (text_of(one).empty()) return {};
    out.insert(text_of(one));
  }
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
    const Expr* subject = nullptr;
    std::set<std::string_view> values = asked_values(*at->condition, subject);
    if (values.empty()) return {};
    const std::string text(source.slice(subject->span));
    if (!chain.subject.empty() && chain.subject != text) return {};
    chain.subject = text;
    const auto* attribute = as<Attribute>(subject);
    chain.name = attribute != nullptr ? attribute->name.text : name_of(subject);
    chain.values.merge(values);
    const auto before = outer.find(at);
    at = before == outer.end() ? nullptr : before->second;
  }
  return chain;
}

bool are_all_declared(const program::Program& program, std::string_view name,
                      const std::set<std::string_view>& values) {
  bool is_declared = false;
  for (const program::Class& cls : program.classes()) {
    if (program::is_test_path(program.modules()[cls.module].path)) continue;
    for (const program::Field& field : cls.fields) {
      if (field.name != name || !field.in_class_body || field.annotation == nullptr) continue;
      const std::set<std::string_view> own = literal_values(field.annotation);
      const bool are_asked = !own.empty() && std::all_of(own.begin(), own.end(),
                                                         [&](std::string_view one) { return values.contains(one); });
      if (!are_asked) return false;
      is_declared = true;
    }
  }
  return is_declared;
}

}  // namespace lockstep::rules
