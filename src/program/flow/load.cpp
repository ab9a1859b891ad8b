// The code of modules -> the solver's tables, in one numbering. The code under test comes first and is solved first;
// then its tests: they see it, and it does not see them.
#include <algorithm>
#include <functional>
#include <numeric>

#include "base/worker_pool.h"
#include "program/flow/lower.h"
#include "program/flow/solver.h"
#include "program/queries.h"

namespace lockstep::program::flow {
namespace {

/// Modules lowered before their code moves to the common tables: enough to keep some threads busy.
constexpr std::size_t kModulesAtOnce = 256;

/// Methods with more ops than this are no factories: copying them for each caller would cost more than it tells.
constexpr std::uint32_t kMaxFactoryOps = 160;

/// Gives back what the largest tables of code that has to wait grew too large.
void trim(ModuleCode& code) {
  code.ops.shrink_to_fit();
  code.nodes.shrink_to_fit();
  code.arguments.shrink_to_fit();
  code.expressions.shrink_to_fit();
  code.functions.shrink_to_fit();
}

}  // namespace

/// What is known before any code is: which modules are tests, what classes there are, and how large tables may become.
void Solver::begin_load() {
  const std::size_t count = program_.modules().size();
  for (const Module& module : program_.modules()) is_test_module_.push_back(is_test_path(module.path));
  order_modules();
  code_of_function_.assign(program_.functions().size(), kNone);
  has_callers_.assign(program_.functions().size(), false);
  has_own_callers_.assign(program_.functions().size(), false);
  keeps_callable_.assign(program_.functions().size(), 0);
  exports_.resize(count);
  reserve_code();
  make_room();
  mro_starts_.push_back(0);
  for (std::size_t i = 0; i < program_.classes().size(); ++i) load_class(ClassId(i));
}

/// Tells tests from what they test. What the code under test imports is part of it, wherever it lies.
void Solver::order_modules() {
  const std::size_t count = program_.modules().size();
  std::vector<bool> is_tested(count, false);
  std::vector<ModuleId> next;
  const auto add = [&](ModuleId module) {
    if (is_tested[module.index()]) return;
    is_tested[module.index()] = true;
    next.push_back(module);
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_test_module_[i]) add(ModuleId(i));
  }
  while (!next.empty()) {
    const ModuleId importer = next.back();
    next.pop_back();
    const bool is_test = is_test_module_[importer.index()];
    for (const python::ImportedName& imported : program_.modules()[importer].facts->imports) {
      // Paths of tests say so: most imports need no search.
      const bool may_be_test = imported.module.find("test") != std::string_view::npos ||
                               imported.name.find("test") != std::string_view::npos;
      if (!is_test && !may_be_test) continue;
      const std::string owner = resolver_.absolute_name(importer, imported.level, imported.module);
      for (const std::string& name : {owner, owner + "." + std::string(imported.name)}) {
        const Reference found = resolver_.import_module(importer, name);
        if (found.kind == Reference::Kind::kModule && found.module.valid()) add(found.module);
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) (is_tested[i] ? tested_modules_ : test_modules_).emplace_back(i);
}

Solver::ModuleCodes Solver::lower_modules(std::span<const ModuleId> modules) const {
  if (share_.code != nullptr) return lower_shared(modules);
  ModuleCodes codes(modules.size());
  const std::vector<std::uint32_t> order = largest_first(modules);
  parallel_for(modules.size(), jobs_, [&](std::size_t i) {
    codes[order[i]] = std::make_shared<const ModuleCode>(lower(program_, modules[order[i]]));
  });
  return codes;
}

/// Lowers what the other program has not begun to lower, and takes the rest from it.
Solver::ModuleCodes Solver::lower_shared(std::span<const ModuleId> modules) const {
  ModuleCodes codes(modules.size());
  std::vector<std::pair<std::size_t, SharedCode::Entry*>> of_the_other;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const std::size_t at = share_.from_the_end ? modules.size() - 1 - i : i;
    SharedCode::Entry* entry = share_.code->find(*program_.modules()[modules[at]].facts);
    if (entry != nullptr && !entry->claim()) {
      of_the_other.emplace_back(at, entry);
      continue;
    }
    codes[at] = std::make_shared<const ModuleCode>(lower(program_, modules[at]));
    if (entry != nullptr) entry->publish(codes[at]);
  }
  for (const auto& [at, entry] : of_the_other) codes[at] = entry->take();
  return codes;
}

/// The code of tests, one after the other.
Solver::ModuleCodes Solver::lower_tests() const {
  ModuleCodes codes;
  codes.reserve(test_modules_.size());
  for (const ModuleId module : test_modules_) {
    ModuleCode code = lower(program_, module);
    trim(code);
    codes.push_back(std::make_shared<const ModuleCode>(std::move(code)));
  }
  return codes;
}

/// Lowers modules and loads their code, a few at a time: the code of a module is forgotten as soon as it stands in the
/// common tables, so that the next one finds its memory.
void Solver::lower_and_load(std::span<const ModuleId> modules) {
  const ModulePlace start = next_place();
  for (std::size_t first = 0; first < modules.size(); first += kModulesAtOnce) {
    const auto some = modules.subspan(first, std::min(kModulesAtOnce, modules.size() - first));
    ModuleCodes codes = lower_modules(some);
    load_codes(some, codes);
  }
  finish_load(start);
}

void Solver::load(std::span<const ModuleId> modules, ModuleCodes& codes) {
  const ModulePlace start = next_place();
  load_codes(modules, codes);
  finish_load(start);
}

void Solver::load_codes(std::span<const ModuleId> modules, ModuleCodes& codes) {
  const std::vector<ModulePlace> places = place(modules, codes);
  parallel_for(modules.size(), jobs_, [&](std::size_t m) {
    load_module_code(modules[m], *codes[m], places[m]);
    codes[m].reset();
  });
}

/// Where the code of the next module goes.
Solver::ModulePlace Solver::next_place() const {
  ModulePlace next;
  next.op = static_cast<OpId>(base_op_count());
  next.slot = static_cast<Slot>(graph_.slot_count() - 1);
  next.object = static_cast<ObjectId>(objects_.size());
  next.argument = static_cast<std::uint32_t>(arguments_.size());
  next.seed = static_cast<std::uint32_t>(seeds_.size());
  next.function = static_cast<std::uint32_t>(code_.size());
  next.exit = static_cast<std::uint32_t>(exits_.size());
  next.store = static_cast<std::uint32_t>(sure_stores_.size());
  next.read = static_cast<std::uint32_t>(reads_after_calls_.size());
  next.expression = expressions_.size();
  return next;
}

/// Makes what is known of each piece of code long enough for what was loaded from `start` on, and looks through that.
void Solver::finish_load(const ModulePlace& start) {
  call_of_op_.own.resize(base_op_count(), kNone);
  says_nothing_.resize(seeds_.size(), false);
  frames_of_code_.resize(code_.size());
  has_shared_callers_.resize(code_.size(), false);
  activation_counts_.resize(code_.size(), 0);
  test_activation_counts_.resize(code_.size(), 0);
  calls_in_copies_.resize(code_.size(), 0);
  makes_plain_.resize(base_op_count(), false);
  keepers_.assign(program_.classes().size(), 0);
  note_attribute_names(start);
  find_callable_keepers(start.function);
  find_overwritten_names(start.function, start.read);
}

/// Notes what is done with attributes, by their names, in what was loaded from `start` on.
void Solver::note_attribute_names(const ModulePlace& start) {
  // Slots that hold more than a function, a class or a constant as it is written.
  std::vector<bool> is_made(graph_.slot_count() - start.slot, false);
  for (OpId id = start.op; id < base_op_count(); ++id) {
    const Op& op = op_of(id);
    switch (op.code) {
      case OpCode::kClosure:
      case OpCode::kClass:
      case OpCode::kText:
      case OpCode::kInteger:
        continue;
      case OpCode::kClassAttribute:
        if (op.b > start.slot && is_made[op.b - start.slot]) setter_names_.add(op.name);
        continue;
      case OpCode::kStore:
        if (op.a != code_[code_of_op_[id]].first_slot) set_names_.add(op.name);
        continue;
      case OpCode::kMethodCall:
        called_names_.add(op.name);
        break;
      default:
        break;
    }
    if (op.dst > start.slot) is_made[op.dst - start.slot] = true;
  }
}

/// Numbers of modules, by the size of their source: so no thread waits for one that starts a giant last.
std::vector<std::uint32_t> Solver::largest_first(std::span<const ModuleId> modules) const {
  const auto size = [&](std::uint32_t m) { return program_.modules()[modules[m]].facts->source().bytes().size(); };
  std::vector<std::uint32_t> order(modules.size());
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
  own_ops_.reserve(ops);
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
std::vector<Solver::ModulePlace> Solver::place(std::span<const ModuleId> modules, const ModuleCodes& codes) {
  std::vector<ModulePlace> places(modules.size());
  ModulePlace next = next_place();
  const Slot first_slot = next.slot;
  for (std::size_t m = 0; m < modules.size(); ++m) {
    const ModuleCode& module = *codes[m];
    places[m] = next;
    module_ops_.emplace_back(next.op, modules[m]);
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
      [&] { merge_names(codes, places); },
      [&] { graph_.add_slots(next.slot - first_slot); },
      [&] { own_ops_.resize(next.op); },
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
void Solver::merge_names(const ModuleCodes& modules, std::vector<ModulePlace>& places) {
  for (std::size_t m = 0; m < modules.size(); ++m) {
    const ModuleCode& module = *modules[m];
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
  const std::size_t ops = own_ops_.capacity();
  const std::function<void()> tables[] = {
      [&] { links_.reserve(ops / 3); },
      [&] { known_edges_.reserve(ops / 6); },
      [&] { attributes_.reserve(ops / 9); },
      [&] {
        call_of_op_.own.reserve(ops);
        call_of_op_.copies.reserve(ops);
      },
      [&] {
        copies_.reserve(ops);
        calls_.reserve(ops);
        edges_.reserve(ops / 6);
      },
  };
  parallel_for(std::size(tables), jobs_, [&](std::size_t i) { tables[i](); });
}

/// Memory that the solver will write to next.
std::vector<PageRange> Solver::room_ahead() {
  const std::size_t ops = own_ops_.capacity() * 2 / 3;
  const std::size_t some = ops / 2;
  std::vector<PageRange> ranges = graph_.pages_for(ops * 5 / 2, ops, ops * 3 / 2);
  ranges.push_back(pages_of(calls_, 0, some));
  ranges.push_back(pages_of(arguments_, arguments_.size(), ops * 3 / 2));
  ranges.push_back(pages_of(own_ops_, own_ops_.size(), ops));
  ranges.push_back(pages_of(call_of_op_.copies, 0, some));
  ranges.push_back(pages_of(copies_, 0, some));
  ranges.push_back(pages_of(objects_, objects_.size(), objects_.size() * 5 / 2));
  ranges.push_back(pages_of(edges_, 0, edges_.capacity()));
  return ranges;
}

/// Writes the parts of the common tables that belong to one module, and nothing else.
void Solver::load_module_code(ModuleId id, const ModuleCode& module, const ModulePlace& place) {
  const Module& row = program_.modules()[id];
  const ModuleStarts starts = {place.seed, row.body.value, row.classes.empty() ? 0 : row.classes.front().value};
  const auto rename = [&](NameId name) { return name < place.names.size() ? place.names[name] : name; };
  const auto move = [&](Slot slot) { return slot == 0 ? 0 : slot + place.slot; };
  const auto move_object = [&](ObjectId object) { return object + place.object; };
  for (std::size_t i = 0; i < module.ops.size(); ++i) {
    Op& op = own_ops_[place.op + i];
    op = module.ops[i];
    relocate(op, move, move_object, starts);
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
    function = module.functions[i];
    function.id.value += starts.function;
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
    function.is_factory = i > 0 && is_factory(function);
    function.per_caller = function.per_caller || function.is_factory;
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

/// True for methods that return what a field of the receiver makes, `return self.cls(…)`, or what another function
/// makes of the receiver; and for __init_subclass__, which works on one class at a time.
bool Solver::is_factory(const FunctionCode& function) const {
  const Function& of = program_.functions()[function.id];
  const std::uint32_t count = function.end_op - function.first_op;
  if (!of.owner.valid() || count > kMaxFactoryOps) return false;
  if (of.name == "__init_subclass__") return true;
  if (function.method != MethodKind::kInstance || function.parameter_names.empty()) return false;
  const Slot receiver = function.first_slot;
  const auto makes = [&](const Op& op) {
    if (op.code != OpCode::kMethodCall && op.code != OpCode::kCall) return false;
    const bool calls_field =
        op.code == OpCode::kMethodCall && op.a == receiver && !program_.find_method(of.owner, names_[op.name]).valid();
    return calls_field || (op.argument_count > 0 && arguments_[op.first_argument].slot == receiver);
  };
  const auto first = own_ops_.begin() + function.first_op;
  const auto end = own_ops_.begin() + function.end_op;
  return std::any_of(first, end, [&](const Op& copied) {
    if (copied.code != OpCode::kCopy || copied.dst != function.result) return false;
    const auto made = std::find_if(first, end, [&](const Op& op) { return op.dst == copied.a; });
    return made != end && makes(*made);
  });
}

/// Constructors that store a parameter in a field that code calls: `self.fn = fn`, `x.fn()`. They run once for each
/// caller, like the functions that `per_caller` was set for.
void Solver::find_callable_keepers(std::uint32_t first_function) {
  for (std::size_t i = first_function; i < code_.size(); ++i) {
    FunctionCode& code = code_[i];
    const Function& function = program_.functions()[code.id];
    if (function.name != "__init__" || !function.owner.valid() || code.parameter_names.size() < 2) continue;
    for (OpId id = code.first_op; id < code.end_op; ++id) {
      const Op& op = op_of(id);
      const bool is_own = op.code == OpCode::kStore && op.a == code.first_slot && code_of_op_[id] == i;
      const bool is_parameter =
          op.b > code.first_slot && op.b < code.first_slot + 2 * static_cast<Slot>(code.parameter_names.size());
      if (!is_own || !is_parameter || !called_names_.has(op.name)) continue;
      if (program_.find_method(function.owner, names_[op.name]).valid()) continue;
      keeps_callable_[code.id.index()] = 1;
      code.per_caller = true;
    }
  }
}

/// True for classes whose instances hold different functions to call: worth telling them apart.
bool Solver::keeps_callable(ClassId cls) const {
  std::uint8_t& known = keepers_[cls.index()];
  if (known == 0) {
    const FunctionId init = program_.find_method(cls, "__init__");
    const bool keeps = init.valid() && keeps_callable_[init.index()] != 0;
    known = keeps && !is_module_subclass(cls) && is_enum_[cls.index()] == 0 ? 2 : 1;
  }
  return known == 2;
}

void Solver::load_class(ClassId id) {
  const Class& cls = program_.classes()[id];
  class_values_.push_back(values_.intern(ValueKind::kClass, id.value));
  mro_.insert(mro_.end(), cls.linearized.begin(), cls.linearized.end());
  mro_starts_.push_back(static_cast<std::uint32_t>(mro_.size()));
  is_dataclass_.push_back(cls.is_dataclass ? 1 : 0);
  is_module_.push_back(0);
  is_enum_.push_back(0);
  abstract_.push_back(0);
  container_heirs_.push_back(0);
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

}  // namespace lockstep::program::flow
