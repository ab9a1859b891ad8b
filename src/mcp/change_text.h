// Facts of a change as single lines: what the tools and the prompts about changes share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "change/change.h"
#include "mcp/workspace.h"
#include "report/report.h"

namespace lockstep::mcp {

/// Text by someone else, each line behind "> ", without control characters; at most `most_lines`.
std::vector<std::string> quoted_lines(std::string_view text, std::size_t most_lines);

/// "Change HEAD: "title" by author; main -> topic; 3 files (+12 -4)".
std::string change_head(const LiveChange& change, std::string_view name);
/// "source  path (+3 -1): what changed".
std::string file_text(const change::FileSummary& file);
/// "modified method pkg.mod.C.f  path:12-40: new parameter x; … [runs in every training step]".
std::string entity_text(const LiveChange& change, const change::EntityChange& entity);
/// "adds parameter `x`" …
std::string difference_text(const change::Difference& difference);
std::string_view status_text(const change::EntityChange& entity);
/// One finding, its reason, cure and evidence on lines of their own.
std::string finding_text(const report::ReportedFinding& reported);
/// "P0: 1, P1: 3, P2: 2"; "none".
std::string severities_text(const report::Report& report);

}  // namespace lockstep::mcp
