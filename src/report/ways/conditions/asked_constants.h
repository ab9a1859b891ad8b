// Conditions -> the constants that they ask settings to be equal to, or not to be:
//   if args.engine == "static": …
//   elif args.engine in ("dynamic", "async"): …      # and not "static"
#pragma once

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/source/code.h"
#include "report/source/defaults.h"

namespace lockstep::report {

struct AskedConstants {
  std::string_view name;  ///< Of the setting, the last part of what is read.
  std::vector<Value> values;
  bool is_one_of = true;  ///< It has to be one of these; else none of them.
};

/// What all of the conditions together ask for; what small functions return counts as if it stood where they are
/// called.
std::vector<AskedConstants> constants_asked(const program::Program& program, const std::vector<Guard>& guards);
/// The same of a place in a function.
std::vector<AskedConstants> constants_asked_at(const program::Program& program, program::FunctionId function,
                                               Span place);
/// Whether no value is what both ask for; false for different settings.
bool exclude_each_other(const AskedConstants& one, const AskedConstants& other);

class CallConstants {
 public:
  explicit CallConstants(const program::Program& program) : program_(program) {}

  /// What has to hold for the call to enter `callee`: around the call, and where what it is called on gets its class.
  const std::vector<AskedConstants>& of(program::CallId call, program::FunctionId callee);

 private:
  const program::Program& program_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<AskedConstants>> known_;  ///< By call and callee.
};

}  // namespace lockstep::report
