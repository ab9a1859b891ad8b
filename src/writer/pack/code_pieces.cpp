// The code around a change, whole entities at a time, ranked by what it tells of this change: changed functions as they
// are now (the diff shows only their hunks), what calls them, what their changed lines call, what they override and
// what overrides them, the state of their classes, the settings they stand under, the tests that reach them.
//
// Each gets a share of the weight of the changed entity that leads to it; what several lead to collects their shares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/graph/graph_facts.h"
#include "report/source/code.h"
#include "report/story/wording/words.h"
#include "writer/pack/callers.h"
#include "writer/pack/candidates.h"
#include "writer/pack/code_text.h"
#include "writer/pack/counterparts.h"
#include "writer/pack/elide.h"
#include "writer/pack/lead_candidates.h"
#include "writer/pack/nested_functions.h"
#include "writer/pack/pieces.h"
#include "writer/pack/whole_calls.h"

namespace lockstep::writer {

namespace {

using program::FunctionId;
using program::Program;
using report::Actor;
using report::code;
using report::DocumentInputs;
using report::Role;
using report::Story;

constexpr std::uint32_t kAroundCall = 5;
constexpr std::uint32_t kAroundHunk = 14;
constexpr std::uint32_t kAroundSet = 1;
constexpr std::size_t kMostCallers = 6, kMostCallees = 14, kMostOverrides = 3, kMostTests = 1;
constexpr std::size_t kMostClassLines = 40;
constexpr std::size_t kMostOfWrapper = 25;  // calls
constexpr std::size_t kFewCallers = 8;
constexpr std::size_t kFewUsers = 5;  // calls
constexpr double kOtherUser = 0.12;
constexpr double kSecondCallee = 0.45, kBaseConstructor = 0.6;
constexpr double kFromBelow = 0.2;
constexpr double kLeastOfNew = 0.4;
constexpr double kFarSecond = 0.5;                                   // of what is called by what old lines call
constexpr double kNamed = 0.8, kPossible = 0.35, kNextCaller = 0.6;  // of callers that may call something else
constexpr std::uint32_t kShort = 40;                                 // lines
constexpr std::size_t kSomeCallers = 20;                             // of a short function
constexpr std::size_t kMostEditedTests = 4;
constexpr double kEditedTest = 0.35;
constexpr std::size_t kMostNeighbours = 8;
constexpr double kNeighbour = 0.04;  // What room is left is for them.
constexpr double kFollowedWeight = 0.5;
constexpr std::size_t kWholeIfChanged = 170;  // lines
constexpr double kShortPiece = 400;           // tokens
constexpr double kShortIfChanged = 1'600;     // the same of a function that the change edits: who judges it asks for it
constexpr std::size_t kFewestBeside = 3;      // lines of a function that the diff does not show
constexpr std::size_t kCalledEverywhere = 60;  // places; what such a helper does is known

/// How much of a changed entity's weight goes where.
struct Shares {
  double whole, before, caller, new_callee, near_callee, callee, base, override_, init, setting, test, state;
};
enum class CallPlace : std::uint8_t { kNew, kBesideNew, kElsewhere };
constexpr Shares shares_of(Purpose purpose) {
  switch (purpose) {
    case Purpose::kExplain:
      return {1.0, 0.3, 0.5, 0.6, 0.4, 0.25, 0.4, 0.3, 0.35, 0.5, 0.1, 0.5};
    case Purpose::kDive:
      return {1.0, 0.4, 0.5, 0.7, 0.4, 0.3, 0.5, 0.4, 0.45, 0.5, 0.1, 0.5};
    case Purpose::kReview:
      break;
  }
  return {1.0, 0.45, 0.75, 0.65, 0.4, 0.25, 0.5, 0.5, 0.4, 0.4, 0.2, 0.7};
}

/// Whether parameters come, go or are called otherwise.
bool takes_otherwise(const change::EntityChange& entity) {
  using Kind = change::DifferenceKind;
  return std::any_of(entity.differences.begin(), entity.differences.end(), [](const change::Difference& one) {
    return one.kind == Kind::kParameterAdded || one.kind == Kind::kParameterRemoved ||
           one.kind == Kind::kParameterRenamed || one.kind == Kind::kParameterMoved;
  });
}

using Key = Candidates::Key;

class Around {
 public:
  Around(const PackInputs& inputs, const Story& story, Purpose purpose)
      : inputs_(inputs.document), after_(*inputs.document.after), story_(story), shares_(shares_of(purpose)) {
    for (const Actor& actor : story.actors) {
      heaviest_ = std::max(heaviest_, actor.weight);
      if (actor.change->after && actor.change->after->function.valid()) {
        changed_.insert(actor.change->after->function);
        if (actor.is_added()) added_.insert(actor.change->after->function);
        if (takes_otherwise(*actor.change)) resigned_.insert(actor.change->after->function);
      }
    }
  }

  std::vector<Piece> run(const Leads& leads) {
    for (std::size_t i = 0; i < story_.actors.size(); ++i) add_actor(story_.actors[i]);
    for (std::size_t i = 0; i < story_.central.size(); ++i) add_tests(i);
    add_settings();
    add_edited_tests();
    add_counterparts(inputs_, story_, changed_, candidates_);
    add_leads(inputs_, story_, leads, shares_.state, changed_, candidates_);
    join_nested(after_, inputs_.before, candidates_);
    std::vector<Piece> pieces;
    for (const auto& [key, candidate] : candidates_.all()) {
      // What is new stands in the diff, whole.
      if (!key.first && (added_.contains(key.second) || is_in_diff(key.second))) continue;
      pieces.push_back(piece_of(key, candidate));
    }
    for (Piece& piece : class_pieces_) pieces.push_back(std::move(piece));
    // By what a reader gets for the room: ten lines that decide come before two hundred that only belong to it.
    const auto rank = [](const Piece& piece) {
      const double is_short = piece.is_changed ? kShortIfChanged : kShortPiece;
      return piece.score / std::sqrt(std::max(1.0, static_cast<double>(piece.tokens) / is_short));
    };
    std::stable_sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) { return rank(a) > rank(b); });
    return pieces;
  }

 private:
  // Lines of a changed function that the diff does not show.
  [[nodiscard]] std::vector<std::uint32_t> lines_beside_diff(FunctionId id) const {
    std::vector<std::uint32_t> lines;
    const repo::FileChange* file = inputs_.change->diff->find_after(after_.module_of(id).path);
    const SourceText& source = report::source_of(after_, id);
    const Span span = after_.functions()[id].node->span;
    for (std::uint32_t line = source.line_of(span.begin); line <= source.line_of(span.end - 1); ++line) {
      if (file == nullptr || !file->lines.in_hunk(line)) lines.push_back(line);
    }
    return lines;
  }

  // Nearly all of it: the diff shows as much.
  [[nodiscard]] bool is_in_diff(FunctionId id) const {
    return changed_.contains(id) && lines_beside_diff(id).size() <= kFewestBeside;
  }

  // Whose arguments decide something elsewhere carries more than its lines.
  [[nodiscard]] double weight_of(const Actor& actor) const {
    return std::max(weight_by_role(actor), actor.followed.empty() ? 0 : kFollowedWeight);
  }

  [[nodiscard]] double weight_by_role(const Actor& actor) const {
    const double part = heaviest_ > 0 ? 0.3 + 0.7 * actor.weight / heaviest_ : 1;
    switch (actor.role) {
      case Role::kCentral:
        return part;
      case Role::kSupporting:
        return 0.6 * part;
      case Role::kFollowing:
        return 0.25 * part;
      case Role::kTest:
        return story_.only_tests ? 0.5 * part : 0;
      case Role::kCosmetic:
        break;
    }
    return 0;
  }

  void raise(Key key, double score, std::string why, const std::string& path) {
    candidates_.raise(key, {score, std::move(why), path});
  }

  void add_actor(const Actor& actor) {
    const double weight = weight_of(actor);
    const change::EntityChange& entity = *actor.change;
    if (weight <= 0 || entity.kind == change::EntityKind::kModule) return;
    const std::string name = code(report::short_name(inputs_, entity));
    const std::string& path = entity.latest().path;
    if (actor.is_function() && entity.after) {
      const FunctionId function = entity.after->function;
      add_itself(actor, function, weight, path);
      add_callees(actor, function, weight, name, path);
      add_relatives(function, weight, name, path);
    } else if (entity.kind == change::EntityKind::kClass && entity.after && entity.before) {
      add_class(entity.after->cls, weight * shares_.init, fmt::format("is {}", name), path);
    }
    const FunctionId callable = entity.after ? report::callable_of(after_, entity) : FunctionId();
    if (callable.valid()) add_callers(callable, weight, name, path);
    if (entity.before && !entity.after && entity.before->function.valid()) add_old_callers(entity, weight, name);
  }

  void add_itself(const Actor& actor, FunctionId function, double weight, const std::string& path) {
    const change::EntityChange& entity = *actor.change;
    if (!entity.before) return;
    Candidate& candidate = candidates_[{false, function}];
    candidate.is_changed = true;
    raise({false, function}, weight * shares_.whole, "changed: as it is after the change", path);
    const repo::FileChange* file = inputs_.change->diff->find_after(entity.after->path);
    if (file == nullptr) return;
    std::size_t removed = 0;
    for (const std::uint32_t line : file->lines.removed_lines())
      removed += line >= entity.before->first_line && line <= entity.before->last_line ? 1 : 0;
    std::vector<std::uint32_t> added;
    for (const std::uint32_t line : file->lines.added_lines()) {
      if (line >= entity.after->first_line && line <= entity.after->last_line) added.push_back(line);
    }
    for (const std::uint32_t line : added) candidate.add_line(line, kAroundHunk);
    for (const std::uint32_t line : lines_of_calls(after_, function, added)) candidate.add_line(line, 0);
    // Rewritten rather than edited: the old one reads better whole than as minus lines among others.
    const std::size_t size = entity.before->last_line - entity.before->first_line + 1;
    if (removed >= 12 && removed * 5 >= size * 2 && entity.before->function.valid())
      raise({true, entity.before->function}, weight * shares_.before, "changed: as it was before", path);
  }

  void add_callers(FunctionId function, double weight, const std::string& name, const std::string& path) {
    std::map<FunctionId, std::vector<program::CallId>> callers;
    std::vector<FunctionId> order;
    for (const program::CallId call : calls_of(after_, function)) {
      const FunctionId caller = after_.calls()[call].caller;
      if (caller == function || program::is_test_path(after_.module_of(caller).path)) continue;
      auto& calls = callers[caller];
      if (calls.empty()) order.push_back(caller);
      calls.push_back(call);
    }
    // A caller that changes, too, is one that the change was made for.
    std::stable_partition(order.begin(), order.end(), [&](FunctionId caller) { return changed_.contains(caller); });
    std::size_t rank = 0;
    for (const FunctionId caller : order) {
      if (rank == kMostCallers) break;
      const program::CallSite& first = after_.calls()[callers[caller].front()];
      const bool is_sure = std::any_of(first.targets.begin(), first.targets.end(), [&](const program::CallTarget& t) {
        return t.function == function && t.certainty == program::Certainty::kExact;
      });
      const double likely = is_sure ? 1 : names_parameters(after_, first, function) ? kNamed : kPossible;
      // A constructor below it only hands on to it; what it sets up has little to do with the change.
      const bool is_below = is_constructor(after_.functions()[function].name) &&
                            after_.functions()[caller].name == after_.functions()[function].name;
      // What an example or a tool does with it says less than what the code itself does.
      const bool is_aside = program::is_helper_path(after_.module_of(caller).path) &&
                            !program::is_helper_path(after_.module_of(function).path);
      const double score = weight * shares_.caller * likely * (is_below || is_aside ? kFromBelow : 1) /
                           (1 + kNextCaller * static_cast<double>(rank++));
      for (const program::CallId call : callers[caller]) raise_call(false, caller, call, score, name, path);
    }
  }

  void raise_call(bool is_before, FunctionId caller, program::CallId call, double score, const std::string& name,
                  const std::string& path) {
    const Program& program = is_before ? *inputs_.before : after_;
    const SourceText& source = report::source_of(program, caller);
    const std::uint32_t line = source.line_of(program.calls()[call].node->span.begin);
    candidates_.raise({is_before, caller}, {score, "calls " + name, path, line, kAroundCall});
    for (const std::uint32_t of_call : lines_of_calls(program, caller, {line}))
      candidates_[{is_before, caller}].add_line(of_call, 1);
  }

  void add_old_callers(const change::EntityChange& entity, double weight, const std::string& name) {
    std::size_t rank = 0;
    for (const program::CallId call : inputs_.before->callers_of(entity.before->function)) {
      const FunctionId caller = inputs_.before->calls()[call].caller;
      if (program::is_test_path(inputs_.before->module_of(caller).path)) continue;
      if (rank == 2) break;
      const double score = weight * shares_.caller * 0.5 / static_cast<double>(1 + rank++);
      raise_call(true, caller, call, score, name + " (before)", entity.before->path);
    }
  }

  void add_callees(const Actor& actor, FunctionId function, double weight, const std::string& name,
                   const std::string& path) {
    const SourceText& source = report::source_of(after_, function);
    const repo::FileChange* file = inputs_.change->diff->find_after(path);
    std::size_t rank = 0;
    std::set<FunctionId> seen;
    for (const CallPlace where : {CallPlace::kNew, CallPlace::kBesideNew, CallPlace::kElsewhere}) {
      for (const program::CallId call : after_.functions()[function].calls) {
        const program::CallSite& site = after_.calls()[call];
        const std::uint32_t line = source.line_of(site.node->span.begin);
        const bool is_new = actor.is_added() || (file != nullptr && file->lines.is_added_line(line));
        const bool is_beside = !is_new && file != nullptr && file->lines.in_hunk(line);
        if ((is_new ? CallPlace::kNew : is_beside ? CallPlace::kBesideNew : CallPlace::kElsewhere) != where) continue;
        for (const program::CallTarget& target : site.targets) {
          if (!target.function.valid() || target.certainty == program::Certainty::kByName) continue;
          // A decorator is no step of the work, and two lines say nothing that the call does not.
          if (target.kind == program::CallKind::kCallback || is_trivial(target.function)) continue;
          if (target.function == function || !seen.insert(target.function).second) continue;
          if (rank == kMostCallees) return;
          if (is_lesser_twin(target.function)) continue;
          const double place = is_new ? shares_.new_callee : is_beside ? shares_.near_callee : shares_.callee;
          const double share = place * (is_certain(site, target) ? 1 : 0.4) *
                               (after_.callers_of(target.function).size() > kCalledEverywhere ? 0.2 : 1);
          // What new lines call is asked for, however little the function that they stand in weighs.
          const double from = is_new ? std::max(weight, kLeastOfNew) : weight;
          raise({false, target.function}, from * share / (1 + (is_new ? 0.15 : 0.4) * static_cast<double>(rank++)),
                fmt::format("called by {}{}", name, is_new ? " in new lines" : ""), path);
          add_second_callees(target.function, weight * share, is_new || is_beside, path);
          if (is_new) add_other_users(target.function, function, weight * kOtherUser, path);
        }
      }
    }
  }

  // Who else takes a helper of few takes it for the same: what is kept in a pool, say, others get from there.
  void add_other_users(FunctionId helper, FunctionId user, double score, const std::string& path) {
    const auto calls = calls_of(after_, helper);
    if (added_.contains(helper) || calls.size() > kFewUsers) return;
    const std::string name = code(report::short_name(after_, helper));
    for (const program::CallId call : calls) {
      const FunctionId other = after_.calls()[call].caller;
      if (other == user || changed_.contains(other) || program::is_test_path(after_.module_of(other).path)) continue;
      const std::uint32_t line = report::source_of(after_, other).line_of(after_.calls()[call].node->span.begin);
      candidates_.raise({false, other}, {score, fmt::format("calls {}, too", name), path, line, kAroundCall});
    }
  }

  // The only target, or one of the definitions of one name of a module, of which one is made.
  [[nodiscard]] bool is_certain(const program::CallSite& site, const program::CallTarget& target) const {
    if (target.certainty == program::Certainty::kExact) return true;
    const program::Function& one = after_.functions()[target.function];
    return target.certainty == program::Certainty::kPossible &&
           std::all_of(site.targets.begin(), site.targets.end(), [&](const program::CallTarget& other) {
             return other.function.valid() && after_.functions()[other.function].qualified_name == one.qualified_name;
           });
  }

  // What a called function hands the work on to, where it surely does: wrappers say little themselves. Of what is
  // called elsewhere than in changed lines, only what is short.
  void add_second_callees(FunctionId function, double score, bool is_near, const std::string& path) {
    if (after_.functions()[function].calls.size() > kMostOfWrapper) return;
    const std::string name = code(report::short_name(after_, function));
    double share = kSecondCallee;
    for (const program::CallId call : after_.functions()[function].calls) {
      const program::CallSite& site = after_.calls()[call];
      for (const program::CallTarget& target : site.targets) {
        if (!target.function.valid() || !is_certain(site, target) || target.function == function ||
            target.kind == program::CallKind::kCallback || is_trivial(target.function))
          continue;
        // The constructor that does the work for those below it has many callers.
        const bool is_base = is_constructor(after_.functions()[function].name) &&
                             after_.functions()[target.function].name == after_.functions()[function].name;
        const std::size_t callers = after_.callers_of(target.function).size();
        const bool is_short = size_of(target.function) <= kShort;
        if (!is_base && callers > (is_short ? kSomeCallers : kFewCallers)) continue;
        if ((!is_near && (!is_short || is_base)) || is_lesser_twin(target.function)) continue;
        raise({false, target.function},
              score * (is_base   ? kBaseConstructor
                       : is_near ? share
                                 : share * kFarSecond),
              "called by " + name, path);
        if (!is_base) share *= is_short ? 0.8 : 0.6;
      }
    }
  }

  // One of several definitions of a name, of which another is longer: often what stands in where a package is missing.
  [[nodiscard]] bool is_lesser_twin(FunctionId id) const {
    const program::Function& function = after_.functions()[id];
    const auto& all = after_.modules()[function.module].functions;
    return std::any_of(all.begin(), all.end(), [&](FunctionId other) {
      return other != id && after_.functions()[other].qualified_name == function.qualified_name &&
             size_of(other) > size_of(id);
    });
  }

  static bool is_constructor(std::string_view name) { return name == "__init__" || name == "__post_init__"; }

  [[nodiscard]] std::uint32_t size_of(FunctionId id) const {
    const FunctionLines lines = lines_of(after_, id);
    return lines.last - lines.first + 1;
  }

  [[nodiscard]] bool is_trivial(FunctionId id) const {
    const python::FunctionDef* def = after_.functions()[id].def();
    const SourceText& source = report::source_of(after_, id);
    return def != nullptr && source.line_of(def->span.end - 1) <= source.line_of(def->span.begin) + 1;
  }

  void add_relatives(FunctionId function, double weight, const std::string& name, const std::string& path) {
    const program::Function& method = after_.functions()[function];
    if (!method.owner.valid()) return;
    const auto& order = after_.classes()[method.owner].linearized;
    for (const program::ClassId above : order) {
      if (above == method.owner) continue;
      const FunctionId base = after_.find_method(above, method.name);
      if (!base.valid() || base == function) continue;
      // Base constructors set up what has little to do with what one of them changes.
      if (is_constructor(method.name)) break;
      raise({false, base}, weight * shares_.base, "overridden by " + name, path);
      break;
    }
    // What takes other parameters now, its heirs have to take, too.
    const double share = resigned_.contains(function)  ? shares_.new_callee
                         : is_constructor(method.name) ? shares_.override_ * kFromBelow
                                                       : shares_.override_;
    std::size_t rank = 0;
    for (const FunctionId below : after_.overrides_of(function)) {
      if (rank == kMostOverrides) break;
      raise({false, below}, weight * share / static_cast<double>(1 + rank++), "overrides " + name, path);
    }
    const FunctionId init = after_.find_method(method.owner, "__init__");
    if (init.valid() && init != function) add_init(init, function, weight * shares_.init, name, path);
    add_neighbours(method, function, weight, name, path);
  }

  // The rest of its class, from near to far: what room is left is best spent there.
  void add_neighbours(const program::Function& method, FunctionId function, double weight, const std::string& name,
                      const std::string& path) {
    std::vector<FunctionId> others = after_.classes()[method.owner].methods;
    const std::uint32_t here = method.node->span.begin;
    const auto distance = [&](FunctionId id) {
      const std::uint32_t there = after_.functions()[id].node->span.begin;
      return there > here ? there - here : here - there;
    };
    std::stable_sort(others.begin(), others.end(),
                     [&](FunctionId a, FunctionId b) { return distance(a) < distance(b); });
    std::size_t rank = 0;
    for (const FunctionId other : others) {
      if (rank == kMostNeighbours) break;
      if (other == function || is_trivial(other) || changed_.contains(other)) continue;
      raise({false, other}, weight * kNeighbour / (1 + 0.2 * static_cast<double>(rank++)), "stands beside " + name,
            path);
    }
  }

  // Of a constructor, the lines that set what the method reads.
  void add_init(FunctionId init, FunctionId method, double score, const std::string& name, const std::string& path) {
    std::set<std::string_view> read;
    for_each_own_attribute(method, [&](const python::Attribute& attribute) { read.insert(attribute.name.text); });
    const SourceText& source = report::source_of(after_, init);
    std::vector<std::uint32_t> lines;
    for_each_own_attribute(init, [&](const python::Attribute& attribute) {
      if (attribute.context != python::ExprContext::kLoad && read.contains(attribute.name.text))
        lines.push_back(source.line_of(attribute.span.begin));
    });
    if (lines.empty()) return;
    raise({false, init}, score, "sets up what " + name + " works on", path);
    for (const std::uint32_t line : lines) candidates_[{false, init}].add_line(line, kAroundSet);
  }

  template <class Visit>
  void for_each_own_attribute(FunctionId function, const Visit& visit) const {
    python::walk(*after_.functions()[function].node, python::Nested::kEnter, [&](const python::Node* node) {
      const auto* attribute = python::as<python::Attribute>(node);
      const auto* owner = attribute == nullptr ? nullptr : python::as<python::Name>(attribute->value);
      if (owner != nullptr && owner->id == "self") visit(*attribute);
    });
  }

  void add_tests(std::size_t index) {
    const Actor& actor = story_.actor(index);
    const std::string name = code(report::short_name(inputs_, *actor.change));
    std::size_t rank = 0;
    for (const report::TestReach& reach : story_.tests[index]) {
      if (rank == kMostTests) break;
      if (reach.is_changed || reach.link == report::TestLink::kPossibly) continue;  // in the diff, or a guess
      raise({false, reach.test},
            weight_of(actor) * shares_.test / static_cast<double>((1 + rank++) * std::max(1, reach.distance)),
            "test that reaches " + name, actor.change->latest().path);
    }
  }

  // The diff shows hunks of a test that was there before; what it sets up and asks for stands around them.
  void add_edited_tests() {
    std::size_t rank = 0;
    for (const Actor& actor : story_.actors) {
      if (actor.role != Role::kTest || actor.is_added() || !actor.is_function() || rank == kMostEditedTests) continue;
      if (!actor.change->after || !actor.change->after->function.valid()) continue;
      const FunctionId test = actor.change->after->function;
      if (after_.functions()[test].kind != program::FunctionKind::kFunction) continue;
      candidates_[{false, test}].is_changed = true;
      raise({false, test}, kEditedTest / (1 + 0.3 * static_cast<double>(rank++)), "edited test",
            actor.change->after->path);
    }
  }

  // The declaration of a setting with its neighbours, and the class's own lines.
  void add_settings() {
    for (const report::Flag& flag : story_.flags) {
      const program::ClassId cls = flag.owner.empty() ? program::ClassId() : after_.find_class(flag.owner);
      // What the settings say of it already needs no lines.
      if (!cls.valid() || (!flag.default_value.empty() && !flag.help.empty())) continue;
      for (const program::Field& field : after_.classes()[cls].fields) {
        if (field.name != flag.name || field.node == nullptr) continue;
        const SourceText& source = after_.module_of(cls).facts->source();
        const std::uint32_t line = source.line_of(field.node->span.begin);
        const auto last = std::min<std::uint32_t>(line + 5, static_cast<std::uint32_t>(source.line_count()) - 1);
        add_lines(after_.module_of(cls).path, source, {line > 3 ? line - 3 : 0, last}, 0.8 * shares_.setting,
                  fmt::format("{} of {}", code(flag.name), code(after_.classes()[cls].name)),
                  "a setting it stands under");
      }
    }
  }

  void add_class(program::ClassId cls, double score, const std::string& why, const std::string& path) {
    const program::Class& one = after_.classes()[cls];
    const SourceText& source = after_.module_of(cls).facts->source();
    const std::uint32_t first = source.line_of(one.node->span.begin);
    std::uint32_t last = source.line_of(one.node->span.end);
    for (const FunctionId method : one.methods)
      last = std::min(last, source.line_of(after_.functions()[method].node->span.begin));
    last = std::min<std::uint32_t>(last, first + kMostClassLines);
    add_lines(path, source, {first, last > first ? last - 1 : last}, score, code(one.name), why);
  }

  void add_lines(const std::string& path, const SourceText& source, std::pair<std::uint32_t, std::uint32_t> lines,
                 double score, const std::string& name, const std::string& why) {
    Piece piece;
    piece.score = score;
    piece.name = fmt::format("{} ({}): {}", name, report::place(path, lines.first, lines.second), why);
    piece.content.heading(4, fmt::format("{}, {}: {}", name, report::place(path, lines.first, lines.second), why));
    report::CodeBlock block;
    block.language = "python";
    block.lines = numbered_source(source, lines.first, lines.second);
    piece.content.code_block(std::move(block));
    complete(piece);
    class_pieces_.push_back(std::move(piece));
  }

  [[nodiscard]] std::string why_text(const Candidate& candidate) const {
    auto why = candidate.why;
    std::stable_sort(why.begin(), why.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> shown;
    for (const auto& [score, text] : why) {
      if (shown.size() < 2) shown.push_back(text);
    }
    if (why.size() > shown.size()) shown.push_back(fmt::format("and {} more", why.size() - shown.size()));
    return join(shown, "; ");
  }

  [[nodiscard]] Piece piece_of(const Key& key, const Candidate& candidate) const {
    const auto& [is_before, id] = key;
    const Program& program = is_before ? *inputs_.before : after_;
    const program::Function& function = program.functions()[id];
    const program::Module& module = program.module_of(id);
    const auto [first, last] = lines_of(program, id);
    const std::string place = report::place(module.path, first, last);
    const std::string why = why_text(candidate);
    Piece piece;
    piece.score = candidate.score;
    piece.paths.assign(candidate.paths.begin(), candidate.paths.end());
    const bool is_body = function.kind == program::FunctionKind::kModuleBody;
    const std::string name = code(is_body ? module.name : report::short_name(program, id));
    const std::string side = is_before ? " before" : "";
    piece.name = fmt::format("{} ({}{}): {}", name, place, side, why);
    piece.content.heading(4, fmt::format("{}, {}{}: {}", name, place, side, why));
    report::CodeBlock block;
    block.language = "python";
    const std::vector<std::uint32_t> beside =
        !is_before && changed_.contains(id) ? lines_beside_diff(id) : std::vector<std::uint32_t>();
    block.lines = function_text(program, id, candidate, beside, Width::kTight);
    piece.needed = needed_of(block.lines, candidate);
    piece.is_changed = candidate.is_changed;
    piece.leans_on_diff = !beside.empty();
    report::CodeBlock wide = block;
    wide.lines = function_text(program, id, candidate, beside, Width::kWide);
    // What changes is read from its first line to its last.
    if (candidate.is_changed && wide.lines.size() <= kWholeIfChanged) block.lines = wide.lines;
    if (wide.lines.size() > block.lines.size()) {
      Piece wider = piece;
      wider.content.code_block(std::move(wide));
      complete(wider);
      piece.wider = std::move(wider.text);
    }
    piece.content.code_block(std::move(block));
    complete(piece);
    return piece;
  }

  const DocumentInputs& inputs_;
  const Program& after_;
  const Story& story_;
  Shares shares_;
  double heaviest_ = 0;
  std::set<FunctionId> changed_, added_;
  std::set<FunctionId> resigned_;  ///< Of the change, those that take other parameters now.
  Candidates candidates_;
  std::vector<Piece> class_pieces_;
};

constexpr std::size_t kFewestShortened = 180;

}  // namespace

std::optional<Piece> shortened(const Piece& piece, std::size_t tokens) {
  if (piece.kind != PieceKind::kCode || tokens < kFewestShortened) return std::nullopt;
  Piece result = piece;
  for (report::Block& block : result.content.blocks) {
    if (auto* code_block = std::get_if<report::CodeBlock>(&block.value)) {
      code_block->lines = elided(code_block->lines, piece.needed, tokens - 60);
      if (code_block->lines.empty()) return std::nullopt;
    }
  }
  complete(result);
  return result.tokens <= tokens ? std::optional<Piece>(std::move(result)) : std::nullopt;
}

std::vector<Piece> code_pieces(const PackInputs& inputs, const Story& story, const Leads& leads, Purpose purpose) {
  return Around(inputs, story, purpose).run(leads);
}

}  // namespace lockstep::writer
