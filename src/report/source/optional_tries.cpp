#include "report/source/optional_tries.h"

#include <algorithm>
#include <map>

#include "python/tree_walk.h"
#include "report/source/defaults.h"
#include "rules/syntax/flow.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

namespace {

/// Whether a handler takes the exception of an import whose package is missing.
bool takes_missing(const ExceptHandler& handler) {
  constexpr std::string_view kTakers[] = {"ModuleNotFoundError", "ImportError", "Exception", "BaseException"};
  const auto is_taker = [&](const Expr* type) {
    const auto* name = as<Name>(type);
    return name != nullptr && std::find(std::begin(kTakers), std::end(kTakers), name->id) != std::end(kTakers);
  };
  const auto* several = as<Tuple>(handler.type);
  return handler.type == nullptr || is_taker(handler.type) ||
         (several != nullptr && std::any_of(several->elements.begin(), several->elements.end(), is_taker));
}

/// Whether a run goes on behind the block, as far as its text shows.
bool goes_on(const Program& program, ModuleId module, Seq<Stmt> block) {
  return std::none_of(block.begin(), block.end(), [&](const Stmt* statement) {
    if (rules::ends_block(*statement)) return true;
    // `missing("yaml")`, which raises.
    const auto* lone = as<ExprStmt>(statement);
    const auto* call = lone == nullptr ? nullptr : as<Call>(lone->value);
    if (call == nullptr) return false;
    const FunctionId called = program.resolve(program.modules()[module].body, *call->callee).function;
    const FunctionDef* def = called.valid() ? program.functions()[called].def() : nullptr;
    return def != nullptr && rules::always_raises(def->body);
  });
}

}  // namespace

std::string_view first_part_of(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

bool is_import_of(const ImportedName& import, std::string_view package) {
  return first_part_of(import.module.empty() ? import.name : import.module) == package;
}

bool is_package_of(const Program& program, std::string_view package) {
  if (program.find_module(package).valid()) return true;
  return std::any_of(program.modules().begin(), program.modules().end(), [&](const program::Module& module) {
    const std::string_view name = module.name;
    return name.size() > package.size() && name.starts_with(package) && name[package.size()] == '.';
  });
}

OptionalTries::OptionalTries(const Program& program, ModuleId module) : program_(program), module_(module) {
  visit(program.modules()[module].facts->tree().body, nullptr);
}

const Try* OptionalTries::of(const Node& import) const {
  const auto found = tries_.find(&import);
  return found == tries_.end() ? nullptr : found->second;
}

void OptionalTries::visit(Seq<Stmt> block, const Try* around) {
  for (const Stmt* statement : block) {
    if (around != nullptr && (is<Import>(statement) || is<ImportFrom>(statement))) tries_[statement] = around;
    if (is<FunctionDef>(statement) || is<ClassDef>(statement)) continue;
    const auto* attempt = as<Try>(statement);
    if (attempt == nullptr) {
      for_each_block(*statement, [&](Seq<Stmt> inner) { visit(inner, around); });
      continue;
    }
    const auto taker = std::find_if(attempt->handlers.begin(), attempt->handlers.end(),
                                    [](const ExceptHandler* one) { return takes_missing(*one); });
    const bool lets_go_on = taker != attempt->handlers.end() && goes_on(program_, module_, (*taker)->body) &&
                            goes_on(program_, module_, attempt->finally_body);
    visit(attempt->body, taker == attempt->handlers.end() ? around : lets_go_on ? attempt : nullptr);
    for (const ExceptHandler* handler : attempt->handlers) visit(handler->body, around);
    visit(attempt->orelse, around);
    visit(attempt->finally_body, around);
  }
}

std::set<std::string_view> flags_of(const FileFacts& facts, const std::set<const Try*>& attempts) {
  using Counts = std::map<std::string_view, std::pair<int, int>>;  // How often truthy and falsy.
  const auto count = [](Counts& counts, const Assign& assign) {
    const auto* name = as<Name>(assign.targets.front());
    if (name == nullptr) return;
    const Value value = value_of(assign.value);
    auto& [truthy, falsy] = counts[name->id];
    // What is not known spoils both.
    truthy += value.kind == Value::Kind::kUnknown || value.truth ? 1 : 0;
    falsy += value.kind == Value::Kind::kUnknown || !value.truth ? 1 : 0;
  };
  std::set<std::string_view> out;
  if (attempts.empty()) return out;
  Counts everywhere;
  walk_of<Assign>(facts.tree(), Nested::kSkip, [&](const Assign* assign) { count(everywhere, *assign); });
  for (const Try* attempt : attempts) {
    Counts there;  // Where the package is there.
    for (const auto& block : {attempt->body, attempt->orelse}) {
      for (const Stmt* statement : block) {
        if (const auto* assign = as<Assign>(statement)) count(there, *assign);
        if (is<FunctionDef>(statement) || is<ClassDef>(statement)) continue;
        walk_of<Assign>(*statement, Nested::kSkip, [&](const Assign* assign) { count(there, *assign); });
      }
    }
    for (const auto& [name, counts] : there) {
      const auto& all = everywhere[name];
      const bool is_falsy_without = all.first == counts.first && all.second > counts.second;
      if (counts.first == 1 && counts.second == 0 && is_falsy_without) out.insert(name);
    }
  }
  return out;
}

std::set<std::string_view> flags_of(const FileFacts& facts, const OptionalTries& tries, std::string_view package) {
  std::set<const Try*> attempts;
  for (const ImportedName& import : facts.imports) {
    if (const Try* attempt = is_import_of(import, package) ? tries.of(*import.statement) : nullptr)
      attempts.insert(attempt);
  }
  return flags_of(facts, attempts);
}

}  // namespace lockstep::report
