#include "render/text_safety.h"

#include <fmt/format.h>

#include <cstdint>

#include "text/source.h"

namespace lockstep::render {
namespace {

std::uint32_t decode(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i])); };
  switch (sequence.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1fu) << 6 | (byte(1) & 0x3fu);
    case 3:
      return (byte(0) & 0x0fu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
    default:
      return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3fu) << 12 | (byte(2) & 0x3fu) << 6 | (byte(3) & 0x3fu);
  }
}

/// Characters that change how a reader sees the text around them without being seen (Unicode general categories Cc, Cf,
/// Zl, Zp: controls, bidirectional marks and overrides, zero-width characters, tags, line separators).
bool is_deceptive(std::uint32_t point) {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return true;
  if (point == 0x00ad || point == 0x061c || point == 0x180e || point == 0xfeff) return true;
  if (point >= 0x200b && point <= 0x200f) return true;
  if (point >= 0x2028 && point <= 0x202e) return true;
  if (point >= 0x2060 && point <= 0x206f) return true;
  if (point >= 0xfff9 && point <= 0xfffb) return true;
  return point >= 0xe0000 && point <= 0xe007f;
}

}  // namespace

std::string visible_text(std::string_view untrusted, bool keep_layout) {
  std::string out;
  out.reserve(untrusted.size());
  for (std::size_t i = 0; i < untrusted.size();) {
    const std::size_t length = utf8_sequence_length(untrusted, i);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    const std::string_view sequence = untrusted.substr(i, length);
    i += length;
    const std::uint32_t point = decode(sequence);
    if (point == '\n' || point == '\t') {
      out += keep_layout ? static_cast<char>(point) : ' ';
    } else if (point == '\r') {
      if (!keep_layout && (i == untrusted.size() || untrusted[i] != '\n')) out += ' ';
    } else if (is_deceptive(point)) {
      out += fmt::format("\u27e8U+{:04X}\u27e9", point);
    } else {
      out += sequence;
    }
  }
  return out;
}

}  // namespace lockstep::render
