#include "writer/model/json_text.h"

#include <algorithm>

#include "text/source.h"

namespace lockstep::writer {

namespace {

constexpr std::size_t kMostNesting = 64;

bool is_flat_enough(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostNesting) return false;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return true;
}

}  // namespace

std::string as_utf8(std::string_view text) {
  if (is_valid_utf8(text)) return std::string(text);
  std::string out;
  out.reserve(text.size() + 8);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text, at);
    if (length > 0 && at + length <= text.size() && is_valid_utf8(text.substr(at, length))) {
      out.append(text, at, length);
      at += length;
    } else {
      out += "\xEF\xBF\xBD";
      ++at;
    }
  }
  return out;
}

std::optional<Json> parse_json(std::string_view text) {
  if (!is_flat_enough(text)) return std::nullopt;
  Json json = Json::parse(as_utf8(text), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

void add_fields(OrderedJson& request, std::string_view object) {
  const std::optional<Json> fields = object.empty() ? std::nullopt : parse_json(object);
  if (!fields || !fields->is_object()) return;
  for (const auto& [name, value] : fields->items()) {
    if (!request.contains(name)) request[name] = value;
  }
}

std::string json_line(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string json_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace lockstep::writer
