#include "report/story/steps/mended_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "program/queries.h"
#include "program/resolve.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether anything in the module may give the name a value, in whatever scope.
bool may_bind(const Module& tree, std::string_view name) {
  bool found = false;
  walk(tree, Nested::kEnter, [&](const Node* node) {
    const auto* variable = as<Name>(node);
    const auto* parameter = as<Parameter>(node);
    const auto* function = as<FunctionDef>(node);
    const auto* cls = as<ClassDef>(node);
    const auto* alias = as<Alias>(node);
    const auto* handler = as<ExceptHandler>(node);
    found = found || (variable != nullptr && variable->context != ExprContext::kLoad && variable->id == name) ||
            (parameter != nullptr && parameter->name.text == name) ||
            (function != nullptr && function->name.text == name) || (cls != nullptr && cls->name.text == name) ||
            (handler != nullptr && handler->name.text == name);
    if (const auto* global = as<Global>(node))
      found = found || std::any_of(global->names.begin(), global->names.end(),
                                   [&](const auto& one) { return one.text == name; });
    if (alias != nullptr) {
      const std::string_view whole = alias->as_name.text.empty() ? alias->name.text : alias->as_name.text;
      found = found || whole == "*" || whole.substr(0, whole.find('.')) == name;
    }
  });
  return found;
}

/// The first place that reads the name where a run gets to: in no annotation.
const Name* first_read(const Module& tree, std::string_view name) {
  const Name* found = nullptr;
  walk_of<Name>(tree, Nested::kEnter, [&](const Name* one) {
    if (found != nullptr || one->id != name || one->context != ExprContext::kLoad) return;
    for (const Node* around : chain_to(tree, one->span)) {
      const auto holds = [&](const Expr* part) { return part != nullptr && part->span.contains(one->span); };
      const auto* parameter = as<Parameter>(around);
      const auto* declared = as<AnnAssign>(around);
      const auto* function = as<FunctionDef>(around);
      if ((parameter != nullptr && holds(parameter->annotation)) ||
          (declared != nullptr && holds(declared->annotation)) || (function != nullptr && holds(function->returns)))
        return;
    }
    found = one;
  });
  return found;
}

}  // namespace

std::vector<std::string> mended_names(const DocumentInputs& inputs) {
  constexpr std::size_t kMost = 3;  // names of one module
  std::vector<std::string> out;
  for (const change::FileSummary& file : inputs.change->files) {
    const program::ModuleId before = inputs.before->find_path(file.file->old_path);
    const program::ModuleId after = inputs.after->find_path(file.file->new_path);
    if (!before.valid() || !after.valid() || program::is_test_path(file.file->new_path)) continue;
    const FileFacts& old_facts = *inputs.before->modules()[before].facts;
    std::vector<std::string> names;
    std::string user;
    // What the old version imported, wherever, it bound: most names, and asking the tree for each takes long.
    std::set<std::string_view> imported_before;
    for (const ImportedName& imported : old_facts.imports) imported_before.insert(imported.bound_as);
    for (const ImportedName& imported : inputs.after->modules()[after].facts->imports) {
      const std::string_view name = imported.bound_as;
      if (names.size() == kMost || name.empty() || imported_before.contains(name) || !old_facts.has_name(name))
        continue;
      if (std::find(names.begin(), names.end(), code(name)) != names.end() || imported.in_type_checking ||
          program::is_builtin(name))
        continue;
      const Module& tree = old_facts.tree();
      const Name* read = may_bind(tree, name) ? nullptr : first_read(tree, name);
      if (read == nullptr) continue;
      if (names.empty()) {
        const program::FunctionId function = inputs.before->function_at(before, read->span.begin);
        user = fmt::format("{} used {} ({} before the change)", code(short_name(*inputs.before, function)), code(name),
                           place(file.file->old_path, old_facts.source().line_of(read->span.begin)));
      }
      names.push_back(code(name));
    }
    if (names.empty()) continue;
    const bool is_one = names.size() == 1;
    out.push_back(fmt::format("{} {} imported now: {}, and nothing bound {}, so that it raised {}.", join_words(names),
                              is_one ? "is" : "are", user, is_one ? "it" : "them", code("NameError")));
  }
  return out;
}

}  // namespace lockstep::report
