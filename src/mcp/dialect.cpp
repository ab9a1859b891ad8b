#include "mcp/dialect.h"

#include <algorithm>

namespace lockstep::mcp {

namespace {

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";

const Json* meta_of(const Json& params) {
  const auto found = params.find("_meta");
  return found != params.end() && found->is_object() ? &*found : nullptr;
}

RpcError invalid_params(std::string message) { return {ErrorCode::kInvalidParams, std::move(message), nullptr}; }

}  // namespace

std::string_view negotiate(std::string_view requested) {
  const auto* known = std::find(kHandshakeVersions.begin(), kHandshakeVersions.end(), requested);
  return known != kHandshakeVersions.end() ? *known : kHandshakeVersions.back();
}

std::variant<Dialect, RpcError> dialect_of(const Json& params, std::string_view negotiated) {
  const Json* meta = meta_of(params);
  const auto version = meta != nullptr ? meta->find(kVersionKey) : Json::const_iterator();
  if (meta == nullptr || version == meta->end()) {
    if (!negotiated.empty()) return Dialect{negotiated};
    return invalid_params(
        "the request names no protocol version: begin with `initialize`, or send "
        "_meta[\"io.modelcontextprotocol/protocolVersion\"] with each request");
  }
  if (!version->is_string()) return invalid_params("the protocol version in _meta is not a string");
  const auto* known = std::find(kStatelessVersions.begin(), kStatelessVersions.end(), version->get<std::string>());
  if (known == kStatelessVersions.end()) {
    return RpcError{ErrorCode::kUnsupportedProtocolVersion,
                    "Unsupported protocol version",
                    {{"supported", kStatelessVersions}, {"requested", *version}}};
  }
  const auto capabilities = meta->find(kCapabilitiesKey);
  if (capabilities == meta->end() || !capabilities->is_object())
    return invalid_params("_meta[\"io.modelcontextprotocol/clientCapabilities\"] is missing or no object");
  return Dialect{*known};
}

Json complete_result(Json result, Dialect dialect, bool is_cacheable) {
  if (!dialect.is_stateless()) return result;
  result["resultType"] = "complete";
  result["_meta"][kServerKey] = server_info(dialect);
  if (is_cacheable) {
    // The lists only change with the program; documents of a change follow the working tree, so they are stale at once.
    result["ttlMs"] = result.contains("contents") ? 0 : 3'600'000;
    result["cacheScope"] = result.contains("contents") ? "private" : "public";
  }
  return result;
}

Json server_info(Dialect dialect) {
  Json info = {{"name", "lockstep"}, {"version", LOCKSTEP_VERSION}};
  if (dialect.has_titles()) info["title"] = "Lockstep";
  return info;
}

std::optional<Json> progress_token(const Json& params) {
  const Json* meta = meta_of(params);
  if (meta == nullptr) return std::nullopt;
  const auto token = meta->find("progressToken");
  if (token == meta->end() || !(token->is_string() || token->is_number_integer())) return std::nullopt;
  return *token;
}

}  // namespace lockstep::mcp
