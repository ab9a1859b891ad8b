#include "report/documents/settings/asked_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// "Headers.START" of members that the change adds.
std::set<std::string> added_members(const Story& story) {
  std::set<std::string> out;
  for (const Actor& actor : story.actors) {
    if (actor.change->kind != change::EntityKind::kField || !actor.is_added()) continue;
    const std::string& name = actor.change->after->qualified_name;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || dot == 0) continue;
    out.insert(std::string(change::last_part(name.substr(0, dot))) + name.substr(dot));
  }
  return out;
}

/// Those that new or changed conditions of the function read.
std::vector<std::string> asked_in(const Actor& actor, const std::set<std::string>& members) {
  std::vector<std::string> out;
  for (const Step& step : actor.steps.after) {
    const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
    if (step.status == StepStatus::kKept || branch == nullptr) continue;
    walk_of<Attribute>(*branch->condition, Nested::kSkip, [&](const Attribute* one) {
      std::string text = dotted_text(one);
      if (members.contains(text) && std::find(out.begin(), out.end(), text) == out.end())
        out.push_back(std::move(text));
    });
  }
  return out;
}

/// Functions outside tests, other than `asking`, that name the member anywhere but in a condition; marked, with places.
std::vector<std::string> givers_of(const Program& program, const std::string& member, FunctionId asking) {
  const std::string name(change::last_part(member));
  std::vector<std::string> out;
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[program::ModuleId(i)];
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    std::set<const Node*> conditions;
    walk_of<If>(module.facts->tree(), Nested::kEnter, [&](const If* branch) {
      walk_of<Attribute>(*branch->condition, Nested::kSkip, [&](const Attribute* one) { conditions.insert(one); });
    });
    walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* one) {
      if (one->name.text != name || conditions.contains(one) || dotted_text(one) != member) return;
      const FunctionId function = program.function_at(program::ModuleId(i), one->span.begin);
      if (!function.valid() || function == asking || !seen.insert(function.value).second) return;
      const std::string at = place(module.path, module.facts->source().line_of(one->span.begin));
      out.push_back(program.functions()[function].kind == program::FunctionKind::kModuleBody
                        ? at
                        : fmt::format("{} ({})", code(short_name(program, function)), at));
    });
  }
  return out;
}

}  // namespace

std::string asked_members_text(const DocumentInputs& inputs, const Story& story, std::size_t index) {
  constexpr std::size_t kMost = 3;
  const Actor& actor = story.actor(index);
  if (!actor.is_function() || actor.is_removed() || actor.steps.after_source == nullptr) return {};
  const std::set<std::string> members = added_members(story);
  if (members.empty()) return {};
  std::string out;
  std::size_t told = 0;
  for (const std::string& member : asked_in(actor, members)) {
    std::vector<std::string> givers = givers_of(*inputs.after, member, actor.change->after->function);
    if (givers.empty() || told == kMost) continue;
    ++told;
    if (givers.size() > kMost) {
      const std::size_t more = givers.size() - kMost + 1;
      givers.resize(kMost - 1);
      givers.push_back(fmt::format("{} more functions", more));
    }
    out += fmt::format("{}{} is asked for in what changes; it is named, too, by {}.", out.empty() ? "" : " ",
                       code(member), join_words(givers));
  }
  return out;
}

}  // namespace lockstep::report
