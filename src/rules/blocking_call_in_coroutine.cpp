// blocking-call-in-coroutine: `time.sleep`, a request or a subprocess that the body of an `async def` waits for: no
// other coroutine of the event loop runs meanwhile.
//
// Left out: functions inside the coroutine that are not `async` themselves and generator expressions (an executor may
// run them), what the first coroutine of a loop does before it waits (nothing else runs yet), tests.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/signatures.h"
#include "rules/word_tables.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "blocking-call-in-coroutine";
constexpr auto kBlocking = std::to_array<std::string_view>(
    {"time.sleep", "requests.get", "requests.post", "requests.put", "requests.delete", "requests.head",
     "requests.request", "urllib.request.urlopen", "subprocess.run", "subprocess.call", "subprocess.check_call",
     "subprocess.check_output", "os.system"});

/// Names of the functions that the program hands to a new event loop as its first: `asyncio.run(main())`.
std::set<std::string_view> first_coroutines(const program::Program& program) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const FileFacts& facts = *program.modules()[program::ModuleId(i)].facts;
    const std::string_view source = facts.source().bytes();
    if (!contains(source, ".run(") && !contains(source, "run_until_complete")) continue;
    walk_of<Call>(facts.tree(), Nested::kEnter, [&](const Call* call) {
      const std::string_view does = last_part_of(call->callee);
      if ((does != "run" && does != "run_until_complete") || call->arguments.empty()) return;
      const auto* first = as<Call>(call->arguments[0]);
      if (first != nullptr) names.insert(last_part_of(first->callee));
    });
  }
  return names;
}

/// Where the first `await`, `async for` or `async with` of the function begins; its end where there is none.
std::uint32_t first_await(const FunctionDef& def) {
  std::uint32_t first = def.span.end;
  for (const Stmt* statement : def.body) {
    const auto look = [&](const Node* node) {
      const auto* loop = as<For>(node);
      const auto* with = as<With>(node);
      const bool waits = is<Await>(node) || (loop != nullptr && loop->is_async) || (with != nullptr && with->is_async);
      if (waits) first = std::min(first, node->span.begin);
    };
    look(statement);
    walk(*statement, Nested::kSkip, look);
  }
  return first;
}

class Scan {
 public:
  Scan(const program::Program& program, const std::set<std::string_view>& firsts, std::vector<Hit>& hits)
      : program_(program), firsts_(firsts), hits_(hits) {}

  void function(program::FunctionId function) {
    const program::Function& row = program_.functions()[function];
    const FunctionDef* def = row.def();
    if (def == nullptr || !def->is_async) return;
    // Nothing else runs on the loop before its first coroutine waits.
    const std::uint32_t from = firsts_.contains(row.name) ? first_await(*def) : 0;
    const auto look = [&](const Node* node) {
      if (is<GeneratorExp>(node)) return false;  // Runs where it is read, in an executor perhaps.
      if (const auto* call = as<Call>(node); call != nullptr && call->span.begin >= from) check(function, *call);
      return true;
    };
    // The body alone: decorators and defaults run where the function is defined.
    for (const Stmt* statement : def->body) {
      if (!is<FunctionDef>(statement) && !is<ClassDef>(statement)) walk(*statement, Nested::kSkip, look);
    }
  }

 private:
  void check(program::FunctionId function, const Call& call) {
    const program::Reference callee = program_.resolve(function, *call.callee);
    if (callee.kind != program::Reference::Kind::kExternal || !has(kBlocking, callee.name)) return;
    const program::ModuleId module = program_.functions()[function].module;
    const FileFacts& facts = *program_.modules()[module].facts;
    const bool sleeps = callee.name == "time.sleep";
    hits_.push_back(make_hit(
        program_, kRule, module, call.span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kPerformance,
         fmt::format("`{}` blocks the event loop: this function is `async`", quote(facts, call.callee->span)),
         "No other coroutine of the loop runs until the call returns.",
         sleeps ? "Write `await asyncio.sleep(…)`." : "Use an asynchronous client, or `await asyncio.to_thread(…)`."}));
  }

  const program::Program& program_;
  const std::set<std::string_view>& firsts_;
  std::vector<Hit>& hits_;
};

}  // namespace

void run_blocking_call_in_coroutine(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const program::Program*, std::set<std::string_view>> firsts;
  run_on_modules(
      context, Scope::kSources,
      [&](const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
        const program::Module& row = program.modules()[module];
        if (!contains(row.facts->source().bytes(), "async def")) return;
        auto known = firsts.find(&program);
        if (known == firsts.end()) known = firsts.emplace(&program, first_coroutines(program)).first;
        Scan scan(program, known->second, hits);
        for (const program::FunctionId function : row.functions) scan.function(function);
      },
      findings);
}

}  // namespace lockstep::rules
