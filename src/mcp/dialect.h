// Versions of the Model Context Protocol and what differs between them in what is sent. Where each rule comes from:
// docs/mcp.md.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "mcp/json_rpc.h"

namespace lockstep::mcp {

/// Versions that begin with an `initialize` handshake, oldest first.
inline constexpr std::array<std::string_view, 4> kHandshakeVersions = {"2024-11-05", "2025-03-26", "2025-06-18",
                                                                       "2025-11-25"};
/// Versions in which each request says which it speaks (`_meta`), newest first.
inline constexpr std::array<std::string_view, 1> kStatelessVersions = {"2026-07-28"};

/// What one message is spoken in. Versions are dates, so they compare as text.
struct Dialect {
  std::string_view version;  ///< One of the above; empty before `initialize`.

  [[nodiscard]] bool is_stateless() const { return version == kStatelessVersions.front(); }
  [[nodiscard]] bool has_annotations() const { return version >= "2025-03-26"; }
  [[nodiscard]] bool has_completions() const { return version >= "2025-03-26"; }
  [[nodiscard]] bool has_progress_messages() const { return version >= "2025-03-26"; }
  [[nodiscard]] bool has_batches() const { return version == "2025-03-26"; }
  [[nodiscard]] bool has_titles() const { return version >= "2025-06-18"; }
  [[nodiscard]] bool has_ping() const { return !is_stateless(); }
  [[nodiscard]] bool omits_null_id() const { return version >= "2025-11-25"; }
  [[nodiscard]] ErrorCode resource_not_found() const {
    return is_stateless() ? ErrorCode::kInvalidParams : ErrorCode::kResourceNotFound;
  }
};

/// The version to answer an `initialize` that asks for `requested` with: the same where it is known, else the newest.
std::string_view negotiate(std::string_view requested);

/// The dialect of a request: that of its own `_meta`, else that of the handshake (`negotiated`, empty before it).
/// Error: a version that is not known, or `_meta` without what it must hold.
std::variant<Dialect, RpcError> dialect_of(const Json& params, std::string_view negotiated);

/// The result of a request as `dialect` wants it: since 2026-07-28 with its type and the server's name, and
/// (`is_cacheable`) how long it may be kept.
Json complete_result(Json result, Dialect dialect, bool is_cacheable);

/// `{"name", "version", …}` of this program.
Json server_info(Dialect dialect);

/// The request's progress token, a string or an integer.
std::optional<Json> progress_token(const Json& params);

}  // namespace lockstep::mcp
