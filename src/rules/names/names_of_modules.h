// The names that the scopes of a program's files bind, each file read when it is first asked for.
#pragma once

#include <unordered_map>

#include "program/program.h"
#include "rules/names/names.h"

namespace lockstep::rules {

class NamesOfModules {
 public:
  explicit NamesOfModules(const program::Program& program) : program_(program) {}

  const ScopeNames& of(program::ModuleId module) {
    const auto known = names_.find(module);
    return known != names_.end() ? known->second
                                 : names_.try_emplace(module, *program_.modules()[module].facts).first->second;
  }

 private:
  const program::Program& program_;
  std::unordered_map<program::ModuleId, ScopeNames> names_;
};

}  // namespace lockstep::rules
