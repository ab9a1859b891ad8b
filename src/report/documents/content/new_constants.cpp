#include "report/documents/content/new_constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/trails/word_uses.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// The number or text that a declaration gives; null for others.
const Constant* declared_constant(const Node* declaration) {
  const Expr* target = nullptr;
  const Expr* value = assigned_value(declaration, target);
  const auto* constant = as<Constant>(value);
  if (constant == nullptr) return nullptr;
  return constant->constant_kind == ConstantKind::kStr || constant->constant_kind == ConstantKind::kInt ? constant
                                                                                                        : nullptr;
}

/// Functions outside tests and the class itself that read `Class.name`, by whatever name they call the class, in source
/// order.
std::vector<std::string> readers_of(const Program& program, ClassId cls, std::string_view name) {
  std::vector<std::string> out;
  std::vector<bool> may_read;  // By module: asked once of each, for functions are many.
  for (const program::Module& module : program.modules())
    may_read.push_back(module.facts->has_name(name) && !program::is_test_path(module.path));
  for (std::size_t i = 0; i < program.functions().size(); ++i) {
    const FunctionId id(i);
    const program::Function& function = program.functions()[id];
    const FunctionDef* def = function.def();
    if (def == nullptr || !may_read[function.module.index()] || function.owner == cls) continue;
    bool reads = false;
    walk_of<Attribute>(*def, Nested::kSkip, [&](const Attribute* attribute) {
      if (reads || attribute->name.text != name || attribute->context != ExprContext::kLoad) return;
      const program::Reference owner = program.resolve(id, *attribute->value);
      reads = owner.kind == program::Reference::Kind::kClass && owner.cls == cls;
    });
    if (reads) out.push_back(code(short_name(program, id)));
  }
  return out;
}

/// Whether the class had no such attribute before, by a base either, nothing else gives it one, its body declares it
/// once, and no constant of that value goes, which it may be under another name.
bool is_new_and_only(const DocumentInputs& inputs, const Story& story, const Actor& actor) {
  const change::EntitySide& after = *actor.change->after;
  const std::string_view name = change::last_part(after.qualified_name);
  const program::Class& cls = inputs.after->classes()[after.cls];
  const ClassId before = inputs.before->find_class(cls.qualified_name);
  if (inputs.before->find_field(before, name) != nullptr) return false;
  std::size_t declared = 0;
  walk(*cls.node, Nested::kEnter, [&](const Node* node) {
    const auto* bound = as<Name>(node);
    declared += bound != nullptr && bound->id == name && bound->context != ExprContext::kLoad ? 1 : 0;
  });
  const Constant* constant = declared_constant(after.node);
  const auto is_same = [&](const Actor& other) {
    const Constant* gone = other.is_removed() && other.change->kind == change::EntityKind::kField
                               ? declared_constant(other.change->before->node)
                               : nullptr;
    return gone != nullptr && gone->text == constant->text;
  };
  return declared == 1 && std::none_of(story.actors.begin(), story.actors.end(), is_same) &&
         readers_of(*inputs.before, before, name).empty() && !is_given(*inputs.before, name) &&
         !is_given(*inputs.after, name);
}

}  // namespace

std::vector<std::string> new_constant_items(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  struct Found {
    std::string text;
    std::size_t readers = 0;
  };
  std::vector<Found> found;
  constexpr std::size_t kMostLookedFor = 20;
  constexpr std::size_t kMostNamed = 4;
  std::size_t looked_for = 0;
  for (const Actor& actor : story.actors) {
    const auto& after = actor.change->after;
    if (actor.change->kind != change::EntityKind::kField || !actor.is_added() || !after->cls.valid() ||
        program::is_test_path(after->path))
      continue;
    const program::Class& owner = inputs.after->classes()[after->cls];
    const Constant* constant = declared_constant(after->node);
    // Of a new class its own words say more.
    if (constant == nullptr || !inputs.before->find_class(owner.qualified_name).valid()) continue;
    if (++looked_for > kMostLookedFor) break;
    if (!is_new_and_only(inputs, story, actor)) continue;
    std::vector<std::string> readers = readers_of(*inputs.after, after->cls, change::last_part(after->qualified_name));
    if (readers.empty()) continue;
    const std::size_t all = readers.size();
    if (all > kMostNamed) {
      readers.resize(kMostNamed - 1);
      readers.push_back(fmt::format("{} more", all - readers.size()));
    }
    const SourceText& source = inputs.after->module_of(after->cls).facts->source();
    found.push_back({fmt::format("{} is new: {}; read in {}.", code(short_name(inputs, *actor.change)),
                                 code(one_line(source, *constant, 40)), join_words(readers)),
                     all});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.readers > b.readers; });
  if (found.size() > most) found.resize(most);
  std::vector<std::string> out;
  for (Found& one : found) out.push_back(std::move(one.text));
  return out;
}

}  // namespace lockstep::report
