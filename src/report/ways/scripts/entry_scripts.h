// The scripts and tests from which runs start, and which of several that lead to a function is told.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "program/program.h"
#include "report/inputs.h"
#include "report/ways/scripts/missing_imports.h"
#include "report/ways/scripts/script_places.h"
#include "report/ways/ways.h"

namespace lockstep::report {

class EntryScripts {
 public:
  EntryScripts(const DocumentInputs& inputs, const program::Program& program);

  /// The code of scripts that people run; of tools, examples and their like; of both that cannot start, since an import
  /// fails; test functions.
  [[nodiscard]] const std::vector<program::FunctionId>& scripts() const { return scripts_; }
  [[nodiscard]] const std::vector<program::FunctionId>& helper_scripts() const { return helper_scripts_; }
  [[nodiscard]] const std::vector<program::FunctionId>& failing_scripts() const { return failing_scripts_; }
  [[nodiscard]] const std::vector<program::FunctionId>& tests() const { return tests_; }

  /// The scripts of a hidden folder (`.github/`) that stand beside a target in it; none for others.
  [[nodiscard]] std::vector<program::FunctionId> hidden_beside(program::FunctionId target) const;

  /// What a script imports in vain; empty where it can start.
  [[nodiscard]] const std::string& missing_import(program::FunctionId script) const {
    return missing_.of(program_.functions()[script].module);
  }

  /// Scripts of the experiment that the function is part of: those below the folder beside others in `experiments/`
  /// that holds it, too. What it does is done by these, however well known others are.
  [[nodiscard]] std::vector<program::FunctionId> of_experiment(program::FunctionId target) const;
  /// Scripts that serve, generate or evaluate and lead there.
  [[nodiscard]] std::vector<program::FunctionId> serving(const Ways& ways) const;
  /// Scripts that share a telling word of their path with the target's ("inference", "multimodal"), and are no farther
  /// from it than the others; if asked for, at any distance.
  [[nodiscard]] std::vector<program::FunctionId> kin_of(program::FunctionId target, const Ways& ways,
                                                        bool at_any_distance = false) const;
  /// Of those whose cost is about the lowest, the one that the documentation names most. `prefers_training`: a script
  /// that trains says more than one that evaluates or serves, or, where documentation names it, than one whose name
  /// tells nothing. None where there are no sources.
  [[nodiscard]] program::FunctionId best_known(const std::vector<program::FunctionId>& sources,
                                               const std::function<int(program::FunctionId)>& cost,
                                               bool prefers_training) const;
  /// The nearest few, the nearest two that train and the best known few of `sources`, which stand by cost.
  [[nodiscard]] std::vector<program::FunctionId> candidates(std::vector<program::FunctionId> sources) const;
  /// Words of the script's file name that say what it is about, not what it does.
  [[nodiscard]] const std::set<std::string>& subjects_of(program::FunctionId script) const;
  /// Whether the name of the function's class names what other scripts are about, and not this one: `GPTModel.forward`
  /// for `pretrain_hybrid.py`, beside a `pretrain_gpt.py`.
  [[nodiscard]] bool is_of_another(program::FunctionId script, program::FunctionId function) const;
  /// Whether all scripts are in `files` from which any known calls lead to the target, however unsure.
  [[nodiscard]] bool are_all_to(program::FunctionId target, const std::set<std::string>& files) const;
  [[nodiscard]] ScriptKind kind_of(program::FunctionId function) const {
    return kind_of_script(program_.module_of(function).path);
  }

 private:
  /// Of all scripts' subjects those of the class's name, and of the code that makes objects of it.
  [[nodiscard]] std::set<std::string> subjects_of_class(program::ClassId cls) const;
  [[nodiscard]] std::size_t mentions_of(program::FunctionId source) const;
  /// Words of a path that few other modules' paths hold.
  [[nodiscard]] std::set<std::string> telling_words(std::string_view path) const;

  const program::Program& program_;
  const MissingImports missing_;
  std::vector<program::FunctionId> scripts_;
  std::vector<program::FunctionId> helper_scripts_;
  std::vector<program::FunctionId> failing_scripts_;
  std::vector<program::FunctionId> hidden_scripts_;
  std::vector<program::FunctionId> tests_;
  std::map<std::string, std::size_t> mentions_;
  std::set<std::string> subjects_;  ///< Of all scripts that people run.
  mutable std::unordered_map<std::uint32_t, std::set<std::string>> subjects_of_class_;
  mutable std::unordered_map<std::uint32_t, std::set<std::string>> subjects_of_script_;
};

}  // namespace lockstep::report
