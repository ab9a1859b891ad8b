#include "report/documents/settings/sibling_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/words.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kMostSiblings = 3;

/// The attribute through which the function reads the setting: "config" of `x.config.name`. Empty where it does not.
std::string_view holder_of(const Node& function, std::string_view setting) {
  std::string_view out;
  walk_of<Attribute>(function, Nested::kEnter, [&](const Attribute* one) {
    if (one->name.text == setting && one->context == ExprContext::kLoad && !config_attribute(*one).empty())
      out = rules::last_part_of(one->value);
  });
  return out;
}

/// Whether the method does something: it is not abstract, no stub, and only hands on to no other of its name.
bool does_something(const Program& program, FunctionId method) {
  const FunctionDef* def = program.functions()[method].def();
  if (def == nullptr) return false;
  const bool is_abstract = std::any_of(def->decorators.begin(), def->decorators.end(),
                                       [](const Expr* one) { return rules::last_part_of(one) == "abstractmethod"; });
  std::size_t calls = 0;
  walk_of<Call>(*def, Nested::kSkip, [&](const Call*) { ++calls; });
  return !is_abstract && calls > 1;
}

bool may_call(const Program& program, FunctionId caller, FunctionId callee) {
  const auto& calls = program.functions()[caller].calls;
  return std::any_of(calls.begin(), calls.end(), [&](program::CallId id) {
    const auto& targets = program.calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(), [&](const auto& one) { return one.function == callee; });
  });
}

/// The highest class of the repository above `cls` that declares the method and has the attribute; none where there is
/// none but `cls` itself.
ClassId common_base(const Program& program, ClassId cls, std::string_view method, std::string_view holder) {
  ClassId out;
  for (const ClassId above : program.classes()[cls].linearized) {
    if (above == cls || program.find_field(above, holder) == nullptr) continue;
    if (program.find_method(above, method).valid()) out = above;
  }
  return out;
}

/// Whether the setting is called after what sets this class apart.
bool is_called_after(const Program& program, std::string_view setting, ClassId cls, ClassId base) {
  const std::set<std::string> own = name_words(program.classes()[cls].name);
  const std::set<std::string> of_base = name_words(program.classes()[base].name);
  const std::set<std::string> words = name_words(setting);
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return own.contains(word) && !of_base.contains(word); });
}

std::vector<FunctionId> siblings_of(const Program& program, FunctionId method, ClassId base) {
  const program::Function& own = program.functions()[method];
  std::vector<FunctionId> out;
  for (const ClassId one : program::with_descendants(program, base)) {
    if (program::are_kin(program, one, own.owner) || program::is_test_path(program.module_of(one).path) ||
        program::is_helper_path(program.module_of(one).path))
      continue;
    for (const FunctionId other : program.classes()[one].methods) {
      if (program.functions()[other].name != own.name || !does_something(program, other) ||
          may_call(program, other, method))
        continue;
      // What goes through a sibling that is named already is told with it.
      const bool goes_through =
          std::any_of(out.begin(), out.end(), [&](FunctionId named) { return may_call(program, other, named); });
      if (!goes_through) out.push_back(other);
    }
  }
  return out;
}

}  // namespace

void add_sibling_readers(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostAsked = 2;
  const Program& program = *inputs.after;
  std::size_t asked = 0;
  for (const Flag& flag : story.flags) {
    if (!flag.is_new || !flag.derived.empty() || flag.more_may_read || flag.readers != 1 || asked == kMostAsked)
      continue;
    for (const Actor& actor : story.actors) {
      const change::EntityChange& entity = *actor.change;
      if (actor.role == Role::kTest || entity.kind != change::EntityKind::kMethod || !entity.after ||
          !entity.after->function.valid() || actor.is_added())
        continue;
      const FunctionId method = entity.after->function;
      const program::Function& own = program.functions()[method];
      const std::string_view holder = holder_of(*own.node, flag.name);
      if (holder.empty() || own.name.starts_with("__") || !own.owner.valid()) continue;
      const ClassId base = common_base(program, own.owner, own.name, holder);
      if (!base.valid() || is_called_after(program, flag.name, own.owner, base)) continue;
      const std::vector<FunctionId> siblings = siblings_of(program, method, base);
      if (siblings.empty() || siblings.size() > kMostSiblings) continue;
      std::vector<std::string> names;
      for (const FunctionId one : siblings)
        names.push_back(fmt::format("{} ({})", code(short_name(program, one)), place_of(program, one)));
      risks.push_back({RiskKind::kCorrectness,
                       fmt::format("Outside tests, {} was found to be read in {} alone; {}, of {} below {}, {} not.",
                                   code(flag.name), code(short_name(program, method)), join_words(names),
                                   names.size() == 1 ? "another class" : "other classes",
                                   code(short_name(program, base)), names.size() == 1 ? "does" : "do"),
                       "Is it to hold there, too?", false});
      ++asked;
      break;
    }
  }
}

}  // namespace lockstep::report
