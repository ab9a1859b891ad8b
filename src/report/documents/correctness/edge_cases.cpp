#include "report/documents/correctness/edge_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/correctness/excluded_refusals.h"
#include "report/documents/correctness/uneven_divisions.h"
#include "report/documents/correctness/zero_checks.h"
#include "report/source/module_constants.h"
#include "report/source/positive_arguments.h"
#include "report/story/wording/change_steps.h"
#include "rules/calls/signatures.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

/// Whether the last word of the name (`log_dir`, `self.run_name`) is one that folders and names have, and no number.
bool is_called_text(const Expr& expression) {
  static constexpr std::string_view kWords[] = {"basename", "dir", "directory", "filename", "folder", "name", "stem"};
  const auto* attribute = as<Attribute>(&expression);
  const std::string_view name = attribute != nullptr ? attribute->name.text : rules::name_of(&expression);
  const std::string last = to_lower(name.substr(name.rfind('_') + 1));
  return std::find(std::begin(kWords), std::end(kWords), last) != std::end(kWords);
}

bool is_text_type(const Expr& annotation) {
  return rules::mentions_name(annotation, "str") || rules::mentions_name(annotation, "Path") ||
         rules::mentions_attribute(annotation, "Path");
}

/// A literal, `str(…)`, `Path(…)` and what else gives paths.
bool is_written_text(const Expr& expression) {
  static constexpr std::string_view kMakers[] = {"Path",    "PurePath", "PurePosixPath", "joinpath",
                                                 "resolve", "str",      "with_suffix",   "expanduser"};
  if (is<JoinedStr>(&expression) || !rules::text_of(&expression).empty()) return true;
  const auto* call = as<Call>(&expression);
  const std::string_view callee = call == nullptr ? std::string_view() : callee_name(*call);
  return std::find(std::begin(kMakers), std::end(kMakers), callee) != std::end(kMakers) ||
         rules::name_of(&expression) == "__file__";
}

/// A string or a path: by itself, its name, its parameter's annotation, or what the function assigns to it.
bool is_text(const Expr& expression, const FunctionDef* function) {
  if (is_written_text(expression) || is_called_text(expression)) return true;
  const std::string_view name = rules::name_of(&expression);
  if (name.empty() || function == nullptr) return false;
  for (const Parameter* parameter : function->parameters->all) {
    if (parameter->name.text == name) return parameter->annotation != nullptr && is_text_type(*parameter->annotation);
  }
  bool found = false;
  walk_statements(*function, Nested::kSkip, [&](const Stmt* statement) {
    const auto* assign = as<Assign>(statement);
    found = found || (assign != nullptr && assign->targets.size() == 1 &&
                      rules::name_of(assign->targets.front()) == name && is_written_text(*assign->value));
  });
  return found;
}

/// `folder / name` of pathlib: no division. Types are not known: something in it that is a string or a path says so.
bool joins_paths(const BinOp& division, const FunctionDef* function) {
  const Expr* at = &division;
  while (const auto* inner = as<BinOp>(at)) {
    if (inner->op != BinaryOperator::kDiv) return false;
    if (is_text(*inner->right, function)) return true;
    at = inner->left;
  }
  return is_text(*at, function);
}

/// `x // n * n`, `(x + n - 1) // n`: written for what does not divide evenly.
bool rounds_on_purpose(const BinOp& division, const SourceText& source, const Node& function) {
  const std::string_view divisor = source.slice(division.right->span);
  if (const auto* less = as<BinOp>(division.left); less != nullptr && less->op == BinaryOperator::kSub) {
    const auto* sum = as<BinOp>(less->left);
    if (sum != nullptr && sum->op == BinaryOperator::kAdd && source.slice(less->right->span) == "1" &&
        (source.slice(sum->right->span) == divisor || source.slice(sum->left->span) == divisor))
      return true;
  }
  bool found = false;
  walk_of<BinOp>(function, Nested::kEnter, [&](const BinOp* one) {
    if (one->op != BinaryOperator::kMult) return;
    found = found || (one->left == &division && source.slice(one->right->span) == divisor) ||
            (one->right == &division && source.slice(one->left->span) == divisor);
  });
  return found;
}

/// By the name of the divisor: how many ranks a group has, which is never none.
bool is_group_size(const Expr& divisor) {
  static constexpr std::string_view kNames[] = {"cp_size",
                                                "data_parallel_size",
                                                "dp_cp_size",
                                                "dp_size",
                                                "ep_size",
                                                "etp_size",
                                                "expert_parallel_size",
                                                "group_size",
                                                "pp_size",
                                                "pipeline_parallel_size",
                                                "tensor_parallel_size",
                                                "tp_size"};
  const auto* attribute = as<Attribute>(&divisor);
  const std::string_view name = attribute != nullptr ? attribute->name.text : rules::name_of(&divisor);
  return name.ends_with("world_size") || name.ends_with("model_parallel_size") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Asks whether a divisor can be zero; of a floor division, whether it leaves a remainder.
/// `is_never_zero`: then only the remainder is asked for. Returns whether that is a question of its own.
bool ask_of_division(const BinOp& division, const SourceText& source, const Actor& actor, bool is_never_zero,
                     UnevenDivisions& uneven, std::vector<Risk>& risks) {
  const std::string divisor = code(one_line(source, *division.right, 40));
  const std::string where = place(actor.change->after->path, source.line_of(division.span.begin));
  const bool is_floored = division.op == BinaryOperator::kFloorDiv;
  if (is_floored && !rounds_on_purpose(division, source, *actor.change->after->node))
    return uneven.ask(divisor, code(one_line(source, *division.left, 40)), where, is_never_zero, risks);
  Risk risk{RiskKind::kEdgeCases, fmt::format("Can {} be zero?", divisor), "Open: see " + where, false};
  if (is_floored || division.op == BinaryOperator::kDiv)
    risk.question = fmt::format("{}: can {} be zero here?", where, divisor);
  risks.push_back(std::move(risk));
  return true;
}

/// Whether what is divided by a constant of a module leaves nothing to ask: it is one, too, or no remainder matters.
bool is_settled(const BinOp& division, const program::Program& program, program::FunctionId function,
                const SourceText& source, const Node& node) {
  return (is_positive_constant(program, function, *division.right) ||
          gets_positive_numbers(program, function, rules::name_of(division.right))) &&
         (division.op != BinaryOperator::kFloorDiv || rounds_on_purpose(division, source, node) ||
          is_made_of_constants(program, function, *division.left));
}

/// Whether a condition around the division, or one that leaves the function before it, keeps zero from it.
bool is_asked_before(const BinOp& division, const Node& function, const SourceText& source) {
  const std::string_view divisor = source.slice(division.right->span);
  const std::vector<Guard> guards = guards_of(function, division.span);
  return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
    return guard.condition != nullptr && excludes_zero(*guard.condition, guard.negated, divisor, source);
  });
}

/// Whether the function's old version divides by the same, or the whole division stood in another function that changes
/// and no longer stands there: then the question is no new one.
bool divided_before(const BinOp& division, const SourceText& source, const DocumentInputs& inputs, const Actor& actor) {
  if (inputs.before == nullptr) return false;
  const auto stands_in = [&](const program::Program& program, const change::EntitySide& side, bool whole,
                             const Node* by_node) {
    const program::ModuleId module = program.find_path(side.path);
    if (!module.valid() || by_node == nullptr) return false;
    const SourceText& own = program.modules()[module].facts->source();
    const std::string text = without_layout(source, whole ? division.span : division.right->span);
    bool found = false;
    walk_of<BinOp>(*by_node, Nested::kEnter, [&](const BinOp* one) {
      found = found || (one->op == division.op && without_layout(own, whole ? one->span : one->right->span) == text);
    });
    return found;
  };
  const auto& before = actor.change->before;
  if (before && stands_in(*inputs.before, *before, false, before->node)) return true;
  return std::any_of(inputs.change->entities.begin(), inputs.change->entities.end(), [&](const auto& one) {
    const bool is_other = &one != actor.change && one.before && one.before->function.valid();
    return is_other && stands_in(*inputs.before, *one.before, true, one.before->node) &&
           !(one.after && stands_in(*inputs.after, *one.after, true, one.after->node));
  });
}

/// A number above zero, the size of a process group or mesh, `max(1, …)`, `np.maximum(x, 1)`, `torch.clamp(x, min=1)`,
/// `x.clamp(1)`, `x or 1`: never zero.
bool is_never_zero(const Expr& value, const SourceText& source) {
  if (const auto number = number_of(&value, source)) return *number > 0;
  if (const auto* either = as<BoolOp>(&value))
    return either->op == BoolOperator::kOr && is_never_zero(*either->values.back(), source);
  const auto* call = as<Call>(&value);
  const std::string_view last = call == nullptr ? std::string_view() : rules::last_part_of(call->callee);
  if (last == "clamp" || last == "clamp_" || last == "clamp_min" || last == "clamp_min_") {
    // The tensor comes first where the function of torch is called.
    const auto* of = as<Attribute>(call->callee);
    const bool is_function = of != nullptr && rules::name_of(of->value) == "torch";
    const Expr* least = rules::keyword_value(*call, "min");
    if (const std::size_t index = is_function ? 1 : 0; least == nullptr && call->arguments.size() > index)
      least = call->arguments[index];
    return least != nullptr && is_never_zero(*least, source);
  }
  // How many ranks a group or a mesh has.
  if (last == "get_world_size") return true;
  if (const auto* of = call == nullptr ? nullptr : as<Attribute>(call->callee); of != nullptr && last == "size") {
    const std::string object = to_lower(dotted_text(of->value));
    if (contains(object, "mesh") || contains(object, "group")) return true;
  }
  const auto* callee = call == nullptr ? nullptr : as<Name>(call->callee);
  const bool is_greatest = (callee != nullptr && callee->id == "max") || last == "maximum";
  return is_greatest && call->arguments.size() > 1 &&
         std::any_of(call->arguments.begin(), call->arguments.end(),
                     [&](const Expr* one) { return is_never_zero(*one, source); });
}

/// Whether all that the function ever gives the divisor's name is never zero.
bool is_bound_above_zero(const BinOp& division, const Node& function, const SourceText& source) {
  const std::string_view name = rules::name_of(division.right);
  if (name.empty()) return false;
  std::size_t bindings = 0;
  std::size_t safe = 0;
  walk(function, Nested::kEnter, [&](const Node* node) {
    const auto* bound = as<Name>(node);
    if (bound != nullptr && bound->id == name && bound->context == ExprContext::kStore) ++bindings;
    const auto* parameter = as<Parameter>(node);
    if (parameter != nullptr && parameter->name.text == name) ++bindings;
    const auto* assign = as<Assign>(node);
    if (assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets.front()) == name &&
        is_never_zero(*assign->value, source))
      ++safe;
  });
  return bindings > 0 && bindings == safe;
}

/// The only value that the function gives a local; null where it gives it others, too.
const Expr* only_value_of(std::string_view local, const Node& function) {
  const Expr* value = nullptr;
  std::size_t bindings = 0;
  walk(function, Nested::kEnter, [&](const Node* node) {
    const auto* bound = as<Name>(node);
    if (bound != nullptr && bound->id == local && bound->context == ExprContext::kStore) ++bindings;
    const auto* parameter = as<Parameter>(node);
    if (parameter != nullptr && parameter->name.text == local) ++bindings;
    const auto* assign = as<Assign>(node);
    if (assign != nullptr && assign->targets.size() == 1 && rules::name_of(assign->targets.front()) == local)
      value = assign->value;
  });
  return bindings == 1 ? value : nullptr;
}

/// The same of `self.x`, or of a local that holds it: every method of the class, or of one above it, stores only what
/// is above zero there.
bool is_kept_above_zero(const BinOp& division, const DocumentInputs& inputs, const Actor& actor) {
  const Expr* divisor = division.right;
  if (const std::string_view local = rules::name_of(divisor); !local.empty())
    divisor = only_value_of(local, *actor.change->after->node);
  const std::string_view name = divisor == nullptr ? std::string_view() : rules::self_attribute(divisor);
  const program::FunctionId function = actor.change->after->function;
  if (name.empty() || !function.valid()) return false;
  const program::Program& program = *inputs.after;
  const program::ClassId owner = program.functions()[function].owner;
  if (!owner.valid()) return false;
  std::size_t stores = 0;
  std::size_t safe = 0;
  for (const program::ClassId cls : program.classes()[owner].linearized) {
    const SourceText& source = program.module_of(cls).facts->source();
    for (const program::FunctionId method : program.classes()[cls].methods) {
      walk_statements(*program.functions()[method].node, Nested::kEnter, [&](const Stmt* statement) {
        const auto* added = as<AugAssign>(statement);
        if (added != nullptr && rules::self_attribute(added->target) == name) ++stores;
        const auto* assign = as<Assign>(statement);
        const auto* declared = as<AnnAssign>(statement);
        const Expr* value = assign != nullptr ? assign->value : declared != nullptr ? declared->value : nullptr;
        const bool is_store = assign != nullptr
                                  ? std::any_of(assign->targets.begin(), assign->targets.end(),
                                                [&](const Expr* one) { return rules::self_attribute(one) == name; })
                                  : declared != nullptr && rules::self_attribute(declared->target) == name;
        if (!is_store || value == nullptr) return;
        ++stores;
        if (is_never_zero(*value, source)) ++safe;
      });
    }
  }
  return stores > 0 && stores == safe;
}

/// `assert x is not None` behind `if x is None: x = …`: the case was taken care of.
bool is_handled_before(const Assert& check, const Node& function, const SourceText& source) {
  const auto asked = rules::none_test(*check.test);
  if (!asked || asked->is_none) return false;
  const std::string subject = one_line(source, *asked->subject, 200);
  bool found = false;
  walk_of<If>(function, Nested::kSkip, [&](const If* branch) {
    const auto test = rules::none_test(*branch->condition);
    if (!test || !test->is_none || branch->span.begin > check.span.begin ||
        one_line(source, *test->subject, 200) != subject)
      return;
    for (const Stmt* statement : branch->body) {
      const auto* assign = as<Assign>(statement);
      found = found || (assign != nullptr && assign->targets.size() == 1 &&
                        one_line(source, *assign->targets.front(), 200) == subject);
    }
  });
  return found;
}

/// Whether `x // n` or `x % n` takes an index apart: the function works out both, or `n` is a size rounded up
/// (`cdiv(…)`), or a constant that the kernel is compiled with.
bool decodes_index(const BinOp& division, const Node& function, const SourceText& source) {
  if (division.op == BinaryOperator::kDiv) return false;
  const auto* def = as<FunctionDef>(&function);
  if (def != nullptr && is_kernel(*def)) return true;
  const std::string divided = one_line(source, *division.left, 200);
  const std::string divisor = one_line(source, *division.right, 200);
  const BinaryOperator other = division.op == BinaryOperator::kMod ? BinaryOperator::kFloorDiv : BinaryOperator::kMod;
  bool found = false;
  walk_of<BinOp>(function, Nested::kEnter, [&](const BinOp* one) {
    found = found || (one->op == other && one_line(source, *one->left, 200) == divided &&
                      one_line(source, *one->right, 200) == divisor);
  });
  walk_of<Assign>(function, Nested::kEnter, [&](const Assign* assign) {
    const auto* call = as<Call>(assign->value);
    found =
        found ||
        (call != nullptr && assign->targets.size() == 1 && one_line(source, *assign->targets.front(), 200) == divisor &&
         (callee_name(*call) == "cdiv" || callee_name(*call) == "ceil_div" || callee_name(*call) == "divmod"));
  });
  return found;
}

/// "`a` is set where `b` is not set": the branches around the step that its own condition does not tell.
std::string with_branches(std::string condition, const Node& function, const Step& step, const SourceText& source) {
  const std::string where = where_words(function, step, source);
  return where.empty() ? condition : fmt::format("{}, where {}", condition, where);
}

/// A `raise` that goes with its `if`, which is told as a whole.
bool is_case_of(const std::vector<Step>& steps, const Step& raise) {
  const Step& branch = steps[raise.parent];
  return branch.kind == StepKind::kIf && branch.depth <= 1 && branch.status != StepStatus::kKept &&
         end_of(steps, raise.parent) - raise.parent <= 3;
}

constexpr std::string_view kRefusedAt = "Refused at ";

/// "Refused at `a.py:3` (`f`)": in which function, and whether that may have returned before it asks.
std::string refused_at(const DocumentInputs& inputs, const Actor& actor, std::size_t index) {
  const std::vector<Step>& steps = actor.steps.after;
  bool may_return = false;
  for (std::size_t i = 0; i < index && !may_return; ++i) {
    may_return = is<Return>(steps[i].node) && steps[i].parent != Step::kNone && !are_alternatives(steps, i, index);
  }
  return fmt::format("{}{} ({}){}", kRefusedAt, place(actor.change->after->path, steps[index].first_line),
                     code(short_name(inputs, *actor.change)), may_return ? " unless it returned before" : "");
}

/// Of one question that is asked twice and answered alike the places, "Refused at A and B: …".
void merge_alike(std::size_t from, std::vector<Risk>& risks) {
  for (std::size_t i = from; i < risks.size(); ++i) {
    std::vector<std::string> places;
    std::string answer;
    const auto take = [&](const Risk& risk) {
      const std::size_t colon = risk.status.find(": ");
      if (!risk.status.starts_with(kRefusedAt) || colon == std::string::npos) return false;
      if (!places.empty() && risk.status.substr(colon) != answer) return false;
      answer = risk.status.substr(colon);
      const std::string where = risk.status.substr(kRefusedAt.size(), colon - kRefusedAt.size());
      if (std::find(places.begin(), places.end(), where) == places.end()) places.push_back(where);
      return true;
    };
    if (!take(risks[i])) continue;
    for (std::size_t other = i + 1; other < risks.size();) {
      if (risks[other].kind == RiskKind::kEdgeCases && risks[other].concern == risks[i].concern && take(risks[other])) {
        risks.erase(risks.begin() + static_cast<std::ptrdiff_t>(other));
      } else {
        ++other;
      }
    }
    risks[i].status = std::string(kRefusedAt) + join_words(places) + answer;
  }
}

}  // namespace

void add_edge_cases(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  const std::size_t first = risks.size();
  std::size_t told = 0;
  std::vector<const Actor*> actors;
  for (std::size_t i = 0; i < story.central.size(); ++i) actors.push_back(&story.actor(i));
  // Others after those that are told: where nothing is found, nothing is there.
  for (const Actor& actor : story.actors) {
    if (actor.change->after && actor.is_function() && actor.role != Role::kCosmetic &&
        std::find(actors.begin(), actors.end(), &actor) == actors.end())
      actors.push_back(&actor);
  }
  for (std::size_t i = 0; i < actors.size() && told < 3; ++i) {
    const Actor& actor = *actors[i];
    if (actor.steps.after_source == nullptr || actor.role == Role::kTest) continue;
    const SourceText& source = *actor.steps.after_source;
    UnevenDivisions uneven;
    for (std::size_t s = 0; s < actor.steps.after.size() && told < 3; ++s) {
      const Step& step = actor.steps.after[s];
      // What another function of the change asked before is refused as it was.
      if (step.status == StepStatus::kKept || step.taken_from != nullptr) continue;
      if (step.kind == StepKind::kIf && step.depth <= 1 && end_of(actor.steps.after, s) - s <= 3) {
        // What returns early says so itself; what refuses is an answer, under all that it stands under.
        const std::size_t last = end_of(actor.steps.after, s) - 1;
        const Step& raise = actor.steps.after[last];
        if (is<Raise>(raise.node)) {
          if (may_be_excluded(inputs, actor, raise)) continue;
          const bool is_own = raise.parent == s;
          const std::string inner = is_own ? "" : where_words(*actor.change->after->node, raise, source);
          const std::string when = is_own || inner.empty()
                                       ? with_branches(condition_words(*as<If>(step.node)->condition, source),
                                                       *actor.change->after->node, step, source)
                                       : inner;
          risks.push_back({RiskKind::kEdgeCases,
                           fmt::format("What happens when {}?", when),
                           fmt::format("{}: {}", refused_at(inputs, actor, is_own ? s : last),
                                       step_words(raise, context_after(inputs, actor))),
                           false,
                           {},
                           true});
          ++told;
          continue;
        }
      }
      if (is<Raise>(step.node) && step.parent != Step::kNone && !is_case_of(actor.steps.after, step)) {
        const std::string when = where_words(*actor.change->after->node, step, source);
        // What a handler passes on is refused by nobody here.
        if (as<Raise>(step.node)->exception == nullptr || may_be_excluded(inputs, actor, step)) continue;
        if (!when.empty()) {
          risks.push_back(
              {RiskKind::kEdgeCases,
               fmt::format("What happens when {}?", when),
               fmt::format("{}: {}", refused_at(inputs, actor, s), step_words(step, context_after(inputs, actor))),
               false,
               {},
               true});
          ++told;
          continue;
        }
      }
      if (const auto* check = as<Assert>(step.node); check != nullptr && step.status == StepStatus::kAdded &&
                                                     !is_handled_before(*check, *actor.change->after->node, source) &&
                                                     !may_be_excluded(inputs, actor, step)) {
        risks.push_back({RiskKind::kEdgeCases,
                         fmt::format("What happens when {}?", with_branches(condition_words(*check->test, source, true),
                                                                            *actor.change->after->node, step, source)),
                         fmt::format("{}: an assertion fails", refused_at(inputs, actor, s)),
                         false,
                         {},
                         true});
        ++told;
        continue;
      }
      const auto visit = [&](const auto& walk, const Node& node) -> void {
        if (told >= 3 || is<FunctionDef>(&node) || (node.span.begin >= step.span.end)) return;
        if (is<IfExp>(&node)) return;  // `a / b if b else 0`: thought of.
        const auto* either = as<BoolOp>(&node);
        if (either != nullptr && either->op == BoolOperator::kOr) return;  // `given or a // b`: where none is given.
        if (const auto* division = as<BinOp>(&node);
            division != nullptr && step.span.contains(node.span) &&
            inputs.change->touches_after(actor.change->after->path, source.line_of(node.span.begin)) &&
            (division->op == BinaryOperator::kDiv || division->op == BinaryOperator::kFloorDiv ||
             division->op == BinaryOperator::kMod) &&
            (is<Name>(division->right) || is<Attribute>(division->right)) && as<Constant>(division->left) == nullptr &&
            !decodes_index(*division, *actor.change->after->node, source) &&
            !divided_before(*division, source, inputs, actor) &&
            !is_asked_before(*division, *actor.change->after->node, source) &&
            !is_bound_above_zero(*division, *actor.change->after->node, source) &&
            !is_kept_above_zero(*division, inputs, actor) &&
            (division->op == BinaryOperator::kFloorDiv || !is_field_without_zero(*inputs.after, *division->right)) &&
            !joins_paths(*division, as<FunctionDef>(actor.change->after->node)) &&
            (division->op == BinaryOperator::kFloorDiv || !is_group_size(*division->right)) &&
            !is_settled(*division, *inputs.after, actor.change->after->function, source, *actor.change->after->node)) {
          const bool never_zero =
              is_group_size(*division->right) ||
              is_positive_constant(*inputs.after, actor.change->after->function, *division->right) ||
              gets_positive_numbers(*inputs.after, actor.change->after->function, rules::name_of(division->right)) ||
              is_field_without_zero(*inputs.after, *division->right);
          told += ask_of_division(*division, source, actor, never_zero, uneven, risks) ? 1 : 0;
        }
        for_each_child(node, [&](const Node* child) { walk(walk, *child); });
      };
      visit(visit, *step.node);
    }
  }
  merge_alike(first, risks);
}

}  // namespace lockstep::report
