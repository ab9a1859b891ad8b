// random-outside-tracker: a file draws its random numbers for sharded tensors inside `with
// get_cuda_rng_tracker().fork()` in one function, and calls the same operation (`self.attention_dropout`, `F.dropout`,
// `torch.rand`) outside of it in another one: there all ranks of the tensor-parallel group draw alike, or the common
// stream gets out of step.
//
// Left out: constructors (sharded weights may be cut out of one common draw), functions that speak of the tracker, of
// sequence parallelism or of inference in any way, and files that never fork a tracker.

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "random-outside-tracker";
constexpr auto kDraws = std::to_array<std::string_view>(
    {"rand", "randn", "rand_like", "randn_like", "bernoulli", "bernoulli_", "multinomial", "exponential_"});
// Words of functions that have thought about it, or draw for another purpose.
constexpr auto kAware = std::to_array<std::string_view>(
    {"tracker", "fork(", "sequence_parallel", "inference", "sampling", "manual_seed", "generator"});

bool draws(std::string_view name) {
  return contains(name, "dropout") || std::find(kDraws.begin(), kDraws.end(), name) != kDraws.end();
}

/// `with get_cuda_rng_tracker().fork():`, `with tracker.fork(name):`.
bool forks(const With& with) {
  return std::any_of(with.items.begin(), with.items.end(), [](const WithItem* item) {
    const auto* call = as<Call>(item->context);
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    return method != nullptr && method->name.text == "fork" && contains(last_part_of(method->value), "tracker");
  });
}

class Scan {
 public:
  Scan(const Program& program, ModuleId module, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), hits_(hits) {}

  void run() {
    walk_of<With>(facts_.tree(), Nested::kEnter, [&](const With* with) {
      if (!forks(*with)) return;
      walk_of<Call>(*with, Nested::kEnter, [&](const Call* call) {
        if (draws(last_part_of(call->callee))) inside_.emplace(squeezed(facts_, call->callee->span), call);
      });
    });
    if (inside_.empty()) return;
    for (const FunctionId function : program_.modules()[module_].functions) {
      const program::Function& row = program_.functions()[function];
      if (row.def() != nullptr && row.name != "__init__" && !is_aware(row)) check(row);
    }
  }

 private:
  bool is_aware(const program::Function& row) const {
    const std::string text = to_lower(facts_.source().slice(row.node->span));
    return std::any_of(kAware.begin(), kAware.end(), [&](std::string_view word) { return contains(text, word); });
  }

  void check(const program::Function& row) {
    walk_of<Call>(*row.node, Nested::kSkip, [&](const Call* call) {
      if (!draws(last_part_of(call->callee))) return;
      const auto twin = inside_.find(squeezed(facts_, call->callee->span));
      if (twin == inside_.end() || !is_same_class(*twin->second, row)) return;
      const std::string what = quote(facts_, call->callee->span, 40);
      Hit hit =
          make_hit(program_, kRule, module_, call->span,
                   {Severity::kP2, FindingCertainty::kQuestion, Category::kDistributed,
                    fmt::format("Should `{}` run under the random-number tracker here, too?", what),
                    "Elsewhere it does. Outside, all ranks of the tensor-parallel group draw the same numbers for "
                    "different shards, and activation recomputation draws others than the first run.",
                    "Wrap it in `with get_cuda_rng_tracker().fork():`, if its input is sharded."});
      hit.finding.evidence.push_back(evidence_at(program_, module_, twin->second->span, "under the tracker here"));
      hits_.push_back(std::move(hit));
    });
  }

  /// `self.dropout` is another one in another class.
  bool is_same_class(const Call& twin, const program::Function& row) const {
    if (root_name(twin.callee) != "self") return true;
    const FunctionId other = program_.function_at(module_, twin.span.begin);
    return other.valid() && program_.functions()[other].owner == row.owner;
  }

  const Program& program_;
  const ModuleId module_;
  const FileFacts& facts_;
  std::map<std::string, const Call*> inside_;  ///< What is called under a tracker, by its text.
  std::vector<Hit>& hits_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const std::string_view text = program.modules()[module].facts->source().bytes();
  if (text.find(".fork(") != std::string_view::npos) Scan(program, module, hits).run();
}

}  // namespace

void run_random_outside_tracker(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
