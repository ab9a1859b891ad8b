// An exchange with a model as lines of JSON, and back: what --record writes and --replay reads.
//
//   {"lockstep-exchange":1,"model":"some-model","context_tokens":…,"prices":{…}}
//   {"request":{"purpose":…,"system":…,"turns":[…],"tools":[…],"most_output_tokens":…}}
//   {"piece":"Text as it "}{…}                         one line for each piece
//   {"answer":{"text":…,"calls":[…],"stop":"end","usage":{…}}}   or   {"failure":{"kind":"exhausted","message":…}}
//
// Requests stand there as they were sent: masked, without the key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "writer/model/chat.h"
#include "writer/model/settings.h"

namespace lockstep::writer {

struct Exchange {
  ChatRequest request;
  std::vector<std::string> pieces;
  tl::expected<ChatAnswer, ChatFailure> outcome;
};

/// What a document depends on beside the answers.
struct RecordedModel {
  std::string name;
  std::size_t context_tokens = 0;  ///< 0: not known.
  std::optional<Prices> prices;
};

struct Recording {
  RecordedModel model;
  std::vector<Exchange> exchanges;
};

/// The first line of a recording, with its end.
std::string recording_head(const RecordedModel& model);
/// The lines of one exchange.
std::string recording_of(const Exchange& exchange);

/// Error: a line that is none of these; names it. An exchange that breaks off (a program that was killed) is left out.
Result<Recording> parse_recording(std::string_view text, std::string_view name);

/// Where two requests first differ ("turns[0].text, line 12", with both lines); empty if they are the same. The
/// purpose, which is not sent, does not count.
std::string first_difference(const ChatRequest& recorded, const ChatRequest& now);

}  // namespace lockstep::writer
