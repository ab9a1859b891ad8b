#include "text/source.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace lockstep {

SourceText::SourceText(std::string bytes) : bytes_(std::move(bytes)) {
  CHECK(bytes_.size() < 0xffffffffu);
  line_starts_.reserve(bytes_.size() / 32 + 1);
  line_starts_.push_back(0);
  if (bytes_.find('\r') == std::string::npos) {
    // The usual case, several times faster.
    for (std::size_t end = bytes_.find('\n'); end != std::string::npos; end = bytes_.find('\n', end + 1)) {
      line_starts_.push_back(static_cast<std::uint32_t>(end + 1));
    }
    return;
  }
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    const char c = bytes_[i];
    if (c == '\n' || (c == '\r' && (i + 1 == bytes_.size() || bytes_[i + 1] != '\n'))) {
      line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
}

std::uint32_t SourceText::line_of(std::uint32_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::uint32_t>(after - line_starts_.begin() - 1);
}

Position SourceText::position_of(std::uint32_t offset) const {
  const std::uint32_t line = line_of(offset);
  return {line, offset - line_starts_[line]};
}

std::string_view SourceText::line(std::uint32_t line) const {
  if (line >= line_starts_.size()) return {};
  const std::uint32_t start = line_starts_[line];
  std::size_t end = line + 1 < line_starts_.size() ? line_starts_[line + 1] : bytes_.size();
  while (end > start && (bytes_[end - 1] == '\n' || bytes_[end - 1] == '\r')) --end;
  return std::string_view(bytes_).substr(start, end - start);
}

std::uint32_t SourceText::line_start(std::uint32_t line) const {
  return line < line_starts_.size() ? line_starts_[line] : static_cast<std::uint32_t>(bytes_.size());
}

std::uint32_t SourceText::utf16_column(std::uint32_t offset) const {
  std::uint32_t column = 0;
  std::size_t at = line_start(line_of(offset));
  while (at < offset && at < bytes_.size()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence_length(bytes_, at));
    column += length == 4 ? 2 : 1;
    at += length;
  }
  return column;
}

std::size_t utf8_sequence_length(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned lead = byte(at);
  if (at >= bytes.size()) return 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(at + 1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!follows(at + 1) || !follows(at + 2)) return 0;
    if (lead == 0xe0 && byte(at + 1) < 0xa0) return 0;  // overlong
    if (lead == 0xed && byte(at + 1) > 0x9f) return 0;  // surrogate
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!follows(at + 1) || !follows(at + 2) || !follows(at + 3)) return 0;
    if (lead == 0xf0 && byte(at + 1) < 0x90) return 0;
    if (lead == 0xf4 && byte(at + 1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

bool is_valid_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    // Eight bytes of ASCII at a time.
    std::uint64_t eight = 0x80;
    if (at + sizeof eight <= bytes.size()) std::memcpy(&eight, bytes.data() + at, sizeof eight);
    if ((eight & 0x8080808080808080u) == 0) {
      at += sizeof eight;
      continue;
    }
    const std::size_t length = utf8_sequence_length(bytes, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace lockstep
