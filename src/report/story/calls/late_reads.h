// A function inside another that reads at each call what the one around it read once before:
//   hooks = []                                   def hook(module):
//   for part in parts: hooks += part._hooks  ->      for part in parts:
//   def hook(module):                                    for one in part._hooks: one(part)
//       for one in hooks: one(module)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/story/story.h"

namespace lockstep::report {

struct LateRead {
  std::vector<std::string> attributes;  ///< "_hooks": read by the function around it before, and now by itself.
  std::vector<std::string> taken;       ///< "hooks": variables of that one which it took them from before.
  std::string holder;                   ///< The function around it, marked.
};

/// Of a function inside another that stays: nothing where that one still reads the attributes itself, or filled the
/// variables without reading any of them.
std::optional<LateRead> late_read(const DocumentInputs& inputs, const Actor& actor);

/// "reads `_hooks` each time it is called, where it took `hooks`, which `f` fills from it once, before"; empty for
/// none.
std::string late_read_words(const DocumentInputs& inputs, const Actor& actor);

/// Such a function is what the one around it changes for: it comes before that one.
void weigh_late_reads(const DocumentInputs& inputs, std::vector<Actor>& actors);

}  // namespace lockstep::report
