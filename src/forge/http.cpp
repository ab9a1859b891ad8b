#include "forge/http.h"

#include "base/strings.h"

namespace lockstep::forge {

std::string_view HttpResponse::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (header.name == name) return header.value;
  }
  return {};
}

std::string origin_of(std::string_view url) {
  const std::size_t scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return {};
  const std::string scheme = to_lower(url.substr(0, scheme_end));
  std::string_view authority = url.substr(scheme_end + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  if (authority.empty()) return {};
  std::string host = to_lower(authority);
  if (scheme == "https" && host.ends_with(":443")) host.resize(host.size() - 4);
  if (scheme == "http" && host.ends_with(":80")) host.resize(host.size() - 3);
  return scheme + "://" + host;
}

}  // namespace lockstep::forge
