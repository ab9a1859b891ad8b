#include "report/documents/settings/passed_over_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/defaults.h"
#include "report/story/wording/words.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The settings that the step itself reads, with the text of the first place: "args.weight_only".
void add_read(const Step& step, const SourceText& source, std::map<std::string_view, std::string>& out) {
  walk_of<Attribute>(*step.node, Nested::kEnter, [&](const Attribute* one) {
    const std::string_view name = config_attribute(*one);
    if (!name.empty() && one->context == ExprContext::kLoad && step.span.contains(one->span))
      out.emplace(name, one_line_whole(source, *one));
  });
}

/// Whether the branch at `index` is new, stands at the function's top level, reads a setting and ends by a return.
bool is_new_way_out(const std::vector<Step>& steps, std::size_t index) {
  const Step& step = steps[index];
  const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
  if (branch == nullptr || step.status != StepStatus::kAdded || step.depth != 0 || step.is_elif || step.is_moved ||
      !branch->orelse.empty() || branch->body.empty() || config_reads(*branch->condition).empty())
    return false;
  const auto* way_out = as<Return>(branch->body.back());
  return way_out != nullptr && way_out->value != nullptr && !is<Constant>(way_out->value);
}

/// Whether code outside tests other than `span` of the module reads an attribute of this name, or has it as a text.
bool is_read_elsewhere(const program::Program& program, std::string_view name, program::ModuleId own, Span span) {
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[program::ModuleId(i)];
    if (program::is_test_path(module.path) || !module.facts->has_name(name)) continue;
    bool is_read = false;
    walk(module.facts->tree(), Nested::kEnter, [&](const Node* node) {
      const auto* attribute = as<Attribute>(node);
      const auto* text = as<Constant>(node);
      const bool names =
          (attribute != nullptr && attribute->name.text == name && attribute->context == ExprContext::kLoad) ||
          (text != nullptr && text->constant_kind == ConstantKind::kStr && text->text == name);
      is_read = is_read || (names && !(program::ModuleId(i) == own && span.contains(node->span)));
      return !is_read;
    });
    if (is_read) return true;
  }
  return false;
}

}  // namespace

void add_passed_over_settings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostLooked = 12;
  constexpr std::size_t kMostNamed = 4;
  std::size_t room = 2;
  for (std::size_t c = 0; c < story.central.size() && room > 0; ++c) {
    const Actor& actor = story.actor(c);
    if (!actor.is_function() || actor.is_added() || actor.is_removed() || actor.role == Role::kTest ||
        actor.steps.after_source == nullptr || !actor.change->after)
      continue;
    const SourceText& source = *actor.steps.after_source;
    const std::vector<Step>& steps = actor.steps.after;
    const auto found = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
      return is_new_way_out(steps, static_cast<std::size_t>(&step - steps.data()));
    });
    if (found == steps.end()) continue;
    const auto index = static_cast<std::size_t>(found - steps.begin());
    const std::size_t end = end_of(steps, index);
    std::map<std::string_view, std::string> known;
    for (std::size_t i = 0; i < end; ++i) add_read(steps[i], source, known);
    std::vector<std::string> passed;
    std::set<std::string_view> seen;
    const program::ModuleId module = inputs.after->find_path(actor.change->after->path);
    for (std::size_t i = end; i < steps.size() && seen.size() < kMostLooked; ++i) {
      std::map<std::string_view, std::string> read;
      if (steps[i].status == StepStatus::kKept) add_read(steps[i], source, read);
      for (const auto& [name, text] : read) {
        if (known.contains(name) || !seen.insert(name).second ||
            is_read_elsewhere(*inputs.after, name, module, actor.change->after->node->span))
          continue;
        passed.push_back(code(text));
      }
    }
    if (passed.empty()) continue;
    if (passed.size() > kMostNamed) passed.resize(kMostNamed);
    const std::string told =
        fmt::format("Where {}, {} returns before it reads {}, which nothing else outside tests was found to read",
                    condition_words(*as<If>(found->node)->condition, source), code(short_name(inputs, *actor.change)),
                    join_words(passed));
    risks.push_back(
        {RiskKind::kCorrectness, told + ".",
         fmt::format("Who gives both gets no effect of {}", passed.size() > 1 ? "these" : "it"), false,
         fmt::format("{}: {} meant to have no effect then?", told, passed.size() > 1 ? "are they" : "is it")});
    --room;
  }
}

}  // namespace lockstep::report
