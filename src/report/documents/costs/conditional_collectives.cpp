#include "report/documents/costs/conditional_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "mesh/agreement.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/held_settings.h"
#include "report/story/wording/words.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// A condition by its text, and whether it has to fail.
using Condition = std::pair<std::string, bool>;

std::set<Condition> conditions_of(const std::vector<Guard>& guards, const SourceText& source) {
  std::set<Condition> out;
  for (const Guard& guard : guards) {
    if (guard.condition != nullptr) out.emplace(one_line_whole(source, *guard.condition), guard.negated);
  }
  return out;
}

/// One collective, by what it is called with.
struct Issued {
  const mesh::CollectiveSite* site = nullptr;
  std::string text;
  std::vector<Guard> guards;
};

std::vector<Issued> issued_in(const WordsContext& context) {
  std::vector<Issued> out;
  const Node* function = context.program->functions()[context.function].node;
  for (const mesh::CollectiveSite& site : context.mesh->collectives_of(context.function)) {
    if (site.call == nullptr || site.is_point_to_point || site.creates_group) continue;
    out.push_back({&site, one_line_whole(*context.source, *site.call), guards_of(*function, site.call->span)});
  }
  return out;
}

/// The only one of that text; null where there are none or several.
const Issued* only_one(const std::vector<Issued>& all, std::string_view text) {
  const auto is_it = [&](const Issued& one) { return one.text == text; };
  if (std::count_if(all.begin(), all.end(), is_it) != 1) return nullptr;
  return &*std::find_if(all.begin(), all.end(), is_it);
}

/// Whether a statement holds a call that issues, or can come to, a collective.
bool communicates(const Stmt& statement, const WordsContext& context) {
  bool found = false;
  walk_of<Call>(statement, Nested::kSkip, [&](const Call* call) {
    found = found || collective_at(context, call) != nullptr;
    const std::vector<program::FunctionId> callees = callees_of(*context.program, call);
    found = found || std::any_of(callees.begin(), callees.end(),
                                 [&](program::FunctionId one) { return context.mesh->may_communicate(one); });
  });
  return found;
}

/// Whether the arm of an `if` across from the place communicates, too.
bool other_arm_communicates(const Guard& guard, const WordsContext& context) {
  const auto* branch = as<If>(guard.statement);
  if (branch == nullptr) return false;
  const Seq<Stmt> other = guard.negated ? branch->body : branch->orelse;
  return std::any_of(other.begin(), other.end(),
                     [&](const Stmt* statement) { return communicates(*statement, context); });
}

bool is_setting_word(std::string_view name) {
  return name == "args" || name == "cfg" || name.ends_with("config") || name.ends_with("_cfg") ||
         name.ends_with("_args");
}

/// Whether an expression reads nothing but settings and constants.
bool asks_settings_alone(const Expr& expression, const WordsContext& context) {
  const program::Program& program = *context.program;
  if (const auto* member = as<Attribute>(&expression)) {
    for (const Expr* part = member->value; part != nullptr;) {
      const auto* deeper = as<Attribute>(part);
      const std::string_view name = deeper != nullptr ? deeper->name.text : rules::name_of(part);
      // What `forward` keeps for `backward` was decided there.
      if (is_setting_word(name) || name == "ctx") return true;
      part = deeper != nullptr ? deeper->value : nullptr;
    }
    const program::ClassId owner = program.functions()[context.function].owner;
    return owner.valid() && !setting_held_by(program, owner, *member).name.empty();
  }
  if (is<Constant>(&expression)) return true;
  if (is<Name>(&expression) || is<Call>(&expression)) return false;
  bool all = true;
  for_each_child(expression, [&](const Node* child) {
    all = all && is_expression(child) && asks_settings_alone(*static_cast<const Expr*>(child), context);
  });
  return all;
}

bool asks_whether_distributed(std::string_view condition) {
  constexpr std::string_view kWords[] = {"is_initialized", "is_available", "world_size"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return condition.find(word) != std::string_view::npos; });
}

/// What a process knows of the job alike on all ranks: how many there are, of what kind something is.
bool asks_for_the_job(std::string_view condition) {
  constexpr std::string_view kWords[] = {"group", "is_grad_enabled", "training", "_size", "size()", "isinstance"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return condition.find(word) != std::string_view::npos; });
}

/// A variable of a module, or the negation of one: what was found when it was loaded.
bool is_flag_of_module(const Expr& condition, const WordsContext& context) {
  const auto* negation = as<UnaryOp>(&condition);
  const Expr& asked = negation != nullptr ? *negation->operand : condition;
  return is<Name>(&asked) &&
         context.program->resolve(context.function, asked).kind == program::Reference::Kind::kVariable;
}

/// Whether the mesh analysis knows that the ranks of the group agree on the condition, or that they do not.
bool is_known(const WordsContext& context, const mesh::CollectiveSite& site, const Expr& condition) {
  const Expr* const asked[] = {&condition};
  return !mesh::agreement_on(*context.program, *context.mesh, site, context.function, asked).conditions.empty();
}

}  // namespace

void add_conditional_collectives(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  std::size_t told = 0;
  if (inputs.before_mesh == nullptr || inputs.after_mesh == nullptr) return;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed() ||
        actor.is_module_code || !actor.change->before->function.valid() || !actor.change->after->function.valid())
      continue;
    const WordsContext before = context_before(inputs, actor);
    const WordsContext after = context_after(inputs, actor);
    if (before.mesh == nullptr || after.mesh == nullptr || after.mesh->collectives_of(after.function).empty()) continue;
    const std::vector<Issued> old_ones = issued_in(before);
    const std::vector<Issued> new_ones = issued_in(after);
    for (const Issued& now : new_ones) {
      const Issued* then = only_one(old_ones, now.text);
      if (told == kMost || then == nullptr || only_one(new_ones, now.text) == nullptr) continue;
      const std::set<Condition> had = conditions_of(then->guards, *before.source);
      const std::set<Condition> has = conditions_of(now.guards, *after.source);
      if (has.size() <= had.size() || !std::includes(has.begin(), has.end(), had.begin(), had.end())) continue;
      std::vector<Guard> fresh;
      for (const Guard& guard : now.guards) {
        if (guard.condition != nullptr &&
            !had.contains({one_line_whole(*after.source, *guard.condition), guard.negated}))
          fresh.push_back(guard);
      }
      if (std::any_of(fresh.begin(), fresh.end(),
                      [&](const Guard& guard) { return other_arm_communicates(guard, after); }))
        continue;
      const bool is_set_up = std::any_of(fresh.begin(), fresh.end(), [&](const Guard& guard) {
        return asks_whether_distributed(after.source->slice(guard.condition->span));
      });
      if (is_set_up) continue;
      ++told;
      const bool is_asked = std::any_of(fresh.begin(), fresh.end(), [&](const Guard& guard) {
        return !asks_settings_alone(*guard.condition, after) && !is_flag_of_module(*guard.condition, after) &&
               !asks_for_the_job(after.source->slice(guard.condition->span)) &&
               !is_known(after, *now.site, *guard.condition);
      });
      mesh::CollectiveSite plain = *now.site;
      plain.is_async = false;
      const std::string concern =
          fmt::format("{} in {} ({}) runs only where {} now; before, it did without that condition.",
                      collective_words(plain, *inputs.after_mesh), code(short_name(inputs, *actor.change)),
                      place(actor.change->after->path, after.source->line_of(now.site->call->span.begin)),
                      guards_words(fresh, *after.source));
      const std::string asked = "Do all ranks of its group decide alike? If some skip it, the others wait.";
      if (is_asked)
        risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
      else
        risks.push_back({RiskKind::kPerformance, concern, "Fewer exchanges", false});
    }
  }
}

}  // namespace lockstep::report
