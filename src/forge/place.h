// A named pull request (a number, OWNER/REPO#N, an address), the clone's remotes and the environment -> which pull
// request on which server, and the token for that server. A token is only ever paired with the server that it is for:
// neither a remote nor an address can make it go elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "repo/change_spec.h"
#include "repo/repository.h"

namespace lockstep::forge {

/// A GitHub server.
struct Server {
  std::string host;     ///< "github.com", with its port where it has one.
  std::string api_url;  ///< "https://api.github.com", without a slash at the end.
  std::string web_url;  ///< "https://github.com"
};

struct RepositoryName {
  std::string host;  ///< In lower case.
  std::string owner;
  std::string name;
};

/// Host, owner and repository of a remote's address: https, ssh, git, and "git@HOST:OWNER/REPO.git". nullopt for other
/// forms (local folders). Credentials in it are dropped.
std::optional<RepositoryName> parse_remote_url(std::string_view url);

/// The server that the environment names: GITHUB_API_URL and GITHUB_SERVER_URL (a GitHub Enterprise Server), else
/// github.com. Error: an address without TLS that is not on this machine, or none at all.
Result<Server> server_of_environment();

/// A pull request and where it lives.
struct PullRequestPlace {
  Server server;
  std::string owner;
  std::string repo;
  std::uint64_t number = 0;
  /// Name of the clone's remote that is this repository; empty where there is none.
  std::string remote;

  [[nodiscard]] std::string name() const;  ///< "OWNER/REPO#12"
};

/// Finds out which pull request is meant. Without an owner: the remote "upstream", else "origin", else the first that
/// is on the server; else GITHUB_REPOSITORY, which GitHub Actions sets. `repository` may be null (posting needs no
/// clone).
Result<PullRequestPlace> locate_pull_request(const repo::ForgeRef& ref, const repo::Repository* repository);

/// A credential that cannot be printed by mistake: nothing formats it, and reveal() stands only where it is sent.
class Token {
 public:
  Token() = default;
  Token(std::string value, std::string source) : value_(std::move(value)), source_(std::move(source)) {}
  [[nodiscard]] bool empty() const { return value_.empty(); }
  [[nodiscard]] const std::string& reveal() const { return value_; }
  [[nodiscard]] const std::string& source() const { return source_; }  ///< "GITHUB_TOKEN", "gh auth token"

 private:
  std::string value_;
  std::string source_;
};

/// The token for `server`: GITHUB_TOKEN or GH_TOKEN for the server of the environment, GH_ENTERPRISE_TOKEN or
/// GITHUB_ENTERPRISE_TOKEN for one other than github.com, else what `gh auth token` says; empty: ask anonymously.
Token find_token(const Server& server);

}  // namespace lockstep::forge
