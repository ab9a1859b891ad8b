#include "python/string_literals.h"

#include <cstdint>

namespace lockstep::python {

namespace {

void append_utf8(std::uint32_t c, std::string& value) {
  const auto byte = [&](std::uint32_t bits) { value += static_cast<char>(static_cast<unsigned char>(bits)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xc0 | c >> 6), byte(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f));
  } else {
    byte(0xf0 | c >> 18), byte(0x80 | (c >> 12 & 0x3f)), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f));
  }
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_in_character_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' ' || c == '-';
}

// Reads escapes of one literal.
class Escapes {
 public:
  Escapes(std::string_view body, bool is_bytes, std::string& value) : body_(body), is_bytes_(is_bytes), value_(value) {}

  // The escape whose backslash is at `at`; moves behind it. Returns null, or what is wrong.
  const char* read(std::size_t& at) {
    const char c = at + 1 < body_.size() ? body_[at + 1] : '\\';
    at += at + 1 < body_.size() ? 2 : 1;
    switch (c) {
      case '\n':
        return nullptr;
      case '\r':
        if (at < body_.size() && body_[at] == '\n') ++at;
        return nullptr;
      case '\\':
      case '\'':
      case '"':
        value_ += c;
        return nullptr;
      case 'a':
        value_ += '\a';
        return nullptr;
      case 'b':
        value_ += '\b';
        return nullptr;
      case 'f':
        value_ += '\f';
        return nullptr;
      case 'n':
        value_ += '\n';
        return nullptr;
      case 'r':
        value_ += '\r';
        return nullptr;
      case 't':
        value_ += '\t';
        return nullptr;
      case 'v':
        value_ += '\v';
        return nullptr;
      case 'x':
        return hexadecimal(at, 2);
      case 'u':
        return is_bytes_ ? unknown(c) : hexadecimal(at, 4);
      case 'U':
        return is_bytes_ ? unknown(c) : hexadecimal(at, 8);
      case 'N':
        return is_bytes_ ? unknown(c) : named(at);
      default:
        return c >= '0' && c <= '7' ? octal(at) : unknown(c);
    }
  }

 private:
  void append(std::uint32_t c) {
    if (is_bytes_) {
      value_ += static_cast<char>(static_cast<unsigned char>(c));
    } else {
      append_utf8(c, value_);
    }
  }

  // Python keeps the backslash of an escape that it does not know.
  const char* unknown(char c) {
    value_ += '\\';
    value_ += c;
    return nullptr;
  }

  const char* octal(std::size_t& at) {
    std::uint32_t c = 0;
    --at;
    for (const std::size_t end = at + 3; at < end && at < body_.size() && body_[at] >= '0' && body_[at] <= '7'; ++at) {
      c = c * 8 + static_cast<std::uint32_t>(body_[at] - '0');
    }
    append(c);
    return nullptr;
  }

  const char* hexadecimal(std::size_t& at, std::size_t size) {
    std::uint32_t c = 0;
    for (const std::size_t end = at + size; at < end; ++at) {
      const int digit = at < body_.size() ? hex_value(body_[at]) : -1;
      if (digit < 0) return size == 2 ? "truncated \\xXX escape" : "truncated \\u escape";
      c = c * 16 + static_cast<std::uint32_t>(digit);
    }
    if (c > 0x10ffff) return "illegal Unicode character in a \\U escape";
    append(c);
    return nullptr;
  }

  const char* named(std::size_t& at) {
    const std::size_t close = at < body_.size() && body_[at] == '{' ? body_.find('}', at) : std::string_view::npos;
    if (close == std::string_view::npos || close == at + 1) return "malformed \\N character escape";
    for (const char c : body_.substr(at + 1, close - at - 1)) {
      if (!is_in_character_name(c)) return "unknown Unicode character name";
    }
    value_ += "\\N";
    value_ += body_.substr(at, close + 1 - at);
    at = close + 1;
    return nullptr;
  }

  std::string_view body_;
  bool is_bytes_;
  std::string& value_;
};

}  // namespace

const char* decode_string(std::string_view body, bool is_raw, bool is_bytes, std::string& value) {
  Escapes escapes(body, is_bytes, value);
  for (std::size_t at = 0; at < body.size();) {
    const char c = body[at];
    if (c == '\\' && !is_raw) {
      if (const char* wrong = escapes.read(at)) return wrong;
    } else if (c == '\r') {
      value += '\n';
      at += at + 1 < body.size() && body[at + 1] == '\n' ? 2 : 1;
    } else if (is_bytes && static_cast<unsigned char>(c) >= 0x80) {
      return "bytes can only contain ASCII literal characters";
    } else {
      value += c;
      ++at;
    }
  }
  return nullptr;
}

}  // namespace lockstep::python
