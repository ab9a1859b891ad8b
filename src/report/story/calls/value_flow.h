// An argument of a call -> the places that decide by it: followed into the functions that the call may enter, on
// through those that they hand it on to (also by `**kwargs`), and through attributes of `self` that keep it. By the
// call graph and the names of parameters; and attributes of other objects where one place alone sets one of the name.
//
// Left out: what containers hold, what is returned, attributes that are set in several places, names that get another
// value, ways that constants of the call rule out.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/source/defaults.h"
#include "report/story/settings/deciding.h"

namespace lockstep::report {

/// A function that reads the value.
struct ValueVisit {
  static constexpr std::size_t kNone = SIZE_MAX;
  program::FunctionId function;
  std::string_view name;       ///< The parameter or local that holds it; `**kwargs` where `keyword` is set.
  std::string_view attribute;  ///< Of `self`, which holds it; then `name` is empty.
  std::string_view keyword;    ///< By which `name` holds it.
  program::ClassId object;     ///< Of what `self` is; none for functions.
  program::CallId entering;    ///< None where it is not known which call leads here.
  std::size_t parent = kNone;
  int hops = 0;            ///< Calls on the way.
  bool is_of_any = false;  ///< `attribute` is read off any object: one place alone gives one of that name a value.
  bool is_told = true;     ///< A step of the way to the reader: it takes the value as a parameter and is no base of it.
  bool is_certain = false;                  ///< All calls on the way enter it, and no other.
  bool is_filled = false;                   ///< On the way something may have taken the place of None.
  std::map<std::string_view, Value> known;  ///< Other parameters that are constants.
  std::set<std::string_view> given;         ///< Other parameters that hardly are None.
};

struct ValueDecision {
  std::size_t visit = 0;
  ValueUse use;
  BranchEffect effect;        ///< Of a branch: of the side that is told.
  bool is_otherwise = false;  ///< That side is the `else`.
  bool is_filled = false;
  bool communicates = false;  ///< That side calls torch.distributed.
  int rank = 0;               ///< The higher, the more it says of what a run computes.
};

struct FollowedValue {
  std::vector<ValueVisit> visits;
  std::vector<ValueDecision> decisions;  ///< The most telling first, of these the nearest.
};

/// Follows what `call` of `program` gives, or would give, by the name of `keyword`.
FollowedValue follow_argument(const program::Program& program, const python::Call& call, std::string_view keyword);

}  // namespace lockstep::report
