// A conversation with a language model as the writer sees it: one request in, one answer or the reason for none out.
// Neither of the two wire formats shows here (OpenAI's chat completions, Anthropic's messages), nor HTTP; a model is an
// interface, so that a recorded exchange, a budget and a real server are the same thing to whoever asks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace lockstep::writer {

/// A call that the model asks for.
struct ToolCall {
  std::string id;              ///< The server's own name for the call; the result names it again.
  std::string name;            ///< Of the tool.
  std::string arguments_json;  ///< As the model wrote it; may be no JSON at all.
};

/// What a tool may be asked.
struct ToolDefinition {
  std::string name;
  std::string description;
  std::string input_schema_json;  ///< A JSON schema of an object.
};

/// One turn. `calls` belongs to the assistant's turns, `call_id` to those of a tool.
struct ChatTurn {
  enum class Role : std::uint8_t { kUser, kAssistant, kTool };
  Role role = Role::kUser;
  std::string text;
  std::vector<ToolCall> calls;
  std::string call_id;
};

struct ChatRequest {
  std::string system;
  std::vector<ChatTurn> turns;
  std::vector<ToolDefinition> tools;  ///< Empty: the model cannot call any.
  std::size_t most_output_tokens = 4096;
  std::string purpose;  ///< For people ("Risks"): shown as progress, never sent.
};

/// Tokens as the server counted them; 0 where it does not say.
struct Usage {
  std::uint64_t input_tokens = 0;                ///< All of them, those of the server's cache too.
  std::uint64_t cached_input_tokens = 0;         ///< Of the input, those that the server had kept.
  std::uint64_t cache_written_input_tokens = 0;  ///< Of the input, those that it now keeps.
  std::uint64_t output_tokens = 0;
};

enum class StopReason : std::uint8_t {
  kEnd,      ///< The model was done.
  kTools,    ///< It asks for tools.
  kLength,   ///< Out of output tokens: the text is cut.
  kRefusal,  ///< It will not answer.
  kCut,      ///< The stream broke off, or the user stopped it: the text is what came.
};

struct ChatAnswer {
  std::string text;
  std::vector<ToolCall> calls;
  StopReason stop = StopReason::kEnd;
  Usage usage;
};

/// Why there is no answer.
struct ChatFailure {
  enum class Kind : std::uint8_t {
    kTooLong,    ///< The request is longer than the model's context: send less.
    kDenied,     ///< The key, the model's name or the address is wrong.
    kExhausted,  ///< Time-outs, 429 and 5xx outlasted all attempts.
    kBudget,     ///< The cost that the user allows is spent.
    kStopped,    ///< The user stopped it before anything came.
    kShown,      ///< Only shown, as the user wanted (--show-request): nothing was sent, ask on.
    kOther,
  };
  Kind kind = Kind::kOther;
  std::string message;  ///< For people: names the server and the next step, holds no credentials.
};

/// Told of text as it arrives; false stops the stream (the answer then says kCut).
using OnText = std::function<bool(std::string_view piece)>;

class Model {
 public:
  virtual ~Model() = default;
  /// One request. `on_text` may be empty.
  virtual tl::expected<ChatAnswer, ChatFailure> complete(const ChatRequest& request, const OnText& on_text) = 0;
};

}  // namespace lockstep::writer
