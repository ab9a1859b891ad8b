// Lines of bytes -> JSON-RPC 2.0 messages, and back. The shapes are those of the Model Context Protocol's base
// protocol (specification, basic/index: ids are strings or integers, params are objects). Leaves out what methods mean.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::mcp {

using Json = nlohmann::json;

/// JSON-RPC 2.0 (section 5.1) and MCP (2026-07-28, basic/index, "Error Codes").
enum class ErrorCode : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
  kResourceNotFound = -32002,  ///< Up to 2025-11-25; kInvalidParams since.
  kUnsupportedProtocolVersion = -32022,
};

struct RpcError {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  Json data;  ///< Null: none.
};

struct Request {
  Json id;  ///< A string or an integer.
  std::string method;
  Json params;  ///< An object; empty where there was none.
};
struct Notification {
  std::string method;
  Json params;
};
/// An answer to a request of ours. There are none, so it is ignored.
struct Response {};
/// What is no message. `id` is null where it could not be read.
struct Malformed {
  Json id;
  RpcError error;
};
using Message = std::variant<Request, Notification, Response, Malformed>;

struct ParsedLine {
  std::vector<Message> messages;  ///< One, but for a batch.
  bool is_batch = false;
};

/// Nesting that no client needs; a parser or printer that recursed would otherwise hang on the sender's mercy.
inline constexpr std::size_t kMostNesting = 64;
/// Messages of one batch.
inline constexpr std::size_t kMostBatched = 256;

ParsedLine parse_line(std::string_view line);

/// One line without its end. Bytes that are not UTF-8 become U+FFFD; line ends are escaped.
std::string to_line(const Json& message);
Json result_message(const Json& id, Json result);
/// Without an id where `id` is null and `omit_null_id`: JSON-RPC wants `null` there, MCP since 2025-11-25 no member.
Json error_message(const Json& id, const RpcError& error, bool omit_null_id);
Json notification_message(std::string_view method, Json params);

}  // namespace lockstep::mcp
