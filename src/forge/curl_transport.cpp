#include "forge/curl_transport.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/secrets.h"
#include "base/strings.h"
#include "forge/curl_setup.h"

namespace lockstep::forge {

namespace {

constexpr int kMostRedirects = 5;

struct CurlFree {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using CurlHandle = std::unique_ptr<CURL, CurlFree>;

struct Receiver {
  HttpResponse response;
  std::size_t most_bytes = 0;
  bool is_too_large = false;
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& receiver = *static_cast<Receiver*>(user);
  if (receiver.response.body.size() + size * count > receiver.most_bytes) {
    receiver.is_too_large = true;
    return 0;
  }
  receiver.response.body.append(data, size * count);
  return size * count;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* user) {
  take_header_line(std::string_view(data, size * count), static_cast<Receiver*>(user)->response.headers);
  return size * count;
}

bool is_never_sent(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT ||
         code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_URL_MALFORMAT ||
         code == CURLE_UNSUPPORTED_PROTOCOL;
}

class CurlTransport final : public HttpTransport {
 public:
  explicit CurlTransport(const TransportLimits& limits) : limits_(limits), handle_(curl_easy_init()) {
    CHECK(handle_ != nullptr);
  }

  tl::expected<HttpResponse, HttpFailure> send(const HttpRequest& request) override {
    HttpRequest current = request;
    for (int redirects = 0;; ++redirects) {
      tl::expected<HttpResponse, HttpFailure> response = send_once(current);
      if (!response) return response;
      const std::string_view location = response->header("location");
      const long status = response->status;
      // 304 and 300 are answers; 301 to 308 with a place to go are not.
      if (location.empty() || (status != 301 && status != 302 && status != 303 && status != 307 && status != 308))
        return response;
      if (redirects == kMostRedirects) return failure(current, "redirects without end");
      if (!redirect(current, status, location)) return failure(current, "redirects to an address that is not safe");
    }
  }

 private:
  static tl::unexpected<HttpFailure> failure(const HttpRequest& request, std::string_view what) {
    return tl::unexpected(HttpFailure{fmt::format("{} {}", origin_of(request.url), without_secrets(what)), true, true});
  }

  // Turns `request` into the next one. False: it must not be sent.
  static bool redirect(HttpRequest& request, long status, std::string_view location) {
    const std::string from = origin_of(request.url);
    if (location.starts_with('/') && !location.starts_with("//")) {
      request.url = from + std::string(location);
    } else {
      request.url = location;
    }
    const std::string to = origin_of(request.url);
    if (!to.starts_with("https://") && !to.starts_with("http://")) return false;
    if (from.starts_with("https://") && !to.starts_with("https://")) return false;
    if (to != from) {
      // A changed host must see neither the token nor what is being posted.
      std::erase_if(request.headers, [](const Header& header) { return to_lower(header.name) == "authorization"; });
      if (request.method != "GET") return false;
    }
    // GitHub's API means 301, 302, 307 and 308 as "do it there"; a 303 says where the answer is.
    if (status == 303) {
      request.method = "GET";
      request.body.clear();
    }
    return true;
  }

  void set_up(const HttpRequest& request, Receiver& receiver, const CurlHeaderList& headers) {
    CURL* curl = handle_.get();
    set_up_curl(curl, request.url, headers);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, limits_.connect_seconds);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, limits_.total_seconds);
    curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &receiver);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, &receiver);
    if (request.method == "GET") return;
    // On a connection that was kept open curl would send a write a second time when the server closes it.
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  }

  tl::expected<HttpResponse, HttpFailure> send_once(const HttpRequest& request) {
    Receiver receiver;
    receiver.most_bytes = limits_.most_body_bytes;
    const CurlHeaderList headers = curl_header_list(request.headers);
    set_up(request, receiver, headers);
    const CURLcode code = curl_easy_perform(handle_.get());
    if (receiver.is_too_large) {
      return failure(request, fmt::format("answers with more than {} MiB", limits_.most_body_bytes >> 20));
    }
    if (code != CURLE_OK) {
      return tl::unexpected(HttpFailure{
          fmt::format("{} does not answer: {}", origin_of(request.url), without_secrets(curl_easy_strerror(code))),
          !is_never_sent(code), false});
    }
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &receiver.response.status);
    return std::move(receiver.response);
  }

  TransportLimits limits_;
  CurlHandle handle_;
};

}  // namespace

std::unique_ptr<HttpTransport> make_curl_transport(const TransportLimits& limits) {
  static const bool is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  CHECK(is_ready);
  return std::make_unique<CurlTransport>(limits);
}

}  // namespace lockstep::forge
