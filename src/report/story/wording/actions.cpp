#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/strings.h"
#include "change/arms.h"
#include "mesh/models.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/apis.h"
#include "report/source/code.h"
#include "report/source/host_values.h"
#include "report/source/value_text.h"
#include "report/story/wording/containers.h"
#include "report/story/wording/words.h"
#include "report/ways/scripts/script_places.h"
#include "rules/calls/promises.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

std::string quoted(const Node& node, const WordsContext& context, std::size_t limit = 70) {
  return code(value_text(*context.source, node, limit));
}

/// "Wait for x." -> "Wait for x", to be quoted inside a sentence.
std::string without_full_stop(std::string sentence) {
  while (!sentence.empty() && (sentence.back() == '.' || sentence.back() == ' ')) sentence.pop_back();
  return sentence;
}

std::string string_constant(const Expr* expression) {
  const auto* constant = as<Constant>(expression);
  if (constant != nullptr && constant->constant_kind == ConstantKind::kStr) return std::string(constant->text);
  return {};
}

/// The message of an exception or assertion, shortened; empty where it is not plain text.
std::string message_words(const Expr* message, const WordsContext& context) {
  if (message == nullptr) return {};
  if (is<JoinedStr>(message) || !string_constant(message).empty()) {
    // Adjacent literals are one text.
    std::string text = one_line_whole(*context.source, *message);
    for (const std::string_view seam : {"\" \"", "\" f\"", "' '", "' f'"}) text = replace_all(text, seam, "");
    constexpr std::size_t kMost = 110;
    if (text.size() > kMost) {
      std::size_t cut = text.rfind(' ', kMost);
      if (cut == std::string::npos || cut < kMost / 2) cut = kMost;
      text = fmt::format("{} \u2026{}", cut_at_character(text, cut), text.back());
    }
    return fmt::format(" ({})", code(text));
  }
  return {};
}

/// A condition of the function that is described.
std::string asked_words(const Expr& condition, const WordsContext& context, bool negated = false) {
  std::string words = condition_words(condition, *context.source, negated);
  const Node* function = context.function.valid() ? context.program->functions()[context.function].node : nullptr;
  return function == nullptr ? words : told_as_containers(std::move(words), *function);
}

std::string raise_words(const Raise& raise, const WordsContext& context) {
  if (raise.exception == nullptr) return "raises the exception again";
  const auto* call = as<Call>(raise.exception);
  const Expr* type = call != nullptr ? call->callee : raise.exception;
  const Expr* message = call != nullptr && !call->arguments.empty() ? call->arguments.front() : nullptr;
  return fmt::format("raises {}{}", quoted(*type, context, 40), message_words(message, context));
}

std::string assert_words(const Assert& check, const WordsContext& context) {
  return fmt::format("insists that {}{}", asked_words(*check.test, context), message_words(check.message, context));
}

std::string return_words(const Return& statement, const WordsContext& context) {
  if (statement.value == nullptr) return "returns";
  if (const auto* constant = as<Constant>(statement.value);
      constant != nullptr && constant->constant_kind == ConstantKind::kNone) {
    return fmt::format("returns {}", code("None"));
  }
  if (const auto* call = as<Call>(statement.value)) {
    // What the call does follows its text, as where it stands alone.
    const std::string what = call_words(*call, context);
    if (what.starts_with("calls ")) return fmt::format("returns {}", what.substr(6));
    return fmt::format("returns what {} gives ({})", quoted(*call, context, 60), what);
  }
  return fmt::format("returns {}", quoted(*statement.value, context, 60));
}

/// ", which can issue `all_to_all_single`": the collectives that ranks meet in a few sure calls below, those of
/// backward passes left out, and those of the calling function itself, to which the callee may lead back; empty where
/// none.
std::string below_words(FunctionId callee, const Call& call, const WordsContext& context) {
  constexpr std::size_t kMostVisited = 40;
  constexpr std::size_t kMostNamed = 4;
  constexpr int kMostDepth = 3;
  if (context.mesh == nullptr || !context.mesh->may_communicate(callee)) return {};
  const program::CallId id = context.program->call_of(&call);
  const bool is_known = id.valid() && context.mesh->knows_all_of(id);
  const auto is_issued = [&](const mesh::CollectiveSite& site) {
    const auto issued = context.mesh->issued_through(id);
    return std::any_of(issued.begin(), issued.end(), [&](const auto& one) { return one.call == site.call; });
  };
  std::vector<std::string> names;
  std::vector<std::pair<FunctionId, int>> pending{{callee, 0}};
  for (std::size_t next = 0; next < pending.size() && next < kMostVisited; ++next) {
    const auto [at, depth] = pending[next];
    for (const mesh::CollectiveSite& site : context.mesh->collectives_of(at)) {
      if (site.creates_group || (is_known && !is_issued(site))) continue;
      std::string name = code(site.operation);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    if (depth == kMostDepth) continue;
    for (const program::CallId next_call : context.program->functions()[at].calls) {
      for (const program::CallTarget& target : context.program->calls()[next_call].targets) {
        const bool is_sure = target.function.valid() && target.certainty == program::Certainty::kExact;
        const auto is_it = [&](const auto& one) { return one.first == target.function; };
        if (is_sure && target.function != context.function && context.mesh->may_communicate(target.function) &&
            context.program->functions()[target.function].name != "backward" &&
            std::none_of(pending.begin(), pending.end(), is_it))
          pending.emplace_back(target.function, depth + 1);
      }
    }
  }
  if (names.empty()) return {};
  // To say that there is one more takes as much room as the one.
  if (names.size() > kMostNamed + 1) {
    names.resize(kMostNamed);
    names.emplace_back("others");
  }
  return fmt::format(", which can issue {}", join_words(names));
}

/// The call whose result a method is called on, where it is one that says what it does: `f(x)` of `f(x).view(…)`.
const Call* call_before(const Call& call, const WordsContext& context) {
  const auto* member = as<Attribute>(call.callee);
  const auto* inner = member == nullptr ? nullptr : as<Call>(member->value);
  if (inner == nullptr) return nullptr;
  const bool tells = collective_at(context, inner) != nullptr || callees_of(*context.program, inner).size() == 1 ||
                     known_api(external_callee(*context.program, inner)) != nullptr;
  return tells ? inner : nullptr;
}

/// What `torch.empty` says by its name.
constexpr std::string_view kUninitialised = "allocates an uninitialised tensor";

/// `f(x).view(…)`.
bool is_method_of_call(const Call& call) {
  const auto* member = as<Attribute>(call.callee);
  return member != nullptr && is<Call>(member->value);
}

/// What a known call does, with the value that it writes where the call's text leaves that out.
std::string effect_words(const KnownApi& known, const Call& call, const WordsContext& context) {
  static constexpr std::string_view kMasked = "replaces the masked values";
  const Expr* value = call.arguments.size() > 1 ? call.arguments[1] : rules::keyword_value(call, "value");
  if (!known.effect.starts_with(kMasked) || value == nullptr || !contains(quoted(call, context), "\u2026"))
    return std::string(known.effect);
  return fmt::format("{} by {}{}", kMasked, quoted(*value, context), known.effect.substr(kMasked.size()));
}

std::string assign_words(const Expr& target, const Expr& value, const WordsContext& context) {
  const std::string name = quoted(target, context, 50);
  if (const auto* call = as<Call>(&value)) {
    if (const mesh::CollectiveSite* site = collective_at(context, call)) {
      return fmt::format("issues {} and keeps the result in {}", collective_words(*site, *context.mesh), name);
    }
    const std::string_view external = external_callee(*context.program, call);
    const KnownApi* known = function_of_library(*context.program, *call, external);
    if (known == nullptr) known = method_of_value(*context.program, *call);
    if (known != nullptr) {
      // `f(x).view(…)`: what `f` does comes first, and is not what `view` does.
      if (const Call* inner = call_before(*call, context)) {
        const Span last{inner->span.end, call->span.end};
        return fmt::format("{}, then applies {}, which {}", assign_words(target, *inner, context),
                           code(one_line(*context.source, last, 50)), effect_words(*known, *call, context));
      }
      if (known->kind == ApiKind::kAllocation && known->effect == kUninitialised)
        return fmt::format("allocates {} by {}", name, quoted(*call, context));
      // A view of what is made there shares memory with nothing else.
      if (known->kind == ApiKind::kShape && is_method_of_call(*call))
        return fmt::format("sets {} to {}", name, quoted(*call, context));
      return fmt::format("sets {} to {}, which {}", name, quoted(*call, context), effect_words(*known, *call, context));
    }
    // Of several that it may enter, no one's purpose is the call's.
    const std::vector<FunctionId> callees = callees_of(*context.program, call);
    if (callees.size() == 1) {
      const FunctionId callee = callees.front();
      const std::string below = below_words(callee, *call, context);
      if (context.is_brief) return fmt::format("sets {} to {}{}", name, quoted(*call, context), below);
      const std::string purpose = without_full_stop(docstring_sentence(context.program->functions()[callee].node, 120));
      const std::string where = place_of(*context.program, callee);
      return fmt::format(
          "sets {} to {} ({}){}", name, quoted(*call, context),
          purpose.empty() ? "defined at " + where : fmt::format("{}: \u201c{}\u201d", where, from_backquotes(purpose)),
          below);
    }
  }
  if (const auto* choice = as<IfExp>(&value)) {
    return fmt::format("sets {} to {} when {}, else to {}", name, quoted(*choice->body, context, 40),
                       condition_words(*choice->condition, *context.source), quoted(*choice->orelse, context, 40));
  }
  if (is<Lambda>(&value)) return fmt::format("defines {} as a small function", name);
  return fmt::format("sets {} to {}", name, quoted(value, context));
}

std::string augmented_words(const AugAssign& statement, const WordsContext& context) {
  const std::string target = quoted(*statement.target, context, 50);
  const std::string value = quoted(*statement.value, context, 60);
  switch (statement.op) {
    case BinaryOperator::kAdd:
      return fmt::format("adds {} to {}", value, target);
    case BinaryOperator::kSub:
      return fmt::format("subtracts {} from {}", value, target);
    case BinaryOperator::kMult:
      return fmt::format("multiplies {} by {}", target, value);
    case BinaryOperator::kDiv:
    case BinaryOperator::kFloorDiv:
      return fmt::format("divides {} by {}", target, value);
    default:
      return fmt::format("updates {}", quoted(statement, context));
  }
}

std::string import_words(const Node& statement, const WordsContext& context) {
  return fmt::format("imports inside the function ({})", quoted(statement, context, 60));
}

std::string plain_words(const Node& node, const WordsContext& context) {
  switch (node.kind) {
    case NodeKind::kReturn:
      return return_words(static_cast<const Return&>(node), context);
    case NodeKind::kRaise:
      return raise_words(static_cast<const Raise&>(node), context);
    case NodeKind::kAssert:
      return assert_words(static_cast<const Assert&>(node), context);
    case NodeKind::kAugAssign:
      return augmented_words(static_cast<const AugAssign&>(node), context);
    case NodeKind::kAssign: {
      const auto& assign = static_cast<const Assign&>(node);
      return assign_words(*assign.targets.back(), *assign.value, context);
    }
    case NodeKind::kAnnAssign: {
      const auto& assign = static_cast<const AnnAssign&>(node);
      if (assign.value != nullptr) return assign_words(*assign.target, *assign.value, context);
      return fmt::format("declares {}", quoted(node, context));
    }
    case NodeKind::kExprStmt: {
      const Expr* value = static_cast<const ExprStmt&>(node).value;
      if (const auto* call = as<Call>(value)) return call_words(*call, context);
      if (const auto* yield = as<Yield>(value)) {
        return yield->value == nullptr ? "yields" : fmt::format("yields {}", quoted(*yield->value, context));
      }
      if (const auto* wait = as<Await>(value)) return fmt::format("awaits {}", quoted(*wait->value, context));
      if (is<Constant>(value)) return {};
      // `log and log.write(x)`
      const auto* all = as<BoolOp>(value);
      if (all != nullptr && all->op == BoolOperator::kAnd && is<Call>(all->values.back())) {
        std::vector<std::string> asked;
        for (const Expr* operand : all->values) {
          if (operand != all->values.back()) asked.push_back(condition_words(*operand, *context.source));
        }
        return fmt::format("calls {} (only if {})", quoted(*all->values.back(), context), join_words(asked));
      }
      // `f(x) if a else g(x)`
      const auto* choice = as<IfExp>(value);
      const auto* first = choice == nullptr ? nullptr : as<Call>(choice->body);
      const auto* second = choice == nullptr ? nullptr : as<Call>(choice->orelse);
      if (first != nullptr && second != nullptr)
        return fmt::format("{} when {}, and else {}", call_words(*first, context),
                           condition_words(*choice->condition, *context.source), call_words(*second, context));
      return fmt::format("evaluates {}", quoted(*value, context));
    }
    case NodeKind::kDelete: {
      std::vector<std::string> names;
      for (const Expr* target : as<Delete>(&node)->targets) {
        if (is<Name>(target)) names.push_back(quoted(*target, context));
      }
      if (names.size() != as<Delete>(&node)->targets.size()) return fmt::format("runs {}", quoted(node, context));
      return fmt::format("deletes the local {} {}", names.size() == 1 ? "name" : "names", join_words(names));
    }
    case NodeKind::kBreak:
      return "leaves the loop";
    case NodeKind::kContinue:
      return "goes on with the next round";
    case NodeKind::kImport:
    case NodeKind::kImportFrom:
      return import_words(node, context);
    case NodeKind::kFunctionDef:
      return fmt::format("defines the inner function {}", code(static_cast<const FunctionDef&>(node).name.text));
    case NodeKind::kClassDef:
      return fmt::format("defines the inner class {}", code(static_cast<const ClassDef&>(node).name.text));
    default:
      return {};
  }
}

std::string with_words(const With& with, const WordsContext& context) {
  std::vector<std::string> parts;
  for (const WithItem* item : with.items) {
    std::string text = quoted(*item->context, context, 60);
    const auto* call = as<Call>(item->context);
    if (call != nullptr) {
      if (const KnownApi* known = function_of_library(*context.program, *call, external_callee(*context.program, call)))
        text += fmt::format(", which {}", known->effect);
    }
    parts.push_back(std::move(text));
  }
  return "under " + join_words(parts);
}

std::string header_words(const Step& step, const WordsContext& context) {
  switch (step.kind) {
    case StepKind::kIf:
      return fmt::format("{}when {}", step.is_elif ? "otherwise, " : "",
                         asked_words(*as<If>(step.node)->condition, context));
    case StepKind::kElse: {
      // Behind a branch that holds others, "otherwise" could be the other side of any of them.
      const auto* branch = as<If>(step.node);
      const auto holds_block = [](const Stmt* statement) { return change::is_compound(*statement); };
      const bool is_plain = branch == nullptr || step.is_after_elif ||
                            std::none_of(branch->body.begin(), branch->body.end(), holds_block);
      return is_plain ? "otherwise" : "when " + asked_words(*branch->condition, context, true);
    }
    case StepKind::kFor: {
      const auto* each = as<For>(step.node);
      return fmt::format("for each {} of {}", quoted(*each->target, context, 40), quoted(*each->iterable, context, 60));
    }
    case StepKind::kWhile:
      if (const auto* constant = as<Constant>(as<While>(step.node)->condition);
          constant != nullptr && constant->constant_kind == ConstantKind::kTrue)
        return "without end";
      return "as long as " + asked_words(*as<While>(step.node)->condition, context);
    case StepKind::kWith:
      return with_words(*as<With>(step.node), context);
    case StepKind::kTry:
      return "tries";
    case StepKind::kExcept: {
      const auto* handler = as<ExceptHandler>(step.node);
      return handler->type == nullptr ? std::string("on any exception")
                                      : fmt::format("on {}", quoted(*handler->type, context, 60));
    }
    case StepKind::kFinally:
      return "in any case";
    case StepKind::kMatch:
      return fmt::format("by the shape of {}", quoted(*as<Match>(step.node)->subject, context, 50));
    case StepKind::kCase:
      return fmt::format("for {}", quoted(*as<MatchCase>(step.node)->pattern, context, 60));
    case StepKind::kPlain:
      break;
  }
  return {};
}

/// `group.size()`, `self.tp_group.rank()`: a process group is asked; a stand-in for one that the repository defines is
/// not what runs.
bool asks_group(const Node* node) {
  const auto* call = as<Call>(node);
  const auto* member = call == nullptr ? nullptr : as<Attribute>(call->callee);
  if (member == nullptr || (member->name.text != "size" && member->name.text != "rank")) return false;
  const std::string receiver = dotted_text(member->value);
  return receiver.ends_with("group") || receiver.ends_with("pg") || receiver.ends_with("_mesh");
}

}  // namespace

Handing handing_of(const program::CallSite& site, FunctionId function) {
  const auto target = std::find_if(site.targets.begin(), site.targets.end(),
                                   [&](const program::CallTarget& one) { return one.function == function; });
  const auto* call = as<Call>(site.node);
  if (target == site.targets.end() || call == nullptr) return Handing::kNone;
  const std::string name = to_lower(callee_name(*call));
  // `op.register_autograd(backward)`: autograd calls it, not this place.
  if (target->kind == program::CallKind::kAutograd && contains(name, "register")) return Handing::kRegisters;
  if (target->kind != program::CallKind::kCallback) return Handing::kNone;
  for (const std::string_view word : {"hook", "callback", "register", "atexit", "finalize"}) {
    if (contains(name, word)) return Handing::kRegisters;
  }
  return Handing::kHandsOn;
}

namespace {

/// Puts what the call names in the place of what a decorator put around it: a reader of the call sees that.
void name_decorated(const Program& program, program::CallId id, std::vector<FunctionId>& callees) {
  const auto* call = as<Call>(program.calls()[id].node);
  if (call == nullptr) return;
  const std::string_view name = callee_name(*call);
  std::vector<FunctionId> out;
  for (const FunctionId callee : callees) {
    std::vector<FunctionId> named;
    const program::Function& function = program.functions()[callee];
    for (std::size_t i = 0; function.enclosing.valid() && function.name != name && i < function.calls.size(); ++i) {
      for (const program::CallTarget& target : program.calls()[function.calls[i]].targets) {
        const bool is_it = target.function.valid() && program.functions()[target.function].name == name &&
                           program.can_follow(id, function.calls[i], target.function);
        if (is_it) named.push_back(target.function);
      }
    }
    if (named.empty()) named.push_back(callee);
    for (const FunctionId one : named) {
      if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
    }
  }
  callees = std::move(out);
}

}  // namespace

std::vector<FunctionId> callees_of(const Program& program, const Node* call) {
  std::vector<FunctionId> out;
  const program::CallId id = program.call_of(call);
  if (!id.valid()) return out;
  if (asks_group(program.calls()[id].node)) return out;
  const std::string& path = program.module_of(program.calls()[id].caller).path;
  const auto& targets = program.calls()[id].targets;
  // `X.apply(…)` runs `forward`; what autograd runs later is no part of the call.
  const bool is_forward = std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
    return target.function.valid() && target.kind == program::CallKind::kAutograd &&
           program.functions()[target.function].name == "forward";
  });
  for (const program::CallTarget& target : targets) {
    if (is_forward && target.function.valid() && target.kind == program::CallKind::kAutograd &&
        program.functions()[target.function].name != "forward")
      continue;
    if (target.function.valid() && target.certainty != program::Certainty::kByName &&
        target.kind != program::CallKind::kCallback && !only_others_give(path, program.module_of(target.function).path))
      out.push_back(target.function);
  }
  name_decorated(program, id, out);
  return out;
}

std::string_view external_callee(const Program& program, const Node* call) {
  const program::CallId id = program.call_of(call);
  if (!id.valid()) return {};
  const auto& targets = program.calls()[id].targets;
  if (targets.size() != 1 || targets.front().function.valid()) return {};
  return targets.front().external;
}

/// Whether a method is called of what another call makes, `torch.ones(n).view(…)`: what it does with the memory says
/// little of the whole.
bool is_of_made_value(const Call& call) {
  const auto* member = as<Attribute>(call.callee);
  while (member != nullptr) {
    const auto* inner = as<Call>(member->value);
    if (inner == nullptr) return false;
    member = as<Attribute>(inner->callee);
    const KnownApi* known = member == nullptr ? nullptr : known_method(callee_name(*inner));
    if (known == nullptr || known->kind != ApiKind::kShape) return true;
  }
  return true;
}

const KnownApi* known_work(const Program& program, const Call& call) {
  if (const std::string_view external = external_callee(program, &call); known_api(external) != nullptr)
    return function_of_library(program, call, external);
  return callees_of(program, &call).empty() ? method_of_value(program, call) : nullptr;
}

const mesh::CollectiveSite* collective_at(const WordsContext& context, const Node* call) {
  if (context.mesh == nullptr || !context.function.valid()) return nullptr;
  for (const mesh::CollectiveSite& site : context.mesh->collectives_of(context.function)) {
    if (site.call == call) return &site;
  }
  return nullptr;
}

/// The name of a group as the analysis has it: code where it is an expression ("`embd_group`"), else words.
std::string group_words(std::string_view text) {
  return text.starts_with('`') ? code(replace_all(text, "`", "")) : plain(text);
}

/// " (`MIN`)" of a reduction by another operation than the sum that torch takes by default; empty for others.
static std::string operation_words(const mesh::CollectiveSite& site) {
  const auto* call = as<Call>(site.call);
  if (call == nullptr || !contains(site.operation, "reduce")) return {};
  static constexpr std::string_view kOthers[] = {"AVG", "BAND", "BOR", "BXOR", "MAX", "MIN", "PRODUCT"};
  const auto name_in = [&](const Expr* given) {
    const std::string_view name = rules::last_part_of(given);
    return std::find(std::begin(kOthers), std::end(kOthers), name) != std::end(kOthers) ? name : std::string_view();
  };
  std::string_view name = name_in(rules::keyword_value(*call, "op"));
  for (std::size_t i = 1; i < call->arguments.size() && name.empty(); ++i) name = name_in(call->arguments[i]);
  return name.empty() ? std::string() : fmt::format(" ({})", code(std::string(name)));
}

mesh::CollectiveSite as_called(const mesh::CollectiveSite& site, const mesh::MeshAnalysis& mesh,
                               const std::vector<program::CallId>& through) {
  mesh::CollectiveSite out = site;
  if (site.is_point_to_point) return out;  // Whom it is between, the group does not say.
  bool is_given = false;
  for (const program::CallId call : through) {
    for (const mesh::CollectiveSite& one : mesh.issued_through(call)) {
      if (one.call != site.call) continue;
      const bool is_known = one.group.kind == mesh::Group::Kind::kKnown || one.group.kind == mesh::Group::Kind::kWorld;
      if (!is_known || (is_given && one.group.text != out.group.text)) return site;
      // The default may be all that is known of what a caller passes on.
      if (!site.group.parameter.empty() && one.group.text == site.group.text) return site;
      out.group = one.group;
      is_given = true;
    }
  }
  return out;
}

/// ", by default all ranks": what a group is where nobody passes one.
static std::string over_words(const mesh::CollectiveSite& site, const std::string& group) {
  if (site.group.parameter.empty()) return " over " + group;
  return fmt::format(" over the group passed as {}, by default {}", code(site.group.parameter), group);
}

std::string collective_words(const mesh::CollectiveSite& site, const mesh::MeshAnalysis& mesh) {
  std::string out = code(site.operation) + operation_words(site);
  switch (site.group.kind) {
    case mesh::Group::Kind::kWorld:
      out += over_words(site, "all ranks");
      break;
    case mesh::Group::Kind::kKnown:
      out += over_words(site, site.group.text.empty() ? mesh.describe(site.group.span) : group_words(site.group.text));
      break;
    case mesh::Group::Kind::kParameter:
      out += fmt::format(" over the group passed as {}", code(site.group.parameter));
      break;
    case mesh::Group::Kind::kUnknown:
      if (!site.group.text.empty()) out += fmt::format(" over {}", code(replace_all(site.group.text, "`", "")));
      break;
  }
  if (site.is_async) out += ", asynchronously";
  return out;
}

namespace {

/// Of what `f(…)` or the launch `f[grid](…)` may enter, the one function that is called so; `callees` where there is
/// none or more than one.
std::vector<FunctionId> named_as_called(const Program& program, const Call& call, std::vector<FunctionId> callees) {
  const auto* launch = as<Subscript>(call.callee);
  const auto* name = as<Name>(launch != nullptr ? launch->value : call.callee);
  if (name == nullptr) return callees;
  std::vector<FunctionId> out;
  std::copy_if(callees.begin(), callees.end(), std::back_inserter(out),
               [&](FunctionId one) { return program.functions()[one].name == name->id; });
  return out.size() == 1 ? out : callees;
}

/// Of `self.m(…)` the bodies of `m` in the class and below it that are more than a promise, of `f(…)` the function `f`:
/// a decorator around one is not what the call is for. `callees` where that is no such call.
std::vector<FunctionId> bodies_of(const Call& call, const WordsContext& context, std::vector<FunctionId> callees) {
  const Program& program = *context.program;
  callees = named_as_called(program, call, std::move(callees));
  const auto* member = as<Attribute>(call.callee);
  const program::ClassId owner =
      context.function.valid() ? program.functions()[context.function].owner : program::ClassId();
  if (member == nullptr || !owner.valid() || dotted_text(member->value) != "self") return callees;
  const auto is_other = [&](FunctionId one) { return program.functions()[one].name != member->name.text; };
  if (std::none_of(callees.begin(), callees.end(), is_other)) return callees;
  const FunctionId method = program.find_method(owner, member->name.text);
  if (!method.valid()) return callees;
  std::vector<FunctionId> out;
  std::vector<FunctionId> all = program.overrides_of(method);
  all.insert(all.begin(), method);
  for (const FunctionId one : all) {
    const FunctionDef* def = program.functions()[one].def();
    if (def != nullptr && !rules::is_abstract(*def) && !program::is_test_path(program.module_of(one).path))
      out.push_back(one);
  }
  return out.empty() ? callees : out;
}

}  // namespace

std::string call_words(const Call& call, const WordsContext& context) {
  if (const mesh::CollectiveSite* site = collective_at(context, &call)) {
    // What it sends, not the list that it fills.
    const mesh::CollectiveModel* model = mesh::find_collective(external_callee(*context.program, &call));
    // A barrier sends nothing.
    if (model != nullptr && model->input < 0 && model->buffer < 0)
      return fmt::format("issues {}", collective_words(*site, *context.mesh));
    const std::size_t sent = model != nullptr && model->input >= 0 ? static_cast<std::size_t>(model->input) : 0;
    const Expr* operand = call.arguments.empty()         ? nullptr
                          : sent < call.arguments.size() ? call.arguments[sent]
                                                         : call.arguments.front();
    return fmt::format("issues {} on {}", collective_words(*site, *context.mesh),
                       operand == nullptr ? quoted(call, context) : quoted(*operand, context, 40));
  }
  const std::string text = quoted(call, context);
  const std::string_view external = external_callee(*context.program, &call);
  if (const KnownApi* known = function_of_library(*context.program, call, external)) {
    // "calls `warnings.warn(…)`, which warns" says it twice.
    if (known->effect == std::string(callee_name(call)) + "s") return "calls " + text;
    return fmt::format("calls {}, which {}", text, known->effect);
  }
  const std::vector<FunctionId> callees = bodies_of(call, context, callees_of(*context.program, &call));
  if (callees.empty()) {
    const KnownApi* known = method_of_value(*context.program, call);
    if (known != nullptr && !(known->kind == ApiKind::kShape && is_of_made_value(call)))
      return fmt::format("calls {}, which {}", text, effect_words(*known, call, context));
    if (callee_name(call) == "append" && call.arguments.size() == 1 && is<Attribute>(call.callee)) {
      return fmt::format("appends {} to {}", quoted(*call.arguments.front(), context, 50),
                         quoted(*as<Attribute>(call.callee)->value, context, 40));
    }
    return fmt::format("calls {}", text);
  }
  const std::string below = callees.size() == 1 ? below_words(callees.front(), call, context) : std::string();
  if (context.is_brief) return fmt::format("calls {}{}", text, below);
  const program::Function& callee = context.program->functions()[callees.front()];
  // What makes an object is told by its class; what runs after the generated constructor says nothing of it.
  const bool makes = callee.owner.valid() && (callee.name == "__init__" || callee.name == "__post_init__");
  const program::Class* made = makes ? &context.program->classes()[callee.owner] : nullptr;
  std::string purpose = made == nullptr ? "" : without_full_stop(docstring_sentence(made->node, 120));
  std::string where = place_of(*context.program, callees.front());
  if (made != nullptr && (!purpose.empty() || callee.name == "__post_init__")) {
    const program::Module& module = context.program->modules()[made->module];
    where = place(module.path, module.facts->source().line_of(made->node->span.begin));
  } else {
    purpose = without_full_stop(docstring_sentence(callee.node, 120));
  }
  if (callees.size() > 1) where += fmt::format(" or {}", lockstep::count_of(callees.size() - 1, "other"));
  // A place alone would read as that of the call.
  if (purpose.empty() || callees.size() > 1) return fmt::format("calls {} (defined at {}){}", text, where, below);
  return fmt::format("calls {} ({}: \u201c{}\u201d){}", text, where, from_backquotes(purpose), below);
}

std::string step_words(const Step& step, const WordsContext& context) {
  return step.kind == StepKind::kPlain ? plain_words(*step.node, context) : header_words(step, context);
}

}  // namespace lockstep::report
