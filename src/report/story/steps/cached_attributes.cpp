#include "report/story/steps/cached_attributes.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Names of attributes that methods of one class come to set, with the values.
using Cached = std::map<std::string_view, const Expr*>;

/// `x` of `self.x`; empty for others.
std::string_view own_attribute(const Expr* expression) {
  const auto* attribute = as<Attribute>(expression);
  return attribute != nullptr && rules::name_of(attribute->value) == "self" ? attribute->name.text : std::string_view();
}

void add_cached(const Actor& actor, Cached& out) {
  for (const Step& step : actor.steps.after) {
    const auto* assign = step.status == StepStatus::kAdded && !step.is_moved ? as<Assign>(step.node) : nullptr;
    if (assign == nullptr || assign->targets.size() != 1) continue;
    const std::string_view name = own_attribute(assign->targets.front());
    if (!name.empty()) out.emplace(name, assign->value);
  }
}

/// Whether a value is `holder.name`, of whatever holds `holder`, or `getattr(holder, "name", …)`, in any branch.
bool reads(const Expr& value, std::string_view holder, std::string_view name) {
  const auto is_holder = [&](const Expr* one) { return rules::name_of(one) == holder || own_attribute(one) == holder; };
  const auto is_it = [&](const Node* node) {
    if (const auto* attribute = as<Attribute>(node)) return attribute->name.text == name && is_holder(attribute->value);
    const auto* call = as<Call>(node);
    return call != nullptr && rules::name_of(call->callee) == "getattr" && call->arguments.size() >= 2 &&
           is_holder(call->arguments[0]) && rules::text_of(call->arguments[1]) == name;
  };
  if (const auto* choice = as<IfExp>(&value)) {
    // `holder.x if holder is not None else None`
    return reads(*choice->body, holder, name) && rules::is_none(choice->orelse);
  }
  return is_it(&value);
}

std::string without_space(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0; });
  return out;
}

/// The step's text with `self.x` for `self.holder.x` of what is cached; `used` gets the two.
std::string with_cached(const Step& step, const SourceText& source, const Cached& cached,
                        std::vector<std::pair<std::string, std::string>>& used) {
  std::vector<const Attribute*> found;
  walk_of<Attribute>(*step.node, Nested::kEnter, [&](const Attribute* attribute) {
    const std::string_view holder = own_attribute(attribute->value);
    const auto known = cached.find(attribute->name.text);
    if (step.span.contains(attribute->span) && !holder.empty() && known != cached.end() &&
        reads(*known->second, holder, attribute->name.text))
      found.push_back(attribute);
  });
  std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) { return a->span.begin < b->span.begin; });
  std::string out;
  std::uint32_t at = step.span.begin;
  for (const Attribute* one : found) {
    const std::string name = "self." + std::string(one->name.text);
    out += std::string(source.slice({at, one->span.begin})) + name;
    used.emplace_back(one_line_whole(source, *one), name);
    at = one->span.end;
  }
  return without_space(out + std::string(source.slice({at, step.span.end})));
}

}  // namespace

void mark_cached_attributes(std::vector<Actor>& actors) {
  std::map<std::uint32_t, Cached> by_class;
  for (const Actor& actor : actors) {
    const auto& after = actor.change->after;
    if (after && after->cls.valid() && actor.steps.after_source != nullptr)
      add_cached(actor, by_class[after->cls.value]);
  }
  for (Actor& actor : actors) {
    const auto& after = actor.change->after;
    if (!after || !after->cls.valid() || actor.steps.before_source == nullptr || actor.steps.after_source == nullptr)
      continue;
    const Cached& cached = by_class[after->cls.value];
    if (cached.empty()) continue;
    for (Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || !step.renames.empty()) continue;
      Step& old = actor.steps.before[step.partner];
      if (step.node == nullptr || old.node == nullptr || step.kind != old.kind) continue;
      std::vector<std::pair<std::string, std::string>> used;
      const std::string was = with_cached(old, *actor.steps.before_source, cached, used);
      if (used.empty() || was != without_space(actor.steps.after_source->slice(step.span))) continue;
      step.renames = used;
      old.renames = std::move(used);
    }
  }
}

}  // namespace lockstep::report
