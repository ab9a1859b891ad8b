#include "report/documents/correctness/compared_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/calls/new_callees.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/containers.h"
#include "report/story/wording/operands.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// The operands of `a and b and c`.
std::vector<const Expr*> operands_of(const Expr& condition) {
  const auto* all = as<BoolOp>(&condition);
  if (all == nullptr || all->op != BoolOperator::kAnd) return {&condition};
  return {all->values.begin(), all->values.end()};
}

/// The attributes and methods that a condition asks for: names that mean the same in another function.
std::set<std::string_view> asked_attributes(const Expr& condition) {
  std::set<std::string_view> out = asked_names(condition);
  const auto drop = [&](const Node* node) {
    if (const auto* name = as<Name>(node)) out.erase(name->id);
  };
  drop(&condition);
  walk(condition, Nested::kSkip, drop);
  return out;
}

std::set<std::string_view> read_attributes(const Node& code) {
  std::set<std::string_view> out;
  walk_of<Attribute>(code, Nested::kEnter, [&](const Attribute* one) {
    if (one->context == ExprContext::kLoad) out.insert(one->name.text);
  });
  return out;
}

/// Whether the function calls something now that refuses things itself: what asks for `attributes`, where there are
/// any.
bool calls_new_check(const DocumentInputs& inputs, const Actor& actor, const std::set<std::string_view>& attributes) {
  const auto refuses = [&](program::FunctionId callee) {
    const FunctionDef& def = *inputs.after->functions()[callee].def();
    bool found = false;
    // In a loop over `x.placements` each of them is asked for by another name.
    const bool reads = attributes.empty() || share(attributes, read_attributes(def));
    walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
      if (reads) found = found || is<Raise>(statement) || is<Assert>(statement);
      const auto* claim = as<Assert>(statement);
      const auto* branch = as<If>(statement);
      if (claim != nullptr) {
        found = found || share(attributes, asked_names(*claim->test));
      } else if (branch != nullptr) {
        found = found || share(attributes, asked_names(*branch->condition));
      }
    });
    return found;
  };
  const std::vector<program::FunctionId> fresh = newly_called(*inputs.after, *actor.change);
  return std::any_of(fresh.begin(), fresh.end(), refuses);
}

/// What an assertion or a branch that only refuses asks for, with the assertions in it.
std::set<std::string_view> names_of_check(const Node& check) {
  std::set<std::string_view> out;
  const auto add = [&](const Node* node) {
    const auto* claim = as<Assert>(node);
    const auto* branch = as<If>(node);
    const Expr* condition = claim != nullptr ? claim->test : branch != nullptr ? branch->condition : nullptr;
    if (condition != nullptr) out.merge(asked_names(*condition));
  };
  add(&check);
  walk(check, Nested::kSkip, add);
  return out;
}

/// Whether two checks, one on each side, are asked in the same block.
bool is_same_block(const Actor& actor, const Step& before, const Step& after) {
  if (before.is_elif || after.is_elif) return false;
  if (before.parent == Step::kNone || after.parent == Step::kNone) return before.parent == after.parent;
  return actor.steps.after[after.parent].partner == before.parent;
}

/// Whether the change takes away the variable of this name from the module of the function.
bool is_taken_away(const Story& story, const Actor& actor, std::string_view name) {
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& other) {
    return other.change->kind == change::EntityKind::kVariable && other.is_removed() &&
           other.change->before->path == actor.change->before->path &&
           change::last_part(other.change->before->qualified_name) == name;
  });
}

/// Whether the change takes away a field of this name, and no other class that it touches has one.
bool is_removed_field(const Story& story, std::string_view name) {
  const auto is_field = [&](const Actor& actor) {
    return actor.change->kind == change::EntityKind::kField && actor.role != Role::kTest &&
           change::last_part(actor.change->latest().qualified_name) == name;
  };
  // A new class may have one of this name: what was asked before was of another.
  const auto is_had_still = [&](const Actor& actor) {
    return is_field(actor) && !actor.is_removed() && !actor.is_added();
  };
  return std::any_of(story.actors.begin(), story.actors.end(),
                     [&](const Actor& actor) { return is_field(actor) && actor.is_removed(); }) &&
         std::none_of(story.actors.begin(), story.actors.end(), is_had_still);
}

}  // namespace

AssertedTexts::AssertedTexts(const Story& story) {
  const auto add = [](const std::vector<Step>& steps, const SourceText* source, std::set<std::string>& out) {
    for (const Step& step : steps) {
      const auto* claim = source == nullptr ? nullptr : as<Assert>(step.node);
      if (claim != nullptr) out.insert(one_line_whole(*source, *claim->test));
    }
  };
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest) continue;
    add(actor.steps.before, actor.steps.before_source, before);
    add(actor.steps.after, actor.steps.after_source, after);
  }
}

bool refuses_configurations(const Actor& actor, const Step& step) {
  const std::string& name = actor.change->latest().qualified_name;
  const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
  const auto* branch = as<If>(step.node);
  return last == "__post_init__" || contains(last, "valid") || contains(last, "check") ||
         (branch != nullptr && !config_reads(*branch->condition).empty());
}

bool asserts_of_configuration(const Actor& actor, const Assert& claim) {
  bool is_alone = actor.change->latest().qualified_name.ends_with(".__init__") && !config_reads(*claim.test).empty();
  walk(*claim.test, Nested::kSkip, [&](const Node* node) {
    const std::string text = is<Attribute>(node) ? dotted_text(static_cast<const Expr*>(node)) : std::string();
    const bool is_setting =
        text.starts_with("config.") || text.starts_with("self.config.") || text.starts_with("args.");
    is_alone = is_alone && (is_setting || (!is<Attribute>(node) && !is<Name>(node) && !is<Call>(node)));
    return !is_setting;
  });
  return is_alone;
}

bool asks_for_new_setting(const Story& story, const Step& step, const SourceText& source) {
  const auto* branch = as<If>(step.node);
  std::vector<const Expr*> asked;
  if (branch != nullptr) asked = operands_of(*branch->condition);
  // `if a: if b: raise` refuses where both hold.
  while (branch != nullptr) {
    const bool holds_one = branch->body.size() == 1 && branch->orelse.empty();
    branch = holds_one ? as<If>(branch->body.front()) : nullptr;
    if (branch == nullptr) continue;
    const std::vector<const Expr*> inner = operands_of(*branch->condition);
    asked.insert(asked.end(), inner.begin(), inner.end());
  }
  const auto is_unset = [&](const Expr& operand, const std::string& name) {
    const auto* unset = as<UnaryOp>(&operand);
    return unset != nullptr && unset->op == UnaryOperator::kNot && dotted_text(unset->operand).ends_with("." + name);
  };
  return std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) {
    const std::string member = fmt::format(".{}", flag.name);
    if (!flag.is_new) return false;
    if (asked.empty()) return contains(one_line_whole(source, step.span), member);
    return std::any_of(asked.begin(), asked.end(), [&](const Expr* operand) {
      return contains(one_line_whole(source, operand->span), member) && !is_unset(*operand, flag.name);
    });
  });
}

bool asks_for_new_field(const Story& story, const std::vector<Step>& steps, std::size_t index) {
  bool found = false;
  const auto look = [&](const Node* node) {
    const auto* member = as<Attribute>(node);
    if (member == nullptr || found) return;
    const bool is_setting = std::any_of(story.flags.begin(), story.flags.end(),
                                        [&](const Flag& flag) { return flag.name == member->name.text; });
    found = !is_setting && std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& actor) {
      return actor.is_added() && actor.change->kind == change::EntityKind::kField &&
             change::last_part(actor.change->after->qualified_name) == member->name.text;
    });
  };
  if (const auto* claim = as<Assert>(steps[index].node)) walk(*claim, Nested::kSkip, look);
  for (std::size_t i = index; i < end_of(steps, index); ++i) {
    const auto* branch = steps[i].kind == StepKind::kIf ? as<If>(steps[i].node) : nullptr;
    if (branch == nullptr) continue;
    look(branch->condition);
    walk(*branch->condition, Nested::kSkip, look);
  }
  return found;
}

std::unordered_set<const change::EntityChange*> takers(const Story& story) {
  std::unordered_set<const change::EntityChange*> out;
  for (const Actor& actor : story.actors) {
    for (const Step& step : actor.steps.before) {
      if (step.elsewhere != nullptr) out.insert(step.elsewhere);
    }
  }
  return out;
}

bool is_check(const std::vector<Step>& steps, std::size_t index, StepStatus status) {
  return steps[index].status == status && only_refuses(steps, index) && !is<Raise>(steps[index].node) &&
         !is_inside_status(steps, index, status);
}

bool is_in_choice_by_settings(const Story& story, const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.after;
  bool is_inside = false;
  // An `else:` says nothing itself: the branch before it does.
  const auto asking = [&](std::size_t at) {
    while (at > 0 && steps[at].kind == StepKind::kElse) {
      std::size_t before = at - 1;
      while (before > 0 && steps[before].depth > steps[at].depth) --before;
      at = before;
    }
    return at;
  };
  for (std::size_t place = steps[index].parent; place != Step::kNone; place = steps[place].parent) {
    const std::size_t at = asking(place);
    if (steps[at].status != StepStatus::kAdded) break;
    const auto* branch = as<If>(steps[at].node);
    if (branch == nullptr || config_reads(*branch->condition).empty() ||
        asks_for_new_setting(story, steps[at], *actor.steps.after_source))
      return false;
    is_inside = true;
  }
  return is_inside;
}

std::set<std::string_view> asked_names(const Expr& condition) {
  constexpr std::string_view kHolders[] = {"self", "cls", "config", "args", "cfg", "context", "ctx"};
  std::set<std::string_view> out;
  const auto take = [&](const Node* node) {
    const auto* name = as<Name>(node);
    const auto* attribute = as<Attribute>(node);
    const std::string_view text = name != nullptr ? name->id : attribute != nullptr ? attribute->name.text : "";
    if (!text.empty() && std::find(std::begin(kHolders), std::end(kHolders), text) == std::end(kHolders))
      out.insert(text);
  };
  take(&condition);
  walk(condition, Nested::kSkip, take);
  return out;
}

bool share(const std::set<std::string_view>& one, const std::set<std::string_view>& other) {
  return std::any_of(one.begin(), one.end(), [&](std::string_view each) { return other.contains(each); });
}

bool changes_check(const FunctionDef* def, const std::vector<Step>& steps, const SourceText* source,
                   const std::set<std::string>& others) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].status == StepStatus::kKept || !steps[i].renames.empty() || !only_refuses(steps, i) ||
        is_moved_whole(steps, i))
      continue;
    const auto* claim = as<Assert>(steps[i].node);
    // That a local is not `None` is said to a type checker.
    if (claim != nullptr && def != nullptr) {
      const auto claimed = rules::none_test(*claim->test);
      const auto* name = claimed && !claimed->is_none ? as<Name>(claimed->subject) : nullptr;
      if (name != nullptr && rules::parameter_named(def, name->id) == nullptr && rules::binds_name(*def, name->id))
        continue;
    }
    if (claim == nullptr || source == nullptr || !others.contains(one_line_whole(*source, *claim->test))) return true;
  }
  return false;
}

std::string further_operands(const Expr& condition, const SourceText& source, const std::set<std::string>& others) {
  std::vector<Guard> all;
  add_operands(condition, false, all);
  std::vector<std::string> out;
  for (const Guard& one : all) {
    if (!others.contains(operand_text(one, source)))
      out.push_back(condition_words(*one.condition, source, one.negated));
  }
  return join_words(out);
}

const Step* narrower_check(const Actor& actor, const Step& gone) {
  const auto* was = as<If>(gone.node);
  if (was == nullptr) return nullptr;
  const std::set<std::string> old_operands = operand_texts(*was->condition, *actor.steps.before_source);
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    const Step& step = actor.steps.after[i];
    const auto* is = as<If>(step.node);
    if (is == nullptr || step.kind != StepKind::kIf || step.status != StepStatus::kAdded ||
        !is_same_block(actor, gone, step) || !only_refuses(actor.steps.after, i))
      continue;
    const std::set<std::string> operands = operand_texts(*is->condition, *actor.steps.after_source);
    if (std::includes(operands.begin(), operands.end(), old_operands.begin(), old_operands.end())) return &step;
  }
  return nullptr;
}

bool is_replaced(const DocumentInputs& inputs, const Actor& actor, const Step& gone) {
  const auto* was = as<Assert>(gone.node);
  const auto* branch = as<If>(gone.node);
  const Expr* condition = was != nullptr ? was->test : branch != nullptr ? branch->condition : nullptr;
  const std::set<std::string_view> attributes =
      condition == nullptr ? std::set<std::string_view>() : asked_attributes(*condition);
  if (calls_new_check(inputs, actor, attributes)) return true;
  const std::set<std::string_view> asked = names_of_check(*gone.node);
  const std::vector<Step>& steps = actor.steps.after;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].status != StepStatus::kAdded || !only_refuses(steps, i)) continue;
    // A narrower one is told with what it refuses still.
    if (branch != nullptr && narrower_check(actor, gone) == &steps[i]) continue;
    if (share(asked, names_of_check(*steps[i].node))) return true;
  }
  return false;
}

bool was_refused_before(const Actor& actor, const Step& fresh) {
  const auto& steps = actor.steps.before;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == StepKind::kIf && steps[i].status == StepStatus::kRemoved && only_refuses(steps, i) &&
        narrower_check(actor, steps[i]) == &fresh)
      return true;
  }
  return false;
}

bool asks_for_what_is_gone(const DocumentInputs& inputs, const Story& story, const Actor& actor, const Step& gone) {
  const auto* assertion = as<Assert>(gone.node);
  const auto* branch = as<If>(gone.node);
  const Expr* condition = assertion != nullptr ? assertion->test : branch != nullptr ? branch->condition : nullptr;
  if (condition == nullptr || !actor.change->after->function.valid()) return false;
  const Node& was = *actor.change->before->node;
  const std::string_view text =
      source_of(*inputs.after, actor.change->after->function).slice(actor.change->after->node->span);
  bool is_gone = false;
  const auto look = [&](const Node* node) {
    if (const auto* field = as<Attribute>(node); field != nullptr && is_removed_field(story, field->name.text))
      is_gone = true;
    const auto* name = as<Name>(node);
    if (name == nullptr) return;
    const bool is_local = rules::bindings_of(was, name->id, Nested::kSkip) > 0;
    is_gone = is_gone || (is_local ? assertion != nullptr && find_name(text, name->id) == std::string_view::npos
                                   : is_taken_away(story, actor, name->id));
  };
  look(condition);
  walk(*condition, Nested::kSkip, look);
  return is_gone;
}

bool tells_type_checker(const Actor& actor, const Step& gone) {
  const auto* claim = as<Assert>(gone.node);
  const auto claimed = claim == nullptr ? std::nullopt : rules::none_test(*claim->test);
  const auto* name = claimed && !claimed->is_none ? as<Name>(claimed->subject) : nullptr;
  const auto* def = as<FunctionDef>(actor.change->before->node);
  return name != nullptr && def != nullptr && rules::parameter_named(def, name->id) == nullptr &&
         rules::binds_name(*def, name->id);
}

bool has_new_check(const Actor& actor) {
  const std::vector<Step>& steps = actor.steps.after;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].status != StepStatus::kKept && !steps[i].is_moved && only_refuses(steps, i)) return true;
  }
  // What a decorator checks, it checks before.
  const auto& differences = actor.change->differences;
  return std::any_of(differences.begin(), differences.end(),
                     [](const auto& one) { return one.kind == change::DifferenceKind::kDecoratorAdded; });
}

}  // namespace lockstep::report
