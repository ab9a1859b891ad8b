// cannot-work: code that fails whenever it runs, or whose test can never hold, as its own text shows: `**args` of the
// `*args` tuple, an Enum class called without a value, `for i, a, b in enumerate(…)`, `zip` of two taken apart into
// three, `items.extend(*parts)`, a builtin function tested or read as if it were the parameter `input_`, `.keys()` of a
// list, a module where `isinstance` takes a class.
//
// Left out: names that anything in the file binds again, tests.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "python/tree_walk.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/names/names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/word_tables.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "cannot-work";
// Builtin functions (not types): they have none of the attributes, indices or classes that code asks of its values.
constexpr auto kFunctions = std::to_array<std::string_view>(
    {"input", "id", "max", "min", "sum", "hash", "iter", "next", "len", "all", "any", "vars", "dir", "sorted"});
constexpr auto kEnums =
    std::to_array<std::string_view>({"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"});

// Modules of torch that share their name, but for the capital, with a class.
constexpr auto kModules = std::to_array<std::string_view>({"torch.nn.parameter", "torch.optim.optimizer",
                                                           "torch.nn.modules", "torch.nn.modules.module",
                                                           "torch.utils.data.dataset", "torch.utils.data.dataloader"});
constexpr auto kOfMappings = std::to_array<std::string_view>({"keys", "values", "items", "setdefault"});

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, const ScopeNames& names, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), names_(names) {}

  void run() {
    const auto scope = facts_.scope_of_node.find(row_.node);
    if (scope == facts_.scope_of_node.end()) return;
    scope_ = scope->second;
    const std::string_view rest = rest_parameter();
    walk(*row_.node, Nested::kSkip, [&](const Node* node) {
      if (const auto* call = as<Call>(node)) {
        if (!rest.empty()) spread_tuple(*call, rest);
        extend_by_many(*call);
        enum_without_value(*call);
        builtin_tested(*call);
        method_of_sequence(*call);
        module_as_class(*call);
      } else if (const auto* loop = as<For>(node)) {
        taken_apart(*loop->target, *loop->iterable);
      } else if (const auto* comprehension = as<Comprehension>(node)) {
        taken_apart(*comprehension->target, *comprehension->iterable);
      } else if (const auto* attribute = as<Attribute>(node)) {
        if (!attribute->name.text.starts_with("__")) builtin_read(*attribute->value);
      } else if (const auto* subscript = as<Subscript>(node)) {
        builtin_read(*subscript->value);
      }
    });
  }

 private:
  void report(Span span, FindingCertainty certainty, std::string message, std::string why, std::string fix) {
    const Severity severity = certainty == FindingCertainty::kProven ? Severity::kP0 : Severity::kP1;
    hits_.push_back(
        make_hit(program_, kRule, row_.module, span,
                 {severity, certainty, Category::kCorrectness, std::move(message), std::move(why), std::move(fix)}));
  }

  /// The name of `*args`, where nothing else binds it.
  [[nodiscard]] std::string_view rest_parameter() const {
    const FunctionDef* def = row_.def();
    if (def == nullptr) return {};
    for (const Parameter* parameter : def->parameters->all) {
      if (parameter->parameter_kind != Parameter::Kind::kVarArgs) continue;
      return names_.bindings(scope_, parameter->name.text).size() == 1 ? parameter->name.text : std::string_view();
    }
    return {};
  }

  /// `f(**args)` where args is the tuple of positional arguments.
  void spread_tuple(const Call& call, std::string_view rest) {
    for (const Keyword* keyword : call.keywords) {
      if (!keyword->name.text.empty() || name_of(keyword->value) != rest) continue;
      report(keyword->span, FindingCertainty::kProven,
             fmt::format("`**{0}` spreads a tuple: `{0}` holds the positional arguments", rest),
             "The call raises TypeError whenever it runs: what follows `**` has to be a mapping.",
             fmt::format("Write `*{}`.", rest));
    }
  }

  /// `items.extend(*parts)`: extend takes one argument.
  void extend_by_many(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    if (method == nullptr || (method->name.text != "extend" && method->name.text != "append")) return;
    if (call.arguments.size() != 1 || !call.keywords.empty() || !is_list(name_of(method->value))) return;
    const auto* spread = as<Starred>(call.arguments[0]);
    if (spread == nullptr || is<Tuple>(spread->value) || is<List>(spread->value)) return;
    report(call.span, FindingCertainty::kLikely,
           fmt::format("`{}` takes one argument, and this spreads as many as there happen to be", method->name.text),
           "The call raises TypeError unless there is exactly one.",
           fmt::format("Loop over `{}`, and {} each.", quote(facts_, spread->value->span), method->name.text));
  }

  /// Every assignment of the name in this function gives it a list.
  [[nodiscard]] bool is_list(std::string_view name) const {
    const auto& bindings = names_.bindings(scope_, name);
    return !name.empty() && !bindings.empty() && std::all_of(bindings.begin(), bindings.end(), [](const Binding* each) {
      const auto* assign = as<Assign>(each->owner);
      const auto* annotated = as<AnnAssign>(each->owner);
      const Expr* value = assign != nullptr ? assign->value : annotated != nullptr ? annotated->value : nullptr;
      return is<List>(value) || is<ListComp>(value);
    });
  }

  void enum_without_value(const Call& call) {
    if (!call.arguments.empty() || !call.keywords.empty()) return;
    if (!is<Name>(call.callee) && !is<Attribute>(call.callee)) return;
    const program::Reference named = program_.resolve(function_, *call.callee);
    if (named.kind != program::Reference::Kind::kClass) return;
    const program::Class& cls = program_.classes()[named.cls];
    const bool is_enum = std::any_of(cls.external_ancestors.begin(), cls.external_ancestors.end(),
                                     [](const std::string& above) { return has(kEnums, above); });
    const auto own_way = [&](std::string_view method) { return program_.find_method(named.cls, method).valid(); };
    if (!is_enum || !cls.node->keywords.empty() || own_way("_missing_") || own_way("__new__")) return;
    Hit hit = make_hit(program_, kRule, row_.module, call.span,
                       {Severity::kP0, FindingCertainty::kProven, Category::kCorrectness,
                        fmt::format("`{}` is an Enum, and is called without a value", cls.name),
                        "The call raises TypeError whenever it runs.",
                        fmt::format("Name the member on the class: `{}.NAME`.", cls.name)});
    hit.finding.evidence.push_back(evidence_at(program_, cls.module, cls.node->name.span, "the class"));
    hits_.push_back(std::move(hit));
  }

  /// How many values each round of `enumerate(…)` or `zip(a, b)` gives.
  [[nodiscard]] std::optional<std::size_t> values_a_round(const Call& call) const {
    const std::string_view callee = name_of(call.callee);
    if (callee.empty() || names_.find(scope_, callee).valid() || has_spread_arguments(call)) return std::nullopt;
    if (callee == "enumerate" && !call.arguments.empty()) return 2;
    if (callee == "zip" && !call.arguments.empty()) return call.arguments.size();
    return std::nullopt;
  }

  void taken_apart(const Expr& target, const Expr& iterable) {
    const auto* tuple = as<Tuple>(&target);
    const auto* call = as<Call>(&iterable);
    if (tuple == nullptr || call == nullptr) return;
    const auto starred = [](const Expr* each) { return is<Starred>(each); };
    if (std::any_of(tuple->elements.begin(), tuple->elements.end(), starred)) return;
    const auto count = values_a_round(*call);
    if (!count) return;
    const std::string_view callee = name_of(call->callee);
    if (*count != tuple->elements.size()) {
      report({target.span.begin, iterable.span.end}, FindingCertainty::kProven,
             fmt::format("Each round of this `{}` gives {} values, which are unpacked into {}", callee, *count,
                         tuple->elements.size()),
             "The loop raises ValueError in its first round.",
             callee == "enumerate" ? "Take the inner values apart in parentheses: `for i, (a, b) in enumerate(…)`."
                                   : "Unpack as many names as there are sequences.");
      return;
    }
    // for i, (a, b, c) in enumerate(zip(x, y))
    if (callee == "enumerate") return taken_apart(*tuple->elements[1], *call->arguments[0]);
    for (std::size_t i = 0; i < *count; ++i) taken_apart(*tuple->elements[i], *call->arguments[i]);
  }

  /// `name` is the builtin function here, and the function has a variable `name_`.
  [[nodiscard]] bool stands_for_variable(std::string_view name) const {
    return has(kFunctions, name) && !names_.find(scope_, name).valid() &&
           !names_.bindings(scope_, fmt::format("{}_", name)).empty();
  }

  void builtin_tested(const Call& call) {
    if (name_of(call.callee) != "isinstance" || call.arguments.size() != 2) return;
    const std::string_view name = name_of(call.arguments[0]);
    if (!stands_for_variable(name)) return;
    report(call.span, FindingCertainty::kLikely,
           fmt::format("`{0}` is the builtin function here; the variable is called `{0}_`", name),
           "The test is false whatever is passed.", fmt::format("Test `{}_`.", name));
  }

  /// `NAMES.keys()` where the one statement that sets NAMES, here or in the module it comes from, gives it a list.
  void method_of_sequence(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    if (method == nullptr || !has(kOfMappings, method->name.text) || !is<Name>(method->value)) return;
    const std::string_view name = name_of(method->value);
    const ScopeId home = names_.find(scope_, name);
    if (!home.valid()) return;
    const Binding* binding = sole_binding(names_.bindings(home, name));
    ModuleId module = row_.module;
    if (binding != nullptr && binding->kind == BindingKind::kImport) {
      const program::Reference named = program_.resolve(function_, *method->value);
      if (named.kind != program::Reference::Kind::kVariable || !named.module.valid()) return;
      module = named.module;
      const ScopeNames elsewhere(*program_.modules()[module].facts);
      binding = sole_binding(elsewhere.bindings(ScopeId(0), named.name));
    }
    const auto* assign = binding == nullptr ? nullptr : as<Assign>(binding->owner);
    if (assign == nullptr || assign->targets.size() != 1 || !is<Name>(assign->targets[0])) return;
    if (!is<List>(assign->value) && !is<ListComp>(assign->value) && !is<Tuple>(assign->value)) return;
    Hit hit = make_hit(program_, kRule, row_.module, call.span,
                       {Severity::kP0, FindingCertainty::kProven, Category::kCorrectness,
                        fmt::format("`{}` is a list or tuple, and has no `{}`", name, method->name.text),
                        "The line raises AttributeError whenever it runs.", fmt::format("Use `{}` itself.", name)});
    hit.finding.evidence.push_back(evidence_at(program_, module, assign->span, "what it holds"));
    hits_.push_back(std::move(hit));
  }

  static const Binding* sole_binding(const std::vector<const Binding*>& bindings) {
    return bindings.size() == 1 ? bindings[0] : nullptr;
  }

  /// `isinstance(x, torch.nn.parameter)`.
  void module_as_class(const Call& call) {
    if (name_of(call.callee) != "isinstance" || call.arguments.size() != 2) return;
    const Expr& asked = *call.arguments[1];
    if (!is<Name>(&asked) && !is<Attribute>(&asked)) return;
    const program::Reference named = program_.resolve(function_, asked);
    const bool is_module = named.kind == program::Reference::Kind::kModule ||
                           (named.kind == program::Reference::Kind::kExternal && has(kModules, named.name));
    if (!is_module) return;
    report(call.span, FindingCertainty::kProven,
           fmt::format("`{}` is a module, and `isinstance` takes a class", quote(facts_, asked.span)),
           "The call raises TypeError whenever it runs.", "Name the class in the module.");
  }

  void builtin_read(const Expr& base) {
    const std::string_view name = name_of(&base);
    if (!stands_for_variable(name)) return;
    report(base.span, FindingCertainty::kLikely,
           fmt::format("`{0}` is the builtin function here; the variable is called `{0}_`", name),
           "The line raises an error whenever it runs.", fmt::format("Write `{}_`.", name));
  }

  const ScopeNames& names_;
  ScopeId scope_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const program::Module& row = program.modules()[module];
  const ScopeNames names(*row.facts);
  FunctionScan(program, names, row.body, hits).run();
  for (const FunctionId function : row.functions) FunctionScan(program, names, function, hits).run();
}

}  // namespace

void run_cannot_work(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
