// The class behind lower.h: lower.cpp (functions, names), lower_statements.cpp, lower_expressions.cpp, conditions.cpp
// (what tests say), known.cpp and sure_stores.cpp (what attributes and elements hold).
#pragma once

#include <deque>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "program/flow/lower.h"
#include "program/flow/names.h"
#include "program/flow/variables.h"

namespace lockstep::program::flow {

/// A scope of the function being lowered: its own, or a class body's or comprehension's inside it.
struct LexicalScope {
  python::ScopeKind kind;
  python::ScopeId id;
  LexicalScope* parent = nullptr;                        ///< Within the same function.
  std::vector<std::pair<NameId, VariableId>> variables;  ///< Sorted by name.
  /// (start of the name, variable) of each binding, for finding what a loop assigns; sorted.
  std::vector<std::pair<std::uint32_t, VariableId>> bindings;
  std::vector<NameId> globals;
  std::vector<NameId> nonlocals;
};

/// A nested definition, lowered after the function that holds it.
struct PendingFunction {
  FunctionId id;
  const python::Parameters* parameters;
  std::vector<std::pair<std::size_t, Slot>> defaults;  ///< (parameter, value)
  LexicalScope* scope;                                 ///< Where it is defined.
  ClassId owner;
};

struct Loop {
  std::vector<std::pair<VariableId, Slot>> headers;
  std::vector<Branch> breaks;
  std::size_t mark;
};

/// `isinstance(x.name, classes)` is known to hold, or not to, where x has version `base`.
struct Refinement {
  Slot base;
  NameId name;
  Slot classes;
  bool holds;
};

/// An attribute or element of what a local variable holds, as last written or read.
struct Place {
  Slot base;
  bool is_item;
  std::uint32_t key;  ///< Attribute's name + 1, or slot of a literal key.
  Slot value;
  Slot read_as;     ///< Where it was last read into.
  bool is_written;  ///< Reads see `value` alone.
  bool is_sure;     ///< Since it was written, no code ran that nobody sees run: properties, operators, iteration.
};

/// A function while it is lowered.
struct Frame {
  Frame* parent = nullptr;
  LexicalScope* parent_scope = nullptr;  ///< Where in the parent it is defined.
  LexicalScope* scope = nullptr;         ///< Current one.
  std::size_t function = 0;              ///< Index into ModuleCode::functions.
  bool is_module = false;
  bool is_dead = false;
  Variables variables;
  std::deque<LexicalScope> scopes;
  std::vector<PendingFunction> pending;
  std::vector<Loop> loops;
  std::vector<Refinement> refinements;  ///< In force in the current branch.
  std::vector<Place> places;            ///< Known in the current branch.
  std::uint32_t last_op = kNone;     ///< The last call (an op), while nothing has run since that may store somewhere.
  std::uint32_t last_op_moment = 0;  ///< Variables::moment of that call.
  Slot read_base = 0;                ///< What alone was read since, if anything: attribute `read_name` of this slot.
  NameId read_name = 0;
  int unwinding = 0;             ///< `with` and `finally` around the current statement: code that runs on return.
  bool has_sure_places = false;  ///< There may be some.
  bool has_unknown_exit = false;
  std::vector<Exit> exits;
  std::unordered_set<Slot> cells;        ///< Of its variables.
  std::vector<Slot> parameter_versions;  ///< By parameter: what the body reads until it assigns to it.
  std::vector<NameId> parameter_names;
  std::uint32_t last_call = 0;  ///< Moment of the last call made for its effects (module level).
  Slot result = 0;
  Slot yielded = 0;
  std::vector<Guard> guards;
  /// What follows in the current blocks runs only under these (end_op is not known yet); `returns` before it.
  std::vector<std::pair<Guard, std::uint32_t>> one_ways;
  std::uint32_t returns = 0;  ///< Return statements with a value, so far.
  bool per_caller = false;
  bool returns_by_test = false;  ///< A test of parameters decides what it returns.
  bool wraps_parameter = false;  ///< A function nested in it calls one of its parameters.
};

class Lowering {
 public:
  Lowering(const Program& program, ModuleId module, ModuleCode& code)
      : program_(program), facts_(*program.modules()[module].facts), module_(program.modules()[module]), code_(code) {}
  void run();

 private:
  // lower.cpp
  NameId name_id(std::string_view text);
  Slot new_slot() { return code_.slot_count++; }
  std::uint32_t new_object(ContainerKind kind);
  Op& emit(OpCode op, const python::Node* node);
  std::uint32_t op_count() const { return static_cast<std::uint32_t>(code_.ops.size()); }
  Slot emit_value(OpCode op, const python::Node* node, std::uint32_t a = 0, NameId name = kNone);
  void copy(Slot from, Slot to, const python::Node* node);
  void set_arguments(Op& op, std::span<const Argument> arguments);

  void lower_module();
  void lower_function(Frame& parent, PendingFunction pending);
  void lower_pending(Frame& frame);
  void begin_function(Frame& frame, FunctionCode& function, const PendingFunction& pending);
  void seed_parameters(Frame& frame, const FunctionCode& function, const python::Node* node);
  LexicalScope* open_scope(python::ScopeKind kind, python::ScopeId id, LexicalScope* parent);
  void close_function(Frame& frame);
  /// As numbers of the module's code, whatever program the module stands in. A file that stands in the program twice
  /// has one tree, whose nodes lead to one of the two modules.
  FunctionId relative(FunctionId id) const {
    const Module& module = program_.modules()[program_.functions()[id].module];
    return FunctionId(id.index() - module.body.index());
  }
  std::uint32_t relative(ClassId id) const {
    const Module& module = program_.modules()[program_.classes()[id].module];
    return id.value - module.classes.front().value;
  }
  const Function& function_of(const FunctionCode& code) const {
    return program_.functions()[FunctionId(module_.body.index() + code.id.index())];
  }

  Slot load_name(std::string_view text, const python::Node* node);
  Slot load_outer(const Frame& frame, NameId name);
  Slot module_name(NameId name, const python::Node* node);
  void store_name(std::string_view text, Slot value, const python::Node* node);
  void store_in(LexicalScope* scope, NameId name, Slot value, const python::Node* node);
  void set_variable(LexicalScope* scope, VariableId variable, Slot value, const python::Node* node);
  void capture(const python::Node& nested, const python::Node* node);
  static VariableId find(const LexicalScope& scope, NameId name);
  Slot export_of(NameId name) const;

  // Control flow, lower.cpp
  void merge(std::vector<Branch> branches, const python::Node* node);
  template <class Body>
  Branch branch(Body&& body);
  std::vector<VariableId> assigned_in(Span span) const;

  // known.cpp
  Slot place_base(const python::Expr* expression, Slot slot) const;
  static std::uint32_t place_key(const python::Expr* key, Slot slot);
  Slot known_value(Slot base, bool is_item, std::uint32_t key, Slot read_as);
  void remember(const Place& place);
  void write_place(Slot base, bool is_item, std::uint32_t key, Slot value);
  void write_update(const python::Call& node, Slot object);
  void keep_places(const std::vector<Place>& left, const std::vector<Place>& right, const python::Node* node);
  void forget_places() {
    frame_->places.clear();
    frame_->last_op = kNone;
  }

  // sure_stores.cpp
  void doubt();
  bool may_doubt() const { return frame_->last_op != kNone || frame_->has_sure_places; }
  bool last_call_takes(Slot object) const;
  /// False if call_before would find nothing for attributes of `object`.
  bool may_follow_call(Slot object) const {
    if (frame_->last_op == kNone) return false;
    return frame_->is_module || !frame_->cells.empty() || last_call_takes(object);
  }
  void doubt_others(Slot base, std::uint32_t key);
  Slot outer_base(const python::Expr* expression, Slot slot) const;
  std::uint32_t call_before(const python::Expr* object, Slot base, NameId name) const;
  void read_after(std::uint32_t call, const python::Expr* object, std::uint32_t read);
  void leave_function();
  void close_exits(FunctionCode& function);
  const Variable* variable_of(const python::Expr* expression) const;
  std::uint32_t parameter_of(Slot slot) const;

  // lower_statements.cpp
  void block(python::Seq<python::Stmt> statements);
  void statement(const python::Stmt& statement);
  void lower_statement(const python::Stmt& statement);
  void simple_statement(const python::Stmt& statement);
  void assign(const python::Expr* target, Slot value, const python::Node* node);
  void declare(const python::AnnAssign& assignment);
  void assign_value(const python::Expr* target, const python::Expr* value, Slot slot, const python::Node* node);
  void assign_sequence(python::Seq<python::Expr> targets, Slot value, const python::Node* node);
  void function_def(const python::FunctionDef& def);
  void class_def(const python::ClassDef& def);
  void close_class(ClassId cls, LexicalScope* scope, const python::ClassDef& def);
  Slot decorate(python::Seq<python::Expr> decorators, std::span<const Slot> callees, Slot value);
  void if_statement(const python::If& statement);
  void for_statement(const python::For& statement);
  void while_statement(const python::While& statement);
  void begin_loop(Span span, const python::Node* node);
  void end_loop(python::Seq<python::Stmt> orelse, const python::Node* node);
  void continue_loop(const python::Node* node);
  void break_loop();
  void try_statement(const python::Try& statement);
  void with_statement(const python::With& statement);
  void match_statement(const python::Match& statement);
  void bind_pattern(const python::Pattern* pattern, Slot subject);
  void import_statement(const python::Node& statement, python::Seq<python::Alias> names);

  // conditions.cpp
  enum class Decided : std::uint8_t { kNo, kOpen, kByParameters };
  Decided decided(const python::Expr* test) const;
  void close_guards(std::size_t mark);
  void guard_branches(const python::If& node, const std::uint32_t (&ops)[3], const bool (&is_dead)[2],
                      std::uint32_t returns);
  void refine(const python::Expr* condition, bool holds);
  void refine_name(const python::Name& name, Slot classes, bool holds, const python::Node* node);

  // lower_expressions.cpp
  Slot expression(const python::Expr* expression);
  Slot expression_kind(const python::Expr& expression);
  Slot constant(const python::Constant& constant);
  Slot text_constant(std::string_view text, const python::Node* node);
  Slot builtin_value(std::string_view name, const python::Node* node);
  Slot call(const python::Call& call);
  std::vector<Argument> call_arguments(python::Seq<python::Expr> arguments, python::Seq<python::Keyword> keywords);
  Slot super_call(const python::Call& call);
  [[nodiscard]] const Frame* method_frame() const;
  [[nodiscard]] ClassId owner_of_method() const;
  Slot sequence(const python::Expr& node, ContainerKind kind, python::Seq<python::Expr> elements);
  Slot dict(const python::Dict& node);
  Slot comprehension(const python::Expr& node, ContainerKind kind, python::Seq<python::Comprehension> generators);
  Slot subscript(const python::Subscript& node);
  Slot conditional(const python::IfExp& node);
  Slot operation(OpCode op, const python::Node* node, Slot left, Slot right, std::string_view method);
  Slot compare(const python::Compare& node);
  Slot either(std::span<const Slot> values, const python::Node* node);
  Slot lambda(const python::Lambda& node);
  std::vector<std::pair<std::size_t, Slot>> defaults(const python::Parameters* parameters);
  bool is_parameter(const python::Expr* expression);
  void note_wrapped(const python::Name& callee);

  const Program& program_;
  const python::FileFacts& facts_;
  const Module& module_;
  ModuleCode& code_;
  Frame* frame_ = nullptr;
  LexicalScope* module_scope_ = nullptr;
  NameIndex name_ids_;
  std::unordered_map<NameId, Slot> globals_;  ///< kGlobal slots by name.
  std::unordered_map<NameId, Slot> texts_;    ///< kText slots by name.
  std::unordered_map<NameId, Slot> builtin_values_;
  std::unordered_map<std::uint32_t, Slot> integers_;
  Slot nothing_ = 0;
  ClassId class_;  ///< In whose body the current statement stands directly; none elsewhere.
};

std::string_view method_of(python::BinaryOperator op);
std::string_view method_of(python::CompareOperator op);

}  // namespace lockstep::program::flow
