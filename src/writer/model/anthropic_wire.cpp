// Anthropic's messages: https://docs.anthropic.com/en/api/messages and …/messages-streaming.
#include <algorithm>

#include "forge/github_client.h"
#include "writer/model/json_text.h"
#include "writer/model/wire.h"

namespace lockstep::writer::internal {

namespace {

using forge::number_field;
using forge::object_field;
using forge::text_field;

OrderedJson text_block(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

// The server keeps what ends here for some minutes: the next section, or the next round of tools, starts with the same.
OrderedJson kept(OrderedJson block) {
  block["cache_control"] = {{"type", "ephemeral"}};
  return block;
}

OrderedJson call_block(const ToolCall& call) {
  OrderedJson block = {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}};
  OrderedJson input = OrderedJson::parse(call.arguments_json, nullptr, false);
  // The API takes objects only; what a model wrote wrongly goes back as it is, in one.
  block["input"] = input.is_object() ? std::move(input) : OrderedJson{{"invalid", call.arguments_json}};
  return block;
}

// Empty texts are refused by the API.
OrderedJson blocks_of(const ChatTurn& turn) {
  OrderedJson blocks = OrderedJson::array();
  if (turn.role == ChatTurn::Role::kTool) {
    OrderedJson block = {{"type", "tool_result"}, {"tool_use_id", turn.call_id}, {"content", turn.text}};
    blocks.push_back(std::move(block));
    return blocks;
  }
  if (!turn.text.empty()) blocks.push_back(text_block(turn.text));
  for (const ToolCall& call : turn.calls) blocks.push_back(call_block(call));
  if (blocks.empty()) blocks.push_back(text_block("(nothing)"));
  return blocks;
}

// Results of tools are a user's turn, and those of one turn of the assistant stand in one.
OrderedJson messages_of(const ChatRequest& request) {
  OrderedJson messages = OrderedJson::array();
  for (const ChatTurn& turn : request.turns) {
    const char* role = turn.role == ChatTurn::Role::kAssistant ? "assistant" : "user";
    OrderedJson blocks = blocks_of(turn);
    if (messages.empty() && !request.tools.empty()) blocks.back() = kept(blocks.back());
    if (!messages.empty() && messages.back()["role"] == role) {
      for (OrderedJson& block : blocks) messages.back()["content"].push_back(std::move(block));
      continue;
    }
    OrderedJson message = {{"role", role}};
    message["content"] = std::move(blocks);
    messages.push_back(std::move(message));
  }
  return messages;
}

OrderedJson tools_of(const ChatRequest& request) {
  OrderedJson tools = OrderedJson::array();
  for (const ToolDefinition& tool : request.tools) {
    OrderedJson schema = OrderedJson::parse(tool.input_schema_json, nullptr, false);
    if (!schema.is_object()) schema = {{"type", "object"}};
    OrderedJson entry = {{"name", tool.name}, {"description", tool.description}};
    entry["input_schema"] = std::move(schema);
    tools.push_back(std::move(entry));
  }
  return tools;
}

StopReason stop_of(std::string_view reason) {
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") return StopReason::kLength;
  if (reason == "tool_use") return StopReason::kTools;
  if (reason == "refusal") return StopReason::kRefusal;
  return StopReason::kEnd;
}

class AnthropicReader final : public AnswerReader {
 protected:
  void take_json(const Json& json, const OnText& on_text) override {
    const std::string type = text_field(json, "type");
    const Json& index = object_field(json, "index");
    const std::int64_t block = index.is_number_integer() ? index.get<std::int64_t>() : -1;
    if (type == "message_start") {
      take_usage(object_field(object_field(json, "message"), "usage"));
    } else if (type == "content_block_start") {
      start_block(block, object_field(json, "content_block"), on_text);
    } else if (type == "content_block_delta") {
      const Json& delta = object_field(json, "delta");
      add_text(text_field(delta, "text"), on_text);
      if (has_call(block)) add_arguments(call_at(block), text_field(delta, "partial_json"));
    } else if (type == "message_delta") {
      take_usage(object_field(json, "usage"));
      take_stop(object_field(json, "delta"));
    } else if (type == "message") {
      take_whole(json, on_text);
    }
  }

  bool take_whole(const Json& json, const OnText& on_text) override {
    const Json& content = object_field(json, "content");
    if (!content.is_array()) return false;
    take_usage(object_field(json, "usage"));
    std::int64_t index = 0;
    for (const Json& block : content) start_block(index++, block, on_text);
    stop_with(StopReason::kEnd);
    take_stop(json);
    return true;
  }

 private:
  void start_block(std::int64_t index, const Json& block, const OnText& on_text) {
    const std::string type = text_field(block, "type");
    if (type == "text") return add_text(text_field(block, "text"), on_text);
    if (type != "tool_use" || index < 0) return;
    ToolCall& call = call_at(index);
    call.id = text_field(block, "id");
    call.name = text_field(block, "name");
    const Json& input = object_field(block, "input");
    if (input.is_object() && !input.empty()) add_arguments(call, json_line(input));
  }

  void take_stop(const Json& json) {
    const std::string reason = text_field(json, "stop_reason");
    if (!reason.empty()) stop_with(stop_of(reason));
  }

  // The API counts what it kept apart from the other input.
  void take_usage(const Json& json) {
    if (!json.is_object()) return;
    plain_input_ = std::max(plain_input_, number_field(json, "input_tokens"));
    Usage& sum = usage();
    sum.cached_input_tokens = std::max(sum.cached_input_tokens, number_field(json, "cache_read_input_tokens"));
    sum.cache_written_input_tokens =
        std::max(sum.cache_written_input_tokens, number_field(json, "cache_creation_input_tokens"));
    sum.input_tokens = plain_input_ + sum.cached_input_tokens + sum.cache_written_input_tokens;
    sum.output_tokens = std::max(sum.output_tokens, number_field(json, "output_tokens"));
  }

  std::uint64_t plain_input_ = 0;
};

}  // namespace

std::string anthropic_body(const ModelPlace& place, const ChatRequest& request) {
  OrderedJson body = {{"model", place.name}, {"max_tokens", request.most_output_tokens}};
  if (!request.tools.empty()) body["tools"] = tools_of(request);
  if (!request.system.empty()) body["system"] = OrderedJson::array({kept(text_block(request.system))});
  body["messages"] = messages_of(request);
  body["stream"] = true;
  add_fields(body, place.request_fields);
  return json_line(body);
}

std::unique_ptr<AnswerReader> make_anthropic_reader() { return std::make_unique<AnthropicReader>(); }

}  // namespace lockstep::writer::internal
