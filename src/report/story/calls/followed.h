// Arguments that changed calls give now, give no longer, or give as another constant -> where that decides what a run
// does, in words. One line of a diff may weigh more than many: how much is said, too.
#pragma once

#include <string>
#include <vector>

namespace lockstep::report {

struct DocumentInputs;
struct Actor;

/// What comes of one argument.
struct FollowedArgument {
  /// How much it says of what a run computes: 1 only of what is refused, 3 of what is reckoned.
  int rank = 0;
  std::string sentence;             ///< Where it decides first.
  std::vector<std::string> others;  ///< Where else.
  bool communicates = false;        ///< It decides whether a collective is issued.
};

/// The most telling first.
std::vector<FollowedArgument> followed_arguments(const DocumentInputs& inputs, const Actor& actor);

/// Fills Actor::followed of all changed functions outside tests; those whose arguments decide something do not merely
/// follow.
void follow_arguments(const DocumentInputs& inputs, std::vector<Actor>& actors);
/// They weigh enough to be told, whatever else changes how much.
void weigh_followed(std::vector<Actor>& actors);

/// The first `most` sentences; each after a blank.
std::string followed_words(const Actor& actor, std::size_t most);

}  // namespace lockstep::report
