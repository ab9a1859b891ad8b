// An answer of HTTP, or a stream that broke off -> what it means for the request: send less, give up, send it in other
// words, or again later. The wording of servers is known here alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forge/http.h"
#include "writer/model/chat.h"
#include "writer/model/stream_transport.h"
#include "writer/model/wire.h"

namespace lockstep::writer {

/// Why an attempt gave no answer.
struct Setback {
  enum class Next : std::uint8_t {
    kGiveUp,
    kAgain,                 ///< Later; the same request may go through then.
    kWithoutStreamOptions,  ///< At once, with that quirk.
    kWithOtherLimit,
  };
  Next next = Next::kGiveUp;
  ChatFailure failure;
  std::optional<double> wait_seconds;  ///< As the server asks.
};

/// Seconds from `now` (since 1970) that a Retry-After header asks for: a number, or a date of RFC 9110, section 10.2.3.
/// nullopt: neither. Never negative.
std::optional<double> seconds_of_retry_after(std::string_view value, double now);

/// A status other than 2xx with what came with it.
Setback setback_of_status(const StreamOutcome& outcome, std::string_view body, const ModelPlace& place,
                          const forge::Token& key, double now);

/// An error event inside a stream, or an error with status 200.
Setback setback_of_event(const ServerError& error, const ModelPlace& place, const forge::Token& key);

/// The connection failed, or fell silent, or ended before the answer did.
Setback setback_of_connection(const StreamOutcome& outcome, const ModelPlace& place);

/// The server's words say that the request is longer than the model's context.
bool is_too_long(const ServerError& error);

}  // namespace lockstep::writer
