#include "render/html_text.h"

#include <fmt/format.h>

#include "render/html_parts.h"
#include "render/text_safety.h"

namespace lockstep::render {
namespace {

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto value = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 6) {
    unsigned bits = 0;
    for (std::size_t j = 0; j < 6; ++j) bits = bits << 4 | (i + j < hex.size() ? value(hex[i + j]) : 0);
    const std::size_t bytes = std::min<std::size_t>(3, (hex.size() - i) / 2);
    for (std::size_t j = 0; j < 4; ++j) out += j <= bytes ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

}  // namespace

std::string html_escaped(std::string_view untrusted, bool keep_layout) {
  std::string out;
  for (const char c : visible_text(untrusted, keep_layout)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string policy_hash(std::string_view part) {
  return fmt::format("'sha256-{}'", base64_of_hex(html_part_sha256(part)));
}

}  // namespace lockstep::render
