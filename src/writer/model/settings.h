// The table [model] of the user's own configuration -> which server is asked, with which key, at what price.
//
//   [model]
//   name = "some-model"                # what `--model default` means
//   url = "https://llm.example.org"    # base address; default: the vendor's of `api`
//   api = "openai"                     # or "anthropic"
//   key-env = "EXAMPLE_API_KEY"        # the environment variable that holds the key
//   input-price = 3.0                  # for a million tokens
//   cached-input-price = 0.3           # of those that the server had kept (default: input-price)
//   output-price = 15.0
//   currency = "USD"                   # only printed
//   context-tokens = 128000
//
//   [model.request]                    # fields that each request to `url` carries besides Lockstep's own
//   reasoning_effort = "low"
//
// It is read from the user's own files alone (settings_of_user). The repository under review is hostile: a file of its
// that could name an address and an environment variable would send the user's key wherever it likes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lockstep::writer {

enum class WireApi { kOpenAi, kAnthropic };

/// In `currency`, for a million tokens.
struct Prices {
  double input = 0;
  double cached_input = 0;
  double output = 0;
  std::string currency = "USD";
};

struct ModelSettings {
  std::string name;
  std::string url;
  std::optional<WireApi> api;
  std::string key_variable;
  std::optional<Prices> prices;
  std::size_t context_tokens = 0;  ///< 0: not known.
  std::string request_fields;      ///< A JSON object; empty: none. None of it is a field that Lockstep writes itself.
};

/// "openai" or "anthropic".
std::optional<WireApi> api_of(std::string_view name);

/// The table of TOML text; nullopt where there is none. `name` is what errors call the file. Unknown keys and values of
/// the wrong type are errors. `is_model_only`: any other table is an error too.
Result<std::optional<ModelSettings>> parse_model_settings(std::string_view text, std::string_view name,
                                                          bool is_model_only);

/// [model] of `config` (the file that the user named with --config) if it has one, else of the user's own
/// $XDG_CONFIG_HOME/lockstep/config.toml (~/.config/lockstep/config.toml); the two are never mixed. Error: `config` has
/// a [model] and lies inside the repository to which `directory` belongs.
Result<ModelSettings> settings_of_user(const std::optional<std::string>& config, const std::string& directory);

}  // namespace lockstep::writer
