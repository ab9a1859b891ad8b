#include "rules/syntax/flow.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "python/tree_walk.h"
#include "rules/syntax/variable_flow.h"

namespace lockstep::rules {

using namespace python;

namespace {

/// Reads of one variable in its own function (comprehensions included), by position.
using Loads = std::vector<const Name*>;

/// End of the block that holds each statement of a file.
class BlockEnds {
 public:
  explicit BlockEnds(const Module& module) { visit(module); }

  [[nodiscard]] std::uint32_t of(const Node* statement) const {
    const auto found = ends_.find(statement);
    return found == ends_.end() ? 0 : found->second;
  }

 private:
  void visit(const Node& node) {
    for_each_block(node, [&](Seq<Stmt> block) {
      for (const Stmt* statement : block) {
        ends_[statement] = block.back()->span.end;
        visit(*statement);
      }
    });
  }
  std::unordered_map<const Node*, std::uint32_t> ends_;
};

/// The stretch of source in which a binding surely gives the variable its value, whatever path is taken.
Span dominated_by(const Binding& binding, const BlockEnds& ends) {
  switch (binding.kind) {
    case BindingKind::kAssign:
    case BindingKind::kImport:
    case BindingKind::kFunction:
    case BindingKind::kClass:
    case BindingKind::kTypeAlias:
      if (const auto* annotated = as<AnnAssign>(binding.owner); annotated != nullptr && annotated->value == nullptr) {
        return {};
      }
      return {binding.owner->span.end, ends.of(binding.owner)};
    case BindingKind::kFor: {
      const auto* loop = as<For>(binding.owner);
      return loop == nullptr || loop->body.empty() ? Span{}
                                                   : Span{loop->body[0]->span.begin, loop->body.back()->span.end};
    }
    case BindingKind::kWith:
      return {binding.node->span.end, ends.of(binding.owner)};
    case BindingKind::kExcept:
      return {binding.name_span.end, binding.node->span.end};
    default:
      return {};
  }
}

bool needs_following(const std::vector<const Binding*>& bindings, const Loads& loads, const BlockEnds& ends) {
  const auto has = [&](BindingKind kind) {
    return std::any_of(bindings.begin(), bindings.end(), [&](const Binding* binding) { return binding->kind == kind; });
  };
  if (has(BindingKind::kDelete)) return true;
  if (has(BindingKind::kParameter)) return false;
  std::vector<Span> spans;
  for (const Binding* binding : bindings) {
    const Span span = dominated_by(*binding, ends);
    if (span.end > span.begin) spans.push_back(span);
  }
  return std::any_of(loads.begin(), loads.end(), [&](const Name* load) {
    return std::none_of(spans.begin(), spans.end(), [&](Span span) { return span.contains(load->span.begin); });
  });
}

/// Scopes whose variables are followed, with the reads of each variable.
using LoadsByName = std::map<std::string_view, Loads>;
using LoadsByScope = std::map<ScopeId, LoadsByName>;

LoadsByScope collect_loads(const ScopeNames& names) {
  const FileFacts& facts = names.facts();
  LoadsByScope loads;
  visit_name_uses(facts, [&](const NameUse& use) {
    if (!use.evaluated || use.in_unreachable || use.in_type_checking) return;
    if (use.name_error_caught || use.broadly_caught) return;
    const ScopeId home = names.find(use.scope, use.name->id);
    if (!home.valid()) return;
    const ScopeKind kind = facts.scopes[home].kind;
    if (kind != ScopeKind::kFunction && kind != ScopeKind::kModule) return;
    // Comprehensions run at once; a nested function runs later.
    ScopeId at = use.scope;
    while (at != home && facts.scopes[at].kind == ScopeKind::kComprehension) at = facts.scopes[at].parent;
    if (at == home) loads[home][use.name->id].push_back(use.name);
  });
  return loads;
}

/// Variables that nested functions rebind (`nonlocal`), and module variables that functions rebind (`global`).
struct BoundElsewhere {
  std::unordered_set<std::string_view> nonlocal_names, global_names;

  explicit BoundElsewhere(const FileFacts& facts) {
    for (const Scope& scope : facts.scopes) {
      nonlocal_names.insert(scope.nonlocal_names.begin(), scope.nonlocal_names.end());
      global_names.insert(scope.global_names.begin(), scope.global_names.end());
    }
  }
};

/// One decision can leave many reads without a value: the first, and surest, is told.
void keep_first_of_each_decision(std::vector<UnboundUse> own, std::vector<UnboundUse>& uses) {
  std::stable_sort(own.begin(), own.end(), [](const UnboundUse& a, const UnboundUse& b) {
    return std::pair(a.certainty, a.use->span.begin) < std::pair(b.certainty, b.use->span.begin);
  });
  std::unordered_set<const Node*> told;
  for (const UnboundUse& use : own) {
    if (told.insert(use.skipped_by).second) uses.push_back(use);
  }
}

}  // namespace

std::vector<UnboundUse> find_unbound_uses(const ScopeNames& names, const NeverReturns& never_returns,
                                          const MayRaise& may_raise) {
  const FileFacts& facts = names.facts();
  const LoadsByScope loads = collect_loads(names);
  const BlockEnds ends(facts.tree());
  const BoundElsewhere elsewhere(facts);
  const bool has_star_import =
      std::any_of(facts.imports.begin(), facts.imports.end(), [](const ImportedName& i) { return i.name == "*"; });
  std::vector<UnboundUse> uses;
  for (const auto& [scope, by_name] : loads) {
    const bool is_module = facts.scopes[scope].kind == ScopeKind::kModule;
    if (is_module && has_star_import) continue;
    for (const auto& [name, places] : by_name) {
      const auto& bindings = names.bindings(scope, name);
      if (is_module && is_builtin_name(name)) continue;
      if ((is_module ? elsewhere.global_names : elsewhere.nonlocal_names).contains(name)) continue;
      if (!needs_following(bindings, places, ends)) continue;
      std::vector<UnboundUse> own;
      follow_variable(facts, scope, name, bindings, places, never_returns, may_raise, own);
      keep_first_of_each_decision(std::move(own), uses);
    }
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const UnboundUse& a, const UnboundUse& b) { return a.use->span.begin < b.use->span.begin; });
  return uses;
}

}  // namespace lockstep::rules
