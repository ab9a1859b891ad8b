#include "mcp/json_rpc.h"

#include <algorithm>

namespace lockstep::mcp {

namespace {

/// Deepest nesting of brackets outside strings.
std::size_t nesting_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

Malformed malformed(ErrorCode code, std::string message, Json id = nullptr) {
  return {std::move(id), {code, std::move(message), nullptr}};
}

Message parse_message(Json& value) {
  if (!value.is_object()) return malformed(ErrorCode::kInvalidRequest, "a message is a JSON object");
  Json id;
  const auto found_id = value.find("id");
  const bool has_id = found_id != value.end();
  if (has_id && (found_id->is_string() || found_id->is_number_integer())) id = *found_id;
  const auto version = value.find("jsonrpc");
  if (version == value.end() || *version != "2.0")
    return malformed(ErrorCode::kInvalidRequest, "\"jsonrpc\" is not \"2.0\"", id);
  const auto method = value.find("method");
  if (method == value.end()) {
    if (value.contains("result") || value.contains("error")) return Response{};
    return malformed(ErrorCode::kInvalidRequest, "there is no \"method\"", id);
  }
  if (!method->is_string()) return malformed(ErrorCode::kInvalidRequest, "\"method\" is not a string", id);
  if (has_id && id.is_null()) return malformed(ErrorCode::kInvalidRequest, "\"id\" is neither a string nor an integer");
  Json params = Json::object();
  if (const auto found = value.find("params"); found != value.end()) {
    if (!found->is_object()) {
      if (!has_id) return Response{};  // A notification that makes no sense gets no answer.
      return malformed(ErrorCode::kInvalidParams, "\"params\" is not an object", id);
    }
    params = std::move(*found);
  }
  if (!has_id) return Notification{method->get<std::string>(), std::move(params)};
  return Request{std::move(id), method->get<std::string>(), std::move(params)};
}

}  // namespace

ParsedLine parse_line(std::string_view line) {
  ParsedLine parsed;
  if (nesting_of(line) > kMostNesting) {
    parsed.messages.push_back(malformed(ErrorCode::kParse, "the message is nested too deeply"));
    return parsed;
  }
  Json value = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) {
    parsed.messages.push_back(malformed(ErrorCode::kParse, "the line is not valid JSON in UTF-8"));
    return parsed;
  }
  if (!value.is_array()) {
    parsed.messages.push_back(parse_message(value));
    return parsed;
  }
  if (value.empty() || value.size() > kMostBatched) {
    parsed.messages.push_back(
        malformed(ErrorCode::kInvalidRequest, value.empty() ? "the batch is empty" : "the batch is too long"));
    return parsed;
  }
  parsed.is_batch = true;
  for (Json& each : value) parsed.messages.push_back(parse_message(each));
  return parsed;
}

std::string to_line(const Json& message) { return message.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json result_message(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_message(const Json& id, const RpcError& error, bool omit_null_id) {
  Json message = {{"jsonrpc", "2.0"}, {"error", {{"code", static_cast<int>(error.code)}, {"message", error.message}}}};
  if (!error.data.is_null()) message["error"]["data"] = error.data;
  if (!id.is_null() || !omit_null_id) message["id"] = id;
  return message;
}

Json notification_message(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

}  // namespace lockstep::mcp
