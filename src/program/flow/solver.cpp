#include "program/flow/solver.h"

#include <algorithm>
#include <functional>

#include "base/side_by_side.h"

namespace lockstep::program::flow {
namespace {

/// Rounds of seeding. On Megatron-LM a fourth one adds nothing.
constexpr int kMaxRounds = 3;
constexpr int kMaxDots = 8;

}  // namespace

Solver::Solver(const Program& program, const Program::Index& index, std::span<const CallModel> models, std::size_t jobs,
               CodeShare share)
    : program_(program), resolver_(program, index), user_models_(user_models(models)), jobs_(jobs), share_(share) {
  begin_load();
  lower_and_load(tested_modules_);
  find_models_of_functions();
}

Solver::KnownNames::KnownNames(Solver& solver)
    : setattr(solver.name_id("__setattr__")),
      getattribute(solver.name_id("__getattribute__")),
      getattr(solver.name_id("__getattr__")),
      set(solver.name_id("__set__")),
      get(solver.name_id("__get__")),
      make(solver.name_id("__new__")),
      init(solver.name_id("__init__")),
      post_init(solver.name_id("__post_init__")),
      call(solver.name_id("__call__")),
      forward(solver.name_id("forward")),
      hooks(solver.name_id("<hooks>")),
      super(solver.name_id("builtins.super")),
      str(solver.name_id("builtins.str")),
      tensor(solver.name_id("torch.Tensor")),
      cls(solver.name_id("__class__")),
      value(solver.name_id("value")),
      dict(solver.name_id("__dict__")),
      remote(solver.name_id("remote")),
      options(solver.name_id("options")),
      spawn(solver.name_id("spawn")),
      endpoint{solver.name_id("call"), solver.name_id("call_one"), solver.name_id("broadcast"),
               solver.name_id("choose")} {}

NameId Solver::name_id(std::string_view text, std::uint32_t hash) {
  if (const NameId known = name_ids_.find(names_, text, hash); known != kNone) return known;
  names_.emplace_back(text);
  const auto id = static_cast<NameId>(names_.size() - 1);
  name_ids_.add(id, hash);
  return id;
}

NameId Solver::dotted(NameId base, NameId member) {
  if (const std::uint32_t known = dotted_.find(pair_key(base, member)); known != kNone) return known;
  const NameId made = make_dotted(base, member);
  dotted_.at(pair_key(base, member)) = made;
  return made;
}

NameId Solver::make_dotted(NameId base, NameId member) {
  std::string text = names_[base];
  // `x = x.next` in a loop must not make ever longer names.
  if (std::count(text.begin(), text.end(), '.') >= kMaxDots) return name_id("<deep>");
  text += '.';
  text += names_[member];
  return name_id(text);
}

/// True if attribute `member` of the name outside `base` is worth a name of its own. Where values of data and modules
/// mix, names would grow with every load (`torch.float32.data.module.data`) and fill sets with what nobody wrote.
bool Solver::may_have_member(NameId base, NameId member) {
  std::uint32_t& known = members_.at(pair_key(base, member));
  if (known == kNone) known = may_have_attribute(names_[base], names_[member]) ? 1 : 0;
  return known == 1;
}

void Solver::run(const std::function<void()>& beside, bool with_tests) {
  if (!with_tests) test_modules_.clear();
  // Tests see what they test, and what they test does not see them: it is solved before them, while they are lowered.
  ModuleCodes tests;
  side_by_side(
      jobs_, [&] { solve_new_code(); },
      [&, room = room_ahead()] {
        if (jobs_ < 2) return;
        fill_pages(room);
        tests = lower_tests();
        if (beside) beside();
      });
  if (jobs_ > 1) {
    load(test_modules_, tests);
  } else {
    lower_and_load(test_modules_);
  }
  solve_rest();
}

/// After what is tested: its tests, and what declarations say where nothing was found.
void Solver::solve_rest() {
  solve_new_code();
  for (int round = 0; round < kMaxRounds; ++round) {
    release_test_calls();
    open_unanswered();
    settle();
    seed_round(round);
    settle();
  }
  open_unanswered();
  settle();
}

/// Instantiates what was loaded since it was last called, and moves values until nothing changes.
void Solver::solve_new_code() {
  const auto first = static_cast<OpId>(solved_ops_);
  const auto end = static_cast<OpId>(base_op_count());
  solved_ops_ = end;
  // What classes define must be known before anything is looked up in them.
  for (OpId id = first; id < end; ++id) {
    if (op_of(id).code == OpCode::kClassAttribute) instantiate_op(id);
  }
  instantiate(first, end);
  settle();
}

void Solver::release() {
  graph_.release_moves();
  for (KeyMap* map : {&dotted_, &loads_, &activations_, &site_activations_, &call_objects_, &attributes_, &links_,
                      &done_, &fields_, &known_edges_, &members_}) {
    *map = KeyMap();
  }
  HugeVector<Argument>().swap(arguments_);
  HugeVector<CopiedOp>().swap(copies_);
  altered_copies_.clear();
  HugeVector<Object>().swap(objects_);
  HugeVector<CallRecord>().swap(calls_);
  call_of_op_ = {};
  class_reads_.clear();
}

Op Solver::copied_op(OpId id) const {
  const CopiedOp& copy = copies_[id - kFirstCopy];
  if (copy.is_altered) return altered_copies_.at(id);
  Op op = own_ops_[copy.op];
  relocate(
      op, [&](Slot slot) { return slot_in(copy.frame, slot); },
      [&](ObjectId object) { return object_in(copy.frame, object); }, {});
  op.first_argument = copy.first_argument;
  return op;
}

/// The op as it is kept. Copies that are altered are kept by themselves from then on.
Op& Solver::alterable(OpId id) {
  if (!is_copy(id)) return own_ops_[id];
  const auto [place, is_new] = altered_copies_.try_emplace(id);
  if (is_new) {
    place->second = copied_op(id);
    copies_[id - kFirstCopy].is_altered = 1;
  }
  return place->second;
}

void Solver::instantiate(OpId first, OpId end) {
  for (OpId id = first; id < end; ++id) instantiate_op(id);
}

void Solver::use(Slot slot, const Use& added) {
  if (slot == 0) return;
  graph_.add_use(slot, added);
  for (const ValueId value : graph_.settled(slot)) apply(added, value);
}

void Solver::instantiate_op(OpId id) {
  const Op op = op_of(id);
  switch (op.code) {
    case OpCode::kCopy:
      return graph_.add_edge(op.a, op.dst);
    case OpCode::kText:
      return graph_.add_value(op.dst, values_.intern(ValueKind::kText, op.name));
    case OpCode::kInteger:
      return graph_.add_value(op.dst, values_.intern(ValueKind::kInteger, op.a));
    case OpCode::kBuiltin:
    case OpCode::kBuiltinValue: {
      const NameId name = name_id("builtins." + names_[op.name]);
      const ValueKind kind = op.code == OpCode::kBuiltin ? ValueKind::kExternal : ValueKind::kExternalInstance;
      return graph_.add_value(op.dst, values_.intern(kind, name));
    }
    case OpCode::kClosure:
      return graph_.add_value(op.dst, values_.intern(ValueKind::kFunction, op.a, frame_of_op(id)));
    case OpCode::kClass:
      return graph_.add_value(op.dst, values_.intern(ValueKind::kClass, op.a));
    case OpCode::kClassAttribute:
      return graph_.add_edge(op.b, attribute_slot(values_.intern(ValueKind::kClass, op.a), op.name, true));
    case OpCode::kClassCreated:
      return create_class(id);
    case OpCode::kImport:
      return import_op(id);
    case OpCode::kGlobal:
      return global_op(id);
    case OpCode::kMake:
      return make(id);
    case OpCode::kCall:
    case OpCode::kDecorate: {
      const CallKind kind = op.code == OpCode::kDecorate ? CallKind::kCallback : CallKind::kDirect;
      calls_.push_back({id, op.first_argument, op.argument_count, kind, false, op.dst});
      call_of_op_[id] = static_cast<CallRecordId>(calls_.size() - 1);
      if (op.flags == kAsksAfterwards) ask_for_readers(id);
      return use(op.a, {UseKind::kCallee, call_of_op_[id]});
    }
    case OpCode::kMethodCall:
      calls_.push_back({id, op.first_argument, op.argument_count, CallKind::kDirect, false, op.dst});
      call_of_op_[id] = static_cast<CallRecordId>(calls_.size() - 1);
      if (op.flags == kAsksAfterwards) ask_for_readers(id);
      if (op.name == known_.spawn && op.argument_count > 1)
        watch(argument_slot(calls_.back(), 1, {}), find_model("<actor>"), call_of_op_[id], 0);
      use(op.b, {UseKind::kCallee, call_of_op_[id]});
      return use(op.a, {UseKind::kOperandA, id});
    case OpCode::kBinary:
      use(op.a, {UseKind::kOperandA, id});
      return use(op.b, {UseKind::kOperandB, id});
    case OpCode::kNarrow:
      use(op.a, {UseKind::kOperandA, id});
      return use(op.b, {UseKind::kOperandB, id});
    case OpCode::kSuper:
      record_external(id, known_.super, CallKind::kDirect, kNone);
      [[fallthrough]];
    default:
      return use(op.a, {UseKind::kOperandA, id});
  }
}

void Solver::settle() {
  ValueList fresh;
  std::uint32_t uses = 0;
  while (graph_.next(fresh, uses) != kNone) {
    if (const auto* soon = graph_.upcoming_use()) {
      const auto kind = static_cast<UseKind>(soon->kind);
      if (kind == UseKind::kOperandA || kind == UseKind::kOperandB) prefetch_op(soon->a);
      if (kind == UseKind::kCallee) __builtin_prefetch(&calls_[soon->a]);
    }
    for (Use each{}; graph_.take_use(uses, each);) {
      for (const ValueId value : fresh) apply(each, value);
    }
  }
}

void Solver::apply(const Use& each, ValueId value) {
  switch (each.kind) {
    case UseKind::kOperandA:
      return apply_op(each.a, true, value);
    case UseKind::kOperandB:
      return apply_op(each.a, false, value);
    case UseKind::kCallee:
      return call(each.a, value);
    case UseKind::kBind:
      return bind(value, each.a, {each.c, each.b, kNone});
    case UseKind::kBindCall:
      return bind(value, each.a, {calls_[each.b].op, each.c, each.b});
    case UseKind::kKey:
      return use_key(each.a, each.b, each.c, value);
    case UseKind::kStar:
      return pass_star(each.a, value);
    case UseKind::kDoubleStar:
      return pass_double_star(each.a, value);
    case UseKind::kNext:
      return next_element(value, each.b, each.c);
    case UseKind::kModel:
      return apply_model(model_records_[each.a], value);
    case UseKind::kAttributeName:
      if (values_[value].kind == ValueKind::kText) {
        const Model* model = find_model(each.b == 0 ? "builtins.getattr" : "builtins.setattr");
        watch(argument_slot(calls_[each.a], 0, {}), model, each.a, values_[value].a);
      }
      return;
    case UseKind::kSetter:
      return set_through(value, each.a, each.b, each.c);
    case UseKind::kForce:
      return call_function(each.b, value, each.a, value);
  }
}

void Solver::apply_op(OpId id, bool is_a, ValueId value) {
  const Op op = op_of(id);
  switch (op.code) {
    case OpCode::kLoad:
      if (op.c != 0 && is_plain_field(value, op.name)) return graph_.add_edge(op.c, op.dst);
      return load(value, op.name, {id, op.dst, kNone});
    case OpCode::kStore:
      return store(value, op.name, op.b, id);
    case OpCode::kMethodCall:
      if (op.c != 0 && is_plain_field(value, op.name)) return graph_.add_edge(op.c, op.b);
      return load(value, op.name, {id, op.b, call_of_op_[id]});
    case OpCode::kGetItem:
      return get_item(id, value);
    case OpCode::kSetItem:
      return set_item(id, value);
    case OpCode::kSlice:
      return slice(id, value);
    case OpCode::kIterate:
      return iterate(value, op.dst, id);
    case OpCode::kUnpack:
      if (values_[value].kind == ValueKind::kContainer) {
        const ObjectId object = values_[value].a;
        const Slot at = element_at(object, values_.intern(ValueKind::kInteger, op.b));
        graph_.add_edge(at, op.dst);
        return graph_.add_edge(element_any(object), op.dst);
      }
      return iterate(value, op.dst, id);
    case OpCode::kEnter:
      return enter(id, value);
    case OpCode::kBinary:
      return binary(id, value, is_a);
    case OpCode::kUnary:
      return unary(id, value);
    case OpCode::kSuper:
      return graph_.add_value(op.dst, values_.intern(ValueKind::kSuper, op.b, value));
    case OpCode::kNarrow:
      return narrow(id, value);
    case OpCode::kDeclared:
      if (fits(op.b, value)) graph_.add_value(op.dst, value);
      return;
    case OpCode::kRaise:
      if (values_[value].kind == ValueKind::kClass) {
        call(add_call(id, {}, CallKind::kImplicit, 0), value);
      }
      return;
    default:
      return;
  }
}

void Solver::record(OpId op, FunctionId function, CallKind kind, ValueId choice) {
  const OpId base = base_op(op);
  if (const FrameId frame = frame_of_op(op); frame != 0 && !frames_[frame].is_test)
    frame_edges_.push_back({frame, base, function});
  has_callers_[function.index()] = true;
  const bool callee_is_test = is_test_module_[program_.functions()[function].module.index()];
  if (callee_is_test || !is_test_op(op)) has_own_callers_[function.index()] = true;
  const std::uint64_t key = mix(pair_key(base, function.value)) ^ mix(pair_key(choice, static_cast<unsigned>(kind)));
  std::uint32_t& known = known_edges_.at(key | 1);
  if (known != kNone) return;
  known = 1;
  edges_.push_back({base, function, kNone, kind, choice});
}

void Solver::record_external(OpId op, NameId name, CallKind kind, ValueId choice) {
  const OpId base = base_op(op);
  const std::uint64_t key = mix(pair_key(base, name)) * 3 ^ mix(pair_key(choice, static_cast<unsigned>(kind) + 100));
  std::uint32_t& known = known_edges_.at(key | 1);
  if (known != kNone) return;
  known = 1;
  edges_.push_back({base, FunctionId{}, name, kind, choice});
}

std::size_t Solver::classes_in(Slot slot, std::uint32_t function, std::vector<ClassId>& out) const {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  const auto collect = [&](Slot at) {
    for (const ValueId value : graph_.values(at)) {
      if (values_[value].kind == ValueKind::kInstance) out.emplace_back(std::size_t{values_[value].a});
    }
  };
  collect(slot);
  if (function != kNone) {
    for (const FrameId frame : frames_of_code_[function]) collect(slot_in(frame, slot));
  }
  std::sort(out.begin() + first, out.end());
  out.erase(std::unique(out.begin() + first, out.end()), out.end());
  return out.size() - static_cast<std::size_t>(first);
}

}  // namespace lockstep::program::flow
