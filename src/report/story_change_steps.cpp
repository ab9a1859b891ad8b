#include "report/story_change_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/strings.h"
#include "report/document.h"
#include "report/story_edits.h"

namespace lockstep::report {

using namespace python;
using change::EntityChange;
using change::EntityKind;

namespace {

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

/// Whether the text calls one of these functions.
bool calls_one_of(const ChangedNames& names, std::string_view text) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && is_part(text[begin - 1])) --begin;
    if (begin < open && names.names.contains(text.substr(begin, open - begin))) return true;
  }
  return false;
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

/// Whether the `else:` at `index` stands beside an `if` of this status.
bool else_belongs_to(const std::vector<Step>& steps, std::size_t index, StepStatus status) {
  for (std::size_t i = index; i-- > 0;) {
    if (steps[i].depth > steps[index].depth) continue;
    return steps[i].kind != StepKind::kIf || steps[i].status == status;
  }
  return false;
}

}  // namespace

ChangedNames changed_names(const DocumentInputs& inputs) {
  ChangedNames out;
  for (const EntityChange& entity : inputs.change->entities) {
    if (entity.kind == EntityKind::kModule || !entity.after || entity.is_cosmetic() ||
        program::is_test_path(entity.after->path))
      continue;
    const std::string& name = entity.after->qualified_name;
    out.names.insert(name.substr(name.rfind('.') + 1));
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
  return out;
}

bool is_elsewhere(const std::vector<Step>& steps, std::size_t index) {
  for (std::size_t i = index; i < end_of(steps, index); ++i) {
    if (!steps[i].is_moved && steps[i].elsewhere == nullptr) return false;
  }
  return true;
}

std::string hand_over_words(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kFew = 3;
  std::size_t count = 0;
  std::vector<std::string> names;
  std::string check;
  for (std::size_t i = 0; i < actor.steps.before.size(); ++i) {
    const Step& step = actor.steps.before[i];
    // Within one function a check has another form now, which is told with its new one.
    if (step.elsewhere == nullptr || step.elsewhere == actor.change) continue;
    ++count;
    std::string name = code(short_name(inputs, *step.elsewhere));
    if (check.empty() && (is<Assert>(step.node) || (step.kind == StepKind::kIf && only_refuses(actor.steps.before, i))))
      check = code(one_line(*actor.steps.before_source, step.span, 70));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  if (count < kFew && !check.empty()) return fmt::format("leaves the check {} to {}", check, join_words(names));
  if (count < kFew) return {};
  if (names.size() > kFew) names.resize(kFew);
  return fmt::format("hands {} over to {}", count_of(count, "step"), join_words(names));
}

int rank_of(const std::vector<Step>& steps, std::size_t index, const SourceText& source, const std::string& words,
            const ChangedNames& names) {
  const Step& step = steps[index];
  if (is<Import>(step.node) || is<ImportFrom>(step.node)) return 9;
  if (contains(words, "issues ") || contains(words, "can issue ")) return 0;
  if (step.is_moved) return 6;
  // A check that goes lets through what was refused.
  if (only_refuses(steps, index)) return step.status == StepStatus::kRemoved ? 1 : 5;
  const std::size_t last = end_of(steps, index) - 1;
  const std::string_view text = source.slice({step.span.begin, steps[last].span.end});
  if (calls_one_of(names, text) || (!names.title.empty() && speaks_of_title(names, text))) return 1;
  if (step.kind == StepKind::kIf || step.kind == StepKind::kFor || step.kind == StepKind::kWhile) return 2;
  if (step.status == StepStatus::kChanged) return 2;
  if (step.kind == StepKind::kPlain && is<Return>(step.node)) return 3;
  if (contains(words, "calls ")) return 3;
  const auto* assign = as<Assign>(step.node);
  const Expr* value = assign == nullptr ? nullptr : assign->value;
  if (step.kind == StepKind::kPlain && value != nullptr && only_prepares(*value)) return 5;
  return 4;
}

bool is_inside_status(const std::vector<Step>& steps, std::size_t index, StepStatus status) {
  const std::size_t parent = steps[index].parent;
  if (parent == Step::kNone || steps[parent].status != status) return false;
  // The branch around a new `else:` may be an old one.
  return steps[parent].kind != StepKind::kElse || else_belongs_to(steps, parent, status);
}

bool is_told_alone(const std::vector<Step>& steps, std::size_t index) {
  const Step& step = steps[index];
  return step.status != StepStatus::kKept && step.kind != StepKind::kElse && step.renames.empty() &&
         !is_inside_status(steps, index, StepStatus::kAdded);
}

std::string with_condition(const std::string& text, const std::string& where, const std::string& previous) {
  if (where.empty()) return text;
  // What is a condition itself, or goes on after one, has it in front.
  const bool leads = text.starts_with("when ") || text.starts_with("for ") || contains(text, "; ");
  if (where == previous) return leads ? "under the same condition, " + text : text + ", under the same condition";
  return leads ? fmt::format("where {}: {}", where, text) : fmt::format("{} where {}", text, where);
}

namespace {

/// ", in place of the check …": the one check of this function that has another form now; empty for others.
std::string former_check(const Actor& actor, const WordsContext& before) {
  std::string found;
  for (const Step& step : actor.steps.before) {
    const bool goes_with_parent =
        step.parent != Step::kNone && actor.steps.before[step.parent].elsewhere == actor.change;
    if (step.elsewhere != actor.change || goes_with_parent) continue;
    if (!found.empty()) return {};
    found = fmt::format(", in place of {}", code(one_line(*before.source, step.span, 60)));
  }
  return found;
}

}  // namespace

std::string added_words(const Actor& actor, std::size_t index, const WordsContext& before, const WordsContext& after,
                        std::size_t most_nested) {
  const auto& steps = actor.steps;
  const Step& step = steps.after[index];
  if (step.status == StepStatus::kChanged && step.partner != Step::kNone)
    return edit_words(steps.before[step.partner], before, step, after);
  const std::size_t end = end_of(steps.after, index);
  std::string text;
  for (std::string& told : block_words(steps.after, index, end, after, 1, most_nested)) text = std::move(told);
  // An `else:` of the same change goes with its branch.
  if (step.kind == StepKind::kIf && !text.empty() && end < steps.after.size() &&
      steps.after[end].kind == StepKind::kElse && steps.after[end].depth == step.depth &&
      steps.after[end].status == StepStatus::kAdded) {
    while (!text.empty() && text.back() == '.') text.pop_back();
    const std::size_t else_end = end_of(steps.after, end);
    const bool as_before = std::all_of(steps.after.begin() + static_cast<std::ptrdiff_t>(end) + 1,
                                       steps.after.begin() + static_cast<std::ptrdiff_t>(else_end),
                                       [](const Step& one) { return one.status == StepStatus::kKept; });
    const auto other = block_words(steps.after, end, else_end, after, 1, most_nested);
    WordsContext brief = after;
    brief.is_brief = true;
    if (as_before) {
      text += "; otherwise as before";
      // What only this branch does now.
      const std::string prefix = "Otherwise";
      const auto told = block_words(steps.after, end, else_end, brief, 1, 2);
      if (!told.empty() && told.front().starts_with(prefix) && contains(told.front(), " issue")) {
        std::string_view rest = trim(std::string_view(told.front()).substr(prefix.size() + 1));
        while (rest.ends_with(".")) rest.remove_suffix(1);
        text += fmt::format(" ({})", rest);
      }
    } else if (!other.empty()) {
      std::string rest = other.front();
      rest.front() = 'o';  // "Otherwise, …"
      text += "; " + rest;
    }
  }
  while (!text.empty() && text.back() == '.') text.pop_back();
  if (!text.empty() && text.front() >= 'A' && text.front() <= 'Z')
    text.front() = static_cast<char>(text.front() - 'A' + 'a');
  if (!text.empty() && only_refuses(steps.after, index)) text += former_check(actor, before);
  if (text.empty() || !is_moved_whole(steps.after, index)) return text;
  // Earlier, where it stands before what once stood before it.
  const std::size_t was = removal_points(steps)[step.partner];
  const std::string what = code(one_line(*after.source, step.span, 60));
  return fmt::format("moves {} {}", what, index < was ? "up" : "down");
}

namespace {

/// The exception of a branch that does nothing but raise it; empty for others.
std::string raised_in(const std::vector<Step>& steps, std::size_t index, const SourceText& source) {
  if (steps[index].kind != StepKind::kIf || !only_refuses(steps, index)) return {};
  const auto* raise = as<Raise>(steps[index + 1].node);
  if (raise == nullptr || raise->exception == nullptr) return {};
  const auto* call = as<Call>(raise->exception);
  return one_line(source, call != nullptr ? *call->callee : *raise->exception, 60);
}

}  // namespace

std::string removal_words(const std::vector<Step>& steps, std::size_t index, const WordsContext& context) {
  const std::string text = step_words(steps[index], context);
  if (text.empty()) return {};
  switch (steps[index].kind) {
    case StepKind::kPlain:
      return "no longer " + text;
    case StepKind::kFor:
    case StepKind::kWhile:
      return "drops the loop " + text;
    case StepKind::kWith:
      return "no longer runs " + text;
    case StepKind::kTry:
      return "drops a try block";
    default:
      if (const std::string raised = raised_in(steps, index, *context.source); !raised.empty())
        return fmt::format("no longer raises {} {}", code(raised), text);
      return "drops the branch " + text;
  }
}

}  // namespace lockstep::report
