#include "report/source/import_flags.h"

#include <algorithm>

#include "python/tree_walk.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The constant that the statement gives the variable; null for other statements.
const Expr* given_to(const Stmt* statement, std::string_view name) {
  const auto* assign = as<Assign>(statement);
  const bool is_it =
      assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets.front()) == name;
  return is_it ? assign->value : nullptr;
}

bool is_constant(const Expr* value, ConstantKind kind) {
  const auto* constant = as<Constant>(value);
  return constant != nullptr && constant->constant_kind == kind;
}

bool holds(Seq<Stmt> block, const Stmt* statement) {
  return std::find(block.begin(), block.end(), statement) != block.end();
}

void add_imported(const Stmt* statement, std::vector<std::string>& out) {
  if (const auto* from = as<ImportFrom>(statement)) {
    const std::string module = std::string(from->level, '.') + std::string(from->module.text);
    for (const Alias* one : from->names) {
      const bool joins = !module.empty() && module.back() != '.';
      out.push_back(module + (joins ? "." : "") + std::string(one->name.text));
    }
  }
  if (const auto* plain = as<Import>(statement)) {
    for (const Alias* one : plain->names) out.emplace_back(one->name.text);
  }
}

}  // namespace

bool takes_import_errors(const Try& attempt) {
  static constexpr std::string_view kTypes[] = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"};
  return std::any_of(attempt.handlers.begin(), attempt.handlers.end(), [](const ExceptHandler* handler) {
    return handler->type == nullptr || std::any_of(std::begin(kTypes), std::end(kTypes), [&](std::string_view type) {
             return rules::mentions_name(*handler->type, type);
           });
  });
}

std::optional<std::vector<std::string>> imports_behind_flag(const Module& module, std::string_view name) {
  std::vector<const Stmt*> gives;
  bool is_set_otherwise = false;
  walk_statements(module, Nested::kEnter, [&](const Stmt* statement) {
    if (given_to(statement, name) != nullptr) gives.push_back(statement);
    const auto* shared = as<Global>(statement);
    if (shared == nullptr) return;
    for (const Identifier& one : shared->names) is_set_otherwise = is_set_otherwise || one.text == name;
  });
  if (gives.size() < 2 || is_set_otherwise || rules::bindings_of(module, name, Nested::kSkip) != gives.size())
    return std::nullopt;
  const Try* attempt = nullptr;
  for (const Stmt* statement : module.body) {
    const auto* one = as<Try>(statement);
    const bool sets = one != nullptr && std::any_of(gives.begin(), gives.end(), [&](const Stmt* give) {
                        return holds(one->body, give) || holds(one->orelse, give);
                      });
    if (!sets) continue;
    if (attempt != nullptr) return std::nullopt;
    attempt = one;
  }
  if (attempt == nullptr || !takes_import_errors(*attempt)) return std::nullopt;
  for (const Stmt* give : gives) {
    const bool succeeds = holds(attempt->body, give) || holds(attempt->orelse, give);
    const bool fails = std::any_of(attempt->handlers.begin(), attempt->handlers.end(),
                                   [&](const ExceptHandler* handler) { return holds(handler->body, give); });
    const bool starts = holds(module.body, give) && give->span.begin < attempt->span.begin;
    if (!succeeds && !fails && !starts) return std::nullopt;
    if (!is_constant(given_to(give, name), succeeds ? ConstantKind::kTrue : ConstantKind::kFalse)) return std::nullopt;
  }
  std::vector<std::string> out;
  for (const Stmt* statement : attempt->body) {
    const auto* assign = as<Assign>(statement);
    if (assign != nullptr && is<Constant>(assign->value)) continue;
    if (!is<Import>(statement) && !is<ImportFrom>(statement)) return std::nullopt;
    add_imported(statement, out);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

}  // namespace lockstep::report
