#include "change/match.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/hash.h"
#include "base/strings.h"
#include "change/node_hash.h"

namespace lockstep::change {

namespace {

/// Code shorter than this many tokens (tree nodes) says nothing when found elsewhere under another name.
constexpr std::size_t kTokensToRename = 12;
constexpr std::size_t kTokensToMove = 30;
/// How alike (dice of token 3-grams) two definitions must be. Git calls a file renamed from 50 % on; here a wrong pair
/// costs more than a missed one, so code that changed both name and place must agree much further.
constexpr double kAlikeSameName = 0.5;
constexpr double kAlikeSamePlace = 0.6;
constexpr double kAlikeElsewhere = 0.8;
/// The same of short code of one place: two settings of one kind look alike.
constexpr double kAlikeShort = 0.8;
constexpr double kAlikeUnderscored = 0.3;
/// How much of the names of two fields, or variables, must be the same where others of their place hold the same.
constexpr double kAlikeNames = 0.65;
/// Of a definition whose old name stays as another name of the new one (`Old = New`).
constexpr double kAlikeAlias = 0.3;
/// The fewest tokens of a class by which one of the same place and of equal content is known: two annotated fields.
constexpr std::size_t kTokensOfFields = 6;
/// Of namesakes that are less alike than this, one may be another definition; one beside it must be this much alike.
constexpr double kUnlike = 0.35;
constexpr double kAlikeExchanged = 0.7;
/// Bounds on the work: tokens read of one definition, shingles indexed of it, and how common a shingle may be.
constexpr std::size_t kMaxTokens = 20'000;
constexpr std::size_t kSketch = 24;
constexpr std::size_t kMaxPairsOfShingle = 16;

/// Names that many unrelated things share: no evidence that two definitions are the same.
bool is_common_name(std::string_view name) {
  static constexpr std::string_view kCommon[] = {"backward", "build", "forward", "get", "log",   "logger",
                                                 "main",     "reset", "run",     "set", "setUp", "step"};
  return std::ranges::find(kCommon, name) != std::end(kCommon) || name.starts_with("__") || name.starts_with("_logger");
}

/// `load` of `_load`.
std::string_view without_underscores(std::string_view name) {
  return name.substr(std::min(name.find_first_not_of('_'), name.size()));
}

/// `load` and `_load`: made private, or public.
bool differ_in_underscore(std::string_view before, std::string_view after) {
  const std::string_view bare = without_underscores(before);
  return before != after && !bare.empty() && bare == without_underscores(after) && !before.ends_with("__") &&
         !after.ends_with("__");
}

/// Tokens of what an entity says apart from its own name.
std::vector<std::uint64_t> content_tokens(const FileEntities& file, const Entity& entity) {
  const NodeHasher hasher(*file.source);
  std::vector<std::uint64_t> tokens;
  const auto add = [&](const python::Node* node) {
    if (node != nullptr) hasher.tokens(*node, kMaxTokens, tokens);
  };
  if (const auto* def = python::as<python::FunctionDef>(entity.side.node)) {
    add(def->parameters);
    add(def->returns);
  } else if (const auto* cls = python::as<python::ClassDef>(entity.side.node)) {
    for (const python::Expr* base : cls->bases) add(base);
  }
  for (const python::Stmt* statement : entity.body) {
    if (!hasher.leaves_out(*statement)) add(statement);
  }
  add(entity.annotation);
  add(entity.value);
  return tokens;
}

/// One unmatched entity, with what is needed to find it on the other side.
struct Leftover {
  EntityRef ref;
  const Entity* entity = nullptr;
  std::size_t token_count = 0;
  std::uint64_t content = 0;            ///< Equal for equal tokens.
  std::vector<std::uint64_t> shingles;  ///< Sorted.
};

/// Possible partners, best first once sorted. The order does not depend on which side is `before`.
struct Candidate {
  std::size_t before = 0, after = 0;  ///< Indices of Leftovers.
  double score = 0;
  std::string low, high;  ///< Both full names, sorted: what breaks ties.
};

class Matcher {
 public:
  Matcher(const std::vector<FileEntities>& before, const std::vector<FileEntities>& after) : files_{&before, &after} {
    for (std::size_t side = 0; side < 2; ++side) {
      for (const FileEntities& file : *files_[side]) partner_[side].emplace_back(file.all.size(), EntityRef{kNone, 0});
    }
  }

  Matching run(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& same_file) {
    for (const auto& [before, after] : same_file) pair_up({before, 0}, {after, 0});
    exchange_names();
    match_aliases();
    for (const bool classes : {true, false}) {
      match_leftovers(classes, true);
      match_leftovers(classes, false);
      if (classes) match_rewritten();
    }
    match_leftovers(false, false, true);
    match_variables();
    return collect();
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  [[nodiscard]] const Entity& entity(std::size_t side, EntityRef ref) const {
    return (*files_[side])[ref.file].all[ref.index];
  }
  [[nodiscard]] EntityRef& partner(std::size_t side, EntityRef ref) { return partner_[side][ref.file][ref.index]; }
  [[nodiscard]] bool is_free(std::size_t side, EntityRef ref) { return partner(side, ref).file == kNone; }

  /// Pairs two entities, and below them whatever has the same kind and name.
  void pair_up(EntityRef before, EntityRef after) {
    std::vector<std::pair<EntityRef, EntityRef>> open{{before, after}};
    while (!open.empty()) {
      const auto [b, a] = open.back();
      open.pop_back();
      if (!is_free(0, b) || !is_free(1, a)) continue;
      partner(0, b) = a;
      partner(1, a) = b;
      pair_children(b, a, open);
    }
  }

  /// One function whose partner by name has nothing of it, and one beside that which has nearly all.
  struct Exchange {
    EntityRef before, after;          ///< To pair.
    EntityRef old_before, old_after;  ///< The pair that goes.
    double score = 0;
    std::string low, high;
  };

  /// `forward` that handed the work to `_experts_forward` went to another class, and that one is called `forward` now:
  /// the name stays, and what is done moved under it. Only where what had the name stands elsewhere now: what is taken
  /// out of a function, or into one, leaves it the one that it was. Both sides are looked at alike.
  void exchange_names() {
    std::vector<Exchange> found;
    for (std::uint32_t file = 0; file < files_[0]->size(); ++file) {
      for (std::uint32_t index = 0; index < (*files_[0])[file].all.size(); ++index) {
        const EntityRef b{file, index};
        if (!is_free(0, b) && is_callable(0, b)) add_exchanges(b, partner(0, b), found);
      }
    }
    std::ranges::sort(found, [](const Exchange& x, const Exchange& y) {
      return std::tie(y.score, x.low, x.high) < std::tie(x.score, y.low, y.high);
    });
    for (const Exchange& one : found) {
      if (!is_free(0, one.old_before) && partner(0, one.old_before) == one.old_after &&
          (one.before == one.old_before || is_free(0, one.before)) &&
          (one.after == one.old_after || is_free(1, one.after))) {
        release(one.old_before);
        pair_up(one.before, one.after);
      }
    }
  }

  /// `Dispatched = DispatchedTokens` beside a new class of that name, where a class `Dispatched` went: it is called
  /// otherwise now, and its old name stays. Of both sides alike.
  void match_aliases() {
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::uint32_t file = 0; file < files_[side]->size(); ++file) {
        for (const Entity& alias : (*files_[side])[file].all) {
          const std::string_view target = alias.kind == EntityKind::kVariable ? named_by(alias.value) : "";
          if (target.empty() || target == alias.name) continue;
          const EntityRef was = only_free(1 - side, alias.name);
          const EntityRef is = only_free(side, target);
          if (was.file == kNone || is.file == kNone || entity(1 - side, was).kind != entity(side, is).kind) continue;
          if (dice(all_shingles(1 - side, was), all_shingles(side, is)) < kAlikeAlias) continue;
          pair_up(side == 1 ? was : is, side == 1 ? is : was);
        }
      }
    }
  }

  /// The one class of a name that goes and the one of that name that comes, in another file, with most of its members:
  /// it went there, however much of it was rewritten.
  void match_rewritten() {
    constexpr std::size_t kFewest = 2;
    for (std::uint32_t file = 0; file < files_[0]->size(); ++file) {
      for (std::uint32_t index = 0; index < (*files_[0])[file].all.size(); ++index) {
        const EntityRef b{file, index};
        const Entity& was = entity(0, b);
        if (was.kind != EntityKind::kClass || was.parent != 0 || !is_free(0, b) || only_free(0, was.name) != b)
          continue;
        const EntityRef a = only_free(1, was.name);
        if (a.file == kNone || entity(1, a).kind != EntityKind::kClass) continue;
        const std::set<std::string_view> old_members = members_of(0, b);
        const std::set<std::string_view> new_members = members_of(1, a);
        std::size_t common = 0;
        for (const std::string_view name : old_members) common += new_members.contains(name) ? 1 : 0;
        if (common >= kFewest && common * 2 >= std::max(old_members.size(), new_members.size())) pair_up(b, a);
      }
    }
  }

  /// The names of what a class defines itself, without those that any class may have.
  [[nodiscard]] std::set<std::string_view> members_of(std::size_t side, EntityRef ref) const {
    std::set<std::string_view> out;
    for (const std::int32_t child : entity(side, ref).children) {
      const std::string_view name = entity(side, {ref.file, static_cast<std::uint32_t>(child)}).name;
      if (!is_common_name(name)) out.insert(name);
    }
    return out;
  }

  /// The last name of `Name` and `a.b.Name`; empty for all else.
  static std::string_view named_by(const python::Expr* value) {
    if (value == nullptr) return {};
    if (const auto* name = python::as<python::Name>(value)) return name->id;
    const auto* member = python::as<python::Attribute>(value);
    return member == nullptr ? std::string_view() : std::string_view(member->name.text);
  }

  /// The one class or function of a module that has this name and no partner; file kNone where there are more or none.
  [[nodiscard]] EntityRef only_free(std::size_t side, std::string_view name) {
    EntityRef found{kNone, 0};
    for (std::uint32_t file = 0; file < files_[side]->size(); ++file) {
      const std::vector<Entity>& all = (*files_[side])[file].all;
      for (std::uint32_t index = 0; index < all.size(); ++index) {
        const bool is_wanted = all[index].kind == EntityKind::kClass || all[index].kind == EntityKind::kFunction;
        if (!is_wanted || all[index].parent != 0 || all[index].name != name || !is_free(side, {file, index})) continue;
        if (found.file != kNone) return {kNone, 0};
        found = {file, index};
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<std::uint64_t> all_shingles(std::size_t side, EntityRef ref) const {
    return shingles(content_tokens((*files_[side])[ref.file], entity(side, ref)));
  }

  [[nodiscard]] bool is_callable(std::size_t side, EntityRef ref) const {
    const EntityKind kind = entity(side, ref).kind;
    return (kind == EntityKind::kFunction || kind == EntityKind::kMethod) && entity(side, ref).parent >= 0;
  }

  void add_exchanges(EntityRef b, EntityRef a, std::vector<Exchange>& found) {
    const std::vector<EntityRef> others[2] = {free_siblings(0, b), free_siblings(1, a)};
    if (others[0].empty() && others[1].empty()) return;
    const std::vector<std::uint64_t>& was = long_shingles(0, b);
    const std::vector<std::uint64_t>& is = long_shingles(1, a);
    if (was.empty() || is.empty() || dice(was, is) >= kUnlike) return;
    // What would be left over: the old one where another old one takes its place, the new one in the other case.
    const bool goes_elsewhere[2] = {!others[0].empty() && stands_elsewhere(1, was, b),
                                    !others[1].empty() && stands_elsewhere(0, is, a)};
    const auto add = [&](EntityRef before, EntityRef after, double alike) {
      if (alike < kAlikeExchanged || !goes_elsewhere[before == b ? 1 : 0]) return;
      Exchange one{before, after, b, a, alike, full_name(0, before), full_name(1, after)};
      if (one.high < one.low) std::swap(one.low, one.high);
      found.push_back(std::move(one));
    };
    for (const EntityRef other : others[0]) add(other, a, dice(long_shingles(0, other), is));
    for (const EntityRef other : others[1]) add(b, other, dice(was, long_shingles(1, other)));
  }

  /// Whether a function that has no partner yet, in another class or file than `from` of the other side stands in, is
  /// much like it.
  [[nodiscard]] bool stands_elsewhere(std::size_t side, const std::vector<std::uint64_t>& own, EntityRef from) {
    const EntityRef place{from.file, static_cast<std::uint32_t>(entity(1 - side, from).parent)};
    const EntityRef same = partner(1 - side, place);
    for (std::uint32_t file = 0; file < files_[side]->size(); ++file) {
      for (std::uint32_t index = 0; index < (*files_[side])[file].all.size(); ++index) {
        const EntityRef other{file, index};
        if (!is_free(side, other) || !is_callable(side, other)) continue;
        const EntityRef parent{file, static_cast<std::uint32_t>(entity(side, other).parent)};
        if (parent != same && dice(own, long_shingles(side, other)) >= kAlikeSameName) return true;
      }
    }
    return false;
  }

  std::vector<EntityRef> free_siblings(std::size_t side, EntityRef ref) {
    std::vector<EntityRef> out;
    const EntityRef parent{ref.file, static_cast<std::uint32_t>(entity(side, ref).parent)};
    for (const std::int32_t child : entity(side, parent).children) {
      const EntityRef other{ref.file, static_cast<std::uint32_t>(child)};
      if (is_free(side, other) && entity(side, other).kind == entity(side, ref).kind) out.push_back(other);
    }
    return out;
  }

  /// Empty of what is too short to be known by. Each definition is read once, however many it is compared with.
  [[nodiscard]] const std::vector<std::uint64_t>& long_shingles(std::size_t side, EntityRef ref) {
    const auto [known, is_new] = long_shingles_[side].try_emplace(ref);
    if (is_new) {
      const std::vector<std::uint64_t> tokens = content_tokens((*files_[side])[ref.file], entity(side, ref));
      if (tokens.size() >= kTokensToMove) known->second = shingles(tokens);
    }
    return known->second;
  }

  /// Takes a pair apart, with what is paired below it.
  void release(EntityRef before) {
    std::vector<EntityRef> open{before};
    while (!open.empty()) {
      const EntityRef b = open.back();
      open.pop_back();
      if (is_free(0, b)) continue;
      partner(1, partner(0, b)) = {kNone, 0};
      partner(0, b) = {kNone, 0};
      for (const std::int32_t child : entity(0, b).children)
        open.push_back({b.file, static_cast<std::uint32_t>(child)});
    }
  }

  using Key = std::tuple<EntityKind, std::string_view>;
  std::map<Key, std::vector<EntityRef>> children_by_name(std::size_t side, EntityRef parent) {
    std::map<Key, std::vector<EntityRef>> children;
    for (const std::int32_t child : entity(side, parent).children) {
      const EntityRef ref{parent.file, static_cast<std::uint32_t>(child)};
      if (is_free(side, ref)) children[{entity(side, ref).kind, entity(side, ref).name}].push_back(ref);
    }
    return children;
  }

  void pair_children(EntityRef b, EntityRef a, std::vector<std::pair<EntityRef, EntityRef>>& open) {
    std::map<Key, std::vector<EntityRef>> after = children_by_name(1, a);
    for (auto& [key, refs] : children_by_name(0, b)) {
      const auto found = after.find(key);
      if (found == after.end()) continue;
      pair_namesakes(refs, found->second, open);
    }
  }

  /// Several definitions of one name (overloads, property setters, if/else): unchanged ones first, the rest in order.
  void pair_namesakes(const std::vector<EntityRef>& before, const std::vector<EntityRef>& after,
                      std::vector<std::pair<EntityRef, EntityRef>>& open) {
    if (before.size() == 1 && after.size() == 1) return static_cast<void>(open.emplace_back(before[0], after[0]));
    std::map<std::uint64_t, std::pair<std::vector<EntityRef>, std::vector<EntityRef>>> by_content;
    for (const EntityRef ref : before) by_content[content_of(0, ref)].first.push_back(ref);
    for (const EntityRef ref : after) by_content[content_of(1, ref)].second.push_back(ref);
    std::vector<EntityRef> rest[2];
    for (const auto& [content, sides] : by_content) {
      const std::size_t both = std::min(sides.first.size(), sides.second.size());
      for (std::size_t i = 0; i < both; ++i) open.emplace_back(sides.first[i], sides.second[i]);
      rest[0].insert(rest[0].end(), sides.first.begin() + static_cast<std::ptrdiff_t>(both), sides.first.end());
      rest[1].insert(rest[1].end(), sides.second.begin() + static_cast<std::ptrdiff_t>(both), sides.second.end());
    }
    for (std::vector<EntityRef>& refs : rest) std::ranges::sort(refs);
    for (std::size_t i = 0; i < std::min(rest[0].size(), rest[1].size()); ++i)
      open.emplace_back(rest[0][i], rest[1][i]);
  }

  [[nodiscard]] std::uint64_t content_of(std::size_t side, EntityRef ref) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t token : content_tokens((*files_[side])[ref.file], entity(side, ref))) {
      hash = mix(hash, token);
    }
    return hash;
  }

  /// Classes (`classes`), or functions and methods, that have no partner yet.
  std::vector<Leftover> leftovers(std::size_t side, bool classes) {
    std::vector<Leftover> found;
    for (std::uint32_t file = 0; file < files_[side]->size(); ++file) {
      const FileEntities& entities = (*files_[side])[file];
      for (std::uint32_t index = 0; index < entities.all.size(); ++index) {
        const Entity& one = entities.all[index];
        const bool wanted = classes ? one.kind == EntityKind::kClass
                                    : one.kind == EntityKind::kFunction || one.kind == EntityKind::kMethod;
        if (!wanted || !is_free(side, {file, index})) continue;
        Leftover leftover{{file, index}, &one, 0, 0, {}};
        const std::vector<std::uint64_t> tokens = content_tokens(entities, one);
        leftover.token_count = tokens.size();
        for (const std::uint64_t token : tokens) leftover.content = mix(leftover.content, token);
        leftover.shingles = shingles(tokens);
        found.push_back(std::move(leftover));
      }
    }
    return found;
  }

  /// `across_kinds`: methods with functions of modules, instead of each with its own.
  void match_leftovers(bool classes, bool same_content, bool across_kinds = false) {
    const std::vector<Leftover> before = leftovers(0, classes);
    const std::vector<Leftover> after = leftovers(1, classes);
    if (before.empty() || after.empty()) return;
    std::vector<Candidate> candidates;
    for (const auto& [b, a] : meetings(before, after, same_content)) {
      if ((before[b].entity->kind != after[a].entity->kind) != across_kinds) continue;
      const double alike = same_content ? 1.0 : dice(before[b].shingles, after[a].shingles);
      if (is_match(before[b], after[a], alike)) candidates.push_back(candidate(before, after, b, a, alike));
    }
    std::ranges::sort(candidates, [](const Candidate& x, const Candidate& y) {
      return std::tie(y.score, x.low, x.high) < std::tie(x.score, y.low, y.high);
    });
    for (const Candidate& one : candidates) pair_up(before[one.before].ref, after[one.after].ref);
  }

  /// Pairs worth a look: they share the content, or a shingle of their sketches, or the name.
  static std::vector<std::pair<std::size_t, std::size_t>> meetings(const std::vector<Leftover>& before,
                                                                   const std::vector<Leftover>& after,
                                                                   bool same_content) {
    std::unordered_map<std::uint64_t, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> places;
    const auto enter = [&](const std::vector<Leftover>& all, auto member) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (same_content) {
          (places[all[i].content].*member).push_back(i);
          continue;
        }
        (places[hash64(without_underscores(all[i].entity->name))].*member).push_back(i);
        // The smallest hashes are a sample that two similar definitions mostly share.
        for (std::size_t k = 0; k < std::min(kSketch, all[i].shingles.size()); ++k) {
          if (k > 0 && all[i].shingles[k] == all[i].shingles[k - 1]) continue;
          (places[all[i].shingles[k]].*member).push_back(i);
        }
      }
    };
    enter(before, &std::pair<std::vector<std::size_t>, std::vector<std::size_t>>::first);
    enter(after, &std::pair<std::vector<std::size_t>, std::vector<std::size_t>>::second);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const auto& [key, sides] : places) {
      if (sides.first.size() * sides.second.size() > kMaxPairsOfShingle) continue;
      for (const std::size_t b : sides.first) {
        for (const std::size_t a : sides.second) pairs.emplace_back(b, a);
      }
    }
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }

  [[nodiscard]] bool same_place(const Leftover& before, const Leftover& after) {
    if (before.entity->parent < 0 || after.entity->parent < 0) return false;
    const EntityRef parent{before.ref.file, static_cast<std::uint32_t>(before.entity->parent)};
    return partner(0, parent) == EntityRef{after.ref.file, static_cast<std::uint32_t>(after.entity->parent)};
  }

  /// The class that a method stands in; null for others.
  [[nodiscard]] const python::ClassDef* class_of(std::size_t side, const Leftover& one) const {
    if (one.entity->kind != EntityKind::kMethod || one.entity->parent < 0) return nullptr;
    const EntityRef parent{one.ref.file, static_cast<std::uint32_t>(one.entity->parent)};
    return python::as<python::ClassDef>(entity(side, parent).side.node);
  }

  /// Whether a method goes to a class that its class derives from, or to one that derives from it, by the names that
  /// their `class` lines give.
  [[nodiscard]] bool are_kin(const Leftover& before, const Leftover& after) const {
    const python::ClassDef* from = class_of(0, before);
    const python::ClassDef* to = class_of(1, after);
    const auto derives = [](const python::ClassDef& heir, const python::ClassDef& base) {
      return std::ranges::any_of(heir.bases, [&](const python::Expr* one) {
        const auto* name = python::as<python::Name>(one);
        const auto* member = python::as<python::Attribute>(one);
        return (name != nullptr && name->id == base.name.text) ||
               (member != nullptr && member->name.text == base.name.text);
      });
    };
    return from != nullptr && to != nullptr && from->name.text != to->name.text &&
           (derives(*from, *to) || derives(*to, *from));
  }

  /// Whether the names say something and are equal but for underscores before them.
  static bool has_same_bare_name(const Leftover& before, const Leftover& after) {
    const std::string_view bare = without_underscores(before.entity->name);
    return !bare.empty() && bare == without_underscores(after.entity->name) && !is_common_name(bare) &&
           !is_common_name(before.entity->name) && !is_common_name(after.entity->name);
  }

  /// Whether a method became a function of a module, or the other way round: it has its name but for underscores, or
  /// nearly all of its code.
  static bool left_class(const Leftover& before, const Leftover& after, std::size_t tokens, double alike) {
    const auto stands_free = [](const Leftover& one) {
      return one.entity->kind == EntityKind::kMethod || one.entity->parent == 0;
    };
    if (!stands_free(before) || !stands_free(after) || tokens < kTokensToMove) return false;
    return alike >= (has_same_bare_name(before, after) ? kAlikeSameName : kAlikeElsewhere);
  }

  [[nodiscard]] bool is_match(const Leftover& before, const Leftover& after, double alike) {
    const std::size_t tokens = std::min(before.token_count, after.token_count);
    if (before.entity->kind != after.entity->kind) return left_class(before, after, tokens, alike);
    // A name says most where it is looked up: at module level.
    const bool top_level = before.entity->parent == 0 && after.entity->parent == 0;
    if (before.entity->name == after.entity->name && top_level && !is_common_name(before.entity->name)) {
      return alike >= kAlikeSameName;
    }
    if (top_level && tokens >= kTokensToMove && has_same_bare_name(before, after)) return alike >= kAlikeSameName;
    // Out of one function of the file into another.
    const bool is_nested = before.entity->kind == EntityKind::kFunction && before.entity->parent > 0 &&
                           after.entity->parent > 0 && before.entity->name == after.entity->name &&
                           (*files_[0])[before.ref.file].path == (*files_[1])[after.ref.file].path;
    const bool is_underscored = differ_in_underscore(before.entity->name, after.entity->name);
    if (is_underscored && same_place(before, after) && alike >= kAlikeUnderscored) return true;
    if (before.entity->kind == EntityKind::kClass && tokens >= kTokensOfFields && tokens < kTokensToRename &&
        before.content == after.content && same_place(before, after))
      return true;
    // Out of a class into a module, or the other way round, as it was.
    if (before.entity->kind == EntityKind::kClass && before.entity->name == after.entity->name &&
        before.content == after.content && (before.entity->parent == 0) != (after.entity->parent == 0))
      return tokens >= kTokensToRename;
    if (same_place(before, after) || (is_nested && !is_common_name(before.entity->name)))
      return tokens >= kTokensToRename && alike >= (tokens < kTokensToMove ? kAlikeShort : kAlikeSamePlace);
    // Up to a base, or down to an heir: what others call stays what it was.
    if (before.entity->name == after.entity->name && !is_common_name(before.entity->name) && are_kin(before, after))
      return tokens >= kTokensToRename && alike >= kAlikeSameName;
    return tokens >= kTokensToMove && alike >= kAlikeElsewhere;
  }

  [[nodiscard]] Candidate candidate(const std::vector<Leftover>& before, const std::vector<Leftover>& after,
                                    std::size_t b, std::size_t a, double alike) {
    Candidate one{b, a, alike, full_name(0, before[b].ref), full_name(1, after[a].ref)};
    if (before[b].entity->name == after[a].entity->name ||
        differ_in_underscore(before[b].entity->name, after[a].entity->name))
      one.score += 0.25;
    if (same_place(before[b], after[a])) one.score += 0.125;
    if (one.high < one.low) std::swap(one.low, one.high);
    return one;
  }

  [[nodiscard]] std::string full_name(std::size_t side, EntityRef ref) const {
    const Entity& one = entity(side, ref);
    return std::string((*files_[side])[ref.file].path) + ":" + one.local_name + ":" + std::to_string(one.ordinal);
  }

  /// `x = 0`, `x = None`: too little to say that two variables are the same.
  [[nodiscard]] bool is_trivial(std::size_t side, EntityRef ref) const {
    const Entity& one = entity(side, ref);
    return one.annotation == nullptr && content_tokens((*files_[side])[ref.file], one).size() < 4;
  }

  static std::vector<std::uint64_t> words_of(std::string_view name) {
    std::vector<std::uint64_t> words;
    for (const std::string_view word : split(name, '_')) {
      if (!word.empty()) words.push_back(hash64(to_lower(word)));
    }
    std::ranges::sort(words);
    return words;
  }

  /// How many of the words of two names are the same, 0 to 1: of "num_experts" and "num_moe_experts" most.
  static double likeness_of_names(std::string_view a, std::string_view b) { return dice(words_of(a), words_of(b)); }

  /// Whether one name only has more words than the other.
  static bool is_one_within_other(std::string_view a, std::string_view b) {
    const std::vector<std::uint64_t> left = words_of(a);
    const std::vector<std::uint64_t> right = words_of(b);
    return std::ranges::includes(left, right) || std::ranges::includes(right, left);
  }

  /// Variables and fields: renamed in place, or moved to another file under the same name, only where what they hold
  /// is the same and names no other one.
  void match_variables() {
    for (const bool in_place : {true, false}) {
      using Places = std::pair<std::vector<EntityRef>, std::vector<EntityRef>>;
      std::map<std::tuple<EntityRef, std::uint64_t, std::string_view>, Places> places;
      for (std::size_t side = 0; side < 2; ++side) {
        for (const EntityRef ref : free_variables(side)) {
          const Entity& one = entity(side, ref);
          if (in_place ? is_trivial(side, ref) : is_common_name(one.name)) continue;
          const EntityRef owner{ref.file, static_cast<std::uint32_t>(one.parent)};
          const EntityRef before_owner = side == 0 ? owner : partner(1, owner);
          if (in_place ? before_owner.file == kNone || is_free(0, before_owner) : one.parent != 0) continue;
          auto& sides = places[{in_place ? before_owner : EntityRef{}, content_of(side, ref),
                                in_place ? std::string_view{} : one.name}];
          (side == 0 ? sides.first : sides.second).push_back(ref);
        }
      }
      for (const auto& [key, sides] : places) {
        if (sides.first.size() == 1 && sides.second.size() == 1) {
          const bool alike = likeness_of_names(entity(0, sides.first[0]).name, entity(1, sides.second[0]).name) >= 0.5;
          if (alike) pair_up(sides.first[0], sides.second[0]);
        } else if (in_place) {
          pair_by_names(sides.first, sides.second);
        }
      }
    }
  }

  /// Of several that hold the same, `mamba_conv_shape: int` and `mamba_ssm_shape: int` that became `conv_shape: int`
  /// and `ssm_shape: int`: those two of which each name is more like the other than like any third.
  void pair_by_names(const std::vector<EntityRef>& before, const std::vector<EntityRef>& after) {
    if (before.size() * after.size() > kMaxPairsOfShingle) return;
    const auto like = [&](EntityRef b, EntityRef a) { return likeness_of_names(entity(0, b).name, entity(1, a).name); };
    std::vector<std::pair<EntityRef, EntityRef>> pairs;
    for (const EntityRef b : before) {
      for (const EntityRef a : after) {
        const double own = like(b, a);
        const bool is_most =
            std::ranges::all_of(before, [&](EntityRef other) { return other == b || like(other, a) < own; }) &&
            std::ranges::all_of(after, [&](EntityRef other) { return other == a || like(b, other) < own; });
        const bool is_within = is_one_within_other(entity(0, b).name, entity(1, a).name);
        if (own >= kAlikeNames && is_within && is_most) pairs.emplace_back(b, a);
      }
    }
    for (const auto& [b, a] : pairs) pair_up(b, a);
  }

  std::vector<EntityRef> free_variables(std::size_t side) {
    std::vector<EntityRef> found;
    for (std::uint32_t file = 0; file < files_[side]->size(); ++file) {
      const FileEntities& entities = (*files_[side])[file];
      for (std::uint32_t index = 0; index < entities.all.size(); ++index) {
        const EntityKind kind = entities.all[index].kind;
        const bool wanted = kind == EntityKind::kVariable || kind == EntityKind::kField;
        if (wanted && is_free(side, {file, index})) found.push_back({file, index});
      }
    }
    return found;
  }

  Matching collect() {
    Matching matching;
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::uint32_t file = 0; file < partner_[side].size(); ++file) {
        for (std::uint32_t index = 0; index < partner_[side][file].size(); ++index) {
          const EntityRef ref{file, index};
          const EntityRef other = partner_[side][file][index];
          if (other.file == kNone) (side == 0 ? matching.removed : matching.added).push_back(ref);
          if (other.file != kNone && side == 0) matching.pairs.emplace_back(ref, other);
        }
      }
    }
    return matching;
  }

  const std::vector<FileEntities>* files_[2];
  std::map<EntityRef, std::vector<std::uint64_t>> long_shingles_[2];
  std::vector<std::vector<EntityRef>> partner_[2];  ///< By file and index; file kNone where there is none.
};

}  // namespace

Matching match_entities(const std::vector<FileEntities>& before, const std::vector<FileEntities>& after,
                        const std::vector<std::pair<std::uint32_t, std::uint32_t>>& same_file) {
  return Matcher(before, after).run(same_file);
}

}  // namespace lockstep::change
