#include "report/documents/costs/kept_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/attribute_stores.h"
#include "report/source/code.h"
#include "report/source/local_values.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// "`setattr(p, NAME, f)` (`b.py:7`)" of the one place outside tests that stores under the same name; empty where none
/// or several do.
std::string setter_words(const Program& program, const Expr& attribute) {
  const auto told = [&](program::ModuleId module, const Node& node) {
    return fmt::format("{} ({})", code(one_line(program.modules()[module].facts->source(), node, 60)),
                       place_of(program, module, node.span));
  };
  if (const std::string_view text = rules::text_of(&attribute); !text.empty()) {
    const std::vector<AttributeStore> stores = stores_of(program, text);
    if (stores.size() != 1) return {};
    return told(program.functions()[stores.front().function].module, *stores.front().statement);
  }
  const std::string_view constant = rules::last_part_of(&attribute);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < program.modules().size() && !constant.empty(); ++i) {
    const program::ModuleId id(i);
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path) || !module.facts->has_name(constant)) continue;
    walk_of<Call>(module.facts->tree(), Nested::kEnter, [&](const Call* call) {
      if (rules::name_of(call->callee) == "setattr" && call->arguments.size() == 3 &&
          rules::last_part_of(call->arguments[1]) == constant)
        found.push_back(told(id, *call));
    });
  }
  return found.size() == 1 ? found.front() : std::string();
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
    const auto* kept = row.def() == nullptr ? nullptr : as<Call>(only_value_of(*row.def(), local));
    if (kept == nullptr || rules::name_of(kept->callee) != "getattr" || kept->arguments.size() < 2) continue;
    const std::string setter = setter_words(program, *kept->arguments[1]);
    return fmt::format("{} in {} ({}) calls what it gets from an attribute, which was not followed{}",
                       code(one_line(source_of(program, function), *call, 40)), code(short_name(program, function)),
                       place_of(program, row.module, call->span), setter.empty() ? "" : "; " + setter + " sets it");
  }
  return {};
}

}  // namespace lockstep::report
