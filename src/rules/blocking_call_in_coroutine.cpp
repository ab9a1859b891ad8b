// blocking-call-in-coroutine: `time.sleep`, a request or a subprocess that the body of an `async def` waits for: no
// other coroutine of the event loop runs meanwhile.
//
// Left out: functions inside the coroutine that are not `async` themselves (an executor may run them), tests.

#include <fmt/format.h>

#include <array>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/word_tables.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "blocking-call-in-coroutine";
constexpr auto kBlocking = std::to_array<std::string_view>(
    {"time.sleep", "requests.get", "requests.post", "requests.put", "requests.delete", "requests.head",
     "requests.request", "urllib.request.urlopen", "subprocess.run", "subprocess.call", "subprocess.check_call",
     "subprocess.check_output", "os.system"});

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  for (const program::FunctionId function : program.modules()[module].functions) {
    const FunctionDef* def = program.functions()[function].def();
    if (def == nullptr || !def->is_async) continue;
    walk(*def, Nested::kSkip, [&](const Node* node) {
      const auto* call = as<Call>(node);
      if (call == nullptr) return;
      const program::Reference callee = program.resolve(function, *call->callee);
      if (callee.kind != program::Reference::Kind::kExternal || !has(kBlocking, callee.name)) return;
      const bool sleeps = callee.name == "time.sleep";
      hits.push_back(make_hit(
          program, kRule, module, call->span,
          {Severity::kP2, FindingCertainty::kProven, Category::kPerformance,
           fmt::format("`{}` blocks the event loop: this function is `async`", quote(facts, call->callee->span)),
           "No other coroutine of the loop runs until the call returns.",
           sleeps ? "Write `await asyncio.sleep(…)`."
                  : "Use an asynchronous client, or `await asyncio.to_thread(…)`."}));
    });
  }
}

}  // namespace

void run_blocking_call_in_coroutine(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
