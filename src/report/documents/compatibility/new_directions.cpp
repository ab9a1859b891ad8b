#include "report/documents/compatibility/new_directions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using program::Module;
using program::ModuleId;
using program::Program;

namespace {

constexpr std::size_t kFewestBack = 5;      ///< Modules that import in the other direction.
constexpr std::size_t kFewestModules = 10;  ///< Of a package.

bool is_beside(const Module& module) {
  return program::is_test_path(module.path) || program::is_helper_path(module.path);
}

/// The dotted name that an import asks for; empty where it has too many dots.
std::string imported_module(const Module& module, const python::ImportedName& imported) {
  if (imported.level == 0) return std::string(imported.module);
  std::vector<std::string_view> parts = split(module.name, '.');
  const std::size_t up = imported.level - (module.is_package ? 1 : 0);
  if (up >= parts.size()) return {};
  parts.resize(parts.size() - up);
  if (!imported.module.empty()) parts.push_back(imported.module);
  std::string out;
  for (const std::string_view part : parts) out += (out.empty() ? "" : ".") + std::string(part);
  return out;
}

bool is_below(std::string_view name, std::string_view package) {
  return name.starts_with(package) && (name.size() == package.size() || name[package.size()] == '.');
}

bool imports_from(const Module& module, std::string_view package) {
  return std::any_of(module.facts->imports.begin(), module.facts->imports.end(), [&](const auto& one) {
    return !one.in_type_checking && is_below(imported_module(module, one), package);
  });
}

/// How many modules of one package import from the other one; no further than `most`.
std::size_t importers(const Program& program, std::string_view of, std::string_view from, std::size_t most) {
  std::size_t out = 0;
  for (const Module& module : program.modules()) {
    if (out == most) break;
    if (is_below(module.name, of) && !is_beside(module) && imports_from(module, from)) ++out;
  }
  return out;
}

std::size_t modules_below(const Program& program, std::string_view package) {
  return static_cast<std::size_t>(std::count_if(program.modules().begin(), program.modules().end(),
                                                [&](const Module& one) { return is_below(one.name, package); }));
}

/// The outermost packages that hold one of two modules and not the other; empty where one holds the other.
std::pair<std::string, std::string> parted(std::string_view one, std::string_view other) {
  const std::vector<std::string_view> a = split(one, '.');
  const std::vector<std::string_view> b = split(other, '.');
  std::string shared;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] != b[i])
      return i == 0 ? std::pair<std::string, std::string>()
                    : std::pair(shared + std::string(a[i]), shared + std::string(b[i]));
    shared += std::string(a[i]) + ".";
  }
  return {};
}

}  // namespace

void add_new_directions(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  constexpr std::size_t kMostQuestions = 2;
  std::set<std::pair<std::string, std::string>> told;
  for (const change::FileSummary& file : inputs.change->files) {
    const ModuleId id = file.is_python ? inputs.after->find_path(file.file->new_path) : ModuleId();
    if (!id.valid()) continue;
    const Module& module = inputs.after->modules()[id];
    if (is_beside(module)) continue;
    for (const python::ImportedName& imported : module.facts->imports) {
      if (told.size() == kMostQuestions) return;
      const std::string name = imported_module(module, imported);
      const auto [own, other] = parted(module.name, name);
      if (imported.in_type_checking || own.empty() || told.contains({own, other}) ||
          modules_below(*inputs.after, own) < kFewestModules || modules_below(*inputs.after, other) < kFewestModules ||
          importers(*inputs.before, own, other, 1) > 0)
        continue;
      const std::size_t back = importers(*inputs.before, other, own, inputs.before->modules().size());
      if (back < kFewestBack) continue;
      told.emplace(own, other);
      const std::string concern = fmt::format(
          "{} imports {} now ({}), the first import of {} in {}; {} modules of {} import {}.", code(module.name),
          code(name), place(module.path, module.facts->source().line_of(imported.span.begin)), code(other), code(own),
          back, code(other), code(own));
      const std::string asked = fmt::format("Is {} meant to need it?", code(own));
      risks.push_back({RiskKind::kCompatibility, concern, asked, false, concern + " " + asked});
    }
  }
}

}  // namespace lockstep::report
