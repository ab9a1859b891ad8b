// Whole-program value flow: instantiates the code of all modules and moves values until nothing changes. The result is
// what every call may reach, and what every expression may hold.
//
// The idea: inclusion-based points-to analysis with the call graph built on the fly. Insensitive to callers, except
// that small functions which make closures, return or call their parameters are copied per call, so that a decorator
// applied to ten functions does not mix them up. After each fixed point, what is still empty is seeded, in rounds, with
// what declarations say: `self` of methods that nobody calls, annotated parameters, results and fields.
//
// One thread solves, with one queue, in the order of path and source; what runs beside it (Solver::run) writes nothing
// that it reads. The result is a function of the input alone.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/page_filler.h"
#include "base/worker_pool.h"
#include "program/flow/by_op.h"
#include "program/flow/code.h"
#include "program/flow/graph.h"
#include "program/flow/models.h"
#include "program/flow/names.h"
#include "program/flow/outside_names.h"
#include "program/flow/shared_code.h"
#include "program/named_modules.h"
#include "program/resolve.h"

namespace lockstep::program::flow {

using ObjectId = std::uint32_t;
using CallRecordId = std::uint32_t;

/// A container: elements at known places or keys, and the others.
struct Object {
  ContainerKind kind = ContainerKind::kOther;
  ValueId self = kNone;
  NameId type = kNone;  ///< Dotted name of its class, for method calls on it that are not modelled.
  Slot any = 0;         ///< Elements at unknown places.
  Slot all = 0;         ///< All elements; made on demand.
  Slot keys = 0;        ///< All known keys; made on demand.
  std::vector<std::pair<ValueId, Slot>> keyed;
  struct Watcher {
    enum class Kind : std::uint8_t { kCopy, kStar } kind;
    std::uint32_t target;  ///< Object or star record.
    std::int32_t shift;    ///< kCopy: subtracted from integer keys; those below are left out.
  };
  std::vector<Watcher> watchers;
};

/// An activation that is told apart from others: a copy of a function's code.
struct FrameInfo {
  FrameId parent = 0;
  Slot first_slot = 0, end_slot = 0, slot_at = 0;
  ObjectId first_object = 0, end_object = 0, object_at = 0;
  OpId op_at = 0;  ///< Copy of the function's first op.
  std::uint32_t depth = 0;
  FrameId caller = 0;              ///< Frame of the call.
  std::uint32_t function = kNone;  ///< Index into code.
  bool is_test = false;            ///< Made for a call from a test.
};

/// One call to carry out for each value that its callee may be.
struct CallRecord {
  OpId op;
  std::uint32_t first_argument;
  std::uint16_t argument_count;
  CallKind kind;
  bool is_asked = false;  ///< Somebody asks what it leaves in an attribute (overwrites.cpp).
  Slot dst;
};

/// What a call is seen to pass for a parameter; null where it is not.
struct Passed {
  const python::Constant* literal = nullptr;
  const python::FunctionDef* def = nullptr;  ///< The function that is decorated.
  bool is_generator = false;                 ///< Of `def`.
};

/// *args or **kwargs on their way into a function's parameters.
struct StarRecord {
  std::uint32_t function;  ///< Index into code.
  FrameId frame;
  std::uint32_t position;  ///< Positional arguments before it.
};

/// Values of a slot, handled by a model.
struct ModelRecord {
  const Model* model;
  CallRecordId call;
  std::uint32_t detail;
};

/// One edge of the call graph as found: what op `op` reaches.
struct FoundEdge {
  OpId op;
  FunctionId function;  ///< None for an external target.
  NameId external;
  CallKind kind;
  ValueId choice;  ///< Of what callee value this is a part (a class: __new__ and __init__).
  friend auto operator<=>(const FoundEdge&, const FoundEdge&) = default;
};

/// A call that enters a function with callers that are told apart, and the frame it runs in.
struct FrameEntry {
  OpId site;
  std::uint32_t function;  ///< Index into code.
  FrameId frame;
  friend auto operator<=>(const FrameEntry&, const FrameEntry&) = default;
};

/// What a call written in the function of a frame, or in one nested in it, enters there.
struct FrameEdge {
  FrameId frame;
  OpId op;
  FunctionId function;
  friend auto operator<=>(const FrameEdge&, const FrameEdge&) = default;
};

struct Unresolved {
  OpId op;
  std::string_view reason;
};

class Solver {
 public:
  Solver(const Program& program, const Program::Index& index, std::span<const CallModel> models, std::size_t jobs,
         CodeShare share = {});
  /// With two jobs or more, `beside` is run on a thread of its own meanwhile; it may be empty. Without tests, what only
  /// tests import is not looked at: nothing else depends on it.
  void run(const std::function<void()>& beside, bool with_tests = true);
  /// After run: gives back the memory of what the results below do not need.
  void release();

  // Results. Ops below base_op_count() are those of the modules' own code.
  [[nodiscard]] const HugeVector<FoundEdge>& edges() const { return edges_; }
  /// What calls outside tests enter in the frames that they make; duplicates are possible. `frame_entries` lists 0 for
  /// calls without a frame of their own.
  [[nodiscard]] const std::vector<FrameEntry>& frame_entries() const { return frame_entries_; }
  [[nodiscard]] const std::vector<FrameEdge>& frame_edges() const { return frame_edges_; }
  [[nodiscard]] std::size_t base_op_count() const { return own_ops_.size(); }
  [[nodiscard]] const Op& op(OpId id) const { return own_ops_[id]; }
  [[nodiscard]] const python::Node* node(OpId id) const { return nodes_[id]; }
  [[nodiscard]] const std::vector<FunctionCode>& functions() const { return code_; }
  /// Index into functions() of the code that base op `id` belongs to.
  [[nodiscard]] std::uint32_t function_of_op(OpId id) const { return code_of_op_[id]; }
  [[nodiscard]] const std::string& name(NameId id) const { return names_[id]; }
  [[nodiscard]] std::string_view why_unresolved(OpId id) const;
  /// Adds the classes of instances that a base slot may hold, in any activation, sorted; says how many.
  std::size_t classes_in(Slot slot, std::uint32_t function, std::vector<ClassId>& out) const;
  struct ExpressionSlot {
    const python::Expr* expression;
    Slot slot;
  };
  [[nodiscard]] const HugeVector<ExpressionSlot>& expressions() const { return expressions_; }

 private:
  /// Names that are asked for again and again.
  struct KnownNames {
    explicit KnownNames(Solver& solver);
    NameId setattr, getattribute, getattr, set, get, make, init, post_init, call, forward, hooks, super, str, tensor,
        cls, value, dict, remote, options, spawn;
    std::array<NameId, 4> endpoint;  ///< How what a Monarch actor offers is called.
  };
  /// What a call of something outside does, as far as its name says.
  struct External {
    enum class Kind : std::uint8_t {
      kNew,      ///< not looked at
      kModel,    ///< what model_of says
      kTensors,  ///< gives a tuple of tensors
      kStrings,  ///< gives a list of strings
      kResult,   ///< gives the value `detail`
    } kind = Kind::kNew;
    std::uint32_t detail = 0;
  };

  // load.cpp
  /// Where a module's code starts in the common numbering, and the common numbers of its names.
  struct ModulePlace {
    OpId op = 0;
    Slot slot = 0;  ///< Less one: module slots count from 1.
    ObjectId object = 0;
    std::uint32_t argument = 0;
    std::uint32_t seed = 0;
    std::uint32_t function = 0;
    std::uint32_t exit = 0;
    std::uint32_t store = 0;
    std::uint32_t read = 0;
    std::size_t expression = 0;
    std::vector<NameId> names;
  };
  void begin_load();
  void order_modules();
  using ModuleCodes = std::vector<std::shared_ptr<const ModuleCode>>;
  [[nodiscard]] ModuleCodes lower_modules(std::span<const ModuleId> modules) const;
  [[nodiscard]] ModuleCodes lower_shared(std::span<const ModuleId> modules) const;
  [[nodiscard]] ModuleCodes lower_tests() const;
  void lower_and_load(std::span<const ModuleId> modules);
  void load(std::span<const ModuleId> modules, ModuleCodes& codes);
  void load_codes(std::span<const ModuleId> modules, ModuleCodes& codes);
  [[nodiscard]] ModulePlace next_place() const;
  void finish_load(const ModulePlace& start);
  [[nodiscard]] std::vector<std::uint32_t> largest_first(std::span<const ModuleId> modules) const;
  void reserve_code();
  std::vector<ModulePlace> place(std::span<const ModuleId> modules, const ModuleCodes& codes);
  void merge_names(const ModuleCodes& modules, std::vector<ModulePlace>& places);
  void make_room();
  [[nodiscard]] std::vector<PageRange> room_ahead();
  void load_module_code(ModuleId id, const ModuleCode& module, const ModulePlace& place);
  [[nodiscard]] bool is_factory(const FunctionCode& function) const;
  void load_class(ClassId id);
  void note_attribute_names(const ModulePlace& start);
  void find_callable_keepers(std::uint32_t first_function);

  // solver.cpp
  void solve_new_code();
  void solve_rest();
  void instantiate(OpId first, OpId end);
  void instantiate_op(OpId id);
  void settle();
  void apply(const Use& use, ValueId value);
  void apply_op(OpId id, bool is_a, ValueId value);
  void use(Slot slot, const Use& use);
  NameId name_id(std::string_view text) { return name_id(text, NameIndex::hash_of(text)); }
  NameId name_id(std::string_view text, std::uint32_t hash);
  NameId dotted(NameId base, NameId member);
  bool may_have_member(NameId base, NameId member);
  NameId make_dotted(NameId base, NameId member);
  Slot new_slot() { return graph_.add_slots(1); }
  void record(OpId op, FunctionId function, CallKind kind, ValueId choice);
  void record_external(OpId op, NameId name, CallKind kind, ValueId choice);
  [[nodiscard]] Op op_of(OpId id) const { return is_copy(id) ? copied_op(id) : own_ops_[id]; }
  [[nodiscard]] Op copied_op(OpId id) const;
  Op& alterable(OpId id);
  void prefetch_op(OpId id) const {
    if (is_copy(id)) {
      __builtin_prefetch(&copies_[id - kFirstCopy]);
    } else {
      __builtin_prefetch(&own_ops_[id]);
    }
  }
  FrameId frame_of_op(OpId op) const { return is_copy(op) ? copies_[op - kFirstCopy].frame : 0; }
  OpId base_op(OpId op) const { return is_copy(op) ? copies_[op - kFirstCopy].op : op; }

  // imports.cpp
  void import_op(OpId id);
  void global_op(OpId id);
  void bind_reference(Slot dst, const Reference& reference);
  void bind_module_member(Slot dst, OpId op, const Reference& owner, std::string_view name, int depth);
  bool bind_star(Slot dst, ModuleId module, std::string_view name, int depth);
  Slot export_slot(ModuleId module, NameId name) const;
  ModuleId module_of_op(OpId op) const;

  // attributes.cpp
  struct Sink {
    OpId op;
    Slot dst;
    CallRecordId call;  ///< kNone: load only.
  };
  void load(ValueId object, NameId name, const Sink& sink);
  void load_instance(ValueId object, ClassId cls, ClassId after, ValueId receiver, NameId name, const Sink& sink);
  void load_class(ValueId object, ClassId cls, NameId name, const Sink& sink);
  void load_from_object(ValueId receiver, NameId name, const Sink& sink);
  NameId method_of_functions(NameId name);
  bool is_call_of_endpoint(NameId name, const Sink& sink) const;
  bool load_of_remote(ValueId object, NameId name, const Sink& sink);
  void load_module(ModuleId module, NameId name, const Sink& sink);
  void load_container(ValueId object, NameId name, const Sink& sink);
  void store(ValueId object, NameId name, Slot value, OpId op);
  void store_field(ValueId object, NameId name, Slot value, OpId op);
  void store_in_class(ValueId cls, NameId name, Slot value);
  /// A read of a class's attribute, for names that code sets on classes from outside: what is set later reaches it.
  struct ClassRead {
    ClassId cls;
    ValueId receiver;
    Sink sink;
  };
  void remember_class_read(NameId name, const ClassRead& read);
  void deliver(const Sink& sink, ValueId value);
  void deliver_slot(const Sink& sink, Slot slot);
  void deliver_attribute(const Sink& sink, Slot slot, ValueId receiver);
  void bind(ValueId attribute, ValueId receiver, const Sink& sink);
  void set_through(ValueId attribute, ValueId receiver, Slot value, OpId op);
  Slot attribute_slot(ValueId owner, NameId name, bool create);
  static constexpr NameId kStoredLater = 0x80000000u;  ///< Added to a name.
  Slot stored_later(ValueId cls, NameId name);
  std::span<const ClassId> mro(ClassId cls) const {
    return std::span(mro_).subspan(mro_starts_[cls.index()], mro_starts_[cls.index() + 1] - mro_starts_[cls.index()]);
  }
  Slot class_attribute(ClassId cls, NameId name, ClassId after) const;
  bool declares_field(ClassId cls, NameId name) const;
  bool is_plain_field(ValueId object, NameId name);
  NameId external_base(ClassId cls, ClassId after) const;
  bool call_method(ValueId receiver, std::string_view name, const Sink& sink);
  bool is_module_subclass(ClassId cls) const;
  bool is_enum_member(ValueId value) const {
    const Value& of = values_[value];
    return of.kind == ValueKind::kInstance && of.b >= kEnumMember && of.b != kAnyRecord;
  }
  bool names_enum_member(ClassId cls, NameId name) const;

  // calls.cpp
  CallRecordId add_call(OpId op, std::span<const Argument> arguments, CallKind kind, Slot dst);
  CallRecordId add_call_tail(const CallRecord& call, std::size_t skip, CallKind kind, Slot dst);
  CallRecordId& known_call(OpId op, std::span<const Argument> arguments, CallKind kind, Slot dst);
  void call(CallRecordId id, ValueId callee);
  void call_object(CallRecordId id, ValueId callee);
  void call_function(CallRecordId id, ValueId function, ValueId receiver, ValueId choice, bool is_method = false);
  void call_class(CallRecordId id, ValueId cls);
  bool keeps_callable(ClassId cls) const;
  void call_instance(CallRecordId id, ValueId instance);
  void call_forward(CallRecordId id, ValueId instance);
  void call_autograd(CallRecordId id, ClassId cls);
  ValueId autograd_context(ClassId cls);
  void call_partial(CallRecordId id, ValueId partial);
  const std::vector<NameId>& record_fields(ClassId cls);
  void fill_record(const CallRecord& call, ClassId cls, ValueId instance);
  void count_call(OpId id);
  /// True if nobody runs the function's code in frame 0: every call of it has an activation of its own.
  bool is_never_shared(std::uint32_t function) const {
    return !frames_of_code_[function].empty() && !has_shared_callers_[function];
  }
  FrameId activation(const CallRecord& call, std::uint32_t function, ValueId value, std::uint32_t position);

  // constants.cpp
  using Literals = std::vector<Passed>;  ///< By parameter.
  Passed decorated(OpId decorate) const;
  Literals literals_of(const CallRecord& call, std::uint32_t function, std::uint32_t position) const;
  const python::Constant* literal(const python::Expr* expression, Slot slot, FrameId frame) const;
  void close_ops(OpId first, OpId end, OpId shift);
  void close_guarded(std::uint32_t function, OpId first, const Literals& literals);
  FrameId copy_function(const CallRecord& call, std::uint32_t function, FrameId outer);
  void enter_function(CallRecordId id, std::uint32_t function, FrameId frame, ValueId receiver, bool is_first);
  bool is_test_op(OpId op) const {
    return frames_[frame_of_op(op)].is_test || is_test_module_[module_of_op(op).index()];
  }
  bool is_test_class(ValueId cls) const;
  void release_test_calls();
  void pass_arguments(const CallRecord& call, std::uint32_t function, FrameId frame, std::uint32_t position);
  void pass_defaults(const CallRecord& call, std::uint32_t function, FrameId frame, std::uint32_t position);
  void pass_positional(std::uint32_t function, FrameId frame, std::uint32_t position, Slot value);
  void pass_keyword(std::uint32_t function, FrameId frame, NameId name, Slot value);
  void pass_star(std::uint32_t star, ValueId container);
  void pass_star_element(const StarRecord& star, ValueId key, Slot slot);
  void pass_double_star(std::uint32_t star, ValueId container);
  Slot slot_in(FrameId frame, Slot slot) const;
  ObjectId object_in(FrameId frame, ObjectId object) const;
  std::span<const Argument> arguments_of(const CallRecord& call) const;
  Slot argument_slot(const CallRecord& call, std::size_t position, std::string_view keyword) const;
  void create_class(OpId op);

  // overwrites.cpp
  using QuestionId = std::uint32_t;
  /// What does attribute `name` of an object hold once `call` has returned?
  struct Question {
    OpId call;
    Slot object;  ///< The object as the call is given it; 0 if it is not.
    Slot cell;    ///< The variable by which code around the call holds it; 0 if it is not known.
    NameId name;
    Slot value;                         ///< What the functions that were called surely stored there.
    bool is_open = false;               ///< One of them may have stored nothing or anything: the call says nothing.
    bool is_answered = false;           ///< At least one function that was called says what it stored.
    std::vector<OpId> readers;          ///< Ops that read the attribute then.
    std::vector<QuestionId> asked_for;  ///< Questions that this one is part of.
    QuestionId next = kNone;            ///< About the same call.
  };
  void find_overwritten_names(std::uint32_t first_function, std::uint32_t first_read);
  void ask_for_readers(OpId call);
  QuestionId ask(OpId call, Slot object, Slot cell, NameId name);
  void ask_known_callees(QuestionId id);
  void open(QuestionId first);
  void let_readers_read(QuestionId id);
  void open_all(OpId call);
  void open_unanswered();
  bool is_question_of(CallRecordId id) const { return calls_[id].is_asked && call_of_op_[calls_[id].op] == id; }
  void answer_all(CallRecordId id, std::uint32_t function, FrameId frame, ValueId receiver, bool is_method);
  void answer(QuestionId id, const CallRecord& call, std::uint32_t function, FrameId frame, ValueId receiver,
              bool is_method);
  /// How one function that is called knows the object of a question.
  struct KnownAs {
    std::uint32_t parameter = kNone;
    Slot cell = 0;
    bool is_ambiguous = false;
  };
  KnownAs known_as(const Question& question, const CallRecord& call, std::uint32_t function, ValueId receiver) const;
  bool answer_exit(QuestionId id, const Exit& exit, const KnownAs& object, const CallRecord& call,
                   std::uint32_t function, FrameId frame, ValueId receiver);
  Slot given(const CallRecord& call, std::uint32_t function, FrameId frame, std::uint32_t parameter,
             ValueId receiver) const;
  Slot version_of_parameter(std::uint32_t function, std::uint32_t parameter) const;
  OpId op_in(FrameId frame, OpId op) const;

  // containers.cpp
  ObjectId new_object(ContainerKind kind);
  ValueId container_value(ObjectId object);
  ObjectId object_of_call(OpId op, ContainerKind kind, std::uint32_t number);
  Slot element_any(ObjectId object);
  Slot element_all(ObjectId object);
  Slot element_keys(ObjectId object);
  Slot element_at(ObjectId object, ValueId key);
  void copy_elements(ObjectId from, ObjectId to, std::int32_t shift);
  void make(OpId op);
  void get_item(OpId op, ValueId object);
  void set_item(OpId op, ValueId object);
  void use_key(ValueId container, Slot stored, Slot read, ValueId key);
  void iterate(ValueId object, Slot dst, OpId op);
  void next_element(ValueId iterator, Slot dst, OpId op);
  void slice(OpId op, ValueId object);
  bool container_call(CallRecordId call, ValueId container, NameId method);

  // container_heirs.cpp
  bool is_container_heir(ClassId cls);
  ValueId elements_behind(ValueId instance, std::string_view method);
  void fill_heir(const CallRecord& call, ValueId instance);

  // operators.cpp
  void binary(OpId op, ValueId value, bool is_left);
  void combine(OpId op, ValueId container, bool is_left);
  void unary(OpId op, ValueId value);
  void enter(OpId op, ValueId value);
  void narrow(OpId op, ValueId value);
  bool narrow_to_heirs(ValueId value, const Op& op);
  bool is_instance_of(ValueId value, ValueId cls) const;
  bool classes_of_test(Slot classes, std::vector<ValueId>& all) const;
  bool passes(ValueId value, Slot classes, bool negated) const;
  bool call_dunder(OpId op, ValueId receiver, std::string_view method, std::span<const Argument> arguments, Slot dst,
                   CallKind kind = CallKind::kImplicit);

  // external.cpp
  const Model* user_model(std::string_view name) const;
  const Model* model_of(NameId name);
  void find_models_of_functions();
  void call_external(CallRecordId id, NameId name, ValueId receiver, ValueId callee);
  void split_dotted_name(const CallRecord& call, ValueId receiver, ObjectId parts);
  void apply_model(const ModelRecord& record, ValueId value);
  void put_item(ValueId pair, ObjectId mapping);
  void model_call(CallRecordId id, const Model& model, NameId name, ValueId receiver);
  void call_hook(const CallRecord& call, Slot callee, NameId name, ValueId receiver);
  void call_key(const CallRecord& call, Slot element);
  void special_call(CallRecordId id, NameId name, ValueId receiver);
  void special_decorator(CallRecordId id, NameId name, ContainerKind kind);
  External external_of(NameId name);
  void give_typed(std::string_view type, OpId op, Slot dst);
  const Model* typed_attribute(NameId cls, NameId name);
  ValueId external_result(NameId name);
  void watch(Slot slot, const Model* model, CallRecordId call, std::uint32_t detail);
  void external_load(ValueId object, NameId name, const Sink& sink);

  // seeds.cpp
  /// What an annotation lets through, worked out on first use.
  struct Declared {
    enum class State : std::uint8_t { kNew, kOpen, kClosed } state = State::kNew;  ///< Open: anything fits.
    std::vector<ClassId> classes;
    std::vector<std::string> external;
    bool has_asked = false;
    std::vector<ClassId> asked;  ///< That the body asks about, `isinstance(parameter, Class)`; once `has_asked`.
  };
  bool fits(std::uint32_t seed, ValueId value);
  bool is_asked_about(std::uint32_t seed, ClassId cls);
  bool wraps(ClassId cls, const Declared& declared);
  bool fits_from_outside(const Declared& declared, const Value& of) const;
  bool declare(ModuleId module, python::ScopeId scope, const python::Expr* annotation, int depth, Declared& out);
  bool declare_reference(const Reference& found, Declared& out);
  void seed_round(int round);
  void seed_receivers(int round);
  void seed_defaults(int round);
  [[nodiscard]] bool holds_only_mixins(Slot slot);
  void seed_annotations(int round);
  void seed_elements(std::size_t number);
  void fill_elements(ObjectId container, ObjectId declared, int depth);
  const python::Expr* alias_of(ModuleId module, std::string_view name);
  std::vector<ValueId> annotated_field(ClassId cls, NameId name);
  void seed_fields();
  void seed_records();
  void seed_keys();
  void seed_look_ups();
  void bind_members(const std::vector<NameForm>& modules, const std::vector<NameForm>& names, Slot dst);
  bool is_unknown(Slot slot) const;
  bool is_autograd_step(FunctionId id) const;
  std::size_t count_kinds(Slot slot) const;
  void annotation_values(ModuleId module, python::ScopeId scope, const python::Expr* annotation, int depth,
                         std::vector<ValueId>& out);
  void generic_values(ModuleId module, python::ScopeId scope, const python::Subscript& generic, std::string_view head,
                      int depth, std::vector<ValueId>& out);
  void seed_test(OpId id);
  void seed_closed_branches();
  std::vector<ValueId> made_for(ClassId cls);
  std::vector<ValueId> made_among(std::vector<ValueId> found);
  bool is_abstract(ClassId cls);
  std::vector<ValueId> heirs(ClassId cls, FunctionId method, std::size_t most);

  const Program& program_;
  Resolver resolver_;
  ValueTable values_;
  Graph graph_{values_};

  std::deque<std::string> names_;
  NameIndex name_ids_;
  KeyMap members_;  ///< (base, member) -> 1 if the name outside may have it, else 0
  KeyMap dotted_;   ///< (base, member) -> "base.member"
  KnownNames known_{*this};
  std::vector<External> externals_;  ///< By name.
  KeyMap loads_;                     ///< (class outside, attribute) -> name of what is called, kNoMethod for nothing
  std::vector<std::int32_t> model_of_name_;      ///< By name: -2 not looked up, -1 none, else index into models().
  std::vector<Model> user_models_;               ///< Sorted by name; count in model_of_name_ behind those of models().
  std::vector<const Model*> model_of_function_;  ///< By FunctionId, for users' models alone; empty without any.

  HugeVector<Op> own_ops_;
  HugeVector<const python::Node*> nodes_;
  HugeVector<Argument> arguments_;
  std::vector<FunctionCode> code_;
  std::vector<std::uint32_t> code_of_function_;                ///< By FunctionId: index into code_.
  std::vector<std::vector<std::pair<NameId, Slot>>> exports_;  ///< By module.
  std::vector<std::pair<OpId, ModuleId>> module_ops_;          ///< First op of each module that is loaded, ascending.
  std::vector<Seed> seeds_;
  std::vector<ModuleId> seed_modules_;
  std::vector<Declared> declared_;                                 ///< By seed.
  int annotation_parts_ = 0;                                       ///< Looked at for one annotation.
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> wraps_;  ///< By class and class that a parameter declares.
  /// By module: its variables at module level with the value of those that are assigned once.
  std::unordered_map<std::uint32_t, std::unordered_map<std::string_view, const python::Expr*>> aliases_;
  std::vector<bool> says_nothing_;  ///< By seed: its annotation was looked at and names no value.
  EmptyOps unread_fields_;
  EmptyOps unknown_keys_;
  std::vector<CallRecordId> look_ups_;  ///< Calls of getattr that `seed_look_ups` has not answered yet.
  /// Fields that are read of instances of dataclasses of which nothing is known but the class.
  std::vector<std::pair<ValueId, NameId>> unknown_records_;
  std::unordered_set<ValueId> open_records_;   ///< Made with `**values`.
  std::vector<std::uint8_t> container_heirs_;  ///< By class: 2 where it derives from a container, 1 where not, else 0.
  std::unordered_map<ValueId, ValueId> held_by_;  ///< By instance of such a class: the container with its elements.
  HugeVector<ExpressionSlot> expressions_;
  std::size_t solved_ops_ = 0;            ///< Of the modules' own: those that have been instantiated.
  std::size_t jobs_;                      ///< Threads that parts without an order may use.
  CodeShare share_;                       ///< With the other side of a change.
  HugeVector<std::uint32_t> code_of_op_;  ///< By base op: index into code_.

  std::unordered_map<std::uint32_t, std::vector<bool>> opened_;  ///< By index into code_: guards that some call opened.
  std::unordered_map<FrameId, Literals> literals_;               ///< Of frames whose functions have guards.
  std::unordered_map<std::uint32_t, std::vector<NameId>> record_fields_;  ///< By class.
  std::vector<Exit> exits_;
  std::vector<SureStore> sure_stores_;
  std::vector<ReadAfterCall> reads_after_calls_;  ///< Of names that some function surely overwrites; sorted by call.
  std::vector<Question> questions_;
  KeyMap question_ids_;     ///< (call, object, name, cell), mixed -> question
  KeyMap first_questions_;  ///< call + 1 -> question
  int nested_questions_ = 0;

  /// An op of an activation is the one that it copies, on other slots: worked out each time it is asked for.
  struct CopiedOp {
    OpId op : 31;
    OpId is_altered : 1;  ///< `altered_copies_` has it.
    FrameId frame;
    std::uint32_t first_argument;
  };
  HugeVector<CopiedOp> copies_;  ///< By op from kFirstCopy on: what it copies.
  std::unordered_map<OpId, Op> altered_copies_;
  std::vector<FrameInfo> frames_{1};
  std::vector<std::vector<FrameId>> frames_of_code_;  ///< By index into code_: its activations.
  KeyMap activations_;                                ///< (op, function value) -> frame
  std::vector<bool> has_shared_callers_;          ///< By index into code_: calls that have no activation of their own.
  std::vector<std::uint32_t> activation_counts_;  ///< By index into code_.
  std::vector<std::uint32_t> test_activation_counts_;  ///< The same, for calls from tests.
  std::vector<std::uint32_t> calls_in_copies_;         ///< The same: things that calls in its activations reach.
  KeyMap site_activations_;                            ///< (base op, function) -> how many activations
  std::size_t copied_ops_ = 0;

  HugeVector<Object> objects_;
  KeyMap call_objects_;        ///< (op, number) -> object
  KeyMap first_partials_;      ///< (base op, slot of the callee) -> object
  KeyMap attributes_;          ///< (owner value, name) -> slot
  KeyMap links_;               ///< (call record, callee) -> frame, for calls carried out
  KeyMap done_;                ///< (op, what) -> 1, for things done once
  KeyMap fields_;              ///< (class, name) declared as self.name in it
  NameSet called_names_;       ///< Of attributes that are called.
  NameSet overwritten_names_;  ///< Of attributes that some function surely overwrites.
  NameSet setter_names_;       ///< Of attributes that a class may hold a property or descriptor as: made by code.
  NameSet set_names_;          ///< Of attributes that are stored to other objects than a method's own.
  std::unordered_map<NameId, std::vector<ClassRead>> class_reads_;  ///< By name, for names in set_names_.
  HugeVector<CallRecord> calls_;
  ByOp<CallRecordId> call_of_op_;  ///< For ops that call; kNone elsewhere.
  KeyMap derived_calls_;           ///< What a derived call consists of -> its record.
  std::vector<StarRecord> stars_;
  std::vector<ModelRecord> model_records_;
  int nested_calls_ = 0;
  HugeVector<FoundEdge> edges_;
  std::vector<FrameEntry> frame_entries_;
  std::vector<FrameEdge> frame_edges_;
  KeyMap known_edges_;
  std::vector<bool> makes_plain_;      ///< By base op: makes an instance of a class without a constructor of its own.
  std::vector<bool> has_callers_;      ///< By FunctionId.
  std::vector<bool> has_own_callers_;  ///< By FunctionId: callers of its own kind (tests, or the code under test).
  std::vector<bool> is_test_module_;   ///< By module.
  std::vector<ModuleId> tested_modules_;  ///< Solved first: what is no test, and what that imports.
  std::vector<ModuleId> test_modules_;    ///< The others.
  /// Calls from tests into the code under test: their arguments count only where nothing else calls the function.
  struct TestCall {
    CallRecordId call;
    std::uint32_t function;
    FrameId frame;
    ValueId receiver;
  };
  std::vector<TestCall> test_calls_;
  std::vector<std::vector<ClassId>> metaclasses_;  ///< By class.
  std::vector<ValueId> class_values_;              ///< By class: the class as a value.
  std::vector<ClassId> mro_;                       ///< Of all classes, one after the other.
  std::vector<std::uint32_t> mro_starts_;          ///< By class, into `mro_`; one more at the end.
  std::vector<std::uint8_t> is_module_;            ///< By class: derives from torch.nn.Module or alike.
  std::vector<std::uint8_t> is_dataclass_;         ///< By class.
  mutable std::vector<std::uint8_t> keepers_;      ///< By class, what keeps_callable says: 0 not asked, 1 no, 2 yes.
  std::vector<std::uint8_t> abstract_;             ///< By class: 0 not looked at, 1 no, 2 yes.
  std::vector<std::uint8_t> is_enum_;              ///< By class: derives from enum.Enum.
  std::vector<std::uint8_t> keeps_callable_;       ///< By FunctionId: __init__ that keeps an argument to be called.
};

}  // namespace lockstep::program::flow
