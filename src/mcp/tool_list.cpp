// What the tools are called and take. The descriptions are what a model chooses by: short, and without a word of the
// repository.
#include "mcp/tools.h"

namespace lockstep::mcp {

namespace {

constexpr std::string_view kSymbol =
    "Qualified name (pkg.module.Class.method), an unambiguous end of one (Class.method), a module or path, or a place "
    "(path.py:120)";
constexpr std::string_view kChange =
    "A commit, BASE..HEAD, BASE...HEAD (from the merge base), or --worktree (uncommitted work against HEAD)";

Parameter symbol_parameter(std::string_view name, bool is_required, std::string_view description = kSymbol) {
  return {name, ParameterType::kText, is_required, description};
}

Parameter change_parameter(bool is_required, std::string_view description = kChange) {
  return {"change", ParameterType::kText, is_required, description};
}

std::vector<Tool> make_tools() {
  std::vector<Tool> tools;
  tools.push_back({"overview",
                   "Overview of the repository",
                   "Size, packages and what they are for, entry points, how a run goes, mesh dimensions. With `path`: "
                   "the files of a folder, or the classes and functions of a file.",
                   {{"path", ParameterType::kText, false, "Folder or file, from the repository's root"}},
                   overview});
  tools.push_back({"find_symbol",
                   "Find a symbol",
                   "Functions, classes and modules by name: exact, end, part of the name, then similar spellings. "
                   "Gives kind, qualified name and path:lines.",
                   {{"query", ParameterType::kText, true, "Name or part of one; dots separate levels"},
                    {"kind", ParameterType::kText, false, "Only these", {"function", "class", "module"}}},
                   find_symbols});
  tools.push_back({"read_entity",
                   "Read a function, class or module",
                   "Signature, place and numbered source of a function; of a class its bases, subclasses, fields and "
                   "methods, then its source; of a module its outline, then its source.",
                   {symbol_parameter("symbol", true)},
                   read_entity});
  tools.push_back(
      {"callers",
       "Who calls it",
       "Call sites that may enter a function (through inheritance, callbacks and torch modules too), each with caller, "
       "path:line, source line and certainty. `depth` 2 to 4 adds callers of callers.",
       {symbol_parameter("symbol", true),
        {"depth", ParameterType::kNumber, false, "Levels (default 1)", {}, 1, 4},
        {"tests", ParameterType::kFlag, false, "Also callers in tests (default true)"}},
       list_callers});
  tools.push_back({"callees",
                   "What it calls",
                   "What a function calls, in the order of the source: functions of the repository with their places, "
                   "external ones by dotted name, collectives marked, and calls that could not be resolved with the "
                   "reason. `depth` 2 to 4 adds callees of callees.",
                   {symbol_parameter("symbol", true),
                    {"depth", ParameterType::kNumber, false, "Levels (default 1)", {}, 1, 4},
                    {"external", ParameterType::kFlag, false, "Also what is outside the repository (default true)"}},
                   list_callees});
  tools.push_back(
      {"call_paths",
       "Paths between two functions",
       "Call paths from one function to another (or to an external one such as torch.distributed.all_reduce), shortest "
       "first, each step with path:line and the conditions around it. Without `from`: how scripts and tests reach it.",
       {symbol_parameter("to", true, "Where to: a symbol, or the name of an external function"),
        symbol_parameter("from", false, "Where from; left out: the scripts and tests that reach it")},
       list_call_paths});
  tools.push_back({"collective_trace",
                   "Collectives that a function issues",
                   "The collectives that a function issues, directly or through what it calls, in order, with their "
                   "process groups, under which conditions and in which loops; then where ranks may diverge.",
                   {symbol_parameter("symbol", true)},
                   collective_trace});
  tools.push_back({"change_summary",
                   "What a change does",
                   "Author's words, files by category with what changed in each, changed functions and classes with "
                   "places, which of them run in every training step, and findings by severity.",
                   {change_parameter(true)},
                   change_summary});
  tools.push_back({"entity_diff",
                   "One entity's change",
                   "What differs in one function, class or module of a change (parameters, defaults, calls, "
                   "collectives, conditions), then its diff with line numbers of both sides.",
                   {change_parameter(true), symbol_parameter("symbol", true)},
                   entity_diff});
  tools.push_back({"findings",
                   "What is wrong",
                   "Findings of the rules, most severe first, each with path:line, why it matters, what to do, and the "
                   "evidence. Of a change (what it brings in), or without `change` of the whole tree.",
                   {change_parameter(false),
                    {"path", ParameterType::kText, false, "Only in this file or folder"},
                    {"severity", ParameterType::kText, false, "At least this severe", {"P0", "P1", "P2", "P3"}},
                    {"rule", ParameterType::kText, false, "Only of this rule"}},
                   list_findings});
  tools.push_back(
      {"context_pack",
       "Code for a task",
       "Picks the code that matters for a task within a token budget: functions that the task's words and symbols "
       "lead to, what calls them and what they call, most relevant in full (in part where they are longer than the "
       "budget), the rest as signatures.",
       {{"task",
         ParameterType::kText,
         true,
         "What is to be done, in a sentence or two; name symbols where you know "
         "them",
         {},
         1,
         1,
         20'000},
        {"tokens", ParameterType::kNumber, false, "Budget (default 6000)", {}, 500, 60'000},
        change_parameter(false, "Also start from what this change touches")},
       context_pack,
       /*is_paged=*/false});
  tools.push_back(
      {"verify_references",
       "Check what a text says of the code",
       "Holds your text (Markdown) against the code: every path:line, range, symbol, option, quoted code line, call, "
       "default and count that does not exist or does not match, each with the nearest that does. Call it before "
       "you hand over an explanation or a review.",
       {{"text", ParameterType::kText, true, "The text to hold, as Markdown", {}, 1, 1, 400'000},
        change_parameter(false, "The change that it is about; left out: the tree as it is on disk")},
       verify_references});
  return tools;
}

}  // namespace

std::span<const Tool> all_tools() {
  static const std::vector<Tool> tools = make_tools();
  return tools;
}

}  // namespace lockstep::mcp
