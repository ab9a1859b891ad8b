// Untrusted text -> text that is safe to show: valid UTF-8 without control, bidirectional and invisible characters,
// which become visible ("⟨U+202E⟩"). Leaves out the syntax of any output format.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::render {

/// Bytes that are not UTF-8 become U+FFFD; tabs and "\n" stay when `keep_layout`, else they become a space.
std::string visible_text(std::string_view untrusted, bool keep_layout);

}  // namespace lockstep::render
