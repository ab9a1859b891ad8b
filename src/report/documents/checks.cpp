#include "report/documents/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/main_check.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/removed.h"
#include "report/story/alternatives.h"
#include "report/story/change_steps.h"
#include "report/story/changes.h"
#include "report/story/containers.h"
#include "report/story/new_callees.h"
#include "report/story/operands.h"
#include "report/story/refusals.h"
#include "report/story/removed_steps.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostOfEach = 3;

/// Functions that exist to refuse, and branches that read the configuration.
bool refuses_configurations(const Actor& actor, const Step& step) {
  const std::string& name = actor.change->latest().qualified_name;
  const std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
  const auto* branch = as<If>(step.node);
  return last == "__post_init__" || contains(last, "valid") || contains(last, "check") ||
         (branch != nullptr && !config_reads(*branch->condition).empty());
}

/// Whether a constructor asserts something of the configuration alone: `assert not config.a or config.b`. What it makes
/// itself says nothing of who is refused.
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

/// The operands of `a and b and c`.
std::vector<const Expr*> operands_of(const Expr& condition) {
  const auto* all = as<BoolOp>(&condition);
  if (all == nullptr || all->op != BoolOperator::kAnd) return {&condition};
  return {all->values.begin(), all->values.end()};
}

/// Whether the check asks for a setting that the change brings, other than that it is not set: nobody set it before.
bool asks_for_new_setting(const Story& story, const Step& step, const SourceText& source) {
  const auto* branch = as<If>(step.node);
  std::vector<const Expr*> asked;
  if (branch != nullptr) asked = operands_of(*branch->condition);
  const auto is_unset = [&](const Expr& operand, const std::string& name) {
    const auto* unset = as<UnaryOp>(&operand);
    return unset != nullptr && unset->op == UnaryOperator::kNot && dotted_text(unset->operand).ends_with("." + name);
  };
  return std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) {
    const std::string member = fmt::format(".{}", flag.name);
    if (!flag.is_new || !contains(one_line_whole(source, step.span), member)) return false;
    return asked.empty() || std::any_of(asked.begin(), asked.end(), [&](const Expr* operand) {
             return contains(one_line_whole(source, operand->span), member) && !is_unset(*operand, flag.name);
           });
  });
}

/// Whether a check asks for an attribute that a class has only now, other than a setting: nothing that was there had it
/// to be refused for.
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
  for (std::size_t i = index; i < end_of(steps, index); ++i) {
    const auto* branch = steps[i].kind == StepKind::kIf ? as<If>(steps[i].node) : nullptr;
    if (branch == nullptr) continue;
    look(branch->condition);
    walk(*branch->condition, Nested::kSkip, look);
  }
  return found;
}

/// The functions to which others left steps of theirs.
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

/// Whether a check stands in new branches that choose by settings which were there before: runs of before come to it.
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

/// What a condition asks about, by names; what holds it (`self`, `config`) says nothing.
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

bool share(const std::set<std::string_view>& one, const std::set<std::string_view>& other) {
  return std::any_of(one.begin(), one.end(), [&](std::string_view each) { return other.contains(each); });
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

/// Whether a check comes, goes or changes on this side; one that stands elsewhere in the function, or only follows a
/// new name, does not.
/// `others`: the assertions of the other side; what is asserted there, too, is none that comes or goes.
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

/// What the functions of the change outside tests assert on each side, as texts.
struct AssertedTexts {
  explicit AssertedTexts(const Story& story) {
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

  std::set<std::string> before;
  std::set<std::string> after;
};

/// Those of one condition that the other does not have, in words: "`a` is set and `b` is `1`".
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

/// Whether two checks, one on each side, are asked in the same block.
bool is_same_block(const Actor& actor, const Step& before, const Step& after) {
  if (before.is_elif || after.is_elif) return false;
  if (before.parent == Step::kNone || after.parent == Step::kNone) return before.parent == after.parent;
  return actor.steps.after[after.parent].partner == before.parent;
}

/// Of a check that goes the new one that refuses some of what it refused: with more operands. Null where none does.
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

/// Whether another check may have taken the place of one that is gone.
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

/// Whether a check that goes refused all that the new one does.
bool was_refused_before(const Actor& actor, const Step& fresh) {
  const auto& steps = actor.steps.before;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == StepKind::kIf && steps[i].status == StepStatus::kRemoved && only_refuses(steps, i) &&
        narrower_check(actor, steps[i]) == &fresh)
      return true;
  }
  return false;
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
  return std::any_of(story.actors.begin(), story.actors.end(),
                     [&](const Actor& actor) { return is_field(actor) && actor.is_removed(); }) &&
         std::none_of(story.actors.begin(), story.actors.end(),
                      [&](const Actor& actor) { return is_field(actor) && !actor.is_removed(); });
}

/// Whether a check that goes asks for something that goes with it: an assertion for a local that the new code no longer
/// has, a branch for a variable of the module that the change takes away.
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

/// `assert x is not None` of a local that the function sets itself: nobody was refused by it.
bool tells_type_checker(const Actor& actor, const Step& gone) {
  const auto* claim = as<Assert>(gone.node);
  const auto claimed = claim == nullptr ? std::nullopt : rules::none_test(*claim->test);
  const auto* name = claimed && !claimed->is_none ? as<Name>(claimed->subject) : nullptr;
  const auto* def = as<FunctionDef>(actor.change->before->node);
  return name != nullptr && def != nullptr && rules::parameter_named(def, name->id) == nullptr &&
         rules::binds_name(*def, name->id);
}

/// Whether the function comes to refuse something that it did not.
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

/// Turns the checks of one function after the other that come, go and change into risks.
class Checks {
 public:
  Checks(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks)
      : inputs_(inputs), story_(story), takers_(takers(story)), risks_(risks), asserted_(story) {}

  /// "`f` no longer insists that …" of the checks of one function that refused something as not supported.
  void add_lifted(const Actor& actor, std::vector<std::string>& out) {
    constexpr std::size_t kMostLifted = 2;
    const WordsContext before = context_before(inputs_, actor);
    for (std::size_t i = 0; i < actor.steps.before.size() && out.size() < kMostLifted; ++i) {
      std::string gone = words_of_gone(actor, i, before);
      const std::string lower = to_lower(gone);
      const bool was_unsupported = contains(lower, "support") || contains(lower, "not implemented");
      if (gone.empty() || !was_unsupported || narrower_check(actor, actor.steps.before[i]) != nullptr) continue;
      out.push_back(fmt::format("{} {}.", name_of(actor), gone));
    }
  }

  void add(const Actor& actor) {
    add_gone(actor);
    // What it took over from another function was refused before.
    if (takers_.contains(actor.change)) return;
    for (std::size_t i = 0; i < actor.steps.after.size() && fresh_ < kMostOfEach; ++i) {
      if (!add_changed(actor, i)) add_fresh(actor, i);
    }
  }

 private:
  /// What a check that is gone for good insisted on, and where; empty for other steps.
  [[nodiscard]] std::string words_of_gone(const Actor& actor, std::size_t index, const WordsContext& before) const {
    const Step& step = actor.steps.before[index];
    if (!is_check(actor.steps.before, index, StepStatus::kRemoved) || is_elsewhere(actor.steps.before, index) ||
        !is_told_as_gone(actor, index) || is_replaced(inputs_, actor, step) ||
        asks_for_what_is_gone(inputs_, story_, actor, step) || tells_type_checker(actor, step))
      return {};
    const std::string gone = removal_words(actor, index, before, context_after(inputs_, actor));
    const std::string where = where_words(*actor.change->before->node, step, *before.source);
    return gone.empty() ? gone : with_condition(gone, where, "");
  }

  void add_gone(const Actor& actor) {
    const WordsContext before = context_before(inputs_, actor);
    for (std::size_t i = 0; i < actor.steps.before.size() && gone_ < kMostOfEach; ++i) {
      const Step& step = actor.steps.before[i];
      const std::string gone = words_of_gone(actor, i, before);
      if (gone.empty()) continue;
      const Step* narrower = narrower_check(actor, step);
      add_risk(fmt::format("{} {}.", name_of(actor), gone),
               narrower == nullptr && has_new_check(actor)
                   ? std::string("Other checks that it has now may refuse the same")
               : narrower == nullptr
                   ? std::string("Unless another check refuses it, that is let through now")
                   : fmt::format("It is refused still when {}",
                                 condition_words(*as<If>(narrower->node)->condition, *actor.steps.after_source)));
      ++gone_;
    }
  }

  /// A check with another condition; false where step `i` is none.
  bool add_changed(const Actor& actor, std::size_t i) {
    const Step& step = actor.steps.after[i];
    if (step.kind != StepKind::kIf || step.status != StepStatus::kChanged || step.partner == Step::kNone ||
        !step.renames.empty() || !only_refuses(actor.steps.after, i) || !refuses_configurations(actor, step))
      return false;
    const Expr& was = *as<If>(actor.steps.before[step.partner].node)->condition;
    const Expr& is = *as<If>(step.node)->condition;
    const SourceText& before = *actor.steps.before_source;
    const SourceText& after = *actor.steps.after_source;
    ++fresh_;
    const std::string where = where_words(*actor.change->after->node, step, after);
    const std::string name = name_of(actor);
    const std::string under = where.empty() ? "" : fmt::format(" under the condition that {}", where);
    const Alternatives alternatives = compare_alternatives(was, before, is, after);
    const Refusals refusals(actor);
    const std::set<std::string> old_operands = operand_texts(was, before);
    const std::set<std::string> operands = operand_texts(is, after);
    const bool asks_more = std::includes(operands.begin(), operands.end(), old_operands.begin(), old_operands.end());
    const bool asks_less = std::includes(old_operands.begin(), old_operands.end(), operands.begin(), operands.end());
    if (const auto values = other_values(was, before, is, after)) {
      const std::string also = values->where.empty() ? "" : fmt::format(" where {}", values->where);
      const auto words = [](std::vector<std::string> all) {
        for (std::string& one : all) one = code(one);
        return join_words(all);
      };
      if (!values->accepted.empty())
        add_risk(fmt::format("{} refuses less{}: it lets {} through as {}{}.", name, under, words(values->accepted),
                             code(values->of), also),
                 "Unless another check refuses it, that works now as far as the code behind it does");
      if (!values->refused.empty())
        add_risk(
            fmt::format("{} refuses more{}: {} as {}{}.", name, under, words(values->refused), code(values->of), also),
            "What passed there before is refused now");
    } else if (alternatives.only_came()) {
      add_risk(fmt::format("{} refuses more{}: also when {}.", name, under, any_of_words(alternatives.added, after)),
               "What passed there before is refused now");
    } else if (alternatives.only_went()) {
      add_risk(fmt::format("{} no longer refuses what it is given{}: when only {}.", name, under,
                           any_of_words(alternatives.gone, before)),
               "Unless another check refuses it, that is let through now");
    } else if (asks_more && !asks_less) {
      add_risk(fmt::format("{} refuses less{}: when {}, now only if {}.", name, under,
                           condition_words_in(was, *actor.change->before->node, before),
                           further_operands(is, after, old_operands)),
               "Unless another check refuses it, the rest is let through now");
    } else if (asks_less && !asks_more) {
      add_risk(fmt::format("{} refuses more{}: when {}, whether or not {}.", name, under,
                           condition_words_in(is, *actor.change->after->node, after),
                           further_operands(was, before, operands)),
               "What passed there before is refused now");
    } else if (refusals.is_still_refused(step.partner)) {
      add_risk(fmt::format("{} refuses more{}: when {}, formerly only when {}.", name, under,
                           condition_words_in(is, *actor.change->after->node, after),
                           condition_words_in(was, *actor.change->before->node, before)),
               "What passed there before is refused now");
    } else if (refusals.refused_before(i) != Step::kNone) {
      add_risk(fmt::format("{} refuses less{}: only when {}, formerly when {}.", name, under,
                           condition_words_in(is, *actor.change->after->node, after),
                           condition_words_in(was, *actor.change->before->node, before)),
               "Unless another check refuses it, the rest is let through now");
    } else {
      add_risk(
          fmt::format("{} refuses what it is given{}: when {}, no longer when {}.", name, under,
                      condition_words_in(is, *actor.change->after->node, after),
                      condition_words_in(was, *actor.change->before->node, before)),
          "Refused anew is what meets the first alone; what meets the second alone is let through now unless another "
          "check refuses it");
    }
    return true;
  }

  /// "`a` is set and `b` is not `1`" of a check that refuses just that: `if a: assert b == 1`; empty for other steps.
  static std::string refused_words(const Actor& actor, std::size_t at) {
    const std::vector<Step>& steps = actor.steps.after;
    const SourceText& source = *actor.steps.after_source;
    const Node& function = *actor.change->after->node;
    if (!only_refuses(steps, at)) return {};
    if (const auto* claim = as<Assert>(steps[at].node)) return condition_words_in(*claim->test, function, source, true);
    const auto* branch = as<If>(steps[at].node);
    if (branch == nullptr || steps[at].kind != StepKind::kIf || !branch->orelse.empty()) return {};
    std::string asked = condition_words_in(*branch->condition, function, source);
    if (is<Raise>(steps[end_of(steps, at) - 1].node)) return asked;
    const auto* claim = end_of(steps, at) == at + 2 ? as<Assert>(steps[at + 1].node) : nullptr;
    if (claim == nullptr) return {};
    // What an assertion of several parts refuses is any of their opposites.
    const auto* parts = as<BoolOp>(claim->test);
    const std::string unmet = condition_words_in(*claim->test, function, source, true);
    return asked + " and " + (parts != nullptr && parts->op == BoolOperator::kAnd ? "(" + unmet + ")" : unmet);
  }

  /// A new assertion in a function that exists to refuse configurations, of what runs could set before.
  bool add_fresh_assertion(const Actor& actor, std::size_t i) {
    const Step& step = actor.steps.after[i];
    const auto* claim = as<Assert>(step.node);
    if (claim == nullptr || !is_check(actor.steps.after, i, StepStatus::kAdded) || config_reads_of(*claim).empty() ||
        (!refuses_configurations(actor, step) && !asserts_of_configuration(actor, *claim)) ||
        step.taken_from != nullptr || is_moved_whole(actor.steps.after, i) ||
        asks_for_new_setting(story_, step, *actor.steps.after_source) ||
        asserted_.before.contains(one_line_whole(*actor.steps.after_source, *claim->test)) ||
        replaces_check(actor, *claim))
      return false;
    const std::string where = where_words(*actor.change->after->node, step, *actor.steps.after_source);
    add_risk(fmt::format("{} refuses more: {}.", name_of(actor),
                         with_condition("when " + refused_words(actor, i), where, "")),
             "What passed there before is refused now");
    ++fresh_;
    return true;
  }

  /// What an assertion reads of a configuration: in a method of one, its own fields.
  static std::vector<std::string> config_reads_of(const Assert& claim) {
    std::vector<std::string> out = config_reads(*claim.test);
    walk_expressions(*claim.test, Nested::kSkip, [&](const Expr* part) {
      const auto* member = as<Attribute>(part);
      if (member != nullptr && rules::name_of(member->value) == "self") out.emplace_back(member->name.text);
    });
    return out;
  }

  /// Whether a check that goes asked for something that the assertion asks for: which refuses more is not compared.
  static bool replaces_check(const Actor& actor, const Assert& claim) {
    const std::set<std::string_view> asked = asked_names(*claim.test);
    return std::any_of(actor.steps.before.begin(), actor.steps.before.end(), [&](const Step& step) {
      if (step.status != StepStatus::kRemoved) return false;
      const auto* was = as<Assert>(step.node);
      const auto* branch = step.kind == StepKind::kIf ? as<If>(step.node) : nullptr;
      const Expr* condition = was != nullptr ? was->test : branch != nullptr ? branch->condition : nullptr;
      return condition != nullptr && share(asked, asked_names(*condition));
    });
  }

  /// A new branch that holds nothing but checks; false for others.
  bool add_fresh_group(const Actor& actor, std::size_t i) {
    constexpr std::size_t kMostNamed = 4;
    const std::vector<Step>& steps = actor.steps.after;
    const Step& step = steps[i];
    const auto* branch = as<If>(step.node);
    if (branch == nullptr || step.kind != StepKind::kIf || step.status != StepStatus::kAdded || step.is_elif ||
        !branch->orelse.empty() || is_inside_status(steps, i, StepStatus::kAdded) || step.taken_from != nullptr ||
        !refuses_configurations(actor, step) || is_moved_whole(steps, i) ||
        asks_for_new_setting(story_, step, *actor.steps.after_source))
      return false;
    std::vector<std::string> conditions;
    std::vector<std::string> known;  // Refused before, under fewer conditions.
    const Refusals refusals(actor);
    for (std::size_t at = i + 1; at < end_of(steps, i); at = end_of(steps, at)) {
      std::string refused = refused_words(actor, at);
      if (refused.empty()) return false;
      (refusals.refused_before(at) == Step::kNone ? conditions : known).push_back("when " + std::move(refused));
    }
    if (conditions.size() + known.size() < 2) return false;
    if (!known.empty()) {
      const std::string branch_words = condition_words(*branch->condition, *actor.steps.after_source);
      if (known.size() > kMostNamed) known.resize(kMostNamed);
      add_risk(fmt::format("{} refuses less: {}, and now only where {}.", name_of(actor), join_words(known, "or"),
                           branch_words),
               "Unless another check refuses it, the rest is let through now");
    }
    if (conditions.empty()) return true;
    const std::size_t all = conditions.size();
    if (all > kMostNamed) conditions.resize(kMostNamed - 1);
    if (all > kMostNamed) conditions.push_back(fmt::format("in {} more cases", all - conditions.size()));
    std::vector<std::string> where = where_parts(*actor.change->after->node, step, *actor.steps.after_source);
    where.push_back(condition_words(*branch->condition, *actor.steps.after_source));
    add_risk(
        fmt::format("{} refuses more where {}: {}.", name_of(actor), join_words(where), join_words(conditions, "or")),
        "What passed there before is refused now");
    ++fresh_;
    return true;
  }

  /// Whether the check, or a condition around it, asks for a text that the file did not have: what it refuses could
  /// hardly pass before, be it that nothing knew it.
  static bool asks_for_new_text(const Actor& actor, const Step& step) {
    if (actor.steps.before_source == nullptr || !actor.change->after) return false;
    bool found = false;
    const auto look = [&](const python::Expr& condition) {
      const auto is_new = [&](const python::Expr* one) {
        const std::string_view text = rules::text_of(one);
        found = found || (text.size() > 2 && !contains(actor.steps.before_source->bytes(), text));
      };
      is_new(&condition);
      python::walk_expressions(condition, python::Nested::kSkip, is_new);
    };
    for (const Guard& guard : guards_of(*actor.change->after->node, step.span)) {
      if (guard.condition != nullptr) look(*guard.condition);
    }
    if (const auto* branch = python::as<python::If>(step.node)) look(*branch->condition);
    return found;
  }

  void add_fresh(const Actor& actor, std::size_t i) {
    if (asks_for_new_text(actor, actor.steps.after[i])) return;
    if (add_fresh_group(actor, i) || add_fresh_assertion(actor, i)) return;
    const Step& step = actor.steps.after[i];
    const WordsContext after = context_after(inputs_, actor);
    const bool is_alone = is_check(actor.steps.after, i, StepStatus::kAdded) && refuses_configurations(actor, step);
    const bool is_in_choice = step.status == StepStatus::kAdded && only_refuses(actor.steps.after, i) &&
                              is_in_choice_by_settings(story_, actor, i);
    if (step.kind != StepKind::kIf || (!is_alone && !is_in_choice) || is_moved_whole(actor.steps.after, i) ||
        step.taken_from != nullptr || asks_for_new_setting(story_, step, *after.source) ||
        asks_for_new_field(story_, actor.steps.after, i) || was_refused_before(actor, step))
      return;
    const Refusals refusals(actor);
    if (const std::size_t known = refusals.refused_before(i); known != Step::kNone) {
      const std::vector<Guard> further = refusals.further(i, known);
      if (actor.steps.before[known].status == StepStatus::kKept || further.empty()) return;
      add_risk(fmt::format("{} refuses less: when {}, and now only where {}.", name_of(actor), refused_words(actor, i),
                           guards_words(further, *after.source, further.size())),
               "Unless another check refuses it, the rest is let through now");
      return;
    }
    const std::string text = added_words(actor, i, context_before(inputs_, actor), after, 1);
    if (text.empty()) return;
    const std::string where = where_words(*actor.change->after->node, step, *after.source);
    add_risk(fmt::format("{} refuses more: {}.", name_of(actor), with_condition(text, where, "")),
             "What passed there before is refused now");
    ++fresh_;
  }

  [[nodiscard]] std::string name_of(const Actor& actor) const { return code(short_name(inputs_, *actor.change)); }

  void add_risk(std::string concern, std::string answer) {
    risks_.push_back({RiskKind::kCompatibility, std::move(concern), std::move(answer), false});
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  std::unordered_set<const change::EntityChange*> takers_;
  std::vector<Risk>& risks_;
  const AssertedTexts asserted_;
  std::size_t gone_ = 0;
  std::size_t fresh_ = 0;
};

/// Whether a new method runs whenever an object of a class is made that was there before.
bool checks_what_was_there(const DocumentInputs& inputs, const Actor& actor) {
  const std::string& name = actor.change->after->qualified_name;
  const std::size_t dot = name.rfind('.');
  return dot != std::string::npos && std::string_view(name).substr(dot + 1) == "__post_init__" &&
         inputs.before->find_class(std::string_view(name).substr(0, dot)).valid();
}

/// The assertions that a module asks whenever it runs: outside functions, and under no condition but that it is the
/// script itself.
std::vector<const Assert*> assertions_of_script(const Seq<Stmt>& body) {
  std::vector<const Assert*> out;
  for (const Stmt* statement : body) {
    if (const auto* check = as<Assert>(statement)) out.push_back(check);
    const auto* branch = as<If>(statement);
    if (branch == nullptr || !is_main_check(*branch->condition)) continue;
    for (const Stmt* inner : branch->body) {
      if (const auto* check = as<Assert>(inner)) out.push_back(check);
    }
  }
  return out;
}

/// Assertions on settings that scripts ask anew.
void add_checks_of_scripts(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  std::size_t told = 0;
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId module = inputs.after->find_path(file.file->new_path);
    const program::ModuleId before = inputs.before->find_path(file.file->old_path);
    if (!file.is_python || !module.valid() || !before.valid() || program::is_test_path(file.file->new_path)) continue;
    const auto& facts = *inputs.after->modules()[module].facts;
    const auto& old_facts = *inputs.before->modules()[before].facts;
    std::set<std::string> asked;  // In whatever layout.
    for (const Assert* check : assertions_of_script(old_facts.tree().body))
      asked.insert(one_line_whole(old_facts.source(), *check->test));
    for (const Assert* check : assertions_of_script(facts.tree().body)) {
      if (told == kMostOfEach || config_reads(*check->test).empty() ||
          asked.contains(one_line_whole(facts.source(), *check->test)))
        continue;
      ++told;
      risks.push_back({RiskKind::kCompatibility,
                       fmt::format("{} insists now that {} ({}).", code(file.file->new_path),
                                   condition_words(*check->test, facts.source()),
                                   place(file.file->new_path, facts.source().line_of(check->span.begin))),
                       "Runs of which that does not hold stop there", false});
    }
  }
}

}  // namespace

void add_checks(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  Checks checks(inputs, story, risks);
  for (const Actor& actor : story.actors) {
    const bool was_there = !actor.is_added() || checks_what_was_there(inputs, actor);
    if (actor.role != Role::kTest && actor.is_function() && was_there && !actor.is_removed()) checks.add(actor);
  }
  add_checks_of_scripts(inputs, risks);
}

std::vector<std::string> lifted_refusals(const DocumentInputs& inputs, const Story& story) {
  std::vector<Risk> unused;
  std::vector<std::string> out;
  Checks checks(inputs, story, unused);
  for (const Actor& actor : story.actors) {
    const bool is_edited = actor.is_function() && !actor.is_added() && !actor.is_removed();
    if (actor.role != Role::kTest && is_edited && actor.steps.before_source != nullptr) checks.add_lifted(actor, out);
  }
  return out;
}

bool changes_checks(const Story& story) {
  const AssertedTexts asserted(story);
  const auto function_of = [](const auto& side) { return side ? as<FunctionDef>(side->node) : nullptr; };
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& actor) {
    return actor.role != Role::kTest && !actor.is_added() &&
           (changes_check(function_of(actor.change->before), actor.steps.before, actor.steps.before_source,
                          asserted.after) ||
            changes_check(function_of(actor.change->after), actor.steps.after, actor.steps.after_source,
                          asserted.before));
  });
}

}  // namespace lockstep::report
