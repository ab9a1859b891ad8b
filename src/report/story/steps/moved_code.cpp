#include "report/story/steps/moved_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/story/calls/calls.h"
#include "report/story/steps/renamed_code.h"
#include "rules/syntax/expressions.h"
#include "rules/syntax/super_calls.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;

namespace {

constexpr std::size_t kTellingWords = 2;       ///< Of a step that may count alone.
constexpr std::size_t kEnoughWords = 6;        ///< The same, brackets and keywords among them.
constexpr std::size_t kTellingSteps = 3;       ///< Where no call is known that leads there.
constexpr std::size_t kMostPairs = 60'000;     ///< Of steps that are compared for one call.
constexpr std::size_t kMostOfAll = 4'000'000;  ///< The same of all calls that were found.
constexpr std::size_t kMostLoose = 1'000'000;  ///< The same where no call was found.
constexpr std::size_t kFarthest = 2;           ///< Steps from one to its neighbour.
constexpr std::size_t kMostBetween = 8;        ///< The same on the side that has more between the two.
constexpr std::size_t kFewTaken = 3;           ///< Steps: too few to say that a function is made of them.
constexpr int kMostCalls = 3;                  ///< Through new functions to the one that has the code.

/// Parameters and whatever a function binds in its body.
LocalNames locals_of(const Node* function) {
  LocalNames out;
  const auto* def = as<FunctionDef>(function);
  if (def == nullptr) return out;
  for (const Parameter* one : def->parameters->all) out.emplace(one->name.text);
  walk_of<Name>(*def, Nested::kEnter, [&](const Name* name) {
    if (name->context == ExprContext::kStore) out.emplace(name->id);
  });
  return out;
}

CodeWords words_of(const SourceText& source, Span span) { return code_words(source.slice(span)); }

/// The one thing that an assignment sets; null for others.
const Expr* target_of(const Step& step) {
  if (step.kind != StepKind::kPlain) return nullptr;
  if (const auto* assign = as<Assign>(step.node))
    return assign->targets.size() == 1 ? assign->targets.front() : nullptr;
  const auto* annotated = as<AnnAssign>(step.node);
  return annotated == nullptr ? nullptr : annotated->target;
}

/// What an assignment, a lone call, a `return` or a `raise` calls; null for others.
const Call* main_call(const Step& step) {
  const auto* raise = as<Raise>(step.node);
  return raise != nullptr ? as<Call>(raise->exception) : call_of_step(step);
}

/// The words of a step; a type that it declares does nothing, and an `elif` asks what an `if` does.
CodeWords words_of(const SourceText& source, const Step& step) {
  if (step.is_elif) {
    CodeWords out = words_of(source, step.span);
    if (!out.empty() && out.front().text == "elif") out.front().text = "if";
    return out;
  }
  const auto* annotated = step.kind == StepKind::kPlain ? as<AnnAssign>(step.node) : nullptr;
  if (annotated == nullptr || annotated->value == nullptr) return words_of(source, step.span);
  CodeWords out = words_of(source, annotated->target->span);
  out.push_back({"=", false});
  for (CodeWord& word : words_of(source, annotated->value->span)) out.push_back(std::move(word));
  return out;
}

/// Whether step `index` is a branch that does nothing but return: only its own function it leaves.
bool only_returns(const std::vector<Step>& steps, std::size_t index) {
  return steps[index].kind == StepKind::kIf && end_of(steps, index) == index + 2 && is<Return>(steps[index + 1].node);
}

std::size_t distance(std::size_t a, std::size_t b) { return std::max(a, b) - std::min(a, b); }

/// What words name beyond their function: what is no local, and the attributes of what is one.
using NamedWords = std::set<std::string, std::less<>>;

void add_named(const CodeWords& words, const LocalNames& locals, NamedWords& out) {
  for (const CodeWord& word : words) {
    const std::size_t root_end = word.text.find('.');
    if (!word.is_name) continue;
    if (!locals.contains(std::string_view(word.text).substr(0, root_end))) {
      out.insert(word.text);
    } else if (root_end != std::string::npos) {
      out.insert(word.text.substr(word.text.rfind('.')));
    }
  }
}

/// A function outside tests that gains steps.
struct Holder {
  const Actor* actor = nullptr;
  std::vector<std::size_t> added;
  std::vector<CodeWords> words;  ///< Of these.
  LocalNames locals;
  NamedWords named;
};

/// A branch of the version before that a new function does now, one of those that a call enters as a table says.
struct DispatchedBranch {
  std::size_t head = 0;  ///< Of the before side's steps.
  std::size_t end = 0;   ///< Behind its last step.
  const Holder* holder = nullptr;
  bool is_keyed = false;                ///< The function is registered for what the branch asks.
  std::vector<std::size_t> taken = {};  ///< Of the holder's after side: what came from here.
};

/// How a run gets from the function that loses code to one that gains some.
struct Connection {
  const Holder* holder = nullptr;
  const Call* call = nullptr;      ///< Where the one calls the other itself.
  std::size_t site = Step::kNone;  ///< The step of the after side that makes this call.
  bool is_loose = false;           ///< No call that was found leads there: it may be looked up in a table, say.
};

struct Pair {
  std::size_t here = 0;   ///< Of the before side's steps.
  std::size_t there = 0;  ///< Of the holder's after side.
  bool is_telling = false;
};

class Mover {
 public:
  Mover(const DocumentInputs& inputs, std::vector<Actor>& actors) : inputs_(inputs), actors_(actors) {
    for (const Actor& actor : actors) {
      if (!is_changed_code(actor) || actor.is_removed()) continue;
      Holder holder;
      holder.actor = &actor;
      for (std::size_t i = 0; i < actor.steps.after.size(); ++i) {
        const Step& step = actor.steps.after[i];
        if (step.status != StepStatus::kAdded || step.is_moved) continue;
        holder.added.push_back(i);
        holder.words.push_back(words_of(*actor.steps.after_source, step));
      }
      if (actor.is_added()) added_.insert(actor.change->after->function);
      if (holder.added.empty()) continue;
      holder.locals = locals_of(actor.change->after->node);
      for (const CodeWords& words : holder.words) add_named(words, holder.locals, holder.named);
      holders_.emplace(actor.change->after->function, std::move(holder));
    }
  }

  void run() {
    for (Actor& actor : actors_) {
      if (!is_changed_code(actor) || actor.is_added() || actor.is_removed()) continue;
      if (actor.steps.removed_before() == 0) continue;
      actor_ = &actor;
      locals_ = locals_of(actor.change->before->node);
      words_.clear();
      taken_.assign(actor.steps.before.size(), false);
      for (const Step& step : actor.steps.before) words_.push_back(words_of(*actor.steps.before_source, step));
      connections_ = connections();
      find_dispatched();
      for (const Connection& one : connections_) move_over(one);
      move_heads();
    }
  }

 private:
  static bool is_changed_code(const Actor& actor) {
    return actor.role != Role::kTest && actor.is_function() && !actor.is_module_code &&
           (!actor.change->after || actor.change->after->function.valid()) &&
           (actor.steps.before_source != nullptr || actor.steps.after_source != nullptr);
  }

  /// Locals of the version before that an attribute of the same name and start keeps now, set by another method of the
  /// class (`seen = set()` here, `self.seen = set()` there), with that method.
  [[nodiscard]] std::map<std::string, const change::EntityChange*> kept_locals() const {
    std::map<std::string, const change::EntityChange*> out;
    const program::ClassId owner = inputs_.after->functions()[actor_->change->after->function].owner;
    if (!owner.valid()) return out;
    const LocalNames now = locals_of(actor_->change->after->node);
    for (const Step& step : actor_->steps.before) {
      const auto* local = step.status == StepStatus::kRemoved ? as<Name>(target_of(step)) : nullptr;
      if (local == nullptr || value_of_step(step) == nullptr || now.contains(local->id)) continue;
      const CodeWords value = words_of(*actor_->steps.before_source, value_of_step(step)->span);
      for (const auto& [function, holder] : holders_) {
        if (inputs_.after->functions()[function].owner != owner || holder.actor == actor_) continue;
        for (const std::size_t i : holder.added) {
          const Step& there = holder.actor->steps.after[i];
          const Expr* target = target_of(there);
          if (target != nullptr && value_of_step(there) != nullptr &&
              dotted_text(target) == fmt::format("self.{}", local->id) &&
              words_of(*holder.actor->steps.after_source, value_of_step(there)->span) == value) {
            out.emplace(local->id, holder.actor->change);
          }
        }
      }
    }
    return out;
  }

  /// Fills dispatched_: branches that go, each of which one of the new functions does that a call enters as a table
  /// says.
  void find_dispatched() {
    dispatched_.clear();
    std::map<std::size_t, std::vector<const Connection*>> by_site;
    for (const Connection& one : connections_) {
      if (one.call != nullptr && one.site != Step::kNone && one.holder->actor->is_added())
        by_site[one.site].push_back(&one);
    }
    const std::vector<Step>& before = actor_->steps.before;
    std::vector<Span> branches;  // Of steps: from the head to behind the last.
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool is_outer = before[i].parent == Step::kNone || before[before[i].parent].status == StepStatus::kKept;
      if (before[i].kind == StepKind::kIf && before[i].status == StepStatus::kRemoved && !before[i].is_moved &&
          is_outer)
        branches.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end_of(before, i))});
    }
    const auto is_several = [](const auto& one) { return one.second.size() > 1; };
    if (branches.size() < 2 || std::none_of(by_site.begin(), by_site.end(), is_several)) return;
    // What was a local of the one function is shared by several now.
    const std::map<std::string, const change::EntityChange*> kept = kept_locals();
    const std::vector<CodeWords> words = words_;
    for (CodeWords& own : words_) {
      for (CodeWord& word : own) {
        if (word.is_name && kept.contains(word.text.substr(0, word.text.find('.')))) word.text = "self." + word.text;
      }
    }
    for (const auto& [site, ways] : by_site) {
      if (ways.size() < 2) continue;
      std::vector<DispatchedBranch> found = pair_branches(branches, ways);
      dispatched_.insert(dispatched_.end(), found.begin(), found.end());
    }
    if (dispatched_.empty()) words_ = words;
    for (Step& step : actor_->steps.before) {
      const auto* local = step.status == StepStatus::kRemoved ? as<Name>(target_of(step)) : nullptr;
      const auto keeper = local == nullptr || dispatched_.empty() ? kept.end() : kept.find(std::string(local->id));
      if (keeper == kept.end() || step.elsewhere != nullptr) continue;
      step.elsewhere = keeper->second;
      step.differs_there = true;
    }
    for (const DispatchedBranch& one : dispatched_) {
      // What was found by its words alone may have come from another branch, and ways out say nothing.
      for (std::size_t i = one.head + 1; i < one.end; ++i) {
        Step& step = actor_->steps.before[i];
        if (step.elsewhere != nullptr && step.elsewhere != actor_->change &&
            (step.elsewhere != one.holder->actor->change || !tells_itself(step)))
          step.elsewhere = nullptr;
      }
    }
  }

  /// Each branch with the function that is most like it, of those that no other branch is more like: a function that is
  /// registered under what the branch asks for is.
  [[nodiscard]] std::vector<DispatchedBranch> pair_branches(const std::vector<Span>& branches,
                                                            const std::vector<const Connection*>& ways) {
    struct Candidate {
      double alike = 0;
      DispatchedBranch pair;
    };
    std::vector<Candidate> candidates;
    for (const Span& branch : branches) {
      for (const Connection* way : ways) {
        std::vector<std::size_t> open;
        std::size_t here = 0;
        for (std::size_t i = branch.begin + 1; i < branch.end; ++i) {
          here += words_[i].size();
          const Step& step = actor_->steps.before[i];
          if (step.status == StepStatus::kRemoved && !step.is_moved && !is<Return>(step.node)) open.push_back(i);
        }
        const std::size_t to_compare = open.size() * way->holder->added.size();
        if (to_compare > kMostPairs || to_compare > kMostOfAll - compared_) continue;
        compared_ += to_compare;
        Renaming names = renaming_of(*way);
        find_names(*way, open, {}, names);
        const std::vector<Pair> pairs = align(*way, open, names, {});
        std::size_t common = 0;
        bool tells = false;
        for (const Pair& pair : pairs) {
          common += words_[pair.here].size();
          tells = tells || pair.is_telling;
        }
        std::size_t there = 0;
        for (const CodeWords& words : way->holder->words) there += words.size();
        const bool is_keyed = is_registered_for(*way->holder, branch.begin);
        if (common == 0 || (!tells && !is_keyed)) continue;
        candidates.push_back(
            {2.0 * static_cast<double>(common) / static_cast<double>(here + there) + (is_keyed ? 2 : 0),
             {branch.begin, branch.end, way->holder, is_keyed}});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.alike > b.alike; });
    std::vector<DispatchedBranch> out;
    for (const Candidate& one : candidates) {
      const auto is_taken = [&](const DispatchedBranch& other) {
        return other.head == one.pair.head || other.holder == one.pair.holder;
      };
      if (std::none_of(out.begin(), out.end(), is_taken)) out.push_back(one.pair);
    }
    // One alone may be chance.
    return out.size() < 2 ? std::vector<DispatchedBranch>() : out;
  }

  /// Whether decorators of the function name all that the branch compares with: `@handler(Kind.START)` and
  /// `if kind == Kind.START:`.
  [[nodiscard]] bool is_registered_for(const Holder& holder, std::size_t head) const {
    const auto* branch = as<If>(actor_->steps.before[head].node);
    const auto* def = as<FunctionDef>(holder.actor->change->after->node);
    if (branch == nullptr || def == nullptr) return false;
    std::set<std::string> registered;
    for (const Expr* one : def->decorators) {
      for (const CodeWord& word : words_of(*holder.actor->steps.after_source, one->span)) registered.insert(word.text);
    }
    const auto is_key = [&](const CodeWord& word) {
      const bool is_text = word.text.starts_with('"') || word.text.starts_with('\'');
      const std::size_t dot = word.text.find('.');
      return is_text || (word.is_name && dot != std::string::npos &&
                         !locals_.contains(std::string_view(word.text).substr(0, dot)));
    };
    bool any = false;
    for (const CodeWord& word : words_of(*actor_->steps.before_source, branch->condition->span)) {
      if (!is_key(word)) continue;
      any = true;
      if (!registered.contains(word.text)) return false;
    }
    return any;
  }

  [[nodiscard]] const DispatchedBranch* dispatched_to(const Holder* holder) const {
    const auto found = std::find_if(dispatched_.begin(), dispatched_.end(),
                                    [&](const DispatchedBranch& one) { return one.holder == holder; });
    return found == dispatched_.end() ? nullptr : &*found;
  }

  /// Steps of the branch that stood in another branch, too, and went from there to a new function: where the function
  /// of this one calls that, they went there from both.
  void move_repeated(const DispatchedBranch& branch) {
    std::vector<Step>& before = actor_->steps.before;
    const FunctionId function = branch.holder->actor->change->after->function;
    for (std::size_t i = branch.head + 1; i < branch.end; ++i) {
      if (before[i].status != StepStatus::kRemoved || before[i].is_moved || before[i].elsewhere != nullptr) continue;
      const auto twin = std::find_if(before.begin(), before.end(), [&](const Step& other) {
        return other.fingerprint == before[i].fingerprint && other.kind == before[i].kind &&
               other.elsewhere != nullptr && other.elsewhere->status == change::Status::kAdded &&
               calls(*inputs_.after, *branch.holder->actor->change, other.elsewhere->after->function);
      });
      if (twin == before.end() || twin->elsewhere->after->function == function) continue;
      before[i].elsewhere = twin->elsewhere;
      before[i].is_led_there = true;
      before[i].differs_there = twin->differs_there;
    }
  }

  /// The heads of branches of which enough went to their function go with them; there it came from here.
  void move_heads() {
    std::vector<Step>& before = actor_->steps.before;
    for (const DispatchedBranch& one : dispatched_) {
      move_repeated(one);
      std::size_t all = 0;
      std::size_t went = 0;
      bool differs = !one.is_keyed;
      for (std::size_t i = one.head + 1; i < one.end; ++i) {
        const bool is_there = before[i].elsewhere == one.holder->actor->change;
        differs = differs || before[i].elsewhere == nullptr || before[i].differs_there;
        if (!tells_itself(before[i])) continue;
        ++all;
        went += is_there ? 1 : 0;
      }
      if (went == 0 || (!one.is_keyed && went * 2 < all)) continue;
      before[one.head].elsewhere = one.holder->actor->change;
      before[one.head].is_led_there = true;
      before[one.head].differs_there = differs;
      for (Actor& actor : actors_) {
        if (actor.change != one.holder->actor->change) continue;
        for (const std::size_t there : one.taken) actor.steps.after[there].taken_from = actor_->change;
        if (one.taken.size() <= kFewTaken || one.taken.size() * 4 < actor.steps.after.size() * 3) continue;
        actor.extracted_from = actor_->change;
        actor.extracted = one.taken.size();
      }
    }
  }

  /// Calls of the function first, in their order, then what calls it, then what it reaches through new functions.
  std::vector<Connection> connections() const {
    const FunctionId self = actor_->change->after->function;
    const auto& functions = inputs_.after->functions();
    const auto& calls = inputs_.after->calls();
    std::vector<Connection> out;
    std::set<FunctionId> known = {self};
    std::vector<FunctionId> next;
    for (const program::CallId id : functions[self].calls) {
      for (const program::CallTarget& target : calls[id].targets) {
        if (!target.function.valid() || target.function == self) continue;
        if (const Holder* holder = holder_of(target.function)) {
          const auto* call = as<Call>(calls[id].node);
          out.push_back({holder, call, call == nullptr ? Step::kNone : step_at(call->span)});
        }
        if (known.insert(target.function).second && added_.contains(target.function)) next.push_back(target.function);
      }
    }
    for (const auto& [function, holder] : holders_) {
      const auto calls_self = [&](program::CallId id) {
        return std::any_of(calls[id].targets.begin(), calls[id].targets.end(),
                           [&](const program::CallTarget& target) { return target.function == self; });
      };
      if (known.contains(function)) continue;
      if (std::any_of(functions[function].calls.begin(), functions[function].calls.end(), calls_self)) {
        known.insert(function);
        out.push_back({&holder});
      }
    }
    for (int depth = 1; depth < kMostCalls; ++depth) {
      std::vector<FunctionId> further;
      for (const FunctionId function : next) {
        for (const program::CallId id : functions[function].calls) {
          for (const program::CallTarget& target : calls[id].targets) {
            if (!target.function.valid() || !known.insert(target.function).second) continue;
            if (const Holder* holder = holder_of(target.function)) out.push_back({holder});
            if (added_.contains(target.function)) further.push_back(target.function);
          }
        }
      }
      next = std::move(further);
    }
    for (const auto& [function, holder] : holders_) {
      if (!holder.actor->is_added() || known.contains(function)) continue;
      if (const Call* call = table_call(holder)) {
        out.push_back({&holder, call, step_at(call->span)});
      } else {
        out.push_back({&holder, nullptr, Step::kNone, true});
      }
    }
    return out;
  }

  /// The new call of this function that enters what no one knows and may be made of what a table holds: of a function
  /// of the same folder that is registered for what one of the branches asked which go here, and takes as many
  /// arguments. Null for others, and where several calls may be it.
  [[nodiscard]] const Call* table_call(const Holder& holder) const {
    const auto folder = [](std::string_view path) { return path.substr(0, path.rfind('/') + 1); };
    const auto* def = as<FunctionDef>(holder.actor->change->after->node);
    if (def == nullptr || def->decorators.empty() ||
        folder(holder.actor->change->after->path) != folder(actor_->change->after->path))
      return nullptr;
    const std::vector<Step>& before = actor_->steps.before;
    bool is_registered = false;
    for (std::size_t i = 0; i < before.size() && !is_registered; ++i)
      is_registered = before[i].kind == StepKind::kIf && before[i].status == StepStatus::kRemoved &&
                      !before[i].is_moved && is_registered_for(holder, i);
    if (!is_registered) return nullptr;
    const Call* found = nullptr;
    std::size_t count = 0;
    for (const Step& step : actor_->steps.after) {
      if (step.status != StepStatus::kAdded || step.is_moved) continue;
      walk_of<Call>(*step.node, Nested::kSkip, [&](const Call* call) {
        const program::CallId id = step.span.contains(call->span) ? inputs_.after->call_of(call) : program::CallId();
        if (!id.valid() || !inputs_.after->calls()[id].targets.empty() || !call->keywords.empty() ||
            rules::has_spread_arguments(*call) || call->arguments.size() != def->parameters->all.size() ||
            (!is<Name>(call->callee) && !is<Subscript>(call->callee)))
          return;
        found = call;
        ++count;
      });
    }
    return count == 1 ? found : nullptr;
  }

  [[nodiscard]] const Holder* holder_of(FunctionId function) const {
    const auto found = holders_.find(function);
    return found == holders_.end() ? nullptr : &found->second;
  }

  /// The step of the after side whose own text holds `span`.
  [[nodiscard]] std::size_t step_at(Span span) const {
    const std::vector<Step>& steps = actor_->steps.after;
    for (std::size_t i = steps.size(); i-- > 0;) {
      if (steps[i].span.contains(span) && !is<FunctionDef>(steps[i].node)) return i;
    }
    return Step::kNone;
  }

  [[nodiscard]] const std::vector<Step>& steps_there(const Connection& one) const {
    return one.holder->actor->steps.after;
  }

  /// What the call gives the parameters of its callee, as words.
  [[nodiscard]] Renaming renaming_of(const Connection& one) const {
    Renaming names{&locals_, &one.holder->locals};
    const auto* def = as<FunctionDef>(one.holder->actor->change->after->node);
    if (one.call == nullptr || def == nullptr || rules::has_spread_arguments(*one.call) ||
        rules::has_spread_keywords(*one.call))
      return names;
    const auto give = [&](std::string_view name, CodeWords words) {
      std::vector<CodeWords>& options = names.given[std::string(name)];
      // A local that had this value stands for it.
      for (const Step& step : actor_->steps.before) {
        const auto* local = as<Name>(target_of(step));
        if (local != nullptr && step.status == StepStatus::kRemoved && value_of_step(step) != nullptr &&
            words_of(*actor_->steps.before_source, value_of_step(step)->span) == words)
          options.push_back({{std::string(local->id), true}});
      }
      options.push_back(std::move(words));
    };
    const auto& all = def->parameters->all;
    std::size_t at = 0;
    const auto* method = as<Attribute>(one.call->callee);
    if (!all.empty() && (all.front()->name.text == "self" || all.front()->name.text == "cls")) {
      at = 1;
      if (method == nullptr) return names;
      const bool is_super = rules::is_method_of_super(method);
      give(all.front()->name.text,
           is_super ? code_words("self") : words_of(*actor_->steps.after_source, method->value->span));
    }
    for (const Expr* argument : one.call->arguments) {
      if (at >= all.size() || all[at]->parameter_kind == Parameter::Kind::kVarArgs ||
          all[at]->parameter_kind == Parameter::Kind::kKeywordOnly)
        break;
      give(all[at++]->name.text, words_of(*actor_->steps.after_source, argument->span));
    }
    for (const Keyword* keyword : one.call->keywords)
      give(keyword->name.text, words_of(*actor_->steps.after_source, keyword->value->span));
    return names;
  }

  /// Whether a step was paired with one that calls something else: both may have other counterparts.
  [[nodiscard]] bool calls_another(const Step& step) const {
    if (step.status != StepStatus::kChanged || step.partner == Step::kNone) return false;
    const Call* called = main_call(step);
    const Call* calls = main_call(actor_->steps.after[step.partner]);
    return called != nullptr && calls != nullptr &&
           without_layout(*actor_->steps.before_source, called->callee->span) !=
               without_layout(*actor_->steps.after_source, calls->callee->span);
  }

  /// Whether a removed step may be found there at all.
  [[nodiscard]] bool may_move(const Connection& one, std::size_t index) const {
    const Step& step = actor_->steps.before[index];
    if ((step.status != StepStatus::kRemoved && !calls_another(step)) || step.is_moved || taken_[index] ||
        is<Pass>(step.node))
      return false;
    if (step.elsewhere != nullptr && step.elsewhere != one.holder->actor->change) return false;
    const DispatchedBranch* branch = dispatched_to(one.holder);
    if (branch != nullptr && (index <= branch->head || index >= branch->end)) return false;
    // What ends the one function does not end the other, but where the one returns what the other does.
    const bool returns_it =
        one.site != Step::kNone && is<Return>(actor_->steps.after[one.site].node) && value_of_site(one) == one.call;
    return returns_it || (!is<Return>(step.node) && !only_returns(actor_->steps.before, index));
  }

  [[nodiscard]] const Expr* value_of_site(const Connection& one) const {
    return one.site == Step::kNone ? nullptr : value_of_step(actor_->steps.after[one.site]);
  }

  /// Text of what the step of the call sets to the call's result; empty for others.
  [[nodiscard]] std::string result_of(const Connection& one) const {
    if (one.call == nullptr || value_of_site(one) != one.call) return {};
    const Expr* target = target_of(actor_->steps.after[one.site]);
    return target == nullptr ? std::string() : without_layout(*actor_->steps.after_source, target->span);
  }

  [[nodiscard]] bool sets(const Step& step, std::string_view target) const {
    const Expr* own = target_of(step);
    return own != nullptr && !target.empty() && without_layout(*actor_->steps.before_source, own->span) == target;
  }

  /// How alike a removed step and an added one are: the same, or `x = value` here and `return value` there, where the
  /// call's result is `x` now.
  [[nodiscard]] std::optional<Likeness> likeness(const Connection& one, std::size_t here, std::size_t place,
                                                 const Renaming& names, std::string_view result) const {
    const Step& was = actor_->steps.before[here];
    const Step& now = steps_there(one)[one.holder->added[place]];
    if (was.kind != now.kind || (was.is_elif && !now.is_elif)) return std::nullopt;
    if (is<Continue>(was.node) || is<Break>(was.node)) {
      // Where the loop stays here, what went on with its next item returns there.
      const bool stays = is_in_kept_loop(here);
      const auto* leaves = as<Return>(now.node);
      if (is<Continue>(was.node) && stays && leaves != nullptr && leaves->value == nullptr && one.call != nullptr &&
          one.site != Step::kNone && is_way_on(one.site))
        return Likeness{1, 0, {}};
      if (stays) return std::nullopt;
    }
    if (is<Return>(now.node) && !is<Return>(was.node)) {
      if (!sets(was, result) || value_of_step(was) == nullptr || value_of_step(now) == nullptr) return std::nullopt;
      return same_but_names(words_of(*actor_->steps.before_source, value_of_step(was)->span),
                            words_of(*one.holder->actor->steps.after_source, value_of_step(now)->span), names);
    }
    return same_but_names(words_[here], one.holder->words[place], names);
  }

  /// Whether the innermost loop around the step is there in the new version, too.
  [[nodiscard]] bool is_in_kept_loop(std::size_t index) const {
    const std::vector<Step>& steps = actor_->steps.before;
    for (std::size_t up = steps[index].parent; up != Step::kNone; up = steps[up].parent) {
      if (steps[up].kind == StepKind::kFor || steps[up].kind == StepKind::kWhile)
        return steps[up].status != StepStatus::kRemoved;
    }
    return false;
  }

  /// Whether a loop comes to its next item behind the step of the after side, whatever comes of it but a way out.
  [[nodiscard]] bool is_way_on(std::size_t site) const {
    const std::vector<Step>& steps = actor_->steps.after;
    const std::size_t loop = steps[site].parent;
    return loop != Step::kNone && (steps[loop].kind == StepKind::kFor || steps[loop].kind == StepKind::kWhile) &&
           end_of(steps, site) == end_of(steps, loop);
  }

  /// Fills in what the holder calls the locals of this function, as most of what is alike has it.
  void find_names(const Connection& one, const std::vector<std::size_t>& open, std::string_view result,
                  Renaming& names) const {
    std::map<std::pair<std::string, std::string>, std::size_t> votes;
    for (const std::size_t here : open) {
      for (std::size_t place = 0; place < one.holder->added.size(); ++place) {
        const std::optional<Likeness> alike = likeness(one, here, place, names, result);
        if (!alike || alike->telling == 0) continue;
        for (const auto& pair : alike->renamed) votes[pair] += 2 * alike->telling + (pair.first == pair.second ? 1 : 0);
      }
    }
    std::vector<std::pair<std::size_t, std::pair<std::string, std::string>>> order;
    for (const auto& [pair, count] : votes) order.emplace_back(count, pair);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::set<std::string> used;
    for (const auto& [count, pair] : order) {
      if (names.given.contains(pair.first) || used.contains(pair.second)) continue;
      used.insert(pair.second);
      names.given[pair.first] = {code_words(pair.second)};
    }
    names.is_complete = true;
  }

  /// Whether a step that is alike there needs no neighbour: it has enough words, or is the same to the letter, or sets
  /// an attribute of the same object to the same.
  [[nodiscard]] bool is_telling(const Connection& one, std::size_t here, const Likeness& alike,
                                const Renaming& names) const {
    const Step& step = actor_->steps.before[here];
    if (!tells_itself(step)) return false;
    if (alike.telling >= kTellingWords && alike.words >= kEnoughWords) return true;
    if (step.elsewhere == one.holder->actor->change && step.kind != StepKind::kPlain) return true;
    const auto self = names.given.find("self");
    return one.call != nullptr && is<Attribute>(target_of(step)) && self != names.given.end() &&
           self->second.back() == code_words("self") && dotted_text(target_of(step)).starts_with("self.") &&
           locals_.contains("self");
  }

  /// The pairs of a common subsequence with the most words.
  std::vector<Pair> align(const Connection& one, const std::vector<std::size_t>& open, const Renaming& names,
                          std::string_view result) const {
    const std::size_t rows = open.size();
    const std::size_t columns = one.holder->added.size();
    std::vector<std::optional<Likeness>> alike(rows * columns);
    std::vector<std::size_t> best((rows + 1) * (columns + 1), 0);
    const auto cell = [&](std::size_t r, std::size_t c) -> std::size_t& { return best[r * (columns + 1) + c]; };
    for (std::size_t r = rows; r-- > 0;) {
      for (std::size_t c = columns; c-- > 0;) {
        auto& here = alike[r * columns + c];
        here = likeness(one, open[r], c, names, result);
        cell(r, c) = std::max(cell(r + 1, c), cell(r, c + 1));
        if (here) cell(r, c) = std::max(cell(r, c), here->words + cell(r + 1, c + 1));
      }
    }
    std::vector<Pair> out;
    std::size_t r = 0;
    std::size_t c = 0;
    while (r < rows && c < columns) {
      const auto& here = alike[r * columns + c];
      if (here && cell(r, c) == here->words + cell(r + 1, c + 1)) {
        out.push_back({open[r], one.holder->added[c], is_telling(one, open[r], *here, names)});
        ++r;
        ++c;
      } else if (cell(r, c + 1) >= cell(r + 1, c)) {
        ++c;  // Of several alike the first.
      } else {
        ++r;
      }
    }
    return out;
  }

  /// Close to one another on one side at least.
  static bool are_neighbours(const Pair& first, const Pair& second) {
    const std::size_t here = second.here - first.here;
    const std::size_t there = second.there - first.there;
    return std::min(here, there) <= kFarthest && std::max(here, there) <= kMostBetween;
  }

  /// Drops stretches of neighbours of which too few say enough.
  static void keep_telling(std::vector<Pair>& pairs, std::size_t fewest) {
    std::vector<Pair> out;
    for (std::size_t begin = 0; begin < pairs.size();) {
      std::size_t end = begin + 1;
      while (end < pairs.size() && are_neighbours(pairs[end - 1], pairs[end])) ++end;
      const auto first = pairs.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = pairs.begin() + static_cast<std::ptrdiff_t>(end);
      const auto telling = std::count_if(first, last, [](const Pair& one) { return one.is_telling; });
      if (static_cast<std::size_t>(telling) >= fewest) out.insert(out.end(), first, last);
      begin = end;
    }
    pairs = std::move(out);
  }

  /// Whether two steps set the same by a call of the same, or do so in the same branch, but in other words.
  [[nodiscard]] bool are_similar(const Connection& one, std::size_t here, std::size_t there, const Renaming& names,
                                 const std::map<std::size_t, std::size_t>& partners) const {
    const Step& was = actor_->steps.before[here];
    const Step& now = steps_there(one)[there];
    const auto same = [&](const Expr* a, const Expr* b) {
      return a != nullptr && b != nullptr &&
             same_but_names(words_of(*actor_->steps.before_source, a->span),
                            words_of(*one.holder->actor->steps.after_source, b->span), names)
                 .has_value();
    };
    if (was.kind != now.kind || was.kind != StepKind::kPlain) return false;
    const bool both_set = same(target_of(was), target_of(now));
    if (!both_set && (target_of(was) != nullptr || was.node->kind != now.node->kind)) return false;
    const Call* called = main_call(was);
    const Call* calls = main_call(now);
    if (called != nullptr && calls != nullptr) return same(called->callee, calls->callee);
    const auto parent = was.parent == Step::kNone ? partners.end() : partners.find(was.parent);
    return both_set && is<Attribute>(target_of(was)) && parent != partners.end() && parent->second == now.parent;
  }

  /// Neighbours of what moved that only changed on the way.
  void add_similar(const Connection& one, const std::vector<std::size_t>& open, const Renaming& names,
                   std::map<std::size_t, std::size_t>& partners, std::set<std::size_t>& similar) const {
    std::set<std::size_t> used;
    for (const auto& [here, there] : partners) used.insert(there);
    const std::map<std::size_t, std::size_t> moved = partners;
    for (const std::size_t here : open) {
      if (partners.contains(here)) continue;
      for (const auto& [other, there] : moved) {
        for (const std::size_t i : one.holder->added) {
          const bool is_inside = actor_->steps.before[here].parent == other && steps_there(one)[i].parent == there;
          const bool is_near = std::min(distance(here, other), distance(i, there)) <= kFarthest &&
                               std::max(distance(here, other), distance(i, there)) <= kMostBetween;
          if (used.contains(i) || partners.contains(here) || (!is_inside && !is_near) ||
              (here < other) != (i < there) || !are_similar(one, here, i, names, partners))
            continue;
          partners[here] = i;
          used.insert(i);
          similar.insert(here);
        }
      }
    }
  }

  /// `with torch.no_grad():` where the holder is a function under `@torch.no_grad()`.
  [[nodiscard]] bool is_decorator_there(const Connection& one, const Step& step) const {
    const auto* def = as<FunctionDef>(one.holder->actor->change->after->node);
    const auto* with = step.kind == StepKind::kWith ? as<With>(step.node) : nullptr;
    if (def == nullptr || with == nullptr || with->items.size() != 1 || with->items.front()->target != nullptr)
      return false;
    const std::string text = without_layout(*actor_->steps.before_source, with->items.front()->context->span);
    return std::any_of(def->decorators.begin(), def->decorators.end(), [&](const Expr* each) {
      return without_layout(*one.holder->actor->steps.after_source, each->span) == text;
    });
  }

  /// Whether a step stands under the same conditions there as it did here: those that did not go along stand around the
  /// call.
  [[nodiscard]] bool keeps_conditions(const Connection& one, std::size_t here, std::size_t there,
                                      const std::map<std::size_t, std::size_t>& partners) const {
    const std::vector<Step>& before = actor_->steps.before;
    std::set<std::size_t> around;
    for (std::size_t up = before[here].parent; up != Step::kNone; up = before[up].parent) {
      if (const auto found = partners.find(up); found != partners.end()) around.insert(found->second);
    }
    for (std::size_t up = steps_there(one)[there].parent; up != Step::kNone; up = steps_there(one)[up].parent) {
      if (!around.contains(up)) return false;
    }
    std::set<std::size_t> around_call;
    if (one.site != Step::kNone) {
      for (std::size_t up = actor_->steps.after[one.site].parent; up != Step::kNone;
           up = actor_->steps.after[up].parent)
        around_call.insert(actor_->steps.after[up].partner);
    }
    std::size_t left = 0;
    for (std::size_t up = before[here].parent; up != Step::kNone; up = before[up].parent) {
      if (partners.contains(up) || is_decorator_there(one, before[up])) continue;
      const DispatchedBranch* branch = dispatched_to(one.holder);
      if (branch != nullptr && branch->head == up && branch->is_keyed) continue;  // The table asks it.
      if (one.call == nullptr || !around_call.contains(up)) return false;
      ++left;
    }
    return one.call == nullptr || left == around_call.size();
  }

  /// The same for any of the calls of this holder: the sides of a choice may each make one.
  [[nodiscard]] bool keeps_conditions_of_one(const Connection& one, std::size_t here, std::size_t there,
                                             const std::map<std::size_t, std::size_t>& partners) const {
    return std::any_of(connections_.begin(), connections_.end(), [&](const Connection& other) {
      return other.holder == one.holder && keeps_conditions(other, here, there, partners);
    });
  }

  /// Whether the holder may return before it comes to the step, where this function went on.
  [[nodiscard]] bool returns_before(const Connection& one, std::size_t there,
                                    const std::map<std::size_t, std::size_t>& partners) const {
    for (std::size_t i = 0; i < there; ++i) {
      const auto is_it = [&](const auto& pair) { return pair.second == i; };
      if (is<Return>(steps_there(one)[i].node) && std::none_of(partners.begin(), partners.end(), is_it)) return true;
    }
    return false;
  }

  /// `x = default` that became `x = f()`, where `f` has what gave `x` its value.
  void note_result(const Connection& one, const Renaming& names, const std::string& result,
                   const std::map<std::size_t, std::size_t>& partners, const std::set<std::size_t>& similar) {
    if (result.empty() || actor_->steps.after[one.site].status != StepStatus::kChanged) return;
    Step& now = actor_->steps.after[one.site];
    Step& was = actor_->steps.before[now.partner];
    const auto gave_it = [&](const auto& pair) {
      return sets(actor_->steps.before[pair.first], result) && !similar.contains(pair.first) &&
             keeps_conditions_of_one(one, pair.first, pair.second, partners);
    };
    if (!sets(was, result) || value_of_step(was) == nullptr || now.is_moved || partners.contains(now.partner) ||
        std::none_of(partners.begin(), partners.end(), gave_it))
      return;
    const CodeWords value = words_of(*actor_->steps.before_source, value_of_step(was)->span);
    const auto has_value = [&](std::size_t i) {
      const Step& step = steps_there(one)[i];
      const Expr* there = target_of(step) != nullptr || is<Return>(step.node) ? value_of_step(step) : nullptr;
      return there != nullptr &&
             same_but_names(value, words_of(*one.holder->actor->steps.after_source, there->span), names).has_value();
    };
    if (std::any_of(one.holder->added.begin(), one.holder->added.end(), has_value))
      now.returned_by = was.returned_by = one.holder->actor->change;
  }

  /// Whether what is looked for and what the holder gains name one thing beyond their locals.
  [[nodiscard]] bool share_names(const Connection& one, const std::vector<std::size_t>& open) const {
    NamedWords named;
    for (const std::size_t i : open) add_named(words_[i], locals_, named);
    return std::any_of(named.begin(), named.end(),
                       [&](const std::string& name) { return one.holder->named.contains(name); });
  }

  void move_over(const Connection& one) {
    std::vector<Step>& before = actor_->steps.before;
    for (Step& step : before) {
      if (step.elsewhere != nullptr && step.elsewhere == one.holder->actor->change) step.is_led_there = !one.is_loose;
    }
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (may_move(one, i)) open.push_back(i);
    }
    const std::size_t pairs_to_compare = open.size() * one.holder->added.size();
    std::size_t& compared = one.is_loose ? compared_loosely_ : compared_;
    const std::size_t most = one.is_loose ? kMostLoose : kMostOfAll;
    if (open.empty() || pairs_to_compare > kMostPairs || (one.is_loose && !share_names(one, open)) ||
        pairs_to_compare > most - compared)
      return;
    compared += pairs_to_compare;
    Renaming names = renaming_of(one);
    const std::map<std::string, std::vector<CodeWords>, std::less<>> given = names.given;
    const std::string result = result_of(one);
    find_names(one, open, result, names);
    std::vector<Pair> pairs = align(one, open, names, result);
    // What a function is registered for is what it does.
    const DispatchedBranch* dispatched = dispatched_to(one.holder);
    if (dispatched == nullptr || !dispatched->is_keyed) keep_telling(pairs, one.is_loose ? kTellingSteps : 1);
    if (pairs.empty()) return;
    std::map<std::size_t, std::size_t> partners;
    for (const Pair& pair : pairs) partners[pair.here] = pair.there;
    std::set<std::size_t> similar;
    add_similar(one, open, names, partners, similar);
    for (DispatchedBranch& branch : dispatched_) {
      if (branch.holder != one.holder) continue;
      for (const auto& [here, there] : partners) branch.taken.push_back(there);
    }
    note_result(one, names, result, partners, similar);
    for (const auto& [here, there] : partners) {
      Step& step = before[here];
      taken_[here] = true;
      const bool becomes_elif = !step.is_elif && steps_there(one)[there].is_elif;
      const bool differs =
          similar.contains(here) || becomes_elif || !keeps_conditions_of_one(one, here, there, partners);
      if (step.status == StepStatus::kChanged) {
        Step& now = actor_->steps.after[step.partner];
        if (step.partner == one.site && sets(step, result)) {
          if (!differs && !returns_before(one, there, partners))
            step.returned_by = now.returned_by = one.holder->actor->change;
          continue;
        }
        if (step.partner == one.site) continue;  // Told as one call in place of another.
        step.status = StepStatus::kRemoved;
        now.status = StepStatus::kAdded;
        now.partner = step.partner = Step::kNone;
      }
      step.elsewhere = one.holder->actor->change;
      step.is_led_there = !one.is_loose;
      step.differs_there = differs;
    }
    for (const std::size_t i : open) {
      if (taken_[i] || !is_decorator_there(one, before[i])) continue;
      bool goes_whole = end_of(before, i) > i + 1;
      for (std::size_t k = i + 1; k < end_of(before, i); ++k) goes_whole = goes_whole && partners.contains(k);
      if (!goes_whole) continue;
      before[i].elsewhere = one.holder->actor->change;
      before[i].is_led_there = taken_[i] = true;
    }
    // What the call is given was kept in a local here.
    for (const std::size_t i : open) {
      const auto* local = as<Name>(target_of(before[i]));
      if (local == nullptr || value_of_step(before[i]) == nullptr || taken_[i]) continue;
      const CodeWords value = words_of(*actor_->steps.before_source, value_of_step(before[i])->span);
      for (const auto& [name, options] : given) {
        const CodeWords own = {{std::string(local->id), true}};
        if (options.size() < 2 || options.back() != value || taken_[i] ||
            std::find(options.begin(), options.end(), own) == options.end())
          continue;
        before[i].elsewhere = one.holder->actor->change;
        before[i].is_led_there = taken_[i] = true;
      }
    }
  }

  const DocumentInputs& inputs_;
  std::vector<Actor>& actors_;
  std::map<FunctionId, Holder> holders_;
  std::set<FunctionId> added_;
  Actor* actor_ = nullptr;  ///< Whose removed steps are looked for.
  LocalNames locals_;
  std::vector<Connection> connections_;
  std::vector<CodeWords> words_;  ///< Of its steps before the change.
  std::vector<bool> taken_;       ///< Found for an earlier call.
  std::vector<DispatchedBranch> dispatched_;
  std::size_t compared_ = 0;  ///< Pairs of steps of all calls so far.
  std::size_t compared_loosely_ = 0;
};

}  // namespace

void match_moved_code(const DocumentInputs& inputs, std::vector<Actor>& actors) { Mover(inputs, actors).run(); }

}  // namespace lockstep::report
