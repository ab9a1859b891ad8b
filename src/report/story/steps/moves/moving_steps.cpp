#include "report/story/steps/moves/moving_steps.h"

#include <algorithm>
#include <string_view>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

LocalNames locals_of(const Node* node) {
  LocalNames out;
  const auto* def = as<FunctionDef>(node);
  if (def == nullptr) return out;
  for (const Parameter* one : def->parameters->all) out.emplace(one->name.text);
  walk_of<Name>(*def, Nested::kEnter, [&](const Name* name) {
    if (name->context == ExprContext::kStore) out.emplace(name->id);
  });
  return out;
}

CodeWords words_of(const SourceText& source, Span span) { return code_words(source.slice(span)); }

const Expr* target_of(const Step& step) {
  if (step.kind != StepKind::kPlain) return nullptr;
  if (const auto* assign = as<Assign>(step.node))
    return assign->targets.size() == 1 ? assign->targets.front() : nullptr;
  const auto* annotated = as<AnnAssign>(step.node);
  return annotated == nullptr ? nullptr : annotated->target;
}

const Call* main_call(const Step& step) {
  const auto* raise = as<Raise>(step.node);
  return raise != nullptr ? as<Call>(raise->exception) : call_of_step(step);
}

CodeWords words_of(const SourceText& source, const Step& step) {
  if (step.is_elif) {
    CodeWords out = words_of(source, step.span);
    if (!out.empty() && out.front().text == "elif") out.front().text = "if";
    return out;
  }
  const auto* annotated = step.kind == StepKind::kPlain ? as<AnnAssign>(step.node) : nullptr;
  if (annotated == nullptr || annotated->value == nullptr) return words_of(source, step.span);
  CodeWords out = words_of(source, annotated->target->span);
  out.push_back({"=", false});
  for (CodeWord& word : words_of(source, annotated->value->span)) out.push_back(std::move(word));
  return out;
}

void add_named(const CodeWords& words, const LocalNames& locals, NamedWords& out) {
  for (const CodeWord& word : words) {
    const std::size_t root_end = word.text.find('.');
    if (!word.is_name) continue;
    if (!locals.contains(std::string_view(word.text).substr(0, root_end))) {
      out.insert(word.text);
    } else if (root_end != std::string::npos) {
      out.insert(word.text.substr(word.text.rfind('.')));
    }
  }
}

bool is_registered_for(const Holder& holder, const LosingFunction& from, std::size_t head) {
  const auto* branch = as<If>(from.actor->steps.before[head].node);
  const auto* def = as<FunctionDef>(holder.actor->change->after->node);
  if (branch == nullptr || def == nullptr) return false;
  std::set<std::string> registered;
  for (const Expr* one : def->decorators) {
    for (const CodeWord& word : words_of(*holder.actor->steps.after_source, one->span)) registered.insert(word.text);
  }
  const auto is_key = [&](const CodeWord& word) {
    const bool is_text = word.text.starts_with('"') || word.text.starts_with('\'');
    const std::size_t dot = word.text.find('.');
    return is_text || (word.is_name && dot != std::string::npos &&
                       !from.locals.contains(std::string_view(word.text).substr(0, dot)));
  };
  bool any = false;
  for (const CodeWord& word : words_of(*from.actor->steps.before_source, branch->condition->span)) {
    if (!is_key(word)) continue;
    any = true;
    if (!registered.contains(word.text)) return false;
  }
  return any;
}

}  // namespace lockstep::report
