// Nodes of a linked program -> places of findings and short quotes of code. Used by every rule; knows no rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/finding.h"
#include "rules/rule.h"

namespace lockstep::rules {

/// A finding of `rule` at `span` of `module`, with path, lines and the innermost entity filled in; the words are the
/// rule's.
Finding finding_at(const program::Program& program, std::string_view rule, program::ModuleId module, Span span);

/// Evidence that points at `span` of `module`.
Evidence evidence_at(const program::Program& program, program::ModuleId module, Span span, std::string message);

/// Source of `span` on one line, runs of white space made one blank, cut at `limit` bytes (at a character) with "…".
std::string quote(const python::FileFacts& facts, Span span, std::size_t limit = 60);

/// The text of `span` without any white space: equal for code that differs in layout only.
std::string squeezed(const python::FileFacts& facts, Span span);

/// "name" of "pkg.mod.name"; the last two parts for a method ("Class.method").
std::string short_name(const program::Program& program, program::FunctionId function);

/// check: whether the user asked for this path (every path, when none was named).
bool is_wanted(const RuleContext& context, std::string_view path);

/// Which modules of one program the other does not have with the same bytes. Relies on both sides sharing the facts of
/// a blob (FileFacts are built once per blob); where they do not, every module counts as changed.
class ChangedModules {
 public:
  ChangedModules(const program::Program& program, const program::Program& other);
  [[nodiscard]] bool contains(program::ModuleId module) const { return changed_[module.index()]; }

 private:
  std::vector<bool> changed_;
};

/// What identifies a node on both sides of a change: layout, quotes and comments do not count.
std::string node_key(const python::FileFacts& facts, const python::Node& node);

/// Whether a finding stands in something that the change touches (more than its comments), or rests on it by its
/// evidence.
bool rests_on(const change::Change& change, const Finding& finding);

/// Whether the change writes a line of a finding's span.
bool is_written(const RuleContext& context, const Finding& finding);

}  // namespace lockstep::rules
