// What the user asked for (--model, --model-url, --model-api), the user's own settings and the environment -> which
// model on which server, and the key for that server. A key is only ever paired with the server that it is for.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "forge/place.h"
#include "writer/model/settings.h"

namespace lockstep::writer {

/// A model on a server.
struct ModelPlace {
  std::string name;
  WireApi api = WireApi::kOpenAi;
  std::string url;             ///< Of the endpoint itself: "https://api.openai.com/v1/chat/completions".
  std::string request_fields;  ///< As ModelSettings: only where the settings are for this server.
};

/// What the command line says.
struct PlaceOptions {
  std::string name;  ///< "default": the one of the settings.
  std::optional<std::string> url;
  std::optional<WireApi> api;
};

/// The endpoint. A base address gets the path of its API ("/v1/chat/completions", "/v1/messages"; of "…/v1" only what
/// follows); an address of an endpoint stays. Without --model-api and `api`: Anthropic's for the host api.anthropic.com
/// and for addresses that end in /v1/messages, else OpenAI's. Error: no http or https address, or one with credentials.
Result<ModelPlace> resolve_place(const PlaceOptions& options, const ModelSettings& settings);

/// The key for `place`: of the variable that the settings name, if their address is of the same server (or they name
/// none); else ANTHROPIC_API_KEY or OPENAI_API_KEY for the vendor's own server alone; else LOCKSTEP_API_KEY. Empty
/// where a server of one's own gets none. Error: the variable that the settings name, or that the vendor needs, is not
/// set.
Result<forge::Token> find_key(const ModelPlace& place, const ModelSettings& settings);

/// What a user can do about a wrong or missing key of this place: names the variable.
std::string key_advice(const ModelPlace& place, const forge::Token& key);

/// The key would travel unencrypted beyond this machine.
bool is_key_in_clear(const ModelPlace& place, const forge::Token& key);

}  // namespace lockstep::writer
