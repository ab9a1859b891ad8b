#include "writer/model/setback.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/secrets.h"
#include "base/strings.h"
#include "writer/model/json_text.h"

namespace lockstep::writer {

namespace {

using Kind = ChatFailure::Kind;
using Next = Setback::Next;

// Longer waits than a day are no use to anybody, and keep sums finite.
constexpr double kMostSeconds = 86400;
constexpr std::size_t kMostWordBytes = 600;

// How servers say that a request is longer than the context, in lower case.
constexpr std::array<std::string_view, 17> kTooLongWords = {
    "maximum context length",                // OpenAI, vLLM: "This model's maximum context length is 4096 tokens."
    "max context length",                    // Ollama: "prompt too long; exceeded max context length by 12 tokens"
    "context_length_exceeded",               // OpenAI's code
    "exceed_context_size",                   // llama.cpp's type "exceed_context_size_error"
    "available context size",                // llama.cpp: "the request exceeds the available context size"
    "exceeds context size",                  //
    "prompt is too long",                    // Anthropic: "prompt is too long: 210000 tokens > 200000 maximum"
    "exceed context limit",                  // Anthropic: "input length and `max_tokens` exceed context limit"
    "request_too_large",                     // Anthropic's type of a body over 32 MB
    "longer than the maximum model length",  // vLLM: "The decoder prompt (length 9) is longer than …"
    "maximum model length",                  // vLLM's newer words
    "exceeds the context",                   // Ollama: "the input length exceeds the context length"
    "exceed the context",                    //
    "context window",                        // OpenAI's newer models, LiteLLM
    "maximum prompt length",                 // xAI
    "input is too long",                     // Bedrock behind a gateway
    "request too large for",                 // OpenAI's 429 for a request above the limit of a minute
};

bool is_passing(long status) {
  return status == 408 || status == 409 || status == 425 || status == 429 ||
         (status >= 500 && status != 501 && status != 505);
}

bool is_passing_type(const ServerError& error) {
  const std::string& type = error.type;
  return type == "overloaded_error" || type == "api_error" || type == "rate_limit_error" || type == "timeout_error" ||
         type == "server_error" || type == "rate_limit_exceeded" || type == "InternalServerError" ||
         is_passing(error.status);
}

// What the server says may repeat the key.
std::string words_of(const ServerError& error, const forge::Token& key) {
  std::string words = error.message.empty() ? error.type : error.message;
  if (!key.empty()) words = replace_all(words, key.reveal(), "***");
  // "Incorrect API key provided: sk-ab…yz": not even the ends of it.
  for (std::size_t at = words.find("sk-"); at != std::string::npos; at = words.find("sk-", at + 3)) {
    const std::size_t end = std::min(words.size(), words.find_first_of(" \"'", at));
    words.replace(at, end - at, "***");
  }
  words = without_secrets(words).substr(0, kMostWordBytes);
  std::replace_if(
      words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return as_utf8(words);
}

std::string quoted(const std::string& words) { return words.empty() ? std::string() : fmt::format(": {}", words); }

Setback give_up(Kind kind, std::string message) { return {Next::kGiveUp, {kind, std::move(message)}, std::nullopt}; }

std::string denied_message(long status, const std::string& words, const ModelPlace& place, const forge::Token& key) {
  const std::string origin = forge::origin_of(place.url);
  if (status == 404)
    return fmt::format("{} knows no model '{}', or its address is another ({}){}; check --model and --model-url",
                       origin, place.name, place.url.substr(0, place.url.find('?')), quoted(words));
  if (status == 407) return fmt::format("the proxy before {} wants a name and a password; check https_proxy", origin);
  return fmt::format("{} refuses access ({}){}; {}", origin, status, quoted(words), key_advice(place, key));
}

// A 400 that another wording of the request avoids.
std::optional<Next> rewording(const ServerError& error, const ModelPlace& place) {
  if (place.api != WireApi::kOpenAi) return std::nullopt;
  const std::string said = to_lower(error.message);
  if (contains(said, "stream_options") || contains(said, "include_usage")) return Next::kWithoutStreamOptions;
  if (contains(said, "max_completion_tokens") || contains(said, "max_tokens")) return Next::kWithOtherLimit;
  return std::nullopt;
}

}  // namespace

std::optional<double> seconds_of_retry_after(std::string_view value, double now) {
  value = trim(value);
  if (value.empty()) return std::nullopt;
  const bool is_number =
      std::all_of(value.begin(), value.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  if (is_number) {
    double seconds = 0, unit = 1;
    bool is_fraction = false;
    for (const char c : value) {
      if (c == '.') {
        is_fraction = true;
      } else if (is_fraction) {
        seconds += (c - '0') * (unit /= 10);
      } else {
        seconds = std::min(seconds * 10 + (c - '0'), kMostSeconds);
      }
    }
    return std::min(seconds, kMostSeconds);
  }
  const time_t date = curl_getdate(std::string(value).c_str(), nullptr);
  if (date < 0) return std::nullopt;
  return std::clamp(static_cast<double>(date) - now, 0.0, kMostSeconds);
}

bool is_too_long(const ServerError& error) {
  const std::string said = to_lower(error.type + " " + error.message);
  return std::any_of(kTooLongWords.begin(), kTooLongWords.end(),
                     [&](std::string_view words) { return contains(said, words); });
}

Setback setback_of_status(const StreamOutcome& outcome, std::string_view body, const ModelPlace& place,
                          const forge::Token& key, double now) {
  const long status = outcome.status;
  const ServerError error = server_error_of(body);
  const std::string words = words_of(error, key);
  const std::string origin = forge::origin_of(place.url);
  if (status >= 300 && status < 400) {
    const std::string target = forge::origin_of(outcome.header("location"));
    return give_up(Kind::kDenied, fmt::format("{} sends requests on{}, where no key is sent; check --model-url", origin,
                                              target.empty() ? "" : " to " + target));
  }
  if (status == 413 || is_too_long(error))
    return give_up(Kind::kTooLong,
                   fmt::format("the request is longer than what {} takes{}", place.name, quoted(words)));
  if (error.type == "insufficient_quota" || status == 402)
    return give_up(Kind::kDenied, fmt::format("{} wants to be paid first{}", origin, quoted(words)));
  if (status == 401 || status == 403 || status == 404 || status == 407)
    return give_up(Kind::kDenied, denied_message(status, words, place, key));
  Setback setback = give_up(Kind::kOther, fmt::format("{} answers {}{}", origin, status, quoted(words)));
  if (is_passing(status)) {
    setback.next = Next::kAgain;
    setback.failure.kind = Kind::kExhausted;
    setback.wait_seconds = seconds_of_retry_after(outcome.header("retry-after"), now);
  } else if (const std::optional<Next> next = rewording(error, place); next && (status == 400 || status == 422)) {
    setback.next = *next;
  }
  return setback;
}

Setback setback_of_event(const ServerError& error, const ModelPlace& place, const forge::Token& key) {
  const std::string words = words_of(error, key);
  if (is_too_long(error))
    return give_up(Kind::kTooLong,
                   fmt::format("the request is longer than what {} takes{}", place.name, quoted(words)));
  Setback setback =
      give_up(Kind::kOther, fmt::format("{} broke off with an error{}", forge::origin_of(place.url), quoted(words)));
  if (error.type == "authentication_error" || error.type == "permission_error" || error.status == 401 ||
      error.status == 403) {
    setback.failure = {Kind::kDenied, denied_message(error.status == 403 ? 403 : 401, words, place, key)};
  } else if (is_passing_type(error)) {
    setback.next = Next::kAgain;
    setback.failure.kind = Kind::kExhausted;
  }
  return setback;
}

Setback setback_of_connection(const StreamOutcome& outcome, const ModelPlace& place) {
  switch (outcome.end) {
    case StreamEnd::kUntrusted:
      return give_up(Kind::kDenied, fmt::format("{}; check --model-url", outcome.message));
    case StreamEnd::kTooLarge:
      return give_up(Kind::kOther, outcome.message);
    case StreamEnd::kTooSlow:
      return give_up(Kind::kExhausted, outcome.message);
    case StreamEnd::kNoConnection:
      return {
          Next::kAgain,
          {Kind::kExhausted, fmt::format("{}; check --model-url, the network, and http_proxy and https_proxy if you "
                                         "need one",
                                         outcome.message)},
          std::nullopt};
    default:
      return {Next::kAgain,
              {Kind::kExhausted, outcome.message.empty()
                                     ? fmt::format("{} ended its answer too early", forge::origin_of(place.url))
                                     : outcome.message},
              std::nullopt};
  }
}

}  // namespace lockstep::writer
