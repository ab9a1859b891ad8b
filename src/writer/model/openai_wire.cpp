// OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat/create and …/chat-streaming.
#include <algorithm>

#include "forge/github_client.h"
#include "writer/model/json_text.h"
#include "writer/model/wire.h"

namespace lockstep::writer::internal {

namespace {

using forge::number_field;
using forge::object_field;
using forge::text_field;

OrderedJson message_of(const ChatTurn& turn) {
  if (turn.role == ChatTurn::Role::kTool)
    return {{"role", "tool"}, {"tool_call_id", turn.call_id}, {"content", turn.text}};
  if (turn.role == ChatTurn::Role::kUser) return {{"role", "user"}, {"content", turn.text}};
  OrderedJson message = {{"role", "assistant"}, {"content", turn.text}};
  if (turn.calls.empty()) return message;
  if (turn.text.empty()) message["content"] = nullptr;
  OrderedJson calls = OrderedJson::array();
  for (const ToolCall& call : turn.calls) {
    calls.push_back({{"id", call.id},
                     {"type", "function"},
                     {"function", {{"name", call.name}, {"arguments", call.arguments_json}}}});
  }
  message["tool_calls"] = std::move(calls);
  return message;
}

OrderedJson tools_of(const ChatRequest& request) {
  OrderedJson tools = OrderedJson::array();
  for (const ToolDefinition& tool : request.tools) {
    OrderedJson schema = OrderedJson::parse(tool.input_schema_json, nullptr, false);
    if (!schema.is_object()) schema = {{"type", "object"}};
    OrderedJson function = {{"name", tool.name}, {"description", tool.description}};
    function["parameters"] = std::move(schema);
    OrderedJson entry = {{"type", "function"}};
    entry["function"] = std::move(function);
    tools.push_back(std::move(entry));
  }
  return tools;
}

StopReason stop_of(std::string_view reason) {
  if (reason == "length") return StopReason::kLength;
  if (reason == "tool_calls" || reason == "function_call") return StopReason::kTools;
  if (reason == "content_filter" || reason == "refusal") return StopReason::kRefusal;
  return StopReason::kEnd;
}

std::string arguments_of(const Json& function) {
  const Json& arguments = object_field(function, "arguments");
  if (arguments.is_string()) return arguments.get<std::string>();
  return arguments.is_object() ? json_line(arguments) : std::string();
}

class OpenAiReader final : public AnswerReader {
 protected:
  void take_json(const Json& json, const OnText& on_text) override {
    take_usage(object_field(json, "usage"));
    const Json& choices = object_field(json, "choices");
    if (!choices.is_array() || choices.empty()) return;
    const Json& choice = choices.front();
    const Json& delta = object_field(choice, "delta");
    // A server that ignores `stream` half-way: one event with the whole message.
    take_message(delta.is_object() ? delta : object_field(choice, "message"), on_text);
    take_finish(choice);
  }

  bool take_whole(const Json& json, const OnText& on_text) override {
    const Json& choices = object_field(json, "choices");
    if (!choices.is_array() || choices.empty()) return false;
    take_usage(object_field(json, "usage"));
    take_message(object_field(choices.front(), "message"), on_text);
    stop_with(StopReason::kEnd);
    take_finish(choices.front());
    return true;
  }

 private:
  void take_finish(const Json& choice) {
    const std::string reason = text_field(choice, "finish_reason");
    if (reason.empty()) return;
    stop_with(has_refused_ && reason == "stop" ? StopReason::kRefusal : stop_of(reason));
  }

  void take_message(const Json& message, const OnText& on_text) {
    if (const std::string refusal = text_field(message, "refusal"); !refusal.empty()) {
      has_refused_ = true;
      add_text(refusal, on_text);
    }
    const Json& content = object_field(message, "content");
    if (content.is_string()) {
      add_text(content.get<std::string>(), on_text);
    } else if (content.is_array()) {  // parts, as some servers answer
      for (const Json& part : content) {
        if (text_field(part, "type") == "text") add_text(text_field(part, "text"), on_text);
      }
    }
    const Json& calls = object_field(message, "tool_calls");
    if (!calls.is_array()) return;
    for (const Json& call : calls) take_call(call);
  }

  void take_call(const Json& json) {
    const std::string id = text_field(json, "id");
    const Json& function = object_field(json, "function");
    const std::string name = text_field(function, "name");
    const Json& said = object_field(json, "index");
    std::int64_t index = said.is_number_integer() ? said.get<std::int64_t>() : last_call() + (name.empty() ? 0 : 1);
    // Several whole calls under one index, or under none.
    if (has_call(index) && !id.empty() && !name.empty() && call_at(index).id != id) index = last_call() + 1;
    if (index < 0 || (last_call() >= 0 && index > last_call() + 64)) return;
    ToolCall& call = call_at(index);
    if (!id.empty()) call.id = id;
    if (call.name.empty()) call.name = name;
    add_arguments(call, arguments_of(function));
  }

  void take_usage(const Json& json) {
    if (!json.is_object()) return;
    usage().input_tokens = std::max(usage().input_tokens, number_field(json, "prompt_tokens"));
    usage().output_tokens = std::max(usage().output_tokens, number_field(json, "completion_tokens"));
    const std::uint64_t cached = number_field(object_field(json, "prompt_tokens_details"), "cached_tokens");
    usage().cached_input_tokens = std::max(usage().cached_input_tokens, cached);
  }

  bool has_refused_ = false;
};

// api.openai.com's newer models take max_completion_tokens alone; the other servers know max_tokens.
const char* limit_name(const ModelPlace& place, const Quirks& quirks) {
  const bool is_vendor = forge::origin_of(place.url) == "https://api.openai.com";
  return is_vendor != quirks.is_limit_renamed ? "max_completion_tokens" : "max_tokens";
}

}  // namespace

std::string openai_body(const ModelPlace& place, const ChatRequest& request, const Quirks& quirks) {
  OrderedJson messages = OrderedJson::array();
  if (!request.system.empty()) messages.push_back({{"role", "system"}, {"content", request.system}});
  for (const ChatTurn& turn : request.turns) messages.push_back(message_of(turn));
  OrderedJson body = {{"model", place.name}};
  body["messages"] = std::move(messages);
  if (!request.tools.empty()) body["tools"] = tools_of(request);
  body[limit_name(place, quirks)] = request.most_output_tokens;
  body["stream"] = true;
  if (!quirks.no_stream_options) body["stream_options"] = {{"include_usage", true}};
  add_fields(body, place.request_fields);
  return json_line(body);
}

std::unique_ptr<AnswerReader> make_openai_reader() { return std::make_unique<OpenAiReader>(); }

}  // namespace lockstep::writer::internal
