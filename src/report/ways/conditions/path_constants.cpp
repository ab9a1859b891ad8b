#include "report/ways/conditions/path_constants.h"

#include <algorithm>
#include <cstdint>

#include "python/tree_walk.h"
#include "report/source/code.h"
#include "report/ways/conditions/passed_on.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

constexpr int kMostDepth = 4;  // Of values that follow from other values.

const Name* as_name(const Expr* expression, std::string_view id) {
  const auto* name = as<Name>(expression);
  return name != nullptr && name->id == id ? name : nullptr;
}

/// The name that the node binds without a Name of its own; empty for none.
std::string_view bound_by(const Node& node) {
  switch (node.kind) {
    case NodeKind::kFunctionDef:
      return as<FunctionDef>(&node)->name.text;
    case NodeKind::kClassDef:
      return as<ClassDef>(&node)->name.text;
    case NodeKind::kAlias: {
      const auto& alias = *as<Alias>(&node);
      const std::string_view bound = alias.as_name.text.empty() ? alias.name.text : alias.as_name.text;
      return bound.substr(0, bound.find('.'));
    }
    case NodeKind::kExceptHandler:
      return as<ExceptHandler>(&node)->name.text;
    case NodeKind::kMatchAs:
      return as<MatchAs>(&node)->name.text;
    case NodeKind::kMatchStar:
      return as<MatchStar>(&node)->name.text;
    case NodeKind::kMatchMapping:
      return as<MatchMapping>(&node)->rest.text;
    default:
      return {};
  }
}

void collect_bindings(const Node& node, LocalBindings& out) {
  const auto* assign = as<Assign>(&node);
  const auto* target = assign != nullptr && assign->targets.size() == 1 ? as<Name>(assign->targets[0]) : nullptr;
  if (target != nullptr) {
    out[target->id].push_back({assign->value, node.span});
    if (assign->value != nullptr) collect_bindings(*assign->value, out);
    return;
  }
  const auto* name = as<Name>(&node);
  if (name != nullptr && name->context != ExprContext::kLoad) out[name->id].push_back({nullptr, node.span});
  if (const std::string_view bound = bound_by(node); !bound.empty()) out[bound].push_back({nullptr, node.span});
  for_each_child(node, [&](const Node* child) { collect_bindings(*child, out); });
}

/// The value of a local that the function binds once, by a plain assignment; null for others.
const Expr* only_value(const FunctionDef& def, const LocalBindings& bindings, std::string_view id) {
  if (rules::parameter_named(&def, id) != nullptr) return nullptr;
  const auto found = bindings.find(id);
  return found != bindings.end() && found->second.size() == 1 ? found->second.front().value : nullptr;
}

/// The keys of `{"a": x, "b": y}` and of both sides of `{…} if … else {…}`, added to `keys`; false for other
/// expressions.
bool add_keys(const Expr* expression, std::vector<std::string_view>& keys) {
  if (const auto* either = as<IfExp>(expression)) return add_keys(either->body, keys) && add_keys(either->orelse, keys);
  const auto* dict = as<Dict>(expression);
  if (dict == nullptr) return false;
  for (const Expr* key : dict->keys) {
    const auto* text = as<Constant>(key);
    if (text == nullptr || text->constant_kind != ConstantKind::kStr) return false;
    keys.push_back(text->text);
  }
  return true;
}

/// All keys that the local `id` may have where it is passed on; nothing where that is not known.
std::optional<std::vector<std::string_view>> keys_of_local(const FunctionDef& def, const LocalBindings& all,
                                                           std::string_view id) {
  if (rules::parameter_named(&def, id) != nullptr) return std::nullopt;
  std::vector<std::string_view> keys;
  std::size_t bindings = 0;
  bool known = true;
  const auto found = all.find(id);
  if (found == all.end()) return std::nullopt;
  for (const LocalBinding& one : found->second) {
    ++bindings;
    known = known && add_keys(one.value, keys);
  }
  if (!known || bindings == 0 || !is_only_passed_on(def, id, false, keys, bindings)) return std::nullopt;
  return keys;
}

const Parameter* starred_parameter(const FunctionDef& def, Parameter::Kind kind) {
  for (const Parameter* parameter : def.parameters->all) {
    if (parameter->parameter_kind == kind) return parameter;
  }
  return nullptr;
}

/// The earliest call that lost a value of which the expression is made; none where it mentions no lost one.
std::optional<std::size_t> lost_in(const Expr& expression, const KnownValues& known) {
  std::optional<std::size_t> earliest;
  for (const auto& [name, value] : known.named) {
    if (value.is_lost && rules::mentions_name(expression, name))
      earliest = std::min(earliest.value_or(SIZE_MAX), value.step);
  }
  return earliest;
}

/// What is left where a call enters the function and what it passes does not show.
KnownValues all_lost(const FunctionDef& def, std::size_t step) {
  KnownValues out;
  for (const Parameter* parameter : def.parameters->all) {
    const Expr* declared = parameter->default_value;
    if (declared == nullptr) continue;
    KnownValue& lost = out.named[parameter->name.text];
    lost.step = step;
    lost.is_lost = true;
    lost.by_default = value_of(declared);
  }
  return out;
}

/// The statements that run before the place, in the blocks around it.
std::vector<const Stmt*> before_place(const FunctionDef& def, Span place) {
  std::vector<const Stmt*> out;
  const auto add = [&](Seq<Stmt> block) {
    for (std::size_t i = 0; i < block.size() && block[i]->span.begin < place.begin; ++i) out.push_back(block[i]);
  };
  add(def.body);
  for (const Node* node : chain_to(def, place)) {
    if (is<FunctionDef>(node)) break;
    for_each_block(*node, [&](Seq<Stmt> block) {
      if (block.front()->span.begin <= place.begin && place.end <= block.back()->span.end) add(block);
    });
  }
  return out;
}

}  // namespace

/// The arguments of a call.
struct PathConstants::Passed {
  std::vector<KnownValue> positional;
  std::map<std::string_view, KnownValue> keywords;
  bool all_positional = true;  ///< Nothing unknown stands behind `positional`.
  bool all_keywords = true;
  std::size_t absent_since = 0;  ///< The call that fixed what is not among them.
};

const LocalBindings& PathConstants::bindings_in(const FunctionDef& def) const {
  const auto [place, is_new] = bindings_.try_emplace(&def);
  if (is_new) {
    for (const Stmt* statement : def.body) collect_bindings(*statement, place->second);
  }
  return place->second;
}

KnownValue PathConstants::value_at(const Expr* expression, const Inside& inside, std::size_t step) const {
  if (const auto* name = as<Name>(expression)) {
    const auto found = inside.known.named.find(name->id);
    if (found != inside.known.named.end()) return found->second;
    const FunctionDef* def = program_.functions()[inside.function].def();
    if (!inside.known.is_entered_from_around && is_left_out_of(inside.function, name->id)) return {{}, step, true};
    const Expr* value =
        def == nullptr || inside.depth >= kMostDepth ? nullptr : only_value(*def, bindings_in(*def), name->id);
    if (value == nullptr) return {};
    const Inside deeper{inside.function, inside.known, inside.depth + 1};
    KnownValue known = value_at(value, deeper, step);
    if (known.value.kind != Value::Kind::kUnknown) return known;
    if (const auto truth = holds(*value, deeper)) {
      known.value = {Value::Kind::kBool, *truth, *truth ? "True" : "False"};
      known.step = earliest_in(*value, deeper);
    }
    return known;
  }
  if (const auto* call = as<Call>(expression)) return value_of_call(*call, inside, step);
  return {value_of(expression), step};
}

/// Whether the name is a parameter with a default of a function around this one, which its callers may leave out.
bool PathConstants::is_left_out_of(FunctionId function, std::string_view id) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr || rules::parameter_named(def, id) != nullptr) return false;
  if (bindings_in(*def).contains(id)) return false;
  for (FunctionId at = program_.functions()[function].enclosing; at.valid(); at = program_.functions()[at].enclosing) {
    const Parameter* parameter = rules::parameter_named(program_.functions()[at].def(), id);
    if (parameter != nullptr) return parameter->default_value != nullptr;
  }
  return false;
}

/// Of `kwargs.get("key", default)`: what the caller passed by that name; nothing for other calls, or where not all that
/// it passed is known.
std::optional<KnownValue> PathConstants::value_in_keywords(const Call& call, const Inside& inside,
                                                           std::size_t step) const {
  const auto* method = as<Attribute>(call.callee);
  const FunctionDef* def = program_.functions()[inside.function].def();
  const Parameter* keywords = def == nullptr ? nullptr : starred_parameter(*def, Parameter::Kind::kVarKeywords);
  if (method == nullptr || method->name.text != "get" || keywords == nullptr || call.arguments.empty() ||
      as_name(method->value, keywords->name.text) == nullptr || !inside.known.keywords)
    return std::nullopt;
  const auto* key = as<Constant>(call.arguments[0]);
  if (key == nullptr || key->constant_kind != ConstantKind::kStr) return std::nullopt;
  const auto found = inside.known.keywords->find(key->text);
  if (found != inside.known.keywords->end()) return found->second;
  if (call.arguments.size() > 1) return value_at(call.arguments[1], inside, step);
  return KnownValue{{Value::Kind::kNone, false, "None"}, step};
}

/// Of a call of one function whose body is conditions and returns: what it gives with what is known of its arguments.
KnownValue PathConstants::value_of_call(const Call& call, const Inside& inside, std::size_t step) const {
  if (inside.depth >= kMostDepth) return {};
  if (const auto kept = value_in_keywords(call, inside, step)) return *kept;
  if (inside.known.named.empty()) return {};
  const program::CallId id = program_.call_of(&call);
  if (!id.valid()) return {};
  const program::CallSite& site = program_.calls()[id];
  if (site.targets.size() != 1 || site.targets[0].certainty != program::Certainty::kExact ||
      site.targets[0].kind != program::CallKind::kDirect || !site.targets[0].function.valid())
    return {};
  const FunctionId callee = site.targets[0].function;
  const FunctionDef* def = program_.functions()[callee].def();
  const auto signature = signatures_.of_target(site, site.targets[0]);
  if (def == nullptr || def->is_async || !signature) return {};
  const Inside deeper{inside.function, inside.known, inside.depth + 1};
  const KnownValues known = bound(*def, *signature, passed_by(call, deeper, step), step);
  const Inside within{callee, known, inside.depth + 1};
  const auto run = [&](const auto& run_body, const Seq<Stmt>& body) -> std::optional<const Return*> {
    for (const Stmt* statement : body) {
      if (const auto* returned = as<Return>(statement)) return returned;
      if (const auto* branch = as<If>(statement)) {
        const std::optional<bool> taken = holds(*branch->condition, within);
        if (!taken) return std::nullopt;
        const std::optional<const Return*> inner = run_body(run_body, *taken ? branch->body : branch->orelse);
        if (!inner || *inner != nullptr) return inner;
      } else if (!is<ExprStmt>(statement)) {
        return std::nullopt;  // It may assign or raise.
      }
    }
    return nullptr;
  };
  const std::optional<const Return*> returned = run(run, def->body);
  if (!returned || *returned == nullptr || (*returned)->value == nullptr) return {};
  return value_at((*returned)->value, within, step);
}

std::optional<bool> PathConstants::holds(const Expr& condition, const Inside& inside) const {
  return holds_with(condition,
                    [&](const Expr& part) { return is<Name>(&part) ? value_at(&part, inside, 0).value : Value(); });
}

std::optional<bool> PathConstants::holds_in(FunctionId function, const KnownValues& known,
                                            const Expr& condition) const {
  return holds(condition, {function, known});
}

std::size_t PathConstants::earliest_in(const Expr& condition, const Inside& inside) const {
  std::size_t earliest = SIZE_MAX;
  const auto visit = [&](const auto& walk, const Node& node) -> void {
    if (const auto* name = as<Name>(&node)) {
      const KnownValue known = value_at(name, inside, SIZE_MAX);
      if (known.value.kind != Value::Kind::kUnknown) earliest = std::min(earliest, known.step);
    }
    for_each_child(node, [&](const Node* child) { walk(walk, *child); });
  };
  visit(visit, condition);
  return earliest;
}

/// The keys of what `**expression` passes, where all are known.
std::optional<std::vector<std::string_view>> PathConstants::keys_spread(const Expr* expression,
                                                                        const Inside& inside) const {
  std::vector<std::string_view> keys;
  if (add_keys(expression, keys)) return keys;
  const FunctionDef* def = program_.functions()[inside.function].def();
  const auto* name = as<Name>(expression);
  if (name != nullptr) return def == nullptr ? std::nullopt : keys_of_local(*def, bindings_in(*def), name->id);
  // `**(extra or {})` where `extra` is None.
  const auto* either = as<BoolOp>(expression);
  if (either == nullptr || either->op != BoolOperator::kOr || either->values.size() != 2) return std::nullopt;
  if (holds(*either->values[0], inside).value_or(true) || !add_keys(either->values[1], keys)) return std::nullopt;
  return keys;
}

/// `f(args.format)` under `if args.format == "torch":`, or under `if form == "torch":` where the local `form` is only
/// ever `args.format`, or that in one case and another constant in the other.
const AskedValues& PathConstants::asked_around(const Call& call, FunctionId function) const {
  const auto [place, is_new] = asked_.try_emplace(&call);
  AskedValues& out = place->second;
  const FunctionDef* def = program_.functions()[function].def();
  if (!is_new || def == nullptr) return out;
  const LocalBindings& bindings = bindings_in(*def);
  // What the function sets itself may be something else by then.
  const auto is_bound_once = [&](std::string_view id) {
    const auto bound = bindings.find(id);
    const std::size_t times = bound == bindings.end() ? 0 : bound->second.size();
    return times == 0 || (times == 1 && only_value(*def, bindings, id) != nullptr);
  };
  const auto is_fixed = [&](const Expr& expression) {
    if (const auto* name = as<Name>(&expression)) return is_bound_once(name->id);
    const std::string text = dotted_text(&expression);
    if (text.empty() || !is_bound_once(std::string_view(text).substr(0, text.find('.')))) return false;
    bool is_set = false;
    walk_of<Attribute>(*def, Nested::kEnter, [&](const Attribute* one) {
      is_set = is_set || (one->context != ExprContext::kLoad && dotted_text(one) == text);
    });
    return !is_set;
  };
  const auto add = [&](const auto& self, const Expr& asked, const Value& value, int depth) -> void {
    if (depth >= kMostDepth || !is_fixed(asked)) return;
    out.try_emplace(dotted_text(&asked), value);
    const auto* local = as<Name>(&asked);
    const Expr* held = local == nullptr ? nullptr : only_value(*def, bindings, local->id);
    if (const auto* either = as<IfExp>(held)) {
      const Value other = value_of(either->orelse);
      held = other.kind != Value::Kind::kUnknown && !is_same_value(other, value) ? either->body : nullptr;
    }
    if (held != nullptr && !dotted_text(held).empty()) self(self, *held, value, depth + 1);
  };
  const auto look = [&](const auto& self, const Expr& condition) -> void {
    const auto* both = as<BoolOp>(&condition);
    if (both != nullptr && both->op == BoolOperator::kAnd) {
      for (const Expr* part : both->values) self(self, *part);
    }
    const auto* compare = as<Compare>(&condition);
    if (compare == nullptr || compare->ops.size() != 1 || compare->ops[0] != CompareOperator::kEq) return;
    const Value value = value_of(compare->comparators[0]);
    if (value.kind != Value::Kind::kUnknown && !dotted_text(compare->left).empty()) add(add, *compare->left, value, 0);
  };
  for (const Guard& guard : guards_of(*def, call.span)) {
    if (guard.condition != nullptr && !guard.negated && !is<While>(guard.statement)) look(look, *guard.condition);
  }
  return out;
}

KnownValue PathConstants::argument_value(const Expr* argument, const Call& call, const Inside& inside,
                                         std::size_t step) const {
  KnownValue known = value_at(argument, inside, step);
  if (known.value.kind != Value::Kind::kUnknown || known.is_lost) return known;
  const std::string text = dotted_text(argument);
  if (text.empty()) return known;
  const AskedValues& asked = asked_around(call, inside.function);
  const auto found = asked.find(text);
  return found == asked.end() ? known : KnownValue{found->second, step};
}

PathConstants::Passed PathConstants::passed_by(const Call& call, const Inside& inside, std::size_t step) const {
  Passed out;
  out.absent_since = step;
  const FunctionDef* def = program_.functions()[inside.function].def();
  const auto is_own = [&](const Expr* value, Parameter::Kind kind) {
    const Parameter* own = def == nullptr ? nullptr : starred_parameter(*def, kind);
    return own != nullptr && as_name(value, own->name.text) != nullptr;
  };
  for (const Expr* argument : call.arguments) {
    const auto* starred = as<Starred>(argument);
    if (starred == nullptr) {
      if (out.all_positional) out.positional.push_back(argument_value(argument, call, inside, step));
    } else if (is_own(starred->value, Parameter::Kind::kVarArgs) && inside.known.positional && out.all_positional) {
      out.positional.insert(out.positional.end(), inside.known.positional->begin(), inside.known.positional->end());
      out.absent_since = inside.known.absent_since;
    } else {
      out.all_positional = false;
    }
  }
  for (const Keyword* keyword : call.keywords) {
    if (!keyword->name.text.empty()) {
      out.keywords[keyword->name.text] = argument_value(keyword->value, call, inside, step);
    } else if (is_own(keyword->value, Parameter::Kind::kVarKeywords) && inside.known.keywords) {
      out.keywords.insert(inside.known.keywords->begin(), inside.known.keywords->end());
      out.absent_since = inside.known.absent_since;
    } else if (const auto keys = keys_spread(keyword->value, inside)) {
      for (const std::string_view key : *keys) out.keywords[key] = {};
    } else {
      out.all_keywords = false;
    }
  }
  return out;
}

KnownValues PathConstants::bound(const FunctionDef& def, const rules::Signature& signature, const Passed& passed,
                                 std::size_t step) const {
  using Kind = Parameter::Kind;
  KnownValues out;
  std::size_t next = 0;
  std::map<std::string_view, KnownValue> keywords = passed.keywords;
  for (const rules::AcceptedParameter& parameter : signature.parameters) {
    if (parameter.kind == Kind::kVarArgs) {
      if (passed.all_positional)
        out.positional.emplace(passed.positional.begin() + static_cast<std::ptrdiff_t>(next), passed.positional.end());
      next = passed.positional.size();
      continue;
    }
    if (parameter.kind == Kind::kVarKeywords) continue;
    const bool takes_position = parameter.kind != Kind::kKeywordOnly;
    if (takes_position && next < passed.positional.size()) {
      out.named[parameter.name] = passed.positional[next++];
      continue;
    }
    if (const auto by_name = keywords.find(parameter.name); by_name != keywords.end()) {
      out.named[parameter.name] = by_name->second;
      keywords.erase(by_name);
      continue;
    }
    const Parameter* declared = rules::parameter_named(&def, parameter.name);
    if (declared == nullptr || declared->default_value == nullptr) continue;
    const bool is_lost = !passed.all_keywords || (takes_position && !passed.all_positional);
    KnownValue& known = out.named[parameter.name];
    known.step = is_lost ? step : passed.absent_since;
    known.is_lost = is_lost;
    (is_lost ? known.by_default : known.value) = value_of(declared->default_value);
  }
  out.absent_since = passed.absent_since;
  if (passed.all_keywords) out.keywords = std::move(keywords);
  return out;
}

bool PathConstants::drop_assigned_once(FunctionId function, KnownValues& known, bool is_first) const {
  const FunctionDef& def = *program_.functions()[function].def();
  const LocalBindings& bindings = bindings_in(def);
  std::vector<std::string_view> changed;
  std::vector<std::pair<std::string_view, std::size_t>> lost;  // What is made of a lost value is lost, too.
  for (const auto& [name, value] : known.named) {
    if (!is_first && value.is_lost) continue;
    bool stays = true;
    std::optional<std::size_t> lost_at;
    // With the value that it came with: `if mask is not None: mask = …` does not touch a mask that is None.
    KnownValues alone;
    alone.named[name] = value;
    const auto bound = bindings.find(name);
    for (std::size_t b = 0; bound != bindings.end() && b < bound->second.size(); ++b) {
      const Expr* assigned = bound->second[b].value;
      const Span place = bound->second[b].place;
      if (ruled_out_by(function, alone, place)) continue;
      // `context = either(context, old_context)` with neither given.
      const bool is_same = assigned != nullptr && !value.is_lost &&
                           is_same_value(value_at(assigned, {function, known}, 0).value, value.value);
      if (is_same) continue;
      stays = false;
      const std::optional<std::size_t> at = assigned == nullptr ? std::nullopt : lost_in(*assigned, known);
      lost_at = at ? std::min(lost_at.value_or(SIZE_MAX), *at) : lost_at;
    }
    if (stays) continue;
    changed.push_back(name);
    if (lost_at) lost.emplace_back(name, *lost_at);
  }
  for (const std::string_view name : changed) known.named.erase(name);
  for (const auto& [name, step] : lost) known.named[name] = {{}, step, true};
  return !changed.empty();
}

/// Takes out what the body of the function may change.
void PathConstants::drop_assigned(FunctionId function, KnownValues& known) const {
  const FunctionDef& def = *program_.functions()[function].def();
  std::erase_if(known.named,
                [](const auto& one) { return one.second.value.kind == Value::Kind::kUnknown && !one.second.is_lost; });
  // What stays because another parameter does may fall with it.
  for (bool is_first = true; drop_assigned_once(function, known, is_first); is_first = false) continue;
  std::vector<std::string_view> set;
  const Parameter* arguments = starred_parameter(def, Parameter::Kind::kVarArgs);
  if (arguments == nullptr || !is_only_passed_on(def, arguments->name.text, true, set)) known.positional.reset();
  set.clear();
  const Parameter* keywords = starred_parameter(def, Parameter::Kind::kVarKeywords);
  if (keywords == nullptr || !is_only_passed_on(def, keywords->name.text, false, set)) known.keywords.reset();
  if (!known.keywords) return;
  for (const std::string_view key : set) (*known.keywords)[key] = {};
}

std::optional<rules::Signature> PathConstants::signature_of(const program::CallSite& site,
                                                            const program::CallTarget& target) const {
  const program::Function& callee = program_.functions()[target.function];
  const auto* call = as<Call>(site.node);
  // `model(…)` of an object whose class has a `__call__`.
  const auto* attribute = call == nullptr ? nullptr : as<Attribute>(call->callee);
  if (callee.name == "__call__" && callee.owner.valid() && target.kind == program::CallKind::kDirect &&
      (attribute == nullptr || attribute->name.text != "__call__"))
    return signatures_.of_function(target.function, 1);
  return signatures_.of_target(site, target);
}

KnownValues PathConstants::values_into(const program::CallSite& entering, FunctionId callee,
                                       const KnownValues& of_caller, std::size_t step) const {
  const auto* call = as<Call>(entering.node);
  const FunctionDef* def = program_.functions()[callee].def();
  if (call == nullptr || def == nullptr) return {};
  const auto target = std::find_if(entering.targets.begin(), entering.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == callee; });
  // A callback gets its arguments from whoever calls it back.
  const auto signature = target == entering.targets.end() || target->kind == program::CallKind::kCallback
                             ? std::nullopt
                             : signature_of(entering, *target);
  KnownValues out = !signature ? all_lost(*def, step)
                               : bound(*def, *signature, passed_by(*call, {entering.caller, of_caller}, step), step);
  // A function inside the caller reads the caller's parameters.
  out.is_entered_from_around = program_.functions()[callee].enclosing == entering.caller;
  if (out.is_entered_from_around) {
    for (const auto& [name, value] : of_caller.named) {
      if (rules::parameter_named(def, name) == nullptr) out.named.try_emplace(name, value);
    }
  }
  drop_assigned(callee, out);
  return out;
}

std::optional<std::size_t> PathConstants::ruled_out_by(FunctionId function, const KnownValues& known,
                                                       const program::CallSite& next) const {
  return next.node == nullptr ? std::nullopt : ruled_out_by(function, known, next.node->span);
}

std::optional<std::size_t> PathConstants::ruled_out_by(FunctionId function, const KnownValues& known,
                                                       Span place) const {
  const FunctionDef* def = program_.functions()[function].def();
  if (def == nullptr || known.named.empty()) return std::nullopt;
  const Inside inside{function, known};
  // None where no call fixed it: what holds in the function by itself is no matter of the way.
  const auto fixed_by = [&](const Expr& condition) {
    const std::size_t earliest = earliest_in(condition, inside);
    return earliest == SIZE_MAX ? std::nullopt : std::optional(earliest);
  };
  for (const Guard& guard : guards_of(*def, place)) {
    if (guard.condition == nullptr || is<While>(guard.statement)) continue;
    const auto result = holds(*guard.condition, inside);
    if (!result || *result != guard.negated) continue;
    if (const auto by = fixed_by(*guard.condition)) return by;
  }
  // What is refused or done with before, in any of the blocks around.
  for (const Stmt* statement : before_place(*def, place)) {
    if (const auto* check = as<Assert>(statement); check != nullptr && !check->span.contains(place)) {
      const auto by = holds(*check->test, inside).value_or(true) ? std::nullopt : fixed_by(*check->test);
      if (by) return by;
    }
    const auto* branch = as<If>(statement);
    const bool leaves = branch != nullptr && !branch->body.empty() &&
                        (is<Raise>(branch->body.back()) || is<Return>(branch->body.back()));
    if (!leaves || branch->span.contains(place) || !holds(*branch->condition, inside).value_or(false)) continue;
    if (const auto by = fixed_by(*branch->condition)) return by;
  }
  return std::nullopt;
}

std::optional<std::size_t> PathConstants::ruled_out_by_default(FunctionId function, const KnownValues& known,
                                                               Span place) const {
  KnownValues assumed = known;
  bool is_any_assumed = false;
  for (auto& [name, value] : assumed.named) {
    if (!value.is_lost || value.by_default.kind == Value::Kind::kUnknown) continue;
    value.value = value.by_default;
    is_any_assumed = true;
  }
  return is_any_assumed ? ruled_out_by(function, assumed, place) : std::nullopt;
}

std::vector<LostValue> PathConstants::lost_at(FunctionId function, const KnownValues& known, Span place) const {
  const FunctionDef* def = program_.functions()[function].def();
  std::vector<LostValue> out;
  if (def == nullptr) return out;
  const std::vector<Guard> guards = guards_of(*def, place);
  for (const auto& [name, value] : known.named) {
    const std::string_view id = name;
    const bool is_asked = value.is_lost && std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
                            return guard.condition != nullptr && rules::mentions_name(*guard.condition, id);
                          });
    if (is_asked) out.push_back({id, value.step});
  }
  return out;
}

}  // namespace lockstep::report
