#include "report/documents/compatibility/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/compatibility/removed.h"
#include "report/source/field_setters.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;

namespace {

bool has_own_constructor(const program::Program& program, const program::Class& cls) {
  return std::any_of(cls.methods.begin(), cls.methods.end(),
                     [&](program::FunctionId method) { return program.functions()[method].name == "__init__"; });
}

bool is_told_as_setting(const Story& story, const program::Class& cls, std::string_view name) {
  return is_named_for_settings(cls.name) ||
         std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) { return flag.name == name; });
}

using Names = std::vector<std::string_view>;

/// Parameters that can be given by position, in their order.
Names positional(const rules::Signature& signature) {
  Names out;
  for (const rules::AcceptedParameter& each : signature.parameters) {
    if (each.kind == Parameter::Kind::kPositionalOrKeyword) out.push_back(each.name);
  }
  return out;
}

/// The first parameter of before that stands in another position now, or in none; empty where all stay.
std::string_view first_pushed(const rules::Signature& before, const rules::Signature& after) {
  const Names was = positional(before);
  const Names now = positional(after);
  for (std::size_t i = 0; i < was.size(); ++i) {
    if (i >= now.size() || now[i] != was[i]) return was[i];
  }
  return {};
}

/// How many places outside tests make an object of the class, if each gives all of `demanded` by name; 0 if one does
/// not, or may not, or if another class is made by the same name.
std::size_t makers_that_give(const program::Program& program, ClassId id, const Names& demanded) {
  const program::Class& cls = program.classes()[id];
  if (!program.subclasses_of(id).empty()) return 0;
  std::size_t makers = 0;
  bool all_give = true;
  for (std::size_t i = 0; i < program.modules().size() && all_give; ++i) {
    const program::Module& module = program.modules()[program::ModuleId(i)];
    if (program::is_test_path(module.path) || !module.facts->has_name(cls.name)) continue;
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
      if (rules::last_part_of(call->callee) != cls.name) return;
      const auto gives = [&](std::string_view field) { return rules::keyword_value(*call, field) != nullptr; };
      const program::FunctionId maker = program.function_at(program::ModuleId(i), call->span.begin);
      const program::Reference made = program.resolve(maker.valid() ? maker : module.body, *call->callee);
      all_give = all_give && made.kind == program::Reference::Kind::kClass && made.cls == id &&
                 std::all_of(demanded.begin(), demanded.end(), gives);
      ++makers;
    });
  }
  return all_give ? makers : 0;
}

/// Places outside tests that make an object of the class, by whether they give the field.
struct Makers {
  std::vector<std::string> giving;
  std::vector<std::string> lacking;
};

/// Those that hand on `**options`, and positional arguments up to the field, count for neither.
Makers makers_of(const program::Program& program, ClassId id, std::string_view field) {
  const program::Class& cls = program.classes()[id];
  Makers out;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::ModuleId module_id(i);
    const program::Module& module = program.modules()[module_id];
    if (program::is_test_path(module.path) || !module.facts->has_name(cls.name)) continue;
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
      if (rules::last_part_of(call->callee) != cls.name || rules::has_spread_keywords(*call) ||
          !call->arguments.empty())
        return;
      const program::FunctionId maker = program.function_at(module_id, call->span.begin);
      const program::Reference made = program.resolve(maker.valid() ? maker : module.body, *call->callee);
      if (made.kind != program::Reference::Kind::kClass || made.cls != id) return;
      auto& list = rules::keyword_value(*call, field) != nullptr ? out.giving : out.lacking;
      list.push_back(place_of(program, module_id, call->span));
    });
  }
  return out;
}

/// A field with a default that some places give and others leave out: what these are made without.
void add_lacking_makers(const DocumentInputs& inputs, ClassId id, std::string_view field, std::vector<Risk>& risks) {
  constexpr std::size_t kMostNamed = 3;
  constexpr std::size_t kMostLacking = 8;
  const auto signature = rules::Signatures(*inputs.after).of_dataclass(id);
  const rules::AcceptedParameter* taken = signature ? signature->find(field) : nullptr;
  if (taken == nullptr || !taken->has_default) return;
  Makers makers = makers_of(*inputs.after, id, field);
  const std::size_t all = makers.lacking.size();
  if (makers.giving.empty() || all == 0 || all > kMostLacking) return;
  if (all > kMostNamed + 1) makers.lacking.resize(kMostNamed);
  if (makers.lacking.size() < all) makers.lacking.push_back(fmt::format("{} more places", all - makers.lacking.size()));
  risks.push_back({RiskKind::kCompatibility,
                   fmt::format("{} is made without the new {} at {}; {} gives it.", code(short_name(*inputs.after, id)),
                               code(std::string(field)), join_words(makers.lacking), makers.giving.front()),
                   "Is its default right there?", false});
}

void add_fields_of(const DocumentInputs& inputs, ClassId id, const Names& added, std::vector<Risk>& risks) {
  const program::Program& program = *inputs.after;
  const ClassId old_class = inputs.before->find_class(program.classes()[id].qualified_name);
  const auto before = rules::Signatures(*inputs.before).of_dataclass(old_class);
  const auto after = rules::Signatures(program).of_dataclass(id);
  if (!before || !after) return;
  Names demanded;
  std::vector<std::string> mandatory;
  std::vector<std::string> optional;
  bool has_position = false;
  for (const std::string_view field : added) {
    const rules::AcceptedParameter* taken = after->find(field);
    if (taken == nullptr || before->find(field) != nullptr) continue;
    (taken->has_default ? optional : mandatory).push_back(code(field));
    if (!taken->has_default) demanded.push_back(field);
    has_position = has_position || taken->kind == Parameter::Kind::kPositionalOrKeyword;
  }
  if (mandatory.empty() && optional.empty()) return;
  const std::string name = code(short_name(program, id));
  if (!mandatory.empty()) {
    const std::size_t makers = makers_that_give(program, id, demanded);
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("The dataclass {} takes the new {} without a default.", name, join_words(mandatory)),
                     makers == 0   ? std::string("Whoever makes one has to give it")
                     : makers == 1 ? std::string("The one place outside tests that makes one gives it")
                                   : fmt::format("All {} places outside tests that make one give it", makers),
                     false,
                     {},
                     makers > 0});
    return;
  }
  std::string status = "Existing calls still fit";
  bool is_settled = false;
  const std::string_view pushed = first_pushed(*before, *after);
  if (!pushed.empty())
    status = fmt::format("Only callers that give {} or what follows it by position have to follow", code(pushed));
  else if (has_position && !program.subclasses_of(id).empty())
    status = "Calls that give the fields of its subclasses by name stay valid";
  else
    is_settled = true;
  risks.push_back({RiskKind::kCompatibility,
                   fmt::format("The dataclass {} takes the new {}, with a default.", name, join_words(optional)),
                   std::move(status),
                   false,
                   {},
                   is_settled});
}

}  // namespace

void add_new_fields(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  std::size_t looked_at = 0;
  std::vector<std::pair<ClassId, Names>> grown;
  for (const Actor& actor : story.actors) {
    const change::EntityChange& entity = *actor.change;
    if (entity.kind != change::EntityKind::kField || !actor.is_added() || actor.role == Role::kTest ||
        !is_public(entity) || !entity.after->cls.valid())
      continue;
    const program::Class& cls = inputs.after->classes()[entity.after->cls];
    const std::string_view qualified = entity.after->qualified_name;
    const std::string_view name = qualified.substr(qualified.rfind('.') + 1);
    const ClassId old_class = inputs.before->find_class(cls.qualified_name);
    if (cls.is_dataclass && old_class.valid() && !has_own_constructor(*inputs.after, cls) && looked_at++ < kMost)
      add_lacking_makers(inputs, entity.after->cls, name, risks);
    if (!cls.is_dataclass || !old_class.valid() || has_own_constructor(*inputs.after, cls) ||
        is_told_as_setting(story, cls, name))
      continue;
    const program::Field* inherited = inputs.before->find_field(old_class, name);
    if (inherited != nullptr && inherited->in_class_body) continue;
    const auto known =
        std::find_if(grown.begin(), grown.end(), [&](const auto& one) { return one.first == entity.after->cls; });
    auto& names = known != grown.end() ? known->second : grown.emplace_back(entity.after->cls, Names()).second;
    names.push_back(name);
  }
  if (grown.size() > kMost) grown.resize(kMost);
  for (const auto& [cls, names] : grown) add_fields_of(inputs, cls, names, risks);
}

}  // namespace lockstep::report
