#include "writer/model/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/strings.h"
#include "forge/http.h"

namespace lockstep::writer {

namespace {

struct Vendor {
  std::string_view origin;
  const char* variable;
};

Vendor vendor_of(WireApi api) {
  return api == WireApi::kAnthropic ? Vendor{"https://api.anthropic.com", "ANTHROPIC_API_KEY"}
                                    : Vendor{"https://api.openai.com", "OPENAI_API_KEY"};
}

constexpr const char* kOwnVariable = "LOCKSTEP_API_KEY";

std::string_view endpoint_of(WireApi api) { return api == WireApi::kAnthropic ? "/messages" : "/chat/completions"; }

std::string host_of(std::string_view url) {
  const std::string origin = forge::origin_of(url);
  const std::size_t start = origin.find("://");
  if (start == std::string::npos) return {};
  const std::string authority = origin.substr(start + 3);
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  return authority.substr(0, authority.find(':'));
}

Result<void> check_address(const std::string& url) {
  const std::string advice = "give an address such as https://llm.example.org or http://localhost:8000/v1";
  const bool is_plain = std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7f; });
  const std::string origin = forge::origin_of(url);
  if (!is_plain || (!origin.starts_with("http://") && !origin.starts_with("https://")) || host_of(url).empty() ||
      contains(url, "#") || contains(url, "\\"))
    return fail("the model's address is no http or https address", advice);
  const std::size_t start = url.find("://") + 3;
  if (contains(std::string_view(url).substr(start, url.find_first_of("/?", start) - start), "@"))
    return fail("the model's address has credentials in it",
                "put the key into an environment variable, and name it with key-env in [model] of your configuration");
  return {};
}

std::string_view without_slashes(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// "/v1", "/api/v3": a path that says the version already.
bool ends_in_version(std::string_view path) {
  const std::string_view last = path.substr(path.rfind('/') + 1);
  return last.size() >= 2 && last[0] == 'v' &&
         std::all_of(last.begin() + 1, last.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string endpoint_url(const std::string& url, WireApi api) {
  const std::size_t query = url.find('?');
  const std::string_view base = without_slashes(std::string_view(url).substr(0, query));
  const std::string_view rest = query == std::string::npos ? std::string_view() : std::string_view(url).substr(query);
  const std::string_view endpoint = endpoint_of(api);
  if (base.ends_with(endpoint)) return fmt::format("{}{}", base, rest);
  const std::string_view path = base.substr(std::min(base.size(), base.find('/', base.find("://") + 3)));
  return fmt::format("{}{}{}{}", base, ends_in_version(path) ? "" : "/v1", endpoint, rest);
}

WireApi guess_api(std::string_view url) {
  const std::string_view base = without_slashes(url.substr(0, url.find('?')));
  const bool is_anthropic = host_of(url) == "api.anthropic.com" || base.ends_with("/v1/messages");
  return is_anthropic ? WireApi::kAnthropic : WireApi::kOpenAi;
}

bool settings_are_for(const ModelSettings& settings, const ModelPlace& place) {
  return settings.url.empty() || forge::origin_of(settings.url) == forge::origin_of(place.url);
}

// nullopt: not set.
Result<std::optional<forge::Token>> key_in(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  const std::string_view key = value == nullptr ? std::string_view() : trim(value);
  if (key.empty()) return std::optional<forge::Token>();
  if (!std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7f; }))
    return fail(fmt::format("what {} holds is no key: it has spaces or other characters that no key has", variable),
                "copy the key again");
  return std::optional<forge::Token>(forge::Token(std::string(key), variable));
}

}  // namespace

namespace {

Result<ModelPlace> place_of(const PlaceOptions& options, const ModelSettings& settings) {
  ModelPlace place;
  place.name = options.name == "default" ? settings.name : options.name;
  if (place.name.empty())
    return fail("no model is named", options.name == "default" ? "write `name` into [model] of your configuration"
                                                               : "name one: --model NAME");
  const std::string url = options.url.value_or(settings.url);
  // The settings' API belongs to their address.
  std::optional<WireApi> api = options.api;
  if (!api &&
      (!options.url || forge::origin_of(*options.url) == forge::origin_of(settings.url) || settings.url.empty()))
    api = settings.api;
  if (url.empty() && !options.url) {
    place.api = api.value_or(WireApi::kOpenAi);
    place.url = endpoint_url(std::string(vendor_of(place.api).origin), place.api);
    return place;
  }
  const Result<void> good = check_address(url);
  if (!good) return tl::unexpected<Error>(good.error());
  place.api = api.value_or(guess_api(url));
  place.url = endpoint_url(url, place.api);
  return place;
}

}  // namespace

Result<ModelPlace> resolve_place(const PlaceOptions& options, const ModelSettings& settings) {
  Result<ModelPlace> place = place_of(options, settings);
  // What one server is asked for in its own words is nothing for another.
  if (place && settings_are_for(settings, *place)) place->request_fields = settings.request_fields;
  return place;
}

Result<forge::Token> find_key(const ModelPlace& place, const ModelSettings& settings) {
  if (!settings.key_variable.empty() && settings_are_for(settings, place)) {
    Result<std::optional<forge::Token>> key = key_in(settings.key_variable);
    if (!key) return tl::unexpected<Error>(key.error());
    if (*key) return std::move(**key);
    return fail(
        fmt::format("the environment variable {}, which your configuration names for the model's key, is not set",
                    settings.key_variable),
        fmt::format("export {}=…", settings.key_variable));
  }
  const Vendor vendor = vendor_of(place.api);
  const bool is_vendor = forge::origin_of(place.url) == vendor.origin;
  for (const char* variable : {is_vendor ? vendor.variable : kOwnVariable, kOwnVariable}) {
    Result<std::optional<forge::Token>> key = key_in(variable);
    if (!key) return tl::unexpected<Error>(key.error());
    if (*key) return std::move(**key);
  }
  if (is_vendor) return fail(fmt::format("there is no key for {}", vendor.origin), key_advice(place, forge::Token()));
  return forge::Token();
}

std::string key_advice(const ModelPlace& place, const forge::Token& key) {
  if (!key.empty()) return fmt::format("check the key in {}", key.source());
  const Vendor vendor = vendor_of(place.api);
  if (forge::origin_of(place.url) == vendor.origin) return fmt::format("put your key into {}", vendor.variable);
  return fmt::format("put the server's key into {}, or name a variable with key-env in [model] of your configuration",
                     kOwnVariable);
}

bool is_key_in_clear(const ModelPlace& place, const forge::Token& key) {
  const std::string host = host_of(place.url);
  const bool is_number =
      std::all_of(host.begin(), host.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  const bool is_here = host == "localhost" || host == "[::1]" || (is_number && host.starts_with("127."));
  return !key.empty() && forge::origin_of(place.url).starts_with("http://") && !is_here;
}

}  // namespace lockstep::writer
