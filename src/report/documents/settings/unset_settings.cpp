#include "report/documents/settings/unset_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/defaults.h"
#include "report/source/givings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether an attribute of the setting's name, read off `object`, is the setting: in a method of its class, or
/// by the name of the object.
bool may_be_config(const DocumentInputs& inputs, const Flag& flag, program::ModuleId module, const Expr& object) {
  const auto* attribute = as<Attribute>(&object);
  const std::string name =
      to_lower(attribute != nullptr ? std::string_view(attribute->name.text) : rules::name_of(&object));
  if (name == "self") {
    const program::FunctionId function = inputs.after->function_at(module, object.span.begin);
    const program::ClassId cls = function.valid() ? inputs.after->functions()[function].owner : program::ClassId();
    return cls.valid() && inputs.after->classes()[cls].name == flag.owner;
  }
  constexpr std::string_view kEnds[] = {"args",    "cfg", "conf", "config",  "configuration",
                                        "hparams", "opt", "opts", "options", "settings"};
  return std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) {
    // "opt", "train_args"; not "adopt".
    return name == end || (name.ends_with(end) && (end.size() > 4 || name[name.size() - end.size() - 1] == '_'));
  });
}

/// What is read first, and what counts where that is not given: of `a or b`, `a if a else b`, `b if a is None else a`.
struct Fallback {
  const Attribute* read = nullptr;
  const Expr* instead = nullptr;
};

Fallback fallback_in(const Expr* value, const SourceText& source) {
  // Of three and more it is not the last that counts, but the first that is given.
  if (const auto* either = as<BoolOp>(value);
      either != nullptr && either->op == BoolOperator::kOr && either->values.size() == 2)
    return {as<Attribute>(either->values.front()), either->values.back()};
  const auto* choice = as<IfExp>(value);
  if (choice == nullptr) return {};
  // `a if a else b`: what is asked for is what is taken.
  const auto is_taken = [&](const Expr* asked, const Expr* taken) {
    return one_line_whole(source, *asked) == one_line_whole(source, *taken);
  };
  const auto* compare = as<Compare>(choice->condition);
  if (compare == nullptr)
    return is_taken(choice->condition, choice->body) ? Fallback{as<Attribute>(choice->condition), choice->orelse}
                                                     : Fallback{};
  if (compare->ops.size() != 1 || !rules::is_none(compare->comparators.front())) return {};
  const CompareOperator op = compare->ops.front();
  if (op != CompareOperator::kIs && op != CompareOperator::kIsNot) return {};
  const Expr* other = op == CompareOperator::kIs ? choice->body : choice->orelse;
  if (!is_taken(compare->left, op == CompareOperator::kIs ? choice->orelse : choice->body)) return {};
  return {as<Attribute>(compare->left), other};
}

/// What code of the change takes where an unset setting is read, `config.name or other`: marked text with the place;
/// with where it does so; empty where it takes nothing. Then the new code may run without the setting.
std::string taken_where_unset(const DocumentInputs& inputs, const Flag& flag) {
  std::string text;
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId module = inputs.after->find_path(file.file->new_path);
    if (!text.empty() || !module.valid() || program::is_test_path(file.file->new_path)) continue;
    const auto& facts = *inputs.after->modules()[module].facts;
    const auto look = [&](const Expr* value) {
      const auto [read, instead] = fallback_in(value, facts.source());
      if (!text.empty() || read == nullptr || read->name.text != flag.name ||
          !may_be_config(inputs, flag, module, *read->value))
        return;
      const std::uint32_t line = facts.source().line_of(read->span.begin);
      if (!inputs.change->touches_after(file.file->new_path, line)) return;
      const program::FunctionId reader = inputs.after->function_at(module, read->span.begin);
      const std::string in = reader.valid() && inputs.after->functions()[reader].def() != nullptr
                                 ? fmt::format(" in {}", code(short_name(*inputs.after, reader)))
                                 : std::string();
      text = fmt::format("{} ({}) counts in its place{}", code(facts.source().slice(instead->span)),
                         place(file.file->new_path, line), in);
    };
    // Where a value is wanted: in a condition the two are asked alike.
    walk_of<Assign>(facts.tree(), Nested::kEnter, [&](const Assign* assign) { look(assign->value); });
    walk_of<Call>(facts.tree(), Nested::kEnter, [&](const Call* call) {
      for (const Expr* argument : call->arguments) look(argument);
      for (const Keyword* keyword : call->keywords) look(keyword->value);
    });
  }
  return text;
}

/// Whether a branch that comes with the change does something new, and not only leave (`continue`, `return`, `raise`).
bool does_something_new(const std::vector<Step>& steps, std::size_t branch) {
  const std::size_t end = end_of(steps, branch);
  for (std::size_t i = branch + 1; i < end; ++i) {
    const Step& step = steps[i];
    if (step.parent == branch && step.kind == StepKind::kElse) break;
    const auto* returned = as<Return>(step.node);
    const bool leaves = returned != nullptr ? returned->value == nullptr || !is<Call>(returned->value)
                                            : is<Continue>(step.node) || is<Break>(step.node) || is<Pass>(step.node) ||
                                                  is<Raise>(step.node) || is<Assert>(step.node);
    if (step.status != StepStatus::kKept && !step.is_moved && step.elsewhere == nullptr && !leaves) return true;
  }
  return false;
}

/// Whether changed lines ask for the setting only where they do something new without it: each time that they read it
/// is all of the condition of such a branch, `if not config.name:`.
bool is_asked_to_be_unset(const Story& story, const Flag& flag) {
  std::size_t unset = 0;
  std::size_t all = 0;
  const auto is_setting = [&](const Node* node) {
    if (const Call* asked = attribute_asked_for(*node)) return rules::text_of(asked->arguments[1]) == flag.name;
    const auto* member = as<Attribute>(node);
    return member != nullptr && member->name.text == flag.name && member->context == ExprContext::kLoad;
  };
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function()) continue;
    const std::vector<Step>& steps = actor.steps.after;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      if (step.status == StepStatus::kKept) continue;
      const auto look = [&](const Node* node) { all += step.span.contains(node->span) && is_setting(node) ? 1 : 0; };
      look(step.node);
      walk(*step.node, Nested::kSkip, look);
      const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
      const auto* negated = branch == nullptr ? nullptr : as<UnaryOp>(branch->condition);
      unset += negated != nullptr && negated->op == UnaryOperator::kNot && is_setting(negated->operand) &&
                       does_something_new(steps, i)
                   ? 1
                   : 0;
    }
  }
  return unset > 0 && unset == all;
}

}  // namespace

HookSetters setters_of_hook(const DocumentInputs& inputs, const Flag& flag) {
  const program::Program& program = *inputs.after;
  const program::ClassId owner = flag.owner.empty() ? program::ClassId() : program.find_class(flag.owner);
  const program::Field* field = owner.valid() ? program.find_field(owner, flag.name) : nullptr;
  if (field == nullptr || field->annotation == nullptr || field->default_value == nullptr) return HookSetters::kNoHook;
  const SourceText& own = program.module_of(owner).facts->source();
  if (!contains(own.slice(field->annotation->span), "Callable")) return HookSetters::kNoHook;
  const auto sets = [&](const program::Module& module) {
    for (std::size_t at = module.facts->find_name(flag.name); at != std::string_view::npos;
         at = module.facts->find_name(flag.name, at + 1)) {
      const auto begin = static_cast<std::uint32_t>(at);
      const Giving giving = giving_at(chain_to(module.facts->tree(), {begin, begin + 1}), begin, false);
      if (giving.gives && giving.value != field->default_value) return true;
    }
    return false;
  };
  bool in_tests = false;
  for (const program::Module& module : program.modules()) {
    if (!sets(module)) continue;
    if (!program::is_test_path(module.path)) return HookSetters::kSome;
    in_tests = true;
  }
  return in_tests ? HookSetters::kTestsAlone : HookSetters::kNobody;
}

std::string unset_text(const DocumentInputs& inputs, const Story& story, const Flag& flag, bool unset_is_silent,
                       bool& is_settled) {
  is_settled = false;
  if (flag.is_fixed) return "Its argument switches nothing: it gives the default, so that only code can set it";
  if (flag.default_value.empty()) return "Whoever makes one has to give it";
  if (flag.default_value != "False" && flag.default_value != "None") {
    is_settled = true;
    return "Configurations that do not give it get the default";
  }
  const std::string instead = flag.default_value == "None" ? taken_where_unset(inputs, flag) : std::string();
  if (!instead.empty()) return "Where it is not set, " + instead;
  if (is_asked_to_be_unset(story, flag))
    return "Not set by default, and changed lines ask for that: existing runs meet what is new";
  is_settled = !unset_is_silent;
  if (const HookSetters setters = setters_of_hook(inputs, flag);
      setters == HookSetters::kNobody || setters == HookSetters::kTestsAlone)
    return setters == HookSetters::kNobody
               ? fmt::format("No Python code of the repository sets it: it stays {} unless a user sets it",
                             code(flag.default_value))
               : fmt::format("Outside tests, no Python code sets it: it stays {} unless a user sets it",
                             code(flag.default_value));
  return unset_is_silent
             ? "Off unless set, and without that what was there does what it did: existing runs behave as before"
         : flag.default_value == "None" ? fmt::format("It is {} unless set", code("None"))
                                        : "Off unless set";
}

}  // namespace lockstep::report
