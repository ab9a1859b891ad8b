#include "writer/model/sse.h"

namespace lockstep::writer {

bool SseReader::feed(std::string_view bytes, const OnEvent& on_event) {
  while (!bytes.empty()) {
    if (after_return_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_return_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() + event_.data.size() > kMostEventBytes) return false;
    line_ += part;
    if (end == std::string_view::npos) return true;
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    const std::string line = std::move(line_);
    line_.clear();
    take_line(line, on_event);
  }
  return true;
}

void SseReader::finish(const OnEvent& on_event) {
  if (!line_.empty()) {
    const std::string line = std::move(line_);
    line_.clear();
    take_line(line, on_event);
  }
  dispatch(on_event);
}

void SseReader::take_line(std::string_view line, const OnEvent& on_event) {
  if (is_first_line_ && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  is_first_line_ = false;
  if (line.empty()) return dispatch(on_event);
  if (line.front() == ':') return;  // a comment; servers keep connections alive with them
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    event_.name = value;
  } else if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  }
}

void SseReader::dispatch(const OnEvent& on_event) {
  if (has_data_) on_event(event_);
  event_ = {};
  has_data_ = false;
}

}  // namespace lockstep::writer
