#include "report/documents/content/repeated_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "python/tree_walk.h"
#include "report/document.h"
#include "report/source/words.h"
#include "report/story/steps/local_uses.h"

namespace lockstep::report {

using namespace python;

namespace {

/// One place at which a function has such a condition.
struct Asked {
  const Actor* actor;
  const Step* step;
  const Node* node;
  std::uint32_t line;          ///< From 0.
  std::string_view joined_by;  ///< "or", "and": one of several; empty where it stands by itself.
};

/// The same text for conditions that differ in nothing but the objects whose attributes they read; empty for those that
/// call something or look something up. `names`: the names that they compare.
std::string key_of(const Expr& condition, std::set<std::string_view>& names) {
  if (const auto* name = as<Name>(&condition)) {
    names.insert(name->id);
    return std::string(name->id);
  }
  if (const auto* attribute = as<Attribute>(&condition)) {
    if (dotted_text(attribute).empty()) return {};
    names.insert(attribute->name.text);
    return std::string(attribute->name.text);
  }
  if (const auto* constant = as<Constant>(&condition)) {
    if (constant->constant_kind == ConstantKind::kStr) return fmt::format("'{}'", constant->text);
    return fmt::format("{}:{}", static_cast<int>(constant->constant_kind), constant->text);
  }
  if (const auto* inverse = as<UnaryOp>(&condition)) {
    const std::string operand = key_of(*inverse->operand, names);
    return operand.empty() ? operand : fmt::format("({} {})", static_cast<int>(inverse->op), operand);
  }
  if (const auto* joined = as<BoolOp>(&condition)) {
    std::string out = joined->op == BoolOperator::kAnd ? "(and" : "(or";
    for (const Expr* value : joined->values) {
      const std::string part = key_of(*value, names);
      if (part.empty()) return {};
      out.append(" ").append(part);
    }
    return out + ")";
  }
  if (const auto* compared = as<Compare>(&condition)) {
    std::string out = "[" + key_of(*compared->left, names);
    if (out.size() == 1) return {};
    for (std::size_t i = 0; i < compared->comparators.size(); ++i) {
      const std::string part = key_of(*compared->comparators[i], names);
      if (part.empty()) return {};
      out.append(fmt::format(" {} {}", static_cast<int>(compared->ops[i]), part));
    }
    return out + "]";
  }
  return {};
}

/// Calls `visit(condition, around)` for each comparison and each `and` or `or` in `node`; `around`: the `and` or `or`
/// whose operand it is, or null.
template <class Visit>
void each_condition(const Node& node, const Visit& visit) {
  std::map<const Node*, const BoolOp*> around;
  walk(node, Nested::kSkip, [&](const Node* one) {
    const auto* joined = as<BoolOp>(one);
    const auto* compared = as<Compare>(one);
    if (joined != nullptr) {
      for (const Expr* value : joined->values) around[value] = joined;
    }
    const Expr* condition = joined != nullptr ? static_cast<const Expr*>(joined) : compared;
    if (condition == nullptr) return;
    const auto holder = around.find(condition);
    visit(*condition, holder == around.end() ? nullptr : holder->second);
  });
}

class Repeated {
 public:
  explicit Repeated(const DocumentInputs& inputs) : inputs_(inputs) {}

  void add(const Actor& actor) {
    std::set<std::string> known;
    std::set<std::string_view> names;
    each_condition(*actor.change->before->node, [&](const Expr& condition, const BoolOp* /*around*/) {
      known.insert(key_of(condition, names));
      if (const auto* joined = as<BoolOp>(&condition)) {
        for (const Expr* operand : joined->values) known.insert(key_of(*operand, names));
      }
    });
    for (const Step& step : actor.steps.after) {
      // A definition inside is an entity of its own.
      if (step.status == StepStatus::kKept || step.is_moved || step.node == nullptr || is<FunctionDef>(step.node) ||
          is<ClassDef>(step.node))
        continue;
      each_condition(*step.node, [&](const Expr& condition, const BoolOp* around) {
        if (!step.span.contains(condition.span)) return;
        names.clear();
        const std::string key = key_of(condition, names);
        if (key.empty() || names.size() < 2 || known.contains(key)) return;
        // Of `a or b or c` where `a or b` was asked only `c` is new.
        const auto* joined = as<BoolOp>(&condition);
        std::set<std::string_view> others;
        if (joined != nullptr && std::any_of(joined->values.begin(), joined->values.end(), [&](const Expr* operand) {
              return known.contains(key_of(*operand, others));
            }))
          return;
        const std::string_view joined_by = around == nullptr ? "" : around->op == BoolOperator::kAnd ? "and" : "or";
        places_[key].push_back(
            {&actor, &step, &condition, actor.steps.after_source->line_of(condition.span.begin), joined_by});
      });
    }
  }

  [[nodiscard]] std::vector<RepeatedCondition> items() const {
    constexpr std::size_t kFewest = 3;  // functions
    constexpr std::size_t kMost = 2;
    std::vector<const std::vector<Asked>*> groups;
    for (const auto& [key, places] : places_) {
      if (functions_of(places) >= kFewest) groups.push_back(&places);
    }
    // Of as many functions the condition that says the most.
    std::stable_sort(groups.begin(), groups.end(), [&](const auto* a, const auto* b) {
      const std::size_t one = functions_of(*a);
      const std::size_t other = functions_of(*b);
      return one != other ? one > other : a->front().node->span.size() > b->front().node->span.size();
    });
    std::vector<RepeatedCondition> out;
    std::vector<const std::vector<Asked>*> told;
    for (const std::vector<Asked>* group : groups) {
      const bool is_part =
          std::any_of(told.begin(), told.end(), [&](const auto* one) { return overlap(*one, *group); });
      if (is_part || out.size() == kMost) continue;
      told.push_back(group);
      out.push_back({text_of(*group) + decided_by(*group), only_asking(*group)});
    }
    return out;
  }

 private:
  static std::size_t functions_of(const std::vector<Asked>& places) {
    std::set<const Actor*> actors;
    for (const Asked& one : places) actors.insert(one.actor);
    return actors.size();
  }

  /// Whether a place of one holds or is held by a place of the other.
  static bool overlap(const std::vector<Asked>& one, const std::vector<Asked>& other) {
    return std::any_of(one.begin(), one.end(), [&](const Asked& a) {
      return std::any_of(other.begin(), other.end(), [&](const Asked& b) {
        return a.actor == b.actor && (a.node->span.contains(b.node->span) || b.node->span.contains(a.node->span));
      });
    });
  }

  [[nodiscard]] std::string text_of(const std::vector<Asked>& places) const {
    constexpr std::size_t kMostNamed = 6;
    std::set<const Actor*> named;
    std::vector<std::string> names;
    for (const Asked& one : places) {
      if (!named.insert(one.actor).second || names.size() == kMostNamed) continue;
      names.push_back(fmt::format("{} ({})", code(short_name(inputs_, *one.actor->change)),
                                  place(one.actor->change->after->path, one.line)));
    }
    if (const std::size_t count = functions_of(places); count > names.size())
      names.push_back(fmt::format("{} more", count - names.size()));
    const std::string_view joined_by = places.front().joined_by;
    const bool is_joined = !joined_by.empty() && std::all_of(places.begin(), places.end(), [&](const Asked& one) {
      return one.joined_by == joined_by;
    });
    const std::string_view how = !is_joined          ? ""
                                 : joined_by == "or" ? ", as one of several alternatives,"
                                                     : ", beside what else they require,";
    const Asked& first = places.front();
    const std::string asked = condition_words(static_cast<const Expr&>(*first.node), *first.actor->steps.after_source);
    return fmt::format("{} functions newly ask{} whether {}: {}.", functions_of(places), how, asked, join_words(names));
  }

  /// " It goes into what they set `x` or `y` to; in `f`, it is read in `g(x)`.", where all that asks it is an
  /// assignment to a few locals or attributes.
  [[nodiscard]] std::string decided_by(const std::vector<Asked>& places) const {
    constexpr std::size_t kMostTargets = 3;
    std::vector<std::string> targets;
    for (const Asked& one : places) {
      const Expr* target = nullptr;
      const Expr* value = one.step->kind == StepKind::kPlain ? assigned_value(one.step->node, target) : nullptr;
      if (value == nullptr || !value->span.contains(one.node->span) || dotted_text(target).empty()) return {};
      if (std::string name = code(dotted_text(target));
          std::find(targets.begin(), targets.end(), name) == targets.end())
        targets.push_back(std::move(name));
    }
    if (targets.empty() || targets.size() > kMostTargets) return {};
    const std::string out = fmt::format(" It goes into what they set {} to", join_words(targets, "or"));
    for (const Asked& one : places) {
      const auto index = static_cast<std::size_t>(one.step - one.actor->steps.after.data());
      if (const std::string use = local_use_words(*one.actor, index); !use.empty())
        return fmt::format("{}; in {}, {}.", out, code(short_name(inputs_, *one.actor->change)), use);
    }
    return out + ".";
  }

  /// Those that change in nothing but the one step that asks it.
  static std::vector<const Actor*> only_asking(const std::vector<Asked>& places) {
    std::vector<const Actor*> out;
    for (const Asked& one : places) {
      const auto is_kept = [](const Step& step) { return step.status == StepStatus::kKept; };
      const auto& steps = one.actor->steps;
      const auto changed = std::count_if(steps.after.begin(), steps.after.end(), std::not_fn(is_kept));
      const bool removes = std::any_of(steps.before.begin(), steps.before.end(),
                                       [](const Step& step) { return step.status == StepStatus::kRemoved; });
      const bool declares = std::any_of(
          one.actor->change->differences.begin(), one.actor->change->differences.end(),
          [](const change::Difference& difference) { return difference.kind < change::DifferenceKind::kImportAdded; });
      if (changed == 1 && !removes && !declares && one.step->status == StepStatus::kChanged) out.push_back(one.actor);
    }
    return out;
  }

  const DocumentInputs& inputs_;
  std::map<std::string, std::vector<Asked>> places_;
};

}  // namespace

std::vector<RepeatedCondition> repeated_conditions(const DocumentInputs& inputs, const Story& story) {
  Repeated repeated(inputs);
  for (const Actor& actor : story.actors) {
    const bool is_edited = actor.is_function() && actor.change->before && actor.change->after &&
                           actor.change->before->node != nullptr && actor.change->kind != change::EntityKind::kModule;
    if (is_edited && actor.role != Role::kTest && actor.role != Role::kCosmetic) repeated.add(actor);
  }
  return repeated.items();
}

}  // namespace lockstep::report
