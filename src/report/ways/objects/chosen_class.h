// A class of which objects are made only under conditions on settings: what is told of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/program.h"
#include "report/source/code.h"

namespace lockstep::report {

/// A place that may bring objects of a class, and a condition on a setting that it stands under.
struct ChoosingPlace {
  program::FunctionId function;
  const python::Node* node = nullptr;  ///< That names the class.
  Guard guard;
  std::string_view parameter;  ///< That the condition reads, and that is given the setting; empty: it reads it.
  std::string setting;
  program::ClassId declared_by;  ///< None where that is not known.
  std::string setting_place;     ///< Marked text of where it is declared.
  std::string setting_default;   ///< Source text; empty where it has none.
  std::optional<bool> holds;     ///< Whether the condition holds with the setting's default.
};

/// No object of the class is made but under one of the conditions, or at one of the free places.
struct ChosenClass {
  program::ClassId cls;
  std::vector<ChoosingPlace> places;  ///< One or two, with conditions of their own.
  std::size_t more = 0;               ///< Further places under the same condition as the only one of `places`.
  /// Places that may bring objects under no condition on a setting: what names the class there, and the function. None
  /// but where the conditions of all `places` are off by default.
  std::vector<std::pair<program::FunctionId, const python::Node*>> free;
};

}  // namespace lockstep::report
