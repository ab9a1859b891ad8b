#include "report/ways/functions/outside_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/ways/functions/handed_functions.h"
#include "report/ways/functions/outside_callers.h"
#include "report/ways/functions/unseen_uses.h"
#include "report/ways/objects/class_uses.h"
#include "rules/calls/promises.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::CallId;
using program::CallSite;
using program::FunctionId;
using program::Program;

namespace {

bool is_in_tests(const Program& program, FunctionId function) {
  return program::is_test_path(program.module_of(function).path);
}

bool has_decorator(const FunctionDef& def, std::string_view name) {
  return std::any_of(def.decorators.begin(), def.decorators.end(),
                     [&](const Expr* one) { return rules::last_part_of(one) == name; });
}

/// Whether a decorator may give the function to others: `@app.post("/x")`, `@register("x")`.
bool may_be_registered(const FunctionDef& def) {
  constexpr std::string_view kPlain[] = {
      "abstractmethod", "cache",          "cached_property", "classmethod", "compile",   "contextmanager", "deprecated",
      "getter",         "inference_mode", "jit_fuser",       "lru_cache",   "no_grad",   "override",       "overload",
      "property",       "setter",         "staticmethod",    "wraps",       "dataclass", "enable_grad"};
  return std::any_of(def.decorators.begin(), def.decorators.end(), [&](const Expr* one) {
    const auto* call = as<Call>(one);
    const std::string_view name = rules::last_part_of(call == nullptr ? one : call->callee);
    return std::find(std::begin(kPlain), std::end(kPlain), name) == std::end(kPlain);
  });
}

/// Whether nothing is known that the call enters but what others have to define (`def prepare(self): ...`) and what
/// stands in for that in tests.
bool is_open(const Program& program, const CallSite& site) {
  return std::all_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& target) {
    return target.certainty == program::Certainty::kByName ||
           (target.function.valid() &&
            (rules::is_without_body(program, target.function) || is_in_tests(program, target.function)));
  });
}

/// Calls outside tests of the method's name on values of unknown class whose arguments fit it.
std::vector<CallId> calls_by_name(const Program& program, FunctionId method) {
  const program::Function& row = program.functions()[method];
  const auto* def = row.def();
  if (def == nullptr || !row.owner.valid() || row.name.starts_with("__") || known_method(row.name) != nullptr)
    return {};
  const auto signature = rules::Signatures(program).of_function(method, has_decorator(*def, "staticmethod") ? 0 : 1);
  std::vector<CallId> out;
  for (std::size_t i = 0; i < program.calls().size(); ++i) {
    const CallSite& site = program.calls()[CallId(i)];
    const auto* call = as<Call>(site.node);
    const auto* member = call == nullptr ? nullptr : as<Attribute>(call->callee);
    if (member == nullptr || member->name.text != row.name || !is_open(program, site) ||
        is_in_tests(program, site.caller))
      continue;
    if (!signature || !rules::bind_arguments(*signature, *call).has_value()) out.emplace_back(i);
  }
  // What the repository is for comes before its examples and tools.
  std::stable_partition(out.begin(), out.end(), [&](CallId id) {
    return !program::is_helper_path(program.module_of(program.calls()[id].caller).path);
  });
  return out;
}

/// Whether a method of that name is read as a value outside tests, of what it does not show: `run.handle` in
/// `register(kind, run.handle)`.
bool is_read_by_name(const Program& program, FunctionId method) {
  const program::Function& row = program.functions()[method];
  if (!row.owner.valid() || row.name.starts_with("__")) return false;
  bool out = false;
  for_each_place(program, row.name, [&](program::ModuleId module, std::uint32_t at) {
    const std::vector<const Node*> around = chain_to(program.modules()[module].facts->tree(), {at, at + 1});
    const auto* member = around.size() < 2 ? nullptr : as<Attribute>(around.back());
    if (member == nullptr || member->name.span.begin != at || member->context != ExprContext::kLoad) return true;
    const auto* called = as<Call>(around[around.size() - 2]);
    if (called != nullptr && called->callee == member) return true;
    const program::Reference to = program.resolve(program.function_at(module, at), *member);
    out = to.kind == program::Reference::Kind::kUnknown;
    return !out;
  });
  return out;
}

/// Methods that code runs which does not call them by their names.
bool runs_on_its_own(const Program& program, FunctionId function) {
  const program::Function& row = program.functions()[function];
  if (!row.owner.valid()) return false;
  return row.name == "forward" || row.name == "backward" || row.name.starts_with("__") ||
         (row.def() != nullptr && has_decorator(*row.def(), "property")) || !library_base(program, function).empty();
}

/// Follows what uses a function outside tests, and what uses that, until something may start it.
class Search {
 public:
  Search(const Program& program, FunctionId function) : program_(program), unseen_(program) { push(function); }

  bool finds_a_start() {
    constexpr std::size_t kMost = 200;
    for (std::size_t next = 0; next < pending_.size() && !found_; ++next) {
      if (next == kMost) return true;
      follow(pending_[next]);
    }
    return found_;
  }

 private:
  void push(FunctionId function) {
    if (!function.valid() || is_in_tests(program_, function)) return;
    if (program_.functions()[function].kind == program::FunctionKind::kModuleBody) {
      found_ = true;
    } else if (seen_.insert(function.value).second) {
      pending_.push_back(function);
    }
  }

  void follow(FunctionId at) {
    const program::Function& row = program_.functions()[at];
    // Nobody holds an inner function before the outer one runs.
    if (row.enclosing.valid()) return push(row.enclosing);
    for (const CallId call : program_.callers_of(at)) push(program_.calls()[call].caller);
    if (found_ || row.def() == nullptr) return;
    if (may_be_registered(*row.def()) || !calls_by_name(program_, at).empty() || unseen_.may_call(at) ||
        is_read_by_name(program_, at)) {
      found_ = true;
      return;
    }
    if (!runs_on_its_own(program_, at)) return;
    const bool is_whole =
        for_each_use(program_, program::with_descendants(program_, row.owner), [&](const ClassUse& use) {
          push(use.function);
          return !found_;
        });
    found_ = found_ || !is_whole;
  }

  const Program& program_;
  const UnseenUses unseen_;
  std::vector<FunctionId> pending_;
  std::unordered_set<std::uint32_t> seen_;
  bool found_ = false;
};

/// The first places, and how many more.
std::string places_text(std::vector<std::string> places) {
  constexpr std::size_t kMost = 3;
  const std::size_t all = places.size();
  if (all > kMost) places.resize(kMost);
  return all > kMost ? fmt::format("{} and {} more", join(places, ", "), all - kMost) : join_words(places);
}

std::string place_of_call(const Program& program, CallId id) {
  const CallSite& site = program.calls()[id];
  return place(program.module_of(site.caller).path, source_of(program, site.caller).line_of(site.node->span.begin));
}

}  // namespace

std::optional<std::string> use_outside_tests(const Program& program, FunctionId function) {
  if (!function.valid() || !Search(program, function).finds_a_start()) return std::nullopt;
  std::vector<std::string> callers;
  bool are_sure = true;
  for (const CallId id : program.callers_of(function)) {
    const CallSite& site = program.calls()[id];
    if (is_in_tests(program, site.caller) || site.caller == function) continue;
    const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                     [&](const program::CallTarget& one) { return one.function == function; });
    if (target == site.targets.end() || target->certainty == program::Certainty::kByName) continue;
    are_sure = are_sure && target->certainty == program::Certainty::kExact;
    std::string text = program.functions()[site.caller].kind == program::FunctionKind::kFunction
                           ? fmt::format("{} ({})", code(short_name(program, site.caller)), place_of_call(program, id))
                           : place_of_call(program, id);
    if (std::find(callers.begin(), callers.end(), text) == callers.end()) callers.push_back(std::move(text));
  }
  if (!callers.empty())
    return fmt::format("Outside tests it {} called by {}; from where a run gets there, the call graph does not say.",
                       are_sure ? "is" : "may be", places_text(std::move(callers)));
  const program::Function& row = program.functions()[function];
  std::vector<std::string> places;
  for (const CallId id : calls_by_name(program, function)) places.push_back(place_of_call(program, id));
  if (!places.empty())
    return fmt::format("Calls of {} on values of unknown class may enter it: {}.", code(std::string(row.name)),
                       places_text(std::move(places)));
  for (const HandedFunction& one : handed_on_at(program, function))
    places.push_back(place(program.module_of(one.by).path, one.line));
  if (!places.empty())
    return fmt::format("Outside tests it is handed on or kept as a value at {}.", places_text(std::move(places)));
  if (row.owner.valid()) places = handed_on_places(program, row.owner, 2);
  if (!places.empty()) return fmt::format("Its class is handed on at {}.", join_words(places));
  return std::string();
}

}  // namespace lockstep::report
