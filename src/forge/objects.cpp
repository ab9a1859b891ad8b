#include "forge/objects.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/secrets.h"
#include "base/strings.h"
#include "forge/process.h"

namespace lockstep::forge {

namespace {

// A large repository over a slow line.
constexpr double kFetchSeconds = 540;

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) out += i + j <= bytes.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

/// Git in one folder, quiet: no prompt, no hook, no upkeep.
class Git {
 public:
  explicit Git(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] Result<ProcessOutput> run(std::vector<std::string> arguments,
                                          std::vector<std::string> environment = {}) const {
    ProcessRequest request;
    request.arguments = {"git",
                         "-C",
                         folder_,
                         "-c",
                         "core.hooksPath=/dev/null",
                         "-c",
                         "gc.auto=0",
                         "-c",
                         "maintenance.auto=false",
                         "-c",
                         "protocol.ext.allow=never",
                         "-c",
                         "fetch.recurseSubmodules=no"};
    for (std::string& argument : arguments) request.arguments.push_back(std::move(argument));
    request.environment = std::move(environment);
    request.environment.insert(
        request.environment.end(),
        {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE",
         "GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GIT_TRACE=0", "GIT_TRACE_CURL=0", "GIT_CURL_VERBOSE=0",
         "GIT_TRACE_PACKET=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"});
    request.limit_seconds = kFetchSeconds;
    return run_process(request);
  }

  [[nodiscard]] bool is_shallow() const {
    const Result<ProcessOutput> output = run({"rev-parse", "--is-shallow-repository"});
    return output && trim(output->standard_output) == "true";
  }

 private:
  std::string folder_;
};

struct Source {
  std::string remote;  ///< Name of a remote, or an address.
  bool is_shallow = false;
};

// The token travels in the environment: arguments can be read by every user of the machine.
std::vector<std::string> with_token(const GitHubClient& client) {
  return {"GIT_CONFIG_COUNT=1", fmt::format("GIT_CONFIG_KEY_0=http.{}/.extraheader", client.server().web_url),
          "GIT_CONFIG_VALUE_0=AUTHORIZATION: basic " + base64("x-access-token:" + client.token().reveal())};
}

std::string last_lines(std::string_view text) {
  const std::string masked = without_secrets(trim(text));
  const std::vector<std::string_view> lines = split_lines(masked);
  std::string kept;
  for (std::size_t i = lines.size() > 3 ? lines.size() - 3 : 0; i < lines.size(); ++i)
    kept += (kept.empty() ? "" : "; ") + std::string(trim(lines[i]));
  return kept;
}

Result<void> fetch_once(const Git& git, const Source& source, const std::vector<std::string>& wanted,
                        const std::vector<std::string>& environment) {
  // --refmap= keeps remote-tracking branches as they are, --no-filter brings the files of partial clones along.
  std::vector<std::string> arguments = {"fetch",
                                        "--quiet",
                                        "--no-tags",
                                        "--no-write-fetch-head",
                                        "--no-auto-maintenance",
                                        "--no-recurse-submodules",
                                        "--refmap=",
                                        "--no-filter"};
  // Only commits that are missing are asked for, so a shallow clone's own history keeps its length.
  if (source.is_shallow) arguments.emplace_back("--depth=1");
  arguments.insert(arguments.end(), {"--", source.remote});
  arguments.insert(arguments.end(), wanted.begin(), wanted.end());
  const Result<ProcessOutput> output = git.run(std::move(arguments), environment);
  if (!output) return tl::unexpected(output.error());
  if (output->exit_code != 0)
    return fail(fmt::format("git could not fetch it: {}", last_lines(output->standard_error)));
  return {};
}

// With the user's own credentials first: a second Authorization header beside one that is configured is refused.
Result<void> fetch(const GitHubClient& client, const Git& git, const Source& source,
                   const std::vector<std::string>& wanted) {
  if (wanted.empty()) return {};
  Result<void> fetched = fetch_once(git, source, wanted, {});
  if (!fetched && client.has_token() && client.server().web_url.starts_with("http"))
    fetched = fetch_once(git, source, wanted, with_token(client));
  return fetched;
}

std::vector<std::string> missing_of(const repo::Repository& repository, std::initializer_list<std::string> commits) {
  std::vector<std::string> missing;
  for (const std::string& commit : commits) {
    if (!repository.snapshot_at(commit)) missing.push_back(commit);
  }
  return missing;
}

Result<std::shared_ptr<TemporaryFolder>> make_folder() {
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "lockstep-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) return fail("cannot make a temporary folder", "check TMPDIR");
  return std::make_shared<TemporaryFolder>(pattern);
}

// The clone holds the history: Git's own merge base, where it can be found.
Result<FetchedEnds> fetch_into_clone(GitHubClient& client, const PullRequest& request, const repo::Repository& clone) {
  const Git git(clone.root());
  const Source source{request.place.remote, git.is_shallow()};
  std::string base = request.base_commit;
  if (source.is_shallow) {
    Result<std::string> common = merge_base_of(client, request);
    if (!common) return tl::unexpected(common.error());
    base = *common;
  }
  const std::vector<std::string> missing = missing_of(clone, {base, request.head_commit});
  Result<void> fetched = fetch(client, git, source, missing);
  // A server that does not serve commits by their ids knows them by the names that GitHub gives them.
  if (!fetched && !source.is_shallow) {
    const Result<void> by_name =
        fetch(client, git, source,
              {fmt::format("refs/pull/{}/head", request.place.number), "refs/heads/" + request.base_ref});
    if (by_name) fetched = {};
  }
  if (!fetched) return tl::unexpected(fetched.error());
  Result<repo::Repository> repository = repo::Repository::open(clone.root());
  if (!repository) return tl::unexpected(repository.error());
  FetchedEnds ends{std::move(*repository), base, request.head_commit, nullptr};
  if (source.is_shallow) return ends;
  Result<std::string> common = ends.repository.merge_base(base, request.head_commit);
  if (!common) common = merge_base_of(client, request);
  if (!common) return tl::unexpected(common.error());
  ends.before_commit = *common;
  return ends;
}

// Two commits without their history: what a review reads, and no more.
Result<FetchedEnds> fetch_into_folder(GitHubClient& client, const PullRequest& request) {
  const Result<std::string> common = merge_base_of(client, request);
  if (!common) return tl::unexpected(common.error());
  Result<std::shared_ptr<TemporaryFolder>> folder = make_folder();
  if (!folder) return tl::unexpected(folder.error());
  const Git git((*folder)->path());
  const Result<ProcessOutput> made = git.run({"init", "--quiet", "--bare", "."});
  if (!made) return tl::unexpected(made.error());
  const Source source{
      fmt::format("{}/{}/{}.git", request.place.server.web_url, request.place.owner, request.place.repo), true};
  const Result<void> fetched = fetch(client, git, source, {*common, request.head_commit});
  if (!fetched) return tl::unexpected(fetched.error());
  Result<repo::Repository> repository = repo::Repository::open((*folder)->path());
  if (!repository) return tl::unexpected(repository.error());
  return FetchedEnds{std::move(*repository), *common, request.head_commit, std::move(*folder)};
}

}  // namespace

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<FetchedEnds> fetch_ends(GitHubClient& client, const PullRequest& request, const repo::Repository& clone) {
  if (request.place.remote.empty()) return fetch_into_folder(client, request);
  return fetch_into_clone(client, request, clone);
}

}  // namespace lockstep::forge
