#include "report/story/checks/gone_resets.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "program/queries.h"
#include "report/document.h"
#include "report/source/attribute_stores.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostReached = 400;  ///< Functions below one that are looked through.
constexpr std::size_t kMostNamed = 4;      ///< Attributes.
constexpr std::size_t kMostResetters = 2;

/// The attribute of `self` that a plain statement sets to a number; null for others.
const Attribute* reset_by(const Step& step) {
  const auto* assign = step.kind == StepKind::kPlain ? as<Assign>(step.node) : nullptr;
  const auto* number = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Constant>(assign->value);
  const bool is_number = number != nullptr &&
                         (number->constant_kind == ConstantKind::kInt || number->constant_kind == ConstantKind::kFloat);
  const auto* member = is_number ? as<Attribute>(assign->targets.front()) : nullptr;
  const auto* object = member == nullptr ? nullptr : as<Name>(member->value);
  return object != nullptr && object->id == "self" ? member : nullptr;
}

/// Who sets a counter now; nothing where it is none any more.
struct Counter {
  std::vector<AttributeStore> setters;  ///< One a function.
  bool is_set_unseen = false;           ///< Something else may be.
};

std::optional<Counter> counter_of(const program::Program& program, program::ClassId cls, std::string_view name) {
  Counter out;
  bool is_counted = false;
  for (const AttributeStore& store : stores_of(program, name)) {
    if (store.is_off_self && !program::are_kin(program, cls, store.cls)) continue;
    if (!store.is_off_self) {
      const std::vector<program::ClassId> classes = program.instance_classes(store.function, *store.object);
      const bool is_kin = std::any_of(classes.begin(), classes.end(),
                                      [&](program::ClassId one) { return program::are_kin(program, cls, one); });
      if (!classes.empty() && !is_kin) continue;
      if (classes.empty()) {
        out.is_set_unseen = out.is_set_unseen || !store.counts;
        continue;
      }
    }
    is_counted = is_counted || store.counts;
    const bool is_known = std::any_of(out.setters.begin(), out.setters.end(),
                                      [&](const AttributeStore& one) { return one.function == store.function; });
    if (!store.counts && !is_known) out.setters.push_back(store);
  }
  return is_counted ? std::optional(std::move(out)) : std::nullopt;
}

/// Whether the function comes to one of the setters: what it calls resets in its place.
bool comes_to(const program::Program& program, program::FunctionId function,
              const std::vector<AttributeStore>& setters) {
  if (setters.empty()) return false;
  const program::FunctionId sources[] = {function};
  const std::vector<program::Reached> below = program::reachable_from(program, sources, kMostReached);
  // Of what comes to everything nothing is known.
  return below.size() >= kMostReached || std::any_of(below.begin(), below.end(), [&](const program::Reached& one) {
           return std::any_of(setters.begin(), setters.end(),
                              [&](const AttributeStore& setter) { return setter.function == one.function; });
         });
}

/// Whether the same functions set both, as far as that is known.
bool have_same_setters(const Counter& a, const Counter& b) {
  return a.is_set_unseen == b.is_set_unseen &&
         std::equal(
             a.setters.begin(), a.setters.end(), b.setters.begin(), b.setters.end(),
             [](const AttributeStore& one, const AttributeStore& other) { return one.function == other.function; });
}

/// "; only `G` (`path:line`) does now"; empty where more may.
std::string setters_words(const program::Program& program, const Counter& counter) {
  if (counter.is_set_unseen || counter.setters.size() > kMostResetters) return {};
  if (counter.setters.empty()) return "; nothing outside tests does now";
  std::vector<std::string> names;
  for (const AttributeStore& one : counter.setters) {
    const std::string& path = program.module_of(one.function).path;
    names.push_back(fmt::format("{} ({})", code(short_name(program, one.function)), place(path, one.line)));
  }
  return fmt::format("; only {} {} now", join_words(names), names.size() == 1 ? "does" : "do");
}

/// What all conditions begin with.
void keep_common(std::vector<std::string>& common, const std::vector<std::string>& other) {
  const auto differs = std::mismatch(common.begin(), common.end(), other.begin(), other.end()).first;
  common.erase(differs, common.end());
}

}  // namespace

GoneResets gone_resets(const DocumentInputs& inputs, const Actor& actor) {
  GoneResets out;
  const auto& change = *actor.change;
  if (!actor.is_function() || !change.before || !change.after || !change.after->function.valid() ||
      actor.steps.before_source == nullptr)
    return out;
  const program::Program& program = *inputs.after;
  const program::FunctionId function = change.after->function;
  const program::ClassId cls = class_of_self(program, function);
  const std::string_view own = program.functions()[function].name;
  if (!cls.valid() || own == "__init__" || own == "__post_init__" || own == "__new__") return out;
  std::vector<std::string> names;
  std::optional<Counter> first;
  bool are_set_alike = true;
  std::optional<std::vector<std::string>> where;
  for (std::size_t i = 0; i < actor.steps.before.size(); ++i) {
    const Step& step = actor.steps.before[i];
    const Attribute* member = step.status == StepStatus::kRemoved ? reset_by(step) : nullptr;
    if (member == nullptr || step.is_moved || step.elsewhere != nullptr || step.inlined != nullptr) continue;
    std::optional<Counter> counter = counter_of(program, cls, member->name.text);
    if (!counter || comes_to(program, function, counter->setters)) continue;
    out.steps.insert(i);
    std::string name = code("self." + std::string(member->name.text));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    are_set_alike = are_set_alike && (!first || have_same_setters(*first, *counter));
    if (!first) first = std::move(counter);
    std::vector<std::string> parts = where_parts(*change.before->node, step, *actor.steps.before_source);
    if (where)
      keep_common(*where, parts);
    else
      where = std::move(parts);
  }
  if (names.empty()) return out;
  const std::size_t all = names.size();
  if (all > kMostNamed) names.resize(kMostNamed - 1);
  if (all > kMostNamed) names.push_back(fmt::format("{} more", all - names.size()));
  out.text = fmt::format("no longer resets {}{}", join_words(names),
                         are_set_alike ? setters_words(program, *first) : std::string());
  out.where = std::move(*where);
  return out;
}

}  // namespace lockstep::report
