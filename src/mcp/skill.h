// The agent skill (src/mcp/skill/): a SKILL.md and what it refers to, built into the program. Limits of the format:
// agentskills.io/specification (name up to 64 characters of a-z, 0-9 and single hyphens, as the folder's; description
// up to 1024).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::mcp {

/// Path below the folder of skills -> content: "lockstep/SKILL.md", "lockstep/references/tools.md".
std::vector<std::pair<std::string, std::string>> skill_files();

/// Content of a file of src/mcp/skill/ by its name ("SKILL.md"); empty where there is none.
std::string_view skill_part(std::string_view name);

}  // namespace lockstep::mcp
