#include "mesh/transfers.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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

  /// `op = P2POp(…)`, `ops.append(op)`: the name stands for all that the function puts there, if those are its only
  /// bindings.
  void appended(const Expr* value) {
    const std::string_view name = name_of(value);
    if (name.empty()) return operation(value);
    std::size_t bindings = 0;
    std::size_t known = 0;
    const auto look = [&](const Node* node) {
      if (const auto* bound = as<Name>(node)) {
        bindings += bound->id == name && bound->context != ExprContext::kLoad ? 1 : 0;
      } else if (const auto* parameter = as<Parameter>(node)) {
        bindings += parameter->name.text == name ? 1 : 0;
      } else if (const auto* assign = as<Assign>(node)) {
        if (assign->targets.size() != 1 || name_of(assign->targets.front()) != name) return;
        ++known;
        operation(assign->value);
      }
    };
    walk(function_, Nested::kEnter, look);
    is_sure_ = is_sure_ && known > 0 && bindings == known;
  }

  const Node& function_;
  const Call& batch_;
  const SourceText& source_;
  bool is_sure_ = true;
  std::string group_;
};

/// Puts something into the container that it is a method of.
bool is_filling(std::string_view method) {
  static constexpr std::string_view kMethods[] = {"add",  "append", "appendleft", "extend",     "extendleft", "insert",
                                                  "push", "put",    "put_nowait", "setdefault", "update"};
  return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}

}  // namespace

std::string group_of_operations(const Node& function, const Call& batch, const SourceText& source) {
  return Operations(function, batch, source).group();
}

Waits::Waits(const Node& function, const SourceText& source) : source_(source) {
  walk(function, Nested::kSkip, [&](const Node* node) { look(*node); });
}

bool Waits::waits_for(const Call& call) const {
  const auto given = by_call_.find(&call);
  if (given == by_call_.end()) return false;
  std::vector<std::size_t> pending = given->second;
  std::unordered_set<std::size_t> seen;
  std::unordered_set<std::string_view> reached;
  while (!pending.empty()) {
    const std::size_t next = pending.back();
    pending.pop_back();
    if (!seen.insert(next).second) continue;
    if (flows_[next].is_wait) return true;
    for (const std::string_view path : flows_[next].targets) {
      if (!reached.insert(path).second) continue;
      const auto reads = by_path_.find(path);
      if (reads != by_path_.end()) pending.insert(pending.end(), reads->second.begin(), reads->second.end());
    }
  }
  return false;
}

void Waits::look(const Node& node) {
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
  } else if (const auto* item = as<WithItem>(&node)) {
    if (item->target != nullptr) passes(item->context, item->target);
  } else if (const auto* call = as<Call>(&node)) {
    const auto* method = as<Attribute>(call->callee);
    if (method == nullptr) return;
    if (method->name.text == "wait") {
      add(*method->value, {{}, true});
    } else if (is_filling(method->name.text)) {
      for (const Expr* argument : call->arguments) passes(argument, method->value);
      for (const Keyword* keyword : call->keywords) passes(keyword->value, method->value);
    }
  }
}

void Waits::passes(const Expr* value, const Expr* target) {
  if (value == nullptr) return;
  Flow flow;
  const auto keep = [&](const Expr* element) {
    if (const std::string_view path = path_of(element, source_); !path.empty()) flow.targets.push_back(path);
  };
  const auto unpack = [&](const auto& self, const Expr* part) -> void {
    if (const auto* tuple = as<Tuple>(part)) {
      for (const Expr* element : tuple->elements) self(self, element);
    } else if (const auto* list = as<List>(part)) {
      for (const Expr* element : list->elements) self(self, element);
    } else if (const auto* rest = as<Starred>(part)) {
      self(self, rest->value);
    } else {
      keep(part);
    }
  };
  unpack(unpack, target);
  if (!flow.targets.empty()) add(*value, std::move(flow));
}

/// Files the flow under all that stands in its value: names, and calls.
void Waits::add(const Expr& value, Flow flow) {
  const std::size_t index = flows_.size();
  flows_.push_back(std::move(flow));
  const auto file = [&](const Expr* part) {
    if (is<Call>(part)) by_call_[part].push_back(index);
    if (const std::string_view path = path_of(part, source_); !path.empty()) by_path_[path].push_back(index);
  };
  file(&value);
  walk_expressions(value, Nested::kSkip, [&](const Expr* part) {
    file(part);
    return true;
  });
}

}  // namespace lockstep::mesh
