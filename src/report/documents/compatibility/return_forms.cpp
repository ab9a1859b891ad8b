#include "report/documents/compatibility/return_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

struct Form {
  enum class Kind : std::uint8_t { kTuple, kDict, kOne };
  Kind kind = Kind::kOne;
  std::size_t length = 0;         ///< Of a tuple.
  std::vector<std::string> text;  ///< Of the elements, or of the one value, without layout.
  bool operator==(const Form& other) const { return kind == other.kind && length == other.length; }
};

/// Of a name the only value that the function gives it.
const Expr* value_behind(const FunctionDef& function, const Expr& value) {
  const std::string_view name = rules::name_of(&value);
  const Expr* held = name.empty() ? nullptr : only_value_of(function, name);
  return held == nullptr ? &value : held;
}

/// Whether its length shows: nothing in it is `*rest`.
bool is_plain(const Tuple& tuple) {
  return std::none_of(tuple.elements.begin(), tuple.elements.end(), [](const Expr* one) { return is<Starred>(one); });
}

Form form_of(const FunctionDef& function, const Expr& value, const SourceText& source) {
  const Expr* behind = value_behind(function, value);
  const auto* tuple = as<Tuple>(behind);
  if (tuple != nullptr && is_plain(*tuple)) {
    Form out{Form::Kind::kTuple, tuple->elements.size(), {}};
    for (const Expr* one : tuple->elements) out.text.push_back(without_layout(source, one->span));
    return out;
  }
  const auto* call = as<Call>(behind);
  if (is<Dict>(behind) || is<DictComp>(behind) || (call != nullptr && rules::name_of(call->callee) == "dict"))
    return {Form::Kind::kDict, 0, {}};
  return {Form::Kind::kOne, 0, {without_layout(source, value.span)}};
}

/// What all `return` statements with a value give; nullopt where they differ, where there is none, and for generators.
std::optional<Form> form_returned(const Node* node, const SourceText& source) {
  const auto* function = as<FunctionDef>(node);
  if (function == nullptr) return std::nullopt;
  std::optional<Form> out;
  bool is_one = true;
  walk(*function, Nested::kSkip, [&](const Node* one) {
    is_one = is_one && !is<Yield>(one) && !is<YieldFrom>(one);
    const auto* result = as<Return>(one);
    if (result == nullptr || result->value == nullptr || rules::is_none(result->value)) return;
    Form form = form_of(*function, *result->value, source);
    is_one = is_one && (!out || *out == form);
    if (!out) out = std::move(form);
  });
  return is_one ? out : std::nullopt;
}

std::string words_of(const Form& form) {
  if (form.kind == Form::Kind::kDict) return "a dictionary";
  return form.kind == Form::Kind::kTuple ? fmt::format("a tuple of {}", form.length) : "one value";
}

/// Whether the form of what is returned is known to be another one: of one value that may be anything only where it is
/// one of several now, or was.
bool are_other(const Form& before, const Form& after) {
  if (before == after) return false;
  const auto holds = [](const Form& tuple, const Form& one) {
    return tuple.kind == Form::Kind::kTuple &&
           std::find(tuple.text.begin(), tuple.text.end(), one.text.front()) != tuple.text.end();
  };
  if (before.kind == Form::Kind::kOne) return holds(after, before);
  if (after.kind == Form::Kind::kOne) return holds(before, after);
  return true;
}

/// Whether code that unpacks `count` values, or asks for an item by `index`, does not fit the form.
bool is_misfit(const Form& form, std::optional<std::size_t> count, const Expr* index) {
  if (count) return form.kind == Form::Kind::kDict || (form.kind == Form::Kind::kTuple && form.length != *count);
  const auto* key = as<Constant>(index);
  if (key == nullptr) return false;
  const bool is_text = key->constant_kind == ConstantKind::kStr;
  const bool is_number = key->constant_kind == ConstantKind::kInt;
  return (form.kind == Form::Kind::kTuple && is_text) || (form.kind == Form::Kind::kDict && is_number);
}

/// How many values an assignment takes apart; nullopt for others.
std::optional<std::size_t> unpacked_by(const Node& node) {
  const auto* assign = as<Assign>(&node);
  const auto* targets = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Tuple>(assign->targets.front());
  return targets != nullptr && is_plain(*targets) ? std::optional(targets->elements.size()) : std::nullopt;
}

/// Whether what is done with the result of the call does not fit the form.
bool takes_otherwise(const program::Program& program, const program::CallSite& site, const Form& form) {
  const std::vector<const Node*> around = chain_to(program.module_of(site.caller).facts->tree(), site.node->span);
  std::size_t at = around.size();
  if (at > 0 && is<Await>(around[at - 1])) --at;
  if (at == 0) return false;
  const Node& parent = *around[at - 1];
  const Node* whole = at == around.size() ? site.node : around[at];
  if (const auto* item = as<Subscript>(&parent))
    return item->value == whole && is_misfit(form, std::nullopt, item->index);
  const auto* assign = as<Assign>(&parent);
  if (assign == nullptr || assign->value != whole) return false;
  if (const auto count = unpacked_by(parent)) return is_misfit(form, count, nullptr);
  // Of a local that holds nothing else.
  const std::string_view local = assign->targets.size() == 1 ? rules::name_of(assign->targets.front()) : "";
  const FunctionDef* caller = program.functions()[site.caller].def();
  if (local.empty() || caller == nullptr || only_value_of(*caller, local) != whole) return false;
  bool found = false;
  walk(*caller, Nested::kEnter, [&](const Node* one) {
    const auto* item = as<Subscript>(one);
    if (item != nullptr && rules::name_of(item->value) == local)
      found = found || is_misfit(form, std::nullopt, item->index);
    const auto* apart = as<Assign>(one);
    if (apart != nullptr && rules::name_of(apart->value) == local)
      if (const auto count = unpacked_by(*one)) found = found || is_misfit(form, count, nullptr);
  });
  return found;
}

/// Where calls that surely enter the function take its result in a form that it does not have, as marked places.
std::vector<std::string> misfits(const program::Program& program, FunctionId function, const Form& form) {
  std::vector<std::string> out;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    if (site.targets.size() != 1 || site.targets.front().kind != program::CallKind::kDirect || !is<Call>(site.node) ||
        !takes_otherwise(program, site, form))
      continue;
    std::string where = place_of(program, program.functions()[site.caller].module, site.node->span);
    if (std::find(out.begin(), out.end(), where) == out.end()) out.push_back(std::move(where));
  }
  return out;
}

}  // namespace

void add_return_forms(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostTold = 3;
  constexpr std::size_t kMostPlaces = 3;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (actor.role == Role::kTest || !actor.is_function() || !entity.before || !entity.after ||
        !entity.after->function.valid() || told == kMostTold)
      continue;
    // What a function of autograd gives, autograd alone takes apart.
    const program::ClassId owner = inputs.after->functions()[entity.after->function].owner;
    if (owner.valid() && inputs.after->derives_from(owner, "torch.autograd.Function")) continue;
    const program::ModuleId old_module = inputs.before->find_path(entity.before->path);
    const program::ModuleId new_module = inputs.after->find_path(entity.after->path);
    if (!old_module.valid() || !new_module.valid()) continue;
    const auto before = form_returned(entity.before->node, inputs.before->modules()[old_module].facts->source());
    const auto after = form_returned(entity.after->node, inputs.after->modules()[new_module].facts->source());
    if (!before || !after || !are_other(*before, *after)) continue;
    std::vector<std::string> places = misfits(*inputs.after, entity.after->function, *after);
    const std::size_t all = places.size();
    if (all > kMostPlaces) places.resize(kMostPlaces);
    if (places.size() < all) places.push_back(fmt::format("{} more", all - places.size()));
    const std::string concern = fmt::format("{} returns {} now, formerly {}.", code(short_name(inputs, entity)),
                                            words_of(*after), words_of(*before));
    risks.push_back({RiskKind::kCompatibility, concern,
                     places.empty()
                         ? std::string("Code outside the repository that takes it apart has to follow.")
                         : fmt::format("{} still {} it as it was.", join_words(places), all == 1 ? "takes" : "take"),
                     false});
    ++told;
  }
}

}  // namespace lockstep::report
