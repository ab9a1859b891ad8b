#include "forge/curl_setup.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace lockstep::forge {

namespace {

constexpr std::size_t kMostHeaders = 200;
constexpr std::size_t kMostHeaderBytes = 16u << 10;

}  // namespace

CurlHeaderList curl_header_list(const std::vector<Header>& headers) {
  curl_slist* list = nullptr;
  for (const Header& header : headers)
    list = curl_slist_append(list, fmt::format("{}: {}", header.name, header.value).c_str());
  return CurlHeaderList(curl_slist_append(list, "Expect:"));
}

void set_up_curl(CURL* curl, const std::string& url, const CurlHeaderList& headers) {
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_VERBOSE, 0L);
  curl_easy_setopt(curl, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

void take_header_line(std::string_view line, std::vector<Header>& headers) {
  line = trim(line);
  if (line.starts_with("HTTP/")) headers.clear();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || headers.size() >= kMostHeaders || line.size() >= kMostHeaderBytes) return;
  headers.push_back({to_lower(line.substr(0, colon)), std::string(trim(line.substr(colon + 1)))});
}

}  // namespace lockstep::forge
