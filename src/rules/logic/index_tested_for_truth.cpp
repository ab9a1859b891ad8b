// index-tested-for-truth: an index, id or rank that may be None is tested for truth, which takes 0 for "none given".
// The same function, or the parameter's annotation or default, shows that None is what is meant.
//
// Left out: names that do not say that they count from 0, and places where 0 is excluded on purpose (`x and x > 0`).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "index-tested-for-truth";
constexpr std::array<std::string_view, 5> kIndexWords = {"id", "idx", "index", "rank", "offset"};

bool is_index_name(std::string_view name) {
  const auto words = split(name, '_');
  for (const std::string_view word : kIndexWords) {
    if (words.back() == word) return true;
  }
  return false;
}

bool may_be_none_by_annotation(const Expr* annotation) {
  if (annotation == nullptr) return false;
  if (const auto* subscript = as<Subscript>(annotation)) {
    const auto* inner = as<Name>(subscript->index);
    return last_part_of(subscript->value) == "Optional" && inner != nullptr && inner->id == "int";
  }
  const auto* either = as<BinOp>(annotation);
  const auto* type = either == nullptr ? nullptr : as<Name>(either->left);
  const auto* none = either == nullptr ? nullptr : as<Constant>(either->right);
  return type != nullptr && type->id == "int" && none != nullptr && none->constant_kind == ConstantKind::kNone;
}

/// Names in one function that may be None and otherwise an index: by annotation, or because the function tests them.
std::set<std::string> optional_indices(const FunctionDef& def, const FileFacts& facts) {
  std::set<std::string> names;
  std::set<std::string> others;  // Parameters that are annotated as something else: an object that is called an index.
  for (const Parameter* parameter : def.parameters->all) {
    if (parameter->annotation == nullptr) continue;
    (may_be_none_by_annotation(parameter->annotation) ? names : others).insert(std::string(parameter->name.text));
  }
  walk_of<Compare>(def, Nested::kEnter, [&](const Compare* compare) {
    if (compare->ops.size() != 1) return;
    const auto* none = as<Constant>(compare->comparators[0]);
    const bool identity = compare->ops[0] == CompareOperator::kIs || compare->ops[0] == CompareOperator::kIsNot;
    if (!identity || none == nullptr || none->constant_kind != ConstantKind::kNone) return;
    std::string text = squeezed(facts, compare->left->span);
    if (!others.contains(text)) names.insert(std::move(text));
  });
  return names;
}

/// Text that is used as a bool alone: not `x and x > 0`.
void collect_tested(const Expr& condition, std::vector<const Expr*>& tested) {
  if (const auto* parts = as<BoolOp>(&condition)) {
    for (const Expr* part : parts->values) collect_tested(*part, tested);
  } else if (const auto* negation = as<UnaryOp>(&condition);
             negation != nullptr && negation->op == UnaryOperator::kNot) {
    collect_tested(*negation->operand, tested);
  } else if (is<Name>(&condition) || is<Attribute>(&condition)) {
    tested.push_back(&condition);
  }
}

/// `model_id`, `run_id`: names of things in registries and logs, which are texts.
bool is_id_of_text(std::string_view name) {
  constexpr std::array<std::string_view, 14> kNamed = {"model",   "repo",    "run",     "job",   "user",
                                                       "hub",     "dataset", "session", "trial", "experiment",
                                                       "request", "project", "entity",  "task"};
  const auto words = split(name, '_');
  return words.size() >= 2 && words.back() == "id" &&
         std::find(kNamed.begin(), kNamed.end(), words[words.size() - 2]) != kNamed.end();
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  walk_of<FunctionDef>(facts.tree(), Nested::kEnter, [&](const FunctionDef* def) {
    std::vector<const Expr*> tested;
    walk(*def, Nested::kSkip, [&](const Node* node) {
      if (const auto* branch = as<If>(node)) collect_tested(*branch->condition, tested);
      if (const auto* choice = as<IfExp>(node)) collect_tested(*choice->condition, tested);
    });
    std::erase_if(tested, [](const Expr* place) {
      return !is_index_name(last_part_of(place)) || is_id_of_text(last_part_of(place));
    });
    if (tested.empty()) return;
    const auto optional = optional_indices(*def, facts);
    for (const Expr* place : tested) {
      if (!optional.contains(squeezed(facts, place->span))) continue;
      const std::string text = quote(facts, place->span);
      Finding finding = finding_at(program, kRule, module, place->span);
      finding.severity = Severity::kP1;
      finding.certainty = FindingCertainty::kLikely;
      finding.category = Category::kCorrectness;
      finding.message = fmt::format("`{}` is tested for truth, so 0 counts as not given", text);
      finding.why =
          "It may be None or an index, and 0 is the first index: the first chunk, layer or rank takes the wrong "
          "branch.";
      finding.fix = fmt::format("Write `{} is not None`.", text);
      hits.push_back(hit_of(program, module, std::move(finding)));
    }
  });
}

}  // namespace

void run_index_tested_for_truth(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
