// commented-out-code: a block of comment lines, all of them added by the change, that parses as Python code: at least
// three lines with at least two statements that do something.
//
// Left out: prose that happens to parse, doctests, directives of tools, and configuration in the form of comments.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "python/parser.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "commented-out-code";
constexpr std::size_t kFewestLines = 3;
constexpr std::size_t kMostLines = 200;
constexpr std::size_t kMostEvidence = 4;
constexpr int kFewestStatements = 2;

/// Does something when it runs: `x`, `"text"`, `a, b` and `name: note` do not.
bool is_code(const Stmt& statement) {
  if (const auto* value = as<ExprStmt>(&statement)) return is<Call>(value->value);
  if (const auto* annotated = as<AnnAssign>(&statement)) return annotated->value != nullptr;
  return !is<ErrorStmt>(&statement) && !is<Pass>(&statement);
}

/// Statements that do something; -1 where any other is among them: prose that happens to parse.
int count_code(Seq<Stmt> block) {
  int count = 0;
  for (const Stmt* statement : block) {
    if (!is_code(*statement)) return -1;
    ++count;
    bool is_prose = false;
    for_each_block(*statement, [&](Seq<Stmt> inner) {
      const int below = count_code(inner);
      is_prose = is_prose || below < 0;
      count += below;
    });
    if (is_prose) return -1;
  }
  return count;
}

/// A run of comments on lines of their own, each right below the other, in the same column.
struct Block {
  std::uint32_t first_line = 0;
  std::vector<Span> comments;
};

std::vector<Block> blocks_in(const FileFacts& facts) {
  const SourceText& source = facts.source();
  std::vector<Block> blocks;
  for (const Comment& comment : facts.file->comments) {
    const Position at = source.position_of(comment.span.begin);
    if (!trim(source.line(at.line).substr(0, at.column)).empty()) continue;
    const bool goes_on = !blocks.empty() && blocks.back().first_line + blocks.back().comments.size() == at.line &&
                         source.position_of(blocks.back().comments[0].begin).column == at.column;
    if (!goes_on) blocks.push_back({at.line, {}});
    blocks.back().comments.push_back(comment.span);
  }
  return blocks;
}

/// The block's text as code: without the marks, moved to the left as far as all lines allow.
std::string uncommented(const SourceText& source, const Block& block) {
  std::vector<std::string_view> lines;
  std::size_t indent = std::string_view::npos;
  for (const Span& span : block.comments) {
    std::string_view line = source.slice(span);
    line.remove_prefix(1);
    lines.push_back(line);
    if (const std::size_t at = line.find_first_not_of(' '); at != std::string_view::npos) indent = std::min(indent, at);
  }
  std::string code;
  for (const std::string_view line : lines) {
    if (line.size() > indent) code += line.substr(indent);
    code += '\n';
  }
  return code;
}

bool parses_as_code(const std::string& code) {
  const auto file = parse(code);
  return file->problems.empty() && count_code(file->tree->body) >= kFewestStatements;
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const FileFacts& facts = *program.modules()[module].facts;
  for (const Block& block : blocks_in(facts)) {
    if (block.comments.size() < kFewestLines || block.comments.size() > kMostLines) continue;
    const std::string code = uncommented(facts.source(), block);
    if (code.find_first_of("=(") == std::string::npos || !parses_as_code(code)) continue;
    hits.push_back(make_hit(program, kRule, module, {block.comments.front().begin, block.comments.back().end},
                            {Severity::kP3, FindingCertainty::kLikely, Category::kMaintainability,
                             fmt::format("{} lines of code are commented out", block.comments.size()),
                             "Nobody tests them, and a reader cannot tell whether they still matter; the history keeps "
                             "what was there.",
                             "Take them out, or say in words what is left to do."}));
  }
}

}  // namespace

void run_commented_out_code(const RuleContext& context, std::vector<Finding>& findings) {
  std::vector<Finding> found;
  run_on_changed_lines(context, Scope::kSources, scan, found);
  std::map<std::string, Finding> by_file;  // One finding a file, at its first block; the others are evidence.
  for (Finding& finding : found) {
    bool all_new = true;
    for (std::uint32_t line = finding.start_line; line <= finding.end_line; ++line)
      all_new = all_new && context.change->touches_after(finding.path, line);
    if (!all_new) continue;
    const auto first = by_file.find(finding.path);
    if (first == by_file.end()) {
      by_file.emplace(finding.path, std::move(finding));
    } else if (first->second.evidence.size() < kMostEvidence) {
      first->second.evidence.push_back({finding.path, finding.start_line, finding.message});
    }
  }
  for (auto& [path, finding] : by_file) findings.push_back(std::move(finding));
}

}  // namespace lockstep::rules
