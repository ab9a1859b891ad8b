#include "change/align.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "change/arms.h"
#include "change/node_hash.h"
#include "python/tree_walk.h"

namespace lockstep::change {

using python::Node;
using python::Seq;
using python::Stmt;

namespace {

/// Bounds on the search for partners: tokens read of one statement, and how many leftovers are compared each with each.
constexpr std::size_t kMaxTokens = 256;
constexpr std::size_t kMaxSquare = 16;
constexpr std::size_t kWindow = 4;
/// How alike two compound statements must be to be the same one, edited: in one block, or anywhere in the entity.
constexpr double kAlikeInBlock = 0.5;
constexpr double kAlikeElsewhere = 0.75;
/// Arms of statements that are already paired need less.
constexpr double kAlikeArm = 0.35;

std::vector<std::uint64_t> sorted(std::vector<std::uint64_t> values) {
  std::ranges::sort(values);
  return values;
}

/// What pairing looks at, of a compound statement or an arm of one.
struct Features {
  std::string_view keyword;
  std::uint64_t header = 0;
  std::vector<std::uint64_t> header_tokens, tokens, statements;  ///< Sorted.
};

double likeness(const Features& a, const Features& b) {
  if (a.keyword != b.keyword) return 0;
  const double header = a.header == b.header ? 1.0 : dice(a.header_tokens, b.header_tokens);
  const double block = a.statements.empty() && b.statements.empty() ? 0.0 : dice(a.statements, b.statements);
  return 0.5 * dice(a.tokens, b.tokens) + 0.5 * std::max(header, block);
}

/// Pairs of indices, best first; each index at most once. Ties go to nearer, then earlier ones, on both sides alike.
std::vector<std::pair<std::size_t, std::size_t>> best_pairs(const std::vector<Features>& before,
                                                            const std::vector<Features>& after, double threshold) {
  struct Scored {
    double score;
    std::size_t distance, sum, b, a;
  };
  const std::size_t window = std::max(before.size(), after.size()) <= kMaxSquare ? kMaxSquare : kWindow;
  std::vector<Scored> scored;
  for (std::size_t b = 0; b < before.size(); ++b) {
    const std::size_t from = b > window ? b - window : 0;
    for (std::size_t a = from; a < std::min(after.size(), b + window + 1); ++a) {
      const double score = likeness(before[b], after[a]);
      if (score >= threshold) scored.push_back({score, b > a ? b - a : a - b, a + b, b, a});
    }
  }
  std::ranges::sort(scored, [](const Scored& x, const Scored& y) {
    return std::tie(y.score, x.distance, x.sum, x.b) < std::tie(x.score, y.distance, y.sum, y.b);
  });
  std::vector<bool> taken_before(before.size()), taken_after(after.size());
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const Scored& one : scored) {
    if (taken_before[one.b] || taken_after[one.a]) continue;
    taken_before[one.b] = taken_after[one.a] = true;
    pairs.emplace_back(one.b, one.a);
  }
  return pairs;
}

class Aligner {
 public:
  Aligner(const OwnCode& before, const OwnCode& after)
      : sides_{&before, &after},
        hashers_{NodeHasher(*before.context.source, LeaveOut{true, before.entity_statements, false}),
                 NodeHasher(*after.context.source, LeaveOut{true, after.entity_statements, false})} {}

  Alignment run() {
    align_blocks(sides_[0]->body, sides_[1]->body);
    while (!loose_[0].empty() || !loose_[1].empty()) settle_loose();
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Item& item : waiting_[side]) {
        if (item.node != nullptr) out_.pieces[side].push_back({item.node, false, false});
      }
      std::ranges::sort(out_.pieces[side], {}, [](const Piece& piece) { return piece.node->span.begin; });
    }
    return std::move(out_);
  }

 private:
  struct Item {
    const Stmt* node = nullptr;
    std::uint64_t hash = 0;
  };
  using Items = std::vector<Item>;

  [[nodiscard]] const SourceText& source(std::size_t side) const { return *sides_[side]->context.source; }
  [[nodiscard]] std::uint32_t line_of(std::size_t side, const Node& node) const {
    return source(side).line_of(node.span.begin);
  }

  Items items_of(std::size_t side, Seq<Stmt> block) const {
    Items items;
    for (const Stmt* statement : block) {
      if (!hashers_[side].leaves_out(*statement)) items.push_back({statement, hashers_[side].hash(statement)});
    }
    return items;
  }

  void align_blocks(Seq<Stmt> before, Seq<Stmt> after) {
    Items left = items_of(0, before), right = items_of(1, after);
    drop_common_ends(left, right);
    drop_equal(left, right);
    pair_compounds(left, right, kAlikeInBlock);
    const Items* rest[2] = {&left, &right};
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Item& item : *rest[side]) {
        if (item.node != nullptr) loose_[side].push_back(item);
      }
    }
  }

  static void drop_common_ends(Items& left, Items& right) {
    const auto [i, j] = std::ranges::mismatch(left, right, {}, &Item::hash, &Item::hash);
    left.erase(left.begin(), i);
    right.erase(right.begin(), j);
    while (!left.empty() && !right.empty() && left.back().hash == right.back().hash) {
      left.pop_back();
      right.pop_back();
    }
  }

  /// Takes out statements that both have, wherever they stand; their nodes become null. Notes a change of order.
  void drop_equal(Items& left, Items& right) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> places;
    for (std::size_t j = right.size(); j > 0; --j) places[right[j - 1].hash].push_back(j - 1);
    std::vector<std::pair<std::size_t, const Node*>> matched;
    std::vector<const Node*> in_order;
    for (Item& item : left) {
      const auto found = places.find(item.hash);
      if (found == places.end() || found->second.empty()) continue;
      const std::size_t j = found->second.back();
      found->second.pop_back();
      matched.emplace_back(j, right[j].node);
      in_order.push_back(item.node);
      item.node = nullptr;
      right[j].node = nullptr;
    }
    auto sorted_by_place = matched;
    std::ranges::sort(sorted_by_place);
    const auto [i, j] = std::ranges::mismatch(matched, sorted_by_place);
    if (i != matched.end()) note_reordered(in_order[static_cast<std::size_t>(i - matched.begin())], j->second);
  }

  void note_reordered(const Node* before, const Node* after) {
    const auto keep_first = [](const Node*& kept, const Node* node) {
      if (kept == nullptr || node->span.begin < kept->span.begin) kept = node;
    };
    keep_first(out_.reordered[0], before);
    keep_first(out_.reordered[1], after);
  }

  void pair_compounds(Items& left, Items& right, double threshold) {
    std::vector<Features> features[2];
    std::vector<std::size_t> index[2];
    const Items* items[2] = {&left, &right};
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t i = 0; i < items[side]->size(); ++i) {
        const Stmt* node = (*items[side])[i].node;
        if (node == nullptr || !is_compound(*node)) continue;
        index[side].push_back(i);
        features[side].push_back(features_of(side, *node));
      }
    }
    for (const auto& [b, a] : best_pairs(features[0], features[1], threshold)) {
      Item& before = left[index[0][b]];
      Item& after = right[index[1][a]];
      // What stood in the one, and is the other word for word, lost or got a branch around it: its condition stays.
      if (holds(0, *before.node, 1, *after.node) || holds(1, *after.node, 0, *before.node)) continue;
      compare_arms(*before.node, *after.node);
      before.node = after.node = nullptr;
    }
  }

  /// Whether an arm of the one statement holds the other as it is.
  bool holds(std::size_t side, const Stmt& outer, std::size_t other_side, const Stmt& inner) const {
    const auto is_inner = [&](const Stmt* statement) {
      return is_compound(*statement) && hashers_[side].hash(statement) == hashers_[other_side].hash(&inner);
    };
    const std::vector<Arm> arms = arms_of(outer);
    return std::any_of(arms.begin(), arms.end(),
                       [&](const Arm& arm) { return std::any_of(arm.block.begin(), arm.block.end(), is_inner); });
  }

  Features features_of(std::size_t side, const Stmt& statement) const {
    const std::vector<Arm> arms = arms_of(statement);
    Features features = features_of(side, arms[0]);
    features.tokens.clear();
    hashers_[side].tokens(statement, kMaxTokens, features.tokens);
    std::ranges::sort(features.tokens);
    return features;
  }

  Features features_of(std::size_t side, const Arm& arm) const {
    Features features;
    features.keyword = arm.keyword == "elif" ? "if" : arm.keyword;
    features.header = header_hash(side, arm);
    for (const Node* part : arm.header) hashers_[side].tokens(*part, kMaxTokens, features.header_tokens);
    features.tokens = features.header_tokens;
    for (const Stmt* statement : arm.block) {
      if (hashers_[side].leaves_out(*statement)) continue;
      if (features.statements.size() < kMaxTokens) features.statements.push_back(hashers_[side].hash(statement));
      hashers_[side].tokens(*statement, kMaxTokens, features.tokens);
    }
    features.header_tokens = sorted(std::move(features.header_tokens));
    features.tokens = sorted(std::move(features.tokens));
    features.statements = sorted(std::move(features.statements));
    return features;
  }

  std::uint64_t header_hash(std::size_t side, const Arm& arm) const {
    std::uint64_t hash = arm.is_async ? 2 : 1;
    for (const Node* part : arm.header) hash = mix(hash, hashers_[side].hash(part));
    return hash;
  }

  /// Lays the arms of two versions of one statement side by side.
  void compare_arms(const Stmt& before, const Stmt& after) {
    std::vector<Arm> arms[2] = {arms_of(before), arms_of(after)};
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::vector<std::size_t> rest[2];
    pair_equal_headers(arms, pairs, rest);
    std::vector<Features> features[2];
    for (std::size_t side = 0; side < 2; ++side) {
      for (const std::size_t i : rest[side]) features[side].push_back(features_of(side, arms[side][i]));
    }
    // Loops, `with` and `match` have one main arm: it is the same one whatever its header says now.
    const bool main_arm = !python::is<python::If>(&before) && !python::is<python::Try>(&before);
    if (main_arm && !rest[0].empty() && !rest[1].empty() && rest[0][0] == 0 && rest[1][0] == 0) {
      features[0][0].header = features[1][0].header = 0;
      features[0][0].tokens = features[1][0].tokens = {};
    }
    for (const auto& [b, a] : best_pairs(features[0], features[1], kAlikeArm)) {
      pairs.emplace_back(rest[0][b], rest[1][a]);
      rest[0][b] = rest[1][a] = kTaken;
    }
    std::ranges::sort(pairs);
    for (const auto& [b, a] : pairs) compare_arm(arms[0][b], arms[1][a]);
    for (std::size_t side = 0; side < 2; ++side) {
      for (const std::size_t i : rest[side]) {
        if (i != kTaken) open_arm(side, arms[side][i], true);
      }
    }
  }

  static constexpr std::size_t kTaken = static_cast<std::size_t>(-1);

  void pair_equal_headers(const std::vector<Arm> (&arms)[2], std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                          std::vector<std::size_t> (&rest)[2]) const {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> places;
    const auto key = [&](std::size_t side, const Arm& arm) {
      const std::string_view keyword = arm.keyword == "elif" ? "if" : arm.keyword;
      return mix(header_hash(side, arm), std::hash<std::string_view>{}(keyword));
    };
    for (std::size_t j = arms[1].size(); j > 0; --j) places[key(1, arms[1][j - 1])].push_back(j - 1);
    std::vector<bool> taken(arms[1].size());
    for (std::size_t i = 0; i < arms[0].size(); ++i) {
      std::vector<std::size_t>& found = places[key(0, arms[0][i])];
      if (found.empty()) {
        rest[0].push_back(i);
        continue;
      }
      pairs.emplace_back(i, found.back());
      taken[found.back()] = true;
      found.pop_back();
    }
    for (std::size_t j = 0; j < arms[1].size(); ++j) {
      if (!taken[j]) rest[1].push_back(j);
    }
  }

  void compare_arm(const Arm& before, const Arm& after) {
    if (header_hash(0, before) != header_hash(1, after)) {
      // A `with` decides nothing; what its items call is said by the calls.
      const bool decides = before.keyword != "with";
      if (decides) {
        add_difference(DifferenceKind::kConditionChanged, &before, &after);
      }
      add_header(0, before, decides);
      add_header(1, after, decides);
    }
    align_blocks(before.block, after.block);
  }

  void add_header(std::size_t side, const Arm& arm, bool explained) {
    for (const Node* part : arm.header) out_.pieces[side].push_back({part, true, explained});
  }

  void add_difference(DifferenceKind kind, const Arm* before, const Arm* after) {
    Difference difference{kind, {}, {}, {}, {}, {}};
    const auto text = [&](std::size_t side, const Arm& arm) {
      return arm.header.empty() ? std::string(arm.keyword) : quote(source(side), arm.header_span);
    };
    if (before != nullptr) {
      difference.name = before->keyword;
      difference.before = text(0, *before);
      difference.before_line = source(0).line_of(before->header_span.begin);
    }
    if (after != nullptr) {
      difference.name = after->keyword;
      difference.after = text(1, *after);
      difference.after_line = source(1).line_of(after->header_span.begin);
    }
    // An arm that became another's `elif` keeps its first name on both sides, so that swapping them mirrors.
    if (before != nullptr && after != nullptr && before->keyword != after->keyword) difference.name = "if";
    out_.differences.push_back(std::move(difference));
  }

  /// An arm that only one side has. `alone`: its statement stays, so that a new `else` is worth a line.
  void open_arm(std::size_t side, const Arm& arm, bool alone) {
    const bool is_loop = arm.keyword == "for" || arm.keyword == "while";
    const bool says_nothing = arm.keyword == "with" || arm.keyword == "try" || (arm.keyword == "else" && !alone);
    if (!says_nothing) {
      const auto added = is_loop ? DifferenceKind::kLoopAdded : DifferenceKind::kBranchAdded;
      const auto removed = is_loop ? DifferenceKind::kLoopRemoved : DifferenceKind::kBranchRemoved;
      add_difference(side == 0 ? removed : added, side == 0 ? &arm : nullptr, side == 0 ? nullptr : &arm);
    }
    add_header(side, arm, !says_nothing);
    for (const Item& item : items_of(side, arm.block)) loose_[side].push_back(item);
  }

  /// One round over statements without an equal in their own block: equal ones elsewhere in the entity have moved; the
  /// tallest compound statements that are left are opened, which may free more. Tallest first, because a statement that
  /// was wrapped in another must still be whole when its wrapping is opened.
  void settle_loose() {
    std::vector<std::uint64_t> fresh;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Item& item : std::exchange(loose_[side], {})) {
        places_[side][item.hash].push_back(waiting_[side].size());
        if (is_compound(*item.node)) by_height_[height_of(*item.node)][side].push_back(waiting_[side].size());
        waiting_[side].push_back(item);
        fresh.push_back(item.hash);
      }
    }
    for (const std::uint64_t hash : fresh) cancel(hash);
    while (loose_[0].empty() && loose_[1].empty() && !by_height_.empty()) open_tallest();
  }

  void open_tallest() {
    const auto tallest = std::prev(by_height_.end());
    Items compounds[2];
    for (std::size_t side = 0; side < 2; ++side) {
      for (const std::size_t i : tallest->second[side]) {
        Item& item = waiting_[side][i];
        if (item.node == nullptr) continue;
        compounds[side].push_back(item);
        places_[side].erase(item.hash);  // All of this hash stand at this height, so all are opened now.
        item.node = nullptr;
      }
    }
    by_height_.erase(tallest);
    pair_compounds(compounds[0], compounds[1], kAlikeElsewhere);
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Item& item : compounds[side]) {
        if (item.node == nullptr) continue;
        for (const Arm& arm : arms_of(*item.node)) open_arm(side, arm, false);
      }
    }
  }

  /// Levels of statements below, 0 for a simple one.
  static int height_of(const Stmt& statement) {
    int height = 0;
    python::for_each_block(statement, [&](Seq<Stmt> block) {
      for (const Stmt* inner : block) height = std::max(height, 1 + height_of(*inner));
    });
    return height;
  }

  void cancel(std::uint64_t hash) {
    std::vector<std::size_t>& before = places_[0][hash];
    std::vector<std::size_t>& after = places_[1][hash];
    const std::size_t both = std::min(before.size(), after.size());
    for (std::size_t i = 0; i < both; ++i) {
      note_reordered(waiting_[0][before[i]].node, waiting_[1][after[i]].node);
      waiting_[0][before[i]].node = nullptr;
      waiting_[1][after[i]].node = nullptr;
    }
    before.erase(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(both));
    after.erase(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(both));
  }

  const OwnCode* sides_[2];
  NodeHasher hashers_[2];
  Alignment out_;
  Items loose_[2];                                                         ///< Not looked for outside their block yet.
  Items waiting_[2];                                                       ///< Looked for; node null once found.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places_[2];  ///< Hash → indices in waiting_.
  std::map<int, std::array<std::vector<std::size_t>, 2>> by_height_;  ///< Compound statements: indices in waiting_.
};

}  // namespace

Alignment align(const OwnCode& before, const OwnCode& after) { return Aligner(before, after).run(); }

}  // namespace lockstep::change
