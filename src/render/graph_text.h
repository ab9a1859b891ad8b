// Pieces of text that the formats of the graph share: names and excerpts of untrusted source made safe to print on one
// line, and how many tokens a text costs its reader.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/graph/graph.h"

namespace lockstep::render {

/// Untrusted text on one line without control, bidirectional or invisible characters; cut at `limit` bytes with "…".
std::string safe_line(std::string_view untrusted, std::size_t limit = 400);

/// Tokens that a language model's tokenizer makes of `text`, estimated. Measured on this program's own output for
/// Megatron-LM and torchtitan with o200k_base and cl100k_base (docs/graph.md): within 8 % of either.
std::size_t estimate_tokens(std::string_view text);

/// Names for other files' functions: the shortest end of the qualified name, of two parts at least, that no other
/// function of the program has ("schedules.forward_step", "DistributedOptimizer.zero_grad"), which `lockstep trace`
/// takes too. Names are those of the model, which must outlive this.
class ShortNames {
 public:
  /// The result does not depend on `jobs`.
  ShortNames(const report::GraphModel& model, std::size_t jobs);
  [[nodiscard]] std::string_view of(std::uint32_t node) const { return names_[node]; }

 private:
  std::vector<std::string_view> names_;  ///< By node.
};

/// "exact", "possible", "by-name".
std::string_view certainty_text(program::Certainty certainty);
/// "direct", "constructor", "module-call", "autograd", "implicit", "callback".
std::string_view kind_text(program::CallKind kind);

/// Path of the file that holds `node`.
const std::string& path_of(const report::GraphModel& model, const report::GraphNode& node);
/// Name of its module.
const std::string& module_of(const report::GraphModel& model, const report::GraphNode& node);

}  // namespace lockstep::render
