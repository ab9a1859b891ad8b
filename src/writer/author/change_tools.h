// The tools of a model that writes about a change: they read the after side, as the change left it, from memory. The
// names and arguments are those of the MCP server's tools where it has the same one, so that a model knows them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "repo/line_history.h"
#include "report/inputs.h"
#include "writer/author/text_search.h"
#include "writer/author/toolbox.h"

namespace lockstep::writer {

/// find_symbol, read_entity, read_lines, find_files, search_text, callers, callees, collective_trace, and where `edits`
/// (of the side before the change) can be asked, line_history. Refers to `inputs`.
class ChangeTools : public ToolBox {
 public:
  explicit ChangeTools(const report::DocumentInputs& inputs, repo::LineEdits edits = {});
  [[nodiscard]] std::span<const ToolDefinition> definitions() const override { return definitions_; }
  [[nodiscard]] std::string call(const ToolCall& call) const override;

 private:
  const report::DocumentInputs& inputs_;
  repo::LineEdits edits_;
  mutable std::optional<OtherTexts> others_;  ///< Read when they are first asked for.
  std::vector<ToolDefinition> definitions_;
};

}  // namespace lockstep::writer
