// log-arguments-lost: `logger.warning("{} is gone", name)`: logging formats with %, so a text without a placeholder
// cannot take the arguments. The record is not written; an error is printed to stderr in its place. And a message with
// `{name}` of a variable at hand, whose quotes lack the `f`: in a log call, a raise, an assertion or a print. Of a text
// in parts (`f"rank {rank}: " "no {key}"`) each part needs its own `f`.
//
// Left out: texts that are not written in the call, `%` in them that is no placeholder, and loggers that are not known
// to be those of `logging`; braces that are meant as they stand: in raw texts, in quotes, in words and paths, beside
// braces with a name that the function does not have, in functions that fill in or look into templates, or name the
// same braces in another text or a comment.

#include <map>
#include <optional>
#include <vector>

#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/names/names.h"
#include "rules/readability/loggers.h"
#include "rules/readability/unfilled_braces.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;

constexpr std::string_view kRule = "log-arguments-lost";

/// A value that is surely no dictionary, whose values a text may take by name or not at all.
bool is_no_mapping(const Expr& value) {
  return is<Constant>(&value) || is<JoinedStr>(&value) || is<Tuple>(&value) || is<List>(&value) || is<Compare>(&value);
}

/// `logger.warning("{} is gone", name)`.
void check_call(const program::Program& program, Loggers& loggers, program::ModuleId module, const Call& call,
                std::vector<Hit>& hits) {
  const auto* method = as<Attribute>(call.callee);
  const auto place = method == nullptr ? std::nullopt : place_of_text(*method);
  if (!place || call.arguments.size() < *place + 2 || has_spread_arguments(call)) return;
  const std::string_view text = text_of(call.arguments[*place]);
  if (text.empty() || text.find('%') != std::string_view::npos) return;
  const std::size_t values = call.arguments.size() - *place - 1;
  const Expr& first = *call.arguments[*place + 1];
  // The fields of a record: `logger.info("done", {"step": 1})`.
  if (values == 1 && (is<Dict>(&first) || is<DictComp>(&first))) return;
  if (!loggers.is_standard(program.function_at(module, call.span.begin), *method->value)) return;
  const bool is_sure = values > 1 || is_no_mapping(first);
  hits.push_back(make_hit(
      program, kRule, module, call.span,
      {Severity::kP2, is_sure ? FindingCertainty::kProven : FindingCertainty::kLikely, Category::kCorrectness,
       "The text of this log call has no `%` placeholder for its arguments",
       is_sure ? "logging formats with `%`: the record is lost, and an error is printed in its place."
               : "logging formats with `%`: unless the argument is a dictionary, the record is lost, and an error is "
                 "printed in its place.",
       "Write `%s` where a value belongs."}));
}

void scan(const program::Program& program, Loggers& loggers, program::ModuleId module, std::vector<Hit>& hits) {
  const ScopeNames names(*program.modules()[module].facts);
  for (const program::FunctionId function : program.modules()[module].functions)
    find_unfilled_braces(program, kRule, names, function, hits);
  walk_of<Call>(program.modules()[module].facts->tree(), Nested::kEnter,
                [&](const Call* call) { check_call(program, loggers, module, *call, hits); });
}

}  // namespace

void run_log_arguments_lost(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const program::Program*, Loggers> loggers;
  run_on_modules(
      context, Scope::kSources,
      [&](const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
        scan(program, loggers.try_emplace(&program, program).first->second, module, hits);
      },
      findings);
}

}  // namespace lockstep::rules
