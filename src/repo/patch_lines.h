// A cursor over the lines of a patch's text. Private to this room.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::repo {

/// Lines end at "\n". Looking ahead scans again, so it is for a few lines only.
class PatchLines {
 public:
  explicit PatchLines(std::string_view text) : text_(text) { find_end(); }

  [[nodiscard]] bool at_end() const { return start_ >= text_.size(); }
  /// The current line without its "\n"; a "\r" stays.
  [[nodiscard]] std::string_view raw() const { return text_.substr(start_, end_ - start_); }
  /// The current line without "\r\n" or "\n".
  [[nodiscard]] std::string_view line() const { return without_cr(raw()); }
  [[nodiscard]] bool has_newline() const { return end_ < text_.size(); }
  /// The current line's number, from 1: for messages to people.
  [[nodiscard]] std::size_t number() const { return number_; }
  void advance() {
    start_ = end_ < text_.size() ? end_ + 1 : text_.size();
    ++number_;
    find_end();
  }
  /// The line after the current one, likewise without its terminator; empty at the end.
  [[nodiscard]] std::string_view ahead(std::size_t count) const {
    PatchLines copy = *this;
    while (count-- > 0 && !copy.at_end()) copy.advance();
    return copy.at_end() ? std::string_view() : copy.line();
  }

  static std::string_view without_cr(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

 private:
  void find_end() {
    const std::size_t found = start_ < text_.size() ? text_.find('\n', start_) : std::string_view::npos;
    end_ = found == std::string_view::npos ? text_.size() : found;
  }

  std::string_view text_;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
  std::size_t number_ = 1;
};

}  // namespace lockstep::repo
