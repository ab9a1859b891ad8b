#include "report/story/steps/following_edits.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/find_text.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using change::Difference;
using change::DifferenceKind;
using change::EntityChange;

namespace {

bool is_edit(const Actor& actor, const Step& step) {
  return step.status == StepStatus::kChanged && step.partner != Step::kNone && actor.change->before &&
         actor.change->after && actor.steps.before_source != nullptr && actor.steps.after_source != nullptr;
}

/// Names and strings of a step's own text, in order, and what stands between them without blanks.
struct Pieces {
  std::vector<std::string> texts;
  std::string between;
};

Pieces pieces_of(std::string_view text) {
  Pieces out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    if (text[at] == '"' || text[at] == '\'') {
      end = std::min(text.find(text[at], at + 1), text.size() - 1) + 1;
      out.texts.push_back("\"" + std::string(text.substr(at + 1, end - at - 2)) + "\"");
      out.between += '\1';
    } else if (is_name_char(text[at])) {
      while (end < text.size() && is_name_char(text[end])) ++end;
      out.texts.emplace_back(text.substr(at, end - at));
      out.between += '\1';
    } else if (text[at] != ' ' && text[at] != '\n') {
      out.between += text[at];
    }
    at = std::max(end, at + 1);
  }
  return out;
}

/// The one piece that differs, with what it was; nullopt where several do, or anything else does.
std::optional<std::pair<std::string, std::string>> only_piece(const Actor& actor, const Step& step) {
  const Pieces was = pieces_of(actor.steps.before_source->slice(actor.steps.before[step.partner].span));
  const Pieces now = pieces_of(actor.steps.after_source->slice(step.span));
  if (was.texts.size() != now.texts.size() || was.between != now.between) return std::nullopt;
  std::optional<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < was.texts.size(); ++i) {
    if (was.texts[i] == now.texts[i]) continue;
    std::pair<std::string, std::string> one(was.texts[i], now.texts[i]);
    if (out && *out != one) return std::nullopt;
    out = std::move(one);
  }
  return out;
}

bool has_parameter(const Actor& actor, DifferenceKind kind, std::string_view name) {
  const auto& all = actor.change->differences;
  return std::any_of(all.begin(), all.end(), [&](const Difference& d) { return d.kind == kind && d.name == name; });
}

bool binds(const Node& function, std::string_view name) {
  bool found = false;
  walk_of<Name>(function, Nested::kSkip,
                [&](const Name* one) { found = found || (one->context == ExprContext::kStore && one->id == name); });
  return found;
}

bool names(const SourceText& source, const Node& function, std::string_view name) {
  return find_name(source.slice(function.span), name) != std::string_view::npos;
}

}  // namespace

bool only_follows_key(const Actor& actor, const Step& step) {
  const auto own = is_edit(actor, step) ? only_piece(actor, step) : std::nullopt;
  if (!own || !own->first.starts_with('"') || !own->second.starts_with('"') || own->first.size() < 3) return false;
  const std::vector<std::string> left =
      pieces_of(actor.steps.after_source->slice(actor.change->after->node->span)).texts;
  if (std::find(left.begin(), left.end(), own->first) != left.end()) return false;
  return std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& other) {
    return &other != &step && is_edit(actor, other) && only_piece(actor, other) == own;
  });
}

bool only_follows_successor(const DocumentInputs& inputs, const Actor& actor, const Step& step) {
  const auto own = is_edit(actor, step) ? only_piece(actor, step) : std::nullopt;
  if (!own || own->first.starts_with('"') || own->second.starts_with('"')) return false;
  bool is_gone = false;
  bool is_new = false;
  for (const EntityChange& one : inputs.change->entities) {
    if (one.kind != change::EntityKind::kFunction && one.kind != change::EntityKind::kMethod) continue;
    is_gone = is_gone || (!one.after && change::last_part(one.before->qualified_name) == own->first);
    is_new = is_new || (!one.before && change::last_part(one.after->qualified_name) == own->second);
  }
  return is_gone && is_new;
}

bool only_reads_given(const Actor& actor, const Step& step) {
  const auto own = is_edit(actor, step) ? only_piece(actor, step) : std::nullopt;
  return own && has_parameter(actor, DifferenceKind::kParameterAdded, own->second) &&
         !names(*actor.steps.before_source, *actor.change->before->node, own->second) &&
         binds(*actor.change->before->node, own->first) &&
         !names(*actor.steps.after_source, *actor.change->after->node, own->first);
}

bool was_static_before(const Actor& actor) {
  if (!actor.change->before) return false;
  const auto* def = as<FunctionDef>(actor.change->before->node);
  if (def == nullptr) return false;
  const auto& all = def->parameters->all;
  return all.empty() || (all.front()->name.text != "self" && all.front()->name.text != "cls");
}

bool makes_new_attribute(const Actor& actor, const Step& step) {
  if (step.kind != StepKind::kPlain || !actor.change->before || actor.steps.before_source == nullptr ||
      (step.status != StepStatus::kAdded && step.status != StepStatus::kChanged))
    return false;
  const Expr* target = nullptr;
  const Expr* value = assigned_value(step.node, target);
  const auto* member = value == nullptr ? nullptr : as<Attribute>(target);
  return member != nullptr && rules::name_of(member->value) == "self" && is<Call>(value) &&
         !names(*actor.steps.before_source, *actor.change->before->node, member->name.text);
}

}  // namespace lockstep::report
