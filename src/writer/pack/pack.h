// A change -> a context pack: one Markdown text that holds what a reader needs who has nothing else (a person in a
// chat, or a language model): the diff, the code around it, and what Lockstep knows of both, cut to a budget of tokens.
//
// The diff is never pruned: where it does not fit, the change is told in parts. What was left out of the code around it
// is listed. Text of the repository stands in fences and quotes that it cannot leave, and is called data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "writer/pack/pieces.h"

namespace lockstep::writer {

struct PackOptions {
  Purpose purpose = Purpose::kExplain;
  std::size_t tokens = 20'000;  ///< render::estimate_tokens; at least kFewestTokens.
  std::size_t part = 1;
};
inline constexpr std::size_t kFewestTokens = 2'000;

struct Pack {
  std::string text;  ///< Markdown.
  std::size_t tokens = 0;
  std::size_t part = 1;
  std::size_t parts = 1;
};

/// Error: there is no such part.
Result<Pack> write_pack(const PackInputs& inputs, const PackOptions& options);

/// "explain", "dive", "review".
std::string_view purpose_name(Purpose purpose);

}  // namespace lockstep::writer
