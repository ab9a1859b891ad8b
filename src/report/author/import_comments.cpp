#include "report/author/import_comments.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/strings.h"
#include "python/tree_walk.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_import(const Step& step) { return is<Import>(step.node) || is<ImportFrom>(step.node); }

/// The names that an import binds.
std::set<std::string_view> bound_by(const Node& import) {
  std::set<std::string_view> out;
  walk_of<Alias>(import, Nested::kSkip, [&](const Alias* one) {
    const std::string_view name = one->as_name.text.empty() ? one->name.text : one->as_name.text;
    out.insert(name.substr(0, name.find('.')));
  });
  return out;
}

bool speaks_of_importing(const std::vector<TextLine>& comment) {
  constexpr std::string_view kWords[] = {"circular", "cyclic", "import", "lazily", "lazy"};
  return std::any_of(comment.begin(), comment.end(), [&](const TextLine& line) {
    const std::string text = to_lower(line.text);
    return std::any_of(std::begin(kWords), std::end(kWords),
                       [&](std::string_view word) { return contains(text, word); });
  });
}

}  // namespace

bool may_give_reason(const Actor& actor, std::size_t index, const std::vector<TextLine>& comment) {
  const std::vector<Step>& steps = actor.steps.after;
  const auto is_changed = [](const Step& step) { return step.status != StepStatus::kKept; };
  if (!is_changed(steps[index])) return false;
  const bool is_all = !actor.is_added() && std::all_of(steps.begin(), steps.end(), [&](const Step& step) {
    return !is_changed(step) || is_import(step);
  }) && std::all_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& step) {
    return !is_changed(step) || is_import(step);
  });
  if (is_all) return true;
  if (speaks_of_importing(comment)) return false;
  const std::set<std::string_view> names = bound_by(*steps[index].node);
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    if (!is_changed(step) || is_import(step) || step.node == nullptr) return false;
    bool uses = false;
    walk_of<Name>(*step.node, Nested::kEnter, [&](const Name* name) {
      uses = uses || (step.span.contains(name->span) && names.contains(name->id));
    });
    return uses;
  });
}

}  // namespace lockstep::report
