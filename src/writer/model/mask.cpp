#include "writer/model/mask.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdlib>

#include "base/secrets.h"
#include "base/strings.h"
#include "writer/model/json_text.h"

namespace lockstep::writer {

namespace {

using internal::Stretch;

// Shorter values of variables would garble ordinary words.
constexpr std::size_t kLeastKnownBytes = 8;
constexpr std::size_t kMostAuthorityBytes = 512;
constexpr std::size_t kMostTokenBytes = 4096;
constexpr std::size_t kMostDots = 2;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

enum class Tail { kAlnum, kWordAndDash, kUpper, kDotted };

bool is_of(Tail tail, char c) {
  switch (tail) {
    case Tail::kAlnum:
      return is_letter(c) || is_digit(c);
    case Tail::kUpper:
      return (c >= 'A' && c <= 'Z') || is_digit(c);
    case Tail::kWordAndDash:
      return is_word(c) || c == '-';
    case Tail::kDotted:
      return is_word(c) || c == '-' || c == '.';
  }
  return false;
}

struct Format {
  std::string_view start;
  Tail tail;
  std::size_t least;  // bytes behind the start
};

// Formats that vendors document for their scanners of secrets (GitHub's list of supported secret scanning patterns:
// https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns).
constexpr std::array<Format, 34> kFormats = {{
    {"ghp_", Tail::kAlnum, 30},
    {"gho_", Tail::kAlnum, 30},
    {"ghu_", Tail::kAlnum, 30},
    {"ghs_", Tail::kAlnum, 30},
    {"ghr_", Tail::kAlnum, 30},
    {"github_pat_", Tail::kWordAndDash, 22},
    {"glpat-", Tail::kWordAndDash, 16},
    {"sk-ant-", Tail::kWordAndDash, 16},
    {"sk-proj-", Tail::kWordAndDash, 16},
    {"sk-or-", Tail::kWordAndDash, 24},
    {"sk-svcacct-", Tail::kWordAndDash, 16},
    {"sk-", Tail::kAlnum, 32},
    {"sk_live_", Tail::kAlnum, 16},
    {"sk_test_", Tail::kAlnum, 16},
    {"rk_live_", Tail::kAlnum, 16},
    {"hf_", Tail::kAlnum, 30},
    {"AKIA", Tail::kUpper, 16},
    {"ASIA", Tail::kUpper, 16},
    {"AIza", Tail::kWordAndDash, 35},
    {"xoxb-", Tail::kWordAndDash, 20},
    {"xoxp-", Tail::kWordAndDash, 20},
    {"xoxa-", Tail::kWordAndDash, 20},
    {"xoxr-", Tail::kWordAndDash, 20},
    {"xoxs-", Tail::kWordAndDash, 20},
    {"npm_", Tail::kAlnum, 36},
    {"pypi-", Tail::kWordAndDash, 50},
    {"ya29.", Tail::kWordAndDash, 24},
    {"SG.", Tail::kDotted, 40},
    {"dop_v1_", Tail::kAlnum, 40},
    {"gsk_", Tail::kAlnum, 40},
    {"xai-", Tail::kAlnum, 40},
    {"nvapi-", Tail::kWordAndDash, 40},
    {"r8_", Tail::kAlnum, 36},
    {"eyJ", Tail::kDotted, 60},
}};

Stretch known_format(std::string_view rest) {
  for (const Format& format : kFormats) {
    if (!rest.starts_with(format.start)) continue;
    std::size_t end = format.start.size();
    const std::size_t most = std::min(rest.size(), kMostTokenBytes);
    // Of what has dots at most three parts are read: no text can make each of its words read all that follows.
    for (std::size_t dots = 0; end < most && is_of(format.tail, rest[end]); ++end) {
      if (rest[end] == '.' && ++dots > kMostDots) break;
    }
    const std::string_view tail = rest.substr(format.start.size(), end - format.start.size());
    if (tail.size() < format.least || !internal::is_varied(tail)) continue;
    // A JSON web token has three parts; other base64 that starts with "{" in clear is data.
    if (format.start == "eyJ" && std::count(tail.begin(), tail.end(), '.') != 2) continue;
    return {0, end};
  }
  return {};
}

// "://user:password@host": the password, unless it is a place for one ("{password}", "$PASS", "<token>").
Stretch address_password(std::string_view rest) {
  if (!rest.starts_with("://")) return {};
  std::size_t end = 3, last_at = 0;
  for (; end < rest.size() && end < kMostAuthorityBytes; ++end) {
    const char c = rest[end];
    if (static_cast<unsigned char>(c) <= ' ' || c == '/' || c == '?' || c == '#' || c == '"' || c == '\'' || c == '`')
      break;
    if (c == '@') last_at = end;
  }
  if (last_at == 0) return {};
  const std::string_view user = rest.substr(3, last_at - 3);
  const std::size_t colon = user.find(':');
  const std::string_view secret = colon == std::string_view::npos ? user : user.substr(colon + 1);
  const bool is_place = secret.find_first_of("{}$<>%*[]()") != std::string_view::npos;
  if (secret.size() < 3 || is_place) return {};
  if (colon == std::string_view::npos && (secret.size() < 20 || !internal::is_varied(secret))) return {};
  const std::string lower = to_lower(secret);
  if (lower == "pass" || lower == "password" || lower == "token" || lower == "secret" || lower == "pwd") return {};
  return {static_cast<std::size_t>(secret.data() - rest.data()), secret.size()};
}

// A word that may name a secret, or start with the format of one.
Stretch secret_of_word(std::string_view rest, std::size_t word_size) {
  if (const Stretch format = known_format(rest); format.length > 0) return format;
  if (const Stretch bearer = internal::authorization_value(rest); bearer.length > 0) return bearer;
  return internal::secret_assignment(rest, word_size);
}

std::size_t word_size(std::string_view rest) {
  std::size_t size = 0;
  while (size < rest.size() && (is_word(rest[size]) || (size > 0 && rest[size] == '-'))) ++size;
  return size;
}

void mask_into(std::string_view text, MaskedText& out) {
  out.text.reserve(text.size());
  internal::PrivateKeys keys(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const char c = rest.front();
    if (c == '-') {
      if (const internal::Stretch key = keys.at(at); key.length > 0) {
        out.text.append(rest, 0, key.kept);
        internal::append_masked_key(rest.substr(key.kept, key.length), out);
        at += key.kept + key.length;
        continue;
      }
    }
    const std::size_t size = is_word(c) ? word_size(rest) : 1;
    const Stretch secret = c == ':' ? address_password(rest) : is_word(c) ? secret_of_word(rest, size) : Stretch{};
    if (secret.length == 0) {
      out.text.append(rest, 0, size);
      at += size;
      continue;
    }
    out.text.append(rest, 0, secret.kept);
    out.text += kSecretMask;
    ++out.count;
    at += secret.kept + secret.length;
  }
}

std::size_t replace_known(std::string& text, const std::string& value) {
  std::size_t count = 0;
  for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, at + 1)) ++count;
  if (count > 0) text = replace_all(text, value, kSecretMask);
  return count;
}

}  // namespace

bool internal::is_varied(std::string_view text) {
  std::bitset<256> seen;
  bool has_digit = false;
  for (const char c : text) {
    seen.set(static_cast<unsigned char>(c));
    has_digit = has_digit || is_digit(c);
  }
  return has_digit && seen.count() >= 8;
}

MaskedText mask_secrets(std::string_view text, const std::vector<std::string>& known) {
  std::string plain(text);
  std::size_t count = 0;
  for (const std::string& value : known) {
    if (value.size() >= kLeastKnownBytes) count += replace_known(plain, value);
  }
  MaskedText out;
  out.count = count;
  mask_into(plain, out);
  return out;
}

std::vector<std::string> secrets_of_environment() {
  std::vector<std::string> values;
  for (const char* const* name = secret_variables(); *name != nullptr; ++name) {
    const char* value = std::getenv(*name);
    if (value != nullptr && trim(value).size() >= kLeastKnownBytes) values.emplace_back(trim(value));
  }
  return values;
}

ChatRequest fit_to_send(const ChatRequest& request, const std::vector<std::string>& known, std::size_t& count) {
  ChatRequest fit = request;
  const auto mask = [&](std::string& text) {
    MaskedText masked = mask_secrets(as_utf8(text), known);
    count += masked.count;
    text = std::move(masked.text);
  };
  mask(fit.system);
  for (ChatTurn& turn : fit.turns) {
    mask(turn.text);
    for (ToolCall& call : turn.calls) mask(call.arguments_json);
  }
  return fit;
}

}  // namespace lockstep::writer
