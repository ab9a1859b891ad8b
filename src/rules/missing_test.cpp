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
#include <optional>
#include <unordered_set>

#include "base/paths.h"
#include "base/strings.h"
#include "program/module_names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/expressions.h"
#include "rules/mentions.h"
#include "rules/name_reach.h"
#include "rules/place.h"
#include "rules/rule_functions.h"
#include "rules/signatures.h"
#include "rules/test_home.h"
#include "rules/test_runs.h"

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

/// What the tests of the program reach by calls, and the names that they mention.
class Tests {
 public:
  /// `files`: of the program's side; may be null.
  Tests(const Program& program, const repo::Snapshot* files) : program_(program), files_(files) {
    std::vector<FunctionId> sources;
    for (std::size_t i = 0; i < program.modules().size(); ++i) {
      const program::Module& module = program.modules()[program::ModuleId(i)];
      if (!program::is_test_path(module.path)) continue;
      paths_.push_back(module.path);
      sources.push_back(module.body);
      sources.insert(sources.end(), module.functions.begin(), module.functions.end());
      for_each_mention(module.facts->tree(), [&](std::string_view name) { mentioned_.insert(name); });
      note_imports(module);
    }
    // What a test names it may well call, in ways that the call graph does not show.
    for (std::size_t i = 0; i < program.functions().size(); ++i) {
      if (is_named(program.functions()[FunctionId(i)])) sources.push_back(FunctionId(i));
    }
    for (const auto& reached : program::reachable_from(program, sources, program.functions().size())) {
      reached_.insert(reached.function);
    }
  }

  [[nodiscard]] bool exist() const { return !paths_.empty(); }

  [[nodiscard]] bool cover(FunctionId function) const { return reached_.contains(function); }
  /// Run without a call of the repository: a function that code which tests reach hands on (a hook) or that decorates
  /// something in a module that they load; a method that a class from outside calls on an object made there.
  [[nodiscard]] bool run_indirectly(FunctionId function) const;
  /// Some chain of names leads here from a test: a table of functions, a registry, a hook, a class that is handed on;
  /// or a call of another package may.
  [[nodiscard]] bool may_reach(FunctionId function) const {
    if (!by_name_) by_name_.emplace(program_);
    return by_name_->reaches(function) || may_be_entered_from_outside(function) || runs().lead_to(function);
  }
  /// A test or a workflow starts the module of the function, or names it by its dotted path, and it runs then.
  [[nodiscard]] bool start(FunctionId function) const { return runs().start(function); }
  /// True for a public function of a module that no test names: tests get to it, if at all, through its callers.
  [[nodiscard]] bool pass_over(FunctionId function) const {
    const program::Function& row = program_.functions()[function];
    return row.kind == program::FunctionKind::kFunction && !row.owner.valid() && !row.enclosing.valid() &&
           !row.name.starts_with("_") && !mentioned_.contains(row.name);
  }

  /// Their paths, sorted.
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

 private:
  /// Named by a test; or of a class that one names, and run by whoever uses its instances.
  [[nodiscard]] bool is_named(const program::Function& row) const {
    if (row.kind != program::FunctionKind::kFunction) return false;
    if (!row.owner.valid()) return mentioned_.contains(row.name);
    const bool is_entry =
        row.name.starts_with("__") || row.name == "forward" || row.name == "step" || row.name == "backward";
    if (is_entry) return mentioned_.contains(program_.classes()[row.owner].name);
    return mentioned_.contains(row.name);
  }

  void note_imports(const program::Module& module) {
    for (const ImportedName& import : module.facts->imports) {
      const program::ModuleId from = program_.find_module(program::absolute_name(module, import.level, import.module));
      if (from.valid()) imported_.insert(from);
    }
  }

  /// A way up from the function ends in a public method that no call of the repository enters, of a class that a test
  /// names or whose module one imports: a test may hand its instances to another package, which calls the method.
  [[nodiscard]] bool may_be_entered_from_outside(FunctionId function) const;

  [[nodiscard]] const TestRuns& runs() const {
    if (!runs_) runs_.emplace(program_, files_);
    return *runs_;
  }

  const Program& program_;
  const repo::Snapshot* files_;
  std::vector<std::string> paths_;                  // Sorted.
  std::unordered_set<program::ModuleId> imported_;  // By tests.
  std::unordered_set<FunctionId> reached_;
  std::unordered_set<std::string_view> mentioned_;
  // Made when they are asked for.
  mutable std::optional<NameReach> by_name_;
  mutable std::optional<TestRuns> runs_;
};

bool Tests::run_indirectly(FunctionId function) const {
  const program::Function& row = program_.functions()[function];
  std::string_view wanted = row.name;
  if (row.owner.valid()) {
    if (program_.classes()[row.owner].external_bases.empty() || row.name.starts_with("_")) return false;
    wanted = program_.classes()[row.owner].name;
  }
  const program::Module& module = program_.modules()[row.module];
  bool is_loaded = false;
  bool found = false;
  const auto look = [&](const Node* node) {
    if (const auto* name = as<Name>(node); name != nullptr && name->id == wanted) found = true;
  };
  for (const FunctionId other : module.functions) {
    const FunctionDef* def = program_.functions()[other].def();
    if (other == function || !reached_.contains(other) || def == nullptr) continue;
    is_loaded = true;
    walk(*def, Nested::kEnter, look);
  }
  if (!is_loaded || found) return found;
  for (const FunctionId other : module.functions) {
    const FunctionDef* def = program_.functions()[other].def();
    if (def == nullptr) continue;
    for (const Expr* decorator : def->decorators) walk(*decorator, Nested::kEnter, look);
  }
  return found;
}

bool Tests::may_be_entered_from_outside(FunctionId function) const {
  constexpr std::size_t kMostCallers = 200;
  const auto is_open = [&](FunctionId id) {
    const program::Function& row = program_.functions()[id];
    if (!row.owner.valid() || (row.name.starts_with("_") && !row.name.starts_with("__"))) return false;
    if (!program_.callers_of(id).empty()) return false;
    return mentioned_.contains(program_.classes()[row.owner].name) || imported_.contains(row.module);
  };
  const auto above = program::reaching(program_, function, kMostCallers);
  // Another package knows the new function itself only by what a base of its class promises.
  const program::ClassId owner = program_.functions()[function].owner;
  const bool may_be_known = owner.valid() && !program_.classes()[owner].external_ancestors.empty();
  return above.size() >= kMostCallers || (may_be_known && is_open(function)) ||
         std::any_of(above.begin(), above.end(),
                     [&](const program::Reached& each) { return each.function != function && is_open(each.function); });
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
  for (const Expr* decorator : def->decorators) {
    const std::string_view name = last_part_of(decorator);
    if (name == "abstractmethod" || name == "overload" || name == "deprecated" || name == "jit") return false;
  }
  return has_logic(size_of(*def));
}

std::string list_of(const Program& program, const std::vector<FunctionId>& functions) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < functions.size() && i < kShown; ++i)
    names.push_back("`" + short_name(program, functions[i]) + "`");
  std::string text = join(names, ", ");
  if (functions.size() > kShown) text += fmt::format(" and {} more", functions.size() - kShown);
  return text;
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

/// An `if` with something to do in its body: not one that only raises, warns, logs or returns.
bool does_something(const If& branch) {
  return std::any_of(branch.body.begin(), branch.body.end(), [](const Stmt* statement) {
    if (is<Raise>(statement) || is<Pass>(statement) || is<Return>(statement) || is<Continue>(statement)) return false;
    const auto* value = as<ExprStmt>(statement);
    return value == nullptr || !is_log_call(value->value);
  });
}

/// Of a function: how often each condition decides something, and the branches by condition and what they do.
struct Branches {
  std::map<std::string, int> conditions;
  std::map<std::string, const If*> by_text;
};

Branches branches_of(const Program& program, FunctionId function) {
  Branches branches;
  const program::Function& row = program.functions()[function];
  const FileFacts& facts = *program.modules()[row.module].facts;
  if (row.def() == nullptr) return branches;
  walk_of<If>(*row.def(), Nested::kSkip, [&](const If* branch) {
    if (!does_something(*branch)) return;
    std::string text = node_key(facts, *branch->condition);
    ++branches.conditions[text];
    for (const Stmt* statement : branch->body) text += "\n" + node_key(facts, *statement);
    branches.by_text.try_emplace(std::move(text), branch);
  });
  return branches;
}

/// `x is None`, `not x`: the branch for runs that set nothing.
bool asks_for_absence(const Expr& condition) {
  if (const auto* unary = as<UnaryOp>(&condition)) return unary->op == UnaryOperator::kNot;
  const auto test = none_test(condition);
  return test && test->is_none;
}

/// A change that touches no test and gives a function a new branch, where no test gets to the function: one finding, at
/// the first of them.
void report_branches(const RuleContext& context, const Tests& tests, const std::vector<const EntityChange*>& modified,
                     std::vector<Finding>& findings) {
  for (const EntityChange* entity : modified) {
    const FunctionId after = entity->after->function;
    const bool covered = tests.cover(after);
    if (covered && !tests.pass_over(after)) continue;
    if (!covered && tests.start(after)) continue;
    const auto before = branches_of(*context.before, entity->before->function);
    const Branches now = branches_of(context.program, after);
    // In the order of the source; what is done where nothing is given comes last.
    std::vector<std::pair<std::string_view, const If*>> in_order(now.by_text.begin(), now.by_text.end());
    std::sort(in_order.begin(), in_order.end(), [](const auto& a, const auto& b) {
      return std::pair(asks_for_absence(*a.second->condition), a.second->span.begin) <
             std::pair(asks_for_absence(*b.second->condition), b.second->span.begin);
    });
    for (const auto& [text, branch] : in_order) {
      // A condition that the function tests once more than before, with a body that it did not have.
      const std::string condition(text.substr(0, text.find('\n')));
      const auto known = before.conditions.find(condition);
      const bool is_new = known == before.conditions.end() || now.conditions.at(condition) > known->second;
      if (!is_new || before.by_text.contains(std::string(text))) continue;
      const program::Function& row = context.program.functions()[after];
      Finding finding = finding_at(context.program, kRule, row.module, branch->condition->span);
      const bool is_aim = covered || tests.may_reach(after);
      finding.severity = is_aim ? Severity::kP2 : Severity::kP1;
      finding.certainty = FindingCertainty::kLikely;
      finding.category = Category::kTests;
      finding.message = fmt::format("No test {} the new branch `if {}` of `{}`", is_aim ? "is aimed at" : "reaches",
                                    quote(*context.program.modules()[row.module].facts, branch->condition->span),
                                    short_name(context.program, after));
      finding.why = fmt::format(
          "{}, and the change touches no test.",
          covered  ? fmt::format("No test names `{}`", row.name)
          : is_aim ? fmt::format("No call leads from the repository's tests to `{}`, though a table, a registry or "
                                 "another package may",
                                 row.name)
                   : fmt::format("The call graph from the repository's tests does not get to `{}`, no test names it",
                                 row.name));
      const auto [home, exists] = home_of_tests(tests.paths(), context.program.modules()[row.module]);
      finding.fix = exists ? fmt::format("Add a case to `{}` that takes the branch.", home)
                           : fmt::format("Add a test that takes the branch, for example in a new `{}`.", home);
      findings.push_back(std::move(finding));
      return;
    }
  }
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
    Untested& untested = by_file[{entity->after->path, distance}];
    untested.functions.push_back(function);
    untested.statements += size_of(*program.functions()[function].def()).statements;
  }
  for (const auto& [key, untested] : by_file) report(context, tests, untested, key.second, changes_tests, findings);
  if (by_file.empty()) report_branches(context, tests, modified, findings);
}

}  // namespace lockstep::rules
