// What a model wrote of a change -> the code that it speaks of without having been shown it: functions that it knows by
// their names alone are where its inferences go wrong (docs/model.md, measured), so they are put before it when it
// reads its text again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/inputs.h"
#include "writer/author/claims.h"

namespace lockstep::writer {

/// Functions that `text` names in back-quotes and lines that it names by their place, of the side after the change, as
/// far as they do not stand in `material`: numbered source in Markdown, harmless (data_text.h), of at most about
/// `tokens` tokens, in the order of the text. Long functions are shown around what the text names. Empty where its
/// writer has seen all of them.
std::string unseen_code(const report::DocumentInputs& inputs, std::string_view text, const Material& material,
                        std::size_t tokens);

}  // namespace lockstep::writer
