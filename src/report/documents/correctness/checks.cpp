#include "report/documents/correctness/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/correctness/compared_checks.h"
#include "report/documents/correctness/demanded_parts.h"
#include "report/documents/correctness/moved_checks.h"
#include "report/documents/correctness/newly_asked.h"
#include "report/documents/settings/script_checks.h"
#include "report/story/checks/refusals.h"
#include "report/story/steps/property_use.h"
#include "report/story/steps/removed_steps.h"
#include "report/story/wording/alternatives.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/containers.h"
#include "report/story/wording/operands.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostOfEach = 3;

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
    for (std::size_t i = 0; i < actor.steps.after.size() && fresh_ < kMostOfEach;)
      i = add_changed(actor, i) ? i + 1 : add_fresh(actor, i);
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
      const std::string taken = narrower == nullptr ? refused_in_new_function(inputs_, actor, step) : std::string();
      constexpr std::string_view kGone = "no longer raises ";
      if (narrower != nullptr && gone.starts_with(kGone)) {
        add_risk(fmt::format("{} formerly raised {}; now it does so only when {}.", name_of(actor),
                             gone.substr(kGone.size()),
                             condition_words(*as<If>(narrower->node)->condition, *actor.steps.after_source)),
                 "The rest is let through, unless another check refuses it");
        ++gone_;
        continue;
      }
      const std::string by_setter = setter_refusal_words(inputs_, actor);
      add_risk(fmt::format("{} {}.", name_of(actor), gone),
               !taken.empty()                              ? taken + "; what does not come there is let through now"
               : narrower == nullptr && !by_setter.empty() ? by_setter
               : narrower == nullptr && has_new_check(actor)
                   ? std::string("Other checks that it has now may refuse the same")
               : narrower == nullptr
                   ? std::string("Unless another check refuses it, that is let through now")
                   : fmt::format("It is refused still when {}",
                                 condition_words(*as<If>(narrower->node)->condition, *actor.steps.after_source)));
      ++gone_;
    }
  }

  static bool ends_in_raise(const std::vector<Step>& steps, std::size_t i) {
    const Step& last = steps[end_of(steps, i) - 1];
    return is<Raise>(last.node) && last.parent == i;
  }

  /// A check with another condition; false where step `i` is none.
  bool add_changed(const Actor& actor, std::size_t i) {
    const Step& step = actor.steps.after[i];
    if (step.kind != StepKind::kIf || step.status != StepStatus::kChanged || step.partner == Step::kNone ||
        !step.renames.empty() || !only_refuses(actor.steps.after, i) || !refuses_configurations(actor, step))
      return false;
    // An assertion in it refuses only some of what comes there.
    if (!ends_in_raise(actor.steps.after, i) || !ends_in_raise(actor.steps.before, step.partner)) return false;
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

  /// The setting that a new check or a condition around it asks for, where code that goes or changes in the function
  /// named it: that may have refused more. Empty for others.
  static std::string setting_asked_before(const Actor& actor, const Step& step) {
    std::vector<std::string> asked = config_reads_of(*step.node);
    for (const Guard& guard : guards_of(*actor.change->after->node, step.span)) {
      if (guard.condition == nullptr) continue;
      for (std::string& name : config_reads_of(*guard.condition)) asked.push_back(std::move(name));
    }
    // By text, too: a list of fields that are looked up.
    const auto names = [](const Step& old, const std::string& name) {
      bool found = false;
      walk(*old.node, Nested::kSkip, [&](const Node* node) {
        const auto* member = as<Attribute>(node);
        const auto* text = as<Constant>(node);
        found = found || (old.span.contains(node->span) && ((member != nullptr && member->name.text == name) ||
                                                            (text != nullptr && text->text == name)));
      });
      return found;
    };
    for (const Step& old : actor.steps.before) {
      if (old.status != StepStatus::kRemoved && old.status != StepStatus::kChanged) continue;
      for (const std::string& name : asked) {
        if (names(old, name)) return name;
      }
    }
    return {};
  }

  /// Tells what a new check refuses ("when `b` is set, raises `E`"), or several under one condition (`where`: " where
  /// `a` is set").
  void add_refusal(const Actor& actor, const Step& step, const std::string& where, const std::string& refused) {
    const std::string asked = setting_asked_before(actor, step);
    if (asked.empty()) {
      add_risk(fmt::format("{} refuses more{}: {}.", name_of(actor), where, refused),
               "What passed there before is refused now");
    } else {
      add_risk(
          fmt::format("{} newly checks what it is given{}: {}{}.", name_of(actor), where,
                      contains(refused, ", raises ") ? "" : "refused ", refused),
          fmt::format("Code that asked for {} there changes, too: what passed before was not worked out", code(asked)));
    }
    ++fresh_;
  }

  /// A new assertion in a function that exists to refuse configurations, of what runs could set before.
  bool add_fresh_assertion(const Actor& actor, std::size_t i) {
    const Step& step = actor.steps.after[i];
    const auto* claim = as<Assert>(step.node);
    if (claim == nullptr || !is_check(actor.steps.after, i, StepStatus::kAdded) ||
        config_reads_of(*claim->test).empty() ||
        (!refuses_configurations(actor, step) && !asserts_of_configuration(actor, *claim)) ||
        step.taken_from != nullptr || is_moved_whole(actor.steps.after, i) ||
        asks_for_new_setting(story_, step, *actor.steps.after_source) ||
        asserted_.before.contains(one_line_whole(*actor.steps.after_source, *claim->test)) ||
        replaces_check(actor, *claim))
      return false;
    const std::string where = where_words(*actor.change->after->node, step, *actor.steps.after_source);
    add_refusal(actor, step, "", with_condition("when " + refused_words(actor, i), where, ""));
    return true;
  }

  /// A new check that insists on what was optional; see demanded_parts.h.
  bool add_fresh_demand(const Actor& actor, std::size_t i) {
    const auto* claim = as<Assert>(actor.steps.after[i].node);
    if (!demands_what_was_optional(inputs_, actor, i) || asks_for_new_field(story_, actor.steps.after, i) ||
        (claim != nullptr && asserted_.before.contains(one_line_whole(*actor.steps.after_source, *claim->test))) ||
        Refusals(actor).refused_before(i) != Step::kNone)
      return false;
    const std::string where = where_words(*actor.change->after->node, actor.steps.after[i], *actor.steps.after_source);
    add_risk(fmt::format("{} refuses more: {}.", name_of(actor),
                         with_condition("when " + refused_words(actor, i), where, "")),
             "Callers that leave it out, and passed there before, are refused now");
    ++fresh_;
    return true;
  }

  /// What a check reads of a configuration: in a method of one, its own fields.
  static std::vector<std::string> config_reads_of(const Node& asked) {
    std::vector<std::string> out = config_reads(asked);
    walk_of<Attribute>(asked, Nested::kSkip, [&](const Attribute* member) {
      if (rules::name_of(member->value) == "self") out.emplace_back(member->name.text);
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
    add_refusal(actor, step, " where " + join_words(where), join_words(conditions, "or"));
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

  /// Tells a new check; gives the step to go on at.
  std::size_t add_fresh(const Actor& actor, std::size_t i) {
    if (asks_for_new_text(actor, actor.steps.after[i]) || asks_for_what_is_new(story_, actor, i)) return i + 1;
    if (add_fresh_group(actor, i)) return end_of(actor.steps.after, i);
    if (!add_fresh_assertion(actor, i) && !add_fresh_demand(actor, i)) add_fresh_branch(actor, i);
    return i + 1;
  }

  void add_fresh_branch(const Actor& actor, std::size_t i) {
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
    add_refusal(actor, step, "", with_condition(text, where, ""));
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

bool only_accepts_more(const Story& story) {
  std::size_t more = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.is_added()) continue;
    const auto is_check = [](const Step& step) {
      return step.status != StepStatus::kKept && (is<Assert>(step.node) || is<Raise>(step.node));
    };
    const auto is_other = [&](const Step& step) { return is_check(step) && step.status != StepStatus::kChanged; };
    if (std::any_of(actor.steps.before.begin(), actor.steps.before.end(), is_other)) return false;
    for (const Step& step : actor.steps.after) {
      if (!is_check(step)) continue;
      const auto* now = as<Assert>(step.node);
      const auto* was =
          step.partner < actor.steps.before.size() ? as<Assert>(actor.steps.before[step.partner].node) : nullptr;
      if (now == nullptr || was == nullptr ||
          !compare_alternatives(*was->test, *actor.steps.before_source, *now->test, *actor.steps.after_source)
               .only_came())
        return false;
      ++more;
    }
  }
  return more > 0;
}

}  // namespace lockstep::report
