// exception-swallowed: `except Exception:` (or a bare except) whose body does nothing, on changed lines: what goes
// wrong in the `try` is lost. Worse where one of its operations is a collective: the other ranks wait for the one that
// went on; or where it saves a state.
//
// Left out: handlers of particular errors, handlers with a comment (it says why, or a linter was told), attempts that
// return when they succeed or go on in an `else`, imports, `__del__`, and clean-up (close, destroy, unlink, …), where
// nothing is left to do.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "mesh/models.h"
#include "python/tree_walk.h"
#include "rules/calls/signatures.h"
#include "rules/local_rule.h"
#include "rules/rule_functions.h"
#include "rules/syntax/expressions.h"

namespace lockstep::rules {
namespace {

using namespace python;
using program::FunctionId;
using program::ModuleId;
using program::Program;

constexpr std::string_view kRule = "exception-swallowed";
constexpr std::size_t kKeyLength = 80;
// Parts of names of what tidies up.
constexpr auto kCleanUp = std::to_array<std::string_view>(
    {"close",     "destroy", "shutdown", "unlink",   "remove",     "rmtree", "cleanup", "clean_up",
     "terminate", "kill",    "finish",   "release",  "unregister", "free",   "abort",   "stop",
     "delete",    "exit",    "finalize", "teardown", "detach",     "flush"});

bool tidies_up(std::string_view name) {
  const std::string lower = to_lower(name);
  return lower == "__del__" ||
         std::any_of(kCleanUp.begin(), kCleanUp.end(), [&](std::string_view word) { return contains(lower, word); });
}

bool is_broad(const Expr* type) {
  if (type == nullptr) return true;
  const std::string_view name = name_of(type);
  return name == "Exception" || name == "BaseException";
}

bool does_nothing(Seq<Stmt> body) {
  return std::all_of(body.begin(), body.end(), [](const Stmt* statement) {
    const auto* value = as<ExprStmt>(statement);
    return is<Pass>(statement) || is<Continue>(statement) || (value != nullptr && is<Constant>(value->value));
  });
}

/// `try: return parse(x)`: what follows is the other way.
bool returns(Seq<Stmt> body) {
  bool found = false;
  for (const Stmt* statement : body) {
    found = found || is<Return>(statement);
    walk_statements(*statement, Nested::kSkip, [&](const Stmt* each) { found = found || is<Return>(each); });
  }
  return found;
}

bool only_imports_or_cleans(Seq<Stmt> body) {
  return std::all_of(body.begin(), body.end(), [](const Stmt* statement) {
    if (is<Import>(statement) || is<ImportFrom>(statement) || is<Delete>(statement)) return true;
    bool cleans = false;
    walk_of<Call>(*statement, Nested::kSkip,
                  [&](const Call* call) { cleans = cleans || tidies_up(last_part_of(call->callee)); });
    return cleans;
  });
}

bool is_collective(std::string_view external) {
  const auto* model = mesh::find_collective(external);
  return model != nullptr && !model->is_point_to_point;
}

bool writes_checkpoint(std::string_view external) {
  return external == "torch.save" || external == "torch.distributed.checkpoint.save" ||
         external == "safetensors.torch.save_file";
}

/// The first call of a `try` itself whose external target is one of `wanted`; null where there is none.
const Call* call_in(const Program& program, Seq<Stmt> body, bool (*wanted)(std::string_view external)) {
  const Call* found = nullptr;
  for (const Stmt* statement : body) {
    walk_of<Call>(*statement, Nested::kSkip, [&](const Call* call) {
      const program::CallId id = program.call_of(call);
      if (!id.valid() || found != nullptr) return;
      for (const program::CallTarget& target : program.calls()[id].targets) {
        if (!target.external.empty() && wanted(target.external)) found = call;
      }
    });
  }
  return found;
}

class ModuleScan {
 public:
  ModuleScan(const Program& program, ModuleId module, std::vector<Hit>& hits)
      : program_(program), module_(module), facts_(*program.modules()[module].facts), hits_(hits) {}

  void run() {
    walk_statements(facts_.tree(), Nested::kEnter, [&](const Stmt* statement) {
      const auto* attempt = as<Try>(statement);
      if (attempt == nullptr || !attempt->orelse.empty() || returns(attempt->body) ||
          only_imports_or_cleans(attempt->body))
        return;
      const FunctionId function = program_.function_at(module_, attempt->span.begin);
      if (function.valid() && tidies_up(program_.functions()[function].name)) return;
      for (const ExceptHandler* handler : attempt->handlers) {
        if (is_broad(handler->type) && does_nothing(handler->body) && !is_explained(*handler))
          report(*attempt, *handler);
      }
    });
  }

 private:
  bool is_explained(const ExceptHandler& handler) const {
    const auto& comments = facts_.file->comments;
    const SourceText& source = facts_.source();
    const std::uint32_t last = source.line_of(handler.span.end > 0 ? handler.span.end - 1 : 0);
    return std::any_of(comments.begin(), comments.end(), [&](const Comment& comment) {
      return comment.span.begin > handler.span.begin && source.line_of(comment.span.begin) <= last &&
             !is_mark(source.slice(comment.span));
    });
  }

  /// `# TODO: log`: a mark, which explains nothing. A mark for a linter does: somebody has thought about it.
  static bool is_mark(std::string_view comment) {
    const auto words = split(trim(comment.substr(1)), ' ');
    return words.size() <= 2 && words[0].ends_with(':') && words[0] != "noqa:" && words[0] != "pylint:";
  }

  void report(const Try& attempt, const ExceptHandler& handler) {
    const Call* collective = call_in(program_, attempt.body, is_collective);
    const Call* write = call_in(program_, attempt.body, writes_checkpoint);
    const bool is_grave = collective != nullptr || write != nullptr;
    const std::string_view what = handler.type == nullptr ? "bare `except:`" : "`except Exception:`";
    Hit hit = make_hit(
        program_, kRule, module_, {handler.span.begin, handler.body.front()->span.end},
        {is_grave ? Severity::kP1 : Severity::kP2, FindingCertainty::kLikely, Category::kCorrectness,
         fmt::format("This {} drops every error and tells nobody", what),
         collective != nullptr
             ? fmt::format("A rank on which `{}` or something before it fails goes on alone; the others wait for it.",
                           quote(facts_, collective->callee->span))
         : write != nullptr
             ? fmt::format("If `{}` fails, the run goes on as if its state had been saved.",
                           quote(facts_, write->callee->span))
             : "A typing error, a missing attribute or memory that ran out looks like success, and fails later in "
               "another place.",
         "Catch the error that is expected, and log what is dropped."});
    hit.key.push_back(' ');
    hit.key.append(squeezed(facts_, attempt.body.front()->span), 0, kKeyLength);
    hits_.push_back(std::move(hit));
  }

  const Program& program_;
  const ModuleId module_;
  const FileFacts& facts_;
  std::vector<Hit>& hits_;
};

void scan(const Program& program, ModuleId module, std::vector<Hit>& hits) {
  const std::string_view text = program.modules()[module].facts->source().bytes();
  if (text.find("except") != std::string_view::npos) ModuleScan(program, module, hits).run();
}

}  // namespace

void run_exception_swallowed(const RuleContext& context, std::vector<Finding>& findings) {
  run_on_changed_lines(context, Scope::kSources, scan, findings);
}

}  // namespace lockstep::rules
