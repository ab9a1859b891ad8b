// flag-without-reader: a command-line flag whose value nothing reads: no attribute, text or config field has its name.
// Where a config field of nearly the same name has no flag, the two were meant to meet.
//
// Left out: flags that code hands on without their names, that say they are deprecated or ignored, and their like
// without a near field (unused-argument tells those that a change adds).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "mesh/dimensions.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/names/used_names.h"
#include "rules/rule_functions.h"
#include "rules/settings/declared_options.h"
#include "rules/settings/forwarded_flags.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "flag-without-reader";
/// A field is near where so many of its words are the flag's, and at most one word more or less.
constexpr std::size_t kMinWords = 3;

/// The words of a name; none where it has too few to be near another.
std::set<std::string> telling_words(std::string_view name) {
  const std::vector<std::string> words = mesh::words_of(name);
  return words.size() < kMinWords ? std::set<std::string>() : std::set<std::string>(words.begin(), words.end());
}

class Tables {
 public:
  explicit Tables(const Program& program) : options(program), program_(program) {
    for (const auto& [field, places] : options.fields()) {
      std::set<std::string> words = telling_words(field);
      if (!words.empty()) fields_.emplace_back(field, std::move(words));
    }
  }
  DeclaredOptions options;
  /// Reads the whole program: made when first asked for.
  const UsedNames& used() const {
    if (!used_) used_.emplace(program_);
    return *used_;
  }
  /// Some code hands the flag on without its name.
  [[nodiscard]] bool forwards(ModuleId module, std::string_view name) const {
    if (!forwarded_) forwarded_.emplace(program_);
    return forwarded_->forwards(module, name);
  }
  /// Names of fields of configurations with the words of each that has enough of them.
  [[nodiscard]] const auto& fields() const { return fields_; }

 private:
  const Program& program_;
  std::vector<std::pair<std::string_view, std::set<std::string>>> fields_;
  mutable std::optional<UsedNames> used_;
  mutable std::optional<ForwardedFlags> forwarded_;
};

bool is_near(const std::set<std::string>& in_flag, const std::set<std::string>& in_field) {
  const std::set<std::string>& small = in_flag.size() <= in_field.size() ? in_flag : in_field;
  const std::set<std::string>& large = in_flag.size() <= in_field.size() ? in_field : in_flag;
  return large.size() == small.size() + 1 && std::includes(large.begin(), large.end(), small.begin(), small.end());
}

void scan(const Program& program, const Tables& tables, ModuleId module, std::vector<Hit>& hits) {
  for (const auto& [name, flags] : tables.options.flags()) {
    if (flags.front().module != module || tables.options.field(name) != nullptr) continue;
    const std::set<std::string> words = telling_words(name);
    for (const auto& [field, in_field] : tables.fields()) {
      if (words.empty() || !is_near(words, in_field) || tables.options.flag(field) != nullptr) continue;
      const UsedNames& used = tables.used();
      if (used.reads_attribute(name) || used.has_text(name) || used.has_parameter(name)) break;
      if (used.writes_attribute(field) || !used.reads_attribute(field)) continue;
      if (tables.forwards(module, name)) break;
      const std::vector<ConfigField>& places = *tables.options.field(field);
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
