// Statements of two functions that say the same under other names: `self.norm.eps` here is `module.eps` there, where
// `module` stands for `self.norm`.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::report {

/// Identifiers, numbers and strings whole, everything else by character; white space and comments left out.
std::vector<std::string_view> tokens_of(std::string_view text);

/// A dotted name, a number, a string, or one character of anything else.
struct CodeWord {
  std::string text;
  bool is_name =
      false;  ///< A dotted name that the function may have another name for: no keyword, no `name=` of a call.

  friend bool operator==(const CodeWord&, const CodeWord&) = default;
};
using CodeWords = std::vector<CodeWord>;

/// The words of a statement or expression; commas before a closing bracket and the kind of quotes are layout.
CodeWords code_words(std::string_view text);

using LocalNames = std::set<std::string, std::less<>>;

/// What the local names of the one function stand for in the other.
struct Renaming {
  const LocalNames* here = nullptr;   ///< Of the function that loses code.
  const LocalNames* there = nullptr;  ///< Of the one that gains it.
  /// Of a name there: what it is here, in any of these words.
  std::map<std::string, std::vector<CodeWords>, std::less<>> given = {};
  bool is_complete = false;  ///< A name that `given` lacks is itself; else it may be any name.
};

struct Likeness {
  std::size_t words = 0;
  std::size_t telling = 0;  ///< Those of them that are no keyword, bracket or mere local under another name.
  std::map<std::string, std::string> renamed = {};  ///< Of names that `given` lacks: what they are here.
};

/// How alike the words are, where they are the same but for such names; nullopt for others.
std::optional<Likeness> same_but_names(const CodeWords& here, const CodeWords& there, const Renaming& names);

}  // namespace lockstep::report
