#include "report/documents/costs/kept_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// `getattr(x, NAME)` that gives the function its local; null where something else does, or several do.
const Call* getattr_of(const Node& function, std::string_view local) {
  const Call* found = nullptr;
  std::size_t bound = 0;
  walk(function, Nested::kSkip, [&](const Node* node) {
    const auto* name = as<Name>(node);
    bound += name != nullptr && name->id == local && name->context == ExprContext::kStore ? 1 : 0;
    const auto* assign = as<Assign>(node);
    const bool gives =
        assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets.front()) == local;
    const auto* call = gives ? as<Call>(assign->value) : nullptr;
    if (call != nullptr && rules::name_of(call->callee) == "getattr" && call->arguments.size() >= 2) found = call;
  });
  return bound == 1 ? found : nullptr;
}

/// "`setattr(p, NAME, f)` (`b.py:7`)" of the one place outside tests that stores under the same name; empty where none
/// or several do.
std::string setter_words(const Program& program, const Expr& attribute) {
  const std::string_view by_name = rules::last_part_of(&attribute);
  const std::string_view by_text = rules::text_of(&attribute);
  std::string out;
  for (std::size_t i = 0; i < program.modules().size(); ++i) {
    const program::Module& module = program.modules()[program::ModuleId(i)];
    if (program::is_test_path(module.path) || !module.facts->has_name(by_text.empty() ? by_name : by_text)) continue;
    std::size_t sets = 0;
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
      if (rules::name_of(call->callee) != "setattr" || call->arguments.size() != 3) return;
      const Expr* name = call->arguments[1];
      if (by_text.empty() ? rules::last_part_of(name) != by_name : rules::text_of(name) != by_text) return;
      ++sets;
      if (out.empty())
        out = fmt::format("{} ({})", code(one_line(module.facts->source(), *call, 60)),
                          place_of(program, program::ModuleId(i), call->span));
      else
        sets = 2;
    });
    if (sets > 1) return {};
  }
  return out;
}

}  // namespace

std::string kept_function_words(const Program& program, FunctionId function) {
  const program::Function& row = program.functions()[function];
  for (const program::CallId id : row.calls) {
    const program::CallSite& site = program.calls()[id];
    const auto* call = as<Call>(site.node);
    const std::string_view local = call == nullptr ? std::string_view() : rules::name_of(call->callee);
    const bool is_followed = std::any_of(site.targets.begin(), site.targets.end(), [](const program::CallTarget& one) {
      return one.certainty == program::Certainty::kExact;
    });
    if (local.empty() || is_followed) continue;
    const Call* kept = getattr_of(*row.node, local);
    if (kept == nullptr) continue;
    const std::string setter = setter_words(program, *kept->arguments[1]);
    return fmt::format("{} in {} ({}) calls what it gets from an attribute, which was not followed{}",
                       code(one_line(source_of(program, function), *call, 40)), code(short_name(program, function)),
                       place_of(program, row.module, call->span), setter.empty() ? "" : "; " + setter + " sets it");
  }
  return {};
}

}  // namespace lockstep::report
