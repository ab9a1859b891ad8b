#include "report/documents/explain.h"
#include "change/names.h"
#include "report/documents/chosen.h"
#include "report/documents/new_choices.h"
#include "report/documents/new_names.h"
#include "report/documents/new_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/author/limits.h"
#include "report/documents/areas.h"
#include "report/documents/checks.h"
#include "report/documents/explain_parts.h"
#include "report/documents/file_parts.h"
#include "report/documents/files.h"
#include "report/documents/first_fitting.h"
#include "report/documents/origins.h"
#include "report/documents/other_callers.h"
#include "report/documents/parts.h"
#include "report/documents/removed.h"
#include "report/documents/risks.h"
#include "report/documents/tests.h"
#include "report/documents/use_sentences.h"
#include "report/documents/ways.h"
#include "report/story/bases.h"
#include "report/story/changes.h"
#include "report/story/mended_names.h"
#include "report/story/optional.h"

namespace lockstep::report {

using change::EntityKind;
using change::FileSummary;

namespace {

/// Of the whole document: what a reader takes in at one sitting, and more where more source code changes.
std::size_t most_words(const DocumentInputs& inputs) {
  constexpr std::size_t kUsual = 1420;
  constexpr std::size_t kUsualLines = 100;
  constexpr std::size_t kMore = 480;
  std::size_t lines = 0;
  for (const FileSummary& file : inputs.change->files) {
    if (file.category == change::FileCategory::kSource) lines += file.lines_added + file.lines_removed;
  }
  return kUsual + std::min(kMore, lines - std::min(lines, kUsualLines));
}

constexpr std::string_view kNew = " (new)";

constexpr ExplainDetail kDetails[] = {
    {5, 6, 60, 34, 170, 6, 6, 8, 4, 4, 400, true, true},  {5, 6, 44, 20, 130, 5, 5, 6, 3, 3, 160, false, true},
    {4, 5, 38, 14, 110, 4, 4, 5, 2, 2, 110, false, true}, {4, 5, 30, 12, 100, 4, 4, 5, 2, 2, 90, false, false},
    {3, 5, 26, 10, 80, 3, 3, 4, 2, 2, 60, false, false},  {2, 4, 24, 10, 60, 3, 3, 3, 1, 1, 0, false, false},
    {1, 3, 20, 8, 50, 3, 3, 3, 1, 1, 0, false, false},    {1, 2, 12, 6, 40, 2, 2, 2, 1, 1, 0, false, false},
};

/// `item` with `more`, which begins with a blank, behind it: an item of its own below an item that has such.
std::string with_more(std::string item, std::string_view more) {
  if (more.empty()) return item;
  return has_below(item) ? with_below(std::move(item), more.substr(1)) : item.append(more);
}

/// Items that say the same of several entities say it once.
class AlikeItems {
 public:
  explicit AlikeItems(std::vector<std::string>& items) : items_(items) {}

  /// What is new has words of its own, if they are alike.
  static bool is_edit(const Actor& actor) { return actor.change->status == change::Status::kModified; }

  /// What is said after the name and place. What is cut says too little: behind the cut they may differ.
  static std::string key_of(const std::string& text) {
    const std::size_t end = text.find("): ");
    if (end == std::string::npos || text.size() < end + kLeastBytes || contains(text, "\u2026")) return {};
    return text.substr(end);
  }

  /// True if `text`, all that can be told of `actor`, is told of another one already: it is named there.
  bool join(const DocumentInputs& inputs, const Actor& actor, const std::string& text) {
    const std::string key = key_of(text);
    const auto known = is_edit(actor) && !key.empty() ? place_.find(key) : place_.end();
    if (known == place_.end()) return false;
    others_[known->second].push_back(
        fmt::format("{} ({})", code(short_name(inputs, *actor.change)), place_of(inputs, *actor.change)));
    return true;
  }

  /// `whole`: all that can be told, of which `text` is the most important part.
  void add(const Actor& actor, std::string text, const std::string& whole) {
    if (std::string key = key_of(whole); is_edit(actor) && !key.empty()) place_.emplace(std::move(key), items_.size());
    items_.push_back(std::move(text));
  }

  /// Adds the names to the items.
  void finish() {
    for (const auto& [item, names] : others_) {
      const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNamed));
      const std::string more = names.size() > kMostNamed ? fmt::format(" and {} more", names.size() - kMostNamed) : "";
      items_[item] = with_more(
          items_[item], fmt::format(" The same in {}{}.", lockstep::join(std::vector(names.begin(), end), ", "), more));
    }
  }

 private:
  static constexpr std::size_t kLeastBytes = 40;  ///< Shorter ones, "has another default", say too little.
  static constexpr std::size_t kMostNamed = 8;

  std::vector<std::string>& items_;
  std::map<std::string, std::size_t> place_;
  std::map<std::size_t, std::vector<std::string>> others_;
};

/// Whether another actor before this one has its name, its file and its fate.
bool is_told_twice(const Story& story, const Actor& actor) {
  const auto& latest = actor.change->latest();
  return std::any_of(story.actors.begin(), story.actors.end(), [&](const Actor& other) {
    const auto& same = other.change->latest();
    return &other < &actor && other.change->status == actor.change->status && same.path == latest.path &&
           same.qualified_name == latest.qualified_name && actor.change->kind == other.change->kind;
  });
}

/// Whether all that changes in a function is how it declares options whose new defaults are told of the settings.
bool only_declares(const Story& story, const Actor& actor) {
  const auto is_told = [&](const Step& step) {
    const auto* statement = python::as<python::ExprStmt>(step.node);
    const auto* call = statement == nullptr ? nullptr : python::as<python::Call>(statement->value);
    const auto* callee = call == nullptr ? nullptr : python::as<python::Attribute>(call->callee);
    if (callee == nullptr || callee->name.text != "add_argument" || call->arguments.empty()) return false;
    const std::string name = one_line_whole(*actor.steps.after_source, *call->arguments.front());
    return std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) {
      return !flag.argument.empty() && (flag.is_new || !flag.old_default.empty()) && contains(name, flag.argument) &&
             name.size() == flag.argument.size() + 2;  // Its quotes.
    });
  };
  const auto is_kept = [](const Step& step) { return step.status == StepStatus::kKept; };
  const auto& steps = actor.steps.after;
  return !std::all_of(steps.begin(), steps.end(), is_kept) &&
         std::all_of(steps.begin(), steps.end(), [&](const Step& step) { return is_kept(step) || is_told(step); });
}

constexpr std::size_t kAllClauses = 1'000;

/// Central and supporting entities by weight, for "what".
std::vector<std::string> what_items(const DocumentInputs& inputs, const Story& story, const OwnWords& own,
                                    std::size_t most) {
  std::vector<std::string> items = lifted_refusals(inputs, story);
  for (std::string& item : setting_items(inputs, story, own)) items.push_back(std::move(item));
  for (std::string& item : new_choice_items(inputs, story)) items.push_back(std::move(item));
  for (const Flag& flag : story.awakened) items.push_back(awakened_words(flag));
  if (const std::vector<std::string> modules = removed_modules(inputs); modules.size() == 1)
    items.push_back(fmt::format("The module {} is gone.", modules.front()));
  std::vector<std::pair<std::string, std::size_t>> names;  // With how many definitions are called so.
  std::vector<std::pair<std::string, std::size_t>> idle_names;
  std::set<std::string> told;
  std::map<std::string, std::vector<const Actor*>> left;  // What is only counted, by what it does.
  std::vector<const Actor*> counted;
  const auto counted_name = [&](const Actor& actor) {
    const std::string_view state = actor.is_removed() ? " (removed)" : actor.is_added() ? kNew : "";
    return code(short_name(inputs, *actor.change)) + std::string(state);
  };
  std::size_t compared = 0;
  std::size_t beyond = 0;  // Items more than there is room for.
  AlikeItems alike(items);
  NewParameters parameters_told(inputs);
  if (items.size() > 1) most += items.size() - 1;
  // What is not in use is told beside what is, not in its place.
  const std::vector<std::string> idle = use_sentences(inputs, story);
  items.insert(items.end(), idle.begin(), idle.end());
  most += idle.size();
  for (std::string& one : mended_names(inputs)) items.push_back(std::move(one));
  const std::vector<OptionalImport> optional = optional_imports(inputs, story);
  for (const OptionalImport& one : optional) items.push_back(optional_words(inputs, one));
  if (const std::size_t count = story.only_removed; count > 0)
    items.push_back(
        fmt::format("Of Python code the change only takes out {}. No Python code of the repository, tests included, "
                    "has {} any more.",
                    count_of(count, "definition"), count == 1 ? "its name" : "one of their names"));
  const std::size_t lead = items.size();
  // What ties the pieces together comes before the pieces.
  const std::vector<NameSentence> ties = name_sentences(inputs, story, 3);
  const auto is_told_as_tie = [&](const Actor& actor) {
    if (actor.change->kind != EntityKind::kField) return false;
    const std::string_view name = change::last_part(actor.change->latest().qualified_name);
    return std::any_of(ties.begin(), ties.end(), [&](const NameSentence& tie) {
      return std::find(tie.names.begin(), tie.names.end(), name) != tie.names.end();
    });
  };
  const auto is_setting = [&](const Actor& actor) {
    const std::string& name = actor.change->latest().qualified_name;
    return actor.change->kind == EntityKind::kField &&
           std::any_of(story.flags.begin(), story.flags.end(), [&](const Flag& flag) {
             return (flag.is_new || !flag.old_default.empty()) && name.ends_with("." + flag.name);
           });
  };
  // What a class newly derives from explains what its methods do.
  std::vector<const Actor*> actors;
  for (const Actor& actor : story.actors) actors.push_back(&actor);
  std::set<std::uint32_t> gained;  // Classes that others newly derive from.
  const auto derives_anew = [&](const Actor* actor) {
    if (actor->role != Role::kCentral && actor->role != Role::kSupporting) return false;
    const std::vector<NewBase> bases = new_bases(*inputs.after, *actor->change);
    for (const NewBase& one : bases) gained.insert(one.base.value);
    return !bases.empty();
  };
  std::stable_partition(actors.begin(), actors.end(), derives_anew);
  std::stable_partition(actors.begin(), actors.end(), [&](const Actor* actor) {
    return actor->is_added() && actor->role == Role::kCentral && actor->change->after->cls.valid() &&
           gained.contains(actor->change->after->cls.value);
  });
  for (const Actor* one : actors) {
    const Actor& actor = *one;
    const bool tells = actor.role == Role::kCentral || actor.role == Role::kSupporting ||
                       actor.role == Role::kFollowing || (story.only_tests && actor.role == Role::kTest);
    if (!tells || actor.is_bare_module() || is_setting(actor) || is_told_by(optional, actor) || is_told_as_tie(actor))
      continue;
    const bool is_first = told.empty();
    // What a class that is told holds is told with it.
    const std::string& qualified = actor.change->latest().qualified_name;
    if (actor.change->kind == EntityKind::kField && actor.is_added() &&
        told.contains(qualified.substr(0, std::min(qualified.rfind('.'), qualified.size()))))
      continue;
    if (!is_first && tells_all_of(ties, inputs, actor) && NewParameters(inputs).words(actor).empty()) continue;
    constexpr std::size_t kMostCompared = 40;  // of a large change
    const std::string words = ++compared > kMostCompared ? std::string()
                                                         : actor_item(inputs, actor,
                                                                      is_first                       ? 4
                                                                      : actor.role == Role::kCentral ? 3
                                                                                                     : 2);
    // A name that both branches of a `try` bind is one definition to the reader.
    if (told.contains(actor.change->latest().qualified_name) && is_told_twice(story, actor)) continue;
    const std::string whole = words.empty() ? std::string() : actor_words(inputs, actor, kAllClauses);
    if (alike.join(inputs, actor, whole)) continue;
    // An argument by which a run reckons otherwise is told in any case; what only follows is counted: it changes, too.
    constexpr std::size_t kMostBeyond = 2;
    constexpr int kReckons = 3;
    const bool is_full = items.size() >= most &&
                         (actor.followed.empty() || actor.followed.front().rank < kReckons || beyond == kMostBeyond);
    if (is_full || actor.role == Role::kFollowing || (!is_first && only_declares(story, actor)) ||
        (actor.role == Role::kSupporting && items.size() >= 3 + idle.size() && actor.weight < 2)) {
      // What a class told above holds is told with it.
      const std::string& name = actor.change->latest().qualified_name;
      if (told.contains(name.substr(0, std::min(name.rfind('.'), name.size())))) continue;
      const std::string shown = counted_name(actor);
      if (const std::string key = AlikeItems::key_of(whole); AlikeItems::is_edit(actor) && !key.empty())
        left[key].push_back(&actor);
      // What is not in use is named above.
      auto& list = actor.is_unnamed ? idle_names : names;
      counted.push_back(&actor);
      const auto known = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.first == shown; });
      if (known != list.end()) ++known->second;
      if (known == list.end()) list.emplace_back(shown, 1);
      continue;
    }
    constexpr std::size_t kMostParameters = 3;  // Functions of which new parameters are told.
    const std::string parameters = told.size() < kMostParameters ? parameters_told.words(actor) : std::string();
    std::string followed = followed_words(actor, is_first ? 2 : 1);
    if (std::any_of(items.begin(), items.end(), [&](const std::string& item) { return contains(item, followed); }))
      followed.clear();
    if (items.size() >= most) ++beyond;
    alike.add(actor, with_more(words.empty() ? actor_item(inputs, actor, 2) : words, parameters + followed), whole);
    told.insert(actor.change->latest().qualified_name);
  }
  // Of what is only counted, what several do alike is told.
  const auto largest = std::max_element(left.begin(), left.end(),
                                        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  constexpr std::size_t kFewest = 3;
  if (largest != left.end() && largest->second.size() >= kFewest) {
    for (const Actor* actor : largest->second) {
      const std::string whole = actor_words(inputs, *actor, kAllClauses);
      if (!alike.join(inputs, *actor, whole)) alike.add(*actor, whole, whole);
      const std::string shown = counted_name(*actor);
      std::erase_if(names, [&](const auto& one) { return one.first == shown && one.second == 1; });
    }
  }
  // Where little is told, the one or two that only follow are told, too: their names alone say nothing.
  constexpr std::size_t kMostCounted = 2;
  constexpr std::size_t kShort = 6;
  if (idle_names.empty() && counted.size() <= kMostCounted && items.size() + counted.size() <= kShort) {
    for (const Actor* actor : counted) {
      const std::string words = actor_item(inputs, *actor, 2);
      if (words.empty() || only_declares(story, *actor)) continue;
      alike.add(*actor, words, actor_words(inputs, *actor, kAllClauses));
      const std::string shown = counted_name(*actor);
      std::erase_if(names, [&](const auto& one) { return one.first == shown && one.second == 1; });
    }
  }
  alike.finish();
  std::size_t place = std::min(lead + 1, items.size());
  for (const NameSentence& tie : ties) items.insert(items.begin() + static_cast<std::ptrdiff_t>(place++), tie.text);
  names.insert(names.end(), idle_names.begin(), idle_names.end());
  if (!names.empty()) {
    constexpr std::size_t kMostNames = 6;
    std::size_t others = 0;
    std::size_t uncounted = 0;
    std::vector<std::string> shown;
    for (const auto& [name, count] : names) {
      others += count;
      if (shown.size() == kMostNames) {
        uncounted += count;
      } else {
        shown.push_back(count == 1 ? name : fmt::format("{} ({} of the name)", name, count));
      }
    }
    // " (new)" behind each says nothing where all are.
    const auto is_new = [](const auto& each) { return each.first.ends_with(kNew); };
    const bool are_new = std::all_of(names.begin(), names.end(), is_new);
    if (are_new) {
      for (std::string& one : shown) one = replace_all(one, kNew, "");
    }
    std::string text = are_new ? fmt::format("{}: {}", count_of(others, "more new definition"), join(shown, ", "))
                               : fmt::format("{} {}: {}", count_of(others, "more definition"),
                                             others == 1 ? "changes" : "change", join(shown, ", "));
    if (uncounted > 0) text += fmt::format(" and {} more", uncounted);
    items.push_back(text + ".");
  }
  return items;
}

/// Gives the items of "What".
std::vector<std::string> add_problem(Document& document, const DocumentInputs& inputs, const Story& story,
                                     const OwnWords& words, const ExplainDetail& detail) {
  document.heading(2, "1. Problem Statement (Why) and Proposed Solution (What)");
  document.heading(3, "Why");
  add_why(document, words);
  document.heading(3, "What");
  const std::vector<std::string> purposes = purpose_items(words);
  std::vector<std::string> items = what_items(inputs, story, words, detail.what);
  const auto begin_with_purposes = [&] {
    std::vector<std::string> all = purposes;
    all.insert(all.end(), items.begin(), items.end());
    document.bullets(all);
  };
  if (is_told_in_parts(inputs)) {
    if (items.size() > 2) items.resize(2);
    begin_with_purposes();
    document.paragraph("The change in parts, the weightiest first:");
    document.bullets(part_items(inputs, story, detail.what + 2));
  } else if (!items.empty()) {
    for (std::string& item : other_file_items(inputs, detail.what > 4 ? 3 : 2)) items.push_back(std::move(item));
    begin_with_purposes();
  } else {
    document.bullets(purposes);
    document.bullets(alike_items(files_in_order(inputs), 8));
  }
  return items;
}

/// Whether files change that are no tests.
bool other_categories(const DocumentInputs& inputs) {
  return std::any_of(inputs.change->files.begin(), inputs.change->files.end(),
                     [](const FileSummary& file) { return file.category != change::FileCategory::kTest; });
}

void add_context(Document& document, const DocumentInputs& inputs, const Story& story, const OwnWords& words) {
  document.heading(2, "2. Where It Runs");
  if (story.central.empty() || story.only_tests) {
    const std::vector<std::string> starts = story.only_tests ? std::vector<std::string>{} : workflow_starts(inputs);
    document.bullets(starts);
    if (starts.empty())
      document.paragraph(!story.only_tests          ? "N/A - no Python definition changes."
                         : other_categories(inputs) ? "N/A - of Python code only tests change."
                                                    : "N/A - only tests change.");
    return;
  }
  // Where the lead cannot be followed to an entry, a companion that can says more.
  std::size_t lead = story.lead();
  const auto way = [&](std::size_t i) {
    const std::string idle = story.entries[i].frames.size() > 1 ? "" : use_of_actor(inputs, story, story.actor(i));
    return idle.empty() ? reach_text(inputs, story, i) : idle;
  };
  const auto from_script = [&](std::size_t i) {
    return story.entries[i].frames.size() > 1 && story.entries[i].kind == program::EntryKind::kScript;
  };
  // Where a class is made is not where what it does runs; a base is made as what derives from it.
  const bool is_made = story.actor(lead).change->kind == EntityKind::kClass;
  std::size_t used = story.central.size();
  for (std::size_t i = 0; i < story.central.size() && is_made && used == story.central.size(); ++i) {
    if (from_script(i) && story.actor(i).is_function() && story.actor(i).on_step_path) used = i;
  }
  const auto& side = story.actor(lead).change->after;
  const bool is_base = is_made && side && side->cls.valid() && !inputs.after->subclasses_of(side->cls).empty();
  if (is_base && used < story.central.size()) {
    lead = used;
    used = story.central.size();
  }
  document.paragraph(way(lead));
  if (const std::string origin = origin_text(inputs, story, lead); !origin.empty()) document.paragraph(origin);
  for (std::size_t i = 0; i < story.central.size() && !from_script(lead); ++i) {
    if (!from_script(i)) continue;
    document.paragraph(way(i));
    lead = i;
  }
  const std::string conditions = path_conditions(inputs, story.entries[lead]);
  if (!conditions.empty()) document.paragraph(conditions);
  if (const std::string callers = other_callers_text(inputs, story, lead); !callers.empty())
    document.paragraph(callers);
  const bool is_other = used < story.central.size() && used != lead;
  if (is_other) {
    document.paragraph(way(used));
    const std::string others = path_conditions(inputs, story.entries[used]);
    if (!others.empty() && others != conditions) document.paragraph(others);
  }
  if (const std::string chosen = chosen_text(inputs, story, lead); !chosen.empty()) document.paragraph(chosen);
  for (const std::size_t i : namesakes_of(inputs, story, lead)) {
    if (!is_other || i != used) document.paragraph(way(i));
  }
  std::vector<std::string> flags;
  std::string guards;
  bool is_named = false;  // The title alone speaks of one.
  for (const Flag& flag : story.flags) {
    if (flags.size() == 3) break;
    flags.push_back(flag_text(flag, !is_documented_in_what(flag, words), guards));
    guards = flag.guards;
    is_named = is_named || (!flag.is_new && !flag.is_changed && flag.guards.empty());
  }
  if (!flags.empty()) {
    document.paragraph(is_named ? "Settings that it adds, alters, stands under or names in its title:"
                                : "Settings that it adds, alters or stands under:");
    document.bullets(flags);
  }
}

/// What the change's own comments, docstrings and documents call a limit, unless the reasons above quote it.
std::vector<std::string> limit_items(const DocumentInputs& inputs, const Story& story, const OwnWords& words) {
  constexpr std::size_t kMost = 3;
  std::string quoted;
  for (const auto* sayings : {&words.sayings, &words.comments, &words.purposes, &words.remarks}) {
    for (const Saying& saying : *sayings) quoted += join(saying.paragraphs, "\n") + "\n";
  }
  std::vector<std::string> items;
  for (const Saying& saying : limits_in_words(inputs, story, kMost)) {
    const std::string& text = saying.paragraphs.front();
    if (!contains(quoted, text))
      items.push_back(fmt::format("Its author\u2019s own words ({}): \u201c{}\u201d", saying.source, text));
  }
  return items;
}

/// `items`: what is told first.
void add_risk_list(Document& document, const std::vector<Risk>& risks, RiskKind kind, std::string_view label,
                   std::string_view nothing, std::size_t most, std::vector<std::string> items = {}) {
  document.paragraph(strong(label));
  most += items.size();
  std::size_t left = 0;
  std::vector<std::string> names;  // What those are about that are left out.
  std::string settled;
  for (const Risk& risk : risks) {
    if (risk.kind != kind && !(kind == RiskKind::kCorrectness && risk.kind == RiskKind::kEdgeCases)) continue;
    if (risk.is_settled) {
      // What a new branch refuses is told with its code.
      if (settled.empty() && risk.kind != RiskKind::kEdgeCases)
        settled = risk.concern.ends_with("?") ? as_sentence(risk.status)
                                              : fmt::format("{} {}", risk.concern, as_sentence(risk.status));
      continue;
    }
    if (items.size() == most) {
      ++left;
      const Inline runs = prose(risk.concern);
      const auto first =
          std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.style == Style::kCode; });
      const std::string name = first == runs.end() ? std::string() : code(first->text);
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      continue;
    }
    items.push_back(fmt::format("{} {}", risk.concern, as_sentence(risk.status)));
  }
  if (left > 0) {
    constexpr std::size_t kMostNames = 4;
    const std::string_view others = names.size() > kMostNames ? " and others" : "";
    if (names.size() > kMostNames) names.resize(kMostNames);
    items.push_back(names.empty() ? fmt::format("{} more.", left)
                                  : fmt::format("{} more, on {}{}.", left, join_words(names), others));
  }
  if (items.empty()) items.push_back(settled.empty() ? std::string(nothing) : settled);
  document.bullets(items);
}

/// What tests run the central functions: those of which the same is told in one item.
std::vector<std::string> test_items(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // What is said after the names.
  for (std::size_t i = 0; i < story.central.size(); ++i) {
    // What is defined inside another function runs with it.
    const auto& side = story.actor(i).change->after;
    if (side && side->function.valid() && inputs.after->functions()[side->function].enclosing.valid()) continue;
    const std::string text = tests_item(inputs, story, i, 1);
    const std::size_t colon = text.find(": ");
    if (colon == std::string::npos) continue;
    const std::string rest = text.substr(colon);
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == rest; });
    if (known != groups.end()) {
      known->second.push_back(text.substr(0, colon));
    } else if (groups.size() < most) {
      groups.push_back({rest, {text.substr(0, colon)}});
    }
  }
  std::vector<std::string> items;
  for (const auto& [rest, names] : groups) {
    // "It" is each of them.
    items.push_back((names.size() > 1 ? "Each of " : "") + join_words(names) + rest);
  }
  return items;
}

void add_risks(Document& document, const DocumentInputs& inputs, const Story& story, const OwnWords& words,
               const ExplainDetail& detail) {
  document.heading(2, "4. Potential Issues & Risks (Watch Out)");
  const std::vector<Risk> risks = risks_of(inputs, story);
  add_risk_list(document, risks, RiskKind::kCorrectness, "Correctness",
                story.touches_python             ? "No rule fired; rules know some kinds of mistakes only."
                : may_reach_runs(*inputs.change) ? "N/A - no Python code changes, and no rule reads what does."
                                                 : "N/A - no code that runs in training changes.",
                6, limit_items(inputs, story, words));
  add_risk_list(document, risks, RiskKind::kPerformance, "Performance",
                "N/A - no code on the training step path changes.", 4);
  add_risk_list(document, risks, RiskKind::kCompatibility, "Compatibility",
                story.touches_python ? nothing_incompatible(inputs, story) + "."
                                     : "N/A - no name of Python code outside tests changes.",
                5);
  document.paragraph(strong("Missing Tests"));
  std::vector<std::string> items;
  for (const Risk& risk : risks) {
    if (risk.kind == RiskKind::kTests && items.size() < 4)
      items.push_back(fmt::format("{} {}", risk.concern, as_sentence(risk.status)));
  }
  for (std::string& text : test_items(inputs, story, detail.tests + 1 - std::min(items.size(), detail.tests + 1)))
    items.push_back(std::move(text));
  const std::vector<std::string> changed = changed_tests(inputs, story, detail.tests);
  if (!changed.empty()) items.push_back(fmt::format("Tests that the change adds or edits: {}.", join(changed, "; ")));
  if (items.empty())
    items.emplace_back(story.touches_python ? "No function changes whose tests could be looked for."
                                            : "N/A - no code to test changes.");
  document.bullets(items);
}

/// Cut at the end of a clause, so that it still reads.
std::string shortened(const std::string& summary, std::size_t limit) {
  if (summary.size() <= limit) return summary;
  std::size_t cut = summary.find_last_of(";,", limit);
  if (cut == std::string::npos || cut < limit / 3) cut = summary.rfind(' ', limit);
  std::string out = summary.substr(0, cut == std::string::npos ? limit : cut);
  // An odd back-quote would set the rest of the line as code.
  if (std::count(out.begin(), out.end(), '`') % 2 != 0) out.resize(out.rfind('`'));
  // Nor does half of what brackets hold say anything.
  if (const std::size_t open = out.rfind('('); open != std::string::npos && out.find(')', open) == std::string::npos)
    out.resize(open);
  while (!out.empty() && (out.back() == ' ' || out.back() == '(' || out.back() == ',')) out.pop_back();
  return out + " \u2026";
}

void add_files(Document& document, const DocumentInputs& inputs, const ExplainDetail& detail) {
  if (inputs.change->files.size() < 2) return;
  std::vector<std::vector<std::string>> rows;
  const std::vector<AlikeFiles> groups = alike(files_in_order(inputs));
  std::size_t left = inputs.change->files.size();
  for (const AlikeFiles& group : groups) {
    if (rows.size() == (detail.summary_size < 100 ? 15 : 25)) break;
    left -= group.files.size();
    std::vector<std::string> row = {alike_names(group, 2),
                                    fmt::format("+{} \u2212{}", group.lines_added, group.lines_removed)};
    if (detail.summary_size > 0)
      row.push_back(from_backquotes(shortened(group.files.front()->summary, detail.summary_size)));
    rows.push_back(std::move(row));
  }
  Document inner;
  inner.table(detail.summary_size > 0 ? std::vector<std::string>{"File", "Lines", "What changes"}
                                      : std::vector<std::string>{"File", "Lines"},
              rows);
  if (left > 0) inner.paragraph(fmt::format("and {}.", count_of(left, "more file")));
  document.details(left == 0
                       ? fmt::format("All {}", count_of(inputs.change->files.size(), "file"))
                       : fmt::format("{} of {} files", inputs.change->files.size() - left, inputs.change->files.size()),
                   std::move(inner));
}

/// What rules are sure of, or nearly, and what stops or falsifies a run: told before anything else.
void add_grave_findings(Document& document, const DocumentInputs& inputs) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> told;
  std::size_t more = 0;
  for (const rules::Finding& finding : inputs.findings) {
    const bool is_grave =
        finding.severity == rules::Severity::kP0 ||
        (finding.severity == rules::Severity::kP1 && finding.certainty == rules::FindingCertainty::kProven);
    if (!is_grave || finding.category == rules::Category::kTests) continue;
    if (told.size() == kMost) {
      ++more;
      continue;
    }
    told.push_back(fmt::format("{} ({}, {})", as_sentence(capitalised(from_backquotes(finding.message))),
                               place(finding.path, finding.start_line),
                               finding.severity == rules::Severity::kP0 ? "P0" : "P1"));
  }
  if (told.empty()) return;
  std::string text = fmt::format("{} {}", strong("Found by rules:"), join(told, " "));
  if (more > 0) text += fmt::format(" {} in section 4.", capitalised(count_of(more, "more finding")));
  document.paragraph(std::move(text));
}

/// `whole`: from which `story` is cut; what is not told gives reasons, too.
Document write_with(const DocumentInputs& inputs, const Story& whole, const Story& story, const ExplainDetail& detail) {
  const OwnWords words = own_words_of(inputs, whole, detail.why_words);
  Document document;
  document.title = prose(title_text(inputs, words));
  document.paragraph(scope_text(inputs));
  if (inputs.change->files.empty()) {
    document.paragraph("The two sides hold the same files: nothing to explain.");
    return document;
  }
  add_grave_findings(document, inputs);
  const std::vector<std::string> what = add_problem(document, inputs, story, words, detail);
  add_context(document, inputs, story, words);
  add_walkthrough(document, inputs, story, detail, what);
  add_risks(document, inputs, story, words, detail);
  add_files(document, inputs, detail);
  return document;
}

}  // namespace

Story find_story_to_explain(const DocumentInputs& inputs) {
  StoryOptions options;
  options.most_central = kDetails[0].central;
  options.lead_first = true;
  return find_story(inputs, options);
}

Document write_explain(const DocumentInputs& inputs, const Story& story) {
  return first_fitting(std::size(kDetails), most_words(inputs), inputs.jobs, [&](std::size_t version) {
    const ExplainDetail& detail = kDetails[version];
    return write_with(inputs, story, with_central(story, detail.central), detail);
  });
}

Document write_explain(const DocumentInputs& inputs) { return write_explain(inputs, find_story_to_explain(inputs)); }

}  // namespace lockstep::report
