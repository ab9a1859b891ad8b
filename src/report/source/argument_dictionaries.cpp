#include "report/source/argument_dictionaries.h"

#include <algorithm>
#include <unordered_set>

#include "python/tree_walk.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Reader {
 public:
  Reader(std::string_view name, std::string_view key) : name_(name), key_(key) {}

  KeyWrites read(const FunctionDef& function) {
    walk(function, Nested::kSkip, [&](const Node* node) { look_at(*node); });
    walk_of<Name>(function, Nested::kEnter, [&](const Name* one) {
      if (one->id == name_ && !known_.contains(one)) out_.has_others = true;
    });
    return std::move(out_);
  }

 private:
  bool is_it(const Expr* expression) const { return rules::name_of(expression) == name_; }
  /// The name stands where all that it does is known.
  void know(const Node* node) { known_.insert(node); }

  void look_at(const Node& node) {
    if (const auto* assign = as<Assign>(&node)) {
      for (const Expr* target : assign->targets) store(*target, assign->value);
    } else if (const auto* declared = as<AnnAssign>(&node)) {
      if (declared->value != nullptr) store(*declared->target, declared->value);
    } else if (const auto* item = as<Subscript>(&node)) {
      take_item(*item);
    } else if (const auto* call = as<Call>(&node)) {
      look_at_call(*call);
    } else {
      look_at_read(node);
    }
  }

  void store(const Expr& target, const Expr* value) {
    if (is_it(&target)) {
      know(&target);
      out_.is_bound = true;
      merge(*value, true);
    }
    const auto* item = as<Subscript>(&target);
    if (item == nullptr || !is_it(item->value) || rules::text_of(item->index).empty()) return;
    know(item->value);
    if (rules::text_of(item->index) == key_) out_.values.push_back(value);
  }

  /// What a dictionary brings along under the key; `is_whole`: it is all that is in it then.
  void merge(const Expr& value, bool is_whole) {
    const auto held = held_under(value, key_);
    if (!held) {
      out_.has_others = true;
    } else if (*held != nullptr) {
      out_.values.push_back(*held);
    } else {
      out_.may_lack = out_.may_lack || is_whole;
    }
  }

  void take_item(const Subscript& item) {
    if (!is_it(item.value)) return;
    const std::string_view text = rules::text_of(item.index);
    if (item.context == ExprContext::kLoad) know(item.value);
    if (item.context == ExprContext::kDel) take_out(text, item.value);
  }

  void take_out(std::string_view text, const Expr* name) {
    know(name);
    out_.may_lack = out_.may_lack || text.empty() || text == key_;
  }

  void look_at_call(const Call& call) {
    for (const Keyword* keyword : call.keywords) {
      if (keyword->name.text.empty() && is_it(keyword->value)) know(keyword->value);
    }
    if (is_one_of(rules::name_of(call.callee), {"dict", "len", "list", "print", "sorted"})) {
      for (const Expr* argument : call.arguments) {
        if (is_it(argument)) know(argument);
      }
    }
    const auto* member = as<Attribute>(call.callee);
    if (member == nullptr || !is_it(member->value)) return;
    const std::string_view method = member->name.text;
    const std::string_view text = call.arguments.empty() ? std::string_view() : rules::text_of(call.arguments[0]);
    if (is_one_of(method, {"copy", "get", "items", "keys", "values"})) know(member->value);
    if (is_one_of(method, {"clear", "pop", "popitem"})) take_out(text, member->value);
    if (method == "setdefault" && !text.empty()) {
      know(member->value);
      if (text != key_) return;
      if (call.arguments.size() < 2) out_.has_others = true;
      if (call.arguments.size() >= 2) out_.values.push_back(call.arguments[1]);
    }
    if (method == "update") update(call, *member);
  }

  void update(const Call& call, const Attribute& member) {
    know(member.value);
    if (rules::has_spread_keywords(call)) out_.has_others = true;
    if (const Expr* value = rules::keyword_value(call, key_)) out_.values.push_back(value);
    for (const Expr* argument : call.arguments) merge(*argument, false);
  }

  void look_at_read(const Node& node) {
    const auto know_if = [&](const Expr* part) {
      if (is_it(part)) know(part);
    };
    if (const auto* compare = as<Compare>(&node)) {
      know_if(compare->left);
      for (const Expr* part : compare->comparators) know_if(part);
    } else if (const auto* loop = as<For>(&node)) {
      know_if(loop->iterable);
    } else if (const auto* over = as<Comprehension>(&node)) {
      know_if(over->iterable);
    } else if (const auto* branch = as<If>(&node)) {
      know_if(branch->condition);
    } else if (const auto* opposite = as<UnaryOp>(&node)) {
      know_if(opposite->operand);
    } else if (const auto* shown = as<FormattedValue>(&node)) {
      know_if(shown->value);
    } else if (const auto* dict = as<Dict>(&node)) {
      // `{**kwargs, …}`
      for (std::size_t i = 0; i < dict->keys.size(); ++i) {
        if (dict->keys[i] == nullptr) know_if(dict->values[i]);
      }
    }
  }

  const std::string_view name_;
  const std::string_view key_;
  KeyWrites out_;
  std::unordered_set<const Node*> known_;
};

}  // namespace

std::optional<const Expr*> held_under(const Expr& expression, std::string_view key) {
  // `"a" if x else "b"`: neither of the two.
  const auto is_another = [&](const Expr* one) {
    const auto* either = as<IfExp>(one);
    if (either == nullptr) return false;
    const std::string_view first = rules::text_of(either->body);
    const std::string_view second = rules::text_of(either->orelse);
    return !first.empty() && !second.empty() && first != key && second != key;
  };
  if (const auto* dict = as<Dict>(&expression)) {
    const Expr* out = nullptr;
    for (std::size_t i = 0; i < dict->keys.size(); ++i) {
      if (is_another(dict->keys[i])) continue;
      if (dict->keys[i] == nullptr || rules::text_of(dict->keys[i]).empty()) return std::nullopt;
      if (rules::text_of(dict->keys[i]) == key) out = dict->values[i];
    }
    return out;
  }
  const auto* call = as<Call>(&expression);
  if (call == nullptr || rules::name_of(call->callee) != "dict" || !call->arguments.empty() ||
      rules::has_spread_keywords(*call))
    return std::nullopt;
  return rules::keyword_value(*call, key);
}

KeyWrites writes_under(const FunctionDef& function, std::string_view name, std::string_view key) {
  return Reader(name, key).read(function);
}

}  // namespace lockstep::report
