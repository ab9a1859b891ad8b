#include "change/effects.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "change/node_hash.h"
#include "program/module_names.h"
#include "python/tree_walk.h"

namespace lockstep::change {

using namespace python;  // NOLINT: this file is about python's nodes.

namespace {

/// One thing that a piece does: a call, a raise, ….
struct Effect {
  std::size_t piece = 0;  ///< Index among the pieces of its side.
  const Node* node = nullptr;
  std::string name;
  std::uint64_t exact = 0;  ///< Equal for the same thing done in the same way.
};
using Effects = std::array<std::vector<Effect>, 2>;

/// What one kind of effect is called when it is added, removed, or done differently (if that is told apart).
struct Kinds {
  DifferenceKind added, removed;
  std::optional<DifferenceKind> changed;
};

/// Moves pairs with equal `key` out of both lists; the n-th of one side goes with the n-th of the other.
template <class KeyOf>
std::vector<std::pair<Effect, Effect>> take_pairs(Effects& effects, KeyOf key_of) {
  using Key = std::decay_t<decltype(key_of(Effect{}))>;
  std::map<Key, std::vector<std::size_t>> places;
  for (std::size_t j = effects[1].size(); j > 0; --j) places[key_of(effects[1][j - 1])].push_back(j - 1);
  std::vector<std::pair<Effect, Effect>> pairs;
  std::vector<Effect> rest[2];
  std::vector<bool> taken(effects[1].size());
  for (Effect& effect : effects[0]) {
    const auto found = places.find(key_of(effect));
    if (found == places.end() || found->second.empty()) {
      rest[0].push_back(std::move(effect));
      continue;
    }
    taken[found->second.back()] = true;
    pairs.emplace_back(std::move(effect), effects[1][found->second.back()]);
    found->second.pop_back();
  }
  for (std::size_t j = 0; j < effects[1].size(); ++j) {
    if (!taken[j]) rest[1].push_back(std::move(effects[1][j]));
  }
  effects = {std::move(rest[0]), std::move(rest[1])};
  return pairs;
}

class EffectComparer {
 public:
  EffectComparer(const OwnCode& before, const OwnCode& after, Alignment& alignment, std::vector<Difference>& out)
      : sides_{&before, &after}, pieces_(alignment.pieces), out_(out) {}

  void run() {
    compare_imports();
    compare_calls();
    compare_raises();
    compare_asserts();
    compare_returns();
    compare_rest();
  }

 private:
  [[nodiscard]] const CodeContext& context(std::size_t side) const { return sides_[side]->context; }
  [[nodiscard]] NodeHasher hasher(std::size_t side, bool inner_calls = false) const {
    return NodeHasher(*context(side).source, LeaveOut{true, sides_[side]->entity_statements, inner_calls});
  }
  [[nodiscard]] std::string text(std::size_t side, const Node& node) const {
    return quote(*context(side).source, node.span);
  }

  /// All effects that `find(side, piece index, piece, out)` sees.
  template <class Find>
  Effects collect(Find find) const {
    Effects effects;
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < pieces_[side].size(); ++i) find(side, i, pieces_[side][i], effects[side]);
    }
    return effects;
  }

  void add(DifferenceKind kind, const Effect* before, const Effect* after) {
    Difference difference{kind, after != nullptr ? after->name : before->name, {}, {}, {}, {}};
    if (before != nullptr) {
      difference.before = text(0, *before->node);
      difference.before_line = context(0).source->line_of(before->node->span.begin);
      pieces_[0][before->piece].explained = true;
    }
    if (after != nullptr) {
      difference.after = text(1, *after->node);
      difference.after_line = context(1).source->line_of(after->node->span.begin);
      pieces_[1][after->piece].explained = true;
    }
    out_.push_back(std::move(difference));
  }

  void add_all(const Effects& rest, Kinds kinds) {
    for (const Effect& effect : rest[0]) add(kinds.removed, &effect, nullptr);
    for (const Effect& effect : rest[1]) add(kinds.added, nullptr, &effect);
  }

  void compare_imports() {
    Effects effects = collect([&](std::size_t side, std::size_t at, const Piece& piece, std::vector<Effect>& found) {
      const auto add_name = [&](const Alias& alias, std::string name) {
        found.push_back({at, &alias, std::move(name), hasher(side).hash(&alias)});
      };
      if (const auto* plain = as<Import>(piece.node)) {
        for (const Alias* alias : plain->names) add_name(*alias, std::string(alias->name.text));
      } else if (const auto* from = as<ImportFrom>(piece.node)) {
        const program::Module& importer = context(side).program->modules()[context(side).module];
        std::string module = program::absolute_name(importer, from->level, from->module.text);
        if (!module.empty()) module += ".";
        for (const Alias* alias : from->names) add_name(*alias, module + std::string(alias->name.text));
      }
    });
    take_pairs(effects, [](const Effect& effect) { return std::pair(effect.name, effect.exact); });
    // On which lines the names stand that both sides import is layout.
    for (auto& pieces : pieces_) {
      for (Piece& piece : pieces)
        piece.explained = piece.explained || is<Import>(piece.node) || is<ImportFrom>(piece.node);
    }
    add_all(effects, {DifferenceKind::kImportAdded, DifferenceKind::kImportRemoved, {}});
  }

  void compare_calls() {
    Effects calls = collect([&](std::size_t side, std::size_t at, const Piece& piece, std::vector<Effect>& found) {
      const auto* raise = as<Raise>(piece.node);
      const auto enter = [&](const Node* node) {
        if (is<FunctionDef>(node) || is<ClassDef>(node)) return false;
        const auto* call = as<Call>(node);
        // Making the exception is part of raising it.
        if (call != nullptr && (raise == nullptr || raise->exception != call)) {
          found.push_back({at, call, callee_name(context(side), *call), hasher(side, true).hash(call)});
        }
        return true;
      };
      if (!enter(piece.node)) return;
      if (is_expression(piece.node) || is_statement(piece.node) || piece.is_header) {
        walk(*piece.node, Nested::kEnter, enter);
      }
    });
    take_pairs(calls, [](const Effect& effect) { return std::pair(effect.name, effect.exact); });
    take_pairs(calls, [](const Effect& effect) { return effect.exact; });  // Same text, other target: no edit here.
    const Kinds kinds{DifferenceKind::kCallAdded, DifferenceKind::kCallRemoved, DifferenceKind::kCallArgumentsChanged};
    const Kinds collectives{DifferenceKind::kCollectiveAdded, DifferenceKind::kCollectiveRemoved,
                            DifferenceKind::kCollectiveArgumentsChanged};
    for (const auto& [before, after] : take_pairs(calls, [](const Effect& effect) { return effect.name; })) {
      const bool is_other_callee = is_other_callee_alone(before, after);
      if (!is_other_callee && is_other_name_alone(before, after)) continue;
      if (is_collective(before.name) || !is_other_callee) {
        add(*(is_collective(before.name) ? collectives : kinds).changed, &before, &after);
        continue;
      }
      for (std::size_t side = 0; side < 2; ++side) {
        Effect call = side == 0 ? before : after;
        if (!is_name_of_definition(side, *as<Call>(call.node)->callee))
          call.name = text(side, *as<Call>(call.node)->callee);
        add(side == 0 ? kinds.removed : kinds.added, side == 0 ? &call : nullptr, side == 0 ? nullptr : &call);
      }
    }
    for (const auto& [before, after] : pairs_by_text(calls)) add(*kinds.changed, &before, &after);
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Effect& call : calls[side]) {
        const Kinds& those = is_collective(call.name) ? collectives : kinds;
        add(side == 0 ? those.removed : those.added, side == 0 ? &call : nullptr, side == 0 ? nullptr : &call);
      }
    }
  }

  /// Whether the expression names a function or class of the repository, rather than a value that holds one.
  [[nodiscard]] bool is_name_of_definition(std::size_t side, const Expr& callee) const {
    return dotted_name(context(side), callee) != text(side, callee);
  }

  /// Whether two calls of one function differ in nothing but their callees, and one of these is a name for the function
  /// where the other is a value that holds it: `Router(config)` and `submodules.router(config)`.
  [[nodiscard]] bool is_other_callee_alone(const Effect& before, const Effect& after) const {
    return is_name_of_definition(0, *as<Call>(before.node)->callee) !=
               is_name_of_definition(1, *as<Call>(after.node)->callee) &&
           arguments_of(0, before) == arguments_of(1, after);
  }

  /// Whether two calls of one function give the same and call it by different plain names: an alias says nothing new.
  [[nodiscard]] bool is_other_name_alone(const Effect& before, const Effect& after) const {
    return is<Name>(as<Call>(before.node)->callee) && is<Name>(as<Call>(after.node)->callee) &&
           arguments_of(0, before) == arguments_of(1, after);
  }

  [[nodiscard]] std::vector<std::uint64_t> arguments_of(std::size_t side, const Effect& effect) const {
    std::vector<std::uint64_t> out;
    const auto* call = as<Call>(effect.node);
    for (const Expr* one : call->arguments) out.push_back(hasher(side, true).hash(one));
    for (const Keyword* one : call->keywords) out.push_back(hasher(side, true).hash(one));
    return out;
  }

  /// Calls whose callee is written alike although it now resolves to something else (its module was renamed).
  std::vector<std::pair<Effect, Effect>> pairs_by_text(Effects& calls) {
    for (std::size_t side = 0; side < 2; ++side) {
      for (Effect& call : calls[side]) call.exact = hasher(side).hash(as<Call>(call.node)->callee);
    }
    return take_pairs(calls, [](const Effect& effect) { return effect.exact; });
  }

  void compare_raises() {
    Effects raises = collect([&](std::size_t side, std::size_t at, const Piece& piece, std::vector<Effect>& found) {
      const auto* raise = as<Raise>(piece.node);
      if (raise == nullptr) return;
      std::string name;
      if (const auto* call = as<Call>(raise->exception)) {
        name = dotted_name(context(side), *call->callee);
      } else if (raise->exception != nullptr) {
        name = dotted_name(context(side), *raise->exception);
      }
      found.push_back({at, raise, std::move(name), 0});
    });
    take_pairs(raises, [](const Effect& effect) { return effect.name; });
    add_all(raises, {DifferenceKind::kRaiseAdded, DifferenceKind::kRaiseRemoved, {}});
  }

  void compare_asserts() {
    Effects asserts = collect([&](std::size_t side, std::size_t at, const Piece& piece, std::vector<Effect>& found) {
      const auto* check = as<Assert>(piece.node);
      if (check != nullptr) found.push_back({at, check, {}, hasher(side).hash(check->test)});
    });
    take_pairs(asserts, [](const Effect& effect) { return effect.exact; });
    add_all(asserts, {DifferenceKind::kAssertAdded, DifferenceKind::kAssertRemoved, {}});
  }

  void compare_returns() {
    Effects returns = collect([&](std::size_t, std::size_t at, const Piece& piece, std::vector<Effect>& found) {
      if (is<Return>(piece.node)) found.push_back({at, piece.node, {}, 0});
    });
    for (const auto& [before, after] : take_pairs(returns, [](const Effect&) { return 0; })) {
      // `return f(x)` that became `return f(x, 1)` is said by the call.
      const bool said = pieces_[0][before.piece].explained && pieces_[1][after.piece].explained;
      if (!said) add(DifferenceKind::kReturnChanged, &before, &after);
    }
    add_all(returns, {DifferenceKind::kReturnChanged, DifferenceKind::kReturnChanged, {}});
  }

  /// What a statement is about: the text of what it assigns or calls, with its kind.
  [[nodiscard]] std::string subject_of(std::size_t side, const Node& node) const {
    if (const auto* assign = as<Assign>(&node)) return text(side, *assign->targets[0]);
    if (const auto* augmented = as<AugAssign>(&node)) return text(side, *augmented->target);
    if (const auto* annotated = as<AnnAssign>(&node)) return text(side, *annotated->target);
    return {};
  }

  /// Whether `x: Old = value` became `x: New = value`.
  [[nodiscard]] bool is_annotation_alone(const Effect& before, const Effect& after) const {
    const auto* was = as<AnnAssign>(before.node);
    const auto* is = as<AnnAssign>(after.node);
    if (was == nullptr || is == nullptr || (was->value == nullptr) != (is->value == nullptr)) return false;
    return hasher(0).hash(was->target) == hasher(1).hash(is->target) &&
           (was->value == nullptr || hasher(0).hash(was->value) == hasher(1).hash(is->value));
  }

  /// Statements that nothing above explains, laid beside the one that stands for them on the other side: first those
  /// that assign to the same thing, then those of the same kind, in order.
  void compare_rest() {
    Effects rest = collect([&](std::size_t side, std::size_t at, const Piece& piece, std::vector<Effect>& found) {
      if (piece.is_header && piece.explained) return;
      found.push_back({at, piece.node, subject_of(side, *piece.node), 0});
    });
    auto pairs = take_pairs(rest, [](const Effect& effect) {
      return effect.name.empty() ? std::pair(std::string{}, static_cast<int>(effect.node->kind))
                                 : std::pair(effect.name, -1);
    });
    for (auto& pair : take_pairs(rest, [](const Effect& effect) { return static_cast<int>(effect.node->kind); })) {
      if (pair.first.name != pair.second.name) pair.first.name = pair.second.name = {};
      pairs.push_back(std::move(pair));
    }
    const auto explained = [&](std::size_t side, const Effect& effect) {
      return pieces_[side][effect.piece].explained;
    };
    for (const auto& [before, after] : pairs) {
      if (!explained(0, before) && !explained(1, after))
        add(is_annotation_alone(before, after) ? DifferenceKind::kAnnotationChanged : DifferenceKind::kBodyChanged,
            &before, &after);
    }
    for (const Effect& effect : rest[0]) {
      if (!explained(0, effect)) add(DifferenceKind::kBodyChanged, &effect, nullptr);
    }
    for (const Effect& effect : rest[1]) {
      if (!explained(1, effect)) add(DifferenceKind::kBodyChanged, nullptr, &effect);
    }
  }

  const OwnCode* sides_[2];
  std::array<std::vector<Piece>, 2>& pieces_;
  std::vector<Difference>& out_;
};

}  // namespace

void compare_effects(const OwnCode& before, const OwnCode& after, Alignment& alignment,
                     std::vector<Difference>& differences) {
  EffectComparer(before, after, alignment, differences).run();
}

}  // namespace lockstep::change
