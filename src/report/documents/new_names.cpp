#include "report/documents/new_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"
#include "change/names.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"

namespace lockstep::report {

using namespace python;
using change::EntityKind;

namespace {

std::string_view owner_of(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : dotted.substr(0, dot);
}

/// Names in the order in which they come, each once.
class Names {
 public:
  void add(const std::string& name) {
    if (known_.insert(name).second) all_.push_back(name);
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }
  /// "`a`, `b` and 3 more"; "`a` and `b` of `C`" where all are of one class.
  [[nodiscard]] std::string words() const {
    constexpr std::size_t kMost = 3;
    const std::string_view owner = owner_of(all_.front());
    const bool have_one_owner =
        all_.size() > 1 && !owner.empty() &&
        std::all_of(all_.begin(), all_.end(), [&](const std::string& one) { return owner_of(one) == owner; });
    std::vector<std::string> shown;
    const std::size_t count = all_.size() > kMost + 1 ? kMost : all_.size();
    for (std::size_t i = 0; i < count; ++i)
      shown.push_back(code(have_one_owner ? std::string_view(all_[i]).substr(owner.size() + 1) : all_[i]));
    if (count < all_.size()) shown.push_back(fmt::format("{} more", all_.size() - count));
    return join_words(shown) + (have_one_owner ? " of " + code(owner) : "");
  }

  friend bool operator==(const Names& a, const Names& b) { return a.all_ == b.all_; }

 private:
  std::vector<std::string> all_;
  std::unordered_set<std::string> known_;
};

/// Where a name stands in the changed code of one side.
struct Places {
  Names field_of;
  Names parameter_of;
  Names set_in;
  std::vector<std::pair<std::string, Names>> passed;  ///< To what it is passed, and by whom.
  Names read_in;
  std::unordered_map<std::string, std::size_t> place_in_passed;

  void add_passed(const std::string& to, const std::string& by) {
    const auto [place, is_new] = place_in_passed.try_emplace(to, passed.size());
    if (is_new) passed.push_back({to, {}});
    passed[place->second].second.add(by);
  }

  [[nodiscard]] std::set<std::string> definitions() const {
    std::set<std::string> out(field_of.all().begin(), field_of.all().end());
    for (const Names* names : {&parameter_of, &set_in, &read_in}) out.insert(names->all().begin(), names->all().end());
    for (const auto& [to, by] : passed) out.insert(by.all().begin(), by.all().end());
    return out;
  }
  friend bool operator==(const Places& a, const Places& b) {
    return std::tie(a.field_of, a.parameter_of, a.set_in, a.passed, a.read_in) ==
           std::tie(b.field_of, b.parameter_of, b.set_in, b.passed, b.read_in);
  }
};

/// The changed code of one side.
class Side {
 public:
  Side(const DocumentInputs& inputs, const Story& story, bool is_after)
      : inputs_(inputs), story_(story), is_after_(is_after) {
    for (const Actor& actor : story.actors) {
      const change::EntityChange& entity = *actor.change;
      const auto& side = is_after ? entity.after : entity.before;
      if (!side || actor.role == Role::kTest || program::is_test_path(side->path)) continue;
      const bool is_one_sided = is_after ? actor.is_added() : actor.is_removed();
      if (entity.kind == EntityKind::kField && is_one_sided) {
        const std::string name = short_name(inputs, entity);
        const std::size_t dot = name.rfind('.');
        if (dot != std::string::npos) places_[std::string(change::last_part(name))].field_of.add(name.substr(0, dot));
      }
      if (entity.kind == EntityKind::kFunction || entity.kind == EntityKind::kMethod) look_at(actor, is_one_sided);
    }
  }

  [[nodiscard]] const std::map<std::string, Places>& places() const { return places_; }

 private:
  void look_at(const Actor& actor, bool is_one_sided) {
    const auto& side = is_after_ ? *actor.change->after : *actor.change->before;
    const auto* def = as<FunctionDef>(side.node);
    if (def == nullptr) return;
    const std::string own = short_name(inputs_, *actor.change);
    const auto& other = is_after_ ? actor.change->before : actor.change->after;
    const auto* other_def = other ? as<FunctionDef>(other->node) : nullptr;
    for (const Parameter* parameter : def->parameters->all) {
      const std::string_view name = parameter->name.text;
      const bool is_kept =
          other_def != nullptr && std::any_of(other_def->parameters->all.begin(), other_def->parameters->all.end(),
                                              [&](const Parameter* one) { return one->name.text == name; });
      if (!is_kept) places_[std::string(name)].parameter_of.add(own);
    }
    const std::vector<Step>& steps = is_after_ ? actor.steps.after : actor.steps.before;
    if (is_one_sided || steps.empty()) {
      for (const Stmt* statement : def->body) look_below(*statement, own, nullptr);
      return;
    }
    for (const Step& step : steps) {
      if (step.status != StepStatus::kKept && !step.is_moved && step.node != nullptr)
        look_below(*step.node, own, &step.span);
    }
  }

  /// Notes what stands below the node, within `span` where given.
  void look_below(const Node& node, const std::string& own, const Span* span) {
    if (span != nullptr && (node.span.end <= span->begin || node.span.begin >= span->end)) return;
    if (const auto* attribute = as<Attribute>(&node)) {
      Places& places = places_[std::string(attribute->name.text)];
      (attribute->context == ExprContext::kStore ? places.set_in : places.read_in).add(own);
    }
    const auto* call = as<Call>(&node);
    if (call != nullptr) {
      const auto* member = as<Attribute>(call->callee);
      const auto* made = member == nullptr ? nullptr : as<Call>(member->value);
      const bool is_base = made != nullptr && callee_name(*made) == "super";
      const std::string to = (is_base ? "super()." : "") + std::string(callee_name(*call));
      for (const Keyword* keyword : call->keywords) {
        if (keyword->name.text.empty() || callee_name(*call).empty()) continue;
        places_[std::string(keyword->name.text)].add_passed(to, own);
      }
    }
    for_each_child(node, [&](const Node* child) {
      // `x.name(…)` calls a method: that is no value.
      const auto* method = call != nullptr && child == call->callee ? as<Attribute>(child) : nullptr;
      look_below(method != nullptr ? *method->value : *child, own, span);
    });
  }

  const DocumentInputs& inputs_;
  const Story& story_;
  const bool is_after_;
  std::map<std::string, Places> places_;
};

/// Takes the words out that a Python file of the program has.
void strike_out_known(const program::Program& program, std::set<std::string_view>& words) {
  for (std::size_t i = 0; i < program.modules().size() && !words.empty(); ++i) {
    const python::FileFacts& facts = *program.modules()[program::ModuleId(i)].facts;
    std::erase_if(words, [&](std::string_view word) { return facts.has_name(word); });
  }
}

std::string sentence(const std::vector<std::string>& names, const Places& places, bool is_after) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(code(name));
  const bool is_one = names.size() == 1;
  std::vector<std::string> parts;
  if (!places.field_of.empty())
    parts.push_back(fmt::format("{} of {}", is_one ? "a field" : "fields", places.field_of.words()));
  if (!places.parameter_of.empty())
    parts.push_back(fmt::format("{} of {}", is_one ? "a parameter" : "parameters", places.parameter_of.words()));
  if (!places.set_in.empty()) parts.push_back(fmt::format("set in {}", places.set_in.words()));
  constexpr std::size_t kMostPassed = 3;
  std::vector<std::string> passed;
  for (const auto& [to, by] : places.passed) {
    if (passed.size() == kMostPassed) break;
    passed.push_back(fmt::format("to {} by {}", code(to), by.words()));
  }
  if (!passed.empty()) parts.push_back(fmt::format("passed {}", join(passed, ", ")));
  if (!places.read_in.empty()) parts.push_back(fmt::format("read in {}", places.read_in.words()));
  return fmt::format("{} {} {}: {}.", join_words(shown), is_one ? "is" : "are", is_after ? "new" : "gone, formerly",
                     join(parts, "; "));
}

}  // namespace

std::vector<NameSentence> name_sentences(const DocumentInputs& inputs, const Story& story, std::size_t most) {
  std::set<std::string_view> told;  // What is told by other means.
  for (const Actor& actor : story.actors) {
    if (actor.change->kind != EntityKind::kField) told.insert(change::last_part(actor.change->latest().qualified_name));
  }
  std::set<std::string_view> settings;
  for (const Flag& flag : story.flags) settings.insert(flag.name);
  std::set<std::string> renamed;  // Old and new names of what is only called otherwise.
  for (const Actor& actor : story.actors) {
    for (const Step& step : actor.steps.after) {
      for (const auto& [was, now] : step.renames) renamed.insert({was, now});
    }
    const auto* now = actor.change->after ? as<FunctionDef>(actor.change->after->node) : nullptr;
    const auto* was = actor.change->before ? as<FunctionDef>(actor.change->before->node) : nullptr;
    if (now == nullptr || was == nullptr || now->parameters->all.size() != was->parameters->all.size()) continue;
    for (std::size_t i = 0; i < now->parameters->all.size(); ++i) {
      const std::string old_name(was->parameters->all[i]->name.text);
      const std::string new_name(now->parameters->all[i]->name.text);
      if (old_name != new_name) renamed.insert({old_name, new_name});
    }
  }
  told.insert(settings.begin(), settings.end());
  std::set<std::string> new_classes;
  for (const Actor& actor : story.actors) {
    if (actor.change->kind == EntityKind::kClass && (actor.is_added() || actor.is_removed()))
      new_classes.insert(short_name(inputs, *actor.change));
  }
  // What a class that comes or goes keeps for itself says nothing that the class does not.
  const auto is_of_one_class = [&](const std::set<std::string>& definitions) {
    const std::string_view owner = owner_of(*definitions.begin());
    return new_classes.contains(std::string(owner)) &&
           std::all_of(definitions.begin(), definitions.end(),
                       [&](const std::string& one) { return owner_of(one) == owner; });
  };
  struct Found {
    std::vector<std::string> names;
    const Places* places;
    std::size_t definitions;
    bool is_after;
  };
  std::vector<Found> found;
  const Side sides[] = {Side(inputs, story, true), Side(inputs, story, false)};
  for (const bool is_after : {true, false}) {
    const std::map<std::string, Places>& all = sides[is_after ? 0 : 1].places();
    std::set<std::string_view> candidates;
    for (const auto& [name, places] : all) {
      constexpr std::size_t kShortest = 4;
      constexpr std::size_t kFewest = 3;  // Definitions: of two each says what the other does.
      const std::set<std::string> definitions = places.definitions();
      const std::size_t count = definitions.size();
      const bool goes_on = !places.field_of.empty() || !places.parameter_of.empty() || !places.set_in.empty();
      if (count < kFewest || !goes_on || name.size() < kShortest || renamed.contains(name) ||
          is_of_one_class(definitions))
        continue;
      // A property that is named after a field is one of its places.
      if (!told.contains(name) || (!places.field_of.empty() && !settings.contains(name))) candidates.insert(name);
    }
    strike_out_known(is_after ? *inputs.before : *inputs.after, candidates);
    for (const std::string_view candidate : candidates) {
      const auto& [name, places] = *all.find(std::string(candidate));
      const auto alike = std::find_if(found.begin(), found.end(), [&](const Found& one) {
        return one.is_after == is_after && *one.places == places;
      });
      if (alike != found.end()) {
        alike->names.push_back(name);
      } else {
        found.push_back({{name}, &places, places.definitions().size(), is_after});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.definitions > b.definitions; });
  if (found.size() > most) found.resize(most);
  std::vector<NameSentence> out;
  for (const Found& one : found) {
    constexpr std::size_t kMostNames = 4;
    if (one.names.size() <= kMostNames) out.push_back({sentence(one.names, *one.places, one.is_after), one.names});
  }
  return out;
}

}  // namespace lockstep::report
