// Dotted flags ("--compile.enable") as command lines made of dataclasses take them (tyro, jsonargparse, simple-parsing,
// draccus): a field of a configuration class whose type is a configuration class, and a field of that one. Leaves out:
// classes that are made at run time and types that nobody sees, which answer "unknown".
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "playbook/tools.h"
#include "program/program.h"

namespace lockstep::playbook {

struct SectionAnswer {
  enum class Kind : std::uint8_t { kExists, kMissing, kUnknown };
  Kind kind = Kind::kUnknown;
  std::string found;                  ///< The part that exists: "compile"; empty where its first part does not.
  std::string missing;                ///< The first part that does not.
  std::vector<std::string> moved_to;  ///< Whole dotted names with the same last part, sorted: "compile.enable".
  Place place;                        ///< Where the first of these, or else the section, is declared.
};

class Sections {
 public:
  explicit Sections(const program::Program& program);
  /// Whether any code of the repository makes flags out of dataclasses.
  [[nodiscard]] bool in_use() const { return in_use_; }
  /// Whether any configuration class has a field of this name.
  [[nodiscard]] bool knows(std::string_view name) const { return by_name_.contains(name); }
  /// "compile.enable"; '-' counts as '_', "no_" before the last part as nothing.
  [[nodiscard]] SectionAnswer look_up(std::string_view dotted) const;

 private:
  /// A field as one class declares it.
  struct Declared {
    program::ClassId owner;
    const program::Field* field = nullptr;
  };
  /// What the values of some fields may be.
  struct Types {
    std::set<program::ClassId> classes;  ///< With all classes below them.
    bool open = false;                   ///< Or something else with members.
  };

  [[nodiscard]] Types types_of(const std::vector<Declared>& fields) const;
  void add_types(const Declared& declared, Types& types) const;
  void add_expression(const Declared& declared, const python::Expr* expression, Types& types) const;
  void add_class(program::ClassId cls, Types& types) const;
  [[nodiscard]] std::vector<Declared> fields_named(std::string_view name, const std::set<program::ClassId>& in) const;
  [[nodiscard]] Place place_of(const Declared& declared) const;
  void find_moved(const std::vector<std::string>& parts, std::size_t missing, SectionAnswer& answer) const;

  const program::Program* program_;
  bool in_use_ = false;
  std::map<std::string, std::vector<Declared>, std::less<>> by_name_;  // fields of configuration classes
};

}  // namespace lockstep::playbook
