// How differences name and quote parts of the code: qualified names through the Program where it knows them, else the
// dotted text as written.
#pragma once

#include <string>
#include <string_view>

#include "change/entities.h"
#include "program/program.h"

namespace lockstep::change {

/// Where an expression stands: enough to resolve and quote it.
struct CodeContext {
  const program::Program* program = nullptr;
  const SourceText* source = nullptr;
  program::ModuleId module;
  program::FunctionId function;  ///< May be none: then names are not resolved.
};

/// Source text of `span`, cut at kMaxDifferenceText bytes (whole characters, "…" at the end).
std::string quote(const SourceText& source, Span span);
/// Whether `quote` left out the end of what this text shows.
bool is_cut(std::string_view quoted);
/// "c" of "a.b.c".
std::string_view last_part(std::string_view dotted);
/// "\"a\"" of `OPTIONS["a"]`, as differences name an entry of a table; empty for other names.
std::string_view entry_key(std::string_view name);
/// Whether a name is no word of everyday language: where prose has it, prose speaks of the definition.
bool stands_out(std::string_view name);
/// What a Name or Attribute chain stands for ("torch.distributed.all_reduce"), else its text without white space.
std::string dotted_name(const CodeContext& context, const python::Expr& expression);
/// What a call calls: function or class of the repository, external name, or the text of the callee.
std::string callee_name(const CodeContext& context, const python::Call& call);

/// True for operations of torch.distributed that every rank of a group must issue (and for point-to-point ones).
bool is_collective(std::string_view external_name);

}  // namespace lockstep::change
