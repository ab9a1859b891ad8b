// blocking-call-in-coroutine: `time.sleep`, a request, `os.fsync` or a subprocess that the body of an `async def` waits
// for, itself or in plain functions of the repository that it surely calls: no other coroutine of the event loop runs
// meanwhile.
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
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/word_tables.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "blocking-call-in-coroutine";
constexpr auto kBlocking = std::to_array<std::string_view>(
    {"time.sleep", "requests.get", "requests.post", "requests.put", "requests.delete", "requests.head",
     "requests.request", "urllib.request.urlopen", "subprocess.run", "subprocess.call", "subprocess.check_call",
     "subprocess.check_output", "os.fsync", "os.fdatasync", "os.system"});
/// Those that are looked for in functions that the coroutine calls, too: whoever calls these waits each time. A
/// subprocess is often run once, to set something up.
constexpr auto kBlockingBelow =
    std::to_array<std::string_view>({"time.sleep", "requests.get", "requests.post", "requests.put", "requests.delete",
                                     "requests.head", "requests.request", "os.fsync", "os.fdatasync"});
constexpr int kMostDepth = 3;  // Of calls below the coroutine's own.

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
  /// A blocking call, and the function that makes it.
  struct Below {
    program::FunctionId function;
    const Call* call = nullptr;
    std::string name;
  };

  /// The one function of the repository that the call surely enters and that runs to its end within it; none for
  /// others.
  [[nodiscard]] program::FunctionId entered_by(const Call& call) const {
    const program::CallId id = program_.call_of(&call);
    if (!id.valid() || program_.calls()[id].targets.size() != 1) return {};
    const program::CallTarget& target = program_.calls()[id].targets.front();
    if (!target.function.valid() || target.certainty != program::Certainty::kExact ||
        target.kind != program::CallKind::kDirect)
      return {};
    const FunctionDef* def = program_.functions()[target.function].def();
    if (def == nullptr || def->is_async || !def->decorators.empty() || contains_yield(*def)) return {};
    return target.function;
  }

  static bool contains_yield(const FunctionDef& def) {
    bool found = false;
    walk_of<Yield>(def, Nested::kSkip, [&](const Yield*) { found = true; });
    walk_of<YieldFrom>(def, Nested::kSkip, [&](const YieldFrom*) { found = true; });
    return found;
  }

  /// The first blocking call that the function makes, itself or by what it surely calls.
  const Below& blocking_in(program::FunctionId function, int depth) {
    const auto [place, is_new] = below_.try_emplace(function.value);
    if (!is_new || depth > kMostDepth) return place->second;
    Below found;
    for (const program::CallId id : program_.functions()[function].calls) {
      const auto* call = as<Call>(program_.calls()[id].node);
      if (call == nullptr || found.call != nullptr) continue;
      const program::Reference callee = program_.resolve(function, *call->callee);
      if (callee.kind == program::Reference::Kind::kExternal) {
        if (has(kBlockingBelow, callee.name)) found = {function, call, std::string(callee.name)};
      } else if (const program::FunctionId next = entered_by(*call); next.valid() && next != function) {
        found = blocking_in(next, depth + 1);
      }
    }
    return below_[function.value] = found;
  }

  void check_below(program::FunctionId function, const Call& call) {
    const program::FunctionId entered = entered_by(call);
    if (!entered.valid()) return;
    const Below below = blocking_in(entered, 1);
    if (below.call == nullptr) return;
    const program::ModuleId module = program_.functions()[function].module;
    const program::Module& holder = program_.module_of(below.function);
    hits_.push_back(
        make_hit(program_, kRule, module, call.span,
                 {Severity::kP2, FindingCertainty::kLikely, Category::kPerformance,
                  fmt::format("`{}` comes to `{}` (`{}:{}`), which blocks the event loop: this function is `async`",
                              quote(*program_.modules()[module].facts, call.callee->span), below.name, holder.path,
                              holder.facts->source().line_of(below.call->span.begin) + 1),
                  "No other coroutine of the loop runs until the call returns.",
                  "Await it in a thread: `await asyncio.to_thread(…)`."}));
  }

  void check(program::FunctionId function, const Call& call) {
    const program::Reference callee = program_.resolve(function, *call.callee);
    if (callee.kind != program::Reference::Kind::kExternal || !has(kBlocking, callee.name)) {
      check_below(function, call);
      return;
    }
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
  std::map<std::uint32_t, Below> below_;  ///< Answers of blocking_in().
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
