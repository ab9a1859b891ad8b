// Command-line flags of a program (`add_argument` of argparse and its like) by destination, and the fields of its
// dataclasses by name. Linked program in, tables out; tests are left out.
//
// Left out: flags whose names are computed, and parsers built from a class.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::rules {

struct Flag {
  const python::Call* call = nullptr;
  program::ModuleId module;
  const python::Expr* default_value = nullptr;  ///< As written; null where there is none.
  std::string_view action;                      ///< "store_true", …; empty where there is none.
  bool takes_many = false;                      ///< nargs="+" or "*": the value is a list.
};

struct ConfigField {
  program::ClassId cls;
  const program::Field* field = nullptr;
};

class DeclaredOptions {
 public:
  explicit DeclaredOptions(const program::Program& program);

  [[nodiscard]] const std::map<std::string, std::vector<Flag>, std::less<>>& flags() const { return flags_; }
  [[nodiscard]] const std::map<std::string_view, std::vector<ConfigField>>& fields() const { return fields_; }
  [[nodiscard]] const std::vector<Flag>* flag(std::string_view name) const;
  [[nodiscard]] const std::vector<ConfigField>* field(std::string_view name) const;

 private:
  void add_flag(program::ModuleId module, const python::Call& call);

  std::map<std::string, std::vector<Flag>, std::less<>> flags_;
  std::map<std::string_view, std::vector<ConfigField>> fields_;
};

}  // namespace lockstep::rules
