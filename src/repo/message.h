// Commit messages: bytes of unknown encoding → valid UTF-8, subject and body; seconds → ISO dates. Private to this
// room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::repo {

/// Valid UTF-8: bytes that are not become U+FFFD.
std::string to_utf8(std::string_view bytes);
/// ISO-8859-1 to UTF-8.
std::string latin1_to_utf8(std::string_view bytes);

struct MessageParts {
  std::string subject;  ///< The first paragraph on one line, as Git's %s.
  std::string body;     ///< Without blank lines at its ends.
};
MessageParts split_message(std::string_view message);

/// "2024-05-31T09:30:00Z" from seconds since 1970.
std::string iso_date(std::int64_t seconds);
/// The date of a mail header ("Fri, 31 May 2024 11:30:00 +0200") in UTC as above; nullopt if it is none.
std::optional<std::string> iso_date_of_mail(std::string_view text);

}  // namespace lockstep::repo
