#include "report/documents/risks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/author/results.h"
#include "report/document.h"
#include "report/documents/arguments.h"
#include "report/documents/captured_code.h"
#include "report/documents/checks.h"
#include "report/documents/classes_without.h"
#include "report/documents/conditional_collectives.h"
#include "report/documents/costs.h"
#include "report/documents/default_branches.h"
#include "report/documents/edge_cases.h"
#include "report/documents/environment.h"
#include "report/documents/fields.h"
#include "report/documents/heirs_without.h"
#include "report/documents/kept_arguments.h"
#include "report/documents/kept_defaults.h"
#include "report/documents/last_deletes.h"
#include "report/documents/left_behind.h"
#include "report/documents/misplaced_writes.h"
#include "report/documents/narrow_cache_keys.h"
#include "report/documents/near_copies.h"
#include "report/documents/new_directions.h"
#include "report/documents/other_writers.h"
#include "report/documents/passed_by.h"
#include "report/documents/re_exports.h"
#include "report/documents/read_after_release.h"
#include "report/documents/removed.h"
#include "report/documents/removed_warnings.h"
#include "report/documents/reordered_calls.h"
#include "report/documents/repeated_calls.h"
#include "report/documents/return_forms.h"
#include "report/documents/sibling_arguments.h"
#include "report/documents/signatures.h"
#include "report/documents/softened_errors.h"
#include "report/documents/stale_documentation.h"
#include "report/documents/swallowed_arguments.h"
#include "report/documents/test_code.h"
#include "report/documents/tests.h"
#include "report/documents/unasked_results.h"
#include "report/documents/uncaught_errors.h"
#include "report/documents/unchanged_limits.h"
#include "report/documents/unchanged_twins.h"
#include "report/documents/unmade_objects.h"
#include "report/documents/unread_arguments.h"
#include "report/documents/unset_settings.h"
#include "report/documents/untested_refusals.h"
#include "report/story/flag_declarations.h"
#include "report/story/unset.h"
#include "rules/bindings.h"
#include "rules/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

RiskKind kind_of(rules::Category category) {
  using rules::Category;
  switch (category) {
    case Category::kPerformance:
      return RiskKind::kPerformance;
    case Category::kCompatibility:
      return RiskKind::kCompatibility;
    case Category::kTests:
      return RiskKind::kTests;
    default:
      return RiskKind::kCorrectness;
  }
}

std::string severity_text(const rules::Finding& finding) {
  constexpr std::string_view kNames[] = {"P0", "P1", "P2", "P3"};
  return std::string(kNames[static_cast<std::size_t>(finding.severity)]);
}

void add_findings(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  for (const rules::Finding& finding : inputs.findings) {
    if (finding.severity == rules::Severity::kP3) continue;
    Risk risk;
    risk.kind = kind_of(finding.category);
    risk.is_finding = true;
    const bool question = finding.certainty == rules::FindingCertainty::kQuestion;
    risk.concern = fmt::format("{} ({})", as_sentence(capitalised(from_backquotes(finding.message))),
                               place(finding.path, finding.start_line));
    const std::string_view sure = finding.certainty == rules::FindingCertainty::kProven ? "proven"
                                  : question                                            ? "to be answered"
                                                                                        : "likely";
    risk.status = fmt::format("{} {}, {}", severity_text(finding), code(finding.rule), sure);
    if (!finding.fix.empty()) risk.status += ". " + as_sentence(capitalised(from_backquotes(finding.fix)));
    risks.push_back(std::move(risk));
  }
}

/// Whom the new default of a setting reaches: where a CLI argument gives another one, only code that makes the object.
std::string default_reaches(const Flag& flag) {
  if (flag.argument_default.empty())
    return flag.default_value == "None"
               ? fmt::format("Runs that do not set it get what code takes for {}", code("None"))
               : std::string("Runs that do not set it behave differently");
  const bool is_old = replace_all(flag.argument_default, "\"", "'") == replace_all(flag.old_default, "\"", "'");
  return fmt::format(
      "Only code that makes {} without it gets the new one: {} {}gives {} where it is not given{}",
      flag.owner.empty() ? std::string("the object") : code(flag.owner.substr(flag.owner.rfind('.') + 1)),
      code(flag.argument), is_old ? "still " : "", code(flag.argument_default), is_old ? ". Is that meant?" : "");
}

void add_compatibility(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  add_removed_names(inputs, story, risks);
  add_re_exports(inputs, risks);
  const std::vector<std::string> gone = gone_arguments(inputs);
  add_gone_arguments(gone, risks);
  add_arguments_gone_from_scripts(inputs, gone, risks);
  std::size_t told = 0;
  std::vector<ToldSignature> signatures;
  for (const Actor& actor : story.actors) {
    if (actor.role != Role::kTest && is_public(*actor.change) && actor.is_function() && told < 4)
      add_exchanged_name(inputs, actor, risks);
    if (actor.role != Role::kTest && is_public(*actor.change) && told < 4) add_new_constructor(inputs, actor, risks);
    if (actor.role == Role::kTest || !is_public(*actor.change) || !was_public(*actor.change) || actor.is_added() ||
        actor.is_removed() || !actor.is_function() || told >= 4)
      continue;
    const std::size_t before = risks.size();
    add_property(inputs, actor, risks);
    add_signature(inputs, actor, signatures, risks);
    told += risks.size() - before;
  }
  add_return_forms(inputs, story, risks);
  add_bound_overrides(inputs, story, risks);
  add_new_fields(inputs, story, risks);
  const bool unset_is_silent = gone.empty() && changes_nothing_unset(inputs, story);
  std::vector<std::pair<std::string, std::vector<std::string>>> settings;  // New ones by what they mean where unset.
  std::set<std::string> settled;
  for (const Flag& flag : story.flags) {
    if (!flag.is_new || !flag.derived.empty()) continue;  // What is derived no configuration holds.
    if (is_of_script(*inputs.after, flag)) continue;      // No other run has it.
    bool is_settled = false;
    std::string unset = unset_text(inputs, story, flag, unset_is_silent, is_settled);
    if (is_settled) settled.insert(unset);
    const auto known =
        std::find_if(settings.begin(), settings.end(), [&](const auto& one) { return one.first == unset; });
    std::vector<std::string>& names = known != settings.end()
                                          ? known->second
                                          : settings.emplace_back(std::move(unset), std::vector<std::string>()).second;
    names.push_back(fmt::format(
        "{} ({})", code(flag.name),
        flag.default_value.empty() ? std::string("without a default") : "default " + code(flag.default_value)));
  }
  for (const auto& [unset, names] : settings)
    risks.push_back({RiskKind::kCompatibility,
                     fmt::format("New {} {}.", names.size() == 1 ? "setting" : "settings", join_words(names)),
                     unset,
                     false,
                     {},
                     settled.contains(unset)});
  std::vector<std::string> declared_otherwise;
  for (const Flag& flag : story.flags) {
    if (flag.is_changed && flag.derived.empty()) {
      const std::string now = flag.default_value.empty() ? std::string("absent") : code(flag.default_value);
      if (flag.old_default.empty()) {
        declared_otherwise.push_back(fmt::format("{} ({})", code(flag.name), now));
      } else {
        risks.push_back({RiskKind::kCompatibility,
                         fmt::format("The default of setting {} changes: {} \u2192 {}.", code(flag.name),
                                     code(flag.old_default), now),
                         default_reaches(flag), false});
      }
    }
  }
  if (!declared_otherwise.empty())
    risks.push_back(
        {RiskKind::kCompatibility,
         declared_otherwise.size() == 1
             ? fmt::format("The declaration of setting {} changes, its default does not.", declared_otherwise.front())
             : fmt::format("The declarations of settings {} change, their defaults do not.",
                           join_words(declared_otherwise)),
         "Existing configurations keep their values", false});
}

/// New settings beyond those that are told one by one.
void add_other_settings(const Story& story, std::vector<Risk>& risks) {
  const auto told = static_cast<std::size_t>(std::count_if(
      story.flags.begin(), story.flags.end(), [](const Flag& flag) { return flag.is_new && flag.derived.empty(); }));
  if (story.new_flags <= told) return;
  const std::size_t left = story.new_flags - told;
  risks.push_back({RiskKind::kCompatibility, fmt::format("{} not told here.", count_of(left, "more new setting")),
                   "Where they are declared stands whether they have a default, and which", false});
}

/// Functions that write or read what a checkpoint holds, by the names that torch and Megatron-LM give them.
bool is_checkpoint_function(std::string_view name) {
  static constexpr std::string_view kNames[] = {"__getstate__",        "__setstate__",    "_load_from_state_dict",
                                                "_save_to_state_dict", "load_state_dict", "sharded_state_dict",
                                                "state_dict"};
  const bool reads_or_writes = contains(name, "save") || contains(name, "load");
  return (contains(name, "checkpoint") && reads_or_writes) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Such a function, or one that such a function defines for itself.
bool serves_checkpoints(std::string_view qualified_name) {
  const std::vector<std::string_view> parts = split(qualified_name, '.');
  return std::any_of(parts.begin(), parts.end(), is_checkpoint_function);
}

/// Whether changed steps name entries or states, as far as their text shows: a function that saves a checkpoint does
/// much beside what is written.
bool touches_entries(const Actor& actor) {
  static constexpr std::string_view kMarks[] = {"state_dict", "[\"", "['", "{\"", "{'"};
  const auto touches = [](const std::vector<Step>& steps, const SourceText* source) {
    return source != nullptr && std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
             if (step.status == StepStatus::kKept || step.is_moved) return false;
             const std::string_view text = source->slice(step.span);
             return std::any_of(std::begin(kMarks), std::end(kMarks),
                                [&](std::string_view mark) { return contains(text, mark); });
           });
  };
  return touches(actor.steps.after, actor.steps.after_source) || touches(actor.steps.before, actor.steps.before_source);
}

/// Whether any step that comes, goes or changes is more than a check or a message.
bool does_more_than_refuse(const Actor& actor) {
  const auto counts = [](const std::vector<Step>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      const bool is_check = python::is<python::Assert>(step.node) || python::is<python::Raise>(step.node) ||
                            only_logs(steps, i) || (step.kind == StepKind::kIf && only_refuses(steps, i));
      if (step.status != StepStatus::kKept && !is_check) return true;
    }
    return false;
  };
  return counts(actor.steps.after) || counts(actor.steps.before);
}

/// Whether the function's own module registers it as a hook on states: `register_state_dict_post_hook(self._split)`.
bool is_state_hook(const DocumentInputs& inputs, const Actor& actor) {
  const program::ModuleId module =
      actor.change->after ? inputs.after->find_path(actor.change->after->path) : program::ModuleId();
  if (!module.valid()) return false;
  const std::string_view name = change::last_part(actor.change->latest().qualified_name);
  bool found = false;
  python::walk_of<python::Call>(inputs.after->modules()[module].facts->tree(), python::Nested::kEnter,
                                [&](const python::Call* call) {
                                  const std::string_view callee = callee_name(*call);
                                  if (found || !contains(callee, "state_dict") || !callee.ends_with("hook")) return;
                                  for (const python::Expr* argument : call->arguments)
                                    found = found || change::last_part(dotted_text(argument)) == name;
                                });
  return found;
}

/// Whether changed code works on a `state_dict` that the function is given: a hook that splits or renames its entries.
bool edits_given_state(const Actor& actor) {
  const auto* def = actor.change->after ? python::as<python::FunctionDef>(actor.change->after->node) : nullptr;
  if (def == nullptr || actor.steps.after_source == nullptr) return false;
  constexpr std::string_view kName = "state_dict";
  return rules::parameter_named(def, kName) != nullptr &&
         std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
           return step.status != StepStatus::kKept &&
                  find_name(actor.steps.after_source->slice(step.span), kName) != std::string_view::npos;
         });
}

/// The function outside tests that writes or reads a checkpoint and calls this one, where the name of this one says
/// that it deals with state; none otherwise.
program::FunctionId checkpoint_caller(const DocumentInputs& inputs, const Actor& actor) {
  if (!actor.change->after || !actor.change->after->function.valid()) return {};
  const program::FunctionId function = actor.change->after->function;
  const std::string_view name = inputs.after->functions()[function].name;
  if (!contains(name, "state") && !contains(name, "checkpoint")) return {};
  for (const program::CallId call : inputs.after->callers_of(function)) {
    const program::FunctionId caller = inputs.after->calls()[call].caller;
    if (is_checkpoint_function(inputs.after->functions()[caller].name) &&
        !program::is_test_path(inputs.after->module_of(caller).path))
      return caller;
  }
  return {};
}

/// `self.register_buffer("x", t, persistent=False)`: no part of checkpoints (torch.nn.Module.register_buffer).
bool registers_passing_buffer(const Step& step) {
  const auto* statement = python::as<python::ExprStmt>(step.node);
  const auto* call = statement == nullptr ? nullptr : python::as<python::Call>(statement->value);
  if (call == nullptr || callee_name(*call) != "register_buffer") return false;
  constexpr std::size_t kPlace = 2;
  const python::Expr* named = rules::keyword_value(*call, "persistent");
  return rules::is_false(call->arguments.size() > kPlace ? call->arguments[kPlace] : named);
}

/// The name under which a step registers state of a module: of `self.register_buffer("x", t)` and `self.x =
/// Parameter(t)`; empty for others.
std::string registered_name(const Step& step) {
  const auto* statement = python::as<python::ExprStmt>(step.node);
  const auto* call = statement == nullptr ? nullptr : python::as<python::Call>(statement->value);
  if (call != nullptr && !call->arguments.empty() && callee_name(*call).starts_with("register_"))
    return std::string(rules::text_of(call->arguments.front()));
  const python::Expr* target = nullptr;
  const auto* attribute =
      assigned_value(step.node, target) == nullptr ? nullptr : python::as<python::Attribute>(target);
  return attribute == nullptr ? std::string() : std::string(attribute->name.text);
}

/// Whether the function registered, or set, state of that name before the change.
bool was_registered(const Actor& actor, const Step& step) {
  const std::string name = registered_name(step);
  return !name.empty() && std::any_of(actor.steps.before.begin(), actor.steps.before.end(),
                                      [&](const Step& was) { return registered_name(was) == name; });
}

/// Functions and attributes that decide what a checkpoint holds.
void add_checkpoint(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  std::vector<std::string> names;
  std::vector<std::string> state;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.role == Role::kCosmetic || !actor.is_function()) continue;
    const std::string& qualified = actor.change->latest().qualified_name;
    if (!actor.is_added() && !actor.is_removed()) {
      const program::FunctionId caller = checkpoint_caller(inputs, actor);
      const bool is_by_name = contains(change::last_part(qualified), "checkpoint");
      if (is_by_name && !touches_entries(actor)) continue;
      if (serves_checkpoints(qualified) || edits_given_state(actor) || is_state_hook(inputs, actor)) {
        names.push_back(code(short_name(inputs, *actor.change)));
      } else if (caller.valid() && does_more_than_refuse(actor)) {
        names.push_back(fmt::format("{} (called by {})", code(short_name(inputs, *actor.change)),
                                    code(short_name(*inputs.after, caller))));
      }
    }
    for (const Step& step : actor.steps.after) {
      if (step.status == StepStatus::kKept || step.kind != StepKind::kPlain || actor.steps.after_source == nullptr)
        continue;
      const std::string text = one_line(*actor.steps.after_source, step.span, 200);
      if (registers_passing_buffer(step) || was_registered(actor, step)) continue;
      if (contains(text, "register_buffer(") || contains(text, "nn.Parameter(") || contains(text, "Parameter(torch."))
        state.push_back(code(one_line(*actor.steps.after_source, step.span, 60)));
    }
  }
  if (!names.empty()) {
    const std::size_t all = names.size();
    if (all > 4) names.resize(4);
    const std::string asked =
        fmt::format("{}{} changed: do checkpoints written before still load, and the other way round?",
                    join_words(names), all > 4 ? " and others" : "");
    risks.push_back({RiskKind::kCompatibility, asked,
                     "Open: to be read from the keys, shapes and values that both versions write", false, asked});
  }
  if (!state.empty()) {
    if (state.size() > 3) state.resize(3);
    risks.push_back({RiskKind::kCompatibility, fmt::format("New module state: {}.", join_words(state)),
                     "Its key is missing from checkpoints written before", false});
  }
}

struct Topic {
  std::string_view label;
  std::vector<std::string_view> words;  ///< In the code that changed, and in tests that cover it.
  bool is_precision = false;            ///< Of which a run has one: no two of them are run together.
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> kTopics = {
      {"tensor parallelism (TP)",
       {"tensor_model_parallel", "tensor_parallel", "tp_size", "tp_group", "tp_rank", "tp_mesh", "tp_enabled"}},
      {"sequence parallelism", {"sequence_parallel"}},
      {"pipeline parallelism (PP)",
       {"pipeline_model_parallel", "pipeline_parallel", "pp_size", "pp_group", "pp_rank", "virtual_pipeline",
        "vp_stage", "pp_mesh", "pp_enabled"}},
      {"context parallelism (CP)", {"context_parallel", "cp_size", "cp_group", "cp_rank", "cp_mesh", "cp_enabled"}},
      {"expert parallelism (EP)",
       {"expert_model_parallel", "expert_parallel", "ep_size", "ep_group", "ep_rank", "ep_mesh", "ep_enabled"}},
      // Not data parallelism: each test on several ranks has it, whether it names it or not.
      {"multi-token prediction (MTP)", {"mtp_"}},
      {"FP8", {"fp8"}, true},
      {"FP4", {"fp4"}, true},
      {"FP16", {"fp16", "float16", ".half("}, true},
      {"BF16", {"bf16", "bfloat16"}, true},
      {"CUDA graphs", {"cuda_graph", "cudagraph"}},
      {"activation recomputation", {"recompute"}},
      {"FSDP", {"fsdp"}},
  };
  return kTopics;
}

/// Whether the word stands in the text; "float16" does not in "bfloat16", nor "fp16" in "nvfp16".
bool has_word(std::string_view text, std::string_view word) {
  const bool is_number_format = word.ends_with("16");
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (!is_number_format || at == 0 || !is_name_char(text[at - 1]) || text[at - 1] == '_') return true;
  }
  return false;
}

bool mentions(std::string_view text, const Topic& topic) {
  return std::any_of(topic.words.begin(), topic.words.end(),
                     [&](std::string_view word) { return has_word(text, word); });
}

/// `assert …`, or an `if` that only raises: what these name is refused, not done.
bool is_refusal(const Node& node) {
  const auto* branch = as<If>(&node);
  return is<Assert>(&node) || is<Raise>(&node) ||
         (branch != nullptr && branch->orelse.empty() && !branch->body.empty() && is<Raise>(branch->body.back()));
}

/// Text of a function without what it refuses.
std::string accepted_text(const Node& function, const SourceText& source) {
  std::string text;
  std::uint32_t from = function.span.begin;
  walk_statements(function, Nested::kEnter, [&](const Stmt* statement) {
    if (!is_refusal(*statement)) return true;
    if (statement->span.begin > from) text += source.slice({from, statement->span.begin});
    from = std::max(from, statement->span.end);
    return false;
  });
  if (function.span.end > from) text += source.slice({from, function.span.end});
  return text;
}

/// Whether nothing but how a value is handed on differs: `return f(x)` and `y = f(x)`.
bool keeps_value(const Actor& actor, const Step& step) {
  if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
  const auto value_of_step = [](const Step& one) -> const Expr* {
    if (const auto* assign = as<Assign>(one.node)) return assign->value;
    const auto* back = as<Return>(one.node);
    return back == nullptr ? nullptr : back->value;
  };
  const Expr* now = value_of_step(step);
  const Expr* was = value_of_step(actor.steps.before[step.partner]);
  return now != nullptr && was != nullptr &&
         actor.steps.after_source->slice(now->span) == actor.steps.before_source->slice(was->span);
}

/// Text of a changed step without what does nothing with what it names: keywords that give None.
std::string acting_text(const Step& step, const SourceText& source) {
  std::string text;
  std::uint32_t from = step.span.begin;
  walk_of<Keyword>(*step.node, Nested::kSkip, [&](const Keyword* keyword) {
    if (!rules::is_none(keyword->value) || keyword->span.begin < from || keyword->span.end > step.span.end) return;
    text += source.slice({from, keyword->span.begin});
    from = keyword->span.end;
  });
  return text.append(source.slice({from, step.span.end})) + "\n";
}

/// The names and other words of a text.
std::set<std::string> words_of_text(std::string_view text) {
  std::set<std::string> words;
  for_each_name(text, [&](std::string_view name) { words.emplace(name); });
  return words;
}

/// What the changed steps of a function name anew, and the conditions that they stand under; not what they refuse, say
/// or import, nor what moved here.
std::string changed_text(const Actor& actor) {
  std::string text;
  for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
    const Step& step = actor.steps.after[i];
    if (step.status == StepStatus::kKept || step.is_moved || step.taken_from != nullptr || !step.renames.empty() ||
        is_refusal(*step.node) || is<Import>(step.node) || is<ImportFrom>(step.node) || keeps_value(actor, step) ||
        only_logs(actor.steps.after, i))
      continue;
    if (step.parent != Step::kNone && is_refusal(*actor.steps.after[step.parent].node)) continue;
    const std::string now = acting_text(step, *actor.steps.after_source);
    if (step.status == StepStatus::kChanged && step.partner != Step::kNone) {
      // Of a changed one only the words that it did not have.
      const auto before = words_of_text(actor.steps.before_source->slice(actor.steps.before[step.partner].span));
      for (const std::string& word : words_of_text(now)) {
        if (!before.contains(word)) text += word + "\n";
      }
    } else {
      text += now;
    }
    for (std::size_t up = step.parent; up != Step::kNone; up = actor.steps.after[up].parent) {
      // Of `a or b`, and of which rank this is, the lines below need not have anything.
      const auto* branch = as<If>(actor.steps.after[up].node);
      const auto* either = branch == nullptr ? nullptr : as<BoolOp>(branch->condition);
      const std::string_view asked = actor.steps.after_source->slice(actor.steps.after[up].span);
      const bool says_little = (either != nullptr && either->op == BoolOperator::kOr) || contains(asked, "rank");
      const StepKind kind = actor.steps.after[up].kind;
      if ((kind == StepKind::kIf || kind == StepKind::kWhile) && !says_little) text += asked;
    }
  }
  return text;
}

/// Text of the central functions on the after side: what they do, not what they refuse.
std::string central_text(const Story& story) {
  std::string text;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    if (actor.steps.after_source == nullptr || !actor.change->after) continue;
    text +=
        actor.is_added() ? accepted_text(*actor.change->after->node, *actor.steps.after_source) : changed_text(actor);
    text += '\n';
  }
  return to_lower(without_prose(text));
}

constexpr std::string_view kOff[] = {"none", "false", "1", "0"};

/// The text without what it switches off: `cp_group=None`, `sequence_parallel=False`, `tp_size=1`. In lower case.
std::string without_switched_off(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool assigns = text[i] == '=' && i > 0 && i + 1 < text.size() && text[i + 1] != '=' &&
                         std::string_view("=!<>").find(text[i - 1]) == std::string_view::npos;
    std::string_view value = assigns ? text.substr(i + 1) : std::string_view();
    while (value.starts_with(' ')) value.remove_prefix(1);
    const bool is_off = std::any_of(std::begin(kOff), std::end(kOff), [&](std::string_view off) {
      return value.starts_with(off) && (value.size() == off.size() || !is_name_char(value[off.size()]));
    });
    if (is_off) {
      while (out.ends_with(' ')) out.pop_back();
      while (!out.empty() && is_name_char(out.back())) out.pop_back();
    }
    out += text[i];
  }
  return out;
}

constexpr std::size_t kMostTestsLooked = 60;  ///< Of one function; the nearest come first.

/// The nearest test of the change that surely reaches the code and mentions the topic itself, one whose parameters do
/// before others; where only others do, or only its file, whether they switch it on is not known.
struct Coverage {
  program::FunctionId test;
  bool is_known = true;
};
Coverage coverage_of(const DocumentInputs& inputs, const Story& story, const Topic& topic) {
  Coverage out;
  Coverage in_body;
  for (std::size_t i = 0; i < story.tests.size(); ++i) {
    std::size_t looked = 0;
    for (const TestReach& reach : story.tests[i]) {
      if (++looked > kMostTestsLooked || reach.link == TestLink::kPossibly) break;
      const SourceText& source = source_of(*inputs.after, reach.test);
      const Node* test = inputs.after->functions()[reach.test].node;
      if (test == nullptr || !mentions(to_lower(source.bytes()), topic)) continue;
      out.is_known = false;
      // What a test that was there says of it, its author did not mean for this change.
      if (!reach.is_changed) continue;
      const auto* def = as<FunctionDef>(test);
      for (const Expr* decorator : def == nullptr ? Seq<Expr>{} : def->decorators) {
        if (mentions(to_lower(source.slice(decorator->span)), topic)) return {reach.test, true};
      }
      // A test that is only called after it may as well switch it off.
      const Span body =
          def == nullptr || def->body.empty() ? test->span : Span{def->body.front()->span.begin, test->span.end};
      const std::string asked = without_switched_off(to_lower(without_prose(source.slice(body))));
      if (!in_body.test.valid() && mentions(asked, topic)) in_body = {reach.test, true};
    }
  }
  return in_body.test.valid() ? in_body : out;
}

/// Two of the topics that no test which surely reaches the code mentions both.
std::optional<std::pair<std::string, std::string>> tested_apart(const DocumentInputs& inputs, const Story& story,
                                                                const std::vector<const Topic*>& topics) {
  std::vector<std::vector<bool>> together(topics.size(), std::vector<bool>(topics.size()));
  for (const std::vector<TestReach>& tests : story.tests) {
    std::size_t looked = 0;
    for (const TestReach& reach : tests) {
      if (++looked > kMostTestsLooked || reach.link == TestLink::kPossibly) break;
      const auto* test = as<FunctionDef>(inputs.after->functions()[reach.test].node);
      if (test == nullptr) continue;
      Span whole = test->span;
      if (!test->decorators.empty()) whole.begin = std::min(whole.begin, test->decorators[0]->span.begin);
      const std::string text = to_lower(without_prose(source_of(*inputs.after, reach.test).slice(whole)));
      std::vector<bool> has;
      for (const Topic* topic : topics) has.push_back(mentions(text, *topic));
      for (std::size_t a = 0; a < topics.size(); ++a) {
        for (std::size_t b = a + 1; b < topics.size(); ++b) together[a][b] = together[a][b] || (has[a] && has[b]);
      }
    }
  }
  for (std::size_t a = 0; a < topics.size(); ++a) {
    for (std::size_t b = a + 1; b < topics.size(); ++b) {
      if (!together[a][b] && !(topics[a]->is_precision && topics[b]->is_precision))
        return std::pair<std::string, std::string>(topics[a]->label, topics[b]->label);
    }
  }
  return std::nullopt;
}

/// One row for what no test mentions, one for what none mentions together: the code's own words decide what to ask.
void add_parallelism(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  const std::string text = central_text(story);
  std::vector<const Topic*> covered;
  std::vector<std::string> uncovered;
  for (const Topic& topic : topics()) {
    if (!mentions(text, topic) || covered.size() + uncovered.size() == 6) continue;
    const Coverage coverage = coverage_of(inputs, story, topic);
    if (!coverage.is_known) continue;
    if (coverage.test.valid()) {
      covered.push_back(&topic);
    } else {
      uncovered.emplace_back(topic.label);
    }
  }
  const auto only_possibly = [](const std::vector<TestReach>& tests) {
    return !tests.empty() && tests.front().link == TestLink::kPossibly;
  };
  const bool may_be_tested = std::any_of(story.tests.begin(), story.tests.end(), only_possibly);
  if (!uncovered.empty()) {
    risks.push_back(
        {RiskKind::kCorrectness,
         fmt::format("The changed lines deal with {}. Does a test switch {} on?", join_words(uncovered),
                     uncovered.size() > 1 ? "them" : "it"),
         may_be_tested ? "Open: tests reach them, if at all, in ways that are not sure"
                       : "NOT TESTED: no test was found that surely reaches them and mentions it",
         false,
         fmt::format(
             "The changed lines deal with {}, and no test was found that surely reaches them and mentions {}: was "
             "it run that way?",
             join_words(uncovered), uncovered.size() > 1 ? "them" : "it")});
  }
  if (const std::optional<std::pair<std::string, std::string>> apart = tested_apart(inputs, story, covered))
    risks.push_back({RiskKind::kCorrectness,
                     fmt::format("The changed lines deal with {} and with {}. Does a test run them together?",
                                 apart->first, apart->second),
                     "Open: no test that surely leads there mentions both", false});
}

/// Settings that no test sets, with the functions of which what is new does not run without them, and those to which
/// then no calls of tests lead.
void add_unset_settings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  struct Unset {
    std::vector<std::string> settings;
    std::vector<std::string> changed;
    std::vector<std::string> behind;
  };
  std::vector<Unset> found;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const UnsetSettings& unset = story.unset[i];
    const bool is_behind = unset.of_changes.empty();
    const std::vector<std::string>& settings = is_behind ? unset.on_way : unset.of_changes;
    if (settings.empty()) continue;
    auto known = std::find_if(found.begin(), found.end(), [&](const Unset& one) { return one.settings == settings; });
    if (known == found.end()) known = found.insert(found.end(), {settings, {}, {}});
    (is_behind ? known->behind : known->changed).push_back(code(short_name(inputs, *story.actor(i).change)));
  }
  for (const Unset& one : found) {
    std::vector<std::string> parts;
    if (!one.changed.empty()) parts.push_back("none runs what is new in " + join_words(one.changed));
    if (!one.behind.empty()) parts.push_back("no calls lead from a test to " + join_words(one.behind));
    risks.push_back({RiskKind::kTests, fmt::format("Which test sets {}?", unset_names(one.settings)),
                     fmt::format("NOT TESTED: no test was found that does, and without {} {}",
                                 one.settings.size() > 1 ? "any of them" : "it", join(parts, ", and ")),
                     false});
  }
}

/// The central functions, as code; those that share their names with another one with their places.
std::vector<std::string> told_apart(const DocumentInputs& inputs, const std::vector<const Actor*>& actors) {
  const auto name = [&](const Actor* actor) { return code(short_name(inputs, *actor->change)); };
  std::vector<std::string> out;
  for (const Actor* actor : actors) {
    const auto alike =
        std::count_if(actors.begin(), actors.end(), [&](const Actor* other) { return name(other) == name(actor); });
    out.push_back(alike < 2 ? name(actor) : fmt::format("{} in {}", name(actor), code(actor->change->after->path)));
  }
  return out;
}

/// New settings whose names stand nowhere in the tests.
void add_unnamed_settings(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 3;
  std::vector<const Flag*> flags;
  for (const Flag& flag : story.flags) {
    const auto is_unset = [&](const UnsetSettings& one) {
      return std::find(one.on_way.begin(), one.on_way.end(), flag.name) != one.on_way.end() ||
             std::find(one.of_changes.begin(), one.of_changes.end(), flag.name) != one.of_changes.end();
    };
    if (flag.is_new && !flag.is_fixed && flag.derived.empty() &&
        std::none_of(story.unset.begin(), story.unset.end(), is_unset))
      flags.push_back(&flag);
  }
  flags = unnamed_in_tests(inputs, std::move(flags));
  if (flags.empty()) return;
  std::vector<std::string> names;
  for (const Flag* flag : flags) names.push_back(code(flag->name));
  // To say that one is left out takes as much room as the one.
  if (names.size() > kMost + 1) names.resize(kMost);
  if (names.size() < flags.size()) names.push_back(count_of(flags.size() - names.size(), "more setting"));
  risks.push_back({RiskKind::kTests, fmt::format("Which test sets {}?", join_words(names, "or")),
                   flags.size() == 1
                       ? "NOT TESTED: its name stands in no test and no changed configuration of tests"
                       : "NOT TESTED: none of their names stands in a test or a changed configuration of tests",
                   false});
}

void add_tests(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  if (!story.only_tests) add_unset_settings(inputs, story, risks);
  if (!story.only_tests) add_unnamed_settings(inputs, story, risks);
  const bool told_by_finding =
      std::any_of(risks.begin(), risks.end(), [](const Risk& r) { return r.is_finding && r.kind == RiskKind::kTests; });
  if (told_by_finding || story.only_tests) return;
  std::vector<const Actor*> without_test;
  std::vector<const Actor*> with_stand_ins;
  bool any_skipped = false;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    if (!actor.change->after || !actor.is_function() || actor.is_module_code || !story.tests[i].empty() ||
        !story.unset[i].on_way.empty())
      continue;
    if (story.skipped[i].empty() && !story.replacing[i].empty()) {
      with_stand_ins.push_back(&actor);
      continue;
    }
    without_test.push_back(&actor);
    any_skipped = any_skipped || !story.skipped[i].empty();
  }
  std::vector<std::string> unsure;
  bool any_handed = false;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    if (!may_be_tested_somewhere(story, i)) continue;
    unsure.push_back(code(short_name(inputs, *story.actor(i).change)));
    any_handed = any_handed || is_handed_on(story.entries[i]);
  }
  if (!unsure.empty()) {
    risks.push_back({RiskKind::kTests, fmt::format("Does a test run {}?", join_words(unsure)),
                     fmt::format("Open: the tests that were found lead there only through {}", unsure_way(any_handed)),
                     false});
  }
  const std::vector<std::string> replaced = told_apart(inputs, with_stand_ins);
  const std::vector<std::string> untested = told_apart(inputs, without_test);
  if (!replaced.empty())
    risks.push_back(
        {RiskKind::kTests, fmt::format("Which test runs {}?", join_words(replaced)),
         fmt::format("NOT TESTED: the tests found to lead to {0} replace {0}, or what leads there, by stand-ins",
                     replaced.size() > 1 ? "them" : "it"),
         false});
  if (untested.empty()) return;
  std::vector<program::FunctionId> functions;
  for (const Actor* actor : without_test) functions.push_back(actor->change->after->function);
  const std::string leading = leading_test_code(inputs, story, functions);
  std::string started;
  for (std::size_t i = 0; i < story.central.size() && started.empty() && leading.empty(); ++i) {
    if (std::find(without_test.begin(), without_test.end(), &story.actor(i)) != without_test.end())
      started = tests_that_start(inputs, story, i);
  }
  if (!started.empty()) {
    risks.push_back({RiskKind::kTests, fmt::format("Which test runs {}?", join_words(untested)),
                     fmt::format("No test function was found that reaches {0} by the call graph, and none that names "
                                 "{0}. {1}",
                                 untested.size() > 1 ? "them" : "it", started),
                     false});
    return;
  }
  risks.push_back(
      {RiskKind::kTests, fmt::format("Which test runs {}?", join_words(untested)),
       fmt::format(
           "NOT TESTED: no test function{1} was found that reaches {0} by the call graph, and none that names {0}{2}",
           untested.size() > 1 ? "them" : "it", any_skipped ? " that is not skipped" : "",
           leading.empty() ? "" : ". " + leading),
       false});
}

/// What the author's own runs showed that did not go as it should.
void add_reported_failures(const DocumentInputs& inputs, std::vector<Risk>& risks) {
  constexpr std::size_t kMost = 2;
  for (const Saying& one : failures_in_words(inputs, kMost))
    risks.push_back({RiskKind::kCorrectness,
                     fmt::format("Under \u201c{}\u201d {} reports: \u201c{}\u201d{}", plain(one.source),
                                 inputs.is_pull_request ? "the description" : "the message", one.paragraphs.front(),
                                 one.is_cut ? " (shortened)." : "."),
                     "Is that expected?", false});
}

}  // namespace

std::vector<std::string> questions_of(const std::vector<Risk>& risks, std::size_t most) {
  std::vector<std::string> questions;
  for (const bool wants_compatibility : {true, false}) {
    for (const Risk& risk : risks) {
      const bool is_compatibility = risk.kind == RiskKind::kCompatibility;
      if (risk.question.empty() || is_compatibility != wants_compatibility || questions.size() == most) continue;
      questions.push_back(risk.question);
    }
  }
  return questions;
}

std::vector<Risk> risks_of(const DocumentInputs& inputs, const Story& story) {
  std::vector<Risk> risks;
  add_findings(inputs, risks);
  add_reported_failures(inputs, risks);
  if (story.touches_python) {
    add_parallelism(inputs, story, risks);
    add_passed_by(inputs, story, risks);
    add_removed_warnings(inputs, story, risks);
    add_sibling_arguments(inputs, story, risks);
    add_left_behind(inputs, story, risks);
    add_unmade_objects(inputs, story, risks);
    add_kept_defaults(inputs, story, risks);
    add_repeated_calls(inputs, story, risks);
    add_reordered_calls(inputs, story, risks);
    add_unchanged_limits(inputs, story, risks);
    add_other_writers(inputs, story, risks);
    add_unchanged_twins(inputs, story, risks);
    add_kept_arguments(inputs, story, risks);
    add_misplaced_writes(inputs, story, risks);
    add_swallowed_arguments(inputs, story, risks);
    add_unasked_results(inputs, story, risks);
    add_near_copies(inputs, story, risks);
    add_heirs_without(inputs, story, risks);
    add_classes_without(inputs, story, risks);
    add_conditional_collectives(inputs, story, risks);
    add_reads_after_release(inputs, story, risks);
    add_narrow_cache_keys(inputs, story, risks);
    add_new_directions(inputs, risks);
    add_unread_arguments(inputs, story, risks);
    add_captured_code(inputs, story, risks);
    add_costs(inputs, story, risks);
    add_last_deletes(story, risks);
    add_compatibility(inputs, story, risks);
    add_uncaught_errors(inputs, story, risks);
    add_softened_errors(inputs, story, risks);
    add_stale_documentation(inputs, risks);
    add_other_settings(story, risks);
    add_environment(inputs, story, risks);
    add_checks(inputs, story, risks);
    add_checkpoint(inputs, story, risks);
    add_edge_cases(inputs, story, risks);
    add_tests(inputs, story, risks);
    add_untested_refusals(inputs, story, risks);
    add_default_branches(inputs, story, risks);
  }
  std::stable_sort(risks.begin(), risks.end(), [](const Risk& a, const Risk& b) {
    return std::make_pair(a.kind, !a.is_finding) < std::make_pair(b.kind, !b.is_finding);
  });
  return risks;
}

}  // namespace lockstep::report
