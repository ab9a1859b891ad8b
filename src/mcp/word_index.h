// The words in a program's names, paths and docstrings -> which functions and classes have them: what a task described
// in a sentence is matched against. Names are cut at underscores, dots and changes of case ("MoELayer.forward_step" has
// moe, layer, forward and step). Left out: bodies, and words so common that they tell nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "program/program.h"

namespace lockstep::mcp {

/// Lower-case words of a name or sentence, in order, with repetitions; a plural's `s` goes.
std::vector<std::string> words_in(std::string_view text);

class WordIndex {
 public:
  explicit WordIndex(const program::Program& program);

  struct Match {
    program::FunctionId function;
    double score = 0;
    std::vector<std::string> words;  ///< Of the task, that it has; the rarest first.
  };
  /// Functions that share words with `task`, best first, at most `limit`. Rare words count more, and so do names than
  /// classes, classes than paths and docstrings; functions of tests count a third.
  [[nodiscard]] std::vector<Match> find(std::string_view task, std::size_t limit) const;

 private:
  struct Posting {
    program::FunctionId function;
    float weight;
  };
  const program::Program& program_;
  std::unordered_map<std::string, std::vector<Posting>, TextHash, std::equal_to<>> postings_;
};

}  // namespace lockstep::mcp
