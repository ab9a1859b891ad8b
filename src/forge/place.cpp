#include "forge/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/secrets.h"
#include "base/strings.h"
#include "forge/http.h"
#include "forge/process.h"

namespace lockstep::forge {

namespace {

constexpr std::string_view kPublicHost = "github.com";
constexpr std::string_view kPublicApi = "https://api.github.com";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(trim(value));
}

bool is_name(std::string_view text) {
  return !text.empty() && text != "." && text != ".." && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
           c == '.';
  });
}

bool is_on_this_machine(std::string_view origin) {
  std::string_view host = origin.substr(origin.find("://") + 3);
  if (host.starts_with("[::1]")) return true;
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host == "127.0.0.1";
}

// Without slashes at the end, and without a user part: credentials do not belong into the address of an API.
std::string clean_address(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  const std::string origin = origin_of(url);
  if (origin.empty()) return {};
  const std::size_t scheme_end = url.find("://") + 3;
  const std::size_t path = url.find('/', scheme_end);
  return path == std::string_view::npos ? origin : origin + std::string(url.substr(path));
}

Result<PullRequestPlace> place_without_remote(const Server& server, std::uint64_t number) {
  const std::string name = variable("GITHUB_REPOSITORY");
  const std::size_t slash = name.find('/');
  if (slash != std::string::npos && is_name(std::string_view(name).substr(0, slash)) &&
      is_name(std::string_view(name).substr(slash + 1))) {
    return PullRequestPlace{server, name.substr(0, slash), name.substr(slash + 1), number, ""};
  }
  return fail(fmt::format("no remote of this repository is on {}, so '{}' names no pull request", server.host, number),
              fmt::format("write OWNER/REPO#{}, or its address; for a GitHub Enterprise Server set "
                          "GITHUB_API_URL=https://HOST/api/v3",
                          number));
}

struct KnownRemote {
  std::string remote;
  RepositoryName name;
};

std::vector<KnownRemote> remotes_on(const Server& server, const repo::Repository* repository) {
  std::vector<KnownRemote> known;
  if (repository == nullptr) return known;
  for (const repo::Remote& remote : repository->remotes()) {
    const std::optional<RepositoryName> name = parse_remote_url(remote.url);
    // ssh.github.com:443 is github.com for networks that block port 22.
    if (name && (name->host == server.host || name->host == "ssh." + server.host))
      known.push_back({remote.name, *name});
  }
  // A fork's clone has its parent as "upstream", and pull requests live there.
  std::stable_partition(known.begin(), known.end(), [](const KnownRemote& one) { return one.remote == "upstream"; });
  return known;
}

bool same_name(std::string_view a, std::string_view b) { return to_lower(a) == to_lower(b); }

}  // namespace

std::string PullRequestPlace::name() const { return fmt::format("{}/{}#{}", owner, repo, number); }

std::optional<RepositoryName> parse_remote_url(std::string_view url) {
  std::string_view host, path;
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    const std::string_view kind = url.substr(0, scheme);
    if (kind != "https" && kind != "http" && kind != "ssh" && kind != "git" && kind != "git+ssh") return std::nullopt;
    const std::string_view rest = url.substr(scheme + 3);
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    host = rest.substr(0, slash);
    path = rest.substr(slash + 1);
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
    // The port of ssh is not the server's.
    if (kind != "https" && kind != "http") host = host.substr(0, host.find(':'));
  } else {  // git@github.com:OWNER/REPO.git
    const std::size_t colon = url.find(':');
    if (colon == std::string_view::npos || url.substr(0, colon).find('/') != std::string_view::npos)
      return std::nullopt;
    host = url.substr(0, colon);
    path = url.substr(colon + 1);
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
    while (path.starts_with('/')) path.remove_prefix(1);
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.ends_with(".git")) path.remove_suffix(4);
  const std::size_t slash = path.find('/');
  if (host.empty() || slash == std::string_view::npos) return std::nullopt;
  const std::string_view owner = path.substr(0, slash), name = path.substr(slash + 1);
  if (!is_name(owner) || !is_name(name)) return std::nullopt;
  return RepositoryName{to_lower(host), std::string(owner), std::string(name)};
}

Result<Server> server_of_environment() {
  const std::string given = variable("GITHUB_API_URL");
  if (given.empty()) return Server{std::string(kPublicHost), std::string(kPublicApi), "https://github.com"};
  const std::string api = clean_address(given);
  if (!api.starts_with("https://") && !(api.starts_with("http://") && is_on_this_machine(origin_of(api)))) {
    return fail(fmt::format("GITHUB_API_URL is '{}', which is not the https address of an API", without_secrets(given)),
                "set it to https://HOST/api/v3 (GitHub Enterprise Server), or unset it");
  }
  const std::string origin = origin_of(api);
  const std::size_t scheme_end = origin.find("://") + 3;
  // api.github.com serves github.com, api.NAME.ghe.com serves NAME.ghe.com; a GitHub Enterprise Server serves itself.
  const bool is_subdomain = origin.compare(scheme_end, 4, "api.") == 0 && api == origin;
  const std::string host = origin.substr(scheme_end + (is_subdomain ? 4 : 0));
  return Server{host, api, origin.substr(0, scheme_end) + host};
}

Result<PullRequestPlace> locate_pull_request(const repo::ForgeRef& ref, const repo::Repository* repository) {
  Result<Server> server = server_of_environment();
  if (!server) return tl::unexpected<Error>(server.error());
  if (!ref.host.empty() && ref.host != server->host && ref.host != "www." + server->host) {
    return fail(fmt::format("'{}' is not the GitHub server that Lockstep was told of ({})", without_secrets(ref.host),
                            server->host),
                "for a GitHub Enterprise Server set GITHUB_API_URL=https://HOST/api/v3");
  }
  const std::vector<KnownRemote> known = remotes_on(*server, repository);
  if (ref.owner.empty()) {
    if (known.empty()) return place_without_remote(*server, ref.number);
    return PullRequestPlace{*server, known[0].name.owner, known[0].name.name, ref.number, known[0].remote};
  }
  for (const KnownRemote& one : known) {
    if (same_name(one.name.owner, ref.owner) && same_name(one.name.name, ref.repo))
      return PullRequestPlace{*server, ref.owner, ref.repo, ref.number, one.remote};
  }
  return PullRequestPlace{*server, ref.owner, ref.repo, ref.number, ""};
}

Token find_token(const Server& server) {
  std::vector<const char*> names = {"GITHUB_TOKEN", "GH_TOKEN"};
  if (server.host != kPublicHost) names.insert(names.begin(), {"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"});
  for (const char* name : names) {
    std::string value = variable(name);
    // A header holds one line of visible characters.
    const bool is_sound = std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (!value.empty() && is_sound) return {std::move(value), name};
  }
  ProcessRequest gh;
  gh.arguments = {"gh", "auth", "token", "--hostname", server.host};
  gh.environment = {"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1"};
  gh.limit_seconds = 10;
  const Result<ProcessOutput> output = run_process(gh);
  if (!output || output->exit_code != 0) return {};
  const std::string_view value = trim(output->standard_output);
  if (value.empty() || value.find_first_of(" \n\r\t") != std::string_view::npos) return {};
  return {std::string(value), "gh auth token"};
}

}  // namespace lockstep::forge
