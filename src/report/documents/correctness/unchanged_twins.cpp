#include "report/documents/correctness/unchanged_twins.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/steps/edit_kinds.h"
#include "report/story/steps/removed_steps.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostQuestions = 2;
constexpr std::size_t kMostPlaces = 3;   ///< What stands in more is an idiom.
constexpr std::size_t kLeastBytes = 36;  ///< Without layout: shorter ones are idioms, too.
constexpr std::size_t kMostStatements = 30;
constexpr std::size_t kLeastName = 6;

/// What is compared of a step or statement: all of a plain one, the condition of a branch; empty for others.
Span compared_span(const Node& node) {
  if (const auto* branch = as<If>(&node)) return branch->condition->span;
  if (const auto* loop = as<While>(&node)) return loop->condition->span;
  const bool is_plain = is<Assign>(&node) || is<AugAssign>(&node) || is<AnnAssign>(&node) || is<ExprStmt>(&node) ||
                        is<Return>(&node) || is<Assert>(&node);
  return is_plain ? node.span : Span{};
}

std::string_view longest_name(std::string_view text) {
  std::string_view best;
  for_each_name(text, [&](std::string_view one) {
    if (one.size() > best.size() && (one.front() < '0' || one.front() > '9')) best = one;
  });
  return best;
}

/// Whether the statement computes something that a reader would have to decide on anew: no message, no constant.
bool is_telling(const Step& step, const std::string& text) {
  const auto* thrown = as<ExprStmt>(step.node);
  if (thrown != nullptr && (rules::is_log_call(thrown->value) || is<Constant>(thrown->value))) return false;
  const auto* raise = as<Raise>(step.node);
  std::size_t names = 0;
  for_each_name(text, [&](std::string_view one) { names += one.size() >= 4 ? 1 : 0; });
  return raise == nullptr && text.size() >= kLeastBytes && names >= 3 && longest_name(text).size() >= kLeastName &&
         (contains(text, "(") || contains(text, ".")) && !contains(text, "super().__init__");
}

/// `rank = get_rank()`, `group = parser.add_group(title="x")`: it asks for one thing, wherever it stands.
bool only_asks(const Step& step) {
  const Expr* target = nullptr;
  const auto* call = as<Call>(assigned_value(step.node, target));
  if (call == nullptr) return false;
  const auto is_constant = [](const Expr* one) { return is<Constant>(one); };
  return std::all_of(call->arguments.begin(), call->arguments.end(), is_constant) &&
         std::all_of(call->keywords.begin(), call->keywords.end(),
                     [&](const Keyword* one) { return is_constant(one->value); });
}

/// Whether both give one target the same value: only an annotation differs.
bool sets_the_same(const Step& was, const SourceText& before, const Step& now, const SourceText& after) {
  const Expr* old_target = nullptr;
  const Expr* new_target = nullptr;
  const Expr* old_value = assigned_value(was.node, old_target);
  const Expr* new_value = assigned_value(now.node, new_target);
  return old_value != nullptr && new_value != nullptr &&
         without_layout(before, old_value->span) == without_layout(after, new_value->span);
}

struct Edited {
  const Actor* actor = nullptr;
  const Step* step = nullptr;  ///< Of the side before.
  std::string text;            ///< Without layout.
  const If* guard = nullptr;   ///< The new branch under which it stands as it was; null where it has another form.
  bool is_gone = false;        ///< Nothing of it stays.
};

/// `config.grouped_gemm = False`: it settles one thing, wherever it stands.
bool settles(const Step& step) {
  constexpr std::size_t kLeastOwnName = 10;
  const Expr* target = nullptr;
  const auto* member = assigned_value(step.node, target) == nullptr ? nullptr : as<Attribute>(target);
  return member != nullptr && is<Constant>(assigned_value(step.node, target)) &&
         member->name.text.size() >= kLeastOwnName && rules::self_attribute(member).empty();
}

/// Whether it is a function outside tests whose versions before and after are compared.
bool has_both_sides(const Actor& actor) {
  return actor.role != Role::kTest && actor.is_function() && !actor.is_added() && !actor.is_removed() &&
         actor.steps.before_source != nullptr && actor.steps.after_source != nullptr;
}

/// Statements that stay as they were, but under a branch that the change brings around them.
void add_guarded(const Story& story, std::vector<Edited>& out) {
  for (const Actor& actor : story.actors) {
    if (!has_both_sides(actor)) continue;
    for (const Step& step : actor.steps.after) {
      const Step* around = step.parent == Step::kNone ? nullptr : &actor.steps.after[step.parent];
      if (out.size() == kMostStatements) return;
      if (step.status != StepStatus::kKept || step.kind != StepKind::kPlain || step.partner == Step::kNone ||
          around == nullptr || around->kind != StepKind::kIf || around->is_elif || around->status != StepStatus::kAdded)
        continue;
      const Step& was = actor.steps.before[step.partner];
      std::string text = without_layout(*actor.steps.before_source, compared_span(*was.node));
      if (!settles(was) && (!is_telling(was, text) || only_asks(was))) continue;
      out.push_back({&actor, &was, std::move(text), as<If>(around->node), false});
    }
  }
}

/// Statements that go from a method, or a function whose name others have.
void add_removed(const Story& story, std::vector<Edited>& out) {
  for (const Actor& actor : story.actors) {
    if (!has_both_sides(actor)) continue;
    for (std::size_t i = 0; i < actor.steps.before.size(); ++i) {
      const Step& step = actor.steps.before[i];
      if (out.size() == kMostStatements) return;
      if (step.status != StepStatus::kRemoved || step.kind != StepKind::kPlain || is_elsewhere(actor.steps.before, i))
        continue;
      std::string text = without_layout(*actor.steps.before_source, compared_span(*step.node));
      if (is_telling(step, text) && !only_asks(step)) out.push_back({&actor, &step, std::move(text), nullptr, true});
    }
  }
}

std::vector<Edited> edited_statements(const Story& story) {
  std::vector<Edited> out;
  for (const Actor& actor : story.actors) {
    if (!has_both_sides(actor)) continue;
    for (const Step& step : actor.steps.after) {
      if (out.size() == kMostStatements) return out;
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || !step.renames.empty() ||
          step.elsewhere != nullptr || step.inlined != nullptr || step.returned_by != nullptr ||
          only_names_differ(actor, step) || only_names_value(actor, step) || only_reads_renamed(actor, step))
        continue;
      const Step& was = actor.steps.before[step.partner];
      if (was.elsewhere != nullptr) continue;  // It moved.
      const Span span = compared_span(*was.node);
      if (span.size() == 0) continue;
      std::string text = without_layout(*actor.steps.before_source, span);
      const Span now = compared_span(*step.node);
      if (!is_telling(was, text) || only_asks(was) ||
          sets_the_same(was, *actor.steps.before_source, step, *actor.steps.after_source) ||
          without_layout(*actor.steps.after_source, now) == text)
        continue;
      out.push_back({&actor, &was, std::move(text), nullptr, false});
    }
  }
  add_guarded(story, out);
  add_removed(story, out);
  return out;
}

/// Whether the change brings the function, or one around it.
bool is_new(const DocumentInputs& inputs, program::FunctionId function) {
  for (; function.valid(); function = inputs.after->functions()[function].enclosing) {
    const auto& entities = inputs.change->entities;
    const bool is_added = std::any_of(entities.begin(), entities.end(), [&](const change::EntityChange& one) {
      return !one.before && one.after && one.after->function == function;
    });
    if (is_added) return true;
  }
  return false;
}

/// Places outside tests, on lines that the change leaves alone, where the statement stands.
std::vector<std::string> places_of(const DocumentInputs& inputs, const Edited& edited) {
  std::vector<std::string> out;
  const std::string_view key = longest_name(edited.text);
  for (std::size_t i = 0; i < inputs.after->modules().size() && out.size() <= kMostPlaces; ++i) {
    const program::ModuleId id(i);
    const program::Module& module = inputs.after->modules()[id];
    const bool is_aside =
        program::is_helper_path(module.path) && !program::is_helper_path(edited.actor->change->latest().path);
    if (program::is_test_path(module.path) || is_aside || !module.facts->has_name(key)) continue;
    const SourceText& source = module.facts->source();
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const Span span = compared_span(*node);
      if (span.size() == 0 || !contains(source.slice(span), key) || without_layout(source, span) != edited.text) return;
      const std::uint32_t line = source.line_of(span.begin);
      if (inputs.change->touches_after(module.path, line)) return;
      const program::FunctionId function = inputs.after->function_at(id, span.begin);
      if (is_new(inputs, function)) return;  // It moved there.
      const program::FunctionId own = edited.actor->change->after->function;
      // Another arm of the same function may do it, too; what another function does for itself is its own matter.
      if (edited.guard != nullptr && function == own) return;
      if (edited.is_gone &&
          (function == own || inputs.after->functions()[function].name != inputs.after->functions()[own].name))
        return;
      const bool is_body = inputs.after->functions()[function].kind == program::FunctionKind::kModuleBody;
      out.push_back(is_body
                        ? place(module.path, line)
                        : fmt::format("{} ({})", code(short_name(*inputs.after, function)), place(module.path, line)));
    });
  }
  return out;
}

/// Whether a class, or one above it, has an attribute or a method of that name.
bool has_member(const program::Program& program, program::ClassId cls, std::string_view name) {
  const auto& classes = program.classes();
  return std::any_of(classes[cls].linearized.begin(), classes[cls].linearized.end(), [&](program::ClassId one) {
    const auto& fields = classes[one].fields;
    return program.find_method(one, name).valid() ||
           std::any_of(fields.begin(), fields.end(), [&](const program::Field& field) { return field.name == name; });
  });
}

/// Whether the statement read an attribute of its own class that the class has no longer: that one had to follow says
/// nothing of other classes.
bool read_lost_attribute(const DocumentInputs& inputs, const Edited& edited) {
  const change::EntityChange& entity = *edited.actor->change;
  if (!entity.before->function.valid() || !entity.after->function.valid()) return false;
  const program::ClassId was = inputs.before->functions()[entity.before->function].owner;
  const program::ClassId is = inputs.after->functions()[entity.after->function].owner;
  if (!was.valid() || !is.valid()) return false;
  bool found = false;
  const Span span = compared_span(*edited.step->node);
  walk_of<Attribute>(*edited.step->node, Nested::kSkip, [&](const Attribute* member) {
    const auto* self = as<Name>(member->value);
    if (self == nullptr || self->id != "self" || !span.contains(member->span)) return;
    found = found ||
            (has_member(*inputs.before, was, member->name.text) && !has_member(*inputs.after, is, member->name.text));
  });
  return found;
}

}  // namespace

void add_unchanged_twins(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  std::set<std::string> told;
  for (const Edited& edited : edited_statements(story)) {
    if (told.size() == kMostQuestions) return;
    if (told.contains(edited.text)) continue;
    const std::vector<std::string> places = places_of(inputs, edited);
    if (places.empty() || places.size() > kMostPlaces || read_lost_attribute(inputs, edited)) continue;
    told.insert(edited.text);
    const std::string text = code(one_line(*edited.actor->steps.before_source, compared_span(*edited.step->node), 90));
    const std::string name = code(short_name(inputs, *edited.actor->change));
    const std::string concern =
        edited.is_gone ? fmt::format("{}, which {} has no longer, still stands in {}.", text, name, join_words(places))
        : edited.guard == nullptr
            ? fmt::format("{} of {} has another form now; as it was it still stands in {}.", text, name,
                          join_words(places))
            : fmt::format("{} of {} stands only where {} now; as it was it still stands in {}.", text, name,
                          condition_words(*edited.guard->condition, *edited.actor->steps.after_source, false),
                          join_words(places));
    const std::string asked = "Is it right there?";
    risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
  }
}

}  // namespace lockstep::report
