#include "report/documents/drawings/reaching_values.h"

#include <algorithm>

#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kLongestName = 40;  ///< As the drawing writes names.

void add_imported(Seq<Alias> names, std::vector<std::string>& out) {
  for (const Alias* alias : names) {
    const std::string_view whole = alias->name.text;
    out.emplace_back(alias->as_name.text.empty() ? whole.substr(0, whole.find('.')) : alias->as_name.text);
  }
}

/// What a step gives another value; `x += 1` goes on with the one that is there.
std::vector<std::string> bound_by(const Step& step, const SourceText& source) {
  std::vector<std::string> out;
  if (step.kind == StepKind::kFor) add_bound(source, as<For>(step.node)->target, out);
  if (step.kind == StepKind::kWith) {
    for (const WithItem* item : as<With>(step.node)->items) add_bound(source, item->target, out);
  }
  if (const auto* handler = as<ExceptHandler>(step.node); handler != nullptr && !handler->name.text.empty())
    out.emplace_back(handler->name.text);
  if (step.kind != StepKind::kPlain) return out;
  if (const auto* assign = as<Assign>(step.node)) {
    for (const Expr* target : assign->targets) add_bound(source, target, out);
  } else if (const auto* annotated = as<AnnAssign>(step.node); annotated != nullptr && annotated->value != nullptr) {
    add_bound(source, annotated->target, out);
  } else if (const auto* deleted = as<Delete>(step.node)) {
    for (const Expr* target : deleted->targets) add_bound(source, target, out);
  } else if (const auto* import = as<Import>(step.node)) {
    add_imported(import->names, out);
  } else if (const auto* from = as<ImportFrom>(step.node)) {
    add_imported(from->names, out);
  } else if (const auto* function = as<FunctionDef>(step.node)) {
    out.emplace_back(function->name.text);
  } else if (const auto* type = as<ClassDef>(step.node)) {
    out.emplace_back(type->name.text);
  }
  return out;
}

bool is_loop(const Step& step) { return step.kind == StepKind::kFor || step.kind == StepKind::kWhile; }

bool runs_for_ever(const Step& step) {
  const auto* loop = step.kind == StepKind::kWhile ? as<While>(step.node) : nullptr;
  return loop != nullptr && rules::is_true(loop->condition);
}

}  // namespace

void add_bound(const SourceText& source, const Expr* target, std::vector<std::string>& out) {
  if (const auto* tuple = as<Tuple>(target)) {
    for (const Expr* element : tuple->elements) add_bound(source, element, out);
  } else if (const auto* list = as<python::List>(target)) {
    for (const Expr* element : list->elements) add_bound(source, element, out);
  } else if (const auto* starred = as<Starred>(target)) {
    add_bound(source, starred->value, out);
  } else if (target != nullptr) {
    out.push_back(one_line(source, *target, kLongestName));
  }
}

ReachingValues::ReachingValues(const std::vector<Step>& steps, const SourceText& source,
                               const std::set<std::size_t>& untaken)
    : steps_(steps), untaken_(untaken) {
  bound_.reserve(steps.size());
  for (const Step& step : steps) bound_.push_back(bound_by(step, source));
}

bool ReachingValues::reaches(std::size_t from, std::size_t to, const std::string& name) const {
  if (from != Step::kNone && from >= to) return false;
  std::vector<bool> is_there(steps_.size() + 1);
  const auto go = [&](const Steps& next) {
    for (const std::size_t i : next) is_there[i] = true;
  };
  // What a loop takes is there in its turns alone.
  if (from == Step::kNone) {
    is_there[0] = true;
  } else {
    go(steps_[from].kind == StepKind::kFor ? Steps{from + 1} : next_of(from));
  }
  for (std::size_t i = from == Step::kNone ? 0 : from + 1; i < to; ++i) {
    if (!is_there[i] || is_untaken(i)) continue;
    if (const std::optional<bool> holds = binds(i, name) ? std::nullopt : holds_of_none(from, i, name)) {
      const std::size_t other = next_part(i);
      go({*holds ? i + 1 : other == Step::kNone ? behind(i) : other});
    } else if (!binds(i, name)) {
      go(next_of(i));
    } else if (steps_[i].kind == StepKind::kFor) {
      is_there[behind_turns(i)] = true;
    } else if (const Steps handlers = handlers_around(i); !handlers.empty()) {
      go(handlers);  // What fails has bound nothing.
    }
  }
  return is_there[to] && !is_untaken(to);
}

std::optional<bool> ReachingValues::holds_of_none(std::size_t from, std::size_t branch, const std::string& name) const {
  const auto* assign = from == Step::kNone ? nullptr : as<Assign>(steps_[from].node);
  const auto* condition = steps_[branch].kind == StepKind::kIf ? as<If>(steps_[branch].node) : nullptr;
  if (assign == nullptr || !rules::is_none(assign->value) || condition == nullptr) return std::nullopt;
  const auto test = rules::none_test(*condition->condition);
  if (test && rules::name_of(test->subject) == name) return test->is_none;
  return rules::name_of(condition->condition) == name ? std::optional(false) : std::nullopt;
}

std::size_t ReachingValues::last_binding(const std::string& name, std::size_t to) const {
  for (std::size_t i = to; i-- > 0;) {
    if (binds(i, name) && reaches(i, to, name)) return i;
  }
  return Step::kNone;
}

bool ReachingValues::is_untaken(std::size_t index) const {
  return untaken_.contains(index) && untaken_.contains(steps_[index].parent);
}

bool ReachingValues::binds(std::size_t index, const std::string& name) const {
  return std::any_of(bound_[index].begin(), bound_[index].end(), [&](const std::string& one) {
    return name == one || (name.starts_with(one) && (name[one.size()] == '.' || name[one.size()] == '['));
  });
}

ReachingValues::Steps ReachingValues::next_of(std::size_t index) const {
  const Step& step = steps_[index];
  switch (step.kind) {
    case StepKind::kPlain:
      return next_of_plain(index);
    case StepKind::kIf:
    case StepKind::kCase: {
      const std::size_t other = next_part(index);
      return {index + 1, other == Step::kNone ? behind(index) : other};
    }
    case StepKind::kFor:
    case StepKind::kWhile:
      return runs_for_ever(step) ? Steps{index + 1} : Steps{index + 1, behind_turns(index)};
    default:
      return {index + 1};
  }
}

ReachingValues::Steps ReachingValues::next_of_plain(std::size_t index) const {
  const Node* node = steps_[index].node;
  if (is<Return>(node)) return {};
  if (is<Raise>(node)) return handlers_around(index);
  if (is<Continue>(node) || is<Break>(node)) {
    std::size_t loop = steps_[index].parent;
    while (loop != Step::kNone && !is_loop(steps_[loop])) loop = steps_[loop].parent;
    if (loop == Step::kNone) return {};
    if (is<Break>(node)) return {behind(loop)};
    return runs_for_ever(steps_[loop]) ? Steps{} : Steps{behind_turns(loop)};
  }
  Steps out = handlers_around(index);
  out.push_back(behind(index));
  return out;
}

std::size_t ReachingValues::behind(std::size_t index) const {
  for (std::size_t part = next_part(index); part != Step::kNone; part = next_part(index)) {
    if (steps_[part].kind == StepKind::kFinally) return part;
    index = part;
  }
  const std::size_t next = end_of(steps_, index);
  if (next < steps_.size() && steps_[next].parent == steps_[index].parent) return next;
  return steps_[index].parent == Step::kNone ? steps_.size() : behind_block(steps_[index].parent);
}

std::size_t ReachingValues::behind_block(std::size_t header) const {
  const Step& step = steps_[header];
  if (is_loop(step)) return runs_for_ever(step) ? steps_.size() : behind_turns(header);
  if (step.kind == StepKind::kTry) {
    for (std::size_t part = next_part(header); part != Step::kNone; part = next_part(part)) {
      if (steps_[part].kind == StepKind::kElse) return part;
    }
  }
  return behind(header);
}

std::size_t ReachingValues::behind_turns(std::size_t loop) const {
  const std::size_t otherwise = next_part(loop);
  return otherwise == Step::kNone ? behind(loop) : otherwise;
}

std::size_t ReachingValues::next_part(std::size_t header) const {
  const std::size_t next = end_of(steps_, header);
  if (next >= steps_.size() || steps_[next].parent != steps_[header].parent) return Step::kNone;
  const Step& step = steps_[next];
  const bool goes_on = step.kind == StepKind::kElse || step.kind == StepKind::kExcept ||
                       step.kind == StepKind::kFinally || step.kind == StepKind::kCase || step.is_elif;
  return goes_on ? next : Step::kNone;
}

ReachingValues::Steps ReachingValues::handlers_around(std::size_t index) const {
  Steps out;
  for (std::size_t up = steps_[index].parent; up != Step::kNone; up = steps_[up].parent) {
    if (steps_[up].kind != StepKind::kTry) continue;
    for (std::size_t part = next_part(up); part != Step::kNone; part = next_part(part)) {
      if (steps_[part].kind == StepKind::kExcept) out.push_back(part);
    }
    if (!out.empty()) return out;
  }
  return out;
}

}  // namespace lockstep::report
