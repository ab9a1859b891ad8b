#include "report/source/chosen_names.h"

#include <algorithm>

#include "program/module_names.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

ChosenName chosen_values_of(const program::Program& program, program::ModuleId user, std::string_view name) {
  constexpr std::size_t kMost = 3;
  ChosenName out;
  std::string_view bound = name;
  out.module = user;
  for (const ImportedName& import : program.modules()[user].facts->imports) {
    if (import.bound_as != name || import.name.empty() || import.name == "*") continue;
    const program::ModuleId from =
        program.find_module(program::absolute_name(program.modules()[user], import.level, import.module));
    if (!from.valid()) return {};
    out.module = from;
    bound = import.name;
  }
  const FileFacts& facts = *program.modules()[out.module].facts;
  walk_statements(facts.tree(), Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    if (assign == nullptr || assign->targets.size() != 1 || rules::name_of(assign->targets.front()) != bound) return;
    if (out.values.empty()) out.first = statement->span;
    std::string text = one_line_whole(facts.source(), *assign->value);
    if (std::find(out.values.begin(), out.values.end(), text) == out.values.end())
      out.values.push_back(std::move(text));
  });
  return out.values.size() < 2 || out.values.size() > kMost ? ChosenName() : out;
}

}  // namespace lockstep::report
