#include "report/source/defaults.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/story/story.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using rules::keyword_value;
using rules::text_of;

namespace {

bool is_config_name(std::string_view name) {
  return name == "config" || name == "cfg" || name == "args" || name.ends_with("_config") || name.ends_with("_args") ||
         name.ends_with("_cfg");
}

using Lookup = std::function<Value(std::string_view)>;

using ValueAt = std::function<Value(const Expr&)>;

/// What a configuration value is: as `lookup` says, else what `getattr` gives where it is not there.
Value config_value(const Expr& expression, const Lookup& lookup) {
  const std::string_view name = config_attribute(expression);
  const Value value = name.empty() ? Value() : lookup(name);
  if (name.empty() || value.kind != Value::Kind::kUnknown) return value;
  const Call* asked = attribute_asked_for(expression);
  return asked != nullptr && asked->arguments.size() == 3 ? value_of(asked->arguments[2]) : value;
}

/// Whether two known values are equal; none where Python would have to be asked (`1 == True`, `0x10 == 16`).
std::optional<bool> are_equal(const Value& a, const Value& b) {
  if (a.kind == b.kind && a.text == b.text) return true;
  for (const Value::Kind kind : {Value::Kind::kNone, Value::Kind::kText}) {
    if (a.kind == kind || b.kind == kind) return false;
  }
  if (a.kind == Value::Kind::kEmpty || b.kind == Value::Kind::kEmpty) return std::nullopt;
  if (a.kind != b.kind) return std::nullopt;
  return a.kind == Value::Kind::kBool ? false : same_number(a.text, b.text);
}

/// Whether the text of a number is not zero: "0xA", "0.5e-3", but not "0e5".
bool is_nonzero(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (!is_hex) text = text.substr(0, text.find_first_of("eE"));
  return text.find_first_of(is_hex ? "123456789abcdefABCDEF" : "123456789") != std::string_view::npos;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// `a < b` and the like, of numbers.
std::optional<bool> ordered(CompareOperator op, const Value& a, const Value& b) {
  if (a.kind != Value::Kind::kNumber || b.kind != Value::Kind::kNumber) return std::nullopt;
  const std::optional<double> left = number_of(a.text);
  const std::optional<double> right = number_of(b.text);
  if (!left || !right) return std::nullopt;
  switch (op) {
    case CompareOperator::kLt:
      return *left < *right;
    case CompareOperator::kLtE:
      return *left <= *right;
    case CompareOperator::kGt:
      return *left > *right;
    case CompareOperator::kGtE:
      return *left >= *right;
    default:
      return std::nullopt;
  }
}

/// Whether a value is in a tuple, list or set of constants; none where that is not known of all of them.
std::optional<bool> is_one_of(const Value& value, const Expr& several) {
  const auto* tuple = as<Tuple>(&several);
  const auto* list = as<List>(&several);
  const auto* set = as<Set>(&several);
  if (value.kind == Value::Kind::kUnknown || (tuple == nullptr && list == nullptr && set == nullptr))
    return std::nullopt;
  bool are_known = true;
  for (const Expr* element : tuple != nullptr ? tuple->elements : list != nullptr ? list->elements : set->elements) {
    const Value one = value_of(element);
    const std::optional<bool> is_it = one.kind == Value::Kind::kUnknown ? std::nullopt : are_equal(value, one);
    if (is_it && *is_it) return true;
    are_known = are_known && is_it.has_value();
  }
  return are_known ? std::optional(false) : std::nullopt;
}

std::optional<bool> compared(const Compare& compare, const ValueAt& value_at) {
  if (compare.ops.size() != 1) return std::nullopt;
  // Nothing is in what is empty.
  const CompareOperator op = compare.ops.front();
  if ((op == CompareOperator::kIn || op == CompareOperator::kNotIn) &&
      value_at(*compare.comparators.front()).kind == Value::Kind::kEmpty)
    return op == CompareOperator::kNotIn;
  const Value value = value_at(*compare.left);
  if (op == CompareOperator::kIn || op == CompareOperator::kNotIn) {
    const std::optional<bool> is_one = is_one_of(value, *compare.comparators.front());
    return is_one ? std::optional(*is_one == (op == CompareOperator::kIn)) : std::nullopt;
  }
  const Value other = value_of(compare.comparators.front());
  if (value.kind == Value::Kind::kUnknown || other.kind == Value::Kind::kUnknown) return std::nullopt;
  if (const auto order = ordered(compare.ops.front(), value, other)) return order;
  const std::optional<bool> same = are_equal(value, other);
  if (!same) return std::nullopt;
  switch (compare.ops.front()) {
    case CompareOperator::kIs:
    case CompareOperator::kEq:
      return *same;
    case CompareOperator::kIsNot:
    case CompareOperator::kNotEq:
      return !*same;
    default:
      return std::nullopt;
  }
}

std::optional<bool> holds_at(const Expr& condition, const ValueAt& value_at, int depth) {
  if (depth > 8) return std::nullopt;
  if (const Value value = value_at(condition); value.kind != Value::Kind::kUnknown) return value.truth;
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot) {
    const auto inner = holds_at(*unary->operand, value_at, depth + 1);
    return inner ? std::optional<bool>(!*inner) : std::nullopt;
  }
  if (const auto* op = as<BoolOp>(&condition)) {
    const bool decisive = op->op == BoolOperator::kOr;  // one true decides an or, one false an and
    bool all_known = true;
    for (const Expr* part : op->values) {
      const auto inner = holds_at(*part, value_at, depth + 1);
      if (inner && *inner == decisive) return decisive;
      all_known = all_known && inner.has_value();
    }
    return all_known ? std::optional<bool>(!decisive) : std::nullopt;
  }
  const auto* compare = as<Compare>(&condition);
  return compare == nullptr ? std::nullopt : compared(*compare, value_at);
}

}  // namespace

const Call* attribute_asked_for(const Node& node) {
  const auto* call = as<Call>(&node);
  const auto* callee = call == nullptr ? nullptr : as<Name>(call->callee);
  const bool asks = callee != nullptr && callee->id == "getattr" && call->arguments.size() >= 2;
  return asks && !text_of(call->arguments[1]).empty() ? call : nullptr;
}

bool is_same_value(const Value& a, const Value& b) {
  return a.kind != Value::Kind::kUnknown && a.kind == b.kind && a.truth == b.truth && a.text == b.text;
}

std::optional<bool> same_number(std::string_view a, std::string_view b) {
  const std::optional<double> x = number_of(a);
  const std::optional<double> y = number_of(b);
  return x && y ? std::optional(*x == *y) : std::nullopt;
}

Value argument_default(const Call& call) {
  if (const Expr* value = keyword_value(call, "default")) return value_of(value);
  // Nobody runs without it.
  const auto* required = as<Constant>(keyword_value(call, "required"));
  if (required != nullptr && required->constant_kind == ConstantKind::kTrue) return {};
  const std::string_view action = text_of(keyword_value(call, "action"));
  if (action == "store_true") return {Value::Kind::kBool, false, "False"};
  if (action == "store_false") return {Value::Kind::kBool, true, "True"};
  for (const std::string_view plain : {"", "store", "store_const", "append", "append_const", "extend", "count"}) {
    if (action == plain) return {Value::Kind::kNone, false, "None"};
  }
  return {};
}

Value value_of(const Expr* expression) {
  if (const auto* call = as<Call>(expression); call != nullptr && callee_name(*call) == "field") {
    return value_of(keyword_value(*call, "default"));
  }
  const auto* constant = as<Constant>(expression);
  if (constant == nullptr) return {};
  switch (constant->constant_kind) {
    case ConstantKind::kNone:
      return {Value::Kind::kNone, false, "None"};
    case ConstantKind::kTrue:
      return {Value::Kind::kBool, true, "True"};
    case ConstantKind::kFalse:
      return {Value::Kind::kBool, false, "False"};
    case ConstantKind::kInt:
    case ConstantKind::kFloat:
      return {Value::Kind::kNumber, is_nonzero(constant->text), std::string(constant->text)};
    case ConstantKind::kStr:
      return {Value::Kind::kText, !constant->text.empty(), std::string(constant->text)};
    default:
      return {};
  }
}

bool is_configuration(const Expr& expression) {
  if (const auto* attribute = as<Attribute>(&expression)) return is_config_name(attribute->name.text);
  return is_config_name(rules::name_of(&expression));
}

std::string_view config_attribute(const Node& node) {
  const auto* attribute = as<Attribute>(&node);
  const Call* asked = attribute_asked_for(node);
  const Expr* owner = attribute != nullptr ? attribute->value : asked != nullptr ? asked->arguments[0] : nullptr;
  if (owner == nullptr || !is_configuration(*owner)) return {};
  return attribute != nullptr ? attribute->name.text : text_of(asked->arguments[1]);
}

namespace {

/// Whether the name, read off a configuration, is by its verb a method of it: a setting that holds a function, such as
/// `activation_func`, has none.
bool is_method_of_config(const Expr& callee) {
  static constexpr std::string_view kVerbs[] = {
      "add_",  "as_", "build", "copy",       "create", "from_",  "get",      "has_",   "is_",     "keys",    "items",
      "make_", "pop", "set_",  "setdefault", "to_",    "update", "validate", "values", "replace", "finalize"};
  // A local `types_config` may hold a text: `types_config.split(",")`.
  static constexpr std::string_view kOfTexts[] = {"split",      "strip",    "lstrip", "rstrip", "lower", "upper",
                                                  "startswith", "endswith", "format", "append", "extend"};
  const std::string_view name = is<Attribute>(&callee) ? config_attribute(callee) : std::string_view();
  return !name.empty() && (std::find(std::begin(kOfTexts), std::end(kOfTexts), name) != std::end(kOfTexts) ||
                           std::any_of(std::begin(kVerbs), std::end(kVerbs),
                                       [&](std::string_view verb) { return name.starts_with(verb); }));
}

}  // namespace

std::vector<std::string> config_reads(const Node& node) {
  std::vector<std::string> out;
  const auto visit = [&](const auto& self, const Node& at) -> void {
    const auto* attribute = as<Attribute>(&at);
    const bool is_set = attribute != nullptr && attribute->context == ExprContext::kStore;
    if (const std::string_view name = config_attribute(at);
        !is_set && !name.empty() && std::find(out.begin(), out.end(), name) == out.end()) {
      out.emplace_back(name);
    }
    // `config.create_storage()` calls a method; what it is called on is no setting either.
    if (const auto* call = as<Call>(&at); call != nullptr && is_method_of_config(*call->callee)) {
      for (const Expr* argument : call->arguments) self(self, *argument);
      for (const Keyword* keyword : call->keywords) self(self, *keyword->value);
      return;
    }
    for_each_child(at, [&](const Node* child) {
      if (!is<FunctionDef>(child)) self(self, *child);
    });
  };
  visit(visit, node);
  return out;
}

std::optional<bool> holds_with(const Expr& condition, const ValueAt& value_at) {
  return holds_at(condition, value_at, 0);
}

std::optional<bool> holds(const Expr& condition, const Lookup& lookup) {
  return holds_with(condition, [&](const Expr& part) { return config_value(part, lookup); });
}

namespace {

/// As value_of, and kEmpty of `[]`, `{}`, `()` and `field(default_factory=list)`.
Value declared_value(const Expr* expression) {
  const Value empty{Value::Kind::kEmpty, false, "[]"};
  if (const auto* list = as<List>(expression); list != nullptr && list->elements.empty()) return empty;
  if (const auto* tuple = as<Tuple>(expression); tuple != nullptr && tuple->elements.empty()) return empty;
  if (const auto* dict = as<Dict>(expression); dict != nullptr && dict->keys.empty()) return empty;
  if (const auto* call = as<Call>(expression); call != nullptr && callee_name(*call) == "field") {
    const std::string_view factory = rules::name_of(keyword_value(*call, "default_factory"));
    if (factory == "list" || factory == "dict" || factory == "set" || factory == "tuple") return empty;
  }
  return value_of(expression);
}

bool is_called_config(std::string_view name) { return name.ends_with("Config") || name.ends_with("Args"); }
bool is_called_config(const program::Class& cls) { return is_called_config(cls.name); }

/// Whether an annotation names a class of settings: `MoE.Config | None`.
bool names_config(const Expr* annotation) {
  bool names = false;
  if (annotation == nullptr) return names;
  walk_expressions(*annotation, Nested::kSkip, [&](const Expr* part) {
    if (const auto* name = as<Name>(part)) names = names || is_called_config(name->id);
    if (const auto* attribute = as<Attribute>(part)) names = names || is_called_config(attribute->name.text);
    if (const std::string_view text = text_of(part); !text.empty()) names = names || contains(text, "Config");
  });
  return names;
}

/// Whether the call stands in tests, tools or examples: what it declares is not what runs of the product get.
bool is_beside_product(const program::Program& program, const program::CallSite& site) {
  const std::string& path = program.module_of(site.caller).path;
  return program::is_test_path(path) || program::is_helper_path(path);
}

}  // namespace

bool Defaults::is_part(const program::Field& field) {
  return field.in_class_body && declared_value(field.default_value).kind == Value::Kind::kNone &&
         names_config(field.annotation);
}

bool Defaults::declares(const program::Class& cls) { return cls.is_dataclass || is_called_config(cls); }

Defaults::Defaults(const program::Program& program) {
  std::unordered_map<std::string, std::size_t> ranks;
  std::unordered_map<std::string, Value> said;  // What command lines of the product give where they say nothing.
  // Parts of a configuration that are `None` where code does not put them in.
  std::unordered_set<std::string_view> parts;
  for (const program::Class& cls : program.classes()) {
    const bool is_config = is_called_config(cls);
    if (!declares(cls) || program::is_test_path(program.modules()[cls.module].path)) continue;
    // Where several declare the name: a class called Config before others, the one with the most fields before others.
    const std::size_t rank = cls.fields.size() + (is_config ? 100'000 : 1);
    for (const program::Field& field : cls.fields) {
      if (!field.in_class_body) continue;
      std::size_t& known = ranks[std::string(field.name)];
      if (known >= rank) continue;
      known = rank;
      values_[std::string(field.name)] = declared_value(field.default_value);
      if (is_part(field)) {
        parts.insert(field.name);
      } else {
        parts.erase(field.name);
      }
    }
  }
  for (const program::CallSite& site : program.calls()) {
    const auto* call = as<Call>(site.node);
    if (call == nullptr) continue;
    // What code puts in is no setting of a run: a part that some configurations have says nothing of the default.
    for (const Keyword* keyword : call->keywords) {
      if (parts.empty() || is<Constant>(keyword->value) || !parts.contains(keyword->name.text) ||
          program::is_test_path(program.module_of(site.caller).path))
        continue;
      values_[std::string(keyword->name.text)] = Value();
    }
    if (callee_name(*call) != "add_argument") continue;
    const std::string name = rules::argparse_destination(*call);
    if (name.empty()) continue;
    Value given = argument_default(*call);
    if (const Value stated = declared_value(keyword_value(*call, "default")); stated.kind == Value::Kind::kEmpty)
      given = stated;
    const auto [known, is_new] = values_.try_emplace(name, given);
    // A script hands over what its command line gives, which a class may declare otherwise: `--no-x` of a field x that
    // is off where nobody says anything. What is None there stays what the class says.
    const bool is_said =
        given.kind == known->second.kind && (given.kind == Value::Kind::kBool || given.kind == Value::Kind::kText);
    if (is_new || !is_said || is_beside_product(program, site)) continue;
    if (!is_same_value(given, known->second)) differing_.insert(name);
    // Two command lines that disagree: no run can be told from the name alone.
    const auto [before, is_first] = said.try_emplace(name, given);
    if (!is_first && !is_same_value(before->second, given)) before->second = Value();
  }
  for (auto& [name, value] : said) values_[name] = std::move(value);
}

Value Defaults::declared_by(const program::Class& cls, std::string_view name) {
  const auto field = std::find_if(cls.fields.begin(), cls.fields.end(),
                                  [&](const program::Field& one) { return one.in_class_body && one.name == name; });
  return field == cls.fields.end() ? Value() : declared_value(field->default_value);
}

Value Defaults::value_of_name(std::string_view name) const {
  const auto at = values_.find(std::string(name));
  return at == values_.end() ? Value() : at->second;
}

bool Defaults::differ_by_command_line(const Expr& condition) const {
  bool found = false;
  const auto look = [&](const Attribute* one) { found = found || differing_.contains(std::string(one->name.text)); };
  if (const auto* whole = as<Attribute>(&condition)) look(whole);
  walk_of<Attribute>(condition, Nested::kSkip, look);
  return found;
}

std::optional<bool> Defaults::holds(const Expr& condition) const {
  return report::holds(condition, [&](std::string_view name) { return value_of_name(name); });
}

}  // namespace lockstep::report
