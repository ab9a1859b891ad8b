// HttpTransport over libcurl: proxies from the environment (http_proxy, https_proxy, no_proxy), time-outs, bounded
// bodies. Redirects are followed here, at most five: to another origin without the Authorization header, and never from
// https to http. Nothing is logged; curl's own tracing and .netrc stay off.
#pragma once

#include <memory>

#include "forge/http.h"

namespace lockstep::forge {

struct TransportLimits {
  long connect_seconds = 15;
  long total_seconds = 120;
  std::size_t most_body_bytes = 64u << 20;
};

/// Makes a transport; it is used by one thread.
std::unique_ptr<HttpTransport> make_curl_transport(const TransportLimits& limits = {});

}  // namespace lockstep::forge
