// Text from a model's server -> JSON, within bounds; and texts made fit for JSON. What arrives is as untrusted as the
// code under review.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::writer {

using Json = nlohmann::json;
/// Fields in the order in which they were added: requests and recordings read as they were meant.
using OrderedJson = nlohmann::ordered_json;

/// JSON nested at most 64 deep (printing recurses), with U+FFFD for bytes that are no UTF-8; nullopt: neither of it.
std::optional<Json> parse_json(std::string_view text);

/// One line of JSON; bytes that are no UTF-8 become U+FFFD.
std::string json_line(const OrderedJson& json);
std::string json_line(const Json& json);

/// Adds the fields of a JSON object, given as text, to a request; those that it has stay. Nothing for other texts.
void add_fields(OrderedJson& request, std::string_view object);

/// `text` with each byte that is no UTF-8 replaced by U+FFFD.
std::string as_utf8(std::string_view text);

}  // namespace lockstep::writer
