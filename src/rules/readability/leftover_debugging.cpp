// leftover-debugging: on changed lines, a debugger that stops the program (`breakpoint()`, `pdb.set_trace()`), and
// prints that show values the way one does while looking for a mistake (`print(f"{x=}")`, `print("here", x.shape)`).
//
// Left out: prints in scripts, tools, examples and tests, in functions whose names say that they print or debug, and
// under conditions that say so.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "leftover-debugging";
constexpr auto kPrinting = std::to_array<std::string_view>(
    {"print", "debug", "dump", "report", "show", "log", "summary", "verbose", "main", "usage", "bench", "profile"});
constexpr auto kScripts = std::to_array<std::string_view>(
    {"tools", "scripts", "examples", "example", "benchmark", "benchmarks", "tests", "docs", "recipes", "debug"});

bool says_printing(std::string_view text) {
  const std::string lower = to_lower(text);
  return std::any_of(kPrinting.begin(), kPrinting.end(), [&](std::string_view word) { return contains(lower, word); });
}

bool stops_program(const Call& call) {
  if (name_of(call.callee) == "breakpoint") return call.arguments.empty();
  const auto* method = as<Attribute>(call.callee);
  if (method == nullptr) return false;
  const std::string_view module = name_of(method->value);
  const std::string_view name = method->name.text;
  if (module == "pdb" || module == "ipdb" || module == "pudb") return name == "set_trace" || name == "post_mortem";
  return module == "debugpy" && (name == "breakpoint" || name == "wait_for_client");
}

class Scan {
 public:
  Scan(const Program& program, ModuleId module, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), hits_(hits) {
    const auto parts = split(program.modules()[module].path, '/');
    is_script_ = facts_.source().bytes().find("__main__") != std::string_view::npos ||
                 std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
                   return std::find(kScripts.begin(), kScripts.end(), part) != kScripts.end();
                 });
  }

  void run() {
    for (const Stmt* statement : facts_.tree().body) visit(*statement, is_script_);
  }

 private:
  /// `printing`: within something that says that it prints.
  void visit(const Node& node, bool printing) {
    if (const auto* def = as<FunctionDef>(&node)) printing = printing || says_printing(def->name.text);
    if (const auto* branch = as<If>(&node))
      printing = printing || says_printing(facts_.source().slice(branch->condition->span));
    if (const auto* call = as<Call>(&node)) {
      if (stops_program(*call)) debugger(*call);
      if (!printing && name_of(call->callee) == "print" && shows_values(*call)) print(*call);
    }
    for_each_child(node, [&](const Node* child) { visit(*child, printing); });
  }

  /// `f"{x=}"`, `x.shape`, `x.dtype`, `x.device`, or a rule of signs: `print("=====")`, `print("here")`.
  bool shows_values(const Call& call) const {
    if (keyword_value(call, "file") != nullptr) return false;
    // `print("Loaded the table:", table.shape)`: words for whoever runs it.
    for (const Expr* argument : call.arguments) {
      if (split(trim(text_of(argument)), ' ').size() >= 3) return false;
    }
    bool shows = false;
    for (const Expr* argument : call.arguments) {
      if (says_something(*argument)) continue;
      const auto look = [&](const Node* node) {
        const auto* attribute = as<Attribute>(node);
        shows = shows || (attribute != nullptr && (attribute->name.text == "shape" || attribute->name.text == "dtype" ||
                                                   attribute->name.text == "grad_fn"));
        const auto* value = as<FormattedValue>(node);
        if (value != nullptr) {
          const std::string text = squeezed(facts_, value->span);
          shows = shows || contains(text, "=}") || contains(text, "=!");
        }
      };
      look(argument);
      walk(*argument, Nested::kSkip, look);
      const std::string_view text = text_of(argument);
      shows = shows || text.starts_with("====") || text.starts_with("####") || text.starts_with(">>>>") ||
              text.starts_with("DEBUG") || text.starts_with("here");
    }
    return shows;
  }

  /// An f-string with words of its own is a message.
  static bool says_something(const Expr& argument) {
    const auto* format = as<JoinedStr>(&argument);
    if (format == nullptr) return false;
    std::size_t words = 0;
    for (const Expr* part : format->values) {
      if (!trim(text_of(part)).empty()) words += split(trim(text_of(part)), ' ').size();
    }
    return words > format->values.size();
  }

  void debugger(const Call& call) {
    hits_.push_back(make_hit(program_, kRule, module_, call.span,
                             {Severity::kP1, FindingCertainty::kProven, Category::kMaintainability,
                              fmt::format("`{}` stops the program in a debugger", quote(facts_, call.span)),
                              "In a job of many ranks nobody sits at the prompt: the rank waits, and all others wait "
                              "for it in the next collective.",
                              "Take it out."}));
  }

  void print(const Call& call) {
    hits_.push_back(make_hit(program_, kRule, module_, call.span,
                             {Severity::kP3, FindingCertainty::kLikely, Category::kMaintainability,
                              fmt::format("`{}` looks left over from debugging", quote(facts_, call.span, 50)),
                              "Every rank writes it, each time; a tensor's values are copied to the host for it.",
                              "Take it out, or log it at the debug level."}));
  }

  const Program& program_;
  const ModuleId module_;
  const FileFacts& facts_;
  bool is_script_ = false;
  std::vector<Hit>& hits_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) { Scan(program, module, hits).run(); }

}  // namespace

void run_leftover_debugging(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_changed_lines(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
