#include "report/documents/tests/parallelism_risks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/documents/risks.h"
#include "report/documents/runs/changed_runs.h"
#include "report/documents/tests/test_commands.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;

namespace {

struct Topic {
  std::string_view label;
  std::vector<std::string_view> words;          ///< In the code that changed, and in tests that cover it.
  bool is_precision = false;                    ///< Of which a run has one: no two of them are run together.
  std::vector<std::string_view> settled_words;  ///< What the code that changed must say, where `words` says too little.
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
      // Other things are computed anew, too: requests, caches, hashes.
      {"activation recomputation",
       {"recompute"},
       false,
       {"config.recompute", "args.recompute", "recompute_granularity", "recompute_method", "recompute_num_layers",
        "recompute_modules", "checkpointwithoutoutput", "activation_checkpoint", "tensor_parallel.checkpoint(",
        "utils.checkpoint"}},
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

bool has_any_word(std::string_view text, const std::vector<std::string_view>& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return has_word(text, word); });
}

bool mentions(std::string_view text, const Topic& topic) { return has_any_word(text, topic.words); }

/// Whether code that changed does what the topic is about, in lower case.
bool is_touched(std::string_view text, const Topic& topic) {
  return has_any_word(text, topic.settled_words.empty() ? topic.words : topic.settled_words);
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

/// Text of the central functions on the after side: what they do, not what they refuse or switch off.
std::string central_text(const Story& story) {
  std::string text;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    if (actor.steps.after_source == nullptr || !actor.change->after) continue;
    text +=
        actor.is_added() ? accepted_text(*actor.change->after->node, *actor.steps.after_source) : changed_text(actor);
    text += '\n';
  }
  return without_switched_off(to_lower(without_prose(text)));
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

/// Whether a new or edited test that may reach the code switches the topic on by its own words: that it was not run
/// that way is no question then, though it is not sure to come there.
bool may_be_meant_by_test(const DocumentInputs& inputs, const Story& story, const Topic& topic) {
  for (const std::vector<TestReach>& tests : story.tests) {
    for (const TestReach& reach : tests) {
      const auto* test = as<FunctionDef>(inputs.after->functions()[reach.test].node);
      if (!reach.is_changed || test == nullptr) continue;
      Span whole = test->span;
      if (!test->decorators.empty()) whole.begin = std::min(whole.begin, test->decorators[0]->span.begin);
      const SourceText& source = source_of(*inputs.after, reach.test);
      if (mentions(without_switched_off(to_lower(without_prose(source.slice(whole)))), topic)) return true;
    }
  }
  return false;
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
  // What a test of the change says of itself counts wherever it may lead.
  const auto says_both = [&](const Topic& a, const Topic& b) {
    return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& actor) {
      const auto& side = actor.change->after;
      const program::ModuleId module =
          actor.role == Role::kTest && side ? inputs.after->find_path(side->path) : program::ModuleId();
      if (!module.valid() || side->node == nullptr || actor.change->kind == change::EntityKind::kModule) return false;
      const std::string text = to_lower(inputs.after->modules()[module].facts->source().slice(side->node->span));
      return mentions(text, a) && mentions(text, b);
    });
  };
  for (std::size_t a = 0; a < topics.size(); ++a) {
    for (std::size_t b = a + 1; b < topics.size(); ++b) {
      if (!together[a][b] && !says_both(*topics[a], *topics[b]) &&
          !(topics[a]->is_precision && topics[b]->is_precision))
        return std::pair<std::string, std::string>(topics[a]->label, topics[b]->label);
    }
  }
  return std::nullopt;
}

}  // namespace

void add_parallelism(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  const std::string text = central_text(story);
  std::vector<const Topic*> covered;
  std::vector<std::string> uncovered;
  for (const Topic& topic : topics()) {
    if (!is_touched(text, topic) || covered.size() + uncovered.size() == 6) continue;
    const Coverage coverage = coverage_of(inputs, story, topic);
    if (!coverage.is_known) continue;
    if (coverage.test.valid()) {
      covered.push_back(&topic);
    } else if (!may_be_meant_by_test(inputs, story, topic)) {
      uncovered.emplace_back(topic.label);
    }
  }
  const auto only_possibly = [](const std::vector<TestReach>& tests) {
    return !tests.empty() && tests.front().link == TestLink::kPossibly;
  };
  bool may_be_tested = std::any_of(story.tests.begin(), story.tests.end(), only_possibly);
  // What tests start as a command line may switch on anything.
  for (std::size_t i = 0; i < story.central.size() && !uncovered.empty() && !may_be_tested; ++i)
    may_be_tested = story.tests[i].empty() && story.actor(i).is_function() && !runs_of_tests(inputs, story, i).empty();
  std::string own_run;
  if (!uncovered.empty() && may_be_tested) {
    if (const std::vector<ChangedRun> runs = changed_runs(inputs, story); !runs.empty())
      own_run = fmt::format(". Whether {} comes to them was not followed", run_words(runs.front(), 2));
  }
  if (!uncovered.empty()) {
    risks.push_back(
        {RiskKind::kCorrectness,
         fmt::format("The changed lines deal with {}. Does a test switch {} on?", join_words(uncovered),
                     uncovered.size() > 1 ? "them" : "it"),
         may_be_tested ? "Open: tests reach them, if at all, in ways that are not sure" + own_run
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

}  // namespace lockstep::report
