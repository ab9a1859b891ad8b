#include "report/documents/content/what.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "change/names.h"
#include "python/tree_walk.h"
#include "report/documents/compatibility/moved_definitions.h"
#include "report/documents/compatibility/removed.h"
#include "report/documents/compatibility/renamed_fields.h"
#include "report/documents/content/alike_docstrings.h"
#include "report/documents/content/changed_sources.h"
#include "report/documents/content/new_constants.h"
#include "report/documents/content/new_names.h"
#include "report/documents/content/new_parameters.h"
#include "report/documents/content/new_types.h"
#include "report/documents/content/repeated_conditions.h"
#include "report/documents/content/same_statements.h"
#include "report/documents/content/use_sentences.h"
#include "report/documents/content/waits_told.h"
#include "report/documents/content/wrapped_values.h"
#include "report/documents/correctness/checks.h"
#include "report/documents/correctness/moved_calls.h"
#include "report/documents/correctness/near_copies.h"
#include "report/documents/correctness/new_hooks.h"
#include "report/documents/parts.h"
#include "report/documents/runs/handed_parameters.h"
#include "report/documents/settings/checked_choices.h"
#include "report/documents/settings/new_choices.h"
#include "report/documents/settings/new_settings.h"
#include "report/documents/settings/redeclared_options.h"
#include "report/documents/settings/wider_settings.h"
#include "report/source/loggers.h"
#include "report/story/calls/attributes_besides.h"
#include "report/story/calls/mended_calls.h"
#include "report/story/calls/new_helpers.h"
#include "report/story/checks/optional.h"
#include "report/story/classes/bases.h"
#include "report/story/settings/flag_needs.h"
#include "report/story/steps/mended_imports.h"
#include "report/story/steps/mended_names.h"
#include "report/story/steps/nesting.h"
#include "report/story/steps/property_use.h"
#include "report/story/steps/steps.h"
#include "report/story/steps/swapped_calls.h"
#include "report/story/wording/changes.h"

namespace lockstep::report {

using change::EntityKind;

namespace {

constexpr std::string_view kNew = " (new)";
constexpr std::size_t kAllClauses = 1'000;

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
    auto known = is_edit(actor) && !key.empty() ? place_.find(key) : place_.end();
    if (known == place_.end()) known = place_.find(twin_key(actor, text));
    if (known == place_.end()) return false;
    others_[known->second].push_back(
        fmt::format("{} ({})", code(short_name(inputs, *actor.change)), place_of(inputs, *actor.change)));
    return true;
  }

  /// `whole`: all that can be told, of which `text` is the most important part.
  void add(const Actor& actor, std::string text, const std::string& whole) {
    if (std::string key = key_of(whole); is_edit(actor) && !key.empty()) place_.emplace(std::move(key), items_.size());
    if (std::string key = twin_key(actor, whole); !key.empty()) place_.emplace(std::move(key), items_.size());
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
  /// The text behind the name, without places.
  static std::string said_of(const std::string& text) {
    Inline runs = prose(text);
    std::erase_if(runs, [](const Run& run) { return run.style == Style::kPlace; });
    const std::string said = text_of(runs);
    return said.substr(std::min(said.find("): "), said.size()));
  }

  /// Of a function that is new, its code; of another one all that changes in it, with what is told of it: one in
  /// another file may have the same, whatever is told in short.
  static std::string twin_key(const Actor& actor, const std::string& whole) {
    constexpr std::size_t kLeastCode = 80;  // Bytes: two short ones may be alike by chance.
    const bool is_told = actor.is_function() && actor.change->after && !actor.change->moved && !actor.change->renamed &&
                         actor.steps.after_source != nullptr;
    if (!is_told) return {};
    if (actor.is_added()) {
      std::string code = without_layout(*actor.steps.after_source, actor.change->after->node->span);
      return code.size() < kLeastCode ? std::string() : code;
    }
    if (!is_edit(actor) || actor.steps.before_source == nullptr) return {};
    std::string edits;
    const auto add = [&](const std::vector<Step>& steps, const SourceText& source) {
      for (const Step& step : steps) {
        if (step.status != StepStatus::kKept) edits += without_layout(source, step.span) + "\n";
      }
      edits += "\n";
    };
    add(actor.steps.before, *actor.steps.before_source);
    add(actor.steps.after, *actor.steps.after_source);
    return edits.size() < kLeastCode ? std::string() : edits + said_of(whole);
  }

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

/// Collects the items; what is not told is counted.
class What {
 public:
  What(const DocumentInputs& inputs, const Story& story, std::size_t most, std::size_t in_short)
      : inputs_(inputs),
        story_(story),
        most_(most),
        in_short_(in_short),
        alike_(items_),
        parameters_told_(inputs),
        ties_(name_sentences(inputs, story, 3)),
        optional_(optional_imports(inputs, story)),
        moved_(moved_as_they_were(inputs)) {}

  std::vector<std::string> run(const OwnWords& own) {
    add_lead(own);
    const std::size_t lead = items_.size();
    const std::vector<const Actor*> actors = in_order();
    described_ = alike_docstrings(inputs_, actors);
    std::vector<RepeatedCondition> repeated = repeated_conditions(inputs_, story_);
    for (const RepeatedCondition& one : repeated) together_.insert(one.only.begin(), one.only.end());
    for (const Actor* actor : actors) add(*actor);
    tell_new_helpers();
    tell_handed_parameters();
    tell_alike();
    tell_few();
    tell_modules();
    alike_.finish();
    // What ties the pieces together comes before the pieces.
    std::size_t place = std::min(lead + 1, items_.size());
    for (const std::string& idle : idle_sentences_)
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(place++), idle);
    // What many lines do alike comes before the lines.
    std::size_t first = std::min(lead, items_.size());
    for (std::string& wait : gone_wait_items(inputs_, story_)) {
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(first++), std::move(wait));
      ++place;
    }
    for (std::string& source : changed_source_items(inputs_, story_)) {
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(first++), std::move(source));
      ++place;
    }
    for (std::string& moved : moved_call_items(inputs_, story_))
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(place++), std::move(moved));
    for (std::string& hook : new_hook_items(inputs_, story_))
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(place++), std::move(hook));
    for (RepeatedCondition& one : repeated) {
      // Where the function that leads changes in nothing else, that is the change.
      const bool leads = !story_.central.empty() &&
                         std::find(one.only.begin(), one.only.end(), &story_.actor(story_.lead())) != one.only.end();
      std::size_t& at = leads ? first : place;
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(at++), std::move(one.text));
      if (leads) ++place;
    }
    for (const SwappedCall& swapped : story_.swapped) {
      if (swapped.callee == nullptr || !told_.contains(swapped.callee->latest().qualified_name))
        items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(place++),
                      fmt::format("{}: {}", code(swapped.after), swapped_words(inputs_, swapped)));
    }
    for (std::string& wrapped : wrapped_value_items(inputs_, story_)) {
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(first++), std::move(wrapped));
      ++place;
    }
    constexpr std::size_t kMostConstants = 3;
    for (std::string& constant : new_constant_items(inputs_, story_, kMostConstants)) {
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(first++), std::move(constant));
      ++place;
    }
    for (std::string& type : new_type_items(inputs_, story_, told_))
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(place++), std::move(type));
    for (const std::string& chain : story_.chains)
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(place++), chain);
    for (const NameSentence& tie : ties_)
      items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(place++), tie.text);
    add_counts();
    return std::move(items_);
  }

 private:
  struct Counted {
    const Actor* actor;
    std::string key;  ///< Of `AlikeItems`: what it does; empty where that is told of it alone.
  };

  /// What is told of the whole change: settings, choices, what is not in use, optional imports, what goes.
  void add_lead(const OwnWords& own) {
    items_ = lifted_refusals(inputs_, story_);
    for (std::string& item : setting_items(inputs_, story_, own)) items_.push_back(std::move(item));
    for (std::string& item : new_choice_items(inputs_, story_)) items_.push_back(std::move(item));
    for (std::string& item : redeclared_options(story_)) items_.push_back(std::move(item));
    for (std::string& item : checked_choice_items(inputs_)) items_.push_back(std::move(item));
    std::vector<std::string> awakened = awakened_items(inputs_, story_);
    // Beside who reads it the setting is told, not in the place of that.
    if (items_.empty() && !awakened.empty()) ++most_;
    for (std::string& item : awakened) items_.push_back(std::move(item));
    for (std::string& item : wider_setting_items(inputs_, story_)) items_.push_back(std::move(item));
    for (std::string& item : moved_module_items(inputs_)) items_.push_back(std::move(item));
    for (std::string& item : moved_definition_items(inputs_)) items_.push_back(std::move(item));
    for (std::string& item : new_name_items(inputs_)) items_.push_back(std::move(item));
    for (std::string& item : renamed_field_items(inputs_)) items_.push_back(std::move(item));
    if (const std::vector<std::string> modules = removed_modules(inputs_); modules.size() == 1)
      items_.push_back(fmt::format("The module {} is gone.", modules.front()));
    if (items_.size() > 1) most_ += items_.size() - 1;
    // What is not in use is told beside what is, not in its place.
    idle_sentences_ = use_sentences(inputs_, story_);
    const std::vector<const Actor*> actors = in_order();
    if (actors.empty() || actors.front()->is_unnamed || is_mostly_idle()) {
      items_.insert(items_.end(), idle_sentences_.begin(), idle_sentences_.end());
      idle_ = idle_sentences_.size();
      most_ += idle_;
      idle_sentences_.clear();
    }
    for (std::string& one : mended_calls(inputs_)) items_.push_back(std::move(one));
    for (std::string& one : mended_names(inputs_)) items_.push_back(std::move(one));
    // Where no definition changes, these are the change.
    for (const ReplacedImport& one :
         story_.central.empty() ? std::vector<ReplacedImport>() : replaced_imports(inputs_)) {
      if (!one.failed) continue;
      items_.push_back(capitalised(replaced_import_words(inputs_, one, true)));
      ++most_;
    }
    for (std::string& one : flag_needs(inputs_)) items_.push_back(std::move(one));
    for (const OptionalImport& one : optional_) items_.push_back(optional_words(inputs_, one));
    if (const std::size_t count = story_.only_removed; count > 0)
      items_.push_back(
          fmt::format("Of Python code the change only takes out {}. No Python code of the repository, tests included, "
                      "has {} any more.",
                      count_of(count, "definition"), count == 1 ? "its name" : "one of their names"));
  }

  /// Whether much of what the change adds is not in use.
  [[nodiscard]] bool is_mostly_idle() const {
    constexpr double kMuch = 0.33;
    double idle = 0;
    double all = 0;
    for (const Actor& actor : story_.actors) {
      const bool counts = actor.is_function() || actor.change->kind == EntityKind::kClass;
      if (!actor.is_added() || actor.role == Role::kTest || !counts || actor.change->kind == EntityKind::kMethod)
        continue;
      const double lines = actor.change->after->last_line - actor.change->after->first_line + 1;
      all += lines;
      idle += actor.is_unnamed ? lines : 0;
    }
    return all > 0 && idle >= kMuch * all;
  }

  /// What a class newly derives from explains what its methods do: it comes first.
  [[nodiscard]] std::vector<const Actor*> in_order() const {
    std::vector<const Actor*> actors;
    for (const Actor& actor : story_.actors) actors.push_back(&actor);
    std::set<std::uint32_t> gained;  // Classes that others newly derive from.
    const auto derives_anew = [&](const Actor* actor) {
      if (actor->role != Role::kCentral && actor->role != Role::kSupporting) return false;
      const std::vector<NewBase> bases = new_bases(*inputs_.after, *actor->change);
      for (const NewBase& one : bases) gained.insert(one.base.value);
      return !bases.empty();
    };
    std::stable_partition(actors.begin(), actors.end(), derives_anew);
    std::stable_partition(actors.begin(), actors.end(), [&](const Actor* actor) {
      return actor->is_added() && actor->role == Role::kCentral && actor->change->after->cls.valid() &&
             gained.contains(actor->change->after->cls.value);
    });
    return actors;
  }

  [[nodiscard]] bool is_tied(std::string_view name) const {
    return std::any_of(ties_.begin(), ties_.end(), [&](const NameSentence& tie) {
      return std::find(tie.names.begin(), tie.names.end(), name) != tie.names.end();
    });
  }

  [[nodiscard]] bool is_told_as_tie(const Actor& actor) const {
    return actor.change->kind == EntityKind::kField &&
           is_tied(change::last_part(actor.change->latest().qualified_name));
  }

  [[nodiscard]] bool is_setting(const Actor& actor) const {
    const std::string& name = actor.change->latest().qualified_name;
    return actor.change->kind == EntityKind::kField &&
           std::any_of(story_.flags.begin(), story_.flags.end(), [&](const Flag& flag) {
             return (flag.is_new || !flag.old_default.empty()) && name.ends_with("." + flag.name);
           });
  }

  /// A variable that comes or goes, of a module that imports its name on the other side: nobody who uses it sees that.
  [[nodiscard]] bool is_rebound(const Actor& actor) const {
    if (actor.change->kind != EntityKind::kVariable || (!actor.is_added() && !actor.is_removed())) return false;
    const program::Program& other = actor.is_added() ? *inputs_.before : *inputs_.after;
    const program::ModuleId module = other.find_path(actor.change->latest().path);
    if (!module.valid()) return false;
    const std::string_view name = change::last_part(actor.change->latest().qualified_name);
    const auto& imports = other.modules()[module].facts->imports;
    return std::any_of(imports.begin(), imports.end(),
                       [&](const python::ImportedName& each) { return each.bound_as == name; });
  }

  /// Whether items of the lead say it, or nothing is to be said of it here.
  [[nodiscard]] bool is_left_out(const Actor& actor) const {
    const bool tells = actor.role == Role::kCentral || actor.role == Role::kSupporting ||
                       actor.role == Role::kFollowing || (story_.only_tests && actor.role == Role::kTest);
    const bool only_moves = actor.change->before && actor.change->after && actor.change->differences.empty() &&
                            moved_.contains(actor.change->after->qualified_name);
    const bool only_renamed =
        is_renamed_field(*actor.change) && (actor.change->differences.empty() || actor.change->is_cosmetic());
    return !tells || only_moves || only_renamed || actor.is_bare_module() || is_rebound(actor) ||
           is_logger(*actor.change) || is_setting(actor) || is_told_by(optional_, actor) || is_told_as_tie(actor);
  }

  /// Whether the class, or the function, that holds it is told; a module does not tell what it defines.
  [[nodiscard]] bool is_told_with_holder(const Actor& actor) const {
    const std::string& name = actor.change->latest().qualified_name;
    const std::string holder = name.substr(0, std::min(name.rfind('.'), name.size()));
    return told_.contains(holder) && !inputs_.after->find_module(holder).valid();
  }

  /// "No longer defines the inner function" is said of the one around it.
  [[nodiscard]] bool goes_with_holder(const Actor& actor) const {
    const auto& before = actor.change->before;
    if (!actor.is_removed() || !before || !before->function.valid()) return false;
    const program::FunctionId holder = inputs_.before->functions()[before->function].enclosing;
    return holder.valid() && std::any_of(story_.actors.begin(), story_.actors.end(), [&](const Actor& one) {
             return one.change->status == change::Status::kModified && one.change->before->function == holder &&
                    one.is_function() && !one.change->is_cosmetic();
           });
  }

  /// " Called in place of `f` at 9 places: …" where that is what the change does with the definition.
  [[nodiscard]] std::string swapped_by(const Actor& actor) const {
    const auto swapped = std::find_if(story_.swapped.begin(), story_.swapped.end(),
                                      [&](const SwappedCall& one) { return one.callee == actor.change; });
    return swapped == story_.swapped.end() ? std::string() : " " + swapped_words(inputs_, *swapped);
  }

  /// Functions that only take a new one up are told with it: it is told wherever there are such.
  void tell_new_helpers() {
    for (const NewHelper& one : story_.helpers) {
      const bool is_wanted =
          std::any_of(one.takers.begin(), one.takers.end(), [](const HelperTaker& taker) { return taker.only_takes; });
      if (!is_wanted || told_.contains(one.helper->after->qualified_name)) continue;
      const Actor& helper = *std::find_if(story_.actors.begin(), story_.actors.end(),
                                          [&](const Actor& actor) { return actor.change == one.helper; });
      items_.push_back(with_more(actor_item(inputs_, helper, 2), " " + helper_words(inputs_, one)));
      told_.insert(one.helper->after->qualified_name);
      std::erase_if(counted_, [&](const Counted& counted) { return counted.actor == &helper; });
    }
  }

  void add(const Actor& actor) {
    if (is_left_out(actor) || only_swaps_calls(actor) || helper_taken_by(story_.helpers, actor) != nullptr) return;
    const bool is_first = told_.empty();
    // The fields of a new class are part of it.
    if (actor.change->kind == EntityKind::kField && actor.is_added() && is_told_with_holder(actor)) return;
    if (is_of_new_class(story_, actor)) return;
    if (goes_with_holder(actor)) return;
    if (!is_first && tells_all_of(ties_, inputs_, actor) && NewParameters(inputs_).words(actor).empty()) return;
    if (together_.contains(&actor)) return;
    constexpr std::size_t kMostCompared = 40;  // of a large change
    const std::size_t clauses = is_first ? 4 : actor.role == Role::kCentral ? 3 : 2;
    const std::string words = ++compared_ > kMostCompared ? std::string() : actor_item(inputs_, actor, clauses);
    // A name that both branches of a `try` bind is one definition to the reader.
    if (told_.contains(actor.change->latest().qualified_name) && is_told_twice(story_, actor)) return;
    const std::string whole = words.empty() ? std::string() : actor_words(inputs_, actor, kAllClauses);
    if (alike_.join(inputs_, actor, whole)) {
      told_.insert(actor.change->latest().qualified_name);
      return;
    }
    // An argument by which a run reckons otherwise is told in any case; what only follows is counted: it changes, too.
    constexpr std::size_t kMostBeyond = 2;
    constexpr int kReckons = 3;
    const bool is_full = items_.size() >= most_ &&
                         (actor.followed.empty() || actor.followed.front().rank < kReckons || beyond_ == kMostBeyond);
    if (is_full || actor.role == Role::kFollowing || (!is_first && only_declares(story_, actor)) ||
        (actor.role == Role::kSupporting && items_.size() >= 3 + idle_ && actor.weight < 2)) {
      // What a class told above holds is told with it.
      if (!is_told_with_holder(actor))
        counted_.push_back({&actor, AlikeItems::is_edit(actor) ? AlikeItems::key_of(whole) : std::string()});
      return;
    }
    if (std::string together = told_together(actor); !together.empty()) {
      items_.push_back(std::move(together));
      std::erase_if(counted_, [&](const Counted& one) { return together_.contains(one.actor); });
      return;
    }
    constexpr std::size_t kMostParameters = 3;  // Functions of which new parameters are told.
    const std::string parameters = told_.size() < kMostParameters ? parameters_told_.words(actor) : std::string();
    std::string followed = followed_words(actor, is_first ? 2 : 1);
    // Of another function it may stand in a list of its own.
    const std::string_view sentence = trim(followed);
    if (std::any_of(items_.begin(), items_.end(), [&](const std::string& item) { return contains(item, sentence); }))
      followed.clear();
    if (items_.size() >= most_) ++beyond_;
    alike_.add(
        actor,
        with_more(words.empty() ? actor_item(inputs_, actor, 2) : words,
                  swapped_by(actor) + words_as_helper(inputs_, story_.helpers, actor) +
                      words_as_setter(story_.actors, actor) + parameters +
                      attributes_besides(inputs_, story_.actors, actor) + had_by_copies(inputs_, actor) + followed),
        whole);
    told_.insert(actor.change->latest().qualified_name);
  }

  /// What is told of the function and others together; empty where nothing is. They are told then, all of them.
  std::string told_together(const Actor& actor) {
    for (const AlikeDocstrings& one : described_) {
      if (std::find(one.actors.begin(), one.actors.end(), &actor) == one.actors.end()) continue;
      for (const Actor* each : one.actors) {
        together_.insert(each);
        told_.insert(each->change->latest().qualified_name);
      }
      return one.text;
    }
    return {};
  }

  /// Of what is only counted, what takes a new parameter for what is told, and hands it there. A tie says it already.
  void tell_handed_parameters() {
    std::vector<const Actor*> actors;
    for (const Counted& one : counted_) actors.push_back(one.actor);
    for (HandedParameter& handed : handed_parameters(inputs_, actors)) {
      if (!is_tied(handed.parameter)) items_.push_back(std::move(handed.text));
      std::erase_if(counted_, [&](const Counted& one) {
        return std::find(handed.actors.begin(), handed.actors.end(), one.actor) != handed.actors.end();
      });
    }
  }

  /// Of what is only counted, what several do alike is told.
  void tell_alike() {
    std::map<std::string, std::vector<const Actor*>> left;
    for (const Counted& one : counted_) {
      if (!one.key.empty()) left[one.key].push_back(one.actor);
    }
    const auto largest = std::max_element(
        left.begin(), left.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    constexpr std::size_t kFewest = 3;
    if (largest == left.end() || largest->second.size() < kFewest) {
      tell_same_statement();
      return;
    }
    for (const Actor* actor : largest->second) {
      const std::string whole = actor_words(inputs_, *actor, kAllClauses);
      if (!alike_.join(inputs_, *actor, whole)) alike_.add(*actor, whole, whole);
    }
    std::erase_if(counted_, [&](const Counted& one) { return one.key == largest->first; });
  }

  void tell_same_statement() {
    std::vector<const Actor*> actors;
    for (const Counted& one : counted_) actors.push_back(one.actor);
    SameStatement same = same_statement(inputs_, actors);
    if (same.text.empty()) return;
    items_.push_back(std::move(same.text));
    std::erase_if(counted_, [&](const Counted& one) {
      return std::find(same.actors.begin(), same.actors.end(), one.actor) != same.actors.end();
    });
  }

  /// Where little is told, the one or two that only follow are told, too: their names alone say nothing.
  void tell_few() {
    constexpr std::size_t kMostCounted = 2;
    constexpr std::size_t kShort = 6;
    const bool is_idle =
        std::any_of(counted_.begin(), counted_.end(), [](const Counted& one) { return one.actor->is_unnamed; });
    if (is_idle || counted_.size() > kMostCounted || items_.size() + counted_.size() > kShort) return;
    std::erase_if(counted_, [&](const Counted& one) {
      const std::string words = actor_item(inputs_, *one.actor, 2);
      if (words.empty() || only_declares(story_, *one.actor)) return false;
      alike_.add(*one.actor, words, actor_words(inputs_, *one.actor, kAllClauses));
      return true;
    });
  }

  /// " (moved out of `f`)" of a function that `f` defined for itself; empty for others.
  static std::string nesting_state(const Actor& actor) {
    const std::string words = nesting_words(*actor.change);
    return words.empty() ? std::string() : fmt::format(" ({})", words);
  }

  /// " (`2` instead of `8`)" of a variable or field whose short value changes; empty for others.
  static std::string changed_value_words(const Actor& actor) {
    constexpr std::size_t kShort = 24;
    std::string out;
    if (actor.is_function()) return out;
    for (const change::Difference& one : actor.change->differences) {
      if (one.kind != change::DifferenceKind::kValueChanged || !out.empty() || one.before.empty() ||
          one.after.empty() || one.before.size() > kShort || one.after.size() > kShort)
        continue;
      out = fmt::format(" ({} instead of {})", code(one.after), code(one.before));
    }
    return out;
  }

  /// Of what is only counted, the heaviest few with the one thing that tells the most of each, in words of one line;
  /// they are counted no more.
  std::vector<std::string> told_in_short() {
    constexpr std::size_t kLongest = 400;  // Bytes of marked text.
    std::vector<const Counted*> heaviest;
    for (const Counted& one : counted_) {
      const Actor& actor = *one.actor;
      const bool tells = !actor.is_unnamed && !actor.is_removed() && actor.role != Role::kFollowing &&
                         !only_declares(story_, actor) &&
                         (actor.is_function() || actor.change->kind == EntityKind::kClass);
      if (tells) heaviest.push_back(&one);
    }
    std::stable_sort(heaviest.begin(), heaviest.end(),
                     [](const Counted* a, const Counted* b) { return a->actor->weight > b->actor->weight; });
    std::vector<std::string> out;
    std::set<const Actor*> told;
    for (const Counted* one : heaviest) {
      if (out.size() == in_short_) break;
      if (told.contains(one->actor)) continue;
      if (std::string together = told_together(*one->actor); !together.empty()) {
        told.insert(together_.begin(), together_.end());
        out.push_back(std::move(together));
        continue;
      }
      std::string words = actor_words(inputs_, *one->actor, 1);
      if (words.size() > kLongest || !contains(words, "): ")) continue;
      told.insert(one->actor);
      out.push_back(std::move(words));
    }
    std::erase_if(counted_, [&](const Counted& one) { return told.contains(one.actor); });
    return out;
  }

  /// Their names with how many definitions are called so; what is not in use, which the lead names, comes last.
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> counted_names() const {
    std::vector<std::pair<std::string, std::size_t>> names;
    // A constant that is another one now says all in its name and values.
    std::vector<const Actor*> actors;
    for (const Counted& one : counted_) actors.push_back(one.actor);
    std::stable_partition(actors.begin(), actors.end(),
                          [](const Actor* one) { return !changed_value_words(*one).empty(); });
    for (const bool is_idle : {false, true}) {
      const auto first = static_cast<std::ptrdiff_t>(names.size());
      for (const Actor* one : actors) {
        const Actor& actor = *one;
        if (actor.is_unnamed != is_idle) continue;
        const std::string state = actor.is_removed() ? std::string(" (removed)")
                                  : actor.is_added() ? std::string(kNew)
                                                     : nesting_state(actor) + changed_value_words(actor);
        const std::string shown = code(short_name(inputs_, *actor.change)) + state;
        const auto known =
            std::find_if(names.begin() + first, names.end(), [&](const auto& each) { return each.first == shown; });
        if (known != names.end()) ++known->second;
        if (known == names.end()) names.emplace_back(shown, 1);
      }
    }
    return names;
  }

  /// What modules run themselves is no definition: it is told beside those that are counted.
  void tell_modules() {
    constexpr std::size_t kMostTold = 2;
    constexpr std::size_t kMostNamed = 4;
    std::size_t told = 0;
    std::vector<std::string> others;
    std::erase_if(counted_, [&](const Counted& one) {
      if (one.actor->change->kind != EntityKind::kModule) return false;
      const std::string whole = actor_words(inputs_, *one.actor, kAllClauses);
      if (alike_.join(inputs_, *one.actor, whole)) return true;
      if (told == kMostTold) {
        others.push_back(place(one.actor->change->latest().path));
        return true;
      }
      ++told;
      alike_.add(*one.actor, actor_words(inputs_, *one.actor, 1), whole);
      return true;
    });
    if (others.empty()) return;
    const std::size_t more = others.size() > kMostNamed ? others.size() - kMostNamed : 0;
    others.resize(others.size() - more);
    if (more > 0) others.push_back(count_of(more, "more file"));
    items_.push_back(fmt::format("Also changed at module level: {}.", join_words(others)));
  }

  void add_counts() {
    constexpr std::size_t kMostNames = 6;
    const std::size_t all = counted_.size();
    const std::vector<std::string> told = told_in_short();
    const std::size_t told_definitions = all - counted_.size();
    const std::vector<std::pair<std::string, std::size_t>> names = counted_names();
    const auto add_told = [&](std::string head) {
      for (const std::string& one : told) head = with_below(std::move(head), one);
      items_.push_back(std::move(head));
    };
    if (names.empty() && !told.empty())
      add_told(fmt::format("{} {}:", count_of(told_definitions, "more definition"),
                           told_definitions == 1 ? "changes" : "change"));
    if (names.empty()) return;
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
    if (told.empty()) {
      items_.push_back(text + ".");
      return;
    }
    add_told(fmt::format("{} change:", count_of(told_definitions + others, "more definition")));
    std::string rest = fmt::format("The other {}{}: {}", others == 1 ? std::string("one") : std::to_string(others),
                                   are_new ? ", new" : "", join(shown, ", "));
    if (uncounted > 0) rest += fmt::format(" and {} more", uncounted);
    items_.back() = with_below(std::move(items_.back()), rest + ".");
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  std::size_t most_;      ///< Items that there is room for.
  std::size_t in_short_;  ///< Definitions beyond them that are told in one line.
  std::vector<std::string> items_;
  AlikeItems alike_;
  NewParameters parameters_told_;
  std::vector<NameSentence> ties_;
  std::vector<OptionalImport> optional_;
  const std::set<std::string> moved_;        ///< Told together: they only went to another file.
  std::size_t idle_ = 0;                     ///< Items on what is not in use, where that leads.
  std::vector<std::string> idle_sentences_;  ///< Where it does not: told behind what does.
  std::size_t compared_ = 0;
  std::size_t beyond_ = 0;  ///< Items more than there is room for.
  std::set<std::string> told_;
  std::vector<AlikeDocstrings> described_;
  std::set<const Actor*> together_;  ///< Told with others.
  std::vector<Counted> counted_;
};

}  // namespace

std::vector<std::string> what_items(const DocumentInputs& inputs, const Story& story, const OwnWords& own,
                                    std::size_t most, std::size_t in_short) {
  return What(inputs, story, most, in_short).run(own);
}

}  // namespace lockstep::report
