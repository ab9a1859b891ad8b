// Prompts: what to write about a change (src/mcp/prompts/*.md, in our own words), with the facts of that change
// attached as a resource of its own, so that text of the repository never stands among instructions.
#pragma once

#include <string_view>
#include <variant>

#include "mcp/dialect.h"
#include "mcp/json_rpc.h"
#include "mcp/workspace.h"

namespace lockstep::mcp {

/// Bytes of a document attached to a prompt; the rest is left to the resource.
inline constexpr std::size_t kMostAttachedBytes = 48'000;

Json prompt_list(Dialect dialect);
/// `params` of prompts/get → its result.
std::variant<Json, RpcError> get_prompt(Workspace& workspace, const Json& params, const Progress& progress);
/// `params` of completion/complete → its result: names of changes.
std::variant<Json, RpcError> complete_argument(Workspace& workspace, const Json& params);

/// Text of a file of src/mcp/prompts/ by its name without the extension; empty where there is none.
std::string_view prompt_text(std::string_view name);

}  // namespace lockstep::mcp
