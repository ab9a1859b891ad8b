// Pieces that explain and dive share: the title, settings, contracts.
#pragma once

#include <string>
#include <vector>

#include "report/author/why.h"
#include "report/document.h"
#include "report/story/story.h"
#include "report/story/wording/contract.h"

namespace lockstep::report {

/// What the remarks are that are quoted where nothing gives a reason: "comments", "checks" and "tests".
std::vector<std::string> kinds_of_remarks(const OwnWords& words);

/// The change's title, else the two sides' names.
std::string title_text(const DocumentInputs& inputs, const OwnWords& words);
/// "`abc1234` by N. N.: 3 files (+10 −2) in `a/b` and `c`."
std::string scope_text(const DocumentInputs& inputs);
/// The author's words as quotes, each attributed; or, where nothing says why, one plain sentence that says so.
void add_why(Document& document, const OwnWords& words);
/// What the change brings in its author's words, where nothing of it stands among the reasons.
std::vector<std::string> purpose_items(const OwnWords& words);
/// Title and description in one or two sentences for a summary, attributed; empty where nothing was said.
std::string why_in_short(const OwnWords& words);

/// "argument `--name`", with what it does where it makes the setting `False`; for a flag that has one.
std::string argument_words(const Flag& flag);

/// One sentence on a setting: where declared, default, who reads it, whether the changed code runs by default.
/// `with_help`: and its documentation.
/// `told_guards`: the condition that was told last, which is not told once more.
std::string flag_text(const Flag& flag, bool with_help = true, const std::string& told_guards = {});
/// The flags from that one on with their arguments and defaults, in one line.
std::string short_flags_text(const std::vector<Flag>& flags, std::size_t from);
/// "New setting: `x` (default `False`). The default of `y` changes from `a` to `b`." of those that the change adds or
/// gives another default; empty where there are none.
/// `flags`: those that are named; `new_flags`: how many the change adds, named or not.
std::string settings_text(const std::vector<Flag>& flags, std::size_t new_flags);

/// What a function takes, gives, reads, writes and requires, as list items.
std::vector<std::string> contract_items(const Contract& contract, std::size_t most_inputs);
/// "Read by unchanged code: `self.x` in `f` (place: `if self.x:`) …", of attributes that the actor gives another value;
/// empty where it gives none that others read.
std::string altered_state_item(const DocumentInputs& inputs, const Actor& actor, std::size_t most_readers);

/// The contract of the actor's latest side; of a changed function, only the inputs that its changed steps name.
Contract contract_for(const DocumentInputs& inputs, const Actor& actor);

/// Whether the actor is a field of a class that the change adds: part of it, and no definition of its own.
bool is_of_new_class(const Story& story, const Actor& actor);

/// Whether words on a step tell what its code does not: whom it calls, what that does, where code came from or went.
bool says_more_than_code(const std::string& text);

}  // namespace lockstep::report
