#include "writer/pack/lead_candidates.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/find_text.h"
#include "base/strings.h"
#include "program/queries.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/tests/test_runner.h"
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
        candidates_(candidates) {}

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
      const auto setter = std::find_if(one.sites.begin(), one.sites.end(), [&](const StateSite& site) {
        return site.kind == StateSite::Kind::kSets && !changed_.contains(site.function) && is_function(site.function);
      });
      if (setter == one.sites.end()) continue;
      candidates_.raise({false, setter->function}, {share_ * 0.5 / (1 + 0.4 * static_cast<double>(rank++)),
                                                    fmt::format("sets {}", code(one.name)), one.path, setter->line});
    }
  }

  // Functions that set or read what the change works on: the more of it, the more they tell.
  void add_state() {
    std::size_t rank = 0;
    const std::size_t least = leads_.state.size() < kFewState ? 1 : 2;
    for (const StateUser& user : users_of(after_, leads_.state)) {
      if (rank == kMostUsers) break;
      if (changed_.contains(user.function) || (user.names.size() < least && !user.touches_set)) continue;
      const double share = user.touches_set ? 1 : 0.5;
      const double score = share_ * share * std::min(1.0, 0.4 + 0.2 * static_cast<double>(user.names.size())) /
                           (1 + 0.3 * static_cast<double>(rank++));
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
      double more = weight;
      for (const NameSite& site : name.sites) {
        const double worth =
            kByKind[static_cast<std::size_t>(site.kind)] * kByUse[static_cast<std::size_t>(name.mention.use)] * more;
        more *= 0.93;
        if (worth <= 0 || !is_function(site.function)) continue;
        NameUser& user = users[site.function];
        user.worth += worth;
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
    for (const report::Flag& flag : story_.flags) names.insert(flag.name);
    for (const StateName& one : leads_.state) names.insert(one.name);
    for (const ChangedName& one : leads_.names) {
      if (one.mention.use == NameUse::kOption) names.insert(replace_all(one.name, "-", "_"));
    }
    std::erase_if(names, [](const std::string& name) { return name.find('_') == name.npos; });
    return names;
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
      if (program::is_test_path(after_.module_of(id).path)) continue;
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
};

}  // namespace

void add_leads(const report::DocumentInputs& inputs, const report::Story& story, const Leads& leads, double state,
               const std::set<FunctionId>& changed, Candidates& candidates) {
  LeadsTo(inputs, story, leads, state, changed, candidates).run();
}

}  // namespace lockstep::writer
