#include "report/documents/tests/own_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "change/names.h"
#include "program/queries.h"
#include "python/facts.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

namespace {

/// Whether the file imports code of the repository, or may come to it in other ways.
bool may_run_repository(const program::Program& program, const program::Module& file) {
  static constexpr std::string_view kStarting[] = {"importlib", "multiprocessing", "pkgutil", "runpy", "subprocess"};
  return std::any_of(file.facts->imports.begin(), file.facts->imports.end(), [&](const python::ImportedName& import) {
    if (import.level > 0) return true;
    const std::string_view module = import.module.empty() ? std::string_view(import.name) : import.module;
    const std::string_view package = module.substr(0, module.find('.'));
    return program.find_module(package).valid() || program.find_module(module).valid() ||
           std::find(std::begin(kStarting), std::end(kStarting), package) != std::end(kStarting);
  });
}

}  // namespace

std::string own_code_words(const DocumentInputs& inputs, const Story& story, const Actor& test) {
  constexpr std::size_t kShortest = 5;  // Letters of a name that says what it is of.
  const auto& side = test.change->after;
  const program::ModuleId module = side ? inputs.after->find_path(side->path) : program::ModuleId();
  if (!module.valid() || may_run_repository(*inputs.after, inputs.after->modules()[module])) return {};
  const std::string words = "its file imports no code of the repository";
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() || actor.is_module_code) continue;
    const std::string_view changed = change::last_part(actor.change->after->qualified_name);
    if (changed.size() < kShortest || changed.starts_with("__")) continue;
    for (const program::FunctionId id : inputs.after->modules()[module].functions) {
      const program::Function& own = inputs.after->functions()[id];
      if (own.def() == nullptr || !std::string_view(own.name).starts_with(changed)) continue;
      return fmt::format("{} and defines {} ({}) itself", words, code(own.name), place_of(*inputs.after, id));
    }
  }
  return words;
}

}  // namespace lockstep::report
