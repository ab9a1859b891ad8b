// checkpoint-shape-varies: one function saves the same checkpoint key with a global shape of two lengths, depending on
// a setting. A checkpoint written with one shape cannot be loaded with the other.
//
// Left out: keys that are computed, and shapes that are not written as tuples.

#include <fmt/format.h>

#include <map>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "checkpoint-shape-varies";

/// `ShardedObject(key, object, global_shape, offsets, replica_id)` and its like of distributed checkpoint libraries.
bool is_sharded_entry(const Call& call) {
  const std::string_view name = last_part_of(call.callee);
  return name == "ShardedObject" || name == "ShardedTensor";
}

void shapes(const Program& program, FunctionId function, std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  std::map<std::string_view, const Call*> first;
  walk_of<Call>(*row.node, Nested::kSkip, [&](const Call* call) {
    if (!is_sharded_entry(*call) || call->arguments.size() < 3) return;
    const std::string_view key = text_of(call->arguments[0]);
    const auto* shape = as<Tuple>(call->arguments[2]);
    if (key.empty() || shape == nullptr) return;
    const auto [other, is_new] = first.emplace(key, call);
    const auto* other_shape = as<Tuple>(other->second->arguments[2]);
    if (is_new || other_shape->elements.size() == shape->elements.size()) return;
    const FileFacts& facts = *program.modules()[row.module].facts;
    const Call* longer = shape->elements.size() > other_shape->elements.size() ? call : other->second;
    Hit hit = make_hit(program, kRule, row.module, longer->span,
                       {Severity::kP1, FindingCertainty::kLikely, Category::kCompatibility,
                        fmt::format("The checkpoint key `{}` is saved with a shape of {} or {} dimensions", key,
                                    other_shape->elements.size(), shape->elements.size()),
                        fmt::format("A checkpoint saved with `{}` cannot be loaded by a run that asks for `{}`.",
                                    quote(facts, other_shape->span), quote(facts, shape->span)),
                        "Give the other layout a key or a version of its own, and load either."});
    hit.finding.evidence.push_back(
        evidence_at(program, row.module, (longer == call ? other->second : call)->span, "the other shape"));
    hits.push_back(std::move(hit));
  });
}

void scan(const Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  if (!contains(program.modules()[module].facts->source().bytes(), "Sharded")) return;
  for (const FunctionId function : program.modules()[module].functions) shapes(program, function, hits);
}

}  // namespace

void run_checkpoint_shape_varies(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
