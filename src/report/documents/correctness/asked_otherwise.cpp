#include "report/documents/correctness/asked_otherwise.h"

#include <algorithm>
#include <cstddef>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/documents/correctness/member_questions.h"
#include "report/source/code.h"
#include "rules/names/attributes_of_class.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

std::size_t calls_of(const Node* node, const SourceText* source, std::string_view name) {
  std::size_t out = 0;
  if (node == nullptr || source == nullptr || find_name(source->slice(node->span), name) == std::string_view::npos)
    return out;
  walk_of<Call>(*node, Nested::kEnter, [&](const Call* call) {
    const auto* callee = as<Attribute>(call->callee);
    out += callee != nullptr && callee->name.text == name && rules::name_of(callee->value) != "self" ? 1 : 0;
  });
  return out;
}

/// The class of the old version that `cls` was; invalid where there was none.
ClassId old_of(const DocumentInputs& inputs, ClassId cls) {
  const program::Class& row = inputs.after->classes()[cls];
  const auto& olds = inputs.before->classes();
  for (std::size_t i = 0; i < olds.size(); ++i) {
    const program::Class& old = olds[ClassId(i)];
    if (old.name == row.name && short_name(*inputs.before, ClassId(i)) == short_name(*inputs.after, cls) &&
        inputs.before->modules()[old.module].path == inputs.after->modules()[row.module].path)
      return ClassId(i);
  }
  return {};
}

}  // namespace

bool is_given_up_elsewhere(const Story& story, const Actor& actor, std::string_view name) {
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& other) {
    if (&other == &actor || other.role == Role::kTest || !other.is_function() || !other.change->before) return false;
    const std::size_t before = calls_of(other.change->before->node, other.steps.before_source, name);
    return before > 0 &&
           before > calls_of(other.change->after ? other.change->after->node : nullptr, other.steps.after_source, name);
  });
}

bool was_asked_of(const DocumentInputs& inputs, ClassId cls, std::string_view name) {
  constexpr std::size_t kMostReads = 40;
  const Program& before = *inputs.before;
  const ClassId old = old_of(inputs, cls);
  if (!old.valid()) return false;
  bool found = false;
  std::size_t looked = 0;
  for (std::size_t i = 0; i < before.modules().size() && !found; ++i) {
    const program::Module& module = before.modules()[program::ModuleId(i)];
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* read) {
      if (found || read->name.text != name || read->context != ExprContext::kLoad ||
          rules::name_of(read->value) == "self" || looked == kMostReads)
        return;
      const FunctionId function = before.function_at(program::ModuleId(i), read->span.begin);
      if (!function.valid()) return;
      ++looked;
      const std::vector<ClassId> classes = before.instance_classes(function, *read->value);
      found = std::find(classes.begin(), classes.end(), old) != classes.end() &&
              !asks_for_object(*read->value, guards_of(*before.functions()[function].node, read->span),
                               module.facts->source());
    });
  }
  return found;
}

bool needed_what_it_lacks(const DocumentInputs& inputs, const Actor& actor, ClassId cls, const std::string& object) {
  if (!actor.change->before || actor.change->before->node == nullptr || actor.steps.before_source == nullptr)
    return false;
  const Program& before = *inputs.before;
  const SourceText& source = *actor.steps.before_source;
  const Node& node = *actor.change->before->node;
  const ClassId old = old_of(inputs, cls);
  bool found = false;
  if (!old.valid()) return found;
  walk_of<Attribute>(node, Nested::kSkip, [&](const Attribute* read) {
    if (found || read->context != ExprContext::kLoad || one_line(source, *read->value, 50) != object) return;
    const std::string_view name = read->name.text;
    found = !name.starts_with("__") && !rules::is_member_of_nn_module(name) && !has_member(before, old, name) &&
            !asks_for_object(*read->value, guards_of(node, read->span), source) &&
            !rules::is_in_try(node, read->span) && !is_set_otherwise(before, name, true);
  });
  return found;
}

}  // namespace lockstep::report
