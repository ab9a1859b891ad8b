// missing-test: functions with logic of their own that a change adds and that no test reaches or names. One finding a
// file. Says which test file should hold the test, after the repository's own layout. Where tests may get there by way
// of a table, a registry or a configuration, it speaks (as a suggestion) of changes alone that touch no test.
//
// Left out: functions of modules that tests or workflows run as scripts, functions that tested code hands on or
// decorates with, methods that a library calls, nested functions, trivial functions (no branch, few statements),
// special methods, abstract and deprecated ones, tests, examples, tools, scripts, documentation, and repositories
// without any test.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/summary.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/promises.h"
#include "rules/calls/signatures.h"
#include "rules/names/mentions.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/tests/test_home.h"
#include "rules/tests/tests_of_program.h"
#include "rules/tests/untested_branches.h"

namespace lockstep::rules {
namespace {

using namespace python;
using change::EntityChange;
using change::EntityKind;
using change::FileCategory;
using change::Status;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "missing-test";
/// A function without a branch has logic from this many statements on; with one, from the second number on.
constexpr int kStraightStatements = 6;
constexpr int kBranchingStatements = 3;
/// New statements without a test from which on a change without any test is a P0 (spec: a missing test blocks a merge).
constexpr int kSubstantialStatements = 20;

constexpr auto kOutsidePackage = std::to_array<std::string_view>(
    {"examples", "example", "tools", "tool", "scripts", "script", "docs", "doc", "benchmarks", "benchmark", "bench",
     "ci", "experimental_scripts", "third_party", "docker", "setup"});

bool is_outside_package(std::string_view path) {
  for (const std::string_view part : split(path, '/')) {
    if (std::find(kOutsidePackage.begin(), kOutsidePackage.end(), part) != kOutsidePackage.end()) return true;
    if (part.find("test") != std::string_view::npos) return true;  // `unit_tests/`, `kernel_testing.py`.
  }
  return path == "setup.py" || path == "conf.py" || path.find('/') == std::string_view::npos;
}

struct Size {
  int statements = 0;
  bool branches = false;
};

Size size_of(const FunctionDef& def) {
  Size size;
  walk(def, Nested::kEnter, [&](const Node* node) {
    if (is_statement(node) && !is<Pass>(node) && !is<Import>(node) && !is<ImportFrom>(node)) {
      const auto* value = as<ExprStmt>(node);
      const bool is_docstring = value != nullptr && is<Constant>(value->value);
      const bool is_log = value != nullptr && is_log_call(value->value);
      if (!is_docstring && !is_log) ++size.statements;
    }
    size.branches = size.branches || is<If>(node) || is<For>(node) || is<While>(node) || is<Try>(node) ||
                    is<Match>(node) || is<IfExp>(node) || is<BoolOp>(node) || is<ListComp>(node) || is<DictComp>(node);
  });
  return size;
}

bool has_logic(const Size& size) {
  return size.branches ? size.statements >= kBranchingStatements : size.statements >= kStraightStatements;
}

struct Untested {
  std::vector<FunctionId> functions;
  int statements = 0;
};

bool is_worth_a_test(const Program& program, FunctionId function) {
  const program::Function& row = program.functions()[function];
  const FunctionDef* def = row.def();
  if (def == nullptr || (row.name.starts_with("__") && row.name != "__call__") || row.name == "main") return false;
  // A nested function is tested through the one that holds it.
  if (row.enclosing.valid() && program.functions()[row.enclosing].kind != program::FunctionKind::kModuleBody)
    return false;
  if (is_abstract(*def)) return false;
  for (const Expr* decorator : def->decorators) {
    const std::string_view name = last_part_of(decorator);
    if (name == "overload" || name == "deprecated" || name == "jit") return false;
  }
  return has_logic(size_of(*def));
}

std::string list_of(const Program& program, const std::vector<FunctionId>& functions) {
  std::vector<std::string> names;
  for (const FunctionId function : functions) names.push_back("`" + short_name(program, function) + "`");
  return change::list_names(names);
}

/// How far tests get, as far as the source tells.
enum class Distance : std::uint8_t {
  kNone,    ///< No chain of names leads from a test to it.
  kByName,  ///< A chain of names does, but no call.
  kUnused,  ///< Nothing in the program names it but its definition.
};

/// Which of the functions nothing calls, and whose names stand nowhere but in their definitions: neither in code,
/// `__all__` nor a comment. Not what a decorator may hand on, nor methods that a base of another package may call.
std::unordered_set<FunctionId> named_nowhere(const Program& program, const std::vector<const EntityChange*>& added) {
  std::vector<FunctionId> candidates;
  std::vector<std::string_view> names;
  for (const EntityChange* entity : added) {
    const FunctionId function = entity->after->function;
    const program::Function& row = program.functions()[function];
    const auto& decorators = row.def()->decorators;
    const bool is_handed_on = std::any_of(decorators.begin(), decorators.end(), [](const Expr* decorator) {
      return name_of(decorator) != "staticmethod" && name_of(decorator) != "classmethod";
    });
    const bool has_unseen_base = row.owner.valid() && !program.classes()[row.owner].external_ancestors.empty();
    const bool is_special = row.name.starts_with("__");
    if (is_handed_on || has_unseen_base || is_special || !program.callers_of(function).empty()) continue;
    candidates.push_back(function);
    names.push_back(row.name);
  }
  const auto times = times_written(program, names);
  std::unordered_set<FunctionId> unnamed;
  for (const FunctionId function : candidates) {
    if (times.at(program.functions()[function].name) == 1) unnamed.insert(function);
  }
  return unnamed;
}

/// The functions after the first as evidence.
void add_others(const Program& program, const Untested& untested, std::string_view what, Finding& finding) {
  for (std::size_t i = 1; i < untested.functions.size() && i <= 4; ++i) {
    const program::Function& row = program.functions()[untested.functions[i]];
    finding.evidence.push_back(evidence_at(program, row.module, row.def()->name.span,
                                           fmt::format("`{}` {}", short_name(program, untested.functions[i]), what)));
  }
}

/// Whether the function's module is imported by a name that is put together, by its file's name: what it defines is
/// taken by names that somebody gives (`getattr(import_module(f"{package}.config_registry"), name)`).
bool is_in_registry(const Program& program, FunctionId function) {
  constexpr std::size_t kTelling = 6;
  const std::string_view path = program.module_of(function).path;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::string_view stem = file.substr(0, file.rfind('.'));
  if (stem.size() < kTelling || program.functions()[function].owner.valid()) return false;
  bool found = false;
  for (const program::Module& module : program.modules()) {
    const python::FileFacts& facts = *module.facts;
    if (found || !facts.has_name("import_module") || !facts.has_name(stem)) continue;
    python::walk_of<python::JoinedStr>(facts.tree(), python::Nested::kEnter, [&](const python::JoinedStr* text) {
      found = found || find_name(facts.source().slice(text->span), stem) != std::string_view::npos;
    });
  }
  return found;
}

void report(const RuleContext& context, const Tests& tests, const Untested& untested, Distance distance,
            bool changes_tests, std::vector<Finding>& findings) {
  const Program& program = context.program;
  const program::Module& module = program.module_of(untested.functions.front());
  const program::Function& first = program.functions()[untested.functions.front()];
  Finding finding = finding_at(program, kRule, first.module, first.def()->name.span);
  const bool substantial = untested.statements >= kSubstantialStatements && !changes_tests;
  if (distance == Distance::kUnused) {
    finding.severity = Severity::kP2;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kTests;
    const bool is_one = untested.functions.size() == 1;
    finding.message =
        fmt::format("No code of the repository and no test uses the new {} yet", list_of(program, untested.functions));
    const std::string_view them = is_one ? "it" : "them";
    finding.why = fmt::format(
        "No call leads to {}, and no code, test or comment names {}: unless a configuration does, nothing runs {}.",
        them, them, them);
    finding.fix = fmt::format("Call {} where {} needed, with a test, or leave {} out until then.", them,
                              is_one ? "it is" : "they are", them);
    add_others(program, untested, "is not used either", finding);
    findings.push_back(std::move(finding));
    return;
  }
  const bool by_name = distance == Distance::kByName;
  finding.severity = by_name ? Severity::kP2 : substantial ? Severity::kP0 : Severity::kP1;
  finding.certainty = FindingCertainty::kLikely;
  finding.category = Category::kTests;
  finding.message =
      fmt::format("No test {} the new {}", by_name ? "names" : "reaches", list_of(program, untested.functions));
  const std::string_view them = untested.functions.size() == 1 ? "it" : "them";
  finding.why =
      by_name ? fmt::format(
                    "No call leads from the repository's tests to {}. A table, a registry, a configuration or another "
                    "package may, but the change touches no test.",
                    them)
              : fmt::format("The call graph from the repository's tests does not get here, and no test names {}{}.",
                            them, changes_tests ? "" : "; the change touches no test");
  const auto [home, exists] = home_of_tests(tests.paths(), module);
  finding.fix =
      exists ? fmt::format("Add tests to `{}`.", home) : fmt::format("Add tests, for example in a new `{}`.", home);
  add_others(program, untested, by_name ? "is not named either" : "is not reached either", finding);
  findings.push_back(std::move(finding));
}

}  // namespace

void run_missing_test(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change == nullptr) return;
  const Program& program = context.program;
  std::map<std::pair<std::string, Distance>, Untested> by_file;
  bool changes_tests = false;
  std::unordered_set<std::string_view> sources;
  for (const change::FileSummary& file : context.change->files) {
    changes_tests = changes_tests || program::is_test_path(file.file->path());
    if (file.is_python && file.category == FileCategory::kSource) sources.insert(file.file->new_path);
  }
  std::vector<const EntityChange*> added;
  std::vector<const EntityChange*> modified;
  for (const EntityChange& entity : context.change->entities) {
    const bool is_function = entity.kind == EntityKind::kFunction || entity.kind == EntityKind::kMethod;
    if (!is_function || !entity.after || !entity.after->function.valid()) continue;
    if (!sources.contains(entity.after->path) || is_outside_package(entity.after->path)) continue;
    const bool both = entity.before && entity.before->function.valid() && context.before != nullptr;
    if (entity.status != Status::kAdded && both && !changes_tests) modified.push_back(&entity);
    if (entity.status != Status::kAdded) continue;
    if (is_worth_a_test(program, entity.after->function)) added.push_back(&entity);
  }
  if (added.empty() && modified.empty()) return;
  const Tests tests(program, context.files);
  if (!tests.exist()) return;
  const auto unnamed = named_nowhere(program, added);
  for (const EntityChange* entity : added) {
    const FunctionId function = entity->after->function;
    if (tests.cover(function) || tests.run_indirectly(function) || tests.start(function)) continue;
    const Distance distance = unnamed.contains(function)  ? Distance::kUnused
                              : tests.may_reach(function) ? Distance::kByName
                                                          : Distance::kNone;
    if (distance == Distance::kByName && changes_tests) continue;
    if (distance == Distance::kUnused && is_in_registry(program, function)) continue;
    Untested& untested = by_file[{entity->after->path, distance}];
    untested.functions.push_back(function);
    untested.statements += size_of(*program.functions()[function].def()).statements;
  }
  for (const auto& [key, untested] : by_file) report(context, tests, untested, key.second, changes_tests, findings);
  if (by_file.empty()) report_branches(context, kRule, tests, modified, findings);
}

}  // namespace lockstep::rules
