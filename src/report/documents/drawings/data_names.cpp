#include "report/documents/drawings/data_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `x is None`, `x is not None`: whether there is something, not what.
bool asks_whether_there_is(const Node& node) {
  const auto* compare = as<Compare>(&node);
  return compare != nullptr && compare->ops.size() == 1 && rules::is_none(compare->comparators.front()) &&
         (compare->ops.front() == CompareOperator::kIs || compare->ops.front() == CompareOperator::kIsNot);
}

/// `zeros(shape, dtype=x.dtype)`, `zeros(shape, x.device)`: how data is kept, and no data.
bool says_how_kept(std::string_view name) {
  return name == "dtype" || name == "device" || name == "layout" || name == "requires_grad" || name == "generator";
}

/// Adds names read in an expression: variables and "self.x" chains, callees left out, and what is only asked whether it
/// is there.
void add_names(const Node& node, std::vector<std::string>& out) {
  if (asks_whether_there_is(node)) return;
  if (const auto* call = as<Call>(&node)) {
    if (const auto* attribute = as<Attribute>(call->callee)) {
      // Of `buffer[first:end].fill_(x)` what stands in the brackets says where, not what.
      const Expr* receiver = attribute->value;
      const bool is_in_place = rules::works_in_place(attribute->name.text);
      while (is_in_place && is<Subscript>(receiver)) receiver = as<Subscript>(receiver)->value;
      add_names(*receiver, out);
    }
    for (const Expr* argument : call->arguments) {
      if (const auto* attribute = as<Attribute>(argument); attribute == nullptr || !says_how_kept(attribute->name.text))
        add_names(*argument, out);
    }
    for (const Keyword* keyword : call->keywords) {
      if (!says_how_kept(keyword->name.text)) add_names(*keyword->value, out);
    }
    return;
  }
  if (is<Attribute>(&node) || is<Name>(&node)) {
    std::string text = dotted_text(static_cast<const Expr*>(&node));
    if (text.empty()) {
      for_each_child(node, [&](const Node* child) { add_names(*child, out); });
    } else {
      out.push_back(std::move(text));
    }
    return;
  }
  if (is<Lambda>(&node)) return;
  for_each_child(node, [&](const Node* child) { add_names(*child, out); });
}

}  // namespace

void names_in(const Node& node, std::vector<std::string>& out) {
  const std::size_t first = out.size();
  add_names(node, out);
  std::vector<std::string> bound;
  walk_of<Comprehension>(node, Nested::kSkip, [&](const Comprehension* part) { add_names(*part->target, bound); });
  if (bound.empty()) return;
  const auto is_bound = [&](const std::string& name) {
    return std::any_of(bound.begin(), bound.end(),
                       [&](const std::string& one) { return name == one || name.starts_with(one + "."); });
  };
  out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), is_bound), out.end());
}

}  // namespace lockstep::report
