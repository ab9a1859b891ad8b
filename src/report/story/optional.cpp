#include "report/story/optional.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "rules/flow.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

namespace {

std::string_view first_part(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

bool is_import_of(const ImportedName& import, std::string_view package) {
  return first_part(import.module.empty() ? import.name : import.module) == package;
}

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

/// By import: the innermost `try` in whose body it stands and which has a handler for a missing package; none where
/// there is none, or where that handler does not let the module go on. Of a whole module at once.
class OptionalTries {
 public:
  OptionalTries(const Program& program, ModuleId module) : program_(program), module_(module) {
    visit(program.modules()[module].facts->tree().body, nullptr);
  }

  [[nodiscard]] const Try* of(const Node& import) const {
    const auto found = tries_.find(&import);
    return found == tries_.end() ? nullptr : found->second;
  }

 private:
  void visit(Seq<Stmt> block, const Try* around) {
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

  const Program& program_;
  ModuleId module_;
  std::unordered_map<const Node*, const Try*> tries_;
};

struct ExternalImport {
  bool is_optional = true;        ///< Each stands in a `try` that lets the module go on without the package.
  bool is_unconditional = false;  ///< One stands directly in the module, under no condition.
};

/// Packages that are no module of the program, and how the module itself imports them.
std::map<std::string_view, ExternalImport> external_imports(const Program& program, ModuleId module,
                                                            const OptionalTries& tries) {
  const FileFacts& facts = *program.modules()[module].facts;
  std::map<std::string_view, ExternalImport> out;
  const std::unordered_set<const Node*> direct(facts.tree().body.begin(), facts.tree().body.end());
  for (const ImportedName& import : facts.imports) {
    const std::string_view package = first_part(import.module.empty() ? import.name : import.module);
    if (import.level > 0 || import.scope != ScopeId(0) || import.in_type_checking || package.empty() ||
        program.find_module(package).valid())
      continue;
    ExternalImport& one = out[package];
    one.is_optional = one.is_optional && import.in_try && tries.of(*import.statement) != nullptr;
    one.is_unconditional = one.is_unconditional || direct.contains(import.statement);
  }
  return out;
}

/// Names at module level that say whether the package is there: `HAVE_YAML = True` beside the import, and `False` (or
/// `None`) in the handler or before.
std::set<std::string_view> flags_of(const FileFacts& facts, const OptionalTries& tries, std::string_view package) {
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
  std::set<const Try*> attempts;
  for (const ImportedName& import : facts.imports) {
    if (const Try* attempt = is_import_of(import, package) ? tries.of(*import.statement) : nullptr)
      attempts.insert(attempt);
  }
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

/// Names that a handler gives instead of the package: `yaml = None`.
std::set<std::string_view> stand_ins_of(const FileFacts& facts, const OptionalTries& tries, std::string_view package) {
  std::set<std::string_view> out;
  for (const ImportedName& import : facts.imports) {
    if (is_import_of(import, package) && tries.of(*import.statement) != nullptr) out.insert(import.bound_as);
  }
  return out;
}

/// Whether the step is the head of a new `if not FLAG:` that does nothing but raise ImportError.
bool is_refusal(const Step& step, const std::set<std::string_view>& flags) {
  const auto* branch = as<If>(step.node);
  const auto* condition = branch == nullptr ? nullptr : as<UnaryOp>(branch->condition);
  const auto* flag =
      condition == nullptr || condition->op != UnaryOperator::kNot ? nullptr : as<Name>(condition->operand);
  if (flag == nullptr || !flags.contains(flag->id) || branch->body.size() != 1) return false;
  const auto* raise = as<Raise>(branch->body.front());
  const auto* call = raise == nullptr ? nullptr : as<Call>(raise->exception);
  const auto* name = call == nullptr ? nullptr : as<Name>(call->callee);
  return name != nullptr && (name->id == "ImportError" || name->id == "ModuleNotFoundError");
}

}  // namespace

std::vector<OptionalImport> optional_imports(const DocumentInputs& inputs, const Story& story) {
  std::vector<OptionalImport> out;
  for (const change::FileSummary& file : inputs.change->files) {
    const ModuleId then = inputs.before->find_path(file.file->old_path);
    const ModuleId now = inputs.after->find_path(file.file->new_path);
    if (!then.valid() || !now.valid() || program::is_test_path(file.file->new_path)) continue;
    const auto before = external_imports(*inputs.before, then, OptionalTries(*inputs.before, then));
    const OptionalTries tries(*inputs.after, now);
    const FileFacts& facts = *inputs.after->modules()[now].facts;
    for (const auto& [package, import] : external_imports(*inputs.after, now, tries)) {
      const auto earlier = before.find(package);
      if (!import.is_optional || earlier == before.end() || !earlier->second.is_unconditional) continue;
      auto one =
          std::find_if(out.begin(), out.end(), [&](const OptionalImport& each) { return each.package == package; });
      if (one == out.end()) one = out.insert(out.end(), {std::string(package), {}, {}, {}});
      one->files.push_back(file.file->new_path);
      const std::set<std::string_view> flags = flags_of(facts, tries, package);
      const std::set<std::string_view> stand_ins = stand_ins_of(facts, tries, package);
      for (const Actor& actor : story.actors) {
        const change::EntityChange& entity = *actor.change;
        const std::string_view name = change::last_part(entity.latest().qualified_name);
        if (actor.is_added() && entity.kind == change::EntityKind::kVariable &&
            entity.after->path == file.file->new_path && (flags.contains(name) || stand_ins.contains(name)))
          one->only_that.push_back(&actor);
        if (!actor.is_function() || actor.is_added() || actor.is_removed() ||
            actor.change->after->path != file.file->new_path)
          continue;
        const auto changed = [](const Step& step) { return step.status != StepStatus::kKept; };
        bool raises = false;
        bool only_that = std::none_of(actor.steps.before.begin(), actor.steps.before.end(), changed);
        for (const Step& step : actor.steps.after) {
          if (!changed(step)) continue;
          // Deeper it raises only where the function gets there.
          const bool refuses = step.depth == 0 && is_refusal(step, flags);
          raises = raises || refuses;
          only_that = only_that &&
                      (refuses || (step.parent != Step::kNone && is_refusal(actor.steps.after[step.parent], flags)));
        }
        if (raises) one->raising.push_back(&actor);
        if (raises && only_that) one->only_that.push_back(&actor);
      }
    }
  }
  return out;
}

std::string optional_words(const DocumentInputs& inputs, const OptionalImport& one) {
  constexpr std::size_t kMostNames = 4;
  const auto listed = [](std::vector<std::string> names, std::string_view others) {
    if (names.size() <= kMostNames) return join_words(names);
    const std::size_t left = names.size() - (kMostNames - 1);
    names.resize(kMostNames - 1);
    return fmt::format("{} and {} more {}", join(names, ", "), left, others);
  };
  std::vector<std::string> files;
  for (const std::string& file : one.files) files.push_back(code(file));
  std::string text = fmt::format("{} becomes an optional import: {} {} it in a {} now", code(one.package),
                                 listed(files, "files"), files.size() == 1 ? "has" : "have", code("try"));
  if (one.raising.empty()) return text + ".";
  std::vector<std::string> names;
  for (const Actor* actor : one.raising) names.push_back(code(short_name(inputs, *actor->change)));
  return fmt::format("{}; {} {} {} where it is missing.", text, listed(names, "functions"),
                     names.size() == 1 ? "raises" : "raise", code("ImportError"));
}

bool is_told_by(const std::vector<OptionalImport>& imports, const Actor& actor) {
  return std::any_of(imports.begin(), imports.end(), [&](const OptionalImport& one) {
    return std::find(one.only_that.begin(), one.only_that.end(), &actor) != one.only_that.end();
  });
}

}  // namespace lockstep::report
