// Words by which a sentence of a model says something of all there are.
#pragma once

#include <string_view>

namespace lockstep::writer {

/// The words by which a sentence says that there is none, or no other ("no test", "the only"): one that is overlooked
/// makes it false. Empty where it does not.
std::string_view words_of_all(std::string_view sentence);

}  // namespace lockstep::writer
