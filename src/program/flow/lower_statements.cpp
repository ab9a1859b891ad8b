#include <algorithm>

#include "program/definitions.h"
#include "program/flow/lowering.h"

namespace lockstep::program::flow {
namespace {

/// `[]`, `{}`, `dict()`, `defaultdict(list)`: an expression that makes a container without elements.
bool makes_empty_container(const python::Expr& value) {
  if (const auto* list = python::as<python::List>(&value)) return list->elements.empty();
  if (const auto* dict = python::as<python::Dict>(&value)) return dict->values.empty();
  const auto* call = python::as<python::Call>(&value);
  if (call == nullptr) return false;
  const auto* name = python::as<python::Name>(call->callee);
  const auto* attribute = python::as<python::Attribute>(call->callee);
  const std::string_view callee = name != nullptr        ? std::string_view(name->id)
                                  : attribute != nullptr ? std::string_view(attribute->name.text)
                                                         : std::string_view();
  // Fields of dataclasses (dataclasses.field) and of pydantic's models (pydantic.Field).
  if (callee == "field" || callee == "Field") {
    return std::any_of(call->keywords.begin(), call->keywords.end(),
                       [](const python::Keyword* keyword) { return keyword->name.text == "default_factory"; });
  }
  if (callee == "defaultdict") return call->arguments.size() <= 1;
  return (callee == "dict" || callee == "list" || callee == "set" || callee == "OrderedDict" || callee == "deque") &&
         call->arguments.empty();
}

using python::NodeKind;
using python::ScopeKind;

/// False for statements that run nothing but the expressions in them, and `if`, which says itself what it runs.
bool may_run_code(const python::Stmt& node) {
  switch (node.kind) {
    case NodeKind::kFunctionDef:
      return !static_cast<const python::FunctionDef&>(node).decorators.empty();
    case NodeKind::kExprStmt:
    case NodeKind::kAssign:
    case NodeKind::kAnnAssign:
    case NodeKind::kReturn:
    case NodeKind::kIf:
    case NodeKind::kPass:
    case NodeKind::kGlobal:
    case NodeKind::kNonlocal:
      return false;
    default:
      return true;
  }
}

}  // namespace

void Lowering::block(python::Seq<python::Stmt> statements) {
  const std::size_t mark = frame_->one_ways.size();
  for (const python::Stmt* each : statements) statement(*each);
  close_guards(mark);
}

void Lowering::statement(const python::Stmt& node) {
  if (!may_run_code(node)) return lower_statement(node);
  doubt();
  lower_statement(node);
  doubt();
}

void Lowering::lower_statement(const python::Stmt& node) {
  switch (node.kind) {
    case NodeKind::kFunctionDef:
      return function_def(static_cast<const python::FunctionDef&>(node));
    case NodeKind::kClassDef:
      return class_def(static_cast<const python::ClassDef&>(node));
    case NodeKind::kIf:
      return if_statement(static_cast<const python::If&>(node));
    case NodeKind::kFor:
      return for_statement(static_cast<const python::For&>(node));
    case NodeKind::kWhile:
      return while_statement(static_cast<const python::While&>(node));
    case NodeKind::kTry:
      return try_statement(static_cast<const python::Try&>(node));
    case NodeKind::kWith:
      return with_statement(static_cast<const python::With&>(node));
    case NodeKind::kMatch:
      return match_statement(static_cast<const python::Match&>(node));
    case NodeKind::kImport:
      return import_statement(node, static_cast<const python::Import&>(node).names);
    case NodeKind::kImportFrom:
      return import_statement(node, static_cast<const python::ImportFrom&>(node).names);
    default:
      return simple_statement(node);
  }
}

void Lowering::simple_statement(const python::Stmt& node) {
  switch (node.kind) {
    case NodeKind::kExprStmt: {
      const python::Expr* value = static_cast<const python::ExprStmt&>(node).value;
      expression(value);
      if (python::is<python::Call>(value)) frame_->last_call = frame_->variables.moment();
      return;
    }
    case NodeKind::kAssign: {
      const auto& assignment = static_cast<const python::Assign&>(node);
      const Slot value = python::is<python::Tuple>(assignment.value) ? 0 : expression(assignment.value);
      for (const python::Expr* target : assignment.targets) assign_value(target, assignment.value, value, &node);
      return;
    }
    case NodeKind::kAnnAssign: {
      const auto& assignment = static_cast<const python::AnnAssign&>(node);
      const bool in_class = frame_->scope->kind == ScopeKind::kClass;
      if (assignment.value == nullptr) return declare(assignment);
      Slot value = expression(assignment.value);
      if (value == 0) value = new_slot();
      const bool is_empty = makes_empty_container(*assignment.value);
      if (!in_class || is_empty) {
        code_.seeds.push_back(
            {value, frame_->scope->id, assignment.annotation, static_cast<std::uint32_t>(frame_->function), false});
        code_.seeds.back().of_elements = is_empty;
      }
      assign(assignment.target, value, &node);
      return declare(assignment);
    }
    case NodeKind::kAugAssign: {
      const auto& assignment = static_cast<const python::AugAssign&>(node);
      const Slot left = expression(assignment.target);
      const Slot right = expression(assignment.value);
      const Slot result = operation(OpCode::kBinary, &node, left, right, method_of(assignment.op));
      if (result != 0) code_.ops.back().flags = 1;
      return assign(assignment.target, result, &node);
    }
    case NodeKind::kReturn: {
      const auto& result = static_cast<const python::Return&>(node);
      copy(expression(result.value), frame_->result, &node);
      frame_->per_caller = frame_->per_caller || is_parameter(result.value);
      leave_function();
      frame_->returns += result.value != nullptr ? 1 : 0;
      frame_->is_dead = true;
      return;
    }
    case NodeKind::kRaise: {
      const auto& raised = static_cast<const python::Raise&>(node);
      const Slot value = expression(raised.exception);
      expression(raised.cause);
      if (value != 0 && !python::is<python::Call>(raised.exception)) emit(OpCode::kRaise, &node).a = value;
      frame_->is_dead = true;
      return;
    }
    case NodeKind::kAssert: {
      const auto& assertion = static_cast<const python::Assert&>(node);
      expression(assertion.test);
      expression(assertion.message);
      return refine(assertion.test, true);
    }
    case NodeKind::kDelete:
      for (const python::Expr* target : static_cast<const python::Delete&>(node).targets) {
        if (const auto* subscript_target = python::as<python::Subscript>(target)) expression(subscript_target->value);
        if (const auto* attribute = python::as<python::Attribute>(target)) expression(attribute->value);
      }
      forget_places();
      return;
    case NodeKind::kBreak:
      return break_loop();
    case NodeKind::kContinue:
      return continue_loop(&node);
    case NodeKind::kTypeAlias:
      return;
    default:
      return;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Assignment

/// Later assignments to a variable have the type that its annotation says.
void Lowering::declare(const python::AnnAssign& assignment) {
  const auto* name = python::as<python::Name>(assignment.target);
  if (name == nullptr || frame_->scope->kind == ScopeKind::kClass) return;
  const VariableId variable = find(*frame_->scope, name_id(name->id));
  if (variable != kNoVariable) frame_->variables[variable].annotation = assignment.annotation;
}

void Lowering::assign_value(const python::Expr* target, const python::Expr* value, Slot slot,
                            const python::Node* node) {
  const auto* values = python::as<python::Tuple>(value);
  if (values == nullptr) return assign(target, slot, node);
  const auto is_starred = [](const python::Expr* each) { return python::is<python::Starred>(each); };
  const auto* targets = python::as<python::Tuple>(target);
  const bool matches = targets != nullptr && targets->elements.size() == values->elements.size() &&
                       std::none_of(values->elements.begin(), values->elements.end(), is_starred) &&
                       std::none_of(targets->elements.begin(), targets->elements.end(), is_starred);
  if (!matches) return assign(target, expression(value), node);
  std::vector<Slot> slots;
  for (const python::Expr* each : values->elements) slots.push_back(expression(each));
  for (std::size_t i = 0; i < slots.size(); ++i) assign(targets->elements[i], slots[i], node);
}

void Lowering::assign(const python::Expr* target, Slot value, const python::Node* node) {
  if (target == nullptr) return;
  switch (target->kind) {
    case NodeKind::kName:
      return store_name(static_cast<const python::Name*>(target)->id, value, node);
    case NodeKind::kAttribute: {
      const auto& attribute = static_cast<const python::Attribute&>(*target);
      const Slot object = expression(attribute.value);
      if (object == 0 || value == 0) {
        doubt();
        return write_place(0, false, name_id(attribute.name.text) + 1, 0);
      }
      Op& op = emit(OpCode::kStore, target);
      op.a = object;
      op.b = value;
      op.name = name_id(attribute.name.text);
      Slot base = place_base(attribute.value, object);
      if (base == 0) base = outer_base(attribute.value, object);
      doubt_others(base, 0);
      frame_->last_op = kNone;
      return write_place(base, false, op.name + 1, value);
    }
    case NodeKind::kSubscript: {
      const auto& item = static_cast<const python::Subscript&>(*target);
      const Slot object = expression(item.value);
      const Slot index = expression(item.index);
      frame_->per_caller = frame_->per_caller || is_parameter(item.index);
      doubt();
      if (object == 0) return write_place(0, true, 0, 0);
      Op& op = emit(OpCode::kSetItem, target);
      op.a = object;
      op.b = index;
      op.c = value;
      return write_place(place_base(item.value, object), true, place_key(item.index, index), value);
    }
    case NodeKind::kTuple:
      return assign_sequence(static_cast<const python::Tuple*>(target)->elements, value, node);
    case NodeKind::kList:
      return assign_sequence(static_cast<const python::List*>(target)->elements, value, node);
    case NodeKind::kStarred:
      return assign(static_cast<const python::Starred*>(target)->value, value, node);
    default:
      return;
  }
}

void Lowering::assign_sequence(python::Seq<python::Expr> targets, Slot value, const python::Node* node) {
  doubt();
  bool after_star = false;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Slot element = 0;
    if (const auto* starred = python::as<python::Starred>(targets[i]); starred != nullptr) {
      after_star = true;
      if (value != 0) {
        element = emit_value(OpCode::kSlice, node, value);
        code_.ops.back().b = new_object(ContainerKind::kList);
        code_.ops.back().flags = static_cast<std::uint8_t>(std::min<std::size_t>(i, 64));
      }
    } else if (value != 0) {
      element = emit_value(after_star ? OpCode::kIterate : OpCode::kUnpack, node, value);
      code_.ops.back().b = static_cast<std::uint32_t>(i);
    }
    assign(targets[i], element, node);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Definitions

Slot Lowering::decorate(python::Seq<python::Expr> decorators, std::span<const Slot> callees, Slot value) {
  for (std::size_t i = decorators.size(); i-- > 0;) {
    const Slot dst = emit_value(OpCode::kDecorate, decorators[i], callees[i]);
    Op& op = code_.ops.back();
    op.b = value;
    const Argument argument{value, Argument::kPositional};
    set_arguments(op, {&argument, 1});
    value = dst;
  }
  return value;
}

void Lowering::function_def(const python::FunctionDef& def) {
  std::vector<Slot> callees;
  for (const python::Expr* decorator : def.decorators) callees.push_back(expression(decorator));
  const FunctionId id = program_.function_of(&def);
  PendingFunction pending{id, def.parameters, defaults(def.parameters), frame_->scope, class_};
  const bool is_nested = !frame_->is_module || frame_->scope->kind == ScopeKind::kComprehension;
  if (is_nested) {
    // A function can name itself: bind it before looking at what it captures.
    capture(def, &def);
  }
  frame_->pending.push_back(std::move(pending));
  const Slot closure = emit_value(OpCode::kClosure, &def, relative(id).value);
  store_name(def.name.text, decorate(def.decorators, callees, closure), &def);
}

void Lowering::class_def(const python::ClassDef& def) {
  std::vector<Slot> callees;
  for (const python::Expr* decorator : def.decorators) callees.push_back(expression(decorator));
  for (const python::Expr* base : def.bases) expression(base);
  const auto keywords = call_arguments({}, def.keywords);
  const ClassId id = program_.class_of(&def);
  if (!frame_->is_module) capture(def, &def);
  const ClassId outer_class = std::exchange(class_, id);
  LexicalScope* outer = frame_->scope;
  LexicalScope* scope = open_scope(ScopeKind::kClass, facts_.scope_of_node.at(&def), outer);
  frame_->scope = scope;
  block(def.body);
  frame_->scope = outer;
  class_ = outer_class;
  close_class(id, scope, def);
  const Slot created = emit_value(OpCode::kClass, &def, relative(id));
  Op& op = emit(OpCode::kClassCreated, &def);
  op.a = relative(id);
  set_arguments(op, keywords);
  store_name(def.name.text, decorate(def.decorators, callees, created), &def);
}

void Lowering::close_class(ClassId cls, LexicalScope* scope, const python::ClassDef& def) {
  for (const auto& [name, variable] : scope->variables) {
    const Slot value = frame_->variables[variable].current;
    if (value == 0) continue;
    Op& op = emit(OpCode::kClassAttribute, &def);
    op.a = relative(cls);
    op.b = value;
    op.name = name;
  }
}

void Lowering::import_statement(const python::Node& node, python::Seq<python::Alias> names) {
  for (const python::Alias* alias : names) {
    if (alias->name.text == "*") continue;
    const auto& imports = facts_.imports;
    const auto before = [](const python::ImportedName& a, std::uint32_t begin) { return a.span.begin < begin; };
    const auto found = std::lower_bound(imports.begin(), imports.end(), alias->span.begin, before);
    if (found == imports.end() || !(found->span == alias->span)) continue;
    const auto index = static_cast<std::uint32_t>(found - imports.begin());
    store_name(found->bound_as, emit_value(OpCode::kImport, alias, index), &node);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Control flow

template <class Body>
Branch Lowering::branch(Body&& body) {
  const std::size_t mark = frame_->variables.mark();
  const bool was_dead = frame_->is_dead;
  const std::size_t refinements = frame_->refinements.size();
  const std::vector<Place> places = frame_->places;
  frame_->is_dead = false;
  frame_->last_op = kNone;
  body();
  frame_->places = places;
  frame_->has_sure_places = !places.empty();
  frame_->refinements.resize(refinements);
  Branch done = frame_->variables.take_back(mark, frame_->is_dead);
  frame_->is_dead = was_dead;
  return done;
}

void Lowering::if_statement(const python::If& node) {
  expression(node.condition);
  doubt();
  std::vector<Branch> branches;
  std::vector<Place> places[2];
  const std::uint32_t returns = frame_->returns;
  std::uint32_t ops[3] = {op_count(), 0, 0};
  branches.push_back(branch([&] {
    refine(node.condition, true);
    block(node.body);
    places[0] = frame_->places;
  }));
  ops[1] = op_count();
  branches.push_back(branch([&] {
    refine(node.condition, false);
    block(node.orelse);
    places[1] = frame_->places;
  }));
  ops[2] = op_count();
  const bool is_dead[] = {branches[0].is_dead, branches[1].is_dead};
  merge(std::move(branches), &node);
  if (!is_dead[0] && !is_dead[1]) keep_places(places[0], places[1], &node);
  if (is_dead[0] != is_dead[1]) frame_->places = std::move(places[is_dead[0] ? 1 : 0]);
  frame_->has_sure_places = !frame_->places.empty();
  guard_branches(node, ops, is_dead, returns);
}

void Lowering::begin_loop(Span span, const python::Node* node) {
  Loop loop;
  forget_places();
  for (const VariableId variable : assigned_in(span)) {
    const Slot header = new_slot();
    copy(frame_->variables[variable].current, header, node);
    loop.headers.emplace_back(variable, header);
  }
  for (const auto& [variable, header] : loop.headers) frame_->variables.set(variable, header);
  loop.mark = frame_->variables.mark();
  frame_->loops.push_back(std::move(loop));
}

void Lowering::continue_loop(const python::Node* node) {
  if (!frame_->loops.empty()) {
    for (const auto& [variable, header] : frame_->loops.back().headers) {
      copy(frame_->variables[variable].current, header, node);
    }
  }
  frame_->is_dead = true;
}

void Lowering::break_loop() {
  if (!frame_->loops.empty()) {
    Loop& loop = frame_->loops.back();
    Branch left;
    for (const auto& [variable, header] : loop.headers) {
      left.changes.emplace_back(variable, frame_->variables[variable].current);
    }
    loop.breaks.push_back(std::move(left));
  }
  frame_->is_dead = true;
}

void Lowering::end_loop(python::Seq<python::Stmt> orelse, const python::Node* node) {
  if (!frame_->is_dead) continue_loop(node);
  Loop loop = std::move(frame_->loops.back());
  frame_->loops.pop_back();
  frame_->variables.take_back(loop.mark, false);
  frame_->is_dead = false;
  std::vector<Branch> ends = std::move(loop.breaks);
  ends.push_back(branch([&] { block(orelse); }));
  merge(std::move(ends), node);
}

void Lowering::for_statement(const python::For& node) {
  const Slot iterable = expression(node.iterable);
  begin_loop({node.span.begin, node.orelse.empty() ? node.span.end : node.orelse.front()->span.begin}, &node);
  assign(node.target, iterable != 0 ? emit_value(OpCode::kIterate, &node, iterable) : 0, &node);
  block(node.body);
  end_loop(node.orelse, &node);
}

void Lowering::while_statement(const python::While& node) {
  begin_loop({node.span.begin, node.orelse.empty() ? node.span.end : node.orelse.front()->span.begin}, &node);
  expression(node.condition);
  refine(node.condition, true);
  block(node.body);
  end_loop(node.orelse, &node);
}

void Lowering::try_statement(const python::Try& node) {
  const int unwinding = frame_->unwinding;
  if (!node.finally_body.empty()) ++frame_->unwinding;
  std::vector<std::pair<VariableId, Slot>> versions;
  std::vector<Branch> ends;
  ends.push_back(branch([&] {
    const std::size_t inner = frame_->variables.mark();
    block(node.body);
    versions = frame_->variables.versions_since(inner);
    block(node.orelse);
  }));
  for (const python::ExceptHandler* handler : node.handlers) {
    ends.push_back(branch([&] {
      // A handler may see any version that the body made.
      forget_places();
      for (std::size_t i = 0; i < versions.size();) {
        std::vector<Slot> slots;
        const VariableId variable = versions[i].first;
        for (; i < versions.size() && versions[i].first == variable; ++i) {
          if (versions[i].second != 0) slots.push_back(versions[i].second);
        }
        frame_->variables.set(variable, either(slots, handler));
      }
      const Slot type = expression(handler->type);
      if (!handler->name.text.empty()) {
        Slot caught = 0;
        if (type != 0) {
          caught = emit_value(OpCode::kEnter, handler, type);
          code_.ops.back().flags = 1;
        }
        store_name(handler->name.text, caught, handler);
      }
      block(handler->body);
    }));
  }
  merge(std::move(ends), &node);
  frame_->unwinding = unwinding;
  const bool was_dead = frame_->is_dead;
  frame_->is_dead = false;
  block(node.finally_body);
  frame_->is_dead = frame_->is_dead || was_dead;
}

void Lowering::with_statement(const python::With& node) {
  for (const python::WithItem* item : node.items) {
    const Slot context = expression(item->context);
    const Slot entered = context != 0 ? emit_value(OpCode::kEnter, item, context) : 0;
    forget_places();
    assign(item->target, entered, item);
  }
  ++frame_->unwinding;
  block(node.body);
  --frame_->unwinding;
  forget_places();
}

void Lowering::match_statement(const python::Match& node) {
  const Slot subject = expression(node.subject);
  std::vector<Branch> branches;
  for (const python::MatchCase* match_case : node.cases) {
    branches.push_back(branch([&] {
      bind_pattern(match_case->pattern, subject);
      expression(match_case->guard);
      block(match_case->body);
    }));
  }
  branches.push_back(branch([] {}));
  merge(std::move(branches), &node);
}

void Lowering::bind_pattern(const python::Pattern* pattern, Slot subject) {
  if (pattern == nullptr) return;
  if (const auto* captured = python::as<python::MatchAs>(pattern)) {
    Slot value = subject;
    if (const auto* cls = python::as<python::MatchClass>(captured->pattern); cls != nullptr && subject != 0) {
      value = emit_value(OpCode::kNarrow, pattern, subject);
      code_.ops.back().b = expression(cls->cls);
    }
    bind_pattern(captured->pattern, subject);
    if (!captured->name.text.empty()) store_name(captured->name.text, value, pattern);
  } else if (const auto* star = python::as<python::MatchStar>(pattern)) {
    if (!star->name.text.empty()) store_name(star->name.text, 0, pattern);
  } else if (const auto* mapping = python::as<python::MatchMapping>(pattern)) {
    for (const python::Pattern* each : mapping->patterns) bind_pattern(each, 0);
    if (!mapping->rest.text.empty()) store_name(mapping->rest.text, 0, pattern);
  } else if (const auto* sequence_pattern = python::as<python::MatchSequence>(pattern)) {
    for (std::size_t i = 0; i < sequence_pattern->patterns.size(); ++i) {
      Slot element = 0;
      if (subject != 0) {
        element = emit_value(OpCode::kUnpack, pattern, subject);
        code_.ops.back().b = static_cast<std::uint32_t>(i);
      }
      bind_pattern(sequence_pattern->patterns[i], element);
    }
  } else if (const auto* cls = python::as<python::MatchClass>(pattern)) {
    expression(cls->cls);
    for (const python::Pattern* each : cls->patterns) bind_pattern(each, 0);
    for (std::size_t i = 0; i < cls->keyword_patterns.size(); ++i) {
      Slot field = 0;
      if (subject != 0 && i < cls->keyword_names.size()) {
        field = emit_value(OpCode::kLoad, cls->keyword_patterns[i], subject, name_id(cls->keyword_names[i].text));
      }
      bind_pattern(cls->keyword_patterns[i], field);
    }
  } else if (const auto* any = python::as<python::MatchOr>(pattern)) {
    for (const python::Pattern* each : any->patterns) bind_pattern(each, subject);
  } else if (const auto* value = python::as<python::MatchValue>(pattern)) {
    expression(value->value);
  }
}

}  // namespace lockstep::program::flow
