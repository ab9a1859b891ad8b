#include "writer/model/wire.h"

#include "base/strings.h"
#include "forge/github_client.h"
#include "writer/model/json_text.h"

namespace lockstep::writer {

namespace {

using forge::object_field;
using forge::text_field;

constexpr std::size_t kMostTextBytes = 8u << 20;

// Long enough to hold any credential whole that a server repeats: who shows it must be able to find that.
constexpr std::size_t kMostErrorBytes = 64u << 10;

std::string shortened(std::string_view text) { return as_utf8(trim(text).substr(0, kMostErrorBytes)); }

// Numbers and texts both occur as codes.
std::string code_of(const Json& json) {
  const Json& code = object_field(json, "code");
  return code.is_string() ? code.get<std::string>() : std::string();
}

long status_of(const Json& json) {
  const Json& code = object_field(json, "code");
  const std::int64_t value = code.is_number_integer() ? code.get<std::int64_t>() : 0;
  return value >= 400 && value < 600 ? static_cast<long>(value) : 0;
}

}  // namespace

std::string request_body(const ModelPlace& place, const ChatRequest& request, const Quirks& quirks) {
  return place.api == WireApi::kAnthropic ? internal::anthropic_body(place, request)
                                          : internal::openai_body(place, request, quirks);
}

std::vector<forge::Header> request_headers(const ModelPlace& place, const forge::Token& key) {
  std::vector<forge::Header> headers = {{"Content-Type", "application/json"},
                                        {"Accept", "text/event-stream, application/json"},
                                        {"User-Agent", "lockstep/" LOCKSTEP_VERSION}};
  if (place.api == WireApi::kAnthropic) headers.push_back({"anthropic-version", "2023-06-01"});
  if (key.empty()) return headers;
  if (place.api == WireApi::kAnthropic) {
    headers.push_back({"x-api-key", key.reveal()});
  } else {
    headers.push_back({"Authorization", "Bearer " + key.reveal()});
  }
  return headers;
}

ServerError server_error_of(std::string_view body) {
  const std::optional<Json> json = parse_json(body);
  if (!json || !json->is_object()) return {"", shortened(body), 0};
  const Json& error = object_field(*json, "error");
  if (error.is_object()) {  // OpenAI, Anthropic, llama.cpp, newer vLLM
    std::string type = code_of(error);
    if (type.empty()) type = text_field(error, "type");
    return {type, shortened(text_field(error, "message")), status_of(error)};
  }
  if (error.is_string()) return {"", shortened(error.get<std::string>()), 0};  // Ollama
  for (const char* key : {"message", "detail"}) {                              // older vLLM, FastAPI
    if (const std::string message = text_field(*json, key); !message.empty())
      return {text_field(*json, "type"), shortened(message), status_of(*json)};
  }
  return {"", shortened(body), 0};
}

void AnswerReader::take_event(const SseEvent& event, const OnText& on_text) {
  if (error_ || is_refused_ || trim(event.data).empty()) return;
  if (trim(event.data) == "[DONE]") {
    is_whole_ = true;
    return;
  }
  const std::optional<Json> json = parse_json(event.data);
  if (!json || !json->is_object()) return;  // a keep-alive of some kind, or half an event at the end of a cut stream
  const Json& error = object_field(*json, "error");
  const bool is_error = (!error.is_null() && !error.empty()) || event.name == "error" ||
                        text_field(*json, "object") == "error" || text_field(*json, "type") == "error";
  if (is_error) return set_error(server_error_of(event.data));
  take_json(*json, on_text);
}

bool AnswerReader::take_plain(std::string_view body, const OnText& on_text) {
  const std::optional<Json> json = parse_json(body);
  if (!json || !json->is_object()) return false;
  const Json& error = object_field(*json, "error");
  if ((!error.is_null() && !error.empty()) || text_field(*json, "object") == "error" ||
      text_field(*json, "type") == "error") {
    set_error(server_error_of(body));
    return true;
  }
  return take_whole(*json, on_text);
}

void AnswerReader::add_text(std::string_view piece, const OnText& on_text) {
  if (piece.empty() || is_refused_) return;
  answer_.text += piece;
  if (answer_.text.size() > kMostTextBytes || (on_text && !on_text(piece))) is_refused_ = true;
}

void AnswerReader::add_arguments(ToolCall& call, std::string_view piece) {
  call.arguments_json += piece;
  if (call.arguments_json.size() > kMostTextBytes) is_refused_ = true;
}

ChatAnswer AnswerReader::finish(bool is_cut) {
  if (is_cut) {
    answer_.stop = StopReason::kCut;
    return std::move(answer_);
  }
  for (auto& [index, call] : calls_) {
    if (call.name.empty()) continue;
    if (trim(call.arguments_json).empty()) call.arguments_json = "{}";
    if (call.id.empty()) call.id = "call_" + std::to_string(answer_.calls.size());  // Ollama's older versions name none
    answer_.calls.push_back(std::move(call));
  }
  // Some servers end with "stop" after tool calls.
  if (answer_.stop == StopReason::kEnd && !answer_.calls.empty()) answer_.stop = StopReason::kTools;
  if (answer_.stop == StopReason::kTools && answer_.calls.empty()) answer_.stop = StopReason::kEnd;
  // Out of tokens: the last call may be half.
  if (answer_.stop == StopReason::kLength) answer_.calls.clear();
  return std::move(answer_);
}

std::unique_ptr<AnswerReader> make_answer_reader(WireApi api) {
  return api == WireApi::kAnthropic ? internal::make_anthropic_reader() : internal::make_openai_reader();
}

}  // namespace lockstep::writer
