// A parameter -> the settings that calls outside tests give it, through the functions that hand it on:
//   def layer_spec(fused=False): …
//   layer_spec(fused=config.use_fusion)
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "program/program.h"
#include "report/ways/functions/unseen_uses.h"

namespace lockstep::report {

/// A setting that code reads.
struct ReadSetting {
  std::string_view name;
  program::ClassId declared_by;  ///< None where that is not known.
};

/// The class of settings that declares what is read off a variable, whatever that is called: `parallelism.backend` of a
/// parameter `parallelism: ParallelismConfig`. None for other nodes, and where several may be meant.
program::ClassId settings_class(const program::Program& program, program::FunctionId function,
                                const python::Node& node);

/// The settings that an expression in the function reads, each once.
std::vector<ReadSetting> settings_read(const program::Program& program, program::FunctionId function,
                                       const python::Node& expression);

/// What calls give a parameter, all of them together.
struct GivenValues {
  std::vector<ReadSetting> settings;           ///< As they are, each once.
  std::vector<const python::Expr*> constants;  ///< Its default among them, where a call gives nothing.
  bool has_others = false;                     ///< Some value is neither.
};

class GivenSettings {
 public:
  explicit GivenSettings(const program::Program& program) : program_(program), unseen_(program) {}

  [[nodiscard]] GivenValues of(program::FunctionId function, std::string_view parameter) const;

 private:
  static constexpr std::size_t kByKeyword = SIZE_MAX;
  /// A parameter that is asked for: by its name and, where it has one, its place among the positional ones, `self`
  /// counted in.
  struct Asked {
    program::FunctionId function;
    std::string_view name;
    std::size_t index = kByKeyword;
    program::FunctionId has_default;  ///< Whose default counts where nothing is given.
    bool by_name = true;              ///< A keyword may give it.
  };
  struct Search {
    GivenValues found;
    std::vector<Asked> open;
    std::set<std::tuple<std::uint32_t, std::string_view, std::size_t, bool>> seen;
  };

  [[nodiscard]] Asked parameter_of(program::FunctionId function, std::string_view name) const;
  void ask(const Asked& asked, Search& search) const;
  void look_at(const program::CallSite& site, const Asked& asked, Search& search) const;
  bool look_in_spread(const Asked& next, const python::Expr& spread, Search& search) const;
  void take(program::FunctionId caller, const python::Expr& value, Search& search) const;
  void take_default(const Asked& asked, Search& search) const;

  const program::Program& program_;
  UnseenUses unseen_;
};

}  // namespace lockstep::report
