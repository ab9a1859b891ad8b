#include "report/documents/correctness/left_behind.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// "x" of `not self.x` and `self.x is None`; empty for others.
std::string_view required_empty(const Expr& test) {
  if (const auto* inverse = as<UnaryOp>(&test); inverse != nullptr && inverse->op == UnaryOperator::kNot)
    return rules::self_attribute(inverse->operand);
  const auto none = rules::none_test(test);
  return none && none->is_none ? rules::self_attribute(none->subject) : std::string_view();
}

bool is_empty_value(const Expr* value) {
  const auto* list = as<python::List>(value);
  const auto* dict = as<Dict>(value);
  return rules::is_none(value) || (list != nullptr && list->elements.empty()) ||
         (dict != nullptr && dict->keys.empty());
}

/// Whether the function empties `self.name` (`.clear()`, `= None`, `= []`), or fills it (`.append(…)`, another value).
bool changes(const FunctionDef& def, std::string_view name, bool empties) {
  bool found = false;
  walk(def, Nested::kSkip, [&](const Node* node) {
    if (const auto* assign = as<Assign>(node)) {
      found = found || (is_empty_value(assign->value) == empties &&
                        std::any_of(assign->targets.begin(), assign->targets.end(),
                                    [&](const Expr* target) { return rules::self_attribute(target) == name; }));
    }
    const auto* call = as<Call>(node);
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    if (method == nullptr || rules::self_attribute(method->value) != name) return;
    const std::string_view what = method->name.text;
    found = found || (empties ? what == "clear" : what == "append" || what == "extend" || what == "add");
  });
  return found;
}

/// The methods of the object's class and those above and below it that empty `self.name`, constructors left out.
std::vector<FunctionId> emptying(const Program& program, FunctionId filling, std::string_view name) {
  std::vector<FunctionId> out;
  const program::ClassId own = program.functions()[filling].owner;
  const auto& line = program.classes()[own].linearized;
  for (const program::Class& cls : program.classes()) {
    const bool is_above =
        std::any_of(line.begin(), line.end(), [&](program::ClassId one) { return &program.classes()[one] == &cls; });
    const bool is_below = std::find(cls.linearized.begin(), cls.linearized.end(), own) != cls.linearized.end();
    if (!is_above && !is_below) continue;
    for (const FunctionId method : cls.methods) {
      const FunctionDef* def = program.functions()[method].def();
      if (method != filling && def != nullptr && program.functions()[method].name != "__init__" &&
          changes(*def, name, true))
        out.push_back(method);
    }
  }
  return out;
}

/// A caller of both, and the condition on which it returns after the first and before the second.
struct Leaving {
  FunctionId caller;
  const Node* way_out = nullptr;
  const Expr* condition = nullptr;
  bool negated = false;
};

class LeavingCallers {
 public:
  explicit LeavingCallers(const Program& program) : program_(program) {}

  std::optional<Leaving> find(FunctionId filling, FunctionId emptying) const {
    const std::set<program::CallId> first = calls_to(filling);
    const std::set<program::CallId> second = calls_to(emptying);
    for (const program::CallId call : first) {
      const program::CallSite& filled = program_.calls()[call];
      const FunctionDef* def = program_.functions()[filled.caller].def();
      if (def == nullptr || filled.node == nullptr || filled.caller == filling || filled.caller == emptying) continue;
      for (const program::CallId other : second) {
        const program::CallSite& emptied = program_.calls()[other];
        if (emptied.caller != filled.caller || emptied.node == nullptr || first.contains(other) ||
            emptied.node->span.begin < filled.node->span.end)
          continue;
        if (auto found = way_out_between(*def, filled.node->span, emptied.node->span)) {
          found->caller = filled.caller;
          return found;
        }
      }
    }
    return std::nullopt;
  }

 private:
  /// Calls outside tests that enter the function, or one that surely calls it.
  [[nodiscard]] std::set<program::CallId> calls_to(FunctionId function) const {
    std::set<program::CallId> out;
    const auto add = [&](FunctionId callee) {
      for (const program::CallId call : program_.callers_of(callee)) {
        if (!program::is_test_path(program_.module_of(program_.calls()[call].caller).path)) out.insert(call);
      }
    };
    add(function);
    for (const program::CallId call : program_.callers_of(function)) {
      if (is_unguarded(call)) add(program_.calls()[call].caller);
    }
    return out;
  }

  /// Whether nothing but loops and early returns decides that the call is made.
  [[nodiscard]] bool is_unguarded(program::CallId call) const {
    const program::CallSite& site = program_.calls()[call];
    const Node* body = program_.functions()[site.caller].node;
    if (body == nullptr || site.node == nullptr) return false;
    const std::vector<Guard> guards = guards_of(*body, site.node->span);
    return std::none_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      return guard.condition != nullptr && guard.statement->span.contains(site.node->span) && guards.size() > 1;
    });
  }

  static std::optional<Leaving> way_out_between(const FunctionDef& def, Span filled, Span emptied) {
    std::optional<Leaving> out;
    walk_of<Return>(def, Nested::kSkip, [&](const Return* way_out) {
      if (out || way_out->span.begin < filled.end || way_out->span.end > emptied.begin) return;
      const std::vector<Guard> guards = guards_of(def, way_out->span);
      if (guards.empty()) return;
      const Guard& last = guards.back();
      // What closes the first call too, or is open for the second as well, decides something else.
      if (last.condition == nullptr || !last.statement->span.contains(way_out->span) ||
          last.statement->span.contains(filled) || last.statement->span.contains(emptied))
        return;
      out = Leaving{{}, way_out, last.condition, last.negated};
    });
    return out;
  }

  const Program& program_;
};

}  // namespace

void add_left_behind(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr int kMost = 2;
  const Program& program = *inputs.after;
  const LeavingCallers callers(program);
  int told = 0;
  for (const Actor& actor : story.actors) {
    const bool may_hold = actor.is_function() && actor.change->after && actor.change->after->function.valid() &&
                          actor.role != Role::kTest;
    const FunctionId filling = may_hold ? actor.change->after->function : FunctionId();
    if (!filling.valid() || !program.functions()[filling].owner.valid() || told == kMost) continue;
    for (const Step& step : actor.steps.after) {
      const auto* check = step.status == StepStatus::kAdded && !step.is_moved ? as<Assert>(step.node) : nullptr;
      const std::string_view name = check == nullptr ? std::string_view() : required_empty(*check->test);
      const FunctionDef* def = program.functions()[filling].def();
      if (name.empty() || def == nullptr || !changes(*def, name, false) || changes(*def, name, true)) continue;
      const std::vector<FunctionId> emptied_by = emptying(program, filling, name);
      if (emptied_by.size() != 1) continue;
      const auto leaving = callers.find(filling, emptied_by.front());
      if (!leaving) continue;
      const SourceText& source = source_of(program, leaving->caller);
      risks.push_back(
          {RiskKind::kCorrectness,
           fmt::format(
               "{} requires that {} is empty and fills it, only {} empties it, and {} returns between them when "
               "{} ({}).",
               code(short_name(program, filling)), code("self." + std::string(name)),
               code(short_name(program, emptied_by.front())), code(short_name(program, leaving->caller)),
               condition_words(*leaving->condition, source, leaving->negated),
               place_of(program, program.functions()[leaving->caller].module, leaving->way_out->span)),
           "Can that happen after it was filled? Then the next call fails.", false});
      ++told;
      break;
    }
  }
}

}  // namespace lockstep::report
