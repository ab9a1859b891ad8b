#include "report/story/checks/optional.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/optional_tries.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

namespace {

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
    const std::string_view package = first_part_of(import.module.empty() ? import.name : import.module);
    if (import.level > 0 || import.scope != ScopeId(0) || import.in_type_checking || package.empty() ||
        program.find_module(package).valid())
      continue;
    ExternalImport& one = out[package];
    one.is_optional = one.is_optional && import.in_try && tries.of(*import.statement) != nullptr;
    one.is_unconditional = one.is_unconditional || direct.contains(import.statement);
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
