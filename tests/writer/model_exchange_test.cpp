// Recordings, budgets, addresses and waits without a server.
#include "writer/model/exchange.h"

#include <gtest/gtest.h>

#include "writer/model/ledger.h"
#include "writer/model/place.h"
#include "writer/model/recording.h"
#include "writer/model/setback.h"

namespace lockstep::writer {
namespace {

ChatRequest request_of(std::string text) {
  ChatRequest request;
  request.system = "System \"quoted\"\n";
  request.purpose = "Risks";
  request.turns = {{ChatTurn::Role::kUser, std::move(text), {}, ""},
                   {ChatTurn::Role::kAssistant, "", {{"a", "f", "{\"x\": 1}"}}, ""},
                   {ChatTurn::Role::kTool, "result\x01\x7f \xE2\x80\xA8", {}, "a"}};
  request.tools = {{"f", "does f", "{\"type\":\"object\"}"}};
  return request;
}

Recording sample() {
  Recording recording;
  recording.model = {"m\"1", 128000, Prices{3, 0.3, 15, "EUR"}};
  recording.exchanges.push_back({request_of("one\ntwo\nthree"),
                                 {"Gr", "\xC3\xB6\xC3\x9F", "e\n", ""},
                                 ChatAnswer{"Gr\xC3\xB6\xC3\x9F"
                                            "e\n",
                                            {{"b", "g", "{}"}},
                                            StopReason::kTools,
                                            {10, 4, 2, 3}}});
  recording.exchanges.push_back(
      {request_of("again"), {}, tl::unexpected(ChatFailure{ChatFailure::Kind::kTooLong, "too \"long\""})});
  for (const StopReason stop : {StopReason::kEnd, StopReason::kLength, StopReason::kRefusal, StopReason::kCut})
    recording.exchanges.push_back({request_of("x"), {"y"}, ChatAnswer{"y", {}, stop, {}}});
  return recording;
}

std::string text_of(const Recording& recording) {
  std::string text = recording_head(recording.model);
  for (const Exchange& exchange : recording.exchanges) text += recording_of(exchange);
  return text;
}

TEST(Recordings, AreReadBackAsTheyWere) {
  const std::string text = text_of(sample());
  const Result<Recording> read = parse_recording(text, "r");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(text_of(*read), text);
  // Cut anywhere, it is either refused or the start of the whole.
  std::size_t read_count = 0;
  for (std::size_t end = 0; end < text.size(); ++end) {
    const Result<Recording> part = parse_recording(text.substr(0, end), "r");
    if (!part) continue;
    ++read_count;
    EXPECT_TRUE(text.starts_with(text_of(*part))) << end;
  }
  EXPECT_GT(read_count, 10u);
}

TEST(Recordings, GiveTheSameToTheSameRequests) {
  const Recording recording = sample();
  ReplayModel replay(recording, nullptr);
  Recording again{recording.model, {}};
  for (const Exchange& exchange : recording.exchanges) {
    Exchange now{exchange.request, {}, {}};
    now.outcome = replay.complete(exchange.request, [&](std::string_view piece) {
      now.pieces.emplace_back(piece);
      return true;
    });
    again.exchanges.push_back(std::move(now));
  }
  EXPECT_EQ(text_of(again), text_of(recording));
  EXPECT_EQ(replay.complete(request_of("x"), {}).error().message, "the recording has 6 requests, and this is another");
}

TEST(Recordings, ShowTheFirstDifference) {
  const ChatRequest recorded = request_of("one\ntwo\nthree");
  const auto difference = [&](auto change) {
    ChatRequest now = recorded;
    change(now);
    return first_difference(recorded, now);
  };
  EXPECT_EQ(difference([](ChatRequest& now) { now.purpose = "Other"; }), "");
  EXPECT_EQ(difference([](ChatRequest& now) { now.turns[0].text = "one\n2\nthree"; }),
            "turns[0].text, line 2: recorded \"two\", now \"2\"");
  EXPECT_EQ(difference([](ChatRequest& now) { now.system = ""; }),
            "system, line 1: recorded \"System \"quoted\"\", now \"\"");
  EXPECT_EQ(difference([](ChatRequest& now) { now.turns.pop_back(); }), "number of turns: recorded 3, now 2");
  EXPECT_EQ(difference([](ChatRequest& now) { now.turns[1].calls[0].name = "g"; }).substr(0, 23),
            "turns[1].calls, line 1:");
  EXPECT_EQ(difference([](ChatRequest& now) { now.tools[0].input_schema_json = "{}"; }),
            "tools[0], line 3: recorded \"{\"type\":\"object\"}\", now \"{}\"");
  EXPECT_EQ(difference([](ChatRequest& now) { now.most_output_tokens = 1; }),
            "most_output_tokens: recorded 4096, now 1");
  ReplayModel replay(sample(), nullptr);
  const auto answer = replay.complete(request_of("one\ntwo\nfour"), {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message,
            "request 1 is not the recorded one: turns[0].text, line 3: recorded \"three\", now \"four\"");
}

TEST(Recordings, StopWhenTheyAreToldTo) {
  ReplayModel replay(sample(), nullptr);
  const auto answer =
      replay.complete(request_of("one\ntwo\nthree"), [](std::string_view piece) { return piece == "Gr"; });
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->stop, StopReason::kCut);
  EXPECT_EQ(answer->text, "Gr\xC3\xB6\xC3\x9F");
  const std::atomic<bool> stop = true;
  ReplayModel stopped(sample(), &stop);
  EXPECT_EQ(stopped.complete(request_of("one\ntwo\nthree"), {}).error().kind, ChatFailure::Kind::kStopped);
}

// Answers with what it is told, and counts.
class FixedModel final : public Model {
 public:
  explicit FixedModel(Usage usage, int& count) : usage_(usage), count_(count) {}
  tl::expected<ChatAnswer, ChatFailure> complete(const ChatRequest&, const OnText& on_text) override {
    ++count_;
    if (on_text) on_text("some text");
    return ChatAnswer{"some text", {}, StopReason::kEnd, usage_};
  }

 private:
  Usage usage_;
  int& count_;
};

TEST(Budget, IsNeverPassed) {
  // Whatever the limit: what is spent stays within it, and the next request would have fitted into no less.
  for (double most = 0; most < 0.2; most += 0.007) {
    int count = 0;
    auto ledger = std::make_shared<Ledger>();
    ledger->prices = Prices{3, 0.3, 15, "USD"};
    BudgetModel budget(std::make_unique<FixedModel>(Usage{1000, 0, 0, 900}, count), ledger, most, {});
    ChatRequest request;
    request.turns = {{ChatTurn::Role::kUser, std::string(3000, 'x'), {}, ""}};
    request.most_output_tokens = 1000;
    int answered = 0;
    while (budget.complete(request, {})) ++answered;
    EXPECT_EQ(answered, count);
    EXPECT_LE(ledger->cost, most);
    EXPECT_GT(ledger->cost + 0.0195 + 0.001, most) << "it stopped too early";
    EXPECT_EQ(budget.complete(request, {}).error().kind, ChatFailure::Kind::kBudget);
  }
}

TEST(Budget, CountsAndTells) {
  int count = 0;
  auto ledger = std::make_shared<Ledger>();
  std::vector<std::string> told;
  BudgetModel budget(std::make_unique<FixedModel>(Usage{}, count), ledger, std::nullopt,
                     [&](const ModelProgress& progress) { told.push_back(progress_text(progress)); });
  ChatRequest request = request_of(std::string(10000, 'x'));
  ASSERT_TRUE(budget.complete(request, {}));
  EXPECT_EQ(told, (std::vector<std::string>{"Risks: 0 tokens", "Risks: 3 tokens",
                                            "Risks: 3 tokens; so far 1 request, about 3,019 tokens in, 3 out"}));
  EXPECT_NEAR(cost_of({1'000'000, 400'000, 100'000, 50'000}, {3, 0.3, 15, ""}), 0.5 * 3 + 0.125 * 3 + 0.12 + 0.75,
              1e-9);
}

TEST(Places, AreFoundFromAddresses) {
  const auto place = [](const char* url, std::optional<WireApi> api = std::nullopt) {
    const Result<ModelPlace> found = resolve_place({"m", url, api}, {});
    return found ? found->url + (found->api == WireApi::kAnthropic ? " anthropic" : " openai") : "error";
  };
  EXPECT_EQ(place("https://api.anthropic.com"), "https://api.anthropic.com/v1/messages anthropic");
  EXPECT_EQ(place("https://API.anthropic.com/v1/"), "https://API.anthropic.com/v1/messages anthropic");
  EXPECT_EQ(place("https://api.anthropic.com.evil.org"),
            "https://api.anthropic.com.evil.org/v1/chat/completions openai");
  EXPECT_EQ(place("http://h:1/x/v1/messages"), "http://h:1/x/v1/messages anthropic");
  EXPECT_EQ(place("http://h:1/x", WireApi::kAnthropic), "http://h:1/x/v1/messages anthropic");
  EXPECT_EQ(place("http://[::1]:8000/v1"), "http://[::1]:8000/v1/chat/completions openai");
  for (const char* url : {"http://u@h", "http://u:p@h/", "file:///etc/passwd", "h", "http://", "http://h/#x",
                          "http://h\\@evil", "http://h/\n"})
    EXPECT_EQ(place(url), "error") << url;
  EXPECT_EQ(resolve_place({"m", std::nullopt, WireApi::kAnthropic}, {})->url, "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(resolve_place({"m", std::nullopt, std::nullopt}, {})->url, "https://api.openai.com/v1/chat/completions");
  EXPECT_FALSE(resolve_place({"default", std::nullopt, std::nullopt}, {}));
}

TEST(Keys, AreNotSentInClearUnnoticed) {
  const forge::Token key("secret", "VARIABLE");
  EXPECT_TRUE(is_key_in_clear({"m", WireApi::kOpenAi, "HTTP://127.evil.org/v1"}, key));
  EXPECT_TRUE(is_key_in_clear({"m", WireApi::kOpenAi, "http://h/v1"}, key));
  for (const char* url : {"http://localhost:1/", "http://127.0.0.1/", "http://[::1]:80/", "https://h/"})
    EXPECT_FALSE(is_key_in_clear({"m", WireApi::kOpenAi, url}, key)) << url;
}

TEST(RetryAfter, IsSecondsOrADate) {
  constexpr double kNow = 1'767'225'600;  // Thu, 01 Jan 2026 00:00:00 GMT
  const auto seconds = [](std::string_view value) { return seconds_of_retry_after(value, kNow).value_or(-1); };
  EXPECT_EQ(seconds("120"), 120);
  EXPECT_DOUBLE_EQ(seconds(" 1.25 "), 1.25);
  EXPECT_EQ(seconds("99999999999999999999999"), 86400);
  EXPECT_EQ(seconds("Thu, 01 Jan 2026 00:02:00 GMT"), 120);
  EXPECT_EQ(seconds("Thursday, 01-Jan-26 00:02:00 GMT"), 120);
  EXPECT_EQ(seconds("Wed, 31 Dec 2025 00:02:00 GMT"), 0);
  for (const char* value : {"", "soon", "-5", "1e9", "\xFF"}) EXPECT_EQ(seconds(value), -1) << value;
}

}  // namespace
}  // namespace lockstep::writer
