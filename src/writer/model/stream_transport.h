// HTTP for answers that come bit by bit: one POST, its body handed on as it arrives. The transport is an interface, so
// that time-outs and proxies live in one place and tests can break a stream wherever they like.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forge/http.h"
#include "writer/model/clock.h"

namespace lockstep::writer {

struct StreamRequest {
  std::string url;
  std::vector<forge::Header> headers;
  std::string body;
};

enum class StreamEnd {
  kWhole,         ///< The server ended the answer.
  kStopped,       ///< The receiver wanted no more, or the user stopped it.
  kSilent,        ///< Nothing came for too long.
  kTooSlow,       ///< The whole takes too long.
  kTooLarge,      ///< More bytes than any answer has.
  kBroken,        ///< The connection broke off.
  kNoConnection,  ///< There was none.
  kUntrusted,     ///< The server's certificate is not good, or the address cannot be used.
};

struct StreamOutcome {
  StreamEnd end = StreamEnd::kWhole;
  long status = 0;  ///< 0: no answer had begun.
  std::vector<forge::Header> headers;
  std::string message;  ///< For people, where `end` is no good one; names the server, holds no credentials.

  /// The first header of that name (lower case); empty where there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// Told of each piece of the body; false: no more of it.
using OnBytes = std::function<bool(long status, std::string_view bytes)>;

class StreamTransport {
 public:
  virtual ~StreamTransport() = default;
  virtual StreamOutcome post(const StreamRequest& request, const OnBytes& on_bytes) = 0;
};

struct StreamLimits {
  double connect_seconds = 15;
  /// Without a byte. Large models read a long request for minutes before the first, and servers that do not stream are
  /// silent until the last.
  double silent_seconds = 300;
  double total_seconds = 1200;
  std::size_t most_body_bytes = 32u << 20;
};

/// Over libcurl: proxies from the environment (http_proxy, https_proxy, no_proxy); no redirects, no .netrc, nothing
/// logged. Ends within a tenth of a second once `stop` is raised.
std::unique_ptr<StreamTransport> make_curl_stream(const StreamLimits& limits, StopFlag stop);

}  // namespace lockstep::writer
