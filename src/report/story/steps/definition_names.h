// Definitions that a change calls otherwise (`DistributedMuon` -> `DistMuon`), and code in which nothing differs but
// these names: what runs is the same there.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/inputs.h"

namespace lockstep::report {

/// Old and new last names of classes, functions, methods and variables of modules that have another name after the
/// change, where each old name became one new name and no definition has the old name afterwards (a variable that
/// stands for the new one, `Old = New`, may).
class DefinitionNames {
 public:
  explicit DefinitionNames(const DocumentInputs& inputs);

  /// The old and new names by which the two pieces of code differ; empty where they differ in anything else, or not at
  /// all. Layout counts for nothing, and in strings that are sentences (they hold a blank) the names count as names;
  /// others may be keys, of which the new one is not the old one.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> between(std::string_view before,
                                                                         std::string_view after) const;
  [[nodiscard]] bool empty() const { return names_.empty(); }

 private:
  std::map<std::string, std::string, std::less<>> names_;
};

}  // namespace lockstep::report
