// Untrusted text -> text inside HTML; hashes with which a page's policy names its own style and scripts.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::render {

/// Safe in element content and in attributes in double quotes; control and bidirectional characters become visible.
/// Line ends and tabs stay only with `keep_layout`.
std::string html_escaped(std::string_view untrusted, bool keep_layout = false);

/// "'sha256-…'" of an embedded part (html_parts.h), for a content security policy.
std::string policy_hash(std::string_view part);

}  // namespace lockstep::render
