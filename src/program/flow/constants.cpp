// Branches that one call of a function does not run: `def get(model, whole=False): if whole: return model; …` returns
// no model to those who leave `whole` out. Literals alone decide: what is written at the call, or as the default of a
// parameter that the call leaves out, or what a caller that is itself told apart was given.
#include <algorithm>
#include <optional>

#include "program/flow/solver.h"

namespace lockstep::program::flow {
namespace {

using python::Constant;
using python::ConstantKind;
using python::Expr;

/// What a test needs: the parameters' names, and what is passed for them.
struct Known {
  const python::Parameters& parameters;
  const std::vector<Passed>& passed;
};

const Passed* passed_for(const Expr* expression, const Known& known) {
  const auto* name = python::as<python::Name>(expression);
  if (name == nullptr) return nullptr;
  for (std::size_t i = 0; i < known.passed.size(); ++i) {
    if (known.parameters.all[i]->name.text == name->id) return &known.passed[i];
  }
  return nullptr;
}

const Constant* literal_of(const Expr* expression, const Known& known) {
  if (const auto* constant = python::as<Constant>(expression)) return constant;
  const Passed* passed = passed_for(expression, known);
  return passed == nullptr ? nullptr : passed->literal;
}

std::optional<bool> truth(const Constant& constant) {
  switch (constant.constant_kind) {
    case ConstantKind::kNone:
    case ConstantKind::kFalse:
      return false;
    case ConstantKind::kTrue:
      return true;
    case ConstantKind::kStr:
      return !constant.text.empty();
    default:
      return std::nullopt;
  }
}

bool is_single(ConstantKind kind) {
  return kind == ConstantKind::kNone || kind == ConstantKind::kTrue || kind == ConstantKind::kFalse;
}

/// `left is right` and `left == right` for literals of which that is certain.
std::optional<bool> same(const Constant& left, const Constant& right, bool is_identity) {
  const ConstantKind kinds[] = {left.constant_kind, right.constant_kind};
  if (is_single(kinds[0]) && is_single(kinds[1])) return kinds[0] == kinds[1];
  const bool is_none = kinds[0] == ConstantKind::kNone || kinds[1] == ConstantKind::kNone;
  if (is_none || (is_identity && (is_single(kinds[0]) || is_single(kinds[1])))) return false;
  if (is_identity || kinds[0] != ConstantKind::kStr || kinds[1] != ConstantKind::kStr) return std::nullopt;
  return left.text == right.text;
}

/// `inspect.iscoroutinefunction(f)`, however the module is imported. Source: Python's docs of inspect and asyncio.
bool asks_for_coroutine(const python::Call& call) {
  if (const auto* attribute = python::as<python::Attribute>(call.callee)) {
    const auto* module = python::as<python::Name>(attribute->value);
    return attribute->name.text == "iscoroutinefunction" && module != nullptr &&
           (module->id == "inspect" || module->id == "asyncio");
  }
  const auto* name = python::as<python::Name>(call.callee);
  return name != nullptr && name->id == "iscoroutinefunction";
}

std::optional<bool> outcome(const Expr* test, const Known& known);

std::optional<bool> outcome(const python::Compare& test, const Known& known) {
  using python::CompareOperator;
  if (test.comparators.size() != 1) return std::nullopt;
  const CompareOperator op = test.ops[0];
  const bool is_identity = op == CompareOperator::kIs || op == CompareOperator::kIsNot;
  const bool is_negated = op == CompareOperator::kIsNot || op == CompareOperator::kNotEq;
  if (!is_identity && op != CompareOperator::kEq && op != CompareOperator::kNotEq) return std::nullopt;
  const Constant* left = literal_of(test.left, known);
  const Constant* right = literal_of(test.comparators[0], known);
  if (left == nullptr || right == nullptr) return std::nullopt;
  const std::optional<bool> is_same = same(*left, *right, is_identity);
  return is_same.has_value() ? std::optional(*is_same != is_negated) : std::nullopt;
}

/// How the test comes out, where that is known.
std::optional<bool> outcome(const Expr* test, const Known& known) {
  if (const auto* inverted = python::as<python::UnaryOp>(test)) {
    if (inverted->op != python::UnaryOperator::kNot) return std::nullopt;
    const std::optional<bool> inner = outcome(inverted->operand, known);
    return inner.has_value() ? std::optional(!*inner) : std::nullopt;
  }
  if (const auto* combined = python::as<python::BoolOp>(test)) {
    const bool decisive = combined->op == python::BoolOperator::kOr;
    bool are_all_known = true;
    for (const Expr* value : combined->values) {
      const std::optional<bool> inner = outcome(value, known);
      if (inner == decisive) return decisive;
      are_all_known = are_all_known && inner.has_value();
    }
    return are_all_known ? std::optional(!decisive) : std::nullopt;
  }
  if (const auto* comparison = python::as<python::Compare>(test)) return outcome(*comparison, known);
  if (const auto* call = python::as<python::Call>(test)) {
    const Passed* passed = call->arguments.size() == 1 ? passed_for(call->arguments[0], known) : nullptr;
    if (passed == nullptr || passed->def == nullptr || !asks_for_coroutine(*call)) return std::nullopt;
    return passed->def->is_async && !passed->is_generator;
  }
  const Constant* constant = literal_of(test, known);
  return constant == nullptr ? std::nullopt : truth(*constant);
}

/// Ops whose slots stand for a constant wherever it is written in the module.
bool is_shared(OpCode code) {
  return code == OpCode::kText || code == OpCode::kInteger || code == OpCode::kBuiltinValue ||
         code == OpCode::kBuiltin || code == OpCode::kGlobal;
}

}  // namespace

/// The literal that `expression`, passed in `slot` by code that runs in `frame`, stands for.
const Constant* Solver::literal(const Expr* expression, Slot slot, FrameId frame) const {
  if (const auto* constant = python::as<Constant>(expression)) return constant;
  const auto* name = python::as<python::Name>(expression);
  const auto given = literals_.find(frame);
  if (name == nullptr || given == literals_.end()) return nullptr;
  const std::uint32_t function = frames_[frame].function;
  for (std::uint32_t i = 0; i < given->second.size(); ++i) {
    const bool is_it = code_[function].parameters->all[i]->name.text == name->id;
    if (is_it && slot == version_of_parameter(function, i)) return given->second[i].literal;
  }
  return nullptr;
}

/// The function that a decorator is given: that of the `def` below it. Where other decorators stand between, what they
/// make of a function that is no coroutine is taken to be none, either; of a coroutine they may make anything.
Passed Solver::decorated(OpId decorate) const {
  OpId at = base_op(decorate);
  const OpId last = at;
  while (at != 0 && own_ops_[at - 1].code == OpCode::kDecorate && own_ops_[at - 1].dst == own_ops_[at].b) --at;
  if (at == 0) return {};
  const Op& closure = own_ops_[at - 1];
  if (closure.code != OpCode::kClosure || closure.dst != own_ops_[at].b) return {};
  const FunctionId function(std::size_t{closure.a});
  const std::uint32_t code = code_of_function_[closure.a];
  const python::FunctionDef* def = program_.functions()[function].def();
  if (at != last && def != nullptr && def->is_async) return {};
  return {nullptr, def, code != kNone && code_[code].yielded != 0};
}

Solver::Literals Solver::literals_of(const CallRecord& call, std::uint32_t function, std::uint32_t position) const {
  const FunctionCode& code = code_[function];
  Literals literals(code.parameter_names.size());
  const Op& op = op_of(call.op);
  if (op.code == OpCode::kDecorate && call.first_argument == op.first_argument && position < literals.size()) {
    literals[position] = decorated(call.op);
    return literals;
  }
  const auto* node = python::as<python::Call>(nodes_[base_op(call.op)]);
  const bool is_as_written =
      call.kind == CallKind::kDirect || call.kind == CallKind::kConstructor || call.kind == CallKind::kModuleCall;
  const bool is_written = node != nullptr && is_as_written &&
                          (op.code == OpCode::kCall || op.code == OpCode::kMethodCall) &&
                          call.first_argument == op.first_argument && call.argument_count == op.argument_count &&
                          op.argument_count == node->arguments.size() + node->keywords.size();
  if (!is_written) return literals;
  const auto arguments = std::span(arguments_).subspan(own_ops_[base_op(call.op)].first_argument, op.argument_count);
  const FrameId frame = frame_of_op(call.op);
  std::vector<bool> is_given(literals.size(), false);
  const auto give = [&](std::size_t parameter, const Expr* value, Slot slot) {
    is_given[parameter] = true;
    literals[parameter].literal = literal(value, slot, frame);
  };
  const std::uint32_t count = positional_count(code);
  for (std::size_t i = 0; i < node->arguments.size(); ++i, ++position) {
    if (python::is<python::Starred>(node->arguments[i])) return Literals(literals.size());
    if (position < count) give(position, node->arguments[i], arguments[i].slot);
  }
  for (std::size_t i = 0; i < node->keywords.size(); ++i) {
    const python::Keyword& keyword = *node->keywords[i];
    if (keyword.name.text.empty()) return Literals(literals.size());
    for (std::size_t p = 0; p < literals.size(); ++p) {
      const bool is_it = code.parameters->all[p]->name.text == keyword.name.text;
      if (is_it) give(p, keyword.value, arguments[node->arguments.size() + i].slot);
    }
  }
  for (std::size_t p = 0; p < literals.size(); ++p) {
    if (!is_given[p]) literals[p].literal = python::as<Constant>(code.parameters->all[p]->default_value);
  }
  return literals;
}

/// Takes out the copies, `shift` further on, of ops and of the functions that they define.
void Solver::close_ops(OpId first, OpId end, OpId shift) {
  for (OpId id = first; id < end; ++id) {
    const Op& op = own_ops_[id];
    if (is_shared(op.code)) continue;
    const std::uint32_t nested = op.code == OpCode::kClosure ? code_of_function_[op.a] : kNone;
    alterable(id + shift) = Op{OpCode::kCopy};
    // Functions follow the code that defines them.
    if (nested != kNone && code_[nested].first_op > id) close_ops(code_[nested].first_op, code_[nested].end_op, shift);
  }
}

/// Takes out the ops, copied from `first` on, that do not run for these literals.
void Solver::close_guarded(std::uint32_t function, OpId first, const Literals& literals) {
  const FunctionCode& code = code_[function];
  const Known known{*code.parameters, literals};
  std::vector<bool>& opened = opened_[function];
  opened.resize(code.guards.size(), false);
  for (std::size_t i = 0; i < code.guards.size(); ++i) {
    const Guard& guard = code.guards[i];
    const std::optional<bool> found = outcome(guard.test, known);
    if (!found.has_value() || *found == guard.holds) {
      opened[i] = true;
      continue;
    }
    close_ops(guard.first_op, guard.end_op, first - code.first_op);
  }
}

/// Branches that no known call runs are there for others: the code that all calls share stands for them, with what any
/// call passes.
void Solver::seed_closed_branches() {
  for (std::uint32_t function = 0; function < code_.size(); ++function) {
    if (code_[function].guards.empty()) continue;
    const auto opened = opened_.find(function);
    if (opened == opened_.end() ||
        std::find(opened->second.begin(), opened->second.end(), false) == opened->second.end()) {
      continue;
    }
    has_shared_callers_[function] = true;
    const FunctionCode& code = code_[function];
    for (const FrameId frame : frames_of_code_[function]) {
      for (Slot i = 0; i < code.parameter_names.size(); ++i) {
        graph_.add_edge(slot_in(frame, code.first_slot + i), code.first_slot + i);
      }
    }
  }
}

}  // namespace lockstep::program::flow
