// long-function: a function that a change adds, with more than 80 lines of code, or with blocks nested more than five
// deep. The measure of the review guide is 50 lines and a depth of 3; twice as much is told here, so that few are.
//
// Left out: tests, functions that only declare (argument parsers, tables), blank lines, comments and docstrings.

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/place.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using change::EntityKind;
using change::Status;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "long-function";
constexpr std::size_t kMostLines = 80;
constexpr int kDeepest = 5;
constexpr double kDeclaring = 0.8;

/// Deepest block, and the statement that stands there. An `elif` is as deep as its `if`.
struct Deepest {
  int depth = 0;
  const Stmt* statement = nullptr;
};

void look_deeper(Seq<Stmt> block, int depth, Deepest& deepest) {
  for (const Stmt* statement : block) {
    if (depth > deepest.depth) deepest = {depth, statement};
    if (is<FunctionDef>(statement) || is<ClassDef>(statement)) continue;
    const auto* branch = as<If>(statement);
    for_each_block(*statement, [&](Seq<Stmt> inner) {
      const bool is_elif =
          branch != nullptr && inner.data() == branch->orelse.data() && inner.size() == 1 && is<If>(inner[0]);
      look_deeper(inner, is_elif || is<With>(statement) ? depth : depth + 1, deepest);
    });
  }
}

/// Lines that hold code: where a statement begins or goes on.
std::size_t code_lines(const FileFacts& facts, const FunctionDef& def) {
  const SourceText& source = facts.source();
  const Constant* docstring = docstring_of(def.body);
  std::size_t count = 0;
  const std::uint32_t last = source.line_of(def.span.end - 1);
  for (std::uint32_t line = source.line_of(def.span.begin); line <= last; ++line) {
    const std::string_view text = trim(source.line(line));
    const bool documents = docstring != nullptr && line >= source.line_of(docstring->span.begin) &&
                           line <= source.line_of(docstring->span.end - 1);
    if (!text.empty() && !text.starts_with('#') && !documents) ++count;
  }
  return count;
}

/// Nearly all of its statements are calls or assignments in one straight line: `add_argument` after `add_argument`.
bool only_declares(const FunctionDef& def) {
  const auto plain = std::count_if(def.body.begin(), def.body.end(), [](const Stmt* statement) {
    return is<ExprStmt>(statement) || is<Assign>(statement) || is<Return>(statement) || is<AnnAssign>(statement);
  });
  return static_cast<double>(plain) >= kDeclaring * static_cast<double>(def.body.size());
}

/// Kernels of Triton and its like cannot be cut into functions as freely.
bool is_kernel(const FunctionDef& def) {
  return std::any_of(def.decorators.begin(), def.decorators.end(), [](const Expr* decorator) {
    const std::string_view name = last_part_of(decorator);
    return name == "jit" || name == "autotune" || name == "heuristics" || name == "kernel";
  });
}

void check(const RuleContext& context, const EntityChange& entity, std::vector<Finding>& findings) {
  const FunctionId function = entity.after->function;
  const program::Function& row = context.program.functions()[function];
  const FunctionDef& def = *row.def();
  const FileFacts& facts = *context.program.modules()[row.module].facts;
  const std::size_t lines = code_lines(facts, def);
  Deepest deepest;
  look_deeper(def.body, 0, deepest);
  if (is_kernel(def)) return;
  const bool is_long = lines > kMostLines && !only_declares(def);
  if (!is_long && deepest.depth <= kDeepest) return;
  Finding finding = finding_at(context.program, kRule, row.module, def.name.span);
  finding.severity = Severity::kP3;
  finding.certainty = FindingCertainty::kProven;
  finding.category = Category::kReadability;
  finding.symbol = row.qualified_name;
  const std::string name = short_name(context.program, function);
  finding.message = is_long ? fmt::format("The new `{}` has {} lines of code", name, lines)
                            : fmt::format("The new `{}` nests its blocks {} deep", name, deepest.depth);
  finding.why = "Its parts can neither be read nor tested on their own.";
  finding.fix = "Move what belongs together into functions with names of their own.";
  if (deepest.depth > kDeepest)
    finding.evidence.push_back(evidence_at(context.program, row.module, deepest.statement->span, "the deepest block"));
  findings.push_back(std::move(finding));
}

}  // namespace

void run_long_function(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change == nullptr) return;
  for (const EntityChange& entity : context.change->entities) {
    const bool is_function = entity.kind == EntityKind::kFunction || entity.kind == EntityKind::kMethod;
    if (!is_function || entity.status != Status::kAdded || !entity.after || !entity.after->function.valid()) continue;
    if (entity.moved || entity.renamed || program::is_test_path(entity.after->path)) continue;
    if (context.program.functions()[entity.after->function].def() != nullptr) check(context, entity, findings);
  }
}

}  // namespace lockstep::rules
