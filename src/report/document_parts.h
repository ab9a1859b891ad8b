// Pieces that explain and dive share: the title, the way from an entry point, settings, contracts.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "report/story.h"
#include "report/story_contract.h"
#include "report/story_why.h"

namespace lockstep::report {

/// The change's title, else the two sides' names.
std::string title_text(const DocumentInputs& inputs, const OwnWords& words);
/// "`abc1234` by N. N.: 3 files (+10 −2) in `a/b` and `c`."
std::string scope_text(const DocumentInputs& inputs);
/// The author's words as quotes, each attributed; or, where nothing says why, one plain sentence that says so.
void add_why(Document& document, const OwnWords& words);
/// Title and description in one or two sentences for a summary, attributed; empty where nothing was said.
std::string why_in_short(const OwnWords& words);

/// "`pretrain.py` → `train` (`a.py:1`) → …" with at most `most` frames; empty where there is none.
std::string path_text(const DocumentInputs& inputs, const EntryPath& path, std::size_t most);
/// Under which conditions the last calls of the path are made; empty where there are none.
std::string path_conditions(const DocumentInputs& inputs, const EntryPath& path);
/// Where a condition on the path does not hold unless somebody sets what it asks for: says so; else empty.
std::string path_defaults(const DocumentInputs& inputs, const EntryPath& path);
/// "reached from …", one or two sentences; says so where nothing reaches it.
std::string reach_text(const DocumentInputs& inputs, const Story& story, std::size_t index);
/// The same where central[told]'s way has been told: what they share is not repeated.
std::string reach_from(const DocumentInputs& inputs, const Story& story, std::size_t index, std::size_t told);
/// Who called a removed function before.
std::string removed_text(const DocumentInputs& inputs, const change::EntityChange& entity);
/// One sentence on a setting: where declared, default, who reads it, whether the changed code runs by default.
std::string flag_text(const Flag& flag);
/// "New setting: `x` (default `False`). The default of `y` changes from `a` to `b`." of those that the change adds or
/// gives another default; empty where there are none.
std::string settings_text(const Story& story);

/// What a function takes, gives, reads, writes and requires, as list items.
std::vector<std::string> contract_items(const Contract& contract, std::size_t most_inputs);

/// The contract of the actor's latest side; of a changed function, only the inputs that its changed steps name.
Contract contract_for(const DocumentInputs& inputs, const Actor& actor);

}  // namespace lockstep::report
