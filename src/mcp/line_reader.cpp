#include "mcp/line_reader.h"

#include <unistd.h>

#include <cerrno>

namespace lockstep::mcp {

namespace {
constexpr std::size_t kChunkBytes = 64u << 10;
}

LineReader::Outcome LineReader::next(std::string& line) {
  bool is_too_long = false;
  for (;;) {
    const std::size_t end = buffer_.find('\n', looked_);
    if (end != std::string::npos) {
      std::size_t size = end - taken_;
      is_too_long = is_too_long || size > most_bytes_;
      if (!is_too_long) {
        if (size > 0 && buffer_[end - 1] == '\r') --size;
        line.assign(buffer_, taken_, size);
      }
      looked_ = taken_ = end + 1;
      return is_too_long ? Outcome::kTooLong : Outcome::kLine;
    }
    buffer_.erase(0, taken_);
    taken_ = 0;
    if (is_too_long || buffer_.size() > most_bytes_) {
      is_too_long = true;
      buffer_ = std::string();
    }
    looked_ = buffer_.size();
    buffer_.resize(looked_ + kChunkBytes);
    ssize_t count = 0;
    do {
      count = ::read(file_, buffer_.data() + looked_, kChunkBytes);
    } while (count < 0 && errno == EINTR);
    buffer_.resize(looked_ + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count > 0) continue;
    if (is_too_long) return Outcome::kTooLong;
    if (buffer_.empty()) return Outcome::kEnd;
    line = std::move(buffer_);
    buffer_.clear();
    looked_ = 0;
    return Outcome::kLine;
  }
}

}  // namespace lockstep::mcp
