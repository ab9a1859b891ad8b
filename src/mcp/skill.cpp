#include "mcp/skill.h"

#include <fmt/format.h>

#include "mcp/tools.h"

namespace lockstep::mcp {

std::vector<std::pair<std::string, std::string>> skill_files() {
  // The list of tools is made from the tools, so that it cannot fall behind.
  std::string tools(skill_part("tools.md"));
  for (const Tool& tool : all_tools()) {
    tools += fmt::format("\n## {}\n\n{}\n\n", tool.name, tool.description);
    for (const Parameter& parameter : tool.parameters) {
      tools += fmt::format("- `{}`{}: {}\n", parameter.name, parameter.is_required ? "" : " (optional)",
                           parameter.description);
    }
  }
  return {{"lockstep/SKILL.md", std::string(skill_part("SKILL.md"))}, {"lockstep/references/tools.md", tools}};
}

}  // namespace lockstep::mcp
