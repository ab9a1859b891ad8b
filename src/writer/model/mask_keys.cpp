// Private keys: "-----BEGIN … PRIVATE KEY-----", lines of base64, "-----END …", as they stand in files, diffs, listings
// and texts of one line ("\\n" between the lines). RFC 7468, RFC 4716.
#include <algorithm>

#include "writer/model/mask.h"

namespace lockstep::writer::internal {

namespace {

constexpr std::string_view kBegin = "-----BEGIN ", kKind = "PRIVATE KEY", kEnd = "-----END ";
constexpr std::size_t kMostTitleBytes = 80;
// A private key of 16384 bits has 13 KiB; in a listing every line has a few bytes more.
constexpr std::size_t kMostBodyBytes = 32u << 10;
constexpr std::size_t kLeastRun = 8;
// Between a begin and an end stands a key if anything in it is as long as this.
constexpr std::size_t kLeastKeyRun = 24;
// Without an end, lines have to be as long as those of keys.
constexpr std::size_t kLeastLineRun = 48;

bool is_base64(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '=';
}

std::size_t run_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_base64(text[at])) ++at;
  return at;
}

bool has_run(std::string_view text, std::size_t least) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = run_end(text, at);
    if (end - at >= least && is_varied(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

// The lines behind a begin without an end, as long as they are those of a key.
std::size_t lines_of_key(std::string_view body) {
  std::size_t taken = 0;
  for (std::size_t at = 0; at < body.size() && at < kMostBodyBytes;) {
    const std::size_t end = std::min(body.size(), body.find('\n', at));
    const std::string_view line = body.substr(at, std::min(end - at, kMostBodyBytes));
    const bool is_key = has_run(line, kLeastLineRun);
    if (!is_key && at > 0) break;  // what is left of the line of the begin is no base64 mostly
    if (is_key) taken = at + line.size();
    at = end + 1;
  }
  return taken;
}

}  // namespace

Stretch PrivateKeys::at(std::size_t at) {
  const std::string_view rest = text_.substr(at);
  if (!rest.starts_with(kBegin)) return {};
  const std::size_t kind = rest.substr(0, kMostTitleBytes).find(kKind);
  if (kind == std::string_view::npos || rest.substr(0, kind).find('\n') != std::string_view::npos) return {};
  const std::size_t start = kind + kKind.size();
  if (next_end_ < at) next_end_ = std::min(text_.size(), text_.find(kEnd, at));
  const std::size_t end = std::min(next_end_, std::min(text_.size(), text_.find(kBegin, at + 1)));
  const bool has_end = end == next_end_ && end < text_.size() && end - at <= kMostBodyBytes && end > at + start;
  if (!has_end) return {start, lines_of_key(rest.substr(start))};
  const std::string_view body = rest.substr(start, end - at - start);
  return has_run(body, kLeastKeyRun) ? Stretch{start, body.size()} : Stretch{};
}

void append_masked_key(std::string_view body, MaskedText& out) {
  for (std::size_t at = 0; at < body.size();) {
    if (body[at] == '+' && (at == 0 || body[at - 1] == '\n')) {  // base64, but here that of a diff
      out.text += body[at++];
      continue;
    }
    const std::size_t end = run_end(body, at);
    if (end - at >= kLeastRun) {
      out.text += kSecretMask;
      ++out.count;
      at = end;
    } else {
      const std::size_t size = std::max<std::size_t>(1, end - at);
      out.text.append(body, at, size);
      at += size;
    }
  }
}

}  // namespace lockstep::writer::internal
