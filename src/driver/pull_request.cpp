#include "driver/pull_request.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "forge/curl_transport.h"
#include "forge/github_client.h"
#include "forge/pull_request.h"

namespace lockstep::driver {

namespace {

forge::ClientOptions client_options(const Remark& remark) {
  forge::ClientOptions options;
  options.remark = remark;
  return options;
}

std::string short_id(const std::string& id) { return id.substr(0, 12); }

Result<repo::ChangeSides> sides_of_ends(const forge::FetchedEnds& ends) {
  return repo::load_change(ends.repository, repo::RangeChange{ends.before_commit, ends.after_commit, false}, {});
}

// What git cannot fetch GitHub may still tell: its diff is against the merge base.
Result<repo::ChangeSides> sides_of_diff(forge::GitHubClient& client, const forge::PullRequest& request,
                                        const repo::Repository& repository, const Error& why, const Remark& remark) {
  Result<std::string> diff = forge::read_diff(client, request.place);
  if (!diff) return fail(fmt::format("{}; {}", why.message, diff.error().message), diff.error().next_step);
  const Result<std::string> common = forge::merge_base_of(client, request);
  repo::LoadOptions options;
  for (const std::string& base : {common.value_or(""), request.base_commit}) {
    if (!options.patch_base && !base.empty() && repository.has_revision(base)) options.patch_base = base;
  }
  remark(fmt::format("{}; reading GitHub's diff instead, applied to {}", why.message,
                     options.patch_base ? short_id(*options.patch_base) : std::string("the working tree")));
  Result<repo::ChangeSides> sides =
      repo::load_change(repository, repo::PatchChange{request.place.name(), std::move(*diff)}, options);
  if (!sides) {
    return fail(fmt::format("{}; nor does GitHub's diff apply here: {}", why.message, sides.error().message),
                fmt::format("run Lockstep in a clone of {}/{}", request.place.owner, request.place.repo));
  }
  // Only on the merge base does the diff give the head itself.
  if (common && options.patch_base == *common) sides->after_commit = request.head_commit;
  return sides;
}

void tell_in_its_words(LoadedPullRequest& loaded, const forge::PullRequest& request) {
  loaded.words.is_pull_request = true;
  loaded.words.title = request.title;
  loaded.words.body = replace_all(request.body, "\r\n", "\n");
  loaded.words.author = request.author;
  loaded.words.number = request.place.number;
  repo::ChangeSides& sides = loaded.sides;
  if (!sides.before_commit.empty())
    sides.before_name = fmt::format("{} ({})", request.base_ref, short_id(sides.before_commit));
  if (!sides.after_commit.empty())
    sides.after_name = fmt::format("{} ({})", request.place.name(), short_id(sides.after_commit));
  if (!request.commits.empty()) sides.commits = request.commits;
}

}  // namespace

ForgeSession::ForgeSession(const forge::Server& server, const Remark& remark)
    : transport_(forge::make_curl_transport()),
      clock_(forge::make_system_clock()),
      client_(server, forge::find_token(server), *transport_, *clock_, client_options(remark)) {}

Result<LoadedPullRequest> load_pull_request(const repo::Repository& repository, const repo::ForgeRef& ref,
                                            const Remark& remark) {
  const Result<forge::PullRequestPlace> place = forge::locate_pull_request(ref, &repository);
  if (!place) return tl::unexpected<Error>(place.error());
  const auto session = std::make_shared<ForgeSession>(place->server, remark);
  const Result<forge::PullRequest> request = forge::read_pull_request(session->client(), *place);
  if (!request) return tl::unexpected<Error>(request.error());
  LoadedPullRequest loaded{session, *place, {}, {}, nullptr};
  const Result<forge::FetchedEnds> ends = forge::fetch_ends(session->client(), *request, repository);
  Result<repo::ChangeSides> sides =
      ends ? sides_of_ends(*ends) : sides_of_diff(session->client(), *request, repository, ends.error(), remark);
  if (!sides) return tl::unexpected<Error>(sides.error());
  loaded.sides = std::move(*sides);
  if (ends) loaded.folder = ends->folder;
  tell_in_its_words(loaded, *request);
  return loaded;
}

Result<forge::PostOutcome> post_review(ForgeSession& session, const forge::PullRequestPlace& place,
                                       std::string_view review_json, const forge::PostOptions& options) {
  Result<forge::ReviewRequest> request = forge::parse_review_request(review_json);
  if (!request) return tl::unexpected<Error>(request.error());
  return forge::post_review(session.client(), place, std::move(*request), options);
}

}  // namespace lockstep::driver
