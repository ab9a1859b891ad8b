#include "report/story/optional.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;
using program::ModuleId;
using program::Program;

namespace {

std::string_view first_part(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

/// Packages that are no module of the program, and whether the module's own imports of them all stand in a `try`.
std::map<std::string_view, bool> external_imports(const Program& program, ModuleId module) {
  std::map<std::string_view, bool> out;
  for (const ImportedName& import : program.modules()[module].facts->imports) {
    const std::string_view package = first_part(import.module.empty() ? import.name : import.module);
    if (import.level > 0 || import.scope != ScopeId(0) || import.in_type_checking || package.empty() ||
        program.find_module(package).valid())
      continue;
    const auto [known, is_new] = out.emplace(package, import.in_try);
    if (!is_new) known->second = known->second && import.in_try;
  }
  return out;
}

/// Names that the `try` around an import of the package sets to a constant: `HAVE_YAML = True`.
std::set<std::string_view> flags_of(const FileFacts& facts, std::string_view package) {
  std::set<std::string_view> out;
  walk_of<Try>(facts.tree(), Nested::kSkip, [&](const Try* statement) {
    bool imports_it = false;
    for (const ImportedName& import : facts.imports) {
      const std::string_view imported = first_part(import.module.empty() ? import.name : import.module);
      imports_it = imports_it || (imported == package && statement->span.contains(import.statement->span));
    }
    if (!imports_it) return;
    walk_of<Assign>(*statement, Nested::kSkip, [&](const Assign* assign) {
      const auto* name = as<Name>(assign->targets.front());
      const auto* value = as<Constant>(assign->value);
      if (name != nullptr && value != nullptr) out.insert(name->id);
    });
  });
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
    const auto before = external_imports(*inputs.before, then);
    for (const auto& [package, is_optional] : external_imports(*inputs.after, now)) {
      const auto earlier = before.find(package);
      if (!is_optional || earlier == before.end() || earlier->second) continue;
      auto one =
          std::find_if(out.begin(), out.end(), [&](const OptionalImport& each) { return each.package == package; });
      if (one == out.end()) one = out.insert(out.end(), {std::string(package), {}, {}, {}});
      one->files.push_back(file.file->new_path);
      const std::set<std::string_view> flags = flags_of(*inputs.after->modules()[now].facts, package);
      for (const Actor& actor : story.actors) {
        const change::EntityChange& entity = *actor.change;
        const std::string_view name = entity.latest().qualified_name;
        if (actor.is_added() && entity.kind == change::EntityKind::kVariable &&
            entity.after->path == file.file->new_path && flags.contains(name.substr(name.rfind('.') + 1)))
          one->only_that.push_back(&actor);
        if (!actor.is_function() || actor.is_added() || actor.is_removed() ||
            actor.change->after->path != file.file->new_path)
          continue;
        const auto changed = [](const Step& step) { return step.status != StepStatus::kKept; };
        bool raises = false;
        bool only_that = std::none_of(actor.steps.before.begin(), actor.steps.before.end(), changed);
        for (const Step& step : actor.steps.after) {
          if (!changed(step)) continue;
          const bool refuses = is_refusal(step, flags);
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
