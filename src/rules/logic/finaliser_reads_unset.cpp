// finaliser-reads-unset: `__del__` reads an attribute that `__init__` sets only after something that can fail. Where
// the constructor raises, Python still calls `__del__`, and a second error hides the first.
//
// Left out: attributes with a value in the class body, reads under hasattr, getattr or `try`.

#include <fmt/format.h>

#include <set>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "finaliser-reads-unset";

bool can_fail(const Node& statement) {
  bool found = false;
  walk(statement, Nested::kSkip, [&](const Node* node) {
    found = found || is<Raise>(node) || is<Assert>(node) || is<Subscript>(node);
    const auto* call = as<Call>(node);
    const auto* super = call == nullptr ? nullptr : as<Attribute>(call->callee);
    const auto* of = super == nullptr ? nullptr : as<Call>(super->value);
    found = found ||
            (call != nullptr && name_of(call->callee) != "super" && (of == nullptr || name_of(of->callee) != "super"));
  });
  return found;
}

/// Attributes that the constructor sets before anything that can fail.
std::set<std::string_view> set_early(const FunctionDef& init) {
  std::set<std::string_view> names;
  for (const Stmt* statement : init.body) {
    if (can_fail(*statement)) break;
    if (const auto* assign = as<Assign>(statement)) names.insert(self_attribute(assign->targets[0]));
    if (const auto* typed = as<AnnAssign>(statement)) names.insert(self_attribute(typed->target));
  }
  return names;
}

bool is_guarded(const FunctionDef& del) {
  bool found = calls_name(del, "hasattr") || calls_name(del, "getattr");
  walk_statements(del, Nested::kSkip, [&](const Stmt* statement) { found = found || is<Try>(statement); });
  return found;
}

void check_class(const Program& program, ClassId id, FunctionId del_id, FunctionId init_id, std::vector<Hit>& hits) {
  const program::Class& cls = program.classes()[id];
  const FunctionDef* del = program.functions()[del_id].def();
  const FunctionDef* init = program.functions()[init_id].def();
  if (del == nullptr || init == nullptr || is_guarded(*del)) return;
  const std::set<std::string_view> early = set_early(*init);
  const Attribute* first = nullptr;
  walk_of<Attribute>(*del, Nested::kSkip, [&](const Attribute* attribute) {
    const std::string_view name = self_attribute(attribute);
    if (first != nullptr || name.empty() || attribute->context != ExprContext::kLoad || early.contains(name)) return;
    const program::Field* field = program.find_field(id, name);
    if (field == nullptr || field->in_class_body || field->assigned_in != init_id) return;
    first = attribute;
  });
  if (first == nullptr) return;
  const program::Field* field = program.find_field(id, first->name.text);
  Hit hit = make_hit(
      program, kRule, cls.module, first->span,
      {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
       fmt::format("`__del__` reads `self.{}`, which is not set where the constructor fails early", first->name.text),
       "Python calls `__del__` also on an object whose constructor raised; the AttributeError is printed on top of the "
       "real error.",
       fmt::format("Set `self.{}` to None first in `__init__` and test for it here.", first->name.text)});
  hit.finding.evidence.push_back(evidence_at(program, cls.module, field->node->span, "set here, after calls"));
  hits.push_back(std::move(hit));
}

void scan(const Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const ClassId id : program.modules()[module].classes) {
    FunctionId del, init;
    for (const FunctionId method : program.classes()[id].methods) {
      if (program.functions()[method].name == "__del__") del = method;
      if (program.functions()[method].name == "__init__") init = method;
    }
    if (del.valid() && init.valid()) check_class(program, id, del, init, hits);
  }
}

}  // namespace

void run_finaliser_reads_unset(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
