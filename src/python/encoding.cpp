#include "python/encoding.h"

#include <fmt/format.h>
#include <iconv.h>

#include <array>
#include <cerrno>

#include "base/strings.h"
#include "text/source.h"

namespace lockstep::python {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

// The cookie in one line, by PEP 263: ^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)
std::string_view cookie_in(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\f");
  if (first == std::string_view::npos || line[first] != '#') return {};
  for (std::size_t at = line.find("coding", first); at != std::string_view::npos; at = line.find("coding", at + 1)) {
    std::size_t begin = at + 6;
    if (begin >= line.size() || (line[begin] != ':' && line[begin] != '=')) continue;
    ++begin;
    while (begin < line.size() && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
    std::size_t end = begin;
    while (end < line.size() && is_name_character(line[end])) ++end;
    if (end > begin) return line.substr(begin, end - begin);
  }
  return {};
}

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find_first_of("\r\n");
  const std::string_view line = rest.substr(0, end);
  if (end == std::string_view::npos) {
    rest = {};
  } else {
    rest.remove_prefix(end + (rest.substr(end, 2) == "\r\n" ? 2 : 1));
  }
  return line;
}

// Lower case, `_` as `-`, as Python normalises encoding names.
std::string normal_name(std::string_view name) { return replace_all(to_lower(name), "_", "-"); }

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  for (std::string_view start : starts) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

enum class Family { kUtf8, kLatin1, kAscii, kIconv, kUnknown };

// Only encodings in which ASCII stands for itself are read: others could hide code from whoever reads the file.
Family family_of(std::string_view name) {
  if (name == "utf-8" || name == "utf8" || name == "u8" || starts_with_any(name, {"utf-8-", "utf8-"})) {
    return Family::kUtf8;
  }
  if (starts_with_any(name, {"latin-1-", "iso-8859-1-", "iso-latin-1-"})) return Family::kLatin1;
  for (std::string_view latin :
       {"latin-1", "latin1", "latin", "l1", "iso-8859-1", "iso8859-1", "iso-latin-1", "8859", "cp819"}) {
    if (name == latin) return Family::kLatin1;
  }
  if (name == "ascii" || name == "us-ascii") return Family::kAscii;
  if (starts_with_any(name, {"iso-8859-", "iso8859-", "cp125", "windows-125", "cp43", "cp8", "koi8-", "euc-", "gb",
                             "big5", "shift-jis", "sjis", "cp93", "cp94", "cp95", "tis-620", "mac-"})) {
    return Family::kIconv;
  }
  return Family::kUnknown;
}

std::string iconv_name(const std::string& name) {
  if (name.starts_with("iso8859")) return "iso-8859" + name.substr(7);
  if (name == "mac-roman") return "macintosh";
  if (name == "shift-jis" || name == "sjis") return "shift_jis";
  return name;
}

std::string latin1_to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

// Replaces what is not valid; counts it in `bad`.
std::string repaired_utf8(std::string_view bytes, std::size_t& bad) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = utf8_sequence_length(bytes, at);
    text += size == 0 ? kReplacement : bytes.substr(at, size);
    bad += size == 0;
    at += size == 0 ? 1 : size;
  }
  return text;
}

// False where the C library does not know the encoding.
bool iconv_to_utf8(const std::string& name, std::string& bytes, std::string& text, std::size_t& bad) {
  const iconv_t converter = iconv_open("UTF-8", iconv_name(name).c_str());
  if (converter == reinterpret_cast<iconv_t>(-1)) return false;
  char* in = bytes.data();
  std::size_t in_left = bytes.size();
  std::array<char, 4096> buffer{};
  while (in_left > 0) {
    char* out = buffer.data();
    std::size_t out_left = buffer.size();
    const std::size_t result = iconv(converter, &in, &in_left, &out, &out_left);
    text.append(buffer.data(), buffer.size() - out_left);
    if (result == static_cast<std::size_t>(-1) && errno != E2BIG && in_left > 0) {
      text += kReplacement;
      ++bad, ++in, --in_left;
      iconv(converter, nullptr, nullptr, nullptr, nullptr);
    }
  }
  iconv_close(converter);
  return true;
}

}  // namespace

std::string_view coding_cookie(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::string_view first = take_line(bytes);
  const std::string_view in_first = cookie_in(first);
  if (!in_first.empty()) return in_first;
  // The second line counts where the first holds nothing but blanks and a comment.
  const std::size_t code = first.find_first_not_of(" \t\f");
  return code == std::string_view::npos || first[code] == '#' ? cookie_in(take_line(bytes)) : std::string_view{};
}

DecodedSource decode_source(std::string bytes) {
  const std::string cookie(coding_cookie(bytes));
  const std::string name = normal_name(cookie);
  Family family = cookie.empty() ? Family::kUtf8 : family_of(name);
  DecodedSource source;
  if (bytes.starts_with(kByteOrderMark)) {
    bytes.erase(0, kByteOrderMark.size());
    if (!cookie.empty() && name != "utf-8" && !name.starts_with("utf-8-")) {
      source.problem = fmt::format("the coding '{}' contradicts the UTF-8 byte order mark", cookie);
    }
    family = Family::kUtf8;
  }
  std::size_t bad = 0;
  switch (family) {
    case Family::kAscii:
    case Family::kUtf8:
      if (is_valid_utf8(bytes)) {
        source.text = std::move(bytes);
      } else {
        source.text = repaired_utf8(bytes, bad);
      }
      break;
    case Family::kLatin1:
      source.text = latin1_to_utf8(bytes);
      return source;
    case Family::kIconv:
      if (iconv_to_utf8(name, bytes, source.text, bad)) break;
      [[fallthrough]];
    case Family::kUnknown:
      source.text = latin1_to_utf8(bytes);
      source.problem = fmt::format("unknown encoding '{}'", cookie);
      return source;
  }
  if (bad > 0 && source.problem.empty()) {
    source.problem =
        fmt::format("{} not valid {}", count_of(bad, "byte is", "bytes are"), cookie.empty() ? "UTF-8" : cookie);
  }
  return source;
}

}  // namespace lockstep::python
