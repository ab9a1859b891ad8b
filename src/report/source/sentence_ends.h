// Where the sentences of a text end: "e.g. x", "(i.e. y)" and "a vs. b" end none.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::report {

/// Whether the character at `at` ends a sentence: a full stop, question or exclamation mark before a blank or at the
/// end of the text, and not that of an abbreviation. "etc." ends one before a capital.
bool ends_sentence(std::string_view text, std::size_t at);

/// Behind the mark that ends the sentence which holds `from`; the text's size where nothing ends it.
std::size_t sentence_end(std::string_view text, std::size_t from);

/// Where the sentence that holds `at` begins.
std::size_t sentence_begin(std::string_view text, std::size_t at);

}  // namespace lockstep::report
