// Entries that a dictionary was written out with, and that it gets under a condition now; or the other way round.
//   m = {"a": f(), "b": g()}     ->     m = {"a": f()}
//                                       if c:
//                                           m |= {"b": g()}
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct ConditionalEntries {
  std::size_t assignment = Step::kNone;   ///< Of the after side: the changed step that writes the dictionary out.
  std::size_t branch = Step::kNone;       ///< The `if` without another side that gives the entries.
  bool is_freed = false;                  ///< The branch is of the before side: the entries are written out now.
  std::string name;                       ///< Of the dictionary.
  std::vector<std::string> keys;          ///< As they are written, in the order of the branch.
  std::vector<std::string> other_values;  ///< Those of them that hold something else than before.
  bool is_all_of_branch = false;          ///< The branch does nothing else.
};

/// Of the changed step `index` of the after side. Only where the dictionary stays where it was, bound once, and where
/// nothing else in the function may give it these entries on the side of the branch: without its condition they are
/// not there.
std::optional<ConditionalEntries> conditional_entries(const Actor& actor, std::size_t index, const WordsContext& before,
                                                      const WordsContext& after);

/// "sets 4 entries of `m`, `"a"`, `"b"`, `"c"` and 1 more, now only when …, formerly whenever it set `m`; …".
std::string entries_words(const ConditionalEntries& entries, const Actor& actor, const WordsContext& before,
                          const WordsContext& after);

/// "; adds the entry …": what else differs in the dictionary that is written out; empty where nothing does.
std::string other_entries_words(const ConditionalEntries& entries, const Actor& actor);

/// Whether step `index` of the after side, or with `is_before` of the before side, is a branch of which nothing else is
/// to be told.
bool is_told_with_entries(const Actor& actor, std::size_t index, bool is_before, const WordsContext& before,
                          const WordsContext& after);

/// The branches of the after side under which work stands now that was done in any case before: entries of a
/// dictionary, or the statements themselves. In the order of the source.
std::vector<std::size_t> new_guards(const Actor& actor, const WordsContext& before, const WordsContext& after);

}  // namespace lockstep::report
