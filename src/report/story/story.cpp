#include "report/story/story.h"
#include "report/source/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "base/strings.h"
#include "base/worker_pool.h"
#include "change/names.h"
#include "report/author/title.h"
#include "report/document.h"
#include "report/file_name.h"
#include "report/story/calls/attributes_besides.h"
#include "report/story/calls/late_reads.h"
#include "report/story/calls/new_helpers.h"
#include "report/story/calls/use.h"
#include "report/story/classes/bases.h"
#include "report/story/classes/successors.h"
#include "report/story/communication/collectives.h"
#include "report/story/settings/value_cases.h"
#include "report/story/steps/cached_attributes.h"
#include "report/story/steps/property_use.h"
#include "report/story/steps/handed_pairs.h"
#include "report/story/steps/inlined.h"
#include "report/story/steps/matches.h"
#include "report/story/steps/moved_code.h"
#include "report/story/steps/nesting.h"
#include "report/story/steps/swapped_calls.h"
#include "report/story/trails/chain.h"
#include "report/story/weights/helper_weights.h"
#include "report/story/weights/trail_weights.h"
#include "report/story/weights/weights.h"
#include "report/ways/scripts/step_walk.h"

namespace lockstep::report {

using change::DifferenceKind;
using change::EntityChange;
using change::EntityKind;
using change::EntitySide;
using change::FileCategory;
using program::FunctionId;
using program::Program;

namespace {

/// A function or a class: more than a value that others read.
bool is_code(const Actor& actor) { return actor.is_function() || actor.change->kind == EntityKind::kClass; }

/// Where no ordinary code changed, what there is carries the change: followers, then tests, then comments. A new
/// setting alone is what followers hand on.
void promote(std::vector<Actor>& actors) {
  const auto carries = [&](Role role, bool wants_code) {
    return std::any_of(actors.begin(), actors.end(), [&](const Actor& a) {
      return a.role == role && !a.is_bare_module() && (!wants_code || is_code(a));
    });
  };
  for (const Role role : {Role::kSupporting, Role::kFollowing, Role::kTest, Role::kCosmetic}) {
    const bool only_settings = role == Role::kSupporting && carries(Role::kFollowing, true);
    if (!carries(role, only_settings)) continue;
    for (Actor& actor : actors) {
      if (actor.role == role && role != Role::kTest && !actor.is_bare_module()) actor.role = Role::kSupporting;
    }
    return;
  }
}

/// A new class that several changed classes come to derive from carries the change: what they lose, it has.
void lead_with_new_base(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  std::map<std::uint32_t, std::size_t> derived;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kTest) continue;
    for (const NewBase& one : new_bases(*inputs.after, *actor.change)) ++derived[one.base.value];
  }
  constexpr std::size_t kSeveral = 2;
  for (Actor& actor : actors) {
    const auto& after = actor.change->after;
    if (!actor.is_added() || actor.role == Role::kTest || !after || !after->cls.valid() ||
        actor.change->kind != EntityKind::kClass || inputs.after->classes()[after->cls].owner.valid())
      continue;
    const auto found = derived.find(after->cls.value);
    if (found == derived.end() || found->second < kSeveral) continue;
    actor.role = Role::kSupporting;
    for (const Actor& other : actors) actor.weight = std::max(actor.weight, other.weight + 1);
  }
  std::stable_sort(actors.begin(), actors.end(), [](const Actor& a, const Actor& b) { return a.weight > b.weight; });
}

void choose_central(Story& story, std::size_t most) {
  const bool tests_only = std::none_of(story.actors.begin(), story.actors.end(),
                                       [](const Actor& a) { return a.role == Role::kSupporting; });
  story.only_tests = tests_only && std::any_of(story.actors.begin(), story.actors.end(),
                                               [](const Actor& a) { return a.role == Role::kTest; });
  const Role wanted = tests_only ? Role::kTest : Role::kSupporting;
  const bool has_code = std::any_of(story.actors.begin(), story.actors.end(),
                                    [&](const Actor& a) { return a.role == wanted && is_code(a); });
  double top = 0;
  for (Actor& actor : story.actors) {
    if (actor.role != wanted || actor.is_bare_module()) continue;
    top = std::max(top, actor.weight);
    // Fields and variables are told with the configuration unless nothing else changed.
    if (!is_code(actor) && (has_code || !story.central.empty())) continue;
    if (story.central.size() == most || actor.weight < 0.15 * top) break;
    if (!tests_only) actor.role = Role::kCentral;
    story.central.push_back(static_cast<std::size_t>(&actor - story.actors.data()));
  }
}

/// Construction before use, callers before callees, what no call orders forward before backward; what only takes up a
/// new function, and what measures or reports, behind that.
void order_central(const DocumentInputs& inputs, Story& story) {
  const std::size_t count = story.central.size();
  std::vector<std::set<std::size_t>> reaches(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Actor& actor = story.actors[story.central[i]];
    if (!actor.change->after || !actor.change->after->function.valid() || !actor.is_function()) continue;
    const FunctionId source = actor.change->after->function;
    for (const program::Reached& reached : program::reachable_from(*inputs.after, std::span(&source, 1), 400)) {
      for (std::size_t j = 0; j < count; ++j) {
        const auto& other = story.actors[story.central[j]].change->after;
        if (j != i && other && other->function == reached.function) reaches[i].insert(j);
      }
    }
  }
  const std::set<std::string> title_words = name_words(inputs.title);
  const auto rank = [&](std::size_t i) {
    const Actor& actor = story.actors[story.central[i]];
    const std::string name = short_name(inputs, *actor.change);
    if (helper_taken_by(story.helpers, actor) != nullptr || reports_by_name(name, title_words)) return 3;
    return actor.change->kind == EntityKind::kClass ? 0 : name.ends_with("__init__") ? 1 : actor.is_removed() ? 3 : 2;
  };
  const auto is_backward = [&](std::size_t i) {
    const std::string name = to_lower(short_name(inputs, *story.actors[story.central[i]].change));
    return contains(name, "backward") || contains(name, "bwd");
  };
  std::vector<std::size_t> order;
  std::vector<bool> placed(count, false);
  while (order.size() < count) {
    std::size_t best = count;
    for (std::size_t i = 0; i < count; ++i) {
      if (placed[i]) continue;
      const auto open_callers = [&](std::size_t one) {
        std::size_t open = 0;
        for (std::size_t j = 0; j < count; ++j)
          open += !placed[j] && j != one && reaches[j].contains(one) && !reaches[one].contains(j) ? 1u : 0u;
        return open;
      };
      if (best == count ||
          std::make_tuple(rank(i), open_callers(i), is_backward(i), story.central[i]) <
              std::make_tuple(rank(best), open_callers(best), is_backward(best), story.central[best])) {
        best = i;
      }
    }
    placed[best] = true;
    order.push_back(story.central[best]);
  }
  story.central = order;
}

}  // namespace

bool Actor::is_function() const {
  return change->kind == EntityKind::kFunction || change->kind == EntityKind::kMethod || is_module_code;
}

bool Story::is_cosmetic() const {
  return !central.empty() &&
         std::all_of(central.begin(), central.end(), [&](std::size_t i) { return actors[i].change->is_cosmetic(); });
}

std::size_t Story::lead() const {
  std::size_t lead = 0;
  for (std::size_t i = 1; i < central.size(); ++i) {
    if (central[i] < central[lead]) lead = i;  // actors stand by weight
  }
  return lead;
}

namespace {

/// What goes over all fields of a dataclass meets those that it gains, and misses those that it loses.
void mark_field_loops(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  std::vector<program::ClassId> classes;
  std::vector<std::pair<Actor*, std::size_t>> fields;
  for (Actor& actor : actors) {
    if (actor.change->kind != EntityKind::kField || actor.role == Role::kTest ||
        (!actor.is_added() && !actor.is_removed()))
      continue;
    const EntitySide& side = actor.change->latest();
    if (!side.cls.valid()) continue;
    const Program& program = actor.is_added() ? *inputs.after : *inputs.before;
    const program::ClassId cls = inputs.after->find_class(program.classes()[side.cls].qualified_name);
    if (!cls.valid() || !inputs.after->classes()[cls].is_dataclass) continue;
    const auto known = std::find(classes.begin(), classes.end(), cls);
    fields.emplace_back(&actor, static_cast<std::size_t>(known - classes.begin()));
    if (known == classes.end()) classes.push_back(cls);
  }
  if (classes.empty()) return;
  const std::vector<std::vector<FieldLoop>> loops = field_loops(*inputs.after, classes);
  for (const auto& [actor, at] : fields) actor->field_loops = loops[at];
}

}  // namespace

Story find_story(const DocumentInputs& inputs, const StoryOptions& options) {
  Story story;
  story.actors = ranked_actors(inputs);
  // The many small ones of a huge change are only listed.
  for (std::size_t i = 0, compared = 0; i < story.actors.size() && compared < 80; ++i) {
    if (!story.actors[i].is_function()) continue;
    compare_steps_of(inputs, story.actors[i]);
    ++compared;
  }
  match_hand_overs(story.actors);
  match_checks(story.actors);
  match_guards(*inputs.after, story.actors);
  match_moved_code(inputs, story.actors);
  match_taken_over(story.actors);
  match_inlined(inputs, story.actors);
  match_moved_checks(story.actors);
  match_collectives(inputs, story.actors);
  part_handed_pairs(inputs, story.actors);
  mark_renames(inputs, story.actors);
  mark_hoisted(inputs, story.actors);
  mark_cached_attributes(*inputs.after, story.actors);
  mark_property_use(*inputs.after, story.actors);
  mark_successors(story.actors);
  mark_field_loops(inputs, story.actors);
  find_use(inputs, story);
  follow_arguments(inputs, story.actors);
  weigh_steps(inputs, story.actors);
  Chains chains = find_chains(inputs, story);
  weigh_trail(chains.functions, story);
  story.chains = std::move(chains.sentences);
  story.carried = std::move(chains.carried);
  story.trail_items = std::move(chains.items);
  story.swapped = swap_calls(inputs, story.actors);
  story.helpers = new_helpers(inputs, story.actors);
  weigh_new_helpers(story.helpers, story.actors);
  weigh_attributes_besides(inputs, story.actors);
  weigh_reports(inputs, story.actors);
  weigh_late_reads(inputs, story.actors);
  std::stable_sort(story.actors.begin(), story.actors.end(),
                   [](const Actor& a, const Actor& b) { return a.weight > b.weight; });
  story.only_removed = only_removed(inputs, story.actors);
  promote(story.actors);
  lead_with_new_base(inputs, story.actors);
  choose_central(story, options.most_central);
  story.touches_python =
      std::any_of(story.actors.begin(), story.actors.end(), [](const Actor& a) { return a.role != Role::kTest; });
  order_central(inputs, story);
  if (options.lead_first && !story.central.empty())
    std::rotate(story.central.begin(), story.central.begin() + static_cast<std::ptrdiff_t>(story.lead()),
                story.central.begin() + static_cast<std::ptrdiff_t>(story.lead()) + 1);
  for (const std::size_t index : story.central) {
    Actor& actor = story.actors[index];
    if (actor.is_function() && actor.steps.before_source == nullptr && actor.steps.after_source == nullptr)
      compare_steps_of(inputs, actor);
  }
  find_altered_state(inputs, story.actors);
  // Neither reads what the other finds.
  parallel_for(2, inputs.jobs, [&](std::size_t i) { i == 0 ? find_paths(inputs, story) : find_tests(inputs, story); });
  find_flags(inputs, story);
  drop_data_fields(inputs, story);
  // What the title names is what the change is switched on by.
  std::stable_partition(story.flags.begin(), story.flags.end(),
                        [&](const Flag& flag) { return flag.is_new && shares_words(inputs.title, flag.name); });
  constexpr std::size_t kMostSettings = 2;
  story.value_cases = value_cases(inputs, story, kMostSettings);
  return story;
}

WordsContext context_after(const DocumentInputs& inputs, const Actor& actor) {
  WordsContext context;
  context.program = inputs.after;
  context.mesh = inputs.after_mesh;
  if (actor.change->after) context.function = actor.change->after->function;
  context.source = actor.steps.after_source;
  // The many small ones of a huge change have no compared steps.
  if (context.source == nullptr && context.function.valid())
    context.source = &source_of(*inputs.after, context.function);
  return context;
}

WordsContext context_before(const DocumentInputs& inputs, const Actor& actor) {
  WordsContext context;
  context.program = inputs.before;
  context.mesh = inputs.before_mesh;
  if (actor.change->before) context.function = actor.change->before->function;
  context.source = actor.steps.before_source;
  if (context.source == nullptr && context.function.valid())
    context.source = &source_of(*inputs.before, context.function);
  context.is_brief = true;  // Places and docstrings of what it called would be those of the old version.
  return context;
}

WordsContext context_latest(const DocumentInputs& inputs, const Actor& actor) {
  return actor.change->after ? context_after(inputs, actor) : context_before(inputs, actor);
}

std::string short_name(const DocumentInputs& inputs, const EntityChange& entity) {
  const EntitySide& side = entity.latest();
  const Program& program = entity.after ? *inputs.after : *inputs.before;
  const program::ModuleId module = program.find_path(side.path);
  const std::string_view prefix =
      module.valid() ? std::string_view(program.modules()[module].name) : std::string_view();
  if (entity.kind == EntityKind::kModule) return side.path;
  if (side.qualified_name.size() > prefix.size() + 1 && side.qualified_name.starts_with(prefix) && !prefix.empty()) {
    return side.qualified_name.substr(prefix.size() + 1);
  }
  return side.qualified_name;
}

std::vector<const Actor*> methods_of(const Story& story, const EntityChange& cls) {
  std::vector<const Actor*> out;
  const std::string prefix = cls.latest().qualified_name + ".";
  for (const Actor& actor : story.actors) {
    const std::string& name = actor.change->latest().qualified_name;
    if (actor.change->kind == EntityKind::kMethod && actor.change->after && name.starts_with(prefix) &&
        name.find('.', prefix.size()) == std::string::npos)
      out.push_back(&actor);
  }
  const auto is_inner = [&](const Actor* actor) {
    return actor->change->latest().qualified_name[prefix.size()] == '_';
  };
  std::stable_sort(out.begin(), out.end(), [&](const Actor* a, const Actor* b) { return is_inner(a) < is_inner(b); });
  return out;
}

namespace {

/// Of a module: the first line that changes in what it runs itself; its first line where none does.
std::uint32_t first_changed_line(const EntityChange& entity) {
  std::optional<std::uint32_t> first;
  for (const change::Difference& difference : entity.differences) {
    const bool counts = difference.after_line && difference.kind != change::DifferenceKind::kImportAdded &&
                        !change::is_cosmetic(difference.kind);
    if (counts && (!first || *difference.after_line < *first)) first = difference.after_line;
  }
  return first.value_or(entity.latest().first_line);
}

}  // namespace

std::uint32_t line_of(const DocumentInputs& inputs, const EntityChange& entity) {
  const EntitySide& side = entity.latest();
  const Program& program = entity.after ? *inputs.after : *inputs.before;
  const program::ModuleId module = program.find_path(side.path);
  if (entity.kind == EntityKind::kModule) return first_changed_line(entity);
  if (!module.valid() || side.node == nullptr) return side.first_line;
  return program.modules()[module].facts->source().line_of(side.node->span.begin);
}

std::string place_of(const DocumentInputs& inputs, const EntityChange& entity) {
  return place(entity.latest().path, line_of(inputs, entity));
}

std::string status_words(const EntityChange& entity) {
  switch (entity.status) {
    case change::Status::kAdded:
      return "new";
    case change::Status::kRemoved:
      return "removed";
    case change::Status::kModified:
      break;
  }
  if (entity.moved) {
    const std::string_view was = change::last_part(entity.before->qualified_name);
    const bool is_called_otherwise =
        entity.kind != EntityKind::kModule && entity.after && was != change::last_part(entity.after->qualified_name);
    return is_called_otherwise ? fmt::format("moved, called {} before", code(was)) : std::string("moved");
  }
  if (const std::string nested = nesting_words(entity); !nested.empty()) return nested;
  if (entity.renamed) {
    const std::string& before = entity.before->qualified_name;
    std::size_t start = before.rfind('.');
    // Where what holds it has another name now, its own says nothing.
    const std::string last = before.substr(start + 1);
    const bool is_same = entity.after && entity.after->qualified_name.ends_with("." + last);
    if (is_same && start != std::string::npos && start > 0) start = before.rfind('.', start - 1);
    return fmt::format("renamed from {}", code(before.substr(start == std::string::npos ? 0 : start + 1)));
  }
  return entity.kind == EntityKind::kModule ? "changed at module level" : "changed";
}

}  // namespace lockstep::report
