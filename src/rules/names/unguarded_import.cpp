// unguarded-import: a module that other files of the repository import in a `try` with a fallback is imported here
// without one. Where the package is missing, this file, and what imports it, cannot be loaded at all.
//
// Left out: scripts (nothing imports them), tests, imports inside functions, modules that most files import plainly.

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "unguarded-import";
/// So many files must guard an import before one that does not is odd.
constexpr std::size_t kMinGuards = 3;

/// What an import needs: the top package of an external module, the dotted name of one of the repository.
std::string needed_by(const Program& program, const ImportedName& import) {
  if (import.level > 0) return {};
  const std::string_view dotted = import.name.empty() || import.module.empty() ? import.name : import.module;
  const std::string text(import.module.empty() ? dotted : import.module);
  if (text.empty()) return {};
  if (program.find_module(text).valid()) return text;
  const std::string top = text.substr(0, text.find('.'));
  return program.find_module(top).valid() ? std::string() : top;
}

/// Spans of the bodies of `try` statements that catch a failing import (or everything).
std::vector<Span> guarded_spans(const FileFacts& facts) {
  std::vector<Span> spans;
  walk_statements(facts.tree(), Nested::kEnter, [&](const Stmt* statement) {
    const auto* guard = as<Try>(statement);
    if (guard == nullptr || guard->body.empty()) return;
    for (const ExceptHandler* handler : guard->handlers) {
      const std::string_view text =
          handler->type == nullptr ? std::string_view() : facts.source().slice(handler->type->span);
      const bool catches = handler->type == nullptr || text.find("ImportError") != std::string_view::npos ||
                           text.find("ModuleNotFoundError") != std::string_view::npos || text == "Exception";
      if (catches) spans.push_back({guard->body.front()->span.begin, guard->body.back()->span.end});
    }
  });
  return spans;
}

bool is_guarded(const std::vector<Span>& spans, const ImportedName& import) {
  for (const Span span : spans) {
    if (span.contains(import.statement->span)) return true;
  }
  return false;
}

/// Files without such a `try` (most) are not walked for it.
std::vector<Span> guards_of(const FileFacts& facts) {
  for (const ImportedName& import : facts.imports) {
    if (import.in_try) return guarded_spans(facts);
  }
  return {};
}

struct Guards {
  std::map<std::string, std::set<std::size_t>> guarded;  ///< What is needed -> modules that guard it.
  std::map<std::string, std::set<std::size_t>> plain;
  std::set<std::string> imported;  ///< Modules of the repository that some file imports at its top level.

  explicit Guards(const Program& program) {
    for (std::size_t i = 0; i < program.modules().size(); ++i) {
      const program::Module& module = program.modules()[ModuleId(i)];
      if (program::is_test_path(module.path)) continue;
      const std::vector<Span> spans = guards_of(*module.facts);
      for (const ImportedName& import : module.facts->imports) {
        if (import.in_type_checking) continue;
        const std::string needed = needed_by(program, import);
        if (needed.empty()) continue;
        imported.insert(needed);
        if (!import.name.empty()) imported.insert(needed + "." + std::string(import.name));
        if (is_guarded(spans, import)) {
          guarded[needed].insert(i);
        } else if (import.scope == ScopeId(0)) {
          plain[needed].insert(i);
        }
      }
    }
  }
};

/// A module of the repository needs a guard where it imports, plainly, a package that others guard.
bool may_be_missing(const Guards& guards, const Program& program, const std::string& needed) {
  const ModuleId inside = program.find_module(needed);
  if (!inside.valid()) return true;
  for (const auto& [package, modules] : guards.plain) {
    if (!modules.contains(inside.index()) || program.find_module(package).valid()) continue;
    const auto guarded = guards.guarded.find(package);
    if (guarded != guards.guarded.end() && guarded->second.size() >= kMinGuards) return true;
  }
  return false;
}

/// Whether the import stands in a branch: `if HAVE_TE: import transformer_engine` asks first, too.
bool is_in_branch(const FileFacts& facts, const ImportedName& import) {
  bool found = false;
  walk_statements(facts.tree(), Nested::kSkip, [&](const Stmt* statement) {
    found = found || (is<If>(statement) && statement->span.contains(import.statement->span));
  });
  return found;
}

void scan(const Program& program, const Guards& guards, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  // Who imports a module that is itself imported under a guard has taken care.
  if (!guards.imported.contains(row.name) || guards.guarded.contains(row.name)) return;
  std::set<std::string> told;
  for (const ImportedName& import : row.facts->imports) {
    if (import.scope != ScopeId(0) || import.in_type_checking || import.in_try) continue;
    const std::string needed = needed_by(program, import);
    const auto guarded = guards.guarded.find(needed);
    if (needed.empty() || guarded == guards.guarded.end() || guarded->second.contains(module.index())) continue;
    const std::size_t plain = guards.plain.at(needed).size();
    if (guarded->second.size() < kMinGuards || guarded->second.size() < plain ||
        !may_be_missing(guards, program, needed) || is_in_branch(*row.facts, import) || !told.insert(needed).second)
      continue;
    Hit hit =
        make_hit(program, kRule, module, import.statement->span,
                 {Severity::kP2, FindingCertainty::kLikely, Category::kCompatibility,
                  fmt::format("`{}` is imported without a guard here, but in a `try` by {} other files", needed,
                              guarded->second.size()),
                  "It is optional elsewhere: where it is missing, this file and what imports it cannot be loaded.",
                  "Import it in a `try` with a fallback, as the others do, or inside the function that needs it."});
    hit.finding.evidence.push_back(
        {program.modules()[ModuleId(*guarded->second.begin())].path, 0, "one that guards it"});
    hits.push_back(std::move(hit));
  }
}

}  // namespace

void run_unguarded_import(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<const Program*, Guards> guards;
  run_on_modules(
      context, Scope::kSources,
      [&](const Program& program, ModuleId module, std::vector<Hit>& hits) {
        scan(program, guards.try_emplace(&program, program).first->second, module, hits);
      },
      findings);
}

}  // namespace lockstep::rules
