#include "report/story/calls/followed.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/find_text.h"
#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "report/source/given_arguments.h"
#include "report/story/calls/changed_arguments.h"
#include "report/story/calls/field_readers.h"
#include "report/story/calls/given.h"
#include "report/story/calls/read_where.h"
#include "report/story/calls/returns_before.h"
#include "report/story/calls/value_flow.h"
#include "report/story/steps/swapped_callees.h"
#include "report/story/wording/words.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

constexpr std::size_t kWidth = 90;  ///< Of code in a sentence.
constexpr int kTold = 2;            ///< Rank from which an argument carries a change.

/// One changed argument, followed.
class Followed {
 public:
  Followed(const DocumentInputs& inputs, const ChangedArgument& argument)
      : inputs_(inputs),
        argument_(argument),
        program_(*inputs.after),
        value_(follow_argument(program_, *argument.after, argument.name)) {}

  /// Rank 0 where nothing is to be told. `asked`: what asks it first.
  [[nodiscard]] FollowedArgument words(const Stmt*& asked) const {
    constexpr std::size_t kMost = 3;
    FollowedArgument out;
    const ValueDecision* first = nullptr;
    for (const ValueDecision& decision : value_.decisions) {
      if (!is_told(decision)) continue;
      out.communicates = out.communicates || decision.communicates;
      if (out.rank == 0) {
        out.rank = decision.rank;
        first = &decision;
        asked = decision.use.statement;
        out.sentence = sentence(decision, nullptr) + before_words(decision) + handed_words(decision);
      } else if (out.others.size() + 1 < kMost && decision.rank > 1) {
        out.others.push_back(sentence(decision, first));
      }
    }
    return out;
  }

 private:
  /// The visit that takes the value first by a parameter of its own, and those on the way from there.
  [[nodiscard]] std::vector<const ValueVisit*> way_to(std::size_t index) const {
    std::vector<const ValueVisit*> out;
    for (; index != ValueVisit::kNone; index = value_.visits[index].parent) out.push_back(&value_.visits[index]);
    std::reverse(out.begin(), out.end());
    std::erase_if(out, [](const ValueVisit* one) { return !one->keyword.empty(); });
    return out;
  }

  [[nodiscard]] FunctionId before_of(FunctionId function) const {
    return inputs_.before->find_function(program_.functions()[function].qualified_name);
  }

  /// Whether the parameter was there before, and what asks it now did: a new question is told for itself.
  [[nodiscard]] bool is_told(const ValueDecision& decision) const {
    const std::vector<const ValueVisit*> way = way_to(decision.visit);
    for (const ValueVisit* visit : way) {
      const FunctionId before = before_of(visit->function);
      if (!before.valid()) return false;
      const FunctionDef* def = inputs_.before->functions()[before].def();
      const bool is_parameter = visit->is_told || visit == way.front();
      if (is_parameter && !visit->name.empty() && rules::parameter_named(def, visit->name) == nullptr) return false;
    }
    return shows_name(decision) && stood_before(decision) && !is_given_default(*way.front()) &&
           !is_same_answer(decision);
  }

  /// Whether the reader had the question, and what is done then, before the change, too.
  [[nodiscard]] bool stood_before(const ValueDecision& decision) const {
    const FunctionId reader = value_.visits[decision.visit].function;
    const SourceText& source = source_of(program_, reader);
    const FunctionId before = before_of(reader);
    const std::string_view old_text =
        source_of(*inputs_.before, before).slice(inputs_.before->functions()[before].node->span);
    const auto stood = [&](Span span) { return find_text(old_text, source.slice(span)) != std::string_view::npos; };
    const Stmt& statement = *decision.use.statement;
    bool is_compound = false;
    for_each_block(statement, [&](Seq<Stmt>) { is_compound = true; });
    const Span asked = is_compound ? Span{statement.span.begin, decision.use.expression->span.end} : statement.span;
    return stood(asked) && (decision.effect.first == nullptr || stood(header_of(*decision.effect.first)));
  }

  [[nodiscard]] const Expr* default_of(const Program& program, FunctionId function, std::string_view name) const {
    const Parameter* parameter =
        function.valid() ? rules::parameter_named(program.functions()[function].def(), name) : nullptr;
    return parameter == nullptr ? nullptr : parameter->default_value;
  }

  /// What a call that leaves the argument out gives: of the side that does.
  [[nodiscard]] const Expr* left_out_value(const ValueVisit& first) const {
    return argument_.was == nullptr ? default_of(*inputs_.before, before_of(first.function), first.name)
                                    : default_of(program_, first.function, first.name);
  }

  /// Whether what is given is what is taken where nothing is.
  [[nodiscard]] bool is_given_default(const ValueVisit& first) const {
    if (argument_.was != nullptr && argument_.now != nullptr) return false;
    const Value given = value_of(argument_.now != nullptr ? argument_.now : argument_.was);
    const Value left_out = value_of(left_out_value(first));
    return is_same_value(given, left_out) || same_number(given.text, left_out.text).value_or(false);
  }

  /// Whether both values, where they are known, answer a question in the same way.
  [[nodiscard]] bool is_same_answer(const ValueDecision& decision) const {
    if (decision.use.kind == ValueUse::Kind::kArithmetic) return false;
    const ValueVisit& at = value_.visits[decision.visit];
    const ValueVisit& first = *way_to(decision.visit).front();
    const auto answer = [&](const Expr* given) {
      const Value value = value_of(given != nullptr ? given : left_out_value(first));
      return holds_with(*decision.use.expression, [&](const Expr& part) {
        const auto* attribute = as<Attribute>(&part);
        const bool is_it = at.attribute.empty() ? rules::name_of(&part) == at.name
                           : at.is_of_any       ? attribute != nullptr && attribute->name.text == at.attribute
                                                : rules::self_attribute(&part) == at.attribute;
        return is_it ? value : value_of(&part);
      });
    };
    const auto before = answer(argument_.was);
    const auto after = answer(argument_.now);
    return before && after && *before == *after;
  }

  // Words.

  [[nodiscard]] std::string name_of_step(const ValueVisit& visit) const {
    const program::Function& function = program_.functions()[visit.function];
    return code(function.name == "__init__" && visit.object.valid() ? short_name(program_, visit.object)
                                                                    : short_name(program_, visit.function));
  }

  /// The parameters through which the value comes to the reader, by the names of functions and classes.
  [[nodiscard]] std::vector<std::string> steps_to(const ValueDecision& decision) const {
    std::vector<std::string> steps;
    for (const ValueVisit* visit : way_to(decision.visit)) {
      std::string name = visit->is_told ? name_of_step(*visit) : std::string();
      if (!name.empty() && std::find(steps.begin(), steps.end(), name) == steps.end()) steps.push_back(std::move(name));
    }
    return steps;
  }

  /// "`x` can reach `C` through `A` and `B` and decides in `C.f` (place)", with the verb of what is done there.
  [[nodiscard]] std::string way_words(const ValueDecision& decision, std::string_view verb) const {
    constexpr std::size_t kMostNamed = 3;
    const ValueVisit& at = value_.visits[decision.visit];
    const std::string reader = code(short_name(program_, at.function));
    const std::string where =
        place_of(program_, program_.functions()[at.function].module, decision.use.statement->span);
    const std::string_view held = at.attribute.empty() ? at.name : at.attribute;
    const std::string as =
        held == argument_.name
            ? std::string()
            : fmt::format(", as {},",
                          code(fmt::format("{}{}", at.attribute.empty() || at.is_of_any ? "" : "self.", held)));
    const std::string argument = code(argument_.name);
    std::vector<std::string> steps = steps_to(decision);
    if (steps.empty() || (steps.size() == 1 && at.is_certain))
      return fmt::format("{}{} {} in {} ({})", argument, as, verb, reader, where);
    const std::string last = steps.back();
    steps.pop_back();
    std::string through;
    if (steps.size() > kMostNamed) {
      through = fmt::format(" through {} and {}", steps.front(), count_of(steps.size() - 1, "more step"));
    } else if (!steps.empty()) {
      through = fmt::format(" through {}", join_words(steps));
    }
    if (last == reader)
      return fmt::format("{} can reach {} ({}){} and{} {} there", argument, last, where, through, as, verb);
    return fmt::format("{} can reach {}{} and{} {} in {} ({})", argument, last, through, as, verb, reader, where);
  }

  /// `first`: what was told before; what comes to its reader in the same way is told in short.
  [[nodiscard]] std::string sentence(const ValueDecision& decision, const ValueDecision* first) const {
    const ValueVisit& at = value_.visits[decision.visit];
    const SourceText& source = source_of(program_, at.function);
    const std::string_view verb = decision.use.kind == ValueUse::Kind::kArithmetic ? "is used"
                                  : decision.use.kind == ValueUse::Kind::kCheck    ? "is checked"
                                                                                   : "decides";
    const std::string head =
        first != nullptr && steps_to(*first) == steps_to(decision)
            ? fmt::format("{} also {} in {} ({})", code(argument_.name), verb, code(short_name(program_, at.function)),
                          place_of(program_, program_.functions()[at.function].module, decision.use.statement->span))
            : way_words(decision, verb);
    const std::string asked = shown(decision);
    if (decision.use.kind != ValueUse::Kind::kBranch) return fmt::format("{}: {}.", head, code(asked));
    if (const std::string both = both_sides(decision, source); !both.empty()) return fmt::format("{}: {}.", head, both);
    const std::size_t others = decision.effect.others;
    std::string does = one_line(source, header_of(*decision.effect.first), kWidth);
    if (does.starts_with("elif ")) does.erase(0, 2);  // Told by itself it is an `if`.
    const std::string passed =
        passed_returns_words(*program_.functions()[at.function].node, decision.use.statement->span, source);
    std::string when = decision.is_otherwise || !passed.empty()
                           ? condition_words(*decision.use.expression, source, decision.is_otherwise)
                           : code(asked);
    if (!passed.empty()) when = fmt::format("{} and {}", passed, when);
    return fmt::format("{}: {}{} {} only if {}.", head, code(does),
                       others == 0 ? "" : " and " + count_of(others, "more step"), others == 0 ? "runs" : "run", when);
  }

  /// "`t` is `a` where …, else `b`": of a branch both sides of which give one name or attribute a value of its own;
  /// empty for others.
  [[nodiscard]] static std::string both_sides(const ValueDecision& decision, const SourceText& source) {
    constexpr std::size_t kValueWidth = 50;
    const auto* branch = as<If>(decision.use.statement);
    if (branch == nullptr || branch->orelse.empty() || (branch->orelse.size() == 1 && is<If>(branch->orelse.front())))
      return {};
    const auto value_in = [&](Seq<Stmt> block, const std::string& target) -> const Expr* {
      for (const Stmt* statement : block) {
        const Expr* set = nullptr;
        const Expr* value = assigned_value(statement, set);
        if (value != nullptr && one_line_whole(source, *set) == target) return value;
      }
      return nullptr;
    };
    for (const Stmt* statement : branch->body) {
      const Expr* set = nullptr;
      const Expr* value = assigned_value(statement, set);
      if (value == nullptr || (!is<Name>(set) && !is<Attribute>(set))) continue;
      const std::string target = one_line_whole(source, *set);
      const Expr* other = value_in(branch->orelse, target);
      if (other == nullptr || one_line_whole(source, *other) == one_line_whole(source, *value)) continue;
      return fmt::format("{} is {} where {}, else {}", code(target), code(one_line(source, *value, kValueWidth)),
                         condition_words(*branch->condition, source), code(one_line(source, *other, kValueWidth)));
    }
    return {};
  }

  /// What asks, or the whole statement where that is short.
  [[nodiscard]] std::string shown(const ValueDecision& decision) const {
    constexpr std::size_t kConditionWidth = 110;
    const SourceText& source = source_of(program_, value_.visits[decision.visit].function);
    if (decision.use.kind == ValueUse::Kind::kBranch)
      return one_line(source, *decision.use.expression, kConditionWidth);
    const bool is_short = one_line_whole(source, decision.use.statement->span).size() <= kWidth;
    const Node& text = is_short ? static_cast<const Node&>(*decision.use.statement) : *decision.use.expression;
    return one_line(source, text, kWidth);
  }

  /// Of a long text the name may be what is left out.
  [[nodiscard]] bool shows_name(const ValueDecision& decision) const {
    const ValueVisit& at = value_.visits[decision.visit];
    return find_name(shown(decision), at.attribute.empty() ? at.name : at.attribute) != std::string::npos;
  }

  /// " Before, it was `False`, the default." Where that is not sure: only that it was not passed.
  [[nodiscard]] std::string before_words(const ValueDecision& decision) const {
    constexpr std::size_t kValueWidth = 40;
    const auto shown = [&](const Program& side, FunctionId function, const Expr& value) {
      return code(one_line(source_of(side, function), value, kValueWidth));
    };
    if (argument_.was != nullptr && argument_.now != nullptr) {
      if (!inputs_.before->call_of(argument_.before).valid()) return {};
      const auto caller = [](const Program& side, const Call* call) { return side.calls()[side.call_of(call)].caller; };
      return fmt::format(" Before, it was {}; now it is {}.",
                         shown(*inputs_.before, caller(*inputs_.before, argument_.before), *argument_.was),
                         shown(program_, caller(program_, argument_.after), *argument_.now));
    }
    const bool is_gone = argument_.now == nullptr;
    const ValueVisit& first = *way_to(decision.visit).front();
    const Expr* value = left_out_value(first);
    if (value_of(value).kind == Value::Kind::kUnknown || decision.is_filled || !is_left_to(first))
      return is_gone ? " It is no longer passed." : " Before, it was not passed.";
    return is_gone ? fmt::format(" No longer passed, it is {}, the default{}.", shown(program_, first.function, *value),
                                 held_otherwise_words())
                   : fmt::format(" Before, it was {}, the default.",
                                 shown(*inputs_.before, before_of(first.function), *value));
  }

  /// "; `args.x` goes into `layers` now", of an argument that is not given any more where another one of the call, or
  /// the local that it gives, is made of the same name; empty for others.
  [[nodiscard]] std::string held_otherwise_words() const {
    const std::string gone = dotted_text(argument_.was);
    if (gone.empty()) return {};
    for (const Keyword* keyword : argument_.after->keywords) {
      const Expr* was = rules::keyword_value(*argument_.before, keyword->name.text);
      if (!keyword->name.text.empty() && was != nullptr &&
          is_made_of(program_, *argument_.after, *keyword->value, gone) &&
          !is_made_of(*inputs_.before, *argument_.before, *was, gone))
        return fmt::format("; {} goes into {} now", code(gone), code(keyword->name.text));
    }
    return {};
  }

  /// Whether what the call is given has `name` in it, or a value that the caller assigns to the local which it is.
  static bool is_made_of(const Program& side, const Call& call, const Expr& value, std::string_view name) {
    const auto has = [&](const Node& text) {
      bool found = false;
      walk(text, Nested::kSkip, [&](const Node* node) {
        const Expr* part = is<Attribute>(node) || is<Name>(node) ? static_cast<const Expr*>(node) : nullptr;
        found = found || (part != nullptr && dotted_text(part) == name);
      });
      return found;
    };
    const std::string_view local = rules::name_of(&value);
    const program::CallId id = side.call_of(&call);
    const FunctionDef* def = id.valid() ? side.functions()[side.calls()[id].caller].def() : nullptr;
    bool found = has(value);
    if (local.empty() || def == nullptr) return found;
    walk_statements(*def, Nested::kSkip, [&](const Stmt* statement) {
      const Expr* target = nullptr;
      const Expr* assigned = assigned_value(statement, target);
      found = found || (assigned != nullptr && rules::name_of(target) == local && has(*assigned));
    });
    return found;
  }

  /// " Of what calls `f`, `g` (`a.py:3`) gives it (`True`); where it is left out, `False` goes on, as before." Of a
  /// parameter of the function that it newly hands on, and of which both defaults are the same; empty for others.
  [[nodiscard]] std::string handed_words(const ValueDecision& decision) const {
    constexpr std::size_t kMost = 2;
    constexpr std::size_t kValueWidth = 40;
    if (argument_.was != nullptr || argument_.now == nullptr) return {};
    const FunctionId function = program_.calls()[program_.call_of(argument_.after)].caller;
    const FunctionDef* def = program_.functions()[function].def();
    const std::string_view name = rules::name_of(argument_.now);
    const Parameter* parameter = name.empty() ? nullptr : rules::parameter_named(def, name);
    const ValueVisit& first = *way_to(decision.visit).front();
    if (parameter == nullptr || parameter->default_value == nullptr || rules::binds_name(*def, name) ||
        value_of(parameter->default_value).kind == Value::Kind::kUnknown ||
        !is_same_value(value_of(parameter->default_value), value_of(left_out_value(first))))
      return {};
    std::vector<std::string> givers;
    std::size_t count = 0;
    for (const program::CallId id : program_.callers_of(function)) {
      const program::CallSite& site = program_.calls()[id];
      if (program::is_test_path(program_.module_of(site.caller).path) || site.caller == function) continue;
      const rules::Given given = given_by(program_, site, function, name);
      if (given.how != rules::Given::How::kValue || given.value == nullptr ||
          is_same_value(value_of(given.value), value_of(parameter->default_value)))
        continue;
      if (++count > kMost) continue;
      givers.push_back(fmt::format("{} ({}) gives it as {}", code(short_name(program_, site.caller)),
                                   place_of(program_, program_.functions()[site.caller].module, site.node->span),
                                   code(one_line(source_of(program_, site.caller), *given.value, kValueWidth))));
    }
    if (givers.empty()) return {};
    if (count > kMost)
      givers.push_back(count_of(count - kMost, "more call") + (count - kMost == 1 ? " gives it" : " give it"));
    return fmt::format(" Of what calls {}, {}; where it is left out, {} goes on, as before.",
                       code(short_name(program_, function)), join_words(givers),
                       code(one_line(source_of(program_, function), *parameter->default_value, kValueWidth)));
  }

  /// Whether nothing else gives the argument to a call that leaves it out: the call names what it enters, or no partial
  /// and no dictionary of the program holds one of that name.
  [[nodiscard]] bool is_left_to(const ValueVisit& first) const {
    const program::CallId id = program_.call_of(argument_.after);
    const program::Reference named = program_.resolve(program_.calls()[id].caller, *argument_.after->callee);
    if (named.function == first.function || (named.cls.valid() && named.cls == first.object)) return true;
    const program::CallSite& site = program_.calls()[id];
    if (site.targets.size() == 1 && gets_as_written(program_, site, first.function)) return true;
    const Program& side = argument_.now == nullptr ? program_ : *inputs_.before;
    for (std::size_t i = 0; i < side.modules().size(); ++i) {
      const program::Module& module = side.modules()[program::ModuleId(i)];
      if (program::is_test_path(module.path) || !module.facts->has_name(argument_.name)) continue;
      if (may_give(*module.facts, argument_.name)) return false;
    }
    return true;
  }

  static bool may_give(const FileFacts& facts, std::string_view name) {
    bool found = false;
    const auto is_it = [&](const Expr* key) { return rules::text_of(key) == name; };
    walk(facts.tree(), Nested::kEnter, [&](const Node* node) {
      if (const auto* call = as<Call>(node)) {
        const std::string_view callee = callee_name(*call);
        const bool binds = callee == "partial" || callee == "partialmethod" || callee == "dict" || callee == "update";
        found = found || (binds && rules::keyword_value(*call, name) != nullptr);
      } else if (const auto* dictionary = as<Dict>(node)) {
        found = found || std::any_of(dictionary->keys.begin(), dictionary->keys.end(), is_it);
      } else if (const auto* item = as<Subscript>(node)) {
        found = found || (item->context == ExprContext::kStore && is_it(item->index));
      }
      return !found;
    });
    return found;
  }

  const DocumentInputs& inputs_;
  const ChangedArgument& argument_;
  const Program& program_;
  const FollowedValue value_;
};

}  // namespace

std::vector<FollowedArgument> followed_arguments(const DocumentInputs& inputs, const Actor& actor) {
  constexpr std::size_t kMostLooked = 40;
  std::vector<FollowedArgument> out;
  std::set<std::pair<std::string_view, const Stmt*>> told;
  std::size_t looked = 0;
  for (const ChangedArgument& argument : changed_arguments(inputs, actor)) {
    if (++looked > kMostLooked) break;
    const Stmt* asked = nullptr;
    FollowedArgument one;
    if (std::string note = given_note(inputs, argument); !note.empty()) {
      one = {kTold, std::move(note), {}};
    } else {
      one = Followed(inputs, argument).words(asked);
      if (one.rank == 0) one = read_as_field(inputs, argument);
    }
    // The same argument of several calls may come to one place.
    const bool is_new = asked == nullptr ? std::none_of(out.begin(), out.end(),
                                                        [&](const auto& each) { return each.sentence == one.sentence; })
                                         : told.emplace(argument.name, asked).second;
    if (one.rank > 0 && is_new) out.push_back(std::move(one));
  }
  for (std::string& sentence : read_where_words(inputs, actor)) out.push_back({kTold, std::move(sentence), {}});
  for (FollowedArgument& one : followed_callees(inputs, actor)) out.push_back(std::move(one));
  std::stable_sort(out.begin(), out.end(),
                   [](const FollowedArgument& a, const FollowedArgument& b) { return a.rank > b.rank; });
  return out;
}

void follow_arguments(const DocumentInputs& inputs, std::vector<Actor>& actors) {
  for (Actor& actor : actors) {
    if (!actor.is_function() || actor.is_added() || actor.is_removed() ||
        (actor.role != Role::kSupporting && actor.role != Role::kFollowing))
      continue;
    actor.followed = followed_arguments(inputs, actor);
    if (actor.role == Role::kFollowing && !actor.followed.empty() && actor.followed.front().rank >= kTold)
      actor.role = Role::kSupporting;
  }
}

void weigh_followed(std::vector<Actor>& actors) {
  // Of the heaviest one's weight.
  constexpr double kReckons = 0.4;
  constexpr double kDecides = 0.2;
  double top = 0;
  for (const Actor& actor : actors) {
    if (actor.role == Role::kSupporting) top = std::max(top, actor.weight);
  }
  for (Actor& actor : actors) {
    if (actor.role != Role::kSupporting || actor.followed.empty() || actor.followed.front().rank < kTold) continue;
    actor.weight = std::max(actor.weight, (actor.followed.front().rank > kTold ? kReckons : kDecides) * top);
  }
}

std::string followed_words(const Actor& actor, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < actor.followed.size() && i < most && actor.followed[i].rank >= kTold; ++i)
    out += " " + actor.followed[i].sentence;
  return out;
}

}  // namespace lockstep::report
