#include "render/json_text.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "text/source.h"

namespace lockstep::render {

namespace {

void append_escape(std::string& out, unsigned value) { fmt::format_to(std::back_inserter(out), "\\u{:04x}", value); }

bool needs_care(char c, bool in_html) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\' || (in_html && (c == '<' || c == '>' || c == '&'));
}

void append_ascii(std::string& out, char c) {
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (c == '\n') {
    out += "\\n";
  } else {
    append_escape(out, static_cast<unsigned char>(c));
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text, bool in_html) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    std::size_t plain = i;
    while (plain < text.size() && !needs_care(text[plain], in_html)) ++plain;
    out.append(text, i, plain - i);
    i = plain;
    if (i == text.size()) break;
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      append_ascii(out, text[i++]);
      continue;
    }
    const std::size_t length = utf8_sequence_length(text, i);
    const std::string_view sequence = text.substr(i, std::max<std::size_t>(length, 1));
    if (length == 0) {
      out += "\xef\xbf\xbd";
    } else if (in_html && (sequence == "\xe2\x80\xa8" || sequence == "\xe2\x80\xa9")) {
      out += sequence == "\xe2\x80\xa8" ? "\\u2028" : "\\u2029";
    } else {
      out += sequence;
    }
    i += sequence.size();
  }
  out += '"';
}

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

}  // namespace lockstep::render
