#include "writer/pack/lead_candidates.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/tests/test_runner.h"
#include "writer/pack/nearness.h"
#include "writer/verify_parts.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;
using report::code;
using report::Role;

constexpr std::size_t kMostUsers = 8, kMostSetters = 3, kMostNameUsers = 14, kMostFollowed = 10, kMostChecks = 3,
                      kMostSetUps = 8, kMostSiblings = 3;
constexpr std::size_t kFewState = 4;          // names; of more, one alone is no lead
constexpr std::size_t kFewNamesakes = 8;      // of a name that more functions have, one says nothing of another
constexpr std::size_t kMostChecksOfName = 4;  // lines of one function
constexpr std::uint32_t kAroundUse = 5, kAroundCheck = 5, kAroundDecision = 12;
constexpr double kFewFunctions = 5;  // that have a name
constexpr std::size_t kMostSettersOfName = 3;
constexpr double kRare = 0.5;         // of a name that stands in up to twice as many
constexpr double kLeastState = 0.7;   // of names that a function touches, each by how rare it is
constexpr double kNear = 0.65;        // of a module that a changed one imports, or the other way
constexpr double kFar = 0.25;         // of a module that has nothing to do with the changed ones
constexpr double kSecondLine = 0.4;   // of one function with the same name
constexpr double kMuchOfNames = 1.3;  // what a function of several telling lines has
constexpr double kFollowed = 0.7, kCheck = 0.35, kSetUp = 0.12, kSibling = 0.25;

class LeadsTo {
 public:
  LeadsTo(const report::DocumentInputs& inputs, const report::Story& story, const Leads& leads, double share,
          const std::set<FunctionId>& changed, Candidates& candidates)
      : inputs_(inputs),
        after_(*inputs.after),
        story_(story),
        leads_(leads),
        share_(share),
        changed_(changed),
        candidates_(candidates),
        nearness_(inputs) {}

  void run() {
    add_setters();
    add_state();
    add_name_users();
    add_followed();
    add_checks();
    add_siblings();
    add_set_ups();
  }

 private:
  [[nodiscard]] bool is_function(FunctionId id) const {
    return after_.functions()[id].kind == program::FunctionKind::kFunction;
  }

  // Who sets what the change only reads decides what it finds there, and what else comes along with it.
  void add_setters() {
    std::size_t rank = 0;
    for (const StateName& one : leads_.state) {
      if (one.is_set || rank == kMostSetters) continue;
      const auto sets = [&](const StateSite& site) {
        return site.kind == StateSite::Kind::kSets && !changed_.contains(site.function) && is_function(site.function);
      };
      // What many set, each sets for another object.
      const auto setters = static_cast<std::size_t>(std::count_if(one.sites.begin(), one.sites.end(), sets));
      const auto setter = std::find_if(one.sites.begin(), one.sites.end(), sets);
      if (setters == 0 || setters > kMostSettersOfName || rarity(one) < kRare) continue;
      if (program::is_helper_path(after_.module_of(setter->function).path)) continue;
      candidates_.raise({false, setter->function},
                        {share_ * 0.5 * nearness(setter->function) / (1 + 0.4 * static_cast<double>(rank++)),
                         fmt::format("sets {}", code(one.name)), one.path, setter->line});
    }
  }

  // A name that few functions have leads somewhere; what all have is a word.
  static double rarity(std::size_t functions) {
    return std::min(1.0, kFewFunctions / std::max(1.0, static_cast<double>(functions)));
  }
  [[nodiscard]] static double rarity(const StateName& name) {
    std::set<FunctionId> functions;
    for (const StateSite& site : name.sites) functions.insert(site.function);
    return rarity(functions.size());
  }
  [[nodiscard]] static double rarity(const ChangedName& name) {
    std::set<FunctionId> functions;
    for (const NameSite& site : name.sites) functions.insert(site.function);
    return rarity(functions.size());
  }

  // A function that the change has to do with by calls or by its class means the same by a name; of others it depends
  // on where they stand.
  [[nodiscard]] double nearness(FunctionId function) {
    if (joined().contains(function)) return 1;
    const program::Module& module = after_.module_of(function);
    if (program::is_helper_path(module.path)) return kFar;
    return nearness_.is_near(after_.functions()[function].module) ? kNear : kFar;
  }

  // Callers and callees of changed functions, and the methods of their classes.
  const std::set<FunctionId>& joined() {
    if (!joined_.empty()) return joined_;
    for (const FunctionId id : changed_) {
      if (program::is_test_path(after_.module_of(id).path)) continue;
      joined_.insert(id);
      for (const program::CallId call : after_.callers_of(id)) joined_.insert(after_.calls()[call].caller);
      for (const program::CallId call : after_.functions()[id].calls) {
        for (const program::CallTarget& target : after_.calls()[call].targets) {
          if (target.function.valid()) joined_.insert(target.function);
        }
      }
      const program::ClassId owner = after_.functions()[id].owner;
      if (!owner.valid()) continue;
      const auto& methods = after_.classes()[owner].methods;
      joined_.insert(methods.begin(), methods.end());
    }
    return joined_;
  }

  // Functions that set or read what the change works on: the more of it, the more they tell.
  void add_state() {
    struct Ranked {
      double worth = 0;
      StateUser user;
    };
    std::vector<Ranked> ranked;
    for (StateUser& user : users_of(after_, leads_.state)) {
      if (changed_.contains(user.function) || !is_function(user.function)) continue;
      double sum = 0;
      for (const StateName& one : leads_.state) {
        if (std::find(user.names.begin(), user.names.end(), one.name) != user.names.end()) sum += rarity(one);
      }
      // Of many names, a word that others have, too, is no lead.
      if (leads_.state.size() >= kFewState && sum < kLeastState) continue;
      const double share = user.touches_set ? 1 : 0.5;
      const double worth = share * std::min(1.0, 0.2 + 0.35 * sum) * nearness(user.function);
      ranked.push_back({worth, std::move(user)});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.worth > b.worth; });
    if (ranked.size() > kMostUsers) ranked.resize(kMostUsers);
    std::size_t rank = 0;
    for (const auto& [worth, user] : ranked) {
      const double score = share_ * worth / (1 + 0.3 * static_cast<double>(rank++));
      std::vector<std::string> names;
      for (const std::string& name : user.names) {
        if (names.size() < 3) names.push_back(code(name));
      }
      const std::string why = fmt::format("sets or reads {}", report::join_words(names));
      for (const StateName& one : leads_.state) {
        if (std::find(user.names.begin(), user.names.end(), one.name) == user.names.end()) continue;
        candidates_.raise({false, user.function}, {score / static_cast<double>(user.names.size()), why, one.path});
      }
      for (const std::uint32_t line : user.lines) candidates_[{false, user.function}].add_line(line, kAroundUse);
    }
  }

  /// What the names of the change in one function are worth.
  struct NameUser {
    double worth = 0;
    std::vector<std::string> names;
    std::vector<std::uint32_t> lines;
    std::string path;
  };

  // Where a name decides or gets a value says more than where it is handed on. The places in the pack's list of names
  // are one line each; the best of them deserve what is around.
  void add_name_users() {
    constexpr double kByKind[] = {1, 0.9, 0.9, 0.5, 0.4, 0.5, 0.4, 0, 0, 0};
    constexpr double kByUse[] = {0.05, 0.08, 0.5, 1, 0.7, 1, 1};
    std::map<FunctionId, NameUser> users;
    double weight = 1;
    for (const ChangedName& name : leads_.names) {
      double more = weight * rarity(name);
      for (const NameSite& site : name.sites) {
        const double worth =
            kByKind[static_cast<std::size_t>(site.kind)] * kByUse[static_cast<std::size_t>(name.mention.use)] * more;
        more *= 0.93;
        if (worth <= 0 || !is_function(site.function)) continue;
        // An option is read anywhere; another name means the same only near the change.
        const bool is_option = name.mention.use == NameUse::kOption;
        NameUser& user = users[site.function];
        const bool is_first = user.names.empty() || user.names.back() != name.name;
        user.worth += worth * (is_option ? 1 : nearness(site.function)) * (is_first ? 1 : kSecondLine);
        user.path = name.mention.path;
        user.lines.push_back(site.line);
        if (user.names.empty() || user.names.back() != name.name) user.names.push_back(name.name);
      }
      weight *= 0.9;
    }
    std::vector<std::pair<FunctionId, NameUser>> order(users.begin(), users.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.worth > b.second.worth; });
    if (order.size() > kMostNameUsers) order.resize(kMostNameUsers);
    for (const auto& [function, user] : order) {
      std::vector<std::string> names;
      for (const std::string& name : user.names) {
        if (names.size() < 3) names.push_back(code(name));
      }
      const double score = share_ * std::min(1.0, user.worth / kMuchOfNames);
      candidates_.raise({false, function}, {score, "has " + report::join_words(names), user.path});
      for (const std::uint32_t line : user.lines) candidates_[{false, function}].add_line(line, kAroundUse);
    }
  }

  // Where arguments that the change gives otherwise decide: the facts name the places, a reader wants the code.
  void add_followed() {
    std::size_t rank = 0;
    for (const report::Actor& actor : story_.actors) {
      const std::string& path = actor.change->latest().path;
      for (const report::FollowedArgument& followed : actor.followed) {
        std::string text = report::unmarked(followed.sentence);
        for (const std::string& other : followed.others) text += fmt::format(" {}", report::unmarked(other));
        for (const CitedPlace& place : places_in(replace_all(text, "`", " "))) {
          const program::ModuleId module = after_.find_path(place.path);
          if (place.first == 0 || !module.valid() || rank == kMostFollowed) continue;
          const SourceText& source = after_.modules()[module].facts->source();
          if (place.first > source.line_count()) continue;
          const FunctionId function = after_.function_at(module, source.line_start(place.first - 1));
          if (!function.valid() || !is_function(function)) continue;
          candidates_.raise({false, function},
                            {kFollowed / (1 + 0.3 * static_cast<double>(rank++)),
                             "an argument of the change decides here", path, place.first - 1, kAroundDecision});
        }
      }
    }
  }

  [[nodiscard]] std::set<std::string> settings() const {
    std::set<std::string> names;
    for (const report::Flag& flag : story_.flags) {
      // What only stands on the way there, unchanged, checks had reason to ask for before.
      if (flag.is_new || flag.is_changed || flag.scope != report::GuardScope::kWay) names.insert(flag.name);
    }
    for (const StateName& one : leads_.state) {
      if (is_setting(one)) names.insert(one.name);
    }
    for (const ChangedName& one : leads_.names) {
      if (one.mention.use == NameUse::kOption) names.insert(replace_all(one.name, "-", "_"));
    }
    std::erase_if(names, [](const std::string& name) { return name.find('_') == name.npos; });
    return names;
  }

  // What the change reads from a configuration or from arguments: other attributes are no settings.
  [[nodiscard]] bool is_setting(const StateName& name) const {
    const program::ModuleId module = after_.find_path(name.path);
    if (!module.valid()) return false;
    const std::string_view line = after_.modules()[module].facts->source().line(name.line);
    return contains(line, "config." + name.name) || contains(line, "args." + name.name);
  }

  static bool is_check(std::string_view name) {
    return name == "__post_init__" || name.starts_with("validate_") || name.starts_with("_validate") ||
           contains(name, "check_arg");
  }

  // What refuses or derives settings, with what is around: a condition alone does not say what it leads to.
  void add_checks() {
    const std::set<std::string> names = settings();
    std::vector<std::pair<std::size_t, FunctionId>> found;
    for (std::size_t i = 0; i < after_.functions().size() && !names.empty(); ++i) {
      const FunctionId id(i);
      const std::string_view name = after_.functions()[id].name;
      if (!is_function(id) || !is_check(name)) continue;
      const std::string& path = after_.module_of(id).path;
      if (program::is_test_path(path) || (program::is_helper_path(path) && !changed_.contains(id))) continue;
      const std::size_t count = lines_of(id, names, nullptr);
      if (count > 0) found.emplace_back(count, id);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (found.size() > kMostChecks) found.resize(kMostChecks);
    double score = kCheck;
    for (const auto& [count, id] : found) {
      candidates_.raise({false, id}, {score, "checks its settings", after_.module_of(id).path});
      lines_of(id, names, &candidates_[{false, id}]);
      score *= 0.7;
    }
  }

  // How many of the names it has; notes their first lines.
  std::size_t lines_of(FunctionId id, const std::set<std::string>& names, Candidate* candidate) const {
    const SourceText& source = report::source_of(after_, id);
    const Span span = after_.functions()[id].node->span;
    const std::string_view text = source.bytes().substr(span.begin, span.end - span.begin);
    std::size_t count = 0;
    for (const std::string& name : names) {
      std::size_t lines = 0;
      for (std::size_t at = find_name(text, name); at != text.npos && lines < kMostChecksOfName;
           at = find_name(text, name, at + 1), ++lines) {
        const std::uint32_t line = source.line_of(span.begin + static_cast<std::uint32_t>(at));
        if (candidate != nullptr) candidate->add_line(line, kAroundCheck);
      }
      count += lines > 0 ? 1 : 0;
    }
    return count;
  }

  // Functions of the same name elsewhere: the same pattern, often left as it was.
  void add_siblings() {
    std::size_t shown = 0;
    for (std::size_t i = 0; i < story_.central.size() && shown < kMostSiblings; ++i) {
      const change::EntityChange& entity = *story_.actor(i).change;
      if (!entity.after || !entity.after->function.valid()) continue;
      const FunctionId function = entity.after->function;
      const std::string_view name = after_.functions()[function].name;
      std::vector<FunctionId> alike;
      for (std::size_t k = 0; k < after_.functions().size() && !name.starts_with("__"); ++k) {
        const FunctionId id(k);
        if (after_.functions()[id].name == name && id != function && is_function(id) && !changed_.contains(id) &&
            !program::is_test_path(after_.module_of(id).path))
          alike.push_back(id);
      }
      if (alike.size() > kFewNamesakes) continue;
      for (const FunctionId id : alike) {
        if (shown == kMostSiblings) break;
        candidates_.raise({false, id},
                          {kSibling / (1 + 0.5 * static_cast<double>(shown++)),
                           "has the name of " + code(report::short_name(after_, function)), entity.after->path});
      }
    }
  }

  // What the changed tests stand on: fixtures, set-up, helpers of their file.
  void add_set_ups() {
    std::optional<report::TestRunner> runner;
    std::set<FunctionId> shown;
    for (const report::Actor& actor : story_.actors) {
      if (actor.role != Role::kTest || !actor.change->after || !actor.change->after->function.valid()) continue;
      const FunctionId test = actor.change->after->function;
      if (!runner) runner.emplace(after_);
      std::vector<FunctionId> used = runner->called_for(test);
      for (const program::CallId call : after_.functions()[test].calls) {
        for (const program::CallTarget& target : after_.calls()[call].targets) {
          if (target.function.valid() && program::is_test_path(after_.module_of(target.function).path))
            used.push_back(target.function);
        }
      }
      for (const FunctionId id : used) {
        if (changed_.contains(id) || !is_function(id) || shown.size() == kMostSetUps || !shown.insert(id).second)
          continue;
        candidates_.raise({false, id},
                          {kSetUp, "sets up " + code(report::short_name(after_, test)), actor.change->after->path});
      }
    }
  }

  const report::DocumentInputs& inputs_;
  const Program& after_;
  const report::Story& story_;
  const Leads& leads_;
  double share_;
  const std::set<FunctionId>& changed_;
  Candidates& candidates_;
  Nearness nearness_;
  std::set<FunctionId> joined_;
};

}  // namespace

void add_leads(const report::DocumentInputs& inputs, const report::Story& story, const Leads& leads, double state,
               const std::set<FunctionId>& changed, Candidates& candidates) {
  LeadsTo(inputs, story, leads, state, changed, candidates).run();
}

}  // namespace lockstep::writer
