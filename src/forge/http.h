// HTTP as the forge's client sees it: one request in, one response or the reason for none out. The transport is an
// interface, so that time-outs, redirects and proxies live in one place (curl_transport.h) and nothing else knows curl.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace lockstep::forge {

struct Header {
  std::string name;  ///< Of a response: in lower case.
  std::string value;
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<Header> headers;
  std::string body;
};

struct HttpResponse {
  long status = 0;
  std::vector<Header> headers;
  std::string body;

  /// The first header of that name (lower case); empty where there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// Why there is no response.
struct HttpFailure {
  std::string message;           ///< For people; names the host, holds no credentials.
  bool may_have_arrived = true;  ///< False where the server cannot have seen the request (no connection).
  bool is_final = false;         ///< Another attempt would end the same way (redirects without end).
};

class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  virtual tl::expected<HttpResponse, HttpFailure> send(const HttpRequest& request) = 0;
};

/// Scheme, host and port of an address ("https://api.github.com"), in lower case, without user part; empty if it is
/// none.
std::string origin_of(std::string_view url);

}  // namespace lockstep::forge
