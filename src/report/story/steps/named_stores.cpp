#include "report/story/steps/named_stores.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/strings.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/without_space.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// `object.attribute = value`.
struct Store {
  std::string object;
  std::string attribute;
  std::string value;
  std::size_t step = 0;
};

std::vector<Store> stores_that_go(const Actor& actor) {
  std::vector<Store> out;
  for (std::size_t i = 0; i < actor.steps.before.size(); ++i) {
    const Step& step = actor.steps.before[i];
    if (step.status == StepStatus::kKept || step.kind != StepKind::kPlain || step.elsewhere != nullptr || step.is_moved)
      continue;
    const Expr* target = nullptr;
    const Expr* value = assigned_value(step.node, target);
    const auto* member = value == nullptr ? nullptr : as<Attribute>(target);
    if (member == nullptr || is<Call>(member->value)) continue;
    const std::string object = one_line_whole(*actor.steps.before_source, *member->value);
    out.push_back(
        {object, std::string(member->name.text), without_space(actor.steps.before_source->slice(value->span)), i});
  }
  return out;
}

/// What an attribute's name and value stand in: the call of a statement that does nothing else.
const Call* storing_call(const Step& step) {
  const auto* alone = step.kind == StepKind::kPlain ? as<ExprStmt>(step.node) : nullptr;
  const Call* call = alone == nullptr ? nullptr : as<Call>(alone->value);
  return call != nullptr && call->arguments.size() >= 2 && call->keywords.empty() && !dotted_text(call->callee).empty()
             ? call
             : nullptr;
}

bool gets_value(const Call& call, const SourceText& source, std::string_view value) {
  return std::any_of(call.arguments.begin() + 1, call.arguments.end(),
                     [&](const Expr* one) { return without_space(source.slice(one->span)) == value; });
}

bool gets_name(const Call& call, std::string_view name) {
  return std::any_of(call.arguments.begin(), call.arguments.end(),
                     [&](const Expr* one) { return rules::text_of(one) == name; });
}

}  // namespace

std::vector<NamedStores> named_stores(const Actor& actor) {
  std::vector<NamedStores> out;
  if (actor.steps.before_source == nullptr || actor.steps.after_source == nullptr) return out;
  const std::vector<Store> stores = stores_that_go(actor);
  if (stores.size() < 2) return out;
  std::set<std::size_t> taken;
  const SourceText& source = *actor.steps.after_source;
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    const Step& step = actor.steps.after[i];
    const Call* call = step.status == StepStatus::kKept || step.is_moved ? nullptr : storing_call(step);
    if (call == nullptr) continue;
    const std::string first = one_line_whole(source, *call->arguments.front());
    const auto was = std::find_if(stores.begin(), stores.end(), [&](const Store& one) {
      return !taken.contains(one.step) && one.object.starts_with(first) &&
             gets_name(*call, one.attribute) && gets_value(*call, source, one.value);
    });
    if (was == stores.end()) continue;
    taken.insert(was->step);
    const std::string shown = fmt::format("{}({}, \u2026)", dotted_text(call->callee), first);
    auto known = std::find_if(out.begin(), out.end(),
                              [&](const NamedStores& one) { return one.call == shown && one.object == was->object; });
    if (known == out.end()) known = out.insert(out.end(), {shown, was->object, {}, {}, {}});
    if (std::find(known->attributes.begin(), known->attributes.end(), was->attribute) == known->attributes.end())
      known->attributes.push_back(was->attribute);
    known->after.push_back(i);
    known->before.push_back(was->step);
  }
  std::erase_if(out, [](const NamedStores& one) { return one.after.size() < 2; });
  return out;
}

std::string named_stores_words(const NamedStores& stores) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> names;
  for (const std::string& one : stores.attributes) {
    if (names.size() == kMost) break;
    names.push_back(code(one));
  }
  if (stores.attributes.size() > names.size())
    names.push_back(fmt::format("{} more", stores.attributes.size() - names.size()));
  return fmt::format("sets {} by {} at {}, where it set {} of {} itself", join_words(names), code(stores.call),
                     count_of(stores.after.size(), "place"),
                     stores.attributes.size() == 1 ? "this attribute" : "these attributes", code(stores.object));
}

bool is_named_store_before(const std::vector<NamedStores>& all, std::size_t index) {
  return std::any_of(all.begin(), all.end(), [&](const NamedStores& one) {
    return std::find(one.before.begin(), one.before.end(), index) != one.before.end();
  });
}

bool is_named_store_after(const std::vector<NamedStores>& all, std::size_t index) {
  return std::any_of(all.begin(), all.end(), [&](const NamedStores& one) {
    return std::find(one.after.begin(), one.after.end(), index) != one.after.end();
  });
}

}  // namespace lockstep::report
