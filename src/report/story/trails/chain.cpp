#include "report/story/trails/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "python/tree_walk.h"
#include "report/document.h"
#include "report/story/trails/carriers.h"
#include "report/story/trails/local_flow.h"
#include "report/story/trails/word_uses.h"

namespace lockstep::report {

using namespace python;

namespace {

constexpr std::size_t kFewest = 3;          ///< Functions.
constexpr std::size_t kFewestStanding = 2;  ///< Of these, those that are no new ones.
constexpr std::size_t kLongest = 8;
constexpr std::size_t kMostTried = 20000;  ///< Ways.

class Search {
 public:
  Search(const program::Program& program, const std::vector<Carrier>& carriers, bool is_after)
      : program_(program), carriers_(carriers), is_after_(is_after) {}

  struct Hop {
    std::vector<const Carrier*> carriers;  ///< At least one; all are given and taken by the same functions.
    const Actor* taker = nullptr;
  };
  struct Way {
    const Actor* first = nullptr;  ///< The giver; null where the first field is filled by its declaration.
    std::vector<Hop> hops;
    [[nodiscard]] std::size_t functions() const { return hops.size() + (first == nullptr ? 0 : 1); }
    /// Of these, those on both sides of the change.
    [[nodiscard]] std::size_t standing() const {
      const auto stands = [](const Actor* one) { return one != nullptr && !one->is_added() && !one->is_removed(); };
      return static_cast<std::size_t>(
                 std::count_if(hops.begin(), hops.end(), [&](const Hop& hop) { return stands(hop.taker); })) +
             (stands(first) ? 1 : 0);
    }
  };

  Way run() {
    for (const Carrier& carrier : carriers_) {
      // What a function that comes (or goes) itself is given need be nothing new.
      if (carrier.is_of_one_sided || is_by_name(carrier)) continue;
      for (const Actor* giver : carrier.givers) {
        Way way;
        way.first = giver;
        go_on(way, carrier);
      }
      if (!carrier.is_filled) continue;
      Way way;
      go_on(way, carrier);
    }
    add_others();
    return best_;
  }

 private:
  /// What only names tie is no way to tell of.
  [[nodiscard]] static bool is_by_name(const Carrier& carrier) { return carrier.kind == Carrier::Kind::kKey; }

  [[nodiscard]] static bool is_on(const Way& way, const Actor* actor) {
    return way.first == actor ||
           std::any_of(way.hops.begin(), way.hops.end(), [&](const Hop& hop) { return hop.taker == actor; });
  }

  /// Of each hop what goes there beside the first carrier, made of what the hop before it brought.
  void add_others() {
    const auto is_alike = [](const Carrier& one, const Carrier& other) {
      return &one != &other && one.kind == other.kind && one.givers == other.givers && one.takers == other.takers;
    };
    for (std::size_t i = 0; i < best_.hops.size(); ++i) {
      Hop& hop = best_.hops[i];
      const Carrier& main = *hop.carriers.front();
      for (const Carrier& one : carriers_) {
        if (!is_alike(one, main)) continue;
        const bool goes_on = i == 0 || std::any_of(best_.hops[i - 1].carriers.begin(), best_.hops[i - 1].carriers.end(),
                                                   [&](const Carrier* from) {
                                                     return is_made_of(one, *from, *best_.hops[i - 1].taker);
                                                   });
        if (goes_on) hop.carriers.push_back(&one);
      }
    }
  }

  [[nodiscard]] bool is_inner(const Actor& actor) const {
    const auto& side = is_after_ ? actor.change->after : actor.change->before;
    return program_.functions()[side->function].enclosing.valid();
  }

  void go_on(Way& way, const Carrier& carrier) {
    if (++tried_ > kMostTried) return;
    for (const Actor* taker : carrier.takers) {
      // A helper inside the function is a part of it.
      if (is_on(way, taker) || is_inner(*taker)) continue;
      way.hops.push_back({{&carrier}, taker});
      if (is_better(way)) best_ = way;
      if (way.hops.size() < kLongest) {
        for (const Carrier& next : carriers_) {
          // What a caller hands over, the result takes back to it, and to no other.
          const bool goes_back = carrier.kind == Carrier::Kind::kParameter && next.kind == Carrier::Kind::kResult;
          if (&next != &carrier && !goes_back && !is_by_name(next) && is_made_of(next, carrier, *taker))
            go_on(way, next);
        }
      }
      way.hops.pop_back();
    }
  }

  [[nodiscard]] bool is_better(const Way& way) const {
    const auto weight = [](const Way& one) {
      double out = one.first == nullptr ? 0 : one.first->weight;
      for (const Hop& hop : one.hops) out += hop.taker->weight;
      return out;
    };
    if (way.functions() != best_.functions()) return way.functions() > best_.functions();
    // Of two the one that starts at a field.
    if (way.hops.size() != best_.hops.size()) return way.hops.size() > best_.hops.size();
    return weight(way) > weight(best_);
  }

  /// Whether the function makes `next` of `carrier`.
  bool is_made_of(const Carrier& next, const Carrier& carrier, const Actor& actor) {
    if (std::find(next.givers.begin(), next.givers.end(), &actor) == next.givers.end()) return false;
    const std::set<const Node*>& made = made_in(actor, carrier);
    return std::any_of(next.made_of.begin(), next.made_of.end(),
                       [&](const Carrier::Use& use) { return use.actor == &actor && made.contains(use.node); });
  }

  /// Of what the function gives, that which it makes of the carrier.
  const std::set<const Node*>& made_in(const Actor& actor, const Carrier& carrier) {
    const auto [found, is_new] = known_.try_emplace({&carrier, &actor});
    if (!is_new) return found->second;
    std::vector<const Node*> sources;
    for (const Carrier::Use& use : carrier.taken_at) {
      if (use.actor == &actor) sources.push_back(use.node);
    }
    std::vector<const Node*> targets;
    for (const Carrier& one : carriers_) {
      for (const Carrier::Use& use : one.made_of) {
        if (use.actor == &actor) targets.push_back(use.node);
      }
    }
    const auto* def = as<FunctionDef>((is_after_ ? actor.change->after : actor.change->before)->node);
    const std::string_view parameter =
        carrier.kind == Carrier::Kind::kParameter ? std::string_view(carrier.name) : std::string_view();
    return found->second = made_of(program_, *def, sources, parameter, targets);
  }

  const program::Program& program_;
  const std::vector<Carrier>& carriers_;
  const bool is_after_;
  Way best_;
  std::size_t tried_ = 0;
  std::map<std::pair<const Carrier*, const Actor*>, std::set<const Node*>> known_;
};

/// What the data of a hop is called: "`a`, `b`", "its result".
std::string names_of(const Search::Hop& hop) {
  if (hop.carriers.front()->kind == Carrier::Kind::kResult)
    return hop.carriers.front()->name == "result" ? "its result" : code(hop.carriers.front()->name);
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names;
  for (const Carrier* one : hop.carriers) {
    if (names.size() < kMost) names.push_back(code(one->name));
  }
  if (hop.carriers.size() > kMost) names.push_back(fmt::format("{} more", hop.carriers.size() - kMost));
  return join_words(names);
}

std::string function_name(const DocumentInputs& inputs, const Actor& actor, bool is_after) {
  const auto& side = is_after ? actor.change->after : actor.change->before;
  return code(short_name(is_after ? *inputs.after : *inputs.before, side->function));
}

/// The functions where the way begins: all that give what it begins with.
std::string first_names(const DocumentInputs& inputs, const Search::Way& way, bool is_after) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names = {function_name(inputs, *way.first, is_after)};
  std::size_t others = 0;
  for (const Actor* one : way.hops.front().carriers.front()->givers) {
    const bool is_on = one == way.first || std::any_of(way.hops.begin(), way.hops.end(),
                                                       [&](const Search::Hop& hop) { return hop.taker == one; });
    if (is_on) continue;
    names.size() < kMost ? names.push_back(function_name(inputs, *one, is_after)) : static_cast<void>(++others);
  }
  if (others > 0) names.push_back(fmt::format("{} more", others));
  return join_words(names);
}

std::string new_sentence(const DocumentInputs& inputs, const Search::Way& way) {
  std::string out = "New data goes from ";
  std::string previous;
  if (way.first != nullptr) {
    out += first_names(inputs, way, true);
  } else {
    // Of what its declaration fills the field is where it begins.
    const Carrier& field = *way.hops.front().carriers.front();
    out += "the field " + code(field.owner.empty() ? field.name : field.owner + "." + field.name);
    previous = names_of(way.hops.front());
  }
  bool is_first = true;
  for (const Search::Hop& hop : way.hops) {
    const std::string names = names_of(hop);
    const Carrier::Kind kind = hop.carriers.front()->kind;
    const bool is_said = names == previous && kind != Carrier::Kind::kResult;
    const std::string as = is_said ? std::string() : fmt::format(" as {}", names);
    out += fmt::format("{}{} to {}", is_first ? "" : ",", as, function_name(inputs, *hop.taker, true));
    previous = names;
    is_first = false;
  }
  return out + ".";
}

/// Whether a function on the way names one of the things that went there on the side before the change still: that they
/// do not come to it any more is not sure then.
bool still_names(const Search::Way& way) {
  return std::any_of(way.hops.begin(), way.hops.end(), [](const Search::Hop& hop) {
    const auto* after = hop.taker->change->after ? as<FunctionDef>(hop.taker->change->after->node) : nullptr;
    if (after != nullptr && takes_bundle(*after)) return true;
    return after != nullptr && std::any_of(hop.carriers.begin(), hop.carriers.end(),
                                           [&](const Carrier* one) { return names_word(*after, one->name); });
  });
}

/// Of data that has one name all the way; empty for other ways.
std::string gone_sentence(const DocumentInputs& inputs, const Search::Way& way) {
  if (way.first == nullptr || still_names(way)) return {};
  // Something comes back still.
  const Carrier& first = *way.hops.front().carriers.front();
  if (first.kind == Carrier::Kind::kResult && first.name == "result") return {};
  const std::string names = names_of(way.hops.front());
  std::string out = fmt::format("{} no longer {} from {}", capitalised(names),
                                way.hops.front().carriers.size() > 1 ? "go" : "goes", first_names(inputs, way, false));
  for (std::size_t i = 0; i < way.hops.size(); ++i) {
    if (names_of(way.hops[i]) != names) return {};
    out += fmt::format("{} to {}", i == 0 ? "" : ",", function_name(inputs, *way.hops[i].taker, false));
  }
  return out + ".";
}

std::string names_of(const DocumentInputs& inputs, const std::vector<const Actor*>& actors) {
  std::vector<std::string> out;
  for (const Actor* one : actors) out.push_back(function_name(inputs, *one, true));
  return join_words(out);
}

std::string trail_item(const DocumentInputs& inputs, const Carrier& carrier) {
  const std::string name = code(carrier.owner.empty() ? carrier.name : carrier.owner + "." + carrier.name);
  const std::string givers = names_of(inputs, carrier.givers);
  const std::string takers = names_of(inputs, carrier.takers);
  switch (carrier.kind) {
    case Carrier::Kind::kParameter:
      return fmt::format("{}, a new parameter of {}: given by {}", name, takers, givers);
    case Carrier::Kind::kResult:
      return fmt::format("{}, returned by {}: taken by {}", carrier.name == "result" ? std::string("The result") : name,
                         givers, takers);
    case Carrier::Kind::kKey:
      return fmt::format("{}, a key sent by {}: read by {} of something unknown, by the name alone", name, givers,
                         takers);
    case Carrier::Kind::kField:
      break;
  }
  if (carrier.givers.empty()) return fmt::format("{}, filled by its declaration: taken by {}", name, takers);
  return fmt::format("{}: given by {}, taken by {}", name, givers, takers);
}

std::vector<const Actor*> functions_of(const Search::Way& way) {
  constexpr std::size_t kFewestOfWay = 4;
  std::vector<const Actor*> out;
  if (way.functions() < kFewestOfWay || way.standing() < kFewestStanding) return out;
  if (way.first != nullptr) out.push_back(way.first);
  for (const Search::Hop& hop : way.hops) out.push_back(hop.taker);
  return out;
}

std::vector<std::string> carried_names(const std::vector<Carrier>& carriers) {
  std::vector<std::string> out;
  for (const Carrier& one : carriers) {
    const bool is_named =
        one.kind == Carrier::Kind::kField || (one.kind == Carrier::Kind::kParameter && !one.is_of_one_sided);
    if (is_named) out.push_back(one.name);
  }
  return out;
}

std::vector<std::string> trail_items(const DocumentInputs& inputs, std::vector<Carrier> carriers) {
  std::erase_if(carriers, [](const Carrier& one) {
    const bool is_own = one.givers.size() == 1 && one.takers == one.givers;
    return one.is_of_one_sided || is_own;
  });
  std::stable_sort(carriers.begin(), carriers.end(), [](const Carrier& a, const Carrier& b) {
    return a.givers.size() + a.takers.size() > b.givers.size() + b.takers.size();
  });
  std::vector<std::string> out;
  for (const Carrier& one : carriers) out.push_back(trail_item(inputs, one));
  return out;
}

}  // namespace

Chains find_chains(const DocumentInputs& inputs, const Story& story) {
  Chains out;
  for (const bool is_after : {true, false}) {
    const std::vector<Carrier> carriers = carriers_of(inputs, story, is_after);
    const Search::Way way = Search(is_after ? *inputs.after : *inputs.before, carriers, is_after).run();
    if (is_after) {
      out.functions = functions_of(way);
      out.carried = carried_names(carriers);
      out.items = trail_items(inputs, carriers);
    }
    // Of what comes (or goes) whole its own words say more.
    if (way.functions() < kFewest || way.standing() < kFewestStanding) continue;
    std::string sentence = is_after ? new_sentence(inputs, way) : gone_sentence(inputs, way);
    if (!sentence.empty()) out.sentences.push_back(std::move(sentence));
  }
  return out;
}

}  // namespace lockstep::report
