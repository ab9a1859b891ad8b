#include "report/story/settings/flag_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/optional_tries.h"
#include "report/source/standard_modules.h"
#include "report/source/variable_readers.h"

namespace lockstep::report {

using namespace python;
using program::ModuleId;
using program::Program;

namespace {

/// One import behind a flag.
struct Need {
  std::string name;     ///< "deep_ep.HybridEPBuffer"; "hybrid_ep_cpp".
  std::string package;  ///< Its first part.
  std::string bound_as;
};

/// What must be there for each flag of the module, by the flag.
std::map<std::string, std::vector<Need>> needs_of(const Program& program, ModuleId module) {
  std::map<std::string, std::vector<Need>> out;
  const FileFacts& facts = *program.modules()[module].facts;
  const OptionalTries tries(program, module);
  std::map<const Try*, std::vector<Need>> by_try;
  for (const ImportedName& import : facts.imports) {
    const Try* attempt = import.in_try && import.level == 0 ? tries.of(*import.statement) : nullptr;
    const std::string_view from = import.module.empty() ? import.name : import.module;
    if (attempt == nullptr || from.empty() || import.scope != ScopeId(0)) continue;
    const std::string_view package = first_part_of(from);
    if (is_standard_module(package) || is_package_of(program, package)) continue;
    const bool is_whole = import.module.empty() || import.name.empty() || import.name == "*";
    by_try[attempt].push_back({is_whole ? std::string(from) : fmt::format("{}.{}", from, import.name),
                               std::string(package), std::string(import.bound_as)});
  }
  for (const auto& [attempt, needs] : by_try) {
    for (const std::string_view flag : flags_of(facts, std::set<const Try*>{attempt})) {
      std::vector<Need>& all = out[std::string(flag)];
      all.insert(all.end(), needs.begin(), needs.end());
    }
  }
  return out;
}

/// The needs that the other version of the flag has not, by the package and the name alike.
std::vector<std::string> only_in(const std::vector<Need>& some, const std::vector<Need>& others) {
  std::vector<std::string> out;
  for (const Need& need : some) {
    const bool is_there = std::any_of(others.begin(), others.end(), [&](const Need& other) {
      return other.name == need.name || (other.package == need.package && other.bound_as == need.bound_as);
    });
    if (!is_there && std::find(out.begin(), out.end(), need.name) == out.end()) out.push_back(need.name);
  }
  return out;
}

/// Where the module gives the flag its first value.
std::string place_of_flag(const program::Module& module, std::string_view flag) {
  const Assign* found = nullptr;
  walk_of<Assign>(module.facts->tree(), Nested::kSkip, [&](const Assign* assign) {
    const auto* target = as<Name>(assign->targets.front());
    if (target != nullptr && target->id == flag && (found == nullptr || assign->span.begin < found->span.begin))
      found = assign;
  });
  return found == nullptr ? place(module.path) : place(module.path, module.facts->source().line_of(found->span.begin));
}

std::string readers_words(const Program& program, ModuleId module, std::string_view flag) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  const auto readers = readers_of_variable(program, module, flag);
  for (const program::FunctionId reader : readers) {
    if (names.size() == kMost) break;
    const program::Module& home = program.module_of(reader);
    names.push_back(home.body == reader
                        ? code(home.path)
                        : fmt::format("{} ({})", code(short_name(program, reader)), place_of(program, reader)));
  }
  if (names.empty()) return {};
  const std::size_t more = readers.size() - names.size();
  return fmt::format(" It is read in {}.",
                     more == 0 ? join_words(names) : fmt::format("{} and {} more", join(names, ", "), more));
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (out.size() == kMost) break;
    out.push_back(code(name));
  }
  if (names.size() > kMost) out.push_back(fmt::format("{} more", names.size() - kMost));
  return join_words(out);
}

}  // namespace

std::vector<std::string> flag_needs(const DocumentInputs& inputs) {
  std::vector<std::string> out;
  for (const change::FileSummary& file : inputs.change->files) {
    const ModuleId then = inputs.before->find_path(file.file->old_path);
    const ModuleId now = inputs.after->find_path(file.file->new_path);
    if (!file.is_python || !then.valid() || !now.valid() || program::is_test_path(file.file->new_path)) continue;
    const auto before = needs_of(*inputs.before, then);
    const auto after = before.empty() ? before : needs_of(*inputs.after, now);
    for (const auto& [flag, needs] : after) {
      const auto earlier = before.find(flag);
      if (earlier == before.end()) continue;
      const std::vector<std::string> more = only_in(needs, earlier->second);
      const std::vector<std::string> fewer = only_in(earlier->second, needs);
      if (more.empty()) continue;
      const std::string gone = fewer.empty() ? "" : fmt::format(", and no longer {}", listed(fewer));
      out.push_back(fmt::format("{} ({}) {} {}{}: it is true only where the import succeeds.{}", code(flag),
                                place_of_flag(inputs.after->modules()[now], flag),
                                fewer.empty() ? "now also needs" : "now needs", listed(more), gone,
                                readers_words(*inputs.after, now, flag)));
    }
  }
  return out;
}

}  // namespace lockstep::report
