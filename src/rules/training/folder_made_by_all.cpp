// folder-made-by-all: `if not os.path.exists(folder): os.makedirs(folder)` in code that every rank runs: two ranks pass
// the test before one of them has made the folder, and the other raises FileExistsError.
//
// Left out: modules that do not use torch.distributed, functions that test a rank, or all callers of which do or stand
// below the test of `__name__`; paths that hold the rank.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "folder-made-by-all";

// Words in the names of what says which process this is, or that it is the one that writes.
constexpr auto kOneProcess = std::to_array<std::string_view>(
    {"rank", "main_process", "is_main", "process_index", "master", "chief", "writer", "coordinator", "is_global_zero"});

bool uses_ranks(const FileFacts& facts) {
  return std::any_of(facts.imports.begin(), facts.imports.end(),
                     [](const ImportedName& import) {
                       return import.module.starts_with("torch.distributed") ||
                              (import.module == "torch" && import.name == "distributed");
                     }) ||
         facts.source().bytes().find("torch.distributed.") != std::string_view::npos;
}

/// Something below `node` is named after a rank, or says which process this is.
bool speaks_of_rank(const Node& node) {
  bool found = false;
  const auto look = [&](const Node* each) {
    std::string_view name = name_of(static_cast<const Expr*>(each));
    if (const auto* attribute = as<Attribute>(each)) name = attribute->name.text;
    found = found || std::any_of(kOneProcess.begin(), kOneProcess.end(),
                                 [&](std::string_view word) { return contains(name, word); });
  };
  if (is_expression(&node)) look(&node);
  walk(node, Nested::kEnter, [&](const Node* each) {
    if (is_expression(each)) look(each);
  });
  return found;
}

/// The path of `not os.path.exists(path)`, `not os.path.isdir(path)`.
const Expr* missing_path(const Expr& condition) {
  const auto* negated = as<UnaryOp>(&condition);
  const auto* call = negated == nullptr || negated->op != UnaryOperator::kNot ? nullptr : as<Call>(negated->operand);
  if (call == nullptr || call->arguments.size() != 1) return nullptr;
  const std::string_view asked = last_part_of(call->callee);
  return asked == "exists" || asked == "isdir" ? call->arguments[0] : nullptr;
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits) {}

  void run() {
    if (row_.name.find("rank") != std::string_view::npos || row_.name.find("main") != std::string_view::npos) return;
    for (const Seq<Stmt> block : blocks_of(*row_.node)) {
      for (const Stmt* statement : block) {
        const auto* branch = as<If>(statement);
        const Expr* path = branch == nullptr ? nullptr : missing_path(*branch->condition);
        if (path == nullptr || speaks_of_rank(*path) || is_under_rank(*branch)) continue;
        if (!is_called_by_one()) check(*branch, *path);
      }
    }
  }

 private:
  void check(const If& branch, const Expr& path) {
    for (const Stmt* statement : branch.body) {
      const auto* alone = as<ExprStmt>(statement);
      const auto* call = alone == nullptr ? nullptr : as<Call>(alone->value);
      if (call == nullptr || call->arguments.empty()) continue;
      const std::string_view made = last_part_of(call->callee);
      if ((made != "makedirs" && made != "mkdir") || has_spread_keywords(*call)) continue;
      if (keyword_value(*call, "exist_ok") != nullptr || call->arguments.size() > 2) continue;
      if (squeezed(facts_, call->arguments[0]->span) != squeezed(facts_, path.span)) continue;
      hits_.push_back(
          make_hit(program_, kRule, row_.module, call->span,
                   {Severity::kP2, FindingCertainty::kLikely, Category::kDistributed,
                    fmt::format("Every rank tests for `{}` and makes it", quote(facts_, path.span)),
                    "Two ranks that both find it missing both make it: the slower one raises FileExistsError, and the "
                    "others wait "
                    "for it in the next collective.",
                    made == "makedirs" ? "Pass `exist_ok=True`." : "Use `os.makedirs(…, exist_ok=True)`."}));
    }
  }

  /// There are calls of the function, and each stands in a function that asks for a rank, or below the test of
  /// `__name__`: a script of one process.
  [[nodiscard]] bool is_called_by_one() const {
    const auto callers = program_.callers_of(program_.function_of(row_.node));
    return !callers.empty() && std::all_of(callers.begin(), callers.end(), [&](program::CallId id) {
      const program::CallSite& site = program_.calls()[id];
      const program::Function& caller = program_.functions()[site.caller];
      bool found = contains(caller.name, "rank");
      walk_statements(*caller.node, Nested::kSkip, [&](const Stmt* statement) {
        const auto* around = as<If>(statement);
        if (around == nullptr || found) return;
        const bool holds = around->span.contains(site.node->span);
        found = speaks_of_rank(*around->condition) || (holds && mentions_name(*around->condition, "__name__"));
      });
      return found;
    });
  }

  /// Some `if` of the function asks for a rank; or an `except` catches the race.
  [[nodiscard]] bool is_under_rank(const If& branch) const {
    bool found = false;
    walk_statements(*row_.node, Nested::kSkip, [&](const Stmt* statement) {
      if (const auto* around = as<If>(statement)) found = found || speaks_of_rank(*around->condition);
      if (is<Try>(statement)) found = found || statement->span.contains(branch.span);
    });
    return found;
  }
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  if (!uses_ranks(*row.facts)) return;
  for (const FunctionId function : row.functions) FunctionScan(program, function, hits).run();
}

}  // namespace

void run_folder_made_by_all(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
