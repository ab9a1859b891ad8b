// The readers of streams: events whatever the network cut, and answers of both wire formats from events.
#include <gtest/gtest.h>

#include "writer/model/json_text.h"
#include "writer/model/sse.h"
#include "writer/model/wire.h"

namespace lockstep::writer {
namespace {

std::vector<std::string> events_of(const std::vector<std::string_view>& parts) {
  SseReader reader;
  std::vector<std::string> events;
  const auto on_event = [&](const SseEvent& event) { events.push_back(event.name + "|" + event.data); };
  for (const std::string_view part : parts) EXPECT_TRUE(reader.feed(part, on_event));
  reader.finish(on_event);
  return events;
}

using Strings = std::vector<std::string>;

TEST(Sse, ReadsFieldsCommentsAndEnds) {
  EXPECT_EQ(events_of({"data: a\n\ndata: b\n\n"}), (Strings{"|a", "|b"}));
  EXPECT_EQ(events_of({"event: e\ndata:a\ndata: b\ndata:  c\n\n"}), (Strings{"e|a\nb\n c"}));
  EXPECT_EQ(events_of({": keep-alive\n\n:\n\ndata: a\n\n"}), (Strings{"|a"}));
  EXPECT_EQ(events_of({"data: a\r\n\r\ndata: b\r\rdata: c\n\n"}), (Strings{"|a", "|b", "|c"}));
  EXPECT_EQ(events_of({"\xEF\xBB\xBF"
                       "data: a\n\n"}),
            (Strings{"|a"}));
  EXPECT_EQ(events_of({"data: a"}), (Strings{"|a"})) << "the last line without its end";
  EXPECT_EQ(events_of({"data\n\n"}), (Strings{"|"}));
  EXPECT_EQ(events_of({"event: only\n\nid: 1\nretry: 2\n\ndat: x\n\n"}), Strings{});
  EXPECT_EQ(events_of({"data: a\n\n\n\n\n"}), (Strings{"|a"}));
}

TEST(Sse, IsTheSameWhereverTheBytesAreCut) {
  const std::string stream =
      "\xEF\xBB\xBF: hello\r\n\r\nevent: e\r\ndata: {\"a\": \"Gr\xC3\xB6\xC3\x9F"
      "e \xF0\x9F\x9A\x80\"}\r\n\r\n"
      "data: x\ndata: y\n\n\rdata: z\r\rdata: [DONE]";
  const Strings whole = events_of({stream});
  ASSERT_EQ(whole.size(), 4u);
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    const std::string_view view = stream;
    EXPECT_EQ(events_of({view.substr(0, first), view.substr(first)}), whole) << first;
    for (std::size_t second = first; second <= stream.size(); second += 5) {
      EXPECT_EQ(events_of({view.substr(0, first), view.substr(first, second - first), view.substr(second)}), whole);
    }
  }
  std::vector<std::string_view> bytes;
  for (std::size_t at = 0; at < stream.size(); ++at) bytes.push_back(std::string_view(stream).substr(at, 1));
  EXPECT_EQ(events_of(bytes), whole);
}

TEST(Sse, IsBounded) {
  SseReader reader;
  const std::string line = "data: " + std::string(1u << 20, 'x') + "\n";
  int fed = 0;
  while (fed < 100 && reader.feed(line, [](const SseEvent&) { FAIL() << "no event ended"; })) ++fed;
  EXPECT_LT(fed, 9);
}

// The answer of events, and the pieces that were handed on.
struct Read {
  ChatAnswer answer;
  Strings pieces;
  bool is_whole = false;
  std::string error;
};

Read read(WireApi api, const Strings& events) {
  Read result;
  const auto reader = make_answer_reader(api);
  for (const std::string& data : events) {
    reader->take_event({"", data}, [&](std::string_view piece) {
      result.pieces.emplace_back(piece);
      return true;
    });
  }
  result.is_whole = reader->is_whole();
  if (reader->error()) result.error = reader->error()->type + "|" + reader->error()->message;
  result.answer = reader->finish(!result.is_whole);
  return result;
}

std::string calls_of(const ChatAnswer& answer) {
  std::string out;
  for (const ToolCall& call : answer.calls) out += call.id + " " + call.name + " " + call.arguments_json + "\n";
  return out;
}

TEST(OpenAi, PutsCallsTogetherByIndex) {
  const Read good = read(
      WireApi::kOpenAi,
      {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":""}},{"index":0,"function":{"arguments":":1}"}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]})"});
  EXPECT_EQ(calls_of(good.answer), "a f {\"x\":1}\nb g {}\n");
  EXPECT_EQ(good.answer.stop, StopReason::kTools);
  // Whole calls, all under the index 0, or under none.
  const Read same = read(
      WireApi::kOpenAi,
      {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"stop"}]})"});
  EXPECT_EQ(calls_of(same.answer), "a f {}\nb g {}\n");
  const Read none = read(
      WireApi::kOpenAi,
      {R"({"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{"}}]}}]})",
       R"({"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}},{"function":{"name":"g","arguments":{"y":2}}}]},"finish_reason":"stop"}]})"});
  EXPECT_EQ(calls_of(none.answer), "call_0 f {}\ncall_1 g {\"y\":2}\n");
}

TEST(OpenAi, LivesWithStrangeEvents) {
  const Read good = read(
      WireApi::kOpenAi,
      {"", "ping", "[]", "null", R"({"choices":[]})", R"({"choices":[null]})", R"({"choices":[{"delta":null}]})",
       R"({"choices":[{"delta":{"content":null,"reasoning_content":"hm"}}]})",
       R"({"choices":[{"delta":{"content":"a"}}],"usage":null,"error":null})",
       R"({"choices":[{"delta":{"tool_calls":[{"index":-3},{"index":99999999999},{"index":"x"},null,7]}}]})",
       R"({"choices":[{"delta":{"content":7}}],"usage":{"prompt_tokens":-5,"completion_tokens":"x"}})",
       R"({"choices":[{"delta":{"content":"b"},"finish_reason":"eos"}],"usage":{"prompt_tokens":5,"completion_tokens":2}})"});
  EXPECT_EQ(good.answer.text, "ab");
  EXPECT_EQ(good.pieces, (Strings{"a", "b"}));
  EXPECT_EQ(good.answer.stop, StopReason::kEnd);
  EXPECT_EQ(good.answer.usage.input_tokens, 5u);
  EXPECT_TRUE(good.answer.calls.empty());
  // Bytes that are no UTF-8, and nesting without end.
  EXPECT_EQ(read(WireApi::kOpenAi, {"{\"choices\":[{\"delta\":{\"content\":\"a\xFF\"}}]}"}).answer.text,
            "a\xEF\xBF\xBD");
  EXPECT_EQ(read(WireApi::kOpenAi, {std::string(1000000, '[')}).answer.text, "");
}

TEST(Anthropic, ReadsBlocksUsageAndErrors) {
  const Read good = read(
      WireApi::kAnthropic,
      {R"({"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":3,"cache_creation_input_tokens":2,"output_tokens":1}}})",
       R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
       R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}})",
       R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":"A"}})",
       R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"b"}})",
       R"({"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"x\":"}})",
       R"({"type":"ping"})", R"({"type":"something_new","index":2})",
       R"({"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"1}"}})",
       R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}})",
       R"({"type":"message_stop"})"});
  EXPECT_EQ(good.answer.text, "Ab");
  EXPECT_EQ(calls_of(good.answer), "t f {\"x\":1}\n");
  EXPECT_EQ(good.answer.stop, StopReason::kTools);
  EXPECT_EQ(good.answer.usage.input_tokens, 10u);
  EXPECT_EQ(good.answer.usage.output_tokens, 9u);
  const Read bad = read(WireApi::kAnthropic,
                        {R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
                         R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"late"}})"});
  EXPECT_EQ(bad.error, "overloaded_error|Overloaded");
  EXPECT_EQ(bad.answer.text, "");
}

TEST(Requests, CannotBreakOutOfTheirJson) {
  ChatRequest request;
  request.system = "\"}],\"x\":\"\xFF\n";
  request.turns = {{ChatTurn::Role::kUser, "\"}]}\\", {}, ""},
                   {ChatTurn::Role::kAssistant, "", {{"i", "f", "\"}"}}, ""},
                   {ChatTurn::Role::kTool, "\"", {}, "i"}};
  request.tools = {{"f", "\"", "not json"}};
  for (const WireApi api : {WireApi::kOpenAi, WireApi::kAnthropic}) {
    const std::string body = request_body({"m\"", api, "https://h/v1"}, request, {});
    const auto json = parse_json(body);
    ASSERT_TRUE(json && json->is_object()) << body;
    EXPECT_EQ((*json)["model"], "m\"");
    EXPECT_EQ(json->size(), api == WireApi::kOpenAi ? 6u : 6u) << body;
    EXPECT_EQ(body.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace lockstep::writer
