// log-arguments-lost: `logger.warning("{} is gone", name)`: logging formats with %, so a text without a placeholder
// cannot take the arguments. The record is not written; an error is printed to stderr in its place.
//
// Left out: texts that are not written in the call, and `%` in them that is no placeholder.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "log-arguments-lost";
// Methods of logging.Logger that take a text and its arguments first.
constexpr auto kMethods =
    std::to_array<std::string_view>({"debug", "info", "warning", "error", "exception", "critical"});

bool is_logger(const Expr& expression) {
  const std::string_view name = name_of(&expression);
  if (name == "logger" || name == "logging" || name == "log" || name == "_logger" || name == "LOGGER") return true;
  return self_attribute(&expression) == "logger";
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  walk_of<Call>(facts.tree(), Nested::kEnter, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    if (method == nullptr || call->arguments.size() < 2 || !is_logger(*method->value)) return;
    if (std::find(kMethods.begin(), kMethods.end(), method->name.text) == kMethods.end()) return;
    const std::string_view text = text_of(call->arguments[0]);
    if (text.empty() || text.find('%') != std::string_view::npos || has_spread_arguments(*call)) return;
    hits.push_back(make_hit(program, kRule, module, call->span,
                            {Severity::kP2, FindingCertainty::kProven, Category::kCorrectness,
                             "The text of this log call has no `%` placeholder for its arguments",
                             "logging formats with `%`: the record is lost, and an error is printed in its place.",
                             "Write `%s` where a value belongs."}));
  });
}

}  // namespace

void run_log_arguments_lost(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
