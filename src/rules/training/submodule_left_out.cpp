// submodule-left-out: a method that hands on to the method of the same name of the parts of its object
// (`def backward_dw(self): self.experts.backward_dw()`) passes over one part that has this method, too.
//
// Left out: parts whose class the code does not show, methods that only raise or do nothing, methods that walk through
// parts without naming them or hand on to their base, parts that anything else of the class calls so, and objects of
// more than 100 parts.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "change/summary.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "submodule-left-out";
/// Objects of more parts hold them as a list does.
constexpr std::size_t kMostParts = 100;

/// A part of an object: what its constructor makes of one class, once.
struct Part {
  ClassId cls;
  const Call* made = nullptr;
};

/// The class of which a call surely makes an object, as far as the code shows; of one that inherits its constructor the
/// class that has it.
ClassId made_class(const Program& program, FunctionId method, const Call& call) {
  const program::Reference made = program.resolve(method, *call.callee);
  if (made.kind == program::Reference::Kind::kClass) return made.cls;
  const program::CallId id = program.call_of(&call);
  if (!id.valid() || program.calls()[id].targets.size() != 1) return {};
  const program::CallTarget& target = program.calls()[id].targets.front();
  const bool is_made = target.function.valid() && target.kind == program::CallKind::kConstructor;
  return is_made ? program.functions()[target.function].owner : ClassId();
}

/// Parts by attribute: `self.x = Class(…)` in `__init__`, where nothing else of the class gives `self.x` a value.
std::map<std::string_view, Part> parts_of(const Program& program, ClassId id) {
  std::map<std::string_view, Part> parts;
  std::map<std::string_view, int> stores;
  for (const FunctionId method : program.classes()[id].methods) {
    const program::Function& row = program.functions()[method];
    walk_of<Assign>(*row.node, Nested::kEnter, [&](const Assign* assign) {
      for (const Expr* target : assign->targets) {
        const std::string_view name = self_attribute(target);
        if (name.empty() || is_none(assign->value)) continue;  // `self.x = None` where there is no such part.
        ++stores[name];
        const auto* call = as<Call>(assign->value);
        if (call == nullptr || row.name != "__init__") continue;
        if (const ClassId cls = made_class(program, method, *call); cls.valid()) parts[name] = {cls, call};
      }
    });
  }
  std::erase_if(parts, [&](const auto& part) { return stores[part.first] != 1; });
  return parts;
}

/// A method of the class, its own or inherited, that does more than to raise or to pass.
bool has_working_method(const Program& program, ClassId cls, std::string_view name) {
  const FunctionId method = program.find_method(cls, name);
  const FunctionDef* def = method.valid() ? program.functions()[method].def() : nullptr;
  return def != nullptr && std::any_of(def->body.begin(), def->body.end(), [](const Stmt* statement) {
           const auto* value = as<ExprStmt>(statement);
           const auto* returned = as<Return>(statement);
           const bool is_text = value != nullptr && is<Constant>(value->value);
           const bool is_nothing = returned != nullptr && (returned->value == nullptr || is<Constant>(returned->value));
           return !is_text && !is_nothing && !is<Raise>(statement) && !is<Pass>(statement);
         });
}

/// The parts on which a method calls the method of its own name, and where; nullopt where it may call more than it
/// names: through `super()`, a loop, or by a computed name.
std::optional<std::map<std::string_view, const Call*>> handed_on(const program::Function& method) {
  std::map<std::string_view, const Call*> parts;
  bool is_open = false;
  walk(*method.node, Nested::kEnter, [&](const Node* node) {
    is_open = is_open || is<For>(node) || is<Comprehension>(node) || is<While>(node);
    const auto* call = as<Call>(node);
    if (call == nullptr) return;
    const std::string_view callee = name_of(call->callee);
    is_open = is_open || callee == "super" || callee == "getattr";
    const auto* attribute = as<Attribute>(call->callee);
    if (attribute == nullptr || attribute->name.text != method.name) return;
    if (const std::string_view part = self_attribute(attribute->value); !part.empty()) parts.emplace(part, call);
  });
  if (is_open) return std::nullopt;
  return parts;
}

/// What the methods of a class do with parts of the object.
struct PartUses {
  std::set<std::pair<std::string_view, std::string_view>> attributes;  ///< (x, name) of `self.x.name`.
  std::set<std::string_view> handed;                                   ///< x of `f(self.x)`.
};

PartUses uses_of_parts(const Program& program, ClassId id) {
  PartUses uses;
  const auto hand = [&](const Expr* given) {
    if (const std::string_view part = self_attribute(given); !part.empty()) uses.handed.insert(part);
  };
  for (const FunctionId method : program.classes()[id].methods) {
    walk(*program.functions()[method].node, Nested::kEnter, [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node)) {
        const std::string_view part = self_attribute(attribute->value);
        if (!part.empty()) uses.attributes.emplace(part, attribute->name.text);
      } else if (const auto* call = as<Call>(node)) {
        for (const Expr* given : call->arguments) hand(given);
        for (const Keyword* keyword : call->keywords) hand(keyword->value);
      }
    });
  }
  return uses;
}

std::set<std::string_view> attributes_in(const Node& node) {
  std::set<std::string_view> names;
  walk_of<Attribute>(node, Nested::kEnter, [&](const Attribute* attribute) { names.insert(attribute->name.text); });
  return names;
}

std::string listed(const std::vector<std::string_view>& names) {
  std::vector<std::string> quoted;
  for (const std::string_view name : names) quoted.push_back(fmt::format("`self.{}`", name));
  return change::list_names(quoted);
}

/// One question: why `method` leaves out `names`, parts of class `part_class`, where it hands on to others.
void ask(const Program& program, FunctionId method, ClassId part_class, const std::vector<std::string_view>& names,
         const std::map<std::string_view, Part>& parts, const std::map<std::string_view, const Call*>& handed,
         std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[method];
  const Call* first = nullptr;
  for (const std::string_view name : names) {
    const Call* made = parts.at(name).made;
    if (first == nullptr || made->span.begin < first->span.begin) first = made;
  }
  const Call* last = handed.begin()->second;
  for (const auto& [other, call] : handed) {
    if (call->span.begin > last->span.begin) last = call;
  }
  Hit hit = make_hit(
      program, kRule, row.module, first->span,
      {Severity::kP2, FindingCertainty::kQuestion, Category::kCorrectness,
       fmt::format("{} {} left out of `{}` on purpose?", names.size() == 1 ? "Is" : "Are", listed(names),
                   short_name(program, method)),
       fmt::format("`{}` hands on to `{}` of other parts of the object; `{}` has that method, too, and nothing in the "
                   "class calls it there.",
                   row.name, row.name, program.classes()[part_class].name),
       fmt::format("Call `{}` on {} in `{}` too, or say there why not.", row.name, listed(names),
                   short_name(program, method))});
  for (const std::string_view name : names) hit.key += fmt::format(" {}", name);
  hit.key += fmt::format(" {}", row.name);
  hit.finding.evidence.push_back(evidence_at(program, row.module, last->span, "other parts are handed on to here"));
  const FunctionId has = program.find_method(part_class, row.name);
  hit.finding.evidence.push_back(evidence_at(program, program.functions()[has].module,
                                             program.functions()[has].def()->name.span,
                                             fmt::format("`{}` of what is left out", row.name)));
  hits.push_back(std::move(hit));
}

void scan_class(const Program& program, ClassId id, std::vector<Hit>& hits) {
  const program::Class& cls = program.classes()[id];
  std::map<std::string_view, Part> parts;
  PartUses uses;
  bool is_known = false;
  for (const FunctionId method : cls.methods) {
    const program::Function& row = program.functions()[method];
    if (row.def() == nullptr || row.name.starts_with("__") || row.name == "forward") continue;
    const auto handed = handed_on(row);
    if (!handed || handed->empty()) continue;
    if (!is_known) {
      parts = parts_of(program, id);
      if (parts.size() > kMostParts) return;
      uses = uses_of_parts(program, id);
      is_known = true;
    }
    const std::set<std::string_view> mentioned = attributes_in(*row.node);
    // Parts of one class are one question.
    std::map<ClassId, std::vector<std::string_view>> by_class;
    std::map<ClassId, bool> has_method;
    const auto could_be_called = [&](ClassId part) {
      const auto [known, is_new] = has_method.try_emplace(part);
      if (is_new) known->second = has_working_method(program, part, row.name);
      return known->second;
    };
    for (const auto& [name, part] : parts) {
      if (!handed->contains(name) && could_be_called(part.cls) && !mentioned.contains(name) &&
          !uses.handed.contains(name) && !uses.attributes.contains({name, row.name}))
        by_class[part.cls].push_back(name);
    }
    for (const auto& [part_class, names] : by_class) ask(program, method, part_class, names, parts, *handed, hits);
  }
}

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  for (const ClassId cls : program.modules()[module].classes) scan_class(program, cls, hits);
}

}  // namespace

void run_submodule_left_out(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
