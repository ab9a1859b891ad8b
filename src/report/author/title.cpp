#include "report/author/title.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/find_text.h"
#include "base/strings.h"
#include "change/names.h"
#include "python/facts.h"
#include "python/tree_walk.h"
#include "report/source/words.h"

namespace lockstep::report {

namespace {

/// What titles say of any change.
bool is_common(std::string_view word) {
  static constexpr std::string_view kCommon[] = {
      "add",  "adds",  "all",     "and",  "are",  "avoid", "bug",    "bugs", "enable", "fix",   "fixed", "fixes",
      "for",  "from",  "improve", "into", "new",  "not",   "now",    "only", "remove", "set",   "some",  "support",
      "test", "tests", "that",    "the",  "this", "unit",  "update", "use",  "uses",   "using", "when",  "with"};
  return std::find(std::begin(kCommon), std::end(kCommon), word) != std::end(kCommon) ||
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "build" and "builder", "synchronize" and "synchronization".
bool are_kin(const std::string& a, const std::string& b) {
  constexpr std::size_t kStem = 5;
  constexpr std::size_t kEnding = 3;
  if (a == b) return true;
  if (a.size() < kStem || b.size() < kStem) return false;
  const std::size_t shorter = std::min(a.size(), b.size());
  const std::size_t same = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shorter), b.begin()).first - a.begin());
  return (same == shorter && std::max(a.size(), b.size()) - shorter <= kEnding) || same > kStem;
}

bool holds(const std::set<std::string>& words, const std::string& word) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& one) { return are_kin(one, word); });
}

/// Code of the steps that come or change; comments and definitions inside stand apart.
std::string new_code(const Actor& actor) {
  std::string out;
  for (const Step& step : actor.steps.after) {
    const bool counts = step.status == StepStatus::kAdded || step.status == StepStatus::kChanged;
    const bool is_definition = python::is<python::FunctionDef>(step.node) || python::is<python::ClassDef>(step.node);
    if (!counts || is_definition || step.is_moved) continue;
    for (const std::string_view line : split_lines(actor.steps.after_source->slice(step.span))) {
      out += line.substr(0, line.find('#'));
      out += '\n';
    }
  }
  return out;
}

/// In which file the new code of a change, outside tests, writes a name.
class NewNames {
 public:
  explicit NewNames(const std::vector<Actor>& actors) {
    for (const Actor& actor : actors) {
      if (actor.role == Role::kTest || actor.steps.after_source == nullptr || !actor.change->after) continue;
      const std::string text = new_code(actor);
      for_each_name(text, [&](std::string_view name) { add(std::string(name), actor.change->after->path); });
    }
  }

  [[nodiscard]] bool is_outside(const std::string& name, const std::string& path) const {
    const auto found = files_.find(name);
    return found != files_.end() && (found->second == nullptr || *found->second != path);
  }

 private:
  void add(std::string name, const std::string& path) {
    const auto [place, is_new] = files_.try_emplace(std::move(name), &path);
    if (!is_new && place->second != nullptr && *place->second != path) place->second = nullptr;
  }

  std::unordered_map<std::string, const std::string*> files_;  ///< Null: several.
};

/// The words of the title that a definition holds: twice as much in its name.
struct Held {
  Actor* actor;
  std::set<std::string> in_name;
  std::set<std::string> elsewhere;
  double score = 0;
};

}  // namespace

namespace {

std::set<std::string> telling_words(std::string_view title) {
  std::set<std::string> out = name_words(title);
  std::erase_if(out, [](const std::string& word) { return is_common(word); });
  return out;
}

}  // namespace

std::string_view number_in(std::string_view title) {
  const std::size_t open = title.rfind("(#");
  const std::size_t close = open == std::string_view::npos ? open : title.find(')', open);
  if (close == std::string_view::npos) return {};
  const std::string_view number = title.substr(open + 1, close - open - 1);
  const bool is_number = number.size() > 1 && number.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return is_number ? number : std::string_view();
}

bool shares_words(std::string_view title, std::string_view name) {
  constexpr std::size_t kTelling = 4;
  const std::set<std::string> own = name_words(name);
  const std::set<std::string> words = telling_words(title);
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.size() >= kTelling && holds(own, word); });
}

std::set<std::string> telling_title_words(const DocumentInputs& inputs, const Story& story) {
  constexpr std::size_t kTelling = 5;
  std::set<std::string> out = telling_words(std::string_view(inputs.title).substr(0, inputs.title.rfind("(#")));
  std::erase_if(out, [](const std::string& word) { return word.size() < kTelling; });
  for (const Actor& actor : story.actors) {
    // Tests are called by what happens.
    if (actor.role == Role::kTest) continue;
    std::set<std::string> named = name_words(actor.change->latest().qualified_name);
    named.merge(name_words(actor.change->latest().path));
    std::erase_if(out, [&](const std::string& word) { return holds(named, word); });
  }
  return out;
}

std::size_t count_held(const std::set<std::string>& words, std::string_view text) {
  const std::set<std::string> own = words.empty() ? std::set<std::string>() : name_words(text);
  return static_cast<std::size_t>(
      std::count_if(words.begin(), words.end(), [&](const std::string& word) { return holds(own, word); }));
}

namespace {

/// Whether a word has an underscore in its middle, as names in code have: `main_grad`, but not `_x` or `__init__`.
bool is_code_name(std::string_view word) { return word.find('_', 1) < word.size() - 1 && !word.starts_with("__"); }

/// The one function that the title writes as code does, `wrap_data_iterator`, if it is more than a trifle of what
/// changes; null for none.
Actor* spelled_in_title(std::string_view title, std::vector<Actor>& actors) {
  constexpr double kTrifle = 0.1;  // Of the heaviest one's weight.
  double top = 0;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kSupporting) top = std::max(top, actor.weight);
  }
  Actor* found = nullptr;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || !actor.is_function() || actor.is_removed()) continue;
    const std::string_view name = change::last_part(actor.change->latest().qualified_name);
    if (!is_code_name(name) || find_name(title, name) == std::string_view::npos) continue;
    if (found != nullptr) return nullptr;
    found = &actor;
  }
  return found != nullptr && (found->is_added() || found->weight >= kTrifle * top) ? found : nullptr;
}

/// The words of a name in capitals and small letters, in their order: "flex", "dispatcher" of `FlexDispatcher`.
std::vector<std::string> camel_words(std::string_view name) {
  std::vector<std::string> out;
  const auto is_upper = [&](std::size_t at) {
    return at < name.size() && std::isupper(static_cast<unsigned char>(name[at])) != 0;
  };
  const auto is_lower = [&](std::size_t at) {
    return at < name.size() && std::islower(static_cast<unsigned char>(name[at])) != 0;
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (std::isalnum(static_cast<unsigned char>(name[i])) == 0) continue;
    const bool begins = is_upper(i) && (i == 0 || is_lower(i - 1) || is_lower(i + 1));
    if (out.empty() || begins) out.emplace_back();
    out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return out;
}

/// Whether `name` has all the words of `shorter` in their order.
bool has_in_order(const std::vector<std::string>& name, const std::vector<std::string>& shorter) {
  std::size_t next = 0;
  for (const std::string& word : name) {
    if (next < shorter.size() && word == shorter[next]) ++next;
  }
  return next == shorter.size();
}

/// The heaviest changed method of the one class that the title writes as code does, in full or without words of its
/// name (`FlexDispatcher`, `MoEFlexTokenDispatcher`); null for none, and where its methods are a trifle.
Actor* of_class_in_title(std::string_view title, std::vector<Actor>& actors) {
  constexpr double kTrifle = 0.2;  // Of the heaviest one's weight.
  std::vector<std::vector<std::string>> spelled;
  for_each_name(title, [&](std::string_view name) {
    std::vector<std::string> words = camel_words(name);
    constexpr std::size_t kShort = 4;  // "MoE" names no class.
    const bool is_code = words.size() > 1 && name.size() > kShort && name.find('_') == std::string_view::npos &&
                         std::isupper(static_cast<unsigned char>(name.front())) != 0;
    if (is_code) spelled.push_back(std::move(words));
  });
  if (spelled.empty()) return nullptr;
  double top = 0;
  Actor* best = nullptr;
  std::string of;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting) continue;
    top = std::max(top, actor.weight);
    if (!actor.is_function() || actor.is_removed()) continue;
    const std::string& name = actor.change->latest().qualified_name;
    const std::size_t dot = name.rfind('.');
    const std::string owner = dot == std::string::npos ? std::string() : name.substr(0, dot);
    const std::vector<std::string> words = camel_words(change::last_part(owner));
    if (owner.empty() || std::isupper(static_cast<unsigned char>(change::last_part(owner).front())) == 0 ||
        std::none_of(spelled.begin(), spelled.end(), [&](const auto& one) { return has_in_order(words, one); }))
      continue;
    if (!of.empty() && of != owner) return nullptr;
    of = owner;
    if (best == nullptr || actor.weight > best->weight) best = &actor;
  }
  return best != nullptr && best->weight >= kTrifle * top ? best : nullptr;
}

/// Names that the title writes as code does, with an underscore: `main_grad`.
std::set<std::string, std::less<>> code_names(std::string_view title) {
  std::set<std::string, std::less<>> out;
  for_each_name(title, [&](std::string_view name) {
    if (is_code_name(name)) out.emplace(name);
  });
  return out;
}

/// Whether steps that come or change name one of them, as code: no comment and no message.
bool newly_names(const Actor& actor, const std::set<std::string, std::less<>>& names) {
  return std::any_of(actor.steps.after.begin(), actor.steps.after.end(), [&](const Step& step) {
    const bool is_new = step.status == StepStatus::kAdded || step.status == StepStatus::kChanged;
    bool found = false;
    if (!is_new || step.is_moved || !step.renames.empty()) return found;
    python::walk(*step.node, python::Nested::kSkip, [&](const python::Node* node) {
      if (!step.span.contains(node->span)) return;
      if (const auto* name = python::as<python::Name>(node)) found = found || names.contains(name->id);
      if (const auto* member = python::as<python::Attribute>(node)) found = found || names.contains(member->name.text);
      if (const auto* keyword = python::as<python::Keyword>(node)) found = found || names.contains(keyword->name.text);
    });
    return found;
  });
}

/// Where the heaviest of the change neither is called by a name that the title writes as code does nor newly names one
/// in its code, the heaviest function that does, if it is more than a trifle; null for none.
Actor* naming_what_title_names(std::string_view title, std::vector<Actor>& actors) {
  constexpr double kTrifle = 0.1;  // Of the heaviest one's weight.
  const std::set<std::string, std::less<>> names = code_names(title);
  if (names.empty()) return nullptr;
  const auto is_called_so = [&](const Actor& actor) {
    const std::string& whole = actor.change->latest().qualified_name;
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return find_name(whole, name) != std::string::npos; });
  };
  const Actor* top = nullptr;
  Actor* best = nullptr;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting) continue;
    if (top == nullptr || actor.weight > top->weight) top = &actor;
    const bool counts = actor.is_function() && !actor.is_removed() && actor.steps.after_source != nullptr;
    if (counts && newly_names(actor, names) && (best == nullptr || actor.weight > best->weight)) best = &actor;
  }
  if (best == nullptr || best == top || is_called_so(*top) || newly_names(*top, names)) return nullptr;
  return best->weight >= kTrifle * top->weight ? best : nullptr;
}

}  // namespace

void weigh_named_in_title(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr std::size_t kMany = 3;
  constexpr std::uint32_t kLong = 12;  // Lines.
  const std::set<std::string> title = telling_words(inputs.title);
  double top = 0;
  Actor* best = spelled_in_title(inputs.title, actors);
  if (best == nullptr) best = of_class_in_title(inputs.title, actors);
  if (best == nullptr) best = naming_what_title_names(inputs.title, actors);
  if (best != nullptr) {
    for (const Actor& actor : actors) {
      if (actor.role == Role::kSupporting) top = std::max(top, actor.weight);
    }
    best->weight = std::max(best->weight, top * 1.02);
    return;
  }
  std::size_t most = 1;
  bool is_alone = false;
  std::optional<NewNames> names;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting) continue;
    top = std::max(top, actor.weight);
    const change::EntityKind kind = actor.change->kind;
    if (!actor.is_added() || actor.is_unnamed || actor.extracted_from != nullptr ||
        (kind != change::EntityKind::kFunction && kind != change::EntityKind::kClass) ||
        actor.change->after->last_line - actor.change->after->first_line < kLong)
      continue;
    const std::string& whole = actor.change->after->qualified_name;
    const std::string last = whole.substr(whole.rfind('.') + 1);
    const std::set<std::string> name = name_words(last);
    const auto count = static_cast<std::size_t>(
        std::count_if(title.begin(), title.end(), [&](const std::string& word) { return holds(name, word); }));
    if (count < most || (count < kMany && count < title.size())) continue;
    if (!names) names.emplace(actors);
    if (!names->is_outside(last, actor.change->after->path)) continue;
    is_alone = count > most;
    if (count > most) best = &actor;
    most = count;
  }
  if (best != nullptr && is_alone && most > 1) best->weight = std::max(best->weight, top * 1.02);
}

void weigh_title(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr double kTrifle = 0.1;     // Of the heaviest one's weight.
  constexpr double kClearly = 2;      // Times the heaviest one's score.
  constexpr double kTelling = 2.5;    // More than a word in the name that only one in six holds.
  constexpr std::size_t kFewest = 4;  // Among fewer nothing is rare.
  const std::set<std::string> title = telling_words(inputs.title);
  std::vector<Held> held;
  for (Actor& actor : actors) {
    const bool counts = actor.is_function() || actor.change->kind == change::EntityKind::kClass;
    if (actor.role != Role::kSupporting || !counts || actor.is_removed()) continue;
    Held one{&actor, {}, {}};
    // What a class is called says little of each of its methods.
    const std::string& whole = actor.change->latest().qualified_name;
    const std::set<std::string> name = name_words(whole.substr(whole.rfind('.') + 1));
    const python::Constant* docstring = python::docstring_of(body_of(actor.change->latest().node));
    std::string text = docstring == nullptr ? std::string() : std::string(docstring->text);
    if (actor.is_function() && actor.steps.after_source != nullptr) text += ' ' + new_code(actor);
    const std::set<std::string> words = name_words(text);
    for (const std::string& word : title) {
      if (holds(name, word)) {
        one.in_name.insert(word);
      } else if (holds(words, word)) {
        one.elsewhere.insert(word);
      }
    }
    held.push_back(std::move(one));
  }
  if (held.size() < kFewest) return;
  for (const std::string& word : title) {
    const auto holders = static_cast<double>(std::count_if(held.begin(), held.end(), [&](const Held& one) {
      return one.in_name.contains(word) || one.elsewhere.contains(word);
    }));
    const double rarity = std::max(0.0, std::log((static_cast<double>(held.size()) + 1) / (holders + 0.5)));
    for (Held& one : held)
      one.score += rarity * (one.in_name.contains(word) ? 2 : one.elsewhere.contains(word) ? 1 : 0);
  }
  const auto lighter = [](const Held& a, const Held& b) { return a.actor->weight < b.actor->weight; };
  const Held& top = *std::max_element(held.begin(), held.end(), lighter);
  const Held* best = nullptr;
  for (const Held& one : held) {
    // New ones are told where they are used: what a change adds is mostly called by the names of its title, checks too.
    if (one.actor->is_function() && !one.actor->is_added() && !one.in_name.empty() &&
        one.actor->weight >= kTrifle * top.actor->weight && (best == nullptr || one.score > best->score))
      best = &one;
  }
  if (best == nullptr || best->score < kTelling || best->score < kClearly * top.score) return;
  best->actor->weight = top.actor->weight * 1.01;
}

namespace {

/// Whether the first words of the title say that something goes.
bool says_it_goes(std::string_view title) {
  static constexpr std::string_view kVerbs[] = {"prevent", "prevents", "remove",   "removes", "drop",
                                                "drops",   "disable",  "disables", "stop",    "stops",
                                                "delete",  "forbid",   "disallow"};
  constexpr std::size_t kFirst = 3;  // Words: "fix: prevent …", "[RL] Remove …".
  std::size_t seen = 0;
  bool says = false;
  for_each_name(title, [&](std::string_view word) {
    if (seen++ >= kFirst) return;
    const std::string lower = to_lower(word);
    says = says || std::find(std::begin(kVerbs), std::end(kVerbs), lower) != std::end(kVerbs);
  });
  return says;
}

/// Code of the steps that go; what moves stays.
std::string gone_code(const Actor& actor) {
  std::string out;
  for (const Step& step : actor.steps.before) {
    if (step.status == StepStatus::kRemoved && !step.is_moved)
      out.append(actor.steps.before_source->slice(step.span)).push_back('\n');
  }
  return out;
}

}  // namespace

void weigh_removal(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  constexpr std::size_t kFewest = 2;
  if (!says_it_goes(inputs.title)) return;
  const std::set<std::string> title = telling_words(inputs.title);
  const auto count = [&](const std::set<std::string>& words) {
    return static_cast<std::size_t>(
        std::count_if(title.begin(), title.end(), [&](const std::string& word) { return holds(words, word); }));
  };
  double top = 0;
  Actor* best = nullptr;
  std::size_t most = 0;
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting) continue;
    top = std::max(top, actor.weight);
    if (!actor.is_function() || !actor.change->before || !actor.change->after || actor.steps.before_source == nullptr)
      continue;
    const std::size_t gone = count(name_words(gone_code(actor)));
    const std::size_t all = gone + count(name_words(actor.change->after->qualified_name));
    if (gone < kFewest || all <= most) continue;
    most = all;
    best = &actor;
  }
  if (best != nullptr) best->weight = std::max(best->weight, 1.05 * top);
}

}  // namespace lockstep::report
