#include "report/story/unset.h"

#include <algorithm>

#include "report/document.h"
#include "report/source/defaults.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;
using change::DifferenceKind;
using change::EntityKind;

namespace {

class Unset {
 public:
  Unset(const DocumentInputs& inputs, const Story& story) : inputs_(inputs), story_(story) {}

  [[nodiscard]] bool run() const {
    for (const change::FileSummary& file : inputs_.change->files) {
      using Category = change::FileCategory;
      const bool is_silent = file.category == Category::kTest || file.category == Category::kDocs ||
                             file.category == Category::kCi || program::is_test_path(file.file->path());
      if (!file.is_python && !is_silent) return false;
    }
    return std::all_of(story_.actors.begin(), story_.actors.end(),
                       [&](const Actor& actor) { return is_silent(actor); });
  }

 private:
  [[nodiscard]] bool is_silent(const Actor& actor) const {
    const change::EntityChange& entity = *actor.change;
    if (actor.role == Role::kTest || entity.is_cosmetic()) return true;
    if (actor.is_removed() || entity.moved || entity.renamed) return false;
    if (actor.is_added()) return !is_met_without_a_call(entity);
    switch (entity.kind) {
      case EntityKind::kModule:
        return std::all_of(entity.differences.begin(), entity.differences.end(), [](const change::Difference& each) {
          return each.kind == DifferenceKind::kImportAdded || change::is_cosmetic(each.kind);
        });
      case EntityKind::kFunction:
      case EntityKind::kMethod:
        return has_silent_signature(entity) && has_silent_steps(actor);
      default:
        return false;
    }
  }

  /// New code that may run though nothing that calls it is new: it overrides something, or is a special method.
  [[nodiscard]] bool is_met_without_a_call(const change::EntityChange& entity) const {
    const auto* def = as<FunctionDef>(entity.after->node);
    if (def == nullptr || entity.kind != EntityKind::kMethod || !entity.after->function.valid()) return false;
    const program::ClassId owner = inputs_.after->functions()[entity.after->function].owner;
    if (!owner.valid() || !inputs_.before->find_class(inputs_.after->classes()[owner].qualified_name).valid())
      return false;
    const program::Class& cls = inputs_.after->classes()[owner];
    return def->name.text.starts_with("__") || !cls.external_ancestors.empty() || cls.linearized.size() > 1;
  }

  static bool has_silent_signature(const change::EntityChange& entity) {
    return std::all_of(entity.differences.begin(), entity.differences.end(), [](const change::Difference& each) {
      switch (each.kind) {
        case DifferenceKind::kParameterAdded:
          return each.after.find('=') != std::string::npos;
        case DifferenceKind::kParameterRemoved:
        case DifferenceKind::kParameterRenamed:
        case DifferenceKind::kParameterMoved:
        case DifferenceKind::kParameterKindChanged:
        case DifferenceKind::kDefaultAdded:
        case DifferenceKind::kDefaultRemoved:
        case DifferenceKind::kDefaultChanged:
        case DifferenceKind::kDecoratorAdded:
        case DifferenceKind::kDecoratorRemoved:
        case DifferenceKind::kAsyncChanged:
          return false;
        default:
          return true;
      }
    });
  }

  [[nodiscard]] bool has_silent_steps(const Actor& actor) const {
    const auto stays = [](const Step& step) { return step.status == StepStatus::kKept && !step.is_moved; };
    if (actor.steps.after_source == nullptr || actor.steps.after.empty() ||
        !std::all_of(actor.steps.before.begin(), actor.steps.before.end(), stays))
      return false;
    return std::all_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
      if (stays(step)) return true;
      return step.status == StepStatus::kAdded && !step.is_moved && (declares(step) || is_not_taken(actor, step));
    });
  }

  /// `add_argument("--new", …)`.
  [[nodiscard]] bool declares(const Step& step) const {
    const auto* statement = as<ExprStmt>(step.node);
    const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
    if (call == nullptr || callee_name(*call) != "add_argument") return false;
    const std::string name = rules::argparse_destination(*call);
    return std::any_of(story_.flags.begin(), story_.flags.end(),
                       [&](const Flag& flag) { return flag.is_new && flag.name == name; });
  }

  [[nodiscard]] bool is_not_taken(const Actor& actor, const Step& step) const {
    const auto* branch = as<If>(step.node);
    if (branch != nullptr && step.kind == StepKind::kIf && branch->orelse.empty() && is_off(*branch->condition, false))
      return true;
    const std::vector<Guard> guards = guards_of(*actor.change->after->node, step.span);
    return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      return guard.condition != nullptr && is_off(*guard.condition, guard.negated);
    });
  }

  /// Whether the condition does not hold (negated: holds) where nobody sets what is new.
  [[nodiscard]] bool is_off(const Expr& condition, bool negated) const {
    const auto result = holds(condition, [&](std::string_view name) {
      for (const Flag& flag : story_.flags) {
        if (!flag.is_new || flag.name != name) continue;
        if (flag.default_value == "None") return Value{Value::Kind::kNone, false, "None"};
        if (flag.default_value == "False") return Value{Value::Kind::kBool, false, "False"};
      }
      return Value();
    });
    return result && *result == negated;
  }

  const DocumentInputs& inputs_;
  const Story& story_;
};

}  // namespace

bool changes_nothing_unset(const DocumentInputs& inputs, const Story& story) { return Unset(inputs, story).run(); }

}  // namespace lockstep::report
