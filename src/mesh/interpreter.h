// Abstract interpretation of functions: which values vary between ranks, which collectives are issued under which
// conditions. A function is run once for each context (what is known of its arguments); results are kept.
// Demand-driven: running a function runs what it calls.
//
// Left out: aliasing (two names of one list), exceptions as values, what external libraries keep.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mesh/dimensions.h"
#include "mesh/mesh.h"
#include "mesh/models.h"
#include "mesh/trace.h"
#include "mesh/values.h"

namespace lockstep::mesh {

/// What an identifier says by its words alone; worked out once for each.
struct NameFacts {
  std::optional<NamedDimensions> group;
  std::optional<Bits> rank;
  std::optional<Bits> role;
  bool is_size = false;
  bool is_group_holder = false;
  bool is_mesh = false;
  bool is_group_parameter = false;  ///< "group", "process_group", "pg": a group, no telling which.
  bool is_shard = false;            ///< Something that each rank owns its own part of.
  bool names_rank_plainly = false;  ///< "rank", "global_rank": of the world, by name.
};

/// False for names that say nothing, which are most: neither a rank nor a group, size, stage, mesh, shard or role.
/// Quicker than taking a name apart.
bool may_tell(std::string_view name);

/// What is known of the arguments of a call; in the order of the parameters.
using Arguments = std::vector<Value>;

/// A divergence found while interpreting or comparing, before it is turned into Divergence.
struct RawDivergence {
  Divergence::Kind kind = Divergence::Kind::kCondition;
  program::FunctionId function;
  const python::Node* place = nullptr;
  Bits bits = 0;
  SourceId source = 0;
  TraceEvent event;
  std::vector<program::CallId> path;
  bool proven = false;
  std::string doubt;
  std::string_view outcome;  ///< "hang" or "wrong values".
};

class Interpreter {
 public:
  /// Statements and expressions nested in each other, over all functions being run: bounds the stack.
  static constexpr int kMaxDepth = 1500;

  Interpreter(const program::Program& program, const MeshOptions& options);

  /// Runs `function` (or gives the result kept). Never null; a result still in progress is empty.
  const FunctionResult* run_root(program::FunctionId function);
  const FunctionResult* run(program::FunctionId function, const Arguments& arguments);

  /// Joined value of `self.name` over the methods of `cls` and its bases.
  Value attribute(program::ClassId cls, std::string_view name);
  /// Value of a name that is free in `function`: of the enclosing functions, then of the module.
  Value free_variable(program::FunctionId function, std::string_view name);

  const NameFacts& name_facts(std::string_view name);
  /// The same, not kept.
  [[nodiscard]] NameFacts compute_name_facts(std::string_view name) const;
  std::uint32_t add_elements(std::vector<Value> elements);
  [[nodiscard]] const std::vector<Value>& elements(std::uint32_t index) const { return elements_[index]; }
  /// Marks what can communicate at all; calls to other functions need no trace. By function.
  [[nodiscard]] bool may_communicate(program::FunctionId function) const { return communicates_[function.index()]; }
  void set_may_communicate(std::vector<bool> communicates) { communicates_ = std::move(communicates); }
  /// Marks what may return something that its arguments did not bring. By function.
  void set_brings_back(std::vector<bool> brings_back) { brings_back_ = std::move(brings_back); }
  [[nodiscard]] bool brings_back(program::FunctionId function) const { return brings_back_[function.index()]; }
  /// True if a `return` with a value stands in the function (lambdas always return one).
  bool returns_value(program::FunctionId function);
  [[nodiscard]] bool has_callers(program::FunctionId function) const { return !program.callers_of(function).empty(); }
  void report(RawDivergence divergence) { reported.push_back(std::move(divergence)); }
  [[nodiscard]] std::uint32_t line_of(program::ModuleId module, std::uint32_t offset) const;
  [[nodiscard]] std::string_view text_of(program::ModuleId module, const python::Node& node) const;

  const program::Program& program;
  /// Point-to-point operations of the program that are not sends (not receives): somebody may be the partner.
  bool has_other_than_sends = false;
  bool has_other_than_receives = false;
  DimensionTable dimensions;
  Groups groups;
  Sources sources;
  std::vector<RawDivergence> reported;
  std::unordered_map<std::string_view, Bits> configured_getters;  ///< From the user's configuration.

 private:
  friend class FunctionRun;
  struct Kept {
    std::string key;
    std::unique_ptr<FunctionResult> result;
  };
  struct ClassAttributes {
    std::unordered_map<std::string_view, std::vector<program::FunctionId>> stored_in;
    std::unordered_map<std::string_view, Value> values;
    std::vector<std::string_view> group_symbols;
  };
  const FunctionResult* run_in_context(program::FunctionId function, const Arguments& arguments, bool is_root);
  /// Whether the function has something that may communicate called by others (`checkpoint(f, x)`), or without a call
  /// (a property, a `with`): no trace has what these come to.
  [[nodiscard]] bool enters_unseen(program::FunctionId function) const;
  ClassAttributes& attributes_of(program::ClassId cls);
  Value compute_attribute(program::ClassId cls, ClassAttributes& attributes, std::string_view name);
  GroupId attribute_group(program::ClassId cls, std::string_view name);
  Value with_attribute_symbols(program::ClassId cls, const FunctionResult& method, Value value);

  std::vector<std::vector<Kept>> results_;  ///< By function.
  std::unordered_map<std::string_view, NameFacts> name_facts_;
  std::unordered_map<program::ClassId, ClassAttributes> attributes_;
  std::vector<std::vector<Value>> elements_;
  std::vector<bool> communicates_;
  std::vector<bool> brings_back_;
  std::vector<std::int8_t> returns_value_;  ///< By function; -1: not looked at.
  std::vector<class FunctionRun*> active_;
  int depth_ = 0;
};

/// Runs the body of one function in one context.
class FunctionRun {
 public:
  FunctionRun(Interpreter& interpreter, program::FunctionId function, const Arguments& arguments,
              FunctionResult& result);
  void run();

  [[nodiscard]] program::FunctionId function() const { return function_; }
  /// Value of a local name now; null where it has none (yet).
  [[nodiscard]] const Value* local(std::string_view name) const;

 private:
  using Ref = std::uint32_t;  ///< Index into pool_.
  static constexpr Ref kUnset = 0;
  static constexpr Ref kDull = 1;
  static constexpr int kNoSlot = -1;
  /// Names followed in one function; joins after branches cost that much each.
  static constexpr std::size_t kMaxNames = 2000;
  using Environment = std::vector<Ref>;
  enum class Flow : std::uint8_t { kFalls, kExits };

  struct CallArguments {
    std::vector<Ref> positional;
    std::vector<Ref> keywords;  ///< As in Call::keywords.
    bool has_star = false;
  };

  // interpret_statements.cpp
  void bind_parameters(const Arguments& arguments);
  Value parameter_value(const python::Parameter& parameter);
  Flow execute(python::Seq<python::Stmt> block);
  Flow execute_one(const python::Stmt& statement);
  Flow execute_statement(const python::Stmt& statement);
  Flow execute_if(const python::If& statement);
  void execute_for(const python::For& statement);
  void execute_while(const python::While& statement);
  void run_loop_body(python::Seq<python::Stmt> body, const Variation& trip, Sequence& trace, const python::For* loop,
                     Ref iterable);
  Flow execute_try(const python::Try& statement);
  Flow execute_match(const python::Match& statement);
  void execute_return(const python::Return& statement);
  GroupId joined_returns(const Value& value);
  void execute_exit(const python::Stmt& statement, ExitKind kind);
  void assign(const python::Expr& target, Ref value, const python::Expr* value_expression);
  void assign_path(std::string_view path, Ref value);
  Environment merge(const Environment& before, const Environment& then_env, const Environment& else_env,
                    const Variation& varies, const python::Expr* none_tested, bool handed_over = false);
  Ref merge_values(Ref then_value, Ref else_value, const Variation& varies);
  void emit_choice(const python::Expr& condition, const Variation& varies, Sequence then_trace, Sequence else_trace,
                   bool is_direct);
  void narrow(const python::Expr& condition, bool holds);
  void uniform_parts(const python::Expr& condition, std::vector<Assumption>& out);
  void finish();

  // interpret_expressions.cpp
  Ref evaluate(const python::Expr& expression);
  Ref evaluate_maybe(const python::Expr* expression) { return expression == nullptr ? kUnset : evaluate(*expression); }
  Ref evaluate_name(std::string_view name);
  Ref evaluate_attribute(const python::Attribute& attribute);
  Ref evaluate_subscript(const python::Subscript& subscript);
  Ref evaluate_compare(const python::Compare& compare);
  [[nodiscard]] bool is_some_rank(const Value& rank, Ref other) const;
  Ref evaluate_binary(python::BinaryOperator op, Ref left, Ref right);
  Ref evaluate_choice(const python::IfExp& expression);
  Ref evaluate_bool(const python::BoolOp& expression);
  Ref evaluate_sequence(python::Seq<python::Expr> elements, ValueKind kind);
  Ref evaluate_comprehension(const python::Expr& element, const python::Expr* second,
                             python::Seq<python::Comprehension> generators, bool is_set);
  Ref evaluate_constant(const python::Constant& constant);
  Ref element_of(Ref iterable);
  Variation shard_variation(std::string_view name, const python::Node& place);
  Variation unordered(const python::Node& place, bool of_texts);
  Variation iteration_order(Ref iterable, const python::Expr& expression);
  Ref named_value(std::string_view name, const python::Node& place, bool is_call);
  /// Variation of the truth of a value.
  Variation truth_variation(Ref value) const;
  [[nodiscard]] std::optional<bool> truth(Ref value) const;

  // interpret_calls.cpp
  Ref evaluate_call(const python::Call& call);
  CallArguments evaluate_arguments(const python::Call& call);
  Ref call_external(const python::Call& call, std::string_view name, const CallArguments& arguments, bool& known);
  Ref call_source(const python::Call& call, SourceKind kind, std::string_view name, const CallArguments& arguments);
  Ref named_call(const python::Call& call, std::string_view name, const CallArguments& arguments);
  Ref call_internal(const python::Call& call, program::CallId site, const CallArguments& arguments);
  Ref call_one(const python::Call& call, program::FunctionId target, program::CallKind kind,
               const CallArguments& arguments, const FunctionResult*& result);
  Ref call_builtin(const python::Call& call, BuiltinKind kind, const CallArguments& arguments);
  Ref call_method(const python::Call& call, const python::Attribute& callee, const CallArguments& arguments);
  Ref call_group_method(const python::Call& call, std::string_view name, const Value& receiver,
                        const CallArguments& arguments);
  Ref argument(const python::Call& call, const CallArguments& arguments, int position, std::string_view keyword) const;
  static const python::Expr* argument_expression(const python::Call& call, int position, std::string_view keyword);
  Arguments arguments_for(const python::Call& call, const program::Function& target, program::CallKind kind,
                          const CallArguments& arguments);
  int first_parameter(const python::Call& call, const program::Function& target, program::CallKind kind) const;
  void apply_cleaning(const python::Call& call, const FunctionResult& result, const program::Function& target,
                      program::CallKind kind);

  // interpret_collectives.cpp
  Ref call_collective(const python::Call& call, const CollectiveModel& model, const CallArguments& arguments);
  GroupId group_argument(const python::Call& call, const CollectiveModel& model, const CallArguments& arguments);
  GroupId group_of(Ref value, const python::Expr& expression);
  Ref make_group(const python::Call& call, const CallArguments& arguments);
  static const python::Expr* new_members(const python::Call& call);
  void check_arguments(const python::Call& call, const CollectiveModel& model, const CallArguments& arguments,
                       const TraceEvent& event);
  void report_argument(Divergence::Kind kind, const python::Node& place, const Variation& variation,
                       const TraceEvent& event);
  void clean(const python::Expr& buffer, Bits bits);
  Ref group_value(GroupId group);
  Ref mesh_value(Bits bits);
  std::optional<Bits> mesh_dimensions_in(const python::Expr& expression);
  std::optional<Bits> mesh_asked_for(const python::Call& call);
  GroupId local_symbol(std::string_view name, bool is_parameter);

  // helpers
  Ref add(Value value) {
    if (value.dull()) return kDull;
    pool_.push_back(std::move(value));
    return static_cast<Ref>(pool_.size() - 1);
  }
  [[nodiscard]] const Value& at(Ref ref) const { return pool_[ref]; }
  Ref varying(Variation variation, bool is_rank = false);
  SourceId source(const python::Node& place, std::string message, SourceId parent = 0, std::string doubt = {},
                  bool stays_here = false);
  /// What of a value is still believed outside of this function.
  [[nodiscard]] Value leaving(Value value) const;
  [[nodiscard]] std::string_view text(const python::Node& node) const { return in_.text_of(module_, node); }
  int slot(std::string_view name);
  void store(int slot, Ref value);
  std::string_view path_of(const python::Expr& expression) const;
  [[nodiscard]] bool worth_running(const python::Call& call, program::FunctionId target,
                                   const CallArguments& arguments) const;
  [[nodiscard]] bool is_self(const python::Expr& expression) const;
  /// Collects the trace of what `body` emits.
  template <class Body>
  Sequence traced(Body&& body) {
    Sequence mine;
    Sequence* outer = trace_;
    trace_ = &mine;
    body();
    trace_ = outer;
    return mine;
  }
  template <class Body>
  void under(const Variation& variation, Body&& body) {
    const Variation before = control_;
    control_.join(variation);
    body();
    control_ = before;
  }

  Interpreter& in_;
  const program::Program& program_;
  program::FunctionId function_;
  const program::Function& row_;
  program::ModuleId module_;
  FunctionResult& result_;
  std::string_view self_name_;
  program::ClassId self_class_;

  std::deque<Value> pool_;
  std::unordered_map<std::string_view, int> slots_;
  Environment env_;
  std::vector<std::pair<std::string_view, int>> parameters_;  ///< Name and slot.
  Variation control_;                                         ///< Of the conditions around the statement at hand.
  Variation left_;  ///< Of the conditions under which some ranks have returned.
  std::optional<Ref> returned_;
  bool same_return_ = true;  ///< All returns gave one constant.
  Variation random_;         ///< What the random generator was seeded with.
  bool seeded_ = false;
  Sequence* trace_ = nullptr;
  int branch_depth_ = 0;                     ///< Of the `if`s around the statement at hand.
  const python::Expr* discarded_ = nullptr;  ///< A call whose result nobody takes.
  int loop_depth_ = 0;
  int next_symbol_ = kFirstLocalSymbol;
  std::vector<std::pair<std::string_view, GroupId>> symbols_;  ///< Groups known by a local name alone.
  bool asking_parts_ = false;
  bool in_test_ = false;  ///< The function is a test's.
};

}  // namespace lockstep::mesh
