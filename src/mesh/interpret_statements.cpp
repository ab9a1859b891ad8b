// Statements: how values flow through assignments, branches and loops, and what that leaves in the trace.
#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "mesh/interpreter.h"
#include "program/queries.h"
#include "python/tree_walk.h"

namespace lockstep::mesh {

using namespace python;  // the tree's node types, all over this file

namespace {

/// Below this many loops the body is run a second time when it changes what it reads.
constexpr int kLoopsRunTwice = 2;

/// `name` of `name is None`, where `condition` is that (not its negation); null otherwise.
const Expr* tested_for_none(const Expr& condition) {
  if (const auto* compare = as<Compare>(&condition); compare != nullptr && compare->ops.size() == 1) {
    const auto* constant = as<Constant>(compare->comparators[0]);
    if (compare->ops[0] == CompareOperator::kIs && constant != nullptr &&
        constant->constant_kind == ConstantKind::kNone) {
      return compare->left;
    }
  }
  if (const auto* unary = as<UnaryOp>(&condition); unary != nullptr && unary->op == UnaryOperator::kNot) {
    return is<Name>(unary->operand) ? unary->operand : nullptr;
  }
  return nullptr;
}

bool mentions_name(const Node& root, std::string_view name) {
  bool found = false;
  walk_of<Name>(root, Nested::kEnter, [&](const Name* node) { found = found || node->id == name; });
  return found;
}

/// True if the body of a loop uses a name that the loop's target binds.
bool body_uses_target(const For& loop) {
  bool used = false;
  const auto check = [&](const Name& target) {
    for (const Stmt* statement : loop.body) used = used || mentions_name(*statement, target.id);
  };
  if (const auto* name = as<Name>(loop.target)) check(*name);
  walk_of<Name>(*loop.target, Nested::kSkip, [&](const Name* name) { check(*name); });
  return used || !is<Name>(loop.target);
}

/// True if a sequence takes part in a broadcast, itself or in what it calls.
bool hands_over(const Sequence& sequence, int depth) {
  return std::any_of(sequence.begin(), sequence.end(), [&](const TraceNode& node) {
    if (node.kind == TraceKind::kEvent) return node.event.model->operation.starts_with("broadcast");
    if (depth >= 6) return false;
    if (node.kind == TraceKind::kCall) {
      const FunctionResult& callee = *node.callees.front();
      return !callee.in_progress && hands_over(callee.trace, depth + 1);
    }
    return std::any_of(node.branches.begin(), node.branches.end(),
                       [&](const Sequence& branch) { return hands_over(branch, depth + 1); });
  });
}

}  // namespace

FunctionRun::FunctionRun(Interpreter& interpreter, program::FunctionId function, const Arguments& arguments,
                         FunctionResult& result)
    : in_(interpreter),
      program_(interpreter.program),
      function_(function),
      row_(interpreter.program.functions()[function]),
      module_(row_.module),
      result_(result) {
  in_test_ = program::is_test_path(program_.modules()[module_].path);
  pool_.resize(2);  // kUnset, kDull
  trace_ = &result_.trace;
  bind_parameters(arguments);
}

void FunctionRun::bind_parameters(const Arguments& arguments) {
  for (const Value& argument : arguments) {
    for (const Bits bits : {argument.value.any(), argument.extent.any(), in_.groups[argument.group].span}) {
      result_.argument_bits |= bits;
      if (bits == kEveryRank) continue;
      for (int i = kFirstLocalSymbol; i < kFirstAttributeSymbol; ++i) {
        if ((bits >> i) & 1) next_symbol_ = std::max(next_symbol_, i + 1);
      }
    }
  }
  const Parameters* parameters = nullptr;
  if (const FunctionDef* def = row_.def()) parameters = def->parameters;
  if (const auto* lambda = as<Lambda>(row_.node)) parameters = lambda->parameters;
  self_class_ = row_.owner;
  for (program::FunctionId outer = row_.enclosing; outer.valid() && !self_class_.valid();) {
    self_class_ = program_.functions()[outer].owner;
    outer = program_.functions()[outer].enclosing;
  }
  if (self_class_.valid()) self_name_ = "self";
  if (parameters == nullptr) return;
  for (std::size_t i = 0; i < parameters->all.size(); ++i) {
    const Parameter& parameter = *parameters->all[i];
    const int place = slot(parameter.name.text);
    parameters_.emplace_back(parameter.name.text, place);
    if (i == 0 && row_.owner.valid() && parameter.name.text != "cls") {
      self_name_ = parameter.name.text;
      store(place, kDull);
      continue;
    }
    Value value = i < arguments.size() ? arguments[i] : Value{};
    const bool told = !result_.is_root && i < arguments.size() && !value.dull();
    store(place, told ? add(value) : add(parameter_value(parameter)));
  }
}

Value FunctionRun::parameter_value(const Parameter& parameter) {
  Value value;
  const std::string_view name = parameter.name.text;
  const NameFacts& facts = in_.name_facts(name);
  if (facts.group) {
    value.group = in_.groups.known(*facts.group, name);
    value.kind = ValueKind::kGroup;
  } else if (facts.is_group_parameter) {
    value.group = local_symbol(name, true);
    value.kind = ValueKind::kGroup;
  } else if (facts.rank && !in_.has_callers(function_)) {
    const SourceId from = source(parameter, fmt::format("parameter `{}` is taken for this process's rank", name), 0,
                                 fmt::format("that `{}` is this process's rank is read off its name", name));
    value.value = Variation::possibly(*facts.rank, from);
    value.form = Form::kScalar;
    value.is_rank = true;
  }
  return value;
}

void FunctionRun::run() {
  if (const FunctionDef* def = row_.def()) {
    if (execute(def->body) == Flow::kFalls && returned_) {
      Value end = at(*returned_);  // some ranks come back with None
      if (end.group == 0 && end.constant != ConstantTag::kNone) {
        end.value.join(left_);
        end.presence.join(left_);
        returned_ = add(end);
        same_return_ = false;
      }
    }
  } else if (const auto* lambda = as<Lambda>(row_.node)) {
    returned_ = evaluate(*lambda->body);
  } else if (const auto* module = as<Module>(row_.node)) {
    execute(module->body);
  }
  finish();
}

void FunctionRun::finish() {
  if (returned_) {
    result_.returned = leaving(at(*returned_));
    result_.returns_value = true;
    if (same_return_) result_.returned.value = {};
    if (result_.returned.group != 0) result_.returned.value = {};
  }
  const bool keep_locals = row_.kind == program::FunctionKind::kModuleBody || result_.is_root;
  for (const auto& [name, place] : slots_) {
    if (!keep_locals || place < 0 || static_cast<std::size_t>(place) >= env_.size()) continue;
    const Ref ref = env_[place];
    if (ref > kDull && name.find('.') == std::string_view::npos) result_.locals.emplace_back(name, leaving(at(ref)));
  }
  std::sort(result_.locals.begin(), result_.locals.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

FunctionRun::Flow FunctionRun::execute(Seq<Stmt> block) {
  for (const Stmt* statement : block) {
    if (execute_one(*statement) == Flow::kExits) return Flow::kExits;
  }
  return Flow::kFalls;
}

FunctionRun::Flow FunctionRun::execute_one(const Stmt& statement) {
  if (in_.depth_ > Interpreter::kMaxDepth) return Flow::kFalls;
  ++in_.depth_;
  const Flow flow = execute_statement(statement);
  --in_.depth_;
  return flow;
}

FunctionRun::Flow FunctionRun::execute_statement(const Stmt& statement) {
  switch (statement.kind) {
    case NodeKind::kExprStmt:
      discarded_ = as<ExprStmt>(&statement)->value;
      evaluate(*discarded_);
      break;
    case NodeKind::kAssign: {
      const auto& node = *as<Assign>(&statement);
      const Ref value = evaluate(*node.value);
      for (const Expr* target : node.targets) assign(*target, value, node.value);
      break;
    }
    case NodeKind::kAnnAssign: {
      const auto& node = *as<AnnAssign>(&statement);
      if (node.value != nullptr) assign(*node.target, evaluate(*node.value), node.value);
      break;
    }
    case NodeKind::kAugAssign: {
      const auto& node = *as<AugAssign>(&statement);
      assign(*node.target, evaluate_binary(node.op, evaluate(*node.target), evaluate(*node.value)), nullptr);
      break;
    }
    case NodeKind::kIf:
      return execute_if(*as<If>(&statement));
    case NodeKind::kFor:
      execute_for(*as<For>(&statement));
      break;
    case NodeKind::kWhile:
      execute_while(*as<While>(&statement));
      break;
    case NodeKind::kTry:
      return execute_try(*as<Try>(&statement));
    case NodeKind::kMatch:
      return execute_match(*as<Match>(&statement));
    case NodeKind::kWith: {
      const auto& node = *as<With>(&statement);
      for (const WithItem* item : node.items) {
        const Ref value = evaluate(*item->context);
        if (item->target != nullptr) assign(*item->target, value, item->context);
      }
      return execute(node.body);
    }
    case NodeKind::kReturn:
      execute_return(*as<Return>(&statement));
      return Flow::kExits;
    case NodeKind::kRaise:
      if (as<Raise>(&statement)->exception != nullptr) evaluate(*as<Raise>(&statement)->exception);
      execute_exit(statement, ExitKind::kRaise);
      return Flow::kExits;
    case NodeKind::kBreak:
      execute_exit(statement, ExitKind::kBreak);
      return Flow::kExits;
    case NodeKind::kContinue:
      execute_exit(statement, ExitKind::kContinue);
      return Flow::kExits;
    case NodeKind::kAssert:
      evaluate(*as<Assert>(&statement)->test);
      break;
    default:
      break;
  }
  return Flow::kFalls;
}

void FunctionRun::execute_return(const Return& statement) {
  Value value;
  if (statement.value != nullptr) {
    value = at(evaluate(*statement.value));
  } else {
    value.constant = ConstantTag::kNone;
  }
  const bool constant = value.constant != ConstantTag::kUnknown;
  if (returned_) {
    const Value& before = at(*returned_);
    same_return_ = same_return_ && constant && before.constant == value.constant && before.number == value.number;
  } else {
    same_return_ = constant && control_.empty() && left_.empty();
  }
  Value joined = returned_ ? join_values(at(*returned_), value) : value;
  if (value.group != 0 || (returned_ && at(*returned_).group != 0)) {
    joined.group = joined_returns(value);
    joined.kind = ValueKind::kGroup;
  } else {
    Variation guarded = control_;
    guarded.join(left_);
    joined.value.join(guarded);
    const bool none_here = value.constant == ConstantTag::kNone;
    const bool none_before = returned_ && at(*returned_).constant == ConstantTag::kNone;
    if (returned_ && none_here != none_before) joined.presence.join(guarded);
  }
  returned_ = add(joined);
  left_.join(control_);
  execute_exit(statement, ExitKind::kReturn);
}

/// The group that the function returns with one more `return`: one of several where that is another one than before, or
/// something of which nothing is known.
GroupId FunctionRun::joined_returns(const Value& value) {
  if (!returned_) return value.group;
  const Value& before = at(*returned_);
  // Who is no member of a group gets None in its place.
  const auto is_none = [](const Value& one) { return one.constant == ConstantTag::kNone; };
  if (before.group == value.group || is_none(value)) return before.group;
  if (is_none(before)) return value.group;
  const GroupId known = value.group != 0 ? value.group : before.group;
  return in_.groups[known].either ? known : in_.groups.either(known, fmt::format("{}()", row_.name));
}

void FunctionRun::execute_exit(const Stmt& statement, ExitKind kind) {
  TraceNode node;
  node.kind = TraceKind::kExit;
  node.place = &statement;
  node.exit = kind;
  trace_->push_back(std::move(node));
}

FunctionRun::Flow FunctionRun::execute_if(const If& statement) {
  const Ref condition = evaluate(*statement.condition);
  if (const std::optional<bool> known = truth(condition)) return execute(*known ? statement.body : statement.orelse);
  const Variation varies = truth_variation(condition);
  const Environment before = env_;
  Flow then_flow = Flow::kFalls;
  Flow else_flow = Flow::kFalls;
  Sequence then_trace;
  Sequence else_trace;
  ++branch_depth_;
  narrow(*statement.condition, true);
  under(varies, [&] { then_trace = traced([&] { then_flow = execute(statement.body); }); });
  Environment then_env = std::move(env_);
  env_ = before;
  narrow(*statement.condition, false);
  under(varies, [&] { else_trace = traced([&] { else_flow = execute(statement.orelse); }); });
  --branch_depth_;
  if (then_flow == Flow::kExits && else_flow == Flow::kExits) {
    // Neither goes on; what the function's names hold at the end does not matter.
  } else if (then_flow == Flow::kFalls && else_flow == Flow::kFalls) {
    const bool handed_over = !varies.empty() && hands_over(then_trace, 0) && hands_over(else_trace, 0);
    env_ = merge(before, then_env, env_, varies, tested_for_none(*statement.condition), handed_over);
  } else if (else_flow == Flow::kExits) {
    env_ = std::move(then_env);
  }
  emit_choice(*statement.condition, varies, std::move(then_trace), std::move(else_trace), at(condition).is_direct);
  return then_flow == Flow::kExits && else_flow == Flow::kExits ? Flow::kExits : Flow::kFalls;
}

FunctionRun::Environment FunctionRun::merge(const Environment& before, const Environment& then_env,
                                            const Environment& else_env, const Variation& varies,
                                            const Expr* none_tested, bool handed_over) {
  Environment merged(std::max(then_env.size(), else_env.size()), kUnset);
  const std::string_view filled = none_tested != nullptr ? path_of(*none_tested) : std::string_view{};
  const auto found = filled.empty() ? slots_.end() : slots_.find(filled);
  const int filled_slot = found == slots_.end() ? -1 : found->second;
  for (std::size_t i = 0; i < merged.size(); ++i) {
    const Ref a = i < then_env.size() ? then_env[i] : kUnset;
    const Ref b = i < else_env.size() ? else_env[i] : kUnset;
    const Ref old = i < before.size() ? before[i] : kUnset;
    if (a == b || b == kUnset) {
      merged[i] = a;
    } else if (a == kUnset) {
      merged[i] = b;
    } else if (static_cast<int>(i) == filled_slot && at(a).group != 0 && b == old && result_.is_root) {
      merged[i] = a;  // `if group is None: group = default`: nobody is known to pass one
      const bool is_parameter = std::any_of(parameters_.begin(), parameters_.end(),
                                            [&](const auto& one) { return one.second == filled_slot; });
      if (is_parameter && at(a).group != at(b).group) {
        Value by_default = at(a);
        by_default.group = in_.groups.by_default(by_default.group, filled);
        merged[i] = add(by_default);
      }
    } else if (handed_over && (a == old || b == old)) {
      merged[i] = merge_values(a, b, {});  // one side sends what it has, the other takes it
    } else {
      merged[i] = merge_values(a, b, varies);
      // Something was added to it on one side only.
      if (!varies.empty() && ((a == old && at(b).is_grown) || (b == old && at(a).is_grown))) {
        Value longer = at(merged[i]);
        longer.extent.join(varies);
        merged[i] = add(longer);
      }
    }
  }
  return merged;
}

FunctionRun::Ref FunctionRun::merge_values(Ref then_value, Ref else_value, const Variation& varies) {
  const Value& a = at(then_value);
  const Value& b = at(else_value);
  Value merged = join_values(a, b);
  if ((a.constant == ConstantTag::kNone) != (b.constant == ConstantTag::kNone)) merged.presence.join(varies);
  if (a.group != 0 || b.group != 0) {
    merged.presence = {};
    if (a.group == 0 || b.group == 0) merged.group = a.group | b.group;  // None for those who are not in it
    merged.kind = ValueKind::kGroup;
    merged.value = {};
    return add(merged);
  }
  if (varies.empty()) return add(merged);
  const bool same_constant = a.constant != ConstantTag::kUnknown && a.constant == b.constant && a.number == b.number;
  if (same_constant && then_value != kDull) return add(merged);
  merged.is_rank = false;
  if (a.length >= 0 && b.length >= 0) {
    if (a.length != b.length) merged.extent.join(varies);
    if (a.length == b.length && a.length >= 2) merged.order.join(varies);
  } else if ((a.length == 0) != (b.length == 0)) {
    merged.extent.join(varies);
  }
  merged.value.join(varies);
  return add(merged);
}

void FunctionRun::run_loop_body(Seq<Stmt> body, const Variation& trip, Sequence& trace, const For* loop, Ref iterable) {
  ++loop_depth_;
  const Environment before = env_;
  const auto once = [&] {
    if (loop != nullptr) assign(*loop->target, element_of(iterable), nullptr);
    execute(body);
  };
  under(trip, [&] { trace = traced(once); });
  Environment after = merge(before, env_, before, trip, nullptr);
  if (loop_depth_ <= kLoopsRunTwice && after != before) {
    env_ = after;
    under(trip, [&] { trace = traced(once); });
    after = merge(after, env_, after, trip, nullptr);
  }
  env_ = std::move(after);
  --loop_depth_;
}

void FunctionRun::execute_for(const For& statement) {
  const Ref iterable = evaluate(*statement.iterable);
  TraceNode node;
  node.kind = TraceKind::kLoop;
  node.place = statement.iterable;
  node.varies = at(iterable).extent;
  node.order = iteration_order(iterable, *statement.iterable);
  node.branches.resize(2);
  run_loop_body(statement.body, node.varies, node.branches[0], &statement, iterable);
  node.branches[1] = traced([&] { execute(statement.orelse); });
  if (node.branches[0].empty() && node.branches[1].empty()) return;
  node.uses_element = node.order.empty() || body_uses_target(statement);
  trace_->push_back(std::move(node));
}

void FunctionRun::execute_while(const While& statement) {
  const Ref condition = evaluate(*statement.condition);
  if (truth(condition) == std::optional<bool>(false)) return;
  TraceNode node;
  node.kind = TraceKind::kLoop;
  node.place = statement.condition;
  node.branches.resize(2);
  Variation varies = truth_variation(condition);
  run_loop_body(statement.body, varies, node.branches[0], nullptr, kUnset);
  // What the body leaves is what the condition sees from the second round on.
  const Variation later = truth_variation(evaluate(*statement.condition));
  varies.remove(~later.any());
  varies.join(later);
  node.varies = varies;
  node.branches[1] = traced([&] { execute(statement.orelse); });
  if (node.branches[0].empty() && node.branches[1].empty()) return;
  trace_->push_back(std::move(node));
}

FunctionRun::Flow FunctionRun::execute_try(const Try& statement) {
  TraceNode node;
  node.kind = TraceKind::kTry;
  node.place = &statement;
  node.branches.resize(3);
  const Environment before = env_;
  Flow flow = Flow::kFalls;
  node.branches[0] = traced([&] { flow = execute(statement.body); });
  if (flow == Flow::kFalls) node.branches[1] = traced([&] { flow = execute(statement.orelse); });
  Environment after = env_;
  bool one_falls = flow == Flow::kFalls;
  for (const ExceptHandler* handler : statement.handlers) {
    env_ = merge(before, after, before, {}, nullptr);
    Flow handler_flow = Flow::kFalls;
    node.branches.push_back(traced([&] { handler_flow = execute(handler->body); }));
    if (handler_flow == Flow::kFalls) {
      after = one_falls ? merge(before, after, env_, {}, nullptr) : env_;
      one_falls = true;
    }
  }
  env_ = std::move(after);
  Flow final_flow = Flow::kFalls;
  node.branches[2] = traced([&] { final_flow = execute(statement.finally_body); });
  bool any = false;
  for (const Sequence& branch : node.branches) any = any || !branch.empty();
  if (any) trace_->push_back(std::move(node));
  return one_falls && final_flow == Flow::kFalls ? Flow::kFalls : Flow::kExits;
}

FunctionRun::Flow FunctionRun::execute_match(const Match& statement) {
  // match subject: case a: … case b: …  is  if subject matches a: … elif …
  const Ref subject = evaluate(*statement.subject);
  const Variation varies = truth_variation(subject);
  const bool direct = at(subject).is_rank;
  const Environment before = env_;
  Environment joined;
  Sequence chain;
  bool one_falls = true;  // no case may match
  joined = before;
  for (std::size_t i = statement.cases.size(); i-- > 0;) {
    env_ = before;
    Flow flow = Flow::kFalls;
    Sequence body;
    under(varies, [&] { body = traced([&] { flow = execute(statement.cases[i]->body); }); });
    if (flow == Flow::kFalls) joined = merge(before, env_, joined, varies, nullptr);
    Sequence outer =
        traced([&] { emit_choice(*statement.subject, varies, std::move(body), std::move(chain), direct); });
    for (TraceNode& node : outer) node.condition = {};
    chain = std::move(outer);
  }
  env_ = std::move(joined);
  for (TraceNode& node : chain) trace_->push_back(std::move(node));
  return one_falls ? Flow::kFalls : Flow::kExits;
}

void FunctionRun::assign(const Expr& target, Ref value, const Expr* value_expression) {
  if (const auto* name = as<Name>(&target)) {
    if (value > kDull && at(value).group == 0 && in_.name_facts(name->id).is_size) value = kDull;
    store(slot(name->id), value);
    return;
  }
  if (is<Attribute>(&target)) {
    const std::string_view path = path_of(target);
    const auto& attribute = *as<Attribute>(&target);
    if (!path.empty()) assign_path(path, value);
    if (is_self(*attribute.value) && value > kDull) {
      Value stored = at(value);
      stored.constant = ConstantTag::kUnknown;
      if (stored.group == 0) stored.value.join(control_);
      stored = leaving(stored);
      if (!stored.dull()) result_.self_stores.emplace_back(attribute.name.text, stored);
    }
    return;
  }
  if (const auto* starred = as<Starred>(&target)) return assign(*starred->value, value, nullptr);
  Seq<Expr> targets;
  if (const auto* tuple = as<Tuple>(&target)) targets = tuple->elements;
  if (const auto* list = as<List>(&target)) targets = list->elements;
  if (!targets.empty()) {
    const std::uint32_t known = at(value).elements;
    const bool one = known != 0 && in_.elements(known).size() == targets.size();
    // `inner, outer = groups`: what a bunch of groups is called says nothing about each of them.
    const Ref rest = !one && at(value).group != 0 && at(value).kind == ValueKind::kGroup ? kDull : element_of(value);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      assign(*targets[i], one ? add(in_.elements(known)[i]) : rest, nullptr);
    }
    return;
  }
  if (const auto* subscript = as<Subscript>(&target)) {
    // x[i] = v: x takes up what v brings; its extent stays.
    const std::string_view path = path_of(*subscript->value);
    if (path.empty() || (at(value).value.empty() && control_.empty())) return;
    if (at(evaluate(*subscript->value)).group != 0) return;
    Value grown = at(evaluate(*subscript->value));
    grown.value.join(at(value).value);
    grown.elements = 0;
    assign_path(path, add(grown));
  }
  static_cast<void>(value_expression);
}

void FunctionRun::assign_path(std::string_view path, Ref value) { store(slot(path), value); }

}  // namespace lockstep::mesh
