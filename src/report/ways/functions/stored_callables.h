// Calls of what a setting holds: where the setting gets the function that is entered.
//   if args.overlap: config.sync = model.start_sync
//   …
//   config.sync(x)
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

class StoredCallables {
 public:
  explicit StoredCallables(const program::Program& program) : program_(program) {}

  struct Store {
    program::FunctionId function;
    Span place;
  };
  /// Where code outside tests stores the function, by its name, under the setting that the call reads; empty where the
  /// call calls no setting, or nothing is known to store it.
  std::vector<Store> of(const program::CallSite& site, program::FunctionId callee);

 private:
  struct Given {
    Store store;
    const python::Expr* value = nullptr;
  };
  const std::vector<Given>& given_to(std::string_view setting);

  const program::Program& program_;
  std::map<std::string_view, std::vector<Given>> given_;  ///< By setting.
};

}  // namespace lockstep::report
