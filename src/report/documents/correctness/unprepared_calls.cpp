#include "report/documents/correctness/unprepared_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/compatibility/call_sites.h"
#include "report/source/code.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

using Names = std::set<std::string_view>;

void add_names(const Expr& expression, Names& names) {
  walk_of<Name>(expression, Nested::kSkip, [&](const Name* name) { names.insert(name->id); });
  if (const auto* name = as<Name>(&expression)) names.insert(name->id);
}

/// What new statements call for its effect, and on which names.
struct Preparation {
  Names calls;
  Names names;
};

/// Whether the call may enter code of the repository outside tests.
bool enters_repository(const Program& program, const Call& call) {
  const program::CallId id = program.call_of(&call);
  if (!id.valid()) return false;
  const auto& targets = program.calls()[id].targets;
  return std::any_of(targets.begin(), targets.end(), [&](const program::CallTarget& target) {
    return target.function.valid() && !program::is_test_path(program.module_of(target.function).path);
  });
}

void add_call(const Program& program, const Call& call, Preparation& out) {
  const std::string_view name = callee_name(call);
  if (name.empty() || !enters_repository(program, call)) return;
  out.calls.insert(name);
  if (const auto* method = as<Attribute>(call.callee)) add_names(*method->value, out.names);
  for (const Expr* argument : call.arguments) add_names(*argument, out.names);
  for (const Keyword* keyword : call.keywords) add_names(*keyword->value, out.names);
}

/// `f(x)` whose result nobody takes, and `x = f(x)`.
const Call* preparing_call(const Stmt& statement) {
  if (const Expr* thrown_away = thrown_away_by(statement)) return as<Call>(thrown_away);
  const auto* assign = as<Assign>(&statement);
  const auto* call = assign == nullptr || assign->targets.size() != 1 ? nullptr : as<Call>(assign->value);
  const std::string_view target = call == nullptr ? std::string_view() : rules::name_of(assign->targets[0]);
  const bool is_given_back =
      !target.empty() && std::any_of(call->arguments.begin(), call->arguments.end(),
                                     [&](const Expr* argument) { return rules::name_of(argument) == target; });
  return is_given_back ? call : nullptr;
}

void add_preparation(const Program& program, const Stmt& statement, Preparation& out) {
  if (const Call* call = preparing_call(statement)) add_call(program, *call, out);
  for_each_block(statement, [&](Seq<Stmt> block) {
    for (const Stmt* inner : block) add_preparation(program, *inner, out);
  });
  // What is called on the items of a list is called on the list.
  const auto* loop = as<For>(&statement);
  const std::string_view item = loop == nullptr ? std::string_view() : rules::name_of(loop->target);
  if (!item.empty() && out.names.contains(item)) add_names(*loop->iterable, out.names);
}

/// The call that a statement makes, or the first statement of a branch without `else`.
const Call* call_made_by(const Stmt& statement) {
  if (const auto* branch = as<If>(&statement))
    return branch->orelse.empty() && !branch->body.empty() && !is<If>(branch->body.front())
               ? call_made_by(*branch->body.front())
               : nullptr;
  if (const Expr* thrown_away = thrown_away_by(statement)) return as<Call>(thrown_away);
  const auto* assign = as<Assign>(&statement);
  return assign == nullptr ? nullptr : as<Call>(assign->value);
}

/// The names that the call passes as they are; not those under which everything is handed around.
Names names_passed(const Call& call) {
  static constexpr std::string_view kEverywhere[] = {"self", "cls", "args", "config", "cfg", "kwargs"};
  Names out;
  const auto add = [&](const Expr* argument) {
    const std::string_view name = rules::name_of(argument);
    if (!name.empty() && std::find(std::begin(kEverywhere), std::end(kEverywhere), name) == std::end(kEverywhere))
      out.insert(name);
  };
  for (const Expr* argument : call.arguments) add(argument);
  for (const Keyword* keyword : call.keywords) add(keyword->value);
  return out;
}

/// Whether both give as many arguments by position, and the same by name.
bool have_one_form(const Call& one, const SourceText& source, const Call& other, const SourceText& other_source) {
  if (one.arguments.size() != other.arguments.size() || one.keywords.size() != other.keywords.size()) return false;
  if (rules::has_spread_arguments(one) || rules::has_spread_arguments(other)) return false;
  return std::all_of(one.keywords.begin(), one.keywords.end(), [&](const Keyword* keyword) {
    const Expr* value = rules::keyword_value(other, keyword->name.text);
    return value != nullptr && one_line_whole(source, *keyword->value) == one_line_whole(other_source, *value);
  });
}

/// Whether a statement before the place, in a block around it, makes one of the calls.
bool is_prepared(const Program& program, FunctionId function, Span place, const Names& calls) {
  const Node* body = program.functions()[function].node;
  bool found = body == nullptr;
  const auto look = [&](const Node& statement) {
    walk_of<Call>(statement, Nested::kEnter,
                  [&](const Call* call) { found = found || calls.contains(callee_name(*call)); });
  };
  std::vector<const Node*> around;
  if (body != nullptr) around.push_back(body);
  while (!around.empty()) {
    const Node* node = around.back();
    around.pop_back();
    for_each_block(*node, [&](Seq<Stmt> block) {
      const auto holder = std::find_if(block.begin(), block.end(),
                                       [&](const Stmt* statement) { return statement->span.contains(place); });
      if (holder == block.end()) return;
      for (auto before = block.begin(); before != holder; ++before) look(**before);
      around.push_back(*holder);
    });
  }
  return found;
}

class NewPreparations {
 public:
  NewPreparations(const DocumentInputs& inputs, const Actor& actor, std::vector<Risk>& risks)
      : inputs_(inputs), program_(*inputs.after), actor_(actor), risks_(risks) {}

  void find(const FunctionDef& def) { visit(def); }

 private:
  /// Whether the change brings the whole statement.
  [[nodiscard]] bool is_new(const Stmt& statement) const {
    bool any = false;
    for (const Step& step : actor_.steps.after) {
      if (!statement.span.contains(step.span)) continue;
      if (step.status != StepStatus::kAdded || step.is_moved || step.taken_from != nullptr || step.inlined != nullptr ||
          step.elsewhere != nullptr)
        return false;
      any = true;
    }
    return any;
  }

  [[nodiscard]] bool is_kept(const Node& node) const {
    return std::none_of(actor_.steps.after.begin(), actor_.steps.after.end(), [&](const Step& step) {
      return step.status != StepStatus::kKept && node.span.contains(step.span);
    });
  }

  void visit(const Node& node) {
    for_each_block(node, [&](Seq<Stmt> block) {
      for (std::size_t i = 0; i < block.size(); ++i) {
        const std::size_t first = i;
        while (i < block.size() && is_new(*block[i])) ++i;
        if (i == block.size()) break;
        if (i > first)
          compare(std::vector<const Stmt*>(block.begin() + static_cast<std::ptrdiff_t>(first),
                                           block.begin() + static_cast<std::ptrdiff_t>(i)),
                  *block[i]);
        if (!is<FunctionDef>(block[i]) && !is<ClassDef>(block[i])) visit(*block[i]);
      }
    });
  }

  void compare(const std::vector<const Stmt*>& added, const Stmt& next) {
    const Call* call = call_made_by(next);
    const program::CallId id = call == nullptr ? program::CallId() : program_.call_of(call);
    if (!id.valid() || !is_kept(*call) || program_.calls()[id].targets.size() != 1) return;
    const FunctionId callee = program_.calls()[id].targets.front().function;
    if (!callee.valid() || !program::surely_enters(program_.calls()[id], callee)) return;
    Preparation preparation;
    for (const Stmt* statement : added) add_preparation(program_, *statement, preparation);
    const Names passed = names_passed(*call);
    const bool is_tied = std::any_of(passed.begin(), passed.end(),
                                     [&](std::string_view name) { return preparation.names.contains(name); });
    // One more call of the same prepares nothing.
    if (preparation.calls.empty() || !is_tied || preparation.calls.contains(callee_name(*call))) return;
    ask(*call, callee, preparation.calls);
  }

  void ask(const Call& call, FunctionId callee, const Names& calls) {
    constexpr std::size_t kMostSites = 3;
    const FunctionId here = actor_.change->after->function;
    const CallSites all = call_sites_of(program_, callee);
    if (all.by_name) return;
    std::vector<std::string> without;
    for (const program::CallSite* site : all.sites) {
      const auto* other = as<Call>(site->node);
      const std::string& path = program_.module_of(site->caller).path;
      const SourceText& source = source_of(program_, site->caller);
      if (other == nullptr || other == &call || !program::surely_enters(*site, callee) ||
          inputs_.change->touches_after(path, source.line_of(other->span.begin)) ||
          !have_one_form(call, source_of(program_, here), *other, source) ||
          is_prepared(program_, site->caller, other->span, calls))
        continue;
      without.push_back(fmt::format("{} ({})", code(short_name(program_, site->caller)),
                                    place(path, source.line_of(other->span.begin))));
    }
    if (without.empty() || without.size() > kMostSites) return;
    std::vector<std::string> names;
    for (const std::string_view name : calls) names.push_back(code(std::string(name)));
    const SourceText& source = source_of(program_, here);
    constexpr std::size_t kLongest = 60;
    risks_.push_back(
        {RiskKind::kCorrectness,
         fmt::format("{} now calls {} before {} ({}); {} {} that without.", code(short_name(program_, here)),
                     join_words(names), code(one_line(source, call, kLongest)),
                     place(program_.module_of(here).path, source.line_of(call.span.begin)), join_words(without),
                     without.size() == 1 ? "makes" : "make"),
         "Is it not needed there?", false});
  }

  const DocumentInputs& inputs_;
  const Program& program_;
  const Actor& actor_;
  std::vector<Risk>& risks_;
};

}  // namespace

void add_unprepared_calls(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        !actor.change->after || !actor.change->after->function.valid())
      continue;
    const FunctionDef* def = inputs.after->functions()[actor.change->after->function].def();
    if (def != nullptr) NewPreparations(inputs, actor, risks).find(*def);
  }
}

}  // namespace lockstep::report
