// What the new lines take from their module that may be one thing or another: names that an optional import binds, or
// that are bound in several places. Whether a guard stands before their use is often what decides.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "writer/pack/state_piece.h"

namespace lockstep::writer {

namespace {

using python::as;
using python::Node;
using report::code;

constexpr std::size_t kMostNames = 8, kMostBindings = 4;

bool binds_value(python::BindingKind kind) {
  using python::BindingKind;
  return kind == BindingKind::kAssign || kind == BindingKind::kAugAssign || kind == BindingKind::kAnnotation ||
         kind == BindingKind::kImport || kind == BindingKind::kFunction || kind == BindingKind::kClass;
}

// "under `if HAVE_X`", "in the `else` of `if HAVE_X`", "in a `try`", "in an `except`"; empty at the top.
std::string where_in_module(const program::Module& module, const Node& node) {
  const SourceText& source = module.facts->source();
  std::string where;
  const Node* outer = nullptr;
  for (const Node* holder : report::chain_to(module.facts->tree(), node.span)) {
    if (const auto* branch = as<python::If>(holder)) {
      const std::string condition = code("if " + report::one_line(source, *branch->condition, 60));
      const bool is_else = !branch->orelse.empty() && node.span.begin >= branch->orelse[0]->span.begin;
      where = is_else ? fmt::format("in the {} of {}", code("else"), condition) : fmt::format("under {}", condition);
    } else if (python::is<python::Try>(holder)) {
      where = fmt::format("in a {}", code("try"));
    } else if (python::is<python::ExceptHandler>(holder) && python::is<python::Try>(outer)) {
      where = fmt::format("in an {}", code("except"));
    }
    outer = holder;
  }
  return where;
}

/// Names that the new lines of a function read, with the line of the first use.
void add_names(const report::DocumentInputs& inputs, const report::Actor& actor,
               std::map<std::string_view, std::uint32_t>& names) {
  const change::EntitySide& side = *actor.change->after;
  const repo::FileChange* file = inputs.change->diff->find_after(side.path);
  if (file == nullptr || side.node == nullptr) return;
  const SourceText& source = report::source_of(*inputs.after, side.function);
  python::walk_of<python::Name>(*side.node, python::Nested::kEnter, [&](const python::Name* name) {
    const std::uint32_t line = source.line_of(name->span.begin);
    if (name->context == python::ExprContext::kLoad && (actor.is_added() || file->lines.is_added_line(line)))
      names.try_emplace(name->id, line);
  });
}

std::string binding_text(const program::Module& module, const python::Binding& binding) {
  const SourceText& source = module.facts->source();
  const std::uint32_t line = source.line_of(binding.name_span.begin);
  std::string text =
      fmt::format("{}: {}", report::place(module.path, line), code(report::one_line(source, binding.owner->span, 90)));
  if (binding.kind == python::BindingKind::kImport)
    text = fmt::format("{}: an import", report::place(module.path, line));
  const std::string where = where_in_module(module, *binding.owner);
  return where.empty() ? text : fmt::format("{}, {}", text, where);
}

void add_items(const program::Module& module, const std::map<std::string_view, std::uint32_t>& names,
               report::List& list) {
  const python::FileFacts& facts = *module.facts;
  const python::Scope& scope = facts.scopes[python::ScopeId(0)];
  for (const auto& [name, line] : names) {
    std::vector<const python::Binding*> bindings;
    for (const python::Binding& binding : scope.bindings) {
      if (binding.name == name && binds_value(binding.kind)) bindings.push_back(&binding);
    }
    const bool is_optional = std::any_of(facts.imports.begin(), facts.imports.end(), [&](const auto& one) {
      return one.bound_as == name && one.in_try && !one.in_type_checking;
    });
    if (list.items.size() == kMostNames || bindings.empty() || (bindings.size() < 2 && !is_optional)) continue;
    std::vector<std::string> lines;
    for (const python::Binding* binding : bindings) {
      if (lines.size() < kMostBindings) lines.push_back(binding_text(module, *binding));
    }
    report::ListItem item;
    item.text = report::prose(fmt::format("{}, used at {}, is bound in {}:", code(name),
                                          report::place(module.path, line), count_of(bindings.size(), "place")));
    report::Document inner;
    inner.bullets(lines);
    item.children = std::move(inner.blocks);
    list.items.push_back(std::move(item));
  }
}

}  // namespace

std::optional<Piece> bindings_piece(const report::DocumentInputs& inputs, const report::Story& story) {
  std::map<program::ModuleId, std::map<std::string_view, std::uint32_t>> used;
  for (const report::Actor& actor : story.actors) {
    const bool is_told = actor.role == report::Role::kCentral || actor.role == report::Role::kSupporting;
    if (!is_told || !actor.is_function() || !actor.change->after || !actor.change->after->function.valid()) continue;
    add_names(inputs, actor, used[inputs.after->functions()[actor.change->after->function].module]);
  }
  Piece piece;
  piece.kind = PieceKind::kState;
  piece.name = "names that may be one thing or another";
  piece.content.heading(3, "Names of the module that its new lines use and that may be one thing or another");
  report::List list;
  for (const auto& [module, names] : used) add_items(inputs.after->modules()[module], names, list);
  if (list.items.empty()) return std::nullopt;
  piece.content.blocks.push_back({std::move(list)});
  return piece;
}

}  // namespace lockstep::writer
