#include "writer/model/server_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "forge/http.h"
#include "writer/model/sse.h"
#include "writer/model/wire.h"

namespace lockstep::writer {

namespace {

using Kind = ChatFailure::Kind;
using Next = Setback::Next;

constexpr std::size_t kMostErrorBodyBytes = 1u << 20;
// A server that asks to come back in 0 s, over and over, is not hammered.
constexpr double kLeastPauseSeconds = 0.1;

// Takes the body as it comes: a stream of events, one JSON object from servers that do not stream, or an error's body.
// Which one is told by the first byte; the Content-Type of many servers and proxies is wrong.
class BodyTaker {
 public:
  BodyTaker(AnswerReader& reader, const OnText& on_text) : reader_(reader), on_text_(on_text) {}

  // False: no more is wanted.
  bool take(long status, std::string_view bytes) {
    if (status < 200 || status >= 300) {
      if (body_.size() + bytes.size() <= kMostErrorBodyBytes) body_ += bytes;
      return true;
    }
    if (kind_ == BodyKind::kUnknown) bytes = find_kind(bytes);
    if (kind_ == BodyKind::kEvents) {
      const bool is_good = events_.feed(bytes, [&](const SseEvent& event) { reader_.take_event(event, on_text_); });
      return is_good && !reader_.is_refused() && !reader_.error();
    }
    body_ += bytes;  // the transport bounds it
    return true;
  }

  void finish() {
    if (kind_ == BodyKind::kEvents) {
      events_.finish([&](const SseEvent& event) { reader_.take_event(event, on_text_); });
    } else if (kind_ == BodyKind::kObject) {
      is_strange_ = !reader_.take_plain(body_, on_text_);
    }
  }

  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] bool is_strange() const { return kind_ == BodyKind::kStrange || is_strange_; }

 private:
  enum class BodyKind { kUnknown, kEvents, kObject, kStrange };

  std::string_view find_kind(std::string_view bytes) {
    start_ += bytes;
    std::string_view start = start_;
    if (start.starts_with("\xEF\xBB\xBF")) start.remove_prefix(3);
    start = trim(start);
    if (start.empty() || start.front() == '\xEF') return {};
    const char first = start.front();
    kind_ = first == '{' ? BodyKind::kObject : first == '<' ? BodyKind::kStrange : BodyKind::kEvents;
    return start_;
  }

  AnswerReader& reader_;
  const OnText& on_text_;
  SseReader events_;
  BodyKind kind_ = BodyKind::kUnknown;
  std::string start_;  // what came while the kind was not known
  std::string body_;
  bool is_strange_ = false;
};

ChatFailure stopped() { return {Kind::kStopped, "stopped before anything came"}; }

Setback strange_answer(const ModelPlace& place) {
  return {Next::kGiveUp,
          {Kind::kOther, fmt::format("{} answers with something that is no {} API; check --model-url and --model-api",
                                     forge::origin_of(place.url),
                                     place.api == WireApi::kAnthropic ? "Anthropic" : "OpenAI-compatible")},
          std::nullopt};
}

}  // namespace

ServerModel::ServerModel(ModelPlace place, forge::Token key, StreamTransport& transport, Clock& clock, StopFlag stop,
                         Remark remark, Patience patience)
    : place_(std::move(place)),
      key_(std::move(key)),
      transport_(transport),
      clock_(clock),
      stop_(stop),
      remark_(std::move(remark)),
      patience_(patience) {}

tl::expected<ChatAnswer, ChatFailure> ServerModel::complete(const ChatRequest& request, const OnText& on_text) {
  double waited_seconds = 0;
  for (int count = 1;; ++count) {
    if (is_raised(stop_)) return tl::unexpected(stopped());
    tl::expected<ChatAnswer, Setback> answer = attempt(request, on_text);
    if (answer) return std::move(*answer);
    if (!prepare_next(answer.error(), count, waited_seconds)) return tl::unexpected(std::move(answer.error().failure));
  }
}

tl::expected<ChatAnswer, Setback> ServerModel::attempt(const ChatRequest& request, const OnText& on_text) {
  const std::unique_ptr<AnswerReader> reader = make_answer_reader(place_.api);
  BodyTaker taker(*reader, on_text);
  const StreamOutcome outcome =
      transport_.post({place_.url, request_headers(place_, key_), request_body(place_, request, quirks_)},
                      [&](long status, std::string_view bytes) { return taker.take(status, bytes); });
  const bool is_success = outcome.status >= 200 && outcome.status < 300;
  if (outcome.status != 0 && !is_success && outcome.end != StreamEnd::kStopped)
    return tl::unexpected(setback_of_status(outcome, taker.body(), place_, key_, clock_.now()));
  if (is_success) taker.finish();
  // Everything was said, whatever became of the connection afterwards.
  if (reader->is_whole() && !reader->error() && !reader->is_refused()) return reader->finish(/*is_cut=*/false);
  if (reader->has_text()) return reader->finish(/*is_cut=*/true);
  if (reader->error()) return tl::unexpected(setback_of_event(*reader->error(), place_, key_));
  if (outcome.end == StreamEnd::kStopped) return tl::unexpected(Setback{Next::kGiveUp, stopped(), std::nullopt});
  if (outcome.end == StreamEnd::kWhole && taker.is_strange()) return tl::unexpected(strange_answer(place_));
  return tl::unexpected(setback_of_connection(outcome, place_));
}

bool ServerModel::learn(Setback& setback) {
  bool& quirk = setback.next == Next::kWithoutStreamOptions ? quirks_.no_stream_options : quirks_.is_limit_renamed;
  if (quirk) return false;  // known already, and still refused
  quirk = true;
  if (remark_) {
    remark_(fmt::format("{} does not know `{}`: asking without", forge::origin_of(place_.url),
                        setback.next == Next::kWithoutStreamOptions ? "stream_options" : "that name of the limit"));
  }
  return true;
}

bool ServerModel::prepare_next(Setback& setback, int attempt, double& waited_seconds) {
  if (setback.next == Next::kGiveUp) return false;
  if (setback.next != Next::kAgain) return learn(setback);
  if (attempt >= patience_.most_attempts) {
    setback.failure.message += fmt::format(" (after {} attempts)", attempt);
    return false;
  }
  // Half of the pause is certain, half is chance; what the server asks for is certain, with a little more.
  const double doubled = patience_.first_pause_seconds * std::pow(2.0, attempt - 1);
  const double pause = setback.wait_seconds
                           ? std::max(*setback.wait_seconds, kLeastPauseSeconds) * (1 + 0.1 * clock_.chance())
                           : doubled * (0.5 + 0.5 * clock_.chance());
  const double asked = setback.wait_seconds.value_or(pause);
  if (asked > patience_.longest_wait_seconds || waited_seconds + pause > patience_.most_waiting_seconds) {
    setback.failure.message += fmt::format("; try again in {:.0f} s", std::ceil(asked));
    return false;
  }
  if (remark_) remark_(fmt::format("waiting {:.0f} s: {}", std::ceil(pause), setback.failure.message));
  clock_.sleep(pause, stop_);
  waited_seconds += pause;
  return true;
}

}  // namespace lockstep::writer
