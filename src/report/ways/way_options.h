// A way -> the command-line options that have to be given for a run to take it and to get to what changes at its end,
// and which scripts can be given them: those that load code which declares them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/story/story.h"
#include "report/ways/way_checks.h"

namespace lockstep::report {

class WayOptions {
 public:
  /// Both must outlive it. `is_test`: by module.
  WayOptions(const program::Program& program, const std::vector<bool>& is_test)
      : program_(program), is_test_(is_test) {}

  using Names = std::set<std::string_view>;
  /// Options of the program's own parsers that `args` has to hold, and that no code sets.
  Names needed(const EntryPath& path, WayChecks& checks, CallGuards& guards);
  /// Whether a script that loads these modules (ImportClosure) can be given all of them.
  bool are_declared(const Names& options, const std::vector<int>& loaded);

 private:
  struct Declared {
    std::set<std::uint32_t> modules;
    bool is_option = false;  ///< `add_argument` declares it; fields of the name may be given otherwise.
  };
  void find();
  [[nodiscard]] const python::Expr* given_at_start(const EntryPath& path, std::size_t frame, std::string_view name,
                                                   const WayChecks& checks) const;

  const program::Program& program_;
  const std::vector<bool>& is_test_;                       ///< By module.
  std::map<std::string, Declared, std::less<>> declared_;  ///< By name; found when first asked for.
};

}  // namespace lockstep::report
