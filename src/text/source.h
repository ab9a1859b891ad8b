// Source text: bytes of one file with byte spans, lines and columns (bytes, UTF-8 code points, UTF-16 units).
// Everything here counts from 0; only render/ turns lines and columns into 1-based numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// Half-open range of byte offsets in one source text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] std::uint32_t size() const { return end - begin; }
  [[nodiscard]] bool contains(std::uint32_t offset) const { return begin <= offset && offset < end; }
  [[nodiscard]] bool contains(Span other) const { return begin <= other.begin && other.end <= end; }
  friend bool operator==(Span, Span) = default;
};
static_assert(sizeof(Span) == 8);

/// A place as line and byte column, both from 0.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

/// The bytes of one file and where its lines start. Immutable. Lines end at "\n", "\r\n" or a lone "\r", as Python
/// counts them. Texts are at most 4 GiB - 1 (repo/ refuses larger ones).
class SourceText {
 public:
  SourceText() : SourceText(std::string{}) {}
  explicit SourceText(std::string bytes);

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] std::string_view slice(Span span) const {
    return std::string_view(bytes_).substr(span.begin, span.size());
  }
  [[nodiscard]] std::size_t line_count() const { return line_starts_.size(); }
  /// Line that holds byte `offset` (from 0).
  [[nodiscard]] std::uint32_t line_of(std::uint32_t offset) const;
  [[nodiscard]] Position position_of(std::uint32_t offset) const;
  /// Bytes of line `line` without its terminator; empty past the end.
  [[nodiscard]] std::string_view line(std::uint32_t line) const;
  /// Offset at which line `line` starts.
  [[nodiscard]] std::uint32_t line_start(std::uint32_t line) const;
  /// Column in UTF-16 code units (editors, SARIF) of byte `offset`.
  [[nodiscard]] std::uint32_t utf16_column(std::uint32_t offset) const;

 private:
  std::string bytes_;
  std::vector<std::uint32_t> line_starts_;
};

/// Length in bytes of the UTF-8 sequence starting at bytes[at]; 0 where it is not valid UTF-8.
std::size_t utf8_sequence_length(std::string_view bytes, std::size_t at);
bool is_valid_utf8(std::string_view bytes);

}  // namespace lockstep
