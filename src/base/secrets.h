// Text for people -> the same text without credentials. Every message that may carry what a user typed, configured or
// got from a server passes through here before it is printed.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

/// `text` with these replaced by "***": the user part of addresses ("https://TOKEN@host"), values of the query fields
/// that carry tokens ("?access_token=…"), values of Authorization headers, GitHub's and GitLab's token formats, and the
/// values of the environment variables that hold tokens (secret_variables()).
std::string without_secrets(std::string_view text);

/// Environment variables whose values are secret, as GitHub's tools and Lockstep read them; ends with nullptr.
const char* const* secret_variables();

}  // namespace lockstep
