// effect-repeated: a function that is handed to activation checkpointing (`checkpoint(fn, …)`) counts or collects
// (`self.steps += 1`, `seen.append(x)`): the backward pass runs it again, so the effect happens twice. And the other
// way round: a counter inside `with torch.cuda.graph(…)` moves at the capture only, never at a replay.
//
// Left out: what the function calls beyond five calls that have one target each, effects on objects made inside, and
// code that asks whether this is the first or the second run (is_grad_enabled, recompute flags).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

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

constexpr std::string_view kRule = "effect-repeated";
constexpr int kMostCalls = 5;
// Words of conditions that tell the first run from the second.
constexpr auto kTellsRuns = std::to_array<std::string_view>(
    {"grad_enabled", "recompute", "checkpoint", "first", "capturing", "replay", "phase"});

bool tells_runs(const FileFacts& facts, const Expr& condition) {
  const std::string text = to_lower(facts.source().slice(condition.span));
  return std::any_of(kTellsRuns.begin(), kTellsRuns.end(), [&](std::string_view word) { return contains(text, word); });
}

/// `self.x += …` or, in the checkpointed function itself, `self.xs.append(…)`; null where the statement is neither.
const Node* effect_of(const Stmt& statement, bool is_itself) {
  const auto* augmented = as<AugAssign>(&statement);
  if (augmented != nullptr && (augmented->op == BinaryOperator::kAdd || augmented->op == BinaryOperator::kSub) &&
      !self_attribute(augmented->target).empty())
    return &statement;
  if (!is_itself) return nullptr;  // Further down it may well fill a cache.
  const auto* alone = as<ExprStmt>(&statement);
  const auto* call = alone == nullptr ? nullptr : as<Call>(alone->value);
  const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
  if (method == nullptr || (method->name.text != "append" && method->name.text != "extend")) return nullptr;
  return self_attribute(method->value).empty() ? nullptr : &statement;
}

/// What the statements of one function say of others, gathered once.
struct Surroundings {
  std::vector<Span> told_apart;            ///< Branches whose condition tells the runs apart.
  std::set<std::string_view> shared_here;  ///< `tracker` of `tracker = get_tracker()`.
};

Surroundings surroundings_of(const FileFacts& facts, const Node& function) {
  Surroundings found;
  walk_statements(function, Nested::kSkip, [&](const Stmt* statement) {
    const auto* branch = as<If>(statement);
    if (branch != nullptr && tells_runs(facts, *branch->condition)) found.told_apart.push_back(branch->span);
    const auto* assign = as<Assign>(statement);
    const auto* call = assign == nullptr ? nullptr : as<Call>(assign->value);
    if (call != nullptr && call->arguments.empty() && call->keywords.empty() &&
        last_part_of(call->callee).starts_with("get_") && assign->targets.size() == 1 &&
        !name_of(assign->targets[0]).empty())
      found.shared_here.insert(name_of(assign->targets[0]));
  });
  return found;
}

/// `tracker["loss"] += …` where `tracker = get_tracker()`.
bool grows_tracker(const Stmt& statement, const Surroundings& around) {
  const auto* augmented = as<AugAssign>(&statement);
  return augmented != nullptr && augmented->op == BinaryOperator::kAdd && is<Subscript>(augmented->target) &&
         around.shared_here.contains(root_name(augmented->target));
}

class Scan {
 public:
  Scan(const Program& program, ModuleId module, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), hits_(hits) {}

  void run() {
    for (const FunctionId function : program_.modules()[module_].functions) {
      const program::Function& row = program_.functions()[function];
      for (const program::CallId id : row.calls) {
        const auto* call = as<Call>(program_.calls()[id].node);
        if (call != nullptr) checkpointed(function, *call);
      }
      walk_of<With>(*row.node, Nested::kSkip, [&](const With* with) { captured(*with); });
    }
  }

 private:
  void checkpointed(FunctionId caller, const Call& call) {
    const std::string_view name = last_part_of(call.callee);
    if ((name != "checkpoint" && name != "te_checkpoint") || call.arguments.empty()) return;
    const FunctionId function = function_named(caller, *call.arguments[0]);
    if (!function.valid()) return;
    std::set<FunctionId> seen;
    follow(function, kMostCalls, call, seen);
  }

  FunctionId function_named(FunctionId caller, const Expr& expression) const {
    if (const auto* call = as<Call>(&expression);
        call != nullptr && last_part_of(call->callee) == "partial" && !call->arguments.empty())
      return function_named(caller, *call->arguments[0]);
    const program::Reference named = program_.resolve(caller, expression);
    if (named.kind == program::Reference::Kind::kFunction) return named.function;
    const std::string_view method = self_attribute(&expression);
    for (FunctionId at = caller; at.valid() && !method.empty(); at = program_.functions()[at].enclosing) {
      if (program_.functions()[at].owner.valid()) return program_.find_method(program_.functions()[at].owner, method);
    }
    for (const FunctionId each : program_.modules()[module_].functions) {
      const program::Function& row = program_.functions()[each];
      if (row.enclosing == caller && !row.owner.valid() && row.name == name_of(&expression) && row.def() != nullptr)
        return each;
    }
    return {};
  }

  void follow(FunctionId function, int calls_left, const Call& checkpoint, std::set<FunctionId>& seen) {
    if (!seen.insert(function).second) return;
    const program::Function& row = program_.functions()[function];
    if (row.def() == nullptr || row.name == "__init__") return;
    const Surroundings& around = surroundings(function);  // The map never moves what it holds.
    for (const Stmt* statement : row.def()->body)
      effects(*statement, row, around, checkpoint, calls_left == kMostCalls);
    if (calls_left == 0) return;
    for (const program::CallId id : row.calls) {
      const program::CallSite& site = program_.calls()[id];
      if (site.targets.size() != 1 || !site.targets[0].function.valid()) continue;
      if (site.targets[0].certainty != program::Certainty::kExact || is_told_apart(around, *site.node)) continue;
      follow(site.targets[0].function, calls_left - 1, checkpoint, seen);
    }
  }

  const Surroundings& surroundings(FunctionId function) {
    const auto [at, is_new] = surroundings_.try_emplace(function);
    const program::Function& row = program_.functions()[function];
    if (is_new) at->second = surroundings_of(*program_.modules()[row.module].facts, *row.node);
    return at->second;
  }

  /// True if `code` stands under a condition that tells the runs apart.
  static bool is_told_apart(const Surroundings& around, const Node& code) {
    return std::any_of(around.told_apart.begin(), around.told_apart.end(),
                       [&](Span branch) { return branch.contains(code.span); });
  }

  void effects(const Stmt& statement, const program::Function& row, const Surroundings& around, const Call& checkpoint,
               bool is_itself) {
    if (is<FunctionDef>(&statement) || is<ClassDef>(&statement)) return;
    if (is_told_apart(around, statement)) return;
    const Node* effect = grows_tracker(statement, around) ? &statement : effect_of(statement, is_itself);
    if (effect != nullptr) repeated(*effect, row, checkpoint);
    for_each_block(statement, [&](Seq<Stmt> block) {
      for (const Stmt* each : block) effects(*each, row, around, checkpoint, is_itself);
    });
  }

  void repeated(const Node& effect, const program::Function& row, const Call& checkpoint) {
    const FileFacts& facts = *program_.modules()[row.module].facts;
    Hit hit = make_hit(
        program_, kRule, row.module, effect.span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("`{}` happens twice in a step: activation recomputation runs this again",
                     quote(facts, effect.span, 50)),
         "The backward pass calls the checkpointed function a second time; counts and collected values are doubled.",
         "Move it out of the checkpointed function, or do it only where `torch.is_grad_enabled()` tells the runs "
         "apart."});
    hit.finding.evidence.push_back(evidence_at(program_, module_, checkpoint.span, "it is checkpointed here"));
    hits_.push_back(std::move(hit));
  }

  void captured(const With& with) {
    const bool is_capture = std::any_of(with.items.begin(), with.items.end(), [](const WithItem* item) {
      const auto* call = as<Call>(item->context);
      const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
      return method != nullptr && method->name.text == "graph" && last_part_of(method->value) == "cuda";
    });
    if (!is_capture) return;
    for (const Stmt* statement : with.body) {
      if (const Node* effect = effect_of(*statement, true)) at_capture_only(*effect);
    }
  }

  void at_capture_only(const Node& effect) {
    hits_.push_back(make_hit(
        program_, kRule, module_, effect.span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("`{}` happens when the graph is captured, not when it is replayed",
                     quote(facts_, effect.span, 50)),
         "A replay runs the recorded kernels alone; no Python code runs.", "Move it to where the graph is replayed."}));
  }

  const Program& program_;
  const ModuleId module_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
  std::map<FunctionId, Surroundings> surroundings_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const std::string_view text = program.modules()[module].facts->source().bytes();
  if (text.find("checkpoint") == std::string_view::npos && text.find("cuda.graph") == std::string_view::npos) return;
  std::vector<Hit> found;
  Scan(program, module, found).run();
  std::set<std::pair<std::string, std::uint32_t>> told;  // One effect may be reached from several checkpoints.
  for (Hit& hit : found) {
    if (told.emplace(hit.finding.path, hit.finding.span.begin).second) hits.push_back(std::move(hit));
  }
}

}  // namespace

void run_effect_repeated(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
