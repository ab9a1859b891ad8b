// Both sides of a change (or one tree, twice), asked what a document may claim of them: paths, lines, words, members of
// classes, and what is nearest to something that does not exist. Built once; many documents can be held against it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "program/program.h"
#include "repo/diff.h"
#include "repo/repository.h"
#include "repo/snapshot.h"

namespace lockstep::writer {

class CitedFacts;

enum class CitedSide : std::uint8_t { kAfter, kBefore };

/// One file as an editor numbers it, and where each of its lines stands again.
class CitedFile {
 public:
  explicit CitedFile(std::string_view text);

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  /// First line in [first, end) that says what `shown` says: equal but for white space; `shown` may end in "…", and may
  /// have a comment that the line lacks or lack one that it has. nullopt: none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view shown, std::size_t first, std::size_t end) const;
  [[nodiscard]] bool has_word(std::string_view word) const;
  /// First line in [first, end) where `shown` stands: whatever its blanks, line ends, quotes and comments are, a part
  /// of a line or several lines, names and numbers whole; parts that "…" or "..." separates in their order, near each
  /// other. With `whole_lines` only from the start of a line to the end of one.
  [[nodiscard]] std::optional<std::size_t> find_code(std::string_view shown, std::size_t first, std::size_t end,
                                                     bool whole_lines) const;
  /// The line in [first, end) that is spelled most like `shown`; nullopt where none is like it.
  [[nodiscard]] std::optional<std::size_t> most_like(std::string_view shown, std::size_t first, std::size_t end) const;

 private:
  using Key = std::pair<std::string, std::size_t>;  // what a line says, and its number
  std::vector<std::string> lines_;
  std::vector<Key> by_text_;  // sorted
  std::vector<Key> by_code_;  // without a comment at the end; sorted
  std::unordered_set<std::uint64_t> words_;
  mutable std::string code_;                      // all lines, made plain; on demand
  mutable std::vector<std::size_t> code_starts_;  // where each line starts in it
};

/// A parameter as a definition has it.
struct CitedParameter {
  std::string name;
  std::string default_value;  ///< Its text; empty: none.
};
struct CitedSignature {
  std::string place;  ///< "path:line"
  std::vector<CitedParameter> parameters;
  bool takes_any = false;  ///< Has `**kwargs`.
};

struct CitedSidesInput {
  const program::Program* before = nullptr;  ///< Null: one tree.
  const program::Program& after;
  const repo::Snapshot* before_files = nullptr;
  const repo::Snapshot& after_files;
  const repo::SnapshotDiff* diff = nullptr;
  std::string own_words;             ///< Title, body and messages of the change: what they say is their author's.
  std::vector<std::string> commits;  ///< Ids that may be named.
  std::size_t jobs = 1;
  std::optional<repo::Repository> repository = std::nullopt;  ///< Whose commits may be named, too.
};

class CitedSides {
 public:
  /// Reads every text file of the after side, and the changed ones of the before side, for their words.
  explicit CitedSides(const CitedSidesInput& input);

  [[nodiscard]] bool has_file(CitedSide side, std::string_view path) const;
  /// What the file was called on the old side; its own path where it was not renamed.
  [[nodiscard]] std::string_view old_path(std::string_view path) const;
  /// A file or folder of either side.
  [[nodiscard]] bool has_path(std::string_view path) const;
  /// Files that end in "/" + `tail`; at most a few.
  [[nodiscard]] std::vector<std::string> ending_in(std::string_view tail) const;
  /// The file itself, or else those that end in "/" + `path`: what a base name may stand for.
  [[nodiscard]] std::vector<std::string> files_named(std::string_view path) const;
  /// Null where that side has no such file, or it is no text.
  [[nodiscard]] const CitedFile* file(CitedSide side, std::string_view path) const;
  /// Files are kept once they were asked for; pointers to them end here.
  void forget_files() const { files_.clear(); }
  /// Whether an identifier stands anywhere, in the text or path of a file of either side, or in the rules' pages.
  [[nodiscard]] bool has_word(std::string_view word) const;
  /// Whether an option ("--like-this") stands anywhere, as it is or as the name of its value (`like_this`).
  [[nodiscard]] bool has_option(std::string_view option) const;
  /// Whether argparse makes this name of an option: "some_name" of "--some-name", however its words are joined.
  [[nodiscard]] bool is_option_value(std::string_view name) const;
  /// Whether a lambda is called so: "<lambda1>", "f.<lambda2>", "pkg.mod.Class.f.<lambda1>".
  [[nodiscard]] bool has_lambda(std::string_view name) const;
  /// Whether the file has the word, or a module that it imports everything from.
  [[nodiscard]] bool file_has(std::string_view path, std::string_view word) const;
  /// Whether the text stands in a changed file, or in a Python file of the after side.
  [[nodiscard]] bool has_text(std::string_view text) const;
  /// Whether they are words of a message of either side, with or without the error's class before it: of a string, or
  /// of an f-string with anything, or "{…}", in the place of each value.
  [[nodiscard]] bool is_message(std::string_view quoted) const;
  /// Whether a class of this name, or one above it, may have the member; true where that cannot be known.
  [[nodiscard]] bool may_have_member(std::string_view cls, std::string_view member) const;
  /// Whether the repository defines a class of this name.
  [[nodiscard]] bool has_class(std::string_view name) const { return classes_.contains(name); }
  /// Whether the repository defines a function or class of this name.
  [[nodiscard]] bool is_defined(std::string_view name) const { return functions_.contains(name) || has_class(name); }
  /// Whether a function, lambda or class of a file called so begins on this line (from 1) of either side.
  [[nodiscard]] bool defines_function(std::string_view path, std::size_t line) const;
  /// Signatures of functions called so, of both sides; with `owner` only of methods of classes called that.
  [[nodiscard]] std::vector<CitedSignature> signatures_of(std::string_view name, std::string_view owner) const;
  [[nodiscard]] bool is_own_word(std::string_view text) const { return own_words_.find(text) != std::string::npos; }
  /// Whether it begins the id of a commit that may be named, or of one that a changed file names in full.
  [[nodiscard]] bool is_commit(std::string_view prefix) const;
  /// Whether it is another commit of the repository, of which neither side tells.
  [[nodiscard]] bool is_other_commit(std::string_view prefix) const;
  /// Whether the code, white space left out, is of what such a commit replaced, or stood close to it then.
  [[nodiscard]] bool stood_before(std::string_view commit, std::string_view code) const;
  /// Added and removed lines as Git counts them, with renames found and without; empty for a file that did not change.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> counts_of(std::string_view path) const;

  struct ChangeCounts {
    std::size_t files = 0;
    std::pair<std::size_t, std::size_t> lines;  ///< Added, removed.
  };
  /// Of the whole change; nullopt for a tree, and where Git does not count the lines of a file.
  [[nodiscard]] std::optional<ChangeCounts> counts_of_all() const;
  /// What the code says of names; built when it is first asked for.
  [[nodiscard]] const CitedFacts& facts() const;

  /// What is spelled most like it and does exist; empty where nothing is near.
  [[nodiscard]] std::string nearest_path(std::string_view path) const;
  [[nodiscard]] std::string nearest_name(std::string_view name) const;
  /// "path:line" of a line that says the same, in a changed file; empty where there is none.
  [[nodiscard]] std::string place_of_line(std::string_view shown) const;

 private:
  struct ClassPlace {
    const program::Program* program;
    program::ClassId id;
  };
  struct FunctionPlace {
    const program::Program* program;
    program::FunctionId id;
  };
  void add_definitions(const program::Program& program);
  [[nodiscard]] bool stars_have(const program::Program& program, program::ModuleId module, std::string_view word,
                                int depth) const;
  [[nodiscard]] const repo::Snapshot* snapshot(CitedSide side) const;
  [[nodiscard]] bool class_has(const ClassPlace& place, std::string_view member, int depth) const;

  std::vector<const program::Program*> programs_;
  const repo::Snapshot* before_files_;
  const repo::Snapshot* after_files_;
  const repo::SnapshotDiff* diff_;
  std::string own_words_;
  std::vector<std::string> commits_;
  std::optional<repo::Repository> repository_;
  mutable std::map<std::string, std::string, std::less<>> replaced_;  ///< By commit, without white space.
  std::unordered_set<std::uint64_t> words_;
  std::set<std::string, std::less<>> folders_;
  std::map<std::string, std::vector<std::string>, std::less<>> by_name_;  // last component -> paths
  std::map<std::string, std::vector<ClassPlace>, std::less<>> classes_;
  std::map<std::string, std::vector<FunctionPlace>, std::less<>> functions_;
  std::set<std::string, std::less<>> names_;  // of definitions
  std::vector<std::string> lambdas_;          // qualified names
  mutable std::map<std::pair<CitedSide, std::string>, std::unique_ptr<CitedFile>> files_;
  mutable std::shared_ptr<const CitedFacts> facts_;
};

/// Calls visit(word, offset) for each identifier in `text`.
template <class Visit>
void for_each_word(std::string_view text, Visit visit);

/// Text with runs of white space made one blank, none at the ends.
std::string single_spaced(std::string_view text);

}  // namespace lockstep::writer

#include "python/identifiers.h"

namespace lockstep::writer {

template <class Visit>
void for_each_word(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool may_start =
        c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    std::size_t length = 0;
    if (may_start) {
      // Plain ASCII names by hand: most are.
      while (at + length < text.size()) {
        const char next = text[at + length];
        const bool is_plain =
            next == '_' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || (next >= '0' && next <= '9');
        if (!is_plain) break;
        ++length;
      }
      const bool ends_plain = at + length >= text.size() || static_cast<unsigned char>(text[at + length]) < 0x80;
      if (length == 0 || !ends_plain) length = python::identifier_length(text.substr(at));
    }
    if (length > 0) {
      visit(text.substr(at, length), at);
      at += length;
    } else if (c >= '0' && c <= '9') {  // "0x1f", "1e5": no words in numbers
      while (at < text.size() && (text[at] == '_' || (text[at] >= '0' && text[at] <= '9') ||
                                  (text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z')))
        ++at;
    } else {
      ++at;
    }
  }
}

}  // namespace lockstep::writer
