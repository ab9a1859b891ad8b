#include "report/documents/correctness/new_hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/calls/promises.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;

namespace {

constexpr std::size_t kMostItems = 2;

/// How often the function itself calls each callee, by its text. `f` of `f(x)(y)` is no callee of its own.
std::map<std::string, int> callees_in(const Node& node, const SourceText& source) {
  std::map<std::string, int> out;
  std::set<const Node*> inner;
  walk_of<Call>(node, Nested::kSkip, [&](const Call* call) {
    inner.insert(call->callee);
    if (!inner.contains(call)) ++out[one_line_whole(source, *call->callee)];
  });
  return out;
}

/// The class whose method the function is, or is defined in.
ClassId class_around(const program::Program& program, FunctionId function) {
  while (function.valid() && program.functions()[function].enclosing.valid())
    function = program.functions()[function].enclosing;
  return function.valid() ? program.functions()[function].owner : ClassId();
}

class NewHooks {
 public:
  NewHooks(const DocumentInputs& inputs, const Story& story) : inputs_(inputs), after_(*inputs.after), story_(story) {
    for (const Actor& actor : story.actors) {
      if (actor.is_added() && actor.role != Role::kTest && actor.is_function())
        added_.insert(actor.change->after->function);
    }
  }

  std::vector<std::string> items() const {
    std::vector<std::string> out;
    for (const FunctionId base : added_) {
      if (out.size() == kMostItems) break;
      const program::Function& method = after_.functions()[base];
      if (!is_added_to_known(base) || method.name.starts_with("__") || rules::is_only_promised(after_, base)) continue;
      std::vector<FunctionId> overrides = after_.overrides_of(base);
      std::erase_if(overrides, [&](FunctionId one) { return program::is_test_path(after_.module_of(one).path); });
      if (overrides.empty() ||
          !std::all_of(overrides.begin(), overrides.end(), [&](FunctionId one) { return is_added_to_known(one); }))
        continue;
      if (std::string text = item(base, overrides); !text.empty()) out.push_back(std::move(text));
    }
    return out;
  }

 private:
  /// A new method of a class that was there before.
  [[nodiscard]] bool is_added_to_known(FunctionId function) const {
    const program::Function& one = after_.functions()[function];
    return added_.contains(function) && one.owner.valid() && !one.enclosing.valid() && one.def() != nullptr &&
           inputs_.before->find_class(after_.classes()[one.owner].qualified_name).valid();
  }

  [[nodiscard]] std::set<std::string> called_by(FunctionId base, const std::vector<FunctionId>& overrides) const {
    std::set<std::string> out;
    const auto add = [&](FunctionId one) {
      for (const auto& [callee, count] : callees_in(*after_.functions()[one].node, source_of(after_, one)))
        out.insert(callee);
    };
    add(base);
    for (const FunctionId one : overrides) add(one);
    return out;
  }

  [[nodiscard]] std::string item(FunctionId base, const std::vector<FunctionId>& overrides) const {
    constexpr std::size_t kMostCallers = 3;
    constexpr std::size_t kMostOverrides = 3;
    const std::string called = fmt::format("self.{}", after_.functions()[base].name);
    const std::set<std::string> inside = called_by(base, overrides);
    const ClassId cls = after_.functions()[base].owner;
    std::vector<std::string> callers;
    for (const Actor& actor : story_.actors) {
      if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
          actor.steps.after_source == nullptr || actor.steps.before_source == nullptr ||
          !actor.change->after->function.valid())
        continue;
      const ClassId own = class_around(after_, actor.change->after->function);
      if (!own.valid() || !program::are_kin(after_, own, cls)) continue;
      const std::map<std::string, int> now = callees_in(*actor.change->after->node, *actor.steps.after_source);
      const auto made = now.find(called);
      if (made == now.end()) continue;
      std::vector<std::string> gone;
      for (const auto& [callee, count] : callees_in(*actor.change->before->node, *actor.steps.before_source)) {
        const auto still = now.find(callee);
        const int left = still == now.end() ? 0 : still->second;
        if (inside.contains(callee) && count - left == made->second) gone.push_back(callee);
      }
      if (gone.size() != 1) continue;
      callers.push_back(
          callers.empty()
              ? fmt::format("{} calls {} now where it called {}", code(short_name(inputs_, *actor.change)),
                            code(called), code(gone[0]))
              : fmt::format("{} where it called {}", code(short_name(inputs_, *actor.change)), code(gone[0])));
    }
    if (callers.empty()) return {};
    const std::size_t all = callers.size();
    if (all > kMostCallers) callers.resize(kMostCallers - 1);
    if (all > callers.size()) callers.push_back(fmt::format("{} more", all - callers.size()));
    std::vector<std::string> own;
    for (const FunctionId one : overrides) {
      if (own.size() == kMostOverrides) break;
      own.push_back(
          fmt::format("{} ({})", code(short_name(after_, after_.functions()[one].owner)), place_of(after_, one)));
    }
    if (overrides.size() > own.size()) own.push_back(fmt::format("{} more", overrides.size() - own.size()));
    return fmt::format("New hook {}: {}. Objects of {} run their own, others {} ({}).",
                       code(after_.functions()[base].name), join_words(callers), join_words(own),
                       code(short_name(after_, base)), place_of(after_, base));
  }

  const DocumentInputs& inputs_;
  const program::Program& after_;
  const Story& story_;
  std::set<FunctionId> added_;
};

}  // namespace

std::vector<std::string> new_hook_items(const DocumentInputs& inputs, const Story& story) {
  return NewHooks(inputs, story).items();
}

}  // namespace lockstep::report
