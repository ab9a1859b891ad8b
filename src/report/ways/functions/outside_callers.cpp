#include "report/ways/functions/outside_callers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;
using program::Reference;

namespace {

/// Functions that ask about a class, or type something with it, and make no object.
bool only_asks(const Call& call) {
  constexpr std::string_view kNames[] = {"NewType",        "TypeVar",    "cast",       "dir",  "fields", "format",
                                         "get_type_hints", "getattr",    "hasattr",    "hash", "help",   "id",
                                         "is_dataclass",   "isinstance", "issubclass", "len",  "log",    "pprint",
                                         "print",          "repr",       "setattr",    "str",  "super",  "type",
                                         "vars",           "warn"};
  return std::find(std::begin(kNames), std::end(kNames), callee_name(call)) != std::end(kNames) ||
         rules::is_log_call(&call) || rules::root_name(call.callee) == "inspect";
}

/// Whether the nodes around a mention of a class, innermost last, hand it on.
bool hands_on(const std::vector<const Node*>& around) {
  const Node* inner = around.back();
  for (std::size_t i = around.size() - 1; i-- > 0; inner = around[i]) {
    const Node* outer = around[i];
    if (const auto* call = as<Call>(outer)) return call->callee != inner && !only_asks(*call);
    if (const auto* table = as<Dict>(outer))
      return std::any_of(table->values.begin(), table->values.end(), [&](const Expr* one) { return one == inner; });
    if (is<Assign>(outer)) return !is<Name>(inner) && !is<Attribute>(inner);  // `A = B` is another name.
    if (!is<Keyword>(outer) && !is<python::List>(outer) && !is<Tuple>(outer)) return false;
  }
  return false;
}

/// `@register("x")`, `@REGISTRY.register_module()`.
const Expr* registering_decorator(const ClassDef& cls, const SourceText& source) {
  for (const Expr* decorator : cls.decorators) {
    const auto* call = as<Call>(decorator);
    const std::string_view name = source.slice((call == nullptr ? decorator : call->callee)->span);
    if (contains(to_lower(name), "regist")) return decorator;
  }
  return nullptr;
}

}  // namespace

std::string library_base(const Program& program, FunctionId function) {
  // A library calls what its own names lead to, not what a class keeps to itself, and constructors by a class's name.
  const auto is_private = [](std::string_view name) { return name.starts_with("_") && !name.ends_with("__"); };
  if (function.valid() &&
      (program.functions()[function].name == "__init__" || program.functions()[function].name == "__new__"))
    return {};
  while (function.valid() && !program.functions()[function].owner.valid())
    function = program.functions()[function].enclosing;
  if (!function.valid()) return {};
  if (is_private(program.functions()[function].name)) return {};
  const ClassId cls = program.functions()[function].owner;
  // Bases that call nothing of a class, or only what the call graph knows.
  constexpr std::string_view kPlain[] = {"abc.ABC",      "argparse.", "collections.",      "contextlib.",
                                         "dataclasses.", "enum.",     "numbers.",          "torch.nn.Module",
                                         "types.",       "typing.",   "typing_extensions."};
  for (const std::string& base : program.classes()[cls].external_ancestors) {
    const bool is_plain =
        std::any_of(std::begin(kPlain), std::end(kPlain), [&](std::string_view one) { return base.starts_with(one); });
    if (contains(base, ".") && !is_plain) return base;
  }
  return {};
}

std::vector<std::string> handed_on_places(const Program& program, ClassId cls, std::size_t most) {
  constexpr std::size_t kMostLooked = 200;  // mentions in one file
  std::vector<std::string> out;
  const program::Class& it = program.classes()[cls];
  const program::Module& home = program.module_of(cls);
  if (const Expr* decorator = registering_decorator(*it.node, home.facts->source())) {
    const std::string text = code("@" + one_line(home.facts->source(), *decorator, 50));
    out.push_back(fmt::format("{} ({})", text, place(home.path, home.facts->source().line_of(decorator->span.begin))));
  }
  const std::string full = fmt::format("{}.{}", home.name, it.name);
  const std::string with_colon = fmt::format("{}:{}", home.name, it.name);
  for (std::size_t m = 0; m < program.modules().size() && out.size() < most; ++m) {
    const program::ModuleId id(m);
    const program::Module& module = program.modules()[id];
    if (program::is_test_path(module.path)) continue;
    const SourceText& source = module.facts->source();
    std::size_t looked = 0;
    for (std::size_t at = module.facts->find_name(it.name);
         at != std::string_view::npos && looked < kMostLooked && out.size() < most;
         at = module.facts->find_name(it.name, at + 1), ++looked) {
      const auto offset = static_cast<std::uint32_t>(at);
      const std::vector<const Node*> around = chain_to(module.facts->tree(), {offset, offset + 1});
      if (around.size() < 2) continue;
      bool is_named = false;
      if (const auto* text = as<Constant>(around.back())) {
        is_named = text->constant_kind == ConstantKind::kStr && (text->text == full || text->text == with_colon);
      } else if (is<Name>(around.back()) || is<Attribute>(around.back())) {
        const auto* expression = static_cast<const Expr*>(around.back());
        const Reference to = program.resolve(program.function_at(id, offset), *expression);
        is_named = to.kind == Reference::Kind::kClass && to.cls == cls && hands_on(around);
      }
      std::string where = is_named ? place(module.path, source.line_of(offset)) : std::string();
      if (is_named && std::find(out.begin(), out.end(), where) == out.end()) out.push_back(std::move(where));
    }
  }
  return out;
}

}  // namespace lockstep::report
