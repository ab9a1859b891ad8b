// Where settings are declared, as fields of configuration classes and as CLI arguments: their places, defaults and
// words, and who reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/source/generated_arguments.h"
#include "report/story/story.h"

namespace lockstep::report {

/// The call in a statement that declares an option: `parser.add_argument("--x", …)`; null for others.
const python::Call* option_declared_by(const Step& step);

/// Whether it is an argument that a script declares for itself alone.
bool is_of_script(const program::Program& program, const Flag& flag);

class FlagDeclarations {
 public:
  /// `near`: paths of the code that is asked about. Of unrelated classes that all have a field of one name those are
  /// taken that a condition names (`compile_config.mode`: `CompileConfig`), else those that stand nearest to these.
  explicit FlagDeclarations(const program::Program& program, std::vector<std::string> near = {});

  /// Fills in what the declarations of its name say, and its readers.
  void describe(Flag& flag) const;
  /// The same without its readers.
  void declare(Flag& flag) const;
  /// The same of the field of this class alone.
  void fill_from_field(Flag& flag, program::ClassId cls) const;
  /// Of the field of the class that owns it; null where it has none.
  [[nodiscard]] const python::Expr* default_expression(const Flag& flag) const;

 private:
  void find_field(Flag& flag) const;
  bool use_own_parser(Flag& flag) const;
  /// Leaves those of the classes that may be meant; none where it cannot be told which of many.
  void keep_meant(const Flag& flag, std::vector<program::ClassId>& declaring) const;
  [[nodiscard]] const GeneratedArguments& generated() const;  ///< Found when it is first asked for.
  void find_argument(Flag& flag) const;
  [[nodiscard]] bool is_of_product(const Flag& flag) const;
  [[nodiscard]] std::string argument_of_another_name(std::string_view field) const;
  void find_argument_for(Flag& flag) const;  ///< By the `dest` of an argument with another name.
  static const python::Call* innermost_call(const program::Module& module, std::uint32_t offset);
  bool use_argument(Flag& flag, const program::Module& module, std::uint32_t offset, const std::string& spelling) const;
  [[nodiscard]] bool names_unknown(const std::string& words) const;
  [[nodiscard]] bool is_known_option(const std::string& option) const;
  [[nodiscard]] bool is_known_class(std::string_view name) const;
  /// Whether the attribute whose name stands at `at` is read off a configuration, or off anything that is known to be
  /// of the class that declares it: no call of a method of that name, nothing that a text or comment says.
  [[nodiscard]] bool is_read_of(const Flag& flag, program::ModuleId module, std::uint32_t at) const;
  void count_readers(Flag& flag) const;
  /// Whether a class that neither derives from `owner` nor is above it declares a field of that name, too.
  [[nodiscard]] bool has_namesake(program::ClassId owner, std::string_view field) const;

  const program::Program& program_;
  const std::vector<std::string> near_;
  std::vector<const program::Module*> declaring_;        ///< Modules outside tests that declare command-line arguments.
  mutable std::optional<GeneratedArguments> generated_;  ///< Found when it is first asked for.
};

}  // namespace lockstep::report
