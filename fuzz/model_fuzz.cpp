// Whatever a model's server sends: streams of both wire formats cut anywhere, plain answers, errors, recordings; and
// text in which secrets are masked.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/strings.h"
#include "text/source.h"
#include "writer/model/exchange.h"
#include "writer/model/mask.h"
#include "writer/model/setback.h"
#include "writer/model/wire.h"

namespace {

using namespace lockstep;
using namespace lockstep::writer;

ChatAnswer read_stream(WireApi api, std::string_view bytes, std::size_t step) {
  const auto reader = make_answer_reader(api);
  SseReader events;
  const auto on_event = [&](const SseEvent& event) { reader->take_event(event, {}); };
  for (std::size_t at = 0; at < bytes.size(); at += step) events.feed(bytes.substr(at, step), on_event);
  events.finish(on_event);
  return reader->finish(!reader->is_whole());
}

void try_server(std::string_view bytes) {
  for (const WireApi api : {WireApi::kOpenAi, WireApi::kAnthropic}) {
    const ChatAnswer whole = read_stream(api, bytes, bytes.size() + 1);
    CHECK(is_valid_utf8(whole.text));
    CHECK(read_stream(api, bytes, 1).text == whole.text);
    const auto reader = make_answer_reader(api);
    reader->take_plain(bytes, {});
    reader->finish(false);
  }
  is_too_long(server_error_of(bytes));
  seconds_of_retry_after(bytes.substr(0, 64), 1e9);
}

void try_recording(std::string_view bytes) {
  const Result<Recording> recording = parse_recording(bytes, "fuzz");
  if (!recording) return;
  for (const Exchange& exchange : recording->exchanges) recording_of(exchange);
}

void try_mask(std::string_view bytes) {
  const MaskedText masked = mask_secrets(bytes, {});
  CHECK(split_lines(masked.text).size() == split_lines(bytes).size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_server(bytes);
  try_recording(bytes);
  try_mask(bytes);
  return 0;
}
