// Runs a rule that looks at one module at a time: in check over the wanted modules, in review over the changed ones,
// keeping what the change introduced (counterparts in the before side excuse, see hits.h).
#pragma once

#include <functional>
#include <vector>

#include "rules/hits.h"
#include "rules/rule.h"

namespace lockstep::rules {

/// Appends the hits of one module.
using ModuleScan =
    std::function<void(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits)>;

enum class Scope : bool { kSources, kSourcesAndTests };

void run_on_modules(const RuleContext& context, Scope scope, const ModuleScan& scan, std::vector<Finding>& findings);

/// As run_on_modules, in review alone, and of its findings those on lines that the change added or modified.
void run_on_changed_lines(const RuleContext& context, Scope scope, const ModuleScan& scan,
                          std::vector<Finding>& findings);

/// A hit that the rule and the statement (hits.h) identify, as usual.
Hit hit_of(const program::Program& program, program::ModuleId module, Finding finding);

/// What a rule says of one place.
struct Words {
  Severity severity = Severity::kP2;
  FindingCertainty certainty = FindingCertainty::kLikely;
  Category category = Category::kCorrectness;
  std::string message;
  std::string why;
  std::string fix;
};

/// A hit of `rule` at `span` with these words, and the usual key.
Hit make_hit(const program::Program& program, std::string_view rule, program::ModuleId module, Span span, Words words);

}  // namespace lockstep::rules
