#include "report/story/steps/intermediates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/wording/edits.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `[]`, `{}`, `set()`, `list()`: what is filled later.
bool is_empty_display(const Expr& value) {
  const auto* list = as<python::List>(&value);
  const auto* dict = as<Dict>(&value);
  const auto* call = as<Call>(&value);
  const bool is_made = call != nullptr && is<Name>(call->callee) && call->arguments.empty() && call->keywords.empty();
  return (list != nullptr && list->elements.empty()) || (dict != nullptr && dict->values.empty()) ||
         (is_made && (callee_name(*call) == "set" || callee_name(*call) == "list" || callee_name(*call) == "dict" ||
                      callee_name(*call) == "deque"));
}

/// The local that a plain assignment sets; null for others.
const Name* local_set_by(const Step& step) {
  if (step.kind != StepKind::kPlain) return nullptr;
  const auto* assign = as<Assign>(step.node);
  return assign != nullptr && assign->targets.size() == 1 ? as<Name>(assign->targets.front()) : nullptr;
}

/// What of one side's steps each name is read by, and which names are not the function's alone.
struct Uses {
  std::map<std::string_view, std::vector<std::size_t>> readers;
  std::set<std::string_view> shared;
};

Uses uses_of(const std::vector<Step>& steps) {
  Uses out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    walk(*step.node, Nested::kEnter, [&](const Node* node) {
      const auto* name = as<Name>(node);
      if (name != nullptr && name->context == ExprContext::kLoad && step.span.contains(name->span)) {
        std::vector<std::size_t>& readers = out.readers[name->id];
        if (readers.empty() || readers.back() != i) readers.push_back(i);
      }
      return node->span.begin < step.span.end && node->span.end > step.span.begin;
    });
    // What a function that is defined here reads, it reads whenever it is called.
    if (is<FunctionDef>(step.node) || is<ClassDef>(step.node))
      walk_of<Name>(*step.node, Nested::kEnter, [&](const Name* name) { out.shared.insert(name->id); });
    if (const auto* global = as<Global>(step.node))
      for (const auto& name : global->names) out.shared.insert(name.text);
    if (const auto* nonlocal = as<Nonlocal>(step.node))
      for (const auto& name : nonlocal->names) out.shared.insert(name.text);
  }
  return out;
}

/// `fresh`: the status of a step that this side alone has.
std::vector<bool> serving(const std::vector<Step>& steps, StepStatus fresh) {
  const Uses uses = uses_of(steps);
  std::vector<bool> out(steps.size(), false);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Name* name = local_set_by(steps[i]);
    if (name == nullptr || steps[i].status != fresh || steps[i].is_moved || uses.shared.contains(name->id)) continue;
    const auto found = uses.readers.find(name->id);
    if (found == uses.readers.end()) continue;
    const auto changes = [&](std::size_t reader) {
      return steps[reader].status != StepStatus::kKept && !steps[reader].is_moved;
    };
    out[i] = std::all_of(found->second.begin(), found->second.end(), changes);
  }
  return out;
}

}  // namespace

Intermediates::Intermediates(const Actor& actor)
    : actor_(actor),
      after_(serving(actor.steps.after, StepStatus::kAdded)),
      before_(serving(actor.steps.before, StepStatus::kRemoved)) {
  for (std::size_t i = 0; i < after_.size(); ++i) {
    const Name* name = local_set_by(actor.steps.after[i]);
    if (name != nullptr && after_[i]) values_[name->id].push_back(as<Assign>(actor.steps.after[i].node)->value);
  }
  // Nor are these all values of a parameter, which callers give one.
  const auto* def = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
  for (const Parameter* parameter : def != nullptr ? def->parameters->all : Seq<Parameter>{})
    values_.erase(parameter->name.text);
  // Of a name that other steps set, too, these are not all values.
  for (std::size_t i = 0; i < after_.size(); ++i) {
    if (after_[i]) continue;
    const Step& step = actor.steps.after[i];
    walk_of<Name>(*step.node, Nested::kSkip, [&](const Name* name) {
      if (name->context != ExprContext::kLoad && step.span.contains(name->span)) values_.erase(name->id);
    });
  }
}

bool Intermediates::only_holds_serving(std::size_t index) const {
  const std::size_t end = end_of(actor_.steps.after, index);
  if (end == index + 1) return false;
  for (std::size_t i = index + 1; i < end; ++i) {
    const Step& step = actor_.steps.after[i];
    if (step.kind == StepKind::kPlain && !after_[i] && !is<Pass>(step.node)) return false;
  }
  return true;
}

LocalValue Intermediates::value_of(std::string_view name, std::size_t longest) const {
  const auto found = values_.find(name);
  if (found == values_.end() || is<Constant>(found->second.front()) || is_empty_display(*found->second.front()))
    return {};
  std::set<std::string> texts;
  for (const Expr* value : found->second) texts.insert(one_line_whole(*actor_.steps.after_source, *value));
  const std::string& text = *texts.begin();
  if (texts.size() != 1 || text.size() > longest) return {};
  return {std::string(name), fmt::format("{} being {}", code(name), code(text)), {}};
}

LocalValue Intermediates::value_read_at(std::size_t index) const {
  constexpr std::size_t kShort = 84;
  constexpr std::size_t kLongest = 120;
  constexpr std::size_t kLongestInner = 48;
  constexpr std::size_t kMostInner = 2;
  const Step& step = actor_.steps.after[index];
  LocalValue out;
  std::set<std::string_view> seen;
  for (const std::size_t longest : {kShort, kLongest}) {
    seen.clear();
    walk_of<Name>(*step.node, Nested::kSkip, [&](const Name* name) {
      if (out.name.empty() && step.span.contains(name->span) && seen.insert(name->id).second)
        out = value_of(name->id, longest);
    });
  }
  if (out.name.empty()) return out;
  seen = {out.name};
  const auto add_inner = [&](const Name* name) {
    if (out.inner.size() == kMostInner || !seen.insert(name->id).second) return;
    LocalValue inner = value_of(name->id, kLongestInner);
    if (!inner.name.empty()) out.inner.push_back(std::move(inner));
  };
  walk_of<Name>(*values_.find(out.name)->second.front(), Nested::kSkip, add_inner);
  return out;
}

}  // namespace lockstep::report
