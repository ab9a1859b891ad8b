// host-sync-in-step: operations that make the host wait for the GPU, in functions that every training step runs.
//
// In review: on changed lines. In check: everywhere on the step path, one severity lower, because a repository's older
// syncs are known costs more often than mistakes. Left out: what runs at an interval, once, for debugging, or on the
// way to a raise; receivers that are known to live on the host.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/hits.h"
#include "rules/names/names.h"
#include "rules/rule_functions.h"
#include "rules/syntax/conditions_above.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/rare_paths.h"
#include "rules/tests/used_by_tests.h"
#include "rules/training/step_reach.h"
#include "rules/training/sync_ops_table.h"
#include "rules/training/value_places.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::Program;

constexpr std::string_view kRule = "host-sync-in-step";

/// One operation found in one function.
struct Sync {
  const Node* at = nullptr;
  std::string what;  ///< "`loss.item()` copies a value to the host".
  std::string_view fix;
  bool certain = false;       ///< The value is known to be on the GPU, or the operation waits by itself.
  bool known_tensor = true;   ///< False where only the method's name speaks for a tensor.
  bool is_explained = false;  ///< A comment next to it speaks of the wait: its author knows.
};

/// Tells of a parameter with a false default that no call on the step path passes.
using IsNeverPassed = std::function<bool(std::string_view parameter)>;

/// Finds the operations in one function's own body.
class Scanner {
 public:
  Scanner(const Program& program, const ValuePlaces& places, FunctionId function, const IsNeverPassed& is_never_passed,
          std::vector<Sync>& syncs)
      : facts_(*program.module_of(function).facts),
        places_(places),
        function_(function),
        node_(*program.functions()[function].node),
        is_never_passed_(is_never_passed),
        syncs_(syncs) {
    for_each_block(node_, [&](Seq<Stmt> body) { block(body); });
    if (const auto* lambda = as<Lambda>(&node_)) expression(lambda->body);
  }

 private:
  void block(Seq<Stmt> statements) {
    for (const Stmt* each : statements) {
      statement(*each);
      if (const auto* branch = as<If>(each); branch != nullptr && leaves_unless_rare(*branch)) return;
    }
  }

  static bool ends_in_raise(Seq<Stmt> body) { return !body.empty() && is<Raise>(body.back()); }

  void statement(const Stmt& at) {
    switch (at.kind) {
      case NodeKind::kFunctionDef:
      case NodeKind::kClassDef:
      case NodeKind::kRaise:
        return;
      case NodeKind::kIf:
        return if_statement(*as<If>(&at));
      case NodeKind::kWhile:
        condition(*as<While>(&at)->condition, "while");
        return blocks(at);
      case NodeKind::kAssert:
        return condition(*as<Assert>(&at)->test, "assert");
      case NodeKind::kTry:  // Handlers run when something has gone wrong.
        block(as<Try>(&at)->body);
        block(as<Try>(&at)->orelse);
        return block(as<Try>(&at)->finally_body);
      case NodeKind::kFor:
        expression(as<For>(&at)->iterable);
        return blocks(at);
      case NodeKind::kWith:
        for (const WithItem* item : as<With>(&at)->items) expression(item->context);
        return blocks(at);
      case NodeKind::kAssign:
        for (const Expr* target : as<Assign>(&at)->targets) stored(*target, as<Assign>(&at)->value);
        return expression(as<Assign>(&at)->value);
      case NodeKind::kAugAssign:
        return expression(as<AugAssign>(&at)->value);
      default:
        break;
    }
    for_each_child(at, [&](const Node* child) { expression(child); });
  }

  void blocks(const Stmt& at) {
    for_each_block(at, [&](Seq<Stmt> body) { block(body); });
  }

  void if_statement(const If& at) {
    if (is_type_checking_test(*at.condition)) return;
    const bool rare = is_rare_condition(*at.condition);
    if (!rare) condition(*at.condition, "if");
    const bool skip_body = rare || is_first_time(at, facts_, &node_) || ends_in_raise(at.body) ||
                           is_host_branch(*at.condition) || is_off(*at.condition);
    if (!skip_body) block(at.body);
    if (!ends_in_raise(at.orelse) && !(rare && at.orelse.empty())) block(at.orelse);
  }

  /// `if force:`, `if force and x:` where no call of a step passes `force`.
  bool is_off(const Expr& test) const {
    if (const auto* name = as<Name>(&test)) return is_never_passed_(name->id);
    const auto* parts = as<BoolOp>(&test);
    if (parts == nullptr || parts->op != BoolOperator::kAnd) return false;
    return std::any_of(parts->values.begin(), parts->values.end(), [&](const Expr* part) { return is_off(*part); });
  }

  /// `if device == "cpu":`, `if not x.is_cuda:`: the body works on the host.
  bool is_host_branch(const Expr& test) const {
    const std::string text = squeezed(facts_, test.span);
    return contains(text, "\"cpu\"") || contains(text, "'cpu'") || contains(text, "notx.is_cuda") ||
           contains(text, "notself.is_cuda") || contains(text, "nottorch.cuda.is_available()");
  }

  void add(const Node& at, std::string what, std::string_view fix, bool certain, bool known_tensor = true) {
    syncs_.push_back({&at, std::move(what), fix, certain, known_tensor, is_explained(at)});
  }

  /// A comment on the line or right above it that speaks of synchronisation: the wait is meant.
  bool is_explained(const Node& at) const {
    const SourceText& source = facts_.source();
    const auto says = [&](std::uint32_t line) {
      const std::string_view text = source.line(line);
      const std::size_t hash = text.find('#');
      if (hash == std::string_view::npos) return false;
      const std::string comment = to_lower(text.substr(hash));
      return contains(comment, "sync") || contains(comment, "d2h") || contains(comment, "block");
    };
    std::uint32_t line = source.line_of(at.span.begin);
    if (says(line)) return true;
    while (line > 0 && trim(source.line(line - 1)).starts_with("#")) {
      if (says(--line)) return true;
    }
    return false;
  }

  std::string shown(const Node& at) const { return "`" + quote(facts_, at.span, 48) + "`"; }

  /// A tensor where Python needs true or false. A bare name needs more than an annotation: `if mask:` may test for
  /// None.
  void condition(const Expr& test, std::string_view keyword) {
    if (const auto* parts = as<BoolOp>(&test)) {
      for (const Expr* part : parts->values) condition(*part, keyword);
      return;
    }
    if (const auto* negation = as<UnaryOp>(&test); negation != nullptr && negation->op == UnaryOperator::kNot) {
      return condition(*negation->operand, keyword);
    }
    const ValuePlace place = places_.of(function_, test);
    if (may_be_on_gpu(place) && (is<Call>(&test) || is<Compare>(&test) || place == ValuePlace::kCudaTensor)) {
      constexpr std::string_view kFix =
          "Keep the decision on the device (`torch.where`, `torch._assert_async`), or take it from host values.";
      add(test, fmt::format("`{}` on the tensor {} reads it back to the host", keyword, shown(test)), kFix,
          place == ValuePlace::kCudaTensor);
    }
    expression(&test);
  }

  void expression(const Node* at) {
    if (at == nullptr || is<Lambda>(at)) return;
    if (const auto* call = as<Call>(at)) this->call(*call);
    if (const auto* subscript = as<Subscript>(at); subscript != nullptr && subscript->context == ExprContext::kLoad)
      masked(*subscript);
    if (const auto* choice = as<IfExp>(at)) {
      condition(*choice->condition, "if");
      if (!is_rare_condition(*choice->condition)) expression(choice->body);
      return expression(choice->orelse);
    }
    if (is_logging_call(at)) return;
    for_each_child(*at, [&](const Node* child) { expression(child); });
  }

  /// logger.debug(f"{tensor}") and the like are judged by their own name only.
  static bool is_logging_call(const Node* at) {
    const auto* call = as<Call>(at);
    const auto* method = call == nullptr ? nullptr : as<Attribute>(call->callee);
    return method != nullptr &&
           (method->name.text == "debug" || method->name.text == "add_scalar" || method->name.text == "log");
  }

  void masked(const Subscript& at) {
    if (!places_.is_mask(function_, *at.index)) return;
    add(at, fmt::format("Indexing with a mask, {}, has to read back how many elements it selects", shown(at)),
        "Use `torch.where`, `masked_fill`, or indices whose number the host knows.",
        places_.of(function_, *at.index) == ValuePlace::kCudaTensor);
  }

  /// Through a mask, a scalar is stored without a wait; a tensor's values are not.
  void stored(const Expr& target, const Expr* value) {
    const auto* subscript = as<Subscript>(&target);
    if (subscript == nullptr || !places_.is_mask(function_, *subscript->index)) return;
    const ValuePlace place = places_.of(function_, *value);
    if (!may_be_on_gpu(place)) return;
    add(target,
        fmt::format("Storing a tensor through a mask, {}, has to read back how many elements it selects",
                    shown(target)),
        "Use `torch.where` or `masked_scatter`, which stay on the device.", place == ValuePlace::kCudaTensor);
  }

  void call(const Call& at) {
    const std::string_view external = places_.external_callee(at);
    const auto* method = as<Attribute>(at.callee);
    if (external == "torch.cuda.synchronize") {
      return add(at, fmt::format("{} waits for everything queued on the GPU", shown(at)),
                 fix_of("torch.cuda.synchronize"), true);
    }
    if (method != nullptr && method->name.text == "synchronize") return synchronize(at, *method);
    if (method != nullptr && (method->name.text == "to" || method->name.text == "cuda")) return moved(at, *method);
    if (external == "torch.tensor" || external == "torch.as_tensor") return uploaded(at);
    if (const auto* name = as<Name>(at.callee)) return builtin(at, *name);
    if (method == nullptr) return;
    if (const SyncOp* op = find_tensor_sync_op(method->name.text)) tensor_op(at, *method, *op, external);
  }

  static std::string_view fix_of(std::string_view name) {
    const auto ops = sync_ops();
    const auto found = std::find_if(ops.begin(), ops.end(), [&](const SyncOp& op) { return op.name == name; });
    return found == ops.end() ? std::string_view{} : found->fix;
  }

  /// event.synchronize() and stream.synchronize(): by what made the receiver, or by its name.
  void synchronize(const Call& at, const Attribute& method) {
    const std::string receiver = to_lower(squeezed(facts_, method.value->span));
    const std::string_view external = places_.external_callee(at);
    const bool known = external.starts_with("torch.cuda.") || external.starts_with("torch.Event.");
    if (!at.arguments.empty() || !(known || contains(receiver, "event") || contains(receiver, "stream"))) return;
    add(at, fmt::format("{} stops the host until the GPU gets there", shown(at)), fix_of("synchronize"), known);
  }

  /// The function gives memory back: what it moves to the host has to be there first.
  [[nodiscard]] bool frees_memory() const { return calls_name(node_, "empty_cache"); }

  static bool is_non_blocking(const Call& at) {
    return std::any_of(at.keywords.begin(), at.keywords.end(), [](const Keyword* keyword) {
      return keyword->name.text == "non_blocking" && !is_false(keyword->value);
    });
  }

  /// `.to(…)` and `.cuda()` between host and GPU.
  void moved(const Call& at, const Attribute& method) {
    if (is_non_blocking(at)) return;
    const ValuePlace from = places_.of(function_, *method.value);
    const ValuePlace to = places_.of(function_, at);
    if (to == ValuePlace::kCpuTensor && from != ValuePlace::kCpuTensor && method.name.text == "to") {
      if (frees_memory()) return;
      add(at, fmt::format("{} copies to the host and waits for it", shown(at)), fix_of("cpu"),
          from == ValuePlace::kCudaTensor, may_be_on_gpu(from));
    } else if (to == ValuePlace::kCudaTensor && from == ValuePlace::kCpuTensor) {
      add(at, fmt::format("{} copies from pageable host memory and waits for it", shown(at)),
          "Make the tensor on the device (`torch.zeros(…, device=…)`, `torch.full`), or pin it and pass "
          "`non_blocking=True`.",
          true);
    }
  }

  /// torch.tensor(host value, device=cuda).
  void uploaded(const Call& at) {
    const ValuePlace place = places_.of(function_, at);
    if (at.arguments.empty() || !may_be_on_gpu(place) || may_be_on_gpu(places_.of(function_, *at.arguments[0]))) return;
    // On the device of another tensor; a variable that merely holds some device says too little.
    if (place == ValuePlace::kTensor && !names_tensor_device(at)) return;
    add(at, fmt::format("{} copies a host value to the GPU and waits for it", shown(at)),
        is_written_out(*at.arguments[0])
            ? "Use `torch.full` or `torch.zeros` with the device, which do not wait, or make the tensor once and keep "
              "it."
            : "Make it in pinned memory and copy it without waiting (`torch.tensor(…, pin_memory=True).to(device, "
              "non_blocking=True)`), or keep the values on the GPU; where they are always the same, make the tensor "
              "once.",
        place == ValuePlace::kCudaTensor);
  }

  /// A number, or a list of numbers: the same each time.
  static bool is_written_out(const Expr& value) {
    if (const auto* list = as<List>(&value))
      return std::all_of(list->elements.begin(), list->elements.end(),
                         [](const Expr* element) { return is<Constant>(element); });
    return is<Constant>(&value);
  }

  static bool names_tensor_device(const Call& at) {
    return std::any_of(at.keywords.begin(), at.keywords.end(), [](const Keyword* keyword) {
      const auto* device = as<Attribute>(keyword->value);
      const auto* holder = device == nullptr ? nullptr : as<Name>(device->value);
      return keyword->name.text == "device" && holder != nullptr && device->name.text == "device" &&
             holder->id != "self";
    });
  }

  void builtin(const Call& at, const Name& name) {
    const auto ops = sync_ops();
    const auto op = std::find_if(ops.begin(), ops.end(), [&](const SyncOp& row) {
      return row.form == SyncOp::Form::kBuiltin && row.name == name.id;
    });
    if (op == ops.end()) return;
    for (const Expr* argument : at.arguments) {
      const ValuePlace place = places_.of(function_, *argument);
      if (!may_be_on_gpu(place)) continue;
      // max(iterable) over a list of tensors is counted by its elements, which are not known.
      return add(at, fmt::format("{} needs the value of a tensor on the host", shown(at)), op->fix,
                 place == ValuePlace::kCudaTensor);
    }
  }

  static bool is_excused(const Call& at, const SyncOp& op, bool is_function) {
    const bool by_keyword =
        !op.unless_keyword.empty() && std::any_of(at.keywords.begin(), at.keywords.end(), [&](const Keyword* keyword) {
          return keyword->name.text == op.unless_keyword;
        });
    const std::size_t positions = at.arguments.size() + (is_function ? 0 : 1);
    return by_keyword || (op.unless_positional > 0 && positions >= static_cast<std::size_t>(op.unless_positional));
  }

  void tensor_op(const Call& at, const Attribute& method, const SyncOp& op, std::string_view external) {
    const bool is_function = external.starts_with("torch.") && !external.starts_with("torch.Tensor.");
    if (!external.empty() && !external.starts_with("torch.")) return;
    if (is_function && op.form == SyncOp::Form::kMethod) return;
    if (is_excused(at, op, is_function)) return;
    if (is_function && at.arguments.empty()) return;
    const Expr& subject = is_function ? *at.arguments[0] : *method.value;
    const ValuePlace place = places_.of(function_, subject);
    if (place == ValuePlace::kHost || place == ValuePlace::kCpuTensor) return;
    const bool plain = op.name == "item" || op.name == "cpu";
    if (place == ValuePlace::kUnknown && !is_function && !plain) return;
    if (place == ValuePlace::kUnknown && places_.is_given_by_loader(function_, subject)) return;
    if (op.name == "repeat_interleave" && !repeats_by_tensor(at, is_function)) return;
    if ((plain && !at.arguments.empty()) || (op.name == "cpu" && frees_memory())) return;
    add(at, fmt::format("{} waits until the GPU has computed the value", shown(at)), op.fix,
        place == ValuePlace::kCudaTensor, place != ValuePlace::kUnknown);
  }

  /// repeat_interleave(x, 2) knows its size; with a tensor of repeats it does not.
  bool repeats_by_tensor(const Call& at, bool is_function) const {
    const std::size_t index = is_function ? 1 : 0;
    return at.arguments.size() > index && may_be_on_gpu(places_.of(function_, *at.arguments[index]));
  }

  const FileFacts& facts_;
  const ValuePlaces& places_;
  const FunctionId function_;
  const Node& node_;
  const IsNeverPassed& is_never_passed_;
  std::vector<Sync>& syncs_;
};

bool is_off_value(const Expr* value) { return value != nullptr && is_constant_false(*value); }

/// True if `parameter` of `function` is off by default, and the calls that steps make leave it so (at least one does).
bool is_never_passed(const Program& program, const StepReach& reach, FunctionId function, std::string_view parameter) {
  const program::Function& row = program.functions()[function];
  const FunctionDef* def = row.def();
  if (def == nullptr) return false;
  const auto& all = def->parameters->all;
  const auto own = std::find_if(all.begin(), all.end(), [&](const Parameter* p) { return p->name.text == parameter; });
  if (own == all.end() || !is_off_value((*own)->default_value)) return false;
  const std::size_t filled = row.owner.valid() ? 1 : 0;  // `self` fills the first place.
  const auto signature = Signatures(program).of_function(function, filled);
  bool is_called = false;
  for (const program::CallId id : program.callers_of(function)) {
    const program::CallSite& site = program.calls()[id];
    if (!reach.reaches(site.caller)) continue;
    const auto* call = as<Call>(site.node);
    if (call == nullptr) return false;
    const Given given = given_to(*signature, *call, parameter);
    if (given.how == Given::How::kUnknown) return false;
    if (given.how == Given::How::kValue && !is_off_value(given.value)) return false;
    is_called = true;
  }
  return is_called;
}

/// A kernel (`@triton.jit`, `@cute.jit`): its `if` is the GPU's own.
bool runs_on_gpu(const program::Function& function) {
  const FunctionDef* def = function.def();
  return def != nullptr && std::any_of(def->decorators.begin(), def->decorators.end(), [](const Expr* decorator) {
           const std::string_view name = last_part_of(decorator);
           return name == "jit" || name == "autotune" || name == "heuristics" || name == "kernel" ||
                  name == "prim_func";
         });
}

/// All operations on the step path of one program.
std::vector<Hit> scan_program(const Program& program, const std::vector<program::Reached>& step_path, bool is_review,
                              const std::function<bool(const program::Module&)>& wants) {
  const StepReach reach(program, step_path);
  const ValuePlaces places(program);
  std::vector<Hit> hits;
  for (const FunctionId function : reach.functions()) {
    const program::Module& module = program.module_of(function);
    if (program.functions()[function].kind == program::FunctionKind::kModuleBody || !wants(module)) continue;
    if (runs_on_gpu(program.functions()[function])) continue;
    std::vector<Sync> syncs;
    const IsNeverPassed never_passed = [&](std::string_view parameter) {
      return is_never_passed(program, reach, function, parameter);
    };
    Scanner(program, places, function, never_passed, syncs);
    for (const Sync& sync : syncs) {
      // Only tensors and NumPy scalars have item(): in a step it is worth a look whatever it is called on.
      const bool speaks_for_itself =
          sync.certain || sync.known_tensor || sync.what.find(".item()`") != std::string::npos;
      if (!is_review && !speaks_for_itself) continue;
      Finding finding = finding_at(program, kRule, program.functions()[function].module, sync.at->span);
      finding.severity = is_review && !sync.is_explained ? Severity::kP1 : Severity::kP2;
      finding.certainty = sync.certain ? FindingCertainty::kProven : FindingCertainty::kLikely;
      finding.category = Category::kPerformance;
      finding.message = sync.what;
      const bool is_root = reach.path_to(function).empty();
      const std::string condition = condition_above(*module.facts, *program.functions()[function].node, sync.at->span);
      bool is_conditional = !condition.empty();
      for (const program::CallId call : reach.path_to(function)) {
        const program::CallSite& site = program.calls()[call];
        const program::Function& caller = program.functions()[site.caller];
        const std::string asked = condition_above(*program.module_of(site.caller).facts, *caller.node, site.node->span);
        is_conditional = is_conditional || !asked.empty();
        if (finding.evidence.size() == 6) continue;
        finding.evidence.push_back(
            evidence_at(program, caller.module, site.node->span,
                        fmt::format("`{}` calls on{}", short_name(program, site.caller),
                                    asked.empty() ? std::string() : fmt::format(", {}", asked))));
      }
      if (!condition.empty())
        finding.evidence.push_back(
            evidence_at(program, program.functions()[function].module, sync.at->span, "only " + condition));
      finding.why = fmt::format(
          "{} {}{}: {}. While the host waits it queues no work, so the GPU runs dry.",
          sync.certain ? fmt::format("Measured to block on {}.", kSyncMeasuredOn)
                       : fmt::format("Measured to block on {} when the tensor is on the GPU.", kSyncMeasuredOn),
          is_conditional ? "Each step for which the conditions below hold gets here" : "Every step gets here",
          is_root ? "" : " through calls", reach.describe(function));
      finding.fix = std::string(sync.fix);
      hits.push_back({std::string(), std::move(finding),
                      statement_of(program, program.functions()[function].module, sync.at->span)});
    }
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return std::pair(std::string_view(a.finding.path), a.finding.start_line) <
           std::pair(std::string_view(b.finding.path), b.finding.start_line);
  });
  return hits;
}

/// A review tells the syncs of one function together: at the first, with the others as evidence.
std::vector<Finding> one_for_each_function(std::vector<Finding> findings) {
  std::vector<Finding> told;
  std::vector<int> others;
  for (Finding& finding : findings) {
    const auto same = [&](const Finding& earlier) {
      return earlier.path == finding.path && earlier.symbol == finding.symbol;
    };
    const auto first = std::find_if(told.begin(), told.end(), same);
    if (first == told.end()) {
      told.push_back(std::move(finding));
      others.push_back(0);
      continue;
    }
    ++others[static_cast<std::size_t>(first - told.begin())];
    first->evidence.push_back({finding.path, finding.start_line, finding.message});
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (others[i] > 0)
      told[i].message +=
          fmt::format(" (and {} in this function)", count_of(static_cast<std::size_t>(others[i]), "other sync"));
  }
  return told;
}

/// What waits, without the code that does: "copies a value to the host".
std::string kind_of_wait(const Finding& finding) {
  std::string out;
  bool is_code = false;
  for (const char c : finding.message) {
    if (c == '`') is_code = !is_code;
    if (!is_code && c != '`') out += c;
  }
  return out;
}

/// Takes out what waited before and does so elsewhere now: the same code in another statement of its function
/// (`return x.item()` that is an assignment now), and waits of new functions that stood in other functions, of which a
/// part is a function of its own now, say.
void drop_moved(const Program& before, std::vector<Finding>& fresh, std::vector<Hit> gone) {
  std::erase_if(fresh, [&](const Finding& finding) {
    const auto same = std::find_if(gone.begin(), gone.end(), [&](const Hit& hit) {
      return hit.finding.symbol == finding.symbol && hit.finding.message == finding.message;
    });
    if (same == gone.end()) return false;
    gone.erase(same);
    return true;
  });
  std::map<std::string, std::size_t> left;
  for (const Hit& hit : gone) ++left[kind_of_wait(hit.finding)];
  std::erase_if(fresh, [&](const Finding& finding) {
    if (finding.symbol.empty() || before.find_function(finding.symbol).valid()) return false;
    const auto same = left.find(kind_of_wait(finding));
    return same != left.end() && same->second > 0 && same->second-- > 0;
  });
}

/// No step waits yet where only tests load the file: nothing to settle before merging.
void note_tests_alone(const RuleContext& context, std::vector<Finding>& findings) {
  std::map<std::string, bool> known;
  for (Finding& finding : findings) {
    const auto [place, is_new] = known.try_emplace(finding.path, false);
    const program::ModuleId module = context.program.find_path(finding.path);
    if (is_new && module.valid()) place->second = is_used_by_tests_alone(context.program, *context.before, module);
    if (!place->second) continue;
    finding.severity = Severity::kP2;
    finding.evidence.insert(finding.evidence.begin(),
                            {finding.path, finding.start_line, "so far only tests import this new file"});
  }
}

}  // namespace

void run_host_sync_in_step(const RuleContext& context, std::vector<Finding>& findings) {
  if (context.change == nullptr || context.before == nullptr) {
    const auto wants = [&](const program::Module& module) {
      return is_wanted(context, module.path) && !program::is_test_path(module.path);
    };
    for (Hit& hit : scan_program(context.program, context.step_path, false, wants))
      findings.push_back(std::move(hit.finding));
    return;
  }
  const auto in_change = [&](std::string_view path, bool after) {
    return std::any_of(
        context.change->files.begin(), context.change->files.end(),
        [&](const change::FileSummary& file) { return (after ? file.file->new_path : file.file->old_path) == path; });
  };
  auto hits = scan_program(context.program, context.step_path, true,
                           [&](const program::Module& module) { return in_change(module.path, true); });
  const std::vector<Hit> all = hits;
  std::map<std::string, int> in_file;  // After less before, by path after.
  for (const Hit& hit : hits) ++in_file[hit.finding.path];
  std::erase_if(
      hits, [&](const Hit& hit) { return !context.change->touches_after(hit.finding.path, hit.finding.start_line); });
  if (hits.empty()) return;
  const auto earlier_path = program::step_path(*context.before, context.settings.hot_entry_points);
  const auto before = scan_program(*context.before, earlier_path, true,
                                   [&](const program::Module& module) { return in_change(module.path, false); });
  for (const change::FileSummary& file : context.change->files) {
    in_file[file.file->new_path] -= static_cast<int>(std::count_if(
        before.begin(), before.end(), [&](const Hit& hit) { return hit.finding.path == file.file->old_path; }));
  }
  std::vector<Finding> fresh = introduced(std::move(hits), before);
  drop_moved(*context.before, fresh, introduced_hits(before, all));
  note_tests_alone(context, fresh);
  for (Finding& finding : one_for_each_function(std::move(fresh))) {
    // A file that waits no more often than it did had its waits written otherwise, often to make them fewer.
    if (in_file[finding.path] > 0) findings.push_back(std::move(finding));
  }
}

}  // namespace lockstep::rules
