#include "base/secrets.h"

#include <array>
#include <cstdlib>

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
  std::string out;
  out.reserve(plain.size());
  for (std::size_t at = 0; at < plain.size();) {
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

}  // namespace lockstep
