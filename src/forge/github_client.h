// GitHub's REST API (version 2022-11-28): requests with retries, rate limits, pages and entity tags -> JSON, or an
// error that says what to do. Leaves out what the answers mean.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "forge/http.h"
#include "forge/place.h"

namespace lockstep::forge {

using Json = nlohmann::json;

/// Time, as far as the client needs it; tests bring their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now() = 0;  ///< Seconds since 1970.
  virtual void sleep(double seconds) = 0;
};
std::unique_ptr<Clock> make_system_clock();

/// Why a request failed.
struct ApiError {
  long status = 0;                 ///< 0: no response.
  bool may_have_happened = false;  ///< A write that the server may have done all the same (the answer was lost).
  std::string detail;              ///< GitHub's own words, with its list of errors.
  Error error;                     ///< For people.
};
template <class T>
using ApiResult = tl::expected<T, ApiError>;

struct ClientOptions {
  /// Longest wait for a rate limit; above it the error says when it ends. GitHub asks to wait at least a minute after a
  /// secondary limit that names no time.
  double longest_wait_seconds = 90;
  int retries = 3;  ///< After a lost connection, a 5xx or a secondary rate limit; 0.5, 1, 2 … seconds apart.
  std::size_t most_pages = 50;  ///< Of 100 entries.
  /// Told of each wait ("waiting 30 s for GitHub's rate limit"), for progress; may be empty.
  std::function<void(const std::string&)> remark;
};

class GitHubClient {
 public:
  GitHubClient(Server server, Token token, HttpTransport& transport, Clock& clock, ClientOptions options = {});

  [[nodiscard]] const Server& server() const { return server_; }
  [[nodiscard]] bool has_token() const { return !token_.empty(); }
  [[nodiscard]] const Token& token() const { return token_; }

  /// `path` starts with "/". A second get of the same path sends the entity tag of the first (304 costs no rate limit).
  ApiResult<Json> get(const std::string& path);
  /// All pages of a list, in order. Pages on other servers are refused.
  ApiResult<Json> get_all(const std::string& path);
  /// The body as it is, in the media type `accept`.
  ApiResult<std::string> get_text(const std::string& path, std::string_view accept);
  /// POST, PUT, PATCH or DELETE. Repeated only where the server surely did not do it.
  ApiResult<Json> write(std::string_view method, const std::string& path, const Json& body);

 private:
  struct Cached {
    std::string tag;
    HttpResponse response;
  };

  ApiResult<HttpResponse> send(std::string_view method, const std::string& url, std::string_view accept,
                               const std::string& body);
  ApiResult<HttpResponse> get_cached(const std::string& url, std::string_view accept);
  HttpRequest request_of(std::string_view method, const std::string& url, std::string_view accept,
                         const std::string& body) const;
  void wait(double seconds, std::string_view why);
  [[nodiscard]] ApiError error_of(const HttpResponse& response, const HttpRequest& request) const;

  Server server_;
  Token token_;
  HttpTransport& transport_;
  Clock& clock_;
  ClientOptions options_;
  std::map<std::string, Cached> cache_;
};

/// Fields of answers; empty or 0 where absent or of another type. Text is valid UTF-8.
std::string text_field(const Json& json, std::string_view key);
std::uint64_t number_field(const Json& json, std::string_view key);
/// The object below `key`; null where there is none.
const Json& object_field(const Json& json, std::string_view key);

}  // namespace lockstep::forge
