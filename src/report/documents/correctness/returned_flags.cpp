#include "report/documents/correctness/returned_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/defaults.h"
#include "report/story/settings/deciding.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kMostCallers = 2;
constexpr std::size_t kWidth = 70;

/// A constant that comes back, and where: the whole result, or one of a tuple.
struct Given {
  const Constant* value = nullptr;
  std::optional<std::size_t> index;
};

bool is_same_place(const Given& a, const Given& b) {
  return a.index == b.index && is_same_value(value_of(a.value), value_of(b.value));
}

/// The flags that an expression may be: itself, or an arm of a choice.
std::vector<const Constant*> flags_in(const Expr* value) {
  if (const auto* choice = as<IfExp>(value)) {
    std::vector<const Constant*> out = flags_in(choice->body);
    for (const Constant* one : flags_in(choice->orelse)) out.push_back(one);
    return out;
  }
  const auto* constant = as<Constant>(value);
  const Value::Kind kind = value_of(constant).kind;
  return kind == Value::Kind::kBool || kind == Value::Kind::kNone ? std::vector{constant}
                                                                  : std::vector<const Constant*>();
}

/// A local that `return` statements give, and where in what they give; none where two do so otherwise.
struct Returned {
  std::string_view name;
  std::optional<std::size_t> index;
};

/// Calls visit(value, index) with what a `return` gives: the whole, or each of a tuple up to what may be any number.
template <class Visit>
void for_each_result(const Step& step, Visit visit) {
  const auto* result = as<Return>(step.node);
  if (result == nullptr || result->value == nullptr) return;
  const auto* tuple = as<Tuple>(result->value);
  if (tuple == nullptr) return visit(result->value, std::optional<std::size_t>());
  for (std::size_t i = 0; i < tuple->elements.size() && !is<Starred>(tuple->elements[i]); ++i)
    visit(tuple->elements[i], std::optional<std::size_t>(i));
}

std::vector<Returned> returned_names(const std::vector<Step>& steps) {
  std::vector<Returned> out;
  const auto add = [&](const Expr* value, std::optional<std::size_t> index) {
    if (const std::string_view name = rules::name_of(value); !name.empty()) out.push_back({name, index});
  };
  for (const Step& step : steps) for_each_result(step, add);
  return out;
}

/// What one step makes the function give, by itself or through a local.
std::vector<Given> given_by(const Step& step, const std::vector<Returned>& returned) {
  std::vector<Given> out;
  const auto add = [&](const Expr* value, std::optional<std::size_t> index) {
    for (const Constant* one : flags_in(value)) out.push_back({one, index});
  };
  for_each_result(step, add);
  const Expr* target = nullptr;
  const Expr* value = assigned_value(step.node, target);
  const std::string_view name = value == nullptr ? std::string_view() : rules::name_of(target);
  for (const Returned& one : returned) {
    // What a local starts from, before others are set, says little.
    if (!name.empty() && one.name == name && (step.depth > 0 || is<IfExp>(value))) add(value, one.index);
  }
  return out;
}

/// What the function gives now where it gave something else, each once.
std::vector<Given> newly_given(const Actor& actor) {
  const std::vector<Returned> returned = returned_names(actor.steps.after);
  std::vector<Given> out;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept || step.kind != StepKind::kPlain || step.is_moved ||
        step.elsewhere != nullptr || step.inlined != nullptr || !step.renames.empty())
      continue;
    std::vector<Given> before;
    if (step.partner != Step::kNone) before = given_by(actor.steps.before[step.partner], returned);
    for (const Given& one : given_by(step, returned)) {
      const auto is_it = [&](const Given& other) { return is_same_place(one, other); };
      if (std::none_of(before.begin(), before.end(), is_it) && std::none_of(out.begin(), out.end(), is_it))
        out.push_back(one);
    }
  }
  return out;
}

/// What one side of a branch does first that a reader would name: a call, else a way out, else what sets something.
const Stmt* telling(Seq<Stmt> block) {
  const BranchEffect effect = effect_of(block);
  if (effect.rank == 0) return nullptr;
  for (const Stmt* statement : block) {
    const auto* alone = as<ExprStmt>(statement);
    const auto* assign = as<Assign>(statement);
    const Expr* value = alone != nullptr ? alone->value : assign != nullptr ? assign->value : nullptr;
    if (is<Call>(value) && !rules::is_log_call(value)) return statement;
  }
  for (const Stmt* statement : block) {
    if (is<Return>(statement) || is<Raise>(statement) || is<Continue>(statement) || is<Break>(statement))
      return statement;
  }
  return effect.first;
}

/// One call, and what its caller does with the flag.
class Caller {
 public:
  Caller(const DocumentInputs& inputs, const program::CallSite& site, const Given& given)
      : inputs_(inputs),
        program_(*inputs.after),
        site_(site),
        given_(given),
        function_(program_.functions()[site.caller]),
        source_(source_of(program_, site.caller)) {}

  /// Whether what words() tells is an assertion that fails.
  [[nodiscard]] bool stops() const { return stops_; }

  /// Empty where no unchanged branch asks for it.
  [[nodiscard]] std::string words() {
    if (function_.def() == nullptr) return {};
    const std::vector<const Node*> around = chain_to(*function_.node, site_.node->span);
    std::size_t at = around.size();
    if (at > 0 && is<Await>(around[at - 1])) --at;
    const Node* whole = at == around.size() ? site_.node : around[at];
    if (!given_.index) {
      // Asked at once: `if not ready():`.
      std::size_t head = at;
      while (head > 0 && (is<UnaryOp>(around[head - 1]) || is<BoolOp>(around[head - 1]))) --head;
      const auto* branch = head == 0 ? nullptr : as<If>(around[head - 1]);
      if (branch != nullptr && branch->condition->span.contains(site_.node->span)) return branch_words(*branch, whole);
      const auto* check = head == 0 ? nullptr : as<Assert>(around[head - 1]);
      if (check != nullptr && check->test->span.contains(site_.node->span)) return check_words(*check, whole);
    }
    const auto* assign = at == 0 ? nullptr : as<Assign>(around[at - 1]);
    if (assign == nullptr || assign->value != whole || assign->targets.size() != 1) return {};
    const auto* apart = as<Tuple>(assign->targets.front());
    const Expr* target = assign->targets.front();
    if (given_.index) {
      if (apart == nullptr || *given_.index >= apart->elements.size()) return {};
      for (std::size_t i = 0; i <= *given_.index; ++i)
        if (is<Starred>(apart->elements[i])) return {};
      target = apart->elements[*given_.index];
    }
    const std::string_view local = rules::name_of(target);
    return local.empty() ? std::string() : words_of_local(*assign, local);
  }

 private:
  /// The first branch or assertion below `assign` in its block, or in one around it, that asks for the local while it
  /// is what the call gave, or that handed on once.
  [[nodiscard]] std::string words_of_local(const Assign& assign, std::string_view local) {
    std::string out;
    bool is_open = true;
    walk_statements(*function_.node, Nested::kSkip, [&](const Stmt* statement) {
      if (!is_open || statement->span.begin <= assign.span.begin) return;
      if (const auto* branch = as<If>(statement); branch != nullptr && names(*branch->condition, local)) {
        is_open = false;
        out = branch_words(*branch, nullptr, local);
      } else if (const auto* check = as<Assert>(statement); check != nullptr && names(*check->test, local)) {
        is_open = false;
        out = check_words(*check, nullptr, local);
      } else if (binds(*statement, local)) {
        is_open = hands_on(*statement, local);
      }
    });
    return out;
  }

  static bool names(const Node& node, std::string_view local) {
    const auto* whole = as<Name>(&node);
    bool found = whole != nullptr && whole->id == local;
    walk_of<Name>(node, Nested::kSkip, [&](const Name* one) { found = found || one->id == local; });
    return found;
  }

  static bool binds(const Stmt& statement, std::string_view local) {
    bool found = false;
    walk(statement, Nested::kSkip, [&](const Node* node) {
      const auto* stored = as<Name>(node);
      found = found || (stored != nullptr && stored->id == local && stored->context != ExprContext::kLoad);
      return !is_statement(node);
    });
    return found;
  }

  /// `ok = all_agree(ok)`: a call of one argument.
  static bool hands_on(const Stmt& statement, std::string_view local) {
    const Expr* target = nullptr;
    const auto* call = as<Call>(assigned_value(&statement, target));
    return call != nullptr && rules::name_of(target) == local && call->arguments.size() == 1 &&
           call->keywords.empty() && rules::name_of(call->arguments.front()) == local;
  }

  /// Whether the condition holds with what the call gives; none where that is open, or where the change touches it.
  [[nodiscard]] std::optional<bool> answer_of(const Expr& condition, const Node* call, std::string_view local) const {
    const std::uint32_t line = source_.line_of(condition.span.begin);
    if (inputs_.change->touches_after(program_.module_of(site_.caller).path, line)) return std::nullopt;
    return holds_with(condition, [&](const Expr& part) {
      const bool is_it = call != nullptr ? &part == call : rules::name_of(&part) == local;
      return is_it ? value_of(given_.value) : value_of(&part);
    });
  }

  /// What the assertion does where what the call gives does not pass it.
  [[nodiscard]] std::string check_words(const Assert& check, const Node* call, std::string_view local = {}) {
    if (answer_of(*check.test, call, local) != false) return {};
    stops_ = true;
    return fmt::format("{} ({}) stops: it asserts {}", code(short_name(program_, site_.caller)),
                       place_of(program_, function_.module, check.span), code(one_line(source_, *check.test, kWidth)));
  }

  [[nodiscard]] std::string branch_words(const If& branch, const Node* call, std::string_view local = {}) const {
    const std::optional<bool> answer = answer_of(*branch.condition, call, local);
    if (!answer) return {};
    // What is done for an `elif` hangs on more than this question.
    const bool has_elif = branch.orelse.size() == 1 && is<If>(branch.orelse.front());
    const Seq<Stmt> done = *answer ? branch.body : has_elif ? Seq<Stmt>() : branch.orelse;
    const Seq<Stmt> left = *answer ? (has_elif ? Seq<Stmt>() : branch.orelse) : branch.body;
    const Stmt* runs = telling(done);
    const Stmt* skips = telling(left);
    if (runs == nullptr && skips == nullptr) return {};
    const auto shown = [&](const Stmt& one) { return code(one_line(source_, header_of(one), kWidth)); };
    const std::string does = runs == nullptr    ? fmt::format("does not run {}", shown(*skips))
                             : skips == nullptr ? fmt::format("runs {}", shown(*runs))
                                                : fmt::format("runs {} instead of {}", shown(*runs), shown(*skips));
    return fmt::format("{} ({}), where {}, {}", code(short_name(program_, site_.caller)),
                       place_of(program_, function_.module, branch.condition->span),
                       condition_words(*branch.condition, source_, !*answer), does);
  }

  const DocumentInputs& inputs_;
  const program::Program& program_;
  const program::CallSite& site_;
  const Given& given_;
  const program::Function& function_;
  const SourceText& source_;
  bool stops_ = false;
};

/// A constant that comes back now, and what callers do with it.
struct ToldFlag {
  std::string value;  ///< As it is written.
  std::vector<std::string> callers;
};

/// The first that callers ask for; `only_stops`: of those that stop then alone.
std::optional<ToldFlag> told_flag(const DocumentInputs& inputs, const Actor& actor, bool only_stops) {
  if (!actor.is_function() || actor.is_added() || actor.is_removed() || actor.role == Role::kTest ||
      actor.steps.after_source == nullptr || actor.steps.before_source == nullptr || !actor.change->after ||
      !actor.change->after->function.valid())
    return std::nullopt;
  const program::Program& program = *inputs.after;
  for (const Given& given : newly_given(actor)) {
    std::vector<std::string> told;
    for (const program::CallId id : program.callers_of(actor.change->after->function)) {
      const program::CallSite& site = program.calls()[id];
      const auto enters = [&](const program::CallTarget& one) {
        return one.function == actor.change->after->function && one.kind == program::CallKind::kDirect &&
               one.certainty != program::Certainty::kByName;
      };
      if (told.size() == kMostCallers || !is<Call>(site.node) || site.caller == actor.change->after->function ||
          program::is_test_path(program.module_of(site.caller).path) ||
          std::none_of(site.targets.begin(), site.targets.end(), enters))
        continue;
      Caller caller(inputs, site, given);
      std::string words = caller.words();
      if (words.empty() || (only_stops && !caller.stops())) continue;
      if (std::find(told.begin(), told.end(), words) == told.end()) told.push_back(std::move(words));
    }
    if (!told.empty()) return ToldFlag{code(one_line(*actor.steps.after_source, *given.value)), std::move(told)};
  }
  return std::nullopt;
}

}  // namespace

std::string returned_flag_item(const DocumentInputs& inputs, const Actor& actor) {
  const std::optional<ToldFlag> flag = told_flag(inputs, actor, false);
  return flag ? fmt::format("{} given {}, {}", strong("In callers:"), flag->value,
                            as_sentence(join(flag->callers, "; ")))
              : std::string();
}

void add_asserted_flags(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    if (told == kMost) return;
    const std::optional<ToldFlag> flag = told_flag(inputs, actor, true);
    if (!flag) continue;
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("{} returns {} in a case where it did not. Given that, {}.",
                                 code(short_name(inputs, *actor.change)), flag->value, join(flag->callers, "; ")),
                     "What passed there before may be refused now", false});
    ++told;
  }
}

}  // namespace lockstep::report
