#include "report/documents/correctness/missing_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the parameter of that name is annotated as a mapping.
bool is_mapping(const FunctionDef& def, std::string_view name) {
  static constexpr std::string_view kMappings[] = {"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict"};
  const Parameter* parameter = rules::parameter_named(&def, name);
  if (parameter == nullptr || parameter->annotation == nullptr || rules::binds_name(def, name)) return false;
  const auto* generic = as<Subscript>(parameter->annotation);
  const std::string_view type = rules::last_part_of(generic != nullptr ? generic->value : parameter->annotation);
  return std::find(std::begin(kMappings), std::end(kMappings), type) != std::end(kMappings);
}

/// Whether the function asks what is in the mapping, puts something there, or lets some block around take the error.
bool is_prepared(const FunctionDef& def, std::string_view name, Span at) {
  bool found = false;
  walk_of<Compare>(def, Nested::kEnter, [&](const Compare* compare) {
    for (std::size_t i = 0; i < compare->ops.size(); ++i) {
      const bool asks = compare->ops[i] == CompareOperator::kIn || compare->ops[i] == CompareOperator::kNotIn;
      found = found || (asks && rules::mentions_name(*compare->comparators[i], name));
    }
  });
  walk_of<Subscript>(def, Nested::kEnter, [&](const Subscript* item) {
    found = found || (item->context == ExprContext::kStore && rules::name_of(item->value) == name);
  });
  walk_of<Call>(def, Nested::kEnter, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    const bool puts = method != nullptr && (method->name.text == "setdefault" || method->name.text == "update");
    found = found || (puts && rules::name_of(method->value) == name);
  });
  for (const Guard& guard : guards_of(def, at))
    found = found || (guard.condition != nullptr && rules::mentions_name(*guard.condition, name));
  for (const Node* around : chain_to(def, at)) {
    if (const auto* attempt = as<Try>(around))
      found = found || std::any_of(attempt->body.begin(), attempt->body.end(),
                                   [&](const Stmt* one) { return one->span.contains(at); });
    if (const auto* with = as<With>(around))
      found = found || std::any_of(with->items.begin(), with->items.end(), [](const WithItem* item) {
                const auto* call = as<Call>(item->context);
                return call != nullptr && callee_name(*call) == "suppress";
              });
  }
  // `for key in d: d.pop(key)`, `for key in list(d)`
  walk_of<For>(def, Nested::kEnter, [&](const For* loop) {
    found = found || (loop->span.contains(at) && rules::mentions_name(*loop->iterable, name));
  });
  return found;
}

}  // namespace

void add_missing_keys(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    const bool may_add =
        actor.is_function() && actor.role != Role::kTest && actor.change->after && actor.steps.after_source != nullptr;
    const auto* def = may_add ? as<FunctionDef>(actor.change->after->node) : nullptr;
    if (def == nullptr) continue;
    const SourceText& source = *actor.steps.after_source;
    std::set<std::uint32_t> seen;  // A step of a block holds those within it.
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.is_moved || step.node == nullptr) continue;
      walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
        const auto* method = as<Attribute>(call->callee);
        if (told == kMost || method == nullptr || method->name.text != "pop" || call->arguments.size() != 1 ||
            !call->keywords.empty() || is<Starred>(call->arguments[0]) || !step.span.contains(call->span))
          return;
        const std::string_view name = rules::name_of(method->value);
        const std::uint32_t line = source.line_of(call->span.begin);
        if (name.empty() || !is_mapping(*def, name) || is_prepared(*def, name, call->span) ||
            !inputs.change->touches_after(actor.change->after->path, line) || !seen.insert(call->span.begin).second)
          return;
        risks.push_back({RiskKind::kEdgeCases,
                         fmt::format("What happens when {} is not in {}?",
                                     code(one_line(source, *call->arguments[0], 60)), code(std::string(name))),
                         fmt::format("{} raises a {} at {} ({})", code(one_line(source, *call, 60)), code("KeyError"),
                                     place(actor.change->after->path, line), code(short_name(inputs, *actor.change))),
                         false,
                         {},
                         false});
        ++told;
      });
    }
  }
}

}  // namespace lockstep::report
