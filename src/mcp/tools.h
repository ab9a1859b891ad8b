// The tools: their list with schemas, and calls of them. Each takes a few plain arguments, answers with a short text
// that cites path:line, and pages long answers with a cursor. What is wrong with arguments is told to the model (a
// result with `isError`), which can then do better; an unknown tool is the client's mistake (an error).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mcp/dialect.h"
#include "mcp/json_rpc.h"
#include "mcp/workspace.h"

namespace lockstep::mcp {

/// Of a page's text; the last item may go beyond.
inline constexpr std::size_t kPageBytes = 6000;

enum class ParameterType : std::uint8_t { kText, kNumber, kFlag };
struct Parameter {
  std::string_view name;
  ParameterType type = ParameterType::kText;
  bool is_required = false;
  std::string_view description;
  std::vector<std::string_view> choices = {};  ///< Of a text; empty: any.
  std::int64_t least = 1, most = 1'000'000;    ///< Of a number.
  std::size_t most_bytes = 2000;               ///< Of a text.
};

/// Arguments that passed the checks of their tool's parameters.
class Arguments {
 public:
  explicit Arguments(Json values) : values_(std::move(values)) {}
  [[nodiscard]] bool has(std::string_view name) const { return values_.contains(name); }
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = {}) const;
  [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] bool flag(std::string_view name, bool otherwise) const;
  /// Of all but the cursor: what a cursor is good for.
  [[nodiscard]] std::string fingerprint() const;

 private:
  Json values_;
};

/// An answer before it is cut into pages: what stands on each page, and items of which a page holds as many as fit.
struct Answer {
  std::string head;
  std::vector<std::string> items;  ///< Each one or more lines, without the last line end.
  std::string tail;                ///< After the last page's items; may be empty.
  std::string version;             ///< Of what it was read from; a cursor of another version is refused.
};

struct ToolContext {
  Workspace& workspace;
  const Arguments& arguments;
  const Progress& progress;
};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::vector<Parameter> parameters;
  Result<Answer> (*run)(const ToolContext& context);
  bool is_paged = true;
};

/// In the order in which they are listed.
std::span<const Tool> all_tools();

Json tool_list(Dialect dialect);
/// `params` of tools/call → its result.
std::variant<Json, RpcError> call_tool(Workspace& workspace, const Json& params, const Progress& progress);

// The tools' own sources.
Result<Answer> overview(const ToolContext& context);
Result<Answer> find_symbols(const ToolContext& context);
Result<Answer> read_entity(const ToolContext& context);
Result<Answer> list_callers(const ToolContext& context);
Result<Answer> list_callees(const ToolContext& context);
Result<Answer> list_call_paths(const ToolContext& context);
Result<Answer> collective_trace(const ToolContext& context);
Result<Answer> change_summary(const ToolContext& context);
Result<Answer> entity_diff(const ToolContext& context);
Result<Answer> list_findings(const ToolContext& context);
Result<Answer> context_pack(const ToolContext& context);
Result<Answer> verify_references(const ToolContext& context);

}  // namespace lockstep::mcp
