// Command-line arguments that no `add_argument("--x")` spells: code of the repository declares one for each field of a
// dataclass that it is given.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// The arguments of one program. What is asked for is found on construction: one walk over the modules that could.
class GeneratedArguments {
 public:
  explicit GeneratedArguments(const program::Program& program);

  /// "--tensor-parallel" for the field `tensor_parallel` of the class; empty where no code makes one of it, where it
  /// cannot be told whether it does. For a field that is true "--no-tensor-parallel", if that is what the code makes.
  [[nodiscard]] std::string argument_of(program::ClassId cls, std::string_view field) const;

  /// Where arguments are made of the fields of a class, but for this one.
  struct LeftOut {
    program::ClassId cls;
    program::CallId call;
  };
  /// The call that names the field as one to leave out, where its class has it and no other call makes one of it.
  [[nodiscard]] std::optional<LeftOut> left_out(std::string_view field) const;

 private:
  /// A call that makes arguments of all fields of a class and its bases.
  struct Source {
    program::ClassId cls;
    std::set<std::string, std::less<>> left_out;
    bool negates = false;  ///< Of a field that is true it makes "--no-name".
    program::CallId call;
  };

  const program::Program& program_;
  std::vector<Source> sources_;
};

}  // namespace lockstep::report
