#include "report/documents/settings/script_checks.h"

#include <fmt/format.h>

#include <iterator>
#include <set>

#include "base/strings.h"
#include "program/queries.h"
#include "python/main_check.h"
#include "python/tree_walk.h"
#include "report/document.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostTold = 3;

/// The assertions that a module asks whenever it runs: outside functions, and under no condition but that it is the
/// script itself.
std::vector<const Assert*> assertions_of_script(const Seq<Stmt>& body) {
  std::vector<const Assert*> out;
  for (const Stmt* statement : body) {
    if (const auto* check = as<Assert>(statement)) out.push_back(check);
    const auto* branch = as<If>(statement);
    if (branch == nullptr || !is_main_check(*branch->condition)) continue;
    for (const Stmt* inner : branch->body) {
      if (const auto* check = as<Assert>(inner)) out.push_back(check);
    }
  }
  return out;
}

}  // namespace

void add_checks_of_scripts(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  std::size_t told = 0;
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId module = inputs.after->find_path(file.file->new_path);
    const program::ModuleId before = inputs.before->find_path(file.file->old_path);
    if (!file.is_python || !module.valid() || !before.valid() || program::is_test_path(file.file->new_path)) continue;
    const auto& facts = *inputs.after->modules()[module].facts;
    const auto& old_facts = *inputs.before->modules()[before].facts;
    std::set<std::string> asked;  // In whatever layout.
    for (const Assert* check : assertions_of_script(old_facts.tree().body))
      asked.insert(one_line_whole(old_facts.source(), *check->test));
    for (const Assert* check : assertions_of_script(facts.tree().body)) {
      if (told == kMostTold || config_reads(*check->test).empty() ||
          asked.contains(one_line_whole(facts.source(), *check->test)))
        continue;
      ++told;
      risks.push_back({RiskKind::kCompatibility,
                       fmt::format("{} insists now that {} ({}).", code(file.file->new_path),
                                   condition_words(*check->test, facts.source()),
                                   place(file.file->new_path, facts.source().line_of(check->span.begin))),
                       "Runs of which that does not hold stop there", false});
    }
  }
}

}  // namespace lockstep::report
