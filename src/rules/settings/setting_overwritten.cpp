// setting-overwritten: `forward` gives an attribute that the constructor took from its arguments or config a constant,
// on one branch, and nothing ever gives the setting back: one evaluation call changes all later training calls.
//
// Left out: attributes that start as a constant (state, caches), and those that any other method assigns.

#include <fmt/format.h>

#include <set>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/settings/stamp_overwritten.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ClassId;
using program::FunctionId;

constexpr std::string_view kRule = "setting-overwritten";

struct Writes {
  const Assign* in_constructor = nullptr;
  const Assign* in_forward = nullptr;  ///< Of a constant, under a condition.
  std::size_t others = 0;
};

Writes writes_of(const program::Program& program, const program::Class& cls, std::string_view name) {
  Writes writes;
  for (const FunctionId id : cls.methods) {
    const program::Function& method = program.functions()[id];
    for (const Seq<Stmt> block : blocks_of(*method.node)) {
      const bool is_top = method.def() != nullptr && block.data() == method.def()->body.data();
      for (const Stmt* statement : block) {
        const auto* assign = as<Assign>(statement);
        if (assign == nullptr || assign->targets.size() != 1 || self_attribute(assign->targets[0]) != name) continue;
        if (method.name == "__init__" && writes.in_constructor == nullptr && !is<Constant>(assign->value)) {
          writes.in_constructor = assign;
        } else if (method.name == "forward" && !is_top && is<Constant>(assign->value) && !is_none(assign->value)) {
          writes.in_forward = assign;
        } else {
          ++writes.others;
        }
      }
    }
  }
  return writes;
}

/// Attributes to which a nested block of `forward` gives a constant.
std::set<std::string_view> overwritten_in_forward(const program::Program& program, const program::Class& cls) {
  std::set<std::string_view> names;
  for (const FunctionId id : cls.methods) {
    const program::Function& method = program.functions()[id];
    if (method.name != "forward") continue;
    walk_of<Assign>(*method.node, Nested::kSkip, [&](const Assign* assign) {
      const std::string_view name = self_attribute(assign->targets[0]);
      if (!name.empty() && is<Constant>(assign->value)) names.insert(name);
    });
  }
  return names;
}

void check_class(const program::Program& program, ClassId id, std::vector<Hit>& hits) {
  const program::Class& cls = program.classes()[id];
  for (const std::string_view name : overwritten_in_forward(program, cls)) {
    const Writes writes = writes_of(program, cls, name);
    if (writes.in_constructor == nullptr || writes.in_forward == nullptr || writes.others > 0) continue;
    const Expr* value = writes.in_constructor->value;
    if (!is<Name>(value) && !is<Attribute>(value)) continue;
    const FileFacts& facts = *program.modules()[cls.module].facts;
    Hit hit = make_hit(
        program, kRule, cls.module, writes.in_forward->span,
        {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("`forward` overwrites the setting `self.{}` for good", name),
         fmt::format(
             "The constructor sets it to `{}` and nothing restores it: after one call that takes this branch, all "
             "later calls use the constant.",
             quote(facts, value->span)),
         fmt::format("Use a local variable: `{0} = {1} if … else self.{0}`.", name,
                     quote(facts, writes.in_forward->value->span))});
    hit.finding.evidence.push_back(evidence_at(program, cls.module, writes.in_constructor->span, "the setting"));
    hits.push_back(std::move(hit));
  }
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  for (const ClassId cls : program.modules()[module].classes) check_class(program, cls, hits);
}

}  // namespace

void run_setting_overwritten(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
  run_on_changed_lines(
      context, Scope::kSources,
      [](const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
        scan_overwritten_stamps(program, module, kRule, hits);
      },
      findings);
}

}  // namespace lockstep::rules
