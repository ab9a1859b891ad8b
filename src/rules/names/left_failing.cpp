#include "rules/names/left_failing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "change/summary.h"
#include "program/queries.h"
#include "rules/names/failing_imports.h"
#include "rules/place.h"

namespace lockstep::rules {

using program::ModuleId;
using program::Program;
using python::ImportedName;

namespace {

constexpr std::string_view kRule = "undefined-name";

/// Where the change mends an import: the line that takes its place, on the side after it.
struct Mended {
  ModuleId module;
  Span span;
};

/// Whether the module has no binding of the name at its top, and no submodule: asked first, for it takes no time.
bool may_lack(const Program& program, ModuleId from, std::string_view name) {
  const program::Module& module = program.modules()[from];
  const auto& bindings = module.facts->scopes[python::ScopeId(0)].bindings;
  return std::none_of(bindings.begin(), bindings.end(), [&](const python::Binding& one) { return one.name == name; }) &&
         !program.find_module(fmt::format("{}.{}", module.name, name)).valid();
}

/// The import that takes the place of `old` in the module: of the same name, from another module.
const ImportedName* successor_of(const ImportedName& old, const Program& program, ModuleId now) {
  const ImportedName* found = nullptr;
  for (const ImportedName& one : program.modules()[now].facts->imports) {
    if (one.name == old.name && one.level == old.level && one.module == old.module) return nullptr;  // Not mended.
    if (found == nullptr && one.name == old.name && one.bound_as == old.bound_as) found = &one;
  }
  return found;
}

}  // namespace

std::vector<Finding> imports_left_failing(const RuleContext& context, const ModuleNames& names) {
  std::vector<Finding> out;
  const Program& before = *context.before;
  const Program& after = context.program;
  std::map<std::string, Mended> mended;  // By the name of the module that was asked in vain.
  std::optional<ModuleNames> names_before;
  for (const change::FileSummary& file : context.change->files) {
    const ModuleId then = before.find_path(file.file->old_path), now = after.find_path(file.file->new_path);
    if (!then.valid() || !now.valid()) continue;
    for (const ImportedName& old : before.modules()[then].facts->imports) {
      const ModuleId from = names.imported_module(now, old.level, old.module);
      if (!from.valid() || old.name.empty() || old.name == "*" || mended.contains(after.modules()[from].name)) continue;
      const ModuleId asked = before.find_module(after.modules()[from].name);
      if (!asked.valid() || !may_lack(before, asked, old.name) || !may_lack(after, from, old.name)) continue;
      const ImportedName* successor = successor_of(old, after, now);
      if (successor == nullptr) continue;
      if (!names_before) names_before.emplace(before, context.files_before);
      const bool failed = lacked_name(before, *names_before, then, old).has_value();
      if (failed && !lacked_name(after, names, now, *successor))
        mended.emplace(after.modules()[from].name, Mended{now, successor->span});
    }
  }
  if (mended.empty()) return out;
  for (std::size_t i = 0; i < after.modules().size(); ++i) {
    const ModuleId id(i);
    const program::Module& module = after.modules()[id];
    if (program::is_test_path(module.path) || !module.facts->file->problems.empty()) continue;
    // By the module that is asked: what it is asked for, and where.
    std::map<ModuleId, std::pair<std::vector<std::string>, Span>> left;
    for (const ImportedName& import : module.facts->imports) {
      if (!always_runs(after, id, import)) continue;
      const ModuleId from = names.imported_module(id, import.level, import.module);
      if (!from.valid() || !mended.contains(after.modules()[from].name)) continue;
      // What the change writes itself is told as its own.
      if (context.change->touches_after(module.path, module.facts->source().line_of(import.span.begin))) continue;
      // Somewhere in the repository it is defined: it is no name that only a build makes.
      if (!lacked_name(after, names, id, import) || names.definers(import.name).empty()) continue;
      auto& [asked, span] = left.try_emplace(from, std::vector<std::string>(), import.span).first->second;
      asked.push_back(fmt::format("`{}`", import.name));
    }
    for (const auto& [from, asked] : left) {
      const std::string& name = after.modules()[from].name;
      const Mended& place = mended.at(name);
      const bool is_one = asked.first.size() == 1;
      Finding finding = finding_at(after, kRule, place.module, place.span);
      finding.severity = Severity::kP2;
      finding.certainty = FindingCertainty::kProven;
      finding.category = Category::kCorrectness;
      finding.message =
          fmt::format("`{}` still imports {} from `{}`, which binds no such {}: the fault that is mended here",
                      module.path, change::list_names(asked.first), name, is_one ? "name" : "names");
      finding.why = "Loading that file raises ImportError, as the import that this line replaces did.";
      const auto definers = names.definers(asked.first.front().substr(1, asked.first.front().size() - 2));
      finding.fix = definers.size() == 1 ? fmt::format("`{}` defines {}: import it from there as well.", definers[0],
                                                       asked.first.front())
                                         : std::string("Mend that import as well.");
      finding.evidence.push_back(evidence_at(after, id, asked.second, "this import fails"));
      out.push_back(std::move(finding));
    }
  }
  return out;
}

}  // namespace lockstep::rules
