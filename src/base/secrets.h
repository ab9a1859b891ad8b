// Text for people -> the same text without credentials. Every message that may carry what a user typed, configured or
// got from a server passes through here before it is printed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// `text` with these replaced by "***": the user part of addresses ("https://TOKEN@host"), values of the query fields
/// that carry tokens ("?access_token=…"), values of Authorization headers, GitHub's and GitLab's token formats, the
/// values of the environment variables that hold tokens (secret_variables()), and what find_secrets finds.
std::string without_secrets(std::string_view text);

/// A credential in a text.
struct FoundSecret {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::string_view what;  ///< "an AWS access key"; static storage.
};
/// Credentials that look real, in the order of the text: keys of known formats, the value after "password:" and
/// "password=", the password of "scheme://user:password@host". A placeholder ("<token>", "$TOKEN", "xxxx", "changeme",
/// a value without digits or without letters) is none.
std::vector<FoundSecret> find_secrets(std::string_view text);

/// Environment variables whose values are secret, as GitHub's tools and Lockstep read them; ends with nullptr.
const char* const* secret_variables();

}  // namespace lockstep
