// Bytes of a stream of server-sent events -> events, wherever the network cut the bytes. Follows the HTML standard,
// section "Interpreting an event stream" (https://html.spec.whatwg.org/multipage/server-sent-events.html), but for one
// thing: an event that the end of the stream cuts off is given all the same, since servers leave out the last empty
// line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lockstep::writer {

struct SseEvent {
  std::string name;  ///< "event:"; mostly empty.
  std::string data;  ///< Of several "data:" lines, joined with "\n".
};

class SseReader {
 public:
  using OnEvent = std::function<void(const SseEvent&)>;

  /// False: a line or an event grows beyond `kMostEventBytes`; nothing more is read.
  bool feed(std::string_view bytes, const OnEvent& on_event);
  /// The stream is over.
  void finish(const OnEvent& on_event);

  static constexpr std::size_t kMostEventBytes = 8u << 20;

 private:
  void take_line(std::string_view line, const OnEvent& on_event);
  void dispatch(const OnEvent& on_event);

  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool is_first_line_ = true;
  bool after_return_ = false;  // the last byte was "\r": a "\n" now belongs to it
};

}  // namespace lockstep::writer
