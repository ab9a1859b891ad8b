#include "forge/github_client.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "base/secrets.h"
#include "base/strings.h"

namespace lockstep::forge {

namespace {

constexpr std::string_view kJsonType = "application/vnd.github+json";
constexpr std::size_t kMostDetailBytes = 2000;

class SystemClock final : public Clock {
 public:
  std::int64_t now() override {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  void sleep(double seconds) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(static_cast<long>(seconds * 1000)));
  }
};

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // Times up to the year 2100: what a broken or hostile server says beyond that has no date.
  const bool is_sound =
      error == std::errc{} && end == text.data() + text.size() && number >= 0 && number < 4'102'444'800;
  return is_sound ? std::optional(number) : std::nullopt;
}

std::string clock_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

// GitHub's message and its list of errors, on one line.
std::string detail_of(const HttpResponse& response) {
  const Json json = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  std::string text = text_field(json, "message");
  if (json.is_object()) {
    if (const auto errors = json.find("errors"); errors != json.end() && errors->is_array()) {
      for (const Json& error : *errors) {
        const std::string one = error.is_string() ? error.get<std::string>() : text_field(error, "message");
        if (!one.empty()) text += (text.empty() ? "" : "; ") + one;
      }
    }
  }
  for (char& c : text) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return without_secrets(cut_at_character(text, kMostDetailBytes));
}

bool is_limit_status(const HttpResponse& response) { return response.status == 403 || response.status == 429; }

bool is_primary_limit(const HttpResponse& response) {
  return is_limit_status(response) && response.header("x-ratelimit-remaining") == "0";
}

// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api: a retry-after header, or words.
bool is_secondary_limit(const HttpResponse& response) {
  if (!is_limit_status(response) || is_primary_limit(response)) return false;
  return response.status == 429 || !response.header("retry-after").empty() ||
         contains(to_lower(detail_of(response)), "secondary rate limit");
}

std::string path_of(std::string_view url, const Server& server) {
  return std::string(url.starts_with(server.api_url) ? url.substr(server.api_url.size()) : url);
}

// The address of the next page (RFC 8288): `<https://…?page=2>; rel="next", …`.
std::string next_page(std::string_view link) {
  for (const std::string_view part : split(link, ',')) {
    const std::size_t open = part.find('<'), close = part.find('>');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) continue;
    if (contains(part.substr(close), "rel=\"next\"")) return std::string(part.substr(open + 1, close - open - 1));
  }
  return {};
}

ApiResult<Json> parse_answer(const HttpResponse& response, const Server& server) {
  if (response.body.empty()) return Json();
  Json json = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_discarded()) return json;
  return tl::unexpected(ApiError{response.status,
                                 true,
                                 "",
                                 {fmt::format("{} answered with something that is not JSON", server.api_url),
                                  "check GITHUB_API_URL, and whether a proxy stands between"}});
}

std::string advice_for(const HttpResponse& response, const Token& token) {
  const std::string who = token.empty() ? std::string() : fmt::format(" ({})", token.source());
  switch (response.status) {
    case 401:
      return fmt::format("the token{} is wrong, expired or revoked: make a new one, or unset it to ask anonymously",
                         who);
    case 403:
      if (!response.header("x-github-sso").empty())
        return fmt::format("authorise the token{} for the organisation's single sign-on", who);
      return token.empty() ? "set GITHUB_TOKEN, or run `gh auth login`"
                           : fmt::format(
                                 "the token{} lacks a permission: reading needs `pull-requests: read` and "
                                 "`contents: read`, posting `pull-requests: write`",
                                 who);
    case 404:
      return token.empty() ? "check its name; a private repository needs GITHUB_TOKEN, or `gh auth login`"
                           : fmt::format("check its name, and that the token{} may see that repository", who);
    case 410:
      return "it was deleted";
    case 422:
      return "`--dry-run` prints what is sent; GitHub also refuses to approve or to request changes on one's own pull "
             "request (leave out `--event`), and to write where the conversation is locked";
    default:
      return response.status >= 500 ? "GitHub has a problem of its own (https://www.githubstatus.com): try again later"
                                    : "";
  }
}

}  // namespace

std::unique_ptr<Clock> make_system_clock() { return std::make_unique<SystemClock>(); }

std::string text_field(const Json& json, std::string_view key) {
  if (!json.is_object()) return {};
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t number_field(const Json& json, std::string_view key) {
  if (!json.is_object()) return 0;
  const auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

const Json& object_field(const Json& json, std::string_view key) {
  static const Json kNothing;
  if (!json.is_object()) return kNothing;
  const auto found = json.find(key);
  return found != json.end() ? *found : kNothing;
}

GitHubClient::GitHubClient(Server server, Token token, HttpTransport& transport, Clock& clock, ClientOptions options)
    : server_(std::move(server)),
      token_(std::move(token)),
      transport_(transport),
      clock_(clock),
      options_(std::move(options)) {}

HttpRequest GitHubClient::request_of(std::string_view method, const std::string& url, std::string_view accept,
                                     const std::string& body) const {
  HttpRequest request;
  request.method = method;
  request.url = url;
  request.body = body;
  request.headers = {{"Accept", std::string(accept)},
                     {"X-GitHub-Api-Version", "2022-11-28"},
                     {"User-Agent", "lockstep/" LOCKSTEP_VERSION}};
  if (!body.empty()) request.headers.push_back({"Content-Type", "application/json"});
  if (!token_.empty()) request.headers.push_back({"Authorization", "Bearer " + token_.reveal()});
  return request;
}

void GitHubClient::wait(double seconds, std::string_view why) {
  if (options_.remark && seconds >= 1) options_.remark(fmt::format("waiting {:.0f} s: {}", std::ceil(seconds), why));
  clock_.sleep(seconds);
}

ApiError GitHubClient::error_of(const HttpResponse& response, const HttpRequest& request) const {
  ApiError error;
  error.status = response.status;
  error.may_have_happened = response.status >= 500;
  error.detail = detail_of(response);
  const std::string what = fmt::format("{} {}", request.method, path_of(request.url, server_));
  if (is_primary_limit(response)) {
    const std::optional<std::int64_t> reset = number_of(response.header("x-ratelimit-reset"));
    error.error = {
        fmt::format("GitHub's rate limit is used up{}", reset ? " until " + clock_text(*reset) : ""),
        token_.empty() ? "set GITHUB_TOKEN (60 requests an hour become 5,000), or try again then" : "try again then"};
  } else if (is_secondary_limit(response)) {
    const std::optional<std::int64_t> after = number_of(response.header("retry-after"));
    error.error = {
        "GitHub asks for a pause (its secondary rate limit)",
        after ? fmt::format("try again after {}", clock_text(clock_.now() + *after)) : "try again in a few minutes"};
  } else {
    error.error = {fmt::format("GitHub refuses `{}`: {}{}{}", without_secrets(what), response.status,
                               error.detail.empty() ? "" : " ", error.detail),
                   advice_for(response, token_)};
  }
  return error;
}

ApiResult<HttpResponse> GitHubClient::send(std::string_view method, const std::string& url, std::string_view accept,
                                           const std::string& body) {
  HttpRequest request = request_of(method, url, accept, body);
  const bool is_get = method == "GET";
  if (const auto cached = cache_.find(url); is_get && cached != cache_.end())
    request.headers.push_back({"If-None-Match", cached->second.tag});
  for (int attempt = 0;; ++attempt) {
    const bool is_last = attempt >= options_.retries;
    const double pause = 0.5 * std::pow(2.0, attempt);
    tl::expected<HttpResponse, HttpFailure> answer = transport_.send(request);
    if (!answer) {
      const HttpFailure& failure = answer.error();
      if (!is_last && !failure.is_final && (is_get || !failure.may_have_arrived)) {
        wait(pause, failure.message);
        continue;
      }
      return tl::unexpected(ApiError{
          0,
          failure.may_have_arrived,
          "",
          {failure.message, failure.is_final ? "check GITHUB_API_URL, and whether a proxy stands between"
                                             : "check the network, and http_proxy and https_proxy if you need one"}});
    }
    if (answer->status < 300 || answer->status == 304) return std::move(*answer);
    double delay = -1;  // no use in another attempt
    if (is_primary_limit(*answer)) {
      const auto reset = number_of(answer->header("x-ratelimit-reset"));
      if (reset) delay = static_cast<double>(std::max<std::int64_t>(1, *reset - clock_.now() + 1));
    } else if (is_secondary_limit(*answer)) {
      delay = static_cast<double>(number_of(answer->header("retry-after")).value_or(60)) * (attempt + 1);
    } else if (answer->status >= 500 && is_get) {
      delay = pause;
    }
    if (is_last || delay < 0 || delay > options_.longest_wait_seconds)
      return tl::unexpected(error_of(*answer, request));
    wait(delay, answer->status >= 500 ? "GitHub has a problem of its own" : "GitHub's rate limit");
  }
}

ApiResult<HttpResponse> GitHubClient::get_cached(const std::string& url, std::string_view accept) {
  ApiResult<HttpResponse> answer = send("GET", url, accept, "");
  if (!answer) return answer;
  const auto cached = cache_.find(url);
  if (answer->status == 304 && cached != cache_.end()) return cached->second.response;
  if (const std::string_view tag = answer->header("etag"); !tag.empty()) cache_[url] = {std::string(tag), *answer};
  return answer;
}

ApiResult<Json> GitHubClient::get(const std::string& path) {
  ApiResult<HttpResponse> answer = get_cached(server_.api_url + path, kJsonType);
  if (!answer) return tl::unexpected(answer.error());
  return parse_answer(*answer, server_);
}

ApiResult<Json> GitHubClient::get_all(const std::string& path) {
  Json all = Json::array();
  std::string url = fmt::format("{}{}{}per_page=100", server_.api_url, path, contains(path, "?") ? "&" : "?");
  for (std::size_t page = 0; page < options_.most_pages; ++page) {
    const ApiResult<HttpResponse> answer = get_cached(url, kJsonType);
    if (!answer) return tl::unexpected(answer.error());
    ApiResult<Json> list = parse_answer(*answer, server_);
    if (!list) return list;
    if (!list->is_array()) break;
    for (Json& entry : *list) all.push_back(std::move(entry));
    url = next_page(answer->header("link"));
    if (url.empty() || origin_of(url) != origin_of(server_.api_url)) break;
  }
  return all;
}

ApiResult<std::string> GitHubClient::get_text(const std::string& path, std::string_view accept) {
  ApiResult<HttpResponse> answer = send("GET", server_.api_url + path, accept, "");
  if (!answer) return tl::unexpected(answer.error());
  return std::move(answer->body);
}

ApiResult<Json> GitHubClient::write(std::string_view method, const std::string& path, const Json& body) {
  const std::string text = body.is_null() ? std::string() : body.dump(-1, ' ', false, Json::error_handler_t::replace);
  const ApiResult<HttpResponse> answer = send(method, server_.api_url + path, kJsonType, text);
  if (!answer) return tl::unexpected(answer.error());
  return parse_answer(*answer, server_);
}

}  // namespace lockstep::forge
