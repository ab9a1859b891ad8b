#include "report/documents/explain_parts.h"

#include <fmt/format.h>
#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/documents/areas.h"
#include "report/documents/content/asked_methods.h"
#include "report/documents/content/choice_tables.h"
#include "report/documents/content/concepts.h"
#include "report/documents/content/method_table.h"
#include "report/documents/content/new_checks.h"
#include "report/documents/content/return_tables.h"
#include "report/documents/content/variable_roles.h"
#include "report/documents/correctness/returned_flags.h"
#include "report/documents/costs/stream_table.h"
#include "report/documents/drawings/drawings.h"
#include "report/documents/excerpts/cited_once.h"
#include "report/documents/excerpts/excerpt.h"
#include "report/documents/file_parts.h"
#include "report/documents/files.h"
#include "report/documents/parts.h"
#include "report/documents/runs/ways.h"
#include "report/documents/settings/value_case_tables.h"
#include "report/documents/tests/tests.h"
#include "report/story/calls/alternative_arguments.h"
#include "report/story/calls/new_helpers.h"
#include "report/story/calls/taken_on.h"
#include "report/story/checks/catches.h"
#include "report/story/checks/optional.h"
#include "report/story/classes/implementations.h"
#include "report/story/steps/inlined.h"
#include "report/story/steps/intermediates.h"
#include "report/story/steps/matches.h"
#include "report/story/steps/ordered_returns.h"
#include "report/story/steps/removed_steps.h"
#include "report/story/steps/replaced.h"
#include "report/story/wording/before_after.h"
#include "report/story/wording/change_clauses.h"
#include "report/story/wording/change_steps.h"
#include "report/story/wording/changes.h"
#include "report/story/wording/choice_words.h"
#include "report/story/wording/handed_over.h"
#include "report/story/wording/predicates.h"
#include "report/story/wording/status.h"

namespace lockstep::report {

using change::EntityKind;
using change::FileSummary;

namespace {

constexpr std::size_t kLongFunction = 60;  ///< Lines from which pseudo-code goes before the code.
constexpr std::size_t kMostWordsOfDocstring = 70;

/// The item of "What" that tells the actor; empty where it has none.
std::string told_of(const DocumentInputs& inputs, const Actor& actor, const std::vector<std::string>& what) {
  const std::string start =
      fmt::format("{} ({}", code(short_name(inputs, *actor.change)), status_and_place(inputs, *actor.change));
  const auto found =
      std::find_if(what.begin(), what.end(), [&](const std::string& item) { return item.starts_with(start); });
  return found == what.end() ? std::string() : *found;
}

/// Whether "What" has the docstring among those of functions that it tells together: "`f` (“Start the sync …”)".
bool is_described_with_others(const Actor& actor, const std::string& docstring, const std::vector<std::string>& what) {
  const std::string start = fmt::format("{} (\u201c", code(change::last_part(actor.change->latest().qualified_name)));
  return std::any_of(what.begin(), what.end(), [&](const std::string& item) {
    const std::size_t at = item.find(start);
    if (at == std::string::npos) return false;
    const std::string_view quoted = std::string_view(item).substr(at + start.size());
    const std::string_view own = quoted.substr(0, quoted.find(" \u2026\u201d"));
    const std::string whole = from_backquotes(docstring);
    return own.size() < quoted.size() && whole.starts_with(own) &&
           contains(item, fmt::format("\u2026 {}\u201d", trim(std::string_view(whole).substr(own.size()))));
  });
}

/// Whether "What" tells another entity, and that the same happens in this one.
bool is_told_with_another(const DocumentInputs& inputs, const Actor& actor, const std::vector<std::string>& what) {
  const std::string name =
      fmt::format("{} ({}", code(short_name(inputs, *actor.change)), place_of(inputs, *actor.change));
  return std::any_of(what.begin(), what.end(), [&](const std::string& item) {
    const std::size_t others = item.find("The same in ");
    return others != std::string::npos && contains(std::string_view(item).substr(others), name);
  });
}

/// Whether the excerpt shows a new function as a whole, and it is so short that it speaks for itself.
bool speaks_for_itself(const Actor& actor, const Excerpt& excerpt) {
  constexpr std::size_t kMostLines = 44;
  return actor.is_added() && excerpt.code.lines.size() <= kMostLines &&
         excerpt.after_steps.size() == actor.steps.after.size();
}

/// Whether a step issues a collective, or calls what is known to wait, to allocate or to order streams.
bool does_known_work(const DocumentInputs& inputs, const WordsContext& context, const Step& step) {
  bool found = false;
  python::walk_of<python::Call>(*step.node, python::Nested::kSkip, [&](const python::Call* call) {
    if (found || !step.span.contains(call->span)) return;
    const KnownApi* known = known_work(*inputs.after, *call);
    const bool is_plain = known == nullptr || known->kind == ApiKind::kPlain || known->kind == ApiKind::kShape;
    found = !is_plain || collective_at(context, call) != nullptr;
  });
  return found;
}

/// Whether words on a step that only works out a local say what the code above them does not: what a callee is for,
/// or that other ranks or the host are concerned.
bool says_more_than_a_value(const std::string& text) {
  return contains(text, "\u201c") || contains(text, "issues ") || contains(text, "can issue ") ||
         contains(text, "host");
}

/// Whether the step gives a value to a local and does nothing else that the code does not show: `x = []`, `x = y in z`.
bool only_sets_local(const Step& step) {
  const auto* assign = step.kind == StepKind::kPlain ? python::as<python::Assign>(step.node) : nullptr;
  return assign != nullptr && assign->targets.size() == 1 && python::is<python::Name>(assign->targets.front()) &&
         !python::is<python::Call>(assign->value);
}

/// Whether all that happened to the step is that a local is set earlier or later.
bool only_moves_local(const Step& step) {
  const auto* assign = step.kind == StepKind::kPlain ? python::as<python::Assign>(step.node) : nullptr;
  return step.is_moved && step.status != StepStatus::kChanged && assign != nullptr && assign->targets.size() == 1 &&
         python::is<python::Name>(assign->targets.front());
}

/// Whether the step is the last of several returns of a new function: what is left to it, and not what that returns.
bool is_left_over(const std::vector<Step>& steps, const Step& last) {
  return last.parent == Step::kNone && python::is<python::Return>(last.node) &&
         std::any_of(steps.begin(), steps.end(), [&](const Step& one) {
           return &one != &last && one.kind == StepKind::kPlain && python::is<python::Return>(one.node);
         });
}

/// Words for the steps that an excerpt shows, the `most` that tell most, in the order of the code; without those that
/// `told` has.
std::vector<std::string> excerpt_words(const DocumentInputs& inputs, const Actor& actor, const Excerpt& excerpt,
                                       std::size_t most, const std::string& told) {
  struct Item {
    int rank;
    std::string text;
    std::string where;
  };
  std::vector<Item> items;
  const WordsContext after = context_after(inputs, actor);
  const WordsContext before = context_before(inputs, actor);
  const auto& steps = actor.steps;
  const ChangedNames names = changed_names(inputs);
  const bool all_new = actor.is_added() || actor.is_removed();
  const bool only_known = speaks_for_itself(actor, excerpt);
  const Contract contract = actor.is_added() ? contract_of(after) : Contract();
  const std::vector<ReplacedSteps> replaced = replaced_steps(inputs, actor);
  const Intermediates intermediates(actor);
  TakenOn taken_on(inputs);
  const ToldChoices choices(actor);
  const std::optional<OrderedReturns> returns = ordered_returns(*inputs.after, actor);
  const std::vector<std::size_t> moved_heads = moved_branches(actor);
  for (const std::size_t i : excerpt.before_steps) {
    if (all_new || is_question_of_moved(actor, moved_heads, i) || choices.tells_before(i) ||
        (returns && returns->told_before.contains(i)) || intermediates.only_serves_before(i) ||
        only_sets_local(steps.before[i]) || is_replaced(replaced, i) || !is_told_as_gone(actor, i) ||
        replacement_of(actor, i) != Step::kNone || is_alike_in_new_function(inputs, actor, steps.before[i]))
      continue;
    std::string text = removal_words(actor, i, before, after);
    if (!text.empty()) text += taken_on.words(actor, actor.steps.before[i]);
    if (text.empty()) continue;
    // What goes is told after what comes, where both cannot be.
    items.push_back({rank_of(steps.before, i, *before.source, text, names) + 1, std::move(text),
                     where_words(*actor.change->before->node, steps.before[i], *before.source)});
  }
  const std::set<std::size_t> shown(excerpt.after_steps.begin(), excerpt.after_steps.end());
  for (const std::size_t i : excerpt.after_steps) {
    const Step& step = steps.after[i];
    if (step.kind == StepKind::kElse) continue;  // Told with its branch.
    if (std::string choice = choices.words(i); !choice.empty()) {
      items.push_back(
          {rank_of(steps.after, i, *after.source, choice, names), std::move(choice), join_words(choices.where(i))});
      continue;
    }
    if (choices.tells_after(i) || (returns && returns->told_after.contains(i))) continue;
    // Of a function that moved the whole is shown; what is as it was is not told.
    if (!all_new && step.status == StepStatus::kKept) continue;
    if (all_new && step.taken_from != nullptr) continue;  // It stood elsewhere.
    if (!step.renames.empty()) continue;                  // Told once, for the whole function.
    if (step.inlined != nullptr) {
      const bool is_first = i == 0 || steps.after[i - 1].inlined != step.inlined;
      if (is_first) items.push_back({1, inlined_words(inputs, actor, *step.inlined), {}});
      continue;
    }
    if (only_keeps_result(actor, step) || (!all_new && only_moves_local(step))) continue;
    if (is_inside_status(steps.after, i, StepStatus::kAdded) && (shown.contains(step.parent) || !all_new)) continue;
    // Which ranks a collective spans, and what a call does to the host or the memory, no code says.
    if (only_known && !does_known_work(inputs, after, step)) continue;
    if (all_new && is_left_over(steps.after, step)) continue;
    // What a new function requires of its callers stands in its contract.
    const auto& required = contract.requirement_spans;
    if (all_new && std::find(required.begin(), required.end(), step.node->span) != required.end()) continue;
    const std::vector<std::size_t> calls = all_new ? std::vector<std::size_t>() : alike_calls(actor, i);
    if (!calls.empty() && calls.front() != i) continue;  // Told with the first.
    std::string text = calls.empty() ? added_words(actor, i, before, after, 4) : alike_words(actor, calls);
    if (text.empty() || (intermediates.only_serves_after(i) && !says_more_than_a_value(text))) continue;
    // The conditions that an `elif` goes on from are told with it, but in a new function, where they were just told.
    if (constexpr std::string_view kOtherwise = "otherwise, when "; !all_new && text.starts_with(kOtherwise))
      text.erase(0, kOtherwise.find("when"));
    text += moved_check_words(inputs, actor, i);
    if (const std::string instead = replaced_words(replaced, i); !instead.empty())
      text += (contains(text, ", which ") ? "," : "") + instead;
    const bool holds_rest = all_new && step.parent == Step::kNone;
    std::string where = holds_rest ? "" : where_words(*actor.change->after->node, step, *after.source);
    items.push_back({rank_of(steps.after, i, *after.source, text, names), std::move(text), std::move(where)});
  }
  for (CatchChange& one : catch_changes(actor)) {
    const auto& indices = one.is_gained ? excerpt.after_steps : excerpt.before_steps;
    if (std::find(indices.begin(), indices.end(), one.handler) != indices.end())
      items.push_back({1, std::move(one.text), {}});
  }
  std::erase_if(items, [&](const Item& one) {
    const bool is_told = contains(told, one.text) || contains(told, capitalised(one.text));
    return is_told || !says_more_than_code(one.text);
  });
  // An import serves what uses it.
  constexpr int kImport = 9;
  if (std::any_of(items.begin(), items.end(), [](const Item& one) { return one.rank < kImport; }))
    std::erase_if(items, [](const Item& one) { return one.rank >= kImport; });
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // To say that one is left out takes as much room as the one.
  if (order.size() > most + 1) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return items[a].rank < items[b].rank; });
    order.resize(most);
    std::sort(order.begin(), order.end());
  }
  std::vector<std::string> out;
  std::string previous;
  for (const std::size_t i : order) {
    out.push_back(as_sentence(capitalised(with_condition(items[i].text, items[i].where, previous))));
    previous = items[i].where;
  }
  const std::string renamed = items.empty() ? rename_words(actor) : std::string();
  if (!renamed.empty()) out.push_back(as_sentence(capitalised(renamed)));
  if (!all_new) {
    const std::string branches = moved_branches_words(inputs, actor, excerpt.before_steps);
    if (!branches.empty()) out.insert(out.begin(), as_sentence(capitalised(branches)));
    for (const std::string& handed : hand_over_words(inputs, actor, excerpt.before_steps))
      out.push_back(as_sentence(capitalised(handed)));
  }
  if (items.size() > order.size())
    out.push_back(fmt::format("{} left to the code.", count_of(items.size() - order.size(), "lesser step")));
  return out;
}

/// What goes in and out of a new function; of a changed one what the change touches, and what says more of it than its
/// name.
Contract short_contract(const DocumentInputs& inputs, const Actor& actor, bool speaks_for_itself) {
  Contract contract = contract_for(inputs, actor);
  if (speaks_for_itself) {
    std::erase_if(contract.inputs,
                  [](const ContractInput& input) { return input.shape.empty() && input.words.empty(); });
    contract.left_out = 0;
    contract.return_type.clear();
    contract.returns.clear();
    contract.config.clear();
    contract.writes.clear();
    contract.requirements.clear();
  }
  if (actor.is_added()) return contract;
  contract.left_out += std::erase_if(contract.inputs, [](const ContractInput& input) {
    return input.type.empty() && input.shape.empty() && input.words.empty();
  });
  const auto returns = [](const Step& step) {
    return step.status != StepStatus::kKept && python::is<python::Return>(step.node);
  };
  if (contract.return_words.empty() && std::none_of(actor.steps.after.begin(), actor.steps.after.end(), returns)) {
    contract.return_type.clear();
    contract.returns.clear();
  }
  const auto checks = [](const Step& step) {
    return step.status != StepStatus::kKept &&
           (python::is<python::Raise>(step.node) || python::is<python::Assert>(step.node));
  };
  // What it refuses anew is told with the step.
  if (std::any_of(actor.steps.after.begin(), actor.steps.after.end(), checks)) contract.requirements.clear();
  return contract;
}

/// Where the arguments that are given otherwise now decide what is done, without what the items `told` or the central
/// functions before this one say.
std::vector<std::string> followed_items(const Story& story, std::size_t index, const std::vector<std::string>& told) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> out;
  const auto add = [&](const std::string& text) {
    bool is_told = std::any_of(told.begin(), told.end(), [&](const std::string& item) { return contains(item, text); });
    for (std::size_t i = 0; i < index; ++i) {
      for (const FollowedArgument& one : story.actor(i).followed)
        is_told = is_told || one.sentence == text ||
                  std::find(one.others.begin(), one.others.end(), text) != one.others.end();
    }
    if (out.size() < kMost && !is_told) out.push_back(text);
  };
  for (const FollowedArgument& one : story.actor(index).followed) add(one.sentence);
  for (const FollowedArgument& one : story.actor(index).followed) {
    for (const std::string& text : one.others) add(text);
  }
  return out;
}

/// The code of short new functions that the lead calls and that have no section of their own: what it does now, they
/// do.
void add_short_callees(Document& document, const DocumentInputs& inputs, const Story& story, const Actor& caller) {
  constexpr std::size_t kMost = 2;
  constexpr std::size_t kShort = 14;  // Lines of code.
  if (!caller.change->after || !caller.change->after->function.valid()) return;
  std::size_t shown = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || actor.role == Role::kCentral || !actor.is_function() || !actor.is_added() ||
        actor.steps.after_source == nullptr || !actor.change->after->function.valid() ||
        inputs.after->functions()[actor.change->after->function].enclosing.valid())
      continue;
    const auto callers = inputs.after->callers_of(actor.change->after->function);
    const bool is_called = std::any_of(callers.begin(), callers.end(), [&](program::CallId call) {
      return inputs.after->calls()[call].caller == caller.change->after->function &&
             program::surely_enters(inputs.after->calls()[call], actor.change->after->function);
    });
    if (!is_called) continue;
    ExcerptOptions options;
    options.most_lines = kShort + 1;
    options.most_blocks = 1;
    std::vector<Excerpt> excerpts = excerpts_of(inputs, actor, options);
    const auto is_cut = [](const std::string& line) { return contains(line, "more line"); };
    if (excerpts.size() != 1 || excerpts.front().code.lines.size() > kShort ||
        std::any_of(excerpts.front().code.lines.begin(), excerpts.front().code.lines.end(), is_cut))
      continue;
    CodeBlock code_of = std::move(excerpts.front().code);
    code_of.caption = fmt::format("{}, new, which it calls:", code(short_name(inputs, *actor.change)));
    document.code_block(std::move(code_of));
    if (++shown == kMost) return;
  }
}

/// Whether a list of the document has the item already.
bool is_told_in(const Document& document, const std::string& words) {
  const std::string plain_words = unmarked(words);
  return std::any_of(document.blocks.begin(), document.blocks.end(), [&](const Block& block) {
    const auto* list = std::get_if<List>(&block.value);
    return list != nullptr && std::any_of(list->items.begin(), list->items.end(),
                                          [&](const ListItem& item) { return text_of(item.text) == plain_words; });
  });
}

/// Whether an excerpt shows nothing but where steps stood that another excerpt shows where they stand now.
bool only_shows_old_places(const Actor& actor, const Excerpt& excerpt, std::span<const Excerpt> all) {
  return excerpt.after_steps.empty() && !excerpt.before_steps.empty() &&
         std::all_of(excerpt.before_steps.begin(), excerpt.before_steps.end(), [&](std::size_t index) {
           const Step& old = actor.steps.before[index];
           return old.is_moved && std::any_of(all.begin(), all.end(), [&](const Excerpt& one) {
                    return std::find(one.after_steps.begin(), one.after_steps.end(), old.partner) !=
                           one.after_steps.end();
                  });
         });
}

void add_function(Document& document, const DocumentInputs& inputs, const Story& story, std::size_t index,
                  std::size_t budget, const ExplainDetail& detail, const std::vector<std::string>& what) {
  const Actor& actor = story.actor(index);
  const auto& entity = *actor.change;
  const std::string told = told_of(inputs, actor, what);
  const std::uint32_t length = entity.latest().last_line - entity.latest().first_line + 1;
  // Of a new function all that it says of itself; of an old one what it is for.
  const std::string purpose = actor.is_added() ? docstring_opening(entity.latest().node, kMostWordsOfDocstring)
                                               : docstring_sentence(entity.latest().node, 200);
  if (!purpose.empty() && !contains(told, from_backquotes(purpose)) && !is_described_with_others(actor, purpose, what))
    document.paragraph(fmt::format("Its docstring: \u201c{}\u201d", from_backquotes(purpose)));
  ExcerptOptions options;
  options.most_lines = budget;
  options.keeps_wholes = detail.keeps_wholes;
  options.quoted = detail.quoted;
  options.most_blocks = actor.is_added() && length > kLongFunction ? 2 : 3;
  std::vector<Excerpt> excerpts = excerpts_of(inputs, actor, options);
  if (actor.is_removed()) {
    document.paragraph(removed_text(inputs, entity));
  } else {
    const bool is_shown = excerpts.size() == 1 && speaks_for_itself(actor, excerpts.front());
    std::vector<std::string> items = contract_items(short_contract(inputs, actor, is_shown), detail.inputs);
    constexpr std::size_t kMostReaders = 3;
    if (std::string read = altered_state_item(inputs, actor, kMostReaders); !read.empty())
      items.push_back(std::move(read));
    if (std::string given = returned_flag_item(inputs, actor); !given.empty()) items.push_back(std::move(given));
    constexpr std::size_t kMostChecks = 2;
    if (std::string checks = new_checks_item(inputs, actor, excerpts, kMostChecks); !checks.empty())
      items.push_back(std::move(checks));
    document.bullets(items);
    constexpr std::size_t kMostTables = 2;
    add_choice_tables(document, actor, kMostTables);
    add_return_table(document, inputs, story, actor);
  }
  bool is_outlined = false;
  if (actor.is_added() && length > kLongFunction && actor.steps.after_source != nullptr) {
    constexpr std::size_t kMostOfOutline = 36;
    CodeBlock outline = pseudo_code(actor.steps.after, context_after(inputs, actor), kMostOfOutline);
    outline.caption = "In outline:";
    is_outlined = outline.lines.size() > 3;
    if (is_outlined) document.code_block(std::move(outline));
  }
  // Of code of which more is left out than shown an outline says more.
  const std::size_t in_excerpts =
      std::accumulate(excerpts.begin(), excerpts.end(), std::size_t{0},
                      [](std::size_t sum, const Excerpt& each) { return sum + each.code.lines.size(); });
  const bool leaves_most_out = is_outlined && 2 * in_excerpts < length;
  std::set<std::string> cited;
  for (Excerpt& excerpt : excerpts) {
    std::vector<std::string> words = excerpt_words(inputs, actor, excerpt, detail.steps, told);
    for (std::string& one : words) one = cited_once(std::move(one), cited);
    const bool is_needed = !leaves_most_out && (!words.empty() || !only_shows_old_places(actor, excerpt, excerpts));
    if (is_needed) document.code_block(std::move(excerpt.code));
    document.bullets(words);
  }
  if (index == story.lead()) add_short_callees(document, inputs, story, actor);
  constexpr std::size_t kMostCallees = 3;
  document.bullets(given_by_new_callees(inputs, story, actor, told, kMostCallees));
  constexpr std::size_t kMostPredicates = 2;
  std::vector<std::string> predicates = given_by_asked_predicates(inputs, actor, told, kMostPredicates);
  std::erase_if(predicates, [&](const std::string& words) { return is_told_in(document, words); });
  document.bullets(predicates);
  constexpr std::size_t kMostAsked = 2;
  document.bullets(asked_method_sentences(inputs, actor, kMostAsked));
  constexpr std::size_t kMostArguments = 3;
  std::vector<std::string> arguments = alternative_arguments(actor, kMostArguments);
  for (std::string& text : arguments) text = as_sentence(capitalised(std::move(text)));
  document.bullets(arguments);
  document.bullets(followed_items(story, index, what));
  if (!detail.variables) return;
  constexpr std::size_t kMostVariables = 2;
  const std::vector<std::string> variables = variable_roles(inputs, actor, kMostVariables);
  if (!variables.empty()) document.paragraph("Variables:").bullets(variables);
}

const Actor* heaviest(const std::vector<const Actor*>& methods) {
  const Actor* best = nullptr;
  for (const Actor* method : methods) {
    const bool is_setup = method->change->after->qualified_name.ends_with("__init__");
    if (is_setup || method->steps.after.empty()) continue;
    // What came from elsewhere shows how it differs, not what it does.
    const bool is_fresh = method->is_added() && (best == nullptr || !best->is_added());
    if (best == nullptr || is_fresh || (method->is_added() == best->is_added() && method->weight > best->weight))
      best = method;
  }
  return best;
}

/// The code of the method that carries a new class, and what its steps do.
void add_main_method(Document& document, const DocumentInputs& inputs, const Actor& method, std::size_t budget,
                     const ExplainDetail& detail) {
  ExcerptOptions options;
  options.most_lines = budget;
  options.keeps_wholes = detail.keeps_wholes;
  options.quoted = detail.quoted;
  options.most_blocks = 1;
  for (Excerpt& excerpt : excerpts_of(inputs, method, options)) {
    const std::vector<std::string> words =
        excerpt_words(inputs, method, excerpt, std::min<std::size_t>(detail.steps, 4), {});
    document.code_block(std::move(excerpt.code));
    document.bullets(words);
  }
}

/// The methods of a new class, those that others call first, in a table, and the code of the one that carries it.
void add_methods(Document& document, const DocumentInputs& inputs, const Story& story, const Actor& cls,
                 std::size_t budget, const ExplainDetail& detail) {
  // Those that are central have sections of their own.
  std::vector<const Actor*> others = methods_of(story, *cls.change);
  const auto is_told = [&](const Actor* method) {
    return std::any_of(story.central.begin(), story.central.end(),
                       [&](std::size_t index) { return story.actors[index].change == method->change; });
  };
  std::erase_if(others, is_told);
  // Beside what code that was there calls, what only serves it says little.
  const std::vector<EnteredMethod> entered = entered_methods(inputs, story.actors, cls);
  const bool is_entry_told =
      std::any_of(entered.begin(), entered.end(), [&](const EnteredMethod& one) { return is_told(one.actor); });
  const Actor* main = entered.empty() ? heaviest(others) : nullptr;
  for (const EnteredMethod& one : entered) {
    if (main == nullptr && !is_told(one.actor) && (one.brought > 0 || !is_entry_told)) main = one.actor;
  }
  if (main != nullptr) add_main_method(document, inputs, *main, budget, detail);
  const MethodTable table = method_table(inputs, story, cls, detail.rows + (entered.empty() ? 0 : 2));
  if (table.rows.empty()) return;
  document.table(table.header, table.rows);
  if (table.left > 0) document.paragraph(fmt::format("and {}.", count_of(table.left, "more method")));
}

void add_entity(Document& document, const DocumentInputs& inputs, const Story& story, std::size_t index,
                std::size_t budget, const ExplainDetail& detail, const std::vector<std::string>& what) {
  const Actor& actor = story.actor(index);
  const auto& entity = *actor.change;
  std::vector<std::string> clauses =
      actor.is_function() ? std::vector<std::string>() : change_clauses(inputs, actor, 4);
  const std::string told = told_of(inputs, actor, what);
  const bool is_told_alike = is_told_with_another(inputs, actor, what);
  std::erase_if(clauses, [&](const std::string& clause) { return is_told_alike || contains(told, clause); });
  std::vector<CodeBlock> blocks = actor.is_function()
                                      ? std::vector<CodeBlock>()
                                      : definition_excerpt(inputs, actor, std::min<std::size_t>(budget, 16));
  // The line of the class alone says what the heading says.
  std::erase_if(blocks, [](const CodeBlock& block) { return block.lines.size() <= 2; });
  // The same edit of another function is shown with that one.
  if (is_told_alike && actor.is_function() && story.central.size() > 1) return;
  const bool is_empty = entity.kind == EntityKind::kClass && !actor.is_added() && !actor.is_removed() &&
                        clauses.empty() && blocks.empty();
  if (is_empty && story.central.size() > 1) return;
  document.heading(3, fmt::format("{} \u2014 {}", code(short_name(inputs, entity)), status_and_place(inputs, entity)));
  if (actor.is_function()) {
    add_function(document, inputs, story, index, budget, detail, what);
    return;
  }
  const std::string purpose = entity.kind != EntityKind::kClass ? std::string()
                              : actor.is_added() ? docstring_opening(entity.latest().node, kMostWordsOfDocstring)
                                                 : docstring_sentence(entity.latest().node, 240);
  if (!purpose.empty()) document.paragraph(fmt::format("Its docstring: \u201c{}\u201d", from_backquotes(purpose)));
  if (!clauses.empty()) document.paragraph(as_sentence(capitalised(join(clauses, "; "))));
  for (CodeBlock& block : blocks) document.code_block(std::move(block));
  if (entity.kind == EntityKind::kClass && actor.is_added())
    add_methods(document, inputs, story, actor, budget, detail);
}

/// How many lines there are from the first to the last step that the change brings or edits.
std::uint32_t changed_lines_from_to(const Actor& actor) {
  std::uint32_t first = UINT32_MAX;
  std::uint32_t last = 0;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept) continue;
    first = std::min(first, step.first_line);
    last = std::max(last, step.last_line);
  }
  return first > last ? 0 : last - first + 1;
}

/// Whether a flow of control tells more than the code beside it: a new function that decides often, or changes in
/// more than one decision, of one that does not carry the change not all on a few lines.
bool is_worth_drawing(const Flowchart& flow, const Actor& actor, bool is_lead) {
  const auto decisions = std::count_if(flow.nodes.begin(), flow.nodes.end(), [&](const FlowNode& node) {
    return node.shape == NodeShape::kDecision && (actor.is_added() || node.mark != Mark::kNone);
  });
  // What is shown in one piece is seen without a drawing.
  constexpr std::uint32_t kShown = 40;  // Lines.
  constexpr std::uint32_t kShownOfChange = 24;
  if (!actor.is_added()) return decisions >= (!is_lead && changed_lines_from_to(actor) < kShownOfChange ? 4 : 2);
  const bool is_shown = actor.change->latest().last_line - actor.change->latest().first_line < kShown;
  return decisions >= (is_shown ? 5 : 3);
}

/// The heaviest central function whose flow of control shows the change; SIZE_MAX where none does.
std::size_t most_drawn(const DocumentInputs& inputs, const Story& story) {
  std::size_t best = SIZE_MAX;
  std::size_t weight = SIZE_MAX;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    if (story.central[i] >= weight) continue;
    const auto flow = control_flow_diagram(inputs, story.actor(i));
    if (!flow || !is_worth_drawing(*flow, story.actor(i), i == story.lead())) continue;
    best = i;
    weight = story.central[i];
  }
  return best;
}

/// The changed lines of the file that matters most, where no definition has code of its own to show: imports that give
/// a name another origin, classes that consist of a docstring.
void add_lines(Document& document, const DocumentInputs& inputs, const ExplainDetail& detail) {
  for (const FileSummary* file : files_in_order(inputs)) {
    if (file->file->binary) continue;
    CodeBlock block = file_excerpt(*file, std::min<std::size_t>(detail.lead_lines, 24));
    if (block.lines.empty()) continue;
    document.heading(3, fmt::format("The lines that change in {}", place(file->file->path())));
    document.code_block(std::move(block));
    return;
  }
}

/// Whether a drawing shows calls behind the way to the changed code.
bool calls_from_change(const Sequence& sequence) {
  const auto first = sequence.events.begin() + static_cast<std::ptrdiff_t>(sequence.way);
  return std::any_of(first, sequence.events.end(), [](const SequenceEvent& event) {
    return event.kind == SequenceEvent::Kind::kCall || event.kind == SequenceEvent::Kind::kAsync;
  });
}

/// A run gets there from a script; what only other code of the repository calls is called.
std::string_view sequence_caption(const Sequence& sequence) {
  if (!sequence.starts_at_script)
    return calls_from_change(sequence) ? "Which calls of the changed lines are made where it is called:"
                                       : "How it is called:";
  return calls_from_change(sequence) ? "How a run gets there, and which calls of the changed lines it makes then:"
                                     : "How a run gets there:";
}

/// Whether the central functions differ in one step: its lines before and after stand one below the other in the code
/// that is shown.
bool shows_as_one_edit(const Story& story) {
  std::size_t edits = 0;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    const Actor& actor = story.actor(i);
    if (!actor.is_function()) return false;
    for (const Step& step : actor.steps.after) edits += step.status != StepStatus::kKept ? 1 : 0;
    for (const Step& step : actor.steps.before) edits += step.status == StepStatus::kRemoved ? 1 : 0;
  }
  return edits == 1;
}

/// What was there and is otherwise now; what only comes or goes is told with the rest.
void add_behaviour(Document& document, const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::vector<std::vector<std::string>> rows;
  const std::vector<OptionalImport> optional = optional_imports(inputs, story);
  for (const OptionalImport& one : optional) {
    std::vector<std::string> names;
    for (const Actor* actor : one.raising) names.push_back(code(short_name(inputs, *actor->change)));
    const std::string modules = count_of(one.files.size(), "module");
    rows.push_back({fmt::format("import of {}", code(one.package)),
                    fmt::format("Unconditional: without it {} cannot be imported.", modules),
                    names.empty() ? fmt::format("In a {}.", code("try"))
                                  : fmt::format("In a {}: without it {} {} {}.", code("try"), join_words(names),
                                                names.size() == 1 ? "raises" : "raise", code("ImportError"))});
  }
  const auto add = [&](const Actor& actor) {
    if (is_told_by(optional, actor)) return;
    // Far down only what decides something is worth a row.
    constexpr std::size_t kMostLookedAt = 16;
    constexpr std::size_t kMostOfOne = 4;
    const std::vector<BeforeAfter> all = before_after(inputs, actor, kMostLookedAt);
    std::vector<BeforeAfter> own;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool was_and_is = all[i].before != "\u2014" && all[i].after != "\u2014";
      if (was_and_is && (i < kMostOfOne || all[i].decides)) own.push_back(all[i]);
    }
    std::stable_partition(own.begin(), own.end(), [](const BeforeAfter& row) { return row.decides; });
    if (own.size() > kMostOfOne) own.resize(kMostOfOne);
    for (const BeforeAfter& row : own) {
      if (rows.size() == most) break;
      std::string where = code(short_name(inputs, *actor.change));
      if (!row.aspect.empty()) where += ", " + row.aspect;
      // The same edit in several places is one.
      const auto alike = std::find_if(rows.begin(), rows.end(), [&](const std::vector<std::string>& other) {
        return other[1] == row.before && other[2] == row.after;
      });
      if (alike == rows.end()) {
        rows.push_back({where, row.before, row.after});
      } else if (!contains(alike->front(), where)) {
        alike->front() += "; " + where;
      }
    }
  };
  for (std::size_t i = 0; i < story.central.size() && rows.size() < most; ++i) {
    add(story.actor(i));
    // The functions inside it, unless they are told by themselves.
    const auto& outer = story.actor(i).change->after;
    for (std::size_t j = 0; outer && outer->function.valid() && j < story.actors.size(); ++j) {
      const auto& inner = story.actors[j].change->after;
      const bool is_inside = inner && inner->function.valid() &&
                             inputs.after->functions()[inner->function].enclosing == outer->function &&
                             std::find(story.central.begin(), story.central.end(), j) == story.central.end();
      if (is_inside) add(story.actors[j]);
    }
  }
  constexpr std::size_t kMostSettings = 1;
  const bool is_shown_below = rows.empty() || (rows.size() == 1 && shows_as_one_edit(story));
  if (is_shown_below && story.value_cases.empty()) return;
  document.heading(3, "Before and after");
  if (!is_shown_below) document.table({"Where", "Before", "After"}, rows);
  add_value_cases(document, story, kMostSettings, 3 * most);
}

/// Whether all lines that change in a function which is defined inside another one stand in code that is shown already:
/// that of the other one, mostly.
bool is_shown(const DocumentInputs& inputs, const Actor& actor, std::span<const Block> blocks) {
  const auto& side = actor.change->after;
  if (!side || !side->function.valid() || !inputs.after->functions()[side->function].enclosing.valid() ||
      actor.steps.after_source == nullptr)
    return false;
  std::set<std::string_view> shown;
  for (const Block& block : blocks) {
    const auto* code = std::get_if<CodeBlock>(&block.value);
    if (code == nullptr) continue;
    for (const std::string_view line : code->lines) {
      const bool is_diff = code->language == "diff" && !line.empty();
      if (!is_diff || line.front() != '-') shown.insert(trim(is_diff ? line.substr(1) : line));
    }
  }
  std::size_t lines = 0;
  for (const Step& step : actor.steps.after) {
    if (step.status == StepStatus::kKept) continue;
    for (const std::string_view line : split_lines(actor.steps.after_source->slice(step.span))) {
      if (trim(line).empty()) continue;
      ++lines;
      if (!shown.contains(trim(line))) return false;
    }
  }
  return lines > 0;
}

/// Of functions that only take up a new one: the first, which stands for the others, or each where there is room.
std::set<const change::EntityChange*> shown_takers(const Story& story, std::size_t first, const ExplainDetail& detail) {
  std::set<const change::EntityChange*> out = {story.actor(first).change};
  for (std::size_t i = 0; i < story.central.size() && detail.shows_takers; ++i) out.insert(story.actor(i).change);
  return out;
}

}  // namespace

void add_walkthrough(Document& document, const DocumentInputs& inputs, const Story& story, const ExplainDetail& detail,
                     const std::vector<std::string>& what) {
  document.heading(2, "3. Detailed Code Walkthrough (How)");
  if (story.central.empty()) {
    document.paragraph(
        fmt::format("No Python definition changes. The change consists of {}.", category_words(*inputs.change)));
    std::size_t shown = 0;
    for (const AlikeFiles& group : largest_first(alike(files_in_order(inputs)))) {
      const FileSummary* file = group.files.front();
      if (shown == 3) break;
      if (file->file->binary) continue;
      CodeBlock block = file_excerpt(*file, std::min<std::size_t>(detail.lead_lines, 24));
      if (block.lines.empty()) continue;
      document.heading(3, place(file->file->path()));
      if (group.files.size() > 1)
        document.paragraph(fmt::format("It stands for {} that change alike.", count_of(group.files.size(), "file")));
      document.paragraph(as_sentence(capitalised(from_backquotes(file->summary))));
      if (FileTable table = file_table(inputs, *file, detail.rows + 4); table.rows.size() > 1)
        document.table(table.header, table.rows);
      document.code_block(std::move(block));
      ++shown;
    }
    if (auto picture = files_picture(inputs)) {
      document.diagram(*std::move(picture), files_picture_caption(inputs));
    } else {
      document.paragraph("N/A - no job, section or definition changes that could be drawn.");
    }
    return;
  }
  add_behaviour(document, inputs, story, detail.rows);
  if (const StreamTable orders = stream_table(inputs, story); !orders.rows.empty())
    document.heading(3, "Which stream waits for which").table(orders.header, orders.rows);
  const std::size_t lead = story.lead();
  const std::size_t drawn = detail.flow ? most_drawn(inputs, story) : SIZE_MAX;
  const auto calls = story.is_cosmetic() ? std::nullopt : best_sequence(inputs, story);
  if (story.is_cosmetic()) {
    document.diagram(files_diagram(inputs), "The files before and after:");
  } else if (calls && drawn != SIZE_MAX && !calls_from_change(*calls)) {
    // The way alone is told in section 2.
  } else if (calls) {
    document.diagram(*calls, sequence_caption(*calls));
  } else if (const auto picture = architecture_diagram(inputs, story)) {
    document.diagram(*picture, "The two sides:");
  } else {
    document.diagram(files_diagram(inputs), "The files before and after:");
  }
  const std::size_t first = document.blocks.size();
  std::set<const NewHelper*> shown;
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    // Of functions that only take up a new one the first stands for the others.
    const NewHelper* taken = helper_taken_by(story.helpers, story.actor(i));
    const bool is_first = taken != nullptr && shown.insert(taken).second;
    if (taken != nullptr && !is_first && !detail.shows_takers) continue;
    if (is_shown(inputs, story.actor(i), std::span(document.blocks).subspan(first))) continue;
    add_entity(document, inputs, story, i, i == lead ? detail.lead_lines : detail.other_lines, detail, what);
    const std::string others = is_first ? other_takers_words(inputs, *taken, shown_takers(story, i, detail)) : "";
    if (!others.empty()) document.paragraph(others);
    if (i != drawn) continue;
    if (auto flow = control_flow_diagram(inputs, story.actor(i)))
      document.diagram(*flow, fmt::format("Flow of control in {}:", code(short_name(inputs, *story.actor(i).change))));
  }
  const bool shows_code =
      std::any_of(document.blocks.begin() + static_cast<std::ptrdiff_t>(first), document.blocks.end(),
                  [](const Block& block) { return std::holds_alternative<CodeBlock>(block.value); });
  if (!shows_code) add_lines(document, inputs, detail);
  const std::vector<std::string> concepts = concept_notes(inputs, story, std::min<std::size_t>(detail.notes, 3));
  if (!concepts.empty()) document.heading(3, "Concepts behind it").bullets(concepts);
  const std::vector<std::string> insights = insight_notes(inputs, story, detail.notes);
  if (!insights.empty()) document.heading(3, "Pitfalls and possible improvements").bullets(insights);
}

}  // namespace lockstep::report
