#include "writer/model/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "forge/github_client.h"
#include "writer/model/json_text.h"

namespace lockstep::writer {

namespace {

using forge::number_field;
using forge::object_field;
using forge::text_field;

constexpr std::array<std::string_view, 3> kRoles = {"user", "assistant", "tool"};
constexpr std::array<std::string_view, 5> kStops = {"end", "tools", "length", "refusal", "cut"};
constexpr std::array<std::string_view, 7> kKinds = {"too-long", "denied", "exhausted", "budget",
                                                    "stopped",  "shown",  "other"};
constexpr std::array<ChatFailure::Kind, 7> kKindValues = {
    ChatFailure::Kind::kTooLong, ChatFailure::Kind::kDenied, ChatFailure::Kind::kExhausted, ChatFailure::Kind::kBudget,
    ChatFailure::Kind::kStopped, ChatFailure::Kind::kShown,  ChatFailure::Kind::kOther};

std::string_view kind_name(ChatFailure::Kind kind) {
  return kKinds[static_cast<std::size_t>(std::find(kKindValues.begin(), kKindValues.end(), kind) -
                                         kKindValues.begin())];
}

template <std::size_t kCount>
std::optional<std::size_t> index_of(std::string_view name, const std::array<std::string_view, kCount>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

OrderedJson calls_json(const std::vector<ToolCall>& calls) {
  OrderedJson array = OrderedJson::array();
  for (const ToolCall& call : calls)
    array.push_back(OrderedJson{{"id", call.id}, {"name", call.name}, {"arguments", call.arguments_json}});
  return array;
}

std::vector<ToolCall> calls_of(const Json& json) {
  std::vector<ToolCall> calls;
  for (const Json& call : json.is_array() ? json : Json::array())
    calls.push_back({text_field(call, "id"), text_field(call, "name"), text_field(call, "arguments")});
  return calls;
}

OrderedJson request_json(const ChatRequest& request) {
  OrderedJson turns = OrderedJson::array();
  for (const ChatTurn& turn : request.turns) {
    OrderedJson json = {{"role", kRoles[static_cast<std::size_t>(turn.role)]}, {"text", turn.text}};
    if (!turn.calls.empty()) json["calls"] = calls_json(turn.calls);
    if (!turn.call_id.empty()) json["call_id"] = turn.call_id;
    turns.push_back(std::move(json));
  }
  OrderedJson tools = OrderedJson::array();
  for (const ToolDefinition& tool : request.tools)
    tools.push_back(
        OrderedJson{{"name", tool.name}, {"description", tool.description}, {"input_schema", tool.input_schema_json}});
  OrderedJson json = {{"purpose", request.purpose}, {"system", request.system}};
  json["turns"] = std::move(turns);
  json["tools"] = std::move(tools);
  json["most_output_tokens"] = request.most_output_tokens;
  return json;
}

std::optional<ChatRequest> request_of(const Json& json) {
  ChatRequest request;
  request.purpose = text_field(json, "purpose");
  request.system = text_field(json, "system");
  request.most_output_tokens = number_field(json, "most_output_tokens");
  const Json& turns = object_field(json, "turns");
  const Json& tools = object_field(json, "tools");
  if (!turns.is_array() || !tools.is_array()) return std::nullopt;
  for (const Json& turn : turns) {
    const std::optional<std::size_t> role = index_of(text_field(turn, "role"), kRoles);
    if (!role) return std::nullopt;
    request.turns.push_back({static_cast<ChatTurn::Role>(*role), text_field(turn, "text"),
                             calls_of(object_field(turn, "calls")), text_field(turn, "call_id")});
  }
  for (const Json& tool : tools)
    request.tools.push_back(
        {text_field(tool, "name"), text_field(tool, "description"), text_field(tool, "input_schema")});
  return request;
}

OrderedJson answer_json(const ChatAnswer& answer) {
  const Usage& usage = answer.usage;
  OrderedJson json = {{"text", answer.text}};
  json["calls"] = calls_json(answer.calls);
  json["stop"] = kStops[static_cast<std::size_t>(answer.stop)];
  json["usage"] = OrderedJson{{"input_tokens", usage.input_tokens},
                              {"cached_input_tokens", usage.cached_input_tokens},
                              {"cache_written_input_tokens", usage.cache_written_input_tokens},
                              {"output_tokens", usage.output_tokens}};
  return json;
}

std::optional<ChatAnswer> answer_of(const Json& json) {
  const std::optional<std::size_t> stop = index_of(text_field(json, "stop"), kStops);
  if (!stop) return std::nullopt;
  const Json& usage = object_field(json, "usage");
  return ChatAnswer{text_field(json, "text"),
                    calls_of(object_field(json, "calls")),
                    static_cast<StopReason>(*stop),
                    {number_field(usage, "input_tokens"), number_field(usage, "cached_input_tokens"),
                     number_field(usage, "cache_written_input_tokens"), number_field(usage, "output_tokens")}};
}

double price_of(const Json& prices, const char* key) {
  const Json& price = object_field(prices, key);
  return price.is_number() ? std::max(0.0, price.get<double>()) : 0;
}

RecordedModel model_of(const Json& head) {
  RecordedModel model{text_field(head, "model"), number_field(head, "context_tokens"), std::nullopt};
  if (const Json& prices = object_field(head, "prices"); prices.is_object()) {
    model.prices = Prices{price_of(prices, "input"), price_of(prices, "cached_input"), price_of(prices, "output"),
                          text_field(prices, "currency")};
  }
  return model;
}

// Reads the lines behind the head.
class RecordingReader {
 public:
  explicit RecordingReader(Recording& recording) : recording_(recording) {}

  // False: the line is out of place.
  bool take(const Json& json) {
    if (const Json& request = object_field(json, "request"); request.is_object()) {
      std::optional<ChatRequest> read = request_of(request);
      if (!read) return false;
      open_ = Exchange{std::move(*read), {}, {}};
      return true;
    }
    if (!open_) return false;
    if (const Json& piece = object_field(json, "piece"); piece.is_string()) {
      open_->pieces.push_back(piece.get<std::string>());
      return true;
    }
    return take_outcome(json);
  }

 private:
  bool take_outcome(const Json& json) {
    if (const Json& answer = object_field(json, "answer"); answer.is_object()) {
      std::optional<ChatAnswer> read = answer_of(answer);
      if (!read) return false;
      open_->outcome = std::move(*read);
    } else {
      const Json& failure = object_field(json, "failure");
      const std::optional<std::size_t> kind = index_of(text_field(failure, "kind"), kKinds);
      if (!kind) return false;
      open_->outcome = tl::unexpected(ChatFailure{kKindValues[*kind], text_field(failure, "message")});
    }
    recording_.exchanges.push_back(std::move(*open_));
    open_.reset();
    return true;
  }

  Recording& recording_;
  std::optional<Exchange> open_;
};

std::string line_of(std::string_view text) {
  constexpr std::size_t kMostShown = 160;
  return std::string(cut_at_character(text, kMostShown));
}

std::string text_difference(std::string_view where, std::string_view recorded, std::string_view now) {
  if (recorded == now) return {};
  const std::vector<std::string_view> before = split(recorded, '\n'), after = split(now, '\n');
  std::size_t line = 0;
  while (line < before.size() && line < after.size() && before[line] == after[line]) ++line;
  const auto shown = [&](const std::vector<std::string_view>& lines) {
    return line < lines.size() ? fmt::format("\"{}\"", line_of(lines[line])) : std::string("(nothing)");
  };
  return fmt::format("{}, line {}: recorded {}, now {}", where, line + 1, shown(before), shown(after));
}

std::string count_difference(std::string_view what, std::size_t recorded, std::size_t now) {
  return recorded == now ? std::string() : fmt::format("{}: recorded {}, now {}", what, recorded, now);
}

std::string turn_difference(std::size_t index, const ChatTurn& recorded, const ChatTurn& now) {
  const std::string where = fmt::format("turns[{}]", index);
  const auto calls = [](const ChatTurn& turn) { return json_line(calls_json(turn.calls)); };
  const auto role = [](const ChatTurn& turn) { return kRoles[static_cast<std::size_t>(turn.role)]; };
  std::string found = text_difference(where + ".role", role(recorded), role(now));
  if (found.empty()) found = text_difference(where + ".text", recorded.text, now.text);
  if (found.empty()) found = text_difference(where + ".calls", calls(recorded), calls(now));
  if (found.empty()) found = text_difference(where + ".call_id", recorded.call_id, now.call_id);
  return found;
}

}  // namespace

std::string recording_head(const RecordedModel& model) {
  OrderedJson head = {{"lockstep-exchange", 1}, {"model", model.name}, {"context_tokens", model.context_tokens}};
  if (model.prices) {
    head["prices"] = OrderedJson{{"input", model.prices->input},
                                 {"cached_input", model.prices->cached_input},
                                 {"output", model.prices->output},
                                 {"currency", model.prices->currency}};
  }
  return json_line(head) + "\n";
}

std::string recording_of(const Exchange& exchange) {
  OrderedJson request = OrderedJson::object();
  request["request"] = request_json(exchange.request);
  std::string lines = json_line(request) + "\n";
  for (const std::string& piece : exchange.pieces) lines += json_line(OrderedJson{{"piece", piece}}) + "\n";
  OrderedJson outcome = OrderedJson::object();
  if (exchange.outcome) {
    outcome["answer"] = answer_json(*exchange.outcome);
  } else {
    const ChatFailure& failure = exchange.outcome.error();
    outcome["failure"] = OrderedJson{{"kind", kind_name(failure.kind)}, {"message", failure.message}};
  }
  return lines + json_line(outcome) + "\n";
}

Result<Recording> parse_recording(std::string_view text, std::string_view name) {
  Recording recording;
  RecordingReader reader(recording);
  std::size_t number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    const std::optional<Json> json = parse_json(line);
    const bool is_head = number == 1;
    const bool is_good = json && (is_head ? number_field(*json, "lockstep-exchange") == 1 : reader.take(*json));
    if (!is_good) {
      return fail(fmt::format("'{}' line {} is no part of a recorded exchange", name, number),
                  "give a file that --record wrote");
    }
    if (is_head) recording.model = model_of(*json);
  }
  if (number == 0) return fail(fmt::format("'{}' is empty", name), "give a file that --record wrote");
  return recording;
}

std::string first_difference(const ChatRequest& recorded, const ChatRequest& now) {
  std::string found = text_difference("system", recorded.system, now.system);
  for (std::size_t i = 0; found.empty() && i < std::min(recorded.turns.size(), now.turns.size()); ++i)
    found = turn_difference(i, recorded.turns[i], now.turns[i]);
  if (found.empty()) found = count_difference("number of turns", recorded.turns.size(), now.turns.size());
  for (std::size_t i = 0; found.empty() && i < std::min(recorded.tools.size(), now.tools.size()); ++i) {
    const auto text = [](const ToolDefinition& tool) {
      return fmt::format("{}\n{}\n{}", tool.name, tool.description, tool.input_schema_json);
    };
    found = text_difference(fmt::format("tools[{}]", i), text(recorded.tools[i]), text(now.tools[i]));
  }
  if (found.empty()) found = count_difference("number of tools", recorded.tools.size(), now.tools.size());
  if (found.empty())
    found = count_difference("most_output_tokens", recorded.most_output_tokens, now.most_output_tokens);
  return found;
}

}  // namespace lockstep::writer
