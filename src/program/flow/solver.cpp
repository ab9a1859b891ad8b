#include "program/flow/solver.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/worker_pool.h"
#include "program/flow/lower.h"
#include "program/queries.h"

namespace lockstep::program::flow {
namespace {

/// Rounds of seeding. On Megatron-LM a fourth one adds nothing.
constexpr int kMaxRounds = 3;
constexpr int kMaxDots = 8;
/// Modules lowered before their code moves to the common tables: enough to keep some threads busy.
constexpr std::size_t kModulesAtOnce = 256;

}  // namespace

Solver::Solver(const Program& program, const Program::Index& index, std::span<const CallModel> models, std::size_t jobs)
    : program_(program), resolver_(program, index), user_models_(user_models(models)), jobs_(jobs) {
  load_modules();
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
      tensor(solver.name_id("torch.Tensor")) {}

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

/// Lowers all modules and puts their code into one numbering, a few modules at a time: the code of a module is
/// forgotten as soon as it stands in the common tables, so that the next one finds its memory.
void Solver::load_modules() {
  const std::size_t count = program_.modules().size();
  code_of_function_.assign(program_.functions().size(), kNone);
  exports_.resize(count);
  reserve_code();
  ModulePlace next;
  for (std::size_t first = 0; first < count; first += kModulesAtOnce) {
    std::vector<ModuleCode> modules(std::min(kModulesAtOnce, count - first));
    const std::vector<std::uint32_t> order = largest_first(first, modules.size());
    parallel_for(modules.size(), jobs_,
                 [&](std::size_t i) { modules[order[i]] = lower(program_, ModuleId(first + order[i])); });
    const std::vector<ModulePlace> places = place(modules, next);
    parallel_for(modules.size(), jobs_, [&](std::size_t m) {
      load_module_code(ModuleId(first + m), modules[m], places[m]);
      modules[m] = ModuleCode{};
    });
  }
  base_ops_ = next.op;
  make_room();
  if (jobs_ > 1) fill_room();
  says_nothing_.assign(seeds_.size(), false);
  frames_of_code_.resize(code_.size());
  has_shared_callers_.assign(code_.size(), false);
  activation_counts_.assign(code_.size(), 0);
  test_activation_counts_.assign(code_.size(), 0);
  calls_in_copies_.assign(code_.size(), 0);
  makes_plain_.assign(ops_.size(), false);
  has_callers_.assign(program_.functions().size(), false);
  has_own_callers_.assign(program_.functions().size(), false);
  for (OpId id = 0; id < base_ops_; ++id) {
    const bool is_own = ops_[id].a == code_[code_of_op_[id]].first_slot;
    if (ops_[id].code == OpCode::kStore && !is_own) set_names_.at(ops_[id].name + 1) = 1;
  }
  for (const Module& module : program_.modules()) is_test_module_.push_back(is_test_path(module.path));
  for (std::size_t i = 0; i < program_.classes().size(); ++i) load_class(ClassId(i));
  find_callable_keepers();
  find_overwritten_names();
}

/// The modules from `first` on, by the size of their source: so no thread waits for one that starts a giant last.
std::vector<std::uint32_t> Solver::largest_first(std::size_t first, std::size_t count) const {
  const auto size = [&](std::uint32_t m) {
    return program_.modules()[ModuleId(first + m)].facts->source().bytes().size();
  };
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return size(a) > size(b); });
  return order;
}

/// Asks for addresses for the code of all modules and its copies, by the size of the source: memory that nobody writes
/// to costs nothing, and tables that have it need not move. Measured on Megatron-LM: an op for every 37 bytes, a slot
/// for every 30; copies for callers add 60 %. Half as much again is asked for; denser code moves its tables.
void Solver::reserve_code() {
  std::size_t size_bytes = 0;
  for (const Module& module : program_.modules()) size_bytes += module.facts->source().bytes().size();
  const std::size_t ops = size_bytes / 37 * 3 / 2;
  graph_.reserve(size_bytes / 30 * 3 / 2 * 5 / 2, ops * 2, ops * 2);
  ops_.reserve(ops * 2);
  nodes_.reserve(ops);
  code_of_op_.reserve(ops);
  arguments_.reserve(ops * 2);
  expressions_.reserve(ops * 3 / 2);
  objects_.reserve(ops / 2);
  values_.reserve(ops / 8);
  code_.reserve(program_.functions().size());
}

/// Numbers everything in the order of modules and makes the tables long enough, each on its own: most of the time goes
/// into the first writing of their memory.
std::vector<Solver::ModulePlace> Solver::place(const std::vector<ModuleCode>& modules, ModulePlace& next) {
  std::vector<ModulePlace> places(modules.size());
  const Slot first_slot = next.slot;
  for (std::size_t m = 0; m < modules.size(); ++m) {
    const ModuleCode& module = modules[m];
    places[m] = next;
    module_ops_.push_back(next.op);
    next.op += static_cast<OpId>(module.ops.size());
    next.slot += module.slot_count;
    next.object += static_cast<ObjectId>(module.objects.size());
    next.argument += static_cast<std::uint32_t>(module.arguments.size());
    next.seed += static_cast<std::uint32_t>(module.seeds.size());
    next.function += static_cast<std::uint32_t>(module.functions.size());
    next.exit += static_cast<std::uint32_t>(module.exits.size());
    next.store += static_cast<std::uint32_t>(module.sure_stores.size());
    next.read += static_cast<std::uint32_t>(module.reads_after_calls.size());
    next.expression += module.expressions.size();
  }
  const std::function<void()> tables[] = {
      [&] { merge_names(modules, places); },
      [&] { graph_.add_slots(next.slot - first_slot); },
      [&] { ops_.resize(next.op); },
      [&] { expressions_.resize(next.expression); },
      [&] { nodes_.resize(next.op); },
      [&] { arguments_.resize(next.argument); },
      [&] { code_of_op_.resize(next.op); },
      [&] { code_.resize(next.function); },
      [&] {
        seeds_.resize(next.seed);
        seed_modules_.resize(next.seed);
        declared_.resize(next.seed);
      },
      [&] {
        exits_.resize(next.exit);
        sure_stores_.resize(next.store);
        reads_after_calls_.resize(next.read);
      },
  };
  parallel_for(std::size(tables), jobs_, [&](std::size_t i) { tables[i](); });
  return places;
}

/// Gives the names and objects of modules their common numbers.
void Solver::merge_names(const std::vector<ModuleCode>& modules, std::vector<ModulePlace>& places) {
  for (std::size_t m = 0; m < modules.size(); ++m) {
    const ModuleCode& module = modules[m];
    auto& names = places[m].names;
    names.reserve(module.names.size());
    for (std::size_t i = 0; i < module.names.size(); ++i) {
      names.push_back(name_id(module.names[i], module.name_hashes[i]));
    }
    for (const ContainerKind kind : module.objects) new_object(kind);
  }
}

/// Makes room for what will be found out about so much code, each table on its own.
void Solver::make_room() {
  const std::function<void()> tables[] = {
      [&] { links_.reserve(base_ops_ / 2); },
      [&] { known_edges_.reserve(base_ops_ / 4); },
      [&] { attributes_.reserve(base_ops_ / 6); },
      [&] {
        call_of_op_.reserve(base_ops_ * 2);
        call_of_op_.assign(base_ops_, kNone);
      },
      [&] {
        copies_.reserve(base_ops_);
        calls_.reserve(base_ops_);
        edges_.reserve(base_ops_ / 4);
      },
  };
  parallel_for(std::size(tables), jobs_, [&](std::size_t i) { tables[i](); });
}

/// Has the memory that will be written next made ready beside the solver, which needs one thread only.
void Solver::fill_room() {
  const std::size_t some = base_ops_ / 2;
  const std::size_t slots = graph_.slot_count();
  std::vector<PageRange> ranges = graph_.pages_for(slots * 2, base_ops_, base_ops_ + some);
  ranges.push_back(pages_of(calls_, 0, some));
  ranges.push_back(pages_of(arguments_, arguments_.size(), arguments_.size() * 3 / 2));
  ranges.push_back(pages_of(ops_, base_ops_, base_ops_ + some));
  ranges.push_back(pages_of(call_of_op_, base_ops_, base_ops_ + some));
  ranges.push_back(pages_of(copies_, 0, some));
  ranges.push_back(pages_of(objects_, objects_.size(), objects_.size() * 3 / 2));
  ranges.push_back(pages_of(edges_, 0, edges_.capacity()));
  filler_.start(std::move(ranges));
}

/// Writes the parts of the common tables that belong to one module, and nothing else.
void Solver::load_module_code(ModuleId id, ModuleCode& module, const ModulePlace& place) {
  const auto rename = [&](NameId name) { return name < place.names.size() ? place.names[name] : name; };
  const auto move = [&](Slot slot) { return slot == 0 ? 0 : slot + place.slot; };
  const auto move_object = [&](ObjectId object) { return object + place.object; };
  for (std::size_t i = 0; i < module.ops.size(); ++i) {
    Op& op = ops_[place.op + i];
    op = module.ops[i];
    relocate(op, move, move_object, place.seed);
    op.name = rename(op.name);
    op.first_argument += place.argument;
  }
  std::copy(module.nodes.begin(), module.nodes.end(), nodes_.begin() + place.op);
  for (std::size_t i = 0; i < module.arguments.size(); ++i) {
    arguments_[place.argument + i] = {move(module.arguments[i].slot), rename(module.arguments[i].name)};
  }
  for (std::size_t i = 0; i < module.seeds.size(); ++i) {
    Seed& seed = seeds_[place.seed + i];
    seed = module.seeds[i];
    seed.slot = move(seed.slot);
    seed.function += place.function;
    seed_modules_[place.seed + i] = id;
  }
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    FunctionCode& function = code_[place.function + i];
    function = std::move(module.functions[i]);
    function.first_slot = move(function.first_slot);
    function.end_slot = move(function.end_slot);
    function.result = move(function.result);
    function.yielded = move(function.yielded);
    function.first_exit += place.exit;
    function.first_op += place.op;
    function.end_op += place.op;
    function.first_object += place.object;
    function.end_object += place.object;
    if (function.rest_object != kNone) function.rest_object += place.object;
    if (function.keywords_object != kNone) function.keywords_object += place.object;
    for (Guard& guard : function.guards) {
      guard.first_op += place.op;
      guard.end_op += place.op;
    }
    for (NameId& name : function.parameter_names) name = rename(name);
    for (auto& [parameter, slot] : function.defaults) slot = move(slot);
    code_of_function_[function.id.index()] = place.function + i;
    // Nested functions come later in the list and lie inside the range of the function that holds them.
    std::fill(code_of_op_.begin() + function.first_op, code_of_op_.begin() + function.end_op, place.function + i);
  }
  for (std::size_t i = 0; i < module.exits.size(); ++i) {
    Exit& exit = exits_[place.exit + i] = module.exits[i];
    exit.first_store += place.store;
    if (exit.last_call != kNone) exit.last_call += place.op;
  }
  const auto move_known = [&](std::uint32_t known) { return known >= SureStore::kParameter ? known : move(known); };
  for (std::size_t i = 0; i < module.sure_stores.size(); ++i) {
    const SureStore& store = module.sure_stores[i];
    sure_stores_[place.store + i] = {move_known(store.object), rename(store.name), move_known(store.value)};
  }
  for (std::size_t i = 0; i < module.reads_after_calls.size(); ++i) {
    const ReadAfterCall& read = module.reads_after_calls[i];
    reads_after_calls_[place.read + i] = {read.read + place.op, read.call + place.op, move(read.cell)};
  }
  auto& exports = exports_[id.index()];
  for (const auto& [name, slot] : module.exports) exports.emplace_back(rename(name), move(slot));
  std::sort(exports.begin(), exports.end());
  for (std::size_t i = 0; i < module.expressions.size(); ++i) {
    expressions_[place.expression + i] = {module.expressions[i].first, move(module.expressions[i].second)};
  }
}

/// Constructors that store a parameter in a field that code calls: `self.fn = fn`, `x.fn()`. They run once for each
/// caller, like the functions that `per_caller` was set for.
void Solver::find_callable_keepers() {
  keeps_callable_.assign(program_.functions().size(), 0);
  KeyMap called;  // names of called attributes
  for (OpId id = 0; id < base_ops_; ++id) {
    if (ops_[id].code == OpCode::kMethodCall) called.at(ops_[id].name + 1) = 1;
  }
  for (FunctionCode& code : code_) {
    const Function& function = program_.functions()[code.id];
    if (function.name != "__init__" || !function.owner.valid() || code.parameter_names.size() < 2) continue;
    for (OpId id = code.first_op; id < code.end_op; ++id) {
      const Op& op = ops_[id];
      const bool is_own = op.code == OpCode::kStore && op.a == code.first_slot &&
                          code_of_op_[id] == static_cast<std::uint32_t>(&code - code_.data());
      const bool is_parameter =
          op.b > code.first_slot && op.b < code.first_slot + 2 * static_cast<Slot>(code.parameter_names.size());
      if (!is_own || !is_parameter || called.find(op.name + 1) == kNone) continue;
      if (program_.find_method(function.owner, names_[op.name]).valid()) continue;
      keeps_callable_[code.id.index()] = 1;
      code.per_caller = true;
    }
  }
}

void Solver::load_class(ClassId id) {
  const Class& cls = program_.classes()[id];
  class_values_.push_back(values_.intern(ValueKind::kClass, id.value));
  is_module_.push_back(0);
  is_enum_.push_back(0);
  abstract_.push_back(0);
  auto& metaclasses = metaclasses_.emplace_back();
  for (const Field& field : cls.fields) {
    if (!field.in_class_body) fields_.at(pair_key(id.value, name_id(field.name))) = 1;
  }
  for (const std::string& base : cls.external_ancestors) {
    name_id(base);
    if (is_module_class(base)) is_module_.back() = 1;
    if (base.starts_with("enum.")) is_enum_.back() = 1;
  }
  const auto& facts = *program_.modules()[cls.module].facts;
  for (const python::Keyword* keyword : cls.node->keywords) {
    if (keyword->name.text != "metaclass") continue;
    const python::ScopeId scope = facts.scopes[facts.scope_of_node.at(cls.node)].parent;
    const Reference found = resolver_.resolve(cls.module, scope, *keyword->value);
    if (found.kind == Reference::Kind::kClass) metaclasses.push_back(found.cls);
  }
}

void Solver::run() {
  // What classes define must be known before anything is looked up in them.
  for (OpId id = 0; id < base_ops_; ++id) {
    if (ops_[id].code == OpCode::kClassAttribute) instantiate_op(id);
  }
  for (const bool of_tests : {false, true}) {
    for (std::size_t m = 0; m < module_ops_.size(); ++m) {
      if (is_test_module_[m] != of_tests) continue;
      instantiate(module_ops_[m], m + 1 < module_ops_.size() ? module_ops_[m + 1] : static_cast<OpId>(base_ops_));
    }
    settle();
  }
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

void Solver::release() {
  filler_.stop();
  graph_.release_moves();
  for (KeyMap* map : {&dotted_, &loads_, &activations_, &site_activations_, &call_objects_, &attributes_, &links_,
                      &done_, &fields_, &set_names_, &known_edges_, &members_}) {
    *map = KeyMap();
  }
  HugeVector<Argument>().swap(arguments_);
  HugeVector<CopiedOp>().swap(copies_);
  HugeVector<Object>().swap(objects_);
  HugeVector<CallRecord>().swap(calls_);
  HugeVector<CallRecordId>().swap(call_of_op_);
  class_reads_.clear();
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
  const Op op = ops_[id];
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
      if (kind == UseKind::kOperandA || kind == UseKind::kOperandB) __builtin_prefetch(&ops_[soon->a]);
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
  const Op op = ops_[id];
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
