// Text that is about to leave the machine -> the same text without secrets that somebody left in code: tokens of known
// formats, private keys, passwords in addresses, and what looks random where a name says that it is a key. Lines stay
// lines, so that line numbers hold. Code that merely handles secrets (`token=args.token`) stays as it is: a mask that
// garbles code would make the model write about code that does not exist.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "writer/model/chat.h"

namespace lockstep::writer {

/// Stands where a secret stood.
inline constexpr std::string_view kSecretMask = "[secret masked]";

struct MaskedText {
  std::string text;
  std::size_t count = 0;  ///< Masks in it.
};

/// `known`: values that are secret whatever they look like (the key itself, tokens in the environment).
MaskedText mask_secrets(std::string_view text, const std::vector<std::string>& known);

/// The values of the environment variables that hold tokens (base/secrets.h).
std::vector<std::string> secrets_of_environment();

/// `request` as it may be sent: masked, and valid UTF-8. Adds the number of masks to `count`.
ChatRequest fit_to_send(const ChatRequest& request, const std::vector<std::string>& known, std::size_t& count);

namespace internal {

/// A stretch of `length` bytes that is secret, after `kept` bytes that are not. A length of 0: nothing is.
struct Stretch {
  std::size_t kept = 0;
  std::size_t length = 0;
};

/// The value of an assignment that starts at the name in `rest` ("api_key = '…'", "Password=…;", "\"secret\": \"…\"").
/// `name_size`: bytes of the name.
Stretch secret_assignment(std::string_view rest, std::size_t name_size);

/// "Bearer x" and "Basic x" in `rest`.
Stretch authorization_value(std::string_view rest);

/// The private keys of a text (RFC 7468). A begin alone is none: code that looks for keys names it too.
class PrivateKeys {
 public:
  explicit PrivateKeys(std::string_view text) : text_(text) {}

  /// The body of a key that begins at `at`: `kept` is the line of its begin.
  Stretch at(std::size_t at);

 private:
  std::string_view text_;
  std::size_t next_end_ = 0;  // where the next end was found; remembered, so that begins without one cost nothing
};

/// Appends the body of a key: its base64 goes; lines, and what a diff or a listing put before them, stay.
void append_masked_key(std::string_view body, MaskedText& out);

/// Enough different characters, with digits among them, to be no word and no placeholder ("ghp_xxxxxxxx").
bool is_varied(std::string_view text);

}  // namespace internal

}  // namespace lockstep::writer
