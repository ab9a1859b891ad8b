// defaults-disagree: a flag and the config field that takes its value by name (`field=args.field`) start from different
// constants: who builds the config without the command line gets another behaviour.
//
// Left out: None and empty values on either side (they mean "not set"), fields that are not filled from a flag by name.

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/settings/declared_options.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "defaults-disagree";

/// "True", "False"; nullopt for anything else: numbers are tuned, switches say what the program does.
std::optional<bool> truth_of(const Expr* value) {
  const auto* constant = as<Constant>(value);
  if (constant == nullptr) return std::nullopt;
  if (constant->constant_kind == ConstantKind::kTrue) return true;
  if (constant->constant_kind == ConstantKind::kFalse) return false;
  return std::nullopt;
}

std::optional<bool> default_of(const Flag& flag) {
  if (flag.default_value != nullptr) return truth_of(flag.default_value);
  if (flag.action == "store_true") return false;
  if (flag.action == "store_false") return true;
  return std::nullopt;
}

struct Tables {
  explicit Tables(const Program& program) : options(program) {
    for (const program::Module& module : program.modules()) {
      if (program::is_test_path(module.path)) continue;
      if (!contains(module.facts->source().bytes(), "=args.")) continue;
      walk_of<Keyword>(module.facts->tree(), Nested::kEnter, [&](const Keyword* keyword) {
        const auto* read = as<Attribute>(keyword->value);
        if (read != nullptr && read->name.text == keyword->name.text && last_part_of(read->value) == "args")
          filled_by_name.insert(keyword->name.text);
      });
    }
  }
  DeclaredOptions options;
  std::set<std::string_view> filled_by_name;
};

void scan(const Program& program, const Tables& tables, ModuleId module, std::vector<Hit>& hits) {
  for (const std::string_view name : tables.filled_by_name) {
    const auto* fields = tables.options.field(name);
    const auto* flags = tables.options.flag(name);
    if (fields == nullptr || flags == nullptr || fields->size() != 1 || flags->size() != 1) continue;
    const program::Class& cls = program.classes()[fields->front().cls];
    if (cls.module != module) continue;
    const program::Field& field = *fields->front().field;
    const auto of_field = truth_of(field.default_value);
    const auto of_flag = default_of(flags->front());
    if (!of_field || !of_flag || *of_field == *of_flag) continue;
    Hit hit = make_hit(program, kRule, module, field.node->span,
                       {Severity::kP2, FindingCertainty::kLikely, Category::kCompatibility,
                        fmt::format("`{}.{}` starts as {}, but its flag starts as {}", cls.name, name,
                                    *of_field ? "True" : "False", *of_flag ? "True" : "False"),
                        "Who builds the config without the command line gets the opposite of what a run gets.",
                        fmt::format("Give both the same default, {}.", *of_flag ? "True" : "False")});
    hit.finding.evidence.push_back(evidence_at(program, flags->front().module, flags->front().call->span, "the flag"));
    hits.push_back(std::move(hit));
  }
}

}  // namespace

void run_defaults_disagree(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const Program*, Tables> tables;
  run_on_modules(
      context, Scope::kSources,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        const std::string_view text = program.modules()[module].facts->source().bytes();
        if (!contains(text, "dataclass")) return;
        scan(program, tables.try_emplace(&program, program).first->second, module, hits);
      },
      findings);
}

}  // namespace lockstep::rules
