#include "report/story/weights/weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/author/title.h"
#include "report/document.h"
#include "report/file_name.h"
#include "report/source/loggers.h"
#include "report/source/words.h"
#include "report/story/calls/followed.h"
#include "report/story/calls/newly_given.h"
#include "report/story/classes/bases.h"
#include "report/story/classes/implementations.h"
#include "report/story/classes/patches.h"
#include "report/story/classes/protocols.h"
#include "report/story/classes/used_classes.h"
#include "report/story/settings/shared_constants.h"
#include "report/story/steps/replaced_numbers.h"
#include "report/story/steps/turned_guards.h"
#include "report/story/weights/check_weights.h"
#include "report/story/weights/collective_weights.h"
#include "report/story/weights/constructor_weights.h"
#include "report/story/weights/decorator_weights.h"
#include "report/story/weights/helper_weights.h"
#include "report/story/weights/idle_functions.h"
#include "report/story/weights/own_flags.h"
#include "report/story/weights/relative_weights.h"
#include "report/story/weights/repeated_weights.h"
#include "report/story/weights/shared_weights.h"
#include "report/story/weights/switch_weights.h"
#include "report/story/weights/working_weights.h"
#include "report/ways/objects/unmade_classes.h"
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

/// How much one difference says about behaviour. Collectives and control flow come first: they decide what ranks do.
double weight_of(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::kCollectiveAdded:
    case DifferenceKind::kCollectiveRemoved:
      return 12;
    case DifferenceKind::kCollectiveArgumentsChanged:
      return 8;
    case DifferenceKind::kBranchAdded:
    case DifferenceKind::kConditionChanged:
      return 5;
    case DifferenceKind::kBranchRemoved:
      return 3;
    case DifferenceKind::kLoopAdded:
    case DifferenceKind::kLoopRemoved:
    case DifferenceKind::kBaseAdded:
    case DifferenceKind::kBaseRemoved:
      return 4;
    case DifferenceKind::kCallAdded:
    case DifferenceKind::kCallRemoved:
    case DifferenceKind::kRaiseAdded:
    case DifferenceKind::kRaiseRemoved:
    case DifferenceKind::kAssertAdded:
    case DifferenceKind::kAssertRemoved:
    case DifferenceKind::kDecoratorAdded:
    case DifferenceKind::kDecoratorRemoved:
    case DifferenceKind::kAsyncChanged:
    case DifferenceKind::kReturnChanged:
      return 3;
    case DifferenceKind::kValueChanged:
    case DifferenceKind::kDefaultChanged:
    case DifferenceKind::kDefaultAdded:
    case DifferenceKind::kDefaultRemoved:
    case DifferenceKind::kBodyChanged:
      return 2;
    case DifferenceKind::kParameterAdded:
    case DifferenceKind::kParameterRemoved:
    case DifferenceKind::kParameterRenamed:
    case DifferenceKind::kParameterMoved:
    case DifferenceKind::kParameterKindChanged:
    case DifferenceKind::kCallArgumentsChanged:
      return 1.5;
    case DifferenceKind::kDefaultRenamed:
    case DifferenceKind::kAnnotationChanged:
    case DifferenceKind::kReturnAnnotationChanged:
    case DifferenceKind::kImportAdded:
    case DifferenceKind::kImportRemoved:
      return 0.3;
    case DifferenceKind::kDocstringChanged:
    case DifferenceKind::kCommentsChanged:
    case DifferenceKind::kFormattingChanged:
      break;
  }
  return 0;
}

/// Only hands on what others decide: new or renamed parameters, other arguments, imports.
bool merely_follows(const EntityChange& entity) {
  return entity.status == change::Status::kModified && !entity.differences.empty() &&
         std::all_of(entity.differences.begin(), entity.differences.end(),
                     [](const change::Difference& difference) { return weight_of(difference.kind) <= 1.5; });
}

std::map<std::string, FileCategory, std::less<>> categories(const change::Change& change) {
  std::map<std::string, FileCategory, std::less<>> out;
  for (const change::FileSummary& file : change.files) {
    out[file.file->new_path] = file.category;
    out[file.file->old_path] = file.category;
  }
  return out;
}

class Ranker {
 public:
  explicit Ranker(const DocumentInputs& inputs)
      : inputs_(inputs),
        categories_(categories(*inputs.change)),
        title_words_(name_words(inputs.title)),
        unmade_(*inputs.after) {
    if (inputs.step_path != nullptr) step_walk_.emplace(*inputs.after, *inputs.step_path);
    for (const EntityChange& entity : inputs.change->entities) {
      const auto* now = entity.after ? python::as<python::FunctionDef>(entity.after->node) : nullptr;
      const auto* was = entity.before ? python::as<python::FunctionDef>(entity.before->node) : nullptr;
      if (now == nullptr || was == nullptr) continue;
      for (const python::Parameter* parameter : now->parameters->all) {
        const bool is_new =
            std::none_of(was->parameters->all.begin(), was->parameters->all.end(),
                         [&](const python::Parameter* one) { return one->name.text == parameter->name.text; });
        if (is_new && parameter->default_value != nullptr) new_parameters_.insert(parameter->name.text);
      }
    }
  }

  Actor rank(const EntityChange& entity) const {
    Actor actor;
    actor.change = &entity;
    find_module_code(actor);
    actor.weight = base_weight(actor);
    actor.role = role_of(actor);
    const EntitySide& side = entity.latest();
    if (side.function.valid()) {
      const Program& program = entity.after ? *inputs_.after : *inputs_.before;
      const bool runs = !entity.after || !unmade_.of(side.function).valid();
      if (entity.after && step_walk_ && runs) {
        actor.on_step_path = step_walk_->place_of(side.function) == StepPlace::kStep;
        actor.on_build_path = step_walk_->place_of(side.function) == StepPlace::kBuild;
        actor.on_set_up_path = step_walk_->place_of(side.function) == StepPlace::kSetUp;
      }
      for (const program::CallId call : program.callers_of(side.function)) {
        if (!program::is_test_path(program.module_of(program.calls()[call].caller).path)) ++actor.fan_in;
      }
    }
    constexpr double kDecides = 8;
    constexpr double kSwitches = 2;
    if (actor.role == Role::kSupporting && merely_follows(entity))  // For all that: it sets a parameter.
      actor.weight += sets_new_parameter(entity) || gives_what_title_names(entity) ? kDecides : kSwitches;
    actor.weight *= context_factor(actor);
    return actor;
  }

 private:
  [[nodiscard]] double base_weight(const Actor& actor) const {
    const EntityChange& entity = *actor.change;
    if (entity.status == change::Status::kModified) {
      double weight = entity.moved || entity.renamed ? 1.0 : 0.0;
      // Many parameters are one other signature.
      constexpr std::size_t kMostParameters = 2;
      std::size_t parameters = 0;
      for (const change::Difference& difference : entity.differences) {
        const bool is_parameter = difference.kind == change::DifferenceKind::kParameterAdded ||
                                  difference.kind == change::DifferenceKind::kParameterRemoved;
        if (!is_parameter || ++parameters <= kMostParameters) weight += weight_of(difference.kind);
      }
      // A new base that runs the class's own methods, or is run by them, decides more than any one of these.
      constexpr double kWorkingBase = 60;
      for (const NewBase& base : new_bases(*inputs_.after, entity)) {
        if (!base.used.empty() || !base.hooks.empty()) weight += kWorkingBase;
      }
      return weight;
    }
    const double share = actor.is_removed() ? 0.4 : 1.0;
    switch (entity.kind) {
      case EntityKind::kClass:
        return 6 * share;
      case EntityKind::kField:
        return 3 * share;
      case EntityKind::kVariable:
        return 2 * share;
      case EntityKind::kModule:
        return 0.5 * share;
      case EntityKind::kFunction:
      case EntityKind::kMethod:
        break;
    }
    const std::uint32_t lines = entity.latest().last_line - entity.latest().first_line + 1;
    return share * (4 + std::min(lines, 80u) / 3.0 + collectives(entity) * 6);
  }

  [[nodiscard]] double collectives(const EntityChange& entity) const {
    const mesh::MeshAnalysis* mesh = entity.after ? inputs_.after_mesh : inputs_.before_mesh;
    if (mesh == nullptr || !entity.latest().function.valid()) return 0;
    return static_cast<double>(mesh->collectives_of(entity.latest().function).size());
  }

  void find_module_code(Actor& actor) const {
    const EntityChange& entity = *actor.change;
    if (entity.kind != EntityKind::kModule || entity.status != change::Status::kModified || entity.is_cosmetic())
      return;
    compare_steps_of(inputs_, actor);
    actor.is_module_code = actor.steps.changed_after() > 0 || actor.steps.removed_before() > 0;
    if (!actor.is_module_code) actor.steps = {};
  }

  [[nodiscard]] Role role_of(const Actor& actor) const {
    const EntityChange& entity = *actor.change;
    const auto category = categories_.find(entity.latest().path);
    const bool is_test = (category != categories_.end() && category->second == FileCategory::kTest) ||
                         program::is_test_path(entity.latest().path);
    if (is_test) return Role::kTest;
    if (entity.is_cosmetic()) return Role::kCosmetic;
    if ((merely_follows(entity) && !sets_new_parameter(entity) && !gives_what_title_names(entity) &&
         !gives_old_parameter(
             entity, [&](std::string_view name) { return is_brought(name) || new_parameters_.contains(name); })) ||
        actor.is_bare_module() || stands_in_for_import(entity) || is_logger(entity) ||
        is_of_protocol(entity.after ? *inputs_.after : *inputs_.before, entity.latest()))
      return Role::kFollowing;
    return Role::kSupporting;
  }

  /// Whether a call in the changed definition gives a literal to a parameter that the change brings: what runs then is
  /// decided here.
  [[nodiscard]] bool sets_new_parameter(const EntityChange& entity) const {
    if (new_parameters_.empty() || !entity.before || !entity.after || entity.after->node == nullptr ||
        entity.before->node == nullptr)
      return false;
    const auto given = [&](const python::Node& node) {
      std::multiset<std::string_view> names;
      python::walk_of<python::Keyword>(node, python::Nested::kEnter, [&](const python::Keyword* keyword) {
        if (python::is<python::Constant>(keyword->value) && new_parameters_.contains(keyword->name.text))
          names.insert(keyword->name.text);
      });
      return names;
    };
    const auto now = given(*entity.after->node);
    return now.size() > given(*entity.before->node).size();
  }

  /// Whether the change adds a definition, a setting or a parameter of that name.
  [[nodiscard]] bool is_brought(std::string_view name) const {
    const auto& entities = inputs_.change->entities;
    return std::any_of(entities.begin(), entities.end(), [&](const EntityChange& one) {
      if (one.status == change::Status::kAdded && change::last_part(one.latest().qualified_name) == name) return true;
      return std::any_of(one.differences.begin(), one.differences.end(), [&](const change::Difference& difference) {
        return difference.kind == DifferenceKind::kParameterAdded && difference.name == name;
      });
    });
  }

  /// Whether a call gives now what the title calls by its name in code, and the change does not bring: that is what the
  /// change does, however little else differs.
  [[nodiscard]] bool gives_what_title_names(const EntityChange& entity) const {
    if (!entity.before || !entity.after || entity.after->node == nullptr || entity.before->node == nullptr)
      return false;
    const auto times = [&](const python::Node& node, std::string_view name) {
      std::size_t count = 0;
      const auto counts = [&](std::string_view one) { count += one == name ? 1 : 0; };
      python::walk_of<python::Keyword>(node, python::Nested::kEnter, [&](const python::Keyword* keyword) {
        counts(keyword->name.text);
        if (const auto* member = python::as<python::Attribute>(keyword->value)) counts(member->name.text);
        if (const auto* local = python::as<python::Name>(keyword->value)) counts(local->id);
      });
      return count;
    };
    const auto is_given = [&](std::string_view name) {
      return !is_brought(name) && times(*entity.after->node, name) > times(*entity.before->node, name);
    };
    constexpr std::string_view kOfName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const std::string_view title = inputs_.title;
    for (std::size_t at = title.find_first_of(kOfName); at != std::string_view::npos;) {
      const std::size_t end = std::min(title.find_first_not_of(kOfName, at), title.size());
      const std::string_view name = title.substr(at, end - at);
      if (contains(name, "_") && is_given(name)) return true;
      at = title.find_first_of(kOfName, end);
    }
    return false;
  }

  /// `name = None` where the import of `name` fails.
  [[nodiscard]] bool stands_in_for_import(const EntityChange& entity) const {
    if (entity.kind != EntityKind::kVariable) return false;
    const Program& program = entity.after ? *inputs_.after : *inputs_.before;
    const program::ModuleId module = program.find_path(entity.latest().path);
    if (!module.valid()) return false;
    const std::string name = short_name(inputs_, entity);
    const auto& imports = program.modules()[module].facts->imports;
    return std::any_of(imports.begin(), imports.end(),
                       [&](const python::ImportedName& each) { return each.bound_as == name; });
  }

  [[nodiscard]] double context_factor(const Actor& actor) const {
    double factor = 1.0 + 0.08 * std::log2(1.0 + static_cast<double>(actor.fan_in));
    if (actor.on_step_path || actor.on_build_path || actor.on_set_up_path) factor *= 1.3;
    const EntitySide& side = actor.change->latest();
    for (const std::string_view folder : {"tools/", "examples/", "scripts/", "benchmarks/"}) {
      if (side.path.starts_with(folder) || contains(side.path, "/" + std::string(folder))) {
        factor *= 0.6;
        break;
      }
    }
    // "synchronization" and "synchronize" are one word to a reader.
    std::size_t matches = 0;
    const std::string own = short_name(inputs_, *actor.change);
    for (const std::string& word : name_words(own)) {
      const bool named = std::any_of(title_words_.begin(), title_words_.end(), [&](const std::string& title) {
        return title == word || (title.size() >= 6 && word.size() >= 6 && title.compare(0, 6, word, 0, 6) == 0);
      });
      matches += named ? 1 : 0;
    }
    // What is measured and printed follows what is done, also of what the title names.
    if (reports_by_name(own, title_words_)) {
      factor *= 0.5;
      matches = 0;
    }
    return factor * (1.0 + 0.2 * static_cast<double>(std::min<std::size_t>(matches, 3)));
  }

  const DocumentInputs& inputs_;
  std::map<std::string, FileCategory, std::less<>> categories_;
  std::set<std::string> title_words_;
  UnmadeClasses unmade_;
  std::set<std::string_view> new_parameters_;  ///< With a default, of functions that were there before.
  std::optional<StepWalk> step_walk_;
};

/// A nested function is told with the function around it, a method of a new class with its class's own place in the
/// story only if it is big: so ties go to the outer and the earlier.
bool heavier(const Actor& a, const Actor& b) {
  if (a.weight != b.weight) return a.weight > b.weight;
  const EntitySide& left = a.change->latest();
  const EntitySide& right = b.change->latest();
  return std::tie(left.path, left.first_line) < std::tie(right.path, right.first_line);
}

}  // namespace

void compare_steps_of(const DocumentInputs& inputs, Actor& actor) {
  const auto& before = actor.change->before;
  const auto& after = actor.change->after;
  const SourceText* before_source =
      before && before->function.valid() ? &source_of(*inputs.before, before->function) : nullptr;
  const SourceText* after_source =
      after && after->function.valid() ? &source_of(*inputs.after, after->function) : nullptr;
  const repo::LineDiff* lines = nullptr;
  for (const change::FileSummary& one : inputs.change->files) {
    if (before && after && one.file->old_path == before->path && one.file->new_path == after->path)
      lines = &one.file->lines;
  }
  actor.steps = compare_functions(before_source != nullptr ? before->node : nullptr, before_source,
                                  after_source != nullptr ? after->node : nullptr, after_source, lines);
}

std::vector<Actor> ranked_actors(const DocumentInputs& inputs) {
  std::vector<Actor> actors;
  const Ranker ranker(inputs);
  for (const EntityChange& entity : inputs.change->entities) actors.push_back(ranker.rank(entity));
  std::sort(actors.begin(), actors.end(), heavier);
  return actors;
}

void weigh_steps(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  weigh_renames(actors);
  weigh_handed_over(actors);
  weigh_order(actors);
  weigh_replaced_numbers(actors);
  weigh_own_flags(inputs, actors);
  weigh_patches(inputs, actors);
  weigh_words(inputs, actors);
  weigh_classes(actors);
  weigh_checks(inputs, actors);
  weigh_connections(inputs, actors);
  weigh_sources(actors);
  weigh_title(inputs, actors);
  weigh_use(actors);
  weigh_collectives(inputs, actors);
  weigh_turned_guards(inputs, actors);
  weigh_shared(inputs, actors);
  weigh_used_classes(inputs, actors);
  weigh_named_in_title(inputs, actors);
  weigh_new_files(inputs, actors);
  weigh_implementations(inputs, actors);
  weigh_constructors(inputs, actors);
  weigh_working(inputs, actors);
  weigh_idle_functions(actors);
  weigh_decorators(*inputs.after, actors);
  weigh_constants(actors);
  weigh_removal(inputs, actors);
  weigh_followed(actors);
  weigh_shared_code(inputs, actors);
  weigh_helpers(inputs, actors);
  weigh_checkpoint_code(inputs, actors);
  weigh_repeated_operands(actors);
  weigh_library_switches(inputs, actors);
  std::sort(actors.begin(), actors.end(), heavier);
}

}  // namespace lockstep::report
