#include "report/documents/correctness/reordered_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "program/queries.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/code.h"
#include "rules/names/bindings.h"
#include "rules/syntax/expressions.h"

namespace lockstep::report {

using namespace python;
using program::FunctionId;
using program::Program;

namespace {

/// Where code does something with an attribute.
struct Place {
  FunctionId function;
  Span span;
};

/// By the chain of attributes, as the function that makes the call would write it: "self.part.x".
struct Effects {
  std::map<std::string, Place> sets;
  std::map<std::string, Place> reads;
};

/// Whether `chain` is `attribute` or something of it: "self.x.y" of "self.x".
bool is_within(std::string_view chain, std::string_view attribute) {
  return chain.starts_with(attribute) && (chain.size() == attribute.size() || chain[attribute.size()] == '.');
}

/// What one call does to attributes of the object that its method runs on, and of its parts.
class EffectsOfCall {
 public:
  explicit EffectsOfCall(const Program& program) : program_(program) {}

  Effects of(const Call& call) {
    Effects out;
    seen_.clear();
    enter(call, "", 0, out);
    return out;
  }

 private:
  static constexpr int kDeepest = 3;
  static constexpr std::size_t kMostFunctions = 40;

  /// "self.part"; "self" of `super()`; empty for what is no chain of names.
  static std::string receiver_of(const Expr& object) {
    const auto* made = as<Call>(&object);
    return made != nullptr && rules::name_of(made->callee) == "super" ? "self" : dotted_text(&object);
  }

  /// "self.parts[i].x" of `part.x` in `for part in self.parts`; others as they are.
  static std::string of_item(const FunctionDef* function, std::string receiver) {
    const std::string root = receiver.substr(0, receiver.find('.'));
    if (function == nullptr || root.empty() || root == "self") return receiver;
    std::set<std::string> items;
    std::size_t loops = 0;
    walk_of<For>(*function, Nested::kSkip, [&](const For* loop) {
      if (rules::name_of(loop->target) != root) return;
      items.insert(dotted_text(loop->iterable));
      ++loops;
    });
    const bool is_one = items.size() == 1 && items.begin()->starts_with("self.") &&
                        rules::bindings_of(*function, root, Nested::kEnter) == loops;
    return is_one ? *items.begin() + "[i]" + receiver.substr(root.size()) : receiver;
  }

  /// `object`: what `self` of the function that makes the call is called; empty at the start, where names are as they
  /// are.
  void enter(const Call& call, const std::string& object, int depth, Effects& out) {
    const program::CallId id = program_.call_of(&call);
    const auto* method = as<Attribute>(call.callee);
    if (!id.valid() || method == nullptr || depth == kDeepest || seen_.size() == kMostFunctions) return;
    const program::CallSite& site = program_.calls()[id];
    const FunctionId callee = site.targets.size() == 1 ? site.targets.front().function : FunctionId();
    if (!callee.valid() || !program::surely_enters(site, callee)) return;
    const program::Function& function = program_.functions()[callee];
    const FunctionDef* def = function.def();
    if (def == nullptr || !function.owner.valid() || def->parameters->all.empty() ||
        def->parameters->all.front()->name.text != "self")
      return;
    // A call of an object enters a method of what is called.
    const bool is_of_object = function.name != method->name.text;
    if (is_of_object && site.targets.front().kind != program::CallKind::kModuleCall) return;
    std::string receiver = receiver_of(is_of_object ? *call.callee : *method->value);
    if (depth > 0) receiver = of_item(program_.functions()[site.caller].def(), std::move(receiver));
    if (receiver.empty()) return;
    // Of what a local is called elsewhere nothing is known.
    if (depth > 0 && receiver != "self" && !receiver.starts_with("self.")) return;
    const std::string name = depth == 0 ? receiver : object + receiver.substr(std::string_view("self").size());
    if (!seen_.emplace(callee, name).second) return;
    add_body(callee, *def, name, depth, out);
  }

  void add_body(FunctionId callee, const FunctionDef& def, const std::string& name, int depth, Effects& out) {
    const auto visit = [&](const Node* node) {
      if (const auto* call = as<Call>(node)) {
        enter(*call, name, depth + 1, out);
        // What is called is a method, and what it is called on is read.
        const auto* method = as<Attribute>(call->callee);
        if (method != nullptr) add(callee, *method->value, name, out);
        for (const Expr* argument : call->arguments) visit_below(callee, *argument, name, depth, out);
        for (const Keyword* keyword : call->keywords) visit_below(callee, *keyword->value, name, depth, out);
        if (method != nullptr) visit_below(callee, *method->value, name, depth, out);
        return false;
      }
      if (const auto* member = as<Attribute>(node)) {
        add(callee, *member, name, out);
        return dotted_text(member).empty();
      }
      return true;
    };
    walk(def, Nested::kSkip, visit);
  }

  void visit_below(FunctionId callee, const Node& part, const std::string& name, int depth, Effects& out) {
    if (const auto* call = as<Call>(&part)) enter(*call, name, depth + 1, out);
    if (is<Attribute>(&part)) add(callee, *as<Attribute>(&part), name, out);
    if (is<Attribute>(&part) && !dotted_text(as<Attribute>(&part)).empty()) return;
    for_each_child(part, [&](const Node* child) {
      const auto* call = as<Call>(&part);
      const auto* method = call != nullptr && child == call->callee ? as<Attribute>(child) : nullptr;
      visit_below(callee, method != nullptr ? *method->value : *child, name, depth, out);
    });
  }

  void add(FunctionId callee, const Expr& chain, const std::string& name, Effects& out) {
    const std::string text = dotted_text(&chain);
    if (!text.starts_with("self.")) return;
    const auto* member = as<Attribute>(&chain);
    const bool is_read = member == nullptr || member->context == ExprContext::kLoad;
    auto& to = is_read ? out.reads : out.sets;
    to.emplace(name + text.substr(std::string_view("self").size()), Place{callee, chain.span});
  }

  const Program& program_;
  std::set<std::pair<FunctionId, std::string>> seen_;
};

/// A step that makes one call, or that assigns an attribute without one.
struct Mover {
  std::size_t step = Step::kNone;
  const Call* call = nullptr;  ///< May be null.
  std::string sets;            ///< "self.x" where it assigns that itself.
  Span span;                   ///< Of what it assigns.
};

std::string callee_text(const Call& call, const SourceText& source) {
  return one_line_whole(source, call.callee->span);
}

/// The steps of the after side that make a call, or assign an attribute, which they did before the change.
std::vector<Mover> kept_movers(const Actor& actor) {
  std::vector<Mover> out;
  const std::vector<Step>& after = actor.steps.after;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i].partner == Step::kNone || after[i].kind != StepKind::kPlain) continue;
    const Step& before = actor.steps.before[after[i].partner];
    const Call* now = call_of_step(after[i]);
    const Call* was = call_of_step(before);
    if ((now == nullptr) != (was == nullptr)) continue;
    if (now != nullptr && callee_text(*was, *actor.steps.before_source) != callee_text(*now, *actor.steps.after_source))
      continue;
    const auto* assign = as<Assign>(after[i].node);
    const auto* target =
        assign != nullptr && assign->targets.size() == 1 ? as<Attribute>(assign->targets.front()) : nullptr;
    const auto* old_assign = as<Assign>(before.node);
    const bool is_same = target != nullptr && old_assign != nullptr && old_assign->targets.size() == 1 &&
                         dotted_text(old_assign->targets.front()) == dotted_text(target);
    Mover mover{i, now, is_same ? dotted_text(target) : std::string(), is_same ? target->span : Span()};
    if (mover.call != nullptr || !mover.sets.empty()) out.push_back(std::move(mover));
  }
  return out;
}

/// Whether the two stand in one block, before and after the change.
bool are_in_one_block(const Actor& actor, std::size_t one, std::size_t other) {
  const Step& a = actor.steps.after[one];
  const Step& b = actor.steps.after[other];
  return a.parent == b.parent && actor.steps.before[a.partner].parent == actor.steps.before[b.partner].parent;
}

/// What the one sets and the other only reads: "self.x"; empty where there is nothing of that.
std::string shared(const Effects& setter, const Effects& reader, std::string& read_as) {
  for (const auto& [set, where] : setter.sets) {
    if (reader.sets.contains(set)) continue;
    for (const auto& [read, at] : reader.reads) {
      if (!is_within(read, set)) continue;
      read_as = read;
      return set;
    }
  }
  return {};
}

}  // namespace

void add_reordered_calls(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks) {
  constexpr std::size_t kMostQuestions = 2;
  constexpr std::size_t kMostPairs = 60;
  const Program& program = *inputs.after;
  std::size_t told = 0;
  for (const Actor& actor : story.actors) {
    if (actor.role == Role::kTest || !actor.is_function() || actor.is_added() || actor.is_removed()) continue;
    const std::vector<Mover> movers = kept_movers(actor);
    const auto& side = actor.change->after;
    if (movers.size() < 2 || !side || !side->function.valid()) continue;
    const FunctionId function = side->function;
    const SourceText& source = *actor.steps.after_source;
    EffectsOfCall effects(program);
    std::map<std::size_t, Effects> known;
    const auto effects_of = [&](const Mover& mover) -> const Effects& {
      const auto [at, is_new] = known.try_emplace(mover.step);
      if (is_new && mover.call != nullptr) at->second = effects.of(*mover.call);
      if (is_new && !mover.sets.empty()) at->second.sets.insert_or_assign(mover.sets, Place{function, mover.span});
      return at->second;
    };
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < movers.size(); ++i) {
      for (std::size_t j = i + 1; j < movers.size() && pairs < kMostPairs; ++j) {
        const std::size_t first = movers[i].step;
        const std::size_t second = movers[j].step;
        if (actor.steps.after[first].partner < actor.steps.after[second].partner ||
            !are_in_one_block(actor, first, second))
          continue;
        ++pairs;
        std::string read_as;
        bool reads_first = true;
        std::string set = shared(effects_of(movers[j]), effects_of(movers[i]), read_as);
        if (set.empty()) {
          reads_first = false;
          set = shared(effects_of(movers[i]), effects_of(movers[j]), read_as);
        }
        if (set.empty() || told == kMostQuestions) continue;
        ++told;
        const Mover& reader = reads_first ? movers[i] : movers[j];
        const Mover& setter = reads_first ? movers[j] : movers[i];
        const auto at = [&](const Place& where) {
          return fmt::format("{}: {}", code(short_name(program, where.function)),
                             place_of(program, program.functions()[where.function].module, where.span));
        };
        const auto called = [&](const Mover& one) { return code(one_line(source, *one.call->callee, 60)); };
        const Place& set_at = effects_of(setter).sets.at(set);
        const std::string name = code(short_name(inputs, *actor.change));
        const std::string read = at(effects_of(reader).reads.at(read_as));
        const std::string_view order = reads_first ? "before" : "behind";
        const std::string_view old_order = reads_first ? "behind" : "before";
        const std::string concern =
            set_at.function == function
                ? fmt::format("{} calls {} {} it sets {} now ({}), formerly {} that: {} reads it ({}).", name,
                              called(reader), reads_first ? "before" : "after", code(set),
                              place_of(program, program.functions()[function].module, set_at.span),
                              reads_first ? "after" : "before", called(reader), read)
                : fmt::format("{} calls {} {} {} now, formerly {} it: {} sets {} ({}), which {} reads ({}).", name,
                              called(reader), order, called(setter), old_order, called(setter), code(set), at(set_at),
                              called(reader), read);
        const std::string asked =
            reads_first ? "Is it meant to read what was there before?" : "Is it meant to read what is set there?";
        risks.push_back({RiskKind::kCorrectness, concern, asked, false, concern + " " + asked});
      }
    }
  }
}

}  // namespace lockstep::report
