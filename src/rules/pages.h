// The pages of the rules (docs/rules/ID.md), built into the program, and the rule that was meant where there is none.
#pragma once

#include <string_view>

namespace lockstep::rules {

/// Markdown of a rule's page; empty where there is none.
std::string_view rule_page(std::string_view id);

/// The id at the least edit distance, 8 at most, from one that is no rule's; empty where none is so near.
std::string_view nearest_rule(std::string_view id);

}  // namespace lockstep::rules
