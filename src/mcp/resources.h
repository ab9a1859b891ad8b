// Resources: the four documents of a change, by address: lockstep://DOCUMENT/CHANGE, the change percent-encoded.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "mcp/dialect.h"
#include "mcp/json_rpc.h"
#include "mcp/workspace.h"

namespace lockstep::mcp {

/// The documents of HEAD and of the uncommitted work; any other change's by the template.
Json resource_list(Dialect dialect);
Json resource_template_list(Dialect dialect);
/// `params` of resources/read → its result.
std::variant<Json, RpcError> read_resource(Workspace& workspace, const Json& params, Dialect dialect,
                                           const Progress& progress);

std::string document_uri(std::string_view document, std::string_view change);

}  // namespace lockstep::mcp
