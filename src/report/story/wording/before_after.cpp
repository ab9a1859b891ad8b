#include "report/story/wording/before_after.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/calls/taken_on.h"
#include "report/story/steps/branch_values.h"
#include "report/story/steps/definition_names.h"
#include "report/story/steps/edit_kinds.h"
#include "report/story/steps/forms.h"
#include "report/story/steps/merged_branches.h"
#include "report/story/steps/ordered_returns.h"
#include "report/story/steps/removed_steps.h"
#include "report/story/steps/replaced.h"
#include "report/story/steps/replaced_returns.h"
#include "report/story/steps/started_values.h"
#include "report/story/wording/change_clauses.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/differing_text.h"
#include "report/story/wording/edits.h"
#include "report/story/wording/operand_edits.h"
#include "report/story/wording/reworded_errors.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;

namespace {

/// Whether a step sets something to one of several values.
bool chooses(const Step& step) {
  const auto* assign = step.kind == StepKind::kPlain ? as<Assign>(step.node) : nullptr;
  return assign != nullptr && is<IfExp>(assign->value);
}

/// The parameters that go and those that come, in one row; none where there are none.
std::optional<BeforeAfter> parameters_row(const Actor& actor, const std::string& none) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> gone;
  std::vector<std::string> fresh;
  for (const Difference& d : actor.change->differences) {
    if (d.kind == DifferenceKind::kParameterAdded) fresh.push_back(short_code(d.after, kParameterWidth));
    if (d.kind == DifferenceKind::kParameterRemoved) gone.push_back(short_code(d.before, kParameterWidth));
  }
  if (gone.empty() && fresh.empty()) return std::nullopt;
  const auto list = [&](std::vector<std::string> names) {
    if (names.empty()) return none;
    const std::size_t all = names.size();
    if (all > kMost) names.resize(kMost - 1);
    if (all > kMost) names.push_back(fmt::format("{} more", all - names.size()));
    return join_words(names);
  };
  const bool is_one = gone.size() <= 1 && fresh.size() <= 1;
  if (gone.size() + fresh.size() == 1) {
    const auto is_it = [](const Difference& d) {
      return d.kind == DifferenceKind::kParameterAdded || d.kind == DifferenceKind::kParameterRemoved;
    };
    const auto only = std::find_if(actor.change->differences.begin(), actor.change->differences.end(), is_it);
    return BeforeAfter{"parameter " + code(only->name), list(std::move(gone)), list(std::move(fresh))};
  }
  return BeforeAfter{is_one ? "parameter" : "parameters", list(std::move(gone)), list(std::move(fresh))};
}

/// The headers of the branches around a step, innermost first; of an `else` and an `elif` nothing is said.
std::vector<std::string> branches_around(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  constexpr std::size_t kWidth = 70;
  std::vector<std::string> out;
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
    if (steps[up].kind == StepKind::kIf && !steps[up].is_elif) out.push_back(one_line(source, steps[up].span, kWidth));
  }
  return out;
}

/// Whether what is done now may stand for what was done: the same kind of thing, and the same name where one is set.
bool may_replace(const std::string& now, const std::string& was) {
  const auto start = [](const std::string& text) {
    const std::size_t blank = text.find(' ');
    const bool sets = text.starts_with("Sets ");
    return text.substr(0, sets ? text.find(" to ") : blank);
  };
  return start(now) == start(was);
}

}  // namespace

std::vector<BeforeAfter> before_after(const DocumentInputs& inputs, const Actor& actor, std::size_t limit) {
  std::vector<BeforeAfter> rows;
  const std::string none = "\u2014";
  if (actor.is_added() || actor.is_removed()) return rows;
  if (std::optional<BeforeAfter> parameters = parameters_row(actor, none)) rows.push_back(*std::move(parameters));
  const auto add_pair = [&](std::string aspect, const Difference& d, std::size_t width) {
    auto [was, now] = short_codes(d.before, d.after, width);
    rows.push_back(
        {std::move(aspect), d.before.empty() ? none : std::move(was), d.after.empty() ? none : std::move(now)});
  };
  for (const Difference& d : actor.change->differences) {
    if (rows.size() == limit) return rows;
    switch (d.kind) {
      case DifferenceKind::kDefaultChanged:
        add_pair("default of " + code(d.name), d, 40);
        break;
      case DifferenceKind::kReturnAnnotationChanged:
        if (DefinitionNames(inputs).between(d.before, d.after).empty()) add_pair("return type", d, 40);
        break;
      case DifferenceKind::kValueChanged:
        if (!actor.is_function()) add_pair("value", d, 60);
        break;
      default:
        break;
    }
  }
  WordsContext after = context_after(inputs, actor);
  WordsContext before = context_before(inputs, actor);
  after.is_brief = before.is_brief = true;
  const auto& steps = actor.steps;
  const std::vector<std::size_t> points = removal_points(steps);
  std::size_t told_before = 0;
  const std::vector<ReplacedSteps> replaced = replaced_steps(inputs, actor);
  std::set<std::size_t> replacing;  // Told with what they replace.
  const std::set<std::string, std::less<>> added = added_names(inputs);
  const std::optional<OrderedReturns> in_table = ordered_returns(*inputs.after, actor);
  std::set<std::string> elsewhere;  // What goes, but may be done in another form.
  const auto add_removed = [&](std::size_t index) {
    for (std::size_t b = 0; b < steps.before.size() && rows.size() < limit; ++b) {
      if (in_table && in_table->told_before.contains(b)) continue;
      if (points[b] != index || is_replaced(replaced, b) || !is_told_as_gone(actor, b)) continue;
      // Of a branch whose code stays only the question is gone: that is told beside the code.
      if (!is_gone_whole(actor, b) || is_done_by_callee(inputs, actor, steps.before[b])) continue;
      const auto told = block_words(steps.before, b, end_of(steps.before, b), before, 1, 2);
      if (told.empty()) continue;
      if (const std::vector<std::size_t> returns = returns_in_place_of(actor, b); !returns.empty()) {
        constexpr std::size_t kMost = 4;
        std::vector<std::string> now;
        for (const std::size_t i : returns) now.push_back(code(one_line(*steps.after_source, steps.after[i].span, 60)));
        if (now.size() > kMost) continue;
        rows.push_back({"", code(one_line(*steps.before_source, steps.before[b].span, 90)),
                        join(now, " or ") + " (depending on the branch)"});
        continue;
      }
      if (const std::size_t now = replacement_of(actor, b); now != Step::kNone) {
        if (chooses(steps.after[now]) && is_one_of_several_stores(actor, b)) continue;
        rows.push_back({"", told.front(), as_sentence(capitalised(step_words(steps.after[now], after)))});
        replacing.insert(now);
        continue;
      }
      if (may_have_other_form(actor, b, added)) elsewhere.insert(told.front());
      rows.push_back({"", told.front(), none});
      // Nothing that is set or called takes the place of a check.
      if (!only_refuses(steps.before, b)) ++told_before;
    }
  };
  for (std::size_t i = 0; i <= steps.after.size() && rows.size() < limit; ++i) {
    add_removed(i);
    if (i == steps.after.size() || rows.size() == limit) break;
    if (in_table && in_table->told_after.contains(i)) continue;
    const Step& step = steps.after[i];
    const auto block = std::find_if(replaced.begin(), replaced.end(), [&](const auto& one) { return one.call == i; });
    if (block != replaced.end()) {
      const Step& first = steps.before[block->before.front()];
      rows.push_back({"",
                      fmt::format("{}, from {} on", capitalised(count_of(block->before.size(), "step")),
                                  code(one_line(*steps.before_source, first.span, 70))),
                      code(one_line(*steps.after_source, step.span, 90))});
      continue;
    }
    if (step.status == StepStatus::kKept || step.kind == StepKind::kElse ||
        (step.is_moved && step.status != StepStatus::kChanged) || !step.renames.empty() ||
        step.returned_by != nullptr || is_inside_status(steps.after, i, StepStatus::kAdded))
      continue;
    if (step.status == StepStatus::kChanged && step.partner != Step::kNone) {
      const Step& old = steps.before[step.partner];
      if (only_names_differ(actor, step) || only_names_value(actor, step) || only_reads_renamed(actor, step)) continue;
      if (python::is<Import>(step.node) || python::is<ImportFrom>(step.node)) continue;
      if (only_keeps_result(actor, step) || only_returns_kept_result(actor, step)) continue;
      if (!reworded_error(old, *steps.before_source, step, *steps.after_source).empty()) continue;
      if (only_starts(steps.after, i) || only_starts(steps.before, step.partner)) continue;
      if (starts_empty(steps.after, i) || starts_empty(steps.before, step.partner)) continue;
      // What is defined inside has rows of its own.
      if (python::is<FunctionDef>(step.node) || python::is<ClassDef>(step.node)) continue;
      if (std::string grown = growth_words(old, before, step, after); !grown.empty()) {
        rows.push_back({"", none, capitalised(grown)});
        continue;
      }
      if (std::string operands =
              returned_operand_words(*old.node, *steps.before_source, *step.node, *steps.after_source);
          !operands.empty()) {
        rows.push_back({"", none, capitalised(operands)});
        continue;
      }
      const std::string aspect = step.kind == StepKind::kIf ? "condition" : "";
      constexpr std::size_t kWidth = 90;
      if (const std::vector<std::string> was = values_of_branches(actor, step); !was.empty()) {
        rows.push_back({code(set_by(step, *steps.after_source)), join(was, " or ") + " (depending on the branch)",
                        code(one_line(*steps.after_source, *as<Assign>(step.node)->value, kWidth))});
        continue;
      }
      if (const std::vector<std::size_t> returns = returns_replaced_by(actor, i); !returns.empty()) {
        std::vector<std::string> was;
        for (const std::size_t b : returns)
          was.push_back(code(one_line(*steps.before_source, steps.before[b].span, kWidth)));
        rows.push_back({"", join(was, " or ") + " (depending on the branch)",
                        code(one_line(*steps.after_source, step.span, kWidth))});
        continue;
      }
      if (const std::vector<std::size_t> others = merged_with(actor, step.partner); others.size() == 1) {
        const auto [first, second] = std::minmax(step.partner, others.front());
        rows.push_back({aspect,
                        fmt::format("{} or {} (depending on the branch)",
                                    code(one_line(*steps.before_source, steps.before[first].span, kWidth)),
                                    code(one_line(*steps.before_source, steps.before[second].span, kWidth))),
                        code(one_line(*steps.after_source, step.span, kWidth)), true});
        continue;
      }
      // What an assertion asks for is the matter, not how its message says so.
      const auto* asked = as<python::Assert>(old.node);
      const auto* asks = as<python::Assert>(step.node);
      if (asked != nullptr && asks != nullptr &&
          one_line_whole(*steps.before_source, *asked->test) != one_line_whole(*steps.after_source, *asks->test)) {
        const auto [was, is] =
            where_they_differ(*steps.before_source, asked->test->span, *steps.after_source, asks->test->span, kWidth);
        if (was != is) {
          rows.push_back({"check", code("assert " + was), code("assert " + is)});
          continue;
        }
      }
      auto [old_text, new_text] =
          where_they_differ(*steps.before_source, old.span, *steps.after_source, step.span, kWidth);
      if (old_text.starts_with("\u2026")) {
        if (auto texts = where_arguments_differ(*steps.before_source, old, *steps.after_source, step))
          std::tie(old_text, new_text) = *std::move(texts);
      }
      // What differs was left out of both: a longer text shows it, or nothing that a reader sees differs.
      if (old_text == new_text) {
        constexpr std::size_t kWhole = 240;
        old_text = one_line(*steps.before_source, old.span, kWhole);
        new_text = one_line(*steps.after_source, step.span, kWhole);
        if (old_text == new_text) continue;
      }
      // A cell of a table holds no page: what changes is told in words.
      constexpr std::size_t kLongestCell = 500;
      if (std::max(old_text.size(), new_text.size()) > kLongestCell) continue;
      // `if a:` that stood in `if b:` and does not now asks for less than it did.
      const auto inside = [&](const std::vector<std::string>& own, const std::vector<std::string>& others) {
        for (const std::string& one : own) {
          if (std::find(others.begin(), others.end(), one) == others.end()) return " inside " + code(one);
        }
        return std::string();
      };
      std::string inside_before;
      std::string inside_after;
      if (!aspect.empty()) {
        const std::vector<std::string> was = branches_around(steps.before, step.partner, *steps.before_source);
        const std::vector<std::string> now = branches_around(steps.after, i, *steps.after_source);
        inside_before = inside(was, now);
        inside_after = inside(now, was);
      }
      // Where another branch came around it, it may be the same one, edited.
      if (!inside_before.empty() && !inside_after.empty()) inside_before.clear(), inside_after.clear();
      rows.push_back({aspect, code(old_text) + inside_before, code(new_text) + inside_after,
                      !aspect.empty() || switches_argument(actor, step)});
    } else if (step.status == StepStatus::kAdded && only_refuses(steps.after, i)) {
      if (step.taken_from != nullptr) continue;
      const auto told = block_words(steps.after, i, end_of(steps.after, i), after, 1, 2);
      const std::string where = where_words(*actor.change->after->node, step, *after.source);
      if (told.empty()) continue;
      std::string text = told.front();
      while (text.ends_with(".")) text.pop_back();
      text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
      rows.push_back({"check", none, as_sentence(capitalised(with_condition(text, where, "")))});
    } else if (told_before > 0 && step.kind == StepKind::kPlain && !replacing.contains(i)) {
      // What stands where something went; pure additions are told beside the code.
      const std::string words = step_words(step, after);
      if (!words.empty()) rows.push_back({"", none, capitalised(words)});
      --told_before;
    }
  }
  // The same edit in several places is one row.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = rows.size(); j-- > i + 1;) {
      if (rows[j].aspect == rows[i].aspect && rows[j].before == rows[i].before && rows[j].after == rows[i].after)
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  // A removal and what took its place share a row.
  for (std::size_t i = 0; i + 1 < rows.size();) {
    const bool joined = rows[i].aspect.empty() && rows[i + 1].aspect.empty() && rows[i].after == none &&
                        rows[i + 1].before == none && may_replace(rows[i + 1].after, rows[i].before);
    if (joined) {
      rows[i].after = rows[i + 1].after;
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    ++i;
  }
  // By itself that would read as if it were no longer done.
  std::erase_if(rows, [&](const BeforeAfter& row) { return row.after == none && elsewhere.contains(row.before); });
  return rows;
}

}  // namespace lockstep::report
