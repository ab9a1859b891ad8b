// The two wire formats: OpenAI's chat completions (POST /v1/chat/completions), which vLLM, llama.cpp, Ollama and many
// vendors speak too, and Anthropic's messages (POST /v1/messages). A ChatRequest -> the body that is sent; events of
// the stream, or a plain JSON answer of servers that do not stream -> a ChatAnswer. Knows nothing of HTTP but headers.
//
// Sources: https://platform.openai.com/docs/api-reference/chat, https://docs.anthropic.com/en/api/messages-streaming,
// and what the servers named above were seen to answer.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forge/http.h"
#include "writer/model/chat.h"
#include "writer/model/json_text.h"
#include "writer/model/place.h"
#include "writer/model/sse.h"

namespace lockstep::writer {

/// What a server does not understand, learnt from its refusals.
struct Quirks {
  bool no_stream_options = false;
  /// OpenAI's newer models refuse max_tokens, older servers do not know max_completion_tokens.
  bool is_limit_renamed = false;
};

/// The JSON body of a request that asks for a stream.
std::string request_body(const ModelPlace& place, const ChatRequest& request, const Quirks& quirks);

/// Headers of a request. With an empty key: without it.
std::vector<forge::Header> request_headers(const ModelPlace& place, const forge::Token& key);

/// What a server says went wrong, in its own words.
struct ServerError {
  std::string type;     ///< "overloaded_error", "context_length_exceeded"; may be empty.
  std::string message;  ///< May be empty.
  long status = 0;      ///< Where the error itself names one.
};

/// The error in a JSON body or event of either format, of vLLM, llama.cpp, Ollama or FastAPI; else the text itself.
/// At most 64 KiB; it may repeat what was sent, the key too.
ServerError server_error_of(std::string_view body);

/// Reads one answer.
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;

  void take_event(const SseEvent& event, const OnText& on_text);
  /// A whole answer in one JSON object. False: it is none.
  bool take_plain(std::string_view body, const OnText& on_text);

  /// The server said why it stopped, or that the stream is over.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  /// Some of it was handed on. (Calls alone are no use in halves.)
  [[nodiscard]] bool has_text() const { return !answer_.text.empty(); }
  /// `on_text` wanted no more, or the answer is larger than any document.
  [[nodiscard]] bool is_refused() const { return is_refused_; }
  [[nodiscard]] const std::optional<ServerError>& error() const { return error_; }
  /// What came. `is_cut`: the stop is kCut, and calls, which may be halves, are dropped.
  ChatAnswer finish(bool is_cut);

 protected:
  virtual void take_json(const Json& json, const OnText& on_text) = 0;
  virtual bool take_whole(const Json& json, const OnText& on_text) = 0;

  void add_text(std::string_view piece, const OnText& on_text);
  ToolCall& call_at(std::int64_t index) { return calls_[index]; }
  [[nodiscard]] bool has_call(std::int64_t index) const { return calls_.contains(index); }
  [[nodiscard]] std::int64_t last_call() const { return calls_.empty() ? -1 : calls_.rbegin()->first; }
  void add_arguments(ToolCall& call, std::string_view piece);
  void stop_with(StopReason reason) {
    answer_.stop = reason;
    is_whole_ = true;
  }
  void set_error(ServerError error) {
    if (!error_) error_ = std::move(error);
  }
  Usage& usage() { return answer_.usage; }

 private:
  ChatAnswer answer_;
  std::map<std::int64_t, ToolCall> calls_;
  std::optional<ServerError> error_;
  bool is_whole_ = false;
  bool is_refused_ = false;
};

std::unique_ptr<AnswerReader> make_answer_reader(WireApi api);

namespace internal {
std::string openai_body(const ModelPlace& place, const ChatRequest& request, const Quirks& quirks);
std::string anthropic_body(const ModelPlace& place, const ChatRequest& request);
std::unique_ptr<AnswerReader> make_openai_reader();
std::unique_ptr<AnswerReader> make_anthropic_reader();
}  // namespace internal

}  // namespace lockstep::writer
