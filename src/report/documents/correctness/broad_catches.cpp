#include "report/documents/correctness/broad_catches.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/story/checks/catches.h"
#include "report/story/settings/deciding.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kWidth = 70;

bool is_broad(std::string_view type) {
  return type.empty() || type == "RuntimeError" || type == "Exception" || type == "BaseException";
}

/// A handler that takes a whole class of errors, and goes on with something else.
struct Broad {
  const Try* attempt = nullptr;
  std::string type;                 ///< Empty: a bare `except:`.
  std::vector<std::string> beside;  ///< What it names beside that.
  const Stmt* then = nullptr;       ///< What it does.
};

bool raises(const ExceptHandler& handler) {
  bool found = false;
  walk(handler, Nested::kSkip, [&](const Node* node) {
    const auto* call = as<Call>(node);
    const std::string_view name = call == nullptr ? std::string_view() : callee_name(*call);
    found = found || is<Raise>(node) || name == "exit" || name == "_exit" || name == "abort" || name == "set_exception";
  });
  return found;
}

/// The first statement of a handler that calls something, but to tell people; null where there is none.
const Stmt* work_of(const ExceptHandler& handler) {
  for (const Stmt* statement : handler.body) {
    bool works = false;
    walk_of<Call>(*statement, Nested::kSkip, [&](const Call* call) {
      works = works || (!rules::is_log_call(call) && callee_name(*call) != "warn" && callee_name(*call) != "print");
    });
    const auto* alone = as<ExprStmt>(statement);
    if (works && (alone == nullptr || !rules::is_log_call(alone->value))) return statement;
  }
  return nullptr;
}

std::vector<Broad> broad_in(const Node& function, const SourceText& source) {
  std::vector<Broad> out;
  walk_of<Try>(function, Nested::kSkip, [&](const Try* attempt) {
    for (const ExceptHandler* handler : attempt->handlers) {
      const std::vector<std::string> types = caught_types(*handler, source);
      const auto broad = std::find_if(types.begin(), types.end(), is_broad);
      const Stmt* work = work_of(*handler);
      if (broad == types.end() || work == nullptr || raises(*handler)) continue;
      Broad one{attempt, *broad, {}, work};
      for (const std::string& type : types)
        if (type != *broad) one.beside.push_back(type);
      out.push_back(std::move(one));
    }
  });
  return out;
}

/// The calls that the body of a `try` makes, in the order of the code.
std::vector<const Call*> calls_in(const Try& attempt) {
  std::vector<const Call*> out;
  for (const Stmt* statement : attempt.body) {
    walk_of<Call>(*statement, Nested::kSkip, [&](const Call* call) {
      if (!rules::is_log_call(call)) out.push_back(call);
    });
  }
  return out;
}

bool has_try(const Node& function) {
  bool found = false;
  walk_of<Try>(function, Nested::kSkip, [&](const Try*) { found = true; });
  return found;
}

/// The functions that a step names.
std::set<FunctionId> named_by(const Program& program, FunctionId function, const Step& step) {
  std::set<FunctionId> out;
  const auto look = [&](const Expr* expression) {
    if (!step.span.contains(expression->span)) return;
    const program::Reference to = program.resolve(function, *expression);
    if (to.kind == program::Reference::Kind::kFunction) out.insert(to.function);
  };
  walk_of<Name>(*step.node, Nested::kSkip, look);
  walk_of<Attribute>(*step.node, Nested::kSkip, look);
  return out;
}

/// A function that a changed step names in the place of another one.
struct Exchanged {
  FunctionId was;  ///< Before the change.
  FunctionId now;
};

std::vector<Exchanged> exchanged_by(const DocumentInputs& inputs, const Story& story) {
  std::vector<Exchanged> out;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        !actor.change->before || !actor.change->after || !actor.change->before->function.valid() ||
        !actor.change->after->function.valid())
      continue;
    for (const Step& step : actor.steps.after) {
      if (step.status != StepStatus::kChanged || step.partner == Step::kNone || step.kind != StepKind::kPlain) continue;
      const auto was = named_by(*inputs.before, actor.change->before->function, actor.steps.before[step.partner]);
      const auto now = named_by(*inputs.after, actor.change->after->function, step);
      std::vector<FunctionId> gone;
      std::vector<FunctionId> come;
      for (const FunctionId one : was) {
        const std::string& name = inputs.before->functions()[one].qualified_name;
        if (!now.contains(inputs.after->find_function(name))) gone.push_back(one);
      }
      for (const FunctionId one : now) {
        if (!was.contains(inputs.before->find_function(inputs.after->functions()[one].qualified_name)))
          come.push_back(one);
      }
      if (gone.size() == 1 && come.size() == 1) out.push_back({gone.front(), come.front()});
    }
  }
  return out;
}

std::string sentence(const Program& program, FunctionId function, const Broad& broad, const Call& call,
                     const std::vector<std::string>& without) {
  const SourceText& source = source_of(program, function);
  std::vector<std::string> beside;
  for (const std::string& one : broad.beside) beside.push_back(code(one));
  return fmt::format(
      "{} catches {} of {} ({}){}, and runs {}; {} let it through.", code(short_name(program, function)),
      broad.type.empty() ? std::string("every error") : "every " + code(broad.type),
      code(one_line(source, call, kWidth)), place_of(program, program.functions()[function].module, call.span),
      beside.empty() ? "" : fmt::format(", not only {}", join_words(beside)),
      code(one_line(source, broad.then->span, kWidth)), without.empty() ? "the old version" : join_words(without));
}

}  // namespace

void add_broad_catches(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  const std::string status = "Is that meant for errors of all kinds?";
  const Program& program = *inputs.after;
  std::size_t told = 0;
  // In the place of others.
  std::vector<FunctionId> looked;
  const std::vector<Exchanged> exchanged = exchanged_by(inputs, story);
  for (const Exchanged& one : exchanged) {
    const Node* node = program.functions()[one.now].node;
    if (told == kMost || std::find(looked.begin(), looked.end(), one.now) != looked.end() || !is<FunctionDef>(node))
      continue;
    looked.push_back(one.now);
    const SourceText& source = source_of(program, one.now);
    for (const Broad& broad : broad_in(*node, source)) {
      const std::vector<const Call*> calls = calls_in(*broad.attempt);
      if (calls.empty()) continue;
      const std::string wanted = without_layout(source, calls.front()->span);
      std::vector<std::string> without;
      for (const Exchanged& other : exchanged) {
        const Node* was = inputs.before->functions()[other.was].node;
        if (other.now != one.now || !is<FunctionDef>(was) || has_try(*was)) continue;
        const SourceText& old_source = source_of(*inputs.before, other.was);
        bool has = false;
        walk_of<Call>(*was, Nested::kSkip,
                      [&](const Call* call) { has = has || without_layout(old_source, call->span) == wanted; });
        std::string name = fmt::format("{} ({})", code(short_name(*inputs.before, other.was)),
                                       place(inputs.before->module_of(other.was).path));
        if (has && std::find(without.begin(), without.end(), name) == without.end()) without.push_back(std::move(name));
      }
      if (without.empty()) continue;
      risks.push_back(
          {RiskKind::kCorrectness, sentence(program, one.now, broad, *calls.front(), without), status, false});
      ++told;
      break;
    }
  }
  // Around what stood there before.
  for (const Actor& actor : story.actors) {
    if (told == kMost || actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        !actor.change->after || !actor.change->after->function.valid() || actor.change->before == std::nullopt ||
        has_try(*actor.change->before->node))
      continue;
    const FunctionId function = actor.change->after->function;
    for (const Broad& broad : broad_in(*actor.change->after->node, source_of(program, function))) {
      const Call* found = nullptr;
      for (const Step& step : actor.steps.after) {
        if (step.status == StepStatus::kAdded || step.partner == Step::kNone || step.kind != StepKind::kPlain) continue;
        for (const Call* call : calls_in(*broad.attempt))
          if (found == nullptr && step.span.contains(call->span)) found = call;
      }
      if (found == nullptr) continue;
      risks.push_back({RiskKind::kCorrectness, sentence(program, function, broad, *found, {}), status, false});
      ++told;
      break;
    }
  }
}

}  // namespace lockstep::report
