#include "report/story/steps/edit_kinds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

struct GivenArgument {
  std::string callee;
  std::string_view keyword;
  bool is_off;

  [[nodiscard]] bool is_of(const GivenArgument& other) const {
    return callee == other.callee && keyword == other.keyword;
  }
};

/// The keyword arguments of the calls in a step itself.
std::vector<GivenArgument> arguments_in(const Step& step) {
  std::vector<GivenArgument> out;
  walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
    if (!step.span.contains(call->span)) return;
    const std::string callee = dotted_text(call->callee);
    for (const Keyword* one : call->keywords) {
      if (callee.empty() || one->name.text.empty()) continue;
      out.push_back({callee, one->name.text, rules::is_none(one->value) || rules::is_false(one->value)});
    }
  });
  return out;
}

/// A text as its runs of name characters, and what stands between them with a mark for each.
struct TakenApart {
  std::vector<std::string_view> names;
  std::vector<bool> are_plain;  ///< By name: no attribute, and no argument's name.
  std::string between;
};

TakenApart taken_apart(std::string_view text) {
  TakenApart out;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end > at) {
      const std::size_t next = std::min(text.find_first_not_of(' ', end), text.size());
      const bool is_keyword = depth > 0 && text.substr(next).starts_with("=") && !text.substr(next).starts_with("==");
      out.names.push_back(text.substr(at, end - at));
      out.are_plain.push_back(!is_keyword && !out.between.ends_with('.'));
      out.between += '\1';
    } else if (text[at] != ' ' && text[at] != '\n') {
      const char c = text[at];
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      out.between += c;
    }
    at = std::max(end, at + 1);
  }
  return out;
}

struct Names {
  std::set<std::string_view> all;
  std::set<std::string_view> bound;  ///< By statements of the function itself.
};

Names names_in(const change::EntitySide& side, const SourceText& source) {
  Names out;
  if (side.node == nullptr) return out;
  for_each_name(source.slice(side.node->span), [&](std::string_view one) { out.all.insert(one); });
  walk_of<Name>(*side.node, Nested::kSkip, [&](const Name* name) {
    if (name->context == ExprContext::kStore) out.bound.insert(name->id);
  });
  return out;
}

bool is_changed(const Actor& actor, const Step& step) {
  return step.status == StepStatus::kChanged && step.partner != Step::kNone && actor.change->before &&
         actor.change->after && actor.steps.before_source != nullptr && actor.steps.after_source != nullptr;
}

}  // namespace

bool switches_argument(const Actor& actor, const Step& step) {
  if (!is_changed(actor, step)) return false;
  const std::vector<GivenArgument> before = arguments_in(actor.steps.before[step.partner]);
  const std::vector<GivenArgument> after = arguments_in(step);
  return std::any_of(after.begin(), after.end(), [&](const GivenArgument& now) {
    const auto was =
        std::find_if(before.begin(), before.end(), [&](const GivenArgument& one) { return one.is_of(now); });
    return was != before.end() && was->is_off != now.is_off;
  });
}

namespace {

/// Old name -> new name of a step of which nothing else differs; nullopt for others.
std::optional<std::map<std::string_view, std::string_view>> names_given(const Actor& actor, const Step& step) {
  const Step& old = actor.steps.before[step.partner];
  const TakenApart was = taken_apart(actor.steps.before_source->slice(old.span));
  const TakenApart now = taken_apart(actor.steps.after_source->slice(step.span));
  if (was.names.size() != now.names.size() || was.between != now.between) return std::nullopt;
  std::map<std::string_view, std::string_view> out;
  for (std::size_t i = 0; i < was.names.size(); ++i) {
    if (was.names[i] == now.names[i]) continue;
    if (!was.are_plain[i] || !now.are_plain[i]) return std::nullopt;
    const auto [known, is_first] = out.emplace(was.names[i], now.names[i]);
    if (!is_first && known->second != now.names[i] && was.names[i] != "_") return std::nullopt;
  }
  return out;
}

/// Whether the other changed steps give the same names anew in the same way: arguments that change places do not.
bool agree_elsewhere(const Actor& actor, const std::map<std::string_view, std::string_view>& given) {
  constexpr std::size_t kMostSteps = 60;
  std::size_t looked = 0;
  for (const Step& other : actor.steps.after) {
    if (!is_changed(actor, other)) continue;
    if (++looked > kMostSteps) return false;
    const auto names = names_given(actor, other);
    for (const auto& [left, right] : names.value_or(std::map<std::string_view, std::string_view>{})) {
      for (const auto& [old_name, new_name] : given) {
        if ((old_name == left) != (new_name == right) && old_name != "_" && new_name != "_" && left != "_" &&
            right != "_")
          return false;
      }
    }
  }
  return true;
}

}  // namespace

bool only_gets_other_name(const Actor& actor, const Step& step) {
  if (!is_changed(actor, step)) return false;
  const Expr* old_target = nullptr;
  const Expr* new_target = nullptr;
  const Expr* old_value = assigned_value(actor.steps.before[step.partner].node, old_target);
  const Expr* new_value = assigned_value(step.node, new_target);
  return old_value != nullptr && new_value != nullptr && is<Name>(old_target) && is<Name>(new_target) &&
         one_line_whole(*actor.steps.before_source, *old_value) ==
             one_line_whole(*actor.steps.after_source, *new_value);
}

bool only_names_differ(const Actor& actor, const Step& step) {
  if (!is_changed(actor, step)) return false;
  const auto given = names_given(actor, step);
  if (!given) return false;
  const Names before = names_in(*actor.change->before, *actor.steps.before_source);
  const Names after = names_in(*actor.change->after, *actor.steps.after_source);
  for (const auto& [left, right] : *given) {
    const bool is_gone = left == "_" || (before.bound.contains(left) && !after.all.contains(left));
    const bool is_new = right == "_" || (after.bound.contains(right) && !before.all.contains(right));
    if (!is_gone || !is_new) return false;
  }
  return given->empty() || agree_elsewhere(actor, *given);
}

namespace {

/// Without blanks, brackets around the whole, and commas before a closing bracket, and with one kind of quotes: what
/// layout decides.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    if ((c == ')' || c == ']' || c == '}') && out.ends_with(',')) out.pop_back();
    out += c == '"' ? '\'' : c;
  }
  return out;
}

/// `text` with `value` for each `name` that stands by itself: no attribute, and no argument's name.
std::string with_value(std::string_view text, std::string_view name, std::string_view value) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = find_name(text, name); at != std::string_view::npos; at = find_name(text, name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_attribute = at > 0 && text[at - 1] == '.';
    const std::string_view behind = trim(text.substr(end));
    const bool is_keyword = behind.starts_with('=') && !behind.starts_with("==");
    if (is_attribute || is_keyword) continue;
    out.append(text.substr(from, at - from)).append(value);
    from = end;
  }
  return out.append(text.substr(from));
}

}  // namespace

bool only_names_value(const Actor& actor, const Step& step) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone ||
      (step.kind != StepKind::kPlain && step.kind != StepKind::kIf))
    return false;
  const SourceText& source = *actor.steps.after_source;
  const std::string was = squeezed(one_line_whole(*actor.steps.before_source, actor.steps.before[step.partner].span));
  const auto* def = as<FunctionDef>(actor.change->after->node);
  std::string now = one_line_whole(source, step.span);
  // The last local first: its value may have others in it.
  constexpr std::size_t kMostLocals = 20;
  std::size_t locals = 0;
  for (auto one = actor.steps.after.rbegin(); one != actor.steps.after.rend(); ++one) {
    const auto* set =
        one->status == StepStatus::kAdded && one->kind == StepKind::kPlain ? as<Assign>(one->node) : nullptr;
    const auto* name = set != nullptr && set->targets.size() == 1 ? as<Name>(set->targets.front()) : nullptr;
    if (name == nullptr || one->span.begin >= step.span.begin) continue;
    if (find_name(now, name->id) == std::string::npos) continue;
    // A parameter that is only set where it is not given, or what is set twice, may hold something else.
    if (def != nullptr && only_value_of(*def, name->id) != set->value) continue;
    if (++locals > kMostLocals) return false;
    const std::string value = one_line_whole(source, *set->value);
    const std::string bare = with_value(now, name->id, value);
    if (squeezed(bare) == was || squeezed(with_value(now, name->id, "(" + value + ")")) == was) return true;
    now = bare;
  }
  return false;
}

bool only_reads_renamed(const Actor& actor, const Step& step) {
  if (!is_changed(actor, step)) return false;
  const auto given = names_given(actor, step);
  if (!given || given->size() != 1) return false;
  const auto value_given = [](const std::vector<Step>& steps, StepStatus status, std::string_view name,
                              const SourceText& source) {
    for (const Step& one : steps) {
      const auto* set = one.status == status && one.kind == StepKind::kPlain ? as<Assign>(one.node) : nullptr;
      const auto* target = set != nullptr && set->targets.size() == 1 ? as<Name>(set->targets.front()) : nullptr;
      if (target != nullptr && target->id == name) return squeezed(one_line_whole(source, *set->value));
    }
    return std::string();
  };
  const auto& [left, right] = *given->begin();
  const std::string was = value_given(actor.steps.before, StepStatus::kRemoved, left, *actor.steps.before_source);
  return !was.empty() && was == value_given(actor.steps.after, StepStatus::kAdded, right, *actor.steps.after_source);
}

bool stands_in_change(const Actor& actor, Span place) {
  return actor.is_added() || std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
           return step.status != StepStatus::kKept && !step.is_moved && step.span.contains(place);
         });
}

}  // namespace lockstep::report
