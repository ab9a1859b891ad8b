// A sentence that a model wrote about a change -> what in it is not true of the code: what `lockstep verify` finds
// (paths, lines, symbols, options, quoted words, calls, base classes, defaults and counts), quoted code that stands
// nowhere, numbers that nothing it was given holds, and who communicates what.
//
// Left out: claims without a name or a number in them; those are counted as not checked.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/inputs.h"
#include "writer/cited_sides.h"

namespace lockstep::writer {

struct Fault {
  std::string_view kind;  ///< "path", "symbol", "quoted code", "number", "call", …: static storage.
  std::string text;       ///< What is wrong, as written.
  std::string reason;     ///< "there is no 'x' anywhere"
  std::string nearest;    ///< What is true; may be empty.
  /// A number of which nothing that the writer was given knows: an example may have some of its own.
  [[nodiscard]] bool is_own_number() const {
    return kind == "number" && !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  }
  /// A value that is written with slashes, "ME/*E", where no file has such a name: an example may make one up.
  [[nodiscard]] bool is_own_value() const {
    constexpr std::size_t kLongest = 32;
    return kind == "path" && text.size() <= kLongest && text.find_first_of("._") == std::string::npos;
  }
};

struct SentenceCheck {
  std::vector<Fault> faults;
  std::size_t claims = 0;  ///< Things in it that were held against the code.
};

/// What a model was given, for its numbers and quotes.
class Material {
 public:
  void add(std::string_view text);
  /// Numbers before lines of code count only as lines.
  [[nodiscard]] bool has_number(std::string_view digits) const { return numbers_.contains(digits); }
  [[nodiscard]] bool has_line(std::string_view digits) const { return has_number(digits) || lines_.contains(digits); }
  [[nodiscard]] bool has_text(std::string_view text) const { return text_.find(text) != std::string::npos; }

 private:
  std::string text_;
  std::set<std::string, std::less<>> numbers_, lines_;
};

class ClaimChecker {
 public:
  ClaimChecker(const report::DocumentInputs& inputs, const CitedSides& sides);
  [[nodiscard]] SentenceCheck check(std::string_view sentence, const Material& material) const;
  /// One line for a person or a model: "'x': there is no such file; nearest: 'y'".
  [[nodiscard]] static std::string fault_text(const Fault& fault);

 private:
  /// Whether a function of either side is known to issue the collective, or to reach what communicates.
  [[nodiscard]] bool has_collective(std::string_view function, std::string_view operation) const;
  void check_issues(std::string_view sentence, SentenceCheck& result) const;
  void check_collectives(std::string_view sentence, SentenceCheck& result) const;
  void check_now(std::string_view sentence, SentenceCheck& result) const;
  /// Stands in what a changed file was, and nowhere in the Python files and changed files after it.
  [[nodiscard]] bool is_gone(std::string_view word) const;
  [[nodiscard]] static bool is_value_of_class(std::string_view span);
  [[nodiscard]] static bool is_known_elsewhere(std::string_view sentence);
  [[nodiscard]] bool are_known(std::string_view span, const Material& material) const;
  void check_quotes(std::string_view sentence, const Material& material, SentenceCheck& result) const;
  static void check_numbers(std::string_view sentence, const Material& material, SentenceCheck& result);

  const report::DocumentInputs& inputs_;
  const CitedSides& sides_;
};

}  // namespace lockstep::writer
