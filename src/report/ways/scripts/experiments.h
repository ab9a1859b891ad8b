// Experiments that stand beside the product (`experiments/rl/`): whose runs go through their code.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "program/program.h"

namespace lockstep::report {

/// "torchtitan/experiments/rl/" of a path below it; empty for other paths.
std::string_view experiment_of(std::string_view path);

class Experiments {
 public:
  explicit Experiments(const program::Program& program) : program_(program) {}

  /// Whether no run goes through both: neither loads anything of the other. False for the same one.
  bool exclude_each_other(std::string_view one, std::string_view other);
  /// Whether the experiment is trained by a script of its own: then others hardly do.
  bool has_training_script(std::string_view experiment);

 private:
  bool imports(std::string_view one, std::string_view other);

  const program::Program& program_;
  std::map<std::pair<std::string_view, std::string_view>, bool> imports_;
  std::map<std::string_view, bool> trained_;
};

}  // namespace lockstep::report
