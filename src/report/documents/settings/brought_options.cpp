#include "report/documents/settings/brought_options.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/find_text.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/source/generated_arguments.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The texts in the code that may be names.
std::set<std::string, std::less<>> names_in_texts(const Node& code) {
  std::set<std::string, std::less<>> out;
  walk_of<Constant>(code, Nested::kSkip, [&](const Constant* one) {
    const bool is_name = one->constant_kind == ConstantKind::kStr && !one->text.empty() &&
                         std::all_of(one->text.begin(), one->text.end(), is_name_char);
    if (is_name) out.emplace(one->text);
  });
  return out;
}

/// Whether some class declares a field of the name.
bool is_field(const program::Program& program, std::string_view name) {
  return std::any_of(program.classes().begin(), program.classes().end(), [&](const program::Class& cls) {
    return std::any_of(cls.fields.begin(), cls.fields.end(),
                       [&](const program::Field& field) { return field.in_class_body && field.name == name; });
  });
}

bool was_spelled(const program::Program& before, std::string_view argument) {
  return std::any_of(before.modules().begin(), before.modules().end(), [&](const program::Module& module) {
    return !program::is_test_path(module.path) && is_quoted_in(module.facts->source().bytes(), argument);
  });
}

}  // namespace

std::vector<BroughtOption> brought_options(const DocumentInputs& inputs, const Story& story) {
  std::vector<BroughtOption> out;
  if (inputs.before == nullptr) return out;
  struct Candidate {
    std::string name;
    program::FunctionId maker;
  };
  std::vector<Candidate> candidates;
  for (const Actor& actor : story.actors) {
    const auto& entity = *actor.change;
    if (actor.role == Role::kTest || !actor.is_function() || !entity.before || !entity.after ||
        !entity.after->function.valid() || program::is_test_path(entity.latest().path))
      continue;
    const auto now = names_in_texts(*entity.after->node);
    for (const std::string& name : names_in_texts(*entity.before->node)) {
      if (!now.contains(name) && is_field(*inputs.before, name)) candidates.push_back({name, entity.after->function});
    }
  }
  if (candidates.empty()) return out;
  const GeneratedArguments before(*inputs.before);
  const GeneratedArguments after(*inputs.after);
  for (const Candidate& one : candidates) {
    const auto left_out = before.left_out(one.name);
    if (!left_out) continue;
    const program::ClassId cls = inputs.after->find_class(inputs.before->classes()[left_out->cls].qualified_name);
    const std::string argument = after.argument_of(cls, one.name);
    if (!argument.empty() && !was_spelled(*inputs.before, argument))
      out.push_back({one.name, argument, cls, one.maker});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

}  // namespace lockstep::report
