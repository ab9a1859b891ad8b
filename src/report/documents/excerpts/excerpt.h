// Changed code as a reader needs it: blocks of a function with unchanged and repeated stretches elided, each with the
// steps it shows; the same code annotated line by line; and pseudo-code of long functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/story/story.h"

namespace lockstep::report {

struct Excerpt {
  CodeBlock code;
  std::vector<std::size_t> after_steps;   ///< Indices of new or changed steps that it shows.
  std::vector<std::size_t> before_steps;  ///< Indices of removed steps that it shows.
};

struct ExcerptOptions {
  std::size_t most_lines = 40;  ///< Of one function, over all its excerpts.
  std::size_t most_blocks = 4;
  /// However few `most_lines` are, new functions of up to 30 lines are shown whole, and new blocks with what they begin
  /// with.
  bool keeps_wholes = true;
  /// Letters and digits of the comments that the document quotes: the lines of these stay.
  std::string_view quoted = {};
};

/// New functions as code, changed ones as the difference with the branches around it, removed ones as their old code.
/// Empty for entities without code of their own.
std::vector<Excerpt> excerpts_of(const DocumentInputs& inputs, const Actor& actor, const ExcerptOptions& options);

/// The new side's code with a comment before each new or changed step that says what it does, why as far as its author
/// wrote it down, and what it replaces. Kept stretches are "# …".
CodeBlock annotated_code(const DocumentInputs& inputs, const Actor& actor, std::size_t most_lines);

/// Control flow, calls, returns and raises of a function, the rest summed up: at most `most_lines` lines.
CodeBlock pseudo_code(const std::vector<Step>& steps, const WordsContext& context, std::size_t most_lines);

/// Source lines of a class, field or variable that changed, docstring and methods elided.
std::vector<CodeBlock> definition_excerpt(const DocumentInputs& inputs, const Actor& actor, std::size_t most_lines);

/// Marked text as plain text in which code stands in back-quotes.
std::string with_backquotes(std::string_view marked);

}  // namespace lockstep::report
