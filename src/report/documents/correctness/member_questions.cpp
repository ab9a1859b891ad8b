#include "report/documents/correctness/member_questions.h"

#include <algorithm>
#include <array>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/names/attributes_of_class.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::Program;

namespace {

constexpr auto kKnownBases = std::to_array<std::string_view>(
    {"torch.nn.Module", "torch.nn.modules.module.Module", "object", "abc.ABC", "typing.Generic", "typing.Protocol"});

/// Whether all that the class derives from is known by name.
bool sees_bases(const Program& program, ClassId cls) {
  for (const ClassId one : program.classes()[cls].linearized) {
    const program::Class& row = program.classes()[one];
    for (const Expr* base : row.node->bases) {
      const Expr* named = base;
      if (const auto* subscript = as<Subscript>(base)) named = subscript->value;
      const auto kind = program.resolve(program.modules()[row.module].body, *named).kind;
      if (kind != program::Reference::Kind::kClass && kind != program::Reference::Kind::kExternal &&
          rules::name_of(named) != "object")
        return false;
    }
  }
  const auto& outside = program.classes()[cls].external_ancestors;
  return std::all_of(outside.begin(), outside.end(), [](const std::string& base) {
    return std::find(kKnownBases.begin(), kKnownBases.end(), base) != kKnownBases.end();
  });
}

/// Whether the code of a class gives its objects attributes that it does not name. What it sets on others
/// (`setattr(param, …)`) does not.
bool gives_by_other_means(const Program& program, const program::Class& row) {
  const FileFacts& facts = *program.modules()[row.module].facts;
  const std::string_view source = facts.source().slice(row.node->span);
  constexpr std::string_view kMeans[] = {"__dict__", "vars(self)", "__getattr", "setattr(self", "__class__ ="};
  const bool is_decorated =
      std::any_of(row.node->decorators.begin(), row.node->decorators.end(), [](const Expr* decorator) {
        const auto* call = as<Call>(decorator);
        return rules::last_part_of(call != nullptr ? call->callee : decorator) != "dataclass";
      });
  return is_decorated || !row.node->keywords.empty() || !facts.file->problems.empty() ||
         std::any_of(std::begin(kMeans), std::end(kMeans),
                     [&](std::string_view one) { return source.find(one) != std::string_view::npos; });
}

}  // namespace

bool is_all_seen(const Program& program, ClassId cls) {
  return sees_bases(program, cls) && !rules::ClassFamily(program, cls).sets_by_other_means();
}

bool is_seen_itself(const Program& program, ClassId cls) {
  const auto& above = program.classes()[cls].linearized;
  return sees_bases(program, cls) && std::none_of(above.begin(), above.end(), [&](ClassId one) {
           return gives_by_other_means(program, program.classes()[one]);
         });
}

bool has_member(const Program& program, ClassId cls, std::string_view name) {
  if (program.find_field(cls, name) != nullptr || program.find_method(cls, name).valid()) return true;
  return std::any_of(program.classes().begin(), program.classes().end(), [&](const program::Class& one) {
    const auto& above = program.classes()[cls].linearized;
    return one.name == name && std::find(above.begin(), above.end(), one.owner) != above.end();
  });
}

bool is_set_otherwise(const Program& program, std::string_view name, bool with_texts) {
  return std::any_of(program.modules().begin(), program.modules().end(), [&](const program::Module& module) {
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) return false;
    bool found = false;
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto* member = as<Attribute>(node);
      found = found || (member != nullptr && member->context == ExprContext::kStore && member->name.text == name &&
                        rules::name_of(member->value) != "self");
      const auto* text = as<Constant>(node);
      found = found || (with_texts && text != nullptr && rules::text_of(text) == name);
    });
    return found;
  });
}

bool asks_for_object(const Expr& object, const std::vector<Guard>& guards, const SourceText& source) {
  const std::string_view root = rules::root_name(&object);
  constexpr std::string_view kAsking[] = {"isinstance", "hasattr", "getattr", "type"};
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    if (guard.condition == nullptr) return !is<For>(guard.statement) && !is<With>(guard.statement);
    const std::string_view text = source.slice(guard.condition->span);
    return find_name(text, root) != std::string_view::npos ||
           std::any_of(std::begin(kAsking), std::end(kAsking),
                       [&](auto one) { return find_name(text, one) != std::string_view::npos; });
  });
}

}  // namespace lockstep::report
