#include "report/story/settings/compared_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "change/names.h"
#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/source/literal_texts.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// `"grads"`, `Mode.FULL`, `None`; empty for others.
std::string written(const Expr& value) {
  if (const auto* constant = as<Constant>(&value)) {
    if (constant->constant_kind == ConstantKind::kStr) return fmt::format("\"{}\"", constant->text);
    return constant->constant_kind == ConstantKind::kNone ? "None" : std::string();
  }
  std::string name = is<Attribute>(&value) ? dotted_text(&value) : std::string();
  const std::string_view member = change::last_part(name);
  const bool is_member = std::all_of(member.begin(), member.end(), [](unsigned char c) {
    return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
  const bool is_of_class = !name.empty() && std::isupper(static_cast<unsigned char>(name.front())) != 0;
  return is_member && is_of_class ? name : std::string();
}

/// What the comparison compares with: nothing where that is not all known.
std::vector<std::string> compared_with(const Compare& compare) {
  if (compare.ops.size() != 1) return {};
  const Expr* right = compare.comparators.front();
  std::vector<std::string> out;
  switch (compare.ops.front()) {
    case CompareOperator::kEq:
    case CompareOperator::kNotEq:
    case CompareOperator::kIs:
    case CompareOperator::kIsNot:
      out.push_back(written(*right));
      break;
    case CompareOperator::kIn:
    case CompareOperator::kNotIn: {
      const auto* tuple = as<Tuple>(right);
      const auto* list = as<List>(right);
      const auto* set = as<Set>(right);
      if (tuple == nullptr && list == nullptr && set == nullptr) return {};
      for (const Expr* one : tuple != nullptr ? tuple->elements : list != nullptr ? list->elements : set->elements)
        out.push_back(written(*one));
      break;
    }
    default:
      return {};
  }
  if (std::find(out.begin(), out.end(), std::string()) != out.end()) out.clear();
  return out;
}

/// "self.mode" of what may be compared.
std::string expression_of(const Expr& left) {
  const bool may_be = is<Name>(&left) || is<Attribute>(&left);
  return may_be && written(left).empty() ? dotted_text(&left) : std::string();
}

/// One version of the function, and what it does with an expression.
struct Version {
  const FunctionDef* def;

  /// In the order of the code, each once.
  void add_compared(const std::string& expression, std::vector<std::string>& out) const {
    walk_of<Compare>(*def, Nested::kEnter, [&](const Compare* one) {
      if (expression_of(*one->left) != expression) return;
      for (std::string& value : compared_with(*one)) {
        if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(std::move(value));
      }
    });
  }

  /// Whether it is set, or asked in another way than by comparing it.
  [[nodiscard]] bool uses_otherwise(const std::string& expression) const {
    bool does = false;
    const auto is_it = [&](const Expr* one) { return one != nullptr && dotted_text(one) == expression; };
    const auto look = [&](const Node* node) {
      if (const auto* compare = as<Compare>(node))
        does = does || (is_it(compare->left) && compared_with(*compare).empty());
      if (const auto* name = as<Name>(node)) does = does || (name->context != ExprContext::kLoad && is_it(name));
      if (const auto* attribute = as<Attribute>(node))
        does = does || (attribute->context != ExprContext::kLoad && is_it(attribute));
      if (const auto* branch = as<If>(node)) does = does || is_it(branch->condition);
      if (const auto* loop = as<While>(node)) does = does || is_it(loop->condition);
      if (const auto* choice = as<IfExp>(node)) does = does || is_it(choice->condition);
      if (const auto* opposite = as<UnaryOp>(node)) does = does || is_it(opposite->operand);
      if (const auto* several = as<BoolOp>(node))
        does = does || std::any_of(several->values.begin(), several->values.end(), is_it);
    };
    walk(*def, Nested::kEnter, look);
    return does;
  }
};

const Parameter* parameter_of(const FunctionDef& def, std::string_view name) {
  for (const Parameter* one : def.parameters->all) {
    if (one->name.text == name) return one;
  }
  return nullptr;
}

/// The annotation of what the constructor of the class keeps as `self.name`; null where that is no parameter of it.
const Expr* annotation_kept(const Program& program, ClassId cls, std::string_view name) {
  for (const ClassId one : program.classes()[cls].linearized) {
    for (const FunctionId method : program.classes()[one].methods) {
      const auto* def = as<FunctionDef>(program.functions()[method].node);
      if (def == nullptr || def->name.text != "__init__") continue;
      const Expr* out = nullptr;
      walk_of<Assign>(*def, Nested::kSkip, [&](const Assign* set) {
        const bool is_it =
            set->targets.size() == 1 && dotted_text(set->targets.front()) == fmt::format("self.{}", name);
        const Parameter* given = is_it ? parameter_of(*def, rules::name_of(set->value)) : nullptr;
        if (given != nullptr) out = given->annotation;
      });
      if (out != nullptr) return out;
    }
  }
  return nullptr;
}

/// What the expression is declared to be, as far as the function and its class say it.
const Expr* annotation_of(const Program& program, FunctionId function, const FunctionDef& def,
                          const std::string& expression) {
  if (const Parameter* own = parameter_of(def, expression)) return own->annotation;
  const ClassId owner = program.functions()[function].owner;
  constexpr std::string_view kSelf = "self.";
  if (!owner.valid() || !expression.starts_with(kSelf)) return nullptr;
  return annotation_kept(program, owner, std::string_view(expression).substr(kSelf.size()));
}

}  // namespace

std::optional<bool> ComparedTexts::holds(const Expr& condition, const std::string& value) const {
  const auto* compare = as<Compare>(&condition);
  if (compare == nullptr || expression_of(*compare->left) != expression) return std::nullopt;
  const std::vector<std::string> asked = compared_with(*compare);
  if (asked.empty()) return std::nullopt;
  const bool is_one = std::find(asked.begin(), asked.end(), value) != asked.end();
  const CompareOperator op = compare->ops.front();
  const bool is_opposite =
      op == CompareOperator::kNotEq || op == CompareOperator::kIsNot || op == CompareOperator::kNotIn;
  return is_one != is_opposite;
}

std::vector<ComparedTexts> compared_texts(const DocumentInputs& inputs, const Actor& actor) {
  const Version before{as<FunctionDef>(actor.change->before->node)};
  const Version after{as<FunctionDef>(actor.change->after->node)};
  std::vector<ComparedTexts> out;
  if (before.def == nullptr || after.def == nullptr) return out;
  std::vector<std::string> names;
  for (const std::vector<Step>* steps : {&actor.steps.after, &actor.steps.before}) {
    for (const Step& step : *steps) {
      const auto* branch = as<If>(step.node);
      if (branch == nullptr || step.status == StepStatus::kKept) continue;
      const auto look = [&](const Expr* part) {
        const auto* compare = as<Compare>(part);
        std::string name = compare == nullptr || compared_with(*compare).empty() ? "" : expression_of(*compare->left);
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
          names.push_back(std::move(name));
      };
      look(branch->condition);
      walk_expressions(*branch->condition, Nested::kSkip, look);
    }
  }
  for (std::string& name : names) {
    if (before.uses_otherwise(name) || after.uses_otherwise(name)) continue;
    ComparedTexts one;
    const Expr* annotation = annotation_of(*inputs.after, actor.change->after->function, *after.def, name);
    const std::set<std::string_view> declared =
        annotation == nullptr ? std::set<std::string_view>() : literals_in(*annotation);
    after.add_compared(name, one.values);
    before.add_compared(name, one.values);
    const std::size_t compared = one.values.size();
    for (const std::string_view text : declared) {
      std::string value = fmt::format("\"{}\"", text);
      if (std::find(one.values.begin(), one.values.end(), value) == one.values.end())
        one.values.push_back(std::move(value));
    }
    one.takes_others = declared.empty() || one.values.size() > declared.size();
    one.expression = std::move(name);
    if (compared >= 2) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace lockstep::report
