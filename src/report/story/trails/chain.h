// The ways that new data takes from function to function, in words: the longest in one sentence, and that of data which
// goes away.
#pragma once

#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct Chains {
  /// "New data goes from `f` as `x` to `g`, as `y` to `h`." and "`z` no longer goes from `f` to `g`, to `h`.", where
  /// there are such ways of three functions at least: each function makes what it gives of what it takes, as far as its
  /// locals show.
  std::vector<std::string> sentences;
  /// The functions that the longest way of new data passes through: four at least, else none.
  std::vector<const Actor*> functions;
  /// Names of fields and arguments that pass between functions of the change and are new.
  std::vector<std::string> carried;
  /// "`Request.key`: given by `f`, taken by `g` and `h`": what is new and passes between functions of the change, those
  /// that tie most of them first.
  std::vector<std::string> items;
};

Chains find_chains(const DocumentInputs& inputs, const Story& story);

}  // namespace lockstep::report
