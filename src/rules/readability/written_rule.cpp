// written-rule: what a repository has written down for itself and a machine can hold: names that code below some paths
// may not use, the errors it may raise, the length of its lines. All of it comes from the configuration; without one
// the rule is silent.
//
// Left out: what the repository's own formatter or linter already says.

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;
using program::Reference;

constexpr std::string_view kRule = "written-rule";
constexpr std::string_view kBuiltins = "builtins.";

bool matches_any(const std::vector<std::string>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return glob_match(pattern, text); });
}

bool is_about(const WrittenRule& rule, std::string_view path) {
  return (rule.paths.empty() || matches_any(rule.paths, path)) && !matches_any(rule.except, path);
}

/// What a name or dotted expression stands for, written out; empty where nothing is known.
std::string full_name(const Program& program, ModuleId module, const Expr& expression) {
  const Reference reference = program.resolve(program.function_at(module, expression.span.begin), expression);
  switch (reference.kind) {
    case Reference::Kind::kFunction:
      return program.functions()[reference.function].qualified_name;
    case Reference::Kind::kClass:
      return program.classes()[reference.cls].qualified_name;
    case Reference::Kind::kExternal:
      // print, eval: as they are written.
      return reference.name.starts_with(kBuiltins) ? reference.name.substr(kBuiltins.size()) : reference.name;
    case Reference::Kind::kVariable:
      return program.modules()[reference.module].name + "." + reference.name;
    case Reference::Kind::kModule:
      return program.modules()[reference.module].name;
    default:
      break;
  }
  return {};
}

class ModuleCheck {
 public:
  ModuleCheck(const Program& program, ModuleId module, const WrittenRule& rule, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), rule_(rule), hits_(hits) {}

  void run() {
    if (rule_.line_length > 0) check_lines();
    if (rule_.forbid.empty() && rule_.raise_only.empty()) return;
    walk(facts_.tree(), Nested::kEnter, [&](const Node* node) {
      const auto* expression = as_name(node);
      if (expression != nullptr && !rule_.forbid.empty()) check_name(*expression);
      if (const auto* raise = as<Raise>(node); raise != nullptr && !rule_.raise_only.empty()) check_raise(*raise);
    });
  }

 private:
  static const Expr* as_name(const Node* node) {
    if (const auto* name = as<Name>(node)) return name->context == ExprContext::kLoad ? name : nullptr;
    if (const auto* attribute = as<Attribute>(node))
      return attribute->context == ExprContext::kLoad ? attribute : nullptr;
    return nullptr;
  }

  void check_name(const Expr& expression) {
    const std::string name = full_name(program_, module_, expression);
    if (name.empty() || !matches_any(rule_.forbid, name)) return;
    add(expression.span, fmt::format("`{}` is not to be used here", quote(facts_, expression.span)));
  }

  void check_raise(const Raise& raise) {
    const Expr* raised = raise.exception;
    if (const auto* call = as<Call>(raised)) raised = call->callee;
    const std::string_view name = raised == nullptr ? std::string_view{} : last_part_of(raised);
    // A variable holds an error that was made, or caught, elsewhere.
    if (name.empty() || name[0] < 'A' || name[0] > 'Z') return;
    if (std::find(rule_.raise_only.begin(), rule_.raise_only.end(), name) != rule_.raise_only.end()) return;
    add(raise.span, fmt::format("`{}` is raised, where only {} are to be", name, join(rule_.raise_only, ", ")));
  }

  void check_lines() {
    const SourceText& source = facts_.source();
    for (std::uint32_t line = 0; line < source.line_count(); ++line) {
      const std::string_view text = source.line(line);
      const std::size_t length = characters(text);
      if (length <= static_cast<std::size_t>(rule_.line_length)) continue;
      const auto begin = static_cast<std::uint32_t>(text.data() - source.bytes().data());
      add({begin, static_cast<std::uint32_t>(begin + text.size())},
          fmt::format("This line has {} characters, more than {}", length, rule_.line_length));
    }
  }

  static std::size_t characters(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
  }

  /// One finding a line: `a.b` and `a.b.c` may both be forbidden.
  void add(Span span, std::string message) {
    const std::uint32_t line = facts_.source().line_of(span.begin);
    if (line == last_line_) return;
    last_line_ = line;
    hits_.push_back(make_hit(program_, kRule, module_, span,
                             {rule_.severity, FindingCertainty::kProven, Category::kMaintainability,
                              fmt::format("{} ({})", message, rule_.name),
                              fmt::format("The repository's own rule \"{}\" says so.", rule_.name),
                              rule_.say.empty() ? "Follow the rule, or allow this line with a reason." : rule_.say}));
  }

  const Program& program_;
  const ModuleId module_;
  const FileFacts& facts_;
  const WrittenRule& rule_;
  std::vector<Hit>& hits_;
  std::uint32_t last_line_ = ~0u;
};

}  // namespace

void run_written_rule(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.settings.written.empty()) return;
  run_on_modules(
      context, Scope::kSourcesAndTests,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        for (const WrittenRule& rule : context.settings.written) {
          if (is_about(rule, program.modules()[module].path)) ModuleCheck(program, module, rule, hits).run();
        }
      },
      findings);
}

}  // namespace lockstep::rules
