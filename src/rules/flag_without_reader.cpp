// flag-without-reader: a command-line flag whose value nothing reads: no attribute, text or config field has its name.
// Where a config field of nearly the same name has no flag, the two were meant to meet.
//
// Left out: flags that say they are deprecated or ignored, and their like without a near field (unused-argument tells
// those that a change adds).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "mesh/dimensions.h"
#include "python/tree_walk.h"
#include "rules/declared_options.h"
#include "rules/expressions.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "flag-without-reader";
/// A field is near where so many of its words are the flag's, and at most one word more or less.
constexpr std::size_t kMinWords = 3;

struct Tables {
  explicit Tables(const Program& program) : options(program), used(program) {}
  DeclaredOptions options;
  UsedNames used;
};

bool is_near(std::string_view flag, std::string_view field) {
  const std::vector<std::string> a = mesh::words_of(flag);
  const std::vector<std::string> b = mesh::words_of(field);
  if (a.size() < kMinWords || b.size() < kMinWords || flag == field) return false;
  const std::set<std::string> in_flag(a.begin(), a.end());
  const std::set<std::string> in_field(b.begin(), b.end());
  const std::set<std::string>& small = in_flag.size() <= in_field.size() ? in_flag : in_field;
  const std::set<std::string>& large = in_flag.size() <= in_field.size() ? in_field : in_flag;
  return large.size() == small.size() + 1 && std::includes(large.begin(), large.end(), small.begin(), small.end());
}

void scan(const Program& program, const Tables& tables, ModuleId module, std::vector<Hit>& hits) {
  for (const auto& [name, flags] : tables.options.flags()) {
    if (flags.front().module != module) continue;
    if (tables.used.reads_attribute(name) || tables.used.has_text(name) || tables.options.field(name) != nullptr ||
        tables.used.has_parameter(name))
      continue;
    for (const auto& [field, places] : tables.options.fields()) {
      if (!is_near(name, field) || tables.options.flag(field) != nullptr || tables.used.writes_attribute(field) ||
          !tables.used.reads_attribute(field))
        continue;
      const program::Class& cls = program.classes()[places.front().cls];
      Hit hit = make_hit(program, kRule, module, flags.front().call->span,
                         {Severity::kP1, FindingCertainty::kLikely, Category::kCorrectness,
                          fmt::format("Nothing reads the flag `{}`; the config field is called `{}`", name, field),
                          "Settings reach the config by name, so the value that a user gives never arrives.",
                          fmt::format("Give flag and field one name: `{}`.", field)});
      hit.finding.evidence.push_back(evidence_at(program, cls.module, places.front().field->node->span, "the field"));
      hits.push_back(std::move(hit));
      break;
    }
  }
}

}  // namespace

void run_flag_without_reader(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const Program*, Tables> tables;
  run_on_modules(
      context, Scope::kSources,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        const std::string_view text = program.modules()[module].facts->source().bytes();
        if (!contains(text, "add_argument")) return;
        scan(program, tables.try_emplace(&program, program).first->second, module, hits);
      },
      findings);
}

}  // namespace lockstep::rules
