// What every request through libcurl has in common, GitHub's and a model's: the same refusals, the same reading of
// headers. A fault mended here is mended for both. Included by the files that speak to libcurl, and by no other.
//
// Left out: limits of time and size, and what may be sent only once, which the callers decide.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forge/http.h"

namespace lockstep::forge {

struct CurlListFree {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlHeaderList = std::unique_ptr<curl_slist, CurlListFree>;

/// `headers` as libcurl takes them. Without a wait for "100 Continue" before a body.
CurlHeaderList curl_header_list(const std::vector<Header>& headers);

/// Sets what is never left to libcurl's defaults or to files of the user: only http and https, no .netrc, no redirect
/// followed, no signal, nothing logged. `headers` must outlive the request.
void set_up_curl(CURL* curl, const std::string& url, const CurlHeaderList& headers);

/// Takes one header line into `headers`; a new status line starts them anew (after "100 Continue", or a proxy's own
/// answer). Lines beyond 200, or of 16 KiB and more, are dropped.
void take_header_line(std::string_view line, std::vector<Header>& headers);

}  // namespace lockstep::forge
