#include "report/documents/correctness/classes_without.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/correctness/asked_otherwise.h"
#include "report/documents/correctness/member_questions.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "rules/names/attributes_of_class.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::Program;

namespace {

/// A new call of a method on something other than `self`.
struct NewCall {
  const Call* call = nullptr;
  const Attribute* callee = nullptr;
};

std::vector<NewCall> new_calls(const Story& story, const Actor& actor) {
  std::vector<NewCall> out;
  const auto* def = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
  if (def == nullptr || actor.steps.after_source == nullptr) return out;
  const SourceText& source = *actor.steps.after_source;
  const std::string_view before = actor.change->before && actor.steps.before_source != nullptr
                                      ? actor.steps.before_source->slice(actor.change->before->node->span)
                                      : std::string_view();
  std::set<std::string_view> known;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || step.is_moved) continue;
    walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
      const auto* callee = as<Attribute>(call->callee);
      if (callee == nullptr || !step.span.contains(call->span) || rules::name_of(callee->value) == "self") return;
      const std::string_view name = callee->name.text;
      if (name.starts_with("__") || rules::is_member_of_nn_module(name) ||
          find_name(before, name) != std::string_view::npos ||
          contains(source.slice(def->span), fmt::format("\"{}\"", name)) || !known.insert(name).second ||
          is_given_up_elsewhere(story, actor, name))
        return;
      if (!asks_for_object(*callee->value, guards_of(*def, call->span), source) && !rules::is_in_try(*def, call->span))
        out.push_back({call, callee});
    });
  }
  return out;
}

/// How many classes of the repository, from the first one up, one has to go to come to one that is above both; nothing
/// where there is none, or where one derives from the other.
std::optional<std::size_t> steps_to_kin(const Program& program, ClassId from, ClassId to) {
  const auto& above = program.classes()[from].linearized;
  const auto& others = program.classes()[to].linearized;
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (std::find(others.begin(), others.end(), above[i]) == others.end()) continue;
    if (above[i] == from || above[i] == to) return std::nullopt;
    // What half the repository derives from makes no family.
    constexpr std::size_t kMostHeirs = 12;
    if (program::with_descendants(program, above[i]).size() > kMostHeirs + 1) return std::nullopt;
    return i;
  }
  return std::nullopt;
}

bool is_of_tests(const Program& program, ClassId cls) {
  return program::is_test_path(program.modules()[program.classes()[cls].module].path);
}

/// Which classes have a member, and which lack it; words in marked text.
struct Split {
  std::string having;
  std::string lacking;
  bool is_one = false;  ///< One has it.
};

std::string some_of(std::vector<std::string> names, std::string_view last) {
  constexpr std::size_t kMost = 3;
  const std::size_t all = names.size();
  if (all > kMost) {
    names.resize(kMost);
    names.push_back(fmt::format("{} more", all - kMost));
  }
  return join_words(names, last);
}

/// Whether the file asks anywhere for objects of one of the classes, or of one above it: what it collects may be these.
bool asks_for_one(const Program& program, program::FunctionId function, const std::vector<ClassId>& classes) {
  bool found = false;
  walk_of<Call>(program.module_of(function).facts->tree(), Nested::kEnter, [&](const Call* call) {
    if (found || call->arguments.size() != 2 || callee_name(*call) != "isinstance") return;
    walk(*call, Nested::kEnter, [&](const Node* node) {
      const std::string_view name = is<Name>(node)        ? as<Name>(node)->id
                                    : is<Attribute>(node) ? as<Attribute>(node)->name.text
                                                          : std::string_view();
      found = found || (!name.empty() && std::any_of(classes.begin(), classes.end(), [&](ClassId cls) {
                const auto& above = program.classes()[cls].linearized;
                return std::any_of(above.begin(), above.end(),
                                   [&](ClassId one) { return program.classes()[one].name == name; });
              }));
    });
  });
  return found;
}

std::optional<Split> split_by(const DocumentInputs& inputs, const Actor& actor, const Expr& object,
                              std::string_view name) {
  const Program& program = *inputs.after;
  const program::FunctionId function = actor.change->after->function;
  const std::vector<ClassId> classes = program.instance_classes(function, object);
  std::vector<ClassId> with;
  std::vector<ClassId> without;
  for (const ClassId cls : classes) {
    if (!is_of_tests(program, cls)) (has_member(program, cls, name) ? with : without).push_back(cls);
  }
  if (with.empty() || without.empty() || is_set_otherwise(program, name, true) || asks_for_one(program, function, with))
    return std::nullopt;
  std::vector<std::pair<std::size_t, std::string>> lacking;  // The nearest kin first.
  for (const ClassId cls : without) {
    std::optional<std::size_t> nearest;
    for (const ClassId have : with) {
      const std::optional<std::size_t> steps = steps_to_kin(program, have, cls);
      if (steps && (!nearest || *steps < *nearest)) nearest = steps;
    }
    if (nearest && is_seen_itself(program, cls) &&
        !needed_what_it_lacks(inputs, actor, cls, one_line(*actor.steps.after_source, object, 50)) &&
        !was_asked_of(inputs, cls, name))
      lacking.emplace_back(*nearest, fmt::format("{} ({})", code(short_name(program, cls)), place_of(program, cls)));
  }
  if (lacking.empty()) return std::nullopt;
  std::stable_sort(lacking.begin(), lacking.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> having;
  std::vector<std::string> others;
  for (const ClassId cls : with) having.push_back(code(short_name(program, cls)));
  for (auto& [steps, words] : lacking) others.push_back(std::move(words));
  return Split{some_of(std::move(having), "and"), some_of(std::move(others), "or"), with.size() == 1};
}

/// What is said of several methods of one object at once.
struct Told {
  std::vector<std::string> members;
  std::string place;  ///< Of the first.
  std::string object;
  Split split;
};

/// The place, and the conditions around it.
std::string where_of(const change::EntitySide& entity, const SourceText& source, const Call& call) {
  std::string out = place(entity.path, source.line_of(call.span.begin));
  const std::string when = guards_words(guards_of(*entity.node, call.span), source);
  return when.empty() ? out : fmt::format("{}, if {}", out, when);
}

}  // namespace

void add_classes_without(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostQuestions = 2;
  constexpr std::size_t kMostCalls = 60;
  std::size_t told = 0;
  std::size_t looked = 0;
  std::set<std::string_view> known;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_removed() || actor.is_module_code ||
        !actor.change->after->function.valid() || program::is_helper_path(actor.change->after->path) ||
        actor.steps.after_source == nullptr)
      continue;
    const SourceText& source = *actor.steps.after_source;
    std::vector<Told> found;
    for (const NewCall& one : new_calls(story, actor)) {
      const std::string_view name = one.callee->name.text;
      if (looked++ == kMostCalls) break;
      if (known.contains(name)) continue;
      const std::optional<Split> split = split_by(inputs, actor, *one.callee->value, name);
      if (!split) continue;
      known.insert(name);
      const std::string object = one_line(source, *one.callee->value, 50);
      const auto same = std::find_if(found.begin(), found.end(), [&](const Told& each) {
        return each.object == object && each.split.lacking == split->lacking;
      });
      if (same == found.end())
        found.push_back({{code(std::string(name))}, where_of(*actor.change->after, source, *one.call), object, *split});
      else
        same->members.push_back(code(std::string(name)));
    }
    for (const Told& each : found) {
      if (told++ == kMostQuestions) return;
      const std::string concern = fmt::format(
          "{} calls {} of {} now ({}), which {} {}; by the value flow {} may also be one of {}, without {}.",
          code(short_name(inputs, *actor.change)), join_words(each.members), code(each.object), each.place,
          each.split.having, each.split.is_one ? "has" : "have", code(each.object), each.split.lacking,
          each.members.size() == 1 ? "it" : "them");
      const std::string asked = "Can it be one there?";
      risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
    }
  }
}

}  // namespace lockstep::report
