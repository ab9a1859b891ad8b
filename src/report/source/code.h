// Small readings of source for people: the text of a node on one line, dotted names, what encloses a place, comments,
// docstrings. Program and trees in, plain text out; knows no change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "python/tree.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/guards.h"

namespace lockstep::report {

using rules::chain_to;
using rules::dotted_text;
using rules::Guard;
using rules::guards_of;

/// Source of `span` on one line: runs of white space become one blank, comments go; of more than `limit` characters the
/// rest goes as text/shorten.h says ("f(a, …)").
std::string one_line(const SourceText& source, Span span, std::size_t limit = 70);
std::string one_line(const SourceText& source, const python::Node& node, std::size_t limit = 70);
/// The same, not shortened: to be compared, not shown.
std::string one_line_whole(const SourceText& source, Span span);
std::string one_line_whole(const SourceText& source, const python::Node& node);

/// Python code without what it only says: comments, and texts that hold a blank (messages, docstrings). Texts of one
/// word (keys, choices) stay.
std::string without_prose(std::string_view code);

/// The last name of a callee: "x" of `a.b.x(…)` and `x(…)`; empty for others.
std::string_view callee_name(const python::Call& call);

/// What a statement works out and throws away: the value of `f(x)` and of `await f(x)`; null for other statements.
const python::Expr* thrown_away_by(const python::Node& statement);

/// First sentence of a docstring: of its first paragraph, without white space runs and markup; empty where there is
/// none. At most `limit` characters, cut at a word.
std::string first_sentence(std::string_view docstring, std::size_t limit = 200);
/// The first whole sentences, as far as a reader takes them in; "…" where more follow. For what is new.
std::string first_sentences(std::string_view docstring);
/// First sentence of the docstring of a FunctionDef or ClassDef.
std::string docstring_sentence(const python::Node* definition, std::size_t limit = 200);
/// Whole sentences of a docstring, up to its first section ("Args:") or list, at most `most_words`; the first sentence
/// in any case.
std::string docstring_opening(const python::Node* definition, std::size_t most_words);
/// The whole docstring's text; empty where there is none.
std::string_view docstring_text(const python::Node* definition);
/// What a Google, NumPy or reST style docstring says of parameter `name` ("Args:" section, ":param name:"), one line.
/// `whole`: its first sentences, not the first alone.
std::string docstring_parameter(std::string_view docstring, std::string_view name, bool whole = false);
/// What it says of the returned value ("Returns:" section), one line.
std::string docstring_returns(std::string_view docstring);

/// The comment block directly above `line` and the comment at its end, without "#", joined with blanks; empty where
/// none.
std::string comment_above(const SourceText& source, std::uint32_t line);
std::string trailing_comment(const SourceText& source, std::uint32_t line);
/// Tensor shape written in a comment, such as "[s, b, h]", "[num_tokens, hidden]" or "(B, S, H)"; empty where none.
std::string shape_in(std::string_view comment);

/// The shape that a comment beside or above an assignment gives `target`: where it says little but a shape, names the
/// target before one, or shows it behind an arrow ("[s, b, h] -> [s*b, h]"); empty where it speaks of something else.
std::string shape_of(std::string_view target, std::string_view comment);

/// Whether a decorator makes the function a kernel of Triton: `@triton.jit`, under any other decorator.
bool is_kernel(const python::FunctionDef& function);
/// Body of a FunctionDef, Lambda (empty), ClassDef or Module.
python::Seq<python::Stmt> body_of(const python::Node* definition);
/// "Class.method", "function", "outer.inner": the qualified name below its module.
std::string short_name(const program::Program& program, program::FunctionId function);
std::string short_name(const program::Program& program, program::ClassId cls);
/// "path:line" of a definition's `def` line, as marked text.
std::string place_of(const program::Program& program, program::FunctionId function);
std::string place_of(const program::Program& program, program::ClassId cls);
std::string place_of(const program::Program& program, program::ModuleId module, Span span);
/// Line (from 0) of the def.
std::uint32_t line_of(const program::Program& program, program::FunctionId function);

const SourceText& source_of(const program::Program& program, program::FunctionId function);

/// "a", "a and b", "a, b and c".
std::string join_words(const std::vector<std::string>& words, std::string_view last = "and");
/// First letter (outside marks) in upper case.
std::string capitalised(std::string text);
/// With a full stop unless it ends in one, "?" or "!" or ":".
std::string as_sentence(std::string text);

/// Whether the definition is read like an attribute: `@property`, `@cached_property`.
bool is_property(const python::Node* definition);

}  // namespace lockstep::report
