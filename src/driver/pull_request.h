// A pull request on GitHub -> the two sides of a change with its words, and back: a review posted on it. Reading and
// posting are separate steps with separate inputs, so that the one that holds a token need not see the code.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "driver/documents.h"
#include "forge/github_client.h"
#include "forge/objects.h"
#include "forge/place.h"
#include "forge/post.h"
#include "repo/change_spec.h"
#include "repo/repository.h"

namespace lockstep::driver {

/// Told what takes time or went another way than asked, one line each.
using Remark = std::function<void(const std::string&)>;

/// A client of one server. Kept between reading and posting, so that what was read need not be sent again.
class ForgeSession {
 public:
  ForgeSession(const forge::Server& server, const Remark& remark);
  [[nodiscard]] forge::GitHubClient& client() { return client_; }

 private:
  std::unique_ptr<forge::HttpTransport> transport_;
  std::unique_ptr<forge::Clock> clock_;
  forge::GitHubClient client_;
};

struct LoadedPullRequest {
  std::shared_ptr<ForgeSession> session;
  forge::PullRequestPlace place;
  repo::ChangeSides sides;
  ChangeWords words;
  std::shared_ptr<forge::TemporaryFolder> folder;  ///< May hold the objects of `sides`: keep it as long.
};

/// Asks GitHub for the pull request and fetches what `repository` lacks of it; where git cannot, GitHub's own diff is
/// applied to what is there.
Result<LoadedPullRequest> load_pull_request(const repo::Repository& repository, const repo::ForgeRef& ref,
                                            const Remark& remark);

/// Posts `review_json` (review --format github).
Result<forge::PostOutcome> post_review(ForgeSession& session, const forge::PullRequestPlace& place,
                                       std::string_view review_json, const forge::PostOptions& options);

}  // namespace lockstep::driver
