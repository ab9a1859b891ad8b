#include "base/secrets.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "base/strings.h"

namespace lockstep {

namespace {

constexpr std::string_view kMask = "***";
// Shorter values are no tokens, and masking them would garble ordinary words.
constexpr std::size_t kLeastSecretBytes = 6;

constexpr std::array<const char*, 12> kVariables = {
    "GITHUB_TOKEN",          "GH_TOKEN",     "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "INPUT_TOKEN",
    "ACTIONS_RUNTIME_TOKEN", "GITLAB_TOKEN", "CI_JOB_TOKEN",        "ANTHROPIC_API_KEY",       "OPENAI_API_KEY",
    "LOCKSTEP_API_KEY",      nullptr};

// Formats:
// https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github
constexpr std::array<std::string_view, 7> kTokenStarts = {"ghp_", "gho_",        "ghu_",  "ghs_",
                                                          "ghr_", "github_pat_", "glpat-"};
constexpr std::array<std::string_view, 5> kQueryFields = {
    "access_token=", "private_token=", "token=", "client_secret=", "authorization: "};

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

bool ends_address(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '/' || c == '?' || c == '#' || c == '\'' || c == '"' || c == '<';
}

bool ends_value(char c) { return c == '\n' || c == '\r' || c == '&' || c == '\'' || c == '"' || c == '<'; }

// The length of what is secret at `at`, after `kept` bytes that may be shown; 0 for nothing.
struct Stretch {
  std::size_t kept = 0;
  std::size_t length = 0;
};

Stretch user_part(std::string_view rest) {
  if (!rest.starts_with("://")) return {};
  std::size_t end = 3, last_at = 0;
  while (end < rest.size() && !ends_address(rest[end])) {
    if (rest[end] == '@') last_at = end;
    ++end;
  }
  return last_at > 3 ? Stretch{3, last_at - 3} : Stretch{};
}

Stretch known_format(std::string_view rest) {
  for (const std::string_view start : kTokenStarts) {
    if (!rest.starts_with(start)) continue;
    std::size_t end = start.size();
    while (end < rest.size() && is_word(rest[end])) ++end;
    if (end - start.size() >= kLeastSecretBytes) return {0, end};
  }
  return {};
}

Stretch named_value(std::string_view rest) {
  for (const std::string_view field : kQueryFields) {
    if (to_lower(rest.substr(0, field.size())) != field) continue;
    std::size_t end = field.size();
    const bool is_header = field.back() == ' ';  // "Authorization: Bearer x": up to the end of the line
    while (end < rest.size() && !ends_value(rest[end]) && (is_header || rest[end] != ' ')) ++end;
    if (end > field.size()) return {field.size(), end - field.size()};
  }
  return {};
}

/// How a credential starts, what it is, and how long it is at least, as their issuers document it.
struct Shape {
  std::string_view prefix;
  std::string_view what;
  std::size_t least;
};

constexpr std::array<Shape, 14> kShapes = {{
    {"AKIA", "an AWS access key", 20},
    {"ASIA", "an AWS access key", 20},
    {"ghp_", "a GitHub token", 36},
    {"gho_", "a GitHub token", 36},
    {"ghs_", "a GitHub token", 36},
    {"ghu_", "a GitHub token", 36},
    {"github_pat_", "a GitHub token", 60},
    {"glpat-", "a GitLab token", 24},
    {"xoxb-", "a Slack token", 30},
    {"xoxp-", "a Slack token", 30},
    {"sk-ant-", "an API key", 40},
    {"sk-proj-", "an API key", 40},
    {"AIza", "a Google API key", 39},
    {"hf_", "a Hugging Face token", 34},
}};

constexpr std::size_t kMostSecretBytes = 128;  // of what a person chose

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A placeholder repeats itself ("ghp_xxxxxxxx") or has no digit and letter together.
bool looks_random(std::string_view token) {
  std::size_t longest = 1, run = 1;
  for (std::size_t i = 1; i < token.size(); ++i) {
    run = token[i] == token[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return std::any_of(token.begin(), token.end(), is_digit) && std::any_of(token.begin(), token.end(), is_letter) &&
         longest < 5;
}

// What a person would choose, not what a document shows instead.
bool looks_chosen(std::string_view value) {
  if (value.size() < kLeastSecretBytes || value.size() > kMostSecretBytes || !looks_random(value)) return false;
  if (value.find_first_of("<>{}()[]$*\\") != std::string_view::npos || value.front() == '/' || value.front() == '~')
    return false;
  const std::string lower = to_lower(value);
  for (const std::string_view part : {"xxx", "your", "example", "change", "placeholder", "secret", "passw", "token",
                                      "redacted", "dummy", "test", "none", "null", "environ", "123456"}) {
    if (contains(lower, part)) return false;
  }
  // "args.password2", "user1_password": names of code.
  return value.find('.') == std::string_view::npos || value.find_first_of("!@#%^&+=?~") != std::string_view::npos;
}

std::optional<FoundSecret> shaped_secret(std::string_view text, std::size_t at) {
  if (at > 0 && is_word(text[at - 1])) return std::nullopt;
  for (const Shape& shape : kShapes) {
    if (!text.substr(at).starts_with(shape.prefix)) continue;
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::size_t key = at + shape.prefix.size();
    // Keys behind these starts are letters and digits only.
    const bool is_plain = shape.prefix.back() == '_' && shape.prefix != "github_pat_";
    if (is_plain && text.substr(key, end - key).find_first_of("_-") != std::string_view::npos) continue;
    if (end - at >= shape.least && looks_random(text.substr(key, end - key)))
      return FoundSecret{at, end - at, shape.what};
  }
  return std::nullopt;
}

// "password: x", "PASSWORD=x", "db_password = 'x'"
std::optional<FoundSecret> named_password(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 2> kNames = {"password", "passwd"};
  for (const std::string_view name : kNames) {
    if (to_lower(text.substr(at, name.size())) != name || (at > 0 && is_letter(text[at - 1]))) continue;
    std::size_t value = at + name.size();
    while (value < text.size() &&
           (text[value] == '`' || text[value] == '"' || text[value] == '\'' || text[value] == '*'))
      ++value;
    while (value < text.size() && text[value] == ' ') ++value;
    if (value >= text.size() || (text[value] != ':' && text[value] != '=')) continue;
    ++value;
    while (value < text.size() &&
           (text[value] == ' ' || text[value] == '`' || text[value] == '"' || text[value] == '\''))
      ++value;
    std::size_t end = value;
    const std::size_t most = std::min(text.size(), value + kMostSecretBytes + 1);
    while (end<most&& static_cast<unsigned char>(text[end])> ' ' && text[end] != '`' && text[end] != '"' &&
           text[end] != '\'' && text[end] != ',' && text[end] != ';')
      ++end;
    while (end > value && text[end - 1] == '.') --end;
    if (looks_chosen(text.substr(value, end - value))) return FoundSecret{value, end - value, "a password"};
  }
  return std::nullopt;
}

// "scheme://user:password@host"
std::optional<FoundSecret> password_of_address(std::string_view text, std::size_t at) {
  const Stretch user = user_part(text.substr(at));
  if (user.length == 0) return std::nullopt;
  const std::size_t begin = at + user.kept;
  const std::size_t colon = text.substr(begin, user.length).find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view value = text.substr(begin + colon + 1, user.length - colon - 1);
  if (!looks_chosen(value)) return std::nullopt;
  return FoundSecret{begin + colon + 1, value.size(), "the password of an address"};
}

std::optional<FoundSecret> found_at(std::string_view text, std::size_t at) {
  switch (text[at]) {
    case ':':
      return password_of_address(text, at);
    case 'p':
    case 'P':
      return named_password(text, at);
    case 'A':
    case 'g':
    case 'x':
    case 's':
    case 'h':
      return shaped_secret(text, at);
    default:
      return std::nullopt;
  }
}

Stretch secret_at(std::string_view rest) {
  switch (rest.front()) {
    case ':':
      return user_part(rest);
    case 'g':
      return known_format(rest);
    case 'a':
    case 'A':
    case 'p':
    case 'P':
    case 't':
    case 'T':
    case 'c':
    case 'C':
      return named_value(rest);
    default:
      return {};
  }
}

}  // namespace

const char* const* secret_variables() { return kVariables.data(); }

std::string without_secrets(std::string_view text) {
  std::string plain(text);
  for (const char* const* name = secret_variables(); *name != nullptr; ++name) {
    const char* value = std::getenv(*name);
    if (value == nullptr) continue;
    const std::string_view secret = trim(value);
    if (secret.size() >= kLeastSecretBytes) plain = replace_all(plain, secret, kMask);
  }
  const std::vector<FoundSecret> found = find_secrets(plain);
  auto next = found.begin();
  std::string out;
  out.reserve(plain.size());
  for (std::size_t at = 0; at < plain.size();) {
    while (next != found.end() && next->begin < at) ++next;
    if (next != found.end() && next->begin == at) {
      out += kMask;
      at += next->length;
      continue;
    }
    const Stretch secret = secret_at(std::string_view(plain).substr(at));
    if (secret.length == 0) {
      out += plain[at++];
      continue;
    }
    out.append(plain, at, secret.kept);
    out += kMask;
    at += secret.kept + secret.length;
  }
  return out;
}

std::vector<FoundSecret> find_secrets(std::string_view text) {
  std::vector<FoundSecret> found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::optional<FoundSecret> one = found_at(text, at);
    if (!one) continue;
    found.push_back(*one);
    at = one->begin + one->length - 1;
  }
  return found;
}

}  // namespace lockstep
