#include "report/story/wording/change_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/calls/loop_calls.h"
#include "report/story/checks/asked_around.h"
#include "report/story/steps/conditional_entries.h"
#include "report/story/steps/crossed_blocks.h"
#include "report/story/steps/edit_kinds.h"
#include "report/story/steps/kept_alternatives.h"
#include "report/story/steps/merged_branches.h"
#include "report/story/steps/newly_under.h"
#include "report/story/steps/passed_over.h"
#include "report/story/steps/questions.h"
#include "report/story/steps/replaced_returns.h"
#include "report/story/steps/started_values.h"
#include "report/story/wording/edits.h"
#include "report/story/wording/handed_over.h"
#include "report/story/wording/handler_words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::EntityChange;
using change::EntityKind;

namespace {

/// `some_name`, `SomeName`: no word of everyday language.
bool is_written_as_code(std::string_view name) {
  constexpr std::size_t kShortest = 6;
  if (name.size() < kShortest) return false;
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    const bool rises = std::islower(static_cast<unsigned char>(name[i])) != 0 &&
                       std::isupper(static_cast<unsigned char>(name[i + 1])) != 0;
    if (rises || name[i] == '_') return true;
  }
  return false;
}

/// Whether the text holds at least two words of the title.
bool speaks_of_title(const ChangedNames& names, std::string_view text) {
  const std::string lower = to_lower(text);
  std::size_t found = 0;
  for (const std::string& word : names.title) {
    for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      if (at > 0 && std::isalpha(static_cast<unsigned char>(lower[at - 1])) != 0) continue;
      ++found;
      break;
    }
  }
  return found >= 2;
}

/// Whether the part of the node puts one of these functions into a list: what runs the list runs it.
bool lists_one_of(const ChangedNames& names, const Node& node, Span part) {
  bool found = false;
  const auto look = [&](const Node* given) {
    const auto* name = as<Name>(given);
    const auto* member = as<Attribute>(given);
    found = found || (name != nullptr && names.names.contains(name->id)) ||
            (member != nullptr && names.names.contains(member->name.text));
  };
  walk_of<Call>(node, Nested::kEnter, [&](const Call* call) {
    const auto* method = as<Attribute>(call->callee);
    if (found || method == nullptr || !part.contains(call->span) ||
        (method->name.text != "append" && method->name.text != "extend" && method->name.text != "insert"))
      return;
    for (const Expr* argument : call->arguments) {
      look(argument);
      walk(*argument, Nested::kEnter, look);
    }
  });
  return found;
}

/// A constant, an empty container, `x.shape`, `group.size()`: what later steps work with.
bool only_prepares(const Expr& value) {
  if (is<Constant>(&value) || is<Name>(&value)) return true;
  if (const auto* list = as<python::List>(&value)) return list->elements.empty();
  if (const auto* dict = as<Dict>(&value)) return dict->values.empty();
  if (const auto* product = as<BinOp>(&value)) return is<python::List>(product->left);  // [0] * n
  if (const auto* attribute = as<Attribute>(&value)) return !dotted_text(attribute).empty();
  const auto* call = as<Call>(&value);
  const auto* member = call == nullptr ? nullptr : as<Attribute>(call->callee);
  return member != nullptr && call->arguments.empty() && call->keywords.empty() &&
         (member->name.text == "size" || member->name.text == "rank" || member->name.text == "dim");
}

/// `x.a = y`, `x.a += y`, `x["a"] = y`, `x.a[i] = y`: whoever has `x` reads it.
bool sets_beyond_locals(const Node& statement) {
  const auto* added = as<AugAssign>(&statement);
  const auto* assign = as<Assign>(&statement);
  const Expr* target = added != nullptr ? added->target : assign != nullptr ? assign->targets.front() : nullptr;
  const auto* item = as<Subscript>(target);
  return is<Attribute>(target) ||
         (item != nullptr && (is<Attribute>(item->value) || !rules::text_of(item->index).empty()));
}

/// Whether the `else:` at `index` stands beside an `if` of this status.
bool else_belongs_to(const std::vector<Step>& steps, std::size_t index, StepStatus status) {
  for (std::size_t i = index; i-- > 0;) {
    if (steps[i].depth > steps[index].depth) continue;
    return steps[i].kind != StepKind::kIf || steps[i].status == status;
  }
  return false;
}

}  // namespace

bool names_what_title_names(const ChangedNames& names, std::string_view text) {
  return std::any_of(names.in_title.begin(), names.in_title.end(),
                     [&](const std::string& name) { return find_name(text, name) != std::string_view::npos; });
}

bool calls_one_of(const ChangedNames& names, std::string_view text) {
  for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && is_name_char(text[begin - 1])) --begin;
    if (begin < open && names.names.contains(text.substr(begin, open - begin))) return true;
  }
  return false;
}

ChangedNames changed_names(const DocumentInputs& inputs) {
  ChangedNames out;
  for (const EntityChange& entity : inputs.change->entities) {
    if (entity.kind == EntityKind::kModule || !entity.after || entity.is_cosmetic() ||
        program::is_test_path(entity.after->path))
      continue;
    // A constructor is called by its class's name; `super().__init__()` runs another one.
    std::string_view name = entity.after->qualified_name;
    if (name.ends_with(".__init__")) name.remove_suffix(std::string_view(".__init__").size());
    out.names.emplace(change::last_part(name));
  }
  std::string word;
  for (const char c : inputs.title + " ") {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (letter) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (letter) continue;
    if (word.size() >= 4 && word != "support" && word != "with" && word != "from" && word != "into")
      out.title.insert(word.substr(0, 6));
    word.clear();
  }
  for_each_name(inputs.title, [&](std::string_view name) {
    if (is_written_as_code(name)) out.in_title.emplace(name);
  });
  return out;
}

int rank_of(const std::vector<Step>& steps, std::size_t index, const SourceText& source, const std::string& words,
            const ChangedNames& names) {
  const Step& step = steps[index];
  if (is<Import>(step.node) || is<ImportFrom>(step.node)) return 9;
  // Locals that nobody needs any more.
  const auto* deleted = as<Delete>(step.node);
  if (deleted != nullptr &&
      std::all_of(deleted->targets.begin(), deleted->targets.end(), [](const Expr* one) { return is<Name>(one); }))
    return 9;
  // `assert x is not None` of a local tells a type checker, not a reader.
  const auto* claim = as<Assert>(step.node);
  const auto claimed = claim == nullptr ? std::nullopt : rules::none_test(*claim->test);
  if (claimed && !claimed->is_none && is<Name>(claimed->subject) && step.status == StepStatus::kAdded) return 9;
  // What is told to people, in other words.
  const auto* statement = as<ExprStmt>(step.node);
  if (step.kind == StepKind::kPlain && step.status == StepStatus::kChanged && statement != nullptr &&
      rules::is_log_call(statement->value))
    return 8;
  if (contains(words, "issues ") || contains(words, "can issue ")) return 0;
  if (step.is_moved && step.status != StepStatus::kChanged) return 6;
  // How the function ends where nothing before it did.
  if (step.kind == StepKind::kPlain && is<Raise>(step.node) && step.depth == 0) return 3;
  // A branch that was there, and refuses now.
  if (step.kind == StepKind::kPlain && is<Raise>(step.node) && step.status == StepStatus::kAdded &&
      step.parent != Step::kNone && steps[step.parent].status == StepStatus::kKept)
    return 1;
  // A check that goes lets through what was refused; one that comes stops runs that went on.
  if (only_refuses(steps, index)) {
    const bool stops = step.kind == StepKind::kIf && is<Raise>(steps[end_of(steps, index) - 1].node);
    return step.status == StepStatus::kRemoved ? 1 : stops ? 3 : 5;
  }
  const std::size_t last = end_of(steps, index) - 1;
  const Span whole = {step.span.begin, steps[last].span.end};
  const std::string_view text = source.slice(whole);
  // Where it stands in one that is new, that one is told.
  bool is_outermost = step.status == StepStatus::kAdded || step.status == StepStatus::kChanged;
  for (std::size_t at = step.parent; at != Step::kNone; at = steps[at].parent)
    is_outermost = is_outermost && steps[at].status != StepStatus::kAdded;
  const bool is_edit = step.status == StepStatus::kChanged;
  if (is_outermost && names_what_title_names(names, is_edit ? std::string_view(words) : text)) return 0;
  if (calls_one_of(names, text) || lists_one_of(names, *step.node, whole) ||
      (!names.title.empty() && speaks_of_title(names, text)))
    return 1;
  if (step.kind == StepKind::kIf || step.kind == StepKind::kFor || step.kind == StepKind::kWhile ||
      step.kind == StepKind::kExcept || step.kind == StepKind::kFinally)
    return 2;
  if (step.status == StepStatus::kChanged) return 2;
  if (step.kind == StepKind::kPlain && is<Return>(step.node)) return 3;
  if (contains(words, "calls ")) return 3;
  // What other code may read is no mere local.
  if (step.kind == StepKind::kPlain && sets_beyond_locals(*step.node)) return 3;
  const auto* assign = as<Assign>(step.node);
  const Expr* value = assign == nullptr ? nullptr : assign->value;
  if (step.kind == StepKind::kPlain && value != nullptr && only_prepares(*value)) return 5;
  return 4;
}

bool tells_beyond_locals(const std::vector<Step>& steps, std::size_t index, const SourceText& source,
                         const std::string& words, const ChangedNames& names) {
  if (contains(words, "issues ") || contains(words, "can issue ") || contains(words, "waiting for the GPU"))
    return true;
  return calls_one_of(names, source.slice({steps[index].span.begin, steps[end_of(steps, index) - 1].span.end}));
}

bool only_keeps_result(const Actor& actor, const Step& step) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone || step.kind != StepKind::kPlain) return false;
  const Step& old = actor.steps.before[step.partner];
  const auto* was = as<Return>(old.node);
  const auto* now = as<Assign>(step.node);
  const Expr* value = nullptr;
  if (was != nullptr && now != nullptr && now->targets.size() == 1 && is<Name>(now->targets.front()))
    value = now->value;
  return value != nullptr && was->value != nullptr &&
         one_line_whole(*actor.steps.before_source, *was->value) == one_line_whole(*actor.steps.after_source, *value);
}

bool only_returns_kept_result(const Actor& actor, const Step& step) {
  const auto* returned = step.status == StepStatus::kAdded ? as<Return>(step.node) : nullptr;
  const auto* name = returned == nullptr ? nullptr : as<Name>(returned->value);
  return name != nullptr && std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& other) {
           return other.parent == step.parent && only_keeps_result(actor, other) &&
                  as<Name>(as<Assign>(other.node)->targets.front())->id == name->id;
         });
}

namespace {

/// Whether a new `try` or `finally` stands around code that was there.
bool only_wraps(const std::vector<Step>& steps, std::size_t index) {
  if (steps[index].kind != StepKind::kTry) return false;
  return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                     steps.begin() + static_cast<std::ptrdiff_t>(end_of(steps, index)), [](const Step& inner) {
                       return inner.status == StepStatus::kKept || inner.status == StepStatus::kChanged ||
                              inner.is_moved;
                     });
}

}  // namespace

bool is_inside_status(const std::vector<Step>& steps, std::size_t index, StepStatus status) {
  const std::size_t parent = steps[index].parent;
  if (parent != Step::kNone && steps[parent].status == status && only_wraps(steps, parent))
    return is_inside_status(steps, parent, status);
  if (parent == Step::kNone || steps[parent].status != status) return false;
  if (steps[parent].is_moved) return false;
  // The branch around a new `else:` may be an old one.
  return steps[parent].kind != StepKind::kElse || else_belongs_to(steps, parent, status);
}

bool is_told_alone(const std::vector<Step>& steps, std::size_t index) {
  const Step& step = steps[index];
  const bool goes_along =
      step.is_moved && step.status != StepStatus::kChanged && step.parent != Step::kNone && steps[step.parent].is_moved;
  return !goes_along && step.status != StepStatus::kKept && step.kind != StepKind::kElse && step.renames.empty() &&
         !step.swaps_call && !is_inside_status(steps, index, StepStatus::kAdded);
}

namespace {

/// The call that is the whole of an added step; null for others.
const Call* added_call(const Step& step) {
  const auto* statement = step.kind == StepKind::kPlain ? as<ExprStmt>(step.node) : nullptr;
  return statement != nullptr && step.status == StepStatus::kAdded && !step.is_moved ? as<Call>(statement->value)
                                                                                     : nullptr;
}

}  // namespace

std::vector<std::size_t> alike_calls(const Actor& actor, std::size_t index) {
  constexpr std::size_t kFew = 3;
  const std::vector<Step>& steps = actor.steps.after;
  const Call* first = added_call(steps[index]);
  std::vector<std::size_t> out;
  if (first == nullptr || first->arguments.empty() || dotted_text(first->callee).empty()) return out;
  const std::string callee = dotted_text(first->callee);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Call* call = steps[i].parent == steps[index].parent ? added_call(steps[i]) : nullptr;
    if (call == nullptr || call->arguments.empty() || dotted_text(call->callee) != callee) continue;
    out.push_back(i);
  }
  return out.size() > kFew ? out : std::vector<std::size_t>{};
}

std::string alike_words(const Actor& actor, const std::vector<std::size_t>& calls) {
  const std::size_t most = calls.size() == 5 ? 5 : 4;
  const SourceText& source = *actor.steps.after_source;
  std::vector<std::string> names;
  for (const std::size_t i : calls) {
    if (names.size() == most) break;
    names.push_back(code(one_line(source, *added_call(actor.steps.after[i])->arguments.front(), 50)));
  }
  if (calls.size() > most) names.push_back(fmt::format("{} others", calls.size() - most));
  return fmt::format("adds {} of {}: with {}", count_of(calls.size(), "call"),
                     code(dotted_text(added_call(actor.steps.after[calls.front()])->callee)), join_words(names));
}

std::string with_condition(const std::string& text, const std::string& where, const std::string& previous) {
  if (where.empty()) return text;
  // The conditions that an `elif` goes on from are told with it.
  constexpr std::string_view kOtherwise = "otherwise, when ";
  if (text.starts_with(kOtherwise) && !contains(text, "; otherwise, "))
    return with_condition(text.substr(kOtherwise.find("when")), where, previous);
  // What is a condition itself, or goes on after one, has it in front.
  const bool leads = text.starts_with("when ") || text.starts_with(kOtherwise) || text.starts_with("for ") ||
                     contains(text, "; ") || contains(text, ", which it was where ") ||
                     contains(text, ", where it insisted that ") || contains(text, ", formerly that ") ||
                     contains(text, ", formerly when ");
  if (where == previous) return leads ? "under the same condition, " + text : text + ", under the same condition";
  if (leads) return fmt::format("where {}: {}", where, text);
  // "calls `f`, which waits where …": who waits there?
  // Nor is it the pass of a loop in which that holds.
  const bool has_clause = contains(text, ", which ") || contains(text, " loop over ");
  return fmt::format("{}{} where {}", text, has_clause ? "," : "", where);
}

namespace {

/// The names of what a check asks for; what holds settings says nothing.
std::set<std::string_view> names_asked_by(const Step& check) {
  const auto* branch = as<If>(check.node);
  const auto* claim = as<Assert>(check.node);
  const Expr* asked = branch != nullptr ? branch->condition : claim != nullptr ? claim->test : nullptr;
  if (asked == nullptr) return {};
  std::set<std::string_view> out = names_asked(*asked);
  out.erase("config");
  out.erase("args");
  return out;
}

/// ", in place of the check …": the one check of this function that has another form now, and asks for something that
/// this one asks for, too; empty for others.
std::string former_check(const Actor& actor, const Step& now, const WordsContext& before) {
  const std::set<std::string_view> names = names_asked_by(now);
  std::string found;
  for (const Step& step : actor.steps.before) {
    const bool goes_with_parent =
        step.parent != Step::kNone && actor.steps.before[step.parent].elsewhere == actor.change;
    if (step.elsewhere != actor.change || goes_with_parent) continue;
    const std::set<std::string_view> old_names = names_asked_by(step);
    if (!old_names.empty() &&
        std::none_of(old_names.begin(), old_names.end(), [&](std::string_view name) { return names.contains(name); }))
      continue;
    if (!found.empty()) return {};
    found = fmt::format(", in place of {}", code(one_line(*before.source, step.span, 60)));
  }
  return found;
}

}  // namespace

bool guards_what_was_there(const StepComparison& steps, std::size_t index) {
  const Step& step = steps.after[index];
  const std::size_t end = end_of(steps.after, index);
  const bool has_else =
      end < steps.after.size() && steps.after[end].kind == StepKind::kElse && steps.after[end].depth == step.depth;
  if (step.kind != StepKind::kIf || step.status != StepStatus::kAdded || has_else || end == index + 1) return false;
  for (std::size_t i = index + 1; i < end; ++i) {
    const Step& inner = steps.after[i];
    const bool was_there = inner.partner != Step::kNone && (inner.status == StepStatus::kKept || inner.is_moved);
    if (!was_there) return false;
    const Step& was = steps.before[inner.partner];
    if (was.depth != inner.depth - 1) return false;
    // Around what stands right in the branch is now what was around it; what stands deeper went along with its block.
    const std::size_t around = inner.parent == index ? step.parent : inner.parent;
    const bool is_alike = around == Step::kNone
                              ? was.parent == Step::kNone
                              : was.parent != Step::kNone && steps.after[around].partner == was.parent;
    if (!is_alike) return false;
  }
  return true;
}

namespace {

/// ", which it was where …": of a value that replaces one of several, by the branch that went from around it.
std::string lost_branch_words(const Actor& actor, const Step& step) {
  const Step& old = actor.steps.before[step.partner];
  if (old.kind != StepKind::kPlain || old.parent == Step::kNone || step.is_moved) return {};
  const Step& block = actor.steps.before[old.parent];
  const auto* branch = as<If>(block.node);
  if (branch == nullptr || block.status != StepStatus::kRemoved || block.is_moved || block.is_elif) return {};
  if (block.kind != StepKind::kIf && block.kind != StepKind::kElse) return {};
  const bool is_elif_chain = branch->orelse.size() == 1 && is<If>(branch->orelse.front());
  if (block.kind == StepKind::kElse && is_elif_chain) return {};
  return fmt::format(", which it was where {}",
                     condition_words(*branch->condition, *actor.steps.before_source, block.kind == StepKind::kElse));
}

/// `edit` of a branch that is one where each arm of a branch that went had one: "…, formerly when `a` or `b` (depending
/// on the branch)". Empty for others.
std::string merged_condition_words(const Actor& actor, const Step& step, const std::string& edit) {
  constexpr std::string_view kFormerly = ", formerly when ";
  const std::size_t at = edit.find(kFormerly);
  const std::vector<std::size_t> others = merged_with(actor, step.partner);
  if (at == std::string::npos || others.size() != 1 || contains(edit, "(so that ")) return {};
  const auto asked = [&](std::size_t index) {
    return condition_words(*as<If>(actor.steps.before[index].node)->condition, *actor.steps.before_source);
  };
  const auto [first, second] = std::minmax(step.partner, others.front());
  return fmt::format("{}{}{} or {} (depending on the branch)", edit.substr(0, at), kFormerly, asked(first),
                     asked(second));
}

/// The nearest of the steps that fit which a moved one has come to stand before, or behind; null where it passes none.
/// `was`: where it stood, among the steps of now.
template <typename Fits>
const Step* nearest_passed(const std::vector<Step>& after, std::size_t index, std::size_t was, Fits fits) {
  for (std::size_t i = index + 1; i < std::min(was, after.size()); ++i) {
    if (fits(after[i])) return &after[i];
  }
  for (std::size_t i = index; i > was; --i) {
    if (fits(after[i - 1])) return &after[i - 1];
  }
  return nullptr;
}

/// Of the calls that stay as they were, that one which a moved step has passed; null where it passes none of its own
/// block.
const Step* passed_call(const std::vector<Step>& after, std::size_t index, std::size_t was) {
  return nearest_passed(after, index, was, [&](const Step& one) {
    const auto* statement = as<python::ExprStmt>(one.node);
    return one.status == StepStatus::kKept && one.parent == after[index].parent && statement != nullptr &&
           is<Call>(statement->value);
  });
}

/// Whether a moved step passes one of its own block that stays where and as it was; where none does, the others moved.
bool passes_any(const std::vector<Step>& after, std::size_t index, std::size_t was) {
  return nearest_passed(after, index, was, [&](const Step& one) {
           return one.status == StepStatus::kKept && !one.is_moved && one.parent == after[index].parent &&
                  one.kind != StepKind::kElse;
         }) != nullptr;
}

}  // namespace

bool wraps_what_was_there(const std::vector<Step>& steps, std::size_t index) {
  if (steps[index].kind != StepKind::kWith || steps[index].status != StepStatus::kAdded) return false;
  const auto inner = steps.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  const auto end = steps.begin() + static_cast<std::ptrdiff_t>(end_of(steps, index));
  return inner < end &&
         std::all_of(inner, end, [](const Step& step) { return step.status == StepStatus::kKept && !step.is_moved; });
}

namespace {

/// "sets `self.done` to `True`": what a new branch over what was there does besides, where that is little; else empty.
std::string added_to_kept(const std::vector<Step>& steps, std::size_t branch, const WordsContext& context) {
  constexpr std::size_t kFewestKept = 3;
  constexpr std::size_t kMostAdded = 2;
  std::size_t kept = 0;
  std::vector<std::string> added;
  for (std::size_t i = branch + 1; i < end_of(steps, branch); ++i) {
    if (steps[i].status == StepStatus::kKept && !steps[i].is_moved) {
      ++kept;
      continue;
    }
    if (steps[i].status != StepStatus::kAdded || steps[i].kind != StepKind::kPlain ||
        steps[i].depth != steps[branch].depth + 1)
      return {};
    added.push_back(step_words(steps[i], context));
    if (added.back().empty() || added.size() > kMostAdded) return {};
  }
  return kept < kFewestKept || added.empty() ? std::string() : join_words(added);
}

/// The first call by which the current stream comes to wait for another (`event.wait()`, `work.wait()`), in the steps
/// or in what they surely enter; marked, with its place. Empty where there is none.
std::string wait_of_stream(const std::vector<Step>& steps, std::size_t first, std::size_t end,
                           const WordsContext& context) {
  if (context.program == nullptr) return {};
  const program::Program& program = *context.program;
  const auto waiting_in = [&](const Node& node) {
    const Call* found = nullptr;
    walk_of<Call>(node, Nested::kSkip, [&](const Call* call) {
      const bool waits = is<Attribute>(call->callee) && callee_name(*call) == "wait" && call->arguments.empty() &&
                         call->keywords.empty();
      if (waits && found == nullptr) found = call;
    });
    return found;
  };
  const auto told = [&](const Call& call, program::FunctionId function) {
    const SourceText& source = source_of(program, function);
    return fmt::format("{} ({})", code(one_line(source, call, 40)),
                       place(program.module_of(function).path, source.line_of(call.span.begin)));
  };
  for (std::size_t i = first; i < end; ++i) {
    if (const Call* own = waiting_in(*steps[i].node)) return told(*own, context.function);
    std::string found;
    walk_of<Call>(*steps[i].node, Nested::kSkip, [&](const Call* call) {
      const program::CallId id = program.call_of(call);
      if (!found.empty() || !id.valid() || program.calls()[id].targets.size() != 1) return;
      const program::FunctionId entered = program.calls()[id].targets.front().function;
      const FunctionDef* def = entered.valid() ? program.functions()[entered].def() : nullptr;
      const Call* wait = def == nullptr ? nullptr : waiting_in(*def);
      if (wait != nullptr) found = told(*wait, entered);
    });
    if (!found.empty()) return found;
  }
  return {};
}

/// "runs `f(x)`, which was there, under `lock`" of such a `with`.
std::string wrapped_words(const std::vector<Step>& steps, std::size_t index, const WordsContext& context) {
  constexpr std::size_t kMostNamed = 2;
  constexpr std::size_t kMostText = 60;
  std::vector<std::string> named;
  const std::size_t end = end_of(steps, index);
  for (std::size_t i = index + 1; i < end; ++i)
    named.push_back(code(one_line(*context.source, steps[i].span, kMostText)));
  const std::string words = step_words(steps[index], context);
  if (words.empty()) return {};
  if (named.size() > kMostNamed) return fmt::format("runs {} steps that were there {}", named.size(), words);
  std::string out =
      fmt::format("runs {}, which {} there, {}", join_words(named), named.size() == 1 ? "was" : "were", words);
  // Source: torch.cuda.Event.wait and torch.distributed.Work.wait make the current stream wait.
  const auto* with = as<With>(steps[index].node);
  const auto* made = with == nullptr || with->items.size() != 1 ? nullptr : as<Call>(with->items[0]->context);
  if (made == nullptr || callee_name(*made) != "stream") return out;
  const std::string wait = wait_of_stream(steps, index + 1, end, context);
  if (!wait.empty())
    out += fmt::format("; {} makes that stream wait now, and no longer the one that was current", wait);
  return out;
}

/// "returns `x` in place of `a` and `b`", where one return stands in place of several; `edit`: what is told of the
/// first of them. Empty for others.
std::string replaced_returns_words(const Actor& actor, std::size_t index, const std::string& edit) {
  constexpr std::size_t kMost = 3;
  constexpr std::string_view kInstead = " in place of ";
  const std::size_t at = edit.rfind(kInstead);
  const std::vector<std::size_t> returns = returns_replaced_by(actor, index);
  if (returns.empty() || returns.size() > kMost || at == std::string::npos) return {};
  std::vector<std::string> was;
  for (const std::size_t b : returns) {
    const auto* result = as<Return>(actor.steps.before[b].node);
    was.push_back(code(one_line(*actor.steps.before_source, *result->value, 60)));
  }
  const auto* now = as<Return>(actor.steps.after[index].node);
  return fmt::format("returns {}{}{}", code(one_line(*actor.steps.after_source, *now->value, 90)), kInstead,
                     join_words(was));
}

}  // namespace

/// Whether the `except` at `index` is told with its `try`, which is new, holds no code that was there, and has words.
static bool told_with_try(const std::vector<Step>& steps, std::size_t index, const WordsContext& context) {
  if (!is_told_with_try(steps, index)) return false;
  std::size_t attempt = index;
  while (steps[attempt].parent != steps[index].parent || steps[attempt].kind != StepKind::kTry) --attempt;
  return !only_wraps(steps, attempt) && !block_words(steps, attempt, end_of(steps, attempt), context, 1, 1).empty();
}

std::string added_words(const Actor& actor, std::size_t index, const WordsContext& before, const WordsContext& after,
                        std::size_t most_nested) {
  const auto& steps = actor.steps;
  const Step& step = steps.after[index];
  if (step.status == StepStatus::kChanged && step.partner != Step::kNone) {
    if (step.returned_by != nullptr) return returned_words(step, after);
    if (step.kind == StepKind::kIf && only_names_value(actor, step)) return {};
    if (const auto entries = conditional_entries(actor, index, before, after))
      return entries_words(*entries, actor, before, after) + other_entries_words(*entries, actor);
    const bool started = step.kind == StepKind::kPlain &&
                         (only_starts(steps.before, step.partner) || starts_empty(steps.before, step.partner));
    if (started) return step_words(step, after);
    const std::string edit = edit_words(steps.before[step.partner], before, step, after, asked_with(steps, index));
    if (const std::string all = replaced_returns_words(actor, index, edit); !all.empty()) return all;
    if (edit.empty()) return edit;
    if (std::string merged = merged_condition_words(actor, step, edit); !merged.empty()) return merged;
    if (const std::string passes = passes_words(steps, index); !passes.empty()) return edit + passes;
    return contains(edit, " instead of ") ? edit + lost_branch_words(actor, step) : edit;
  }
  if (step.status == StepStatus::kAdded && only_wraps(steps.after, index)) return {};
  const std::size_t end = end_of(steps.after, index);
  if (wraps_what_was_there(steps.after, index)) return wrapped_words(steps.after, index, after);
  if (is_told_with_entries(actor, index, false, before, after)) return {};
  if (told_with_try(steps.after, index, after)) return {};
  std::string text;
  for (std::string& told : block_words(steps.after, index, end, after, 1, most_nested)) text = std::move(told);
  if (step.kind == StepKind::kTry && !text.empty() && step.status == StepStatus::kAdded)
    text = as_clause(std::move(text)) + handler_words(steps.after, index, after);
  // An `else:` of the same change goes with its branch.
  if (step.kind == StepKind::kIf && !text.empty() && end < steps.after.size() &&
      steps.after[end].kind == StepKind::kElse && steps.after[end].depth == step.depth &&
      steps.after[end].status == StepStatus::kAdded) {
    while (!text.empty() && text.back() == '.') text.pop_back();
    const std::size_t else_end = end_of(steps.after, end);
    const bool as_before = std::all_of(steps.after.begin() + static_cast<std::ptrdiff_t>(end) + 1,
                                       steps.after.begin() + static_cast<std::ptrdiff_t>(else_end),
                                       [](const Step& one) { return one.status == StepStatus::kKept; });
    WordsContext brief = after;
    brief.is_brief = true;
    if (as_before) {
      text += "; otherwise as before";
      // What only this branch does now.
      const Call* kept = nullptr;
      for (std::size_t i = index + 1; i < end && kept == nullptr; ++i) kept = kept_alternative(steps.after, i);
      const std::string callee = kept == nullptr ? std::string() : dotted_text(kept->callee);
      const std::string prefix = "Otherwise";
      const auto told = block_words(steps.after, end, else_end, brief, 1, 2);
      if (!told.empty() && told.front().starts_with(prefix) && contains(told.front(), " issue")) {
        std::string_view rest = trim(std::string_view(told.front()).substr(prefix.size() + 1));
        while (rest.ends_with(".")) rest.remove_suffix(1);
        text += fmt::format(" ({})", rest);
      } else if (!callee.empty() && !contains(text, callee)) {
        text += fmt::format(" ({})", code(callee + "(\u2026)"));
      }
    } else if (const std::string more = added_to_kept(steps.after, end, brief); !more.empty()) {
      text += fmt::format("; otherwise as before, and {}", more);
    } else if (const auto other = block_words(steps.after, end, else_end, after, 1, most_nested); !other.empty()) {
      std::string rest = other.front();
      rest.front() = to_lower(rest.substr(0, 1)).front();  // "otherwise, …", "when …"
      text += "; " + rest;
    }
  }
  text = as_clause(std::move(text));
  if (text.starts_with("when ") && guards_what_was_there(steps, index)) {
    text = "now only " + text;
  } else if (!text.empty() && step.status == StepStatus::kAdded) {
    const std::string former =
        text.starts_with("when ") && !contains(text, "; ") ? former_conditions(actor, index) : std::string();
    text += former.empty() ? stood_outside_words(steps, index) : former;
  }
  if (!text.empty() && before.program != nullptr && after.program != nullptr)
    text += behind_loop_words(steps, index, before, after);
  if (!text.empty() && only_refuses(steps.after, index)) text += former_check(actor, steps.after[index], before);
  if (const Call* passed =
          text.ends_with("returns") || text.ends_with("`None`") ? passed_over(steps, index, after) : nullptr) {
    constexpr std::size_t kMostCall = 50;
    text += fmt::format(" before it comes to {}", code(one_line(*after.source, *passed, kMostCall)));
  }
  if (text.empty() || !step.is_moved) return text;
  // Earlier, where it stands before what once stood before it.
  const std::size_t was = removal_points(steps)[step.partner];
  const auto* inner = as<FunctionDef>(step.node);
  const std::string what =
      inner != nullptr ? "the inner function " + code(inner->name.text) : code(one_line(*after.source, step.span, 60));
  const std::string_view direction = index < was ? "up" : "down";
  if (const std::string crossed = crossed_blocks_words(actor.steps, index); !crossed.empty())
    return fmt::format("moves {} {}{}{}", what, direction, crossed, regrouped_words(actor.steps, index));
  const Step* passed = passed_call(steps.after, index, was);
  if (passed == nullptr)
    return passes_any(steps.after, index, was) ? fmt::format("moves {} {}", what, direction) : std::string();
  return fmt::format("moves {} {} {}", what, index < was ? "up, before" : "down, behind",
                     code(one_line(*after.source, passed->span, 60)));
}

std::string moved_check_words(const DocumentInputs& inputs, const Actor& actor, std::size_t index) {
  const Step& step = actor.steps.after[index];
  const bool is_check = step.status == StepStatus::kAdded && only_refuses(actor.steps.after, index);
  return is_check && step.taken_from != nullptr
             ? fmt::format(" (moved here from {})", code(short_name(inputs, *step.taken_from)))
             : std::string();
}

std::string former_refusals_words(const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.after;
  if (steps[index].status != StepStatus::kAdded || steps[index].kind == StepKind::kPlain) return {};
  std::vector<std::string> conditions;
  for (std::size_t i = index + 1; i < end_of(steps, index); ++i) {
    if (steps[i].kind == StepKind::kIf || steps[i].kind == StepKind::kElse) continue;
    const auto is_same = [&](const Step& old) {
      return old.status != StepStatus::kChanged && is<Raise>(old.node) && old.fingerprint == steps[i].fingerprint;
    };
    const auto was = std::find_if(actor.steps.before.begin(), actor.steps.before.end(), is_same);
    // Of several alike none is told apart.
    if (!is<Raise>(steps[i].node) || was == actor.steps.before.end() ||
        std::count_if(was, actor.steps.before.end(), is_same) != 1)
      return {};
    const std::size_t holder = was->parent;
    const auto* branch = holder == Step::kNone ? nullptr : as<If>(actor.steps.before[holder].node);
    if (branch == nullptr || actor.steps.before[holder].kind != StepKind::kIf) return {};
    conditions.push_back("when " + condition_words(*branch->condition, *actor.steps.before_source));
  }
  return conditions.empty() ? std::string() : fmt::format("; formerly it did so {}", join_words(conditions));
}

std::vector<std::string> blocks_around(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  std::vector<std::string> out;
  for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
    const auto* branch = as<If>(steps[up].node);
    std::string text =
        branch != nullptr ? one_line_whole(source, *branch->condition) : one_line_whole(source, steps[up].span);
    if (steps[up].kind == StepKind::kElse) text.insert(0, "else ");
    out.insert(out.begin(), std::move(text));
  }
  return out;
}

}  // namespace lockstep::report
