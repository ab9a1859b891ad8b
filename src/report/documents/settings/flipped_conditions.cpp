#include "report/documents/settings/flipped_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/source/local_values.h"
#include "report/ways/conditions/given_settings.h"
#include "rules/calls/signatures.h"
#include "rules/names/bindings.h"

namespace lockstep::report {

using namespace python;
using program::ClassId;
using program::FunctionId;
using program::Program;

namespace {

/// A value as a flag shows it: "True", "None", "\"aot\"", "8".
Value value_of_text(std::string_view text) {
  if (text == "None") return {Value::Kind::kNone, false, {}};
  if (text == "True" || text == "False") return {Value::Kind::kBool, text == "True", {}};
  const bool is_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                         text.back() == text.front() && text.find(text.front(), 1) == text.size() - 1;
  if (is_quoted) return {Value::Kind::kText, text.size() > 2, std::string(text.substr(1, text.size() - 2))};
  const std::optional<bool> is_zero = same_number(text, "0");
  return is_zero ? Value{Value::Kind::kNumber, !*is_zero, std::string(text)} : Value();
}

/// Whether a setting of this name that is read can be no other one: the class that declares it alone does, or what is
/// read is known to be declared there.
class Reads {
 public:
  Reads(const Program& program, const Flag& flag) : program_(program), flag_(flag) {
    owner_ = flag.owner.empty() ? ClassId() : program.find_class(flag.owner);
    for (std::size_t i = 0; i < program.classes().size(); ++i) {
      const program::Class& cls = program.classes()[ClassId(i)];
      const bool declares = Defaults::declares(cls) &&
                            std::any_of(cls.fields.begin(), cls.fields.end(), [&](const program::Field& field) {
                              return field.in_class_body && field.name == flag.name;
                            });
      if (declares && ClassId(i) != owner_ && !program::is_test_path(program.modules()[cls.module].path))
        is_ambiguous_ = true;
    }
  }

  [[nodiscard]] bool is_it(FunctionId function, const Expr& part) const {
    if (!is<Name>(&part) && !is<Attribute>(&part) && !is<Call>(&part)) return false;
    const FunctionDef* def = program_.functions()[function].def();
    if (const auto* local = as<Name>(&part); local != nullptr && def != nullptr) {
      const Expr* value = only_value_of(*def, local->id);
      return value != nullptr && is<Attribute>(value) && is_it(function, *value);
    }
    if (const auto* member = as<Attribute>(&part);
        member != nullptr && member->name.text == flag_.name && is_of_owner(function, *member->value))
      return true;
    const std::vector<ReadSetting> read = settings_read(program_, function, part);
    if (read.size() != 1 || read.front().name != flag_.name) return false;
    const ClassId declared = read.front().declared_by;
    if (!declared.valid()) return !is_ambiguous_;
    return owner_.valid() && is_kin(declared);
  }

 private:
  /// Whether what holds the setting is declared as an object of the class that declares it, or of one above or below:
  /// as a parameter, or as a field of that name wherever settings have one.
  [[nodiscard]] bool is_of_owner(FunctionId function, const Expr& object) const {
    if (!owner_.valid()) return false;
    const std::string_view last = rules::last_part_of(&object);
    const program::Function& own = program_.functions()[function];
    if (last == "self" && is<Name>(&object)) return own.owner.valid() && is_kin(own.owner);
    if (is<Name>(&object)) {
      const Parameter* parameter = rules::parameter_named(own.def(), last);
      return parameter != nullptr && parameter->annotation != nullptr &&
             names_kin(*parameter->annotation, program_.module_of(function));
    }
    if (!is<Attribute>(&object)) return false;
    bool found = false;
    bool others = false;
    for (const program::Class& cls : program_.classes()) {
      for (const program::Field& field : cls.fields) {
        if (field.name != last || !field.in_class_body || field.annotation == nullptr) continue;
        const bool is_kin = names_kin(*field.annotation, program_.modules()[cls.module]);
        // What a module declares for itself is what it reads.
        if (cls.module == own.module) return is_kin;
        (is_kin ? found : others) = true;
      }
    }
    return found && !others;
  }
  /// Whether an annotation names a class whose objects may be of the owner, and no other class.
  [[nodiscard]] bool names_kin(const Expr& annotation, const program::Module& module) const {
    const std::string text = one_line_whole(module.facts->source(), annotation);
    const std::string_view name = std::string_view(text).substr(0, text.find(" |"));
    for (std::size_t i = 0; i < program_.classes().size(); ++i) {
      if (program_.classes()[ClassId(i)].name == name.substr(name.rfind('.') + 1) && is_kin(ClassId(i))) return true;
    }
    return false;
  }
  [[nodiscard]] bool is_kin(ClassId cls) const { return program::are_kin(program_, cls, owner_); }

  const Program& program_;
  const Flag& flag_;
  ClassId owner_;
  bool is_ambiguous_ = false;
};

/// The operands of a condition that `and`, `or` and `not` join.
void add_leaves(const Expr& condition, std::vector<const Expr*>& out) {
  if (const auto* all = as<BoolOp>(&condition)) {
    for (const Expr* one : all->values) add_leaves(*one, out);
  } else if (const auto* opposite = as<UnaryOp>(&condition);
             opposite != nullptr && opposite->op == UnaryOperator::kNot) {
    add_leaves(*opposite->operand, out);
  } else {
    out.push_back(&condition);
  }
}

struct Flip {
  FunctionId function;
  const Expr* leaf = nullptr;
  bool holds_now = false;
  std::string consequence;  ///< Marked text; empty where nothing is refused.
};

/// ", under which it raises `ValueError`": what the branch that is newly possible refuses; empty for others.
std::string refusal_under(const Node& asking, bool holds_now, const SourceText& source) {
  if (is<Assert>(&asking)) return holds_now ? "" : ", which an assertion asks for";
  const auto* branch = as<If>(&asking);
  if (branch == nullptr || !holds_now || branch->body.size() != 1) return {};
  const auto* raise = as<Raise>(branch->body.front());
  const auto* made = raise == nullptr ? nullptr : as<Call>(raise->exception);
  const Expr* raised = raise == nullptr ? nullptr : made != nullptr ? made->callee : raise->exception;
  if (raised == nullptr) return {};
  const bool is_alone = !is<BoolOp>(branch->condition);
  return fmt::format(", {} it raises {}", is_alone ? "on which" : "and with the rest of its condition",
                     code(one_line(source, *raised, 60)));
}

void add_flips(const DocumentInputs& inputs, FunctionId function, const Flag& flag, const Reads& reads,
               const Value& was, const Value& is_now, std::vector<Flip>& out) {
  const Program& program = *inputs.after;
  const SourceText& source = source_of(program, function);
  if (!contains(source.slice(program.functions()[function].node->span), flag.name)) return;
  const auto look = [&](const Node& asking, const Expr* condition) {
    if (condition == nullptr) return;
    std::vector<const Expr*> leaves;
    add_leaves(*condition, leaves);
    for (const Expr* leaf : leaves) {
      const auto with = [&](const Value& value) {
        return holds_with(*leaf, [&](const Expr& part) { return reads.is_it(function, part) ? value : Value(); });
      };
      const std::optional<bool> before = with(was);
      const std::optional<bool> after = with(is_now);
      bool is_changed = false;
      for (std::uint32_t line = source.line_of(leaf->span.begin); line <= source.line_of(leaf->span.end); ++line)
        is_changed = is_changed || inputs.change->touches_after(program.module_of(function).path, line);
      if (!before || !after || *before == *after || is_changed) continue;
      out.push_back({function, leaf, *after, refusal_under(asking, *after, source)});
    }
  };
  walk(*program.functions()[function].node, Nested::kSkip, [&](const Node* node) {
    if (const auto* branch = as<If>(node)) look(*branch, branch->condition);
    if (const auto* loop = as<While>(node)) look(*loop, loop->condition);
    if (const auto* check = as<Assert>(node)) look(*check, check->test);
    if (const auto* choice = as<IfExp>(node)) look(*choice, choice->condition);
  });
}

}  // namespace

std::vector<std::string> flipped_conditions(const DocumentInputs& inputs, const Flag& flag, std::size_t most) {
  constexpr std::size_t kMostFlips = 200;
  if (flag.old_default.empty() || flag.is_new || !flag.argument_default.empty()) return {};
  const Value was = value_of_text(flag.old_default);
  const Value is_now = value_of_text(flag.default_value);
  if (was.kind == Value::Kind::kUnknown || is_now.kind == Value::Kind::kUnknown) return {};
  const Program& program = *inputs.after;
  const Reads reads(program, flag);
  std::vector<Flip> flips;
  for (std::size_t i = 0; i < program.functions().size() && flips.size() < kMostFlips; ++i) {
    const FunctionId function(i);
    const program::Module& module = program.module_of(function);
    const bool counts = !program::is_test_path(module.path) && module.facts->has_name(flag.name) &&
                        program.functions()[function].def() != nullptr;
    if (counts) add_flips(inputs, function, flag, reads, was, is_now, flips);
  }
  std::stable_sort(flips.begin(), flips.end(),
                   [](const Flip& a, const Flip& b) { return !a.consequence.empty() && b.consequence.empty(); });
  std::vector<std::string> out;
  for (const Flip& one : flips) {
    if (out.size() == most && flips.size() > most + 1) break;
    const SourceText& source = source_of(program, one.function);
    out.push_back(fmt::format("{} ({}): {} {}{}", code(short_name(program, one.function)),
                              place(program.module_of(one.function).path, source.line_of(one.leaf->span.begin)),
                              code(one_line(source, *one.leaf, 60)), one.holds_now ? "holds now" : "no longer holds",
                              one.consequence));
  }
  if (flips.size() > out.size()) out.push_back(count_of(flips.size() - out.size(), "more place"));
  return out;
}

}  // namespace lockstep::report
