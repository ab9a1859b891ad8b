#include "mesh/transfers.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "mesh/groundwork.h"
#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;

namespace {

std::string_view name_of(const Expr* expression) {
  const auto* name = as<Name>(expression);
  return name == nullptr ? std::string_view{} : name->id;
}

/// `n`, `self.n`, `self.n[i]`: as it stands in the source, without subscripts; empty for others.
std::string_view path_of(const Expr* expression, const SourceText& source) {
  while (const auto* subscript = as<Subscript>(expression)) expression = subscript->value;
  const Expr* base = expression;
  while (const auto* attribute = as<Attribute>(base)) base = attribute->value;
  return is<Name>(base) ? source.slice(expression->span) : std::string_view{};
}

/// The operations that one function puts into one list, and the group that they name.
class Operations {
 public:
  Operations(const Node& function, const Call& batch, const SourceText& source)
      : function_(function), batch_(batch), source_(source) {}

  std::string group() {
    if (batch_.arguments.size() != 1 || !batch_.keywords.empty()) return {};
    const Expr* given = batch_.arguments.front();
    if (is<Name>(given)) {
      filled(name_of(given));
    } else {
      list(given);
    }
    return is_sure_ ? group_ : std::string();
  }

 private:
  /// One `P2POp(operation, tensor, peer, group)`.
  void operation(const Expr* expression) {
    const auto* call = as<Call>(expression);
    if (call == nullptr || called_name(*call) != "P2POp") {
      is_sure_ = false;
      return;
    }
    const Expr* group = call->arguments.size() > 3 ? call->arguments[3] : nullptr;
    for (const Expr* argument : call->arguments) is_sure_ = is_sure_ && !is<Starred>(argument);
    for (const Keyword* keyword : call->keywords) {
      if (keyword->name.text == "group") group = keyword->value;
      is_sure_ = is_sure_ && !keyword->name.text.empty();
    }
    const bool is_named = group != nullptr && !path_of(group, source_).empty() && !is<Subscript>(group);
    const std::string text = is_named ? std::string(source_.slice(group->span)) : std::string();
    is_sure_ = is_sure_ && is_named && (group_.empty() || group_ == text);
    group_ = text;
  }

  /// A list written out, or built by a comprehension.
  void list(const Expr* expression) {
    if (const auto* written = as<List>(expression)) {
      for (const Expr* element : written->elements) operation(element);
    } else if (const auto* built = as<ListComp>(expression)) {
      operation(built->element);
    } else {
      is_sure_ = false;
    }
  }

  /// What is put into the list that `name` holds; whatever else happens to it makes it unsure.
  void filled(std::string_view name) {
    if (const auto* def = as<FunctionDef>(&function_)) {
      for (const Parameter* parameter : def->parameters->all) is_sure_ = is_sure_ && parameter->name.text != name;
    }
    std::size_t uses = 0;
    std::size_t known = 1;  // Given to the batch.
    walk(function_, Nested::kEnter, [&](const Node* node) {
      if (const auto* use = as<Name>(node)) {
        uses += use->id == name ? 1 : 0;
      } else if (const auto* assign = as<Assign>(node)) {
        if (assign->targets.size() != 1 || name_of(assign->targets.front()) != name) return;
        ++known;
        list(assign->value);
      } else if (const auto* declared = as<AnnAssign>(node)) {
        if (name_of(declared->target) != name) return;
        ++known;
        list(declared->value);
      } else if (const auto* more = as<AugAssign>(node)) {
        if (name_of(more->target) != name) return;
        ++known;
        list(more->value);
      } else if (const auto* asked = as<If>(node)) {
        known += is_asked(asked->condition, name) ? 1 : 0;
      } else if (const auto* call = as<Call>(node)) {
        known += fills(*call, name) ? 1 : 0;
      }
    });
    is_sure_ = is_sure_ && uses == known;
  }

  /// `if ops:`, `if not ops:`.
  static bool is_asked(const Expr* condition, std::string_view name) {
    if (const auto* negated = as<UnaryOp>(condition)) condition = negated->operand;
    return name_of(condition) == name;
  }

  /// `ops.append(…)`, `ops.extend(…)`, which it looks into, and `len(ops)`.
  bool fills(const Call& call, std::string_view name) {
    if (call.arguments.size() != 1) return false;
    if (name_of(call.callee) == "len") return name_of(call.arguments.front()) == name;
    const auto* method = as<Attribute>(call.callee);
    if (method == nullptr || name_of(method->value) != name) return false;
    if (method->name.text == "append") {
      appended(call.arguments.front());
    } else if (method->name.text == "extend") {
      list(call.arguments.front());
    } else {
      return false;
    }
    return true;
  }

  /// `op = P2POp(…)`, `ops.append(op)`: the name stands for all that the function puts there.
  void appended(const Expr* value) {
    const std::string_view name = name_of(value);
    if (name.empty()) return operation(value);
    bool found = false;
    walk_of<Assign>(function_, Nested::kEnter, [&](const Assign* assign) {
      if (assign->targets.size() != 1 || name_of(assign->targets.front()) != name) return;
      found = true;
      operation(assign->value);
    });
    is_sure_ = is_sure_ && found;
  }

  const Node& function_;
  const Call& batch_;
  const SourceText& source_;
  bool is_sure_ = true;
  std::string group_;
};

/// Follows what a call gives through the names of one function.
class Waits {
 public:
  Waits(const Node& function, const Call& call, const SourceText& source)
      : function_(function), call_(call), source_(source) {}

  bool found() {
    // A name that holds it may be put into another one above the line that fills it: in a loop.
    for (std::size_t before = names_.size() + 1; before != names_.size() && !found_;) {
      before = names_.size();
      walk(function_, Nested::kSkip, [&](const Node* node) { look(*node); });
    }
    return found_;
  }

 private:
  void look(const Node& node) {
    if (const auto* assign = as<Assign>(&node)) {
      for (const Expr* target : assign->targets) passes(assign->value, target);
    } else if (const auto* declared = as<AnnAssign>(&node)) {
      passes(declared->value, declared->target);
    } else if (const auto* more = as<AugAssign>(&node)) {
      passes(more->value, more->target);
    } else if (const auto* named = as<NamedExpr>(&node)) {
      passes(named->value, named->target);
    } else if (const auto* loop = as<For>(&node)) {
      passes(loop->iterable, loop->target);
    } else if (const auto* each = as<Comprehension>(&node)) {
      passes(each->iterable, each->target);
    } else if (const auto* call = as<Call>(&node)) {
      const auto* method = as<Attribute>(call->callee);
      if (method == nullptr) return;
      if (method->name.text == "wait") {
        found_ = found_ || holds(method->value);
      } else if (method->name.text == "append" || method->name.text == "extend" || method->name.text == "add") {
        for (const Expr* argument : call->arguments) passes(argument, method->value);
      }
    }
  }

  void passes(const Expr* value, const Expr* target) {
    if (value == nullptr || !holds(value)) return;
    if (const auto* tuple = as<Tuple>(target)) {
      for (const Expr* element : tuple->elements) keep(element);
    } else if (const auto* list = as<List>(target)) {
      for (const Expr* element : list->elements) keep(element);
    } else {
      keep(target);
    }
  }

  void keep(const Expr* target) {
    const std::string_view path = path_of(target, source_);
    if (!path.empty() && !is_name(path)) names_.push_back(path);
  }

  bool is_name(std::string_view path) const { return std::find(names_.begin(), names_.end(), path) != names_.end(); }

  /// Whether the call itself, or a name that holds what it gave, stands in `value`.
  bool holds(const Expr* value) const {
    bool found = value == &call_ || is_name(path_of(value, source_));
    walk_expressions(*value, Nested::kSkip, [&](const Expr* part) {
      found = found || part == &call_ || is_name(path_of(part, source_));
      return !found;
    });
    return found;
  }

  const Node& function_;
  const Call& call_;
  const SourceText& source_;
  std::vector<std::string_view> names_;
  bool found_ = false;
};

}  // namespace

std::string group_of_operations(const Node& function, const Call& batch, const SourceText& source) {
  return Operations(function, batch, source).group();
}

bool waits_for(const Node& function, const Call& call, const SourceText& source) {
  return Waits(function, call, source).found();
}

}  // namespace lockstep::mesh
