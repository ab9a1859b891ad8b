// What a callable of the user's own framework does with the functions, classes and modules that are given to it: a row
// that a user adds to the table of models (flow/models.h) in lockstep.toml. docs/models.md explains each effect.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::program {

struct CallModel {
  std::string name;           ///< Dotted name of a function, method or class, as imports spell it.
  std::string_view effect;    ///< One of kCallModelEffects.
  std::uint8_t argument = 0;  ///< Position of the argument that matters, from 0, `self` left out.
  std::string keyword;        ///< Name by which it can be given instead; may be empty.
  std::string result;         ///< For "instance": dotted name of the class that is returned.
};

/// All effects, sorted.
inline constexpr std::array<std::string_view, 10> kCallModelEffects = {
    "calls", "calls-elements", "decorator", "elements", "hook", "identity", "instance", "keeps", "partial", "wraps"};

}  // namespace lockstep::program
