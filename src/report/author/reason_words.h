// By which words a sentence gives a reason, and which sentences lean on the one before them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace lockstep::report {

/// Whether one of the words stands in the text, at the start of a word: "change" and "trace" give no reasons. `lower`:
/// in lower case, as the words.
bool says_one_of(std::string_view lower, std::span<const std::string_view> words);

/// Whether a text has one of the words with which engineers give reasons; one without says what, which the code says,
/// too.
bool gives_reason(std::string_view text);
/// The same by words that say why and are hardly used otherwise: what a comment must have to be quoted as a reason.
bool explains_why(std::string_view text);
/// The same by words that hardly say anything else: "because", "so that", "trades".
bool says_why_plainly(std::string_view text);
/// Whether a sentence says what was so before the change, or what led to it: "used to crash", "Pre-fix, …", "the case
/// that motivated the fix"; not "a buffer that is used to hold it".
bool says_what_was(std::string_view text);
/// Whether a text says what may go wrong where nothing is done about it: "the buffer can still hold old values", "the
/// hook may not have run", "reads stale values before the copy has finished"; not "callers can still pass it".
bool says_what_may_go_wrong(std::string_view text);
/// How much a text counts among others that may give reasons: 3 where it says what goes wrong otherwise, 2 where it
/// says plainly why, 1 where it explains, 0 where it describes.
int weight_of_reason(std::string_view text);
/// How many words of the title, of four letters and more, the text has, whatever their endings ("drain", "draining").
std::size_t words_of_title_in(std::string_view title, std::string_view text);
/// Whether a sentence begins with what it does not name: "It …", "Both …", "Therefore …".
bool leans_on_previous(std::string_view sentence);

/// Whether a sentence says what the code does not do yet: a limit of the change, and no reason for it. Not where it
/// goes on to what follows from that: "the library does not yet support it, so we …".
bool leaves_undone(std::string_view sentence);

/// Whether a title says that something was wrong.
bool speaks_of_fault(std::string_view title);

}  // namespace lockstep::report
