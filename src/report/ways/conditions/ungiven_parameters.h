// Classes that the code outside tests names only where a parameter asks for them that it never gives:
//   if use_fused: module = FusedLayer      # def layer_spec(use_fused=False)
// However objects of them come to be made (specifications, partials), runs of the repository's own scripts make none.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/story/story.h"

namespace lockstep::report {

class UngivenParameters {
 public:
  explicit UngivenParameters(const program::Program& program) : program_(program) {}

  /// The parameter without which no object of the class, or of one below it, is made; none where there is no such.
  UngivenParameter of(program::ClassId cls);

 private:
  bool is_never_given(std::string_view parameter);
  [[nodiscard]] bool is_named_as_given(std::string_view parameter) const;
  /// A function, and the place among its parameters.
  struct Taken {
    program::FunctionId function;
    std::size_t index = 0;
  };
  [[nodiscard]] bool is_passed_by_place(std::string_view parameter) const;
  [[nodiscard]] bool may_pass(const program::CallSite& site, Taken taken, std::string_view parameter,
                              std::vector<Taken>& open) const;

  const program::Program& program_;
  std::map<std::string_view, bool> never_given_;
};

}  // namespace lockstep::report
