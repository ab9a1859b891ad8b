// lost-result: an operation whose result nobody keeps: in place on a copy (`x[indices].fill_(0)`), a collective on a
// temporary (`all_reduce(x.float())`, or `x = x.cuda()` of a loop's tensor that nothing reads afterwards),
// an out-of-place tensor operation as a statement (`x.clamp(0, 1)`), an exception that is made and not raised, and an
// override that calls `super()` but does not return what it gives.
//
// Left out: methods that modules share with tensors (`.to`, `.cuda`, `.half`: in place on modules).

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/function_view.h"
#include "rules/local_rule.h"
#include "rules/names/names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/method_names.h"
#include "rules/syntax/super_calls.h"
#include "rules/syntax/word_tables.h"
#include "rules/training/value_places.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;

constexpr std::string_view kRule = "lost-result";

// Collectives of torch.distributed that write into the tensor they are given.
constexpr auto kInPlaceCollectives =
    std::to_array<std::string_view>({"torch.distributed.all_reduce", "torch.distributed.broadcast",
                                     "torch.distributed.reduce", "torch.distributed.recv"});
// Methods that give a new tensor (or may: contiguous), never a view.
constexpr auto kCopies =
    std::to_array<std::string_view>({"clone", "contiguous", "float", "half", "bfloat16", "double", "long", "int", "to",
                                     "cuda", "cpu", "type", "sum", "mean", "neg", "abs"});
// Methods without an effect on their tensor.
constexpr auto kPure = std::to_array<std::string_view>(
    {"clamp",   "masked_fill", "masked_scatter", "add",          "sub",    "mul",       "div",     "view",
     "reshape", "transpose",   "permute",        "contiguous",   "detach", "unsqueeze", "squeeze", "expand",
     "softmax", "sigmoid",     "tanh",           "sqrt",         "exp",    "log",       "abs",     "neg",
     "flatten", "index_fill",  "scatter",        "index_select", "gather", "roll",      "flip",    "sort",
     "round",   "floor",       "nan_to_num",     "clone"});

class FunctionScan : FunctionView {
 public:
  FunctionScan(const program::Program& program, FunctionId function, const ValuePlaces& places, std::vector<Hit>& hits)
      : FunctionView(program, function, hits), places_(places) {}

  void run() {
    walk_of<ExprStmt>(*row_.node, Nested::kSkip, [&](const ExprStmt* statement) {
      const auto* call = as<Call>(statement->value);
      if (call == nullptr) return;
      in_place_on_copy(*call);
      collective_on_temporary(*call);
      pure_statement(*call);
      unraised_exception(*call);
      collective_on_rebound(*call);
    });
  }

 private:
  void report(Span span, Severity severity, std::string message, std::string why, std::string fix) {
    Finding finding = finding_at(program_, kRule, row_.module, span);
    finding.severity = severity;
    finding.certainty = FindingCertainty::kLikely;
    finding.category = Category::kCorrectness;
    finding.message = std::move(message);
    finding.why = std::move(why);
    finding.fix = std::move(fix);
    hits_.push_back(hit_of(program_, row_.module, std::move(finding)));
  }

  /// A list, mask or tensor as an index makes a copy; integers and slices make a view.
  bool is_advanced(const Expr& index) const {
    if (is<List>(&index) || places_.is_mask(function_, index)) return true;
    if (may_be_on_gpu(places_.of(function_, index)) || places_.of(function_, index) == ValuePlace::kCpuTensor)
      return true;
    const std::string_view name = last_part_of(&index);
    return is<Name>(&index) &&
           (name.ends_with("idxs") || name.ends_with("indices") || name.ends_with("_mask") || name == "mask");
  }

  void in_place_on_copy(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    const auto* subscript = method == nullptr ? nullptr : as<Subscript>(method->value);
    if (subscript == nullptr || !works_in_place(method->name.text)) return;
    const auto* tuple = as<Tuple>(subscript->index);
    const bool advanced = tuple == nullptr ? is_advanced(*subscript->index)
                                           : std::any_of(tuple->elements.begin(), tuple->elements.end(),
                                                         [&](const Expr* e) { return is_advanced(*e); });
    if (!advanced) return;
    report(call.span, Severity::kP1,
           fmt::format("`{}` changes a copy: indexing with a tensor or list makes one", quote(facts_, call.span)),
           "The tensor that is indexed stays as it was.",
           fmt::format("Assign through the index: `{} = …`.", quote(facts_, subscript->span)));
  }

  void collective_on_temporary(const Call& call) {
    if (call.arguments.empty() || !has(kInPlaceCollectives, places_.external_callee(call))) return;
    const auto* made = as<Call>(call.arguments[0]);
    const auto* method = made == nullptr ? nullptr : as<Attribute>(made->callee);
    if (method == nullptr || !has(kCopies, method->name.text)) return;
    if (method->name.text == "contiguous" && is_fresh(*method->value, call.span.begin)) return;
    report(call.span, Severity::kP1,
           fmt::format("The result of this collective is lost: it is written into the temporary `{}`",
                       quote(facts_, made->span)),
           "The collective works in place; the tensor it was made from stays local to each rank.",
           "Keep the temporary in a variable, run the collective on it, and use it afterwards.");
  }

  /// `RuntimeError("…")` as a statement.
  void unraised_exception(const Call& call) {
    const auto* name = as<Name>(call.callee);
    if (name == nullptr || (!name->id.ends_with("Error") && !name->id.ends_with("Exception"))) return;
    const program::Reference named = program_.resolve(function_, *call.callee);
    const bool is_own =
        named.kind == program::Reference::Kind::kClass &&
        (program_.derives_from(named.cls, "Exception") || program_.derives_from(named.cls, "ValueError") ||
         program_.derives_from(named.cls, "RuntimeError"));
    const bool is_builtin = is_builtin_name(name->id) && (named.kind == program::Reference::Kind::kUnknown ||
                                                          named.kind == program::Reference::Kind::kExternal);
    if (!is_own && !is_builtin) return;
    report(call.span, Severity::kP1, fmt::format("`{}` is made here, but not raised", name->id),
           "Nothing happens: the code goes on as if the check had passed.",
           fmt::format("Write `raise {}`.", quote(facts_, call.span)));
  }

  /// `for x in tensors: x = x.cuda(); broadcast(x, 0)`: the tensors of the loop keep what they had.
  void collective_on_rebound(const Call& call) {
    if (call.arguments.empty() || !has(kInPlaceCollectives, places_.external_callee(call))) return;
    const auto* buffer = as<Name>(call.arguments[0]);
    if (buffer == nullptr || keyword_value(call, "async_op") != nullptr) return;
    const Node& function = *row_.node;
    const For* loop = nullptr;  // The innermost one around the call.
    walk_of<For>(function, Nested::kSkip, [&](const For* each) {
      if (each->span.contains(call.span)) loop = each;
    });
    if (loop == nullptr || name_of(loop->target) != buffer->id) return;
    const Assign* copy = nullptr;
    bool read_after = false;
    walk(*loop, Nested::kEnter, [&](const Node* node) {
      const auto* assign = as<Assign>(node);
      const auto* made = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Call>(assign->value);
      const auto* method = made == nullptr ? nullptr : as<Attribute>(made->callee);
      if (method != nullptr && assign->span.end <= call.span.begin && name_of(assign->targets[0]) == buffer->id &&
          name_of(method->value) == buffer->id && has(kCopies, method->name.text)) {
        copy = assign;
      }
    });
    walk_of<Name>(function, Nested::kEnter, [&](const Name* name) {
      read_after = read_after || (name->id == buffer->id && name->context == ExprContext::kLoad &&
                                  name->span.begin >= call.span.end && loop->span.contains(name->span));
    });
    if (copy == nullptr || read_after) return;
    report(
        call.span, Severity::kP1,
        fmt::format("The result of this collective is lost: `{}` is a copy that nothing reads afterwards", buffer->id),
        fmt::format("The collective works in place on the copy of `{}`; what the loop runs over stays as it was.",
                    quote(facts_, copy->span)),
        "Put the copy back, or run the collective on the tensor itself.");
  }

  /// The name was last given what an operation lays out anew: contiguous() gives that very tensor back.
  bool is_fresh(const Expr& tensor, std::uint32_t before) const {
    constexpr std::string_view kFresh[] = {"sum",        "mean",    "empty", "zeros", "ones",  "full",   "empty_like",
                                           "zeros_like", "softmax", "cat",   "stack", "clone", "matmul", "tensor"};
    const auto* name = as<Name>(&tensor);
    const Expr* value = nullptr;
    if (name == nullptr) return false;
    walk_of<Assign>(*row_.node, Nested::kSkip, [&](const Assign* assign) {
      if (assign->span.begin >= before || assign->targets.size() != 1) return;
      const auto* target = as<Name>(assign->targets[0]);
      if (target != nullptr && target->id == name->id) value = assign->value;
    });
    // torch.empty(…).cuda()
    const auto* call = as<Call>(value);
    const auto* moved = call == nullptr ? nullptr : as<Attribute>(call->callee);
    if (moved != nullptr && (moved->name.text == "cuda" || moved->name.text == "to") && is<Call>(moved->value))
      call = as<Call>(moved->value);
    return call != nullptr &&
           std::find(std::begin(kFresh), std::end(kFresh), last_part_of(call->callee)) != std::end(kFresh);
  }

  void pure_statement(const Call& call) {
    const auto* method = as<Attribute>(call.callee);
    if (method == nullptr || !has(kPure, method->name.text)) return;
    const program::CallId id = program_.call_of(&call);
    if (id.valid()) {
      for (const program::CallTarget& target : program_.calls()[id].targets) {
        if (target.function.valid()) return;
      }
    }
    const ValuePlace place = places_.of(function_, *method->value);
    if (!may_be_on_gpu(place) && place != ValuePlace::kCpuTensor) return;
    report(call.span, Severity::kP1,
           fmt::format("The result of `{}` is not used, and it does not change its tensor", quote(facts_, call.span)),
           "The statement has no effect.", fmt::format("Assign the result, or use `{}_`.", method->name.text));
  }

  const ValuePlaces& places_;
};

bool returns_value(const FunctionDef& def) {
  bool found = false;
  walk(def, Nested::kSkip, [&](const Node* node) {
    const auto* returned = as<Return>(node);
    const auto* none = returned == nullptr ? nullptr : as<Constant>(returned->value);
    const bool is_none = none != nullptr && none->constant_kind == ConstantKind::kNone;
    found = found || (returned != nullptr && returned->value != nullptr && !is_none) || is<Yield>(node) ||
            is<YieldFrom>(node);
  });
  return found;
}

/// A body that is `super().same_name(…)` and nothing else: whoever wrote it meant to pass the call on.
void forgotten_return(const program::Program& program, FunctionId function, std::vector<Hit>& hits) {
  const program::Function& row = program.functions()[function];
  const FunctionDef* def = row.def();
  if (def == nullptr || !row.owner.valid() || def->body.empty() || returns_value(*def)) return;
  const std::size_t first = docstring_of(def->body) != nullptr ? 1 : 0;
  if (def->body.size() != first + 1) return;
  const auto* statement = as<ExprStmt>(def->body[first]);
  const auto* call = statement == nullptr ? nullptr : as<Call>(statement->value);
  if (call == nullptr || !is_method_of_super(call->callee) || as<Attribute>(call->callee)->name.text != row.name)
    return;
  const program::Class& cls = program.classes()[row.owner];
  bool base_returns = false;
  for (std::size_t i = 1; i < cls.linearized.size() && !base_returns; ++i) {
    for (const FunctionId base : program.classes()[cls.linearized[i]].methods) {
      const program::Function& other = program.functions()[base];
      base_returns = base_returns || (other.name == row.name && other.def() != nullptr && returns_value(*other.def()));
    }
  }
  const bool is_autograd = program.derives_from(row.owner, "torch.autograd.Function") && row.name == "apply";
  const bool is_module = program.derives_from(row.owner, "torch.nn.Module") &&
                         (row.name == "forward" || row.name == "state_dict" || row.name == "__call__");
  if (!base_returns && !is_autograd && !is_module) return;
  Finding finding = finding_at(program, kRule, row.module, call->span);
  finding.severity = Severity::kP0;
  finding.certainty = FindingCertainty::kLikely;
  finding.category = Category::kCorrectness;
  finding.message = fmt::format("`{}` drops what `super().{}` returns", short_name(program, function), row.name);
  finding.why = "Callers get None where the overridden method gives a value.";
  finding.fix = fmt::format("Write `return super().{}(…)`.", row.name);
  hits.push_back(hit_of(program, row.module, std::move(finding)));
}

void scan(const program::Program& program, program::ModuleId module, std::vector<Hit>& hits) {
  const ValuePlaces places(program);
  const program::Module& row = program.modules()[module];
  FunctionScan(program, row.body, places, hits).run();
  for (const FunctionId function : row.functions) {
    FunctionScan(program, function, places, hits).run();
    forgotten_return(program, function, hits);
  }
}

}  // namespace

void run_lost_result(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_modules(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
