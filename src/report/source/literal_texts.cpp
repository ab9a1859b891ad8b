#include "report/source/literal_texts.h"

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"

namespace lockstep::report {

using namespace python;

std::set<std::string_view> texts_in(const Expr& expression) {
  std::set<std::string_view> out;
  const auto look = [&](const Constant* one) {
    if (one->constant_kind == ConstantKind::kStr) out.insert(one->text);
  };
  if (const auto* whole = as<Constant>(&expression)) look(whole);
  walk_of<Constant>(expression, Nested::kEnter, look);
  return out;
}

std::set<std::string_view> literals_in(const Expr& annotation) {
  std::set<std::string_view> out;
  const auto look = [&](const Subscript* one) {
    if (rules::last_part_of(one->value) != "Literal") return;
    for (const std::string_view text : texts_in(*one->index)) out.insert(text);
  };
  if (const auto* whole = as<Subscript>(&annotation)) look(whole);
  walk_of<Subscript>(annotation, Nested::kEnter, look);
  return out;
}

}  // namespace lockstep::report
