// config-of-caller-changed: on changed lines, a module's constructor or `forward` sets a field of the config that it
// was given (`config.num_layers = 1`): whoever made the config, and every other module that holds it, sees the new
// value.
//
// Left out: configs that the function copies first, fields that no other file reads, fields that the function puts
// back, and classes without a `forward`: trainers and workers own their config.

#include <fmt/format.h>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "config-of-caller-changed";

bool is_config_name(std::string_view name) {
  return name == "config" || name == "cfg" || name.ends_with("_config") || name.ends_with("_cfg");
}

/// "config" of `config.x` and of `self.config.x`.
std::string_view config_of(const Attribute& target) {
  const std::string_view own = self_attribute(target.value);
  return own.empty() ? name_of(target.value) : own;
}

class FunctionScan : FunctionView {
 public:
  FunctionScan(const Program& program, FunctionId function, std::vector<Hit>& hits)
      : FunctionView(program, function, hits) {}

  void run() {
    const program::Class& cls = program_.classes()[row_.owner];
    if (!program_.find_method(row_.owner, "forward").valid()) return;
    if (contains(cls.name, "Config") || contains(cls.name, "Bridge") || contains(cls.name, "Provider")) return;
    for (const Parameter* parameter : row_.def()->parameters->all) {
      const std::string_view name = parameter->name.text;
      if (is_config_name(name) && !is_made_anew(name)) given(name);
    }
  }

 private:
  /// `config = copy.deepcopy(config)`, `self.config = replace(config, …)`: anything but the plain parameter.
  bool is_made_anew(std::string_view name) const {
    bool found = false;
    const auto look = [&](const Expr* target, const Expr* value) {
      const bool is_it = name_of(target) == name || self_attribute(target) == name;
      found = found || (is_it && value != nullptr && name_of(value) != name);
    };
    walk_statements(*row_.node, Nested::kSkip, [&](const Stmt* statement) {
      if (const auto* annotated = as<AnnAssign>(statement)) look(annotated->target, annotated->value);
      if (const auto* assign = as<Assign>(statement)) {
        for (const Expr* target : assign->targets) look(target, assign->value);
      }
    });
    return found;
  }

  void given(std::string_view name) {
    walk_of<Attribute>(*row_.node, Nested::kSkip, [&](const Attribute* target) {
      if (target->context != ExprContext::kStore || config_of(*target) != name) return;
      const std::string_view field = target->name.text;
      const auto reader = other_reader(field);
      if (!reader || is_restored(name, field)) return;
      Hit hit = make_hit(program_, kRule, row_.module, target->span,
                         {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
                          fmt::format("`{}` sets `{}` of the config that its caller passed in", row_.name, field),
                          fmt::format("The caller and all other modules built from the same `{}` see the new value, in "
                                      "an order that depends on who is built first.",
                                      name),
                          fmt::format("Copy the config first, or keep the value in an attribute of its own.")});
      hit.finding.evidence.push_back(*reader);
      hits_.push_back(std::move(hit));
    });
  }

  /// Set twice in the function: changed and put back.
  bool is_restored(std::string_view name, std::string_view field) const {
    int count = 0;
    walk_of<Attribute>(*row_.node, Nested::kSkip, [&](const Attribute* target) {
      if (target->context == ExprContext::kStore && config_of(*target) == name && target->name.text == field) ++count;
    });
    return count > 1;
  }

  std::optional<Evidence> other_reader(std::string_view field) const {
    for (std::size_t i = 0; i < program_.modules().size(); ++i) {
      const program::Module& module = program_.modules()[ModuleId(i)];
      if (ModuleId(i) == row_.module || program::is_test_path(module.path)) continue;
      if (module.facts->source().bytes().find(field) == std::string_view::npos) continue;
      const Attribute* found = nullptr;
      walk_of<Attribute>(module.facts->tree(), Nested::kEnter, [&](const Attribute* read) {
        if (found == nullptr && read->context == ExprContext::kLoad && read->name.text == field &&
            is_config_name(config_of(*read)))
          found = read;
      });
      if (found != nullptr)
        return evidence_at(program_, ModuleId(i), found->span, fmt::format("`{}` is read here", field));
    }
    return std::nullopt;
  }
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  for (const FunctionId function : program.modules()[module].functions) {
    const program::Function& row = program.functions()[function];
    if (row.def() == nullptr || !row.owner.valid() || (row.name != "__init__" && row.name != "forward")) continue;
    FunctionScan(program, function, hits).run();
  }
}

}  // namespace

void run_config_of_caller_changed(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_changed_lines(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
