// Names of secrets and what is assigned to them. Two kinds of names: those that say so (api_key, client_secret), whose
// random-looking values are masked in any alphabet, and those that may (token, key), for which a model's or a file's
// name
// ("Qwen2-VL-72B-Instruct") must not be taken for a secret.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/strings.h"
#include "writer/model/mask.h"

namespace lockstep::writer::internal {

namespace {

enum class NameKind { kNone, kPerhaps, kSecret, kPassword };

constexpr std::size_t kMostNameBytes = 100;
// A longer value is judged by its start, so that hostile text cannot make each name read all that follows.
constexpr std::size_t kMostValueBytes = 512;

constexpr std::array<std::string_view, 15> kSecretNames = {
    "apikey",   "secret",     "accesskey",  "privatekey",    "accountkey", "authtoken",    "accesstoken", "bearertoken",
    "apitoken", "credential", "signingkey", "encryptionkey", "authkey",    "sessiontoken", "refreshtoken"};
constexpr std::array<std::string_view, 4> kPasswordNames = {"password", "passwd", "passphrase", "pwd"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

NameKind kind_of(std::string_view name) {
  if (name.size() > kMostNameBytes) return NameKind::kNone;
  std::string plain = to_lower(name);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-'; });
  const auto is_in = [&](std::string_view part) { return contains(plain, part); };
  if (std::any_of(kPasswordNames.begin(), kPasswordNames.end(), is_in)) return NameKind::kPassword;
  if (std::any_of(kSecretNames.begin(), kSecretNames.end(), is_in)) return NameKind::kSecret;
  if (plain.ends_with("token") || plain == "key") return NameKind::kPerhaps;
  return NameKind::kNone;
}

// Where the value of an assignment begins: behind "=", ":", "=>", or ": str =".
std::size_t value_start(std::string_view rest, std::size_t at) {
  if (at + 1 < rest.size() && rest[at] == '\\' && is_quote(rest[at + 1])) ++at;  // within a string of JSON
  if (at < rest.size() && is_quote(rest[at])) ++at;                              // "name": value
  if (at < rest.size() && rest[at] == ']') ++at;                                 // environ["name"] = value
  while (at < rest.size() && is_space(rest[at])) ++at;
  if (at >= rest.size() || (rest[at] != '=' && rest[at] != ':')) return std::string_view::npos;
  const char operation = rest[at++];
  if (at < rest.size() &&
      (rest[at] == '=' || (operation == '=' && rest[at] == '>') || (operation == ':' && rest[at] == ':')))
    ++at;
  while (at < rest.size() && is_space(rest[at])) ++at;
  if (operation == ':') {  // an annotation: `name: str = "…"`
    std::size_t end = at;
    while (end < rest.size() && end - at < 40 && !is_quote(rest[end]) && rest[end] != '\n' && rest[end] != '=') ++end;
    if (end < rest.size() && rest[end] == '=' && end > at && is_space(rest[end - 1])) {
      at = end + 1;
      while (at < rest.size() && is_space(rest[at])) ++at;
    }
  }
  return at;
}

struct Value {
  std::size_t start = 0;
  std::size_t size = 0;
  bool is_quoted = false;
};

Value value_at(std::string_view rest, std::size_t at) {
  if (at < rest.size() && (rest[at] == 'b' || rest[at] == 'r' || rest[at] == 'u') && at + 1 < rest.size() &&
      is_quote(rest[at + 1]))
    ++at;
  if (at >= rest.size()) return {};
  const std::size_t most = std::min(rest.size(), at + kMostValueBytes);
  std::size_t end = at;
  if (is_quote(rest[at]) || (rest[at] == '\\' && at + 1 < most && is_quote(rest[at + 1]))) {
    // A quote within a JSON string is escaped: \"…\".
    const char quote = rest[at] == '\\' ? rest[++at] : rest[at];
    end = ++at;
    while (end < most && rest[end] != quote && rest[end] != '\n' && rest[end] != '\\') ++end;
    return {at, end - at, true};
  }
  constexpr std::string_view kEnds = " \t\r\n,;:)&\"'`<>]}\\";
  for (; end < most && kEnds.find(rest[end]) == std::string_view::npos; ++end) {
    const bool is_padding =
        end + 1 >= rest.size() || rest[end + 1] == '=' || kEnds.find(rest[end + 1]) != std::string_view::npos;
    if (rest[end] == '=' && !is_padding) break;  // another assignment
  }
  return {at, end - at, false};
}

double bits_a_character(std::string_view text) {
  std::array<std::size_t, 256> counts{};
  for (const char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const std::size_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(text.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

// A run without separators that nobody would write by hand. Shannon's bits: English words have about 3 in 16 letters,
// random base64 of 20 has 4; random hexadecimal digits have 3.5 in 32.
bool is_random_run(std::string_view run) {
  const auto count = [&](auto is_of) { return static_cast<std::size_t>(std::count_if(run.begin(), run.end(), is_of)); };
  const std::size_t digits = count(is_digit), lowers = count(is_lower), uppers = count(is_upper);
  if (run.size() < 16 || digits == 0 || lowers + uppers == 0) return false;
  const bool is_hex = std::all_of(
      run.begin(), run.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
  if (is_hex) return run.size() >= 32 && is_varied(run);
  const double bits = bits_a_character(run);
  if (lowers > 0 && uppers > 0) return bits >= 3.5 && digits * 16 >= run.size();
  return run.size() >= 20 && digits * 100 >= run.size() * 15 && bits >= 3.5;
}

bool has_random_run(std::string_view value, std::string_view joiners) {
  for (std::size_t at = 0; at < value.size();) {
    std::size_t end = at;
    while (end < value.size() && (is_digit(value[end]) || is_lower(value[end]) || is_upper(value[end]) ||
                                  joiners.find(value[end]) != std::string_view::npos))
      ++end;
    if (is_random_run(value.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

bool is_place_or_path(std::string_view value) {
  return value.find_first_of("{}$<>%()[] \t") != std::string_view::npos || value.starts_with('/') ||
         value.starts_with('.') || value.starts_with('~') || contains(value, "://") || contains(value, "...");
}

// Passwords are chosen by people: a literal of letters with digits or signs among them.
bool is_password(std::string_view value, bool is_quoted) {
  if (value.size() < 6 || is_place_or_path(value)) return false;
  const bool has_letter = std::any_of(value.begin(), value.end(), [](char c) { return is_lower(c) || is_upper(c); });
  const bool has_digit = std::any_of(value.begin(), value.end(), is_digit);
  const bool has_sign = value.find_first_of("!@#^*+~?|") != std::string_view::npos;
  if (!has_letter || !(has_digit || has_sign)) return false;
  // Without quotes it may be a name or an expression: `password=password2`, `password=cfg.db1`.
  return is_quoted || (has_digit && has_sign) || has_random_run(value, "+/=");
}

bool is_secret_value(NameKind kind, const Value& value, std::string_view text) {
  if (kind == NameKind::kPassword) return is_password(text, value.is_quoted);
  if (text.size() < 16 || is_place_or_path(text)) return false;
  if (kind == NameKind::kPerhaps) return has_random_run(text, "");
  return has_random_run(text, "+/=") || (text.size() >= 24 && has_random_run(text, "_-"));
}

}  // namespace

Stretch secret_assignment(std::string_view rest, std::size_t name_size) {
  const NameKind kind = kind_of(rest.substr(0, name_size));
  if (kind == NameKind::kNone) return {};
  const std::size_t start = value_start(rest, name_size);
  if (start == std::string_view::npos) return {};
  const Value value = value_at(rest, start);
  if (value.size == 0 || !is_secret_value(kind, value, rest.substr(value.start, value.size))) return {};
  std::size_t end = value.start + value.size;
  if (value.size >= kMostValueBytes - 8) {
    while (end < rest.size() && !is_quote(rest[end]) && rest[end] != '\n' && !is_space(rest[end])) ++end;
  }
  return {value.start, end - value.start};
}

Stretch authorization_value(std::string_view rest) {
  if (rest.empty() || (rest.front() != 'b' && rest.front() != 'B')) return {};
  for (const std::string_view scheme : {"bearer ", "basic "}) {
    if (to_lower(rest.substr(0, scheme.size())) != scheme) continue;
    std::size_t end = scheme.size();
    constexpr std::string_view kSigns = "-._~+/=";
    while (end < rest.size() && (is_digit(rest[end]) || is_lower(rest[end]) || is_upper(rest[end]) ||
                                 kSigns.find(rest[end]) != std::string_view::npos))
      ++end;
    if (has_random_run(rest.substr(scheme.size(), end - scheme.size()), "-._~+/="))
      return {scheme.size(), end - scheme.size()};
  }
  return {};
}

}  // namespace lockstep::writer::internal
