#include "forge/post.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "forge/pull_request.h"
#include "render/github_review.h"

namespace lockstep::forge {

namespace {

using TextSet = std::set<std::string, std::less<>>;

constexpr int kDeleteAttempts = 3;
constexpr std::string_view kMoreMarker = "<!-- lockstep:more -->";

/// Whose comments count as ours. An app's token (GitHub Actions) cannot ask who it is: then those of bots do.
struct Author {
  std::string login;
  bool anyone = false;

  [[nodiscard]] bool wrote(const Json& json) const {
    const Json& user = object_field(json, "user");
    if (anyone) return true;
    return login.empty() ? text_field(user, "type") == "Bot" : text_field(user, "login") == login;
  }
};

/// What stands on the pull request already.
struct Posted {
  TextSet fingerprints;
  std::vector<std::string> remembered;  // of the summary's marker, oldest first
  std::uint64_t summary_id = 0;         // 0: none
  std::string summary_body;
  std::string summary_url;
  std::string summary_state;
  std::set<std::uint64_t> review_ids;
};

// GitHub stores what it got with "\r\n" here and there.
std::string normal(std::string_view text) { return std::string(trim(replace_all(text, "\r\n", "\n"))); }

Result<Author> author_of(GitHubClient& client) {
  if (!client.has_token()) return Author{"", true};
  const ApiResult<Json> user = client.get("/user");
  if (user) return Author{text_field(*user, "login"), false};
  if (user.error().status == 403 || user.error().status == 404) return Author{};
  return tl::unexpected(user.error().error);
}

Result<Posted> read_posted(GitHubClient& client, const std::string& path, const Author& author) {
  const ApiResult<Json> reviews = client.get_all(path + "/reviews");
  if (!reviews) return tl::unexpected(reviews.error().error);
  const ApiResult<Json> comments = client.get_all(path + "/comments");
  if (!comments) return tl::unexpected(comments.error().error);
  Posted posted;
  for (const Json& review : *reviews) {
    posted.review_ids.insert(number_field(review, "id"));
    const std::string body = text_field(review, "body");
    if (!author.wrote(review) || !body.starts_with(render::kSummaryMarker)) continue;
    posted.summary_id = number_field(review, "id");  // the newest: reviews come oldest first
    posted.summary_body = body;
    posted.summary_url = text_field(review, "html_url");
    posted.summary_state = text_field(review, "state");
    for (std::string& one : fingerprints_in(body)) {
      if (posted.fingerprints.insert(one).second) posted.remembered.push_back(std::move(one));
    }
  }
  for (const Json& comment : *comments) {
    const std::string body = text_field(comment, "body");
    if (!author.wrote(comment) || !contains(body, render::kFindingMarker)) continue;
    for (std::string& one : fingerprints_in(body)) {
      if (posted.fingerprints.insert(one).second) posted.remembered.push_back(std::move(one));
    }
  }
  return posted;
}

/// One run of posting.
class Poster {
 public:
  Poster(GitHubClient& client, const PullRequestPlace& place, const PostOptions& options)
      : client_(client), place_(place), path_(pull_request_path(place)), options_(options) {}

  // A review with the overview, or one with comments that are new since.
  enum class Kind { kOverview, kMore };

  Result<PostOutcome> run(ReviewRequest request) {
    Result<void> ready = prepare(request);
    if (!ready) return tl::unexpected(ready.error());
    const std::size_t repeated = drop_repeated(request);
    const bool needs_state = options_.event != "COMMENT" && posted_.summary_state != state_of(options_.event);
    const bool is_first = posted_.summary_id == 0 || needs_state;
    Result<void> written = create(request, is_first ? Kind::kOverview : Kind::kMore);
    if (written && !is_first) written = update(request);
    if (!written) return tl::unexpected(written.error());
    return outcome(repeated);
  }

 private:
  static std::string_view state_of(std::string_view event) {
    return event == "APPROVE" ? "APPROVED" : "CHANGES_REQUESTED";
  }

  Result<void> prepare(ReviewRequest& request) {
    if (!client_.has_token() && !options_.dry_run)
      return fail("posting needs a token", "set GITHUB_TOKEN (`pull-requests: write`), or run `gh auth login`");
    if (!is_commit_id(request.commit))
      return fail("the review names no commit, so its lines cannot be placed",
                  "review the pull request or its commits, not a patch");
    const ApiResult<Json> pull = client_.get(path_);
    if (!pull) return tl::unexpected(pull.error().error);
    const std::string head = text_field(object_field(*pull, "head"), "sha");
    if (head != request.commit) {
      return fail(fmt::format("{} is at {} by now, the review is of {}; nothing was posted", place_.name(),
                              head.substr(0, 12), request.commit.substr(0, 12)),
                  "review it again");
    }
    const ApiResult<Json> files = client_.get_all(path_ + "/files");
    if (!files) return tl::unexpected(files.error().error);
    const HunksByPath hunks = hunks_of_files(*files);
    std::vector<bool> keep;
    for (const ReviewComment& comment : request.comments) keep.push_back(is_on_diff(comment, hunks));
    moved_ += static_cast<std::size_t>(std::count(keep.begin(), keep.end(), false));
    move_to_body(request, keep);
    const Result<Author> author = author_of(client_);
    if (!author) return tl::unexpected(author.error());
    author_ = *author;
    Result<Posted> posted = read_posted(client_, path_, author_);
    if (!posted) return tl::unexpected(posted.error());
    posted_ = std::move(*posted);
    return {};
  }

  std::size_t drop_repeated(ReviewRequest& request) const {
    return std::erase_if(request.comments, [&](const ReviewComment& comment) {
      return !comment.fingerprints.empty() && posted_.fingerprints.contains(comment.fingerprints.front());
    });
  }

  // The overview of an earlier run says what is true now.
  Result<void> update(const ReviewRequest& request) {
    const std::string body = marked_body(request);
    if (normal(posted_.summary_body) == normal(body)) return {};
    const ApiResult<Json> put = write("PUT", fmt::format("{}/reviews/{}", path_, posted_.summary_id), {{"body", body}});
    if (!put) return tl::unexpected(put.error().error);
    has_edited_ = true;
    return {};
  }

  // Remembers what was posted up to now, so that a comment that somebody deleted does not come back.
  [[nodiscard]] std::string marked_body(const ReviewRequest& request) const {
    std::vector<std::string> remembered = posted_.remembered;
    for (const ReviewComment& comment : request.comments)
      remembered.insert(remembered.end(), comment.fingerprints.begin(), comment.fingerprints.end());
    return body_with_posted(request.body, remembered);
  }

  [[nodiscard]] ReviewRequest review_of(const ReviewRequest& request, Kind kind) const {
    ReviewRequest review = request;
    review.body = kind == Kind::kOverview ? marked_body(request)
                                          : fmt::format("{}\n{} on commit {}. The [overview]({}) is up to date.\n",
                                                        kMoreMarker, count_of(request.comments.size(), "new comment"),
                                                        request.commit, posted_.summary_url);
    return review;
  }

  // Comments that GitHub refuses move to the body of `request`: the bad ones alone, and if that does not help (GitHub
  // dislikes something about them together) all, for the review must not be lost.
  Result<void> create(ReviewRequest& request, Kind kind) {
    const std::string event = kind == Kind::kOverview ? options_.event : "COMMENT";
    for (int attempt = 0;; ++attempt) {
      if (kind == Kind::kMore && request.comments.empty()) return {};
      const ApiResult<Json> made = create_once(review_of(request, kind), event);
      if (made) break;
      const ApiError& error = made.error();
      if (error.status != 422 || request.comments.empty() || is_about_pending(error))
        return tl::unexpected(refusal(error));
      std::vector<bool> keep(request.comments.size(), false);
      if (attempt == 0) {
        ApiResult<std::vector<bool>> accepted = find_accepted(request);
        if (!accepted) return tl::unexpected(accepted.error().error);
        keep = std::move(*accepted);
      }
      if (pending_id_ != 0) return submit_pending(request, kind, event);
      moved_ += static_cast<std::size_t>(std::count(keep.begin(), keep.end(), false));
      move_to_body(request, keep);
    }
    posted_comments_ = request.comments.size();
    return {};
  }

  static bool is_about_pending(const ApiError& error) { return contains(to_lower(error.detail), "pending review"); }

  static Error refusal(const ApiError& error) {
    if (!is_about_pending(error)) return error.error;
    return {"you have a pending review on this pull request, and GitHub allows one",
            "submit or discard it, then post again"};
  }

  // A lost answer says nothing about whether the review is there: look before trying again.
  ApiResult<Json> create_once(const ReviewRequest& request, const std::string& event) {
    ApiResult<Json> made = write("POST", path_ + "/reviews", review_json(request, event));
    if (made || !made.error().may_have_happened) return made;
    const ApiResult<Json> reviews = client_.get_all(path_ + "/reviews");
    if (!reviews) return made;
    for (const Json& review : *reviews) {
      const bool is_new = !posted_.review_ids.contains(number_field(review, "id"));
      if (is_new && author_.wrote(review) && normal(text_field(review, "body")) == normal(request.body)) return review;
    }
    return write("POST", path_ + "/reviews", review_json(request, event));
  }

  // GitHub refuses a review as a whole and does not say which of its comments is the bad one. Pending reviews, which
  // only we see and which are taken back at once, tell: halves are tried until the bad ones stand alone.
  ApiResult<std::vector<bool>> find_accepted(const ReviewRequest& request) {
    struct Part {
      std::size_t first, last;  // half-open
    };
    std::vector<bool> keep(request.comments.size(), true);
    std::vector<Part> parts;
    const auto halve = [&](Part part) {
      const std::size_t middle = part.first + (part.last - part.first) / 2;
      parts.push_back({middle, part.last});
      parts.push_back({part.first, middle});
    };
    if (keep.size() == 1) return std::vector<bool>{false};
    halve({0, keep.size()});
    while (!parts.empty()) {
      const Part part = parts.back();
      parts.pop_back();
      const ApiResult<bool> is_accepted = try_pending(request, part.first, part.last);
      if (!is_accepted) return tl::unexpected(is_accepted.error());
      if (pending_id_ != 0) return keep;  // no other review can be made beside it
      if (*is_accepted) continue;
      if (part.last - part.first == 1) {
        keep[part.first] = false;
      } else {
        halve(part);
      }
    }
    return keep;
  }

  ApiResult<bool> try_pending(const ReviewRequest& request, std::size_t first, std::size_t last) {
    ReviewRequest part;
    part.commit = request.commit;
    part.comments.assign(request.comments.begin() + static_cast<std::ptrdiff_t>(first),
                         request.comments.begin() + static_cast<std::ptrdiff_t>(last));
    Json body = review_json(part, "");
    body.erase("event");  // without one, the review is pending
    body.erase("body");
    const ApiResult<Json> made = client_.write("POST", path_ + "/reviews", body);
    if (!made) {
      if (made.error().status == 422) return false;
      return tl::unexpected(made.error());
    }
    const std::uint64_t id = number_field(*made, "id");
    for (int attempt = 0; attempt < kDeleteAttempts; ++attempt) {
      const ApiResult<Json> taken_back = client_.write("DELETE", fmt::format("{}/reviews/{}", path_, id), Json());
      if (taken_back || taken_back.error().status == 404) return true;
    }
    pending_id_ = id;
    pending_first_ = first;
    pending_last_ = last;
    return true;
  }

  // A trial review that GitHub does not let go of becomes the review: what it holds is accepted, the rest moves to its
  // body.
  Result<void> submit_pending(ReviewRequest& request, Kind kind, const std::string& event) {
    std::vector<bool> keep(request.comments.size(), false);
    for (std::size_t i = pending_first_; i < pending_last_; ++i) keep[i] = true;
    moved_ += static_cast<std::size_t>(std::count(keep.begin(), keep.end(), false));
    move_to_body(request, keep);
    const ApiResult<Json> submitted = write("POST", fmt::format("{}/reviews/{}/events", path_, pending_id_),
                                            {{"event", event}, {"body", review_of(request, kind).body}});
    if (!submitted) return tl::unexpected(submitted.error().error);
    posted_comments_ = request.comments.size();
    return {};
  }

  ApiResult<Json> write(std::string_view method, const std::string& path, const Json& body) {
    if (!options_.dry_run) return client_.write(method, path, body);
    requests_.push_back({{"method", method}, {"path", path}, {"body", body}});
    return Json::object();
  }

  [[nodiscard]] PostOutcome outcome(std::size_t repeated) const {
    PostOutcome outcome;
    if (options_.dry_run) {
      const Json json = {{"pull_request", place_.name()}, {"requests", requests_}};
      outcome.requests = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    std::vector<std::string> parts;
    const std::string_view would = options_.dry_run ? "would have " : "";
    if (has_edited_) parts.push_back("brought the summary up to date");
    if (posted_comments_ > 0 || posted_.summary_id == 0)
      parts.push_back("posted a review with " + count_of(posted_comments_, "comment"));
    if (parts.empty()) parts.push_back("changed nothing");
    outcome.remark = fmt::format("{}{} on {}", would, fmt::join(parts, " and "), place_.name());
    if (repeated > 0)
      outcome.remark += fmt::format("; {} there already", count_of(repeated, "comment was", "comments were"));
    if (moved_ > 0)
      outcome.remark += fmt::format("; {} in its body", count_of(moved_, "comment stands", "comments stand"));
    return outcome;
  }

  GitHubClient& client_;
  const PullRequestPlace& place_;
  std::string path_;
  PostOptions options_;
  Author author_;
  Posted posted_;
  Json requests_ = Json::array();
  std::size_t posted_comments_ = 0;
  std::size_t moved_ = 0;
  bool has_edited_ = false;
  std::uint64_t pending_id_ = 0;  // of a trial review that could not be taken back, with comments [first, last)
  std::size_t pending_first_ = 0, pending_last_ = 0;
};

}  // namespace

Result<PostOutcome> post_review(GitHubClient& client, const PullRequestPlace& place, ReviewRequest request,
                                const PostOptions& options) {
  return Poster(client, place, options).run(std::move(request));
}

}  // namespace lockstep::forge
