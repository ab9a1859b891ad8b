// Cheapest ways through the call graph to one function, found from there backwards. A function that calls what it is
// given enters what its caller gives it: on a way it goes on only to what the call before it can pass.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/ways/functions/given_functions.h"

namespace lockstep::report {

/// A call on a way; without one, `from` defines `to` and hands it on.
struct Leg {
  program::FunctionId from;
  program::CallId call;
  program::FunctionId to;
};

class Ways {
 public:
  /// `given` must outlive it.
  Ways(const program::Program& program, program::FunctionId target, GivenFunctions& given);

  /// Of the way from a function; -1 where there is none. Of functions that go on only with some of their callers: -1.
  [[nodiscard]] int cost(program::FunctionId from) const { return ways_[from.index()].cost; }
  /// The way from a function with a cost; empty for others.
  [[nodiscard]] std::vector<Leg> legs(program::FunctionId from, program::FunctionId target) const {
    return legs_from(from.value, target);
  }
  /// The same from a place of the search.
  [[nodiscard]] std::vector<Leg> legs_from(std::uint32_t place, program::FunctionId target) const;

  // The search. A place is a function, or a function with the call by which it goes on, where callers decide on that,
  // and with what parameters have to hold for that.
  [[nodiscard]] std::uint32_t place_of(program::FunctionId function) const { return function.value; }
  [[nodiscard]] program::FunctionId function_at(std::uint32_t place) const;
  /// The next place by cost, with its cost.
  std::optional<std::pair<std::uint32_t, int>> take();
  /// Whether the function at `place` goes on as it does there where `entering` enters it.
  enum class LeadsOn : std::uint8_t { kNo, kUnknown, kYes };
  [[nodiscard]] LeadsOn leads_on(program::CallId entering, std::uint32_t place) const;
  /// The call by which the function at `place` goes on; none at the target.
  [[nodiscard]] program::CallId call_at(std::uint32_t place) const { return ways_[place].call; }
  /// What that call enters.
  [[nodiscard]] program::FunctionId entered_at(std::uint32_t place) const { return function_at(ways_[place].after); }
  /// Of how many functions the function at `place` may enter one there, after `entering`.
  [[nodiscard]] int choices(program::CallId entering, std::uint32_t place) const;
  /// A way from `caller` through `call` to what stands at `place`, at that cost in all; gives the caller's place where
  /// this is the cheapest so far.
  std::optional<std::uint32_t> offer(program::FunctionId caller, program::CallId call, std::uint32_t place, int cost);

 private:
  struct Way {
    int cost = -1;  ///< -1: none.
    program::CallId call;
    std::uint32_t after = 0;  ///< Place.
  };
  /// What makes a place of a function a place of its own.
  struct Special {
    program::FunctionId function;
    bool depends_on_caller = false;  ///< What its call enters.
    std::vector<HeldFunction> asks;
  };
  /// Function, the call with what it enters (or none), and what parameters have to hold.
  using Key = std::tuple<std::uint32_t, std::uint64_t, std::vector<HeldFunction::Key>>;
  [[nodiscard]] const Special* special_at(std::uint32_t place) const;

  const program::Program* program_;
  GivenFunctions* given_;
  std::vector<Way> ways_;                ///< By place.
  std::vector<Special> special_;         ///< By place, from the number of functions on.
  std::map<Key, std::uint32_t> places_;  ///< Of `special_`.
  using Entry = std::pair<int, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> pending_;
};

}  // namespace lockstep::report
