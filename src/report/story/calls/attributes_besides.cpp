#include "report/story/calls/attributes_besides.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/calls/calls.h"

namespace lockstep::report {

using namespace python;

namespace {

using Names = std::vector<std::string_view>;  ///< Each once, in order.

void add_stored(const Node& node, Span span, Names& names) {
  walk_of<Attribute>(node, Nested::kSkip, [&](const Attribute* one) {
    const bool is_set = one->context == ExprContext::kStore && span.contains(one->span);
    if (is_set && std::find(names.begin(), names.end(), one->name.text) == names.end()) names.push_back(one->name.text);
  });
}

/// The attributes that a changed function set in steps which are gone, or stand elsewhere now.
Names no_longer_stored(const Actor& actor) {
  Names out;
  for (const Step& step : actor.steps.before) {
    if (step.status == StepStatus::kRemoved) add_stored(*step.node, step.span, out);
  }
  return out;
}

}  // namespace

std::string attributes_besides(const DocumentInputs& inputs, const std::vector<Actor>& actors, const Actor& actor) {
  constexpr std::size_t kFewest = 2;
  constexpr std::size_t kMost = 3;
  const auto* def = actor.is_function() && actor.is_added() ? as<FunctionDef>(actor.change->after->node) : nullptr;
  if (def == nullptr) return {};
  Names own;
  for (const Stmt* statement : def->body) add_stored(*statement, statement->span, own);
  if (own.size() <= kFewest) return {};
  std::set<std::string_view> replaced;
  std::vector<std::string> callers;
  for (const Actor& other : actors) {
    if (&other == &actor || other.role == Role::kTest || other.is_added() || other.is_removed() ||
        !other.is_function() || !calls(*inputs.after, *other.change, actor.change->after->function))
      continue;
    const Names gone = no_longer_stored(other);
    const auto common = std::count_if(gone.begin(), gone.end(), [&](std::string_view one) {
      return std::find(own.begin(), own.end(), one) != own.end();
    });
    if (static_cast<std::size_t>(common) < kFewest) continue;
    replaced.insert(gone.begin(), gone.end());
    callers.push_back(code(short_name(inputs, *other.change)));
  }
  std::vector<std::string> besides;
  for (const std::string_view one : own) {
    if (!replaced.contains(one)) besides.push_back(code(std::string(one)));
  }
  if (callers.empty() || besides.empty() || besides.size() > kMost) return {};
  const std::size_t all = callers.size();
  if (all > kMost) callers = {fmt::format("{} functions", all)};
  return fmt::format(" It also sets {}, which the code that it replaces in {} did not.", join_words(besides),
                     join_words(callers));
}

void weigh_attributes_besides(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kAbove = 1.05;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || attributes_besides(inputs, actors, actor).empty()) continue;
    for (const Actor& other : actors) {
      const bool calls_it = &other != &actor && other.role == Role::kSupporting && other.is_function() &&
                            calls(*inputs.after, *other.change, actor.change->after->function);
      if (calls_it) actor.weight = std::max(actor.weight, kAbove * other.weight);
    }
  }
}

}  // namespace lockstep::report
