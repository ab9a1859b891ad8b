#include "forge/pull_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace lockstep::forge {

namespace {

std::string repository_path(const PullRequestPlace& place) {
  return fmt::format("/repos/{}/{}", place.owner, place.repo);
}

// First paragraph on one line, and the rest, as Git's %s and %b.
repo::CommitInfo commit_of(const Json& json) {
  const Json& commit = object_field(json, "commit");
  const Json& author = object_field(commit, "author");
  repo::CommitInfo info;
  info.id = text_field(json, "sha");
  info.date = text_field(author, "date");
  info.author = fmt::format("{} <{}>", text_field(author, "name"), text_field(author, "email"));
  const std::string message = text_field(commit, "message");
  const std::size_t end = std::min(message.find("\n\n"), message.size());
  info.subject = replace_all(trim(std::string_view(message).substr(0, end)), "\n", " ");
  info.body = trim(std::string_view(message).substr(end));
  for (const Json& parent : object_field(json, "parents")) info.parents.push_back(text_field(parent, "sha"));
  return info;
}

}  // namespace

bool is_commit_id(std::string_view text) {
  return text.size() == 40 &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string pull_request_path(const PullRequestPlace& place) {
  return fmt::format("{}/pulls/{}", repository_path(place), place.number);
}

Result<PullRequest> read_pull_request(GitHubClient& client, const PullRequestPlace& place) {
  const std::string path = pull_request_path(place);
  const ApiResult<Json> json = client.get(path);
  if (!json) {
    if (json.error().status != 404) return tl::unexpected(json.error().error);
    return fail(fmt::format("there is no pull request {} on {}", place.name(), place.server.host),
                json.error().error.next_step);
  }
  PullRequest request;
  request.place = place;
  request.title = text_field(*json, "title");
  request.body = text_field(*json, "body");
  request.author = text_field(object_field(*json, "user"), "login");
  const Json& base = object_field(*json, "base");
  const Json& head = object_field(*json, "head");
  request.base_ref = text_field(base, "ref");
  request.base_commit = text_field(base, "sha");
  request.head_ref = text_field(head, "ref");
  request.head_commit = text_field(head, "sha");
  if (!is_commit_id(request.base_commit) || !is_commit_id(request.head_commit))
    return fail(fmt::format("GitHub's answer about {} names no commits", place.name()), "check GITHUB_API_URL");
  const ApiResult<Json> commits = client.get_all(path + "/commits");
  if (!commits) return tl::unexpected(commits.error().error);
  for (const Json& commit : *commits) request.commits.push_back(commit_of(commit));
  return request;
}

Result<std::string> merge_base_of(GitHubClient& client, const PullRequest& request) {
  const ApiResult<Json> json = client.get(fmt::format("{}/compare/{}...{}?per_page=1", repository_path(request.place),
                                                      request.base_commit, request.head_commit));
  if (!json) return tl::unexpected(json.error().error);
  std::string id = text_field(object_field(*json, "merge_base_commit"), "sha");
  if (!is_commit_id(id)) return fail(fmt::format("GitHub names no merge base of {}", request.place.name()));
  return id;
}

Result<std::string> read_diff(GitHubClient& client, const PullRequestPlace& place) {
  const ApiResult<std::string> diff = client.get_text(pull_request_path(place), "application/vnd.github.diff");
  if (!diff) return tl::unexpected(diff.error().error);
  return *diff;
}

}  // namespace lockstep::forge
