// The pages of the rules (docs/rules/ID.md), built into the program.
#pragma once

#include <string_view>

namespace lockstep::rules {

/// Markdown of a rule's page; empty where there is none.
std::string_view rule_page(std::string_view id);

}  // namespace lockstep::rules
