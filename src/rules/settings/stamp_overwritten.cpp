#include "rules/settings/stamp_overwritten.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/guards.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr int kMostCallsBelow = 1;

/// `object.attribute = value`, `setattr(object, "attribute", value)`.
struct Store {
  const Expr* object = nullptr;
  std::string_view attribute;
  const Expr* value = nullptr;
  const Stmt* statement = nullptr;
};

std::optional<Store> store_of(const Stmt& statement) {
  if (const auto* assign = as<Assign>(&statement)) {
    const auto* target = assign->targets.size() == 1 ? as<Attribute>(assign->targets[0]) : nullptr;
    if (target == nullptr) return std::nullopt;
    return Store{target->value, target->name.text, assign->value, &statement};
  }
  const auto* expression = as<ExprStmt>(&statement);
  const auto* call = expression == nullptr ? nullptr : as<Call>(expression->value);
  if (call == nullptr || name_of(call->callee) != "setattr" || call->arguments.size() != 3) return std::nullopt;
  const std::string_view attribute = text_of(call->arguments[1]);
  if (attribute.empty()) return std::nullopt;
  return Store{call->arguments[0], attribute, call->arguments[2], &statement};
}

std::vector<Store> stores_in(const FunctionDef& def) {
  std::vector<Store> out;
  walk_statements(def, Nested::kSkip, [&](const Stmt* statement) {
    if (const auto store = store_of(*statement)) out.push_back(*store);
  });
  return out;
}

/// `p` of `for p in module.parameters():` and `for name, p in module.named_parameters(…):`; empty for other loops.
std::string_view part_in_loop(const For& loop, std::string_view module) {
  const auto* call = as<Call>(loop.iterable);
  const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
  if (method == nullptr || name_of(method->value) != module) return {};
  if (method->name.text == "parameters") return name_of(loop.target);
  const auto* both = method->name.text == "named_parameters" ? as<Tuple>(loop.target) : nullptr;
  return both != nullptr && both->elements.size() == 2 ? name_of(both->elements[1]) : std::string_view();
}

/// What a function sets on a parameter of its own.
enum class Of : std::uint8_t { kNothing, kItself, kItsParameters };

Of object_of(const FunctionDef& def, const Store& store, std::string_view parameter) {
  const std::string_view name = name_of(store.object);
  if (name.empty() || binds_name(def, parameter)) return Of::kNothing;
  if (name == parameter) return Of::kItself;
  for (const Node* node : chain_to(def, store.statement->span)) {
    const auto* loop = as<For>(node);
    if (loop != nullptr && part_in_loop(*loop, parameter) == name && bindings_of(def, name, Nested::kSkip) == 1)
      return Of::kItsParameters;
  }
  return Of::kNothing;
}

/// Whether the attribute of a module is a tensor that its `parameters()` give, by its name.
bool is_parameter_of_module(const Expr& object, const std::string& module) {
  const auto* member = as<Attribute>(&object);
  return member != nullptr && dotted_text(member->value) == module &&
         (member->name.text == "weight" || member->name.text == "bias");
}

/// Whether one condition has to hold for the one place and to fail for the other.
bool exclude_each_other(const FunctionDef& def, const SourceText& source, Span one, Span other) {
  const auto plain = [](Guard guard) {
    for (const auto* opposite = as<UnaryOp>(guard.condition);
         opposite != nullptr && opposite->op == UnaryOperator::kNot; opposite = as<UnaryOp>(guard.condition)) {
      guard.condition = opposite->operand;
      guard.negated = !guard.negated;
    }
    return guard;
  };
  const std::vector<Guard> first = guards_of(def, one);
  const std::vector<Guard> second = guards_of(def, other);
  return std::any_of(first.begin(), first.end(), [&](const Guard& guard) {
    if (guard.condition == nullptr) return false;
    const Guard a = plain(guard);
    return std::any_of(second.begin(), second.end(), [&](const Guard& guarding) {
      if (guarding.condition == nullptr) return false;
      const Guard b = plain(guarding);
      return a.negated != b.negated && source.slice(a.condition->span) == source.slice(b.condition->span);
    });
  });
}

class Stamps {
 public:
  Stamps(const Program& program, const Signatures& signatures, FunctionId function, const FunctionDef& def)
      : program_(program), signatures_(signatures), function_(function), def_(def), stores_(stores_in(def)) {
    std::erase_if(stores_, [&](const Store& store) { return dotted_text(store.object).empty(); });
  }

  void scan(std::string_view rule, std::vector<Hit>& hits) const {
    if (std::none_of(stores_.begin(), stores_.end(), [&](const Store& one) { return gives_parameter(one); })) return;
    walk_statements(def_, Nested::kSkip, [&](const Stmt* statement) {
      const auto* expression = as<ExprStmt>(statement);
      const auto* call = expression == nullptr ? nullptr : as<Call>(expression->value);
      if (call != nullptr) check(*call, rule, hits);
    });
  }

 private:
  [[nodiscard]] bool gives_parameter(const Store& store) const {
    const std::string_view name = name_of(store.value);
    return parameter_named(&def_, name) != nullptr && !binds_name(def_, name);
  }

  void check(const Call& call, std::string_view rule, std::vector<Hit>& hits) const {
    const program::CallId id = program_.call_of(&call);
    if (!id.valid() || program_.calls()[id].targets.size() != 1) return;
    const program::CallTarget& target = program_.calls()[id].targets[0];
    const FunctionDef* callee = target.function.valid() ? program_.functions()[target.function].def() : nullptr;
    if (callee == nullptr || target.certainty != program::Certainty::kExact || target.function == function_) return;
    const auto signature = signatures_.of_target(program_.calls()[id], target);
    if (!signature) return;
    const std::vector<Store> stores = stores_in(*callee);
    for (const Parameter* parameter : callee->parameters->all) {
      const Expr* given = given_to(*signature, call, parameter->name.text).value;
      const std::string object = given == nullptr ? std::string() : dotted_text(given);
      if (object.empty()) continue;
      for (const Store& store : stores) {
        const Of of = object_of(*callee, store, parameter->name.text);
        const auto* value = as<Constant>(store.value);
        if (of == Of::kNothing || value == nullptr || is_none(value) || gives_others(stores, store) ||
            asks_first(*callee, store))
          continue;
        const Store* lost = lost_by(call, object, of, store.attribute);
        if (lost == nullptr) continue;
        tell(call, target.function, *lost, store, rule, hits);
        return;
      }
    }
  }

  /// Whether the function that sets it to a constant gives the attribute something else, too.
  static bool gives_others(const std::vector<Store>& stores, const Store& constant) {
    return std::any_of(stores.begin(), stores.end(), [&](const Store& one) {
      return one.attribute == constant.attribute && one.statement != constant.statement;
    });
  }

  /// Whether the object is asked first: `if not hasattr(x, "a"): x.a = 1` takes nothing away.
  static bool asks_first(const FunctionDef& callee, const Store& store) {
    const std::vector<Guard> guards = guards_of(callee, store.statement->span);
    return std::any_of(guards.begin(), guards.end(), [&](const Guard& one) {
      return one.condition != nullptr && (mentions_name(*one.condition, name_of(store.object)) ||
                                          mentions_attribute(*one.condition, store.attribute));
    });
  }

  /// Whether the object, or what it is read off, is another one behind the first place: `p = make()`.
  [[nodiscard]] bool is_bound_between(const std::string& object, Span first, Span last) const {
    bool found = false;
    walk_statements(def_, Nested::kSkip, [&](const Stmt* statement) {
      const auto* assign = as<Assign>(statement);
      if (assign == nullptr || assign->span.begin < first.end || assign->span.begin >= last.begin) return;
      for (const Expr* target : assign->targets) {
        const std::string text = dotted_text(target);
        found = found || is<Tuple>(target) || (!text.empty() && (object == text || object.starts_with(text + ".")));
      }
    });
    return found;
  }

  /// Whether a call is given the object, or is of a method of it.
  static bool is_given(const Call& call, const std::string& object) {
    const auto* method = as<Attribute>(call.callee);
    return (method != nullptr && dotted_text(method->value) == object) ||
           std::any_of(call.arguments.begin(), call.arguments.end(),
                       [&](const Expr* given) { return dotted_text(given) == object; }) ||
           std::any_of(call.keywords.begin(), call.keywords.end(),
                       [&](const Keyword* given) { return dotted_text(given->value) == object; });
  }

  /// Whether what a call enters, or that calls, reads an attribute of this name; true where that is not known.
  [[nodiscard]] bool may_read(const Call& call, std::string_view attribute) const {
    if (is_log_call(&call)) return false;
    const program::CallId id = program_.call_of(&call);
    if (!id.valid() || program_.calls()[id].targets.empty()) return true;
    const auto& targets = program_.calls()[id].targets;
    return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
      return !target.function.valid() || reads(target.function, attribute, kMostCallsBelow);
    });
  }

  [[nodiscard]] bool reads(FunctionId function, std::string_view attribute, int calls_below) const {
    const program::Function& row = program_.functions()[function];
    bool found = false;
    walk(*row.node, Nested::kEnter, [&](const Node* node) {
      const auto* read = as<Attribute>(node);
      found = found || (read != nullptr && read->context == ExprContext::kLoad && read->name.text == attribute);
      const auto* call = as<Call>(node);
      found = found || (call != nullptr && name_of(call->callee) == "getattr" && call->arguments.size() > 1 &&
                        text_of(call->arguments[1]) == attribute);
    });
    if (found || calls_below == 0) return found;
    for (const program::CallId id : row.calls) {
      for (const program::CallTarget& target : program_.calls()[id].targets)
        if (target.function.valid() && reads(target.function, attribute, calls_below - 1)) return true;
    }
    return false;
  }

  /// Whether what stands in the attribute may be of use before it is overwritten: it is read, or by a call between the
  /// two places that is given the object.
  [[nodiscard]] bool is_used_between(const Store& store, Span last) const {
    const std::string object = dotted_text(store.object);
    bool found = false;
    walk(def_, Nested::kEnter, [&](const Node* node) {
      if (node->span.begin < store.statement->span.end || node->span.begin >= last.begin || node->span.contains(last))
        return;
      const auto* attribute = as<Attribute>(node);
      found = found || (attribute != nullptr && attribute->context == ExprContext::kLoad &&
                        attribute->name.text == store.attribute);
      const auto* call = as<Call>(node);
      found = found || (call != nullptr && is_given(*call, object) && may_read(*call, store.attribute));
    });
    return found;
  }

  /// Whether the call is made by what the parameter is: `if mode is None: reset(layer)`.
  [[nodiscard]] bool asks_parameter(const Call& call, std::string_view parameter) const {
    const std::vector<Guard> guards = guards_of(def_, call.span);
    return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      return guard.condition != nullptr && mentions_name(*guard.condition, parameter);
    });
  }

  /// What stood there before the call; null where nothing is lost.
  [[nodiscard]] const Store* lost_by(const Call& call, const std::string& object, Of of,
                                     std::string_view attribute) const {
    const auto is_it = [&](const Store& one) {
      return one.attribute == attribute &&
             (of == Of::kItself ? dotted_text(one.object) == object : is_parameter_of_module(*one.object, object));
    };
    const Store* lost = nullptr;
    for (const Store& one : stores_) {
      if (!is_it(one)) continue;
      if (one.statement->span.begin > call.span.begin) return nullptr;  // It is given back.
      if (lost == nullptr && gives_parameter(one) && !is_used_between(one, call.span) &&
          !asks_parameter(call, name_of(one.value)) &&
          !is_bound_between(dotted_text(one.object), one.statement->span, call.span) &&
          !exclude_each_other(def_, program_.module_of(function_).facts->source(), one.statement->span, call.span))
        lost = &one;
    }
    return lost;
  }

  void tell(const Call& call, FunctionId callee, const Store& lost, const Store& constant, std::string_view rule,
            std::vector<Hit>& hits) const {
    const program::ModuleId module = program_.functions()[function_].module;
    const FileFacts& facts = *program_.modules()[module].facts;
    const FileFacts& there = *program_.module_of(callee).facts;
    const std::string_view given = name_of(lost.value);
    Hit hit = make_hit(
        program_, rule, module, call.span,
        {Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("`{}` sets `{}.{}` to {}, which was set to `{}` before", program_.functions()[callee].name,
                     quote(facts, lost.object->span), lost.attribute, quote(there, constant.value->span), given),
         fmt::format("`{}` is a parameter: what a caller gives is lost where this call is made.", given),
         fmt::format("Leave `{}` alone where it is set already, or set it to `{}` behind the call.", lost.attribute,
                     given)});
    hit.finding.end_line = hit.finding.start_line;
    hit.key += lost.attribute;
    hit.finding.evidence.push_back(evidence_at(program_, module, lost.statement->span, "set from the parameter"));
    hit.finding.evidence.push_back(
        evidence_at(program_, program_.functions()[callee].module, constant.statement->span, "set to a constant"));
    hits.push_back(std::move(hit));
  }

  const Program& program_;
  const Signatures& signatures_;
  const FunctionId function_;
  const FunctionDef& def_;
  std::vector<Store> stores_;
};

}  // namespace

void scan_overwritten_stamps(const Program& program, program::ModuleId module, std::string_view rule,
                             std::vector<Hit>& hits) {
  const Signatures signatures(program);
  for (const FunctionId function : program.modules()[module].functions) {
    const FunctionDef* def = program.functions()[function].def();
    if (def != nullptr) Stamps(program, signatures, function, *def).scan(rule, hits);
  }
}

}  // namespace lockstep::rules
