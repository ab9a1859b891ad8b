// Which functions hand which classes on by their names: `ModuleSpec(module=Layer)`, `return Layer`, or a variable of a
// module that holds such a value. What a call makes of what it is given is of a class that code before it mentioned.
// By plain names: two of the same name count for one another.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

class ClassMentions {
 public:
  explicit ClassMentions(const program::Program& program);

  /// Names of classes, and of variables that hold some, that the function's code mentions. Of a module's body those
  /// that it does more with than to keep them in a variable.
  const std::vector<std::string_view>& in(program::FunctionId function);
  /// The names that the variable, or the alias of an import, stands for; of a class those that its body mentions.
  [[nodiscard]] const std::vector<std::string_view>& held_by(std::string_view name) const;
  [[nodiscard]] const std::vector<program::ClassId>& classes_named(std::string_view name) const;
  /// Whether code outside tests holds the class's dotted name as a text, to import it by: no call shows who uses it.
  [[nodiscard]] bool is_imported_by_text(program::ClassId cls) const { return is_in_text_[cls.index()]; }
  /// Whether what mentions the class tells all of what may make it: code outside tests does, and no decorator takes it.
  [[nodiscard]] bool is_told(program::ClassId cls) const { return is_told_[cls.index()]; }

 private:
  void note(program::ModuleId module);
  [[nodiscard]] std::vector<std::string_view> names_of_class(program::ClassId cls) const;
  void keep(std::string_view name, const std::vector<std::string_view>& held);
  [[nodiscard]] std::vector<std::string_view> names_in(const python::Node& node) const;

  const program::Program& program_;
  std::unordered_set<std::string_view> names_;                                    ///< Of classes and what holds them.
  std::unordered_map<std::string_view, std::vector<std::string_view>> held_;      ///< By variable.
  std::unordered_map<std::uint32_t, std::vector<std::string_view>> by_function_;  ///< Found when asked for.
  std::unordered_map<std::string_view, std::vector<program::ClassId>> classes_;   ///< By name.
  std::vector<bool> is_in_text_;                                                  ///< By class.
  std::vector<bool> is_told_;                                                     ///< By class.
};

}  // namespace lockstep::report
