// shared-mutable-state: a list, dict or set that all calls or all objects share, and that is changed through one of
// them: a default argument that the function changes, a class attribute that a method changes through `self`.
//
// Left out: attributes that any method sets on `self` first, or that the file names through the class (`Class.x`,
// `cls.x`): there the sharing is meant; caches, registries, names in capitals; classes of which the file makes one
// object for all; classes with a metaclass or outside bases that may copy.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/names/bindings.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "shared-mutable-state";
bool is_mutable(const Expr* value) {
  if (is<List>(value) || is<Dict>(value) || is<Set>(value)) return true;
  const auto* call = as<Call>(value);
  return call != nullptr && makes_container(last_part_of(call->callee));
}

/// The first place below `node` that changes what `is_it` recognises; null where there is none.
template <class IsIt>
const Node* change_of(const Node& node, const IsIt& is_it) {
  const Node* found = nullptr;
  walk(node, Nested::kSkip, [&](const Node* each) {
    if (found != nullptr) return;
    if (const auto* call = as<Call>(each)) {
      const auto* method = as<Attribute>(call->callee);
      if (method != nullptr && is_it(*method->value) && changes_container(method->name.text)) found = each;
    }
    const auto* item = as<Subscript>(each);
    if (item != nullptr && item->context != ExprContext::kLoad && is_it(*item->value)) found = each;
  });
  return found;
}

class Scan {
 public:
  Scan(const Program& program, ModuleId module, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), hits_(hits) {}

  void run() {
    for (const FunctionId function : program_.modules()[module_].functions) {
      if (program_.functions()[function].def() != nullptr) defaults(program_.functions()[function]);
    }
    for (const program::ClassId cls : program_.modules()[module_].classes) attributes(program_.classes()[cls]);
  }

 private:
  void defaults(const program::Function& function) {
    for (const Parameter* parameter : function.def()->parameters->all) {
      const std::string_view name = parameter->name.text;
      if (!is_mutable(parameter->default_value) || binds_name(*function.node, name)) continue;
      if (is_cell(*parameter->default_value)) continue;
      const Node* change = change_of(*function.node, [&](const Expr& value) { return name_of(&value) == name; });
      if (change == nullptr) continue;
      report(parameter->default_value->span, *change,
             fmt::format("The default of `{}` is one object for all calls, and the function changes it", name),
             "What one call puts in, the next one finds.",
             fmt::format("Write `{0}=None`, and `if {0} is None: {0} = {1}` in the body.", name,
                         quote(facts_, parameter->default_value->span, 30)));
    }
  }

  /// `count=[0]`: kept from call to call on purpose.
  static bool is_cell(const Expr& value) {
    const auto* list = as<List>(&value);
    return list != nullptr && list->elements.size() == 1 && is<Constant>(list->elements[0]);
  }

  void attributes(const program::Class& cls) {
    if (cls.is_dataclass || !cls.node->keywords.empty() || has_unknown_base(cls) || is_single(cls.name)) return;
    for (const program::Field& field : cls.fields) {
      if (!field.in_class_body || !is_mutable(field.default_value) || is_constant_name(field.name)) continue;
      if (contains(field.name, "cache") || contains(field.name, "registry") || contains(field.name, "instance"))
        continue;
      if (field.annotation != nullptr && contains(quote(facts_, field.annotation->span, 80), "ClassVar")) continue;
      if (is_shared_on_purpose(field.name)) continue;
      const Node* change = nullptr;
      for (const FunctionId method : cls.methods) {
        const auto is_it = [&](const Expr& value) { return self_attribute(&value) == field.name; };
        if (change == nullptr) change = change_of(*program_.functions()[method].node, is_it);
      }
      if (change == nullptr) continue;
      report(
          field.node->span, *change,
          fmt::format("`{}.{}` is one object for all instances, and a method changes it through `self`", cls.name,
                      field.name),
          "What one object puts in, all others find: models, ranks of a test, and runs in one process share it.",
          fmt::format("Set `self.{} = {}` in `__init__`.", field.name, quote(facts_, field.default_value->span, 30)));
    }
  }

  /// The file makes one object of it for all: `MANAGER = Manager()`.
  bool is_single(std::string_view cls) const {
    return std::any_of(facts_.tree().body.begin(), facts_.tree().body.end(), [&](const Stmt* statement) {
      const auto* assign = as<Assign>(statement);
      const auto* call = assign == nullptr ? nullptr : as<Call>(assign->value);
      return call != nullptr && name_of(call->callee) == cls;
    });
  }

  static bool has_unknown_base(const program::Class& cls) {
    return std::any_of(cls.external_ancestors.begin(), cls.external_ancestors.end(), [](const std::string& name) {
      return name != "object" && name != "abc.ABC" && !name.ends_with("nn.Module");
    });
  }

  static bool is_constant_name(std::string_view name) {
    return name.starts_with("__") ||
           std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  }

  /// `self.x = …`, `cls.x` or `Class.x` anywhere in the file, or `x` set on an object of it.
  bool is_shared_on_purpose(std::string_view name) const {
    bool found = false;
    walk_of<Attribute>(facts_.tree(), Nested::kEnter, [&](const Attribute* attribute) {
      if (found || attribute->name.text != name) return;
      const std::string_view root = name_of(attribute->value);
      found = root != "self" || attribute->context == ExprContext::kStore;
    });
    return found;
  }

  void report(Span span, const Node& change, std::string message, std::string why, std::string fix) {
    Hit hit = make_hit(program_, kRule, module_, span,
                       {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness, std::move(message),
                        std::move(why), std::move(fix)});
    hit.finding.evidence.push_back(evidence_at(program_, module_, change.span, "it is changed here"));
    hits_.push_back(std::move(hit));
  }

  const Program& program_;
  const ModuleId module_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) { Scan(program, module, hits).run(); }

}  // namespace

void run_shared_mutable_state(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
