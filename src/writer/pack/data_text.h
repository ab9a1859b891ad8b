// Text of the repository -> the same text, harmless to whoever reads it next: what a person cannot see or read in it
// (tag characters, encoded runs) is shown as such or cut short, so that it cannot carry words to a language model that
// its user does not see. Fences, escapes and labels are for render/.
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"

namespace lockstep::writer {

/// Invisible characters become "⟨U+E0041⟩" (render/text_safety.h, and variation selectors and fillers), runs of base64
/// and the like of kLongestEncoded characters or more are cut: "iVBORw0KGgoA…⟨4096 encoded characters⟩". Tabs and line
/// ends stay.
std::string data_text(std::string_view untrusted);
/// No identifier or path of Megatron-LM or torchtitan reads like base64 for so long; a sentence hidden in it needs
/// more.
inline constexpr std::size_t kLongestEncoded = 60;

/// The same for all text in a document.
void make_harmless(report::Document& document);

}  // namespace lockstep::writer
