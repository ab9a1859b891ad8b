#include "report/story/settings/unset.h"

#include <algorithm>

#include "change/names.h"
#include "python/main_check.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/defaults.h"
#include "report/source/registration.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::DifferenceKind;
using change::EntityKind;

namespace {

/// Functions of Python that only make what they give, by their dotted names.
bool only_makes(std::string_view function) {
  static constexpr std::string_view kNames[] = {
      "builtins.bool",
      "builtins.dict",
      "builtins.float",
      "builtins.frozenset",
      "builtins.int",
      "builtins.list",
      "builtins.object",
      "builtins.range",
      "builtins.set",
      "builtins.str",
      "builtins.tuple",
      "collections.namedtuple",
      "dataclasses.field",
      "logging.getLogger",
      "os.environ.get",
      "os.getenv",
      "pathlib.Path",
      "re.compile",
      "typing.NewType",
      "typing.ParamSpec",
      "typing.TypeVar",
      "typing_extensions.ParamSpec",
      "typing_extensions.TypeVar",
  };
  return std::find(std::begin(kNames), std::end(kNames), function) != std::end(kNames);
}

class Unset {
 public:
  Unset(const DocumentInputs& inputs, const Story& story)
      : inputs_(inputs), story_(story), registration_(*inputs.after) {}

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
    if (actor.is_added()) return is_silent_as_new(entity);
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

  /// Whether a new definition does nothing where nobody uses it: what stands in a module or class runs at its import,
  /// and so does a decorator.
  [[nodiscard]] bool is_silent_as_new(const change::EntityChange& entity) const {
    const change::EntitySide& now = *entity.after;
    const program::ModuleId module = inputs_.after->find_path(now.path);
    if (!module.valid() || now.node == nullptr) return false;
    switch (entity.kind) {
      case EntityKind::kModule:
        return all_silent(module, body_of(now.node));
      case EntityKind::kVariable:
        return is_silent_statement(module, static_cast<const Stmt&>(*now.node));
      case EntityKind::kField:
        return is_silent_statement(module, static_cast<const Stmt&>(*now.node)) && !hides_inherited(entity);
      case EntityKind::kClass:
        return !registration_.is_handed_on(module, *now.node) && now.cls.valid() &&
               !registration_.is_collected(now.cls) && all_silent(module, body_of(now.node));
      case EntityKind::kFunction:
      case EntityKind::kMethod:
        return !registration_.is_handed_on(module, *now.node) && !is_met_without_a_call(entity);
    }
    return false;
  }

  /// A new field of a class that was there, under a name that its bases have or may have.
  [[nodiscard]] bool hides_inherited(const change::EntityChange& entity) const {
    if (!entity.after->cls.valid()) return true;
    const program::Class& cls = inputs_.after->classes()[entity.after->cls];
    const program::ClassId old = inputs_.before->find_class(cls.qualified_name);
    if (!old.valid()) return false;
    const std::string_view name = change::last_part(entity.after->qualified_name);
    const bool may_be_outside = !cls.external_ancestors.empty() && !is<AnnAssign>(entity.after->node);
    return name.starts_with("__") || may_be_outside || inputs_.before->find_field(old, name) != nullptr ||
           inputs_.before->find_method(old, name).valid();
  }

  [[nodiscard]] bool all_silent(program::ModuleId module, Seq<Stmt> body) const {
    return std::all_of(body.begin(), body.end(), [&](const Stmt* each) { return is_silent_statement(module, *each); });
  }

  /// Whether a statement that runs at import only defines something.
  [[nodiscard]] bool is_silent_statement(program::ModuleId module, const Stmt& statement) const {
    // Definitions are told by themselves.
    if (is<FunctionDef>(&statement) || is<ClassDef>(&statement) || is<Import>(&statement) ||
        is<ImportFrom>(&statement) || is<Pass>(&statement))
      return true;
    if (const auto* lone = as<ExprStmt>(&statement)) return is<Constant>(lone->value);
    if (const auto* declared = as<AnnAssign>(&statement))
      return declared->value == nullptr || is_silent_value(module, *declared->value);
    if (const auto* assign = as<Assign>(&statement)) {
      return is_silent_value(module, *assign->value) &&
             std::all_of(assign->targets.begin(), assign->targets.end(), [](const Expr* one) { return is<Name>(one); });
    }
    if (const auto* grown = as<AugAssign>(&statement)) return rules::name_of(grown->target) == "__all__";
    if (const auto* branch = as<If>(&statement)) {
      const std::string asked = dotted_text(branch->condition);
      // Who runs a new script sets what is new.
      if (asked.ends_with("TYPE_CHECKING") || is_main_check(*branch->condition)) return branch->orelse.empty();
      return is_silent_value(module, *branch->condition) && all_silent(module, branch->body) &&
             all_silent(module, branch->orelse);
    }
    if (is<Try>(&statement)) {
      bool is_silent = true;
      for_each_block(statement, [&](Seq<Stmt> block) { is_silent = is_silent && all_silent(module, block); });
      return is_silent;
    }
    return false;
  }

  [[nodiscard]] bool is_silent_value(program::ModuleId module, const Expr& value) const {
    bool is_silent = true;
    const auto look = [&](const Node* node) {
      if (is<Await>(node) || is<NamedExpr>(node)) is_silent = false;
      const auto* call = as<Call>(node);
      if (call == nullptr || !is_silent) return;
      const program::Reference to = inputs_.after->resolve(inputs_.after->modules()[module].body, *call->callee);
      is_silent = to.kind == program::Reference::Kind::kExternal && only_makes(to.name);
    };
    look(&value);
    walk(value, Nested::kSkip, look);
    return is_silent;
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
  const Registration registration_;
};

}  // namespace

bool changes_nothing_unset(const DocumentInputs& inputs, const Story& story) { return Unset(inputs, story).run(); }

}  // namespace lockstep::report
