#include "rules/logic/copiers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;
using program::Reference;

/// A name that is copied, and the place that says so.
struct Listed {
  std::string_view name;
  Span span;
};

/// Whether an expression changes the list or dict that the variable holds: `NAMES.append(x)`, `NAMES[key] = x`.
bool changes_in_place(const Node& node, std::string_view variable) {
  if (const auto* method = as<Attribute>(&node)) {
    return name_of(method->value) == variable && changes_container(method->name.text);
  }
  const auto* item = as<Subscript>(&node);
  return item != nullptr && item->context != ExprContext::kLoad && name_of(item->value) == variable;
}

/// The value that a module gives a variable, where one assignment alone does and nothing in the module changes it.
const Expr* module_value(const Program& program, const Reference& variable) {
  if (variable.kind != Reference::Kind::kVariable || !variable.module.valid()) return nullptr;
  const Expr* value = nullptr;
  int stores = 0;
  bool is_changed = false;
  const Node& tree = program.modules()[variable.module].facts->tree();
  walk_statements(tree, Nested::kSkip, [&](const Stmt* statement) {
    const auto note = [&](const Expr* target, const Expr* given) {
      if (name_of(target) == variable.name) value = given;
    };
    if (const auto* assign = as<Assign>(statement)) {
      for (const Expr* target : assign->targets) note(target, assign->value);
    } else if (const auto* annotated = as<AnnAssign>(statement)) {
      note(annotated->target, annotated->value);
    }
  });
  if (value == nullptr) return nullptr;
  walk(tree, Nested::kEnter, [&](const Node* node) {
    const auto* name = as<Name>(node);
    stores += name != nullptr && name->id == variable.name && name->context != ExprContext::kLoad ? 1 : 0;
    is_changed = is_changed || changes_in_place(*node, variable.name);
  });
  return stores == 1 && !is_changed ? value : nullptr;
}

/// What the expression stands for: a variable of a module for its value, anything else for itself; null where a name's
/// value is not known.
const Expr* value_of(const Program& program, FunctionId function, const Expr& expression) {
  if (!is<Name>(&expression) && !is<Attribute>(&expression)) return &expression;
  return module_value(program, program.resolve(function, expression));
}

/// The texts of a list, tuple or set, or the keys of a dict; nullopt where one of them is no text.
std::optional<std::vector<Listed>> texts_in(const Expr* value) {
  Seq<Expr> elements;
  if (const auto* list = as<List>(value)) elements = list->elements;
  if (const auto* tuple = as<Tuple>(value)) elements = tuple->elements;
  if (const auto* set = as<Set>(value)) elements = set->elements;
  if (const auto* dict = as<Dict>(value)) elements = dict->keys;
  std::vector<Listed> texts;
  for (const Expr* element : elements) {
    if (text_of(element).empty()) return std::nullopt;
    texts.push_back({text_of(element), element->span});
  }
  return texts;
}

bool is_settings(std::string_view place) {
  const std::string_view last = place.substr(place.rfind('.') + 1);
  return last.ends_with("args") || last.ends_with("config") || last.ends_with("cfg") || last.ends_with("options");
}

bool may_copy(const std::string& from, const std::string& to) {
  return !from.empty() && !to.empty() && from != to && to != "self" && to != "cls" && !is_settings(from) &&
         !is_settings(to);
}

class Scan {
 public:
  Scan(const Program& program, FunctionId function)
      : program_(program), function_(function), row_(program.functions()[function]) {}

  std::vector<Copier> run() {
    walk(*row_.node, Nested::kSkip, [&](const Node* node) { look(*node); });
    if (copiers_.empty() && may_copy_more_) copiers_.push_back({function_, {}, {}, {}, true});
    for (Copier& one : copiers_) one.may_copy_more = may_copy_more_;
    return std::move(copiers_);
  }

 private:
  void look(const Node& node) {
    if (const auto* loop = as<For>(&node)) {
      enter(*loop);
    } else if (const auto* name = as<Name>(&node)) {
      // What is stored otherwise stands for other names than those of a loop before.
      if (name->context == ExprContext::kStore && !loop_targets_.contains(name)) loops_.erase(name->id);
    } else if (const auto* branch = as<If>(&node)) {
      note_asked(*branch->condition);
    } else if (const auto* call = as<Call>(&node)) {
      look_at_setattr(*call);
      look_at_copy(*call);
    } else if (const auto* attribute = as<Attribute>(&node)) {
      may_copy_more_ = may_copy_more_ || attribute->name.text == "__dict__";
    } else if (const auto* assign = as<Assign>(&node)) {
      look_at_assignment(*assign);
    }
  }

  void enter(const For& loop) {
    if (!is<Name>(loop.target)) return;
    loop_targets_.insert(loop.target);
    const Expr* listed = value_of(program_, function_, *loop.iterable);
    std::vector<Listed>& names = loops_[name_of(loop.target)];
    names = texts_in(listed).value_or(std::vector<Listed>());
    // A list that stands elsewhere is told where it is gone through.
    if (listed != loop.iterable) {
      for (Listed& name : names) name.span = loop.iterable->span;
    }
  }

  /// Copies of all that an object has: `copy.copy(old)`, `vars(old)`.
  void look_at_copy(const Call& call) {
    constexpr auto kOfAll = std::to_array<std::string_view>(
        {"copy", "copy.copy", "copy.deepcopy", "dataclasses.replace", "deepcopy", "dir", "replace", "vars"});
    const std::string callee = dotted_text(call.callee);
    may_copy_more_ = may_copy_more_ || std::find(kOfAll.begin(), kOfAll.end(), callee) != kOfAll.end();
  }

  /// Remembers `hasattr(x, "name")` and `getattr(x, "name", None)` of conditions.
  void note_asked(const Expr& condition) {
    const auto note = [&](const Node* node) {
      const auto* call = as<Call>(node);
      if (call == nullptr || call->arguments.size() < 2) return;
      const std::string_view callee = name_of(call->callee);
      if (callee == "hasattr" || callee == "getattr")
        asked_.emplace_back(dotted_text(call->arguments[0]), literal_text(program_, function_, *call->arguments[1]));
    };
    note(&condition);
    walk(condition, Nested::kSkip, note);
  }

  /// The names for which an expression stands: one text, or those that a loop goes through.
  std::vector<Listed> names_of(const Expr& expression) const {
    if (const auto loop = loops_.find(name_of(&expression)); is<Name>(&expression) && loop != loops_.end())
      return loop->second;
    const std::string_view text = literal_text(program_, function_, expression);
    return text.empty() ? std::vector<Listed>() : std::vector<Listed>{{text, expression.span}};
  }

  /// `setattr(new, name, getattr(old, name))`.
  void look_at_setattr(const Call& call) {
    if (name_of(call.callee) != "setattr" || call.arguments.size() != 3) return;
    const std::vector<Listed> names = names_of(*call.arguments[1]);
    may_copy_more_ = may_copy_more_ || names.empty();
    const auto* asks = as<Call>(call.arguments[2]);
    if (asks == nullptr || name_of(asks->callee) != "getattr" || asks->arguments.size() < 2) return;
    const std::vector<Listed> asked = names_of(*asks->arguments[1]);
    if (names.empty() || asked.size() != names.size() || names.front().name != asked.front().name) return;
    for (const Listed& one : names) add(*asks->arguments[0], *call.arguments[0], one);
  }

  /// `new.x = old.x` where it was asked whether there is one, `new.x = getattr(old, "x", None)`.
  void look_at_assignment(const Assign& assign) {
    const auto* target = assign.targets.size() == 1 ? as<Attribute>(assign.targets[0]) : nullptr;
    if (target == nullptr) return;
    const std::string_view name = target->name.text;
    const auto note = [&](const Node* node) {
      if (const auto* attribute = as<Attribute>(node); attribute != nullptr && attribute->name.text == name) {
        const std::pair<std::string, std::string_view> asks(dotted_text(attribute->value), name);
        if (std::find(asked_.begin(), asked_.end(), asks) != asked_.end())
          add(*attribute->value, *target->value, {name, assign.span});
      } else if (const auto* call = as<Call>(node); call != nullptr && name_of(call->callee) == "getattr" &&
                                                    call->arguments.size() >= 2 &&
                                                    text_of(call->arguments[1]) == name) {
        add(*call->arguments[0], *target->value, {name, assign.span});
      }
    };
    note(assign.value);
    walk(*assign.value, Nested::kSkip, note);
  }

  void add(const Expr& from, const Expr& to, Listed what) {
    const std::string source = dotted_text(&from), target = dotted_text(&to);
    if (!may_copy(source, target)) return;
    auto known = std::find_if(copiers_.begin(), copiers_.end(),
                              [&](const Copier& one) { return one.from == source && one.to == target; });
    if (known == copiers_.end()) known = copiers_.insert(known, Copier{function_, source, target, {}, false});
    known->attributes.emplace(what.name, what.span);
  }

  const Program& program_;
  const FunctionId function_;
  const program::Function& row_;
  std::map<std::string_view, std::vector<Listed>> loops_;
  std::set<const Expr*> loop_targets_;
  bool may_copy_more_ = false;
  std::vector<std::pair<std::string, std::string_view>> asked_;
  std::vector<Copier> copiers_;
};

}  // namespace

std::string_view literal_text(const Program& program, FunctionId function, const Expr& expression) {
  const Expr* value = value_of(program, function, expression);
  return value == nullptr ? std::string_view() : text_of(value);
}

std::vector<Copier> copiers_of(const Program& program, FunctionId function) {
  return program.functions()[function].def() == nullptr ? std::vector<Copier>() : Scan(program, function).run();
}

std::vector<Copier> copiers_in(const Program& program, ModuleId module) {
  const program::Module& row = program.modules()[module];
  std::vector<Copier> all;
  if (!row.facts->has_name("getattr") && !row.facts->has_name("hasattr")) return all;
  for (const FunctionId function : row.functions) {
    for (Copier& one : copiers_of(program, function)) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace lockstep::rules
